//! The scalar optimisations: what each rule makes of its smallest input, as SASS after a barrier that stands behind the loads, and that the kernel does what
//! the interpreter does on every generation, on the values that the threads load.

mod support;

use support::{START, agree_body, agree_on, two_by_64};
use warpsmith_ori::phase::Options;

/// What a body loads first, and the barrier behind the loads: its sources in `%r10`, `%r11` and `%d10`, of each thread others.
const SOURCES: &str =
    "ld.global.u32 %r10, [%d6]; ld.global.u32 %r11, [%d6+4]; ld.global.u64 %d10, [%d6+8]; bar.sync 0;";

/// The instructions of a body after a phase on a target, without the loads and what comes before them.
fn after(phase: &str, target: &str, body: &str) -> Vec<String> {
    let lines = all_after(phase, target, body);
    let start = lines.iter().position(|line| line.contains("BAR.SYNC"));
    lines.into_iter().skip(start.map_or(0, |at| at + 1)).collect()
}

/// The instructions of a body after a phase on a target, with the loads.
fn all_after(phase: &str, target: &str, body: &str) -> Vec<String> {
    let text = format!(
        ".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{START}\n{SOURCES}\n{body}\nret;\n}}\n"
    );
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let sm = target.parse().expect("a known target");
    let mut found = String::new();
    let mut observe = |event: warpsmith_ori::phase::Event<'_>| {
        if event.phase.is_some_and(|row| row.name == phase) {
            found = event.function.to_string();
        }
    };
    warpsmith_ori::compile_observed(&parsed.module, sm, &Options::default(), &mut observe)
        .unwrap_or_else(|e| panic!("{}", e[0]));
    assert!(!found.is_empty(), "no phase {phase}");
    let lines = found.lines().filter_map(|line| line.strip_prefix("    "));
    let lines = lines.map(|line| line.split("  ").next().unwrap_or_default().trim().to_string());
    lines.filter(|line| !line.starts_with("EXIT")).collect()
}

/// Checks what a rule makes, on sm_80, and what the compiled kernel does everywhere.
fn makes(body: &str, expected: &[&str]) {
    assert_eq!(after("OriPerformLiveDeadThird", "sm_80", body), expected, "{body}");
    agree_body(&format!("{SOURCES}\n{body}"));
}

const STORE: &str = "STG.E desc[UR0][R0.64], R0";
const STORE_WIDE: &str = "STG.E.64 desc[UR0][R0.64], R0";

#[test]
fn copies_are_read_where_they_come_from() {
    makes(
        "mov.b32 %r12, %r10; mov.b32 %r13, %r12; add.u32 %r14, %r13, %r11; st.global.u32 [%d5], %r14;",
        &["IADD3 R0, R0, R0, RZ", STORE],
    );
}

#[test]
fn what_is_only_copied_is_made_where_it_is_wanted() {
    makes(
        "add.u64 %d11, %d10, %d5; st.global.u64 [%d5], %d11;",
        &[
            "IADD3 R0, P0, R0, R0, RZ",
            "IADD3.X R0, R0, R0, RZ, P0, !PT",
            STORE_WIDE,
        ],
    );
}

#[test]
fn constants_become_immediates_and_fold() {
    makes(
        "mov.u32 %r12, 5; mul.lo.u32 %r13, %r12, 7; xor.b32 %r13, %r13, 0x100; add.u32 %r14, %r13, %r10; st.global.u32 [%d5], %r14;",
        &["IADD3 R0, R0, 0x123, RZ", STORE],
    );
    makes(
        "shl.b32 %r12, 3, 4; sub.u32 %r12, %r12, 8; min.u32 %r13, %r10, %r12; st.global.u32 [%d5], %r13;",
        &["IMNMX.U32 R0, R0, 0x28, PT", STORE],
    );
}

#[test]
fn parameters_are_read_from_the_constant_bank() {
    makes(
        "add.u32 %r12, %r10, %r1; st.global.u32 [%d5], %r12;",
        &["IADD3 R0, R0, c[0x0][0x170], RZ", STORE],
    );
}

#[test]
fn parameters_at_addresses_that_are_known_are_constants() {
    let body = "mov.u64 %d11, out; add.u64 %d11, %d11, 32; ld.param.u32 %r12, [%d11+-16]; add.u32 %r12, %r12, %r10; st.global.u32 [%d5], %r12;";
    makes(body, &["IADD3 R0, R0, c[0x0][0x170], RZ", STORE]);
    let loaded = ["LDC R0, c[0x0][0x220]", "IADD3 R0, R0, R0, RZ", STORE];
    assert_eq!(after("OriPerformLiveDeadThird", "sm_90", body), loaded);
}

#[test]
fn zero_is_stored_without_a_register() {
    makes("st.global.u32 [%d5], 0;", &["STG.E desc[UR0][R0.64], RZ"]);
}

#[test]
fn identities() {
    let store = "st.global.u32 [%d5], %r14;";
    let same = [
        "add.u32 %r14, %r10, 0;",
        "mul.lo.u32 %r14, %r10, 1;",
        "not.b32 %r13, %r10; not.b32 %r14, %r13;",
        "and.b32 %r14, %r10, %r10;",
        "and.b32 %r14, %r10, -1;",
        "sub.u32 %r13, %r11, %r11; or.b32 %r14, %r10, %r13;",
        "shl.b32 %r14, %r10, 0;",
        "prmt.b32 %r14, %r11, %r10, 0x7654;",
        "neg.s32 %r13, %r10; neg.s32 %r14, %r13;",
    ];
    for body in same {
        makes(&format!("{body} {store}"), &[STORE]);
    }
}

#[test]
fn sums_and_products_join() {
    let store = "st.global.u32 [%d5], %r14;";
    let cases = [
        (
            "add.u32 %r12, %r10, %r11; add.u32 %r14, %r12, %r5;",
            "IADD3 R0, R0, R0, R0",
        ),
        (
            "add.u32 %r12, %r10, 7; sub.u32 %r14, %r12, %r5;",
            "IADD3 R0, -R0, 0x7, R0",
        ),
        (
            "mul.lo.u32 %r12, %r10, %r11; add.u32 %r14, %r12, %r5;",
            "IMAD R0, R0, R0, R0",
        ),
        (
            "mul.lo.u32 %r12, %r10, 10; sub.u32 %r14, %r5, %r12;",
            "IMAD R0, R0, -0xa, R0",
        ),
        (
            "shl.b32 %r12, %r10, 3; add.u32 %r14, %r12, %r11;",
            "LEA R0, R0, R0, 0x3",
        ),
        (
            "shr.u32 %r12, %r10, 28; add.u32 %r14, %r12, %r11;",
            "LEA.HI R0, R0, R0, RZ, 0x4",
        ),
    ];
    for (body, expected) in cases {
        makes(&format!("{body} {store}"), &[expected, STORE]);
    }
}

