//! Bulk copies, stores with a barrier object, groups that are waited for, multimem addresses and cancelled clusters.

use crate::support::{attempt, fault, kernel, loaded, module, one, words};
use warpsmith_emu::ptx::{Device, Fault, FaultKind, Launch, Options, run};

/// Runs `k` on words by CTAs of `block` threads in clusters of `cluster`.
fn clustered(
    text: &str,
    words: &[u32],
    grid: u32,
    cluster: u32,
    block: u32,
    options: &Options,
) -> Result<Vec<u32>, Box<Fault>> {
    let text = module(text);
    let mut device = Device::new();
    let loaded = loaded(&mut device, &text);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let out = device.allocate(bytes.len() as u64, 256);
    device.write(out, &bytes)?;
    let launch = Launch {
        grid: [grid, 1, 1],
        cluster: [cluster, 1, 1],
        block: [block, 1, 1],
        arguments: vec![out.to_le_bytes().to_vec()],
        ..Launch::of("k")
    };
    run(&mut device, &loaded, &launch, options).map_err(|failure| Box::new(failure.fault.in_text(&text)))?;
    let bytes = device.read(out, bytes.len() as u64)?;
    let words = bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()));
    Ok(words.collect())
}

const WAIT: &str = "wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [barrier], 0; @!%p1 bra wait;";

/// 64 bytes from `[%d0]` to shared memory and from there to `[%d0+64]`.
fn there_and_back(wait: &str, finish: &str) -> String {
    kernel(&format!(
        ".shared .align 16 .b8 tile[64]; .shared .align 8 .b64 barrier;
         mbarrier.init.shared.b64 [barrier], 1;
         mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], 64;
         cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%d0], 64, [barrier];
         {wait}
         ld.shared.u32 %r1, [tile+4]; add.u32 %r1, %r1, 100; st.shared.u32 [tile+4], %r1;
         fence.proxy.async.shared::cta;
         add.u64 %d1, %d0, 64; cp.async.bulk.global.shared::cta.bulk_group [%d1], [tile], 64;
         cp.async.bulk.commit_group; {finish} ret;"
    ))
}

#[test]
fn bulk_copies_go_both_ways() {
    let start: Vec<u32> = (0..32).map(|word| if word < 16 { word + 7 } else { 0 }).collect();
    let mut expected = start.clone();
    for word in 0..16 {
        expected[16 + word] = word as u32 + if word == 1 { 107 } else { 7 };
    }
    let text = module(&there_and_back(WAIT, "cp.async.bulk.wait_group 0;"));
    for seed in 0..20 {
        let options = Options {
            seed,
            delay_copies: seed > 0,
            ..Options::default()
        };
        assert_eq!(attempt(&text, &start, (1, 1), &options).unwrap().0, expected);
    }
}

#[test]
fn a_missing_wait_shows_when_copies_are_delayed() {
    let start: Vec<u32> = (0..32).map(|word| if word < 16 { 5 } else { 0 }).collect();
    let text = module(&there_and_back("", "cp.async.bulk.wait_group 0;"));
    let second = |seed| {
        let options = Options {
            seed,
            delay_copies: true,
            ..Options::default()
        };
        attempt(&text, &start, (1, 1), &options).unwrap().0[17]
    };
    // Now and then the word is read before it has come, or the copy undoes the sum.
    assert!((0..20).map(second).any(|word| word != 105));
}

#[test]
fn copies_of_threads_are_delayed_too() {
    let text = |wait: &str| {
        module(&kernel(&format!(
            ".shared .align 16 .b8 tile[16]; mov.u32 %r1, tile;
             cp.async.ca.shared.global [%r1], [%d0], 4; cp.async.commit_group;
             add.u64 %d1, %d0, 16; cp.async.ca.shared.global [%r1+8], [%d1], 8, 4; cp.async.commit_group; {wait}
             ld.shared.v4.u32 {{%r2, %r3, %r4, %r5}}, [tile]; st.global.v4.u32 [%d0], {{%r2, %r3, %r4, %r5}}; ret;"
        )))
    };
    let run = |text: &str, seed| {
        let options = Options {
            seed,
            delay_copies: true,
            ..Options::default()
        };
        attempt(text, &[1, 2, 3, 4, 5, 6, 7, 8], (1, 1), &options).unwrap().0[..4].to_vec()
    };
    let (all, none) = (text("cp.async.wait_all;"), text(""));
    assert!((0..20).all(|seed| run(&all, seed) == [1, 0, 5, 0]));
    assert!((0..20).any(|seed| run(&none, seed) != [1, 0, 5, 0]));
    // Of two groups one may still be pending.
    let older = text("cp.async.wait_group 1;");
    assert!((0..20).all(|seed| run(&older, seed)[0] == 1));
    assert!((0..20).any(|seed| run(&older, seed)[2] == 0));
}

