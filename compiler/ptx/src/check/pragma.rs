//! `.pragma`

use super::Checker;
use crate::{Problem, Span, module::Name, table::gates};

/// First words that mean something wherever they stand. (Observed.)
const ANYWHERE: [&str; 2] = ["nounroll", "noinline"];
/// First words that mean something inside a body only.
const IN_BODIES: [&str; 4] = ["frequency", "used_bytes_mask", "enable_smem_spilling", "mma_throughput"];

/// The first word of a pragma.
fn word(text: &str) -> &str {
    text.split([' ', '\t']).next().unwrap_or_default()
}

impl Checker<'_, '_> {
    /// At module scope.
    pub(super) fn module_pragma(&mut self, names: &[Name], span: Span) {
        self.require(&gates::PRAGMA, span);
        for &name in names {
            let text = self.text(name);
            if self.misplaced_pragma(text, span) || ANYWHERE.contains(&word(text)) {
                continue;
            }
            let problem = Problem::error(span, format!("there is no pragma '{text}' for modules"));
            self.report(problem.vendor(format!("Pragma '{text}' not supported")).without_line());
        }
    }

    /// Between the parameters and the body of a kernel.
    pub(super) fn head_pragma(&mut self, names: &[Name], span: Span) {
        self.require(&gates::PRAGMA, span);
        for &name in names {
            let text = self.text(name);
            if !self.misplaced_pragma(text, span) {
                self.unknown_pragma(text, span);
            }
        }
    }

    /// In a body.
    pub(super) fn body_pragma(&mut self, names: &[Name], span: Span) {
        self.require(&gates::PRAGMA, span);
        for &name in names {
            let text = self.text(name);
            self.unknown_pragma(text, span);
            match word(text) {
                "used_bytes_mask" => {
                    self.require(&gates::PRAGMA_BYTES, span);
                    self.pragma_number(text, span);
                }
                "mma_throughput" => self.require(&gates::PRAGMA_THROUGHPUT, span),
                "frequency" => {
                    self.require(&gates::PRAGMA_FREQUENCY, span);
                    self.pragma_number(text, span);
                }
                _ => {}
            }
        }
    }

    /// The number after the first word.
    fn pragma_number(&mut self, text: &str, span: Span) {
        let (word, number) = (word(text), text[word(text).len()..].trim());
        let valid = match number.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).is_ok(),
            None => number.bytes().all(|byte| byte.is_ascii_digit()) && number.parse::<u64>().is_ok(),
        };
        if !valid {
            let vendor = match number {
                "" => format!("Argument(s) to pragma '{word}' cannot be empty"),
                _ => format!("Invalid value '{number}' specified for .pragma '{text}'"),
            };
            let problem = Problem::error(span, format!("the pragma '{word}' needs a number after it"));
            self.report(problem.vendor(vendor).without_line());
        }
    }

    fn misplaced_pragma(&mut self, text: &str, span: Span) -> bool {
        let misplaced = IN_BODIES.contains(&word(text));
        if misplaced {
            let problem = Problem::error(span, format!("the pragma '{text}' belongs inside a function's body"));
            self.report(problem.vendor(format!("Pragma '{text}' is allowed only within function scope")));
        }
        misplaced
    }

    fn unknown_pragma(&mut self, text: &str, span: Span) {
        let known = ANYWHERE.contains(&word(text)) || IN_BODIES.contains(&word(text));
        if !known {
            let problem = Problem::warning(span, format!("there is no pragma '{text}'"));
            self.report(problem.vendor(format!("Pragma '{text}' unsupported")).without_line());
        }
    }
}
