//! Scheduling: the order of instructions, stall counts, scoreboards and reuse flags of compiled kernels.

mod support;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use support::{START, TARGETS, agree_body, agree_on, two_by_64, words, words_with};
use warpsmith_ori::Options;
use warpsmith_sass::{FieldName, Flow, Instruction, Latency, hazard::check_paths};

const TWO_LOADS: &str = "
    .reg .u64 %d<4>; .reg .u32 %r<8>;
    ld.param.u64 %d0, [out]; ld.param.u64 %d1, [in];
    cvta.to.global.u64 %d0, %d0; cvta.to.global.u64 %d1, %d1;
    ld.global.u32 %r0, [%d1];
    mul.lo.u32 %r2, %r0, 77;
    ld.global.u32 %r1, [%d1+64];
    add.u32 %r3, %r2, %r1;
    st.global.u32 [%d0], %r3;
    ret;";

const LOOP: &str = "
    .reg .u64 %d<6>; .reg .u32 %r<8>; .reg .pred %p<2>;
    ld.param.u64 %d0, [out]; ld.param.u64 %d1, [in];
    cvta.to.global.u64 %d0, %d0; cvta.to.global.u64 %d1, %d1;
    mov.u32 %r0, 0; mov.u32 %r1, 0;
    ld.global.u32 %r2, [%d1];
L:
    add.u32 %r1, %r1, %r2;
    ld.global.u32 %r2, [%d1+4];
    add.s64 %d1, %d1, 4;
    add.u32 %r0, %r0, 1;
    setp.lt.u32 %p0, %r0, 9;
    @%p0 bra L;
    st.global.u32 [%d0], %r1;
    ret;";

/// A load whose result is used on both sides of a branch.
const BRANCH: &str = "
    .reg .u64 %d<4>; .reg .u32 %r<8>; .reg .pred %p<2>;
    ld.param.u64 %d0, [out]; ld.param.u64 %d1, [in]; ld.param.u32 %r4, [n];
    cvta.to.global.u64 %d0, %d0; cvta.to.global.u64 %d1, %d1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2; add.s64 %d0, %d0, %d2;
    ld.global.u32 %r0, [%d1];
    setp.gt.u32 %p0, %r1, 17;
    @%p0 bra L;
    mad.lo.u32 %r2, %r0, 3, %r4;
    bra.uni M;
L:
    xor.b32 %r2, %r0, 0x1234;
    st.global.u32 [%d0+512], %r2;
M:
    st.global.u32 [%d0], %r2;
    ret;";

/// A sum of fixed latency whose block ends with two branches; it is used at once where the first leads.
const TWO_BRANCHES: &str = "
    .reg .u64 %d<6>; .reg .u32 %r<8>; .reg .f64 %f<4>; .reg .pred %p<4>;
    ld.param.u64 %d0, [out]; ld.param.u64 %d1, [in];
    cvta.to.global.u64 %d0, %d0; cvta.to.global.u64 %d1, %d1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 8; add.s64 %d1, %d1, %d2; add.s64 %d0, %d0, %d2;
    ld.global.f64 %f0, [%d1];
    mov.u32 %r2, 0;
L:
    add.u32 %r2, %r2, 1;
    setp.gt.u32 %p0, %r2, %r1;
    setp.lt.u32 %p1, %r2, 9;
    add.f64 %f0, %f0, %f0;
    @%p0 bra A;
    @%p1 bra L;
    bra.uni B;
A:
    mov.b64 %d3, %f0;
    xor.b64 %d3, %d3, 1;
    st.global.u64 [%d0], %d3;
    ret;
B:
    st.global.f64 [%d0], %f0;
    ret;";

fn is_load(instruction: &Instruction) -> bool {
    instruction.mnemonic() == "LDG"
}

#[test]
fn results_agree_with_the_interpreter() {
    for body in [TWO_LOADS, LOOP, BRANCH, TWO_BRANCHES] {
        agree_on(&TARGETS, "", body, &two_by_64());
    }
}

#[test]
fn no_way_through_the_code_has_a_hazard() {
    for target in TARGETS {
        for level in 0..=3 {
            for body in [TWO_LOADS, LOOP, BRANCH, TWO_BRANCHES] {
                let found = check_paths(&words(target, level, body), &[]);
                assert!(found.is_empty(), "{target} -O{level}: {:?}", found.first());
            }
        }
    }
}

