//! Calls: arguments, results, virtual functions, member pointers, `printf`.

use warpsmith_ir as ir;

use super::function::FunctionGenerator;
use super::place::Place;
use super::signature::{Passing, Signature};
use crate::hir::{
    Callee, ExpressionId, FunctionId, FunctionName, FunctionType, LanguageLinkage, QualifiedType, Scope, SymbolVariant,
    Type, TypeId, Types,
};
use crate::sema::builtins;

/// What is called, and the type to call it with.
enum Target {
    Function(ir::FunctionId),
    Address(ir::Value),
}

impl FunctionGenerator<'_, '_> {
    /// A call. Of scalars the value, of references the address, of objects the address of where the result is: `into`, or a temporary.
    pub(super) fn call(
        &mut self,
        callee: &Callee,
        arguments: &[ExpressionId],
        whole: ExpressionId,
        into: Option<Place>,
    ) -> ir::Value {
        let program = self.program;
        let span = program.expression(whole).span;
        match callee {
            Callee::Direct(id) | Callee::Virtual(id) => {
                let function = program.function(*id);
                if let Some(value) = self.known_function(*id, arguments, program.type_of(whole).id) {
                    return value;
                }
                let signature = self.generator.signature_of(*id);
                let Some(ty) = program.types.as_function(function.ty) else {
                    return self.undefined(Types::VOID);
                };
                if ty.variadic && !self.generator.has_body(*id) {
                    let name = program.function_name(*id);
                    self.refuse(format!(
                        "'{name}' takes variable arguments, which a function outside of the unit cannot"
                    ));
                }
                let values = self.arguments(ty, function.has_this, arguments, &signature, into);
                self.set_span(span);
                let target = match callee {
                    Callee::Virtual(_) => {
                        let this = values.get(usize::from(signature.result == Passing::Address)).copied();
                        match (this, self.generator.virtual_slot(*id)) {
                            (Some(this), Some(slot)) => Target::Address(self.virtual_function(this, slot)),
                            _ => Target::Function(self.generator.function(*id, SymbolVariant::Complete)),
                        }
                    }
                    _ => Target::Function(self.generator.function(*id, SymbolVariant::Complete)),
                };
                let value = self.emit_call(target, &signature, &values, ty.result, into);
                if function.no_return {
                    self.end_unreachable();
                }
                value
            }
            Callee::Indirect(pointer) => {
                let Some(ty) = program
                    .types
                    .pointee(program.type_of(*pointer).id)
                    .and_then(|to| program.types.as_function(to.id))
                else {
                    return self.undefined(Types::VOID);
                };
                let signature = self.generator.signature(ty, false);
                let address = self.value(*pointer);
                let values = self.arguments(ty, false, arguments, &signature, into);
                self.set_span(span);
                self.emit_call(Target::Address(address), &signature, &values, ty.result, into)
            }
            Callee::Member(pointer) => self.call_member_pointer(*pointer, arguments, into),
        }
    }

    /// Calls a constructor for an object in a place.
    pub(super) fn construct(
        &mut self,
        constructor: FunctionId,
        arguments: &[ExpressionId],
        place: Place,
        variant: SymbolVariant,
    ) {
        let program = self.program;
        let function = program.function(constructor);
        let Some(ty) = program.types.as_function(function.ty) else {
            return;
        };
        // A base with virtual bases of its own is told the tables that hold meanwhile.
        let points = self
            .under_construction
            .filter(|(pointer, _)| *pointer == place.pointer)
            .map(|(_, points)| points);
        let variant = if points.is_some() { SymbolVariant::Base } else { variant };
        self.under_construction = self.under_construction.filter(|_| points.is_none());
        let signature = self.generator.signature_in(constructor, variant);
        let mut values = vec![place.pointer];
        for (index, &argument) in arguments.iter().enumerate() {
            let parameter = ty.parameters.get(index).copied();
            values.push(self.argument(argument, parameter));
        }
        values.extend(points);
        let target = self.generator.function(constructor, variant);
        self.emit_call(
            Target::Function(target),
            &signature,
            &values,
            Types::VOID.unqualified(),
            None,
        );
    }

    pub(super) fn call_destructor(&mut self, address: ir::Value, destructor: FunctionId, variant: SymbolVariant) {
        let signature = self.generator.signature_of(destructor);
        let target = self.generator.function(destructor, variant);
        self.emit_call(
            Target::Function(target),
            &signature,
            &[address],
            Types::VOID.unqualified(),
            None,
        );
    }

