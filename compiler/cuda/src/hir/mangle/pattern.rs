//! Types and expressions of template signatures.

use super::super::pattern::{ArgumentPattern, ExpressionPattern, TypePattern};
use super::super::{FunctionName, Qualifiers, RefQualifier, Scope, TemplateArgument};
use super::name::Arguments;
use super::{Mangler, operator_code};

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
            } => self.component(|mangler| {
                mangler.qualifiers(*qualifiers);
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
            TypePattern::Specialisation { scope, name, arguments } => self.component(|mangler| {
                let arguments = &mangler.with_pack(*scope, name, arguments);
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

    fn parameter(&mut self, index: u32) {
        self.out.push('T');
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
            TypePattern::Specialisation { scope, name, arguments } => self.component(|mangler| {
                let arguments = &mangler.with_pack(*scope, name, arguments);
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

    fn argument_pattern(&mut self, argument: &ArgumentPattern) {
        match argument {
            ArgumentPattern::Type(pattern) => self.pattern(pattern),
            ArgumentPattern::Value(ExpressionPattern::Literal(ty, value)) => {
                self.value(*ty, &super::Constant::Integer(*value))
            }
            ArgumentPattern::Value(expression @ ExpressionPattern::Parameter { .. }) => {
                self.out.push('X');
                self.expression(expression);
                self.out.push('E');
            }
            ArgumentPattern::Value(ExpressionPattern::Expansion(inner)) => {
                self.out.push_str("Xsp");
                self.expression(inner);
                self.out.push('E');
            }
            ArgumentPattern::Value(expression) => {
                self.out.push('X');
                self.expression(expression);
                self.out.push('E');
            }
            ArgumentPattern::Known(argument) => self.template_argument(argument),
            ArgumentPattern::Template { index, .. } => self.component(|mangler| mangler.parameter(*index)),
            ArgumentPattern::Pack(arguments) => {
                self.out.push('J');
                arguments.iter().for_each(|argument| self.argument_pattern(argument));
                self.out.push('E');
            }
        }
    }

    fn expression(&mut self, expression: &ExpressionPattern) {
        match expression {
            ExpressionPattern::Parameter { index, .. } => self.parameter(*index),
            ExpressionPattern::Literal(ty, value) => self.value(*ty, &super::Constant::Integer(*value)),
            ExpressionPattern::Operator(code, operands) => {
                self.out.push_str(code);
                operands.iter().for_each(|operand| self.expression(operand));
                if *code == "cl" {
                    self.out.push('E');
                }
            }
            ExpressionPattern::Convert { to, operands, list } => {
                self.out.push_str(if *list { "tl" } else { "cv" });
                self.pattern(to);
                let single = operands.len() == 1 && !list;
                if !single && !list {
                    self.out.push('_');
                }
                operands.iter().for_each(|operand| self.expression(operand));
                if !single {
                    self.out.push('E');
                }
            }
            ExpressionPattern::Cast(code, to, operand) => {
                self.out.push_str(code);
                self.pattern(to);
                self.expression(operand);
            }
            ExpressionPattern::OfType(code, of) => {
                self.out.push_str(code);
                self.pattern(of);
            }
            ExpressionPattern::PackSize { index, .. } => {
                self.out.push_str("sZ");
                self.parameter(*index);
            }
            ExpressionPattern::Member { of, name, arguments } => {
                self.out.push_str("sr");
                self.pattern(of);
                self.named(name, arguments.as_deref());
            }
            ExpressionPattern::Access {
                object,
                arrow,
                name,
                arguments,
            } => {
                self.out.push_str(if *arrow { "pt" } else { "dt" });
                self.expression(object);
                self.named(name, arguments.as_deref());
            }
            ExpressionPattern::Unresolved { name, arguments } => {
                match name {
                    FunctionName::Identifier(name) => self.source_name(name),
                    FunctionName::Operator(operator) => {
                        self.out.push_str("on");
                        self.out.push_str(operator_code(*operator, 2));
                    }
                    FunctionName::Conversion(ty) => {
                        self.out.push_str("oncv");
                        self.qualified(*ty);
                    }
                    FunctionName::Literal(suffix) => {
                        self.out.push_str("onli");
                        self.source_name(suffix);
                    }
                    FunctionName::Constructor | FunctionName::Destructor => self.out.push_str("dn"),
                }
                if let Some(arguments) = arguments {
                    self.argument_patterns(arguments);
                }
            }
            ExpressionPattern::FunctionParameter(place) => {
                self.out.push_str("fp");
                self.decimal_sequence(*place);
            }
            ExpressionPattern::Expansion(inner) => {
                self.out.push_str("sp");
                self.expression(inner);
            }
            ExpressionPattern::VariableTemplate { scope, name, arguments } => {
                self.out.push_str("L_Z");
                let arguments = Arguments::Pattern(arguments);
                self.name(
                    *scope,
                    Qualifiers::NONE,
                    RefQualifier::None,
                    arguments,
                    &|mangler: &mut Mangler<'a>| mangler.source_name(name),
                );
                self.out.push('E');
            }
        }
    }

    fn named(&mut self, name: &str, arguments: Option<&[ArgumentPattern]>) {
        self.source_name(name);
        if let Some(arguments) = arguments {
            self.argument_patterns(arguments);
        }
    }
}

/// The place of the first expansion among arguments.
fn first_expansion(arguments: &[ArgumentPattern]) -> Option<usize> {
    arguments.iter().position(|argument| {
        matches!(
            argument,
            ArgumentPattern::Type(TypePattern::Expansion(_)) | ArgumentPattern::Value(ExpressionPattern::Expansion(_))
        )
    })
}

/// The arguments with those from a place on as one pack.
fn pack_from(arguments: &[ArgumentPattern], place: Option<usize>) -> Vec<ArgumentPattern> {
    let mut all = arguments.to_vec();
    if let Some(place) = place.filter(|&place| place < all.len()) {
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

impl Mangler<'_> {
    /// Arguments of a class template in which those of its parameter pack are one pack. Where the pack is, any specialisation of the template tells.
    fn with_pack(&self, scope: Scope, name: &str, arguments: &[ArgumentPattern]) -> Vec<ArgumentPattern> {
        let expansion = first_expansion(arguments);
        if expansion.is_none() {
            return arguments.to_vec();
        }
        let program = self.program;
        let known = program.class_ids().find_map(|id| {
            let class = program.class(id);
            let same = class.scope == scope && class.name.as_deref() == Some(name);
            let list = class.template_arguments.as_ref().filter(|_| same)?;
            list.iter()
                .position(|argument| matches!(argument, TemplateArgument::Pack(_)))
        });
        pack_from(arguments, known.or(expansion))
    }
}
