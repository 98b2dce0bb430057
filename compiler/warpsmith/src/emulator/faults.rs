//! Faults in words: where in the user's source, in which function, of which buffer.

use std::fmt;

use warpsmith_base::{Diagnostic, SourceText};
use warpsmith_cuda::source::FileSystem;
use warpsmith_emu::{Accessed, Fault, Place, Standing, demangled};
use warpsmith_ptx::Span;

use crate::at_place;

/// Memory that has a name in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Where it begins on the device.
    pub address: u64,
    /// Its size.
    pub bytes: u64,
    /// The type of its elements, if known.
    pub element: Option<ElementType>,
}

/// The type of the elements of named memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementType {
    /// Its name, such as `f32`.
    pub name: String,
    /// Bytes of an element; not 0.
    pub bytes: u64,
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// What the text is that was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// The user's own PTX: its lines are shown.
    Own,
    /// Made from the user's source, or machine code: only lines of the source mean anything to the user.
    Made,
}

/// A fault as a message with its line, of PTX that the user gave or of the source that the code was made from; and the text that has the line.
/// `source` is the text that was run; `files` have those that the code was made from.
pub fn diagnose(
    fault: &Fault,
    text: Text,
    source: &SourceText,
    memory: &[Named],
    files: &dyn FileSystem,
) -> (Diagnostic, SourceText) {
    let mut lines = fault.message.lines();
    let first = lines.next().unwrap_or_default();
    let error = Diagnostic::error(format!("{}: {first}", fault.kind.name())).coded(fault.kind.name());
    let (error, shown) = match (own_line(fault, text, source), &fault.place) {
        (Some(range), _) => (error.at(source, range), source.clone()),
        (None, Some(place)) => at_place(error, files, &place.file, place.line, place.column),
        (None, None) => (error.in_file(source.name()), source.clone()),
    };
    let error = lines.fold(error, |error, line| error.note(line.trim()));
    let error = (fault.accessed.iter())
        .filter_map(|accessed| in_memory(*accessed, memory))
        .fold(error, Diagnostic::note);
    let error = standing(fault, text, source).into_iter().fold(error, Diagnostic::note);
    let error = around(fault, text).into_iter().fold(error, Diagnostic::note);
    let Some(other) = &fault.other else {
        return (error, shown);
    };
    let line = own_line(other, text, source);
    let line = line.map(|range| format!(" in line {}", source.line_column(range.start).line));
    let line = line.or_else(|| other.place.as_ref().map(|place| format!(" at {place}")));
    let at = match (&other.instruction, line) {
        (Some(instruction), Some(line)) => format!(", {instruction}{line}"),
        (Some(instruction), None) => format!(", {instruction}"),
        (None, line) => line.unwrap_or_default(),
    };
    let error = error.note(format!("the access before: {}{at}", other.message));
    // What it was is said already.
    let other = Fault {
        instruction: None,
        ..other.as_ref().clone()
    };
    let diagnostic = around(&other, text).into_iter().fold(error, Diagnostic::note);
    (diagnostic, shown)
}

/// Instruction, function, thread and callers of a fault, in words.
fn around(fault: &Fault, text: Text) -> Vec<String> {
    let mut notes = Vec::new();
    // An instruction of PTX that the user gave is shown with its line.
    let with_line = text == Text::Own && fault.span.is_some();
    let is_placed = text == Text::Own && (fault.span.is_some() || fault.line.is_some());
    notes.extend(
        fault
            .instruction
            .iter()
            .filter(|_| !with_line)
            .map(|text| format!("at {text}")),
    );
    if let Some(kernel) = &fault.kernel {
        // The function of the line may have been copied to where it was called.
        let of_line = fault.place.as_ref().and_then(|place| place.function.as_ref());
        let function = of_line.filter(|_| !with_line).or(fault.function.as_ref());
        notes.push(match function {
            Some(function) if function != kernel => {
                format!("in kernel {}, function {}", demangled(kernel), demangled(function))
            }
            Some(_) | None => format!("in kernel {}", demangled(kernel)),
        });
    }
    if let Some([x, y, z]) = fault.cta {
        notes.push(match fault.thread {
            Some([i, j, k]) => format!("CTA ({x}, {y}, {z}), thread ({i}, {j}, {k})"),
            None => format!("CTA ({x}, {y}, {z})"),
        });
    }
    notes.extend(
        fault
            .place
            .iter()
            .filter(|_| is_placed)
            .map(|place| format!("from {place}")),
    );
    notes.extend(calls(&fault.callers));
    notes
}