    /// Calls the destructor of a base, with the points of tables that it wants.
    pub(super) fn call_base_destructor(
        &mut self,
        address: ir::Value,
        destructor: FunctionId,
        points: Option<ir::Value>,
    ) {
        let signature = self.generator.signature_in(destructor, SymbolVariant::Base);
        let target = self.generator.function(destructor, SymbolVariant::Base);
        let values: Vec<ir::Value> = std::iter::once(address).chain(points).collect();
        let nothing = Types::VOID.unqualified();
        self.emit_call(Target::Function(target), &signature, &values, nothing, None);
    }

    /// Calls a destructor through the virtual table; the deleting one also frees.
    pub(super) fn call_virtual_destructor(&mut self, address: ir::Value, destructor: FunctionId, deleting: bool) {
        let signature = self.generator.signature_of(destructor);
        match self.generator.virtual_slot(destructor) {
            Some(slot) => {
                let target = self.virtual_function(address, slot + u32::from(deleting));
                self.emit_call(
                    Target::Address(target),
                    &signature,
                    &[address],
                    Types::VOID.unqualified(),
                    None,
                );
            }
            None => self.call_destructor(address, destructor, SymbolVariant::Complete),
        }
    }

    /// The values of `this` and the arguments, after the place of an object that is returned by address.
    fn arguments(
        &mut self,
        ty: &FunctionType,
        has_this: bool,
        arguments: &[ExpressionId],
        signature: &Signature,
        into: Option<Place>,
    ) -> Vec<ir::Value> {
        let mut values = Vec::with_capacity(arguments.len() + 1);
        if signature.result == Passing::Address {
            let place = match into {
                Some(place) => place,
                None => self.allocate(ty.result.id, "result"),
            };
            values.push(place.pointer);
        }
        let first = usize::from(has_this);
        let named = arguments.len().min(first + ty.parameters.len());
        for (index, &argument) in arguments[..named].iter().enumerate() {
            let parameter = index
                .checked_sub(first)
                .and_then(|index| ty.parameters.get(index).copied());
            values.push(self.argument(argument, parameter));
        }
        if ty.variadic {
            let buffer = self.pack(&arguments[named..]);
            values.push(buffer);
        }
        values
    }

    /// The value of one argument; without a parameter it is `this` or stands for `...`.
    fn argument(&mut self, argument: ExpressionId, parameter: Option<QualifiedType>) -> ir::Value {
        let program = self.program;
        let expression = program.expression(argument);
        if expression.category.is_glvalue() {
            return self.place(argument).pointer;
        }
        let ty = parameter.map_or(expression.ty.id, |parameter| parameter.id);
        // The callee's copy is made by the call.
        match self.generator.passing(ty) {
            Passing::Void => self.value(argument),
            Passing::Value(passed) => {
                let value = self.value(argument);
                let mut build = self.build();
                if build.type_of(value) == ir::Type::BOOL && passed == ir::Type::I8 {
                    build.cast(ir::CastOp::ZExt, value, ir::Type::I8)
                } else {
                    value
                }
            }
            passing @ (Passing::Object(_) | Passing::Address) => {
                if let (
                    Passing::Object(_),
                    crate::hir::ExpressionKind::Cast(crate::hir::CastKind::LValueToRValue, from),
                ) = (passing, &expression.kind)
                {
                    return self.place(*from).pointer;
                }
                let place = self.allocate(ty, "argument");
                self.initialise(argument, place);
                if let Some(destructor) = self.destructor_of(ty) {
                    self.push_cleanup(place.pointer, ty, destructor);
                }
                place.pointer
            }
        }
    }

    fn emit_call(
        &mut self,
        target: Target,
        signature: &Signature,
        values: &[ir::Value],
        result: QualifiedType,
        into: Option<Place>,
    ) -> ir::Value {
        let callee = match target {
            Target::Function(function) => ir::Callee::Function(function),
            Target::Address(address) => ir::Callee::Indirect(address),
        };
        let mut call = ir::Call::new(callee, signature.ty, values.iter().copied());
        if signature
            .parameters
            .iter()
            .any(|attributes| attributes.byval.is_some() || attributes.sret.is_some())
        {
            call.argument_attributes = signature
                .parameters
                .iter()
                .map(|attributes| ir::ParameterAttributes {
                    noalias: false,
                    ..attributes.clone()
                })
                .collect();
            call.argument_attributes
                .resize(values.len(), ir::ParameterAttributes::default());
        }
        call.attributes = Some(Box::new(ir::FunctionAttributes {
            convergent: true,
            nounwind: true,
            ..ir::FunctionAttributes::default()
        }));
        let value = self.build().call_with(call);
        match signature.result {
            Passing::Void => self.undefined(Types::VOID),
            Passing::Value(_) => {
                if matches!(self.program.types.get(result.id), Type::Bool) {
                    return self.truth_of_byte(value);
                }
                value
            }
            Passing::Object(ty) => {
                let place = match into {
                    Some(place) => place,
                    None => self.allocate(result.id, "result"),
                };
                self.store_object(place, value, ty, result.id);
                place.pointer
            }
            Passing::Address => values.first().copied().unwrap_or_else(|| self.undefined(Types::VOID)),
        }
    }

