//! State spaces, generic addresses, atomic operations and asynchronous barriers.

use crate::support::{attempt, each, kernel, module, one, words};
use warpsmith_emu::ptx::{Device, Launch, MemoryStatistics, Options, load, run};

#[test]
fn sizes_and_signs() {
    let body = "mov.u32 %r1, 0x80c1; st.global.u16 [%d0], %r1;
        ld.global.s8 %r2, [%d0]; st.global.u32 [%d0+4], %r2;
        ld.global.s16 %r2, [%d0]; st.global.u32 [%d0+8], %r2;
        ld.global.u8 %r2, [%d0+1]; st.global.u32 [%d0+12], %r2;";
    assert_eq!(one(body, 4), [0x80c1, 0xffff_ffc1, 0xffff_80c1, 0x80]);
}

#[test]
fn vectors() {
    let body =
        "st.global.v4.u32 [%d0], {1, 2, 3, 4}; ld.global.v2.u64 {%d1, %d2}, [%d0]; st.global.v2.u64 [%d0], {%d2, %d1};";
    assert_eq!(one(body, 4), [3, 4, 1, 2]);
}

#[test]
fn every_space_by_generic_addresses() {
    let text = "
        .global .u32 g = 5; .const .u32 c[2] = {6, 7};"
        .to_string()
        + &kernel(
            ".shared .u32 s; .local .u32 l;
             mov.u64 %d1, g; cvta.global.u64 %d1, %d1; ld.u32 %r1, [%d1];
             mov.u64 %d2, c; cvta.const.u64 %d2, %d2; ld.u32 %r2, [%d2+4];
             mov.u64 %d3, s; cvta.shared.u64 %d3, %d3; mov.u32 %r3, 8; st.u32 [%d3], %r3; ld.shared.u32 %r3, [s];
             mov.u64 %d4, l; cvta.local.u64 %d4, %d4; mov.u32 %r4, 9; st.u32 [%d4], %r4; ld.local.u32 %r4, [l];
             st.global.v4.u32 [%d0], {%r1, %r2, %r3, %r4};
             isspacep.shared %p1, %d3; isspacep.local %p2, %d4; isspacep.global %p3, %d1; isspacep.const %p4, %d2; isspacep.global %p5, %d2;
             selp.u32 %r5, 1, 0, %p1; @%p2 or.b32 %r5, %r5, 2; @%p3 or.b32 %r5, %r5, 4; @%p4 or.b32 %r5, %r5, 8; @%p5 or.b32 %r5, %r5, 16;
             st.global.u32 [%d0+16], %r5; ret;",
        );
    assert_eq!(words(&text, 5, (1, 1)), [5, 7, 8, 9, 15]);
}

#[test]
fn initial_values() {
    let text = "
        .global .align 4 .b8 bytes[4] = {1, 2, 3, 4};
        .global .f32 numbers[2] = {0f3f800000, 2.0};
        .global .u64 pointer = generic(bytes);
        .global .u32 rows[2][2] = {{1}, {2, 3}};"
        .to_string()
        + &kernel(
            "ld.global.u32 %r1, [bytes]; ld.global.u32 %r2, [numbers+4]; ld.global.u64 %d1, [pointer]; ld.u8 %r3, [%d1+2];
             ld.global.u32 %r4, [rows+8]; st.global.v4.u32 [%d0], {%r1, %r2, %r3, %r4}; ret;",
        );
    assert_eq!(words(&text, 4, (1, 1)), [0x0403_0201, 0x4000_0000, 3, 2]);
}

#[test]
fn atomic_operations() {
    let body = |operation: &str| {
        let text = format!("mov.u32 %r1, %tid.x; {operation} ret;");
        words(&kernel(&text), 2, (2, 64))[0]
    };
    assert_eq!(body("red.global.add.u32 [%d0], %r1;"), 2 * 2016);
    assert_eq!(body("red.global.max.s32 [%d0], %r1;"), 63);
    assert_eq!(body("red.global.inc.u32 [%d0], 99;"), 28);
    assert_eq!(body("atom.global.or.b32 %r2, [%d0], %r1;"), 63);
    assert_eq!(body("red.global.add.f32 [%d0], 0f3f800000;"), 128.0_f32.to_bits());
    assert_eq!(
        body("mov.b32 %r2, 0x3c003c00; red.global.add.noftz.f16x2 [%d0], %r2;"),
        0x5800_5800
    );
    // Sums of f32 flush subnormals in global memory, but not in shared memory.
    let shared = "atom.shared.add.f32 %f1, [s], 0f00000001; ld.shared.u32 %r1, [s];";
    assert_eq!(each(&format!(".shared .b32 s; {shared}"), 1), [1]);
    assert_eq!(body("red.global.add.f32 [%d0], 0f00000001;"), 0);
    // A counter of 64 bits carries into the upper word.
    let text = kernel("mov.u64 %d1, 0x40000000; atom.global.add.u64 %d2, [%d0], %d1; ret;");
    assert_eq!(words(&text, 2, (1, 64)), [0, 16]);
}

