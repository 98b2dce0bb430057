//! Dot products of floating-point operands without block scales.

use super::block::{Value, cut_to_f32, round_to_f16, sum};
use super::generation::{Generation, Instruction};
use crate::convert;
use crate::float::{self, Modifiers};
use crate::format::{F16, F32, Format, UE8M0};

/// The type of the accumulator and the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Output {
    /// `.f32`.
    F32,
    /// `.f16`.
    F16,
}

impl Output {
    pub(super) const fn format(self) -> Format {
        match self {
            Self::F32 => F32,
            Self::F16 => F16,
        }
    }
}

/// How a generation computes a dot product of two formats.
///
/// A published model that was compared with GPUs covers operands of eight bits and more. Narrower ones are taken to be like them, with the
/// exponents of their own encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dot {
    a: Format,
    b: Format,
    output: Output,
    /// Products of a block.
    block: usize,
    /// Fraction bits of the aligned terms.
    fraction_bits: u32,
    /// Fraction bits of an f32 result.
    kept_bits: u32,
    /// Whether eight-bit operands are unpacked to f16 and multiplied as such, as ptxas has it where `mma` has no such machine instruction.
    unpacked: bool,
}

impl Dot {
    /// The dot product of `mma`, `wmma`, `wgmma` or `tcgen05.mma` for operands of two formats: f16, bf16, tf32 or those of at most eight bits.
    ///
    /// Operands of fewer than eight bits take a byte. Those of a sparse product are the ones that are multiplied: what blocks they form is an
    /// assumption.
    pub fn new(generation: Generation, instruction: Instruction, a: Format, b: Format, output: Output) -> Self {
        let eight_bit = a.width() <= 8;
        let narrow_accumulator = eight_bit
            && match (generation, instruction) {
                (Generation::Ada, _) | (Generation::Hopper, Instruction::Wgmma) => true,
                (Generation::Hopper, Instruction::Mma | Instruction::Tcgen05)
                | (
                    Generation::Volta
                    | Generation::Turing
                    | Generation::Ampere
                    | Generation::Blackwell
                    | Generation::ConsumerBlackwell,
                    _,
                ) => false,
            };
        let unpacked = eight_bit
            && instruction == Instruction::Mma
            && matches!(generation, Generation::Hopper | Generation::Blackwell);
        let element_bytes = if unpacked { 2 } else { a.width().div_ceil(8) };
        Self {
            a,
            b,
            output,
            block: (generation.block_bytes() / element_bytes).max(1) as usize,
            fraction_bits: if narrow_accumulator {
                13
            } else {
                generation.fraction_bits()
            },
            kept_bits: if narrow_accumulator { 13 } else { 23 },
            unpacked,
        }
    }

    /// How many products are summed at once.
    pub const fn block(&self) -> usize {
        self.block
    }

    /// c plus the products, in the order of k.
    ///
    /// `c` is of the type of the result: an f16 accumulator of an f32 result is converted first.
    ///
    /// ```
    /// use warpsmith_numerics::format::F16;
    /// use warpsmith_numerics::matrix::{Dot, Generation, Instruction, Output};
    /// // 1 + 2^-24 + 2^-24
    /// let at = |generation| {
    ///     let dot = Dot::new(generation, Instruction::Mma, F16, F16, Output::F32);
    ///     dot.accumulate([(0x0c00, 0x0c00); 2].into_iter(), 0x3f80_0000)
    /// };
    /// assert_eq!((at(Generation::Volta), at(Generation::Turing)), (0x3f80_0000, 0x3f80_0001));
    /// ```
    pub fn accumulate(&self, products: impl Iterator<Item = (u64, u64)> + Clone, c: u64) -> u64 {
        self.accumulate_scaled(products, c, [UE8M0.one(); 2])
    }

    /// The same with a power of two (ue8m0) that scales every a and one for every b: `.kind::mxf8f6f4`.
    pub fn accumulate_scaled(
        &self,
        products: impl Iterator<Item = (u64, u64)> + Clone,
        c: u64,
        scales: [u64; 2],
    ) -> u64 {
        let [a, b] = scales.map(|bits| Value::of(UE8M0, bits));
        let scale = a.times(b);
        if !self.unpacked {
            return self.chain(products, c, scale);
        }
        // The lower halves of all registers are multiplied first, then the upper ones; c is added to the sum at the end.
        let halves = |upper: bool| {
            let numbered = products.clone().enumerate();
            numbered
                .filter(move |(index, _)| (index & 2 != 0) == upper)
                .map(|(_, pair)| pair)
        };
        let lower = self.chain(halves(false), 0, scale);
        let both = self.chain(halves(true), lower, scale);
        float::add(self.output.format(), Modifiers::default(), c, both)
    }

    /// The blocks one after the other.
    fn chain(&self, mut products: impl Iterator<Item = (u64, u64)> + Clone, c: u64, scale: Value) -> u64 {
        let mut accumulator = c;
        let mut first = true;
        while first || products.clone().next().is_some() {
            let terms = products.clone().take(self.block);
            let terms = terms.map(|(a, b)| self.factor(self.a, a).times(self.factor(self.b, b)).times(scale));
            accumulator = self.block_sum(terms, accumulator);
            products.by_ref().take(self.block).for_each(drop);
            first = false;
        }
        accumulator
    }

    /// A factor as the tensor core sees it: what is unpacked is a half, of which only the smallest have the lowest exponent.
    fn factor(&self, format: Format, bits: u64) -> Value {
        if self.unpacked {
            Value::of(
                F16,
                convert::float_to_float(format, F16, convert::Modifiers::default(), bits),
            )
        } else {
            Value::of(format, bits)
        }
    }

    fn block_sum(&self, products: impl Iterator<Item = Value> + Clone, c: u64) -> u64 {
        let format = self.output.format();
        let terms = products.chain(core::iter::once(Value::of(format, c)));
        match self.output {
            Output::F32 => sum(
                terms,
                self.fraction_bits,
                |value| cut_to_f32(value, self.kept_bits),
                format,
            ),
            Output::F16 => sum(terms, self.fraction_bits, round_to_f16, format),
        }
    }
}
