//! Loops: what they keep in uniform registers, compute once before them, and store behind them; masked loads and copies in them. What the phases leave, and that
//! compiled kernels do what the interpreter does.

mod support;

use support::{START, TARGETS, after_with, agree_body, agree_on};
use warpsmith_emu::Launch;
use warpsmith_ori::phase::Options;

/// A body behind [`START`] after a phase.
fn after(phase: &str, target: &str, body: &str) -> String {
    after_with(phase, target, &format!("{START}\n{body}\nret;"), &Options::default())
}

/// The blocks of a function that branch back to themselves.
fn inner(text: &str) -> String {
    let mut found = String::new();
    for block in text.split("\nb").skip(1) {
        let name = block.split(':').next().unwrap_or_default();
        let to = block
            .split("->")
            .nth(1)
            .and_then(|rest| rest.lines().next())
            .unwrap_or_default();
        if to.split_whitespace().any(|to| to == format!("b{name}")) {
            found.push_str(block);
        }
    }
    assert!(!found.is_empty(), "{text}");
    found
}

#[test]
fn copies_that_read_all_or_nothing_need_no_sums() {
    // Sixteen bytes or none: what is missing to sixteen is a multiple of them, and the address stays what it is.
    let body = ".shared .align 16 .b8 data[8192];
        mov.u32 %r10, data; shl.b32 %r11, %r4, 4; add.u32 %r11, %r10, %r11; setp.lt.u32 %p1, %r4, 20; setp.gt.u32 %p2, %r4, 7;
        selp.b32 %r12, 16, 0, %p1; selp.b32 %r13, %r12, 0, %p2; add.u32 %r14, %r11, 2048; add.u32 %r15, %r11, 4096;
        st.shared.u32 [%r11], %r4; st.shared.u32 [%r14], %r5; st.shared.u32 [%r15], %r5;
        cp.async.cg.shared.global [%r11], [%d6], 16, %r13; cp.async.cg.shared.global [%r14], [%d6], 16, %r12;
        add.u64 %d10, %d6, 16; cp.async.cg.shared.global [%r15], [%d10], 16, %r13;
        cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;
        ld.shared.u32 %r16, [%r11]; ld.shared.u32 %r17, [%r14+4]; ld.shared.u32 %r18, [%r15+8]; st.global.u32 [%d5], %r16; st.global.u32 [%d5+4], %r17;
        st.global.u32 [%d5+8], %r18;";
    let text = after("OriPerformLiveDeadThird", "sm_90", body);
    let copies: Vec<&str> = text.lines().filter(|line| line.contains("LDGSTS")).collect();
    assert_eq!(copies.len(), 3, "{text}");
    assert!(
        copies[1].contains("+0x800]") && copies[2].contains("+0x1000]"),
        "{text}"
    );
    assert!(copies[2].contains(".64+0x10]"), "{text}");
    assert!(!text.contains("0xf,"), "{text}");
    agree_on(
        &TARGETS[1..],
        "",
        &format!("{START}\n{body}\nret;"),
        &support::two_by_64(),
    );
}

