//! Every integer instruction, on edge and random values, on every generation: the compiled kernel in the SASS emulator, in checked mode, gives what the PTX
//! interpreter gives.
//!
//! A case is a PTX text that leaves its result in `%r0` (32 bits), `%d0` (64 bits), `%h0` (16 bits) or `%p0`. Its sources are `%r1` to `%r3`, `%d1` to
//! `%d3` and `%h1` to `%h3`. Many cases make one kernel; each thread has other sources.

use warpsmith_emu::{Device, Launch, Options, ptx, sass};
use warpsmith_ptx::module::Module;
use warpsmith_target::Sm;

/// A target of every encoding generation.
const TARGETS: [&str; 9] = [
    "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120",
];

/// Threads of a launch, each with its own sources.
const THREADS: usize = 256;
/// Cases of one kernel.
const BATCH: usize = 12;
/// Bytes of the sources of a thread.
const SOURCES: usize = 24;

/// Edge values; 16- and 32-bit sources are their low bits.
const EDGES: [u64; 32] = [
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    15,
    16,
    17,
    31,
    32,
    33,
    63,
    64,
    65,
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
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_ffff,
    0xffff_ffff_8000_0000,
    0xffff_ffff_0000_0000,
    0x8000_7fff_8001_fffe,
];

/// The sources: edges against edges in the first half, then numbers of random widths.
fn sources() -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut bytes = Vec::new();
    for thread in 0..THREADS {
        for _ in 0..SOURCES / 8 {
            let (pick, width, value) = (random(), random() % 64, random());
            let number = if thread < THREADS * 3 / 4 {
                EDGES[pick as usize % EDGES.len()]
            } else {
                value >> width
            };
            bytes.extend(number.to_le_bytes());
        }
    }
    bytes
}

/// The kernel of some cases.
fn kernel(target: &str, cases: &[&str]) -> String {
    let mut body = String::new();
    for (index, case) in cases.iter().enumerate() {
        let zero = "mov.b64 %d0, 0; mov.b32 %r0, 0; mov.b16 %h0, 0; setp.ne.u32 %p0, 0, 0;";
        let result = if case.contains("%d0") {
            ""
        } else if case.contains("%r0") {
            "cvt.u64.u32 %d0, %r0;"
        } else if case.contains("%h0") {
            "mov.b32 %r0, {%h0, %h4}; mov.b64 %d0, {%r0, %r9};"
        } else {
            "selp.u64 %d0, 1, 0, %p0;"
        };
        let result = result.replace("cvt.u64.u32 %d0, %r0;", "mov.b64 %d0, {%r0, %r9};");
        body.push_str(&format!(
            "{zero} {case} {result} st.global.u64 [%out+{}], %d0;\n",
            index * THREADS * 8
        ));
    }
    format!(
        ".version 9.5\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in) {{
        .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %d<8>; .reg .b64 %out, %in; .reg .b8 %b<4>;
        ld.param.u64 %out, [out]; ld.param.u64 %in, [in];
        mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mov.u32 %r9, 0; mov.b16 %h4, 0;
        mad.lo.u32 %r4, %r1, %r2, %r3;
        mad.wide.u32 %in, %r4, {SOURCES}, %in; mad.wide.u32 %out, %r4, 8, %out;
        ld.global.u64 %d1, [%in]; ld.global.u64 %d2, [%in+8]; ld.global.u64 %d3, [%in+16];
        ld.global.u32 %r1, [%in]; ld.global.u32 %r2, [%in+8]; ld.global.u32 %r3, [%in+16];
        ld.global.u16 %h1, [%in]; ld.global.u16 %h2, [%in+8]; ld.global.u16 %h3, [%in+16];
        and.b32 %r5, %r3, 1; setp.ne.u32 %p1, %r5, 0; and.b32 %r5, %r3, 2; setp.ne.u32 %p2, %r5, 0;
        {body} ret;\n}}\n"
    )
}

