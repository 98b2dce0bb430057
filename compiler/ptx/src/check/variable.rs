//! Variables of the module and of functions.

use super::{Checker, layout};
use crate::{
    Problem, Span,
    module::{Attribute, Linkage, RegisterRange, Space, Variable, Version},
    table::{Type, TypeKind, gates},
};

/// The widest vector, in bits.
const VECTOR_BITS: u32 = 128;
/// Version that dropped `.tex`.
const NO_TEXTURE_SPACE: Version = Version { major: 1, minor: 5 };
/// Version that dropped `.const[N]`.
const NO_BANKS: Version = Version { major: 2, minor: 2 };

/// An error of a declared name.
fn error(span: Span, message: impl Into<String>, vendor: impl Into<String>) -> Problem {
    Problem::error(span, message).vendor(vendor)
}

/// What is wrong with an `.align`. Registers keep none, so the parser asks for theirs.
pub(crate) fn bad_alignment(alignment: Option<u32>, span: Span) -> Option<Problem> {
    let wrong = alignment.filter(|alignment| !alignment.is_power_of_two())?;
    let message = format!("an alignment is a power of two, and {wrong} is none");
    Some(error(span, message, "Alignment must be a power of two"))
}

impl Checker<'_, '_> {
    /// A variable of module scope.
    pub(super) fn module_variable(&mut self, variable: &Variable) {
        let (span, name) = (variable.span, self.name_of(variable));
        match variable.space {
            Space::Local | Space::Register => {
                let space = if variable.space == Space::Local {
                    ".local"
                } else {
                    ".reg"
                };
                let message = format!("'{name}' is in {space}, which belongs to functions");
                let vendor = format!("Module-scoped variables in {space} state space are not allowed with ABI");
                self.report(
                    error(span, message, vendor).note("declare it in the function that uses it, or in .global"),
                );
            }
            Space::Parameter => {
                let message = format!("'{name}' is in .param, which belongs to functions and calls");
                self.report(error(
                    span,
                    message,
                    "Parameter variables may not be declared at module scope",
                ));
            }
            Space::Global | Space::Constant | Space::Shared | Space::Texture => {}
        }
        match variable.linkage {
            Linkage::Weak => self.require(&gates::WEAK, span),
            Linkage::Common => {
                self.require(&gates::COMMON, span);
                if variable.space != Space::Global {
                    let message = format!("'{name}' is .common, so it must be in .global");
                    self.report(error(
                        span,
                        message,
                        ".common variables must be declared in .global space",
                    ));
                }
            }
            Linkage::Internal | Linkage::Visible | Linkage::External => {}
        }
        // Arrays of them are not looked at.
        let single = variable.element.kind() == TypeKind::Opaque && variable.dimensions.is_empty();
        if single && variable.space != Space::Global {
            let message = format!("'{name}' is a texture, sampler or surface, so it must be in .global");
            self.report(error(
                span,
                message,
                "Texture and surface variables must be declared in .global space",
            ));
        }
        self.variable(variable);
    }

    /// A variable of a function.
    pub(super) fn local_variable(&mut self, variable: &Variable) {
        let (span, name) = (variable.span, self.name_of(variable));
        if variable.element.kind() == TypeKind::Opaque {
            let message = format!("'{name}' is a texture, sampler or surface, which are declared outside of functions");
            let vendor = "Texture/surface variable must be at module or entry parameter scope";
            self.report(error(span, message, vendor));
        } else if variable.space == Space::Parameter {
            self.parameter_type(variable);
        }
        self.variable(variable);
    }

    /// What holds in either scope.
    fn variable(&mut self, variable: &Variable) {
        let (span, name) = (variable.span, self.name_of(variable));
        self.declared_type(variable.element, variable.vector, span);
        self.texture_mode(variable);
        if variable.element == Type::Pred && variable.space != Space::Register && variable.space != Space::Parameter {
            self.predicate_outside_registers(name, span);
        } else if variable.element == Type::Pred && !variable.dimensions.is_empty() {
            self.predicate_group(span);
        }
        self.alignment(variable.alignment, span);
        self.dropped_spaces(variable);
        if layout::is_incomplete(variable) && variable.initializer.is_none() && variable.linkage != Linkage::External {
            let message =
                format!("'{name}' has no size: only .extern arrays and those with initial values may leave it open");
            self.report(error(
                span,
                message,
                format!("Non-external variable '{name}' has incomplete type"),
            ));
        }
        for attribute in &variable.attributes {
            match attribute {
                Attribute::Managed => {
                    self.require(&gates::MANAGED, span);
                    if variable.space != Space::Global {
                        let message = format!("'{name}' is not in .global, so it cannot be .managed");
                        self.report(error(
                            span,
                            message,
                            format!("Illegal attribute '.managed' for symbol '{name}'"),
                        ));
                    }
                }
                Attribute::Unified(..) => self.require(&gates::UNIFIED, span),
            }
        }
        if variable.initializer.is_some() {
            self.initial_values(variable);
        }
    }

