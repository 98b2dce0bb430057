//! `warpsmith explain`: what a diagnostic means, why it is there, and what to do, with an example.

use std::fmt::Write as _;

use toml::de::{DeTable, DeValue};
use warpsmith_base::{Diagnostic, suggest};

use crate::{Console, files};

/// The table; its head says what a row has.
const TABLE: &str = include_str!(concat!(env!("OUT_DIR"), "/explanations.toml"));

/// Explain a diagnostic
///
/// A warning has a number at its end, `[#177-D]`; what goes wrong in a run begins with its kind, `data race: …`. In messages as JSON both are the `code`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The number, the kind, the name that pragmas take, or the code that CUDA gives a program; all that there are without it
    code: Vec<String>,
}

/// A row of the table.
#[derive(Debug)]
struct Kind<'t> {
    code: &'t str,
    names: Vec<&'t str>,
    title: &'t str,
    text: &'t str,
    example: Option<&'t str>,
    run: Option<&'t str>,
}

impl<'t> Kind<'t> {
    fn of(row: &'t DeTable<'_>) -> Option<Kind<'t>> {
        let text = |key: &str| row.get(key).and_then(|value| value.get_ref().as_str());
        let names = row.get("names").and_then(|names| names.get_ref().as_array());
        Some(Kind {
            code: text("code")?,
            names: names
                .into_iter()
                .flat_map(|names| names.iter().filter_map(|name| name.get_ref().as_str()))
                .collect(),
            title: text("title")?,
            text: text("text")?,
            example: text("example"),
            run: text("run"),
        })
    }

    /// Whether a word, as [`plain`] has it, means it.
    fn is_named(&self, word: &str) -> bool {
        plain(self.code) == word || self.names.iter().any(|name| plain(name) == word)
    }

    /// The command that shows the example.
    fn command(&self) -> String {
        match self.run {
            Some("") => "warpsmith run example.cu".to_owned(),
            Some(options) => format!("warpsmith run example.cu {options}"),
            None => "warpsmith example.cu -ptx".to_owned(),
        }
    }

    fn page(&self) -> String {
        let mut page = format!("{}: {}\n\n{}\n", self.code, self.title, self.text.trim());
        if let Some(example) = self.example {
            let _ = writeln!(page, "\nAn example (`{}`):\n", self.command());
            for line in example.lines() {
                let _ = writeln!(page, "    {line}");
            }
        }
        // Numbers are those of warnings.
        if let (Ok(number), Some(tag)) = (self.code.parse::<u32>(), self.names.first()) {
            let _ = writeln!(
                page,
                "\nSwitch it off with `-diag-suppress {number}`, or in the source with `#pragma nv_diag_suppress {tag}`;\n\
                 make it an error with `-diag-error {number}`."
            );
        } else if !self.names.is_empty() {
            let _ = writeln!(page, "\nCUDA's libraries call it {}.", self.names.join(", "));
        }
        page
    }
}

/// A code without the signs around a warning's number, and without regard to case and blanks.
fn plain(word: &str) -> String {
    let word = word.trim_matches(['[', ']', '#', ':', ' ']);
    word.strip_suffix("-D")
        .unwrap_or(word)
        .to_lowercase()
        .replace([' ', '-'], "_")
}

/// Prints the page of a code, or a line for each.
pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    let table = DeTable::parse(TABLE).map_err(|error| vec![Diagnostic::error(error.message().to_owned())])?;
    let rows = table.get_ref().get("kind").and_then(|rows| rows.get_ref().as_array());
    let rows = rows.into_iter().flat_map(|rows| rows.iter());
    let kinds: Vec<Kind<'_>> = rows
        .filter_map(|row| match row.get_ref() {
            DeValue::Table(row) => Kind::of(row),
            _ => None,
        })
        .collect();
    let wanted = plain(&arguments.code.join(" "));
    let text = if arguments.code.is_empty() {
        kinds
            .iter()
            .map(|kind| format!("{:<26}{}\n", kind.code, kind.title))
            .collect()
    } else if let Some(kind) = kinds.iter().find(|kind| kind.is_named(&wanted)) {
        kind.page()
    } else {
        let names: Vec<String> = kinds
            .iter()
            .flat_map(|kind| kind.names.iter().chain([&kind.code]).map(|name| plain(name)))
            .collect();
        let error = Diagnostic::error(format!("nothing is known of `{}`", arguments.code.join(" ")));
        // Numbers that look alike have nothing in common.
        let is_number = wanted.bytes().all(|byte| byte.is_ascii_digit());
        let near = suggest::nearest(&wanted, names.iter().map(String::as_str)).filter(|_| !is_number);
        let error = near
            .into_iter()
            .fold(error, |error, near| error.note(format!("a near name is `{near}`")));
        return Err(vec![error.note("`warpsmith explain` lists all")]);
    };
    files::write_output(None, text.as_bytes(), console)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling_of_many() {
        for word in ["177", "#177-D", "[#177-D]", "177-D"] {
            assert_eq!(plain(word), "177");
        }
        assert_eq!(plain("Out-of-bounds access:"), "out_of_bounds_access");
    }
}
