//! Patterns as data: replacing parameters, finding those that are named.

use crate::hir::pattern::{ArgumentPattern, ExpressionPattern, NamePattern, RequirementPattern, TypePattern};
use crate::hir::{self, QualifiedType, Qualifiers};

/// A pattern that nothing is deduced from.
pub(super) fn opaque() -> TypePattern {
    TypePattern::Decltype(Box::new(ExpressionPattern::unknown()))
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
        ArgumentPattern::Type(TypePattern::Expansion(_))
            | ArgumentPattern::Value(ExpressionPattern::Expansion(_))
            | ArgumentPattern::TemplateExpansion { .. }
    )
}

/// Replaces the parameters of an alias or default argument by arguments.
pub(super) fn substitute(pattern: &TypePattern, arguments: &[ArgumentPattern]) -> TypePattern {
    let again = |inner: &TypePattern| Box::new(substitute(inner, arguments));
    match pattern {
        TypePattern::Parameter { depth: 0, index } => match arguments.get(*index as usize) {
            Some(ArgumentPattern::Type(ty)) => ty.clone(),
            Some(ArgumentPattern::Known(hir::TemplateArgument::Type(ty))) => TypePattern::Type(*ty),
            _ => opaque(),
        },
        TypePattern::Parameter { .. } | TypePattern::Type(_) | TypePattern::Auto { .. } => pattern.clone(),
        TypePattern::Decltype(expression) => {
            TypePattern::Decltype(Box::new(substitute_expression(expression, arguments)))
        }
        TypePattern::Transform(name, inner) => TypePattern::Transform(name, again(inner)),
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
            noexcept,
        } => TypePattern::Function {
            result: again(result),
            parameters: substitute_types(parameters, arguments),
            variadic: *variadic,
            qualifiers: *qualifiers,
            reference: *reference,
            noexcept: noexcept
                .as_ref()
                .map(|condition| Box::new(substitute_expression(condition, arguments))),
        },
        TypePattern::MemberPointer { class, pointee } => TypePattern::MemberPointer {
            class: again(class),
            pointee: again(pointee),
        },
        TypePattern::Specialisation {
            scope,
            name,
            arguments: own,
            pack,
        } => TypePattern::Specialisation {
            scope: *scope,
            name: name.clone(),
            arguments: substitute_arguments(own, arguments),
            pack: *pack,
        },
        TypePattern::ParameterSpecialisation {
            depth,
            index,
            arguments: own,
        } => {
            let own = substitute_arguments(own, arguments);
            match arguments.get(*index as usize).filter(|_| *depth == 0) {
                Some(ArgumentPattern::Template { depth, index }) => TypePattern::ParameterSpecialisation {
                    depth: *depth,
                    index: *index,
                    arguments: own,
                },
                Some(ArgumentPattern::Known(hir::TemplateArgument::Template(name))) => TypePattern::Specialisation {
                    scope: name.scope,
                    name: name.name.clone(),
                    pack: own.iter().position(is_expansion).map(|place| place as u32),
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
            arguments: own.as_ref().map(|own| substitute_arguments(own, arguments)),
        },
        TypePattern::Expansion(inner) => TypePattern::Expansion(again(inner)),
    }
}

fn substitute_types(types: &[TypePattern], arguments: &[ArgumentPattern]) -> Vec<TypePattern> {
    let mut all = Vec::with_capacity(types.len());
    for ty in types {
        for replaced in substitute_argument(&ArgumentPattern::Type(ty.clone()), arguments) {
            all.push(match replaced {
                ArgumentPattern::Type(ty) => ty,
                _ => opaque(),
            });
        }
    }
    all
}

fn substitute_arguments(own: &[ArgumentPattern], arguments: &[ArgumentPattern]) -> Vec<ArgumentPattern> {
    own.iter().flat_map(|own| substitute_argument(own, arguments)).collect()
}

fn substitute_expressions(list: &[ExpressionPattern], arguments: &[ArgumentPattern]) -> Vec<ExpressionPattern> {
    let mut all = Vec::with_capacity(list.len());
    for expression in list {
        match expression {
            ExpressionPattern::Expansion(_) => {
                let replaced = substitute_argument(&ArgumentPattern::Value(expression.clone()), arguments);
                all.extend(replaced.into_iter().map(argument_value));
            }
            expression => all.push(substitute_expression(expression, arguments)),
        }
    }
    all
}

/// The value that an argument is.
fn argument_value(argument: ArgumentPattern) -> ExpressionPattern {
    match argument {
        ArgumentPattern::Value(value) => value,
        ArgumentPattern::Known(hir::TemplateArgument::Value(ty, hir::Constant::Integer(value))) => {
            ExpressionPattern::Literal(ty, value)
        }
        ArgumentPattern::Known(hir::TemplateArgument::Value(ty, value)) => ExpressionPattern::Constant(ty, value),
        ArgumentPattern::Untyped(untyped) => untyped.written,
        ArgumentPattern::Known(_)
        | ArgumentPattern::Type(_)
        | ArgumentPattern::Template { .. }
        | ArgumentPattern::TemplateExpansion { .. }
        | ArgumentPattern::Pack(_) => ExpressionPattern::unknown(),
    }
}

fn substitute_name(name: &NamePattern, arguments: &[ArgumentPattern]) -> NamePattern {
    match name {
        NamePattern::Identifier(_) | NamePattern::Operator(_) | NamePattern::Literal(_) => name.clone(),
        NamePattern::Conversion(to) => NamePattern::Conversion(Box::new(substitute(to, arguments))),
        NamePattern::Destructor(of) => NamePattern::Destructor(Box::new(substitute(of, arguments))),
    }
}

/// The same for an expression.
pub(super) fn substitute_expression(pattern: &ExpressionPattern, arguments: &[ArgumentPattern]) -> ExpressionPattern {
    use ExpressionPattern as E;
    let again = |inner: &E| Box::new(substitute_expression(inner, arguments));
    let ty = |inner: &TypePattern| Box::new(substitute(inner, arguments));
    let own = |own: &Option<Vec<ArgumentPattern>>| own.as_ref().map(|own| substitute_arguments(own, arguments));
    match pattern {
        E::Parameter { depth: 0, index } => match arguments.get(*index as usize) {
            Some(argument) => argument_value(argument.clone()),
            None => E::unknown(),
        },
        E::Parameter { .. }
        | E::Literal(..)
        | E::Constant(..)
        | E::Text(..)
        | E::Variable(..)
        | E::This
        | E::FunctionParameter { .. }
        | E::Distinct(_) => pattern.clone(),
        E::Operator(code, operands) => E::Operator(code, substitute_expressions(operands, arguments)),
        E::Convert { to, operands, list } => E::Convert {
            to: ty(to),
            operands: substitute_expressions(operands, arguments),
            list: *list,
        },
        E::Cast(code, to, operand) => E::Cast(code, ty(to), again(operand)),
        E::OfType(code, of) => E::OfType(code, ty(of)),
        E::PackSize { depth: 0, index } => match arguments.get(*index as usize) {
            Some(ArgumentPattern::Pack(elements)) => argument_count(elements.clone()),
            _ => pattern.clone(),
        },
        E::PackSize { .. } => pattern.clone(),
        E::ArgumentCount(list) => argument_count(substitute_arguments(list, arguments)),
        E::Member {
            of,
            name,
            arguments: inner,
        } => E::Member {
            of: ty(of),
            name: substitute_name(name, arguments),
            arguments: own(inner),
        },
        E::Access {
            object,
            arrow,
            of,
            name,
            arguments: inner,
        } => E::Access {
            object: again(object),
            arrow: *arrow,
            of: of.as_ref().map(|of| ty(of)),
            name: substitute_name(name, arguments),
            arguments: own(inner),
        },
        E::Unresolved {
            scope,
            global,
            name,
            arguments: inner,
        } => E::Unresolved {
            scope: *scope,
            global: *global,
            name: substitute_name(name, arguments),
            arguments: own(inner),
        },
        E::Expansion(inner) => E::Expansion(again(inner)),
        E::Fold(code, operator, operands) => substitute_fold(code, operator, operands, arguments),
        E::VariableTemplate {
            scope,
            name,
            arguments: inner,
        } => E::VariableTemplate {
            scope: *scope,
            name: name.clone(),
            arguments: substitute_arguments(inner, arguments),
        },
        E::Concept {
            scope,
            name,
            arguments: inner,
        } => E::Concept {
            scope: *scope,
            name: name.clone(),
            arguments: substitute_arguments(inner, arguments),
        },
        E::New {
            code,
            placement,
            to,
            initialiser,
        } => E::New {
            code,
            placement: substitute_expressions(placement, arguments),
            to: ty(to),
            initialiser: initialiser.as_ref().map(|list| substitute_expressions(list, arguments)),
        },
        E::List(list) => E::List(substitute_expressions(list, arguments)),
        E::Trait(name, list) => E::Trait(name, substitute_arguments(list, arguments)),
        E::Requires {
            parameters,
            requirements,
        } => E::Requires {
            parameters: substitute_types(parameters, arguments),
            requirements: requirements
                .iter()
                .map(|requirement| match requirement {
                    RequirementPattern::Expression(value, noexcept, concept) => RequirementPattern::Expression(
                        *again(value),
                        *noexcept,
                        concept.as_ref().map(|concept| *again(concept)),
                    ),
                    RequirementPattern::Type(required) => RequirementPattern::Type(*ty(required)),
                    RequirementPattern::Nested(condition) => RequirementPattern::Nested(*again(condition)),
                })
                .collect(),
        },
    }
}

/// A fold whose pack may stand for arguments by now: they are the operands of the operator. While there are expansions among them, it stays a fold of what is
/// known so far.
fn substitute_fold(
    code: &'static str,
    operator: &'static str,
    operands: &[ExpressionPattern],
    arguments: &[ArgumentPattern],
) -> ExpressionPattern {
    use ExpressionPattern as E;
    let (start, pack, end) = match (code, operands) {
        ("fL", [start, pack @ ..]) => (Some(start), pack, None),
        ("fR", [pack @ .., end]) => (None, pack, Some(end)),
        _ => (None, operands, None),
    };
    let is_open = |pack: &[E]| matches!(pack, [only] if !matches!(only, E::Expansion(_)));
    let expanded = match pack {
        [only] if is_open(pack) => substitute_expressions(&[E::Expansion(Box::new(only.clone()))], arguments),
        known => substitute_expressions(known, arguments),
    };
    let outer = |one: Option<&E>| one.map(|one| substitute_expression(one, arguments));
    let (start, end) = (outer(start), outer(end));
    if expanded.iter().any(|one| matches!(one, E::Expansion(_))) {
        let inner = match <[E; 1]>::try_from(expanded) {
            Ok([E::Expansion(inner)]) => vec![*inner],
            Ok([other]) => vec![other],
            Err(several) => several,
        };
        return E::Fold(code, operator, start.into_iter().chain(inner).chain(end).collect());
    }
    let mut all: Vec<E> = start.into_iter().chain(expanded).chain(end).collect();
    let both = |left, right| E::Operator(operator, vec![left, right]);
    let whole = match code {
        "fl" | "fL" => all.into_iter().reduce(both),
        _ => all
            .pop()
            .map(|last| all.into_iter().rev().fold(last, |right, left| both(left, right))),
    };
    // Of no operands ([expr.prim.fold]/3).
    whole.unwrap_or_else(|| match operator {
        "aa" => E::Literal(hir::Types::BOOL.unqualified(), 1),
        "oo" => E::Literal(hir::Types::BOOL.unqualified(), 0),
        _ => E::unknown(),
    })
}

/// `sizeof...` of arguments: their number, unless there are expansions among them.
fn argument_count(arguments: Vec<ArgumentPattern>) -> ExpressionPattern {
    match arguments.as_slice() {
        [ArgumentPattern::Type(TypePattern::Expansion(inner))] => {
            if let TypePattern::Parameter { depth, index } = **inner {
                return ExpressionPattern::PackSize { depth, index };
            }
        }
        [ArgumentPattern::Value(ExpressionPattern::Expansion(inner))] => {
            if let ExpressionPattern::Parameter { depth, index } = **inner {
                return ExpressionPattern::PackSize { depth, index };
            }
        }
        [ArgumentPattern::TemplateExpansion { depth, index }] => {
            return ExpressionPattern::PackSize {
                depth: *depth,
                index: *index,
            };
        }
        list if !list.iter().any(is_expansion) => {
            return ExpressionPattern::Literal(hir::Types::UNSIGNED_LONG.unqualified(), list.len() as i128);
        }
        _ => {}
    }
    ExpressionPattern::ArgumentCount(arguments)
}

/// The same for an argument; an expansion of a pack that is known becomes its elements.
pub(super) fn substitute_argument(argument: &ArgumentPattern, arguments: &[ArgumentPattern]) -> Vec<ArgumentPattern> {
    match argument {
        ArgumentPattern::Type(TypePattern::Expansion(inner)) => {
            expanded(&ArgumentPattern::Type((**inner).clone()), arguments)
        }
        ArgumentPattern::Value(ExpressionPattern::Expansion(inner)) => {
            expanded(&ArgumentPattern::Value((**inner).clone()), arguments)
        }
        ArgumentPattern::TemplateExpansion { depth, index } => expanded(
            &ArgumentPattern::Template {
                depth: *depth,
                index: *index,
            },
            arguments,
        ),
        ArgumentPattern::Type(ty) => vec![ArgumentPattern::Type(substitute(ty, arguments))],
        ArgumentPattern::Value(ExpressionPattern::Parameter { depth: 0, index }) => {
            match arguments.get(*index as usize) {
                Some(known @ (ArgumentPattern::Known(_) | ArgumentPattern::Untyped(_) | ArgumentPattern::Value(_))) => {
                    vec![known.clone()]
                }
                _ => vec![ArgumentPattern::Value(ExpressionPattern::unknown())],
            }
        }
        ArgumentPattern::Value(value) => vec![ArgumentPattern::Value(substitute_expression(value, arguments))],
        ArgumentPattern::Template { depth, index } => match arguments.get(*index as usize).filter(|_| *depth == 0) {
            Some(replacement) => vec![replacement.clone()],
            None => vec![argument.clone()],
        },
        ArgumentPattern::Known(_) => vec![argument.clone()],
        ArgumentPattern::Untyped(untyped) => vec![untyped.retyped(substitute(&untyped.parameter, arguments))],
        ArgumentPattern::Pack(list) => vec![ArgumentPattern::Pack(substitute_arguments(list, arguments))],
    }
}

/// An expansion of a pattern: one for each element of the packs that it names, if they are known.
fn expanded(pattern: &ArgumentPattern, arguments: &[ArgumentPattern]) -> Vec<ArgumentPattern> {
    let expansion = |argument: ArgumentPattern| match argument {
        ArgumentPattern::Type(ty) => ArgumentPattern::Type(TypePattern::Expansion(Box::new(ty))),
        ArgumentPattern::Value(value) => ArgumentPattern::Value(ExpressionPattern::Expansion(Box::new(value))),
        ArgumentPattern::Template { depth, index } => ArgumentPattern::TemplateExpansion { depth, index },
        other => other,
    };
    let mut packs: Vec<usize> = Vec::new();
    visit_all(std::slice::from_ref(pattern), &mut |index| {
        let index = index as usize;
        if matches!(arguments.get(index), Some(ArgumentPattern::Pack(_))) && !packs.contains(&index) {
            packs.push(index);
        }
    });
    let length = packs.iter().filter_map(|&place| match &arguments[place] {
        ArgumentPattern::Pack(elements) => Some(elements.len()),
        _ => None,
    });
    let Some(length) = length.min() else {
        let replaced = substitute_argument(pattern, arguments);
        return replaced.into_iter().map(expansion).collect();
    };
    let mut all = Vec::with_capacity(length);
    let mut replaced = arguments.to_vec();
    for element in 0..length {
        let mut expands = false;
        for &place in &packs {
            let ArgumentPattern::Pack(elements) = &arguments[place] else {
                continue;
            };
            replaced[place] = match &elements[element] {
                ArgumentPattern::Type(TypePattern::Expansion(inner)) => {
                    expands = true;
                    ArgumentPattern::Type((**inner).clone())
                }
                ArgumentPattern::Value(ExpressionPattern::Expansion(inner)) => {
                    expands = true;
                    ArgumentPattern::Value((**inner).clone())
                }
                ArgumentPattern::TemplateExpansion { depth, index } => {
                    expands = true;
                    ArgumentPattern::Template {
                        depth: *depth,
                        index: *index,
                    }
                }
                other => other.clone(),
            };
        }
        for argument in substitute_argument(pattern, &replaced) {
            all.push(if expands { expansion(argument) } else { argument });
        }
    }
    all
}

/// Calls for each parameter that a pattern names where it can be deduced from, or as a part of what is not: not for those in expressions.
pub(super) fn visit_parameters(pattern: &TypePattern, visit: &mut impl FnMut(u32)) {
    Visitor {
        visit,
        reach: Reach::Types,
    }
    .ty(pattern);
}

/// Calls for each parameter that can be deduced from a pattern ([temp.deduct.type]/5).
pub(super) fn visit_deducible(pattern: &TypePattern, visit: &mut impl FnMut(u32)) {
    Visitor {
        visit,
        reach: Reach::Deducible,
    }
    .ty(pattern);
}

/// The same for arguments.
pub(super) fn visit_arguments(arguments: &[ArgumentPattern], visit: &mut impl FnMut(u32)) {
    Visitor {
        visit,
        reach: Reach::Types,
    }
    .arguments(arguments);
}

/// Calls for each parameter that arguments name anywhere.
pub(super) fn visit_all(arguments: &[ArgumentPattern], visit: &mut impl FnMut(u32)) {
    Visitor {
        visit,
        reach: Reach::All,
    }
    .arguments(arguments);
}

/// Which uses of parameters count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Those that are deduced from.
    Deducible,
    /// Those in types, and bare ones as values.
    Types,
    /// Those in expressions, too.
    All,
}

