//! Fuzzes readers in processes of their own, so that one that ends or hangs is found, too, and the others go on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::readers::{MOST_TIME, Reader, Run};

/// What came of a reader.
#[derive(Debug, Default)]
pub struct Outcome {
    /// How many executions there were.
    pub executions: u64,
    /// What is wrong: the round, the command line, and what.
    pub findings: Vec<String>,
}

/// The file that says how far a child is, and the one with what it found.
const PROGRESS: &str = "progress";
const FINDINGS: &str = "findings";

/// Runs rounds of a reader in this process, for [`watched`]: findings and progress go to files beside the folder.
///
/// # Panics
/// If the folders cannot be used.
pub fn child(reader: Reader, seed: u64, rounds: std::ops::Range<u64>, folder: &Path) {
    let notes = folder.to_path_buf();
    fs::create_dir_all(&notes).expect("the folder can be made");
    let notes = fs::canonicalize(&notes).expect("the folder is there");
    let run = Run::new(reader, seed, &notes.join("work"));
    for round in rounds {
        fs::write(notes.join(PROGRESS), round.to_string()).expect("the folder can be written");
        if let Some(finding) = run.execute(round) {
            keep(
                &notes,
                &format!("round {}: {}: {}", finding.round, finding.line, finding.what),
                round,
            );
        }
    }
    fs::write(notes.join(PROGRESS), "done").expect("the folder can be written");
}

/// Notes a finding, and keeps its files.
fn keep(notes: &Path, text: &str, round: u64) {
    let mut all = fs::read_to_string(notes.join(FINDINGS)).unwrap_or_default();
    all.push_str(text);
    all.push('\n');
    let _ = fs::write(notes.join(FINDINGS), all);
    let kept = notes.join(format!("round-{round}"));
    let _ = fs::create_dir_all(&kept);
    for entry in fs::read_dir(notes.join("work"))
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
    {
        let _ = fs::copy(entry.path(), kept.join(entry.file_name()));
    }
}

fn round_of(notes: &Path) -> Option<u64> {
    fs::read_to_string(notes.join(PROGRESS)).ok()?.parse().ok()
}

/// Processor time that a process has had, where the system tells.
pub(super) fn time_of(process: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    // A hundredth of a second each, as Linux has it everywhere.
    Some(Duration::from_millis(10 * ticks))
}

/// Runs rounds of a reader in a process of `program` (which is `xtask`, or calls [`child`] with what stands behind `cargo xtask fuzz child`), and in another one after each that ends too early.
///
/// # Panics
/// If the program cannot be started.
pub fn watched(program: &Path, name: &str, seed: u64, rounds: std::ops::Range<u64>, folder: &Path) -> Outcome {
    let notes: PathBuf = folder.join(name);
    let _ = fs::remove_dir_all(&notes);
    fs::create_dir_all(notes.join("temporary")).expect("the folder can be made");
    let mut next = rounds.start;
    while next < rounds.end {
        let mut child = Command::new(program)
            .args([
                "fuzz",
                "child",
                name,
                &seed.to_string(),
                &next.to_string(),
                &rounds.end.to_string(),
            ])
            .arg(&notes)
            .env("TMPDIR", notes.join("temporary"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program can be started");
        let what = wait(&mut child, &notes);
        match (round_of(&notes), what) {
            (Some(round), Some(what)) if round >= next => {
                let line = fs::read_to_string(notes.join("work/line")).unwrap_or_default();
                keep(
                    &notes,
                    &format!("round {round}: {}: {what}", line.lines().nth(1).unwrap_or_default()),
                    round,
                );
                next = round + 1;
            }
            (_, Some(what)) => {
                keep(&notes, &format!("before round {next}: {what}"), next);
                break;
            }
            (_, None) => next = rounds.end,
        }
    }
    let findings = fs::read_to_string(notes.join(FINDINGS)).unwrap_or_default();
    Outcome {
        executions: next - rounds.start,
        findings: findings.lines().map(str::to_owned).collect(),
    }
}

/// Waits for a child; what ended it, if that is not its own end. One that is longer at a round than it may be is killed: its own processor time counts, as a
/// machine has more to do.
fn wait(child: &mut Child, notes: &Path) -> Option<String> {
    let mut last = (None, Duration::ZERO, Instant::now());
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return (!status.success()).then(|| format!("the process ends: {status}"));
        }
        let round = round_of(notes);
        let time = time_of(child.id()).unwrap_or_default();
        if round != last.0 {
            last = (round, time, Instant::now());
        }
        let spent = time.saturating_sub(last.1);
        if round.is_some() && (spent > MOST_TIME || last.2.elapsed() > 20 * MOST_TIME) {
            let _ = child.kill();
            let _ = child.wait();
            return Some(format!("more than {} s", MOST_TIME.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
