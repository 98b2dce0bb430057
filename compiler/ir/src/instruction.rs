//! Instructions and their operands.

use smallvec::SmallVec;

use crate::attributes::{FunctionAttributes, ParameterAttributes};
use crate::constant::ConstantId;
use crate::function::{BlockId, InstructionId};
use crate::integer::Integer;
use crate::intrinsic::Intrinsic;
use crate::module::{Convention, FunctionId};
use crate::opcode::{AtomicOp, BinaryOp, CastOp, FloatPredicate, IntPredicate, Ordering, Scope};
pub(crate) use crate::opcode::{Flags, GepFlags};
use crate::types::{FunctionType, Type};

/// An operand: something that has a value. Addresses of variables and functions are constants.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A parameter of the function, by its number.
    Argument(u32),
    /// The result of an instruction.
    Instruction(InstructionId),
    /// A constant.
    Constant(ConstantId),
}

impl Value {
    /// The instruction whose result it is.
    pub fn as_instruction(self) -> Option<InstructionId> {
        match self {
            Value::Instruction(id) => Some(id),
            Value::Argument(_) | Value::Constant(_) => None,
        }
    }

    /// The constant that it is.
    pub fn as_constant(self) -> Option<ConstantId> {
        match self {
            Value::Constant(id) => Some(id),
            Value::Argument(_) | Value::Instruction(_) => None,
        }
    }
}

impl From<InstructionId> for Value {
    fn from(id: InstructionId) -> Value {
        Value::Instruction(id)
    }
}

impl From<ConstantId> for Value {
    fn from(id: ConstantId) -> Value {
        Value::Constant(id)
    }
}

/// What is said of a load or store beyond its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// The alignment of the address in bytes, a power of two.
    pub align: u32,
    /// Neither to be removed, nor joined, nor moved over other volatile accesses.
    pub volatile: bool,
    /// Whether and how it is atomic.
    pub atomic: Option<Atomic>,
    /// Of a load: the memory does not change while the function can see it (`!invariant.load`), as `ld.global.nc` wants.
    pub invariant: bool,
    /// Not soon used again (`!nontemporal`).
    pub nontemporal: bool,
}

impl Access {
    /// A plain access of an alignment.
    pub fn aligned(align: u32) -> Access {
        Access {
            align,
            volatile: false,
            atomic: None,
            invariant: false,
            nontemporal: false,
        }
    }

    /// Whether it is neither volatile nor atomic.
    pub fn is_simple(&self) -> bool {
        !self.volatile && self.atomic.is_none()
    }
}

/// The ordering and scope of an atomic access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Atomic {
    /// What it orders.
    pub ordering: Ordering,
    /// Among which threads.
    pub scope: Scope,
}

/// Inline assembly, as an operand of a call.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InlineAssembly {
    /// The text with `$0`, `${0:…}`, `$$` and `$(a$|b$)`.
    pub template: String,
    /// The constraints, such as `=r,r,~{memory}`.
    pub constraints: String,
    /// It has effects beyond its outputs: `asm volatile`.
    pub side_effects: bool,
    /// `alignstack`; without meaning for PTX.
    pub align_stack: bool,
}

/// What a call calls.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    /// A function of the module.
    Function(FunctionId),
    /// A function by its address.
    Indirect(Value),
    /// An operation of the table of intrinsics, with the types of its overload slots. Needs no declaration in the module.
    Intrinsic(Intrinsic, SmallVec<[Type; 2]>),
    /// Assembly.
    Assembly(Box<InlineAssembly>),
}

/// Whether a call may or must reuse the caller's frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum TailCall {
    /// Nothing said.
    #[default]
    None,
    /// `tail`.
    Tail,
    /// `musttail`.
    Must,
    /// `notail`.
    Never,
}

/// A call.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// The type that it is called with.
    pub ty: FunctionType,
    /// The arguments.
    pub arguments: SmallVec<[Value; 4]>,
    /// Whether it may or must reuse the frame.
    pub tail: TailCall,
    /// Fast-math flags of the result.
    pub flags: Flags,
    /// The calling convention.
    pub convention: Convention,
    /// What is said of this call, beyond what its callee's declaration says; `None` for nothing.
    pub attributes: Option<Box<FunctionAttributes>>,
    /// Attributes of the arguments at this call: empty, or one for each.
    pub argument_attributes: Vec<ParameterAttributes>,
    /// Attributes of the result at this call.
    pub result_attributes: Option<Box<ParameterAttributes>>,
}