fn launch(device: &mut Device, input: &[u8], results: usize) -> (Launch, u64) {
    let out = device.allocate((results * THREADS * 8) as u64, 16);
    let data = device.allocate(input.len() as u64, 16);
    assert_eq!(device.write(data, input), Ok(()));
    let launch = Launch {
        block: [64, 1, 1],
        grid: [(THREADS / 64) as u32, 1, 1],
        arguments: vec![out.to_le_bytes().to_vec(), data.to_le_bytes().to_vec()],
        ..Launch::of("k")
    };
    (launch, out)
}

/// The results of the cases by the interpreter and by the compiled kernel.
fn results(target: &str, cases: &[&str], input: &[u8]) -> Result<(Vec<u64>, Vec<u64>), String> {
    let parsed = parsed(target, cases)?;
    Ok((
        interpreted(&parsed, cases.len(), input)?,
        compiled(&parsed, target, cases.len(), input)?,
    ))
}

fn parsed(target: &str, cases: &[&str]) -> Result<Module, String> {
    let parsed = warpsmith_ptx::parse(kernel(target, cases).as_bytes());
    match parsed.problems.first() {
        Some(problem) => Err(format!("{problem:?}")),
        None => Ok(parsed.module),
    }
}

fn words(bytes: Vec<u8>) -> Vec<u64> {
    let chunks = bytes.chunks_exact(8);
    chunks
        .map(|chunk| u64::from_le_bytes(chunk.try_into().unwrap_or_default()))
        .collect()
}

fn interpreted(module: &Module, count: usize, input: &[u8]) -> Result<Vec<u64>, String> {
    let mut device = Device::new();
    let loaded = ptx::load(&mut device, module).map_err(|e| format!("{e:?}"))?;
    let (launch, out) = launch(&mut device, input, count);
    ptx::run(&mut device, &loaded, &launch, &Options::default()).map_err(|e| e.to_string())?;
    let bytes = device.read(out, (count * THREADS * 8) as u64);
    Ok(words(bytes.map_err(|e| format!("{e:?}"))?))
}

fn compiled(module: &Module, target: &str, count: usize, input: &[u8]) -> Result<Vec<u64>, String> {
    let sm: Sm = target.parse().map_err(|_| "the target".to_string())?;
    let cubin = warpsmith_ori::compile(module, sm).map_err(|e| e[0].to_string())?;
    let mut device = Device::new();
    let loaded = sass::load(&mut device, &cubin).map_err(|e| format!("{e:?}"))?;
    let (launch, out) = launch(&mut device, input, count);
    let options = Options {
        check_hazards: true,
        step_budget: 10_000_000,
        ..Options::default()
    };
    sass::run(&mut device, &loaded, &launch, &options).map_err(|e| e.to_string())?;
    let bytes = device.read(out, (count * THREADS * 8) as u64);
    Ok(words(bytes.map_err(|e| format!("{e:?}"))?))
}

/// The first difference of one case, or why it does not run.
fn failure(target: &str, case: &str, input: &[u8]) -> Option<String> {
    let (expected, found) = match results(target, &[case], input) {
        Ok(both) => both,
        Err(error) => return Some(format!("{target}: {case}\n    {error}")),
    };
    let thread = (0..THREADS).find(|thread| expected[*thread] != found[*thread])?;
    let source = |index: usize| {
        let at = thread * SOURCES + index * 8;
        u64::from_le_bytes(input[at..at + 8].try_into().unwrap_or_default())
    };
    Some(format!(
        "{target}: {case}\n    of {:#x}, {:#x}, {:#x}: {:#x}, expected {:#x}",
        source(0),
        source(1),
        source(2),
        found[thread],
        expected[thread]
    ))
}

/// Every case on every generation from `first` on; every `$` of a text is replaced by each of the texts after it.
fn agree_from(first: &str, cases: &[(&str, &[&str])]) {
    let input = sources();
    let texts: Vec<String> = cases
        .iter()
        .flat_map(|(text, each)| each.iter().map(|part| text.replace('$', part)))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut failures = Vec::new();
    for target in TARGETS.iter().skip_while(|target| **target != first) {
        for batch in texts.chunks(BATCH) {
            if !matches!(results(target, batch, &input), Ok((expected, found)) if expected == found) {
                failures.extend(batch.iter().filter_map(|case| failure(target, case, &input)));
            }
        }
    }
    assert!(failures.is_empty(), "{} fail:\n{}", failures.len(), failures.join("\n"));
}