#[test]
fn masked_loads_go_where_the_zeros_are() {
    let masked = "mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 7; mov.u32 %r13, 0; setp.lt.u32 %p1, %r4, 20;
        @%p1 ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%d6];
        mad.lo.u32 %r14, %r10, 3, %r11; mad.lo.u32 %r14, %r14, 5, %r12; xor.b32 %r14, %r14, %r13; st.global.u32 [%d5], %r14;";
    let text = after("OriPerformLiveDeadThird", "sm_90", masked);
    assert!(
        !text
            .lines()
            .any(|line| line.trim().starts_with('@') && line.contains("MOV")),
        "{text}"
    );
    agree_body(masked);
    // The register is read and written between the load and the copy, the predicate changes, and there was no value before.
    for body in [
        "mov.u32 %r10, 5; setp.lt.u32 %p1, %r4, 20; @%p1 ld.global.v2.u32 {%r10, %r11}, [%d6]; setp.lt.u32 %p1, %r4, 9; add.u32 %r12, %r10, 1;
         @%p1 add.u32 %r12, %r12, %r11; st.global.u32 [%d5], %r12;",
        "mov.u32 %r10, %r4; mov.u32 %r11, %r5; mov.u32 %r12, 0;
         L: add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 30; @%p1 ld.global.v2.u32 {%r10, %r11}, [%d6]; @!%p1 mov.u32 %r11, %r10;
         add.u32 %r12, %r12, 1; and.b32 %r10, %r10, 15; setp.lt.u32 %p2, %r12, 5; @%p2 bra L; st.global.v2.u32 [%d5], {%r10, %r11};",
        "setp.lt.u32 %p1, %r4, 20; @%p1 ld.global.v2.u32 {%r10, %r10}, [%d6]; @%p1 st.global.u32 [%d5], %r10;",
        "mov.u64 %d10, 7; mov.u64 %d11, %d4; setp.lt.u32 %p1, %r4, 20; @!%p1 ld.global.v2.u64 {%d10, %d11}, [%d6]; add.u64 %d10, %d10, %d11;
         st.global.u64 [%d5], %d10;",
    ] {
        agree_body(body);
    }
}

#[test]
fn what_a_loop_does_not_change_is_computed_before_it() {
    let body = "mov.u32 %r10, 0; mov.u32 %r11, 0;
        L: cvt.rn.f32.u32 %f1, %r4; mul.lo.u32 %r12, %r5, %r1; cvt.rn.f32.u32 %f2, %r10; fma.rn.f32 %f3, %f1, %f2, %f1; cvt.rzi.u32.f32 %r13, %f3;
        xor.b32 %r13, %r13, %r12; add.u32 %r11, %r11, %r13; st.global.u32 [%d5], %r11; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, %r4; @%p1 bra L;
        st.global.u32 [%d5+4], %r11;";
    let text = inner(&after("OriHoistInvariantsLate", "sm_90", body));
    assert_eq!(text.matches("I2F").count(), 1, "{text}");
    assert!(!text.contains("IMAD "), "{text}");
    agree_body(body);
}

#[test]
fn what_is_written_in_a_loop_and_read_behind_it_is_stored_behind_it() {
    let count = 40;
    let each = |text: &dyn Fn(usize) -> String| (0..count).map(text).collect::<String>();
    let start = each(&|i| format!("mov.u32 %v{i}, {i};"));
    let round = each(&|i| format!("mad.lo.u32 %v{i}, %v{i}, %r10, %v{};", (i + 1) % count));
    // None of these may be computed before the barrier.
    let sums = each(&|i| format!("mad.lo.u32 %r12, %r12, %r13, %v{i};"));
    let wide = each(&|i| format!("ld.global.u32 %w{i}, [%d6+{}];", 4 * i));
    let last = each(&|i| format!("mad.lo.u32 %r12, %r12, 5, %w{i};"));
    let body = format!(
        ".reg .b32 %v<{count}>; .reg .b32 %w<{count}>; {start} mov.u32 %r10, 0; mov.u32 %r12, 1;
        L: {round} add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, %r4; @%p1 bra L;
        {wide} bar.sync 0; ld.global.u32 %r13, [%d6+4]; {sums} {last} st.global.u32 [%d5], %r12;"
    );
    let options = Options {
        maximum_registers: Some(64),
        ..Options::default()
    };
    let text = after_with(
        "AllocateRegisters",
        "sm_80",
        &format!("{START}\n{body}\nret;"),
        &options,
    );
    assert!(text.contains("STL") && !inner(&text).contains("STL"), "{text}");
    agree_body(&body);
}

