//! Why nothing was made, for Python.

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

use crate::messages;

create_exception!(
    _native,
    Failure,
    PyException,
    "A word for the kind, and messages. The package makes its exceptions of it."
);

/// The exception of a failure.
pub(crate) fn raised(py: Python<'_>, failure: &warpsmith::Failure) -> PyErr {
    let kind = match failure {
        warpsmith::Failure::Rejected(_) => "rejected",
        warpsmith::Failure::Unsupported(_) => "unsupported",
        warpsmith::Failure::Internal(_) => "internal",
        warpsmith::Failure::Cancelled => "cancelled",
    };
    match messages::listed(py, failure.messages()) {
        Ok(messages) => Failure::new_err((kind, messages.unbind())),
        Err(error) => error,
    }
}
