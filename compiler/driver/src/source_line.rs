//! Lines of the user's source for what later stages have to say: they know a file, a line and a column, and no text.

use std::path::Path;

use warpsmith_base::{Diagnostic, Position, SourceText};
use warpsmith_emu::demangled;
use warpsmith_isel::{Places, SourcePlace};
use warpsmith_ori::CompileError;

use crate::Console;

/// A file that is larger is not read only to show a line of it.
const LARGEST_SHOWN: u64 = 64 << 20;

/// A message at a line of a file, which need not be there any more; and the text of the file. Columns count from 1; 0 stands for the line.
pub(crate) fn at_place(message: Diagnostic, file: &str, line: u32, column: u32) -> (Diagnostic, SourceText) {
    let path = Path::new(file);
    let is_small = std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() <= LARGEST_SHOWN);
    let bytes = Some(path)
        .filter(|_| is_small)
        .and_then(|path| std::fs::read(path).ok());
    let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
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

/// Shows messages, those that know a line of a file with that line.
pub(crate) fn complain(messages: Vec<Diagnostic>, console: &mut Console) {
    for mut message in messages {
        let place = match (&message.file, &message.position) {
            (Some(file), Position::Text { place, bytes: None }) => {
                Some((file.clone(), place.line as u32, place.column as u32))
            }
            (_, Position::Whole | Position::Offset(_) | Position::Text { .. }) => None,
        };
        let source;
        (message, source) = match place {
            Some((file, line, column)) => at_place(message, &file, line, column),
            None => (message, SourceText::new("", "")),
        };
        console.complain(&message.render(&source));
    }
}

/// Shows what the back end refuses of PTX that was made from a source: at the lines of the source.
pub(crate) fn complain_of_ptx(errors: &[CompileError], text: &str, places: &Places, file: &str, console: &mut Console) {
    let messages = errors.iter().map(|error| {
        let message = Diagnostic::error(error.to_string());
        at_ptx(message, error.span.start as usize, text, places, file)
    });
    complain(messages.collect(), console);
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
