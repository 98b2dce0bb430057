//! nvJitLink's options.

use warpsmith::{Emit, Options, Sm};

use super::Code;

/// What is asked for.
pub(super) struct Request {
    /// How the modules that are linked as IR are compiled.
    pub(super) options: Options,
    /// `-lto`: there may be such modules.
    pub(super) lto: bool,
    /// `-ptx`: PTX is made of them, and no cubin.
    pub(super) ptx: bool,
    /// `-time`: the log has how long the link took.
    pub(super) time: bool,
    /// What is handed to ptxas beside the target.
    pub(super) ptxas: Vec<String>,
}

/// What an option does with its value; whether the value is one that it may have.
type Effect = fn(&mut Request, &str) -> bool;

/// Options without a value.
const PLAIN: [(&str, Effect); 10] = [
    ("-lto", link_time),
    ("-dlto", link_time),
    ("-ptx", |request, _| {
        request.ptx = true;
        true
    }),
    ("-g", |request, _| {
        request.options.debug = true;
        request.ptxas.push("-g".to_owned());
        true
    }),
    ("-lineinfo", |request, _| {
        request.ptxas.push("-lineinfo".to_owned());
        true
    }),
    ("-verbose", |request, _| {
        request.ptxas.push("-v".to_owned());
        true
    }),
    ("-time", |request, _| {
        request.time = true;
        true
    }),
    // What is about speed alone.
    ("-no-cache", |_, _| true),
    ("-optimize-unused-variables", |_, _| true),
    ("-nvvm-latest", |_, _| true),
];

/// Options with a value behind `=`.
const WITH_VALUES: [(&str, Effect); 13] = [
    ("-maxrregcount", |request, text| {
        request.options.maximum_registers = text.parse().ok();
        request.ptxas.push(format!("-maxrregcount={text}"));
        request.options.maximum_registers.is_some()
    }),
    ("-ftz", |request, text| {
        switch(&mut request.options.arithmetic.flush_denormals, text)
    }),
    ("-prec-div", |request, text| {
        switch(&mut request.options.arithmetic.precise_division, text)
    }),
    ("-prec-sqrt", |request, text| {
        switch(&mut request.options.arithmetic.precise_square_root, text)
    }),
    ("-fma", |request, text| {
        switch(&mut request.options.arithmetic.contract, text)
    }),
    ("-Xptxas", |request, text| {
        request.ptxas.push(text.to_owned());
        true
    }),
    // All kernels and variables are kept.
    ("-kernels-used", |_, _| true),
    ("-variables-used", |_, _| true),
    ("-split-compile", |_, text| text.parse::<u32>().is_ok()),
    ("-split-compile-extended", |_, text| text.parse::<u32>().is_ok()),
    ("-jump-table-density", |_, text| text.parse::<u32>().is_ok()),
    ("-Ofc", |_, _| true),
    ("-device-stack-protector", |_, text| text == "false"),
];

fn link_time(request: &mut Request, _: &str) -> bool {
    request.lto = true;
    true
}

fn switch(to: &mut bool, text: &str) -> bool {
    *to = matches!(text, "1" | "true");
    matches!(text, "0" | "1" | "true" | "false")
}

/// Why options are refused: the code, and what the log says.
type Refused = (Code, String);

/// The oldest target that there is.
const OLDEST: u32 = 75;

/// The target of `-arch=`, and whether it is a virtual one, which only PTX is made for.
fn target(name: &str) -> Result<(Sm, bool), Refused> {
    let kinds = [("sm_", false), ("compute_", true), ("lto_", true)];
    let found = kinds
        .iter()
        .find_map(|(prefix, is_virtual)| Some((name.strip_prefix(prefix)?, *is_virtual)));
    let refused = |code, symbol: &str, text: String| (code, format!("ERROR NVJITLINK_ERROR_{symbol}: {text}\n"));
    let is_number = |number: &str| number.starts_with(|first: char| first.is_ascii_digit());
    let Some((number, is_virtual)) = found.filter(|(number, _)| is_number(number)) else {
        let text = format!("missing option value (-arch={name})");
        return Err(refused(Code::UnrecognizedOption, "UNRECOGNIZED_OPTION", text));
    };
    number
        .parse()
        .map(|target| (target, is_virtual))
        .map_err(|_| match number.parse() {
            Ok(old) if (1..OLDEST).contains(&old) => refused(
                Code::UnsupportedArch,
                "UNSUPPORTED_ARCH",
                format!("unsupported architecture (compute_{number})"),
            ),
            Ok(_) | Err(_) => refused(
                Code::UnrecognizedArch,
                "UNRECOGNIZED_ARCH",
                format!("unrecognized architecture (compute_{number})"),
            ),
        })
}

/// Takes an option that is none of the target.
fn take(request: &mut Request, text: &str) -> Result<(), Refused> {
    if let Some(level) = text
        .strip_prefix("-O")
        .filter(|level| level.bytes().all(|byte| byte.is_ascii_digit()))
    {
        let known = level.parse().ok().filter(|level| *level <= 3);
        request.options.level = known.ok_or_else(|| {
            let text = format!("unsupported value of -O: {level}. Only 0 to 3 are supported.\n");
            (Code::UnrecognizedOption, text)
        })?;
        request.ptxas.push(text.to_owned());
        return Ok(());
    }
    let (name, value, rows) = match text.split_once('=') {
        Some((name, value)) => (name, value, WITH_VALUES.as_slice()),
        None => (text, "", PLAIN.as_slice()),
    };
    let row = rows.iter().find(|(known, _)| *known == name);
    match row.is_some_and(|(_, effect)| effect(request, value)) {
        true => Ok(()),
        false => Err((Code::UnrecognizedOption, format!("unrecognized option: {text}\n"))),
    }
}

/// Reads options.
///
/// # Errors
/// The first that is wrong, or what does not go together.
pub(super) fn read(texts: &[String]) -> Result<Request, Refused> {
    let mut options = Options::new(Sm::Sm75);
    options.emit = Emit::Ptx;
    options.threads = 1;
    // Whether there are lines is what the modules say (observed).
    options.line_info = true;
    let mut request = Request {
        options,
        lto: false,
        ptx: false,
        time: false,
        ptxas: Vec::new(),
    };
    let mut given = None;
    for text in texts {
        match text.strip_prefix("-arch=") {
            Some(name) => given = Some(target(name)?),
            None => take(&mut request, text)?,
        }
    }
    let (target, is_virtual) = given.ok_or_else(|| (Code::MissingArch, "-arch=<value> is missing\n".to_owned()))?;
    request.options.target = target;
    let together = |text: &str| Err((Code::IncompatibleOptions, text.to_owned()));
    match request.ptx {
        true if !request.lto => together("ERROR: -ptx requires -lto\n"),
        false if is_virtual => together("ERROR: virtual arch requires -ptx\n"),
        true | false => Ok(request),
    }
}