fn agree(cases: &[(&str, &[&str])]) {
    agree_from("sm_75", cases);
}

/// Why one case is not compiled.
fn refusal(target: &str, case: &str) -> Option<String> {
    compiled(&parsed(target, &[case]).ok()?, target, 1, &sources()).err()
}

#[test]
fn a_family_of_targets_saturates_unsigned_sums() {
    assert_eq!(failure("sm_120f", "add.sat.u32 %r0, %r1, %r2;", &sources()), None);
    assert_eq!(
        failure("sm_121a", "add.sat.u32 %r0, %r1, 0xfffffff0;", &sources()),
        None
    );
    for case in [
        "add.sat.u16x2 %r0, %r1, %r2;",
        "min.relu.s8x4 %r0, %r1, %r2;",
        "clmad.lo.u64 %d0, %d1, %d2, %d3;",
    ] {
        let mnemonic = case.split(' ').next().unwrap_or_default();
        assert_eq!(
            refusal("sm_120f", case).and_then(|text| text.split_once(mnemonic).map(|(_, rest)| rest.to_string())),
            Some(" is not supported yet".to_string()),
            "{case}"
        );
    }
}

const ONCE: &[&str] = &[""];
const SIGNS: &[&str] = &["u", "s"];

#[test]
fn sums() {
    agree(&[
        ("add.$16 %h0, %h1, %h2;", SIGNS),
        ("add.$32 %r0, %r1, %r2;", SIGNS),
        ("add.$64 %d0, %d1, %d2;", SIGNS),
        ("sub.$16 %h0, %h1, %h2;", SIGNS),
        ("sub.$32 %r0, %r1, %r2;", SIGNS),
        ("sub.$64 %d0, %d1, %d2;", SIGNS),
        (
            "add.u64 %d0, %d1, $;",
            &["5", "-5", "0", "0x100000000", "0x7fffffffffffffff"],
        ),
        (
            "sub.u64 %d0, %d1, $;",
            &["5", "-5", "0", "0x100000000", "0x7fffffffffffffff"],
        ),
        ("sub.u64 %d0, $, %d1;", &["5", "-5", "0", "0x100000000"]),
        ("sub.u32 %r0, $, %r1;", &["5", "-5", "0"]),
        ("add.sat.s32 %r0, %r1, %r2;", ONCE),
        ("sub.sat.s32 %r0, %r1, %r2;", ONCE),
        ("add.sat.s32 %r0, %r1, 0x7fffffff;", ONCE),
        ("neg.s16 %h0, %h1;", ONCE),
        ("neg.s32 %r0, %r1;", ONCE),
        ("neg.s64 %d0, %d1;", ONCE),
        ("abs.s16 %h0, %h1;", ONCE),
        ("abs.s32 %r0, %r1;", ONCE),
        ("abs.s64 %d0, %d1;", ONCE),
        ("sad.$16 %h0, %h1, %h2, %h3;", SIGNS),
        ("sad.$32 %r0, %r1, %r2, %r3;", SIGNS),
        ("sad.$64 %d0, %d1, %d2, %d3;", SIGNS),
        ("mov.b64 %d0, 7; @%p1 add.u64 %d0, %d1, %d2;", ONCE),
        ("mov.b64 %d0, %d1; add.u64 %d0, %d0, %d0; sub.u64 %d0, %d0, %d2;", ONCE),
    ]);
}

