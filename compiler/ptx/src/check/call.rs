//! Calls: arguments and return values against what is called.

use super::{Checker, body::Inside, layout, parameter};
use crate::{
    Problem, Span,
    module::{FunctionId, Instruction, LabelKind, Operand, Register, Space, Variable, VariableId},
    table::{Type, TypeKind},
};

/// What is called, as its caller sees it.
#[derive(Clone, Copy)]
struct Callee<'m> {
    returns: &'m [VariableId],
    parameters: &'m [VariableId],
    /// Its own body is checked for parameters that cannot be passed.
    defined: bool,
}

/// Operands of a call.
#[derive(Clone, Copy)]
struct Given<'b> {
    returns: &'b [Operand],
    arguments: &'b [Operand],
    /// Whether there is a list of arguments, if only an empty one.
    listed: bool,
}

/// Whether a value of type `actual` can be passed where `formal` stands. (Observed; `.f16x2` goes with everything of its size, and predicates.)
fn types_agree(formal: Type, actual: Type) -> bool {
    use TypeKind::{Bits, Float, Opaque, Packed, Predicate, Signed, Unsigned};
    if formal == actual {
        return true;
    }
    match (formal.kind(), actual.kind()) {
        (Packed, Predicate) | (Predicate, Packed) => true,
        (Predicate | Opaque, _) | (_, Predicate | Opaque) => false,
        (Float, Unsigned | Signed) | (Unsigned | Signed, Float) => false,
        (Bits | Unsigned | Signed | Float | Packed, Bits | Unsigned | Signed | Float | Packed) => {
            formal.bits() == actual.bits()
        }
    }
}

/// Whether a constant can be passed where `formal` stands.
fn constant_agrees(formal: Type, constant: &Operand) -> bool {
    match formal.kind() {
        TypeKind::Bits => true,
        TypeKind::Unsigned | TypeKind::Signed => matches!(constant, Operand::Integer(..)),
        TypeKind::Float => matches!(constant, Operand::Double(_) | Operand::Single(_)),
        TypeKind::Packed => matches!(constant, Operand::Single(_)),
        TypeKind::Predicate | TypeKind::Opaque => false,
    }
}

