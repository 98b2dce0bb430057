//! The dot product with accumulation that tensor cores compute, per generation.
//!
//! What is known of it comes from papers that probed GPUs: Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor cores" (2021);
//! Khattak and Mikaitis, "Accurate models of NVIDIA tensor cores" (2025); Xie, Wang, Yang and Yang, "MMA-Sim: bit-accurate reference model of
//! tensor cores and matrix cores" (2025). The last is followed here: its authors found it equal to GPUs of all these generations bit for bit.
//!
//! A block of products and the accumulator are summed at once. Products are exact; every term is aligned to the largest exponent and cut there,
//! toward zero, to a fixed number of fraction bits; the sum is exact; the result is cut toward zero to f32 or rounded to nearest even to f16.
//! Longer products are chains of blocks, each rounded to the type of the destination. [`Dot`] is that; [`ScaledDot`] the form with a scale per
//! block of four-bit operands; [`integer`], [`bits`] and [`double`] are the exact and the IEEE ones.

mod block;
mod dot;
mod exact;
mod generation;
mod scaled;
#[cfg(test)]
mod tests;

pub use dot::{Dot, Output};
pub use exact::{BitOperation, bits, double, integer};
pub use generation::{Generation, Instruction};
pub use scaled::ScaledDot;
