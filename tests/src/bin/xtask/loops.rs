//! Figures of machine code that matter for kernels of matrices: instructions, accesses to spilled registers, and the instructions of each innermost loop.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use warpsmith_cubin::Cubin;
use warpsmith_sass::{Flow, Instruction, Opcode, RegisterClass};
use warpsmith_target::Sm;
use warpsmith_tests::issue_model::cycles_of_round;

use crate::common::{self, Outcome};

/// Instructions of a loop that may do nothing but wait.
const SPIN: usize = 16;

/// Compare the innermost loops of machine code, ours with theirs: instructions, spills, cycles
///
/// Without `--ours` and `--theirs` two cubins are compared. With them every PTX file is compiled with both, and each pair is
/// compared. Printed are a line for each function that has loops or spills, ours / theirs, and the sums.
///
/// Instructions are counted without the NOPs that fill up a section and the endless branch before them. A loop is what lies
/// between a branch backwards and its target, which all ways to the branch go through; loops with fewer than 17 instructions,
/// which do nothing but wait, are left out, and so are those around others, and where some of a function have matrix products
/// those that have none. LDL and STL are counted together: most are of spilled registers, but arrays of the program in local
/// memory count, too. The cycles of a round are those of one warp that has its part of the SM to itself; the text at the head of
/// tests/src/issue_model.rs says what is guessed.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Our ptxas: a link with that name to `warpsmith`
    #[arg(long, value_name = "PTXAS", requires_all = ["theirs", "sm"])]
    ours: Option<PathBuf>,
    /// The vendor's ptxas
    #[arg(long, value_name = "PTXAS", requires_all = ["ours", "sm"])]
    theirs: Option<PathBuf>,
    /// The target
    #[arg(long, value_parser = common::sm)]
    sm: Option<Sm>,
    /// More options for both compilers, parted by spaces
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    options: String,
    /// Two cubins, or PTX files and folders of them
    #[arg(value_name = "PATH", required = true)]
    files: Vec<PathBuf>,
}