#[test]
fn loads_that_do_not_depend_on_each_other_are_in_flight_together() {
    let code = words("sm_90", 3, TWO_LOADS);
    let loads: Vec<usize> = (0..code.len()).filter(|at| is_load(&code[*at])).collect();
    let [first, second] = loads[..] else {
        panic!("two loads: {code:?}")
    };
    let scoreboard = code[first].control().write_scoreboard.expect("a load has a scoreboard");
    let waited = code[first + 1..=second]
        .iter()
        .any(|i| i.control().wait_mask >> scoreboard & 1 != 0);
    assert!(!waited, "{code:?}");
}

#[test]
fn a_load_is_still_in_flight_behind_the_end_of_its_block() {
    let code = words("sm_90", 1, BRANCH);
    let load = code.iter().position(is_load).expect("a load");
    let branch = load
        + code[load..]
            .iter()
            .position(|i| i.flow() == Flow::Branch)
            .expect("a branch");
    let scoreboard = code[load].control().write_scoreboard.expect("a load has a scoreboard");
    let waited = code[load + 1..=branch]
        .iter()
        .any(|i| i.control().wait_mask >> scoreboard & 1 != 0);
    assert!(!waited, "{code:?}");
}

#[test]
fn without_optimisation_every_result_is_waited_for_at_once() {
    for target in TARGETS {
        let code = words(target, 0, BRANCH);
        for (at, instruction) in code.iter().enumerate() {
            if instruction.timing().latency != Latency::Scoreboard {
                continue;
            }
            let scoreboard = instruction.control().write_scoreboard.expect("it has a scoreboard");
            let next = &code[at + 1];
            assert!(next.control().wait_mask >> scoreboard & 1 != 0, "{target}: {next}");
        }
    }
}

#[test]
fn operands_that_are_read_again_at_once_are_reused() {
    // The factors of eight products are in pairs: some stand side by side in any order.
    let body = "
        .reg .u64 %d<4>; .reg .f32 %f<16>;
        ld.param.u64 %d0, [out]; ld.param.u64 %d1, [in];
        cvta.to.global.u64 %d0, %d0; cvta.to.global.u64 %d1, %d1;
        ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d1];
        mul.f32 %f4, %f0, %f1; mul.f32 %f5, %f0, %f2; mul.f32 %f6, %f0, %f3;
        st.global.f32 [%d0], %f4; st.global.f32 [%d0+4], %f5; st.global.f32 [%d0+8], %f6;
        ret;";
    let code = words("sm_90", 3, body);
    let flagged: Vec<&Instruction> = code
        .iter()
        .filter(|i| i.form().control.reuse_flags() != 0 && i.control().keep_issuing && i.control().reuse != 0)
        .collect();
    assert!(!flagged.is_empty(), "{code:?}");
    for instruction in flagged {
        assert!((1..=11).contains(&instruction.control().stall), "{instruction}");
    }
    agree_on(&TARGETS, "", body, &two_by_64());
}

#[test]
fn equal_input_gives_equal_code() {
    let words_of = || {
        words("sm_80", 3, BRANCH)
            .iter()
            .map(Instruction::word)
            .collect::<Vec<_>>()
    };
    assert_eq!(words_of(), words_of());
}

/// How many loads start before the first result of any is waited for, and between that and the next wait, and so on.
fn in_flight(code: &[Instruction]) -> Vec<usize> {
    let (mut set, mut loads) = (0, 0);
    let mut found = Vec::new();
    for instruction in code {
        let control = instruction.control();
        if control.wait_mask & set != 0 {
            found.push(loads);
            (set, loads) = (0, 0);
        }
        if is_load(instruction) {
            set |= control.write_scoreboard.map_or(0, |scoreboard| 1 << scoreboard);
            loads += 1;
        }
    }
    found
}

