//! Lines that say how far a long run is, so that one that is stopped has told what it did.

use std::time::{Duration, Instant};

/// Says something at most so often.
#[derive(Debug)]
pub struct Progress {
    each: Option<Duration>,
    start: Instant,
    last: Instant,
}

impl Progress {
    /// Every so often; `None`: never.
    pub fn new(each: Option<Duration>) -> Progress {
        let start = Instant::now();
        Progress {
            each,
            start,
            last: start,
        }
    }

    /// Prints a line if it is time for one.
    pub fn say(&mut self, line: impl FnOnce() -> String) {
        let now = Instant::now();
        if self.each.is_some_and(|each| now - self.last >= each) {
            self.last = now;
            println!("{:.0} s: {}", (now - self.start).as_secs_f64(), line());
        }
    }
}