    /// Spaces that later versions dropped.
    fn dropped_spaces(&mut self, variable: &Variable) {
        let version = self.module.version;
        if variable.space == Space::Texture && version >= NO_TEXTURE_SPACE {
            let vendor = "Deprecated feature: '.tex' not supported as of PTX version 1.5";
            let problem = error(variable.span, ".tex was dropped in PTX 1.5", vendor);
            self.report(problem.note("declare `.global .texref` instead"));
        }
        if variable.bank != 0 && version >= NO_BANKS {
            let vendor = "Deprecated feature: 'explicit constant banks' not supported as of PTX version 2.2";
            let problem = error(
                variable.span,
                ".const with a bank number was dropped in PTX 2.2",
                vendor,
            );
            self.report(problem.note("write .const alone"));
        }
    }

    /// The type of any declaration.
    pub(super) fn declared_type(&mut self, element: Type, vector: u8, span: Span) {
        self.require_type(element, span);
        if vector > 1 && element == Type::Pred {
            self.predicate_group(span);
        } else if element.bits() * u32::from(vector) > VECTOR_BITS {
            let message = format!(".v{vector} {element} is wider than {VECTOR_BITS} bits");
            self.report(error(span, message, "Vector type too large, exceeds 128 bit limit"));
        }
    }

    /// Samplers exist in independent texture mode. Arrays of them are not looked at.
    pub(super) fn texture_mode(&mut self, variable: &Variable) {
        let sampler = variable.element == Type::Samplerref && variable.dimensions.is_empty();
        if sampler && !self.gates.independent_textures {
            let vendor = "Instruction or declaration violates .target texmode_unified setting";
            let problem = error(variable.span, "samplers exist only in independent texture mode", vendor);
            self.report(problem.note("add texmode_independent to .target"));
        }
    }

    /// Predicates in an array or vector.
    pub(super) fn predicate_group(&mut self, span: Span) {
        let vendor = "Predicate type can only be used to define scalar register variables";
        self.report(error(span, "predicates form no arrays and vectors", vendor));
    }

    /// The type of what is passed in `.param`. Arrays may be of every type but predicates.
    pub(super) fn parameter_type(&mut self, variable: &Variable) {
        let name = self.name_of(variable);
        let unusual = variable.vector > 1 || matches!(variable.element.kind(), TypeKind::Packed | TypeKind::Opaque);
        if variable.element == Type::Pred {
            self.predicate_outside_registers(name, variable.span);
        } else if unusual && variable.dimensions.is_empty() {
            let message = format!("'{name}' has a type that cannot be passed in .param");
            let problem = error(
                variable.span,
                message,
                format!("Variable '{name}' cannot be allocated in .param state space"),
            );
            self.report(problem.note("use .b32, or an array of .b8 with .align"));
        }
    }

    fn predicate_outside_registers(&mut self, name: &str, span: Span) {
        let message = format!("'{name}' is a predicate, and predicates live in registers only");
        self.report(error(
            span,
            message,
            format!("Predicate variable '{name}' must be in register state space"),
        ));
    }

    /// `.align`
    pub(super) fn alignment(&mut self, alignment: Option<u32>, span: Span) {
        if let Some(problem) = bad_alignment(alignment, span) {
            self.report(problem);
        }
    }

    /// A `.reg` declaration.
    pub(super) fn registers(&mut self, range: &RegisterRange) {
        self.declared_type(range.element, range.vector, range.span);
        if range.element.kind() == TypeKind::Opaque {
            self.no_register(self.text(range.name), range.span);
        }
    }

    pub(super) fn no_register(&mut self, name: &str, span: Span) {
        let message = format!("'{name}' cannot be a register");
        self.report(error(
            span,
            message,
            format!("Variable '{name}' cannot be allocated into a register"),
        ));
    }

    /// All of `.const` must fit one bank.
    pub(super) fn constant_space(&mut self) {
        let limit = super::parameter::limits().constant;
        let constants = || {
            let variables = self.module.variables.iter();
            variables.filter(|variable| variable.space == Space::Constant && variable.linkage != Linkage::External)
        };
        // The vendor's tool puts the widest first, which leaves the fewest gaps.
        let mut widest_first: Vec<&Variable> = constants().collect();
        widest_first.sort_by_key(|variable| std::cmp::Reverse(layout::alignment(variable)));
        let total = layout::total(widest_first.into_iter());
        if total > limit
            && let Some(last) = constants().next_back()
        {
            let message = format!("the variables in .const take {total} bytes; {limit} is the limit");
            let vendor = format!("File uses too much global constant data ({total:#x} bytes, {limit:#x} max)");
            let problem = error(last.span, message, vendor).without_line();
            self.report(problem.note("put large tables in .global"));
        }
    }
}
