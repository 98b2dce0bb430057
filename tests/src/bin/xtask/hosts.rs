//! The hosts that Warpsmith is for: that it compiles for each, and that what it makes is the same on all.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::common::{self, Outcome};

/// Check that Warpsmith compiles for every host, and makes the same cubins on those that can be run here
///
/// For each of the targets of Rust that are installed (`rustup target add TARGET`) the driver is checked. For those of Linux a static binary is
/// built and compiles kernels of the suite: for another processor under qemu, where that is installed. What is not installed is named.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Only these targets
    #[arg(long, value_name = "TARGET", value_parser = target)]
    target: Vec<&'static Host>,
    /// Build nothing: check alone
    #[arg(long)]
    check_only: bool,
    /// How many kernels are compiled
    #[arg(long, value_name = "N", default_value_t = 40)]
    kernels: usize,
}

/// A host.
#[derive(Debug)]
pub(crate) struct Host {
    /// Rust's name for it.
    pub(crate) target: &'static str,
    /// How its programs are run on a Linux machine.
    runs: Runs,
}

/// How the programs of a host are run on a Linux machine.
#[derive(Debug)]
enum Runs {
    /// By itself on this processor, through one of these programs on others.
    Linux {
        processor: &'static str,
        through: &'static [&'static str],
    },
    /// Not at all.
    Elsewhere,
}

/// All hosts.
pub(crate) const HOSTS: [Host; 6] = [
    Host {
        target: "x86_64-unknown-linux-musl",
        runs: Runs::Linux {
            processor: "x86_64",
            through: &["qemu-x86_64", "qemu-x86_64-static"],
        },
    },
    Host {
        target: "aarch64-unknown-linux-musl",
        runs: Runs::Linux {
            processor: "aarch64",
            through: &["qemu-aarch64", "qemu-aarch64-static"],
        },
    },
    Host {
        target: "x86_64-pc-windows-gnu",
        runs: Runs::Elsewhere,
    },
    Host {
        target: "x86_64-apple-darwin",
        runs: Runs::Elsewhere,
    },
    Host {
        target: "aarch64-apple-darwin",
        runs: Runs::Elsewhere,
    },
    Host {
        target: "wasm32-wasip1",
        runs: Runs::Elsewhere,
    },
];

fn target(name: &str) -> Result<&'static Host, String> {
    let names: Vec<_> = HOSTS.iter().map(|host| host.target).collect();
    (HOSTS.iter().find(|host| host.target == name)).ok_or_else(|| format!("the hosts are {}", names.join(", ")))
}

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    let installed = installed();
    let wanted: Vec<&Host> = match arguments.target.is_empty() {
        true => HOSTS.iter().collect(),
        false => arguments.target.clone(),
    };
    let mut good = true;
    for host in wanted {
        let name = host.target;
        if !installed.iter().any(|target| target == name) {
            println!("{name}: not installed (`rustup target add {name}`)");
            good &= arguments.target.is_empty();
            continue;
        }
        // Where it is built, that says it, too.
        let Some(runner) = host.runner().filter(|_| !arguments.check_only) else {
            let compiles = check(name)?;
            println!("{name}: {}", if compiles { "compiles" } else { "does not compile" });
            good &= compiles;
            continue;
        };
        let binary = build(name)?;
        if let Some(loader) = loader(&common::read(&binary)?) {
            println!("{name}: not static: it wants {loader}");
            good = false;
        }
        let (same, different) = compare(&binary, &runner, arguments.kernels)?;
        println!("{name}: static, {same} cubins are the same as this host's");
        for kernel in &different {
            println!("{name}: another cubin of {kernel}");
        }
        good &= different.is_empty();
    }
    Ok(Outcome::good_if(good))
}

impl Host {
    /// What a program is started with on this machine, which may be nothing; `None`: it cannot be run.
    fn runner(&self) -> Option<Vec<&'static str>> {
        let Runs::Linux { processor, through } = self.runs else {
            return None;
        };
        if !cfg!(target_os = "linux") {
            return None;
        }
        if processor == std::env::consts::ARCH {
            return Some(Vec::new());
        }
        let is_there = |program: &&&str| Command::new(program).arg("--version").output().is_ok();
        through.iter().find(is_there).map(|program| vec![*program])
    }
}

