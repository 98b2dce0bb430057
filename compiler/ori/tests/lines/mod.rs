//! Instruction lines with their operands, compiled and run in the SASS emulator in checked mode, against the PTX interpreter.
//!
//! A line is a mnemonic and a signature, `result:operands`, one letter for each:
//! `f` f32, `d` f64, `h` f16, `b` bf16, `x` f16x2, `y` bf16x2, `q` f32x2, `s` 16-bit, `i` 32-bit and `l` 64-bit integers, `c` 8-bit integers in 16-bit
//! registers, `e` pairs of 8-bit and `n` of 4-bit floating-point values, `p` predicates. `~` after the result: NaN results may differ.

use warpsmith_emu::{Device, Launch, Options, ptx, sass};
use warpsmith_target::Sm;

/// Threads that run each line.
const THREADS: usize = 1024;
/// Values that meet in all pairs; later threads take pairs of random values.
const EDGES: usize = 24;

/// A target of every encoding generation.
pub(crate) const TARGETS: [&str; 9] = [
    "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120",
];

/// The same generations with the instructions that only the architecture itself has.
#[allow(dead_code)]
pub(crate) const OWN_TARGETS: [&str; 5] = ["sm_90a", "sm_100a", "sm_103a", "sm_110a", "sm_120a"];

fn mix(seed: u64) -> u64 {
    let x = seed
        .wrapping_add(0x9e37_79b9_7f4a_7c15)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 29).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 32
}

/// Edge values of a binary format: zeros, subnormals, limits, halves, neighbours, NaNs.
fn edges(mantissa: u32, exponent: u32) -> Vec<u64> {
    let sign = 1_u64 << (mantissa + exponent);
    let bias = (1_u64 << (exponent - 1)) - 1;
    let one = bias << mantissa;
    let infinity = ((1_u64 << exponent) - 1) << mantissa;
    let least = 1_u64 << mantissa;
    let positive = [
        0,
        1,
        least - 1,
        least,
        one - 1,
        one,
        one + 1,
        (bias - 1) << mantissa,
        (bias << mantissa) | 1 << (mantissa - 1),
        ((bias + 1) << mantissa) | 1 << (mantissa - 2),
        infinity - 1,
        infinity,
        infinity | 1 << (mantissa - 1) | 5,
        infinity - least,
        (bias + 3) << mantissa | (least - 1),
    ];
    let negative = [0, 2, 3, 5, 7, 8, 9, 11, 10].map(|index: usize| positive[index] | sign);
    positive.into_iter().chain(negative).collect()
}

/// A value of a kind of operand for a thread.
fn value(code: char, position: usize, thread: usize) -> u64 {
    let (index, random) = match (thread < EDGES * EDGES, position) {
        (true, 0) => (thread % EDGES, 0),
        (true, 1) => (thread / EDGES, 0),
        (true, _) => ((thread * 7 + thread / EDGES * 5 + 3) % EDGES, 0),
        (false, position) => (usize::MAX, mix((thread * 4 + position) as u64)),
    };
    let close = |bits: u64, mantissa: u32, bias: u64| {
        // Half of the random values have middling exponents.
        if thread.is_multiple_of(2) {
            bits
        } else {
            let low = bits & ((1 << mantissa) - 1);
            (bits >> 63) << (mantissa + (64 - (bias * 2 + 1).leading_zeros()))
                | (bias - 8 + (bits >> 50) % 40) << mantissa
                | low
        }
    };
    let pick = |list: &[u64], other: u64| list.get(index).copied().unwrap_or(other);
    let pair = |mantissa, exponent: u32| {
        let list = edges(mantissa, exponent);
        let low = pick(&list, random & 0xffff);
        let high = if index < EDGES {
            list[(index * 5 + 7) % EDGES]
        } else {
            random >> 16 & 0xffff
        };
        high << 16 | low
    };
    let integers = |bits: u32| {
        let top = 1_u64 << (bits - 1);
        let list = [
            0,
            1,
            2,
            3,
            0x7f,
            0x80,
            0x81,
            0xff,
            0x100,
            0x7fff,
            0x8000,
            0xffff,
            0x1_0000,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
            0x1_0000_0000,
            top - 1,
            top,
            top + 1,
            u64::MAX,
            u64::MAX - 1,
            0x0100_0001,
            0xffff_ff7f_ffff_ff80,
        ];
        pick(&list, random) & (u64::MAX >> (64 - bits))
    };
    match code {
        'f' => pick(&edges(23, 8), close(random, 23, 127) & 0xffff_ffff),
        'd' => pick(&edges(52, 11), close(random, 52, 1023)),
        'h' => pick(&edges(10, 5), random & 0xffff),
        'b' => pick(&edges(7, 8), random & 0xffff),
        'x' => pair(10, 5),
        'y' => pair(7, 8),
        'q' => {
            let list = edges(23, 8);
            let low = pick(&list, random & 0xffff_ffff);
            low | if index < EDGES {
                list[(index * 5 + 7) % EDGES]
            } else {
                random >> 32
            } << 32
        }
        's' => integers(16),
        'i' => integers(32),
        'l' => integers(64),
        'c' => integers(8),
        'e' => (thread as u64).wrapping_mul(0x9e3d) & 0xffff,
        'n' => (thread as u64).wrapping_mul(0x9d) & 0xff,
        _ => random & 1 | (index & 1) as u64,
    }
}

