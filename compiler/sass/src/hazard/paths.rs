//! All ways through a function: what may be in flight before each instruction, joined over the ways that lead there.
//!
//! The unit is an *item*: a register that an instruction has still to write, or still to read. It has its age in issue cycles, the least over all ways,
//! and for each scoreboard how many instructions have set it since one whose end implies the item's end. An item goes when a wait covers it, or when it
//! is so old that no distance reaches it.
//!
//! Not followed: what a called function leaves in flight, and where an indirect branch goes if the caller does not say; code that is reached in no other
//! way starts with nothing in flight.

use super::{
    Footprint, Hazard, REGISTERS, Touched, exclude_each_other, hazard, is_in_order, products::Products, read_distance,
    reads_in_order, write_distance,
};
use crate::{
    Access, FieldKind, Flow, GuardFile, Instruction, Latency, Opcode, RegisterClass, Timing, rule, tables::FieldName,
    war_distance,
};
use warpsmith_target::Isa;

/// Ages at which no fixed latency reaches any more.
const OLD: i32 = 64;
/// No instruction whose scoreboard implies the item's end has set it yet.
const UNCOVERED: u8 = u8::MAX;

/// Something in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Item {
    /// The register's place among all.
    register: u16,
    /// It is still to be written, not read.
    writes: bool,
    /// The instruction.
    by: u32,
    /// Which register of the result.
    word: u8,
    /// Its guard has been written since.
    stale: bool,
    /// Cycle of issue; at the border of a block the age, negative.
    issued: i32,
    /// For each scoreboard, how many instructions set it after the first that covers the item.
    after: [u8; 6],
}

impl Item {
    fn key(&self) -> (u16, bool, u32, u8) {
        (self.register, self.writes, self.by, self.word)
    }
}

/// What may be in flight at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    /// In order of their keys.
    items: Vec<Item>,
    /// Cycles since each scoreboard was set and not waited for, as a negative time.
    set: [i32; 6],
    /// Products of warpgroups.
    products: Products,
}

/// Long ago.
const NEVER: i32 = -1000;

impl State {
    fn empty() -> State {
        State {
            items: Vec::new(),
            set: [NEVER; 6],
            products: Products::default(),
        }
    }

    /// Adds what another way leaves in flight; whether that changed anything.
    fn join(&mut self, other: &State) -> bool {
        let mut changed = self.products.join(&other.products);
        for (own, other) in self.set.iter_mut().zip(other.set) {
            changed |= other > *own;
            *own = other.max(*own);
        }
        let mut joined = Vec::with_capacity(self.items.len().max(other.items.len()));
        let mut own = self.items.iter().peekable();
        for item in &other.items {
            while let Some(first) = own.next_if(|first| first.key() < item.key()) {
                joined.push(*first);
            }
            match own.next_if(|first| first.key() == item.key()) {
                Some(first) => {
                    let both = weaker(first, item);
                    changed |= both != *first;
                    joined.push(both);
                }
                None => {
                    changed = true;
                    joined.push(*item);
                }
            }
        }
        joined.extend(own);
        self.items = joined;
        changed
    }
}

/// What several ways leave in flight together: each is joined with one of its size, so that no item is copied more often than there are doublings.
fn joined(mut states: Vec<State>) -> Option<State> {
    while states.len() > 1 {
        let mut halved = Vec::with_capacity(states.len().div_ceil(2));
        let mut each = states.into_iter();
        while let Some(mut one) = each.next() {
            if let Some(other) = each.next() {
                one.join(&other);
            }
            halved.push(one);
        }
        states = halved;
    }
    states.pop()
}

/// The item of two ways: as young and as little covered as in either.
fn weaker(a: &Item, b: &Item) -> Item {
    let mut both = *a;
    both.issued = a.issued.max(b.issued);
    both.stale = a.stale || b.stale;
    for (own, other) in both.after.iter_mut().zip(b.after) {
        *own = match (*own, other) {
            (UNCOVERED, _) | (_, UNCOVERED) => UNCOVERED,
            (own, other) => own.min(other),
        };
    }
    both
}

/// What the checker needs of an instruction again and again.
struct Known {
    instruction: Instruction,
    footprint: Footprint,
    timing: &'static Timing,
}

impl Known {
    fn timed(&self) -> (&Instruction, &Timing) {
        (&self.instruction, self.timing)
    }
}

