//! A kernel with one recipe, run.

use warpsmith_emu::{Accessed, Device, FaultKind, Launch, Options, ptx, sass};
use warpsmith_ptx::module::Module;

use super::pages::Pages;
use super::recipe::{Parameter, Recipe};
use crate::emulator_agreement::guarded;

/// Bytes of each buffer: enough for what the recipes' sizes ask for, in most kernels.
const BUFFER: u64 = 1 << 16;
/// Instructions after which a run says nothing.
pub(super) const BUDGET: u64 = 1_000_000;
/// How many more instructions machine code may have.
const MACHINE: u64 = 8;

/// A side.
pub(super) enum Code<'a> {
    /// In the interpreter.
    Ptx(&'a Module),
    /// In the emulator, in checked mode.
    Machine(&'a [u8]),
}

/// How a kernel is run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Run {
    Usual,
    /// Warps in another order.
    OtherOrder,
    /// Races, what was never written, and integers divided by zero are faults.
    Checked,
}

/// A run that came to its end.
pub(super) struct Finished {
    /// The buffers, and after them the pages.
    pub memory: Vec<Vec<u8>>,
    /// Whether the run changed any.
    pub wrote: bool,
}

/// A run that came to no end.
pub(super) struct Stopped {
    pub kind: FaultKind,
    /// What the access was to that stopped it.
    pub accessed: Option<Accessed>,
    pub text: String,
}

/// A kernel of both sides, with what it is launched with.
pub(super) struct Trial<'a> {
    name: &'a str,
    parameters: &'a [Parameter],
    recipe: &'a Recipe,
    pages: Pages,
    /// Instructions after which a run says nothing.
    budget: u64,
    /// What [`Trial::run_with_pages`] executed, all its runs together.
    pub instructions: u64,
}

impl<'a> Trial<'a> {
    /// Without pages.
    pub(super) fn new(name: &'a str, parameters: &'a [Parameter], recipe: &'a Recipe, budget: u64) -> Trial<'a> {
        Trial {
            name,
            parameters,
            recipe,
            pages: Pages::new(recipe),
            budget,
            instructions: 0,
        }
    }

    /// Runs PTX, and again with more pages for each access that finds nothing and that may have one, until one run comes to its end or all together have
    /// executed the budget.
    pub(super) fn run_with_pages(
        &mut self,
        module: &Module,
        may: impl Fn(Accessed) -> bool,
    ) -> Result<Finished, Stopped> {
        loop {
            let mut instructions = 0;
            let ran = self.counted(&Code::Ptx(module), Run::Usual, &mut instructions);
            self.instructions += instructions;
            let stopped = match ran {
                Err(stopped) if stopped.kind == FaultKind::OutOfBounds => stopped,
                ran => return ran,
            };
            let another = stopped.accessed.is_some_and(&may) && self.instructions < self.budget;
            if !another || !self.pages.add(stopped.accessed) {
                return Err(stopped);
            }
        }
    }

    /// Runs a side with the pages that are there.
    pub(super) fn run(&self, code: &Code, how: Run) -> Result<Finished, Stopped> {
        self.counted(code, how, &mut 0)
    }

    fn counted(&self, code: &Code, how: Run, instructions: &mut u64) -> Result<Finished, Stopped> {
        let (mut kind, mut accessed) = (FaultKind::Load, None);
        let ran = guarded(|| {
            let mut device = Device::new();
            let (buffers, arguments) = self
                .recipe
                .fill(&mut device, self.parameters, BUFFER)
                .map_err(|fault| fault.to_string())?;
            // The module's own variables have their places before pages are put where nothing is.
            let loaded = Loaded::new(&mut device, code)?;
            let mut places: Vec<(u64, u64)> = buffers.iter().map(|&address| (address, BUFFER)).collect();
            places.extend(self.pages.map(&mut device));
            let before = contents(&device, &places)?;
            let launch = Launch {
                grid: self.recipe.grid,
                block: self.recipe.block,
                dynamic_shared: self.recipe.shared,
                arguments,
                ..Launch::of(self.name)
            };
            let options = options(code, how, self.budget);
            let outcome = match loaded {
                Loaded::Ptx(loaded) => ptx::run(&mut device, &loaded, &launch, &options),
                Loaded::Machine(loaded) => sass::run(&mut device, &loaded, &launch, &options),
            };
            match outcome {
                Ok(report) => *instructions = report.instructions,
                Err(failure) => {
                    *instructions = failure.report.instructions;
                    (kind, accessed) = (failure.fault.kind, failure.fault.accessed);
                    return Err(failure.fault.to_string().lines().take(3).collect::<Vec<_>>().join(" "));
                }
            }
            let memory = contents(&device, &places)?;
            let wrote = memory != before;
            Ok(Finished { memory, wrote })
        });
        ran.map_err(|text| Stopped { kind, accessed, text })
    }
}

/// A side on a device.
enum Loaded {
    Ptx(ptx::Loaded),
    Machine(sass::Loaded),
}

impl Loaded {
    fn new(device: &mut Device, code: &Code) -> Result<Loaded, String> {
        match *code {
            Code::Ptx(module) => ptx::load(device, module)
                .map(Loaded::Ptx)
                .map_err(|fault| fault.to_string()),
            Code::Machine(bytes) => {
                let cubin = warpsmith_cubin::Cubin::read(bytes).map_err(|error| error.to_string())?;
                sass::load(device, &cubin)
                    .map(Loaded::Machine)
                    .map_err(|fault| fault.to_string())
            }
        }
    }
}

fn options(code: &Code, how: Run, budget: u64) -> Options {
    let is_machine = matches!(code, Code::Machine(_));
    Options {
        seed: u64::from(how == Run::OtherOrder),
        check_races: how == Run::Checked,
        check_uninitialised: how == Run::Checked,
        check_registers: how == Run::Checked,
        check_division: how == Run::Checked,
        step_budget: if is_machine { MACHINE * budget } else { budget },
        check_hazards: is_machine,
        ..Options::default()
    }
}

fn contents(device: &Device, places: &[(u64, u64)]) -> Result<Vec<Vec<u8>>, String> {
    let read = places
        .iter()
        .map(|&(address, bytes)| device.read(address, bytes).map_err(|fault| fault.to_string()));
    read.collect()
}
