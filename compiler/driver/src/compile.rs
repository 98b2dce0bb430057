//! `warpsmith compile`: from PTX to a cubin.

use std::path::{Path, PathBuf};

use warpsmith::{Options, Ptx, Resources, Session};
use warpsmith_base::Diagnostic;
use warpsmith_ori::phase::{Phase, STEPS};
use warpsmith_target::Sm;

use crate::{Console, files, phases, ptx, translate};

/// Compile PTX to a cubin
///
/// All problems of the text are shown with their lines. What there is no code for yet is an error that names the instruction, and nothing is written.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The PTX; `-` is standard input
    #[arg(
        required_unless_present = "list_phases",
        default_value = "-",
        hide_default_value = true
    )]
    pub file: PathBuf,
    /// The target, such as sm_90; without it the text's own `.target`
    #[arg(long, value_name = "SM")]
    arch: Option<Sm>,
    /// The cubin to write; `-` is standard output; without it the input's name with `.cubin`
    #[arg(short, long, value_name = "CUBIN")]
    output: Option<PathBuf>,
    /// The optimisation level
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=3))]
    level: u8,
    /// The most registers that a thread may have
    #[arg(long, value_name = "COUNT")]
    maximum_registers: Option<u32>,
    /// Switch a phase off: NAME:off
    #[arg(long, value_name = "PHASE", value_parser = switched_off)]
    phase: Vec<String>,
    /// How many rewrites may happen that correct code does not need
    #[arg(long, value_name = "COUNT")]
    fuel: Option<u64>,
    /// Check the machine IR after every phase
    #[arg(long)]
    verify: bool,
    /// Print the machine IR after a phase instead of writing a cubin; `lower` is before the first, `all` is every one
    #[arg(long, value_name = "PHASE")]
    dump_ir: Option<String>,
    /// Write a page that shows each function after every phase that changed it, side by side
    #[arg(long, value_name = "FILE")]
    dump_html: Option<PathBuf>,
    /// Print how long each phase took
    #[arg(long)]
    time_phases: bool,
    /// Print the phases, in order, with what each does
    #[arg(long)]
    list_phases: bool,
    /// Print what each kernel takes
    #[arg(short, long)]
    verbose: bool,
}

/// The name of the phase in `NAME:off`.
fn switched_off(text: &str) -> Result<String, String> {
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

impl Arguments {
    fn options(&self, target: Sm) -> Options {
        Options {
            level: self.level,
            maximum_registers: self.maximum_registers,
            phases_off: self.phase.clone(),
            phase_fuel: self.fuel,
            verify: self.verify,
            ..Options::new(target)
        }
    }
}

/// Compiles one file.
pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    if arguments.list_phases {
        return files::write_output(None, phases::list().as_bytes(), console);
    }
    let bytes = files::read_input(&arguments.file)?;
    let name = files::shown(&arguments.file);
    let module = ptx::checked(&arguments.file, &bytes, console)?.module;
    let ptx = Ptx::new(&name, warpsmith::readable(&bytes), module);
    let sm = target(arguments, &ptx)?;
    let mut record = phases::Record::new(arguments.dump_ir.as_deref(), arguments.dump_html.is_some())?;
    let session = Session::new(arguments.options(sm));
    let output = session.assemble_observed(&ptx, &mut |event| record.note(&event));
    // What was looked at is shown even where a later phase fails: that is when it is wanted.
    if arguments.dump_ir.is_some() {
        files::write_output(None, record.text().as_bytes(), console)?;
    }
    if let Some(path) = &arguments.dump_html {
        files::write_output(Some(path), record.page(&name).as_bytes(), console)?;
    }
    if arguments.time_phases {
        console.complain(&record.times());
    }
    let output = output.map_err(|failure| translate::refused(&arguments.file, &failure, console))?;
    if arguments.dump_ir.is_some() {
        return Ok(());
    }
    for (place, text) in output.functions.iter().flat_map(|function| &function.advice) {
        let line = place.map_or(String::new(), |place| {
            let before = bytes.iter().take(place as usize);
            format!(":{}", 1 + before.filter(|byte| **byte == b'\n').count())
        });
        console.complain(&format!("{name}{line}: note: {text}\n"));
    }
    if arguments.verbose {
        report(&output.functions, console);
    }
    let path = arguments
        .output
        .clone()
        .unwrap_or_else(|| default_output(&arguments.file));
    files::write_output(Some(&path), &output.cubin.write(), console)
}

/// The target that is asked for, or that the text names.
fn target(arguments: &Arguments, ptx: &Ptx) -> Result<Sm, Vec<Diagnostic>> {
    match (arguments.arch, ptx.module.target.to_string().parse::<Sm>()) {
        (Some(sm), _) => match warpsmith::fits(ptx, sm) {
            Ok(()) => Ok(sm),
            Err(failure) => Err(translate::diagnostics(failure)),
        },
        (None, Ok(own)) => Ok(own),
        (None, Err(_)) => {
            let message = format!("there is no code for {}; give a target with --arch", ptx.module.target);
            Err(vec![Diagnostic::error(message).in_file(&ptx.name)])
        }
    }
}

/// What each function takes, a line each.
pub(crate) fn report(functions: &[Resources], console: &mut Console) {
    for function in functions {
        console.complain(&format!(
            "{}: {} registers, {} barriers, {} bytes of stack, {} bytes of shared memory, {} instructions\n",
            function.name,
            function.registers,
            function.barriers,
            function.stack_bytes,
            function.shared_bytes,
            function.instructions
        ));
    }
}

/// The input's name with `.cubin`; standard output for standard input.
fn default_output(input: &Path) -> PathBuf {
    match input == Path::new("-") {
        true => input.to_path_buf(),
        false => input.with_extension("cubin"),
    }
}
