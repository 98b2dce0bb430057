//! Names of symbols, after the Itanium C++ ABI (chapter 5.1). Entities with internal linkage are named as all others, as NVIDIA's compiler does for device code.
//!
//! A component that can be substituted is known by its *key*: its name written out without substitutions, with classes and enumerations by their numbers. Two
//! components are the same if their keys are.

mod expression;
mod name;
mod pattern;
mod unit;

pub use unit::{Unit, unnamed_namespace};

use super::{
    CallOperator, ClassId, Constant, ConstantBase, EnumId, FloatKind, FunctionId, FunctionName, FunctionType,
    IntegerKind, LanguageLinkage, OperatorName, Program, QualifiedType, Qualifiers, RefQualifier, Root, Scope,
    TemplateArgument, Type, TypeId, VariableId,
};

/// Which of the symbols of a constructor or destructor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SymbolVariant {
    /// Of complete objects: `C1`, `D1`. Of all other functions the only one.
    Complete,
    /// Of base subobjects, which leaves virtual bases alone: `C2`, `D2`.
    Base,
    /// Of a destructor that also frees: `D0`.
    Deleting,
}

/// The symbol of what a module defines.
pub fn mangle_root(program: &Program, root: Root) -> String {
    match root {
        Root::Function(id) => mangle_function(program, id, SymbolVariant::Complete),
        Root::Variable(id) => mangle_variable(program, id),
    }
}

/// The symbol of a function.
pub fn mangle_function(program: &Program, id: FunctionId, variant: SymbolVariant) -> String {
    let function = program.function(id);
    if let Some(label) = &function.label {
        return label.to_string();
    }
    if let (LanguageLinkage::C, FunctionName::Identifier(name)) = (function.language, &function.name)
        && !matches!(function.scope, Scope::Class(_))
    {
        return name.to_string();
    }
    let mut mangler = Mangler::new(program);
    mangler.out.push_str("_Z");
    mangler.encoding(id, variant);
    mangler.out
}

/// The symbol that the host's compiler gives a function: as [`mangle_function`], but for internal linkage, which is said, and for unnamed namespaces, which all
/// have one name.
pub fn mangle_host_function(program: &Program, id: FunctionId) -> String {
    let function = program.function(id);
    if function.label.is_some() || function.language == LanguageLinkage::C {
        return mangle_function(program, id, SymbolVariant::Complete);
    }
    let mut mangler = Mangler {
        for_host: true,
        ..Mangler::new(program)
    };
    mangler.out.push_str("_Z");
    mangler.encoding(id, SymbolVariant::Complete);
    mangler.out
}

/// The symbol of a variable with static storage duration.
pub fn mangle_variable(program: &Program, id: VariableId) -> String {
    let variable = program.variable(id);
    let name = variable.name.as_deref().unwrap_or_default();
    if let Some(label) = &variable.label {
        return label.to_string();
    }
    // `extern` in a block declares a variable of the namespace around; of which, is not kept: functions with such are the global one's.
    let in_block = matches!(variable.scope, Scope::Function(_)) && variable.is_extern;
    let global = in_block || matches!(variable.scope, Scope::Namespace(namespace) if namespace == Program::GLOBAL);
    let c = variable.language == LanguageLinkage::C && matches!(variable.scope, Scope::Namespace(_));
    if (global && variable.template_arguments.is_none()) || c {
        return name.to_string();
    }
    let mut mangler = Mangler::new(program);
    mangler.out.push_str("_Z");
    mangler.variable_name(id);
    mangler.out
}

/// The symbol of the virtual table of a class.
pub fn mangle_virtual_table(program: &Program, id: ClassId) -> String {
    let mut mangler = Mangler::new(program);
    mangler.out.push_str("_ZTV");
    mangler.class_type(id);
    mangler.out
}

/// The symbol of the thunk that moves `this` by `offset` bytes, then goes on to a virtual function.
pub fn mangle_thunk(program: &Program, id: FunctionId, offset: i64, variant: SymbolVariant) -> String {
    let mut mangler = Mangler::new(program);
    mangler.out.push_str("_ZTh");
    mangler.signed(i128::from(offset));
    mangler.out.push('_');
    mangler.encoding(id, variant);
    mangler.out
}

