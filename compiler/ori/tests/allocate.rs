//! Register allocation under pressure: kernels that need more registers of every file than they may have, at several caps, on every generation.

mod support;

use std::fmt::Write as _;

use support::{START, TARGETS};
use warpsmith_emu::{Device, Launch, Options as RunOptions, ptx, sass};
use warpsmith_ori::{Options, compile_with_options};
use warpsmith_target::Sm;

/// Caps on the registers of a thread; below 24 the machine's least number holds.
const CAPS: [u32; 7] = [16, 24, 32, 40, 64, 128, 255];
/// Bytes of the buffer that kernels write.
const OUT: u64 = 4096;

fn prepare(device: &mut Device) -> (Launch, u64) {
    let input: Vec<u8> = (0..1024_u32)
        .flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes())
        .collect();
    let out = device.allocate(OUT, 256);
    let data = device.allocate(input.len() as u64, 256);
    assert_eq!(device.write(out, &vec![0; OUT as usize]), Ok(()));
    assert_eq!(device.write(data, &input), Ok(()));
    let launch = Launch {
        arguments: vec![
            out.to_le_bytes().to_vec(),
            data.to_le_bytes().to_vec(),
            100_u32.to_le_bytes().to_vec(),
        ],
        ..support::two_by_64()
    };
    (launch, out)
}

/// Compiles with each cap for each target, and compares what the kernel leaves with the interpreter's memory. The register count keeps to the cap.
fn agree_at(caps: &[u32], targets: &[&str], body: &str) {
    for target in targets {
        let text = format!(
            ".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{START}\n{body}\nret;\n}}\n"
        );
        let parsed = warpsmith_ptx::parse(text.as_bytes());
        assert!(parsed.problems.is_empty(), "{target}: {:?}", parsed.problems);
        let mut device = Device::new();
        let loaded = ptx::load(&mut device, &parsed.module).expect("the module loads");
        let (launch, out) = prepare(&mut device);
        ptx::run(&mut device, &loaded, &launch, &RunOptions::default()).expect("the interpreter runs it");
        let expected = device.read(out, OUT).expect("the buffer is there");
        let sm: Sm = target.parse().expect("a known target");
        for cap in caps {
            let options = Options {
                maximum_registers: Some(*cap),
                ..Options::default()
            };
            let output = compile_with_options(&parsed.module, sm, &options)
                .unwrap_or_else(|errors| panic!("{target} at {cap}: {}", errors[0]));
            let registers = output.functions[0].registers;
            assert!(registers <= (*cap).max(24), "{target} at {cap}: {registers} registers");
            let cubin = warpsmith_cubin::Cubin::read(&output.cubin.write()).expect("the cubin reads back");
            let mut device = Device::new();
            let loaded = sass::load(&mut device, &cubin).unwrap_or_else(|error| panic!("{target} at {cap}: {error}"));
            let (launch, out) = prepare(&mut device);
            let run = RunOptions {
                check_hazards: true,
                step_budget: 4_000_000,
                ..RunOptions::default()
            };
            sass::run(&mut device, &loaded, &launch, &run).unwrap_or_else(|fault| panic!("{target} at {cap}: {fault}"));
            let found = device.read(out, OUT).expect("the buffer is there");
            assert_eq!(found, expected, "{target} at {cap}");
        }
    }
}

fn agree_everywhere(body: &str) {
    agree_at(&CAPS, &TARGETS, body);
}

/// More words in a loop than there are registers, in a chain that mixes all of them.
#[test]
fn words_in_a_loop() {
    let mut body = ".reg .b32 %x<48>; ld.global.u32 %r10, [%d6];\n".to_string();
    for i in 0..40 {
        let _ = writeln!(body, "mad.lo.u32 %x{i}, %r10, {}, {i};", 2 * i + 3);
    }
    body += "mov.u32 %r11, 0; LOOP:\n";
    for i in 0..40 {
        let _ = writeln!(body, "mad.lo.u32 %x{i}, %x{i}, 5, %x{};", (i * 7 + 1) % 40);
    }
    body += "add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 5; @%p1 bra LOOP; mov.u32 %r12, 0;\n";
    for i in 0..40 {
        let _ = writeln!(body, "xor.b32 %r12, %r12, %x{i}; mul.lo.u32 %r12, %r12, 31;");
    }
    agree_everywhere(&format!("{body} st.global.u32 [%d5], %r12;"));
}

