//! Virtual tables (Itanium C++ ABI 2.5): for the object itself and each base that has a table pointer of its own, the distance to the top, no type
//! information, then the functions.

use warpsmith_ir as ir;

use super::Generator;
use super::function::FunctionGenerator;
use super::place::Place;
use crate::hir::{
    ClassId, FunctionId, FunctionName, Scope, SymbolVariant, VirtualSlot, mangle_thunk, mangle_virtual_table,
};

/// A part of a table: the offset of the base in the object, and the class whose slots it has.
type Group = (u64, ClassId);

impl Generator<'_> {
    /// The slot of a virtual function in the tables of its class; of destructors the first of two.
    pub(super) fn virtual_slot(&self, function: FunctionId) -> Option<u32> {
        let Scope::Class(class) = self.program.function(function).scope else {
            return None;
        };
        if !self.program.function(function).is_virtual {
            return None;
        }
        let slots = &self.program.class(class).layout.slots;
        slots
            .iter()
            .position(|slot| slot.function == function)
            .map(|slot| slot as u32)
    }

    fn groups(&self, class: ClassId) -> Vec<Group> {
        let mut groups = Vec::new();
        self.collect_groups(class, 0, true, &mut groups);
        groups
    }

    fn collect_groups(&self, id: ClassId, offset: u64, own: bool, groups: &mut Vec<Group>) {
        let class = self.program.class(id);
        if !class.layout.dynamic {
            return;
        }
        if own {
            groups.push((offset, id));
        }
        for (place, base) in class.bases.iter().enumerate() {
            if !base.is_virtual {
                let primary = class.layout.primary_base == Some(place);
                self.collect_groups(base.class, offset + class.layout.base_offsets[place], !primary, groups);
            }
        }
    }

    /// The final overrider of a virtual function in a class, and the offset of its class there ([class.virtual]/2).
    fn final_overrider(&self, id: ClassId, function: FunctionId, offset: u64) -> Option<(FunctionId, u64)> {
        let class = self.program.class(id);
        let own = |&&method: &&FunctionId| method == function || self.program.overrides(method, function);
        if let Some(&method) = class.methods.iter().find(own) {
            return Some((method, offset));
        }
        let mut found: Option<(FunctionId, u64)> = None;
        for (place, base) in class.bases.iter().enumerate() {
            if let Some(candidate) =
                self.final_overrider(base.class, function, offset + class.layout.base_offsets[place])
                && found.is_none_or(|(known, _)| known == function)
            {
                found = Some(candidate);
            }
        }
        found
    }

    /// The table of a class.
    fn table(&mut self, id: ClassId) -> ir::GlobalId {
        if let Some(&known) = self.tables.get(&id) {
            return known;
        }
        let program = self.program;
        let count: usize = self
            .groups(id)
            .iter()
            .map(|&(_, class)| program.class(class).layout.slots.len() + 2)
            .sum();
        let ty = self.context.array(ir::Type::POINTER, count as u64);
        let mut global = ir::Global::new(mangle_virtual_table(program, id), ty, ir::AddressSpace::GLOBAL);
        global.linkage = ir::Linkage::Internal;
        global.constant = true;
        global.align = 8;
        let made = self.module.symbols.add_global(global);
        self.tables.insert(id, made);
        let mut entries = Vec::with_capacity(count);
        for (offset, group) in self.groups(id) {
            entries.push(match offset {
                0 => self.context.null(ir::AddressSpace::GENERIC),
                _ => {
                    let distance = self.context.int(64, -(offset as i128));
                    self.cast_constant(ir::CastOp::IntToPtr, distance, ir::Type::POINTER)
                }
            });
            entries.push(self.context.null(ir::AddressSpace::GENERIC));
            for slot in program.class(group).layout.slots.clone() {
                entries.push(self.table_entry(id, slot, offset));
            }
        }
        let initial = self.context.aggregate(ty, &entries);
        self.module.symbols.globals[made].initializer = Some(initial);
        made
    }

    fn table_entry(&mut self, class: ClassId, slot: VirtualSlot, offset: u64) -> ir::ConstantId {
        let null = self.context.null(ir::AddressSpace::GENERIC);
        let Some((function, at)) = self.final_overrider(class, slot.function, 0) else {
            return null;
        };
        let data = self.program.function(function);
        // Functions of the host and pure ones cannot be called.
        if data.is_pure || !self.has_body(function) && !data.space.device {
            return null;
        }
        let destructor = matches!(data.name, FunctionName::Destructor);
        let variant = if destructor && slot.deleting {
            SymbolVariant::Deleting
        } else {
            SymbolVariant::Complete
        };
        let distance = at as i64 - offset as i64;
        let result = self.program.result_adjustment(function, slot.function);
        let target = match (distance, result) {
            (0, 0) => self.function(function, variant),
            _ => self.thunk(function, variant, distance, result),
        };
        self.module.symbols.function_address(target)
    }

    /// A function that moves `this`, goes on, and moves the pointer or reference that comes back (2.5.3, 3.2.3).
    fn thunk(&mut self, id: FunctionId, variant: SymbolVariant, distance: i64, result: i64) -> ir::FunctionId {
        if let Some(&known) = self.thunks.get(&(id, variant, distance, result)) {
            return known;
        }
        let target = self.function(id, variant);
        let mut name = mangle_thunk(self.program, id, -distance, variant);
        if result != 0 {
            name += &format!("$result{result}");
        }
        let mut declaration = self.module.symbols.functions[target].clone();
        declaration.name = name;
        declaration.linkage = ir::Linkage::Internal;
        let this = u32::from(declaration.parameters.first().is_some_and(|first| first.sret.is_some()));
        let ty = declaration.ty;
        let attributes = declaration.parameters.clone();
        let made = self.module.add_function(declaration);
        self.thunks.insert((id, variant, distance, result), made);
        let mut body = self.module.new_body(made);
        let entry = body.append_block();
        let mut build = ir::Builder::at_end(&mut body, entry);
        let by = build.i64(distance);
        let moved = build.byte_offset(ir::Value::Argument(this), by);
        let count = attributes.len() as u32;
        let arguments = (0..count).map(|number| {
            if number == this {
                moved
            } else {
                ir::Value::Argument(number)
            }
        });
        let mut call = ir::Call::new(ir::Callee::Function(target), ty, arguments);
        call.argument_attributes = attributes;
        let mut value = build.call_with(call);
        if result != 0 {
            let by = build.i64(result);
            let moved = build.byte_offset(value, by);
            let null = build.zero(ir::Type::POINTER);
            let is_null = build.icmp(ir::IntPredicate::Eq, value, null);
            value = build.select(is_null, null, moved);
        }
        let is_void = build.context().function_data(ty).result == ir::Type::Void;
        build.ret((!is_void).then_some(value));
        self.module.set_body(body);
        made
    }

    /// What the table pointer of a base at an offset points to: the first function of its group.
    pub(super) fn table_point(&mut self, class: ClassId, offset: u64) -> ir::ConstantId {
        let table = self.table(class);
        let mut entry = 0;
        for (at, group) in self.groups(class) {
            entry += 2;
            if at == offset {
                break;
            }
            entry += self.program.class(group).layout.slots.len() as i64;
        }
        let address = self.generic_address(table);
        self.context.offset_address(address, entry * 8)
    }
}

impl FunctionGenerator<'_, '_> {
    /// Sets the table pointers of the object under construction or destruction to those of its class.
    pub(super) fn set_virtual_pointers(&mut self, class: ClassId) {
        let Some(this) = self.this else { return };
        if !self.program.class(class).layout.dynamic {
            return;
        }
        for (offset, _) in self.generator.groups(class) {
            let point = self.generator.table_point(class, offset);
            let place = self.offset(Place::new(this, 8), offset);
            self.build().store(point.into(), place.pointer);
        }
    }

    /// The function in a slot of an object's table.
    pub(super) fn virtual_function(&mut self, object: ir::Value, slot: u32) -> ir::Value {
        let mut build = self.build();
        let table = build.load(ir::Type::POINTER, object);
        let offset = build.i64(i64::from(slot) * 8);
        let at = build.byte_offset(table, offset);
        build.load(ir::Type::POINTER, at)
    }
}
