//! Each of the passes on whole functions and loops on the smallest text that shows what it does.

mod support;

use support::read;
use warpsmith_opt::{Options, optimize};

/// The passes, by names with commas, make one text of another in a whole program.
#[track_caller]
fn becomes(passes: &str, before: &str, after: &str) {
    let options = Options {
        whole_program: true,
        ..Options::default()
    };
    support::becomes(passes, before, after, options);
}

#[track_caller]
fn stays(passes: &str, text: &str) {
    becomes(passes, text, text);
}

#[test]
fn constants_go_round_loops() {
    // The branch that would change %x is never taken, because %x does not change.
    becomes(
        "sccp,simplifycfg-plain",
        "define i32 @f(i32 %n) {
entry:
  br label %loop
loop:
  %x = phi i32 [ 1, %entry ], [ %z, %next ]
  %i = phi i32 [ 0, %entry ], [ %j, %next ]
  %c = icmp eq i32 %x, 1
  br i1 %c, label %next, label %other
other:
  %y = add i32 %x, %n
  br label %next
next:
  %z = phi i32 [ %x, %loop ], [ %y, %other ]
  %j = add i32 %i, 1
  %again = icmp ult i32 %j, %n
  br i1 %again, label %loop, label %end
end:
  ret i32 %x
}",
        "define i32 @f(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %j = add i32 %i, 1
  %again = icmp ult i32 %j, %n
  br i1 %again, label %loop, label %end
end:
  ret i32 1
}",
    );
}

#[test]
fn a_last_call_is_a_loop() {
    becomes(
        "tailcallelim",
        "define i32 @f(i32 %n, i32 %sum) {
entry:
  %done = icmp eq i32 %n, 0
  br i1 %done, label %end, label %more
more:
  %m = sub i32 %n, 1
  %s = add i32 %sum, %n
  %r = call i32 @f(i32 %m, i32 %s)
  br label %end
end:
  %v = phi i32 [ %sum, %entry ], [ %r, %more ]
  ret i32 %v
}",
        "define i32 @f(i32 %n, i32 %sum) {
  br label %entry
entry:
  %1 = phi i32 [ %n, %0 ], [ %m, %more ]
  %2 = phi i32 [ %sum, %0 ], [ %s, %more ]
  %done = icmp eq i32 %1, 0
  br i1 %done, label %end, label %more
more:
  %m = sub i32 %1, 1
  %s = add i32 %2, %1
  br label %entry
end:
  %v = phi i32 [ %2, %entry ]
  ret i32 %v
}",
    );
    // The result is used, the memory of the frame is the call's own, the promise holds for one call.
    stays(
        "tailcallelim",
        "define i32 @f(i32 %n) {
  %r = call i32 @f(i32 %n)
  %s = add i32 %r, 1
  ret i32 %s
}
define void @g(ptr %p) {
  %x = alloca i32
  store ptr %x, ptr %p
  call void @g(ptr %x)
  ret void
}
define void @h(ptr noalias %p) {
  %q = load ptr, ptr %p
  call void @h(ptr %q)
  ret void
}",
    );
}

#[test]
fn signatures_lose_what_nobody_needs() {
    becomes(
        "deadargelim,instcombine",
        "define internal i32 @f(i32 %unused, i32 %same, i32 %x, ptr %p) noinline {
  %y = add i32 %x, %same
  store i32 %y, ptr %p
  ret i32 %y
}
define void @k(ptr addrspace(1) %p, i32 %a, i32 %b) {
  %g = addrspacecast ptr addrspace(1) %p to ptr
  %r = call i32 @f(i32 %a, i32 7, i32 %a, ptr %g)
  %s = call i32 @f(i32 %b, i32 7, i32 %b, ptr %g)
  ret void
}",
        "define internal void @f(i32 %x, ptr addrspace(1) %p) noinline {
  %1 = addrspacecast ptr addrspace(1) %p to ptr
  %y = add i32 %x, 7
  store i32 %y, ptr %1
  ret void
}
define void @k(ptr addrspace(1) %p, i32 %a, i32 %b) {
  call void @f(i32 %a, ptr addrspace(1) %p)
  call void @f(i32 %b, ptr addrspace(1) %p)
  ret void
}",
    );
    // Calls of the function itself hand its arguments on; a function whose address is known may be called by others.
    becomes(
        "deadargelim",
        "@table = global ptr @g
define internal i32 @f(i32 %n, i32 %same, i32 %unused) {
  %r = call i32 @f(i32 %n, i32 %same, i32 %unused)
  %s = add i32 %r, %same
  ret i32 %s
}
define internal i32 @g(i32 %unused) {
  ret i32 0
}
define i32 @k(i32 %a) {
  %r = call i32 @f(i32 %a, i32 3, i32 %a)
  ret i32 %r
}",
        "@table = global ptr @g
define internal i32 @f() {
  %r = call i32 @f()
  %s = add i32 %r, 3
  ret i32 %s
}
define internal i32 @g(i32 %unused) {
  ret i32 0
}
define i32 @k(i32 %a) {
  %r = call i32 @f()
  ret i32 %r
}",
    );
}

