//! The rules of the verifier, each with the smallest text that breaks it.

use warpsmith_base::{Diagnostic, Position, SourceText};
use warpsmith_ir::Module;

/// What the verifier says of a text that can be read, without the places. (The tables of `rules.rs` have the lines.)
fn verify(text: &str) -> Vec<String> {
    let Err(problems) = Module::from_text(&SourceText::new("m.ll", text)) else {
        return Vec::new();
    };
    let without_place = |mut problem: Diagnostic| {
        assert!(matches!(problem.position, Position::Text { .. }), "{problem}");
        (problem.position, problem.file) = (Position::Whole, None);
        problem.to_string()
    };
    problems.into_iter().map(without_place).collect()
}

#[track_caller]
fn breaks(text: &str, expected: &str) {
    assert_eq!(verify(text), [expected]);
}

#[test]
fn a_correct_module_is_accepted() {
    let text = "
        define ptx_kernel void @k(ptr addrspace(1) noalias %p, i32 %n) {
        entry:
          %any = icmp sgt i32 %n, 0
          br i1 %any, label %loop, label %done
        loop:
          %i = phi i32 [ 0, %entry ], [ %next, %loop ]
          %at = getelementptr inbounds float, ptr addrspace(1) %p, i32 %i
          store float 1.0, ptr addrspace(1) %at, align 4
          %next = add nsw i32 %i, 1
          %more = icmp slt i32 %next, %n
          br i1 %more, label %loop, label %done
        done:
          ret void
        }";
    assert_eq!(verify(text), [""; 0]);
}

#[test]
fn definitions_dominate_uses() {
    breaks(
        "define i32 @f(i1 %c) {\n br i1 %c, label %a, label %b\na:\n %x = add i32 1, 2\n br label %b\nb:\n ret i32 %x\n}",
        "error: function @f, `ret i32 %x`: a definition dominates its uses",
    );
    breaks(
        "define i32 @f() {\n %y = add i32 %x, 1\n %x = add i32 1, 2\n ret i32 %y\n}",
        "error: function @f, `%y = add i32 %x, 1`: a definition dominates its uses",
    );
}

#[test]
fn phis_agree_with_predecessors() {
    breaks(
        "define i32 @f(i1 %c) {\nentry:\n br i1 %c, label %a, label %b\na:\n br label %b\nb:\n %x = phi i32 [ 1, %a ]\n ret i32 %x\n}",
        "error: function @f, `%x = phi i32 [ 1, %a ]`: a phi has one entry for each block that goes to its own",
    );
    breaks(
        "define i32 @f() {\nentry:\n br label %a\na:\n %y = add i32 1, 1\n %x = phi i32 [ 1, %entry ]\n ret i32 %x\n}",
        "error: function @f, `%x = phi i32 [ 1, %entry ]`: phis are the first instructions of their block",
    );
}

#[test]
fn types_fit() {
    breaks(
        "define i64 @f(i32 %x) {\n ret i32 %x\n}",
        "error: function @f, `ret i32 %x`: a function returns a value of its result type",
    );
    breaks(
        "define i32 @f(i32 %x) {\n %y = trunc i32 %x to i32\n ret i32 %y\n}",
        "error: function @f, `%y = trunc i32 %x to i32`: trunc converts between types that it can convert",
    );
    breaks(
        "define void @f(ptr %p) {\n %q = bitcast ptr %p to ptr addrspace(1)\n ret void\n}",
        "error: function @f, `%q = bitcast ptr %p to ptr addrspace(1)`: bitcast converts between types that it can convert",
    );
    breaks(
        "define i32 @f(i32 %x) {\n %y = and nsw i32 %x, 1\n ret i32 %y\n}",
        "error: function @f, `%y = and nsw i32 %x, 1`: only flags that the operation has are set",
    );
    breaks(
        "define void @f(ptr %p) {\n fence monotonic\n ret void\n}",
        "error: function @f, `fence monotonic`: a fence acquires, releases or both",
    );
}

#[test]
fn calls_fit() {
    breaks(
        "define ptx_kernel void @k() {\n ret void\n}\ndefine void @f() {\n call void @k()\n ret void\n}",
        "error: function @f, `call void @k()`: kernels are launched, not called",
    );
    breaks(
        "define void @f() {\n %x = call i32 asm \"mov.u32 $0, $1;\", \"=r,=r\"()\n ret void\n}",
        "error: function @f, `%x = call i32 asm \"mov.u32 $0, $1;\", \"=r,=r\"()`: assembly has as many results as its constraints have outputs",
    );
}

#[test]
fn attributes_and_address_spaces_fit() {
    breaks(
        "define ptx_kernel i32 @k() {\n ret i32 1\n}",
        "error: function @k: a kernel has no result",
    );
    breaks(
        "declare void @f(i32 noalias)",
        "error: function @f: byval, sret, noalias, nonnull, nocapture and dereferenceable are of pointers",
    );
    breaks(
        "@s = addrspace(3) global i32 1",
        "error: variable @s: variables in shared memory have no initial value: their initializer is undef or zero",
    );
    breaks(
        "@s = addrspace(5) global i32 0",
        "error: variable @s: variables are in the generic, global, shared or constant address space",
    );
    breaks(
        "define void @f() {\n %a = alloca i32, align 4, addrspace(3)\n ret void\n}",
        "error: function @f, `%a = alloca i32, align 4, addrspace(3)`: memory of the frame is in the generic or local address space",
    );
}
