//! Register allocation.
//!
//! Registers are split into webs ([`ranges`]), the registers of copies joined into bundles ([`bundle`]), and bundles get physical registers ([`assign`]).
//! Where a file has not enough of them, some are spilled ([`crate::spill`]), and all starts again. The files go one after the other, general registers last,
//! since the others are spilled to them.
//!
//! What comes out is the function with copies gone that turned out to copy a register to itself, and a physical number for each register. Each instruction
//! says where it comes from, so that [`crate::verify`] can follow every value from the function as it was.

mod assign;
mod barriers;
pub(crate) mod budget;
mod bundle;
mod evict;
mod held;
pub(crate) mod join;
pub(crate) mod loops;
mod others;
mod physical;
pub(crate) mod ranges;
pub(crate) mod regions;
mod spread;
pub(crate) mod touches;

use rustc_hash::FxHashSet;
use warpsmith_base::fault;
use warpsmith_sass::{FieldName, Opcode, RegisterClass};

pub(crate) use self::bundle::overlap as overlapping;
use self::{
    assign::{Aim, Assignment, assign, fix, pressure},
    bundle::{Bundles, Copied, Long},
    loops::Loops,
    physical::{CLASSES, DESTROYED, Files},
    ranges::{Ranges, Segment, split_into_webs},
    touches::Touches,
};
use crate::{
    ir::{Function, Instruction, Operand, Register},
    phase::Context,
    spill::{
        self, Origin,
        plan::{Given, NextUses, plan},
        warp::{self, Alike},
    },
};

/// The physical register of each virtual register.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allocation {
    /// Number of the first word; `None` for registers that nothing touches.
    pub(crate) numbers: Vec<Option<u8>>,
    /// General registers used: the highest number plus one.
    pub(crate) used: u32,
    /// Where the instructions of each block come from.
    pub(crate) origins: Vec<Vec<Origin>>,
}

/// The stack pointer.
const STACK_POINTER: u8 = 1;
/// Where so many words more could be live than where least could, room does not lack: tuples and their alignment leave gaps.
const SLACK: i32 = 4;
/// The file that takes general registers which all threads of the warp have alike.
const UNIFORM: RegisterClass = RegisterClass::UniformGpr;
/// How often a file is spilled anew, each time with less room, before allocation gives up.
const TRIES: u32 = 40;

/// Which tuples are computed from each other in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InPlace {
    /// Those of [`WIDE`] words and more.
    Wide,
    /// None.
    Nothing,
}

/// How many registers fewer than there are the code is scheduled for where registers are spilled: tuples and their alignment leave gaps.
const FEWER: [u32; 3] = [8, 24, FEWEST];
/// So many fewer are tried for the sake of wide tuples alone: what others leave is seldom side by side.
const FEWEST: u32 = 56;
/// Functions of so many instructions are not scheduled again.
const MANY: usize = 10_000;
/// So often less room is tried in small steps: a tuple that found no place may lack much less than it is wide.
const FINE: u32 = 8;
/// Functions of so many instructions are spilled in larger steps: fewer tries, and at most a few registers that could have stayed.
const LARGE: usize = 8_000;

/// Of an attempt that spills so many times what another did nothing is expected: with less room it will spill yet more, and of what is of no use in the end it
/// can take out only part.
const IN_VAIN: u32 = 2;

/// Bytes that go to and come from the stack, by the text of the function.
fn spilled(function: &Function) -> u32 {
    function.spill_store_bytes.saturating_add(function.spill_load_bytes)
}

/// Gives every register of a function a physical one, and checks that no value is lost.
///
/// # Errors
/// There is no room, and spilling does not make any.
pub(crate) fn run(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    if function.serial_products {
        crate::products::close_up(function);
    }
    let mut best = Attempt::new(function.clone(), context, u32::MAX)?;
    if best.after.spill_load_bytes > 0 && function.instruction_count() < MANY && context.options.level >= 2 {
        best = fewer_spills(function, best, context);
    }
    let Attempt {
        before,
        after,
        mut allocation,
        ..
    } = best;
    *function = after;
    crate::verify_allocation::check(&before, function, &allocation)
        .map_err(|what| fault::internal(format_args!("register allocation: {what}")))?;
    // What follows adds instructions of its own.
    allocation.origins = Vec::new();
    function.allocation = Some(allocation);
    Ok(())
}

/// A function before and after allocation.
struct Attempt {
    before: Function,
    after: Function,
    allocation: Allocation,
    /// Whether more general registers were live at once than there are.
    overfull: bool,
}

