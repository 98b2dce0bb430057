//! Predicates where more are live than there are: what was tested is tested again where it is needed next.
//!
//! Kernels that go over tiles test for each row whether it is inside, load the row under the predicate, and much later store it under the same. Dozens of
//! predicates are live then for seven registers. Allocation would keep them as bits of a general register, at two instructions for each to put it there and one
//! for each time that it is needed. Where what was tested is live anyway, the test is one instruction, and the scheduler, which comes before allocation, sees
//! predicates that live shortly. (ptxas 13.0.88 does so from sm_90 on.)
//!
//! A test is done again in its own block alone. Which predicates stay is decided as Belady does: those that are needed next.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use warpsmith_sass::{Access, Opcode, RegisterClass};

use super::{
    gather::{gather, sort_choices},
    number::is_pure,
    values::{Values, is_whole},
};
use crate::{
    allocate::touches::Touches,
    ir::{Function, Instruction, Register, Touch},
    liveness::Liveness,
    phase::Context,
    spill::again::computes,
};

/// Tests that must read a register for it to live longer than it does.
const MANY: usize = 4;

/// Instructions of a block from which on it is left as it is.
const LONGEST: usize = 1 << 14;

/// Tests again where blocks need more predicates than there are.
pub(super) fn retest(function: &mut Function, context: &Context<'_>) {
    let most = function.sm.info().registers.predicates.saturating_sub(1) as usize;
    let tests = |block: &usize| {
        let code = &function.blocks[*block].code;
        code.len() <= LONGEST && code.iter().filter(|one| is_test(one)).count() > most
    };
    let blocks: Vec<usize> = (0..function.blocks.len()).filter(tests).collect();
    if blocks.is_empty() {
        return;
    }
    let touches = Touches::of(function);
    let liveness = Liveness::of(function, &touches);
    let is_short = |block: &usize| {
        let is_predicate = |register| function.info(register).class == RegisterClass::Predicate;
        let live = live(function, &liveness, *block, is_predicate, &FxHashMap::default());
        live.into_iter().any(|live| live > most)
    };
    let short: Vec<usize> = blocks.into_iter().filter(is_short).collect();
    if short.is_empty() {
        return;
    }
    for block in &short {
        gather(function, *block, context);
        sort_choices(function, *block, context);
    }
    let values = Values::of(function);
    let plans: Vec<Vec<Again>> = short
        .iter()
        .map(|block| Tests::of(function, &values, &liveness, *block).plan(most))
        .collect();
    for (block, plan) in short.into_iter().zip(plans) {
        if !plan.is_empty() && context.fuel.take() {
            carry_out(function, block, plan);
        }
    }
}

/// Whether an instruction tests something that it would find the same wherever it stands.
fn is_test(instruction: &Instruction) -> bool {
    let known = matches!(
        instruction.base.opcode(),
        Opcode::Isetp | Opcode::Fsetp | Opcode::Plop3 | Opcode::Lop3
    );
    let mut writes = instruction.touches().filter(|touch| touch.access != Access::Read);
    let one = writes.next().is_some_and(|touch| touch.field.is_some()) && writes.next().is_none();
    known && one && is_whole(instruction) && is_pure(instruction) && instruction.reference.is_none()
}

/// A predicate that can be tested again.
#[derive(Clone, Debug)]
struct Test {
    register: Register,
    /// Where it is tested.
    at: usize,
    /// Where what is tested is computed, if that is to be done again, too.
    with: Option<usize>,
    /// Whether nothing else needs that.
    alone: bool,
    /// Where it is used, in order, each place once.
    uses: Vec<usize>,
}

/// The predicates of a block.
struct Tests {
    tests: Vec<Test>,
    /// For each instruction, those that it uses, and that which it tests.
    used: Vec<SmallVec<[usize; 2]>>,
    tested: Vec<Option<usize>>,
    /// For each instruction, how many others are live there.
    others: Vec<usize>,
}

/// A test that is done again: the place before which it is, and the test.
type Again = (usize, Test);

