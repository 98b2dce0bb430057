//! Moves of matrices between registers and shared memory, and across a warp: `ldmatrix`, `stmatrix`, `movmatrix`. (Which instruction: observed, ptxas
//! 13.0.88.)

use warpsmith_ptx::{
    instruction::Variant,
    module::{Address, AddressBase, Operand},
    table::{Modifier as M, Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    memory::{Space, says, space_of},
    variables::unsupported,
};
use crate::select::{Request, Word};

impl Lowering<'_> {
    pub(super) fn move_matrix(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        match (variant.opcode, operands) {
            (Opcode::Movmatrix, [to, from]) => {
                let from = self.in_register(Some(from), Type::B32)?;
                let to = self.destination(Some(to))?;
                self.emit(transposition().to(to).at(F::Ra, from))
            }
            (Opcode::Ldmatrix, [to, Operand::Address(address)]) => {
                let (place, offset) = self.shared_place(variant, address)?;
                let count = number_of(variant)? * if says(variant, "m16n16") { 2 } else { 1 };
                let data = self.temporary(count as u8);
                let request = Request::new(O::Ldsm)
                    .form("R_A")
                    .weak(true)
                    .to(data)
                    .at(F::Ra, place)
                    .number(F::Offset, offset as u64);
                self.emit(described(request, variant)?)?;
                self.deliver_list(Some(to), Type::B32, data)
            }
            (Opcode::Stmatrix, [Operand::Address(address), from]) => {
                let data = self.listed(Some(from), Type::B32)?;
                let (place, offset) = self.shared_place(variant, address)?;
                let request = Request::new(O::Stsm)
                    .form("A_R")
                    .weak(true)
                    .at(F::Ra, place)
                    .at(F::Rb, data)
                    .number(F::Offset, offset as u64);
                self.emit(described(request, variant)?)
            }
            _ => Err(UNSUPPORTED),
        }
    }

    /// An address in shared memory, which the instruction may give as a generic one.
    pub(super) fn shared_place(&mut self, variant: &Variant, address: &Address) -> Lowered<(Word, i64)> {
        match space_of(variant)? {
            space @ (Space::Shared | Space::Cluster) => self.locate(space, address),
            Space::Generic => self.generic_in_shared(address),
            Space::Global | Space::Local | Space::Constant | Space::Parameter => unsupported("this space"),
        }
    }

    /// A generic address that is known to be in shared memory. Its low word is the address there, but for where the window starts.
    pub(super) fn generic_in_shared(&mut self, address: &Address) -> Lowered<(Word, i64)> {
        if let AddressBase::Variable(variable) = address.base
            && self.module.variables[variable.0 as usize].space == warpsmith_ptx::module::Space::Shared
        {
            return self.locate(Space::Shared, address);
        }
        let (base, offset) = self.locate(Space::Generic, address)?;
        let high = Word {
            word: base.word + 1,
            ..base
        };
        let place = self.change_space(Space::Shared, false, [base.into(), high.into()])?;
        Ok((place.word(0), offset))
    }
}

/// `MOVM`, which exchanges rows and columns of a matrix of 8 times 8 halves.
pub(super) fn transposition() -> Request {
    Request::new(O::Movm)
        .form("R_R")
        .text(F::Element, "16")
        .text(F::Shape, "MT88")
}

fn number_of(variant: &Variant) -> Lowered<u32> {
    match variant.slot("num").map(M::name) {
        Some("x1") => Ok(1),
        Some("x2") => Ok(2),
        Some("x4") => Ok(4),
        _ => Err(UNSUPPORTED),
    }
}

/// With the modifiers that say shape, element and number.
fn described(request: Request, variant: &Variant) -> Lowered<Request> {
    let element = if says(variant, "b6x16_p32") {
        "U6x16P32TO8"
    } else if says(variant, "b4x16_p64") {
        "U4x16P64TO8"
    } else if says(variant, "m8n8") {
        "16"
    } else {
        "8"
    };
    let shape = match (variant.opcode, says(variant, "trans")) {
        (Opcode::Stmatrix, _) if says(variant, "m16n8") => "MT168",
        (_, true) if says(variant, "m8n8") => "MT88",
        (_, false) if says(variant, "m8n8") => "M88",
        _ if says(variant, "m16n16") => "MT1616",
        _ if says(variant, "m8n16") => "M816",
        _ => return Err(UNSUPPORTED),
    };
    let count = match number_of(variant)? {
        1 => "",
        2 => "2",
        _ => "4",
    };
    Ok(request
        .text(F::Element, element)
        .text(F::Shape, shape)
        .text(F::Count, count))
}
