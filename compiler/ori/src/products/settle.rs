//! Waits where something touches what is in flight, the marks of groups, and what waits give back.

use std::collections::{BTreeMap, BTreeSet};

use warpsmith_base::fault;
use warpsmith_sass::{FieldName as F, Flow, Opcode as O};

use super::{
    ENDS, Role, arrive, commit,
    flight::{Flight, Flights, Words, tuple, used},
    gather::gather,
    has_products, role, wait,
};
use crate::{
    ir::{Advice, BlockId, Effects, Function, Instruction, Register},
    phase::Context,
    select::Request,
};

/// An instruction's place: block and index.
type Place = (usize, usize);

/// What must be done before an instruction: end the group, and wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Before {
    commit: bool,
    left: u64,
}

/// What is found out of a function.
struct Settling<'f> {
    function: &'f Function,
    words: Words,
    entry: Vec<Option<Flights>>,
    /// Products that are waited for at once.
    serial: BTreeSet<Place>,
    waits: BTreeMap<Place, Before>,
    /// Why products are waited for at once, by where that shows.
    reasons: BTreeMap<Place, &'static str>,
}

/// Sees to it that nothing touches the registers of a product in flight.
pub(crate) fn settle(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    if !has_products(function) {
        return Ok(());
    }
    let (serial, waits, reasons, all_serial) = {
        let mut settling = Settling::of(function);
        if function.serial_products {
            settling.all_serial();
        }
        settling.solve();
        let all_serial = settling.products().all(|(place, _)| settling.serial.contains(&place));
        (settling.serial, settling.waits, settling.reasons, all_serial)
    };
    advise(function, &reasons, &waits);
    write_waits(function, context, &serial, &waits)?;
    mark_groups(function, all_serial);
    gather(function);
    write_arrivals(function, context)?;
    name_registers(function);
    Ok(())
}

impl<'f> Settling<'f> {
    fn of(function: &'f Function) -> Settling<'f> {
        Settling {
            words: Words::of(function),
            entry: vec![None; function.blocks.len()],
            serial: BTreeSet::new(),
            waits: BTreeMap::new(),
            reasons: BTreeMap::new(),
            function,
        }
    }

    fn products(&self) -> impl Iterator<Item = (Place, &'f Instruction)> {
        let blocks = self.function.blocks.iter().enumerate();
        let all = blocks.flat_map(|(block, code)| code.code.iter().enumerate().map(move |(at, i)| ((block, at), i)));
        all.filter(|(_, instruction)| role(instruction) == Role::Product)
    }

    fn all_serial(&mut self) {
        self.serial = self.products().map(|(place, _)| place).collect();
    }

    /// Follows what is in flight until nothing new is found, anew for each product that turns out to have to be waited for at once.
    fn solve(&mut self) {
        loop {
            let known = self.serial.len();
            self.entry.fill(None);
            self.waits.clear();
            self.flow();
            if self.serial.len() == known {
                return;
            }
        }
    }

    fn flow(&mut self) {
        let count = self.function.blocks.len();
        for first in 0..count {
            if self.entry[first].is_some() {
                continue;
            }
            self.entry[first] = Some(Flights::default());
            let mut work = BTreeSet::from([first]);
            // A wait that is put in ends more or less as the state before it changes, so that the end is not certain; the limit is far beyond what
            // any function needs.
            let mut left = 64 * count + 64;
            while let Some(block) = work.pop_first() {
                left -= 1;
                if left == 0 {
                    self.all_serial();
                    return;
                }
                let out = self.walk(block);
                for successor in self.function.successors(BlockId(block as u32)) {
                    let to = successor.0 as usize;
                    let changed = match &mut self.entry[to] {
                        Some(state) => state.join(&out),
                        none => {
                            *none = Some(out.clone());
                            true
                        }
                    };
                    if changed {
                        work.insert(to);
                    }
                }
            }
        }
    }

    /// What is in flight at a block's end.
    fn walk(&mut self, block: usize) -> Flights {
        let function = self.function;
        let mut state = self.entry[block].clone().unwrap_or_default();
        let mut together = false;
        for (at, instruction) in function.blocks[block].code.iter().enumerate() {
            let role = role(instruction);
            // These are executed by all threads of a warp together.
            together |= role != Role::Other && instruction.guard.is_none();
            self.waits.remove(&(block, at));
            let touched = state.conflicts(function, &self.words, instruction);
            if !touched.is_empty() {
                self.resolve((block, at), &touched, &mut state, together);
            }
            match role {
                Role::Product => {
                    if !self.serial.contains(&(block, at)) {
                        state.issue(function, &self.words, instruction);
                    }
                    if instruction.base.field(F::GroupScoreboard) == Some(ENDS) {
                        state.commit();
                    }
                }
                Role::Commit if instruction.guard.is_none() => state.commit(),
                Role::Wait(left) if instruction.guard.is_none() => {
                    state.wait(left);
                }
                Role::Commit | Role::Wait(_) | Role::Arrive | Role::Other => {}
            }
        }
        state
    }

    /// Waits for words before an instruction, or, where threads may be apart, makes their products ones that are waited for at once.
    fn resolve(&mut self, place: Place, touched: &[u32], state: &mut Flights, together: bool) {
        let instruction = &self.function.blocks[place.0].code[place.1];
        let reason = self.reason(instruction, touched, state);
        if !together {
            self.reasons.insert(place, reason);
            let products: Vec<Place> = self
                .products()
                .filter(|(_, product)| {
                    used(self.function, &self.words, product).any(|(word, _)| touched.contains(&word))
                })
                .map(|(place, _)| place)
                .collect();
            self.serial.extend(products);
            for word in touched {
                state.0.remove(word);
            }
            return;
        }
        let age = state.youngest(touched);
        let before = Before {
            commit: age == 0,
            left: u64::from(age.saturating_sub(1)),
        };
        if before.commit {
            state.commit();
        }
        state.wait(before.left);
        self.waits.insert(place, before);
    }

    fn reason(&self, instruction: &Instruction, touched: &[u32], state: &Flights) -> &'static str {
        let sums = touched
            .iter()
            .any(|word| state.0.get(word).is_some_and(|flight| flight.sums));
        if matches!(instruction.base.flow(), Flow::Call | Flow::Return) {
            return "a call or return comes before their wgmma.wait_group";
        }
        match (role(instruction), sums) {
            (Role::Product, _) => "another one uses their registers in another way before a wgmma.wait_group",
            (_, true) => "other instructions use their accumulators before a wgmma.wait_group",
            (_, false) => "other instructions write the registers of a left matrix before a wgmma.wait_group",
        }
    }
}

