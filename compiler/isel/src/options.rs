//! What instruction selection is told beside the module.

use warpsmith_target::{PtxVersion, Sm};

/// How single-precision quotients are computed where the IR does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Division {
    /// `div.approx`: within 2 ULP in a part of the range.
    Approximate,
    /// `div.full`: within 2 ULP over the full range.
    Full,
    /// `div.rn`: rounded as IEEE 754 says.
    #[default]
    Rounded,
}

/// What the PTX is made for, and what the arithmetic may be.
///
/// ```
/// use warpsmith_isel::Options;
///
/// let options = Options::new("sm_90a".parse().unwrap());
/// assert!(options.contract && !options.flush_denormals);
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The target of the module.
    pub target: Sm,
    /// The `.version`; `None`: the newest that is known.
    pub version: Option<PtxVersion>,
    /// `-ftz=true`: single-precision denormals are flushed to zero, unless a function's attributes say otherwise.
    pub flush_denormals: bool,
    /// `-prec-div`.
    pub division: Division,
    /// `-prec-sqrt=true`: single-precision square roots are rounded as IEEE 754 says.
    pub precise_square_root: bool,
    /// `-fmad=true`: a product and a sum may become one operation with one rounding.
    pub contract: bool,
    /// `-lineinfo`: `.file` and `.loc` from the instructions' locations.
    pub line_info: bool,
    /// `-G`: locations are written, and what the module tells a debugger, as DWARF. The target is marked `debug` if the module tells anything.
    pub debug: bool,
    /// `-maxrregcount`: `.maxnreg` of kernels that state no limit.
    pub max_registers: Option<u32>,
}

impl Options {
    /// What nvcc does without options.
    pub fn new(target: Sm) -> Options {
        Options {
            target,
            version: None,
            flush_denormals: false,
            division: Division::Rounded,
            precise_square_root: true,
            contract: true,
            line_info: false,
            debug: false,
            max_registers: None,
        }
    }
}
