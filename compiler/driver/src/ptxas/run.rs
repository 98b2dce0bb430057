//! A run of the face.

use std::ffi::OsString;
use std::path::Path;

use warpsmith_base::write_atomically;
use warpsmith_ori::{Options, Resources, compile_with_options};
use warpsmith_ptx::{Problem, Severity, module::Module, parse, versions};
use warpsmith_target::Sm;

use super::options::OPTIONS;
use crate::vendor::Parsed;
use crate::{Console, files, vendor};

/// The release whose options and messages these are, in the words that scripts look for.
const RELEASE: &str = "release 13.0, V13.0.88";

/// The exit status of every failure. (Observed: ptxas 13.0.88.)
const FAILURE: u8 = 255;

/// What messages call a text given on the command line.
const STRING_INPUT: &str = "application ptx input";

/// Runs the face with the arguments after the program's name; returns the exit status.
pub(crate) fn run(arguments: &[OsString], console: &mut Console) -> u8 {
    let mut parsed = vendor::parse(OPTIONS, arguments);
    for warning in std::mem::take(&mut parsed.warnings) {
        console.complain(&format!("ptxas warning : {warning}\n"));
    }
    if let Some(mistake) = parsed.mistake.take() {
        return fatal(&mistake, console);
    }
    let string = parsed.text("ias").map(str::to_owned);
    let text = if parsed.has("V") {
        version()
    } else if parsed.has("version-ls") {
        versions().map(|version| format!("{version}\n")).collect()
    } else if parsed.has("h") || (parsed.files.is_empty() && string.is_none()) {
        help()
    } else {
        return assemble(&parsed, string.as_deref(), console);
    };
    match console.print(text.as_bytes()) {
        Ok(()) => 0,
        Err(error) => fatal(&format!("Cannot write to standard output: {error}"), console),
    }
}

fn fatal(text: &str, console: &mut Console) -> u8 {
    console.complain(&format!("ptxas fatal   : {text}\n"));
    FAILURE
}

fn help() -> String {
    format!(
        "\nUsage  : ptxas [options] <ptx file>,...\n\n\
         Warpsmith in the place of ptxas, {RELEASE}. It compiles PTX to cubins, as far as the README's table says.\n\n\
         Options\n=======\n\n{}",
        vendor::help(OPTIONS)
    )
}

