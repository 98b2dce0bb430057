//! Calls of `printf` in device code: the arguments against the conversions of the format.

use crate::hir::{ExpressionId, ExpressionKind, FunctionId, FunctionName, Program, Type, TypeId, Types};
use crate::sema::Sema;
use crate::sema::expression::Operand;
use crate::source::{Report, Span, Warning};

/// What a conversion takes, after the promotions of `...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// An integer of 32 bits.
    Int,
    /// An integer of 64 bits, or an address.
    Long,
    Double,
    LongDouble,
    /// A pointer to characters.
    Text,
    WideText,
    /// Any pointer.
    Pointer,
    /// An argument of which nothing is known.
    Anything,
}

impl Expected {
    const fn name(self) -> &'static str {
        match self {
            Expected::Int => "an integer of 32 bits",
            Expected::Long => "an integer of 64 bits",
            Expected::Double => "`double`",
            Expected::LongDouble => "`long double`",
            Expected::Text => "a pointer to `char`",
            Expected::WideText => "a pointer to `wchar_t`",
            Expected::Pointer => "a pointer",
            Expected::Anything => "anything",
        }
    }
}

/// A conversion, or the end of what can be read of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// An argument is taken: by the text of the conversion.
    Argument(String, Expected),
    /// There is no such conversion.
    Unknown(String),
    /// Something that is not described here, such as arguments by number.
    Other,
}

/// The arguments that a format takes. What follows an unknown conversion is not looked at.
fn pieces(format: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut rest = format.chars().peekable();
    while let Some(first) = rest.next() {
        if first != '%' {
            continue;
        }
        let mut text = String::from("%");
        let mut stars = 0;
        while let Some(&next) = rest.peek()
            && (next.is_ascii_digit() || "-+ #'.*".contains(next))
        {
            stars += usize::from(next == '*');
            text.push(next);
            rest.next();
        }
        let mut length = String::new();
        while let Some(&next) = rest.peek()
            && "hlLzjt".contains(next)
        {
            length.push(next);
            rest.next();
        }
        text += &length;
        found.extend((0..stars).map(|_| Piece::Argument("*".into(), Expected::Int)));
        let Some(letter) = rest.next() else {
            // A single `%` at the end stands for itself.
            if text.len() > 1 {
                found.push(Piece::Unknown(text));
            }
            return found;
        };
        text.push(letter);
        let is_long = matches!(length.as_str(), "l" | "ll" | "z" | "j" | "t");
        let expected = match letter {
            '%' | 'm' => continue,
            'd' | 'i' | 'o' | 'u' | 'x' | 'X' if is_long => Expected::Long,
            'd' | 'i' | 'o' | 'u' | 'x' | 'X' if matches!(length.as_str(), "" | "h" | "hh") => Expected::Int,
            'c' if length.is_empty() => Expected::Int,
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' if length == "L" => Expected::LongDouble,
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => Expected::Double,
            's' if length.is_empty() => Expected::Text,
            's' if length == "l" => Expected::WideText,
            'p' => Expected::Pointer,
            'd' | 'i' | 'o' | 'u' | 'x' | 'X' | 'c' | 's' | 'n' => Expected::Anything,
            letter if letter.is_ascii_alphabetic() => {
                found.push(Piece::Unknown(text));
                return found;
            }
            _ => {
                found.push(Piece::Other);
                return found;
            }
        };
        found.push(Piece::Argument(text, expected));
    }
    found
}

impl Expected {
    /// Whether an argument of a type will do.
    fn takes(self, program: &Program, ty: TypeId) -> bool {
        let types = &program.types;
        let pointee = types.pointee(ty).map(|to| types.get(to.id));
        let bits = match types.get(ty) {
            Type::Bool => 8,
            Type::Integer(kind) => kind.bits(),
            Type::Enum(_) => (program.size_of(ty) * 8) as u32,
            _ => 0,
        };
        let float = |size| matches!(types.get(ty), Type::Float(_)) && program.size_of(ty) == size;
        match self {
            // Smaller ones are promoted.
            Expected::Int => (1..=32).contains(&bits),
            Expected::Long => bits == 64 || pointee.is_some(),
            Expected::Double => float(2) || float(4) || ty == Types::DOUBLE,
            Expected::LongDouble => {
                matches!(types.get(ty), Type::Float(_)) && !float(2) && !float(4) && ty != Types::DOUBLE
            }
            Expected::Text => matches!(pointee, Some(Type::Integer(kind)) if kind.bits() == 8),
            Expected::WideText => matches!(pointee, Some(Type::Integer(kind)) if kind.bits() == 32),
            Expected::Pointer => pointee.is_some(),
            Expected::Anything => true,
        }
    }
}

