//! Random PTX programs that are valid, end, and are defined: what they leave depends on nothing but their input.
//!
//! **What enters**: a seed and [`Features`]. **What leaves**: a [`Program`], the same for the same seed on every host.
//!
//! How it is made sure that a program is defined:
//! * Every register is written before it is read: a kernel starts with variables of every kind, and what a statement makes anew can be read only
//!   in the same scope after it.
//! * Loops have counters that nothing else writes; their trips multiply to [`MOST_TRIPS`] at most.
//! * A thread accesses memory of its own, at masked offsets. Exchange through shared memory stands between barriers. Memory of all threads is
//!   only changed by atomic operations that commute and whose result is not used.
//! * Barriers and operations of a warp stand where all threads come equally often; a program that has them has no early exits.
//! * Divisors are not zero. The bits of a NaN do not reach memory or integers: they are replaced by one NaN first.
//! * Arithmetic has its rounding written out, so that no multiplication and addition may be contracted.

mod body;
mod call;
mod collective;
mod control;
mod convert;
mod float;
mod integer;
mod memory;
mod shape;

use std::fmt::Write as _;

use crate::{Random, differential::Program};
use body::{Body, Kind};

/// Bytes of counters at the start of the result.
const COUNTERS: u32 = 256;
/// Bytes of the memory that a thread may access at any place.
const OWN: u32 = 64;
/// Bytes of the values that a thread writes at its end.
const RESULTS: u32 = 192;
/// Bytes of the input; each thread starts at another place of it.
const INPUT: u32 = 8192;
/// Bytes of local memory of a thread.
const LOCAL: u32 = 64;
/// Bytes of shared memory of a thread; the counters of the CTA follow.
const SHARED: u32 = 32;
/// Times that the innermost loop of a program runs at most.
const MOST_TRIPS: u32 = 48;

/// What programs may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// Calls of device functions.
    pub calls: bool,
    /// Floating-point arithmetic.
    pub floats: bool,
    /// About how many statements.
    pub size: u32,
}

impl Default for Features {
    fn default() -> Features {
        Features {
            calls: true,
            floats: true,
            size: 40,
        }
    }
}

/// The program of a seed.
pub fn program(seed: u64, features: Features) -> Program {
    Generator::new(seed, features).program(seed)
}

/// What a program is made with.
#[derive(Debug)]
struct Generator {
    random: Random,
    features: Features,
    /// The number in `.target`.
    target: u32,
    /// Threads of a CTA.
    block: u32,
    /// CTAs.
    grid: u32,
    /// Barriers and operations of a warp are allowed.
    collectives: bool,
    /// Many statements are in each other, and threads leave several at once.
    deep: bool,
    /// There are more tests than predicates at some place.
    tests: bool,
    /// The function that is being written.
    body: Body,
    /// Functions that can be called.
    functions: Vec<call::Signature>,
    /// Their texts.
    device: String,
}

impl Generator {
    fn new(seed: u64, features: Features) -> Generator {
        let mut random = Random::new(seed.wrapping_add(1));
        // The first outputs of the generator are close for close seeds.
        (0..8).for_each(|_| {
            let _ = random.next_u64();
        });
        let target = *[75, 75, 75, 75, 80, 80, 86, 89, 90, 90, 100, 103, 120]
            .get(random.below(13) as usize)
            .unwrap_or(&75);
        let deep = random.below(6) == 0;
        let collectives = !deep && random.below(10) < 6;
        let block = match (collectives, random.below(4)) {
            (true, 0) => 32,
            (true, 1) => 96,
            (true, _) => 64,
            (false, 0) => 33,
            (false, 1) => 7,
            (false, _) => 64,
        };
        let grid = 1 + random.below(2) as u32;
        Generator {
            random,
            features,
            target,
            block,
            grid,
            collectives,
            deep,
            tests: seed % 8 == 7,
            body: Body::default(),
            functions: Vec::new(),
            device: String::new(),
        }
    }

    fn program(mut self, seed: u64) -> Program {
        if self.features.calls && self.chance(40) {
            self.device_functions();
        }
        self.body = Body::default();
        self.kernel();
        let shared = self.block * SHARED + 64;
        let mut text = format!(".version 9.0\n.target sm_{}\n.address_size 64\n\n", self.target);
        let words: Vec<String> = (0..32).map(|_| self.random.next_u64().to_string()).collect();
        let _ = writeln!(text, ".const .align 16 .b64 table[32] = {{{}}};", words.join(", "));
        let _ = writeln!(text, ".global .align 16 .b64 given[32] = {{{}}};", words.join(", "));
        let _ = writeln!(text, ".shared .align 16 .b8 area[{shared}];\n");
        text.push_str(&self.device);
        text.push_str(".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n");
        text.push_str(&self.body.declarations());
        let _ = writeln!(text, "    .local .align 16 .b8 frame[{LOCAL}];");
        text.push_str(&self.body.text);
        text.push_str("}\n");
        let shape = Program {
            text: String::new(),
            grid: self.grid,
            block: self.block,
            shared: 0,
            out: COUNTERS + self.grid * self.block * (OWN + RESULTS),
            input: INPUT,
            seed: seed & 0xffff,
        };
        Program::new(&shape, &text)
    }

