//! The form that functions are executed in: registers are slots, branch targets are indices, addresses are known as far as they can be.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_ptx::{Span, instruction::VariantId, module::FunctionId};

use super::arithmetic::{Compare, Function as Arithmetic};
use crate::launch::Bounds;
pub(crate) use crate::{lanes::LANES, shuffle::Shuffle};

/// One value for each lane. Narrower values are zero-extended.
pub(crate) type Lanes = [u64; LANES];

/// A register slot of a frame.
pub(crate) type Slot = u32;

/// The slot with the frame's address in local memory.
pub(crate) const FRAME_SLOT: Slot = 0;
/// The slot that takes results nobody wants.
pub(crate) const SINK_SLOT: Slot = 1;
/// The first slot of the function's own registers.
pub(crate) const FIRST_SLOT: Slot = 2;

/// The predicate that always holds.
pub(crate) const TRUE: u32 = 0;
/// The predicate that takes results nobody wants.
pub(crate) const SINK_PREDICATE: u32 = 1;
/// The first of the function's own predicates.
pub(crate) const FIRST_PREDICATE: u32 = 2;

/// A value read: a slot, or with the highest bit set a constant of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source(pub(crate) u32);

impl Source {
    const CONSTANT: u32 = 1 << 31;

    pub(crate) fn slot(slot: Slot) -> Source {
        Source(slot)
    }

    pub(crate) fn constant(index: u32) -> Source {
        Source(index | Source::CONSTANT)
    }

    /// The slot, or the index of the constant.
    pub(crate) fn place(self) -> Result<usize, usize> {
        if self.0 & Source::CONSTANT == 0 {
            Ok(self.0 as usize)
        } else {
            Err((self.0 & !Source::CONSTANT) as usize)
        }
    }
}

/// A predicate read, perhaps negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Test {
    pub(crate) predicate: u32,
    pub(crate) negated: bool,
}

impl Test {
    pub(crate) const ALWAYS: Test = Test {
        predicate: TRUE,
        negated: false,
    };
}

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Generic,
    Global,
    Constant,
    Shared,
    Local,
    /// Parameters of the kernel.
    Parameter,
}

/// What a load, store or atomic operation touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) space: Space,
    /// Bytes of an element: 1, 2, 4, 8 or 16.
    pub(crate) bytes: u8,
    /// Elements.
    pub(crate) count: u8,
    /// Loads extend the sign.
    pub(crate) signed: bool,
    /// Bits of the registers that are loaded; 0 stands for those of the element.
    pub(crate) width: u8,
    /// Volatile, relaxed, acquire or release: a thread may be waiting for the value to change.
    pub(crate) strong: bool,
    pub(crate) address: Source,
    pub(crate) offset: i64,
    /// Addresses are 32 bits wide.
    pub(crate) narrow: bool,
}

/// The operation of `atom` and `red`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Update {
    /// A function of the old value and the operand.
    Function(Arithmetic),
    Exchange,
    CompareAndSwap,
    Increment,
    Decrement,
}

/// `vote`, `match`, `redux` and `elect`, that all lanes of the mask take part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Collective {
    Shuffle {
        mode: Shuffle,
        d: Slot,
        p: u32,
        a: Source,
        b: Source,
        c: Source,
    },
    VoteAll {
        p: u32,
        a: Test,
    },
    VoteAny {
        p: u32,
        a: Test,
    },
    VoteUniform {
        p: u32,
        a: Test,
    },
    Ballot {
        d: Slot,
        a: Test,
    },
    MatchAny {
        d: Slot,
        a: Source,
    },
    MatchAll {
        d: Slot,
        p: u32,
        a: Source,
    },
    Reduce {
        function: Arithmetic,
        d: Slot,
        a: Source,
        /// `.abs` of `redux.f32`: applied to each operand.
        absolute: bool,
    },
    Elect {
        d: Slot,
        p: u32,
    },
    /// `tcgen05` instructions of a warp, an index into `Code::asynchronous`.
    TensorMemory {
        index: u32,
    },
    /// `bar.warp.sync`
    Barrier,
    /// `movmatrix`
    TransposeMatrix {
        d: Slot,
        a: Source,
    },
    /// `ldmatrix`: registers in `Code::lists`.
    LoadMatrix {
        list: u32,
        count: u8,
        transpose: bool,
        address: Source,
        offset: i64,
        space: Space,
    },
    /// `stmatrix`
    StoreMatrix {
        list: u32,
        count: u8,
        transpose: bool,
        address: Source,
        offset: i64,
        space: Space,
    },
    /// A product or a move of fragments, an index into `Code::matrices`.
    Matrix {
        matrix: u32,
    },
}

