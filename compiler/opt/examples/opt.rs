//! Optimises a file of LLVM or NVVM IR and writes the result: `opt FILE.ll [-O0 … -O3] [--passes a,b] [--off a,b] [--fuel N] [--print] [--times] [--quiet] [--list]`.
//!
//! `--print` writes every function after every pass that changed it.

use std::process::ExitCode;

use warpsmith_base::SourceText;
use warpsmith_ir::Module;
use warpsmith_opt::{Event, Options, PASSES, Subject, optimize_observed};

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
    let mut options = Options {
        verify: true,
        ..Options::default()
    };
    let mut file = None;
    let (mut print, mut times, mut quiet) = (false, false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        let list = |text: String| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        match argument.as_str() {
            "-O0" | "-O1" | "-O2" | "-O3" => options.level = argument.as_bytes()[2] - b'0',
            "--passes" => options.passes = Some(list(value()?)),
            "--off" => options.off = list(value()?),
            "--fuel" => options.fuel = Some(value()?.parse().map_err(|_| "--fuel wants a number")?),
            "--print" => print = true,
            "--times" => times = true,
            "--quiet" => quiet = true,
            "--list" => {
                PASSES
                    .iter()
                    .for_each(|pass| println!("{:20} {}", pass.name, pass.text));
                return Ok(());
            }
            _ => file = Some(argument),
        }
    }
    let file = file.ok_or("usage: opt FILE.ll [-O3] [--passes a,b] [--print]")?;
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let source = SourceText::new(&file, text);
    let all = |errors: Vec<warpsmith_base::Diagnostic>| {
        errors
            .iter()
            .map(|error| error.render(&source))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let mut module = Module::from_text(&source).map_err(all)?;
    module
        .verify()
        .map_err(|errors| format!("input: {}", errors.first().map_or(String::new(), ToString::to_string)))?;
    let dump = |event: &Event<'_>| {
        if let (Subject::Function(symbols, function), true) = (event.subject, event.changed) {
            let name = &symbols.functions[function.id()].name;
            println!(
                "; {name} after {}\n{}",
                event.pass.name,
                function.display(Some(symbols))
            );
        }
    };
    let report =
        optimize_observed(&mut module, &options, print.then_some(&dump)).map_err(|failure| failure.to_string())?;
    if !quiet {
        println!("{module}");
    }
    if times {
        for spent in &report.spent {
            eprintln!(
                "{:20} {:>6} runs {:>6} changes {:>10.3} ms",
                spent.name,
                spent.runs,
                spent.changes,
                spent.time.as_secs_f64() * 1e3
            );
        }
    }
    Ok(())
}
