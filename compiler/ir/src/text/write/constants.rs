//! Types and constants in the text.

use std::fmt::Write;

use warpsmith_numerics::convert::{Modifiers, float_to_float};
use warpsmith_numerics::format::{BF16, F16, F32, F64};

use super::names::{escaped, quoted_name};
use crate::attributes::ParameterAttributes;
use crate::constant::{Constant, ConstantExpression, ConstantId};
use crate::context::Context;
use crate::instruction::GepFlags;
use crate::module::{Declaration, Symbols};
use crate::text::Dialect;
use crate::types::{AddressSpace, Type};

/// What the text of a type or constant depends on.
#[derive(Clone, Copy)]
pub(crate) struct Terms<'a> {
    pub(crate) context: &'a Context,
    /// For names of variables and functions; without, their numbers are shown.
    pub(crate) symbols: Option<&'a Symbols>,
    pub(crate) dialect: Dialect,
}

impl Terms<'_> {
    pub(crate) fn pointer_type(&self, space: AddressSpace) -> String {
        self.pointer_to("i8", space)
    }

    /// The type of a pointer to a type of that text; in the modern dialect that does not show.
    pub(crate) fn pointer_to(&self, pointee: &str, space: AddressSpace) -> String {
        match (self.dialect, space) {
            (Dialect::Modern, AddressSpace::GENERIC) => "ptr".to_owned(),
            (Dialect::Modern, AddressSpace(number)) => format!("ptr addrspace({number})"),
            (Dialect::Llvm7, AddressSpace::GENERIC) => format!("{pointee}*"),
            (Dialect::Llvm7, AddressSpace(number)) => format!("{pointee} addrspace({number})*"),
        }
    }

    pub(crate) fn ty(&self, ty: Type) -> String {
        match ty {
            Type::Void => "void".to_owned(),
            Type::Int(bits) => format!("i{bits}"),
            Type::Half => "half".to_owned(),
            Type::BFloat => "bfloat".to_owned(),
            Type::Float => "float".to_owned(),
            Type::Double => "double".to_owned(),
            Type::Pointer(space) => self.pointer_type(space),
            Type::Vector(vector) => {
                let parts = self.context.vector_parts(vector);
                format!("<{} x {}>", parts.length, self.ty(parts.element))
            }
            Type::Array(array) => {
                let parts = self.context.array_parts(array);
                format!("[{} x {}]", parts.length, self.ty(parts.element))
            }
            Type::Struct(structure) => {
                let data = self.context.struct_data(structure);
                let fields: Vec<String> = data.fields.iter().map(|&field| self.ty(field)).collect();
                let (open, close) = if data.packed { ("<{", "}>") } else { ("{", "}") };
                if fields.is_empty() {
                    format!("{open}{close}")
                } else {
                    format!("{open} {} {close}", fields.join(", "))
                }
            }
            Type::Function(function) => {
                let data = self.context.function_data(function);
                let mut parameters: Vec<String> = data.parameters.iter().map(|&parameter| self.ty(parameter)).collect();
                if data.variadic {
                    parameters.push("...".to_owned());
                }
                format!("{} ({})", self.ty(data.result), parameters.join(", "))
            }
            Type::Label => "label".to_owned(),
            Type::Metadata => "metadata".to_owned(),
            Type::Token => "token".to_owned(),
        }
    }

    /// A constant with its type.
    pub(crate) fn typed(&self, id: ConstantId) -> String {
        format!("{} {}", self.ty(self.context.constant_type(id)), self.constant(id))
    }

    /// A constant without its type.
    pub(crate) fn constant(&self, id: ConstantId) -> String {
        match self.context.constant(id) {
            Constant::Int(value) if value.bits() == 1 => if value.is_zero() { "false" } else { "true" }.to_owned(),
            Constant::Int(value) => value.to_string(),
            Constant::Float { ty, bits } => float(*ty, *bits),
            Constant::Null(_) => "null".to_owned(),
            Constant::Zero(_) => "zeroinitializer".to_owned(),
            Constant::Undef(_) => "undef".to_owned(),
            Constant::Poison(_) => if self.dialect == Dialect::Llvm7 {
                "undef"
            } else {
                "poison"
            }
            .to_owned(),
            Constant::Aggregate { ty, elements } => {
                let elements: Vec<String> = elements.iter().map(|&element| self.typed(element)).collect();
                let elements = elements.join(", ");
                match ty {
                    Type::Vector(_) => format!("<{elements}>"),
                    Type::Array(_) => format!("[{elements}]"),
                    Type::Struct(structure) if self.context.struct_data(*structure).packed => {
                        format!("<{{ {elements} }}>")
                    }
                    _ => format!("{{ {elements} }}"),
                }
            }
            Constant::Bytes { bytes, .. } => format!("c\"{}\"", escaped(bytes)),
            Constant::Global { global, space } => {
                let variable = self.symbols.and_then(|symbols| symbols.globals.get(*global));
                let name = variable.map(|variable| (&variable.name, self.ty(variable.ty)));
                self.symbol(name, &global.to_string(), *space)
            }
            Constant::Function(function) => {
                let declaration = self.symbols.and_then(|symbols| symbols.functions.get(*function));
                let name = declaration.map(|declaration| (&declaration.name, self.declared_type(declaration)));
                self.symbol(name, &function.to_string(), AddressSpace::GENERIC)
            }
            Constant::Alias { alias, space } => {
                let alias_data = self.symbols.and_then(|symbols| symbols.aliases.get(*alias));
                let name = alias_data.map(|alias| (&alias.name, self.ty(alias.ty)));
                self.symbol(name, &alias.to_string(), *space)
            }
            Constant::Block { function, block } => {
                let declaration = self.symbols.and_then(|symbols| symbols.functions.get(*function));
                let name =
                    declaration.map_or_else(|| function.to_string(), |declaration| quoted_name(&declaration.name));
                format!("blockaddress(@{name}, %{block})")
            }
            Constant::Expression(expression) => self.expression(expression),
            Constant::Metadata(text) => text.to_string(),
            Constant::NoToken => "none".to_owned(),
        }
    }

    /// The type of a parameter: in the old dialect a pointer to what is passed by value.
    pub(super) fn parameter_type(&self, ty: Type, attributes: &ParameterAttributes) -> String {
        match (ty, attributes.byval.or(attributes.sret)) {
            (Type::Pointer(space), Some(pointee)) => self.pointer_to(&self.ty(pointee), space),
            _ => self.ty(ty),
        }
    }

    /// The type of a function as its declaration has it.
    fn declared_type(&self, declaration: &Declaration) -> String {
        let data = self.context.function_data(declaration.ty);
        let parameters = data.parameters.iter().zip(&declaration.parameters);
        let mut parameters: Vec<String> = parameters
            .map(|(&ty, attributes)| self.parameter_type(ty, attributes))
            .collect();
        if data.variadic {
            parameters.push("...".to_owned());
        }
        format!("{} ({})", self.ty(data.result), parameters.join(", "))
    }

    /// A name, of something of that type.
    fn symbol(&self, known: Option<(&String, String)>, number: &str, space: AddressSpace) -> String {
        let Some((name, ty)) = known else {
            return format!("@{number}");
        };
        let name = quoted_name(name);
        match self.dialect {
            Dialect::Llvm7 if ty != "i8" => {
                format!(
                    "bitcast ({} @{name} to {})",
                    self.pointer_to(&ty, space),
                    self.pointer_type(space)
                )
            }
            Dialect::Llvm7 | Dialect::Modern => format!("@{name}"),
        }
    }

    fn expression(&self, expression: &ConstantExpression) -> String {
        match expression {
            ConstantExpression::Gep {
                flags,
                source,
                base,
                indices,
            } => {
                let indices = indices.iter().fold(String::new(), |mut text, &index| {
                    let _ = write!(text, ", {}", self.typed(index));
                    text
                });
                let flags = self.gep_flags(*flags);
                let source_text = self.ty(*source);
                if self.dialect == Dialect::Modern || *source == Type::I8 {
                    return format!("getelementptr{flags} ({source_text}, {}{indices})", self.typed(*base));
                }
                // Offsets of bytes are all that the context makes; others are brought to the type that they step over.
                let space = self
                    .context
                    .constant_type(*base)
                    .address_space()
                    .unwrap_or(AddressSpace::GENERIC);
                let pointer = self.pointer_to(&source_text, space);
                let base = format!("bitcast ({} to {pointer})", self.typed(*base));
                let inner = format!("getelementptr{flags} ({source_text}, {pointer} {base}{indices})");
                let element = self.pointer_to(&self.ty(self.stepped(*source, indices_of(expression))), space);
                format!("bitcast ({element} {inner} to {})", self.pointer_type(space))
            }
            ConstantExpression::Cast { op, operand, ty } => {
                format!("{op} ({} to {})", self.typed(*operand), self.ty(*ty))
            }
            ConstantExpression::Binary { op, left, right } => {
                format!("{op} ({}, {})", self.typed(*left), self.typed(*right))
            }
        }
    }

    pub(crate) fn gep_flags(&self, flags: GepFlags) -> String {
        match self.dialect {
            Dialect::Llvm7 if flags.contains(GepFlags::INBOUNDS) => " inbounds".to_owned(),
            Dialect::Llvm7 => String::new(),
            Dialect::Modern if flags.contains(GepFlags::INBOUNDS) => flags
                .without(GepFlags::NO_UNSIGNED_SIGNED_WRAP)
                .to_string_with_inbounds(),
            Dialect::Modern => flags.to_string(),
        }
    }

    /// The type that constant indices after the first lead to.
    fn stepped(&self, source: Type, indices: &[ConstantId]) -> Type {
        indices.iter().skip(1).fold(source, |ty, &index| {
            let number = match self.context.constant(index) {
                Constant::Int(value) => value.to_u64().unwrap_or(0),
                _ => 0,
            };
            match ty {
                Type::Array(array) => self.context.array_parts(array).element,
                other => self.context.element(other, number).unwrap_or(Type::I8),
            }
        })
    }
}

