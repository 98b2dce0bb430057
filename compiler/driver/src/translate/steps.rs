//! How long each step of a translation took.

use std::time::{Duration, Instant};

/// Names and times, in order.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    list: Vec<(&'static str, Duration)>,
}

impl Steps {
    /// Does a step and notes its time.
    pub(crate) fn time<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.list.push((name, start.elapsed()));
        result
    }

    /// One line a step.
    pub(crate) fn text(&self) -> String {
        let lines = self
            .list
            .iter()
            .map(|(name, time)| format!("{:>10.3} ms  {name}\n", time.as_secs_f64() * 1e3));
        lines.collect()
    }
}
