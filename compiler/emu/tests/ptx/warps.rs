//! Operations of a whole warp.

use crate::support::each;

#[test]
fn shuffles() {
    let sum = "mov.u32 %r1, %r0;
        shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1; add.u32 %r1, %r1, %r2;
        shfl.sync.bfly.b32 %r2, %r1, 8, 31, -1; add.u32 %r1, %r1, %r2;
        shfl.sync.bfly.b32 %r2, %r1, 4, 31, -1; add.u32 %r1, %r1, %r2;
        shfl.sync.bfly.b32 %r2, %r1, 2, 31, -1; add.u32 %r1, %r1, %r2;
        shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; add.u32 %r1, %r1, %r2;";
    assert_eq!(each(sum, 32), [496; 32]);
    // Segments of 8 lanes: the mask of the segment stands in bits 8 to 12.
    let up = "shfl.sync.up.b32 %r1|%p1, %r0, 3, 0x1800, -1; @!%p1 mov.u32 %r1, 99;";
    let expected: Vec<u32> = (0..32).map(|lane| if lane % 8 >= 3 { lane - 3 } else { 99 }).collect();
    assert_eq!(each(up, 32), expected);
    let down = "shfl.sync.down.b32 %r1|%p1, %r0, 3, 0x181f, -1; @!%p1 mov.u32 %r1, 99;";
    let expected: Vec<u32> = (0..32).map(|lane| if lane % 8 < 5 { lane + 3 } else { 99 }).collect();
    assert_eq!(each(down, 32), expected);
    let index = "shfl.sync.idx.b32 %r1, %r0, 5, 0x181f, -1;";
    let expected: Vec<u32> = (0..32).map(|lane| lane / 8 * 8 + 5).collect();
    assert_eq!(each(index, 32), expected);
}

#[test]
fn a_shuffle_waits_for_lanes_that_parted() {
    let body = "
        mov.u32 %r2, %r0; setp.lt.u32 %p1, %r0, 16;
        @!%p1 bra join;
        add.u32 %r2, %r2, 100;
      join:
        shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;";
    assert_eq!(each(body, 32), [100; 32]);
}

#[test]
fn votes() {
    let ballot = "setp.lt.u32 %p1, %r0, 5; vote.sync.ballot.b32 %r1, %p1, -1;";
    assert_eq!(each(ballot, 32), [0x1f; 32]);
    let all = "setp.lt.u32 %p1, %r0, 5; vote.sync.all.pred %p2, %p1, -1; vote.sync.any.pred %p3, %p1, -1;
        vote.sync.uni.pred %p4, %p1, -1; selp.u32 %r1, 1, 0, %p2; @%p3 or.b32 %r1, %r1, 2; @%p4 or.b32 %r1, %r1, 4;";
    assert_eq!(each(all, 32), [2; 32]);
}

#[test]
fn matches() {
    let any = "and.b32 %r2, %r0, 1; match.any.sync.b32 %r1, %r2, -1;";
    let expected: Vec<u32> = (0..32)
        .map(|lane| if lane % 2 == 0 { 0x5555_5555 } else { 0xaaaa_aaaa })
        .collect();
    assert_eq!(each(any, 32), expected);
    let all = "mov.u32 %r2, 3; match.all.sync.b32 %r1|%p1, %r2, -1; @!%p1 mov.u32 %r1, 0;";
    assert_eq!(each(all, 32), [0xffff_ffff; 32]);
}

#[test]
fn reductions() {
    assert_eq!(each("redux.sync.add.u32 %r1, %r0, -1;", 32), [496; 32]);
    assert_eq!(
        each("sub.u32 %r2, 3, %r0; redux.sync.min.s32 %r1, %r2, -1;", 32),
        [-28_i32 as u32; 32]
    );
    // Two halves of the warp reduce by themselves.
    let halves = "mov.u32 %r3, 0xffff; setp.ge.u32 %p1, %r0, 16; @%p1 shl.b32 %r3, %r3, 16;
        redux.sync.max.u32 %r1, %r0, %r3;";
    let expected: Vec<u32> = (0..32).map(|lane| if lane < 16 { 15 } else { 31 }).collect();
    assert_eq!(each(halves, 32), expected);
}

#[test]
fn one_lane_is_elected() {
    let body = "mov.u32 %r1, 0; setp.lt.u32 %p1, %r0, 4; @%p1 bra done;
        elect.sync %r2|%p2, 0xfffffff0; selp.u32 %r1, 9, %r2, %p2;
      done:";
    let expected: Vec<u32> = (0..32)
        .map(|lane| {
            if lane < 4 {
                0
            } else if lane == 4 {
                9
            } else {
                4
            }
        })
        .collect();
    assert_eq!(each(body, 32), expected);
}

#[test]
fn a_matrix_is_transposed() {
    // Element (row, column) holds 8 * row + column; lane 5 then has those of (2, 1) and (3, 1) in row 1.
    let body = "shl.b32 %r2, %r0, 1; add.u32 %r3, %r2, 1; shl.b32 %r3, %r3, 16; or.b32 %r2, %r2, %r3;
        movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;";
    let expected: Vec<u32> = (0..32)
        .map(|lane| {
            let (row, column) = (lane / 4, lane % 4 * 2);
            (8 * column + row) | (8 * (column + 1) + row) << 16
        })
        .collect();
    assert_eq!(each(body, 32), expected);
}

#[test]
fn matrices_of_halves_multiply() {
    // The first eight rows and columns of A are the identity, B[k][n] is k, C is one.
    let body = "
        .reg .b32 %a<4>; .reg .b32 %b<2>; .reg .f32 %x<4>;
        and.b32 %r2, %r0, 3; shr.u32 %r3, %r0, 2;
        // Column 2 t or 2 t + 1 equals row g.
        shl.b32 %r4, %r2, 1; add.u32 %r5, %r4, 1;
        setp.eq.u32 %p1, %r4, %r3; selp.b32 %a0, 0x3c00, 0, %p1;
        setp.eq.u32 %p1, %r5, %r3; @%p1 mov.b32 %a0, 0x3c000000;
        mov.b32 %a1, 0; mov.b32 %a2, 0; mov.b32 %a3, 0;
        cvt.rn.f16.u32 %h1, %r4; cvt.rn.f16.u32 %h2, %r5; mov.b32 %b0, {%h1, %h2}; mov.b32 %b1, 0;
        mov.f32 %x0, 0f3f800000;
        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%x0, %x1, %x2, %x3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%x0, %x0, %x0, %x0};
        cvt.rni.u32.f32 %r1, %x1; cvt.rni.u32.f32 %r6, %x2; shl.b32 %r6, %r6, 8; or.b32 %r1, %r1, %r6;";
    let expected: Vec<u32> = (0..32).map(|lane| (lane / 4 + 1) | 1 << 8).collect();
    assert_eq!(each(body, 32), expected);
}

#[test]
fn matrices_of_bytes_multiply() {
    // All ones times all twos: 32 products of 2, and 5.
    let body = "
        .reg .b32 %a<2>; .reg .b32 %x<4>;
        mov.b32 %a0, 0x01010101; mov.b32 %a1, 0x02020202; mov.b32 %x0, 5;
        mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%x0, %x1, %x2, %x3}, {%a0, %a0, %a0, %a0}, {%a1, %a1}, {%x0, %x0, %x0, %x0};
        add.u32 %r1, %x0, %x3;";
    assert_eq!(each(body, 32), [138; 32]);
}
