//! CUDA C++ programs at every level, in the interpreter and as machine code.
//!
//! **What enters**: a program ([`crate::generate_cuda`]) and the [`Way`]s in which it is compiled. **What leaves**: a [`Verdict`] for each. The judge is the
//! interpreter with what comes of the program without optimisation; where there is a compiler for the host, that compiler judges the judge ([`host`]). What becomes
//! machine code goes through the interpreter, too: then it is known whether the optimiser or the back end is wrong.

pub mod campaign;
pub mod host;

use warpsmith::{Memory as Files, Ptx, Session, Source, Unit};
use warpsmith_emu::Options as RunOptions;
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

/// How a program is compiled in a way: products and sums stay apart, as the judge's do.
fn session(sm: Sm, way: &Way, verify: bool) -> Session {
    let mut options = warpsmith::Options::new(sm);
    options.arithmetic.contract = false;
    options.level = way.level;
    options.passes_off.clone_from(&way.off);
    options.pass_fuel = way.fuel;
    options.places = false;
    options.verify = verify;
    Session::new(options).with_files(Files::new())
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
    unit: Unit,
}

impl Compiled {
    /// Reads a program for a target.
    ///
    /// # Errors
    /// What the front end says.
    pub fn new(program: Program, sm: Sm) -> Result<Compiled, String> {
        let unit = guarded(|| {
            let session = session(sm, &Way::level(0), true);
            let unit = session
                .front(&Source::cuda("program.cu", &program.text))
                .and_then(|mut unit| {
                    session.link_library(&mut unit)?;
                    Ok(unit)
                });
            unit.map_err(|failure| failure.to_string())
        })?;
        Ok(Compiled {
            program,
            sm,
            verify_each: true,
            unit,
        })
    }

    /// The PTX of a way.
    ///
    /// # Errors
    /// What the optimiser or instruction selection says.
    pub fn ptx(&self, way: &Way) -> Result<Ptx, Verdict> {
        let output = guarded(|| {
            let session = session(self.sm, way, self.verify_each);
            let mut unit = self.unit.clone();
            let optimised = session.optimise(&mut unit);
            optimised.map_err(|failure| failure.to_string())?;
            if let (false, Err(problems)) = (self.verify_each, unit.module.verify()) {
                return Err(format!("after optimisation: {}", problems[0]));
            }
            session.select(&unit).map_err(|failure| failure.to_string())
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
