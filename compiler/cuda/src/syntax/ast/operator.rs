//! Operators of expressions.

/// A binary operator, by falling precedence. Assignments are [`super::ExpressionKind::Assign`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the operator of its name; see `spelling`")]
pub enum BinaryOperator {
    DotStar,
    ArrowStar,
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    ThreeWay,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    LogicalAnd,
    LogicalOr,
    Comma,
}

impl BinaryOperator {
    /// The text.
    #[rustfmt::skip]
    pub const fn spelling(self) -> &'static str {
        match self {
            BinaryOperator::DotStar => ".*", BinaryOperator::ArrowStar => "->*",
            BinaryOperator::Multiply => "*", BinaryOperator::Divide => "/", BinaryOperator::Remainder => "%",
            BinaryOperator::Add => "+", BinaryOperator::Subtract => "-",
            BinaryOperator::ShiftLeft => "<<", BinaryOperator::ShiftRight => ">>",
            BinaryOperator::ThreeWay => "<=>",
            BinaryOperator::Less => "<", BinaryOperator::Greater => ">", BinaryOperator::LessEqual => "<=", BinaryOperator::GreaterEqual => ">=",
            BinaryOperator::Equal => "==", BinaryOperator::NotEqual => "!=",
            BinaryOperator::BitAnd => "&", BinaryOperator::BitXor => "^", BinaryOperator::BitOr => "|",
            BinaryOperator::LogicalAnd => "&&", BinaryOperator::LogicalOr => "||",
            BinaryOperator::Comma => ",",
        }
    }

    /// How tightly it binds: a higher number binds tighter. Comma is 1; assignment and the conditional operator lie between it and `||` (3).
    #[rustfmt::skip]
    pub const fn precedence(self) -> u8 {
        match self {
            BinaryOperator::Comma => 1,
            BinaryOperator::LogicalOr => 3,
            BinaryOperator::LogicalAnd => 4,
            BinaryOperator::BitOr => 5,
            BinaryOperator::BitXor => 6,
            BinaryOperator::BitAnd => 7,
            BinaryOperator::Equal | BinaryOperator::NotEqual => 8,
            BinaryOperator::Less | BinaryOperator::Greater | BinaryOperator::LessEqual | BinaryOperator::GreaterEqual => 9,
            BinaryOperator::ThreeWay => 10,
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => 11,
            BinaryOperator::Add | BinaryOperator::Subtract => 12,
            BinaryOperator::Multiply | BinaryOperator::Divide | BinaryOperator::Remainder => 13,
            BinaryOperator::DotStar | BinaryOperator::ArrowStar => 14,
        }
    }
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `+x`.
    Plus,
    /// `-x`.
    Minus,
    /// `~x`.
    Complement,
    /// `!x`.
    Not,
    /// `*x`.
    Dereference,
    /// `&x`.
    AddressOf,
    /// `++x`.
    PreIncrement,
    /// `--x`.
    PreDecrement,
    /// `x++`.
    PostIncrement,
    /// `x--`.
    PostDecrement,
    /// `__real__ x`.
    Real,
    /// `__imag__ x`.
    Imaginary,
    /// `__extension__ x`: says nothing.
    Extension,
}

impl UnaryOperator {
    /// The text.
    pub const fn spelling(self) -> &'static str {
        match self {
            UnaryOperator::Plus => "+",
            UnaryOperator::Minus => "-",
            UnaryOperator::Complement => "~",
            UnaryOperator::Not => "!",
            UnaryOperator::Dereference => "*",
            UnaryOperator::AddressOf => "&",
            UnaryOperator::PreIncrement | UnaryOperator::PostIncrement => "++",
            UnaryOperator::PreDecrement | UnaryOperator::PostDecrement => "--",
            UnaryOperator::Real => "__real__",
            UnaryOperator::Imaginary => "__imag__",
            UnaryOperator::Extension => "__extension__",
        }
    }

    /// Whether it stands after its operand.
    pub const fn is_postfix(self) -> bool {
        matches!(self, UnaryOperator::PostIncrement | UnaryOperator::PostDecrement)
    }
}
