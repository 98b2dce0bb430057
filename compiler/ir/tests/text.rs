//! Texts that are read and written, and texts that are refused.

use warpsmith_base::SourceText;
use warpsmith_ir::{Dialect, Module};

#[track_caller]
fn read(text: &str) -> Module {
    let source = SourceText::new("m.ll", text);
    Module::from_text(&source).unwrap_or_else(|errors| panic!("{}", errors[0].render(&source)))
}

/// What is said of a text that cannot be read.
fn errors(text: &str) -> Vec<String> {
    let result = Module::from_text(&SourceText::new("m.ll", text));
    result.map_or_else(
        |errors| errors.iter().map(ToString::to_string).collect(),
        |_| Vec::new(),
    )
}

/// Reads and writes; the text stays.
#[track_caller]
fn stays(text: &str) {
    let module = read(text);
    if let Err(problems) = module.verify() {
        panic!("{}", problems[0]);
    }
    assert_eq!(module.to_string(), text);
}

/// A function of these lines stays.
#[track_caller]
fn body_stays(parameters: &str, lines: &str) {
    stays(&format!("\ndefine void @f({parameters}) {{\n{lines}  ret void\n}}\n"));
}

#[test]
fn variables() {
    stays(
        "@a = external addrspace(1) global i32\n\
         @b = internal addrspace(1) global [3 x i8] c\"a\\00b\", align 4\n\
         @c = addrspace(4) externally_initialized constant { i32, float } { i32 -1, float 1.500000e+00 }\n\
         @d = private unnamed_addr addrspace(3) global [0 x float] undef, align 16\n\
         @e = addrspace(1) global ptr getelementptr inbounds (i8, ptr addrspacecast (ptr addrspace(1) @b to ptr), i64 2)\n\
         @\"odd name\" = addrspace(1) global <2 x half> <half 0xH7C00, half 1.000000e+00>\n\
         @f = linkonce_odr global i128 170141183460469231731687303715884105727, comdat($f)\n"
            .replace("@a =", "$f = comdat any\n@a =")
            .as_str(),
    );
}

#[test]
fn arithmetic() {
    body_stays(
        "i32 %a, i32 %b, float %x, <2 x float> %v",
        "  %1 = add nuw nsw i32 %a, %b
  %2 = sdiv exact i32 %a, 3
  %3 = or disjoint i32 %a, %b
  %4 = fadd fast float %x, 0x3FB99999A0000000
  %5 = fmul nnan contract <2 x float> %v, <float 1.000000e+00, float 2.000000e+00>
  %6 = fneg float %x
  %7 = icmp ult i32 %a, %b
  %8 = fcmp une float %x, %6
  %9 = select i1 %7, i32 %a, i32 %b
  %10 = freeze i32 %9
  %11 = zext nneg i32 %a to i64
  %12 = bitcast float %x to i32
  %13 = uitofp i32 %a to float
",
    );
}