#[test]
fn carries() {
    agree(&[
        ("add.cc.u32 %r4, %r1, %r2; addc.u32 %r0, %r2, %r3;", ONCE),
        ("sub.cc.u32 %r4, %r1, %r2; subc.u32 %r0, %r2, %r3;", ONCE),
        ("add.cc.u64 %d4, %d1, %d2; addc.u64 %d0, %d2, %d3;", ONCE),
        ("sub.cc.u64 %d4, %d1, %d2; subc.u64 %d0, %d2, %d3;", ONCE),
        ("sub.cc.u32 %r4, %r1, %r2; addc.u32 %r0, %r2, %r3;", ONCE),
        ("add.cc.u32 %r4, %r1, %r2; subc.u32 %r0, %r2, %r3;", ONCE),
        (
            "add.cc.u32 %r4, %r1, %r2; addc.cc.u32 %r4, %r2, %r3; addc.u32 %r0, 0, 0;",
            ONCE,
        ),
        (
            "sub.cc.u32 %r4, %r1, %r2; subc.cc.u32 %r4, %r2, %r3; subc.u32 %r0, 0, 0;",
            ONCE,
        ),
        (
            "sub.cc.u32 %r4, %r1, $; subc.u32 %r0, 0, 0;",
            &["0", "1", "-1", "0x80000000"],
        ),
        (
            "sub.cc.u64 %d4, %d1, %d2; subc.cc.u64 %d4, %d2, %d3; addc.u64 %d0, 0, 0;",
            ONCE,
        ),
        ("add.cc.u32 %r4, %r1, %r2; addc.u16 %h0, %h2, %h3;", ONCE),
        ("add.cc.u32 %r4, %r1, %r2; subc.s16 %h0, %h2, %h3;", ONCE),
        ("add.cc.u32 %r4, %r1, %r2; addc.sat.s32 %r0, %r2, %r3;", ONCE),
        ("add.cc.u32 %r4, %r1, %r2; subc.sat.s32 %r0, %r2, %r3;", ONCE),
        (
            "add.cc.u32 %r4, %r1, %r2; @%p1 add.cc.u32 %r4, %r3, -1; addc.u32 %r0, 0, 0;",
            ONCE,
        ),
        ("mad.lo.cc.$32 %r4, %r1, %r2, %r3; madc.hi.$32 %r0, %r1, %r2, 0;", SIGNS),
        ("mad.hi.cc.$32 %r4, %r1, %r2, %r3; addc.u32 %r0, 0, 0;", SIGNS),
        ("mad.lo.cc.$64 %d4, %d1, %d2, %d3; madc.hi.$64 %d0, %d1, %d2, 5;", SIGNS),
        (
            "mad.hi.cc.$64 %d4, %d1, %d2, %d3; madc.lo.cc.$64 %d5, %d1, %d2, %d3; addc.u64 %d0, %d4, %d5;",
            SIGNS,
        ),
        ("add.cc.u32 %r4, %r1, %r2; madc.lo.$16 %h0, %h1, %h2, %h3;", SIGNS),
        ("add.cc.u32 %r4, %r1, %r2; madc.hi.$16 %h0, %h1, %h2, %h3;", SIGNS),
    ]);
}

/// The interpreter does not have this one: it is the sum of what it does have.
#[test]
fn a_saturated_sum_of_a_high_product_and_a_carry() {
    let input = sources();
    let of = ["add.cc.u32 %r4, %r1, %r2; madc.hi.sat.s32 %r0, %r1, %r2, %r3;"];
    let as_two = ["add.cc.u32 %r4, %r1, %r2; mul.hi.s32 %r5, %r1, %r2; addc.sat.s32 %r0, %r5, %r3;"];
    for target in TARGETS {
        let module = parsed(target, &of).expect("the case");
        let expected = parsed(target, &as_two).and_then(|module| interpreted(&module, 1, &input));
        assert_eq!(compiled(&module, target, 1, &input), expected, "{target}");
    }
}

