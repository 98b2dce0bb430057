//! A run of the face.

use std::ffi::OsString;

use warpsmith::{Cancel, Failure, Position, Ptx, Session};
use warpsmith_base::{fault, write_atomically};
use warpsmith_ori::unresolved_variables;
use warpsmith_ptx::{Problem, Severity, compiles_for, module::Module, parse, versions};
use warpsmith_target::{Sm, Suffix};

use super::{
    consistency,
    input::{self, Input, Joined},
    options::OPTIONS,
    report::{self, Warning},
    settings,
};
use crate::vendor::Parsed;
use crate::{Console, exit, vendor};

/// The release whose options and messages these are, in the words that scripts look for.
const RELEASE: &str = "release 13.0, V13.0.88";

/// Runs the face with the arguments after the program's name; returns the exit status.
pub(crate) fn run(arguments: &[OsString], console: &mut Console) -> u8 {
    let mut parsed = vendor::parse(OPTIONS, arguments);
    for warning in std::mem::take(&mut parsed.warnings) {
        console.complain(&format!("ptxas warning : {warning}\n"));
    }
    if let Some(mistake) = parsed.mistake.take() {
        let status = fatal(&mistake, console);
        vendor::suggest(&parsed, "ptxas", console);
        return status;
    }
    let text = if parsed.has("h") {
        help()
    } else if parsed.has("V") {
        version()
    } else if parsed.has("version-ls") {
        versions().map(|version| format!("{version}\n")).collect()
    } else if parsed.has("arch-ls") {
        architectures()
    } else if parsed.files.is_empty() && !parsed.has("ias") {
        help()
    } else {
        return assemble(&parsed, console);
    };
    match console.print(text.as_bytes()) {
        Ok(()) => 0,
        Err(error) => fatal(&format!("Cannot write to standard output: {error}"), console),
    }
}

pub(super) fn fatal(text: &str, console: &mut Console) -> u8 {
    console.complain(&format!("{}{text}\n", exit::PTXAS.prefix));
    // All failures end with the same status.
    exit::PTXAS.input
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

/// The numbers of the targets, a line each.
fn architectures() -> String {
    let plain = Sm::ALL.iter().filter(|sm| sm.info().suffix == Suffix::None);
    plain.map(|sm| format!("{}\n", sm.info().number)).collect()
}

/// Checks all inputs, compiles them, and writes the cubin.
fn assemble(parsed: &Parsed, console: &mut Console) -> u8 {
    let bytes = match compile(parsed, Vec::new(), &Cancel::never(), console) {
        Outcome::Cubin(bytes) => bytes,
        Outcome::Checked => return 0,
        Outcome::Refused | Outcome::Internal | Outcome::Cancelled => return exit::PTXAS.input,
    };
    let path = parsed.text("o").unwrap_or("elf.o");
    match write_atomically(path, &bytes) {
        Ok(()) => 0,
        Err(error) => fatal(
            &format!("Output file '{path}' could not be written: {}", error.reason),
            console,
        ),
    }
}

/// What comes of inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The bytes of a cubin.
    Cubin(Vec<u8>),
    /// For a virtual target: nothing is wrong.
    Checked,
    /// Something is wrong with the options or the text, or not supported.
    Refused,
    /// A mistake of Warpsmith's own.
    Internal,
    /// The flag was set.
    Cancelled,
}

/// Says what is wrong, once and last.
fn refuse(text: &str, console: &mut Console) -> Outcome {
    fatal(text, console);
    Outcome::Refused
}

/// Checks inputs, those given and those that the options name, and compiles them. ptxas goes on to the next input after errors, and fails at the end.
pub(super) fn compile(parsed: &Parsed, given: Vec<Input>, cancel: &Cancel, console: &mut Console) -> Outcome {
    let name = parsed.text("arch").unwrap_or("sm_75");
    match consistency::check(parsed, name) {
        Ok(warnings) => {
            let warnings: Vec<Warning> = warnings.into_iter().map(|text| (None, text)).collect();
            if !warn(parsed, None, &warnings, console) {
                return refuse(ABORTED, console);
            }
        }
        Err(mistake) => return refuse(&mistake, console),
    }
    let (named, mut sound) = input::read(parsed, console);
    let inputs: Vec<Input> = given.into_iter().chain(named).collect();
    let mut modules = Vec::new();
    for input in &inputs {
        match check(parsed, &input.name, &input.bytes, name, console) {
            Ok(module) => modules.push(module),
            Err(Refused::Errors) => sound = false,
            Err(Refused::End) => return Outcome::Refused,
        }
    }
    if !sound {
        return refuse(ABORTED, console);
    }
    if let Err(message) = settings::operations(parsed) {
        console.complain(&format!("ptxas error   : {message}\n"));
        return refuse(ABORTED, console);
    }
    let Some(Ok(sm)) = name.strip_prefix("sm_").map(str::parse::<Sm>) else {
        return Outcome::Checked;
    };
    let joined = match Joined::new(inputs) {
        Ok(joined) => joined,
        Err(message) => return refuse(&message, console),
    };
    let module = match modules.pop() {
        Some(module) if modules.is_empty() => module,
        _ => {
            // Several inputs are one module: what is defined twice shows only now.
            let parse = parse(&joined.bytes);
            if !show_joined(&parse.problems, &joined, console) {
                return refuse(ABORTED, console);
            }
            parse.module
        }
    };
    Job {
        parsed,
        sm,
        target: name,
        text: &joined,
        cancel,
    }
    .generate(module, console)
}

