//! Prints the PTX of modules in LLVM's text, or counts what is not selected.
//!
//! `select FILE.ll… [--arch sm_90] [--ftz] [--no-fmad] [--lineinfo] [--unchecked] [--write DIRECTORY]`: one file's PTX is printed; with `--write`, the PTX
//! of each file is written there, and a line for each file that was refused is printed, then how many were taken.

use std::path::Path;
use std::process::ExitCode;

use warpsmith_base::{Diagnostic, SourceText};
use warpsmith_ir::Module;
use warpsmith_isel::{Options, select, text};
use warpsmith_target::Sm;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut options = Options::new(Sm::Sm90);
    let mut paths = Vec::new();
    let mut checked = true;
    let mut directory = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--arch" => {
                let name = arguments.next().ok_or("--arch needs a target")?;
                options.target = name.parse().map_err(|_| format!("{name} is no target"))?;
            }
            "--ftz" => options.arithmetic.flush_denormals = true,
            "--no-fmad" => options.arithmetic.contract = false,
            "--lineinfo" => options.line_info = true,
            "--unchecked" => checked = false,
            "--write" => directory = arguments.next(),
            _ => paths.push(argument),
        }
    }
    let Some(directory) = directory else {
        let path = paths.first().ok_or("which file?")?;
        print!("{}", compile(path, &options, checked)?);
        return Ok(());
    };
    let mut taken = 0;
    for path in &paths {
        match compile(path, &options, checked) {
            Ok(ptx) => {
                let name = Path::new(path)
                    .file_stem()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                std::fs::write(Path::new(&directory).join(format!("{name}.ptx")), ptx)
                    .map_err(|error| error.to_string())?;
                taken += 1;
            }
            Err(message) => println!("{path}: {}", message.lines().take(3).collect::<Vec<_>>().join(" | ")),
        }
    }
    println!("{taken} of {} files are selected", paths.len());
    Ok(())
}

fn compile(path: &str, options: &Options, checked: bool) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let source = SourceText::new(path, String::from_utf8_lossy(&bytes).into_owned());
    let lines = |stage: &str, diagnostics: Vec<Diagnostic>| {
        let lines = diagnostics
            .iter()
            .map(|diagnostic| format!("{stage}: {}", diagnostic.plain_with_notes()));
        lines.collect::<Vec<_>>().join("\n")
    };
    let module = Module::from_text(&source).map_err(|diagnostics| lines("read", diagnostics))?;
    let output = if checked {
        select(&module, options).map(|output| output.text)
    } else {
        text(&module, options)
    };
    output.map_err(|refusal| lines("select", refusal.diagnostics))
}
