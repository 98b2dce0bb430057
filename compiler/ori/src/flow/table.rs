//! Branches by a table of offsets.
//!
//! The table stands in constant bank 2: the index is scaled, the offset loaded, and `BRX` adds it to its own place, from which the instruction takes the
//! distance to the start of the function, so that offsets count from there (observed, ptxas 13.0.88, all generations; from two targets on). The bank is the
//! kernel's. Where the tables of a function that is called stand in it is known when all functions are compiled, and where those of a relocatable file stand
//! the linker knows: such a load is made with an index that is larger by [`TABLE_BIAS`] (ptxas does so in relocatable files). Where there is no room, comparisons
//! halve the targets instead.

use warpsmith_sass::{
    FieldName, Opcode, RegisterClass,
    tables::{Cmp, Combine},
};

use super::{
    layout,
    shape::{Branch, End, Node, Shape, Table},
};
use crate::{
    ir::{Function, Guard, Instruction, Operand, Origin, Reference, TABLE_BIAS},
    phase::Context,
    select::{Request, SelectError, Selector, Test, Value},
};

/// The constant bank of tables.
const BANK: u8 = 2;

/// Makes of each branch by a table what the function can have.
pub(crate) fn branches_by_table(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let mut code = function.blocks.iter().flat_map(|block| &block.code);
    if !code.any(|instruction| instruction.table.is_some()) {
        return Ok(());
    }
    let Some(mut shape) = Shape::take(function, context.selector) else {
        return Err("branches by address are not supported".to_string());
    };
    let is_placed = function.kernel && !context.options.object.relocatable;
    let room = function.table_bytes as usize;
    for node in 0..shape.nodes.len() {
        let End::Table(table) = &shape.nodes[node].end else {
            continue;
        };
        let table = table.clone();
        let size = function
            .banks
            .iter()
            .find(|(bank, _)| *bank == BANK)
            .map_or(0, |(_, bytes)| bytes.len());
        let outcome = match &table.targets[..] {
            [] => return Err("a branch by a table without targets is not supported".to_string()),
            [only] => {
                shape.nodes[node].end = End::Jump(*only);
                Ok(())
            }
            targets if size + 4 * targets.len() <= room => load_offset(
                function,
                &mut shape.nodes[node],
                table.clone(),
                is_placed,
                context.selector,
            ),
            targets => compare(function, &mut shape, node, (&table, 0, targets), context.selector),
        };
        outcome.map_err(|error| error.to_string())?;
    }
    layout::place(shape, function);
    Ok(())
}

/// The register of the index.
fn index(instruction: &Instruction) -> Option<Operand> {
    instruction
        .operands
        .iter()
        .find(|operand| operand.field == FieldName::Ra)
        .copied()
}

/// Loads the distance from the table, for which room is made in the bank.
fn load_offset(
    function: &mut Function,
    node: &mut Node,
    mut table: Table,
    is_placed: bool,
    selector: &Selector,
) -> Result<(), SelectError> {
    let Some(index) = index(&table.instruction) else {
        return Ok(());
    };
    if !function.banks.iter().any(|(bank, _)| *bank == BANK) {
        function.banks.push((BANK, Vec::new()));
    }
    let mut offset = 0;
    if let Some((_, bytes)) = function.banks.iter_mut().find(|(bank, _)| *bank == BANK) {
        offset = bytes.len().next_multiple_of(4);
        bytes.resize(offset + 4 * table.targets.len(), 0);
    }
    let scaled = function.register(RegisterClass::Gpr, 1);
    let distance = function.register(RegisterClass::Gpr, 2);
    let mut requests = vec![
        Request::new(Opcode::Shf)
            .to(scaled)
            .from(index.register.word(index.word))
            .from(Value::Immediate(2))
            .from(Value::Zero)
            .text(FieldName::Direction, "L")
            .text(FieldName::Type, "U32"),
    ];
    let load = Request::new(Opcode::Ldc).form("R_CR").to(distance.word(0));
    if is_placed {
        let place = load.number(FieldName::Bank, BANK.into());
        requests.push(place.number(FieldName::Offset, offset as u64).at(FieldName::Ra, scaled));
    } else {
        let biased = function.register(RegisterClass::Gpr, 1);
        let bias = Request::new(Opcode::Iadd3).to(biased).from(scaled);
        requests.push(bias.from(Value::Immediate(TABLE_BIAS)).from(Value::Zero));
        let reference = Reference {
            origin: Origin::Tables,
            symbol: String::new(),
            addend: offset as i64,
            high: false,
        };
        let place = load.number(FieldName::Bank, 0).number(FieldName::Offset, 0);
        requests.push(place.at(FieldName::Ra, biased).address(reference));
    }
    requests.push(Request::new(Opcode::Mov).to(distance.word(1)).from(Value::Zero));
    for request in requests {
        let start = node.code.len();
        selector.emit(function, &mut node.code, request)?;
        for made in &mut node.code[start..] {
            made.place = table.instruction.place;
        }
    }
    for operand in table
        .instruction
        .operands
        .iter_mut()
        .filter(|operand| operand.field == FieldName::Ra)
    {
        (operand.register, operand.word) = (distance, 0);
    }
    if let Some(named) = &mut table.instruction.table {
        named.offset = Some(offset as u32);
    }
    node.end = End::Table(table);
    Ok(())
}

/// Branches on comparisons with the middle of the targets, of which the first has this index.
fn compare(
    function: &mut Function,
    shape: &mut Shape,
    node: usize,
    (table, first, targets): (&Table, usize, &[usize]),
    selector: &Selector,
) -> Result<(), SelectError> {
    let Some(index) = index(&table.instruction) else {
        return Ok(());
    };
    if let [only, rest @ ..] = targets
        && rest.iter().all(|target| target == only)
    {
        shape.nodes[node].end = End::Jump(*only);
        return Ok(());
    }
    let (lower, upper) = targets.split_at(targets.len() / 2);
    let middle = first + lower.len();
    let below = function.register(RegisterClass::Predicate, 1);
    let request = Request::new(Opcode::Isetp)
        .sets(FieldName::Pu, below)
        .from(index.register.word(index.word))
        .from(Value::Immediate(middle as u32))
        .with(Cmp::Lt)
        .with(Combine::And)
        .flag(FieldName::U32, true)
        .when(FieldName::Pp, Test::ALWAYS);
    selector.emit(function, &mut shape.nodes[node].code, request)?;
    let mut instruction = shape.jump();
    instruction.guard = Some(Guard {
        register: below,
        negated: false,
    });
    instruction.place = table.instruction.place;
    let empty = |shape: &mut Shape| {
        shape.push(Node {
            code: Vec::new(),
            end: End::Stop,
        })
    };
    let (taken, other) = (empty(shape), empty(shape));
    shape.nodes[node].end = End::Branch(Branch {
        instruction,
        taken,
        other,
    });
    compare(function, shape, taken, (table, first, lower), selector)?;
    compare(function, shape, other, (table, middle, upper), selector)
}
