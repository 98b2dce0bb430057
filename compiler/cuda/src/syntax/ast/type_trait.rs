//! Type traits that the compiler answers itself: the names are those that GCC, Clang and NVIDIA's compiler share.

macro_rules! table {
    ($(#[$meta:meta])* $enumeration:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each is the trait of its spelling")]
        pub enum $enumeration { $($variant,)* }

        impl $enumeration {
            /// All of them.
            pub const ALL: &'static [$enumeration] = &[$($enumeration::$variant,)*];

            /// The name in the source.
            pub const fn spelling(self) -> &'static str {
                match self { $($enumeration::$variant => $text,)* }
            }
        }
    };
}

table! {
    /// A trait with a constant value: `__is_same(T, U)`. All arguments are types.
    TypeTrait {
        IsAbstract = "__is_abstract",
        IsAggregate = "__is_aggregate",
        IsArithmetic = "__is_arithmetic",
        IsArray = "__is_array",
        IsAssignable = "__is_assignable",
        IsBaseOf = "__is_base_of",
        IsBoundedArray = "__is_bounded_array",
        IsClass = "__is_class",
        IsCompleteType = "__is_complete_type",
        IsCompound = "__is_compound",
        IsConst = "__is_const",
        IsConstructible = "__is_constructible",
        IsConvertible = "__is_convertible",
        IsConvertibleTo = "__is_convertible_to",
        IsDestructible = "__is_destructible",
        IsEmpty = "__is_empty",
        IsEnum = "__is_enum",
        IsExtendedDeviceLambda = "__nv_is_extended_device_lambda_closure_type",
        IsExtendedDeviceLambdaWithResult = "__nv_is_extended_device_lambda_with_preserved_return_type",
        IsExtendedHostDeviceLambda = "__nv_is_extended_host_device_lambda_closure_type",
        IsFinal = "__is_final",
        IsFloatingPoint = "__is_floating_point",
        IsFunction = "__is_function",
        IsFundamental = "__is_fundamental",
        IsIntegral = "__is_integral",
        IsLiteral = "__is_literal",
        IsLiteralType = "__is_literal_type",
        IsLvalueReference = "__is_lvalue_reference",
        IsMemberFunctionPointer = "__is_member_function_pointer",
        IsMemberObjectPointer = "__is_member_object_pointer",
        IsMemberPointer = "__is_member_pointer",
        IsNothrowAssignable = "__is_nothrow_assignable",
        IsNothrowConstructible = "__is_nothrow_constructible",
        IsNothrowConvertible = "__is_nothrow_convertible",
        IsNothrowDestructible = "__is_nothrow_destructible",
        IsNullptr = "__is_nullptr",
        IsObject = "__is_object",
        IsPod = "__is_pod",
        IsPointer = "__is_pointer",
        IsPolymorphic = "__is_polymorphic",
        IsReference = "__is_reference",
        IsReferenceable = "__is_referenceable",
        IsRvalueReference = "__is_rvalue_reference",
        IsSame = "__is_same",
        IsSameAs = "__is_same_as",
        IsScalar = "__is_scalar",
        IsScopedEnum = "__is_scoped_enum",
        IsSigned = "__is_signed",
        IsStandardLayout = "__is_standard_layout",
        IsTrivial = "__is_trivial",
        IsTriviallyAssignable = "__is_trivially_assignable",
        IsTriviallyConstructible = "__is_trivially_constructible",
        IsTriviallyCopyable = "__is_trivially_copyable",
        IsTriviallyDestructible = "__is_trivially_destructible",
        IsTriviallyEqualityComparable = "__is_trivially_equality_comparable",
        IsTriviallyRelocatable = "__is_trivially_relocatable",
        IsUnboundedArray = "__is_unbounded_array",
        IsUnion = "__is_union",
        IsUnsigned = "__is_unsigned",
        IsVoid = "__is_void",
        IsVolatile = "__is_volatile",
        HasNothrowAssign = "__has_nothrow_assign",
        HasNothrowConstructor = "__has_nothrow_constructor",
        HasNothrowCopy = "__has_nothrow_copy",
        HasTrivialAssign = "__has_trivial_assign",
        HasTrivialConstructor = "__has_trivial_constructor",
        HasTrivialCopy = "__has_trivial_copy",
        HasTrivialDestructor = "__has_trivial_destructor",
        HasUniqueObjectRepresentations = "__has_unique_object_representations",
        HasVirtualDestructor = "__has_virtual_destructor",
        IsLayoutCompatible = "__is_layout_compatible",
        IsPointerInterconvertibleBaseOf = "__is_pointer_interconvertible_base_of",
        ReferenceBindsToTemporary = "__reference_binds_to_temporary",
        ReferenceConstructsFromTemporary = "__reference_constructs_from_temporary",
        ReferenceConvertsFromTemporary = "__reference_converts_from_temporary",
        TypesCompatible = "__builtin_types_compatible_p",
        EdgIsDeducible = "__edg_is_deducible",
    }
}

table! {
    /// A trait that makes a type: `__underlying_type(T)`.
    TypeTransform {
        UnderlyingType = "__underlying_type",
        AddLvalueReference = "__add_lvalue_reference",
        AddPointer = "__add_pointer",
        AddRvalueReference = "__add_rvalue_reference",
        Decay = "__decay",
        MakeSigned = "__make_signed",
        MakeUnsigned = "__make_unsigned",
        RemoveAllExtents = "__remove_all_extents",
        RemoveConst = "__remove_const",
        RemoveCv = "__remove_cv",
        RemoveCvref = "__remove_cvref",
        RemoveExtent = "__remove_extent",
        RemovePointer = "__remove_pointer",
        RemoveReference = "__remove_reference",
        RemoveReferenceT = "__remove_reference_t",
        RemoveRestrict = "__remove_restrict",
        RemoveVolatile = "__remove_volatile",
        DirectBases = "__direct_bases",
        Bases = "__bases",
    }
}
