//! Types: interned, canonical. Names of typedefs are not kept.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::{ClassId, EnumId};

/// An unqualified type, interned in [`Types`]: equal ids are equal types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(u32);

impl TypeId {
    /// The type with no qualifiers.
    pub const fn unqualified(self) -> QualifiedType {
        QualifiedType {
            id: self,
            qualifiers: Qualifiers::NONE,
        }
    }
    /// The type with `const`.
    pub const fn constant(self) -> QualifiedType {
        QualifiedType {
            id: self,
            qualifiers: Qualifiers::CONST,
        }
    }
    /// The place in the table of types.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of `const`, `volatile` and `__restrict__`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Qualifiers(u8);

impl Qualifiers {
    /// No qualifier.
    pub const NONE: Qualifiers = Qualifiers(0);
    /// `const`.
    pub const CONST: Qualifiers = Qualifiers(1);
    /// `volatile`.
    pub const VOLATILE: Qualifiers = Qualifiers(2);
    /// `__restrict__`, of pointers and references.
    pub const RESTRICT: Qualifiers = Qualifiers(4);

    /// Whether all of `other` are in this set.
    pub const fn contains(self, other: Qualifiers) -> bool {
        self.0 & other.0 == other.0
    }
    /// Both sets together.
    pub const fn with(self, other: Qualifiers) -> Qualifiers {
        Qualifiers(self.0 | other.0)
    }
    /// This set less the other.
    pub const fn without(self, other: Qualifiers) -> Qualifiers {
        Qualifiers(self.0 & !other.0)
    }
    /// What is in both.
    pub const fn common(self, other: Qualifiers) -> Qualifiers {
        Qualifiers(self.0 & other.0)
    }
    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// Whether `const` is there.
    pub const fn is_const(self) -> bool {
        self.contains(Qualifiers::CONST)
    }
    /// Whether `volatile` is there.
    pub const fn is_volatile(self) -> bool {
        self.contains(Qualifiers::VOLATILE)
    }
    /// Whether `__restrict__` is there.
    pub const fn is_restrict(self) -> bool {
        self.contains(Qualifiers::RESTRICT)
    }
}

/// A type with its qualifiers. Arrays carry none: those of an array are its element's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QualifiedType {
    /// The type.
    pub id: TypeId,
    /// What is said about it.
    pub qualifiers: Qualifiers,
}

impl QualifiedType {
    /// The same with more qualifiers. For arrays use [`Types::qualify`].
    pub const fn with(self, qualifiers: Qualifiers) -> QualifiedType {
        QualifiedType {
            id: self.id,
            qualifiers: self.qualifiers.with(qualifiers),
        }
    }
    /// The same with none.
    pub const fn unqualified(self) -> QualifiedType {
        self.id.unqualified()
    }
    /// Whether it is `const`.
    pub const fn is_const(self) -> bool {
        self.qualifiers.is_const()
    }
    /// Whether it is `volatile`.
    pub const fn is_volatile(self) -> bool {
        self.qualifiers.is_volatile()
    }
}

impl From<TypeId> for QualifiedType {
    fn from(id: TypeId) -> QualifiedType {
        id.unqualified()
    }
}

/// The integer types, characters among them. `bool` is [`Type::Bool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // The names are those of the language.
pub enum IntegerKind {
    Char,
    SignedChar,
    UnsignedChar,
    WideChar,
    Char8,
    Char16,
    Char32,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
}

impl IntegerKind {
    /// All kinds.
    #[rustfmt::skip]
    pub const ALL: [IntegerKind; 17] = {
        use IntegerKind::{Char, Char8, Char16, Char32, Int, Int128, Long, LongLong, Short, SignedChar, UnsignedChar, UnsignedInt, UnsignedInt128, UnsignedLong, UnsignedLongLong, UnsignedShort, WideChar};
        [Char, SignedChar, UnsignedChar, WideChar, Char8, Char16, Char32, Short, UnsignedShort, Int, UnsignedInt, Long, UnsignedLong, LongLong, UnsignedLongLong, Int128, UnsignedInt128]
    };

