//! `new` and `delete`.

use warpsmith_ir as ir;

use super::function::FunctionGenerator;
use super::place::Place;
use crate::hir::{
    ExpressionId, ExpressionKind, FunctionId, OperatorName, SymbolVariant, TypeId, Types, expression::Allocation,
};

impl FunctionGenerator<'_, '_> {
    /// Memory of the heap, as NVIDIA's compiler gets it: from `malloc`.
    pub(super) fn heap(&mut self, bytes: ir::Value) -> ir::Value {
        let function = self
            .generator
            .library_function("malloc", ir::Type::POINTER, &[ir::Type::I64]);
        self.call_library(function, &[bytes])
    }

    pub(super) fn free(&mut self, pointer: ir::Value) {
        let function = self
            .generator
            .library_function("free", ir::Type::Void, &[ir::Type::POINTER]);
        self.call_library(function, &[pointer]);
    }

    /// A call of a usual allocation or deallocation function that the program does not define [basic.stc.dynamic]: it is the heap's.
    pub(super) fn usual_allocation(
        &mut self,
        operator: OperatorName,
        ty: TypeId,
        arguments: &[ExpressionId],
    ) -> Option<ir::Value> {
        let types = &self.program.types;
        let parameters = &types.as_function(ty)?.parameters;
        let size = |at: usize| parameters.get(at).is_none_or(|size| size.id == Types::UNSIGNED_LONG);
        match (operator, arguments) {
            (OperatorName::New | OperatorName::NewArray, &[bytes]) if size(0) => {
                let bytes = self.value(bytes);
                Some(self.heap(bytes))
            }
            // The size is for those that want it.
            (OperatorName::Delete | OperatorName::DeleteArray, &[pointer] | &[pointer, _]) if size(1) => {
                let pointer = self.value(pointer);
                self.free(pointer);
                Some(self.undefined(Types::VOID))
            }
            _ => None,
        }
    }

    /// Bytes in front of an array whose elements have a destructor, where their count is kept (Itanium C++ ABI 2.7).
    fn cookie(&self, element: TypeId) -> u64 {
        self.program.align_of(element).max(8)
    }

    pub(super) fn new_expression(&mut self, id: ExpressionId) -> ir::Value {
        let program = self.program;
        let ExpressionKind::New {
            allocated,
            count,
            allocation,
            initialiser,
            element_destructor,
        } = &program.expression(id).kind
        else {
            return self.undefined(program.type_of(id).id);
        };
        let size = program.size_of(allocated.id) as i64;
        let count = count.map(|count| self.value(count));
        let has_cookie = count.is_some() && element_destructor.is_some() && !matches!(allocation, Allocation::Place(_));
        let cookie = if has_cookie {
            self.cookie(allocated.id) as i64
        } else {
            0
        };
        let mut build = self.build();
        let mut bytes = build.i64(size);
        if let Some(count) = count {
            bytes = build.mul(count, bytes);
            let front = build.i64(cookie);
            bytes = if cookie > 0 { build.add(bytes, front) } else { bytes };
        }
        let memory = match allocation {
            Allocation::Heap => self.heap(bytes),
            Allocation::Place(place) => self.value(*place),
            Allocation::Function(function, arguments) => self.allocate_by(*function, bytes, arguments),
        };
        let mut pointer = memory;
        if let (Some(count), true) = (count, cookie > 0) {
            let mut build = self.build();
            let front = build.i64(cookie);
            pointer = build.byte_offset(memory, front);
            let before = build.i64(cookie - 8);
            let at = build.byte_offset(memory, before);
            build.store(count, at);
        }
        let Some(initialiser) = *initialiser else {
            return pointer;
        };
        if matches!(program.expression(initialiser).kind, ExpressionKind::Uninitialised) {
            return pointer;
        }
        let place = Place::new(pointer, program.align_of(allocated.id) as u32);
        // The heap may be exhausted; a place that the program gives is one.
        let checked = !matches!(allocation, Allocation::Place(_));
        let after = self.new_block("new.done");
        if checked {
            let make = self.new_block("new.make");
            let mut build = self.build();
            let null = build.zero(ir::Type::POINTER);
            let is_null = build.icmp(ir::IntPredicate::Eq, memory, null);
            build.conditional_branch(is_null, after, make);
            self.enter(make);
        }
        let conditional = self.conditional;
        match count {
            None => self.initialise(initialiser, place),
            Some(count) if program.type_of(initialiser).id == allocated.id => {
                self.initialise_elements(initialiser, allocated.id, count, place)
            }
            Some(_) => self.initialise(initialiser, place),
        }
        self.conditional = conditional;
        self.branch(after);
        self.enter(after);
        pointer
    }

