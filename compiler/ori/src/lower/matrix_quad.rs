//! `mma.m8n8k4` of halves: four products, each of four lanes of the lower half of the warp and four of the upper.
//!
//! sm_75 has it, in steps. Later generations compute it in single precision, with elements that other lanes have fetched by `SHFL`, in the order of the
//! functions that ptxas calls (observed, ptxas 13.0.88).

use warpsmith_ptx::table::Type;
use warpsmith_sass::{FieldName as F, Opcode as O};
use warpsmith_target::Feature;

use super::{
    Lowered, Lowering,
    matrix::Product,
    narrow::pack,
    steps::{A, B, RIGHT, logic, number, permute, plus, product, select, shift},
    variables::unsupported,
};
use crate::{
    ir::Register,
    select::{Request, Source, Value},
};

/// Any lane of the warp.
const WARP: u32 = 0x1f;

impl Lowering<'_> {
    /// The product, of matrices in these layouts: whether A lies by columns, whether B lies by rows.
    pub(super) fn quad_product(
        &mut self,
        product: &Product,
        layouts: [bool; 2],
        factors: [Register; 3],
    ) -> Lowered<Register> {
        if product.a != Type::F16 {
            return unsupported("this shape");
        }
        if self.function.sm.has(Feature::QuadMma) {
            return self.quad_steps(product, layouts, factors);
        }
        let ([a_by_columns, b_by_rows], [a, b, c]) = (layouts, factors);
        let lane = self.own_lane()?;
        let a = if a_by_columns { self.turned(a, lane)? } else { a };
        let b = if b_by_rows { self.turned(b, lane)? } else { b };
        match product.d {
            Type::F32 => self.quad_singles(product.c, lane, [a, b, c]),
            _ => self.quad_halves(lane, [a, b, c]),
        }
    }

    /// sm_75
    fn quad_steps(
        &mut self,
        product: &Product,
        [a_by_columns, b_by_rows]: [bool; 2],
        [a, b, c]: [Register; 3],
    ) -> Lowered<Register> {
        let layout = |by_rows: bool| if by_rows { "ROW" } else { "COL" };
        let single = product.d == Type::F32;
        let whole = self.temporary(if single { 8 } else { 4 });
        let steps = ["STEP0", "STEP1", "STEP2", "STEP3"];
        for (step, text) in (0_u8..).zip(steps).take(if single { 4 } else { 2 }) {
            let first = match (single, product.c) {
                (true, Type::F16) => step & 2,
                _ => 2 * step,
            };
            let part = self.words_of(c, first, 2)?;
            let to = self.temporary(2);
            let request = Request::new(O::Hmma)
                .to(to)
                .from(a)
                .from(b)
                .from(part)
                .text(F::Step, text)
                .text(F::ALayout, layout(!a_by_columns))
                .text(F::BLayout, layout(b_by_rows))
                .flag(F::Satfinite, product.saturates);
            let request = if single {
                let c = if product.c == Type::F32 { "F32" } else { "F16" };
                request.literal("884.F32").text(F::Accumulator, c)
            } else {
                request.literal("884.F16.F16")
            };
            self.emit(request)?;
            for word in 0..2 {
                let source = to.word(word);
                self.emit_bare(Request::new(O::Mov).to(whole.word(2 * step + word)).from(source))?;
            }
        }
        Ok(whole)
    }

    /// Four lanes have a column (row) of four elements each: each gets a row (column).
    fn turned(&mut self, from: Register, lane: Register) -> Lowered<Register> {
        let first = self.step(logic(lane, number(0x1c), Value::Zero, A & B))?;
        let own = self.step(logic(lane, number(3), Value::Zero, A & B))?;
        // The two bytes of the lane's own element of eight bytes.
        let start = self.copied(number(0x10))?;
        let element = self.step(product(own, number(0x22), start))?;
        let mut elements = Vec::new();
        for other in 0..4 {
            let other = self.step(plus(first, number(other)))?;
            let low = self.read_lane(from.word(0), other, WARP)?;
            let high = self.read_lane(from.word(1), other, WARP)?;
            elements.push(self.step(Request::new(O::Prmt).from(low).from(element).from(high))?);
        }
        let to = self.temporary(2);
        for (word, pair) in (0_u8..).zip(elements.chunks(2)) {
            if let [low, high] = pair {
                self.emit_bare(permute(*low, 0x5410, *high).to(to.word(word)))?;
            }
        }
        Ok(to)
    }

    /// Four halves of two words as singles.
    fn four_singles(&mut self, from: [Register; 2]) -> Lowered<[Register; 4]> {
        Ok([
            self.single_of_half(from[0], false)?,
            self.single_of_half(from[0], true)?,
            self.single_of_half(from[1], false)?,
            self.single_of_half(from[1], true)?,
        ])
    }

    /// The four elements that another lane has.
    fn fetched(&mut self, from: Register, lane: Register) -> Lowered<[Register; 4]> {
        let words = [
            self.read_lane(from.word(0), lane, WARP)?,
            self.read_lane(from.word(1), lane, WARP)?,
        ];
        self.four_singles(words)
    }

    /// Sums in f16: a lane has a row of A, of C and of D. Two products are added, then the other two.
    fn quad_halves(&mut self, lane: Register, [a, b, c]: [Register; 3]) -> Lowered<Register> {
        let own = [self.words_of(a, 0, 1)?, self.words_of(a, 1, 1)?];
        let row = self.four_singles(own)?;
        let first = self.step(logic(lane, number(0xc), Value::Zero, A & B))?;
        let whole = self.temporary(4);
        let mut sums = Vec::new();
        for index in 0..8_u32 {
            let from = self.step(plus(first, number(index % 4 + index / 4 * 16)))?;
            let column = self.fetched(b, from)?;
            let start = self.words_of(c, (index / 2) as u8, 1)?;
            let mut sum = self.single_of_half(start, index % 2 == 1)?;
            for k in [0, 2] {
                let part = self.step(Request::new(O::Fmul).from(row[k]).from(column[k]))?;
                let part = self.fused_singles(row[k + 1], column[k + 1], part)?;
                sum = self.step(Request::new(O::Fadd).from(sum).from(part))?;
            }
            sums.push(sum);
        }
        for (word, pair) in (0_u8..).zip(sums.chunks(2)) {
            if let [low, high] = pair {
                let to = self.temporary(1);
                self.emit_packed(pack((*high).into(), (*low).into(), "", false, false), Type::F16x2, to)?;
                self.emit_bare(Request::new(O::Mov).to(whole.word(word)).from(to))?;
            }
        }
        Ok(whole)
    }

    /// Sums in f32: a lane has elements of two rows and four columns. Four products are added from zero on, then C.
    fn quad_singles(&mut self, of_c: Type, lane: Register, [a, b, c]: [Register; 3]) -> Lowered<Register> {
        let first = self.step(logic(lane, number(0x1c), Value::Zero, A & B))?;
        let odd = self.step(logic(lane, number(1), Value::Zero, A & B))?;
        let upper = self.step(plus(first, odd))?;
        let lower = self.step(plus(upper, number(2)))?;
        let rows = [upper, lower];
        let mut of_a = Vec::new();
        for row in rows {
            of_a.push(self.fetched(a, row)?);
        }
        let start = self.step(logic(lane, number(0xe), Value::Zero, A & B))?;
        let mut of_b = Vec::new();
        for column in [0, 1, 16, 17] {
            let from = self.step(plus(start, number(column)))?;
            of_b.push(self.fetched(b, from)?);
        }
        let c = if of_c == Type::F16 {
            self.quad_start(c, lane, rows)?
        } else {
            c
        };
        let whole = self.temporary(8);
        for index in 0..8_u8 {
            let row = &of_a[usize::from(index >> 1 & 1)];
            let column = &of_b[usize::from(index >> 2) * 2 + usize::from(index & 1)];
            let mut sum = None;
            for (left, right) in row.iter().zip(column) {
                let before = sum.map_or(Value::Zero.into(), Source::from);
                sum = Some(self.fused_singles(*left, *right, before)?);
            }
            if let Some(sum) = sum {
                let request = Request::new(O::Fadd).from(c.word(index)).from(sum);
                self.emit_bare(request.to(whole.word(index)))?;
            }
        }
        Ok(whole)
    }

    /// C in f16, of which a lane has a row, as the elements in f32 that a lane has of D.
    fn quad_start(&mut self, c: Register, lane: Register, rows: [Register; 2]) -> Lowered<Register> {
        let right = self.bit_is_set(lane, 2)?;
        let whole = self.temporary(8);
        for (row, from) in (0_u8..).zip(rows) {
            for high in 0..2_u8 {
                let left_pair = self.read_lane(c.word(2 * high), from, WARP)?;
                let right_pair = self.read_lane(c.word(2 * high + 1), from, WARP)?;
                let pair = self.step(select(right, right_pair, left_pair))?;
                for odd in 0..2_u8 {
                    let value = self.single_of_half(pair, odd == 1)?;
                    let to = whole.word(4 * high + 2 * row + odd);
                    self.emit_bare(Request::new(O::Mov).to(to).from(value))?;
                }
            }
        }
        Ok(whole)
    }

    fn fused_singles(&mut self, a: Register, b: Register, c: impl Into<Source>) -> Lowered<Register> {
        self.step(Request::new(O::Ffma).from(a).from(b).from(c))
    }

    /// One half of a word as a single.
    pub(super) fn single_of_half(&mut self, pair: Register, upper: bool) -> Lowered<Register> {
        let half = if upper {
            self.step(shift(Value::Zero, number(16), pair, RIGHT))?
        } else {
            pair
        };
        let value = self.temporary(1);
        let request = Request::new(O::Hadd2)
            .to(value)
            .from(crate::select::negated(Value::Zero))
            .from(half)
            .text(F::BSwizzle, "H0_H0");
        self.emit_either(request.clone().literal("F32"), request.text(F::Type, "F32"))?;
        Ok(value)
    }
}