#[test]
fn only_the_bytes_of_a_mask_are_copied() {
    let text = kernel(
        ".shared .align 16 .b8 tile[32]; mov.u32 %r1, 0x11223344;
         st.shared.v4.u32 [tile], {%r1, %r1, %r1, %r1}; st.shared.v4.u32 [tile+16], {%r1, %r1, %r1, %r1};
         mov.u16 %h1, 0x8005; cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%d0], [tile], 32, %h1;
         cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;",
    );
    let line = [0x0022_0044, 0, 0, 0x1100_0000];
    assert_eq!(words(&text, 8, (1, 1)), [line, line].concat());
}

#[test]
fn reductions_into_global_memory() {
    let reduce = |operation: &str, old: u32, new: u32| {
        let body = format!(
            ".shared .align 16 .b8 tile[16]; mov.u32 %r1, {new}; st.shared.v4.u32 [tile], {{%r1, %r1, %r1, %r1}};
             mov.u32 %r2, {old}; st.global.v4.u32 [%d0], {{%r2, %r2, %r2, %r2}};
             cp.reduce.async.bulk.global.shared::cta.bulk_group.{operation} [%d0], [tile], 16;
             cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;"
        );
        let found = one(&body, 4);
        assert!(
            found.iter().all(|word| *word == found[0]) || operation.contains("64"),
            "{found:x?}"
        );
        found[..2].to_vec()
    };
    assert_eq!(reduce("add.u32", 5, 6)[0], 11);
    assert_eq!(reduce("add.u64", 0xffff_ffff, 1), [0, 1]);
    assert_eq!(reduce("max.s32", 5, 0xffff_ffff)[0], 5);
    assert_eq!(reduce("max.u32", 5, 0xffff_ffff)[0], 0xffff_ffff);
    assert_eq!(reduce("inc.u32", 6, 6)[0], 0);
    assert_eq!(reduce("dec.u32", 0, 6)[0], 6);
    assert_eq!(reduce("xor.b64", 12, 10), [6, 6]);
    // 1 + 2 in each half; the smaller of 1 and -2.
    assert_eq!(reduce("add.noftz.f16", 0x3c00_3c00, 0x4000_4000)[0], 0x4200_4200);
    assert_eq!(reduce("min.bf16", 0x3f80_3f80, 0xc000_c000)[0], 0xc000_c000);
    // A sum of f32 flushes subnormals: 2⁻¹⁴⁹ + 0.
    assert_eq!(reduce("add.f32", 1, 0)[0], 0);
    assert_eq!(reduce("add.noftz.f16", 1, 1)[0], 2);
}

#[test]
fn a_multicast_reaches_the_ctas_of_its_mask() {
    // CTA 0 sends to CTAs 0 and 2; each of them waits for its own barrier.
    let text = kernel(
        ".shared .align 16 .b8 tile[16]; .shared .align 8 .b64 barrier;
         mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, 77; st.shared.u32 [tile], %r2;
         mbarrier.init.shared.b64 [barrier], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], 16;
         barrier.cluster.arrive; barrier.cluster.wait;
         setp.eq.u32 %p2, %r1, 0; mov.u16 %h1, 5;
         @%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%d0], 16, [barrier], %h1;
         and.b32 %r3, %r1, 1; setp.ne.u32 %p3, %r3, 0; @%p3 bra done;
         wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [barrier], 0; @!%p1 bra wait;
         done: ld.shared.u32 %r4, [tile]; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d0, %d1; st.global.u32 [%d1+16], %r4;
         barrier.cluster.arrive; barrier.cluster.wait; ret;",
    );
    let delayed = Options {
        delay_copies: true,
        ..Options::default()
    };
    for options in [Options::default(), delayed] {
        let found = clustered(&text, &[9, 8, 7, 6, 0, 0, 0, 0], 4, 4, 1, &options).unwrap();
        assert_eq!(found[4..], [9, 77, 9, 77]);
    }
}

