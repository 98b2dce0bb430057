//! Bulk and tensor copies, tensor maps, and stores that go on while the thread does.

mod support;

use support::{START, agree_on, two_by_64};

const FROM_90: [&str; 5] = ["sm_90", "sm_100", "sm_103", "sm_110", "sm_120"];
const FROM_100: [&str; 4] = ["sm_100a", "sm_103a", "sm_110a", "sm_120a"];
const OWN: [&str; 5] = ["sm_90a", "sm_100a", "sm_103a", "sm_110a", "sm_120a"];

fn on(targets: &[&str], body: &str) {
    agree_on(targets, "", &format!("{START}\n{body}\nret;"), &two_by_64());
}

/// 16 bytes of shared memory for each thread at `%r11`, as many at `%r12`, a barrier object `b` for one arrival, `%p1` in the first thread.
const ROOM: &str = ".shared .align 128 .b8 m[1024]; .shared .align 128 .b8 m2[1024]; .shared .align 8 .b64 b;
    shl.b32 %r10, %r4, 4; mov.u32 %r11, m; add.u32 %r11, %r11, %r10; mov.u32 %r12, m2; add.u32 %r12, %r12, %r10;
    setp.eq.u32 %p1, %r4, 0; @%p1 mbarrier.init.shared.b64 [b], 1; fence.mbarrier_init.release.cluster; bar.sync 0;";

/// Bytes of all threads are expected; waits for them.
fn expecting(bytes: u32, step: &str) -> String {
    format!(
        "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [b], {bytes}; {step};
        again: mbarrier.try_wait.parity.shared.b64 %p2, [b], 0; @!%p2 bra again;"
    )
}

/// What is at `%r11` goes out.
const OUT: &str =
    "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r11]; st.global.v4.u32 [%d5], {%r20, %r21, %r22, %r23};";

#[test]
fn each_thread_copies_to_shared_memory() {
    for copy in [
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%d6], 16, [b]",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r11], [%d6], 16, [b]",
        "mov.u32 %r30, 16; mov.u32 %r31, b; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%d6], %r30, [%r31]",
        "createpolicy.fractional.L2::evict_first.b64 %d20, 0.5;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r11], [%d6], 16, [b], %d20",
        "add.u64 %d7, %d6, 16; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%d7+-16], 16, [b]",
        "cp.async.bulk.prefetch.L2.global [%d6], 16; cp.async.bulk.prefetch.L2.global.L2::cache_hint [%d6], 16, %d1;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%d6], 16, [b]",
    ] {
        on(&FROM_90, &format!("{ROOM} {} {OUT}", expecting(1024, copy)));
    }
}

#[test]
fn copies_under_guards() {
    on(
        &FROM_90,
        &format!(
            "{ROOM} {} {OUT}",
            expecting(
                1024,
                "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [m], [%d6], 1024, [b]"
            )
        ),
    );
    on(
        &FROM_90,
        &format!(
            "{ROOM} {} {OUT}",
            expecting(
                1024,
                "elect.sync _|%p3, -1; setp.lt.u32 %p4, %r4, 32; and.pred %p3, %p3, %p4; @!%p3 bra over;
                cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [m], [%d6], 512, [b];
                cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [m+512], [%d6+512], 512, [b]; over: mov.u32 %r30, 0"
            )
        ),
    );
}

#[test]
fn multicast_to_the_own_cta() {
    let copy = "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [m], [%d6], 1024, [b], 1";
    on(&FROM_90, &format!("{ROOM} {} {OUT}", expecting(1024, copy)));
    let copy = "mov.b16 %h1, 1; @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [m], [%d6], %r30, [b], %h1, %d2";
    on(
        &FROM_90,
        &format!("{ROOM} mov.u32 %r30, 1024; {} {OUT}", expecting(1024, copy)),
    );
}

#[test]
fn multicast_to_all_of_a_cluster() {
    let copy = "mov.u32 %r30, %cluster_ctarank; setp.eq.u32 %p3, %r30, 0; and.pred %p3, %p3, %p1; mov.b16 %h1, 3;
        barrier.cluster.arrive; barrier.cluster.wait;
        @%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [m], [%d2], 1024, [b], %h1";
    agree_on(
        &FROM_90,
        "",
        &format!(
            "{START}\n{ROOM} {} {OUT} barrier.cluster.arrive; barrier.cluster.wait;\nret;",
            expecting(1024, copy)
        ),
        &warpsmith_emu::Launch {
            cluster: [2, 1, 1],
            ..two_by_64()
        },
    );
}