fn version() -> String {
    format!(
        "ptxas: Warpsmith {} in the place of the PTX optimizing assembler\nOptions and messages as of {RELEASE}\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// Checks all inputs. ptxas goes on to the next input after errors, and fails at the end.
fn assemble(parsed: &Parsed, string: Option<&str>, console: &mut Console) -> u8 {
    let name = parsed.text("arch").unwrap_or("sm_75");
    let (mut sound, mut inputs) = (true, Vec::new());
    for file in &parsed.files {
        let shown = file.to_string_lossy();
        match files::read(Path::new(file)) {
            Ok(bytes) => inputs.push((shown.into_owned(), bytes)),
            Err(_) => {
                fatal(&format!("Input file '{shown}' could not be opened"), console);
                sound = false;
            }
        }
    }
    inputs.extend(string.map(|text| (STRING_INPUT.to_string(), text.as_bytes().to_vec())));
    let mut modules = Vec::new();
    for (shown, bytes) in &inputs {
        match check(parsed, shown, bytes, name, console) {
            Some(module) => modules.push((shown.as_str(), bytes.as_slice(), module)),
            None => sound = false,
        }
    }
    if !sound {
        return fatal("Ptx assembly aborted due to errors", console);
    }
    match (name.strip_prefix("sm_").map(str::parse::<Sm>), &modules[..]) {
        (Some(Ok(sm)), [(shown, bytes, module)]) => generate(parsed, sm, name, shown, bytes, module, console),
        (Some(Ok(_)), _) => fatal("Warpsmith compiles one input at a time", console),
        (None | Some(Err(_)), _) => 0,
    }
}

/// Options that ask for something that is not done yet: refused, since the result would not be what was asked for.
const REFUSED: [&str; 8] = [
    "c",
    "g",
    "ewp",
    "astoolspatch",
    "sanitize",
    "maxrregcount",
    "device-stack-protector",
    "sp-bounds-check",
];

/// Generates code and writes the cubin.
fn generate(
    parsed: &Parsed,
    sm: Sm,
    target: &str,
    name: &str,
    bytes: &[u8],
    module: &Module,
    console: &mut Console,
) -> u8 {
    if let Some(option) = REFUSED.iter().find(|option| parsed.has(option)) {
        return fatal(
            &format!("Warpsmith does not support the option '-{option}' yet"),
            console,
        );
    }
    if parsed.has("lineinfo") && !parsed.has("w") {
        console.complain("ptxas warning : Warpsmith does not write line information yet\n");
    }
    let output = match compile_with_options(module, sm, &Options::default()) {
        Ok(output) => output,
        Err(errors) => {
            for error in &errors {
                let start = (error.span.start as usize).min(bytes.len());
                let line = 1 + bytes[..start].iter().filter(|byte| **byte == b'\n').count();
                console.complain(&format!("ptxas {name}, line {line}; error   : {error}\n"));
            }
            return fatal("Ptx assembly aborted due to errors", console);
        }
    };
    if parsed.has("v") {
        for function in &output.functions {
            console.complain(&statistics(function, target));
        }
    }
    let path = parsed.text("o").unwrap_or("elf.o");
    match write_atomically(path, &output.cubin.write()) {
        Ok(()) => 0,
        Err(error) => fatal(&error.to_string(), console),
    }
}

/// What `-v` prints of a kernel, in ptxas' words.
fn statistics(function: &Resources, target: &str) -> String {
    let mut used = format!(
        "Used {} registers, used {} barriers",
        function.registers, function.barriers
    );
    if function.stack_bytes > 0 {
        used.push_str(&format!(", {} bytes cumulative stack size", function.stack_bytes));
    }
    if function.shared_bytes > 0 {
        used.push_str(&format!(", {} bytes smem", function.shared_bytes));
    }
    used.push_str(&format!(", {} bytes cmem[0]", function.constant_bytes));
    format!(
        "ptxas info    : Compiling entry function '{0}' for '{target}'\n\
         ptxas info    : Function properties for {0}\n    \
         {1} bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
         ptxas info    : {used}\n",
        function.name, function.stack_bytes
    )
}

/// Checks one input and shows what is wrong with it; gives the module if it is sound.
fn check(parsed: &Parsed, name: &str, bytes: &[u8], architecture: &str, console: &mut Console) -> Option<Module> {
    let module = parse(bytes);
    let sound = show(&module.problems, name, bytes, parsed, console);
    let number = architecture.split_once('_').map_or(architecture, |(_, number)| number);
    let fits = match (number.parse::<Sm>(), module.module.target.to_string().parse::<Sm>()) {
        (Ok(architecture), Ok(target)) => architecture.accepts_ptx_target(target),
        // Targets that Warpsmith makes no code for are lower than all that it does, but for odd ones, which the check names.
        _ => true,
    };
    if sound && !fits {
        fatal(&misfit(&module.module.target.to_string(), number), console);
    }
    (sound && fits).then_some(module.module)
}

/// Why PTX for `target` does not compile for sm_`number`.
fn misfit(target: &str, number: &str) -> String {
    match target.ends_with(['a', 'f']) {
        true => format!("PTX with .target '{target}' cannot be compiled for architecture 'sm_{number}'"),
        false => "SM version specified by .target is higher than default SM version assumed".into(),
    }
}

/// One line for each problem, as tools read them; returns whether none is an error.
fn show(problems: &[Problem], name: &str, bytes: &[u8], parsed: &Parsed, console: &mut Console) -> bool {
    let mut sound = true;
    let (mut line, mut counted) = (1, 0);
    for problem in problems {
        // Problems come in order of the text, so that counting lines goes on from the last one.
        let start = problem.span.range().start.min(bytes.len());
        if start < counted {
            (line, counted) = (1, 0);
        }
        line += bytes[counted..start].iter().filter(|byte| **byte == b'\n').count();
        counted = start;
        let severity = match problem.severity {
            Severity::Warning if parsed.has("Werror") => Severity::Error,
            severity => severity,
        };
        let word = match severity {
            Severity::Warning if parsed.has("w") => continue,
            Severity::Warning => "warning",
            Severity::Error => "error  ",
            Severity::Fatal => "fatal  ",
        };
        sound &= severity == Severity::Warning;
        let text: String = problem
            .vendor_text()
            .chars()
            .map(|c| if c.is_control() { '?' } else { c })
            .collect();
        match problem.lineless {
            true => console.complain(&format!("ptxas {word} : {text}\n")),
            false => console.complain(&format!("ptxas {name}, line {line}; {word} : {text}\n")),
        }
    }
    sound
}
