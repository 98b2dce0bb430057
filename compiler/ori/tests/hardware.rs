//! What only a GPU showed: code that the emulator ran right and that an H100 did not.

mod support;

use support::words;
use warpsmith_sass::{Access, Flow, Instruction, RegisterClass};

/// Generations whose barriers do not wait by themselves for what is behind them.
const NEW: [&str; 8] = [
    "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120",
];

const START: &str = "
    .reg .u64 %d<8>; .reg .u32 %r<12>; .reg .pred %p<4>; .reg .f64 %g<8>; .reg .f32 %f<8>; .reg .b16 %h<8>;
    .shared .align 16 .b32 s[64];
    ld.param.u64 %d0, [out]; ld.param.u64 %d1, [in]; ld.param.u32 %r9, [n];
    cvta.to.global.u64 %d0, %d0; cvta.to.global.u64 %d1, %d1;
    mov.u32 %r0, %tid.x; mov.u32 %r1, s;
    ld.global.u32 %r2, [%d1]; ld.global.u32 %r3, [%d1+4];
";

fn compiled(target: &str, body: &str) -> Vec<Instruction> {
    words(target, 3, &format!("{START}{body}"))
}

fn named(code: &[Instruction], mnemonic: &str) -> Vec<usize> {
    (0..code.len()).filter(|at| code[*at].mnemonic() == mnemonic).collect()
}

/// Cycles from one instruction to a later one, the stall counts between them.
fn cycles(code: &[Instruction], from: usize, to: usize) -> u32 {
    code[from..to].iter().map(|i| u32::from(i.control().stall.max(1))).sum()
}

#[test]
fn nothing_starts_before_a_barrier_holds() {
    let body = "st.shared.u32 [%r1], %r2; bar.sync 0; ld.shared.u32 %r4, [%r1+4]; st.global.u32 [%d0], %r4; ret;";
    for target in NEW {
        let code = compiled(target, body);
        for at in named(&code, "BAR") {
            assert!(code[at].control().stall >= 6, "{target}: {code:?}");
        }
    }
}

#[test]
fn a_convergence_barrier_is_armed_before_threads_part() {
    let body = "setp.lt.u32 %p0, %r2, 7; @%p0 bra L; st.global.u32 [%d0], %r2; ld.volatile.global.u32 %r3, [%d1+8];
        L: st.global.u32 [%d0+8], %r3; ret;";
    for target in NEW {
        let code = compiled(target, body);
        for at in named(&code, "BSSY") {
            let branch = at
                + code[at..]
                    .iter()
                    .position(|i| i.flow() == Flow::Branch)
                    .expect("a branch");
            assert!(cycles(&code, at, branch) >= 4, "{target}: {code:?}");
        }
    }
}

/// Threads that spin are let past convergence barriers; a barrier of the block that they come to one after the other lets the first through.
#[test]
fn threads_that_may_spin_come_together_before_a_barrier() {
    let body = "L: atom.global.cas.b32 %r4, [%d0], 0, 1; setp.ne.u32 %p0, %r4, 0; @%p0 bra L;
        bar.sync 0; st.global.u32 [%d0+4], %r3; ret;";
    for target in NEW {
        let code = compiled(target, body);
        let [barrier] = named(&code, "BAR")[..] else {
            panic!("one barrier: {code:?}")
        };
        assert!(named(&code, "YIELD").len() == 1, "{target}: {code:?}");
        assert_eq!(code[barrier - 1].mnemonic(), "WARPSYNC", "{target}: {code:?}");
    }
}

#[test]
fn a_counted_loop_does_not_spin() {
    let body = "mov.u32 %r5, %r0; L: atom.shared.or.b32 %r4, [%r1], %r5; add.u32 %r5, %r5, 3; setp.lt.u32 %p0, %r5, %r9; @%p0 bra L;
        bar.sync 0; ld.shared.u32 %r6, [%r1]; st.global.u32 [%d0+4], %r6; ret;";
    for target in NEW {
        assert!(named(&compiled(target, body), "YIELD").is_empty(), "{target}");
    }
}