/// A function's code, with its blocks.
struct Code {
    known: Vec<Known>,
    /// First instructions of blocks, in order.
    leaders: Vec<u32>,
    indirect: Vec<(usize, usize)>,
}

/// Checks a function over all ways through it. `indirect` holds where indirect branches go: pairs of indices, of the branch and of a target. Gives the
/// index of each instruction with a hazard, in order.
pub fn check_paths(code: &[Instruction], indirect: &[(usize, usize)]) -> Vec<(usize, Hazard)> {
    let code = Code::new(code, indirect);
    let mut entry: Vec<Option<State>> = vec![None; code.leaders.len()];
    // What has come to each block since it was walked last: where many blocks lead to one, their states are joined all at once.
    let mut came: Vec<Vec<State>> = vec![Vec::new(); code.leaders.len()];
    // What the last walk over each block has found: it knew all that may be in flight at the start, or the block would be walked again.
    let mut hazards: Vec<Vec<(usize, Hazard)>> = vec![Vec::new(); code.leaders.len()];
    let mut walk = Walk::new(&code);
    for first in 0..code.leaders.len() {
        if entry[first].is_some() {
            continue;
        }
        came[first].push(State::empty());
        let mut work = std::collections::BTreeSet::from([first]);
        while let Some(block) = work.pop_first() {
            let Some(new) = joined(std::mem::take(&mut came[block])) else {
                continue;
            };
            match &mut entry[block] {
                Some(state) => {
                    if !state.join(&new) {
                        continue;
                    }
                    walk.enter(state);
                }
                none => walk.enter(none.insert(new)),
            }
            hazards[block].clear();
            for at in code.block(block) {
                let mut first = None;
                walk.step(at, &mut |hazard| {
                    first.get_or_insert(hazard);
                });
                hazards[block].extend(first.map(|hazard| (at, hazard)));
            }
            let (after, targets) = walk.leave(code.block(block));
            for (target, settled) in targets {
                let Some(target) = code.block_of(target) else { continue };
                came[target].push(if settled { State::empty() } else { after.clone() });
                work.insert(target);
            }
        }
    }
    hazards.into_iter().flatten().collect()
}

impl Code {
    fn new(code: &[Instruction], indirect: &[(usize, usize)]) -> Code {
        let known: Vec<Known> = code
            .iter()
            .map(|instruction| Known {
                instruction: *instruction,
                footprint: Footprint::of(instruction),
                timing: instruction.timing(),
            })
            .collect();
        let mut starts = vec![false; code.len() + 1];
        starts[0] = true;
        for (at, instruction) in code.iter().enumerate() {
            if let Some(start) = target(instruction, at).and_then(|target| starts.get_mut(target)) {
                *start = true;
            }
            let ends = match instruction.flow() {
                Flow::None | Flow::Diverge | Flow::Leave | Flow::Barrier | Flow::Wait => false,
                Flow::Branch | Flow::Indirect | Flow::Return | Flow::Exit => true,
                Flow::Call | Flow::Trap | Flow::Converge => true,
            };
            starts[at + 1] |= ends;
        }
        for (_, target) in indirect {
            if let Some(start) = starts.get_mut(*target) {
                *start = true;
            }
        }
        let leaders = (0..code.len() as u32).filter(|at| starts[*at as usize]).collect();
        Code {
            known,
            leaders,
            indirect: indirect.to_vec(),
        }
    }

    fn block(&self, block: usize) -> std::ops::Range<usize> {
        let end = self
            .leaders
            .get(block + 1)
            .map_or(self.known.len(), |end| *end as usize);
        self.leaders.get(block).map_or(end, |start| *start as usize)..end
    }

    fn block_of(&self, leader: usize) -> Option<usize> {
        self.leaders.binary_search(&(leader as u32)).ok()
    }
}

/// The general register of the operand whose reuse flag is this one.
fn slot_register(instruction: &Instruction, slot: u8) -> Option<u8> {
    let field = instruction.form().fields.iter().find(|field| match &field.kind {
        FieldKind::Register(register) => register.decoration.reuse == Some(122 + slot),
        _ => false,
    })?;
    let number = field.bits.read(instruction.word()) as u8;
    (number != 255).then_some(number)
}

/// The index of the instruction that a relative target names.
pub(super) fn target(instruction: &Instruction, at: usize) -> Option<usize> {
    let address = instruction.branch_target(at as u64 * 16)?;
    (address % 16 == 0).then_some((address / 16) as usize)
}

