//! Single instructions with many operand values: PTX in the interpreter against ptxas' code in the emulator.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::{self, Write as _},
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use warpsmith_cubin::Cubin;
use warpsmith_emu::{Device, Launch, Options, ptx as interpreter, sass};
use warpsmith_gpu::Extents;
use warpsmith_ptx::{Severity, examples};

use super::{
    body::{AREA, CTA, Case, HEAD_LINES, SLOT, head, not_covered},
    guarded,
    ptxas::Ptxas,
    reason,
    values::{Meaning, THREADS, meaning, operand, width},
};
use crate::{gpu, ptx_agreement::ours::gates};

/// Kernels of one compilation.
const BATCH: usize = 64;

/// Warp instructions of a run: more than any needs.
const BUDGET: u64 = 1_000_000;

/// What became of an instruction on an SM.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Everything written is equal.
    Equal,
    /// So many threads have other results; the first in words.
    Different(usize, String),
    /// The same, but where results differ both are NaNs, whose bits the manual leaves open for most instructions.
    Nan(usize, String),
    /// Different, because ptxas departs from the manual.
    Departure(usize, String),
    /// The emulator stopped, the interpreter did not.
    Emulator(String),
    /// The interpreter stopped, the emulator did not.
    Interpreter(String),
    /// Both stopped.
    Both(String, String),
    /// ptxas refuses it.
    Refused(String),
    /// This comparison cannot express it.
    NotCovered(String),
}

/// What is compared.
#[derive(Debug, Default)]
pub struct Inputs {
    /// Only instructions that contain one of these.
    pub only: Vec<String>,
    /// More lines, each with the targets that accept it.
    pub more: Vec<(String, Vec<String>)>,
    /// The number of the set of random values.
    pub seed: u64,
    /// Compiler level.
    pub level: String,
    /// Machine code runs in checked mode.
    pub hazards: bool,
    /// Machine code runs on the first GPU, not in the emulator.
    pub gpu: bool,
    /// Which part of so many is compared; `(0, 1)` is all.
    pub share: (usize, usize),
    /// Where each instruction that is not equal is written, as soon as it is known.
    pub details: Option<PathBuf>,
}

/// Reads `accepted targets TAB message TAB body` lines.
///
/// # Errors
/// A file that cannot be read.
pub fn read(path: &Path) -> Result<Vec<(String, Vec<String>)>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    Ok(lines
        .filter_map(|line| {
            let mut columns = line.splitn(3, '\t');
            let targets = columns.next()?.split(',').map(str::to_owned).collect();
            Some((columns.nth(1)?.to_owned(), targets))
        })
        .collect())
}

/// Instructions for which ptxas 13.0 makes code that does something else than the manual says, or that the manual does not have and ptxas
/// accepts by accident: start of the mnemonic, a part of it, what the code shows. The emulator rightly does what the code says.
const DEPARTURES: &[(&str, &str, &str)] = &[
    ("bfi.b64", "", "positions and lengths above 255 are not cut to 8 bits"),
    ("fns.b32", "", "an offset of -2147483648 overflows"),
    ("fma.rm", "bf16", "not in the manual; operands are taken as f16"),
    ("fma.rp", "bf16", "not in the manual; operands are taken as f16"),
    ("fma.rz", "bf16", "not in the manual; operands are taken as f16"),
    ("madc.hi", "16", "not in the manual; the product is not shifted"),
    ("rcp.", "ftz.f64", "not in the manual; nothing is flushed"),
    ("st.", ".v8.b8", "not in the manual for this target; one byte is stored"),
    ("vadd.u32.u32.u32", "", "bit 33 of the sum is lost"),
    ("vsub.u32.u32.u32", "", "bit 33 of the difference is lost"),
    ("vshl.u32.u32.u32", "", "bits above 31 take part"),
    ("vmad.u32.u32.u32", "", "factors are taken as signed"),
    (
        "cvt.rn.satfinite.f16.f32",
        "",
        "not in the manual for sm_75; an instruction that the chip does not have",
    ),
];

