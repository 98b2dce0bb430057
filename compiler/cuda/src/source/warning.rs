//! Warnings with numbers: those that nvcc gives by default, under its numbers (observed with nvcc 13.0), and what switches them off.

use super::map::{Origin, Span};

macro_rules! warnings {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $tag:literal;)*) => {
        /// A warning that can be switched off.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Warning { $( $(#[$doc])* $name, )* }

        impl Warning {
            /// Every warning.
            pub const ALL: &[Warning] = &[$(Warning::$name),*];

            /// Nvcc's number.
            pub const fn number(self) -> u32 {
                match self { $( Warning::$name => $number, )* }
            }
        }

        /// Numbers by the tags that pragmas may use in their place; empty where none is known.
        const TAGS: &[(&str, u32)] = &[$(($tag, $number)),*];
    };
}
#[rustfmt::skip]
warnings! {
    /// Arithmetic on constants does not fit its type.
    OutOfRange = 61, "integer_overflow";
    /// Integer division by a constant zero.
    DivisionByZero = 39, "division_by_zero";
    /// A shift by as many bits as there are, or more.
    ShiftTooLarge = 63, "shift_count_too_large";
    /// A negative constant becomes an unsigned number.
    SignChange = 68, "integer_sign_change";
    /// A constant loses bits.
    Truncation = 69, "integer_truncated";
    /// A floating constant becomes an integer that it does not fit.
    FloatDoesNotFit = 173, "float_to_integer_conversion";
    /// A statement computes a value and drops it.
    NoEffect = 174, "expr_has_no_effect";
    /// A local variable or label that nothing names.
    Unreferenced = 177, "declared_but_not_referenced";
    /// An argument of `printf` is not what its conversion takes.
    FormatMismatch = 181, "printf_arg_mismatch";
    /// An unsigned number compared with zero in a way that has one outcome.
    PointlessComparison = 186, "unsigned_compare_with_zero";
    /// `=` in a condition.
    AssignInCondition = 187, "assign_where_compare_meant";
    /// A specifier or attribute where it means nothing.
    AttributeDoesNotApply = 1835, "";
    /// `printf` has fewer arguments than conversions.
    TooFewForFormat = 224, "too_few_printf_args";
    /// `printf` has more arguments than conversions.
    TooManyForFormat = 225, "too_many_printf_args";
    /// A format has a conversion that there is not.
    InvalidFormat = 226, "bad_printf_format_string";
    /// A local variable that is only written.
    SetNotUsed = 550, "set_but_not_used";
    /// A function with a result whose end can be reached.
    MissingReturn = 940, "missing_return_statement";
    /// A function marked `[[deprecated]]` is used.
    Deprecated = 1444, "deprecated_entity";
    /// A list narrows a value.
    Narrowing = 2361, "narrowing_conversion";
    /// A list makes a floating number of an integer that it cannot be exactly.
    InexactNarrowing = 2364, "constant_value_not_exact";
    /// A string literal becomes a pointer to characters that may be changed.
    StringToPointer = 2464, "deprecated_string_literal_conv";
    /// The result of a function marked `[[nodiscard]]` is dropped.
    DiscardedResult = 2809, "discarded_nodiscard";
    /// A function of host and device calls one of the host alone.
    HostFromBoth = 20011, "host_call_from_host_device";
    /// The constructor of a variable in shared memory does not run.
    SharedStart = 20054, "";
}

/// What is said about a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Suppress(u32),
    Warn(u32),
    Error(u32),
    Default(u32),
    Push,
    Pop,
}

/// What the command line says about warnings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WarningOptions {
    /// `-w`: none is given.
    pub off: bool,
    /// `-Werror all-warnings`: all are errors.
    pub all_errors: bool,
    /// `-diag-suppress`: by number.
    pub suppressed: Vec<u32>,
    /// `-diag-error`: by number.
    pub errors: Vec<u32>,
}

/// A pragma about warnings, where it stands.
#[derive(Clone, Debug)]
struct Pragma {
    at: Origin,
    /// The file that it is in: its first and last origin.
    file: (Origin, Origin),
    action: Action,
}

/// How warnings are treated.
#[derive(Clone, Debug, Default)]
pub struct WarningRules {
    options: WarningOptions,
    pragmas: Vec<Pragma>,
}

/// What becomes of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    Drop,
    Warn,
    Error,
}

impl WarningRules {
    /// Sets what the command line says.
    pub fn set_options(&mut self, options: WarningOptions) {
        self.options = options;
    }

    /// Takes a pragma: its words after `nv_`, which is optional. False if it is none about warnings.
    pub(super) fn pragma(&mut self, words: &[&str], at: Origin, file: (Origin, Origin)) -> bool {
        let Some((&first, rest)) = words.split_first() else {
            return false;
        };
        let action: fn(u32) -> Action = match first.strip_prefix("nv_").unwrap_or(first) {
            "diag_suppress" => Action::Suppress,
            "diag_warning" | "diag_remark" | "diag_once" => Action::Warn,
            "diag_error" => Action::Error,
            "diag_default" => Action::Default,
            "diagnostic" => {
                let action = match rest.first() {
                    Some(&"push") => Action::Push,
                    Some(&"pop") => Action::Pop,
                    _ => return true,
                };
                self.pragmas.push(Pragma { at, file, action });
                return true;
            }
            _ => return false,
        };
        for word in rest {
            let known = TAGS.iter().find(|(tag, _)| tag == word).map(|&(_, number)| number);
            if let Some(number) = known.or_else(|| word.trim_end_matches("-D").parse().ok()) {
                let action = action(number);
                self.pragmas.push(Pragma { at, file, action });
            }
        }
        true
    }

    /// Whether warnings are errors, all of them.
    pub(super) fn all_errors(&self) -> bool {
        self.options.all_errors
    }

    /// What becomes of a warning at a place.
    pub(super) fn treatment(&self, number: Option<u32>, span: Span) -> Treatment {
        let options = &self.options;
        let Some(number) = number else {
            return match (options.off, options.all_errors) {
                (true, _) => Treatment::Drop,
                (false, true) => Treatment::Error,
                (false, false) => Treatment::Warn,
            };
        };
        let default = if options.suppressed.contains(&number) {
            Treatment::Drop
        } else if options.errors.contains(&number) {
            Treatment::Error
        } else if options.off {
            Treatment::Drop
        } else if options.all_errors {
            Treatment::Error
        } else {
            Treatment::Warn
        };
        let mut now = default;
        let mut saved = Vec::new();
        for pragma in &self.pragmas {
            let same_file = pragma.file.0 <= span.first && span.first <= pragma.file.1;
            if same_file && span.first < pragma.at {
                continue;
            }
            match pragma.action {
                Action::Suppress(which) if which == number => now = Treatment::Drop,
                Action::Warn(which) if which == number => now = Treatment::Warn,
                Action::Error(which) if which == number => now = Treatment::Error,
                Action::Default(which) if which == number => now = default,
                Action::Push => saved.push(now),
                Action::Pop => now = saved.pop().unwrap_or(default),
                Action::Suppress(_) | Action::Warn(_) | Action::Error(_) | Action::Default(_) => {}
            }
        }
        now
    }
}