/// The first CTA of two fills the memory of both, by addresses that the compiler does not see through. (On sm_120 the system copies into the other one.)
#[test]
fn copies_into_another_cta() {
    let copy = "mov.u32 %r30, %cluster_ctarank; setp.eq.u32 %p3, %r30, 0; and.pred %p3, %p3, %p1;
        barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r20, 0;
        mov.u32 %r24, m; next: mapa.shared::cluster.u32 %r21, %r24, %r20; mov.u32 %r22, b; mapa.shared::cluster.u32 %r22, %r22, %r20;
        @%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r21], [%d2], 1024, [%r22];
        add.u32 %r20, %r20, 1; setp.lt.u32 %p4, %r20, 2; @%p4 bra next";
    agree_on(
        &FROM_90,
        "",
        &format!(
            "{START}\n{ROOM} {} {OUT} barrier.cluster.arrive; barrier.cluster.wait;\nret;",
            expecting(1024, copy)
        ),
        &warpsmith_emu::Launch {
            cluster: [2, 1, 1],
            ..two_by_64()
        },
    );
}

#[test]
fn copies_between_shared_memories() {
    let copy = "st.shared.v4.u32 [%r12], {%r4, %r5, %r1, %r3}; fence.proxy.async.shared::cta;
        cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r11], [%r12], 16, [b]";
    on(&FROM_90, &format!("{ROOM} {} {OUT}", expecting(1024, copy)));
}

#[test]
fn copies_to_global_memory() {
    let fill = "ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%d6]; st.shared.v4.u32 [%r11], {%r20, %r21, %r22, %r23}; fence.proxy.async.shared::cta;";
    let end = "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;";
    for copy in [
        "cp.async.bulk.global.shared::cta.bulk_group [%d5], [%r11], 16;",
        "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%d5], [%r11], 16, %d1;",
        "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d5], [%r11], 16;",
    ] {
        on(&FROM_90, &format!("{ROOM} {fill} bar.sync 0; {copy} {end}"));
    }
    let copy = "mov.b16 %h1, 0x5a33; cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%d5], [%r11], 16, %h1;";
    on(&FROM_100, &format!("{ROOM} {fill} {copy} {end}"));
}

#[test]
fn reductions_into_global_memory() {
    // Numbers of every kind in both: what comes in, and the same moved by a thread.
    let fill = "ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%d6]; st.global.v4.u32 [%d5], {%r20, %r21, %r22, %r23}; fence.proxy.async.global;
        xor.b32 %r24, %r5, 5; mul.wide.u32 %d20, %r24, 16; add.u64 %d20, %d20, %d2; ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%d20];
        st.shared.v4.u32 [%r11], {%r20, %r21, %r22, %r23}; fence.proxy.async.shared::cta;";
    for operation in [
        "and.b32",
        "or.b32",
        "xor.b64",
        "add.u32",
        "add.s32",
        "add.u64",
        "inc.u32",
        "dec.u32",
        "min.u32",
        "max.s32",
        "min.u64",
        "max.s64",
        "min.s64",
        "max.f16",
        "min.bf16",
        "add.f32",
        "add.f64",
        "add.noftz.f16",
        "add.noftz.bf16",
    ] {
        let half = operation.ends_with("16");
        // NaNs of halves differ in their bits.
        let tame = if half {
            "and.b32 %r20, %r20, 0x3fff3fff; and.b32 %r21, %r21, 0x3fff3fff; and.b32 %r22, %r22, 0xbfffbfff; and.b32 %r23, %r23, 0x3fff3fff;"
        } else {
            "and.b32 %r20, %r20, 0xbfffffff; and.b32 %r21, %r21, 0x3fffffff; and.b32 %r22, %r22, 0x3fffffff; and.b32 %r23, %r23, 0xbfffffff;"
        };
        let fill = fill.replace("; st.", &format!("; {tame} st."));
        on(
            &FROM_90,
            &format!(
                "{ROOM} {fill} cp.reduce.async.bulk.global.shared::cta.bulk_group.{operation} [%d5], [%r11], 16;
                cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
            ),
        );
    }
}

