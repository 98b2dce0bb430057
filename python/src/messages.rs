//! What is said of a source, as dictionaries.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use warpsmith::{Diagnostic, Message, Position};

/// All messages.
pub(crate) fn listed<'py>(py: Python<'py>, messages: &[Message]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for message in messages {
        list.append(of(py, &message.diagnostic, message.number, &message.rendered)?)?;
    }
    Ok(list)
}

/// One message, under the names of the fields of `warpsmith.Diagnostic`.
pub(crate) fn of<'py>(
    py: Python<'py>,
    diagnostic: &Diagnostic,
    number: Option<u32>,
    rendered: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let place = match &diagnostic.position {
        Position::Text { place, .. } => Some((place.line, place.column)),
        Position::Whole | Position::Offset(_) => None,
    };
    let message = PyDict::new(py);
    message.set_item("severity", diagnostic.severity.word())?;
    message.set_item("message", &diagnostic.message)?;
    message.set_item("file", &diagnostic.file)?;
    message.set_item("line", place.map(|(line, _)| line))?;
    message.set_item("column", place.map(|(_, column)| column))?;
    message.set_item("number", number)?;
    message.set_item("notes", &diagnostic.notes)?;
    message.set_item("rendered", rendered)?;
    Ok(message)
}