    /// Width in bits (LP64).
    pub const fn bits(self) -> u32 {
        use IntegerKind as K;
        match self {
            K::Char | K::SignedChar | K::UnsignedChar | K::Char8 => 8,
            K::Char16 | K::Short | K::UnsignedShort => 16,
            K::WideChar | K::Char32 | K::Int | K::UnsignedInt => 32,
            K::Long | K::UnsignedLong | K::LongLong | K::UnsignedLongLong => 64,
            K::Int128 | K::UnsignedInt128 => 128,
        }
    }
    /// Whether values may be negative; `char` is signed, as on x86-64.
    pub const fn is_signed(self) -> bool {
        use IntegerKind as K;
        matches!(
            self,
            K::Char | K::SignedChar | K::WideChar | K::Short | K::Int | K::Long | K::LongLong | K::Int128
        )
    }
    /// The conversion rank ([conv.rank]): of two types the one with the greater rank wins.
    pub const fn rank(self) -> u32 {
        use IntegerKind as K;
        match self {
            K::Char | K::SignedChar | K::UnsignedChar | K::Char8 => 1,
            K::Char16 | K::Short | K::UnsignedShort => 2,
            K::WideChar | K::Char32 | K::Int | K::UnsignedInt => 3,
            K::Long | K::UnsignedLong => 4,
            K::LongLong | K::UnsignedLongLong => 5,
            K::Int128 | K::UnsignedInt128 => 6,
        }
    }
    /// The unsigned type of the same rank.
    pub const fn to_unsigned(self) -> IntegerKind {
        use IntegerKind as K;
        match self {
            K::Char | K::SignedChar | K::UnsignedChar | K::Char8 => K::UnsignedChar,
            K::Short | K::UnsignedShort | K::Char16 => K::UnsignedShort,
            K::Int | K::UnsignedInt | K::WideChar | K::Char32 => K::UnsignedInt,
            K::Long | K::UnsignedLong => K::UnsignedLong,
            K::LongLong | K::UnsignedLongLong => K::UnsignedLongLong,
            K::Int128 | K::UnsignedInt128 => K::UnsignedInt128,
        }
    }
    /// The signed type of the same rank.
    pub const fn to_signed(self) -> IntegerKind {
        use IntegerKind as K;
        match self {
            K::Char | K::SignedChar | K::UnsignedChar | K::Char8 => K::SignedChar,
            K::Short | K::UnsignedShort | K::Char16 => K::Short,
            K::Int | K::UnsignedInt | K::WideChar | K::Char32 => K::Int,
            K::Long | K::UnsignedLong => K::Long,
            K::LongLong | K::UnsignedLongLong => K::LongLong,
            K::Int128 | K::UnsignedInt128 => K::Int128,
        }
    }
    /// As users write it.
    pub const fn spelling(self) -> &'static str {
        use IntegerKind as K;
        match self {
            K::Char => "char",
            K::SignedChar => "signed char",
            K::UnsignedChar => "unsigned char",
            K::WideChar => "wchar_t",
            K::Char8 => "char8_t",
            K::Char16 => "char16_t",
            K::Char32 => "char32_t",
            K::Short => "short",
            K::UnsignedShort => "unsigned short",
            K::Int => "int",
            K::UnsignedInt => "unsigned int",
            K::Long => "long",
            K::UnsignedLong => "unsigned long",
            K::LongLong => "long long",
            K::UnsignedLongLong => "unsigned long long",
            K::Int128 => "__int128",
            K::UnsignedInt128 => "unsigned __int128",
        }
    }
    /// Brings a value into the type's range: wraps modulo 2^bits, then extends by the type's sign. Values of `unsigned __int128` keep their bits.
    pub const fn wrap(self, value: i128) -> i128 {
        let bits = self.bits();
        if bits == 128 {
            return value;
        }
        let shift = 128 - bits;
        if self.is_signed() {
            (value << shift) >> shift
        } else {
            (((value as u128) << shift) >> shift) as i128
        }
    }
}

/// The floating types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FloatKind {
    /// `_Float16`.
    Half,
    /// `__bf16`.
    BFloat16,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// `long double`: a type of its own with the values of `double`, as in NVIDIA's device code.
    LongDouble,
    /// `__float128`, of the host's code: in device code its values are refused. Constants of it have the precision of `double`.
    Float128,
}

