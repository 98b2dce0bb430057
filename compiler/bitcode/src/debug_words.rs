//! The words of debug information: tags, encodings, flags and operations.

/// Tags.
#[rustfmt::skip]
pub(crate) const TAGS: &[(u64, &str)] = &[
    (0x01, "array_type"), (0x02, "class_type"), (0x04, "enumeration_type"), (0x05, "formal_parameter"), (0x08, "imported_declaration"),
    (0x0a, "label"), (0x0b, "lexical_block"), (0x0d, "member"), (0x0f, "pointer_type"), (0x10, "reference_type"), (0x11, "compile_unit"),
    (0x12, "string_type"), (0x13, "structure_type"), (0x15, "subroutine_type"), (0x16, "typedef"), (0x17, "union_type"), (0x19, "variant"),
    (0x1c, "inheritance"), (0x1f, "ptr_to_member_type"), (0x20, "set_type"), (0x21, "subrange_type"), (0x24, "base_type"), (0x26, "const_type"),
    (0x28, "enumerator"), (0x29, "file_type"), (0x2a, "friend"), (0x2e, "subprogram"), (0x2f, "template_type_parameter"),
    (0x30, "template_value_parameter"), (0x33, "variant_part"), (0x34, "variable"), (0x35, "volatile_type"), (0x37, "restrict_type"),
    (0x38, "interface_type"), (0x39, "namespace"), (0x3a, "imported_module"), (0x3b, "unspecified_type"), (0x42, "rvalue_reference_type"),
    (0x43, "template_alias"), (0x47, "atomic_type"), (0x4b, "immutable_type"), (0x4106, "GNU_template_template_param"),
    (0x4107, "GNU_template_parameter_pack"),
];

/// Encodings of types.
#[rustfmt::skip]
pub(crate) const ENCODINGS: &[(u64, &str)] = &[
    (0x01, "address"), (0x02, "boolean"), (0x03, "complex_float"), (0x04, "float"), (0x05, "signed"), (0x06, "signed_char"), (0x07, "unsigned"),
    (0x08, "unsigned_char"), (0x09, "imaginary_float"), (0x0f, "decimal_float"), (0x10, "UTF"), (0x11, "UCS"), (0x12, "ASCII"),
];

/// Operations of expressions, with how many numbers follow.
#[rustfmt::skip]
pub(crate) const OPERATIONS: &[(u64, &str, usize)] = &[
    (0x06, "deref", 0), (0x10, "constu", 1), (0x11, "consts", 1), (0x12, "dup", 0), (0x14, "over", 0), (0x16, "swap", 0), (0x18, "xderef", 0),
    (0x1a, "and", 0), (0x1b, "div", 0), (0x1c, "minus", 0), (0x1d, "mod", 0), (0x1e, "mul", 0), (0x1f, "neg", 0), (0x20, "not", 0), (0x21, "or", 0),
    (0x22, "plus", 0), (0x23, "plus_uconst", 1), (0x24, "shl", 0), (0x25, "shr", 0), (0x26, "shra", 0), (0x27, "xor", 0), (0x29, "eq", 0),
    (0x2a, "ge", 0), (0x2b, "gt", 0), (0x2c, "le", 0), (0x2d, "lt", 0), (0x2e, "ne", 0), (0x94, "deref_size", 1), (0x97, "push_object_address", 0),
    (0x9f, "stack_value", 0), (0x1000, "LLVM_fragment", 2), (0x1001, "LLVM_convert", 2), (0x1002, "LLVM_tag_offset", 1),
    (0x1003, "LLVM_entry_value", 1), (0x1004, "LLVM_implicit_pointer", 0), (0x1005, "LLVM_arg", 1), (0x1006, "LLVM_extract_bits_sext", 2),
    (0x1007, "LLVM_extract_bits_zext", 2),
];

/// Flags of what the source declares, by their bits.
#[rustfmt::skip]
pub(crate) const FLAGS: &[(u32, &str)] = &[
    (2, "FwdDecl"), (3, "AppleBlock"), (4, "ReservedBit4"), (5, "Virtual"), (6, "Artificial"), (7, "Explicit"), (8, "Prototyped"),
    (9, "ObjcClassComplete"), (10, "ObjectPointer"), (11, "Vector"), (12, "StaticMember"), (13, "LValueReference"), (14, "RValueReference"),
    (15, "ExportSymbols"), (18, "IntroducedVirtual"), (19, "BitField"), (20, "NoReturn"), (22, "TypePassByValue"), (23, "TypePassByReference"),
    (24, "EnumClass"), (25, "Thunk"), (26, "NonTrivial"), (27, "BigEndian"), (28, "LittleEndian"), (29, "AllCallsDescribed"),
];

/// Flags of functions, by their bits.
pub(crate) const FUNCTION_FLAGS: &[(u32, &str)] = &[
    (0, "Virtual"),
    (1, "PureVirtual"),
    (2, "LocalToUnit"),
    (3, "Definition"),
    (4, "Optimized"),
    (5, "Pure"),
    (6, "Elemental"),
    (7, "Recursive"),
    (8, "MainSubprogram"),
    (9, "Deleted"),
    (11, "ObjCDirect"),
];

/// Flags with their words, a bar between; the number where a bit has no word.
pub(crate) fn flags(words: &[(u32, &str)], prefix: &str, number: u64) -> String {
    let known = words.iter().fold(0u64, |all, (bit, _)| all | 1 << bit);
    if number & !known != 0 || number == 0 {
        return number.to_string();
    }
    let set = words.iter().filter(|(bit, _)| number >> bit & 1 == 1);
    set.map(|(_, word)| format!("{prefix}{word}"))
        .collect::<Vec<_>>()
        .join(" | ")
}

/// The word for a number; the number where it has none.
pub(crate) fn word(words: &[(u64, &str)], prefix: &str, number: u64) -> String {
    match words.iter().find(|(known, _)| *known == number) {
        Some((_, word)) => format!("{prefix}{word}"),
        None => number.to_string(),
    }
}
