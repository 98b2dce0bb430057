//! Stall counts and scoreboards, over all ways through a function.
//!
//! What is in flight at the end of a block goes on into the blocks that follow: for each register the scoreboards that may still stand for it, and the
//! results of fixed latency with their ages. Where several ways meet, all of it holds, with the least ages. An instruction waits for a scoreboard only if
//! something it touches may hang on it.
//!
//! A scoreboard counts, so that several instructions may share one; who waits for one of them then waits for all. Each instruction gets a scoreboard of
//! its own while there are any, and else the one whose other users are waited for at about the same time. In a function with loops they are chosen twice: at
//! first what comes round a loop is not known; then what other blocks wait for keeps what it has, and all else is chosen around it.

mod kinds;
mod uses;

use std::collections::BTreeSet;

use smallvec::SmallVec;
use warpsmith_sass::{
    Awaiting, Builder, Control, Flow, Instruction as Word, Latency, Opcode, Orders, Rule, Tells, form,
    issue_interval_between, product_interval, rule,
};
use warpsmith_target::Isa;

use super::facts::{Facts, PLACES, Place, UNIFORM};
use crate::ir::{BlockId, Function, Instruction};
use kinds::{ELSEWHERE, queue};
use uses::{Uses, uses};

/// The longest stall of one instruction.
const LONGEST: i32 = 15;
/// The longest stall that keeps issuing from the warp.
const LONGEST_KEEPING: i32 = 11;
/// Ages beyond all distances.
const OLD: i32 = 48;
/// Cycles from the instruction that sets a scoreboard to one that waits for it.
const SET_TO_WAIT: i32 = number(rule::SCOREBOARD_SET_TO_WAIT);
/// No instruction.
const NONE: u32 = u32::MAX;
/// Cycles from the arrival of a warpgroup to a product.
const ARRIVAL_TO_PRODUCT: i32 = number(rule::ARRIVAL_TO_PRODUCT);
/// Cycles from where a convergence barrier is armed to where threads may part.
const ARMED_TO_BRANCH: i32 = number(rule::ARM_TO_BRANCH);
/// Instructions of a block that one scoreboard stands for at most.
const MOST_AT_A_TIME: i32 = number(rule::SCOREBOARD_HOLDS);
/// Guessed cycles by which the ends of instructions may differ that share a scoreboard without need.
const ALIKE: i32 = 40;
/// Guessed cycles from which on a result is wanted much later.
const DISTANT: i32 = 40;
/// A source that is read within a known time needs no scoreboard if so many instructions come before its next writer.
const FAR: u32 = 8;

/// The value of a rule of the timing table that is a number.
const fn number(rule: Rule) -> i32 {
    match rule.number() {
        Some(number) => number as i32,
        None => panic!("the rule has no number"),
    }
}

/// Sets the control words of a function with allocated registers, and adds the `NOP`s that are necessary. With `serial`, every instruction waits for
/// all before it.
///
/// # Errors
/// An instruction for which no word exists.
pub(super) fn set(function: &mut Function, serial: bool) -> Result<(), String> {
    let mut facts = Vec::with_capacity(function.blocks.len());
    for block in &function.blocks {
        let code = block.code.iter().map(|instruction| Facts::of(function, instruction));
        facts.push(code.collect::<Result<Vec<_>, _>>()?);
    }
    let successors: Vec<SmallVec<[usize; 2]>> = (0..function.blocks.len())
        .map(|block| {
            let next = function.successors(BlockId(block as u32));
            next.iter().map(|block| block.0 as usize).collect()
        })
        .collect();
    let mut walk = Walk::new(function.isa(), serial, &facts, &successors);
    walk.flow();
    if !serial && has_loops(&successors) {
        // What comes round a loop was not known when scoreboards were chosen for what it meets.
        walk.start_again();
        walk.flow();
    }
    let controls: Vec<Vec<Issue>> = (0..facts.len()).map(|block| walk.finish(block)).collect();
    for (block, issues) in function.blocks.iter_mut().zip(controls) {
        let mut old = std::mem::take(&mut block.code).into_iter();
        for issue in issues {
            let instruction = match issue.filler {
                Some(word) => Some(Instruction::plain(word)),
                None => old.next(),
            };
            block.code.extend(instruction.map(|instruction| Instruction {
                control: issue.control,
                ..instruction
            }));
        }
    }
    Ok(())
}

/// Whether some way leads back.
fn has_loops(successors: &[SmallVec<[usize; 2]>]) -> bool {
    let mut each = successors.iter().enumerate();
    each.any(|(block, next)| next.iter().any(|successor| *successor <= block))
}

/// An instruction as it issues: one of the block, in order, or one that fills time.
#[derive(Clone, Copy, Debug)]
struct Issue {
    control: Control,
    filler: Option<Word>,
}