/// Why ptxas' code for an instruction differs from the manual, if that is known.
fn departure(text: &str) -> Option<&'static str> {
    let found = DEPARTURES
        .iter()
        .find(|(start, part, _)| text.starts_with(start) && text.contains(part));
    let fourth = text.starts_with("atom.") && text.matches(", ").count() == 3;
    let accepted = text.contains(".cas") || text.contains("cache_hint") || text.contains('{');
    match fourth && !accepted {
        true => Some("not in the manual: a fourth operand"),
        false => found.map(|(_, _, why)| *why),
    }
}

/// What was found.
#[derive(Debug, Default)]
pub struct Report {
    /// By target, then by instruction.
    pub found: BTreeMap<String, Vec<(String, Outcome)>>,
}

/// Compares on these targets.
///
/// # Errors
/// Where files cannot be written.
pub fn compare(ptxas: &Ptxas, targets: &[String], inputs: &Inputs) -> Result<Report, String> {
    let mut report = Report::default();
    for target in targets {
        let mut found = Vec::new();
        let mut cases = Vec::new();
        for text in lines(target, inputs) {
            match not_covered(&text) {
                Some(why) => found.push((text, Outcome::NotCovered(why.to_owned()))),
                None => cases.push(Case::new(&text)),
            }
        }
        let cases = learn(target, cases, &mut found);
        let mut told = 0;
        let (own, all) = inputs.share;
        for (number, batch) in cases.chunks(BATCH).enumerate() {
            if number % all.max(1) != own {
                continue;
            }
            let batch: Vec<&Case> = batch.iter().collect();
            run_batch(ptxas, target, &format!("snippets{number}"), &batch, inputs, &mut found);
            if let Some(path) = &inputs.details {
                let text = details(target, &found[told..]);
                let file = fs::File::options().append(true).create(true).open(path);
                file.and_then(|mut file| file.write_all(text.as_bytes()))
                    .map_err(|error| format!("{}: {error}", path.display()))?;
                told = found.len();
            }
        }
        report.found.insert(target.clone(), found);
    }
    Ok(report)
}

/// The instructions for a target, each once.
fn lines(target: &str, inputs: &Inputs) -> BTreeSet<String> {
    let gates = gates(target, "9.0", false);
    let examples = examples::forms().flat_map(|form| examples::legal(form, gates));
    let table = examples.map(|example| example.text);
    let more = inputs
        .more
        .iter()
        .filter(|(_, targets)| targets.iter().any(|own| own == target));
    let all = table.chain(more.map(|(text, _)| text.clone()));
    all.filter(|text| inputs.only.is_empty() || inputs.only.iter().any(|part| text.contains(part.as_str())))
        .collect()
}

/// Parses every case, so that it knows what it writes; those that our own checker refuses are not covered.
fn learn(target: &str, cases: Vec<Case>, found: &mut Vec<(String, Outcome)>) -> Vec<Case> {
    let start = head(target);
    let mut good = Vec::new();
    for mut case in cases {
        let text = start.clone() + &case.probe("k");
        let parsed = warpsmith_ptx::parse(text.as_bytes());
        let error = parsed
            .problems
            .iter()
            .find(|problem| problem.severity != Severity::Warning);
        let body = parsed
            .module
            .functions
            .first()
            .and_then(|function| function.body.as_ref());
        match (error, body) {
            (None, Some(body)) => {
                case.learn(&parsed.module, body);
                good.push(case);
            }
            (Some(problem), _) => found.push((
                case.text,
                Outcome::NotCovered(format!("in a kernel of its own: {}", problem.vendor_text())),
            )),
            (None, None) => found.push((case.text, Outcome::NotCovered("no body".to_owned()))),
        }
    }
    good
}