/// Values that only live through an inner loop, and ways that lanes take differently.
#[test]
fn values_through_divergent_loops() {
    let mut body = ".reg .b32 %x<48>; ld.global.u32 %r10, [%d6]; and.b32 %r13, %r4, 3;\n".to_string();
    for i in 0..24 {
        let _ = writeln!(body, "mad.lo.u32 %x{i}, %r10, {}, {i};", 2 * i + 3);
    }
    body += "mov.u32 %r11, 0; OUTER: mov.u32 %r14, 0;
        INNER: mad.lo.u32 %r10, %r10, 17, %r14; add.u32 %r14, %r14, 1; setp.le.u32 %p1, %r14, %r13; @%p1 bra INNER;
        and.b32 %r15, %r10, 1; setp.eq.u32 %p2, %r15, 0; @%p2 bra EVEN;\n";
    for i in 0..12 {
        let _ = writeln!(body, "add.u32 %x{i}, %x{i}, %r10;");
    }
    body += "bra JOIN; EVEN:\n";
    for i in 12..24 {
        let _ = writeln!(body, "xor.b32 %x{i}, %x{i}, %r10;");
    }
    body += "JOIN: add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 4; @%p1 bra OUTER; mov.u32 %r12, 0;\n";
    for i in 0..24 {
        let _ = writeln!(body, "mad.lo.u32 %r12, %r12, 31, %x{i};");
    }
    agree_everywhere(&format!("{body} st.global.u32 [%d5], %r12;"));
}

/// Pairs of f64 and vectors of four words: aligned tuples among single words.
#[test]
fn tuples() {
    let mut body = ".reg .f64 %y<24>; .reg .b32 %x<16>; .reg .b64 %z<4>;
        ld.global.v4.u32 {%x0, %x1, %x2, %x3}, [%d6]; ld.global.v2.u64 {%z0, %z1}, [%d6]; cvt.rn.f64.u32 %g1, %r5;\n"
        .to_string();
    for i in 0..20 {
        let _ = writeln!(body, "fma.rn.f64 %y{i}, %g1, 0d400{i:05x}00000000, %g1;");
    }
    body += "mov.u32 %r11, 0; LOOP:\n";
    for i in 0..20 {
        let _ = writeln!(
            body,
            "fma.rn.f64 %y{i}, %y{i}, 0d3fe8000000000000, %y{};",
            (i * 3 + 1) % 20
        );
    }
    body += "mov.b64 {%x4, %x5}, %z0; add.u32 %x0, %x0, %x5; mov.b64 %z0, {%x0, %x4}; add.u64 %z1, %z1, %z0;
        add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 3; @%p1 bra LOOP;\n";
    for i in 1..20 {
        let _ = writeln!(body, "add.rn.f64 %y0, %y0, %y{i};");
    }
    body += "mov.b64 {%x6, %x7}, %y0; xor.b32 %x6, %x6, %x1; xor.b32 %x7, %x7, %x2; mov.b64 {%x8, %x9}, %z1; add.u32 %x8, %x8, %x3;";
    agree_everywhere(&format!("{body} st.global.v4.u32 [%d5], {{%x6, %x7, %x8, %x9}};"));
}

/// More predicates than seven, set before a loop and used in it.
#[test]
fn predicates() {
    let mut body = ".reg .pred %q<16>; ld.global.u32 %r10, [%d6];\n".to_string();
    for i in 0..14 {
        let _ = writeln!(
            body,
            "and.b32 %r11, %r10, {}; setp.ne.u32 %q{i}, %r11, 0;",
            1 << (2 * i)
        );
    }
    body += "mov.u32 %r12, 0; mov.u32 %r13, 0; LOOP:\n";
    for i in 0..14 {
        let _ = writeln!(
            body,
            "@%q{i} add.u32 %r12, %r12, {}; @!%q{i} xor.b32 %r12, %r12, {i};",
            3 * i + 1
        );
    }
    // Under a guard: the other lanes keep theirs.
    body += "@%q3 setp.lt.u32 %q5, %r12, 1000; @!%q3 setp.gt.u32 %q6, %r12, 500;
        add.u32 %r13, %r13, 1; setp.lt.u32 %p1, %r13, 4; @%p1 bra LOOP;";
    agree_everywhere(&format!("{body} st.global.u32 [%d5], %r12;"));
}

/// Regions within regions, more than there are convergence barriers.
#[test]
fn nested_regions() {
    let mut body = "ld.global.u32 %r10, [%d6]; mov.u32 %r12, 0;\n".to_string();
    for i in 0..22 {
        let _ = writeln!(
            body,
            "and.b32 %r11, %r10, {}; setp.eq.u32 %p1, %r11, 0; mad.lo.u32 %r12, %r12, 3, {i}; @%p1 bra OUT{i};",
            1_u32 << i
        );
    }
    for i in (0..22).rev() {
        // A shuffle by those that are here would tell whether lanes meet; sums tell whether ways are right.
        let _ = writeln!(body, "add.u32 %r12, %r12, {i}; OUT{i}: xor.b32 %r12, %r12, {};", i * 5);
    }
    agree_everywhere(&format!("{body} bar.sync 0; st.global.u32 [%d5], %r12;"));
}