/// A ring of three buffers whose number a loop counts, with the descriptors of a product made of it.
const RING: &str = ".shared .align 128 .b8 data[6144];
    .reg .f32 %s<8>;
    mov.u32 %r10, data; shl.b32 %r11, %r4, 2; add.u32 %r11, %r10, %r11; mov.u32 %r12, 0;
    F: ld.global.u32 %r13, [%d6]; and.b32 %r13, %r13, 0x03ff03ff; or.b32 %r13, %r13, 0x38003800; add.u32 %r13, %r13, %r12; st.shared.u32 [%r11], %r13;
    add.u32 %r11, %r11, 512; add.u32 %r12, %r12, 1; setp.lt.u32 %p1, %r12, 12; @%p1 bra F;
    fence.proxy.async; bar.sync 0;
    mov.f32 %s0, 0f00000000; mov.f32 %s1, %s0; mov.f32 %s2, %s0; mov.f32 %s3, %s0; mov.f32 %s4, %s0; mov.f32 %s5, %s0; mov.f32 %s6, %s0; mov.f32 %s7, %s0;
    mov.u32 %r20, -1; mov.u32 %r21, 0;
    L: add.u32 %r22, %r20, 1; setp.gt.s32 %p2, %r22, 2; selp.b32 %r20, 0, %r22, %p2; shl.b32 %r23, %r20, 8; add.u32 %r24, %r10, %r23;
    bfe.u32 %r25, %r24, 4, 14; add.u32 %r26, %r25, 64; cvt.u64.u32 %d20, %r25; or.b64 %d20, %d20, 0x0000000800080000; cvt.u64.u32 %d21, %r26;
    or.b64 %d21, %d21, 0x0000000800080000;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7}, %d20, %d21, 1, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
    add.u32 %r21, %r21, 1; setp.lt.u32 %p3, %r21, 7; @%p3 bra L;
    st.global.v4.f32 [%d5], {%s0, %s1, %s2, %s3};";

#[test]
fn descriptors_of_a_loop_are_counted_in_uniform_registers() {
    let text = format!("{START}\n{RING}\nret;");
    let options = Options {
        off: vec!["OriLoopUnrolling".to_string()],
        ..Options::default()
    };
    let found = inner(&after_with("ConvertToUniformReg", "sm_90a", &text, &options));
    let product = found.contains("HGMMA");
    assert!(
        product && !found.contains("R2UR") && found.contains("USEL") && found.contains("UISETP"),
        "{found}"
    );
    // The phase that turns with the ring is chosen there too.
    let turned = text.replace(
        "shl.b32 %r23",
        "selp.b32 %r33, 1, 0, %p2; xor.b32 %r4, %r4, %r33; shl.b32 %r23",
    );
    let turned = turned.replace("st.global.v4", "st.global.u32 [%d5+16], %r4; st.global.v4");
    let found = inner(&after_with("ConvertToUniformReg", "sm_90a", &turned, &options));
    assert!(
        found.matches("USEL").count() == 2 && !found.contains("PLOP3"),
        "{found}"
    );
    let launch = Launch {
        block: [128, 1, 1],
        grid: [1, 1, 1],
        ..support::two_by_64()
    };
    agree_on(&["sm_90a"], "", &text, &launch);
    // What the ring is counted with is read by threads too, and decides where they go.
    for more in [
        "add.u32 %r30, %r20, %r4; st.global.u32 [%d5+8], %r30; setp.eq.u32 %p4, %r30, 3; @%p4 st.global.u32 [%d5+12], %r24;",
        "setp.gt.u32 %p4, %r4, %r20; @%p4 bra M; st.global.u32 [%d5+8], %r22; M: @%p2 st.global.u32 [%d5+12], %r20;",
        "add.u32 %r30, %r20, %r25; mul.lo.u32 %r30, %r30, %r26; add.u32 %r31, %r30, %r24; st.global.u32 [%d5+12], %r31;",
        "setp.lt.u32 %p4, %r20, %r4; selp.b32 %r31, %r20, %r4, %p2; @%p4 add.u32 %r31, %r31, %r25; st.global.u32 [%d5+12], %r31;",
    ] {
        let text = text.replace("wgmma.fence", &format!("{more}\nwgmma.fence"));
        agree_on(&["sm_90a"], "", &text, &launch);
    }
}