/// What a thread does at a CTA barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierAction {
    Sync,
    Arrive,
    Popcount { d: Slot, a: Test },
    And { p: u32, a: Test },
    Or { p: u32, a: Test },
}

/// An operation on an mbarrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mbarrier {
    Init {
        count: Source,
    },
    Invalidate,
    ExpectTransactions {
        count: Source,
    },
    CompleteTransactions {
        count: Source,
    },
    Arrive {
        d: Slot,
        count: Option<Source>,
        drop: bool,
        expect: Option<Source>,
    },
    TestWait {
        p: u32,
        phase: Source,
        parity: bool,
    },
}

/// What a callee is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    /// A function of the module, by its index.
    Function(u32),
    /// The address of one.
    Indirect(Source),
    /// A function that the device's run-time system provides.
    System(System),
}

/// Functions of the run-time system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    Printf,
    Malloc,
    Free,
    AssertFail,
    /// Of a kernel, from device code.
    Launch,
}

/// An argument or result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passed {
    /// Bytes of the caller's frame.
    Frame {
        offset: u32,
        bytes: u32,
    },
    /// A register or constant, as bytes of this many.
    Value {
        source: Source,
        bytes: u32,
    },
    /// A predicate.
    Predicate(Test),
    Nothing,
}

/// A parameter or result of a function, as the function sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// Bytes of its frame.
    Frame {
        offset: u32,
        bytes: u32,
    },
    /// A register.
    Slot {
        slot: Slot,
        bytes: u32,
    },
    Predicate(u32),
}

/// A call, in `Code::calls`.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) callee: Callee,
    pub(crate) arguments: SmallVec<[Passed; 4]>,
    pub(crate) results: SmallVec<[Passed; 1]>,
}

/// Special registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    ThreadIndex(u8),
    ThreadCount(u8),
    CtaIndex(u8),
    CtaCount(u8),
    ClusterIndex(u8),
    ClusterCount(u8),
    CtaInCluster(u8),
    CtasOfCluster(u8),
    CtaRank,
    CtaRanks,
    Lane,
    Warp,
    WarpCount,
    Multiprocessor,
    MultiprocessorCount,
    Grid,
    LaneMaskEqual,
    LaneMaskLessOrEqual,
    LaneMaskLess,
    LaneMaskGreaterOrEqual,
    LaneMaskGreater,
    Clock,
    ClockHigh,
    Clock64,
    Timer,
    TimerHigh,
    SharedSize,
    DynamicSharedSize,
    Zero,
}

/// What arithmetic with a carry adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CarryIn {
    Clear,
    /// Of subtractions: nothing borrowed.
    Set,
    Flag,
}

