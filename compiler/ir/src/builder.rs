//! Making instructions at a place.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::attributes::FunctionAttributes;
use crate::constant::{Constant, ConstantId};
use crate::context::Context;
use crate::function::{BlockId, Function, InstructionId};
use crate::instruction::{
    Access, Atomic, Call, Callee, Case, Flags, GepFlags, InlineAssembly, Instruction, LoopHints, Value,
};
use crate::integer::Integer;
use crate::intrinsic::Intrinsic;
use crate::location::LocationId;
use crate::module::{FunctionId, Symbols};
use crate::opcode::{AtomicOp, BinaryOp, CastOp, FloatPredicate, IntPredicate, Ordering};
use crate::types::{AddressSpace, FunctionType, Type};

/// Where new instructions go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// To the end of a block.
    End(BlockId),
    /// Before an instruction.
    Before(InstructionId),
}

/// Makes instructions at a position of a function. Each method gives the result as a [`Value`] (or the instruction, where it has no result).
///
/// The types of results are worked out from the operands; operands of types that do not fit make instructions that the verifier refuses.
#[derive(Debug)]
pub struct Builder<'f> {
    /// The function.
    pub function: &'f mut Function,
    position: Position,
    /// The location that new instructions get.
    pub location: Option<LocationId>,
    /// The fast-math flags that new float instructions get.
    pub fast_math: Flags,
}

