//! Standard conversion sequences ([conv], [over.ics.scs]) and how good they are ([over.ics.rank]).

use crate::hir::{ClassId, Program, QualifiedType, Qualifiers, RefQualifier, Type, TypeId, Types, ValueCategory};
use crate::sema::class::BASE_DEPTH;

use super::arithmetic::{
    integer_kind, is_arithmetic_or_unscoped, is_integral_or_unscoped, is_unscoped_enumeration, promoted,
};

/// What a conversion starts from: an expression, as far as conversions look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// The type, never a reference.
    pub(crate) ty: QualifiedType,
    /// The category.
    pub(crate) category: ValueCategory,
    /// Whether it is a null pointer constant ([conv.ptr]/1): the literal `0` or a prvalue of `nullptr_t`.
    pub(crate) is_null_constant: bool,
    /// Whether it is a string literal, which may become a pointer to non-const in C and, with a warning, in old C++.
    pub(crate) is_string: bool,
    /// The width, if it is a bit field.
    pub(crate) bit_field: Option<u32>,
}

impl Source {
    /// An expression with nothing special.
    pub(crate) fn new(ty: QualifiedType, category: ValueCategory) -> Source {
        Source {
            ty,
            category,
            is_null_constant: false,
            is_string: false,
            bit_field: None,
        }
    }
}

/// The first step of a standard conversion sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum First {
    /// Nothing to do.
    None,
    /// [conv.lval].
    LvalueToRvalue,
    /// [conv.array].
    ArrayToPointer,
    /// [conv.func].
    FunctionToPointer,
}

/// The second step: what changes the type beyond qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Second {
    /// Nothing to do.
    None,
    /// [conv.prom].
    IntegralPromotion,
    /// [conv.fpprom].
    FloatingPromotion,
    /// [conv.integral].
    Integral,
    /// [conv.double].
    Floating,
    /// [conv.fpint], floating to integral.
    FloatingToIntegral,
    /// [conv.fpint], integral to floating.
    IntegralToFloating,
    /// A null pointer constant to a pointer, a member pointer or `nullptr_t` ([conv.ptr]/1, [conv.mem]/1).
    Null,
    /// To `void *` ([conv.ptr]/2).
    PointerToVoid,
    /// Pointer to derived to pointer to base ([conv.ptr]/3).
    DerivedToBasePointer,
    /// Member of base to member of derived ([conv.mem]/2).
    MemberPointer,
    /// To `bool` ([conv.bool]).
    Boolean,
    /// A class to one of its bases: only as the parameter of a function or as a reference's binding ([over.best.ics]/6).
    DerivedToBase,
}

/// The rank of a conversion ([over.ics.scs]/3): smaller is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// Exact match.
    Exact,
    /// Promotion.
    Promotion,
    /// Conversion.
    Conversion,
}

/// How a reference is bound, for ranking ([over.ics.rank]/3.2.3 and following).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    /// The reference is an rvalue reference.
    pub(crate) rvalue_reference: bool,
    /// What it is bound to is an rvalue.
    pub(crate) to_rvalue: bool,
    /// What it is bound to is a function.
    pub(crate) to_function: bool,
    /// It is the implicit object parameter of a member function without `&` or `&&`.
    pub(crate) plain_object: bool,
    /// It is bound to the object itself, or to one of its bases, not to a temporary made by a conversion.
    pub(crate) direct: bool,
}

/// A standard conversion sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standard {
    /// The first step.
    pub(crate) first: First,
    /// The second step.
    pub(crate) second: Second,
    /// Whether qualifiers or `noexcept` change at the end ([conv.qual], [conv.fctptr]).
    pub(crate) qualification: bool,
    /// The type after the first step.
    pub(crate) from: QualifiedType,
    /// The type at the end; of a reference, what it refers to.
    pub(crate) to: QualifiedType,
    /// If a reference is bound.
    pub(crate) binding: Option<Binding>,
    /// A pointer or member pointer becomes `bool`, which is worse than other conversions ([over.ics.rank]/4.1).
    pub(crate) pointer_to_bool: bool,
    /// A string literal becomes a pointer to what is not `const`: worse than any conversion that keeps it.
    pub(crate) string_to_mutable: bool,
}