/// Tells why products do not overlap.
fn advise(function: &mut Function, reasons: &BTreeMap<Place, &'static str>, waits: &BTreeMap<Place, Before>) {
    if function.serial_products {
        // The first of them.
        let mut code = function.blocks.iter().flat_map(|block| &block.code);
        let first = code.find(|instruction| matches!(role(instruction), Role::Product));
        let place = first.map_or(0, |product| product.place);
        function.advice.push(Advice {
            place,
            message: format!(
                "Potential Performance Loss: wgmma.mma_async instructions are serialized in function '{}': its registers do not suffice to \
                 keep apart what products in flight use",
                function.name
            ),
        });
        return;
    }
    for (block, at) in waits.keys() {
        let place = function.blocks[*block].code[*at].place;
        function.advice.push(Advice {
            place,
            message: format!(
                "a wait for wgmma.mma_async is put in, in function '{}': registers that it uses are touched before a wgmma.wait_group",
                function.name
            ),
        });
    }
    for ((block, at), reason) in reasons {
        let place = function.blocks[*block].code[*at].place;
        function.advice.push(Advice {
            place,
            message: format!(
                "Potential Performance Loss: wgmma.mma_async instructions are serialized in function '{}': {reason}",
                function.name
            ),
        });
    }
}

/// An instruction at the place of another.
fn made(function: &mut Function, context: &Context<'_>, request: Request, place: u32) -> Result<Instruction, String> {
    let mut code = Vec::new();
    let made = context.selector.emit(function, &mut code, request);
    made.map_err(fault::internal)?;
    let mut instruction = code.pop().ok_or_else(|| fault::internal("no instruction was made"))?;
    instruction.place = place;
    Ok(instruction)
}

