//! Types and names as users write them.

mod pretty;

pub use pretty::PrettyPrinter;

use std::cell::Cell;
use std::fmt;

use super::{
    Class, ClassId, ClassKind, Constant, ConstantBase, FunctionId, FunctionName, NamespaceId, OperatorName, Program,
    QualifiedType, Qualifiers, RefQualifier, Scope, TemplateArgument, Type, VariableId,
};

/// Shows a type: `const float *`, `int (&)[4]`, `std::pair<int, float>`.
#[derive(Clone, Copy)]
pub struct TypePrinter<'a> {
    program: &'a Program,
    ty: QualifiedType,
}

impl<'a> TypePrinter<'a> {
    /// Shows a type of a program.
    pub fn new(program: &'a Program, ty: QualifiedType) -> TypePrinter<'a> {
        TypePrinter { program, ty }
    }
}

impl fmt::Display for TypePrinter<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.program.declare(self.ty, String::new()))
    }
}

impl fmt::Debug for TypePrinter<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// The words of qualifiers, each with a space behind it.
fn qualifier_words(qualifiers: Qualifiers) -> String {
    let mut text = String::new();
    for (qualifier, word) in [
        (Qualifiers::CONST, "const "),
        (Qualifiers::VOLATILE, "volatile "),
        (Qualifiers::RESTRICT, "__restrict__ "),
    ] {
        if qualifiers.contains(qualifier) {
            text.push_str(word);
        }
    }
    text
}

impl OperatorName {
    /// As it is written behind `operator`.
    #[rustfmt::skip]
    pub const fn spelling(self) -> &'static str {
        use OperatorName as O;
        match self {
            O::New => " new", O::NewArray => " new[]", O::Delete => " delete", O::DeleteArray => " delete[]",
            O::Plus => "+", O::Minus => "-", O::Star => "*", O::Slash => "/", O::Percent => "%", O::Caret => "^", O::Ampersand => "&", O::Pipe => "|",
            O::Tilde => "~", O::Exclaim => "!", O::Equal => "=", O::Less => "<", O::Greater => ">",
            O::PlusEqual => "+=", O::MinusEqual => "-=", O::StarEqual => "*=", O::SlashEqual => "/=", O::PercentEqual => "%=", O::CaretEqual => "^=",
            O::AmpersandEqual => "&=", O::PipeEqual => "|=",
            O::ShiftLeft => "<<", O::ShiftRight => ">>", O::ShiftLeftEqual => "<<=", O::ShiftRightEqual => ">>=",
            O::EqualEqual => "==", O::ExclaimEqual => "!=", O::LessEqual => "<=", O::GreaterEqual => ">=", O::Spaceship => "<=>",
            O::AmpersandAmpersand => "&&", O::PipePipe => "||", O::PlusPlus => "++", O::MinusMinus => "--", O::Comma => ",", O::ArrowStar => "->*",
            O::Arrow => "->", O::Call => "()", O::Subscript => "[]",
        }
    }
}

impl Program {
    /// A declaration of `inner` with a type, as in `int (*inner)[4]`; with an empty `inner`, the type alone.
    pub fn declare(&self, ty: QualifiedType, inner: String) -> String {
        Speller::new(self).declare(ty, inner)
    }

    /// The name of a class with its scopes and template arguments.
    pub fn class_name(&self, id: ClassId) -> String {
        Speller::new(self).class_name(id)
    }

    /// `<int, 4>`.
    pub fn template_arguments_text(&self, arguments: &[TemplateArgument]) -> String {
        Speller::new(self).template_arguments_text(arguments)
    }

    /// A value as users would write it.
    pub fn show_constant(&self, ty: QualifiedType, value: &Constant) -> String {
        Speller::new(self).show_constant(ty, value)
    }

    /// `std::` and the like, empty for what is global.
    pub fn scope_prefix(&self, scope: Scope) -> String {
        Speller::new(self).scope_prefix(scope)
    }

    /// The name of a variable with its scopes.
    pub fn variable_name(&self, id: VariableId) -> String {
        Speller::new(self).variable_name(id)
    }

    /// The name of a function with its scopes and template arguments, without parameters.
    pub fn function_name(&self, id: FunctionId) -> String {
        Speller::new(self).function_name(id)
    }

    /// A function with its parameters: `f(int, const float *)`.
    pub fn function_signature(&self, id: FunctionId) -> String {
        Speller::new(self).function_signature(id)
    }

