//! Device functions: calls by name and by address, recursion, arguments and results of every kind, the stack, and the functions of the run-time system.
//! Each program is compiled with its calls, with small functions copied to them, and without optimisation.

mod support;

use std::fmt::Write as _;

use support::{START, TARGETS, two_by_64};
use warpsmith_emu::{Device, Launch, Options, Report, ptx, sass};
use warpsmith_target::Sm;

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
        ..two_by_64()
    };
    (launch, out)
}

fn program(target: &str, declarations: &str, body: &str) -> String {
    format!(
        ".version 9.0\n.target {target}\n.address_size 64\n{declarations}\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{START}\n{body}\nret;\n}}\n"
    )
}

/// Compiles with options and runs in the emulator: what is in `out`, and the report.
fn emulated(text: &str, target: &str, options: &warpsmith_ori::Options) -> (Vec<u8>, Report) {
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    let sm: Sm = target.parse().expect("a known target");
    let output = warpsmith_ori::compile_with_options(&parsed.module, sm, options);
    let output = output.unwrap_or_else(|errors| panic!("{target}: {}", errors[0]));
    let cubin = warpsmith_cubin::Cubin::read(&output.cubin.write()).expect("the cubin reads back");
    let mut device = Device::new();
    let loaded = sass::load(&mut device, &cubin).unwrap_or_else(|e| panic!("{target}: {e}"));
    let (launch, out) = prepare(&mut device);
    let checked = Options {
        check_hazards: true,
        step_budget: 4_000_000,
        ..Options::default()
    };
    let report = sass::run(&mut device, &loaded, &launch, &checked);
    let report = report.unwrap_or_else(|fault| panic!("{target} -O{}: {fault}\n{text}", options.level));
    (device.read(out, OUT).expect("the buffer is there"), report)
}

fn interpreted(text: &str) -> (Vec<u8>, Report) {
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    assert!(parsed.problems.is_empty(), "{:?}\n{text}", parsed.problems);
    let mut device = Device::new();
    let loaded = ptx::load(&mut device, &parsed.module).expect("the module loads");
    let (launch, out) = prepare(&mut device);
    let report = ptx::run(&mut device, &loaded, &launch, &Options::default());
    let report = report.unwrap_or_else(|fault| panic!("interpreter: {fault}\n{text}"));
    (device.read(out, OUT).expect("the buffer is there"), report)
}

/// Without optimisation; with, but no copies of functions; with everything.
fn ways() -> [warpsmith_ori::Options; 3] {
    let standard = warpsmith_ori::Options::default;
    [
        warpsmith_ori::Options { level: 0, ..standard() },
        warpsmith_ori::Options {
            off: vec!["InlineFunctions".to_string()],
            ..standard()
        },
        standard(),
    ]
}

fn agree(declarations: &str, body: &str) {
    for target in TARGETS {
        let text = program(target, declarations, body);
        let (expected, _) = interpreted(&text);
        for options in ways() {
            let (found, _) = emulated(&text, target, &options);
            let differs = (0..OUT as usize)
                .step_by(4)
                .find(|at| found[*at..at + 4] != expected[*at..at + 4]);
            if let Some(at) = differs {
                panic!(
                    "{target} -O{}: byte {at} is {:02x?}, expected {:02x?}\n{text}",
                    options.level,
                    &found[at..at + 4],
                    &expected[at..at + 4]
                );
            }
        }
    }
}

#[test]
fn what_lies_beyond_a_parameter_is_zero() {
    // LLVM writes such loads for values that nobody uses.
    let text = program(
        "sm_80",
        ".func (.param .b32 r) past(.param .align 4 .b8 p[4]) {
            .reg .b32 %a, %b; ld.param.b32 %a, [p+4]; ld.param.b32 %b, [p]; add.u32 %a, %a, %b; st.param.b32 [r], %a; ret; }",
        "{ .param .b32 r; .param .align 4 .b8 p[4]; st.param.b32 [p], 7; call (r), past, (p); ld.param.b32 %r10, [r]; st.global.u32 [%d5], %r10; }",
    );
    let options = warpsmith_ori::Options {
        level: 0,
        ..warpsmith_ori::Options::default()
    };
    let (memory, _) = emulated(&text, "sm_80", &options);
    assert_eq!(memory[..4], [7, 0, 0, 0]);
}

#[test]
fn a_word_in_and_out() {
    agree(
        ".func (.param .b32 r) twice(.param .b32 x) {
            .reg .b32 %a; ld.param.b32 %a, [x]; add.u32 %a, %a, %a; st.param.b32 [r], %a; ret; }",
        "{ .param .b32 x; .param .b32 r; st.param.b32 [x], %r5; call (r), twice, (x); ld.param.b32 %r6, [r]; }
        st.global.u32 [%d5], %r6;",
    );
}