/// One executable operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// `d = function(a, b, c)`
    Compute {
        function: Arithmetic,
        d: Slot,
        a: Source,
        b: Source,
        c: Source,
    },
    /// Arithmetic that reads or writes the carry flag.
    Carry {
        function: Arithmetic,
        input: CarryIn,
        writes: bool,
        d: Slot,
        a: Source,
        b: Source,
        c: Source,
    },
    /// `d = a`
    Move {
        d: Slot,
        a: Source,
    },
    /// A slot from a special register.
    Special {
        d: Slot,
        special: Special,
    },
    /// The address of a variable in the frame.
    FrameAddress {
        d: Slot,
        offset: u32,
    },
    /// `p = a compare b`, combined with `c`; `q` the complement.
    Compare {
        compare: Compare,
        p: u32,
        q: u32,
        a: Source,
        b: Source,
        combine: Option<(Combine, Test)>,
    },
    /// The two lanes of a packed comparison.
    ComparePacked {
        compare: Compare,
        p: u32,
        q: u32,
        a: Source,
        b: Source,
        combine: Option<(Combine, Test)>,
    },
    /// `set`: the bits for true and false. Packed results have `lanes` 2.
    Set {
        compare: Compare,
        d: Slot,
        truth: u64,
        lanes: u8,
        a: Source,
        b: Source,
        combine: Option<(Combine, Test)>,
    },
    /// `testp`
    TestProperty {
        format: super::arithmetic::FormatName,
        property: warpsmith_numerics::float::Property,
        p: u32,
        a: Source,
    },
    /// A predicate from two.
    Logic {
        combine: Combine,
        p: u32,
        a: Test,
        b: Test,
    },
    /// `p = value is in this space`
    IsSpace {
        p: u32,
        a: Source,
        space: Space,
    },
    /// `lop3` with a predicate result: `p = (d != 0) combine q`
    NonZero {
        p: u32,
        a: Source,
        combine: Combine,
        q: Test,
    },
    /// `selp`
    Select {
        d: Slot,
        a: Source,
        b: Source,
        c: Test,
    },
    /// `bfind`, `slct` and so on are `Compute`. `d = part of a`, `bits` wide from bit `shift`.
    Extract {
        d: Slot,
        a: Source,
        shift: u8,
        bits: u8,
    },
    /// `d |= a << shift`, clearing those bits first.
    Insert {
        d: Slot,
        a: Source,
        shift: u8,
        bits: u8,
    },
    /// Loads into the registers of a list.
    Load {
        access: Access,
        list: u32,
    },
    /// Stores values of a list.
    Store {
        access: Access,
        list: u32,
    },
    /// `atom` (with a destination) and `red`. The list holds destinations, operands and swap values, `count` each.
    Atomic {
        access: Access,
        update: Update,
        list: u32,
    },
    /// `cp.async`
    CopyAsync {
        from: Access,
        to: Source,
        to_offset: i64,
        size: Option<Source>,
        ignore: Test,
    },
    /// Branch.
    Branch {
        target: u32,
    },
    /// `brx.idx`: the targets are in `Code::lists`.
    BranchIndexed {
        index: Source,
        list: u32,
        count: u32,
    },
    /// An index into `Code::calls`.
    Call {
        call: u32,
    },
    Return,
    Exit,
    Collective {
        collective: Collective,
        members: Source,
    },
    ActiveMask {
        d: Slot,
    },
    Barrier {
        action: BarrierAction,
        number: Source,
        threads: Option<Source>,
    },
    ClusterArrive,
    ClusterWait,
    /// Before a `wgmma.mma_async`: waits until all warps of the group have come to it.
    ProductJoin,
    /// `wgmma.commit_group`
    ProductsCommit,
    /// `wgmma.wait_group`: for all groups of products but so many of the last.
    ProductsWait {
        pending: u32,
    },
    Mbarrier {
        operation: Mbarrier,
        address: Source,
        offset: i64,
        space: Space,
    },
    /// `mapa`: an address of another CTA's shared memory.
    MapAddress {
        d: Slot,
        a: Source,
        rank: Source,
        generic: bool,
    },
    /// `getctarank`
    CtaRank {
        d: Slot,
        a: Source,
        generic: bool,
    },
    /// `alloca`
    Allocate {
        d: Slot,
        size: Source,
        align: u64,
    },
    StackSave {
        d: Slot,
    },
    StackRestore {
        a: Source,
    },
    /// A texture or surface instruction: an index into `Code::textures`.
    Texture {
        number: u32,
    },
    /// Zeroes shared memory.
    StoreBulk {
        address: Source,
        offset: i64,
        space: Space,
        size: Source,
    },
    /// An index into `Code::asynchronous`.
    Asynchronous {
        index: u32,
    },
    /// The place where a thread lets others go first.
    Yield,
    /// Does nothing in an interpreter.
    Nothing,
    Trap,
    Breakpoint,
    /// Stops the run, saying that the instruction is not implemented.
    Unsupported,
}

/// How a comparison is combined with a predicate.
pub(crate) use warpsmith_numerics::float::Combine;

/// An operation with its guard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) guard: Test,
    pub(crate) op: Op,
    /// The first operation of an instruction of the text: it is the one that counts.
    pub(crate) counted: bool,
}

/// Where an operation comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) span: Span,
    pub(crate) variant: VariantId,
    /// Index into [`Code::locations`] of the `.loc` in force.
    pub(crate) location: Option<u32>,
}

/// A `.loc`.
#[derive(Clone, Debug)]
pub(crate) struct SourceLocation {
    /// File number, line and column.
    pub(crate) place: (u32, u32, u32),
    /// The function that the line is in, where it was copied to a call.
    pub(crate) function: Option<String>,
    /// That call.
    pub(crate) call: Option<CallLocation>,
}

/// The call that a function was copied to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CallLocation {
    /// Index into [`Code::locations`].
    Known(u32),
    /// File number, line and column; no `.loc` has them.
    Place(u32, u32, u32),
}