#[test]
fn logic_of_logic_is_one_table() {
    makes(
        "and.b32 %r12, %r10, %r11; xor.b32 %r14, %r12, %r5; st.global.u32 [%d5], %r14;",
        &["LOP3.LUT R0, R0, R0, R0, 0x6a, PT", STORE],
    );
    makes(
        "and.b32 %r12, %r10, 0xff; not.b32 %r13, %r12; or.b32 %r14, %r13, %r11; st.global.u32 [%d5], %r14;",
        // The second operand is the constant: c | ~(a & b).
        &["LOP3.LUT R0, R0, 0xff, R0, 0xbf, PT", STORE],
    );
}

#[test]
fn permutations_of_permutations() {
    makes(
        "prmt.b32 %r12, %r10, %r11, 0x5410; prmt.b32 %r14, %r12, 0, 0x1032; st.global.u32 [%d5], %r14;",
        // The inner sources change places.
        &["PRMT R0, R0, 0x5410, R0", STORE],
    );
}

#[test]
fn predicates_join_their_comparisons() {
    makes(
        "setp.lt.u32 %p1, %r10, 5; setp.gt.s32 %p2, %r11, 7; and.pred %p3, %p1, %p2; selp.u32 %r14, %r10, %r11, %p3; st.global.u32 [%d5], %r14;",
        &[
            "ISETP.GT.AND P0, PT, R0, 0x7, PT",
            "ISETP.LT.U32.AND P0, PT, R0, 0x5, P0",
            "SEL R0, R0, R0, P0",
            STORE,
        ],
    );
    makes(
        "setp.lt.u32 %p1, %r10, 5; selp.u32 %r12, 1, 0, %p1; setp.ne.u32 %p2, %r12, 0; selp.u32 %r14, %r10, %r11, %p2; st.global.u32 [%d5], %r14;",
        &["ISETP.LT.U32.AND P0, PT, R0, 0x5, PT", "SEL R0, R0, R0, P0", STORE],
    );
    makes(
        "and.b32 %r12, %r10, 64; setp.eq.u32 %p1, %r12, 0; selp.u32 %r14, %r10, %r11, %p1; st.global.u32 [%d5], %r14;",
        &["LOP3.LUT P0, RZ, R0, 0x40, RZ, 0xc0, !PT", "SEL R0, R0, R0, !P0", STORE],
    );
}

#[test]
fn constants_of_an_address_go_into_the_offset() {
    makes(
        "add.s64 %d11, %d5, 8; add.s64 %d12, %d11, -4; st.global.u32 [%d12+4], %r10;",
        &["STG.E desc[UR0][R0.64+0x8], R0"],
    );
}

#[test]
fn products_take_the_sum_of_an_address() {
    // The products and sums of `START` are one instruction each: these stand before the loads, and what is left is the store.
    makes(
        "and.b32 %r12, %r10, 3; mul.wide.u32 %d11, %r12, 4; add.s64 %d12, %d5, %d11; st.global.u32 [%d12], %r10;",
        &[
            "LOP3.LUT R0, R0, 0x3, RZ, 0xc0, PT",
            "IMAD.WIDE.U32 R0, R0, 0x4, R0",
            STORE,
        ],
    );
    makes(
        "and.b32 %r12, %r10, 3; cvt.u64.u32 %d11, %r12; shl.b64 %d12, %d11, 2; add.s64 %d13, %d5, %d12; st.global.u32 [%d13], %r10;",
        &[
            "LOP3.LUT R0, R0, 0x3, RZ, 0xc0, PT",
            "IMAD.WIDE.U32 R0, R0, 0x4, R0",
            STORE,
        ],
    );
}

#[test]
fn shifted_pairs_take_the_sum() {
    makes(
        "shl.b64 %d11, %d10, 3; add.s64 %d12, %d11, %d5; st.global.u64 [%d5], %d12;",
        &[
            "LEA R0, P0, R0, R0, 0x3",
            "LEA.HI.X R0, R0, R0, R0, 0x3, P0",
            STORE_WIDE,
        ],
    );
}

#[test]
fn what_was_computed_is_not_computed_again() {
    makes(
        "mul.lo.u32 %r12, %r10, %r11; mul.lo.u32 %r13, %r10, %r11; xor.b32 %r14, %r12, %r13; or.b32 %r14, %r14, %r12; st.global.u32 [%d5], %r14;",
        &["IMAD R0, R0, R0, RZ", STORE],
    );
}

/// Threads that wait for each other give each other the same twice; those that other threads are missing from may have got something else.
#[test]
fn shuffles_of_the_whole_warp_are_done_once() {
    let count = |mask: &str| {
        let body = format!(
            "shr.s32 %r20, %r1, 31; not.b32 %r20, %r20; shfl.sync.idx.b32 %r12, %r10, 0, 31, {mask}; bar.sync 1; shfl.sync.idx.b32 %r13, %r10, 0, 31, {mask};
            add.u32 %r14, %r12, %r13; st.global.u32 [%d5], %r14;"
        );
        agree_body(&format!("{SOURCES}\n{body}"));
        let code = after("OriPerformLiveDeadThird", "sm_90", &body);
        code.iter().filter(|line| line.starts_with("SHFL")).count()
    };
    assert_eq!(count("-1"), 1);
    assert_eq!(count("%r20"), 2);
}

/// Of a sum of 64 bits both halves fold: the carry of constants is known.
#[test]
fn carries_of_constants_fold() {
    let body = |low: &str, other: &str| {
        format!(
            "mov.u32 %r12, {low}; mov.u32 %r13, {other}; add.cc.u32 %r14, %r12, %r13; addc.u32 %r15, %r10, 5;
            st.global.u32 [%d5], %r14; st.global.u32 [%d5+4], %r15;"
        )
    };
    let stores = [STORE, "STG.E desc[UR0][R0.64+0x4], R0"];
    for (low, other, expected) in [
        ("0x480", "-0x380", ["MOV R0, 0x100", "IADD3 R0, R0, 0x6, RZ"]),
        ("0x70000000", "0x1000", ["MOV R0, 0x70001000", "IADD3 R0, R0, 0x5, RZ"]),
    ] {
        makes(&body(low, other), &[expected, stores].concat());
    }
}

