//! Threads whose stacks are deep enough for the limits on nesting.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Stack of a thread that parses, elaborates or generates, in bytes; only what is used is really taken.
const STACK_SIZE: usize = 1 << 30;

/// How long to wait before another thread is asked for.
const WAIT: Duration = Duration::from_millis(20);

/// How many such threads there are in this process.
static WORKING: AtomicUsize = AtomicUsize::new(0);

/// Does something on a thread of its own. Where the system gives no more threads, it waits for the others; the error is what to say if there are none.
pub(crate) fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    let mut work = Some(work);
    let failed = loop {
        WORKING.fetch_add(1, Ordering::SeqCst);
        let result = once(&mut work);
        let others = WORKING.fetch_sub(1, Ordering::SeqCst) - 1;
        match result {
            Ok(value) => return Ok(value),
            Err(_) if others > 0 && work.is_some() => thread::sleep(WAIT),
            Err(error) => break error,
        }
    };
    Err(format!(
        "the system gives no thread with a stack of {STACK_SIZE} bytes, without which nothing is compiled: {failed}"
    ))
}

fn once<T: Send>(work: &mut Option<impl FnOnce() -> T + Send>) -> io::Result<T> {
    thread::scope(|threads| {
        let builder = thread::Builder::new().stack_size(STACK_SIZE);
        let handle = builder.spawn_scoped(threads, move || work.take().map(|work| work()))?;
        let result = handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        result.ok_or_else(|| io::Error::other("the thread had nothing to do"))
    })
}
