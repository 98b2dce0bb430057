//! Modules on their way to a link: what libNVVM makes with `-gen-lto` and NVRTC with `-dlto`, and nvJitLink takes.
//!
//! The form is Warpsmith's own: a mark, the target and the arithmetic that it was made for, and the module as text, before any
//! optimisation. NVIDIA's has no public form, so that neither side can read the other's; its mark is known, so that it is refused by name.

use warpsmith::{Arithmetic, Failure, Language, Options, Session, Severity, Sm, Source, Unit};
use warpsmith_ir::Module;

/// What Warpsmith's begins with; words of [`Made`] and the end of the line follow.
const MARK: &[u8] = b"Warpsmith LTO-IR 1 ";
/// What NVIDIA's begins with (observed, 13.0 to 13.5).
const MARK_OF_NVIDIA: &[u8] = &[0xED, 0x43, 0x4E, 0x7F];

/// What a module was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Made {
    /// The target, or later ones.
    pub(crate) target: Sm,
    pub(crate) arithmetic: Arithmetic,
}

impl Made {
    /// What options ask for.
    pub(crate) fn by(options: &Options) -> Made {
        let (target, arithmetic) = (options.target, options.arithmetic);
        Made { target, arithmetic }
    }

    /// What is otherwise than usual, by its word.
    fn switches(arithmetic: &mut Arithmetic) -> [(&'static str, &mut bool, bool); 5] {
        [
            ("ftz", &mut arithmetic.flush_denormals, true),
            ("no-fma", &mut arithmetic.contract, false),
            ("no-prec-div", &mut arithmetic.precise_division, false),
            ("no-prec-sqrt", &mut arithmetic.precise_square_root, false),
            ("fast-math", &mut arithmetic.fast_math, true),
        ]
    }

    fn words(mut self) -> String {
        let switches = Made::switches(&mut self.arithmetic);
        let set = switches.into_iter().filter(|(_, is, set)| **is == *set);
        let words = set.map(|(word, ..)| format!(" {word}"));
        format!("{}{}", self.target, words.collect::<String>())
    }

    fn read(words: &str) -> Option<Made> {
        let mut words = words.split(' ');
        let target = words.next()?.parse().ok()?;
        let mut arithmetic = Arithmetic::default();
        for word in words {
            let switches = Made::switches(&mut arithmetic);
            let (_, is, set) = switches.into_iter().find(|(known, ..)| *known == word)?;
            *is = set;
        }
        Some(Made { target, arithmetic })
    }
}

/// A module for a link.
pub(crate) fn write(module: &Module, made: Made) -> Vec<u8> {
    let mut bytes = MARK.to_vec();
    bytes.extend(format!("{}\n{module}", made.words()).into_bytes());
    bytes
}

/// What one of Warpsmith's was made for, and its text.
fn parts(bytes: &[u8]) -> Option<(Made, &[u8])> {
    let rest = bytes.strip_prefix(MARK)?;
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let made = Made::read(std::str::from_utf8(&rest[..end]).ok()?)?;
    Some((made, &rest[end + 1..]))
}

/// What a module was made for, if it is one of Warpsmith's.
pub(crate) fn made(bytes: &[u8]) -> Option<Made> {
    parts(bytes).map(|(made, _)| made)
}

/// Whether these are the bytes of a module for a link, of Warpsmith or of NVIDIA.
pub(crate) fn is_one(bytes: &[u8]) -> bool {
    bytes.starts_with(MARK) || bytes.starts_with(MARK_OF_NVIDIA)
}

/// The module that was written.
///
/// # Errors
/// Lines that say why there is none: the bytes are none of Warpsmith's, or damaged.
pub(crate) fn read(name: &str, bytes: &[u8], session: &Session) -> Result<Unit, String> {
    match parts(bytes) {
        Some((_, text)) => {
            let source = Source::new(Language::Ir, name, text);
            session.front(&source).map_err(|failure| said(&failure))
        }
        None if bytes.starts_with(MARK_OF_NVIDIA) => Err(format!(
            "error   : {name} is NVIDIA's LTO-IR, whose form is not public: compile with Warpsmith's NVRTC or libNVVM, or link PTX\n"
        )),
        None => Err(format!("error   : {name} is no LTO-IR\n")),
    }
}

/// What is wrong, a line for each error.
pub(crate) fn said(failure: &Failure) -> String {
    let errors = failure
        .messages()
        .iter()
        .filter(|message| message.severity() == Severity::Error);
    let lines = errors.map(|message| {
        let diagnostic = &message.diagnostic;
        let file = diagnostic.file.as_deref().unwrap_or("link");
        format!("error   : {file}: {}\n", diagnostic.message)
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::{Arithmetic, Made};

    #[test]
    fn a_module_says_what_it_was_made_for() {
        let usual = Arithmetic::default();
        let no_fma = Arithmetic {
            contract: false,
            ..usual
        };
        for (arithmetic, words) in [
            (usual, "sm_90a"),
            (no_fma, "sm_90a no-fma"),
            (Arithmetic::fast(), "sm_90a ftz no-prec-div no-prec-sqrt fast-math"),
        ] {
            let made = Made {
                target: "sm_90a".parse().unwrap(),
                arithmetic,
            };
            assert_eq!(made.words(), words);
            assert_eq!(Made::read(words), Some(made));
        }
        assert_eq!(Made::read("sm_90 other"), None);
        assert_eq!(Made::read(""), None);
    }
}
