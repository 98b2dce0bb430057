//! Loads of adjacent words of shared memory become one load of 64 or 128 bits.
//!
//! Only where the address is known to be aligned, which addresses of shared memory are that count from a variable's place by multiples; only weak loads of the
//! same block from the same address value, with nothing between them that writes memory or waits for others.

use rustc_hash::FxHashMap;
use warpsmith_sass::{FieldKind, FieldName, Opcode, RegisterClass};

use crate::{
    ir::{Block, Function, Instruction, Register},
    optimise::values::Values,
    phase::Context,
    select::{Request, Value},
};

/// Bits of an address that are looked at.
const ENOUGH: u32 = 4;
/// How far the computation of an address is followed.
const DEPTH: u32 = 12;

/// A load that may become part of a wider one.
#[derive(Clone, Copy, Debug)]
struct Load {
    index: usize,
    offset: i64,
    result: Register,
    /// The address register; `None`: the offset is the address.
    base: Option<Register>,
}

/// Merges loads.
pub(crate) fn vectorise(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let loads = |block: &Block| block.code.iter().filter(|i| may_load(i)).nth(1).is_some();
    if !function.blocks.iter().any(loads) {
        return Ok(());
    }
    let values = Values::of(function);
    let mut renamed: FxHashMap<Register, (Register, u8)> = FxHashMap::default();
    // What is known of values goes by the places of instructions and knows no new register: all groups are looked at first, and nothing is taken out before
    // the last is merged.
    let groups: Vec<(usize, Vec<Load>)> = (0..function.blocks.len())
        .flat_map(|block| {
            groups(function, &values, block)
                .into_iter()
                .map(move |group| (block, group))
        })
        .collect();
    let runs: Vec<(usize, Vec<Load>)> = groups
        .into_iter()
        .flat_map(|(block, group)| runs(function, &values, &group).into_iter().map(move |run| (block, run)))
        .collect();
    let mut removed: Vec<(usize, usize)> = Vec::new();
    for (block, run) in runs {
        merge(function, context, block, &run, &mut renamed, &mut removed);
    }
    if renamed.is_empty() {
        return Ok(());
    }
    removed.sort_unstable();
    let mut removed = &removed[..];
    for (block, code) in function.blocks.iter_mut().map(|block| &mut block.code).enumerate() {
        let here = removed.partition_point(|(of, _)| *of == block);
        let (own, rest) = removed.split_at(here);
        removed = rest;
        if own.is_empty() {
            continue;
        }
        let mut index = 0;
        code.retain(|_| {
            index += 1;
            own.binary_search(&(block, index - 1)).is_err()
        });
    }
    for instruction in function.blocks.iter_mut().flat_map(|block| &mut block.code) {
        for operand in &mut instruction.operands {
            if let Some((register, word)) = renamed.get(&operand.register) {
                (operand.register, operand.word) = (*register, *word);
            }
        }
    }
    Ok(())
}

/// Loads of a block that nothing stands between which they may not pass, by address register.
fn groups(function: &Function, values: &Values, block: usize) -> Vec<Vec<Load>> {
    let mut done: Vec<Vec<Load>> = Vec::new();
    let mut open: Vec<Vec<Load>> = Vec::new();
    for (index, instruction) in function.blocks[block].code.iter().enumerate() {
        if instruction.is_fence() || instruction.base.opcode().info().collective {
            done.append(&mut open);
            continue;
        }
        let Some(load) = load_of(function, values, instruction, index) else {
            continue;
        };
        match open.iter_mut().find(|group| group[0].base == load.base) {
            Some(group) => group.push(load),
            None => open.push(vec![load]),
        }
    }
    done.append(&mut open);
    done.retain(|group| group.len() > 1);
    done
}

/// Whether an instruction loads from shared memory, and may be left out for a wider one.
fn may_load(instruction: &Instruction) -> bool {
    instruction.base.opcode() == Opcode::Lds && instruction.marks.weak
}

fn load_of(function: &Function, values: &Values, instruction: &Instruction, index: usize) -> Option<Load> {
    let base = &instruction.base;
    let plain = may_load(instruction)
        && instruction.guard.is_none()
        && instruction.reference.is_none()
        && base.to_string().starts_with("LDS R");
    if !plain {
        return None;
    }
    let operand = |field: FieldName| instruction.operands.iter().find(|operand| operand.field == field);
    let result = operand(FieldName::Rd)?;
    let info = function.info(result.register);
    let mut uses = values.uses(values.word(result.register, 0)).iter();
    let named = uses.all(|used| values.instruction(function, *used).effects.is_none());
    let whole =
        info.words == 1 && info.class == RegisterClass::Gpr && values.are_values(result.register, 0, 1) && named;
    let (address, offset) = match base.form().name {
        "R_A" => {
            let scaled = !crate::select::printed(base, FieldName::Scale).is_empty();
            let address = operand(FieldName::Ra)?;
            let single = function.info(address.register).words == 1 && values.are_values(address.register, 0, 1);
            (
                Some(address.register).filter(|_| single && !scaled)?,
                signed(base, FieldName::Offset)?,
            )
        }
        "R_ABS" => {
            return whole.then_some(Load {
                index,
                offset: i64::try_from(base.field(FieldName::Address)?).ok()?,
                result: result.register,
                base: None,
            });
        }
        _ => return None,
    };
    whole.then_some(Load {
        index,
        offset,
        result: result.register,
        base: Some(address),
    })
}

