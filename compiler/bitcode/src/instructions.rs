//! Instructions: each record as a line.

use std::fmt::Write;

use crate::attributes::{Owner, signed};
use crate::codes::{
    ATOMIC, BINARY, BINARY_OF_FLOATS, CASTS, FAST, ORDERINGS, address_promises, convention, promises, word,
    words_of_bits,
};
use crate::constants::{Constant, relation_words};
use crate::draft::{Draft, Gap};
use crate::fault::{Fault, Result};
use crate::function::{Body, Line};
use crate::metadata::is_metadata;
use crate::module::{Reader, Value, ValueKind, power};
use crate::stream::Record;
use crate::types::{LABEL, Type, TypeId, VOID};

/// The most cases of ranges in a switch of LLVM 3.2.
const MOST_OLD_CASES: u64 = 1 << 12;

/// The name of a record of an instruction that devices have no counterpart of.
fn without_counterpart(code: u32) -> Option<&'static str> {
    Some(match code {
        13 => "invoke",
        23 => "va_arg",
        39 => "resume",
        40 | 47 => "landingpad",
        48 => "cleanupret",
        49 => "catchret",
        50 => "catchpad",
        51 => "cleanuppad",
        52 => "catchswitch",
        57 => "callbr",
        _ => return None,
    })
}

/// An operand: a value by its number, and its type.
#[derive(Clone, Copy, Debug)]
struct Operand {
    id: u32,
    ty: TypeId,
}

/// The numbers of a record, one after the other.
struct Numbers<'n> {
    list: &'n [u64],
    next: usize,
    record: &'n Record,
    /// The number of the next value, and whether values are counted back from it.
    instruction: u32,
    is_relative: bool,
}

impl<'n> Numbers<'n> {
    fn wrong(&self, reason: &str) -> Box<Fault> {
        let reason = format!("block FUNCTION, record {}: {reason}", self.record.code);
        Fault::new(self.record.bit, reason)
    }

    fn left(&self) -> usize {
        self.list.len().saturating_sub(self.next)
    }

    fn next(&mut self) -> Result<u64> {
        let number = self
            .list
            .get(self.next)
            .copied()
            .ok_or_else(|| self.wrong("too short"))?;
        self.next += 1;
        Ok(number)
    }

    /// The next number, or 0 behind the last.
    fn or_zero(&mut self) -> u64 {
        self.next += 1;
        self.list.get(self.next - 1).copied().unwrap_or(0)
    }

    fn ty(&mut self) -> Result<TypeId> {
        let number = self.next()?;
        TypeId::try_from(number).map_err(|_| self.wrong("types have numbers of 32 bits"))
    }

    fn absolute(&self, number: u64) -> u32 {
        match self.is_relative {
            // In 32 bits, so that what is defined later wraps around.
            true => self.instruction.wrapping_sub(number as u32),
            false => number as u32,
        }
    }

    fn value(&mut self) -> Result<u32> {
        let number = self.next()?;
        Ok(self.absolute(number))
    }

    fn rest(&self) -> &'n [u64] {
        self.list.get(self.next..).unwrap_or_default()
    }
}

