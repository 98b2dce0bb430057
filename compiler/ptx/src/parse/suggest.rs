//! Near names: "did you mean …".

use super::Parser;
use crate::{Problem, scope::Meaning, suggest::distance};

/// Names that are compared at most, so that many errors in a large file stay cheap.
const CANDIDATES: usize = 2_000;

/// Problems in a file that get suggestions.
const SUGGESTIONS: usize = 100;

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
                    (distance(prefix, name, 1).filter(|_| number < count), shown)
                }
                (Meaning::Range(..), None) => continue,
                _ => (distance(text, name, limit), name.to_owned()),
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
