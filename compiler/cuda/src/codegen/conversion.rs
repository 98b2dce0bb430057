//! Arithmetic, comparisons and conversions of scalars.

use warpsmith_ir as ir;

use super::function::FunctionGenerator;
use super::place::Place;
use crate::hir::{
    BinaryOperator, CastKind, ClassId, Comparison, ExpressionId, ExpressionKind, QualifiedType, Type, TypeId, Types,
    VariableId,
};

impl FunctionGenerator<'_, '_> {
    pub(super) fn pointer_add(
        &mut self,
        pointer: ir::Value,
        pointer_type: TypeId,
        index: ir::Value,
        signed: bool,
        subtract: bool,
    ) -> ir::Value {
        let program = self.program;
        let element = program.types.pointee(pointer_type);
        let size = element.map_or(1, |to| program.size_of(to.id)).max(1);
        let scalar = element
            .filter(|to| self.generator.is_scalar(to.id))
            .map(|to| self.generator.memory_type(to.id));
        let mut build = self.build();
        let mut index = build.resize_int(index, ir::Type::I64, signed);
        if subtract {
            index = build.neg(index);
        }
        match scalar {
            Some(ty) if build.context().size(ty) == size => build.element_address(ty, pointer, index),
            _ => {
                let bytes = build.i64(size as i64);
                let distance = match size {
                    1 => index,
                    _ => build.binary_with(ir::BinaryOp::Mul, ir::Flags::NO_SIGNED_WRAP, index, bytes),
                };
                build.byte_offset(pointer, distance)
            }
        }
    }

    /// An operator on two values of a type.
    pub(super) fn arithmetic(
        &mut self,
        operator: BinaryOperator,
        left: ir::Value,
        right: ir::Value,
        ty: TypeId,
    ) -> ir::Value {
        use BinaryOperator as B;
        use ir::BinaryOp as I;
        let element = match self.program.types.get(ty) {
            Type::Vector(element, _) => *element,
            _ => ty,
        };
        let signed = self.generator.is_signed(element);
        let precise = self.generator.options.arithmetic.precise_division;
        let mut build = self.build();
        let operand_type = build.type_of(left);
        let scalar = build.context().scalar(operand_type);
        if scalar.is_float() {
            return match operator {
                B::Add => build.fadd(left, right),
                B::Subtract => build.fsub(left, right),
                B::Multiply => build.fmul(left, right),
                B::Divide if scalar == ir::Type::Float && !precise => {
                    let flags = build.fast_math | ir::Flags::RECIPROCAL | ir::Flags::APPROXIMATE;
                    build.binary_with(I::FDiv, flags, left, right)
                }
                B::Divide => build.fdiv(left, right),
                B::Remainder => build.binary(I::FRem, left, right),
                B::And | B::Or | B::Xor | B::ShiftLeft | B::ShiftRight => left,
            };
        }
        let no_wrap = if signed && scalar != ir::Type::BOOL {
            ir::Flags::NO_SIGNED_WRAP
        } else {
            ir::Flags::NONE
        };
        match operator {
            B::Add => build.binary_with(I::Add, no_wrap, left, right),
            B::Subtract => build.binary_with(I::Sub, no_wrap, left, right),
            B::Multiply => build.binary_with(I::Mul, no_wrap, left, right),
            B::Divide => build.binary(if signed { I::SDiv } else { I::UDiv }, left, right),
            B::Remainder => build.binary(if signed { I::SRem } else { I::URem }, left, right),
            B::And => build.and(left, right),
            B::Or => build.or(left, right),
            B::Xor => build.xor(left, right),
            B::ShiftLeft | B::ShiftRight => {
                let count = build.resize_int(right, operand_type, false);
                match operator {
                    B::ShiftLeft => build.shl(left, count),
                    _ if signed => build.ashr(left, count),
                    _ => build.lshr(left, count),
                }
            }
        }
    }