impl Reader<'_> {
    /// A record of a body.
    pub(crate) fn instruction(&mut self, body: &mut Body, record: &Record) -> Result<()> {
        let list = self.stream.numbers(record).to_vec();
        let instruction = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        let mut numbers = Numbers {
            list: &list,
            next: 0,
            record,
            instruction,
            is_relative: self.version > 0,
        };
        match record.code {
            1 => body.block_count = numbers.next()?,
            33 => self.place(body, &numbers, body.place)?,
            35 => {
                let (line, column) = (numbers.next()?, numbers.next()?);
                let (scope, outer) = (numbers.next()?, numbers.next()?);
                let node = match scope {
                    0 => None,
                    _ => Some(self.location(line, column, scope, outer, record.bit)?),
                };
                body.place = node;
                self.place(body, &numbers, node)?;
            }
            55 => self.bundle(body, &mut numbers)?,
            // Blocks of other functions whose addresses are taken here.
            60 => {}
            61..=66 => self.debug_record(body, &mut numbers)?,
            _ => self.line(body, &mut numbers)?,
        }
        Ok(())
    }

    fn place(&self, body: &mut Body, numbers: &Numbers<'_>, node: Option<u32>) -> Result<()> {
        match body.lines.last_mut() {
            Some(line) => line.place = node,
            None => return Err(numbers.wrong("a place before any instruction")),
        }
        Ok(())
    }

    fn line(&mut self, body: &mut Body, numbers: &mut Numbers<'_>) -> Result<()> {
        if body.block >= body.block_count {
            return Err(numbers.wrong("an instruction behind the last block"));
        }
        let mut line = Line::default();
        let ty = self.operation(body, numbers, &mut line)?;
        if *self.types.get(ty) != VOID {
            line.result = Some(self.values.len() as u32);
            self.values.push(Value {
                ty,
                kind: ValueKind::Local,
            });
        }
        body.block += u64::from(line.ends_block);
        body.lines.push(line);
        Ok(())
    }

    // Operands.

    /// A value, with its type behind it where it is defined later.
    fn pair(&self, numbers: &mut Numbers<'_>) -> Result<Operand> {
        let id = numbers.value()?;
        if let Some(ty) = self.known_type(id) {
            return Ok(Operand { id, ty });
        }
        let ty = numbers.ty()?;
        Ok(Operand { id, ty })
    }

    fn of_type(&self, numbers: &mut Numbers<'_>, ty: TypeId) -> Result<Operand> {
        let id = numbers.value()?;
        Ok(Operand { id, ty })
    }

    fn write(&mut self, operand: Operand, bit: u64, out: &mut Draft) -> Result<()> {
        self.write_typed(operand.ty, operand.id, bit, 0, out)
    }

    /// What an address points to, which older files do not say.
    fn pointee(&self, operand: Operand, numbers: &Numbers<'_>) -> Result<TypeId> {
        let pointee = self.types.pointee(operand.ty);
        pointee.ok_or_else(|| numbers.wrong("it is not known what an address points to"))
    }

    // Operations.

    /// Writes an operation; gives the type of its result.
    fn operation(&mut self, body: &mut Body, numbers: &mut Numbers<'_>, line: &mut Line) -> Result<TypeId> {
        let void = self.types.intern(VOID);
        let bit = numbers.record.bit;
        if matches!(numbers.record.code, 37 | 46) {
            return self.compare_exchange(numbers, line);
        }
        let out = &mut line.text;
        match numbers.record.code {
            2 => self.binary(numbers, out),
            3 => self.cast(numbers, out),
            4 | 30 | 43 => self.address(numbers, out),
            5 | 29 => self.select(numbers, out),
            6..=8 => self.vector(numbers, out),
            9 | 28 => self.compare(numbers, out),
            16 => self.phi(numbers, out),
            19 => self.alloca(numbers, out),
            20 | 41 => self.load(numbers, out),
            24 | 42 | 44 | 45 => {
                self.store(numbers, out)?;
                Ok(void)
            }
            26 | 27 => self.field(numbers, out),
            34 => self.call(body, numbers, out),
            36 => {
                out.push("fence ");
                let (ordering, scope) = (numbers.next()?, numbers.next()?);
                self.atomic(ordering, scope, numbers, out)?;
                Ok(void)
            }
            38 | 59 => self.read_modify_write(numbers, out),
            56 => {
                let operand = self.pair(numbers)?;
                if numbers.next()? != 0 {
                    return Err(numbers.wrong("there is no such operation"));
                }
                out.push("fneg ");
                out.push(&words_of_bits(FAST, numbers.or_zero()));
                self.write(operand, bit, out)?;
                Ok(operand.ty)
            }
            58 => {
                let operand = self.pair(numbers)?;
                out.push("freeze ");
                self.write(operand, bit, out)?;
                Ok(operand.ty)
            }
            10 | 11 | 12 | 15 | 31 => {
                line.ends_block = true;
                self.terminator(body, numbers, out)?;
                Ok(void)
            }
            code => match without_counterpart(code) {
                Some(name) => Err(Fault::new(bit, format!("the instruction {name} is not supported"))
                    .note("devices have neither exceptions nor variable arguments in this form")),
                None => {
                    let reason = format!("block FUNCTION: a record of code {code} is not known");
                    Err(Fault::new(bit, reason))
                }
            },
        }
    }

    fn binary(&mut self, numbers: &mut Numbers<'_>, out: &mut Draft) -> Result<TypeId> {
        let bit = numbers.record.bit;
        let left = self.pair(numbers)?;
        let right = numbers.value()?;
        let words = if self.types.is_float(left.ty) {
            BINARY_OF_FLOATS
        } else {
            BINARY
        };
        let op = word(words, numbers.next()?).ok_or_else(|| numbers.wrong("there is no such operation"))?;
        out.push(op);
        out.push(" ");
        out.push(&promises(op, numbers.or_zero()));
        self.write(left, bit, out)?;
        out.push(", ");
        self.write_value(right, bit, 0, out)?;
        Ok(left.ty)
    }

    fn cast(&mut self, numbers: &mut Numbers<'_>, out: &mut Draft) -> Result<TypeId> {
        let bit = numbers.record.bit;
        let operand = self.pair(numbers)?;
        let ty = numbers.ty()?;
        let op = word(CASTS, numbers.next()?).ok_or_else(|| numbers.wrong("there is no such conversion"))?;
        out.push(op);
        out.push(" ");
        out.push(&promises(op, numbers.or_zero()));
        self.write(operand, bit, out)?;
        out.push(" to ");
        out.push(self.types.text(ty, bit)?);
        Ok(ty)
    }

    fn address(&mut self, numbers: &mut Numbers<'_>, out: &mut Draft) -> Result<TypeId> {
        let bit = numbers.record.bit;
        let (flags, stated) = match numbers.record.code {
            4 => (0, None),
            30 => (1, None),
            _ => (numbers.next()?, Some(numbers.ty()?)),
        };
        let mut operands = Vec::new();
        while numbers.left() > 0 {
            operands.push(self.pair(numbers)?);
        }
        let [base, indices @ ..] = operands.as_slice() else {
            return Err(numbers.wrong("too short"));
        };
        let source = match stated {
            Some(source) => source,
            None => self.pointee(*base, numbers)?,
        };
        out.push("getelementptr ");
        out.push(&address_promises(flags));
        out.push(self.types.text(source, bit)?);
        for &operand in &operands {
            out.push(", ");
            self.write(operand, bit, out)?;
        }
        let shape = operands
            .iter()
            .map(|operand| operand.ty)
            .find(|&ty| matches!(self.types.get(ty), Type::Vector { .. }));
        let scalar = self.types.scalar(base.ty);
        let pointer = match self.types.pointee(scalar) {
            None => scalar,
            Some(_) => {
                let inner = self.stepped_into(source, indices, numbers)?;
                let space = self.types.space(scalar).unwrap_or(0);
                self.types.pointer_to(inner, space)
            }
        };
        Ok(match shape {
            Some(shape) => self.types.like(shape, pointer),
            None => pointer,
        })
    }

    /// The type that indices lead to.
    fn stepped_into(&self, source: TypeId, indices: &[Operand], numbers: &Numbers<'_>) -> Result<TypeId> {
        let mut ty = source;
        for index in indices.iter().skip(1) {
            let number = self.constant_number(index.id);
            let element = self.types.element(ty, number);
            ty = element.ok_or_else(|| numbers.wrong("an index leads into nothing"))?;
        }
        Ok(ty)
    }

    fn constant_number(&self, id: u32) -> Option<u64> {
        match &self.values.get(id as usize)?.kind {
            ValueKind::Constant(Constant::Integer(number)) => u64::try_from(*number).ok(),
            ValueKind::Constant(Constant::Null) => Some(0),
            // The same field in all lanes.
            ValueKind::Constant(Constant::Aggregate(ids)) => self.constant_number(*ids.first()?),
            ValueKind::Constant(Constant::Data(words)) => words.first().copied(),
            ValueKind::Constant(_) | ValueKind::Symbol(_) | ValueKind::Local => None,
        }
    }

    fn select(&mut self, numbers: &mut Numbers<'_>, out: &mut Draft) -> Result<TypeId> {
        let bit = numbers.record.bit;
        let yes = self.pair(numbers)?;
        let no = self.of_type(numbers, yes.ty)?;
        let condition = match numbers.record.code {
            5 => {
                let truth = self.types.intern(Type::Integer(1));
                self.of_type(numbers, truth)?
            }
            _ => self.pair(numbers)?,
        };
        out.push("select ");
        out.push(&words_of_bits(FAST, numbers.or_zero()));
        self.write(condition, bit, out)?;
        out.push(", ");
        self.write(yes, bit, out)?;
        out.push(", ");
        self.write(no, bit, out)?;
        Ok(yes.ty)
    }

    fn vector(&mut self, numbers: &mut Numbers<'_>, out: &mut Draft) -> Result<TypeId> {
        let bit = numbers.record.bit;
        let first = self.pair(numbers)?;
        let (name, operands, result) = match numbers.record.code {
            6 => {
                let index = self.index(numbers)?;
                let element = self.types.scalar(first.ty);
                ("extractelement ", vec![first, index], element)
            }
            7 => {
                let element = self.types.scalar(first.ty);
                let element = self.of_type(numbers, element)?;
                let index = self.index(numbers)?;
                ("insertelement ", vec![first, element, index], first.ty)
            }
            _ => {
                let other = self.of_type(numbers, first.ty)?;
                let mask = self.pair(numbers)?;
                let element = self.types.scalar(first.ty);
                let result = self.types.like(mask.ty, element);
                ("shufflevector ", vec![first, other, mask], result)
            }
        };
        out.push(name);
        for (index, operand) in operands.into_iter().enumerate() {
            out.push(if index == 0 { "" } else { ", " });
            self.write(operand, bit, out)?;
        }
        Ok(result)
    }

    /// An index of a vector: of 32 bits where its type does not follow.
    fn index(&mut self, numbers: &mut Numbers<'_>) -> Result<Operand> {
        self.pair(numbers)
    }

    fn compare(&mut self, numbers: &mut Numbers<'_>, out: &mut Draft) -> Result<TypeId> {
        let bit = numbers.record.bit;
        let left = self.pair(numbers)?;
        let right = numbers.value()?;
        let relation = numbers.next()?;
        let words = relation_words(relation);
        let (name, relation) = words.ok_or_else(|| numbers.wrong("there is no such relation"))?;
        let _ = write!(out, "{name} {}{relation} ", promises(name, numbers.or_zero()));
        self.write(left, bit, out)?;
        out.push(", ");
        self.write_value(right, bit, 0, out)?;
        let truth = self.types.intern(Type::Integer(1));
        Ok(self.types.like(left.ty, truth))
    }

    fn phi(&mut self, numbers: &mut Numbers<'_>, out: &mut Draft) -> Result<TypeId> {
        let bit = numbers.record.bit;
        let ty = numbers.ty()?;
        let rest = numbers.rest();
        // Pairs, and promises behind them.
        let flags = if rest.len() % 2 == 1 { rest[rest.len() - 1] } else { 0 };
        out.push("phi ");
        out.push(&words_of_bits(FAST, flags));
        out.push(self.types.text(ty, bit)?);
        for (index, pair) in rest.chunks_exact(2).enumerate() {
            let id = match numbers.is_relative {
                true => numbers.instruction.wrapping_sub(signed(pair[0]) as u32),
                false => pair[0] as u32,
            };
            out.push(if index == 0 { " [ " } else { ", [ " });
            self.write_value(id, bit, 0, out)?;
            out.push(", ");
            out.gap(Gap::Block(pair[1] as u32));
            out.push(" ]");
        }
        Ok(ty)
    }

    fn alloca(&mut self, numbers: &mut Numbers<'_>, out: &mut Draft) -> Result<TypeId> {
        let bit = numbers.record.bit;
        let (stated, count_ty) = (numbers.ty()?, numbers.ty()?);
        // The number of elements is not counted back.
        let count = numbers.next()? as u32;
        let packed = numbers.next()?;
        let is_explicit = packed >> 6 & 1 == 1;
        let (ty, space) = match is_explicit {
            true => {
                let space = if numbers.left() > 0 {
                    numbers.next()?
                } else {
                    self.local_space
                };
                (stated, space)
            }
            false => {
                let pointee = self.types.pointee(stated);
                let pointee = pointee.ok_or_else(|| numbers.wrong("it is not known what an address points to"))?;
                (pointee, self.types.space(stated).unwrap_or(0))
            }
        };
        out.push("alloca ");
        out.push(if packed >> 5 & 1 == 1 { "inalloca " } else { "" });
        out.push(if packed >> 7 & 1 == 1 { "swifterror " } else { "" });
        out.push(self.types.text(ty, bit)?);
        let number = self.types.intern(Type::Integer(32));
        if self.constant_number(count) != Some(1) || count_ty != number {
            out.push(", ");
            self.write_typed(count_ty, count, bit, 0, out)?;
        }
        self.align(packed & 31 | (packed >> 8 & 7) << 5, bit, out)?;
        if space != 0 {
            let _ = write!(out, ", addrspace({space})");
        }
        Ok(self.types.pointer_to(ty, space))
    }

    /// An alignment by its exponent plus one; 0 for none.
    fn align(&self, number: u64, bit: u64, out: &mut Draft) -> Result<()> {
        if let Some(exponent) = number.checked_sub(1) {
            let _ = write!(out, ", align {}", power(exponent, bit)?);
        }
        Ok(())
    }

    /// The scope and the ordering of what is atomic.
    fn atomic(&self, ordering: u64, scope: u64, numbers: &Numbers<'_>, out: &mut Draft) -> Result<()> {
        self.scope(scope, numbers, out)?;
        let ordering = word(ORDERINGS, ordering).ok_or_else(|| numbers.wrong("there is no such ordering"))?;
        out.push(ordering);
        Ok(())
    }

    fn scope(&self, scope: u64, numbers: &Numbers<'_>, out: &mut Draft) -> Result<()> {
        let named = usize::try_from(scope).ok().and_then(|scope| self.scopes.get(scope));
        let name = match (named, scope) {
            (Some(name), _) => name.as_str(),
            // Without a table of names there are these two.
            (None, 0) => "singlethread",
            (None, 1) => "",
            (None, _) => return Err(numbers.wrong("there is no such scope")),
        };
        if !name.is_empty() {
            let _ = write!(out, "syncscope(\"{name}\") ");
        }
        Ok(())
    }

    fn load(&mut self, numbers: &mut Numbers<'_>, out: &mut Draft) -> Result<TypeId> {
        let bit = numbers.record.bit;
        let is_atomic = numbers.record.code == 41;
        let pointer = self.pair(numbers)?;
        let behind = if is_atomic { 4 } else { 2 };
        let ty = match numbers.left() > behind {
            true => numbers.ty()?,
            false => self.pointee(pointer, numbers)?,
        };
        let (align, volatile) = (numbers.next()?, numbers.next()?);
        out.push("load ");
        out.push(if is_atomic { "atomic " } else { "" });
        out.push(if volatile != 0 { "volatile " } else { "" });
        out.push(self.types.text(ty, bit)?);
        out.push(", ");
        self.write(pointer, bit, out)?;
        if is_atomic {
            out.push(" ");
            let (ordering, scope) = (numbers.next()?, numbers.next()?);
            self.atomic(ordering, scope, numbers, out)?;
        }
        self.align(align, bit, out)?;
        Ok(ty)
    }

    fn store(&mut self, numbers: &mut Numbers<'_>, out: &mut Draft) -> Result<()> {
        let bit = numbers.record.bit;
        let (is_old, is_atomic) = match numbers.record.code {
            24 => (true, false),
            42 => (true, true),
            45 => (false, true),
            _ => (false, false),
        };
        let pointer = self.pair(numbers)?;
        let value = match is_old {
            true => {
                let pointee = self.pointee(pointer, numbers)?;
                self.of_type(numbers, pointee)?
            }
            false => self.pair(numbers)?,
        };
        let (align, volatile) = (numbers.next()?, numbers.next()?);
        out.push("store ");
        out.push(if is_atomic { "atomic " } else { "" });
        out.push(if volatile != 0 { "volatile " } else { "" });
        self.write(value, bit, out)?;
        out.push(", ");
        self.write(pointer, bit, out)?;
        if is_atomic {
            out.push(" ");
            let (ordering, scope) = (numbers.next()?, numbers.next()?);
            self.atomic(ordering, scope, numbers, out)?;
        }
        self.align(align, bit, out)
    }

    fn field(&mut self, numbers: &mut Numbers<'_>, out: &mut Draft) -> Result<TypeId> {
        let bit = numbers.record.bit;
        let is_read = numbers.record.code == 26;
        let whole = self.pair(numbers)?;
        out.push(if is_read { "extractvalue " } else { "insertvalue " });
        self.write(whole, bit, out)?;
        if !is_read {
            let part = self.pair(numbers)?;
            out.push(", ");
            self.write(part, bit, out)?;
        }
        let mut ty = whole.ty;
        for &index in numbers.rest() {
            let _ = write!(out, ", {index}");
            let element = self.types.element(ty, Some(index));
            ty = element.ok_or_else(|| numbers.wrong("an index leads into nothing"))?;
        }
        Ok(if is_read { ty } else { whole.ty })
    }

    fn compare_exchange(&mut self, numbers: &mut Numbers<'_>, line: &mut Line) -> Result<TypeId> {
        let bit = numbers.record.bit;
        let is_old = numbers.record.code == 37;
        let pointer = self.pair(numbers)?;
        let expected = match is_old {
            true => {
                let pointee = self.pointee(pointer, numbers)?;
                self.of_type(numbers, pointee)?
            }
            false => self.pair(numbers)?,
        };
        let new = self.of_type(numbers, expected.ty)?;
        let (volatile, success, scope) = (numbers.next()?, numbers.next()?, numbers.next()?);
        // Before there were two orderings the second was the strongest that the first allows: no release.
        let failure = match (numbers.left(), success) {
            (0, 4) => 2,
            (0, 5) => 3,
            (0, other) => other,
            _ => numbers.next()?,
        };
        // Before there were weak ones the result was the value alone.
        let is_value = numbers.left() == 0;
        let weak = numbers.or_zero();
        let mut out = Draft::default();
        out.push("cmpxchg ");
        out.push(if weak != 0 { "weak " } else { "" });
        out.push(if volatile != 0 { "volatile " } else { "" });
        for (index, operand) in [pointer, expected, new].into_iter().enumerate() {
            out.push(if index == 0 { "" } else { ", " });
            self.write(operand, bit, &mut out)?;
        }
        out.push(" ");
        self.atomic(success, scope, numbers, &mut out)?;
        let failure = word(ORDERINGS, failure).ok_or_else(|| numbers.wrong("there is no such ordering"))?;
        let _ = write!(out, " {failure}");
        let align = numbers.or_zero();
        self.align(align, bit, &mut out)?;
        let truth = self.types.intern(Type::Integer(1));
        let pair = self.types.intern(Type::Structure {
            fields: vec![expected.ty, truth],
            packed: false,
        });
        if !is_value {
            line.text = out;
            return Ok(pair);
        }
        let name = format!("%\"pair {}\"", numbers.instruction);
        let mut before = Draft::default();
        let _ = write!(before, "{name} = ");
        out.fill(&mut before, |_| None);
        line.before.push(before);
        let _ = write!(line.text, "extractvalue {} {name}, 0", self.types.text(pair, bit)?);
        Ok(expected.ty)
    }

    fn read_modify_write(&mut self, numbers: &mut Numbers<'_>, out: &mut Draft) -> Result<TypeId> {
        let bit = numbers.record.bit;
        let pointer = self.pair(numbers)?;
        let value = match numbers.record.code {
            38 => {
                let pointee = self.pointee(pointer, numbers)?;
                self.of_type(numbers, pointee)?
            }
            _ => self.pair(numbers)?,
        };
        let (op, volatile) = (numbers.next()?, numbers.next()?);
        let (ordering, scope) = (numbers.next()?, numbers.next()?);
        let op = word(ATOMIC, op).ok_or_else(|| numbers.wrong("there is no such operation"))?;
        let _ = write!(out, "atomicrmw {}{op} ", if volatile != 0 { "volatile " } else { "" });
        self.write(pointer, bit, out)?;
        out.push(", ");
        self.write(value, bit, out)?;
        out.push(" ");
        self.atomic(ordering, scope, numbers, out)?;
        let align = numbers.or_zero();
        self.align(align, bit, out)?;
        Ok(value.ty)
    }

    fn terminator(&mut self, body: &Body, numbers: &mut Numbers<'_>, out: &mut Draft) -> Result<()> {
        let bit = numbers.record.bit;
        let label = |number: u64, out: &mut Draft| {
            out.push("label ");
            out.gap(Gap::Block(number.min(u64::from(u32::MAX)) as u32));
        };
        match numbers.record.code {
            10 if numbers.left() == 0 => out.push("ret void"),
            10 => {
                let value = self.pair(numbers)?;
                out.push("ret ");
                // What an old file says twice has the type of the function.
                let ty = if self.known_type(value.id).is_some() {
                    value.ty
                } else {
                    body.result
                };
                self.write(Operand { ty, ..value }, bit, out)?;
            }
            11 => {
                let yes = numbers.next()?;
                out.push("br ");
                if numbers.left() > 0 {
                    let no = numbers.next()?;
                    let condition = numbers.value()?;
                    out.push("i1 ");
                    self.write_value(condition, bit, 0, out)?;
                    out.push(", ");
                    label(yes, out);
                    out.push(", ");
                    label(no, out);
                } else {
                    label(yes, out);
                }
            }
            12 => self.switch(numbers, out)?,
            15 => out.push("unreachable"),
            _ => {
                let ty = numbers.ty()?;
                let address = self.of_type(numbers, ty)?;
                out.push("indirectbr ");
                self.write(address, bit, out)?;
                for (index, &target) in numbers.rest().iter().enumerate() {
                    out.push(if index == 0 { ", [" } else { ", " });
                    label(target, out);
                }
                out.push(if numbers.rest().is_empty() { ", []" } else { "]" });
            }
        }
        Ok(())
    }

    fn switch(&mut self, numbers: &mut Numbers<'_>, out: &mut Draft) -> Result<()> {
        let bit = numbers.record.bit;
        let first = numbers.next()?;
        // The form of LLVM 3.2 and 3.3, which could say ranges.
        let is_old = first >> 16 == 0x4b5;
        let first = if is_old { numbers.next()? } else { first };
        let ty = TypeId::try_from(first).map_err(|_| numbers.wrong("types have numbers of 32 bits"))?;
        let value = self.of_type(numbers, ty)?;
        let default = numbers.next()? as u32;
        out.push("switch ");
        self.write(value, bit, out)?;
        out.push(", label ");
        out.gap(Gap::Block(default));
        out.push(" [");
        if is_old {
            return self.old_cases(ty, numbers, out);
        }
        for pair in numbers.rest().chunks_exact(2) {
            // Constants of cases are not counted back.
            out.push(" ");
            self.write_typed(ty, pair[0] as u32, bit, 0, out)?;
            out.push(", label ");
            out.gap(Gap::Block(pair[1] as u32));
        }
        out.push(" ]");
        Ok(())
    }

    /// Cases that are lists of numbers and ranges, each with one target.
    fn old_cases(&mut self, ty: TypeId, numbers: &mut Numbers<'_>, out: &mut Draft) -> Result<()> {
        let name = self.types.text(ty, numbers.record.bit)?.to_owned();
        if !matches!(self.types.get(ty), Type::Integer(..=64)) {
            return Err(numbers.wrong("a switch in the form of LLVM 3.2 on more than 64 bits is not supported"));
        }
        let mut left = MOST_OLD_CASES;
        for _ in 0..numbers.next()? {
            let mut cases = Vec::new();
            for _ in 0..numbers.next()? {
                let is_single = numbers.next()? != 0;
                let low = signed(numbers.next()?);
                let high = if is_single { low } else { signed(numbers.next()?) };
                left = left
                    .checked_sub(high.abs_diff(low))
                    .filter(|_| low <= high)
                    .ok_or_else(|| numbers.wrong("a range of cases is too long"))?;
                cases.extend(low..=high);
            }
            let target = numbers.next()? as u32;
            for case in cases {
                let _ = write!(out, " {name} {case}, label ");
                out.gap(Gap::Block(target));
            }
        }
        out.push(" ]");
        Ok(())
    }

    fn call(&mut self, body: &mut Body, numbers: &mut Numbers<'_>, out: &mut Draft) -> Result<TypeId> {
        let bit = numbers.record.bit;
        let (list, packed) = (numbers.next()?, numbers.next()?);
        let flags = if packed >> 17 & 1 == 1 { numbers.next()? } else { 0 };
        let stated = if packed >> 15 & 1 == 1 {
            Some(numbers.ty()?)
        } else {
            None
        };
        let callee = self.pair(numbers)?;
        let ty = match stated {
            Some(ty) => ty,
            None => self.pointee(callee, numbers)?,
        };
        let Type::Function {
            result,
            parameters,
            variadic,
        } = self.types.get(ty).clone()
        else {
            return Err(numbers.wrong("what is called has the type of no function"));
        };
        let kind = match (packed & 1, packed >> 14 & 1, packed >> 16 & 1) {
            (_, 1, _) => "musttail ",
            (_, _, 1) => "notail ",
            (1, ..) => "tail ",
            _ => "",
        };
        out.push(kind);
        out.push("call ");
        out.push(&words_of_bits(FAST, flags));
        out.push(&convention(packed >> 1 & 0x3ff));
        let of_result = self.attributes.text(list, Owner::Result, &mut self.types, bit)?;
        out.push(of_result.trim_start());
        out.push(if of_result.is_empty() { "" } else { " " });
        // The whole type where that of the result alone would say something else.
        let to_function = self.types.pointee(result);
        let to_function = to_function.is_some_and(|ty| matches!(self.types.get(ty), Type::Function { .. }));
        let written = if variadic || to_function { ty } else { result };
        out.push(self.types.text(written, bit)?);
        out.push(" ");
        self.write_value(callee.id, bit, 0, out)?;
        out.push("(");
        for (index, &parameter) in parameters.iter().enumerate() {
            out.push(if index == 0 { "" } else { ", " });
            self.argument(list, index, parameter, numbers, out)?;
        }
        let mut index = parameters.len();
        while variadic && numbers.left() > 0 {
            let operand = self.pair(numbers)?;
            out.push(if index == 0 { "" } else { ", " });
            self.written_argument(list, index, operand, bit, out)?;
            index += 1;
        }
        out.push(")");
        if self.attributes.has_function(list) {
            let _ = write!(out, " #{list}");
        }
        let mut has_bundles = false;
        for (index, bundle) in std::mem::take(&mut body.bundles).into_iter().enumerate() {
            out.push(if index == 0 { " [ " } else { ", " });
            bundle.fill(out, |_| None);
            has_bundles = true;
        }
        out.push(if has_bundles { " ]" } else { "" });
        Ok(result)
    }

    fn argument(
        &mut self,
        list: u64,
        index: usize,
        ty: TypeId,
        numbers: &mut Numbers<'_>,
        out: &mut Draft,
    ) -> Result<()> {
        let bit = numbers.record.bit;
        let kind = self.types.get(ty).clone();
        if kind == LABEL {
            let block = numbers.next()?;
            out.push("label ");
            out.gap(Gap::Block(block as u32));
            return Ok(());
        }
        let id = numbers.value()?;
        if is_metadata(&kind) {
            out.push("metadata ");
            return self.write_metadata(u64::from(id), bit, out);
        }
        self.written_argument(list, index, Operand { id, ty }, bit, out)
    }

    fn written_argument(&mut self, list: u64, index: usize, operand: Operand, bit: u64, out: &mut Draft) -> Result<()> {
        out.push(self.types.text(operand.ty, bit)?);
        let owner = Owner::Parameter(index as u32);
        out.push(&self.attributes.text(list, owner, &mut self.types, bit)?);
        out.push(" ");
        self.write_value(operand.id, bit, 0, out)
    }

    /// A bundle of operands, for the call that follows.
    fn bundle(&mut self, body: &mut Body, numbers: &mut Numbers<'_>) -> Result<()> {
        let bit = numbers.record.bit;
        let tag = numbers.next()?;
        let tag = usize::try_from(tag).ok().and_then(|tag| self.bundle_tags.get(tag));
        let tag = tag.ok_or_else(|| numbers.wrong("there is no such kind of bundle"))?;
        let mut text = Draft::default();
        let _ = write!(text, "\"{tag}\"(");
        let mut is_first = true;
        while numbers.left() > 0 {
            let operand = self.pair(numbers)?;
            text.push(if is_first { "" } else { ", " });
            is_first = false;
            self.write(operand, bit, &mut text)?;
        }
        text.push(")");
        body.bundles.push(text);
        Ok(())
    }

    /// What a debugger is told before the last instruction.
    fn debug_record(&mut self, body: &mut Body, numbers: &mut Numbers<'_>) -> Result<()> {
        let bit = numbers.record.bit;
        let mut text = Draft::default();
        let place = numbers.next()?;
        let name = match numbers.record.code {
            61 | 64 => "#dbg_value(",
            62 => "#dbg_declare(",
            63 => "#dbg_assign(",
            65 => "#dbg_label(",
            _ => "#dbg_declare_value(",
        };
        text.push(name);
        let nodes: Vec<u64> = match numbers.record.code {
            65 => vec![numbers.next()?],
            code => {
                let (variable, expression) = (numbers.next()?, numbers.next()?);
                match code {
                    64 => {
                        let value = self.pair(numbers)?;
                        self.write(value, bit, &mut text)?;
                    }
                    _ => {
                        let value = numbers.next()?;
                        self.write_metadata(value, bit, &mut text)?;
                    }
                }
                text.push(", ");
                match code {
                    63 => {
                        let (id, addressed, address) = (numbers.next()?, numbers.next()?, numbers.next()?);
                        vec![variable, expression, id, address, addressed]
                    }
                    _ => vec![variable, expression],
                }
            }
        };
        for node in nodes {
            self.write_metadata(node, bit, &mut text)?;
            text.push(", ");
        }
        self.write_metadata(place, bit, &mut text)?;
        text.push(")");
        match body.lines.last_mut() {
            Some(line) => line.before.push(text),
            None => return Err(numbers.wrong("what a debugger is told before any instruction")),
        }
        Ok(())
    }
}
