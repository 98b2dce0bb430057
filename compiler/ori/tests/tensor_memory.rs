//! Tensor memory: the machine instruction of every form, and what the interpreter and machine code make of them.

mod support;

use support::{START, agree_on};
use warpsmith_emu::Launch;
use warpsmith_sass::Instruction;
use warpsmith_target::Sm;

/// The texts of the machine instructions of a kernel with this body.
fn listing(target: &str, body: &str) -> Vec<String> {
    let text = format!(
        ".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u32 a, .param .u64 b) {{
        .reg .pred %p<4>; .reg .b16 %h<2>; .reg .b32 %r<20>; .reg .b32 %v<8>; .reg .b64 %d<8>;
        ld.param.u32 %r1, [a]; ld.param.u64 %d1, [b]; cvt.u32.u64 %r2, %d1; setp.ne.u32 %p1, %r1, 0; mov.u16 %h0, 3;
        elect.sync _|%p2, 0xffffffff; @!%p2 bra done;\n{body}\ndone: bar.sync 0; ret;\n}}\n"
    );
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    assert!(parsed.problems.is_empty(), "{target}: {:?}", parsed.problems);
    let sm: Sm = target.parse().expect("a known target");
    let cubin = warpsmith_ori::compile(&parsed.module, sm).unwrap_or_else(|e| panic!("{target}: {}: {body}", e[0]));
    let section = cubin.sections.iter().find(|section| section.name == ".text.k");
    let bytes = section.and_then(|section| section.bytes()).expect("code").to_vec();
    let words = bytes.chunks_exact(16).map(|word| {
        let word = word.iter().rev().fold(0_u128, |all, byte| all << 8 | u128::from(*byte));
        Instruction::decode(sm.isa(), word).map_or_else(|_| String::new(), |instruction| instruction.to_string())
    });
    words.collect()
}

/// Sums over copies of memory say in which precision they are made (observed, ptxas 13.0.88): once `.acc::f16` was left out.
#[test]
fn precisions_of_sums_over_copies() {
    for (precision, operation) in [("", "ADD"), (".acc::f16", "HPADD")] {
        let body = format!("multimem.ld_reduce.global.add{precision}.e4m3x4 %r3, [%d1]; st.global.b32 [%d1], %r3;");
        let found = listing("sm_100a", &body);
        let expected = format!("LDGMC.E.{operation}.E4M3x4.RN.STRONG.SYS");
        assert!(
            found.iter().any(|text| text.contains(&expected)),
            "{expected}: {found:?}"
        );
    }
}