#[test]
fn products_take_turns_in_tuples_of_descriptors() {
    // Six products in straight code: the constant halves of the last two descriptors are there already, of twelve eight are written.
    let product = "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7}, %d20, %d21, 1, 1, 1, 0, 0;";
    let next = "add.u32 %r25, %r25, 2; cvt.u64.u32 %d20, %r25; or.b64 %d20, %d20, 0x0000000800080000;";
    let many: String = (0..6).map(|_| format!("{product}\n{next}\n")).collect();
    let text = format!("{START}\n{}\nret;", RING.replace(product, &many));
    let once = text.replace("@%p3 bra L;", "");
    let options = Options {
        off: vec!["OriLoopUnrolling".to_string()],
        ..Options::default()
    };
    let after = |text: &str| after_with("ConvertToUniformReg", "sm_90a", text, &options);
    assert_eq!(after(&once).matches("UMOV UR0, 0x8 ").count(), 8);
    // A loop writes none of them in each round.
    let round = inner(&after(&text));
    assert!(
        round.matches("HGMMA.64x16x16").count() == 6 && !round.contains("UMOV UR0, 0x8 "),
        "{round}"
    );
    let launch = Launch {
        block: [128, 1, 1],
        grid: [1, 1, 1],
        ..support::two_by_64()
    };
    agree_on(&["sm_90a"], "", &text, &launch);
}

#[test]
fn predicates_of_many_comparisons_are_made_where_they_are_read() {
    let count = 24;
    let each = |text: &dyn Fn(usize) -> String| (0..count).map(text).collect::<String>();
    let loads = each(&|i| format!("ld.global.u32 %v{i}, [%d6+{}];", 4 * i));
    let compares = each(&|i| format!("setp.gt.s32 %q{i}, %v{i}, 0;"));
    let choices = each(&|i| format!("selp.b32 %w{i}, %v{i}, {i}, %q{i};"));
    let sums = each(&|i| format!("mad.lo.u32 %r10, %r10, 3, %w{i};"));
    let body = format!(
        ".reg .b32 %v<{count}>; .reg .b32 %w<{count}>; .reg .pred %q<{count}>; mov.u32 %r10, 1; {loads} bar.sync 0; {compares} {choices} {sums}
        st.global.u32 [%d5], %r10;"
    );
    let text = after("SinkCodeIntoBlock", "sm_90", &body);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("ISETP") || line.contains("SEL"))
        .collect();
    assert!(
        lines
            .chunks(2)
            .all(|pair| pair[0].contains("ISETP") && pair[1].contains(" SEL")),
        "{text}"
    );
    agree_body(&body);
}

/// Values that live on anyway, and pairs of them that are stored behind a branch: the pairs are packed there, and no register holds one before.
#[test]
fn what_one_later_block_alone_uses_is_computed_there() {
    let count = 200;
    let each = |count: usize, text: &dyn Fn(usize) -> String| (0..count).map(text).collect::<String>();
    let loads = each(count, &|i| {
        format!("ld.volatile.global.u32 %v{i}, [%d6+{}];", 4 * (i % 100))
    });
    let packs = each(count / 2, &|i| {
        format!("prmt.b32 %w{i}, %v{}, %v{}, 0x5410;", 2 * i, 2 * i + 1)
    });
    let stores = each(count / 2, &|i| format!("st.volatile.global.u32 [%d5+4], %w{i};"));
    let sums = each(count, &|i| format!("mad.lo.u32 %r10, %r10, 3, %v{i};"));
    let body = format!(
        ".reg .b32 %v<{count}>; .reg .b32 %w<{count}>; mov.u32 %r10, 1; {loads} {packs}
        setp.gt.u32 %p1, %r4, 5000; @!%p1 bra A; trap; A: {stores} {sums} st.global.u32 [%d5], %r10;"
    );
    let text = after("SinkCodeIntoBlock", "sm_90", &body);
    let (before, behind) = text.split_once("BRA").expect("there is a branch");
    assert_eq!(
        (before.matches("PRMT").count(), behind.matches("PRMT").count()),
        (0, 100),
        "{text}"
    );
    agree_body(&body);
}