/// Two guarded writes with opposite guards are one definition, one alone keeps the old value.
#[test]
fn writes_under_guards() {
    let mut body = ".reg .b32 %x<32>; ld.global.u32 %r10, [%d6]; and.b32 %r11, %r10, 1; setp.eq.u32 %p1, %r11, 0; setp.lt.u32 %p2, %r4, 20;\n".to_string();
    for i in 0..28 {
        let _ = writeln!(
            body,
            "@%p1 mad.lo.u32 %x{i}, %r10, {}, 1; @!%p1 add.u32 %x{i}, %r10, {i}; @%p2 xor.b32 %x{i}, %x{i}, 77;",
            i + 2
        );
    }
    body += "mov.u32 %r12, 0;\n";
    for i in 0..28 {
        let _ = writeln!(body, "mad.lo.u32 %r12, %r12, 31, %x{i};");
    }
    agree_everywhere(&format!("{body} st.global.u32 [%d5], %r12;"));
}

/// A loop that exchanges its variables: the copies cannot all vanish.
#[test]
fn exchanged_variables() {
    agree_everywhere(
        "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%d6]; mov.u32 %r14, 0;
        LOOP: mov.u32 %r15, %r10; mov.u32 %r10, %r11; mov.u32 %r11, %r12; mov.u32 %r12, %r13; mov.u32 %r13, %r15;
        add.u32 %r10, %r10, %r14; add.u32 %r14, %r14, 1; setp.lt.u32 %p1, %r14, 7; @%p1 bra LOOP;
        st.global.v4.u32 [%d5], {%r10, %r11, %r12, %r13};",
    );
}

/// Sums and products of a value that lives through a loop anyway: they are computed again where they are used, and hardly anything goes to memory.
const COMPUTED_AGAIN: fn() -> String = || {
    let mut body =
        ".reg .b32 %x<48>; ld.global.u32 %r10, [%d6]; mov.u32 %r14, %tid.x; mov.u32 %r15, %ctaid.x;\n".to_string();
    for i in 0..40 {
        let operation = ["mad.lo.u32", "add.u32", "xor.b32"][i % 3];
        let third = if i % 3 == 0 { ", %r14" } else { "" };
        let _ = writeln!(body, "{operation} %x{i}, %r10, {}{third};", 70 * i + 3);
    }
    body += "mov.u32 %r11, 0; mov.u32 %r12, 0; LOOP: bar.sync 0;\n";
    for i in 0..40 {
        let _ = writeln!(
            body,
            "xor.b32 %r12, %r12, %x{}; mul.lo.u32 %r12, %r12, 31;",
            (i * 7) % 40
        );
    }
    body += "add.u32 %r12, %r12, %r14; xor.b32 %r12, %r12, %r15; add.u32 %r12, %r12, %r10; bar.sync 0;\n";
    for i in 0..40 {
        let _ = writeln!(body, "mad.lo.u32 %r12, %r12, 17, %x{};", (i * 11) % 40);
    }
    body + "add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 3; @%p1 bra LOOP; add.u32 %r12, %r12, %r10; st.global.u32 [%d5], %r12;"
};

#[test]
fn values_are_computed_again() {
    agree_everywhere(&COMPUTED_AGAIN());
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{START}\n{}\nret;\n}}\n",
        COMPUTED_AGAIN()
    );
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    let options = Options {
        maximum_registers: Some(32),
        ..Options::default()
    };
    let output = compile_with_options(&parsed.module, "sm_90".parse().expect("a target"), &options);
    let function = &output.unwrap_or_else(|errors| panic!("{}", errors[0])).functions[0];
    // An address and the counter of the loop are left. (ptxas 13.0.88: 16 and 16.)
    let bytes = (function.spill_store_bytes, function.spill_load_bytes);
    assert!(bytes.0 <= 16 && bytes.1 <= 16, "{bytes:?}");
}

/// What is computed from a parameter and the number of the thread in a few steps is computed again, whatever is live where it is needed.
#[test]
fn chains_from_nothing_are_computed_again() {
    let mut body =
        ".reg .b32 %x<48>; .reg .b32 %y<8>; ld.param.u32 %y0, [n]; mov.u32 %y1, %tid.x; ld.param.u64 %d20, [in]; add.u64 %d21, %d20, 0x1c0; st.global.u64 [%d5], %d21; mov.u32 %r12, 0; mov.u32 %r11, 0;\n"
            .to_string();
    for (i, step) in [
        "shl.b32 %y2, %y1, 4",
        "shr.u32 %y3, %y1, 5",
        "shl.b32 %y4, %y3, 7",
        "add.u32 %y5, %y0, 77",
    ]
    .iter()
    .enumerate()
    {
        let _ = writeln!(body, "{step}; st.global.u32 [%d5], %y{};", i + 2);
    }
    body += "LOOP: bar.sync 0;\n";
    for i in 0..20 {
        let _ = writeln!(body, "ld.volatile.global.u32 %x{i}, [%d6+{}];", 4 * i);
    }
    body += "bar.sync 0;\n";
    for i in 0..20 {
        let _ = writeln!(body, "mad.lo.u32 %r12, %r12, 31, %x{};", (i * 7) % 20);
    }
    body += "add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 3; @%p1 bra LOOP; add.u32 %r12, %r12, %y0; add.u32 %r12, %r12, %y1;
        xor.b32 %r12, %r12, %y2; add.u32 %r12, %r12, %y4; xor.b32 %r12, %r12, %y5; st.global.u32 [%d5], %r12;
        ld.global.u32 %r13, [%d21]; st.global.u32 [%d5+4], %r13;";
    agree_everywhere(&body);
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{START}\n{body}\nret;\n}}\n"
    );
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    let options = Options {
        maximum_registers: Some(28),
        ..Options::default()
    };
    let output = compile_with_options(&parsed.module, "sm_90".parse().expect("a target"), &options);
    let function = &output.unwrap_or_else(|errors| panic!("{}", errors[0])).functions[0];
    assert_eq!(function.spill_store_bytes, 0);
}

