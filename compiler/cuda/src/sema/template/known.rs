//! What becomes known when the arguments of an alias template replace its parameters: with `template<class T, size_t N> using A = B<T, N - 1, C<N>>` the type
//! `A<T, 4>` is `B<T, 3, C<4>>`. Symbols spell the value, `Lm3E`, not the difference, and know the class `C<4>` again wherever else it stands.

use crate::hir::evaluate::convert_scalar;
use crate::hir::pattern::{ArgumentPattern, ExpressionPattern, TypePattern};
use crate::hir::{Constant, Program, QualifiedType, TemplateArgument, TemplateName, TypeId, Types};
use crate::sema::conversion::arithmetic::{integer_kind, promoted, usual_arithmetic};
use crate::sema::{GivenArgument, GivenArguments, Sema, TemplateId, TemplateKind};
use crate::source::Span;

impl Sema<'_> {
    /// Replaces what has become a constant or a class in a type.
    pub(super) fn make_known(&mut self, pattern: &mut TypePattern) {
        match pattern {
            TypePattern::Type(_)
            | TypePattern::Parameter { .. }
            | TypePattern::Decltype(_)
            | TypePattern::Auto { .. } => {}
            TypePattern::Qualified(_, inner)
            | TypePattern::Pointer(inner)
            | TypePattern::LValueReference(inner)
            | TypePattern::RValueReference(inner)
            | TypePattern::Array(inner, _)
            | TypePattern::Transform(_, inner)
            | TypePattern::Expansion(inner) => self.make_known(inner),
            TypePattern::Function { result, parameters, .. } => {
                self.make_known(result);
                parameters.iter_mut().for_each(|ty| self.make_known(ty));
            }
            TypePattern::MemberPointer { class, pointee } => {
                self.make_known(class);
                self.make_known(pointee);
            }
            TypePattern::Specialisation {
                scope, name, arguments, ..
            } => {
                let key = TemplateName {
                    scope: *scope,
                    name: name.clone(),
                };
                let template = self.template_names.get(&key).copied();
                self.make_list_known(template, arguments);
                if let Some(ty) = template.and_then(|template| self.known_class(template, arguments)) {
                    *pattern = TypePattern::Type(ty);
                }
            }
            TypePattern::ParameterSpecialisation { arguments, .. } => self.make_list_known(None, arguments),
            TypePattern::Member { of, arguments, .. } => {
                self.make_known(of);
                self.make_list_known(None, arguments.as_deref_mut().unwrap_or_default());
            }
        }
    }

    fn make_list_known(&mut self, template: Option<TemplateId>, arguments: &mut [ArgumentPattern]) {
        for (place, argument) in arguments.iter_mut().enumerate() {
            match argument {
                ArgumentPattern::Type(ty) => self.make_known(ty),
                // A literal is spelled as its value already.
                ArgumentPattern::Value(ExpressionPattern::Literal(..)) => {}
                ArgumentPattern::Value(value) => {
                    if let Some((ty, value)) = integer(&self.program, value) {
                        let value = TemplateArgument::Value(ty.into(), Constant::Integer(value));
                        *argument = ArgumentPattern::Known(self.known_value(template, place, value));
                    }
                }
                ArgumentPattern::Pack(list) => self.make_list_known(None, list),
                ArgumentPattern::Known(_)
                | ArgumentPattern::Untyped(_)
                | ArgumentPattern::Template { .. }
                | ArgumentPattern::TemplateExpansion { .. } => {}
            }
        }
    }

    /// A value in the type of a template's parameter, where that is known.
    fn known_value(&mut self, template: Option<TemplateId>, place: usize, value: TemplateArgument) -> TemplateArgument {
        let Some(template) = template else { return value };
        let (parameters, parent) = (
            self.template(template).parameters.clone(),
            self.template(template).scope,
        );
        let Some(parameter) = parameters.get(place).or(parameters.last().filter(|last| last.pack)) else {
            return value;
        };
        let scope = self.unbound_scope(&parameters, parent, 0);
        let given = GivenArgument::Known(value.clone());
        match self.trying(|sema| sema.convert_argument(parameter, &given, scope)) {
            Ok(Some(converted)) => converted,
            Ok(None) | Err(_) => value,
        }
    }

    /// The class that a template makes of arguments in which nothing depends on a parameter.
    fn known_class(&mut self, template: TemplateId, arguments: &[ArgumentPattern]) -> Option<QualifiedType> {
        if self.template(template).kind != TemplateKind::Class {
            return None;
        }
        let known = arguments.iter().map(|argument| match argument {
            ArgumentPattern::Type(TypePattern::Type(ty)) => Some(GivenArgument::Known(TemplateArgument::Type(*ty))),
            ArgumentPattern::Known(known) => Some(GivenArgument::Known(known.clone())),
            ArgumentPattern::Untyped(untyped) => Some(GivenArgument::Known(untyped.value.clone())),
            ArgumentPattern::Value(ExpressionPattern::Literal(ty, value)) => Some(GivenArgument::Known(
                TemplateArgument::Value(*ty, Constant::Integer(*value)),
            )),
            ArgumentPattern::Type(_)
            | ArgumentPattern::Value(_)
            | ArgumentPattern::Template { .. }
            | ArgumentPattern::TemplateExpansion { .. }
            | ArgumentPattern::Pack(_) => None,
        });
        let given = GivenArguments {
            list: known.collect::<Option<Vec<_>>>()?.into(),
            span: Span::NONE,
        };
        let arguments = self.trying(|sema| sema.match_arguments(template, &given)).ok()??;
        let class = self.class_instance(template, arguments);
        Some(self.class_type(class).unqualified())
    }
}

