//! Metadata of sparse matrices: put in order, and made for products of a wider type.
//!
//! Four bits of metadata stand for a chunk of four elements, of which two are stored: the place of the first in the lower two bits, that of the second in the
//! upper two. `mma.sp` takes them in any order; the products of halves and bytes of sm_100 and later want the lower place first, as
//! `mma.sp::ordered_metadata` promises it (ptxas 13.0.88 puts those of f16 and of bytes in order there, by a function that it calls). Putting them in order
//! swaps the elements, too, and changes no result. Which lane has which bits: the emulator's `matrix::sparse`.

use warpsmith_ptx::table::Type;
use warpsmith_sass::{
    FieldName as F, Opcode as O,
    tables::{Cmp, Combine},
};
use warpsmith_target::Feature;

use super::{
    Lowered, Lowering, UNSUPPORTED,
    matrix::Product,
    steps::{A, B, C, LEFT, RIGHT, logic, number, permute, product, select, shift},
};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, Word},
};

/// Groups of four lanes: the lane is an index within them.
const QUADS: u32 = 0x1c03;
/// `PRMT`: the word as it is.
const AS_IT_IS: u32 = 0x3210;

impl Lowering<'_> {
    /// The value that a lane has in a register; `groups`: the bits of `SHFL`'s last operand.
    pub(super) fn read_lane(
        &mut self,
        word: impl Into<Source>,
        lane: impl Into<Source>,
        groups: u32,
    ) -> Lowered<Register> {
        self.step(
            Request::new(O::Shfl)
                .from(word)
                .from(lane)
                .from(number(groups))
                .text(F::Mode, "IDX"),
        )
    }

    /// The lane's own number.
    pub(super) fn own_lane(&mut self) -> Lowered<Register> {
        self.step(Request::new(O::S2r).form("R_S").text(F::SpecialRegister, "SR_LANEID"))
    }

    /// Whether the machine wants metadata in order that may be in none.
    pub(super) fn wants_order(&self, product: &Product) -> bool {
        // `QMMA` takes them as they are; an element of 32 bits has one place only.
        let narrow = matches!(product.a, Type::E4m3 | Type::E5m2) && !self.selector.has(O::Qmma);
        let asks = matches!(
            product.a,
            Type::F16 | Type::Bf16 | Type::S8 | Type::U8 | Type::S4 | Type::U4
        );
        product.sparse.is_some()
            && !product.ordered
            && self.function.sm.has(Feature::OrderedMetadata)
            && (asks || narrow)
    }

    /// A with its metadata in order.
    pub(super) fn in_order(&mut self, product: &Product, a: Register) -> Lowered<(Product, Register)> {
        let (metadata, selector) = product.sparse.ok_or(UNSUPPORTED)?;
        let turned = self.places_turned(metadata)?;
        let sorted = self.sorted_places(metadata, turned)?;
        let count = self.function.info(a).words;
        let halves = matches!(product.a, Type::F16 | Type::Bf16);
        let lane = self.own_lane()?;
        let place = self.step(logic(lane, number(3), Value::Zero, A & B))?;
        let amount = self.step(shift(place, number(if halves { 2 } else { 3 }), Value::Zero, LEFT))?;
        let swapped = self.temporary(count);
        for word in 0..count {
            // The lane of the group of four that has the metadata of this register's row and columns.
            let from = match (halves, count) {
                (true, 2) => selector,
                (true, _) => 2 * selector + u32::from(word / 2),
                (false, 2) => 2 * selector + u32::from(word % 2),
                (false, _) => u32::from(word),
            };
            let flags = self.read_lane(turned, number(from), QUADS)?;
            // Two rows share a register of metadata of halves.
            let flags = match halves && word % 2 == 1 {
                true => self.step(shift(Value::Zero, number(16), flags, RIGHT))?,
                false => flags,
            };
            let flags = self.step(shift(Value::Zero, amount, flags, RIGHT))?;
            let order = if halves {
                self.order_of_halves(flags)?
            } else {
                self.order_of_bytes(flags)?
            };
            let request = Request::new(O::Prmt).from(a.word(word)).from(order).from(Value::Zero);
            self.emit_bare(request.to(swapped.word(word)))?;
        }
        let product = Product {
            sparse: Some((sorted, selector)),
            ordered: true,
            ..*product
        };
        Ok((product, swapped))
    }

    /// The lowest bit of each four bits says whether the first place is above the second.
    fn places_turned(&mut self, metadata: Register) -> Lowered<Register> {
        let first_high = self.step(shift(Value::Zero, number(1), metadata, RIGHT))?;
        let second_low = self.step(shift(Value::Zero, number(2), metadata, RIGHT))?;
        let second_high = self.step(shift(Value::Zero, number(3), metadata, RIGHT))?;
        let low = self.step(logic(metadata, second_low, Value::Zero, A & !B))?;
        let above = self.step(logic(first_high, second_high, low, (A & !B) | (!(A ^ B) & C)))?;
        self.step(logic(above, number(0x1111_1111), Value::Zero, A & B))
    }

    fn sorted_places(&mut self, metadata: Register, turned: Register) -> Lowered<Register> {
        let all = self.step(product(turned, number(15), Value::Zero))?;
        let up = self.step(shift(metadata, number(2), Value::Zero, LEFT))?;
        let down = self.step(shift(Value::Zero, number(2), metadata, RIGHT))?;
        let exchanged = self.step(logic(up, number(0xcccc_cccc), down, (A & B) | (C & !B)))?;
        self.step(logic(exchanged, all, metadata, (A & B) | (C & !B)))
    }

    /// How `PRMT` swaps the halves of a word if the lowest bit says so.
    fn order_of_halves(&mut self, flags: Register) -> Lowered<Register> {
        let swaps = self.step(logic(flags, number(1), Value::Zero, A & B))?;
        let change = self.step(product(swaps, number(0x2222), Value::Zero))?;
        self.step(logic(change, number(AS_IT_IS), Value::Zero, A ^ B))
    }

    /// How `PRMT` swaps the lower two bytes of a word if the lowest bit says so, and the upper two if bit 4 does.
    fn order_of_bytes(&mut self, flags: Register) -> Lowered<Register> {
        let lower = self.step(logic(flags, number(1), Value::Zero, A & B))?;
        let upper = self.step(logic(flags, number(0x10), Value::Zero, A & B))?;
        let lower = self.step(product(lower, number(0x11), Value::Zero))?;
        let change = self.step(product(upper, number(0x110), lower))?;
        self.step(logic(change, number(AS_IT_IS), Value::Zero, A ^ B))
    }

    /// Metadata of a product of 64 8-bit elements of depth as that of the two of 32 halves that it is made of: the chunks with even numbers, which selector 0
    /// chooses, and those with odd ones, selector 1. (As ptxas 13.0.88 splits them, sm_90.)
    pub(super) fn metadata_of_halves(&mut self, metadata: Register) -> Lowered<Register> {
        let nibbles = number(0x0f0f_0f0f);
        let even = self.step(logic(metadata, nibbles, Value::Zero, A & B))?;
        let odd = self.step(shift(Value::Zero, number(4), metadata, RIGHT))?;
        let odd = self.step(logic(odd, nibbles, Value::Zero, A & B))?;
        // Two nibbles in each of bytes 0 and 2.
        let packed = |this: &mut Self, from: Register| {
            let next = this.step(shift(Value::Zero, number(4), from, RIGHT))?;
            this.step(logic(from, next, Value::Zero, A | B))
        };
        let (even, odd) = (packed(self, even)?, packed(self, odd)?);
        let both = self.step(permute(even, 0x6420, odd))?;
        // Lanes 0 and 1 of four have row g and g + 8 of the lower columns, 2 and 3 those of the upper. Of halves a lane has both rows.
        let lane = self.own_lane()?;
        let part = self.step(logic(lane, number(1), Value::Zero, A & B))?;
        let first = self.step(shift(part, number(1), Value::Zero, LEFT))?;
        let second = self.step(logic(first, number(1), Value::Zero, A | B))?;
        let (low, high) = (
            self.read_lane(both, first, QUADS)?,
            self.read_lane(both, second, QUADS)?,
        );
        let of_even = self.step(permute(low, 0x5410, high))?;
        let of_odd = self.step(permute(low, 0x7632, high))?;
        let is_odd = self.bit_is_set(lane, 2)?;
        self.step(select(is_odd, of_odd, of_even))
    }

    /// The elements of B for the two products of halves: four of depth, which one lane has as bytes, belong to two lanes there. (As ptxas 13.0.88, sm_90.)
    pub(super) fn spread_bytes(&mut self, b: Register) -> Lowered<[Register; 2]> {
        let lane = self.own_lane()?;
        let neighbour = self.step(logic(lane, number(1), Value::Zero, A ^ B))?;
        let is_odd = self.bit_is_set(lane, 1)?;
        // Even lanes take the lower bytes of their own word, then of their neighbour's; odd ones the upper of their neighbour's, then of their own.
        let orders = [(0x0076, 0x0010), (0x0032, 0x0054)];
        let mut selectors = Vec::new();
        for (odd, even) in orders {
            let even = self.copied(number(even))?;
            selectors.push(self.step(select(is_odd.opposite(), even, number(odd)))?);
        }
        let count = self.function.info(b).words;
        let parts = [self.temporary(count), self.temporary(count)];
        for word in 0..count {
            let other = self.read_lane(b.word(word), neighbour, 0x1f)?;
            for (part, selector) in parts.iter().zip(&selectors) {
                let request = Request::new(O::Prmt).from(b.word(word)).from(*selector).from(other);
                self.emit_bare(request.to(part.word(word)))?;
            }
        }
        Ok(parts)
    }

    /// Whether one of these bits of a word is set.
    pub(super) fn bit_is_set(&mut self, word: impl Into<Word>, bits: u32) -> Lowered<Test> {
        let bit = self.step(logic(word.into(), number(bits), Value::Zero, A & B))?;
        let set = self.compare_words(Cmp::Ne, true, bit, Value::Zero, Combine::And, Test::ALWAYS)?;
        Ok(set.into())
    }
}
