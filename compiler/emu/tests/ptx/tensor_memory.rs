//! Tensor memory: allocation, loads and stores, copies from shared memory.

use crate::support::{fault, kernel, words};
use warpsmith_emu::ptx::{FaultKind, Options};

/// 32 threads with 32 columns of tensor memory at `%r10`, in which lane l, column c holds 256 l + c; thread t's results go to word 16 t.
fn with_memory(body: &str) -> String {
    let list = |name: &str, count: usize| (0..count).map(|i| format!("%{name}{i}")).collect::<Vec<_>>().join(", ");
    let fill: String = (0..16).map(|c| format!("add.u32 %v{c}, %r11, {c};")).collect();
    kernel(&format!(
        ".shared .b32 place; .reg .b32 %v<16>; .reg .b32 %w<16>;
         tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 32; ld.shared.b32 %r10, [place];
         mov.u32 %r0, %tid.x; shl.b32 %r11, %r0, 8; {fill}
         tcgen05.st.sync.aligned.32x32b.x16.b32 [%r10], {{{}}}; tcgen05.wait::st.sync.aligned;
         mul.wide.u32 %d1, %r0, 64; add.u64 %d1, %d0, %d1;
         {body} tcgen05.wait::ld.sync.aligned;
         st.global.v4.b32 [%d1], {{%w0, %w1, %w2, %w3}}; st.global.v4.b32 [%d1+16], {{%w4, %w5, %w6, %w7}};
         tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, 32; ret;",
        list("v", 16)
    ))
}

/// The first registers of each thread.
fn loaded(body: &str, count: usize) -> Vec<Vec<u32>> {
    let found = words(&with_memory(body), 512, (1, 32));
    found.chunks(16).map(|thread| thread[..count].to_vec()).collect()
}

#[test]
fn shapes_of_loads() {
    // From lane 16 on, as all shapes of 16 rows may.
    let base = "add.u32 %r12, %r10, 0x100000;";
    let word = |row: u32, column: u32| 256 * (16 + row) + column;
    let found = loaded(
        &format!("{base} tcgen05.ld.sync.aligned.16x64b.x2.b32 {{%w0, %w1}}, [%r12];"),
        2,
    );
    for (lane, registers) in (0..32).zip(found) {
        let (row, column) = (lane / 4 + 8 * (lane % 2), lane / 2 % 2);
        assert_eq!(registers, [word(row, column), word(row, column + 2)], "{lane}");
    }
    let found = loaded(
        &format!("{base} tcgen05.ld.sync.aligned.16x128b.x2.b32 {{%w0, %w1, %w2, %w3}}, [%r12];"),
        4,
    );
    for (lane, registers) in (0..32).zip(found) {
        let (row, column) = (lane / 4, lane % 4);
        let expected = [
            (row, column),
            (row + 8, column),
            (row, column + 4),
            (row + 8, column + 4),
        ];
        assert_eq!(registers, expected.map(|(row, column)| word(row, column)), "{lane}");
    }
    let found = loaded(
        &format!("{base} tcgen05.ld.sync.aligned.16x256b.x1.b32 {{%w0, %w1, %w2, %w3}}, [%r12];"),
        4,
    );
    for (lane, registers) in (0..32).zip(found) {
        let (row, column) = (lane / 4, lane % 4 * 2);
        let expected = [
            (row, column),
            (row, column + 1),
            (row + 8, column),
            (row + 8, column + 1),
        ];
        assert_eq!(registers, expected.map(|(row, column)| word(row, column)), "{lane}");
    }
    let found = loaded("tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {%w0, %w1}, [%r10], 5;", 2);
    for (lane, registers) in (0..32).zip(found) {
        let start = 256 * (lane % 16) + lane / 16 * 5;
        assert_eq!(registers, [start, start + 1], "{lane}");
    }
    let found = loaded("tcgen05.ld.sync.aligned.32x32b.x2.pack::16b.b32 {%w0, %w1}, [%r10];", 2);
    for (lane, registers) in (0..32).zip(found) {
        let pair = |column: u32| (256 * lane + column) | (256 * lane + column + 1) << 16;
        assert_eq!(registers, [pair(0), pair(2)], "{lane}");
    }
}

#[test]
fn what_is_wrong_with_tensor_memory() {
    let refused = |body: &str| {
        let text = kernel(&format!(
            ".shared .b32 place; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 32; ld.shared.b32 %r10, [place]; {body} ret;"
        ));
        fault(&text, (1, 32), &Options::default())
    };
    let fault = refused("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r10+32];");
    assert_eq!(fault.kind, FaultKind::OutOfBounds);
    assert_eq!(fault.message, "lane 0, column 32 of tensor memory is not allocated");
    let fault = refused("add.u32 %r10, %r10, 0x200000; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r10];");
    assert_eq!(
        fault.message,
        "warp 0 has lanes 0 to 31 of tensor memory, and this starts at lane 32"
    );
    let fault = refused("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, 64;");
    assert_eq!(fault.message, "columns 0 and up of tensor memory are not allocated");
    let fault = refused(
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 32;",
    );
    assert_eq!(
        fault.message,
        "the CTA has given up the right to allocate tensor memory"
    );
}

