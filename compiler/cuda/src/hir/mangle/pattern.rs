//! Types of template signatures.

use super::super::pattern::{ArgumentPattern, ExpressionPattern, TypePattern};
use super::super::{Qualifiers, RefQualifier};
use super::Mangler;
use super::name::Arguments;

impl<'a> Mangler<'a> {
    /// A type with template parameters.
    pub(super) fn pattern(&mut self, pattern: &TypePattern) {
        match pattern {
            TypePattern::Type(ty) => self.qualified(*ty),
            TypePattern::Parameter { index, .. } => self.component(|mangler| mangler.parameter(*index)),
            TypePattern::Qualified(qualifiers, inner) => match qualifiers.is_empty() {
                true => self.pattern(inner),
                false => self.component(|mangler| {
                    mangler.qualifiers(*qualifiers);
                    mangler.pattern(inner);
                }),
            },
            TypePattern::Pointer(inner) => self.compound_pattern('P', inner),
            TypePattern::LValueReference(inner) => self.compound_pattern('R', inner),
            TypePattern::RValueReference(inner) => self.compound_pattern('O', inner),
            TypePattern::Array(element, bound) => self.component(|mangler| {
                mangler.out.push('A');
                match bound {
                    Some(ExpressionPattern::Literal(_, count)) => mangler.signed(*count),
                    Some(bound) => mangler.expression(bound),
                    None => {}
                }
                mangler.out.push('_');
                mangler.pattern(element);
            }),
            TypePattern::Function {
                result,
                parameters,
                variadic,
                qualifiers,
                reference,
                noexcept,
            } => self.component(|mangler| {
                mangler.qualifiers(*qualifiers);
                match noexcept.as_deref() {
                    None | Some(ExpressionPattern::Literal(_, 0)) => {}
                    Some(ExpressionPattern::Literal(..)) => mangler.out.push_str("Do"),
                    Some(condition) => {
                        mangler.out.push_str("DO");
                        mangler.expression(condition);
                        mangler.out.push('E');
                    }
                }
                mangler.out.push('F');
                mangler.pattern(result);
                if parameters.is_empty() && !variadic {
                    mangler.out.push('v');
                }
                parameters.iter().for_each(|parameter| mangler.pattern(parameter));
                if *variadic {
                    mangler.out.push('z');
                }
                mangler.reference_qualifier(*reference);
                mangler.out.push('E');
            }),
            TypePattern::MemberPointer { class, pointee } => self.component(|mangler| {
                mangler.out.push('M');
                mangler.pattern(class);
                mangler.pattern(pointee);
            }),
            TypePattern::Specialisation {
                scope,
                name,
                arguments,
                pack,
            } => self.component(|mangler| {
                let arguments = &pack_from(arguments, pack.map(|place| place as usize));
                let arguments = Arguments::Pattern(arguments);
                mangler.name(
                    *scope,
                    Qualifiers::NONE,
                    RefQualifier::None,
                    arguments,
                    &|mangler: &mut Mangler<'a>| mangler.source_name(name),
                );
            }),
            TypePattern::ParameterSpecialisation { index, arguments, .. } => self.component(|mangler| {
                mangler.component(|mangler| mangler.parameter(*index));
                mangler.argument_patterns(&pack_from(arguments, first_expansion(arguments)));
            }),
            TypePattern::Member { .. } => self.component(|mangler| {
                mangler.out.push('N');
                mangler.pattern_prefix(pattern);
                mangler.out.push('E');
            }),
            TypePattern::Decltype(expression) => self.component(|mangler| {
                mangler.out.push_str("DT");
                mangler.expression(expression);
                mangler.out.push('E');
            }),
            TypePattern::Transform(name, of) => self.component(|mangler| {
                mangler.out.push('u');
                mangler.source_name(name);
                mangler.out.push('I');
                mangler.pattern(of);
                mangler.out.push('E');
            }),
            TypePattern::Expansion(inner) => self.component(|mangler| {
                mangler.out.push_str("Dp");
                mangler.pattern(inner);
            }),
            TypePattern::Auto { decltype } => self.out.push_str(if *decltype { "Dc" } else { "Da" }),
        }
    }

