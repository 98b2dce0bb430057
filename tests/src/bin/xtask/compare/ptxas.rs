//! What our ptxas face makes of real PTX, against ptxas -O3.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use warpsmith_cubin::Cubin;
use warpsmith_sass::{Instruction, Opcode};
use warpsmith_target::Sm;

use crate::common::{self, Outcome};

/// Compare our machine code of real PTX with that of ptxas -O3
///
/// Every PTX file below the folders, or one in N, is compiled for every target that its `.target` allows. Printed are: how many
/// that ptxas compiles we compile too, by folder, and why not; for functions that both made, the ratios of instructions,
/// registers and bytes of code as geometric means, the worst of them, spills and stack; processor time and memory of both; and
/// how many of our cubins nvdisasm reads and prints as we do.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The binary `warpsmith`
    #[arg(long, value_name = "PATH")]
    ours: PathBuf,
    /// The vendor's ptxas
    #[arg(long, value_name = "PATH")]
    theirs: PathBuf,
    /// The vendor's nvdisasm, to compare listings
    #[arg(long, value_name = "PATH")]
    nvdisasm: Option<PathBuf>,
    /// Targets
    #[arg(long = "sm", value_name = "LIST", value_delimiter = ',', value_parser = common::sm,
          default_value = "75,80,86,89,90,100,120")]
    sms: Vec<Sm>,
    /// Take one file in N
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    sample: u64,
    /// Stop after this time
    #[arg(long, value_name = "N", default_value_t = 86_400)]
    seconds: u64,
    /// Write a line for each function
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Keep what ptxas made, so that a later run is quicker; its time is then that of the earlier one
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,
    /// Folders of PTX files
    #[arg(value_name = "FOLDER", required = true)]
    folders: Vec<PathBuf>,
}

/// A PTX file.
struct File {
    path: PathBuf,
    /// The folder that its results are counted under.
    origin: String,
}

/// What a compiler made of a file.
#[derive(Default)]
struct Made {
    /// What it said where it failed.
    error: Option<String>,
    functions: BTreeMap<String, Figures>,
    /// Processor seconds.
    seconds: f64,
    /// Kibibytes of memory at most.
    memory: u64,
}

/// What ptxas made in earlier runs: a line for each file and target.
struct Known {
    path: Option<PathBuf>,
    lines: BTreeMap<String, String>,
}

impl Known {
    fn read(path: Option<&Path>) -> Known {
        let text = path.and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
        let pairs = text.lines().filter_map(|line| line.split_once('\t'));
        Known {
            path: path.map(Path::to_owned),
            lines: pairs.map(|(key, rest)| (key.to_owned(), rest.to_owned())).collect(),
        }
    }

    fn get(&mut self, file: &File, sm: Sm, make: impl FnOnce() -> Made) -> Made {
        let key = format!("{sm} {}", file.path.display());
        if let Some(made) = self.lines.get(&key).and_then(|line| Made::from_line(line)) {
            return made;
        }
        let made = make();
        if self.path.is_some() {
            self.lines.insert(key, made.line());
        }
        made
    }

    fn write(&self) -> Result<(), String> {
        let Some(path) = &self.path else { return Ok(()) };
        let text: String = self
            .lines
            .iter()
            .map(|(key, rest)| format!("{key}\t{rest}\n"))
            .collect();
        fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    }
}

impl Made {
    /// Seconds, memory, and the error or the functions.
    fn line(&self) -> String {
        let mut line = format!("{}\t{}\t", self.seconds, self.memory);
        match &self.error {
            Some(error) => line.push_str(&format!("! {}", error.replace(['\t', '\n'], " "))),
            None => {
                for (name, figures) in &self.functions {
                    let Figures {
                        instructions,
                        bytes,
                        registers,
                        stack,
                        spills,
                    } = figures;
                    let _ = write!(line, "{name} {instructions} {bytes} {registers} {stack} {spills};");
                }
            }
        }
        line
    }

    fn from_line(line: &str) -> Option<Made> {
        let mut columns = line.splitn(3, '\t');
        let mut made = Made {
            seconds: columns.next()?.parse().ok()?,
            memory: columns.next()?.parse().ok()?,
            ..Made::default()
        };
        let rest = columns.next()?;
        if let Some(error) = rest.strip_prefix("! ") {
            made.error = Some(error.to_owned());
            return Some(made);
        }
        for function in rest.split_terminator(';') {
            let mut words = function.split(' ');
            let name = words.next()?.to_owned();
            let mut number = || words.next()?.parse().ok();
            made.functions.insert(
                name,
                Figures {
                    instructions: number()?,
                    bytes: number()?,
                    registers: number()?,
                    stack: number()?,
                    spills: number()?,
                },
            );
        }
        Some(made)
    }
}

