//! Running a kernel both ways: the PTX in the interpreter, the cubin of this compiler in the SASS emulator in checked mode.

#![allow(dead_code)]

use warpsmith_emu::{Device, Launch, Options, ptx, sass};
use warpsmith_sass::Instruction;
use warpsmith_target::Sm;

/// A target of every encoding generation.
pub(crate) const TARGETS: [&str; 9] = [
    "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120",
];

/// Bytes of the buffer that kernels write.
const OUT: u64 = 4096;

fn prepare(device: &mut Device, input: &[u8], shape: &Launch) -> (Launch, u64) {
    let out = device.allocate(OUT, 256);
    let data = device.allocate(input.len() as u64, 256);
    assert_eq!(device.write(out, &vec![0; OUT as usize]), Ok(()));
    assert_eq!(device.write(data, input), Ok(()));
    let launch = Launch {
        arguments: vec![
            out.to_le_bytes().to_vec(),
            data.to_le_bytes().to_vec(),
            100_u32.to_le_bytes().to_vec(),
        ],
        ..shape.clone()
    };
    (launch, out)
}

/// Runs `k(.u64 out, .u64 in, .u32 n)` with a body and module-scope declarations on the targets named, and compares what both leave in `out`.
pub(crate) fn agree_on(targets: &[&str], declarations: &str, body: &str, shape: &Launch) {
    let input: Vec<u8> = (0..1024_u32)
        .flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes())
        .collect();
    for target in targets {
        let text = format!(
            ".version 9.5\n.target {target}\n.address_size 64\n{declarations}\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{body}\n}}\n"
        );
        let parsed = warpsmith_ptx::parse(text.as_bytes());
        assert!(parsed.problems.is_empty(), "{target}: {:?}", parsed.problems);
        let mut device = Device::new();
        let loaded = ptx::load(&mut device, &parsed.module).expect("the module loads");
        let (launch, out) = prepare(&mut device, &input, shape);
        if let Err(fault) = ptx::run(&mut device, &loaded, &launch, &Options::default()) {
            panic!("{target}: interpreter: {fault}");
        }
        let expected = device.read(out, OUT).expect("the buffer is there");

        let sm: Sm = target.parse().expect("a known target");
        let cubin = warpsmith_ori::compile(&parsed.module, sm).unwrap_or_else(|e| panic!("{target}: {}", e[0]));
        let bytes = cubin.write();
        let cubin = warpsmith_cubin::Cubin::read(&bytes).expect("the cubin reads back");
        let mut device = Device::new();
        let loaded = sass::load(&mut device, &cubin).unwrap_or_else(|e| panic!("{target}: {e}"));
        let (launch, out) = prepare(&mut device, &input, shape);
        let options = Options {
            check_hazards: true,
            step_budget: 1_000_000,
            ..Options::default()
        };
        if let Err(fault) = sass::run(&mut device, &loaded, &launch, &options) {
            panic!("{target}: {fault}");
        }
        let found = device.read(out, OUT).expect("the buffer is there");
        if let Some(at) =
            (0..OUT as usize / 4).find(|word| found[4 * word..4 * word + 4] != expected[4 * word..4 * word + 4])
        {
            panic!(
                "{target}: word {at} is {:02x?}, expected {:02x?}\n{body}",
                &found[4 * at..4 * at + 4],
                &expected[4 * at..4 * at + 4]
            );
        }
    }
}

/// The shape of most tests: 2 CTAs of 64 threads.
pub(crate) fn two_by_64() -> Launch {
    Launch {
        block: [64, 1, 1],
        grid: [2, 1, 1],
        ..Launch::of("k")
    }
}

/// On every target.
pub(crate) fn agree(body: &str) {
    agree_on(&TARGETS, "", body, &two_by_64());
}

/// The index of the thread in the grid in `%r5`, the address of its 16 bytes of `out` in `%d5` and of `in` in `%d6`.
pub(crate) const START: &str =
    ".reg .pred %p<20>; .reg .b16 %h<20>; .reg .b32 %r<60>; .reg .f32 %f<20>; .reg .b64 %d<60>; .reg .f64 %g<20>;
    ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4; mul.wide.u32 %d4, %r5, 16; add.u64 %d5, %d1, %d4; add.u64 %d6, %d2, %d4;";

/// [`agree`] with [`START`] before the body and `ret` after it.
pub(crate) fn agree_body(body: &str) {
    agree(&format!("{START}\n{body}\nret;"));
}

/// The words of `k(out, in, n)`.
pub(crate) fn words(target: &str, level: u8, body: &str) -> Vec<Instruction> {
    let options = warpsmith_ori::Options {
        level,
        ..warpsmith_ori::Options::default()
    };
    words_with(target, &options, body)
}

/// The same, compiled with other options.
pub(crate) fn words_with(target: &str, options: &warpsmith_ori::Options, body: &str) -> Vec<Instruction> {
    let text = format!(
        ".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{body}\n}}\n"
    );
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    assert!(parsed.problems.is_empty(), "{target}: {:?}", parsed.problems);
    let sm: Sm = target.parse().expect("a known target");
    let output = warpsmith_ori::compile_with_options(&parsed.module, sm, options)
        .unwrap_or_else(|e| panic!("{target}: {}", e[0]));
    let bytes = output.cubin.write();
    let cubin = warpsmith_cubin::Cubin::read(&bytes).expect("the cubin reads back");
    let (section, _) = cubin.functions().next().expect("a function");
    let words = cubin.section_bytes(section).unwrap_or_default().chunks_exact(16);
    words
        .map(|word| {
            let word = u128::from_le_bytes(word.try_into().expect("16 bytes"));
            Instruction::decode(sm.isa(), word).expect("our words decode")
        })
        .collect()
}

/// A kernel on a target after a phase.
pub(crate) fn after_with(phase: &str, target: &str, text: &str, options: &warpsmith_ori::Options) -> String {
    let text = format!(
        ".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{text}\n}}\n"
    );
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let sm = target.parse().expect("a known target");
    let mut found = String::new();
    let mut observe = |event: warpsmith_ori::phase::Event<'_>| {
        if event.phase.is_some_and(|row| row.name == phase) {
            found = event.function.to_string();
        }
    };
    warpsmith_ori::compile_observed(&parsed.module, sm, options, &mut observe).unwrap_or_else(|e| panic!("{}", e[0]));
    assert!(!found.is_empty(), "no phase {phase}");
    found
}
