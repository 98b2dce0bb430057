//! What is wrong with a program: collected by all steps of the front end.

use warpsmith_base::{Cancel, Diagnostic, Excerpt, Mark, Severity};

use super::map::{Place, SourceMap, Span};

/// One message.
///
/// ```
/// use warpsmith_cuda::source::{Report, Span};
/// let report = Report::error(Span::NONE, "no function `f` takes these arguments")
///     .label(Span::NONE, "`const char *`")
///     .note_at(Span::NONE, "candidate `void f(int)`: there is no conversion");
/// assert_eq!(report.notes.len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, without a full stop; names and types in backquotes.
    pub message: String,
    /// What it is about.
    pub span: Span,
    /// A word or two beside the caret of `span`; may be empty.
    pub text: String,
    /// Other stretches underlined in the same excerpt.
    pub labels: Vec<Label>,
    /// What else there is to say: candidates, earlier declarations, the chain of instantiations.
    pub notes: Vec<Note>,
    /// Of warnings that can be switched off: nvcc's number.
    pub number: Option<u32>,
}

/// A stretch with a text of few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The stretch.
    pub span: Span,
    /// What it is.
    pub text: String,
}

/// A sentence added to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The sentence, without a full stop.
    pub message: String,
    /// The place it is about, or [`Span::NONE`].
    pub span: Span,
    /// What is being instantiated where the message arose: [`Diagnostics::spell`] makes the sentence of it.
    pub instantiated: Option<Instantiated>,
}

/// A link of a chain of instantiations, by its index in the typed program. Its name is spelled when the unit is done: hardly any link is
/// ever shown, and names of types can be long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instantiated {
    /// A class.
    Class(u32),
    /// A function.
    Function(u32),
    /// A default argument of a function.
    DefaultArgument(u32),
    /// A variable template.
    VariableTemplate(u32),
    /// An alias template.
    AliasTemplate(u32),
}

impl Note {
    fn new(span: Span, message: impl Into<String>) -> Note {
        Note {
            message: message.into(),
            span,
            instantiated: None,
        }
    }
}

impl Report {
    /// A message of any severity.
    pub fn new(severity: Severity, span: Span, message: impl Into<String>) -> Report {
        Report {
            severity,
            message: message.into(),
            span,
            text: String::new(),
            labels: Vec::new(),
            notes: Vec::new(),
            number: None,
        }
    }

    /// Says which warning it is; the message ends with its number.
    pub fn numbered(mut self, warning: super::Warning) -> Report {
        self.number = Some(warning.number());
        self.message += &format!(" [#{}-D]", warning.number());
        self
    }

    /// An error.
    pub fn error(span: Span, message: impl Into<String>) -> Report {
        Report::new(Severity::Error, span, message)
    }

    /// A warning.
    pub fn warning(span: Span, message: impl Into<String>) -> Report {
        Report::new(Severity::Warning, span, message)
    }

    /// Says something beside the caret.
    pub fn here(mut self, text: impl Into<String>) -> Report {
        self.text = text.into();
        self
    }

    /// Underlines another stretch.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Report {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Adds a sentence.
    pub fn note(self, message: impl Into<String>) -> Report {
        self.note_at(Span::NONE, message)
    }

    /// Adds a sentence about another place.
    pub fn note_at(mut self, span: Span, message: impl Into<String>) -> Report {
        self.notes.push(Note::new(span, message));
        self
    }

    /// One line without source text, for programs.
    pub fn to_diagnostic(&self, map: &SourceMap) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.severity, self.message.clone());
        if let Some(place) = map.place(self.span.first) {
            diagnostic = diagnostic
                .in_file(&*place.file)
                .at_line(place.line as usize, place.column as usize);
        }
        for note in &self.notes {
            diagnostic = diagnostic.note(match map.place(note.span.first) {
                Some(place) => format!("{place}: {}", note.message),
                None => note.message.clone(),
            });
        }
        diagnostic
    }

    /// The message with source lines and carets, the notes, where the macros are from and where the file was included; ends with a line break.
    pub fn render(&self, map: &SourceMap) -> String {
        let main = shown(map, self.span);
        let labels: Vec<_> = self
            .labels
            .iter()
            .filter_map(|label| Some((shown(map, label.span)?, &label.text)))
            .collect();
        let macros = macro_notes(map, self.span);
        let inclusions: Vec<String> = map
            .inclusions(self.span.first)
            .iter()
            .take(MOST_INCLUSIONS)
            .map(|place| format!("included from {}:{}", place.file, place.line))
            .collect();
        let notes: Vec<_> = self
            .notes
            .iter()
            .chain(&macros)
            .map(|note| (note, shown(map, note.span)))
            .collect();

        let mut head = Excerpt {
            severity: self.severity,
            message: &self.message,
            marks: Vec::new(),
            notes: Vec::new(),
        };
        head.marks.extend(main.iter().map(|shown| shown.mark(&self.text, true)));
        for (shown, text) in &labels {
            head.marks.push(shown.mark(text, false));
        }
        let mut parts = vec![head];
        for (note, shown) in &notes {
            match shown {
                Some(shown) => parts.push(Excerpt {
                    severity: Severity::Note,
                    message: &note.message,
                    marks: vec![shown.mark("", true)],
                    notes: Vec::new(),
                }),
                None => match parts.last_mut() {
                    Some(last) => last.notes.push(&note.message),
                    None => continue,
                },
            }
        }
        parts[0].notes.extend(inclusions.iter().map(String::as_str));
        Excerpt::render(&parts)
    }
}

