//! Declarations of one function against each other. The parser keeps one of them, and asks here while it still has both.

use super::{Checker, layout};
use crate::{
    Problem,
    module::{Function, FunctionDirective, Module, Variable, VariableId},
};

/// Adds what is wrong with a declaration that the parser replaces by a later one.
pub(crate) fn superseded(module: &Module, function: &Function, problems: &mut Vec<Problem>) {
    let mut checker = Checker::new(module, problems);
    checker.function_head(function);
    checker.function_parameters(function);
}

/// Adds what is wrong with an `.extern` variable that the parser replaces by a later declaration.
pub(crate) fn superseded_variable(module: &Module, variable: &Variable, problems: &mut Vec<Problem>) {
    Checker::new(module, problems).module_variable(variable);
}

/// Whether a function is declared `.noreturn`.
pub(crate) fn no_return(function: &Function) -> bool {
    function.directives.contains(&FunctionDirective::NoReturn)
}

/// In what two declarations of a function differ, in the vendor's words: the first thing.
pub(crate) fn prototype_difference(module: &Module, earlier: &Function, later: &Function) -> Option<&'static str> {
    let difference = differences(module, earlier, later).into_iter().next();
    let preserved = preserved(earlier) != preserved(later);
    difference.or(preserved.then_some("number of scratch registers"))
}

/// The directives on registers that calls preserve.
fn preserved(function: &Function) -> Vec<&FunctionDirective> {
    let about = |directive: &&FunctionDirective| {
        matches!(
            directive,
            FunctionDirective::AbiPreserve(_) | FunctionDirective::AbiPreserveControl(_)
        )
    };
    function.directives.iter().filter(about).collect()
}

/// Everything in which the parameters and return values of two functions differ, in the vendor's words.
pub(super) fn differences(module: &Module, a: &Function, b: &Function) -> Vec<&'static str> {
    if a.returns.len() != b.returns.len() || a.parameters.len() != b.parameters.len() {
        return vec!["number of parameters"];
    }
    let variable = |id: &VariableId| &module.variables[id.0 as usize];
    let all = |function: &'_ Function| -> Vec<&Variable> {
        let ids = function.returns.iter().chain(&function.parameters);
        ids.map(variable).collect()
    };
    let pairs: Vec<(&Variable, &Variable)> = all(a).into_iter().zip(all(b)).collect();
    let differ = |same: fn(&Variable, &Variable) -> bool| pairs.iter().any(|(a, b)| !same(a, b));
    let same_type =
        |a: &Variable, b: &Variable| a.element == b.element && a.vector == b.vector && a.dimensions == b.dimensions;
    let found = [
        (differ(same_type), "parameter types"),
        (
            differ(|a, b| layout::alignment(a) == layout::alignment(b)),
            "parameter alignment",
        ),
        (differ(|a, b| a.space == b.space), "parameter state space"),
    ];
    found
        .into_iter()
        .filter(|(differs, _)| *differs)
        .map(|(_, what)| what)
        .collect()
}
