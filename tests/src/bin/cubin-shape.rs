//! Compares the shape of cubins: sections, symbols, attributes, relocations and segments, and not the code.
//!
//! `cubin-shape OURS THEIRS` compares two files. `cubin-shape --ours PTXAS --theirs PTXAS [--sm LIST] [--options TEXT] PTX-OR-FOLDER…` compiles
//! every PTX file for every SM with both and counts the files of equal shape, and the differences by kind. `--show` names each difference.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use warpsmith_cubin::Cubin;
use warpsmith_tests::cubin_shape::{Difference, compare};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match Plan::read(&arguments) {
        Ok(Plan::Pair(ours, theirs)) => pair(&ours, &theirs),
        Ok(Plan::Many(run)) => run.all(),
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

enum Plan {
    Pair(PathBuf, PathBuf),
    Many(Run),
}

#[derive(Default)]
struct Run {
    ours: String,
    theirs: String,
    sms: Vec<String>,
    options: Vec<String>,
    show: bool,
    files: Vec<PathBuf>,
}

impl Plan {
    fn read(arguments: &[String]) -> Result<Plan, String> {
        let mut run = Run::default();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().cloned().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--ours" => run.ours = value()?,
                "--theirs" => run.theirs = value()?,
                "--sm" => run.sms = value()?.split(',').map(str::to_string).collect(),
                "--options" => run.options = value()?.split_whitespace().map(str::to_string).collect(),
                "--show" => run.show = true,
                path => run.files.extend(files(Path::new(path))),
            }
        }
        if run.ours.is_empty() && run.theirs.is_empty() {
            let [ours, theirs] = &run.files[..] else {
                return Err("cubin-shape OURS THEIRS, or --ours and --theirs with PTX files".to_string());
            };
            return Ok(Plan::Pair(ours.clone(), theirs.clone()));
        }
        if run.sms.is_empty() {
            run.sms = ["75", "80", "90"].map(str::to_string).to_vec();
        }
        Ok(Plan::Many(run))
    }
}

/// A file, or the PTX files of a folder and those below it, in order.
fn files(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(path) else {
        return vec![path.to_path_buf()];
    };
    let mut inside: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    inside.sort();
    let all = inside.iter().flat_map(|path| files(path));
    all.filter(|path| path.extension().is_some_and(|end| end == "ptx"))
        .collect()
}

fn read(path: &Path) -> Result<Cubin, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Cubin::read(&bytes).map_err(|error| format!("{}: {error}", path.display()))
}

fn pair(ours: &Path, theirs: &Path) -> ExitCode {
    let (ours, theirs) = match (read(ours), read(theirs)) {
        (Ok(ours), Ok(theirs)) => (ours, theirs),
        (Err(message), _) | (_, Err(message)) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let found = compare(&ours, &theirs);
    for difference in &found {
        println!("{difference}");
    }
    ExitCode::from(u8::from(!found.is_empty()))
}

/// What was counted for an SM.
#[derive(Default)]
struct Totals {
    equal: usize,
    differ: usize,
    refused_by_us: usize,
    refused_by_them: usize,
    kinds: BTreeMap<String, usize>,
}

impl Run {
    fn all(&self) -> ExitCode {
        let folder = std::env::temp_dir().join(format!("cubin-shape-{}", std::process::id()));
        if let Err(error) = std::fs::create_dir_all(&folder) {
            eprintln!("{}: {error}", folder.display());
            return ExitCode::from(2);
        }
        let mut good = true;
        for sm in &self.sms {
            let mut totals = Totals::default();
            for file in &self.files {
                self.one(file, sm, &folder, &mut totals);
            }
            good &= totals.differ == 0;
            println!(
                "sm_{sm}: {} of {} equal, {} differ; refused by us {}, by them {}",
                totals.equal,
                totals.equal + totals.differ,
                totals.differ,
                totals.refused_by_us,
                totals.refused_by_them
            );
            for (kind, count) in &totals.kinds {
                println!("  {count:6} {kind}");
            }
        }
        let _ = std::fs::remove_dir_all(&folder);
        ExitCode::from(u8::from(!good))
    }

    fn one(&self, file: &Path, sm: &str, folder: &Path, totals: &mut Totals) {
        let Some(theirs) = self.compile(&self.theirs, file, sm, &folder.join("theirs")) else {
            totals.refused_by_them += 1;
            return;
        };
        let Some(ours) = self.compile(&self.ours, file, sm, &folder.join("ours")) else {
            totals.refused_by_us += 1;
            return;
        };
        let found = compare(&ours, &theirs);
        if found.is_empty() {
            totals.equal += 1;
            return;
        }
        totals.differ += 1;
        let mut kinds: Vec<String> = found.iter().map(Difference::kind).collect();
        kinds.sort();
        kinds.dedup();
        for kind in kinds {
            *totals.kinds.entry(kind).or_default() += 1;
        }
        if self.show {
            for difference in &found {
                println!("{} sm_{sm}: {difference}", file.display());
            }
        }
    }

    fn compile(&self, tool: &str, file: &Path, sm: &str, output: &Path) -> Option<Cubin> {
        let status = Command::new(tool)
            .args(&self.options)
            .arg(format!("-arch=sm_{sm}"))
            .arg(file)
            .arg("-o")
            .arg(output)
            .output()
            .ok()?;
        status.status.success().then(|| read(output).ok())?
    }
}
