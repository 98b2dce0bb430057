//! Products of warpgroups: what stays in flight, where it is waited for, and that results are those of the interpreter.

mod support;

use support::agree_on;
use warpsmith_emu::Launch;
use warpsmith_ori::{compile_with_options, phase::Options};
use warpsmith_sass::{Instruction, Opcode, RegisterClass};

const TARGET: [&str; 1] = ["sm_90a"];

/// A tuple of registers.
fn tuple(prefix: &str, count: usize) -> String {
    let names: Vec<String> = (0..count).map(|index| format!("{prefix}{index}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// m64n16k16 of halves to eight f32.
fn product(sums: &str, left: &str, right: &str, adds: &str) -> String {
    let layouts = if left.starts_with('{') { "0" } else { "0, 0" };
    let sums = tuple(sums, 8);
    format!("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {sums}, {left}, {right}, {adds}, 1, 1, {layouts};\n")
}

const FENCE: &str = "wgmma.fence.sync.aligned;\n";
const COMMIT: &str = "wgmma.commit_group.sync.aligned;\n";

fn wait(left: u32) -> String {
    format!("wgmma.wait_group.sync.aligned {left};\n")
}

/// Fills shared memory with numbers from the input that are small halves, and makes descriptors of it; then what is given, and stores `%s0` to `%s7`.
fn kernel(middle: &str) -> String {
    let zeros: String = (0..8)
        .map(|i| format!("mov.f32 %s{i}, 0f00000000; mov.f32 %t{i}, 0f00000000;\n"))
        .collect();
    let stores: String = (0..8)
        .map(|i| format!("st.global.f32 [%o+{}], %s{i};\n", 4 * i))
        .collect();
    format!(
        ".shared .align 128 .b8 data[8192];
        .reg .f32 %s<8>; .reg .f32 %t<8>; .reg .f32 %x; .reg .b32 %a<8>; .reg .b32 %r<20>; .reg .b64 %o, %in, %d, %e, %p; .reg .pred %q, %z;
        ld.param.u64 %o, [out]; ld.param.u64 %in, [in]; ld.param.u32 %r9, [n]; mov.u32 %r0, %tid.x;
        mad.wide.u32 %o, %r0, 32, %o; mad.wide.u32 %in, %r0, 4, %in; mov.u32 %r1, data; shl.b32 %r2, %r0, 2; add.u32 %r2, %r1, %r2;
        mov.u32 %r3, 0;
        FILL: ld.global.u32 %r4, [%in]; and.b32 %r4, %r4, 0x03ff03ff; or.b32 %r4, %r4, 0x38003800; st.shared.u32 [%r2], %r4;
        add.u32 %r2, %r2, 512; add.u32 %r3, %r3, 1; setp.lt.u32 %q, %r3, 16; @%q bra FILL;
        ld.global.u32 %a0, [%in]; and.b32 %a0, %a0, 0x03ff03ff; or.b32 %a0, %a0, 0x38003800; mov.b32 %a1, %a0; mov.b32 %a2, %a0; mov.b32 %a3, %a0;
        fence.proxy.async; bar.sync 0;
        shr.u32 %r1, %r1, 4; cvt.u64.u32 %d, %r1; or.b64 %d, %d, 0x0000000800080000; add.s64 %e, %d, 128;
        {zeros}{middle}{stores}ret;"
    )
}

fn shape() -> Launch {
    Launch {
        block: [128, 1, 1],
        ..support::two_by_64()
    }
}

fn agree(middle: &str) {
    let launch = Launch {
        grid: [1, 1, 1],
        ..shape()
    };
    agree_on(&TARGET, "", &kernel(middle), &launch);
}

/// The machine code, and what is advised.
fn compiled(middle: &str) -> (Vec<Instruction>, Vec<String>) {
    let text = format!(
        ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{}\n}}\n",
        kernel(middle)
    );
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let sm: warpsmith_target::Sm = "sm_90a".parse().expect("a known target");
    let output = compile_with_options(&parsed.module, sm, &Options::default()).unwrap_or_else(|e| panic!("{}", e[0]));
    let advice = output.functions[0]
        .advice
        .iter()
        .map(|(_, text)| text.clone())
        .collect();
    let (section, _) = output.cubin.functions().next().expect("a function");
    let words = output.cubin.section_bytes(section).expect("code").chunks_exact(16);
    let code = words.map(|word| {
        let word = u128::from_le_bytes(word.try_into().expect("16 bytes"));
        Instruction::decode(sm.isa(), word).expect("an instruction")
    });
    (code.collect(), advice)
}

/// The products, arrivals and waits, as text.
fn pipeline(code: &[Instruction]) -> Vec<String> {
    let is_part = |instruction: &&Instruction| matches!(instruction.opcode(), Opcode::Hgmma | Opcode::Warpgroup);
    code.iter()
        .filter(is_part)
        .map(|instruction| instruction.to_string().trim().to_string())
        .collect()
}

/// A loop of two products a round.
fn round(left: u32) -> String {
    let (first, second) = (product("%s", "%d", "%e", "1"), product("%s", "%e", "%d", "1"));
    format!(
        "mov.u32 %r5, 0;\nROUND:\n{FENCE}{first}{second}{COMMIT}{}add.u32 %r5, %r5, 1; setp.lt.u32 %q, %r5, %r9; @%q bra ROUND;\n{}",
        wait(left),
        wait(0)
    )
}

#[test]
fn a_chain_over_rounds_stays_in_one_tuple() {
    let (code, advice) = compiled(&round(1));
    assert_eq!(advice, [""; 0]);
    let parts = pipeline(&code);
    assert_eq!(parts.len(), 5, "{parts:?}");
    assert_eq!(parts[0], "WARPGROUP.ARRIVE");
    assert!(
        parts[1].starts_with("HGMMA.64x16x16.F32 R") && !parts[1].ends_with("gsb0"),
        "{parts:?}"
    );
    assert!(parts[2].ends_with("gsb0"), "{parts:?}");
    assert_eq!(
        parts[3..],
        ["WARPGROUP.DEPBAR.LE gsb0, 0x1", "WARPGROUP.DEPBAR.LE gsb0, 0x0"]
    );
    let first = code
        .iter()
        .position(|i| i.opcode() == Opcode::Hgmma)
        .expect("a product");
    let last = code
        .iter()
        .rposition(|i| i.opcode() == Opcode::Warpgroup)
        .expect("a wait");
    let copies = code[first..last].iter().filter(|i| i.opcode() == Opcode::Mov).count();
    assert_eq!(copies, 0);
    agree(&round(1));
    agree(&round(0));
}

#[test]
fn two_tuples_take_turns() {
    let middle = format!(
        "{FENCE}{}{COMMIT}{}{COMMIT}{}{}{}{}",
        product("%s", "%d", "%e", "1"),
        product("%t", "%e", "%e", "1"),
        wait(1),
        (0..8)
            .map(|i| format!("mul.rn.f32 %s{i}, %s{i}, %s{i};\n"))
            .collect::<String>(),
        wait(0),
        (0..8)
            .map(|i| format!("add.f32 %s{i}, %s{i}, %t{i};\n"))
            .collect::<String>(),
    );
    assert_eq!(compiled(&middle).1, [""; 0]);
    agree(&middle);
}

#[test]
fn what_touches_a_product_in_flight_waits() {
    let left = tuple("%a", 4);
    let early = format!(
        "{FENCE}{}{COMMIT}add.f32 %s3, %s3, %s4;\n{}",
        product("%s", "%d", "%e", "1"),
        wait(0)
    );
    let open = format!(
        "{FENCE}{}add.f32 %s3, %s3, %s4;\n{COMMIT}{}",
        product("%s", "%d", "%e", "1"),
        wait(0)
    );
    let between = format!(
        "{FENCE}{}mov.f32 %s2, 0f3F800000;\n{}{COMMIT}{}",
        product("%s", "%d", "%e", "1"),
        product("%s", &left, "%e", "1"),
        wait(0)
    );
    let never = format!("{FENCE}{}{COMMIT}", product("%s", &left, "%e", "1"));
    for middle in [early, open, between, never] {
        let (_, advice) = compiled(&middle);
        assert_eq!(advice.len(), 1, "{advice:?}\n{middle}");
        agree(&middle);
    }
}

#[test]
fn a_left_matrix_may_change_when_its_copy_is_in_flight() {
    let middle = format!(
        "{FENCE}{}{COMMIT}mov.b32 %a1, 0x40004000;\n{}{COMMIT}{}",
        product("%s", &tuple("%a", 4), "%e", "1"),
        product("%s", &tuple("%a", 4), "%d", "1"),
        wait(0)
    );
    assert_eq!(compiled(&middle).1, [""; 0]);
    agree(&middle);
}

#[test]
fn signs_of_a_left_matrix_in_registers() {
    for (a, b) in [(1, -1), (-1, 1), (-1, -1)] {
        let product = product("%s", &tuple("%a", 4), "%e", "1").replace("1, 1, 0;", &format!("{a}, {b}, 0;"));
        agree(&format!("{FENCE}{product}{COMMIT}{}", wait(0)));
    }
}

#[test]
fn a_constant_condition_is_no_vote() {
    for (value, text) in [(0, "RZ, !UPT"), (1, "R")] {
        let condition = format!("mov.u32 %r6, {value}; setp.ne.u32 %z, %r6, 0;\n");
        let middle = format!(
            "{condition}{FENCE}{}{COMMIT}{}",
            product("%s", "%d", "%e", "%z"),
            wait(0)
        );
        let (code, _) = compiled(&middle);
        assert!(code.iter().all(|i| i.opcode() != Opcode::Voteu));
        let product = pipeline(&code)[1].clone();
        assert!(product.contains(&format!("], {text}")), "{product}");
        agree(&middle);
    }
}

/// Sums to which a product adds nothing are not carried from round to round for it. (They were copied, and kept through all of the loop, as long as the
/// condition was a register; in attention of ThunderKittens they took 32 registers, and as many went to memory.)
#[test]
fn sums_that_nothing_is_added_to_are_kept_for_nobody() {
    let halves: String = (0..8)
        .map(|i| format!("mul.f32 %t{i}, %t{i}, 0f3f000000; fma.rn.f32 %s{i}, %t{i}, %t{i}, %s{i};\n"))
        .collect();
    let middle = format!(
        "mov.u32 %r5, 0; mov.u32 %r6, 0;\nROUND:\nsetp.ne.u32 %z, %r6, 0;\n{FENCE}{}{COMMIT}{}{halves}
        add.u32 %r5, %r5, 1; setp.lt.u32 %q, %r5, %r9; @%q bra ROUND;\n",
        product("%t", "%d", "%e", "%z"),
        wait(0)
    );
    let (code, _) = compiled(&middle);
    let general = code.iter().flat_map(Instruction::registers);
    let general = general.filter(|register| register.class == RegisterClass::Gpr);
    // Two tuples, what is between them, and a counter. The copies made it 28.
    assert_eq!(
        general
            .filter_map(|register| register.number)
            .filter(|number| *number < 255)
            .max(),
        Some(21)
    );
    agree(&middle);
}

#[test]
fn products_share_the_vote_on_their_condition() {
    let (first, second) = (product("%s", "%d", "%e", "%z"), product("%s", "%e", "%d", "%z"));
    let middle = format!("setp.ne.u32 %z, %r9, 0;\n{FENCE}{first}{second}{COMMIT}{}", wait(0));
    let (code, _) = compiled(&middle);
    let count = |opcode| code.iter().filter(|i| i.opcode() == opcode).count();
    assert_eq!((count(Opcode::Hgmma), count(Opcode::Voteu)), (2, 1));
    agree(&middle);
    // Not where the predicate is another one by then.
    let middle = middle.replacen(&second, &format!("setp.gt.u32 %z, %r9, 2;\n{second}"), 1);
    let (code, _) = compiled(&middle);
    assert_eq!(code.iter().filter(|i| i.opcode() == Opcode::Voteu).count(), 2);
    agree(&middle);
}

#[test]
fn a_group_may_end_in_another_block() {
    let middle = format!(
        "setp.lt.u32 %q, %r9, 7;\n{FENCE}{}@%q bra SKIP;\n{}SKIP:\n{COMMIT}{}",
        product("%s", "%d", "%e", "1"),
        product("%s", "%e", "%e", "1"),
        wait(0)
    );
    let (code, _) = compiled(&middle);
    assert!(
        pipeline(&code)
            .iter()
            .any(|i| i.starts_with("HGMMA.64x8x16.F16 RZ, gdesc[URZ], RZ, !UPT, gsb0"))
    );
    agree(&middle);
}

/// Each product of a loop has a condition of its own, more of them than there are uniform predicates.
#[test]
fn conditions_of_many_products() {
    let mut middle = ".reg .pred %c<12>; mov.u32 %r6, 0;\n".to_string();
    for bit in 0..12 {
        middle += &format!("and.b32 %r5, %r9, {}; setp.ne.u32 %c{bit}, %r5, 0;\n", 1 << (bit % 8));
    }
    middle += &format!("LOOP: {FENCE}");
    for bit in 0..12 {
        middle += &product("%s", "%d", "%e", &format!("%c{bit}"));
    }
    middle += &format!(
        "{COMMIT}{} add.u32 %r6, %r6, 1; setp.lt.u32 %q, %r6, 3; @%q bra LOOP;\n",
        wait(0)
    );
    agree(&middle);
}

#[test]
fn products_for_which_there_is_no_room_are_done_one_by_one() {
    // Two tuples of 128 accumulators are more than a thread has registers.
    let names = |prefix: &str| tuple(prefix, 128);
    let product = |sums: &str| {
        format!(
            "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {}, %d, %d, 1, 1, 1, 0, 0;\n",
            names(sums)
        )
    };
    let mut middle = ".reg .f32 %u<128>; .reg .f32 %v<128>;\n".to_string();
    for index in 0..128 {
        middle += &format!("mov.f32 %u{index}, 0f00000000; mov.f32 %v{index}, 0f3f800000;\n");
    }
    middle += &format!(
        "{FENCE}{}{}{}{}{COMMIT}{}",
        product("%u"),
        product("%v"),
        product("%u"),
        product("%v"),
        wait(0)
    );
    for index in 0..128 {
        middle += &format!(
            "add.f32 %s{0}, %s{0}, %u{index}; add.f32 %s{0}, %s{0}, %v{index};\n",
            index % 8
        );
    }
    let (code, advice) = compiled(&middle);
    let arrivals = pipeline(&code).iter().filter(|text| text.contains("ARRIVE")).count();
    // Each product ends a group of its own; that of the program has none, and is gone.
    assert_eq!(arrivals, 4);
    assert!(!code.iter().any(|i| i.to_string().contains("64x8x16")), "{code:?}");
    assert!(
        advice.iter().any(|text| text.contains("its registers do not suffice")),
        "{advice:?}"
    );
    agree(&middle);
}

/// 256 sums do not fit: those that no product uses are in memory. They start from one constant, and what is stored is what is loaded again, not what each
/// product of a chain leaves.
#[test]
fn of_a_chain_of_products_the_last_sums_are_stored() {
    let zeros: String = (0..128)
        .map(|i| format!("mov.b32 %s{i}, %s0; mov.b32 %t{i}, %s0;\n"))
        .collect();
    let chain = |sums: &str| -> String {
        let product = format!(
            "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {}, %d, %d, 1, 1, 1, 0, 0;\n",
            tuple(sums, 128)
        );
        product.repeat(6)
    };
    let stores: String = (0..128)
        .map(|i| {
            format!(
                "st.global.f32 [%o+{}], %s{i}; st.global.f32 [%o+{}], %t{i};\n",
                4 * i,
                4 * i + 512
            )
        })
        .collect();
    let text = format!(
        ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 d) .reqntid 128 {{
        .reg .b32 %s<128>; .reg .b32 %t<128>; .reg .b64 %d, %o; .reg .b32 %r; .reg .pred %p;
        ld.param.u64 %o, [out]; ld.param.u64 %d, [d]; mov.b32 %r, 0; mov.b32 %s0, 0; setp.eq.u64 %p, %d, 0; @%p bra done;\n{zeros}
        again: {FENCE}{}{}{COMMIT}{}add.u32 %r, %r, 1; setp.lt.u32 %p, %r, 9; @%p bra again;\n{stores}done: ret;\n}}\n",
        chain("%s"),
        chain("%t"),
        wait(0)
    );
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let output = compile_with_options(&parsed.module, "sm_90a".parse().expect("a target"), &Options::default());
    let function = &output.unwrap_or_else(|errors| panic!("{}", errors[0])).functions[0];
    let bytes = (function.spill_store_bytes, function.spill_load_bytes);
    assert!(bytes.0 <= 2560 && bytes.1 <= 2560, "{bytes:?}");
}
