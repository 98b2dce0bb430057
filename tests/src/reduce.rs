//! Makes a program smaller while it still fails.
//!
//! **What enters**: PTX or CUDA C++ and a test that says whether a text still shows the failure. **What leaves**: the smallest text found that does. The test
//! also has to refuse what is no program: nothing here knows what PTX means, only that a statement ends with a semicolon, what registers and numbers
//! look like, and that braces come in pairs. CUDA C++ is taken line by line, as the generator writes it: braces of blocks stand alone.

mod cuda;

use std::time::{Duration, Instant};

use crate::differential::Program;

/// What a program is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// PTX.
    Ptx,
    /// CUDA C++, one statement on a line.
    Cuda,
}

/// A reduction in progress.
struct Reducer<'t> {
    language: Language,
    test: &'t dyn Fn(&Program) -> bool,
    shape: Program,
    lines: Vec<String>,
    start: Instant,
    limit: Duration,
    /// Texts that were tried.
    tries: u64,
}

/// The smallest program found in this time that passes the test as the given one does, and how many were tried.
pub fn reduce(
    language: Language,
    program: &Program,
    limit: Duration,
    test: &dyn Fn(&Program) -> bool,
) -> (Program, u64) {
    let mut reducer = Reducer {
        language,
        test,
        shape: program.clone(),
        lines: match language {
            Language::Ptx => statements(&program.body()),
            Language::Cuda => cuda::lines(&program.body()),
        },
        start: Instant::now(),
        limit,
        tries: 0,
    };
    if !(reducer.test)(&reducer.program()) {
        return (program.clone(), 1);
    }
    loop {
        let before = reducer.size();
        reducer.launch();
        reducer.remove_pairs();
        reducer.remove_lines();
        reducer.rewrite_lines();
        if reducer.size() >= before || reducer.late() {
            break;
        }
    }
    (reducer.program(), reducer.tries)
}

/// The text with one statement on each line.
fn statements(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let mut rest = line;
        while !rest.is_empty() {
            // A label stands alone, but for the names of tables.
            let label = rest.find(':').filter(|at| {
                let name = &rest[..*at];
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_$%".contains(c))
            });
            let follows_table = |at: usize| rest[at + 1..].trim_start().starts_with('.');
            let end = match label {
                Some(at) if !follows_table(at) => at + 1,
                _ => rest.find(';').map_or(rest.len(), |at| at + 1),
            };
            lines.push(rest[..end].trim().to_owned());
            rest = rest[end..].trim_start();
        }
    }
    lines
}