#[test]
fn reductions_into_shared_memory() {
    for operation in [
        "and.b32", "or.b32", "xor.b32", "add.u32", "add.s32", "add.u64", "inc.u32", "dec.u32", "min.u32", "max.s32",
    ] {
        let copy = format!(
            "ld.global.v4.u32 {{%r20, %r21, %r22, %r23}}, [%d6]; st.shared.v4.u32 [%r11], {{%r20, %r21, %r22, %r23}};
            st.shared.v4.u32 [%r12], {{%r23, %r20, %r21, %r22}}; fence.proxy.async;
            cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{operation} [%r11], [%r12], 16, [b]"
        );
        on(&FROM_90, &format!("{ROOM} {} {OUT}", expecting(1024, &copy)));
    }
}

#[test]
fn remote_stores_and_reductions() {
    for (bytes, store) in [
        (
            256,
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r11], %r5, [b]",
        ),
        (
            512,
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r11+8], %d5, [b]",
        ),
        (
            1024,
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r11], {%r5, %r4, %r3, 7}, [b]",
        ),
        (
            1024,
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%r11], {%d5, %d6}, [b]",
        ),
        (
            256,
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r11], %r5, [b]",
        ),
        (
            256,
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [%r11+4], %r5, [b]",
        ),
        (
            256,
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [%r11], %r5, [b]",
        ),
        (
            512,
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r11], %d4, [b]",
        ),
    ] {
        on(
            &FROM_90,
            &format!(
                "{ROOM} st.shared.v4.u32 [%r11], {{%r3, %r4, %r5, %r3}}; {} {OUT}",
                expecting(bytes, store)
            ),
        );
    }
}

#[test]
fn shared_memory_is_cleared() {
    for clear in [
        "st.bulk.weak.shared::cta [m], 512, 0;",
        "mov.u64 %d20, 64; st.bulk.shared::cta [m+8], %d20, 0;",
        "cvta.shared.u64 %d21, %d22; st.bulk [%d21], 128, 0;",
    ] {
        on(
            &FROM_100,
            &format!(
                "{ROOM} mov.u64 %d22, m; st.shared.v4.u32 [%r11], {{%r3, %r4, %r5, %r3}}; bar.sync 0; @!%p1 bra over; {clear} over: bar.sync 0; {OUT}"
            ),
        );
    }
}

#[test]
fn wide_atomics_and_device_accesses() {
    let wide = ".reg .b128 %q<4>; mov.b128 %q0, {%d5, %d6}; mov.b128 %q1, {%d4, %d1};";
    for line in [
        "atom.global.exch.b128 %q2, [%d5], %q0; mov.b128 {%d10, %d11}, %q2; st.global.v2.u64 [%d5], {%d11, %d10};",
        "st.global.b128 [%d5], %q0; atom.global.cas.b128 %q2, [%d5], %q0, %q1;",
        "st.global.b128 [%d5], %q0; atom.cas.b128 %q2, [%d5], %q1, %q1;",
        "st.shared.b128 [%r11], %q0; atom.shared.cas.b128 %q2, [%r11], %q0, %q1; ld.shared.b128 %q3, [%r11]; st.global.b128 [%d5], %q3;",
        "st.shared.b128 [%r11], %q0; atom.shared.exch.b128 %q2, [%r11], %q1; st.global.b128 [%d5], %q2;",
    ] {
        on(&FROM_90, &format!("{ROOM} {wide} {line}"));
    }
    on(
        &support::TARGETS,
        "ld.mmio.relaxed.sys.global.u32 %r10, [%d6]; st.mmio.relaxed.sys.global.u32 [%d5], %r10;
        ld.mmio.relaxed.sys.u64 %d10, [%d6]; st.mmio.relaxed.sys.u64 [%d5+8], %d10;",
    );
}

#[test]
fn accesses_and_fences_of_later_versions() {
    on(
        &support::TARGETS,
        ".local .align 16 .b8 m[64]; ld.mmio.acquire.sys.global.u32 %r10, [%d6]; st.volatile.local.u32 [m+4], %r10;
        ld.volatile.local.u32 %r11, [m+4]; st.mmio.release.sys.global.u32 [%d5], %r11;",
    );
    on(
        &FROM_90,
        "ld.proxy::readonly.global.v2.u32 {%r10, %r11}, [%d6]; prefetch.global.L1::32B.valid_addr [%d6+8];
        fence.proxy.alias.acquire.sys; fence.proxy.alias.release.sys; fence.alias.sync_restrict::read.release.sys;
        st.global.v2.u32 [%d5], {%r10, %r11}; cp.async.bulk.wait_group.sync_restrict::proxy::async 0;",
    );
}