/// A cluster's barrier waits for all that have not exited; of those that have arrived, only they count.
#[test]
fn a_cluster_barrier_does_not_count_those_that_exit() {
    let text = kernel(
        "mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %tid.x; setp.lt.u32 %p1, %r2, 32; @%p1 bra arrive;
         setp.eq.u32 %p2, %r1, 0; @%p2 bra arrive;
         mov.u32 %r3, 1000; again: sub.u32 %r3, %r3, 1; setp.ne.u32 %p3, %r3, 0; @%p3 bra again;
         mov.u32 %r4, 77; st.global.u32 [%d0], %r4;
         arrive: barrier.cluster.arrive; or.b32 %r5, %r1, %r2; setp.ne.u32 %p4, %r5, 0; @%p4 bra done;
         barrier.cluster.wait; ld.global.u32 %r6, [%d0]; st.global.u32 [%d0+4], %r6;
         done: ret;",
    );
    let found = clustered(&text, &[0, 0], 2, 2, 64, &Options::default()).unwrap();
    assert_eq!(found, [77, 77]);
}

#[test]
fn shared_memory_of_another_cta() {
    // CTA 0 copies 16 bytes to CTA 1, adds them there once more, stores a vector and adds a number with barrier objects.
    let text = kernel(
        ".shared .align 16 .b8 tile[64]; .shared .align 8 .b64 barrier;
         mov.u32 %r1, %cluster_ctarank; mbarrier.init.shared.b64 [barrier], 1;
         mov.u32 %r2, 3; st.shared.v4.u32 [tile], {%r2, %r2, %r2, %r2}; st.shared.v4.u32 [tile+16], {%r2, %r2, %r2, %r2};
         st.shared.v4.u32 [tile+32], {%r2, %r2, %r2, %r2}; st.shared.v4.u32 [tile+48], {%r2, %r2, %r2, %r2};
         mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], 44;
         barrier.cluster.arrive; barrier.cluster.wait;
         mov.u32 %r3, tile; mapa.shared::cluster.u32 %r4, %r3, 1; mov.u32 %r5, barrier; mapa.shared::cluster.u32 %r6, %r5, 1;
         setp.ne.u32 %p2, %r1, 0; @%p2 bra receive;
         mov.u32 %r7, 10; st.shared.u32 [tile], %r7;
         cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r4], [tile], 16, [%r6];
         cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r4+16], [tile], 16, [%r6];
         mov.u32 %r8, 50; mov.u32 %r9, 60;
         st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r4+32], {%r8, %r9}, [%r6];
         red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%r4+48], %r8, [%r6];
         bra done;
         receive: mbarrier.try_wait.parity.shared::cta.b64 %p1, [barrier], 0; @!%p1 bra receive;
         ld.shared.v2.u32 {%r10, %r11}, [tile]; ld.shared.v2.u32 {%r12, %r13}, [tile+16];
         ld.shared.v2.u32 {%r14, %r15}, [tile+32]; ld.shared.u32 %r16, [tile+48];
         st.global.v4.u32 [%d0], {%r10, %r11, %r12, %r13}; st.global.v2.u32 [%d0+16], {%r14, %r15}; st.global.u32 [%d0+24], %r16;
         done: barrier.cluster.arrive; barrier.cluster.wait; ret;",
    );
    let delayed = Options {
        delay_copies: true,
        seed: 3,
        ..Options::default()
    };
    for options in [Options::default(), delayed] {
        let found = clustered(&text, &[0; 8], 2, 2, 1, &options).unwrap();
        assert_eq!(found, [10, 3, 13, 6, 50, 60, 50, 0]);
    }
}

#[test]
fn what_is_wrong_with_a_bulk_copy() {
    let refused = |body: &str| {
        let text = kernel(&format!(
            ".shared .align 16 .b8 tile[64]; .shared .align 8 .b64 barrier; {body} ret;"
        ));
        let fault = fault(&text, (1, 1), &Options::default());
        (fault.kind, fault.message)
    };
    let store = "cp.async.bulk.global.shared::cta.bulk_group";
    let (kind, message) = refused(&format!("mov.u32 %r1, 24; {store} [%d0], [tile], %r1;"));
    assert_eq!(kind, FaultKind::Operand);
    assert_eq!(message, "a bulk copy of 24 bytes, which is not a multiple of 16");
    let (kind, message) = refused(&format!("{store} [%d0+8], [tile], 16;"));
    assert_eq!(kind, FaultKind::Misaligned);
    assert!(
        message.starts_with("the destination of a bulk copy is at 0x7f40000008"),
        "{message}"
    );
    assert_eq!(
        refused(&format!("{store} [%d0], [tile], 64;")).0,
        FaultKind::OutOfBounds
    );
    let load = "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%d0], 16, [barrier];";
    let (kind, message) = refused(load);
    assert_eq!(kind, FaultKind::Operand);
    assert!(message.ends_with("is not initialised"), "{message}");
    let (kind, _) = refused(
        "mbarrier.init.shared.b64 [barrier], 1; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [barrier], 1048575;
         mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [barrier], 1;",
    );
    assert_eq!(kind, FaultKind::Operand);
}