/// Compiles and runs cases; where ptxas refuses some, the others without them.
fn run_batch(
    ptxas: &Ptxas,
    target: &str,
    name: &str,
    cases: &[&Case],
    inputs: &Inputs,
    found: &mut Vec<(String, Outcome)>,
) {
    if cases.is_empty() {
        return;
    }
    let mut text = head(target);
    for (number, case) in cases.iter().enumerate() {
        text.push_str(&case.kernel(&format!("k{number}")));
    }
    let path = match ptxas.cubin(name, &text, target, &inputs.level) {
        Ok(path) => path,
        Err(message) => {
            let mut faulty = BTreeMap::new();
            for line in message.lines() {
                let number = line
                    .split(", line ")
                    .nth(1)
                    .and_then(|rest| rest.split(';').next()?.trim().parse::<usize>().ok());
                if let Some(index) = number
                    .and_then(|number| number.checked_sub(HEAD_LINES + 1))
                    .filter(|index| *index < cases.len())
                {
                    faulty.entry(index).or_insert_with(|| line.to_owned());
                }
            }
            if faulty.is_empty() && cases.len() == 1 {
                found.push((cases[0].text.clone(), Outcome::Refused(reason(&message))));
            } else if faulty.is_empty() {
                let (left, right) = cases.split_at(cases.len() / 2);
                run_batch(ptxas, target, &format!("{name}l"), left, inputs, found);
                run_batch(ptxas, target, &format!("{name}r"), right, inputs, found);
            } else {
                for (index, line) in &faulty {
                    let said = line
                        .split_once("error")
                        .map_or(line.as_str(), |(_, rest)| rest.trim_start_matches([' ', ':']));
                    found.push((cases[*index].text.clone(), Outcome::Refused(said.to_owned())));
                }
                let rest: Vec<&Case> = (0..)
                    .zip(cases)
                    .filter(|(index, _)| !faulty.contains_key(index))
                    .map(|(_, case)| *case)
                    .collect();
                run_batch(ptxas, target, &format!("{name}x"), &rest, inputs, found);
            }
            return;
        }
    };
    match guarded(|| Pair::load(&text, &path, inputs.gpu)) {
        Ok(mut pair) => {
            for (number, case) in cases.iter().enumerate() {
                let outcome = pair.compare(case, &format!("k{number}"), inputs);
                found.push((case.text.clone(), outcome));
            }
        }
        Err(_) if cases.len() > 1 => {
            let (left, right) = cases.split_at(cases.len() / 2);
            run_batch(ptxas, target, &format!("{name}l"), left, inputs, found);
            run_batch(ptxas, target, &format!("{name}r"), right, inputs, found);
        }
        Err(message) => found.push((cases[0].text.clone(), Outcome::Both(message.clone(), message))),
    }
}

/// A module in both, each with a device of its own.
struct Pair {
    devices: [Device; 2],
    ptx: interpreter::Loaded,
    machine: Machine,
}

/// Machine code and where it runs.
enum Machine {
    Emulated(Box<sass::Loaded>),
    OnGpu(Vec<u8>),
}

/// What a case reads and writes.
struct Buffers {
    values: Vec<u8>,
    areas: Vec<u8>,
}

impl Pair {
    fn load(text: &str, cubin: &Path, gpu: bool) -> Result<Pair, String> {
        let mut devices = [Device::new(), Device::new()];
        let parsed = warpsmith_ptx::parse(text.as_bytes());
        if let Some(problem) = parsed
            .problems
            .iter()
            .find(|problem| problem.severity != Severity::Warning)
        {
            return Err(problem.vendor_text().to_owned());
        }
        let ptx = interpreter::load(&mut devices[0], &parsed.module).map_err(|fault| fault.to_string())?;
        let bytes = fs::read(cubin).map_err(|error| error.to_string())?;
        let machine = if gpu {
            Machine::OnGpu(bytes)
        } else {
            let cubin = Cubin::read(&bytes).map_err(|error| error.to_string())?;
            let loaded = sass::load(&mut devices[1], &cubin).map_err(|fault| fault.to_string())?;
            Machine::Emulated(Box::new(loaded))
        };
        Ok(Pair { devices, ptx, machine })
    }

