//! Operands of PTX as registers, immediates and constants.

use warpsmith_ptx::{
    instruction::Variant,
    module::{Initializer, Operand, Variable},
    table::{Type, TypeKind},
};
use warpsmith_sass::Opcode as O;

use super::{Lowered, Lowering, Stop, UNSUPPORTED, words};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value},
};

/// Bytes of a variable.
pub(crate) fn size(variable: &Variable) -> u64 {
    let element = u64::from(variable.element.bits().div_ceil(8)) * u64::from(variable.vector.max(1));
    // An open dimension is as large as its initial value.
    let open = match &variable.initializer {
        Some(Initializer::List(values, _)) => values.len() as u64,
        Some(_) | None => 0,
    };
    let count = variable
        .dimensions
        .iter()
        .map(|dimension| dimension.filter(|extent| *extent != 0).unwrap_or(open));
    element.saturating_mul(count.fold(1, u64::saturating_mul))
}

/// Alignment of a variable in bytes.
pub(crate) fn alignment(variable: &Variable) -> u64 {
    let natural = u64::from(variable.element.bits().div_ceil(8)) * u64::from(variable.vector.max(1));
    u64::from(variable.alignment.unwrap_or(0)).max(if variable.alignment.is_some() {
        1
    } else {
        natural.max(1)
    })
}

/// The first type among the modifiers.
pub(crate) fn first_type(variant: &Variant) -> Lowered<Type> {
    variant.types().next().ok_or(UNSUPPORTED)
}

/// Whether a type is a signed integer.
pub(crate) fn is_signed(of: Type) -> bool {
    of.kind() == TypeKind::Signed
}

impl Lowering<'_> {
    /// The virtual register of a PTX register.
    pub(crate) fn home(&self, register: warpsmith_ptx::module::Register) -> Register {
        // All that the text names are numbered.
        self.homes[self.numbers.index(register).unwrap_or(0)]
    }

    /// A register that is written.
    pub(crate) fn destination(&mut self, operand: Option<&Operand>) -> Lowered<Register> {
        match operand {
            Some(Operand::Register(register)) => Ok(self.home(*register)),
            Some(Operand::Component(register, part)) => Ok(Register(self.home(*register).0 + u32::from(*part))),
            Some(Operand::Sink) => Ok(self.temporary(2)),
            _ => Err(UNSUPPORTED),
        }
    }

    /// Word `word` of a value that is read as this type.
    pub(crate) fn word(&mut self, operand: Option<&Operand>, of: Type, word: u8) -> Lowered<Source> {
        match operand {
            Some(Operand::Register(register)) => {
                let home = self.home(*register);
                if word >= self.function.info(home).words {
                    return Ok(Value::Zero.into());
                }
                Ok(home.word(word).into())
            }
            Some(Operand::Component(register, part)) => {
                Ok(Register(self.home(*register).0 + u32::from(*part)).word(word).into())
            }
            Some(Operand::Special(special, component)) => {
                let value = self.special(*special, *component, words(of))?;
                Ok(value.word(word).into())
            }
            Some(Operand::Variable(variable, offset)) => {
                Ok(self.variable_address(*variable, *offset)?.word(word).into())
            }
            Some(Operand::Function(function)) => Ok(self.function_address(*function)?.word(word).into()),
            Some(operand) => {
                let bits = self.constant(operand, of)?;
                let part = bits.checked_shr(32 * u32::from(word)).unwrap_or(0) as u32;
                Ok(if part == 0 { Value::Zero } else { Value::Immediate(part) }.into())
            }
            None => Err(UNSUPPORTED),
        }
    }

    /// The low word of a value.
    pub(crate) fn source(&mut self, operand: Option<&Operand>, of: Type) -> Lowered<Source> {
        self.word(operand, of, 0)
    }

    /// A value in a register of its own width, whatever it is.
    pub(crate) fn in_register(&mut self, operand: Option<&Operand>, of: Type) -> Lowered<Register> {
        if let Some(Operand::Register(register)) = operand {
            let home = self.home(*register);
            if self.function.info(home).words == words(of) {
                return Ok(home);
            }
        }
        let register = self.temporary(words(of));
        for word in 0..words(of) {
            let source = self.word(operand, of, word)?;
            self.emit_bare(Request::new(O::Mov).to(register.word(word)).from(source))?;
        }
        Ok(register)
    }

    /// The bits of a constant operand of this type.
    fn constant(&self, operand: &Operand, of: Type) -> Lowered<u64> {
        let float = matches!(of.kind(), TypeKind::Float);
        Ok(match *operand {
            Operand::Integer(bits, _) => bits,
            Operand::Double(bits) if (float || of.kind() == TypeKind::Bits) && of.bits() == 64 => bits,
            Operand::Double(bits) if float && of.bits() == 32 => u64::from((f64::from_bits(bits) as f32).to_bits()),
            Operand::Single(bits) if of.bits() == 32 => u64::from(bits),
            _ => return Err(Stop::Unsupported(Some("this operand".to_string()))),
        })
    }

    /// A predicate that is read.
    pub(crate) fn test(&self, operand: Option<&Operand>) -> Lowered<Test> {
        match operand {
            Some(Operand::Register(register)) => Ok(self.home(*register).into()),
            Some(Operand::Not(register)) => Ok(Test::from(self.home(*register)).opposite()),
            Some(Operand::Integer(value, _)) => Ok(if *value != 0 { Test::ALWAYS } else { Test::NEVER }),
            _ => Err(UNSUPPORTED),
        }
    }
}
