//! Command lines as CUDA's tools spell them, read by a table of options.
//!
//! Observed with nvdisasm 13.5: an option has a long name after `--` and a short one, often of several
//! letters, after `-`. A value follows as the next word, whatever that looks like, or after `=`. Names are
//! neither abbreviated nor joined. Reading stops at the first mistake. A word that begins with no `-`, and
//! `-` alone, is an input file. `--options-file` puts the words of a file in its own place.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use warpsmith_base::suggest;
use warpsmith_target::Sm;

use crate::{Console, files};

/// What follows an option.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument {
    /// Nothing.
    None,
    /// One of these words.
    Keyword(&'static [&'static str]),
    /// `true` or `false`.
    Boolean,
    /// A number of 64 bits; a negative one wraps around.
    Unsigned64,
    /// As [`Argument::Unsigned64`], and what follows the short name, of one letter, is joined to it or after `=`: `-O3`.
    Joined,
    /// Numbers of 32 bits with commas between; a repeated option adds to the list.
    Integers32,
    /// Any text.
    Text,
    /// Any text; a repeated option adds another.
    Texts,
    /// Texts with commas between; a repeated option adds to the list.
    TextList,
    /// `sm_`, `compute_` or `lto_` with the number of a target, as ptxas spells it.
    Architecture,
    /// Names of files whose words are options themselves.
    OptionsFiles,
}

/// One option.
#[derive(Debug)]
pub(crate) struct OptionRow {
    /// The name after `--`.
    pub long: &'static str,
    /// The name after `-`.
    pub short: &'static str,
    /// What follows.
    pub argument: Argument,
    /// What it does, for the help text.
    pub help: &'static str,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// It is there.
    Present,
    /// One of the words that it takes.
    Keyword(&'static str),
    /// A number.
    Unsigned64(u64),
    /// Numbers; a negative one has wrapped around.
    Integers32(Vec<u32>),
    /// A text.
    Text(String),
    /// Texts.
    TextList(Vec<String>),
}

/// A command line that was understood.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    /// The options given, by short name.
    values: BTreeMap<&'static str, Value>,
    /// The input files.
    pub files: Vec<OsString>,
    /// What to warn of, in order.
    pub warnings: Vec<String>,
    /// What is wrong; nothing after it has been read.
    pub mistake: Option<String>,
    /// The option or value that was meant, where one is near to what is wrong.
    pub near: Option<String>,
    /// Words that are no options of the table, where it has one by which they are passed on.
    pub forwarded: Vec<String>,
}

impl Parsed {
    /// Whether an option is there, by its short name; so are the others below.
    pub(crate) fn has(&self, short: &str) -> bool {
        self.values.contains_key(short)
    }

    /// The word that an option has.
    pub(crate) fn keyword(&self, short: &str) -> Option<&'static str> {
        match self.values.get(short) {
            Some(Value::Keyword(word)) => Some(word),
            _ => None,
        }
    }

    /// The number that an option has.
    pub(crate) fn unsigned(&self, short: &str) -> Option<u64> {
        match self.values.get(short) {
            Some(Value::Unsigned64(number)) => Some(*number),
            _ => None,
        }
    }

    /// The text that an option has.
    pub(crate) fn text(&self, short: &str) -> Option<&str> {
        match self.values.get(short) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The texts that an option has; none where it is not there.
    pub(crate) fn texts(&self, short: &str) -> &[String] {
        match self.values.get(short) {
            Some(Value::TextList(texts)) => texts,
            _ => &[],
        }
    }

    /// An option as it would be given: its value, if it has one.
    pub(crate) fn shown(&self, short: &str) -> Option<String> {
        Some(match self.values.get(short)? {
            Value::Present => String::new(),
            Value::Keyword(word) => (*word).to_string(),
            Value::Unsigned64(number) => number.to_string(),
            Value::Integers32(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
                numbers.join(",")
            }
            Value::Text(text) => text.clone(),
            Value::TextList(texts) => texts.join(","),
        })
    }

    /// The numbers that an option has; none where it is not there.
    pub(crate) fn integers(&self, short: &str) -> &[u32] {
        match self.values.get(short) {
            Some(Value::Integers32(numbers)) => numbers,
            _ => &[],
        }
    }
}

