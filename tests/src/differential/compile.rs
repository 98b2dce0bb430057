//! What makes a cubin of a program.

use std::path::PathBuf;

use warpsmith_ori::Options;
use warpsmith_ptx::module::Module;
use warpsmith_target::Sm;

use super::{Program, Verdict};
use crate::emulator_agreement::{
    guarded,
    ptxas::{Ptxas, for_target},
};

/// How a program is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The target.
    pub sm: Sm,
    /// The options of the back end.
    pub options: Options,
}

impl Settings {
    /// The usual ones for a target.
    pub fn of(sm: Sm) -> Settings {
        Settings {
            sm,
            options: Options {
                verify: true,
                threads: 1,
                ..Options::default()
            },
        }
    }

    /// What is not usual of the options: `-O1 off=… registers=32 fuel=7`.
    pub fn in_words(&self) -> String {
        let mut words = Vec::new();
        let Options {
            level,
            maximum_registers,
            off,
            fuel,
            ..
        } = &self.options;
        if *level != 3 {
            words.push(format!("-O{level}"));
        }
        words.extend(maximum_registers.map(|limit| format!("registers={limit}")));
        words.extend(off.iter().map(|name| format!("off={name}")));
        words.extend(fuel.map(|fuel| format!("fuel={fuel}")));
        words.join(" ")
    }

    /// Takes a word as [`Settings::in_words`] writes them; false: it is none.
    pub fn take(&mut self, word: &str) -> bool {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let number = value.parse::<u32>().ok();
        match (key, number) {
            ("-O0" | "-O1" | "-O2" | "-O3", None) => self.options.level = key.as_bytes()[2] - b'0',
            ("registers", Some(limit)) => self.options.maximum_registers = Some(limit),
            ("off", None) if !value.is_empty() => self.options.off.push(value.to_owned()),
            ("fuel", Some(fuel)) => self.options.fuel = Some(u64::from(fuel)),
            ("threads", Some(threads)) => self.options.threads = threads as usize,
            _ => return false,
        }
        true
    }
}

/// The compiler.
#[derive(Debug)]
pub enum Maker {
    /// The back end.
    Ours,
    /// A ptxas binary.
    Tool(Box<Ptxas>),
}

impl Maker {
    /// The cubin of a program.
    ///
    /// # Errors
    /// Why there is none, as a verdict.
    pub(super) fn cubin(&self, program: &Program, module: &Module, settings: &Settings) -> Result<Vec<u8>, Verdict> {
        match self {
            Maker::Ours => ours(module, settings),
            Maker::Tool(tool) => theirs(tool, program, settings),
        }
    }
}

/// Compiles with the back end.
///
/// # Errors
/// What it says, as a verdict.
pub fn ours(module: &Module, settings: &Settings) -> Result<Vec<u8>, Verdict> {
    let compiled = guarded(|| {
        Ok(
            warpsmith_ori::compile_with_options(module, settings.sm, &settings.options)
                .map(|output| output.cubin.write()),
        )
    });
    match compiled {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(errors)) => {
            let internal = errors.iter().find(|error| error.message.starts_with("internal error"));
            let shown = internal.or(errors.first());
            let text = shown.map_or_else(String::new, |error| error.message.clone());
            Err(match internal {
                Some(_) => Verdict::Internal(text),
                None => Verdict::Refused(text),
            })
        }
        Err(panic) => Err(Verdict::Panic(panic)),
    }
}

fn theirs(tool: &Ptxas, program: &Program, settings: &Settings) -> Result<Vec<u8>, Verdict> {
    let sm = settings.sm.to_string();
    let text = for_target(&program.text, &sm).ok_or_else(|| Verdict::Refused(format!("not for {sm}")))?;
    let name = format!("program{:?}", std::thread::current().id());
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let path: PathBuf = tool.cubin(&name, &text, &sm, "-O3").map_err(Verdict::Refused)?;
    std::fs::read(path).map_err(|error| Verdict::Refused(error.to_string()))
}
