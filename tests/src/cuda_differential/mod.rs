//! CUDA C++ programs at every level, in the interpreter and as machine code.
//!
//! **What enters**: a program ([`crate::generate_cuda`]) and the [`Way`]s in which it is compiled. **What leaves**: a [`Verdict`] for each. The judge is the
//! interpreter with what comes of the program without optimisation; where there is a compiler for the host, that compiler judges the judge ([`host`]). What becomes
//! machine code goes through the interpreter, too: then it is known whether the optimiser or the back end is wrong.

pub mod campaign;
pub mod host;

use warpsmith_cuda::source::Memory as Files;
use warpsmith_emu::Options as RunOptions;
use warpsmith_isel::Output;
use warpsmith_target::Sm;

use crate::{
    differential::{Judged, Maker, Memory, Place, Program, Settings, Verdict, compare, interpreted},
    emulator_agreement::guarded,
};

/// Warp instructions of the interpreter after which a program counts as endless.
const BUDGET: u64 = 8_000_000;

/// How a program is compiled, and what runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The level of the optimiser.
    pub level: u8,
    /// Passes that do not run.
    pub off: Vec<String>,
    /// How many rewrites the optimiser may make.
    pub fuel: Option<u64>,
    /// The level of the back end, whose machine code runs besides the PTX in the interpreter; `None`: the PTX alone.
    pub machine: Option<u8>,
}

impl Way {
    /// A level of the optimiser, in the interpreter.
    pub fn level(level: u8) -> Way {
        Way {
            level,
            off: Vec::new(),
            fuel: None,
            machine: None,
        }
    }

    /// In words: `-O3 off=gvn fuel=7 machine=2`.
    pub fn in_words(&self) -> String {
        let mut words = vec![format!("-O{}", self.level)];
        words.extend(self.off.iter().map(|name| format!("off={name}")));
        words.extend(self.fuel.map(|fuel| format!("fuel={fuel}")));
        words.extend(self.machine.map(|level| format!("machine={level}")));
        words.join(" ")
    }

    /// Takes a word as [`Way::in_words`] writes them; false: it is none.
    pub fn take(&mut self, word: &str) -> bool {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let number = value.parse::<u64>().ok();
        match (key, number) {
            ("-O0" | "-O1" | "-O2" | "-O3", None) => self.level = key.as_bytes()[2] - b'0',
            ("off", None) if !value.is_empty() => self.off.push(value.to_owned()),
            ("fuel", Some(fuel)) => self.fuel = Some(fuel),
            ("machine", Some(level)) if level <= 3 => self.machine = Some(level as u8),
            _ => return false,
        }
        true
    }
}

/// A program that the front end has read.
#[derive(Debug)]
pub struct Compiled {
    /// The program: the launch, and CUDA C++.
    pub program: Program,
    /// The target.
    pub sm: Sm,
    /// Whether the IR is checked after every pass, and not in the end alone.
    pub verify_each: bool,
    module: warpsmith_ir::Module,
}

impl Compiled {
    /// Reads a program for a target.
    ///
    /// # Errors
    /// What the front end says.
    pub fn new(program: Program, sm: Sm) -> Result<Compiled, String> {
        let module = guarded(|| {
            let files = Files::new().with("program.cu", program.text.clone());
            let mut options = warpsmith_cuda::Options::for_target(sm.name());
            options.codegen.contract = false;
            let compilation = warpsmith_cuda::compile(&files, "program.cu", &options);
            let module = compilation.module.ok_or_else(|| compilation.context.render())?;
            match module.verify() {
                Ok(()) => Ok(module),
                Err(problems) => Err(format!("the module of the front end: {}", problems[0])),
            }
        })?;
        Ok(Compiled {
            program,
            sm,
            verify_each: true,
            module,
        })
    }

    /// The PTX of a way.
    ///
    /// # Errors
    /// What the optimiser or instruction selection says.
    pub fn ptx(&self, way: &Way) -> Result<Output, Verdict> {
        let output = guarded(|| {
            let mut module = self.module.clone();
            let options = warpsmith_opt::Options {
                level: way.level,
                off: way.off.clone(),
                fuel: way.fuel,
                verify: self.verify_each,
                whole_program: true,
                ..warpsmith_opt::Options::default()
            };
            warpsmith_opt::optimize(&mut module, &options).map_err(|failure| failure.to_string())?;
            if let (false, Err(problems)) = (self.verify_each, module.verify()) {
                return Err(format!("after optimisation: {}", problems[0]));
            }
            let mut options = warpsmith_isel::Options::new(self.sm);
            options.contract = false;
            warpsmith_isel::select(&module, &options).map_err(|errors| {
                let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
                texts.join("\n")
            })
        });
        output.map_err(|message| match message.strip_prefix("panic: ") {
            Some(panic) => Verdict::Panic(panic.to_owned()),
            None => Verdict::Internal(message),
        })
    }

    /// What the program leaves without optimisation, in the interpreter.
    ///
    /// # Errors
    /// Why the interpreter stops.
    pub fn expected(&self) -> Result<Memory, Verdict> {
        let output = self.ptx(&Way::level(0))?;
        // Padding and the rest of a word of bit fields are read and written back without having been written: that is not looked for.
        let options = RunOptions {
            step_budget: BUDGET,
            check_races: true,
            ..RunOptions::default()
        };
        interpreted(&self.program, &output.module, &options).map_err(Verdict::Fault)
    }

    /// Goes a way and compares.
    pub fn check(&self, way: &Way, expected: &Memory) -> Verdict {
        let output = match self.ptx(way) {
            Ok(output) => output,
            Err(verdict) => return verdict,
        };
        let options = RunOptions {
            step_budget: BUDGET,
            ..RunOptions::default()
        };
        let verdict = match interpreted(&self.program, &output.module, &options) {
            Ok(memory) => compare(&memory.0, &expected.0),
            Err(message) => Verdict::Fault(message),
        };
        let (Some(level), Verdict::Equal) = (way.machine, &verdict) else {
            return verdict;
        };
        let judged = Judged {
            program: Program::new(&self.program, &output.text),
            module: output.module,
            expected: expected.clone(),
        };
        let mut settings = Settings::of(self.sm);
        settings.options.level = level;
        judged.check(&Maker::Ours, &settings, Place::Emulator)
    }
}
