//! Lines of the user's source for what later steps have to say: these know a file, a line and a column, and no text.

use warpsmith_base::{Diagnostic, Position, SourceText};
use warpsmith_cuda::source::FileSystem;
use warpsmith_emu::demangled;
use warpsmith_isel::{Places, SourcePlace};
use warpsmith_ptx::{Problem, Severity};

use crate::Message;

/// A message at a line of a file, which need not be there any more; and the text of the file. Columns count from 1; 0 stands for the line.
pub fn at_place(
    message: Diagnostic,
    files: &dyn FileSystem,
    file: &str,
    line: u32,
    column: u32,
) -> (Diagnostic, SourceText) {
    let text = files
        .read_to_show(file)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let (line, column) = (line as usize, column as usize);
    let source = SourceText::new(file, text.unwrap_or_default());
    let range = source.line_range(line);
    let shown = source.text().get(range.clone()).unwrap_or_default();
    // Columns count characters.
    let start = match column.checked_sub(1) {
        Some(column) => shown.char_indices().nth(column).map(|(offset, _)| offset),
        None => Some(shown.len() - shown.trim_start().len()),
    };
    match start.filter(|start| *start < shown.len()) {
        Some(start) => {
            let rest = shown.get(start..).unwrap_or_default();
            let length = match column {
                0 => rest.trim_end().len(),
                _ => token_length(rest),
            };
            let start = range.start + start;
            (message.at(&source, start..start + length), source)
        }
        None => (message.in_file(file).at_line(line, column.max(1)), source),
    }
}

/// Bytes of the word, operand of assembly or sign that a text starts with.
fn token_length(text: &str) -> usize {
    let signs = text.find(|c| c != '%').unwrap_or(text.len());
    let rest = &text[signs..];
    let word = rest
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    match signs + word {
        0 => text.chars().next().map_or(0, char::len_utf8),
        length => length,
    }
}

/// A message with the line of the file that it knows, if it knows one.
pub(crate) fn with_line(message: Diagnostic, files: &dyn FileSystem) -> Message {
    let place = match (&message.file, &message.position) {
        (Some(file), Position::Text { place, bytes: None }) => {
            Some((file.clone(), place.line as u32, place.column as u32))
        }
        (_, Position::Whole | Position::Offset(_) | Position::Text { .. }) => None,
    };
    let (message, source) = match place {
        Some((file, line, column)) => at_place(message, files, &file, line, column),
        None => (message, SourceText::new("", "")),
    };
    Message::about(message, &source)
}

/// A message about an offset in PTX that was made from a source: at the line of the source.
pub(crate) fn at_ptx(message: Diagnostic, offset: usize, text: &str, places: &Places, file: &str) -> Diagnostic {
    let chain = places.at(offset);
    let message = match chain.first() {
        Some(place) => message
            .in_file(&place.file)
            .at_line(place.line as usize, place.column as usize),
        None => message.in_file(file),
    };
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let line = text.get(start..).and_then(|rest| rest.lines().next());
    let line = line.unwrap_or_default().trim();
    let message = message.note(format!("the line of PTX is: {line}"));
    callers(&chain).into_iter().fold(message, Diagnostic::note)
}

/// The function of a place and the calls around it, in words.
fn callers(chain: &[SourcePlace]) -> Vec<String> {
    let function = chain.first().map(|place| format!("in {}", demangled(&place.function)));
    let calls = chain.iter().skip(1).map(|place| {
        let SourcePlace {
            file,
            line,
            column,
            function,
        } = place;
        format!("called at {file}:{line}:{column}, in {}", demangled(function))
    });
    function.into_iter().chain(calls).collect()
}

/// What is wrong with PTX, as a diagnostic about its text.
pub fn of_problem(problem: &Problem, source: &SourceText) -> Diagnostic {
    let diagnostic = match problem.severity {
        Severity::Warning => Diagnostic::warning(&problem.message),
        Severity::Error | Severity::Fatal => Diagnostic::error(&problem.message),
    };
    let start = problem.shown().range().start.min(source.text().len());
    let end = problem.shown().range().end.clamp(start, source.text().len());
    problem
        .notes
        .iter()
        .fold(diagnostic.at(source, start..end), |diagnostic, note| {
            diagnostic.note(note)
        })
}

/// A text with each byte that is not UTF-8 as a question mark, so that offsets stay what they are.
pub fn readable(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(std::iter::repeat_n('?', chunk.invalid().len()));
    }
    out
}
