//! What a run says: results on standard output, and messages on standard error in the form that was asked for.

use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::{Value, json};
use warpsmith::{Message, Position};
use warpsmith_base::{Diagnostic, Severity, SourceText, fault};

use crate::progress::Progress;
use crate::version;

/// The form of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people.
    Text {
        /// With the colours of a terminal.
        colour: bool,
    },
    /// A JSON object on each line.
    Json,
    /// One SARIF 2.1.0 document at the end.
    Sarif,
}

/// Where a run writes.
pub(crate) struct Console<'a> {
    /// Standard output.
    pub out: &'a mut dyn Write,
    /// Standard error.
    pub errors: &'a mut dyn Write,
    /// The form of messages.
    pub format: Format,
    /// The first error of Warpsmith itself that was told.
    pub internal: Option<String>,
    /// The file that is the program, where it is not that of the process.
    pub program: Option<PathBuf>,
    /// The results of the SARIF document so far.
    results: Vec<Value>,
    /// The line on the terminal that says what is being done.
    progress: Option<Progress>,
}

impl<'a> Console<'a> {
    /// Nothing has been said yet.
    pub(crate) fn new(out: &'a mut dyn Write, errors: &'a mut dyn Write, format: Format) -> Console<'a> {
        Console {
            out,
            errors,
            format,
            internal: None,
            program: None,
            results: Vec::new(),
            progress: None,
        }
    }

    /// Says what is being done on the terminal that standard error is.
    pub(crate) fn show_progress(&mut self) {
        self.progress = Some(Progress::new());
    }

    /// Writes a result to standard output; a reader that is gone is no error.
    pub(crate) fn print(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.clear_progress();
        match self.out.write_all(bytes).and_then(|()| self.out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }

    /// Writes a text to standard error that is no diagnostic of an input, or one in the words of another tool. Where that fails too, nobody is left to tell.
    pub(crate) fn complain(&mut self, message: &str) {
        self.look_for_fault(message);
        match self.format {
            Format::Text { .. } => self.write(message),
            Format::Json | Format::Sarif => {
                for line in message.lines() {
                    match of_tool(line) {
                        Some(diagnostic) => self.record(&diagnostic, None, line),
                        None if self.format == Format::Json => {
                            self.write(&format!("{}\n", json!({ "kind": "text", "text": line })));
                        }
                        // A document of results has no other place for what is said beside them.
                        None if !line.trim().is_empty() => {
                            self.record(&Diagnostic::new(Severity::Note, line), None, line);
                        }
                        None => {}
                    }
                }
            }
        }
    }

    /// Writes what was said on a console of its own, which had the same form.
    pub(crate) fn pass_on(&mut self, said: Said) {
        let _ = self.print(&said.out);
        let errors = String::from_utf8_lossy(&said.errors);
        self.look_for_fault(&errors);
        self.write(&errors);
        self.results.extend(said.results);
    }

    /// Takes what is kept for the end of the run.
    pub(crate) fn take_results(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.results)
    }

    /// Shows a message of the compiler.
    pub(crate) fn say(&mut self, message: &Message) {
        let number = message.number.map(|number| number.to_string());
        self.tell(&message.diagnostic, number.as_deref(), &message.rendered);
    }

    /// Shows a diagnostic and its notes, without a line of the source.
    pub(crate) fn diagnose(&mut self, diagnostic: &Diagnostic) {
        self.tell(diagnostic, None, &diagnostic.plain_with_notes());
    }

    /// Shows a diagnostic with the line of the source that it is about.
    pub(crate) fn diagnose_in(&mut self, diagnostic: &Diagnostic, source: &SourceText) {
        self.tell(diagnostic, None, &diagnostic.render(source));
    }

    fn tell(&mut self, diagnostic: &Diagnostic, number: Option<&str>, rendered: &str) {
        self.look_for_fault(rendered);
        match self.format {
            Format::Text { colour: false } => self.write(rendered),
            Format::Text { colour: true } => self.write(&crate::paint::painted(rendered)),
            Format::Json | Format::Sarif => self.record(diagnostic, number.or(diagnostic.code), rendered),
        }
    }

    /// Ends the run: the document of all that was said, where that is the form.
    pub(crate) fn finish(&mut self) {
        if self.format == Format::Sarif {
            let results = self.take_results();
            self.write(&format!("{:#}\n", document(results)));
        }
    }

    fn record(&mut self, diagnostic: &Diagnostic, code: Option<&str>, rendered: &str) {
        match self.format {
            Format::Json => self.write(&format!("{}\n", object(diagnostic, code, rendered))),
            Format::Sarif => self.results.push(result(diagnostic, code)),
            Format::Text { .. } => {}
        }
    }

    fn look_for_fault(&mut self, message: &str) {
        if self.internal.is_none()
            && let Some(what) = fault::told(message)
        {
            self.internal = what.lines().next().map(str::to_owned);
        }
    }

    fn clear_progress(&self) {
        if let Some(progress) = &self.progress {
            progress.clear();
        }
    }

    fn write(&mut self, text: &str) {
        self.clear_progress();
        let _ = self.errors.write_all(text.as_bytes());
    }
}

