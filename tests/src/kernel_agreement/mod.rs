//! Two PTX modules that should mean the same, kernel by kernel: what two compilers made of one source.
//!
//! **What enters**: ours and theirs, as text. **What leaves**: for each kernel of both an [`Agreement`]. Nobody says how the kernels are launched: the
//! text of a kernel and a run of it say which parameters are pointers, and a [`Recipe`] what lies there. A recipe with which theirs faults says nothing; of the others, the memory is
//! compared, bit for bit or, where floating-point numbers may be contracted in one and not in the other, within a tolerance.

mod discovery;
mod memory;
mod recipe;

pub use memory::{Difference, compare};
pub use recipe::{Limits, Parameter, Recipe, limits, parameters};

use warpsmith_emu::{Accessed, Device, FaultKind, Launch, Options, ptx, sass};
use warpsmith_ptx::{Severity, module::Module};
use warpsmith_target::Sm;

use crate::differential::{Settings, Verdict, ours};
use crate::emulator_agreement::guarded;

/// Bytes of each buffer: enough for what the recipes' sizes ask for, in most kernels.
const BUFFER: u64 = 1 << 16;
/// Instructions after which a run says nothing.
const BUDGET: u64 = 3_000_000;
/// Machine code has more instructions.
const MACHINE_BUDGET: u64 = 8 * BUDGET;

/// What became of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Agreement {
    /// With these many recipes both wrote, and the same.
    Equal(usize),
    /// The same within the tolerance, with at least one recipe.
    Close(usize),
    /// No recipe makes theirs run to its end and write something; why the last did not.
    Unknown(String),
    /// Other memory.
    Different(String),
    /// Ours faults where theirs does not.
    Fault(String),
}

/// A side.
enum Code<'a> {
    /// In the interpreter.
    Ptx(&'a Module),
    /// In the emulator, in checked mode.
    Machine(&'a [u8]),
}

/// Reads PTX.
///
/// # Errors
/// What the parser says.
pub fn read(text: &str) -> Result<Module, String> {
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    let problem = parsed
        .problems
        .iter()
        .find(|problem| problem.severity != Severity::Warning);
    match problem {
        None => Ok(parsed.module),
        Some(problem) => {
            let start = problem.span.range().start.min(text.len());
            Err(format!(
                "line {}: {}",
                text[..start].lines().count(),
                problem.vendor_text()
            ))
        }
    }
}

/// Compares the kernels that both modules have; with a target also what our back end makes of ours.
///
/// # Errors
/// Where our PTX does not compile for the target.
pub fn agreements(
    mine: (&str, &Module),
    theirs: (&str, &Module),
    sm: Option<Sm>,
) -> Result<Vec<(String, Agreement)>, String> {
    let cubin = match sm {
        None => None,
        Some(sm) => Some(ours(mine.1, &Settings::of(sm)).map_err(|verdict: Verdict| verdict.to_string())?),
    };
    let code = match &cubin {
        Some(bytes) => Code::Machine(bytes),
        None => Code::Ptx(mine.1),
    };
    let wanted = parameters(mine.0, mine.1);
    let given = parameters(theirs.0, theirs.1);
    let mut found = Vec::new();
    for (name, of_theirs) in &given {
        let Some((_, of_mine)) = wanted.iter().find(|(other, _)| other == name) else {
            continue;
        };
        let sizes = |list: &[Parameter]| list.iter().map(|parameter| parameter.bytes).collect::<Vec<_>>();
        let agreement = match sizes(of_mine) == sizes(of_theirs) {
            true => kernel(name, &code, theirs.1, of_theirs),
            false => Agreement::Different(format!(
                "parameters of {:?} bytes, not {:?}",
                sizes(of_mine),
                sizes(of_theirs)
            )),
        };
        found.push((name.clone(), agreement));
    }
    Ok(found)
}

/// One kernel with all recipes.
fn kernel(name: &str, mine: &Code, theirs: &Module, parameters: &[Parameter]) -> Agreement {
    let (mut equal, mut close) = (0, 0);
    let mut why = String::from("writes nothing");
    let recipes = Recipe::all(limits(theirs, name));
    let parameters = &discovery::with_pointers(name, theirs, parameters, &Recipe::shapes(&recipes));
    for recipe in recipes {
        let expected = match run(name, &Code::Ptx(theirs), parameters, &recipe, Run::Usual) {
            Ok((_, false)) => continue,
            Ok((memory, true)) => memory,
            Err(stopped) => {
                why = stopped.text;
                continue;
            }
        };
        let found = match run(name, mine, parameters, &recipe, Run::Usual) {
            Ok((memory, _)) => memory,
            // An interpreter that lacks something is no fault of a compiler.
            Err(stopped) if stopped.kind == FaultKind::Unsupported => {
                why = stopped.text;
                continue;
            }
            Err(stopped) => return Agreement::Fault(format!("{recipe}: {}", stopped.text)),
        };
        match compare(&found, &expected, recipe.has_halves()) {
            Difference::None => equal += 1,
            Difference::Small => close += 1,
            Difference::Large(text) => {
                // Where the order of warps decides, or what lies in memory that nobody wrote, nothing can be said.
                let checked = run(name, &Code::Ptx(theirs), parameters, &recipe, Run::Checked);
                if let Err(stopped) = checked
                    && matches!(stopped.kind, FaultKind::Race | FaultKind::Uninitialised)
                {
                    why = stopped.text;
                    continue;
                }
                let again = run(name, &Code::Ptx(theirs), parameters, &recipe, Run::OtherOrder);
                if again.is_ok_and(|(memory, _)| compare(&memory, &expected, false) != Difference::None) {
                    why = "depends on the order of warps".to_string();
                    continue;
                }
                return Agreement::Different(format!("{recipe}: {text}"));
            }
        }
    }
    match (equal, close) {
        (0, 0) => Agreement::Unknown(why),
        (equal, 0) => Agreement::Equal(equal),
        (equal, close) => Agreement::Close(equal + close),
    }
}

/// How a kernel is run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    Usual,
    /// Warps in another order.
    OtherOrder,
    /// Races, and what was never written, are faults.
    Checked,
}

