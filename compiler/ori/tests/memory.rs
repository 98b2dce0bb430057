//! Memory: spaces, vectors, variables, orderings, atomic operations.

mod support;

use support::{START, TARGETS, agree_body, agree_on, two_by_64};
use warpsmith_emu::Launch;

fn with(declarations: &str, body: &str) {
    agree_on(&TARGETS, declarations, &format!("{START}\n{body}\nret;"), &two_by_64());
}

#[test]
fn local_variables_lie_in_the_frame() {
    // 3000 bytes: more than would be there by chance.
    agree_body(
        ".local .align 8 .b8 a[3000]; .local .align 4 .b32 b[4];
        mov.u64 %d10, a;
        st.local.u32 [b+4], %r4; st.local.u32 [a+2992], %r5;
        st.local.u64 [%d10+16], %d4;
        cvta.local.u64 %d11, %d10; ld.u32 %r11, [%d11+2992];
        cvta.to.local.u64 %d12, %d11; ld.local.u64 %d13, [%d12+16];
        ld.local.u32 %r12, [b+4];
        st.global.u32 [%d5], %r11; st.global.u32 [%d5+4], %r12; st.global.u64 [%d5+8], %d13;",
    );
}

#[test]
fn static_and_dynamic_shared_memory() {
    let body = format!(
        "{START}
        .shared .align 8 .b8 own[256];
        shl.b32 %r10, %r4, 2; mov.u32 %r11, own; add.u32 %r12, %r11, %r10;
        mov.u32 %r13, dynamic; add.u32 %r14, %r13, %r10;
        st.shared.u32 [%r12], %r5; st.shared.u32 [%r14], %r4;
        bar.sync 0;
        xor.b32 %r15, %r10, 252; add.u32 %r16, %r11, %r15; ld.shared.u32 %r17, [%r16];
        ld.shared.u32 %r18, [own+8];
        mul.wide.u32 %d10, %r14, 1; cvta.shared.u64 %d11, %d10; ld.u32 %r19, [%d11];
        cvta.to.shared.u64 %d12, %d11; ld.shared.u32 %r21, [%d12];
        st.global.v4.u32 [%d5], {{%r17, %r18, %r19, %r21}}; ret;"
    );
    let shape = Launch {
        dynamic_shared: 256,
        ..two_by_64()
    };
    let declarations = ".extern .shared .align 16 .b8 dynamic[];\n.shared .align 4 .b8 unused[60000];";
    agree_on(&TARGETS, declarations, &body, &shape);
}

#[test]
fn bytes_of_addresses_in_initial_values() {
    // What LLVM writes for pointers in packed structures.
    let bytes: Vec<String> = (0..8)
        .map(|byte| format!("0x{:X}(generic(table)+8)", 0xffu64 << (8 * byte)))
        .collect();
    let declarations = format!(
        ".global .align 8 .u64 table[2] = {{11, 22}};
        .global .align 1 .u8 packed[9] = {{7, {}}};",
        bytes.join(", ")
    );
    let loads = |byte: u32| {
        format!(
            "ld.global.u8 %d10, [packed+{}]; shl.b64 %d10, %d10, {}; or.b64 %d11, %d11, %d10;\n",
            byte + 1,
            8 * byte
        )
    };
    let address: String = (0..8).map(loads).collect();
    with(
        &declarations,
        &format!("mov.u64 %d11, 0;\n{address} ld.u64 %d12, [%d11]; st.global.u64 [%d5], %d12;"),
    );
}

#[test]
fn global_and_constant_variables() {
    with(
        ".global .align 8 .u64 table[4] = {1, 2, 3, 4};
        .global .align 4 .u32 zero;
        .visible .global .align 4 .f32 numbers[2][2] = {{1.5, 2.0}, {-3.0, 0f40800000}};
        .global .align 8 .u64 pointer = generic(table)+8;
        .const .align 4 .u32 constants[4] = {5, 6, 7, 8};
        .const .align 2 .u16 half = 9;",
        "ld.global.u64 %d10, [pointer]; ld.u64 %d11, [%d10+8];
        ld.global.u32 %r10, [zero]; ld.global.u32 %r11, [numbers+12];
        and.b32 %r12, %r4, 3; mul.wide.u32 %d12, %r12, 4; mov.u64 %d13, constants; add.u64 %d13, %d13, %d12;
        ld.const.u32 %r13, [%d13]; ld.const.v2.u32 {%r14, %r15}, [constants+8]; ld.const.u16 %r16, [half];
        add.u32 %r11, %r11, %r10; add.u32 %r13, %r13, %r14; add.u32 %r15, %r15, %r16;
        st.global.v4.u32 [%d5], {%r11, %r13, %r15, %r12}; st.global.u32 [%d5+12], %d11;",
    );
}

#[test]
fn vectors_of_bytes_and_halves() {
    agree_body(
        "ld.global.v4.u8 {%r10, %r11, %r12, %r13}, [%d6];
        st.global.v4.u8 [%d5], {%r13, %r10, %r12, %r11};
        ld.global.v2.s8 {%r14, %r15}, [%d6+4]; add.u32 %r14, %r14, %r15; st.global.u32 [%d5+4], %r14;
        ld.global.v2.s16 {%r16, %r17}, [%d6+8]; st.global.v2.u16 [%d5+8], {%h1, %h2};
        sub.u32 %r16, %r16, %r17; st.global.u32 [%d5+8], %r16;
        ld.global.v4.u16 {%h3, %h4, %h5, %h6}, [%d6+8]; st.global.v2.b16 [%d5+12], {%h5, %h4};",
    );
}