/// The targets of Rust that are installed; none where there is no rustup to say so.
fn installed() -> Vec<String> {
    let output = Command::new("rustup").args(["target", "list", "--installed"]).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    text.unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Whether the driver compiles for a host.
fn check(target: &str) -> std::io::Result<bool> {
    let mut check = common::cargo();
    check.args([
        "check",
        "--release",
        "--locked",
        "--quiet",
        "-p",
        "warpsmith-driver",
        "--target",
        target,
    ]);
    Ok(check.status()?.success())
}

/// Builds the binary for a host.
pub(crate) fn build(target: &str) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let mut build = common::cargo();
    build.args([
        "build",
        "--release",
        "--locked",
        "--quiet",
        "-p",
        "warpsmith-driver",
        "--target",
        target,
    ]);
    if !build.status()?.success() {
        return Err(format!("{target}: does not build").into());
    }
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| common::root().join("target"), PathBuf::from);
    let name = if target.contains("windows") {
        "warpsmith.exe"
    } else {
        "warpsmith"
    };
    Ok(folder.join(target).join("release").join(name))
}

/// The loader that a program of Linux asks for (its segment `PT_INTERP`); a static one asks for none.
fn loader(elf: &[u8]) -> Option<String> {
    const PT_INTERP: u64 = 3;
    let number = |at: usize, bytes: usize| {
        let field = elf.get(at..at + bytes)?;
        Some(
            field
                .iter()
                .rev()
                .fold(0_u64, |number, byte| number << 8 | u64::from(*byte)),
        )
    };
    // The head of ELF: where the table of segments is, how long a row is, and how many there are.
    let (table, row, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    (0..count).find_map(|index| {
        let at = (table + index * row) as usize;
        let (kind, offset, size) = (
            number(at, 4)?,
            number(at + 8, 8)? as usize,
            number(at + 32, 8)? as usize,
        );
        let text = elf.get(offset..offset + size).filter(|_| kind == PT_INTERP)?;
        Some(String::from_utf8_lossy(text).trim_end_matches('\0').to_owned())
    })
}

/// Compiles kernels with a binary and with this program; how many are the same, and the names of those that are not.
fn compare(binary: &Path, runner: &[&str], count: usize) -> Result<(usize, Vec<String>), Box<dyn std::error::Error>> {
    let sources = common::files(&common::root().join("tests/kernels"), "cu")?;
    // All over the suite, which is in the order of names.
    let step = (sources.len() / count.max(1)).max(1);
    let folder = std::env::temp_dir().join(format!("warpsmith-hosts-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let (theirs, ours) = (folder.join("theirs.cubin"), folder.join("ours.cubin"));
    let (mut same, mut different) = (0, Vec::new());
    for source in sources.iter().step_by(step).take(count) {
        let line = |output: &Path| {
            let words = ["compile", "--arch", "sm_90", "--no-warnings", "-o"].map(Into::into);
            let mut line = Vec::from(words);
            line.extend([output.into(), source.as_os_str().to_owned()]);
            line
        };
        let mut command = match runner {
            [] => Command::new(binary),
            [program, rest @ ..] => {
                let mut command = Command::new(program);
                command.args(rest).arg(binary);
                command
            }
        };
        let their_status = command.args(line(&theirs)).output()?.status.code();
        let mut own = vec!["warpsmith".into()];
        own.extend(line(&ours));
        let our_status = warpsmith_driver::run(&own, &mut Vec::new(), &mut Vec::new());
        let is_same =
            their_status == Some(our_status.into()) && (our_status != 0 || fs::read(&theirs)? == fs::read(&ours)?);
        match is_same {
            true => same += 1,
            false => different.push(source.display().to_string()),
        }
    }
    fs::remove_dir_all(&folder)?;
    Ok((same, different))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_wants_a_loader() {
        let mut elf = vec![0; 64 + 56];
        elf[32] = 64;
        elf[54] = 56;
        elf[56] = 1;
        assert_eq!(loader(&elf), None);
        elf[64] = 3;
        elf[64 + 8] = 120;
        elf[64 + 32] = 6;
        elf.extend(b"/ld.so");
        assert_eq!(loader(&elf).as_deref(), Some("/ld.so"));
        // A table that is not there.
        elf[33] = 255;
        assert_eq!(loader(&elf), None);
    }
}
