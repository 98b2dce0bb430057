//! NVRTC's options: which there are, how they are written, and what they ask for.
//!
//! Observed, NVRTC 13.0: spellings, the values that each takes, and the words of the log. An option that has no effect here is taken where nothing is lost
//! by that (it is about speed, or about the form of what is said), and refused by name otherwise.

use warpsmith::{Definition, Emit, Options, Sm, Standard};

/// What the options of a compile ask for.
pub(super) struct Request {
    /// How to compile.
    pub(super) options: Options,
    /// Options for the step from PTX to a cubin, in ptxas' spelling.
    pub(super) ptxas: Vec<String>,
    /// The file for the times of the steps.
    pub(super) time: Option<String>,
    /// Numbers of warnings are shown.
    pub(super) numbers: bool,
    /// Lines of the source are not shown.
    pub(super) brief: bool,
    /// A module for a link is made, in place of PTX.
    pub(super) lto: bool,
    /// What to warn of, line by line.
    pub(super) warnings: String,
    /// What was given of options that may be repeated with the same value alone.
    given: Vec<(&'static str, String)>,
    /// A debugger is to see variables, and code is to be optimised.
    optimised_debugging: bool,
}

/// What stands behind an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    /// Nothing.
    Nothing,
    /// `true` or `false`.
    Truth,
    /// A whole number; no text at all is none.
    Number,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Any text.
    Text,
    /// Any text, after `=` alone.
    Attached,
}

/// What an option does with its value.
type Effect = fn(&mut Request, &str) -> Result<(), String>;

/// An option.
struct Row {
    long: &'static str,
    short: &'static str,
    value: Value,
    effect: Effect,
}

const fn row(long: &'static str, short: &'static str, value: Value, effect: Effect) -> Row {
    Row {
        long,
        short,
        value,
        effect,
    }
}

/// Nothing is lost where nothing is done.
const NO_EFFECT: Effect = |_, _| Ok(());

