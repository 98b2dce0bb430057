//! Shows what the steps of the front end make of a file.
//!
//! `cuda FILE.cu [--dump-tokens|--dump-hir|--dump-ir|--check] [--no-prelude] [--all-bodies] [--device] [-std=c++NN] [-I FOLDER] [-D NAME=VALUE]`

use std::process::ExitCode;

use warpsmith_cuda::source::{Context, Definition, Disk, Standard, preprocess};
use warpsmith_cuda::{Compilation, Options, analyse, compile, hir};

fn main() -> ExitCode {
    let mut options = Options::default();
    let mut dump = String::from("--dump-ir");
    let mut file = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--no-prelude" => options.source.prelude = warpsmith_cuda::source::Prelude::None,
            "--all-bodies" => options.sema.check_all_bodies = true,
            "--device" => options.sema.device_by_default = true,
            "-std=c++11" => options.source.standard = Standard::Cpp11,
            "-std=c++14" => options.source.standard = Standard::Cpp14,
            "-std=c++17" => options.source.standard = Standard::Cpp17,
            "-std=c++20" => options.source.standard = Standard::Cpp20,
            "-Wall" => options.sema.warnings = true,
            "--check" => dump = argument,
            "-lineinfo" => options.codegen.line_info = true,
            "-I" => options.source.folders.extend(arguments.next()),
            "-D" => options
                .source
                .definitions
                .extend(arguments.next().map(Definition::Define)),
            flag if flag.starts_with("--dump-") => dump = argument,
            _ => file = Some(argument),
        }
    }
    let Some(file) = file else {
        eprintln!("usage: cuda FILE.cu [--dump-tokens|--dump-hir|--dump-ir|--check] [options]");
        return ExitCode::from(2);
    };
    let mut compilation = Compilation::default();
    match dump.as_str() {
        "--dump-tokens" => {
            let mut context = Context::new();
            let unit = preprocess(&mut context, &Disk, &options.source, &file);
            for token in &unit.tokens.list {
                println!("{:?}", token.kind);
            }
            compilation.context = context;
        }
        "--check" => {
            analyse(&mut compilation, &Disk, &file, &options);
        }
        "--dump-hir" => {
            if let Some(program) = analyse(&mut compilation, &Disk, &file, &options) {
                print!("{}", hir::dump(&program));
            }
        }
        _ => {
            compilation = compile(&Disk, &file, &options);
            if let Some(module) = &compilation.module {
                print!("{}", module.to_text(warpsmith_ir::Dialect::Modern));
                if let Err(problems) = module.verify() {
                    problems.iter().for_each(|problem| eprintln!("{problem}"));
                    return ExitCode::FAILURE;
                }
            }
        }
    }
    eprint!("{}", compilation.context.render());
    if compilation.has_errors() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