fn bits(code: char) -> u32 {
    match code {
        'n' => 8,
        'c' | 'h' | 'b' | 's' | 'e' => 16,
        'd' | 'q' | 'l' => 64,
        _ => 32,
    }
}

/// A line with its result and operands.
struct Line<'l> {
    mnemonic: &'l str,
    result: char,
    any_nan: bool,
    operands: Vec<char>,
}

fn line(text: &str) -> Line<'_> {
    let (mnemonic, signature) = text.split_once(' ').expect("a signature");
    let (result, operands) = signature.split_once(':').expect("a result");
    Line {
        mnemonic,
        result: result.chars().next().expect("a result"),
        any_nan: result.ends_with('~'),
        operands: operands.chars().collect(),
    }
}

const CODES: [char; 14] = ['f', 'd', 'h', 'b', 'x', 'y', 'q', 's', 'i', 'l', 'c', 'e', 'n', 'p'];

fn slot(code: char, position: usize) -> usize {
    let code = CODES.iter().position(|known| *known == code).expect("a known letter");
    (code * 3 + position) * THREADS * 8
}

/// The PTX of one line for thread `%r1`, whose results go to the buffer at `%d1`.
fn text_of(line: &Line<'_>, index: usize) -> String {
    let mut text = String::new();
    let mut names = Vec::new();
    for (position, code) in line.operands.iter().enumerate() {
        let offset = slot(*code, position);
        let size = bits(*code);
        let name = format!("%o{size}_{index}_{position}");
        text += &format!(".reg .b{size} {name}; ld.global.b{size} {name}, [%d2+{offset}];\n");
        if *code == 'p' {
            let predicate = format!("%p_{index}_{position}");
            text += &format!(".reg .pred {predicate}; setp.ne.s32 {predicate}, {name}, 0;\n");
            names.push(predicate);
        } else {
            names.push(name);
        }
    }
    let size = bits(line.result);
    let result = if line.result == 'p' {
        format!("%p{index}")
    } else {
        format!("%v{size}_{index}")
    };
    let class = if line.result == 'p' {
        "pred".to_string()
    } else {
        format!("b{size}")
    };
    text += &format!(
        ".reg .{class} {result}; {} {result}, {};\n",
        line.mnemonic,
        names.join(", ")
    );
    let mut stored = result.clone();
    if line.result == 'p' {
        stored = format!("%t{index}");
        text += &format!(".reg .b32 {stored}; selp.f32 {stored}, 0f3F800000, 0f00000000, {result};\n");
    }
    let place = index * THREADS * 8;
    text += &format!("st.global.b{size} [%d1+{place}], {stored};\n");
    text
}

fn module(lines: &[(usize, Line<'_>)], target: &str) -> String {
    let body: String = lines
        .iter()
        .enumerate()
        .map(|(index, (_, line))| text_of(line, index))
        .collect();
    format!(
        ".version 9.5\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in) {{
        .reg .b32 %r<9>; .reg .b64 %d<9>;
        ld.param.u64 %d3, [out]; ld.param.u64 %d4, [in];
        mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
        mad.lo.u32 %r1, %r2, %r3, %r4;
        mul.wide.u32 %d5, %r1, 8;
        add.u64 %d1, %d3, %d5; add.u64 %d2, %d4, %d5;
        {body} ret; }}\n"
    )
}

fn launch(device: &mut Device, input: &[u8], size: usize) -> (Launch, u64) {
    let out = device.allocate(size as u64, 16);
    let data = device.allocate(input.len() as u64, 16);
    assert_eq!(device.write(data, input), Ok(()));
    let launch = Launch {
        block: [128, 1, 1],
        grid: [THREADS as u32 / 128, 1, 1],
        arguments: vec![out.to_le_bytes().to_vec(), data.to_le_bytes().to_vec()],
        ..Launch::of("k")
    };
    (launch, out)
}

