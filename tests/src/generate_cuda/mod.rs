//! Random CUDA C++ programs that end and whose meaning is defined: what they leave depends on nothing but their input, whoever compiles them.
//!
//! **What enters**: a seed and [`Features`]. **What leaves**: a [`Source`], the same for the same seed on every host. Its text is CUDA C++, and with the
//! definitions of [`HOST`] before it also a program for a host.
//!
//! How it is made sure that a program is defined:
//! * Expressions have no effects, so that the order in which operands are evaluated does not matter; effects stand at statements.
//! * Signed arithmetic is on operands cut to ranges where it cannot overflow, checked, or done in the unsigned type. Shifts are masked, divisors not zero.
//! * Everything is initialised. Indices are masked; lengths of arrays are powers of two.
//! * Loops have counters that nothing else writes; recursion counts down. What a thread executes is bounded by [`MOST_COST`].
//! * A thread writes memory of its own; exchange through shared memory stands between barriers at the top of the kernel.
//! * Floating-point operations are those that IEEE 754 rounds correctly; NaNs reach integers by one pattern only. No products and sums are contracted:
//!   the compilers are told so.

mod class;
mod expression;
mod function;
mod prelude;
mod scope;
mod statement;
mod types;

use crate::{Random, differential::Program};
use function::Function;
pub use prelude::HOST;
use scope::{List, Scope};
use types::{Structure, Type};

/// Times that the innermost loop of a function runs at most.
const MOST_TRIPS: u32 = 40;
/// About how many statements a thread executes at most.
const MOST_COST: u32 = 1_500;
/// Bytes of the input.
const INPUT: u32 = 4096;
/// Words of 64 bits that a thread leaves.
const RESULTS: u32 = 4;

/// What programs may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// Floating-point arithmetic.
    pub floats: bool,
    /// Exchange between threads: such programs run on devices only.
    pub exchange: bool,
    /// About how many statements a kernel has.
    pub size: u32,
}

impl Default for Features {
    fn default() -> Features {
        Features {
            floats: true,
            exchange: true,
            size: 12,
        }
    }
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The launch, with the text of the program in place of PTX.
    pub program: Program,
    /// Whether the threads have nothing to do with each other, so that a host can run them one after the other.
    pub separate: bool,
}

/// The program of a seed.
pub fn source(seed: u64, features: Features) -> Source {
    Generator::new(seed, features).source(seed)
}

/// What a program is made with.
#[derive(Debug)]
struct Generator {
    random: Random,
    features: Features,
    block: u32,
    grid: u32,
    exchange: bool,
    text: String,
    structures: Vec<Structure>,
    functions: Vec<Function>,
    /// What every function sees.
    constants: Scope,
    scope: Scope,
    /// For names.
    count: u32,
    /// What the statements so far execute.
    spent: u32,
    /// Times that the current statement runs.
    trips: u32,
    /// Loops around the current statement that `break` leaves.
    loops: u32,
    /// What the function returns; `None` in the kernel, which has no early returns.
    result: Option<Type>,
    /// What the functions in tables take and give.
    unary: Type,
}

impl Generator {
    fn new(seed: u64, features: Features) -> Generator {
        let mut random = Random::new(seed.wrapping_add(77));
        // The first outputs of the generator are close for close seeds.
        (0..8).for_each(|_| {
            let _ = random.next_u64();
        });
        let exchange = features.exchange && random.below(4) == 0;
        let block = match exchange {
            true => 32,
            false => [1, 5, 16, 32, 33][random.below(5) as usize],
        };
        Generator {
            features: Features {
                floats: features.floats && random.below(3) != 0,
                ..features
            },
            random,
            block,
            grid: 1,
            exchange,
            text: String::new(),
            structures: Vec::new(),
            functions: Vec::new(),
            constants: Scope::default(),
            scope: Scope::default(),
            count: 0,
            spent: 0,
            trips: 1,
            loops: 0,
            result: None,
            unary: Type::I32,
        }
    }

    fn source(mut self, seed: u64) -> Source {
        self.text.push_str(prelude::DEVICE);
        self.declare_structures();
        self.declare_classes();
        self.declare_tables();
        self.functions();
        self.kernel();
        let shape = Program {
            text: String::new(),
            grid: self.grid,
            block: self.block,
            shared: 0,
            out: self.grid * self.block * RESULTS * 8,
            input: INPUT,
            seed: seed & 0xffff,
        };
        Source {
            program: Program::new(&shape, &self.text),
            separate: !self.exchange,
        }
    }

    /// Constant variables of all functions.
    fn declare_tables(&mut self) {
        for (name, kind) in [("table", "__constant__"), ("given", "static __device__ const")] {
            let (of, length) = (self.integer_type(), 4 << self.below(3));
            let values: Vec<String> = (0..length).map(|_| self.literal(of)).collect();
            self.line(&format!(
                "{kind} {} {name}[{length}] = {{{}}};",
                of.name(),
                values.join(", ")
            ));
            self.constants.lists.push(List {
                text: name.to_owned(),
                of,
                length,
                constant: true,
            });
        }
    }