/// Observed: nvdisasm 13.5 opens 15 options files inside each other and refuses the 16th.
const DEEPEST_FILE: usize = 15;

/// Reads a command line, without the name of the program.
pub(crate) fn parse(table: &'static [OptionRow], arguments: &[OsString]) -> Parsed {
    let mut parser = Parser {
        table,
        parsed: Parsed::default(),
        forwards: false,
    };
    parser.forwards = arguments
        .iter()
        .any(|word| FORWARDING.iter().any(|option| word == option));
    if let Err(mistake) = parser.words(arguments, 0) {
        parser.parsed.mistake = Some(mistake);
    }
    parser.parsed
}

struct Parser {
    table: &'static [OptionRow],
    parsed: Parsed,
    /// Words that are no options are passed on.
    forwards: bool,
}

/// nvcc's options by which words that it does not know are options of the host's compiler or linker.
const FORWARDING: [&str; 6] = [
    "-forward-unknown-to-host-compiler",
    "--forward-unknown-to-host-compiler",
    "-forward-unknown-to-host-linker",
    "--forward-unknown-to-host-linker",
    "-forward-unknown-opts",
    "--forward-unknown-opts",
];

impl Parser {
    /// Reads words; `depth` counts the options files around them.
    fn words(&mut self, words: &[OsString], depth: usize) -> Result<(), String> {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            if text == "-" || !text.starts_with('-') {
                self.parsed.files.push(word.clone());
                continue;
            }
            let (spelling, attached) = match (self.joined_list(&text), text.split_once('=')) {
                (Some((name, value)), _) => (name, Some(value.to_owned())),
                (None, Some((spelling, value))) => (spelling, Some(value.to_owned())),
                (None, None) => (text.as_ref(), None),
            };
            let (spelling, attached) = match self.joined(spelling).filter(|_| attached.is_none()) {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (spelling, attached),
            };
            let row = match self.row(spelling) {
                Err(_) if self.forwards => {
                    self.parsed.forwarded.push(text.into_owned());
                    continue;
                }
                row => row?,
            };
            let value = match (row.argument, attached) {
                (Argument::None, None) => String::new(),
                (Argument::Joined, None) if !spelling.starts_with("--") => String::new(),
                (Argument::None, Some(_)) => {
                    return Err(format!("no argument expected after '{spelling}'"));
                }
                (_, Some(value)) => value,
                (_, None) => words
                    .next()
                    .ok_or_else(|| format!("argument expected after '{spelling}'"))?
                    .to_string_lossy()
                    .into_owned(),
            };
            self.option(row, &value, depth)?;
        }
        Ok(())
    }

    /// `-O3` and `-m64`: an option of one letter that takes a value, with the value behind it. The value must begin with a digit, so that other
    /// options with the same first letter are not taken for it; where it is always joined, anything goes that is no option itself.
    fn joined<'w>(&self, spelling: &'w str) -> Option<(&'w str, &'w str)> {
        let letter = spelling.strip_prefix('-')?.chars().next()?;
        let (name, value) = spelling.split_at(1 + letter.len_utf8());
        let row = self.table.iter().find(|row| row.short == &name[1..])?;
        let joined = match row.argument {
            Argument::None => false,
            Argument::Joined => !value.is_empty() && !self.table.iter().any(|row| row.short == &spelling[1..]),
            _ => value.starts_with(|c: char| c.is_ascii_digit()),
        };
        joined.then_some((name, value))
    }

    /// `-I/usr/include`, `-DNAME=TEXT` and `-lNAME`: a list whose name is one capital letter, or `l`, with the value behind it.
    fn joined_list<'w>(&self, text: &'w str) -> Option<(&'w str, &'w str)> {
        let letter = text
            .strip_prefix('-')?
            .chars()
            .next()
            .filter(|&letter| letter.is_ascii_uppercase() || letter == 'l')?;
        let (name, value) = text.split_at(1 + letter.len_utf8());
        let row = self.table.iter().find(|row| row.short == &name[1..])?;
        let exact = self.table.iter().any(|row| row.short == &text[1..]);
        // `-linefo` is rather a mistake than the library `inefo`.
        let alike = self.names().filter(|name| name.starts_with('l'));
        let is_mistake = letter == 'l' && text.len() > 4 && suggest::nearest(&text[1..], alike).is_some();
        let joined = matches!(row.argument, Argument::TextList) && !value.is_empty() && !exact && !is_mistake;
        (joined && !value.starts_with('=')).then_some((name, value))
    }

    /// The names of all options.
    fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.table.iter().flat_map(|row| [row.long, row.short])
    }

    fn row(&mut self, spelling: &str) -> Result<&'static OptionRow, String> {
        let row = match spelling.strip_prefix("--") {
            Some(long) => self.table.iter().find(|row| row.long == long),
            None => self.table.iter().find(|row| row.short == &spelling[1..]),
        };
        row.ok_or_else(|| {
            let names = self.names();
            let wrong = spelling.trim_start_matches('-');
            // Every letter is near to every other.
            let near = suggest::nearest(wrong, names).filter(|_| wrong.len() > 2);
            self.parsed.near = near.map(|near| match self.table.iter().any(|row| row.long == near) {
                true => format!("a near option is '--{near}'"),
                false => format!("a near option is '-{near}'"),
            });
            format!("Unknown option '{}'", &spelling[1..])
        })
    }

    fn option(&mut self, row: &'static OptionRow, text: &str, depth: usize) -> Result<(), String> {
        let value = match row.argument {
            Argument::None => Value::Present,
            Argument::Keyword(words) => {
                let known = words.iter().find(|&&word| word == text);
                Value::Keyword(known.ok_or_else(|| {
                    let near = suggest::nearest(text, words.iter().copied());
                    self.parsed.near = near.map(|near| format!("a near value is '{near}'"));
                    format!("Value '{text}' is not defined for option '{}'", row.long)
                })?)
            }
            Argument::Boolean => match text {
                "true" => Value::Keyword("true"),
                "false" => Value::Keyword("false"),
                _ => return Err(format!("'{text}': expected true or false")),
            },
            Argument::Unsigned64 | Argument::Joined => Value::Unsigned64(unsigned64(text)?),
            Argument::Integers32 => {
                let mut numbers = self.parsed.integers(row.short).to_vec();
                for part in list(text) {
                    numbers.push(integer32(part)?);
                }
                Value::Integers32(numbers)
            }
            Argument::Text => Value::Text(text.to_owned()),
            Argument::Texts | Argument::TextList => {
                let mut texts = self.parsed.texts(row.short).to_vec();
                match row.argument {
                    Argument::Texts => texts.push(text.to_owned()),
                    _ => texts.extend(list(text).map(str::to_owned)),
                }
                Value::TextList(texts)
            }
            Argument::Architecture => {
                let number = text
                    .strip_prefix("sm_")
                    .or(text.strip_prefix("compute_"))
                    .or(text.strip_prefix("lto_"));
                let known = |number| Sm::ALL.iter().any(|sm| sm.name().strip_prefix("sm_") == Some(number));
                match number.is_some_and(known) {
                    true => Value::Text(text.to_owned()),
                    false => return Err(format!("Value '{text}' is not defined for option '{}'", row.long)),
                }
            }
            Argument::OptionsFiles => {
                return list(text).try_for_each(|name| self.options_file(name, depth));
            }
        };
        self.set(row, value);
        Ok(())
    }

    fn set(&mut self, row: &'static OptionRow, value: Value) {
        let grows = matches!(value, Value::Integers32(_) | Value::TextList(_));
        let old = self.parsed.values.insert(row.short, value);
        if old.is_some() && !grows && old.as_ref() != self.parsed.values.get(row.short) {
            self.parsed.warnings.push(format!(
                "incompatible redefinition for option '{}', the last value of this option was used",
                row.long
            ));
        }
    }

    fn options_file(&mut self, name: &str, depth: usize) -> Result<(), String> {
        if depth == DEEPEST_FILE {
            return Err(format!("Too many options file opened '{name}'"));
        }
        let bytes = files::read(Path::new(name)).map_err(|_| format!("Could not open options file '{name}'"))?;
        let words = split(&String::from_utf8_lossy(&bytes))?;
        self.words(&words, depth + 1)
    }
}

