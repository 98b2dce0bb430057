//! Modules that are written are read as what they were.

use warpsmith_base::SourceText;
use warpsmith_bitcode::{assembly, write};
use warpsmith_ir::Module;

#[track_caller]
fn read(name: &str, text: &str) -> Module {
    let source = SourceText::new(name, text);
    Module::from_text(&source).unwrap_or_else(|errors| panic!("{}", errors[0].render(&source)))
}

/// A module that is written, read and written again.
#[track_caller]
fn stays(text: &str) {
    let module = read("m.ll", text);
    let bitcode = write(&module);
    let texts = assembly("m.bc", &bitcode).expect("what is written is read");
    let again = read("m.bc", &texts[0]);
    assert_eq!(again.to_string(), module.to_string());
    assert_eq!(write(&again), bitcode);
}

#[test]
fn the_sample_of_all_that_is_read() {
    stays(include_str!("samples/kernel.ll"));
    stays(include_str!("samples/library.ll"));
}

#[test]
fn symbols() {
    stays(
        "source_filename = \"a \\22b\\22.cu\"\ntarget triple = \"nvptx64-nvidia-cuda\"\nmodule asm \"// one\"\nmodule asm \"// two\"\n\
         $g = comdat any\n\
         @a = weak_odr addrspace(4) externally_initialized constant [2 x ptr] [ptr @f, ptr null], section \"s\", comdat($g), align 64\n\
         @b = external global i128\n\
         @\"c d\" = internal unnamed_addr global { i8, <2 x half>, i65 } { i8 -1, <2 x half> <half 0xH3C00, half undef>, i65 -18446744073709551616 }\n\
         @t = internal addrspace(1) global i64 0\n\
         @x = global [4 x i32] zeroinitializer\n@e = weak alias i32, getelementptr inbounds nuw (i8, ptr @x, i64 8)\n\
         define internal fastcc noundef i32 @f(ptr noalias readonly align 8 dereferenceable(8) %p, i8 signext %c, ...) noinline nounwind memory(argmem: read) \"k\"=\"v\" \"only\" align 16 {\n\
         \x20 ret i32 poison\n}\n\
         declare ptr_or_not @g()\n"
            .replace("declare ptr_or_not @g()", "declare extern_weak void @g(i32)")
            .as_str(),
    );
}

#[test]
fn kernels_and_what_is_said_of_the_module() {
    stays(
        "define ptx_kernel void @k(ptr byval({ i32, i64 }) align 8 %p, ptr \"nvvm.grid_constant\" %q) \"nvvm.maxntid\"=\"128,2,1\" \"nvvm.minctasm\"=\"2\" {\n\
         \x20 ret void\n}\n\
         @tex = internal global i64 0\n\
         !nvvm.annotations = !{!0}\n!llvm.module.flags = !{!1}\n!nvvmir.version = !{!2}\n!llvm.ident = !{!3}\n\
         !0 = !{ptr @tex, !\"texture\", i32 1}\n!1 = !{i32 4, !\"nvvm-reflect-ftz\", i32 1}\n!2 = !{i32 2, i32 0, i32 3, i32 2}\n!3 = !{!\"hand\"}\n",
    );
}

#[test]
fn instructions() {
    stays(
        "declare i32 @h(ptr, ...)\n\
         declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n\
         define i64 @f(ptr %p, i32 %n, float %x, <4 x i32> %v, i1 %c) {\n\
         entry:\n\
         \x20 %a = alloca [4 x i32], i32 %n, align 16\n\
         \x20 %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n\
         \x20 br i1 %c, label %loop, label %end\n\
         loop:\n\
         \x20 %i = phi i32 [ %t, %entry ], [ %j, %loop ]\n\
         \x20 %j = add nuw nsw i32 %i, 1\n\
         \x20 %g = getelementptr inbounds nuw i32, ptr %p, i32 %i\n\
         \x20 %l = load i32, ptr %g, align 4, !range !0, !invariant.load !1\n\
         \x20 store volatile i32 %l, ptr %a, align 4\n\
         \x20 %y = fmul nnan contract float %x, 0x3FB99999A0000000\n\
         \x20 %z = fneg float %y\n\
         \x20 %m = fcmp ult float %z, %x\n\
         \x20 %s = select i1 %m, i32 %j, i32 %l\n\
         \x20 %u = udiv exact i32 %s, 3\n\
         \x20 %o = or disjoint i32 %u, 1\n\
         \x20 %e = zext nneg i32 %o to i64\n\
         \x20 %w = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> <i32 3, i32 poison>\n\
         \x20 %b = extractelement <2 x i32> %w, i64 0\n\
         \x20 %d = insertelement <4 x i32> %v, i32 %b, i64 1\n\
         \x20 %q = cmpxchg weak ptr %p, i32 %b, i32 7 syncscope(\"block\") acq_rel monotonic, align 4\n\
         \x20 %r = extractvalue { i32, i1 } %q, 0\n\
         \x20 %k = atomicrmw fadd ptr %p, float %x syncscope(\"device\") monotonic, align 4\n\
         \x20 %la = load atomic i32, ptr %p acquire, align 4\n\
         \x20 fence syncscope(\"cluster\") seq_cst\n\
         \x20 %as = call i32 asm sideeffect \"mov.u32 $0, $1;\", \"=r,r\"(i32 %r) nounwind\n\
         \x20 %va = tail call i32 (ptr, ...) @h(ptr noundef %p, float %x, i32 %as) convergent\n\
         \x20 %fr = freeze i32 %va\n\
         \x20 %more = icmp samesign ult i32 %fr, %n\n\
         \x20 br i1 %more, label %loop, label %end, !prof !2, !llvm.loop !3\n\
         end:\n\
         \x20 switch i32 %n, label %out [\n    i32 1, label %out\n    i32 -2, label %loop2\n  ]\n\
         loop2:\n\
         \x20 unreachable\n\
         out:\n\
         \x20 ret i64 ptrtoint (ptr @h to i64)\n}\n\
         !0 = !{i32 0, i32 9}\n!1 = !{}\n!2 = !{!\"branch_weights\", i32 3, i32 1}\n!3 = distinct !{!3, !4, !5}\n\
         !4 = !{!\"llvm.loop.mustprogress\"}\n!5 = !{!\"llvm.loop.unroll.count\", i32 4}\n",
    );
}

#[test]
fn places_in_the_source() {
    stays(
        "define void @f(ptr %p) {\n  store i32 1, ptr %p, align 4, !dbg !5\n  store i32 2, ptr %p, align 4, !dbg !5\n  ret void, !dbg !6\n}\n\
         !llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!8}\n\
         !0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)\n\
         !1 = !DIFile(filename: \"a.cu\", directory: \"/src\")\n!2 = !DISubroutineType(types: !{})\n\
         !3 = distinct !DISubprogram(name: \"f\", file: !1, type: !2, unit: !0, spFlags: DISPFlagDefinition)\n\
         !4 = distinct !DISubprogram(name: \"g\", file: !1, type: !2, unit: !0, spFlags: DISPFlagDefinition)\n\
         !5 = !DILocation(line: 3, column: 1, scope: !4, inlinedAt: !7)\n!6 = !DILocation(line: 9, column: 2, scope: !3)\n\
         !7 = distinct !DILocation(line: 8, column: 4, scope: !3)\n!8 = !{i32 2, !\"Debug Info Version\", i32 3}\n",
    );
}