#[test]
fn memory() {
    stays(
        "
define void @f(ptr %p, ptr addrspace(1) %g, i64 %i) {
  %a = alloca { i32, [4 x i8] }, align 4
  %field = getelementptr inbounds { i32, [4 x i8] }, ptr %a, i32 0, i32 1, i64 %i
  %1 = load i8, ptr %field, align 1
  %2 = load volatile <4 x float>, ptr addrspace(1) %g, align 16
  %3 = load atomic i32, ptr %p syncscope(\"block\") acquire, align 4
  store atomic volatile i32 %3, ptr %p release, align 4
  %4 = load float, ptr addrspace(1) %g, align 4, !invariant.load !0
  %5 = atomicrmw fadd ptr addrspace(1) %g, float %4 syncscope(\"device\") monotonic, align 4
  %6 = cmpxchg weak ptr %p, i32 %3, i32 1 acq_rel monotonic, align 4
  fence syncscope(\"block\") seq_cst
  %7 = extractvalue { i32, i1 } %6, 1
  ret void
}

!0 = !{}
",
    );
}

#[test]
fn loops_and_metadata() {
    stays(
        "\ndefine void @f(i32 %n) {\nentry:\n  br label %loop\n\nloop:\n  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n  \
         %next = add i32 %i, 1\n  %more = icmp slt i32 %next, %n\n  br i1 %more, label %loop, label %done, !prof !0, !llvm.loop !2\n\n\
         done:\n  ret void\n}\n\n!0 = !{!\"branch_weights\", i32 10, i32 1}\n!1 = !{!\"llvm.loop.unroll.count\", i32 4}\n!2 = distinct !{!2, !1}\n",
    );
}

#[test]
fn kernels_in_both_styles() {
    let modern = "\ndefine ptx_kernel void @k(ptr byval({ i32, i32 }) align 4 \"nvvm.grid_constant\" %p) \"nvvm.maxntid\"=\"128,1,1\" \"nvvm.minctasm\"=\"2\" {\n  ret void\n}\n";
    stays(modern);
    let old = "
        define void @k({ i32, i32 }* byval align 4 %p) {
          ret void
        }
        !nvvm.annotations = !{!0, !1, !2}
        !0 = !{void ({ i32, i32 }*)* @k, !\"kernel\", i32 1, !\"maxntidx\", i32 128}
        !1 = !{void ({ i32, i32 }*)* @k, !\"minctasm\", i32 2}
        !2 = !{void ({ i32, i32 }*)* @k, !\"grid_constant\", !{i32 1}}";
    assert_eq!(read(old).to_string(), modern);
}

#[test]
fn typed_pointers_are_read_as_opaque_ones() {
    let old = "
        %node = type { i32, %node* }
        define i32 @f(%node* %n, i32 addrspace(1)* %g) {
          %p = getelementptr %node, %node* %n, i32 0, i32 1
          %next = load %node*, %node** %p
          %word = bitcast %node* %next to i32*
          %x = load i32, i32* %word
          store i32 %x, i32 addrspace(1)* %g
          ret i32 %x
        }";
    let modern = "\ndefine i32 @f(ptr %n, ptr addrspace(1) %g) {\n  %p = getelementptr { i32, ptr }, ptr %n, i32 0, i32 1\n  \
         %next = load ptr, ptr %p, align 8\n  %x = load i32, ptr %next, align 4\n  store i32 %x, ptr addrspace(1) %g, align 4\n  ret i32 %x\n}\n";
    assert_eq!(read(old).to_string(), modern);
}

#[test]
fn llvm_7_is_written_with_typed_pointers() {
    let module = read(
        "@g = addrspace(1) global [4 x float] zeroinitializer\ndefine ptx_kernel void @k(ptr addrspace(1) %p) {\n  %v = load float, ptr addrspace(1) @g, align 4\n  store float %v, ptr addrspace(1) %p, align 4\n  ret void\n}",
    );
    let text = module.to_text(Dialect::Llvm7);
    let body = &text[text.find("define").unwrap_or(0)..];
    assert_eq!(
        body,
        "define void @k(i8 addrspace(1)* %p) {\n  \
         %v = load float, float addrspace(1)* bitcast (i8 addrspace(1)* bitcast ([4 x float] addrspace(1)* @g to i8 addrspace(1)*) to float addrspace(1)*), align 4\n  \
         %typed.1 = bitcast i8 addrspace(1)* %p to float addrspace(1)*\n  store float %v, float addrspace(1)* %typed.1, align 4\n  ret void\n}\n\n\
         !nvvm.annotations = !{!0}\n\n!0 = !{void (i8 addrspace(1)*)* @k, !\"kernel\", i32 1}\n"
    );
    assert_eq!(read(&text).to_string().lines().last(), Some("}"));
}

#[test]
fn calls() {
    stays(
        "\ndeclare i32 @printf(ptr, ptr)\n\ndefine float @f(float %x, ptr %t) {\n  %1 = call i32 @printf(ptr null, ptr %t)\n  \
         %2 = call contract float @llvm.fma.f32(float %x, float %x, float %x)\n  call void @llvm.nvvm.barrier0()\n  \
         %3 = call float %t(float %2)\n  %4 = call i32 asm sideeffect \"mov.u32 $0, %laneid;\", \"=r\"() convergent nounwind\n  \
         call void @llvm.memcpy.p0.p0.i64(ptr align 4 %t, ptr align 4 %t, i64 16, i1 false)\n  ret float %3\n}\n\n\
         declare float @llvm.fma.f32(float, float, float) nofree norecurse nounwind speculatable willreturn memory(none)\n\n\
         declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1) nofree norecurse nounwind willreturn memory(argmem: readwrite)\n\n\
         declare void @llvm.nvvm.barrier0() convergent nofree norecurse nounwind willreturn\n",
    );
}

#[test]
fn ranges_of_results_are_kept() {
    let text = "define i32 @f() {\n %x = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n ret i32 %x\n}";
    assert!(
        read(text)
            .to_string()
            .contains("%x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !range !0\n")
    );
}

#[test]
fn locations() {
    let text = "
        define void @f() !dbg !3 {
          call void @llvm.nvvm.barrier0(), !dbg !4
          ret void, !dbg !5
        }
        !0 = !DIFile(filename: \"a.cu\", directory: \"/src\")
        !3 = distinct !DISubprogram(name: \"f\", linkageName: \"_Z1fv\", file: !0, line: 1)
        !4 = !DILocation(line: 2, column: 3, scope: !3, inlinedAt: !5)
        !5 = distinct !DILocation(line: 7, column: 1, scope: !6)
        !6 = !DILexicalBlock(scope: !3, file: !0, line: 6)";
    let module = read(text);
    let body = module.bodies.as_slice()[0].as_ref().expect("f has a body");
    let places: Vec<String> = body
        .all_instructions()
        .filter_map(|id| body.location(id))
        .map(|id| {
            let location = module.context().location_data(id);
            let text = |symbol| module.context().text(symbol);
            format!(
                "{}:{}:{} in {}, {}",
                text(location.file),
                location.line,
                location.column,
                text(location.function),
                location.inlined_at.is_some()
            )
        })
        .collect();
    assert_eq!(
        places,
        ["/src/a.cu:2:3 in _Z1fv, true", "/src/a.cu:7:1 in _Z1fv, false"]
    );
    let written = module.to_string();
    assert_eq!(read(&written).to_string(), written);
}

#[test]
fn errors_have_places_and_reasons() {
    let one = |text: &str, expected: &str| assert_eq!(errors(text), [expected]);
    one(
        "define void @f() {\n  ret i32\n}",
        "error: m.ll:3:1: \"}\" stands where a constant should be",
    );
    one(
        "define void @f() {\n  %x = add i32 %y, 1\n  ret void\n}",
        "error: m.ll:2:16: there is no value %y",
    );
    one(
        "define void @f() {\n  br label %b\n}",
        "error: m.ll:2:12: there is no block %b",
    );
    one(
        "define void @f(i32 %a) {\n  %x = add i64 %a, 1\n  ret void\n}",
        "error: m.ll:2:16: %a has type i32, not i64",
    );
    one(
        "define void @f() {\n  call void @g()\n  ret void\n}",
        "error: m.ll:2:13: there is no function @g",
    );
    one(
        "@x = global i8 256",
        "error: m.ll:1:16: this number does not fit in 8 bits",
    );
    one(
        "@x = thread_local global i8 0",
        "error: m.ll:1:6: the attribute thread_local is not supported",
    );
    one(
        "@x = global x86_fp80 0.0",
        "error: m.ll:1:13: the type x86_fp80 is not supported",
    );
    one("%a = type { %a }", "error: m.ll:1:1: the type %a contains itself");
    one(
        "@x = global float 0.1",
        "error: m.ll:1:19: this value is not exact in float",
    );
    one(
        "define void @f() {\n  frobnicate\n}",
        "error: m.ll:2:3: there is no instruction \"frobnicate\"",
    );
}

#[test]
fn each_definition_is_read_whatever_is_wrong_with_others() {
    let found = errors("@x = global i8 256\ndefine void @f() {\n  ret i32\n}\ndefine void @g() {\n  br label %b\n}");
    let places: Vec<&str> = found.iter().map(|error| &error[..17]).collect();
    assert_eq!(places, ["error: m.ll:1:16:", "error: m.ll:4:1: ", "error: m.ll:6:12:"]);
}

/// What a text is read as, without what stands at its ends.
#[track_caller]
fn reads_as(text: &str, body: &str) {
    let written = read(text).to_string();
    assert!(written.contains(body), "{written}");
}

/// The NVVM IR specification has one intrinsic where LLVM has several.
#[test]
fn shuffles_and_votes_by_number() {
    reads_as(
        "declare { i32, i1 } @llvm.nvvm.shfl.sync.i32(i32, i32, i32, i32, i32)\n\
         declare { i32, i1 } @llvm.nvvm.vote.sync(i32, i32, i1)\n\
         declare { i32, i1 } @llvm.nvvm.match.all.sync.i32(i32, i32)\n\
         define void @f(i32 %x, i1 %p) {\n\
         \x20 %a = call { i32, i1 } @llvm.nvvm.shfl.sync.i32(i32 -1, i32 2, i32 %x, i32 1, i32 31)\n\
         \x20 %b = call { i32, i1 } @llvm.nvvm.vote.sync(i32 -1, i32 3, i1 %p)\n\
         \x20 %c = call { i32, i1 } @llvm.nvvm.vote.sync(i32 -1, i32 0, i1 %p)\n\
         \x20 %d = call { i32, i1 } @llvm.nvvm.match.all.sync.i32(i32 -1, i32 %x)\n\
         \x20 ret void\n}\n",
        "  %a = call { i32, i1 } @llvm.nvvm.shfl.sync.down.i32p(i32 -1, i32 %x, i32 1, i32 31)\n  \
         %1 = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %p)\n  \
         %b = insertvalue { i32, i1 } poison, i32 %1, 0\n  \
         %2 = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 %p)\n  \
         %c = insertvalue { i32, i1 } poison, i1 %2, 1\n  \
         %d = call { i32, i1 } @llvm.nvvm.match.all.sync.i32p(i32 -1, i32 %x)\n",
    );
    assert_eq!(
        errors(
            "declare { i32, i1 } @llvm.nvvm.vote.sync(i32, i32, i1)\n\
             define void @f(i1 %p) {\n  %b = call { i32, i1 } @llvm.nvvm.vote.sync(i32 -1, i32 4, i1 %p)\n  ret void\n}\n"
        ),
        ["error: m.ll:3:25: the mode of @llvm.nvvm.vote.sync is a constant from 0 to 3"]
    );
}

/// LLVM writes the type of an alias's target only where it is no expression.
#[test]
fn aliases_of_expressions() {
    reads_as(
        "@x = global [2 x { i32, i32 }] zeroinitializer\n\
         @a = alias i32, getelementptr inbounds ([2 x { i32, i32 }], ptr @x, i64 0, i64 1, i32 1)\n\
         @b = alias i32, bitcast ([2 x { i32, i32 }]* @x to i32*)\n\
         @c = alias i32, addrspacecast (ptr addrspace(1) addrspacecast (ptr @x to ptr addrspace(1)) to ptr)\n",
        "@a = alias i32, ptr getelementptr inbounds (i8, ptr @x, i64 12)\n@b = alias i32, ptr @x\n",
    );
}

/// A result may be the address of a function, whose type begins with that of its own result.
#[test]
fn addresses_of_functions_as_results() {
    reads_as(
        "declare void @g(i32)\n\
         define void (i32)* @f() {\n  ret void (i32)* @g\n}\n\
         define void @h() {\n  %p = call void (i32)* @f()\n  call void %p(i32 1)\n  ret void\n}\n",
        "  %p = call ptr @f()\n  call void %p(i32 1)\n",
    );
}

/// Conventions without a word, and what LLVM says of modules for its own use.
#[test]
fn conventions_by_number_and_summaries() {
    reads_as(
        "define cc1023 void @f() {\n  ret void\n}\n^0 = module: (path: \"m\", hash: (1, 2))\n^1 = flags: 8\n",
        "define cc 1023 void @f() {",
    );
}