/// Where both summands are small the sum of the low words does not carry.
#[test]
fn carries_of_small_values_are_none() {
    let sum = |value: &str, more: &str| {
        format!("{value}; cvt.u64.u32 %d7, %r12; add.s64 %d8, %d7, {more}; st.global.u64 [%d5], %d8;")
    };
    let carries = |body: &str| {
        agree_body(&format!("{SOURCES}\n{body}"));
        let code = after("OriPerformLiveDeadThird", "sm_90", body);
        code.iter().filter(|line| line.starts_with("IADD3.X")).count()
    };
    for small in [
        "and.b32 %r12, %r10, 0x3fff",
        "bfe.u32 %r12, %r10, 4, 14",
        "shr.u32 %r12, %r10, 1",
        "and.b32 %r13, %r10, 0xfff; shl.b32 %r12, %r13, 12",
        "and.b32 %r13, %r10, 0xfff; and.b32 %r14, %r11, 0xfff00; or.b32 %r12, %r13, %r14",
        "and.b32 %r13, %r10, 0xfff; and.b32 %r14, %r11, 0xfff00; add.u32 %r12, %r13, %r14",
    ] {
        assert_eq!(carries(&sum(small, "0x4000004000000080")), 0, "{small}");
    }
    for (large, more) in [
        ("and.b32 %r12, %r10, 0x3fff", "0x40000040ffffff80"),
        ("shr.s32 %r12, %r10, 1", "0x4000004000000080"),
        (
            "and.b32 %r13, %r10, 0xfff; shl.b32 %r12, %r13, 24",
            "0x4000004000000080",
        ),
        ("and.b32 %r13, %r10, 0xfff; not.b32 %r12, %r13", "0x4000004000000080"),
    ] {
        assert_eq!(carries(&sum(large, more)), 1, "{large}");
    }
}

#[test]
fn equal_constants_and_copies_are_one_value() {
    let body = "mov.f64 %g1, 0d4005bf0a8b145769; add.f64 %g2, %g1, 0d3ff0000000000000; rcp.approx.ftz.f64 %g2, %g2; mul.f64 %g2, %g2, %g1;
        mov.f64 %g3, 0d4005bf0a8b145769; add.f64 %g4, %g3, 0d3ff0000000000000; rcp.approx.ftz.f64 %g4, %g4; mul.f64 %g4, %g4, %g3;
        add.f64 %g2, %g2, %g4; st.global.f64 [%d5], %g2;";
    let code = after("OriPerformLiveDeadThird", "sm_80", body);
    assert_eq!(
        code.iter().filter(|line| line.starts_with("DMUL")).count(),
        1,
        "{code:#?}"
    );
    agree_body(&format!("{SOURCES}\n{body}"));
}

#[test]
fn what_nobody_reads_goes() {
    makes(
        "mul.hi.u32 %r12, %r10, %r11; div.u32 %r13, %r12, %r10; setp.lt.u32 %p1, %r13, 5; @%p1 add.u32 %r15, %r13, 1; st.global.u32 [%d5], %r10;",
        &[STORE],
    );
}

#[test]
fn sums_of_products_round_once_only_where_ptx_says_so() {
    let free = "mul.f32 %f1, %f2, %f3; add.f32 %f4, %f1, %f2; st.global.f32 [%d5], %f4;";
    let bound = "mul.rn.f32 %f1, %f2, %f3; add.rn.f32 %f4, %f1, %f2; st.global.f32 [%d5], %f4;";
    let load = "mov.b32 %f2, %r10; mov.b32 %f3, %r11;";
    assert_eq!(
        after("OriPerformLiveDeadThird", "sm_80", &format!("{load} {free}")),
        ["FFMA R0, R0, R0, R0", STORE]
    );
    assert_eq!(
        after("OriPerformLiveDeadThird", "sm_80", &format!("{load} {bound}")),
        ["FMUL R0, R0, R0", "FADD R0, R0, R0", STORE]
    );
}

#[test]
fn registers_that_mean_several_things_part() {
    // The second `%r12` has nothing to do with the first: both are values, and the rules see through them.
    makes(
        "mov.u32 %r12, 3; add.u32 %r13, %r10, %r12; mov.u32 %r12, %r11; mul.lo.u32 %r13, %r13, %r12; st.global.u32 [%d5], %r13;",
        &["IADD3 R0, R0, 0x3, RZ", "IMAD R0, R0, R0, RZ", STORE],
    );
}

#[test]
fn variables_of_loops_stay_what_they_are() {
    agree_body(
        "ld.global.u32 %r10, [%d6]; and.b32 %r11, %r10, 15; mov.u32 %r12, 0; mov.u64 %d11, 1; mov.u32 %r13, 7;
        LOOP: add.u32 %r14, %r12, %r13; mov.u32 %r13, %r12; mov.u32 %r12, %r14;
        shl.b64 %d12, %d11, 1; add.s64 %d11, %d12, 3;
        sub.s32 %r11, %r11, 1; setp.ge.s32 %p1, %r11, 0; @%p1 bra LOOP;
        st.global.u32 [%d5], %r13; st.global.u32 [%d5+4], %r12; st.global.u64 [%d5+8], %d11;",
    );
}

#[test]
fn guarded_writes_keep_what_was_there() {
    agree_body(
        "ld.global.u32 %r10, [%d6]; setp.lt.s32 %p1, %r10, 0; mov.u32 %r11, 5; mov.u32 %r12, %r11; @%p1 mov.u32 %r11, 9;
        add.u32 %r13, %r11, %r12; @!%p1 mov.u32 %r12, %r13; @%p1 mov.u64 %d11, 17; @!%p1 cvt.u64.u32 %d11, %r12;
        st.global.u32 [%d5], %r13; st.global.u32 [%d5+4], %r12; st.global.u64 [%d5+8], %d11;",
    );
}

#[test]
fn high_products_of_64_bits() {
    agree_body(
        "ld.global.u64 %d10, [%d6]; ld.global.u64 %d11, [%d6+8]; mul.hi.u64 %d12, %d10, %d11; mul.hi.s64 %d13, %d10, %d11;
        mul.hi.u64 %d14, %d10, -1; xor.b64 %d12, %d12, %d14; st.global.u64 [%d5], %d12; st.global.u64 [%d5+8], %d13;",
    );
}