impl Standard {
    /// The identity conversion of a type.
    pub(crate) fn identity(ty: QualifiedType) -> Standard {
        Standard {
            first: First::None,
            second: Second::None,
            qualification: false,
            from: ty,
            to: ty,
            binding: None,
            pointer_to_bool: false,
            string_to_mutable: false,
        }
    }

    /// The rank.
    pub(crate) fn rank(&self) -> Rank {
        match self.second {
            Second::None if self.string_to_mutable => Rank::Conversion,
            Second::None => Rank::Exact,
            Second::IntegralPromotion | Second::FloatingPromotion => Rank::Promotion,
            Second::Integral
            | Second::Floating
            | Second::FloatingToIntegral
            | Second::IntegralToFloating
            | Second::Null
            | Second::PointerToVoid
            | Second::DerivedToBasePointer
            | Second::MemberPointer
            | Second::Boolean
            | Second::DerivedToBase => Rank::Conversion,
        }
    }

    /// Whether nothing changes but lvalue transformations.
    pub(crate) fn is_identity(&self) -> bool {
        self.second == Second::None && !self.qualification
    }
}

/// The way from a class to a base of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BasePath {
    /// It is no base.
    None,
    /// The steps, each a direct base of the class before; empty for the class itself.
    Unique(Vec<ClassId>),
    /// There is more than one such subobject.
    Ambiguous,
}

/// Looks for `base` among the bases of `derived`, which should be complete. Virtual bases count once.
pub(crate) fn base_path(program: &Program, derived: ClassId, base: ClassId) -> BasePath {
    if derived == base {
        return BasePath::Unique(Vec::new());
    }
    let mut found: Option<(Vec<ClassId>, Option<usize>)> = None;
    let mut ambiguous = false;
    let mut path = Vec::new();
    search_bases(program, derived, base, &mut path, None, &mut found, &mut ambiguous);
    match (found, ambiguous) {
        (None, _) => BasePath::None,
        (Some(_), true) => BasePath::Ambiguous,
        (Some((path, _)), false) => BasePath::Unique(path),
    }
}

/// Depth-first search; `last_virtual` is the length of the path up to the last virtual step, from which on the subobject is shared.
fn search_bases(
    program: &Program,
    at: ClassId,
    base: ClassId,
    path: &mut Vec<ClassId>,
    last_virtual: Option<usize>,
    found: &mut Option<(Vec<ClassId>, Option<usize>)>,
    ambiguous: &mut bool,
) {
    if path.len() > BASE_DEPTH {
        return;
    }
    for direct in &program.class(at).bases {
        path.push(direct.class);
        let shared = if direct.is_virtual {
            Some(path.len())
        } else {
            last_virtual
        };
        if direct.class == base {
            match found {
                None => *found = Some((path.clone(), shared)),
                Some((other, other_shared)) => {
                    let same = match (shared, *other_shared) {
                        (Some(a), Some(b)) => path[a - 1..] == other[b - 1..],
                        _ => false,
                    };
                    *ambiguous |= !same;
                }
            }
        } else {
            search_bases(program, direct.class, base, path, shared, found, ambiguous);
        }
        path.pop();
    }
}

/// Whether one class is derived from another, not itself.
pub(crate) fn is_derived_from(program: &Program, derived: ClassId, base: ClassId) -> bool {
    derived != base && base_path(program, derived, base) != BasePath::None
}