/// A result of fixed latency in flight, or a source that is read late within a known time.
#[derive(Clone, Copy, Debug)]
struct Record {
    place: u16,
    /// The result, not the source.
    writes: bool,
    block: u32,
    at: u32,
    /// Which of the instruction's results or sources.
    operand: u8,
    /// The predicate that guards it has been written since.
    stale: bool,
    /// Cycle of issue; at the border of a block minus the age.
    issued: i32,
}

impl Record {
    fn key(&self) -> (u16, bool, u32, u32, u8) {
        (self.place, self.writes, self.block, self.at, self.operand)
    }
}

/// What may be in flight at a place.
#[derive(Clone, Debug)]
struct State {
    /// For each register, the scoreboards that may stand for its next value.
    writes: [u8; PLACES],
    /// For each register, the scoreboards that may stand for a read of it.
    reads: [u8; PLACES],
    /// For each register, the queues ([`queue`]) of what may still have to read it: what a load overwrites, those before it in its own queue have read.
    readers: [u8; PLACES],
    /// In order of their keys at the border of a block.
    records: Vec<Record>,
    /// The scoreboards that may stand for what the program waits for itself.
    waited_for: u8,
    /// The cycle at which each scoreboard was set last.
    set: [i32; 6],
    /// The first cycle at which another product of warpgroups may issue.
    next_product: i32,
    /// Scoreboards of fences: what comes next waits for them.
    fences: u8,
    /// Scoreboards of what is done in shared memory without a result: what puts things in order waits for them.
    effects: u8,
    /// Registers for whose next value one guarded instruction alone stands, in order, with the instruction.
    single: Vec<(u16, u32, u32)>,
}

impl State {
    fn empty() -> State {
        State {
            writes: [0; PLACES],
            reads: [0; PLACES],
            readers: [0; PLACES],
            records: Vec::new(),
            waited_for: 0,
            set: [-OLD; 6],
            next_product: -OLD,
            fences: 0,
            effects: 0,
            single: Vec::new(),
        }
    }

    /// All scoreboards in flight.
    fn busy(&self) -> u8 {
        // One table after the other, so that many registers are looked at at once.
        let all = |masks: &[u8]| masks.iter().fold(0, |all, mask| all | mask);
        self.waited_for | self.effects | all(&self.writes) | all(&self.reads)
    }

    /// Adds what another way leaves in flight; whether that changed anything.
    fn join(&mut self, other: &State) -> bool {
        let before = self.single.len();
        let (writes, single) = (&self.writes, &other.single);
        self.single
            .retain(|one| other.writes[usize::from(one.0)] == 0 || single.contains(one));
        let mut changed = self.single.len() != before || other.waited_for & !self.waited_for != 0;
        self.waited_for |= other.waited_for;
        changed |= other.next_product > self.next_product;
        self.next_product = self.next_product.max(other.next_product);
        changed |= other.fences & !self.fences != 0;
        self.fences |= other.fences;
        changed |= other.effects & !self.effects != 0;
        self.effects |= other.effects;
        for one in single.iter().filter(|one| writes[usize::from(one.0)] == 0) {
            if let Err(at) = self.single.binary_search(one) {
                self.single.insert(at, *one);
            }
        }
        let mut add = |own: &mut [u8], other: &[u8]| {
            let mut new = 0;
            for (own, other) in own.iter_mut().zip(other) {
                new |= other & !*own;
                *own |= other;
            }
            changed |= new != 0;
        };
        add(&mut self.writes, &other.writes);
        add(&mut self.reads, &other.reads);
        add(&mut self.readers, &other.readers);
        for (own, other) in self.set.iter_mut().zip(other.set) {
            changed |= other > *own;
            *own = other.max(*own);
        }
        for record in &other.records {
            match self.records.binary_search_by_key(&record.key(), Record::key) {
                Ok(at) => {
                    let own = &mut self.records[at];
                    changed |= record.issued > own.issued || record.stale && !own.stale;
                    own.issued = own.issued.max(record.issued);
                    own.stale |= record.stale;
                }
                Err(at) => {
                    self.records.insert(at, *record);
                    changed = true;
                }
            }
        }
        changed
    }
}

/// The scoreboards that an instruction sets.
#[derive(Clone, Copy, Debug, Default)]
struct Sets {
    write: Option<u8>,
    read: Option<u8>,
}

/// What hangs on a scoreboard, in guessed cycles.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    busy: bool,
    /// It is only thought to be in flight at the block's start, and to be waited for where it is wanted.
    guessed: bool,
    /// Something of it takes long.
    long: bool,
    /// Instructions of the block that set it since it was waited for.
    count: i32,
    ready: i32,
    wanted: i32,
}