#[test]
fn addresses_of_products_and_of_what_varies_are_one_product() {
    let body = "and.b32 %r10, %r4, 7; mul.wide.u32 %d20, %r10, 4; mov.u64 %d21, %d6; mov.u32 %r20, 0; mov.u32 %r21, 0;
        L: add.u64 %d22, %d21, %d20; ld.global.u32 %r22, [%d22]; add.u32 %r21, %r21, %r22; add.u64 %d21, %d21, 4;
        add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, %r4; @%p1 bra L; st.global.u32 [%d5], %r21;";
    let text = after_with(
        "OriPerformLiveDeadThird",
        "sm_80",
        &format!("{START}\n{body}\nret;"),
        &Options::default(),
    );
    let inner = inner(&text);
    assert!(inner.contains("IMAD.WIDE"), "{text}");
    assert_eq!(inner.matches("IADD3.X").count(), 1, "{text}");
    agree_body(body);
    // Between the two halves of the sum, what varies may be written.
    let written = "and.b32 %r10, %r4, 7; mul.wide.u32 %d20, %r10, 4; mov.u64 %d21, %d6; mov.u32 %r20, 0; mov.u32 %r21, 0;
        L: mov.b64 {%r30, %r31}, %d21; mov.b64 {%r32, %r33}, %d20; add.cc.u32 %r34, %r30, %r32; add.u64 %d21, %d21, 4; mov.b64 {%r30, %r31}, %d21;
        addc.u32 %r35, %r31, %r33; mov.b64 %d22, {%r34, %r35}; ld.global.u32 %r22, [%d22]; add.u32 %r21, %r21, %r22;
        add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, %r4; @%p1 bra L; st.global.u32 [%d5], %r21;";
    agree_body(written);
}

/// Rounds in each of which the elected thread of the first warp brings 512 bytes to shared memory; `more` stands beside the copy.
fn rounds(elected: &str, more: &str) -> String {
    format!(
        ".shared .align 128 .b8 m[1024]; .shared .align 8 .b64 b; .shared .b32 c;
        shl.b32 %r10, %r4, 4; mov.u32 %r11, m; add.u32 %r11, %r11, %r10;
        setp.eq.u32 %p1, %r4, 0; @%p1 st.shared.u32 [c], %r2; @%p1 mbarrier.init.shared.b64 [b], 1; fence.mbarrier_init.release.cluster; bar.sync 0;
        mov.u32 %r40, 0;
        next: and.b32 %r41, %r40, 1; shl.b32 %r42, %r40, 6; mov.u32 %r43, m; add.u32 %r43, %r43, %r42; cvt.u64.u32 %d10, %r42; add.u64 %d11, %d2, %d10;
        @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [b], 512;
        elect.sync _|%p6, -1; {elected} @!%p3 bra over;
        {more} cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r43], [%d11], 512, [b];
        over:
        again: mbarrier.try_wait.parity.shared.b64 %p2, [b], %r41; @!%p2 bra again;
        bar.sync 0; add.u32 %r40, %r40, 1; setp.lt.u32 %p5, %r40, %r1; @%p5 bra next;
        ld.shared.v4.u32 {{%r20, %r21, %r22, %r23}}, [%r11]; ld.shared.u32 %r24, [c]; add.u32 %r23, %r23, %r24;
        st.global.v4.u32 [%d5], {{%r20, %r21, %r22, %r23}};"
    )
}

const OF_FIRST_WARP: &str = "setp.lt.u32 %p4, %r4, 32; and.pred %p3, %p6, %p4;";

