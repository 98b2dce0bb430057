//! Initial values of variables.

use super::{Checker, layout};
use crate::{
    Problem, Span,
    module::{AddressTarget, Initializer, Linkage, Space, Variable},
    table::{Type, TypeKind, gates},
};

/// The vendor's tool stops at the first wrong value, so one is reported for each variable.
struct Wrong(Problem);

type Judged = Result<(), Wrong>;

impl Initializer {
    /// Where it stands.
    fn span(&self) -> Span {
        match self {
            Initializer::List(_, span)
            | Initializer::Fields(_, span)
            | Initializer::Integer(_, span)
            | Initializer::Float(_, span)
            | Initializer::Single(_, span)
            | Initializer::Address { span, .. } => *span,
        }
    }

    /// What it is, for people.
    fn kind(&self) -> &'static str {
        match self {
            Initializer::List(..) => "a list in braces",
            Initializer::Fields(..) => "a list of fields",
            Initializer::Integer(..) => "an integer",
            Initializer::Float(..) | Initializer::Single(..) => "a floating constant",
            Initializer::Address { .. } => "an address",
        }
    }
}

fn wrong(value: &Initializer, message: impl Into<String>, vendor: &str) -> Wrong {
    Wrong(Problem::fatal(value.span(), message).vendor(vendor))
}

/// A value of another kind than the type or shape wants.
fn mismatch(value: &Initializer, wanted: &str) -> Wrong {
    wrong(
        value,
        format!("expected {wanted}, found {}", value.kind()),
        "Initial value type mismatch",
    )
}

impl Checker<'_, '_> {
    /// What follows `=`.
    pub(super) fn initial_values(&mut self, variable: &Variable) {
        let Some(initializer) = &variable.initializer else {
            return;
        };
        let name = self.name_of(variable);
        let refused = if !matches!(variable.space, Space::Global | Space::Constant) {
            let message = format!("'{name}' is not in .global or .const, so it has no initial value");
            Some((
                message,
                format!("No initial value is allowed for '{name}' in this state space"),
            ))
        } else if variable.linkage == Linkage::External {
            let message = format!("'{name}' is .extern: its initial value stands where it is defined");
            Some((
                message,
                format!("No initial value is allowed for external symbol '{name}'"),
            ))
        } else {
            None
        };
        if let Some((message, vendor)) = refused {
            self.report(Problem::error(variable.span, message).vendor(vendor));
            return;
        }
        if variable.element == Type::F16 {
            let problem = Problem::fatal(
                initializer.span(),
                format!("'{name}' has type .f16, which takes no initial value"),
            );
            let problem = problem.vendor("No initial value is allowed for .f16 type");
            self.report(problem.note("declare it .b16 and give the bits"));
            return;
        }
        if let Err(Wrong(problem)) = self.shape(initializer, variable, &variable.dimensions) {
            self.report(problem.note(format!("this is the initial value of '{name}'")));
        }
    }

    /// A value against the dimensions that are left. It nests no deeper than the parser allows.
    fn shape(&mut self, value: &Initializer, variable: &Variable, dimensions: &[Option<u64>]) -> Judged {
        if let Some((first, rest)) = dimensions.split_first() {
            let Initializer::List(values, _) = value else {
                return Err(mismatch(value, "a list in braces for an array"));
            };
            match first {
                Some(most) if *most != 0 && values.len() as u64 > *most => {
                    let message = format!("{} values for an array of {most}", values.len());
                    return Err(wrong(value, message, "Greater number of elements in array initializer"));
                }
                _ if layout::is_open(first) && values.is_empty() => {
                    return Err(mismatch(value, "at least one value, which gives the array its size"));
                }
                _ => {}
            }
            return values.iter().try_for_each(|value| self.shape(value, variable, rest));
        }
        if variable.vector == 1 {
            return self.value(value, variable.element);
        }
        let Initializer::List(values, _) = value else {
            return Err(mismatch(value, "a list in braces for a vector"));
        };
        if values.len() != usize::from(variable.vector) {
            let message = format!("{} values for a vector of {}", values.len(), variable.vector);
            return Err(wrong(
                value,
                message,
                "Incorrect number of elements in vector initializer",
            ));
        }
        values.iter().try_for_each(|value| self.value(value, variable.element))
    }

    /// A single value against the element type.
    fn value(&mut self, value: &Initializer, element: Type) -> Judged {
        use TypeKind::{Bits, Float, Opaque, Signed, Unsigned};
        let kind = element.kind();
        match value {
            Initializer::Fields(..) if kind == Opaque => Ok(()),
            Initializer::List(values, _) if kind == Opaque && values.is_empty() => Ok(()),
            Initializer::Integer(..) if matches!(kind, Bits | Unsigned | Signed) => Ok(()),
            Initializer::Float(..) | Initializer::Single(..) if matches!(kind, Bits | Float) => Ok(()),
            Initializer::Address {
                target,
                offset,
                generic,
                mask,
                span,
            } => {
                self.address_gates(*target, *offset, *generic, mask.is_some(), *span);
                self.address(value, *target, *generic, *mask, element)
            }
            Initializer::List(..) => Err(mismatch(value, &format!("one value of type {element}"))),
            Initializer::Fields(..) | Initializer::Integer(..) | Initializer::Float(..) | Initializer::Single(..) => {
                let wanted = match kind {
                    Unsigned | Signed => format!("an integer for type {element}"),
                    Float => format!("a floating constant for type {element}"),
                    Opaque => format!("fields in braces for type {element}"),
                    Bits | TypeKind::Packed | TypeKind::Predicate => format!("a value of type {element}"),
                };
                Err(mismatch(value, &wanted))
            }
        }
    }

    fn address(
        &self,
        value: &Initializer,
        target: AddressTarget,
        generic: bool,
        mask: Option<u64>,
        element: Type,
    ) -> Judged {
        match target {
            AddressTarget::Variable(id) => {
                let variable = self.variable_of(id);
                if !matches!(variable.space, Space::Global | Space::Constant) {
                    let message = format!(
                        "'{}' is not in .global or .const, so its address is not known here",
                        self.name_of(variable)
                    );
                    return Err(wrong(
                        value,
                        message,
                        "Variable used as initial value not in .global or .const state space",
                    ));
                }
            }
            AddressTarget::Function(_) if generic => {
                return Err(wrong(
                    value,
                    "generic() is for variables, not functions",
                    "Invalid initial value expression",
                ));
            }
            AddressTarget::Function(_) => {}
        }
        let fits = match mask {
            None => matches!(element, Type::U32 | Type::U64),
            Some(_) => matches!(element, Type::U8 | Type::U32 | Type::U64),
        };
        let wanted = if mask.is_some() {
            ".u8, .u32 or .u64"
        } else {
            ".u32 or .u64"
        };
        if fits {
            Ok(())
        } else {
            Err(mismatch(
                value,
                &format!("a value of type {element}; addresses go into {wanted}"),
            ))
        }
    }

    /// Versions and targets that have addresses as initial values.
    fn address_gates(&mut self, target: AddressTarget, offset: i64, generic: bool, masked: bool, span: Span) {
        if generic {
            self.require(&gates::GENERIC_VALUE, span);
        }
        if masked {
            self.require(&gates::MASK_VALUE, span);
        }
        if offset != 0 {
            self.require(&gates::OFFSET_VALUE, span);
        }
        if let AddressTarget::Function(_) = target {
            self.require(&gates::FUNCTION_VALUE, span);
        }
    }
}