    pub(super) fn compare(
        &mut self,
        comparison: Comparison,
        left: ir::Value,
        right: ir::Value,
        ty: TypeId,
    ) -> ir::Value {
        let signed = self.generator.is_signed(match self.program.types.get(ty) {
            Type::Vector(element, _) => *element,
            _ => ty,
        });
        let member_function = self.generator.member_function_type();
        let mut build = self.build();
        let operand_type = build.type_of(left);
        if operand_type == member_function {
            return self.compare_member_functions(comparison, left, right);
        }
        if build.context().scalar(operand_type).is_float() {
            use ir::FloatPredicate as P;
            let predicate = match comparison {
                Comparison::Equal => P::Oeq,
                Comparison::NotEqual => P::Une,
                Comparison::Less => P::Olt,
                Comparison::LessEqual => P::Ole,
                Comparison::Greater => P::Ogt,
                Comparison::GreaterEqual => P::Oge,
            };
            return build.fcmp(predicate, left, right);
        }
        use ir::IntPredicate as P;
        let predicate = match (comparison, signed) {
            (Comparison::Equal, _) => P::Eq,
            (Comparison::NotEqual, _) => P::Ne,
            (Comparison::Less, true) => P::Slt,
            (Comparison::Less, false) => P::Ult,
            (Comparison::LessEqual, true) => P::Sle,
            (Comparison::LessEqual, false) => P::Ule,
            (Comparison::Greater, true) => P::Sgt,
            (Comparison::Greater, false) => P::Ugt,
            (Comparison::GreaterEqual, true) => P::Sge,
            (Comparison::GreaterEqual, false) => P::Uge,
        };
        build.icmp(predicate, left, right)
    }

    /// Equal if the targets are, and the adjustments too unless both are null (Itanium C++ ABI 2.3).
    pub(super) fn compare_member_functions(
        &mut self,
        comparison: Comparison,
        left: ir::Value,
        right: ir::Value,
    ) -> ir::Value {
        let mut build = self.build();
        let (left_target, right_target) = (build.extract_value(left, &[0]), build.extract_value(right, &[0]));
        let (left_by, right_by) = (build.extract_value(left, &[1]), build.extract_value(right, &[1]));
        let same_target = build.icmp(ir::IntPredicate::Eq, left_target, right_target);
        let same_by = build.icmp(ir::IntPredicate::Eq, left_by, right_by);
        let zero = build.i64(0);
        let null = build.icmp(ir::IntPredicate::Eq, left_target, zero);
        let either = build.or(same_by, null);
        let equal = build.and(same_target, either);
        match comparison {
            Comparison::NotEqual => build.not(equal),
            _ => equal,
        }
    }

    /// A conversion between arithmetic types and enumerations.
    pub(super) fn convert(&mut self, value: ir::Value, from: TypeId, to: TypeId) -> ir::Value {
        let target = self.generator.value_type(to);
        let (from_signed, to_signed) = (self.generator.is_signed(from), self.generator.is_signed(to));
        let to_bool = target == ir::Type::BOOL;
        let mut build = self.build();
        let source = build.type_of(value);
        if to_bool {
            return self.truth_of(value, from);
        }
        match (source.is_float(), target.is_float()) {
            (true, true) => {
                let width = |ty: ir::Type| build.context().bit_size(ty);
                match (width(source), width(target)) {
                    (a, b) if a < b => build.cast(ir::CastOp::FPExt, value, target),
                    (a, b) if a > b => build.cast(ir::CastOp::FPTrunc, value, target),
                    _ if source == target => value,
                    _ => {
                        let wide = build.cast(ir::CastOp::FPExt, value, ir::Type::Float);
                        build.cast(ir::CastOp::FPTrunc, wide, target)
                    }
                }
            }
            (true, false) if target.is_int() => {
                let op = if to_signed {
                    ir::CastOp::FPToSI
                } else {
                    ir::CastOp::FPToUI
                };
                // By way of 32 bits, as nvcc does: C++ leaves open what a number out of range becomes, and programs expect its low bits.
                if build.context().bit_size(target) >= 32 {
                    return build.cast(op, value, target);
                }
                let whole = build.cast(op, value, ir::Type::I32);
                build.cast(ir::CastOp::Trunc, whole, target)
            }
            (false, true) => {
                let op = if from_signed {
                    ir::CastOp::SIToFP
                } else {
                    ir::CastOp::UIToFP
                };
                build.cast(op, value, target)
            }
            _ => build.resize_int(value, target, from_signed),
        }
    }