/// Figures of a function.
#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    instructions: u64,
    bytes: u64,
    registers: u64,
    stack: u64,
    spills: u64,
}

/// A function that both made.
struct Pair {
    place: String,
    sm: Sm,
    ours: Figures,
    theirs: Figures,
}

#[derive(Default)]
struct Totals {
    /// By origin: compiled by us, and by ptxas.
    origins: BTreeMap<String, (usize, usize)>,
    targets: BTreeMap<String, (usize, usize)>,
    reasons: BTreeMap<String, (usize, String)>,
    pairs: Vec<Pair>,
    seconds: [f64; 2],
    memory: [Vec<u64>; 2],
    listings: (usize, usize, Vec<String>),
    only_ours: usize,
}

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    for tool in [&arguments.ours, &arguments.theirs] {
        if !tool.is_file() {
            return Err(format!("{}: no such program", tool.display()).into());
        }
    }
    let limit = Duration::from_secs(arguments.seconds);
    let mut files = Vec::new();
    for folder in &arguments.folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        find(folder, &name, 0, &mut files)?;
    }
    files.sort_by_key(|file| hash(&file.path));
    files.retain(|file| hash(&file.path).is_multiple_of(arguments.sample));
    let scratch = std::env::temp_dir().join(format!("against-ptxas-{}", std::process::id()));
    fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let mut totals = Totals::default();
    let mut known = Known::read(arguments.known.as_deref());
    let start = Instant::now();
    let mut done = 0;
    for file in &files {
        if start.elapsed() > limit {
            break;
        }
        done += 1;
        let Ok(text) = fs::read(&file.path) else { continue };
        let Some(own) = target(&text) else { continue };
        let fits = |sm: &&Sm| match own.parse::<Sm>() {
            Ok(own) => sm.accepts_ptx_target(own),
            // Older than all that code is made for.
            Err(_) => own
                .strip_prefix("sm_")
                .and_then(|number| number.parse::<u32>().ok())
                .is_some_and(|number| number < 75),
        };
        for sm in arguments.sms.iter().filter(fits) {
            one(arguments, file, *sm, &scratch, &mut known, &mut totals);
        }
    }
    known.write()?;
    drop(fs::remove_dir_all(&scratch));
    println!(
        "{done} of {} files, {:.0} s",
        files.len(),
        start.elapsed().as_secs_f64()
    );
    print!("{}", totals.report());
    if let Some(path) = &arguments.list {
        fs::write(path, totals.list()).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(Outcome::Good)
}

/// The PTX files below a folder. They count under the folder just below the one given, if there is one.
fn find(folder: &Path, origin: &str, depth: u32, files: &mut Vec<File>) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // The suite's folders are kernels.
            let below = match depth == 0 && origin != "kernels" {
                true => format!("{origin}/{name}"),
                false => origin.to_owned(),
            };
            find(&path, &below, depth + 1, files)?;
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            files.push(File {
                path,
                origin: origin.to_owned(),
            });
        }
    }
    Ok(())
}

/// FNV-1a of a path, so that a sample is the same in every run.
fn hash(path: &Path) -> u64 {
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    });
    // The low bits of such a hash are the worst ones.
    hash ^ hash >> 29
}

/// The target in the first `.target`.
fn target(text: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&text[..text.len().min(1 << 16)]).into_owned();
    let line = head
        .lines()
        .find_map(|line| line.trim_start().strip_prefix(".target"))?;
    let word = line.split([',', '/']).next()?.trim();
    Some(word.to_owned())
}

