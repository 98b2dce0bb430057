//! What is being done, for whoever waits: a line on the terminal that is drawn anew, from the third second on.

use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use warpsmith_base::fault;

/// What takes no longer needs no line.
const AFTER: Duration = Duration::from_secs(2);

/// How often the line is drawn.
const EVERY: Duration = Duration::from_millis(250);

/// Goes back to the start of the line and empties it.
const CLEAR: &str = "\r\u{1b}[2K";

#[derive(Default)]
struct State {
    is_over: bool,
    is_drawn: bool,
}

/// The line, until it is dropped.
pub(crate) struct Progress {
    state: Arc<(Mutex<State>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// A line on standard error, which is a terminal. Where no thread is to be had there is none.
    pub(crate) fn new() -> Progress {
        let state = Arc::new((Mutex::new(State::default()), Condvar::new()));
        let own = state.clone();
        let draw = move || draw(&own, &mut std::io::stderr(), AFTER);
        Progress {
            state,
            thread: thread::Builder::new().spawn(draw).ok(),
        }
    }

    /// Empties the line, before something else is written to the terminal.
    pub(crate) fn clear(&self) {
        clear(
            &mut self.state.0.lock().unwrap_or_else(PoisonError::into_inner),
            &mut std::io::stderr(),
        );
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.state.0.lock().unwrap_or_else(PoisonError::into_inner).is_over = true;
        self.state.1.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn clear(state: &mut State, out: &mut dyn Write) {
    if std::mem::take(&mut state.is_drawn) {
        let _ = out.write_all(CLEAR.as_bytes());
    }
}

fn draw((state, changed): &(Mutex<State>, Condvar), out: &mut dyn Write, after: Duration) {
    let start = Instant::now();
    let mut wait = after;
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let waited = changed.wait_timeout_while(state, wait, |state| !state.is_over);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
        if state.is_over {
            return clear(&mut state, out);
        }
        state.is_drawn = true;
        let _ = write!(out, "{CLEAR}{}, {} s", fault::latest(), start.elapsed().as_secs());
        let _ = out.flush();
        wait = EVERY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_drawn_late_and_leaves_nothing() {
        let state = Arc::new((Mutex::new(State::default()), Condvar::new()));
        let own = state.clone();
        let line = thread::spawn(move || {
            let mut out = Vec::new();
            draw(&own, &mut out, Duration::ZERO);
            String::from_utf8(out).unwrap()
        });
        let _at = fault::enter("schedule", "");
        while !state.0.lock().unwrap().is_drawn {
            thread::yield_now();
        }
        state.0.lock().unwrap().is_over = true;
        state.1.notify_all();
        let text = line.join().unwrap();
        assert!(
            text.starts_with(CLEAR) && text.contains(", 0 s") && text.ends_with(CLEAR),
            "{text:?}"
        );
    }

    #[test]
    fn what_is_quick_has_none() {
        let state = (
            Mutex::new(State {
                is_over: true,
                is_drawn: false,
            }),
            Condvar::new(),
        );
        let mut out = Vec::new();
        draw(&state, &mut out, AFTER);
        assert_eq!(out, b"");
    }
}