/// The operand of a value changes while the value is still needed: it cannot be computed again from it.
#[test]
fn values_of_operands_that_change_are_kept() {
    let mut body = ".reg .b32 %x<48>; .reg .b32 %y<48>; ld.global.u32 %r10, [%d6]; mov.u32 %r12, 0; mov.u32 %r11, 0;\n"
        .to_string();
    for i in 0..30 {
        let _ = writeln!(body, "add.u32 %x{i}, %r10, {};", 70 * i + 3);
    }
    body += "LOOP: bar.sync 0;\n";
    for i in 0..30 {
        let _ = writeln!(body, "mad.lo.u32 %r12, %r12, 31, %x{};", (i * 7) % 30);
    }
    // The next round's values are made here, before the last uses of this round's operand.
    body += "ld.global.u32 %r14, [%d6+4]; add.u32 %r14, %r14, %r12;\n";
    for i in 0..30 {
        let _ = writeln!(body, "add.u32 %x{i}, %r14, {};", 70 * i + 5);
    }
    body += "bar.sync 0; ld.volatile.global.u32 %r14, [%d6+8]; add.u32 %r12, %r12, %r14; bar.sync 0; add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 3; @%p1 bra LOOP;";
    for i in 0..30 {
        let _ = write!(body, "xor.b32 %r12, %r12, %x{i}; mad.lo.u32 %r12, %r12, 3, %r14;");
    }
    agree_everywhere(&format!("{body} st.global.u32 [%d5], %r12;"));
}

fn registers_of(directives: &str, body: &str, maximum: Option<u32>) -> u32 {
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {directives} {{\n{START}\n{body}\nret;\n}}\n"
    );
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let options = Options {
        maximum_registers: maximum,
        ..Options::default()
    };
    let output = compile_with_options(&parsed.module, "sm_90".parse().expect("a target"), &options)
        .unwrap_or_else(|errors| panic!("{}", errors[0]));
    output.functions[0].registers
}

/// What the launch bounds leave each thread: the numbers that ptxas 13.0.88 says for the same kernels, where it uses all that it may.
#[test]
fn budgets() {
    // 200 words that are all loaded before the first is used, in an order that no scheduling undoes.
    let mut body = ".reg .b32 %x<200>; mov.u32 %r11, 0; LOOP:\n".to_string();
    for i in 0..200 {
        let _ = writeln!(body, "ld.volatile.global.u32 %x{i}, [%d6+{}];", 4 * i);
    }
    body += "mov.u32 %r12, 0; bar.sync 0;\n";
    for i in 0..200 {
        let _ = writeln!(body, "mad.lo.u32 %r12, %r12, 31, %x{};", (i * 77) % 200);
    }
    body += "st.volatile.global.u32 [%d5], %r12; add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 2; @%p1 bra LOOP;";
    for (directives, cap, most) in [
        ("", None, 255),
        (".maxntid 1024, 1, 1", None, 64),
        (".maxntid 256, 1, 1 .minnctapersm 4", None, 64),
        (".maxntid 128, 1, 1 .minnctapersm 3", None, 168),
        // Warps are dealt to four partitions.
        (".maxntid 96, 1, 1 .minnctapersm 7", None, 80),
        (".maxntid 160, 1, 1 .minnctapersm 3", None, 128),
        (".maxnreg 40", None, 40),
        (".maxntid 1024, 1, 1 .maxnreg 100", None, 100),
        ("", Some(48), 48),
        ("", Some(8), 24),
    ] {
        let registers = registers_of(directives, &body, cap);
        assert!(
            registers <= most,
            "{directives} {cap:?}: {registers} registers, at most {most}"
        );
        assert!(
            registers + 8 > most.min(200),
            "{directives} {cap:?}: {registers} registers only, of {most}"
        );
    }
}