#[test]
fn dynamic_shared_memory() {
    let text = module(
        &(".extern .shared .align 16 .b8 dynamic[];".to_string()
            + &kernel(
                ".shared .u32 fixed; mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2; mov.u32 %r2, dynamic; add.u32 %r2, %r2, %r1;
                 st.shared.u32 [%r2], %r0; bar.sync 0; ld.shared.u32 %r3, [dynamic+12]; mov.u32 %r4, %dynamic_smem_size;
                 st.global.v2.u32 [%d0], {%r3, %r4}; ret;",
            )),
    );
    let mut device = Device::new();
    let loaded = load(&mut device, &warpsmith_ptx::parse(text.as_bytes()).module).unwrap();
    let out = device.allocate(8, 8);
    let launch = Launch {
        block: [8, 1, 1],
        dynamic_shared: 32,
        arguments: vec![out.to_le_bytes().to_vec()],
        ..Launch::of("k")
    };
    run(&mut device, &loaded, &launch, &Options::default()).unwrap();
    assert_eq!(device.read(out, 8).unwrap(), [3, 0, 0, 0, 32, 0, 0, 0]);
}

/// A module of shared variables and kernels; the kernel `k` of it run with `dynamic` bytes on one word.
fn with_shared(text: &str, dynamic: u32) -> Result<u32, String> {
    let mut device = Device::new();
    let loaded = crate::support::loaded(&mut device, &module(text));
    let out = device.allocate(4, 8);
    let launch = Launch {
        dynamic_shared: dynamic,
        arguments: vec![out.to_le_bytes().to_vec()],
        ..Launch::of("k")
    };
    run(&mut device, &loaded, &launch, &Options::default()).map_err(|failure| failure.fault.message)?;
    let bytes = device.read(out, 4).map_err(|fault| fault.message)?;
    Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// A kernel has the shared variables that it and its callees name: as many as a module has would not fit.
#[test]
fn shared_variables_count_for_the_kernels_that_have_them() {
    let big = |count: u32| -> String {
        (0..count)
            .map(|n| format!(".shared .align 4 .b8 big{n}[32768];\n"))
            .collect()
    };
    let other = |n: u32| {
        format!(".visible .entry other{n}() {{ .reg .b32 %r; mov.u32 %r, big{n}; st.shared.u32 [big{n}], %r; ret; }}\n")
    };
    let others: String = (0..12).map(other).collect();
    let names = |n: u32| {
        format!(
            "mov.u32 %r0, 7; st.shared.u32 [big{n}+32764], %r0; ld.shared.u32 %r1, [big{n}+32764]; st.global.u32 [%d0], %r1; ret;"
        )
    };
    let text = big(12) + &others + &kernel(&names(11));
    assert_eq!(with_shared(&text, 0), Ok(7));
    // A variable that nothing names, behind one that the kernel has.
    assert_eq!(with_shared(&(big(12) + &kernel(&names(3))), 0), Ok(7));
    // Through a function, also by its address in a table.
    let inner = ".func inner() { .reg .b32 %r; mov.u32 %r, 9; st.shared.u32 [big5], %r; ret; }\n";
    let calls = "call inner; ld.shared.u32 %r1, [big5]; st.global.u32 [%d0], %r1; ret;";
    assert_eq!(with_shared(&(big(12) + &others + inner + &kernel(calls)), 0), Ok(9));
    let table = ".global .u64 table[1] = { inner };\n";
    let follows = "proto: .callprototype _ (); ld.global.u64 %d1, [table]; call %d1, (), proto;
        ld.shared.u32 %r1, [big5]; st.global.u32 [%d0], %r1; ret;";
    assert_eq!(
        with_shared(&(big(12) + &others + inner + table + &kernel(follows)), 0),
        Ok(9)
    );
    // Two that one kernel has lie beside each other, whatever others have.
    let both = "mov.u32 %r0, 1; mov.u32 %r1, 2; st.shared.u32 [big0], %r0; st.shared.u32 [big9], %r1;
        ld.shared.u32 %r2, [big0]; st.global.u32 [%d0], %r2; ret;";
    assert_eq!(with_shared(&(big(12) + &others + &kernel(both)), 0), Ok(1));
    // Dynamic shared memory begins behind the kernel's own, and the limit is still one.
    let open = ".extern .shared .align 16 .b8 open[];\n";
    let dynamic =
        "mov.u32 %r0, open; st.shared.u32 [%r0+12], %r0; st.shared.u32 [big2], %r0; st.global.u32 [%d0], %r0; ret;";
    let text = big(12) + open + &others + &kernel(dynamic);
    assert_eq!(with_shared(&text, 16), Ok(32768));
    let many = "st.shared.u32 [big0], %r0; st.shared.u32 [big1], %r0; st.shared.u32 [big2], %r0; st.shared.u32 [big3], %r0; st.shared.u32 [big4], %r0;
        st.shared.u32 [big5], %r0; st.shared.u32 [big6], %r0; st.shared.u32 [big7], %r0; st.shared.u32 [big8], %r0; ret;";
    let refused = with_shared(&(big(12) + &kernel(many)), 0).unwrap_err();
    assert!(refused.contains("294912 bytes of shared memory"), "{refused}");
}

#[test]
fn copies_and_mbarriers() {
    let body = "
        .shared .align 16 .b8 buffer[1024]; .shared .align 8 .b64 barrier;
        setp.eq.u32 %p1, %r0, 0;
        @%p1 mbarrier.init.shared.b64 [barrier], 64;
        bar.sync 0;
        mul.wide.u32 %d1, %r0, 4; add.u64 %d2, %d0, %d1; shl.b32 %r2, %r0, 2; mov.u32 %r3, buffer; add.u32 %r3, %r3, %r2;
        add.u32 %r4, %r0, 1000; st.global.u32 [%d2], %r4;
        cp.async.ca.shared.global [%r3], [%d2], 4;
        cp.async.mbarrier.arrive.noinc.shared.b64 [barrier];
      wait:
        mbarrier.try_wait.parity.shared.b64 %p2, [barrier], 0;
        @!%p2 bra wait;
        sub.u32 %r5, 252, %r2; mov.u32 %r6, buffer; add.u32 %r5, %r5, %r6;
        ld.shared.u32 %r1, [%r5];
        bar.sync 0;";
    let expected: Vec<u32> = (0..64).map(|lane| 1063 - lane).collect();
    assert_eq!(each(body, 64), expected);
}

#[test]
fn statistics() {
    // 32 lanes, 4 bytes each, 8 bytes apart: 8 sectors, of which 4 would do. In shared memory: two words in each bank.
    let text = module(&kernel(
        ".shared .b32 buffer[64]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 8; add.u64 %d1, %d0, %d1; ld.global.u32 %r1, [%d1];
         mov.u32 %r2, buffer; shl.b32 %r3, %r0, 3; add.u32 %r2, %r2, %r3; st.shared.u32 [%r2], %r1; ret;",
    ));
    let (_, report) = attempt(&text, &[0; 64], (1, 32), &Options::default()).unwrap();
    let memory = report.memory;
    assert_eq!(
        (
            memory.global_accesses,
            memory.global_sectors,
            memory.global_sectors_ideal
        ),
        (1, 8, 4)
    );
    assert_eq!((memory.shared_accesses, memory.shared_conflicts), (1, 1));
    assert_eq!((report.instructions, report.thread_instructions), (10, 320));
    assert!(report.opcodes.contains(&("ld.global.u32".to_string(), 1)));
    let options = Options {
        memory_statistics: false,
        ..Options::default()
    };
    let (_, report) = attempt(&text, &[0; 64], (1, 32), &options).unwrap();
    assert_eq!(report.memory, MemoryStatistics::default());
    assert_eq!(report.thread_instructions, 320);
}

#[test]
fn clusters_share_memory() {
    let text = module(&kernel(
        ".shared .u32 value; mov.u32 %r1, %cluster_ctarank; add.u32 %r2, %r1, 50; st.shared.u32 [value], %r2;
         barrier.cluster.arrive; barrier.cluster.wait;
         xor.b32 %r3, %r1, 1; mov.u32 %r4, value; mapa.shared::cluster.u32 %r5, %r4, %r3; ld.shared::cluster.u32 %r6, [%r5];
         mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d0, %d1; st.global.u32 [%d1], %r6;
         barrier.cluster.arrive; barrier.cluster.wait; ret;",
    ));
    let mut device = Device::new();
    let loaded = load(&mut device, &warpsmith_ptx::parse(text.as_bytes()).module).unwrap();
    let out = device.allocate(8, 8);
    let launch = Launch {
        grid: [2, 1, 1],
        cluster: [2, 1, 1],
        arguments: vec![out.to_le_bytes().to_vec()],
        ..Launch::of("k")
    };
    run(&mut device, &loaded, &launch, &Options::default()).unwrap();
    assert_eq!(device.read(out, 8).unwrap(), [51, 0, 0, 0, 50, 0, 0, 0]);
}
