//! Finding and entering files [cpp.include].

use std::rc::Rc;
use std::sync::Arc;

use warpsmith_base::SourceText;

use super::super::files::{folder, normal};
use super::super::headers;
use super::super::lexer::{RawKind, RawToken, spelling};
use super::super::map::{Origin, Span};
use super::super::options::Prelude;
use super::super::sections;
use super::super::token::Punctuator;
use super::{Cached, DEEPEST_INCLUSION, Guard, Input, Move, Preprocessor};

/// Where a file was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Not by the list of folders.
    Nowhere,
    /// In this folder of the list.
    Folder(usize),
}

/// A header as a directive names it.
pub(super) struct Header {
    pub(super) name: String,
    pub(super) angled: bool,
    pub(super) span: Span,
}

/// A header that has been found: where, and what it says.
pub(super) type FoundHeader = (Candidate, Rc<Cached>);

/// A search through the folders: a name, whether in angle brackets, and for `#include_next` the first folder.
pub(super) type Search = (String, bool, Option<usize>);

/// A path that a header may be at.
#[derive(Clone)]
pub(super) struct Candidate {
    path: String,
    found: Found,
    system: bool,
}

/// The words around a header that is not there.
const MISSING: &str = "there is no file `";
const SEARCHED: &str = "` in the folders searched";

/// The header that a message says is not there.
///
/// ```
/// use warpsmith_cuda::source::missing_header;
///
/// assert_eq!(missing_header("there is no file `a.h` in the folders searched"), Some("a.h"));
/// assert_eq!(missing_header("`a` is not declared"), None);
/// ```
pub fn missing_header(message: &str) -> Option<&str> {
    message.strip_prefix(MISSING)?.strip_suffix(SEARCHED)
}

/// The folder that built-in headers are shown to be in.
const BUILT_IN: &str = "<built-in>/";

/// Whether a file is a header of our own.
pub(crate) fn is_built_in(file: &str) -> bool {
    file.starts_with(BUILT_IN)
}

