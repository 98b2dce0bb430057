//! Atomic read-modify-write: by one instruction where the target has it, else by a loop around compare-and-swap.

use warpsmith_ir::{
    AddressSpace, Atomic, AtomicOp, BinaryOp, Flags, InstructionId, IntPredicate, Ordering, Scope, Type, Value,
};
use warpsmith_target::Feature;

use crate::address::{Base, Place};
use crate::function::{Lowering, Upper, emit};
use crate::memory::{Kind, threads_suffix};
use crate::parts::{Part, Scalar, flatten};
use crate::register::{Class, Operand, Parts, Register};
use crate::value::space_suffix;

impl Lowering<'_> {
    /// `.acquire.gpu.global` and so on for `atom`; a fence before it for sequential consistency.
    fn atom_qualifiers(&mut self, atomic: Atomic, space: AddressSpace) -> String {
        let threads = threads_suffix(atomic.scope);
        if atomic.ordering == Ordering::SequentiallyConsistent {
            emit!(self, "fence.sc{threads}");
        }
        let order = match atomic.ordering {
            Ordering::Unordered | Ordering::Monotonic => "",
            Ordering::Acquire => ".acquire",
            Ordering::Release => ".release",
            Ordering::AcquireRelease | Ordering::SequentiallyConsistent => ".acq_rel",
        };
        // Relaxed among the threads of the device is what `atom` without qualifiers means.
        let threads = if order.is_empty() && atomic.scope == Scope::Device {
            ""
        } else {
            threads
        };
        format!("{order}{threads}{}", space_suffix(space))
    }

    /// An atomic read-modify-write.
    pub(crate) fn lower_atomic_rmw(
        &mut self,
        id: InstructionId,
        op: AtomicOp,
        pointer: Value,
        value: Value,
        atomic: Atomic,
        align: u32,
    ) {
        let ty = self.type_of(value);
        let place = self.place(pointer);
        let operands = self.parts(value);
        let kinds = self.flatten(ty);
        if matches!(place.space, AddressSpace::LOCAL | AddressSpace::PARAMETER) {
            let old = self.load_parts(&kinds, &place, align, &Kind::default());
            let new = self.updated(op, ty, &old, &operands);
            self.store_parts(&kinds, &new, &place, align, &Kind::default());
            return self.define(id, old);
        }
        let floats = op == AtomicOp::FAdd && kinds.iter().all(|part| part.scalar == Scalar::Float);
        if floats && matches!(kinds.len(), 2 | 4) {
            return self.lower_atomic_floats(id, ty, &place, &operands, atomic);
        }
        let (&[part], &[operand]) = (&kinds[..], &operands[..]) else {
            return self.lower_atomic_pair(id, op, ty, &place, &operands, atomic);
        };
        if let Some((name, operand)) = self.native_atomic(op, part.scalar, operand) {
            let qualifiers = self.atom_qualifiers(atomic, place.space);
            let result = self.define_register(id);
            emit!(self, "atom{qualifiers}.{name} {result}, [{place}], {operand}");
            return;
        }
        let old = self.atomic_loop(ty, part, &place, atomic, |lowering, old| {
            let new = lowering.updated(op, ty, &Parts::from_iter([old]), &Parts::from_iter([operand]));
            new[0]
        });
        self.define_one(id, old);
    }

    /// The sum of two or four floats in global memory, each by itself.
    fn lower_atomic_floats(&mut self, id: InstructionId, ty: Type, place: &Place, operands: &Parts, atomic: Atomic) {
        if place.space != AddressSpace::GLOBAL || self.scope.target < 90 {
            self.unsupported(format_args!(
                "an atomic sum of float vectors outside of global memory, or on sm_{}",
                self.scope.target
            ));
            let zeros = self.zeros(ty);
            return self.define(id, zeros);
        }
        let qualifiers = self.atom_qualifiers(atomic, place.space);
        let old: Vec<Register> = operands.iter().map(|_| self.registers.make(Class::F32)).collect();
        let new: Vec<String> = operands.iter().map(|&new| self.in_register(new).to_string()).collect();
        let names: Vec<String> = old.iter().map(Register::to_string).collect();
        let (old_names, new, lanes) = (names.join(", "), new.join(", "), operands.len());
        emit!(
            self,
            "atom{qualifiers}.add.v{lanes}.f32 {{{old_names}}}, [{place}], {{{new}}}"
        );
        self.define(id, old.into_iter().map(Operand::from).collect());
    }

    /// The operation and type of the instruction for an update, and its operand.
    fn native_atomic(&mut self, op: AtomicOp, scalar: Scalar, operand: Operand) -> Option<(&'static str, Operand)> {
        let packs = self.scope.has(Feature::AtomicBf16);
        let class = scalar.class();
        let name = match (op, scalar) {
            (AtomicOp::Exchange, Scalar::Half | Scalar::BFloat) => return None,
            (AtomicOp::Exchange, Scalar::Int(bits)) if !matches!(bits, 32 | 64) => return None,
            (AtomicOp::Exchange, _) if class.bits() == 32 => "exch.b32",
            (AtomicOp::Exchange, _) => "exch.b64",
            (AtomicOp::Add | AtomicOp::Sub, Scalar::Int(32)) => "add.u32",
            (AtomicOp::Add | AtomicOp::Sub, Scalar::Int(64)) => "add.u64",
            (AtomicOp::And, Scalar::Int(32)) => "and.b32",
            (AtomicOp::And, Scalar::Int(64)) => "and.b64",
            (AtomicOp::Or, Scalar::Int(32)) => "or.b32",
            (AtomicOp::Or, Scalar::Int(64)) => "or.b64",
            (AtomicOp::Xor, Scalar::Int(32)) => "xor.b32",
            (AtomicOp::Xor, Scalar::Int(64)) => "xor.b64",
            (AtomicOp::Max, Scalar::Int(32)) => "max.s32",
            (AtomicOp::Max, Scalar::Int(64)) => "max.s64",
            (AtomicOp::Min, Scalar::Int(32)) => "min.s32",
            (AtomicOp::Min, Scalar::Int(64)) => "min.s64",
            (AtomicOp::UMax, Scalar::Int(32)) => "max.u32",
            (AtomicOp::UMax, Scalar::Int(64)) => "max.u64",
            (AtomicOp::UMin, Scalar::Int(32)) => "min.u32",
            (AtomicOp::UMin, Scalar::Int(64)) => "min.u64",
            (AtomicOp::UIncWrap, Scalar::Int(32)) => "inc.u32",
            (AtomicOp::UDecWrap, Scalar::Int(32)) => "dec.u32",
            (AtomicOp::FAdd | AtomicOp::FSub, Scalar::Float) => "add.f32",
            (AtomicOp::FAdd | AtomicOp::FSub, Scalar::Double) => "add.f64",
            (AtomicOp::FAdd | AtomicOp::FSub, Scalar::Half) => "add.noftz.f16",
            (AtomicOp::FAdd | AtomicOp::FSub, Scalar::HalfPair) => "add.noftz.f16x2",
            (AtomicOp::FAdd | AtomicOp::FSub, Scalar::BFloat) if packs => "add.noftz.bf16",
            (AtomicOp::FAdd | AtomicOp::FSub, Scalar::BFloatPair) if packs => "add.noftz.bf16x2",
            _ => return None,
        };
        let operand = match (op, operand) {
            (AtomicOp::Sub, Operand::Integer(class, value)) => Operand::Integer(class, value.wrapping_neg()),
            (AtomicOp::Sub, operand) => {
                let negative = self.register(class);
                emit!(self, "neg.s{} {negative}, {operand}", class.bits());
                negative.into()
            }
            (AtomicOp::FSub, operand) => {
                let ty = match scalar {
                    Scalar::Float => Type::Float,
                    Scalar::Double => Type::Double,
                    Scalar::BFloat => Type::BFloat,
                    Scalar::HalfPair => self.context.vector(Type::Half, 2),
                    Scalar::BFloatPair => self.context.vector(Type::BFloat, 2),
                    _ => Type::Half,
                };
                self.negate_parts(ty, &Parts::from_iter([operand]))[0]
            }
            (_, operand) => operand,
        };
        let in_register = matches!(
            scalar,
            Scalar::Half | Scalar::BFloat | Scalar::HalfPair | Scalar::BFloatPair
        );
        let operand = if in_register {
            self.in_register(operand).into()
        } else {
            operand
        };
        Some((name, operand))
    }

    /// What an update makes of the old value.
    fn updated(&mut self, op: AtomicOp, ty: Type, old: &Parts, operand: &Parts) -> Parts {
        let binary = match op {
            AtomicOp::Exchange => return operand.clone(),
            AtomicOp::Add => BinaryOp::Add,
            AtomicOp::Sub => BinaryOp::Sub,
            AtomicOp::And => BinaryOp::And,
            AtomicOp::Or => BinaryOp::Or,
            AtomicOp::Xor => BinaryOp::Xor,
            AtomicOp::FAdd => BinaryOp::FAdd,
            AtomicOp::FSub => BinaryOp::FSub,
            AtomicOp::Nand => {
                let and = self.binary_parts(BinaryOp::And, ty, old, operand);
                let ones: Parts = and.iter().map(|part| Operand::Integer(part.class(), -1)).collect();
                return self.binary_parts(BinaryOp::Xor, ty, &and, &ones);
            }
            AtomicOp::Max | AtomicOp::Min | AtomicOp::UMax | AtomicOp::UMin => {
                return self.updated_order(op, ty, old, operand);
            }
            AtomicOp::FMax => return self.elementwise("llvm.maxnum", ty, &[old.clone(), operand.clone()]),
            AtomicOp::FMin => return self.elementwise("llvm.minnum", ty, &[old.clone(), operand.clone()]),
            AtomicOp::FMaximum => return self.elementwise("llvm.maximum", ty, &[old.clone(), operand.clone()]),
            AtomicOp::FMinimum => return self.elementwise("llvm.minimum", ty, &[old.clone(), operand.clone()]),
            AtomicOp::UIncWrap | AtomicOp::UDecWrap | AtomicOp::USubCond | AtomicOp::USubSat => {
                return self.updated_wrap(op, ty, old, operand);
            }
        };
        if binary.is_float() {
            self.float_binary(binary, Flags::NONE, ty, old, operand, None)
        } else {
            self.binary_parts(binary, ty, old, operand)
        }
    }

    fn updated_order(&mut self, op: AtomicOp, ty: Type, old: &Parts, operand: &Parts) -> Parts {
        let predicate = match op {
            AtomicOp::Max => IntPredicate::Sgt,
            AtomicOp::Min => IntPredicate::Slt,
            AtomicOp::UMax => IntPredicate::Ugt,
            _ => IntPredicate::Ult,
        };
        let keep = match ty {
            Type::Int(bits) if bits > 64 => self.wide_compare(predicate, bits, old, operand),
            _ => self.compare_scalar(predicate, ty, old, operand),
        };
        let pairs = old.iter().zip(operand);
        pairs.map(|(old, new)| self.select_part(keep, *old, *new)).collect()
    }

    fn updated_wrap(&mut self, op: AtomicOp, ty: Type, old: &Parts, operand: &Parts) -> Parts {
        let class = old[0].class();
        let constant = |value: i64| Parts::from_iter([Operand::Integer(class, value)]);
        let (next, reset, wraps) = match op {
            // Above or at the limit: 0; else one more.
            AtomicOp::UIncWrap => {
                let next = self.binary_parts(BinaryOp::Add, ty, old, &constant(1));
                (
                    next,
                    constant(0),
                    self.compare_scalar(IntPredicate::Uge, ty, old, operand),
                )
            }
            // At 0 or above the limit: the limit; else one less.
            AtomicOp::UDecWrap => {
                let next = self.binary_parts(BinaryOp::Sub, ty, old, &constant(1));
                let above = self.compare_scalar(IntPredicate::Ugt, ty, old, operand);
                let zero = self.compare_scalar(IntPredicate::Eq, ty, old, &constant(0));
                (next, operand.clone(), self.predicate_or(above, zero))
            }
            _ => {
                let next = self.binary_parts(BinaryOp::Sub, ty, old, operand);
                let reset = if op == AtomicOp::USubCond {
                    old.clone()
                } else {
                    constant(0)
                };
                (next, reset, self.compare_scalar(IntPredicate::Ult, ty, old, operand))
            }
        };
        Parts::from_iter([self.select_part(wraps, reset[0], next[0])])
    }

    fn compare_scalar(&mut self, predicate: IntPredicate, ty: Type, left: &Parts, right: &Parts) -> Operand {
        let bits = ty.int_bits().unwrap_or(64).min(64);
        self.compare_integers(predicate, bits, (left[0], Upper::Unknown), (right[0], Upper::Unknown))
    }

    /// Repeats `update` until nobody else changed the memory meanwhile; the old value.
    fn atomic_loop(
        &mut self,
        ty: Type,
        part: Part,
        place: &Place,
        atomic: Atomic,
        update: impl FnOnce(&mut Self, Operand) -> Operand,
    ) -> Operand {
        let bits = part.scalar.bits();
        if !matches!(bits, 16 | 32 | 64) {
            return self.atomic_loop_in_word(ty, part, place, atomic, update);
        }
        let class = part.class.untyped();
        let size = class.bits();
        let qualifiers = self.atom_qualifiers(atomic, place.space);
        let (old, found) = (self.register(class), self.register(class));
        emit!(self, "ld{}.u{size} {old}, [{place}]", space_suffix(place.space));
        let again = self.new_label();
        self.place_label(&again);
        let typed = self.retyped(old.into(), part.class);
        let new = update(self, typed);
        let new = self.retyped(new, class);
        let new = self.in_register(new);
        emit!(self, "atom{qualifiers}.cas.b{size} {found}, [{place}], {old}, {new}");
        let changed = self.register(Class::Predicate);
        emit!(self, "setp.ne.s{size} {changed}, {found}, {old}");
        emit!(self, "mov.b{size} {old}, {found}");
        emit!(self, "@{changed} bra {again}");
        self.retyped(old.into(), part.class)
    }

    /// The same for a byte, within the 32-bit word that it is in.
    fn atomic_loop_in_word(
        &mut self,
        ty: Type,
        part: Part,
        place: &Place,
        atomic: Atomic,
        update: impl FnOnce(&mut Self, Operand) -> Operand,
    ) -> Operand {
        if part.scalar.bits() > 8 || part.class == Class::Predicate {
            self.unsupported("an atomic update of an integer of this width");
            return Operand::Integer(part.class, 0);
        }
        let word = self.word_around(place);
        let qualifiers = self.atom_qualifiers(atomic, place.space);
        let (old, found) = (self.register(Class::B32), self.register(Class::B32));
        emit!(self, "ld{}.u32 {old}, [{}]", space_suffix(place.space), word.place);
        let again = self.new_label();
        self.place_label(&again);
        let byte = self.byte_of(&word, old);
        let new = update(self, byte);
        let changed_word = self.with_byte(&word, old, new, ty);
        emit!(
            self,
            "atom{qualifiers}.cas.b32 {found}, [{}], {old}, {changed_word}",
            word.place
        );
        let changed = self.register(Class::Predicate);
        emit!(self, "setp.ne.s32 {changed}, {found}, {old}");
        let before = self.register(Class::B32);
        emit!(self, "mov.b32 {before}, {old}");
        emit!(self, "mov.b32 {old}, {found}");
        emit!(self, "@{changed} bra {again}");
        self.byte_of(&word, before)
    }

    /// The aligned word that a byte is in, and where in it.
    fn word_around(&mut self, place: &Place) -> Word {
        let address = self.place_address(place);
        let (start, position) = (self.register(Class::B64), self.register(Class::B64));
        let (bytes, shift, mask, keep) = (
            self.register(Class::B32),
            self.register(Class::B32),
            self.register(Class::B32),
            self.register(Class::B32),
        );
        emit!(self, "and.b64 {start}, {address}, -4");
        emit!(self, "and.b64 {position}, {address}, 3");
        emit!(self, "cvt.u32.u64 {bytes}, {position}");
        emit!(self, "shl.b32 {shift}, {bytes}, 3");
        emit!(self, "shl.b32 {mask}, 255, {shift}");
        emit!(self, "not.b32 {keep}, {mask}");
        let place = Place {
            base: Base::Operand(start.into()),
            offset: 0,
            space: place.space,
        };
        Word { place, shift, keep }
    }

    fn byte_of(&mut self, word: &Word, value: Register) -> Operand {
        let shifted = self.register(Class::B32);
        emit!(self, "shr.u32 {shifted}, {value}, {}", word.shift);
        let narrow = self.narrow(shifted.into(), 16);
        self.zero_extended(narrow, 8, Upper::Unknown)
    }

    fn with_byte(&mut self, word: &Word, old: Register, byte: Operand, ty: Type) -> Register {
        let bits = ty.int_bits().unwrap_or(8).min(8);
        let wide = self.widen(byte, bits, false, Upper::Unknown, Class::B32);
        let (raised, kept, result) = (
            self.register(Class::B32),
            self.register(Class::B32),
            self.register(Class::B32),
        );
        emit!(self, "shl.b32 {raised}, {wide}, {}", word.shift);
        emit!(self, "and.b32 {kept}, {old}, {}", word.keep);
        emit!(self, "or.b32 {result}, {kept}, {raised}");
        result
    }

    /// An update of 128 bits: an exchange, or a loop around compare-and-swap.
    fn lower_atomic_pair(
        &mut self,
        id: InstructionId,
        op: AtomicOp,
        ty: Type,
        place: &Place,
        operands: &Parts,
        atomic: Atomic,
    ) {
        let wraps = matches!(
            op,
            AtomicOp::UIncWrap | AtomicOp::UDecWrap | AtomicOp::USubCond | AtomicOp::USubSat
        );
        if wraps || ty != Type::I128 || !self.scope.has(Feature::Atomic128bit) {
            self.unsupported(format_args!(
                "an atomic {} of this type on sm_{}",
                op.text(),
                self.scope.target
            ));
            let zeros = self.zeros(ty);
            return self.define(id, zeros);
        }
        let qualifiers = self.atom_qualifiers(atomic, place.space);
        let old = self.register(Class::B128);
        if op == AtomicOp::Exchange {
            let new = self.joined128(operands);
            emit!(self, "atom{qualifiers}.exch.b128 {old}, [{place}], {new}");
            let parts = self.split128(old);
            return self.define(id, parts);
        }
        let kinds = self.flatten(ty);
        let first = self.load_parts(&kinds, place, 16, &Kind::default());
        let seen: Vec<Register> = first
            .iter()
            .map(|word| {
                let seen = self.registers.make(Class::B64);
                self.copy(seen, *word);
                seen
            })
            .collect();
        let again = self.new_label();
        self.place_label(&again);
        let before: Parts = seen.iter().map(|word| Operand::from(*word)).collect();
        let new = self.updated(op, ty, &before, operands);
        let (expected, new) = (self.joined128(&before), self.joined128(&new));
        emit!(self, "atom{qualifiers}.cas.b128 {old}, [{place}], {expected}, {new}");
        let found = self.split128(old);
        let changed = self.wide_compare(IntPredicate::Ne, 128, &found, &before);
        for (seen, found) in seen.iter().zip(&found) {
            self.copy(*seen, *found);
        }
        emit!(self, "@{changed} bra {again}");
        self.define(id, found);
    }

    /// Two words in a 128-bit register.
    pub(crate) fn joined128(&mut self, words: &Parts) -> Register {
        let words: Vec<String> = words.iter().map(|word| self.in_register(*word).to_string()).collect();
        let result = self.register(Class::B128);
        emit!(self, "mov.b128 {result}, {{{}}}", words.join(", "));
        result
    }

    /// The two words of a 128-bit register.
    pub(crate) fn split128(&mut self, register: Register) -> Parts {
        let (low, high) = (self.register(Class::B64), self.register(Class::B64));
        emit!(self, "mov.b128 {{{low}, {high}}}, {register}");
        Parts::from_iter([low.into(), high.into()])
    }

    /// Compare and exchange: the old value, and whether it was the expected one.
    pub(crate) fn lower_compare_exchange(
        &mut self,
        id: InstructionId,
        pointer: Value,
        expected: Value,
        new: Value,
        atomic: Atomic,
        failure: Ordering,
    ) {
        let ty = self.type_of(expected);
        let place = self.place(pointer);
        let (a, b) = (self.parts(expected), self.parts(new));
        let Some(kinds) = flatten(self.context, ty) else { return };
        if matches!(place.space, AddressSpace::LOCAL | AddressSpace::PARAMETER) && kinds.len() == 1 {
            let old = self.load_parts(&kinds, &place, 1 << 4, &Kind::default());
            let equal = self.compare_scalar(IntPredicate::Eq, ty, &old, &a);
            let chosen = Parts::from_iter([self.select_part(equal, b[0], old[0])]);
            self.store_parts(&kinds, &chosen, &place, 1 << 4, &Kind::default());
            return self.define(id, Parts::from_iter([old[0], equal]));
        }
        let ordering = stronger(atomic.ordering, failure);
        let atomic = Atomic { ordering, ..atomic };
        match (&kinds[..], ty) {
            ([_, _], Type::Int(128)) if self.scope.has(Feature::Atomic128bit) => {
                let qualifiers = self.atom_qualifiers(atomic, place.space);
                let (x, y, old) = (self.joined128(&a), self.joined128(&b), self.register(Class::B128));
                emit!(self, "atom{qualifiers}.cas.b128 {old}, [{place}], {x}, {y}");
                let mut parts = self.split128(old);
                let equal = self.wide_compare(IntPredicate::Eq, 128, &parts, &a);
                parts.push(equal);
                self.define(id, parts);
            }
            ([part], _) if matches!(part.scalar.bits(), 16 | 32 | 64) => {
                let size = part.class.bits();
                let qualifiers = self.atom_qualifiers(atomic, place.space);
                let (x, y, old) = (a[0], b[0], self.register(part.class));
                let (x, y) = if size == 16 {
                    (self.in_register(x).into(), self.in_register(y).into())
                } else {
                    (x, y)
                };
                emit!(self, "atom{qualifiers}.cas.b{size} {old}, [{place}], {x}, {y}");
                let equal = self.register(Class::Predicate);
                emit!(self, "setp.eq.s{size} {equal}, {old}, {x}");
                self.define(id, Parts::from_iter([old.into(), equal.into()]));
            }
            ([part], Type::Int(2..=8)) => {
                let part = *part;
                let matched = self.register(Class::Predicate);
                let bits = part.scalar.bits();
                // Bytes that are not the expected one are written back as they are.
                let old = self.atomic_loop_in_word(ty, part, &place, atomic, |lowering, byte| {
                    let equal =
                        lowering.compare_integers(IntPredicate::Eq, bits, (byte, Upper::Zeros), (a[0], Upper::Unknown));
                    lowering.copy(matched, equal);
                    lowering.select_part(equal, b[0], byte)
                });
                self.define(id, Parts::from_iter([old, matched.into()]));
            }
            _ => {
                self.unsupported(format_args!(
                    "compare and exchange of this type on sm_{}",
                    self.scope.target
                ));
                let zeros = self.zeros(self.body.result_type(id));
                self.define(id, zeros);
            }
        }
    }

    /// A fence.
    pub(crate) fn lower_fence(&mut self, atomic: Atomic) {
        if atomic.scope == Scope::Thread {
            return;
        }
        let threads = threads_suffix(atomic.scope);
        match atomic.ordering {
            Ordering::SequentiallyConsistent => emit!(self, "fence.sc{threads}"),
            _ => emit!(self, "fence.acq_rel{threads}"),
        }
    }
}

/// The 32-bit word around a byte.
struct Word {
    place: Place,
    shift: Register,
    keep: Register,
}

/// The ordering that does what both do.
fn stronger(success: Ordering, failure: Ordering) -> Ordering {
    use Ordering::{Acquire, AcquireRelease, Monotonic, Release, SequentiallyConsistent, Unordered};
    match (success, failure) {
        (SequentiallyConsistent, _) | (_, SequentiallyConsistent) => SequentiallyConsistent,
        (Release, Acquire) => AcquireRelease,
        (Unordered | Monotonic, other) => other,
        (stated, _) => stated,
    }
}
