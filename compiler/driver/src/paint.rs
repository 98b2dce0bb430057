//! Messages in the colours of a terminal. A message is made once, as text: what its lines are is seen from their shape, which [`warpsmith_base`] gives them.

use std::fmt::Write as _;

const RESET: &str = "\u{1b}[0m";
const BOLD: &str = "\u{1b}[1m";
const RED: &str = "\u{1b}[1;31m";
const YELLOW: &str = "\u{1b}[1;33m";
const GREEN: &str = "\u{1b}[1;32m";
const BLUE: &str = "\u{1b}[1;34m";

/// The words that messages begin with, each with its colour.
const GRADES: [(&str, &str); 3] = [("error: ", RED), ("warning: ", YELLOW), ("note: ", GREEN)];

/// A message in colours. Without them it is the same text.
pub(crate) fn painted(text: &str) -> String {
    let mut out = String::with_capacity(2 * text.len());
    // Marks below a line have the colour of the message that they belong to.
    let mut grade = RED;
    for line in text.split_inclusive('\n') {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (line, ""),
        };
        match GRADES.iter().find(|(word, _)| line.starts_with(word)) {
            Some((word, colour)) => {
                grade = colour;
                let _ = write!(
                    out,
                    "{colour}{}{RESET}{BOLD}: {}{RESET}",
                    word.trim_end_matches(": "),
                    &line[word.len()..]
                );
            }
            None => body(line, grade, &mut out),
        }
        out.push_str(end);
    }
    out
}

/// A line below the first: an arrow to the place, a line of the source, marks below one, or a note.
fn body(line: &str, grade: &str, out: &mut String) {
    let rest = line.trim_start();
    let indent = &line[..line.len() - rest.len()];
    if let Some(place) = rest.strip_prefix("--> ").or_else(|| rest.strip_prefix("::: ")) {
        let _ = write!(out, "{indent}{BLUE}{}{RESET} {place}", &rest[..3]);
    } else if let Some(note) = rest.strip_prefix("= note: ") {
        let _ = write!(out, "{indent}{BLUE}={RESET} {BOLD}note{RESET}: {note}");
    } else if let Some(note) = rest.strip_prefix("note: ").filter(|_| !indent.is_empty()) {
        let _ = write!(out, "{indent}{BOLD}note{RESET}: {note}");
    } else if let Some(marks) = rest.strip_prefix('|') {
        let _ = write!(out, "{indent}{BLUE}|{RESET}");
        match marks.trim().is_empty() {
            true => out.push_str(marks),
            false => {
                let _ = write!(out, "{grade}{marks}{RESET}");
            }
        }
    } else if let Some((number, source)) = rest.split_once(" |").filter(|(number, _)| is_number(number)) {
        let _ = write!(out, "{indent}{BLUE}{number} |{RESET}{source}");
    } else {
        out.push_str(line);
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &str = "\
warning: `n` is odd
 --> a.cu:12:3
   |
12 |   n;
   |   ^
   |
   = note: it was even
error: a.cu: not compiled
  note: a | b
";

    #[test]
    fn the_text_stays_the_same() {
        let painted = painted(MESSAGE);
        let mut plain = String::new();
        let mut rest = painted.as_str();
        while let Some((before, after)) = rest.split_once('\u{1b}') {
            plain.push_str(before);
            rest = after.split_once('m').unwrap().1;
        }
        plain.push_str(rest);
        assert_eq!(plain, MESSAGE);
    }

    #[test]
    fn marks_have_the_colour_of_their_message() {
        let painted = painted(MESSAGE);
        assert!(painted.contains(&format!("{YELLOW}warning{RESET}{BOLD}: `n` is odd{RESET}\n")));
        assert!(painted.contains(&format!("   {BLUE}|{RESET}{YELLOW}   ^{RESET}\n")));
        assert!(painted.contains(&format!("{RED}error{RESET}{BOLD}: a.cu: not compiled{RESET}\n")));
    }
}
