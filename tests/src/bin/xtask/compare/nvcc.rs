//! What our CUDA C++ compiler makes of kernels, against nvcc: instructions that warps execute.

use std::{
    ffi::OsString,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use warpsmith_target::Sm;

use crate::common::{self, Outcome};

/// Count the instructions that warps execute of our code from CUDA C++, and of nvcc's
///
/// The kernels are those of tests/kernels with a kernel.cu; beside it is the PTX that nvcc made of it. Both go through our back
/// end and run in the emulator of machine code as the launch file says, so that what differs is front end, optimiser and
/// instruction selection alone. Printed are the geometric means of the ratios ours/nvcc's of executed and of written
/// instructions, and the worst by executed ones.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The target, in place of the `.target` of each PTX
    #[arg(long, value_name = "SM", value_parser = common::sm)]
    arch: Option<Sm>,
    /// How many of the worst are printed
    #[arg(long, value_name = "N", default_value_t = 10)]
    worst: usize,
    /// Write a line for each kernel
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Only these kernels
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// What one compilation of a kernel came to.
#[derive(Clone, Copy, Debug)]
struct Count {
    /// Instructions that warps executed, in all launches.
    executed: u64,
    /// Instructions in the machine code of all functions.
    written: u64,
}

/// A kernel by both compilers.
#[derive(Debug)]
struct Pair {
    name: String,
    ours: Count,
    theirs: Count,
}

impl Pair {
    fn executed(&self) -> f64 {
        self.ours.executed as f64 / self.theirs.executed.max(1) as f64
    }

    fn written(&self) -> f64 {
        self.ours.written as f64 / self.theirs.written.max(1) as f64
    }
}

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut kernels: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("kernel.cu").exists() && path.join("launch.toml").exists())
        .collect();
    kernels.sort();
    let mut pairs = Vec::new();
    for kernel in kernels {
        let name = kernel.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !arguments.names.is_empty() && !arguments.names.contains(&name) {
            continue;
        }
        let arch = arguments.arch.map_or_else(|| target(&kernel), |sm| sm.to_string());
        match (count(&kernel, &arch, true), count(&kernel, &arch, false)) {
            (Ok(ours), Ok(theirs)) => pairs.push(Pair { name, ours, theirs }),
            (Err(why), _) => println!("{name}: ours: {why}"),
            (_, Err(why)) => println!("{name}: nvcc's: {why}"),
        }
    }
    report(arguments, pairs)?;
    Ok(Outcome::Good)
}

fn report(arguments: &Arguments, mut pairs: Vec<Pair>) -> Result<(), String> {
    let mean = |ratio: fn(&Pair) -> f64| {
        let sum: f64 = pairs.iter().map(|pair| ratio(pair).ln()).sum();
        (sum / pairs.len().max(1) as f64).exp()
    };
    println!(
        "{} kernels: executed {:.3}, written {:.3} (ours/nvcc's, geometric means)",
        pairs.len(),
        mean(Pair::executed),
        mean(Pair::written)
    );
    pairs.sort_by(|a, b| b.executed().total_cmp(&a.executed()).then_with(|| a.name.cmp(&b.name)));
    let line = |pair: &Pair| {
        format!(
            "{:6.3} {:6.3} {:28} executed {:>10} {:>10}  written {:>6} {:>6}",
            pair.executed(),
            pair.written(),
            pair.name,
            pair.ours.executed,
            pair.theirs.executed,
            pair.ours.written,
            pair.theirs.written
        )
    };
    for pair in pairs.iter().take(arguments.worst) {
        println!("{}", line(pair));
    }
    if let Some(path) = &arguments.list {
        let mut text = String::new();
        for pair in &pairs {
            let _ = writeln!(text, "{}", line(pair));
        }
        fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// The target that the PTX of a kernel is for.
fn target(kernel: &Path) -> String {
    let ptx = fs::read_to_string(kernel.join("kernel.ptx")).unwrap_or_default();
    let line = ptx.lines().find_map(|line| line.strip_prefix(".target "));
    let name = line.unwrap_or("sm_80").split(',').next().unwrap_or_default();
    name.trim().to_owned()
}

/// Compiles and runs a kernel, from its CUDA C++ or from nvcc's PTX.
fn count(kernel: &Path, arch: &str, is_ours: bool) -> Result<Count, String> {
    let mut command: Vec<OsString> = ["warpsmith", "run"].map(OsString::from).into();
    command.push(kernel.join("launch.toml").into());
    if is_ours {
        command.extend(["--source".into(), kernel.join("kernel.cu").into()]);
    }
    command.extend(["--on", "emulator", "--stats", "--arch", arch].map(OsString::from));
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let status = warpsmith_driver::run(&command, &mut out, &mut errors);
    let (out, errors) = (String::from_utf8_lossy(&out), String::from_utf8_lossy(&errors));
    if status != 0 {
        let line = errors
            .lines()
            .find(|line| line.contains("error"))
            .unwrap_or("it failed");
        return Err(line.to_owned());
    }
    let executed = out
        .lines()
        .chain(errors.lines())
        .find_map(|line| line.strip_prefix("instructions of warps"))
        .and_then(|text| text.trim().parse().ok())
        .ok_or("no count of instructions")?;
    // One line of resources for each function.
    let written = errors
        .lines()
        .chain(out.lines())
        .filter_map(|line| {
            line.strip_suffix(" instructions")?
                .rsplit(' ')
                .next()?
                .parse::<u64>()
                .ok()
        })
        .sum();
    Ok(Count { executed, written })
}