/// What is said last where there were errors.
const ABORTED: &str = "Ptx assembly aborted due to errors";

/// The problems of a text of several inputs; returns whether none is an error.
fn show_joined(problems: &[Problem], joined: &Joined, console: &mut Console) -> bool {
    let errors = problems.iter().filter(|problem| problem.severity != Severity::Warning);
    let mut sound = true;
    for problem in errors {
        let (name, line) = joined.place(problem.span.range().start);
        let text = problem.vendor_text();
        console.complain(&format!("ptxas {name}, line {line}; error   : {text}\n"));
        sound = false;
    }

    sound
}

/// One module to compile.
struct Job<'a> {
    parsed: &'a Parsed,
    sm: Sm,
    target: &'a str,
    text: &'a Joined,
    cancel: &'a Cancel,
}

impl Job<'_> {
    /// Generates code.
    fn generate(&self, mut module: Module, console: &mut Console) -> Outcome {
        let parsed = self.parsed;
        if let Err(message) = settings::apply(parsed, &mut module) {
            return refuse(&message, console);
        }
        let options = match settings::options(parsed, self.sm, self.target, &module) {
            Ok(options) => options,
            Err(message) => return refuse(&message, console),
        };
        if let Some(variable) = unresolved_variables(&module).next().filter(|_| !parsed.has("c")) {
            let name = variable.name.map_or("", |name| module.names.get(name));
            return refuse(&format!("Unresolved extern variable '{name}'"), console);
        }
        if parsed.has("c") && !module.has_abi() {
            return refuse("'Compile only(-c)' requires ABI", console);
        }
        if let Some(line) = report::tensor_memory_checks(parsed, &module) {
            console.complain(&line);
        }
        if let Some(line) = report::fabric_checks(parsed, &module) {
            console.complain(&line);
        }
        if parsed.has("v2") {
            console.complain(&report::names(&module));
        }
        let verbose = parsed.has("v") || parsed.has("v2");
        let mut sound = self.warn(
            &report::before(
                &module,
                self.sm,
                parsed.has("warn-double-usage"),
                parsed.has("g"),
                parsed.has("c"),
            ),
            console,
        );
        let limit = options.maximum_registers;
        let overrides = options.override_directives;
        let ptx = Ptx::new("", warpsmith::readable(&self.text.bytes), module);
        let session = Session::new(options).with_cancel(self.cancel.clone());
        let output = match session.assemble(&ptx) {
            Ok(output) => output,
            Err(failure) => return self.failed(&failure, console),
        };
        // ptxas says so whatever the options.
        for (place, text) in output.functions.iter().rev().flat_map(|function| &function.advice) {
            let line = place.map_or(String::new(), |place| {
                let (name, line) = self.text.place(place as usize);
                format!(" ({name}, line {line})")
            });
            console.complain(&format!("ptxas info    : {text}{line}\n"));
        }
        if verbose && let Some(limit) = limit {
            console.complain(&report::limits(&ptx.module, self.sm, limit, overrides));
        }
        sound &= self.warn(
            &report::after(&output, parsed.has("warn-spills"), parsed.has("warn-lmem-usage")),
            console,
        );
        if !sound {
            return refuse(ABORTED, console);
        }
        if verbose {
            console.complain(&report::memory(&output, self.sm));
            for function in output.functions.iter().rev() {
                console.complain(&report::statistics(function, self.sm, self.target));
            }
        }
        Outcome::Cubin(output.cubin.write())
    }

    /// Tells why there is no code.
    fn failed(&self, failure: &Failure, console: &mut Console) -> Outcome {
        for message in failure.messages() {
            let start = match &message.diagnostic.position {
                Position::Text { bytes: Some(bytes), .. } => bytes.start,
                Position::Text { bytes: None, .. } | Position::Whole | Position::Offset(_) => 0,
            };
            let (name, line) = self.text.place(start);
            let text = &message.diagnostic.message;
            console.complain(&format!("ptxas {name}, line {line}; error   : {text}\n"));
        }
        match failure {
            Failure::Cancelled => return Outcome::Cancelled,
            Failure::Rejected(_) | Failure::Unsupported(_) => fatal(ABORTED, console),
            Failure::Internal(_) => {
                fatal(ABORTED, console);
                return Outcome::Internal;
            }
        };
        Outcome::Refused
    }

    fn warn(&self, warnings: &[Warning], console: &mut Console) -> bool {
        warn(self.parsed, Some(self.text), warnings, console)
    }
}

