//! `-Xptxas`: options in ptxas' words.

use std::ffi::OsString;
use std::path::Path;

use warpsmith::{Cancel, Options, Ptx};
use warpsmith_base::Diagnostic;

use crate::ptxas::{self, Outcome};
use crate::vendor::Parsed;
use crate::{Console, files};

/// Makes machine code of PTX with what `-Xptxas` says behind the options that nvcc gives ptxas; what is said is what ptxas says.
pub(super) fn assemble(
    path: &Path,
    options: &Options,
    ptx: &Ptx,
    parsed: &Parsed,
    console: &mut Console,
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let mut words = vec![format!("-arch={}", options.target)];
    words.extend(parsed.unsigned("O").map(|level| format!("-O{level}")));
    if let Some(count) = options.maximum_registers {
        words.push(format!("-maxrregcount={count}"));
    }
    words.extend(options.line_info.then(|| "-lineinfo".to_owned()));
    words.extend(options.debug.then(|| "-g".to_owned()));
    words.extend((parsed.has("v") || parsed.has("res-usage")).then(|| "-v".to_owned()));
    let given = parsed.texts("Xptxas").iter();
    words.extend(given.flat_map(|text| text.split_whitespace()).map(str::to_owned));
    let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
    let assembled = ptxas::assemble(&words, ptx.text.as_bytes(), &Cancel::never());
    console.complain(&assembled.said);
    match assembled.outcome {
        Outcome::Cubin(bytes) => Ok(bytes),
        Outcome::Checked | Outcome::Refused | Outcome::Internal | Outcome::Cancelled => {
            Err(vec![Diagnostic::error("not compiled").in_file(files::shown(path))])
        }
    }
}