/// A uniform register that one way writes while its threads are apart from the others is none that the other way still reads: which goes first is open.
#[test]
fn uniform_registers_of_two_ways() {
    use warpsmith_sass::{FieldName, Instruction, Opcode};
    let mut other = String::new();
    for offset in (0..96).step_by(4) {
        let _ = writeln!(
            other,
            "ld.global.f32 %f2, [%d6+{offset}]; st.shared.f32 [%r4+{offset}], %f2;"
        );
    }
    let body = format!(
        "and.b32 %r6, %r4, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra OTHER;
        tex.2d.v4.f32.s32 {{%f3, %f4, %f5, %f6}}, [%d1, {{%r4, %r4}}]; st.shared.f32 [%r4], %f5; bra END;
        OTHER: {other} END:"
    );
    for target in ["sm_90", "sm_100", "sm_120"] {
        let text = format!(
            ".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{START}\n{body}\nret;\n}}\n"
        );
        let parsed = warpsmith_ptx::parse(text.as_bytes());
        assert!(parsed.problems.is_empty(), "{target}: {:?}", parsed.problems);
        let sm: Sm = target.parse().expect("a known target");
        let output = compile_with_options(&parsed.module, sm, &Options::default())
            .unwrap_or_else(|errors| panic!("{target}: {}", errors[0]));
        let cubin = warpsmith_cubin::Cubin::read(&output.cubin.write()).expect("the cubin reads back");
        let (section, _) = cubin.functions().next().expect("a function");
        let (mut descriptors, mut handles) = (Vec::new(), Vec::new());
        for word in cubin.section_bytes(section).unwrap_or_default().chunks_exact(16) {
            let word = u128::from_le_bytes(word.try_into().expect("16 bytes"));
            let instruction = Instruction::decode(sm.isa(), word).expect("our words decode");
            match instruction.opcode() {
                Opcode::R2ur | Opcode::Umov => handles.extend(instruction.field(FieldName::URd)),
                Opcode::Tex | Opcode::Tld => {
                    let fields = [FieldName::URe, FieldName::URf];
                    handles.extend(fields.iter().filter_map(|field| instruction.field(*field)));
                }
                Opcode::Ldg => descriptors.extend(instruction.field(FieldName::URb)),
                _ => {}
            }
        }
        assert!(descriptors.len() == 24 && !handles.is_empty(), "{target}");
        let taken = |handle: &u64| descriptors.contains(handle) || descriptors.contains(&(handle - handle % 2));
        assert!(
            !handles.iter().any(taken),
            "{target}: handles in {handles:?}, the descriptor in {:?}",
            descriptors[0]
        );
    }
}

/// A product of vectors of vectors: so many rows and columns, all loaded before the first sum.
fn outer_product(rows: usize, columns: usize) -> String {
    let mut body = String::from(".reg .f32 %x<100>; .reg .f32 %y<100>; .reg .f32 %s<100>;\nmov.u32 %r10, 0;");
    for sum in 0..rows * columns {
        let _ = writeln!(body, "mov.f32 %s{sum}, 0f00000000;");
    }
    body.push_str("L:\n");
    for (name, count, base) in [("x", rows, 0), ("y", columns, 1024)] {
        for at in 0..count {
            let first = 4 * at;
            let (b, c, d) = (first + 1, first + 2, first + 3);
            let _ = writeln!(
                body,
                "ld.global.v4.f32 {{%{name}{first}, %{name}{b}, %{name}{c}, %{name}{d}}}, [%d2+{}];",
                base + 16 * at
            );
        }
    }
    for part in 0..4 {
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let sum = row * columns + column;
            let _ = writeln!(
                body,
                "fma.rn.f32 %s{sum}, %x{}, %y{}, %s{sum};",
                4 * row + part,
                4 * column + part
            );
        }
    }
    body.push_str("add.u64 %d2, %d2, 16; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 3; @%p1 bra L;\n");
    for sum in 0..rows * columns {
        let _ = writeln!(body, "st.global.f32 [%d5+{}], %s{sum};", 4 * (sum % 4));
    }
    body
}

#[test]
fn an_order_is_found_that_needs_no_more_than_there_are() {
    for (rows, columns, cap) in [(4, 12, 96), (6, 6, 80)] {
        let body = outer_product(rows, columns);
        let text = format!(
            ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{START}\n{body}\nret;\n}}\n"
        );
        let parsed = warpsmith_ptx::parse(text.as_bytes());
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        let options = Options {
            maximum_registers: Some(cap),
            ..Options::default()
        };
        let sm: Sm = "sm_80".parse().expect("a known target");
        let output = compile_with_options(&parsed.module, sm, &options).unwrap_or_else(|e| panic!("{}", e[0]));
        assert_eq!(output.functions[0].spill_store_bytes, 0, "{rows} by {columns} at {cap}");
        agree_at(&[cap], &["sm_80", "sm_90"], &body);
    }
}

/// The bytes that a kernel stores and loads for want of registers.
fn spills(target: &str, directives: &str, body: &str) -> (u32, u32) {
    let kernel = ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)";
    let text = format!(
        ".version 9.0\n.target {target}\n.address_size 64\n{kernel} {directives} {{\n{START}\n{body}\nret;\n}}\n"
    );
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let sm: Sm = target.parse().expect("a known target");
    let output = compile_with_options(&parsed.module, sm, &Options::default());
    let function = &output.unwrap_or_else(|errors| panic!("{}", errors[0])).functions[0];
    (function.spill_store_bytes, function.spill_load_bytes)
}

