//! Identifiers that mean something to the parser though they are no keywords: built-in type names, type traits, attribute names.

use rustc_hash::FxHashMap;

use crate::source::{Interner, Symbol};
use crate::syntax::ast::{BuiltinType, NameKind, TypeTrait, TypeTransform};

use super::scope::{Entry, GLOBAL, Scopes};

/// The words, by their symbols.
#[derive(Debug)]
pub(super) struct Words {
    builtin_types: FxHashMap<Symbol, BuiltinType>,
    traits: FxHashMap<Symbol, TypeTrait>,
    transforms: FxHashMap<Symbol, TypeTransform>,
    builtin_templates: Vec<Symbol>,
    later_keywords: Vec<Symbol>,
}

#[rustfmt::skip]
const BUILTIN_TYPES: &[(&str, BuiltinType)] = &[
    ("_Float16", BuiltinType::Float16),
    ("__fp16", BuiltinType::Float16),
    ("__bf16", BuiltinType::BFloat16),
    ("_Float32", BuiltinType::Float),
    ("_Float64", BuiltinType::Double),
    ("_Float32x", BuiltinType::Double),
    ("_Float64x", BuiltinType::LongDouble),
    // Of x86, which is the same type there.
    ("__float80", BuiltinType::LongDouble),
    ("_Float128", BuiltinType::Float128),
    ("__int128_t", BuiltinType::Int128),
    ("__uint128_t", BuiltinType::UnsignedInt128),
    ("__builtin_va_list", BuiltinType::VaList),
    ("__gnuc_va_list", BuiltinType::VaList),
];

/// Templates that the compiler itself provides, as Clang and GCC do.
const BUILTIN_TEMPLATES: &[&str] = &["__make_integer_seq", "__type_pack_element"];

/// Keywords of C++20 that are names before.
const LATER_KEYWORDS: &[&str] = &[
    "concept",
    "requires",
    "co_await",
    "co_return",
    "co_yield",
    "consteval",
    "constinit",
    "char8_t",
];

impl Words {
    pub(super) fn new(interner: &mut Interner) -> Words {
        let mut intern = |text: &str| interner.intern(text);
        Words {
            builtin_types: BUILTIN_TYPES
                .iter()
                .map(|&(text, builtin)| (intern(text), builtin))
                .collect(),
            traits: TypeTrait::ALL
                .iter()
                .map(|&kind| (intern(kind.spelling()), kind))
                .collect(),
            transforms: TypeTransform::ALL
                .iter()
                .map(|&kind| (intern(kind.spelling()), kind))
                .collect(),
            builtin_templates: BUILTIN_TEMPLATES.iter().map(|text| intern(text)).collect(),
            later_keywords: LATER_KEYWORDS.iter().map(|text| intern(text)).collect(),
        }
    }

    pub(super) fn declare_builtins(&self, scopes: &mut Scopes) {
        for &name in &self.builtin_templates {
            scopes.declare(GLOBAL, name, Entry::new(NameKind::TypeTemplate, None));
        }
    }

    pub(super) fn is_later_keyword(&self, name: Symbol) -> bool {
        self.later_keywords.contains(&name)
    }

    pub(super) fn builtin_type(&self, name: Symbol) -> Option<BuiltinType> {
        self.builtin_types.get(&name).copied()
    }

    pub(super) fn type_trait(&self, name: Symbol) -> Option<TypeTrait> {
        self.traits.get(&name).copied()
    }

    pub(super) fn transform(&self, name: Symbol) -> Option<TypeTransform> {
        self.transforms.get(&name).copied()
    }
}
