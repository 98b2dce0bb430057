//! How long each step of a translation took, and, where a trace is wanted, each pass and phase inside the steps.

use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use warpsmith_base::fault;

/// Names and times, in order.
#[derive(Debug, Default)]
pub(crate) struct Steps<'t> {
    list: Vec<(&'static str, Duration)>,
    trace: Option<(&'t Trace, String)>,
}

impl<'t> Steps<'t> {
    /// Steps that a trace is told of; `subject` says what they are done for.
    pub(crate) fn traced(trace: Option<&'t Trace>, subject: String) -> Steps<'t> {
        Steps {
            list: Vec::new(),
            trace: trace.map(|trace| (trace, subject)),
        }
    }

    /// Does a step and notes its time.
    pub(crate) fn time<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let _at = fault::enter(name, "");
        let start = Instant::now();
        let result = work();
        let time = start.elapsed();
        self.list.push((name, time));
        if let Some((trace, subject)) = &self.trace {
            trace.note(name, subject, time);
        }
        result
    }

    /// The trace, where there is one.
    pub(crate) fn trace(&self) -> Option<&'t Trace> {
        self.trace.as_ref().map(|(trace, _)| *trace)
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

/// What happened when, on which thread.
#[derive(Debug)]
pub(crate) struct Trace {
    origin: Instant,
    events: Mutex<Vec<TraceEvent>>,
}

#[derive(Debug)]
struct TraceEvent {
    name: &'static str,
    subject: String,
    thread: ThreadId,
    start: Duration,
    time: Duration,
}

impl Trace {
    /// A trace that begins now.
    pub(crate) fn new() -> Trace {
        Trace {
            origin: Instant::now(),
            events: Mutex::new(Vec::new()),
        }
    }

    /// Notes what ends now and took `time`.
    pub(crate) fn note(&self, name: &'static str, subject: &str, time: Duration) {
        let end = self.origin.elapsed();
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.push(TraceEvent {
            name,
            subject: subject.to_owned(),
            thread: thread::current().id(),
            start: end.saturating_sub(time),
            time,
        });
    }

    /// The events in the Trace Event Format, which chrome://tracing and Perfetto read: times in microseconds, threads numbered as they appear.
    pub(crate) fn json(&self) -> String {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let mut threads: Vec<ThreadId> = Vec::new();
        let mut text = String::from("{\"traceEvents\":[\n");
        for (index, event) in events.iter().enumerate() {
            let thread = threads.iter().position(|thread| *thread == event.thread);
            let thread = thread.unwrap_or_else(|| {
                threads.push(event.thread);
                threads.len() - 1
            });
            let _ = writeln!(
                text,
                "{{\"ph\":\"X\",\"pid\":1,\"tid\":{thread},\"ts\":{:.3},\"dur\":{:.3},\"name\":\"{}\",\"args\":{{\"detail\":\"{}\"}}}}{}",
                event.start.as_secs_f64() * 1e6,
                event.time.as_secs_f64() * 1e6,
                event.name,
                escaped(&event.subject),
                if index + 1 < events.len() { "," } else { "" }
            );
        }
        text.push_str("],\"displayTimeUnit\":\"ms\"}\n");
        text
    }
}

/// A text inside the quotes of JSON.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if u32::from(c) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_json() {
        let trace = Trace::new();
        trace.note("optimise", "a \"b\"\\\n", Duration::ZERO);
        let text = trace.json();
        let (head, tail) = text.split_once("\"ts\":").unwrap();
        assert_eq!(head, "{\"traceEvents\":[\n{\"ph\":\"X\",\"pid\":1,\"tid\":0,");
        let (_, tail) = tail.split_once(",\"dur\":").unwrap();
        assert_eq!(
            tail,
            "0.000,\"name\":\"optimise\",\"args\":{\"detail\":\"a \\\"b\\\"\\\\\\u000a\"}}\n],\"displayTimeUnit\":\"ms\"}\n"
        );
    }
}
