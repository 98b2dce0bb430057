//! ptxas as a maker of cubins.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A ptxas binary, and where its results are kept.
#[derive(Debug)]
pub struct Ptxas {
    binary: PathBuf,
    scratch: PathBuf,
    kept: Option<PathBuf>,
}

impl Ptxas {
    /// The binary at `path`. Cubins that have a name are kept in the folder `kept`, if there is one.
    ///
    /// # Errors
    /// Where there is no such binary.
    pub fn new(binary: &Path, kept: Option<&Path>) -> Result<Ptxas, String> {
        if !binary.is_file() {
            return Err(format!("there is no {}", binary.display()));
        }
        let scratch = std::env::temp_dir().join(format!("warpsmith-agreement-{}", std::process::id()));
        fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
        if let Some(kept) = kept {
            fs::create_dir_all(kept).map_err(|error| format!("{}: {error}", kept.display()))?;
        }
        Ok(Ptxas {
            binary: binary.to_owned(),
            scratch,
            kept: kept.map(Path::to_owned),
        })
    }

    /// A folder for files that are not needed later.
    pub fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// The path of the cubin of `name` for this text, SM and level (`-O3`); compiles unless it was kept.
    ///
    /// # Errors
    /// What ptxas says.
    pub fn cubin(&self, name: &str, text: &str, sm: &str, level: &str) -> Result<PathBuf, String> {
        let folder = self.kept.as_ref().unwrap_or(&self.scratch);
        let output = folder.join(format!("{name}.{sm}.{}.cubin", level.trim_start_matches('-')));
        let input = output.with_extension("ptx");
        if self.kept.is_some() && output.is_file() && fs::read_to_string(&input).is_ok_and(|old| old == text) {
            return Ok(output);
        }
        fs::write(&input, text).map_err(|error| error.to_string())?;
        let result = Command::new(&self.binary)
            .args([&format!("-arch={sm}"), level, "-o"])
            .args([&output, &input])
            .output()
            .map_err(|error| format!("{}: {error}", self.binary.display()))?;
        if result.status.success() {
            return Ok(output);
        }
        // A text that is refused is not to look like a kept one.
        drop(fs::remove_file(&output));
        let printed = String::from_utf8_lossy(&result.stderr).into_owned() + &String::from_utf8_lossy(&result.stdout);
        let told: Vec<&str> = printed
            .lines()
            .filter(|line| line.contains("error") || line.contains("fatal"))
            .collect();
        Err(match told.is_empty() {
            true => result.status.to_string(),
            false => told.join("\n"),
        })
    }
}

impl Drop for Ptxas {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.scratch));
    }
}

/// The number in the first `.target sm_NN` of a text, and its suffix.
pub fn target_of(text: &str) -> Option<(u32, &str)> {
    let (_, rest) = text
        .split_once("\n.target sm_")
        .or_else(|| text.split_once(".target sm_"))?;
    let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
    let digits = word.trim_end_matches(char::is_alphabetic);
    Some((digits.parse().ok()?, &word[digits.len()..]))
}

/// The version that has every target; all have one digit before the point and one after it.
const NEWEST: &str = "9.0";

/// The text for another target, and for a version that has it; `None` where it needs a later one, or features of one alone.
pub fn for_target(text: &str, sm: &str) -> Option<String> {
    let (number, suffix) = target_of(text)?;
    let own = format!(".target sm_{number}{suffix}");
    let wanted: u32 = sm.trim_start_matches("sm_").trim_end_matches(['a', 'f']).parse().ok()?;
    let fits = match suffix {
        "" => number <= wanted,
        _ => own == format!(".target {sm}"),
    };
    let raised = text.replacen(&own, &format!(".target {sm}"), 1);
    let newer = |line: &str| {
        line.strip_prefix(".version ")
            .is_some_and(|version| version.trim() < NEWEST)
    };
    let old = raised
        .lines()
        .find(|line| number != wanted && newer(line))
        .map(str::to_owned);
    fits.then(|| match old {
        Some(old) => raised.replacen(&old, &format!(".version {NEWEST}"), 1),
        None => raised,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_raised_and_not_lowered() {
        let text = "// .target\n.version 7.0\n.target sm_80, debug\n";
        assert_eq!(
            for_target(text, "sm_90"),
            Some("// .target\n.version 9.0\n.target sm_90, debug\n".to_owned())
        );
        assert_eq!(for_target(text, "sm_75"), None);
        assert_eq!(for_target(".target sm_90a\n", "sm_100"), None);
        assert_eq!(
            for_target(".target sm_90a\n", "sm_90a"),
            Some(".target sm_90a\n".to_owned())
        );
    }
}