impl FloatKind {
    /// All kinds.
    pub const ALL: [FloatKind; 6] = [
        FloatKind::Half,
        FloatKind::BFloat16,
        FloatKind::Float,
        FloatKind::Double,
        FloatKind::LongDouble,
        FloatKind::Float128,
    ];
    /// Width in bits of the value that is computed with. (`long double` and `__float128` fill 16 bytes of memory, so that layouts agree with the host's.)
    pub const fn bits(self) -> u32 {
        match self {
            FloatKind::Half | FloatKind::BFloat16 => 16,
            FloatKind::Float => 32,
            FloatKind::Double | FloatKind::LongDouble | FloatKind::Float128 => 64,
        }
    }
    /// The rank of the usual arithmetic conversions.
    pub const fn rank(self) -> u32 {
        match self {
            FloatKind::Half => 1,
            FloatKind::BFloat16 => 2,
            FloatKind::Float => 3,
            FloatKind::Double => 4,
            FloatKind::LongDouble => 5,
            FloatKind::Float128 => 6,
        }
    }
    /// As users write it.
    pub const fn spelling(self) -> &'static str {
        match self {
            FloatKind::Half => "_Float16",
            FloatKind::BFloat16 => "__bf16",
            FloatKind::Float => "float",
            FloatKind::Double => "double",
            FloatKind::LongDouble => "long double",
            FloatKind::Float128 => "__float128",
        }
    }
}

/// The reference qualifier of a member function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum RefQualifier {
    /// None.
    #[default]
    None,
    /// `&`.
    LValue,
    /// `&&`.
    RValue,
}

/// A function's type. Parameter types are adjusted: no arrays, functions or top-level qualifiers ([dcl.fct]/5).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// What it returns; may be a reference.
    pub result: QualifiedType,
    /// The parameters, without `this`.
    pub parameters: Vec<QualifiedType>,
    /// Whether it ends in `...`.
    pub variadic: bool,
    /// `const` and `volatile` of a member function.
    pub qualifiers: Qualifiers,
    /// `&` or `&&` of a member function.
    pub reference: RefQualifier,
    /// Whether it is `noexcept`; part of the type since C++17.
    pub noexcept: bool,
}

impl FunctionType {
    /// A function that is no member and nothing special.
    pub fn new(result: QualifiedType, parameters: Vec<QualifiedType>) -> FunctionType {
        FunctionType {
            result,
            parameters,
            variadic: false,
            qualifiers: Qualifiers::NONE,
            reference: RefQualifier::None,
            noexcept: false,
        }
    }
}

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Of an expression that was in error; converts to and from everything without another message.
    Error,
    /// `auto`, not yet deduced.
    Auto,
    /// `decltype(auto)`, not yet deduced.
    DecltypeAuto,
    /// `void`.
    Void,
    /// `decltype(nullptr)`.
    NullPointer,
    /// `bool`.
    Bool,
    /// An integer or character.
    Integer(IntegerKind),
    /// A floating type.
    Float(FloatKind),
    /// A pointer.
    Pointer(QualifiedType),
    /// `T &`.
    LValueReference(QualifiedType),
    /// `T &&`.
    RValueReference(QualifiedType),
    /// `T [n]`, or `T []` without a bound.
    Array(QualifiedType, Option<u64>),
    /// A function.
    Function(FunctionType),
    /// A pointer to a member: of function type, a pointer to a member function.
    MemberPointer {
        /// Of which class.
        class: ClassId,
        /// The member's type.
        pointee: QualifiedType,
    },
    /// A class, struct or union.
    Class(ClassId),
    /// An enumeration.
    Enum(EnumId),
    /// A GNU vector of so many elements.
    Vector(TypeId, u32),
}

/// The table of types.
#[derive(Clone, Debug)]
pub struct Types {
    all: Vec<Type>,
    known: HashMap<Type, TypeId, FxBuildHasher>,
}