/// Where registers lack, those that there are hold what is in flight: eight sums of loads from rows whose addresses take most of them. (A sum went next as soon as it made
/// room, and waited for its two loads: 6 in flight, then 3, 3, 1, 1 and 2.)
#[test]
fn where_registers_are_short_results_are_waited_for_last() {
    let mut body =
        format!("{START} .reg .b64 %x<8>; .reg .b64 %y<8>; .reg .b64 %z<8>; .reg .f32 %a<8>; .reg .f32 %b<8>;");
    for i in 0..8 {
        let _ = write!(body, "mad.wide.u32 %x{i}, %r4, {}, %d2; ", 12 * i + 4);
        let _ = write!(body, "mad.wide.u32 %y{i}, %r5, {}, %d2; ", 20 * i + 4);
        let _ = write!(body, "mad.wide.u32 %z{i}, %r4, {}, %d1; ", 28 * i + 8);
    }
    body.push_str("mov.u32 %r10, 0; L: mul.wide.u32 %d10, %r10, 4; ");
    for i in 0..8 {
        let _ = write!(body, "add.u64 %d11, %x{i}, %d10; ld.global.f32 %a{i}, [%d11]; ");
        let _ = write!(
            body,
            "add.u64 %d12, %y{i}, %d10; ld.global.f32 %b{i}, [%d12]; add.f32 %a{i}, %a{i}, %b{i}; "
        );
    }
    for i in 0..8 {
        let _ = write!(body, "add.u64 %d13, %z{i}, %d10; st.global.f32 [%d13], %a{i}; ");
    }
    body.push_str("add.u32 %r10, %r10, %r3; setp.lt.u32 %p1, %r10, %r1; @%p1 bra L; ret;");
    let options = Options {
        maximum_registers: Some(64),
        ..Options::default()
    };
    let found = in_flight(&words_with("sm_90", &options, &body));
    assert!(found.first().is_some_and(|first| *first >= 8), "{found:?}");
}

/// Predicates that are live all along, as masks of tiles are, are no reason to hold loads back. (Where five were, what made room went first: 14 loads, then four times
/// 4, and 2.)
#[test]
fn where_predicates_are_short_loads_start_all_the_same() {
    let mut body = format!("{START} .reg .f32 %a<16>; .reg .f32 %b<16>;");
    for i in 0..16 {
        let _ = write!(
            body,
            "setp.lt.u32 %p{i}, %r4, {}; mov.f32 %a{i}, 0f00000000; mov.f32 %b{i}, 0f00000000; ",
            7 * i + 3
        );
    }
    for i in 0..16 {
        let _ = write!(
            body,
            "@%p{i} ld.global.f32 %a{i}, [%d6+{}]; @%p{i} ld.global.f32 %b{i}, [%d6+{}]; ",
            4 * i,
            4 * i + 512
        );
        let _ = write!(body, "add.f32 %a{i}, %a{i}, %b{i}; ");
    }
    for i in 0..16 {
        let _ = write!(body, "@%p{i} st.global.f32 [%d5+{}], %a{i}; ", 4 * i);
    }
    let found = in_flight(&words("sm_90", 3, &format!("{body} ret;")));
    assert!(found.len() <= 3, "{found:?}");
}

/// Sums of products, as a product of matrices without tiles in shared memory has them: each is inside or not, and adds what it loads only where it is.
fn products_inside(many: usize) -> String {
    let mut body = format!(
        "{START} .reg .pred %q<{many}>; .reg .f32 %s<{many}>; .reg .b16 %x<{many}>; .reg .b16 %y<{many}>; .reg .f32 %a<{many}>; .reg .f32 %b<{many}>;"
    );
    for i in 0..many {
        let _ = write!(
            body,
            "add.u32 %r10, %r4, {}; setp.lt.u32 %q{i}, %r10, %r1; mov.f32 %s{i}, 0f00000000; ",
            7 * i
        );
    }
    body.push_str(
        "mov.u32 %r11, 0; LOOP: mul.wide.u32 %d10, %r11, 2; add.u64 %d11, %d2, %d10; add.u64 %d12, %d6, %d10; ",
    );
    for i in 0..many {
        let _ = write!(
            body,
            "@!%q{i} bra N{i}; ld.global.u16 %x{i}, [%d11+{}]; ld.global.u16 %y{i}, [%d12+{}]; and.b16 %x{i}, %x{i}, 0x3bff; and.b16 %y{i}, %y{i}, 0x3bff;
             cvt.f32.f16 %a{i}, %x{i}; cvt.f32.f16 %b{i}, %y{i}; fma.rn.f32 %s{i}, %a{i}, %b{i}, %s{i}; N{i}: ",
            2 * i,
            64 + 2 * i
        );
    }
    body.push_str("add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 5; @%p1 bra LOOP; ");
    for i in 1..many {
        let _ = write!(body, "fma.rn.f32 %s0, %s0, 0f40000000, %s{i}; ");
    }
    body + "st.global.f32 [%d5], %s0; ret;"
}