/// Instructions of one thread, and how the text of the machine's begins and what it contains (observed, ptxas 13.0.88).
#[rustfmt::skip]
const OF_ONE_THREAD: &[(&str, &str, &str)] = &[
    ("tcgen05.cp.cta_group::1.128x256b [%r1], %d1", "UTCCP.T.S ", ""),
    ("tcgen05.cp.cta_group::1.4x256b.b8x16.b6x16_p32 [%r1+16], %d1", "UTCCP.T.S.4dp256bit.U6x16P32 ", "+0x10]"),
    ("tcgen05.cp.cta_group::1.128x128b.b8x16.b4x16_p64 [%r1], %d1", "UTCCP.T.S.128dp128bit.U4x16P64 ", ""),
    ("tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [%r1], %d1", "UTCCP.T.S.2x64dp128bit_lw02_lw13 ", ""),
    ("tcgen05.cp.cta_group::1.64x128b.warpx2::01_23 [%r1], %d1", "UTCCP.T.S.2x64dp128bit_lw01_lw23 ", ""),
    ("tcgen05.cp.cta_group::2.32x128b.warpx4 [%r1], %d1", "UTCCP.T.S.2CTA.4x32dp128bit ", ""),
    ("tcgen05.shift.cta_group::1.down [%r1+4]", "UTCSHIFT.DOWN ", "+0x4]"),
    ("tcgen05.shift.cta_group::2.down [%r1]", "UTCSHIFT.2CTA.DOWN ", ""),
    ("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r1]", "UTCBAR ", ", URZ"),
    ("tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%d1]", "UTCBAR ", ", URZ"),
    ("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r1], %h0", "UTCBAR.2CTA.MULTICAST ", ", URZ, UR"),
    ("tcgen05.mma.cta_group::1.kind::f16 [%r1], %d1, %d1, %r2, %p1", "UTCHMMA gdesc[", "], UP"),
    ("tcgen05.mma.cta_group::1.kind::tf32 [%r1], %d1, %d1, %r2, 1", "UTCHMMA gdesc[", "], UPT"),
    ("tcgen05.mma.cta_group::1.kind::f16 [%r1], %d1, %d1, %r2, %p1, 3", "UTCHMMA gdesc[", ", 0x3"),
    ("tcgen05.mma.cta_group::1.kind::f16.collector::a::fill [%r1], [%r2], %d1, %r2, %p1", "UTCHMMA tmem[", ".A_KEEP, gdesc["),
    ("tcgen05.mma.cta_group::1.kind::f16.collector::a::use [%r1], %d1, %d1, %r2, %p1", "UTCHMMA gdesc[", ".A_REUSE.A_KEEP, gdesc["),
    ("tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::lastuse [%r1], [%r2], %d1, %r2, %p1", "UTCHMMA.ASHIFT tmem[", ".A_REUSE, gdesc["),
    ("tcgen05.mma.cta_group::1.kind::f16 [%r1], %d1, %d1, %r2, {%r1, %r2, %r1, %r2}, %p1", "UTCHMMA gdesc[", "], UR"),
    ("tcgen05.mma.cta_group::2.kind::f16 [%r1], %d1, %d1, %r2, {%r1, %r2, %r1, %r2, %r1, %r2, %r1, %r2}, %p1", "UTCHMMA.2CTA gdesc[", "], UR"),
    ("mov.b32 %r9, 0; tcgen05.mma.cta_group::1.kind::f16 [%r1], %d1, %d1, %r2, {%r9, %r9, %r9, %r9}, %p1", "UTCHMMA gdesc[", "], UP"),
    ("add.u32 %r9, %r1, 384; tcgen05.cp.cta_group::1.128x256b [%r9+4], %d1", "UTCCP.T.S ", "+0x184]"),
    ("tcgen05.mma.sp.cta_group::1.kind::f16 [%r1], %d1, %d1, [%r2], %r2, !%p1", "UTCHMMA gdesc[", "], UP"),
    ("tcgen05.mma.cta_group::2.kind::f8f6f4 [%r1], %d1, %d1, %r2, %p1", "UTCQMMA.2CTA gdesc[", ""),
    ("tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.block32 [%r1], %d1, %d1, %r2, [%r1], [%r2], %p1", "UTCQMMA gdesc[", "], tmem["),
    ("tcgen05.mma.cta_group::1.kind::mxf4.block_scale [%r1], [%r2], %d1, %r2, [%r1], [%r2], %p1", "UTCOMMA tmem[", "], tmem["),
    ("tcgen05.mma.sp.cta_group::1.kind::mxf8f6f4.block_scale [%r1], %d1, %d1, [%r1], %r2, [%r1], [%r2], %p1", "UTCQMMA gdesc[", "], tmem["),
    ("tcgen05.mma.ws.cta_group::1.kind::f16 [%r1], %d1, %d1, %r2, %p1", "UTCHMMA.WS gdesc[", ""),
    ("tcgen05.mma.ws.cta_group::1.kind::tf32.collector::b1::use [%r1], %d1, %d1, %r2, %p1", "UTCHMMA.WS gdesc[", ".B_REUSE.B_KEEP.BUFFER1"),
    ("tcgen05.mma.ws.cta_group::1.kind::f8f6f4.collector::b3::discard [%r1], %d1, %d1, %r2, %p1, %d1", "UTCQMMA.WS gdesc[", ".BUFFER3, tmem["),
    ("tcgen05.mma.ws.sp.cta_group::1.kind::f16 [%r1], [%r2], %d1, [%r1], %r2, %p1", "UTCHMMA.WS tmem[", ""),
];

