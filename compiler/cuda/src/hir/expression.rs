//! Expressions: typed, with everything explicit.

use super::ExpressionId;
use super::{
    BindingId, BuiltinId, ClassId, Constant, FieldIndex, FunctionId, QualifiedType, Span, StatementId, StringId,
    TypeId, VariableId,
};

/// Value categories ([basic.lval]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueCategory {
    /// A value, or how to initialise an object.
    PrValue,
    /// An object with an identity.
    LValue,
    /// An object that may be moved from.
    XValue,
}

impl ValueCategory {
    /// Whether it stands for an object.
    pub const fn is_glvalue(self) -> bool {
        !matches!(self, ValueCategory::PrValue)
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expression {
    /// What it does.
    pub kind: ExpressionKind,
    /// Its type, never a reference. Prvalues of other than class and array types have no qualifiers.
    pub ty: QualifiedType,
    /// Its category.
    pub category: ValueCategory,
    /// Where.
    pub span: Span,
}

/// Operators with one operand of a built-in type and a prvalue of the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `-`, of (promoted) integers and floats.
    Negate,
    /// `~`.
    BitNot,
    /// `!`, of `bool`.
    Not,
}

/// Operators with two prvalue operands of one built-in type, which is the result's (shifts: the left one's type is the result's).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
}

/// Comparisons of two prvalues of one scalar type; the result is `bool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// Conversions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CastKind {
    /// Reads an object: glvalue → prvalue of scalar type, or a trivial copy of an object of class type. Of `nullptr_t`, reads nothing.
    LValueToRValue,
    /// Between integers, characters, `bool` → integer, unscoped and scoped enumerations either way (not to `bool`).
    Integral,
    /// Between floating types.
    Floating,
    /// Integer, `bool` or enumeration → floating.
    IntegralToFloating,
    /// Floating → integer or enumeration (not to `bool`).
    FloatingToIntegral,
    /// Any scalar → `bool`.
    ToBool,
    /// Between pointer types with the same representation, and changes of qualifiers.
    Pointer,
    /// Pointer → integer.
    PointerToIntegral,
    /// Integer → pointer.
    IntegralToPointer,
    /// A null pointer constant → pointer or member pointer type.
    NullPointer,
    /// Derived → base, of a glvalue or of a pointer: each step names a direct base of the class before. Of pointers, null stays null.
    DerivedToBase(Vec<ClassId>),
    /// Base → derived, of a glvalue or a pointer: the path as it leads from the derived class to the base.
    BaseToDerived(Vec<ClassId>),
    /// Array glvalue → pointer to its first element.
    ArrayToPointer,
    /// Function glvalue → pointer.
    FunctionToPointer,
    /// The same bits as another type of the same size: `__builtin_bit_cast`, vectors.
    Bit,
    /// A glvalue taken as one of another type (`reinterpret_cast<T &>`), or with other qualifiers.
    Reinterpret,
    /// Member pointer of base → of derived: the path from the derived class to the base.
    MemberPointerToDerived(Vec<ClassId>),
    /// Member pointer of derived → of base.
    MemberPointerToBase(Vec<ClassId>),
    /// Between member pointer types with the same representation.
    MemberPointer,
    /// Anything → `void`: evaluated, dropped.
    ToVoid,
    /// A scalar → a vector with it in all places.
    Splat,
    /// glvalue or prvalue → itself with another qualification or category; nothing happens (an lvalue → xvalue of `std::move`).
    NoOperation,
}

/// What is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function that is known.
    Direct(FunctionId),
    /// The final overrider, for the class of `*arguments[0]`, of a virtual function.
    Virtual(FunctionId),
    /// A prvalue pointer to function.
    Indirect(ExpressionId),
    /// A prvalue pointer to member function; `this`, as a pointer to the class of the member pointer, is the first argument.
    Member(ExpressionId),
}

/// How long a materialised temporary lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// To the end of the full expression.
    FullExpression,
    /// As long as the variable, a reference (or aggregate of such) that it is bound to ([class.temporary]/6).
    Variable(VariableId),
}

/// Where `new` gets its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// From an allocation function: called with the size, then these arguments.
    Function(FunctionId, Vec<ExpressionId>),
    /// From the heap, by the built-in allocation function.
    Heap,
    /// At this place: the non-allocating placement form; a prvalue `void *`.
    Place(ExpressionId),
}

/// One operand of an `asm`.
#[derive(Clone, Debug)]
pub struct AsmOperand {
    /// The constraint as written, such as `=r`, `+l`, `f`, `n` or `0`.
    pub constraint: Box<str>,
    /// The symbolic name of `[name] "r"(e)`.
    pub name: Option<super::Name>,
    /// Outputs: an lvalue. Inputs: a prvalue.
    pub value: ExpressionId,
}