/// Divisors of every kind: powers of two, those whose reciprocal fits, even and odd ones whose reciprocal has a bit too many, and the largest.
const DIVISORS: [i64; 26] = [
    1,
    2,
    3,
    5,
    6,
    7,
    9,
    10,
    12,
    14,
    16,
    25,
    28,
    60,
    100,
    125,
    641,
    1000,
    3600,
    65_535,
    65_536,
    86_400,
    1_000_000_007,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
];

#[test]
fn division_by_constants() {
    // Multiples of the divisor and the numbers below them are where a reciprocal that is not near enough fails first.
    for (of, register, wide) in [
        ("u32", "%r", false),
        ("s32", "%r", false),
        ("u64", "%d", true),
        ("s64", "%d", true),
    ] {
        for sign in ["", "-"] {
            if sign == "-" && of.starts_with('u') {
                continue;
            }
            let mut body = format!("{SOURCES} mov.u32 %r20, 0; mov.u64 %d20, 0;");
            for divisor in DIVISORS {
                let divisor = format!("{sign}{divisor}");
                let bits = if wide { "64" } else { "32" };
                body.push_str(&format!(
                    "mul.lo.{of} {register}12, {register}10, {divisor}; sub.{of} {register}13, {register}12, 1;
                    div.{of} {register}14, {register}10, {divisor}; rem.{of} {register}15, {register}10, {divisor};
                    div.{of} {register}16, {register}12, {divisor}; rem.{of} {register}17, {register}13, {divisor};
                    div.{of} {register}18, {register}13, {divisor};
                    mad.lo.{of} {register}20, {register}20, 31, {register}14; mad.lo.{of} {register}20, {register}20, 31, {register}15;
                    mad.lo.{of} {register}20, {register}20, 31, {register}16; mad.lo.{of} {register}20, {register}20, 31, {register}17;
                    xor.b{bits} {register}20, {register}20, {register}18;"
                ));
            }
            body.push_str("st.global.u32 [%d5], %r20; st.global.u64 [%d5+8], %d20;");
            agree_body(&body);
        }
    }
}

#[test]
fn division_by_constants_at_the_edges() {
    for (of, suffix, edges) in [
        (
            "u32",
            "r",
            ["0", "1", "0x7fffffff", "0x80000000", "0xfffffffe", "0xffffffff"],
        ),
        ("s32", "r", ["0", "1", "0x7fffffff", "-2147483648", "-1", "-2147483647"]),
        (
            "u64",
            "d",
            [
                "0",
                "1",
                "0x7fffffffffffffff",
                "0x8000000000000000",
                "0xffffffff",
                "0xffffffffffffffff",
            ],
        ),
        (
            "s64",
            "d",
            [
                "0",
                "1",
                "0x7fffffffffffffff",
                "0x8000000000000000",
                "-1",
                "-9223372036854775807",
            ],
        ),
    ] {
        let bits = if suffix == "d" { "64" } else { "32" };
        let mut body = format!("{SOURCES} mov.u32 %r20, 0; mov.u64 %d20, 0;");
        for divisor in [
            "1",
            "2",
            "3",
            "7",
            "10",
            "-1",
            "-2",
            "-7",
            "-10",
            "0x7fffffff",
            "0x80000000",
        ] {
            if divisor.starts_with('-') && of.starts_with('u') {
                continue;
            }
            for edge in edges {
                // Not a constant to the compiler.
                body.push_str(&format!(
                    "and.b{bits} %{suffix}12, %{suffix}10, 0; or.b{bits} %{suffix}12, %{suffix}12, {edge};
                    min.u32 %r13, %r5, 0; cvt.u64.u32 %d13, %r13; or.b{bits} %{suffix}12, %{suffix}12, %{suffix}13;
                    div.{of} %{suffix}14, %{suffix}12, {divisor}; rem.{of} %{suffix}15, %{suffix}12, {divisor};
                    mad.lo.{of} %{suffix}20, %{suffix}20, 31, %{suffix}14; mad.lo.{of} %{suffix}20, %{suffix}20, 31, %{suffix}15;"
                ));
            }
        }
        body.push_str("st.global.u32 [%d5], %r20; st.global.u64 [%d5+8], %d20;");
        agree_body(&body);
    }
}

#[test]
fn an_address_by_a_variable_is_one_product() {
    // The index has a definition before the loop and one within.
    let body = "mov.u32 %r12, 0; and.b32 %r11, %r11, 3; add.u32 %r11, %r11, 1;
        A: mul.wide.s32 %d12, %r12, 4; add.s64 %d13, %d2, %d12; ld.global.u32 %r13, [%d13]; add.u32 %r10, %r10, %r13;
        add.u32 %r12, %r12, %r11; setp.lt.u32 %p1, %r12, 90; @%p1 bra A; st.global.u32 [%d5], %r10;";
    let lines = after("OriPerformLiveDeadThird", "sm_80", body).join("\n");
    assert!(!lines.contains("IADD3.X"), "{lines}");
    agree_body(&format!("{SOURCES}\n{body}"));
}

#[test]
fn quotients_by_one_divisor_share_its_reciprocal() {
    // Divisors of all exponents, and infinities and NaNs.
    let divisor = "shl.b32 %r20, %r5, 24; and.b32 %r21, %r10, 0x80ffffff; or.b32 %r20, %r20, %r21; mov.b32 %f3, %r20; mov.b32 %f1, %r10; mov.b32 %f2, %r11;
        setp.eq.u32 %p1, %r4, 7; @%p1 mov.b32 %f3, 0f7F800000; setp.eq.u32 %p2, %r4, 9; @%p2 mov.b32 %f3, 0f00000000;";
    for divide in [
        "div.full.f32",
        "div.full.ftz.f32",
        "div.approx.f32",
        "div.approx.ftz.f32",
    ] {
        let body = format!(
            "{divisor} {divide} %f4, %f1, %f3; {divide} %f5, %f2, %f3; {divide} %f6, %f3, %f3; st.global.f32 [%d5], %f4; st.global.f32 [%d5+4], %f5; st.global.f32 [%d5+8], %f6;"
        );
        let code = after("AllocateRegisters", "sm_80", &body);
        let reciprocals = code.iter().filter(|line| line.contains("MUFU.RCP")).count();
        assert_eq!(reciprocals, 1, "{divide}: {code:#?}");
        agree_body(&format!("{SOURCES}\n{body}"));
    }
}

