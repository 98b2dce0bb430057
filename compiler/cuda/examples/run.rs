//! Compiles files, runs the kernel `run` of each with one thread in the PTX interpreter, and prints what it printed and the `int` that it left.
//!
//! `run [--device|--default] [--no-prelude] [-O] [--ptx] FILE.cu…`: the kernel takes a pointer to the `int`; with `--default`, functions and variables are the device's
//! unless something else is said of them; with `--device`, the kernel is made as well: it calls `main`.

use std::process::ExitCode;

use warpsmith::emulator::Emulator;
use warpsmith::{Disk, FileSystem, Memory, Options, Prelude, Session, Sm, Source};

fn main() -> ExitCode {
    let mut options = Options::new(Sm::Sm90);
    options.verify = true;
    let (mut made, mut ptx, mut optimised) = (false, false, false);
    let mut files = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--device" => made = true,
            "--default" => options.front.device_by_default = true,
            "--no-prelude" => options.front.prelude = Prelude::None,
            "--ptx" => ptx = true,
            "-O" => optimised = true,
            _ => files.push(argument),
        }
    }
    options.front.device_by_default |= made;
    let several = files.len() > 1;
    let mut failures = 0;
    for file in files {
        let outcome = one(&file, &options, made, ptx, optimised);
        match outcome {
            Ok((printed, result)) if !several => {
                print!("{printed}");
                println!("result {result}");
            }
            Ok((_, result)) => println!("{file}: result {result}"),
            Err(message) => {
                failures += 1;
                match several {
                    true => println!("{file}: {}", message.lines().next().unwrap_or_default()),
                    false => println!("{message}"),
                }
            }
        }
    }
    if failures > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// What the program printed, and its result.
fn one(file: &str, options: &Options, made: bool, ptx: bool, optimised: bool) -> Result<(String, i32), String> {
    let bytes = Disk.read(file).map_err(|error| format!("{file}: {error}"))?;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if made {
        let call = if text.contains("main()") || text.contains("main(void)") {
            "main()"
        } else {
            "main(0, 0)"
        };
        text.insert_str(0, "extern \"C\" int printf(const char *, ...);\n#line 1\n");
        text.push_str(&format!("\n__global__ void run(int *result) {{ *result = {call}; }}\n"));
    }
    let session = Session::new(options.clone()).with_files(Memory::new());
    let unit = session.front(&Source::cuda(file, text));
    let mut unit = unit.map_err(|failure| format!("compile: {failure}"))?;
    let linked = session.link_library(&mut unit);
    linked.map_err(|failure| {
        format!(
            "verify: {failure}\n{}",
            unit.module.to_text(warpsmith_ir::Dialect::Modern)
        )
    })?;
    if optimised {
        let done = session.optimise(&mut unit);
        done.map_err(|failure| format!("optimise: {failure}"))?;
    }
    let output = session.select(&unit).map_err(|failure| format!("select: {failure}"))?;
    if ptx {
        print!("{}", output.text);
    }
    let mut emulator = Emulator::load_ptx(&output).map_err(|failure| format!("load: {failure}"))?;
    let result = emulator.buffer(&[0xff; 16]).map_err(|error| format!("run: {error}"))?;
    let kernel = if output.text.contains(".entry _Z3runPi(") {
        "_Z3runPi"
    } else {
        "run"
    };
    let report = emulator.launch(kernel, [1; 3], [1; 3], &[result.into()]);
    let report = report.map_err(|error| format!("run: {error}"))?;
    let left = emulator.read::<i32>(result).map_err(|error| format!("run: {error}"))?;
    Ok((report.printed, left.first().copied().unwrap_or(-1)))
}
