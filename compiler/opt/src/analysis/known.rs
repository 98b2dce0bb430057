//! What is known of the bits of values: by the operations that make them, by attributes, and by what the machine promises of special registers.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use warpsmith_ir::{BinaryOp, CastOp, Constant, Function, Instruction, InstructionId, Intrinsic, Symbols, Type, Value};

use super::bits::{Bits, mask};

/// How many operations back to look.
const DEPTH: u32 = 6;
/// Phis of more values than this are not looked into.
const MOST_INCOMING: usize = 4;

/// What was found before. It stays true while every instruction computes what it did, or the same with fewer cases left open.
#[derive(Debug, Default)]
pub struct Memory {
    found: RefCell<FxHashMap<InstructionId, Bits>>,
}

/// Known bits, as [`known_bits`], with a memory of what was found: the operands of an operation that was looked at need not be looked at again.
pub fn remembered_bits(memory: &Memory, symbols: &Symbols, function: &Function, value: Value) -> Option<Bits> {
    let known = Known {
        symbols,
        function,
        memory: Some(memory),
    };
    known.value(value, DEPTH)
}

/// Known bits of an integer (or of the integers in all lanes of a vector) of at most 128 bits; `None` for other types.
pub fn known_bits(symbols: &Symbols, function: &Function, value: Value) -> Option<Bits> {
    let known = Known {
        symbols,
        function,
        memory: None,
    };
    known.value(value, DEPTH)
}

/// Whether an integer is never negative.
pub fn is_non_negative(symbols: &Symbols, function: &Function, value: Value) -> bool {
    known_bits(symbols, function, value).is_some_and(Bits::is_non_negative)
}

/// The least and greatest number that a special register or another intrinsic without operands can be in a kernel, both included.
///
/// Limits of dimensions are those of the CUDA programming guide, "Compute Capabilities"; a kernel's own bounds make them smaller.
pub fn special_range(symbols: &Symbols, function: &Function, intrinsic: Intrinsic) -> Option<(u128, u128)> {
    use Intrinsic as I;
    let kernel = symbols.functions[function.id()].kernel.as_ref();
    let exact = kernel.and_then(|kernel| kernel.required_threads);
    let total = kernel
        .and_then(|kernel| kernel.maximum_threads)
        .map_or(1024, |[x, y, z]| {
            u128::from(x) * u128::from(y.max(1)) * u128::from(z.max(1))
        });
    let most = |axis: usize| match exact {
        Some(threads) => u128::from(threads[axis].max(1)),
        None => total.clamp(1, if axis == 2 { 64 } else { 1024 }),
    };
    let count = |axis: usize| (if exact.is_some() { most(axis) } else { 1 }, most(axis));
    const GRID: [u128; 3] = [0x7fff_ffff, 0xffff, 0xffff];
    Some(match intrinsic {
        I::NvvmReadPtxSregTidX => (0, most(0) - 1),
        I::NvvmReadPtxSregTidY => (0, most(1) - 1),
        I::NvvmReadPtxSregTidZ => (0, most(2) - 1),
        I::NvvmReadPtxSregNtidX => count(0),
        I::NvvmReadPtxSregNtidY => count(1),
        I::NvvmReadPtxSregNtidZ => count(2),
        I::NvvmReadPtxSregCtaidX => (0, GRID[0] - 1),
        I::NvvmReadPtxSregCtaidY => (0, GRID[1] - 1),
        I::NvvmReadPtxSregCtaidZ => (0, GRID[2] - 1),
        I::NvvmReadPtxSregNctaidX => (1, GRID[0]),
        I::NvvmReadPtxSregNctaidY => (1, GRID[1]),
        I::NvvmReadPtxSregNctaidZ => (1, GRID[2]),
        I::NvvmReadPtxSregLaneid => (0, 31),
        I::NvvmReadPtxSregWarpsize => (32, 32),
        I::NvvmReadPtxSregWarpid => (0, 63),
        _ => return None,
    })
}

struct Known<'a> {
    symbols: &'a Symbols,
    function: &'a Function,
    memory: Option<&'a Memory>,
}