/// What was said on a console that wrote to memory.
pub(crate) struct Said {
    pub(crate) out: Vec<u8>,
    pub(crate) errors: Vec<u8>,
    pub(crate) results: Vec<Value>,
}

/// A line as the vendor's tools write it: `TOOL [FILE, line N; ]GRADE : TEXT`. The tools know no columns.
fn of_tool(line: &str) -> Option<Diagnostic> {
    let (head, text) = line.split_once(": ")?;
    let mut words = head.trim_end().rsplitn(2, ' ');
    let severity = match words.next()? {
        "error" | "fatal" => Severity::Error,
        "warning" => Severity::Warning,
        "info" | "note" => Severity::Note,
        _ => return None,
    };
    let diagnostic = Diagnostic::new(severity, text);
    let Some(place) = words.next() else {
        return Some(diagnostic);
    };
    let place = place.trim().strip_suffix(';').and_then(|place| {
        let (file, line) = place.rsplit_once(", line ")?;
        Some((file.split_once(' ')?.1, line.parse().ok()?))
    });
    Some(match place {
        Some((file, line)) => diagnostic.in_file(file).at_line(line, 1),
        None => diagnostic,
    })
}

/// One diagnostic as an object.
fn object(diagnostic: &Diagnostic, code: Option<&str>, rendered: &str) -> Value {
    let (line, column, bytes, offset) = match &diagnostic.position {
        Position::Whole => (None, None, None, None),
        Position::Text { place, bytes } => {
            let bytes = bytes.as_ref().map(|bytes| json!([bytes.start, bytes.end]));
            (Some(place.line), Some(place.column), bytes, None)
        }
        Position::Offset(offset) => (None, None, None, Some(*offset)),
    };
    json!({
        "kind": "diagnostic",
        "severity": diagnostic.severity.word(),
        "code": code,
        "message": diagnostic.message,
        "file": diagnostic.file,
        "line": line,
        "column": column,
        "bytes": bytes,
        "offset": offset,
        "construct": diagnostic.construct,
        "notes": diagnostic.notes,
        "rendered": rendered,
    })
}

/// One diagnostic as a result of SARIF (section 3.27 of the standard). Notes follow the message: SARIF's related locations need places, which few of them have.
fn result(diagnostic: &Diagnostic, code: Option<&str>) -> Value {
    let construct = diagnostic.construct.iter().map(|construct| format!("{construct}: "));
    let mut text: String = construct.collect();
    text.push_str(&diagnostic.message);
    for note in &diagnostic.notes {
        text.push_str("\nnote: ");
        text.push_str(note);
    }
    let mut result = json!({
        "level": diagnostic.severity.word(),
        "message": { "text": text },
    });
    if let Some(code) = code {
        result["ruleId"] = code.into();
    }
    if let Some(file) = &diagnostic.file {
        let mut location = json!({ "artifactLocation": { "uri": uri(file) } });
        match &diagnostic.position {
            Position::Whole => {}
            Position::Text { place, .. } => {
                location["region"] = json!({ "startLine": place.line, "startColumn": place.column });
            }
            Position::Offset(offset) => location["region"] = json!({ "byteOffset": offset }),
        }
        result["locations"] = json!([{ "physicalLocation": location }]);
    }
    result
}

