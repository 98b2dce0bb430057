//! Target names as people write them, and back.

use std::fmt;
use std::str::FromStr;

use crate::{Isa, Sm};

/// A text that names no target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseSmError {
    text: String,
    near: Vec<Sm>,
}

impl ParseSmError {
    /// The text that was not understood.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Targets with a similar name, best first; empty when nothing comes close.
    pub fn near_matches(&self) -> &[Sm] {
        &self.near
    }
}

impl fmt::Display for ParseSmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown target '{}'", self.text)?;
        match self.near.as_slice() {
            [] => {
                let (first, last) = (Sm::ALL[0], Sm::ALL[Sm::ALL.len() - 1]);
                write!(f, "; targets are {first} to {last}")
            }
            near => {
                f.write_str("; did you mean ")?;
                for (i, sm) in near.iter().enumerate() {
                    let separator = match i {
                        0 => "",
                        _ if i + 1 == near.len() => " or ",
                        _ => ", ",
                    };
                    write!(f, "{separator}{sm}")?;
                }
                f.write_str("?")
            }
        }
    }
}

impl std::error::Error for ParseSmError {}

/// A text that names no encoding generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseIsaError {
    text: String,
}

impl fmt::Display for ParseIsaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown encoding generation '{}'; there are", self.text)?;
        for isa in Isa::ALL {
            write!(f, " {}", isa.name())?;
        }
        Ok(())
    }
}

impl std::error::Error for ParseIsaError {}

/// The part of a target name after `sm_`, `SM`, `compute_` or nothing: digits and suffix.
fn number_part(text: &str) -> &str {
    let lower = text.as_bytes();
    for prefix in ["compute_", "sm_", "sm"] {
        if lower.len() > prefix.len() && lower[..prefix.len()].eq_ignore_ascii_case(prefix.as_bytes()) {
            return &text[prefix.len()..];
        }
    }
    text
}

impl FromStr for Sm {
    type Err = ParseSmError;

    /// Accepts `sm_90a`, `SM90a`, `90a` and `compute_90a`, in any letter case.
    fn from_str(text: &str) -> Result<Sm, ParseSmError> {
        let number = number_part(text.trim());
        if let Some(&sm) = Sm::ALL
            .iter()
            .find(|sm| sm.name()["sm_".len()..].eq_ignore_ascii_case(number))
        {
            return Ok(sm);
        }
        Err(ParseSmError {
            text: text.to_owned(),
            near: near_matches(number),
        })
    }
}

impl FromStr for Isa {
    type Err = ParseIsaError;

    /// Accepts the bare number, such as `90`.
    fn from_str(text: &str) -> Result<Isa, ParseIsaError> {
        Isa::ALL
            .iter()
            .copied()
            .find(|isa| isa.name() == text)
            .ok_or_else(|| ParseIsaError { text: text.to_owned() })
    }
}

/// Longest text worth comparing; real names have at most four characters after the prefix.
const LONGEST_COMPARED: usize = 16;
/// How many suggestions an error carries.
const MOST_SUGGESTED: usize = 3;

fn near_matches(number: &str) -> Vec<Sm> {
    if number.len() > LONGEST_COMPARED || !number.bytes().any(|b| b.is_ascii_digit()) {
        return Vec::new();
    }
    let number = number.to_ascii_lowercase();
    let mut ranked: Vec<(usize, Sm)> = Sm::ALL
        .iter()
        .map(|&sm| (strsim::levenshtein(&number, &sm.name()["sm_".len()..]), sm))
        .filter(|&(distance, _)| distance <= 1)
        .collect();
    ranked.sort();
    ranked.into_iter().take(MOST_SUGGESTED).map(|(_, sm)| sm).collect()
}

impl fmt::Display for Sm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        for text in ["sm_90a", "SM90a", "90a", "compute_90a", "SM_90A", " sm_90a "] {
            assert_eq!(text.parse(), Ok(Sm::Sm90a), "{text}");
        }
        assert_eq!("sm_121f".parse(), Ok(Sm::Sm121f));
        assert_eq!(Sm::ALL.iter().filter(|sm| sm.name().parse() != Ok(**sm)).count(), 0);
    }

    #[test]
    fn near_names_are_suggested() {
        let message = |text: &str| text.parse::<Sm>().unwrap_err().to_string();
        assert_eq!(message("sm_91"), "unknown target 'sm_91'; did you mean sm_90?");
        assert_eq!(
            message("sm_90f"),
            "unknown target 'sm_90f'; did you mean sm_90 or sm_90a?"
        );
        assert_eq!(message("sm_52"), "unknown target 'sm_52'; targets are sm_75 to sm_121f");
        assert_eq!(message(""), "unknown target ''; targets are sm_75 to sm_121f");
        assert_eq!(message("sm_"), "unknown target 'sm_'; targets are sm_75 to sm_121f");
        assert_eq!(message("smé"), "unknown target 'smé'; targets are sm_75 to sm_121f");
    }

    #[test]
    fn generations() {
        assert_eq!("103".parse(), Ok(Isa::Sm103));
        assert_eq!(
            "88".parse::<Isa>().unwrap_err().to_string(),
            "unknown encoding generation '88'; there are 75 80 86 89 90 100 103 110 120"
        );
    }
}