fn one(arguments: &Arguments, file: &File, sm: Sm, scratch: &Path, known: &mut Known, totals: &mut Totals) {
    let theirs = known.get(file, sm, || {
        compile(&arguments.theirs, &[], file, sm, &scratch.join("theirs.cubin"))
    });
    let cubin = scratch.join("ours.cubin");
    let ours = compile(&arguments.ours, &["--face", "ptxas"], file, sm, &cubin);
    if theirs.error.is_some() {
        totals.only_ours += usize::from(ours.error.is_none());
        return;
    }
    let good = usize::from(ours.error.is_none());
    for counts in [
        totals.origins.entry(file.origin.clone()).or_default(),
        totals.targets.entry(sm.to_string()).or_default(),
    ] {
        counts.0 += good;
        counts.1 += 1;
    }
    let name = file.path.file_name().unwrap_or_default().to_string_lossy();
    let name = match (file.path.parent().and_then(Path::file_name), name.as_ref()) {
        (Some(folder), "kernel.ptx") => folder.to_string_lossy(),
        _ => name,
    };
    if let Some(error) = &ours.error {
        let place = format!("{} {sm}", file.path.display());
        totals.reasons.entry(reason(error)).or_insert((0, place)).0 += 1;
        return;
    }
    for (index, made) in [&ours, &theirs].into_iter().enumerate() {
        totals.seconds[index] += made.seconds;
        totals.memory[index].push(made.memory);
    }
    for (function, figures) in &ours.functions {
        let Some(other) = theirs.functions.get(function) else {
            continue;
        };
        totals.pairs.push(Pair {
            place: format!("{}/{name} {function}", file.origin),
            sm,
            ours: *figures,
            theirs: *other,
        });
    }
    if let Some(nvdisasm) = &arguments.nvdisasm {
        listing(
            arguments,
            nvdisasm,
            &cubin,
            &format!("{} {sm}", file.path.display()),
            totals,
        );
    }
}

/// Whether nvdisasm prints of our cubin what we print.
fn listing(arguments: &Arguments, nvdisasm: &Path, cubin: &Path, place: &str, totals: &mut Totals) {
    let output = |program: &Path, words: &[&str]| {
        let output = Command::new(program).args(words).arg("-c").arg(cubin).output();
        output
            .ok()
            .filter(|output| output.status.success())
            .map(|output| output.stdout)
    };
    let theirs = output(nvdisasm, &[]);
    let ours = output(&arguments.ours, &["--face", "nvdisasm"]);
    totals.listings.1 += 1;
    match theirs.is_some() && ours == theirs {
        true => totals.listings.0 += 1,
        false => totals.listings.2.push(place.to_owned()),
    }
}

/// Compiles, with the time and memory that it takes.
fn compile(program: &Path, words: &[&str], file: &File, sm: Sm, cubin: &Path) -> Made {
    drop(fs::remove_file(cubin));
    let figures = cubin.with_extension("memory");
    // The shell's `times` has milliseconds, and its second line what its children took: the compiler is the only one. What `time` takes itself, more than a
    // small kernel does to compile, so counts for neither; the shell's own memory is less than that of either compiler.
    let output = Command::new("/usr/bin/time")
        .args(["-q", "-f", "%M", "-o"])
        .arg(&figures)
        .args(["bash", "-c", "\"$0\" \"$@\" 2>&1; echo \"status $?\"; times"])
        .arg(program)
        .args(words)
        .args(["-O3", "-v", &format!("-arch={sm}"), "-o"])
        .arg(cubin)
        .arg(&file.path)
        .output();
    let text = match &output {
        Ok(output) => String::from_utf8_lossy(&output.stdout).into_owned(),
        Err(error) => error.to_string(),
    };
    let mut made = Made {
        seconds: text.lines().last().map_or(0.0, seconds),
        memory: fs::read_to_string(&figures)
            .ok()
            .and_then(|text| text.trim().parse().ok())
            .unwrap_or(0),
        ..Made::default()
    };
    let status = text.lines().find_map(|line| line.strip_prefix("status "));
    if status != Some("0") {
        let told = text
            .lines()
            .find(|line| line.contains("error") || line.contains("panicked") || line.contains("fatal"));
        made.error = Some(told.unwrap_or("it failed without a word").to_owned());
        return made;
    }
    match fs::read(cubin)
        .map_err(|error| error.to_string())
        .and_then(|bytes| measure(&bytes, sm))
    {
        Ok(functions) => made.functions = functions,
        Err(error) => made.error = Some(error),
    }
    statistics(&text, &mut made.functions);
    made
}

