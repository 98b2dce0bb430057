//! Built-in headers of which a unit gets what it needs: those parts that declare one of its names, and what these need.
//!
//! A unit that has none of the names that a declaration declares means the same without it, and nearly all of a built-in header is such declarations. So a unit
//! is preprocessed first, and then the parts of headers that declare one of its names: those of the prelude come before its own tokens, those of a header that
//! it includes where it includes it. Directives of a header are worked off in any case, as the unit may ask for its macros. Where a unit has an error it is
//! compiled again with all of them ([`compile`](crate::compile)), so that what is said about it does not depend on this.
//!
//! `headers/warpsmith/names.tbl` says for each header which lines declare what and which names they use. A test makes the table anew and compares.

use super::Context;
use super::headers;
use super::token::{Keyword, Punctuator, Token, TokenKind};

include!(concat!(env!("OUT_DIR"), "/parts.rs"));

/// A part of a header.
struct Part {
    header: u8,
    /// Its lines.
    first: u16,
    last: u16,
    /// Parts that are needed with it.
    needs: &'static [u16],
    /// If there is any, one of these a unit must itself have for the part to be of use: overloads for types that it cannot have are not. Were that wrong, there
    /// would be an error, and the unit would be compiled again with everything.
    only_with: &'static [Has],
}

/// Something that a unit has itself, not because of the parts that it gets.
#[derive(Clone, Copy)]
enum Has {
    /// The name of this number in [`NAMES`].
    Name(u16),
    /// A name that this header declares.
    NameOf(u8),
}

/// The headers that follow the prelude, in their order, if a unit needs them: those of functions. Not even their directives are read otherwise.
pub(crate) const PRELUDE: [&str; 12] = [
    "warpsmith/initializer_list.h",
    "warpsmith/move_forward.h",
    "warpsmith/integer.h",
    "warpsmith/convert.h",
    "warpsmith/math.h",
    "warpsmith/memory.h",
    "warpsmith/warp.h",
    "warpsmith/atomic.h",
    "warpsmith/gnu_atomic.h",
    "warpsmith/simd.h",
    "warpsmith/simd_extremes.h",
    "warpsmith/texture.h",
];

/// The number of a header that is read in parts.
pub(crate) fn section(name: &str) -> Option<u8> {
    let index = HEADERS.iter().position(|(header, ..)| *header == name)?;
    u8::try_from(index).ok()
}

/// The name of a header that is read in parts.
pub(crate) fn name(section: u8) -> &'static str {
    HEADERS[usize::from(section)].0
}

/// The parts that tokens need.
#[derive(Debug)]
pub(crate) struct Needs {
    /// Whether each header is there at all.
    active: [bool; HEADERS.len()],
    /// A bit for each part.
    parts: Vec<u64>,
    /// The numbers of the names that the unit has itself, and whether one of them is of each header.
    names: Vec<u16>,
    headers: [bool; HEADERS.len()],
    /// Names that have been looked up, a bit for each symbol.
    seen: Vec<u64>,
}

impl Needs {
    /// Nothing yet, of the headers that a unit includes.
    pub(crate) fn of(included: impl Iterator<Item = u8>) -> Needs {
        let mut active = [false; HEADERS.len()];
        for section in included {
            active[usize::from(section)] = true;
        }
        Needs {
            active,
            parts: vec![0; PARTS.len().div_ceil(64)],
            names: Vec::new(),
            headers: [false; HEADERS.len()],
            seen: Vec::new(),
        }
    }

    /// Adds the names among the tokens that headers declare.
    pub(crate) fn add(&mut self, tokens: &[Token], context: &Context) {
        for token in tokens {
            let TokenKind::Identifier(name) = token.kind else {
                continue;
            };
            let (word, bit) = (name.index() / 64, 1 << (name.index() % 64));
            if self.seen.len() <= word {
                self.seen.resize(word + 64, 0);
            }
            if self.seen[word] & bit == 0 {
                self.seen[word] |= bit;
                self.has_name(context.text(name));
            }
        }
        if tokens.iter().enumerate().any(|(at, _)| makes_list(&tokens[at..])) {
            self.has_name("initializer_list");
        }
        // A launch is checked against the types that configure it, which it need not name.
        if tokens.iter().enumerate().any(|(at, _)| opens_launch(&tokens[at..])) {
            self.has_name("dim3");
            self.has_name("cudaStream_t");
        }
    }