    fn kernel(&mut self) {
        let (own, shared) = (self.scalar_type(), self.integer_type());
        self.scope = self.constants.clone();
        self.line(&format!(
            "__device__ {} own[{}];",
            own.name(),
            self.grid * self.block * 4
        ));
        self.line("extern \"C\" __global__ void k(u64 *out, const u64 *in, u32 n)");
        self.line("{");
        self.line(&format!("__shared__ {} area[{}];", shared.name(), self.block * 4));
        self.line("const u32 thread = blockIdx.x * blockDim.x + threadIdx.x;");
        self.line(&format!("const u64 *data = in + thread * 9u % {}u;", INPUT / 8 - 32));
        self.scope.scalar("thread", Type::U32, true);
        self.scope.scalar("n", Type::U32, false);
        self.variables();
        for (name, base, of) in [
            ("mine", "own + thread * 4u", own),
            ("part", "area + threadIdx.x * 4u", shared),
        ] {
            self.line(&format!("{} *{name} = {base};", of.name()));
            let values: Vec<String> = (0..4).map(|_| self.expression(of, 0)).collect();
            for (at, value) in values.iter().enumerate() {
                self.line(&format!("{name}[{at}] = {value};"));
            }
            self.scope.lists.push(List {
                text: name.to_owned(),
                of,
                length: 4,
                constant: false,
            });
        }
        let count = self.features.size / 2 + self.below(self.features.size.max(1));
        for _ in 0..count {
            match self.exchange && self.chance(20) {
                true => self.exchanged(shared),
                false => self.statement(3),
            }
            if self.spent > MOST_COST {
                break;
            }
        }
        self.leave_results();
        self.line("}");
    }

    /// Variables with values of the input.
    fn variables(&mut self) {
        let mut types = vec![Type::I32, Type::U32, Type::U64];
        for _ in 0..5 {
            types.push(self.scalar_type());
        }
        for (at, of) in types.into_iter().enumerate() {
            let name = self.fresh("x");
            let value = match of {
                Type::F32 => format!("__uint_as_float((u32)data[{at}])"),
                Type::F64 => format!("__longlong_as_double((i64)data[{at}])"),
                Type::Bool => format!("(data[{at}] & 1) != 0"),
                _ => format!("({})data[{at}]", of.name()),
            };
            self.line(&format!("{} {name} = {value};", of.name()));
            self.scope.scalar(&name, of, false);
        }
        let structure = self.below(self.structures.len() as u32) as usize;
        let value = self.initialiser(structure, 1);
        self.line(&format!("S{structure} whole{value};"));
        self.add_whole("whole", structure, false);
    }

    /// Values of other threads.
    fn exchanged(&mut self, shared: Type) {
        let (name, value) = (self.fresh("v"), self.expression(Type::U32, 2));
        match self.below(4) {
            0 => {
                let lanes = 1 << self.below(5);
                self.line(&format!("u32 {name} = __shfl_xor_sync(0xffffffffu, {value}, {lanes});"));
            }
            1 => {
                let condition = self.condition(2);
                self.line(&format!("u32 {name} = __ballot_sync(0xffffffffu, {condition});"));
            }
            2 => {
                let lane = self.expression(Type::U32, 1);
                self.line(&format!(
                    "u32 {name} = __shfl_sync(0xffffffffu, {value}, (int)({lane} & 31u));"
                ));
            }
            _ => {
                let index = self.expression(Type::U32, 1);
                self.line("__syncthreads();");
                self.line(&format!("u32 {name} = (u32)area[{index} % {}u];", self.block * 4));
                self.line("__syncthreads();");
                let value = self.expression(shared, 2);
                self.line(&format!("part[{index} & 3u] = {value};"));
            }
        }
        self.scope.scalar(&name, Type::U32, false);
    }

    /// A sum over all that is in scope at the end of the kernel.
    fn leave_results(&mut self) {
        self.line("u64 sum_of_all = 0;");
        let Scope { places, lists, .. } = self.scope.clone();
        for place in places.iter().filter(|place| place.text != "sum_of_all") {
            self.line(&format!("mix(sum_of_all, {});", mixed(&place.text, place.of)));
        }
        for list in lists.iter().filter(|list| !list.constant) {
            let element = mixed(&format!("{}[i]", list.text), list.of);
            self.line(&format!(
                "for (int i = 0; i < {}; ++i) mix(sum_of_all, {element});",
                list.length
            ));
        }
        self.line(&format!("out[thread * {RESULTS}u] = sum_of_all;"));
        for at in 1..RESULTS {
            let value = self.expression(Type::U64, 1);
            self.line(&format!("out[thread * {RESULTS}u + {at}u] = {value};"));
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A new name that starts so.
    fn fresh(&mut self, start: &str) -> String {
        self.count += 1;
        format!("{start}{}", self.count)
    }

    fn affords(&self, cost: u32) -> bool {
        self.spent + cost * self.trips <= MOST_COST
    }

    fn spend(&mut self, cost: u32) {
        self.spent += cost * self.trips;
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.random.below(u64::from(bound.max(1))) as u32
    }

    /// True in so many of 100 cases.
    fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.random.below(list.len() as u64) as usize]
    }
}

/// A value as 64 bits.
fn mixed(text: &str, of: Type) -> String {
    match of {
        Type::F32 | Type::F64 => format!("bits_of({text})"),
        _ => format!("(u64){text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_the_same_for_the_same_seed() {
        let features = Features::default();
        assert_eq!(source(5, features), source(5, features));
        assert_ne!(source(5, features).program.text, source(6, features).program.text);
    }
}