/// The symbol of the object that a template parameter of class type is: `_ZTAXtl1PLi1ELi2EEE`.
pub fn mangle_template_object(program: &Program, ty: QualifiedType, value: &Constant) -> String {
    let mut mangler = Mangler::new(program);
    mangler.out.push_str("_ZTA");
    mangler.value(ty, value);
    mangler.out
}

/// The name of a type, as `typeid` has it.
pub fn mangle_type(program: &Program, ty: QualifiedType) -> String {
    let mut mangler = Mangler::new(program);
    mangler.qualified(ty);
    mangler.out
}

/// What the parameters of a call operator add to the name of its closure: closures of a scope are numbered apart where this differs (5.1.8).
pub fn mangle_closure_parameters(program: &Program, operator: &CallOperator) -> String {
    let mut mangler = Mangler::new(program);
    mangler.closure_parameters(operator);
    mangler.out
}

/// A name being made.
struct Mangler<'a> {
    program: &'a Program,
    out: String,
    /// The keys of the components that can be substituted, in order.
    substitutions: Vec<String>,
    /// A key is being made: nothing is substituted.
    plain: bool,
    /// The name is the host's: what has internal linkage says so.
    for_host: bool,
    /// How many templates are around what the template parameters now written are of, its own included: as nvcc has it, `T_` of a member template and `T_` of a
    /// template that is no member are two components.
    level: u32,
}

