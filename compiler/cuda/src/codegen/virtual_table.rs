//! Virtual tables (Itanium C++ ABI 2.5): for the object itself and each base that has a table pointer of its own, the distances of virtual bases, the distance to the top, no
//! type information, then the functions.

use warpsmith_ir as ir;

use super::Generator;
use super::function::FunctionGenerator;
use super::place::Place;
use super::virtual_base::{VirtualOffsets, offset_of};
use crate::hir::{
    ClassId, FunctionId, FunctionName, Scope, SymbolVariant, VirtualSlot, mangle_thunk, mangle_virtual_table,
};

/// A part of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// The offset of the base in the object.
    pub(super) offset: i64,
    /// The class whose slots it has.
    class: ClassId,
    /// The virtual base that it is a part of.
    pub(super) within: Option<ClassId>,
}

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

    /// The parts of the table of an object whose virtual bases lie so.
    pub(super) fn groups(&self, class: ClassId, offsets: &VirtualOffsets) -> Vec<Group> {
        let mut groups = Vec::new();
        self.collect_groups(class, 0, true, None, &mut groups);
        for base in self.program.virtual_bases(class) {
            self.collect_groups(base, offset_of(offsets, base), true, Some(base), &mut groups);
        }
        groups
    }

    fn collect_groups(&self, id: ClassId, offset: i64, own: bool, within: Option<ClassId>, groups: &mut Vec<Group>) {
        let class = self.program.class(id);
        if !class.layout.dynamic {
            return;
        }
        if own {
            groups.push(Group {
                offset,
                class: id,
                within,
            });
        }
        for (place, base) in class.bases.iter().enumerate() {
            if !base.is_virtual {
                let primary = class.layout.primary_base == Some(place);
                let at = offset + class.layout.base_offsets[place] as i64;
                self.collect_groups(base.class, at, !primary, within, groups);
            }
        }
    }

    /// The entries of a part in front of its functions: distances of virtual bases, the distance to the top, no type information.
    fn head(&self, group: Group) -> usize {
        self.program.virtual_bases(group.class).len() + 2
    }

    /// The final overrider of a virtual function in a class, and the offset of its class there ([class.virtual]/2).
    fn final_overrider(
        &self,
        id: ClassId,
        function: FunctionId,
        offset: i64,
        offsets: &VirtualOffsets,
    ) -> Option<(FunctionId, i64)> {
        let class = self.program.class(id);
        let own = |&&method: &&FunctionId| method == function || self.program.overrides(method, function);
        if let Some(&method) = class.methods.iter().find(own) {
            return Some((method, offset));
        }
        let mut found: Option<(FunctionId, i64)> = None;
        for (place, base) in class.bases.iter().enumerate() {
            let at = match base.is_virtual {
                true => offset_of(offsets, base.class),
                false => offset + class.layout.base_offsets[place] as i64,
            };
            if let Some(candidate) = self.final_overrider(base.class, function, at, offsets)
                && found.is_none_or(|(known, _)| known == function)
            {
                found = Some(candidate);
            }
        }
        found
    }

    /// The table of an object of a class whose virtual bases lie so.
    fn table(&mut self, id: ClassId, offsets: &VirtualOffsets) -> ir::GlobalId {
        let key = (id, offsets.clone());
        if let Some(&known) = self.tables.get(&key) {
            return known;
        }
        let program = self.program;
        let groups = self.groups(id, offsets);
        let count: usize = groups
            .iter()
            .map(|&group| self.head(group) + program.class(group.class).layout.slots.len())
            .sum();
        let ty = self.context.array(ir::Type::POINTER, count as u64);
        // Tables of an object under construction have the name of the class, too, with a number behind it.
        let mut global = ir::Global::new(mangle_virtual_table(program, id), ty, ir::AddressSpace::GLOBAL);
        global.linkage = ir::Linkage::Internal;
        global.constant = true;
        global.align = 8;
        let made = self.module.symbols.add_global(global);
        self.tables.insert(key, made);
        let mut entries = Vec::with_capacity(count);
        for group in groups {
            for base in self.distance_order(group.class).into_iter().rev() {
                entries.push(self.number(offset_of(offsets, base) - group.offset));
            }
            entries.push(self.number(-group.offset));
            entries.push(self.number(0));
            for slot in program.class(group.class).layout.slots.clone() {
                entries.push(self.table_entry(id, slot, group.offset, offsets));
            }
        }
        let initial = self.context.aggregate(ty, &entries);
        self.module.symbols.globals[made].initializer = Some(initial);
        made
    }

    /// A number as an entry of a table.
    fn number(&mut self, number: i64) -> ir::ConstantId {
        match number {
            0 => self.context.null(ir::AddressSpace::GENERIC),
            _ => {
                let number = self.context.int(64, i128::from(number));
                self.cast_constant(ir::CastOp::IntToPtr, number, ir::Type::POINTER)
            }
        }
    }

    fn table_entry(
        &mut self,
        class: ClassId,
        slot: VirtualSlot,
        offset: i64,
        offsets: &VirtualOffsets,
    ) -> ir::ConstantId {
        let null = self.context.null(ir::AddressSpace::GENERIC);
        let Some((function, at)) = self.final_overrider(class, slot.function, 0, offsets) else {
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
        let distance = at - offset;
        if self.program.result_is_over_virtual(function, slot.function) {
            let span = self.program.function(function).span;
            self.refuse(
                span,
                "a result that becomes one of a virtual base is not supported in device code",
            );
        }
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

    /// What the table pointer of a part of an object points to: the first function of the part.
    pub(super) fn table_point(&mut self, class: ClassId, offsets: &VirtualOffsets, number: usize) -> ir::ConstantId {
        let table = self.table(class, offsets);
        let groups = self.groups(class, offsets);
        let before: usize = groups[..number]
            .iter()
            .map(|&group| self.head(group) + self.program.class(group.class).layout.slots.len())
            .sum();
        let entry = before + groups.get(number).map_or(0, |&group| self.head(group));
        let address = self.generic_address(table);
        self.context.offset_address(address, entry as i64 * 8)
    }
}

impl FunctionGenerator<'_, '_> {
    /// Sets the table pointers of the object under construction or destruction to those of its class.
    pub(super) fn set_virtual_pointers(&mut self, class: ClassId) {
        let Some(this) = self.this else { return };
        if !self.program.class(class).layout.dynamic {
            return;
        }
        if let Some(points) = self.table_points {
            return self.set_given_pointers(class, this, points);
        }
        let offsets = self.generator.complete_offsets(class);
        for (number, group) in self.generator.groups(class, &offsets).into_iter().enumerate() {
            let point = self.generator.table_point(class, &offsets, number);
            let place = self.offset(Place::new(this, 8), group.offset as u64);
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
