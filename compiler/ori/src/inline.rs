//! Inlining of device functions, on lowered code.
//!
//! A call is replaced by a copy of the function where that is small, or where it is the only call. The registers in which the calling convention passes
//! arguments and results become ordinary ones, the same on both sides, so that nothing of the convention remains. The function's frame becomes a part of
//! the caller's.

use rustc_hash::FxHashMap;
use warpsmith_ptx::module::{Linkage, Module};
use warpsmith_sass::{Flow, Opcode as O, RegisterClass};

use crate::{
    ir::{Block, BlockId, CopiedCall, Effects, Function, Instruction, Origin, Register, SourcePlace},
    lower::plan::functions_in_data,
    phase::Context,
    select::{Request, SelectError, Value},
};

/// Instructions up to which a function is always copied.
const SMALL: usize = 48;
/// Instructions up to which a function is copied to its only call.
const LARGE: usize = 4_000;
/// Instructions above which nothing more is copied into a function.
const LIMIT: usize = 60_000;

/// The name by which [`Options::off`](crate::Options::off) switches it off.
pub(crate) const NAME: &str = "InlineFunctions";

/// A function with its source.
pub(crate) type Lowered<'m> = (&'m warpsmith_ptx::module::Function, Function);

fn size(function: &Function) -> usize {
    function.blocks.iter().map(|block| block.code.len()).sum()
}

/// The function that an instruction calls by name.
pub(crate) fn callee(instruction: &Instruction) -> Option<&str> {
    let reference = instruction.reference.as_deref()?;
    (instruction.base.flow() == Flow::Call && reference.origin == Origin::Symbol).then_some(reference.symbol.as_str())
}

/// The functions by name.
pub(crate) fn names(functions: &[Lowered<'_>]) -> FxHashMap<String, usize> {
    let numbered = functions.iter().enumerate();
    numbered
        .map(|(index, (_, function))| (function.name.clone(), index))
        .collect()
}

/// The functions that a function calls by name, each as often as it does.
pub(crate) fn callees<'f>(
    function: &'f Function,
    names: &'f FxHashMap<String, usize>,
) -> impl Iterator<Item = usize> + 'f {
    let code = function.blocks.iter().flat_map(|block| &block.code);
    code.filter_map(callee).filter_map(|name| names.get(name).copied())
}

