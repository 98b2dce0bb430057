//! `warpsmith compile`: from PTX to a cubin.

use std::path::{Path, PathBuf};

use warpsmith_base::{Diagnostic, SourceText};
use warpsmith_ori::{
    CompileError, Options, Resources, compile_observed,
    phase::{Phase, STEPS},
};
use warpsmith_target::Sm;

use crate::{Console, files, phases, ptx};

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
    file: PathBuf,
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
    fn options(&self) -> Options {
        Options {
            level: self.level,
            maximum_registers: self.maximum_registers,
            off: self.phase.clone(),
            fuel: self.fuel,
            verify: self.verify,
            ..Options::default()
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
    let parsed = ptx::checked(&arguments.file, &bytes, console)?;
    let own = parsed.module.target.to_string().parse::<Sm>();
    let sm = match (arguments.arch, own) {
        (Some(sm), Ok(own)) if !sm.accepts_ptx_target(own) => {
            let message = format!("PTX for {own} does not run on {sm}");
            return Err(vec![Diagnostic::error(message).in_file(&name)]);
        }
        (Some(sm), _) => sm,
        (None, Ok(own)) => own,
        (None, Err(_)) => {
            let message = format!(
                "there is no code for {}; give a target with --arch",
                parsed.module.target
            );
            return Err(vec![Diagnostic::error(message).in_file(&name)]);
        }
    };
    let mut record = phases::Record::new(arguments.dump_ir.as_deref(), arguments.dump_html.is_some())?;
    let output = compile_observed(&parsed.module, sm, &arguments.options(), &mut |event| {
        record.note(&event)
    });
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
    let output = output.map_err(|errors| {
        let source = SourceText::new(&name, String::from_utf8_lossy(&bytes).into_owned());
        complain(&errors, &source, console);
        vec![Diagnostic::error("not compiled").in_file(&name)]
    })?;
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

/// Shows each error with its line.
pub(crate) fn complain(errors: &[CompileError], source: &SourceText, console: &mut Console) {
    for error in errors {
        let start = (error.span.start as usize).min(source.text().len());
        let end = (error.span.range().end).clamp(start, source.text().len());
        let diagnostic = Diagnostic::error(error.to_string()).at(source, start..end);
        console.complain(&diagnostic.render(source));
    }
}

/// The input's name with `.cubin`; standard output for standard input.
fn default_output(input: &Path) -> PathBuf {
    match input == Path::new("-") {
        true => input.to_path_buf(),
        false => input.with_extension("cubin"),
    }
}