/// The code of a kernel.
fn code(target: &str, directives: &str, body: &str) -> Vec<String> {
    let kernel = ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)";
    let text = format!(
        ".version 9.0\n.target {target}\n.address_size 64\n{kernel} {directives} {{\n{START}\n{body}\nret;\n}}\n"
    );
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    let sm: Sm = target.parse().expect("a known target");
    let output = compile_with_options(&parsed.module, sm, &Options::default()).unwrap_or_else(|e| panic!("{}", e[0]));
    let (section, _) = output.cubin.functions().next().expect("a function");
    let words = output.cubin.section_bytes(section).expect("code").chunks_exact(16);
    let words = words.map(|word| u128::from_le_bytes(word.try_into().expect("16 bytes")));
    words
        .map(|word| warpsmith_sass::Instruction::decode(sm.isa(), word).expect("an instruction"))
        .map(|instruction| instruction.to_string())
        .collect()
}

/// What a loop has no room for is loaded behind it, also where another way leads there that has kept it.
#[test]
fn what_is_needed_behind_a_loop_is_not_loaded_in_it() {
    let [mut before, mut loads, mut stores, mut behind] = [const { String::new() }; 4];
    for i in 0..4 {
        let _ = writeln!(before, "ld.volatile.global.u32 %y{i}, [%d6+{}];", 4 * i);
        let _ = writeln!(behind, "st.global.u32 [%d5+{}], %y{i};", 4 * i);
    }
    for i in 0..16 {
        let _ = writeln!(loads, "ld.volatile.global.u32 %x{i}, [%d6+{}];", 64 + 4 * i);
        let _ = writeln!(stores, "st.volatile.global.u32 [%d5+{}], %x{i};", 4 * (i % 4));
    }
    let body = format!(
        ".reg .b32 %x<32>; .reg .b32 %y<4>; {before} mov.u32 %r11, 0; setp.gt.u32 %p1, %r1, 500; @%p1 bra OVER;
        LOOP: bar.sync 1; {loads} {stores} add.u32 %r11, %r11, 1; setp.lt.u32 %p2, %r11, %r1; bar.sync 2; @%p2 bra LOOP;
        OVER: {behind}"
    );
    let code = code("sm_90", ".maxnreg 24", &body);
    let at = |text: &str| code.iter().position(|line| line.contains(text)).expect("a barrier");
    let mut rest = code[at("BAR.SYNC.DEFER_BLOCKING 0x2")..].iter();
    let upto = rest.position(|line| line.contains("BRA")).expect("a branch");
    let round = at("BAR.SYNC.DEFER_BLOCKING 0x1")..at("BAR.SYNC.DEFER_BLOCKING 0x2") + upto;
    assert_eq!(
        code[round].iter().filter(|line| line.contains("LDL")).count(),
        0,
        "{code:#?}"
    );
    assert!(code.iter().any(|line| line.contains("LDL")));
}

/// One register holds what some threads load and the same threads use at once: it is live nowhere else in the loop, and makes nothing spill. (It was live all
/// around it.)
#[test]
fn what_only_some_threads_write_and_read_is_live_between_alone() {
    let (mut loads, mut sums) = (String::new(), String::new());
    for i in 0..22 {
        let _ = writeln!(loads, "ld.volatile.global.u32 %x{i}, [%d6+{}];", 4 * i);
        let _ = writeln!(sums, "mad.lo.u32 %r12, %r12, 31, %x{};", (i * 7) % 22);
    }
    let some =
        "setp.lt.u32 %p2, %r4, 9; @%p2 ld.volatile.global.u32 %y0, [%d6+64]; @%p2 st.volatile.global.u32 [%d5+4], %y0;";
    let body = |some: &str| {
        format!(
            ".reg .b32 %x<32>; .reg .b32 %y<2>; mov.u32 %r11, 0; mov.u32 %r12, 0; LOOP: {some} {loads} bar.sync 0; {sums}
            add.u32 %r11, %r11, 24; setp.lt.u32 %p1, %r11, %r3; @%p1 bra LOOP; st.global.u32 [%d5], %r12;"
        )
    };
    agree_everywhere(&body(some));
    let spills = |some| spills("sm_90a", ".maxnreg 24", &body(some));
    assert_eq!(spills(some), spills(""));
}

