//! Where tokens come from: files, inclusions, macro expansions.
//!
//! Every inclusion of a file has its own range of positions, so that an [`Origin`] alone tells file, offset and the inclusions around it. A token that a
//! macro made has an origin of its own in a second range: an entry with where it is written and which expansion it came out of.

use std::ops::Range;
use std::sync::Arc;

use warpsmith_base::SourceText;

use super::intern::Symbol;

/// Where a token starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin(u32);

impl Origin {
    /// No place: what the compiler itself made up.
    pub const NONE: Origin = Origin(0);

    /// Whether there is a place.
    pub fn is_some(self) -> bool {
        self != Origin::NONE
    }

    /// Whether it came out of a macro.
    pub fn is_expanded(self) -> bool {
        self.0 & EXPANDED != 0
    }

    /// A place some bytes further on in the same text. Only for origins in files.
    pub(crate) fn plus(self, bytes: usize) -> Origin {
        match self.is_expanded() || self == Origin::NONE {
            true => self,
            false => Origin((self.0 + bytes as u32) & !EXPANDED),
        }
    }
}

/// This bit of an origin says that the rest is an index of [`SourceMap::expanded`].
const EXPANDED: u32 = 1 << 31;

/// This bit of [`Expanded::expansion`] says that the token is one of an argument.
const ARGUMENT: u32 = 1 << 31;

/// A stretch of tokens: from the start of one to the end of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// Start of the first token.
    pub first: Origin,
    /// Start of the last token, which is part of the stretch.
    pub last: Origin,
}

impl Span {
    /// No place.
    pub const NONE: Span = Span {
        first: Origin::NONE,
        last: Origin::NONE,
    };

    /// One token.
    pub fn of(origin: Origin) -> Span {
        Span {
            first: origin,
            last: origin,
        }
    }

    /// From the start of this one to the end of `end`.
    pub fn to(self, end: Span) -> Span {
        match (self.first.is_some(), end.last.is_some()) {
            (true, true) => Span {
                first: self.first,
                last: end.last,
            },
            (true, false) => self,
            (false, _) => end,
        }
    }
}

/// An inclusion of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A place for people, as `#line` and line markers say it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file's name.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// An expansion of a macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// The macro.
    pub name: Symbol,
    /// Its name and, for one with parameters, its arguments, where it was called.
    pub call: Span,
}

/// Knows all files and expansions.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<File>,
    /// Where the positions of the next file start, less 1.
    used: u32,
    expanded: Vec<Expanded>,
    expansions: Vec<Expansion>,
}

#[derive(Clone, Debug)]
struct File {
    /// Position of the first byte.
    start: u32,
    text: Arc<SourceText>,
    name: Arc<str>,
    /// Where the `#include` stands.
    included_from: Origin,
    system: bool,
    changes: Vec<LineChange>,
}

/// From some line on, lines have other numbers or are of another file.
#[derive(Clone, Debug)]
struct LineChange {
    /// First line of the text that it is about.
    from: u32,
    /// What number this line has.
    line: u32,
    name: Arc<str>,
    system: bool,
}

#[derive(Clone, Copy, Debug)]
struct Expanded {
    /// Where the token is written: in the macro's body or in an argument.
    spelling: Origin,
    /// Index of [`SourceMap::expansions`], with [`ARGUMENT`].
    expansion: u32,
    /// [`SourceMap::in_file`] of the token: macros may be nested deep, and every expression is asked for its place.
    in_file: Origin,
}

impl SourceMap {
    /// Without files.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Takes in a file as included from `included_from`. `None` if there are too many bytes (2 GiB) in all.
    pub fn add_file(&mut self, text: Arc<SourceText>, included_from: Origin, system: bool) -> Option<FileId> {
        let start = self.used + 1;
        // One position past the end, for errors at the end of the file.
        let end = u32::try_from(text.text().len())
            .ok()
            .and_then(|length| start.checked_add(length)?.checked_add(1))?;
        if end >= EXPANDED {
            return None;
        }
        self.used = end;
        let id = FileId(self.files.len() as u32);
        let name: Arc<str> = Arc::from(text.name());
        self.files.push(File {
            start,
            text,
            name,
            included_from,
            system,
            changes: Vec::new(),
        });
        Some(id)
    }

    /// The origin of a byte of a file.
    pub fn origin(&self, file: FileId, offset: usize) -> Origin {
        let file = &self.files[file.0 as usize];
        Origin(file.start + offset.min(file.text.text().len()) as u32)
    }

    /// Notes an expansion, for [`SourceMap::expand`].
    pub fn add_expansion(&mut self, expansion: Expansion) -> u32 {
        self.expansions.push(expansion);
        self.expansions.len() as u32 - 1
    }