#[test]
fn values_live_over_a_call() {
    let mut body = String::from(".reg .b32 %v<40>; .reg .pred %q<9>;\n");
    for index in 0..40 {
        body.push_str(&format!("ld.global.u32 %v{index}, [%d6+{}];\n", 4 * (index % 4)));
        body.push_str(&format!("mad.lo.u32 %v{index}, %v{index}, {}, %r5;\n", 2 * index + 1));
    }
    for index in 0..9 {
        body.push_str(&format!("setp.gt.s32 %q{index}, %v{index}, 0;\n"));
    }
    body.push_str(
        "{ .param .b32 x; .param .b32 r; st.param.b32 [x], %v0; call (r), twice, (x); ld.param.b32 %r6, [r]; }\n",
    );
    for index in 0..9 {
        body.push_str(&format!("@%q{index} add.u32 %r6, %r6, {};\n", 1 << index));
    }
    for index in 0..40 {
        body.push_str(&format!("xor.b32 %r6, %r6, %v{index}; mul.lo.u32 %r6, %r6, 3;\n"));
    }
    body.push_str("st.global.u32 [%d5], %r6;");
    agree(
        ".func (.param .b32 r) twice(.param .b32 x) {
            .reg .b32 %a<30>; .reg .pred %p; ld.param.b32 %a1, [x]; setp.gt.s32 %p, %a1, 5;
            @%p bra L; mul.lo.u32 %a1, %a1, 7;
            L: add.u32 %a1, %a1, %a1; st.param.b32 [r], %a1; ret; }",
        &body,
    );
}

/// A predicate that some threads get before a call, when its place is saved, and the others behind it.
#[test]
fn a_value_that_gets_its_other_half_behind_a_call() {
    agree(
        ".func (.param .b32 r) f(.param .b32 a) {
            .reg .b32 %a; .reg .pred %p; ld.param.b32 %a, [a]; setp.lt.u32 %p, %a, 3; @%p bra DONE; sub.u32 %a, %a, 3;
            { .param .b32 x; .param .b32 y; st.param.b32 [x], %a; call (y), f, (x); ld.param.b32 %a, [y]; } add.u32 %a, %a, 7;
            DONE: st.param.b32 [r], %a; ret; }",
        "setp.lt.u32 %p2, %r4, 40; and.b32 %r10, %r4, 1; setp.lt.u32 %p1, %r4, 20; mov.u32 %r20, 0; @%p1 add.u32 %r20, %r4, 3;
        @%p2 setp.eq.u32 %p1, %r10, 0;
        { .param .b32 a; .param .b32 b; st.param.b32 [a], %r4; call (b), f, (a); ld.param.b32 %r11, [b]; }
        @!%p2 setp.ne.u32 %p1, %r11, 5; selp.u32 %r12, %r11, 2, %p1; add.u32 %r12, %r12, %r20; st.global.u32 [%d5], %r12;",
    );
}

#[test]
fn recursion_with_divergent_depth() {
    agree(
        ".func (.param .b32 r) fib(.param .b32 n) {
            .reg .b32 %a<9>; .reg .pred %p;
            ld.param.b32 %a1, [n]; setp.lt.s32 %p, %a1, 2; mov.b32 %a5, %a1;
            @%p bra DONE;
            sub.s32 %a2, %a1, 1;
            { .param .b32 x; .param .b32 y; st.param.b32 [x], %a2; call (y), fib, (x); ld.param.b32 %a3, [y]; }
            sub.s32 %a2, %a1, 2;
            { .param .b32 x; .param .b32 y; st.param.b32 [x], %a2; call (y), fib, (x); ld.param.b32 %a4, [y]; }
            add.s32 %a5, %a3, %a4;
            DONE: st.param.b32 [r], %a5; ret; }",
        "and.b32 %r6, %r5, 7;
        { .param .b32 x; .param .b32 r; st.param.b32 [x], %r6; call (r), fib, (x); ld.param.b32 %r7, [r]; }
        st.global.u32 [%d5], %r7;",
    );
}

#[test]
fn mutual_recursion() {
    agree(
        ".func (.param .b32 r) odd(.param .b32 n);
        .func (.param .b32 r) even(.param .b32 n) {
            .reg .b32 %a<9>; .reg .pred %p;
            ld.param.b32 %a1, [n]; setp.eq.s32 %p, %a1, 0; mov.b32 %a5, 1; @%p bra DONE;
            sub.s32 %a2, %a1, 1;
            { .param .b32 x; .param .b32 y; st.param.b32 [x], %a2; call (y), odd, (x); ld.param.b32 %a5, [y]; }
            DONE: st.param.b32 [r], %a5; ret; }
        .func (.param .b32 r) odd(.param .b32 n) {
            .reg .b32 %a<9>; .reg .pred %p;
            ld.param.b32 %a1, [n]; setp.eq.s32 %p, %a1, 0; mov.b32 %a5, 0; @%p bra DONE;
            sub.s32 %a2, %a1, 1;
            { .param .b32 x; .param .b32 y; st.param.b32 [x], %a2; call (y), even, (x); ld.param.b32 %a5, [y]; }
            DONE: st.param.b32 [r], %a5; ret; }",
        "and.b32 %r6, %r5, 15;
        { .param .b32 x; .param .b32 r; st.param.b32 [x], %r6; call (r), even, (x); ld.param.b32 %r7, [r]; }
        st.global.u32 [%d5], %r7;",
    );
}