#[test]
fn spaces_of_generic_addresses() {
    agree_on(
        &support::TARGETS,
        ".const .align 4 .b32 c[40];",
        &format!(
            "{START} mov.u64 %d10, c; cvta.const.u64 %d11, %d10; add.u64 %d12, %d11, 159; add.u64 %d13, %d11, 160;
            mov.b64 %d14, n; cvta.param.u64 %d15, %d14;
            isspacep.const %p1, %d11; isspacep.const %p2, %d12; isspacep.const %p3, %d13; isspacep.const %p4, %d5; isspacep.param %p5, %d15; isspacep.param %p6, %d5;
            selp.u32 %r10, 1, 0, %p1; selp.u32 %r11, 2, 0, %p2; selp.u32 %r12, 4, 0, %p3; selp.u32 %r13, 8, 0, %p4; selp.u32 %r14, 16, 0, %p5; selp.u32 %r15, 32, 0, %p6;
            add.u32 %r10, %r10, %r11; add.u32 %r10, %r10, %r12; add.u32 %r10, %r10, %r13; add.u32 %r10, %r10, %r14; add.u32 %r10, %r10, %r15;
            ld.u32 %r16, [%d15]; st.global.v2.u32 [%d5], {{%r10, %r16}}; ret;"
        ),
        &two_by_64(),
    );
}

/// A tensor map made in shared memory `t` by the first warp and copied to `out` + 3584, whose address is `%d30`: `words` 8 to 15 as they are, the others by
/// `tensormap.replace`.
fn with_map(element: u32, rank: u32, words: &[(u32, u32)], more: &str) -> String {
    let words: String = (words.iter())
        .map(|(word, value)| format!("@%p1 st.shared.u32 [t+{}], {value};", 4 * word))
        .collect();
    let zeros: String = (0..32)
        .map(|word| format!("@%p1 st.shared.u32 [t+{}], 0;", 4 * word))
        .collect();
    format!(
        ".shared .align 128 .b8 t[128]; add.u64 %d30, %d1, 3584; setp.lt.u32 %p9, %r4, 32;
        {zeros} @%p1 st.shared.u32 [t+8], 2; {words} @!%p9 bra made;
        @!%p1 bra copied;
        tensormap.replace.tile.global_address.shared::cta.b1024.b64 [t], %d2;
        tensormap.replace.tile.rank.shared::cta.b1024.b32 [t], {};
        tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [t], {element};
        {more}
        copied: bar.warp.sync -1;
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d30], [t], 128;
        fence.proxy.tensormap::generic.acquire.gpu [%d30], 128; prefetch.tensormap [%d30];
        made: bar.sync 0;",
        rank - 1
    )
}

fn one_cta(targets: &[&str], body: &str) {
    let mut shape = two_by_64();
    shape.grid = [1, 1, 1];
    agree_on(targets, "", &format!("{START}\n{body}\nret;"), &shape);
}

#[test]
fn tensors_of_every_rank() {
    // 16 elements of 4 bytes in a row, then 4, 2, 2, 2: a box of 4 of them.
    let sizes = [15, 3, 1, 1, 1];
    let boxes = [4, 4, 2, 2, 2];
    for rank in 1..=5_u32 {
        let map = with_map(
            2,
            rank,
            &[(8, sizes[0])],
            &(0..rank)
                .map(|d| {
                    let stride = [0, 64, 256, 512, 1024][d as usize];
                    let more = if d > 0 {
                        format!(
                            "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [t], {}, {stride};
                            mov.u32 %r40, {}; tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [t], {d}, %r40;",
                            d - 1,
                            sizes[d as usize] + 1
                        )
                    } else {
                        String::new()
                    };
                    format!(
                        "{more} mov.u32 %r41, {}; tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [t], {d}, %r41;
                        tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [t], {d}, 1;",
                        boxes[d as usize]
                    )
                })
                .collect::<String>(),
        );
        let count: u32 = boxes[..rank as usize].iter().product();
        let coordinates = ["%r50", "1", "0", "%r51", "1"][..rank as usize].join(", ");
        let copy = format!(
            "mov.u32 %r50, -2; mov.u32 %r51, 1;
            @%p1 cp.async.bulk.prefetch.tensor.{rank}d.L2.global.tile [%d30, {{{coordinates}}}];
            @%p1 cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [m], [%d30, {{{coordinates}}}], [b]"
        );
        one_cta(
            &OWN,
            &format!(
                "{ROOM} st.shared.v4.u32 [%r11], {{%r5, %r5, %r5, %r5}}; bar.sync 0; {map} {} {OUT}",
                expecting(4 * count, &copy)
            ),
        );
    }
}