impl<'a> Mangler<'a> {
    fn new(program: &'a Program) -> Mangler<'a> {
        Mangler {
            program,
            out: String::new(),
            substitutions: Vec::new(),
            plain: false,
            for_host: false,
            level: 0,
        }
    }

    /// What is written, without substitutions.
    fn key(&self, write: impl FnOnce(&mut Mangler<'a>)) -> String {
        let mut plain = Mangler {
            plain: true,
            level: self.level,
            ..Mangler::new(self.program)
        };
        write(&mut plain);
        plain.out
    }

    /// Writes a component, or refers to it where it was written before.
    fn component(&mut self, write: impl Fn(&mut Mangler<'a>)) {
        if self.plain {
            return write(self);
        }
        let key = self.key(&write);
        self.component_with_key(key, write);
    }

    fn component_with_key(&mut self, key: String, write: impl Fn(&mut Mangler<'a>)) {
        if self.plain {
            self.out.push_str(&key);
            return;
        }
        if !self.substitute(&key) {
            write(self);
            self.substitutions.push(key);
        }
    }

    fn substitute(&mut self, key: &str) -> bool {
        let Some(place) = self.substitutions.iter().position(|known| known == key) else {
            return false;
        };
        self.out.push('S');
        self.sequence(place);
        true
    }

    /// A number of a sequence: `_`, `0_`, `1_` … in base 36.
    fn sequence(&mut self, place: usize) {
        if let Some(mut rest) = place.checked_sub(1) {
            let mut digits = Vec::new();
            loop {
                digits.push(char::from(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[rest % 36]));
                rest /= 36;
                if rest == 0 {
                    break;
                }
            }
            self.out.extend(digits.iter().rev());
        }
        self.out.push('_');
    }

    /// As [`Mangler::sequence`], in base 10: of parameters, unnamed types and closures.
    fn decimal_sequence(&mut self, place: u32) {
        if let Some(rest) = place.checked_sub(1) {
            self.out.push_str(&rest.to_string());
        }
        self.out.push('_');
    }

    fn signed(&mut self, value: i128) {
        if value < 0 {
            self.out.push('n');
        }
        self.out.push_str(&value.unsigned_abs().to_string());
    }

    fn source_name(&mut self, name: &str) {
        self.out.push_str(&name.len().to_string());
        self.out.push_str(name);
    }

    fn qualifiers(&mut self, qualifiers: Qualifiers) {
        for (qualifier, letter) in [
            (Qualifiers::RESTRICT, 'r'),
            (Qualifiers::VOLATILE, 'V'),
            (Qualifiers::CONST, 'K'),
        ] {
            if qualifiers.contains(qualifier) {
                self.out.push(letter);
            }
        }
    }

    fn reference_qualifier(&mut self, reference: RefQualifier) {
        match reference {
            RefQualifier::None => {}
            RefQualifier::LValue => self.out.push('R'),
            RefQualifier::RValue => self.out.push('O'),
        }
    }

    /// A type with its qualifiers.
    fn qualified(&mut self, ty: QualifiedType) {
        if ty.qualifiers.is_empty() {
            return self.unqualified(ty.id);
        }
        self.component(|mangler| {
            mangler.qualifiers(ty.qualifiers);
            mangler.unqualified(ty.id);
        });
    }

    fn unqualified(&mut self, id: TypeId) {
        let program = self.program;
        match program.types.get(id) {
            Type::Error => self.out.push_str("u5error"),
            Type::Auto => self.out.push_str("Da"),
            Type::DecltypeAuto => self.out.push_str("Dc"),
            Type::Void => self.out.push('v'),
            Type::NullPointer => self.out.push_str("Dn"),
            Type::Bool => self.out.push('b'),
            Type::Integer(kind) => self.out.push_str(integer_code(*kind)),
            Type::Float(kind) => self.out.push_str(float_code(*kind)),
            Type::Class(class) => self.class_type(*class),
            Type::Enum(enumeration) => self.enum_type(*enumeration),
            Type::Pointer(to) => self.compound("P", *to),
            Type::LValueReference(to) => self.compound("R", *to),
            Type::RValueReference(to) => self.compound("O", *to),
            Type::Array(element, count) => {
                let bound = count.map_or(String::new(), |count| count.to_string());
                self.compound(&format!("A{bound}_"), *element);
            }
            Type::Vector(element, count) => self.compound(&format!("Dv{count}_"), element.unqualified()),
            Type::Function(function) => self.component(|mangler| mangler.function_type(function)),
            Type::MemberPointer { class, pointee } => self.component(|mangler| {
                mangler.out.push('M');
                mangler.class_type(*class);
                mangler.qualified(*pointee);
            }),
        }
    }

    fn compound(&mut self, code: &str, to: QualifiedType) {
        self.component(|mangler| {
            mangler.out.push_str(code);
            mangler.qualified(to);
        });
    }

    fn function_type(&mut self, function: &FunctionType) {
        self.qualifiers(function.qualifiers);
        if function.noexcept {
            self.out.push_str("Do");
        }
        self.out.push('F');
        self.qualified(function.result);
        self.parameters(function);
        self.reference_qualifier(function.reference);
        self.out.push('E');
    }

    fn parameters(&mut self, function: &FunctionType) {
        if function.parameters.is_empty() && !function.variadic {
            self.out.push('v');
        }
        for &parameter in &function.parameters {
            self.qualified(parameter);
        }
        if function.variadic {
            self.out.push('z');
        }
    }

    fn class_type(&mut self, id: ClassId) {
        self.component_with_key(format!("{{c{}}}", id.index()), |mangler| mangler.class_full_name(id));
    }

    fn enum_type(&mut self, id: EnumId) {
        self.component_with_key(format!("{{e{}}}", id.index()), |mangler| mangler.enum_full_name(id));
    }

    /// `I…E`.
    fn template_arguments(&mut self, arguments: &[TemplateArgument]) {
        self.out.push('I');
        for argument in arguments {
            self.template_argument(argument);
        }
        self.out.push('E');
    }

    fn template_argument(&mut self, argument: &TemplateArgument) {
        match argument {
            TemplateArgument::Type(ty) => self.qualified(*ty),
            TemplateArgument::Value(ty, value) => self.value(*ty, value),
            TemplateArgument::Template(template) => self.template_name(template.scope, &template.name),
            TemplateArgument::Pack(arguments) => {
                self.out.push('J');
                for argument in arguments {
                    self.template_argument(argument);
                }
                self.out.push('E');
            }
        }
    }

    /// The data member that a pointer to a member of this type points to, by its offset.
    fn member_at(&self, ty: QualifiedType, offset: i64) -> Option<(ClassId, &'a str)> {
        let program = self.program;
        let Type::MemberPointer { class, pointee } = *program.types.get(ty.id) else {
            return None;
        };
        let node = program.class(class);
        let mut places = node.fields.iter().zip(&node.layout.field_offsets);
        let (field, _) = places.find(|(field, at)| {
            field.bit_width.is_none() && i64::try_from(**at) == Ok(offset) && field.ty == pointee
        })?;
        Some((class, field.name.as_deref()?))
    }

    /// A literal, the address of an entity, or an object of a class: `Xtl1PLi1ELi2EEE`.
    fn value(&mut self, ty: QualifiedType, value: &Constant) {
        match value {
            Constant::Struct { .. } | Constant::Union(_) | Constant::Array(..) => {
                self.out.push('X');
                self.part(ty, value);
                self.out.push('E');
            }
            Constant::Pointer(base @ (ConstantBase::Variable(_) | ConstantBase::Function(_)), _) => {
                let reference = self.program.types.is_reference(ty.id);
                self.out.push_str(if reference { "L_Z" } else { "XadL_Z" });
                match *base {
                    ConstantBase::Function(function) => self.encoding(function, SymbolVariant::Complete),
                    ConstantBase::Variable(variable) => self.variable_name(variable),
                    ConstantBase::Absolute | ConstantBase::String(_) => {}
                }
                self.out.push_str(if reference { "E" } else { "EE" });
            }
            Constant::MemberFunction(Some((function, _))) => {
                self.out.push_str("XadL_Z");
                self.encoding(*function, SymbolVariant::Complete);
                self.out.push_str("EE");
            }
            // nvcc spells no value here (others `LDn0E`).
            _ if matches!(self.program.types.get(ty.id), Type::NullPointer) => self.out.push_str("LDnE"),
            Constant::MemberOffset(Some(offset)) if self.member_at(ty, *offset).is_some() => {
                if let Some((class, member)) = self.member_at(ty, *offset) {
                    self.out.push_str("XadL_Z");
                    self.name(
                        Scope::Class(class),
                        Qualifiers::NONE,
                        RefQualifier::None,
                        name::Arguments::None,
                        &|mangler: &mut Mangler<'a>| mangler.source_name(member),
                    );
                    self.out.push_str("EE");
                }
            }
            Constant::Float(bits) => {
                self.out.push('L');
                self.unqualified(ty.id);
                let digits = match self.program.types.get(ty.id) {
                    Type::Float(kind) => kind.bits() as usize / 4,
                    _ => 16,
                };
                self.out.push_str(&format!("{bits:0digits$x}E"));
            }
            Constant::Undefined
            | Constant::Integer(_)
            | Constant::Pointer(ConstantBase::Absolute | ConstantBase::String(_), _)
            | Constant::MemberOffset(_)
            | Constant::MemberFunction(None) => {
                let number = match value {
                    Constant::Integer(number) => *number,
                    Constant::Pointer(_, address) => i128::from(*address),
                    Constant::MemberOffset(Some(offset)) => i128::from(*offset),
                    _ => 0,
                };
                self.out.push('L');
                self.unqualified(ty.id);
                match *self.program.types.get(ty.id) {
                    Type::Integer(IntegerKind::UnsignedInt128) => self.out.push_str(&(number as u128).to_string()),
                    _ => self.signed(number),
                }
                self.out.push('E');
            }
        }
    }
}

impl<'a> Mangler<'a> {
    /// An object or a part of one as an expression. nvcc spells all parts, those that are zero as well.
    fn part(&mut self, ty: QualifiedType, value: &Constant) {
        let program = self.program;
        match value {
            Constant::Struct { .. } | Constant::Union(_) => {
                if let Some(class) = program.types.as_class(ty.id) {
                    self.object(class, value);
                }
            }
            Constant::Array(elements, rest) => {
                self.out.push_str("tl");
                self.unqualified(ty.id);
                if let Type::Array(element, count) = *program.types.get(ty.id) {
                    let more = rest.iter().map(|rest| &**rest).cycle();
                    let count = count.unwrap_or(elements.len() as u64) as usize;
                    for value in elements.iter().chain(more).take(count) {
                        self.part(element, value);
                    }
                }
                self.out.push('E');
            }
            scalar => {
                let start = self.out.len();
                self.value(ty, scalar);
                // In an expression an address is one by itself.
                if self.out[start..].starts_with('X') {
                    self.out.remove(start);
                    self.out.pop();
                }
            }
        }
    }

    /// An object of a class: `tl1PLi1ELi2EE`.
    fn object(&mut self, class: ClassId, value: &Constant) {
        let node = self.program.class(class);
        self.out.push_str("tl");
        self.class_type(class);
        match value {
            Constant::Struct { bases, fields } => {
                for (base, value) in node.bases.iter().zip(bases) {
                    self.object(base.class, value);
                }
                for (field, value) in node.fields.iter().zip(fields) {
                    self.part(field.ty, value);
                }
            }
            Constant::Union(Some((index, value))) => {
                if let Some(field) = node.fields.get(index.index()) {
                    self.out.push_str("di");
                    self.source_name(field.name.as_deref().unwrap_or_default());
                    self.part(field.ty, value);
                }
            }
            _ => {}
        }
        self.out.push('E');
    }
}

#[rustfmt::skip]
const fn integer_code(kind: IntegerKind) -> &'static str {
    use IntegerKind as K;
    match kind {
        K::Char => "c", K::SignedChar => "a", K::UnsignedChar => "h", K::WideChar => "w", K::Char8 => "Du", K::Char16 => "Ds", K::Char32 => "Di",
        K::Short => "s", K::UnsignedShort => "t", K::Int => "i", K::UnsignedInt => "j", K::Long => "l", K::UnsignedLong => "m",
        K::LongLong => "x", K::UnsignedLongLong => "y", K::Int128 => "n", K::UnsignedInt128 => "o",
    }
}

#[rustfmt::skip]
const fn float_code(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::Half => "DF16_", FloatKind::BFloat16 => "DF16b", FloatKind::Float => "f", FloatKind::Double => "d", FloatKind::LongDouble => "e",
        FloatKind::Float128 => "g",
    }
}

/// The code of an operator; `operands` counts the object.
#[rustfmt::skip]
const fn operator_code(operator: OperatorName, operands: usize) -> &'static str {
    use OperatorName as O;
    match operator {
        O::New => "nw", O::NewArray => "na", O::Delete => "dl", O::DeleteArray => "da",
        O::Plus => if operands == 1 { "ps" } else { "pl" },
        O::Minus => if operands == 1 { "ng" } else { "mi" },
        O::Star => if operands == 1 { "de" } else { "ml" },
        O::Ampersand => if operands == 1 { "ad" } else { "an" },
        O::Slash => "dv", O::Percent => "rm", O::Caret => "eo", O::Pipe => "or", O::Tilde => "co", O::Exclaim => "nt", O::Equal => "aS",
        O::Less => "lt", O::Greater => "gt", O::PlusEqual => "pL", O::MinusEqual => "mI", O::StarEqual => "mL", O::SlashEqual => "dV",
        O::PercentEqual => "rM", O::CaretEqual => "eO", O::AmpersandEqual => "aN", O::PipeEqual => "oR",
        O::ShiftLeft => "ls", O::ShiftRight => "rs", O::ShiftLeftEqual => "lS", O::ShiftRightEqual => "rS",
        O::EqualEqual => "eq", O::ExclaimEqual => "ne", O::LessEqual => "le", O::GreaterEqual => "ge", O::Spaceship => "ss",
        O::AmpersandAmpersand => "aa", O::PipePipe => "oo", O::PlusPlus => "pp", O::MinusMinus => "mm", O::Comma => "cm",
        O::ArrowStar => "pm", O::Arrow => "pt", O::Call => "cl", O::Subscript => "ix",
    }
}

#[cfg(test)]
mod tests;