struct Visitor<'v, F: FnMut(u32)> {
    visit: &'v mut F,
    reach: Reach,
}

impl<F: FnMut(u32)> Visitor<'_, F> {
    fn parameter(&mut self, depth: u32, index: u32) {
        if depth == 0 {
            (self.visit)(index);
        }
    }
    fn types(&mut self, list: &[TypePattern]) {
        list.iter().for_each(|ty| self.ty(ty));
    }
    fn ty(&mut self, pattern: &TypePattern) {
        match pattern {
            TypePattern::Type(_) | TypePattern::Auto { .. } => {}
            TypePattern::Member { .. } | TypePattern::Transform(..) | TypePattern::Decltype(_)
                if self.reach == Reach::Deducible => {}
            TypePattern::Parameter { depth, index } => self.parameter(*depth, *index),
            TypePattern::Qualified(_, inner)
            | TypePattern::Pointer(inner)
            | TypePattern::LValueReference(inner)
            | TypePattern::RValueReference(inner)
            | TypePattern::Transform(_, inner)
            | TypePattern::Expansion(inner) => self.ty(inner),
            TypePattern::Array(inner, size) => {
                self.ty(inner);
                if let Some(size) = size {
                    self.expression(size);
                }
            }
            TypePattern::Function {
                result,
                parameters,
                noexcept,
                ..
            } => {
                self.ty(result);
                self.types(parameters);
                if let Some(condition) = noexcept {
                    self.expression(condition);
                }
            }
            TypePattern::MemberPointer { class, pointee } => {
                self.ty(class);
                self.ty(pointee);
            }
            TypePattern::Specialisation { arguments, .. } => self.arguments(arguments),
            TypePattern::ParameterSpecialisation {
                depth,
                index,
                arguments,
            } => {
                self.parameter(*depth, *index);
                self.arguments(arguments);
            }
            TypePattern::Member { of, arguments, .. } => {
                self.ty(of);
                self.arguments(arguments.as_deref().unwrap_or_default());
            }
            TypePattern::Decltype(expression) => self.expression(expression),
        }
    }
    fn arguments(&mut self, arguments: &[ArgumentPattern]) {
        for argument in arguments {
            match argument {
                ArgumentPattern::Type(ty) => self.ty(ty),
                ArgumentPattern::Value(value) => self.expression(value),
                ArgumentPattern::Template { depth, index } | ArgumentPattern::TemplateExpansion { depth, index } => {
                    self.parameter(*depth, *index);
                }
                ArgumentPattern::Known(_) | ArgumentPattern::Untyped(_) => {}
                ArgumentPattern::Pack(list) => self.arguments(list),
            }
        }
    }
    fn expressions(&mut self, list: &[ExpressionPattern]) {
        list.iter().for_each(|expression| self.expression(expression));
    }
    fn name(&mut self, name: &NamePattern) {
        match name {
            NamePattern::Identifier(_) | NamePattern::Operator(_) | NamePattern::Literal(_) => {}
            NamePattern::Conversion(ty) | NamePattern::Destructor(ty) => self.ty(ty),
        }
    }
    fn expression(&mut self, pattern: &ExpressionPattern) {
        use ExpressionPattern as E;
        match pattern {
            E::Parameter { depth, index } => return self.parameter(*depth, *index),
            E::Expansion(inner) => return self.expression(inner),
            _ if self.reach != Reach::All => return,
            _ => {}
        }
        match pattern {
            E::Parameter { .. }
            | E::Expansion(_)
            | E::Literal(..)
            | E::Constant(..)
            | E::Text(..)
            | E::Variable(..)
            | E::This
            | E::FunctionParameter { .. }
            | E::Distinct(_) => {}
            E::PackSize { depth, index } => self.parameter(*depth, *index),
            E::Operator(_, operands) | E::Fold(_, _, operands) | E::List(operands) => self.expressions(operands),
            E::Convert { to, operands, .. } => {
                self.ty(to);
                self.expressions(operands);
            }
            E::Cast(_, to, operand) => {
                self.ty(to);
                self.expression(operand);
            }
            E::OfType(_, of) => self.ty(of),
            E::ArgumentCount(list) | E::Trait(_, list) => self.arguments(list),
            E::VariableTemplate { arguments, .. } | E::Concept { arguments, .. } => self.arguments(arguments),
            E::Member { of, name, arguments } => {
                self.ty(of);
                self.name(name);
                self.arguments(arguments.as_deref().unwrap_or_default());
            }
            E::Access {
                object,
                of,
                name,
                arguments,
                ..
            } => {
                self.expression(object);
                if let Some(of) = of {
                    self.ty(of);
                }
                self.name(name);
                self.arguments(arguments.as_deref().unwrap_or_default());
            }
            E::Unresolved { name, arguments, .. } => {
                self.name(name);
                self.arguments(arguments.as_deref().unwrap_or_default());
            }
            E::New {
                placement,
                to,
                initialiser,
                ..
            } => {
                self.expressions(placement);
                self.ty(to);
                self.expressions(initialiser.as_deref().unwrap_or_default());
            }
            E::Requires {
                parameters,
                requirements,
            } => {
                self.types(parameters);
                for requirement in requirements {
                    match requirement {
                        RequirementPattern::Expression(value, _, concept) => {
                            self.expression(value);
                            if let Some(concept) = concept {
                                self.expression(concept);
                            }
                        }
                        RequirementPattern::Type(ty) => self.ty(ty),
                        RequirementPattern::Nested(condition) => self.expression(condition),
                    }
                }
            }
        }
    }
}

/// Whether something in an argument is not deduced from.
pub(super) fn has_opaque(argument: &ArgumentPattern) -> bool {
    fn in_type(pattern: &TypePattern) -> bool {
        match pattern {
            TypePattern::Member { .. }
            | TypePattern::Decltype(_)
            | TypePattern::Transform(..)
            | TypePattern::Auto { .. } => true,
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
        ArgumentPattern::Known(_)
        | ArgumentPattern::Untyped(_)
        | ArgumentPattern::Template { .. }
        | ArgumentPattern::TemplateExpansion { .. } => false,
        ArgumentPattern::Pack(list) => list.iter().any(has_opaque),
    }
}
