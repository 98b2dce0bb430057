//! Loads and stores: state spaces, vectors, alignment, narrow and odd integers.

use std::fmt::Write as _;

use warpsmith_ir::{
    Access, AddressSpace, Atomic, CastOp, Instruction, InstructionId, Ordering, Scope as Threads, Type, Value,
};

use crate::address::Place;
use crate::function::{Lowering, Place as ParameterPlace, Upper, emit};
use crate::parameters::bytes;
use crate::parts::{Part, Scalar};
use crate::register::{Class, Operand, Parts};

/// What an access is beside its place and type.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kind {
    /// `.volatile`, `.relaxed.gpu` and so on, or nothing.
    pub(crate) order: &'static str,
    /// The scope of `order`, with its point, or nothing.
    pub(crate) scope: &'static str,
    /// `.nc`
    pub(crate) constant: bool,
    /// No vectors: each part is accessed alone.
    pub(crate) single: bool,
}

impl Kind {
    /// An access of a parameter.
    pub(crate) fn parameter() -> Kind {
        Kind::default()
    }

    fn qualifiers(&self, space: AddressSpace) -> String {
        let nc = if self.constant && space == AddressSpace::GLOBAL {
            ".nc"
        } else {
            ""
        };
        // Thread-private and constant memory has no order among threads.
        match space {
            AddressSpace::CONSTANT | AddressSpace::PARAMETER | AddressSpace::LOCAL => {
                crate::value::space_suffix(space).to_owned()
            }
            _ => format!("{}{}{}{nc}", self.order, self.scope, crate::value::space_suffix(space)),
        }
    }
}

/// The scope of an atomic access with its point.
pub(crate) fn threads_suffix(threads: Threads) -> &'static str {
    match threads {
        Threads::System => ".sys",
        Threads::Device => ".gpu",
        Threads::Cluster => ".cluster",
        Threads::Block | Threads::Thread => ".cta",
    }
}

/// Whether an access is of 128 bits at once, for other threads to see all of it or nothing.
fn is_whole(in_memory: Type, access: &Access, kind: &Kind) -> bool {
    in_memory == Type::I128 && access.atomic.is_some() && !kind.order.is_empty()
}

/// The alignment known at some bytes beyond an aligned address.
fn align_at(align: u32, offset: u64) -> u64 {
    let align = u64::from(align.max(1));
    if offset == 0 {
        align
    } else {
        align.min(1 << offset.trailing_zeros())
    }
}

/// The type of an access of one part.
fn access_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Int(bits) => match bits.div_ceil(8) {
            1 => "u8",
            2 => "u16",
            4 => "u32",
            _ => "u64",
        },
        Scalar::Half | Scalar::BFloat => "b16",
        Scalar::HalfPair | Scalar::BFloatPair => "b32",
        Scalar::Float => "f32",
        Scalar::Double => "f64",
        Scalar::Pointer(AddressSpace::TENSOR) => "u32",
        Scalar::Pointer(_) => "u64",
    }
}

/// Whether a part can be accessed in one piece.
fn in_one_piece(part: &Part, align: u32) -> bool {
    let size = bytes(part.scalar);
    size.is_power_of_two() && align_at(align, part.offset) >= size
}

/// How many parts from the first on can be accessed together: 4, 2 or 1.
fn together(parts: &[Part], align: u32) -> usize {
    let first = &parts[0];
    let size = bytes(first.scalar);
    let kind = access_type(first.scalar);
    let fits = |count: usize| {
        let total = size * count as u64;
        parts.len() >= count
            && size.is_power_of_two()
            && total <= 16
            && align_at(align, first.offset) >= total
            && parts[..count].iter().enumerate().all(|(number, part)| {
                part.offset == first.offset + number as u64 * size
                    && access_type(part.scalar) == kind
                    && part.scalar != Scalar::Int(1)
            })
    };
    [4, 2].into_iter().find(|&count| fits(count)).unwrap_or(1)
}

