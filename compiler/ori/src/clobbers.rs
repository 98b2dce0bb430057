//! What a call destroys, told by what the called function does.
//!
//! The calling convention lets a function change more than half of the registers. Few change so many: where a function is compiled before its callers and they
//! call it by name, they keep in the rest what lives across the call, in place of memory. Functions so are compiled in rounds, each after those that it
//! calls; what is called through a register, from another file, or by itself in the end, destroys what the convention says.

use rustc_hash::FxHashMap;
use warpsmith_ptx::module::Linkage;
use warpsmith_sass::{Access, RegisterClass};

use crate::{
    convention,
    inline::{self, Lowered},
    ir::{Function, RegisterSet},
    object::Compiled,
    phase::{Fuel, Options},
};

/// The name by which [`Options::off`] switches it off.
pub(crate) const NAME: &str = "NarrowClobbers";

/// What functions that are compiled destroy, by name.
#[derive(Debug, Default)]
pub(crate) struct Known(FxHashMap<String, RegisterSet>);

/// Whether calls are looked at: not where the code should be as the source is.
fn is_on(options: &Options) -> bool {
    options.level > 0 && !options.object.debug && !options.off.iter().any(|name| name == NAME)
}

/// The round of each function: after those of the functions that it calls by name, except in recursions.
pub(crate) fn rounds(functions: &[Lowered<'_>], options: &Options) -> Vec<usize> {
    let mut rounds = vec![0; functions.len()];
    if !is_on(options) || functions.iter().all(|(_, function)| function.kernel) {
        return rounds;
    }
    let names = inline::names(functions);
    let mut done = vec![false; functions.len()];
    for index in inline::bottom_up(functions, &names) {
        let callees = inline::callees(&functions[index].1, &names);
        let after = callees.filter(|callee| done[*callee]).map(|callee| rounds[callee] + 1);
        rounds[index] = after.max().unwrap_or(0);
        done[index] = true;
    }
    rounds
}

impl Known {
    /// Takes from the calls of a function what they leave alone. Gives what they may destroy together.
    pub(crate) fn narrow(&self, function: &mut Function, fuel: &Fuel) -> RegisterSet {
        let mut all = RegisterSet::default();
        for instruction in function.blocks.iter_mut().flat_map(|block| &mut block.code) {
            let found = inline::callee(instruction).and_then(|name| self.0.get(name));
            let Some(effects) = &mut instruction.effects else {
                continue;
            };
            if let Some(found) = found.filter(|_| fuel.take()) {
                effects.clobbers = intersection(&effects.clobbers, found);
            }
            all = union(&all, &effects.clobbers);
        }
        all
    }

    /// Notes what a function destroys, of whose calls `calls` is known.
    pub(crate) fn add(&mut self, source: Linkage, compiled: &Compiled, calls: &RegisterSet, options: &Options) {
        // The linker may put another function of that name in its place.
        let replaceable = options.object.relocatable && source != Linkage::Internal;
        if compiled.function.kernel || replaceable || !is_on(options) {
            return;
        }
        let all = union(calls, &written(compiled));
        let set = intersection(&convention::clobbers(), &all);
        self.0.insert(compiled.function.name.clone(), set);
    }
}

/// The general registers and predicates that the words of a function write, and all registers of the other files: those are the warp's, and threads of it
/// that are elsewhere may be in the same function.
fn written(compiled: &Compiled) -> RegisterSet {
    let mut set = RegisterSet {
        uniform: [!0; 4],
        uniform_predicates: !0,
        barriers: !0,
        ..RegisterSet::default()
    };
    for word in &compiled.code.words {
        if !word.opcode().info().implicit.is_empty() {
            set.predicates = !0;
        }
        for operand in word.registers().filter(|operand| operand.access != Some(Access::Read)) {
            let Some(first) = operand.number else { continue };
            let numbers = (0..operand.width).map(|word| first.saturating_add(word));
            match operand.class {
                RegisterClass::Gpr => set.add_general(numbers),
                RegisterClass::Predicate => set.predicates |= 1 << first,
                RegisterClass::UniformGpr
                | RegisterClass::UniformPredicate
                | RegisterClass::Barrier
                | RegisterClass::Scoreboard => {}
            }
        }
    }
    set
}

fn combined(a: &RegisterSet, b: &RegisterSet, with: impl Fn(u64, u64) -> u64) -> RegisterSet {
    RegisterSet {
        general: std::array::from_fn(|index| with(a.general[index], b.general[index])),
        uniform: std::array::from_fn(|index| with(a.uniform[index], b.uniform[index])),
        predicates: with(a.predicates, b.predicates),
        uniform_predicates: with(a.uniform_predicates, b.uniform_predicates),
        barriers: with(a.barriers, b.barriers),
    }
}

fn intersection(a: &RegisterSet, b: &RegisterSet) -> RegisterSet {
    combined(a, b, |a, b| a & b)
}

fn union(a: &RegisterSet, b: &RegisterSet) -> RegisterSet {
    combined(a, b, |a, b| a | b)
}