/// What a scoreboard is to tell of, in guessed cycles.
#[derive(Clone, Copy, Debug)]
struct Event {
    now: i32,
    ready: i32,
    wanted: i32,
}

impl Event {
    fn is_long(&self) -> bool {
        self.ready - self.now >= LONG
    }
}

/// Cycles from which on something takes long: what comes from memory, not what other pipes compute, nor when sources have been read.
const LONG: i32 = 100;

/// Scoreboards that what takes long leaves to the rest, as long as it can share others. Whoever waits for the address of a load to be read would wait for what
/// another load brings. (ptxas 13.0.88 keeps two apart, too.)
const KEPT: usize = 2;

struct Walk<'f> {
    serial: bool,
    facts: &'f [Vec<Facts>],
    successors: &'f [SmallVec<[usize; 2]>],
    nop: Option<Word>,
    uses: Vec<Vec<Uses>>,
    sets: Vec<Vec<Sets>>,
    entry: Vec<Option<State>>,
    /// Cycles that the last instruction of each block stalls beyond its own needs.
    extra: Vec<i32>,
    reserved: u8,
    // The block that is walked.
    block: usize,
    state: State,
    out: Vec<Issue>,
    now: i32,
    /// The cycle of the last arrival of the warpgroup in the block.
    arrived: i32,
    /// When a convergence barrier was armed last in this block.
    armed: i32,
    /// What is in flight at the first branch out of the block, the branch's place in `out`, its cycle, and its stall. Further branches follow it.
    exit: Option<(State, usize, i32, i32)>,
    /// What was in flight at the start of each block with the scoreboards that were chosen before, if any were: what comes round a loop as well.
    known: Vec<Option<State>>,
    /// The scoreboards that were chosen before, if any were.
    before: Vec<Vec<Sets>>,
    /// For each scoreboard, the instructions of the block that keep it, since others than this block wait for it.
    kept: [Vec<u32>; 6],
    loads: [Load; 6],
    /// The last instruction of the block that sets a scoreboard for something that does not take long.
    last_short: usize,
    /// What came of each block when it was walked last: nothing has changed for it since, or it would have been walked again.
    walked: Vec<Walked>,
}

/// A block that was walked.
#[derive(Clone, Debug, Default)]
struct Walked {
    issues: Vec<Issue>,
    /// The place in `issues` of the first instruction from which control leaves the block, and its stall.
    exit: (usize, i32),
}