impl Attempt {
    /// Allocates a function, unless it spills more than so many bytes.
    fn new(before: Function, context: &Context<'_>, most: u32) -> Result<Attempt, String> {
        let mut after = before.clone();
        let (allocation, overfull) = allocate(&mut after, context, most)?;
        Ok(Attempt {
            before,
            after,
            allocation,
            overfull,
        })
    }
}

/// Of some attempts to allocate a function, the one that spills least; `best` is the first.
fn fewer_spills(function: &Function, mut best: Attempt, context: &Context<'_>) -> Attempt {
    let has_wide = function.registers.iter().any(|register| register.words >= WIDE);
    let has_regions = regions::any(function);
    for fewer in FEWER.into_iter().filter(|fewer| *fewer < FEWEST || has_wide) {
        if best.after.spill_load_bytes == 0 {
            break;
        }
        // The code that did best so far is scheduled on.
        let mut other = best.before.clone();
        crate::schedule::schedule_for_fewer(&mut other, fewer);
        if other.serial_products {
            crate::products::close_up(&mut other);
        }
        let most = IN_VAIN * spilled(&best.after);
        match Attempt::new(other, context, most) {
            Ok(attempt) if spilled(&attempt.after) < spilled(&best.after) => {
                if context.fuel.take() {
                    best = attempt;
                }
            }
            // Where the program gives registers back it is parts that have few in any case, and still fewer have seldom done better.
            Ok(_) | Err(_) if has_regions && !best.overfull => break,
            Ok(_) | Err(_) => {}
        }
    }
    best
}

/// Allocates a function. Tells with it whether more general registers were live at once than there are.
fn allocate(function: &mut Function, context: &Context<'_>, most: u32) -> Result<(Allocation, bool), String> {
    let mut origins = number(function);
    if let Some(stack) = function.stack {
        function.registers[stack.0 as usize].fixed = Some(STACK_POINTER);
    }
    let mut spilling: Option<Spilling> = None;
    let mut long = Long::Anywhere;
    let (mut in_place, mut tried_apart) = (InPlace::Wide, false);
    let mut overfull = false;
    for _ in 0..TRIES * CLASSES.len() as u32 {
        let mut round = Round::new(function, in_place, long)?;
        let mut failure = round.assign(function);
        let lacking = round.lacking_in_one_piece(&failure);
        if lacking > 0 && !std::mem::replace(&mut tried_apart, true) {
            // Tuples that hold several values fit into fewer gaps.
            let mut apart = function.clone();
            let mut other = Round::new(&mut apart, InPlace::Nothing, long)?;
            let left = other.assign(&apart);
            if other.lacking_in_one_piece(&left) < lacking {
                in_place = InPlace::Nothing;
                (*function, round, failure) = (apart, other, left);
            }
        }
        let Some(Failure { class, failed, .. }) = failure else {
            if spilling.is_some() {
                spill::dead::remove_all(function, &mut origins);
            }
            if function.kernel && context.options.level >= 2 && context.fuel.take() {
                round.spread(function);
            }
            return Ok((round.finish(function, origins), overfull));
        };
        if class == RegisterClass::UniformGpr && long == Long::Anywhere {
            long = Long::Outside;
            continue;
        }
        let limit = budget::limit(function, class);
        overfull |= class == RegisterClass::Gpr && round.most_live(class) > limit;
        let from = match spilling.take() {
            Some(from) if from.class == class => {
                let places = places(function, class);
                let slacks = round.slacks(function, class, &places);
                let lacking = round.lacking(&failed, &places, &slacks);
                // What found no place is at least so much too much.
                let width = |index: &u32| round.bundles.list[*index as usize].words.len() as u32;
                let least = failed.iter().map(width).max().unwrap_or(1).div_ceil(2).clamp(1, 4);
                let part = match from.tries {
                    _ if function.instruction_count() >= LARGE => 2,
                    0..FINE => 16,
                    _ => 4,
                };
                let room = from.room.smaller(&lacking, least, part, limit);
                let tries = from.tries + 1;
                Spilling { room, tries, ..from }
            }
            // What is kept in uniform registers took their places from others.
            Some(from) if from.class == RegisterClass::Gpr && from.alike.is_some() => Spilling { alike: None, ..from },
            Some(_) | None => Spilling {
                room: Room {
                    most: round
                        .first_room(function, class, &failed)
                        .saturating_sub(reserved(function, class)),
                    least_free: reserved(function, class),
                    kept_free: Vec::new(),
                },
                function: function.clone(),
                origins: std::mem::take(&mut origins),
                class,
                alike: match class {
                    RegisterClass::Gpr if context.options.level >= 2 => round.alike(function, context),
                    _ => None,
                },
                uses: round.next_uses(function, class),
                round,
                tries: 0,
            },
        };
        if from.room.most == 0 || from.room.kept_free.iter().any(|(_, kept_free)| *kept_free >= limit) {
            return Err(from.round.lack(class, limit));
        }
        function.clone_from(&from.function);
        origins.clone_from(&from.origins);
        from.round.spill(function, &mut origins, context, &from)?;
        if spilled(function) > most {
            return Err("what is spilled is more than it may be".to_string());
        }
        spilling = Some(from);
    }
    Err(fault::internal("spilling does not end"))
}

