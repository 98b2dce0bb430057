//! What is wrong with a module as a whole.
//!
//! The parser has settled syntax and names and has matched every instruction to a form of the tables. Here stand the rules that need more than
//! one instruction or declaration, or that no table holds: versions and targets, variables and their initial values, parameters, directives of
//! functions, calls, aliases, debug information. Functions are checked independently of each other, and of an instruction no more is looked at
//! than its variant tells.
//!
//! Every rule was observed on ptxas 13.0.88; [`Problem::vendor`] holds its words.

mod abi;
mod alias;
mod body;
mod call;
mod debug;
mod directive;
mod gate;
mod header;
mod initializer;
mod layout;
mod parameter;
mod pragma;
mod redeclare;
#[cfg(test)]
mod tests;
mod variable;

pub(crate) use redeclare::{no_return, prototype_difference, superseded, superseded_variable};
pub(crate) use variable::bad_alignment;

use crate::{
    Problem, Severity, Span,
    instruction::Gates,
    module::{Function, Item, Linkage, Module, Name, Variable, VariableId},
};

/// Adds what is wrong with `module` to `problems` and sorts them in the order of the text.
pub fn check(module: &Module, problems: &mut Vec<Problem>) {
    // Statements with a syntax error are missing, and with them what they defined.
    let complete = problems.iter().all(|problem| problem.severity != Severity::Fatal);
    let plan = body::Plan::new(module);
    let mut checker = Checker::new(module, problems);
    checker.has_abi = module.has_abi();
    checker.header();
    checker.items();
    checker.constant_space();
    checker.files();
    let mut inlined = false;
    for function in &module.functions {
        inlined |= checker.function(function, &plan);
    }
    if complete {
        checker.unresolved();
    }
    if inlined {
        checker.inlined_places();
    }
    // The vendor's tool looks at it once the text is right.
    if checker
        .problems
        .iter()
        .all(|problem| problem.severity == Severity::Warning || problem.lineless)
    {
        checker.abi();
    }
    problems.sort_by_key(|problem| problem.span.start);
    // An `.extern` variable and its definition are one, and listed twice.
    problems.dedup();
}

/// The last byte of a place, which may be on a later line than the first.
fn last_byte(span: Span) -> Span {
    Span::new(span.end.saturating_sub(1).max(span.start), span.end)
}

/// A module, and the problems found in it.
struct Checker<'m, 'p> {
    module: &'m Module,
    gates: Gates,
    /// Whether functions are called by the ABI. A declaration alone does not tell.
    has_abi: bool,
    /// The first call through a prototype of several results.
    several_called: Option<Span>,
    problems: &'p mut Vec<Problem>,
}

impl<'m, 'p> Checker<'m, 'p> {
    fn new(module: &'m Module, problems: &'p mut Vec<Problem>) -> Checker<'m, 'p> {
        let option = |text: &str| module.target_options.iter().any(|&name| module.names.get(name) == text);
        let independent_textures = option("texmode_independent");
        let gates = Gates {
            version: module.version,
            target: module.target,
            independent_textures,
        };
        Checker {
            module,
            gates,
            has_abi: true,
            several_called: None,
            problems,
        }
    }

    fn report(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    fn text(&self, name: Name) -> &'m str {
        self.module.names.get(name)
    }

    fn variable_of(&self, variable: VariableId) -> &'m Variable {
        &self.module.variables[variable.0 as usize]
    }

    /// The name of a variable, `_` where it has none.
    fn name_of(&self, variable: &Variable) -> &'m str {
        variable.name.map_or("_", |name| self.text(name))
    }

    /// Top-level statements but functions.
    fn items(&mut self) {
        let mut aliases = Vec::new();
        for item in &self.module.items {
            match item {
                Item::Variable(variable) => self.module_variable(self.variable_of(*variable)),
                Item::Alias { alias, target, span } => self.alias(*alias, *target, *span, &mut aliases),
                Item::Pragma(names, span) => self.module_pragma(names, *span),
                Item::VariableDeclaration(_) | Item::Function { .. } | Item::File(_) | Item::Section(_) => {}
            }
        }
    }

    /// Functions that are used or declared and that nothing defines.
    fn unresolved(&mut self) {
        let module = self.module;
        let aliases = module.items.iter().filter_map(|item| match item {
            Item::Alias { alias, .. } => Some(*alias),
            _ => None,
        });
        let mut defined = vec![false; module.functions.len()];
        for alias in aliases {
            defined[alias.0 as usize] = true;
        }
        for (function, defined) in module.functions.iter().zip(defined) {
            if function.body.is_none() && !defined && function.linkage != Linkage::External {
                self.unresolved_function(function);
            }
        }
    }

    fn unresolved_function(&mut self, function: &Function) {
        let name = self.text(function.name);
        let problem = Problem::fatal(function.span, format!("'{name}' is declared and never defined"))
            .vendor(format!("Unresolved extern function '{name}'"))
            .without_line()
            .note("a function of another module is declared with .extern");
        self.report(problem);
    }
}
