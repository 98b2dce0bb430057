//! Signatures and names of intrinsics from their rows.

use std::fmt::Write;

use smallvec::SmallVec;

use super::Intrinsic;
use crate::context::Context;
use crate::types::{AddressSpace, FunctionType, Type};

/// Why types do not fit the signature of an intrinsic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignatureError {
    /// The reason, a clause such as "argument 2 is i32, not i1".
    pub reason: String,
}

/// Reads the notation of the table from its left end on.
struct Notation<'a> {
    text: &'a str,
}

/// A type in the notation.
enum Piece {
    Fixed(Type),
    Slot { class: char, slot: usize },
    Structure(SmallVec<[Box<Piece>; 2]>),
}

impl Notation<'_> {
    fn eat(&mut self, character: char) -> bool {
        match self.text.strip_prefix(character) {
            Some(rest) => {
                self.text = rest;
                true
            }
            None => false,
        }
    }

    fn number(&mut self) -> Option<u32> {
        let digits = self.text.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.text.len());
        let (number, rest) = self.text.split_at(digits);
        let value = number.parse().ok()?;
        self.text = rest;
        Some(value)
    }

    /// The next type. The table is checked by a test to hold nothing else.
    fn piece(&mut self, context: &Context) -> Option<Piece> {
        if self.eat('{') {
            let mut fields = SmallVec::new();
            while !self.eat('}') {
                fields.push(Box::new(self.piece(context)?));
                self.eat(',');
            }
            return Some(Piece::Structure(fields));
        }
        let lanes = self.number();
        let class = self.text.chars().next()?;
        self.text = &self.text[class.len_utf8()..];
        let scalar = match class {
            'v' => Type::Void,
            'i' => Type::Int(self.number()?),
            'h' => Type::Half,
            'b' => Type::BFloat,
            'f' => Type::Float,
            'd' => Type::Double,
            'p' => Type::Pointer(AddressSpace(self.number().unwrap_or(0))),
            'm' => Type::Metadata,
            't' => Type::Token,
            'I' | 'F' | 'P' | 'A' | 'E' | 'B' => {
                return Some(Piece::Slot {
                    class,
                    slot: self.number()? as usize,
                });
            }
            _ => return None,
        };
        Some(Piece::Fixed(match lanes {
            Some(lanes) => context.vector(scalar, u64::from(lanes)),
            None => scalar,
        }))
    }
}

impl Piece {
    fn resolve(&self, context: &Context, overloads: &[Type]) -> Option<Type> {
        Some(match self {
            Piece::Fixed(ty) => *ty,
            Piece::Slot { class, slot } => {
                let ty = *overloads.get(*slot)?;
                match class {
                    'E' => context.scalar(ty),
                    'B' => context.like(ty, Type::BOOL),
                    _ => ty,
                }
            }
            Piece::Structure(fields) => {
                let fields: Option<Vec<Type>> = fields.iter().map(|field| field.resolve(context, overloads)).collect();
                context.structure(&fields?, false)
            }
        })
    }

    /// Takes `ty` for the slots in the piece that are still free; whether it fits.
    fn infer(&self, context: &Context, ty: Type, overloads: &mut Vec<Option<Type>>) -> bool {
        match self {
            Piece::Fixed(_) => true,
            Piece::Structure(fields) => {
                fields
                    .iter()
                    .enumerate()
                    .all(|(index, field)| match context.element(ty, index as u64) {
                        Some(element) => field.infer(context, element, overloads),
                        None => false,
                    })
            }
            Piece::Slot { class, slot } => {
                let scalar = context.scalar(ty);
                let fits = match class {
                    'I' => scalar.is_int(),
                    'F' => scalar.is_float(),
                    'P' => scalar.is_pointer(),
                    'A' => true,
                    // Follows from another type.
                    _ => return true,
                };
                if overloads.len() <= *slot {
                    overloads.resize(*slot + 1, None);
                }
                overloads[*slot].get_or_insert(ty);
                fits
            }
        }
    }
}

impl Intrinsic {
    /// The pieces of the signature: the result, then the parameters.
    fn pieces(self, context: &Context) -> Vec<Piece> {
        let mut notation = Notation {
            text: self.row().signature,
        };
        let mut pieces = Vec::new();
        pieces.extend(notation.piece(context));
        notation.eat('(');
        while !notation.eat(')') {
            let Some(piece) = notation.piece(context) else { break };
            pieces.push(piece);
            notation.eat(',');
        }
        pieces
    }

    /// How many overload slots it has.
    pub fn overload_count(self) -> usize {
        let signature = self.row().signature;
        let slots = signature
            .as_bytes()
            .windows(2)
            .filter(|pair| b"IFPA".contains(&pair[0]) && pair[1].is_ascii_digit());
        slots.map(|pair| usize::from(pair[1] - b'0') + 1).max().unwrap_or(0)
    }

    /// Its type for the types of the overload slots; `None` if there are too few.
    pub fn function_type(self, context: &Context, overloads: &[Type]) -> Option<FunctionType> {
        let types: Option<Vec<Type>> = self
            .pieces(context)
            .iter()
            .map(|piece| piece.resolve(context, overloads))
            .collect();
        let types = types?;
        let (result, parameters) = types.split_first()?;
        Some(context.function_type(*result, parameters, false))
    }

