//! The face without files: a text from memory, and what comes of it in memory. nvPTXCompiler's library is written with it.

use std::ffi::OsString;

use warpsmith::Cancel;

use super::input::{Input, STRING_INPUT};
use super::options::OPTIONS;
use super::run::{Outcome, compile, fatal};
use crate::console::Format;
use crate::{Console, vendor};

/// The options that ask for a text and for no compile, which has no place here.
const TEXTS: [&str; 3] = ["h", "V", "version-ls"];

/// What comes of a text, and what is said of it.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// What comes of it.
    pub outcome: Outcome,
    /// Warnings, errors, and what `-v` tells, line by line, in ptxas' form.
    pub said: String,
}

/// Compiles a text of PTX with ptxas' options. Messages call it as ptxas calls a text that is no file.
///
/// ```
/// use warpsmith::Cancel;
/// use warpsmith_driver::ptxas::{Outcome, assemble};
///
/// let text = b".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { foo; }\n";
/// let assembled = assemble(&["-arch=sm_90".into()], text, &Cancel::never());
/// assert_eq!(assembled.outcome, Outcome::Refused);
/// assert_eq!(
///     assembled.said.lines().next(),
///     Some("ptxas application ptx input, line 4; error   : Not a name of any known instruction: 'foo'")
/// );
/// ```
pub fn assemble(options: &[OsString], text: &[u8], cancel: &Cancel) -> Assembled {
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let mut console = Console::new(&mut out, &mut errors, Format::Text { colour: false });
    let outcome = assembled(options, text, cancel, &mut console);
    Assembled {
        outcome,
        said: String::from_utf8_lossy(&errors).into_owned(),
    }
}

fn assembled(options: &[OsString], text: &[u8], cancel: &Cancel, console: &mut Console) -> Outcome {
    let mut parsed = vendor::parse(OPTIONS, options);
    for warning in std::mem::take(&mut parsed.warnings) {
        console.complain(&format!("ptxas warning : {warning}\n"));
    }
    if let Some(mistake) = parsed.mistake.take() {
        fatal(&mistake, console);
        return Outcome::Refused;
    }
    if let Some(option) = TEXTS.into_iter().find(|option| parsed.has(option)) {
        fatal(&format!("The option '-{option}' is for a command line alone"), console);
        return Outcome::Refused;
    }
    let given = Input {
        name: STRING_INPUT.to_owned(),
        bytes: text.to_vec(),
    };
    compile(&parsed, vec![given], cancel, console)
}