/// What spilling of a file starts from each time, and the room that was tried last.
struct Spilling {
    function: Function,
    origins: Vec<Vec<Origin>>,
    class: RegisterClass,
    uses: NextUses,
    round: Round,
    room: Room,
    /// What may be kept in uniform registers, if these had room for it so far.
    alike: Option<Alike>,
    /// How often less room was tried.
    tries: u32,
}

/// By how many words less room is tried next where `lacking` found none: one in `part` of them, at least `least`, and not more than a quarter of what is left,
/// so that no room is passed over that would do.
fn step(lacking: u32, least: u32, part: u32, left: u32) -> u32 {
    match lacking {
        0 => 0,
        lacking => least.max((lacking / part).min(left / 4)),
    }
}

/// Where an instruction stands: how many registers of a file the warp has given back there, and 0 where it has all but the instruction destroys some;
/// [`EVERYWHERE`] where neither is so.
type Position = u32;

/// The position where the whole file is there.
const EVERYWHERE: Position = u32::MAX;

/// How many words of a file may be live.
#[derive(Clone, Debug)]
struct Room {
    /// Anywhere.
    most: u32,
    /// Of those that are left where instructions destroy some, or where the warp has given some back, so many stay free, by position.
    kept_free: Vec<(Position, u32)>,
    /// The same where nothing else is said.
    least_free: u32,
}

impl Room {
    fn kept_free(&self, position: Position) -> u32 {
        let known = self.kept_free.iter().find(|(own, _)| *own == position);
        known.map_or(self.least_free, |(_, kept_free)| *kept_free)
    }

    /// The room that is tried where in this so many words lack, by position.
    fn smaller(&self, lacking: &[(Position, u32)], least: u32, part: u32, limit: u32) -> Room {
        let mut room = self.clone();
        for &(position, lack) in lacking {
            if position == EVERYWHERE {
                room.most = self.most.saturating_sub(step(lack, least, part, self.most));
                continue;
            }
            let free = self.kept_free(position);
            let free = free + step(lack, least, 2 * part, limit.saturating_sub(position + free));
            match room.kept_free.iter_mut().find(|(own, _)| *own == position) {
                Some(known) => known.1 = free,
                None => room.kept_free.push((position, free)),
            }
        }
        room
    }
}

/// Words of a file that spilling itself needs.
fn reserved(function: &Function, class: RegisterClass) -> u32 {
    match class {
        // The stack pointer, which is not among the live ones before there is a frame.
        RegisterClass::Gpr => u32::from(function.stack.is_none()),
        // The barrier through which the others go.
        RegisterClass::Barrier => 1,
        RegisterClass::UniformGpr | RegisterClass::Predicate => 0,
        RegisterClass::UniformPredicate | RegisterClass::Scoreboard => 0,
    }
}

/// The instructions of a function, numbered through.
fn number(function: &Function) -> Vec<Vec<Origin>> {
    let mut numbers = 0..;
    let blocks = function.blocks.iter();
    blocks
        .map(|block| numbers.by_ref().take(block.code.len()).map(Origin::Of).collect())
        .collect()
}

/// A file that was not enough.
struct Failure {
    class: RegisterClass,
    /// The bundles that found no place.
    failed: Vec<u32>,
    /// Whether there are fewer registers than are live at once.
    hopeless: bool,
}

/// One attempt at allocation.
struct Round {
    touches: Touches,
    ranges: Ranges,
    bundles: Bundles,
    files: Files,
    loops: Loops,
    numbers: Vec<Option<u16>>,
    used: u32,
}