/// Says below a mistake what may have been meant. The tools themselves say nothing of the kind; what reads their messages passes it over as information.
pub(crate) fn suggest(parsed: &Parsed, tool: &str, console: &mut Console) {
    if let Some(near) = &parsed.near {
        console.complain(&format!("{tool} info    : {near}\n"));
    }
}

/// The parts of a list; empty ones do not count.
fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').filter(|part| !part.is_empty())
}

/// The words of an options file: blanks separate, double quotation marks join, a backslash takes the next
/// character as it is.
pub(crate) fn split(text: &str) -> Result<Vec<OsString>, String> {
    let mut words = Vec::new();
    // A word that is there, though it may be empty.
    let mut word: Option<String> = None;
    let mut quoted = false;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '\\' => match characters.next() {
                Some(character) => word.get_or_insert_default().push(character),
                None => return Err("Stray '\\' character".to_owned()),
            },
            ' ' | '\t' | '\r' | '\n' if !quoted => words.extend(word.take().map(OsString::from)),
            character => word.get_or_insert_default().push(character),
        }
    }
    if quoted {
        return Err("Stray '\"' character".to_owned());
    }
    words.extend(word.map(OsString::from));
    Ok(words)
}

/// Sign and magnitude of a number in C's spelling (decimal, `0x…`, octal after `0`); the magnitude is
/// `None` above 64 bits. No text at all is 0.
fn number(text: &str) -> Result<(bool, Option<u64>), String> {
    let mistake = || format!("'{text}': expected a number");
    if text.is_empty() {
        return Ok((false, Some(0)));
    }
    let signed = text.trim_start();
    let (negative, digits) = match signed.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, signed.strip_prefix('+').unwrap_or(signed)),
    };
    let hexadecimal = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
    let (base, digits) = match hexadecimal {
        Some(digits) => (16, digits),
        None if digits.starts_with('0') => (8, digits),
        None => (10, digits),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(base)) {
        return Err(mistake());
    }
    // Digits are all right, so that only size can fail.
    Ok((negative, u64::from_str_radix(digits, base).ok()))
}

