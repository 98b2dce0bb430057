//! PTX between two steps, and the module before it.

use std::ops::Range;

use warpsmith_base::{Diagnostic, SourceText};
use warpsmith_ir::Module;
use warpsmith_isel::Places;

use crate::source::Files;
use crate::{Message, lines};

/// A translation unit as SSA IR.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Its code.
    pub module: Module,
    /// Whether the module is all that there is of its program, so that nobody else sees its functions.
    pub whole_program: bool,
    /// What was said of the source, where nothing was wrong: warnings.
    pub messages: Vec<Message>,
    /// The files that were read, the source first; built-in headers are not among them.
    pub dependencies: Vec<String>,
    /// The symbols of what [`FrontEnd::names`](crate::FrontEnd::names) name, in their order.
    pub names: Vec<String>,
    /// The kernels and the variables that the host registers with the CUDA runtime.
    pub host: Vec<warpsmith_cuda::HostEntity>,
    pub(crate) name: String,
    pub(crate) files: Files,
}

/// PTX that was read or made.
#[derive(Debug)]
pub struct Ptx {
    /// The name of the source that it was read from, or made of.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What the text says.
    pub module: warpsmith_ptx::module::Module,
    /// What was said of the text, where nothing was wrong: warnings.
    pub messages: Vec<Message>,
    pub(crate) made: Option<Made>,
}

/// What PTX was made of.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) places: Places,
    pub(crate) files: Files,
}

impl Ptx {
    /// PTX that somebody has read, and perhaps changed: messages are about the text.
    pub fn new(name: impl Into<String>, text: impl Into<String>, module: warpsmith_ptx::module::Module) -> Ptx {
        Ptx {
            name: name.into(),
            text: text.into(),
            module,
            messages: Vec::new(),
            made: None,
        }
    }

    /// Messages about stretches of the text: at the lines of the source that it was made of, or at its own.
    pub(crate) fn messages_at(
        &self,
        diagnostics: impl Iterator<Item = (Diagnostic, Option<Range<usize>>)>,
    ) -> Vec<Message> {
        let mut diagnostics = diagnostics.peekable();
        if diagnostics.peek().is_none() {
            return Vec::new();
        }
        let Some(Made { places, files }) = &self.made else {
            let source = SourceText::new(&self.name, self.text.as_str());
            let messages = diagnostics.map(|(diagnostic, bytes)| {
                let Some(bytes) = bytes else {
                    return Message::plain(diagnostic.in_file(&self.name));
                };
                let start = bytes.start.min(self.text.len());
                let end = bytes.end.clamp(start, self.text.len());
                Message::about(diagnostic.at(&source, start..end), &source)
            });
            return messages.collect();
        };
        let messages = diagnostics.map(|(diagnostic, bytes)| {
            let diagnostic = match bytes {
                Some(bytes) => lines::at_ptx(diagnostic, bytes.start, &self.text, places, &self.name),
                None => diagnostic.in_file(&self.name),
            };
            lines::with_line(diagnostic, files)
        });
        messages.collect()
    }
}