impl Lowering<'_> {
    /// Reads the parts of a value.
    pub(crate) fn load_parts(&mut self, parts: &[Part], place: &Place, align: u32, kind: &Kind) -> Parts {
        let mut loaded = Parts::new();
        let mut rest = parts;
        while let Some(part) = rest.first() {
            let count = if kind.single { 1 } else { together(rest, align) };
            let (group, after) = rest.split_at(count);
            rest = after;
            if count == 1 {
                loaded.push(self.load_part(part, place, align, kind));
                continue;
            }
            let registers: Vec<_> = group.iter().map(|part| self.register(part.class)).collect();
            let list: Vec<String> = registers.iter().map(|register| register.to_string()).collect();
            let at = place.plus(part.offset);
            let ty = access_type(part.scalar);
            emit!(
                self,
                "ld{}.v{count}.{ty} {{{}}}, [{at}]",
                kind.qualifiers(place.space),
                list.join(", ")
            );
            loaded.extend(registers.into_iter().map(Operand::Register));
        }
        loaded
    }

    fn load_part(&mut self, part: &Part, place: &Place, align: u32, kind: &Kind) -> Operand {
        let at = place.plus(part.offset);
        let qualifiers = kind.qualifiers(place.space);
        if !in_one_piece(part, align) {
            return self.load_pieces(part, place, align, kind);
        }
        let ty = access_type(part.scalar);
        if part.class == Class::Predicate {
            let byte = self.register(Class::B16);
            emit!(self, "ld{qualifiers}.u8 {byte}, [{at}]");
            return self.low_bit(byte.into());
        }
        let register = self.register(part.class);
        emit!(self, "ld{qualifiers}.{ty} {register}, [{at}]");
        register.into()
    }

    /// Whether the lowest bit of an integer is set, as a predicate.
    pub(crate) fn low_bit(&mut self, operand: Operand) -> Operand {
        let class = operand.class();
        let ty = class.bits_type();
        let bit = self.register(class);
        emit!(self, "and.{ty} {bit}, {operand}, 1");
        let predicate = self.register(Class::Predicate);
        emit!(self, "setp.ne.{ty} {predicate}, {bit}, 0");
        predicate.into()
    }

    /// Reads a part that is not aligned, or of a size that is no power of two, piece by piece.
    fn load_pieces(&mut self, part: &Part, place: &Place, align: u32, kind: &Kind) -> Operand {
        let class = part.class.untyped();
        let mut value: Option<Operand> = None;
        for (offset, size) in pieces(part, align) {
            let at = place.plus(part.offset + offset);
            let piece = self.register(class);
            emit!(self, "ld{}.u{} {piece}, [{at}]", kind.qualifiers(place.space), size * 8);
            let Some(lower) = value else {
                value = Some(piece.into());
                continue;
            };
            let (raised, joined) = (self.register(class), self.register(class));
            let ty = class.bits_type();
            emit!(self, "shl.{ty} {raised}, {piece}, {}", offset * 8);
            emit!(self, "or.{ty} {joined}, {lower}, {raised}");
            value = Some(joined.into());
        }
        let value = value.unwrap_or(Operand::Integer(class, 0));
        self.retyped(value, part.class)
    }

    /// The same bits in a register of a class of the same size.
    pub(crate) fn retyped(&mut self, operand: Operand, class: Class) -> Operand {
        if operand.class() == class {
            return operand;
        }
        match (operand, class) {
            (Operand::Integer(_, value), Class::F32) => return Operand::Single(value as u32),
            (Operand::Integer(_, value), Class::F64) => return Operand::Double(value as u64),
            (Operand::Single(bits), _) => return Operand::Integer(class, i64::from(bits as i32)),
            (Operand::Double(bits), _) => return Operand::Integer(class, bits as i64),
            _ => {}
        }
        let result = self.register(class);
        emit!(self, "mov.{} {result}, {operand}", class.bits_type());
        result.into()
    }

    /// Writes the parts of a value.
    pub(crate) fn store_parts(&mut self, parts: &[Part], values: &[Operand], place: &Place, align: u32, kind: &Kind) {
        let mut index = 0;
        while index < parts.len().min(values.len()) {
            let count = if kind.single {
                1
            } else {
                together(&parts[index..], align)
            };
            if count == 1 {
                self.store_part(&parts[index], values[index], place, align, kind);
                index += 1;
                continue;
            }
            let ty = access_type(parts[index].scalar);
            let mut list = String::new();
            for (number, value) in values[index..index + count].iter().enumerate() {
                let separator = if number == 0 { "" } else { ", " };
                let _ = write!(list, "{separator}{value}");
            }
            let at = place.plus(parts[index].offset);
            emit!(
                self,
                "st{}.v{count}.{ty} [{at}], {{{list}}}",
                kind.qualifiers(place.space)
            );
            index += count;
        }
    }

    fn store_part(&mut self, part: &Part, value: Operand, place: &Place, align: u32, kind: &Kind) {
        let at = place.plus(part.offset);
        let qualifiers = kind.qualifiers(place.space);
        if part.class == Class::Predicate {
            let byte = match value {
                Operand::Integer(_, value) => Operand::Integer(Class::B16, value & 1),
                predicate => {
                    let byte = self.register(Class::B16);
                    emit!(self, "selp.u16 {byte}, 1, 0, {predicate}");
                    byte.into()
                }
            };
            emit!(self, "st{qualifiers}.u8 [{at}], {byte}");
            return;
        }
        // The padding bits of odd integers are zero in memory.
        let value = match part.scalar {
            Scalar::Int(bits) if !bits.is_multiple_of(8) => self.zero_extended(value, bits, Upper::Unknown),
            _ => value,
        };
        if in_one_piece(part, align) {
            emit!(self, "st{qualifiers}.{} [{at}], {value}", access_type(part.scalar));
            return;
        }
        let class = part.class.untyped();
        let value = self.retyped(value, class);
        for (offset, size) in pieces(part, align) {
            let at = place.plus(part.offset + offset);
            let piece = match (value, offset) {
                (Operand::Integer(class, value), _) => Operand::Integer(class, value >> (offset * 8)),
                (register, 0) => register,
                (register, _) => {
                    let lowered = self.register(class);
                    emit!(self, "shr.u{} {lowered}, {register}, {}", class.bits(), offset * 8);
                    lowered.into()
                }
            };
            let piece = match piece {
                Operand::Integer(class, value) => {
                    Operand::Integer(class, value & crate::value::low_mask(size as u32 * 8))
                }
                register => register,
            };
            emit!(self, "st{qualifiers}.u{} [{at}], {piece}", size * 8);
        }
    }

    /// The type whose memory a type has: vectors of elements that are no whole bytes are one integer.
    fn memory_type(&self, ty: Type) -> Type {
        let Type::Vector(vector) = ty else { return ty };
        let data = self.context.vector_parts(vector);
        match data.element {
            Type::Int(bits) if !bits.is_multiple_of(8) && u64::from(bits) * data.length <= 64 => {
                Type::Int(bits * data.length as u32)
            }
            _ => ty,
        }
    }

    /// A load of a value.
    pub(crate) fn lower_load(&mut self, id: InstructionId, pointer: Value, access: Access) {
        let place = self.place(pointer);
        let ty = self.body.result_type(id);
        let in_memory = self.memory_type(ty);
        let parts = self.flatten(in_memory);
        let mut kind = self.kind(&access, place.space, true);
        kind.constant = access.is_simple() && (access.invariant || self.is_constant_memory(pointer));
        if self.load_extended(id, &parts, &place, access.align, &kind) {
            return;
        }
        if is_whole(in_memory, &access, &kind) {
            let word = self.register(Class::B128);
            emit!(self, "ld{}.b128 {word}, [{place}]", kind.qualifiers(place.space));
            let words = self.split128(word);
            return self.define(id, words);
        }
        let loaded = self.load_parts(&parts, &place, access.align, &kind);
        if let [part] = parts[..]
            && matches!(part.scalar, Scalar::Int(_))
            && in_one_piece(&part, access.align)
        {
            self.upper[id.index()] = Upper::Zeros;
        }
        let loaded = if in_memory == ty {
            loaded
        } else {
            self.bitcast(in_memory, ty, &loaded)
        };
        self.define(id, loaded);
    }

    /// A load whose only reader extends it: straight into a register of the extension's size, by the type that extends. Whether it is one.
    fn load_extended(&mut self, id: InstructionId, parts: &[Part], place: &Place, align: u32, kind: &Kind) -> bool {
        let [part] = parts else { return false };
        let Scalar::Int(bits @ (8 | 16 | 32)) = part.scalar else {
            return false;
        };
        let Some(user) = self.body.single_user(Value::Instruction(id)) else {
            return false;
        };
        let Instruction::Cast { op, .. } = self.body.instruction(user) else {
            return false;
        };
        let (letter, upper) = match op {
            CastOp::ZExt => ('u', Upper::Zeros),
            CastOp::SExt => ('s', Upper::Signs),
            _ => return false,
        };
        let Some(to) = self
            .body
            .result_type(user)
            .int_bits()
            .filter(|to| matches!(to, 16 | 32 | 64))
        else {
            return false;
        };
        if !self.needed.contains(user) || !in_one_piece(part, align) {
            return false;
        }
        // Address computations and products may look through an extension, for the narrow value.
        let looks_through = |reader: InstructionId| {
            matches!(
                self.body.instruction(reader),
                Instruction::Gep { .. } | Instruction::Binary { .. }
            )
        };
        if bits * 2 == to && bits != 8 && self.body.users(Value::Instruction(user)).into_iter().any(looks_through) {
            return false;
        }
        let register = self.register(Class::of_integer(to));
        let at = place.plus(part.offset);
        emit!(
            self,
            "ld{}.{letter}{bits} {register}, [{at}]",
            kind.qualifiers(place.space)
        );
        self.upper[user.index()] = upper;
        self.define_one(user, register);
        // Nothing else reads the narrow value.
        self.define_one(id, register);
        true
    }

    /// A store of a value.
    pub(crate) fn lower_store(&mut self, pointer: Value, value: Value, access: Access) {
        let ty = self.type_of(value);
        let in_memory = self.memory_type(ty);
        let mut values = self.parts(value);
        if in_memory != ty {
            values = self.bitcast(ty, in_memory, &values);
        }
        let place = self.place(pointer);
        let parts = self.flatten(in_memory);
        let kind = self.kind(&access, place.space, false);
        if is_whole(in_memory, &access, &kind) {
            let word = self.joined128(&values);
            emit!(self, "st{}.b128 [{place}], {word}", kind.qualifiers(place.space));
            return;
        }
        self.store_parts(&parts, &values, &place, access.align, &kind);
    }

    /// The qualifiers of an access; a fence before it where its order asks for one.
    fn kind(&mut self, access: &Access, space: AddressSpace, load: bool) -> Kind {
        let Some(Atomic { ordering, scope }) = access.atomic else {
            let order = if access.volatile { ".volatile" } else { "" };
            return Kind {
                order,
                ..Kind::default()
            };
        };
        let shared_among_threads = matches!(
            space,
            AddressSpace::GENERIC | AddressSpace::GLOBAL | AddressSpace::SHARED | AddressSpace::SHARED_CLUSTER
        );
        if !shared_among_threads {
            return Kind {
                single: true,
                ..Kind::default()
            };
        }
        // Volatile is relaxed for all threads of the system, and more.
        if access.volatile && matches!(ordering, Ordering::Unordered | Ordering::Monotonic) {
            return Kind {
                order: ".volatile",
                single: true,
                ..Kind::default()
            };
        }
        let threads = threads_suffix(scope);
        if ordering == Ordering::SequentiallyConsistent {
            emit!(self, "fence.sc{threads}");
        }
        let order = match (ordering, load) {
            (Ordering::Unordered | Ordering::Monotonic, _) => ".relaxed",
            (_, true) => ".acquire",
            (_, false) => ".release",
        };
        Kind {
            order,
            scope: threads,
            constant: false,
            single: true,
        }
    }

    /// Whether nothing writes the memory while the kernel runs: what a `const __restrict__` parameter of a kernel points to.
    fn is_constant_memory(&self, pointer: Value) -> bool {
        if !self.declaration.is_kernel() {
            return false;
        }
        let mut value = pointer;
        for _ in 0..64 {
            match value {
                Value::Argument(number) => {
                    let attributes = crate::signature::attributes_of(&self.declaration.parameters, number as usize);
                    return attributes.noalias
                        && (attributes.readonly || attributes.readnone)
                        && matches!(self.places.get(number as usize), Some(ParameterPlace::Registers));
                }
                Value::Instruction(id) => match self.body.instruction(id) {
                    warpsmith_ir::Instruction::Gep { base, .. } => value = *base,
                    warpsmith_ir::Instruction::Cast {
                        op: warpsmith_ir::CastOp::AddrSpaceCast,
                        operand,
                        ..
                    } => value = *operand,
                    _ => return false,
                },
                Value::Constant(_) => return false,
            }
        }
        false
    }

    /// Copies memory piece by piece, each of the largest size that both alignments allow.
    pub(crate) fn copy_unrolled(
        &mut self,
        to: &Place,
        to_align: u32,
        from: &Place,
        from_align: u32,
        size: u64,
        kind: &Kind,
    ) {
        let pieces = access_pieces(size, to_align.min(from_align));
        // All loads come first, a group at a time: what a store may overlap must have been read, and loads run side by side.
        let mut values = Vec::new();
        for parts in &pieces {
            values.push(self.load_parts(parts, from, from_align, kind));
        }
        for (parts, values) in pieces.iter().zip(&values) {
            self.store_parts(parts, values, to, to_align, kind);
        }
    }
}

/// The accesses that cover `size` bytes: groups of up to 16 bytes.
pub(crate) fn access_pieces(size: u64, align: u32) -> Vec<Vec<Part>> {
    let mut pieces = Vec::new();
    let mut offset = 0;
    let widest = u64::from(align.max(1)).min(8);
    let mut group = Vec::new();
    while offset < size {
        let mut step = widest;
        while step > size - offset {
            step /= 2;
        }
        let scalar = Scalar::Int(step as u32 * 8);
        let class = Class::of_integer(step as u32 * 8);
        group.push(Part { scalar, class, offset });
        offset += step;
        if offset.is_multiple_of(16) {
            pieces.push(std::mem::take(&mut group));
        }
    }
    if !group.is_empty() {
        pieces.push(group);
    }
    pieces
}

/// Offsets and sizes of the pieces of a part, each aligned and of a power of two.
fn pieces(part: &Part, align: u32) -> Vec<(u64, u64)> {
    let total = bytes(part.scalar);
    let mut pieces = Vec::new();
    let mut offset = 0;
    while offset < total {
        let mut size = align_at(align, part.offset + offset).min(8);
        while size > total - offset {
            size /= 2;
        }
        pieces.push((offset, size));
        offset += size;
    }
    pieces
}