/// Compares two types level by level: `None` if they are not similar ([conv.qual]/1) or the conversion would take qualifiers away or is unsafe
/// ([conv.qual]/3); otherwise whether qualifiers change. `__restrict__` counts for nothing.
///
/// ```text
/// int *, const int * → Some(true)      int **, const int ** → None      int **, const int *const * → Some(true)
/// ```
pub(crate) fn qualification(types: &Types, from: TypeId, to: TypeId) -> Option<bool> {
    let (mut from, mut to) = (from, to);
    let mut changed = false;
    let mut all_const = true;
    while from != to {
        let (a, b) = level(types, from, to)?;
        let (qa, qb) = (significant(types, a), significant(types, b));
        if !qb.contains(qa) || (qa != qb && !all_const) {
            return None;
        }
        changed |= qa != qb;
        all_const &= qb.is_const();
        (from, to) = (a.id, b.id);
    }
    Some(changed)
}

/// Whether two types are the same but for qualifiers on any level ([conv.qual]/2).
pub(crate) fn is_similar(types: &Types, a: TypeId, b: TypeId) -> bool {
    let (mut a, mut b) = (a, b);
    while a != b {
        match level(types, a, b) {
            Some((next_a, next_b)) => (a, b) = (next_a.id, next_b.id),
            None => return false,
        }
    }
    true
}

/// What both types are made of, if they are pointers, member pointers of one class, or arrays of one bound.
fn level(types: &Types, a: TypeId, b: TypeId) -> Option<(QualifiedType, QualifiedType)> {
    match (types.get(a), types.get(b)) {
        (&Type::Pointer(a), &Type::Pointer(b)) => Some((a, b)),
        (&Type::MemberPointer { class: c, pointee: a }, &Type::MemberPointer { class: d, pointee: b }) if c == d => {
            Some((a, b))
        }
        (&Type::Array(a, m), &Type::Array(b, n)) if m == n || n.is_none() => Some((a, b)),
        _ => None,
    }
}

/// The qualifiers that conversions look at: `const` and `volatile`, of an array those of its elements.
pub(crate) fn significant(types: &Types, ty: QualifiedType) -> Qualifiers {
    types.qualifiers_of(ty).without(Qualifiers::RESTRICT)
}

/// Whether `from` is the function type `to` with `noexcept` in addition ([conv.fctptr]).
pub(crate) fn drops_noexcept(types: &Types, from: TypeId, to: TypeId) -> bool {
    match (types.get(from), types.get(to)) {
        (Type::Function(a), Type::Function(b)) => {
            a.noexcept
                && !b.noexcept
                && a.result == b.result
                && a.parameters == b.parameters
                && a.variadic == b.variadic
                && a.qualifiers == b.qualifiers
                && a.reference == b.reference
        }
        _ => false,
    }
}

/// The standard conversion sequence that converts an expression to a type that is no reference ([conv]/2); `None` if there is none. Classes convert to
/// themselves alone here; classes that pointers point to must be complete if their bases shall count.
pub(crate) fn standard_conversion(program: &mut Program, source: &Source, to: QualifiedType) -> Option<Standard> {
    let (first, from) = first_step(program, source);
    let mut result = Standard {
        first,
        from,
        ..Standard::identity(to.unqualified())
    };
    let types = &program.types;
    if from.id == to.id || from.id == Types::ERROR || to.id == Types::ERROR {
        return Some(result);
    }
    let (second, qualification) = match (types.get(from.id), types.get(to.id)) {
        (_, Type::Bool) if is_arithmetic_or_unscoped(program, from.id) => (Second::Boolean, false),
        (Type::Pointer(_) | Type::MemberPointer { .. }, Type::Bool) => {
            result.pointer_to_bool = true;
            (Second::Boolean, false)
        }
        (Type::Float(a), Type::Float(b)) => {
            let promotion = (*a, *b) == (crate::hir::FloatKind::Float, crate::hir::FloatKind::Double);
            (
                if promotion {
                    Second::FloatingPromotion
                } else {
                    Second::Floating
                },
                false,
            )
        }
        (Type::Float(_), Type::Integer(_)) => (Second::FloatingToIntegral, false),
        (_, Type::Float(_)) if is_integral_or_unscoped(program, from.id) => (Second::IntegralToFloating, false),
        (_, Type::Integer(_)) if is_integral_or_unscoped(program, from.id) => {
            let promotion = is_promotion(program, source, from.id, to.id);
            (
                if promotion {
                    Second::IntegralPromotion
                } else {
                    Second::Integral
                },
                false,
            )
        }
        (_, Type::Pointer(_) | Type::MemberPointer { .. } | Type::NullPointer)
            if source.is_null_constant || from.id == Types::NULL_POINTER =>
        {
            (Second::Null, false)
        }
        (&Type::Pointer(a), &Type::Pointer(b)) => match pointer_step(program, from.id, to.id, a, b) {
            Some(step) => step,
            // What C and old C++ allow, and CUDA's compiler with a warning.
            None if source.is_string && a.id == b.id => {
                result.string_to_mutable = true;
                (Second::None, true)
            }
            None => return None,
        },
        (&Type::MemberPointer { class: c, pointee: a }, &Type::MemberPointer { class: d, pointee: b }) => {
            member_step(program, (c, a), (d, b))?
        }
        _ => return None,
    };
    result.second = second;
    result.qualification = qualification;
    Some(result)
}