/// The calls around a place, in words; those of a recursion once.
fn calls(callers: &[Place]) -> Vec<String> {
    let mut said = Vec::new();
    for same in callers.chunk_by(|a, b| a == b) {
        let Some(caller) = same.first() else { continue };
        let function = caller.function.as_deref().map(demangled);
        let function = function.map_or_else(String::new, |function| format!(", in {function}"));
        let times = match same.len() {
            1 => String::new(),
            count => format!(", {count} times"),
        };
        said.push(format!("called at {caller}{function}{times}"));
    }
    said
}

/// Where threads stand that do not come to an end, in words.
fn standing(fault: &Fault, text: Text, source: &SourceText) -> Vec<String> {
    let mut said = Vec::new();
    for Standing { what, at } in &fault.standing {
        let line = own_line(at, text, source);
        let line = line.map(|range| format!(", in line {}", source.line_column(range.start).line));
        let line = line.or_else(|| at.place.as_ref().map(|place| format!(", {place}")));
        let instruction = at.instruction.as_deref().unwrap_or("the end");
        said.push(format!("{what}, at {instruction}{}", line.unwrap_or_default()));
    }
    if fault.more_standing > 0 {
        said.push(format!("and {} more", fault.more_standing));
    }
    said
}

/// What an address is of the memory that has names.
fn in_memory(accessed: Accessed, memory: &[Named]) -> Option<String> {
    let Accessed::Global(address) = accessed else {
        return None;
    };
    if address < 4096 {
        return Some("this is the null pointer, or near it".to_owned());
    }
    let inside = |named: &&Named| address.wrapping_sub(named.address) < named.bytes;
    if let Some(named) = memory.iter().find(inside) {
        let offset = address - named.address;
        return Some(match &named.element {
            Some(element) => {
                let size = element.bytes;
                let (index, rest) = (offset / size, offset % size);
                let into = if rest == 0 {
                    String::new()
                } else {
                    format!(", {}", bytes(rest, "into it"))
                };
                format!("this is `{}[{index}]`{into}", named.name)
            }
            None => format!("this is {offset} bytes into `{}`", named.name),
        });
    }
    let before = memory.iter().filter(|named| named.address <= address);
    let after = memory.iter().filter(|named| named.address > address);
    let before = before.max_by_key(|named| named.address).map(|named| {
        let behind = address - named.address - named.bytes;
        (
            behind,
            named,
            bytes(behind, &format!("behind the end of `{}`", named.name)),
        )
    });
    let after = after.min_by_key(|named| named.address).map(|named| {
        let distance = named.address - address;
        (
            distance,
            named,
            bytes(distance, &format!("before the start of `{}`", named.name)),
        )
    });
    let (_, named, words) = before.into_iter().chain(after).min_by_key(|(distance, ..)| *distance)?;
    Some(match &named.element {
        Some(element) => {
            let size = i128::from(element.bytes);
            let offset = i128::from(address) - i128::from(named.address);
            let (index, count) = (offset.div_euclid(size), named.bytes / element.bytes);
            let of = if count == 1 { "element" } else { "elements" };
            format!(
                "this is {words}: `{0}[{index}]`, and `{0}` has {count} {of} of {element}",
                named.name
            )
        }
        None => format!("this is {words}, which has {}", bytes(named.bytes, "").trim_end()),
    })
}

/// So many bytes, in words.
fn bytes(count: u64, what: &str) -> String {
    match (count, what) {
        (0, what) if what.starts_with("behind") => what.replacen("behind", "right behind", 1),
        (1, what) => format!("1 byte {what}"),
        (count, what) => format!("{count} bytes {what}"),
    }
}

/// The bytes of the user's own PTX that a fault is about.
fn own_line(fault: &Fault, text: Text, source: &SourceText) -> Option<std::ops::Range<usize>> {
    match text {
        Text::Made => None,
        Text::Own => match (fault.span, fault.line) {
            (Some(span), _) => Some(on_text(span, source)),
            (None, Some(line)) => {
                let range = source.line_range(line as usize);
                let shown = source.text().get(range.clone()).unwrap_or_default();
                let start = range.start + (shown.len() - shown.trim_start().len());
                Some(start..range.end).filter(|range| !range.is_empty())
            }
            (None, None) => None,
        },
    }
}

fn on_text(span: Span, source: &SourceText) -> std::ops::Range<usize> {
    let length = source.text().len();
    let start = span.range().start.min(length);
    start..span.range().end.clamp(start, length)
}