#[test]
fn calls_under_guards_and_in_branches() {
    agree(
        ".func (.param .b32 r) f(.param .b32 x) {
            .reg .b32 %a; ld.param.b32 %a, [x]; mad.lo.u32 %a, %a, 5, 3; st.param.b32 [r], %a; ret; }",
        "setp.gt.u32 %p1, %r4, 20; setp.lt.u32 %p2, %r4, 40; mov.u32 %r7, 1; mov.u32 %r8, 2;
        { .param .b32 x; .param .b32 r; st.param.b32 [x], %r5; @%p1 call (r), f, (x); @%p1 ld.param.b32 %r7, [r]; }
        @%p2 bra SKIP;
        { .param .b32 x; .param .b32 r; st.param.b32 [x], %r7; call (r), f, (x); ld.param.b32 %r8, [r]; }
        SKIP: bar.sync 0;
        st.global.v2.u32 [%d5], {%r7, %r8};",
    );
}

#[test]
fn calls_in_a_divergent_loop() {
    agree(
        ".func (.param .b32 r) f(.param .b32 x, .param .b32 y) {
            .reg .b32 %a, %b; ld.param.b32 %a, [x]; ld.param.b32 %b, [y]; mad.lo.u32 %a, %a, 5, %b; st.param.b32 [r], %a; ret; }",
        "and.b32 %r6, %r4, 7; mov.u32 %r7, 1;
        LOOP: { .param .b32 x; .param .b32 y; .param .b32 r; st.param.b32 [x], %r7; st.param.b32 [y], %r6;
            call (r), f, (x, y); ld.param.b32 %r7, [r]; }
        sub.s32 %r6, %r6, 1; setp.ge.s32 %p1, %r6, 0; @%p1 bra LOOP;
        st.global.u32 [%d5], %r7;",
    );
}

/// Every kind of scalar, more than registers take, and structures: the places are those of `convention`.
#[test]
fn arguments_in_registers_and_on_the_stack() {
    agree(
        ".func (.param .b64 r) f(.param .b8 a, .param .b16 b, .param .b32 c, .param .b64 d, .param .f32 e, .param .f64 g,
            .param .align 8 .b8 s[40], .param .b64 h, .param .b32 i, .param .b32 j, .param .b8 l, .param .align 4 .b8 t[6]) {
            .reg .b64 %a<20>; .reg .f32 %e; .reg .f64 %g; .reg .b16 %b<9>; .reg .b32 %c<9>;
            ld.param.u8 %a1, [a]; ld.param.s16 %a2, [b]; ld.param.u32 %a3, [c]; ld.param.u64 %a4, [d];
            ld.param.f32 %e, [e]; ld.param.f64 %g, [g]; ld.param.u64 %a5, [s+8]; ld.param.u32 %a6, [s+36]; ld.param.s8 %a7, [s+3];
            ld.param.u64 %a8, [h]; ld.param.u32 %a9, [i]; ld.param.s32 %a10, [j]; ld.param.s8 %a11, [l];
            ld.param.u16 %a12, [t+4]; ld.param.u8 %a13, [t+1];
            cvt.rzi.s64.f32 %a14, %e; cvt.rzi.s64.f64 %a15, %g;
            mov.u64 %a0, 7;
            mad.lo.u64 %a0, %a0, 31, %a1; mad.lo.u64 %a0, %a0, 31, %a2; mad.lo.u64 %a0, %a0, 31, %a3; mad.lo.u64 %a0, %a0, 31, %a4;
            mad.lo.u64 %a0, %a0, 31, %a5; mad.lo.u64 %a0, %a0, 31, %a6; mad.lo.u64 %a0, %a0, 31, %a7; mad.lo.u64 %a0, %a0, 31, %a8;
            mad.lo.u64 %a0, %a0, 31, %a9; mad.lo.u64 %a0, %a0, 31, %a10; mad.lo.u64 %a0, %a0, 31, %a11; mad.lo.u64 %a0, %a0, 31, %a12;
            mad.lo.u64 %a0, %a0, 31, %a13; mad.lo.u64 %a0, %a0, 31, %a14; mad.lo.u64 %a0, %a0, 31, %a15;
            st.param.b64 [r], %a0; ret; }",
        "cvt.u16.u32 %h1, %r5; cvt.u64.u32 %d10, %r5; mul.lo.u64 %d10, %d10, 0x123456789; cvt.rn.f32.u32 %f1, %r5; cvt.rn.f64.u32 %g1, %r5;
        { .param .b8 a; .param .b16 b; .param .b32 c; .param .b64 d; .param .f32 e; .param .f64 g; .param .align 8 .b8 s[40];
        .param .b64 h; .param .b32 i; .param .b32 j; .param .b8 l; .param .align 4 .b8 t[6]; .param .b64 r;
        st.param.b8 [a], %h1; st.param.b16 [b], %h1; st.param.b32 [c], %r5; st.param.b64 [d], %d10; st.param.f32 [e], %f1; st.param.f64 [g], %g1;
        st.param.b32 [s], %r5; st.param.b8 [s+3], %h1; st.param.b64 [s+8], %d10; st.param.b64 [s+16], %d4; st.param.b32 [s+24], %r4; st.param.b32 [s+36], %r4;
        st.param.b64 [h], %d10; st.param.b32 [i], 5; st.param.b32 [j], -9; st.param.b8 [l], %h1;
        st.param.b8 [t], 1; st.param.b8 [t+1], %h1; st.param.b16 [t+2], 3; st.param.b16 [t+4], %h1;
        call (r), f, (a, b, c, d, e, g, s, h, i, j, l, t); ld.param.b64 %d11, [r]; }
        st.global.u64 [%d5], %d11;",
    );
}