impl Tests {
    fn of(function: &Function, values: &Values, liveness: &Liveness, block: usize) -> Tests {
        let code = &function.blocks[block].code;
        let start = values.number(block, 0);
        let inside = |number: &u32| values.block_of(*number) == block;
        let place = |number: &u32| (number - start) as usize;
        let leaves: FxHashSet<u32> = liveness.out[block].iter().copied().collect();
        let is_predicate = |register: Register| function.info(register).class == RegisterClass::Predicate;
        // A word stays from one place to another if nothing writes it in between.
        let stays = |word: usize, from: usize, to: usize| {
            let written = values.definitions(word).iter().filter(|number| inside(number));
            !{ written }.any(|number| (from..=to).contains(&place(number)))
        };
        let mut readers: FxHashMap<Register, usize> = FxHashMap::default();
        for instruction in code.iter().filter(|instruction| is_test(instruction)) {
            for touch in instruction.touches().filter(|touch| touch.access == Access::Read) {
                *readers.entry(touch.register).or_default() += 1;
            }
        }
        let is_shared = |register: Register| readers.get(&register).is_some_and(|readers| *readers >= MANY);
        let mut tests: Vec<Test> = Vec::new();
        for (at, instruction) in code.iter().enumerate().filter(|(_, one)| is_test(one)) {
            let mut writes = instruction.touches().filter(|touch| touch.access != Access::Read);
            let Some(result) = writes.next().filter(|touch| is_predicate(touch.register)) else {
                continue;
            };
            let word = values.word(result.register, result.word);
            let all = values.uses(word);
            let local = !leaves.contains(&(word as u32)) && all.iter().all(inside);
            let Some(last) = all.last().filter(|_| local && values.is_value(word)).map(place) else {
                continue;
            };
            let lasts = |word: usize, from: usize| {
                let used = values.uses(word).iter().filter(|number| inside(number)).map(place);
                stays(word, from, last) && (leaves.contains(&(word as u32)) || { used }.any(|used| used >= last))
            };
            let mut with = None;
            let fits = instruction
                .touches()
                .filter(|touch| touch.access == Access::Read)
                .all(|touch| {
                    let word = values.word(touch.register, touch.word);
                    if touch.words != 1 || lasts(word, at) {
                        return touch.words == 1;
                    }
                    if is_shared(touch.register) {
                        return stays(word, at, last);
                    }
                    let Some(maker) = values.definition(word).filter(inside).map(|number| place(&number)) else {
                        return false;
                    };
                    let cheap = computes(code[maker].base.opcode()) && is_pure(&code[maker]);
                    let kept = code[maker].touches().all(|touch| match touch.access {
                        // A word of a pair would have to stay beside the other.
                        Access::Write => function.info(touch.register).words == 1,
                        Access::Read => touch.words == 1 && lasts(values.word(touch.register, touch.word), maker),
                        Access::ReadWrite => false,
                    });
                    cheap && kept && code[maker].reference.is_none() && with.replace(maker).is_none()
                });
            // What others are tested with stays.
            if !fits || is_shared(result.register) {
                continue;
            }
            let mut uses: Vec<usize> = all.iter().map(place).collect();
            uses.dedup();
            let alone = with.is_some_and(|maker: usize| {
                let mut writes = code[maker].touches().filter(|touch| touch.access != Access::Read);
                let needed = |touch: Touch| values.uses(values.word(touch.register, touch.word)).len();
                writes.next().map(needed) == Some(1) && writes.next().is_none()
            });
            tests.push(Test {
                register: result.register,
                at,
                with,
                alone,
                uses,
            });
        }
        let (mut used, mut tested) = (vec![SmallVec::new(); code.len()], vec![None; code.len()]);
        for (index, test) in tests.iter().enumerate() {
            tested[test.at] = Some(index);
            test.uses.iter().for_each(|at| used[*at].push(index));
        }
        // What is tested again reads its predicates up to its last use.
        let own: FxHashSet<Register> = tests.iter().map(|test| test.register).collect();
        let mut longest: FxHashMap<Register, usize> = FxHashMap::default();
        for test in &tests {
            let last = test.uses.last().copied().unwrap_or(test.at);
            for touch in code[test.at].touches().filter(|touch| touch.access == Access::Read) {
                let known = longest.entry(touch.register).or_default();
                *known = last.max(*known);
            }
        }
        let is_other = |register: Register| is_predicate(register) && !own.contains(&register);
        Tests {
            others: live(function, liveness, block, is_other, &longest),
            tests,
            used,
            tested,
        }
    }