#[test]
fn what_acquires_is_done_before_the_cache_is_emptied() {
    let body = "atom.global.gpu.acq_rel.exch.b32 %r4, [%d0], %r2; ld.global.u32 %r5, [%d1+8]; add.u32 %r5, %r5, %r4;
        st.global.u32 [%d0+4], %r5; ret;";
    for target in NEW {
        let code = compiled(target, body);
        let [atomic] = named(&code, "ATOMG")[..] else {
            panic!("one atomic operation: {code:?}")
        };
        let scoreboard = code[atomic].control().write_scoreboard.expect("it has one");
        let caches = named(&code, "CCTL").into_iter().find(|at| *at > atomic);
        let waits = code[caches.expect("the cache is emptied")].control().wait_mask;
        assert!(waits >> scoreboard & 1 != 0, "{target}: {code:?}");
    }
}

#[test]
fn stores_are_done_before_tensor_copies_see_shared_memory() {
    let body = "st.shared.u32 [%r1], %r2; fence.proxy.async.shared::cta; bar.sync 0; st.global.u32 [%d0], %r2; ret;";
    let code = compiled("sm_90", body);
    let [fence] = named(&code, "MEMBAR")[..] else {
        panic!("one fence: {code:?}")
    };
    let scoreboard = code[fence].control().read_scoreboard.expect("it has one");
    assert!(code[fence + 1].control().wait_mask >> scoreboard & 1 != 0, "{code:?}");
}

#[test]
fn no_sum_negates_its_first_two_operands() {
    let body = "neg.s32 %r4, %r2; sub.u32 %r5, %r4, %r3; st.global.u32 [%d0], %r5;
        sub.u32 %r6, %r0, %r2; sub.u32 %r6, %r6, %r3; st.global.u32 [%d0+4], %r6; ret;";
    for target in NEW {
        for sum in compiled(target, body).iter().filter(|i| i.mnemonic() == "IADD3") {
            let text = sum.to_string();
            let mut operands = text.split(", ").skip(1).filter(|operand| !operand.contains('P'));
            let negated =
                [operands.next(), operands.next()].map(|operand| operand.is_some_and(|text| text.starts_with('-')));
            assert_ne!(negated, [true; 2], "{target}: {text}");
        }
    }
}

/// The distance from the last instruction of one mnemonic to the first of another that follows.
fn distance(target: &str, body: &str, from: &str, to: &str) -> u32 {
    let code = compiled(target, body);
    let to = named(&code, to)[0];
    let from = named(&code, from).into_iter().rfind(|at| *at < to);
    cycles(&code, from.unwrap_or_else(|| panic!("{code:?}")), to)
}

#[test]
fn members_of_a_group_that_need_more_get_it() {
    let half = "mov.b32 {%h0, %h1}, %r2; abs.f16 %h0, %h0; cvt.f32.f16 %f0, %h0; sqrt.approx.ftz.f32 %f1, %f0; st.global.f32 [%d0], %f1; ret;";
    let code = compiled("sm_90", half);
    let [first, second] = named(&code, "HADD2")[..] else {
        panic!("two: {code:?}")
    };
    assert!(cycles(&code, first, second) >= 5, "{code:?}");
    assert!(distance("sm_90", half, "HADD2", "MUFU") >= 5);

    let count = "mov.b32 {%h0, %h1}, %r2; mov.b32 {%h2, %h3}, %r3; setp.nan.f16 %p0, %h0, %h2; barrier.sync.aligned 0;
        bar.red.popc.u32 %r5, 1, %p0; st.global.u32 [%d0], %r5; ret;";
    let code = compiled("sm_90", count);
    let (set, all) = (named(&code, "HSETP2")[0], named(&code, "BAR"));
    let reduces = all.into_iter().rfind(|at| *at > set).expect("a barrier");
    assert!(cycles(&code, set, reduces) >= 13, "{code:?}");
}

/// `ELECT` gives the lane's number late: on an H100 it came over what was written to its register eight cycles after it, a descriptor.
#[test]
fn an_elected_lane_that_nobody_reads_is_not_written() {
    for target in ["sm_90", "sm_100", "sm_120"] {
        for unread in ["elect.sync _|%p0, -1;", "elect.sync %r4|%p0, -1;"] {
            let code = compiled(target, &format!("{unread} @%p0 st.global.u32 [%d0], %r2; ret;"));
            let at = named(&code, "ELECT")[0];
            assert!(code[at].to_string().contains(", URZ, PT"), "{target}: {}", code[at]);
        }
    }
}