#[test]
fn structures_come_back_in_registers_or_in_memory() {
    for size in [24, 48, 64] {
        let last = size - 8;
        agree(
            &format!(
                ".func (.param .align 8 .b8 r[{size}]) f(.param .b32 x) {{
                .reg .b32 %a; .reg .b64 %b; ld.param.b32 %a, [x]; cvt.u64.u32 %b, %a; mul.lo.u64 %b, %b, 0x100000003;
                st.param.b32 [r], %a; add.u32 %a, %a, 1; st.param.b32 [r+4], %a; st.param.b64 [r+8], %b; st.param.b64 [r+{last}], %b; ret; }}"
            ),
            &format!(
                "{{ .param .b32 x; .param .align 8 .b8 r[{size}]; st.param.b32 [x], %r5; call (r), f, (x);
                ld.param.v2.b32 {{%r6, %r7}}, [r]; ld.param.b64 %d7, [r+{last}]; }}
                st.global.v2.u32 [%d5], {{%r6, %r7}}; st.global.u64 [%d5+8], %d7;"
            ),
        );
    }
}

#[test]
fn a_parameter_whose_address_is_taken() {
    agree(
        ".func (.param .b32 r) f(.param .align 4 .b8 x[16], .param .b32 i) {
            .reg .b32 %a<4>; .reg .b64 %b<4>; ld.param.b32 %a1, [i]; mul.wide.u32 %b1, %a1, 4; mov.b64 %b2, x; cvta.local.u64 %b2, %b2;
            add.u64 %b2, %b2, %b1; ld.u32 %a2, [%b2]; st.param.b32 [r], %a2; ret; }",
        "and.b32 %r6, %r5, 3; add.u32 %r7, %r5, 10; add.u32 %r8, %r5, 20; add.u32 %r9, %r5, 30; add.u32 %r10, %r5, 40;
        { .param .align 4 .b8 x[16]; .param .b32 i; .param .b32 r; st.param.b32 [x], %r7; st.param.b32 [x+4], %r8; st.param.b32 [x+8], %r9;
        st.param.b32 [x+12], %r10; st.param.b32 [i], %r6; call (r), f, (x, i); ld.param.b32 %r11, [r]; }
        st.global.u32 [%d5], %r11;",
    );
}

#[test]
fn parameters_that_are_registers() {
    agree(
        ".func (.reg .b64 s) f(.reg .b32 x, .reg .b64 y) { cvt.u64.u32 s, x; mad.lo.u64 s, s, 77, y; ret; }",
        ".reg .b64 %w; cvt.u64.u32 %d7, %r4; call (%w), f, (%r5, %d7); call (%w), f, (7, %w); st.global.u64 [%d5], %w;",
    );
}

#[test]
fn calls_of_addresses() {
    agree(
        ".func (.param .b32 r) f(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; mul.lo.u32 %a, %a, 3; st.param.b32 [r], %a; ret; }
        .func (.param .b32 r) g(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; mul.lo.u32 %a, %a, %a; st.param.b32 [r], %a; ret; }
        .global .align 8 .u64 table[2] = { f, g };",
        "and.b32 %r6, %r5, 1; mul.wide.u32 %d7, %r6, 8; mov.u64 %d8, table; add.u64 %d8, %d8, %d7; ld.global.u64 %d9, [%d8];
        PROTO: .callprototype (.param .b32 _) _ (.param .b32 _);
        { .param .b32 x; .param .b32 r; st.param.b32 [x], %r5; call (r), %d9, (x), PROTO; ld.param.b32 %r7, [r]; }
        setp.gt.u32 %p1, %r5, 50; mov.u64 %d10, f; mov.u64 %d11, g; selp.b64 %d12, %d10, %d11, %p1;
        LIST: .calltargets f, g;
        { .param .b32 x; .param .b32 r; st.param.b32 [x], %r5; call (r), %d12, (x), LIST; ld.param.b32 %r8, [r]; }
        st.global.v2.u32 [%d5], {%r7, %r8};",
    );
}

#[test]
fn shared_variables_of_functions() {
    agree(
        ".shared .align 4 .b8 own[256]; .shared .align 4 .b8 common[256]; .extern .shared .align 4 .b8 open[];
        .func f(.param .b32 i, .param .b32 x) {
            .reg .b32 %a<5>; ld.param.b32 %a1, [i]; ld.param.b32 %a2, [x]; shl.b32 %a1, %a1, 2; mov.b32 %a3, common; add.u32 %a3, %a3, %a1;
            st.shared.u32 [%a3], %a2; ret; }",
        "shl.b32 %r6, %r4, 2; mov.b32 %r7, own; add.u32 %r7, %r7, %r6; st.shared.u32 [%r7], %r5;
        { .param .b32 i; .param .b32 x; st.param.b32 [i], %r4; add.u32 %r8, %r5, 1000; st.param.b32 [x], %r8; call f, (i, x); }
        bar.sync 0; xor.b32 %r9, %r6, 4; mov.b32 %r10, common; add.u32 %r10, %r10, %r9; ld.shared.u32 %r11, [%r10];
        mov.b32 %r12, own; add.u32 %r12, %r12, %r9; ld.shared.u32 %r13, [%r12]; st.global.v2.u32 [%d5], {%r11, %r13};",
    );
}