fn unsigned64(text: &str) -> Result<u64, String> {
    match number(text)? {
        (false, Some(magnitude)) => Ok(magnitude),
        (true, Some(magnitude)) => Ok(magnitude.wrapping_neg()),
        (_, None) => Err(format!("64-bit hex value ({text}) out of range")),
    }
}

fn integer32(text: &str) -> Result<u32, String> {
    let (negative, magnitude) = number(text)?;
    let magnitude = magnitude.and_then(|magnitude| i64::try_from(magnitude).ok());
    let value = magnitude.map(|magnitude| if negative { -magnitude } else { magnitude });
    match value.and_then(|value| i32::try_from(value).ok()) {
        Some(value) => Ok(value as u32),
        None => Err(format!("32-bit integer value ({text}) out of range")),
    }
}

/// A number of 32 bits in C's spelling, wrapped around; `None` where the text is no number.
pub(crate) fn wrapping32(text: &str) -> Option<i32> {
    let (negative, magnitude) = number(text).ok()?;
    let value = magnitude? as i32;
    Some(if negative { value.wrapping_neg() } else { value })
}

/// The help text of a table, in the table's order. Ends with a line break.
pub(crate) fn help(table: &[OptionRow]) -> String {
    let mut out = String::new();
    for row in table {
        let placeholder = match row.argument {
            Argument::None => "",
            Argument::Keyword(_) => " <word>",
            Argument::Boolean => " <true|false>",
            Argument::Unsigned64 | Argument::Joined => " <number>",
            Argument::Integers32 => " <number>,...",
            Argument::Text | Argument::Texts => " <text>",
            Argument::TextList => " <text>,...",
            Argument::Architecture => " <target>",
            Argument::OptionsFiles => " <file>,...",
        };
        let spelling = format!("--{}{placeholder}", row.long);
        out += &format!("{spelling:<46} (-{})\n        {}\n", row.short, row.help);
        if let Argument::Keyword(words) = row.argument {
            for words in words.chunks(WORDS_IN_LINE) {
                out += &format!("        {}\n", words.join(" "));
            }
        }
        out.push('\n');
    }
    out
}