#[test]
fn arrivals_that_follow_copies() {
    // Without .noinc the arrival is one more than the two that are expected.
    let text = kernel(
        ".shared .align 16 .b8 tile[16]; .shared .align 8 .b64 barrier; mov.u32 %r1, tile;
         mbarrier.init.shared.b64 [barrier], 2; cp.async.ca.shared.global [%r1], [%d0], 16;
         cp.async.mbarrier.arrive.shared.b64 [barrier];
         mbarrier.arrive.shared.b64 %d1, [barrier]; mbarrier.pending_count.b64 %r2, %d1;
         mbarrier.test_wait.parity.shared.b64 %p2, [barrier], 0; selp.u32 %r3, 1, 0, %p2;
         cp.async.mbarrier.arrive.noinc.shared.b64 [barrier];
         wait: mbarrier.try_wait.parity.shared.b64 %p1, [barrier], 0, 20; @!%p1 bra wait;
         ld.shared.u32 %r4, [tile]; st.global.v4.u32 [%d0], {%r2, %r3, %r4, 0}; ret;",
    );
    let text = module(&text);
    let (found, _) = attempt(&text, &[42, 0, 0, 0], (1, 1), &Options::default()).unwrap();
    assert_eq!(found, [2, 0, 42, 0]);
    for seed in 0..20 {
        let options = Options {
            seed,
            delay_copies: true,
            ..Options::default()
        };
        let (found, _) = attempt(&text, &[42, 0, 0, 0], (1, 1), &options).unwrap();
        assert_eq!(found[1..3], [0, 42]);
    }
}

#[test]
fn multimem_sums_of_eight_bits() {
    let text = module(
        ".visible .entry k(.param .u64 many, .param .u64 out) {
            .reg .b32 %r<8>; .reg .b64 %d<4>;
            ld.param.u64 %d0, [many]; ld.param.u64 %d1, [out];
            multimem.ld_reduce.global.add.e4m3x4 %r0, [%d0]; multimem.ld_reduce.global.add.acc::f16.e4m3x4 %r1, [%d0];
            multimem.ld_reduce.global.add.e5m2x4 %r2, [%d0+4]; multimem.ld_reduce.global.add.acc::f16.e5m2x4 %r3, [%d0+4];
            st.global.v4.u32 [%d1], {%r0, %r1, %r2, %r3};
            ret;
        }",
    );
    let mut device = Device::new();
    let loaded = loaded(&mut device, &text);
    let replicas = [0, 1, 2].map(|_| device.allocate(16, 16));
    let run = |device: &mut Device, contents: [[u32; 2]; 3]| {
        for (replica, words) in replicas.iter().zip(contents) {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            device.write(*replica, &bytes).unwrap();
        }
        let many = device.create_multicast(&replicas, 16).unwrap();
        let out = device.allocate(16, 16);
        let launch = Launch {
            arguments: vec![many.to_le_bytes().to_vec(), out.to_le_bytes().to_vec()],
            ..Launch::of("k")
        };
        run(device, &loaded, &launch, &Options::default()).map_err(|failure| failure.fault.message.clone())?;
        let bytes = device.read(out, 16).unwrap();
        let words = bytes.chunks_exact(4);
        Ok::<Vec<u32>, String>(words.map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect())
    };
    // e4m3: 16 + 1 is 17, which is halfway to 18; -448 + 0, NaN, 1 + 0.5 + 0.5. e5m2: 8 + 1 is 9, halfway to 10; infinity, -1 + 1, 2 + 2 + 2.
    let found = run(
        &mut device,
        [
            [0x387f_fe58, 0x40bc_7c48],
            [0x3038_0038, 0x403c_003c],
            [0x3038_0038, 0x4000_003c],
        ],
    );
    assert_eq!(found.unwrap(), [0x407f_fe58, 0x407f_fe59, 0x4600_7c48, 0x4600_7c49]);
    // 448 + 448 + 448.
    let found = run(&mut device, [[0x7e, 0]; 3]);
    assert_eq!(
        found.unwrap_err(),
        "what a sum beyond the largest number of e4m3 is, is not known"
    );
}

