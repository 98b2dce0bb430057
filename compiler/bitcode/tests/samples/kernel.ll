; What the samples beside this file are made of: in the dialect of typed pointers, for LLVM 13 and 14.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%pair = type { i8, %pair*, [2 x i32] }
%hidden = type opaque

$group = comdat any

@table = internal unnamed_addr addrspace(1) constant [3 x i16] [i16 1, i16 -2, i16 3], align 2
@text = private constant [4 x i8] c"a\22b\00", comdat($group), align 1
@tile = internal addrspace(3) global [8 x float] undef, align 16
@inside = constant i32* getelementptr inbounds (%pair, %pair* @other, i64 0, i32 2, i64 1), section ".data"
@other = external global %pair
@wide = constant i128 -170141183460469231731687303715884105728
@0 = private constant { half, double } { half 0xH3C00, double 0x3FF0000000000000 }
@alias = internal alias i8, getelementptr inbounds ([4 x i8], [4 x i8]* @text, i32 0, i32 1)

define void @kernel(float addrspace(1)* noalias nocapture align 16 %out, %pair* byval(%pair) align 8 %0, i32 %n) #0 !dbg !5 {
entry:
  %local = alloca %pair, align 8
  %"a b" = icmp sgt i32 %n, 0, !dbg !8
  br i1 %"a b", label %loop, label %4, !prof !12

loop:                                             ; preds = %1, %entry
  %i = phi i32 [ 0, %entry ], [ %next, %1 ]
  %at = getelementptr inbounds float, float addrspace(1)* %out, i32 %i
  %v = load volatile float, float addrspace(1)* %at, align 4, !dbg !9, !range.of !13
  %w = fmul reassoc contract float %v, 0x3FB99999A0000000
  store float %w, float addrspace(1)* %at, align 4
  br label %1

1:                                                ; preds = %loop
  %next = add nuw nsw i32 %i, 1
  %old = atomicrmw add i32* getelementptr inbounds (%pair, %pair* @other, i64 0, i32 2, i64 0), i32 %i syncscope("block") acq_rel, align 4
  %2 = cmpxchg weak i32* @shared, i32 %old, i32 7 seq_cst monotonic, align 4
  %3 = extractvalue { i32, i1 } %2, 1
  %picked = select i1 %3, i32 %next, i32 %old
  %frozen = freeze i32 %picked
  fence syncscope("device") release
  switch i32 %frozen, label %loop [
    i32 -1, label %4
    i32 8, label %4
  ], !llvm.loop !14

4:                                                ; preds = %1, %1, %entry
  call void asm sideeffect "bar.sync 0;", "~{memory}"() #1
  %5 = call i32 (i8*, ...) @printf(i8* getelementptr inbounds ([4 x i8], [4 x i8]* @text, i64 0, i64 0), double 1.5)
  %6 = tail call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %n, i32 -1)
  %7 = insertelement <2 x i32> <i32 1, i32 undef>, i32 %5, i64 1
  %8 = shufflevector <2 x i32> %7, <2 x i32> zeroinitializer, <2 x i32> <i32 3, i32 0>
  %9 = extractelement <2 x i32> %8, i32 0
  call void @llvm.assume(i1 true) [ "align"(float addrspace(1)* %out, i64 16) ]
  call void @llvm.dbg.value(metadata i32 %9, metadata !11, metadata !DIExpression(DW_OP_plus_uconst, 4, DW_OP_stack_value)), !dbg !10
  ret void, !dbg !10
}

@shared = external global i32

declare i32 @printf(i8*, ...)
declare { i32, i1 } @llvm.uadd.with.overflow.i32(i32, i32)
declare void @llvm.assume(i1)
declare void @llvm.dbg.value(metadata, metadata, metadata)

attributes #0 = { convergent nounwind argmemonly "target-cpu"="sm_80" }
attributes #1 = { convergent }

!nvvm.annotations = !{!0, !1}
!llvm.module.flags = !{!2}
!llvm.dbg.cu = !{!3}

!0 = !{void (float addrspace(1)*, %pair*, i32)* @kernel, !"kernel", i32 1}
!1 = !{void (float addrspace(1)*, %pair*, i32)* @kernel, !"maxntidx", i32 256}
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !4, producer: "hand", isOptimized: true, emissionKind: FullDebug)
!4 = !DIFile(filename: "k.cu", directory: "/src")
!5 = distinct !DISubprogram(name: "kernel", linkageName: "kernel", scope: !4, file: !4, line: 3, type: !6, scopeLine: 3, spFlags: DISPFlagDefinition, unit: !3, retainedNodes: !15)
!6 = !DISubroutineType(types: !7)
!7 = !{null, !16}
!8 = !DILocation(line: 4, column: 7, scope: !5)
!9 = !DILocation(line: 5, column: 1, scope: !5)
!10 = !DILocation(line: 9, column: 2, scope: !5)
!11 = !DILocalVariable(name: "left", scope: !5, file: !4, line: 8, type: !16)
!12 = !{!"branch_weights", i32 1, i32 2}
!13 = !{!"kept"}
!14 = distinct !{!14, !{!"llvm.loop.unroll.count", i32 4}}
!15 = !{!11}
!16 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