/// Copies functions to where they are called. Gives for each function whether it is still needed.
pub(crate) fn calls(functions: &mut [Lowered<'_>], module: &Module, context: &Context<'_>) -> Vec<bool> {
    let mut kept = vec![true; functions.len()];
    let is_off = context.options.off.iter().any(|name| name == NAME);
    if context.options.level == 0 || is_off || functions.iter().all(|(_, function)| function.kernel) {
        return kept;
    }
    let names = names(functions);
    let order = bottom_up(functions, &names);
    let uses = uses(functions, &names);
    let mut references = uses.clone();
    let held = held(functions, module, context, &names);
    for caller in order {
        let mut budget = LIMIT.saturating_sub(size(&functions[caller].1));
        let mut chosen: FxHashMap<String, usize> = FxHashMap::default();
        let code = functions[caller].1.blocks.iter().flat_map(|block| &block.code);
        for name in code.filter_map(callee) {
            let Some(&index) = names.get(name).filter(|index| **index != caller) else {
                continue;
            };
            let function = &functions[index].1;
            let size = size(function);
            let wanted = size <= SMALL || uses[index] == 1 && size <= LARGE;
            if wanted && size <= budget && can_be_copied(function) && context.fuel.take() {
                budget -= size;
                chosen.insert(name.to_string(), index);
            }
        }
        if chosen.is_empty() {
            continue;
        }
        let taken = Function::new("", functions[caller].1.sm);
        let mut function = std::mem::replace(&mut functions[caller].1, taken);
        referenced(&function, &names).for_each(|index| references[index] -= 1);
        copy_into(&mut function, &chosen, functions, context);
        referenced(&function, &names).for_each(|index| references[index] += 1);
        functions[caller].1 = function;
        // Of a long chain of calls each function has those below it within: only the copies are still read.
        for index in chosen.into_values() {
            if references[index] == 0 && !held[index] {
                functions[index].1.blocks = Vec::new();
            }
        }
    }
    keep_needed(functions, module, &names, &mut kept);
    if context.options.object.relocatable {
        // Other files may call them.
        for (kept, (source, _)) in kept.iter_mut().zip(functions.iter()) {
            *kept |= source.linkage != Linkage::Internal;
        }
    }
    kept
}

/// How often each function is named.
fn uses(functions: &[Lowered<'_>], names: &FxHashMap<String, usize>) -> Vec<usize> {
    let mut uses = vec![0; functions.len()];
    for (_, function) in functions {
        referenced(function, names).for_each(|index| uses[index] += 1);
    }
    uses
}

/// The functions that the code of a function names, each as often as it does.
fn referenced<'f>(function: &'f Function, names: &'f FxHashMap<String, usize>) -> impl Iterator<Item = usize> + 'f {
    let code = function.blocks.iter().flat_map(|block| &block.code);
    let named = code.filter_map(|instruction| instruction.reference.as_deref());
    named.filter_map(|reference| names.get(&reference.symbol).copied())
}

/// The functions of which something besides code knows: kernels, those that data name, and those that other files may call.
fn held(
    functions: &[Lowered<'_>],
    module: &Module,
    context: &Context<'_>,
    names: &FxHashMap<String, usize>,
) -> Vec<bool> {
    let is_open = |source: &warpsmith_ptx::module::Function| {
        context.options.object.relocatable && source.linkage != Linkage::Internal
    };
    let mut held: Vec<bool> = functions
        .iter()
        .map(|(source, function)| function.kernel || is_open(source))
        .collect();
    in_data(module, names).for_each(|index| held[index] = true);
    held
}

/// The functions that data name.
fn in_data<'m>(module: &'m Module, names: &'m FxHashMap<String, usize>) -> impl Iterator<Item = usize> + 'm {
    functions_in_data(module)
        .into_iter()
        .filter_map(|id| module.functions.get(id.0 as usize))
        .filter_map(|function| names.get(module.names.get(function.name)).copied())
}

/// The functions in an order in which each comes after those that it calls, except in recursions.
pub(crate) fn bottom_up(functions: &[Lowered<'_>], names: &FxHashMap<String, usize>) -> Vec<usize> {
    let callees = |index: usize| -> Vec<usize> { callees(&functions[index].1, names).collect() };
    let mut order = Vec::new();
    let mut seen = vec![false; functions.len()];
    for root in 0..functions.len() {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut work = vec![(root, callees(root))];
        while let Some((index, left)) = work.last_mut() {
            match left.pop() {
                Some(next) if !seen[next] => {
                    seen[next] = true;
                    work.push((next, callees(next)));
                }
                Some(_) => {}
                None => {
                    order.push(*index);
                    work.pop();
                }
            }
        }
    }
    order
}

/// Whether a function's code may stand elsewhere.
fn can_be_copied(function: &Function) -> bool {
    if function.kernel || function.frame.is_some() || function.outgoing_bytes != 0 || !function.banks.is_empty() {
        return false;
    }
    let mut returns = 0;
    for instruction in function.blocks.iter().flat_map(|block| &block.code) {
        let reference = instruction.reference.as_deref();
        // Its arguments on the stack, or itself.
        if reference.is_some_and(|r| r.origin == Origin::Frame || r.symbol == function.name) {
            return false;
        }
        returns += usize::from(instruction.base.flow() == Flow::Return);
    }
    let ends = function.blocks.last().and_then(|block| block.code.last());
    returns == 1 && ends.is_some_and(|last| last.base.flow() == Flow::Return && last.guard.is_none())
}

/// Functions that kernels still call, or whose address something holds.
fn keep_needed(functions: &[Lowered<'_>], module: &Module, names: &FxHashMap<String, usize>, kept: &mut [bool]) {
    kept.fill(false);
    let kernels = (0..functions.len()).filter(|index| functions[*index].1.kernel);
    let mut work: Vec<usize> = kernels.chain(in_data(module, names)).collect();
    while let Some(index) = work.pop() {
        if std::mem::replace(&mut kept[index], true) {
            continue;
        }
        work.extend(referenced(&functions[index].1, names));
    }
}

/// Replaces the calls of the chosen functions.
fn copy_into(
    caller: &mut Function,
    chosen: &FxHashMap<String, usize>,
    functions: &[Lowered<'_>],
    context: &Context<'_>,
) {
    let old = std::mem::take(&mut caller.blocks);
    let mut blocks: Vec<Block> = Vec::with_capacity(old.len());
    let mut moved = Vec::with_capacity(old.len());
    // Blocks whose targets are those of the caller, as they were.
    let mut own = Vec::with_capacity(old.len());
    let mut bases: FxHashMap<&str, Result<Option<Register>, SelectError>> = FxHashMap::default();
    let mut entry = Vec::new();
    for mut block in old {
        moved.push(blocks.len() as u32);
        own.push(blocks.len());
        let name = block.code.last().and_then(callee);
        let found = name.and_then(|name| chosen.get_key_value(name));
        let found = found.map(|(name, index)| (name, &functions[*index].1));
        let Some((name, function)) = found.filter(|(_, function)| agree(caller, &block, function)) else {
            blocks.push(block);
            continue;
        };
        let base = bases
            .entry(name)
            .or_insert_with(|| frame_part(caller, function, context, &mut entry));
        let Ok(base) = *base else {
            blocks.push(block);
            continue;
        };
        let first = blocks.len() as u32 + 1;
        let copy = copied(caller, &mut block, function, base, first);
        blocks.push(block);
        blocks.extend(copy);
        caller.needs_addresses |= function.needs_addresses;
        caller.barriers = caller.barriers.max(function.barriers);
    }
    for index in own {
        for target in blocks[index].code.iter_mut().flat_map(Instruction::targets_mut) {
            target.0 = moved.get(target.0 as usize).copied().unwrap_or(target.0);
        }
    }
    if let Some(first) = blocks.first_mut() {
        first.code.splice(0..0, entry);
    }
    caller.blocks = blocks;
}

/// Whether caller and function agree on the registers of arguments and result.
fn agree(caller: &Function, block: &Block, function: &Function) -> bool {
    let Some(effects) = block.code.last().and_then(|call| call.effects.as_deref()) else {
        return false;
    };
    let key = |function: &Function, (register, words): &(Register, u8)| (function.info(*register).fixed, *words);
    let passed: Vec<_> = effects.reads.iter().map(|read| key(caller, read)).collect();
    let taken = function.arguments.iter();
    let arguments = taken.map(|register| (*register, function.info(*register).words));
    let results = results(function);
    arguments
        .map(|argument| key(function, &argument))
        .all(|argument| passed.contains(&argument))
        && effects.writes.iter().all(|write| {
            let mut given = results.reads.iter();
            given.any(|read| key(function, read) == key(caller, write))
        })
}

/// What the return of a function gives.
fn results(function: &Function) -> Effects {
    let last = function.blocks.last().and_then(|block| block.code.last());
    last.and_then(|last| last.effects.as_deref())
        .cloned()
        .unwrap_or_default()
}

/// The part of the caller's frame that is the function's.
fn frame_part(
    caller: &mut Function,
    function: &Function,
    context: &Context<'_>,
    entry: &mut Vec<Instruction>,
) -> Result<Option<Register>, SelectError> {
    if function.stack.is_none() {
        return Ok(None);
    }
    let stack = caller.frame_base();
    if function.frame_bytes == 0 {
        return Ok(Some(stack));
    }
    let offset = caller.frame_slot(function.frame_bytes, function.frame_alignment);
    if offset == 0 {
        return Ok(Some(stack));
    }
    let base = caller.register(RegisterClass::Gpr, 1);
    let request = Request::new(O::Iadd3).to(base).from(stack);
    let request = request.from(Value::Immediate(offset)).from(Value::Zero);
    context.selector.emit(caller, entry, request)?;
    Ok(Some(base))
}

/// The function's blocks for one call, which is taken out of its block. `first`: the number of the first of them.
fn copied(
    caller: &mut Function,
    block: &mut Block,
    function: &Function,
    base: Option<Register>,
    first: u32,
) -> Vec<Block> {
    let call = block.code.pop();
    let called_at = call.as_ref().map_or(0, |call| call.place);
    block.code.retain(|instruction| {
        let reference = instruction.reference.as_deref();
        !reference.is_some_and(|reference| reference.origin == Origin::Call)
    });
    let effects = call
        .and_then(|call| call.effects)
        .map(|effects| *effects)
        .unwrap_or_default();
    let map = renamed(caller, function, &effects, base);
    let stack = caller.stack_pointer();
    let places = caller.places.len() as u32;
    caller
        .kept_loops
        .extend(function.kept_loops.iter().map(|place| place + places));
    let outer = caller.calls.len() as u32;
    caller.calls.push(CopiedCall {
        function: function.name.clone(),
        place: called_at,
    });
    let inner = function.calls.iter().map(|call| CopiedCall {
        place: call.place + places,
        ..call.clone()
    });
    caller.calls.extend(inner);
    // The calls of the function follow the one to it.
    let copied_places = function.places.iter().map(|place| SourcePlace {
        call: outer + 1 + place.call,
        ..*place
    });
    caller.places.extend(copied_places);
    let mut blocks = function.blocks.clone();
    for instruction in blocks.iter_mut().flat_map(|block| &mut block.code) {
        instruction.place += places;
        for target in instruction.targets_mut() {
            *target = BlockId(target.0 + first);
        }
        if let Some(guard) = &mut instruction.guard {
            guard.register = map[guard.register.0 as usize];
        }
        for operand in &mut instruction.operands {
            operand.register = map[operand.register.0 as usize];
        }
        if let Some(effects) = &mut instruction.effects {
            let read = effects.reads.iter_mut().map(|(register, _)| register);
            for register in read.chain(effects.writes.iter_mut().map(|(register, _)| register)) {
                // Calls go on from the stack pointer itself, and not from the function's part of the frame.
                let is_stack = Some(*register) == function.stack;
                *register = if is_stack { stack } else { map[register.0 as usize] };
            }
        }
    }
    // The return: what follows the call comes next.
    if let Some(last) = blocks.last_mut() {
        last.code.pop();
    }
    blocks
}

/// The caller's register for each of the function's. Those of arguments and results are the same on both sides, and no longer fixed.
fn renamed(caller: &mut Function, function: &Function, effects: &Effects, base: Option<Register>) -> Vec<Register> {
    let mut map: Vec<Option<Register>> = vec![None; function.registers.len()];
    if let (Some(stack), Some(base)) = (function.stack, base) {
        map[stack.0 as usize] = Some(base);
    }
    let results = results(function);
    let pairs = [
        (&effects.reads[..], function.arguments.to_vec()),
        (
            &effects.writes[..],
            results.reads.iter().map(|(register, _)| *register).collect(),
        ),
    ];
    for (outside, inside) in pairs {
        for (register, _) in outside {
            let number = caller.info(*register).fixed;
            let own = inside.iter().find(|own| function.info(**own).fixed == number);
            if let Some(own) = own {
                map[own.0 as usize] = Some(*register);
            }
        }
    }
    let stack = caller.stack;
    for (register, _) in effects.reads.iter().chain(&effects.writes) {
        if Some(*register) != stack {
            caller.registers[register.0 as usize].fixed = None;
        }
    }
    // Registers of calls within the function stay fixed; what else was, for its own entry and return, is not.
    let mut inner = vec![false; function.registers.len()];
    let code = function.blocks.iter().flat_map(|block| &block.code);
    for effects in code
        .filter(|i| i.base.flow() == Flow::Call)
        .filter_map(|i| i.effects.as_deref())
    {
        for (register, _) in effects.reads.iter().chain(&effects.writes) {
            inner[register.0 as usize] = true;
        }
    }
    let mut found = Vec::with_capacity(map.len());
    for (index, place) in map.into_iter().enumerate() {
        found.push(place.unwrap_or_else(|| {
            let mut info = function.registers[index];
            if !inner[index] {
                info.fixed = None;
            }
            caller.registers.push(info);
            Register(caller.registers.len() as u32 - 1)
        }));
    }
    found
}