#[test]
fn multimem_addresses() {
    let text = module(
        ".visible .entry k(.param .u64 many, .param .u64 out) {
            .reg .b32 %r<20>; .reg .b64 %d<4>; .reg .f32 %f<8>;
            ld.param.u64 %d0, [many]; ld.param.u64 %d1, [out];
            multimem.ld_reduce.global.add.u32 %r0, [%d0]; multimem.ld_reduce.global.max.s32 %r1, [%d0+4];
            multimem.ld_reduce.global.add.f16x2 %r2, [%d0+8]; multimem.ld_reduce.global.add.acc::f32.f16x2 %r3, [%d0+8];
            st.global.v4.u32 [%d1], {%r0, %r1, %r2, %r3};
            mov.u32 %r4, 7; multimem.red.relaxed.gpu.global.add.u32 [%d0], %r4;
            mov.f32 %f0, 0f3f800000; mov.f32 %f1, 0f40000000; multimem.st.global.v2.f32 [%d0+16], {%f0, %f1};
            ret;
        }",
    );
    let mut device = Device::new();
    let loaded = loaded(&mut device, &text);
    let replicas = [device.allocate(32, 16), device.allocate(32, 16)];
    // 2048 + 1 is 2049, which f16 rounds to 2048; the second half is 1 + 2.
    let contents = [[10_u32, 5, 0x3c00_6800, 0], [20, 0xffff_ffff, 0x4000_3c00, 0]];
    for (replica, words) in replicas.iter().zip(contents) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        device.write(*replica, &bytes).unwrap();
    }
    let many = device.create_multicast(&replicas, 32).unwrap();
    let out = device.allocate(16, 16);
    let launch = Launch {
        arguments: vec![many.to_le_bytes().to_vec(), out.to_le_bytes().to_vec()],
        ..Launch::of("k")
    };
    run(&mut device, &loaded, &launch, &Options::default()).unwrap();
    let words = |device: &Device, address| -> Vec<u32> {
        let bytes = device.read(address, 16).unwrap();
        bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
            .collect()
    };
    assert_eq!(words(&device, out), [30, 5, 0x4200_6800, 0x4200_6800]);
    for (replica, first) in replicas.iter().zip([17, 27]) {
        assert_eq!(words(&device, *replica)[0], first);
        assert_eq!(words(&device, replica + 16)[..2], [0x3f80_0000, 0x4000_0000]);
    }
    let plain = Launch {
        arguments: vec![out.to_le_bytes().to_vec(), out.to_le_bytes().to_vec()],
        ..Launch::of("k")
    };
    let fault = run(&mut device, &loaded, &plain, &Options::default()).unwrap_err();
    assert_eq!(fault.fault.kind, FaultKind::AddressSpace);
}

#[test]
fn running_clusters_take_over_those_that_have_not_started() {
    // Every CTA marks the work it does; in all each piece is done exactly once.
    let text = kernel(
        ".shared .align 16 .b8 response[16]; .shared .align 8 .b64 barrier;
         mbarrier.init.shared.b64 [barrier], 1; mov.u32 %r1, %ctaid.x; mov.u32 %r5, 0;
         work: mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d0, %d1; red.global.add.u32 [%d1], 1;
         mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], 16;
         clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [response], [barrier];
         wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [barrier], %r5; @!%p1 bra wait;
         xor.b32 %r5, %r5, 1; ld.shared.b128 %q1, [response];
         clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q1; @!%p2 ret;
         clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r6, %r7, _}, %q1;
         clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r8, %q1;
         setp.ne.u32 %p3, %r1, %r8; @%p3 trap; bra work;",
    );
    assert_eq!(words(&text, 6000, (6000, 1)), vec![1; 6000]);
    let delayed = Options {
        delay_copies: true,
        ..Options::default()
    };
    assert_eq!(clustered(&text, &[0; 50], 50, 1, 1, &delayed).unwrap(), [1; 50]);
}
