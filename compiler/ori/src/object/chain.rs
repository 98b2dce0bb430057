//! Where code comes from: the line of its own function, and the calls by which it came to stand where it does.
//!
//! Two things make a chain of calls. PTX says by `inlined_at` what its producer has copied to calls, and names each call by file, line and column alone: it
//! means the last `.loc` before with these. And our own inliner copies functions of the PTX, whose `.loc`s go on counting in their own body.

use rustc_hash::FxHashMap;
use warpsmith_ptx::{
    locations::{Located, located},
    module::{InlinedAt, Module},
};

use crate::ir::{Function, SourcePlace};

/// How many calls a chain has, at most: what is deeper inlined is shown without its outermost callers.
const MOST_INLINED: usize = 64;

/// A line, and the name of the function that it is in where that was copied to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step<'m> {
    pub(super) file: u32,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) function: Option<InlinedFunction<'m>>,
}

/// The name of a function that was copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InlinedFunction<'m> {
    /// The PTX has it in `.debug_str`.
    Named(&'m InlinedAt),
    /// A function of the PTX.
    OfModule(&'m str),
}

/// The `.loc`s of all functions of a module.
#[derive(Debug)]
pub(super) struct Chains<'m> {
    functions: FxHashMap<&'m str, Vec<Located<'m>>>,
}

impl<'m> Chains<'m> {
    pub(super) fn of(module: &'m Module) -> Chains<'m> {
        let mut functions = FxHashMap::default();
        for function in &module.functions {
            let Some(body) = &function.body else { continue };
            let rows = located(&body.statements);
            if !rows.is_empty() {
                functions.insert(module.names.get(function.name), rows);
            }
        }
        Chains { functions }
    }

    /// Whether anything in a function's code has a line.
    pub(super) fn has_lines(&self, function: &Function) -> bool {
        self.functions.contains_key(function.name.as_str())
            || function
                .places
                .iter()
                .any(|place| self.located(function, *place).is_some())
    }

    /// What a place says of lines: the place itself, or that of the call where a copied function says nothing. `None` where it says nothing, so that what is
    /// before it goes on.
    pub(super) fn located(&self, function: &Function, place: SourcePlace) -> Option<SourcePlace> {
        let mut place = place;
        for _ in 0..=function.calls.len() {
            if place.statement != 0 {
                return Some(place);
            }
            let call = function.call(place)?;
            if self.functions.contains_key(call.function.as_str()) {
                return None;
            }
            place = *function.places.get(call.place as usize)?;
        }
        None
    }

    /// The lines of a place, from its own to that in the function where the code stands.
    pub(super) fn steps<'f>(&'f self, function: &'f Function, place: SourcePlace) -> Vec<Step<'f>> {
        let mut steps = Vec::new();
        let mut next = Some(place);
        while let Some(place) = next {
            let call = function.call(place);
            let name = call.map_or(function.name.as_str(), |call| &call.function);
            self.within(name, place.statement, &mut steps);
            next = None;
            if let (Some(call), Some(last)) = (call, steps.last_mut())
                && let Some(outer) = function.places.get(call.place as usize)
                && let Some(outer) = self.located(function, *outer)
            {
                last.function = Some(InlinedFunction::OfModule(&call.function));
                next = Some(outer).filter(|_| steps.len() <= MOST_INLINED);
            }
        }
        steps.truncate(MOST_INLINED + 1);
        if let Some(last) = steps.last_mut() {
            last.function = None;
        }
        steps
    }

    /// Adds the lines of the `.loc` of this number (from 1) in a function of the PTX.
    fn within<'f>(&'f self, name: &str, number: u32, steps: &mut Vec<Step<'f>>) {
        let Some(rows) = self.functions.get(name) else { return };
        let mut index = number.checked_sub(1);
        while let Some(row) = index.and_then(|index| rows.get(index as usize)) {
            let inlined = row.location.inlined.as_ref();
            steps.push(Step {
                file: row.location.file,
                line: row.location.line,
                column: row.location.column,
                function: inlined.map(InlinedFunction::Named),
            });
            index = row.call;
            if let (Some(at), None) = (inlined, row.call) {
                steps.push(Step {
                    file: at.file,
                    line: at.line,
                    column: at.column,
                    function: None,
                });
            }
            if steps.len() > MOST_INLINED {
                return;
            }
        }
    }
}