impl Round {
    fn new(function: &mut Function, in_place: InPlace, long: Long) -> Result<Round, String> {
        let mut touches = Touches::of(function);
        let stack = function.stack;
        let ranges = split_into_webs(function, &mut touches, stack);
        let loops = Loops::of(function);
        let mut bundles = Bundles::of(function, &touches, &ranges).map_err(|misaligned| {
            let register = crate::text::register(function, Register(misaligned.register));
            fault::internal(format_args!(
                "{register} is used as parts of tuples that cannot be aligned together"
            ))
        })?;
        let mut files = Files::new();
        fix(&bundles, &mut files).map_err(|(a, b)| {
            let name = |register: u32| match function.registers.get(register as usize) {
                Some(_) => crate::text::register(function, Register(register)),
                None => "something else".to_string(),
            };
            fault::internal(format_args!(
                "{} and {} must be in the same register at once",
                name(a),
                name(b)
            ))
        })?;
        withhold(function, &mut files);
        destroy(function, &mut files);
        bundles.coalesce(&mut copies(function, &loops, in_place), &mut files, long);
        Ok(Round {
            touches,
            ranges,
            bundles,
            files,
            loops,
            numbers: Vec::new(),
            used: 0,
        })
    }

    /// Assigns file after file; the first that does not fit.
    fn assign(&mut self, function: &Function) -> Option<Failure> {
        self.numbers = vec![None; self.bundles.list.len()];
        for class in CLASSES {
            let limit = budget::limit(function, class);
            let restores = class == RegisterClass::Gpr && !function.kernel;
            let hopeless = self.is_overfull(function, class);
            let aim = match class {
                _ if hopeless => Aim::Failures,
                // Such a warp starts with as many as it ever asks for.
                RegisterClass::Gpr if regions::any(function) => Aim::Any,
                _ => Aim::Few,
            };
            let Assignment { numbers, used, failed } = assign(&self.bundles, class, limit, &self.files, restores, aim);
            if !failed.is_empty() {
                return Some(Failure {
                    class,
                    failed,
                    hopeless,
                });
            }
            for (own, number) in self.numbers.iter_mut().zip(numbers) {
                *own = own.or(number);
            }
            if class == RegisterClass::Gpr {
                self.used = used;
            }
        }
        None
    }

    /// Whether more words of a file are live somewhere than the warp has there, so that no way of assigning them can do.
    fn is_overfull(&self, function: &Function, class: RegisterClass) -> bool {
        let limit = budget::limit(function, class);
        let missing = missing(function, class);
        let mut live = 0_u32;
        let events = assign::events(&self.bundles, class);
        let mut events = events.chunk_by(|a, b| a.0 == b.0);
        events.any(|changes| {
            for (_, change) in changes {
                live = live.saturating_add_signed(*change);
            }
            let gone = missing.get(changes[0].0 as usize / 2).copied().unwrap_or(0);
            live > limit.saturating_sub(gone)
        })
    }

    /// How many words of wide tuples found no place although there would be room if it were in one piece.
    fn lacking_in_one_piece(&self, failure: &Option<Failure>) -> usize {
        let of_gaps = |failure: &&Failure| failure.class == RegisterClass::Gpr && !failure.hopeless;
        let failed = failure
            .as_ref()
            .filter(of_gaps)
            .map_or(&[][..], |failure| &failure.failed);
        let widths = failed
            .iter()
            .map(|index| self.bundles.list[*index as usize].words.len());
        widths.filter(|width| *width >= usize::from(WIDE)).sum()
    }

    /// Moves what is live for a short time among the registers that the function has in any case.
    fn spread(&mut self, function: &Function) {
        for class in [
            RegisterClass::Gpr,
            RegisterClass::UniformGpr,
            RegisterClass::Predicate,
            RegisterClass::UniformPredicate,
        ] {
            let all = budget::limit(function, class);
            let limit = match class {
                RegisterClass::Gpr => budget::whole_units(function, self.used).min(all),
                _ => all,
            };
            spread::spread(&self.bundles, class, limit, &self.files, &mut self.numbers);
            if class == RegisterClass::Gpr {
                let ends = self.bundles.list.iter().zip(&self.numbers);
                let ends = ends
                    .filter(|(bundle, _)| bundle.class == class)
                    .filter_map(|(bundle, number)| number.map(|number| u32::from(number) + bundle.words.len() as u32));
                self.used = ends.max().unwrap_or(0).max(self.used);
            }
        }
    }