impl Call {
    /// A call without attributes.
    pub fn new(callee: Callee, ty: FunctionType, arguments: impl IntoIterator<Item = Value>) -> Call {
        Call {
            callee,
            ty,
            arguments: arguments.into_iter().collect(),
            tail: TailCall::None,
            flags: Flags::NONE,
            convention: Convention::C,
            attributes: None,
            argument_attributes: Vec::new(),
            result_attributes: None,
        }
    }

    /// The intrinsic that is called.
    pub fn intrinsic(&self) -> Option<Intrinsic> {
        match &self.callee {
            Callee::Intrinsic(intrinsic, _) => Some(*intrinsic),
            Callee::Function(_) | Callee::Indirect(_) | Callee::Assembly(_) => None,
        }
    }
}

/// One of the places that a `switch` goes to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Case {
    /// For this value,
    pub value: Integer,
    /// to this block.
    pub target: BlockId,
}

/// An instruction. The type of its result is beside it in the function ([`Function::result_type`](crate::Function::result_type)).
///
/// What differs from LLVM: a phi has one entry for each *block* that precedes its own, however many edges come from it; calls of intrinsics name the
/// intrinsic and need no declaration.
#[derive(Clone, PartialEq, Debug)]
pub enum Instruction {
    /// Arithmetic on two operands.
    Binary {
        /// The operation.
        op: BinaryOp,
        /// Promises.
        flags: Flags,
        /// The left operand.
        left: Value,
        /// The right operand.
        right: Value,
    },
    /// The operand with the sign bit changed.
    FNeg {
        /// Promises.
        flags: Flags,
        /// The operand.
        operand: Value,
    },
    /// A comparison of integers or pointers.
    ICmp {
        /// The relation.
        predicate: IntPredicate,
        /// `samesign`.
        flags: Flags,
        /// The left operand.
        left: Value,
        /// The right operand.
        right: Value,
    },
    /// A comparison of floats.
    FCmp {
        /// The relation.
        predicate: FloatPredicate,
        /// Promises.
        flags: Flags,
        /// The left operand.
        left: Value,
        /// The right operand.
        right: Value,
    },
    /// A conversion to the type of the result.
    Cast {
        /// Which.
        op: CastOp,
        /// Promises.
        flags: Flags,
        /// The operand.
        operand: Value,
    },
    /// One of two values, by a truth value (or a vector of them, lane by lane).
    Select {
        /// Fast-math promises.
        flags: Flags,
        /// Which.
        condition: Value,
        /// The result if true.
        on_true: Value,
        /// The result if false.
        on_false: Value,
    },
    /// The operand; if that is undef or poison, one arbitrary value.
    Freeze {
        /// The operand.
        operand: Value,
    },
    /// The value for the block that control came from.
    Phi {
        /// Fast-math promises.
        flags: Flags,
        /// One entry for each preceding block.
        incoming: SmallVec<[(BlockId, Value); 2]>,
    },
    /// Memory of the function's frame.
    Alloca {
        /// The type of an element.
        ty: Type,
        /// How many elements.
        count: Value,
        /// Alignment in bytes, a power of two.
        align: u32,
    },
    /// Reads memory; the type of the result says how much.
    Load {
        /// Where.
        pointer: Value,
        /// How.
        access: Access,
    },
    /// Writes memory.
    Store {
        /// Where.
        pointer: Value,
        /// What.
        value: Value,
        /// How.
        access: Access,
    },
    /// An address inside of what `base` points to: `base` + first index × size of `source` + offsets of the elements that the others choose.
    Gep {
        /// Promises.
        flags: GepFlags,
        /// The type that the first index steps over.
        source: Type,
        /// The address to start from.
        base: Value,
        /// The indices.
        indices: SmallVec<[Value; 2]>,
    },
    /// A lane of a vector.
    ExtractElement {
        /// The vector.
        vector: Value,
        /// Which lane.
        index: Value,
    },
    /// A vector with one lane replaced.
    InsertElement {
        /// The vector.
        vector: Value,
        /// The new value of the lane.
        element: Value,
        /// Which lane.
        index: Value,
    },
    /// Lanes of two vectors.
    ShuffleVector {
        /// The first vector: lanes from 0.
        left: Value,
        /// The second vector: lanes from the first's length.
        right: Value,
        /// For each lane of the result which lane, or -1 for poison.
        mask: Box<[i32]>,
    },
    /// A field or element of an aggregate value.
    ExtractValue {
        /// The aggregate.
        aggregate: Value,
        /// The path.
        indices: SmallVec<[u32; 4]>,
    },
    /// An aggregate value with a field or element replaced.
    InsertValue {
        /// The aggregate.
        aggregate: Value,
        /// The new value.
        element: Value,
        /// The path.
        indices: SmallVec<[u32; 4]>,
    },
    /// A call.
    Call(Box<Call>),
    /// Replaces memory by what is computed of it, at once; gives the old value.
    AtomicRmw {
        /// What is computed.
        op: AtomicOp,
        /// Where.
        pointer: Value,
        /// The operand.
        value: Value,
        /// Ordering and scope.
        atomic: Atomic,
        /// Alignment in bytes.
        align: u32,
        /// Not to be removed or joined.
        volatile: bool,
    },
    /// Replaces memory if it has an expected value; gives a structure of the old value and whether it was replaced.
    CompareExchange {
        /// Where.
        pointer: Value,
        /// The expected value.
        expected: Value,
        /// The new value.
        new: Value,
        /// Ordering and scope if it is replaced.
        atomic: Atomic,
        /// Ordering if it is not.
        failure: Ordering,
        /// May fail without reason.
        weak: bool,
        /// Alignment in bytes.
        align: u32,
        /// Not to be removed or joined.
        volatile: bool,
    },
    /// Orders accesses.
    Fence(Atomic),
    /// To a block.
    Branch {
        /// The block.
        target: BlockId,
    },
    /// To one of two blocks.
    ConditionalBranch {
        /// A truth value.
        condition: Value,
        /// The block if true.
        on_true: BlockId,
        /// The block if false.
        on_false: BlockId,
    },
    /// To a block by an integer.
    Switch {
        /// The integer.
        value: Value,
        /// The block for all values that have no case.
        default: BlockId,
        /// The cases, of different values.
        cases: Vec<Case>,
    },
    /// To a block by its address.
    IndirectBranch {
        /// The address.
        address: Value,
        /// All blocks that it can be.
        targets: Vec<BlockId>,
    },
    /// Back to the caller.
    Return {
        /// The result, unless the function's is void.
        value: Option<Value>,
    },
    /// Control does not get here.
    Unreachable,
}

