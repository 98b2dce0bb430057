//! Asks ptxas what its front end says, without paying for code generation.
//!
//! A kernel with an error of its own goes at the end: ptxas then reports the errors of everything before it and stops, so that hundreds of
//! kernels cost a few milliseconds. A syntax error stops it earlier; then the rest is asked again.

use super::{Line, Verdict, frame::Frame};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

/// Refused by every version: shows that all before it was read.
const SENTINEL: &str = ".entry agreement_end(){ add.u32 agreement_unknown_symbol, 1, 2; }\n";
const SENTINEL_NAME: &str = "agreement_unknown_symbol";

/// Lines per run. Each syntax error costs one more run of the rest of its batch.
const BATCH: usize = 150;

/// A ptxas binary.
#[derive(Debug)]
pub struct Ptxas {
    binary: PathBuf,
    scratch: PathBuf,
}

/// An error that ptxas printed.
struct Finding {
    line: u32,
    fatal: bool,
    message: String,
}

/// What one run of ptxas gave.
struct Run {
    findings: Vec<Finding>,
    /// Whether the sentinel was reached.
    complete: bool,
    /// Whether ptxas made code.
    success: bool,
    /// The first line of output that tells of an error, for errors without a place.
    first_line: String,
}

impl Ptxas {
    /// The binary at `path`, else the first `ptxas` on PATH; `None` if there is none.
    pub fn find(path: Option<&Path>) -> Option<Ptxas> {
        let binary = match path {
            Some(path) => path.is_file().then(|| path.to_owned()),
            None => std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
                .map(|folder| folder.join("ptxas"))
                .find(|path| path.is_file()),
        }?;
        let scratch = std::env::temp_dir().join(format!("ptx-agreement-{}.ptx", std::process::id()));
        Some(Ptxas { binary, scratch })
    }

    /// The verdict on each of `lines`, in their order.
    pub fn lines(&self, lines: &[Line]) -> io::Result<Vec<Verdict>> {
        let mut groups: BTreeMap<(Frame, &str, &str), Vec<usize>> = BTreeMap::new();
        for (index, line) in lines.iter().enumerate() {
            groups
                .entry((line.frame, &line.target, &line.version))
                .or_default()
                .push(index);
        }
        let mut verdicts = vec![Verdict::Accepted; lines.len()];
        for members in groups.values() {
            for batch in members.chunks(BATCH) {
                self.batch(lines, batch, &mut verdicts)?;
            }
        }
        Ok(verdicts)
    }

    /// The verdict on one line with code generation, which refuses some of what the front end accepts.
    pub fn whole(&self, line: &Line) -> io::Result<Verdict> {
        let bodies = std::iter::once(line.body.as_str());
        let text = line.frame.module(bodies, &line.target, &line.version);
        let run = self.run(text.as_bytes(), &line.target)?;
        let message = run
            .findings
            .into_iter()
            .next()
            .map_or(run.first_line, |finding| finding.message);
        Ok(if run.success {
            Verdict::Accepted
        } else {
            Verdict::refused(message)
        })
    }

    /// The verdict on a whole file for `target`.
    pub fn file(&self, text: &[u8], target: &str) -> io::Result<Verdict> {
        let mut whole = text.to_vec();
        if !whole.ends_with(b"\n") {
            whole.push(b'\n');
        }
        let last = whole.iter().filter(|&&b| b == b'\n').count() as u32;
        whole.extend_from_slice(SENTINEL.as_bytes());
        let run = self.run(&whole, target)?;
        let first = run.findings.iter().find(|f| f.line <= last);
        Ok(match first {
            Some(f) => Verdict::Refused {
                line: Some(f.line),
                message: f.message.clone(),
            },
            None if run.complete => Verdict::Accepted,
            None => Verdict::refused(run.first_line),
        })
    }

