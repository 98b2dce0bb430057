//! Control flow, calls and memory, run in the PTX interpreter.

#[allow(dead_code)]
mod support;

use support::{run_text, run_words};

#[test]
fn phis_that_exchange_their_values() {
    // Fibonacci by exchanging, and the value before the last, which leaves the loop.
    let source = "
define ptx_kernel void @test(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %n = load i32, ptr addrspace(1) %in
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = phi i32 [ 0, %entry ], [ %b, %loop ]
  %b = phi i32 [ 1, %entry ], [ %sum, %loop ]
  %x = phi i32 [ 5, %entry ], [ %y, %loop ]
  %y = phi i32 [ 7, %entry ], [ %x, %loop ]
  %sum = add i32 %a, %b
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store i32 %a, ptr addrspace(1) %out
  %p1 = getelementptr i32, ptr addrspace(1) %out, i64 1
  store i32 %sum, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %out, i64 2
  store i32 %x, ptr addrspace(1) %p2
  %p3 = getelementptr i32, ptr addrspace(1) %out, i64 3
  store i32 %i, ptr addrspace(1) %p3
  ret void
}";
    assert_eq!(run_words(source, 1, &[10], 4), [34, 89, 7, 9]);
    assert_eq!(run_words(source, 1, &[1], 4), [0, 1, 5, 0]);
}