#[test]
fn restrict_is_kept_when_inlining() {
    // The second load of %q is the first one, since %p is the only way to what is stored.
    let callee = "define internal i32 @f(ptr noalias %p, ptr noalias %q) {
  %a = load i32, ptr %q
  store i32 %a, ptr %p
  %b = load i32, ptr %q
  %s = add i32 %a, %b
  ret i32 %s
}
";
    let once = "define i32 @k(ptr %x, ptr %y) {
  %r = call i32 @f(ptr %x, ptr %y)
  ret i32 %r
}";
    let mut module = read(&format!("{callee}{once}"));
    let options = Options {
        passes: Some(["inline", "globaldce", "gvn"].map(str::to_owned).to_vec()),
        verify: true,
        ..Options::default()
    };
    optimize(&mut module, &options).unwrap();
    assert_eq!(module.to_string().matches("load i32").count(), 1, "{module}");
    // What one round reads the next may write: calls in loops keep nothing.
    let often = "define i32 @k(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %j = add i32 %i, 1
  %a = getelementptr i32, ptr %x, i32 %i
  %b = getelementptr i32, ptr %x, i32 %j
  %r = call i32 @f(ptr %a, ptr %b)
  %c = icmp ult i32 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret i32 %r
}";
    let mut module = read(&format!("{callee}{often}"));
    optimize(&mut module, &options).unwrap();
    let text = module.to_string();
    assert!(!text.contains("alias.scope") && !text.contains("!noalias"), "{text}");
}

#[test]
fn counters_that_fit_become_narrow() {
    becomes(
        "indvars,instcombine",
        "define void @f(ptr %p, i32 %n) {
entry:
  %end = zext i32 %n to i64
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %a = getelementptr i32, ptr %p, i64 %i
  store i32 0, ptr %a
  %j = add i64 %i, 1
  %c = icmp ult i64 %j, %end
  br i1 %c, label %loop, label %out
out:
  ret void
}",
        "define void @f(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %0 = phi i32 [ 0, %entry ], [ %2, %loop ]
  %1 = zext i32 %0 to i64
  %a = getelementptr i32, ptr %p, i64 %1
  store i32 0, ptr %a
  %2 = add nuw i32 %0, 1
  %3 = icmp ult i32 %2, %n
  br i1 %3, label %loop, label %out
out:
  ret void
}",
    );
    // Nothing says how far this one goes.
    stays(
        "loop-simplify,indvars",
        "define i64 @f(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %j = add i64 %i, 1
  %c = icmp ult i64 %j, %n
  br i1 %c, label %loop, label %out
out:
  ret i64 %j
}",
    );
}

#[test]
fn stores_of_both_sides_become_one() {
    becomes(
        "tail-merge",
        "define void @f(i1 %c, ptr %p, i32 %a, i32 %b) {
entry:
  br i1 %c, label %one, label %other
one:
  %x = mul i32 %a, %a
  store i32 %x, ptr %p
  br label %join
other:
  %y = mul i32 %b, %b
  store i32 %y, ptr %p
  br label %join
join:
  ret void
}",
        "define void @f(i1 %c, ptr %p, i32 %a, i32 %b) {
entry:
  br i1 %c, label %one, label %other
one:
  %x = mul i32 %a, %a
  br label %join
other:
  %y = mul i32 %b, %b
  br label %join
join:
  %0 = phi i32 [ %x, %one ], [ %y, %other ]
  store i32 %0, ptr %p
  ret void
}",
    );
    // Two addresses stay two; barriers stay where their threads are.
    stays(
        "tail-merge",
        "declare void @llvm.nvvm.barrier0()
define void @f(i1 %c, ptr %p, ptr %q) {
entry:
  br i1 %c, label %one, label %other
one:
  store i32 1, ptr %p
  br label %join
other:
  store i32 1, ptr %q
  br label %join
join:
  br i1 %c, label %left, label %right
left:
  call void @llvm.nvvm.barrier0()
  br label %end
right:
  call void @llvm.nvvm.barrier0()
  br label %end
end:
  ret void
}",
    );
}