/// What an expression does. Operands are prvalues where not said otherwise.
#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// Stands for an expression in error, after its message.
    Error,
    /// A value: of literals, folded `sizeof`, enumerators, template parameters, `nullptr`. Scalars; classes and arrays as constant objects.
    Constant(Constant),
    /// The lvalue array of a string literal.
    String(StringId),
    /// The lvalue of a variable or parameter, or of what it refers to if it is a reference.
    Variable(VariableId),
    /// The lvalue of a function.
    Function(FunctionId),
    /// `this`.
    This,
    /// The address of the innermost object of a class that an [`ExpressionKind::Aggregate`] around is initialising: `this` in default member initialisers that
    /// aggregate initialisation uses.
    InitialisedObject(ClassId),
    /// A field of a glvalue of class type, or what it refers to if it is a reference.
    Member {
        /// The object.
        object: ExpressionId,
        /// The field.
        field: FieldIndex,
    },
    /// `object.*pointer` of a data member: a glvalue object of the pointer's class and a member pointer.
    MemberPointerAccess {
        /// The object.
        object: ExpressionId,
        /// The member pointer.
        pointer: ExpressionId,
    },
    /// The lvalue that a pointer points to (object or function).
    Dereference(ExpressionId),
    /// The pointer to a glvalue (object or function).
    AddressOf(ExpressionId),
    /// A pointer to a member, `&C::m`: of a field (with the way through anonymous members), as byte offset found by layout.
    MemberPointerField(ClassId, Vec<FieldIndex>),
    /// `&C::f`.
    MemberPointerFunction(FunctionId),
    /// An element of a vector glvalue (as a glvalue) or prvalue.
    VectorElement {
        /// The vector.
        vector: ExpressionId,
        /// Which.
        index: ExpressionId,
    },
    /// An operator with one operand.
    Unary(UnaryOperator, ExpressionId),
    /// An operator with two operands.
    Binary(BinaryOperator, ExpressionId, ExpressionId),
    /// Pointer plus or minus an integer (of any integer type), in elements.
    PointerAdd {
        /// The pointer.
        pointer: ExpressionId,
        /// How many elements.
        index: ExpressionId,
        /// Minus.
        subtract: bool,
    },
    /// The distance of two pointers of the same type in elements, of type `ptrdiff_t`.
    PointerDifference(ExpressionId, ExpressionId),
    /// A comparison of scalars, also of pointers, member pointers (equality only) and `nullptr_t`.
    Compare(Comparison, ExpressionId, ExpressionId),
    /// `&&` on `bool`.
    LogicalAnd(ExpressionId, ExpressionId),
    /// `||` on `bool`.
    LogicalOr(ExpressionId, ExpressionId),
    /// `place = value`, of scalars, bit fields, and class types whose assignment is trivial. The lvalue `place`.
    Assign {
        /// The lvalue written.
        place: ExpressionId,
        /// The prvalue, of the same type.
        value: ExpressionId,
    },
    /// `place op= value`: the place is read and converted to `computation`, the type of `value` (shifts: of the left operand), and the result converted back. The
    /// lvalue `place`. Of pointers (`+=`, `-=`): `value` is the integer, `computation` the pointer's type.
    CompoundAssign {
        /// The operator.
        operator: BinaryOperator,
        /// The lvalue.
        place: ExpressionId,
        /// The right operand.
        value: ExpressionId,
        /// The type computed in.
        computation: TypeId,
    },
    /// `++` and `--` on arithmetic types and pointers: prefix forms are the lvalue, postfix forms the old value.
    Increment {
        /// The lvalue.
        place: ExpressionId,
        /// `--`.
        decrement: bool,
        /// The prefix form.
        prefix: bool,
    },
    /// A conversion.
    Cast(CastKind, ExpressionId),
    /// A call. Functions that return references give glvalues.
    Call {
        /// Of what.
        callee: Callee,
        /// `this`, if it is a member; then one for each parameter: a prvalue of its type, or a glvalue for a reference; then those for `...`.
        arguments: Vec<ExpressionId>,
    },
    /// A compiler builtin.
    Builtin {
        /// Which.
        builtin: BuiltinId,
        /// Prvalues, or what the builtin's row says.
        arguments: Vec<ExpressionId>,
    },
    /// A class prvalue by a constructor that is not trivial.
    Construct {
        /// The constructor.
        constructor: FunctionId,
        /// One for each parameter.
        arguments: Vec<ExpressionId>,
        /// The object is zeroed first (value-initialisation, [dcl.init]/8).
        zero_first: bool,
    },
    /// A class prvalue by aggregate initialisation: of bases and fields, in order. What is not named is left alone. Also of closures.
    Aggregate {
        /// The bases, by place.
        bases: Vec<(usize, ExpressionId)>,
        /// The fields; glvalues for references. Of unions at most one.
        fields: Vec<(FieldIndex, ExpressionId)>,
    },
    /// An array or vector prvalue: its leading elements, then the filler for each of the others (evaluated for each).
    Array {
        /// The first elements.
        elements: Vec<ExpressionId>,
        /// The rest; `None` leaves the rest alone.
        filler: Option<ExpressionId>,
    },
    /// An array prvalue each element of which is `element`, evaluated with [`ExpressionKind::ArrayIndex`] standing for its index: copies of arrays.
    ArrayLoop {
        /// The element's prvalue.
        element: ExpressionId,
    },
    /// The index of the innermost [`ExpressionKind::ArrayLoop`] around: a prvalue `unsigned long`.
    ArrayIndex,
    /// A char array prvalue from a string literal, cut or filled with zeros to the array's size.
    StringArray(StringId),
    /// Zero of any type: value-initialisation without constructor.
    Zero,
    /// An object of a type with trivial default initialisation, left as it is (`new int`, `T x;` in an aggregate).
    Uninitialised,
    /// Makes a temporary of a prvalue: an xvalue (lvalue where bound as such).
    Materialise {
        /// Its value.
        value: ExpressionId,
        /// Until when.
        lifetime: Lifetime,
        /// Run at its end (of arrays, for each element).
        destructor: Option<FunctionId>,
    },
    /// A prvalue of class type that is dropped or has to be destroyed at the end of the full expression without being materialised otherwise: use
    /// [`ExpressionKind::Materialise`]; this is `value` evaluated for its effects, then dropped, then `then`.
    Comma(ExpressionId, ExpressionId),
    /// `condition ? yes : no`: operands of the same type and category.
    Conditional {
        /// A `bool`.
        condition: ExpressionId,
        /// If true.
        yes: ExpressionId,
        /// If false.
        no: ExpressionId,
    },
    /// Evaluates `value` once, then `body`, in which [`ExpressionKind::Bound`] stands for it: `a ?: b` and the like.
    Let {
        /// The binding.
        binding: BindingId,
        /// A scalar prvalue, or a glvalue.
        value: ExpressionId,
        /// Type and category of the whole.
        body: ExpressionId,
    },
    /// What a [`ExpressionKind::Let`] around holds.
    Bound(BindingId),
    /// A GNU statement expression: a block; its value is that of `value`, a full expression evaluated at its end inside the block's scope.
    StatementExpression {
        /// The statements but for the last.
        body: StatementId,
        /// The last, if it is an expression: a prvalue.
        value: Option<ExpressionId>,
    },
    /// `new T` and `new T[n]`: a pointer to the (first) object.
    New {
        /// The element's type.
        allocated: QualifiedType,
        /// Of arrays, how many elements: an `unsigned long`.
        count: Option<ExpressionId>,
        /// Where from.
        allocation: Allocation,
        /// The prvalue that initialises the object, or each element of an array; for arrays with a list of initialisers, an array prvalue of constant size.
        initialiser: Option<ExpressionId>,
        /// Of array forms: the elements' destructor, for which the count is kept in front of them (Itanium C++ ABI 2.7).
        element_destructor: Option<FunctionId>,
    },
    /// `delete p` and `delete[] p`, of type `void`.
    Delete {
        /// The pointer; null does nothing.
        pointer: ExpressionId,
        /// `delete[]`.
        array: bool,
        /// The destructor of the (elements') class, unless trivial.
        destructor: Option<FunctionId>,
        /// Called through the virtual table.
        virtual_destructor: bool,
        /// A deallocation function in place of the built-in one.
        deallocation: Option<FunctionId>,
    },
    /// `p->~T()`: on a glvalue; of type `void`.
    Destroy {
        /// The object.
        object: ExpressionId,
        /// The destructor; `None` for scalars and trivial ones: only evaluates.
        destructor: Option<FunctionId>,
        /// Called through the virtual table.
        is_virtual: bool,
    },
    /// `kernel<<<…>>>(…)`, of type `void`. Of the host's launches no code is made.
    Launch {
        /// The call of the kernel.
        call: ExpressionId,
        /// Grid, block, bytes of shared memory and stream, as far as they are written.
        configuration: Vec<ExpressionId>,
    },
    /// `typeid`, exceptions and the like: what is legal but not supported in device code is refused when code is generated from it.
    Unsupported(Box<str>),
    /// The value of a `va_arg`: reads the next variable argument from an lvalue `va_list`.
    VariableArgument(ExpressionId),
    /// Whether constant evaluation is going on: `__builtin_is_constant_evaluated()`.
    IsConstantEvaluated,
}
