//! Work that Python waits for: other threads run meanwhile, and Ctrl-C ends it.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often it is looked for Ctrl-C.
const PAUSE: Duration = Duration::from_millis(50);

/// Ends compiles and runs from another thread: `cancel.cancel()`.
#[pyclass(frozen, module = "warpsmith")]
#[derive(Debug)]
pub(crate) struct Cancel(warpsmith::Cancel);

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Cancel {
        Cancel(warpsmith::Cancel::new())
    }

    /// Ends all work that was given this object, and that which will be.
    fn cancel(&self) {
        self.0.cancel();
    }

    /// Whether `cancel` was called.
    #[getter]
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// The flag of an object of Python's, or a new one.
pub(crate) fn flag(given: Option<&Bound<'_, Cancel>>) -> warpsmith::Cancel {
    given.map_or_else(warpsmith::Cancel::new, |cancel| cancel.get().0.clone())
}

/// Does work on another thread, and sets the flag that it looks at when Python's user presses Ctrl-C.
///
/// # Errors
/// What Python's handler of the signal raises.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    cancel: &warpsmith::Cancel,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        thread::scope(|scope| {
            let (done, result) = mpsc::channel();
            let started = thread::Builder::new().spawn_scoped(scope, move || {
                // Who waits may have gone.
                let _ = done.send(work());
            });
            started.map_err(|error| PyRuntimeError::new_err(format!("no thread to work on: {error}")))?;
            loop {
                match result.recv_timeout(PAUSE) {
                    Ok(value) => return Ok(value),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(PyRuntimeError::new_err(
                            "the work ended in a panic, which is a mistake of Warpsmith",
                        ));
                    }
                }
                if let Err(raised) = Python::attach(|py| py.check_signals()) {
                    cancel.cancel();
                    return Err(raised);
                }
            }
        })
    })
}
