//! Initialisation: objects made in a place.

use warpsmith_ir as ir;

use super::Generator;
use super::function::FunctionGenerator;
use super::place::Place;
use crate::hir::{CastKind, Constant, ExpressionId, ExpressionKind, SymbolVariant, Type, TypeId};

impl Generator<'_> {
    /// A global with the value of a constant object.
    pub(super) fn constant_object(&mut self, constant: &Constant, ty: TypeId) -> ir::GlobalId {
        let initial = self.memory_constant(constant, ty);
        if let Some(&known) = self.constant_objects.get(&(initial, ty)) {
            return known;
        }
        let name = format!("$constant${}", self.constant_objects.len());
        let mut global = ir::Global::new(name, self.context.constant_type(initial), ir::AddressSpace::GLOBAL);
        global.linkage = ir::Linkage::Private;
        global.initializer = Some(initial);
        global.constant = true;
        global.unnamed_address = true;
        global.align = self.program.align_of(ty) as u32;
        let made = self.module.symbols.add_global(global);
        self.constant_objects.insert((initial, ty), made);
        made
    }
}

impl FunctionGenerator<'_, '_> {
    /// A full expression that initialises an object, or binds the reference kept in the place.
    pub(super) fn full_initialise(&mut self, id: ExpressionId, place: Place) {
        let depth = self.cleanups.len();
        self.initialise_or_bind(id, place);
        self.pop_cleanups(depth);
    }

    /// Initialises an object with a prvalue, or writes the address of a glvalue where a reference is kept.
    pub(super) fn initialise_or_bind(&mut self, id: ExpressionId, place: Place) {
        if self.program.expression(id).category.is_glvalue() {
            let target = self.place(id);
            let mut build = self.build();
            build.store(target.pointer, place.pointer);
            return;
        }
        self.initialise(id, place);
    }

    /// Makes the object that a prvalue is in a place.
    pub(super) fn initialise(&mut self, id: ExpressionId, place: Place) {
        let program = self.program;
        let expression = program.expression(id);
        let ty = expression.ty.id;
        if self.generator.is_scalar(ty) {
            let value = self.value(id);
            return self.store(place, value, ty);
        }
        self.depth += 1;
        let outer = self.location;
        self.set_span(expression.span);
        if self.depth < super::function::GREATEST_DEPTH {
            self.initialise_object(id, place);
        } else {
            self.refuse("expressions are nested too deeply");
        }
        self.location = outer;
        self.depth -= 1;
    }

    fn initialise_object(&mut self, id: ExpressionId, place: Place) {
        let program = self.program;
        let expression = program.expression(id);
        let ty = expression.ty.id;
        if expression.category.is_glvalue() {
            let from = self.place(id);
            let bytes = self.copied_size(ty);
            return self.copy_memory(place, from, bytes, false);
        }
        match &expression.kind {
            ExpressionKind::Cast(CastKind::LValueToRValue, from) => {
                let from = self.place(*from);
                let bytes = self.copied_size(ty);
                self.copy_memory(place, from, bytes, false);
            }
            ExpressionKind::Cast(CastKind::NoOperation | CastKind::Bit | CastKind::Reinterpret, from) => {
                if program.type_of(*from).id == ty && !program.expression(*from).category.is_glvalue() {
                    return self.initialise(*from, place);
                }
                let from = self.place(*from);
                self.copy_memory(place, from, program.size_of(ty), false);
            }
            ExpressionKind::Constant(constant) => self.copy_constant(constant, ty, place),
            ExpressionKind::Construct {
                constructor,
                arguments,
                zero_first,
            } => {
                if *zero_first {
                    self.zero_memory(place, self.copied_size(ty));
                }
                self.construct(*constructor, arguments, place, SymbolVariant::Complete);
            }
            ExpressionKind::Aggregate { bases, fields } => {
                let Some(class) = program.types.as_class(ty) else {
                    return;
                };
                let data = program.class(class);
                self.aggregates.push((class, place));
                for (base, value) in bases {
                    let at = self.offset(place, data.layout.base_offsets[*base]);
                    self.initialise(*value, at);
                }
                for (field, value) in fields {
                    let at = self.field_place(place, class, *field);
                    self.initialise_or_bind(*value, at);
                }
                self.aggregates.pop();
            }
            ExpressionKind::Array { elements, filler } => self.initialise_array(id, elements, *filler, place),
            ExpressionKind::ArrayLoop { element } => {
                let Some((element_type, count)) = self.array_parts(ty) else {
                    return;
                };
                let count = self.build().i64(count as i64);
                self.for_each_element(place, element_type, None, count, |generator, at, index| {
                    generator.array_indices.push(index);
                    generator.initialise(*element, at);
                    generator.array_indices.pop();
                });
            }
            ExpressionKind::StringArray(string) => {
                let literal = program.string(*string);
                let constants = literal
                    .elements
                    .iter()
                    .map(|&element| Constant::Integer(i128::from(element)))
                    .collect();
                let constant = Constant::Array(constants, Some(Box::new(Constant::Integer(0))));
                self.copy_constant(&constant, ty, place);
            }
            ExpressionKind::Zero => self.zero_memory(place, self.copied_size(ty)),
            ExpressionKind::Uninitialised => {}
            ExpressionKind::Error => self.refuse_unknown(),
            ExpressionKind::Call { callee, arguments } => {
                self.call(callee, arguments, id, Some(place));
            }
            ExpressionKind::Comma(first, second) => {
                self.effects(*first);
                self.initialise(*second, place);
            }
            ExpressionKind::Conditional { condition, yes, no } => {
                let (on_yes, on_no, after) = (self.new_block("yes"), self.new_block("no"), self.new_block("chosen"));
                let before = self.block;
                self.condition(*condition, on_yes, on_no);
                for (block, operand) in [(on_yes, *yes), (on_no, *no)] {
                    self.enter(block);
                    self.conditionally(before, |generator| generator.initialise(operand, place));
                    self.branch(after);
                }
                self.enter(after);
            }
            ExpressionKind::Let { binding, value, body } => {
                self.bind(*binding, *value);
                self.initialise(*body, place);
            }
            ExpressionKind::StatementExpression { body, value } => {
                let depth = self.enter_block(*body);
                if let Some(value) = value {
                    self.full_initialise(*value, place);
                }
                self.leave_block(depth);
            }
            ExpressionKind::Builtin { builtin, arguments } => self.builtin_object(*builtin, arguments, ty, place),
            ExpressionKind::Unsupported(what) => self.refuse(format!("{what} is not supported in device code")),
            ExpressionKind::VariableArgument(list) => {
                let from = self.next_argument(*list, ty);
                self.copy_memory(place, from, program.size_of(ty), false);
            }
            _ => self.refuse("an object is made by an expression that has none"),
        }
    }