fn has(lines: &[String], start: &str, part: &str) -> bool {
    lines.iter().any(|line| line.starts_with(start) && line.contains(part))
}

#[test]
fn instructions_of_a_thread() {
    for target in ["sm_100a", "sm_103a", "sm_110a"] {
        for (body, start, part) in OF_ONE_THREAD {
            // Sums are not scaled there.
            if target == "sm_110a" && body.ends_with("%p1, 3") {
                continue;
            }
            let lines = listing(target, &format!("{body};"));
            assert!(has(&lines, start, part), "{target}: {body}\n{}", lines.join("\n"));
        }
    }
}

#[test]
fn products_with_the_same_scales_share_their_addresses() {
    let product = "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.block32 [%r1],";
    let body = format!(
        "{product} %d1, %d1, %r2, [%r1], [%r2], %p1; add.u64 %d2, %d1, 2; {product} %d2, %d1, %r2, [%r1], [%r2], 1;"
    );
    let lines = listing("sm_100a", &body);
    let scales = |line: &String| line.split("tmem[").nth(3).map(str::to_owned);
    let found: Vec<_> = lines
        .iter()
        .filter(|line| line.starts_with("UTCQMMA"))
        .filter_map(scales)
        .collect();
    let names: Vec<_> = found.iter().filter_map(|text| text.split(']').next()).collect();
    assert!(names.len() == 2 && names[0] == names[1], "{lines:#?}");
}

#[test]
fn scales_of_sixteen() {
    let body = "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%r1], %d1, %d1, %r2, [%r1], [%r2], %p1;";
    assert!(has(&listing("sm_100a", body), "UTCOMMA.4X ", ""));
    assert!(has(&listing("sm_103a", body), "UTCOMMA.BLOCK16 ", ""));
    let whole = "tcgen05.mma.cta_group::1.kind::i8 [%r1], %d1, %d1, %r2, %p1;";
    assert!(has(&listing("sm_100a", whole), "UTCIMMA ", ""));
}

#[test]
fn loads_with_reductions() {
    let list = "{%v0, %v1, %v2, %v3}";
    for (form, expected) in [
        ("32x32b.x4.min.u32", "LDTM.STAT.x4.MIN "),
        ("32x32b.x4.max.s32", "LDTM.STAT.x4.MAX.S32 "),
        ("32x32b.x4.min.abs.f32", "LDTM.STAT.x4.MINABS.F32 "),
        ("32x32b.x4.max.abs.NaN.f32", "LDTM.STAT.x4.MAXABS.F32.NAN "),
    ] {
        let body = format!("tcgen05.ld.red.sync.aligned.{form} {list}, %r5, [%r1]; st.global.u32 [%d1], %r5;");
        assert!(has(&listing("sm_103a", &body), expected, ""), "{form}");
    }
    let body =
        format!("tcgen05.ld.red.sync.aligned.16x32bx2.x4.min.u32 {list}, %r5, [%r1], 8; st.global.u32 [%d1], %r5;");
    let lines = listing("sm_103a", &body);
    assert!(has(&lines, "LDTM.STAT.16dp32bit_t0_t15.x4.MIN ", ""));
    assert!(has(&lines, "LDTM.STAT.16dp32bit_t16_t31.x4.MIN ", "+0x8]"));
}

/// One warp with 32 columns at `%r40`.
fn with_columns(body: &str) -> String {
    format!(
        "{START} .shared .align 8 .b64 barrier; .shared .b32 place; .reg .b32 %v<8>; .reg .b32 %w<8>;
        tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 32;
        tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
        ld.shared.b32 %r40, [place];
        {body}
        tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r40, 32; ret;"
    )
}

fn one_warp() -> Launch {
    Launch {
        block: [32, 1, 1],
        ..Launch::of("k")
    }
}