#[test]
fn flags_in_bytes_are_truth_values() {
    becomes(
        "bool-phis,instcombine,gvn,gvn",
        "define void @f(i1 %a) {
entry:
  br label %loop
loop:
  %done = phi i8 [ 0, %entry ], [ %now, %next ]
  br i1 %a, label %set, label %next
set:
  br label %next
next:
  %now = phi i8 [ %done, %loop ], [ 1, %set ]
  %t = trunc i8 %now to i1
  br i1 %t, label %end, label %loop
end:
  ret void
}",
        "define void @f(i1 %a) {
entry:
  br label %loop
loop:
  br i1 %a, label %set, label %next
set:
  br label %next
next:
  br i1 %a, label %end, label %loop
end:
  ret void
}",
    );
}

#[test]
fn addresses_of_variables_are_computed_before_loops() {
    becomes(
        "consthoist",
        "@lock = addrspace(1) global i32 0
define void @f() {
entry:
  br label %loop
loop:
  %old = atomicrmw xchg ptr addrspace(1) @lock, i32 1 monotonic
  %held = icmp ne i32 %old, 0
  br i1 %held, label %loop, label %end
end:
  ret void
}",
        "@lock = addrspace(1) global i32 0
define void @f() {
entry:
  %0 = freeze ptr addrspace(1) @lock
  br label %loop
loop:
  %old = atomicrmw xchg ptr addrspace(1) %0, i32 1 monotonic
  %held = icmp ne i32 %old, 0
  br i1 %held, label %loop, label %end
end:
  ret void
}",
    );
}

#[test]
fn device_functions_of_a_whole_program_are_local() {
    becomes(
        "internalize,globaldce",
        "define void @unused() {
  ret void
}
define i32 @used() {
  ret i32 1
}
define ptx_kernel void @k(ptr addrspace(1) %p) {
  %r = call i32 @used()
  store i32 %r, ptr addrspace(1) %p
  ret void
}",
        "define internal i32 @used() {
  ret i32 1
}
define ptx_kernel void @k(ptr addrspace(1) %p) {
  %r = call i32 @used()
  store i32 %r, ptr addrspace(1) %p
  ret void
}",
    );
}

#[test]
fn constants_of_all_indices_go_to_the_end() {
    becomes(
        "separate-const-offset-from-gep",
        "@tile = addrspace(3) global [16 x [17 x i32]] undef
define i32 @f(i64 %row, i64 %column) {
  %r = add i64 %row, 4
  %c = add i64 %column, 1
  %a = getelementptr [16 x [17 x i32]], ptr addrspace(3) @tile, i64 0, i64 %r, i64 %c
  %v = load i32, ptr addrspace(3) %a
  ret i32 %v
}
define i32 @g(ptr %p, i64 %i) {
  %q = getelementptr i8, ptr %p, i64 16
  %a = getelementptr i32, ptr %q, i64 %i
  %v = load i32, ptr %a
  ret i32 %v
}
define i32 @h(ptr %p, i32 %i) {
  %j = add nuw i32 %i, 3
  %w = zext i32 %j to i64
  %o = mul i64 %w, 68
  %a = getelementptr i8, ptr %p, i64 %o
  %v = load i32, ptr %a
  ret i32 %v
}",
        "@tile = addrspace(3) global [16 x [17 x i32]] undef
define i32 @f(i64 %row, i64 %column) {
  %r = add i64 %row, 4
  %c = add i64 %column, 1
  %1 = getelementptr [16 x [17 x i32]], ptr addrspace(3) @tile, i64 0, i64 %row, i64 %column
  %a = getelementptr i8, ptr addrspace(3) %1, i64 276
  %v = load i32, ptr addrspace(3) %a
  ret i32 %v
}
define i32 @g(ptr %p, i64 %i) {
  %q = getelementptr i8, ptr %p, i64 16
  %1 = getelementptr i32, ptr %p, i64 %i
  %a = getelementptr i8, ptr %1, i64 16
  %v = load i32, ptr %a
  ret i32 %v
}
define i32 @h(ptr %p, i32 %i) {
  %j = add nuw i32 %i, 3
  %w = zext i32 %j to i64
  %o = mul i64 %w, 68
  %1 = zext i32 %i to i64
  %2 = mul i64 %1, 68
  %3 = getelementptr i8, ptr %p, i64 %2
  %a = getelementptr i8, ptr %3, i64 204
  %v = load i32, ptr %a
  ret i32 %v
}",
    );
}

#[test]
fn loops_are_split_by_what_all_threads_decide_alike() {
    let kernel = |condition: &str| {
        format!(
            "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr addrspace(1) %p, i32 %n, i32 %a) {{
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp eq i32 {condition}, 0
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %next ]
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %i
  br i1 %c, label %one, label %other
one:
  store i32 1, ptr addrspace(1) %q
  br label %next
other:
  store i32 %i, ptr addrspace(1) %q
  br label %next
next:
  %j = add i32 %i, 1
  %again = icmp ult i32 %j, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}}"
        )
    };
    becomes(
        "simple-loop-unswitch,simplifycfg-plain",
        &kernel("%a"),
        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr addrspace(1) %p, i32 %n, i32 %a) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp eq i32 %a, 0
  %0 = freeze i1 %c
  br i1 %0, label %loop, label %loop.1