#[test]
fn products() {
    agree(&[
        ("mul.lo.$16 %h0, %h1, %h2;", SIGNS),
        ("mul.lo.$32 %r0, %r1, %r2;", SIGNS),
        ("mul.lo.$64 %d0, %d1, %d2;", SIGNS),
        ("mul.hi.$16 %h0, %h1, %h2;", SIGNS),
        ("mul.hi.$32 %r0, %r1, %r2;", SIGNS),
        ("mul.hi.$64 %d0, %d1, %d2;", SIGNS),
        ("mul.wide.$16 %r0, %h1, %h2;", SIGNS),
        ("mul.wide.$32 %d0, %r1, %r2;", SIGNS),
        ("mul.wide.$32 %d0, %r1, 77;", SIGNS),
        ("mul.lo.$64 %d0, %d1, 0x123456789a;", SIGNS),
        ("mad.lo.$16 %h0, %h1, %h2, %h3;", SIGNS),
        ("mad.lo.$32 %r0, %r1, %r2, %r3;", SIGNS),
        ("mad.lo.$64 %d0, %d1, %d2, %d3;", SIGNS),
        ("mad.hi.$16 %h0, %h1, %h2, %h3;", SIGNS),
        ("mad.hi.$32 %r0, %r1, %r2, %r3;", SIGNS),
        ("mad.hi.$64 %d0, %d1, %d2, %d3;", SIGNS),
        ("mad.hi.sat.s32 %r0, %r1, %r2, %r3;", ONCE),
        ("mad.wide.$16 %r0, %h1, %h2, %r3;", SIGNS),
        ("mad.wide.$32 %d0, %r1, %r2, %d3;", SIGNS),
        ("mul24.lo.$32 %r0, %r1, %r2;", SIGNS),
        ("mul24.hi.$32 %r0, %r1, %r2;", SIGNS),
        ("mad24.lo.$32 %r0, %r1, %r2, %r3;", SIGNS),
        ("mad24.hi.$32 %r0, %r1, %r2, %r3;", SIGNS),
        ("mad24.hi.sat.s32 %r0, %r1, %r2, %r3;", ONCE),
        ("dp4a.u32.$32 %r0, %r1, %r2, %r3;", SIGNS),
        ("dp4a.s32.$32 %r0, %r1, %r2, %r3;", SIGNS),
        ("dp2a.lo.u32.$32 %r0, %r1, %r2, %r3;", SIGNS),
        ("dp2a.lo.s32.$32 %r0, %r1, %r2, %r3;", SIGNS),
        ("dp2a.hi.u32.$32 %r0, %r1, %r2, %r3;", SIGNS),
        ("dp2a.hi.s32.$32 %r0, %r1, %r2, %r3;", SIGNS),
    ]);
}

#[test]
fn quotients() {
    agree(&[
        ("div.$16 %h0, %h1, %h2;", SIGNS),
        ("div.$32 %r0, %r1, %r2;", SIGNS),
        ("div.$64 %d0, %d1, %d2;", SIGNS),
        ("rem.$16 %h0, %h1, %h2;", SIGNS),
        ("rem.$32 %r0, %r1, %r2;", SIGNS),
        ("rem.$64 %d0, %d1, %d2;", SIGNS),
        ("div.$32 %r0, %r1, 7;", SIGNS),
        ("rem.$64 %d0, %d1, 10;", SIGNS),
        ("div.$64 %d0, 1000000007, %d1;", SIGNS),
        ("or.b64 %d2, %d2, 0x8000000000000000; div.$64 %d0, %d1, %d2;", SIGNS),
        ("mov.u32 %r0, 3; @%p1 div.$32 %r0, %r1, %r2;", SIGNS),
    ]);
}

#[test]
fn extremes() {
    for op in ["min", "max"] {
        let cases: Vec<(String, &[&str])> = vec![
            (format!("{op}.$16 %h0, %h1, %h2;"), SIGNS),
            (format!("{op}.$32 %r0, %r1, %r2;"), SIGNS),
            (format!("{op}.$64 %d0, %d1, %d2;"), SIGNS),
            (format!("{op}.$32 %r0, %r1, 100;"), SIGNS),
        ];
        let cases: Vec<(&str, &[&str])> = cases.iter().map(|(text, each)| (text.as_str(), *each)).collect();
        agree(&cases);
    }
    agree_from(
        "sm_90",
        &[
            ("$.relu.s32 %r0, %r1, %r2;", &["min", "max"]),
            ("$.u16x2 %r0, %r1, %r2;", &["min", "max", "add"]),
            ("$.s16x2 %r0, %r1, %r2;", &["min", "max", "add"]),
            ("$.relu.s16x2 %r0, %r1, %r2;", &["min", "max"]),
        ],
    );
}

