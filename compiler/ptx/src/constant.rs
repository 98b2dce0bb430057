//! Constant expressions: literals and operators on 64-bit integers and doubles.
//!
//! An integer is signed unless it has the suffix `U` or does not fit. Operators follow C, on 64 bits, wrapping.

/// The value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constant {
    /// The 64 bits, and whether they are signed.
    Integer(u64, bool),
    /// A double.
    Float(f64),
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Plus,
    Minus,
    Not,
    BitNot,
    ToSigned,
    ToUnsigned,
}

/// Why an expression has no value. The texts are the vendor's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConstantError {
    DivisionByZero,
    TypeMismatch,
    IntegerExpected,
    Overflow,
}

impl ConstantError {
    /// The vendor's message.
    pub(crate) fn message(self) -> &'static str {
        match self {
            ConstantError::DivisionByZero => "Constant expression has division by zero",
            ConstantError::TypeMismatch => "Constant expression type mismatch",
            ConstantError::IntegerExpected => "Integer constant expression expected",
            ConstantError::Overflow => "Constant overflow",
        }
    }
}

/// Reads an integer literal as the lexer lets it through: any base, perhaps with the suffix `U`.
pub(crate) fn integer(text: &str) -> Result<Constant, ConstantError> {
    let (digits, unsigned) = match text.strip_suffix('U') {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    let bytes = digits.as_bytes();
    let value = match bytes {
        [b'0', b'x' | b'X', digits @ ..] => digits_of(digits, 16),
        [b'0', b'b' | b'B', digits @ ..] => digits_of(digits, 2),
        [b'0', digits @ ..] => digits_of(digits, 8),
        digits => digits_of(digits, 10),
    };
    let value = value.ok_or(ConstantError::Overflow)?;
    Ok(Constant::Integer(value, !unsigned && value <= i64::MAX as u64))
}

/// Digits in some base. As in the vendor's tool, a number is too large only if it was beyond 63 bits before its last digit; otherwise
/// bits that do not fit are lost.
#[inline]
fn digits_of(digits: &[u8], base: u64) -> Option<u64> {
    let mut value = 0u64;
    for &digit in digits {
        if value >> 63 != 0 {
            return None;
        }
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            _ => (digit | 0x20) - b'a' + 10,
        };
        value = value.wrapping_mul(base).wrapping_add(u64::from(digit));
    }
    Some(value)
}

/// Reads a decimal floating literal.
pub(crate) fn float(text: &str) -> Result<Constant, ConstantError> {
    let value: f64 = text.parse().map_err(|_| ConstantError::Overflow)?;
    let zero = text
        .bytes()
        .take_while(|byte| !matches!(byte, b'e' | b'E'))
        .all(|byte| matches!(byte, b'0' | b'.'));
    if value.is_finite() && (value != 0.0 || zero) {
        Ok(Constant::Float(value))
    } else {
        Err(ConstantError::Overflow)
    }
}

/// A truth value.
fn truth(value: bool) -> Constant {
    Constant::Integer(u64::from(value), true)
}

/// Applies a unary operator.
pub(crate) fn unary(operator: Unary, value: Constant) -> Result<Constant, ConstantError> {
    match (operator, value) {
        (Unary::Plus, value) => Ok(value),
        (Unary::Minus, Constant::Integer(bits, signed)) => Ok(Constant::Integer(bits.wrapping_neg(), signed)),
        (Unary::Minus, Constant::Float(value)) => Ok(Constant::Float(-value)),
        (Unary::Not, Constant::Integer(bits, _)) => Ok(truth(bits == 0)),
        (Unary::BitNot, Constant::Integer(bits, _)) => Ok(Constant::Integer(!bits, false)),
        (Unary::ToSigned, Constant::Integer(bits, _)) => Ok(Constant::Integer(bits, true)),
        (Unary::ToUnsigned, Constant::Integer(bits, _)) => Ok(Constant::Integer(bits, false)),
        (Unary::Not | Unary::BitNot | Unary::ToSigned | Unary::ToUnsigned, Constant::Float(_)) => {
            Err(ConstantError::IntegerExpected)
        }
    }
}

/// Applies a binary operator.
pub(crate) fn binary(operator: Binary, left: Constant, right: Constant) -> Result<Constant, ConstantError> {
    match (left, right) {
        (Constant::Integer(left, left_signed), Constant::Integer(right, right_signed)) => {
            integers(operator, left, left_signed, right, right_signed)
        }
        (Constant::Float(left), Constant::Float(right)) => floats(operator, left, right),
        (Constant::Integer(..), Constant::Float(_)) | (Constant::Float(_), Constant::Integer(..)) => {
            Err(ConstantError::TypeMismatch)
        }
    }
}