#[test]
fn what_runs_once_for_the_warp_needs_no_thread_alone() {
    let lines = |more: &str| -> Vec<String> {
        let text = after("OptimizeSyncInstructions", "sm_90", &rounds(OF_FIRST_WARP, more));
        text.lines().map(str::to_owned).collect()
    };
    let copy = |lines: &[String]| {
        lines
            .iter()
            .find(|line| line.contains("UBLKCP"))
            .cloned()
            .expect("the copy")
    };
    // A vote says whether the elected thread is one of the first warp.
    let plain = lines("");
    assert!(copy(&plain).contains("@"), "{plain:#?}");
    assert!(plain.iter().any(|line| line.contains("VOTEU.ANY")), "{plain:#?}");
    // What a thread does for itself is under its own predicate.
    let counted = lines("red.shared.add.u32 [c], 1;");
    let count = counted.iter().find(|line| line.contains("ATOMS")).expect("the sum");
    assert!(count.contains("@") && copy(&counted).contains("@"), "{counted:#?}");
    // The address is that of the one thread, which brings it to its uniform register.
    let own = lines("add.u64 %d11, %d11, %d4;");
    let brought = own
        .iter()
        .filter(|line| line.contains("R2UR") && line.contains("@%p"))
        .count();
    assert!(copy(&own).contains("@%up") && brought == 2, "{own:#?}");
    // All of the warp are there, so that one is elected for sure.
    let one = "elect.sync _|%p3, -1; @!%p3 bra over; cp.async.bulk.prefetch.L2.global [%d2], 16; over: st.global.u32 [%d5], %r4;";
    let text = after("OptimizeSyncInstructions", "sm_90", one);
    assert!(
        text.contains("UBLKPF") && !text.contains("ELECT") && !text.contains("VOTEU"),
        "{text}"
    );
}

/// Threads for which `who` holds start the objects at `at`, and all wait for them.
fn started(who: &str, at: &str) -> String {
    format!(
        ".shared .align 8 .b64 b[8]; mov.u32 %r10, b; and.b32 %r11, %r4, 3; mad.lo.u32 %r12, %r11, 8, %r10; setp.lt.u32 %p1, %r4, {who};
        @%p1 mbarrier.init.shared.b64 [{at}], 1; bar.sync 0; @%p1 mbarrier.arrive.shared.b64 _, [{at}];
        again: mbarrier.try_wait.parity.shared.b64 %p2, [b], 0; @!%p2 bra again; st.global.u32 [%d5], %r4;"
    )
}

#[test]
fn objects_are_started_once_for_the_warp() {
    let text = |who, at| after("OptimizeSyncInstructions", "sm_90", &started(who, at));
    let start = |text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        let at = lines
            .iter()
            .position(|line| line.contains("SYNCS.EXCH"))
            .expect("the start");
        (lines[at].contains("@%up"), lines[at + 1].contains("ISETP"))
    };
    // One address for all threads that may come: neither a branch nor turns.
    let one = text("1", "%r10");
    assert_eq!(start(&one), (true, false), "{one}");
    // Each thread has its own.
    let own = text("4", "%r12");
    assert_eq!(start(&own), (false, true), "{own}");
    for body in [
        started("1", "%r10"),
        started("1", "%r10+8").replace("[b]", "[b+8]"),
        started("4", "%r12"),
    ] {
        let text = format!("{START}\n{body}\nret;");
        agree_on(&["sm_90", "sm_100", "sm_120"], "", &text, &support::two_by_64());
    }
}

#[test]
fn one_thread_needs_no_turns_however_it_is_asked_for() {
    for elected in [
        // Nobody comes where nobody was elected or nothing is to do.
        "elect.sync _|%p2, -1; setp.lt.s32 %p1, %r1, 1; not.pred %p3, %p2; or.pred %p4, %p3, %p1;",
        // The constants of assembly that asks come by copies.
        "mov.u32 %r20, 0; mov.u32 %r21, %r20; elect.sync _|%p2, -1; @%p2 mov.s32 %r21, 1; setp.eq.s32 %p4, %r21, 0;",
    ] {
        let body = format!(
            "{elected} @%p4 bra over; cp.async.bulk.prefetch.L2.global [%d2], 16; over: st.global.u32 [%d5], %r4;"
        );
        let text = after("OriLoopSimplification", "sm_90", &body);
        let again = text
            .lines()
            .find(|line| line.contains("PLOP3") && line.contains("0x0, 0x0"));
        assert!(again.is_some() && !text.contains("ISETP.NE.U32"), "{text}");
    }
}

