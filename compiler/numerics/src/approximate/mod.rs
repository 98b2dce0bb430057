//! The approximate functions of the hardware: reciprocal, roots, sine, cosine, logarithm, exponential and hyperbolic tangent.
//!
//! The special function unit looks up three coefficients by the leading mantissa bits and evaluates a quadratic in the others with a truncated
//! squarer (Oberman and Siu, "A high-performance area-efficient multifunction interpolator", 2005). [`Function`] is that unit, as the machine
//! instruction MUFU uses it; the functions of this module are the PTX instructions, which scale around it where subnormal values count.
//!
//! # How exact
//!
//! Reciprocal, reciprocal square root, sine, cosine, exponential and logarithm follow pyxis-roc/sass-math bit for bit, on all 2^32 operands; that
//! model was compared with GPUs of sm_50 to sm_75 by its authors, and later machines are taken to be the same. So do the two forms on the upper
//! half of a double, and `rsqrt.approx.f64`, which ptxas refines from one of them. The square root (whose last bit may differ), the hyperbolic tangent and the forms on f16 and bf16 are within the
//! documented bounds, not bit exact.

mod double;
mod function;
mod half;
mod single;
mod tables;
mod tangent;
#[cfg(test)]
mod tests;
mod unit;

pub use double::{
    reciprocal_f64, reciprocal_square_root_f64, reciprocal_square_root_upper, reciprocal_upper,
    refined_reciprocal_square_root,
};
pub use function::Function;
pub use half::{both, exponential_bf16, exponential_f16, tangent_bf16, tangent_f16};
pub use single::{
    cosine, divide, divide_full, exponential, logarithm, reciprocal, reciprocal_square_root, sine, square_root, tangent,
};