    pub(super) fn truth_of(&mut self, value: ir::Value, from: TypeId) -> ir::Value {
        let member_function = self.generator.member_function_type();
        let is_member = matches!(self.program.types.get(from), Type::MemberPointer { .. });
        let mut build = self.build();
        let source = build.type_of(value);
        if source == ir::Type::BOOL {
            return value;
        }
        if source == member_function {
            let target = build.extract_value(value, &[0]);
            let zero = build.i64(0);
            return build.icmp(ir::IntPredicate::Ne, target, zero);
        }
        if is_member {
            let null = build.i64(-1);
            return build.icmp(ir::IntPredicate::Ne, value, null);
        }
        let zero = build.zero(source);
        if source.is_float() {
            return build.fcmp(ir::FloatPredicate::Une, value, zero);
        }
        build.icmp(ir::IntPredicate::Ne, value, zero)
    }

    pub(super) fn cast(&mut self, kind: &CastKind, operand: ExpressionId, to: QualifiedType) -> ir::Value {
        let program = self.program;
        let from = program.type_of(operand);
        match kind {
            CastKind::LValueToRValue => self.read(operand, to.id),
            CastKind::Integral | CastKind::Floating | CastKind::IntegralToFloating | CastKind::FloatingToIntegral => {
                let value = self.value(operand);
                self.convert(value, from.id, to.id)
            }
            CastKind::ToBool => {
                let value = self.value(operand);
                self.truth_of(value, from.id)
            }
            CastKind::Pointer | CastKind::MemberPointer | CastKind::NoOperation | CastKind::Reinterpret => {
                if program.expression(operand).category.is_glvalue() && !program.types.is_scalar(to.id) {
                    return self.place(operand).pointer;
                }
                self.value(operand)
            }
            CastKind::PointerToIntegral => {
                let value = self.value(operand);
                let target = self.generator.value_type(to.id);
                let mut build = self.build();
                let address = build.cast(ir::CastOp::PtrToInt, value, ir::Type::I64);
                build.resize_int(address, target, false)
            }
            CastKind::IntegralToPointer => {
                let value = self.value(operand);
                let signed = self.generator.is_signed(from.id);
                let mut build = self.build();
                let address = build.resize_int(value, ir::Type::I64, signed);
                build.cast(ir::CastOp::IntToPtr, address, ir::Type::POINTER)
            }
            CastKind::NullPointer => {
                self.effects(operand);
                self.zero_value(to.id)
            }
            CastKind::DerivedToBase(path) => {
                let class = program
                    .types
                    .pointee(from.id)
                    .and_then(|to| program.types.as_class(to.id));
                let value = self.value(operand);
                self.adjust_pointer(value, class, path, false)
            }
            CastKind::BaseToDerived(path) => {
                let class = program
                    .types
                    .pointee(to.id)
                    .and_then(|to| program.types.as_class(to.id));
                let value = self.value(operand);
                self.adjust_pointer(value, class, path, true)
            }
            CastKind::ArrayToPointer | CastKind::FunctionToPointer => self.place(operand).pointer,
            CastKind::Bit => {
                let value = self.value(operand);
                let target = self.generator.value_type(to.id);
                self.bits_as(value, target)
            }
            CastKind::MemberPointerToDerived(path) | CastKind::MemberPointerToBase(path) => {
                let back = matches!(kind, CastKind::MemberPointerToBase(_));
                let class = match program.types.get(if back { from.id } else { to.id }) {
                    Type::MemberPointer { class, .. } => *class,
                    _ => return self.value(operand),
                };
                let offset = program.base_path_offset(class, path) as i64;
                let value = self.value(operand);
                self.adjust_member_pointer(value, if back { -offset } else { offset })
            }
            CastKind::ToVoid => {
                self.effects(operand);
                self.undefined(Types::VOID)
            }
            CastKind::Splat => {
                let value = self.value(operand);
                let vector = self.generator.value_type(to.id);
                let mut build = self.build();
                let count = build.context().element_count(vector).unwrap_or(0);
                let mut whole = build.undef(vector);
                for place in 0..count {
                    let index = build.i32(place as i32);
                    whole = build.insert_element(whole, value, index);
                }
                whole
            }
        }
    }

