//! `.nv.compat`: what the code needs of its target. In files for sm_90 and up.
//!
//! The records are those of `.nv.info` (see [`crate::info`]) with codes of their own. Names: observed with cuobjdump
//! 13.1 on a section with every code from 0 to 31; the values are those that ptxas 13.0 writes.

use crate::info::{InfoFormat, InfoRecord, InfoValue};

/// One attribute of `.nv.compat`.
#[derive(Clone, Copy, Debug)]
pub struct CompatRow {
    /// The code.
    pub code: u8,
    /// The name; `None` where cuobjdump has none.
    pub name: Option<&'static str>,
    /// The format that ptxas writes; `None` where it does not write the attribute.
    pub format: Option<InfoFormat>,
    /// What the value means.
    pub meaning: &'static str,
}

const fn row(code: u8, name: Option<&'static str>, format: Option<InfoFormat>, meaning: &'static str) -> CompatRow {
    CompatRow {
        code,
        name,
        format,
        meaning,
    }
}

use InfoFormat::{Byte, Half, Sized};

/// All attributes, by code.
#[rustfmt::skip]
pub const COMPAT_ATTRIBUTES: &[CompatRow] = &[
    row(0,  Some("EICOMPAT_ATTR_ERROR"),                             None,        "end of the defined codes"),
    row(1,  Some("EICOMPAT_ATTR_PAD"),                               None,        "padding"),
    row(2,  Some("EICOMPAT_ATTR_ISA_CLASS"),                         Some(Byte),  "1 to 4: how particular to the SM the instructions are (inferred)"),
    row(3,  Some("EICOMPAT_ATTR_INST_TENSORMAP_V1"),                 Some(Byte),  "1: tensor maps are used, 2: changed; 3 seen"),
    row(4,  Some("EICOMPAT_ATTR_INST_TCGEN05_MMA_DEPRECATED"),       None,        ""),
    row(5,  Some("EICOMPAT_ATTR_INST_TCGEN05_MMA"),                  Some(Byte),  "5; 6 with tcgen05.mma.kind::i8"),
    row(6,  Some("EICOMPAT_ATTR_ENABLE_OPPORTUNISTIC_FINALIZATION"), Some(Byte),  "1: code may be finalized for a related SM"),
    row(7,  None,                                                    Some(Half),  "0x0101 in all files seen"),
    row(9,  Some("EICOMPAT_ATTR_CUDA_ACCELERATOR_TARGET"),           Some(Byte),  "1 for an sm_NNa target, 0 for plain and f targets"),
    row(10, Some("EICOMPAT_ATTR_CUDA_DRIVER_VERSION"),               None,        ""),
    row(11, Some("EICOMPAT_ATTR_CAN_FASTPATH_FINALIZE"),             Some(Sized), "two words: a bit set that depends on the SM, and 0"),
    row(12, Some("EICOMPAT_ATTR_CUDA_INTERNAL_TARGET"),              None,        ""),
    row(14, Some("EICOMPAT_ATTR_FINALIZER_VERSION"),                 None,        ""),
    row(15, Some("EICOMPAT_ATTR_MIN_FINALIZER_VERSION_FOR_MVC"),     None,        ""),
    row(16, Some("EICOMPAT_ATTR_ERROR_LAST"),                        None,        "end of the defined codes"),
];

/// `EICOMPAT_ATTR_CUDA_ACCELERATOR_TARGET`.
pub const ACCELERATOR_TARGET: u8 = 9;

/// The row of a code.
pub fn compat_row(code: u8) -> Option<&'static CompatRow> {
    let at = COMPAT_ATTRIBUTES.binary_search_by_key(&code, |row| row.code).ok()?;
    Some(&COMPAT_ATTRIBUTES[at])
}

/// Whether the records say that the code is for an accelerated (`a`) target.
pub fn is_accelerated(records: &[InfoRecord]) -> bool {
    let target = records.iter().find(|record| record.attribute.0 == ACCELERATOR_TARGET);
    target.is_some_and(|record| matches!(record.value, InfoValue::Byte(1, _)))
}