/// The memory after a run, and whether that wrote anything.
type Ran = Result<(Vec<Vec<u8>>, bool), Stopped>;

/// A run that came to no end.
struct Stopped {
    kind: FaultKind,
    /// What the access was to that stopped it.
    accessed: Option<Accessed>,
    text: String,
}

fn run(name: &str, code: &Code, parameters: &[Parameter], recipe: &Recipe, how: Run) -> Ran {
    let (mut kind, mut accessed) = (FaultKind::Load, None);
    let ran = guarded(|| {
        let mut device = Device::new();
        let options = Options {
            seed: u64::from(how == Run::OtherOrder),
            check_races: how == Run::Checked,
            check_uninitialised: how == Run::Checked,
            check_registers: how == Run::Checked,
            step_budget: if matches!(code, Code::Ptx(_)) {
                BUDGET
            } else {
                MACHINE_BUDGET
            },
            check_hazards: matches!(code, Code::Machine(_)),
            ..Options::default()
        };
        let (buffers, arguments) = recipe
            .fill(&mut device, parameters, BUFFER)
            .map_err(|fault| fault.to_string())?;
        let before = contents(&device, &buffers)?;
        let launch = Launch {
            grid: recipe.grid,
            block: recipe.block,
            dynamic_shared: recipe.shared,
            arguments,
            ..Launch::of(name)
        };
        let outcome = match code {
            Code::Ptx(module) => {
                let loaded = ptx::load(&mut device, module).map_err(|fault| fault.to_string())?;
                ptx::run(&mut device, &loaded, &launch, &options)
            }
            Code::Machine(bytes) => {
                let cubin = warpsmith_cubin::Cubin::read(bytes).map_err(|error| error.to_string())?;
                let loaded = sass::load(&mut device, &cubin).map_err(|fault| fault.to_string())?;
                sass::run(&mut device, &loaded, &launch, &options)
            }
        };
        if let Err(failure) = outcome {
            (kind, accessed) = (failure.fault.kind, failure.fault.accessed);
            return Err(failure.fault.to_string().lines().take(3).collect::<Vec<_>>().join(" "));
        }
        let after = contents(&device, &buffers)?;
        let wrote = after != before;
        Ok((after, wrote))
    });
    ran.map_err(|text| Stopped { kind, accessed, text })
}

fn contents(device: &Device, buffers: &[u64]) -> Result<Vec<Vec<u8>>, String> {
    let read = buffers
        .iter()
        .map(|&address| device.read(address, BUFFER).map_err(|fault| fault.to_string()));
    read.collect()
}