/// A function ready to run.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) name: String,
    pub(crate) kernel: bool,
    pub(crate) defined: bool,
    pub(crate) steps: Vec<Step>,
    pub(crate) origins: Vec<Origin>,
    pub(crate) locations: Vec<SourceLocation>,
    /// Place of each step in an order in which loops are contiguous and joins follow what joins.
    pub(crate) ranks: Vec<u32>,
    pub(crate) constants: Vec<Lanes>,
    pub(crate) lists: Vec<u32>,
    pub(crate) calls: Vec<Call>,
    pub(crate) matrices: Vec<super::matrix::Matrix>,
    pub(crate) textures: Vec<super::texture::Texture>,
    pub(crate) asynchronous: Vec<super::bulk::Asynchronous>,
    pub(crate) slots: u32,
    /// The names of registers, by their slots.
    pub(crate) registers: Vec<RegisterName>,
    pub(crate) predicates: u32,
    /// The names of predicates, by their numbers.
    pub(crate) predicate_names: Vec<RegisterName>,
    /// Bytes and alignment of the frame in local memory.
    pub(crate) frame_bytes: u32,
    pub(crate) frame_align: u32,
    pub(crate) parameters: Vec<Received>,
    pub(crate) results: Vec<Received>,
    /// Kernels: offset and bytes of each parameter in the parameter block.
    pub(crate) kernel_parameters: Vec<(u64, u64, u64)>,
    pub(crate) parameter_bytes: u64,
    pub(crate) bounds: Bounds,
}

/// The names of registers that lie in slots one after the other.
#[derive(Clone, Debug)]
pub(crate) struct RegisterName {
    /// The first slot.
    pub(crate) first: u32,
    /// The slots of one register.
    pub(crate) slots: u32,
    /// What they are called.
    pub(crate) name: String,
    /// The number after the name of the first, if they have numbers.
    pub(crate) number: Option<u32>,
}

impl Code {
    /// The name of the register that a slot is, or is part of.
    pub(crate) fn register(&self, slot: usize) -> String {
        name_of(&self.registers, slot).unwrap_or_else(|| "a register".to_string())
    }

    /// The name of a predicate.
    pub(crate) fn predicate(&self, number: usize) -> String {
        name_of(&self.predicate_names, number).unwrap_or_else(|| "a predicate".to_string())
    }
}

/// The name of what a number is, or is part of.
fn name_of(names: &[RegisterName], index: usize) -> Option<String> {
    let after = names.partition_point(|named| named.first as usize <= index);
    let named = names.get(after.checked_sub(1)?)?;
    Some(match named.number {
        Some(number) => {
            let further = (index - named.first as usize) / named.slots.max(1) as usize;
            format!("{}{}", named.name, number as usize + further)
        }
        None => named.name.clone(),
    })
}

/// All of a module.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) functions: Vec<Arc<Code>>,
    pub(crate) mnemonics: Vec<String>,
    pub(crate) files: Vec<(u32, String)>,
    /// Bytes of shared memory of each kernel, before dynamic shared memory.
    pub(crate) shared_bytes: FxHashMap<FunctionId, u64>,
    pub(crate) constant_ranges: Vec<(u64, u64)>,
    /// Variables that hold handles of textures, samplers and surfaces.
    pub(crate) handles: super::texture::Handles,
}

impl Program {
    /// Bytes of shared memory of a kernel, before dynamic shared memory.
    pub(crate) fn shared_bytes(&self, kernel: u32) -> u64 {
        self.shared_bytes.get(&FunctionId(kernel)).copied().unwrap_or(0)
    }
}

/// Addresses of functions: this for the first, 16 more for each next.
pub(crate) const FUNCTION_BASE: u64 = 0x0008_0000;
/// The generic window of shared memory.
pub(crate) const SHARED_WINDOW: u64 = 0x0200_0000;
/// Size of it.
pub(crate) const SHARED_WINDOW_BYTES: u64 = 0x0200_0000;
/// In shared addresses, the CTA of the cluster (plus one) is above these bits; zero there is the own CTA.
pub(crate) const SHARED_RANK_SHIFT: u32 = 20;
/// The generic window of local memory.
pub(crate) const LOCAL_WINDOW: u64 = 0x0400_0000;
/// Size of it.
pub(crate) const LOCAL_WINDOW_BYTES: u64 = 0x0100_0000;
/// The generic window of kernel parameters.
pub(crate) const PARAMETER_WINDOW: u64 = 0x0600_0000;
/// Size of it.
pub(crate) const PARAMETER_WINDOW_BYTES: u64 = 0x0100_0000;
