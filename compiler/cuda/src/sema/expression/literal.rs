//! Literals ([lex.literal], [lex.ext]).

use crate::hir::{Constant, ExpressionId, ExpressionKind, FloatKind, StringLiteral, TemplateArgument, Types};
use crate::sema::conversion::arithmetic::{IntegerSuffix, integer_literal_type};
use crate::sema::entity::Found;
use crate::sema::{Callable, GivenArgument, GivenArguments, Sema};
use crate::source::{self, Encoding, FloatSuffix, IntegerSize, Span, Symbol};
use crate::syntax::ast;

use super::Operand;

impl<'a> Sema<'a> {
    /// A literal.
    pub(super) fn literal(&mut self, literal: &'a ast::Literal, span: Span) -> ExpressionId {
        match literal {
            ast::Literal::Integer(integer) if integer.user_suffix.is_some() => self.user_number(literal, span),
            ast::Literal::Float(float) if float.user_suffix.is_some() => self.user_number(literal, span),
            ast::Literal::Character(character) if character.user_suffix.is_some() => {
                let value = self.character(character, span);
                self.user_literal(character.user_suffix, vec![value], span)
            }
            ast::Literal::String(string) if string.user_suffix.is_some() => self.user_string(string, span),
            ast::Literal::Integer(integer) => self.integer_literal(integer, span),
            ast::Literal::Float(float) => self.float_literal(float, span),
            ast::Literal::Character(character) => self.character(character, span),
            ast::Literal::String(string) => self.string(string, span),
            &ast::Literal::Bool(value) => self.boolean(value, span),
            ast::Literal::Nullptr => self.value(ExpressionKind::Constant(Constant::NULL), Types::NULL_POINTER, span),
            ast::Literal::GnuNull => {
                let zero = self.integer(0, Types::LONG, span);
                self.expressions.null_constants.insert(zero);
                zero
            }
        }
    }

    fn integer_literal(&mut self, literal: &source::IntegerLiteral, span: Span) -> ExpressionId {
        let longs = match literal.size {
            IntegerSize::Int => 0,
            IntegerSize::Long | IntegerSize::Size => 1,
            IntegerSize::LongLong => 2,
        };
        let suffix = IntegerSuffix {
            unsigned: literal.unsigned,
            longs,
        };
        let Some(kind) = integer_literal_type(literal.value, suffix, literal.base == 10) else {
            return self.fail(span, "this integer fits no integer type");
        };
        let ty = self.program.types.integer(kind);
        let expression = self.integer(literal.value as i128, ty, span);
        if literal.value == 0 {
            self.expressions.null_constants.insert(expression);
        }
        expression
    }

    fn float_literal(&mut self, literal: &source::FloatLiteral, span: Span) -> ExpressionId {
        let (bits, ty) = match literal.suffix {
            FloatSuffix::None => (literal.double, Types::DOUBLE),
            FloatSuffix::Float => (u64::from(literal.float), Types::FLOAT),
            FloatSuffix::Long => (literal.double, Types::LONG_DOUBLE),
            FloatSuffix::Float16 => {
                let double = self.value(
                    ExpressionKind::Constant(Constant::Float(literal.double)),
                    Types::DOUBLE,
                    span,
                );
                return self.convert_arithmetic(double, self.program.types.float(FloatKind::Half));
            }
            FloatSuffix::Float128 => (literal.double, Types::FLOAT128),
        };
        self.value(ExpressionKind::Constant(Constant::Float(bits)), ty, span)
    }

    fn character(&mut self, literal: &source::CharacterLiteral, span: Span) -> ExpressionId {
        let ty = match literal.encoding {
            _ if literal.multiple => Types::INT,
            Encoding::Ordinary | Encoding::Utf8 => Types::CHAR,
            Encoding::Utf16 => Types::CHAR16,
            Encoding::Utf32 => Types::CHAR32,
            Encoding::Wide => Types::WIDE_CHAR,
        };
        self.integer(i128::from(literal.value), ty, span)
    }

    fn string(&mut self, literal: &source::StringLiteral, span: Span) -> ExpressionId {
        let element = match literal.encoding {
            Encoding::Ordinary | Encoding::Utf8 => Types::CHAR,
            Encoding::Utf16 => Types::CHAR16,
            Encoding::Utf32 => Types::CHAR32,
            Encoding::Wide => Types::WIDE_CHAR,
        };
        let mut elements = literal.units.clone();
        elements.push(0);
        let length = elements.len() as u64;
        let string = self.program.add_string(StringLiteral { elements, element });
        let ty = self.program.types.array(element.constant(), Some(length));
        self.lvalue(ExpressionKind::String(string), ty, span)
    }