/// The first step and the type after it. Prvalues of classes keep their qualifiers, all others lose them.
fn first_step(program: &mut Program, source: &Source) -> (First, QualifiedType) {
    let types = &mut program.types;
    match *types.get(source.ty.id) {
        Type::Array(element, _) => (First::ArrayToPointer, types.pointer(element).into()),
        Type::Function(_) => (First::FunctionToPointer, types.pointer(source.ty).into()),
        Type::Class(_) => (First::None, source.ty),
        _ if source.category.is_glvalue() => (First::LvalueToRvalue, source.ty.unqualified()),
        _ => (First::None, source.ty.unqualified()),
    }
}

/// Whether the conversion of an integer is a promotion ([conv.prom]). Enumerations with a fixed underlying type promote to it and to what it promotes to.
fn is_promotion(program: &Program, source: &Source, from: TypeId, to: TypeId) -> bool {
    if let (Some(width), Type::Integer(_)) = (source.bit_field, program.types.get(from))
        && super::arithmetic::promoted_bit_field(program, from, width) == to
    {
        return true;
    }
    if is_unscoped_enumeration(program, from) {
        let fixed = program.types.as_enum(from).is_some_and(|id| {
            let enumeration = program.enumeration(id);
            enumeration.fixed && enumeration.underlying == to
        });
        return fixed || promoted(program, from) == to;
    }
    promoted(program, from) == to && integer_kind(program, to).is_some()
}

/// Between pointers.
fn pointer_step(
    program: &Program,
    from: TypeId,
    to: TypeId,
    a: QualifiedType,
    b: QualifiedType,
) -> Option<(Second, bool)> {
    let types = &program.types;
    if let Some(changed) = qualification(types, from, to) {
        return Some((Second::None, changed));
    }
    let (qa, qb) = (significant(types, a), significant(types, b));
    if !qb.contains(qa) {
        return None;
    }
    if b.id == Types::VOID && types.as_function(a.id).is_none() {
        return Some((Second::PointerToVoid, qa != qb));
    }
    if drops_noexcept(types, a.id, b.id) {
        return Some((Second::None, true));
    }
    match (types.as_class(a.id), types.as_class(b.id)) {
        (Some(derived), Some(base)) if is_derived_from(program, derived, base) => {
            Some((Second::DerivedToBasePointer, qa != qb))
        }
        _ => None,
    }
}

/// Between member pointers: of a base to one of a derived class.
fn member_step(
    program: &Program,
    from: (ClassId, QualifiedType),
    to: (ClassId, QualifiedType),
) -> Option<(Second, bool)> {
    let types = &program.types;
    let (a, b) = (from.1, to.1);
    if from.0 != to.0 && !is_derived_from(program, to.0, from.0) {
        return None;
    }
    let (qa, qb) = (significant(types, a), significant(types, b));
    let changed = if drops_noexcept(types, a.id, b.id) {
        true
    } else if qb.contains(qa) {
        qualification(types, a.id, b.id)? || qa != qb
    } else {
        return None;
    };
    Some((
        if from.0 == to.0 {
            Second::None
        } else {
            Second::MemberPointer
        },
        changed,
    ))
}

