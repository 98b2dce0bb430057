//! libNVVM's options.

use warpsmith::{Emit, Options, Sm};

/// What is asked for.
pub(super) struct Request {
    pub(super) options: Options,
    /// `-gen-lto`: a module for a link, in place of PTX.
    pub(super) lto: bool,
}

/// What an option does with its value; whether the value is one that it may have.
type Effect = fn(&mut Options, &str) -> bool;

/// The options with a value. (The numbers are those of one digit that libNVVM 13.0 takes.)
const WITH_VALUES: [(&str, Effect); 7] = [
    ("-arch", |options, text| {
        let target = text
            .strip_prefix("compute_")
            .and_then(|number| number.parse::<Sm>().ok());
        target.is_some_and(|target| {
            options.target = target;
            true
        })
    }),
    ("-opt", |options, text| match text.parse() {
        Ok(level @ 0..=3) => {
            options.level = level;
            true
        }
        Ok(_) | Err(_) => false,
    }),
    ("-ftz", |options, text| {
        switch(&mut options.arithmetic.flush_denormals, text)
    }),
    ("-prec-sqrt", |options, text| {
        switch(&mut options.arithmetic.precise_square_root, text)
    }),
    ("-prec-div", |options, text| {
        switch(&mut options.arithmetic.precise_division, text)
    }),
    ("-fma", |options, text| switch(&mut options.arithmetic.contract, text)),
    // Tables of jumps are made where they pay.
    ("-jump-table-density", |_, text| text.parse::<u32>().is_ok()),
];

fn switch(to: &mut bool, text: &str) -> bool {
    *to = text == "1";
    matches!(text, "0" | "1")
}

/// Reads options.
///
/// # Errors
/// The one that is not supported, as the log says it.
pub(super) fn read(texts: &[String]) -> Result<Request, String> {
    let mut lto = false;
    let mut options = Options::new(Sm::Sm75);
    options.emit = Emit::Ptx;
    options.threads = 1;
    // Whether there are lines is what the modules say (observed).
    options.line_info = true;
    for text in texts {
        let known = match text.split_once('=') {
            None if text == "-g" => {
                options.debug = true;
                true
            }
            None if text == "-gen-lto" => {
                lto = true;
                true
            }
            None => false,
            Some((name, value)) => {
                let row = WITH_VALUES.iter().find(|(known, _)| *known == name);
                row.is_some_and(|(_, effect)| effect(&mut options, value))
            }
        };
        if !known {
            return Err(format!("libnvvm : error: {text} is an unsupported option"));
        }
    }
    // Observed: products and sums stay apart where nothing is optimised.
    options.arithmetic.contract &= options.level > 0;
    Ok(Request { options, lto })
}
