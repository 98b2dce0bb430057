//! `mov`: copies, addresses, packing and unpacking.

use smallvec::SmallVec;
use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Type, TypeKind},
};
use warpsmith_sass::Opcode as O;

use super::{
    Lowered, Lowering, Stop, UNSUPPORTED,
    operand::first_type,
    steps::{RIGHT, Words, number, permute, shift},
    words,
};
use crate::{
    ir::Register,
    select::{Request, Source, Value},
};

fn refused<T>(what: &str) -> Lowered<T> {
    Err(Stop::Unsupported(Some(what.to_string())))
}

impl Lowering<'_> {
    /// `mov`
    pub(super) fn copy(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        if of.kind() == TypeKind::Predicate {
            return self.move_predicate(operands);
        }
        match (operands.first(), operands.get(1)) {
            (Some(Operand::Vector(_)), _) if variant.has(M::V2) || variant.has(M::V4) => self.move_vector(of, operands),
            (Some(Operand::Vector(range)), from) => {
                let targets = self.parts(*range);
                self.unpack(of, &targets, from)
            }
            (to, Some(Operand::Vector(range))) if !variant.has(M::V2) && !variant.has(M::V4) => {
                let to = self.destination(to)?;
                let parts = self.parts(*range);
                let value = self.pack(of, &parts)?;
                self.deliver(to, &value)
            }
            _ if variant.has(M::V2) || variant.has(M::V4) => self.move_vector(of, operands),
            (to, from) => {
                let to = self.destination(to)?;
                let value = self.moved(of, from)?;
                self.deliver(to, &value)
            }
        }
    }

    /// The words of what `mov` copies.
    fn moved(&mut self, of: Type, from: Option<&Operand>) -> Lowered<Words> {
        match from {
            Some(Operand::Variable(variable, offset)) => {
                let address = self.variable_address(*variable, *offset)?;
                Ok((0..words(of).min(2)).map(|word| address.word(word).into()).collect())
            }
            Some(Operand::Element(variable, None, index)) => {
                let element = self.element_bytes(*variable);
                let address = self.variable_address(*variable, index.wrapping_mul(element))?;
                Ok((0..words(of).min(2)).map(|word| address.word(word).into()).collect())
            }
            Some(Operand::Element(_, Some(_), _)) => refused("the address of an element by register"),
            Some(Operand::Function(function)) => {
                let address = self.function_address(*function)?;
                Ok((0..words(of).min(2)).map(|word| address.word(word).into()).collect())
            }
            from => self.value(from, of),
        }
    }

    /// `mov.v2`, `mov.v4`: element by element; an element may be written before another is read, so all are read first.
    fn move_vector(&mut self, of: Type, operands: &[Operand]) -> Lowered {
        let targets = match operands.first() {
            Some(Operand::Vector(range)) => self.parts(*range),
            _ => return refused("a vector register"),
        };
        let sources: SmallVec<[Operand; 4]> = match operands.get(1) {
            Some(Operand::Vector(range)) => self.parts(*range),
            Some(Operand::Special(special, _)) => (0..4).map(|part| Operand::Special(*special, Some(part))).collect(),
            _ => return refused("a vector register"),
        };
        let mut values: SmallVec<[Words; 4]> = SmallVec::new();
        for (target, source) in targets.iter().zip(&sources) {
            let unused = matches!(target, Operand::Sink) || matches!(source, Operand::Sink);
            let value = if unused {
                Words::new()
            } else {
                self.moved(of, Some(source))?
            };
            values.push(self.set_aside(&value)?);
        }
        self.deliver_all(&targets, &values)
    }

    /// Copies of registers, which stay as they are whatever is written.
    fn set_aside(&mut self, value: &[Source]) -> Lowered<Words> {
        let each = value.iter().map(|source| match source.value {
            Value::Register(_) => Ok(self.copied(*source)?.into()),
            Value::Zero | Value::Immediate(_) | Value::Constant(..) => Ok(*source),
        });
        each.collect()
    }

    fn deliver_all(&mut self, targets: &[Operand], values: &[Words]) -> Lowered {
        for (target, value) in targets.iter().zip(values) {
            if *target != Operand::Sink {
                let to = self.destination(Some(target))?;
                self.deliver(to, value)?;
            }
        }
        Ok(())
    }

    /// `mov.b64 {a, b}, d` and its like.
    fn unpack(&mut self, of: Type, targets: &[Operand], from: Option<&Operand>) -> Lowered {
        let whole = self.moved(of, from)?;
        let whole = self.set_aside(&whole)?;
        let bits = of.bits() / (targets.len().max(1) as u32);
        let mut values: SmallVec<[Words; 4]> = SmallVec::new();
        for index in 0..targets.len() as u32 {
            let first = (index * bits / 32) as usize;
            let Some(source) = whole.get(first) else {
                return Err(UNSUPPORTED);
            };
            let value = match (bits, index * bits % 32) {
                (64, _) => whole.iter().skip(first).take(2).copied().collect(),
                (_, 0) => Words::from_elem(*source, 1),
                (_, amount) => {
                    Words::from_elem(self.step(shift(Value::Zero, number(amount), *source, RIGHT))?.into(), 1)
                }
            };
            values.push(value);
        }
        self.deliver_all(targets, &values)
    }

    /// The words of `{a, b, …}`; elements that are `_` are zero.
    fn pack(&mut self, of: Type, parts: &[Operand]) -> Lowered<Words> {
        let bits = of.bits() / (parts.len().max(1) as u32);
        let element = match bits {
            8 => Type::B8,
            16 => Type::B16,
            32 => Type::B32,
            64 => Type::B64,
            _ => return Err(UNSUPPORTED),
        };
        let mut values = Words::new();
        for part in parts {
            match part {
                Operand::Sink => values.extend((0..words(element)).map(|_| Source::from(Value::Zero))),
                part => {
                    let value = self.value(Some(part), element)?;
                    values.extend(value);
                }
            }
        }
        if bits == 8 {
            values = self.joined(&values, 0x0040)?;
        }
        if bits == 8 && of.bits() == 32 || bits == 16 {
            values = self.joined(&values, 0x5410)?;
        }
        self.set_aside(&values)
    }

    /// Each pair of words made one by a permutation.
    fn joined(&mut self, values: &[Source], selector: u32) -> Lowered<Words> {
        let pairs = values.chunks_exact(2);
        pairs
            .map(|pair| Ok(self.step(permute(pair[0], selector, pair[1]))?.into()))
            .collect()
    }

    /// `selp` of any type.
    pub(super) fn select_by_predicate(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        let (a, b) = (self.value(operands.get(1), of)?, self.value(operands.get(2), of)?);
        let test = self.test(operands.get(3))?;
        self.select_into(to, test, &a, &b)
    }

    /// Each word of the result is made of the same words of the sources, so the destination may be a source.
    pub(super) fn select_into(
        &mut self,
        to: Register,
        test: crate::select::Test,
        a: &[Source],
        b: &[Source],
    ) -> Lowered {
        for (word, (a, b)) in (0..self.function.info(to).words).zip(a.iter().zip(b)) {
            self.emit(super::steps::select(test, *a, *b).to(to.word(word)))?;
        }
        Ok(())
    }

    /// `not`, and `and`, `or`, `xor` of integers.
    pub(super) fn bitwise(&mut self, variant: &Variant, operands: &[Operand], table: u32) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        let a = self.value(operands.get(1), of)?;
        let b = match operands.get(2) {
            Some(operand) => self.value(Some(operand), of)?,
            None => a.clone(),
        };
        for (word, (a, b)) in (0..words(of)).zip(a.iter().zip(&b)) {
            self.emit(
                Request::new(O::Lop3)
                    .literal("LUT")
                    .to(to.word(word))
                    .from(*a)
                    .from(*b)
                    .from(Value::Zero)
                    .from(Value::Immediate(table & 0xff)),
            )?;
        }
        Ok(())
    }
}