/// The sum of `0m0.004s 0m0.002s`.
fn seconds(line: &str) -> f64 {
    let number = |word: &str| {
        let (minutes, seconds) = word.trim_end_matches('s').split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    line.split_whitespace().filter_map(number).sum()
}

/// Instructions and bytes of the functions of a cubin.
fn measure(bytes: &[u8], sm: Sm) -> Result<BTreeMap<String, Figures>, String> {
    let cubin = Cubin::read(bytes).map_err(|error| error.to_string())?;
    let mut functions = BTreeMap::new();
    for (section, name) in cubin.functions() {
        let code = cubin.section_bytes(section).unwrap_or_default();
        let words = code.as_chunks::<16>().0.iter().map(|word| u128::from_le_bytes(*word));
        let opcodes: Vec<Option<Opcode>> = words
            .map(|word| {
                Instruction::decode(sm.isa(), word)
                    .ok()
                    .map(|instruction| instruction.opcode())
            })
            .collect();
        // What fills up the section does not count: NOPs, and the endless branch before them.
        let filled = opcodes
            .iter()
            .rposition(|opcode| *opcode != Some(Opcode::Nop))
            .unwrap_or(0);
        let endless = opcodes.get(filled) == Some(&Some(Opcode::Bra));
        functions.insert(
            name.to_owned(),
            Figures {
                instructions: (filled + usize::from(!endless)) as u64,
                bytes: code.len() as u64,
                ..Figures::default()
            },
        );
    }
    Ok(functions)
}

/// Adds what `-v` says.
fn statistics(text: &str, functions: &mut BTreeMap<String, Figures>) {
    let (mut entry, mut function) = (String::new(), String::new());
    for line in text.lines() {
        let numbers: Vec<u64> = line
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|word| word.parse().ok())
            .collect();
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            entry = rest.split('\'').next().unwrap_or_default().to_owned();
        } else if let Some((_, name)) = line.split_once("Function properties for ") {
            function = name.trim().to_owned();
        } else if line.contains("bytes stack frame") {
            if let (Some(figures), [stack, stores, loads, ..]) = (functions.get_mut(&function), &numbers[..]) {
                (figures.stack, figures.spills) = (*stack, stores + loads);
            }
        } else if let Some((_, rest)) = line.split_once("Used ") {
            let count = rest.split_whitespace().next().and_then(|word| word.parse().ok());
            if let (Some(figures), Some(count)) = (functions.get_mut(&entry), count) {
                figures.registers = count;
            }
        }
    }
}

/// Why we refuse, without names and numbers.
fn reason(message: &str) -> String {
    let text = message.split_once("': ").map_or(message, |(_, rest)| rest);
    let text = text.split_once("error   : ").map_or(text, |(_, rest)| rest);
    let mut quoted = false;
    let mut result = String::new();
    for c in text.chars() {
        if c == '\'' {
            quoted = !quoted;
        }
        let c = if c.is_ascii_digit() && text.contains("internal") {
            '#'
        } else {
            c
        };
        let left_out = quoted && c != '\'' || c == '#' && result.ends_with('#');
        if !left_out {
            result.push(c);
        }
    }
    result
}

/// One of the figures.
type Get = fn(&Figures) -> u64;