    /// Writes a returned object; where it may share its tail padding, through a temporary.
    fn store_object(&mut self, place: Place, value: ir::Value, ty: ir::Type, result: TypeId) {
        if self.copied_size(result) == self.program.size_of(result) {
            return self.store_aggregate(place, value, ty);
        }
        let whole = self.allocate(result, "returned");
        self.store_aggregate(whole, value, ty);
        let bytes = self.copied_size(result);
        self.copy_memory(place, whole, bytes, false);
    }

    /// Calls through a pointer to member function (Itanium C++ ABI 2.3): an odd target is one more than the offset in the virtual table.
    fn call_member_pointer(
        &mut self,
        pointer: ExpressionId,
        arguments: &[ExpressionId],
        into: Option<Place>,
    ) -> ir::Value {
        let program = self.program;
        let Type::MemberPointer { pointee, .. } = *program.types.get(program.type_of(pointer).id) else {
            return self.undefined(Types::VOID);
        };
        let Some(ty) = program.types.as_function(pointee.id) else {
            return self.undefined(Types::VOID);
        };
        let signature = self.generator.signature(ty, true);
        let member = self.value(pointer);
        let mut values = self.arguments(ty, true, arguments, &signature, into);
        let this_index = usize::from(signature.result == Passing::Address);
        let Some(&this) = values.get(this_index) else {
            return self.undefined(Types::VOID);
        };
        let (through_table, direct, go) = (
            self.new_block("member.virtual"),
            self.new_block("member.direct"),
            self.new_block("member.call"),
        );
        let mut build = self.build();
        let target = build.extract_value(member, &[0]);
        let adjustment = build.extract_value(member, &[1]);
        let this = build.byte_offset(this, adjustment);
        let one = build.i64(1);
        let odd = build.and(target, one);
        let is_virtual = build.icmp(ir::IntPredicate::Eq, odd, one);
        build.conditional_branch(is_virtual, through_table, direct);
        self.enter(through_table);
        let mut build = self.build();
        let table = build.load(ir::Type::POINTER, this);
        let offset = build.sub(target, one);
        let slot = build.byte_offset(table, offset);
        let found = build.load(ir::Type::POINTER, slot);
        build.branch(go);
        self.enter(direct);
        let mut build = self.build();
        let address = build.cast(ir::CastOp::IntToPtr, target, ir::Type::POINTER);
        build.branch(go);
        self.enter(go);
        let callee = self
            .build()
            .phi(ir::Type::POINTER, &[(through_table, found), (direct, address)]);
        values[this_index] = this;
        self.emit_call(Target::Address(callee), &signature, &values, ty.result, into)
    }

    /// Functions that the compiler or the runtime knows by their C names.
    fn known_function(&mut self, id: FunctionId, arguments: &[ExpressionId], ty: TypeId) -> Option<ir::Value> {
        let function = self.program.function(id);
        let is_own = function.body.is_some();
        if is_own && function.space.device || !matches!(function.scope, Scope::Namespace(_)) {
            return None;
        }
        let name = match &function.name {
            // The host's own are the host's alone.
            FunctionName::Operator(operator) => return self.usual_allocation(*operator, function.ty, arguments),
            _ if is_own => return None,
            FunctionName::Identifier(name) => name,
            FunctionName::Conversion(_)
            | FunctionName::Literal(_)
            | FunctionName::Constructor
            | FunctionName::Destructor => return None,
        };
        let in_std_or_global = match function.scope {
            Scope::Namespace(namespace) => {
                namespace == crate::hir::Program::GLOBAL || function.language == LanguageLinkage::C
            }
            Scope::Class(_) | Scope::Function(_) => false,
        };
        if !in_std_or_global {
            return None;
        }
        if &**name == "printf" {
            return Some(self.print(arguments));
        }
        let builtin = builtins::find(name)?;
        Some(self.builtin(builtin, arguments, ty))
    }

