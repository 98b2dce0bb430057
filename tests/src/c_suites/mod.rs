//! Suites of C programs that check themselves, each turned into a kernel.
//!
//! **What enters**: a C program with `main`, which calls `abort` or gives a number that is not 0 where something is wrong, and what it should print. **What
//! leaves**: an [`Outcome`]. The program is read as CUDA C++ whose functions and variables are the device's; C that C++ does not have is refused by the front
//! end, and a compiler of C++ on the host can say beforehand which programs these are.

use std::{collections::BTreeMap, fmt};

use warpsmith::{Cancel, Memory, Prelude, Session, Source};
use warpsmith_emu::{Device, Launch, Options as RunOptions, ptx, sass};
use warpsmith_target::Sm;

use crate::{
    differential::{Settings, Verdict, ours},
    emulator_agreement::guarded,
};

/// Warp instructions after which a program counts as endless.
const BUDGET: u64 = 50_000_000;

/// A program of a suite.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name in the suite.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What it should print.
    pub printed: String,
}

/// What became of a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It ran to its end at every level, and said what it should.
    Passed,
    /// The front end refuses it.
    Refused(String),
    /// A later step refuses it, or says that it has a mistake.
    Failed(String),
    /// It found something wrong, printed something else, or a fault ended it.
    Wrong(String),
}

/// The program as CUDA C++.
pub fn kernel_of(case: &Case) -> String {
    let text = as_cpp(&case.text);
    let compact: String = text.split_whitespace().collect();
    let call = match compact.contains("main()") || compact.contains("main(void)") {
        true => "main()",
        false => "main(0, 0)",
    };
    let call = match compact.contains("voidmain(") {
        true => format!("{call}; *result = 0;"),
        false => format!("*result = {call};"),
    };
    format!(
        "{START}#line 1\n{text}\nextern \"C\" __global__ void run(int *result) {{ __result_of_exit = result; *result = 0; {call} }}\n"
    )
}

/// The program as C++ for a host.
pub fn host_of(case: &Case) -> String {
    let declared = "extern \"C\" { void abort(); void exit(int); int printf(const char *, ...); }";
    format!("{declared}\n#line 1\n{}", as_cpp(&case.text))
}

