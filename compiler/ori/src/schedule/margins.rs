//! Distances that a member of a latency group needs beyond what the smallest of its group suggests.
//!
//! `isa-tables/timing.tbl` has, for groups of instructions, the smallest distance that ptxas left between any two of them. Some members need more: the
//! distances that ptxas leaves for these alone (`cargo xtask compare emulator distances` lists them), and what was seen to go wrong on an H100 without them. They are
//! for the scheduler; the checker of hazards, which ptxas' code must pass, keeps to the table.

use warpsmith_sass::{FieldName, LatencyGroup as Group, Opcode, Pipe, RegisterClass, Use};
use warpsmith_target::Isa;

use super::facts::Facts;

/// Which instructions a margin is for.
type Is = fn(&Facts) -> bool;

/// From the results of some instructions in a register file to a use as an operand, or, of uniform predicates, as a guard, too.
struct Margin {
    file: RegisterClass,
    producer: Is,
    consumer: Is,
    /// Cycles.
    least: u32,
}

const GPR: RegisterClass = RegisterClass::Gpr;
const UNIFORM: RegisterClass = RegisterClass::UniformGpr;
const UNIFORM_PREDICATE: RegisterClass = RegisterClass::UniformPredicate;

#[rustfmt::skip]
const MARGINS: &[Margin] = &[
    // On an H100, `HADD2` and `HADD2.F32` four cycles apart gave an old value; ptxas leaves five (129 of 212).
    Margin { file: GPR, producer: any, consumer: to_single, least: 5 },
    Margin { file: GPR, producer: to_single, consumer: any, least: 5 },
    // ptxas leaves four or five to `MUFU`, and five in chains behind loads; six to what makes more bits of fewer.
    Margin { file: GPR, producer: any, consumer: is_xu, least: 5 },
    Margin { file: GPR, producer: any, consumer: widens, least: 6 },
    Margin { file: GPR, producer: is_double, consumer: is_xu, least: 10 },
    // On an H100, `CS2R` and `DMUL` five cycles apart gave an old value; ptxas leaves nine (8 of 8).
    Margin { file: GPR, producer: is_cs2r, consumer: is_not_memory, least: 9 },
    Margin { file: GPR, producer: any, consumer: is_warpsync, least: 7 },
    Margin { file: GPR, producer: any, consumer: is_warpgroup_product, least: 10 },
    Margin { file: UNIFORM, producer: is_uniform, consumer: is_uldc, least: 12 },
    Margin { file: UNIFORM, producer: is_uniform, consumer: is_syncs, least: 12 },
    Margin { file: UNIFORM, producer: is_uniform, consumer: is_tensor_copy, least: 13 },
    // On an H100, `R2UR` and `UTMASTG` 13 cycles apart stored by the old tensor map; ptxas leaves sixteen and more.
    Margin { file: UNIFORM, producer: is_r2ur, consumer: is_tensor_copy, least: 18 },
    Margin { file: UNIFORM, producer: is_uldc, consumer: is_tensor_copy, least: 13 },
    Margin { file: UNIFORM, producer: is_elect, consumer: any, least: 13 },
    Margin { file: UNIFORM, producer: is_uldc, consumer: is_memory, least: 5 },
    // ptxas leaves six and seven (100 of some 340, 12 of some 490), where other operations have five.
    Margin { file: UNIFORM_PREDICATE, producer: is_voteu, consumer: is_for_tensor_memory, least: 6 },
    Margin { file: UNIFORM_PREDICATE, producer: is_voteu, consumer: is_copy_beside_tensor_memory, least: 7 },
];

/// The least distance from a result of fixed latency to a reader; 0 where nothing is known beyond the tables.
pub(super) fn least(producer: &Facts, file: RegisterClass, consumer: &Facts, used: Use) -> u32 {
    if used == Use::Guard && file != UNIFORM_PREDICATE || producer.word.isa().index() < Isa::Sm80.index() {
        return 0;
    }
    let fitting = MARGINS
        .iter()
        .filter(|margin| margin.file == file && (margin.producer)(producer) && (margin.consumer)(consumer));
    fitting.map(|margin| margin.least).max().unwrap_or(0)
}

/// The least distance from a result to another of the same register that comes sooner; 0 where nothing is known beyond the tables. (`ELECT` gives the lane's
/// number as late as its predicate, thirteen cycles on. On an H100 it overwrote the descriptor of a product that was written eight cycles after it; ptxas
/// writes it to `URZ`.)
pub(super) fn least_to_writer(first: &Facts, file: RegisterClass) -> u32 {
    match file == UNIFORM && is_elect(first) {
        true => 13,
        false => 0,
    }
}

fn any(_: &Facts) -> bool {
    true
}

/// Widening to single precision, in the pipe of packed half precision.
fn to_single(facts: &Facts) -> bool {
    let (name, widens) = (facts.word.form().name, facts.word.field(FieldName::Type) == Some(1));
    facts.word.opcode() == Opcode::Hadd2
        && (name.starts_with("F32.") || widens && facts.word.isa().index() < Isa::Sm86.index())
}

fn is_xu(facts: &Facts) -> bool {
    facts.timing.pipe == Pipe::Xu
}

/// Conversions of integers, and of single precision to double.
fn widens(facts: &Facts) -> bool {
    match facts.word.opcode() {
        Opcode::I2f => true,
        Opcode::F2f => facts.writes.len() == 2,
        _ => false,
    }
}

fn is_double(facts: &Facts) -> bool {
    facts.timing.pipe == Pipe::Fp64
}

fn is_cs2r(facts: &Facts) -> bool {
    facts.word.opcode() == Opcode::Cs2r
}

fn is_memory(facts: &Facts) -> bool {
    matches!(facts.timing.group, Group::Mem | Group::Atom)
}

fn is_not_memory(facts: &Facts) -> bool {
    !is_memory(facts)
}

fn is_warpsync(facts: &Facts) -> bool {
    facts.word.opcode() == Opcode::Warpsync
}

fn is_warpgroup_product(facts: &Facts) -> bool {
    facts.timing.group == Group::Gmma
}

fn is_uniform(facts: &Facts) -> bool {
    matches!(facts.timing.group, Group::Uniform | Group::Umov)
}

fn is_uldc(facts: &Facts) -> bool {
    facts.word.opcode() == Opcode::Uldc
}

fn is_elect(facts: &Facts) -> bool {
    facts.word.opcode() == Opcode::Elect
}

fn is_r2ur(facts: &Facts) -> bool {
    facts.word.opcode() == Opcode::R2ur
}

fn is_syncs(facts: &Facts) -> bool {
    facts.word.opcode() == Opcode::Syncs
}

fn is_tensor_copy(facts: &Facts) -> bool {
    facts.timing.group == Group::Tma
}

fn is_voteu(facts: &Facts) -> bool {
    facts.word.opcode() == Opcode::Voteu
}

/// Products of the fifth generation, and what goes with them.
fn is_for_tensor_memory(facts: &Facts) -> bool {
    facts.timing.group == Group::Tma && facts.timing.pipe == Pipe::Tensor
}

/// Copies by tensor maps on a generation that has tensor memory.
fn is_copy_beside_tensor_memory(facts: &Facts) -> bool {
    let isa = facts.word.isa().index();
    let has = (Isa::Sm100.index()..=Isa::Sm110.index()).contains(&isa);
    has && facts.timing.group == Group::Tma && facts.timing.pipe == Pipe::Tma
}