impl Reducer<'_> {
    fn late(&self) -> bool {
        self.start.elapsed() > self.limit
    }

    fn size(&self) -> usize {
        self.lines.iter().map(|line| line.len() + 20).sum::<usize>() + (self.shape.grid * self.shape.block) as usize
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            let outer = line.starts_with(['.', '{', '}']) && !line.starts_with(".reg");
            let deep = !outer && !line.ends_with(':') && self.language == Language::Ptx;
            text.push_str(if deep { "    " } else { "" });
            text.push_str(line);
            text.push('\n');
        }
        text
    }

    fn program(&self) -> Program {
        Program::new(&self.shape, &self.text())
    }

    /// Keeps a change if the failure is still there.
    fn attempt(&mut self, lines: Vec<String>) -> bool {
        if self.late() {
            return false;
        }
        self.tries += 1;
        let old = std::mem::replace(&mut self.lines, lines);
        if (self.test)(&self.program()) {
            return true;
        }
        self.lines = old;
        false
    }

    /// Fewer threads, another input.
    fn launch(&mut self) {
        let shapes: [&dyn Fn(&mut Program); 7] = [
            &|shape| (shape.grid, shape.block) = (1, 1),
            &|shape| shape.grid = 1,
            &|shape| shape.block = 1,
            &|shape| shape.block = shape.block.min(2),
            &|shape| shape.block = shape.block.min(32),
            &|shape| shape.block = (shape.block / 2).max(1),
            &|shape| shape.seed = 0,
        ];
        for change in shapes {
            let old = self.shape.clone();
            change(&mut self.shape);
            self.tries += 1;
            if self.shape == old || self.late() || !(self.test)(&self.program()) {
                self.shape = old;
            }
        }
    }

    /// Whole functions and blocks, and braces without what is between them.
    fn remove_pairs(&mut self) {
        let mut at = 0;
        while at < self.lines.len() {
            let Some(end) = self.closing(at) else {
                at += 1;
                continue;
            };
            // A function's head is on the line before.
            let head = at.checked_sub(1).filter(|head| match self.language {
                Language::Ptx => self.lines[*head].contains(".func"),
                Language::Cuda => !self.lines[*head].ends_with([';', '{', '}', ':']),
            });
            let from = head.unwrap_or(at);
            let without = |from: usize, to: usize| [&self.lines[..from], &self.lines[to + 1..]].concat();
            let inner = || {
                let mut lines = self.lines.clone();
                lines.remove(end);
                lines.remove(at);
                lines
            };
            let (whole, flat) = (without(from, end), inner());
            let mut smaller = self.attempt(whole) || head.is_none() && self.attempt(flat);
            if let (false, Language::Cuda, Some(head)) = (smaller, self.language, head) {
                // What a condition or a loop guards, by itself; with its braces, which may hold declarations.
                smaller = self.attempt([&self.lines[..head], &self.lines[at..]].concat());
            }
            if !smaller {
                at += 1;
            }
        }
    }

    /// The line of the brace that closes the one on this line.
    fn closing(&self, at: usize) -> Option<usize> {
        if self.lines.get(at)? != "{" {
            return None;
        }
        let mut depth = 0;
        for (index, line) in self.lines.iter().enumerate().skip(at) {
            match line.as_str() {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(index);
            }
        }
        None
    }

    /// Lines, many at once and then fewer.
    fn remove_lines(&mut self) {
        let mut chunk = (self.lines.len() / 2).max(1);
        loop {
            let mut at = self.lines.len();
            let mut removed = false;
            // From the end: what is used last goes first.
            while at > 0 {
                let from = at.saturating_sub(chunk);
                if at <= self.lines.len() {
                    let lines = [&self.lines[..from], &self.lines[at..]].concat();
                    removed |= self.attempt(lines);
                }
                at = from;
                if self.late() {
                    return;
                }
            }
            if chunk == 1 && !removed {
                return;
            }
            if !removed || chunk > 1 {
                chunk = (chunk / 2).max(1);
            }
        }
    }

    /// Simpler statements in place of others.
    fn rewrite_lines(&mut self) {
        let mut at = 0;
        while at < self.lines.len() {
            let mut changed = true;
            while changed && !self.late() {
                changed = false;
                let others = match self.language {
                    Language::Ptx => simpler(&self.lines[at]),
                    Language::Cuda => cuda::simpler(&self.lines[at]),
                };
                for other in others {
                    let mut lines = self.lines.clone();
                    lines[at] = other;
                    if self.attempt(lines) {
                        changed = true;
                        break;
                    }
                }
            }
            at += 1;
        }
    }
}

/// Statements that are simpler than this one, best first. Each is shorter, or has a number or an earlier register in place of a register.
fn simpler(line: &str) -> Vec<String> {
    let mut all = Vec::new();
    if let Some((head, rest)) = line.split_once(" = {") {
        // Without its initialiser, or with a shorter one.
        all.push(format!("{head};"));
        let list: Vec<&str> = rest.trim_end_matches("};").split(", ").collect();
        if list.len() > 1 {
            all.push(format!("{head} = {{{}}};", list[..list.len() / 2].join(", ")));
        }
        return all;
    }
    if let Some((head, list)) = line.strip_prefix(".reg ").and_then(|rest| rest.split_once(' ')) {
        let names: Vec<&str> = list.trim_end_matches(';').split(", ").collect();
        for left_out in (0..names.len()).filter(|_| names.len() > 1) {
            let kept: Vec<&str> = (0..)
                .zip(&names)
                .filter(|(index, _)| *index != left_out)
                .map(|(_, name)| *name)
                .collect();
            all.push(format!(".reg {head} {};", kept.join(", ")));
        }
        if let Some((name, count)) = list.split_once('<') {
            let count = number(count.trim_end_matches(">;")).unwrap_or(0);
            all.extend(
                [count / 2, count.saturating_sub(1)]
                    .iter()
                    .filter(|less| **less > 0 && **less < count)
                    .map(|less| format!(".reg {head} {name}<{less}>;")),
            );
        }
        return all;
    }
    if line.starts_with('.') || line.starts_with(['{', '}', '/']) || line.ends_with(':') {
        return all;
    }
    if let Some((_, rest)) = line.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
        all.push(rest.trim().to_owned());
    }
    let start = line.find("%").map_or(line.len(), |at| {
        line[at..].find(',').map_or(line.len(), |comma| at + comma)
    });
    let target = line[..start].rsplit([' ', '{']).next().unwrap_or_default();
    let plain = target.starts_with('%') && !line.starts_with("mov") && !line.starts_with('@') && !line.contains('{');
    if plain && line.contains(", ") {
        for of in ["b32", "b64", "b16", "f32", "f64"] {
            let value = match of {
                "f32" => "0f3F800000",
                "f64" => "0d3FF0000000000000",
                _ => "1",
            };
            all.push(format!("mov.{of} {target}, {value};"));
        }
        all.push(format!("setp.ne.u32 {target}, 0, 0;"));
        all.push(format!("setp.eq.u32 {target}, 0, 0;"));
    }
    all.extend(without_modifiers(line));
    all.extend(other_operands(line, start));
    all
}