/// The value of an expression without parameters, if it is arithmetic on integers that is defined.
fn integer(program: &Program, expression: &ExpressionPattern) -> Option<(TypeId, i128)> {
    match expression {
        ExpressionPattern::Literal(ty, value) | ExpressionPattern::Variable(_, Some((ty, value))) => {
            Some((ty.id, *value))
        }
        ExpressionPattern::Cast("sc" | "cv", to, operand) => converted(program, integer(program, operand)?, to),
        ExpressionPattern::Convert { to, operands, .. } => match operands.as_slice() {
            [operand] => converted(program, integer(program, operand)?, to),
            _ => None,
        },
        ExpressionPattern::Operator(code, operands) => match operands.as_slice() {
            [operand] => unary(program, code, integer(program, operand)?),
            [left, right] => binary(program, code, integer(program, left)?, integer(program, right)?),
            _ => None,
        },
        _ => None,
    }
}

fn converted(program: &Program, (from, value): (TypeId, i128), to: &TypePattern) -> Option<(TypeId, i128)> {
    let TypePattern::Type(to) = to else { return None };
    match convert_scalar(program, &Constant::Integer(value), from, to.id)? {
        Constant::Integer(value) => Some((to.id, value)),
        _ => None,
    }
}

fn unary(program: &Program, code: &str, (ty, value): (TypeId, i128)) -> Option<(TypeId, i128)> {
    if code == "nt" {
        return Some((Types::BOOL, i128::from(value == 0)));
    }
    let ty = promoted(program, ty);
    let kind = integer_kind(program, ty)?;
    let value = match code {
        "ps" => value,
        "ng" => value.checked_neg()?,
        "co" => !value,
        _ => return None,
    };
    (!kind.is_signed() || kind.wrap(value) == value).then_some((ty, kind.wrap(value)))
}

fn binary(
    program: &Program,
    code: &str,
    (left_type, left): (TypeId, i128),
    (right_type, right): (TypeId, i128),
) -> Option<(TypeId, i128)> {
    let truth = |value: bool| Some((Types::BOOL, i128::from(value)));
    match code {
        "aa" => return truth(left != 0 && right != 0),
        "oo" => return truth(left != 0 || right != 0),
        _ => {}
    }
    let shift = matches!(code, "ls" | "rs");
    let ty = match shift {
        true => promoted(program, left_type),
        false => usual_arithmetic(program, left_type, right_type)?,
    };
    let kind = integer_kind(program, ty)?;
    if kind.bits() > 64 {
        return None;
    }
    let count = u32::try_from(right).ok().filter(|&count| count < kind.bits());
    let (left, right) = (kind.wrap(left), if shift { right } else { kind.wrap(right) });
    let value = match code {
        "pl" => left.checked_add(right)?,
        "mi" => left.checked_sub(right)?,
        "ml" => left.checked_mul(right)?,
        "dv" => left.checked_div(right)?,
        "rm" => left.checked_rem(right)?,
        "an" => left & right,
        "or" => left | right,
        "eo" => left ^ right,
        "ls" => left.checked_shl(count?)?,
        "rs" => left.checked_shr(count?)?,
        "eq" => return truth(left == right),
        "ne" => return truth(left != right),
        "lt" => return truth(left < right),
        "gt" => return truth(left > right),
        "le" => return truth(left <= right),
        "ge" => return truth(left >= right),
        _ => return None,
    };
    // Signed overflow is an error, which whoever evaluates the expression itself reports.
    (!kind.is_signed() || kind.wrap(value) == value).then_some((ty, kind.wrap(value)))
}
