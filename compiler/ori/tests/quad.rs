//! Products that the generation has no instruction for: quarters of a warp, sparse bytes, sums of another type, metadata in any order.

mod support;

use support::{START, agree_on, two_by_64};

fn on(targets: &[&str], body: &str) {
    agree_on(targets, "", &format!("{START}\n{body}\nret;"), &two_by_64());
}

const FROM_100: [&str; 4] = ["sm_100", "sm_103", "sm_110", "sm_120"];

/// Finite halves of both signs in `%r10` to `%r17`.
const HALVES: &str = "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%d6]; ld.global.v4.u32 {%r14, %r15, %r16, %r17}, [%d6+16];
    and.b32 %r10, %r10, 0xbbffbbff; and.b32 %r11, %r11, 0xbbffbbff; and.b32 %r12, %r12, 0xbbffbbff; and.b32 %r13, %r13, 0xbbffbbff;
    and.b32 %r14, %r14, 0xbbffbbff; and.b32 %r15, %r15, 0xbbffbbff; and.b32 %r16, %r16, 0xbbffbbff; and.b32 %r17, %r17, 0xbbffbbff;";

#[test]
fn quarters_of_a_warp() {
    for layouts in ["row.col", "row.row", "col.col", "col.row"] {
        on(
            &support::TARGETS,
            &format!(
                "{HALVES} mma.sync.aligned.m8n8k4.{layouts}.f16.f16.f16.f16 {{%r20, %r21, %r22, %r23}}, {{%r10, %r11}}, {{%r12, %r13}}, {{%r14, %r15, %r16, %r17}};
                st.global.v4.u32 [%d5], {{%r20, %r21, %r22, %r23}};"
            ),
        );
        for c in [
            ("f16", "{%r14, %r15, %r16, %r17}"),
            ("f32", "{%f10, %f11, %f12, %f13, %f14, %f15, %f16, %f17}"),
        ] {
            let (of, list) = c;
            on(
                &support::TARGETS,
                &format!(
                    "{HALVES} cvt.rn.f32.s32 %f10, %r14; mov.f32 %f11, %f10; neg.f32 %f12, %f10; mov.f32 %f13, 0f3f800000; mov.f32 %f14, 0f80000000;
                    mov.f32 %f15, %f12; mov.f32 %f16, %f10; mov.f32 %f17, %f12;
                    mma.sync.aligned.m8n8k4.{layouts}.f32.f16.f16.{of} {{%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}}, {{%r10, %r11}}, {{%r12, %r13}}, {list};
                    st.global.v4.f32 [%d5], {{%f1, %f2, %f3, %f4}}; st.global.v4.f32 [%d5+2048], {{%f5, %f6, %f7, %f8}};"
                ),
            );
        }
    }
}

#[test]
fn sums_of_singles_as_halves() {
    on(
        &support::TARGETS,
        &format!(
            "{HALVES} cvt.rn.f32.s32 %f1, %r4; mov.f32 %f2, 0f3f800000;
            wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32 {{%r20, %r21, %r22, %r23}}, {{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}},
                {{%r17, %r16, %r15, %r14, %r13, %r12, %r11, %r10}}, {{%f1, %f2, %f2, %f1, %f1, %f1, %f2, %f1}};
            st.global.v4.u32 [%d5], {{%r20, %r21, %r22, %r23}};"
        ),
    );
}

/// Metadata whose places are in any order: each lane another word, of chunks 0-1, 3-0, 2-3, 3-1 and so on.
const METADATA: &str =
    "and.b32 %r30, %r4, 3; shl.b32 %r30, %r30, 2; mov.u32 %r31, 0x4c1ed7b4; shf.l.wrap.b32 %r31, %r31, %r31, %r30;";

