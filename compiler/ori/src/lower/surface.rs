//! Surfaces by handle: `suld`, `sust`, `sured`. (Which instructions: observed, ptxas 13.0.88.)

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O};
use warpsmith_target::Isa;

use super::{
    Lowered, Lowering, UNSUPPORTED,
    memory::{Scope, Strength, ordered, size_text},
    texture::Handle,
    variables::unsupported,
};
use crate::{
    ir::Register,
    select::{Request, Source, Value},
};

fn boundary(variant: &Variant) -> Lowered<&'static str> {
    match variant.slot("mode") {
        Some(M::Trap) => Ok("TRAP"),
        Some(M::Clamp) => Ok(""),
        Some(M::Zero) => Ok("IGN"),
        _ => Err(UNSUPPORTED),
    }
}

impl Lowering<'_> {
    /// The surface, and its coordinates in the machine's order: the layer last.
    fn spot(&mut self, variant: &Variant, operand: &Operand) -> Lowered<(Handle, &'static str, Register)> {
        let Operand::Bracket(range) = operand else {
            return Err(UNSUPPORTED);
        };
        let inner = self.parts(*range);
        let [handle, place] = &inner[..] else {
            return Err(UNSUPPORTED);
        };
        let found = variant.modifiers.iter().flatten().find_map(|modifier| {
            Some(match modifier {
                M::N1d => ("1D", 1, false),
                // ptxas takes .4d and .5d as lines of linear memory and layers of lines. (Observed, ptxas 13.0.88.)
                M::N4d => ("1D_BUFFER", 1, false),
                M::N5d => ("1D_ARRAY", 1, true),
                M::N2d => ("2D", 2, false),
                M::N3d => ("3D", 3, false),
                M::A1d => ("1D_ARRAY", 1, true),
                M::A2d => ("2D_ARRAY", 2, true),
                _ => return None,
            })
        });
        let (dimension, count, layered) = found.ok_or(UNSUPPORTED)?;
        let elements = match place {
            Operand::Vector(range) => self.parts(*range).to_vec(),
            operand => vec![*operand],
        };
        let first = usize::from(layered);
        let mut words: Vec<Source> = Vec::new();
        for index in 0..count {
            // ptxas takes one register in place of several: the others are undefined.
            words.push(match elements.get(first + index) {
                Some(element) => self.source(Some(element), Type::U32)?,
                None => Value::Zero.into(),
            });
        }
        if layered {
            words.push(self.source(elements.first(), Type::U32)?);
        }
        let handle = self.handle(handle)?;
        Ok((handle, dimension, self.row_of(&words)?))
    }

    /// The instruction with its handle: `names` before sm_90, of it, and later.
    fn on_surface(&mut self, request: Request, handle: Handle, names: [&'static str; 3]) -> Lowered {
        let isa = self.function.isa();
        if isa < Isa::Sm90 {
            let low = self.row_of(&[handle.low()])?;
            return self.emit(request.form(names[0]).at(F::Rc, low));
        }
        self.with_uniform_handle(handle, |this, pair| {
            let request = request.at(F::URe, pair);
            this.emit(if isa == Isa::Sm90 {
                request.form(names[1]).number(F::Imm, 0)
            } else {
                request.form(names[2])
            })
        })
    }

    pub(super) fn surface_load(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [to, place] = operands else {
            return Err(UNSUPPORTED);
        };
        let of = variant.types().last().ok_or(UNSUPPORTED)?;
        let targets = self.elements(Some(to))?;
        let vector = variant.has(M::V2) || variant.has(M::V4);
        if !vector && targets.len() > 1 {
            return unsupported("a vector without .v2 or .v4");
        }
        let (handle, dimension, at) = self.spot(variant, place)?;
        let bytes = of.bits() / 8 * targets.len() as u32;
        let data = self.temporary(bytes.div_ceil(4).max(1) as u8);
        let request = Request::new(O::Suld)
            .flag(F::ByteAddress, true)
            .text(F::Dimension, dimension)
            .text(F::Size, size_text(bytes, of)?)
            .text(F::Clamp, boundary(variant)?)
            .to(data)
            .at(F::Ra, at);
        let request = ordered(request, self.function.isa(), Strength::Strong(Scope::Cta));
        self.on_surface(request, handle, ["D.R_A_R", "D.R_A_UR_I", "D.R_A_UR"])?;
        self.scatter(&targets, of, data)
    }

    pub(super) fn surface_store(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [place, from] = operands else {
            return Err(UNSUPPORTED);
        };
        let of = variant.types().last().ok_or(UNSUPPORTED)?;
        let values: Vec<Operand> = match from {
            Operand::Vector(range) => self.parts(*range).to_vec(),
            operand => vec![*operand],
        };
        let count = if variant.has(M::V4) {
            4
        } else if variant.has(M::V2) {
            2
        } else {
            1
        };
        if values.len() != count {
            return unsupported("a vector of another length");
        }
        let (handle, dimension, at) = self.spot(variant, place)?;
        let isa = self.function.isa();
        let request = Request::new(O::Sust)
            .text(F::Dimension, dimension)
            .text(F::Clamp, boundary(variant)?)
            .at(F::Ra, at);
        let request = ordered(request, isa, Strength::Strong(Scope::Cta));
        if variant.opcode == Opcode::SustP {
            let data = self.listed(Some(from), Type::B32)?;
            let mask = [1, 3, 15][count / 2];
            let request = request.at(F::Rb, data).number(F::ComponentMask, mask);
            return self.on_surface(request, handle, ["P.A_R_R", "P.A_R_UR_I", "P.A_R_UR"]);
        }
        let data = self.packed(&values, of)?;
        let bytes = of.bits() / 8 * count as u32;
        let unsigned = match bytes {
            1 => Type::B8,
            2 => Type::B16,
            _ => Type::B32,
        };
        let request = request
            .flag(F::ByteAddress, true)
            .text(F::Size, size_text(bytes, unsigned)?)
            .at(F::Rb, data);
        self.on_surface(request, handle, ["D.A_R_R", "D.A_R_UR_I", "D.A_R_UR"])
    }

    pub(super) fn surface_reduction(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [place, from] = operands else {
            return Err(UNSUPPORTED);
        };
        let of = variant.types().last().ok_or(UNSUPPORTED)?;
        let names = variant.modifiers.iter().flatten().map(|modifier| modifier.name());
        let operation = { names }.find_map(|name| {
            Some(match name {
                "add" => "ADD",
                "min" => "MIN",
                "max" => "MAX",
                "and" => "AND",
                "or" => "OR",
                _ => return None,
            })
        });
        let by_byte = variant.opcode == Opcode::SuredB;
        let kind = match (by_byte, of) {
            (false, of) if of.bits() == 32 => "SD32",
            (false, _) => "SD64",
            (true, Type::S32) => "S32",
            (true, Type::S64) => "S64",
            (true, of) if of.bits() == 64 => "U64",
            (true, _) => "",
        };
        let data = self.in_register(Some(from), of)?;
        let (handle, dimension, at) = self.spot(variant, place)?;
        let request = Request::new(O::Sured)
            .flag(F::ByteAddress, by_byte)
            .text(F::Dimension, dimension)
            .text(F::Operation, operation.ok_or(UNSUPPORTED)?)
            .text(F::Type, kind)
            .text(F::Clamp, boundary(variant)?)
            .at(F::Ra, at)
            .at(F::Rb, data);
        let request = ordered(request, self.function.isa(), Strength::Strong(Scope::System));
        self.on_surface(request, handle, ["D.A_R_R", "D.A_R_UR_I", "D.A_R_UR"])
    }
}
