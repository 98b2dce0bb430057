//! What needs the ABI, the calling convention, which a function of several results switches off for the whole module. (Observed, ptxas 13.0.88.)

use super::Checker;
use crate::{
    Problem, Span,
    module::{AddressTarget, Function, FunctionId, Initializer, Item, Module, Operand, Statement},
    table::Opcode,
};

impl Module {
    /// Whether functions are called by the ABI: none has several results, for which it has no place.
    pub fn has_abi(&self) -> bool {
        self.functions.iter().all(|function| function.returns.len() <= 1)
    }
}

/// The functions that a function names.
#[derive(Default)]
struct Named {
    /// Calls by name.
    called: Vec<(FunctionId, Span)>,
    /// Calls of what a register names.
    indirect: Vec<Span>,
    /// Addresses of functions.
    addresses: Vec<Span>,
}

impl Named {
    fn of(module: &Module, function: &Function) -> Named {
        let mut named = Named::default();
        let Some(body) = &function.body else { return named };
        for statement in &body.statements {
            let Statement::Instruction(instruction) = statement else {
                continue;
            };
            let first = instruction.first_operand as usize;
            let operands = &body.operands[first..first + usize::from(instruction.operand_count)];
            let function = operands.iter().find_map(|operand| match operand {
                Operand::Function(id) => Some(*id),
                _ => None,
            });
            let variant = module.variants.get(instruction.variant.0 as usize);
            let is_call = variant.is_some_and(|variant| variant.opcode == Opcode::Call);
            match (is_call, function) {
                (true, Some(id)) => named.called.push((id, instruction.span)),
                (true, None) => named.indirect.push(instruction.span),
                (false, Some(_)) => named.addresses.push(instruction.span),
                (false, None) => {}
            }
        }
        named
    }
}

/// How far the walk over calls is with a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Walk {
    Unseen,
    /// It is on the way from a kernel to where the walk is.
    Open,
    Done,
}

impl<'m> Checker<'m, '_> {
    /// What a module without ABI cannot have: calls by address or of other modules, addresses of functions, recursion.
    pub(super) fn abi(&mut self) {
        let first = self.module.functions.iter().find(|function| function.returns.len() > 1);
        let (what, vendor, span) = match (first, self.several_called) {
            (Some(first), _) => {
                let name = self.text(first.name);
                (format!("'{name}'"), format!("Function '{name}'"), first.span)
            }
            (None, Some(span)) => ("this call".to_string(), "Function call".to_string(), span),
            (None, None) => return,
        };
        let message = format!("{what} returns several values: functions of this module are called without the ABI");
        let vendor = format!("{vendor} with multiple return values found, disabling ABI");
        let note = "calls by address, recursion, functions of other modules and `-c` are then not possible";
        self.report(Problem::warning(span, message).vendor(vendor).without_line().note(note));
        let named: Vec<Named> = self
            .module
            .functions
            .iter()
            .map(|f| Named::of(self.module, f))
            .collect();
        let aliases = self.aliases();
        if !self.indirect_calls(&named, &aliases) {
            self.recursion(&named, &aliases);
        }
    }

    /// What each function stands for.
    fn aliases(&self) -> Vec<FunctionId> {
        let mut aliases: Vec<FunctionId> = (0..self.module.functions.len() as u32).map(FunctionId).collect();
        for item in &self.module.items {
            if let Item::Alias { alias, target, .. } = item {
                aliases[alias.0 as usize] = *target;
            }
        }
        aliases
    }

    /// Gives whether there are any.
    fn indirect_calls(&mut self, named: &[Named], aliases: &[FunctionId]) -> bool {
        let is_elsewhere = |id: FunctionId| {
            let id = aliases[id.0 as usize];
            self.module.functions[id.0 as usize].body.is_none()
        };
        let calls = named.iter().flat_map(|named| {
            let elsewhere = named.called.iter().filter(|(id, _)| is_elsewhere(*id));
            named.indirect.iter().copied().chain(elsewhere.map(|(_, span)| *span))
        });
        let call = calls.min_by_key(|span| span.start);
        if let Some(span) = call {
            let message = "a call by address or of a function of another module needs the ABI";
            let vendor = "'Indirect Functions or Extern Functions' requires ABI";
            self.report(Problem::fatal(span, message).vendor(vendor).without_line());
        }
        call.is_some()
    }

    /// Walks over the functions that kernels reach.
    fn recursion(&mut self, named: &[Named], aliases: &[FunctionId]) {
        let mut walks = vec![Walk::Unseen; named.len()];
        let mut recursive = None;
        let mut address = self.module.variables.iter().find_map(|variable| {
            let initializer = variable.initializer.as_ref();
            initializer.filter(|value| names_function(value)).map(|_| variable.span)
        });
        let kernels = (0..named.len()).filter(|index| self.module.functions[*index].kernel);
        for kernel in kernels {
            let mut way = match std::mem::replace(&mut walks[kernel], Walk::Open) {
                Walk::Unseen => vec![(kernel, 0)],
                Walk::Open | Walk::Done => continue,
            };
            while let Some((index, next)) = way.last_mut() {
                let Some((callee, span)) = named[*index].called.get(*next) else {
                    walks[*index] = Walk::Done;
                    address = address.or(named[*index].addresses.first().copied());
                    way.pop();
                    continue;
                };
                *next += 1;
                let callee = aliases[callee.0 as usize].0 as usize;
                match walks[callee] {
                    Walk::Unseen => {
                        walks[callee] = Walk::Open;
                        way.push((callee, 0));
                    }
                    Walk::Open => recursive = recursive.or(Some((callee, *span))),
                    Walk::Done => {}
                }
            }
        }
        if let Some((function, span)) = recursive {
            let name = self.text(self.module.functions[function].name);
            let problem = Problem::fatal(span, format!("'{name}' is recursive, which needs the ABI"));
            self.report(problem.vendor(format!("Function '{name}' is recursive")).without_line());
        }
        if let Some(span) = address {
            let problem = Problem::fatal(span, "the address of a function needs the ABI");
            self.report(problem.vendor("Indirect function call requires ABI").without_line());
        }
    }
}

/// Whether an initial value has the address of a function.
fn names_function(initializer: &Initializer) -> bool {
    match initializer {
        Initializer::List(list, _) => list.iter().any(names_function),
        Initializer::Address { target, .. } => matches!(target, AddressTarget::Function(_)),
        Initializer::Fields(..) | Initializer::Integer(..) | Initializer::Float(..) | Initializer::Single(..) => false,
    }
}