    fn compound_pattern(&mut self, code: char, inner: &TypePattern) {
        self.component(|mangler| {
            mangler.out.push(code);
            mangler.pattern(inner);
        });
    }

    pub(super) fn parameter(&mut self, index: u32) {
        self.out.push('T');
        if self.plain {
            self.out.push_str(&format!("{}.", self.level));
        }
        self.decimal_sequence(index);
    }

    /// A type before `::`.
    fn pattern_prefix(&mut self, pattern: &TypePattern) {
        match pattern {
            TypePattern::Member { of, name, arguments } => {
                let write = |mangler: &mut Mangler<'a>| {
                    mangler.pattern_prefix(of);
                    mangler.source_name(name);
                };
                match arguments {
                    None => write(self),
                    Some(arguments) => {
                        self.component(write);
                        self.argument_patterns(arguments);
                    }
                }
            }
            TypePattern::Specialisation {
                scope,
                name,
                arguments,
                pack,
            } => self.component(|mangler| {
                let arguments = &pack_from(arguments, pack.map(|place| place as usize));
                let arguments = Arguments::Pattern(arguments);
                mangler.template_prefix(*scope, arguments, &|mangler: &mut Mangler<'a>| {
                    mangler.source_name(name)
                });
            }),
            other => self.pattern(other),
        }
    }

    pub(super) fn argument_patterns(&mut self, arguments: &[ArgumentPattern]) {
        self.out.push('I');
        arguments.iter().for_each(|argument| self.argument_pattern(argument));
        self.out.push('E');
    }

    pub(super) fn argument_pattern(&mut self, argument: &ArgumentPattern) {
        match argument {
            ArgumentPattern::Type(pattern) => self.pattern(pattern),
            ArgumentPattern::Value(
                primary @ (ExpressionPattern::Literal(..)
                | ExpressionPattern::Constant(..)
                | ExpressionPattern::Variable(..)
                | ExpressionPattern::VariableTemplate { .. }),
            ) => self.expression(primary),
            ArgumentPattern::Value(expression) => self.written_value(expression),
            ArgumentPattern::Untyped(untyped) => self.written_value(&untyped.written),
            ArgumentPattern::Known(argument) => self.template_argument(argument),
            // nvcc writes `T_` for an expansion too, where the rules of the ABI have `DpT_`.
            ArgumentPattern::Template { index, .. } | ArgumentPattern::TemplateExpansion { index, .. } => {
                self.component(|mangler| mangler.parameter(*index));
            }
            ArgumentPattern::Pack(arguments) => {
                self.out.push('J');
                arguments.iter().for_each(|argument| self.argument_pattern(argument));
                self.out.push('E');
            }
        }
    }

    fn written_value(&mut self, expression: &ExpressionPattern) {
        self.out.push('X');
        self.expression(expression);
        self.out.push('E');
    }
}

/// The place of the first expansion among arguments.
fn first_expansion(arguments: &[ArgumentPattern]) -> Option<usize> {
    arguments.iter().position(|argument| {
        matches!(
            argument,
            ArgumentPattern::Type(TypePattern::Expansion(_))
                | ArgumentPattern::Value(ExpressionPattern::Expansion(_))
                | ArgumentPattern::TemplateExpansion { .. }
        )
    })
}

/// The arguments with those from a place on as one pack.
pub(super) fn pack_from(arguments: &[ArgumentPattern], place: Option<usize>) -> Vec<ArgumentPattern> {
    let mut all = arguments.to_vec();
    if let Some(place) = place.filter(|&place| place <= all.len()) {
        // Values of a pack are spelled as the parameter, without a sign that they expand.
        let packed = all.split_off(place);
        let packed = packed.into_iter().map(|argument| match argument {
            ArgumentPattern::Value(ExpressionPattern::Expansion(inner)) => ArgumentPattern::Value(*inner),
            other => other,
        });
        all.push(ArgumentPattern::Pack(packed.collect()));
    }
    all
}
