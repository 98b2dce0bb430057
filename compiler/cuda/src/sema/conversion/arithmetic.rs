//! Arithmetic types: promotions, the usual arithmetic conversions, types of literals ([conv.prom], [expr.arith.conv], [lex.icon]).

use crate::hir::{FloatKind, IntegerKind, Program, Type, TypeId, Types};

/// The integer kind whose values a type has: of `bool` none, of an unscoped or scoped enumeration its underlying type's.
pub(crate) fn integer_kind(program: &Program, id: TypeId) -> Option<IntegerKind> {
    match *program.types.get(id) {
        Type::Integer(kind) => Some(kind),
        Type::Enum(enumeration) => match *program.types.get(program.enumeration(enumeration).underlying) {
            Type::Integer(kind) => Some(kind),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the type is an enumeration that converts to integers by itself ([conv.prom]/3).
pub(crate) fn is_unscoped_enumeration(program: &Program, id: TypeId) -> bool {
    program
        .types
        .as_enum(id)
        .is_some_and(|enumeration| !program.enumeration(enumeration).scoped)
}

/// Whether the type is integral or an unscoped enumeration: operand of integer arithmetic.
pub(crate) fn is_integral_or_unscoped(program: &Program, id: TypeId) -> bool {
    program.types.is_integral(id) || is_unscoped_enumeration(program, id)
}

/// Whether the type is arithmetic or an unscoped enumeration.
pub(crate) fn is_arithmetic_or_unscoped(program: &Program, id: TypeId) -> bool {
    program.types.is_arithmetic(id) || is_unscoped_enumeration(program, id)
}

/// The type after integral promotion ([conv.prom]); any other type itself.
pub(crate) fn promoted(program: &Program, id: TypeId) -> TypeId {
    match *program.types.get(id) {
        Type::Bool => Types::INT,
        Type::Integer(kind) => program.types.integer(promoted_kind(kind)),
        Type::Enum(enumeration) => {
            let enumeration = program.enumeration(enumeration);
            if enumeration.scoped {
                return id;
            }
            if enumeration.fixed {
                return promoted(program, enumeration.underlying);
            }
            if enumeration.fits_int {
                return Types::INT;
            }
            match *program.types.get(enumeration.underlying) {
                Type::Integer(kind) => program.types.integer(promoted_kind(kind)),
                _ => Types::INT,
            }
        }
        _ => id,
    }
}

/// What integral promotion makes of a kind ([conv.prom]/1 and 2).
fn promoted_kind(kind: IntegerKind) -> IntegerKind {
    use IntegerKind as K;
    match kind {
        K::Char
        | K::SignedChar
        | K::UnsignedChar
        | K::Char8
        | K::Char16
        | K::Short
        | K::UnsignedShort
        | K::WideChar => K::Int,
        K::Char32 => K::UnsignedInt,
        K::Int
        | K::UnsignedInt
        | K::Long
        | K::UnsignedLong
        | K::LongLong
        | K::UnsignedLongLong
        | K::Int128
        | K::UnsignedInt128 => kind,
    }
}

/// The type that a bit field of `width` bits promotes to ([conv.prom]/5): `int` or `unsigned int` if that holds all its values.
pub(crate) fn promoted_bit_field(program: &Program, id: TypeId, width: u32) -> TypeId {
    let Some(kind) = integer_kind(program, id) else {
        return promoted(program, id);
    };
    if program.types.as_enum(id).is_some() {
        return promoted(program, id);
    }
    match (kind.is_signed(), width) {
        (true, ..=32) | (false, ..=31) => Types::INT,
        (false, 32) => Types::UNSIGNED_INT,
        _ => promoted(program, id),
    }
}

/// The common type of two operands ([expr.arith.conv]/1): both arithmetic or unscoped enumerations; `None` if one is not.
///
/// ```text
/// int, unsigned → unsigned      long, unsigned → long      float, long → float      char, short → int
/// ```
pub(crate) fn usual_arithmetic(program: &Program, left: TypeId, right: TypeId) -> Option<TypeId> {
    if !is_arithmetic_or_unscoped(program, left) || !is_arithmetic_or_unscoped(program, right) {
        return None;
    }
    match (program.types.get(left), program.types.get(right)) {
        (&Type::Float(a), &Type::Float(b)) => Some(program.types.float(larger_float(a, b))),
        (Type::Float(_), _) => Some(left),
        (_, Type::Float(_)) => Some(right),
        _ => {
            let (left, right) = (promoted(program, left), promoted(program, right));
            let (a, b) = (integer_kind(program, left)?, integer_kind(program, right)?);
            Some(program.types.integer(common_integer(a, b)))
        }
    }
}

fn larger_float(a: FloatKind, b: FloatKind) -> FloatKind {
    if a.rank() >= b.rank() { a } else { b }
}

/// The common type of two promoted integer types ([expr.arith.conv]/1.5).
fn common_integer(a: IntegerKind, b: IntegerKind) -> IntegerKind {
    if a.is_signed() == b.is_signed() {
        return if a.rank() >= b.rank() { a } else { b };
    }
    let (signed, unsigned) = if a.is_signed() { (a, b) } else { (b, a) };
    if unsigned.rank() >= signed.rank() {
        unsigned
    } else if signed.bits() > unsigned.bits() {
        signed
    } else {
        signed.to_unsigned()
    }
}

/// What an integer literal's suffix asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IntegerSuffix {
    /// `u`.
    pub(crate) unsigned: bool,
    /// How many `l`: 0, 1 or 2.
    pub(crate) longs: u8,
}

/// The type of an integer literal: the first of its list that holds the value ([lex.icon]/2, table 7); `__int128` types end the list.
pub(crate) fn integer_literal_type(value: u128, suffix: IntegerSuffix, decimal: bool) -> Option<IntegerKind> {
    use IntegerKind as K;
    const LIST: [(u8, K); 8] = [
        (0, K::Int),
        (0, K::UnsignedInt),
        (1, K::Long),
        (1, K::UnsignedLong),
        (2, K::LongLong),
        (2, K::UnsignedLongLong),
        (3, K::Int128),
        (3, K::UnsignedInt128),
    ];
    LIST.iter().copied().find_map(|(longs, kind)| {
        let asked = longs >= suffix.longs
            && (if suffix.unsigned {
                !kind.is_signed()
            } else {
                kind.is_signed() || !decimal
            });
        let bits = kind.bits() - u32::from(kind.is_signed());
        let fits = bits == 128 || value >> bits == 0;
        (asked && fits).then_some(kind)
    })
}

/// Whether all values of the integer type `from` are values of `to`: of `bool`, one bit ([dcl.init.list]/7.4).
pub(crate) fn integer_range_fits(program: &Program, from: TypeId, to: TypeId) -> bool {
    let shape = |id: TypeId| match *program.types.get(id) {
        Type::Bool => Some((1, false)),
        _ => integer_kind(program, id).map(|kind| (kind.bits(), kind.is_signed())),
    };
    match (shape(from), shape(to)) {
        (Some((a, true)), Some((b, true))) | (Some((a, false)), Some((b, false))) => a <= b,
        (Some((a, false)), Some((b, true))) => a < b,
        (Some((_, true)), Some((_, false))) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: IntegerSuffix = IntegerSuffix {
        unsigned: false,
        longs: 0,
    };

    #[test]
    fn decimal_literals_stay_signed() {
        assert_eq!(integer_literal_type(2_147_483_647, PLAIN, true), Some(IntegerKind::Int));
        assert_eq!(
            integer_literal_type(2_147_483_648, PLAIN, true),
            Some(IntegerKind::Long)
        );
        assert_eq!(
            integer_literal_type(0xffff_ffff, PLAIN, false),
            Some(IntegerKind::UnsignedInt)
        );
        assert_eq!(
            integer_literal_type(1 << 63, PLAIN, false),
            Some(IntegerKind::UnsignedLong)
        );
        assert_eq!(
            integer_literal_type(
                1,
                IntegerSuffix {
                    unsigned: true,
                    longs: 2
                },
                true
            ),
            Some(IntegerKind::UnsignedLongLong)
        );
    }

    #[test]
    fn usual_arithmetic_conversions() {
        let program = Program::new();
        let common = |a, b| usual_arithmetic(&program, a, b).unwrap();
        assert_eq!(common(Types::CHAR, Types::SHORT), Types::INT);
        assert_eq!(common(Types::INT, Types::UNSIGNED_INT), Types::UNSIGNED_INT);
        assert_eq!(common(Types::LONG, Types::UNSIGNED_INT), Types::LONG);
        assert_eq!(
            common(Types::LONG_LONG, Types::UNSIGNED_LONG),
            Types::UNSIGNED_LONG_LONG
        );
        assert_eq!(common(Types::FLOAT, Types::LONG), Types::FLOAT);
        assert_eq!(common(Types::BOOL, Types::BOOL), Types::INT);
        assert_eq!(usual_arithmetic(&program, Types::VOID, Types::INT), None);
    }

    #[test]
    fn bit_fields_promote_by_their_width() {
        let program = Program::new();
        assert_eq!(promoted_bit_field(&program, Types::UNSIGNED_INT, 31), Types::INT);
        assert_eq!(
            promoted_bit_field(&program, Types::UNSIGNED_INT, 32),
            Types::UNSIGNED_INT
        );
        assert_eq!(
            promoted_bit_field(&program, Types::UNSIGNED_LONG, 40),
            Types::UNSIGNED_LONG
        );
    }
}
