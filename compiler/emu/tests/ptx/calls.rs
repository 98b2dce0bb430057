//! Functions, the stack and the run-time system.

use crate::support::{attempt, each, kernel, module, words};
use warpsmith_emu::ptx::Options;

/// Factorial by recursion.
const FACTORIAL: &str = "
    .func (.param .b32 result) factorial(.param .b32 n) {
        .reg .b32 %a, %b; .reg .pred %q;
        ld.param.b32 %a, [n];
        setp.le.u32 %q, %a, 1;
        @%q bra base;
        sub.u32 %b, %a, 1;
        { .param .b32 argument; .param .b32 value;
          st.param.b32 [argument], %b;
          call (value), factorial, (argument);
          ld.param.b32 %b, [value]; }
        mul.lo.u32 %a, %a, %b;
        st.param.b32 [result], %a;
        ret;
      base:
        mov.b32 %a, 1;
        st.param.b32 [result], %a;
        ret;
    }";

#[test]
fn recursion_of_different_depth() {
    let text = FACTORIAL.to_string()
        + &kernel(
            "mov.u32 %r0, %tid.x; { .param .b32 a; .param .b32 v; st.param.b32 [a], %r0; call (v), factorial, (a); ld.param.b32 %r1, [v]; }
             mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d0, %d1; st.global.u32 [%d1], %r1; ret;",
        );
    assert_eq!(words(&text, 8, (1, 8)), [1, 1, 2, 6, 24, 120, 720, 5040]);
}

#[test]
fn calls_by_address() {
    let text = "
        .func (.reg .b32 v) twice(.reg .b32 a) { add.u32 v, a, a; ret; }
        .func (.reg .b32 v) square(.reg .b32 a) { mul.lo.u32 v, a, a; ret; }
        .global .u64 table[2] = {twice, square};"
        .to_string()
        + &kernel(
            "mov.u32 %r0, %tid.x; and.b32 %r2, %r0, 1; mul.wide.u32 %d1, %r2, 8; mov.u64 %d2, table; add.u64 %d2, %d2, %d1;
             ld.global.u64 %d3, [%d2];
             shape: .callprototype (.reg .b32 _) _ (.reg .b32 _);
             call (%r1), %d3, (%r0), shape;
             mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d0, %d1; st.global.u32 [%d1], %r1; ret;",
        );
    assert_eq!(words(&text, 6, (1, 6)), [0, 1, 4, 9, 8, 25]);
}

#[test]
fn frames_of_a_call_are_its_own() {
    // The callee overwrites its local array; the caller's stays.
    let text = "
        .func clobber() { .local .b32 own[4]; .reg .b32 %a; mov.b32 %a, 7; st.local.b32 [own], %a; st.local.b32 [own+12], %a; ret; }"
        .to_string()
        + &kernel(
            ".local .b32 mine[4]; mov.u32 %r1, 3; st.local.b32 [mine], %r1; st.local.b32 [mine+12], %r1;
             call clobber; ld.local.b32 %r2, [mine]; ld.local.b32 %r3, [mine+12]; add.u32 %r2, %r2, %r3;
             st.global.u32 [%d0], %r2; ret;",
        );
    assert_eq!(words(&text, 1, (1, 1)), [6]);
}

#[test]
fn the_stack_grows_by_alloca() {
    let body = "shl.b32 %r2, %r0, 3; add.u32 %r2, %r2, 16; cvt.u64.u32 %d2, %r2; alloca.u64 %d3, %d2, 16; st.local.u32 [%d3], %r0;
        alloca.u64 %d4, %d2; st.local.u32 [%d4], 5; ld.local.u32 %r1, [%d3];";
    assert_eq!(each(body, 4), [0, 1, 2, 3]);
}

#[test]
fn printing() {
    let text = module(
        &(".extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 arguments);
           .global .align 1 .b8 text[] = {37, 48, 52, 100, 32, 37, 115, 58, 32, 37, 46, 50, 102, 32, 37, 37, 32, 37, 120, 10, 0};
           .global .align 1 .b8 word[] = {111, 107, 0};"
            .to_string()
            + &kernel(
                ".local .align 8 .b8 a[32]; mov.u64 %d1, a; cvta.local.u64 %d1, %d1;
                 mov.u32 %r1, -7; st.local.u32 [a], %r1; mov.u64 %d2, word; st.local.u64 [a+8], %d2;
                 mov.f64 %g1, 2.345; st.local.f64 [a+16], %g1; mov.u32 %r1, 255; st.local.u32 [a+24], %r1;
                 mov.u64 %d3, text;
                 { .param .b64 f; .param .b64 l; .param .b32 v; st.param.b64 [f], %d3; st.param.b64 [l], %d1;
                   call (v), vprintf, (f, l); ld.param.b32 %r2, [v]; }
                 st.global.u32 [%d0], %r2; ret;",
            )),
    );
    let (words, report) = attempt(&text, &[0], (1, 1), &Options::default()).unwrap();
    assert_eq!((report.printed.as_str(), words[0]), ("-007 ok: 2.35 % ff\n", 4));
}

#[test]
fn the_heap() {
    let text = ".extern .func (.param .b64 r) malloc(.param .b64 n); .extern .func free(.param .b64 p);".to_string()
        + &kernel(
            "{ .param .b64 n; .param .b64 v; mov.u64 %d1, 16; st.param.b64 [n], %d1; call (v), malloc, (n); ld.param.b64 %d2, [v]; }
             mov.u32 %r1, 42; st.u32 [%d2+12], %r1; ld.u32 %r2, [%d2+12]; st.global.u32 [%d0], %r2;
             { .param .b64 p; st.param.b64 [p], %d2; call free, (p); } ret;",
        );
    assert_eq!(words(&text, 1, (1, 1)), [42]);
}
