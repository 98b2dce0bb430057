//! Video instructions.

use warpsmith_numerics::video::{self, Lanes, Multiply, Operation, Scalar, Secondary, Select};
use warpsmith_ptx::{
    instruction::Variant,
    module::{Operand, Selector},
    table::Type,
};

use super::{Decoded, Decoder, M, O, Unsupported, integer::range, integer::whole_comparison, is_signed};
use crate::ptx::{
    arithmetic::{Function, Rare},
    code::{Op, Source},
};

/// The operation of `vadd`, `vadd2`, `vadd4` and so on.
fn operation(opcode: O) -> Option<Operation> {
    Some(match opcode {
        O::Vadd | O::Vadd2 | O::Vadd4 => Operation::Add,
        O::Vsub | O::Vsub2 | O::Vsub4 => Operation::Subtract,
        O::Vabsdiff | O::Vabsdiff2 | O::Vabsdiff4 => Operation::AbsoluteDifference,
        O::Vmin | O::Vmin2 | O::Vmin4 => Operation::Minimum,
        O::Vmax | O::Vmax2 | O::Vmax4 => Operation::Maximum,
        O::Vavrg2 | O::Vavrg4 => Operation::Average,
        _ => return None,
    })
}

/// The selector of an operand, if it has one.
fn selector(operand: &Operand) -> Option<Selector> {
    match *operand {
        Operand::Selected(_, selector) => Some(selector),
        Operand::Negative(_, selector) => selector,
        _ => None,
    }
}

fn select(operand: &Operand) -> Select {
    match selector(operand) {
        Some(selector) if selector.halves => Select::Half(selector.digits[0]),
        Some(selector) => Select::Byte(selector.digits[0]),
        None => Select::Word,
    }
}

fn is_negative(operand: &Operand) -> bool {
    matches!(operand, Operand::Negative(..))
}

/// The operand without selector and minus.
fn plain(operand: &Operand) -> Operand {
    match *operand {
        Operand::Selected(register, _) | Operand::Negative(register, _) => Operand::Register(register),
        other => other,
    }
}

/// The lanes that a selector names, the lowest first.
fn lanes(operand: &Operand, otherwise: [u8; 4]) -> [u8; 4] {
    let mut chosen = otherwise;
    if let Some(selector) = selector(operand) {
        for (lane, digit) in selector.digits().iter().rev().enumerate() {
            chosen[lane] = *digit;
        }
    }
    chosen
}

impl Decoder<'_> {
    /// Video instructions.
    pub(super) fn video(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Decoded> {
        let name = variant.opcode.name();
        if !name.starts_with('v') || !variant.opcode.family().contains("video") {
            return None;
        }
        Some(match (name.ends_with(['2', '4']), variant.opcode) {
            (true, _) => self.video_packed(variant, operands),
            (false, O::Vmad) => self.video_multiply(variant, operands),
            (false, _) => self.video_scalar(variant, operands),
        })
    }

    fn video_operands(&mut self, operands: &[Operand]) -> Result<[Source; 3], Unsupported> {
        let mut sources = [self.constant(0); 3];
        for (source, operand) in sources.iter_mut().zip(operands) {
            *source = self.value(&plain(operand), Type::U32)?;
        }
        Ok(sources)
    }

    fn video_push(&mut self, rare: Rare, operands: &[Operand]) -> Decoded {
        let [d, sources @ ..] = operands else {
            return Err(Unsupported);
        };
        let [a, b, c] = self.video_operands(sources)?;
        let d = self.destination(&plain(d))?;
        let function = Function::Rare(rare);
        self.push(Op::Compute { function, d, a, b, c });
        Ok(())
    }

    fn video_scalar(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [d, a, b, ..] = operands else {
            return Err(Unsupported);
        };
        let types: Vec<bool> = variant.types().map(is_signed).collect();
        // `vset` has no destination type; what it gives is unsigned.
        let (signed, first, second) = match (variant.opcode, types.as_slice()) {
            (O::Vset, &[first, second]) => (false, first, second),
            (O::Vshl | O::Vshr, &[signed, first, ..]) => (signed, first, false),
            (_, &[signed, first, second]) => (signed, first, second),
            _ => return Err(Unsupported),
        };
        let secondary = match variant.slot("op2") {
            Some(M::Add) => Secondary::Add,
            Some(M::Min) => Secondary::Minimum,
            Some(M::Max) => Secondary::Maximum,
            _ => Secondary::Merge(select(d)),
        };
        let form = Scalar {
            signed,
            operands_signed: [first, second],
            selects: [select(a), select(b)],
            saturate: variant.has(M::Sat),
            secondary,
        };
        let range = range(variant);
        let rare = match variant.opcode {
            O::Vshl => Rare::VideoShift {
                right: false,
                range,
                form,
            },
            O::Vshr => Rare::VideoShift {
                right: true,
                range,
                form,
            },
            O::Vset => Rare::VideoCompare {
                compare: self.video_comparison(variant)?,
                form,
            },
            opcode => Rare::VideoScalar {
                operation: operation(opcode).ok_or(Unsupported)?,
                form,
            },
        };
        self.video_push(rare, operands)
    }

    fn video_comparison(&self, variant: &Variant) -> Result<warpsmith_numerics::integer::Comparison, Unsupported> {
        variant.slot("cmp").and_then(whole_comparison).ok_or(Unsupported)
    }

    fn video_multiply(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [_, a, b, c] = operands else {
            return Err(Unsupported);
        };
        let types: Vec<bool> = variant.types().map(is_signed).collect();
        let [_, first, second] = types[..] else {
            return Err(Unsupported);
        };
        let form = Multiply {
            operands_signed: [first, second],
            selects: [select(a), select(b)],
            negate_product: is_negative(a) != is_negative(b),
            negate_addend: is_negative(c),
            plus_one: variant.has(M::Po),
            shift: match variant.slot("scale") {
                Some(M::Shr7) => 7,
                Some(M::Shr15) => 15,
                _ => 0,
            },
            saturate: variant.has(M::Sat),
        };
        self.video_push(Rare::VideoMultiplyAdd { form }, operands)
    }

    fn video_packed(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [d, a, b, ..] = operands else {
            return Err(Unsupported);
        };
        let lanes_of = if variant.opcode.name().ends_with('2') {
            Lanes::Two
        } else {
            Lanes::Four
        };
        let types: Vec<bool> = variant.types().map(is_signed).collect();
        let (signed, first, second) = match types[..] {
            [first, second] => (false, first, second),
            [signed, first, second] => (signed, first, second),
            _ => return Err(Unsupported),
        };
        let mask = selector(d).map_or(0xf, |selector| {
            selector.digits().iter().fold(0, |mask, digit| mask | 1 << (digit & 3))
        });
        let form = video::Packed {
            lanes: lanes_of,
            signed,
            operands_signed: [first, second],
            selects: [lanes(a, lanes_of.own()), lanes(b, lanes_of.other())],
            saturate: variant.has(M::Sat),
            mask,
            accumulate: variant.has(M::Add),
        };
        let rare = match operation(variant.opcode) {
            Some(operation) => Rare::VideoPacked { operation, form },
            None => Rare::VideoPackedCompare {
                compare: self.video_comparison(variant)?,
                form,
            },
        };
        self.video_push(rare, operands)
    }
}