#[test]
fn shifts_of_what_a_loop_counts_become_part_of_sums() {
    let counted = |order: &str| {
        format!(
            "mov.u32 %r10, %r4; mov.u32 %r13, 0; L: shl.b32 %r11, %r10, 3; {order} xor.b32 %r13, %r13, %r12;
            setp.lt.u32 %p1, %r10, 40; @%p1 bra L; st.global.u32 [%d5], %r13;"
        )
    };
    let before = counted("add.u32 %r12, %r11, %r1; add.u32 %r10, %r10, 5;");
    let text = inner(&after("GeneralOptimize", "sm_80", &before));
    assert!(text.contains("LEA") && !text.contains("SHF"), "{text}");
    agree_body(&before);
    // Behind the next count the shift is of the old one.
    let behind = counted("add.u32 %r10, %r10, 5; add.u32 %r12, %r11, %r1;");
    let text = inner(&after("GeneralOptimize", "sm_80", &behind));
    assert!(!text.contains("LEA") && text.contains("SHF"), "{text}");
    agree_body(&behind);
}

#[test]
fn copies_that_whole_warps_issue() {
    for more in [
        "",
        "red.shared.add.u32 [c], 1;",
        "add.u64 %d11, %d11, %d4;",
        "ld.shared.u32 %r44, [c]; add.u32 %r44, %r44, 1; st.shared.u32 [c], %r44;",
    ] {
        for elected in [
            OF_FIRST_WARP,
            "setp.eq.u32 %p4, %r10, 0; or.pred %p7, %p4, %p1; and.pred %p3, %p6, %p7;",
        ] {
            let text = format!("{START}\nmov.u32 %r1, 5;\n{}\nret;", rounds(elected, more));
            agree_on(&["sm_90", "sm_100", "sm_120"], "", &text, &support::two_by_64());
        }
    }
}

#[test]
fn loops_write_what_changes_of_uniform_registers() {
    let text = after("ConvertToUniformReg", "sm_90", &rounds(OF_FIRST_WARP, ""));
    let lines: Vec<&str> = text.lines().collect();
    let at = |part: &str| {
        lines
            .iter()
            .position(|line| line.contains(part))
            .unwrap_or_else(|| panic!("{part}: {text}"))
    };
    // The number of bytes and the barrier stand before the loop; of the tuples that name the place and the barrier, and the source, the barrier alone is
    // not written in it. Their sums are made where they are wanted.
    let inside = &lines[at("SYNCS.ARRIVE")..at("UBLKCP")];
    let moves: Vec<&&str> = inside.iter().filter(|line| line.contains("UMOV")).collect();
    assert!(
        moves.len() == 3 && !moves.iter().any(|line| line.contains("0x20")),
        "{moves:#?}\n{text}"
    );
    assert!(!inside.iter().any(|line| line.contains("R2UR")), "{text}");
}

/// A call from which threads may come back one by one.
const CALL: &str = "P: .callprototype (.param .b32 _) _ (.param .b32 _);
    { .param .b32 a; .param .b32 r; st.param.b32 [a], %r4; call (r), %d1, (a), P; ld.param.b32 %r10, [r]; }";

#[test]
fn threads_that_come_back_from_a_call_are_apart() {
    // Each arms the barrier of a branch by itself: where they meet, not all of them do.
    let more =
        "add.u32 %r12, %r12, 3; st.volatile.global.u32 [%d5+4], %r12; ld.volatile.global.u32 %r12, [%d5+8];".repeat(8);
    let vote = format!(
        "ld.global.u32 %r12, [%d6]; setp.eq.u32 %p1, %r12, 0; @%p1 bra over; {more} over:
        setp.gt.u32 %p2, %r12, 2; vote.sync.ballot.b32 %r14, %p2, -1; st.global.u32 [%d5], %r14;"
    );
    let text = |phase, body: &str| after(phase, "sm_100", body);
    assert!(!text("ConvertToUniformReg", &vote).contains("WARPSYNC"));
    assert!(text("ConvertToUniformReg", &format!("{CALL} {vote}")).contains("WARPSYNC.ALL"));
}