    /// Judges the lines numbered `members`, all for the same target and version.
    fn batch(&self, lines: &[Line], members: &[usize], verdicts: &mut [Verdict]) -> io::Result<()> {
        let mut rest = members;
        while let Some(&first) = rest.first() {
            let Line {
                frame, target, version, ..
            } = &lines[first];
            let bodies = rest.iter().map(|&index| lines[index].body.as_str());
            let mut text = frame.module(bodies, target, version);
            text += SENTINEL;
            let run = self.run(text.as_bytes(), target)?;
            let mut stopped = None;
            for finding in &run.findings {
                let Some(place) = kernel_of(finding, *frame, rest.len()) else {
                    continue;
                };
                let verdict = &mut verdicts[rest[place]];
                if verdict.is_accepted() {
                    *verdict = Verdict::Refused {
                        line: None,
                        message: finding.message.clone(),
                    };
                }
                if finding.fatal {
                    stopped = Some(place);
                }
            }
            if run.complete {
                break;
            }
            match stopped {
                Some(place) => rest = &rest[place + 1..],
                // Stopped without a place in a kernel: halves find whose fault it is.
                None if rest.len() == 1 => {
                    verdicts[first] = Verdict::refused(format!("no place: {}", run.first_line));
                    break;
                }
                None => {
                    let (left, right) = rest.split_at(rest.len() / 2);
                    self.batch(lines, left, verdicts)?;
                    return self.batch(lines, right, verdicts);
                }
            }
        }
        Ok(())
    }

    fn run(&self, text: &[u8], target: &str) -> io::Result<Run> {
        fs::write(&self.scratch, text)?;
        let output = Command::new(&self.binary)
            .arg(format!("-arch={}", code_target(target)))
            .args(["-O0", "-c", "-o"])
            .arg(self.scratch.with_extension("cubin"))
            .arg(&self.scratch)
            .output();
        fs::remove_file(&self.scratch)?;
        drop(fs::remove_file(self.scratch.with_extension("cubin")));
        let output = output?;
        let printed = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        let mut findings: Vec<Finding> = printed.lines().filter_map(finding).collect();
        let before = findings.len();
        findings.retain(|f| !f.message.contains(SENTINEL_NAME));
        Ok(Run {
            complete: findings.len() < before,
            success: output.status.success(),
            first_line: first_error_line(&printed, output.status),
            findings,
        })
    }
}

/// The kernel at fault: the one on that line, or the one before for a syntax error at the start of a kernel (a brace left open).
fn kernel_of(finding: &Finding, frame: Frame, kernels: usize) -> Option<usize> {
    let (kernel, line) = frame.place(finding.line)?;
    let before = finding.fatal && line == 0 && frame == Frame::Lines;
    let kernel = kernel.checked_sub(usize::from(before))?;
    (kernel < kernels).then_some(kernel)
}

/// What to make code for: ptxas reads modules for older targets than those it can make code for.
fn code_target(target: &str) -> &str {
    let number = target.trim_start_matches("sm_").parse().unwrap_or(OLDEST);
    if number < OLDEST { "sm_75" } else { target }
}

/// The oldest target that code is made for.
const OLDEST: u32 = 75;

/// What ptxas says of an error without a place; if nothing, how it ended.
fn first_error_line(printed: &str, status: ExitStatus) -> String {
    let told = printed
        .lines()
        .find(|line| line.contains("error") || line.contains("fatal"));
    told.map_or_else(|| status.to_string(), str::to_owned)
}

/// Reads `ptxas FILE, line N; error   : MESSAGE`.
fn finding(printed: &str) -> Option<Finding> {
    let (_, rest) = printed.split_once(", line ")?;
    let (line, rest) = rest.split_once("; ")?;
    let (severity, message) = rest.split_once(':')?;
    let fatal = match severity.trim() {
        "error" => false,
        "fatal" => true,
        _ => return None,
    };
    Some(Finding {
        line: line.parse().ok()?,
        fatal,
        message: message.trim().to_owned(),
    })
}
