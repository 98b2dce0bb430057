//! Damaged texts are refused or read, and nothing panics. The example `ll-fuzz` does the same with more.

mod damage;

use damage::{damaged, exercise};
use warpsmith_base::Random;

const KERNEL: &str = r#"
%pair = type { i8, %pair*, [2 x i32] }
@s = internal addrspace(3) global [8 x i32] undef, align 4
@t = addrspace(1) constant [3 x i8] c"a\00b"
declare { i32, i1 } @llvm.uadd.with.overflow.i32(i32, i32)
define ptx_kernel void @k(ptr addrspace(1) noalias align 4 %p, i32 %n, ptr byval(%pair) %q) #0 !dbg !3 {
entry:
  %a = alloca %pair, align 8
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %done, !prof !4
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %next1 ]
  %at = getelementptr inbounds float, ptr addrspace(1) %p, i32 %i
  %v = load volatile float, ptr addrspace(1) %at, align 4, !invariant.load !5
  %w = fmul contract float %v, 0x3FB99999A0000000
  store float %w, ptr addrspace(1) %at, align 4
  %b = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %i, i32 -1)
  %c = extractvalue { i32, i1 } %b, 1
  %x = atomicrmw add ptr addrspace(3) @s, i32 %i syncscope("block") monotonic, align 4
  %y = call i32 asm sideeffect "mov.u32 $0, %laneid;", "=r"() #0
  %z = insertelement <2 x i32> <i32 1, i32 undef>, i32 %y, i64 1
  switch i32 %x, label %next1 [ i32 0, label %done i32 7, label %next1 ]
next1:
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done, !llvm.loop !6
done:
  ret void
}
attributes #0 = { convergent nounwind memory(argmem: readwrite) "nvvm.maxntid"="128" }
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"minctasm", i32 2}
!1 = !DIFile(filename: "a.cu", directory: "/")
!3 = distinct !DISubprogram(name: "k", file: !1, line: 1)
!4 = !{!"branch_weights", i32 1, i32 2}
!5 = !{}
!6 = distinct !{!6, !{!"llvm.loop.unroll.count", i32 4}}
"#;

#[test]
fn damaged_texts() {
    assert_eq!(exercise("kernel.ll", KERNEL.to_owned()), (true, true));
    let files = vec![("kernel.ll".to_owned(), KERNEL.as_bytes().to_vec())];
    let mut read = 0;
    for round in 0..1500 {
        let (found, _) = exercise("kernel.ll", damaged(KERNEL.as_bytes(), &files, &mut Random::new(round)));
        read += u32::from(found);
    }
    // Some damage does not matter.
    assert!((20..1400).contains(&read), "{read} texts were read");
}

#[test]
fn nesting_has_a_limit() {
    for (open, close) in [("[1 x ", "]"), ("{", "}"), ("<{", "}>")] {
        let text = format!("@x = global {}i8{} undef", open.repeat(100_000), close.repeat(100_000));
        assert_eq!(exercise("deep.ll", text), (false, false));
    }
    let metadata = format!("!0 = {}{}", "!{".repeat(100_000), "}".repeat(100_000));
    assert_eq!(exercise("deep.ll", metadata), (false, false));
    let types: String = (0..5000)
        .map(|number| format!("%t{number} = type {{ %t{} }}\n", number + 1))
        .collect();
    assert_eq!(
        exercise("deep.ll", format!("{types}%t5000 = type {{ i8 }}\n")),
        (false, false)
    );
}

#[test]
fn sizes_have_limits() {
    // Twice as many fields with each name.
    let doubled: String = (0..200)
        .map(|number| format!("%t{number} = type {{ %t{0}, %t{0} }}\n", number + 1))
        .collect();
    assert_eq!(
        exercise(
            "wide.ll",
            format!("{doubled}%t200 = type {{ i8 }}\n@x = external addrspace(1) global %t0\n")
        ),
        (false, false)
    );
    for large in [
        "@s = addrspace(3) global [18446744073709551615 x i64] undef",
        "@s = global [9223372036854775808 x i8] zeroinitializer",
        "@s = global { [1073741824 x i8], i8 } { [1073741824 x i8] zeroinitializer, i8 1 }",
        "define i64 @f([4294967296 x i64] %x) {\n ret i64 0\n}",
        "define void @f(ptr %p) {\n %y = load [4294967296 x i64], ptr %p\n ret void\n}",
        "define void @f(ptr %p) {\n store [4294967296 x i8] zeroinitializer, ptr %p\n ret void\n}",
        "@x = global i8388608 0",
        "@x = global <4294967295 x i8> zeroinitializer",
        "@x = global i8 0, align 9223372036854775808",
    ] {
        assert_eq!(exercise("large.ll", large.to_owned()), (false, false), "{large}");
    }
    let fits = "@s = addrspace(1) global [1099511627776 x i8] zeroinitializer\n@t = addrspace(3) global [65536 x i8] undef\n\
                define i64 @f([65536 x i64] %x) {\n %y = load [65536 x i64], ptr null\n ret i64 0\n}\n";
    assert_eq!(exercise("fits.ll", fits.to_owned()), (true, true));
    // A node that is reached in very many ways.
    let nodes: String = (0..7)
        .map(|number| {
            format!(
                "!{number} = !{{{}}}\n",
                vec![format!("!{}", number + 1); 100].join(", ")
            )
        })
        .collect();
    let call = "declare i32 @llvm.read_register.i32(metadata)\ndefine void @f() {\n %x = call i32 @llvm.read_register.i32(metadata !0)\n ret void\n}\n";
    assert_eq!(exercise("nodes.ll", format!("{call}{nodes}!7 = !{{}}\n")), (true, true));
}