#[test]
fn loads_extend_to_wide_registers() {
    agree_body(
        "ld.global.s32 %d10, [%d6+12]; st.global.u64 [%d5], %d10;
        ld.global.s8 %d11, [%d6+3]; st.global.u32 [%d5+8], %d11; ld.global.u8 %d12, [%d6+3]; st.global.u32 [%d5+12], %d12;",
    );
}

#[test]
fn far_offsets() {
    agree_body("add.u64 %d10, %d6, 0x10000000; ld.global.u32 %r10, [%d10+-0x10000000]; st.global.u32 [%d5], %r10;");
}

#[test]
fn orderings_and_fences() {
    agree_body(
        "ld.relaxed.gpu.global.u32 %r10, [%d6]; ld.acquire.sys.global.u32 %r11, [%d6+4]; ld.volatile.global.u32 %r12, [%d6+8];
        ld.global.nc.u32 %r13, [%d6+12]; fence.acq_rel.gpu; membar.cta; fence.sc.sys;
        st.release.gpu.global.u32 [%d5], %r10; st.relaxed.cta.global.u32 [%d5+4], %r11; st.volatile.global.u32 [%d5+8], %r12;
        st.global.u32 [%d5+12], %r13; prefetch.global.L2 [%d6];",
    );
}

#[test]
fn atomic_operations_in_global_memory() {
    for (operation, of, value) in [
        ("add", "u32", "%r5"),
        ("min", "s32", "%r5"),
        ("max", "u32", "%r5"),
        ("and", "b32", "%r5"),
        ("xor", "b32", "%r5"),
        ("exch", "b32", "%r5"),
        ("inc", "u32", "%r5"),
        ("dec", "u32", "%r5"),
        ("add", "u64", "%d6"),
        ("max", "s64", "%d6"),
        ("or", "b64", "%d6"),
        ("exch", "b64", "%d4"),
    ] {
        let (old, store) = if of.ends_with("64") {
            ("%d20", "u64")
        } else {
            ("%r20", "u32")
        };
        // Each thread has its own place: the order of threads does not matter.
        let value = if value == "%d6" { "%d4" } else { value };
        agree_body(&format!(
            "st.global.u64 [%d5], 7; atom.global.{operation}.{of} {old}, [%d5], {value}; st.global.{store} [%d5+8], {old};"
        ));
    }
    agree_body(
        "st.global.u64 [%d5], %d4; mul.wide.u32 %d11, %r5, 1; mov.u64 %d12, 77;
        atom.global.cas.b64 %d20, [%d5], 32, %d12; st.global.u64 [%d5+8], %d20;",
    );
    agree_body(
        "red.global.add.u32 [%d1], %r5; red.global.max.s32 [%d1+4], %r5; setp.lt.u32 %p1, %r5, 40; @%p1 red.global.add.u64 [%d1+8], %d4;",
    );
}

#[test]
fn atomic_operations_in_shared_memory() {
    for generic in [false, true] {
        let (space, place) = if generic { ("", "%d11") } else { (".shared", "%r11") };
        let body = format!(
            "{START} .shared .align 8 .u64 cell[2];
            mov.u32 %r11, cell; mul.wide.u32 %d10, %r11, 1; cvta.shared.u64 %d11, %d10;
            setp.eq.u32 %p1, %r4, 0; @%p1 st.shared.u64 [cell], 0; @%p1 st.shared.u64 [cell+8], 0; bar.sync 0;
            atom{space}.add.u64 %d20, [{place}], %d4; setp.lt.u32 %p2, %r4, 20; @%p2 atom{space}.max.s64 %d21, [{place}+8], %d4;
            bar.sync 0; ld.shared.v2.u64 {{%d12, %d13}}, [cell];
            st.global.u64 [%d5], %d12; st.global.u64 [%d5+8], %d13; ret;"
        );
        agree_on(&TARGETS, "", &body, &two_by_64());
    }
}

#[test]
fn stores_to_generic_addresses() {
    agree_body(
        "st.u8 [%d5], %r5; st.u16 [%d5+2], %r5; st.u32 [%d5+4], %r5; st.u64 [%d5+8], %d4; st.volatile.u8 [%d5+1], %r4;",
    );
}

#[test]
fn addresses_of_elements() {
    let body = format!(
        "{START} .shared .align 8 .u32 cells[4]; .local .align 8 .u64 own[2];
        mov.u32 %r11, cells[2]; mov.u32 %r12, cells; sub.u32 %r11, %r11, %r12;
        mov.u64 %d11, own[1]; mov.u64 %d12, own; sub.u64 %d11, %d11, %d12;
        st.global.u32 [%d5], %r11; st.global.u64 [%d5+8], %d11; ret;"
    );
    agree_on(&TARGETS, "", &body, &two_by_64());
}

/// A policy is a hint: an access that names it gives what it gives without.
#[test]
fn cache_policies() {
    let body = format!(
        "{START} createpolicy.fractional.L2::evict_first.b64 %d11, 1.0;
        ld.global.L2::cache_hint.u32 %r11, [%d1], %d11; st.global.L2::cache_hint.u32 [%d5], %r11, %d11; ret;"
    );
    agree_on(&["sm_80", "sm_90", "sm_100", "sm_120"], "", &body, &two_by_64());
}