#[test]
fn what_variables_are_computed_to_is_kept_until_they_change() {
    let body = "mov.u32 %r12, %r10; setp.lt.u32 %p1, %r10, %r11; @%p1 mov.u32 %r12, %r11;
        not.b32 %r13, %r12; popc.b32 %r14, %r12; popc.b32 %r15, %r12; add.u32 %r13, %r13, %r14; add.u32 %r13, %r13, %r15;
        @%p1 add.u32 %r12, %r12, 77; popc.b32 %r16, %r12; add.u32 %r13, %r13, %r16; st.global.u32 [%d5], %r13;";
    let code = after("OriPerformLiveDeadThird", "sm_80", body);
    assert_eq!(code.iter().filter(|line| line.contains("POPC")).count(), 2, "{code:#?}");
    agree_body(&format!("{SOURCES}\n{body}"));
}

#[test]
fn signs_that_logic_clears_or_turns_are_the_operands() {
    makes(
        "and.b32 %r12, %r10, 0x7fffffff; mov.b32 %f1, %r12; mov.b32 %f2, %r11; add.f32 %f3, %f1, %f2; st.global.f32 [%d5], %f3;",
        &["FADD R0, |R0|, R0", STORE],
    );
    makes(
        "xor.b32 %r12, %r10, 0x80000000; mov.b32 %f1, %r12; mov.b32 %f2, %r11; abs.f32 %f4, %f1; mul.f32 %f3, %f1, %f2; add.f32 %f3, %f3, %f4;
        st.global.f32 [%d5], %f3;",
        &["FMUL R0, -R0, R0", "FADD R0, R0, |R0|", STORE],
    );
    makes(
        "and.b32 %r12, %r10, 0x7fffffff; mov.b32 %f1, %r12; setp.geu.f32 %p1, %f1, 0f7f800000; selp.b32 %r13, %r11, 7, %p1; st.global.u32 [%d5], %r13;",
        &["FSETP.GEU.AND P0, PT, |R0|, +INF , PT", "SEL R0, R0, 0x7, P0", STORE],
    );
}

#[test]
fn bits_are_tested_where_they_stand() {
    makes(
        "and.b32 %r12, %r10, 12; shr.u32 %r12, %r12, 2; setp.ne.u32 %p1, %r12, 0; selp.b32 %r13, %r11, 7, %p1; st.global.u32 [%d5], %r13;",
        &["LOP3.LUT P0, R0, R0, 0xc, RZ, 0xc0, !PT", "SEL R0, R0, 0x7, P0", STORE],
    );
    // One of the bits goes.
    makes(
        "and.b32 %r12, %r10, 6; shr.u32 %r12, %r12, 2; setp.ne.u32 %p1, %r12, 0; selp.b32 %r13, %r11, 7, %p1; st.global.u32 [%d5], %r13;",
        &[
            "LOP3.LUT R0, R0, 0x6, RZ, 0xc0, PT",
            "SHF.R.U32.HI R0, RZ, 0x2, R0",
            "ISETP.NE.U32.AND P0, PT, R0, RZ, PT",
            "SEL R0, R0, 0x7, P0",
            STORE,
        ],
    );
}

#[test]
fn guarded_constants_over_constants_are_choices() {
    let body = "setp.lt.s32 %p1, %r10, %r11; mov.u32 %r12, 0; @%p1 mov.u32 %r12, 1; setp.eq.u32 %p2, %r12, 0; @%p2 mov.u32 %r10, %r5; st.global.u32 [%d5], %r10;";
    let code = after("OriPerformLiveDeadThird", "sm_80", body);
    assert_eq!(
        code.iter().filter(|line| line.contains("ISETP")).count(),
        1,
        "{code:#?}"
    );
    agree_body(&format!("{SOURCES}\n{body}"));
    // As C++ that asks which thread is elected gives it.
    let body = "setp.lt.s32 %p1, %r10, %r11; mov.u32 %r13, 0; mov.u32 %r12, %r13; @%p1 mov.u32 %r12, 1; mov.u32 %r13, %r11; setp.eq.u32 %p2, %r12, 0;
        @%p2 mov.u32 %r10, %r13; st.global.u32 [%d5], %r10;";
    let code = after("OriPerformLiveDeadThird", "sm_80", body);
    assert_eq!(
        code.iter().filter(|line| line.contains("ISETP")).count(),
        1,
        "{code:#?}"
    );
    agree_body(&format!("{SOURCES}\n{body}"));
    // Copied between.
    agree_body(&format!(
        "{SOURCES}\nsetp.lt.s32 %p1, %r10, %r11; mov.u32 %r12, 0; mov.u32 %r13, %r12; @%p1 mov.u32 %r12, 9; add.u32 %r13, %r13, %r12; st.global.u32 [%d5], %r13;"
    ));
    // Read between.
    agree_body(&format!(
        "{SOURCES}\nsetp.lt.s32 %p1, %r10, %r11; mov.u32 %r12, 0; add.u32 %r13, %r12, %r10; @!%p1 mov.u32 %r12, 9; add.u32 %r13, %r13, %r12; st.global.u32 [%d5], %r13;"
    ));
}

#[test]
fn a_choice_between_a_result_and_its_operand_is_a_guarded_update() {
    let mut body = "setp.lt.s32 %p1, %r10, %r11; mul.lo.u32 %r12, %r10, 100; selp.b32 %r13, %r12, %r10, %p1; xor.b32 %r14, %r13, %r11; selp.b32 %r15, %r13, %r14, %p1;".to_string();
    let choices = |body: &str| {
        let code = after("OriBackCopyPropagate", "sm_80", body);
        code.iter().filter(|line| line.starts_with("SEL")).count()
    };
    assert_eq!(choices(&format!("{body} st.global.u32 [%d5], %r15;")), 0);
    agree_body(&format!("{SOURCES}\n{body} st.global.u32 [%d5], %r15;"));
    // What is read afterwards stays.
    body += " st.global.u32 [%d5], %r15; st.global.u32 [%d5+4], %r10;";
    assert_eq!(choices(&body), 1);
    agree_body(&format!("{SOURCES}\n{body}"));
}

#[test]
fn words_of_pairs_are_made_in_them() {
    let body = "add.u32 %r12, %r10, %r5; xor.b32 %r13, %r11, %r5; mov.b64 %d11, {%r12, %r13}; add.rn.f32x2 %d12, %d11, %d10; sub.u32 %r14, %r12, %r13;
        st.global.u64 [%d5], %d12; st.global.u32 [%d5+8], %r14;";
    let code = after("OriBackCopyPropagate", "sm_100", body);
    assert!(!code.iter().any(|line| line.starts_with("MOV")), "{code:#?}");
    agree_on(
        &["sm_100", "sm_120"],
        "",
        &format!("{START}\n{SOURCES}\n{body}\nret;"),
        &two_by_64(),
    );
}