#[test]
fn local_variables_of_functions() {
    agree(
        ".func (.param .b32 r) g(.param .b32 x) {
            .local .align 4 .b8 v[16]; .reg .b32 %a<5>; .reg .b64 %b<3>; ld.param.b32 %a1, [x]; and.b32 %a2, %a1, 3; mul.wide.u32 %b1, %a2, 4;
            mov.u64 %b2, v; add.u64 %b2, %b2, %b1; st.local.u32 [v], 1; st.local.u32 [v+4], 2; st.local.u32 [v+8], 3; st.local.u32 [v+12], 4;
            st.local.u32 [%b2], %a1; ld.local.u32 %a3, [v+4]; ld.local.u32 %a4, [%b2]; add.u32 %a3, %a3, %a4; st.param.b32 [r], %a3; ret; }
        .func (.param .b32 r) f(.param .b32 x) {
            .local .align 8 .b8 w[32]; .reg .b32 %a<5>; ld.param.b32 %a1, [x]; st.local.u32 [w+20], %a1;
            { .param .b32 y; .param .b32 z; st.param.b32 [y], %a1; call (z), g, (y); ld.param.b32 %a2, [z]; }
            ld.local.u32 %a3, [w+20]; mad.lo.u32 %a3, %a3, 100, %a2; st.param.b32 [r], %a3; ret; }",
        ".local .align 8 .b8 u[24]; st.local.u32 [u+8], %r5;
        { .param .b32 x; .param .b32 r; st.param.b32 [x], %r5; call (r), f, (x); ld.param.b32 %r6, [r]; }
        ld.local.u32 %r7, [u+8]; st.global.v2.u32 [%d5], {%r6, %r7};",
    );
}

#[test]
fn memory_on_the_stack_of_changing_size() {
    agree(
        ".func (.param .b32 r) sum(.param .b64 p, .param .b32 n) {
            .reg .b32 %a<5>; .reg .b64 %b; .reg .pred %p; ld.param.b64 %b, [p]; ld.param.b32 %a1, [n]; mov.u32 %a2, 0;
            L: ld.u32 %a3, [%b]; add.u32 %a2, %a2, %a3; add.u64 %b, %b, 4; sub.u32 %a1, %a1, 1; setp.ne.u32 %p, %a1, 0; @%p bra L;
            st.param.b32 [r], %a2; ret; }",
        ".local .align 4 .b8 v[8]; st.local.u32 [v+4], %r5; and.b32 %r6, %r4, 3; add.u32 %r6, %r6, 1; mul.wide.u32 %d7, %r6, 4;
        stacksave.u64 %d8; alloca.u64 %d9, %d7, 4; mov.u64 %d10, %d9; mov.u32 %r7, %r6;
        FILL: add.u32 %r8, %r5, %r7; st.local.u32 [%d10], %r8; add.u64 %d10, %d10, 4; sub.u32 %r7, %r7, 1; setp.ne.u32 %p1, %r7, 0; @%p1 bra FILL;
        cvta.local.u64 %d11, %d9;
        { .param .b64 p; .param .b32 n; .param .b32 r; st.param.b64 [p], %d11; st.param.b32 [n], %r6; call (r), sum, (p, n); ld.param.b32 %r9, [r]; }
        stackrestore.u64 %d8; ld.local.u32 %r10, [v+4]; st.global.v2.u32 [%d5], {%r9, %r10};",
    );
}

#[test]
fn names_that_stand_for_others() {
    agree(
        ".visible .func (.param .b32 r) f(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; mul.lo.u32 %a, %a, 3; st.param.b32 [r], %a; ret; }
        .visible .func (.param .b32 r) g(.param .b32 x);
        .alias g, f;",
        "{ .param .b32 x; .param .b32 r; st.param.b32 [x], %r5; call (r), g, (x); ld.param.b32 %r6, [r]; } st.global.u32 [%d5], %r6;",
    );
}