    fn compare(&mut self, case: &Case, kernel: &str, inputs: &Inputs) -> Outcome {
        let seed = inputs.seed;
        let operands: Vec<Vec<u128>> = (0..)
            .zip(&case.values)
            .map(|(slot, value)| operand(meaning(value.register, &case.text), slot, seed))
            .collect();
        let buffers = Buffers {
            values: operands
                .iter()
                .flatten()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
            areas: areas(case, seed),
        };
        let options = Options {
            step_budget: BUDGET,
            ..Options::default()
        };
        let checked = Options {
            check_hazards: inputs.hazards,
            ..options.clone()
        };
        let [first, second] = &mut self.devices;
        let (ptx, machine) = (&self.ptx, &self.machine);
        let interpreted = guarded(|| {
            run(first, &buffers, kernel, |device, launch| {
                interpreter::run(device, ptx, launch, &options)
                    .map(drop)
                    .map_err(|failure| failure.to_string())
            })
        });
        let emulated = guarded(|| match machine {
            Machine::Emulated(machine) => run(second, &buffers, kernel, |device, launch| {
                sass::run(device, machine, launch, &checked)
                    .map(drop)
                    .map_err(|failure| failure.to_string())
            }),
            Machine::OnGpu(cubin) => run_on_gpu(&buffers, cubin, kernel),
        });
        match (interpreted, emulated) {
            (Err(_), _) if departure(&case.text).is_some() => {
                Outcome::NotCovered(departure(&case.text).unwrap_or_default().to_owned())
            }
            (Ok(ours), Ok(theirs)) => difference(case, &operands, &buffers, &ours, &theirs),
            (Ok(_), Err(message)) => Outcome::Emulator(reason(&message)),
            (Err(message), Ok(_)) => Outcome::Interpreter(reason(&message)),
            (Err(ours), Err(theirs)) => Outcome::Both(reason(&ours), reason(&theirs)),
        }
    }
}

/// Results, then areas.
type Memory = [Vec<u8>; 2];

/// Runs a kernel on buffers of its own, which are given back.
fn run(
    device: &mut Device,
    buffers: &Buffers,
    kernel: &str,
    launch: impl FnOnce(&mut Device, &Launch) -> Result<(), String>,
) -> Result<Memory, String> {
    let sizes = [buffers.values.len(), buffers.values.len(), buffers.areas.len()];
    let places = sizes.map(|size| device.allocate(size.max(16) as u64, 256));
    let said = |fault: warpsmith_emu::Fault| fault.to_string();
    device.write(places[0], &buffers.values).map_err(said)?;
    device.write(places[1], &vec![0; sizes[1]]).map_err(said)?;
    device.write(places[2], &buffers.areas).map_err(said)?;
    let result = launch(
        device,
        &Launch {
            grid: [(THREADS / CTA) as u32, 1, 1],
            block: [CTA as u32, 1, 1],
            arguments: places.map(|place| place.to_le_bytes().to_vec()).to_vec(),
            ..Launch::of(kernel)
        },
    );
    let memory = [1, 2].map(|index| device.read(places[index], sizes[index] as u64).unwrap_or_default());
    for place in places {
        device.free(place).map_err(said)?;
    }
    result.map(|()| memory)
}

/// The same on a GPU.
fn run_on_gpu(buffers: &Buffers, cubin: &[u8], kernel: &str) -> Result<Memory, String> {
    let contents = [&buffers.values, &vec![0; buffers.values.len()], &buffers.areas];
    let job = gpu::Job {
        cubin,
        kernel,
        extents: Extents {
            grid: [(THREADS / CTA) as u32, 1, 1],
            block: [CTA as u32, 1, 1],
            ..Extents::default()
        },
        arguments: contents.map(|content| gpu::Argument::Buffer(content.clone())).to_vec(),
    };
    let mut left = gpu::run(&job)?.into_iter().skip(1);
    Ok([(); 2].map(|()| left.next().unwrap_or_default()))
}

/// The content of the threads' areas: values as the instruction takes them.
fn areas(case: &Case, seed: u64) -> Vec<u8> {
    let meaning = meaning("b32", &case.text);
    let meaning = if case.text.contains(".f64") {
        Meaning::Double
    } else {
        meaning
    };
    let bytes = if meaning == Meaning::Double { 8 } else { 4 };
    let pieces: Vec<Vec<u128>> = (0..AREA / bytes)
        .map(|piece| operand(meaning, 100 + piece, seed))
        .collect();
    let threads = (0..THREADS).flat_map(|thread| pieces.iter().map(move |piece| piece[thread]));
    threads
        .flat_map(|value| value.to_le_bytes()[..bytes].to_vec())
        .collect()
}

