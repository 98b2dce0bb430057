//! Preprocessing: translation phases 1 to 4 of [lex.phases], directives and macros of [cpp].
//!
//! | file | idea |
//! |---|---|
//! | `mod` | the stack of files; the tokens of the unit one after another |
//! | `directive` | what lines that begin with `#` do |
//! | `include` | finding and entering headers |
//! | `condition` | expressions of `#if` |
//! | `pragma` | `#pragma` and `_Pragma` |
//! | `define` | definitions: parameters, replacement lists, comparing two |
//! | `expand` | expansion: arguments, `#`, `##`, `__VA_OPT__`, rescanning |
//! | `predefined` | macros that are there from the start |
//!
//! Reading goes through three levels: [`Preprocessor::raw`] gives tokens of the innermost expansion or file with directives worked off,
//! [`Preprocessor::expanded`] expands macros among them, [`Preprocessor::next`] also works `_Pragma` off. A macro is disabled while tokens of its expansion
//! are being read, and a name met then is painted for good: this is the rule of [cpp.rescan], as the compilers that people compare with do it.

mod condition;
mod define;
mod directive;
mod expand;
mod include;
mod pragma;
mod predefined;

use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use warpsmith_base::SourceText;

use super::Context;
use super::files::FileSystem;
use super::intern::Symbol;
use super::lexer::{Flags, Lexer, RawKind, RawToken};
use super::map::{FileId, Origin, Span};
use super::options::{Options, Standard};
use super::sections;
use super::token::Punctuator;
use define::Macro;
use expand::Frame;
pub(crate) use include::is_built_in;
pub use include::missing_header;
pub(crate) use pragma::{RawPragma, RawPragmaKind};

/// Files included in one another deeper than this are an error.
const DEEPEST_INCLUSION: usize = 200;

/// Conditionals nested deeper than this are an error.
const DEEPEST_CONDITION: usize = 1000;

/// The preprocessor of one unit.
pub(crate) struct Preprocessor<'c> {
    pub(crate) context: &'c mut Context,
    files: &'c dyn FileSystem,
    pub(crate) options: &'c Options,
    /// The files being read, the innermost last.
    stack: Vec<Input>,
    /// Files read so far, by path.
    cache: HashMap<String, Rc<Cached>, FxBuildHasher>,
    /// What searches for headers found: large libraries include the same ones from everywhere, and each folder before the right one costs a call.
    searched: HashMap<include::Search, Option<include::FoundHeader>, FxBuildHasher>,
    /// Paths at which there is no file.
    absent: hashbrown::HashSet<String, FxBuildHasher>,
    /// Identities of files that say `#pragma once`.
    once: hashbrown::HashSet<String, FxBuildHasher>,
    /// Macros by their number.
    macros: Vec<Rc<Macro>>,
    /// Whether tokens of the macro's expansion are being read.
    disabled: Vec<bool>,
    /// For each symbol the number of its macro plus 1, or 0.
    defined: Vec<u32>,
    /// Definitions saved by `#pragma push_macro`.
    pushed: Vec<(Symbol, u32)>,
    /// Names that must no longer be used: `#pragma GCC poison`.
    poisoned: Vec<Symbol>,
    /// Expansions being read, the innermost last; their tokens lie in `pool`.
    frames: Vec<Frame>,
    pool: Vec<RawToken>,
    /// Tokens that expansions have made so far.
    made: usize,
    /// Arguments within arguments being expanded.
    depth: usize,
    /// Layout before expansions that came to nothing, for the token after them.
    carried: Flags,
    /// Arguments of a macro are being read.
    in_arguments: usize,
    /// An expression of `#if` is being read.
    in_condition: bool,
    /// A directive is being worked off.
    in_directive: bool,
    /// Pragmas that are tokens.
    pub(crate) pragmas: Vec<RawPragma>,
    counter: u64,
    /// The path of the main file.
    main_name: String,
    /// A header was not found.
    pub(crate) missing_header: bool,
    /// Paths of all files that were read, in order.
    pub(crate) dependencies: Vec<String>,
    /// Files entered and left, for the printer; only if it asks.
    pub(crate) moves: Option<Vec<Move>>,
    stopped: bool,
    /// Files that are open while the prelude is; 0 if it is not.
    prelude_depth: usize,
    /// What was defined at the end of the prelude, if more of it may be read at the end.
    after_prelude: Option<Definitions>,
    /// Headers of which only the directives have been read, with what was defined after them.
    deferred: Vec<(u8, Definitions)>,
}

/// What names mean to the preprocessor.
struct Definitions {
    defined: Vec<u32>,
    poisoned: Vec<Symbol>,
}

/// A file of the stack.
struct Input {
    lexer: Lexer,
    /// The file's folder, for `#include "…"`.
    folder: String,
    /// Where in the list of folders it was found, for `#include_next`.
    found: include::Found,
    cached: Option<Rc<Cached>>,
    conditions: Vec<Condition>,
    guard: Guard,
    /// Only the directives of this header are read; its parts follow at the end of the unit.
    deferred: Option<u8>,
}

