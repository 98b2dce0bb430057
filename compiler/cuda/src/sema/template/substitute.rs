//! Patterns as data: replacing parameters, finding those that are named.

use crate::hir::pattern::{ArgumentPattern, ExpressionPattern, TypePattern};
use crate::hir::{self, QualifiedType, Qualifiers};

/// A pattern that nothing is deduced from.
pub(super) fn opaque() -> TypePattern {
    TypePattern::Decltype(Box::new(ExpressionPattern::Unresolved {
        name: hir::FunctionName::Identifier(hir::Name::from("dependent")),
        arguments: None,
    }))
}

/// A pattern with qualifiers.
pub(super) fn qualified(qualifiers: Qualifiers, pattern: TypePattern) -> TypePattern {
    if qualifiers.is_empty() {
        return pattern;
    }
    match pattern {
        TypePattern::Type(ty) => TypePattern::Type(QualifiedType {
            id: ty.id,
            qualifiers: ty.qualifiers.with(qualifiers),
        }),
        TypePattern::Qualified(inner, pattern) => TypePattern::Qualified(inner.with(qualifiers), pattern),
        pattern => TypePattern::Qualified(qualifiers, Box::new(pattern)),
    }
}

/// Whether an argument is an expansion.
pub(super) fn is_expansion(argument: &ArgumentPattern) -> bool {
    matches!(
        argument,
        ArgumentPattern::Type(TypePattern::Expansion(_)) | ArgumentPattern::Value(ExpressionPattern::Expansion(_))
    )
}

/// Replaces the parameters of an alias or default argument by arguments.
pub(super) fn substitute(pattern: &TypePattern, arguments: &[ArgumentPattern]) -> TypePattern {
    let again = |inner: &TypePattern| Box::new(substitute(inner, arguments));
    match pattern {
        TypePattern::Parameter { index, .. } => match arguments.get(*index as usize) {
            Some(ArgumentPattern::Type(ty)) => ty.clone(),
            Some(ArgumentPattern::Known(hir::TemplateArgument::Type(ty))) => TypePattern::Type(*ty),
            _ => opaque(),
        },
        TypePattern::Type(_) | TypePattern::Decltype(_) | TypePattern::Auto { .. } => pattern.clone(),
        TypePattern::Qualified(qualifiers, inner) if qualifiers.is_empty() => {
            TypePattern::Qualified(*qualifiers, again(inner))
        }
        TypePattern::Qualified(qualifiers, inner) => qualified(*qualifiers, *again(inner)),
        TypePattern::Pointer(inner) => TypePattern::Pointer(again(inner)),
        TypePattern::LValueReference(inner) => TypePattern::LValueReference(again(inner)),
        TypePattern::RValueReference(inner) => TypePattern::RValueReference(again(inner)),
        TypePattern::Array(inner, size) => TypePattern::Array(
            again(inner),
            size.as_ref().map(|size| substitute_expression(size, arguments)),
        ),
        TypePattern::Function {
            result,
            parameters,
            variadic,
            qualifiers,
            reference,
        } => TypePattern::Function {
            result: again(result),
            parameters: parameters
                .iter()
                .map(|parameter| substitute(parameter, arguments))
                .collect(),
            variadic: *variadic,
            qualifiers: *qualifiers,
            reference: *reference,
        },
        TypePattern::MemberPointer { class, pointee } => TypePattern::MemberPointer {
            class: again(class),
            pointee: again(pointee),
        },
        TypePattern::Specialisation {
            scope,
            name,
            arguments: own,
        } => TypePattern::Specialisation {
            scope: *scope,
            name: name.clone(),
            arguments: own.iter().flat_map(|own| substitute_argument(own, arguments)).collect(),
        },
        TypePattern::ParameterSpecialisation {
            index, arguments: own, ..
        } => {
            let own: Vec<ArgumentPattern> = own.iter().flat_map(|own| substitute_argument(own, arguments)).collect();
            match arguments.get(*index as usize) {
                Some(ArgumentPattern::Template { depth, index }) => TypePattern::ParameterSpecialisation {
                    depth: *depth,
                    index: *index,
                    arguments: own,
                },
                Some(ArgumentPattern::Known(hir::TemplateArgument::Template(name))) => TypePattern::Specialisation {
                    scope: name.scope,
                    name: name.name.clone(),
                    arguments: own,
                },
                _ => opaque(),
            }
        }
        TypePattern::Member {
            of,
            name,
            arguments: own,
        } => TypePattern::Member {
            of: again(of),
            name: name.clone(),
            arguments: own
                .as_ref()
                .map(|own| own.iter().flat_map(|own| substitute_argument(own, arguments)).collect()),
        },
        TypePattern::Expansion(inner) => TypePattern::Expansion(again(inner)),
    }
}