#[test]
fn copies_from_shared_memory_reach_all_warps() {
    // 32 rows of 16 bytes, row r at 16 r: word w of row r is 4 r + w; each of the four warps finds it in its lanes.
    let text = kernel(
        ".shared .b32 place; .shared .align 128 .b8 rows[512]; .reg .b32 %v<4>;
         mov.u32 %r0, %tid.x; setp.lt.u32 %p1, %r0, 32;
         @!%p1 bra ready;
         tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 32;
         shl.b32 %r1, %r0, 2; add.u32 %r2, %r1, 1; add.u32 %r3, %r1, 2; add.u32 %r4, %r1, 3;
         mov.u32 %r5, rows; shl.b32 %r6, %r0, 4; add.u32 %r5, %r5, %r6; st.shared.v4.b32 [%r5], {%r1, %r2, %r3, %r4};
         ready: bar.sync 0; ld.shared.b32 %r10, [place];
         setp.eq.u32 %p2, %r0, 0; mov.u32 %r7, rows; shr.u32 %r7, %r7, 4; cvt.u64.u32 %d1, %r7;
         or.b64 %d1, %d1, 0x0000400800200000;
         @%p2 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r10], %d1;
         bar.sync 0; shr.u32 %r8, %r0, 5; shl.b32 %r9, %r8, 21; add.u32 %r11, %r10, %r9;
         tcgen05.ld.sync.aligned.32x32b.x4.b32 {%v0, %v1, %v2, %v3}, [%r11]; tcgen05.wait::ld.sync.aligned;
         mul.wide.u32 %d2, %r0, 16; add.u64 %d2, %d0, %d2; st.global.v4.b32 [%d2], {%v0, %v1, %v2, %v3}; ret;",
    );
    let expected: Vec<u32> = (0..512).map(|word| word % 128).collect();
    assert_eq!(words(&text, 512, (1, 128)), expected);
}

#[test]
fn rows_move_down_and_four_are_filled() {
    // Thread t stores 256 t + c to column c; columns 4 to 11 are shifted once, and four rows of 32 bytes, of words 0x1000 r + w, go to the last lanes of the parts.
    let text = kernel(
        ".shared .b32 place; .shared .align 128 .b8 rows[256]; .reg .b32 %v<16>;
         mov.u32 %r0, %tid.x; setp.lt.u32 %p1, %r0, 32;
         @%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 32;
         setp.lt.u32 %p2, %r0, 32; @!%p2 bra ready;
         shr.u32 %r1, %r0, 3; and.b32 %r2, %r0, 7; shl.b32 %r3, %r1, 12; or.b32 %r3, %r3, %r2;
         shr.u32 %r4, %r2, 2; shl.b32 %r4, %r4, 7; shl.b32 %r5, %r1, 4; add.u32 %r4, %r4, %r5; and.b32 %r5, %r2, 3; shl.b32 %r5, %r5, 2;
         add.u32 %r4, %r4, %r5; mov.u32 %r5, rows; add.u32 %r4, %r4, %r5; st.shared.b32 [%r4], %r3;
         ready: bar.sync 0; ld.shared.b32 %r10, [place]; shr.u32 %r8, %r0, 5; shl.b32 %r9, %r8, 21; add.u32 %r11, %r10, %r9;
         shl.b32 %r12, %r0, 8; add.u32 %v0, %r12, 0; add.u32 %v1, %r12, 1; add.u32 %v2, %r12, 2; add.u32 %v3, %r12, 3;
         add.u32 %v4, %r12, 4; add.u32 %v5, %r12, 5; add.u32 %v6, %r12, 6; add.u32 %v7, %r12, 7; add.u32 %v8, %r12, 8; add.u32 %v9, %r12, 9;
         add.u32 %v10, %r12, 10; add.u32 %v11, %r12, 11; add.u32 %v12, %r12, 12; add.u32 %v13, %r12, 13; add.u32 %v14, %r12, 14; add.u32 %v15, %r12, 15;
         tcgen05.st.sync.aligned.32x32b.x16.b32 [%r11], {%v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7, %v8, %v9, %v10, %v11, %v12, %v13, %v14, %v15};
         tcgen05.wait::st.sync.aligned; bar.sync 0;
         setp.eq.u32 %p3, %r0, 0; mov.u32 %r7, rows; shr.u32 %r7, %r7, 4; cvt.u64.u32 %d1, %r7; or.b64 %d1, %d1, 0x0000400800080000;
         add.u32 %r13, %r10, 4; @%p3 tcgen05.shift.cta_group::1.down [%r13];
         add.u32 %r14, %r13, 0x1f0000; @%p3 tcgen05.cp.cta_group::1.4x256b [%r14], %d1;
         bar.sync 0;
         tcgen05.ld.sync.aligned.32x32b.x16.b32 {%v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7, %v8, %v9, %v10, %v11, %v12, %v13, %v14, %v15}, [%r11];
         tcgen05.wait::ld.sync.aligned; mul.wide.u32 %d2, %r0, 64; add.u64 %d2, %d0, %d2;
         st.global.v4.b32 [%d2], {%v0, %v1, %v2, %v3}; st.global.v4.b32 [%d2+16], {%v4, %v5, %v6, %v7};
         st.global.v4.b32 [%d2+32], {%v8, %v9, %v10, %v11}; st.global.v4.b32 [%d2+48], {%v12, %v13, %v14, %v15}; ret;",
    );
    let found = words(&text, 2048, (1, 128));
    for (place, word) in found.into_iter().enumerate() {
        let (lane, column) = (place / 16, place % 16);
        let expected = match (4..12).contains(&column) {
            false => 256 * lane + column,
            true if lane % 32 == 31 => 0x1000 * (lane / 32) + column - 4,
            true => 256 * (lane + 1) + column,
        };
        assert_eq!(word as usize, expected, "lane {lane}, column {column}");
    }
}
