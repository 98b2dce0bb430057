//! `warpsmith compile`: from PTX to a cubin.

use std::path::{Path, PathBuf};

use warpsmith_base::{Diagnostic, SourceText};
use warpsmith_ori::{Stage, compile_with_resources, dump};
use warpsmith_target::Sm;

use crate::{Console, files, ptx};

/// Compile PTX to a cubin
///
/// All problems of the text are shown with their lines. What there is no code for yet is an error that names the instruction, and nothing is written.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The PTX; `-` is standard input
    file: PathBuf,
    /// The target, such as sm_90; without it the text's own `.target`
    #[arg(long, value_name = "SM")]
    arch: Option<Sm>,
    /// The cubin to write; `-` is standard output; without it the input's name with `.cubin`
    #[arg(short, long, value_name = "CUBIN")]
    output: Option<PathBuf>,
    /// Print the machine IR after a step instead of writing a cubin
    #[arg(long, value_name = "STEP")]
    dump_ir: Option<Step>,
    /// Print what each kernel takes
    #[arg(short, long)]
    verbose: bool,
}

/// A step of the back end.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Step {
    /// PTX instructions as machine instructions
    Lower,
    /// After copies and dead code have gone
    Optimise,
    /// With convergence barriers
    Converge,
}

impl Step {
    fn stage(self) -> Stage {
        match self {
            Step::Lower => Stage::Lowered,
            Step::Optimise => Stage::Optimised,
            Step::Converge => Stage::Converged,
        }
    }
}

/// Compiles one file.
pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
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
    let refused = |errors: Vec<warpsmith_ori::CompileError>| {
        let source = SourceText::new(&name, String::from_utf8_lossy(&bytes).into_owned());
        for error in &errors {
            let start = (error.span.start as usize).min(source.text().len());
            let end = (error.span.range().end).clamp(start, source.text().len());
            let diagnostic = Diagnostic::error(error.to_string()).at(&source, start..end);
            console.complain(&diagnostic.render(&source));
        }
        vec![Diagnostic::error("not compiled").in_file(&name)]
    };
    if let Some(step) = arguments.dump_ir {
        let text = dump(&parsed.module, sm, step.stage()).map_err(refused)?;
        return files::write_output(None, text.as_bytes(), console);
    }
    let output = compile_with_resources(&parsed.module, sm).map_err(refused)?;
    if arguments.verbose {
        for kernel in &output.functions {
            console.complain(&format!(
                "{}: {} registers, {} barriers, {} bytes of stack, {} bytes of shared memory, {} instructions\n",
                kernel.name,
                kernel.registers,
                kernel.barriers,
                kernel.stack_bytes,
                kernel.shared_bytes,
                kernel.instructions
            ));
        }
    }
    let path = arguments
        .output
        .clone()
        .unwrap_or_else(|| default_output(&arguments.file));
    files::write_output(Some(&path), &output.cubin.write(), console)
}

/// The input's name with `.cubin`; standard output for standard input.
fn default_output(input: &Path) -> PathBuf {
    match input == Path::new("-") {
        true => input.to_path_buf(),
        false => input.with_extension("cubin"),
    }
}