/// A product of many columns takes a while to start.
#[test]
fn products_are_apart_by_their_columns() {
    for (columns, least) in [(64_u32, 4), (128, 12), (256, 28)] {
        let tuple: Vec<String> = (0..columns / 2).map(|at| format!("%x{at}")).collect();
        let product = format!(
            "wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.f16.f16 {{{}}}, %d4, %d5, 1, 1, 1, 0, 0;",
            tuple.join(", ")
        );
        let zeros: String = tuple.iter().map(|one| format!("mov.f32 {one}, 0f00000000;")).collect();
        let sums: String = tuple.iter().map(|one| format!("add.f32 %f0, %f0, {one};")).collect();
        let body = format!(
            ".reg .f32 %x<{}>; mov.f32 %f0, 0f00000000; mov.u64 %d4, 0x4000004000000000; mov.u64 %d5, 0x4000004000000080; {zeros}
            wgmma.fence.sync.aligned; {product} {product} {product} wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
            {sums} st.global.f32 [%d0], %f0; ret;",
            columns / 2
        );
        let code = compiled("sm_90a", &body);
        let [a, b, c] = named(&code, "HGMMA")[..] else {
            panic!("three products: {code:?}")
        };
        assert!(
            cycles(&code, a, b) >= least && cycles(&code, b, c) >= least,
            "{columns}: {code:?}"
        );
    }
}

/// What a group reads is computed before its first product, and handed over by one arrival. Where PTX has another within the group, it ends the group:
/// ptxas never has an arrival in one, and on an H100 attention's gradients with some ended in illegal instructions and addresses.
#[test]
fn no_group_of_products_is_open_at_an_arrival() {
    let product = |left: &str| {
        format!(
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f4, %f5, %f6, %f7}}, {{{left}}}, %d4, 1, 1, 1, 0;"
        )
    };
    let (first, second) = (product("%b4, %b5, %b6, %b7"), product("%b8, %b9, %b10, %b11"));
    let halves = |from: usize| -> String {
        (from..from + 4)
            .map(|at| format!("cvt.rn.f16x2.f32 %b{at}, %x{at}, %x{};", at + 1))
            .collect()
    };
    let (early, late) = (halves(4), halves(8));
    let loads: String = (4..13)
        .map(|at| format!("ld.global.f32 %x{at}, [%d0+{}];", 4 * at))
        .collect();
    for (arrival, groups) in [("", 1), ("wgmma.fence.sync.aligned;", 2)] {
        let body = format!(
            ".reg .f32 %x<13>; .reg .b32 %b<12>; {loads} mov.u64 %d4, 0x4000004000000000; wgmma.fence.sync.aligned; {early} {first} {late}
            {arrival} {second} wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
            st.global.v4.f32 [%d0], {{%f4, %f5, %f6, %f7}}; ret;"
        );
        let code = compiled("sm_90a", &body);
        let text: Vec<String> = code.iter().map(ToString::to_string).collect();
        let all = text
            .iter()
            .filter(|one| one.starts_with("HGMMA") || one.starts_with("WARPGROUP.ARRIVE"));
        let of_groups: Vec<&str> = all
            .map(|one| {
                if one.starts_with("WARP") {
                    "arrival"
                } else if one.contains("gsb0") {
                    "last"
                } else {
                    "first"
                }
            })
            .collect();
        let expected: &[&str] = match groups {
            1 => &["arrival", "first", "last"],
            _ => &["arrival", "last", "arrival", "last"],
        };
        assert_eq!(of_groups, expected, "{text:?}");
    }
}