#[test]
fn bit_operations() {
    agree(&[
        ("popc.b32 %r0, %r1;", ONCE),
        ("popc.b64 %r0, %d1;", ONCE),
        ("clz.b32 %r0, %r1;", ONCE),
        ("clz.b64 %r0, %d1;", ONCE),
        ("bfind.$32 %r0, %r1;", SIGNS),
        ("bfind.$64 %r0, %d1;", SIGNS),
        ("bfind.shiftamt.$32 %r0, %r1;", SIGNS),
        ("bfind.shiftamt.$64 %r0, %d1;", SIGNS),
        ("brev.b32 %r0, %r1;", ONCE),
        ("brev.b64 %d0, %d1;", ONCE),
        ("mov.b64 %d0, %d1; brev.b64 %d0, %d0;", ONCE),
        ("bfe.$32 %r0, %r1, %r2, %r3;", SIGNS),
        ("bfe.$64 %d0, %d1, %r2, %r3;", SIGNS),
        ("bfe.$32 %r0, %r1, 5, 9;", SIGNS),
        ("bfe.$64 %d0, %d1, 20, 40;", SIGNS),
        ("bfi.b32 %r0, %r1, %r2, %r3, %r2;", ONCE),
        (
            "and.b32 %r4, %r2, 255; and.b32 %r5, %r3, 255; bfi.b64 %d0, %d1, %d2, %r5, %r4;",
            ONCE,
        ),
        ("bfi.b32 %r0, %r1, %r2, 4, 13;", ONCE),
        ("bfi.b64 %d0, %d1, %d2, 30, 13;", ONCE),
        ("bmsk.$.b32 %r0, %r1, %r2;", &["clamp", "wrap"]),
        ("szext.$.s32 %r0, %r1, %r2;", &["clamp", "wrap"]),
        ("szext.$.u32 %r0, %r1, %r2;", &["clamp", "wrap"]),
        ("fns.b32 %r0, %r1, %r2, %r3;", ONCE),
        (
            "and.b32 %r4, %r2, 31; rem.s32 %r5, %r3, 9; fns.b32 %r0, %r1, %r4, %r5;",
            ONCE,
        ),
        ("prmt.b32 %r0, %r1, %r2, %r3;", ONCE),
        (
            "prmt.b32.$ %r0, %r1, %r2, %r3;",
            &["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"],
        ),
        ("prmt.b32 %r0, %r1, %r2, 0x7a21;", ONCE),
    ]);
}

#[test]
fn shifts() {
    agree(&[
        ("shl.b16 %h0, %h1, %r2;", ONCE),
        ("shl.b32 %r0, %r1, %r2;", ONCE),
        ("shl.b64 %d0, %d1, %r2;", ONCE),
        ("shr.$16 %h0, %h1, %r2;", &["u", "s", "b"]),
        ("shr.$32 %r0, %r1, %r2;", &["u", "s", "b"]),
        ("shr.$64 %d0, %d1, %r2;", &["u", "s", "b"]),
        ("shl.b64 %d0, %d1, $;", &["0", "1", "31", "32", "33", "63", "64", "100"]),
        ("shr.s64 %d0, %d1, $;", &["0", "1", "31", "32", "33", "63", "64", "100"]),
        ("shr.u64 %d0, %d1, $;", &["0", "1", "31", "32", "33", "63", "64", "100"]),
        ("shl.b32 %r0, 1, %r1;", ONCE),
        ("shf.l.$.b32 %r0, %r1, %r2, %r3;", &["clamp", "wrap"]),
        ("shf.r.$.b32 %r0, %r1, %r2, %r3;", &["clamp", "wrap"]),
        ("shf.l.wrap.b32 %r0, %r1, %r2, 13;", ONCE),
    ]);
}