fn write_waits(
    function: &mut Function,
    context: &Context<'_>,
    serial: &BTreeSet<Place>,
    waits: &BTreeMap<Place, Before>,
) -> Result<(), String> {
    for block in 0..function.blocks.len() {
        let old = std::mem::take(&mut function.blocks[block].code);
        let mut code = Vec::with_capacity(old.len());
        for (at, instruction) in old.into_iter().enumerate() {
            let place = instruction.place;
            if let Some(before) = waits.get(&(block, at)) {
                if before.commit {
                    code.push(made(function, context, commit(), place)?);
                }
                code.push(made(function, context, wait(before.left), place)?);
            }
            code.push(instruction);
            if serial.contains(&(block, at)) {
                code.push(made(function, context, commit(), place)?);
                code.push(made(function, context, wait(0), place)?);
            }
        }
        function.blocks[block].code = code;
    }
    Ok(())
}

/// The last product before the end of a group ends it. Waits between may wait for it, too. Where each product is waited for at once, a group without one
/// counts for nothing: there is never another in flight.
fn mark_groups(function: &mut Function, all_serial: bool) {
    for block in &mut function.blocks {
        let mut last: Option<usize> = None;
        let mut gone = Vec::new();
        for at in 0..block.code.len() {
            match role(&block.code[at]) {
                Role::Product => last = Some(at),
                Role::Commit if block.code[at].guard.is_none() => {
                    let product = last.take();
                    let marked = product.and_then(|at| block.code[at].base.with_field(F::GroupScoreboard, ENDS));
                    if let (Some(product), Some(marked)) = (product, marked) {
                        block.code[product].base = marked;
                        gone.push(at);
                    } else if product.is_none() && all_serial {
                        gone.push(at);
                    }
                }
                Role::Commit => last = None,
                Role::Wait(_) | Role::Arrive | Role::Other => {}
            }
        }
        let mut index = 0;
        block.code.retain(|_| {
            index += 1;
            gone.binary_search(&(index - 1)).is_err()
        });
    }
}

/// An arrival before every product with registers that something else may have written since the last one in the block. It ends the group that it comes
/// into, and so does the end of a block, after which the next product has an arrival: ptxas never has one within a group, where PTX has it, either
/// (observed, 13.0.88). More groups than PTX has make waits that leave some in flight wait for more, never for less.
fn write_arrivals(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let words = Words::of(function);
    for block in 0..function.blocks.len() {
        let old = std::mem::take(&mut function.blocks[block].code);
        let mut code: Vec<Instruction> = Vec::with_capacity(old.len());
        let mut arrived = false;
        // The last arrival, as long as no product has come after it.
        let mut idle: Option<usize> = None;
        // The last product, as long as its group is open.
        let mut open: Option<usize> = None;
        let mut written: BTreeSet<u32> = BTreeSet::new();
        for instruction in old {
            match role(&instruction) {
                Role::Arrive if instruction.guard.is_none() => {
                    end_group(&mut code, open.take());
                    arrived = true;
                    idle = Some(code.len());
                    written.clear();
                }
                Role::Product | Role::Commit => {
                    let touched = used(function, &words, &instruction).any(|(word, _)| written.contains(&word));
                    let idle = idle.take();
                    if !arrived || touched {
                        // One that is too early for this product is of no use to any other.
                        idle.map(|at| code.remove(at));
                        end_group(&mut code, open.take());
                        code.push(made(function, context, arrive(), instruction.place)?);
                        arrived = true;
                        written.clear();
                    }
                    let ends = instruction.base.field(F::GroupScoreboard) == Some(ENDS);
                    open = (!ends).then_some(code.len());
                    // An arrival keeps all registers that it hands over where they are: where there is no room for that, each product has its own.
                    arrived &= !function.serial_products;
                }
                Role::Arrive | Role::Wait(_) | Role::Other => {
                    let writes = instruction
                        .touches()
                        .filter(|touch| touch.access != warpsmith_sass::Access::Read);
                    for touch in writes {
                        let first = words.number(touch.register, touch.word);
                        written.extend(first..first + u32::from(touch.words));
                    }
                }
            }
            code.push(instruction);
        }
        end_group(&mut code, open);
        function.blocks[block].code = code;
    }
    Ok(())
}

/// Has a product end its group.
fn end_group(code: &mut [Instruction], product: Option<usize>) {
    let product = product.and_then(|at| code.get_mut(at));
    if let Some((product, ends)) = product.and_then(|p| p.base.with_field(F::GroupScoreboard, ENDS).map(|e| (p, e))) {
        product.base = ends;
    }
}