    /// An expression that is the address of a function wherever the host's C++ compiler reads it behind the unit.
    ///
    /// # Errors
    /// What of it has no name there.
    pub fn host_function(&self, id: FunctionId) -> Result<String, &'static str> {
        let speller = Speller::for_host(self);
        let function = self.function(id);
        let name = speller.function_name(id);
        let ty = speller.declare(function.ty.unqualified(), "(*)".into());
        speller.named(format!("({ty}){name}"))
    }

    /// An expression that is a variable wherever the host's C++ compiler reads it behind the unit.
    ///
    /// # Errors
    /// What of it has no name there.
    pub fn host_variable(&self, id: VariableId) -> Result<String, &'static str> {
        let speller = Speller::for_host(self);
        let variable = self.variable(id);
        let arguments = variable.template_arguments.as_deref();
        let arguments = arguments.map_or_else(String::new, |arguments| speller.template_arguments_text(arguments));
        let name = speller.variable_name(id);
        speller.named(format!("{name}{arguments}"))
    }
}

/// How many lists of template arguments a name shows; the others are `<…>`. A type that doubles with every step, as
/// `Sum<Sum<…>, Sum<…>>`, has a name of 2^n characters.
const SHOWN_LISTS: usize = 256;

/// The same where a host compiler or a program reads the name: all that a program can have.
const ALL_LISTS: usize = 1 << 16;

/// Who reads a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// A user, in a message.
    User,
    /// A host compiler, in place of words for people: what has no name at the end of the unit makes it [`Speller::nameless`].
    Host,
    /// A program, in `__PRETTY_FUNCTION__`: the spelling is nvcc's to the letter, for programs look for types in it.
    Program,
}

/// Spells one name.
struct Speller<'a> {
    program: &'a Program,
    lists: Cell<usize>,
    reader: Reader,
    /// What has no name for a host compiler.
    nameless: Cell<Option<&'static str>>,
}

impl<'a> Speller<'a> {
    fn new(program: &'a Program) -> Speller<'a> {
        Speller {
            program,
            lists: Cell::new(0),
            reader: Reader::User,
            nameless: Cell::new(None),
        }
    }

    fn for_host(program: &'a Program) -> Speller<'a> {
        Speller {
            reader: Reader::Host,
            ..Speller::new(program)
        }
    }

    /// Words for people where there is no name; `what` it is that has none.
    fn nameless(&self, what: &'static str, words: impl Into<String>) -> String {
        self.nameless.set(self.nameless.get().or(Some(what)));
        words.into()
    }

    /// The text, if all of it has a name.
    fn named(&self, text: String) -> Result<String, &'static str> {
        self.nameless.get().map_or(Ok(text), Err)
    }
}

impl Speller<'_> {
    /// A declaration of `inner` with a type, as in `int (*inner)[4]`; with an empty `inner`, the type alone.
    fn declare(&self, ty: QualifiedType, inner: String) -> String {
        let words = qualifier_words(ty.qualifiers);
        let pointed = |symbol: &str, to: QualifiedType| {
            let mut declarator = format!("{symbol}{words}{}", inner.trim_start());
            declarator.truncate(declarator.trim_end().len());
            if matches!(self.program.types.get(to.id), Type::Array(..) | Type::Function(_)) {
                declarator = format!("({declarator})");
            }
            self.declare(to, declarator)
        };
        match self.program.types.get(ty.id) {
            Type::Pointer(to) => pointed("*", *to),
            Type::LValueReference(to) => pointed("&", *to),
            Type::RValueReference(to) => pointed("&&", *to),
            Type::MemberPointer { class, pointee } => pointed(&format!("{}::*", self.class_name(*class)), *pointee),
            Type::Array(element, count) => {
                let bound = count.map_or(String::new(), |count| count.to_string());
                let space = if inner.is_empty() { " " } else { "" };
                // Bounds of arrays in arrays follow each other without a space.
                let space = if inner.ends_with(']') { "" } else { space };
                self.declare(*element, format!("{inner}{space}[{bound}]"))
            }
            Type::Function(function) => {
                let mut parameters: Vec<String> = function
                    .parameters
                    .iter()
                    .map(|&parameter| self.declare(parameter, String::new()))
                    .collect();
                if function.variadic {
                    parameters.push("...".into());
                }
                let mut declarator = format!(
                    "{inner}{}({})",
                    if inner.is_empty() { " " } else { "" },
                    parameters.join(", ")
                );
                let trailing = qualifier_words(function.qualifiers);
                if !trailing.is_empty() {
                    declarator = format!("{declarator} {}", trailing.trim_end());
                }
                match function.reference {
                    RefQualifier::None => {}
                    RefQualifier::LValue => declarator.push_str(" &"),
                    RefQualifier::RValue => declarator.push_str(" &&"),
                }
                if function.noexcept {
                    declarator.push_str(" noexcept");
                }
                self.declare(function.result, declarator)
            }
            simple => {
                let name = self.simple_name(simple);
                match inner.is_empty() {
                    true => format!("{words}{name}"),
                    false if inner.starts_with(' ') => format!("{words}{name}{inner}"),
                    false => format!("{words}{name} {inner}"),
                }
            }
        }
    }