loop:
  %i = phi i32 [ %j, %loop ], [ 0, %entry ]
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %i
  store i32 1, ptr addrspace(1) %q
  %j = add i32 %i, 1
  %again = icmp ult i32 %j, %n
  br i1 %again, label %loop, label %end
loop.1:
  %i.1 = phi i32 [ %j.1, %loop.1 ], [ 0, %entry ]
  %q.1 = getelementptr i32, ptr addrspace(1) %p, i32 %i.1
  store i32 %i.1, ptr addrspace(1) %q.1
  %j.1 = add i32 %i.1, 1
  %again.1 = icmp ult i32 %j.1, %n
  br i1 %again.1, label %loop.1, label %end
end:
  ret void
}",
    );
    // Threads of a warp would go through one loop after the other.
    let divergent = kernel("%t");
    becomes("simple-loop-unswitch,simplifycfg-plain", &divergent, &divergent);
    // What all threads have counted alike before; and what those counted that left the loop before at different times.
    let counted = |bound: &str| {
        let before = format!(
            "  br label %count\ncount:\n  %s = phi i32 [ 0, %entry ], [ %s1, %count ]\n  %s1 = add i32 %s, 3\n  %go = icmp slt i32 %s1, {bound}\n  \
             br i1 %go, label %count, label %before\nbefore:\n  %c = icmp eq i32 %s1, 0\n  br label %loop"
        );
        let text = kernel("%s1").replace("  %c = icmp eq i32 %s1, 0\n  br label %loop", &before);
        text.replace("%i = phi i32 [ 0, %entry ]", "%i = phi i32 [ 0, %before ]")
    };
    for (bound, is_split) in [("%a", true), ("%t", false)] {
        let module = support::after(
            "simple-loop-unswitch,simplifycfg-plain",
            &counted(bound),
            Options::default(),
        );
        let text = module.to_string();
        assert_eq!(text.contains("freeze"), is_split, "{text}");
    }
}

#[test]
fn structures_are_passed_by_member() {
    becomes(
        "argpromotion,sroa",
        "define internal i32 @f(i32 %k, ptr byval({ i32, i32 }) align 4 %p) noinline {
  %q = getelementptr i8, ptr %p, i64 4
  %a = load i32, ptr %p
  %b = load i32, ptr %q
  %s = sub i32 %a, %b
  %t = mul i32 %s, %k
  ret i32 %t
}
define ptx_kernel void @k(i32 %x, ptr %out) {
  %m = alloca { i32, i32 }, align 4
  store i32 %x, ptr %m
  %n = getelementptr i8, ptr %m, i64 4
  store i32 7, ptr %n
  %r = call i32 @f(i32 %x, ptr byval({ i32, i32 }) align 4 %m)
  store i32 %r, ptr %out
  ret void
}",
        "define internal i32 @f(i32 %k, i32 %1, i32 %2) noinline {
  %s = sub i32 %1, %2
  %t = mul i32 %s, %k
  ret i32 %t
}
define ptx_kernel void @k(i32 %x, ptr %out) {
  %r = call i32 @f(i32 %x, i32 %x, i32 7)
  store i32 %r, ptr %out
  ret void
}",
    );
    // What is between the members may be a member of another view; and others see this function.
    stays(
        "argpromotion",
        "define internal i8 @f(ptr byval({ i8, i32 }) align 4 %p) noinline {
  %a = load i8, ptr %p
  ret i8 %a
}
define i8 @g(ptr byval({ i32, i32 }) align 4 %p) {
  %r = call i8 @f(ptr byval({ i8, i32 }) align 4 %p)
  ret i8 %r
}",
    );
}

#[test]
fn what_goes_together_goes_at_once_or_not_at_all() {
    // A table of functions and what it names: with fuel for one rewrite both go, with none both stay.
    let text = "@table = internal constant [1 x ptr] [ptr @f]
define internal void @f() {
  ret void
}
define void @kernel() {
  ret void
}";
    let with = |fuel| {
        let mut module = read(text);
        let options = Options {
            passes: Some(vec!["globaldce".to_owned()]),
            verify: true,
            fuel: Some(fuel),
            ..Options::default()
        };
        optimize(&mut module, &options).unwrap();
        module.to_string()
    };
    assert_eq!(with(0), read(text).to_string());
    assert_eq!(with(1), read("define void @kernel() {\n  ret void\n}").to_string());
}