/// The options of NVRTC 13.0, and those that releases up to 13.5 have beside them.
#[rustfmt::skip]
const OPTIONS: &[Row] = &[
    row("gpu-architecture", "arch", Value::Text, architecture),
    row("std", "std", Value::Attached, standard),
    row("define-macro", "D", Value::Text, define),
    row("undefine-macro", "U", Value::Text, |request, text| { request.options.front.definitions.push(Definition::Undefine(text.trim().to_owned())); Ok(()) }),
    row("include-path", "I", Value::Text, |request, text| { request.options.front.folders.push(text.trim().to_owned()); Ok(()) }),
    row("pre-include", "include", Value::Text, |request, text| { request.options.front.includes.push(text.to_owned()); Ok(()) }),
    row("no-source-include", "no-source-include", Value::Nothing, NO_EFFECT),
    row("device-as-default-execution-space", "default-device", Value::Nothing, |request, _| { request.options.front.device_by_default = true; Ok(()) }),
    row("device-debug", "G", Value::Nothing, |request, _| { request.options.debug = true; Ok(()) }),
    row("generate-line-info", "lineinfo", Value::Nothing, |request, _| { request.options.line_info = true; Ok(()) }),
    row("dopt", "dopt", Value::Word(&["on"]), |request, _| { request.optimised_debugging = true; Ok(()) }),
    row("ftz", "ftz", Value::Truth, |request, text| { request.options.arithmetic.flush_denormals = text == "true"; Ok(()) }),
    row("prec-sqrt", "prec-sqrt", Value::Truth, |request, text| { request.options.arithmetic.precise_square_root = text == "true"; Ok(()) }),
    row("prec-div", "prec-div", Value::Truth, |request, text| { request.options.arithmetic.precise_division = text == "true"; Ok(()) }),
    row("fmad", "fmad", Value::Truth, |request, text| { request.options.arithmetic.contract = text == "true"; Ok(()) }),
    row("use_fast_math", "use_fast_math", Value::Nothing, fast_math),
    row("maxrregcount", "maxrregcount", Value::Number, |request, text| { request.options.maximum_registers = text.parse().ok(); Ok(()) }),
    row("restrict", "restrict", Value::Nothing, |request, _| { request.options.restrict_kernel_pointers = true; Ok(()) }),
    row("device-c", "dc", Value::Nothing, |request, _| { request.options.relocatable = true; Ok(()) }),
    row("device-w", "dw", Value::Nothing, |request, _| { request.options.relocatable = false; Ok(()) }),
    row("relocatable-device-code", "rdc", Value::Truth, |request, text| { request.options.relocatable = text == "true"; Ok(()) }),
    row("ptxas-options", "Xptxas", Value::Text, |request, text| { request.ptxas.push(text.to_owned()); Ok(()) }),
    row("fdevice-syntax-only", "fdevice-syntax-only", Value::Nothing, |request, _| { request.options.emit = Emit::Check; Ok(()) }),
    row("disable-warnings", "w", Value::Nothing, |request, _| { request.options.front.warnings.off = true; Ok(()) }),
    row("diag-error", "diag-error", Value::Text, |request, text| numbers(text, "diag-error", &mut request.options.front.warnings.errors)),
    row("diag-suppress", "diag-suppress", Value::Text, |request, text| numbers(text, "diag-suppress", &mut request.options.front.warnings.suppressed)),
    row("diag-warn", "diag-warn", Value::Text, |_, text| numbers(text, "diag-warn", &mut Vec::new())),
    row("display-error-number", "err-no", Value::Nothing, |request, _| { request.numbers = true; Ok(()) }),
    row("no-display-error-number", "no-err-no", Value::Nothing, |request, _| { request.numbers = false; Ok(()) }),
    row("brief-diagnostics", "brief-diag", Value::Truth, |request, text| { request.brief = text == "true"; Ok(()) }),
    row("warning-as-error", "Werror", Value::Nothing, |request, _| { request.options.front.warnings.all_errors = true; Ok(()) }),
    row("time", "time", Value::Attached, |request, text| { request.time = Some(text.to_owned()); Ok(()) }),
    row("jump-table-density", "jtd", Value::Number, jump_table_density),
    row("dlink-time-opt", "dlto", Value::Nothing, |request, _| { (request.lto, request.options.relocatable) = (true, true); Ok(()) }),
    // What is about speed alone, or asks for what is always done.
    row("Ofast-compile", "Ofc", Value::Word(&["0", "min", "mid", "max"]), NO_EFFECT),
    row("extra-device-vectorization", "extra-device-vectorization", Value::Nothing, NO_EFFECT),
    row("split-compile", "split-compile", Value::Number, NO_EFFECT),
    row("no-cache", "no-cache", Value::Nothing, NO_EFFECT),
    row("minimal", "minimal", Value::Nothing, |request, _| define(request, "__CUDACC_RTC_MINIMAL__=1")),
    row("frandom-seed", "frandom-seed", Value::Text, NO_EFFECT),
    row("modify-stack-limit", "modify-stack-limit", Value::Truth, NO_EFFECT),
    row("optimization-info", "opt-info", Value::Word(&["inline"]), NO_EFFECT),
    row("version-ident", "version-ident", Value::Truth, NO_EFFECT),
    row("device-int128", "device-int128", Value::Nothing, |request, _| define(request, "__CUDACC_RTC_INT128__=1")),
    row("builtin-move-forward", "builtin-move-forward", Value::Truth, |request, text| present(request, "__NV_BUILTIN_MOVE_FORWARD", text)),
    row("builtin-initializer-list", "builtin-initializer-list", Value::Truth, |request, text| present(request, "__NV_BUILTIN_INITIALIZER_LIST", text)),
    row("fmax-errors", "fmax-errors", Value::Number, NO_EFFECT),
    row("utf-8", "utf-8", Value::Nothing, NO_EFFECT),
    row("Wreorder", "Wreorder", Value::Nothing, NO_EFFECT),
    row("Wconversion", "Wconversion", Value::Nothing, NO_EFFECT),
    row("fno-signed-zeros", "fno-signed-zeros", Value::Nothing, NO_EFFECT),
    row("ffinite-math-only", "ffinite-math-only", Value::Nothing, NO_EFFECT),
    row("simt-only", "simt-only", Value::Nothing, NO_EFFECT),
    // Headers are read anew each time, which gives the same code.
    row("pch", "pch", Value::Nothing, NO_EFFECT),
    row("create-pch", "create-pch", Value::Attached, NO_EFFECT),
    row("use-pch", "use-pch", Value::Attached, NO_EFFECT),
    row("pch-dir", "pch-dir", Value::Attached, NO_EFFECT),
    row("pch-verbose", "pch-verbose", Value::Truth, NO_EFFECT),
    row("pch-messages", "pch-messages", Value::Truth, NO_EFFECT),
    row("instantiate-templates-in-pch", "instantiate-templates-in-pch", Value::Truth, NO_EFFECT),
    // What would be missed.
    row("gen-opt-lto", "gen-opt-lto", Value::Nothing, |_, _| refused("--gen-opt-lto")),
    row("optix-ir", "optix-ir", Value::Nothing, |_, _| refused("--optix-ir")),
    row("extensible-whole-program", "ewp", Value::Nothing, |_, _| refused("--extensible-whole-program (-ewp)")),
    row("device-float128", "device-float128", Value::Nothing, |_, _| refused("--device-float128")),
    row("device-stack-protector", "device-stack-protector", Value::Truth, |_, text| if text == "true" { refused("--device-stack-protector=true") } else { Ok(()) }),
    row("fdevice-time-trace", "fdevice-time-trace", Value::Attached, |_, _| refused("--fdevice-time-trace")),
    row("use-bundled-headers", "use-bundled-headers", Value::Nothing, |_, _| refused("--use-bundled-headers")),
    row("tile-preview", "tile-preview", Value::Nothing, |_, _| refused("--tile-preview")),
    row("enable-tile", "enable-tile", Value::Nothing, |_, _| refused("--enable-tile")),
    row("tile-only", "tile-only", Value::Nothing, |_, _| refused("--tile-only")),
    row("default-tile", "default-tile", Value::Nothing, |_, _| refused("--default-tile")),
    row("diagnose-implicit-tile-var", "diagnose-implicit-tile-var", Value::Nothing, |_, _| refused("--diagnose-implicit-tile-var")),
];

