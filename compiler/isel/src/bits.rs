//! The same bits as another type: through a list of bytes-wide pieces where registers do not correspond.

use warpsmith_ir::Type;

use crate::function::{Lowering, Upper, emit};
use crate::parts::{Part, Scalar};
use crate::register::{Class, Operand, Parts};

impl Lowering<'_> {
    /// The bits of a value as those of another type of the same size.
    pub(crate) fn bitcast(&mut self, from: Type, to: Type, parts: &Parts) -> Parts {
        let (source, target) = (self.flatten(from), self.flatten(to));
        let bits = |part: &Part| part.scalar.bits();
        if source.len() == target.len() && source.iter().map(bits).eq(target.iter().map(bits)) {
            return parts
                .iter()
                .zip(&target)
                .map(|(operand, part)| self.retyped(*operand, part.class))
                .collect();
        }
        // The greatest piece that divides all parts.
        let unit = source.iter().chain(&target).map(bits).fold(64, greatest_common_divisor);
        let mut pieces: Vec<Operand> = Vec::new();
        for (part, operand) in source.iter().zip(parts) {
            self.split(part.scalar, *operand, unit, &mut pieces);
        }
        let mut rest = &pieces[..];
        let mut result = Parts::new();
        for part in &target {
            let count = (bits(part) / unit) as usize;
            if rest.len() < count {
                self.unsupported("a bitcast between types of different sizes");
                return self.zeros(to);
            }
            let (now, later) = rest.split_at(count);
            rest = later;
            let joined = self.join(now, unit, part.scalar.bits());
            result.push(self.retyped(joined, part.class));
        }
        result
    }

    /// Takes an operand apart into pieces of `unit` bits, the lowest first.
    fn split(&mut self, scalar: Scalar, operand: Operand, unit: u32, pieces: &mut Vec<Operand>) {
        let bits = scalar.bits();
        let operand = self.retyped(operand, operand.class().untyped());
        if bits == unit {
            pieces.push(operand);
            return;
        }
        let count = bits / unit;
        if let Some(value) = operand.integer() {
            let class = Class::of_integer(unit);
            let constant = |number: u32| {
                Operand::Integer(
                    class,
                    crate::value::sign_extend((value >> (number * unit)) as u64, unit),
                )
            };
            pieces.extend((0..count).map(constant));
            return;
        }
        let class = operand.class();
        // Registers of 16 and 32 bits are taken out by one instruction.
        if class.bits() == bits && unit >= 16 {
            let registers: Vec<_> = (0..count).map(|_| self.register(Class::of_integer(unit))).collect();
            let list: Vec<String> = registers.iter().map(|register| register.to_string()).collect();
            emit!(self, "mov.{} {{{}}}, {operand}", class.bits_type(), list.join(", "));
            pieces.extend(registers.into_iter().map(Operand::Register));
            return;
        }
        for number in 0..count {
            let shifted = if number == 0 {
                operand
            } else {
                let shifted = self.register(class);
                emit!(self, "shr.u{} {shifted}, {operand}, {}", class.bits(), number * unit);
                shifted.into()
            };
            let piece = self.narrow(shifted, unit);
            pieces.push(piece);
        }
    }

    /// Puts pieces of `unit` bits together to an integer of `bits`.
    fn join(&mut self, pieces: &[Operand], unit: u32, bits: u32) -> Operand {
        if let [piece] = pieces {
            return *piece;
        }
        let class = Class::of_integer(bits);
        if pieces.iter().all(|piece| piece.integer().is_some()) {
            let parts = pieces.iter().enumerate().map(|(number, piece)| {
                let value = piece.integer().unwrap_or(0) & crate::value::low_mask(unit);
                value << (number as u32 * unit)
            });
            return Operand::Integer(
                class,
                crate::value::sign_extend(parts.fold(0, |all, part| all | part) as u64, bits),
            );
        }
        if class.bits() == bits && unit >= 16 {
            let registers: Vec<String> = pieces
                .iter()
                .map(|piece| self.in_register(*piece).to_string())
                .collect();
            let result = self.register(class);
            emit!(self, "mov.{} {result}, {{{}}}", class.bits_type(), registers.join(", "));
            return result.into();
        }
        let mut joined: Option<Operand> = None;
        for (number, piece) in pieces.iter().enumerate() {
            let wide = self.widen(*piece, unit, false, Upper::Unknown, class);
            let Some(lower) = joined else {
                joined = Some(wide);
                continue;
            };
            let (raised, both) = (self.register(class), self.register(class));
            let ty = class.bits_type();
            emit!(self, "shl.{ty} {raised}, {wide}, {}", number as u32 * unit);
            emit!(self, "or.{ty} {both}, {lower}, {raised}");
            joined = Some(both.into());
        }
        joined.unwrap_or(Operand::Integer(class, 0))
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