    fn simple_name(&self, kind: &Type) -> String {
        match kind {
            Type::Error => "<error>".into(),
            Type::Auto => "auto".into(),
            Type::DecltypeAuto => "decltype(auto)".into(),
            Type::Void => "void".into(),
            Type::NullPointer => "std::nullptr_t".into(),
            Type::Bool if self.reader == Reader::Program => "__nv_bool".into(),
            Type::Bool => "bool".into(),
            Type::Integer(super::IntegerKind::WideChar) if self.reader == Reader::Program => "int".into(),
            Type::Integer(kind) => kind.spelling().into(),
            Type::Float(kind) => kind.spelling().into(),
            Type::Class(class) => self.class_name(*class),
            Type::Enum(id) => {
                let enumeration = self.program.enumeration(*id);
                let name = enumeration.name.as_ref().or(enumeration.typedef_name.as_ref());
                format!(
                    "{}{}",
                    self.scope_prefix(enumeration.scope),
                    name.map_or_else(
                        || self.nameless("an unnamed enumeration", "<unnamed enum>"),
                        |name| name.to_string()
                    )
                )
            }
            Type::Vector(element, count) => {
                let element = self.declare(element.unqualified(), String::new());
                let words = format!("{element} __attribute__((vector_size({count} elements)))");
                self.nameless("a type of vectors", words)
            }
            Type::Pointer(_)
            | Type::LValueReference(_)
            | Type::RValueReference(_)
            | Type::Array(..)
            | Type::Function(_)
            | Type::MemberPointer { .. } => String::new(),
        }
    }

    /// The name of a class with its scopes and template arguments.
    fn class_name(&self, id: ClassId) -> String {
        let class = self.program.class(id);
        format!(
            "{}{}",
            self.scope_prefix(class.scope),
            self.unqualified_class_name(class)
        )
    }

    fn unqualified_class_name(&self, class: &Class) -> String {
        let name = match class.name.as_ref().or(class.typedef_name.as_ref()) {
            Some(name) => name.to_string(),
            None if class.lambda.is_some() && self.reader == Reader::Program => self.closure(class),
            None if class.lambda.is_some() => self.nameless("the type of a lambda", "<lambda>"),
            None => {
                let words = match class.kind {
                    ClassKind::Struct => "<unnamed struct>",
                    ClassKind::Class => "<unnamed class>",
                    ClassKind::Union => "<unnamed union>",
                };
                self.nameless("an unnamed class", words)
            }
        };
        match &class.template_arguments {
            Some(arguments) => format!("{name}{}", self.template_arguments_text(arguments)),
            None => name,
        }
    }

    /// `<int, 4>`.
    fn template_arguments_text(&self, arguments: &[TemplateArgument]) -> String {
        let lists = self.lists.get();
        let most = match self.reader {
            Reader::User => SHOWN_LISTS,
            Reader::Host | Reader::Program => ALL_LISTS,
        };
        if lists == most {
            return self.nameless("too long a list of template arguments", "<…>");
        }
        self.lists.set(lists + 1);
        let mut parts = Vec::new();
        self.flatten_arguments(arguments, &mut parts);
        format!("<{}>", parts.join(", "))
    }

    fn flatten_arguments(&self, arguments: &[TemplateArgument], parts: &mut Vec<String>) {
        for argument in arguments {
            match argument {
                TemplateArgument::Type(ty) => parts.push(self.declare(*ty, String::new())),
                TemplateArgument::Value(ty, value) => parts.push(self.show_constant(*ty, value)),
                TemplateArgument::Template(template) => {
                    parts.push(format!("{}{}", self.scope_prefix(template.scope), template.name))
                }
                TemplateArgument::Pack(inner) => self.flatten_arguments(inner, parts),
            }
        }
    }