/// What a way loads that became guarded, and what is made of it for nothing in the other threads, is live from the load to its use, not from one round of the loop to
/// the next. (CUTLASS' reference product for the device: each loaded word was in a register or in memory all the time, 460 accesses to local memory, and 0 now.)
#[test]
fn what_only_some_threads_load_is_not_carried_around_a_loop() {
    let options = Options {
        maximum_registers: Some(64),
        ..Options::default()
    };
    let body = products_inside(32);
    for target in ["sm_80", "sm_90a", "sm_120a"] {
        let words = words_with(target, &options, &body);
        let local = |word: &&Instruction| word.opcode().mnemonic() == "LDL";
        assert_eq!(words.iter().filter(local).count(), 0, "{target}");
    }
    agree_on(&TARGETS, "", &body, &two_by_64());
}

/// Predicates that only live through a loop, more than there are, are kept elsewhere in any order, and do not hold loads back.
#[test]
fn predicates_that_live_through_a_loop_do_not_hold_loads_back() {
    let body = products_inside(16);
    agree_on(&TARGETS, "", &body, &two_by_64());
    let found = in_flight(&words("sm_80", 3, &body));
    assert!(found.len() <= 4, "{found:?}");
}

/// A register that has just been read is not written again while others are free: the address of a store is still being read.
#[test]
fn addresses_of_stores_take_turns() {
    let mut body = START.to_string();
    for i in 0..8 {
        let _ = write!(
            body,
            "mad.wide.u32 %d{}, %r4, {}, %d1; st.global.u32 [%d{}], %r5; ",
            10 + i,
            12 * i + 4,
            10 + i
        );
    }
    let code = words("sm_80", 3, &format!("{body} ret;"));
    let stores = code.iter().filter(|instruction| instruction.mnemonic() == "STG");
    let addresses: BTreeSet<Option<u64>> = stores.map(|store| store.field(FieldName::Ra)).collect();
    assert!(addresses.len() >= 6, "{addresses:?}");
}

/// Copies, sums and shifts go to the multiplier in turns with the pipe of integers; what is carried, negative or wraps comes out the same.
#[test]
fn integers_go_to_two_pipes_in_turns() {
    let mut body = String::new();
    body.push_str("ld.global.u64 %d10, [%d6]; ld.global.u32 %r10, [%d6+8]; ld.global.u32 %r11, [%d6+12]; bar.sync 0;");
    for i in 0..6 {
        let _ = write!(
            body,
            "sub.u32 %r{}, %r10, %r{}; add.u32 %r{}, %r{}, %r11; shl.b32 %r{}, %r{}, {}; add.s32 %r{}, %r{}, -{};
            add.u64 %d{}, %d10, %d{}; sub.u64 %d{}, %d{}, %d4;",
            20 + i,
            4 + i % 2,
            30 + i,
            20 + i,
            40 + i,
            30 + i,
            i + 1,
            50 + i,
            40 + i,
            1000 * i + 7,
            20 + i,
            4 + i % 3,
            30 + i,
            20 + i,
        );
    }
    body.push_str("mov.u32 %r12, 0; mov.u64 %d12, 0;");
    for i in 0..6 {
        let _ = write!(
            body,
            "mad.lo.u32 %r12, %r12, 31, %r{}; xor.b32 %r12, %r12, %r{}; mad.lo.u64 %d12, %d12, 31, %d{}; xor.b64 %d12, %d12, %d{};",
            50 + i,
            30 + i,
            30 + i,
            20 + i,
        );
    }
    body.push_str("st.global.u32 [%d5], %r12; st.global.u64 [%d5+8], %d12;");
    agree_body(&body);
    let code = words("sm_90", 3, &format!("{START} {body} ret;"));
    let text: Vec<String> = code.iter().map(ToString::to_string).collect();
    for twin in ["IMAD.X", "IMAD.SHL.U32", "VIADD"] {
        assert!(text.iter().any(|line| line.contains(twin)), "{twin}: {text:#?}");
    }
}