/// A file that has been read.
pub(crate) struct Cached {
    text: Arc<SourceText>,
    identity: String,
    /// The macro without which the file has nothing, once known.
    guard: std::cell::Cell<Option<Symbol>>,
}

/// Whether the whole file is inside `#ifndef NAME` … `#endif`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guard {
    /// Nothing has been read yet.
    Start,
    /// Inside the first conditional, which is `#ifndef` of this name.
    Inside(Symbol),
    /// After its `#endif`.
    After(Symbol),
    /// There is something else.
    No,
}

/// An `#if` being read.
struct Condition {
    origin: Origin,
    /// A group of it has been read, or is being read.
    taken: bool,
    /// `#else` has been seen.
    last: bool,
}

/// A file was entered or left before some token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    Enter,
    Leave,
}

impl<'c> Preprocessor<'c> {
    /// Ready to give the tokens of the main file, with predefined macros, the prelude and `-include` before.
    pub(crate) fn new(
        context: &'c mut Context,
        files: &'c dyn FileSystem,
        options: &'c Options,
        main: &str,
    ) -> Preprocessor<'c> {
        let mut this = Preprocessor {
            context,
            files,
            options,
            stack: Vec::new(),
            cache: HashMap::default(),
            searched: HashMap::default(),
            absent: hashbrown::HashSet::default(),
            once: hashbrown::HashSet::default(),
            macros: Vec::new(),
            disabled: Vec::new(),
            defined: Vec::new(),
            pushed: Vec::new(),
            poisoned: Vec::new(),
            frames: Vec::new(),
            pool: Vec::new(),
            made: 0,
            depth: 0,
            carried: Flags::default(),
            in_arguments: 0,
            in_condition: false,
            in_directive: false,
            pragmas: Vec::new(),
            counter: 0,
            main_name: String::new(),
            missing_header: false,
            dependencies: Vec::new(),
            moves: None,
            stopped: false,
            prelude_depth: 0,
            after_prelude: None,
            deferred: Vec::new(),
        };
        this.predefine();
        this.enter_main(main);
        this
    }

    /// The next token of the unit: [`RawKind::End`] when there is none.
    pub(crate) fn next(&mut self) -> RawToken {
        loop {
            let token = self.expanded();
            match token.kind {
                RawKind::Identifier(name) if name == super::names::PRAGMA_OPERATOR => {
                    if let Some(pragma) = self.pragma_operator(token) {
                        return pragma;
                    }
                }
                RawKind::Placemarker | RawKind::EndOfLine => {}
                _ => return token,
            }
        }
    }

    /// The next token of the innermost expansion, or of the file with directives worked off.
    fn raw(&mut self) -> RawToken {
        while let Some(frame) = self.frames.last_mut() {
            if let Some(&token) = self.pool.get(frame.at).filter(|_| frame.at < frame.end) {
                frame.at += 1;
                return self.painted(token);
            }
            if frame.barrier {
                return self.end_token();
            }
            self.pop_frame();
        }
        self.file_token()
    }

    /// The next token of the file.
    fn file_token(&mut self) -> RawToken {
        loop {
            let Some(input) = self.stack.last_mut() else {
                return self.end_token();
            };
            let token = input.lexer.next(self.context);
            match token.kind {
                RawKind::Punctuator(Punctuator::Hash)
                    if token.flags.has(Flags::LINE_START) && !input.lexer.in_directive =>
                {
                    if let Some(token) = self.directive(token) {
                        return token;
                    }
                }
                RawKind::End => {
                    // A call of a macro does not go on after its file.
                    if self.in_arguments > 0 || self.stack.len() == 1 && self.stopped {
                        return token;
                    }
                    let deferred = self.stack.last().and_then(|input| input.deferred);
                    self.leave_file();
                    if let Some(section) = deferred {
                        self.deferred.push((section, self.definitions()));
                        return self.pragma_token(RawPragmaKind::Section(section), Vec::new(), token);
                    }
                    if self.stack.is_empty() {
                        self.stopped = true;
                        return token;
                    }
                }
                _ => {
                    if matches!(input.guard, Guard::Start | Guard::After(_)) {
                        input.guard = Guard::No;
                    }
                    return self.painted(token);
                }
            }
        }
    }

    /// The token, painted if it is the name of a macro whose expansion is being read.
    #[inline]
    fn painted(&self, token: RawToken) -> RawToken {
        match token.kind {
            RawKind::Identifier(name)
                if self
                    .macro_number(name)
                    .is_some_and(|number| self.disabled[number as usize]) =>
            {
                RawToken {
                    flags: token.flags.with(Flags::PAINTED),
                    ..token
                }
            }
            _ => token,
        }
    }

    fn end_token(&self) -> RawToken {
        RawToken {
            kind: RawKind::End,
            origin: self.stack.last().map_or(Origin::NONE, |input| input.lexer.origin()),
            flags: Flags::default(),
        }
    }

    /// The number of the macro of this name.
    #[inline]
    fn macro_number(&self, name: Symbol) -> Option<u32> {
        self.defined.get(name.index()).and_then(|number| number.checked_sub(1))
    }

    /// Makes a name stand for a macro, or for none.
    fn set_macro(&mut self, name: Symbol, number: Option<u32>) {
        if self.defined.len() <= name.index() {
            self.defined.resize(name.index() + 64, 0);
        }
        self.defined[name.index()] = number.map_or(0, |number| number + 1);
    }

    /// Takes a definition in.
    fn add_macro(&mut self, definition: Macro) -> u32 {
        self.macros.push(Rc::new(definition));
        self.disabled.push(false);
        self.macros.len() as u32 - 1
    }

    /// Leaves the innermost file: its conditionals must have ended.
    fn leave_file(&mut self) {
        let Some(input) = self.stack.pop() else { return };
        if self.stack.len() + 1 == self.prelude_depth {
            self.prelude_depth = 0;
            self.after_prelude = Some(self.definitions());
        }
        for condition in &input.conditions {
            self.context
                .error(Span::of(condition.origin), "this conditional has no `#endif`");
        }
        if let (Some(cached), Guard::After(name)) = (&input.cached, input.guard) {
            cached.guard.set(Some(name));
        }
        if let Some(moves) = &mut self.moves {
            moves.push(Move::Leave);
        }
    }

    /// The names of all macros, in order.
    #[cfg(test)]
    pub(crate) fn macro_names(&self) -> Vec<String> {
        let defined = self.defined.iter().enumerate().filter(|(_, number)| **number != 0);
        let mut names: Vec<String> = defined
            .map(|(index, _)| self.context.text(Symbol::numbered(index)).to_string())
            .collect();
        names.sort_unstable();
        names
    }

    /// Whether the prelude has been read and more of it may follow the unit.
    pub(crate) fn is_after_prelude(&self) -> bool {
        self.after_prelude.is_some()
    }

    /// What is defined now.
    fn definitions(&self) -> Definitions {
        Definitions {
            defined: self.defined.clone(),
            poisoned: self.poisoned.clone(),
        }
    }

    /// At the end of the unit, goes on with what is needed of a header, which sees the macros that it would see where it is included. Says whether there is
    /// something to read: a unit may have included a header of the prelude whole.
    pub(crate) fn enter_section(&mut self, section: u8, text: String) -> bool {
        let deferred = self.deferred.iter().find(|(deferred, _)| *deferred == section);
        let Some(definitions) = deferred
            .map(|(_, definitions)| definitions)
            .or(self.after_prelude.as_ref())
        else {
            return false;
        };
        if deferred.is_none() && self.was_read_once(sections::name(section)) {
            return false;
        }
        self.defined.clone_from(&definitions.defined);
        self.poisoned.clone_from(&definitions.poisoned);
        self.stopped = false;
        self.enter_part(sections::name(section), text, None);
        true
    }

    /// Reads a text that has no file, such as definitions of the command line.
    fn enter_text(&mut self, name: &str, text: String, from: Origin) {
        let source = Arc::new(SourceText::new(name, text));
        if let Some(file) = self.add_file(source, from, true) {
            let lexer = self.lexer(file);
            self.stack
                .push(Input::new(lexer, String::new(), include::Found::Nowhere, None));
        }
    }

    fn lexer(&self, file: FileId) -> Lexer {
        Lexer::new(self.context, file, self.options.standard >= Standard::Cpp20)
    }

    fn add_file(&mut self, text: Arc<SourceText>, from: Origin, system: bool) -> Option<FileId> {
        let file = self.context.map.add_file(text, from, system);
        if file.is_none() {
            self.context
                .error(Span::of(from), "the unit has more than 2 GiB of source text");
            self.stop();
        }
        file
    }

    /// Ends all reading, after an error that makes more of it useless.
    fn stop(&mut self) {
        self.stopped = true;
        self.frames.retain(|frame| frame.barrier);
        for frame in &mut self.frames {
            frame.at = frame.end;
        }
        self.stack.clear();
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.context.error(span, message);
    }

    /// A warning, unless it is about a system header.
    fn warning(&mut self, span: Span, message: impl Into<String>) {
        if !self.context.map.is_system(span.first) {
            self.context.diagnostics.warning(span, message);
        }
    }
}

impl Input {
    fn new(lexer: Lexer, folder: String, found: include::Found, cached: Option<Rc<Cached>>) -> Input {
        Input {
            lexer,
            folder,
            found,
            cached,
            conditions: Vec::new(),
            guard: Guard::Start,
            deferred: None,
        }
    }
}