/// Calls `$visit` on each operand of `$instruction`, by reference or mutable reference alike.
macro_rules! visit_operands {
    ($instruction:expr, $visit:expr, $iter:ident, $reborrow:ident) => {{
        use Instruction as I;
        let visit = $visit;
        match $instruction {
            I::Binary { left, right, .. } | I::ICmp { left, right, .. } | I::FCmp { left, right, .. } => {
                visit(left);
                visit(right);
            }
            I::ShuffleVector { left, right, .. } => {
                visit(left);
                visit(right);
            }
            I::FNeg { operand, .. } | I::Cast { operand, .. } | I::Freeze { operand } => visit(operand),
            I::Select {
                condition,
                on_true,
                on_false,
                ..
            } => {
                visit(condition);
                visit(on_true);
                visit(on_false);
            }
            I::Phi { incoming, .. } => incoming.$iter().for_each(|(_, value)| visit(value)),
            I::Alloca { count, .. } => visit(count),
            I::Load { pointer, .. } => visit(pointer),
            I::Store { pointer, value, .. } => {
                visit(value);
                visit(pointer);
            }
            I::Gep { base, indices, .. } => {
                visit(base);
                indices.$iter().for_each(visit);
            }
            I::ExtractElement { vector, index } => {
                visit(vector);
                visit(index);
            }
            I::InsertElement { vector, element, index } => {
                visit(vector);
                visit(element);
                visit(index);
            }
            I::ExtractValue { aggregate, .. } => visit(aggregate),
            I::InsertValue { aggregate, element, .. } => {
                visit(aggregate);
                visit(element);
            }
            I::Call(call) => {
                let Call { callee, arguments, .. } = call.$reborrow();
                arguments.$iter().for_each(&mut *visit);
                if let Callee::Indirect(address) = callee {
                    visit(address);
                }
            }
            I::AtomicRmw { pointer, value, .. } => {
                visit(pointer);
                visit(value);
            }
            I::CompareExchange {
                pointer, expected, new, ..
            } => {
                visit(pointer);
                visit(expected);
                visit(new);
            }
            I::ConditionalBranch { condition, .. } => visit(condition),
            I::Switch { value, .. } => visit(value),
            I::IndirectBranch { address, .. } => visit(address),
            I::Return { value } => value.$iter().for_each(visit),
            I::Fence(_) | I::Branch { .. } | I::Unreachable => {}
        }
    }};
}

