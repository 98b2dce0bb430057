//! Expressions of template signatures, spelled as NVIDIA's compiler does where that differs from the ABI's text: named constants as their values, variable templates
//! without arguments, conversions between known types as `cv`, qualified names with all their levels.

use super::super::pattern::{ArgumentPattern, ExpressionPattern, NamePattern, RequirementPattern, TypePattern};
use super::super::{Constant, Qualifiers, RefQualifier, Scope, Type, TypeId, Types};
use super::name::Arguments;
use super::pattern::pack_from;
use super::{Mangler, operator_code};

impl<'a> Mangler<'a> {
    pub(super) fn expression(&mut self, expression: &ExpressionPattern) {
        use ExpressionPattern as E;
        match expression {
            E::Parameter { index, .. } => self.parameter(*index),
            E::Literal(ty, value) | E::Variable(_, Some((ty, value))) => self.value(*ty, &Constant::Integer(*value)),
            E::Constant(ty, value) => self.value(*ty, value),
            E::Text(elements, element) => {
                self.out.push_str(&format!("LA{}_K", elements.len() + 1));
                self.unqualified(*element);
                self.out.push('E');
            }
            E::Variable(variable, None) => {
                self.out.push_str("L_Z");
                self.variable_name(*variable);
                self.out.push('E');
            }
            E::Operator(code, operands) => self.operator(code, operands),
            E::Convert { to, operands, list } => self.conversion(to, operands, *list),
            E::Cast(code, to, operand) => {
                let known = *code == "sc" && !is_dependent(to) && !has_dependent_type(operand);
                self.out.push_str(if known { "cv" } else { code });
                self.pattern(to);
                self.expression(operand);
            }
            E::OfType(code, of) => {
                self.out.push_str(code);
                self.pattern(of);
            }
            E::PackSize { index, .. } => {
                self.out.push_str("sZ");
                self.parameter(*index);
            }
            E::ArgumentCount(arguments) => {
                self.out.push_str("sP");
                arguments.iter().for_each(|argument| self.argument_pattern(argument));
                self.out.push('E');
            }
            E::Member { of, name, arguments } => {
                // A template of a class that is not known, without a call, is taken for one of functions.
                self.out.push_str(if arguments.is_some() { "adsr" } else { "sr" });
                self.qualifier_levels(of);
                self.last_name(name, arguments.as_deref());
            }
            E::Access {
                object,
                arrow,
                of,
                name,
                arguments,
            } => {
                self.out.push_str(if *arrow { "pt" } else { "dt" });
                self.expression(object);
                if let Some(of) = of {
                    self.out.push_str("sr");
                    self.qualifier_levels(of);
                }
                self.last_name(name, arguments.as_deref());
            }
            E::Unresolved {
                scope,
                global,
                name,
                arguments,
            } => {
                if *global {
                    self.out.push_str("gs");
                }
                if let Some(scope) = scope.filter(|&scope| scope != Scope::Namespace(super::Program::GLOBAL)) {
                    self.out.push_str("sr");
                    self.scope_levels(scope);
                    self.out.push('E');
                }
                self.last_name(name, arguments.as_deref());
            }
            E::This => self.out.push_str("fpT"),
            E::FunctionParameter { level, index } => {
                match level.checked_sub(1) {
                    None => self.out.push_str("fp"),
                    Some(level) => self.out.push_str(&format!("fL{level}p")),
                }
                self.decimal_sequence(*index);
            }
            E::Expansion(inner) => {
                self.out.push_str("sp");
                self.expression(inner);
            }
            E::Fold(code, operator, operands) => {
                self.out.push_str(code);
                self.out.push_str(operator);
                operands.iter().for_each(|operand| self.expression(operand));
            }
            E::VariableTemplate { scope, name, .. } => {
                self.out.push_str("L_Z");
                let write = |mangler: &mut Mangler<'a>| mangler.source_name(name);
                self.name(*scope, Qualifiers::NONE, RefQualifier::None, Arguments::None, &write);
                self.out.push('E');
            }
            E::Concept { name, arguments, .. } => {
                self.source_name(name);
                self.argument_patterns(arguments);
            }
            E::New {
                code,
                placement,
                to,
                initialiser,
            } => {
                self.out.push_str(code);
                placement.iter().for_each(|operand| self.expression(operand));
                self.out.push('_');
                self.pattern(to);
                match initialiser.as_deref() {
                    None => self.out.push('E'),
                    Some([list @ E::List(_)]) => self.expression(list),
                    Some(operands) => {
                        self.out.push_str("pi");
                        operands.iter().for_each(|operand| self.expression(operand));
                        self.out.push('E');
                    }
                }
            }
            E::List(operands) => {
                self.out.push_str("il");
                operands.iter().for_each(|operand| self.expression(operand));
                self.out.push('E');
            }
            E::Trait(name, arguments) => {
                self.out.push('u');
                self.source_name(name);
                arguments.iter().for_each(|argument| self.argument_pattern(argument));
                self.out.push('E');
            }
            E::Requires {
                parameters,
                requirements,
            } => self.requires(parameters, requirements),
            E::Distinct(place) => self.out.push_str(&format!("Ul{place}_E")),
        }
    }

