//! Counts of agreement, and examples of each kind of difference.

use super::{Line, Verdict, statement::statements};
use std::{collections::BTreeMap, fmt};

/// How ours and ptxas' verdicts compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    BothAccept,
    BothRefuse,
    /// Both refuse a file, but the first error is on another line.
    OtherLine,
    OnlyOursRefuses,
    OnlyOursAccepts,
}

/// Differences with the same subject.
#[derive(Debug, Default)]
struct Group {
    total: usize,
    ours_refuses: usize,
    ours_accepts: usize,
    other_line: usize,
}

impl Group {
    fn differences(&self) -> usize {
        self.ours_refuses + self.ours_accepts + self.other_line
    }

    fn count(&mut self, outcome: Outcome) {
        self.total += 1;
        match outcome {
            Outcome::BothAccept | Outcome::BothRefuse => {}
            Outcome::OtherLine => self.other_line += 1,
            Outcome::OnlyOursRefuses => self.ours_refuses += 1,
            Outcome::OnlyOursAccepts => self.ours_accepts += 1,
        }
    }
}

/// What was compared.
#[derive(Debug, Default)]
pub struct Report {
    outcomes: BTreeMap<Outcome, usize>,
    by_instruction: BTreeMap<String, Group>,
    by_message: BTreeMap<(Outcome, String), Vec<String>>,
    /// Examples shown of each message.
    pub examples: usize,
}

impl Report {
    /// Counts a line.
    pub fn line(&mut self, line: &Line, ours: &Verdict, theirs: &Verdict) {
        let outcome = outcome(ours, theirs, false);
        let example = || {
            format!(
                "{} {}\t{}\tptxas: {}\tours: {}",
                line.target,
                line.version,
                line.body,
                theirs.text(),
                ours.text()
            )
        };
        self.add(outcome, &subject(&line.body, theirs), ours, theirs, example);
    }

    /// Counts a file; both must place the first error on the same line.
    pub fn file(&mut self, path: &str, origin: &str, ours: &Verdict, theirs: &Verdict) {
        let outcome = outcome(ours, theirs, true);
        let example = || {
            format!(
                "{path}\tptxas: {}{}\tours: {}{}",
                place(theirs),
                theirs.text(),
                place(ours),
                ours.text()
            )
        };
        self.add(outcome, origin, ours, theirs, example);
    }

    fn add(&mut self, outcome: Outcome, subject: &str, ours: &Verdict, theirs: &Verdict, example: impl Fn() -> String) {
        *self.outcomes.entry(outcome).or_default() += 1;
        self.by_instruction
            .entry(subject.to_owned())
            .or_default()
            .count(outcome);
        let message = match outcome {
            Outcome::BothAccept | Outcome::BothRefuse => return,
            Outcome::OnlyOursRefuses => ours.text(),
            Outcome::OnlyOursAccepts | Outcome::OtherLine => theirs.text(),
        };
        self.by_message
            .entry((outcome, general(message)))
            .or_default()
            .push(example());
    }

    fn count(&self, outcome: Outcome) -> usize {
        self.outcomes.get(&outcome).copied().unwrap_or(0)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total: usize = self.outcomes.values().sum();
        let same_verdict = total - self.count(Outcome::OnlyOursRefuses) - self.count(Outcome::OnlyOursAccepts);
        writeln!(
            f,
            "{total} compared: the same verdict on {same_verdict} ({:.3} %): both accept {}, both refuse {}; only ours refuses {}, only ours accepts {}",
            100.0 * same_verdict as f64 / total.max(1) as f64,
            self.count(Outcome::BothAccept),
            self.count(Outcome::BothRefuse) + self.count(Outcome::OtherLine),
            self.count(Outcome::OnlyOursRefuses),
            self.count(Outcome::OnlyOursAccepts)
        )?;
        if self.count(Outcome::OtherLine) > 0 {
            writeln!(
                f,
                "refused by both, but the first error on another line: {}",
                self.count(Outcome::OtherLine)
            )?;
        }
        let mut groups: Vec<_> = self
            .by_instruction
            .iter()
            .filter(|(_, group)| group.differences() > 0)
            .collect();
        groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.differences()));
        if !groups.is_empty() {
            writeln!(
                f,
                "\n{:<32} {:>8} {:>14} {:>14} {:>12}",
                "differences in", "compared", "ours refuses", "ours accepts", "other line"
            )?;
        }
        for (subject, g) in groups {
            writeln!(
                f,
                "{subject:<32} {:>8} {:>14} {:>14} {:>12}",
                g.total, g.ours_refuses, g.ours_accepts, g.other_line
            )?;
        }
        self.write_examples(f)
    }
}

impl Report {
    fn write_examples(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut kinds: Vec<_> = self.by_message.iter().collect();
        kinds.sort_by_key(|((outcome, _), examples)| (*outcome, std::cmp::Reverse(examples.len())));
        for ((outcome, message), examples) in kinds {
            let title = match outcome {
                Outcome::OnlyOursRefuses => "only ours refuses, saying",
                Outcome::OnlyOursAccepts => "only ours accepts where ptxas says",
                Outcome::OtherLine => "another line where ptxas says",
                Outcome::BothAccept | Outcome::BothRefuse => continue,
            };
            writeln!(f, "\n{} × {title}: {message}", examples.len())?;
            for example in examples.iter().take(self.examples) {
                writeln!(f, "    {example}")?;
            }
        }
        Ok(())
    }
}

fn outcome(ours: &Verdict, theirs: &Verdict, same_line: bool) -> Outcome {
    match (ours, theirs) {
        (Verdict::Accepted, Verdict::Accepted) => Outcome::BothAccept,
        (Verdict::Accepted, Verdict::Refused { .. }) => Outcome::OnlyOursAccepts,
        (Verdict::Refused { .. }, Verdict::Accepted) => Outcome::OnlyOursRefuses,
        (Verdict::Refused { line: Some(a), .. }, Verdict::Refused { line: Some(b), .. }) if same_line && a != b => {
            Outcome::OtherLine
        }
        (Verdict::Refused { .. }, Verdict::Refused { .. }) => Outcome::BothRefuse,
    }
}

fn place(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Refused { line: Some(line), .. } => format!("line {line}: "),
        Verdict::Refused { line: None, .. } | Verdict::Accepted => String::new(),
    }
}

/// The opcode that a line is about: the one that ptxas names in its message if the line has it, else the last.
fn subject(body: &str, theirs: &Verdict) -> String {
    let found = statements(body);
    let named = theirs
        .text()
        .split('\'')
        .nth(1)
        .unwrap_or_default()
        .split('.')
        .next()
        .unwrap_or_default();
    let opcodes: Vec<&str> = found.iter().map(|(_, statement)| statement.parts[0].as_str()).collect();
    let opcode = opcodes.iter().find(|o| **o == named).or(opcodes.last());
    opcode.map_or_else(|| "(no instruction)".to_owned(), |o| (*o).to_owned())
}

/// A message with what is quoted or a number left out, so that equal causes fall together.
fn general(message: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    for c in message.chars() {
        let last = out.chars().last().unwrap_or(' ');
        match c {
            // Not the apostrophe of "doesn't".
            '\'' if quoted || !last.is_ascii_alphanumeric() => {
                out.push_str(if quoted { "…'" } else { "'" });
                quoted = !quoted;
            }
            _ if quoted => {}
            '0'..='9' if last == 'N' => {}
            '0'..='9' => out.push('N'),
            _ => out.push(c),
        }
    }
    out
}
