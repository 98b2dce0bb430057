//! The numbers of blocks and records, and the words for numbers within records.

/// Numbers of blocks.
pub(crate) mod block {
    pub(crate) const MODULE: u32 = 8;
    pub(crate) const ATTRIBUTES: u32 = 9;
    pub(crate) const ATTRIBUTE_GROUPS: u32 = 10;
    pub(crate) const CONSTANTS: u32 = 11;
    pub(crate) const FUNCTION: u32 = 12;
    pub(crate) const IDENTIFICATION: u32 = 13;
    pub(crate) const VALUE_NAMES: u32 = 14;
    pub(crate) const METADATA: u32 = 15;
    pub(crate) const ATTACHMENTS: u32 = 16;
    pub(crate) const TYPES: u32 = 17;
    pub(crate) const BUNDLE_TAGS: u32 = 21;
    pub(crate) const METADATA_KINDS: u32 = 22;
    pub(crate) const STRINGS: u32 = 23;
    pub(crate) const SCOPES: u32 = 26;
}

/// The word for a number, from a table; `None` where it has none.
pub(crate) fn word(words: &[&'static str], number: u64) -> Option<&'static str> {
    let word = words.get(usize::try_from(number).ok()?)?;
    (!word.is_empty()).then_some(word)
}

/// Arithmetic of integers, and of floats where there is any.
pub(crate) const BINARY: &[&str] = &[
    "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor",
];
pub(crate) const BINARY_OF_FLOATS: &[&str] = &["fadd", "fsub", "fmul", "", "fdiv", "", "frem"];

pub(crate) const CASTS: &[&str] = &[
    "trunc",
    "zext",
    "sext",
    "fptoui",
    "fptosi",
    "uitofp",
    "sitofp",
    "fptrunc",
    "fpext",
    "ptrtoint",
    "inttoptr",
    "bitcast",
    "addrspacecast",
    "ptrtoaddr",
];

pub(crate) const FLOAT_RELATIONS: &[&str] = &[
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge", "ult", "ule", "une", "true",
];

/// The relations of integers, from this number on.
pub(crate) const FIRST_INTEGER_RELATION: u64 = 32;
pub(crate) const INTEGER_RELATIONS: &[&str] = &["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"];

pub(crate) const ORDERINGS: &[&str] = &["", "unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"];

pub(crate) const ATOMIC: &[&str] = &[
    "xchg",
    "add",
    "sub",
    "and",
    "nand",
    "or",
    "xor",
    "max",
    "min",
    "umax",
    "umin",
    "fadd",
    "fsub",
    "fmax",
    "fmin",
    "uinc_wrap",
    "udec_wrap",
    "usub_cond",
    "usub_sat",
    "fmaximum",
    "fminimum",
];

/// Promises about fast arithmetic. The first is what all of them were before there were others.
pub(crate) const FAST: &[&str] = &["fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"];

/// Promises about addresses.
const ADDRESS: &[&str] = &["inbounds", "nusw", "nuw"];

/// The promises about an address. What the first says holds for the second, too.
pub(crate) fn address_promises(bits: u64) -> String {
    let implied = if bits & 1 == 1 { 2 } else { 0 };
    words_of_bits(ADDRESS, bits & !implied)
}

/// The words of the bits that are set, each before a space.
pub(crate) fn words_of_bits(words: &[&str], bits: u64) -> String {
    let set = words.iter().enumerate().filter(|(index, _)| bits >> index & 1 == 1);
    set.map(|(_, word)| format!("{word} ")).collect()
}

/// What an operation of integers, a conversion or a comparison promises.
pub(crate) fn promises(operation: &str, bits: u64) -> String {
    let words: &[&str] = match operation {
        "add" | "sub" | "mul" | "shl" | "trunc" => &["nuw", "nsw"],
        "udiv" | "sdiv" | "lshr" | "ashr" => &["exact"],
        "or" => &["disjoint"],
        "zext" | "uitofp" => &["nneg"],
        "icmp" => &["samesign"],
        _ => FAST,
    };
    words_of_bits(words, bits)
}

/// The word for a linkage.
pub(crate) fn linkage(number: u64) -> &'static str {
    match number {
        2 => "appending",
        3 => "internal",
        7 => "extern_weak",
        8 => "common",
        9 | 13 | 14 => "private",
        12 => "available_externally",
        1 | 16 => "weak",
        10 | 17 => "weak_odr",
        4 | 18 => "linkonce",
        11 | 19 => "linkonce_odr",
        // Those that have gone, and all that are not known, are external to LLVM, too.
        _ => "",
    }
}

/// Whether a linkage, in the numbers before there were groups, meant a group of the symbol's own.
pub(crate) fn has_own_group(linkage: u64) -> bool {
    matches!(linkage, 1 | 4 | 10 | 11)
}

/// The words for a calling convention, with a space behind them.
pub(crate) fn convention(number: u64) -> String {
    match number {
        0 => String::new(),
        8 => "fastcc ".to_owned(),
        9 => "coldcc ".to_owned(),
        71 => "ptx_kernel ".to_owned(),
        72 => "ptx_device ".to_owned(),
        75 => "spir_func ".to_owned(),
        number => format!("cc {number} "),
    }
}

pub(crate) const VISIBILITIES: &[&str] = &["", "hidden ", "protected "];
pub(crate) const STORAGE_CLASSES: &[&str] = &["", "dllimport ", "dllexport "];
pub(crate) const THREAD_LOCAL: &[&str] = &[
    "",
    "thread_local ",
    "thread_local(localdynamic) ",
    "thread_local(initialexec) ",
    "thread_local(localexec) ",
];
pub(crate) const UNNAMED_ADDRESS: &[&str] = &["", "unnamed_addr ", "local_unnamed_addr "];
pub(crate) const GROUP_KINDS: &[&str] = &["any", "any", "exactmatch", "largest", "nodeduplicate", "samesize"];