/// What is compared with what.
struct Plan {
    ours: PathBuf,
    theirs: PathBuf,
    sm: Sm,
    options: Vec<String>,
    files: Vec<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    let mut sums = [Figures::default(), Figures::default()];
    if let (Some(ours), Some(theirs), Some(sm)) = (&arguments.ours, &arguments.theirs, arguments.sm) {
        let mut files = Vec::new();
        for path in &arguments.files {
            files.extend(common::files(path, "ptx")?);
        }
        let plan = Plan {
            ours: ours.clone(),
            theirs: theirs.clone(),
            sm,
            options: arguments.options.split_whitespace().map(str::to_owned).collect(),
            files,
        };
        let folder = std::env::temp_dir().join(format!("loop-figures-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        plan.compile_all(&folder, &mut sums);
        std::fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    } else {
        let [ours, theirs] = &arguments.files[..] else {
            return Err("give two cubins, or --ours, --theirs, --sm and PTX files".into());
        };
        compare("", &read(ours)?, &read(theirs)?, &mut sums);
    }
    println!("all: {}", pair(&sums[0], &sums[1]));
    if let Some(mean) = sums[0].mean_ratio() {
        println!(
            "cycles of loops, ours / theirs, geometric mean of {} functions with as many loops in both: {mean:.3}",
            sums[0].ratios.len()
        );
    }
    Ok(Outcome::Good)
}

impl Plan {
    fn compile_all(&self, folder: &Path, sums: &mut [Figures; 2]) {
        for file in &self.files {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let both = [&self.ours, &self.theirs].map(|ptxas| self.compile(ptxas, file, folder));
            match both {
                [Ok(ours), Ok(theirs)] => compare(&name, &ours, &theirs, sums),
                [ours, theirs] => {
                    let say = |side: &str, made: Result<_, String>| made.err().map(|error| format!("{side}: {error}"));
                    let why: Vec<String> = say("ours", ours).into_iter().chain(say("theirs", theirs)).collect();
                    println!("{name}: not compared: {}", why.join("; "));
                }
            }
        }
    }

    fn compile(&self, ptxas: &Path, file: &Path, folder: &Path) -> Result<BTreeMap<String, Figures>, String> {
        let cubin = folder.join("out.cubin");
        let mut command = Command::new(ptxas);
        command.arg(format!("-arch={}", self.sm)).args(&self.options);
        let output = command.arg(file).arg("-o").arg(&cubin).output();
        let output = output.map_err(|error| format!("{}: {error}", ptxas.display()))?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(text.lines().next().unwrap_or("it failed").to_string());
        }
        read(&cubin)
    }
}

/// What is counted of a function.
#[derive(Clone, Debug, Default)]
struct Figures {
    instructions: usize,
    local: usize,
    loops: Vec<usize>,
    cycles: Vec<u64>,
    /// In the sums of ours: the cycles of the loops of each function over those of theirs.
    ratios: Vec<f64>,
}

impl Figures {
    fn mean_ratio(&self) -> Option<f64> {
        let logarithms = self.ratios.iter().map(|ratio| ratio.ln()).sum::<f64>();
        (!self.ratios.is_empty()).then(|| (logarithms / self.ratios.len() as f64).exp())
    }
}

/// The figures of each function of a cubin.
fn read(file: &Path) -> Result<BTreeMap<String, Figures>, String> {
    let fail = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let bytes = std::fs::read(file).map_err(|error| fail(&error))?;
    let cubin = Cubin::read(&bytes).map_err(|error| fail(&error))?;
    let sm: Sm = cubin.target().ok_or_else(|| fail(&"no known SM"))?;
    let mut found = BTreeMap::new();
    for (section, name) in cubin.functions() {
        let code = cubin.section_bytes(section).unwrap_or_default();
        let words = code.as_chunks::<16>().0.iter().map(|word| u128::from_le_bytes(*word));
        let code: Vec<Option<Instruction>> = words.map(|word| Instruction::decode(sm.isa(), word).ok()).collect();
        found.insert(name.to_owned(), figures(&code));
    }
    Ok(found)
}

fn figures(code: &[Option<Instruction>]) -> Figures {
    let is = |at: usize, opcode: Opcode| code[at].is_some_and(|own| own.opcode() == opcode);
    let filled = (0..code.len()).rev().find(|at| !is(*at, Opcode::Nop)).unwrap_or(0);
    let end = filled + usize::from(!code.is_empty() && !is(filled, Opcode::Bra));
    let code = &code[..end];
    let local = (0..end)
        .filter(|at| is(*at, Opcode::Ldl) || is(*at, Opcode::Stl))
        .count();
    let mut loops: Vec<(usize, usize)> = Vec::new();
    for at in (0..end).filter(|at| is(*at, Opcode::Bra)) {
        let start = target(code, at).filter(|start| *start <= at && at + 1 - start > SPIN);
        // Waits stand behind the rest of the code, too, and branch back to it: no loops.
        loops.extend(
            start
                .filter(|start| !is_reached_without(code, at, *start))
                .map(|start| (start, at)),
        );
    }
    let around = |one: &(usize, usize)| {
        let within = |other: &(usize, usize)| other != one && one.0 <= other.0 && other.1 <= one.1;
        loops.iter().any(within)
    };
    let innermost: Vec<&[Option<Instruction>]> = loops
        .iter()
        .filter(|one| !around(one))
        .map(|(start, last)| &code[*start..=*last])
        .collect();
    let multiplies = |code: &&[Option<Instruction>]| {
        let mut opcodes = code.iter().flatten().map(|instruction| instruction.opcode().mnemonic());
        opcodes.any(|mnemonic| mnemonic.contains("MMA"))
    };
    let any = innermost.iter().any(multiplies);
    let shown: Vec<_> = innermost.iter().filter(|code| !any || multiplies(code)).collect();
    Figures {
        instructions: end,
        local,
        loops: shown.iter().map(|code| code.len()).collect(),
        cycles: shown.iter().map(|code| cycles_of_round(code)).collect(),
        ratios: Vec::new(),
    }
}

/// Where a relative branch goes.
fn target(code: &[Option<Instruction>], at: usize) -> Option<usize> {
    let target = code[at]?.branch_target(16 * at as u64)? as usize / 16;
    (target < code.len()).then_some(target)
}

/// Whether control may go on behind an instruction.
fn falls_through(instruction: &Instruction) -> bool {
    let ends = matches!(
        instruction.flow(),
        Flow::Branch | Flow::Indirect | Flow::Return | Flow::Exit
    );
    let is_test = |class| matches!(class, RegisterClass::Predicate | RegisterClass::UniformPredicate);
    // The test that always holds has no number.
    let mut tests = instruction.registers().filter(|register| is_test(register.class));
    !ends || instruction.guard().is_some() || tests.any(|register| register.number.is_some() || register.inverted)
}

/// Whether some way from the start leads to an instruction past another one.
fn is_reached_without(code: &[Option<Instruction>], at: usize, without: usize) -> bool {
    let mut seen = vec![false; code.len()];
    let mut work = vec![0];
    while let Some(next) = work.pop() {
        if next >= code.len() || next == without || std::mem::replace(&mut seen[next], true) {
            continue;
        }
        if next == at {
            return true;
        }
        work.extend(target(code, next));
        if code[next].is_none_or(|instruction| falls_through(&instruction)) {
            work.push(next + 1);
        }
    }
    false
}

fn compare(file: &str, ours: &BTreeMap<String, Figures>, theirs: &BTreeMap<String, Figures>, sums: &mut [Figures; 2]) {
    for (name, own) in ours {
        let Some(other) = theirs.get(name) else { continue };
        for (sum, figures) in sums.iter_mut().zip([own, other]) {
            sum.instructions += figures.instructions;
            sum.local += figures.local;
        }
        let [cycles, others] = [own, other].map(|figures| figures.cycles.iter().sum::<u64>());
        if own.loops.len() == other.loops.len() && cycles > 0 && others > 0 {
            sums[0].ratios.push(cycles as f64 / others as f64);
        }
        let quiet = own.loops.is_empty() && other.loops.is_empty() && own.local == 0 && other.local == 0;
        if !quiet {
            let short: String = name.chars().take(60).collect();
            println!("{file} {short}: {}", pair(own, other));
        }
    }
}

/// Figures, ours / theirs.
fn pair(ours: &Figures, theirs: &Figures) -> String {
    let loops = match ours.loops.is_empty() && theirs.loops.is_empty() {
        true => String::new(),
        false => format!(
            ", loops {:?} / {:?}, cycles {:?} / {:?}",
            ours.loops, theirs.loops, ours.cycles, theirs.cycles
        ),
    };
    format!(
        "instructions {} / {}, LDL and STL {} / {}{loops}",
        ours.instructions, theirs.instructions, ours.local, theirs.local
    )
}