impl Instruction {
    /// Calls `visit` with each operand, in the order of the text (an indirect callee last, a stored value before its address). Blocks are no operands.
    pub fn for_each_operand(&self, mut visit: impl FnMut(Value)) {
        let visit: &mut dyn FnMut(&Value) = &mut |value| visit(*value);
        visit_operands!(self, &mut *visit, iter, as_ref);
    }

    /// Calls `visit` with each operand to change it. Of an instruction in a function this is for [`Function::update`](crate::Function::update).
    pub fn for_each_operand_mut(&mut self, mut visit: impl FnMut(&mut Value)) {
        let visit: &mut dyn FnMut(&mut Value) = &mut visit;
        visit_operands!(self, &mut *visit, iter_mut, as_mut);
    }

    /// All operands, in the order of [`Instruction::for_each_operand`].
    pub fn operands(&self) -> SmallVec<[Value; 4]> {
        let mut operands = SmallVec::new();
        self.for_each_operand(|value| operands.push(value));
        operands
    }

    /// Calls `visit` with each block that a terminator goes to, once for each edge. (Blocks of phis are where control comes from.)
    pub fn for_each_successor(&self, mut visit: impl FnMut(BlockId)) {
        match self {
            Instruction::Branch { target } => visit(*target),
            Instruction::ConditionalBranch { on_true, on_false, .. } => {
                visit(*on_true);
                visit(*on_false);
            }
            Instruction::Switch { default, cases, .. } => {
                visit(*default);
                cases.iter().for_each(|case| visit(case.target));
            }
            Instruction::IndirectBranch { targets, .. } => targets.iter().for_each(|&target| visit(target)),
            _ => {}
        }
    }

    /// Calls `visit` with each block that a terminator goes to, to change it.
    pub fn for_each_successor_mut(&mut self, mut visit: impl FnMut(&mut BlockId)) {
        match self {
            Instruction::Branch { target } => visit(target),
            Instruction::ConditionalBranch { on_true, on_false, .. } => {
                visit(on_true);
                visit(on_false);
            }
            Instruction::Switch { default, cases, .. } => {
                visit(default);
                cases.iter_mut().for_each(|case| visit(&mut case.target));
            }
            Instruction::IndirectBranch { targets, .. } => targets.iter_mut().for_each(visit),
            _ => {}
        }
    }

    /// The blocks that a terminator goes to, once for each edge.
    pub fn successors(&self) -> SmallVec<[BlockId; 2]> {
        let mut successors = SmallVec::new();
        self.for_each_successor(|block| successors.push(block));
        successors
    }