/// What waits give back and what arrivals hand over, as registers that they read and write.
fn name_registers(function: &mut Function) {
    let given = {
        let mut settling = Settling::of(function);
        settling.flow();
        given_back(&settling)
    };
    for ((block, at), registers) in given {
        let whole = |register: Register, function: &Function| (register, function.info(register).words);
        let mut effects = Effects::default();
        for (register, sums) in registers {
            match sums {
                true => effects.writes.push(whole(register, function)),
                false => effects.reads.push(whole(register, function)),
            }
        }
        function.blocks[block].code[at].effects = Some(Box::new(effects));
    }
}

/// For each wait and arrival, the registers that it names, and whether as accumulators that it gives back.
fn given_back(settling: &Settling<'_>) -> BTreeMap<Place, BTreeMap<Register, bool>> {
    let (function, words) = (settling.function, &settling.words);
    let mut found: BTreeMap<Place, BTreeMap<Register, bool>> = BTreeMap::new();
    for (block, code) in function.blocks.iter().enumerate() {
        let mut state = settling.entry[block].clone().unwrap_or_default();
        let mut arrival: Option<usize> = None;
        let mut written: BTreeSet<u32> = BTreeSet::new();
        for (at, instruction) in code.code.iter().enumerate() {
            match role(instruction) {
                Role::Product => {
                    let own = tuple(words, instruction);
                    let adds = instruction.operands.iter().any(|operand| operand.field == F::Rc);
                    for (word, sums) in used(function, words, instruction) {
                        if let Some(arrival) = arrival.filter(|_| !sums || adds && !written.contains(&own)) {
                            let named = found.entry((block, arrival)).or_default();
                            named.entry(words.register(word)).or_insert(false);
                        }
                    }
                    written.insert(own);
                    state.issue(function, words, instruction);
                    if instruction.base.field(F::GroupScoreboard) == Some(ENDS) {
                        state.commit();
                    }
                }
                Role::Commit if instruction.guard.is_none() => state.commit(),
                Role::Wait(left) if instruction.guard.is_none() => {
                    for (word, Flight { sums, .. }) in state.wait(left) {
                        let named = found.entry((block, at)).or_default();
                        *named.entry(words.register(word)).or_insert(false) |= sums;
                    }
                }
                Role::Arrive if instruction.guard.is_none() => {
                    arrival = Some(at);
                    written.clear();
                }
                Role::Commit | Role::Wait(_) | Role::Arrive | Role::Other => {}
            }
        }
    }
    found
}

/// Puts each arrival right before its product, and what stands between a product and its wait behind the wait: with products that are waited for at once,
/// spilling finds no place between where it could give up or bring back their registers.
pub(crate) fn close_up(function: &mut Function) {
    for block in &mut function.blocks {
        let old = std::mem::take(&mut block.code);
        let code = &mut block.code;
        let mut arrival: Option<Instruction> = None;
        let mut later: Option<Vec<Instruction>> = None;
        for instruction in old {
            match role(&instruction) {
                Role::Product => {
                    code.extend(later.replace(Vec::new()).into_iter().flatten());
                    code.extend(arrival.take());
                    code.push(instruction);
                }
                Role::Wait(_) => {
                    code.push(instruction);
                    code.extend(later.take().into_iter().flatten());
                }
                Role::Commit => code.push(instruction),
                Role::Arrive if instruction.guard.is_none() => {
                    code.extend(later.take().into_iter().flatten());
                    code.extend(arrival.replace(instruction));
                }
                Role::Other if instruction.base.flow() == Flow::None && later.is_some() => {
                    later.get_or_insert_default().push(instruction);
                }
                Role::Other if instruction.base.flow() == Flow::None => code.push(instruction),
                Role::Arrive | Role::Other => {
                    code.extend(later.take().into_iter().flatten());
                    code.extend(arrival.take());
                    code.push(instruction);
                }
            }
        }
        code.extend(later.into_iter().flatten());
        code.extend(arrival);
    }
}

/// Registers that spilling must leave where they are: a product in flight uses them. Where each product is waited for at once, there is nothing between
/// ([`close_up`]).
pub(crate) fn held(function: &Function) -> Vec<bool> {
    let mut held = vec![false; function.registers.len()];
    if function.serial_products {
        return held;
    }
    for instruction in function.blocks.iter().flat_map(|block| &block.code) {
        if instruction.base.opcode() != O::Warpgroup {
            continue;
        }
        if let Some(effects) = &instruction.effects {
            for (register, _) in effects.reads.iter().chain(&effects.writes) {
                held[register.0 as usize] = true;
            }
        }
    }
    held
}
