//! The physical registers and what is live in each.

use warpsmith_sass::RegisterClass;

use super::ranges::Segment;

/// A bundle live in a physical register.
#[derive(Clone, Copy, Debug)]
struct Held {
    start: u32,
    end: u32,
    bundle: u32,
}

/// In place of a bundle: the register is destroyed.
pub(super) const DESTROYED: u32 = u32::MAX;

/// The files that are allocated, in the order in which spilling goes.
pub(super) const CLASSES: [RegisterClass; 5] = [
    RegisterClass::Barrier,
    RegisterClass::UniformPredicate,
    RegisterClass::Predicate,
    RegisterClass::UniformGpr,
    RegisterClass::Gpr,
];

fn index(class: RegisterClass) -> usize {
    match class {
        RegisterClass::Gpr => 0,
        RegisterClass::UniformGpr => 1,
        RegisterClass::Predicate => 2,
        RegisterClass::UniformPredicate => 3,
        RegisterClass::Barrier => 4,
        RegisterClass::Scoreboard => 5,
    }
}

/// What is live in the registers of every file. Each register has its segments in order.
#[derive(Clone, Debug)]
pub(super) struct Files {
    files: [Vec<Vec<Held>>; 6],
}

impl Files {
    pub(super) fn new() -> Files {
        Files {
            files: [256, 256, 8, 8, 16, 0].map(|count| vec![Vec::new(); count]),
        }
    }

    /// The registers of one file alone.
    pub(super) fn of_class(&self, class: RegisterClass) -> Files {
        let mut files: [Vec<Vec<Held>>; 6] = Default::default();
        files[index(class)].clone_from(&self.files[index(class)]);
        Files { files }
    }

    fn register(&self, class: RegisterClass, number: u16) -> Option<&Vec<Held>> {
        self.files[index(class)].get(usize::from(number))
    }

    /// Whether nothing is live in a register at any of these positions.
    pub(super) fn is_free(&self, class: RegisterClass, number: u16, segments: &[Segment]) -> bool {
        let Some(held) = self.register(class, number) else {
            return false;
        };
        let Some(first) = segments.first() else { return true };
        let mut at = held.partition_point(|other| other.end <= first.start);
        for segment in segments {
            let mut steps = 0;
            while held.get(at).is_some_and(|other| other.end <= segment.start) {
                at += 1;
                steps += 1;
                if steps > 8 {
                    at += held[at..].partition_point(|other| other.end <= segment.start);
                    break;
                }
            }
            match held.get(at) {
                Some(other) if other.start < segment.end => return false,
                Some(_) => {}
                None => return true,
            }
        }
        true
    }

    /// Whether something is live in a register at a position.
    pub(super) fn is_busy_at(&self, class: RegisterClass, number: u16, position: u32) -> bool {
        self.register(class, number).is_some_and(|held| {
            let at = held.partition_point(|other| other.end <= position);
            held.get(at).is_some_and(|other| other.start <= position)
        })
    }

    /// A bundle is live in a register at these positions, which are free.
    pub(super) fn add(&mut self, class: RegisterClass, number: u16, segments: &[Segment], bundle: u32) {
        let Some(held) = self.files[index(class)].get_mut(usize::from(number)) else {
            return;
        };
        for segment in segments {
            let new = Held {
                start: segment.start,
                end: segment.end,
                bundle,
            };
            match held.last() {
                Some(last) if last.start > segment.start => {
                    let at = held.partition_point(|other| other.start < segment.start);
                    held.insert(at, new);
                }
                Some(_) | None => held.push(new),
            }
        }
    }

    /// The bundles that are live in a register at any of these positions; may hold a bundle more than once.
    pub(super) fn conflicts(&self, class: RegisterClass, number: u16, segments: &[Segment], found: &mut Vec<u32>) {
        let Some(held) = self.register(class, number) else {
            return;
        };
        for segment in segments {
            let mut at = held.partition_point(|other| other.end <= segment.start);
            while let Some(other) = held.get(at).filter(|other| other.start < segment.end) {
                if found.last() != Some(&other.bundle) {
                    found.push(other.bundle);
                }
                at += 1;
            }
        }
    }
}