/// What programs take from the library of C without declaring it so that C++ would know it.
const START: &str = "extern \"C\" int printf(const char *, ...);
static int *__result_of_exit;
extern \"C\" void abort();
static inline void exit(int status) { *__result_of_exit = status; asm volatile(\"exit;\"); }
";

/// C of the past as C++: functions without a type give `int`; `abort` and `exit` are declared already.
fn as_cpp(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find('\n').map_or(rest.len(), |at| at + 1);
        let line = &rest[..end];
        let name = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next();
        let name = name.unwrap_or_default();
        let after = line[name.len()..].trim_start_matches(' ');
        if is_declared(line) {
            result.push('\n');
        } else {
            let keyword = [
                "if",
                "for",
                "while",
                "switch",
                "__attribute__",
                "return",
                "asm",
                "__asm__",
            ]
            .contains(&name);
            let untyped = !name.is_empty() && !keyword && after.starts_with('(');
            if untyped && starts_declaration(&result) && has_body(&rest[line.len() - after.len()..]) {
                result.push_str("int ");
            }
            result.push_str(line);
        }
        rest = &rest[end..];
    }
    result
}

/// Whether a declaration can start after this text: no type stands at its end.
fn starts_declaration(before: &str) -> bool {
    let mut lines = before.lines().rev().map(str::trim);
    match lines.find(|line| !line.is_empty()) {
        None => true,
        Some(line) => line.starts_with('#') || line.ends_with([';', '}', '/']) || line.starts_with("//"),
    }
}

/// Whether a line declares `abort` or `exit` and nothing else.
fn is_declared(line: &str) -> bool {
    let words = line.trim().trim_start_matches("extern").trim_start();
    let Some(words) = words.strip_prefix("void") else {
        return false;
    };
    let words = words.trim_start();
    let name = words
        .split(|c: char| !c.is_ascii_alphanumeric())
        .next()
        .unwrap_or_default();
    matches!(name, "abort" | "exit") && words.ends_with(';') && !words.contains(',')
}

/// Whether a text that starts with a parenthesis has a body in braces after its end.
fn has_body(text: &str) -> bool {
    let Some(end) = text[1..].find(['(', ')', ';', '{', '}']) else {
        return false;
    };
    let rest = &text[1 + end..];
    rest.starts_with(')') && rest[1..].trim_start().starts_with('{')
}

/// Compiles and runs a program: without optimisation and with all of it in the interpreter, and as machine code.
pub fn judge(case: &Case, sm: Sm) -> Outcome {
    guarded(|| Ok(judged(case, sm))).unwrap_or_else(Outcome::Failed)
}

fn judged(case: &Case, sm: Sm) -> Outcome {
    let session = |level| {
        let mut options = warpsmith::Options::new(sm);
        options.front.prelude = Prelude::None;
        options.front.device_by_default = true;
        options.level = level;
        options.places = false;
        options.verify = true;
        Session::new(options).with_files(Memory::new())
    };
    let mut unit = match session(0).front(&Source::cuda("program.cu", kernel_of(case))) {
        Ok(unit) => unit,
        Err(failure) => return Outcome::Refused(failure.to_string()),
    };
    name_library(&mut unit.module);
    if let Err(failure) = session(0).link_library(&mut unit) {
        return Outcome::Failed(failure.to_string());
    }
    for level in [0, 3] {
        let mut unit = unit.clone();
        let session = session(level);
        let output = session.optimise(&mut unit).and_then(|_| session.select(&unit));
        let output = match output {
            Ok(output) => output,
            Err(failure) => return Outcome::Failed(format!("-O{level}: {failure}")),
        };
        let said = |what: &str, message: String| Outcome::Wrong(format!("-O{level}, {what}: {message}"));
        if let Err(message) = interpreted(&output.module, &case.printed) {
            return said("interpreter", message);
        }
        let mut settings = Settings::of(sm);
        settings.options.level = level;
        match ours(&output.module, &settings) {
            Ok(bytes) => {
                if let Err(message) = emulated(&bytes, &case.printed) {
                    return said("machine code", message);
                }
            }
            Err(Verdict::Refused(message)) if message.contains("not supported") => return Outcome::Failed(message),
            Err(verdict) => return Outcome::Failed(format!("-O{level}: {verdict}")),
        }
    }
    Outcome::Passed
}

/// Functions of the C library that a module declares become the device's, which are linked to it.
fn name_library(module: &mut warpsmith_ir::Module) {
    let missing = module.functions().filter(|(id, _)| module.body(*id).is_none());
    let missing: Vec<_> = missing
        .map(|(id, declaration)| (id, format!("__nv_{}", declaration.name)))
        .filter(|(_, library)| warpsmith_mathlib::file_of(library).is_some())
        .collect();
    for (id, library) in missing {
        module.symbols.rename(warpsmith_ir::SymbolId::Function(id), &library);
    }
}

/// The launch of one thread, and where its result goes.
fn launch(device: &mut Device) -> Result<(Launch, u64), String> {
    let out = device.allocate(16, 16);
    device.write(out, &[0xff; 16]).map_err(|fault| fault.to_string())?;
    let launch = Launch {
        arguments: vec![out.to_le_bytes().to_vec()],
        ..Launch::of("run")
    };
    Ok((launch, out))
}

const RUN: RunOptions = RunOptions {
    seed: 0,
    step_budget: BUDGET,
    check_races: false,
    check_uninitialised: false,
    delay_copies: false,
    check_registers: false,
    check_division: false,
    check_hazards: false,
    faults: 1,
    padded_shared: false,
    stack_bytes: 0,
    memory_statistics: true,
    multiprocessors: 132,
    threads: 1,
    cancel: Cancel::never(),
};

fn interpreted(module: &warpsmith_ptx::module::Module, expected: &str) -> Result<(), String> {
    let mut device = Device::new();
    let loaded = ptx::load(&mut device, module).map_err(|fault| fault.to_string())?;
    let (launch, out) = launch(&mut device)?;
    let report = ptx::run(&mut device, &loaded, &launch, &RUN).map_err(|failure| failure.fault.to_string())?;
    compared(&device, out, &report.printed, expected)
}

fn emulated(bytes: &[u8], expected: &str) -> Result<(), String> {
    let cubin = warpsmith_cubin::Cubin::read(bytes).map_err(|error| error.to_string())?;
    let mut device = Device::new();
    let loaded = sass::load(&mut device, &cubin).map_err(|fault| fault.to_string())?;
    let (launch, out) = launch(&mut device)?;
    let options = RunOptions {
        check_hazards: true,
        ..RUN
    };
    let report = sass::run(&mut device, &loaded, &launch, &options).map_err(|failure| failure.fault.to_string())?;
    compared(&device, out, &report.printed, expected)
}

fn compared(device: &Device, out: u64, printed: &str, expected: &str) -> Result<(), String> {
    let bytes = device.read(out, 4).map_err(|fault| fault.to_string())?;
    let result = bytes.iter().rev().fold(0_u32, |all, byte| all << 8 | u32::from(*byte));
    match (result, printed == expected) {
        (0, true) => Ok(()),
        (0, false) => Err(format!("printed {:?}", printed.lines().next().unwrap_or_default())),
        _ => Err(format!("the result is {result}")),
    }
}

/// Outcomes of a suite.
#[derive(Debug, Default)]
pub struct Report {
    outcomes: BTreeMap<String, Outcome>,
}

impl Report {
    /// Notes an outcome.
    pub fn add(&mut self, name: &str, outcome: Outcome) {
        self.outcomes.insert(name.to_owned(), outcome);
    }

    /// Programs that passed, and all.
    pub fn counts(&self) -> (usize, usize) {
        let passed = self.outcomes.values().filter(|outcome| **outcome == Outcome::Passed);
        (passed.count(), self.outcomes.len())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, outcome) in &self.outcomes {
            let (kind, text) = match outcome {
                Outcome::Passed => continue,
                Outcome::Refused(text) => ("refused", text),
                Outcome::Failed(text) => ("failed", text),
                Outcome::Wrong(text) => ("wrong", text),
            };
            let errors = text.lines().find(|line| line.contains("error"));
            let line = errors.or_else(|| text.lines().next()).unwrap_or_default();
            writeln!(f, "{kind} {name}: {line}")?;
        }
        let (passed, all) = self.counts();
        writeln!(f, "{passed} of {all} passed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(text: &str, printed: &str) -> Case {
        Case {
            name: "case".to_owned(),
            text: text.to_owned(),
            printed: printed.to_owned(),
        }
    }

    #[test]
    fn programs_become_kernels_and_run() {
        let sm = "sm_80".parse().expect("it is a target");
        let old = "extern void abort (void);\nf (int x)\n{ return x + 1; }\nmain () { if (f (1) != 2) abort (); exit (0); }\n";
        assert_eq!(judge(&case(old, ""), sm), Outcome::Passed);
        let prints = "int printf(const char *, ...);\nint main(void) { printf(\"%d\\n\", 42); return 0; }\n";
        assert_eq!(judge(&case(prints, "42\n"), sm), Outcome::Passed);
        assert!(matches!(judge(&case(prints, "43\n"), sm), Outcome::Wrong(_)));
        let wrong = "int main() { return 3; }\n";
        assert!(matches!(judge(&case(wrong, ""), sm), Outcome::Wrong(_)));
        assert!(matches!(judge(&case("int main( {", ""), sm), Outcome::Refused(_)));
    }
}