/// Runs lines, as many in a kernel as registers allow, on the targets that have them; each must be had by one.
pub(crate) fn agree(targets: &[&str], texts: &[&str]) {
    let mut input = vec![0; CODES.len() * 3 * THREADS * 8];
    for code in CODES {
        for position in 0..3 {
            for thread in 0..THREADS {
                let at = slot(code, position) + thread * 8;
                input[at..at + 8].copy_from_slice(&value(code, position, thread).to_le_bytes());
            }
        }
    }
    let mut had = vec![false; texts.len()];
    let mut wrong = Vec::new();
    for target in targets {
        let lines: Vec<(usize, Line<'_>)> = texts.iter().copied().map(line).enumerate().collect();
        let lines: Vec<(usize, Line<'_>)> = lines
            .into_iter()
            .filter_map(|(index, line)| {
                let single = [(index, line)];
                let parsed = warpsmith_ptx::parse(module(&single, target).as_bytes());
                let [line] = single;
                (parsed.problems.is_empty()).then_some(line)
            })
            .collect();
        for (index, _) in &lines {
            had[*index] = true;
        }
        for chunk in lines.chunks(12) {
            wrong.extend(run(target, chunk, &input));
        }
    }
    let missing: Vec<&str> = texts
        .iter()
        .zip(had)
        .filter(|(_, had)| !had)
        .map(|(text, _)| *text)
        .collect();
    assert!(missing.is_empty(), "no target has {missing:?}");
    assert!(wrong.is_empty(), "{} lines differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// What differs, by line.
fn run(target: &str, lines: &[(usize, Line<'_>)], input: &[u8]) -> Vec<String> {
    let parsed = warpsmith_ptx::parse(module(lines, target).as_bytes());
    let size = lines.len() * THREADS * 8;
    let mut device = Device::new();
    let loaded = ptx::load(&mut device, &parsed.module).expect("the module loads");
    let (wanted, out) = launch(&mut device, input, size);
    if let Err(fault) = ptx::run(&mut device, &loaded, &wanted, &Options::default()) {
        return vec![format!("{target}: interpreter: {fault}")];
    }
    let expected = device.read(out, size as u64).expect("the buffer is there");
    let sm: Sm = target.parse().expect("a known target");
    let cubin = match warpsmith_ori::compile(&parsed.module, sm) {
        Ok(cubin) => cubin,
        Err(_) if lines.len() > 1 => {
            return (0..lines.len())
                .flat_map(|index| run(target, &lines[index..=index], input))
                .collect();
        }
        Err(errors) => return vec![format!("{target} {}: {}", lines[0].1.mnemonic, errors[0])],
    };
    let mut device = Device::new();
    let loaded = sass::load(&mut device, &cubin).expect("the cubin loads");
    let (wanted, out) = launch(&mut device, input, size);
    let options = Options {
        check_hazards: true,
        step_budget: 10_000_000,
        ..Options::default()
    };
    if let Err(fault) = sass::run(&mut device, &loaded, &wanted, &options) {
        if lines.len() > 1 {
            return (0..lines.len())
                .flat_map(|index| run(target, &lines[index..=index], input))
                .collect();
        }
        return vec![format!("{target} {}: {fault}", lines[0].1.mnemonic)];
    }
    let found = device.read(out, size as u64).expect("the buffer is there");
    lines
        .iter()
        .enumerate()
        .filter_map(|(index, (_, line))| difference(target, line, index, &expected, &found))
        .collect()
}

fn difference(target: &str, line: &Line<'_>, index: usize, expected: &[u8], found: &[u8]) -> Option<String> {
    let word = |bytes: &[u8], thread: usize| {
        let at = (index * THREADS + thread) * 8;
        u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
    };
    let is_nan = |value: u64| match line.result {
        'd' => value & i64::MAX as u64 > 0x7ff0_0000_0000_0000,
        _ => value & 0x7fff_ffff > 0x7f80_0000,
    };
    let differs = |thread: &usize| {
        let (a, b) = (word(expected, *thread), word(found, *thread));
        a != b && !(line.any_nan && is_nan(a) && is_nan(b))
    };
    let threads: Vec<usize> = (0..THREADS).filter(differs).collect();
    let first: Vec<String> = threads
        .iter()
        .take(4)
        .map(|thread| {
            let operands: Vec<String> = line
                .operands
                .iter()
                .enumerate()
                .map(|(position, code)| format!("{:x}", value(*code, position, *thread)))
                .collect();
            let (wanted, got) = (word(expected, *thread), word(found, *thread));
            format!("({}) {wanted:x} != {got:x}", operands.join(", "))
        })
        .collect();
    let count = threads.len();
    (count > 0).then(|| format!("{target} {}: {count}: {}", line.mnemonic, first.join("; ")))
}
