//! What instruction selection is told beside the module.

use warpsmith_base::Arithmetic;
use warpsmith_target::{PtxVersion, Sm};

/// How single-precision quotients are computed where the IR does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Division {
    /// `div.approx`: within 2 ULP in a part of the range.
    Approximate,
    /// `div.full`: within 2 ULP over the full range.
    Full,
    /// `div.rn`: rounded as IEEE 754 says.
    Rounded,
}

impl Division {
    /// How quotients are computed in a mode of arithmetic.
    pub(crate) fn of(arithmetic: Arithmetic) -> Division {
        match (arithmetic.precise_division, arithmetic.fast_math) {
            (true, _) => Division::Rounded,
            (false, false) => Division::Full,
            (false, true) => Division::Approximate,
        }
    }
}

/// What the PTX is made for, and what the arithmetic may be.
///
/// ```
/// use warpsmith_isel::Options;
///
/// let options = Options::new("sm_90a".parse().unwrap());
/// assert!(options.arithmetic.contract && !options.arithmetic.flush_denormals);
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The target of the module.
    pub target: Sm,
    /// The `.version`; `None`: see [`warpsmith_ptx::written_version`].
    pub version: Option<PtxVersion>,
    /// What floating-point arithmetic may be, unless a function's attributes say otherwise.
    pub arithmetic: Arithmetic,
    /// `-lineinfo`: `.file` and `.loc` from the instructions' locations.
    pub line_info: bool,
    /// `-G`: locations are written, and what the module tells a debugger, as DWARF. The target is marked `debug` if the module tells anything.
    pub debug: bool,
    /// `-maxrregcount`: `.maxnreg` of kernels that state no limit.
    pub maximum_registers: Option<u32>,
}

impl Options {
    /// What nvcc does without options.
    pub fn new(target: Sm) -> Options {
        Options {
            target,
            version: None,
            arithmetic: Arithmetic::default(),
            line_info: false,
            debug: false,
            maximum_registers: None,
        }
    }
}
