//! The kernel suite in the emulator: `tests/kernels/NAME/kernel.ptx` compiled for an SM, run with the same launch file, compared with the same
//! expectations, and all buffers with those that the interpreter leaves.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt::{self, Write as _},
    fs,
    path::{Path, PathBuf},
};

use warpsmith_cubin::Cubin;

use super::{
    guarded,
    ptxas::{Ptxas, for_target},
    reason,
};

/// A kernel of the suite.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Name of its folder.
    pub name: String,
    /// Its launch file.
    pub launch: PathBuf,
    /// Its PTX.
    pub text: String,
    /// The buffers that the launch file names.
    pub buffers: Vec<String>,
    /// The launch file has a budget of its own.
    budget: bool,
}

/// The folder of the suite.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")
}

/// The kernels with these names, or all, in order.
///
/// # Errors
/// A folder or file that cannot be read.
pub fn suite(names: &[String]) -> Result<Vec<Kernel>, String> {
    let folder = folder();
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut kernels = Vec::new();
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let launch = path.join("launch.toml");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !launch.is_file() || !(names.is_empty() || names.contains(&name)) {
            continue;
        }
        let read = |path: &Path| fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
        let file = read(&launch)?;
        let module = file.lines().find_map(|line| line.strip_prefix("module = "));
        let module = module.unwrap_or_default().trim().trim_matches('"');
        kernels.push(Kernel {
            text: read(&path.join(module))?,
            buffers: buffers(&file),
            budget: file.lines().any(|line| line.starts_with("budget")),
            name,
            launch,
        });
    }
    kernels.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(kernels)
}

/// The names in the table `[buffers]`.
fn buffers(launch: &str) -> Vec<String> {
    let lines = launch.lines().skip_while(|line| line.trim() != "[buffers]").skip(1);
    lines
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| Some(line.split_once('=')?.0.trim().to_owned()))
        .collect()
}

/// Warp instructions of a kernel whose launch file says no budget: more than any needs.
const BUDGET: &str = "20000000";

impl Kernel {
    /// Runs the kernel as its launch file says, this machine code in place of its PTX, and saves its buffers in the folder `save`.
    ///
    /// # Errors
    /// What the run says of a fault or of results that are not as expected.
    pub fn run(&self, code: Option<&Path>, save: Option<&Path>) -> Result<(), String> {
        let mut command: Vec<OsString> = vec!["warpsmith".into(), "run".into(), self.launch.clone().into()];
        if let Some(code) = code {
            command.extend(["--check".into(), "hazards".into(), "--code".into(), code.into()]);
        }
        if !self.budget {
            command.extend(["--budget".into(), BUDGET.into()]);
        }
        for name in self.buffers.iter().filter(|_| save.is_some()) {
            let mut option = OsString::from(format!("{name}="));
            option.push(self.saved(save.unwrap_or(Path::new("")), name));
            command.extend(["--save".into(), option]);
        }
        guarded(|| {
            let (mut out, mut errors) = (Vec::new(), Vec::new());
            match warpsmith_driver::run(&command, &mut out, &mut errors) {
                0 => Ok(()),
                _ => Err(String::from_utf8_lossy(&errors).into_owned()),
            }
        })
    }

    fn saved(&self, folder: &Path, buffer: &str) -> PathBuf {
        folder.join(format!("{}.{buffer}.bin", self.name))
    }

    /// The buffers that differ between two folders that [`Kernel::run`] has saved them in.
    pub fn differing(&self, one: &Path, other: &Path) -> Vec<&str> {
        let read = |folder: &Path, name: &str| fs::read(self.saved(folder, name)).ok();
        let names = self.buffers.iter().map(String::as_str);
        names.filter(|name| read(one, name) != read(other, name)).collect()
    }
}

/// Counts for an SM and a level.
#[derive(Debug, Default)]
struct Column {
    passed: usize,
    total: usize,
    /// Passed, but the memory is not the interpreter's.
    other_memory: usize,
}

/// What a run over the suite found.
#[derive(Debug, Default)]
pub struct Report {
    columns: BTreeMap<(u32, String), Column>,
    reasons: BTreeMap<String, Vec<String>>,
    memory: Vec<String>,
}