impl Known<'_> {
    fn width(&self, value: Value) -> Option<u32> {
        let ty = self.function.context().scalar(self.function.type_of(value));
        match ty {
            Type::Int(bits @ 1..=128) => Some(bits),
            _ => None,
        }
    }

    fn value(&self, value: Value, depth: u32) -> Option<Bits> {
        let width = self.width(value)?;
        let unknown = Bits::unknown(width);
        if let Value::Instruction(id) = value
            && let Some(bits) = self.memory.and_then(|memory| memory.found.borrow().get(&id).copied())
        {
            return Some(bits);
        }
        Some(match value {
            Value::Constant(id) => self.constant(id, width),
            Value::Argument(_) => unknown,
            Value::Instruction(_) if depth == 0 => unknown,
            Value::Instruction(id) => {
                let bits = self.instruction(id, width, depth - 1).unwrap_or(unknown);
                let bits = bits.both(self.attached(id, width));
                // What contradicts itself is never computed.
                let bits = if bits.is_contradiction() { unknown } else { bits };
                // What was looked at less far back may be known better another time.
                if let Some(memory) = self.memory.filter(|_| depth == DEPTH) {
                    memory.found.borrow_mut().insert(id, bits);
                }
                bits
            }
        })
    }

    fn constant(&self, id: warpsmith_ir::ConstantId, width: u32) -> Bits {
        let context = self.function.context();
        if let Some(value) = crate::fold::int_value(context, id) {
            return Bits::constant(width, value);
        }
        match context.constant(id) {
            Constant::Aggregate { elements, .. } => {
                let lanes = elements.iter().map(|&element| self.constant(element, width));
                lanes.reduce(Bits::either).unwrap_or(Bits::unknown(width))
            }
            _ => Bits::unknown(width),
        }
    }

    fn attached(&self, id: InstructionId, width: u32) -> Bits {
        let unknown = Bits::unknown(width);
        let Some(attachments) = self.function.attachments(id) else {
            return unknown;
        };
        let ranges = attachments.range.iter().map(|(from, to)| {
            match (from.to_u128(), to.to_u128()) {
                // Half open; a range that wraps says nothing here.
                (Some(from), Some(to)) if from < to => Bits::between(width, from, to - 1),
                _ => unknown,
            }
        });
        ranges.reduce(Bits::either).unwrap_or(unknown)
    }

    fn instruction(&self, id: InstructionId, width: u32, depth: u32) -> Option<Bits> {
        let of = |value: Value| self.value(value, depth);
        match self.function.instruction(id) {
            Instruction::Binary { op, left, right, flags } => {
                let (a, b) = (of(*left)?, of(*right)?);
                let bits = binary(*op, a, b)?;
                let keeps_sign = flags.contains(warpsmith_ir::Flags::NO_SIGNED_WRAP);
                let both_positive = a.is_non_negative() && b.is_non_negative();
                Some(match op {
                    BinaryOp::Add | BinaryOp::Mul if keeps_sign && both_positive => bits.both(sign_clear(width)),
                    _ => bits,
                })
            }
            Instruction::Cast { op, operand, flags } => match op {
                CastOp::Trunc => Some(of(*operand)?.truncate(width)),
                CastOp::ZExt => {
                    let bits = of(*operand)?;
                    let positive = flags.contains(warpsmith_ir::Flags::NON_NEGATIVE);
                    let bits = if positive {
                        bits.both(sign_clear(bits.width))
                    } else {
                        bits
                    };
                    Some(bits.zero_extend(width))
                }
                CastOp::SExt => Some(of(*operand)?.sign_extend(width)),
                _ => None,
            },
            Instruction::Select { on_true, on_false, .. } => Some(of(*on_true)?.either(of(*on_false)?)),
            Instruction::Freeze { operand } => match operand {
                // Of a frozen poison nothing is known.
                Value::Constant(_) => of(*operand),
                _ => None,
            },
            Instruction::Phi { incoming, .. } if incoming.len() <= MOST_INCOMING => self.phi(id, incoming, depth),
            Instruction::Call(call) => self.call(call, width, depth),
            _ => None,
        }
    }

    /// Phis are looked into once: the next one on the way stands for itself.
    fn phi(&self, id: InstructionId, incoming: &[(warpsmith_ir::BlockId, Value)], depth: u32) -> Option<Bits> {
        let own = Value::Instruction(id);
        let depth = depth.min(2);
        let width = self.width(own)?;
        let mut all: Option<Bits> = None;
        // A phi that grows by constants is a multiple of what divides these and where it starts: of powers of two, since sums wrap.
        let (mut zeros, mut grows) = (width, false);
        // One that starts with what is not negative, and to which only such is added without a change of sign, stays so.
        let (mut climbs, mut is_positive) = (false, true);
        for &(_, value) in incoming {
            if value == own {
                continue;
            }
            let bits = self.value(value, depth)?;
            let is_sum = self.climbs(own, value);
            climbs |= is_sum;
            is_positive &= is_sum || bits.is_non_negative();
            all = Some(all.map_or(bits, |all| all.either(bits)));
            let step = self.step(own, value);
            grows |= step.is_some();
            zeros = zeros.min(step.unwrap_or(bits.trailing_zeros()));
        }
        let low = Bits {
            width,
            zero: if grows { super::bits::mask_or_zero(zeros) } else { 0 },
            one: 0,
        };
        let all = all?.both(low);
        let all = if climbs && is_positive {
            all.both(sign_clear(width))
        } else {
            all
        };
        (all.zero | all.one != 0).then_some(all)
    }

    /// Whether a value is the phi plus constants that are not negative, by sums that do not change the sign.
    fn climbs(&self, phi: Value, value: Value) -> bool {
        let mut at = value;
        for _ in 0..32 {
            let Some(Instruction::Binary {
                op: BinaryOp::Add,
                flags,
                left,
                right,
            }) = self.function.definition(at)
            else {
                return false;
            };
            let constant = self
                .width(phi)
                .and_then(|width| Some(self.constant(right.as_constant()?, width)));
            if !flags.contains(warpsmith_ir::Flags::NO_SIGNED_WRAP) || !constant.is_some_and(Bits::is_non_negative) {
                return false;
            }
            at = *left;
            if at == phi {
                return true;
            }
        }
        false
    }

    /// If a value is the phi plus or minus constants: how many low bits of what is added in all are zero.
    fn step(&self, phi: Value, value: Value) -> Option<u32> {
        let width = self.width(phi)?;
        let (mut at, mut sum) = (value, 0u128);
        // As many as the rounds that unrolling puts into one.
        for _ in 0..32 {
            let Instruction::Binary { op, flags, left, right } = self.function.definition(at)? else {
                return None;
            };
            let constant = self.constant(right.as_constant()?, width).value()?;
            sum = match op {
                BinaryOp::Add => sum.wrapping_add(constant),
                // A sum without carries.
                BinaryOp::Or if flags.contains(warpsmith_ir::Flags::DISJOINT) => sum.wrapping_add(constant),
                BinaryOp::Sub => sum.wrapping_sub(constant),
                _ => return None,
            };
            at = *left;
            if at == phi {
                return Some(Bits::constant(width, sum & mask(width)).trailing_zeros());
            }
        }
        None
    }

    fn call(&self, call: &warpsmith_ir::Call, width: u32, depth: u32) -> Option<Bits> {
        let of = |index: usize| self.value(*call.arguments.get(index)?, depth);
        let intrinsic = call.intrinsic()?;
        if let Some((least, most)) = special_range(self.symbols, self.function, intrinsic) {
            return Some(Bits::between(width, least, most));
        }
        match intrinsic {
            Intrinsic::Ctpop | Intrinsic::Ctlz | Intrinsic::Cttz => Some(Bits::at_most(width, u128::from(width))),
            Intrinsic::Umin => {
                let (a, b) = (of(0)?, of(1)?);
                Some(Bits::at_most(width, a.greatest().min(b.greatest())).both(common(a, b)))
            }
            Intrinsic::Umax | Intrinsic::Smin | Intrinsic::Smax => Some(common(of(0)?, of(1)?)),
            Intrinsic::Abs => {
                let operand = of(0)?;
                // The least number stays negative.
                let low = Bits {
                    width,
                    zero: super::bits::mask_or_zero(operand.trailing_zeros()),
                    one: 0,
                };
                let wraps = operand.signed_least() == super::bits::signed(width, 1 << (width - 1));
                Some(if wraps { low } else { low.both(sign_clear(width)) })
            }
            _ => None,
        }
    }
}