/// A path as a URI reference: what is no letter, digit or one of a few signs is written in hexadecimal.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(byte.into()),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// The SARIF document of a run.
fn document(results: Vec<Value>) -> Value {
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "warpsmith", "version": version::NUMBER } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(format: Format, speak: impl Fn(&mut Console<'_>)) -> String {
        let (mut out, mut errors) = (Vec::new(), Vec::new());
        let mut console = Console::new(&mut out, &mut errors, format);
        speak(&mut console);
        console.finish();
        String::from_utf8(errors).unwrap()
    }

    fn speak(console: &mut Console<'_>) {
        let source = SourceText::new("a b.ptx", "ret;\nadd.u31 r;\n");
        let diagnostic = Diagnostic::error("no modifier").at(&source, 5..12).about("add");
        console.diagnose_in(&diagnostic.note("a near one"), &source);
        console.complain("ptxas x.ptx, line 4; warning : odd\nkernel: 12 registers\n");
    }

    #[test]
    fn a_line_for_each() {
        assert_eq!(
            said(Format::Json, speak),
            concat!(
                r#"{"kind":"diagnostic","severity":"error","code":null,"message":"no modifier","file":"a b.ptx","line":2,"column":1,"#,
                r#""bytes":[5,12],"offset":null,"construct":"add","notes":["a near one"],"rendered":"error: add: no modifier\n "#,
                r#"--> a b.ptx:2:1\n  |\n2 | add.u31 r;\n  | ^^^^^^^\n  |\n  = note: a near one\n"}"#,
                "\n",
                r#"{"kind":"diagnostic","severity":"warning","code":null,"message":"odd","file":"x.ptx","line":4,"column":1,"bytes":null,"#,
                r#""offset":null,"construct":null,"notes":[],"rendered":"ptxas x.ptx, line 4; warning : odd"}"#,
                "\n",
                r#"{"kind":"text","text":"kernel: 12 registers"}"#,
                "\n",
            )
        );
    }

    #[test]
    fn one_document() {
        let document: Value = serde_json::from_str(&said(Format::Sarif, speak)).unwrap();
        assert_eq!(
            document["runs"][0]["results"],
            json!([
                {
                    "level": "error",
                    "message": { "text": "add: no modifier\nnote: a near one" },
                    "locations": [{ "physicalLocation": {
                        "artifactLocation": { "uri": "a%20b.ptx" },
                        "region": { "startLine": 2, "startColumn": 1 },
                    } }],
                },
                {
                    "level": "warning",
                    "message": { "text": "odd" },
                    "locations": [{ "physicalLocation": {
                        "artifactLocation": { "uri": "x.ptx" },
                        "region": { "startLine": 4, "startColumn": 1 },
                    } }],
                },
                { "level": "note", "message": { "text": "kernel: 12 registers" } },
            ])
        );
    }

    #[test]
    fn lines_of_tools() {
        let parts = |line| of_tool(line).map(|found| (found.severity, found.file, found.message));
        assert_eq!(
            parts("ptxas fatal   : Unknown option 'x'"),
            Some((Severity::Error, None, "Unknown option 'x'".into()))
        );
        assert_eq!(
            parts("error: a.cu: not compiled").map(|found| found.2),
            Some("a.cu: not compiled".into())
        );
        assert_eq!(parts("scale: 12 registers"), None);
        assert_eq!(parts("no colon"), None);
    }
}
