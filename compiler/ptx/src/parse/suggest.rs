//! Near names: "did you mean …".

use super::Parser;
use crate::{Problem, scope::Meaning};

/// Names that are compared at most, so that many errors in a large file stay cheap.
const CANDIDATES: usize = 2_000;

/// Problems in a file that get suggestions.
const SUGGESTIONS: usize = 100;

/// Number of insertions, deletions, substitutions and swaps of neighbours from one word to another; `None` where it is over `limit`.
fn distance(left: &[u8], right: &[u8], limit: usize) -> Option<usize> {
    if left.len().abs_diff(right.len()) > limit || left.len() > 64 || right.len() > 64 {
        return None;
    }
    let mut rows = [[0usize; 65]; 3];
    for (index, cell) in rows[1].iter_mut().enumerate().take(right.len() + 1) {
        *cell = index;
    }
    for i in 1..=left.len() {
        let [before, last, row] = &mut rows;
        row[0] = i;
        for j in 1..=right.len() {
            let same = left[i - 1] == right[j - 1];
            let mut best = (last[j - 1] + usize::from(!same)).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row[j] = best;
        }
        rows.rotate_left(1);
    }
    Some(rows[1][right.len()]).filter(|&found| found <= limit)
}

impl Parser<'_> {
    /// Adds the nearest visible name to a problem, if one is near.
    pub(super) fn suggest(&self, problem: Problem, text: &str) -> Problem {
        if self.problems.len() > SUGGESTIONS {
            return problem;
        }
        let limit = if text.len() < 4 { 1 } else { 2 };
        let (prefix, number) =
            crate::scope::split_number(text).map_or((text, None), |(prefix, number)| (prefix, Some(number)));
        let mut best: Option<(usize, String)> = None;
        for (name, meaning) in self.scopes.visible().take(CANDIDATES) {
            let name = self.module.names.get(name);
            let (found, shown) = match (meaning, number) {
                (Meaning::Range(_, count), Some(number)) => {
                    if name == prefix {
                        let last = count.saturating_sub(1);
                        return problem.note(format!("'{name}<{count}>' declares '{name}0' to '{name}{last}'"));
                    }
                    let shown = format!("{name}{number}");
                    (
                        distance(prefix.as_bytes(), name.as_bytes(), 1).filter(|_| number < count),
                        shown,
                    )
                }
                (Meaning::Range(..), None) => continue,
                _ => (distance(text.as_bytes(), name.as_bytes(), limit), name.to_owned()),
            };
            if let Some(found) = found
                && best.as_ref().is_none_or(|(best, _)| found < *best)
            {
                best = Some((found, shown));
            }
        }
        match best {
            Some((_, name)) => problem.note(format!("did you mean '{name}'?")),
            None => problem,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances() {
        assert_eq!(distance(b"buffer", b"bufer", 2), Some(1));
        assert_eq!(distance(b"ab", b"ba", 1), Some(1));
        assert_eq!(distance(b"abc", b"xyz", 2), None);
        assert_eq!(distance(b"", b"ab", 2), Some(2));
    }
}
