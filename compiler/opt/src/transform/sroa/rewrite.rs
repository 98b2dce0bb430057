//! Puts accesses of the pieces of an alloca in the place of the accesses of the whole.

use warpsmith_ir::{Access as Mode, BinaryOp, CastOp, Function, Instruction, InstructionId, Type, Value};

use super::{
    pieces::{self, Kind, Piece},
    uses::{Access, Transfer, Uses},
};
use crate::{
    address::align_at,
    edit,
    intrinsics::{self, TransferKind},
    pipeline::Unit,
};

/// Removes an alloca that is neither read nor written.
pub(super) fn remove_unused(function: &mut Function, unit: &Unit<'_>, alloca: InstructionId, uses: &Uses) -> bool {
    unit.fuel.take() && {
        remove(function, alloca, uses);
        true
    }
}

fn remove(function: &mut Function, alloca: InstructionId, uses: &Uses) {
    for &marker in &uses.markers {
        function.remove_instruction(marker);
    }
    // Users of an address are found after it.
    for &address in uses.addresses.iter().rev() {
        function.remove_instruction(address);
    }
    function.remove_instruction(alloca);
}

/// Rewrites all uses. The pieces cover the alloca in order.
pub(super) fn rewrite(function: &mut Function, alloca: InstructionId, uses: &Uses, pieces: &[Piece]) -> bool {
    let mut rewriter = Rewriter::new(function, alloca, pieces);
    for access in &uses.accesses {
        rewriter.access(access);
    }
    for transfer in &uses.transfers {
        rewriter.transfer(transfer);
    }
    remove(function, alloca, uses);
    true
}

struct Rewriter<'f> {
    function: &'f mut Function,
    pieces: &'f [Piece],
    /// The alloca of each piece that has one.
    slots: Vec<Option<Value>>,
    align: u32,
}