    /// The origin of a token that came out of an expansion, from its body or from an argument. Past 2³¹ tokens, the place of the call.
    pub fn expand(&mut self, spelling: Origin, expansion: u32, argument: bool) -> Origin {
        let index = self.expanded.len() as u32;
        if index >= EXPANDED {
            return self.expansions[expansion as usize].call.first;
        }
        let (flag, outer) = match argument {
            true => (ARGUMENT, spelling),
            false => (0, self.expansions[expansion as usize].call.first),
        };
        self.expanded.push(Expanded {
            spelling,
            expansion: expansion | flag,
            in_file: self.in_file(outer),
        });
        Origin(EXPANDED | index)
    }

    /// From this line (of the text) on, lines are counted from `line`, and are in the file `name`, which is a system header or not.
    pub fn change_line(&mut self, file: FileId, from: u32, line: u32, name: Option<&str>, system: Option<bool>) {
        let file = &mut self.files[file.0 as usize];
        let before = file.changes.last().map_or(&file.name, |change| &change.name);
        let name = match name {
            Some(name) if **before != *name => Arc::from(name),
            Some(_) | None => before.clone(),
        };
        let before = file.changes.last().map_or(file.system, |change| change.system);
        let system = system.unwrap_or(before);
        file.changes.push(LineChange {
            from,
            line,
            name,
            system,
        });
    }

    /// The inclusion that an origin in a file is in.
    fn file_of(&self, origin: Origin) -> Option<&File> {
        if origin.is_expanded() || origin == Origin::NONE {
            return None;
        }
        let after = self.files.partition_point(|file| file.start <= origin.0);
        self.files.get(after.checked_sub(1)?)
    }

    /// The inclusion that a token is in, or that the macro call it came from is in.
    pub fn file(&self, origin: Origin) -> Option<FileId> {
        let origin = self.in_file(origin);
        if origin == Origin::NONE {
            return None;
        }
        let after = self.files.partition_point(|file| file.start <= origin.0);
        Some(FileId(after.checked_sub(1)? as u32))
    }

    /// Whether a token is in a system header.
    pub fn is_system(&self, origin: Origin) -> bool {
        let origin = self.in_file(origin);
        let Some(file) = self.file_of(origin) else { return false };
        if file.changes.is_empty() {
            return file.system;
        }
        let line = file.text.line_column((origin.0 - file.start) as usize).line as u32;
        file.change(line).map_or(file.system, |change| change.system)
    }

    /// The names of all files.
    pub fn file_names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| &*file.name)
    }

    /// Whether a file that is none of the system's has a word in it. Searches their texts.
    pub fn is_named_outside_of_system(&self, word: &str) -> bool {
        let mut own = self.files.iter().filter(|file| !file.system);
        own.any(|file| file.text.text().contains(word))
    }

    /// The text of the first file that was read by a name.
    pub fn text_of(&self, name: &str) -> Option<&Arc<SourceText>> {
        self.files
            .iter()
            .map(|file| &file.text)
            .find(|text| text.name() == name)
    }

    /// The text of a file.
    pub fn text(&self, file: FileId) -> &Arc<SourceText> {
        &self.files[file.0 as usize].text
    }

    /// Where a token is in a file: for one out of a macro's body the call, for one out of an argument the argument.
    pub fn in_file(&self, origin: Origin) -> Origin {
        self.expanded(origin).map_or(origin, |expanded| expanded.in_file)
    }

    /// Where the last token of a stretch is in a file: for one out of a macro's body the end of the call.
    fn end_in_file(&self, origin: Origin) -> Origin {
        let mut origin = origin;
        while let Some(expanded) = self.expanded(origin) {
            origin = match expanded.expansion & ARGUMENT != 0 {
                true => expanded.spelling,
                false => self.expansions[expanded.expansion as usize].call.last,
            };
        }
        origin
    }

    /// Where the characters of a token are, in a definition of a macro if it came out of its body.
    pub fn spelling(&self, origin: Origin) -> Origin {
        let mut origin = origin;
        while let Some(expanded) = self.expanded(origin) {
            origin = expanded.spelling;
        }
        origin
    }

    fn expanded(&self, origin: Origin) -> Option<Expanded> {
        match origin.is_expanded() {
            true => self.expanded.get((origin.0 & !EXPANDED) as usize).copied(),
            false => None,
        }
    }

    /// The expansions whose bodies a token comes from, the innermost first, with the place in the body.
    pub fn expansions(&self, origin: Origin) -> Vec<(Expansion, Origin)> {
        let mut found = Vec::new();
        let mut origin = origin;
        while let Some(expanded) = self.expanded(origin) {
            origin = match expanded.expansion & ARGUMENT != 0 {
                true => expanded.spelling,
                false => {
                    let expansion = self.expansions[expanded.expansion as usize];
                    found.push((expansion, self.spelling(expanded.spelling)));
                    expansion.call.first
                }
            };
        }
        found
    }

    /// File, line and column of a token (of the call, if it came out of a macro). `None` for [`Origin::NONE`].
    pub fn place(&self, origin: Origin) -> Option<Place> {
        let origin = self.in_file(origin);
        let file = self.file_of(origin)?;
        let place = file.text.line_column((origin.0 - file.start) as usize);
        let (name, line) = file.presumed(place.line as u32);
        Some(Place {
            file: name.clone(),
            line,
            column: place.column as u32,
        })
    }

    /// The places of the `#include` directives around a token, the innermost first.
    pub fn inclusions(&self, origin: Origin) -> Vec<Place> {
        let mut found = Vec::new();
        let mut origin = self.in_file(origin);
        while let Some(file) = self.file_of(origin) {
            origin = self.in_file(file.included_from);
            found.extend(self.place(origin));
        }
        found
    }

    /// Text and bytes of a stretch in a file. A stretch whose end is not in the file of its start ends with its first token.
    pub fn bytes(&self, span: Span) -> Option<(&SourceText, Range<usize>)> {
        let first = self.in_file(span.first);
        let last = self.end_in_file(span.last);
        let file = self.file_of(first)?;
        let start = (first.0 - file.start) as usize;
        let text = file.text.text();
        let last = match self.file_of(last) {
            Some(other) if other.start == file.start && last >= first => (last.0 - file.start) as usize,
            Some(_) | None => start,
        };
        Some((&file.text, start..last + super::lexer::token_length(text, last)))
    }
}