fn refused(option: &str) -> Result<(), String> {
    Err(format!("Warpsmith does not support {option}"))
}

/// Reads options.
///
/// # Errors
/// What is wrong with one of them, as a line of the log.
pub(super) fn read(texts: &[String]) -> Result<Request, String> {
    let mut options = Options::new(Sm::Sm75);
    options.emit = Emit::Ptx;
    options.threads = 1;
    // Macros of the C library are there with its headers alone.
    let mark = Definition::Define("__WARPSMITH_NVRTC__".to_owned());
    // NVRTC has 128-bit integers, and says so, with an option of its own.
    let hidden = Definition::Undefine("__CUDACC_RTC_INT128__".to_owned());
    options.front.definitions.extend([mark, hidden]);
    let mut request = Request {
        options,
        ptxas: Vec::new(),
        time: None,
        numbers: true,
        brief: false,
        lto: false,
        warnings: String::new(),
        given: Vec::new(),
        optimised_debugging: false,
    };
    let mut texts = texts.iter();
    while let Some(text) = texts.next() {
        let unknown = || format!("unrecognized option {text} found");
        let (row, attached) = find(text).ok_or_else(unknown)?;
        if row.value == Value::Attached && attached.is_none() {
            return Err(unknown());
        }
        let takes = !matches!(row.value, Value::Nothing);
        let value = match attached {
            Some(_) if !takes => return Err(format!("{} does not accept any argument", row.names())),
            Some(value) => value,
            None if takes => texts.next().map_or("", String::as_str),
            None => "",
        };
        row.check(value)?;
        request.note(row, value);
        (row.effect)(&mut request, value)?;
    }
    if request.optimised_debugging && request.options.debug {
        return Err("Warpsmith does not support --dopt (-dopt) with --device-debug (-G)".to_owned());
    }
    if request.options.emit == Emit::Check {
        request.ptxas.clear();
    }
    Ok(request)
}

/// The row of an option, and the value that is attached to it.
fn find(text: &str) -> Option<(&'static Row, Option<&str>)> {
    let split = |text: &'_ str| -> (usize, bool) { text.find('=').map_or((text.len(), false), |at| (at, true)) };
    if let Some(rest) = text.strip_prefix("--") {
        let (end, has_value) = split(rest);
        let row = OPTIONS.iter().find(|row| row.long == &rest[..end])?;
        return Some((row, has_value.then(|| &rest[end + 1..])));
    }
    let rest = text.strip_prefix('-')?;
    let (end, has_value) = split(rest);
    if let Some(row) = OPTIONS.iter().find(|row| row.short == &rest[..end]) {
        return Some((row, has_value.then(|| &rest[end + 1..])));
    }
    // `-DNAME=TEXT`, `-I/usr/include`.
    let joined = OPTIONS
        .iter()
        .find(|row| matches!(row.short, "D" | "U" | "I") && rest.starts_with(row.short))?;
    Some((joined, Some(&rest[1..])))
}