impl<'f> Builder<'f> {
    /// A builder that adds to the end of a block.
    pub fn at_end(function: &'f mut Function, block: BlockId) -> Builder<'f> {
        Builder {
            function,
            position: Position::End(block),
            location: None,
            fast_math: Flags::NONE,
        }
    }

    /// A builder that inserts before an instruction, with its location.
    pub fn before(function: &'f mut Function, instruction: InstructionId) -> Builder<'f> {
        let location = function.location(instruction);
        Builder {
            function,
            position: Position::Before(instruction),
            location,
            fast_math: Flags::NONE,
        }
    }

    /// Where new instructions go.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Goes on at the end of a block.
    pub fn move_to_end(&mut self, block: BlockId) {
        self.position = Position::End(block);
    }

    /// Goes on before an instruction.
    pub fn move_before(&mut self, instruction: InstructionId) {
        self.position = Position::Before(instruction);
    }

    /// The block that new instructions go to.
    pub fn block(&self) -> Option<BlockId> {
        match self.position {
            Position::End(block) => Some(block),
            Position::Before(instruction) => self.function.block_of(instruction),
        }
    }

    /// Types and constants.
    pub fn context(&self) -> &Arc<Context> {
        self.function.context()
    }

    /// The type of a value.
    pub fn type_of(&self, value: Value) -> Type {
        self.function.type_of(value)
    }

    /// Adds an instruction with a result of a type.
    pub fn insert(&mut self, instruction: Instruction, ty: Type) -> InstructionId {
        let id = match self.position {
            Position::End(block) => self.function.append(block, instruction, ty),
            Position::Before(other) => self.function.insert_before(other, instruction, ty),
        };
        self.function.set_location(id, self.location);
        id
    }

    fn value(&mut self, instruction: Instruction, ty: Type) -> Value {
        Value::Instruction(self.insert(instruction, ty))
    }

    /// Makes a block at the end of the function.
    pub fn append_block(&mut self, name: &str) -> BlockId {
        let block = self.function.append_block();
        self.function.set_block_name(block, name);
        block
    }

    /// Makes a block that is placed later ([`Function::place_block_last`]).
    pub fn create_block(&mut self, name: &str) -> BlockId {
        let block = self.function.create_block();
        self.function.set_block_name(block, name);
        block
    }

    // Constants.

    /// An integer constant.
    pub fn int(&self, bits: u32, value: i128) -> Value {
        Value::Constant(self.context().int(bits, value))
    }

    /// A 32-bit integer constant.
    pub fn i32(&self, value: i32) -> Value {
        self.int(32, i128::from(value))
    }

    /// A 64-bit integer constant.
    pub fn i64(&self, value: i64) -> Value {
        self.int(64, i128::from(value))
    }

    /// A truth value.
    pub fn bool(&self, value: bool) -> Value {
        Value::Constant(self.context().bool(value))
    }

    /// The zero of a type.
    pub fn zero(&self, ty: Type) -> Value {
        Value::Constant(self.context().zero(ty))
    }

    /// A float constant by its bits.
    pub fn float(&self, ty: Type, bits: u64) -> Value {
        Value::Constant(self.context().float(ty, bits))
    }

    /// The undefined value of a type.
    pub fn undef(&self, ty: Type) -> Value {
        Value::Constant(self.context().undef(ty))
    }

    /// The poison value of a type.
    pub fn poison(&self, ty: Type) -> Value {
        Value::Constant(self.context().poison(ty))
    }

    /// The address of a variable.
    pub fn global(&self, symbols: &Symbols, global: crate::GlobalId) -> Value {
        Value::Constant(symbols.global_address(global))
    }

    // Arithmetic.

    /// Arithmetic with flags.
    pub fn binary_with(&mut self, op: BinaryOp, flags: Flags, left: Value, right: Value) -> Value {
        let ty = self.type_of(left);
        self.value(Instruction::Binary { op, flags, left, right }, ty)
    }

    /// Arithmetic; float operations get the builder's fast-math flags.
    pub fn binary(&mut self, op: BinaryOp, left: Value, right: Value) -> Value {
        let flags = if op.is_float() { self.fast_math } else { Flags::NONE };
        self.binary_with(op, flags, left, right)
    }

    /// `add`.
    pub fn add(&mut self, left: Value, right: Value) -> Value {
        self.binary(BinaryOp::Add, left, right)
    }

    /// `sub`.
    pub fn sub(&mut self, left: Value, right: Value) -> Value {
        self.binary(BinaryOp::Sub, left, right)
    }

    /// `mul`.
    pub fn mul(&mut self, left: Value, right: Value) -> Value {
        self.binary(BinaryOp::Mul, left, right)
    }

    /// `and`.
    pub fn and(&mut self, left: Value, right: Value) -> Value {
        self.binary(BinaryOp::And, left, right)
    }

    /// `or`.
    pub fn or(&mut self, left: Value, right: Value) -> Value {
        self.binary(BinaryOp::Or, left, right)
    }

    /// `xor`.
    pub fn xor(&mut self, left: Value, right: Value) -> Value {
        self.binary(BinaryOp::Xor, left, right)
    }

    /// `shl`.
    pub fn shl(&mut self, left: Value, right: Value) -> Value {
        self.binary(BinaryOp::Shl, left, right)
    }

    /// `lshr`.
    pub fn lshr(&mut self, left: Value, right: Value) -> Value {
        self.binary(BinaryOp::LShr, left, right)
    }

    /// `ashr`.
    pub fn ashr(&mut self, left: Value, right: Value) -> Value {
        self.binary(BinaryOp::AShr, left, right)
    }

    /// `fadd`.
    pub fn fadd(&mut self, left: Value, right: Value) -> Value {
        self.binary(BinaryOp::FAdd, left, right)
    }

    /// `fsub`.
    pub fn fsub(&mut self, left: Value, right: Value) -> Value {
        self.binary(BinaryOp::FSub, left, right)
    }

    /// `fmul`.
    pub fn fmul(&mut self, left: Value, right: Value) -> Value {
        self.binary(BinaryOp::FMul, left, right)
    }

    /// `fdiv`.
    pub fn fdiv(&mut self, left: Value, right: Value) -> Value {
        self.binary(BinaryOp::FDiv, left, right)
    }

    /// `0 - operand`.
    pub fn neg(&mut self, operand: Value) -> Value {
        let zero = self.zero(self.type_of(operand));
        self.sub(zero, operand)
    }

    /// All bits of an integer (or of each lane) inverted.
    pub fn not(&mut self, operand: Value) -> Value {
        let ty = self.type_of(operand);
        let bits = self.context().scalar(ty).int_bits().unwrap_or(1);
        let ones = self.context().integer(Integer::ones(bits));
        let ones = match self.context().lanes(ty) {
            Some(lanes) => self.context().splat(lanes, ones),
            None => ones,
        };
        self.xor(operand, ones.into())
    }

    /// `fneg`.
    pub fn fneg(&mut self, operand: Value) -> Value {
        let (ty, flags) = (self.type_of(operand), self.fast_math);
        self.value(Instruction::FNeg { flags, operand }, ty)
    }

    /// `icmp`.
    pub fn icmp(&mut self, predicate: IntPredicate, left: Value, right: Value) -> Value {
        let ty = self.context().like(self.type_of(left), Type::BOOL);
        self.value(
            Instruction::ICmp {
                predicate,
                flags: Flags::NONE,
                left,
                right,
            },
            ty,
        )
    }

    /// `fcmp`.
    pub fn fcmp(&mut self, predicate: FloatPredicate, left: Value, right: Value) -> Value {
        let ty = self.context().like(self.type_of(left), Type::BOOL);
        let flags = self.fast_math;
        self.value(
            Instruction::FCmp {
                predicate,
                flags,
                left,
                right,
            },
            ty,
        )
    }

    /// A conversion; none is made where the operand has the type already.
    pub fn cast(&mut self, op: CastOp, operand: Value, ty: Type) -> Value {
        if self.type_of(operand) == ty {
            return operand;
        }
        self.value(
            Instruction::Cast {
                op,
                flags: Flags::NONE,
                operand,
            },
            ty,
        )
    }

    /// `trunc`, `zext`, `sext` or nothing: an integer brought to the width of another integer type.
    pub fn resize_int(&mut self, operand: Value, ty: Type, signed: bool) -> Value {
        let width = |ty: Type| self.context().scalar(ty).int_bits().unwrap_or(0);
        let op = match width(self.type_of(operand)).cmp(&width(ty)) {
            std::cmp::Ordering::Greater => CastOp::Trunc,
            _ if signed => CastOp::SExt,
            _ => CastOp::ZExt,
        };
        self.cast(op, operand, ty)
    }

    /// `bitcast`.
    pub fn bitcast(&mut self, operand: Value, ty: Type) -> Value {
        self.cast(CastOp::BitCast, operand, ty)
    }

    /// `addrspacecast`, or nothing.
    pub fn address_space_cast(&mut self, operand: Value, space: AddressSpace) -> Value {
        let ty = self.context().like(self.type_of(operand), Type::Pointer(space));
        self.cast(CastOp::AddrSpaceCast, operand, ty)
    }

    /// `select`.
    pub fn select(&mut self, condition: Value, on_true: Value, on_false: Value) -> Value {
        let ty = self.type_of(on_true);
        self.value(
            Instruction::Select {
                flags: Flags::NONE,
                condition,
                on_true,
                on_false,
            },
            ty,
        )
    }

    /// `freeze`.
    pub fn freeze(&mut self, operand: Value) -> Value {
        let ty = self.type_of(operand);
        self.value(Instruction::Freeze { operand }, ty)
    }

    /// A phi of a type with the entries known so far. More are added with [`Builder::add_incoming`].
    pub fn phi(&mut self, ty: Type, incoming: &[(BlockId, Value)]) -> Value {
        self.value(
            Instruction::Phi {
                flags: Flags::NONE,
                incoming: incoming.into(),
            },
            ty,
        )
    }

    /// Adds an entry to a phi.
    pub fn add_incoming(&mut self, phi: Value, block: BlockId, value: Value) {
        let Some(id) = phi.as_instruction() else { return };
        self.function.update(id, |instruction| {
            if let Instruction::Phi { incoming, .. } = instruction {
                incoming.push((block, value));
            }
        });
    }

    // Memory.

    /// One element of stack memory, aligned as its type wants. The result is a generic pointer. Belongs at the beginning of the entry block.
    pub fn alloca(&mut self, ty: Type) -> Value {
        let align = self.context().alignment(ty);
        self.alloca_with(ty, self.i32(1), align, AddressSpace::GENERIC)
    }

    /// Stack memory.
    pub fn alloca_with(&mut self, ty: Type, count: Value, align: u32, space: AddressSpace) -> Value {
        self.value(Instruction::Alloca { ty, count, align }, Type::Pointer(space))
    }

    /// A plain load of the natural alignment.
    pub fn load(&mut self, ty: Type, pointer: Value) -> Value {
        let access = Access::aligned(self.context().alignment(ty));
        self.load_with(ty, pointer, access)
    }

    /// A load.
    pub fn load_with(&mut self, ty: Type, pointer: Value, access: Access) -> Value {
        self.value(Instruction::Load { pointer, access }, ty)
    }

    /// A plain store of the natural alignment.
    pub fn store(&mut self, value: Value, pointer: Value) -> InstructionId {
        let access = Access::aligned(self.context().alignment(self.type_of(value)));
        self.store_with(value, pointer, access)
    }

    /// A store.
    pub fn store_with(&mut self, value: Value, pointer: Value, access: Access) -> InstructionId {
        self.insert(Instruction::Store { pointer, value, access }, Type::Void)
    }

    /// `getelementptr` of any form.
    pub fn gep_with(&mut self, flags: GepFlags, source: Type, base: Value, indices: &[Value]) -> Value {
        let pointer = self.type_of(base);
        let lanes = indices
            .iter()
            .find_map(|&index| self.context().lanes(self.type_of(index)));
        let ty = match lanes {
            Some(lanes) if !pointer.is_vector() => self.context().vector(pointer, lanes),
            _ => pointer,
        };
        self.value(
            Instruction::Gep {
                flags,
                source,
                base,
                indices: indices.into(),
            },
            ty,
        )
    }

    /// `getelementptr inbounds`.
    pub fn gep(&mut self, source: Type, base: Value, indices: &[Value]) -> Value {
        self.gep_with(GepFlags::INBOUNDS, source, base, indices)
    }

    /// The address of a field of a structure.
    pub fn field_address(&mut self, structure: Type, base: Value, field: u32) -> Value {
        let indices = [self.i32(0), self.int(32, i128::from(field))];
        self.gep(structure, base, &indices)
    }

    /// The address of an element, `base[index]` with elements of `element`.
    pub fn element_address(&mut self, element: Type, base: Value, index: Value) -> Value {
        self.gep(element, base, &[index])
    }

    /// The address `base` + `bytes`.
    pub fn byte_offset(&mut self, base: Value, bytes: Value) -> Value {
        self.gep(Type::I8, base, &[bytes])
    }

    /// `atomicrmw`, aligned by the size of the value.
    pub fn atomic_rmw(&mut self, op: AtomicOp, pointer: Value, value: Value, atomic: Atomic) -> Value {
        let ty = self.type_of(value);
        let align = self.context().alignment(ty);
        self.value(
            Instruction::AtomicRmw {
                op,
                pointer,
                value,
                atomic,
                align,
                volatile: false,
            },
            ty,
        )
    }

    /// `cmpxchg`: a structure of the old value and whether it was the expected one.
    pub fn compare_exchange(
        &mut self,
        pointer: Value,
        expected: Value,
        new: Value,
        atomic: Atomic,
        failure: Ordering,
    ) -> Value {
        let ty = self.type_of(new);
        let align = self.context().alignment(ty);
        let result = self.context().structure(&[ty, Type::BOOL], false);
        let instruction = Instruction::CompareExchange {
            pointer,
            expected,
            new,
            atomic,
            failure,
            weak: false,
            align,
            volatile: false,
        };
        self.value(instruction, result)
    }

    /// `fence`.
    pub fn fence(&mut self, atomic: Atomic) -> InstructionId {
        self.insert(Instruction::Fence(atomic), Type::Void)
    }

    // Vectors and aggregates.

    /// `extractelement`.
    pub fn extract_element(&mut self, vector: Value, index: Value) -> Value {
        let ty = self.context().scalar(self.type_of(vector));
        self.value(Instruction::ExtractElement { vector, index }, ty)
    }

    /// `insertelement`.
    pub fn insert_element(&mut self, vector: Value, element: Value, index: Value) -> Value {
        let ty = self.type_of(vector);
        self.value(Instruction::InsertElement { vector, element, index }, ty)
    }

    /// `shufflevector`; -1 in the mask for poison.
    pub fn shuffle(&mut self, left: Value, right: Value, mask: &[i32]) -> Value {
        let ty = self
            .context()
            .vector(self.context().scalar(self.type_of(left)), mask.len() as u64);
        self.value(
            Instruction::ShuffleVector {
                left,
                right,
                mask: mask.into(),
            },
            ty,
        )
    }

    /// `extractvalue`.
    pub fn extract_value(&mut self, aggregate: Value, indices: &[u32]) -> Value {
        let start = Some(self.type_of(aggregate));
        let path = indices
            .iter()
            .fold(start, |ty, &index| self.context().element(ty?, u64::from(index)));
        self.value(
            Instruction::ExtractValue {
                aggregate,
                indices: indices.into(),
            },
            path.unwrap_or(Type::Void),
        )
    }

    /// `insertvalue`.
    pub fn insert_value(&mut self, aggregate: Value, element: Value, indices: &[u32]) -> Value {
        let ty = self.type_of(aggregate);
        self.value(
            Instruction::InsertValue {
                aggregate,
                element,
                indices: indices.into(),
            },
            ty,
        )
    }

    // Calls.

    /// Adds a call. If the callee returns nothing, the value has type `Void` and must not be used.
    pub fn call_with(&mut self, call: Call) -> Value {
        let ty = self.context().function_data(call.ty).result;
        self.value(Instruction::Call(Box::new(call)), ty)
    }

    /// Calls a function of the module, whose declaration gives type, convention and attributes of parameters.
    pub fn call(&mut self, symbols: &Symbols, function: FunctionId, arguments: &[Value]) -> Value {
        let declaration = &symbols.functions[function];
        let mut call = Call::new(Callee::Function(function), declaration.ty, arguments.iter().copied());
        call.convention = declaration.convention;
        if declaration.parameters.iter().any(|attributes| !attributes.is_empty()) {
            call.argument_attributes = declaration.parameters.clone();
        }
        self.call_with(call)
    }

    /// Calls an intrinsic; `overloads` are the types of its overload slots.
    ///
    /// The type is that of the table; where there are too few overloads the result is that of a function of no parameters.
    pub fn intrinsic(&mut self, intrinsic: Intrinsic, overloads: &[Type], arguments: &[Value]) -> Value {
        let ty = intrinsic.function_type(self.context(), overloads);
        let ty = ty.unwrap_or_else(|| self.context().function_type(Type::Void, &[], false));
        let mut call = Call::new(
            Callee::Intrinsic(intrinsic, SmallVec::from_slice(overloads)),
            ty,
            arguments.iter().copied(),
        );
        if self
            .context()
            .scalar(self.context().function_data(ty).result)
            .is_float()
        {
            call.flags = self.fast_math;
        }
        self.call_with(call)
    }

    /// Inline assembly. `attributes` says whether it is convergent and what it does to memory.
    pub fn assembly(
        &mut self,
        assembly: InlineAssembly,
        ty: FunctionType,
        arguments: &[Value],
        attributes: FunctionAttributes,
    ) -> Value {
        let mut call = Call::new(Callee::Assembly(Box::new(assembly)), ty, arguments.iter().copied());
        call.attributes = Some(Box::new(attributes));
        self.call_with(call)
    }

    // Control flow.

    /// `br`.
    pub fn branch(&mut self, target: BlockId) -> InstructionId {
        self.insert(Instruction::Branch { target }, Type::Void)
    }

    /// `br` with a condition.
    pub fn conditional_branch(&mut self, condition: Value, on_true: BlockId, on_false: BlockId) -> InstructionId {
        self.insert(
            Instruction::ConditionalBranch {
                condition,
                on_true,
                on_false,
            },
            Type::Void,
        )
    }

    /// `switch`.
    pub fn switch(&mut self, value: Value, default: BlockId, cases: Vec<Case>) -> InstructionId {
        self.insert(Instruction::Switch { value, default, cases }, Type::Void)
    }

    /// `ret`.
    pub fn ret(&mut self, value: Option<Value>) -> InstructionId {
        self.insert(Instruction::Return { value }, Type::Void)
    }

    /// `unreachable`.
    pub fn unreachable(&mut self) -> InstructionId {
        self.insert(Instruction::Unreachable, Type::Void)
    }

    /// Says of a branch back to a loop's head what was said of the loop.
    pub fn set_loop_hints(&mut self, branch: InstructionId, hints: LoopHints) {
        self.function
            .update_attachments(branch, |attachments| attachments.loop_hints = Some(hints));
    }

    /// Whether the block that is being filled has its terminator.
    pub fn is_terminated(&self) -> bool {
        match self.position {
            Position::End(block) => self.function.terminator(block).is_some(),
            Position::Before(_) => false,
        }
    }

    /// The integer that a value is, if it is a constant one.
    pub fn constant_int(&self, value: Value) -> Option<&Integer> {
        match self.context().constant(value.as_constant()?) {
            Constant::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The constant of an array of bytes with a terminating zero.
    pub fn string(&self, text: &str) -> ConstantId {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        self.context().bytes(&bytes)
    }
}