impl<'f> Walk<'f> {
    fn new(isa: Isa, serial: bool, facts: &'f [Vec<Facts>], successors: &'f [SmallVec<[usize; 2]>]) -> Walk<'f> {
        let named = |facts: &Facts| facts.fixed_scoreboard.or(facts.fixed_read_scoreboard);
        let fixed = facts.iter().flatten().filter_map(named);
        Walk {
            serial,
            successors,
            nop: Builder::new(isa, form::NOP_NONE).finish().ok(),
            uses: uses(facts, successors),
            sets: vec![Vec::new(); facts.len()],
            entry: vec![None; facts.len()],
            known: Vec::new(),
            before: Vec::new(),
            kept: Default::default(),
            extra: vec![0; facts.len()],
            reserved: fixed.fold(0, |mask, s| mask | 1 << s),
            block: 0,
            state: State::empty(),
            out: Vec::new(),
            now: 0,
            arrived: -OLD,
            armed: -OLD,
            exit: None,
            loads: [Load::default(); 6],
            last_short: 0,
            walked: vec![Walked::default(); facts.len()],
            facts,
        }
    }

    /// Forgets the scoreboards that were chosen for what is waited for in the same block, but not what was in flight with them: now that it is known what
    /// comes round a loop, they are chosen again.
    fn start_again(&mut self) {
        self.known = std::mem::take(&mut self.entry);
        self.entry = vec![None; self.facts.len()];
        self.before = std::mem::take(&mut self.sets);
        self.sets = vec![Vec::new(); self.facts.len()];
        self.extra = vec![0; self.facts.len()];
        self.walked = vec![Walked::default(); self.facts.len()];
    }

    /// Follows all ways until nothing new is in flight anywhere.
    fn flow(&mut self) {
        for first in 0..self.facts.len() {
            if self.entry[first].is_some() {
                continue;
            }
            self.entry[first] = Some(State::empty());
            let mut work = BTreeSet::from([first]);
            while let Some(block) = work.pop_first() {
                self.walk(block);
                for &successor in &self.successors[block] {
                    self.meet(block, successor);
                    let came = self.leaving(block);
                    let changed = match &mut self.entry[successor] {
                        Some(state) => state.join(&came),
                        none => {
                            *none = Some(came);
                            true
                        }
                    };
                    if changed {
                        work.insert(successor);
                    }
                }
                let (_, stall) = self.exit_time();
                let last = self.out.len().saturating_sub(1);
                let at = self.exit.as_ref().map_or(last, |(_, at, ..)| *at);
                self.walked[block] = Walked {
                    issues: std::mem::take(&mut self.out),
                    exit: (at, stall),
                };
            }
        }
    }

    /// The first instruction of a successor may need more time than the block leaves: then the branch, or the last instruction, stalls longer.
    fn meet(&mut self, block: usize, successor: usize) {
        let Some(first) = self.facts[successor].first() else {
            return;
        };
        if self.out.is_empty() {
            return;
        }
        let (now, stall) = self.exit_time();
        let end = self.exit.take();
        let state = end.as_ref().map(|(state, ..)| state.clone());
        let kept = state.map(|state| std::mem::replace(&mut self.state, state));
        let (_, earliest) = self.needs(first);
        if let Some(kept) = kept {
            self.state = kept;
        }
        self.exit = end;
        let missing = earliest - now - stall;
        if missing > self.extra[block] {
            self.extra[block] = missing.min(LONGEST - stall).max(0);
        }
    }

    /// The cycle of the first instruction from which control leaves the block, and its stall.
    fn exit_time(&self) -> (i32, i32) {
        match &self.exit {
            Some((_, _, now, stall)) => (*now, *stall),
            None => (self.now, self.last_stall()),
        }
    }

    /// What is in flight after the block that was walked.
    fn leaving(&self, block: usize) -> State {
        let (now, stall) = self.exit_time();
        let now = now + stall + self.extra[block];
        let mut state = self.exit.as_ref().map_or(&self.state, |(state, ..)| state).clone();
        state.records.retain(|record| now - record.issued < OLD);
        for record in &mut state.records {
            record.issued -= now;
        }
        state.records.sort_unstable_by_key(Record::key);
        state.set = state.set.map(|set| (set - now).max(-OLD));
        state.next_product = (state.next_product - now).max(-OLD);
        state
    }

    /// The control words of a block, when all is known.
    fn finish(&mut self, block: usize) -> Vec<Issue> {
        let Walked {
            mut issues,
            exit: (at, stall),
        } = std::mem::take(&mut self.walked[block]);
        let extra = self.extra[block];
        if extra > 0
            && let Some(issue) = issues.get_mut(at).filter(|issue| issue.control.stall != 0)
        {
            let stall = i32::from(issue.control.stall).max(stall + extra).min(LONGEST);
            issue.control.stall = stall as u8;
            issue.control.keep_issuing = stall <= LONGEST_KEEPING;
        }
        if !self.serial {
            set_reuse(&self.facts[block], &mut issues);
        }
        issues
    }

    fn walk(&mut self, block: usize) {
        self.block = block;
        self.state = self.entry[block].clone().unwrap_or_else(State::empty);
        self.out.clear();
        self.now = 0;
        self.arrived = -OLD;
        self.armed = -OLD;
        self.exit = None;
        let first = self.sets[block].is_empty();
        if first {
            self.start_loads(block);
            let is_short = |facts: &Facts, uses: &Uses| {
                let result = facts.is_variable && (facts.expected_latency() as i32) < LONG;
                result || facts.reads_late && uses.wants_read
            };
            let each = self.facts[block].iter().zip(&self.uses[block]);
            self.last_short = { each }.rposition(|(facts, uses)| is_short(facts, uses)).unwrap_or(0);
        }
        let facts = self.facts;
        for (at, instruction) in facts[block].iter().enumerate() {
            if first {
                let sets = self.choose(at, instruction);
                self.sets[block].push(sets);
            }
            self.issue(at, instruction);
            if instruction.word.flow() == Flow::Branch && self.exit.is_none() && at + 1 < facts[block].len() {
                self.exit = Some((self.state.clone(), self.out.len() - 1, self.now, self.last_stall()));
            }
        }
    }

    /// The scoreboards that an instruction waits for, and the first cycle at which it may issue.
    fn needs(&self, facts: &Facts) -> (u8, i32) {
        let state = &self.state;
        let (mut wait, mut earliest) = (state.fences, -OLD);
        let all = facts.settles || self.serial;
        for read in &facts.reads {
            wait |= state.writes[usize::from(read.index)];
        }
        for write in &facts.writes {
            if queue(facts) == ELSEWHERE || state.readers[usize::from(write.index)] & !queue(facts) != 0 {
                wait |= state.reads[usize::from(write.index)];
            }
            if !self.is_excluded(facts, write.index) {
                wait |= state.writes[usize::from(write.index)];
            }
        }
        if facts.waits_for_tensor_memory {
            wait |= state.waited_for;
        }
        if facts.word.flow() == Flow::Exit || facts.hands_over {
            // What reads uniform registers late may not find those of another warp, or of other threads of this one, in their place. (Observed, ptxas 13.0.88: a
            // tensor copy is waited for, by a `NOP` if need be, where threads that have parted end their way.)
            let uniform = state.reads.iter().skip(UNIFORM.start).take(UNIFORM.len());
            wait |= uniform.fold(0, |all, mask| all | mask);
        }
        if facts.word.flow() == Flow::Exit {
            // Nor may what comes to uniform registers late come to those of another warp. (Observed, ptxas 13.0.88: all 1,500 or so `LDCU` and `S2UR` on three SMs
            // are waited for, 330 of them for this alone.)
            let uniform = state.writes.iter().skip(UNIFORM.start).take(UNIFORM.len());
            wait |= uniform.fold(0, |all, mask| all | mask);
        }
        if facts.waits_for_effects() {
            wait |= state.effects;
        }
        if all || facts.timing.orders == Some(Orders::All) {
            wait = state.busy() | state.fences;
        }
        for record in &state.records {
            let by = &self.facts[record.block as usize][record.at as usize];
            if all && record.writes {
                earliest = earliest.max(record.issued + by.settled_after() as i32);
            }
            let touches = |place: &&Place| place.index == record.place;
            let reads = facts.reads.iter().find(touches).filter(|_| record.writes);
            let writes = facts.writes.iter().find(touches);
            if reads.is_none() && writes.is_none() || !record.stale && by.excludes(facts) {
                continue;
            }
            if record.writes {
                let result = &by.writes[usize::from(record.operand)];
                for read in facts.reads.iter().filter(touches) {
                    earliest = earliest.max(record.issued + by.distance_to(result, facts, read) as i32);
                }
                if writes.is_some() {
                    earliest = earliest.max(record.issued + by.distance_to_writer(result, facts) as i32);
                }
            } else if writes.is_some() {
                let source = &by.reads[usize::from(record.operand)];
                earliest = earliest.max(record.issued + by.read_before(source, facts).unwrap_or(0) as i32);
            }
        }
        if facts.word.opcode() == Opcode::Depbar {
            let fixed = (0..6).filter(|s| self.reserved >> s & 1 != 0);
            earliest = fixed.fold(earliest, |earliest, s| earliest.max(state.set[s] + SET_TO_WAIT));
        }
        if crate::products::is_product(&facts.word) {
            earliest = earliest.max(self.arrived + ARRIVAL_TO_PRODUCT);
            earliest = earliest.max(state.next_product);
        }
        if facts.word.flow() != Flow::None {
            earliest = earliest.max(self.armed + ARMED_TO_BRANCH);
        }
        for scoreboard in (0..6).filter(|s| wait >> s & 1 != 0) {
            earliest = earliest.max(state.set[scoreboard] + SET_TO_WAIT);
        }
        (wait, earliest)
    }

    /// Whether what is to come in a register comes only in threads that do not execute an instruction.
    fn is_excluded(&self, facts: &Facts, place: u16) -> bool {
        let found = self.state.single.iter().find(|(of, ..)| *of == place);
        found.is_some_and(|(_, block, at)| self.facts[*block as usize][*at as usize].excludes(facts))
    }

    fn issue(&mut self, at: usize, facts: &Facts) {
        let (wait, earliest) = self.needs(facts);
        let sets = self.sets[self.block][at];
        self.state.fences = 0;
        if wait != 0 {
            self.state.writes.iter_mut().for_each(|mask| *mask &= !wait);
            for (mask, readers) in self.state.reads.iter_mut().zip(&mut self.state.readers) {
                *mask &= !wait;
                if *mask == 0 {
                    *readers = 0;
                }
            }
            self.state.waited_for &= !wait;
            self.state.effects &= !wait;
            let writes = &self.state.writes;
            self.state.single.retain(|(place, ..)| writes[usize::from(*place)] != 0);
            for (scoreboard, load) in self.loads.iter_mut().enumerate() {
                if wait >> scoreboard & 1 != 0 {
                    (load.busy, load.count) = (false, 0);
                }
            }
        }
        let interval = match self.block_previous(at) {
            Some(previous) => issue_interval_between(previous.timing, facts.timing, facts.word.isa())
                .map_or(1, |d| i32::from(d.cycles).min(LONGEST)),
            None => 1,
        };
        self.place(earliest, interval);
        // What waits for products cannot wait for anything else. (nvdisasm 13.0 takes such a word for no instruction.)
        let wait_mask = if wait != 0 && facts.word.form().name == "DEPBAR.S_I" {
            self.fill(1);
            if let Some(issue) = self.out.last_mut() {
                issue.control.wait_mask = wait;
            }
            self.place(self.now, 1);
            0
        } else {
            wait
        };
        let now = self.now;
        if facts.word.opcode() == Opcode::Warpgroup {
            self.arrived = now;
        }
        if let Some(interval) = product_interval(&facts.word) {
            self.state.next_product = now + i32::from(interval);
        }
        let arms = facts.word.opcode() == Opcode::Bssy;
        if arms {
            self.armed = now;
        }
        let mut stall = i32::from(facts.timing.smallest_stall.max(1));
        // What comes in the next block may be a branch.
        if arms && at + ARMED_TO_BRANCH as usize >= self.facts[self.block].len() {
            stall = stall.max(ARMED_TO_BRANCH);
        }
        let waits_for_completion = facts.completes();
        let stall = if waits_for_completion { 0 } else { stall.min(LONGEST) };
        self.out.push(Issue {
            control: Control {
                stall: stall as u8,
                keep_issuing: (1..=LONGEST_KEEPING).contains(&stall),
                write_scoreboard: sets.write,
                read_scoreboard: sets.read,
                wait_mask,
                reuse: 0,
            },
            filler: None,
        });
        for scoreboard in [sets.write, sets.read].into_iter().flatten() {
            self.state.set[usize::from(scoreboard)] = now;
        }
        self.note(at, facts, sets);
    }

    fn block_previous(&self, at: usize) -> Option<&'f Facts> {
        self.facts[self.block].get(at.checked_sub(1)?)
    }

    /// Notes what an instruction leaves in flight.
    fn note(&mut self, at: usize, facts: &Facts, sets: Sets) {
        let now = self.now;
        let bit = |scoreboard: Option<u8>| scoreboard.map_or(0, |s| 1_u8 << s);
        if facts.tells(Tells::Write, Awaiting::Next) {
            self.state.fences = bit(sets.write);
        }
        if facts.tells(Tells::Read, Awaiting::Next) {
            self.state.fences |= bit(sets.read);
        }
        if facts.tells(Tells::Write, Awaiting::Ordering) {
            self.state.effects |= bit(sets.write);
        }
        let predicates = facts.writes.iter().filter(|write| write.index >= 512);
        let written = predicates.fold(0_u32, |mask, write| mask | 1 << (write.index - 512));
        if written != 0 {
            for record in &mut self.state.records {
                let by = &self.facts[record.block as usize][record.at as usize];
                record.stale |= by.guard_place().is_some_and(|place| written >> (place - 512) & 1 != 0);
            }
            let facts = self.facts;
            self.state.single.retain(|(_, block, at)| {
                let by = &facts[*block as usize][*at as usize];
                by.guard_place().is_none_or(|place| written >> (place - 512) & 1 == 0)
            });
        }
        let keeps_old = facts.word.guard().is_some() || facts.writes_some_predicates();
        self.state.records.retain(|record| {
            let replaced = !keeps_old && record.writes && facts.writes.iter().any(|write| write.index == record.place);
            now - record.issued < OLD && !replaced
        });
        // Its guard may be among its results.
        let stale = facts
            .guard_place()
            .is_some_and(|place| place >= 512 && written >> (place - 512) & 1 != 0);
        let record = |place: u16, writes, operand: usize| Record {
            place,
            writes,
            block: self.block as u32,
            at: at as u32,
            operand: operand as u8,
            stale,
            issued: now,
        };
        for (operand, write) in facts.writes.iter().enumerate() {
            match sets.write {
                Some(_) => {
                    let alone =
                        facts.word.guard().is_some() && !stale && self.state.writes[usize::from(write.index)] == 0;
                    self.state.single.retain(|(place, ..)| *place != write.index);
                    if alone {
                        self.state.single.push((write.index, self.block as u32, at as u32));
                        self.state.single.sort_unstable();
                    }
                    self.state.writes[usize::from(write.index)] |= bit(sets.write);
                }
                // What warpgroups multiply is waited for by an instruction of its own.
                None if facts.timing.latency == Latency::Async => {}
                None => self.state.records.push(record(write.index, true, operand)),
            }
        }
        if facts.is_waited_for {
            self.state.waited_for |= bit(sets.write);
        }
        let held = bit(sets.read.or(sets.write.filter(|_| facts.is_variable)));
        for (operand, read) in facts.reads.iter().enumerate() {
            let late = facts.late_reads().any(|late| late.index == read.index);
            let behind = facts.reads_behind(read);
            if !late && !behind {
                continue;
            }
            if behind || sets.read.is_none() && !facts.tells_of_reading(read) {
                self.state.records.push(record(read.index, false, operand));
            } else {
                self.state.reads[usize::from(read.index)] |= held;
                if held != 0 {
                    self.state.readers[usize::from(read.index)] |= queue(facts);
                }
            }
        }
    }

    /// Issues at this cycle or, at the earliest, when the last instruction allows it.
    fn place(&mut self, earliest: i32, interval: i32) {
        if self.out.is_empty() {
            if earliest <= 0 {
                return;
            }
            // More than the blocks before can wait.
            self.fill(1);
        }
        let mut gap = (earliest - self.now).max(self.last_stall()).max(interval);
        if self.stops() {
            // It waits for completion of everything of fixed latency; no stall count says how long.
            self.now += gap.max(1);
            return;
        }
        while gap > LONGEST {
            self.stall_last(LONGEST);
            self.now += LONGEST;
            gap = (gap - LONGEST).max(1);
            self.fill(1);
        }
        self.stall_last(gap);
        self.now += gap;
    }

    fn fill(&mut self, stall: u8) {
        self.out.push(Issue {
            control: Control { stall, ..Control::NONE },
            filler: self.nop,
        });
    }

    /// Whether the last instruction waits for completion.
    fn stops(&self) -> bool {
        self.out.last().is_some_and(|issue| issue.control.stall == 0)
    }

    fn last_stall(&self) -> i32 {
        self.out.last().map_or(0, |issue| i32::from(issue.control.stall.max(1)))
    }

    /// The last instruction stalls for so long.
    fn stall_last(&mut self, cycles: i32) {
        if let Some(issue) = self.out.last_mut().filter(|issue| issue.control.stall != 0) {
            let stall = cycles.clamp(1, LONGEST);
            issue.control.stall = stall as u8;
            issue.control.keep_issuing = stall <= LONGEST_KEEPING;
        }
    }
}