    /// Reads a glvalue of scalar type.
    pub(super) fn read(&mut self, operand: ExpressionId, ty: TypeId) -> ir::Value {
        let program = self.program;
        if matches!(program.types.get(ty), Type::NullPointer) {
            self.effects(operand);
            return self.zero_value(ty);
        }
        // Components of special registers need no object.
        if let ExpressionKind::Member { object, field } = program.expression(operand).kind
            && let ExpressionKind::Variable(variable) = program.expression(object).kind
            && let Some(value) = self.special_register(variable, field.0)
        {
            return value;
        }
        // Constants are used as such, without a variable in memory.
        if let ExpressionKind::Variable(variable) = program.expression(operand).kind
            && !self.locals.contains_key(&variable)
            && let Some(value) = self.constant_variable(variable, ty)
        {
            return value;
        }
        let place = self.place(operand);
        self.load(place, ty)
    }

    /// The value of a scalar variable that is constant.
    pub(super) fn constant_variable(&mut self, id: VariableId, ty: TypeId) -> Option<ir::Value> {
        let variable = self.program.variable(id);
        let constant = variable.is_constexpr || variable.ty.is_const();
        if !constant || variable.ty.is_volatile() || variable.ty.id != ty || !self.generator.is_scalar(ty) {
            return None;
        }
        match &variable.initialiser {
            // What the host can write is read from memory.
            crate::hir::VariableInitialiser::Constant(constant)
                if variable.memory != crate::hir::MemorySpace::Constant =>
            {
                Some(self.generator.value_constant(constant, ty).into())
            }
            _ => None,
        }
    }

    /// A value of the same bits.
    pub(super) fn bits_as(&mut self, value: ir::Value, target: ir::Type) -> ir::Value {
        let mut build = self.build();
        match (build.type_of(value), target) {
            (source, target) if source == target => value,
            (ir::Type::Pointer(_), ir::Type::Int(_)) => build.cast(ir::CastOp::PtrToInt, value, target),
            (ir::Type::Int(_), ir::Type::Pointer(_)) => build.cast(ir::CastOp::IntToPtr, value, target),
            (ir::Type::BOOL, ir::Type::Int(_)) => build.cast(ir::CastOp::ZExt, value, target),
            (ir::Type::Int(_), ir::Type::BOOL) => build.cast(ir::CastOp::Trunc, value, target),
            _ => build.bitcast(value, target),
        }
    }

    pub(super) fn adjust_member_pointer(&mut self, value: ir::Value, by: i64) -> ir::Value {
        if by == 0 {
            return value;
        }
        let member_function = self.generator.member_function_type();
        let mut build = self.build();
        let offset = build.i64(by);
        if build.type_of(value) == member_function {
            let old = build.extract_value(value, &[1]);
            let new = build.add(old, offset);
            return build.insert_value(value, new, &[1]);
        }
        let null = build.i64(-1);
        let is_null = build.icmp(ir::IntPredicate::Eq, value, null);
        let moved = build.add(value, offset);
        build.select(is_null, null, moved)
    }