impl<'a> Sema<'a> {
    /// A call with its arguments as written and as they are passed.
    pub(crate) fn check_format(
        &mut self,
        function: FunctionId,
        operands: &[Operand<'a>],
        arguments: &[ExpressionId],
        span: Span,
    ) {
        let space = self.function.space;
        if !self.options.warnings || !(space.device || space.global) || !self.is_printf(function) {
            return;
        }
        let Some(format) = operands.first().and_then(|operand| self.literal_text(operand)) else {
            return;
        };
        let mut given = arguments.iter().skip(1);
        for piece in pieces(&format) {
            match piece {
                Piece::Argument(text, expected) => {
                    let Some(&argument) = given.next() else {
                        let message = format!("`printf` has no argument for `{text}`");
                        return self.warn_at(Warning::TooFewForFormat, span, message);
                    };
                    self.check_formatted(&text, expected, argument);
                }
                Piece::Unknown(text) => {
                    let message = format!("`printf` has no conversion `{text}`");
                    return self.warn_at(Warning::InvalidFormat, span, message);
                }
                Piece::Other => return,
            }
        }
        if let Some(&more) = given.next() {
            let place = self.span_of(more);
            self.warn_at(
                Warning::TooManyForFormat,
                place,
                "the format of `printf` has no conversion for this argument",
            );
        }
    }
    fn check_formatted(&mut self, text: &str, expected: Expected, argument: ExpressionId) {
        let ty = self.type_of(argument);
        if ty.id == Types::ERROR || expected.takes(&self.program, ty.id) {
            return;
        }
        let place = self.span_of(argument);
        let message = format!("`{text}` of `printf` takes {}, not {}", expected.name(), self.quote(ty));
        self.warn(Warning::FormatMismatch, Report::warning(place, message));
    }
    /// Whether a function is the C library's `printf`.
    fn is_printf(&self, function: FunctionId) -> bool {
        let node = self.program.function(function);
        matches!(&node.name, FunctionName::Identifier(name) if &**name == "printf")
            && matches!(node.scope, crate::hir::Scope::Namespace(namespace) if namespace == Program::GLOBAL)
            && (self.program.types.as_function(node.ty)).is_some_and(|ty| ty.variadic && ty.parameters.len() == 1)
    }
    fn literal_text(&self, operand: &Operand<'a>) -> Option<String> {
        let &Operand::Expression(expression) = operand else {
            return None;
        };
        let ExpressionKind::String(id) = self.program.expression(expression).kind else {
            return None;
        };
        let literal = self.program.string(id);
        let (_, elements) = literal.elements.split_last()?;
        // What stands behind a zero is not read.
        let read = elements.iter().take_while(|&&element| element != 0);
        (self.program.size_of(literal.element) == 1)
            .then(|| read.filter_map(|&element| char::from_u32(element)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(format: &str) -> Vec<Expected> {
        let argument = |piece| match piece {
            Piece::Argument(_, expected) => expected,
            Piece::Unknown(text) => panic!("{text} is unknown"),
            Piece::Other => panic!("something else in {format}"),
        };
        pieces(format).into_iter().map(argument).collect()
    }

    #[test]
    fn conversions() {
        use Expected::{Anything, Double, Int, Long, LongDouble, Pointer, Text, WideText};
        assert_eq!(expected("%d %-5.2hhx%% %5% %c"), [Int, Int, Int]);
        assert_eq!(expected("%ld%lli%zu%jd%tx"), [Long; 5]);
        assert_eq!(expected("%lf %G %La"), [Double, Double, LongDouble]);
        assert_eq!(
            expected("%*.*s %ls %p %n %lc %Ld"),
            [Int, Int, Text, WideText, Pointer, Anything, Anything, Anything]
        );
        assert_eq!(expected("100 %"), []);
    }

    #[test]
    fn what_is_no_conversion() {
        assert_eq!(pieces("%q %d"), [Piece::Unknown("%q".into())]);
        assert_eq!(pieces("%5"), [Piece::Unknown("%5".into())]);
        assert_eq!(pieces("%1$d"), [Piece::Other]);
        assert_eq!(pieces("100%\n%d"), [Piece::Other]);
    }
}
