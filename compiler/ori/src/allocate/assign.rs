//! Giving physical registers to bundles: several orders are tried, and the one that needs the fewest registers is taken.
//!
//! Where the ranges are those of straight code, the order of their starts needs no more registers than are live at once; tuples and ranges with holes make
//! that a hope and no proof. So other orders are tried where the first needs more than the most that are live at once.

use std::cmp::Reverse;

use warpsmith_sass::RegisterClass;

use crate::convention;

use super::{
    bundle::{Bundle, Bundles},
    evict,
    physical::{DESTROYED, Files},
};

/// Numbers for the bundles of a file.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    /// For each bundle, the number of its first word.
    pub(super) numbers: Vec<Option<u16>>,
    /// The highest number of the file that is used, plus one.
    pub(super) used: u32,
    /// Bundles that found no place.
    pub(super) failed: Vec<u32>,
}

impl Assignment {
    /// Whether fewer bundles found no place, or as many with fewer registers. What is placed later makes it no better.
    fn is_better_than(&self, other: &Assignment) -> bool {
        (self.failed.len(), self.used) < (other.failed.len(), other.used)
    }
}

/// Where words of a file begin to be live, and where they no longer are, in order.
pub(super) fn events(bundles: &Bundles, class: RegisterClass) -> Vec<(u32, i32)> {
    let mut events: Vec<(u32, i32)> = Vec::new();
    for segment in of_class(bundles, class).flat_map(|(_, bundle)| bundle.words.iter().flatten()) {
        events.push((segment.start, 1));
        events.push((segment.end, -1));
    }
    events.sort_unstable();
    events
}

/// The most words of a file that are live at once, and where.
pub(super) fn pressure(bundles: &Bundles, class: RegisterClass) -> (u32, u32) {
    let (mut live, mut most, mut place) = (0, 0, 0);
    for (position, change) in events(bundles, class) {
        live += change;
        if live > most {
            (most, place) = (live, position);
        }
    }
    (most.unsigned_abs(), place)
}

fn of_class(bundles: &Bundles, class: RegisterClass) -> impl Iterator<Item = (u32, &Bundle)> {
    let each = bundles.list.iter().enumerate();
    each.filter(move |(_, bundle)| bundle.class == class && !bundle.members.is_empty())
        .map(|(index, bundle)| (index as u32, bundle))
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// Few registers.
    Few,
    /// Any that there are.
    Any,
    /// What finds no place: it is known that there is not enough for all.
    Failures,
}

/// The orders that are tried.
#[derive(Clone, Copy, Debug)]
enum Order {
    /// By start, the wider first.
    Start,
    /// The wider first, then by start.
    WideStart,
    /// The wider first, then the longer.
    WideLong,
    /// Those that are live longest first, words added up.
    Long,
}

const ORDERS: [Order; 4] = [Order::Start, Order::WideStart, Order::WideLong, Order::Long];
/// For very many bundles.
const FEW_ORDERS: [Order; 2] = [Order::Start, Order::WideStart];

/// A bundle to be placed.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    index: u32,
    start: u32,
    length: u64,
    width: usize,
    /// Registers in which it could be if nothing else had been placed.
    choice: u32,
}

impl Order {
    fn sort(self, list: &mut [Waiting]) {
        match self {
            Order::Start => list.sort_by_key(|one| (one.start, Reverse(one.width))),
            Order::WideStart => list.sort_by_key(|one| (Reverse(one.width), one.start)),
            Order::WideLong => list.sort_by_key(|one| (Reverse(one.width), Reverse(one.length), one.start)),
            Order::Long => list.sort_by_key(|one| (Reverse(one.length), one.start)),
        }
    }
}

/// More bundles than this are ordered in two ways only.
const MANY: usize = 30_000;

