//! Compiler builtins, and the variables that stand for special registers.

use warpsmith_ir as ir;

use super::function::FunctionGenerator;
use super::library;
use super::place::Place;
use crate::hir::{BuiltinId, ExpressionId, FloatKind, Type, TypeId, Types, VariableId};
use crate::sema::builtins::{self, AtomicOperation, AtomicScope, Lowering, Operation};

/// The variables that stand for special registers, with the registers of their components.
#[rustfmt::skip]
const REGISTERS: &[(&str, &[ir::Intrinsic])] = &[
    ("threadIdx", &[ir::Intrinsic::NvvmReadPtxSregTidX, ir::Intrinsic::NvvmReadPtxSregTidY, ir::Intrinsic::NvvmReadPtxSregTidZ]),
    ("blockIdx", &[ir::Intrinsic::NvvmReadPtxSregCtaidX, ir::Intrinsic::NvvmReadPtxSregCtaidY, ir::Intrinsic::NvvmReadPtxSregCtaidZ]),
    ("blockDim", &[ir::Intrinsic::NvvmReadPtxSregNtidX, ir::Intrinsic::NvvmReadPtxSregNtidY, ir::Intrinsic::NvvmReadPtxSregNtidZ]),
    ("gridDim", &[ir::Intrinsic::NvvmReadPtxSregNctaidX, ir::Intrinsic::NvvmReadPtxSregNctaidY, ir::Intrinsic::NvvmReadPtxSregNctaidZ]),
    ("warpSize", &[ir::Intrinsic::NvvmReadPtxSregWarpsize]),
];

/// The scope as the SSA IR has it.
pub(super) fn scope_of(scope: AtomicScope) -> ir::Scope {
    match scope {
        AtomicScope::Block => ir::Scope::Block,
        AtomicScope::Device => ir::Scope::Device,
        AtomicScope::System => ir::Scope::System,
    }
}