/// The halves of a word that is shifted out of it: accumulators that a front end puts together to pairs and takes apart again stay where they are.
#[test]
fn words_that_are_shifted_out_leave_nothing() {
    let body = "cvt.u64.u32 %d11, %r10; cvt.u64.u32 %d12, %r11; shl.b64 %d12, %d12, 32; or.b64 %d11, %d11, %d12; mov.b64 {%r12, %r13}, %d11;
        sub.u32 %r14, %r13, %r12; st.global.u32 [%d5], %r14;";
    makes(body, &["IADD3 R0, R0, -R0, RZ", STORE]);
    makes(
        "shl.b64 %d11, %d10, 32; st.global.u64 [%d5], %d11;",
        &["MOV R0, R0", "MOV R0, RZ", STORE_WIDE],
    );
}

/// What the lanes of packed operations take, on the generation that has them; elsewhere they are two operations.
#[test]
fn lanes_that_are_alike_swapped_or_not_read() {
    let pair = "mov.b64 %d11, {%r10, %r11};";
    let store = "st.global.u64 [%d5], %d12;";
    let cases = [
        (
            "mov.b64 %d11, {%r10, %r10}; mul.rn.f32x2 %d12, %d10, %d11;",
            "FMUL2 R0, R0.F32x2.HI_LO, R0.F32",
        ),
        (
            "mov.b64 %d11, {%r10, %r10}; sub.rn.f32x2 %d12, %d11, %d10;",
            "FADD2 R0, R0.F32, -R0.F32x2.HI_LO",
        ),
        (
            "mov.b64 %d11, 0x4000000040000000; add.rn.f32x2 %d12, %d11, %d10;",
            "FADD2 R0, R0.F32x2.HI_LO, 2",
        ),
        (
            "mov.b64 %d11, 0x4000000040000000; mov.b64 %d13, {%r10, %r10}; fma.rn.f32x2 %d12, %d10, %d11, %d13;",
            "FFMA2 R0, R0.F32x2.HI_LO, 2, R0.F32",
        ),
        (
            "mov.b64 {%r12, %r13}, %d10; mov.b64 %d11, {%r13, %r12}; mul.rn.f32x2 %d12, %d11, %d10;",
            "FMUL2 R0, R0.F32x2.LO_HI, R0.F32x2.HI_LO",
        ),
        (
            "fma.rn.f32x2 %d13, %d10, %d10, %d10; mov.b64 {%r12, %r13}, %d13; cvt.u64.u32 %d12, %r13;",
            "FFMA R0, R0, R0, R0",
        ),
        (
            "add.rz.ftz.f32x2 %d13, %d10, %d10; mov.b64 {%r12, %r13}, %d13; cvt.u64.u32 %d12, %r12;",
            "FADD.FTZ.RZ R0, R0, R0",
        ),
    ];
    for (body, expected) in cases {
        let body = format!("{pair} {body} {store}");
        let code = after("OriPerformLiveDeadThird", "sm_100", &body);
        let floats: Vec<&String> = code.iter().filter(|line| line.starts_with('F')).collect();
        assert_eq!(floats, [expected], "{body}");
        agree_on(
            &["sm_100", "sm_103", "sm_120"],
            "",
            &format!("{START}\n{SOURCES}\n{body}\nret;"),
            &two_by_64(),
        );
    }
}

#[test]
fn a_product_that_only_sums_read_goes_into_each_of_them() {
    let start =
        "mov.b32 %f1, %r10; mov.b32 %f2, %r11; mul.f32 %f3, %f1, %f2; add.f32 %f4, %f3, %f1; sub.f32 %f5, %f2, %f3;";
    let store = "st.global.v2.f32 [%d5], {%f4, %f5};";
    let floats = |body: &str| {
        let code = after("OriPerformLiveDeadThird", "sm_80", body);
        code.into_iter()
            .filter(|line| line.starts_with('F'))
            .collect::<Vec<_>>()
    };
    let fused = ["FFMA R0, R0, R0, R0", "FFMA R0, -R0, R0, R0"];
    assert_eq!(floats(&format!("{start} {store}")), fused);
    // Something else reads it, so that it is needed in any case.
    let apart = ["FMUL R0, R0, R0", "FADD R0, R0, R0", "FADD R0, R0, -R0"];
    assert_eq!(floats(&format!("{start} {store} st.global.f32 [%d5+8], %f3;")), apart);
    let doubled = floats(&format!("{start} add.f32 %f5, %f3, %f3; {store}"));
    assert_eq!(doubled, ["FMUL R0, R0, R0", "FADD R0, R0, R0", "FADD R0, R0, R0"]);
}

/// As ptxas 13.0.88 does, but for the third, which it fuses although the product's rounding is written out.
#[test]
fn products_and_sums_of_pairs_of_singles_round_once_where_that_is_free() {
    let cases: [(&str, &[&str]); 4] = [
        (
            "mul.f32x2 %d11, %d10, %d10; sub.f32x2 %d12, %d10, %d11;",
            &["FFMA2 R0, -R0.F32x2.HI_LO, R0.F32x2.HI_LO, R0.F32x2.HI_LO"],
        ),
        (
            "mov.b64 %d13, {%r10, %r10}; mov.b64 %d14, 0x4000000040000000; mul.ftz.f32x2 %d11, %d10, %d13; add.ftz.f32x2 %d12, %d11, %d14;",
            &["FFMA2.FTZ R0, R0.F32x2.HI_LO, R0.F32, 2"],
        ),
        (
            "mul.rn.f32x2 %d11, %d10, %d10; add.f32x2 %d12, %d11, %d10;",
            &[
                "FMUL2 R0, R0.F32x2.HI_LO, R0.F32x2.HI_LO",
                "FADD2 R0, R0.F32x2.HI_LO, R0.F32x2.HI_LO",
            ],
        ),
        (
            "mul.f32x2 %d11, %d10, %d10; mov.b64 {%r12, %r13}, %d11; mov.b64 %d13, {%r13, %r12}; add.f32x2 %d12, %d13, %d10;",
            &[
                "FMUL2 R0, R0.F32x2.HI_LO, R0.F32x2.HI_LO",
                "FADD2 R0, R0.F32x2.LO_HI, R0.F32x2.HI_LO",
            ],
        ),
    ];
    for (body, expected) in cases {
        let body = format!("{body} st.global.u64 [%d5], %d12;");
        let code = after("OriPerformLiveDeadThird", "sm_100", &body);
        let floats: Vec<&String> = code.iter().filter(|line| line.starts_with('F')).collect();
        assert_eq!(floats, expected, "{body}");
    }
}