/// The next block's first product has an arrival, so that a group ends with its block; one without products ends what PTX ends there. ptxas writes the same.
#[test]
fn a_group_of_products_ends_with_its_block() {
    let body = "mov.f32 %f4, 0f00000000; mov.f32 %f5, 0f00000000; mov.f32 %f6, 0f00000000; mov.f32 %f7, 0f00000000; mov.u32 %r4, 0;
        mov.u64 %d4, 0x4000004000000000; wgmma.fence.sync.aligned;
        again: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f4, %f5, %f6, %f7}, %d4, %d4, 1, 1, 1, 0, 0;
        add.u32 %r4, %r4, 1; setp.lt.u32 %p0, %r4, %r2; @%p0 bra again;
        wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; st.global.v4.f32 [%d0], {%f4, %f5, %f6, %f7}; ret;";
    let code = compiled("sm_90a", body);
    let products = named(&code, "HGMMA");
    assert_eq!(products.len(), 2, "{code:?}");
    assert!(
        products.iter().all(|at| code[*at].to_string().contains("gsb0")),
        "{code:?}"
    );
}

/// The words of a new barrier object are read late, and barriers wait until it is there.
#[test]
fn a_barrier_object_is_there_before_threads_use_it() {
    let body =
        "mbarrier.init.shared.b64 [%r1], 1; mbarrier.init.shared.b64 [%r1+8], 2; mbarrier.init.shared.b64 [%r1+16], 3;
        bar.sync 0; mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 16; st.global.u32 [%d0], %r2; ret;";
    for target in ["sm_90", "sm_100", "sm_120"] {
        let code = compiled(target, body);
        let starts: Vec<usize> = named(&code, "SYNCS")
            .into_iter()
            .filter(|at| code[*at].to_string().contains("EXCH"))
            .collect();
        assert_eq!(starts.len(), 3, "{target}: {code:?}");
        let [barrier] = named(&code, "BAR")[..] else {
            panic!("one barrier: {code:?}")
        };
        for at in starts {
            let control = code[at].control();
            let (done, read) = (control.write_scoreboard, control.read_scoreboard);
            let waits = |scoreboard: Option<u8>| {
                let scoreboard = scoreboard.unwrap_or_else(|| panic!("{target}: it has one: {code:?}"));
                let mut later = code[at + 1..=barrier].iter();
                later.any(|i| i.control().wait_mask >> scoreboard & 1 != 0)
            };
            assert!(waits(done), "{target}: {code:?}");
            assert!(read.is_some(), "{target}: {code:?}");
        }
    }
}

/// Not seen on a GPU, but in all of ptxas' code: from sm_90 on a barrier has yet to read the register that names it when the next instruction issues.
#[test]
fn a_barrier_has_read_its_number_before_that_is_overwritten() {
    let body = "mov.u32 %r4, %r2; L: barrier.cta.sync %r4, 64; add.u32 %r4, %r4, %r3; setp.lt.u32 %p0, %r4, %r9; @%p0 bra L; st.global.u32 [%d0], %r4; ret;";
    for target in ["sm_90", "sm_100", "sm_103", "sm_110", "sm_120"] {
        let code = compiled(target, body);
        let general = |i: &Instruction| {
            let mut registers = i.registers();
            registers
                .find(|one| one.class == RegisterClass::Gpr)
                .and_then(|one| one.number)
        };
        let mut overwritten = 0;
        for at in named(&code, "BAR") {
            let number = general(&code[at]).expect("a register");
            let writes = |i: &&Instruction| {
                let mut registers = i.registers();
                registers.any(|one| {
                    one.class == RegisterClass::Gpr && one.access != Some(Access::Read) && one.number == Some(number)
                })
            };
            if code[at + 1..].iter().any(|i| writes(&i)) {
                let read = code[at].control().read_scoreboard;
                assert!(read.is_some(), "{target}: {code:?}");
                overwritten += 1;
            }
        }
        assert!(overwritten > 0, "{target}: {code:?}");
    }
}