    /// How many words of a file may be live anywhere when it is spilled first: as many as are, where some that the whole file is there for found no place.
    fn first_room(&self, function: &Function, class: RegisterClass, failed: &[u32]) -> u32 {
        let limit = budget::limit(function, class);
        let places = places(function, class);
        let lacking = self.lacking(failed, &places, &self.slacks(function, class, &places));
        match lacking.iter().any(|(position, _)| *position == EVERYWHERE) {
            true => limit.min(self.most_live(class)),
            false => limit,
        }
    }

    /// How many words of bundles that found no place are live at once, by position.
    fn lacking(&self, failed: &[u32], places: &[Position], slacks: &[(Position, i32)]) -> Vec<(Position, u32)> {
        let bundles = failed.iter().map(|index| &self.bundles.list[*index as usize]);
        let mut changes: Vec<(u32, i32)> = Vec::new();
        for segment in bundles.flat_map(|bundle| bundle.words.iter().flatten()) {
            changes.extend([(segment.start / 2, 1), (segment.end.div_ceil(2), -1)]);
        }
        changes.sort_unstable();
        let mut found: Vec<(Position, u32)> = Vec::new();
        let mut live = 0_u32;
        for pair in changes.windows(2) {
            live = live.saturating_add_signed(pair[0].1);
            let part = places.get(pair[0].0 as usize..(pair[1].0 as usize).min(places.len()));
            for run in part.unwrap_or(&[]).chunk_by(|a, b| a == b) {
                match found.iter_mut().find(|(position, _)| *position == run[0]) {
                    Some(known) => known.1 = known.1.max(live),
                    None => found.push((run[0], live)),
                }
            }
        }
        found.retain(|(_, lack)| *lack > 0);
        // What is live in several positions has found no register that is free in all of them: least room is to blame, and not what has plenty.
        let slack = |position: Position| {
            let known = slacks.iter().find(|(own, _)| *own == position);
            known.map_or(i32::MAX, |(_, slack)| *slack)
        };
        let least = found.iter().map(|(position, _)| slack(*position)).min().unwrap_or(0);
        found.retain(|(position, _)| slack(*position) <= least.saturating_add(SLACK));
        if found.is_empty() {
            found.push((EVERYWHERE, 1));
        }
        found
    }

    /// How many more words of a file could be live where most are, by position.
    fn slacks(&self, function: &Function, class: RegisterClass, places: &[Position]) -> Vec<(Position, i32)> {
        if places.is_empty() {
            return Vec::new();
        }
        let limit = budget::limit(function, class);
        let (missing, destroyed) = (missing(function, class), destroyed(function, class));
        let mut events = assign::events(&self.bundles, class).into_iter().peekable();
        let mut live = 0;
        let mut found: Vec<(Position, i32)> = Vec::new();
        for point in 0..2 * places.len() as u32 {
            while let Some((_, change)) = events.next_if(|event| event.0 <= point) {
                live += change;
            }
            let at = point as usize / 2;
            // A call destroys behind itself.
            let (gone, position) = match point % 2 {
                0 if places[at] == 0 => (0, EVERYWHERE),
                0 => (missing.get(at).copied().unwrap_or(0), places[at]),
                _ => (destroyed[at], places[at]),
            };
            let slack = limit.saturating_sub(gone) as i32 - live;
            match found.iter_mut().find(|(own, _)| *own == position) {
                Some((_, least)) => *least = slack.min(*least),
                None => found.push((position, slack)),
            }
        }
        found
    }

    fn next_uses(&self, function: &Function, class: RegisterClass) -> NextUses {
        NextUses::of(function, &self.touches, &self.ranges, &self.loops, class)
    }

    fn most_live(&self, class: RegisterClass) -> u32 {
        pressure(&self.bundles, class).0
    }