#[test]
fn printing_and_the_heap() {
    let declarations = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
        .extern .func (.param .b64 r) malloc(.param .b64 n); .extern .func free(.param .b64 p);
        .global .align 1 .b8 text[16] = {37, 100, 32, 37, 120, 10, 0};";
    let body = ".local .align 8 .b8 v[8]; .reg .b64 %t, %u; setp.gt.u32 %p1, %r4, 2; @%p1 bra DONE;
        st.local.u32 [v], %r5; shl.b32 %r6, %r5, 8; st.local.u32 [v+4], %r6; mov.u64 %u, v; cvta.local.u64 %u, %u;
        mov.u64 %t, text; cvta.global.u64 %t, %t;
        { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %t; st.param.b64 [a], %u; call (r), vprintf, (f, a); ld.param.b32 %r7, [r]; }
        { .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call (r), malloc, (n); ld.param.b64 %d7, [r]; }
        st.u32 [%d7+4], %r6; ld.u32 %r8, [%d7+4];
        { .param .b64 p; st.param.b64 [p], %d7; call free, (p); }
        st.global.v2.u32 [%d5], {%r7, %r8}; DONE:";
    for target in TARGETS {
        let text = program(target, declarations, body);
        let (expected, report) = interpreted(&text);
        for options in ways() {
            let (found, other) = emulated(&text, target, &options);
            assert_eq!(found, expected, "{target}");
            assert_eq!(other.printed, report.printed, "{target}");
            assert!(other.printed.contains("66 4200\n"), "{}", other.printed);
        }
    }
}

/// The system's functions keep more registers than others do, from sm_80 on: nothing goes to memory for them. (The emulator changes what they
/// may change.)
#[test]
fn values_stay_in_registers_over_calls_of_the_system() {
    let declarations = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
        .global .align 1 .b8 text[16] = {37, 100, 10, 0};";
    let (mut loads, mut sums) = (String::new(), String::new());
    for i in 0..150 {
        let _ = writeln!(loads, "ld.volatile.global.u32 %x{i}, [%d6+{}];", 4 * (i % 8));
        let _ = writeln!(sums, "mad.lo.u32 %r7, %r7, 31, %x{i};");
    }
    let call = "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %t; st.param.b64 [a], %u; call (r), vprintf, (f, a); ld.param.b32 %r7, [r]; }";
    let body = format!(
        ".local .align 8 .b8 v[8]; .reg .b32 %x<150>; .reg .b64 %t, %u; st.local.u32 [v], %r5; mov.u64 %u, v; cvta.local.u64 %u, %u;
        mov.u64 %t, text; cvta.global.u64 %t, %t; {loads} {call} {sums} st.global.u32 [%d5], %r7;"
    );
    for target in ["sm_80", "sm_89", "sm_90", "sm_100", "sm_120"] {
        let text = program(target, declarations, &body);
        let (expected, _) = interpreted(&text);
        let options = warpsmith_ori::Options::default();
        assert_eq!(emulated(&text, target, &options).0, expected, "{target}");
        let parsed = warpsmith_ptx::parse(text.as_bytes());
        let sm: Sm = target.parse().expect("a known target");
        let output = warpsmith_ori::compile_with_options(&parsed.module, sm, &options).expect("the program compiles");
        assert_eq!(output.functions[0].spill_store_bytes, 0, "{target}");
    }
}

#[test]
fn addresses_of_kernel_parameters() {
    agree("", "mov.b64 %d7, n; ld.param.u32 %r7, [%d7]; st.global.u32 [%d5], %r7;");
}

/// The words of each function of a program, by name.
fn words(
    text: &str,
    target: &str,
    options: &warpsmith_ori::Options,
) -> Vec<(String, Vec<warpsmith_sass::Instruction>)> {
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    let sm: Sm = target.parse().expect("a known target");
    let output = warpsmith_ori::compile_with_options(&parsed.module, sm, options).expect("the program compiles");
    let cubin = warpsmith_cubin::Cubin::read(&output.cubin.write()).expect("the cubin reads back");
    let decode = |word: &[u8]| {
        let word = u128::from_le_bytes(word.try_into().expect("16 bytes"));
        warpsmith_sass::Instruction::decode(sm.isa(), word).expect("our words decode")
    };
    let functions = cubin.functions().map(|(section, name)| {
        let words = cubin.section_bytes(section).unwrap_or_default().chunks_exact(16);
        (name.to_string(), words.map(decode).collect())
    });
    functions.collect()
}

/// The first instruction that reads a uniform register which its block has not written.
fn reads_another_blocks(words: &[warpsmith_sass::Instruction]) -> Option<String> {
    use warpsmith_sass::{Flow, RegisterClass, hazard::Footprint};
    let ends = |word: &warpsmith_sass::Instruction| {
        matches!(word.flow(), Flow::Branch | Flow::Call | Flow::Converge | Flow::Return)
    };
    let mut starts = vec![false; words.len() + 1];
    for (at, word) in words.iter().enumerate() {
        starts[at + 1] |= ends(word);
        if let Some(target) = word.branch_target(at as u64 * 16) {
            starts[(target as usize / 16).min(words.len())] = true;
        }
    }
    let mut written: Vec<u8> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if starts[at] {
            written.clear();
        }
        let footprint = Footprint::of(word);
        let uniform = |touched: &&warpsmith_sass::hazard::Touched| touched.class() == RegisterClass::UniformGpr;
        if footprint
            .reads()
            .filter(uniform)
            .any(|touched| !written.contains(&touched.number()))
        {
            return Some(format!("{:#x}: {word}", at * 16));
        }
        written.extend(footprint.writes().filter(uniform).map(|touched| touched.number()));
    }
    None
}