/// The choice of scoreboards.
impl Walk<'_> {
    /// Guesses when what is in flight at a block's start is ready, and when it is wanted.
    fn start_loads(&mut self, block: usize) {
        self.loads = [Load::default(); 6];
        self.kept.iter_mut().for_each(Vec::clear);
        if let Some(before) = self.before.get(block) {
            let end = self.facts[block].len() as u32;
            for ((at, sets), uses) in (0_u32..).zip(before).zip(&self.uses[block]) {
                let write = sets.write.filter(|_| uses.result >= end);
                let read = sets.read.filter(|_| uses.source >= end);
                write
                    .into_iter()
                    .chain(read)
                    .for_each(|s| self.kept[usize::from(s)].push(at));
            }
        }
        let known = self.known.get(block).and_then(Option::as_ref);
        if self.state.busy() == 0 && known.is_none_or(|known| known.busy() == 0) {
            return;
        }
        let mut touched = [NONE; PLACES];
        for (at, facts) in self.facts[block].iter().enumerate().rev() {
            for place in facts.reads.iter().chain(&facts.writes) {
                touched[usize::from(place.index)] = at as u32;
            }
        }
        let end = self.facts[block].len() as u32;
        for (index, first) in touched.iter().enumerate() {
            let before = known.map_or(0, |known| known.writes[index] | known.reads[index]);
            let now = self.state.writes[index] | self.state.reads[index];
            let mask = now | before;
            if mask == 0 {
                continue;
            }
            for scoreboard in (0..6).filter(|s| mask >> s & 1 != 0) {
                let load = &mut self.loads[scoreboard];
                let wanted = 2 * (*first).min(end + 16) as i32;
                *load = Load {
                    wanted: if load.busy { load.wanted.min(wanted) } else { wanted },
                    guessed: now >> scoreboard & 1 == 0 && (load.guessed || !load.busy),
                    busy: true,
                    long: false,
                    count: 0,
                    ready: 60,
                };
            }
        }
    }

    /// The scoreboards of an instruction, when its block is walked first.
    fn choose(&mut self, at: usize, facts: &Facts) -> Sets {
        let uses = self.uses[self.block][at];
        let end = self.facts[self.block].len() as u32 + 16;
        let mut sets = Sets {
            write: facts.fixed_scoreboard,
            read: facts.fixed_read_scoreboard,
        };
        // What this instruction itself waits for is free again.
        let (wait, _) = self.needs(facts);
        let now = 2 * at as i32;
        let kept = self
            .before
            .get(self.block)
            .and_then(|sets| sets.get(at))
            .copied()
            .unwrap_or_default();
        let choose = |walk: &mut Walk<'_>, ready: u32, wanted: i32, kept: Option<u8>| {
            let event = Event {
                now,
                ready: now + ready as i32,
                wanted,
            };
            Some(walk.scoreboard(wait, at, event, kept))
        };
        if (facts.is_variable || facts.is_waited_for) && sets.write.is_none() {
            let wanted = 2 * uses.result.min(end) as i32;
            sets.write = choose(self, facts.expected_latency(), wanted, kept.write);
        }
        if facts.tells(Tells::Write, Awaiting::Next) {
            sets.write = choose(self, 24, now + 2, None);
        }
        if facts.tells(Tells::Write, Awaiting::Ordering) {
            sets.write = choose(self, 24, 2 * end as i32, kept.write);
        }
        if facts.tells(Tells::Read, Awaiting::Next) {
            sets.read = choose(self, 24, now + 2, None);
        }
        if facts.reads_late && uses.wants_read {
            sets.read = choose(self, 16, 2 * uses.source.min(end) as i32, kept.read);
        }
        sets
    }

    /// A free scoreboard, or else the one with which least time is lost; what other blocks wait for keeps what it had.
    fn scoreboard(&mut self, wait: u8, at: usize, event: Event, kept: Option<u8>) -> u8 {
        let waited = |s: &u8| wait >> s & 1 != 0;
        let count = |s: &u8| {
            if waited(s) {
                0
            } else {
                self.loads[usize::from(*s)].count
            }
        };
        let own = |s: &u8| self.reserved >> s & 1 == 0;
        // Where all are full, one is used beyond that.
        let full = (0..6).filter(own).all(|s| count(&s) >= MOST_AT_A_TIME);
        let usable = |s: &u8| own(s) && (full || count(s) < MOST_AT_A_TIME);
        let is_free = |s: &u8| {
            let load = &self.loads[usize::from(*s)];
            let mut kept = self.kept[usize::from(*s)].iter().map(|kept| 2 * *kept as i32);
            let is_needed = kept.any(|kept| (event.now + 1..event.wanted).contains(&kept));
            !is_needed && (!load.busy || waited(s) || load.guessed && load.wanted < event.now)
        };
        // Those that are waited for at the same place may share one: nobody waits for another.
        let shares = |s: &u8| {
            let load = &self.loads[usize::from(*s)];
            !is_free(s) && load.wanted == event.wanted && (load.ready - event.ready).abs() <= ALIKE
        };
        let cost = |s: &u8| {
            let load = &self.loads[usize::from(*s)];
            // Those who wait for the others wait for this one too, and the other way round.
            let theirs = (event.ready - load.wanted.max(load.ready)).max(0);
            let own = (load.ready - event.wanted.max(event.ready)).max(0);
            theirs + own
        };
        let is_here = event.wanted < 2 * self.facts[self.block].len() as i32;
        let mut shared = (0..6).filter(usable).filter(|_| is_here).find(shares);
        if shared.is_none() && event.is_long() && at < self.last_short {
            let others = (0..6).filter(usable).filter(is_free).count();
            let long = |s: &u8| !is_free(s) && self.loads[usize::from(*s)].long;
            let together = (0..6).filter(usable).filter(long);
            shared = together.min_by_key(cost).filter(|_| others <= KEPT);
        }
        if shared.is_none() && event.wanted - event.now >= DISTANT {
            // What is wanted much later joins its like at no cost, before the last scoreboards go to it that others want soon.
            let others = (0..6).filter(usable).filter(is_free).count();
            let distant =
                |s: &u8| !is_free(s) && cost(s) == 0 && self.loads[usize::from(*s)].wanted - event.now >= DISTANT;
            let together = (0..6).filter(usable).filter(distant);
            let apart = |s: &u8| (self.loads[usize::from(*s)].wanted - event.wanted).abs();
            shared = together.min_by_key(apart).filter(|_| others <= KEPT);
        }
        let free = shared.or_else(|| (0..6).filter(usable).find(is_free));
        let kept = kept.filter(|_| !is_here).filter(usable);
        let chosen = kept
            .or(free)
            .or_else(|| (0..6).filter(usable).min_by_key(cost))
            .unwrap_or(0);
        let count = count(&chosen) + 1;
        let load = &mut self.loads[usize::from(chosen)];
        let alone = !load.busy || free.is_some() && shared.is_none() && kept.is_none();
        *load = Load {
            busy: true,
            guessed: false,
            long: event.is_long() || !alone && load.long,
            count,
            ready: if alone {
                event.ready
            } else {
                load.ready.max(event.ready)
            },
            wanted: if alone {
                event.wanted
            } else {
                load.wanted.min(event.wanted)
            },
        };
        chosen
    }
}

/// Sets the reuse flags of a block.
fn set_reuse(facts: &[Facts], issues: &mut [Issue]) {
    let mut at = 0;
    for index in 0..issues.len() {
        if issues[index].filler.is_some() {
            continue;
        }
        let pair = (facts.get(at), facts.get(at + 1));
        at += 1;
        let side_by_side = issues.get(index + 1).is_some_and(|next| next.filler.is_none());
        let control = &mut issues[index].control;
        if let ((Some(facts), Some(next)), true) = (pair, side_by_side && control.keep_issuing) {
            control.reuse = super::reuse::flags(facts, next);
        }
    }
}
