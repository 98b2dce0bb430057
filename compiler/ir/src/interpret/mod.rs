//! An interpreter of modules, to judge what the optimiser does: run a function before and after a pass on the same inputs, and compare.
//!
//! # What it means
//!
//! * Arithmetic on floats is that of `warpsmith-numerics`, NaN for NaN; nothing is fused or reassociated, whatever the flags allow. A conversion of a float to
//!   an integer that does not hold it gives what PTX gives, not poison.
//! * `undef` is taken for poison. Broken promises (`nsw`, `exact`, shifts by the width …) give poison; `inbounds` and fast-math flags are not checked.
//!   `freeze` of poison gives 0. A branch on poison, a division by it, a load or store at it, is [`Stop::Undefined`]: a program that
//!   does it means nothing, and an optimised one may do anything instead. [`Datum::refines`] compares with that in mind.
//! * Memory is bytes at addresses, each known or poison; addresses are numbers and may be computed in any way. Uninitialised memory is poison. Generic addresses of
//!   shared and thread memory are in windows ([`SHARED_WINDOW`], [`LOCAL_WINDOW`]).
//! * A launch runs the threads of a block in turn, each to its end or to a barrier of the block. Atomic operations are what they are when threads run in turn.
//!   Shuffles and votes see one thread at a time and are refused; so is what has no body and is no intrinsic known here.
//!
//! [`compare`] does that for a function in two versions of a module.
//!
//! ```
//! use warpsmith_base::SourceText;
//! use warpsmith_ir::interpret::{Datum, Machine};
//! use warpsmith_ir::Module;
//!
//! let text = "define i32 @f(i32 %x) {\n %y = mul i32 %x, %x\n ret i32 %y\n}";
//! let Ok(module) = Module::from_text(&SourceText::new("f.ll", text)) else { return };
//! let mut machine = Machine::new(&module);
//! let f = module.symbols.function_named("f").expect("it is there");
//! assert_eq!(machine.call(f, &[Datum::int(32, 7)]), Ok(Datum::int(32, 49)));
//! ```

mod arithmetic;
mod compare;
mod constants;
mod intrinsics;
mod memory;
mod nvvm;
mod operations;
mod thread;
mod value;

use std::fmt;

use rustc_hash::FxHashMap;

pub use self::compare::{Outcome, compare};
pub use self::memory::{LOCAL_WINDOW, Region, SHARED_WINDOW};
use self::memory::{Memory, decode, encode};
use self::thread::{Progress, Thread};
pub use self::value::Datum;
use crate::constant::Constant;
use crate::module::{FunctionId, GlobalId, Module};
use crate::types::{AddressSpace, Type};

/// Why a program was stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// It did what is not defined.
    Undefined(String),
    /// It used memory that is not there.
    Access {
        /// The address space of the pointer.
        space: AddressSpace,
        /// The address.
        address: u64,
        /// How many bytes.
        size: u64,
    },
    /// It did what the interpreter cannot.
    Unsupported(String),
    /// It took more steps than allowed.
    TooLong,
    /// It calls deeper than allowed.
    TooDeep,
    /// It executed a trap.
    Trap,
    /// Some threads wait at a barrier that others will not reach.
    Deadlock,
}

impl Stop {
    pub(crate) fn undefined(what: &str) -> Stop {
        Stop::Undefined(what.to_owned())
    }

    pub(crate) fn unsupported(what: impl Into<String>) -> Stop {
        Stop::Unsupported(what.into())
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Undefined(what) => write!(formatter, "{what} is undefined"),
            Stop::Access { space, address, size } => {
                write!(
                    formatter,
                    "{size} bytes at {address:#x} of address space {} are not there",
                    space.0
                )
            }
            Stop::Unsupported(what) => write!(formatter, "{what} cannot be interpreted"),
            Stop::TooLong => formatter.write_str("the program takes too many steps"),
            Stop::TooDeep => formatter.write_str("the program calls too deep"),
            Stop::Trap => formatter.write_str("the program trapped"),
            Stop::Deadlock => formatter.write_str("threads wait at a barrier that others do not reach"),
        }
    }
}

/// How a kernel is launched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Launch {
    /// Blocks in each direction.
    pub grid: [u32; 3],
    /// Threads of a block in each direction.
    pub block: [u32; 3],
    /// Bytes of shared memory beyond that of variables.
    pub dynamic_shared: u64,
}