#[test]
fn switches_dense_and_sparse() {
    let source = "
define ptx_kernel void @test(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %v = load i32, ptr addrspace(1) %from
  switch i32 %v, label %other [ i32 3, label %a  i32 4, label %b  i32 5, label %a  i32 6, label %join  i32 8, label %b ]
a:
  br label %join
b:
  br label %join
other:
  switch i32 %v, label %none [ i32 -1000, label %join  i32 5000, label %b  i32 7000000, label %a  i32 100, label %a ]
none:
  br label %join
join:
  %r = phi i32 [ 10, %a ], [ 20, %b ], [ 30, %none ], [ 40, %entry ], [ 50, %other ]
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %r, ptr addrspace(1) %to
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()";
    let input = [
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        2,
        0,
        -1000i32 as u32,
        5000,
        7_000_000,
        100,
        101,
        u32::MAX,
    ];
    let expected = [10, 20, 10, 40, 30, 20, 30, 30, 30, 50, 20, 10, 10, 30, 30];
    assert_eq!(run_words(source, 15, &input, 15), expected);
}

#[test]
fn calls_pass_every_kind_of_value() {
    let source = "
%pair = type { i32, i64 }
@table = addrspace(4) constant [2 x ptr] [ptr @twice, ptr @thrice]
define internal i32 @twice(i32 %x) noinline {
  %r = shl i32 %x, 1
  ret i32 %r
}
define internal i32 @thrice(i32 %x) noinline {
  %r = mul i32 %x, 3
  ret i32 %r
}
define internal signext i8 @narrow(i8 signext %a, i16 zeroext %b, i1 %c) noinline {
  %b8 = trunc i16 %b to i8
  %s = add i8 %a, %b8
  %z = zext i1 %c to i8
  %r = add i8 %s, %z
  ret i8 %r
}
define internal %pair @make(i32 %a, i64 %b) noinline {
  %p = insertvalue %pair undef, i32 %a, 0
  %q = insertvalue %pair %p, i64 %b, 1
  ret %pair %q
}
define internal i128 @wide(i128 %a, <4 x float> %v) noinline {
  %e = extractelement <4 x float> %v, i32 2
  %i = fptoui float %e to i32
  %w = zext i32 %i to i128
  %r = add i128 %a, %w
  ret i128 %r
}
define internal i64 @byval(ptr byval(%pair) align 8 %p, i32 %i) noinline {
  %f = getelementptr %pair, ptr %p, i32 0, i32 1
  %x = load i64, ptr %f
  store i64 77, ptr %f
  %y = load i64, ptr %f
  %r = add i64 %x, %y
  ret i64 %r
}
define internal half @halves(half %a, <2 x half> %b) noinline {
  %e = extractelement <2 x half> %b, i32 1
  %r = fadd half %a, %e
  ret half %r
}
define ptx_kernel void @test(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %n = load volatile i32, ptr addrspace(1) %in
  %n64 = sext i32 %n to i64
  %slot = getelementptr [2 x ptr], ptr addrspace(4) @table, i64 0, i32 %n
  %f = load ptr, ptr addrspace(4) %slot
  %r0 = call i32 %f(i32 100)
  store i32 %r0, ptr addrspace(1) %out
  %n8 = trunc i32 %n to i8
  %n16 = trunc i32 %n to i16
  %c = icmp eq i32 %n, 1
  %b0 = sub i8 -10, %n8
  %r1 = call signext i8 @narrow(i8 signext %b0, i16 zeroext %n16, i1 %c)
  %r1x = sext i8 %r1 to i32
  %o1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  store i32 %r1x, ptr addrspace(1) %o1
  %p = call %pair @make(i32 %n, i64 40)
  %p0 = extractvalue %pair %p, 0
  %p1 = extractvalue %pair %p, 1
  %p1t = trunc i64 %p1 to i32
  %ps = add i32 %p0, %p1t
  %o2 = getelementptr i32, ptr addrspace(1) %out, i32 2
  store i32 %ps, ptr addrspace(1) %o2
  %w0 = sext i32 %n to i128
  %v = insertelement <4 x float> zeroinitializer, float 12.0, i32 2
  %w = call i128 @wide(i128 %w0, <4 x float> %v)
  %wt = trunc i128 %w to i32
  %o3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  store i32 %wt, ptr addrspace(1) %o3
  %mem = alloca %pair, align 8
  store %pair %p, ptr %mem
  %bv = call i64 @byval(ptr byval(%pair) align 8 %mem, i32 1)
  %back = getelementptr %pair, ptr %mem, i32 0, i32 1
  %kept = load i64, ptr %back
  %sum = add i64 %bv, %kept
  %sumt = trunc i64 %sum to i32
  %o4 = getelementptr i32, ptr addrspace(1) %out, i32 4
  store i32 %sumt, ptr addrspace(1) %o4
  %h = sitofp i32 %n to half
  %hv = insertelement <2 x half> <half 1.0, half 2.0>, half %h, i32 0
  %hr = call half @halves(half %h, <2 x half> %hv)
  %hf = fptosi half %hr to i32
  %o5 = getelementptr i32, ptr addrspace(1) %out, i32 5
  store i32 %hf, ptr addrspace(1) %o5
  ret void
}";
    assert_eq!(run_words(source, 1, &[1], 6), [300, -9i32 as u32, 41, 13, 157, 3]);
}

#[test]
fn memory_of_the_frame_and_copies() {
    let source = "
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)
define ptx_kernel void @test(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %a = alloca [64 x i8], align 4
  %n = load volatile i32, ptr addrspace(1) %in
  %len = zext i32 %n to i64
  call void @llvm.memset.p0.i64(ptr align 4 %a, i8 170, i64 64, i1 false)
  %from = getelementptr i8, ptr addrspace(1) %in, i64 4
  call void @llvm.memcpy.p0.p1.i64(ptr align 1 %a, ptr addrspace(1) align 1 %from, i64 %len, i1 false)
  %up = getelementptr i8, ptr %a, i64 3
  call void @llvm.memmove.p0.p0.i64(ptr align 1 %up, ptr align 1 %a, i64 %len, i1 false)
  %far = getelementptr i8, ptr %a, i64 20
  call void @llvm.memmove.p0.p0.i64(ptr align 1 %far, ptr align 1 %up, i64 5, i1 false)
  %byte = trunc i32 %n to i8
  %tail = getelementptr i8, ptr %a, i64 40
  call void @llvm.memset.p0.i64(ptr align 4 %tail, i8 %byte, i64 8, i1 false)
  %odd = getelementptr i8, ptr %a, i64 51
  store i32 67305985, ptr %odd, align 1
  %word = load i32, ptr %odd, align 1
  %spot = getelementptr i8, ptr %a, i64 56
  store i32 %word, ptr %spot, align 2
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 4 %out, ptr align 4 %a, i64 64, i1 false)
  ret void
}";
    let mut input = 10u32.to_le_bytes().to_vec();
    input.extend(1..=10u8);
    let mut expected = [170u8; 64];
    expected[..3].copy_from_slice(&[1, 2, 3]);
    expected[3..13].copy_from_slice(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expected[20..25].copy_from_slice(&[1, 2, 3, 4, 5]);
    expected[40..48].fill(10);
    expected[51..55].copy_from_slice(&[1, 2, 3, 4]);
    expected[56..60].copy_from_slice(&[1, 2, 3, 4]);
    assert_eq!(run_text(source, 1, &input, 64), expected);
}