/// Which of two conversions is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Better {
    /// The first.
    First,
    /// The second.
    Second,
    /// Neither.
    Neither,
}

impl Better {
    fn when(first: bool, second: bool) -> Option<Better> {
        match (first, second) {
            (true, false) => Some(Better::First),
            (false, true) => Some(Better::Second),
            _ => None,
        }
    }
}

/// Compares two standard conversion sequences of one argument ([over.ics.rank]/3.2 and 4).
pub(crate) fn compare_standard(program: &Program, a: &Standard, b: &Standard) -> Better {
    subsequence(program, a, b)
        .or_else(|| Better::when(a.rank() < b.rank(), b.rank() < a.rank()))
        .or_else(|| {
            Better::when(
                !a.pointer_to_bool && b.pointer_to_bool,
                a.pointer_to_bool && !b.pointer_to_bool,
            )
        })
        .or_else(|| fixed_enumeration(program, a, b))
        .or_else(|| closer_base(program, a, b))
        .or_else(|| compare_bindings(program, a, b))
        .or_else(|| fewer_qualifiers(program, a, b))
        .unwrap_or(Better::Neither)
}

/// 3.2.1: a proper subsequence is better; the identity is one of all others, and one without a qualification step of the same with it.
fn subsequence(program: &Program, a: &Standard, b: &Standard) -> Option<Better> {
    let part = |x: &Standard, y: &Standard| {
        let to_same = x.second == y.second
            && x.from == y.from
            && x.to.id == y.to.id
            && x.binding.is_none()
            && y.binding.is_none();
        (x.is_identity() && !y.is_identity() && y.binding.is_none() == x.binding.is_none())
            || (to_same && !x.qualification && y.qualification)
    };
    let _ = program;
    Better::when(part(a, b), part(b, a))
}

/// 4.2: an enumeration with a fixed underlying type promotes better to that than to what that promotes to.
fn fixed_enumeration(program: &Program, a: &Standard, b: &Standard) -> Option<Better> {
    if a.second != Second::IntegralPromotion || b.second != Second::IntegralPromotion || a.from != b.from {
        return None;
    }
    let enumeration = program.enumeration(program.types.as_enum(a.from.id)?);
    let direct = |to: QualifiedType| enumeration.fixed && to.id == enumeration.underlying;
    Better::when(direct(a.to), direct(b.to))
}

/// 4.3 and 4.4: a base that is nearer is better than one farther away, and any base better than `void *`; of member pointers the other way round.
fn closer_base(program: &Program, a: &Standard, b: &Standard) -> Option<Better> {
    let types = &program.types;
    match (a.second, b.second) {
        (Second::DerivedToBasePointer, Second::PointerToVoid) => return Some(Better::First),
        (Second::PointerToVoid, Second::DerivedToBasePointer) => return Some(Better::Second),
        _ => {}
    }
    let class = |ty: QualifiedType| match *types.get(ty.id) {
        Type::Class(class) => Some(class),
        Type::Pointer(to) => types.as_class(to.id),
        Type::MemberPointer { class, .. } => Some(class),
        _ => None,
    };
    let is_base = |x: &Standard| {
        matches!(
            x.second,
            Second::DerivedToBase | Second::DerivedToBasePointer | Second::MemberPointer
        )
    };
    if !is_base(a) || !is_base(b) {
        return None;
    }
    let (x, y) = (class(a.to)?, class(b.to)?);
    let nearer = |p, q| is_derived_from(program, p, q);
    if a.from.id == b.from.id {
        let member = a.second == Second::MemberPointer;
        return if member {
            Better::when(nearer(y, x), nearer(x, y))
        } else {
            Better::when(nearer(x, y), nearer(y, x))
        };
    }
    let (p, q) = (class(a.from)?, class(b.from)?);
    if a.to.id == b.to.id {
        Better::when(nearer(q, p), nearer(p, q))
    } else {
        None
    }
}