impl Launch {
    /// A line of blocks of a line of threads.
    pub fn line(blocks: u32, threads: u32) -> Launch {
        Launch {
            grid: [blocks, 1, 1],
            block: [threads, 1, 1],
            dynamic_shared: 0,
        }
    }
}

/// Where a thread is in its grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) launch: Launch,
    pub(crate) block: [u32; 3],
    pub(crate) thread: [u32; 3],
}

/// A module with its memory.
#[derive(Debug)]
pub struct Machine<'m> {
    module: &'m Module,
    memory: Memory,
    /// The addresses of variables: in shared memory offsets, elsewhere addresses.
    addresses: FxHashMap<GlobalId, u64>,
    shared_size: u64,
    /// How many instructions may still be executed, by all threads together.
    pub steps_left: u64,
}

/// More than any device has shared memory for a block, in bytes.
const LARGEST_SHARED: u64 = 1 << 24;

/// Steps that a machine has at first.
const STEPS: u64 = 100_000_000;

impl<'m> Machine<'m> {
    /// A machine whose memory holds the module's variables.
    pub fn new(module: &'m Module) -> Machine<'m> {
        let mut machine = Machine {
            module,
            memory: Memory::new(),
            addresses: FxHashMap::default(),
            shared_size: 0,
            steps_left: STEPS,
        };
        machine.place_variables();
        machine
    }

    fn place_variables(&mut self) {
        let context = self.module.context();
        for (id, global) in self.module.globals() {
            let size = context.size(global.ty);
            if global.space == AddressSpace::SHARED {
                let align = u64::from(global.align.max(context.alignment(global.ty)));
                // Memory of unknown size is that of the launch, at the end.
                let address = self.shared_size.next_multiple_of(align);
                self.addresses.insert(id, address);
                self.shared_size = address.saturating_add(size).min(LARGEST_SHARED);
                continue;
            }
            let address = self.memory.allocate(Region::poison(size));
            self.addresses.insert(id, address);
        }
        self.memory.begin_heap();
        // Shared variables without size come after all others.
        for (id, global) in self.module.globals() {
            if global.space == AddressSpace::SHARED && context.size(global.ty) == 0 {
                self.addresses.insert(id, self.shared_size.next_multiple_of(16));
            }
        }
        for (id, global) in self.module.globals() {
            let (Some(&address), Some(initializer)) = (self.addresses.get(&id), global.initializer) else {
                continue;
            };
            if global.space == AddressSpace::SHARED
                || matches!(context.constant(initializer), Constant::Undef(_) | Constant::Poison(_))
            {
                continue;
            }
            let size = context.size(global.ty);
            let mut none = Region::default();
            let mut other = Region::default();
            let value = match context.constant(initializer) {
                Constant::Zero(_) => None,
                _ => self.constant(initializer).ok(),
            };
            let mut view = memory::View {
                memory: &mut self.memory,
                shared: &mut none,
                local: &mut other,
            };
            let Ok(bytes) = view.slice(AddressSpace::GLOBAL, address, size) else {
                continue;
            };
            match value {
                Some(value) => {
                    let stored = context.store_size(global.ty) as usize;
                    let end = stored.min(bytes.len());
                    encode(context, global.ty, &value, &mut bytes[..end]);
                }
                None => bytes.fill(Some(0)),
            }
        }
    }

    /// Puts bytes into global memory, and gives their address.
    pub fn allocate(&mut self, bytes: &[u8]) -> u64 {
        self.memory.allocate(Region::of(bytes))
    }

    /// Makes room in global memory, of poison.
    pub fn allocate_poison(&mut self, size: u64) -> u64 {
        self.memory.allocate(Region::poison(size))
    }

    /// What an allocation or a variable holds, by its first address.
    pub fn region(&self, address: u64) -> Option<&Region> {
        self.memory.region(address)
    }

    /// The address of a variable that is not in shared memory.
    pub fn address(&self, global: GlobalId) -> Option<u64> {
        self.addresses.get(&global).copied()
    }

    /// What all variables that are not in shared memory hold, in their order.
    pub fn variables(&self) -> Vec<&Region> {
        self.module
            .globals()
            .filter_map(|(id, _)| self.region(self.address(id)?))
            .collect()
    }

    /// Calls a function in a grid of one thread.
    ///
    /// # Errors
    /// Why it was stopped.
    pub fn call(&mut self, function: FunctionId, arguments: &[Datum]) -> Result<Datum, Stop> {
        let place = Place {
            launch: Launch::line(1, 1),
            block: [0; 3],
            thread: [0; 3],
        };
        let mut shared = Region::poison(self.shared_size);
        let mut thread = self.start(function, arguments, place)?;
        loop {
            match thread.run(self, &mut shared)? {
                Progress::Done(value) => return Ok(value),
                // The only thread of its block.
                Progress::Barrier(arrival) => thread.pass_barrier(arrival, std::slice::from_ref(&arrival)),
            }
        }
    }

    /// Runs a kernel.
    ///
    /// # Errors
    /// Why it was stopped.
    pub fn launch(&mut self, kernel: FunctionId, launch: Launch, arguments: &[Datum]) -> Result<(), Stop> {
        let [blocks_x, blocks_y, blocks_z] = launch.grid;
        for z in 0..blocks_z {
            for y in 0..blocks_y {
                for x in 0..blocks_x {
                    self.block(kernel, launch, [x, y, z], arguments)?;
                }
            }
        }
        Ok(())
    }

    /// Runs the threads of one block.
    fn block(&mut self, kernel: FunctionId, launch: Launch, block: [u32; 3], arguments: &[Datum]) -> Result<(), Stop> {
        let mut shared =
            Region::poison(self.shared_size.next_multiple_of(16) + launch.dynamic_shared.min(LARGEST_SHARED));
        let mut threads = Vec::new();
        for z in 0..launch.block[2] {
            for y in 0..launch.block[1] {
                for x in 0..launch.block[0] {
                    threads.push(self.start(
                        kernel,
                        arguments,
                        Place {
                            launch,
                            block,
                            thread: [x, y, z],
                        },
                    )?);
                }
            }
        }
        while !threads.is_empty() {
            let mut waiting = Vec::new();
            let mut arrivals = Vec::new();
            for mut thread in threads {
                if let Progress::Barrier(arrival) = thread.run(self, &mut shared)? {
                    arrivals.push(arrival);
                    waiting.push(thread);
                }
            }
            if arrivals.windows(2).any(|pair| pair[0].barrier != pair[1].barrier) {
                return Err(Stop::Deadlock);
            }
            for (thread, &arrival) in waiting.iter_mut().zip(&arrivals) {
                thread.pass_barrier(arrival, &arrivals);
            }
            threads = waiting;
        }
        Ok(())
    }

    /// A thread before its first instruction. Parameters that a kernel is given by value are put into memory of their own.
    fn start(&mut self, function: FunctionId, arguments: &[Datum], place: Place) -> Result<Thread<'m>, Stop> {
        let module = self.module;
        let declaration = &module.symbols.functions[function];
        let body = module
            .body(function)
            .ok_or_else(|| Stop::unsupported(format!("@{}, which has no body,", declaration.name)))?;
        if arguments.len() != body.parameters().len() {
            return Err(Stop::undefined("a call with another number of arguments"));
        }
        let mut given = Vec::with_capacity(arguments.len());
        for (argument, attributes) in arguments.iter().zip(&declaration.parameters) {
            given.push(match attributes.byval {
                Some(ty) if argument.bits().is_none() => Datum::int(64, self.place_value(ty, argument)?),
                _ => argument.clone(),
            });
        }
        Ok(Thread::new(body, given, place))
    }

    /// Puts a value into memory.
    fn place_value(&mut self, ty: Type, value: &Datum) -> Result<u64, Stop> {
        let context = self.module.context();
        let address = self.memory.allocate(Region::poison(context.size(ty)));
        let (mut none, mut other) = (Region::default(), Region::default());
        let mut view = memory::View {
            memory: &mut self.memory,
            shared: &mut none,
            local: &mut other,
        };
        view.store(context, AddressSpace::GLOBAL, address, ty, value)?;
        Ok(address)
    }

    /// The value of a type in global memory.
    pub fn read(&mut self, address: u64, ty: Type) -> Option<Datum> {
        let context = self.module.context();
        let (mut none, mut other) = (Region::default(), Region::default());
        let mut view = memory::View {
            memory: &mut self.memory,
            shared: &mut none,
            local: &mut other,
        };
        let bytes = view.slice(AddressSpace::GLOBAL, address, context.store_size(ty)).ok()?;
        Some(decode(context, ty, bytes))
    }
}
