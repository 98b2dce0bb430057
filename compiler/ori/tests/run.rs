//! Compiled kernels run in the SASS emulator, in checked mode, and give what the PTX interpreter gives.

use warpsmith_emu::{Device, Launch, Options, ptx, sass};
use warpsmith_target::Sm;

/// A target of every encoding generation.
const TARGETS: [&str; 9] = [
    "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120",
];

/// Buffers and memory after a launch: `out` of 1 KiB first, then the input.
fn launch(device: &mut Device, input: &[u8]) -> (Launch, u64) {
    let out = device.allocate(1024, 16);
    let data = device.allocate(input.len() as u64, 16);
    assert_eq!(device.write(data, input), Ok(()));
    let launch = Launch {
        block: [64, 1, 1],
        grid: [2, 1, 1],
        arguments: vec![
            out.to_le_bytes().to_vec(),
            data.to_le_bytes().to_vec(),
            100_u32.to_le_bytes().to_vec(),
        ],
        ..Launch::of("k")
    };
    (launch, out)
}

/// Runs a kernel `k(out, in, n)` on every generation and compares.
fn agree(body: &str) {
    let input: Vec<u8> = (0..1024_u32)
        .flat_map(|i| (i.wrapping_mul(2_654_435_761)).to_le_bytes())
        .collect();
    for target in TARGETS {
        let text = format!(
            ".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{body}\n}}\n"
        );
        let parsed = warpsmith_ptx::parse(text.as_bytes());
        assert!(parsed.problems.is_empty(), "{target}: {:?}", parsed.problems);
        let mut device = Device::new();
        let loaded = ptx::load(&mut device, &parsed.module).expect("the module loads");
        let (wanted, out) = launch(&mut device, &input);
        ptx::run(&mut device, &loaded, &wanted, &Options::default()).expect("the interpreter runs it");
        let expected = device.read(out, 1024).expect("the buffer is there");

        let sm: Sm = target.parse().expect("a known target");
        let cubin = warpsmith_ori::compile(&parsed.module, sm).unwrap_or_else(|e| panic!("{target}: {}", e[0]));
        let mut device = Device::new();
        let loaded = sass::load(&mut device, &cubin).expect("the cubin loads");
        let (launch, out) = launch(&mut device, &input);
        let options = Options {
            check_hazards: true,
            step_budget: 100_000,
            ..Options::default()
        };
        if let Err(fault) = sass::run(&mut device, &loaded, &launch, &options) {
            panic!("{target}: {fault}");
        }
        assert_eq!(
            device.read(out, 1024).expect("the buffer is there"),
            expected,
            "{target}"
        );
    }
}

#[test]
fn a_guarded_vector_sum() {
    agree(
        ".reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %d<9>;
        ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u32 %r1, [n];
        mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
        mad.lo.u32 %r5, %r2, %r3, %r4;
        setp.ge.u32 %p1, %r5, %r1;
        @%p1 bra DONE;
        mul.wide.u32 %d3, %r5, 4;
        add.u64 %d4, %d2, %d3;
        ld.global.u32 %r6, [%d4];
        ld.global.u32 %r7, [%d4+4];
        add.u32 %r8, %r6, %r7;
        xor.b32 %r8, %r8, 0x12345678;
        add.u64 %d5, %d1, %d3;
        st.global.u32 [%d5], %r8;
        DONE: ret;",
    );
}

#[test]
fn a_loop_with_divergent_trip_counts() {
    agree(
        ".reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %d<9>;
        ld.param.u64 %d1, [out];
        mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
        mad.lo.u32 %r5, %r2, %r3, %r4;
        and.b32 %r6, %r4, 7; mov.u32 %r7, 1;
        LOOP: mad.lo.u32 %r7, %r7, 3, %r6;
        sub.u32 %r6, %r6, 1;
        setp.ge.s32 %p1, %r6, 0;
        @%p1 bra LOOP;
        mul.wide.u32 %d3, %r5, 4;
        add.u64 %d5, %d1, %d3;
        st.global.u32 [%d5], %r7;
        ret;",
    );
}