    fn spill(
        &self,
        function: &mut Function,
        origins: &mut [Vec<Origin>],
        context: &Context<'_>,
        Spilling {
            class,
            uses,
            room,
            alike,
            ..
        }: &Spilling,
    ) -> Result<(), String> {
        let class = *class;
        let limit = budget::limit(function, class);
        let places = places(function, class);
        let left = |destroyed: Vec<u32>| -> Vec<u32> {
            let each = destroyed
                .into_iter()
                .zip(&places)
                .map(|(destroyed, position)| match destroyed {
                    0 => u32::MAX,
                    destroyed => limit.saturating_sub(destroyed + room.kept_free(*position)),
                });
            each.collect()
        };
        let (given, left) = (left(missing(function, class)), left(destroyed(function, class)));
        let own: &Function = function;
        let make = |kept: &[u32]| {
            plan(Given {
                function: own,
                touches: &self.touches,
                ranges: &self.ranges,
                loops: &self.loops,
                uses,
                class,
                room: room.most,
                given: &given,
                left: &left,
                kept,
                alike: alike.as_ref(),
            })
        };
        let plan = match class {
            RegisterClass::Gpr => spill::again::sparing(own, origins, make(&[]), &self.ranges, make),
            RegisterClass::Barrier => make(&barriers::left(own)),
            RegisterClass::Predicate
            | RegisterClass::UniformGpr
            | RegisterClass::UniformPredicate
            | RegisterClass::Scoreboard => make(&[]),
        };
        let widths: Vec<u8> = function.registers.iter().map(|info| info.words).collect();
        let mut files = alike.as_ref().map(|_| self.assigned(UNIFORM));
        let limit = budget::limit(function, UNIFORM) as u16;
        let mut take = |register: u32| {
            let words = (0..widths[register as usize]).map(|word| self.ranges.of(register, word));
            files.as_mut().is_some_and(|files| files.take(UNIFORM, limit, words))
        };
        let room = alike.as_ref().map(|alike| warp::Room { alike, take: &mut take });
        spill::carry_out(function, origins, context.selector, &plan, class, &self.ranges, room)
    }

    /// The general registers for which there would be uniform ones, and which these can hold.
    fn alike(&self, function: &Function, context: &Context<'_>) -> Option<Alike> {
        let mut alike = Alike::of(function, context.selector)?;
        let files = self.assigned(UNIFORM);
        let limit = budget::limit(function, UNIFORM) as u16;
        alike.retain(|register| {
            let words = 0..function.info(Register(register)).words;
            { words }.all(|word| files.free(UNIFORM, limit, self.ranges.of(register, word)).is_some())
        });
        Some(alike)
    }

    /// The registers of a file with what has been assigned to them.
    fn assigned(&self, class: RegisterClass) -> Files {
        let mut files = self.files.of_class(class);
        let bundles = (0..).zip(&self.bundles.list).zip(&self.numbers);
        for ((index, bundle), number) in bundles.filter(|((_, bundle), _)| bundle.class == class) {
            let words = (0..).zip(&bundle.words);
            for (word, segments) in words.filter(|_| bundle.fixed.is_none()) {
                if let Some(number) = number {
                    files.add(class, number + word, segments, index);
                }
            }
        }
        files
    }

    /// Why there is no room.
    fn lack(&self, class: RegisterClass, limit: u32) -> String {
        let (live, at) = pressure(&self.bundles, class);
        let file = match class {
            RegisterClass::Gpr => "general registers",
            RegisterClass::UniformGpr => "uniform registers",
            RegisterClass::Predicate => "predicates",
            RegisterClass::UniformPredicate => "uniform predicates",
            RegisterClass::Barrier => "convergence barriers",
            RegisterClass::Scoreboard => "scoreboards",
        };
        let block = self
            .touches
            .block_first
            .partition_point(|first| 2 * first <= at)
            .saturating_sub(1);
        format!("{limit} {file} are not enough even with spilling: {live} are live at once in block {block}")
    }

    /// Removes copies of a register to itself.
    fn finish(self, function: &mut Function, mut origins: Vec<Vec<Origin>>) -> Allocation {
        let mut numbers: Vec<Option<u8>> = vec![None; function.registers.len()];
        for (register, place) in self.bundles.place.iter().enumerate() {
            let number = self.numbers.get(place.0 as usize).copied().flatten();
            numbers[register] = number.and_then(|number| u8::try_from(number + place.1).ok());
        }
        // Operands that the modifiers leave unused have a field all the same.
        for operand in function
            .blocks
            .iter()
            .flat_map(|block| &block.code)
            .flat_map(|i| &i.operands)
        {
            numbers[operand.register.0 as usize].get_or_insert(0);
        }
        let at = |register: u32, word: u8| numbers[register as usize].map(|number| u16::from(number) + u16::from(word));
        for (block, origins) in function.blocks.iter_mut().zip(&mut origins) {
            let code = std::mem::take(&mut block.code);
            let old = std::mem::take(origins);
            for (instruction, origin) in code.into_iter().zip(old) {
                let identity = copy_of(&instruction).is_some_and(|(to, from)| at(to.0, to.1) == at(from.0, from.1));
                if !identity {
                    block.code.push(instruction);
                    origins.push(origin);
                }
            }
        }
        // A warp that changes how many it has starts with all that it may have then.
        let used = match regions::any(function) {
            true => regions::start(function).saturating_sub(function.sm.info().registers.reserved_per_thread),
            false => self.used,
        };
        Allocation { numbers, used, origins }
    }
}