    pub(super) fn copy_constant(&mut self, constant: &Constant, ty: TypeId, place: Place) {
        let initial = self.generator.memory_constant(constant, ty);
        if self.generator.context.is_zero(initial) {
            return self.zero_memory(place, self.copied_size(ty));
        }
        let global = self.generator.constant_object(constant, ty);
        let from = Place::new(
            self.generator.generic_address(global).into(),
            self.program.align_of(ty) as u32,
        );
        self.copy_memory(place, from, self.copied_size(ty), false);
    }

    fn array_parts(&self, ty: TypeId) -> Option<(TypeId, u64)> {
        match *self.program.types.get(ty) {
            Type::Array(element, Some(count)) => Some((element.id, count)),
            _ => None,
        }
    }

    /// Whether an element of an array is a constant of a scalar type, and not zero.
    fn constant_element(&self, id: ExpressionId) -> Option<Constant> {
        let expression = self.program.expression(id);
        match &expression.kind {
            ExpressionKind::Constant(constant) => Some(constant.clone()),
            ExpressionKind::Zero => Some(Constant::Undefined),
            ExpressionKind::Array { elements, filler } => {
                let elements = elements
                    .iter()
                    .map(|&element| self.constant_element(element))
                    .collect::<Option<Vec<_>>>()?;
                let filler = match filler {
                    Some(filler) => Some(Box::new(self.constant_element(*filler)?)),
                    None => None,
                };
                Some(Constant::Array(elements, filler))
            }
            _ => None,
        }
    }

    fn initialise_array(
        &mut self,
        id: ExpressionId,
        elements: &[ExpressionId],
        filler: Option<ExpressionId>,
        place: Place,
    ) {
        let program = self.program;
        let ty = program.type_of(id).id;
        let Some((element_type, count)) = self.array_parts(ty) else {
            return;
        };
        let size = program.size_of(element_type);
        // Large arrays of constants are copied as a whole.
        if elements.len() > 8
            && let Some(constant) = self.constant_element(id)
        {
            return self.copy_constant(&constant, ty, place);
        }
        for (index, &element) in elements.iter().enumerate().take(count as usize) {
            let at = self.offset(place, index as u64 * size);
            self.initialise(element, at);
        }
        let Some(filler) = filler else { return };
        let done = elements.len() as u64;
        let left = count.saturating_sub(done);
        if left == 0 {
            return;
        }
        let rest = self.offset(place, done * size);
        if matches!(program.expression(filler).kind, ExpressionKind::Zero) {
            return self.zero_memory(rest, left * size);
        }
        if left <= 4 {
            for index in 0..left {
                let at = self.offset(rest, index * size);
                self.initialise(filler, at);
            }
            return;
        }
        let count = self.build().i64(left as i64);
        self.for_each_element(rest, element_type, None, count, |generator, at, _| {
            generator.initialise(filler, at)
        });
    }

    /// A loop over `count` elements, from a first index on (0 if `None`): `make` gets the element's place and its index. The count is not zero.
    pub(super) fn for_each_element(
        &mut self,
        place: Place,
        element: TypeId,
        first: Option<ir::Value>,
        count: ir::Value,
        make: impl FnOnce(&mut Self, Place, ir::Value),
    ) {
        let program = self.program;
        let size = program.size_of(element) as i64;
        let alignment = program.align_of(element) as u32;
        let (body, after) = (self.new_block("each"), self.new_block("all"));
        let start = match first {
            Some(first) => first,
            None => self.build().i64(0),
        };
        let before = self.block;
        self.build().branch(body);
        self.enter(body);
        let mut build = self.build();
        let index = build.phi(ir::Type::I64, &[(before, start)]);
        let bytes = build.i64(size);
        let distance = build.mul(index, bytes);
        let pointer = build.byte_offset(place.pointer, distance);
        let depth = self.cleanups.len();
        let conditional = self.conditional.take();
        make(self, Place::new(pointer, alignment.min(place.alignment.max(1))), index);
        self.pop_cleanups(depth);
        self.conditional = conditional;
        let end = self.block;
        let mut build = self.build();
        let one = build.i64(1);
        let next = build.add(index, one);
        build.add_incoming(index, end, next);
        let more = build.icmp(ir::IntPredicate::Ult, next, count);
        build.conditional_branch(more, body, after);
        self.enter(after);
    }
}