#[test]
fn bitwise_logic() {
    agree(&[
        ("$.b16 %h0, %h1, %h2;", &["and", "or", "xor"]),
        ("$.b32 %r0, %r1, %r2;", &["and", "or", "xor"]),
        ("$.b64 %d0, %d1, %d2;", &["and", "or", "xor"]),
        ("$.b64 %d0, %d1, 0xff00000000;", &["and", "or", "xor"]),
        ("$.b16 %h0, %h1;", &["not", "cnot"]),
        ("$.b32 %r0, %r1;", &["not", "cnot"]),
        ("$.b64 %d0, %d1;", &["not", "cnot"]),
        ("lop3.b32 %r0, %r1, %r2, %r3, $;", &["0xe8", "0x96", "0x1b", "0"]),
        (
            "lop3.or.b32 %r4|%p0, %r1, %r2, %r3, 0x80, %p1; selp.u32 %r0, %r4, 9, %p0;",
            ONCE,
        ),
        ("lop3.and.b32 _|%p0, %r1, %r2, %r3, 0x40, !%p1;", ONCE),
        ("$.pred %p0, %p1, %p2;", &["and", "or", "xor"]),
        ("$.pred %p0, !%p1, %p2;", &["and", "or"]),
        ("not.pred %p0, %p1;", ONCE),
        ("mov.pred %p0, $;", &["%p1", "!%p1", "1", "0"]),
    ]);
}

#[test]
fn comparisons() {
    let order: &[&str] = &["eq", "ne", "lt", "le", "gt", "ge"];
    let unsigned: &[&str] = &["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"];
    agree(&[
        ("setp.$.u16 %p0, %h1, %h2;", unsigned),
        ("setp.$.u32 %p0, %r1, %r2;", unsigned),
        ("setp.$.u64 %p0, %d1, %d2;", unsigned),
        ("setp.$.s16 %p0, %h1, %h2;", order),
        ("setp.$.s32 %p0, %r1, %r2;", order),
        ("setp.$.s64 %p0, %d1, %d2;", order),
        ("setp.$.b16 %p0, %h1, %h2;", &["eq", "ne"]),
        ("setp.$.b32 %p0, %r1, %r2;", &["eq", "ne"]),
        ("setp.$.b64 %p0, %d1, %d2;", &["eq", "ne"]),
        ("setp.lt.s64 %p0, %d1, $;", &["0", "-1", "64", "0x100000000"]),
        ("setp.lt.$.u32 %p0, %r1, %r2, !%p1;", &["and", "or", "xor"]),
        ("setp.lt.$.s64 %p0, %d1, %d2, %p1;", &["and", "or", "xor"]),
        (
            "setp.lt.$.s32 %p0|%p3, %r1, %r2, %p1; selp.u32 %r0, 1, 2, %p3; @%p0 add.u32 %r0, %r0, 4;",
            &["and", "or", "xor"],
        ),
        (
            "setp.le.$.u64 %p0|%p3, %d1, %d2, %p1; selp.u32 %r0, 1, 2, %p3; @%p0 add.u32 %r0, %r0, 4;",
            &["and", "or", "xor"],
        ),
        ("setp.lt.u32 _|%p0, %r1, %r2;", ONCE),
        ("mov.pred %p0, %p2; @%p1 setp.lt.u64 %p0, %d1, %d2;", ONCE),
        ("set.lt.u32.$ %r0, %r1, %r2;", &["u32", "s32"]),
        ("set.le.f32.$ %r0, %d1, %d2;", &["u64", "s64"]),
        ("set.eq.xor.s32.b16 %r0, %h1, %h2, %p1;", ONCE),
        ("selp.$16 %h0, %h1, %h2, %p1;", &["b", "u", "s"]),
        ("selp.$32 %r0, %r1, %r2, %p1;", &["b", "u", "s", "f"]),
        ("selp.$64 %d0, %d1, %d2, !%p1;", &["b", "u", "s", "f"]),
        ("slct.$32.s32 %r0, %r1, %r2, %r3;", &["b", "u", "s", "f"]),
        ("slct.$64.s32 %d0, %d1, %d2, %r3;", &["b", "u", "s", "f"]),
        ("slct.b16.s32 %h0, %h1, %h2, %r3;", ONCE),
        ("slct$.u32.f32 %r0, %r1, %r2, %r3;", &["", ".ftz"]),
    ]);
}