/// Numbers for all bundles of a file, below `limit`. `files` holds what is fixed. `restores`: registers that survive calls cost a store and a load.
pub(super) fn assign(
    bundles: &Bundles,
    class: RegisterClass,
    limit: u32,
    files: &Files,
    restores: bool,
    aim: Aim,
) -> Assignment {
    let (live, _) = pressure(bundles, class);
    let mut list: Vec<Waiting> = of_class(bundles, class)
        .filter(|(_, bundle)| bundle.fixed.is_none())
        .map(|(index, bundle)| Waiting {
            index,
            start: bundle.start(),
            length: bundle.length(),
            width: bundle.words.len(),
            choice: 0,
        })
        .collect();
    let fixed = of_class(bundles, class)
        .filter_map(|(_, bundle)| bundle.fixed.map(|number| u32::from(number) + bundle.words.len() as u32))
        .max()
        .unwrap_or(0);
    let search = Search {
        bundles,
        class,
        limit,
        files,
        restores,
        live,
        enough: if aim == Aim::Any { limit } else { live },
        fixed,
        orders: match list.len() {
            0 => &[],
            _ if aim == Aim::Failures => &ORDERS[..1],
            count if count > MANY => &FEW_ORDERS,
            _ => &ORDERS,
        },
    };
    let mut best = search.best_of_orders(&mut list, None);
    if !best.failed.is_empty() && aim != Aim::Failures {
        best = search.harder(&mut list, best);
    }
    for (index, bundle) in of_class(bundles, class) {
        if let Some(number) = bundle.fixed {
            best.numbers[index as usize] = Some(number.into());
        }
    }
    best
}

/// What the orders are tried with.
struct Search<'b> {
    bundles: &'b Bundles,
    class: RegisterClass,
    limit: u32,
    files: &'b Files,
    restores: bool,
    /// Words that are live at once, at most.
    live: u32,
    /// Registers with which an assignment is good enough.
    enough: u32,
    /// Registers that what is fixed uses: the highest plus one.
    fixed: u32,
    orders: &'static [Order],
}

impl Search<'_> {
    fn nothing(&self) -> Assignment {
        Assignment {
            numbers: vec![None; self.bundles.list.len()],
            used: self.fixed,
            failed: Vec::new(),
        }
    }

    /// The best of all orders within those of equal choice, or what is there already.
    fn best_of_orders(&self, list: &mut [Waiting], mut best: Option<Assignment>) -> Assignment {
        for order in self.orders {
            order.sort(list);
            list.sort_by_key(|one| one.choice);
            let found = self.attempt(list, best.as_ref());
            let best = match &mut best {
                Some(best) if !found.is_better_than(best) => best,
                other => other.insert(found),
            };
            if best.failed.is_empty() && best.used <= self.enough {
                break;
            }
        }
        best.unwrap_or_else(|| self.nothing())
    }

    /// One order tried, as long as it may be better than another.
    fn attempt(&self, list: &[Waiting], best: Option<&Assignment>) -> Assignment {
        let mut attempt = Attempt {
            bundles: self.bundles,
            class: self.class,
            limit: self.limit,
            restores: self.restores,
            files: self.files.of_class(self.class),
            result: self.nothing(),
        };
        for one in list {
            attempt.place(one.index, self.live);
            // It will not be better than what is there.
            if best.is_some_and(|best| !attempt.result.is_better_than(best)) {
                break;
            }
        }
        attempt.result
    }

    /// What else is tried where some find no place in the best of the orders.
    fn harder(&self, list: &mut [Waiting], mut best: Assignment) -> Assignment {
        if let Some(found) = self.evicting(&best) {
            return found;
        }
        if self.files.are_destroyed(self.class) {
            // Where the file is not the same everywhere, those that have little choice come first: what could be elsewhere takes no place from them.
            for one in &mut *list {
                let words = &self.bundles.list[one.index as usize].words;
                one.choice = self.files.choice(self.class, words, self.limit);
            }
            best = self.best_of_orders(list, Some(best));
            if best.failed.is_empty() {
                return best;
            }
            if let Some(found) = self.evicting(&best) {
                return found;
            }
        }
        // Which order leaves the wide ones where all fit is not known before; those that place the wider first never did.
        let others = [Order::Start, Order::Long].into_iter().find_map(|order| {
            order.sort(list);
            self.evicting(&self.attempt(list, None))
        });
        others.unwrap_or(best)
    }

    /// Places for all, from those that an order has found on.
    fn evicting(&self, from: &Assignment) -> Option<Assignment> {
        let known = (&from.numbers[..], &from.failed[..]);
        let numbers = evict::place_all(self.bundles, self.class, self.limit, self.files, known)?;
        let ends = (0..).zip(&numbers).filter_map(|(index, number)| {
            let width = self.bundles.list[index as usize].words.len() as u32;
            number.map(|number| u32::from(number) + width)
        });
        Some(Assignment {
            used: ends.max().unwrap_or(0).max(self.fixed),
            numbers,
            failed: Vec::new(),
        })
    }
}