#[test]
fn functions_read_uniform_registers_in_the_block_that_writes_them() {
    // Threads of a warp that call other functions at the same time have uniform registers of their own use there.
    let function = "(.param .b32 r) NAME(.param .b64 p, .param .b32 n) {
        .reg .b32 %a<9>; .reg .b64 %d; .reg .pred %p; ld.param.b64 %d, [p]; ld.param.b32 %a1, [n]; mov.u32 %a2, STEP;
        ld.global.u32 %a3, [%d];
        L: mad.lo.u32 %a2, %a2, 5, %a1; st.global.u32 [%d+4], %a2; sub.u32 %a1, %a1, 1; setp.gt.s32 %p, %a1, 0; @%p bra L;
        ld.global.u32 %a4, [%d+4]; add.u32 %a2, %a4, %a3; st.param.b32 [r], %a2; ret; }";
    let function = |name: &str, step: &str| format!(".func {}", function.replace("NAME", name).replace("STEP", step));
    let declarations = format!("{}\n{}", function("f", "3"), function("g", "7"));
    let call = |name: &str| {
        format!(
            "{{ .param .b64 p; .param .b32 n; .param .b32 r; st.param.b64 [p], %d5; st.param.b32 [n], %r10; call (r), {name}, (p, n); ld.param.b32 %r11, [r]; }}"
        )
    };
    let body = format!(
        "and.b32 %r10, %r4, 7; setp.gt.u32 %p1, %r10, 3; st.global.u32 [%d5], %r4; @%p1 bra A; {} add.u32 %r11, %r11, 1; bra C; A: {}
        st.global.u32 [%d5+12], %r4; C: st.global.u32 [%d5+8], %r11;",
        call("f"),
        call("g")
    );
    agree(&declarations, &body);
    for target in TARGETS {
        let text = program(target, &declarations, &body);
        for options in &ways()[..2] {
            for (name, words) in words(&text, target, options).iter().filter(|(name, _)| name != "k") {
                let found = reads_another_blocks(words);
                assert_eq!(found, None, "{target} -O{} {name}", options.level);
            }
        }
    }
}

#[test]
fn values_stay_in_registers_that_the_called_function_leaves_alone() {
    // 140 values live across the call, of which the calling convention saves less.
    let declarations = ".func (.param .b32 r) twice(.param .b32 p) {
        .reg .b32 %a; ld.param.b32 %a, [p]; add.u32 %a, %a, %a; st.param.b32 [r], %a; ret; }";
    let mut body = String::from(".reg .b32 %v<140>;\n");
    for value in 0..140 {
        body += &format!("ld.global.u32 %v{value}, [%d6+{}];\n", 4 * value);
    }
    body += "{ .param .b32 r; .param .b32 p; st.param.b32 [p], %v0; call (r), twice, (p); ld.param.b32 %v0, [r]; }\n";
    for value in 1..140 {
        body += &format!("mad.lo.u32 %v0, %v0, 31, %v{value};\n");
    }
    body += "st.global.u32 [%d5], %v0;\n";
    agree(declarations, &body);
    let text = program("sm_80", declarations, &body);
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    let sm: Sm = "sm_80".parse().expect("a known target");
    let spilled = |off: &[&str]| {
        let options = warpsmith_ori::Options {
            off: off.iter().map(|name| (*name).to_string()).collect(),
            ..warpsmith_ori::Options::default()
        };
        let output = warpsmith_ori::compile_with_options(&parsed.module, sm, &options).expect("it compiles");
        let bytes = output.functions.iter().map(|function| function.spill_store_bytes);
        bytes.sum::<u32>()
    };
    assert_eq!(spilled(&["InlineFunctions"]), 0);
    assert!(spilled(&["InlineFunctions", "NarrowClobbers"]) > 0);
}

#[test]
fn a_predicate_that_two_guards_define_is_spilled_when_it_is_whole() {
    // In a loop with a call, which destroys all predicates: the two halves of %p3 are one definition.
    let declarations =
        ".func (.param .b32 r) same(.param .b32 p) { .reg .b32 %a; ld.param.b32 %a, [p]; st.param.b32 [r], %a; ret; }";
    agree(
        declarations,
        ".reg .b64 %f; mov.u64 %f, same; ld.global.u32 %r10, [%d6]; and.b32 %r10, %r10, 7; mov.u32 %r11, 0;
        setp.ne.u32 %p4, %r1, 0; mov.pred %p1, 0;
        L: { .param .b32 r; .param .b32 p; st.param.b32 [p], %r10; P: .callprototype (.param .b32 _) _ (.param .b32 _); call (r), %f, (p), P; ld.param.b32 %r12, [r]; }
        add.u32 %r11, %r11, %r12; and.b32 %r13, %r11, 1; setp.ne.u32 %p5, %r13, 0;
        @%p5 bra M; mov.pred %p2, %p1; bra.uni N;
        M: ld.global.u32 %r14, [%d6+4]; setp.gt.s32 %p2, %r14, 0;
        N: mov.pred %p1, %p2; sub.u32 %r10, %r10, 1; setp.gt.s32 %p6, %r10, 0; @%p6 bra L;
        { .param .b32 r; .param .b32 p; st.param.b32 [p], %r11; Q: .callprototype (.param .b32 _) _ (.param .b32 _); call (r), %f, (p), Q; ld.param.b32 %r12, [r]; }
        selp.u32 %r15, 1, 0, %p2; selp.u32 %r16, 2, 0, %p4; add.u32 %r15, %r15, %r16; st.global.u32 [%d5], %r15; st.global.u32 [%d5+4], %r12;",
    );
}

