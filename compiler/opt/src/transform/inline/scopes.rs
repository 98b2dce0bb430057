//! What `__restrict__` parameters promise, kept when a function is copied into its caller: accesses through such a parameter get a scope of their own
//! (`!alias.scope`), and accesses that have nothing to do with it say so (`!noalias`).
//!
//! The promise holds for one run of the function. A call that the caller may come to several times therefore keeps none: what one run accesses through one pointer the next
//! may access through another. So each scope stands for one run, however loops are later copied and code is moved.

use rustc_hash::FxHashMap;
use warpsmith_ir::{BlockId, Function, Instruction, InstructionId, Symbols, Value};

use crate::analysis::alias::{Aliases, OWN_SCOPES};

/// Parameters of a function that get scopes.
const MOST_PARAMETERS: usize = 16;

/// The scopes of the accesses that a copy of a function makes.
#[derive(Default)]
pub(super) struct Scopes {
    /// The first number that the caller does not have yet.
    next: u32,
    /// Whether the call may run several times, so that nothing is kept.
    forgets: bool,
    /// The callee's own scopes, from inlining into it, and what they are in the caller.
    renamed: FxHashMap<u32, u32>,
    /// By access of the callee: scopes that it is in, and those that it has nothing to do with.
    made: FxHashMap<InstructionId, (Vec<u32>, Vec<u32>)>,
}

impl Scopes {
    /// The scopes for a copy of the callee in place of a call.
    pub(super) fn new(caller: &Function, symbols: &Symbols, call: InstructionId, callee: &Function) -> Scopes {
        let mut scopes = Scopes::default();
        let restricted = restricted(caller, symbols, call, callee);
        let has_own = largest(callee).is_some();
        if restricted.is_empty() && !has_own {
            return scopes;
        }
        if caller.block_of(call).is_none_or(|block| is_in_cycle(caller, block)) {
            scopes.forgets = true;
            return scopes;
        }
        scopes.next = largest(caller).map_or(OWN_SCOPES, |largest| largest + 1);
        let aliases = Aliases::new(symbols);
        let numbered: Vec<(u32, u32)> = restricted.iter().map(|&number| (number, scopes.fresh())).collect();
        for id in callee.all_instructions() {
            if let Some(pointer) = accessed(callee, id)
                && let Some(of_access) = classify(callee, &aliases, pointer, &numbered)
            {
                scopes.made.insert(id, of_access);
            }
        }
        scopes
    }

    fn fresh(&mut self) -> u32 {
        let scope = self.next;
        self.next += 1;
        scope
    }

    /// Gives the copy of an instruction of the callee its scopes.
    pub(super) fn describe(
        &mut self,
        callee: &Function,
        id: InstructionId,
        caller: &mut Function,
        copy: InstructionId,
    ) {
        let is_own = |scope: &&u32| **scope >= OWN_SCOPES;
        let had = callee.attachments(id).is_some_and(|all| {
            all.alias_scopes.iter().any(|scope| is_own(&scope)) || all.noalias_scopes.iter().any(|scope| is_own(&scope))
        });
        let made = self.made.get(&id).cloned();
        if !had && made.is_none() {
            return;
        }
        caller.update_attachments(copy, |all| {
            for list in [&mut all.alias_scopes, &mut all.noalias_scopes] {
                if self.forgets {
                    list.retain(|scope| *scope < OWN_SCOPES);
                }
                for scope in list.iter_mut().filter(|scope| **scope >= OWN_SCOPES) {
                    *scope = self.rename(*scope);
                }
            }
            if let Some((inside, outside)) = made {
                all.alias_scopes.extend(inside);
                all.noalias_scopes.extend(outside);
            }
        });
    }

    fn rename(&mut self, scope: u32) -> u32 {
        if let Some(&known) = self.renamed.get(&scope) {
            return known;
        }
        let new = self.fresh();
        self.renamed.insert(scope, new);
        new
    }
}

/// The parameters that are said to be the only way to what they point to.
fn restricted(caller: &Function, symbols: &Symbols, call: InstructionId, callee: &Function) -> Vec<u32> {
    let declared = &symbols.functions[callee.id()].parameters;
    let at_call = caller
        .instruction(call)
        .as_call()
        .map(|call| &call.argument_attributes[..]);
    let is_restricted = |number: usize| {
        let here = at_call.and_then(|all| all.get(number));
        let all = || declared.get(number).into_iter().chain(here);
        all().any(|all| all.noalias) && !all().any(|all| all.byval.is_some())
    };
    (0..callee.parameters().len())
        .filter(|&number| callee.parameters()[number].is_pointer() && is_restricted(number))
        .take(MOST_PARAMETERS)
        .map(|number| number as u32)
        .collect()
}

/// The largest scope that was made here and is in a function.
fn largest(function: &Function) -> Option<u32> {
    let attached = function.all_instructions().filter_map(|id| function.attachments(id));
    let scopes = attached.flat_map(|all| all.alias_scopes.iter().chain(&all.noalias_scopes).copied());
    scopes.filter(|&scope| scope >= OWN_SCOPES).max()
}

/// Whether control can come to a block again.
fn is_in_cycle(function: &Function, block: BlockId) -> bool {
    let mut seen = vec![false; function.block_limit()];
    let mut work = function.successors(block);
    while let Some(at) = work.pop() {
        if at == block {
            return true;
        }
        if !std::mem::replace(&mut seen[at.index()], true) {
            work.extend(function.successors(at));
        }
    }
    false
}

fn accessed(function: &Function, id: InstructionId) -> Option<Value> {
    match function.instruction(id) {
        Instruction::Load { pointer, .. }
        | Instruction::Store { pointer, .. }
        | Instruction::AtomicRmw { pointer, .. }
        | Instruction::CompareExchange { pointer, .. } => Some(*pointer),
        _ => None,
    }
}

/// The scopes that an access is in, and those that it has nothing to do with; `None` if nothing is known.
fn classify(
    callee: &Function,
    aliases: &Aliases<'_>,
    pointer: Value,
    numbered: &[(u32, u32)],
) -> Option<(Vec<u32>, Vec<u32>)> {
    let origins = aliases.origins(callee, pointer)?;
    let scope_of = |origin: &Value| match origin {
        Value::Argument(number) => numbered.iter().find(|(own, _)| own == number).map(|(_, scope)| *scope),
        _ => None,
    };
    let mut inside: Vec<u32> = origins.iter().filter_map(scope_of).collect();
    inside.sort_unstable();
    inside.dedup();
    // An access that may be to something else too is in no scope.
    if !origins.iter().all(|origin| scope_of(origin).is_some()) {
        inside.clear();
    }
    let is_apart = |number: u32| {
        let own = Value::Argument(number);
        origins.iter().all(|&origin| {
            origin != own
                && match origin {
                    Value::Argument(_) | Value::Constant(_) => true,
                    Value::Instruction(id) => {
                        matches!(callee.instruction(id), Instruction::Alloca { .. })
                            || !aliases.is_captured(callee, own)
                    }
                }
        })
    };
    let outside: Vec<u32> = numbered
        .iter()
        .filter(|(number, _)| is_apart(*number))
        .map(|(_, scope)| *scope)
        .collect();
    (!inside.is_empty() || !outside.is_empty()).then_some((inside, outside))
}