fn indices_of(expression: &ConstantExpression) -> &[ConstantId] {
    match expression {
        ConstantExpression::Gep { indices, .. } => indices,
        ConstantExpression::Cast { .. } | ConstantExpression::Binary { .. } => &[],
    }
}

impl GepFlags {
    /// `inbounds` implies `nusw`, which is then not written.
    fn to_string_with_inbounds(self) -> String {
        format!(
            " inbounds{}",
            if self.contains(GepFlags::NO_UNSIGNED_WRAP) {
                " nuw"
            } else {
                ""
            }
        )
    }
}

/// The bits of a `float` as those of the `double` of the same value; a NaN keeps its payload, as the notation of LLVM wants.
pub(crate) fn widened(bits: u64) -> u64 {
    let (sign, exponent, mantissa) = (bits >> 31 & 1, bits >> 23 & 0xff, bits & 0x7f_ffff);
    if exponent == 0xff {
        return sign << 63 | 0x7ff << 52 | mantissa << 29;
    }
    float_to_float(F32, F64, Modifiers::default(), bits)
}

fn float(ty: Type, bits: u64) -> String {
    match ty {
        Type::Half => match decimal(float_to_float(F16, F64, Modifiers::default(), bits)) {
            Some(text) if bits & 0x7c00 != 0x7c00 => text,
            _ => format!("0xH{bits:04X}"),
        },
        Type::BFloat => match decimal(float_to_float(BF16, F64, Modifiers::default(), bits)) {
            Some(text) if bits & 0x7f80 != 0x7f80 => text,
            _ => format!("0xR{bits:04X}"),
        },
        Type::Float => decimal(widened(bits)).unwrap_or_else(|| format!("0x{:016X}", widened(bits))),
        _ => decimal(bits).unwrap_or_else(|| format!("0x{bits:016X}")),
    }
}

/// A double with seven digits, if those say all of it.
fn decimal(bits: u64) -> Option<String> {
    let value = f64::from_bits(bits);
    let text = format!("{value:.6e}");
    let (mantissa, exponent) = text.split_once('e')?;
    let exponent: i32 = exponent.parse().ok()?;
    let text = format!(
        "{mantissa}e{}{:02}",
        if exponent < 0 { '-' } else { '+' },
        exponent.abs()
    );
    let same = text.parse::<f64>().is_ok_and(|read| read.to_bits() == bits);
    (same && value.is_finite()).then_some(text)
}
