//! The same program on the host, by a compiler that is installed there.

use std::{fs, path::PathBuf, process::Command};

use crate::{
    differential::{Memory, Program},
    generate_cuda::HOST,
};

/// A compiler of C++ for the host.
#[derive(Clone, Debug)]
pub struct Host {
    /// The command, such as `g++`.
    pub compiler: String,
    /// Where files are put.
    pub folder: PathBuf,
    /// Also looks for undefined behaviour.
    pub sanitise: bool,
}

impl Host {
    /// What the program leaves.
    ///
    /// # Errors
    /// What the compiler or the program says.
    pub fn run(&self, program: &Program) -> Result<Memory, String> {
        let said = |error: std::io::Error| error.to_string();
        let path = |name: &str| self.folder.join(format!("host-{}-{name}", std::process::id()));
        let (source, binary, input, output) = (path("a.cpp"), path("a"), path("in"), path("out"));
        fs::create_dir_all(&self.folder).map_err(said)?;
        let shape = format!(
            "#define GRID {}\n#define BLOCK {}\n#define BYTES {}\n",
            program.grid, program.block, program.out
        );
        let text = [shape.as_str(), HOST.0, &program.body(), HOST.1].concat();
        fs::write(&source, text).map_err(said)?;
        fs::write(&input, program.content()).map_err(said)?;
        let mut command = Command::new(&self.compiler);
        command.args(["-std=c++17", "-O0", "-w", "-ffp-contract=off"]);
        if self.sanitise {
            command.args(["-fsanitize=undefined,address", "-fno-sanitize-recover=all"]);
            command.args(["-fno-sanitize=float-cast-overflow,float-divide-by-zero"]);
        }
        succeed(command.arg(&source).arg("-o").arg(&binary))?;
        succeed(Command::new(&binary).arg(&input).arg(&output))?;
        let bytes = fs::read(&output).map_err(said);
        for file in [source, binary, input, output] {
            let _ = fs::remove_file(file);
        }
        bytes.map(Memory)
    }
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!(
            "{}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}
