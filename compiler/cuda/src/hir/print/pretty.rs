//! What `__PRETTY_FUNCTION__` is: a function as its template declares it, then what the parameters stand for.
//!
//! ```text
//! static U n::Box<T>::get(T *, int) const [with U = char; T = float]
//! ```
//!
//! Libraries cut the names of types out of it (libcu++'s `__pretty_nameof`, magic_enum and its kin), so that the text is that of nvcc 13.0's front end for
//! device code, as observed: `__nv_bool` for `bool`, `3UL`, `(short)7`, a pack as one entry for each element.

use super::{Reader, Speller, qualifier_words};
use crate::hir::pattern::{ArgumentPattern, ExpressionPattern, TypePattern};
use crate::hir::{
    CallOperator, Class, Constant, ConstantBase, Function, IntegerKind, Program, QualifiedType, Qualifiers,
    RefQualifier, Scope, TemplateArgument, Type,
};

/// Spells types and arguments as `__PRETTY_FUNCTION__` has them.
pub struct PrettyPrinter<'a> {
    speller: Speller<'a>,
    names: &'a [String],
}

impl<'a> PrettyPrinter<'a> {
    /// A printer of a program's types, and of patterns whose parameters have these names.
    pub fn new(program: &'a Program, names: &'a [String]) -> PrettyPrinter<'a> {
        let speller = Speller {
            reader: Reader::Program,
            ..Speller::new(program)
        };
        PrettyPrinter { speller, names }
    }

    /// A declaration of `inner` with a type; without `inner`, the type.
    pub fn declare(&self, ty: QualifiedType, inner: &str) -> String {
        self.speller.declare(ty, inner.into())
    }

    /// `ns::` and the like; empty for what is global or local to a function.
    pub fn scope(&self, scope: Scope) -> String {
        self.speller.scope_prefix(scope)
    }

    /// The name of a class without its scope; with the arguments that it has.
    pub fn class(&self, class: &Class) -> String {
        self.speller.unqualified_class_name(class)
    }

    /// What a template's parameter stands for: `T = int`, `int N = 3`, one of each for the elements of a pack.
    pub fn binding(&self, name: &str, argument: &TemplateArgument, entries: &mut Vec<String>) {
        let text = match argument {
            TemplateArgument::Type(ty) => format!("{name} = {}", self.declare(*ty, "")),
            TemplateArgument::Value(ty, value) => format!("{} = {}", self.declare(*ty, name), self.value(*ty, value)),
            TemplateArgument::Template(template) => format!("{name} = {}{}", self.scope(template.scope), template.name),
            TemplateArgument::Pack(elements) => {
                for element in elements {
                    self.binding(name, element, entries);
                }
                return;
            }
        };
        entries.push(text);
    }

    /// A value; what a reference refers to is its name, what a pointer points to has a `&` before it, but not a function.
    fn value(&self, ty: QualifiedType, value: &Constant) -> String {
        let text = self.speller.show_constant(ty, value);
        let named = match value {
            Constant::Pointer(ConstantBase::Function(_), 0) => true,
            Constant::Pointer(ConstantBase::Variable(_), 0) => self.speller.program.types.is_reference(ty.id),
            _ => false,
        };
        match named {
            true => text.trim_start_matches('&').to_string(),
            false => text,
        }
    }

    /// The parameters of a function as its declaration writes them.
    pub fn parameters(&self, patterns: &[TypePattern], variadic: bool) -> String {
        let mut texts: Vec<String> = patterns.iter().map(|pattern| self.pattern(pattern, "")).collect();
        if variadic {
            texts.push("...".into());
        }
        format!("({})", texts.join(", "))
    }

    /// A declaration of `inner` with a pattern; without `inner`, the pattern.
    pub fn pattern(&self, pattern: &TypePattern, inner: &str) -> String {
        let simple = |name: String| match inner.is_empty() {
            true => name,
            false if inner.starts_with(' ') => format!("{name}{inner}"),
            false => format!("{name} {inner}"),
        };
        match pattern {
            TypePattern::Type(ty) => self.declare(*ty, inner),
            TypePattern::Parameter { index, .. } => simple(self.name(*index)),
            TypePattern::Qualified(qualifiers, of) => self.qualified(*qualifiers, of, inner),
            TypePattern::Pointer(to) => self.pointed("*", to, inner),
            TypePattern::LValueReference(to) => self.pointed("&", to, inner),
            TypePattern::RValueReference(to) => self.pointed("&&", to, inner),
            TypePattern::MemberPointer { class, pointee } => {
                self.pointed(&format!("{}::*", self.pattern(class, "")), pointee, inner)
            }
            TypePattern::Array(element, count) => {
                let bound = count.as_ref().map_or(String::new(), |count| self.expression(count));
                let space = if inner.is_empty() { " " } else { "" };
                self.pattern(element, &format!("{inner}{space}[{bound}]"))
            }
            TypePattern::Function {
                result,
                parameters,
                variadic,
                qualifiers,
                reference,
                noexcept,
            } => {
                let parameters = self.parameters(parameters, *variadic);
                let space = if inner.is_empty() { " " } else { "" };
                let trailing = trailing_words(*qualifiers, *reference, noexcept.is_some());
                self.pattern(result, &format!("{inner}{space}{parameters}{trailing}"))
            }
            TypePattern::Specialisation {
                scope, name, arguments, ..
            } => simple(format!("{}{name}{}", self.scope(*scope), self.arguments(arguments))),
            TypePattern::ParameterSpecialisation { index, arguments, .. } => {
                simple(format!("{}{}", self.name(*index), self.arguments(arguments)))
            }
            TypePattern::Member { of, name, arguments } => {
                let arguments = arguments.as_ref().map_or(String::new(), |list| self.arguments(list));
                simple(format!("{}::{name}{arguments}", self.pattern(of, "")))
            }
            TypePattern::Decltype(_) => simple("decltype((<expression>))".into()),
            TypePattern::Transform(name, of) => simple(format!("{name}({})", self.pattern(of, ""))),
            TypePattern::Expansion(of) => format!("{}...", self.pattern(of, inner)),
            TypePattern::Auto { decltype } => simple(if *decltype { "decltype(auto)" } else { "auto" }.into()),
        }
    }

    fn qualified(&self, qualifiers: Qualifiers, of: &TypePattern, inner: &str) -> String {
        let words = qualifier_words(qualifiers);
        match of {
            TypePattern::Pointer(to) => self.pointed(&format!("*{words}"), to, inner),
            TypePattern::MemberPointer { class, pointee } => {
                self.pointed(&format!("{}::*{words}", self.pattern(class, "")), pointee, inner)
            }
            of => format!("{words}{}", self.pattern(of, inner)),
        }
    }

    fn pointed(&self, symbol: &str, to: &TypePattern, inner: &str) -> String {
        let declarator = format!("{symbol}{inner}");
        let declarator = declarator.trim_end();
        let types = &self.speller.program.types;
        let needs_parentheses = match to {
            TypePattern::Array(..) | TypePattern::Function { .. } => true,
            TypePattern::Type(ty) => matches!(types.get(ty.id), Type::Array(..) | Type::Function(_)),
            _ => false,
        };
        match needs_parentheses {
            true => self.pattern(to, &format!("({declarator})")),
            false => self.pattern(to, declarator),
        }
    }

    /// `<T, 3>`.
    pub fn arguments(&self, arguments: &[ArgumentPattern]) -> String {
        let mut texts = Vec::new();
        self.flatten(arguments, &mut texts);
        format!("<{}>", texts.join(", "))
    }

    fn flatten(&self, arguments: &[ArgumentPattern], texts: &mut Vec<String>) {
        for argument in arguments {
            match argument {
                ArgumentPattern::Type(pattern) => texts.push(self.pattern(pattern, "")),
                ArgumentPattern::Value(value) => texts.push(self.expression(value)),
                ArgumentPattern::Known(known) => self.speller.flatten_arguments(std::slice::from_ref(known), texts),
                ArgumentPattern::Untyped(value) => texts.push(self.expression(&value.written)),
                ArgumentPattern::Template { index, .. } => texts.push(self.name(*index)),
                ArgumentPattern::TemplateExpansion { index, .. } => texts.push(format!("{}...", self.name(*index))),
                ArgumentPattern::Pack(elements) => self.flatten(elements, texts),
            }
        }
    }

    /// An expression with parameters in it: nvcc spells only the simplest.
    fn expression(&self, expression: &ExpressionPattern) -> String {
        match expression {
            ExpressionPattern::Parameter { index, .. } => self.name(*index),
            ExpressionPattern::Literal(ty, value) => self.speller.pretty_integer(*ty, *value),
            ExpressionPattern::Expansion(of) => format!("{}...", self.expression(of)),
            _ => "<expression>".into(),
        }
    }

    fn name(&self, index: u32) -> String {
        self.names
            .get(index as usize)
            .cloned()
            .unwrap_or_else(|| "<unnamed>".into())
    }

    /// What stands behind the parameters of a function: ` const &`, ` noexcept`.
    pub fn trailing(&self, function: &Function) -> String {
        match self.speller.program.types.as_function(function.ty) {
            Some(ty) => trailing_words(ty.qualifiers, ty.reference, ty.noexcept),
            None => String::new(),
        }
    }
}