#[test]
fn metadata_in_any_order() {
    for (product, a, b) in [
        ("m16n8k16.row.col.f32.f16.f16.f32", "{%r10, %r11}", "{%r14, %r15}"),
        ("m16n8k16.row.col.f32.bf16.bf16.f32", "{%r10, %r11}", "{%r14, %r15}"),
        (
            "m16n8k32.row.col.f32.f16.f16.f32",
            "{%r10, %r11, %r12, %r13}",
            "{%r14, %r15, %r16, %r17}",
        ),
    ] {
        for selector in 0..2 {
            on(
                &FROM_100,
                &format!(
                    "{HALVES} {METADATA} mov.f32 %f1, 0f3f800000;
                    mma.sp.sync.aligned.{product} {{%f2, %f3, %f4, %f5}}, {a}, {b}, {{%f1, %f1, %f1, %f1}}, %r31, {selector};
                    st.global.v4.f32 [%d5], {{%f2, %f3, %f4, %f5}};"
                ),
            );
        }
    }
    for (product, a, b) in [
        ("m16n8k32.row.col.s32.s8.u8.s32", "{%r10, %r11}", "{%r14, %r15}"),
        (
            "m16n8k64.row.col.s32.u8.s8.s32",
            "{%r10, %r11, %r12, %r13}",
            "{%r14, %r15, %r16, %r17}",
        ),
        ("m16n8k64.row.col.s32.s4.u4.s32", "{%r10, %r11}", "{%r14, %r15}"),
        (
            "m16n8k128.row.col.s32.u4.u4.s32",
            "{%r10, %r11, %r12, %r13}",
            "{%r14, %r15, %r16, %r17}",
        ),
    ] {
        on(
            &FROM_100,
            &format!(
                "{HALVES} {METADATA}
                mma.sp.sync.aligned.{product} {{%r20, %r21, %r22, %r23}}, {a}, {b}, {{%r4, %r5, %r4, %r5}}, %r31, 0;
                st.global.v4.u32 [%d5], {{%r20, %r21, %r22, %r23}};"
            ),
        );
    }
}

