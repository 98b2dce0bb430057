//! Reading modules from LLVM's assembly: the modern dialect with opaque pointers and the older ones with typed pointers, in one reader, told
//! apart by what stands in the text and not by its version.
//!
//! A first walk over the tokens finds what is defined where, so that everything can be named before it is defined. Then each definition is read;
//! an error ends one definition, not the reading.

mod attachments;
mod attributes;
mod body;
mod call;
mod constants;
mod debug;
mod debug_types;
mod edges;
mod items;
mod layout;
mod lexer;
mod metadata;
mod operation;
mod places;
mod records;
mod survey;
mod types;
mod upgrade;

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use warpsmith_base::{Diagnostic, SourceText};

use self::debug::Debugging;
use self::lexer::{Kind, Token};
use self::metadata::Metadata;
use self::places::Places;
use self::types::Named;
use crate::attributes::{FunctionAttributes, KernelProperties};
use crate::context::Context;
use crate::integer::Integer;
use crate::location::LocationId;
use crate::module::{AliasId, FunctionId, GlobalId, Module};
use crate::types::Type;

/// What reading gives, or the error that ends the definition. Boxed: it is rare and large.
type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// How deep types, constants and metadata may be nested.
const DEEPEST: u32 = 256;

/// What a name is before its definition is read.
#[derive(Clone, Copy, Debug)]
enum Known {
    Global(GlobalId),
    Function(FunctionId),
    Alias(AliasId),
    /// A declaration of an `llvm.*` function.
    Intrinsic,
}

struct Reader<'s> {
    source: &'s SourceText,
    tokens: Vec<Token>,
    next: usize,
    depth: u32,
    context: Arc<Context>,
    module: Module,
    problems: Vec<Diagnostic>,
    types: FxHashMap<String, Named>,
    /// How many fields structures have, those of fields counted.
    weights: FxHashMap<Type, u64>,
    /// How many scalars values of structures have.
    part_counts: FxHashMap<Type, u64>,
    symbols: FxHashMap<String, Known>,
    /// Where `llvm.*` functions are declared.
    intrinsics: FxHashMap<String, usize>,
    groups: FxHashMap<u32, FunctionAttributes>,
    /// The parameters that `allocsize` named, and where; the same of groups.
    allocation: Vec<(usize, u64)>,
    group_allocation: FxHashMap<u32, Vec<(usize, u64)>>,
    /// Whether an attribute said what a pointer points to.
    points_to_stated: bool,
    /// What the last `range` attribute said.
    range: Option<(Integer, Integer)>,
    nodes: FxHashMap<u32, Metadata>,
    /// The names of comdat groups.
    comdats: FxHashSet<String>,
    /// The next number of a symbol without a name.
    next_symbol: u32,
    /// Where numbered nodes are defined.
    node_places: FxHashMap<u32, usize>,
    named: BTreeMap<String, Vec<Metadata>>,
    locations: FxHashMap<u32, LocationId>,
    launch: FxHashMap<FunctionId, KernelProperties>,
    /// The blocks of functions whose addresses are taken, and where.
    addressed_blocks: FxHashMap<FunctionId, Vec<(String, usize)>>,
    /// The functions that have bodies.
    defined: FxHashSet<FunctionId>,
    /// Whether a constant that is read is part of metadata, where anything may be named.
    in_metadata: bool,
    /// Where what the module has stands in the text.
    places: Places,
    /// What a debugger is to be told, if that is wanted.
    debug: Option<Box<Debugging>>,
}

impl Module {
    /// Reads a module from LLVM's assembly, of LLVM 3.x to the newest. Calls of `llvm.dbg.*`, debug records and whatever else the optimiser and the code
    /// generator have no use for are dropped. What is read has been verified: it keeps the rules of the IR.
    ///
    /// # Errors
    /// Whatever is wrong with the text or has no counterpart, each with its place, at most one for each definition; if there is nothing of that
    /// kind, the rules that are broken.
    pub fn from_text(source: &SourceText) -> std::result::Result<Module, Vec<Diagnostic>> {
        Module::read_text(source, None)
    }

    /// The same with what the text says of types and variables as [`Module::debug`], for code that is not optimised (`-G`): `None` if it says nothing. Values
    /// that variables are said to have are stored to memory that they get.
    ///
    /// # Errors
    /// As for [`Module::from_text`], and debug information that cannot be told to a debugger.
    pub fn from_text_with_debug(source: &SourceText) -> std::result::Result<Module, Vec<Diagnostic>> {
        Module::read_text(source, Some(Box::default()))
    }

