//! `warpsmith run`: kernels run with no GPU, or on one.
//!
//! A command line or a launch file ([`launch_file`]) becomes a [`plan::Plan`]; [`execute`] runs it in the interpreter, in the emulator where it is machine code ([`code`]), or on a GPU ([`gpu`]); [`results`] prints, saves
//! and compares what the kernels left. Arrays ([`array`]) come from a short notation ([`source`]) or `.npy` files ([`npy`]).

mod array;
mod code;
mod compare;
mod execute;
mod gpu;
mod launch_file;
pub(crate) mod npy;
mod plan;
mod results;
mod source;
mod tensor_map;
mod textures;

use std::path::{Path, PathBuf};

use warpsmith_base::Diagnostic;

use crate::Console;
use plan::{Expectation, Launch, Output, Plan, Settings};
use source::Sources;

/// Run a kernel, with or without a GPU
#[derive(clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// CUDA C++ (.cu), SSA IR (.ll, .bc), PTX file or cubin with the kernel, listing of a cubin (.sass), or launch file (.toml)
    pub file: PathBuf,
    /// What runs it [default: the interpreter for PTX, the emulator for machine code]
    #[arg(long, value_name = "WHAT")]
    on: Option<On>,
    /// Kernel to run; not needed where the file has only one
    #[arg(long)]
    kernel: Option<String>,
    /// CTAs in x, y and z [default: 1]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dimensions)]
    grid: Option<[u32; 3]>,
    /// Threads of a CTA in x, y and z [default: 1]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dimensions)]
    block: Option<[u32; 3]>,
    /// CTAs of a cluster in x, y and z
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dimensions)]
    cluster: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory [default: 0]
    #[arg(long, value_name = "BYTES")]
    shared: Option<u32>,
    /// Value of the next parameter, such as 7, f16:1.5 or NAME=zeros:f32:1024
    #[arg(long = "arg", value_name = "SPEC", allow_hyphen_values = true)]
    arguments: Vec<String>,
    /// Run this cubin, or listing of one (.sass), in place of the PTX, which still says the types of parameters
    #[arg(long, value_name = "FILE")]
    code: Option<PathBuf>,
    /// Run this file (.ptx, .cu, .ll) in place of the launch file's module
    #[arg(long, value_name = "FILE", conflicts_with = "code")]
    source: Option<PathBuf>,
    /// Compile for this target, such as sm_90, and run the machine code; with `--on interpreter` the PTX for it
    #[arg(long, value_name = "SM", conflicts_with = "code")]
    arch: Option<warpsmith_target::Sm>,
    /// Print the first elements of a buffer or module variable
    #[arg(long, value_name = "NAME")]
    print: Vec<String>,
    /// Write a buffer or module variable to a file: .npy, or its bytes
    #[arg(long, value_name = "NAME=FILE")]
    save: Vec<String>,
    /// Compare a buffer or module variable; the exit status is 1 if it differs
    #[arg(long, value_name = "NAME=VALUES")]
    expect: Vec<String>,
    /// Run threads in another order
    #[arg(long)]
    seed: Option<u64>,
    /// Stop after this many instructions of warps
    #[arg(long, value_name = "COUNT")]
    budget: Option<u64>,
    /// Also report these faults
    #[arg(long, value_name = "CHECKS", value_delimiter = ',')]
    check: Vec<Check>,
    /// Report up to this many different memory faults, going on without the accesses [default: 1]
    #[arg(long, value_name = "COUNT")]
    faults: Option<usize>,
    /// Run CTAs on this many threads of the host, 0 for all cores; atomics then come in any order [default: 1]
    #[arg(long, value_name = "COUNT")]
    threads: Option<usize>,
    /// Bytes that arrays may have in all, beyond the files that they are read from [default: 64 MiB]
    #[arg(long, value_name = "BYTES")]
    memory: Option<u64>,
    /// Count instructions, branches and memory accesses
    #[arg(long)]
    stats: bool,
    /// Print the machine code that runs
    #[arg(long)]
    listing: bool,
}

/// What runs kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum On {
    /// The interpreter of PTX
    Interpreter,
    /// The emulator of machine code
    Emulator,
    /// The first GPU of this machine, through the CUDA driver
    Gpu,
}

/// What is looked for beyond the faults that are always reported.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Check {
    /// Unsynchronised accesses to the same shared memory
    Races,
    /// Reads of memory that nobody wrote
    Uninitialised,
    /// Asynchronous copies that are not waited for: they complete at random later times
    Copies,
    /// PTX: uses of registers that nobody wrote
    Registers,
    /// Machine code: registers that are read or written before the instructions in flight allow it
    Hazards,
}