impl<'f> Rewriter<'f> {
    fn new(function: &'f mut Function, alloca: InstructionId, pieces: &'f [Piece]) -> Rewriter<'f> {
        let (align, space) = match function.instruction(alloca) {
            Instruction::Alloca { align, .. } => (*align, function.result_type(alloca)),
            _ => (1, Type::POINTER),
        };
        let one = Value::Constant(function.context().int(32, 1));
        let name = function.name(Value::Instruction(alloca)).map(str::to_owned);
        let mut slots = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let ty = match piece.kind {
                Kind::Scalar(ty) => ty,
                Kind::Memory => function.context().array(Type::I8, piece.end - piece.begin),
                Kind::Dead => {
                    slots.push(None);
                    continue;
                }
            };
            let instruction = Instruction::Alloca {
                ty,
                count: one,
                align: align_at(align, piece.begin),
            };
            let slot = Value::Instruction(function.insert_before(alloca, instruction, space));
            if let Some(name) = &name {
                function.set_name(slot, name);
            }
            slots.push(Some(slot));
        }
        Rewriter {
            function,
            pieces,
            slots,
            align,
        }
    }

    /// The pieces of a range, which begins and ends at cuts.
    fn range(&self, begin: u64, size: u64) -> std::ops::Range<usize> {
        let first = self.pieces.partition_point(|piece| piece.begin < begin);
        let last = self.pieces.partition_point(|piece| piece.begin < begin + size);
        first..last
    }

    fn slot_align(&self, piece: usize) -> u32 {
        align_at(self.align, self.pieces[piece].begin)
    }

    /// Loads a scalar piece.
    fn load(&mut self, at: InstructionId, piece: usize, ty: Type) -> Value {
        let Some(pointer) = self.slots[piece] else {
            return Value::Constant(self.function.context().undef(ty));
        };
        let access = Mode::aligned(self.slot_align(piece));
        edit::insert(self.function, at, Instruction::Load { pointer, access }, ty)
    }

    fn store(&mut self, at: InstructionId, piece: usize, value: Value) {
        let Some(pointer) = self.slots[piece] else { return };
        let access = Mode::aligned(self.slot_align(piece));
        edit::insert(
            self.function,
            at,
            Instruction::Store { pointer, value, access },
            Type::Void,
        );
    }

    fn access(&mut self, access: &Access) {
        let id = access.id;
        match self.function.instruction(id) {
            Instruction::Load { .. } => {
                let ty = self.function.result_type(id);
                let value = self.read(id, access.offset, access.size, ty);
                self.function.replace_and_remove(id, value);
            }
            Instruction::Store { value, .. } => {
                let value = *value;
                self.write(id, access.offset, access.size, value);
                self.function.remove_instruction(id);
            }
            _ => {}
        }
    }

    /// Whether each lane of a vector at an offset is made of whole pieces.
    fn lanes_are_pieces(&self, begin: u64, size: u64, lanes: u64) -> bool {
        size.is_multiple_of(lanes)
            && (0..lanes).all(|lane| {
                let at = begin + lane * (size / lanes);
                self.pieces.binary_search_by_key(&at, |piece| piece.begin).is_ok()
            })
    }

    /// The value of a range.
    fn read(&mut self, at: InstructionId, begin: u64, size: u64, ty: Type) -> Value {
        let range = self.range(begin, size);
        if range.len() == 1
            && let Kind::Scalar(piece) = self.pieces[range.start].kind
        {
            let value = self.load(at, range.start, piece);
            return edit::coerce(self.function, at, value, ty);
        }
        if let Some(lanes) = self.function.context().lanes(ty)
            && self.lanes_are_pieces(begin, size, lanes)
        {
            return self.read_lanes(at, begin, size, lanes, ty);
        }
        let whole = Type::Int(size as u32 * 8);
        let mut sum: Option<Value> = None;
        for index in range {
            let piece = self.pieces[index];
            let Kind::Scalar(scalar) = piece.kind else { continue };
            let bits = Type::Int((piece.end - piece.begin) as u32 * 8);
            let value = self.load(at, index, scalar);
            let value = edit::coerce(self.function, at, value, bits);
            let value = edit::cast(self.function, at, CastOp::ZExt, value, whole);
            let shift = i128::from(piece.begin - begin) * 8;
            let value = edit::binary_int(self.function, at, BinaryOp::Shl, value, shift);
            sum = Some(match sum {
                Some(sum) => edit::binary(self.function, at, BinaryOp::Or, sum, value),
                None => value,
            });
        }
        let sum = sum.unwrap_or_else(|| Value::Constant(self.function.context().undef(whole)));
        edit::coerce(self.function, at, sum, ty)
    }

    fn read_lanes(&mut self, at: InstructionId, begin: u64, size: u64, lanes: u64, ty: Type) -> Value {
        let scalar = self.function.context().scalar(ty);
        let step = size / lanes;
        let mut vector = Value::Constant(self.function.context().poison(ty));
        for lane in 0..lanes {
            let element = self.read(at, begin + lane * step, step, scalar);
            let index = Value::Constant(self.function.context().int(32, i128::from(lane)));
            let insert = Instruction::InsertElement { vector, element, index };
            vector = edit::insert(self.function, at, insert, ty);
        }
        vector
    }

    /// Gives a range a value.
    fn write(&mut self, at: InstructionId, begin: u64, size: u64, value: Value) {
        let range = self.range(begin, size);
        if range.len() == 1 {
            if let Kind::Scalar(piece) = self.pieces[range.start].kind {
                let value = edit::coerce(self.function, at, value, piece);
                self.store(at, range.start, value);
            }
            return;
        }
        let ty = self.function.type_of(value);
        if let Some(lanes) = self.function.context().lanes(ty)
            && self.lanes_are_pieces(begin, size, lanes)
        {
            let scalar = self.function.context().scalar(ty);
            for lane in 0..lanes {
                let index = Value::Constant(self.function.context().int(32, i128::from(lane)));
                let extract = Instruction::ExtractElement { vector: value, index };
                let element = edit::insert(self.function, at, extract, scalar);
                self.write(at, begin + lane * (size / lanes), size / lanes, element);
            }
            return;
        }
        let bits = edit::coerce(self.function, at, value, Type::Int(size as u32 * 8));
        for index in range {
            let piece = self.pieces[index];
            let Kind::Scalar(scalar) = piece.kind else { continue };
            let shift = i128::from(piece.begin - begin) * 8;
            let part = edit::binary_int(self.function, at, BinaryOp::LShr, bits, shift);
            let narrow = Type::Int((piece.end - piece.begin) as u32 * 8);
            let part = edit::cast(self.function, at, CastOp::Trunc, part, narrow);
            let part = edit::coerce(self.function, at, part, scalar);
            self.store(at, index, part);
        }
    }

    fn transfer(&mut self, transfer: &Transfer) {
        let id = transfer.id;
        let Some(what) = intrinsics::transfer(self.function, id) else {
            return;
        };
        for index in self.range(transfer.offset, transfer.size) {
            let piece = self.pieces[index];
            let at = piece.begin - transfer.offset;
            let size = piece.end - piece.begin;
            match (what.kind, transfer.reads) {
                (TransferKind::Fill { byte }, _) => self.fill(id, index, byte),
                (TransferKind::Copy { .. } | TransferKind::Move { .. }, true) => {
                    let outside = edit::offset(self.function, id, what.destination, at);
                    self.copy(id, index, outside, align_at(what.destination_align, at), size, true);
                }
                (TransferKind::Copy { source } | TransferKind::Move { source }, false) => {
                    if piece.kind != Kind::Dead {
                        let outside = edit::offset(self.function, id, source, at);
                        self.copy(id, index, outside, align_at(what.source_align, at), size, false);
                    }
                }
            }
        }
        self.function.remove_instruction(id);
    }

    fn fill(&mut self, at: InstructionId, index: usize, byte: Value) {
        let piece = self.pieces[index];
        match piece.kind {
            Kind::Dead => {}
            Kind::Scalar(ty) => {
                let bits = Type::Int((piece.end - piece.begin) as u32 * 8);
                let value = edit::cast(self.function, at, CastOp::ZExt, byte, bits);
                let ones = pieces::is_whole_bytes(self.function.context(), bits)
                    .then(|| (0..piece.end - piece.begin).fold(0u128, |ones, _| ones << 8 | 1));
                let ones = Value::Constant(crate::fold::int_constant(
                    self.function.context(),
                    bits,
                    ones.unwrap_or(1),
                ));
                let value = edit::binary(self.function, at, BinaryOp::Mul, value, ones);
                let value = edit::coerce(self.function, at, value, ty);
                self.store(at, index, value);
            }
            Kind::Memory => {
                if let Some(pointer) = self.slots[index] {
                    let align = self.slot_align(index);
                    intrinsics::insert_fill(self.function, at, pointer, align, byte, piece.end - piece.begin);
                }
            }
        }
    }

    /// Copies a piece from or to memory outside.
    fn copy(&mut self, at: InstructionId, index: usize, outside: Value, align: u32, size: u64, reads: bool) {
        match self.pieces[index].kind {
            Kind::Dead => {}
            Kind::Scalar(ty) => {
                let access = Mode::aligned(align);
                if reads {
                    let value = self.load(at, index, ty);
                    let store = Instruction::Store {
                        pointer: outside,
                        value,
                        access,
                    };
                    edit::insert(self.function, at, store, Type::Void);
                } else {
                    let load = Instruction::Load {
                        pointer: outside,
                        access,
                    };
                    let value = edit::insert(self.function, at, load, ty);
                    self.store(at, index, value);
                }
            }
            Kind::Memory => {
                let Some(slot) = self.slots[index] else { return };
                let slot = (slot, self.slot_align(index));
                let (to, from) = if reads {
                    ((outside, align), slot)
                } else {
                    (slot, (outside, align))
                };
                intrinsics::insert_copy(self.function, at, to, from, size);
            }
        }
    }
}
