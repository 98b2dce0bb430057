//! Names as small numbers.

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHasher};

use super::token::Keyword;

/// A name. Equal names are equal numbers; keywords come first, then [`names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);

impl Symbol {
    /// The number, to index side tables with.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The symbol of a number.
    #[cfg(test)]
    pub(crate) const fn numbered(index: usize) -> Symbol {
        Symbol(index as u32)
    }

    /// The keyword that is spelled so, if one is.
    pub fn keyword(self) -> Option<Keyword> {
        Keyword::SPELLINGS.get(self.index()).map(|&(_, keyword)| keyword)
    }
}

/// The texts of names.
#[derive(Clone)]
pub struct Interner {
    /// All texts one after another.
    text: String,
    /// Where each name ends in `text`.
    ends: Vec<u32>,
    /// Symbols by the hash of their text.
    table: HashTable<Symbol>,
}

impl Interner {
    /// With the keywords and the [`names`] in it.
    pub fn new() -> Interner {
        let mut interner = Interner {
            text: String::with_capacity(16 << 10),
            ends: Vec::with_capacity(1 << 10),
            // Predefined macros and the prelude have nearly a thousand names.
            table: HashTable::with_capacity(1 << 10),
        };
        for (text, _) in Keyword::SPELLINGS {
            interner.intern(text);
        }
        for text in names::TEXTS {
            interner.intern(text);
        }
        interner
    }

    /// The symbol for a text, a new one if it is the first of its kind.
    pub fn intern(&mut self, text: &str) -> Symbol {
        let hash = hash_text(text);
        let (all, ends) = (&self.text, &self.ends);
        if let Some(&symbol) = self.table.find(hash, |&symbol| slice(all, ends, symbol) == text) {
            return symbol;
        }
        let symbol = Symbol(self.ends.len() as u32);
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        let (all, ends) = (&self.text, &self.ends);
        self.table
            .insert_unique(hash, symbol, |&other| hash_text(slice(all, ends, other)));
        symbol
    }

    /// The symbol for a text that some call of [`Interner::intern`] had, if any had.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        self.table
            .find(hash_text(text), |&symbol| self.text(symbol) == text)
            .copied()
    }

    /// The text of a name.
    pub fn text(&self, symbol: Symbol) -> &str {
        slice(&self.text, &self.ends, symbol)
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no name: never, as keywords are names.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

impl Default for Interner {
    fn default() -> Interner {
        Interner::new()
    }
}

impl std::fmt::Debug for Interner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Interner with {} names", self.len())
    }
}

fn slice<'t>(text: &'t str, ends: &[u32], symbol: Symbol) -> &'t str {
    let index = symbol.index();
    let start = match index.checked_sub(1) {
        Some(before) => ends[before] as usize,
        None => 0,
    };
    &text[start..ends[index] as usize]
}

fn hash_text(text: &str) -> u64 {
    let mut hasher: FxHasher = FxBuildHasher.build_hasher();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// Declares constants for names that the front end itself asks for.
macro_rules! well_known {
    ($($constant:ident = $text:literal),* $(,)?) => {
        /// Symbols of names that are no keywords but that the front end asks for.
        pub mod names {
            use super::{Keyword, Symbol};

            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum Order { $($constant),* }

            $(
                #[doc = concat!("`", $text, "`")]
                pub const $constant: Symbol = Symbol(Keyword::SPELLINGS.len() as u32 + Order::$constant as u32);
            )*

            /// The texts, in order.
            pub(super) const TEXTS: &[&str] = &[$($text),*];
        }
    };
}

well_known! {
    EMPTY = "",
    OPERATOR_ASSIGN = "operator=",
    FINAL = "final",
    OVERRIDE = "override",
    DEFINED = "defined",
    VA_ARGS = "__VA_ARGS__",
    VA_OPT = "__VA_OPT__",
    PRAGMA_OPERATOR = "_Pragma",
    FILE = "__FILE__",
    LINE = "__LINE__",
    COUNTER = "__COUNTER__",
    INCLUDE_LEVEL = "__INCLUDE_LEVEL__",
    BASE_FILE = "__BASE_FILE__",
    FILE_NAME = "__FILE_NAME__",
    HAS_INCLUDE = "__has_include",
    HAS_INCLUDE_NEXT = "__has_include_next",
    HAS_BUILTIN = "__has_builtin",
    HAS_ATTRIBUTE = "__has_attribute",
    HAS_CPP_ATTRIBUTE = "__has_cpp_attribute",
    HAS_DECLSPEC_ATTRIBUTE = "__has_declspec_attribute",
    HAS_FEATURE = "__has_feature",
    HAS_EXTENSION = "__has_extension",
    HAS_WARNING = "__has_warning",
    IS_IDENTIFIER = "__is_identifier",
    INCLUDE = "include",
    INCLUDE_NEXT = "include_next",
    IMPORT = "import",
    DEFINE = "define",
    UNDEF = "undef",
    IFDEF = "ifdef",
    IFNDEF = "ifndef",
    ELIF = "elif",
    ELIFDEF = "elifdef",
    ELIFNDEF = "elifndef",
    ENDIF = "endif",
    ERROR = "error",
    WARNING = "warning",
    LINE_DIRECTIVE = "line",
    PRAGMA = "pragma",
    IDENT = "ident",
    SCCS = "sccs",
    ASSERT_DIRECTIVE = "assert",
    UNASSERT = "unassert",
    ONCE = "once",
    UNROLL = "unroll",
    NOUNROLL = "nounroll",
    PACK = "pack",
    PUSH_MACRO = "push_macro",
    POP_MACRO = "pop_macro",
    PUSH = "push",
    POP = "pop",
    GCC = "GCC",
    CLANG = "clang",
    SYSTEM_HEADER = "system_header",
    POISON = "poison",
    FUNC = "__func__",
    FUNCTION = "__FUNCTION__",
    PRETTY_FUNCTION = "__PRETTY_FUNCTION__",
    STD = "std",
    MAIN = "main",
    PRINTF = "printf",
    DEVICE = "device",
    HOST = "host",
    GLOBAL = "global",
    SHARED = "shared",
    CONSTANT = "constant",
    MANAGED = "managed",
    INITIALIZER_LIST = "initializer_list",
    TUPLE_SIZE = "tuple_size",
    TUPLE_ELEMENT = "tuple_element",
    GET = "get",
    BEGIN = "begin",
    END = "end",
    TYPE = "type",
    VALUE = "value",
    MAKE_SIGNED = "make_signed",
    THREAD_IDX = "threadIdx",
    BLOCK_IDX = "blockIdx",
    BLOCK_DIM = "blockDim",
    GRID_DIM = "gridDim",
    WARP_SIZE = "warpSize",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_equal_symbols() {
        let mut interner = Interner::new();
        let a = interner.intern("a");
        let b = interner.intern("b");
        assert_ne!(a, b);
        assert_eq!(interner.intern("a"), a);
        assert_eq!(interner.text(a), "a");
        assert_eq!(interner.find("c"), None);
    }

    #[test]
    fn keywords_and_well_known_names_have_fixed_numbers() {
        let mut interner = Interner::new();
        for &(text, keyword) in Keyword::SPELLINGS {
            assert_eq!(interner.intern(text).keyword(), Some(keyword), "{text}");
        }
        assert_eq!(interner.text(names::WARP_SIZE), "warpSize");
        assert_eq!(interner.intern("override"), names::OVERRIDE);
        assert_eq!(names::OVERRIDE.keyword(), None);
    }
}
