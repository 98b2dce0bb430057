//! Makes a program smaller while it still fails.
//!
//! **What enters**: PTX or CUDA C++ ([`Subject`]) and a test that says whether it still shows the failure.
//!
//! **What leaves**: the smallest program found that does.
//!
//! **Invariants**: what leaves has passed the test, or is what entered. The test also has to refuse what is no program: nothing here knows what a
//! text means, only that a statement ends with a semicolon, what names and numbers look like, and that braces come in pairs.
//!
//! **Where to start**: [`reduce`]. `ptx` and `cuda` take a text apart and know simpler statements.
//!
//! ```
//! use std::time::Duration;
//! use warpsmith_reduce::{Language, reduce};
//!
//! let text = "add.u32 %r1, %r2, 77;\nret;\n".to_owned();
//! let fails = |text: &String| text.contains("add");
//! let (small, _tries) = reduce(Language::Ptx, &text, Duration::from_secs(1), &fails);
//! assert_eq!(small, "    add %r1, 0, 0;\n");
//! ```

mod cuda;
mod ptx;

use std::time::{Duration, Instant};

/// What a program is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// PTX.
    Ptx,
    /// CUDA C++.
    Cuda,
}

/// What is made smaller: a text, and what else belongs to it.
pub trait Subject: Clone + PartialEq + 'static {
    /// The text.
    fn text(&self) -> String;

    /// The same with another text.
    fn with_text(&self, text: &str) -> Self;

    /// How large it is beside its text, in characters.
    fn extra(&self) -> usize {
        0
    }

    /// Ways to make smaller what belongs to it, each to be tried once in every round.
    fn changes() -> &'static [fn(&mut Self)] {
        &[]
    }
}

impl Subject for String {
    fn text(&self) -> String {
        self.clone()
    }

    fn with_text(&self, text: &str) -> String {
        text.to_owned()
    }
}

/// A reduction in progress.
struct Reducer<'t, S> {
    language: Language,
    test: &'t dyn Fn(&S) -> bool,
    shape: S,
    lines: Vec<String>,
    start: Instant,
    limit: Duration,
    /// Texts that were tried.
    tries: u64,
}

/// The smallest program found in this time that passes the test as the given one does, and how many were tried.
pub fn reduce<S: Subject>(language: Language, program: &S, limit: Duration, test: &dyn Fn(&S) -> bool) -> (S, u64) {
    let mut reducer = Reducer {
        language,
        test,
        shape: program.clone(),
        lines: match language {
            Language::Ptx => ptx::lines(&program.text()),
            Language::Cuda => cuda::lines(&program.text()),
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
        reducer.change_shape();
        reducer.remove_pairs();
        reducer.remove_lines();
        reducer.rewrite_lines();
        if reducer.size() >= before || reducer.late() {
            break;
        }
    }
    (reducer.program(), reducer.tries)
}

impl<S: Subject> Reducer<'_, S> {
    fn late(&self) -> bool {
        self.start.elapsed() > self.limit
    }

    fn size(&self) -> usize {
        self.lines.iter().map(|line| line.len() + 20).sum::<usize>() + self.shape.extra()
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

    fn program(&self) -> S {
        self.shape.with_text(&self.text())
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

    /// Less of what belongs to the text.
    fn change_shape(&mut self) {
        for change in S::changes() {
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
            // The head of a function, class or loop is on the line before.
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
                "}" | "};" => depth -= 1,
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
                    Language::Ptx => ptx::simpler(&self.lines[at]),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_test_needs_is_left() {
        let body = "a;\nb; c; {\nd;\n}\n@%p add.sat.u32 %r3, %r2, 77;\ne;\n".to_owned();
        let test = |text: &String| text.contains("add") && text.contains("%r3");
        let (small, _) = reduce(Language::Ptx, &body, Duration::from_secs(5), &test);
        assert_eq!(small, "    add %r3, 0, 0;\n");
    }

    #[test]
    fn whole_functions_of_cuda_go() {
        let body = "#include \"a.h\"\nstruct S { int a[2] = {1, 2}; };\ntemplate <class T> __device__ T f(T x) { if (x > 1) { return x; } return 0; }\n\
                    __global__ void k(int *p) { for (int i = 0; i < 4; i++) { p[i] = f(i); bad(\"; {}\"); } }\n";
        let test = |text: &String| text.contains("bad(") && text.matches('{').count() == text.matches('}').count();
        let (small, _) = reduce(Language::Cuda, &body.to_owned(), Duration::from_secs(5), &test);
        assert_eq!(small, "bad(0);\n");
    }

    #[test]
    fn what_the_test_refuses_stays_as_it_is() {
        let body = "a;\n".to_owned();
        assert_eq!(
            reduce(Language::Ptx, &body, Duration::from_secs(5), &|_| false),
            (body, 1)
        );
    }
}