    /// The unit has a name.
    fn has_name(&mut self, text: &str) {
        if let Ok(index) = NAMES.binary_search_by(|(name, _)| (*name).cmp(text)) {
            self.names.push(index as u16);
            for part in NAMES[index].1 {
                self.headers[usize::from(PARTS[usize::from(*part)].header)] = true;
            }
        }
    }

    /// Finds the parts that declare one of the names, and what they need.
    pub(crate) fn close(&mut self) {
        let mut work: Vec<u16> = Vec::new();
        for name in &self.names {
            work.extend(NAMES[usize::from(*name)].1);
        }
        while let Some(number) = work.pop() {
            let part = &PARTS[usize::from(number)];
            let (word, bit) = (usize::from(number) / 64, 1 << (number % 64));
            let new = self.active[usize::from(part.header)] && self.parts[word] & bit == 0;
            let wanted = part.only_with;
            if new && (wanted.is_empty() || wanted.iter().any(|wanted| self.unit_has(*wanted))) {
                self.parts[word] |= bit;
                work.extend(part.needs);
                work.push(HEADERS[usize::from(part.header)].1);
            }
        }
    }

    fn unit_has(&self, wanted: Has) -> bool {
        match wanted {
            Has::Name(name) => self.names.contains(&name),
            Has::NameOf(header) => self.headers[usize::from(header)],
        }
    }

    /// Whether a part is needed.
    fn has(&self, part: u16) -> bool {
        self.parts[usize::from(part) / 64] >> (part % 64) & 1 != 0
    }

    /// Whether anything of a header is left out.
    pub(crate) fn leaves_out(&self, section: u8) -> bool {
        let (_, first, after) = HEADERS[usize::from(section)];
        (first..after).any(|part| !self.has(part))
    }

    /// The text of what is needed of a header, each line where it stands; `None` if nothing is.
    pub(crate) fn text(&self, section: u8) -> Option<String> {
        let (name, first, after) = HEADERS[usize::from(section)];
        if !self.has(first) {
            return None;
        }
        let mut parts = (first + 1..after).peekable();
        let text = headers::find(name)?;
        Some(lines(text, |number, line| {
            while parts.next_if(|part| PARTS[usize::from(*part)].last < number).is_some() {}
            let part = parts.peek().filter(|part| PARTS[usize::from(**part)].first <= number);
            match part {
                Some(part) => self.has(*part),
                None => !line.trim_start().starts_with("//"),
            }
        }))
    }
}

/// Whether tokens begin with what makes an `std::initializer_list` that they do not name, in its usual forms: `for (int x : {1, 2})` and `auto list = {1, 2}`.
/// The others are found by the second compilation, with everything.
fn makes_list(tokens: &[Token]) -> bool {
    /// No declarator of such a loop or variable has more tokens.
    const LONGEST: usize = 16;
    let before = match tokens[0].kind {
        TokenKind::Keyword(Keyword::For) => Punctuator::Colon,
        TokenKind::Keyword(Keyword::Auto) => Punctuator::Equal,
        _ => return false,
    };
    let ahead = &tokens[1..tokens.len().min(LONGEST)];
    let end = ahead.iter().position(|token| token.is(Punctuator::Semicolon));
    let ahead = &ahead[..end.unwrap_or(ahead.len())];
    ahead
        .windows(2)
        .any(|pair| pair[0].is(before) && pair[1].is(Punctuator::LeftBrace))
}

/// Whether tokens begin with `<<<`, or `<< <`.
fn opens_launch(tokens: &[Token]) -> bool {
    tokens[0].is(Punctuator::TripleLess)
        || tokens[0].is(Punctuator::DoubleLess) && tokens.get(1).is_some_and(|next| next.is(Punctuator::Less))
}

/// The directives of a header, each line where it stands.
pub(crate) fn directives(section: u8) -> Option<String> {
    let text = headers::find(name(section))?;
    Some(lines(text, |_, _| false))
}

/// A text with those of its lines that are directives or wanted, the others empty.
fn lines(text: &str, mut wanted: impl FnMut(u16, &str) -> bool) -> String {
    let mut chosen = String::with_capacity(text.len() / 4);
    // The line belongs to the directive before it.
    let mut continues = false;
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        let directive = continues || line.trim_start().starts_with('#');
        continues = directive && line.trim_end().ends_with('\\');
        if wanted(number, line) || directive {
            chosen.push_str(line);
        } else {
            chosen.push('\n');
        }
    }
    chosen
}

#[cfg(test)]
mod tests;
