//! The form that machine words are executed in: rows of values, predicates, steps.

use warpsmith_sass::Instruction;

use super::{
    asynchronous::Asynchronous,
    atomic::Atomic,
    barrier::Barriers,
    bulk::Bulk,
    collective::Collective,
    constant::ConstantLoad,
    control::Flow as ControlOp,
    float::FloatOp,
    lanes::LanesFunction,
    lines::Lines,
    matrix::MatrixMove,
    memory::{Access, Query},
    multimem::MultimemLoad,
    pair::PairOp,
    predicate::PredicateOp,
    product::MatrixProduct,
    special::Special,
    surface::SurfaceOp,
    tensor_memory::TensorOp,
    texture::TextureOp,
};
pub(crate) use crate::lanes::LANES;

/// One 32-bit value for each lane.
pub(crate) type Lanes = [u32; LANES];

/// A row of values of a warp: a register, a uniform register (which holds its value in every lane), or a constant of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row(pub(crate) u32);

impl Row {
    /// RZ: reads as zero, takes what nobody wants.
    pub(crate) const ZERO: Row = Row(255);
    /// The first uniform register.
    const UNIFORM: u32 = 256;
    /// URZ.
    pub(crate) const UNIFORM_ZERO: Row = Row(511);
    /// Rows that a warp has.
    pub(crate) const COUNT: usize = 512;
    /// The first constant.
    const CONSTANT: u32 = 1 << 16;

    /// Register R`number`; 255 is RZ.
    pub(crate) fn register(number: u8) -> Row {
        Row(u32::from(number))
    }

    /// Uniform register UR`number`; `None` is URZ.
    pub(crate) fn uniform(number: Option<u8>) -> Row {
        number.map_or(Row::UNIFORM_ZERO, |number| Row(Row::UNIFORM + u32::from(number)))
    }

    /// A constant, by its index in [`Program::constants`].
    pub(crate) fn constant(index: usize) -> Row {
        Row(Row::CONSTANT + index as u32)
    }

    /// The constant's index, or the row of the warp.
    pub(crate) fn place(self) -> Result<usize, usize> {
        match self.0.checked_sub(Row::CONSTANT) {
            Some(index) => Err(index as usize),
            None => Ok(self.0 as usize),
        }
    }

    /// Whether writes to it are dropped.
    pub(crate) fn is_zero(self) -> bool {
        self == Row::ZERO || self == Row::UNIFORM_ZERO
    }

    /// The row `words` after this one, of a tuple. That of the zero register is the zero register.
    pub(crate) fn after(self, words: u32) -> Row {
        if self.is_zero() || words == 0 {
            return self;
        }
        let end = match self.0 {
            0..=254 => 255,
            256..=510 => 511,
            _ => u32::MAX,
        };
        // A tuple that runs over the file's end, which no encoding forbids, ends in the zero register.
        Row((self.0 + words).min(end))
    }

    /// Whether it is a uniform register.
    pub(crate) fn is_uniform(self) -> bool {
        (Row::UNIFORM..Row::UNIFORM_ZERO.0).contains(&self.0)
    }
}

/// What is done to a value as it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Modify {
    /// Nothing.
    #[default]
    Nothing,
    /// Two's complement.
    Negate,
    /// One's complement.
    Invert,
    /// The sign bit (31) is flipped: `-` of f32 and of the high word of f64.
    FloatNegate,
    /// The sign bit is cleared: `|x|`.
    FloatAbsolute,
    /// The sign bit is set: `-|x|`.
    FloatNegateAbsolute,
}

/// A value read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) row: Row,
    pub(crate) modify: Modify,
}

impl Source {
    /// Zero.
    pub(crate) const ZERO: Source = Source {
        row: Row::ZERO,
        modify: Modify::Nothing,
    };

    /// The row as it is.
    pub(crate) fn plain(row: Row) -> Source {
        Source {
            row,
            modify: Modify::Nothing,
        }
    }
}

/// A predicate that is written: 0 to 6 are P0 to P6, 8 to 14 are UP0 to UP6; 7 and 15, PT and UPT, drop what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Predicate(pub(crate) u8);

impl Predicate {
    /// PT.
    pub(crate) const TRUE: Predicate = Predicate(7);
    /// The number of the first uniform predicate.
    pub(crate) const UNIFORM: u8 = 8;
}

/// A predicate that is read, perhaps negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Test {
    pub(crate) predicate: Predicate,
    pub(crate) negated: bool,
}

impl Test {
    /// Always true.
    pub(crate) const ALWAYS: Test = Test {
        predicate: Predicate::TRUE,
        negated: false,
    };
    /// Always false.
    pub(crate) const NEVER: Test = Test {
        predicate: Predicate::TRUE,
        negated: true,
    };
}