impl FunctionGenerator<'_, '_> {
    fn registers(&self, id: VariableId) -> Option<&'static [ir::Intrinsic]> {
        let variable = self.program.variable(id);
        let global = matches!(variable.scope, crate::hir::Scope::Namespace(namespace) if namespace == crate::hir::Program::GLOBAL);
        if !variable.is_extern || !global {
            return None;
        }
        let name = variable.name.as_deref()?;
        REGISTERS
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, registers)| registers)
    }

    /// A component of a special register.
    pub(super) fn special_register(&mut self, id: VariableId, component: u32) -> Option<ir::Value> {
        let register = *self.registers(id)?.get(component as usize)?;
        Some(self.read_register(register))
    }

    /// The warp's size is the same on all devices.
    fn read_register(&mut self, register: ir::Intrinsic) -> ir::Value {
        let mut build = self.build();
        match register {
            ir::Intrinsic::NvvmReadPtxSregWarpsize => build.i32(32),
            _ => build.intrinsic(register, &[], &[]),
        }
    }

    /// An object with the values of a special register's components.
    pub(super) fn special_register_object(&mut self, id: VariableId) -> Option<Place> {
        let registers = self.registers(id)?;
        let place = self.allocate(self.program.variable(id).ty.id, "register");
        for (index, &register) in registers.iter().enumerate() {
            let part = self.offset(place, index as u64 * 4);
            let value = self.read_register(register);
            self.build().store(value, part.pointer);
        }
        Some(place)
    }

    /// A builtin of scalar (or no) type.
    pub(super) fn builtin(&mut self, id: BuiltinId, arguments: &[ExpressionId], ty: TypeId) -> ir::Value {
        let row = builtins::row(id);
        match row.lowering {
            Lowering::Intrinsic(name) => {
                let flushing = self.flushing(row.name, name);
                self.intrinsic_builtin(flushing.as_deref().unwrap_or(name), arguments, ty)
            }
            Lowering::Library(name) => self.library_builtin(name, arguments, ty),
            Lowering::Atomic(operation, scope) => self.atomic_builtin(operation, scope, arguments),
            Lowering::AtomicObject(operation, scope) => self.atomic_object(operation, scope, arguments, ty),
            Lowering::Ordered(ordered) => self.ordered_atomic(ordered, arguments, ty),
            Lowering::Fragments(fragments) => self.fragments(fragments, row.name, arguments, ty),
            Lowering::Registers(registers) => self.registers_to_memory(registers, arguments, ty),
            Lowering::Refused(why) => {
                self.refuse(format!("`{}` is not supported: {why}", row.name));
                self.undefined(ty)
            }
            Lowering::Operation(operation) => self.operation(operation, row.name, arguments, ty),
        }
    }

    /// A builtin that gives an object of a class.
    pub(super) fn builtin_object(&mut self, id: BuiltinId, arguments: &[ExpressionId], ty: TypeId, place: Place) {
        let row = builtins::row(id);
        if let (Lowering::Operation(Operation::BitCast | Operation::LoadReadOnly), Some(&from)) =
            (row.lowering, arguments.first())
        {
            let glvalue = self.program.expression(from).category.is_glvalue();
            let source = match row.lowering {
                Lowering::Operation(Operation::LoadReadOnly) => {
                    Place::new(self.value(from), self.program.align_of(ty) as u32)
                }
                _ if glvalue => self.place(from),
                _ => {
                    let from_type = self.program.type_of(from).id;
                    let temporary = self.allocate(from_type, "bits");
                    self.initialise(from, temporary);
                    temporary
                }
            };
            return self.copy_memory(place, source, self.program.size_of(ty), false);
        }
        self.refuse(format!("'{}' cannot give an object of a class", row.name));
    }

    pub(super) fn argument_values(&mut self, arguments: &[ExpressionId]) -> Vec<ir::Value> {
        arguments
            .iter()
            .map(
                |&argument| match self.program.expression(argument).category.is_glvalue() {
                    true => self.place(argument).pointer,
                    false => self.value(argument),
                },
            )
            .collect()
    }

    fn intrinsic_builtin(&mut self, name: &str, arguments: &[ExpressionId], ty: TypeId) -> ir::Value {
        let mut values = self.argument_values(arguments);
        // The functions of CUDA take the mask first, these intrinsics last.
        if name.starts_with("llvm.nvvm.redux.sync.") {
            values.reverse();
        }
        let result = self.generator.value_type(ty);
        self.intrinsic_call(name, result, &values)
    }

    /// A call of the intrinsic with this name, or of a declared function of it.
    pub(super) fn intrinsic_call(&mut self, name: &str, result: ir::Type, values: &[ir::Value]) -> ir::Value {
        let types: Vec<ir::Type> = values.iter().map(|&value| self.body.type_of(value)).collect();
        let function_type = self.generator.context.function_type(result, &types, false);
        // Names may carry the types of their overloads behind dots.
        let mut stem = name;
        let found = loop {
            if let Some(intrinsic) = ir::Intrinsic::from_name(stem) {
                break Some(intrinsic);
            }
            match stem.rfind('.') {
                Some(dot) if dot > 5 => stem = &stem[..dot],
                _ => break None,
            }
        };
        if let Some(intrinsic) = found
            && let Ok(overloads) = intrinsic.infer_overloads(&self.generator.context, function_type)
        {
            return self.build().intrinsic(intrinsic, &overloads, values);
        }
        let function = self.generator.library_function(name, result, &types);
        let (memory, convergent) = ir::intrinsic::effects_of_name(name);
        let attributes = &mut self.generator.module.symbols.functions[function].attributes;
        attributes.memory = memory;
        attributes.convergent = convergent;
        self.call_library(function, values)
    }

    /// The form of a builtin's intrinsic that takes denormal numbers for zero, where that is asked for and there is one. Observed, nvcc 13.0: `-ftz=true` is
    /// for the functions with a rounding mode in their names and for approximations, too, except for the `_ieee_` ones.
    fn flushing(&self, builtin: &str, intrinsic: &str) -> Option<String> {
        if !self.generator.options.arithmetic.flush_denormals || builtin.starts_with("__warpsmith_ieee_") {
            return None;
        }
        let stem = intrinsic.strip_prefix("llvm.nvvm.")?;
        let name = match stem.strip_suffix(".f") {
            Some(operation) => format!("llvm.nvvm.{operation}.ftz.f"),
            None => format!("{intrinsic}.ftz"),
        };
        ir::Intrinsic::from_name(&name).map(|_| name)
    }

    fn library_builtin(&mut self, name: &str, arguments: &[ExpressionId], ty: TypeId) -> ir::Value {
        let name = library::called(name, self.generator.options.arithmetic.fast_math);
        let values = self.argument_values(arguments);
        let result = self.generator.value_type(ty);
        let types: Vec<ir::Type> = values.iter().map(|&value| self.body.type_of(value)).collect();
        let function = self.generator.library_function(name, result, &types);
        self.call_library(function, &values)
    }

    fn atomic_builtin(
        &mut self,
        operation: AtomicOperation,
        scope: AtomicScope,
        arguments: &[ExpressionId],
    ) -> ir::Value {
        let values = self.argument_values(arguments);
        let atomic = ir::Atomic {
            ordering: ir::Ordering::Monotonic,
            scope: scope_of(scope),
        };
        let mut build = self.build();
        let (Some(&pointer), Some(&operand)) = (values.first(), values.get(1)) else {
            return build.i32(0);
        };
        let float = build.type_of(operand).is_float();
        let op = match operation {
            AtomicOperation::Add if float => ir::AtomicOp::FAdd,
            AtomicOperation::Add => ir::AtomicOp::Add,
            AtomicOperation::Exchange => ir::AtomicOp::Exchange,
            AtomicOperation::SignedMinimum => ir::AtomicOp::Min,
            AtomicOperation::SignedMaximum => ir::AtomicOp::Max,
            AtomicOperation::UnsignedMinimum => ir::AtomicOp::UMin,
            AtomicOperation::UnsignedMaximum => ir::AtomicOp::UMax,
            AtomicOperation::Increment => ir::AtomicOp::UIncWrap,
            AtomicOperation::Decrement => ir::AtomicOp::UDecWrap,
            AtomicOperation::And => ir::AtomicOp::And,
            AtomicOperation::Or => ir::AtomicOp::Or,
            AtomicOperation::Xor => ir::AtomicOp::Xor,
            AtomicOperation::CompareExchange => {
                let Some(&new) = values.get(2) else {
                    return operand;
                };
                let result = build.compare_exchange(pointer, operand, new, atomic, ir::Ordering::Monotonic);
                return build.extract_value(result, &[0]);
            }
        };
        build.atomic_rmw(op, pointer, operand, atomic)
    }

    fn operation(&mut self, operation: Operation, name: &str, arguments: &[ExpressionId], ty: TypeId) -> ir::Value {
        use Operation as O;
        let program = self.program;
        // Those that do not evaluate their arguments.
        match operation {
            O::Unreachable => {
                self.end_unreachable();
                return self.undefined(ty);
            }
            O::ConstantP => {
                let known = arguments.iter().all(|&argument| {
                    !program.expression(argument).category.is_glvalue()
                        && crate::hir::evaluate(program, argument, &crate::hir::Limits::default()).is_ok()
                });
                let result = self.generator.value_type(ty);
                return self.build().int(result.int_bits().unwrap_or(32), i128::from(known));
            }
            O::Prefetch => return self.undefined(ty),
            O::Assume => {
                if let [condition] = arguments {
                    let value = self.value(*condition);
                    self.build().intrinsic(ir::Intrinsic::Assume, &[], &[value]);
                }
                return self.undefined(ty);
            }
            _ => {}
        }
        let values = self.argument_values(arguments);
        let result = self.generator.value_type(ty);
        match (operation, values.as_slice()) {
            (O::Trap, _) => {
                self.trap();
                self.undefined(ty)
            }
            (O::Breakpoint, _) => {
                self.build().intrinsic(ir::Intrinsic::Debugtrap, &[], &[]);
                self.undefined(ty)
            }
            (O::IsConstantEvaluated, _) => self.build().bool(false),
            (O::VariableStart, [list]) => {
                match self.variable_arguments {
                    Some(buffer) => {
                        self.build().store(buffer, *list);
                    }
                    None => self.refuse("va_start is used in a function without variable arguments"),
                }
                self.undefined(ty)
            }
            (O::VariableCopy, [to, from]) => {
                let mut build = self.build();
                let at = build.load(ir::Type::POINTER, *from);
                build.store(at, *to);
                self.undefined(ty)
            }
            (O::VariableEnd, _) => self.undefined(ty),
            (O::Expect | O::AssumeAligned | O::AddressOf | O::Launder, [first, ..]) => *first,
            (O::BitCast, [value]) => self.bits_as(*value, result),
            (O::LoadReadOnly, [pointer]) => self.load_read_only(*pointer, ty),
            (O::MatchAll, [mask, value, pointer]) => self.match_all(*mask, *value, *pointer),
            (O::Infinity | O::QuietNan | O::SignallingNan, _) => self.special_float(operation, ty),
            (O::HalfBitsToFloat, [bits]) => {
                let mut build = self.build();
                let half = build.bitcast(*bits, ir::Type::Half);
                build.cast(ir::CastOp::FPExt, half, result)
            }
            (O::Alloca, [size]) => {
                let mut build = self.build();
                build.alloca_with(ir::Type::I8, *size, 16, ir::AddressSpace::GENERIC)
            }
            (O::ObjectSize, [pointer, kind]) => {
                let mut build = self.build();
                let (zero, two) = (build.i32(0), build.i32(2));
                let bit = build.binary(ir::BinaryOp::And, *kind, two);
                let least = build.icmp(ir::IntPredicate::Ne, bit, zero);
                let (no, yes) = (build.bool(false), build.bool(true));
                let (pointer, types) = (*pointer, [ir::Type::I64, ir::Type::POINTER]);
                let most = build.intrinsic(ir::Intrinsic::Objectsize, &types, &[pointer, no, yes, no]);
                let fewest = build.intrinsic(ir::Intrinsic::Objectsize, &types, &[pointer, yes, yes, no]);
                build.select(least, fewest, most)
            }
            (O::Shuffle, [vector, mask]) => self.shuffle(&[*vector], *mask, ty),
            (O::Shuffle, [one, other, mask]) => self.shuffle(&[*one, *other], *mask, ty),
            (O::ShuffleConstant, [one, other, indices @ ..]) => self.shuffle_constant(*one, *other, indices, ty),
            (O::OperatorNew, [size, ..]) => self.heap(*size),
            (O::OperatorDelete, [pointer, ..]) => {
                self.free(*pointer);
                self.undefined(ty)
            }
            (O::MemoryCopy | O::MemoryMove | O::MemorySet, [to, from, size]) => {
                self.memory_operation(operation, *to, *from, *size)
            }
            (O::MemoryCompare | O::MemoryFind | O::StringLength | O::StringCompare, _) => {
                self.memory_search(operation, &values)
            }
            (O::AddOverflow | O::SubtractOverflow | O::MultiplyOverflow, [left, right, pointer]) => {
                self.overflow(operation, arguments, [*left, *right, *pointer])
            }
            (
                O::GenericToGlobal
                | O::GenericToShared
                | O::GenericToLocal
                | O::GenericToConstant
                | O::GlobalToGeneric
                | O::SharedToGeneric
                | O::LocalToGeneric
                | O::ConstantToGeneric,
                [value],
            ) => self.address_space(operation, *value, result),
            (
                O::AbsoluteInteger
                | O::CountLeadingSignBits
                | O::CountLeadingZeros
                | O::CountOnes
                | O::CountTrailingZeros
                | O::FindFirstSet
                | O::Parity
                | O::ReverseBits
                | O::ReverseBytes,
                [value],
            ) => self.bit_operation(operation, *value, result),
            (O::RotateLeft | O::RotateRight, [value, count]) => {
                let mut build = self.build();
                let bits = build.type_of(*value);
                let count = build.resize_int(*count, bits, false);
                let intrinsic = if operation == O::RotateLeft {
                    ir::Intrinsic::Fshl
                } else {
                    ir::Intrinsic::Fshr
                };
                build.intrinsic(intrinsic, &[bits], &[*value, *value, count])
            }
            (O::SignedMaximum | O::SignedMinimum | O::UnsignedMaximum | O::UnsignedMinimum, [left, right]) => {
                let mut build = self.build();
                let bits = build.type_of(*left);
                let intrinsic = match operation {
                    O::SignedMaximum => ir::Intrinsic::Smax,
                    O::SignedMinimum => ir::Intrinsic::Smin,
                    O::UnsignedMaximum => ir::Intrinsic::Umax,
                    _ => ir::Intrinsic::Umin,
                };
                build.intrinsic(intrinsic, &[bits], &[*left, *right])
            }
            (
                O::IsNan
                | O::IsInfinite
                | O::IsInfiniteSign
                | O::IsFinite
                | O::IsNormal
                | O::SignBit
                | O::IsGreater
                | O::IsGreaterEqual
                | O::IsLess
                | O::IsLessEqual
                | O::IsLessGreater
                | O::IsUnordered,
                _,
            ) => self.classify(operation, &values, result),
            (O::Classify, [nan, infinite, normal, subnormal, zero, value]) => {
                self.classify_five([*nan, *infinite, *normal, *subnormal, *zero], *value)
            }
            _ => {
                self.refuse(format!("'{name}' is not supported in device code"));
                self.undefined(ty)
            }
        }
    }

    fn load_read_only(&mut self, pointer: ir::Value, ty: TypeId) -> ir::Value {
        let memory = self.generator.value_type(ty);
        let alignment = self.program.align_of(ty) as u32;
        let mut build = self.build();
        let global = build.address_space_cast(pointer, ir::AddressSpace::GLOBAL);
        let access = ir::Access {
            invariant: true,
            ..ir::Access::aligned(alignment)
        };
        build.load_with(memory, global, access)
    }

    fn match_all(&mut self, mask: ir::Value, value: ir::Value, pointer: ir::Value) -> ir::Value {
        let mut build = self.build();
        let intrinsic = match build.type_of(value) {
            ir::Type::Int(64) => ir::Intrinsic::NvvmMatchAllSyncI64p,
            _ => ir::Intrinsic::NvvmMatchAllSyncI32p,
        };
        let both = build.intrinsic(intrinsic, &[], &[mask, value]);
        let threads = build.extract_value(both, &[0]);
        let all = build.extract_value(both, &[1]);
        let all = build.cast(ir::CastOp::ZExt, all, ir::Type::I32);
        build.store(all, pointer);
        threads
    }

    fn special_float(&mut self, operation: Operation, ty: TypeId) -> ir::Value {
        let kind = match self.program.types.get(ty) {
            Type::Float(kind) => *kind,
            _ => FloatKind::Double,
        };
        let value_type = self.generator.value_type(ty);
        let (infinity, quiet, signalling) = match kind {
            FloatKind::Half => (0x7c00, 0x7e00, 0x7d00),
            FloatKind::BFloat16 => (0x7f80, 0x7fc0, 0x7fa0),
            FloatKind::Float => (0x7f80_0000, 0x7fc0_0000, 0x7fa0_0000),
            FloatKind::Double | FloatKind::LongDouble | FloatKind::Float128 => {
                (0x7ff0 << 48, 0x7ff8 << 48, 0x7ff4 << 48)
            }
        };
        let bits = match operation {
            Operation::Infinity => infinity,
            Operation::QuietNan => quiet,
            _ => signalling,
        };
        self.build().float(value_type, bits)
    }

    fn memory_operation(
        &mut self,
        operation: Operation,
        to: ir::Value,
        second: ir::Value,
        size: ir::Value,
    ) -> ir::Value {
        let mut build = self.build();
        let plain = build.bool(false);
        let pointers = [ir::Type::POINTER, ir::Type::POINTER, ir::Type::I64];
        match operation {
            Operation::MemoryCopy => build.intrinsic(ir::Intrinsic::Memcpy, &pointers, &[to, second, size, plain]),
            Operation::MemoryMove => build.intrinsic(ir::Intrinsic::Memmove, &pointers, &[to, second, size, plain]),
            _ => {
                let byte = build.resize_int(second, ir::Type::I8, false);
                build.intrinsic(
                    ir::Intrinsic::Memset,
                    &[ir::Type::POINTER, ir::Type::I64],
                    &[to, byte, size, plain],
                )
            }
        };
        to
    }

    /// Loops over bytes: `memcmp`, `memchr`, `strlen`, `strcmp`.
    fn memory_search(&mut self, operation: Operation, values: &[ir::Value]) -> ir::Value {
        let Some(&first) = values.first() else {
            return self.build().i32(0);
        };
        let second = values.get(1).copied().unwrap_or(first);
        let limit = values.get(2).copied();
        let (head, test, next, stop, end, after) = (
            self.new_block("bytes"),
            self.new_block("bytes.test"),
            self.new_block("bytes.next"),
            self.new_block("bytes.stop"),
            self.new_block("bytes.end"),
            self.new_block("bytes.done"),
        );
        let before = self.block;
        self.build().branch(head);
        self.enter(head);
        let mut build = self.build();
        let zero = build.i64(0);
        let index = build.phi(ir::Type::I64, &[(before, zero)]);
        match limit {
            Some(limit) => {
                let more = build.icmp(ir::IntPredicate::Ult, index, limit);
                build.conditional_branch(more, test, end);
            }
            None => {
                build.branch(test);
            }
        }
        self.enter(test);
        let mut build = self.build();
        let at = build.byte_offset(first, index);
        let byte = build.load(ir::Type::I8, at);
        let null = build.int(8, 0);
        // The byte compared with, and whether the search stops here.
        let (other, found) = match operation {
            Operation::StringLength => (null, build.icmp(ir::IntPredicate::Eq, byte, null)),
            Operation::MemoryFind => {
                let wanted = build.resize_int(second, ir::Type::I8, false);
                (wanted, build.icmp(ir::IntPredicate::Eq, byte, wanted))
            }
            _ => {
                let at = build.byte_offset(second, index);
                let other = build.load(ir::Type::I8, at);
                let differ = build.icmp(ir::IntPredicate::Ne, byte, other);
                let found = if operation == Operation::StringCompare {
                    let ended = build.icmp(ir::IntPredicate::Eq, byte, null);
                    build.or(differ, ended)
                } else {
                    differ
                };
                (other, found)
            }
        };
        build.conditional_branch(found, stop, next);
        self.enter(next);
        let mut build = self.build();
        let one = build.i64(1);
        let following = build.add(index, one);
        build.add_incoming(index, next, following);
        build.branch(head);
        self.enter(stop);
        let mut build = self.build();
        let (result, nothing) = match operation {
            Operation::StringLength => (index, build.i64(0)),
            Operation::MemoryFind => (build.byte_offset(first, index), build.zero(ir::Type::POINTER)),
            _ => {
                let left = build.cast(ir::CastOp::ZExt, byte, ir::Type::I32);
                let right = build.cast(ir::CastOp::ZExt, other, ir::Type::I32);
                (build.sub(left, right), build.i32(0))
            }
        };
        build.branch(after);
        self.enter(end);
        if limit.is_some() {
            self.build().branch(after);
        } else {
            self.build().unreachable();
        }
        self.enter(after);
        let ty = self.body.type_of(result);
        let mut incoming = vec![(stop, result)];
        if limit.is_some() {
            incoming.push((end, nothing));
        }
        self.build().phi(ty, &incoming)
    }

    /// Exact arithmetic in a type that holds every result, cut to the type pointed to.
    fn overflow(
        &mut self,
        operation: Operation,
        arguments: &[ExpressionId],
        [left, right, pointer]: [ir::Value; 3],
    ) -> ir::Value {
        let program = self.program;
        let types: Vec<TypeId> = arguments.iter().map(|&argument| program.type_of(argument).id).collect();
        let (left_signed, right_signed) = (self.generator.is_signed(types[0]), self.generator.is_signed(types[1]));
        let target = program
            .types
            .pointee(types[2])
            .map_or(Types::INT, |to| program.types.strip_reference(to).id);
        let target_signed = self.generator.is_signed(target);
        let target_type = self.generator.value_type(target);
        let bits = target_type.int_bits().unwrap_or(32);
        let mut build = self.build();
        let widest = [left, right]
            .into_iter()
            .filter_map(|value| build.type_of(value).int_bits())
            .max()
            .unwrap_or(bits)
            .max(bits);
        let same = left_signed == right_signed && left_signed == target_signed && widest == bits;
        if same {
            use ir::Intrinsic as I;
            let left = build.resize_int(left, target_type, left_signed);
            let right = build.resize_int(right, target_type, right_signed);
            let intrinsic = match (operation, target_signed) {
                (Operation::AddOverflow, true) => I::SaddWithOverflow,
                (Operation::AddOverflow, false) => I::UaddWithOverflow,
                (Operation::SubtractOverflow, true) => I::SsubWithOverflow,
                (Operation::SubtractOverflow, false) => I::UsubWithOverflow,
                (_, true) => I::SmulWithOverflow,
                (_, false) => I::UmulWithOverflow,
            };
            let both = build.intrinsic(intrinsic, &[target_type], &[left, right]);
            let value = build.extract_value(both, &[0]);
            build.store(value, pointer);
            return build.extract_value(both, &[1]);
        }
        // Operands of up to 64 bits and their product fit 128 bits with a sign, but for two unsigned ones of 64 bits, whose types are alike.
        let wide = ir::Type::I128;
        let left = build.resize_int(left, wide, left_signed);
        let right = build.resize_int(right, wide, right_signed);
        let exact = match operation {
            Operation::AddOverflow => build.add(left, right),
            Operation::SubtractOverflow => build.sub(left, right),
            _ => build.mul(left, right),
        };
        let cut = build.resize_int(exact, target_type, target_signed);
        build.store(cut, pointer);
        let back = build.resize_int(cut, wide, target_signed);
        build.icmp(ir::IntPredicate::Ne, back, exact)
    }

    fn address_space(&mut self, operation: Operation, value: ir::Value, result: ir::Type) -> ir::Value {
        use Operation as O;
        let space = match operation {
            O::GenericToGlobal | O::GlobalToGeneric => ir::AddressSpace::GLOBAL,
            O::GenericToShared | O::SharedToGeneric => ir::AddressSpace::SHARED,
            O::GenericToLocal | O::LocalToGeneric => ir::AddressSpace::LOCAL,
            _ => ir::AddressSpace::CONSTANT,
        };
        let mut build = self.build();
        let to_space = matches!(
            operation,
            O::GenericToGlobal | O::GenericToShared | O::GenericToLocal | O::GenericToConstant
        );
        if to_space {
            let pointer = build.address_space_cast(value, space);
            let address = build.cast(ir::CastOp::PtrToInt, pointer, ir::Type::I64);
            return build.resize_int(address, result, false);
        }
        let address = build.resize_int(value, ir::Type::I64, false);
        let pointer = build.cast(ir::CastOp::IntToPtr, address, ir::Type::Pointer(space));
        build.address_space_cast(pointer, ir::AddressSpace::GENERIC)
    }

    fn bit_operation(&mut self, operation: Operation, value: ir::Value, result: ir::Type) -> ir::Value {
        use ir::Intrinsic as I;
        let mut build = self.build();
        let ty = build.type_of(value);
        let bits = ty.int_bits().unwrap_or(32);
        let defined = build.bool(false);
        let raw = match operation {
            Operation::AbsoluteInteger => build.intrinsic(I::Abs, &[ty], &[value, defined]),
            Operation::CountLeadingZeros => build.intrinsic(I::Ctlz, &[ty], &[value, defined]),
            Operation::CountTrailingZeros => build.intrinsic(I::Cttz, &[ty], &[value, defined]),
            Operation::ReverseBits => build.intrinsic(I::Bitreverse, &[ty], &[value]),
            Operation::ReverseBytes => build.intrinsic(I::Bswap, &[ty], &[value]),
            Operation::FindFirstSet => {
                let count = build.intrinsic(I::Cttz, &[ty], &[value, defined]);
                let (one, zero) = (build.int(bits, 1), build.int(bits, 0));
                let place = build.add(count, one);
                let none = build.icmp(ir::IntPredicate::Eq, value, zero);
                build.select(none, zero, place)
            }
            Operation::CountLeadingSignBits => {
                let last = build.int(bits, i128::from(bits - 1));
                let sign = build.ashr(value, last);
                let folded = build.xor(value, sign);
                let count = build.intrinsic(I::Ctlz, &[ty], &[folded, defined]);
                let one = build.int(bits, 1);
                build.sub(count, one)
            }
            Operation::Parity => {
                let count = build.intrinsic(I::Ctpop, &[ty], &[value]);
                let one = build.int(bits, 1);
                build.and(count, one)
            }
            _ => build.intrinsic(I::Ctpop, &[ty], &[value]),
        };
        build.resize_int(raw, result, false)
    }

    /// The magnitude's bits, the bits of infinity, and the least normal magnitude.
    fn float_parts(&mut self, value: ir::Value) -> (ir::Value, ir::Value, ir::Value) {
        let mut build = self.build();
        let ty = build.type_of(value);
        let (bits, infinity, normal): (u32, i128, i128) = match ty {
            ir::Type::Half => (16, 0x7c00, 0x0400),
            ir::Type::BFloat => (16, 0x7f80, 0x0080),
            ir::Type::Float => (32, 0x7f80_0000, 0x0080_0000),
            _ => (64, 0x7ff0 << 48, 0x0010 << 48),
        };
        let raw = build.bitcast(value, ir::Type::Int(bits));
        let mask = build.int(bits, (1 << (bits - 1)) - 1);
        let magnitude = build.and(raw, mask);
        (magnitude, build.int(bits, infinity), build.int(bits, normal))
    }

    fn classify(&mut self, operation: Operation, values: &[ir::Value], result: ir::Type) -> ir::Value {
        use Operation as O;
        use ir::FloatPredicate as F;
        use ir::IntPredicate as I;
        let Some(&value) = values.first() else {
            return self.build().int(result.int_bits().unwrap_or(32), 0);
        };
        let other = values.get(1).copied().unwrap_or(value);
        if !self.body.type_of(value).is_float() {
            self.refuse("floating-point values are expected here");
            return self.build().int(result.int_bits().unwrap_or(32), 0);
        }
        let (magnitude, infinity, normal) = self.float_parts(value);
        let mut build = self.build();
        let truth = match operation {
            O::IsNan => build.fcmp(F::Uno, value, value),
            O::IsUnordered => build.fcmp(F::Uno, value, other),
            O::IsGreater => build.fcmp(F::Ogt, value, other),
            O::IsGreaterEqual => build.fcmp(F::Oge, value, other),
            O::IsLess => build.fcmp(F::Olt, value, other),
            O::IsLessEqual => build.fcmp(F::Ole, value, other),
            O::IsLessGreater => build.fcmp(F::One, value, other),
            O::IsFinite => build.icmp(I::Ult, magnitude, infinity),
            O::IsNormal => {
                let finite = build.icmp(I::Ult, magnitude, infinity);
                let large = build.icmp(I::Uge, magnitude, normal);
                build.and(finite, large)
            }
            O::SignBit => {
                let bits = build.type_of(magnitude);
                let raw = build.bitcast(value, bits);
                let zero = build.zero(bits);
                build.icmp(I::Slt, raw, zero)
            }
            _ => build.icmp(I::Eq, magnitude, infinity),
        };
        if operation == O::IsInfiniteSign {
            let zero = build.zero(build.type_of(value));
            let negative = build.fcmp(F::Olt, value, zero);
            let width = result.int_bits().unwrap_or(32);
            let (minus, plus, none) = (build.int(width, -1), build.int(width, 1), build.int(width, 0));
            let sign = build.select(negative, minus, plus);
            return build.select(truth, sign, none);
        }
        build.resize_int(truth, result, false)
    }

    fn classify_five(
        &mut self,
        [nan, infinite, normal, subnormal, zero]: [ir::Value; 5],
        value: ir::Value,
    ) -> ir::Value {
        use ir::IntPredicate as I;
        let (magnitude, infinity, least) = self.float_parts(value);
        let mut build = self.build();
        let none = build.zero(build.type_of(magnitude));
        let is_zero = build.icmp(I::Eq, magnitude, none);
        let is_normal = build.icmp(I::Uge, magnitude, least);
        let is_infinite = build.icmp(I::Eq, magnitude, infinity);
        let is_nan = build.icmp(I::Ugt, magnitude, infinity);
        let small = build.select(is_zero, zero, subnormal);
        let finite = build.select(is_normal, normal, small);
        let number = build.select(is_infinite, infinite, finite);
        build.select(is_nan, nan, number)
    }
}
