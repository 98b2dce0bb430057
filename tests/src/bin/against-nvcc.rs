//! What our CUDA C++ compiler makes of kernels, against nvcc: instructions that warps execute.
//!
//! ```text
//! against-nvcc [--arch SM] [--worst N] [--list FILE] [NAME…]
//! ```
//!
//! The kernels are those of `tests/kernels` with a `kernel.cu`; beside it is the PTX that nvcc made of it. Both go through our back end and run in the
//! emulator of machine code as the launch file says, so that what differs is front end, optimiser and instruction selection alone. Printed are the geometric
//! mean of the ratios ours/nvcc of executed and of written instructions, and the worst by executed ones. The target is the `.target` of the PTX unless `--arch` says
//! another. `--list` writes a line for each kernel.

use std::{
    ffi::OsString,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

const USAGE: &str = "usage: against-nvcc [--arch SM] [--worst N] [--list FILE] [NAME…]";

/// The command line.
#[derive(Debug, Default)]
struct Arguments {
    arch: Option<String>,
    worst: usize,
    list: Option<PathBuf>,
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

fn main() -> ExitCode {
    let Some(arguments) = arguments() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("against-nvcc: {message}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Option<Arguments> {
    let mut given = std::env::args().skip(1);
    let mut result = Arguments {
        worst: 10,
        ..Arguments::default()
    };
    while let Some(argument) = given.next() {
        match argument.as_str() {
            "--arch" => result.arch = Some(given.next()?),
            "--worst" => result.worst = given.next()?.parse().ok()?,
            "--list" => result.list = Some(given.next()?.into()),
            option if option.starts_with('-') => return None,
            _ => result.names.push(argument),
        }
    }
    Some(result)
}

fn run(arguments: &Arguments) -> Result<(), String> {
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
        let arch = arguments.arch.clone().unwrap_or_else(|| target(&kernel));
        match (count(&kernel, &arch, true), count(&kernel, &arch, false)) {
            (Ok(ours), Ok(theirs)) => pairs.push(Pair { name, ours, theirs }),
            (Err(why), _) => println!("{name}: ours: {why}"),
            (_, Err(why)) => println!("{name}: nvcc's: {why}"),
        }
    }
    report(arguments, pairs)
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