/// What all threads of a warp have alike waits in uniform registers for the end of a loop that needs all others, if they write it together. (All of it was in
/// memory, as what only some of them write still is.)
#[test]
fn what_all_threads_have_alike_goes_to_uniform_registers() {
    let [mut before, mut loads, mut sums, mut behind] = [const { String::new() }; 4];
    for i in 0..6 {
        let _ = writeln!(before, "ld.global.u32 %y{i}, [%d2+{}];", 4 * i);
        let _ = writeln!(behind, "mad.lo.u32 %r12, %r12, 31, %y{i};");
    }
    for i in 0..18 {
        let _ = writeln!(loads, "ld.volatile.global.u32 %x{i}, [%d6+{}];", 4 * i);
        let _ = writeln!(sums, "mad.lo.u32 %r12, %r12, 31, %x{};", (i * 7) % 18);
    }
    let body = |test: &str| {
        format!(
            ".reg .b32 %x<32>; .reg .b32 %y<6>; mov.u32 %r11, 0; mov.u32 %r12, %r4; {test} {before} OVER: bar.sync 0;
            LOOP: {loads} bar.sync 1; {sums} add.u32 %r11, %r11, 24; setp.lt.u32 %p1, %r11, %r3; @%p1 bra LOOP;
            bar.sync 2; {behind} st.global.u32 [%d5], %r12;"
        )
    };
    let zeros: String = (0..6).map(|i| format!("mov.u32 %y{i}, {i};")).collect();
    let of_some = format!("{zeros} setp.lt.u32 %p2, %r4, 9; @%p2 bra OVER;");
    agree_everywhere(&body(""));
    agree_everywhere(&body(&of_some));
    assert_eq!(spills("sm_90a", ".maxnreg 24", &body("")), (0, 0));
    assert_ne!(spills("sm_90a", ".maxnreg 24", &body(&of_some)), (0, 0));
}

/// A predicate that is written under itself is read in all threads by what it guards, though it is not written in all: it stays in its register.
#[test]
fn a_predicate_that_only_some_threads_write_is_read_by_all() {
    // In the register that is free when it is written the others would find that they go on.
    let body = "mov.u32 %r10, 5; setp.lt.u32 %p1, %r4, 1000; setp.lt.u32 %p2, %r4, 9; @%p1 add.u32 %r10, %r10, %r2;
        st.global.u32 [%d5+256], %r10; ld.global.u32 %r11, [%d6]; @%p2 setp.lt.u32 %p2, %r11, 5; @%p2 ld.volatile.global.u32 %r10, [%d6+4];
        st.global.u32 [%d5], %r10;";
    agree_everywhere(body);
}

/// A loop that needs all registers is not given columns to carry through that it does not read: they are computed again behind it, and from one way to the
/// other. (All of them were live all the time, and what cannot be computed again went to memory.)
#[test]
fn what_one_instruction_gives_is_not_carried_through_a_loop() {
    let [mut columns, mut loads, mut sums, mut before, mut behind] = [const { String::new() }; 5];
    for i in 0..12 {
        let _ = writeln!(columns, "or.b32 %y{i}, %r4, {};", 256 << i);
        let _ = writeln!(before, "st.volatile.global.u32 [%d5+{}], %y{i};", 4 * (i % 4));
        let _ = writeln!(behind, "st.global.u32 [%d5+{}], %y{i};", 4 * (i % 4));
    }
    for i in 0..12 {
        let _ = writeln!(loads, "ld.volatile.global.u32 %x{i}, [%d6+{}];", 4 * (i % 4));
        let _ = writeln!(sums, "mad.lo.u32 %r12, %r12, 31, %x{};", (i * 7) % 12);
    }
    let body = format!(
        ".reg .b32 %x<32>; .reg .b32 %y<16>; {columns} mov.u32 %r11, 0; mov.u32 %r12, 0; {before}
        LOOP: bar.sync 1; {loads} bar.sync 0; {sums} add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 3; @%p1 bra LOOP;
        {behind} add.u32 %r12, %r12, %r4; st.global.u32 [%d5], %r12;"
    );
    agree_everywhere(&body);
    assert_eq!(spills("sm_90a", ".maxnreg 24", &body), (0, 0));
}

/// Where neither predicates nor registers are left, predicates are bits of one word. (They had a register each: 52 and 52 bytes. ptxas 13.0.88: bits.)
#[test]
fn many_predicates_need_one_register() {
    let [mut tests, mut loads, mut sums] = [const { String::new() }; 3];
    for i in 0..16 {
        let _ = writeln!(tests, "setp.gt.u32 %q{i}, %r10, {};", 1000 * i + 7);
        let _ = writeln!(
            sums,
            "@%q{i} add.u32 %r12, %r12, {}; @!%q{i} xor.b32 %r12, %r12, {};",
            3 * i + 1,
            5 * i + 2
        );
    }
    for i in 0..12 {
        let _ = writeln!(loads, "ld.volatile.global.u32 %x{i}, [%d6+{}];", 4 * (i % 4));
        let _ = writeln!(sums, "mad.lo.u32 %r12, %r12, 31, %x{};", (i * 7) % 12);
    }
    let body = format!(
        ".reg .pred %q<16>; .reg .b32 %x<16>; ld.global.u32 %r10, [%d6]; mov.u32 %r12, 0; {tests} bar.sync 0; {loads} bar.sync 0; {sums}
        st.global.u32 [%d5], %r12;"
    );
    agree_everywhere(&body);
    assert_eq!(spills("sm_90a", ".maxnreg 24", &body), (0, 0));
}