fn trailing_words(qualifiers: Qualifiers, reference: RefQualifier, noexcept: bool) -> String {
    let mut text = String::new();
    for word in qualifier_words(qualifiers).split_whitespace() {
        text += " ";
        text += word;
    }
    text += match reference {
        RefQualifier::None => "",
        RefQualifier::LValue => " &",
        RefQualifier::RValue => " &&",
    };
    if noexcept {
        text += " noexcept";
    }
    text
}

impl Speller<'_> {
    /// A closure's class: `lambda [](int) mutable->int`.
    pub(super) fn closure(&self, class: &Class) -> String {
        let (parameters, trailing, result) = match &class.lambda {
            Some(CallOperator::Plain(operator)) => {
                let function = self.program.function(*operator);
                let Some(ty) = self.program.types.as_function(function.ty) else {
                    return "lambda".into();
                };
                let mut parameters: Vec<String> = ty
                    .parameters
                    .iter()
                    .map(|&parameter| self.declare(parameter, String::new()))
                    .collect();
                if ty.variadic {
                    parameters.push("...".into());
                }
                let mutable = if ty.qualifiers.contains(Qualifiers::CONST) {
                    ""
                } else {
                    " mutable"
                };
                (parameters.join(", "), mutable, self.declare(ty.result, String::new()))
            }
            Some(CallOperator::Generic(patterns)) => {
                let names: Vec<String> = vec!["auto".into(); patterns.len()];
                let printer = PrettyPrinter::new(self.program, &names);
                let text = printer.parameters(patterns, false);
                (text[1..text.len() - 1].to_string(), "", "auto".into())
            }
            None => return "lambda".into(),
        };
        format!("lambda []({parameters}){trailing}->{result}")
    }

    /// A value of an integer type with its suffix, or with its type before it where there is none; an enumerator by its name.
    pub(super) fn pretty_integer(&self, ty: QualifiedType, number: i128) -> String {
        use IntegerKind as Kind;
        let ty = self.program.types.strip_reference(ty);
        match *self.program.types.get(ty.id) {
            Type::Bool => if number == 0 { "false" } else { "true" }.into(),
            Type::Enum(id) => {
                let enumeration = self.program.enumeration(id);
                match enumeration
                    .enumerators
                    .iter()
                    .find(|enumerator| enumerator.value == number)
                {
                    Some(enumerator) if enumeration.scoped => {
                        format!("{}::{}", self.declare(ty.unqualified(), String::new()), enumerator.name)
                    }
                    Some(enumerator) => format!("{}{}", self.scope_prefix(enumeration.scope), enumerator.name),
                    None => self.cast(ty, number),
                }
            }
            Type::Integer(kind) => match kind {
                Kind::Int => number.to_string(),
                Kind::UnsignedInt => format!("{number}U"),
                Kind::Long => format!("{number}L"),
                Kind::UnsignedLong => format!("{number}UL"),
                Kind::LongLong => format!("{number}LL"),
                Kind::UnsignedLongLong => format!("{number}ULL"),
                // As it is, printable or not; past ASCII it is Latin-1's letter, where nvcc has the byte.
                Kind::Char => format!("'{}'", char::from(number as u8)),
                Kind::SignedChar | Kind::UnsignedChar => {
                    let name = self.declare(ty.unqualified(), String::new());
                    format!("({name})'{}'", char::from(number as u8))
                }
                _ => self.cast(ty, number),
            },
            _ => number.to_string(),
        }
    }

    fn cast(&self, ty: QualifiedType, number: i128) -> String {
        let name = self.declare(ty.unqualified(), String::new());
        match number < 0 {
            true => format!("({name})({number})"),
            false => format!("({name}){number}"),
        }
    }
}