macro_rules! fixed {
    ($($(#[$doc:meta])* $name:ident = $index:expr, $kind:expr;)*) => {
        impl Types {
            $($(#[$doc])* pub const $name: TypeId = TypeId($index);)*
            /// The types that always have the same ids, in order.
            fn fixed() -> Vec<Type> {
                vec![$($kind),*]
            }
        }
    };
}
fixed! {
    /// The type of what was in error.
    ERROR = 0, Type::Error;
    /// `auto`.
    AUTO = 1, Type::Auto;
    /// `decltype(auto)`.
    DECLTYPE_AUTO = 2, Type::DecltypeAuto;
    /// `void`.
    VOID = 3, Type::Void;
    /// `decltype(nullptr)`.
    NULL_POINTER = 4, Type::NullPointer;
    /// `bool`.
    BOOL = 5, Type::Bool;
    /// `char`.
    CHAR = 6, Type::Integer(IntegerKind::Char);
    /// `signed char`.
    SIGNED_CHAR = 7, Type::Integer(IntegerKind::SignedChar);
    /// `unsigned char`.
    UNSIGNED_CHAR = 8, Type::Integer(IntegerKind::UnsignedChar);
    /// `wchar_t`.
    WIDE_CHAR = 9, Type::Integer(IntegerKind::WideChar);
    /// `char8_t`.
    CHAR8 = 10, Type::Integer(IntegerKind::Char8);
    /// `char16_t`.
    CHAR16 = 11, Type::Integer(IntegerKind::Char16);
    /// `char32_t`.
    CHAR32 = 12, Type::Integer(IntegerKind::Char32);
    /// `short`.
    SHORT = 13, Type::Integer(IntegerKind::Short);
    /// `unsigned short`.
    UNSIGNED_SHORT = 14, Type::Integer(IntegerKind::UnsignedShort);
    /// `int`.
    INT = 15, Type::Integer(IntegerKind::Int);
    /// `unsigned int`.
    UNSIGNED_INT = 16, Type::Integer(IntegerKind::UnsignedInt);
    /// `long`.
    LONG = 17, Type::Integer(IntegerKind::Long);
    /// `unsigned long`, which is `size_t`.
    UNSIGNED_LONG = 18, Type::Integer(IntegerKind::UnsignedLong);
    /// `long long`.
    LONG_LONG = 19, Type::Integer(IntegerKind::LongLong);
    /// `unsigned long long`.
    UNSIGNED_LONG_LONG = 20, Type::Integer(IntegerKind::UnsignedLongLong);
    /// `__int128`.
    INT128 = 21, Type::Integer(IntegerKind::Int128);
    /// `unsigned __int128`.
    UNSIGNED_INT128 = 22, Type::Integer(IntegerKind::UnsignedInt128);
    /// `_Float16`.
    HALF = 23, Type::Float(FloatKind::Half);
    /// `__bf16`.
    BFLOAT16 = 24, Type::Float(FloatKind::BFloat16);
    /// `float`.
    FLOAT = 25, Type::Float(FloatKind::Float);
    /// `double`.
    DOUBLE = 26, Type::Float(FloatKind::Double);
    /// `long double`.
    LONG_DOUBLE = 27, Type::Float(FloatKind::LongDouble);
    /// `__float128`.
    FLOAT128 = 28, Type::Float(FloatKind::Float128);
}

impl Default for Types {
    fn default() -> Types {
        Types::new()
    }
}

impl Types {
    /// A table with the fundamental types.
    pub fn new() -> Types {
        let all = Types::fixed();
        let known = all
            .iter()
            .enumerate()
            .map(|(index, kind)| (kind.clone(), TypeId(index as u32)))
            .collect();
        Types { all, known }
    }

    /// The id of a type.
    pub fn intern(&mut self, kind: Type) -> TypeId {
        if let Some(&id) = self.known.get(&kind) {
            return id;
        }
        let id = TypeId(self.all.len() as u32);
        self.all.push(kind.clone());
        self.known.insert(kind, id);
        id
    }
    /// The type of a class, if it has been made.
    pub fn known_class(&self, class: ClassId) -> Option<TypeId> {
        self.known.get(&Type::Class(class)).copied()
    }
    /// What a type is.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.all[id.index()]
    }
    /// An integer type.
    pub fn integer(&self, kind: IntegerKind) -> TypeId {
        let place = IntegerKind::ALL
            .iter()
            .position(|&other| other == kind)
            .unwrap_or_default();
        TypeId(Types::CHAR.0 + place as u32)
    }
    /// A floating type.
    pub fn float(&self, kind: FloatKind) -> TypeId {
        let place = FloatKind::ALL
            .iter()
            .position(|&other| other == kind)
            .unwrap_or_default();
        TypeId(Types::HALF.0 + place as u32)
    }
    /// A pointer to a type.
    pub fn pointer(&mut self, to: impl Into<QualifiedType>) -> TypeId {
        self.intern(Type::Pointer(to.into()))
    }
    /// `to &`; of a reference, collapsed ([dcl.ref]/6).
    pub fn lvalue_reference(&mut self, to: impl Into<QualifiedType>) -> TypeId {
        let to = to.into();
        match *self.get(to.id) {
            Type::LValueReference(_) => to.id,
            Type::RValueReference(inner) => self.intern(Type::LValueReference(inner)),
            _ => self.intern(Type::LValueReference(to)),
        }
    }
    /// `to &&`; of a reference, the same reference ([dcl.ref]/6).
    pub fn rvalue_reference(&mut self, to: impl Into<QualifiedType>) -> TypeId {
        let to = to.into();
        match *self.get(to.id) {
            Type::LValueReference(_) | Type::RValueReference(_) => to.id,
            _ => self.intern(Type::RValueReference(to)),
        }
    }
    /// `element [count]`.
    pub fn array(&mut self, element: impl Into<QualifiedType>, count: Option<u64>) -> TypeId {
        self.intern(Type::Array(element.into(), count))
    }
    /// A function type.
    pub fn function(&mut self, function: FunctionType) -> TypeId {
        self.intern(Type::Function(function))
    }
    /// The type of a class.
    pub fn class(&mut self, class: ClassId) -> TypeId {
        self.intern(Type::Class(class))
    }
    /// The type of an enumeration.
    pub fn enumeration(&mut self, enumeration: EnumId) -> TypeId {
        self.intern(Type::Enum(enumeration))
    }
    /// A pointer to a member of a class.
    pub fn member_pointer(&mut self, class: ClassId, pointee: impl Into<QualifiedType>) -> TypeId {
        self.intern(Type::MemberPointer {
            class,
            pointee: pointee.into(),
        })
    }

    /// Adds qualifiers where they belong: on an array's element, not on references or functions.
    pub fn qualify(&mut self, to: QualifiedType, qualifiers: Qualifiers) -> QualifiedType {
        if qualifiers.is_empty() {
            return to;
        }
        match *self.get(to.id) {
            Type::Array(element, count) => {
                let element = self.qualify(element, qualifiers);
                self.array(element, count).unqualified()
            }
            Type::LValueReference(_) | Type::RValueReference(_) => to.with(qualifiers.common(Qualifiers::RESTRICT)),
            Type::Function(_) => to,
            _ => to.with(qualifiers),
        }
    }
    /// The qualifiers of an object of this type: of an array, its element's.
    pub fn qualifiers_of(&self, of: QualifiedType) -> Qualifiers {
        match *self.get(of.id) {
            Type::Array(element, _) => self.qualifiers_of(element),
            _ => of.qualifiers,
        }
    }
    /// The type without `const` and `volatile` of its own, or of its element if an array.
    pub fn remove_qualifiers(&mut self, of: QualifiedType) -> QualifiedType {
        match *self.get(of.id) {
            Type::Array(element, count) => {
                let element = self.remove_qualifiers(element);
                self.array(element, count).unqualified()
            }
            _ => of.unqualified(),
        }
    }
    /// What a reference refers to; any other type itself.
    pub fn strip_reference(&self, of: QualifiedType) -> QualifiedType {
        match *self.get(of.id) {
            Type::LValueReference(to) | Type::RValueReference(to) => to,
            _ => of,
        }
    }
    /// What a pointer points to.
    pub fn pointee(&self, id: TypeId) -> Option<QualifiedType> {
        match *self.get(id) {
            Type::Pointer(to) => Some(to),
            _ => None,
        }
    }
    /// The element of an array.
    pub fn element(&self, id: TypeId) -> Option<QualifiedType> {
        match *self.get(id) {
            Type::Array(element, _) => Some(element),
            _ => None,
        }
    }
    /// The function type that this is.
    pub fn as_function(&self, id: TypeId) -> Option<&FunctionType> {
        match self.get(id) {
            Type::Function(function) => Some(function),
            _ => None,
        }
    }
    /// The class that this is.
    pub fn as_class(&self, id: TypeId) -> Option<ClassId> {
        match *self.get(id) {
            Type::Class(class) => Some(class),
            _ => None,
        }
    }
    /// The enumeration that this is.
    pub fn as_enum(&self, id: TypeId) -> Option<EnumId> {
        match *self.get(id) {
            Type::Enum(enumeration) => Some(enumeration),
            _ => None,
        }
    }
    /// Whether this is a reference.
    pub fn is_reference(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::LValueReference(_) | Type::RValueReference(_))
    }
    /// Whether this is `bool`, an integer or a character; not an enumeration.
    pub fn is_integral(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Bool | Type::Integer(_))
    }
    /// Whether this is a floating type.
    pub fn is_floating(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Float(_))
    }
    /// Whether this is integral or floating.
    pub fn is_arithmetic(&self, id: TypeId) -> bool {
        self.is_integral(id) || self.is_floating(id)
    }
    /// Whether this is a scalar: arithmetic, enumeration, pointer, member pointer or `nullptr_t` ([basic.types]/9).
    pub fn is_scalar(&self, id: TypeId) -> bool {
        matches!(
            self.get(id),
            Type::Bool
                | Type::Integer(_)
                | Type::Float(_)
                | Type::Enum(_)
                | Type::Pointer(_)
                | Type::MemberPointer { .. }
                | Type::NullPointer
        )
    }
}
