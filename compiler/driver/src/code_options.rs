//! How our own commands are told to compile: the options of the library ([`warpsmith::Options`]) under the same names.

use warpsmith::{Arithmetic, Definition, Options, Sm, Standard};
use warpsmith_base::Diagnostic;
use warpsmith_ori::phase::{Phase, STEPS};
use warpsmith_target::PtxVersion;

use crate::cc;

/// The options of code, and those of the front end of CUDA C++.
#[derive(clap::Args)]
pub(crate) struct CodeOptions {
    /// The target, such as sm_90 [default: the `.target` of PTX, or sm_75]
    #[arg(long, visible_alias = "target", value_name = "SM")]
    pub arch: Option<Sm>,
    /// The optimisation level
    #[arg(short = 'O', long, value_name = "LEVEL", default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=3))]
    level: u8,
    #[command(flatten)]
    arithmetic: ArithmeticOptions,
    /// Record the source line of each instruction
    #[arg(long)]
    line_info: bool,
    /// No optimisation, and variables and types for a debugger
    #[arg(short = 'g', long)]
    debug: bool,
    /// Make a cubin that is to be linked with others
    #[arg(short = 'c', long)]
    relocatable: bool,
    /// The most registers that a thread may have
    #[arg(long, value_name = "COUNT")]
    maximum_registers: Option<u32>,
    /// --maximum-registers comes before what a kernel says of itself
    #[arg(long, requires = "maximum_registers")]
    override_directives: bool,
    /// Pointers that kernels get are all `__restrict__`
    #[arg(long)]
    restrict_kernel_pointers: bool,
    /// The `.version` of the PTX that is made [default: 9.0, or the oldest that knows the target]
    #[arg(long, value_name = "VERSION", value_parser = ptx_version)]
    ptx_version: Option<PtxVersion>,
    /// Functions check that there is as much stack as they take
    #[arg(long)]
    check_stack: bool,
    /// Threads of the host that the back end works with, 0 for as many as it has
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    threads: usize,
    /// Check every IR after every pass and phase
    #[arg(long)]
    verify: bool,
    /// Switch a pass of the SSA optimiser off: NAME:off
    #[arg(long = "pass", value_name = "PASS", value_parser = pass_off)]
    passes_off: Vec<String>,
    /// Switch a phase of the back end off: NAME:off
    #[arg(long = "phase", value_name = "PHASE", value_parser = phase_off)]
    phases_off: Vec<String>,
    /// How many rewrites the SSA optimiser may make that correct code does not need
    #[arg(long, value_name = "COUNT")]
    pass_fuel: Option<u64>,
    /// How many rewrites the back end may make that correct code does not need
    #[arg(long, visible_alias = "fuel", value_name = "COUNT")]
    phase_fuel: Option<u64>,
    #[command(flatten)]
    front: FrontOptions,
}

/// What floating-point arithmetic may be.
#[derive(clap::Args)]
#[command(next_help_heading = "Arithmetic")]
struct ArithmeticOptions {
    /// Take single-precision denormals for zero
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    flush_denormals: Option<bool>,
    /// Contract multiplies and adds [default: true]
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    contract: Option<bool>,
    /// IEEE single-precision division and reciprocal [default: true]
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    precise_division: Option<bool>,
    /// IEEE single-precision square root [default: true]
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    precise_square_root: Option<bool>,
    /// Approximations in place of the functions, and the defaults of the others turned round
    #[arg(long)]
    fast_math: bool,
}

/// The front end of CUDA C++.
#[derive(clap::Args)]
#[command(next_help_heading = "CUDA C++")]
struct FrontOptions {
    /// The edition of the language
    #[arg(long, visible_alias = "std", value_name = "EDITION", default_value = "c++17", value_parser = ["c++11", "c++14", "c++17", "c++20"])]
    standard: String,
    /// Define a macro
    #[arg(short = 'D', long, value_name = "NAME[=TEXT]")]
    define: Vec<String>,
    /// Remove the definition of a macro
    #[arg(short = 'U', long, value_name = "NAME")]
    undefine: Vec<String>,
    /// A folder to look for headers in
    #[arg(short = 'I', long, value_name = "FOLDER")]
    folder: Vec<String>,
    /// A folder to look for headers in, after the others; warnings in its files are not shown
    #[arg(long, value_name = "FOLDER")]
    system_folder: Vec<String>,
    /// Include a file before the source
    #[arg(long, value_name = "FILE")]
    include: Vec<String>,
    /// Use the headers of this CUDA toolkit and of the host's C++ library
    #[arg(long, value_name = "FOLDER")]
    cuda_path: Option<String>,
    /// No warnings
    #[arg(short = 'w', long)]
    no_warnings: bool,
    /// Functions and variables of which nothing is said are the device's
    #[arg(long)]
    device_by_default: bool,
}

