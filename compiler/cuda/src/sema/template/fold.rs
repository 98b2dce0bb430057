//! The values of template arguments in which an alias template's arguments have replaced every parameter: with `template<class T, size_t N> using A = B<T, N - 1>`
//! the type `A<T, 4>` is `B<T, 3>`, and symbols spell `Lm3E`, not the difference.

use crate::hir::evaluate::convert_scalar;
use crate::hir::pattern::{ArgumentPattern, ExpressionPattern, TypePattern};
use crate::hir::{Constant, Program, TemplateArgument, TypeId, Types};
use crate::sema::conversion::arithmetic::{integer_kind, promoted, usual_arithmetic};

/// Replaces what has become a constant in the arguments of a type.
pub(super) fn fold_arguments(program: &Program, pattern: &mut TypePattern) {
    match pattern {
        TypePattern::Type(_) | TypePattern::Parameter { .. } | TypePattern::Decltype(_) | TypePattern::Auto { .. } => {}
        TypePattern::Qualified(_, inner)
        | TypePattern::Pointer(inner)
        | TypePattern::LValueReference(inner)
        | TypePattern::RValueReference(inner)
        | TypePattern::Array(inner, _)
        | TypePattern::Transform(_, inner)
        | TypePattern::Expansion(inner) => fold_arguments(program, inner),
        TypePattern::Function { result, parameters, .. } => {
            fold_arguments(program, result);
            parameters.iter_mut().for_each(|ty| fold_arguments(program, ty));
        }
        TypePattern::MemberPointer { class, pointee } => {
            fold_arguments(program, class);
            fold_arguments(program, pointee);
        }
        TypePattern::Specialisation { arguments, .. } | TypePattern::ParameterSpecialisation { arguments, .. } => {
            fold_list(program, arguments);
        }
        TypePattern::Member { of, arguments, .. } => {
            fold_arguments(program, of);
            fold_list(program, arguments.as_deref_mut().unwrap_or_default());
        }
    }
}

fn fold_list(program: &Program, arguments: &mut [ArgumentPattern]) {
    for argument in arguments {
        match argument {
            ArgumentPattern::Type(ty) => fold_arguments(program, ty),
            // A literal is spelled as its value already.
            ArgumentPattern::Value(ExpressionPattern::Literal(..)) => {}
            ArgumentPattern::Value(value) => {
                if let Some((ty, value)) = integer(program, value) {
                    *argument = ArgumentPattern::Known(TemplateArgument::Value(ty.into(), Constant::Integer(value)));
                }
            }
            ArgumentPattern::Pack(list) => fold_list(program, list),
            ArgumentPattern::Known(_) | ArgumentPattern::Untyped(_) | ArgumentPattern::Template { .. } => {}
        }
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