#[test]
fn more_predicates_than_there_are_registers() {
    let mut body = String::from(
        ".reg .pred %p<13>; .reg .b32 %r<30>; .reg .b64 %d<9>;
        ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in];
        mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4; add.u64 %d4, %d2, %d3; add.u64 %d5, %d1, %d3;
        ld.global.u32 %r2, [%d4]; mov.u32 %r3, 0;\n",
    );
    for index in 0..12 {
        let threshold = 0x1000_0000_u32.wrapping_mul(index + 1);
        body.push_str(&format!("setp.gt.u32 %p{index}, %r2, {threshold};\n"));
    }
    for index in 0..12 {
        body.push_str(&format!("@%p{index} add.u32 %r3, %r3, {};\n", 1 << index));
    }
    body.push_str("@!%p3 xor.b32 %r3, %r3, 0x55550000; st.global.u32 [%d5], %r3; ret;");
    agree(&body);
}

#[test]
fn the_register_count_leaves_what_the_machine_keeps() {
    // Observed, ptxas 13.0.88: the count that a cubin states is the highest register used, one, and what `ir-defs/targets.tbl` reserves.
    let text = ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) {
        .reg .b32 %r<3>; .reg .b64 %d<2>;
        ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; st.global.u32 [%d1], %r1; ret; }";
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    for target in TARGETS {
        let sm: Sm = target.parse().expect("a known target");
        let output = warpsmith_ori::compile_with_options(&parsed.module, sm, &warpsmith_ori::Options::default())
            .unwrap_or_else(|e| panic!("{}", e[0]));
        let (section, _) = output.cubin.functions().next().expect("one function");
        let code = output.cubin.section_bytes(section).expect("its code");
        let words = code
            .chunks_exact(16)
            .map(|word| u128::from_le_bytes(word.try_into().expect("16 bytes")));
        let instructions =
            words.map(|word| warpsmith_sass::Instruction::decode(sm.isa(), word).expect("an instruction"));
        let registers = instructions.flat_map(|i| i.registers().collect::<Vec<_>>());
        let general = registers.filter(|r| r.class == warpsmith_sass::RegisterClass::Gpr);
        let highest = general
            .filter_map(|r| Some(u32::from(r.number?) + u32::from(r.width) - 1))
            .max();
        assert_eq!(
            output.functions[0].registers,
            highest.expect("a register") + 1 + 2,
            "{target}"
        );
    }
}

/// Threads of a warp that are together need not wait for each other, but what they wrote before the wait they read after it.
#[test]
fn lanes_see_after_a_wait_what_others_wrote_before() {
    let reduction = |from: u32| {
        let halve = |width: u32| {
            let (reached, bytes) = (64 - width, width * 4);
            format!(
                "setp.ge.u32 %p, %l, {width}; @%p bra S{reached};
                ld.shared.u32 %a, [%s]; ld.shared.u32 %b, [%s+{bytes}]; add.u32 %a, %a, %b; st.shared.u32 [%s], %a;
                S{reached}: bar.warp.sync -1;\n"
            )
        };
        [16, 8, 4, 2, 1]
            .into_iter()
            .filter(|width| *width <= from)
            .map(halve)
            .collect::<String>()
    };
    let body = |steps: &str| {
        format!(
            ".shared .align 4 .b8 m[512]; .reg .b64 %o, %i; .reg .b32 %t, %l, %s, %a, %b; .reg .pred %p;
            ld.param.u64 %o, [out]; ld.param.u64 %i, [in]; mov.u32 %t, %tid.x; and.b32 %l, %t, 31;
            mad.wide.u32 %i, %t, 4, %i; mad.wide.u32 %o, %t, 4, %o; mov.u32 %s, m; mad.lo.u32 %s, %t, 4, %s;
            ld.global.u32 %a, [%i]; st.shared.u32 [%s], %a; bar.warp.sync -1;
            {steps}
            st.global.u32 [%o], %a; ret;"
        )
    };
    agree(&body(&format!("{} ld.shared.u32 %a, [%s];", reduction(16))));
    agree(&body(&format!("{} ld.shared.u32 %a, [%s];", reduction(2))));
    let shift = "xor.b32 %b, %s, 12; ld.shared.u32 %a, [%b]; bar.warp.sync -1; st.shared.u32 [%s], %a; bar.warp.sync 0xffffffff;";
    agree(&body(&format!("{shift} xor.b32 %b, %s, 64; ld.shared.u32 %a, [%b];")));
    agree(&body(
        "ld.shared.u32 %a, [%s]; xor.b32 %b, %s, 4; ld.shared.u32 %b, [%b]; add.u32 %a, %a, %b;",
    ));
}