#[test]
fn a_variable_that_threads_broadcast_is_the_same_in_all_from_there_on() {
    // One branch parts them; that around the loop, on what they have broadcast since, does not.
    let more = "add.u32 %r12, %r12, 3; st.volatile.global.u32 [%d5+4], %r12;".repeat(8);
    let body = format!(
        "mov.u32 %r10, 0; L: ld.global.u32 %r12, [%d6]; setp.eq.u32 %p1, %r12, 0; @%p1 bra over; add.u32 %r10, %r4, 1; {more} over:
        {BROADCAST} setp.lt.u32 %p2, %r10, %r1; @%p2 bra L; st.global.u32 [%d5], %r10;"
    );
    let barriers = |body: &str| {
        after("LateExpandSyncInstructions", "sm_90", body)
            .matches("BSSY")
            .count()
    };
    assert_eq!(barriers(&body), 1);
    assert_eq!(barriers(&body.replace(BROADCAST, "")), 2);
}

/// Lane 31 tells the others.
const BROADCAST: &str = "shfl.sync.idx.b32 %r10, %r10, 31, 31, -1;";

#[test]
fn what_all_threads_have_is_not_told() {
    let text = |value: &str| {
        after(
            "ConvertToUniformReg",
            "sm_90",
            &format!("{value} {BROADCAST} st.global.u32 [%d5], %r10;"),
        )
    };
    assert!(!text("add.u32 %r10, %r1, %r2;").contains("SHFL"));
    assert!(text("add.u32 %r10, %r1, %r4;").contains("SHFL"));
    // Where its predicate is read it stays.
    let body = "add.u32 %r10, %r1, %r2; shfl.sync.idx.b32 %r10|%p1, %r10, 31, 31, -1; selp.u32 %r11, %r10, %r4, %p1; st.global.u32 [%d5], %r11;";
    assert!(after("ConvertToUniformReg", "sm_90", body).contains("SHFL"));
}

#[test]
fn threads_that_wait_for_all_behind_an_election_write_uniform_registers() {
    // The election waits for all where only some may come: those that wait elsewhere may be let past, up to where all wait for each other.
    let election = "setp.gt.u32 %p6, %r4, 30; @%p6 bra N; elect.sync _|%p7, -1; selp.u32 %r31, 1, 0, %p7;
        st.volatile.global.u32 [%d5+4], %r31; add.u32 %r31, %r31, %r4; st.volatile.global.u32 [%d5+4], %r31; N:";
    let ring = |election: &str| RING.replace("L: add", &format!("L: {election} add"));
    let found = |election: &str| {
        let text = format!("{START}\n{}\nret;", ring(election));
        after_with("ConvertToUniformReg", "sm_90a", &text, &Options::default())
    };
    assert!(found(election).contains("R2UR"));
    let waits = "bar.sync 0; mov.u32 %r33, 0; M: st.volatile.global.u32 [%d5+8], %r33; add.u32 %r33, %r33, 1; setp.lt.u32 %p4, %r33, %r1; @%p4 bra M;";
    let text = found(&format!("{election} {waits}"));
    assert!(text.contains("HGMMA") && !text.contains("R2UR"), "{text}");
}

#[test]
fn what_several_descriptors_share_is_computed_in_each() {
    // Two products with the same second descriptor, 64 behind what the first is made of.
    let product = "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7}, %d20, %d21, 1, 1, 1, 0, 0;";
    let next = "add.u32 %r27, %r25, 32; cvt.u64.u32 %d20, %r27; or.b64 %d20, %d20, 0x0000000800080000;";
    let text = format!(
        "{START}\n{}\nret;",
        RING.replace(product, &format!("{product}\n{next}\n{product}"))
    );
    let options = Options {
        off: vec!["OriLoopUnrolling".to_string()],
        ..Options::default()
    };
    let round = inner(&after_with("ConvertToUniformReg", "sm_90a", &text, &options));
    let with_stride = round.matches("0x80000, URZ").count();
    assert_eq!((with_stride, round.matches("UMOV UR0, UR0").count()), (4, 2), "{round}");
    let launch = Launch {
        block: [128, 1, 1],
        grid: [1, 1, 1],
        ..support::two_by_64()
    };
    agree_on(&["sm_90a"], "", &text, &launch);
}