#[test]
fn tensors_go_back_and_are_reduced() {
    // The tensor is `out` itself: 16 columns of 4 bytes, 8 rows.
    let map = |element: u32| {
        with_map(
            element,
            2,
            &[(8, 15), (9, 7), (13, 7 << 24), (14, 3)],
            "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [t], %d1;
            tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [t], 0, 64;
            tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [t], 1;
            tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [t], 0;
            tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [t], 0;",
        )
    };
    let fill = "ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%d6]; st.shared.v4.u32 [%r11], {%r20, %r21, %r22, %r23};
        st.global.v4.u32 [%d5], {%r21, %r20, %r23, %r22}; fence.proxy.async; bar.sync 0;";
    let end = "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;";
    for (element, copy) in [
        (
            2,
            "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%d30, {4, 2}], [m]",
        ),
        (
            2,
            "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint [%d30, {-4, %r4}], [m], %d1",
        ),
        (
            2,
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%d30, {4, 2}], [m]",
        ),
        (
            3,
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.tile.bulk_group [%d30, {4, 2}], [m]",
        ),
        (
            2,
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.tile.bulk_group [%d30, {4, 2}], [m]",
        ),
        (
            2,
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.tile.bulk_group.L2::cache_hint [%d30, {4, 2}], [m], %d1",
        ),
    ] {
        one_cta(&OWN, &format!("{ROOM} {} {fill} @%p1 {copy}; {end}", map(element)));
    }
}

#[test]
fn rows_are_gathered_and_scattered() {
    let map = with_map(
        2,
        2,
        &[(8, 15), (9, 15), (13, 7 << 24)],
        "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [t], 0, 64;",
    );
    let gather = "@%p1 cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [m], [%d30, {4, 3, 9, %r4, 1}], [b]";
    one_cta(
        &FROM_100,
        &format!(
            "{ROOM} st.shared.v4.u32 [%r11], {{%r5, %r5, %r5, %r5}}; bar.sync 0; {map} {} {OUT}",
            expecting(128, gather)
        ),
    );
}

#[test]
fn answers_about_work_are_read() {
    let read = ".reg .b128 %q1; mov.b128 %q1, {%d10, %d11};
        clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p5, %q1; selp.u32 %r20, 1, 0, %p5;
        clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r21, %r22, %r23, _}, %q1;
        clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %r24, %q1;
        add.u32 %r23, %r23, %r24; st.global.v4.u32 [%d5], {%r20, %r21, %r22, %r23};";
    on(&FROM_100, &format!("ld.global.v2.u64 {{%d10, %d11}}, [%d6]; {read}"));
}

#[test]
fn extremes_over_a_warp() {
    for line in ["min.f32", "max.abs.f32", "max.NaN.f32", "min.abs.NaN.f32"] {
        on(
            &["sm_100a", "sm_103a"],
            &format!(
                "ld.global.f32 %f1, [%d6]; redux.sync.{line} %f2, %f1, -1; mov.u32 %r10, 0x0f0f0f0f; and.b32 %r11, %r4, 4; setp.eq.u32 %p1, %r11, 0;
                mov.f32 %f3, 0f00000000; @!%p1 bra over; redux.sync.{line} %f3, %f1, %r10; over: st.global.v2.f32 [%d5], {{%f2, %f3}};"
            ),
        );
    }
}

#[test]
fn the_number_of_registers_changes() {
    let body = format!(
        "{START} setp.lt.u32 %p1, %r4, 32; @%p1 bra few; setmaxnreg.inc.sync.aligned.u32 96; add.u32 %r10, %r5, 1; st.global.u32 [%d5], %r10; bra end;
        few: setmaxnreg.dec.sync.aligned.u32 24; st.global.u32 [%d5], %r5; end: ret;"
    );
    agree_on(&OWN, "", &body, &two_by_64());
}