#[test]
fn copies() {
    agree(&[
        ("mov.b16 %h0, %h1;", ONCE),
        ("mov.b64 %d0, $;", &["%d1", "-1", "0x123456789abcdef0"]),
        ("mov.b64 %d0, {%r1, %r2};", ONCE),
        ("mov.b64 {%r4, %r5}, %d1; sub.u32 %r0, %r4, %r5;", ONCE),
        ("mov.b64 {_, %r0}, %d1;", ONCE),
        ("mov.b32 %r0, {%h1, %h2};", ONCE),
        ("mov.b32 {%h0, %h5}, %r1; mov.b32 %r0, {%h5, %h0};", ONCE),
        ("mov.b64 %d0, {%h1, %h2, %h3, %h1};", ONCE),
        (
            "mov.b64 {%h0, %h5, %h6, %h7}, %d1; mov.b64 %d0, {%h7, %h5, %h0, %h6};",
            ONCE,
        ),
        (
            "mov.b32 {%b0, %b1, %b2, %b3}, %r1; mov.b32 %r0, {%b3, %b1, %b0, %b2};",
            ONCE,
        ),
        ("mov.b16 {%b0, %b1}, %h1; mov.b16 %h0, {%b1, %b0};", ONCE),
        (
            ".reg .b128 %q; mov.b128 %q, {%d1, %d2}; mov.b128 {%d4, %d5}, %q; sub.u64 %d0, %d4, %d5;",
            ONCE,
        ),
        (
            "mov.b64 %d0, %d1; mov.b64 {%r4, %r5}, %d0; mov.b64 %d0, {%r5, %r4};",
            ONCE,
        ),
        (
            "mov.v2.u32 {%r4, %r5}, {%r1, %r2}; mov.v2.u32 {%r4, %r5}, {%r5, %r4}; sub.u32 %r0, %r4, %r5;",
            ONCE,
        ),
    ]);
}

#[test]
fn special_registers() {
    agree(&[
        (
            "mov.u32 %r0, $;",
            &[
                "%tid.x",
                "%tid.y",
                "%ntid.x",
                "%nctaid.x",
                "%ctaid.x",
                "%laneid",
                "%warpid",
                "%dynamic_smem_size",
                "%pm0",
                "%pm7",
            ],
        ),
        ("mov.u64 %d0, $;", &["%current_graph_exec", "%pm3_64"]),
        (
            "mov.u32 %r0, $;",
            &[
                "%lanemask_eq",
                "%lanemask_lt",
                "%lanemask_le",
                "%lanemask_gt",
                "%lanemask_ge",
            ],
        ),
        (
            "mov.u32 %r4, $; mov.u32 %r5, $; setp.ge.u32 %p0, %r5, %r4;",
            &["%clock", "%smid", "%nwarpid", "%nsmid", "%globaltimer_lo"],
        ),
        (
            "mov.u64 %d4, $; mov.u64 %d5, $; setp.ge.u64 %p0, %d5, %d4;",
            &["%clock64", "%globaltimer", "%gridid"],
        ),
        ("mov.v4.u32 {%r4, %r5, %r6, %r7}, %tid; add.u32 %r0, %r4, %r5;", ONCE),
        (
            ".shared .align 8 .b8 s[16]; mov.u64 %d4, s; cvta.shared.u64 %d5, %d4; isspacep.shared %p0, %d5;",
            ONCE,
        ),
        ("isspacep.$ %p0, %in;", &["shared", "local"]),
    ]);
}

#[test]
fn special_registers_of_clusters() {
    agree_from(
        "sm_90",
        &[
            // With what the system keeps, and without.
            (
                "mov.u32 %r4, %aggr_smem_size; mov.u32 %r5, %total_smem_size; setp.ge.u32 %p0, %r4, %r5;",
                ONCE,
            ),
            ("mov.pred %p0, %is_explicit_cluster;", ONCE),
        ],
    );
}