impl<'m> Checker<'m, '_> {
    /// A `call` instruction.
    pub(super) fn call(&mut self, inside: Inside<'_>, instruction: &Instruction) {
        let span = instruction.span;
        let operands = inside.operands(instruction);
        let list = |operand: Option<&Operand>| match operand {
            Some(Operand::List(range)) => {
                Some(&inside.body.operands[range.first as usize..range.first as usize + usize::from(range.count)])
            }
            _ => None,
        };
        let returns = list(operands.first());
        let rest = &operands[usize::from(returns.is_some())..];
        let arguments = list(rest.get(1));
        let after = &rest[(1 + usize::from(arguments.is_some())).min(rest.len())..];
        let given = Given {
            returns: returns.unwrap_or_default(),
            arguments: arguments.unwrap_or_default(),
            listed: arguments.is_some(),
        };
        match (rest.first(), after.first()) {
            (Some(Operand::Function(function)), None) => {
                let function = *function;
                if self.module.functions[function.0 as usize].kernel {
                    self.kernel_called(function, span);
                }
                self.arguments(inside, span, self.callee(function), given, true);
            }
            (Some(_), Some(Operand::Label(label))) => {
                let label = inside.label(*label);
                match &label.kind {
                    LabelKind::Prototype(prototype) => {
                        let (formal_returns, formals) = (&prototype.returns[..], &prototype.parameters[..]);
                        if formal_returns.len() > 1 {
                            self.several_called.get_or_insert(span);
                        }
                        let callee = Callee {
                            returns: formal_returns,
                            parameters: formals,
                            defined: false,
                        };
                        self.arguments(inside, span, callee, given, true);
                    }
                    LabelKind::CallTargets(targets) => {
                        for (index, &target) in targets.iter().enumerate() {
                            let last = index + 1 == targets.len();
                            self.arguments(inside, span, self.callee(target), given, last);
                        }
                    }
                    // Refused by the form of the instruction.
                    LabelKind::Place(_) | LabelKind::BranchTargets(_) => {}
                }
            }
            _ => {}
        }
    }

    fn callee(&self, function: FunctionId) -> Callee<'m> {
        let function = &self.module.functions[function.0 as usize];
        Callee {
            returns: &function.returns,
            parameters: &function.parameters,
            defined: function.body.is_some(),
        }
    }

    fn kernel_called(&mut self, function: FunctionId, span: Span) {
        let name = self.text(self.module.functions[function.0 as usize].name);
        let problem = Problem::error(span, format!("'{name}' is a kernel, which only a launch can start"));
        self.report(problem.vendor("Illegal call target, device function expected"));
    }

    /// Return values and arguments against the formal ones. Of several possible callees only the last tells how many there must be;
    /// the others, how many there may be.
    fn arguments(&mut self, inside: Inside<'_>, span: Span, callee: Callee<'_>, given: Given<'_>, last: bool) {
        let Given {
            returns,
            arguments,
            listed,
        } = given;
        let differ = |actual: usize, formal: usize| if last { actual != formal } else { actual > formal };
        // A last parameter of open size may be left out, from a list.
        let open = callee
            .parameters
            .last()
            .is_some_and(|&last| layout::is_incomplete(self.variable_of(last)));
        let left_out = open && listed && arguments.len() + 1 == callee.parameters.len();
        let too_few = differ(arguments.len(), callee.parameters.len()) && !left_out;
        if differ(returns.len(), callee.returns.len()) || too_few {
            let count = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
            let problem = Problem::error(
                span,
                "the call does not have as many arguments and return values as what it calls",
            )
            .vendor("Call has wrong number of parameters")
            .note(format!(
                "the call has {} and {}",
                count(arguments.len(), "argument"),
                count(returns.len(), "return value")
            ));
            let formals = count(callee.parameters.len(), "parameter");
            self.report(problem.note(format!(
                "it should have {formals} and {}",
                count(callee.returns.len(), "return value")
            )));
            return;
        }
        for (&formal, actual) in callee.returns.iter().zip(returns) {
            if !matches!(actual, Operand::Sink) {
                self.argument(inside, span, self.variable_of(formal), actual);
            }
        }
        for (&formal, actual) in callee.parameters.iter().zip(arguments) {
            self.argument(inside, span, self.variable_of(formal), actual);
        }
        let narrow = callee
            .parameters
            .iter()
            .map(|&id| self.variable_of(id))
            .find(|&variable| parameter::is_narrow(variable));
        if let (Some(variable), false, true) = (narrow, callee.defined, self.has_abi) {
            self.narrow_parameter(variable, span);
        }
    }

    fn argument(&mut self, inside: Inside<'_>, span: Span, formal: &Variable, actual: &Operand) {
        match actual {
            Operand::Register(register) => self.register_argument(inside, span, formal, *register),
            Operand::Integer(..) | Operand::Double(_) | Operand::Single(_) => {
                if !formal.dimensions.is_empty() || !constant_agrees(formal.element, actual) {
                    self.argument_type(span, formal);
                }
            }
            Operand::Variable(id, _) => self.variable_argument(inside, span, formal, *id),
            Operand::Sink => {
                let name = self.name_of(formal);
                let problem = Problem::error(span, format!("the argument for '{name}' is left out"));
                self.report(problem.vendor(format!("Illegal argument for formal parameter '{name}'")));
            }
            // Refused by the form of the instruction.
            Operand::Component(..)
            | Operand::Selected(..)
            | Operand::Not(_)
            | Operand::Negative(..)
            | Operand::Special(..)
            | Operand::Element(..)
            | Operand::Function(_)
            | Operand::Label(_)
            | Operand::Address(_)
            | Operand::Bracket(_)
            | Operand::Vector(_)
            | Operand::Pair(_)
            | Operand::List(_) => {}
        }
    }

    fn register_argument(&mut self, inside: Inside<'_>, span: Span, formal: &Variable, register: Register) {
        let registers = &inside.body.registers;
        let Some(range) = registers
            .partition_point(|range| range.first <= register)
            .checked_sub(1)
            .map(|index| &registers[index])
        else {
            return;
        };
        if !formal.dimensions.is_empty() && !layout::is_incomplete(formal) {
            let name = match range.count {
                Some(_) => format!("{}{}", self.text(range.name), register.0 - range.first.0),
                None => self.text(range.name).to_owned(),
            };
            self.argument_space(span, formal, &name);
        } else if !formal.dimensions.is_empty()
            || range.vector != formal.vector
            || !types_agree(formal.element, range.element)
        {
            self.argument_type(span, formal);
        } else if formal.alignment.is_some()
            && layout::alignment(formal) > u64::from(formal.element.bits() / 8) * u64::from(formal.vector)
        {
            self.argument_alignment(span, formal);
        }
    }

    fn variable_argument(&mut self, inside: Inside<'_>, span: Span, formal: &Variable, id: VariableId) {
        let actual = self.variable_of(id);
        let name = self.name_of(actual);
        if actual.space != Space::Parameter {
            let problem = Problem::error(span, format!("'{name}' is no register and no variable in .param"));
            self.report(problem.vendor(format!("Call argument '{name}' has illegal state space")));
            return;
        }
        if inside.is_formal(id) {
            let problem = Problem::error(
                span,
                format!("'{name}' is a parameter of the caller; copy it to a .param variable of its own"),
            );
            let vendor =
                format!("Formal parameter '{name}' declared in .param space cannot be used as argument to call");
            self.report(problem.vendor(vendor));
            return;
        }
        match (formal.dimensions.is_empty(), actual.dimensions.is_empty()) {
            (true, true) if actual.vector == formal.vector && types_agree(formal.element, actual.element) => {}
            (true, false) if formal.space == Space::Register => return self.argument_space(span, formal, name),
            (false, false) if layout::is_incomplete(formal) || layout::size(formal) == layout::size(actual) => {}
            _ => return self.argument_type(span, formal),
        }
        if layout::alignment(formal) != layout::alignment(actual) {
            self.argument_alignment(span, formal);
        }
    }

    fn argument_type(&mut self, span: Span, formal: &Variable) {
        let name = self.name_of(formal);
        let problem = Problem::error(
            span,
            format!("the argument for '{name}' is not of its type, {}", formal.element),
        );
        self.report(problem.vendor(format!("Type of argument does not match formal parameter '{name}'")));
    }

    fn argument_alignment(&mut self, span: Span, formal: &Variable) {
        let name = self.name_of(formal);
        let problem = Problem::error(
            span,
            format!("the argument for '{name}' needs .align {}", layout::alignment(formal)),
        );
        self.report(problem.vendor(format!(
            "Alignment of argument does not match formal parameter '{name}'"
        )));
    }

    fn argument_space(&mut self, span: Span, formal: &Variable, actual: &str) {
        let wanted = if formal.dimensions.is_empty() {
            "a register or a scalar"
        } else {
            "an array in .param"
        };
        let problem = Problem::error(
            span,
            format!(
                "'{actual}' is passed for '{}', which takes {wanted}",
                self.name_of(formal)
            ),
        );
        self.report(problem.vendor(format!("Inconsistent state space for parameter '{actual}'")));
    }
}