/// A kernel starts with as many registers as it may have, and no more than it asks for later.
#[test]
fn registers_at_the_start() {
    let compiled = |limit: u32, more: u32, fewer: u32| {
        let text = format!(
            ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out) .maxnreg {limit} {{
            .reg .pred %p; .reg .b32 %r; .reg .b64 %d; mov.u32 %r, %tid.x; setp.lt.u32 %p, %r, 128; @%p bra A; setmaxnreg.dec.sync.aligned.u32 {fewer}; bra B;
            A: setmaxnreg.inc.sync.aligned.u32 {more}; B: ld.param.u64 %d, [out]; st.global.u32 [%d], %r; ret; }}"
        );
        let parsed = warpsmith_ptx::parse(text.as_bytes());
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        let sm = "sm_90a".parse().expect("a known target");
        let output = warpsmith_ori::compile_with_options(&parsed.module, sm, &warpsmith_ori::Options::default());
        match output {
            Ok(output) => Ok(output.functions[0].registers),
            Err(errors) => Err(errors[0].message.clone()),
        }
    };
    assert_eq!(compiled(128, 232, 40), Ok(128));
    assert_eq!(compiled(128, 104, 40), Ok(104));
    assert_eq!(
        compiled(128, 96, 112).unwrap_err(),
        "setmaxnreg.dec has register count (112) which is larger than the largest temporal register count in the program (96)"
    );
}

/// What the system does may need registers that a warp has given back.
#[test]
fn registers_stay_where_the_system_copies() {
    let changes = |target: &str, to: &str| {
        let text = format!(
            ".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u32 a) .maxnreg 128 .reqntid 128 {{
            .reg .b32 %r<4>; .reg .b64 %d; .shared .align 128 .b8 m[1024]; .shared .align 8 .b64 b;
            setmaxnreg.dec.sync.aligned.u32 40; ld.param.u64 %d, [in]; ld.param.u32 %r0, [a]; mov.u32 %r1, m; add.u32 %r2, %r1, 64;
            cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{to}], [%d], 64, [b]; ret; }}"
        );
        let parsed = warpsmith_ptx::parse(text.as_bytes());
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        let sm = target.parse().expect("a known target");
        let output = warpsmith_ori::compile_with_options(&parsed.module, sm, &warpsmith_ori::Options::default());
        let output = output.unwrap_or_else(|errors| panic!("{}", errors[0]));
        let words = output.cubin.functions().flat_map(|(section, _)| {
            let bytes = output.cubin.section_bytes(section).unwrap_or_default();
            let words = bytes
                .chunks_exact(16)
                .map(|word| u128::from_le_bytes(word.try_into().expect("16 bytes")));
            words.collect::<Vec<u128>>()
        });
        let isa = "sm_120".parse::<warpsmith_target::Sm>().expect("a known target").isa();
        let named = words.filter_map(|word| warpsmith_sass::Instruction::decode(isa, word).ok());
        named.filter(|one| one.mnemonic() == "USETMAXREG").count()
    };
    assert_eq!(changes("sm_120a", "%r2"), 1);
    assert_eq!(changes("sm_120a", "%r0"), 0);
}

/// More registers than the kernel starts with, where they have been asked for.
#[test]
fn registers_beyond_those_of_the_start() {
    use std::fmt::Write as _;
    let (mut loads, mut sums) = (String::new(), String::new());
    for i in 0..80 {
        let _ = writeln!(loads, "ld.volatile.global.u32 %x{i}, [%d6+{}];", 4 * i);
        let _ = writeln!(sums, "mad.lo.u32 %r10, %r10, 31, %x{};", (i * 37) % 80);
    }
    let body = format!(
        ".reg .b32 %x<80>; {START} mov.u32 %r10, 0; setmaxnreg.inc.sync.aligned.u32 128; bra.uni more;
        more: {loads} bar.sync 0; {sums} st.global.u32 [%d5], %r10; setmaxnreg.dec.sync.aligned.u32 24; ret;"
    );
    agree_on(&OWN, "", &body, &two_by_64());
    let kernel = ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)";
    let text = format!(".version 9.0\n.target sm_90a\n.address_size 64\n{kernel} .maxnreg 40 {{\n{body}\n}}\n");
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let output = warpsmith_ori::compile_with_options(
        &parsed.module,
        "sm_90a".parse().expect("a known target"),
        &warpsmith_ori::Options::default(),
    );
    let functions = output.unwrap_or_else(|errors| panic!("{}", errors[0])).functions;
    assert_eq!((functions[0].registers, functions[0].spill_store_bytes), (40, 0));
}