fn integers(
    operator: Binary,
    left: u64,
    left_signed: bool,
    right: u64,
    right_signed: bool,
) -> Result<Constant, ConstantError> {
    let signed = left_signed && right_signed;
    let (left_value, right_value) = (left as i64, right as i64);
    let number = |bits| Ok(Constant::Integer(bits, signed));
    let order = if signed {
        left_value.cmp(&right_value)
    } else {
        left.cmp(&right)
    };
    match operator {
        Binary::Divide | Binary::Remainder if right == 0 => Err(ConstantError::DivisionByZero),
        Binary::Multiply => number(left.wrapping_mul(right)),
        Binary::Divide if signed => number(left_value.wrapping_div(right_value) as u64),
        Binary::Divide => number(left / right),
        Binary::Remainder => Ok(Constant::Integer(left % right, false)),
        Binary::Add => number(left.wrapping_add(right)),
        Binary::Subtract => number(left.wrapping_sub(right)),
        Binary::ShiftLeft => Ok(Constant::Integer(left.wrapping_shl(right as u32), left_signed)),
        Binary::ShiftRight if left_signed => Ok(Constant::Integer(left_value.wrapping_shr(right as u32) as u64, true)),
        Binary::ShiftRight => Ok(Constant::Integer(left.wrapping_shr(right as u32), false)),
        Binary::Less => Ok(truth(order.is_lt())),
        Binary::LessEqual => Ok(truth(order.is_le())),
        Binary::Greater => Ok(truth(order.is_gt())),
        Binary::GreaterEqual => Ok(truth(order.is_ge())),
        Binary::Equal => Ok(truth(left == right)),
        Binary::NotEqual => Ok(truth(left != right)),
        Binary::BitAnd => number(left & right),
        Binary::BitXor => number(left ^ right),
        Binary::BitOr => number(left | right),
        Binary::And => Ok(truth(left != 0 && right != 0)),
        Binary::Or => Ok(truth(left != 0 || right != 0)),
    }
}

fn floats(operator: Binary, left: f64, right: f64) -> Result<Constant, ConstantError> {
    match operator {
        Binary::Divide if right == 0.0 => Err(ConstantError::DivisionByZero),
        Binary::Multiply => Ok(Constant::Float(left * right)),
        Binary::Divide => Ok(Constant::Float(left / right)),
        Binary::Add => Ok(Constant::Float(left + right)),
        Binary::Subtract => Ok(Constant::Float(left - right)),
        Binary::Less => Ok(truth(left < right)),
        Binary::LessEqual => Ok(truth(left <= right)),
        Binary::Greater => Ok(truth(left > right)),
        Binary::GreaterEqual => Ok(truth(left >= right)),
        Binary::Equal => Ok(truth(left == right)),
        Binary::NotEqual => Ok(truth(left != right)),
        Binary::Remainder
        | Binary::ShiftLeft
        | Binary::ShiftRight
        | Binary::BitAnd
        | Binary::BitXor
        | Binary::BitOr
        | Binary::And
        | Binary::Or => Err(ConstantError::IntegerExpected),
    }
}

/// `condition ? left : right`, all of them integers; the type is that of the one chosen.
pub(crate) fn select(condition: Constant, left: Constant, right: Constant) -> Result<Constant, ConstantError> {
    match (condition, left, right) {
        (Constant::Integer(condition, _), Constant::Integer(..), Constant::Integer(..)) => {
            Ok(if condition != 0 { left } else { right })
        }
        _ => Err(ConstantError::IntegerExpected),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Result<(u64, bool), ConstantError> {
        match integer(text)? {
            Constant::Integer(bits, signed) => Ok((bits, signed)),
            Constant::Float(_) => panic!("an integer literal became a float"),
        }
    }

    #[test]
    fn integers_in_all_bases() {
        assert_eq!(number("42"), Ok((42, true)));
        assert_eq!(number("0x2aU"), Ok((42, false)));
        assert_eq!(number("052"), Ok((42, true)));
        assert_eq!(number("0b101010"), Ok((42, true)));
        assert_eq!(number("0"), Ok((0, true)));
        assert_eq!(number("9223372036854775808"), Ok((1 << 63, false)));
    }

    #[test]
    fn numbers_beyond_64_bits() {
        assert_eq!(number("18446744073709551617"), Ok((1, true)));
        assert_eq!(number("0x1ffffffffffffffff"), Ok((u64::MAX, false)));
        assert_eq!(number("99999999999999999999"), Err(ConstantError::Overflow));
        assert_eq!(number("0xfffffffffffffffff"), Err(ConstantError::Overflow));
    }

    #[test]
    fn floats_beyond_doubles() {
        assert_eq!(float("1.5e3"), Ok(Constant::Float(1500.0)));
        assert_eq!(float("0.0e-999"), Ok(Constant::Float(0.0)));
        assert_eq!(float("1e400"), Err(ConstantError::Overflow));
        assert_eq!(float("1e-400"), Err(ConstantError::Overflow));
    }

    #[test]
    fn signs_follow_the_usual_conversions() {
        let (minus, two, unsigned) = (
            Constant::Integer(-7i64 as u64, true),
            Constant::Integer(2, true),
            Constant::Integer(2, false),
        );
        assert_eq!(
            binary(Binary::Divide, minus, two),
            Ok(Constant::Integer(-3i64 as u64, true))
        );
        assert_eq!(
            binary(Binary::Divide, minus, unsigned),
            Ok(Constant::Integer(0x7fff_ffff_ffff_fffc, false))
        );
        // Remainders are unsigned always: 2^64 - 7 is a multiple of 3.
        assert_eq!(
            binary(Binary::Remainder, minus, Constant::Integer(3, true)),
            Ok(Constant::Integer(0, false))
        );
        assert_eq!(
            binary(Binary::ShiftLeft, two, Constant::Integer(70, true)),
            Ok(Constant::Integer(128, true))
        );
        assert_eq!(
            binary(Binary::Divide, minus, Constant::Integer(0, true)),
            Err(ConstantError::DivisionByZero)
        );
        assert_eq!(
            binary(Binary::Add, two, Constant::Float(1.0)),
            Err(ConstantError::TypeMismatch)
        );
    }
}
