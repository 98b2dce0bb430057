//! What is shown of a translation in place of its result.

use std::sync::{Mutex, PoisonError};

use warpsmith::{Failure, Session, Unit};
use warpsmith_base::Diagnostic;
use warpsmith_ir::{Dialect, Module};
use warpsmith_opt::{Event, Subject};

use super::Trace;
use crate::{Console, files};

/// What is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Dump {
    /// Nothing: the result is wanted.
    Nothing,
    /// The typed program.
    Program,
    /// The SSA IR as it enters the optimiser.
    Front,
    /// The SSA IR as it leaves it.
    Optimised,
    /// Each function after each run of a pass that changed it; every pass where there is no name.
    After(Option<&'static str>),
}

impl Dump {
    /// The dump that `--dump-ir` names: `front`, `opt`, `all`, or a pass.
    pub(crate) fn named(name: &str) -> Result<Dump, String> {
        match name {
            "front" => Ok(Dump::Front),
            "opt" => Ok(Dump::Optimised),
            "all" => Ok(Dump::After(None)),
            name => match warpsmith_opt::PASSES.iter().find(|pass| pass.name == name) {
                Some(pass) => Ok(Dump::After(Some(pass.name))),
                None => {
                    let names: Vec<_> = warpsmith_opt::PASSES.iter().map(|pass| pass.name).collect();
                    Err(format!(
                        "there is no pass `{name}`; there are front, opt, all, {}",
                        names.join(", ")
                    ))
                }
            },
        }
    }

    /// Whether anything is shown.
    pub(crate) fn is_some(&self) -> bool {
        *self != Dump::Nothing
    }

    /// Whether that is the typed program.
    pub(super) fn is_program(&self) -> bool {
        *self == Dump::Program
    }

    /// Whether that is the IR before optimisation.
    pub(super) fn is_front(&self) -> bool {
        *self == Dump::Front
    }

    /// Optimises a module and shows functions after passes, where that was asked for.
    pub(super) fn optimise(
        &self,
        session: &Session,
        unit: &mut Unit,
        trace: Option<&Trace>,
        console: &mut Console,
    ) -> Result<(), Failure> {
        let Dump::After(wanted) = self else {
            let Some(trace) = trace else {
                return session.optimise(unit).map(|_| ());
            };
            let note = |event: &Event<'_>| {
                let subject = match event.subject {
                    Subject::Function(symbols, function) => symbols.functions[function.id()].name.as_str(),
                    Subject::Module(_) => "module",
                };
                trace.note(event.pass.name, subject, event.time);
            };
            return session.optimise_observed(unit, &note).map(|_| ());
        };
        let text = Mutex::new(String::new());
        let note = |event: &Event<'_>| {
            if !event.changed || wanted.is_some_and(|wanted| wanted != event.pass.name) {
                return;
            }
            let shown = match event.subject {
                Subject::Function(symbols, function) => function.display(Some(symbols)).to_string(),
                Subject::Module(module) => module.to_text(Dialect::Modern),
            };
            let mut text = text.lock().unwrap_or_else(PoisonError::into_inner);
            text.push_str(&format!("; after {}\n{shown}\n", event.pass.name));
        };
        let result = session.optimise_observed(unit, &note);
        let text = text.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Shown even where a later pass fails: that is when it is wanted.
        let _ = files::write_output(None, text.as_bytes(), console);
        result.map(|_| ())
    }

    /// Shows the module as it leaves the optimiser, if that was asked for.
    pub(super) fn finish(&self, module: &Module, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
        match self {
            Dump::Optimised => print(module, console),
            Dump::Nothing | Dump::Program | Dump::Front | Dump::After(_) => Ok(()),
        }
    }
}

/// Prints a module.
pub(super) fn print(module: &Module, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    files::write_output(None, module.to_text(Dialect::Modern).as_bytes(), console)
}
