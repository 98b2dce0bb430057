//! Names of the module that are declared more than once: what may follow what.

use super::Parser;
use crate::{
    Problem, Span, check,
    module::{Function, FunctionId, Item, Linkage, Name, Variable},
    scope::Meaning,
};

/// Whether a declaration may follow one with another linkage.
fn linkage_agrees(earlier: Linkage, later: Linkage) -> bool {
    let kept = matches!(earlier, Linkage::Visible | Linkage::Weak) && later == Linkage::Internal;
    earlier == later || kept
}

/// Whether two array types are the same; `[]` agrees with every length.
fn dimensions_agree(left: &[Option<u64>], right: &[Option<u64>]) -> bool {
    left.len() == right.len()
        && left
            .iter()
            .zip(right)
            .all(|(a, b)| a.is_none() || b.is_none() || a == b)
}

impl Parser<'_> {
    /// Enters a function into the module under its name; `None` where the name is taken. `place`: where the vendor's tool sees a conflict.
    pub(super) fn enter(&mut self, function: Function, place: Span) -> Option<FunctionId> {
        let id = match self.scopes.meaning(function.name) {
            None => {
                let id = FunctionId(self.module.functions.len() as u32);
                self.declare(function.name, Meaning::Function(id), function.span);
                self.module.functions.push(function);
                return Some(id);
            }
            Some(Meaning::Function(id)) => id,
            Some(_) => {
                let text = self.module.names.get(function.name);
                let problem = Problem::error(place, format!("'{text}' is a variable already"))
                    .vendor(format!("Inconsistent redefinition of variable '{text}'"));
                self.report(problem);
                return None;
            }
        };
        let earlier = &self.module.functions[id.0 as usize];
        if let Some(problem) = self.conflict(earlier, &function, place) {
            self.report(problem);
            check::superseded(&self.module, &function, &mut self.problems);
            return None;
        }
        check::superseded(&self.module, earlier, &mut self.problems);
        let earlier = &mut self.module.functions[id.0 as usize];
        let (linkage, alias_of) = (earlier.linkage, earlier.alias_of);
        *earlier = Function {
            linkage,
            alias_of,
            ..function
        };
        Some(id)
    }

    /// What keeps a function from being declared again.
    fn conflict(&self, earlier: &Function, later: &Function, place: Span) -> Option<Problem> {
        let text = self.module.names.get(later.name);
        if earlier.kernel != later.kernel {
            let problem = Problem::error(place, format!("'{text}' is declared as a kernel and as a function"));
            return Some(problem.vendor(format!("Inconsistent redefinition of '{text}' as entry and function")));
        }
        if earlier.body.is_some() {
            let problem = Problem::error(
                place,
                format!("function '{text}' has a body already, and is declared again"),
            );
            return Some(problem.vendor(format!("Duplicate definition of function '{text}'")));
        }
        if !linkage_agrees(earlier.linkage, later.linkage) || check::no_return(earlier) != check::no_return(later) {
            let problem = Problem::error(place, format!("'{text}' is declared with another linkage before"));
            return Some(problem.vendor(format!("Inconsistent redefinition of variable '{text}'")));
        }
        let difference = check::prototype_difference(&self.module, earlier, later)?;
        let problem = Problem::error(
            place,
            format!("'{text}' is declared with another prototype before: {difference} differ"),
        );
        Some(problem.vendor(format!("Inconsistent prototypes of '{text}', {difference} differ")))
    }

    /// Whether this variable of the module is declared before, as `.extern` or by an `.extern` now; then that entry is brought up to date.
    pub(super) fn redeclared(&mut self, name: Name, variable: &Variable) -> bool {
        if self.scopes.depth() > 0 {
            return false;
        }
        let text = self.module.names.get(name);
        let id = match self.scopes.meaning(name) {
            Some(Meaning::Variable(id)) => id,
            Some(Meaning::Function(_)) => {
                let problem = Problem::error(variable.span, format!("'{text}' is a function already"))
                    .vendor(format!("Inconsistent redefinition of variable '{text}'"));
                self.report(problem);
                return true;
            }
            Some(Meaning::Register(_) | Meaning::Range(..) | Meaning::Label(_)) | None => return false,
        };
        let earlier = &self.module.variables[id.0 as usize];
        let (was_external, is_external) = (
            earlier.linkage == Linkage::External,
            variable.linkage == Linkage::External,
        );
        if (earlier.element, earlier.vector) != (variable.element, variable.vector)
            || !dimensions_agree(&earlier.dimensions, &variable.dimensions)
        {
            let problem = Problem::error(variable.span, format!("'{text}' is declared with another type before"))
                .vendor(format!("Inconsistent redefinition of variable '{text}'"));
            self.report(problem);
            return true;
        }
        if !was_external && !is_external {
            return false;
        }
        if was_external && variable.linkage == Linkage::Internal {
            let message =
                format!("'{text}' is declared .extern before, so it must be defined .visible, .weak or .common");
            let problem = Problem::error(variable.span, message)
                .vendor(format!("'.extern' variable '{text}' cannot be resolved by a '.static'"));
            self.report(problem);
            return true;
        }
        if was_external {
            check::superseded_variable(&self.module, earlier, &mut self.problems);
            self.module.variables[id.0 as usize] = variable.clone();
        }
        // A definition makes the declarations before it what they are when the file has been read.
        self.module.items.push(if is_external {
            Item::VariableDeclaration(id)
        } else {
            Item::Variable(id)
        });
        true
    }

    /// Of several statements that stand for one variable, the last is its definition, the others declare it.
    pub(super) fn settle_declarations(&mut self) {
        let mut defined = vec![false; self.module.variables.len()];
        for item in self.module.items.iter_mut().rev() {
            if let Item::Variable(id) = *item
                && std::mem::replace(&mut defined[id.0 as usize], true)
            {
                *item = Item::VariableDeclaration(id);
            }
        }
    }
}