    /// Whether it ends a block.
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            Instruction::Branch { .. }
                | Instruction::ConditionalBranch { .. }
                | Instruction::Switch { .. }
                | Instruction::IndirectBranch { .. }
                | Instruction::Return { .. }
                | Instruction::Unreachable
        )
    }

    /// Whether it is a phi.
    pub fn is_phi(&self) -> bool {
        matches!(self, Instruction::Phi { .. })
    }

    /// The call that it is.
    pub fn as_call(&self) -> Option<&Call> {
        match self {
            Instruction::Call(call) => Some(call),
            _ => None,
        }
    }

    /// The intrinsic that it calls.
    pub fn intrinsic(&self) -> Option<Intrinsic> {
        self.as_call()?.intrinsic()
    }

    /// Its flags, none for instructions without.
    pub fn flags(&self) -> Flags {
        match self {
            Instruction::Binary { flags, .. }
            | Instruction::FNeg { flags, .. }
            | Instruction::ICmp { flags, .. }
            | Instruction::FCmp { flags, .. }
            | Instruction::Cast { flags, .. }
            | Instruction::Select { flags, .. }
            | Instruction::Phi { flags, .. } => *flags,
            Instruction::Call(call) => call.flags,
            _ => Flags::NONE,
        }
    }

    /// Its flags to change, where it has any.
    pub fn flags_mut(&mut self) -> Option<&mut Flags> {
        match self {
            Instruction::Binary { flags, .. }
            | Instruction::FNeg { flags, .. }
            | Instruction::ICmp { flags, .. }
            | Instruction::FCmp { flags, .. }
            | Instruction::Cast { flags, .. }
            | Instruction::Select { flags, .. }
            | Instruction::Phi { flags, .. } => Some(flags),
            Instruction::Call(call) => Some(&mut call.flags),
            _ => None,
        }
    }

    /// The name of the operation in the text.
    pub fn mnemonic(&self) -> &'static str {
        match self {
            Instruction::Binary { op, .. } => op.text(),
            Instruction::FNeg { .. } => "fneg",
            Instruction::ICmp { .. } => "icmp",
            Instruction::FCmp { .. } => "fcmp",
            Instruction::Cast { op, .. } => op.text(),
            Instruction::Select { .. } => "select",
            Instruction::Freeze { .. } => "freeze",
            Instruction::Phi { .. } => "phi",
            Instruction::Alloca { .. } => "alloca",
            Instruction::Load { .. } => "load",
            Instruction::Store { .. } => "store",
            Instruction::Gep { .. } => "getelementptr",
            Instruction::ExtractElement { .. } => "extractelement",
            Instruction::InsertElement { .. } => "insertelement",
            Instruction::ShuffleVector { .. } => "shufflevector",
            Instruction::ExtractValue { .. } => "extractvalue",
            Instruction::InsertValue { .. } => "insertvalue",
            Instruction::Call(_) => "call",
            Instruction::AtomicRmw { .. } => "atomicrmw",
            Instruction::CompareExchange { .. } => "cmpxchg",
            Instruction::Fence(_) => "fence",
            Instruction::Branch { .. } | Instruction::ConditionalBranch { .. } => "br",
            Instruction::Switch { .. } => "switch",
            Instruction::IndirectBranch { .. } => "indirectbr",
            Instruction::Return { .. } => "ret",
            Instruction::Unreachable => "unreachable",
        }
    }
}

/// What pragmas and the front end say of a loop. It stands on the branch from the loop's end to its head.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct LoopHints {
    /// `#pragma unroll 1` or `nounroll`.
    pub unroll_disable: bool,
    /// `#pragma unroll`: as much as is sensible.
    pub unroll_enable: bool,
    /// Fully.
    pub unroll_full: bool,
    /// `#pragma unroll N`.
    pub unroll_count: Option<u32>,
    /// It ends, or has visible effects.
    pub must_progress: bool,
}

/// What is rarely said of an instruction.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Attachments {
    /// `!range`: the result is in one of these half-open ranges.
    pub range: Vec<(Integer, Integer)>,
    /// `!nonnull`.
    pub nonnull: bool,
    /// `!noundef`.
    pub noundef: bool,
    /// `!align`: the loaded pointer's alignment.
    pub align: u64,
    /// `!dereferenceable`: of the loaded pointer.
    pub dereferenceable: u64,
    /// `!prof`: branch weights, one for each edge.
    pub weights: Vec<u32>,
    /// `!unpredictable`.
    pub unpredictable: bool,
    /// Of a branch back to a loop's head.
    pub loop_hints: Option<LoopHints>,
    /// `!alias.scope`: the scopes that the access belongs to, numbered in the module.
    pub alias_scopes: Vec<u32>,
    /// `!noalias`: the scopes that the access has nothing to do with.
    pub noalias_scopes: Vec<u32>,
    /// `!fpmath`: the error allowed, in ULP, as the bits of a `float`.
    pub precision: Option<u32>,
}

impl Attachments {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Attachments::default()
    }
}