#[test]
fn sums_of_pairs() {
    let body = "add.u64 %d11, %d10, %d5; sub.u64 %d12, %d10, %d5; add.u64 %d13, %d10, -5; add.u64 %d14, %d10, 0x7fffffff; add.u64 %d15, %d10, 0x80000000;
        add.u64 %d16, %d10, -0x80000000; add.u64 %d17, %d10, 0x123456789a; add.u64 %d18, %d10, %d1; sub.u64 %d19, %d1, %d10;
        xor.b64 %d20, %d11, %d12; xor.b64 %d20, %d20, %d13; xor.b64 %d20, %d20, %d14; xor.b64 %d20, %d20, %d15;
        xor.b64 %d20, %d20, %d16; xor.b64 %d20, %d20, %d17; add.u64 %d21, %d18, %d19; sub.u64 %d21, %d21, %d2;
        cvt.u64.u32 %d22, %r10; add.u64 %d22, %d22, %d20; sub.u64 %d22, %d22, %d1; sub.u64 %d20, %d20, %d5; st.global.v2.u64 [%d5], {%d20, %d22};";
    let code = after("LateArchOptimizeFirst", "sm_120", body);
    let count = |name: &str| code.iter().filter(|line| line.starts_with(name)).count();
    assert!(count("IADD.64") >= 5, "{code:#?}");
    agree_body(&format!("{SOURCES}\n{body}"));
}

#[test]
fn constants_are_copied_behind_loops_and_branches() {
    let body = "mov.u32 %r12, 0; setp.lt.u32 %p1, %r10, %r11; @!%p1 bra B; st.global.u32 [%d5+4], %r10; B: mov.u32 %r20, 3;
        A: ld.global.u32 %r21, [%d6]; add.u32 %r11, %r11, %r21; sub.u32 %r20, %r20, 1; setp.ne.u32 %p2, %r20, %r13; @%p2 bra A;
        setp.gt.u32 %p3, %r11, 77; @%p3 bra D; mov.u32 %r14, %r12; mov.u32 %r15, %r12; bra E;
        D: mov.u32 %r12, 5; add.u32 %r14, %r11, 1; mov.u32 %r15, %r12;
        E: add.u32 %r16, %r14, %r15; st.global.u32 [%d5], %r16; st.global.u32 [%d5+8], %r12;";
    let body = format!("mov.u32 %r13, 0; {body}");
    let code = after("OriCopyProp", "sm_80", &body);
    let copies = code.iter().filter(|line| *line == "MOV R0, R0").count();
    assert!(copies <= 1, "{code:#?}");
    agree_body(&format!("{SOURCES}\n{body}"));
}

#[test]
fn words_side_by_side_are_cleared_at_once() {
    // The sums of a product, which are tuples only where it reads them.
    let body = "mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000; mov.f32 %f3, 0f00000000; mov.f32 %f4, 0f00000000; mov.u32 %r12, 0;
        A: mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r10, %r11}, {%r11}, {%f1, %f2, %f3, %f4};
        add.u32 %r12, %r12, 1; setp.lt.u32 %p1, %r12, %r1; @%p1 bra A;
        st.global.v4.f32 [%d5], {%f1, %f2, %f3, %f4};";
    let code = all_after("Get64bRegComponents", "sm_80", body);
    assert_eq!(
        code.iter().filter(|line| line.starts_with("CS2R")).count(),
        2,
        "{code:#?}"
    );
    agree_on(
        &["sm_80", "sm_90", "sm_120"],
        "",
        &format!("{START}\n{SOURCES}\n{body}\nret;"),
        &two_by_64(),
    );
}

/// What is taken apart, operated on twice and put together again is operated on twice in one word.
#[test]
fn chains_of_halves_are_done_on_both() {
    let count = |body: &str| {
        agree_body(&format!("{SOURCES}\n{body}"));
        let code = after("OriPerformLiveDeadThird", "sm_90", body);
        code.iter().filter(|line| line.starts_with('H')).count()
    };
    let apart = "mov.b32 {%h0, %h1}, %r10; mov.b32 {%h2, %h3}, %r11;";
    let together = "mov.b32 %r12, {%h6, %h7}; st.global.u32 [%d5], %r12;";
    for (expected, low, high) in [
        (
            2,
            "mul.rn.f16 %h4, %h0, %h2; add.rn.f16 %h6, %h4, %h2;",
            "mul.rn.f16 %h5, %h1, %h2; add.rn.f16 %h7, %h5, %h2;",
        ),
        (
            2,
            "mul.rn.f16 %h4, %h0, %h2; add.rn.f16 %h6, %h4, %h2;",
            "mul.rn.f16 %h5, %h1, %h3; add.rn.f16 %h7, %h5, %h3;",
        ),
        (
            2,
            "mul.rn.f16 %h4, %h0, %h2; sub.rn.f16 %h6, %h2, %h4;",
            "mul.rn.f16 %h5, %h1, %h2; sub.rn.f16 %h7, %h2, %h5;",
        ),
        (
            2,
            "add.rn.f16 %h4, %h0, %h2; fma.rn.f16 %h6, %h4, %h2, %h0;",
            "add.rn.f16 %h5, %h1, %h3; fma.rn.f16 %h7, %h5, %h3, %h1;",
        ),
        // Other operands, another operation, an intermediate value that something else reads: they stay apart.
        (
            4,
            "mul.rn.f16 %h4, %h0, %h2; add.rn.f16 %h6, %h4, %h2;",
            "mul.rn.f16 %h5, %h3, %h1; add.rn.f16 %h7, %h5, %h2;",
        ),
        (
            4,
            "mul.rn.f16 %h4, %h0, %h2; add.rn.f16 %h6, %h4, %h2;",
            "mul.rn.f16 %h5, %h1, %h2; sub.rn.f16 %h7, %h5, %h2;",
        ),
        (
            4,
            "mul.rn.f16 %h4, %h0, %h2; add.rn.f16 %h6, %h4, %h2; st.global.u16 [%d5+4], %h4;",
            "mul.rn.f16 %h5, %h1, %h2; add.rn.f16 %h7, %h5, %h2;",
        ),
    ] {
        for body in [
            format!("{apart} {low} {high} {together}"),
            format!("{apart} {high} {low} {together}"),
        ] {
            assert_eq!(count(&body), expected, "{body}");
        }
    }
}