    fn operator(&mut self, code: &str, operands: &[ExpressionPattern]) {
        self.out.push_str(code);
        match (code, operands) {
            ("cl" | "cp", [callee, rest @ ..]) => {
                match callee {
                    // The qualifier of a member template that is called is not spelled.
                    ExpressionPattern::Member {
                        name,
                        arguments: Some(arguments),
                        ..
                    } => self.last_name(name, Some(arguments)),
                    callee => self.expression(callee),
                }
                rest.iter().for_each(|operand| self.expression(operand));
                self.out.push('E');
            }
            ("cm", [left, right]) => {
                self.named_or_value(left, true);
                self.expression(right);
            }
            (_, [left, right]) => {
                let (one, other) = (known_type(left), known_type(right));
                // A constant that is converted is spelled by its name.
                let converted =
                    matches!((one, other), (Some(one), Some(other)) if one != other) && code != "aa" && code != "oo";
                self.named_or_value(left, converted);
                self.named_or_value(right, converted);
            }
            _ => operands.iter().for_each(|operand| self.expression(operand)),
        }
    }

    fn named_or_value(&mut self, operand: &ExpressionPattern, named: bool) {
        match operand {
            ExpressionPattern::Variable(variable, Some(_)) if named => {
                self.expression(&ExpressionPattern::Variable(*variable, None))
            }
            operand => self.expression(operand),
        }
    }

    fn conversion(&mut self, to: &TypePattern, operands: &[ExpressionPattern], list: bool) {
        self.out.push_str(if list { "tl" } else { "cv" });
        self.pattern(to);
        match operands {
            [] if !list && is_scalar(self, to) => self.out.push_str("Li0E"),
            [operand] if !list => self.expression(operand),
            operands => {
                if !list {
                    self.out.push('_');
                }
                operands.iter().for_each(|operand| self.expression(operand));
                self.out.push('E');
            }
        }
    }

    /// What stands before the last `::`, after `sr`.
    fn qualifier_levels(&mut self, of: &TypePattern) {
        match of {
            TypePattern::Parameter { .. } | TypePattern::Decltype(_) => self.pattern(of),
            of => {
                if matches!(root(of), TypePattern::Parameter { .. } | TypePattern::Decltype(_)) {
                    self.out.push('N');
                }
                self.levels(of);
                self.out.push('E');
            }
        }
    }

    fn levels(&mut self, of: &TypePattern) {
        match of {
            TypePattern::Type(ty) => match self.program.types.get(ty.id) {
                Type::Class(class) => self.scope_levels(Scope::Class(*class)),
                _ => self.pattern(of),
            },
            TypePattern::Specialisation {
                scope,
                name,
                arguments,
                pack,
            } => {
                self.scope_levels(*scope);
                self.source_name(name);
                let arguments = pack_from(arguments, pack.map(|place| place as usize));
                self.argument_patterns(&arguments);
            }
            TypePattern::Member { of, name, arguments } => {
                self.levels(of);
                self.source_name(name);
                if let Some(arguments) = arguments {
                    self.argument_patterns(arguments);
                }
            }
            TypePattern::Qualified(_, inner) => self.levels(inner),
            other => self.pattern(other),
        }
    }

    fn scope_levels(&mut self, scope: Scope) {
        match scope {
            Scope::Function(_) => {}
            Scope::Namespace(id) => {
                let namespace = self.program.namespace(id);
                if let Some(parent) = namespace.parent {
                    self.scope_levels(Scope::Namespace(parent));
                    self.namespace_name(namespace);
                }
            }
            Scope::Class(id) => {
                let class = self.program.class(id);
                self.scope_levels(class.scope);
                self.class_unqualified(id);
                if let Some(arguments) = &class.template_arguments {
                    self.template_arguments(arguments);
                }
            }
        }
    }