#[test]
fn initial_values_of_variables() {
    let source = "
%s = type { i8, i32, ptr, [3 x i16], double }
@x = internal addrspace(1) global i32 42
@g = addrspace(1) global %s { i8 7, i32 -2, ptr addrspacecast (ptr addrspace(1) @x to ptr), [3 x i16] [i16 1, i16 2, i16 3], double 1.5 }
@f = addrspace(1) global float 2.5
@q = internal global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
define ptx_kernel void @test(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %p = load ptr, ptr addrspace(1) getelementptr (%s, ptr addrspace(1) @g, i32 0, i32 2)
  %v = load i32, ptr %p
  store i32 %v, ptr addrspace(1) %out
  %h = load i16, ptr addrspace(1) getelementptr (%s, ptr addrspace(1) @g, i32 0, i32 3, i32 2)
  %hx = zext i16 %h to i32
  %o1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  store i32 %hx, ptr addrspace(1) %o1
  %d = load double, ptr addrspace(1) getelementptr (%s, ptr addrspace(1) @g, i32 0, i32 4)
  %f = load float, ptr addrspace(1) @f
  %fx = fpext float %f to double
  %sum = fadd double %d, %fx
  %i = fptosi double %sum to i32
  %o2 = getelementptr i32, ptr addrspace(1) %out, i32 2
  store i32 %i, ptr addrspace(1) %o2
  %q = load i32, ptr getelementptr ([4 x i32], ptr @q, i32 0, i32 3)
  %o3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  store i32 %q, ptr addrspace(1) %o3
  %n = load i32, ptr addrspace(1) %in
  %qn = getelementptr [4 x i32], ptr @q, i32 0, i32 %n
  %qv = load i32, ptr %qn
  %o4 = getelementptr i32, ptr addrspace(1) %out, i32 4
  store i32 %qv, ptr addrspace(1) %o4
  ret void
}";
    assert_eq!(run_words(source, 1, &[1], 5), [42, 3, 4, 4, 2]);
}

#[test]
fn a_byval_parameter_of_a_kernel_is_read_in_place() {
    let source = "
%s = type { i32, [4 x i32] }
define internal i32 @sum(ptr byval(%s) align 4 %p) noinline {
  %a = load i32, ptr %p
  %f = getelementptr %s, ptr %p, i32 0, i32 1, i32 2
  %b = load i32, ptr %f
  %r = add i32 %a, %b
  ret i32 %r
}
define ptx_kernel void @test(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %m = alloca %s, align 4
  %n = load volatile i32, ptr addrspace(1) %in
  store i32 %n, ptr %m
  %f = getelementptr %s, ptr %m, i32 0, i32 1, i32 2
  store i32 5, ptr %f
  %r = call i32 @sum(ptr byval(%s) align 4 %m)
  store i32 %r, ptr addrspace(1) %out
  ret void
}";
    assert_eq!(run_words(source, 1, &[1], 1), [6]);
}

#[test]
fn inline_assembly_with_all_kinds_of_operands() {
    let source = "
define ptx_kernel void @test(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %n = load volatile i32, ptr addrspace(1) %in
  %a = call i32 asm \"add.s32 $0, $1, $2;\", \"=r,r,n\"(i32 %n, i32 7)
  store i32 %a, ptr addrspace(1) %out
  %two = call { i32, i64 } asm \"{ .reg .u32 t; add.u32 t, $2, 1; mov.u32 $0, t; cvt.u64.u32 $1, t; }\", \"=r,=l,r\"(i32 %n)
  %t0 = extractvalue { i32, i64 } %two, 0
  %t1 = extractvalue { i32, i64 } %two, 1
  %t1t = trunc i64 %t1 to i32
  %s = add i32 %t0, %t1t
  %o1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  store i32 %s, ptr addrspace(1) %o1
  %tied = call i32 asm \"mad.lo.s32 $0, $0, $2, 1;\", \"=r,0,r\"(i32 %n, i32 10)
  %o2 = getelementptr i32, ptr addrspace(1) %out, i32 2
  store i32 %tied, ptr addrspace(1) %o2
  %fl = sitofp i32 %n to float
  %fr = call float asm \"mul.f32 $0, $1, 0f40000000;\", \"=f,f\"(float %fl)
  %fi = fptosi float %fr to i32
  %o3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  store i32 %fi, ptr addrspace(1) %o3
  %h = call i16 asm \"cvt.u16.u32 $0, $1;\", \"=h,r\"(i32 %n)
  %hx = zext i16 %h to i32
  %o4 = getelementptr i32, ptr addrspace(1) %out, i32 4
  store i32 %hx, ptr addrspace(1) %o4
  ret void
}";
    assert_eq!(run_words(source, 1, &[5], 5), [12, 12, 51, 10, 5]);
}

