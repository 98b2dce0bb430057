//! The inputs of a run: files, standard input, and texts from the command line. Several become one module, as for ptxas.

use std::path::Path;

use crate::{Console, files, vendor::Parsed};

/// What messages call a text given on the command line.
pub(super) const STRING_INPUT: &str = "application ptx input";

/// The directives that stand once in a module.
const HEADER: [&str; 3] = [".version", ".target", ".address_size"];

/// An input.
pub(super) struct Input {
    /// What messages call it.
    pub(super) name: String,
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
}

/// Reads all inputs. What cannot be read is told, and the others are read all the same.
pub(super) fn read(parsed: &Parsed, console: &mut Console) -> (Vec<Input>, bool) {
    let (mut inputs, mut sound) = (Vec::new(), true);
    for file in &parsed.files {
        let name = file.to_string_lossy().into_owned();
        let path = Path::new(file);
        let bytes = if name == "-" {
            files::read_input(path).ok()
        } else {
            files::read(path).ok()
        };
        match bytes {
            Some(bytes) => inputs.push(Input { name, bytes }),
            None => {
                console.complain(&format!("ptxas fatal   : Input file '{name}' could not be opened\n"));
                sound = false;
            }
        }
    }
    inputs.extend(parsed.texts("ias").iter().map(|text| Input {
        name: STRING_INPUT.to_string(),
        bytes: text.as_bytes().to_vec(),
    }));
    (inputs, sound)
}

/// A text made of several inputs, and where each begins in it.
pub(super) struct Joined {
    /// The text.
    pub(super) bytes: Vec<u8>,
    parts: Vec<(usize, String)>,
}

impl Joined {
    /// One text of all inputs. The directives that stand once in a module are blanks in all but the first.
    ///
    /// # Errors
    /// An input whose directives are not those of the first.
    pub(super) fn new(inputs: Vec<Input>) -> Result<Joined, String> {
        let mut joined = Joined {
            bytes: Vec::new(),
            parts: Vec::new(),
        };
        // One input alone is not compared with anything.
        let first = match &inputs[..] {
            [] | [_] => Vec::new(),
            [first, ..] => header(&first.bytes),
        };
        for (index, mut input) in inputs.into_iter().enumerate() {
            if index > 0 {
                if header(&input.bytes) != first {
                    let name = &input.name;
                    return Err(format!(
                        "Warpsmith joins inputs of the same .version, .target and .address_size only; '{name}' differs"
                    ));
                }
                blank(&mut input.bytes);
            }
            joined.parts.push((joined.bytes.len(), input.name));
            joined.bytes.append(&mut input.bytes);
            if !joined.bytes.ends_with(b"\n") {
                joined.bytes.push(b'\n');
            }
        }
        Ok(joined)
    }

    /// The input and line, from 1, of a byte.
    pub(super) fn place(&self, offset: usize) -> (&str, usize) {
        let index = self
            .parts
            .partition_point(|(start, _)| *start <= offset)
            .saturating_sub(1);
        let (start, name) = self
            .parts
            .get(index)
            .map_or((0, ""), |(start, name)| (*start, name.as_str()));
        let end = offset.min(self.bytes.len()).max(start);
        let line = 1 + self.bytes[start..end].iter().filter(|byte| **byte == b'\n').count();
        (name, line)
    }
}

/// The header's directives with what follows them in the line.
fn header(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().filter_map(directive);
    lines
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

/// A line that is a header's directive, without comment.
fn directive(line: &str) -> Option<&str> {
    let plain = line.split("//").next().unwrap_or("").trim();
    let first = plain.split_whitespace().next()?;
    HEADER.contains(&first).then_some(plain)
}

/// Blanks in place of the header's directives; lines stay lines.
fn blank(bytes: &mut [u8]) {
    for line in bytes.split_mut(|byte| *byte == b'\n') {
        if std::str::from_utf8(line).ok().and_then(directive).is_some() {
            line.fill(b' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Input, Joined};

    fn input(name: &str, text: &str) -> Input {
        Input {
            name: name.to_string(),
            bytes: text.as_bytes().to_vec(),
        }
    }

    #[test]
    fn inputs_become_one_text_with_places() {
        let inputs = vec![
            input("a", ".version 9.0\n.target sm_90 // x\nA"),
            input("b", "\n.version  9.0\n.target sm_90\nB\n"),
        ];
        let joined = Joined::new(inputs).ok().unwrap();
        let text = String::from_utf8(joined.bytes.clone()).unwrap();
        assert_eq!(
            text,
            ".version 9.0\n.target sm_90 // x\nA\n\n             \n             \nB\n"
        );
        assert_eq!(joined.place(text.find('A').unwrap()), ("a", 3));
        assert_eq!(joined.place(text.find('B').unwrap()), ("b", 4));
    }

    #[test]
    fn other_headers_are_refused() {
        let inputs = vec![input("a", ".version 9.0\n"), input("b", ".version 8.0\n")];
        assert!(Joined::new(inputs).is_err_and(|message| message.contains("'b' differs")));
    }
}
