//! Compiles files, runs the kernel `run` of each with one thread in the PTX interpreter, and prints what it printed and the `int` that it left.
//!
//! `run [--device|--default] [--no-prelude] [-O] [--ptx] FILE.cu…`: the kernel takes a pointer to the `int`; with `--default`, functions and variables are the device's
//! unless something else is said of them; with `--device`, the kernel is made as well: it calls `main`.

use std::process::ExitCode;

use warpsmith_cuda::source::{Disk, FileSystem, Memory};
use warpsmith_cuda::{Options, compile};
use warpsmith_emu::ptx::{Device, Launch, Options as RunOptions, load, run};

fn main() -> ExitCode {
    let mut options = Options::default();
    let (mut made, mut ptx, mut optimised) = (false, false, false);
    let mut files = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--device" => made = true,
            "--default" => options.sema.device_by_default = true,
            "--no-prelude" => options.source.prelude = warpsmith_cuda::source::Prelude::None,
            "--ptx" => ptx = true,
            "-O" => optimised = true,
            _ => files.push(argument),
        }
    }
    options.sema.device_by_default |= made;
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
    let files = Memory::new().with(file, text);
    let compilation = compile(&files, file, options);
    let Some(mut module) = compilation.module else {
        return Err(format!("compile: {}", compilation.context.render()));
    };
    if let Err(problems) = module.verify() {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        return Err(format!(
            "verify: {}\n{}",
            problems.join("\n"),
            module.to_text(warpsmith_ir::Dialect::Modern)
        ));
    }
    if optimised {
        let options = warpsmith_opt::Options::default();
        warpsmith_opt::optimize(&mut module, &options).map_err(|failure| format!("optimise: {failure:?}"))?;
    }
    let target = "sm_90".parse().map_err(|_| "no such target")?;
    let output = warpsmith_isel::select(&module, &warpsmith_isel::Options::new(target)).map_err(|problems| {
        let problems: Vec<String> = problems
            .iter()
            .map(warpsmith_base::Diagnostic::plain_with_notes)
            .collect();
        format!("select: {}", problems.join("\n"))
    })?;
    if ptx {
        print!("{}", output.text);
    }
    let mut device = Device::new();
    let result = device.allocate(16, 16);
    device
        .write(result, &[0xff; 16])
        .map_err(|fault| format!("run: {fault:?}"))?;
    let loaded = load(&mut device, &output.module).map_err(|fault| format!("load: {fault:?}"))?;
    let kernel = if output.text.contains(".entry _Z3runPi(") {
        "_Z3runPi"
    } else {
        "run"
    };
    let launch = Launch {
        arguments: vec![result.to_le_bytes().to_vec()],
        ..Launch::of(kernel)
    };
    let report =
        run(&mut device, &loaded, &launch, &RunOptions::default()).map_err(|failure| format!("run: {failure:?}"))?;
    let bytes = device.read(result, 4).map_err(|fault| format!("run: {fault:?}"))?;
    let number = bytes.try_into().map_or(-1, i32::from_le_bytes);
    Ok((report.printed, number))
}