    /// Which tests are done again where, so that no more than `most` predicates are live.
    fn plan(&self, most: usize) -> Vec<Again> {
        let mut plan: Vec<Again> = Vec::new();
        let mut present: Vec<usize> = Vec::new();
        // For each predicate, how many of its uses lie behind.
        let mut seen = vec![0; self.tests.len()];
        for at in 0..self.used.len() {
            for &used in &self.used[at] {
                if !present.contains(&used) {
                    plan.push((at, self.tests[used].clone()));
                    present.push(used);
                }
                seen[used] += 1;
            }
            let next = |test: usize| self.tests[test].uses.get(seen[test]).copied();
            let needed = |test: usize| self.used[at].contains(&test);
            let evict = |present: &mut Vec<usize>| {
                while self.others[at] + present.len() > most {
                    let far = present.iter().enumerate().filter(|(_, test)| !needed(**test));
                    match far.max_by_key(|(_, test)| (next(**test), **test)) {
                        Some((index, _)) => present.swap_remove(index),
                        None => break,
                    };
                }
            };
            evict(&mut present);
            present.retain(|test| next(*test).is_some());
            if let Some(test) = self.tested[at] {
                present.push(test);
                evict(&mut present);
            }
        }
        plan
    }
}

/// How many registers of some kind that a block touches are live at each of its instructions, or have just been written; some of them at least up to a place. What
/// only lives through the block goes elsewhere for free.
fn live(
    function: &Function,
    liveness: &Liveness,
    block: usize,
    counts: impl Fn(Register) -> bool,
    longest: &FxHashMap<Register, usize>,
) -> Vec<usize> {
    let code = &function.blocks[block].code;
    let leaves: FxHashSet<u32> = liveness.out[block].iter().copied().collect();
    let touched = code.iter().flat_map(Instruction::touches).map(|touch| touch.register);
    let is_live = |register: &Register| leaves.contains(&(liveness.word(*register, 0) as u32));
    let mut live: FxHashSet<Register> = touched.filter(|one| counts(*one) && is_live(one)).collect();
    let mut ends: Vec<(usize, Register)> = longest.iter().map(|(register, at)| (*at, *register)).collect();
    ends.sort_unstable();
    let mut found = vec![0; code.len()];
    for at in (0..code.len()).rev() {
        while let Some((_, register)) = ends.pop_if(|(end, _)| *end >= at) {
            if counts(register) {
                live.insert(register);
            }
        }
        let behind = live.len();
        let own = || code[at].touches().filter(|touch| counts(touch.register));
        for touch in own().filter(|touch| touch.access == Access::Write && is_whole(&code[at])) {
            live.remove(&touch.register);
        }
        live.extend(
            own()
                .filter(|touch| touch.access != Access::Write)
                .map(|touch| touch.register),
        );
        found[at] = live.len().max(behind);
    }
    found
}

/// Does tests again.
fn carry_out(function: &mut Function, block: usize, plan: Vec<Again>) {
    let old = std::mem::take(&mut function.blocks[block].code);
    // What is done again before all uses need not be done before.
    let mut moved: FxHashSet<usize> = FxHashSet::default();
    for (at, test) in plan.iter().filter(|(at, test)| test.uses.first() == Some(at)) {
        debug_assert!(*at > test.at);
        moved.insert(test.at);
        moved.extend(test.with.filter(|_| test.alone));
    }
    // What each predicate is at a place: itself, or the result of the last test before it.
    let mut now: FxHashMap<Register, Register> = FxHashMap::default();
    let mut code: Vec<Instruction> = Vec::with_capacity(old.len() + 2 * plan.len());
    let mut plan = plan.into_iter().peekable();
    for (at, instruction) in old.iter().enumerate() {
        while let Some((_, test)) = plan.next_if(|(place, _)| *place == at) {
            let mut names: FxHashMap<Register, Register> = FxHashMap::default();
            for from in test.with.into_iter().chain([test.at]) {
                let mut copy = old[from].clone();
                let results = old[from].touches().filter(|touch| touch.access != Access::Read);
                for touch in results {
                    let class = function.info(touch.register).class;
                    names.insert(touch.register, function.register(class, 1));
                }
                rename(&mut copy, &names);
                // What it reads may itself be the result of a test that is done here and not where it was.
                rename(&mut copy, &now);
                copy.place = instruction.place;
                code.push(copy);
            }
            now.extend(names.get(&test.register).map(|own| (test.register, *own)));
        }
        if !moved.contains(&at) {
            let mut instruction = instruction.clone();
            rename(&mut instruction, &now);
            code.push(instruction);
        }
    }
    function.blocks[block].code = code;
}

fn rename(instruction: &mut Instruction, names: &FxHashMap<Register, Register>) {
    let guard = instruction.guard.iter_mut().map(|guard| &mut guard.register);
    let operands = instruction.operands.iter_mut().map(|operand| &mut operand.register);
    for register in guard.chain(operands) {
        if let Some(own) = names.get(register) {
            *register = *own;
        }
    }
}
