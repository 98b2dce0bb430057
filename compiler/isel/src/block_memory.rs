//! Copies and fills of memory: written out up to a size, by loops beyond it.

use warpsmith_ir::{AddressSpace, Call, Value};

use crate::address::{Base, Place};
use crate::function::{Lowering, Upper, emit};
use crate::memory::{Kind, access_pieces};
use crate::register::{Class, Operand, Register};
use crate::signature::attributes_of;
use crate::value::space_suffix;

/// Up to how many bytes are written out.
const UNROLLED: u64 = 128;

impl Lowering<'_> {
    /// `llvm.memcpy` and `llvm.memmove`.
    pub(crate) fn lower_copy(&mut self, call: &Call, overlapping: bool) {
        let [to, from, length, ..] = call.arguments[..] else {
            return;
        };
        let (to_align, from_align) = (self.pointer_align(call, 0), self.pointer_align(call, 1));
        let kind = self.block_kind(call);
        let (to, from) = (self.place(to), self.place(from));
        let length = self.length(length);
        if let Operand::Integer(_, bytes) = length {
            let bytes = bytes as u64;
            if bytes <= UNROLLED || from.space == AddressSpace::PARAMETER {
                return self.copy_unrolled(&to, to_align, &from, from_align, bytes, &kind);
            }
        }
        let align = to_align.min(from_align);
        if !overlapping {
            return self.copy_forward(&to, &from, length, align, &kind);
        }
        let backward = self.new_label();
        let done = self.new_label();
        let (target, source) = (self.generic_address(&to), self.generic_address(&from));
        let below = self.register(Class::Predicate);
        // Upwards in memory the last bytes go first.
        emit!(self, "setp.lt.u64 {below}, {source}, {target}");
        emit!(self, "@{below} bra {backward}");
        self.copy_forward(&to, &from, length, align, &kind);
        emit!(self, "bra.uni {done}");
        self.place_label(&backward);
        self.copy_backward(&to, &from, length, &kind);
        self.place_label(&done);
    }

    fn block_kind(&mut self, call: &Call) -> Kind {
        let volatile = call
            .arguments
            .get(3)
            .is_some_and(|&value| self.operand(value).integer().is_some_and(|bit| bit != 0));
        Kind {
            order: if volatile { ".volatile" } else { "" },
            ..Kind::default()
        }
    }

    fn pointer_align(&self, call: &Call, number: usize) -> u32 {
        attributes_of(&call.argument_attributes, number).align.max(1)
    }

    /// A number of bytes in 64 bits.
    fn length(&mut self, length: Value) -> Operand {
        let bits = self.scalar_of(length).map_or(64, |scalar| scalar.bits());
        let operand = self.operand(length);
        self.widen(operand, bits, false, Upper::Unknown, Class::B64)
    }

    fn generic_address(&mut self, place: &Place) -> Register {
        let address = self.place_address(place);
        if place.space == AddressSpace::GENERIC {
            return address;
        }
        let generic = self.register(Class::B64);
        emit!(self, "cvta{}.u64 {generic}, {address}", space_suffix(place.space));
        generic
    }

    /// A copy of an address that a loop may change.
    fn cursor(&mut self, place: &Place) -> Register {
        let address = self.place_address(place);
        let cursor = self.register(Class::B64);
        emit!(self, "mov.u64 {cursor}, {address}");
        cursor
    }

    /// Copies in words of the alignment, then what is left in bytes.
    fn copy_forward(&mut self, to: &Place, from: &Place, length: Operand, align: u32, kind: &Kind) {
        let (target, source) = (self.cursor(to), self.cursor(from));
        let width = u64::from(align.min(8));
        self.in_words(length, width, |lowering, width| {
            let (at_target, at_source) = (at(target, to.space), at(source, from.space));
            let pieces = access_pieces(width, width as u32);
            for parts in &pieces {
                let values = lowering.load_parts(parts, &at_source, width as u32, kind);
                lowering.store_parts(parts, &values, &at_target, width as u32, kind);
            }
            emit!(lowering, "add.s64 {source}, {source}, {width}");
            emit!(lowering, "add.s64 {target}, {target}, {width}");
        });
    }

    /// Copies byte by byte from the end.
    fn copy_backward(&mut self, to: &Place, from: &Place, length: Operand, kind: &Kind) {
        let (target, source) = (self.cursor(to), self.cursor(from));
        emit!(self, "add.s64 {source}, {source}, {length}");
        emit!(self, "add.s64 {target}, {target}, {length}");
        self.in_words(length, 1, |lowering, _| {
            emit!(lowering, "add.s64 {source}, {source}, -1");
            emit!(lowering, "add.s64 {target}, {target}, -1");
            let parts = &access_pieces(1, 1)[0];
            let values = lowering.load_parts(parts, &at(source, from.space), 1, kind);
            lowering.store_parts(parts, &values, &at(target, to.space), 1, kind);
        });
    }

    /// Writes a loop over `length` bytes in steps of `width`, and one for the bytes that are left.
    fn in_words(&mut self, length: Operand, width: u64, mut body: impl FnMut(&mut Self, u64)) {
        for step in if width == 1 { vec![1] } else { vec![width, 1] } {
            let count = match length {
                Operand::Integer(_, bytes) => {
                    let count = if step == width {
                        bytes as u64 / width
                    } else {
                        bytes as u64 % width
                    };
                    if count == 0 {
                        continue;
                    }
                    Operand::Integer(Class::B64, count as i64)
                }
                bytes if width == 1 => bytes,
                bytes => {
                    let count = self.register(Class::B64);
                    if step == width {
                        emit!(self, "shr.u64 {count}, {bytes}, {}", width.trailing_zeros());
                    } else {
                        emit!(self, "and.b64 {count}, {bytes}, {}", width - 1);
                    }
                    count.into()
                }
            };
            let left = self.register(Class::B64);
            emit!(self, "mov.u64 {left}, {count}");
            let (again, done) = (self.new_label(), self.new_label());
            if count.integer().is_none() {
                let nothing = self.register(Class::Predicate);
                emit!(self, "setp.eq.s64 {nothing}, {left}, 0");
                emit!(self, "@{nothing} bra {done}");
            }
            self.place_label(&again);
            body(self, step);
            let more = self.register(Class::Predicate);
            emit!(self, "add.s64 {left}, {left}, -1");
            emit!(self, "setp.ne.s64 {more}, {left}, 0");
            emit!(self, "@{more} bra {again}");
            self.place_label(&done);
        }
    }

    /// `llvm.memset`.
    pub(crate) fn lower_fill(&mut self, call: &Call) {
        let [to, byte, length, ..] = call.arguments[..] else {
            return;
        };
        let align = self.pointer_align(call, 0);
        let kind = self.block_kind(call);
        let byte = self.operand(byte);
        let place = self.place(to);
        let length = self.length(length);
        if let Operand::Integer(_, bytes) = length
            && bytes as u64 <= UNROLLED
        {
            for parts in access_pieces(bytes as u64, align) {
                let values: Vec<Operand> = parts
                    .iter()
                    .map(|part| self.repeated(byte, part.class, part.scalar.bits()))
                    .collect();
                self.store_parts(&parts, &values, &place, align, &kind);
            }
            return;
        }
        let target = self.cursor(&place);
        let width = u64::from(align.min(8));
        let word = {
            let bits = width as u32 * 8;
            self.repeated(byte, Class::of_integer(bits), bits)
        };
        self.in_words(length, width, |lowering, step| {
            let value = if step == width { word } else { byte };
            let parts = &access_pieces(step, step as u32)[0];
            lowering.store_parts(parts, &[value], &at(target, place.space), step as u32, &kind);
            emit!(lowering, "add.s64 {target}, {target}, {step}");
        });
    }

    /// A byte in every byte of an integer.
    fn repeated(&mut self, byte: Operand, class: Class, bits: u32) -> Operand {
        if let Some(value) = byte.integer() {
            let all = (value as u8 as u64).wrapping_mul(0x0101_0101_0101_0101);
            return Operand::Integer(class, crate::value::sign_extend(all, bits));
        }
        if bits == 8 {
            return byte;
        }
        let wide = self.widen(byte, 8, false, Upper::Unknown, class);
        let wide = self.zero_extended(wide, 8, Upper::Unknown);
        let result = self.register(class);
        let ones = crate::value::sign_extend(0x0101_0101_0101_0101, bits);
        emit!(self, "mul.lo.s{} {result}, {wide}, {ones}", class.bits());
        result.into()
    }
}

fn at(register: Register, space: AddressSpace) -> Place {
    Place {
        base: Base::Operand(register.into()),
        offset: 0,
        space,
    }
}