/// A word of a register.
type Word = (u32, u8);

/// The words that a copy of one register goes to and comes from.
pub(crate) fn copy_of(instruction: &Instruction) -> Option<(Word, Word)> {
    let (target, source) = match (instruction.base.opcode(), instruction.base.form().name) {
        (Opcode::Mov, "R_R") => (FieldName::Rd, FieldName::Rb),
        (Opcode::Umov, "UR_UR") => (FieldName::URd, FieldName::URb),
        _ => return None,
    };
    // A copy of some bytes only is none.
    let whole = instruction
        .base
        .field(FieldName::LaneMask)
        .is_none_or(|mask| mask == 0xf);
    let operand = |field: FieldName| instruction.operands.iter().find(|operand| operand.field == field);
    let (to, from) = (operand(target)?, operand(source)?);
    (whole && instruction.effects.is_none()).then_some(((to.register.0, to.word), (from.register.0, from.word)))
}

/// The sums that a matrix product reads and writes, which are best the same registers: they then stay where they are for all of a chain of products, and
/// leave no holes that no tuple fits into. (ptxas allocates so.)
fn sums_of(instruction: &Instruction) -> Option<(Word, Word)> {
    let is_product = matches!(
        instruction.base.opcode(),
        Opcode::Hmma | Opcode::Imma | Opcode::Dmma | Opcode::Bmma | Opcode::Qmma | Opcode::Omma
    );
    let operand = |field: FieldName| instruction.operands.iter().find(|operand| operand.field == field);
    let (to, from) = (operand(FieldName::Rd)?, operand(FieldName::Rc)?);
    is_product.then_some(((to.register.0, to.word), (from.register.0, from.word)))
}

/// Tuples of so many words are computed from each other in place where that is possible: there is seldom room for two of them.
const WIDE: u8 = 16;

/// The words of two wide tuples of which an instruction computes one from the other.
fn in_place(function: &Function, instruction: &Instruction) -> Option<(Word, Word)> {
    let is_wide = |operand: &&Operand| {
        let info = function.info(operand.register);
        info.words >= WIDE && info.class == RegisterClass::Gpr
    };
    let mut operands = instruction.operands.iter();
    let to = operands
        .find(|operand| operand.field == FieldName::Rd)
        .filter(is_wide)?;
    let mut sources = instruction.operands.iter().filter(is_wide);
    let from = sources.find(|operand| operand.field != FieldName::Rd && operand.register != to.register)?;
    Some(((to.register.0, to.word), (from.register.0, from.word)))
}

/// All copies, with a guess of how often they are executed, and what is best treated as copies.
fn copies(function: &Function, loops: &Loops, wide: InPlace) -> Vec<Copied> {
    let mut found = Vec::new();
    let mut known = FxHashSet::default();
    for (index, block) in function.blocks.iter().enumerate() {
        let weight = 8_u32.pow(loops.depth(index as u32).min(6));
        for instruction in &block.code {
            if let Some((to, from)) = copy_of(instruction) {
                found.push(Copied {
                    to,
                    from,
                    weight: 2 * weight,
                });
            } else if let Some((to, from)) = sums_of(instruction) {
                found.push(Copied { to, from, weight });
            } else if wide == InPlace::Wide
                && let Some((to, from)) = in_place(function, instruction)
                && known.insert((to.0, from.0))
            {
                found.push(Copied {
                    to,
                    from,
                    weight: weight / 2,
                });
            }
        }
    }
    found
}

/// Marks registers that the warp does not have everywhere.
fn withhold(function: &Function, files: &mut Files) {
    let class = RegisterClass::Gpr;
    let most = budget::limit(function, class);
    let reserved = function.sm.info().registers.reserved_per_thread;
    let limits = regions::limits(function);
    let mut start = 0;
    for run in limits.chunk_by(|a, b| a == b) {
        let at = [Segment {
            start: 2 * start as u32,
            end: 2 * (start + run.len()) as u32,
        }];
        for number in run[0].saturating_sub(reserved)..most {
            if files.is_free(class, number as u16, &at) {
                files.add(class, number as u16, &at, DESTROYED);
            }
        }
        start += run.len();
    }
    let everywhere = [Segment {
        start: 0,
        end: 2 * function.instruction_count() as u32 + 2,
    }];
    for number in function.reserved.members(class) {
        if files.is_free(class, number.into(), &everywhere) {
            files.add(class, number.into(), &everywhere, DESTROYED);
        }
    }
}