#[test]
fn every_thread_commits() {
    let body = "setp.eq.u32 %p1, %r4, 0; @%p1 mbarrier.init.shared::cta.b64 [barrier], 32; bar.warp.sync -1;
        mov.u32 %r20, barrier;
        tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r20];
        again: mbarrier.try_wait.parity.shared::cta.b64 %p2, [barrier], 0; @!%p2 bra again;
        st.global.u32 [%d5], %r4;";
    agree_on(&["sm_100a"], "", &with_columns(body), &one_warp());
}

#[test]
fn registers_are_reused_after_stores() {
    let body = "add.u32 %v0, %r4, 1; add.u32 %v1, %r4, 2; mov.u32 %r20, 0;
        again: add.u32 %r21, %r40, %r20;
        tcgen05.st.sync.aligned.32x32b.x2.b32 [%r21], {%v0, %v1};
        add.u32 %v0, %v0, 16; mul.lo.u32 %v1, %v1, 3; add.u32 %r20, %r20, 2;
        setp.lt.u32 %p1, %r20, 8; @%p1 bra again;
        tcgen05.wait::st.sync.aligned;
        tcgen05.ld.sync.aligned.32x32b.x8.b32 {%v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7}, [%r40];
        tcgen05.ld.sync.aligned.16x32bx2.x4.b32 {%w0, %w1, %w2, %w3}, [%r40], 4;
        tcgen05.wait::ld.sync.aligned;
        add.u32 %v0, %v0, %w0; add.u32 %v1, %v1, %w1; add.u32 %v2, %v2, %w2; add.u32 %v3, %v3, %w3;
        add.u32 %v0, %v0, %v4; add.u32 %v1, %v1, %v5; add.u32 %v2, %v2, %v6; add.u32 %v3, %v3, %v7;
        st.global.v4.u32 [%d5], {%v0, %v1, %v2, %v3};";
    agree_on(&["sm_100a", "sm_103a", "sm_110a"], "", &with_columns(body), &one_warp());
}

#[test]
fn products_of_one_thread_in_a_row_stand_behind_one_branch() {
    let code = listing(
        "sm_100a",
        "mov.pred %p3, -1;
        @%p1 tcgen05.mma.cta_group::1.kind::f16 [%r1], %d1, %d1, %r2, %p3; add.u64 %d2, %d1, 2;
        @%p1 tcgen05.mma.cta_group::1.kind::f16 [%r1], %d2, %d1, %r2, %p3; add.u64 %d3, %d1, 4;
        @%p1 tcgen05.mma.cta_group::1.kind::f16 [%r1], %d3, %d1, %r2, %p3;",
    );
    let products: Vec<usize> = (0..code.len()).filter(|at| code[*at].contains("UTCHMMA")).collect();
    assert_eq!(products.len(), 3, "{code:#?}");
    let between = &code[products[0]..products[2]];
    for unwanted in ["BRA", "BSSY", "BSYNC", "VOTEU"] {
        assert!(
            !between.iter().any(|text| text.contains(unwanted)),
            "{unwanted}: {between:#?}"
        );
    }
    assert!(products.iter().all(|at| code[*at].contains(", UPT")), "{between:#?}");
}