/// More levels of inclusion are not listed.
const MOST_INCLUSIONS: usize = 8;

/// More levels of macro expansion are not shown.
const MOST_EXPANSIONS: usize = 4;

/// A stretch found in its text.
struct Shown<'m> {
    place: Place,
    source: &'m warpsmith_base::SourceText,
    bytes: std::ops::Range<usize>,
}

impl Shown<'_> {
    fn mark<'s>(&'s self, label: &'s str, primary: bool) -> Mark<'s> {
        Mark {
            source: self.source,
            file: &self.place.file,
            line: self.place.line as usize,
            bytes: self.bytes.clone(),
            label,
            primary,
        }
    }
}

fn shown(map: &SourceMap, span: Span) -> Option<Shown<'_>> {
    let place = map.place(span.first)?;
    let (source, bytes) = map.bytes(span)?;
    Some(Shown { place, source, bytes })
}

/// A note for each macro that the first token of a stretch came out of.
fn macro_notes(map: &SourceMap, span: Span) -> Vec<Note> {
    let expansions = map.expansions(span.first);
    let shown = expansions.into_iter().take(MOST_EXPANSIONS);
    shown
        .map(|(_, body)| Note::new(Span::of(body), "expanded from this macro"))
        .collect()
}

/// Collects messages.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    reports: Vec<Report>,
    errors: usize,
    limit: usize,
    traps: usize,
    chain: Vec<Note>,
    /// How warnings are treated.
    pub rules: super::WarningRules,
    /// Work that was cancelled stops as after too many errors.
    pub cancel: Cancel,
}

/// Messages from here on are held back: see [`Diagnostics::trap`].
#[derive(Debug)]
#[must_use = "give it to `Diagnostics::release`"]
pub struct Trap {
    reports: usize,
    errors: usize,
}

/// How many errors are collected unless [`Diagnostics::set_limit`] says otherwise.
const ERROR_LIMIT: usize = 100;

/// More links of a chain of instantiations are left out in the middle.
const CHAIN_SHOWN: usize = 10;

impl Diagnostics {
    /// Empty.
    pub fn new() -> Diagnostics {
        Diagnostics {
            reports: Vec::new(),
            errors: 0,
            limit: ERROR_LIMIT,
            traps: 0,
            chain: Vec::new(),
            rules: super::WarningRules::default(),
            cancel: Cancel::never(),
        }
    }