/// How many of an option's words stand in a line of the help text.
const WORDS_IN_LINE: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[rustfmt::skip]
    const TABLE: &[OptionRow] = &[
        OptionRow { long: "print-code",   short: "c",    argument: Argument::None,                        help: "" },
        OptionRow { long: "binary",       short: "b",    argument: Argument::Keyword(&["SM75", "SM90a"]), help: "" },
        OptionRow { long: "base-address", short: "base", argument: Argument::Unsigned64,                  help: "" },
        OptionRow { long: "function",     short: "fun",  argument: Argument::Integers32,                  help: "" },
        OptionRow { long: "options-file", short: "optf", argument: Argument::OptionsFiles,                help: "" },
    ];

    fn read(line: &str) -> Parsed {
        let words: Vec<_> = line.split(' ').map(OsString::from).collect();
        parse(TABLE, &words)
    }

    fn mistake(line: &str) -> String {
        read(line).mistake.unwrap()
    }

    #[test]
    fn values_follow_or_are_attached() {
        for line in [
            "-b SM75 f",
            "-b=SM75 f",
            "--binary SM75 f",
            "--binary=SM75 f",
            "f -b SM75",
        ] {
            let parsed = read(line);
            assert_eq!(parsed.keyword("b"), Some("SM75"), "{line}");
            assert_eq!(parsed.files, ["f"], "{line}");
        }
        let parsed = read("-fun 3,0x4, -c -fun=-1");
        assert_eq!(parsed.integers("fun"), [3, 4, u32::MAX]);
        assert!(parsed.has("c"));
    }

    #[test]
    fn mistakes() {
        assert_eq!(mistake("--c"), "Unknown option '-c'");
        assert_eq!(mistake("-print-code"), "Unknown option 'print-code'");
        assert_eq!(mistake("-bSM75"), "Unknown option 'bSM75'");
        assert_eq!(mistake("--"), "Unknown option '-'");
        assert_eq!(mistake("-é=1"), "Unknown option 'é'");
        assert_eq!(mistake("-c=true"), "no argument expected after '-c'");
        assert_eq!(mistake("f --binary"), "argument expected after '--binary'");
        assert_eq!(mistake("-b -c f"), "Value '-c' is not defined for option 'binary'");
        assert_eq!(mistake("-fun x -foo"), "'x': expected a number");
        assert_eq!(mistake("-foo -fun x"), "Unknown option 'foo'");
    }

    #[test]
    fn other_values_are_warned_of() {
        let parsed = read("-b SM75 -b SM90a -base 16 -base 0x10 -c -c -fun 1 -fun 2");
        assert_eq!(parsed.keyword("b"), Some("SM90a"));
        assert_eq!(
            parsed.warnings,
            ["incompatible redefinition for option 'binary', the last value of this option was used"]
        );
    }

    #[test]
    fn numbers_are_as_in_c() {
        for (text, value) in [
            ("16", 16),
            ("0x10", 16),
            ("0X1f", 31),
            ("010", 8),
            ("+16", 16),
            (" 16", 16),
            ("", 0),
            ("-1", u64::MAX),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(unsigned64(text), Ok(value), "{text}");
        }
        for text in ["0x", "09", "1e3", "0b11", "16,", "16 ", "-", "x", "+-1", "²"] {
            let message = format!("'{text}': expected a number");
            assert_eq!(unsigned64(text), Err(message), "{text}");
        }
        assert_eq!(
            unsigned64("18446744073709551616").unwrap_err(),
            "64-bit hex value (18446744073709551616) out of range"
        );
        assert_eq!(integer32("-1"), Ok(u32::MAX));
        assert_eq!(integer32("2147483647"), Ok(0x7fff_ffff));
        assert_eq!(
            integer32("2147483648").unwrap_err(),
            "32-bit integer value (2147483648) out of range"
        );
    }

    #[test]
    fn words_of_options_files() {
        assert_eq!(
            split("-c\r\n\"x y\"\ta\\ b -c\"x y\" \"\" \\\" 'q'").unwrap(),
            ["-c", "x y", "a b", "-cx y", "", "\"", "'q'"]
        );
        assert_eq!(split("a \"b c").unwrap_err(), "Stray '\"' character");
        assert_eq!(split("a\\").unwrap_err(), "Stray '\\' character");
        assert_eq!(
            mistake("-optf /no/such/file"),
            "Could not open options file '/no/such/file'"
        );
    }
}