/// What a load has extended needs no extension: bytes that are compared as numbers of 16 bits, words of 16 that are made wider.
#[test]
fn what_a_load_extends_is_not_extended_again() {
    let count = |body: &str| {
        let code = after("OriPerformLiveDeadThird", "sm_80", body);
        code.iter().filter(|line| line.starts_with("PRMT")).count()
    };
    let compared =
        "ld.global.u8 %h1, [%d6]; ld.global.u8 %h2, [%d6+1]; setp.lt.s16 %p1, %h1, %h2; selp.u32 %r12, 1, 7, %p1;";
    let store = "st.global.u32 [%d5], %r12;";
    assert_eq!(count(&format!("{compared} {store}")), 0);
    for (load, widened, expected) in [
        ("ld.global.u16", "cvt.u32.u16", 0),
        ("ld.global.s16", "cvt.s32.s16", 0),
        ("ld.global.s8", "cvt.s32.s16", 0),
        ("ld.global.u16", "cvt.s32.s16", 1),
        ("ld.global.s8", "cvt.u32.u16", 1),
    ] {
        let body = format!("{load} %h1, [%d6]; {widened} %r12, %h1; {store}");
        assert_eq!(count(&body), expected, "{load}, {widened}");
        agree_body(&body);
    }
    agree_body(&format!("{compared} {store}"));
}

/// An index of 32 bits is extended by the sum of the upper halves; where it is the variable of a loop, it is not copied for that.
#[test]
fn indices_are_extended_in_the_sum() {
    let body = "mov.u32 %r12, 0; L: cvt.s64.s32 %d10, %r12; add.s64 %d11, %d6, %d10; ld.global.s8 %r12, [%d11]; and.b32 %r12, %r12, 15; sub.u32 %r13, %r13, 1;
        setp.gt.s32 %p1, %r12, 7; @%p1 bra L; st.global.u32 [%d5], %r12;";
    let code = after("LateArchOptimizeFirst", "sm_80", body);
    let count = |name: &str| code.iter().filter(|line| line.starts_with(name)).count();
    assert_eq!(
        (count("LEA.HI.X.SX32"), count("SHF"), count("MOV")),
        (1, 0, 1),
        "{code:#?}"
    );
    // The sign of what the word was before is not that of what is added.
    let older = "mov.u32 %r14, 0; mov.u32 %r12, %r4; L: shr.s32 %r13, %r12, 31; xor.b32 %r12, %r12, 0x80000000; mov.b64 %d10, {%r12, %r13};
        add.s64 %d11, %d10, %d4; add.s64 %d12, %d12, %d11; add.u32 %r14, %r14, 1; setp.lt.u32 %p1, %r14, %r6; @%p1 bra L; st.global.u64 [%d5], %d11;";
    assert!(
        !after("LateArchOptimizeFirst", "sm_80", older)
            .iter()
            .any(|line| line.contains("SX32"))
    );
    agree_body(older);
    let negative = "sub.s32 %r12, %r4, 40; cvt.s64.s32 %d10, %r12; add.s64 %d11, %d6, %d10; st.global.u64 [%d5], %d11;";
    let difference =
        "sub.s32 %r12, 3, %r4; cvt.s64.s32 %d10, %r12; add.s64 %d11, %d10, %d4; st.global.u64 [%d5], %d11;";
    agree_body(difference);
    assert_eq!(
        after("LateArchOptimizeFirst", "sm_90", negative)
            .iter()
            .filter(|line| line.starts_with("LEA.HI.X.SX32"))
            .count(),
        1
    );
}

/// Three halves of what the threads load.
const HALVES: &str = "mov.b32 {%h0, %h1}, %r10; mov.b32 {%h2, %h3}, %r11;";

#[test]
fn products_and_sums_of_halves_round_once_where_that_is_free() {
    let found = |body: &str| after("OriPerformLiveDeadThird", "sm_80", &format!("{HALVES}{body}"));
    let alone = "mul.f16 %h4, %h0, %h2; add.f16 %h5, %h4, %h1; st.global.b16 [%d5], %h5;";
    let is = |code: &[String], name: &str| code.iter().filter(|line| line.starts_with(name)).count();
    let code = found(alone);
    assert_eq!(
        (is(&code, "HFMA2"), is(&code, "HMUL2"), is(&code, "HADD2")),
        (1, 0, 0),
        "{code:?}"
    );
    let pairs = "mul.f16x2 %r12, %r10, %r11; sub.f16x2 %r13, %r10, %r12; st.global.u32 [%d5], %r13;";
    assert_eq!(found(pairs)[0], "HFMA2 R0, -R0, R0, R0");
    // A rounding that is written out stays.
    let code = found(&alone.replace("mul.f16", "mul.rn.f16"));
    assert_eq!(
        (is(&code, "HFMA2"), is(&code, "HMUL2"), is(&code, "HADD2")),
        (0, 1, 1),
        "{code:?}"
    );
    // bf16 is the same, where the machine adds it.
    for sm in ["sm_90", "sm_100", "sm_120"] {
        let body = format!("{HALVES}{}", pairs.replace("f16x2", "bf16x2"));
        let code = after("OriPerformLiveDeadThird", sm, &body);
        assert_eq!(code[0], "HFMA2.BF16_V2 R0, -R0, R0, R0", "{sm}");
    }
    // What the product is made of may be a variable.
    let round = format!(
        "mov.u32 %r20, 0; L: {pairs} add.u32 %r11, %r11, %r13; add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, %r6; @%p1 bra L;"
    );
    assert_eq!(is(&found(&round), "HMUL2"), 0);
}

#[test]
fn narrow_numbers_are_taken_from_the_upper_half() {
    let body = "mov.b32 {%h0, %h1}, %r10; cvt.rn.f16x2.e4m3x2 %r12, %h0; cvt.rn.f16x2.e4m3x2 %r13, %h1;
        st.global.u32 [%d5], %r12; st.global.u32 [%d5+4], %r13;";
    let code = after("OriPerformLiveDeadThird", "sm_90", body);
    let unpacked: Vec<&str> = code
        .iter()
        .map(String::as_str)
        .filter(|line| line.contains("UNPACK_B"))
        .collect();
    assert_eq!(
        unpacked,
        ["F2FP.F16.E4M3.UNPACK_B R0, R0", "F2FP.F16.E4M3.UNPACK_B R0, R0.H1"],
        "{code:?}"
    );
    assert!(!code.iter().any(|line| line.contains("SHF")), "{code:?}");
    agree_on(
        &["sm_89", "sm_90", "sm_100", "sm_120"],
        "",
        &format!("{START}\n{SOURCES}\n{body}\nret;"),
        &two_by_64(),
    );
}
