//! Parameters of kernels, functions and prototypes.

use warpsmith_target::Sm;

use super::{Checker, layout};
use crate::{
    Problem, Span,
    module::{Function, Prototype, Space, Variable, VariableId, Version},
    table::{Type, TypeKind, gates},
};

/// Sizes that the hardware bounds, in bytes.
pub(super) struct Limits {
    /// Kernel parameters before [`Limits::large_since`].
    small: u64,
    /// Kernel parameters from then on.
    large: u64,
    large_since: Version,
    /// All variables in `.const`.
    pub(super) constant: u64,
}

/// The limits, which are the same for every target.
pub(super) fn limits() -> Limits {
    let info = Sm::Sm75.info();
    let since = info.parameters.large_since_ptx;
    Limits {
        small: info.parameters.max_bytes.into(),
        large: info.parameters.max_bytes_large.into(),
        large_since: Version {
            major: since.major,
            minor: since.minor,
        },
        constant: info.memory.constant_bank_bytes.into(),
    }
}

/// Versions before this one have this limit of kernel parameters, in bytes.
const FIRST_LIMIT: (Version, u64) = (Version { major: 1, minor: 5 }, 256);

/// Where parameters stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Kernel,
    Function,
    Prototype,
}

/// Whether a value of this type is one that functions cannot pass: predicates, and integers of less than 32 bits but plain bits.
pub(super) fn is_narrow(parameter: &Variable) -> bool {
    let narrow = matches!(
        parameter.element,
        Type::U8 | Type::S8 | Type::U16 | Type::S16 | Type::Pred
    );
    narrow && parameter.dimensions.is_empty()
}

impl Checker<'_, '_> {
    /// Parameters of a function or kernel.
    pub(super) fn function_parameters(&mut self, function: &Function) {
        let place = if function.kernel {
            Place::Kernel
        } else {
            Place::Function
        };
        let defined = function.body.is_some();
        self.parameters(place, &function.returns, &function.parameters, function.parameters_end);
        if function.kernel && !function.parameters.is_empty() {
            self.require(&gates::KERNEL_PARAMETERS, function.parameters_end);
        }
        if function.returns.len() > 1 && self.any_in_parameter_space(&function.returns) {
            self.report(several_in_parameter_space(function.head_end));
        }
        if !defined {
            return;
        }
        for &id in function.returns.iter().chain(&function.parameters) {
            self.defined_parameter(place, self.variable_of(id));
        }
        if function.kernel {
            self.parameter_size(function);
        } else if self.has_abi {
            self.narrow_parameters(function);
        }
    }

    /// Parameters of a `.callprototype`.
    pub(super) fn prototype_parameters(&mut self, prototype: &Prototype, span: Span) {
        self.parameters(Place::Prototype, &prototype.returns, &prototype.parameters, span);
        if prototype.returns.len() > 1 && self.any_in_parameter_space(&prototype.returns) {
            self.report(several_in_parameter_space(span));
        }
    }

    /// What holds for declarations too.
    fn parameters(&mut self, place: Place, returns: &[VariableId], parameters: &[VariableId], end: Span) {
        for &id in returns {
            let variable = self.variable_of(id);
            self.parameter(variable);
            if layout::is_incomplete(variable) {
                let message = "a return value needs a size";
                self.report(
                    Problem::error(variable.span, message).vendor("Output parameter cannot be an incomplete array."),
                );
            }
        }
        for (index, &id) in parameters.iter().enumerate() {
            let variable = self.variable_of(id);
            self.parameter(variable);
            if layout::is_incomplete(variable) {
                self.open_parameter(place, variable, index + 1 == parameters.len(), end);
            }
        }
    }

    fn parameter(&mut self, variable: &Variable) {
        let span = variable.span;
        self.require_type(variable.element, span);
        if variable.element == Type::Pred && (variable.vector > 1 || !variable.dimensions.is_empty()) {
            self.predicate_group(span);
        } else {
            self.parameter_width(variable);
        }
        self.alignment(variable.alignment, span);
        if let Some(pointer) = variable.pointer {
            self.require(&gates::POINTER, span);
            self.alignment(pointer.alignment, span);
        }
    }

    fn parameter_width(&mut self, variable: &Variable) {
        if variable.element.bits() * u32::from(variable.vector) > 128 {
            let message = format!(".v{} {} is wider than 128 bits", variable.vector, variable.element);
            self.report(Problem::error(variable.span, message).vendor("Vector type too large, exceeds 128 bit limit"));
        }
    }