    fn read_text(source: &SourceText, debug: Option<Box<Debugging>>) -> std::result::Result<Module, Vec<Diagnostic>> {
        let module = Module::new("");
        let mut reader = Reader {
            source,
            tokens: lexer::tokens(source.text()),
            next: 0,
            depth: 0,
            context: module.context().clone(),
            module,
            problems: Vec::new(),
            types: FxHashMap::default(),
            weights: FxHashMap::default(),
            part_counts: FxHashMap::default(),
            symbols: FxHashMap::default(),
            intrinsics: FxHashMap::default(),
            groups: FxHashMap::default(),
            allocation: Vec::new(),
            group_allocation: FxHashMap::default(),
            points_to_stated: false,
            range: None,
            nodes: FxHashMap::default(),
            comdats: FxHashSet::default(),
            next_symbol: 0,
            node_places: FxHashMap::default(),
            named: BTreeMap::new(),
            locations: FxHashMap::default(),
            launch: FxHashMap::default(),
            addressed_blocks: FxHashMap::default(),
            defined: FxHashSet::default(),
            in_metadata: false,
            places: Places::default(),
            debug,
        };
        reader.module.symbols.properties = crate::module::Properties::default();
        reader.read();
        if reader.problems.is_empty() {
            reader.verify();
        }
        if reader.problems.is_empty() {
            Ok(reader.module)
        } else {
            Err(reader.problems)
        }
    }
}

impl<'s> Reader<'s> {
    // Tokens.

    fn token(&self) -> Token {
        // The last token is the end, and `next` does not get past it.
        self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> Kind {
        self.token().kind
    }

    fn text(&self) -> &'s str {
        self.token().text(self.source.text())
    }

    fn peek_kind(&self, ahead: usize) -> Kind {
        self.tokens.get(self.next + ahead).map_or(Kind::End, |token| token.kind)
    }

    fn peek_text(&self, ahead: usize) -> &'s str {
        self.tokens
            .get(self.next + ahead)
            .map_or("", |token| token.text(self.source.text()))
    }

    fn bump(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    fn place(&self) -> usize {
        self.next
    }

    fn go_to(&mut self, place: usize) {
        self.next = place.min(self.tokens.len() - 1);
    }

    fn mark(&self) -> u8 {
        match self.kind() {
            Kind::Mark(mark) => mark,
            _ => 0,
        }
    }

    fn is(&self, mark: u8) -> bool {
        self.kind() == Kind::Mark(mark)
    }

    fn is_word(&self, word: &str) -> bool {
        self.kind() == Kind::Word && self.text() == word
    }

    fn eat(&mut self, mark: u8) -> bool {
        let found = self.is(mark);
        if found {
            self.bump();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, mark: u8) -> Result<()> {
        if self.eat(mark) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("\"{}\"", char::from(mark))))
        }
    }

    /// Whether a list goes on: past a comma, behind which something stands.
    fn another(&mut self) -> Result<bool> {
        if !self.eat(b',') {
            return Ok(false);
        }
        match self.kind() {
            Kind::Mark(b')' | b']' | b'}' | b'>') => Err(self.unexpected("what the comma announces")),
            _ => Ok(true),
        }
    }

    fn keyword(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("\"{word}\"")))
        }
    }

    fn unsigned(&mut self) -> Result<u64> {
        let number = match self.kind() {
            Kind::Integer => self.text().parse().ok(),
            _ => None,
        };
        let number = number.ok_or_else(|| self.unexpected("a number"))?;
        self.bump();
        Ok(number)
    }

    /// Past a bracket here and the one that closes it.
    fn skip_brackets(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.kind() {
                Kind::Mark(b'(' | b'[' | b'{') => depth += 1,
                Kind::Mark(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                Kind::End => return,
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }

    /// Reads something that may contain itself.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= DEEPEST {
            return Err(self.error(format!("this is nested deeper than {DEEPEST}")));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    // Errors.

    fn error(&self, message: impl Into<String>) -> Box<Diagnostic> {
        self.error_at(self.next, message)
    }

    fn error_at(&self, place: usize, message: impl Into<String>) -> Box<Diagnostic> {
        let range = self.tokens.get(place).map_or(0..0, Token::range);
        Box::new(Diagnostic::error(message).at(self.source, range))
    }

    fn unexpected(&self, wanted: &str) -> Box<Diagnostic> {
        match self.kind() {
            Kind::End => self.error(format!("the text ends where {wanted} should be")),
            _ => self.error(format!(
                "\"{}\" stands where {wanted} should be",
                shortened(self.text())
            )),
        }
    }

    fn unsupported(&self, what: &str, name: &str, reason: &str) -> Box<Diagnostic> {
        Box::new(self.error(format!("the {what} {name} is not supported")).note(reason))
    }
}

/// The beginning of a long token.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.chars().count() <= LONGEST {
        text.to_owned()
    } else {
        text.chars().take(LONGEST).chain(['…']).collect()
    }
}