#[test]
fn a_result_that_is_chosen_behind_the_next_call() {
    // The choice would read it in the register in which the second call wants its argument.
    agree(
        ".func (.param .b64 r) twice(.param .b64 p) { .reg .b64 %a; ld.param.b64 %a, [p]; add.u64 %a, %a, %a; st.param.b64 [r], %a; ret; }",
        "ld.global.u64 %d10, [%d6]; setp.gt.u32 %p3, %r4, 7; .param .b64 p; .param .b64 r;
        st.param.b64 [p], %d10; call (r), twice, (p); ld.param.b64 %d11, [r];
        st.param.b64 [p], %d5; call (r), twice, (p); ld.param.b64 %d12, [r];
        selp.b64 %d13, %d11, %d10, %p3; st.global.b8 [%d5], %d13; st.global.u64 [%d5+8], %d12;",
    );
}

#[test]
fn a_parameter_that_is_chosen_behind_a_call() {
    // The same for what the function itself is given in a register.
    agree(
        ".func (.param .b32 r) odd(.param .b32 p) { .reg .b32 %a; ld.param.b32 %a, [p]; or.b32 %a, %a, 1; st.param.b32 [r], %a; ret; }
        .func (.param .b32 r) pick(.param .b32 a, .param .b64 d) {
            .reg .b32 %x, %y, %z; .reg .b64 %p; .reg .pred %q; ld.param.b32 %x, [a]; ld.param.b64 %p, [d]; ld.global.u32 %y, [%p];
            setp.gt.s32 %q, %y, 0; .param .b32 t; .param .b32 u; st.param.b32 [t], %y; call (u), odd, (t); ld.param.b32 %z, [u];
            selp.b32 %x, %x, %y, %q; add.u32 %x, %x, %z; st.param.b32 [r], %x; ret; }",
        "{ .param .b32 a; .param .b64 d; .param .b32 r; st.param.b32 [a], %r4; st.param.b64 [d], %d6;
        call (r), pick, (a, d); ld.param.b32 %r10, [r]; } st.global.u32 [%d5], %r10;",
    );
}

/// A call by some threads, sums of what the warp has in common before and behind it, and a loop that is the same for all.
const BESIDE_A_CALL: &str = "mad.lo.u32 %r10, %r2, 7, %r1; setp.gt.u32 %p1, %r4, 9; @%p1 bra OTHERS;
    { .param .b32 p; .param .b32 r; st.param.b32 [p], %r10; call (r), odd, (p); ld.param.b32 %r11, [r]; }
    xor.b32 %r12, %r2, %r10; add.u32 %r11, %r11, %r12; st.global.u32 [%d5+4], %r11;
    OTHERS: shl.b32 %r13, %r2, 4; add.u32 %r13, %r13, %r10; xor.b32 %r14, %r13, %r5; mov.u32 %r15, 0;
    L: add.u32 %r14, %r14, %r15; xor.b32 %r14, %r14, %r13; add.u32 %r15, %r15, 1; setp.lt.u32 %p2, %r15, %r2; @%p2 bra L;
    st.global.u32 [%d5], %r14;";

const ODD: &str = ".func (.param .b32 r) odd(.param .b32 p) { .reg .b32 %a; ld.param.b32 %a, [p]; or.b32 %a, %a, 1; st.param.b32 [r], %a; ret; }";

#[test]
fn uniform_registers_beside_calls() {
    agree(ODD, BESIDE_A_CALL);
    let body = "setp.gt.u32 %p1, %r4, 9; @%p1 bra OTHERS;
        { .param .b32 p; .param .b32 r; st.param.b32 [p], %r4; call (r), odd, (p); ld.param.b32 %r11, [r]; }
        ld.param.u32 %r12, [n]; xor.b32 %r12, %r12, %r11; st.global.u32 [%d5+4], %r12;
        OTHERS: xor.b32 %r10, %r2, %r5; st.global.u32 [%d5], %r10;";
    agree(ODD, body);
    let text = program("sm_90", ODD, body);
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    let options = warpsmith_ori::Options {
        off: vec!["InlineFunctions".to_string()],
        ..Default::default()
    };
    let mut found = String::new();
    let mut observe = |event: warpsmith_ori::phase::Event<'_>| {
        if event.phase.is_some_and(|row| row.name == "ConvertToUniformReg") && event.function.kernel {
            found = event.function.to_string();
        }
    };
    let sm: Sm = "sm_90".parse().expect("a known target");
    warpsmith_ori::compile_observed(&parsed.module, sm, &options, &mut observe).expect("compiles");
    let (before, behind) = found.split_once("CALL").expect("a call");
    assert!(before.contains("S2UR UR0, SR_CTAID.X"), "{found}");
    // What stands between the call and where the threads meet is no place for them: they may come back one by one.
    let behind = behind.split("BSYNC").next().unwrap_or_default();
    assert!(behind.contains("STG") && !behind.contains("URd"), "{behind}");
}