    /// A value as users would write it.
    fn show_constant(&self, ty: QualifiedType, value: &Constant) -> String {
        const VALUE: &str = "a value that no expression of few words has";
        if let (Reader::Program, Constant::Integer(number)) = (self.reader, value) {
            return self.pretty_integer(ty, *number);
        }
        match value {
            Constant::Undefined => self.nameless(VALUE, "<undefined>"),
            Constant::Integer(number) if self.reader == Reader::Host => {
                format!("({}){number}", self.declare(ty.unqualified(), String::new()))
            }
            Constant::Integer(number) => self.show_integer(ty, *number),
            Constant::Float(bits) => {
                let words = format!("<{} {bits:#x}>", self.declare(ty, String::new()));
                self.nameless(VALUE, words)
            }
            Constant::Pointer(base, offset) => {
                let base = match base {
                    ConstantBase::Absolute if *offset == 0 => return "nullptr".into(),
                    ConstantBase::Absolute => return self.nameless(VALUE, format!("{offset:#x}")),
                    ConstantBase::Variable(variable) => self.variable_name(*variable),
                    ConstantBase::Function(function) => self.function_name(*function),
                    ConstantBase::String(_) => self.nameless(VALUE, "<string>"),
                };
                match offset {
                    0 => format!("&{base}"),
                    _ => self.nameless(VALUE, format!("&{base} + {offset} bytes")),
                }
            }
            Constant::MemberOffset(None) | Constant::MemberFunction(None) => "nullptr".into(),
            Constant::MemberOffset(Some(offset)) => self.nameless(VALUE, format!("<member at {offset}>")),
            Constant::MemberFunction(Some((function, _))) => format!("&{}", self.function_name(*function)),
            Constant::Struct { .. } => match self.program.types.as_class(ty.id) {
                // A host compiler makes an aggregate of its parts.
                Some(class) if self.reader != Reader::Host || self.program.class(class).aggregate => {
                    self.show_object(class, value)
                }
                _ => self.nameless(VALUE, "{…}"),
            },
            Constant::Array(..) | Constant::Union(_) => self.nameless(VALUE, "{…}"),
        }
    }

    /// `Point{1, 2}`.
    fn show_object(&self, id: ClassId, value: &Constant) -> String {
        let Constant::Struct { bases, fields } = value else {
            return self.nameless("an object that is no struct", "{…}");
        };
        let node = self.program.class(id);
        let base_parts = node.bases.iter().zip(bases);
        let base_parts = base_parts.map(|(base, value)| self.show_object(base.class, value));
        let field_parts = node.fields.iter().zip(fields);
        let field_parts = field_parts.map(|(field, value)| self.show_constant(field.ty, value));
        let parts: Vec<String> = base_parts.chain(field_parts).collect();
        format!("{}{{{}}}", self.class_name(id), parts.join(", "))
    }

    fn show_integer(&self, ty: QualifiedType, number: i128) -> String {
        match *self.program.types.get(ty.id) {
            Type::Bool => if number == 0 { "false" } else { "true" }.into(),
            Type::Integer(super::IntegerKind::Char) if (0x20..0x7f).contains(&number) => {
                format!("'{}'", number as u8 as char)
            }
            Type::Integer(super::IntegerKind::UnsignedInt128) => (number as u128).to_string(),
            Type::Enum(id) => match self
                .program
                .enumeration(id)
                .enumerators
                .iter()
                .find(|enumerator| enumerator.value == number)
            {
                Some(enumerator) => format!("{}::{}", self.program.show(ty.unqualified()), enumerator.name),
                None => format!("({}){number}", self.program.show(ty.unqualified())),
            },
            _ => number.to_string(),
        }
    }

    /// `std::` and the like, empty for what is global.
    fn scope_prefix(&self, scope: Scope) -> String {
        match scope {
            Scope::Namespace(namespace) => self.namespace_prefix(namespace),
            Scope::Class(class) => format!("{}::", self.class_name(class)),
            Scope::Function(_) => self.nameless("a local type", ""),
        }
    }

    fn namespace_prefix(&self, id: NamespaceId) -> String {
        let namespace = self.program.namespace(id);
        let outer = match namespace.parent {
            Some(parent) => self.namespace_prefix(parent),
            None => return String::new(),
        };
        match &namespace.name {
            Some(name) => format!("{outer}{name}::"),
            // What is in it is found without.
            None if self.reader == Reader::Host => outer,
            None => format!("{outer}<unnamed>::"),
        }
    }

    /// The name of a variable with its scopes.
    fn variable_name(&self, id: VariableId) -> String {
        let variable = self.program.variable(id);
        let name = variable.name.as_deref().unwrap_or("<unnamed>");
        format!("{}{name}", self.scope_prefix(variable.scope))
    }