impl ArithmeticOptions {
    fn arithmetic(&self) -> Arithmetic {
        let fast = self.fast_math;
        Arithmetic {
            flush_denormals: self.flush_denormals.unwrap_or(fast),
            contract: self.contract.unwrap_or(true),
            precise_division: self.precise_division.unwrap_or(!fast),
            precise_square_root: self.precise_square_root.unwrap_or(!fast),
            fast_math: fast,
        }
    }
}

impl CodeOptions {
    /// The options of the library, for a target.
    ///
    /// # Errors
    /// That the folder of a toolkit is none.
    pub(crate) fn options(&self, target: Sm) -> Result<Options, Vec<Diagnostic>> {
        let mut options = Options::new(target);
        options.level = self.level;
        options.arithmetic = self.arithmetic.arithmetic();
        options.line_info = self.line_info;
        options.debug = self.debug;
        options.relocatable = self.relocatable;
        options.maximum_registers = self.maximum_registers;
        options.override_directives = self.override_directives;
        options.restrict_kernel_pointers = self.restrict_kernel_pointers;
        options.ptx_version = self.ptx_version;
        options.check_stack = self.check_stack;
        options.threads = self.threads;
        options.verify |= self.verify;
        options.passes_off.clone_from(&self.passes_off);
        options.phases_off.clone_from(&self.phases_off);
        options.pass_fuel = self.pass_fuel;
        options.phase_fuel = self.phase_fuel;
        self.front.apply(&mut options)?;
        Ok(options)
    }
}

impl FrontOptions {
    fn apply(&self, options: &mut Options) -> Result<(), Vec<Diagnostic>> {
        let front = &mut options.front;
        front.standard = match self.standard.as_str() {
            "c++11" => Standard::Cpp11,
            "c++14" => Standard::Cpp14,
            "c++20" => Standard::Cpp20,
            _ => Standard::Cpp17,
        };
        let defined = self.define.iter().cloned().map(Definition::Define);
        front.definitions = defined
            .chain(self.undefine.iter().cloned().map(Definition::Undefine))
            .collect();
        front.folders.clone_from(&self.folder);
        front.system_folders.clone_from(&self.system_folder);
        front.includes.clone_from(&self.include);
        front.warnings.off = self.no_warnings;
        front.device_by_default = self.device_by_default;
        match &self.cuda_path {
            Some(path) => cc::toolkit::use_headers(front, path),
            None => Ok(()),
        }
    }
}

fn ptx_version(text: &str) -> Result<PtxVersion, String> {
    let known = warpsmith_ptx::versions().any(|version| version.to_string() == text);
    let parts = text.split_once('.').filter(|_| known);
    parts
        .and_then(|(major, minor)| {
            Some(PtxVersion {
                major: major.parse().ok()?,
                minor: minor.parse().ok()?,
            })
        })
        .ok_or_else(|| format!("there is no version {text} of PTX"))
}

/// The name of the pass in `NAME:off`.
fn pass_off(text: &str) -> Result<String, String> {
    let name = text.strip_suffix(":off").ok_or("a pass is switched off by NAME:off")?;
    let mut passes = warpsmith_opt::PASSES.iter();
    match passes.find(|pass| pass.name.eq_ignore_ascii_case(name)) {
        Some(pass) => Ok(pass.name.to_string()),
        None => Err(near(name, "pass", warpsmith_opt::PASSES.iter().map(|pass| pass.name))),
    }
}

/// The name of the phase in `NAME:off`.
fn phase_off(text: &str) -> Result<String, String> {
    let name = text.strip_suffix(":off").ok_or("a phase is switched off by NAME:off")?;
    if let Some((step, _)) = STEPS.iter().find(|(step, _)| step.eq_ignore_ascii_case(name)) {
        return Ok((*step).to_string());
    }
    match Phase::named(name) {
        Some(phase) if phase.required => Err(format!("without {} there is no code", phase.name)),
        Some(phase) => Ok(phase.name.to_string()),
        None => Err(format!("there is no phase {name}; --list-phases names them")),
    }
}

fn near<'n>(wrong: &str, what: &str, names: impl Iterator<Item = &'n str> + Clone) -> String {
    match warpsmith_base::suggest::nearest(wrong, names.clone()) {
        Some(near) => format!("there is no {what} {wrong}; a near name is {near}"),
        None => format!(
            "there is no {what} {wrong}; there are {}",
            names.collect::<Vec<_>>().join(", ")
        ),
    }
}
