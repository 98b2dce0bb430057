//! The modes of floating-point arithmetic of a function.

use warpsmith_ir::Declaration;

use crate::module::Scope;
use crate::options::Division;

/// The modes of a function: the options, as its attributes and the module's flags change them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mode {
    /// Single-precision denormals are zero.
    pub(crate) flush_denormals: bool,
    /// How single-precision quotients are computed.
    pub(crate) division: Division,
    /// Whether single-precision square roots are rounded.
    pub(crate) precise_square_root: bool,
    /// Whether a product and a sum may become one operation.
    pub(crate) contract: bool,
}

impl Mode {
    /// The modes of a function.
    pub(crate) fn of(scope: &Scope<'_>, declaration: &Declaration) -> Mode {
        let arithmetic = scope.options.arithmetic;
        let strings = &declaration.attributes.strings;
        let is = |name: &str, value: &str| strings.get(name).map(|found| found == value);
        let flag = |name: &str| {
            scope
                .module
                .symbols
                .properties
                .flags
                .iter()
                .any(|(_, flag, value)| flag == name && *value != 0)
        };
        let denormal = strings.get("denormal-fp-math-f32").or(strings.get("denormal-fp-math"));
        let flush_denormals = is("nvptx-f32ftz", "true")
            .or(denormal.map(|mode| mode.starts_with("preserve-sign") || mode.starts_with("positive-zero")))
            .unwrap_or(arithmetic.flush_denormals || flag("nvvm-reflect-ftz"));
        let unsafe_math = is("unsafe-fp-math", "true").unwrap_or(false);
        Mode {
            flush_denormals,
            division: if unsafe_math {
                Division::Approximate
            } else {
                Division::of(arithmetic)
            },
            precise_square_root: arithmetic.precise_square_root && !unsafe_math,
            contract: arithmetic.contract || unsafe_math,
        }
    }

    /// `.ftz` or nothing.
    pub(crate) fn ftz(self) -> &'static str {
        if self.flush_denormals { ".ftz" } else { "" }
    }
}