    /// An ordinary string made by the compiler: `__func__`, `__builtin_FILE()`.
    pub(crate) fn made_string(&mut self, text: &str, span: Span) -> ExpressionId {
        let mut elements: Vec<u32> = text.bytes().map(u32::from).collect();
        elements.push(0);
        let length = elements.len() as u64;
        let string = self.program.add_string(StringLiteral {
            elements,
            element: Types::CHAR,
        });
        let ty = self.program.types.array(Types::CHAR.constant(), Some(length));
        self.lvalue(ExpressionKind::String(string), ty, span)
    }

    /// `__func__` and its kin: an array of the function's name ([dcl.fct.def.general]/8).
    pub(super) fn function_name_literal(&mut self, pretty: bool, span: Span) -> ExpressionId {
        let Some(function) = self.function.function else {
            return self.made_string("", span);
        };
        let text = if pretty {
            self.pretty_function(function)
        } else {
            self.context.text(self.function_info(function).name).to_string()
        };
        self.made_string(&text, span)
    }

    /// `12_km`: a literal operator that takes the value, else one that takes the spelling as a string, or as the arguments of a template ([lex.ext]/3, 4).
    fn user_number(&mut self, literal: &'a ast::Literal, span: Span) -> ExpressionId {
        let (value, suffix, spelling) = match literal {
            ast::Literal::Integer(integer) => {
                let value = self.integer(integer.value as i128, Types::UNSIGNED_LONG_LONG, span);
                (value, integer.user_suffix, &integer.spelling)
            }
            ast::Literal::Float(float) => {
                let value = self.value(
                    ExpressionKind::Constant(Constant::Float(float.double)),
                    Types::LONG_DOUBLE,
                    span,
                );
                (value, float.user_suffix, &float.spelling)
            }
            _ => return self.poison(span),
        };
        let Some(suffix) = suffix else { return self.poison(span) };
        let wanted = self.type_of(value).id;
        if !self.has_literal_operator(suffix, wanted) {
            let string = self.made_string(spelling, span);
            let pointer = self.program.types.pointer(Types::CHAR.constant());
            if self.has_literal_operator(suffix, pointer) {
                return self.user_literal(Some(suffix), vec![string], span);
            }
            if let Some(call) = self.spelled_literal(suffix, spelling, span) {
                return call;
            }
        }
        self.user_literal(Some(suffix), vec![value], span)
    }

    /// `operator""_x<'1', '2'>()`, if there is such a template.
    fn spelled_literal(&mut self, suffix: Symbol, spelling: &str, span: Span) -> Option<ExpressionId> {
        let name = self.literal_operator_symbol(suffix);
        let Found::Functions(mut candidates) = self.lookup_unqualified(name).found else {
            return None;
        };
        candidates.retain(|candidate| match candidate.callable {
            Callable::Function(_) => false,
            Callable::Template(template) => self.signature_of(template).parameters.is_empty(),
        });
        if candidates.is_empty() {
            return None;
        }
        let character = |byte| {
            let value = Constant::Integer(i128::from(byte));
            GivenArgument::Known(TemplateArgument::Value(Types::CHAR.into(), value))
        };
        let arguments = GivenArguments {
            list: spelling.bytes().map(character).collect(),
            span,
        };
        let what = format!("`{}`", self.context.text(name));
        Some(self.call_candidates(&candidates, Some(&arguments), None, &[], false, &what, span))
    }

    /// Whether a literal operator takes exactly this type.
    fn has_literal_operator(&mut self, suffix: Symbol, wanted: crate::hir::TypeId) -> bool {
        let name = self.literal_operator_symbol(suffix);
        let Found::Functions(candidates) = self.lookup_unqualified(name).found else {
            return false;
        };
        candidates.iter().any(|candidate| match candidate.callable {
            crate::sema::Callable::Function(function) => {
                let signature = self.program.types.as_function(self.program.function(function).ty);
                signature.is_some_and(|ty| ty.parameters.len() == 1 && ty.parameters[0].id == wanted)
            }
            crate::sema::Callable::Template(_) => false,
        })
    }

    fn user_string(&mut self, literal: &source::StringLiteral, span: Span) -> ExpressionId {
        let length = self.integer(literal.units.len() as i128, Types::UNSIGNED_LONG, span);
        let string = self.string(literal, span);
        self.user_literal(literal.user_suffix, vec![string, length], span)
    }

    fn user_literal(&mut self, suffix: Option<Symbol>, arguments: Vec<ExpressionId>, span: Span) -> ExpressionId {
        let Some(suffix) = suffix else { return self.poison(span) };
        let name = self.literal_operator_symbol(suffix);
        let lookup = self.lookup_unqualified(name);
        let Found::Functions(candidates) = lookup.found else {
            let message = format!(
                "there is no literal operator `operator\"\"{}`",
                self.context.text(suffix)
            );
            return self.fail(span, message);
        };
        let operands: Vec<Operand<'a>> = arguments.into_iter().map(Operand::Expression).collect();
        let what = format!("`{}`", self.context.text(name));
        self.call_candidates(&candidates, None, None, &operands, false, &what, span)
    }
}