impl Row {
    /// Both names, as the log has them.
    fn names(&self) -> String {
        format!("--{} (-{})", self.long, self.short)
    }

    /// Whether a value is one that the option may have.
    fn check(&self, value: &str) -> Result<(), String> {
        let names = self.names();
        match self.value {
            Value::Truth if !matches!(value, "true" | "false") => Err(format!("{names} expects true or false")),
            Value::Number if !value.is_empty() && value.parse::<i64>().is_err() => {
                Err(format!("{names} expects an integer value"))
            }
            Value::Word(words) if !words.contains(&value) => {
                Err(format!("invalid argument for option {names}: {value}"))
            }
            Value::Nothing | Value::Truth | Value::Number | Value::Word(_) | Value::Text | Value::Attached => Ok(()),
        }
    }
}

impl Request {
    /// Warns of an option that was given before with another value.
    fn note(&mut self, row: &Row, value: &str) {
        let (name, value) = match (row.long, row.value) {
            ("gpu-architecture", _) => (
                "--gpu-architecture(-arch)".to_owned(),
                value.trim_start_matches(|c| c != '_').trim_start_matches('_'),
            ),
            ("std", _) => ("--std (-std)".to_owned(), value),
            (_, Value::Truth) => (format!("--{}(-{})", row.long, row.short), value),
            _ => return,
        };
        let before = self.given.iter_mut().find(|(long, _)| *long == row.long);
        match before {
            Some((_, before)) if before == value => {}
            Some((_, before)) => {
                self.warnings += &format!("nvrtc: warning: \"{name}={before}\" followed by \"{name}={value}\"\n");
                value.clone_into(before);
            }
            None => self.given.push((row.long, value.to_owned())),
        }
    }
}

fn architecture(request: &mut Request, text: &str) -> Result<(), String> {
    let wrong = || "invalid value for --gpu-architecture (-arch)".to_owned();
    let (kind, number) = text.split_once('_').ok_or_else(wrong)?;
    request.options.target = number.parse().map_err(|_| wrong())?;
    let emit = match kind {
        "sm" => Emit::Cubin,
        "compute" => Emit::Ptx,
        _ => return Err(wrong()),
    };
    if request.options.emit != Emit::Check {
        request.options.emit = emit;
    }
    Ok(())
}

fn standard(request: &mut Request, text: &str) -> Result<(), String> {
    request.options.front.standard = match text {
        // What C++11 forbids of the older language is nothing that kernels have.
        "c++03" | "c++11" => Standard::Cpp11,
        "c++14" => Standard::Cpp14,
        "c++17" => Standard::Cpp17,
        "c++20" => Standard::Cpp20,
        "c++23" => return refused("--std=c++23"),
        _ => return Err("invalid value for --std(-std)".to_owned()),
    };
    Ok(())
}

fn define(request: &mut Request, text: &str) -> Result<(), String> {
    let text = text.trim();
    request
        .options
        .front
        .definitions
        .push(Definition::Define(text.to_owned()));
    Ok(())
}

/// Whether a macro that is there from the start stays.
fn present(request: &mut Request, name: &str, text: &str) -> Result<(), String> {
    if text == "false" {
        request
            .options
            .front
            .definitions
            .push(Definition::Undefine(name.to_owned()));
    }
    Ok(())
}

fn fast_math(request: &mut Request, _: &str) -> Result<(), String> {
    let arithmetic = &mut request.options.arithmetic;
    arithmetic.fast_math = true;
    arithmetic.flush_denormals = true;
    arithmetic.precise_division = false;
    arithmetic.precise_square_root = false;
    arithmetic.contract = true;
    Ok(())
}

fn numbers(text: &str, option: &str, into: &mut Vec<u32>) -> Result<(), String> {
    for part in text.split(',') {
        match part.trim().parse() {
            Ok(number) if number > 0 => into.push(number),
            Ok(_) | Err(_) => return Err(format!("--{option} expects a non-zero positive integer value")),
        }
    }
    Ok(())
}

fn jump_table_density(_: &mut Request, text: &str) -> Result<(), String> {
    match text.parse() {
        Ok(0..=101) | Err(_) => Ok(()),
        Ok(_) => Err("Argument for --jump-table-density must be between [0-101]".to_owned()),
    }
}