fn difference(case: &Case, operands: &[Vec<u128>], buffers: &Buffers, ours: &Memory, theirs: &Memory) -> Outcome {
    let mut different = BTreeMap::new();
    // Whether every difference is one between NaNs.
    let mut nans = true;
    for (slot, value) in case.values.iter().enumerate().filter(|(_, value)| value.written) {
        let bytes = (width(value.register) as usize).div_ceil(8);
        for thread in 0..THREADS {
            let place = slot * SLOT + thread * 16;
            let [a, b] = [ours, theirs].map(|memory| number(&memory[0], place, bytes));
            if a != b {
                nans &= both_nan(result_meaning(value.register, &case.text), a, b);
                different
                    .entry(thread)
                    .or_insert_with(|| format!("{} is {a:#x} interpreted, {b:#x} emulated", value.name));
            }
        }
    }
    for thread in 0..THREADS {
        for place in (thread * AREA..(thread + 1) * AREA).step_by(4) {
            let [old, a, b] = [&buffers.areas, &ours[1], &theirs[1]].map(|memory| number(memory, place, 4));
            if a != b {
                nans = false;
                let text = || {
                    format!(
                        "word at {} was {old:#x}, is {a:#x} interpreted, {b:#x} emulated",
                        place % AREA
                    )
                };
                different.entry(thread).or_insert_with(text);
            }
        }
    }
    let Some((thread, text)) = different.first_key_value() else {
        return Outcome::Equal;
    };
    let mut text = format!("thread {thread}: {text}; ");
    for (value, numbers) in case.values.iter().zip(operands) {
        let bits = width(value.register);
        let mask = if bits >= 128 { u128::MAX } else { (1 << bits) - 1 };
        let _ = write!(text, "{}={:#x} ", value.name, numbers[*thread] & mask);
    }
    let text = text.trim_end().to_owned();
    if let Some(why) = departure(&case.text) {
        return Outcome::Departure(different.len(), format!("{why}; {text}"));
    }
    match nans {
        true => Outcome::Nan(different.len(), text),
        false => Outcome::Different(different.len(), text),
    }
}

/// How a result is meant: the first type of a conversion, else as operands are.
fn result_meaning(register: &str, text: &str) -> Meaning {
    let mnemonic = text.split_whitespace().next().unwrap_or_default();
    let types = mnemonic.split('.').skip(1).filter(|part| {
        part.starts_with(['f', 'b', 's', 'u']) && part.ends_with(|c: char| c.is_ascii_digit() || c == 'x')
    });
    match types.map(|part| part.trim_end_matches("x2")).next() {
        Some("f16") => Meaning::Half,
        Some("bf16") => Meaning::Bfloat,
        Some("f32") => Meaning::Single,
        Some("f64") => Meaning::Double,
        _ => meaning(register, text),
    }
}

/// Whether two results are equal but for the bits of NaNs.
fn both_nan(meaning: Meaning, a: u128, b: u128) -> bool {
    let (bits, infinity) = match meaning {
        Meaning::Half => (16, 0x7c00),
        Meaning::Bfloat => (16, 0x7f80),
        Meaning::Single => (32, 0x7f80_0000),
        Meaning::Double => (64, 0x7ff0_0000_0000_0000),
        Meaning::Integer(_) | Meaning::Bytes => return false,
    };
    let mask = (1_u128 << bits) - 1;
    let is_nan = |value: u128| value & (mask >> 1) > infinity;
    (0..128 / bits).all(|part| {
        let [a, b] = [a, b].map(|value| value >> (part * bits) & mask);
        a == b || (is_nan(a) && is_nan(b))
    })
}

fn number(memory: &[u8], place: usize, bytes: usize) -> u128 {
    let bytes = memory.get(place..place + bytes).unwrap_or_default();
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u128::from(*byte))
}