    /// The whole kernel.
    fn kernel(&mut self) {
        self.kernel_start();
        self.body.uniform = true;
        self.body.budget = self.features.size / 2 + self.below(self.features.size.max(1));
        self.body.trips = 1;
        let middle = self.body.budget / 2;
        while self.body.budget > 0 {
            if self.tests && self.body.budget <= middle {
                self.tests = false;
                self.many_tests();
            }
            self.statement();
        }
        self.kernel_end();
    }

    /// Addresses, variables and memory with values.
    fn kernel_start(&mut self) {
        for line in [
            "ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; ld.param.u32 %n, [n];",
            "mov.u32 %me, %tid.x; mov.u32 %cta, %ctaid.x; mov.u32 %size, %ntid.x;",
            "mad.lo.u32 %thread, %cta, %size, %me;",
        ] {
            self.line(line);
        }
        self.line(&format!(
            "mad.wide.u32 %own, %thread, {}, %out; add.u64 %own, %own, {COUNTERS};",
            OWN + RESULTS
        ));
        self.line(&format!(
            "mul.lo.u32 %low, %thread, 72; and.b32 %low, %low, {}; cvt.u64.u32 %data, %low; add.u64 %data, %data, %in;",
            INPUT / 2 - 8
        ));
        self.line(&format!(
            "mov.u32 %mine, area; mad.lo.u32 %mine, %me, {SHARED}, %mine; mov.u64 %stack, frame;"
        ));
        // What threads read and all threads of a CTA change.
        for offset in (0..LOCAL).step_by(8) {
            let from = 1024 + offset;
            self.line(&format!(
                "ld.global.u64 %t, [%data+{from}]; st.local.u64 [%stack+{offset}], %t;{}",
                match offset < SHARED {
                    true => format!(" st.shared.u64 [%mine+{offset}], %t;"),
                    false => String::new(),
                }
            ));
        }
        if self.collectives {
            let counters = self.block * SHARED;
            self.line("setp.lt.u32 %first, %me, 16; shl.b32 %low, %me, 2; mov.u32 %shared, area; add.u32 %shared, %shared, %low;");
            self.line(&format!("@%first st.shared.u32 [%shared+{counters}], %me; bar.sync 0;"));
        }
        let mut offset = 0;
        for kind in Kind::ALL {
            for _ in 0..3 {
                let name = self.body.variable(kind);
                self.load_start(kind, &name, offset);
                offset += 8;
            }
        }
        // Values that all threads share, or that count threads.
        self.body.push(Kind::I32, "%me");
        self.body.push(Kind::I32, "%thread");
        self.body.push(Kind::I32, "%n");
        self.body.push(Kind::I32, "%cta");
    }

    /// Loads a variable from the input.
    fn load_start(&mut self, kind: Kind, name: &str, offset: u32) {
        let load = match kind {
            Kind::Predicate => {
                self.line(&format!(
                    "ld.global.u32 %low, [%data+{offset}]; setp.lt.s32 {name}, %low, 9;"
                ));
                return;
            }
            Kind::I16 | Kind::Half | Kind::Bfloat => "b16",
            Kind::I32 | Kind::Halves => "b32",
            Kind::Single => "f32",
            Kind::I64 => "b64",
            Kind::Double => "f64",
        };
        self.line(&format!("ld.global.{load} {name}, [%data+{offset}];"));
    }

    /// Writes what is left.
    fn kernel_end(&mut self) {
        let mut offset = OWN;
        for kind in Kind::ALL {
            let names: Vec<String> = self.body.last(kind, 4);
            for name in names {
                if offset + 8 > OWN + RESULTS {
                    break;
                }
                let bits = self.bits64(kind, &name);
                self.line(&format!("st.global.u64 [%own+{offset}], {bits};"));
                offset += 8;
            }
        }
        // A thread's memory is part of the result.
        for at in (0..LOCAL).step_by(16) {
            self.line(&format!(
                "ld.local.u64 %t, [%stack+{at}]; ld.global.u64 %u, [%own+{at}]; xor.b64 %t, %t, %u; st.global.u64 [%own+{at}], %t;"
            ));
        }
        if self.collectives {
            let counters = self.block * SHARED;
            self.line(&format!(
                "bar.sync 0; @!%first bra DONE; ld.shared.u32 %low, [%shared+{counters}]; mul.wide.u32 %t, %me, 4; add.u64 %t, %t, %out; atom.global.add.u32 %low, [%t+128], %low;"
            ));
        }
        self.body.text.push_str("DONE:\n");
        self.line("ret;");
    }

    /// A statement of any sort.
    fn statement(&mut self) {
        self.body.budget = self.body.budget.saturating_sub(1);
        match self.below(100) {
            0..26 => self.integer(),
            26..36 => self.shape(),
            36..48 => match self.features.floats {
                true => self.float(),
                false => self.integer(),
            },
            48..58 => self.convert(),
            58..63 => self.compare(),
            63..76 => self.memory(),
            76..82 => self.collective(),
            82..86 => self.call(),
            _ => self.control(),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differential::Judged;

    #[test]
    fn programs_are_the_same_for_the_same_seed() {
        let features = Features::default();
        assert_eq!(program(5, features), program(5, features));
        assert_ne!(program(5, features).text, program(6, features).text);
    }

    #[test]
    fn programs_are_valid_and_defined() {
        for seed in 0..40 {
            let made = program(seed, Features::default());
            let text = made.text.clone();
            if let Err(message) = Judged::new(made) {
                panic!("seed {seed}: {message}\n{text}");
            }
        }
    }
}