/// Follows one block.
struct Walk<'c> {
    code: &'c Code,
    now: i32,
    /// Stall of the instruction issued last.
    stall: i32,
    /// When items that end by themselves were last looked for: a long block would gather them, and each predicate that is written goes over all.
    swept: i32,
    items: Vec<Vec<Item>>,
    /// Registers that have items, possibly more.
    active: Vec<u16>,
    /// Whether a register is among them.
    listed: Vec<bool>,
    set: [i32; 6],
    products: Products,
    /// Registers that the reuse cache holds, by operand slot, and whether they have been written since.
    cached: [Option<(u8, bool)>; SLOTS],
}

/// Operands that have a reuse flag of their own.
const SLOTS: usize = 4;

impl<'c> Walk<'c> {
    fn new(code: &'c Code) -> Walk<'c> {
        Walk {
            code,
            now: 0,
            stall: 0,
            swept: 0,
            items: vec![Vec::new(); REGISTERS],
            active: Vec::new(),
            listed: vec![false; REGISTERS],
            set: [NEVER; 6],
            products: Products::default(),
            cached: [None; SLOTS],
        }
    }

    fn enter(&mut self, state: &State) {
        for register in std::mem::take(&mut self.active) {
            self.items[usize::from(register)].clear();
            self.listed[usize::from(register)] = false;
        }
        (self.now, self.stall, self.swept) = (0, 0, 0);
        self.set = state.set;
        self.products.clone_from(&state.products);
        self.cached = [None; SLOTS];
        for item in &state.items {
            self.add(*item);
        }
    }

    fn add(&mut self, item: Item) {
        let register = usize::from(item.register);
        if !std::mem::replace(&mut self.listed[register], true) {
            self.active.push(item.register);
        }
        self.items[register].push(item);
    }

    /// Goes over what is in flight, keeps what `keep` says, and forgets registers without any.
    fn sweep(&mut self, mut keep: impl FnMut(&mut Item) -> bool) {
        let (items, listed) = (&mut self.items, &mut self.listed);
        self.active.retain(|register| {
            let items = &mut items[usize::from(*register)];
            items.retain_mut(|item| keep(item));
            listed[usize::from(*register)] = !items.is_empty();
            !items.is_empty()
        });
    }

    fn step(&mut self, at: usize, report: &mut dyn FnMut(Hazard)) {
        let known = &self.code.known[at];
        let instruction = &known.instruction;
        let control = instruction.control();
        self.now += self.stall;
        self.stall = match (control.stall, control.keep_issuing) {
            (0, false) => OLD,
            (stall, _) => i32::from(stall.max(1)),
        };
        self.waits(known, report);
        for touched in known.footprint.reads() {
            self.check_read(known, touched, report);
        }
        for touched in known.footprint.writes() {
            self.check_write(known, touched, report);
        }
        self.reuse(known, report);
        if let Some(hazard) = self.products.issue(instruction, &known.footprint) {
            report(hazard);
        }
        self.note(at);
    }

    /// The reuse cache: an operand must not come from it after its register was written.
    fn reuse(&mut self, known: &Known, report: &mut dyn FnMut(Hazard)) {
        let instruction = &known.instruction;
        let keeps = instruction.control().keep_issuing;
        let slots = instruction.form().control.reuse_flags();
        let flags = if keeps { instruction.control().reuse & slots } else { 0 };
        for slot in (0..SLOTS).filter(|slot| slots >> slot & 1 != 0) {
            let Some(register) = slot_register(instruction, slot as u8) else {
                continue;
            };
            if self.cached[slot] == Some((register, true)) {
                report(hazard(format!(
                    "R{register} comes from the reuse cache after it was written"
                )));
            }
            self.cached[slot] = (flags >> slot & 1 != 0).then_some((register, false));
        }
        for touched in known
            .footprint
            .writes()
            .filter(|touched| touched.class() == RegisterClass::Gpr)
        {
            for (register, stale) in self.cached.iter_mut().flatten() {
                *stale |= *register == touched.number();
            }
        }
        if !keeps {
            self.cached = [None; SLOTS];
        }
    }

    /// The waits of an instruction: its mask, and `DEPBAR`.
    fn waits(&mut self, known: &Known, report: &mut dyn FnMut(Hazard)) {
        let least = i32::from(rule::SCOREBOARD_SET_TO_WAIT.number().unwrap_or(0));
        let instruction = &known.instruction;
        let mut mask = instruction.control().wait_mask;
        for scoreboard in (0..6).filter(|s| mask >> s & 1 != 0) {
            let elapsed = self.now - self.set[scoreboard];
            if elapsed < least {
                report(hazard(format!(
                    "waits for scoreboard {scoreboard} {elapsed} cycle after it is set; {least} are necessary"
                )));
            }
        }
        let mut left = None;
        if instruction.opcode() == Opcode::Depbar {
            mask |= instruction.field(FieldName::ScoreboardSet).unwrap_or(0) as u8 & 0x3f;
            let count = instruction.field(FieldName::Count);
            let count = count.or(instruction.field(FieldName::Imm)).unwrap_or(0);
            let named = instruction.field(FieldName::Scoreboard).filter(|s| *s < 6);
            match (named, count) {
                (Some(scoreboard), 0) => mask |= 1 << scoreboard,
                (Some(scoreboard), count) => left = Some((scoreboard as usize, count.min(254) as u8)),
                (None, _) => {}
            }
        }
        // Stores before a barrier set no scoreboard on sm_75, and their sources are overwritten after it.
        let drained = instruction.isa() == Isa::Sm75 && matches!(instruction.opcode(), Opcode::Bar | Opcode::Membar);
        if mask == 0 && left.is_none() && !drained {
            return;
        }
        for scoreboard in (0..6).filter(|s| mask >> s & 1 != 0) {
            self.set[scoreboard] = NEVER;
        }
        let code = self.code;
        self.sweep(|item| {
            let covered = (0..6).any(|s| mask >> s & 1 != 0 && item.after[s] != UNCOVERED);
            let counted = left.is_some_and(|(s, left)| item.after[s] != UNCOVERED && item.after[s] >= left);
            let drains = drained && code.known[item.by as usize].timing.pipe == crate::Pipe::Lsu;
            !(covered || counted || drains)
        });
    }

    fn check_read(&self, known: &Known, touched: &Touched, report: &mut dyn FnMut(Hazard)) {
        for item in self.at(touched).iter().filter(|item| item.writes) {
            let producer = &self.code.known[item.by as usize];
            if excluded(item, producer, known) {
                continue;
            }
            let class = touched.class();
            match producer.timing.latency {
                Latency::Fixed if producer.instruction.control().write_scoreboard.is_none() => {
                    let least = read_distance(producer.timed(), class, item.word, known.timed(), touched.place());
                    let elapsed = self.now - item.issued;
                    if i64::from(elapsed) < least as i64 {
                        report(hazard(format!(
                            "{} is read {elapsed} cycles after `{}`, which writes it; {least} are necessary",
                            touched.register.name(),
                            producer.instruction
                        )));
                    }
                }
                Latency::Fixed | Latency::Scoreboard => report(unwaited("read", touched, producer)),
                Latency::Async | Latency::None => {}
            }
        }
    }

    fn check_write(&self, second: &Known, touched: &Touched, report: &mut dyn FnMut(Hazard)) {
        let class = touched.class();
        for item in self.at(touched) {
            let first = &self.code.known[item.by as usize];
            if excluded(item, first, second) {
                continue;
            }
            let elapsed = self.now - item.issued;
            let pipe = first.timing.pipe;
            let same_pipe = is_in_order(pipe) && pipe == second.timing.pipe;
            if !item.writes {
                let least = war_distance(&first.instruction, class, second.timing);
                let far = least.is_some_and(|least| elapsed >= i32::from(least));
                let behind = first.timing.latency == Latency::Fixed;
                let same_queue = same_pipe && reads_in_order(&first.instruction, &second.instruction);
                if !far && (behind || !same_queue) {
                    let (name, first) = (touched.register.name(), &first.instruction);
                    report(hazard(match behind {
                        true => format!("{name} is written {elapsed} cycles after `{first}`, which has yet to read it"),
                        false => format!(
                            "{name} is written while `{first}` may still have to read it: nothing has waited for it"
                        ),
                    }));
                }
                continue;
            }
            let fixed =
                first.timing.latency == Latency::Fixed && first.instruction.control().write_scoreboard.is_none();
            let least = if fixed {
                write_distance(&first.instruction, &second.instruction, class)
            } else {
                0
            };
            if i64::from(elapsed) < least as i64 {
                report(hazard(format!(
                    "{} is written {elapsed} cycles after `{}`, which writes it; {least} are necessary",
                    touched.register.name(),
                    first.instruction
                )));
            }
            if first.timing.latency == Latency::Scoreboard && !same_pipe {
                report(unwaited("written", touched, first));
            }
        }
    }

    fn at(&self, touched: &Touched) -> &[Item] {
        let items = touched.register.index().and_then(|index| self.items.get(index));
        items.map_or(&[], |items| items)
    }

    /// Notes what an instruction leaves in flight.
    fn note(&mut self, at: usize) {
        let known = &self.code.known[at];
        let control = known.instruction.control();
        let pipe = known.timing.pipe;
        let scoreboards = [control.write_scoreboard, control.read_scoreboard];
        let set = scoreboards.iter().flatten().fold(0_u8, |mask, s| mask | 1 << s) & 0x3f;
        let now = self.now;
        if set != 0 {
            let code = self.code;
            self.sweep(|item| {
                let by = &code.known[item.by as usize];
                let same_pipe = is_in_order(pipe) && by.timing.pipe == pipe;
                for scoreboard in (0..6).filter(|s| set >> s & 1 != 0) {
                    let after = &mut item.after[scoreboard];
                    // That sources have been read says nothing of earlier results.
                    let covers = same_pipe && (!item.writes || control.write_scoreboard == Some(scoreboard as u8));
                    *after = match *after {
                        UNCOVERED if covers => 0,
                        UNCOVERED => UNCOVERED,
                        after => (after + 1).min(UNCOVERED - 1),
                    };
                }
                !is_over(by, item, now)
            });
            self.swept = now;
            for scoreboard in (0..6).filter(|s| set >> s & 1 != 0) {
                self.set[scoreboard] = now;
            }
        } else if now - self.swept >= OLD {
            let code = self.code;
            self.sweep(|item| !is_over(&code.known[item.by as usize], item, now));
            self.swept = now;
        }
        let stale = self.note_predicates(known);
        let guarded = known.instruction.guard();
        for touched in known.footprint.writes() {
            let Some(index) = touched.register.index() else {
                continue;
            };
            if guarded.is_none() {
                // Readers stay: the new value may come before they have read the old one only where that was checked.
                self.items[index].retain(|item| !item.writes);
            } else {
                let code = self.code;
                self.items[index].retain(|item| {
                    !(item.writes && code.known[item.by as usize].instruction.guard() == guarded && !item.stale
                        || item.by == at as u32)
                });
            }
            // The predicate of a generic atomic operation is there when the sources have been read.
            let early = touched.class() == RegisterClass::Predicate
                && known.instruction.opcode() == Opcode::Atom
                && rule::ATOM_PREDICATE.holds_on(known.instruction.isa());
            let own = [control.write_scoreboard, control.read_scoreboard.filter(|_| early)];
            self.add(Item {
                stale,
                ..item(index, true, at, touched.word(), now, own)
            });
        }
        let late = known.timing.sets_read_scoreboard;
        let (timing, isa) = (known.timing, known.instruction.isa());
        if late || timing.latency == Latency::Fixed {
            let is_late = |touched: &&Touched| {
                late && timing.reads_late(touched.class()) || timing.reads_behind(touched.class(), touched.place(), isa)
            };
            for touched in known.footprint.reads().filter(is_late) {
                let Some(index) = touched.register.index() else {
                    continue;
                };
                let code = self.code;
                // One that is read later in the same pipe is read last.
                self.items[index].retain(|item| {
                    let by = &code.known[item.by as usize];
                    let implied = is_in_order(pipe) && by.timing.pipe == pipe && by.instruction.guard() == guarded;
                    item.writes || !(implied || item.by == at as u32)
                });
                self.add(Item {
                    stale,
                    ..item(index, false, at, touched.word(), now, scoreboards)
                });
            }
        }
    }

    /// Items whose guard is written now are no longer excluded by the opposite guard.
    ///
    /// Whether the instruction's own guard is among them.
    fn note_predicates(&mut self, known: &Known) -> bool {
        let implicit = known.instruction.opcode().info().implicit.iter();
        let all = implicit.into_iter().any(|(_, access)| *access != Access::Read);
        let predicates = known.footprint.writes();
        let written = predicates
            .filter(|touched| touched.class() == RegisterClass::Predicate)
            .fold(0_u8, |mask, touched| mask | 1 << (touched.number() % 8));
        if !all && written == 0 {
            return false;
        }
        let changes = |known: &Known| {
            let guard = known.instruction.guard();
            guard.is_some_and(|guard| guard.kind == GuardFile::Predicate && (all || written >> guard.number & 1 != 0))
        };
        let code = self.code;
        self.sweep(|item| {
            item.stale |= changes(&code.known[item.by as usize]);
            true
        });
        changes(known)
    }

    /// What is in flight at the block's end, and where control goes: index, and whether nothing is known to be in flight there.
    fn leave(&mut self, block: std::ops::Range<usize>) -> (State, Vec<(usize, bool)>) {
        let now = self.now + self.stall;
        let mut items = Vec::new();
        let code = self.code;
        let active = std::mem::take(&mut self.active);
        for register in &active {
            self.listed[usize::from(*register)] = false;
            for item in std::mem::take(&mut self.items[usize::from(*register)]) {
                if is_over(&code.known[item.by as usize], &item, now) {
                    continue;
                }
                items.push(Item {
                    issued: -(now - item.issued).min(OLD),
                    ..item
                });
            }
        }
        items.sort_unstable_by_key(Item::key);
        let state = State {
            items,
            set: self.set.map(|set| (set - now).max(NEVER)),
            products: std::mem::take(&mut self.products),
        };
        let mut targets = Vec::new();
        let Some(last) = block.end.checked_sub(1).filter(|_| !block.is_empty()) else {
            return (state, targets);
        };
        let instruction = &code.known[last].instruction;
        let goes_on = instruction.guard().is_some() || instruction.field(FieldName::Pp).is_some_and(|p| p & 7 != 7);
        let next = (block.end, false);
        let jump = target(instruction, last).map(|target| (target, false));
        match instruction.flow() {
            Flow::None | Flow::Diverge | Flow::Leave | Flow::Barrier | Flow::Wait | Flow::Trap => targets.push(next),
            Flow::Branch => {
                targets.extend(jump);
                targets.extend(goes_on.then_some(next));
            }
            Flow::Indirect => {
                let own = code.indirect.iter().filter(|(from, _)| *from == last);
                targets.extend(own.map(|(_, to)| (*to, false)));
                targets.extend(goes_on.then_some(next));
            }
            Flow::Return | Flow::Exit => targets.extend(goes_on.then_some(next)),
            Flow::Call => {
                targets.extend(jump);
                targets.push((block.end, true));
                targets.extend(goes_on.then_some(next));
            }
            // Threads that have met go on behind the wait, which stands before the place that the barrier names.
            Flow::Converge => targets.push(next),
        }
        (state, targets)
    }
}

fn item(register: usize, writes: bool, at: usize, word: u8, now: i32, scoreboards: [Option<u8>; 2]) -> Item {
    let mut after = [UNCOVERED; 6];
    for scoreboard in scoreboards.into_iter().flatten() {
        if let Some(after) = after.get_mut(usize::from(scoreboard)) {
            *after = 0;
        }
    }
    Item {
        register: register as u16,
        writes,
        by: at as u32,
        word,
        stale: false,
        issued: now,
        after,
    }
}

/// Whether an item has ended by itself.
fn is_over(by: &Known, item: &Item, now: i32) -> bool {
    now - item.issued >= OLD && ends_by_itself(by, item)
}

/// Whether time alone ends an item: a result of fixed latency, or sources that are read within a known time.
fn ends_by_itself(by: &Known, item: &Item) -> bool {
    if item.writes {
        let control = by.instruction.control();
        return match by.timing.latency {
            Latency::Fixed => control.write_scoreboard.is_none(),
            Latency::Scoreboard => false,
            Latency::Async | Latency::None => true,
        };
    }
    war_distance(&by.instruction, RegisterClass::Gpr, by.timing).is_some()
}

/// Whether no thread executes both.
fn excluded(item: &Item, first: &Known, second: &Known) -> bool {
    !item.stale && exclude_each_other(&first.instruction, &second.instruction)
}

fn unwaited(what: &str, touched: &Touched, producer: &Known) -> Hazard {
    let sets = match producer.instruction.control().write_scoreboard {
        Some(scoreboard) => format!("sets scoreboard {scoreboard}"),
        None => "sets no scoreboard".to_string(),
    };
    hazard(format!(
        "{} is {what} while `{}` may still have to write it: it {sets}, and nothing has waited for it",
        touched.register.name(),
        producer.instruction
    ))
}

#[cfg(test)]
mod tests;