    /// `printf`: the arguments go to a buffer, as `vprintf` wants them: each aligned to its size, `float` as `double`.
    fn print(&mut self, arguments: &[ExpressionId]) -> ir::Value {
        let Some((&format, rest)) = arguments.split_first() else {
            return self.build().i32(0);
        };
        let format = self.value(format);
        if rest
            .iter()
            .any(|&argument| !self.generator.is_scalar(self.program.type_of(argument).id))
        {
            self.refuse("an object of a class cannot be passed to printf");
            return self.build().i32(0);
        }
        let buffer = self.pack(rest);
        let function =
            self.generator
                .library_function("vprintf", ir::Type::I32, &[ir::Type::POINTER, ir::Type::POINTER]);
        self.call_library(function, &[format, buffer])
    }

    /// A buffer with variable arguments, each aligned as its type wants; null if there are none. Narrow integers and floats are promoted ([expr.call]/12).
    fn pack(&mut self, arguments: &[ExpressionId]) -> ir::Value {
        let program = self.program;
        let mut values = Vec::new();
        let (mut size, mut alignment) = (0u64, 8u32);
        for &argument in arguments {
            let ty = program.type_of(argument).id;
            let mut part = (
                self.promoted(argument),
                program.size_of(ty),
                program.align_of(ty) as u32,
            );
            let passed = self.body.type_of(part.0);
            if self.generator.is_scalar(ty) && passed != self.generator.value_type(ty) {
                part.1 = self.generator.context.size(passed);
                part.2 = self.generator.context.alignment(passed);
            }
            size = size.next_multiple_of(u64::from(part.2.max(1)));
            alignment = alignment.max(part.2);
            values.push((part.0, ty, size, part.1));
            size += part.1;
        }
        if values.is_empty() {
            return self.build().zero(ir::Type::POINTER);
        }
        let memory = self.generator.context.array(ir::Type::I64, size.div_ceil(8));
        let buffer = Place::new(self.allocate_memory(memory, alignment, "arguments"), alignment);
        for (value, ty, offset, bytes) in values {
            let place = self.offset(buffer, offset);
            if self.generator.is_scalar(ty) {
                self.build().store(value, place.pointer);
            } else {
                let from = Place::new(value, program.align_of(ty) as u32);
                self.copy_memory(place, from, bytes, false);
            }
        }
        buffer.pointer
    }

    /// A variable argument: a promoted scalar, or the address of an object.
    fn promoted(&mut self, argument: ExpressionId) -> ir::Value {
        let ty = self.program.type_of(argument).id;
        if !self.generator.is_scalar(ty) {
            let place = self.allocate(ty, "argument");
            self.initialise(argument, place);
            return place.pointer;
        }
        let signed = self.generator.is_signed(ty);
        let value = self.value(argument);
        let mut build = self.build();
        match build.type_of(value) {
            ir::Type::Int(bits) if bits < 32 => build.resize_int(value, ir::Type::I32, signed),
            ir::Type::Float | ir::Type::Half | ir::Type::BFloat => {
                build.cast(ir::CastOp::FPExt, value, ir::Type::Double)
            }
            _ => value,
        }
    }

    /// Reads the next variable argument of a type: where it is.
    pub(super) fn next_argument(&mut self, list: ExpressionId, ty: TypeId) -> Place {
        let alignment = self.program.align_of(ty).max(1) as i64;
        let size = self.program.size_of(ty) as i64;
        let list = self.place(list);
        let mut build = self.build();
        let at = build.load(ir::Type::POINTER, list.pointer);
        let address = build.cast(ir::CastOp::PtrToInt, at, ir::Type::I64);
        let back = build.neg(address);
        let mask = build.i64(alignment - 1);
        let gap = build.and(back, mask);
        let aligned = build.byte_offset(at, gap);
        let bytes = build.i64(size);
        let next = build.byte_offset(aligned, bytes);
        build.store(next, list.pointer);
        Place::new(aligned, alignment as u32)
    }

    /// Calls a function of the runtime or the device library.
    pub(super) fn call_library(&mut self, function: ir::FunctionId, arguments: &[ir::Value]) -> ir::Value {
        let ty = self.generator.module.symbols.functions[function].ty;
        let call = ir::Call::new(ir::Callee::Function(function), ty, arguments.iter().copied());
        self.build().call_with(call)
    }
}