    fn last_name(&mut self, name: &NamePattern, arguments: Option<&[ArgumentPattern]>) {
        match name {
            NamePattern::Identifier(name) => self.source_name(name),
            NamePattern::Operator(operator) => {
                self.out.push_str("on");
                self.out.push_str(operator_code(*operator, 2));
            }
            NamePattern::Conversion(to) => {
                self.out.push_str("oncv");
                self.pattern(to);
            }
            NamePattern::Literal(suffix) => {
                self.out.push_str("onli");
                self.source_name(suffix);
            }
            NamePattern::Destructor(of) => {
                self.out.push_str("dn");
                self.pattern(of);
            }
        }
        if let Some(arguments) = arguments {
            self.argument_patterns(arguments);
        }
    }

    fn requires(&mut self, parameters: &[TypePattern], requirements: &[RequirementPattern]) {
        self.out.push_str(if parameters.is_empty() { "rq" } else { "rQ" });
        parameters.iter().for_each(|parameter| self.pattern(parameter));
        if !parameters.is_empty() {
            self.out.push('_');
        }
        for requirement in requirements {
            match requirement {
                RequirementPattern::Expression(value, noexcept, concept) => {
                    self.out.push('X');
                    self.expression(value);
                    if *noexcept {
                        self.out.push('N');
                    }
                    if let Some(concept) = concept {
                        self.out.push('R');
                        self.expression(concept);
                    }
                }
                RequirementPattern::Type(ty) => {
                    self.out.push('T');
                    self.pattern(ty);
                }
                RequirementPattern::Nested(condition) => {
                    self.out.push('Q');
                    self.expression(condition);
                }
            }
        }
        self.out.push('E');
    }
}

/// The type at the left end of nested names.
fn root(of: &TypePattern) -> &TypePattern {
    match of {
        TypePattern::Member { of, .. } => root(of),
        other => other,
    }
}

fn is_dependent(ty: &TypePattern) -> bool {
    match ty {
        TypePattern::Type(_) => false,
        TypePattern::Qualified(_, inner)
        | TypePattern::Pointer(inner)
        | TypePattern::LValueReference(inner)
        | TypePattern::RValueReference(inner)
        | TypePattern::Array(inner, None) => is_dependent(inner),
        _ => true,
    }
}

fn is_scalar(mangler: &Mangler<'_>, to: &TypePattern) -> bool {
    match to {
        TypePattern::Type(ty) => ty.id == Types::VOID || mangler.program.types.is_arithmetic(ty.id),
        _ => false,
    }
}

/// The type of an operand, if it is a known arithmetic one.
fn known_type(operand: &ExpressionPattern) -> Option<TypeId> {
    match operand {
        ExpressionPattern::Literal(ty, _) | ExpressionPattern::Variable(_, Some((ty, _))) => Some(ty.id),
        ExpressionPattern::OfType("st" | "at", _)
        | ExpressionPattern::Operator("sz" | "az" | "sZ", _)
        | ExpressionPattern::PackSize { .. }
        | ExpressionPattern::ArgumentCount(_) => Some(Types::UNSIGNED_LONG),
        _ => None,
    }
}

/// Whether the type of an expression depends on parameters, as far as its structure tells.
fn has_dependent_type(expression: &ExpressionPattern) -> bool {
    use ExpressionPattern as E;
    match expression {
        E::Literal(..)
        | E::Constant(..)
        | E::Text(..)
        | E::Variable(..)
        | E::Parameter { .. }
        | E::OfType(..)
        | E::PackSize { .. }
        | E::ArgumentCount(_)
        | E::Trait(..)
        | E::Concept { .. }
        | E::Requires { .. } => false,
        E::Operator("nx" | "sz" | "az" | "nt" | "sZ", _) => false,
        E::Operator(_, operands) => operands.iter().any(has_dependent_type),
        E::Convert { to, .. } | E::Cast(_, to, _) => is_dependent(to),
        E::Unresolved { arguments, .. } => arguments.is_some(),
        E::Member { .. }
        | E::Access { .. }
        | E::This
        | E::FunctionParameter { .. }
        | E::Expansion(_)
        | E::Fold(..)
        | E::VariableTemplate { .. }
        | E::New { .. }
        | E::List(_)
        | E::Distinct(_) => true,
    }
}