    /// The types of the overload slots for a function type.
    ///
    /// # Errors
    /// The type is none that the intrinsic can have.
    pub fn infer_overloads(self, context: &Context, ty: FunctionType) -> Result<SmallVec<[Type; 2]>, SignatureError> {
        let data = context.function_data(ty);
        let pieces = self.pieces(context);
        if pieces.len() != data.parameters.len() + 1 {
            let reason = format!(
                "{} takes {} arguments, not {}",
                self.name(),
                pieces.len().saturating_sub(1),
                data.parameters.len()
            );
            return Err(SignatureError { reason });
        }
        let types = std::iter::once(data.result).chain(data.parameters.iter().copied());
        let mut overloads = Vec::new();
        for (number, (piece, ty)) in pieces.iter().zip(types).enumerate() {
            if !piece.infer(context, ty, &mut overloads) {
                return Err(self.mismatch(number));
            }
        }
        let Some(overloads) = overloads.into_iter().collect::<Option<SmallVec<[Type; 2]>>>() else {
            return Err(self.mismatch(0));
        };
        let types = std::iter::once(data.result).chain(data.parameters.iter().copied());
        match pieces
            .iter()
            .zip(types)
            .position(|(piece, ty)| piece.resolve(context, &overloads) != Some(ty))
        {
            Some(number) => Err(self.mismatch(number)),
            None => Ok(overloads),
        }
    }

    fn mismatch(self, number: usize) -> SignatureError {
        let what = if number == 0 {
            "its result".to_owned()
        } else {
            format!("argument {number}")
        };
        SignatureError {
            reason: format!("{what} has a type that {} does not have", self.name()),
        }
    }

    /// The full name with the suffixes of its overloads, such as `llvm.ctpop.i32`.
    pub fn full_name(self, context: &Context, overloads: &[Type]) -> String {
        let mut name = self.name().to_owned();
        for &ty in overloads {
            name.push('.');
            mangle(context, ty, &mut name);
        }
        name
    }
}

/// Appends a type as it stands in names of overloaded intrinsics.
pub(crate) fn mangle(context: &Context, ty: Type, name: &mut String) {
    // Writing to a string does not fail.
    let _ = match ty {
        Type::Void => write!(name, "isVoid"),
        Type::Int(bits) => write!(name, "i{bits}"),
        Type::Half => write!(name, "f16"),
        Type::BFloat => write!(name, "bf16"),
        Type::Float => write!(name, "f32"),
        Type::Double => write!(name, "f64"),
        Type::Pointer(space) => write!(name, "p{}", space.0),
        Type::Vector(vector) => {
            let parts = context.vector_parts(vector);
            let _ = write!(name, "v{}", parts.length);
            mangle(context, parts.element, name);
            Ok(())
        }
        Type::Array(array) => {
            let parts = context.array_parts(array);
            let _ = write!(name, "a{}", parts.length);
            mangle(context, parts.element, name);
            Ok(())
        }
        Type::Struct(structure) => {
            let _ = write!(name, "sl_");
            for &field in &context.struct_data(structure).fields {
                mangle(context, field, name);
            }
            write!(name, "s")
        }
        Type::Function(_) => write!(name, "f"),
        Type::Label => write!(name, "label"),
        Type::Metadata => write!(name, "Metadata"),
        Type::Token => write!(name, "token"),
    };
}

#[cfg(test)]
mod tests {
    use super::Intrinsic;
    use crate::context::Context;
    use crate::types::{AddressSpace, Type};

    /// Types for the slots of an intrinsic with which it has a type.
    fn overloads(intrinsic: Intrinsic, context: &Context) -> Option<Vec<Type>> {
        let vector = context.vector(Type::I32, 4);
        let floats = context.vector(Type::Float, 4);
        let choices = [
            Type::I32,
            Type::Float,
            Type::POINTER,
            vector,
            floats,
            Type::Pointer(AddressSpace::GLOBAL),
        ];
        let slots = intrinsic.overload_count() as u32;
        (0..choices.len().pow(slots)).find_map(|number| {
            let types: Vec<Type> = (0..slots)
                .map(|slot| choices[number / choices.len().pow(slot) % choices.len()])
                .collect();
            let ty = intrinsic.function_type(context, &types)?;
            (intrinsic.infer_overloads(context, ty).ok()?[..] == types[..]).then_some(types)
        })
    }

    #[test]
    fn every_row_has_a_type_and_a_name_of_its_own() {
        let context = Context::new();
        for &intrinsic in Intrinsic::ALL {
            assert!(overloads(intrinsic, &context).is_some(), "{}", intrinsic.name());
            assert_eq!(Intrinsic::from_name(intrinsic.name()), Some(intrinsic));
        }
    }

    #[test]
    fn names_have_suffixes_of_their_overloads() {
        let context = Context::new();
        let pointer = Type::Pointer(AddressSpace::GLOBAL);
        assert_eq!(
            Intrinsic::Memcpy.full_name(&context, &[Type::POINTER, pointer, Type::I64]),
            "llvm.memcpy.p0.p1.i64"
        );
        let vector = context.vector(Type::Half, 2);
        assert_eq!(Intrinsic::Fma.full_name(&context, &[vector]), "llvm.fma.v2f16");
    }

    #[test]
    fn types_that_do_not_fit_are_refused() {
        let context = Context::new();
        let ty = context.function_type(Type::I32, &[Type::Float], false);
        let error = Intrinsic::Ctpop
            .infer_overloads(&context, ty)
            .map_err(|error| error.reason);
        assert_eq!(
            error,
            Err("argument 1 has a type that llvm.ctpop does not have".to_owned())
        );
    }
}