/// Loads come in any order: each right before what uses it, however many there are. (The first of more than 48 accesses stayed in front of the rest.)
#[test]
fn many_loads_are_read_one_after_the_other() {
    let [mut loads, mut sums] = [const { String::new() }; 2];
    for i in 0..100 {
        let _ = writeln!(loads, "ld.global.u32 %x{i}, [%d2+{}];", 8 * i);
        let _ = writeln!(sums, "mad.lo.u32 %r12, %r12, 31, %x{};", (i * 7) % 100);
    }
    let body = format!(".reg .b32 %x<100>; mov.u32 %r12, 0; {loads} {sums} st.global.u32 [%d5], %r12;");
    agree_everywhere(&body);
    assert_eq!(spills("sm_90a", ".maxnreg 24", &body), (0, 0));
}

/// Variables that a round of a loop reads first and writes last take no place in between, where others are many: what lives through the loop stays. (They were
/// thought to live until they are read in the next round: 32 and 32 bytes.)
#[test]
fn what_is_written_anew_is_not_kept_before() {
    let loads = |name: &str, count: usize| {
        let each = (0..count).map(|i| format!("ld.volatile.global.u32 %{name}{i}, [%d2+{}];", 4 * i));
        each.collect::<String>()
    };
    let sums = |name: &str, count: usize, by: usize| {
        let each = (0..count).map(|i| format!("mad.lo.u32 %r12, %r12, {by}, %{name}{i};"));
        each.collect::<String>()
    };
    let wait = "bar.sync 0; ld.volatile.global.u32 %r13, [%d6]; mul.lo.u32 %r12, %r12, %r13;";
    let body = format!(
        ".reg .b32 %x<10>; .reg .b32 %y<12>; .reg .b32 %z<6>; .reg .b32 %w<10>; mov.u32 %r10, 0; mov.u32 %r12, 1; {} {} bar.sync 0;
        L: {} bar.sync 0; {} {wait} {} {wait} {} add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, %r1; @%p1 bra L;
        bar.sync 0; {} {wait} {} {} {} st.global.u32 [%d5], %r12;",
        loads("z", 6),
        loads("x", 10),
        sums("x", 10, 1),
        loads("y", 12),
        sums("y", 12, 3),
        loads("x", 10),
        loads("w", 10),
        sums("w", 10, 5),
        sums("z", 6, 7),
        sums("x", 10, 1),
    );
    agree_everywhere(&body);
    let (stores, loads) = spills("sm_90a", ".maxnreg 32", &body);
    assert!(stores <= 16 && loads <= 16, "{stores} and {loads} bytes");
}

/// What finds no place where the warp has few registers takes none from where it has many.
#[test]
fn few_registers_in_one_part_are_few_there_alone() {
    let part = |name: &str, count: usize| {
        let [mut loads, mut sums] = [const { String::new() }; 2];
        for i in 0..count {
            let _ = writeln!(loads, "ld.volatile.global.u32 %{name}{i}, [%d6+{}];", 4 * (i % 4));
            let _ = writeln!(sums, "mad.lo.u32 %r12, %r12, 31, %{name}{};", (i * 7) % count);
        }
        format!("{loads} bar.sync 1, 32; {sums} add.u32 %r12, %r12, %r13; st.global.u32 [%d5], %r12;")
    };
    // Tuples of which a word is gone take as much room as before.
    let mut tuples = String::new();
    for i in 0..10 {
        let names = (0..4)
            .map(|word| format!("%z{}", 4 * i + word))
            .collect::<Vec<_>>()
            .join(", ");
        let _ = writeln!(tuples, "ld.volatile.global.v4.u32 {{{names}}}, [%d6];");
    }
    (0..10).for_each(|i| tuples += &format!("xor.b32 %r12, %r12, %z{};\n", 4 * i));
    let rest: String = (0..40)
        .filter(|i| i % 4 != 0)
        .map(|i| format!("mad.lo.u32 %r12, %r12, 17, %z{i};\n"))
        .collect();
    let body = format!(
        ".reg .b32 %z<40>; .reg .b32 %x<64>; .reg .b32 %y<32>; mov.u32 %r12, 0; ld.volatile.global.u32 %r13, [%d6]; setp.lt.u32 %p1, %r4, 32; @%p1 bra few;
        setmaxnreg.inc.sync.aligned.u32 96; {tuples} bar.sync 2, 32; {} {rest} st.global.u32 [%d5+4], %r12; bra over; few: setmaxnreg.dec.sync.aligned.u32 24; {} over:",
        part("x", 30),
        part("y", 23)
    );
    let code = code("sm_90a", ".maxnreg 64", &body);
    let start = code
        .iter()
        .position(|line| line.contains("TRY_ALLOC"))
        .expect("it asks for more");
    let many = &code[start..];
    let end = many
        .iter()
        .position(|line| line.contains("DEALLOC"))
        .unwrap_or(many.len());
    assert!(code.iter().any(|line| line.contains("STL")), "{code:#?}");
    assert!(!many[..end].iter().any(|line| line.contains("STL")), "{many:#?}");
    assert!(!many[..end].iter().any(|line| line.contains("LDL")), "{many:#?}");
}