    /// Moves a pointer to a base, or back; null stays null.
    pub(super) fn adjust_pointer(
        &mut self,
        pointer: ir::Value,
        class: Option<ClassId>,
        path: &[ClassId],
        back: bool,
    ) -> ir::Value {
        let Some(class) = class else { return pointer };
        if !back && self.is_over_virtual(class, path) {
            return self.walk_from_pointer(pointer, class, path);
        }
        let offset = self.path_offset(class, path);
        if offset == 0 {
            return pointer;
        }
        let mut build = self.build();
        let bytes = build.i64(if back { -offset } else { offset });
        let moved = build.byte_offset(pointer, bytes);
        // `this` is never null.
        if matches!(pointer, ir::Value::Argument(_)) && Some(pointer) == self.this {
            return moved;
        }
        let mut build = self.build();
        let null = build.zero(ir::Type::POINTER);
        let is_null = build.icmp(ir::IntPredicate::Eq, pointer, null);
        build.select(is_null, null, moved)
    }

    /// The distance of a base by a way that leads over no virtual one.
    pub(super) fn path_offset(&self, class: ClassId, path: &[ClassId]) -> i64 {
        self.program.base_path_offset(class, path) as i64
    }

    pub(super) fn cast_place(&mut self, kind: &CastKind, operand: ExpressionId, to: QualifiedType) -> Place {
        let program = self.program;
        let from = program.type_of(operand).id;
        let place = self.place(operand);
        match kind {
            CastKind::DerivedToBase(path) => {
                let Some(class) = program.types.as_class(from) else {
                    return place;
                };
                if self.is_over_virtual(class, path) {
                    let pointer = self.walk_to_base(place.pointer, class, path);
                    let alignment = program.align_of(to.id) as u32;
                    return Place::new(pointer, alignment).volatile(place.is_volatile);
                }
                let offset = self.path_offset(class, path);
                self.offset(place, offset as u64)
            }
            CastKind::BaseToDerived(path) => {
                let Some(class) = program.types.as_class(to.id) else {
                    return place;
                };
                let offset = self.path_offset(class, path);
                let mut build = self.build();
                let bytes = build.i64(-offset);
                let pointer = match offset {
                    0 => place.pointer,
                    _ => build.byte_offset(place.pointer, bytes),
                };
                Place::new(pointer, program.align_of(to.id) as u32).volatile(place.is_volatile)
            }
            CastKind::Reinterpret => Place {
                alignment: program.align_of(to.id) as u32,
                ..place
            },
            _ => place,
        }
    }

    pub(super) fn conditional_place(&mut self, condition: ExpressionId, yes: ExpressionId, no: ExpressionId) -> Place {
        let (on_yes, on_no, after) = (self.new_block("yes"), self.new_block("no"), self.new_block("chosen"));
        let before = self.block;
        self.condition(condition, on_yes, on_no);
        let mut incoming = Vec::new();
        let mut chosen: Option<Place> = None;
        for (block, operand) in [(on_yes, yes), (on_no, no)] {
            self.enter(block);
            let place = self.conditionally(before, |generator| generator.place(operand));
            if !self.is_terminated() {
                incoming.push((self.block, place.pointer));
                self.branch(after);
            }
            chosen = Some(match chosen {
                Some(other) => Place {
                    alignment: other.alignment.min(place.alignment),
                    is_volatile: other.is_volatile || place.is_volatile,
                    ..place
                },
                None => place,
            });
        }
        self.enter(after);
        if incoming.is_empty() {
            return self.no_place();
        }
        let pointer = self.build().phi(ir::Type::POINTER, &incoming);
        match chosen {
            Some(place) => Place { pointer, ..place },
            None => Place::new(pointer, 1),
        }
    }
}

pub(super) fn program_is_signed(program: &crate::hir::Program, ty: TypeId) -> bool {
    matches!(program.types.get(ty), Type::Integer(kind) if kind.is_signed())
}