/// Instructions of a kernel for a target.
fn text(target: &str, body: &str) -> String {
    let source = format!(
        ".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{START}\n{body}\nret;\n}}\n"
    );
    let parsed = warpsmith_ptx::parse(source.as_bytes());
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let sm: warpsmith_target::Sm = target.parse().expect("a known target");
    let cubin = warpsmith_ori::compile(&parsed.module, sm).unwrap_or_else(|e| panic!("{target}: {}", e[0]));
    let cubin = warpsmith_cubin::Cubin::read(&cubin.write()).expect("the cubin reads back");
    let (section, _) = cubin.functions().next().expect("a function");
    let words = cubin.section_bytes(section).unwrap_or_default().chunks_exact(16);
    let lines = words.map(|word| {
        let word = u128::from_le_bytes(word.try_into().expect("16 bytes"));
        let instruction = warpsmith_sass::Instruction::decode(sm.isa(), word).expect("our words decode");
        instruction.to_string()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The machine of sm_100 wants the lower place first: what a program does not promise is put in order.
#[test]
fn metadata_are_put_in_order() {
    let body = |kind: &str| {
        format!(
            "{HALVES} {METADATA} mov.f32 %f1, 0f3f800000;
            mma.{kind}.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {{%f2, %f3, %f4, %f5}}, {{%r10, %r11, %r12, %r13}}, {{%r14, %r15, %r16, %r17}},
                {{%f1, %f1, %f1, %f1}}, %r31, 0;
            st.global.v4.f32 [%d5], {{%f2, %f3, %f4, %f5}};"
        )
    };
    for target in FROM_100 {
        assert!(text(target, &body("sp")).contains("SHFL"), "{target}");
        assert!(
            !text(target, &body("sp::ordered_metadata")).contains("SHFL"),
            "{target}"
        );
    }
    assert!(!text("sm_90", &body("sp")).contains("SHFL"));
}

#[test]
fn sparse_bytes_as_halves() {
    for (a, b) in [("e4m3", "e4m3"), ("e5m2", "e4m3"), ("e4m3", "e5m2"), ("e5m2", "e5m2")] {
        on(
            &["sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120"],
            &format!(
                "{HALVES} {METADATA} mov.f32 %f1, 0f3f800000;
                mma.sp.sync.aligned.m16n8k64.row.col.f32.{a}.{b}.f32 {{%f2, %f3, %f4, %f5}}, {{%r10, %r11, %r12, %r13}}, {{%r14, %r15, %r16, %r17}},
                    {{%f1, %f1, %f1, %f1}}, %r31, 0;
                st.global.v4.f32 [%d5], {{%f2, %f3, %f4, %f5}};"
            ),
        );
    }
}

/// Threads with the same count see the pending counts of one order; of other counts only the sum is known.
#[test]
fn arrivals_that_complete_nothing() {
    for (count, shown) in [("2", "%r23"), ("%r20", "%r23"), ("%r21", "0")] {
        on(
            &["sm_90", "sm_100", "sm_103", "sm_110", "sm_120"],
            &format!(
                ".shared .align 8 .b64 b; setp.eq.u32 %p1, %r4, 0; @%p1 mbarrier.init.shared.b64 [b], 1000; bar.sync 0;
                ld.global.u32 %r20, [%d2]; and.b32 %r20, %r20, 3; and.b32 %r21, %r4, 3; add.u32 %r21, %r21, 1; mov.u32 %r22, 0; mov.u32 %r24, 0;
                setp.lt.u32 %p2, %r4, 32; @%p2 mbarrier.arrive_drop.noComplete.shared.b64 %d11, [b], {count};
                @%p2 mbarrier.pending_count.b64 %r22, %d11; bar.sync 0; @%p2 mbarrier.arrive.noComplete.shared.b64 %d12, [b], {count};
                bar.sync 0; @%p1 mbarrier.arrive.shared.b64 %d13, [b]; @%p1 mbarrier.pending_count.b64 %r24, %d13;
                mov.u32 %r23, %r22; selp.u32 %r23, %r23, 0, %p2; mov.u32 %r25, {shown}; mbarrier.test_wait.parity.shared.b64 %p3, [b], 0;
                selp.u32 %r26, 1, 0, %p3; st.global.v4.u32 [%d5], {{%r25, %r24, %r26, %r4}};"
            ),
        );
    }
}

#[test]
fn vectors_of_256_bits() {
    on(
        &FROM_100,
        "mul.wide.u32 %d10, %r5, 32; add.u64 %d11, %d2, %d10; add.u64 %d12, %d1, %d10; add.u64 %d13, %d2, 16; and.b64 %d13, %d13, -64; setp.eq.u32 %p1, %r5, 127; @%p1 bra done;
        ld.global.v8.b32 {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, [%d11+32]; ld.global.v4.b64 {%d20, %d21, %d22, %d23}, [%d13+64];
        add.u64 %d14, %d11, 16; ld.global.nc.v8.b32 {%r30, %r31, %r32, %r33, %r34, %r35, %r36, %r37}, [%d14+-16];
        add.u32 %r20, %r20, %r30; add.u32 %r27, %r27, %r37; add.u32 %r24, %r24, %r33; cvt.u32.u64 %r40, %d21; add.u32 %r21, %r21, %r40;
        st.global.v8.b32 [%d12], {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}; done:",
    );
    // A store between loads of the same place, and a load after a store.
    on(
        &FROM_100,
        "mul.wide.u32 %d10, %r5, 32; add.u64 %d12, %d1, %d10; mov.u32 %r30, 7;
        st.global.v8.b32 [%d12], {%r4, %r5, %r4, %r5, %r4, %r5, %r4, %r5}; ld.global.u32 %r20, [%d12+20]; st.global.u32 [%d12+28], %r30;
        ld.global.v8.b32 {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, [%d12]; add.u32 %r27, %r27, 1; add.u32 %r20, %r20, 5;
        st.global.v4.b32 [%d12+16], {%r20, %r20, %r27, %r27};",
    );
}
