//! The executable meaning of the arithmetic of PTX: what every scalar, packed and conversion operation gives, bit for bit.
//!
//! Values are raw bits, zero-extended to `u64`, described by a [`format::Format`] or an integer width. Nothing here uses the host's floating
//! point, allocates or panics on any bits. Constant folders, interpreters and emulators call these functions instead of their own arithmetic.
//!
//! * [`mod@format`]: the floating-point formats from f64 down to e2m1 and ue8m0.
//! * [`round`]: unpacking and the one rounding function; [`exact`]: exact sums, products, quotients and roots.
//! * [`float`]: arithmetic, comparison, minimum and maximum, sign operations and packed lanes.
//! * [`convert`]: every conversion of `cvt` and `cvt.pack`.
//! * [`integer`], [`video`], [`dot`]: integer arithmetic, video operations and the dot products of bytes and halves.
//! * [`approximate`]: the approximate functions of the hardware; [`matrix`]: the products and sums of tensor cores.

pub mod approximate;
pub mod convert;
pub mod dot;
pub mod exact;
pub mod float;
pub mod format;
pub mod integer;
pub mod matrix;
pub mod round;
pub mod video;