/// Every instruction that is not equal, one line each: target, opcode, what happened, instruction, more.
fn details(target: &str, found: &[(String, Outcome)]) -> String {
    let mut text = String::new();
    for (instruction, outcome) in found {
        let (word, more) = match outcome {
            Outcome::Equal => continue,
            Outcome::Different(threads, first) => ("different", format!("{threads} threads; {first}")),
            Outcome::Nan(threads, first) => ("NaN bits", format!("{threads} threads; {first}")),
            Outcome::Departure(threads, first) => ("ptxas departs", format!("{threads} threads; {first}")),
            Outcome::Emulator(why) => ("emulator", why.clone()),
            Outcome::Interpreter(why) => ("interpreter", why.clone()),
            Outcome::Both(one, other) => ("both", format!("{one} / {other}")),
            Outcome::Refused(why) => ("refused", why.clone()),
            Outcome::NotCovered(why) => ("not covered", why.clone()),
        };
        let _ = writeln!(text, "{target}\t{}\t{word}\t{instruction}\t{more}", opcode(instruction));
    }
    text
}

/// The opcode of an instruction.
fn opcode(text: &str) -> &str {
    let text = text.trim_start_matches('{').trim_start();
    let word = match text.strip_prefix('@') {
        Some(rest) => rest.split_whitespace().nth(1).unwrap_or_default(),
        None => text.split_whitespace().next().unwrap_or_default(),
    };
    word.split(['.', ';']).next().unwrap_or_default()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "target    equal / compared   NaN bits  ptxas departs  different  emulator  interpreter  both stop  refused  not covered"
        )?;
        for (target, found) in &self.found {
            let count = |is: fn(&Outcome) -> bool| found.iter().filter(|(_, outcome)| is(outcome)).count();
            let equal = count(|outcome| matches!(outcome, Outcome::Equal));
            let different = count(|outcome| matches!(outcome, Outcome::Different(..)));
            let departures = count(|outcome| matches!(outcome, Outcome::Departure(..)));
            let nan = count(|outcome| matches!(outcome, Outcome::Nan(..)));
            let emulator = count(|outcome| matches!(outcome, Outcome::Emulator(_)));
            let interpreter = count(|outcome| matches!(outcome, Outcome::Interpreter(_)));
            let both = count(|outcome| matches!(outcome, Outcome::Both(..)));
            let refused = count(|outcome| matches!(outcome, Outcome::Refused(_)));
            let rest = count(|outcome| matches!(outcome, Outcome::NotCovered(_)));
            let compared = equal + nan + departures + different + emulator + interpreter + both;
            writeln!(
                f,
                "{target:<9} {equal:>5} / {compared:<8}  {nan:>8}  {departures:>13}  {different:>9}  {emulator:>8}  {interpreter:>11}  {both:>9}  {refused:>7}  {rest:>11}"
            )?;
        }
        // By opcode, over all targets.
        let mut opcodes: BTreeMap<&str, (usize, usize, BTreeMap<String, usize>)> = BTreeMap::new();
        for (instruction, outcome) in self.found.values().flatten() {
            let (equal, all, reasons) = opcodes.entry(opcode(instruction)).or_default();
            let why = match outcome {
                Outcome::Equal => {
                    *equal += 1;
                    *all += 1;
                    continue;
                }
                Outcome::Different(..) => "different".to_owned(),
                Outcome::Nan(..) => "NaN bits".to_owned(),
                Outcome::Departure(..) => "ptxas departs from the manual".to_owned(),
                Outcome::Emulator(why) => format!("emulator: {why}"),
                Outcome::Interpreter(why) => format!("interpreter: {why}"),
                Outcome::Both(one, other) => format!("both: {one} / {other}"),
                Outcome::Refused(_) | Outcome::NotCovered(_) => continue,
            };
            *all += 1;
            *reasons.entry(why).or_default() += 1;
        }
        for (opcode, (equal, all, reasons)) in opcodes.iter().filter(|(_, (_, all, _))| *all > 0) {
            writeln!(f, "{opcode:<12} {equal:>5} / {all}")?;
            for (why, count) in reasons {
                writeln!(f, "      {count:>5} × {why}")?;
            }
        }
        Ok(())
    }
}
