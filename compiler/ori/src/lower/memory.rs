//! Loads and stores.

use warpsmith_ptx::{
    instruction::Variant,
    module::{Address, AddressBase, Operand, OperandRange},
    table::{Modifier as M, Opcode, Type, TypeKind},
};
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{Lowered, Lowering, UNSUPPORTED, operand::is_signed, words};
use crate::{
    ir::Register,
    select::{Request, Value},
};

/// The space that an instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    Generic,
    Global,
    Shared,
    Local,
    Parameter,
}

impl Lowering<'_> {
    /// Loads, stores, and address conversions.
    pub(super) fn memory(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        Some(match variant.opcode {
            Opcode::Ld => self.load(variant, operands),
            Opcode::St => self.store(variant, operands),
            Opcode::Cvta | Opcode::CvtaTo => self.convert_address(variant, operands),
            _ => return None,
        })
    }

    /// Global addresses are generic addresses.
    fn convert_address(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        if !variant.has(M::Global) {
            return Err(UNSUPPORTED);
        }
        let to = self.destination(operands.first())?;
        for word in 0..2 {
            let source = self.word(operands.get(1), Type::U64, word)?;
            self.emit(Request::new(O::Mov).to(to.word(word)).from(source))?;
        }
        Ok(())
    }

    fn load(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = variant.types().last().ok_or(UNSUPPORTED)?;
        let Some(Operand::Address(address)) = operands.get(1) else {
            return Err(UNSUPPORTED);
        };
        let targets = self.elements(operands.first())?;
        let space = space_of(variant)?;
        if space == Space::Parameter {
            return self.load_parameter(&targets, of, address);
        }
        let bytes = of.bits().div_ceil(8) * targets.len() as u32;
        let data = self.gathered(&targets, of);
        let request = self.access(space, address, true)?;
        self.emit(request.to(data).text(F::Size, size_text(bytes, of)?))?;
        self.scatter(&targets, of, data)
    }

    fn store(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = variant.types().last().ok_or(UNSUPPORTED)?;
        let Some(Operand::Address(address)) = operands.first() else {
            return Err(UNSUPPORTED);
        };
        let space = space_of(variant)?;
        let values: Vec<Operand> = match operands.get(1) {
            Some(Operand::Vector(range)) => self.list(*range).to_vec(),
            Some(operand) => vec![*operand],
            None => return Err(UNSUPPORTED),
        };
        let bytes = of.bits().div_ceil(8) * values.len() as u32;
        let data = if let [value] = values[..] {
            self.in_register(Some(&value), of)?
        } else {
            if of.bits() < 32 {
                return Err(UNSUPPORTED);
            }
            let data = self.temporary(words(of) * values.len() as u8);
            for (index, value) in values.iter().enumerate() {
                for word in 0..words(of) {
                    let source = self.word(Some(value), of, word)?;
                    let to = data.word(index as u8 * words(of) + word);
                    self.emit_bare(Request::new(O::Mov).to(to).from(source))?;
                }
            }
            data
        };
        let request = self.access(space, address, false)?;
        self.emit(request.at(F::Rb, data).text(F::Size, size_text(bytes, of)?))
    }

    /// The registers of a destination that may be a vector.
    fn elements(&mut self, operand: Option<&Operand>) -> Lowered<Vec<Register>> {
        match operand {
            Some(Operand::Vector(range)) => {
                let list = self.list(*range).to_vec();
                list.iter().map(|element| self.destination(Some(element))).collect()
            }
            operand => Ok(vec![self.destination(operand)?]),
        }
    }

    /// The operands of a vector.
    fn list(&self, range: OperandRange) -> &[Operand] {
        let first = range.first as usize;
        &self.body.operands[first..first + usize::from(range.count)]
    }

    /// The register that a load writes: the destination itself, or one that holds the whole vector.
    fn gathered(&mut self, targets: &[Register], of: Type) -> Register {
        let count = targets.len() as u8;
        let wanted = (words(of) * count).max(1);
        match targets {
            [target] if self.function.info(*target).words == wanted => *target,
            _ => self.temporary(wanted),
        }
    }

    fn scatter(&mut self, targets: &[Register], of: Type, data: Register) -> Lowered {
        if let [target] = targets
            && *target == data
        {
            return Ok(());
        }
        if of.bits() < 32 && targets.len() > 1 {
            return Err(UNSUPPORTED);
        }
        for (index, target) in targets.iter().enumerate() {
            let width = self.function.info(*target).words;
            for word in 0..width {
                let to = target.word(word);
                let request = Request::new(O::Mov).to(to);
                let request = if word < words(of) {
                    request.from(data.word(index as u8 * words(of) + word))
                } else {
                    request.from(Value::Zero)
                };
                self.emit(request)?;
            }
        }
        Ok(())
    }

    fn load_parameter(&mut self, targets: &[Register], of: Type, address: &Address) -> Lowered {
        let AddressBase::Variable(variable) = address.base else {
            return Err(UNSUPPORTED);
        };
        let base = self.parameter(variable).ok_or(UNSUPPORTED)?;
        let start = base.wrapping_add_signed(address.offset as i32);
        let bytes = of.bits().div_ceil(8);
        for (index, target) in targets.iter().enumerate() {
            let offset = start + bytes * index as u32;
            if bytes < 4 {
                self.emit(
                    Request::new(O::Ldc)
                        .form("R_C")
                        .to(*target)
                        .number(F::Bank, 0)
                        .number(F::Offset, u64::from(offset))
                        .text(F::Size, size_text(bytes, of)?),
                )?;
                continue;
            }
            for word in 0..words(of) {
                let source = Value::Constant(0, offset + 4 * u32::from(word));
                self.emit(Request::new(O::Mov).to(target.word(word)).from(source))?;
            }
        }
        Ok(())
    }

    /// A load or store without its data.
    fn access(&mut self, space: Space, address: &Address, load: bool) -> Lowered<Request> {
        let offset = |offset: i64| (offset as u64) & 0xff_ffff;
        match space {
            Space::Global | Space::Generic => {
                let AddressBase::Register(register) = address.base else {
                    return Err(UNSUPPORTED);
                };
                let opcode = match (space, load) {
                    (Space::Global, true) => O::Ldg,
                    (Space::Global, false) => O::Stg,
                    (_, true) => O::Ld,
                    (_, false) => O::St,
                };
                let base = self.home(register);
                let descriptor = self.descriptor()?;
                let form = match (descriptor, load) {
                    (Some(_), true) => "R_D",
                    (Some(_), false) => "D_R",
                    (None, true) => "R_A",
                    (None, false) => "A_R",
                };
                let mut request = Request::new(opcode)
                    .form(form)
                    .at(F::Ra, base)
                    .number(F::Offset, offset(address.offset))
                    .text(F::Address64, "E");
                if let Some(descriptor) = descriptor {
                    request = request.at(if load { F::URb } else { F::URc }, descriptor);
                }
                Ok(request)
            }
            Space::Shared | Space::Local => {
                let opcode = match (space, load) {
                    (Space::Shared, true) => O::Lds,
                    (Space::Shared, false) => O::Sts,
                    (_, true) => O::Ldl,
                    (_, false) => O::Stl,
                };
                let form = if load { "R_A" } else { "A_R" };
                let (base, extra) = match address.base {
                    AddressBase::Register(register) => (self.home(register), 0),
                    AddressBase::Variable(variable) => {
                        let places = if space == Space::Shared {
                            &self.shared
                        } else {
                            &self.local
                        };
                        let place = *places.get(&variable).ok_or(UNSUPPORTED)?;
                        let base = self.temporary(1);
                        self.emit_bare(Request::new(O::Mov).to(base).from(Value::Zero))?;
                        (base, i64::from(place))
                    }
                    AddressBase::Absolute => return Err(UNSUPPORTED),
                };
                Ok(Request::new(opcode)
                    .form(form)
                    .at(F::Ra, base.word(0))
                    .number(F::Offset, offset(address.offset + extra)))
            }
            Space::Parameter => Err(UNSUPPORTED),
        }
    }
}

fn space_of(variant: &Variant) -> Lowered<Space> {
    Ok(if variant.has(M::Global) {
        Space::Global
    } else if variant.has(M::Shared) {
        Space::Shared
    } else if variant.has(M::Local) {
        Space::Local
    } else if variant.has(M::Param) {
        Space::Parameter
    } else if variant.has(M::Const) {
        return Err(UNSUPPORTED);
    } else {
        Space::Generic
    })
}

/// The size modifier of an access of this many bytes in all.
fn size_text(bytes: u32, of: Type) -> Lowered<&'static str> {
    let signed = is_signed(of) && of.kind() == TypeKind::Signed;
    Ok(match (bytes, signed) {
        (1, false) => "U8",
        (1, true) => "S8",
        (2, false) => "U16",
        (2, true) => "S16",
        (4, _) => "",
        (8, _) => "64",
        (16, _) => "128",
        _ => return Err(UNSUPPORTED),
    })
}