/// Threads that did not copy may go on first, and write the uniform registers that name the copy.
#[test]
fn a_copy_has_read_its_uniform_registers_before_other_threads_go_on() {
    let body = "setp.ne.u32 %p0, %r2, 0; @%p0 bra L;
        cp.async.bulk.global.shared::cta.bulk_group [%d0], [%r1], 64; cp.async.bulk.commit_group; bra M;
        L: st.global.u32 [%d0+64], %r2; M: st.global.u32 [%d0+128], %r3; ret;";
    for target in ["sm_90", "sm_100", "sm_120"] {
        let code = compiled(target, body);
        let [copy] = named(&code, "UBLKCP")[..] else {
            panic!("{target}: one copy: {code:?}")
        };
        let read = code[copy].control().read_scoreboard;
        let read = read.unwrap_or_else(|| panic!("{target}: it tells that it has read: {code:?}"));
        let waits = |i: &Instruction| i.control().wait_mask >> read & 1 != 0;
        let wait = copy + 1 + code[copy + 1..].iter().position(waits).expect("a wait");
        let leaves = |i: &Instruction| matches!(i.flow(), Flow::Branch | Flow::Converge);
        let end = copy + 1 + code[copy + 1..].iter().position(leaves).expect("an end");
        assert!(wait <= end, "{target}: {code:?}");
    }
}

#[test]
fn a_state_that_nobody_reads_is_not_written() {
    let body = "mbarrier.init.shared.b64 [%r1], 1; bar.sync 0; setp.eq.u32 %p0, %r0, 0;
        @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 16; mbarrier.arrive.shared.b64 %d2, [%r1]; st.global.u64 [%d0], %d2; ret;";
    for target in ["sm_90", "sm_100", "sm_120"] {
        let code = compiled(target, body);
        let arrivals: Vec<bool> = named(&code, "SYNCS")
            .into_iter()
            .map(|at| code[at].to_string())
            .filter(|text| text.contains("ARRIVE"))
            .map(|text| text.contains(" RZ, ["))
            .collect();
        assert_eq!(arrivals, [true, false], "{target}: {code:?}");
    }
}

/// A scoreboard counts no further than 63. All that a product adds to is waited for at once.
#[test]
fn no_scoreboard_stands_for_more_than_it_counts() {
    let names: Vec<String> = (0..128).map(|at| format!("%x{at}")).collect();
    let each = |one: &dyn Fn(usize) -> String| (0..128).map(one).collect::<String>();
    let loads = each(&|at| format!("ld.shared.f32 %x{at}, [%r1+{}];", 8 * at));
    let sums = each(&|at| format!("add.f32 %f0, %f0, %x{at};"));
    let body = format!(
        ".reg .f32 %x<128>; mov.f32 %f0, 0f00000000; mov.u64 %d4, 0x4000004000000000; {loads} wgmma.fence.sync.aligned;
        wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {{{}}}, %d4, %d4, 1, 1, 1, 0, 0;
        wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; {sums} st.global.f32 [%d0], %f0; ret;",
        names.join(", ")
    );
    let mut counts = [0; 6];
    for instruction in compiled("sm_90a", &body) {
        let control = instruction.control();
        for (scoreboard, count) in counts.iter_mut().enumerate() {
            if control.wait_mask >> scoreboard & 1 != 0 {
                *count = 0;
            }
            let sets = [control.write_scoreboard, control.read_scoreboard];
            *count += sets.iter().filter(|set| **set == Some(scoreboard as u8)).count();
            assert!(*count <= 63, "{instruction}");
        }
    }
}

/// Results that come late to uniform registers are there before threads end: afterwards these may be another warp's.
#[test]
fn nothing_comes_to_uniform_registers_after_the_end() {
    let body =
        ".reg .pred %p<2>; .reg .u32 %r<4>; .reg .u64 %d<4>; ld.param.u32 %r1, [n]; setp.lt.u32 %p0, %r1, 7; @%p0 exit;
        ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.global.u32 %r2, [%d2]; st.global.u32 [%d1], %r2; ret;";
    for target in ["sm_90", "sm_100", "sm_120"] {
        let code = words(target, 3, body);
        for (at, exit) in code.iter().enumerate().filter(|(_, i)| i.flow() == Flow::Exit) {
            for (from, one) in code.iter().enumerate().take(at) {
                let late = matches!(one.mnemonic(), "LDCU" | "S2UR")
                    .then(|| one.control().write_scoreboard)
                    .flatten();
                let Some(scoreboard) = late else { continue };
                let waits = code[from + 1..=at]
                    .iter()
                    .any(|i| i.control().wait_mask >> scoreboard & 1 != 0);
                assert!(waits, "{target}: {one} at {from} is not waited for by {exit} at {at}");
            }
        }
    }
}