fn substitute_expression(pattern: &ExpressionPattern, arguments: &[ArgumentPattern]) -> ExpressionPattern {
    match pattern {
        ExpressionPattern::Parameter { index, .. } => match arguments.get(*index as usize) {
            Some(ArgumentPattern::Value(value)) => value.clone(),
            Some(ArgumentPattern::Known(hir::TemplateArgument::Value(ty, hir::Constant::Integer(value)))) => {
                ExpressionPattern::Literal(*ty, *value)
            }
            _ => ExpressionPattern::Unresolved {
                name: hir::FunctionName::Identifier(hir::Name::from("dependent")),
                arguments: None,
            },
        },
        ExpressionPattern::Expansion(inner) => {
            ExpressionPattern::Expansion(Box::new(substitute_expression(inner, arguments)))
        }
        other => other.clone(),
    }
}

/// The same for an argument; an expansion of a pack that is known becomes its elements.
pub(super) fn substitute_argument(argument: &ArgumentPattern, arguments: &[ArgumentPattern]) -> Vec<ArgumentPattern> {
    match argument {
        ArgumentPattern::Type(TypePattern::Expansion(inner)) => {
            let packs = pack_of(inner, arguments);
            match packs {
                Some((place, elements)) => elements
                    .iter()
                    .map(|element| {
                        let mut replaced = arguments.to_vec();
                        let (element, expands) = match element {
                            ArgumentPattern::Type(TypePattern::Expansion(inner)) => {
                                (ArgumentPattern::Type((**inner).clone()), true)
                            }
                            other => (other.clone(), false),
                        };
                        replaced[place] = element;
                        let ty = substitute(inner, &replaced);
                        ArgumentPattern::Type(if expands {
                            TypePattern::Expansion(Box::new(ty))
                        } else {
                            ty
                        })
                    })
                    .collect(),
                None => vec![ArgumentPattern::Type(TypePattern::Expansion(Box::new(substitute(
                    inner, arguments,
                ))))],
            }
        }
        ArgumentPattern::Type(ty) => vec![ArgumentPattern::Type(substitute(ty, arguments))],
        ArgumentPattern::Value(ExpressionPattern::Expansion(inner)) => match &**inner {
            ExpressionPattern::Parameter { index, .. } => match arguments.get(*index as usize) {
                Some(ArgumentPattern::Pack(elements)) => elements.clone(),
                _ => vec![argument.clone()],
            },
            _ => vec![argument.clone()],
        },
        ArgumentPattern::Value(value) => vec![ArgumentPattern::Value(substitute_expression(value, arguments))],
        ArgumentPattern::Template { index, .. } => match arguments.get(*index as usize) {
            Some(replacement) => vec![replacement.clone()],
            None => vec![argument.clone()],
        },
        ArgumentPattern::Known(_) => vec![argument.clone()],
        ArgumentPattern::Pack(list) => vec![ArgumentPattern::Pack(
            list.iter()
                .flat_map(|element| substitute_argument(element, arguments))
                .collect(),
        )],
    }
}

/// The pack that a pattern names, if an argument is one.
fn pack_of<'l>(pattern: &TypePattern, arguments: &'l [ArgumentPattern]) -> Option<(usize, &'l [ArgumentPattern])> {
    let mut found = None;
    visit_parameters(pattern, &mut |index| {
        if let Some(ArgumentPattern::Pack(elements)) = arguments.get(index as usize)
            && found.is_none()
        {
            found = Some((index as usize, elements.as_slice()));
        }
    });
    found
}

