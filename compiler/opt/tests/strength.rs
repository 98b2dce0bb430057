//! Straight-line strength reduction on the smallest text that shows what it does.

mod support;

use warpsmith_opt::Options;

/// The pass makes one text of another.
#[track_caller]
fn becomes(before: &str, after: &str) {
    support::becomes("slsr", before, after, Options::default());
}

#[track_caller]
fn stays(text: &str) {
    becomes(text, text);
}

#[test]
fn an_address_is_another_and_a_constant() {
    becomes(
        "define float @f(ptr %a, i32 %r, i32 %i) {
  %x = add nsw i32 %r, %i
  %xw = sext i32 %x to i64
  %p = getelementptr float, ptr %a, i64 %xw
  %v = load float, ptr %p
  %j = add nsw i32 %i, 1
  %y = add nsw i32 %r, %j
  %yw = sext i32 %y to i64
  %q = getelementptr float, ptr %a, i64 %yw
  %w = load float, ptr %q
  %s = fadd float %v, %w
  ret float %s
}",
        "define float @f(ptr %a, i32 %r, i32 %i) {
  %x = add nsw i32 %r, %i
  %xw = sext i32 %x to i64
  %p = getelementptr float, ptr %a, i64 %xw
  %v = load float, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  %w = load float, ptr %q
  %s = fadd float %v, %w
  ret float %s
}",
    );
}

#[test]
fn sums_that_may_wrap_are_other_sums() {
    // The second index may have wrapped.
    stays(
        "define float @f(ptr %a, i32 %i) {
  %xw = sext i32 %i to i64
  %p = getelementptr float, ptr %a, i64 %xw
  %v = load float, ptr %p
  %y = add i32 %i, 1
  %yw = sext i32 %y to i64
  %q = getelementptr float, ptr %a, i64 %yw
  %w = load float, ptr %q
  %s = fadd float %v, %w
  ret float %s
}",
    );
    // The first one may have: whether it is used is not known where the second one is.
    stays(
        "define float @f(ptr %a, i32 %i, i1 %c) {
entry:
  %x = add nsw i32 %i, 1
  %xw = sext i32 %x to i64
  %p = getelementptr float, ptr %a, i64 %xw
  br i1 %c, label %one, label %other
one:
  %v = load float, ptr %p
  ret float %v
other:
  %yw = sext i32 %i to i64
  %q = getelementptr float, ptr %a, i64 %yw
  %w = load float, ptr %q
  ret float %w
}",
    );
}

#[test]
fn an_access_behind_what_may_end_the_thread_tells_nothing() {
    // If the sum wraps, the thread must have ended in @g.
    stays(
        "declare void @g()
define float @f(ptr %a, i32 %i) {
  %x = add nsw i32 %i, 1
  %xw = sext i32 %x to i64
  %p = getelementptr float, ptr %a, i64 %xw
  %yw = sext i32 %i to i64
  %q = getelementptr float, ptr %a, i64 %yw
  %w = load float, ptr %q
  call void @g()
  %v = load float, ptr %p
  %s = fadd float %v, %w
  ret float %s
}",
    );
}

#[test]
fn a_product_is_another_and_its_factor() {
    becomes(
        "declare void @g(i32, i32)
define void @f(i32 %i, i32 %n, i32 %c) {
  %a = mul nsw i32 %i, %n
  %b = add nsw i32 %a, %c
  %j = add nsw i32 %i, 1
  %d = mul nsw i32 %j, %n
  %e = add nsw i32 %d, %c
  call void @g(i32 %b, i32 %e)
  ret void
}",
        "declare void @g(i32, i32)
define void @f(i32 %i, i32 %n, i32 %c) {
  %a = mul i32 %i, %n
  %b = add i32 %a, %c
  %e = add i32 %b, %n
  call void @g(i32 %b, i32 %e)
  ret void
}",
    );
    becomes(
        "declare void @g(i32, i32)
define void @f(i32 %i, i32 %n) {
  %a = mul i32 %i, %n
  %b = add i32 %a, -1
  %j = add i32 %i, -1
  %d = mul i32 %n, %j
  %e = add i32 %d, -1
  call void @g(i32 %b, i32 %e)
  ret void
}",
        "declare void @g(i32, i32)
define void @f(i32 %i, i32 %n) {
  %a = mul i32 %i, %n
  %b = add i32 %a, -1
  %e = sub i32 %b, %n
  call void @g(i32 %b, i32 %e)
  ret void
}",
    );
    // Two further is not one addition; the sum that is used elsewhere, too, is there anyway.
    stays(
        "declare void @g(i32, i32, i32)
define void @f(i32 %i, i32 %n) {
  %a = mul i32 %i, %n
  %j = add i32 %i, 2
  %d = mul i32 %j, %n
  %k = sub i32 %i, %n
  %l = add i32 %k, 1
  %m = mul i32 %k, %n
  %o = mul i32 %l, %n
  call void @g(i32 %a, i32 %d, i32 %m)
  call void @g(i32 %l, i32 %o, i32 %m)
  ret void
}",
    );
}