/// The value of a signed field.
fn signed(base: &warpsmith_sass::Instruction, name: FieldName) -> Option<i64> {
    let length = base.form().field(name)?.bits.length();
    let unused = 64_u32.checked_sub(length)?;
    Some((base.field(name)? << unused) as i64 >> unused)
}

/// The runs of adjacent aligned words among loads.
fn runs(function: &Function, values: &Values, group: &[Load]) -> Vec<Vec<Load>> {
    let known = group[0]
        .base
        .map_or(ENOUGH, |base| zeros(function, values, base, 0, DEPTH));
    let mut found = Vec::new();
    if known < 3 {
        return found;
    }
    let mut loads = group.to_vec();
    loads.sort_by_key(|load| (load.offset, load.index));
    loads.dedup_by_key(|load| load.offset);
    let mut at = 0;
    while at < loads.len() {
        let run = |count: usize| {
            let part = loads.get(at..at + count)?;
            let aligned = known >= (4 * count as u32).trailing_zeros() && part[0].offset % (4 * count as i64) == 0;
            let adjacent = part.windows(2).all(|pair| pair[1].offset == pair[0].offset + 4);
            (aligned && adjacent).then_some(part)
        };
        let Some(part) = run(4).or_else(|| run(2)) else {
            at += 1;
            continue;
        };
        found.push(part.to_vec());
        at += part.len();
    }
    found
}

/// Makes one load of a run; `removed` gets the places of the others.
fn merge(
    function: &mut Function,
    context: &Context<'_>,
    block: usize,
    run: &[Load],
    renamed: &mut FxHashMap<Register, (Register, u8)>,
    removed: &mut Vec<(usize, usize)>,
) {
    if let Some(first) = run.iter().map(|load| load.index).min()
        && context.fuel.take()
        && let Some((wide, register)) = widened(function, &function.blocks[block].code[first].clone(), run)
    {
        let others = run.iter().map(|load| load.index).filter(|index| *index != first);
        removed.extend(others.map(|index| (block, index)));
        function.blocks[block].code[first] = wide;
        for (word, load) in (0_u8..).zip(run) {
            renamed.insert(load.result, (register, word));
        }
    }
}

/// The load of all words of a run.
fn widened(function: &mut Function, model: &Instruction, part: &[Load]) -> Option<(Instruction, Register)> {
    let mut wide = model.clone();
    let text = if part.len() == 4 { ".128" } else { ".64" };
    let FieldKind::Enumeration { set, .. } = &wide.base.form().field(FieldName::Size)?.kind else {
        return None;
    };
    let isa = wide.base.isa();
    let member = set.members.iter().find(|m| m.text == text && m.exists_on(isa))?;
    let base = wide.base.with_field(FieldName::Size, u64::from(member.value))?;
    let (field, length) = match part[0].base {
        Some(_) => (FieldName::Offset, base.form().field(FieldName::Offset)?.bits.length()),
        None => (FieldName::Address, base.form().field(FieldName::Address)?.bits.length()),
    };
    let mask = (1_u64 << length.min(63)) - 1;
    let base = base.with_field(field, part[0].offset as u64 & mask)?;
    // The word must still be of the form that the operands were made for.
    let decoded = warpsmith_sass::Instruction::decode(isa, base.word()).ok()?;
    if !std::ptr::eq(decoded.form(), model.base.form()) {
        return None;
    }
    wide.base = decoded;
    let register = function.register(RegisterClass::Gpr, part.len() as u8);
    let result = wide
        .operands
        .iter_mut()
        .find(|operand| operand.field == FieldName::Rd)?;
    (result.register, result.word) = (register, 0);
    Some((wide, register))
}

/// How many of the low bits of a word are known to be 0, up to [`ENOUGH`].
fn zeros(function: &Function, values: &Values, register: Register, word: u8, depth: u32) -> u32 {
    let definition = values.definition(values.word(register, word)).filter(|_| depth > 0);
    let Some(instruction) = definition.map(|number| values.instruction(function, number)) else {
        return 0;
    };
    let Some(request) = Request::of(instruction) else {
        return 0;
    };
    let of = |index: usize| -> u32 {
        match request
            .sources()
            .get(index)
            .map(|source| (source.value, source.inverted))
        {
            Some((Value::Zero, false)) => ENOUGH,
            Some((Value::Immediate(value), false)) => value.trailing_zeros().min(ENOUGH),
            Some((Value::Register(word), false)) if function.info(word.register).class == RegisterClass::Gpr => {
                zeros(function, values, word.register, word.word, depth - 1)
            }
            _ => 0,
        }
    };
    let immediate = |index: usize| match request.sources().get(index).map(|source| source.value) {
        Some(Value::Immediate(value)) => value,
        _ => 0,
    };
    let first_word = instruction
        .operands
        .iter()
        .any(|operand| operand.field == FieldName::Rd && operand.register == register && operand.word == word);
    if !first_word {
        return 0;
    }
    let found = match (request.opcode(), request.literals()) {
        (Opcode::Mov, "") => of(0),
        (Opcode::Iadd3, "") => of(0).min(of(1)).min(of(2)),
        (Opcode::Imad, "" | "WIDE") => (of(0) + of(1)).min(of(2)),
        (Opcode::Shf, _) if instruction.base.to_string().starts_with("SHF.L.U32 ") => of(0) + immediate(1).min(31),
        (Opcode::Lea, "") => (of(0) + immediate(2).min(31)).min(of(1)),
        // A conjunction with a mask.
        (Opcode::Lop3, "LUT") if immediate(3) & 0xff == 0xc0 => of(0).max(of(1)),
        _ => 0,
    };
    found.min(ENOUGH)
}
