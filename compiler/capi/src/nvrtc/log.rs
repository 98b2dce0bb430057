//! The log of a program, in NVRTC's form.
//!
//! Observed, NVRTC 13.0: `FILE(LINE): error: TEXT`, the line and a caret below it, and at the end how many errors there are. Clients look for headers that
//! are missing in it, by its very words.

use warpsmith::{Message, Position, Severity};

use super::options::Request;

/// The messages of a compile.
pub(super) fn of_messages(messages: &[Message], request: &Request, program: &str) -> String {
    let mut log = String::new();
    let mut is_told = false;
    for message in messages {
        if let Some(header) = message.missing_header() {
            log += &of_header(message, header, request);
            log += &format!(
                "1 catastrophic error detected in the compilation of \"{program}\".\nCompilation terminated.\n"
            );
            return log;
        }
        let number = message
            .number
            .filter(|_| request.numbers && message.severity() == Severity::Warning);
        let number = number.map(|number| format!(" #{number}-D")).unwrap_or_default();
        let word = message.severity().word();
        log += &format!("{}{word}{number}: {}\n", place(message), words(message));
        log += &line(message, request);
        for note in &message.diagnostic.notes {
            log += &format!("{}note: {note}\n", place(message));
        }
        if !request.brief {
            log.push('\n');
        }
        if !number.is_empty() && !is_told {
            is_told = true;
            log += "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n";
        }
    }
    let errors = messages
        .iter()
        .filter(|message| message.severity() == Severity::Error)
        .count();
    log += &match errors {
        0 => String::new(),
        1 => format!("1 error detected in the compilation of \"{program}\".\n"),
        more => format!("{more} errors detected in the compilation of \"{program}\".\n"),
    };
    log
}

/// What stands before and behind a name in a message, and what NVRTC 13.0 has there. Clients look for these words.
const WORDS: [(&str, &str, &str, &str); 4] = [
    ("`", "` is not declared", "identifier \"", "\" is undefined"),
    ("unknown type name `", "`", "identifier \"", "\" is undefined"),
    (
        "the variable `",
        "` is never used",
        "variable \"",
        "\" was declared but never referenced",
    ),
    (
        "the variable `",
        "` is set, but its value is never used",
        "variable \"",
        "\" was set but never used",
    ),
];

/// What a message says, without the number that stands before it.
fn words(message: &Message) -> String {
    let text = message.diagnostic.message.as_str();
    let number = message.number.map(|number| format!(" [#{number}-D]"));
    let text = number
        .and_then(|number| text.strip_suffix(number.as_str()))
        .unwrap_or(text);
    let own = WORDS.iter().find_map(|(before, behind, first, last)| {
        let name = text.strip_prefix(before)?.strip_suffix(behind)?;
        (!name.contains('`')).then(|| format!("{first}{name}{last}"))
    });
    own.unwrap_or_else(|| text.to_owned())
}

/// A header that is not there, in the words that clients look for.
fn of_header(message: &Message, header: &str, request: &Request) -> String {
    let no_folders = request.options.front.folders.is_empty() && message.rendered.contains(&format!("<{header}>"));
    let what = match no_folders {
        true => format!("could not open source file \"{header}\" (no directories in search list)"),
        false => format!("cannot open source file \"{header}\""),
    };
    format!(
        "{}catastrophic error: {what}\n{}\n",
        place(message),
        line(message, request)
    )
}

/// `FILE(LINE): `.
fn place(message: &Message) -> String {
    match (&message.diagnostic.file, &message.diagnostic.position) {
        (Some(file), Position::Text { place, .. }) => format!("{file}({}): ", place.line),
        (Some(file), Position::Whole | Position::Offset(_)) => format!("{file}: "),
        (None, _) => String::new(),
    }
}

/// The line that a message is about, and a caret below it.
fn line(message: &Message, request: &Request) -> String {
    let Position::Text { place, .. } = &message.diagnostic.position else {
        return String::new();
    };
    if request.brief {
        return String::new();
    }
    let start = format!("{} | ", place.line);
    let mut lines = message.rendered.lines();
    let shown = lines.find_map(|line| line.trim_start().strip_prefix(&start));
    let below = lines.next().and_then(|line| line.split_once("| "));
    match (shown, below.and_then(|(_, marks)| marks.find('^'))) {
        (Some(shown), Some(column)) => format!("  {shown}\n  {:column$}^\n", ""),
        (Some(shown), None) => format!("  {shown}\n"),
        (None, _) => String::new(),
    }
}