/// Calls for each parameter that a pattern names, also in arguments and values.
pub(super) fn visit_parameters(pattern: &TypePattern, visit: &mut impl FnMut(u32)) {
    match pattern {
        TypePattern::Type(_) | TypePattern::Auto { .. } => {}
        TypePattern::Parameter { index, .. } => visit(*index),
        TypePattern::Qualified(_, inner)
        | TypePattern::Pointer(inner)
        | TypePattern::LValueReference(inner)
        | TypePattern::RValueReference(inner)
        | TypePattern::Expansion(inner) => visit_parameters(inner, visit),
        TypePattern::Array(inner, size) => {
            visit_parameters(inner, visit);
            if let Some(size) = size {
                visit_expression(size, visit);
            }
        }
        TypePattern::Function { result, parameters, .. } => {
            visit_parameters(result, visit);
            for parameter in parameters {
                visit_parameters(parameter, visit);
            }
        }
        TypePattern::MemberPointer { class, pointee } => {
            visit_parameters(class, visit);
            visit_parameters(pointee, visit);
        }
        TypePattern::Specialisation { arguments, .. } => visit_arguments(arguments, visit),
        TypePattern::ParameterSpecialisation { index, arguments, .. } => {
            visit(*index);
            visit_arguments(arguments, visit);
        }
        TypePattern::Member { of, arguments, .. } => {
            visit_parameters(of, visit);
            visit_arguments(arguments.as_deref().unwrap_or_default(), visit);
        }
        TypePattern::Decltype(expression) => visit_expression(expression, visit),
    }
}

fn visit_expression(pattern: &ExpressionPattern, visit: &mut impl FnMut(u32)) {
    match pattern {
        ExpressionPattern::Parameter { index, .. } => visit(*index),
        ExpressionPattern::Expansion(inner) => visit_expression(inner, visit),
        _ => {}
    }
}

/// The same for arguments.
pub(super) fn visit_arguments(arguments: &[ArgumentPattern], visit: &mut impl FnMut(u32)) {
    for argument in arguments {
        match argument {
            ArgumentPattern::Type(ty) => visit_parameters(ty, visit),
            ArgumentPattern::Value(value) => visit_expression(value, visit),
            ArgumentPattern::Template { index, .. } => visit(*index),
            ArgumentPattern::Known(_) => {}
            ArgumentPattern::Pack(list) => visit_arguments(list, visit),
        }
    }
}

/// Whether something in an argument is not deduced from.
pub(super) fn has_opaque(argument: &ArgumentPattern) -> bool {
    fn in_type(pattern: &TypePattern) -> bool {
        match pattern {
            TypePattern::Member { .. } | TypePattern::Decltype(_) | TypePattern::Auto { .. } => true,
            TypePattern::Type(_) | TypePattern::Parameter { .. } => false,
            TypePattern::Qualified(qualifiers, _) if qualifiers.is_empty() => true,
            TypePattern::Qualified(_, inner)
            | TypePattern::Pointer(inner)
            | TypePattern::LValueReference(inner)
            | TypePattern::RValueReference(inner)
            | TypePattern::Expansion(inner) => in_type(inner),
            TypePattern::Array(inner, size) => in_type(inner) || size.as_ref().is_some_and(in_expression),
            TypePattern::Function { result, parameters, .. } => in_type(result) || parameters.iter().any(in_type),
            TypePattern::MemberPointer { class, pointee } => in_type(class) || in_type(pointee),
            TypePattern::Specialisation { arguments, .. } | TypePattern::ParameterSpecialisation { arguments, .. } => {
                arguments.iter().any(has_opaque)
            }
        }
    }
    fn in_expression(pattern: &ExpressionPattern) -> bool {
        match pattern {
            ExpressionPattern::Parameter { .. } | ExpressionPattern::Literal(..) => false,
            ExpressionPattern::Expansion(inner) => in_expression(inner),
            _ => true,
        }
    }
    match argument {
        ArgumentPattern::Type(ty) => in_type(ty),
        ArgumentPattern::Value(value) => in_expression(value),
        ArgumentPattern::Known(_) | ArgumentPattern::Template { .. } => false,
        ArgumentPattern::Pack(list) => list.iter().any(has_opaque),
    }
}