impl File {
    /// What has been said about a line of the text.
    fn change(&self, line: u32) -> Option<&LineChange> {
        let after = self.changes.partition_point(|change| change.from <= line);
        after.checked_sub(1).map(|index| &self.changes[index])
    }

    /// Name and number of a line of the text.
    fn presumed(&self, line: u32) -> (&Arc<str>, u32) {
        match self.change(line) {
            Some(change) => (&change.name, change.line.saturating_add(line - change.from)),
            None => (&self.name, line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(map: &SourceMap, origin: Origin) -> String {
        map.place(origin).map_or("nowhere".into(), |place| place.to_string())
    }

    #[test]
    fn files_and_inclusions() {
        let mut map = SourceMap::new();
        let main = map
            .add_file(Arc::new(SourceText::new("a.cu", "int a;\nint b;")), Origin::NONE, false)
            .expect("fits");
        let include = map.origin(main, 7);
        let header = map
            .add_file(Arc::new(SourceText::new("b.h", "int c;")), include, true)
            .expect("fits");
        assert_eq!(place(&map, map.origin(main, 11)), "a.cu:2:5");
        assert_eq!(place(&map, map.origin(header, 4)), "b.h:1:5");
        assert_eq!(place(&map, Origin::NONE), "nowhere");
        let places = map.inclusions(map.origin(header, 0));
        assert_eq!(places.len(), 1);
        assert_eq!(places[0].to_string(), "a.cu:2:1");
        assert!(map.is_system(map.origin(header, 0)));
        assert!(!map.is_system(include));
    }

    #[test]
    fn lines_renamed() {
        let mut map = SourceMap::new();
        let main = map
            .add_file(
                Arc::new(SourceText::new("a.ii", "x\n# 7 \"b.h\"\ny\nz")),
                Origin::NONE,
                false,
            )
            .expect("fits");
        map.change_line(main, 3, 7, Some("b.h"), None);
        assert_eq!(place(&map, map.origin(main, 0)), "a.ii:1:1");
        assert_eq!(place(&map, map.origin(main, 14)), "b.h:8:1");
    }

    #[test]
    fn expansions_from_body_and_argument() {
        let mut interner = super::super::Interner::new();
        let mut map = SourceMap::new();
        let text = "#define F(x) x+1\nF(2)";
        let main = map
            .add_file(Arc::new(SourceText::new("a", text)), Origin::NONE, false)
            .expect("fits");
        let call = Span {
            first: map.origin(main, 17),
            last: map.origin(main, 20),
        };
        let expansion = map.add_expansion(Expansion {
            name: interner.intern("F"),
            call,
        });
        let argument = map.expand(map.origin(main, 19), expansion, true);
        let body = map.expand(map.origin(main, 14), expansion, false);
        assert_eq!(place(&map, argument), "a:2:3");
        assert_eq!(place(&map, body), "a:2:1");
        assert_eq!(place(&map, map.spelling(body)), "a:1:15");
        let whole = Span {
            first: body,
            last: body,
        };
        assert_eq!(map.bytes(whole).map(|(_, bytes)| &text[bytes]), Some("F(2)"));
        assert_eq!(map.expansions(body).len(), 1);
        assert_eq!(map.expansions(argument).len(), 0);
    }
}