    /// The name of a function with its scopes and template arguments, without parameters.
    fn function_name(&self, id: FunctionId) -> String {
        let function = self.program.function(id);
        let class_part = || match function.scope {
            Scope::Class(class) => {
                let class = self.program.class(class);
                class.name.as_deref().unwrap_or("<unnamed>").to_string()
            }
            Scope::Namespace(_) | Scope::Function(_) => String::new(),
        };
        let name = match &function.name {
            FunctionName::Identifier(name) => name.to_string(),
            FunctionName::Operator(operator) => format!("operator{}", operator.spelling()),
            FunctionName::Conversion(ty) => format!("operator {}", self.declare(*ty, String::new())),
            FunctionName::Literal(suffix) => format!("operator\"\"{suffix}"),
            FunctionName::Constructor => class_part(),
            FunctionName::Destructor => format!("~{}", class_part()),
        };
        let arguments = match &function.template_arguments {
            Some(arguments) => self.template_arguments_text(arguments),
            None => String::new(),
        };
        format!("{}{name}{arguments}", self.scope_prefix(function.scope))
    }

    /// A function with its parameters: `f(int, const float *)`.
    fn function_signature(&self, id: FunctionId) -> String {
        match self.program.types.as_function(self.program.function(id).ty) {
            Some(ty) => {
                let mut ty = ty.clone();
                let name = self.function_name(id);
                ty.noexcept = false;
                let mut parameters: Vec<String> = ty
                    .parameters
                    .iter()
                    .map(|&parameter| self.declare(parameter, String::new()))
                    .collect();
                if ty.variadic {
                    parameters.push("...".into());
                }
                let words = qualifier_words(ty.qualifiers);
                let words = if words.is_empty() {
                    String::new()
                } else {
                    format!(" {}", words.trim_end())
                };
                format!("{name}({}){words}", parameters.join(", "))
            }
            None => self.function_name(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::hir::{Class, ClassKind, FunctionType, Program, Qualifiers, Scope, Span, TemplateArgument, Types};

    #[test]
    fn types_print_as_users_write_them() {
        let mut program = Program::new();
        let constant_pointer = program.types.pointer(Types::FLOAT.constant());
        let array = program.types.array(Types::INT, Some(4));
        let rows = program.types.array(array, Some(3));
        let reference = program.types.lvalue_reference(array);
        let function = program.types.function(FunctionType::new(
            Types::VOID.into(),
            vec![constant_pointer.into(), Types::INT.into()],
        ));
        let function_pointer = program.types.pointer(function);
        let functions = program.types.array(function_pointer, Some(2));
        let shown = |ty| program.show(ty).to_string();
        assert_eq!(shown(constant_pointer.unqualified()), "const float *");
        assert_eq!(
            shown(constant_pointer.constant().with(Qualifiers::RESTRICT)),
            "const float *const __restrict__"
        );
        assert_eq!(shown(array.unqualified()), "int [4]");
        assert_eq!(shown(rows.unqualified()), "int [3][4]");
        assert_eq!(shown(reference.unqualified()), "int (&)[4]");
        assert_eq!(shown(function.unqualified()), "void (const float *, int)");
        assert_eq!(shown(function_pointer.unqualified()), "void (*)(const float *, int)");
        assert_eq!(shown(functions.unqualified()), "void (*[2])(const float *, int)");
        assert_eq!(shown(Types::UNSIGNED_INT.constant()), "const unsigned int");
    }

    #[test]
    fn names_of_types_that_double_are_cut() {
        let mut program = Program::new();
        let mut argument = Types::INT.unqualified();
        for step in 0..64 {
            let name = Some(format!("S{step}").into());
            let mut class = Class::new(name, Scope::Namespace(Program::GLOBAL), ClassKind::Struct, Span::NONE);
            class.template_arguments = Some(vec![TemplateArgument::Type(argument); 2]);
            let class = program.add_class(class);
            argument = program.types.class(class).unqualified();
        }
        let text = program.show(argument).to_string();
        assert!(text.starts_with("S63<S62<S61<") && text.contains("<…>"));
        assert!(text.len() < 10_000, "{}", text.len());
    }

    #[test]
    fn references_collapse() {
        let mut program = Program::new();
        let rvalue = program.types.rvalue_reference(Types::INT);
        let lvalue = program.types.lvalue_reference(rvalue);
        assert_eq!(program.show(lvalue).to_string(), "int &");
        assert_eq!(program.types.rvalue_reference(lvalue), lvalue);
    }
}
