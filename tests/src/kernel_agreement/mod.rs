//! Two PTX modules that should mean the same, kernel by kernel: what two compilers made of one source.
//!
//! **What enters**: ours and theirs, as text. **What leaves**: for each kernel of both an [`Agreement`]. Nobody says how the kernels are launched: the
//! text of a kernel and a run of it say which parameters are pointers, and a [`Recipe`] what lies there. A recipe with which theirs faults says nothing; of the others, the memory is
//! compared, bit for bit or, where floating-point numbers may be contracted in one and not in the other, within a tolerance.

mod discovery;
mod memory;
mod pages;
mod recipe;
mod trial;

pub use memory::{Difference, compare};
pub use recipe::{Limits, Parameter, Recipe, limits, parameters};

use warpsmith_emu::FaultKind;
use warpsmith_ptx::{Severity, module::Module};
use warpsmith_target::Sm;

use crate::differential::{Settings, Verdict, ours};
use trial::{Code, Run, Trial};

/// Instructions of theirs after which no more recipes are tried.
const EFFORT: u64 = 2 * trial::BUDGET;

/// Faults of what the languages leave open, so that two compilers may differ.
const UNDEFINED: [FaultKind; 3] = [FaultKind::Race, FaultKind::Uninitialised, FaultKind::Operand];

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

/// Compares the kernels that both modules have, and says of each what became of it as soon as that is known; with a target it compares what our back end makes
/// of ours.
///
/// # Errors
/// Where our PTX does not compile for the target.
pub fn agreements(
    mine: (&str, &Module),
    theirs: (&str, &Module),
    sm: Option<Sm>,
    mut said: impl FnMut(&str, Agreement),
) -> Result<(), String> {
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
        said(name, agreement);
    }
    Ok(())
}

/// One kernel with all recipes.
fn kernel(name: &str, mine: &Code, theirs: &Module, parameters: &[Parameter]) -> Agreement {
    let (mut equal, mut close, mut effort) = (0, 0, 0);
    let mut why = String::from("writes nothing");
    let recipes = Recipe::all(limits(theirs, name));
    let parameters = &discovery::with_pointers(name, theirs, parameters, &Recipe::shapes(&recipes));
    for recipe in &recipes {
        if effort >= EFFORT {
            break;
        }
        let mut trial = Trial::new(name, parameters, recipe, trial::BUDGET);
        let expected = trial.run_with_pages(theirs, |_| true);
        effort += trial.instructions;
        let expected = match expected {
            Ok(expected) => expected,
            Err(stopped) => {
                why = stopped.text;
                continue;
            }
        };
        let found = match trial.run(mine, Run::Usual) {
            Ok(found) => found,
            // An interpreter that lacks something is no fault of a compiler.
            Err(stopped) if stopped.kind == FaultKind::Unsupported => {
                why = stopped.text;
                continue;
            }
            Err(stopped) => match undecided(&trial, theirs, &expected.memory) {
                Some(reason) => {
                    why = reason;
                    continue;
                }
                None => return Agreement::Fault(format!("{recipe}: {}", stopped.text)),
            },
        };
        match compare(&found.memory, &expected.memory, recipe.has_halves()) {
            Difference::None => equal += usize::from(expected.wrote),
            Difference::Small => close += 1,
            Difference::Large(text) => match undecided(&trial, theirs, &expected.memory) {
                Some(reason) => why = reason,
                None => return Agreement::Different(format!("{recipe}: {text}")),
            },
        }
    }
    match (equal, close) {
        (0, 0) => Agreement::Unknown(why),
        (equal, 0) => Agreement::Equal(equal),
        (equal, close) => Agreement::Close(equal + close),
    }
}

/// Why nothing can be said of a difference: the order of warps decides, what lies in memory that nobody wrote, or a division by zero.
fn undecided(trial: &Trial, theirs: &Module, expected: &[Vec<u8>]) -> Option<String> {
    match trial.run(&Code::Ptx(theirs), Run::Checked) {
        Err(stopped) if UNDEFINED.contains(&stopped.kind) => Some(stopped.text),
        _ => {
            let again = trial.run(&Code::Ptx(theirs), Run::OtherOrder).ok()?;
            let same = compare(&again.memory, expected, false) == Difference::None;
            (!same).then(|| "depends on the order of warps".to_string())
        }
    }
}