#[test]
fn tuples_change_word_by_word_in_the_same_registers() {
    // As a tuple comes from tensor memory, is multiplied, and goes back, each word gives its place to the next; what is read behind that is spilled, not the tuples.
    let names = |prefix: &str, count: usize| {
        (0..count)
            .map(|i| format!("%{prefix}{i}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let each = |count: usize, text: &dyn Fn(usize) -> String| (0..count).map(text).collect::<String>();
    let text = format!(
        ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u32 a, .param .f32 b, .param .u64 out) .reqntid 128 .maxnreg 96 {{
        .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .f32 %x<64>; .reg .f32 %y<64>; .reg .f32 %s<64>; .reg .b64 %d; .reg .pred %p;
        ld.param.u32 %r1, [a]; ld.param.f32 %f1, [b]; ld.param.u64 %d, [out]; mov.u32 %r2, 0;
        again: tcgen05.ld.sync.aligned.32x32b.x64.b32 {{{x}}}, [%r1+64]; tcgen05.wait::ld.sync.aligned; {squares} bar.sync 0;
        tcgen05.ld.sync.aligned.32x32b.x64.b32 {{{x}}}, [%r1]; {products} tcgen05.wait::ld.sync.aligned; bar.sync 0;
        tcgen05.st.sync.aligned.32x32b.x64.b32 [%r1], {{{y}}}; tcgen05.wait::st.sync.aligned; mov.f32 %f2, 0f00000000; {sums}
        st.global.f32 [%d], %f2; add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 100; @%p bra again; ret;\n}}\n",
        x = names("x", 64),
        y = names("y", 64),
        squares = each(64, &|i| format!("ex2.approx.ftz.f32 %s{i}, %x{i};\n")),
        products = each(64, &|i| format!("mul.f32 %y{i}, %x{i}, %f1;\n")),
        sums = each(64, &|i| format!("add.f32 %f2, %f2, %s{i};\n")),
    );
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let sm: Sm = "sm_100a".parse().expect("a known target");
    let output = warpsmith_ori::compile_with_options(&parsed.module, sm, &warpsmith_ori::Options::default());
    let output = output.unwrap_or_else(|errors| panic!("{}", errors[0]));
    let function = &output.functions[0];
    assert!(function.spill_load_bytes <= 256, "{} bytes", function.spill_load_bytes);
}

/// Bytes of spill stores and loads of a kernel for sm_100a.
fn spills(directives: &str, body: &str) -> (u32, u32) {
    let text = format!(
        ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u32 a, .param .u32 b, .param .u64 out) {directives} {{
        .reg .b32 %r<4>; .reg .b32 %x<256>; .reg .b32 %y<128>; .reg .b16 %h<128>; .reg .b32 %o<128>; .reg .b64 %d<4>; .reg .b64 %e<128>;
        ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; ld.param.u64 %d1, [out];\n{body}\nret;\n}}\n"
    );
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let sm: Sm = "sm_100a".parse().expect("a known target");
    let output = warpsmith_ori::compile_with_options(&parsed.module, sm, &warpsmith_ori::Options::default());
    let output = output.unwrap_or_else(|errors| panic!("{}", errors[0]));
    let function = &output.functions[0];
    (function.spill_store_bytes, function.spill_load_bytes)
}

fn names(prefix: &str, range: std::ops::Range<usize>) -> String {
    range.map(|i| format!("%{prefix}{i}")).collect::<Vec<_>>().join(", ")
}

/// 256 columns are packed to halves part by part: a part is loaded when there is room for it. (ptxas 13.0.88: 174 registers, no spills.)
#[test]
fn wide_loads_wait_until_there_is_room() {
    let loads: String = (0..4)
        .map(|part| {
            let to = names("x", 64 * part..64 * part + 64);
            format!(
                "tcgen05.ld.sync.aligned.32x32b.x64.b32 {{{to}}}, [%r1+{}];\n",
                64 * part
            )
        })
        .collect();
    let packs: String = (0..128)
        .map(|i| format!("cvt.rn.f16x2.f32 %y{i}, %x{}, %x{};\n", 2 * i + 1, 2 * i))
        .collect();
    let stores: String = (0..32)
        .map(|i| {
            // Each group of stores takes from all four parts.
            let (at, part) = (i / 4, i % 4);
            let first = 32 * part + 4 * at;
            format!(
                "st.shared.v4.b32 [%r2+{}], {{{}}};\n",
                16 * i,
                names("y", first..first + 4)
            )
        })
        .collect();
    // What waits for the loads, or for copies that others have begun, keeps nothing from being packed.
    let wait = "tcgen05.wait::ld.sync.aligned;";
    for wait in [
        wait,
        &format!("{wait} bar.sync 0; cp.async.bulk.wait_group.read 0; bar.sync 0;"),
    ] {
        for body in [
            format!("{loads}{packs}{stores}{wait}"),
            format!("{loads}{wait}{packs}{stores}"),
        ] {
            assert_eq!(spills(".reqntid 128", &body).0, 0, "{wait}");
        }
    }
}

/// The same where the packed words of each part go to four turns through shared memory, and then out together: a part is packed at once, and addresses wait until
/// they are needed. (ptxas 13.0.88: no spills.)
#[test]
fn parts_are_packed_one_after_the_other() {
    let loads: String = (0..4)
        .map(|part| {
            let to = names("x", 64 * part..64 * part + 64);
            format!(
                "tcgen05.ld.sync.aligned.32x32b.x64.b32 {{{to}}}, [%r1+{}];\n",
                64 * part
            )
        })
        .collect();
    let packs: String = (0..128)
        .map(|i| format!("cvt.rn.f16x2.f32 %y{i}, %x{}, %x{};\n", 2 * i + 1, 2 * i))
        .collect();
    let addresses: String = (0..32)
        .map(|i| format!("or.b32 %r3, %r2, {i}; mul.wide.s32 %e{i}, %r3, 48; add.u64 %e{i}, %e{i}, %d1;\n"))
        .collect();
    let turns: String = (0..4)
        .map(|turn| {
            let moved: String = (0..8)
                .map(|at| {
                    let word = |part: usize| 32 * part + 4 * at + turn;
                    let all = (0..4)
                        .map(|part| format!("%y{}", word(part)))
                        .collect::<Vec<_>>()
                        .join(", ");
                    format!("st.shared.v4.b32 [%r2+{}], {{{all}}};\n", 16 * at)
                })
                .collect();
            let back: String = (0..8)
                .map(|at| {
                    let to = names("o", 32 * turn + 4 * at..32 * turn + 4 * at + 4);
                    format!("ld.shared.v4.b32 {{{to}}}, [%r2+{}];\n", 512 + 16 * at)
                })
                .collect();
            format!("{moved} bar.sync 0;\n{back} bar.sync 0;\n")
        })
        .collect();
    let out: String = (0..32)
        .map(|i| {
            let from = (0..4)
                .map(|turn| format!("%o{}", 32 * turn + i))
                .collect::<Vec<_>>()
                .join(", ");
            format!("st.global.v4.b32 [%e{i}], {{{from}}};\n")
        })
        .collect();
    let body = format!("{addresses}{loads}tcgen05.wait::ld.sync.aligned;\n{packs}{turns}{out}");
    assert_eq!(spills(".reqntid 128", &body), (0, 0));
}

/// Zeros go to tensor memory from the zero register. (Observed, ptxas 13.0.88.)
#[test]
fn zeros_are_stored_without_registers() {
    let zeros = vec!["%v0"; 128].join(", ");
    let body = format!("mov.b32 %v0, 0; tcgen05.st.sync.aligned.32x32b.x128.b32 [%r1], {{{zeros}}};");
    let code = listing("sm_100a", &body);
    let stores = code.iter().filter(|text| text.starts_with("STTM.x128"));
    assert_eq!(stores.filter(|text| text.ends_with(", RZ")).count(), 1, "{code:#?}");
}

/// The addresses of many stores are computed where they are needed, though the program computes all before it waits for tensor memory.
#[test]
fn addresses_are_computed_behind_waits() {
    let mut body = String::from("mov.u32 %r3, %tid.x; mul.wide.u32 %d2, %r3, 2; add.u64 %d3, %d1, %d2;\n");
    for i in 0..128 {
        body += &format!(
            "mad.lo.u32 %o{i}, %r2, {}, %r3; mul.wide.u32 %e{i}, %o{i}, 2; add.u64 %e{i}, %e{i}, %d1;\n",
            2 * i + 1
        );
    }
    body += &format!(
        "tcgen05.ld.sync.aligned.32x32b.x128.b32 {{{}}}, [%r1];\ntcgen05.wait::ld.sync.aligned;\n",
        names("x", 0..128)
    );
    for i in 0..128 {
        body += &format!("cvt.u16.u32 %h{i}, %x{i}; st.global.b16 [%e{i}], %h{i};\n");
    }
    assert_eq!(spills(".reqntid 128", &body), (0, 0));
}