/// The geometric mean of ratios.
fn mean(ratios: impl Iterator<Item = f64>) -> f64 {
    let logarithms: Vec<f64> = ratios.filter(|ratio| *ratio > 0.0).map(f64::ln).collect();
    (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp()
}

fn ratio(ours: u64, theirs: u64) -> f64 {
    ours.max(1) as f64 / theirs.max(1) as f64
}

impl Totals {
    fn report(&self) -> String {
        let mut text = String::from("\n## Compiled, of what ptxas compiles\n");
        for (name, (good, all)) in self.targets.iter().chain(&self.origins) {
            let _ = writeln!(text, "{name:<24} {good:>6} / {all}");
        }
        let _ = writeln!(text, "compiled by us and refused by ptxas: {}", self.only_ours);
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        for (reason, (count, place)) in reasons.iter().take(40) {
            let _ = writeln!(text, "{count:>6} × {reason} ({place})");
        }
        self.code(&mut text);
        let average = |list: &[u64]| list.iter().sum::<u64>() as f64 / list.len().max(1) as f64 / 1024.0;
        let most = |list: &[u64]| list.iter().max().copied().unwrap_or(0) as f64 / 1024.0;
        let [ours, theirs] = self.seconds;
        let _ = writeln!(
            text,
            "\n## Cost, of {} compilations that both did\nprocessor time: ours {ours:.1} s, ptxas {theirs:.1} s: {:.2} times less",
            self.memory[0].len(),
            theirs / ours.max(0.001)
        );
        let _ = writeln!(
            text,
            "memory: ours {:.0} MiB on average, {:.0} at most; ptxas {:.0} and {:.0}",
            average(&self.memory[0]),
            most(&self.memory[0]),
            average(&self.memory[1]),
            most(&self.memory[1])
        );
        let (equal, all, different) = &self.listings;
        if *all > 0 {
            let _ = writeln!(text, "\n## Listings\n{equal} of {all} are nvdisasm's");
            for place in different.iter().take(10) {
                let _ = writeln!(text, "different: {place}");
            }
        }
        text
    }

    /// Code quality.
    fn code(&self, text: &mut String) {
        let _ = writeln!(
            text,
            "\n## Code, ours / ptxas -O3 (geometric means over functions)\nSM        functions  instructions  registers  bytes"
        );
        let mut line = |name: &str, pairs: &[&Pair]| {
            let of = |get: &dyn Fn(&Figures) -> u64| {
                mean(pairs.iter().map(|pair| ratio(get(&pair.ours), get(&pair.theirs))))
            };
            let entries = pairs
                .iter()
                .filter(|pair| pair.ours.registers > 0 && pair.theirs.registers > 0);
            let registers = mean(entries.map(|pair| ratio(pair.ours.registers, pair.theirs.registers)));
            let _ = writeln!(
                text,
                "{name:<9} {:>9}  {:>12.3}  {registers:>9.3}  {:>5.3}",
                pairs.len(),
                of(&|figures| figures.instructions),
                of(&|figures| figures.bytes)
            );
        };
        let all: Vec<&Pair> = self.pairs.iter().collect();
        line("all", &all);
        for name in self.targets.keys() {
            let own: Vec<&Pair> = all
                .iter()
                .copied()
                .filter(|pair| pair.sm.to_string() == *name)
                .collect();
            line(name, &own);
        }
        for origin in self.origins.keys() {
            let own: Vec<&Pair> = all
                .iter()
                .copied()
                .filter(|pair| pair.place.rsplit_once('/').is_some_and(|(start, _)| start == origin))
                .collect();
            line(origin, &own);
        }
        let sum = |get: &dyn Fn(&Pair) -> u64| all.iter().map(|pair| get(pair)).sum::<u64>();
        let _ = writeln!(
            text,
            "spill bytes: ours {}, ptxas {}; functions that spill where ptxas does not: {}\nstack bytes: ours {}, ptxas {}",
            sum(&|pair| pair.ours.spills),
            sum(&|pair| pair.theirs.spills),
            all.iter()
                .filter(|pair| pair.ours.spills > 0 && pair.theirs.spills == 0)
                .count(),
            sum(&|pair| pair.ours.stack),
            sum(&|pair| pair.theirs.stack)
        );
        let kinds: [(&str, Get); 2] = [
            ("instructions", |figures| figures.instructions),
            ("registers", |figures| figures.registers),
        ];
        for (name, get) in kinds {
            let mut worst: Vec<&Pair> = all.iter().copied().filter(|pair| get(&pair.theirs) > 0).collect();
            worst.sort_by(|a, b| ratio(get(&b.ours), get(&b.theirs)).total_cmp(&ratio(get(&a.ours), get(&a.theirs))));
            let _ = writeln!(text, "worst by {name}:");
            for pair in worst.iter().take(10) {
                let (ours, theirs) = (get(&pair.ours), get(&pair.theirs));
                let _ = writeln!(
                    text,
                    "  {:>6.2}  {ours} for {theirs}  {} {}",
                    ratio(ours, theirs),
                    pair.sm,
                    pair.place
                );
            }
        }
    }

    /// A line for each function.
    fn list(&self) -> String {
        let mut text =
            String::from("sm\tfunction\tinstructions\tptxas\tregisters\tptxas\tspills\tptxas\tstack\tptxas\n");
        for Pair {
            place,
            sm,
            ours,
            theirs,
        } in &self.pairs
        {
            let _ = writeln!(
                text,
                "{sm}\t{place}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
                ours.instructions,
                theirs.instructions,
                ours.registers,
                theirs.registers,
                ours.spills,
                theirs.spills,
                ours.stack,
                theirs.stack
            );
        }
        text
    }
}