    fn initialise_elements(&mut self, initialiser: ExpressionId, element: TypeId, count: ir::Value, place: Place) {
        let (some, after) = (self.new_block("new.elements"), self.new_block("new.all"));
        let mut build = self.build();
        let zero = build.i64(0);
        let none = build.icmp(ir::IntPredicate::Eq, count, zero);
        build.conditional_branch(none, after, some);
        self.enter(some);
        self.for_each_element(place, element, None, count, |generator, at, _| {
            generator.initialise(initialiser, at)
        });
        self.branch(after);
        self.enter(after);
    }

    fn allocate_by(&mut self, function: FunctionId, bytes: ir::Value, arguments: &[ExpressionId]) -> ir::Value {
        let program = self.program;
        // The global allocation functions have no body of their own: they are the heap.
        if program.function(function).body.is_none() && arguments.is_empty() {
            return self.heap(bytes);
        }
        let mut values = vec![bytes];
        for &argument in arguments {
            let value = match program.expression(argument).category.is_glvalue() {
                true => self.place(argument).pointer,
                false => self.value(argument),
            };
            values.push(value);
        }
        let target = self.generator.function(function, SymbolVariant::Complete);
        self.call_library(target, &values)
    }

    pub(super) fn delete_expression(&mut self, id: ExpressionId) {
        let program = self.program;
        let ExpressionKind::Delete {
            pointer,
            array,
            destructor,
            virtual_destructor,
            deallocation,
        } = &program.expression(id).kind
        else {
            return;
        };
        let element = program.types.pointee(program.type_of(*pointer).id);
        let pointer = self.value(*pointer);
        let is_own = deallocation.is_some_and(|function| program.function(function).body.is_some());
        // Null is freed without asking.
        if destructor.is_none() && !is_own {
            return self.free(pointer);
        }
        let (delete, after) = (self.new_block("delete"), self.new_block("deleted"));
        let mut build = self.build();
        let null = build.zero(ir::Type::POINTER);
        let is_null = build.icmp(ir::IntPredicate::Eq, pointer, null);
        build.conditional_branch(is_null, after, delete);
        self.enter(delete);
        let mut memory = pointer;
        let mut freed = false;
        match (destructor, element) {
            (Some(destructor), Some(element)) if *array => {
                let cookie = self.cookie(element.id) as i64;
                let (some, done) = (self.new_block("delete.elements"), self.new_block("delete.memory"));
                let mut build = self.build();
                let back = build.i64(-cookie);
                memory = build.byte_offset(pointer, back);
                let eight = build.i64(-8);
                let at = build.byte_offset(pointer, eight);
                let count = build.load(ir::Type::I64, at);
                let zero = build.i64(0);
                let none = build.icmp(ir::IntPredicate::Eq, count, zero);
                build.conditional_branch(none, done, some);
                self.enter(some);
                self.destroy_elements(pointer, element.id, count, *destructor);
                self.branch(done);
                self.enter(done);
            }
            (Some(destructor), _) if *virtual_destructor => {
                self.call_virtual_destructor(pointer, *destructor, true);
                freed = true;
            }
            (Some(destructor), _) => self.call_destructor(pointer, *destructor, SymbolVariant::Complete),
            (None, _) => {}
        }
        match deallocation {
            _ if freed => {}
            Some(function) if program.function(*function).body.is_some() => {
                self.deallocate_by(*function, memory, element.map(|element| element.id))
            }
            _ => self.free(memory),
        }
        self.branch(after);
        self.enter(after);
    }

    fn deallocate_by(&mut self, function: FunctionId, memory: ir::Value, element: Option<TypeId>) {
        let sized = self
            .program
            .types
            .as_function(self.program.function(function).ty)
            .is_some_and(|ty| ty.parameters.len() == 2);
        let mut values = vec![memory];
        if sized {
            let size = element.map_or(0, |element| self.program.size_of(element));
            values.push(self.build().i64(size as i64));
        }
        let target = self.generator.function(function, SymbolVariant::Complete);
        self.call_library(target, &values);
    }
}