const AFTER_HELP: &str = "\
Arguments are, in the order of the kernel's parameters:
  7, -1, 0x10, 1.5, inf   a number of the parameter's type
  f16:1.5                 a number of this type: u8 to u64, s8 to s64, f16, bf16, f32, f64
  NAME=SOURCE             the address of a new buffer
  NAME, NAME+BYTES        the address of a buffer that an earlier argument made
  bytes:SOURCE            a structure passed by value
Sources of arrays are:
  zeros:TYPE:COUNT
  uninitialised:TYPE:COUNT
  fill:TYPE:COUNT:VALUE
  iota:TYPE:COUNT[:START[:STEP]]
  random:TYPE:COUNT[:SEED[:LOW:HIGH]]
  list:TYPE:VALUE,VALUE,…
  text:TEXT               bytes with a zero at the end
  file:[TYPE:]PATH        a file's bytes
  npy:PATH                a NumPy file
Expected VALUES are a source or PATH.npy[:TOLERANCE]; without a tolerance all bits must be equal.
Where nothing is printed, saved or compared, every buffer is printed.

A launch file says the same in TOML:
  module = \"scan.ptx\"
  [buffers]
  data = \"iota:u32:256\"
  [[launch]]
  kernel = \"scan\"
  block = 256
  arguments = [\"data\", 256]
  [expect]
  data = \"scanned.npy\"
and with [tensor_maps] names tensor maps for arguments:
  tiles = { buffer = \"data\", type = \"u32\", sizes = [16, 16], box = [4, 8], swizzle = \"none\" }
beside offset, strides (bytes), element_strides, fill = \"nan\", interleave = 16 or 32, and instead of box for im2col: channels, pixels, lower,
upper, and mode = \"w\" for im2col::w
Only a launch file has textures, surfaces and samplers. Their names are arguments, or bind the module's .texref, .surfref and .samplerref
variables; a texture or surface is printed, saved and compared as a buffer is:
  [textures]
  photo = { data = \"npy:photo.npy\", size = [64, 48], read = \"normalised\", filter = \"linear\" }
  [surfaces]
  canvas = { data = \"zeros:u8:3072\", size = [64, 48] }
The keys are data, or image = NAME for the texels of another; geometry (1d to a2dms), size, layers, levels, samples, channels; of a surface level;
of a texture read (element, normalised), and of it and samplers coordinates (texels, normalised), address (clamp, border, wrap, mirror, or a list),
filter and mip_filter (point, linear), srgb, border, lod = [LEAST, MOST], bias, comparison

--on gpu takes the same command lines and launch files. The driver compiles PTX, takes cubins of the GPU's architecture, and writes what
kernels print to standard output itself. What a launch file says of seed, budget, faults, threads and check is for the interpreter and the
emulator; an endless loop is not stopped. Not on a GPU yet: tensor maps with im2col along W alone, textures, surfaces, samplers, and comparing what is printed.";

/// Runs the sub-command.
pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    let plan = match arguments.file.extension().is_some_and(|extension| extension == "toml") {
        true => from_launch_file(arguments, console)?,
        false => from_command_line(arguments).map_err(|reason| vec![Diagnostic::error(reason)])?,
    };
    if arguments.on == Some(On::Gpu) {
        refuse_on_gpu(arguments).map_err(|reason| vec![Diagnostic::error(reason)])?;
    }
    let outcome = execute::execute(&plan, console);
    results::finish(&plan, outcome, console)
}

/// What is said beside `--on gpu` and has no effect there is refused.
fn refuse_on_gpu(arguments: &Arguments) -> Result<(), String> {
    let options = [
        ("seed", arguments.seed.is_some()),
        ("budget", arguments.budget.is_some()),
        ("check", !arguments.check.is_empty()),
        ("faults", arguments.faults.is_some()),
        ("threads", arguments.threads.is_some()),
        ("stats", arguments.stats),
    ];
    match options.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(format!(
            "--{name} is for the interpreter and the emulator, not for --on gpu"
        )),
        None => Ok(()),
    }
}

fn from_launch_file(arguments: &Arguments, console: &mut Console) -> Result<Plan, Vec<Diagnostic>> {
    let launch_options = [
        ("kernel", arguments.kernel.is_some()),
        ("grid", arguments.grid.is_some()),
        ("block", arguments.block.is_some()),
        ("cluster", arguments.cluster.is_some()),
        ("shared", arguments.shared.is_some()),
        ("arg", !arguments.arguments.is_empty()),
    ];
    if let Some((name, _)) = launch_options.iter().find(|(_, given)| *given) {
        return Err(vec![Diagnostic::error(format!(
            "--{name} cannot be given with a launch file, which says it"
        ))]);
    }
    let mut plan = launch_file::read(&arguments.file, arguments.memory, console)?;
    let sources = Sources::new(Path::new(""), arguments.memory);
    add_options(arguments, &mut plan, &sources).map_err(|reason| vec![Diagnostic::error(reason)])?;
    Ok(plan)
}

fn from_command_line(arguments: &Arguments) -> Result<Plan, String> {
    let mut plan = Plan {
        module: arguments.file.clone(),
        ..Plan::default()
    };
    let sources = Sources::new(Path::new(""), arguments.memory);
    plan.memory = sources.room();
    let mut values = Vec::new();
    for text in &arguments.arguments {
        let value = plan.argument(text, &sources);
        values.push(value.map_err(|reason| format!("--arg {text}: {reason}"))?);
    }
    plan.launches.push(Launch {
        kernel: arguments.kernel.clone(),
        grid: arguments.grid.unwrap_or([1; 3]),
        block: arguments.block.unwrap_or([1; 3]),
        cluster: arguments.cluster.unwrap_or([1; 3]),
        shared: arguments.shared.unwrap_or(0),
        arguments: values,
    });
    add_options(arguments, &mut plan, &sources)?;
    if plan.outputs.is_empty() {
        plan.outputs = plan
            .buffers
            .iter()
            .map(|buffer| Output::Print(buffer.name.clone()))
            .collect();
    }
    Ok(plan)
}

/// What can be said beside a launch file too.
fn add_options(arguments: &Arguments, plan: &mut Plan, sources: &Sources) -> Result<(), String> {
    let Settings {
        seed,
        budget,
        races,
        uninitialised,
        copies,
        hazards,
        registers,
        faults,
        threads,
        statistics,
        listing,
    } = &mut plan.settings;
    plan.code = arguments.code.clone();
    if let Some(source) = &arguments.source {
        plan.module.clone_from(source);
    }
    plan.arch = arguments.arch;
    plan.on = arguments.on;
    *seed = arguments.seed.or(*seed);
    *budget = arguments.budget.or(*budget);
    *faults = arguments.faults.or(*faults);
    *threads = arguments.threads.or(*threads);
    *statistics |= arguments.stats;
    *listing |= arguments.listing;
    for check in &arguments.check {
        match check {
            Check::Races => *races = true,
            Check::Uninitialised => *uninitialised = true,
            Check::Copies => *copies = true,
            Check::Hazards => *hazards = true,
            Check::Registers => *registers = true,
        }
    }
    let pair = |option: &str, text: &str| match text.split_once('=') {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err(format!("--{option} {text}: NAME=… is wanted")),
    };
    plan.outputs.extend(arguments.print.iter().cloned().map(Output::Print));
    for text in &arguments.save {
        let (name, path) = pair("save", text)?;
        plan.outputs.push(Output::Save(name, path.into()));
    }
    for text in &arguments.expect {
        let (name, values) = pair("expect", text)?;
        let expectation = Expectation::parse(&values, sources);
        let expectation = expectation.map_err(|reason| format!("--expect {text}: {reason}"))?;
        plan.outputs.push(Output::Expect(name, expectation));
    }
    Ok(())
}

/// `X`, `X,Y` or `X,Y,Z`; each at least 1.
fn dimensions(text: &str) -> Result<[u32; 3], String> {
    let mut sizes = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err("at most three numbers are wanted".to_owned());
    }
    for (size, part) in sizes.iter_mut().zip(parts) {
        *size = part
            .trim()
            .parse()
            .ok()
            .filter(|&size| size > 0)
            .ok_or_else(|| format!("`{part}` is no number above 0"))?;
    }
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_to_three_dimensions() {
        assert_eq!(dimensions("7"), Ok([7, 1, 1]));
        assert_eq!(dimensions("7, 2,3"), Ok([7, 2, 3]));
        assert_eq!(dimensions("7,0"), Err("`0` is no number above 0".to_owned()));
        assert_eq!(
            dimensions("1,1,1,1"),
            Err("at most three numbers are wanted".to_owned())
        );
    }
}