#[test]
fn shared_memory_is_addressed_by_32_bits() {
    let source = "
@tile = internal addrspace(3) global [16 x [17 x i32]] undef
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
define ptx_kernel void @test(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %row = mul nuw nsw i64 %w, 68
  %a = getelementptr i8, ptr addrspace(3) @tile, i64 %row
  %b = getelementptr i32, ptr addrspace(3) %a, i64 %w
  %v = mul i32 %t, 3
  store i32 %v, ptr addrspace(3) %b
  %c = getelementptr [17 x i32], ptr addrspace(3) @tile, i32 %t, i32 16
  store i8 7, ptr addrspace(3) %c
  %d = atomicrmw add ptr addrspace(3) %c, i8 1 monotonic
  call void @llvm.nvvm.barrier0()
  %back = sub i32 3, %t
  %e = getelementptr [16 x [17 x i32]], ptr addrspace(3) @tile, i32 0, i32 %back, i32 %back
  %x = load i32, ptr addrspace(3) %e
  %f = getelementptr [16 x [17 x i32]], ptr addrspace(3) @tile, i32 0, i32 %back, i32 16
  %y8 = load i8, ptr addrspace(3) %f
  %y = zext i8 %y8 to i32
  %sum = add i32 %x, %y
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %sum, ptr addrspace(1) %o
  ret void
}";
    assert_eq!(run_words(source, 4, &[], 4), [17, 14, 11, 8]);
}

#[test]
fn rotations_by_constants_are_funnel_shifts() {
    let mut source = String::from(
        "define ptx_kernel void @test(ptr addrspace(1) %in, ptr addrspace(1) %out) {\n  %v = load i64, ptr addrspace(1) %in\n",
    );
    let amounts = [1, 7, 31, 32, 33, 63];
    for (number, amount) in amounts.iter().enumerate() {
        let rest = 64 - amount;
        source += &format!(
            "  %a{number} = shl i64 %v, {amount}\n  %b{number} = lshr i64 %v, {rest}\n  %c{number} = or i64 %b{number}, %a{number}
  %p{number} = getelementptr i64, ptr addrspace(1) %out, i32 {number}\n  store i64 %c{number}, ptr addrspace(1) %p{number}\n"
        );
    }
    source += "  %w = trunc i64 %v to i32\n  %x = shl i32 %w, 5\n  %y = lshr i32 %w, 27\n  %z = xor i32 %x, %y
  %q = getelementptr i64, ptr addrspace(1) %out, i32 6\n  store i32 %z, ptr addrspace(1) %q\n  ret void\n}";
    let value = 0x0123_4567_89AB_CDEFu64;
    let output = run_text(&source, 1, &value.to_le_bytes(), 56);
    let words: Vec<u64> = output
        .chunks(8)
        .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
        .collect();
    let mut expected: Vec<u64> = amounts.iter().map(|&amount| value.rotate_left(amount)).collect();
    expected.push(u64::from((value as u32).rotate_left(5)));
    assert_eq!(words, expected);
}

#[test]
fn loads_that_are_extended_at_once() {
    let source = "
define ptx_kernel void @test(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %a = load i8, ptr addrspace(1) %in
  %ax = sext i8 %a to i32
  store i32 %ax, ptr addrspace(1) %out
  %p = getelementptr i8, ptr addrspace(1) %in, i32 2
  %b = load i16, ptr addrspace(1) %p
  %bx = zext i16 %b to i64
  %q = getelementptr i32, ptr addrspace(1) %out, i32 1
  store i64 %bx, ptr addrspace(1) %q, align 4
  %r = getelementptr i8, ptr addrspace(1) %in, i32 4
  %c = load i32, ptr addrspace(1) %r
  %cx = sext i32 %c to i64
  %s = getelementptr i32, ptr addrspace(1) %out, i64 %cx
  %ct = trunc i64 %cx to i32
  store i32 %ct, ptr addrspace(1) %s
  ret void
}";
    let input = [0xFE, 0xFF, 0x80, 0xFF, 3, 0, 0, 0];
    let output = run_text(source, 1, &input, 16);
    assert_eq!(
        output,
        [0xFE, 0xFF, 0xFF, 0xFF, 0x80, 0xFF, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0]
    );
}

#[test]
fn vectors_of_truth_values_are_bits_in_memory() {
    let source = "
define ptx_kernel void @test(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %a = load <8 x i1>, ptr addrspace(1) %in
  %b = insertelement <8 x i1> %a, i1 true, i32 0
  store <8 x i1> %b, ptr addrspace(1) %out
  %c = bitcast <8 x i1> %a to i8
  %o = getelementptr i8, ptr addrspace(1) %out, i32 2
  store i8 %c, ptr addrspace(1) %o
  ret void
}";
    assert_eq!(run_text(source, 1, &[0xA4], 4), [0xA5, 0, 0xA4, 0]);
}
