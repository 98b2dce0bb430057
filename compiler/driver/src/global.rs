//! What every command takes at any place of its line: files of words, and the options that say how messages look.
//!
//! They are taken out before anything else reads the line, so that they mean the same to our own commands, to a tool that a file's name
//! stands for, and to `--face NAME`. A link with a tool's name has that tool's options alone: there the environment says it.

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::Path;

use crate::console::Format;
use crate::{files, vendor};

/// The option and the variable of the environment for the form of messages.
const MESSAGE_FORMAT: (&str, &str) = ("--message-format", "WARPSMITH_MESSAGE_FORMAT");
/// The option and the variable of the environment for colours.
const COLOUR: (&str, &str) = ("--color", "WARPSMITH_COLOR");

/// The help text of the options here: clap never sees them.
pub(crate) const HELP: &str = "\
Anywhere on the line of every command:
  --message-format FORMAT  Messages as text, json (a line each), or sarif (one document)
  --color WHEN             Colours: auto (on a terminal, unless NO_COLOR is set), always, never
  @FILE                    The words of a file, in its place";

/// Files of words may name others, so deep.
const DEEPEST: usize = 15;

/// A command line without what is taken out here.
pub(crate) struct Taken {
    /// The words that are left; the first is the name of the program.
    pub words: Vec<OsString>,
    /// The form of messages.
    pub format: Format,
    /// Whether a person looks on: messages for people go to a terminal.
    pub is_terminal: bool,
}

/// Where messages go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    /// To memory or a file: no colours unless they are asked for.
    Other,
    /// To the standard error of this process, which may be a terminal.
    StandardError,
}

/// Takes the options out.
///
/// # Errors
/// What is wrong with one of them, or with a file of words.
pub(crate) fn take(arguments: &[OsString], is_link: bool, screen: Screen) -> Result<Taken, String> {
    let mut form = std::env::var(MESSAGE_FORMAT.1)
        .ok()
        .map(|value| (MESSAGE_FORMAT.1, value));
    let mut colour = std::env::var(COLOUR.1).ok().map(|value| (COLOUR.1, value));
    let words = match is_link {
        true => arguments.to_vec(),
        false => {
            let mut words = Words {
                left: Vec::new(),
                form: &mut form,
                colour: &mut colour,
                is_over: false,
            };
            words.left.extend(arguments.first().cloned());
            words.read(arguments.get(1..).unwrap_or_default(), 0)?;
            words.left
        }
    };
    let colour = is_coloured(colour.as_ref(), screen)?;
    let format = match form.as_ref().map(|(name, value)| (*name, value.as_str())) {
        None | Some((_, "text")) => Format::Text { colour },
        Some((_, "json")) => Format::Json,
        Some((_, "sarif")) => Format::Sarif,
        Some((name, other)) => return Err(format!("{name} is text, json or sarif, not `{other}`")),
    };
    let is_terminal = screen == Screen::StandardError
        && matches!(format, Format::Text { .. })
        && std::env::var_os("TERM").as_deref() != Some(OsStr::new("dumb"))
        && std::io::stderr().is_terminal();
    Ok(Taken {
        words,
        format,
        is_terminal,
    })
}

struct Words<'a> {
    left: Vec<OsString>,
    form: &'a mut Option<(&'static str, String)>,
    colour: &'a mut Option<(&'static str, String)>,
    /// After `--` words are what they are.
    is_over: bool,
}

impl Words<'_> {
    fn read(&mut self, words: &[OsString], depth: usize) -> Result<(), String> {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            self.is_over |= text == "--";
            if self.is_over {
                self.left.push(word.clone());
                continue;
            }
            if let Some(name) = text.strip_prefix('@').filter(|name| !name.is_empty()) {
                self.file(name, depth)?;
                continue;
            }
            let (option, joined) = match text.split_once('=') {
                Some((option, value)) => (option, Some(value.to_owned())),
                None => (&*text, None),
            };
            let place = match option {
                _ if option == MESSAGE_FORMAT.0 => &mut *self.form,
                _ if option == COLOUR.0 || option == "--colour" => &mut *self.colour,
                _ => {
                    self.left.push(word.clone());
                    continue;
                }
            };
            let name = if option == MESSAGE_FORMAT.0 {
                MESSAGE_FORMAT.0
            } else {
                COLOUR.0
            };
            let value = joined.or_else(|| words.next().map(|word| word.to_string_lossy().into_owned()));
            *place = Some((name, value.ok_or_else(|| format!("{name} needs a value"))?));
        }
        Ok(())
    }

    fn file(&mut self, name: &str, depth: usize) -> Result<(), String> {
        if depth == DEEPEST {
            return Err(format!(
                "@{name}: files of words name each other more than {DEEPEST} deep"
            ));
        }
        let bytes = files::read(Path::new(name)).map_err(|error| {
            let (files::ReadError::Open(error) | files::ReadError::Read(error)) = error;
            format!("@{name}: cannot read: {error}")
        })?;
        let text = String::from_utf8(bytes).map_err(|_| format!("@{name}: is no text"))?;
        let words = vendor::split(&text).map_err(|mistake| format!("@{name}: {mistake}"))?;
        self.read(&words, depth + 1)
    }
}

fn is_coloured(asked: Option<&(&'static str, String)>, screen: Screen) -> Result<bool, String> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match asked.map(|(name, value)| (*name, value.as_str())) {
        Some((_, "always")) => Ok(true),
        Some((_, "never")) => Ok(false),
        None | Some((_, "auto")) => Ok(screen == Screen::StandardError
            && !is_set("NO_COLOR")
            && std::env::var_os("TERM").as_deref() != Some(OsStr::new("dumb"))
            && std::io::stderr().is_terminal()),
        Some((name, other)) => Err(format!("{name} is auto, always or never, not `{other}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(line: &str) -> Result<(String, Format), String> {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let taken = take(&arguments, false, Screen::Other)?;
        let words: Vec<_> = taken.words.iter().map(|word| word.to_string_lossy()).collect();
        Ok((words.join(" "), taken.format))
    }

    #[test]
    fn anywhere_on_the_line() {
        let plain = Format::Text { colour: false };
        let coloured = Format::Text { colour: true };
        for (line, left, format) in [
            ("w ptx check a", "w ptx check a", plain),
            ("w --message-format json ptx check a", "w ptx check a", Format::Json),
            ("w ptx check a --message-format=sarif", "w ptx check a", Format::Sarif),
            ("w --color=always a.cu -ptx", "w a.cu -ptx", coloured),
            ("w a -- --color never @x", "w a -- --color never @x", plain),
            ("w run a --arg @", "w run a --arg @", plain),
        ] {
            assert_eq!(taken(line), Ok((left.to_owned(), format)), "{line}");
        }
    }

    #[test]
    fn mistakes() {
        for (line, mistake) in [
            ("w --color", "--color needs a value"),
            ("w --color red", "--color is auto, always or never, not `red`"),
            (
                "w --message-format=xml",
                "--message-format is text, json or sarif, not `xml`",
            ),
        ] {
            assert_eq!(taken(line), Err(mistake.to_owned()), "{line}");
        }
        assert!(
            taken("w @no/such/file")
                .unwrap_err()
                .starts_with("@no/such/file: cannot read: ")
        );
    }
}