/// An operation. The ones that compute a word from words, lane by lane, are [`Op::Lanes`] and the fastest; each other family has its own type,
/// in the module that executes it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// `d = function(a, b, c)` in every lane.
    Lanes {
        function: LanesFunction,
        d: Row,
        a: Source,
        b: Source,
        c: Source,
        /// What the function makes of it.
        parameter: u32,
    },
    /// Writes predicates, or reads carries.
    Predicate(PredicateOp),
    /// Floating point on register pairs, steered by predicates, or with predicates as result.
    Float(FloatOp),
    /// Computes 64-bit numbers.
    Pair(PairOp),
    /// Copies a special register.
    Special { d: Row, special: Special, wide: bool },
    /// Loads from a constant bank.
    Constant(ConstantLoad),
    /// Loads and stores.
    Memory(Access),
    /// Atomic operations.
    Atomic(Atomic),
    /// Loads from all copies of a multimem address.
    Multimem(MultimemLoad),
    /// Asynchronous copies, mbarriers.
    Asynchronous(Asynchronous),
    /// Bulk and tensor copies.
    Bulk(Bulk),
    /// Matrices in shared memory.
    Matrix(MatrixMove),
    /// Products of matrices.
    Product(MatrixProduct),
    /// Tensor memory.
    Tensor(TensorOp),
    /// Fetches from textures.
    Texture(TextureOp),
    /// Loads from surfaces, stores and reductions.
    Surface(SurfaceOp),
    /// Asks which space an address is in.
    Query(Query),
    /// Changes the flow of control.
    Control(ControlOp),
    /// Barriers of CTAs and clusters.
    Barrier(Barriers),
    /// Shuffles, votes and what else looks at other lanes.
    Collective(Collective),
    /// Has no effect that can be seen.
    Nothing,
    /// Stops the run, saying that the instruction is not implemented.
    Unsupported,
}

/// An operation with its guard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) guard: Test,
    /// Runs once for the warp, not for its lanes: all lanes count as active.
    pub(crate) uniform: bool,
    pub(crate) op: Op,
}

impl Step {
    /// A word that no table matches.
    pub(crate) fn no_instruction() -> Step {
        Step {
            guard: Test::ALWAYS,
            uniform: false,
            op: Op::Unsupported,
        }
    }
}

/// A place in the code: index into [`Program::steps`].
pub(crate) type Pc = u32;

/// A function of the cubin.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// Its first step, and the step after its last.
    pub(crate) start: Pc,
    pub(crate) end: Pc,
}

/// What a cubin says of a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    pub(crate) entry: Pc,
    /// The generic address of constant memory with variables; 0: there is none.
    pub(crate) constant_address: u64,
    /// Where the parameters start in constant bank 0, and their bytes.
    pub(crate) parameter_base: u32,
    pub(crate) parameter_bytes: u32,
    /// Offset (from the base) and size of each parameter.
    pub(crate) parameters: Vec<(u64, u64)>,
    pub(crate) registers: u32,
    pub(crate) shared_bytes: u64,
    /// It allocates tensor memory, of which the system's part of shared memory tells.
    pub(crate) allocates_tensor_memory: bool,
    /// Bytes of the frame, and of the deepest call chain if it is known.
    pub(crate) stack_bytes: u64,
    pub(crate) bounds: crate::launch::Bounds,
    /// Banks other than 0, with their bytes.
    pub(crate) banks: Vec<(u8, Vec<u8>)>,
}

/// A constant of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Constant {
    /// An immediate.
    Value(u32),
    /// A word of a constant bank at a byte offset.
    Bank { bank: u8, offset: u32 },
}

/// All code of a cubin.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) sm: warpsmith_target::Sm,
    pub(crate) steps: Vec<Step>,
    /// The words, one for each step; `None`: no instruction.
    pub(crate) instructions: Vec<Option<Instruction>>,
    /// Constants, which a launch turns into rows.
    pub(crate) constants: Vec<Constant>,
    pub(crate) functions: Vec<Function>,
    pub(crate) kernels: Vec<Kernel>,
    /// Functions that the cubin calls and does not have.
    pub(crate) imports: Vec<String>,
    /// Source lines.
    pub(crate) lines: Lines,
}

impl Program {
    /// The function that a step belongs to.
    pub(crate) fn function(&self, pc: Pc) -> Option<&Function> {
        self.functions.iter().find(|f| (f.start..f.end).contains(&pc))
    }
}

/// Where code lies in the address space: 16 bytes for each step.
pub(crate) const CODE_BASE: u64 = 0x0000_0003_0000_0000;
/// Where the run-time system's functions lie, 16 bytes each.
pub(crate) const SYSTEM_BASE: u64 = 0x0000_0004_0000_0000;
/// The high word of generic addresses of shared memory.
pub(crate) const SHARED_WINDOW: u64 = 0x0000_0001_0000_0000;
/// The high word of generic addresses of local memory.
pub(crate) const LOCAL_WINDOW: u64 = 0x0000_0002_0000_0000;

/// The address of a step.
pub(crate) fn code_address(pc: Pc) -> u64 {
    CODE_BASE + u64::from(pc) * 16
}

/// The step at an address.
pub(crate) fn step_at(address: u64) -> Option<Pc> {
    let offset = address.checked_sub(CODE_BASE)?;
    (offset % 16 == 0).then_some(())?;
    u32::try_from(offset / 16).ok()
}
