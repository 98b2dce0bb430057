//! Writes figures of `docs/status` anew.
//!
//! A page has parts between a line `<!-- status: PROGRAM ARGUMENTS -->` and a line `<!-- end -->`. PROGRAM is `warpsmith` or `xtask`; what it
//! prints takes the place of the part. In the arguments `{ptxas}` is the vendor's ptxas, and `{ours}` a link named `ptxas` to `warpsmith`. The row at the
//! page's head then says how the page was made, with which versions, and when.

use std::{
    error::Error,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::SystemTime,
};

use crate::common::{self, Outcome};

/// Write figures of docs/status anew, or all pages of which no tool is missing
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The vendor's ptxas, for pages that compare with it
    #[arg(long, value_name = "PATH")]
    ptxas: Option<PathBuf>,
    /// Pages, such as instruction-set
    #[arg(value_name = "PAGE")]
    pages: Vec<String>,
}

/// What stands for the programs that parts name.
struct Programs {
    /// Our binary.
    warpsmith: PathBuf,
    ptxas: Option<PathBuf>,
    /// A folder with the link to our binary.
    links: PathBuf,
}

const START: &str = "<!-- status: ";
const START_END: &str = " -->";
const END: &str = "<!-- end -->";
const HEAD: &str = "| made by | tools | figures taken |";

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/status");
    let programs = Programs {
        warpsmith: common::warpsmith()?,
        ptxas: arguments.ptxas.clone(),
        links: std::env::temp_dir().join(format!("warpsmith-status-{}", std::process::id())),
    };
    let mut names = arguments.pages.clone();
    if names.is_empty() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if fs::read_to_string(&path)?.contains(START) {
                names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
            }
        }
        names.sort();
    }
    for name in names {
        let path = folder.join(format!("{name}.md"));
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        if !text.contains(START) {
            return Err(format!("{name} has no part that a program writes").into());
        }
        if text.contains("{ptxas}") && arguments.ptxas.is_none() {
            println!("{name}: left as it is, --ptxas PATH is needed");
            continue;
        }
        fs::write(&path, made_anew(&name, &text, &programs)?)?;
        println!("{name}: written");
    }
    let _ = fs::remove_dir_all(&programs.links);
    Ok(Outcome::Good)
}

/// A page with its parts and the row at its head written anew.
fn made_anew(name: &str, text: &str, programs: &Programs) -> Result<String, Box<dyn Error>> {
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        if line == HEAD {
            out.push_str(lines.next().unwrap_or_default());
            lines.next();
            out.push_str(&format!(
                "\n| `cargo xtask status {name}` | {} | {} |\n",
                versions(programs)?,
                today()?
            ));
        } else if let Some(command) = line.strip_prefix(START).and_then(|rest| rest.strip_suffix(START_END)) {
            if !lines.by_ref().any(|line| line == END) {
                return Err(format!("{name}: the part of {command} has no end").into());
            }
            out.push_str(&part(&programs.output(command)?));
        }
    }
    Ok(out)
}

/// What a program printed as a part of a page: a table as it is, other text in a fence.
fn part(printed: &str) -> String {
    let printed = printed.trim_end();
    if printed.starts_with('|') {
        format!("\n{printed}\n\n{END}\n")
    } else {
        format!("\n```text\n{printed}\n```\n\n{END}\n")
    }
}

impl Programs {
    /// What a command prints.
    fn output(&self, command: &str) -> Result<String, Box<dyn Error>> {
        let mut words = command.split_whitespace();
        let program = match words.next().unwrap_or_default() {
            "warpsmith" => self.warpsmith.clone(),
            "xtask" => std::env::current_exe()?,
            other => return Err(format!("{command}: {other} is neither warpsmith nor xtask").into()),
        };
        let mut arguments: Vec<OsString> = Vec::new();
        for word in words {
            arguments.push(match word {
                "{ptxas}" => self.ptxas.clone().ok_or("--ptxas PATH is needed")?.into(),
                "{ours}" => self.link()?.into(),
                word => word.into(),
            });
        }
        let output = Command::new(&program)
            .args(&arguments)
            .output()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        match output.status.success() {
            true => Ok(String::from_utf8(output.stdout)?),
            false => Err(format!("{command}: {}", String::from_utf8_lossy(&output.stderr)).into()),
        }
    }

    /// Our binary as ptxas.
    fn link(&self) -> Result<PathBuf, Box<dyn Error>> {
        fs::create_dir_all(&self.links)?;
        let link = self.links.join(format!("ptxas{}", std::env::consts::EXE_SUFFIX));
        if !link.exists() {
            fs::copy(&self.warpsmith, &link)?;
        }
        Ok(link)
    }
}

/// The versions of what made the figures.
fn versions(programs: &Programs) -> Result<String, Box<dyn Error>> {
    let mut versions = format!("Warpsmith {}", env!("CARGO_PKG_VERSION"));
    let commit = Command::new("git")
        .args(["rev-parse", "--short", "HEAD"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output();
    if let Ok(commit) = commit
        && commit.status.success()
    {
        versions.push_str(&format!(" ({})", String::from_utf8(commit.stdout)?.trim()));
    }
    if let Some(ptxas) = &programs.ptxas {
        let said = String::from_utf8(Command::new(ptxas).arg("--version").output()?.stdout)?;
        let version = said.split(", V").nth(1).and_then(|rest| rest.split_whitespace().next());
        versions.push_str(&format!(", ptxas {}", version.unwrap_or("of an unknown version")));
    }
    Ok(versions)
}

/// The date, such as `2026-11-29`.
fn today() -> Result<String, Box<dyn Error>> {
    let days = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs() / 86_400;
    let (year, month, day) = civil(days);
    Ok(format!("{year}-{month:02}-{day:02}"))
}

/// Year, month and day of a number of days since 1970-01-01 in the Gregorian calendar.
fn civil(days: u64) -> (u64, u64, u64) {
    // Years start in March, so that the day that is at times missing is the last of a year.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (400 * era + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_786), (2026, 11, 29));
        assert_eq!(civil(47_540), (2100, 2, 28));
        assert_eq!(civil(47_541), (2100, 3, 1));
    }

    #[test]
    fn parts_and_the_head_are_replaced() {
        assert_eq!(part("| a |\n|---|\n"), "\n| a |\n|---|\n\n<!-- end -->\n");
        assert_eq!(part("a\n"), "\n```text\na\n```\n\n<!-- end -->\n");
        let programs = Programs {
            warpsmith: PathBuf::new(),
            ptxas: None,
            links: PathBuf::new(),
        };
        let page = "# P\n\n| made by | tools | figures taken |\n|---|---|---|\n| x | y | z |\n\nend\n";
        let made = made_anew("p", page, &programs).unwrap();
        assert!(made.starts_with("# P\n\n| made by | tools | figures taken |\n|---|---|---|\n| `cargo "));
        assert!(
            made.contains("`cargo xtask status p` | Warpsmith ") && made.ends_with(" |\n\nend\n"),
            "{made}"
        );
        let open = made_anew("p", "<!-- status: xtask coverage -->\n", &programs).unwrap_err();
        assert_eq!(open.to_string(), "p: the part of xtask coverage has no end");
    }
}