/// Shows warnings; returns whether none counts as an error.
fn warn(parsed: &Parsed, text: Option<&Joined>, warnings: &[Warning], console: &mut Console) -> bool {
    if parsed.has("w") {
        return true;
    }
    let word = match parsed.has("Werror") {
        true => "error  ",
        false => "warning",
    };
    for (place, message) in warnings {
        match place.and_then(|place| Some(text?.place(place))) {
            Some((name, line)) => console.complain(&format!("ptxas {name}, line {line}; {word} : {message}\n")),
            None => console.complain(&format!("ptxas {word} : {message}\n")),
        }
    }
    warnings.is_empty() || !parsed.has("Werror")
}

/// Checks one input and shows what is wrong with it; gives the module if it is sound.
fn check(
    parsed: &Parsed,
    name: &str,
    bytes: &[u8],
    architecture: &str,
    console: &mut Console,
) -> Result<Module, Refused> {
    let _at = fault::enter("parse", name);
    let module = parse(bytes);
    show(&module.problems, name, bytes, parsed, console)?;
    let number = architecture.split_once('_').map_or(architecture, |(_, number)| number);
    // The check of the options names architectures that there are not.
    let fits = number.parse::<Sm>().map(|sm| compiles_for(module.module.target, sm));
    if fits == Ok(false) {
        fatal(&misfit(&module.module.target.to_string(), number), console);
        return Err(Refused::End);
    }
    Ok(module.module)
}

/// Why PTX for `target` does not compile for sm_`number`.
fn misfit(target: &str, number: &str) -> String {
    match target.ends_with(['a', 'f']) {
        true => format!("PTX with .target '{target}' cannot be compiled for architecture 'sm_{number}'"),
        false => "SM version specified by .target is higher than default SM version assumed".into(),
    }
}

/// How a message ends that ptxas names the file in.
const AT_START: &str = "directive at start of file";

/// How an input is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    /// By errors, after which other inputs are read.
    Errors,
    /// By what ptxas ends with at once.
    End,
}

/// One line for each problem, as tools read them. What is found once a file is read, and has no line, is not looked for where lines are wrong.
fn show(problems: &[Problem], name: &str, bytes: &[u8], parsed: &Parsed, console: &mut Console) -> Result<(), Refused> {
    let severity = |problem: &Problem| match problem.severity {
        Severity::Warning if parsed.has("Werror") => Severity::Error,
        severity => severity,
    };
    let mut found = Ok(());
    let (mut line, mut counted) = (1, 0);
    for problem in problems.iter().filter(|problem| !problem.lineless) {
        // Problems come in order of the text, so that counting lines goes on from the last one.
        let start = problem.span.range().start.min(bytes.len());
        if start < counted {
            (line, counted) = (1, 0);
        }
        line += bytes[counted..start].iter().filter(|byte| **byte == b'\n').count();
        counted = start;
        if severity(problem) != Severity::Warning {
            found = Err(Refused::Errors);
        }
        let place = format!(" {name}, line {line};");
        show_one(problem, severity(problem), &place, name, parsed, console);
    }
    for wanted in [Severity::Warning, Severity::Error, Severity::Fatal] {
        found?;
        let lineless = problems.iter().filter(|problem| problem.lineless);
        for problem in lineless.filter(|problem| problem.severity == wanted) {
            show_one(problem, severity(problem), "", name, parsed, console);
            match severity(problem) {
                Severity::Warning => {}
                Severity::Error => found = Err(Refused::Errors),
                Severity::Fatal => return Err(Refused::End),
            }
        }
    }
    found
}

/// The line of one problem. `place`: where it is, if it has a line.
fn show_one(problem: &Problem, severity: Severity, place: &str, name: &str, parsed: &Parsed, console: &mut Console) {
    let word = match severity {
        Severity::Warning if parsed.has("w") => return,
        Severity::Warning => "warning",
        Severity::Error => "error  ",
        Severity::Fatal => "fatal  ",
    };
    let text: String = problem
        .vendor_text()
        .chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .collect();
    let text = match text.ends_with(AT_START) {
        true => format!("{text} '{name}'"),
        false => text,
    };
    console.complain(&format!("ptxas{place} {word} : {text}\n"));
}