/// Runs kernels for SMs and levels.
///
/// # Errors
/// Where files cannot be written.
pub fn compare(ptxas: &Ptxas, sms: &[String], levels: &[String], kernels: &[Kernel]) -> Result<Report, String> {
    let mut report = Report::default();
    let folders = ["interpreter", "emulator"].map(|name| ptxas.scratch().join(name));
    for folder in &folders {
        fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    }
    for kernel in kernels {
        let interpreted = kernel.run(None, Some(&folders[0]));
        for (sm, level) in sms.iter().flat_map(|sm| levels.iter().map(move |level| (sm, level))) {
            let Some(text) = for_target(&kernel.text, sm) else {
                continue;
            };
            let number = sm
                .trim_start_matches("sm_")
                .trim_end_matches(['a', 'f'])
                .parse()
                .unwrap_or(0);
            let column = report.columns.entry((number, level.clone())).or_default();
            column.total += 1;
            let place = format!("{} {sm} {level}", kernel.name);
            let cubin = ptxas.cubin(&kernel.name, &text, sm, level);
            match cubin.and_then(|cubin| kernel.run(Some(&cubin), Some(&folders[1]))) {
                Ok(()) => {
                    column.passed += 1;
                    let differing = kernel.differing(&folders[0], &folders[1]);
                    if interpreted.is_ok() && !differing.is_empty() {
                        column.other_memory += 1;
                        report.memory.push(format!("{place}: {}", differing.join(", ")));
                    }
                }
                Err(message) => report.reasons.entry(reason(&message)).or_default().push(place),
            }
        }
    }
    Ok(report)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "SM      level  passed / total  (of these with other memory than the interpreter's)"
        )?;
        for ((sm, level), column) in &self.columns {
            let Column {
                passed,
                total,
                other_memory,
            } = column;
            writeln!(f, "sm_{sm:<4} {level:<6} {passed:>6} / {total:<6} ({other_memory})")?;
        }
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
        for (reason, places) in reasons {
            let mut shown = places.iter().take(6).cloned().collect::<Vec<_>>().join(", ");
            if places.len() > 6 {
                let _ = write!(shown, ", …");
            }
            writeln!(f, "{:>5} × {reason}: {shown}", places.len())?;
        }
        for place in &self.memory {
            writeln!(f, "other memory: {place}")?;
        }
        Ok(())
    }
}

/// The SMs of the listings beside the kernels, each for every seventh kernel.
pub const LISTED: [&str; 7] = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"];

/// Writes `sm_NN.sass` beside each kernel for one SM, in turn; where the kernel needs a later one, for the next that has it. Kernels that do not
/// run in the emulator get none; their names and why are returned.
///
/// # Errors
/// Where a file cannot be written.
pub fn write_listings(ptxas: &Ptxas, kernels: &[Kernel]) -> Result<Vec<String>, String> {
    let mut left_out = Vec::new();
    let mut bytes = 0;
    for (index, kernel) in kernels.iter().enumerate() {
        let folder = kernel.launch.parent().unwrap_or(Path::new(""));
        for sm in LISTED {
            drop(fs::remove_file(folder.join(format!("{sm}.sass"))));
        }
        let turn = (0..LISTED.len()).map(|step| LISTED[(index + step) % LISTED.len()]);
        let mut failure = String::from("no SM has what it needs");
        for sm in turn {
            // What only one generation has is in the variant of its own.
            let own = format!("{sm}a");
            let found = [sm, own.as_str()].into_iter();
            let Some((target, text)) = found.filter_map(|sm| Some((sm, for_target(&kernel.text, sm)?))).next() else {
                continue;
            };
            let made = ptxas.cubin(&kernel.name, &text, target, "-O3");
            match made.and_then(|cubin| kernel.run(Some(&cubin), None).map(|()| cubin)) {
                Ok(cubin) => {
                    let text = listing(&cubin)?;
                    bytes += text.len();
                    let path = folder.join(format!("{sm}.sass"));
                    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
                    failure.clear();
                    break;
                }
                Err(message) => failure = format!("{sm}: {}", reason(&message)),
            }
        }
        if !failure.is_empty() {
            left_out.push(format!("{} ({failure})", kernel.name));
        }
    }
    println!("{} listings, {bytes} bytes", kernels.len() - left_out.len());
    Ok(left_out)
}

fn listing(path: &Path) -> Result<Vec<u8>, String> {
    let cubin = Cubin::read(&fs::read(path).map_err(|error| error.to_string())?).map_err(|error| error.to_string())?;
    let mut text = Vec::new();
    warpsmith_listing::native::disassemble(&cubin, &warpsmith_listing::ListingOptions::default(), &mut text)
        .map_err(|error| error.to_string())?;
    Ok(text)
}