/// What a thread keeps in local memory passes barriers: nobody else sees it.
#[test]
fn local_memory_passes_barriers() {
    let body = "
        .reg .u64 %d<4>; .reg .u32 %r<8>; .local .align 4 .b8 l[64]; .shared .align 4 .b32 s[64];
        ld.param.u64 %d0, [out]; ld.param.u32 %r0, [n]; mov.u32 %r1, %tid.x; mov.u32 %r2, l;
        and.b32 %r3, %r1, 15; shl.b32 %r3, %r3, 2; add.u32 %r2, %r2, %r3; st.local.u32 [%r2], %r0; mov.u32 %r6, s;
        ld.param.u64 %d1, [in]; ld.global.u32 %r7, [%d1]; st.shared.u32 [%r6], %r7; bar.sync 0; ld.local.u32 %r4, [%r2+4]; mul.lo.u32 %r4, %r4, %r4; mul.lo.u32 %r4, %r4, %r4; ld.shared.u32 %r5, [%r6]; add.u32 %r4, %r4, %r5;
        st.global.u32 [%d0], %r4; ret;";
    let code = words("sm_90", 3, body);
    let at = |mnemonic: &str| code.iter().position(|instruction| instruction.mnemonic() == mnemonic);
    assert!(at("LDL") < at("BAR"), "{code:?}");
}

/// A store's sources are still being read when the next round of its loop loads: whoever overwrites them waits for the store, not for those loads. (Both had the same
/// scoreboard: a loop of Floyd and Warshall's algorithm waited for each of its loads.)
#[test]
fn what_comes_round_a_loop_does_not_share_a_scoreboard_with_its_loads() {
    let body = format!(
        "{START} mov.u32 %r20, 0; L: ld.global.u32 %r21, [%d6]; mad.wide.u32 %d11, %r20, 4, %d6; ld.global.u32 %r22, [%d11]; add.u32 %r21, %r21, %r22;
        mad.wide.u32 %d12, %r20, 4, %d5; setp.lt.u32 %p1, %r21, %r22; @%p1 st.global.u32 [%d12], %r21; add.u32 %r20, %r20, %r6;
        setp.lt.u32 %p2, %r20, 9; @%p2 bra L; ret;"
    );
    for target in ["sm_80", "sm_90", "sm_120"] {
        let code = words(target, 3, &body);
        let first = code.iter().position(is_load).expect("a load");
        let mut stores = code[first..].iter().filter(|word| word.mnemonic() == "STG");
        let control = stores.next().expect("a store").control();
        let scoreboard = control.read_scoreboard.expect("its address is overwritten");
        let waits = |word: &Instruction| word.control().wait_mask >> scoreboard & 1 != 0;
        let before = code[first..].iter().take_while(|word| !waits(word));
        assert!(
            before
                .filter(|word| is_load(word))
                .all(|load| load.control().write_scoreboard != Some(scoreboard)),
            "{target}"
        );
    }
}

/// Bytes beside each other are different places: the loads of a move by one byte do not wait for its stores.
#[test]
fn loads_of_bytes_pass_stores_of_the_bytes_beside_them() {
    let mut body = format!("{START} ");
    for i in (0..4).rev() {
        let (to, register) = (i + 1, 10 + i);
        let _ = write!(
            body,
            "ld.global.u8 %r{register}, [%d5+{i}]; st.global.u8 [%d5+{to}], %r{register}; "
        );
    }
    let code = words("sm_80", 3, &format!("{body} ret;"));
    let memory: Vec<&str> = code
        .iter()
        .map(Instruction::mnemonic)
        .filter(|name| matches!(*name, "LDG" | "STG"))
        .collect();
    assert_eq!(memory, ["LDG", "LDG", "LDG", "LDG", "STG", "STG", "STG", "STG"]);
}
