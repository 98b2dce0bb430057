use super::*;
use crate::{Opcode, PlainText, forms, parse};

fn instruction(isa: Isa, text: &str) -> Instruction {
    parse(isa, text, &PlainText::default()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Cycles from the writer of a general register to its reader in operand `name`.
fn raw(isa: Isa, producer: &str, consumer: &str, name: FieldName) -> Option<u8> {
    raw_word(isa, producer, 0, consumer, Use::Operand { name, word: 0 })
}

fn raw_word(isa: Isa, producer: &str, word: u8, consumer: &str, at: Use) -> Option<u8> {
    let (producer, consumer) = (instruction(isa, producer), instruction(isa, consumer));
    raw_distance(&producer, RegisterClass::Gpr, word, &consumer, at).map(|d| d.cycles)
}

const ADD: &str = "IADD3 R0, R1, R2, R3";
const MULTIPLY_ADD: &str = "FFMA R4, R0, R5, R6";
const DOUBLE_ADD: &str = "DADD R4, R6, R8";

#[test]
fn an_integer_add_is_ready_after_four_cycles() {
    assert_eq!(raw(Isa::Sm90, ADD, "IADD3 R4, R0, R5, R6", FieldName::Ra), Some(4));
    // Another pipe is a cycle farther.
    assert_eq!(raw(Isa::Sm90, ADD, MULTIPLY_ADD, FieldName::Ra), Some(5));
    assert_eq!(raw(Isa::Sm90, MULTIPLY_ADD, "FADD R7, R4, R5", FieldName::Ra), Some(4));
}

#[test]
fn a_load_needs_a_scoreboard() {
    let load = instruction(Isa::Sm90, "LDG.E R4, desc[UR4][R2.64]");
    let timing = load.timing();
    assert_eq!(
        (timing.pipe, timing.latency, timing.evidence),
        (Pipe::Lsu, Latency::Scoreboard, Evidence::Observed)
    );
    assert!(timing.sets_write_scoreboard && timing.sets_read_scoreboard);
    // Its result has no distance; its sources are read late, but uniform ones at issue.
    assert_eq!(
        raw(
            Isa::Sm90,
            "LDG.E R4, desc[UR4][R2.64]",
            "FADD R7, R4, R5",
            FieldName::Ra
        ),
        None
    );
    let add = instruction(Isa::Sm90, ADD);
    assert_eq!(war_distance(&load, RegisterClass::Gpr, add.timing()), None);
    assert_eq!(war_distance(&load, RegisterClass::UniformGpr, add.timing()), Some(1));
    assert_eq!(war_distance(&add, RegisterClass::Gpr, add.timing()), Some(1));
}

#[test]
fn uniform_moves_are_done_before_the_operations_that_are_issued_with_them_read() {
    let war = |reader, writer| {
        let (reader, writer) = (instruction(Isa::Sm90, reader), instruction(Isa::Sm90, writer));
        war_distance(&reader, RegisterClass::UniformGpr, writer.timing())
    };
    let (add, other) = ("UIADD3 UR4, UR5, 0x1, URZ", "UIADD3 UR5, UR6, 0x1, URZ");
    assert_eq!(war(add, "UMOV UR5, UR6"), Some(3));
    assert_eq!(war(add, "ULDC UR5, c[0x0][0x210]"), Some(3));
    assert_eq!(war(add, other), Some(1));
    assert_eq!(war("UMOV UR4, UR5", "UMOV UR5, UR6"), Some(1));
}

#[test]
fn votes_are_done_before_what_is_issued_with_them_reads_a_uniform_predicate() {
    let (vote, compare) = ("VOTEU.ANY UP1, P4", "UISETP.EQ.U32.AND UP1, UPT, UR5, URZ, UPT");
    let war = |reader, writer| {
        let (reader, writer) = (instruction(Isa::Sm90, reader), instruction(Isa::Sm90, writer));
        war_distance(&reader, RegisterClass::UniformPredicate, writer.timing())
    };
    let choose = "USEL UR3, UR2, 0xffffffff, !UP1";
    assert_eq!(war(choose, vote), Some(2));
    assert_eq!(war(choose, compare), Some(1));
    // Guards are read at issue.
    let read_behind = |place| {
        instruction(Isa::Sm90, choose)
            .timing()
            .reads_behind(RegisterClass::UniformPredicate, place, Isa::Sm90)
    };
    assert!(!read_behind(Use::Guard));
    assert!(read_behind(Use::Operand {
        name: FieldName::UPp,
        word: 0
    }));
}

#[test]
fn matrix_operations_read_for_a_while() {
    let war = |isa, reader, writer| {
        let (reader, writer) = (instruction(isa, reader), instruction(isa, writer));
        war_distance(&reader, RegisterClass::Gpr, writer.timing())
    };
    let whole = "HMMA.16816.F32 R0, R4, R8, R0";
    assert_eq!(war(Isa::Sm80, whole, "MOV R4, R9"), Some(7));
    assert_eq!(war(Isa::Sm120, whole, "MOV R4, R9"), Some(8));
    assert_eq!(war(Isa::Sm100, whole, "MOV R4, R9"), Some(1));
    // What comes late anyway may be issued at once.
    assert_eq!(war(Isa::Sm80, whole, whole), Some(1));
    assert_eq!(war(Isa::Sm80, whole, "LDSM.16.M88.4 R4, [R9]"), Some(1));
    assert_eq!(
        war(Isa::Sm80, "HMMA.1684.F32.TF32 R0, R4, R8, R0", "MOV R4, R9"),
        Some(1)
    );
}

#[test]
fn double_precision_is_fixed_only_where_the_unit_is_wide() {
    let latency = |isa| instruction(isa, DOUBLE_ADD).timing().latency;
    assert_eq!(
        [latency(Isa::Sm90), latency(Isa::Sm100)],
        [Latency::Fixed, Latency::Fixed]
    );
    assert_eq!(
        [latency(Isa::Sm80), latency(Isa::Sm89)],
        [Latency::Scoreboard, Latency::Scoreboard]
    );
    assert_eq!(raw(Isa::Sm90, DOUBLE_ADD, "DADD R10, R4, R8", FieldName::Ra), Some(8));
    assert_eq!(raw(Isa::Sm89, DOUBLE_ADD, "DADD R10, R4, R8", FieldName::Ra), None);
}

#[test]
fn transcendental_functions_run_on_xu() {
    let timing = instruction(Isa::Sm75, "MUFU.RCP R0, R1").timing();
    assert_eq!((timing.pipe, timing.pipe_evidence), (Pipe::Xu, Evidence::Documented));
    assert_eq!(timing.latency, Latency::Scoreboard);
}

#[test]
fn matrix_distances_depend_on_shape() {
    let long = "HMMA.16816.F32 R4, R8, R12, R4";
    let short = "HMMA.1688.F32 R4, R8, R12, R4";
    assert_eq!(instruction(Isa::Sm80, long).timing().group, LatencyGroup::MmaLong);
    assert_eq!(instruction(Isa::Sm80, short).timing().group, LatencyGroup::MmaMid);
    let chain = |isa, text| raw(isa, text, "HMMA.16816.F32 R4, R8, R12, R4", FieldName::Rc);
    assert_eq!([chain(Isa::Sm80, long), chain(Isa::Sm80, short)], [Some(24), Some(16)]);
    assert_eq!([chain(Isa::Sm100, long), chain(Isa::Sm120, long)], [Some(20), Some(29)]);
    // All four registers of the result are ready together.
    let last = Use::Operand {
        name: FieldName::Ra,
        word: 0,
    };
    assert_eq!(raw_word(Isa::Sm80, long, 3, "FADD R20, R7, R7", last), Some(24));
    // Sparse operations of the same shape take the time of half the work; sm_75 waits for a scoreboard.
    let sparse = instruction(Isa::Sm80, "HMMA.SP.16816.F32 R4, R8, R12, R4, R16, 0x0");
    assert_eq!(sparse.timing().group, LatencyGroup::MmaMid);
    assert_eq!(instruction(Isa::Sm75, short).timing().latency, Latency::Scoreboard);
}

#[test]
fn address_and_descriptor_are_places_of_their_own() {
    let places = |isa, text| {
        let i = instruction(isa, text);
        i.registers()
            .filter(|r| r.number.is_some())
            .map(|r| (r.name, i.place(r.name, 0)))
            .collect::<Vec<_>>()
    };
    let store = "STG.E desc[UR4][R2.64], R6";
    assert_eq!(
        places(Isa::Sm90, store),
        [
            (FieldName::URc, Place::Descriptor),
            (FieldName::Ra, Place::Address),
            (FieldName::Rb, Place::Operand)
        ]
    );
    let load = places(Isa::Sm80, "LDS R0, [R2+UR4]");
    assert_eq!(
        load,
        [
            (FieldName::Rd, Place::Operand),
            (FieldName::Ra, Place::Address),
            (FieldName::URb, Place::Address)
        ]
    );
    // A descriptor was seen to take a loaded uniform register two cycles later; no other operand of a store was.
    let (uniform, store) = (
        instruction(Isa::Sm90, "ULDC.64 UR4, c[0x0][0x208]"),
        instruction(Isa::Sm90, store),
    );
    let at = |name| {
        raw_distance(
            &uniform,
            RegisterClass::UniformGpr,
            1,
            &store,
            Use::Operand { name, word: 1 },
        )
    };
    assert_eq!(at(FieldName::URc).map(|d| d.cycles), Some(2));
    assert_eq!(at(FieldName::Rb), None);
}

#[test]
fn the_upper_word_of_a_wide_addend_is_read_late() {
    let wide = "IMAD.WIDE R4, R6, R7, R8";
    let at = |word| Use::Operand {
        name: FieldName::Rc,
        word,
    };
    let alu = |word| raw_word(Isa::Sm90, ADD, 0, wide, at(word));
    assert_eq!([alu(0), alu(1)], [Some(5), Some(3)]);
    // The upper word of a result may be ready later than the lower one.
    let result = |word| {
        raw_word(
            Isa::Sm90,
            wide,
            word,
            ADD,
            Use::Operand {
                name: FieldName::Ra,
                word: 0,
            },
        )
    };
    assert_eq!([result(0), result(1)], [Some(3), Some(5)]);
}

#[test]
fn a_guard_is_read_at_issue_and_so_needs_more() {
    let compare = instruction(Isa::Sm90, "ISETP.GE.AND P0, PT, R2, R3, PT");
    let guarded = instruction(Isa::Sm90, "@P0 FADD R0, R1, R2");
    let guard = |consumer| raw_distance(&compare, RegisterClass::Predicate, 0, consumer, Use::Guard);
    assert_eq!(
        guard(&guarded).map(|d| (d.cycles, d.weak, d.observations)),
        Some((13, false, 21873))
    );
    // IMAD.HI takes its guard later still.
    assert_eq!(
        guard(&instruction(Isa::Sm90, "@P0 IMAD.HI R0, R1, R2, R3")).map(|d| d.cycles),
        Some(17)
    );
    let select = instruction(Isa::Sm90, "SEL R0, R1, R2, P0");
    let at = Use::Operand {
        name: FieldName::Pp,
        word: 0,
    };
    assert_eq!(
        raw_distance(&compare, RegisterClass::Predicate, 0, &select, at).map(|d| d.cycles),
        Some(4)
    );
}

#[test]
fn a_class_may_hang_on_a_printed_modifier() {
    let group = |isa, text| instruction(isa, text).timing().group;
    assert_eq!(group(Isa::Sm90, "IMAD R0, R1, R2, R3"), LatencyGroup::Fma);
    assert_eq!(group(Isa::Sm90, "IMAD.HI R0, R1, R2, R3"), LatencyGroup::Fmahi);
    assert_eq!(
        group(Isa::Sm120, "ISETP.GE.U64.AND P0, PT, R2, R4, PT"),
        LatencyGroup::Cmp64
    );
    assert_eq!(
        group(Isa::Sm120, "ISETP.GE.AND P0, PT, R2, R4, PT"),
        LatencyGroup::Aluflex
    );
    assert_eq!(group(Isa::Sm80, "HFMA2.MMA R0, R1, R2, R3"), LatencyGroup::Hmma16);
}

#[test]
fn an_unknown_pair_has_no_distance() {
    assert_eq!(
        raw(
            Isa::Sm80,
            "FSWZADD.NDV R0, R1, R2, PPPPPPPP",
            MULTIPLY_ADD,
            FieldName::Ra
        ),
        None
    );
    let no_register = raw_distance(
        &instruction(Isa::Sm90, ADD),
        RegisterClass::Barrier,
        0,
        &instruction(Isa::Sm90, MULTIPLY_ADD),
        Use::Guard,
    );
    assert_eq!(no_register, None);
}

#[test]
fn writers_of_one_register_keep_their_order() {
    let (add, multiply) = (instruction(Isa::Sm75, ADD), instruction(Isa::Sm75, MULTIPLY_ADD));
    let waw = |first, second| waw_distance(first, RegisterClass::Gpr, second).map(|d| d.cycles);
    assert_eq!(
        [waw(&add, &add), waw(&add, &multiply), waw(&multiply, &add)],
        [Some(4), Some(5), Some(5)]
    );
    assert_eq!(issue_interval(&add, &add).map(|d| d.cycles), Some(2));
    assert_eq!(issue_interval(&add, &multiply), None);
}

#[test]
fn rules_have_names() {
    assert_eq!(rule::SCOREBOARD_SET_TO_WAIT.number(), Some(2));
    assert_eq!(rule::SCOREBOARD_COUNT.number(), Some(6));
    assert_eq!(rule::STALL_LEGAL.value, RuleValue::Ranges(&[(0, 15), (17, 27)]));
    assert!(rule::TENSOR_WORDS.holds_on(Isa::Sm80) && !rule::TENSOR_WORDS.holds_on(Isa::Sm75));
}

#[test]
fn every_instruction_has_a_plain_class_on_each_generation() {
    for &isa in Isa::ALL {
        for form in forms(isa) {
            let opcode = form.opcode as usize;
            let plain = &CLASSES[usize::from(CLASS_START[opcode + 1]) - 1];
            assert!(
                !plain.conditional && usize::from(plain.timing[isa.index()]) < TIMINGS.len(),
                "{}",
                form.opcode.mnemonic()
            );
        }
    }
    assert_eq!(CLASS_START.len(), Opcode::all().count() + 1);
}
