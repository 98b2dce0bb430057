//! The conversions of `cvt` and `cvt.pack`.
//!
//! Sources are read from the low bits of their operand, so a wider register may be given as it is. Results are zero-extended to `u64`;
//! [`Integer::extend`] widens a signed result to its register.
//!
//! * One value: [`integer_to_integer`], [`integer_to_float`], [`float_to_integer`], [`float_to_float`], [`round_to_integral`], [`to_tf32`].
//! * Two or four f32 to a packed type: [`pair`], [`stochastic_pair`], [`stochastic_quad`].
//! * Between packed types: [`repack`].
//! * `cvt.pack`: [`pack_integers`].

mod float;
mod integer;
mod packed;

pub use float::{float_to_float, round_to_integral, to_tf32};
pub use integer::{
    Integer, S8, S16, S32, S64, U8, U16, U32, U64, float_to_integer, integer_to_float, integer_to_integer,
    pack_integers,
};
pub use packed::{pair, repack, stochastic_pair, stochastic_quad};

use crate::float::Clamp;
use crate::round::{Overflow, Rounding};

/// The modifiers of a conversion to a floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Modifiers {
    /// How the value is rounded. The integer roundings `.rni`, `.rzi`, `.rmi` and `.rpi` are those of the same direction.
    pub rounding: Rounding,
    /// `.ftz`: a subnormal f32 source or result becomes the zero of its sign. Other formats are not touched.
    pub ftz: bool,
    /// `.sat` or `.relu`.
    pub clamp: Clamp,
    /// `.satfinite`: [`Overflow::LargestFinite`].
    pub overflow: Overflow,
}

impl From<Rounding> for Modifiers {
    fn from(rounding: Rounding) -> Self {
        Self {
            rounding,
            ..Self::default()
        }
    }
}
