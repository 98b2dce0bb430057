//! Compares the shape of cubins: sections, symbols, attributes, relocations and segments, and not the code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use warpsmith_cubin::Cubin;
use warpsmith_target::Sm;
use warpsmith_tests::cubin_shape::{Difference, compare};

use crate::common::{self, Outcome};

/// Compare the shape of cubins: sections, symbols, attributes, relocations and segments, and not the code
///
/// Without `--ours` and `--theirs` two cubins are compared. With them every PTX file is compiled for every target with both
/// compilers; counted are the files of equal shape, and the differences by kind.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Our ptxas: a link with that name to `warpsmith`
    #[arg(long, value_name = "PTXAS", requires = "theirs")]
    ours: Option<PathBuf>,
    /// The vendor's ptxas
    #[arg(long, value_name = "PTXAS", requires = "ours")]
    theirs: Option<PathBuf>,
    /// Targets
    #[arg(long = "sm", value_name = "LIST", value_delimiter = ',', value_parser = common::sm, default_value = "75,80,90")]
    sms: Vec<Sm>,
    /// More options for both compilers, parted by spaces
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    options: String,
    /// Name each difference
    #[arg(long)]
    show: bool,
    /// Two cubins, or PTX files and folders of them
    #[arg(value_name = "PATH", required = true)]
    files: Vec<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    let (Some(ours), Some(theirs)) = (&arguments.ours, &arguments.theirs) else {
        let [ours, theirs] = &arguments.files[..] else {
            return Err("give two cubins, or --ours and --theirs with PTX files".into());
        };
        return pair(ours, theirs);
    };
    let mut files = Vec::new();
    for path in &arguments.files {
        files.extend(common::files(path, "ptx")?);
    }
    let run = Run {
        ours: ours.clone(),
        theirs: theirs.clone(),
        sms: arguments.sms.clone(),
        options: arguments.options.split_whitespace().map(str::to_owned).collect(),
        show: arguments.show,
        files,
    };
    run.all()
}

/// A comparison of two compilers.
struct Run {
    ours: PathBuf,
    theirs: PathBuf,
    sms: Vec<Sm>,
    options: Vec<String>,
    show: bool,
    files: Vec<PathBuf>,
}

fn read(path: &Path) -> Result<Cubin, String> {
    Cubin::read(&common::read(path)?).map_err(|error| format!("{}: {error}", path.display()))
}

fn pair(ours: &Path, theirs: &Path) -> common::Result {
    let found = compare(&read(ours)?, &read(theirs)?);
    for difference in &found {
        println!("{difference}");
    }
    Ok(Outcome::good_if(found.is_empty()))
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
    fn all(&self) -> common::Result {
        let folder = std::env::temp_dir().join(format!("cubin-shape-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut good = true;
        for sm in &self.sms {
            let mut totals = Totals::default();
            for file in &self.files {
                self.one(file, *sm, &folder, &mut totals);
            }
            good &= totals.differ == 0;
            println!(
                "{sm}: {} of {} equal, {} differ; refused by us {}, by them {}",
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
        Ok(Outcome::good_if(good))
    }

    fn one(&self, file: &Path, sm: Sm, folder: &Path, totals: &mut Totals) {
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
                println!("{} {sm}: {difference}", file.display());
            }
        }
    }

    fn compile(&self, tool: &Path, file: &Path, sm: Sm, output: &Path) -> Option<Cubin> {
        let status = Command::new(tool)
            .args(&self.options)
            .arg(format!("-arch={sm}"))
            .arg(file)
            .arg("-o")
            .arg(output)
            .output()
            .ok()?;
        status.status.success().then(|| read(output).ok())?
    }
}