/// One order being tried.
struct Attempt<'b> {
    bundles: &'b Bundles,
    class: RegisterClass,
    limit: u32,
    restores: bool,
    files: Files,
    result: Assignment,
}

impl Attempt<'_> {
    fn place(&mut self, index: u32, target: u32) {
        let bundle = &self.bundles.list[index as usize];
        let width = bundle.words.len() as u32;
        let target = target.max(self.result.used);
        match self.choose(bundle, target) {
            Some(number) => {
                for (word, segments) in bundle.words.iter().enumerate() {
                    self.files.add(self.class, number + word as u16, segments, index);
                }
                self.result.numbers[index as usize] = Some(number);
                self.result.used = self.result.used.max(u32::from(number) + width);
            }
            None => self.result.failed.push(index),
        }
    }

    /// A number at which the bundle fits: below `target` one whose neighbour is in use, so that wide gaps stay; else the lowest.
    fn choose(&self, bundle: &Bundle, target: u32) -> Option<u16> {
        let width = bundle.words.len() as u32;
        let start = bundle.start();
        let buddy = width.next_power_of_two() as u16;
        let mut lowest = None;
        let step = usize::from(bundle.alignment.max(1));
        let last = self.limit.checked_sub(width)? as u16;
        let busy = self.files.busy(self.class, &bundle.words);
        let in_step = |number: u16| usize::from(number - bundle.phase) % step == 0;
        let fits = |number: u16| in_step(number) && busy.is_free(number).unwrap_or_else(|| self.fits(bundle, number));
        if self.restores {
            let is_free = |number: &u16| {
                let mut words = *number..*number + width as u16;
                words.all(|word| word < 32 && !convention::is_saved(word as u8)) && fits(*number)
            };
            let found = (bundle.phase..=last.min(31)).find(is_free);
            if found.is_some() {
                return found;
            }
        }
        let mut next = busy.next(bundle.phase, last);
        while let Some(number) = next {
            next = busy.next(number + 1, last);
            if lowest.is_some() && u32::from(number) + width > target {
                break;
            }
            if !fits(number) {
                continue;
            }
            let inside = u32::from(number) + width <= target;
            if !inside || width > 2 || self.files.is_busy_at(self.class, number ^ buddy, start) {
                return Some(lowest.filter(|_| !inside).unwrap_or(number));
            }
            lowest = lowest.or(Some(number));
        }
        lowest
    }

    fn fits(&self, bundle: &Bundle, number: u16) -> bool {
        let mut words = bundle.words.iter().enumerate();
        words.all(|(word, segments)| self.files.is_free(self.class, number + word as u16, segments))
    }
}

/// Puts what is fixed into the files. An error names two registers that must both be in one.
pub(super) fn fix(bundles: &Bundles, files: &mut Files) -> Result<(), (u32, u32)> {
    let mut conflicts = Vec::new();
    for (index, bundle) in bundles.list.iter().enumerate() {
        let Some(fixed) = bundle.fixed else { continue };
        for (word, segments) in bundle.words.iter().enumerate() {
            let number = u16::from(fixed) + word as u16;
            files.conflicts(bundle.class, number, segments, &mut conflicts);
            if let Some(other) = conflicts.first() {
                let register = |index: u32| {
                    let bundle = bundles.list.get(index as usize);
                    bundle
                        .and_then(|bundle| bundle.members.first())
                        .map_or(DESTROYED, |member| member.0)
                };
                return Err((register(index as u32), register(*other)));
            }
            files.add(bundle.class, number, segments, index as u32);
        }
    }
    Ok(())
}
