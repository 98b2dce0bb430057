//! Looking at the phases of the back end: the machine IR after each as text or side by side on a page, and how long they took.

use std::{fmt::Write as _, time::Duration};

use warpsmith_base::Diagnostic;
use warpsmith_ori::phase::{Event, PHASES, Phase, STEPS};

/// What the function is called before the first phase.
const LOWERED: &str = "lower";

/// Every phase.
const ALL: &str = "all";

/// A function after a phase.
struct Snapshot {
    function: String,
    phase: &'static str,
    text: String,
}

/// What was seen of a compilation.
pub(crate) struct Record {
    /// The phase to keep, or [`ALL`].
    wanted: Option<String>,
    /// Whether all that changed something are kept.
    page: bool,
    snapshots: Vec<Snapshot>,
    times: Vec<(&'static str, Duration)>,
}

impl Record {
    /// A record that keeps a phase by name, and all of them for the page.
    pub(crate) fn new(wanted: Option<&str>, page: bool) -> Result<Record, Vec<Diagnostic>> {
        let wanted = match wanted {
            Some(name) if ![LOWERED, ALL].contains(&name) => Some(
                Phase::named(name)
                    .ok_or_else(|| {
                        vec![Diagnostic::error(format!(
                            "there is no phase {name}; --list-phases names them"
                        ))]
                    })?
                    .name
                    .to_string(),
            ),
            other => other.map(str::to_string),
        };
        Ok(Record {
            wanted,
            page,
            snapshots: Vec::new(),
            times: Vec::new(),
        })
    }

    /// Takes down what happened.
    pub(crate) fn note(&mut self, event: &Event<'_>) {
        let phase = event.phase.map_or(LOWERED, |phase| phase.name);
        match self.times.iter_mut().find(|(name, _)| *name == phase) {
            Some((_, time)) => *time += event.time,
            None => self.times.push((phase, event.time)),
        }
        let wanted = self.wanted.as_deref().is_some_and(|name| name == phase || name == ALL);
        if wanted || self.page {
            self.snapshots.push(Snapshot {
                function: event.function.name.clone(),
                phase,
                text: event.function.to_string(),
            });
        }
    }

    /// The wanted phases' functions.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        for snapshot in &self.snapshots {
            match self.wanted.as_deref() {
                Some(ALL) => {
                    let _ = write!(out, "after {}:\n{}", snapshot.phase, snapshot.text);
                }
                Some(name) if name == snapshot.phase => out.push_str(&snapshot.text),
                Some(_) | None => {}
            }
        }
        out
    }

    /// Seconds of each phase, the whole last.
    pub(crate) fn times(&self) -> String {
        let mut out = String::new();
        let mut whole = Duration::ZERO;
        for (phase, time) in &self.times {
            whole += *time;
            let _ = writeln!(out, "{:>10.6} s  {phase}", time.as_secs_f64());
        }
        let _ = writeln!(out, "{:>10.6} s  all phases", whole.as_secs_f64());
        out
    }

    /// A page with a column for each phase that changed a function; lines that the column before does not have are marked.
    pub(crate) fn page(&self, input: &str) -> String {
        let mut out = format!(
            "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>{}</title>\n{STYLE}",
            escaped(input)
        );
        let mut rest = &self.snapshots[..];
        while let Some(first) = rest.first() {
            let count = rest.iter().take_while(|s| s.function == first.function).count();
            let (own, others) = rest.split_at(count);
            rest = others;
            let _ = write!(out, "<h2>{}</h2>\n<div class=row>\n", escaped(&first.function));
            let mut before: Option<&str> = None;
            for snapshot in own.iter().filter(|s| s.phase == LOWERED || !s.text.is_empty()) {
                if before == Some(snapshot.text.as_str()) {
                    continue;
                }
                column(&mut out, snapshot, before);
                before = Some(&snapshot.text);
            }
            out.push_str("</div>\n");
        }
        out
    }
}

const STYLE: &str = "<style>
body { font-family: sans-serif }
.row { display: flex; overflow-x: auto; gap: 1em; align-items: flex-start }
.column { flex: none; border-left: 1px solid #aaa; padding-left: .5em }
pre { font-size: 12px; margin: 0 }
.new { background: #dfd }
</style>
";

fn column(out: &mut String, snapshot: &Snapshot, before: Option<&str>) {
    let known: std::collections::HashSet<&str> = before.unwrap_or(&snapshot.text).lines().collect();
    let _ = write!(out, "<div class=column><h3>{}</h3><pre>", snapshot.phase);
    for line in snapshot.text.lines() {
        let _ = match known.contains(line) {
            true => writeln!(out, "{}", escaped(line)),
            false => writeln!(out, "<span class=new>{}</span>", escaped(line)),
        };
    }
    out.push_str("</pre></div>\n");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The table of phases.
pub(crate) fn list() -> String {
    let mut out = String::new();
    for (number, phase) in PHASES.iter().enumerate() {
        let first = phase.levels.iter().position(|runs| *runs);
        let from = match (first, phase.levels[3]) {
            (Some(level), true) => format!("-O{level}+"),
            (Some(level), false) => format!("-O{level}"),
            (None, _) => "-".to_string(),
        };
        let _ = writeln!(out, "{number:>3}  {:<40} {from:<5} {}", phase.name, phase.text);
    }
    for (name, text) in STEPS {
        let _ = writeln!(out, "     {name:<40} -O1+  {text}");
    }
    out
}