/// 3.2.3, 3.2.4: rvalue references are better for rvalues, lvalue references for functions.
fn compare_bindings(_program: &Program, a: &Standard, b: &Standard) -> Option<Better> {
    let (x, y) = (a.binding?, b.binding?);
    if !x.plain_object && !y.plain_object {
        let moves =
            |first: Binding, second: Binding| first.rvalue_reference && first.to_rvalue && !second.rvalue_reference;
        if let Some(better) = Better::when(moves(x, y), moves(y, x)) {
            return Some(better);
        }
    }
    let function =
        |first: Binding, second: Binding| !first.rvalue_reference && first.to_function && second.rvalue_reference;
    Better::when(function(x, y), function(y, x))
}

/// 3.2.5, 3.2.6: fewer qualifiers are better where types are otherwise the same.
fn fewer_qualifiers(program: &Program, a: &Standard, b: &Standard) -> Option<Better> {
    let types = &program.types;
    if a.binding.is_some() && b.binding.is_some() {
        let (qa, qb) = (significant(types, a.to), significant(types, b.to));
        if is_similar(types, a.to.id, b.to.id) && qa != qb {
            return Better::when(qb.contains(qa), qa.contains(qb));
        }
    }
    if a.second != b.second || a.to.id == b.to.id || !is_similar(types, a.to.id, b.to.id) {
        return None;
    }
    let fits = |x: TypeId, y: TypeId| qualification(types, x, y).is_some();
    Better::when(fits(a.to.id, b.to.id), fits(b.to.id, a.to.id))
}

/// Whether a reference to `to` may be bound directly to an object of type `from`: reference-compatible ([dcl.init.ref]/4). The second step tells how.
pub(crate) fn reference_compatible(program: &Program, from: QualifiedType, to: QualifiedType) -> Option<Second> {
    let types = &program.types;
    let second = reference_related(program, from, to)?;
    significant(types, to)
        .contains(significant(types, from))
        .then_some(second)
}

/// Whether `to` is the same as or a base of `from`, or similar, whatever the qualifiers: reference-related ([dcl.init.ref]/4).
pub(crate) fn reference_related(program: &Program, from: QualifiedType, to: QualifiedType) -> Option<Second> {
    let types = &program.types;
    if from.id == to.id || from.id == Types::ERROR || to.id == Types::ERROR {
        return Some(Second::None);
    }
    if let (Some(derived), Some(base)) = (types.as_class(from.id), types.as_class(to.id)) {
        return is_derived_from(program, derived, base).then_some(Second::DerivedToBase);
    }
    match (types.get(from.id), types.get(to.id)) {
        (Type::Array(a, Some(_)), Type::Array(b, None)) if same_elements(types, *a, *b) => Some(Second::None),
        (Type::Array(a, m), Type::Array(b, n)) if m == n && same_elements(types, *a, *b) => Some(Second::None),
        _ if drops_noexcept(types, from.id, to.id) => Some(Second::None),
        _ => None,
    }
}

/// Whether the elements of two arrays, which may be arrays, are of one type but for qualifiers.
fn same_elements(types: &Types, a: QualifiedType, b: QualifiedType) -> bool {
    let (mut a, mut b) = (a.id, b.id);
    loop {
        match (types.get(a), types.get(b)) {
            _ if a == b => return true,
            (Type::Array(c, m), Type::Array(d, n)) if m == n => (a, b) = (c.id, d.id),
            _ => return false,
        }
    }
}

/// Whether a member function with these qualifiers may be called on an object of this category ([over.match.funcs]/5): `const &` takes rvalues, too.
pub(crate) fn accepts_category(qualifiers: Qualifiers, reference: RefQualifier, category: ValueCategory) -> bool {
    match reference {
        RefQualifier::None => true,
        RefQualifier::LValue => category == ValueCategory::LValue || qualifiers.is_const() && !qualifiers.is_volatile(),
        RefQualifier::RValue => category != ValueCategory::LValue,
    }
}
