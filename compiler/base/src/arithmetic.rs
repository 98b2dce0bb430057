//! What floating-point arithmetic may be where a program does not say.

/// The modes of floating-point arithmetic, under the same names for every step of a compile.
///
/// The front end marks instructions with them, the optimiser folds constants by them, and instruction selection and the back end choose instructions by
/// them. A step that knew another value than the one before would round differently from what was folded.
///
/// ```
/// use warpsmith_base::Arithmetic;
///
/// let usual = Arithmetic::default();
/// assert!(usual.contract && usual.precise_division && !usual.flush_denormals);
/// let fast = Arithmetic::fast();
/// assert!(fast.flush_denormals && !fast.precise_square_root);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arithmetic {
    /// Subnormal numbers of single precision are zero, as operands and as results (nvcc's `-ftz=true`).
    pub flush_denormals: bool,
    /// A product and a sum may become one operation with one rounding (nvcc's `-fmad=true`).
    pub contract: bool,
    /// Quotients of single precision are rounded as IEEE 754 says (nvcc's `-prec-div=true`).
    pub precise_division: bool,
    /// Square roots of single precision are rounded as IEEE 754 says (nvcc's `-prec-sqrt=true`).
    pub precise_square_root: bool,
    /// What nvcc's `-use_fast_math` means beyond the four modes above: functions such as `sinf` become the instructions that approximate them.
    pub fast_math: bool,
}

impl Arithmetic {
    /// All that `-use_fast_math` stands for.
    pub const fn fast() -> Arithmetic {
        Arithmetic {
            flush_denormals: true,
            contract: true,
            precise_division: false,
            precise_square_root: false,
            fast_math: true,
        }
    }
}

/// What nvcc does without options.
impl Default for Arithmetic {
    fn default() -> Arithmetic {
        Arithmetic {
            flush_denormals: false,
            contract: true,
            precise_division: true,
            precise_square_root: true,
            fast_math: false,
        }
    }
}
