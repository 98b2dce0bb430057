//! The SSA IR that CUDA C++ and LLVM/NVVM IR are compiled to and that is optimised and selected into PTX.
//!
//! It means what LLVM's IR with opaque pointers means; the LLVM language reference and the NVVM IR specification are its definition. What
//! differs is said at [`Instruction`]. What enters: calls of the [`Builder`], or text. What leaves: a [`Module`], or text.
//!
//! # The parts
//!
//! * [`Module`]: [`Symbols`] (variables, [`Declaration`]s of functions, aliases, properties) and, apart from them, the bodies ([`Function`]). A pass over
//!   functions takes `(&Symbols, &mut Function)`; [`Module::split_mut`] gives all of these at once, for as many threads as wanted.
//! * [`Context`]: types, constants, texts and locations, interned, shared behind an `Arc` by the module and its functions, growing through `&self`.
//!   [`Type`] and [`ConstantId`] are small copies that are equal if what they stand for is.
//!   Their numbers depend on which thread came first: never sort by them, never let them reach an output.
//!   [`Context::size`], [`Context::alignment`], [`Context::offset_of`] are the data layout.
//! * [`Function`]: blocks in a list, instructions in a list for each block. [`Value`] is an argument, the result of an instruction or a constant (addresses of
//!   variables and functions are constants). Operands change through [`Function::update`], [`Function::replace_instruction`],
//!   [`Function::replace_all_uses`], which keep [`Function::users`] right. Removed instructions and blocks keep their numbers: side tables by number stay valid.
//! * [`Instruction`]: one enumeration; `for_each_operand`, `for_each_successor` and their `_mut` forms visit. [`intrinsic::Intrinsic`] is the table of intrinsics.
//! * [`Attachments`], [`Location`]: what is said of instructions beyond their fields. [`DebugInfo`]: what a debugger is told of variables and types.
//!
//! # Building
//!
//! ```
//! use warpsmith_ir::{AddressSpace, Builder, Declaration, Intrinsic, KernelProperties, Module, Type, Value};
//!
//! let mut module = Module::new("example.cu");
//! let context = module.context().clone();
//! let pointer = Type::Pointer(AddressSpace::GLOBAL);
//! let mut kernel = Declaration::new(&context, "twice", context.function_type(Type::Void, &[pointer], false));
//! kernel.kernel = Some(KernelProperties::default());
//! let id = module.add_function(kernel);
//!
//! let mut body = module.new_body(id);
//! let entry = body.append_block();
//! let mut build = Builder::at_end(&mut body, entry);
//! let thread = build.intrinsic(Intrinsic::NvvmReadPtxSregTidX, &[], &[]);
//! let address = build.element_address(Type::Float, Value::Argument(0), thread);
//! let value = build.load(Type::Float, address);
//! let sum = build.fadd(value, value);
//! build.store(sum, address);
//! build.ret(None);
//! module.set_body(body);
//! assert!(module.to_string().contains("define ptx_kernel void @twice(ptr addrspace(1) %0)"));
//! ```
//!
//! `module.to_string()` is its text in LLVM's modern dialect, [`Module::to_text`] chooses another; [`Module::from_text`] reads all of them; [`Function::display`] and its like are for dumps and messages.
//!
//! Memory locals: `alloca` in the entry block, a generic pointer (address space 0); the optimiser turns them into values. Truth values in memory are `i8`.
//! Loops: hints of pragmas go on the branch back ([`Builder::set_loop_hints`]).

pub mod arena;
mod attributes;
mod builder;
mod constant;
mod context;
mod debug;
mod expression;
mod function;
mod instruction;
mod integer;
pub mod interpret;
pub mod intrinsic;
mod layout;
mod link;
mod location;
mod module;
mod opcode;
mod text;
mod types;
mod verify;

pub use arena::{Arena, Entity};
pub use attributes::{Extension, FunctionAttributes, Inlining, KernelProperties, MemoryEffects, ParameterAttributes};
pub use builder::{Builder, Position};
pub use constant::{Constant, ConstantExpression, ConstantId};
pub use context::{Context, Symbol};
pub use debug::{
    DebugEncoding, DebugFunction, DebugInfo, DebugMember, DebugMemory, DebugPlace, DebugRecordKind, DebugScope,
    DebugScopeId, DebugType, DebugTypeId, DebugVariable,
};
pub use function::{BlockId, Function, InstructionId, Predecessors};
pub use instruction::{
    Access, Atomic, Attachments, Call, Callee, Case, InlineAssembly, Instruction, LoopHints, TailCall, Value,
};
pub use integer::Integer;
pub use intrinsic::Intrinsic;
pub use link::Wanted;
pub use location::{Location, LocationId};
pub use module::{
    Alias, AliasId, Convention, Declaration, FunctionId, Global, GlobalId, GlobalRole, Linkage, MODERN_LAYOUT, Module,
    Properties, SymbolId, Symbols, TemplatePlaces,
};
pub use opcode::{AtomicOp, BinaryOp, CastOp, Flags, FloatPredicate, GepFlags, IntPredicate, Ordering, Scope};
pub use text::{Dialect, escaped, quoted_name};
pub use types::{
    AddressSpace, ArrayType, FunctionData, FunctionType, SequenceData, StructData, StructType, Type, VectorType,
};