    /// A parameter `a[]`.
    fn open_parameter(&mut self, place: Place, variable: &Variable, last: bool, end: Span) {
        self.require(&gates::UNSIZED_PARAMETER, variable.span);
        let error = |message: &str, vendor: &str| Problem::error(end, message).vendor(vendor);
        if !last {
            let message = "only the last parameter may leave its size open";
            self.report(error(
                message,
                "Only the last input parameter can be an incomplete array.",
            ));
        }
        if place == Place::Kernel {
            let message = "a parameter of a kernel needs a size";
            self.report(error(
                message,
                "Parameter to entry function cannot be an incomplete array.",
            ));
        } else if variable.space == Space::Register {
            let message = "only parameters in .param may leave their size open";
            self.report(error(message, "Incomplete array parameters must be in '.param' space"));
        }
    }

    /// What only a definition needs: a place for the parameter.
    fn defined_parameter(&mut self, place: Place, variable: &Variable) {
        match variable.space {
            Space::Register => {
                if !variable.dimensions.is_empty() || variable.element.kind() == TypeKind::Opaque {
                    self.no_register(self.name_of(variable), variable.span);
                }
            }
            _ if place == Place::Kernel && variable.element.kind() == TypeKind::Opaque => {
                self.texture_mode(variable);
            }
            _ => self.parameter_type(variable),
        }
    }

    fn any_in_parameter_space(&self, variables: &[VariableId]) -> bool {
        variables
            .iter()
            .any(|&id| self.variable_of(id).space == Space::Parameter)
    }

    /// All parameters of a kernel must fit their part of the constant bank.
    fn parameter_size(&mut self, function: &Function) {
        let Some(body) = &function.body else { return };
        let limits = limits();
        let size = layout::total(function.parameters.iter().map(|&id| self.variable_of(id)));
        let version = self.module.version;
        let limit = match version {
            _ if version < FIRST_LIMIT.0 => FIRST_LIMIT.1,
            _ if version < limits.large_since => limits.small,
            _ => limits.large,
        };
        if size > limits.small && limit == limits.large {
            self.require(&gates::LARGE_PARAMETERS, body.end);
        }
        if size > limit {
            let name = self.text(function.name);
            let message = format!("the parameters of '{name}' take {size} bytes; {limit} is the limit");
            let vendor =
                format!("Entry function '{name}' uses too much parameter space ({size:#x} bytes, {limit:#x} max).");
            let mut problem = Problem::error(body.end, message)
                .vendor(vendor)
                .caused_by(function.span);
            if limit < limits.large && size <= limits.large {
                problem = problem.note(format!(
                    ".version {} and sm_70 allow {} bytes",
                    limits.large_since, limits.large
                ));
            }
            self.report(problem);
        }
    }

    fn narrow_parameters(&mut self, function: &Function) {
        let narrow = |ids: &[VariableId]| {
            ids.iter()
                .map(|&id| self.variable_of(id))
                .find(|&variable| is_narrow(variable))
        };
        let (passed, returned) = (narrow(&function.parameters), narrow(&function.returns));
        if let Some(variable) = passed {
            self.narrow_parameter(variable, variable.span);
        }
        if let Some(variable) = returned {
            let message = format!(
                "'{}' is returned, and functions return no {} values",
                self.name_of(variable),
                variable.element
            );
            let vendor = "In ABI compilation, returning predicate, 8-bit and 16-bit values from device functions is not supported";
            let problem = Problem::error(variable.span, message).vendor(vendor).without_line();
            self.report(problem.note("use .b8, .b16 or a wider type"));
        }
    }

    /// A parameter that the calling convention cannot pass.
    pub(super) fn narrow_parameter(&mut self, variable: &Variable, span: Span) {
        let message = format!(
            "'{}' is a parameter, and functions take no {} values",
            self.name_of(variable),
            variable.element
        );
        let vendor =
            "In ABI compilation, passing predicate, 8-bit and 16-bit parameters to device functions is not supported";
        let problem = Problem::error(span, message).vendor(vendor).without_line();
        self.report(problem.note("use .b8, .b16 or a wider type"));
    }
}

fn several_in_parameter_space(span: Span) -> Problem {
    let message = "several return values must all be in .reg";
    Problem::error(span, message).vendor("Multiple return parameters require .register state space")
}