impl Preprocessor<'_> {
    /// Starts with the main file; what is included before it is read first.
    pub(super) fn enter_main(&mut self, main: &str) {
        self.main_name = main.to_string();
        let preprocessed = match self.read(main) {
            Ok(cached) => {
                let preprocessed = has_prelude(cached.text.text());
                self.enter(main, cached, Found::Nowhere, Origin::NONE, false);
                preprocessed
            }
            Err(error) => {
                self.error(Span::NONE, format!("cannot read `{main}`: {error}"));
                self.stop();
                return;
            }
        };
        if preprocessed {
            return;
        }
        let options = self.options;
        for name in options.includes.iter().rev() {
            let header = Header {
                name: name.clone(),
                angled: false,
                span: Span::NONE,
            };
            self.enter_header(&header, false, false);
        }
        match options.prelude {
            Prelude::None => {}
            Prelude::AsNeeded => {
                self.enter_built_in(headers::PRELUDE);
                self.prelude_depth = self.stack.len();
            }
            Prelude::Whole => {
                self.enter_built_in(headers::HOSTED);
                for name in sections::PRELUDE.iter().rev() {
                    self.enter_built_in(name);
                }
                self.enter_built_in(headers::PRELUDE);
            }
        }
        self.enter_definitions();
    }

    /// Whether tokens are read from a header of the compiler's own.
    pub(super) fn is_in_built_in_header(&self) -> bool {
        self.stack.last().is_some_and(|input| input.folder == BUILT_IN)
    }

    /// Reads a header of the prelude next.
    pub(super) fn enter_built_in(&mut self, name: &str) {
        let header = Header {
            name: name.to_string(),
            angled: true,
            span: Span::NONE,
        };
        self.enter_header(&header, false, false);
    }

    /// `#include`, `#include_next` and `#import`, after that word.
    pub(super) fn include(&mut self, directive: &str, token: RawToken) {
        let Some(header) = self.header(directive, token) else {
            return;
        };
        let is_next = directive == "include_next";
        self.set_line_done();
        self.enter_header(&header, is_next, directive == "import");
    }

    /// The directive's line is done, before another file is entered.
    fn set_line_done(&mut self) {
        self.end_of_directive("#include");
        self.in_directive = false;
        if let Some(input) = self.stack.last_mut() {
            input.lexer.in_directive = false;
        }
    }

    /// The header that a directive names.
    fn header(&mut self, directive: &str, token: RawToken) -> Option<Header> {
        let input = self.stack.last_mut()?;
        if let Some((name, angled, origin)) = input.lexer.header_name(self.context) {
            let span = Span::of(origin);
            if name.is_empty() {
                self.error(span, format!("`#{directive}` with an empty name"));
                self.skip_line();
                return None;
            }
            return Some(Header { name, angled, span });
        }
        let tokens = self.expanded_line();
        let header = self.header_of_tokens(&tokens);
        if header.is_none() {
            let span = tokens.first().map_or(token.span(), RawToken::span);
            self.error(
                span,
                format!("`#{directive}` must be followed by `<name>` or `\"name\"`"),
            );
        }
        header
    }

    /// A header name made by macros.
    pub(super) fn header_of_tokens(&mut self, tokens: &[RawToken]) -> Option<Header> {
        let first = tokens.first()?;
        let span = first.span();
        if let RawKind::String(symbol) = first.kind {
            let text = self.context.text(symbol);
            let name = text.strip_prefix('"')?.strip_suffix('"')?.to_string();
            return Some(Header {
                name,
                angled: false,
                span,
            });
        }
        if !first.is(Punctuator::Less) {
            return None;
        }
        let end = tokens.iter().position(|token| token.is(Punctuator::Greater))?;
        let mut name = String::new();
        for (index, token) in tokens[1..end].iter().enumerate() {
            if index > 0 && token.flags.has(super::Flags::SPACE) {
                name.push(' ');
            }
            spelling(self.context, token, &mut name);
        }
        Some(Header {
            name,
            angled: true,
            span,
        })
    }

    /// Finds a header: the file and where it was.
    fn find(&mut self, header: &Header, is_next: bool) -> Result<Option<FoundHeader>, String> {
        let name = header.name.as_str();
        let current = self.stack.last();
        let start = match current.map(|input| input.found) {
            Some(Found::Folder(index)) if is_next => Some(index + 1),
            Some(_) | None => None,
        };
        let is_rooted = name.starts_with('/');
        let folder = current.map_or("", |input| input.folder.as_str());
        let near = match is_rooted {
            _ if !is_next && self.files.is_header(name) => Some(name.to_owned()),
            true => Some(normal(name)),
            false if header.angled || start.is_some() || folder == BUILT_IN => None,
            false => Some(normal(&format!("{folder}{name}"))),
        };
        if let Some(path) = near {
            let candidate = Candidate {
                path,
                found: Found::Nowhere,
                system: current.is_some_and(|input| self.context.map.is_system(input.lexer.origin())),
            };
            if let Some(found) = self.find_at(name, candidate)? {
                return Ok(Some(found));
            }
        }
        if is_rooted {
            return Ok(None);
        }
        let key = (name.to_string(), header.angled, start);
        if let Some(found) = self.searched.get(&key) {
            return Ok(found.clone());
        }
        let found = self.search(name, header.angled, start.unwrap_or(0))?;
        self.searched.insert(key, found.clone());
        Ok(found)
    }

    /// Finds a header in the folders of the command line, from one of them on, or among the built-in ones.
    fn search(&mut self, name: &str, angled: bool, start: usize) -> Result<Option<FoundHeader>, String> {
        let options = self.options;
        let quote = options.quote_folders.iter().map(|folder| (folder, false, true));
        let plain = options.folders.iter().map(|folder| (folder, false, false));
        let system = options.system_folders.iter().map(|folder| (folder, true, false));
        let folders = quote.chain(plain).chain(system).enumerate().skip(start);
        for (index, (folder, system, quote_only)) in folders {
            if quote_only && angled {
                continue;
            }
            let candidate = Candidate {
                path: normal(&format!("{folder}/{name}")),
                found: Found::Folder(index),
                system,
            };
            if let Some(found) = self.find_at(name, candidate)? {
                return Ok(Some(found));
            }
        }
        let name = normal(name);
        // What headers that stand in for a toolkit's include is there in any case.
        Ok(match self.options.built_in_headers || name.starts_with("warpsmith/") {
            true => self.built_in_header(&name),
            false => None,
        })
    }

    /// The header at a path, if there is one.
    fn find_at(&mut self, name: &str, candidate: Candidate) -> Result<Option<FoundHeader>, String> {
        if self.absent.contains(candidate.path.as_str()) {
            return Ok(None);
        }
        match self.read(&candidate.path) {
            Ok(cached) => Ok(
                match headers::replacement(name, cached.text.text(), self.options.mode) {
                    Some(ours) => self.built_in_header(ours),
                    None => Some((candidate, cached)),
                },
            ),
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory | std::io::ErrorKind::IsADirectory
                ) =>
            {
                self.absent.insert(candidate.path);
                Ok(None)
            }
            Err(error) => Err(format!("cannot read `{}`: {error}", candidate.path)),
        }
    }

    /// A built-in header.
    fn built_in_header(&mut self, name: &str) -> Option<(Candidate, Rc<Cached>)> {
        let text = headers::find(name)?;
        let path = format!("{BUILT_IN}{name}");
        let cached = self.cache.entry_ref(path.as_str()).or_insert_with(|| {
            Rc::new(Cached {
                text: Arc::new(SourceText::new(path.clone(), text)),
                identity: path.clone(),
                guard: std::cell::Cell::new(None),
            })
        });
        let candidate = Candidate {
            path: path.clone(),
            found: Found::Nowhere,
            system: true,
        };
        Some((candidate, cached.clone()))
    }

    /// Whether `__has_include` is true of it.
    pub(super) fn has_header(&mut self, header: &Header, is_next: bool) -> bool {
        matches!(self.find(header, is_next), Ok(Some(_)))
    }

    fn enter_header(&mut self, header: &Header, is_next: bool, import: bool) {
        if self.stack.len() > DEEPEST_INCLUSION {
            let message = format!("files are included in one another deeper than {DEEPEST_INCLUSION}");
            self.error(header.span, message);
            return self.stop();
        }
        match self.find(header, is_next) {
            Ok(Some((candidate, cached))) => {
                if self.once.contains(&cached.identity) {
                    return;
                }
                if import {
                    self.once.insert(cached.identity.clone());
                }
                if cached.guard.get().is_some_and(|name| self.is_defined(name)) {
                    return;
                }
                if let Some((section, text)) = self.deferred_section(&candidate.path) {
                    return self.enter_part(sections::name(section), text, Some((section, header.span.first)));
                }
                self.enter(
                    &candidate.path,
                    cached,
                    candidate.found,
                    header.span.first,
                    candidate.system,
                );
            }
            Ok(None) => {
                self.error(header.span, format!("{MISSING}{}{SEARCHED}", header.name));
                self.missing_header = true;
            }
            Err(message) => {
                self.error(header.span, message);
                self.missing_header = true;
            }
        }
    }

    /// The header at a path, if it is to be read in parts, and its directives.
    fn deferred_section(&self, path: &str) -> Option<(u8, String)> {
        let name = path.strip_prefix(BUILT_IN)?;
        if self.options.prelude != Prelude::AsNeeded || sections::PRELUDE.contains(&name) {
            return None;
        }
        let section = sections::section(name)?;
        Some((section, sections::directives(section)?))
    }

    /// Whether a built-in header has been read that is read only once.
    pub(super) fn was_read_once(&self, name: &str) -> bool {
        self.once.contains(format!("{BUILT_IN}{name}").as_str())
    }

    /// Reads some lines of a built-in header next: if its parts are to follow, its number and where it is included.
    pub(super) fn enter_part(&mut self, name: &str, text: String, deferred: Option<(u8, Origin)>) {
        let path = format!("{BUILT_IN}{name}");
        let cached = Rc::new(Cached {
            text: Arc::new(SourceText::new(path.clone(), text)),
            identity: path.clone(),
            guard: std::cell::Cell::new(None),
        });
        let from = deferred.map_or(Origin::NONE, |(_, from)| from);
        self.enter(&path, cached, Found::Nowhere, from, true);
        if let Some(input) = self.stack.last_mut() {
            input.deferred = deferred.map(|(section, _)| section);
        }
    }

    fn enter(&mut self, path: &str, cached: Rc<Cached>, found: Found, from: Origin, system: bool) {
        let Some(file) = self.add_file(cached.text.clone(), from, system) else {
            return;
        };
        let lexer = self.lexer(file);
        let folder = match path.starts_with(BUILT_IN) {
            true => BUILT_IN.to_string(),
            false => folder(path).to_string(),
        };
        let input = Input::new(lexer, folder, found, Some(cached));
        debug_assert!(input.guard == Guard::Start);
        self.stack.push(input);
        if let Some(moves) = &mut self.moves {
            moves.push(Move::Enter);
        }
    }

    /// The text of a file, from memory if it has been read before.
    fn read(&mut self, path: &str) -> std::io::Result<Rc<Cached>> {
        if let Some(cached) = self.cache.get(path) {
            return Ok(cached.clone());
        }
        let bytes = self.files.read(path)?;
        // Bytes that are no UTF-8 are only expected in comments.
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        let cached = Rc::new(Cached {
            text: Arc::new(SourceText::new(path, text)),
            identity: self.files.identity(path),
            guard: std::cell::Cell::new(None),
        });
        self.cache.insert(path.to_string(), cached.clone());
        self.dependencies.push(path.to_string());
        Ok(cached)
    }
}

/// Whether a text is what `-E` prints: as its line markers say, the declarations that every unit gets first stand in it. They are not read again, nor what the
/// command line includes and defines, which has had its effect.
fn has_prelude(text: &str) -> bool {
    text.lines().filter_map(|line| line.strip_prefix("# ")).any(|marker| {
        let Some((number, rest)) = marker.split_once(" \"") else {
            return false;
        };
        let name = rest.split('"').next().unwrap_or_default();
        let is_first =
            name.starts_with("<built-in>/warpsmith/") || name == "cuda_runtime.h" || name.ends_with("/cuda_runtime.h");
        is_first && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}
