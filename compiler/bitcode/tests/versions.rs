//! One module as each version of LLVM writes it, and what it is read as. The files are made of `samples/kernel.ll`; those of 16 and later by reading that of 14,
//! so that they have opaque pointers.

use warpsmith_bitcode::assembly;

fn text(bytes: &[u8]) -> String {
    match assembly("kernel.bc", bytes).as_deref() {
        Ok([text]) => text.clone(),
        other => panic!("{other:?}"),
    }
}

/// What stands in a text between two words, the first included.
fn part<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let start = text.find(from).expect("the first word");
    let end = text[start..].find(to).expect("the second word");
    &text[start..start + end]
}

#[test]
fn typed_pointers() {
    let text = text(include_bytes!("samples/kernel.14.bc"));
    assert_eq!(
        part(&text, "$group", "define"),
        r#"$group = comdat any
%pair = type { i8, %pair*, [2 x i32] }
@table = internal unnamed_addr addrspace(1) constant [3 x i16] [i16 1, i16 -2, i16 3], align 2
@text = private constant [4 x i8] c"a\22b\00", comdat($group), align 1
@tile = internal addrspace(3) global [8 x float] undef, align 16
@inside = constant i32* getelementptr inbounds (%pair, %pair* @other, i64 0, i32 2, i64 1), section ".data"
@other = external global %pair
@wide = constant i128 -170141183460469231731687303715884105728
@0 = private constant { half, double } { half 0xH3C00, double 0x3FF0000000000000 }
@shared = external global i32
@alias = internal alias i8, i8* getelementptr inbounds ([4 x i8], [4 x i8]* @text, i32 0, i32 1)

"#
    );
    assert_eq!(
        part(&text, "define", "declare"),
        r#"define void @kernel(float addrspace(1)* noalias nocapture align 16 %out, %pair* byval(%pair) align 8 %0, i32 %n) #1 !dbg !5 {
entry:
  %local = alloca %pair, align 8
  %"a b" = icmp sgt i32 %n, 0, !dbg !15
  br i1 %"a b", label %loop, label %4, !prof !12
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %1 ]
  %at = getelementptr inbounds float, float addrspace(1)* %out, i32 %i
  %v = load volatile float, float addrspace(1)* %at, align 4, !dbg !16, !range.of !13
  %w = fmul contract reassoc float %v, 0x3FB99999A0000000
  store float %w, float addrspace(1)* %at, align 4
  br label %1
1:
  %next = add nuw nsw i32 %i, 1
  %old = atomicrmw add i32* getelementptr inbounds (%pair, %pair* @other, i64 0, i32 2, i64 0), i32 %i syncscope("block") acq_rel, align 4
  %2 = cmpxchg weak i32* @shared, i32 %old, i32 7 seq_cst monotonic, align 4
  %3 = extractvalue { i32, i1 } %2, 1
  %picked = select i1 %3, i32 %next, i32 %old
  %frozen = freeze i32 %picked
  fence syncscope("device") release
  switch i32 %frozen, label %loop [ i32 -1, label %4 i32 8, label %4 ], !llvm.loop !6
4:
  call void asm sideeffect "bar.sync 0;", "~{memory}"() #4
  %5 = call i32 (i8*, ...) @printf(i8* getelementptr inbounds ([4 x i8], [4 x i8]* @text, i64 0, i64 0), double 0x3FF8000000000000)
  %6 = tail call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %n, i32 -1)
  %7 = insertelement <2 x i32> <i32 1, i32 undef>, i32 %5, i64 1
  %8 = shufflevector <2 x i32> %7, <2 x i32> zeroinitializer, <2 x i32> <i32 3, i32 0>
  %9 = extractelement <2 x i32> %8, i32 0
  call void @llvm.assume(i1 true) [ "align"(float addrspace(1)* %out, i64 16) ]
  call void @llvm.dbg.value(metadata i32 %9, metadata !10, metadata !DIExpression(DW_OP_plus_uconst, 4, DW_OP_stack_value)), !dbg !17
  ret void, !dbg !17
}

"#
    );
}

/// The oldest says the same as that after it, but for what it does not know.
#[test]
fn what_versions_share() {
    let old = text(include_bytes!("samples/kernel.13.bc"));
    let new = text(include_bytes!("samples/kernel.14.bc"));
    let body = |text: &str| part(text, "entry:", "ret void").to_owned();
    assert_eq!(body(&old), body(&new));
}

#[test]
fn opaque_pointers() {
    for bytes in [
        &include_bytes!("samples/kernel.16.bc")[..],
        &include_bytes!("samples/kernel.19.bc")[..],
        &include_bytes!("samples/kernel.22.bc")[..],
    ] {
        let text = text(bytes);
        assert_eq!(
            part(&text, "  %old", "  %3"),
            "  %old = atomicrmw add ptr getelementptr inbounds (%pair, ptr @other, i64 0, i32 2, i64 0), i32 %i syncscope(\"block\") acq_rel, align 4\n  \
             %2 = cmpxchg weak ptr @shared, i32 %old, i32 7 seq_cst monotonic, align 4\n"
        );
    }
}

/// What a debugger is told has stood beside the instructions since LLVM 19.
#[test]
fn debug_records() {
    let text = text(include_bytes!("samples/kernel.22.bc"));
    assert_eq!(
        part(&text, "    #dbg", "  ret"),
        "    #dbg_value(i32 %9, !8, !DIExpression(DW_OP_plus_uconst, 4, DW_OP_stack_value), !13)\n"
    );
}

/// A head before the file says where it starts.
#[test]
fn wrapped() {
    let bare = include_bytes!("samples/kernel.14.bc");
    let mut wrapped = vec![0xde, 0xc0, 0x17, 0x0b, 0, 0, 0, 0, 20, 0, 0, 0];
    wrapped.extend((bare.len() as u32).to_le_bytes());
    wrapped.extend([0; 4]);
    wrapped.extend(bare);
    wrapped.extend([0; 8]);
    assert_eq!(text(&wrapped), text(bare));
}

#[test]
fn errors_say_where_they_are() {
    let error = |bytes: &[u8]| assembly("k.bc", bytes).expect_err("an error").to_string();
    assert_eq!(
        error(b"BC\xc0\xde"),
        "error: k.bc: offset 0x0: there is no module in this file"
    );
    assert_eq!(
        error(b"\xde\xc0\x17\x0b"),
        "error: k.bc: offset 0x0: this does not begin as bitcode does"
    );
    let sample = include_bytes!("samples/kernel.14.bc");
    assert_eq!(
        error(&sample[..400]),
        "error: k.bc: offset 0x20: block 8 has 619 words, and the file ends before (at bit 2 of this byte)"
    );
}