/// The line with one modifier less.
fn without_modifiers(line: &str) -> Vec<String> {
    let from = match line.starts_with('@') {
        true => line.find(' ').map_or(0, |at| at + 1),
        false => 0,
    };
    let end = line[from..].find(' ').map_or(line.len(), |at| from + at);
    let mnemonic = &line[from..end];
    let parts: Vec<&str> = mnemonic.split('.').collect();
    (1..parts.len())
        .map(|left_out| {
            let mut kept = parts.clone();
            kept.remove(left_out);
            format!("{}{}{}", &line[..from], kept.join("."), &line[end..])
        })
        .collect()
}

/// The line with another operand in place of one after the first.
fn other_operands(line: &str, start: usize) -> Vec<String> {
    let mut all = Vec::new();
    let bytes = line.as_bytes();
    let word = |c: u8| c.is_ascii_alphanumeric() || c == b'%' || c == b'_' || c == b'.';
    let mut at = start;
    while at < line.len() {
        if !word(bytes[at]) || (at > 0 && word(bytes[at - 1])) {
            at += 1;
            continue;
        }
        let end = (at..line.len()).find(|end| !word(bytes[*end])).unwrap_or(line.len());
        let operand = &line[at..end];
        let mut put = |text: &str| all.push(format!("{}{text}{}", &line[..at], &line[end..]));
        if operand.starts_with('%') {
            ["0", "1", "0f3F800000", "0d3FF0000000000000"]
                .into_iter()
                .for_each(&mut put);
            // The first register of the kind.
            let letters = operand.trim_end_matches(|c: char| c.is_ascii_digit());
            let number = operand[letters.len()..].parse::<u32>().unwrap_or(0);
            if number > 1 {
                put(&format!("{letters}1"));
                put(&format!("{letters}{}", number - 1));
            }
        } else if let Some(number) = number(operand) {
            match number {
                0 => {}
                1 => put("0"),
                2..=8 => ["0", "1"].into_iter().for_each(&mut put),
                _ => ["0", "1", "8"].into_iter().for_each(&mut put),
            }
        }
        at = end;
    }
    all
}

/// A number as statements have them.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_stand_on_lines_of_their_own() {
        assert_eq!(
            statements("L1: add.u32 a, b, c; mov.b32 {x, y}, z;\n  T: .branchtargets L1, L2; // no\n{\n}"),
            [
                "L1:",
                "add.u32 a, b, c;",
                "mov.b32 {x, y}, z;",
                "T: .branchtargets L1, L2;",
                "{",
                "}"
            ]
        );
    }

    #[test]
    fn what_the_test_needs_is_left() {
        let body = "a;\nb; c; {\nd;\n}\n@%p add.sat.u32 %r3, %r2, 77;\ne;\n";
        let shape = Program::read("// launch: grid 4 block 64").expect("a line");
        let program = Program::new(&shape, body);
        let test = |program: &Program| program.text.contains("add") && program.text.contains("%r3") && program.grid > 1;
        let (small, _) = reduce(Language::Ptx, &program, Duration::from_secs(5), &test);
        assert_eq!(small.body(), "    add %r3, 0, 0;\n");
        assert_eq!((small.grid, small.block), (4, 1));
    }
}