    /// Sets after how many errors [`Diagnostics::is_full`]; 0 for never.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = if limit == 0 { usize::MAX } else { limit };
    }

    /// Takes a warning that what is made may lack something: `-w` does not drop it.
    pub fn insist(&mut self, mut report: Report) {
        if self.rules.all_errors() {
            report.severity = Severity::Error;
            self.errors += 1;
        }
        self.add_chain(&mut report);
        self.reports.push(report);
    }

    /// Takes a message. Errors past the limit are only counted.
    pub fn emit(&mut self, mut report: Report) {
        match report.severity {
            Severity::Error => {
                self.errors += 1;
                if self.errors > self.limit && self.traps == 0 {
                    return;
                }
                self.add_chain(&mut report);
            }
            Severity::Warning => {
                match self.rules.treatment(report.number, report.span) {
                    super::warning::Treatment::Drop => return,
                    super::warning::Treatment::Warn => {}
                    super::warning::Treatment::Error => {
                        report.severity = Severity::Error;
                        self.errors += 1;
                    }
                }
                self.add_chain(&mut report);
            }
            Severity::Note => {}
        }
        self.reports.push(report);
    }

    fn add_chain(&self, report: &mut Report) {
        let links = self.chain.len();
        for (index, note) in self.chain.iter().rev().enumerate() {
            let left_out = links.saturating_sub(CHAIN_SHOWN);
            if index < CHAIN_SHOWN / 2 || index >= CHAIN_SHOWN / 2 + left_out {
                report.notes.push(note.clone());
            } else if index == CHAIN_SHOWN / 2 {
                let message = format!("{left_out} more steps of this chain are not shown");
                report.notes.push(Note::new(Span::NONE, message));
            }
        }
    }

    /// An error without more to say.
    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        self.emit(Report::error(span, message));
    }

    /// A warning without more to say.
    pub fn warning(&mut self, span: Span, message: impl Into<String>) {
        self.emit(Report::warning(span, message));
    }

    /// Adds a note to all errors and warnings until [`Diagnostics::leave`], such as `in instantiation of … required from here`. Last entered, first shown.
    pub fn enter(&mut self, span: Span, message: impl Into<String>) {
        self.chain.push(Note::new(span, message));
    }

    /// The same, for the instantiation of an entity.
    pub fn enter_instantiation(&mut self, span: Span, instantiated: Instantiated) {
        self.chain.push(Note {
            instantiated: Some(instantiated),
            ..Note::new(span, "")
        });
    }

    /// Gives the notes of instantiations their text.
    pub fn spell(&mut self, text: impl Fn(Instantiated) -> String) {
        for note in self.reports.iter_mut().flat_map(|report| &mut report.notes) {
            if let Some(instantiated) = note.instantiated.take() {
                note.message = text(instantiated);
            }
        }
    }

    /// Ends the last [`Diagnostics::enter`].
    pub fn leave(&mut self) {
        self.chain.pop();
    }

    /// From now on messages are held back, until [`Diagnostics::release`] hands them over. Traps nest.
    pub fn trap(&mut self) -> Trap {
        self.traps += 1;
        Trap {
            reports: self.reports.len(),
            errors: self.errors,
        }
    }

    /// Ends a trap and gives the messages since, which then count for nothing unless emitted again.
    pub fn release(&mut self, trap: Trap) -> Vec<Report> {
        self.traps = self.traps.saturating_sub(1);
        self.errors = trap.errors;
        self.reports.split_off(trap.reports.min(self.reports.len()))
    }

    /// Drops warnings that have been given before: of default arguments and initialisers, which are elaborated for each use.
    pub fn drop_repeated_warnings(&mut self) {
        let mut seen = rustc_hash::FxHashSet::default();
        self.reports.retain(|report| {
            report.severity != Severity::Warning || seen.insert((report.span, report.number, report.message.clone()))
        });
    }

    /// Whether a trap has caught an error so far.
    pub fn caught(&self, trap: &Trap) -> bool {
        self.errors > trap.errors
    }

    /// Whether there are errors.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// How many errors there are, with those past the limit.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// Whether there are so many errors that work should stop, or it was cancelled.
    pub fn is_full(&self) -> bool {
        (self.errors >= self.limit && self.traps == 0) || self.cancel.is_cancelled()
    }

    /// The messages, in the order in which they came.
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// All messages as text.
    pub fn render(&self, map: &SourceMap) -> String {
        let mut out: String = self.reports.iter().map(|report| report.render(map)).collect();
        if let Some(more) = self.more() {
            out += &format!("error: {more}\n");
        }
        out
    }

    /// What is said of errors that are only counted.
    pub fn more(&self) -> Option<String> {
        let more = self.errors.checked_sub(self.limit).filter(|more| *more > 0)?;
        Some(format!("{more} more errors are not shown"))
    }
}

impl Default for Diagnostics {
    fn default() -> Diagnostics {
        Diagnostics::new()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use warpsmith_base::SourceText;

    use super::super::map::Origin;
    use super::*;

    #[test]
    fn an_error_with_label_note_and_inclusion() {
        let mut map = SourceMap::new();
        let main = Arc::new(SourceText::new("a.cu", "#include \"b.h\"\n"));
        let main = map.add_file(main, Origin::NONE, false).expect("fits");
        let header = Arc::new(SourceText::new("b.h", "int f(int);\nint x = f(p);\n"));
        let header = map.add_file(header, map.origin(main, 0), false).expect("fits");
        let at = |offset| Span::of(map.origin(header, offset));
        let report = Report::error(at(20), "no function `f` takes these arguments")
            .label(at(22), "`char *`")
            .note_at(at(4), "candidate");
        assert_eq!(
            report.render(&map),
            "\
error: no function `f` takes these arguments
 --> b.h:2:9
  |
2 | int x = f(p);
  |         ^ - `char *`
  |
  = note: included from a.cu:1
note: candidate
 --> b.h:1:5
  |
1 | int f(int);
  |     ^
"
        );
        let line = report.to_diagnostic(&map).to_string();
        assert_eq!(line, "error: b.h:2:9: no function `f` takes these arguments");
    }

    #[test]
    fn traps_hold_errors_back() {
        let mut diagnostics = Diagnostics::new();
        let trap = diagnostics.trap();
        diagnostics.error(Span::NONE, "no");
        assert!(diagnostics.caught(&trap));
        assert_eq!(diagnostics.release(trap).len(), 1);
        assert!(!diagnostics.has_errors());
    }

    #[test]
    fn the_limit_and_the_chain() {
        let mut diagnostics = Diagnostics::new();
        diagnostics.set_limit(2);
        diagnostics.enter(Span::NONE, "outer");
        diagnostics.enter(Span::NONE, "inner");
        for _ in 0..3 {
            diagnostics.error(Span::NONE, "bad");
        }
        diagnostics.leave();
        diagnostics.leave();
        assert!(diagnostics.is_full());
        assert_eq!(
            diagnostics.render(&SourceMap::new()),
            "\
error: bad
 |
 = note: inner
 = note: outer
error: bad
 |
 = note: inner
 = note: outer
error: 1 more errors are not shown
"
        );
    }
}