/// Marks what calls destroy.
fn destroy(function: &Function, files: &mut Files) {
    let instructions = function.blocks.iter().flat_map(|block| &block.code);
    for (number, instruction) in instructions.enumerate() {
        let Some(effects) = &instruction.effects else { continue };
        let at = [Segment {
            start: 2 * number as u32 + 1,
            end: 2 * number as u32 + 2,
        }];
        for class in CLASSES {
            for register in effects.clobbers.members(class) {
                // A result of the call is there already.
                if files.is_free(class, register.into(), &at) {
                    files.add(class, register.into(), &at, DESTROYED);
                }
            }
        }
    }
}

/// For each instruction, how many registers of a file the warp does not have there; empty if it has all everywhere.
fn missing(function: &Function, class: RegisterClass) -> Vec<u32> {
    let limit = budget::limit(function, class);
    if class != RegisterClass::Gpr {
        return Vec::new();
    }
    let withheld = function
        .reserved
        .members(class)
        .filter(|number| u32::from(*number) < limit);
    let withheld = withheld.count() as u32;
    let mut limits = regions::limits(function);
    if limits.is_empty() && withheld > 0 {
        limits = vec![u32::MAX; function.instruction_count()];
    }
    let reserved = function.sm.info().registers.reserved_per_thread;
    let missing = |own: u32| limit.saturating_sub(own.saturating_sub(reserved)) + withheld;
    limits.into_iter().map(missing).collect()
}

/// Where each instruction stands; empty if the whole file is there everywhere.
fn places(function: &Function, class: RegisterClass) -> Vec<Position> {
    let missing = missing(function, class);
    let destroyed = destroyed(function, class);
    if destroyed.is_empty() {
        return Vec::new();
    }
    let each = (0..function.instruction_count()).map(|index| match missing.get(index) {
        Some(missing) if *missing > 0 => *missing,
        _ if destroyed.get(index).is_some_and(|destroyed| *destroyed > 0) => 0,
        _ => EVERYWHERE,
    });
    each.collect()
}

/// For each instruction, how many registers of a file it destroys, or the warp does not have there; empty if there is no such instruction.
fn destroyed(function: &Function, class: RegisterClass) -> Vec<u32> {
    let limit = budget::limit(function, class);
    let instructions = || function.blocks.iter().flat_map(|block| &block.code);
    let missing = missing(function, class);
    if missing.is_empty() && instructions().all(|instruction| instruction.effects.is_none()) {
        return Vec::new();
    }
    instructions()
        .enumerate()
        .map(|(index, instruction)| {
            let missing = missing.get(index).copied().unwrap_or(0);
            let members = instruction
                .effects
                .iter()
                .flat_map(|effects| effects.clobbers.members(class));
            missing + members.filter(|number| u32::from(*number) < limit - missing).count() as u32
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{EVERYWHERE, Room, step};

    #[test]
    fn steps_leave_no_room_out_that_would_do() {
        assert_eq!(step(0, 1, 4, 60), 0);
        assert_eq!(step(3, 1, 4, 60), 1);
        assert_eq!(step(40, 1, 4, 60), 10);
        // A hundred lack in a file of 63: half of that would leave almost nothing to try.
        assert_eq!(step(100, 1, 2, 60), 15);
        // Tuples are as wide as they are.
        assert_eq!(step(100, 4, 2, 8), 4);
        // From 63 on, room is found down to one word in few tries.
        let mut tried = vec![63];
        while tried.last().is_some_and(|room| *room > 1) {
            let room = tried[tried.len() - 1];
            tried.push(room - step(100, 1, 2, room));
        }
        assert_eq!(tried, [63, 48, 36, 27, 21, 16, 12, 9, 7, 6, 5, 4, 3, 2, 1]);
    }

    #[test]
    fn what_lacks_in_one_place_is_kept_free_there_alone() {
        let room = Room {
            most: 250,
            kept_free: Vec::new(),
            least_free: 1,
        };
        // A warp with 24 of 255 registers lacks nothing where one with 88 lacks much.
        let (few, many) = (231, 167);
        let smaller = room.smaller(&[(many, 40), (EVERYWHERE, 8)], 1, 4, 255);
        assert_eq!(smaller.kept_free(many), 6);
        assert_eq!(smaller.kept_free(few), 1);
        assert_eq!(smaller.most, 248);
        // At most a quarter of what is left there goes at once.
        assert_eq!(room.smaller(&[(few, 200)], 1, 4, 255).kept_free(few), 1 + 23 / 4);
    }
}