fn common(a: Bits, b: Bits) -> Bits {
    a.either(b)
}

fn sign_clear(width: u32) -> Bits {
    Bits {
        width,
        zero: 1 << (width - 1),
        one: 0,
    }
}

fn binary(op: BinaryOp, a: Bits, b: Bits) -> Option<Bits> {
    Some(match op {
        BinaryOp::Add => a.add(b),
        BinaryOp::Sub => a.subtract(b),
        BinaryOp::Mul => a.multiply(b),
        BinaryOp::UDiv => a.divide(b),
        BinaryOp::URem => a.remainder(b),
        // Of numbers that are not negative they are the unsigned ones.
        BinaryOp::SDiv if a.is_non_negative() && b.is_non_negative() => a.divide(b),
        BinaryOp::SRem if a.is_non_negative() && b.is_non_negative() => a.remainder(b),
        BinaryOp::SRem if a.is_non_negative() => Bits::at_most(a.width, a.greatest()),
        BinaryOp::And => a.and(b),
        BinaryOp::Or => a.or(b),
        BinaryOp::Xor => a.xor(b),
        BinaryOp::Shl => a.shift_left(b),
        BinaryOp::LShr => a.shift_right(b),
        BinaryOp::AShr => a.shift_right_signed(b),
        _ => return None,
    })
}

/// Whether two values have no set bit in common.
pub fn no_common_bits(symbols: &Symbols, function: &Function, left: Value, right: Value) -> bool {
    match (
        known_bits(symbols, function, left),
        known_bits(symbols, function, right),
    ) {
        (Some(a), Some(b)) => (a.zero | b.zero) == mask(a.width),
        _ => false,
    }
}
