//! Bodies of functions.

use rustc_hash::FxHashMap;
use warpsmith_ir as ir;

use super::Generator;
use super::cleanup::{Cleanup, ScopePath};
use super::debug::FunctionDebug;
use super::place::Place;
use super::signature::Passing;
use crate::hir::{
    BindingId, ClassId, Destructor, FunctionBody, FunctionId, FunctionName, LabelId, MemberTarget, Program, Scope,
    Span, StatementId, SymbolVariant, TypeId, VariableId,
};
use crate::source::{self, Origin};

/// What a binding holds.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    Value(ir::Value),
    Place(Place),
}

/// Where `break` and `continue` go.
pub(super) struct Target {
    pub(super) break_to: ir::BlockId,
    /// `None` for a `switch`.
    pub(super) continue_to: Option<ir::BlockId>,
    /// How many clean-ups stay.
    pub(super) depth: usize,
}

/// A label: its block, and how many clean-ups there are at it, once it has been met.
pub(super) struct LabelPlace {
    pub(super) block: ir::BlockId,
    pub(super) depth: Option<usize>,
}

/// A function body being made.
pub(super) struct FunctionGenerator<'g, 'p> {
    pub(super) generator: &'g mut Generator<'p>,
    pub(super) program: &'p Program,
    pub(super) body: ir::Function,
    pub(super) block: ir::BlockId,
    /// The block of the `alloca`s.
    entry: ir::BlockId,
    pub(super) location: Option<ir::LocationId>,
    /// The last place that was looked up, and what it was.
    located: Option<(Origin, ir::LocationId)>,
    /// The name of the function, as linkers know it.
    symbol: ir::Symbol,
    /// Where locals are, and where references refer to.
    pub(super) locals: FxHashMap<VariableId, Place>,
    pub(super) bindings: FxHashMap<BindingId, Bound>,
    pub(super) array_indices: Vec<ir::Value>,
    /// The objects that aggregate initialisations around make.
    pub(super) aggregates: Vec<(ClassId, Place)>,
    pub(super) this: Option<ir::Value>,
    /// The buffer of the variable arguments.
    pub(super) variable_arguments: Option<ir::Value>,
    /// Of constructors and destructors of bases with virtual bases: the points of the tables that hold meanwhile.
    pub(super) table_points: Option<ir::Value>,
    /// The base that is about to be constructed, with the points for it.
    pub(super) under_construction: Option<(ir::Value, ir::Value)>,
    pub(super) cleanups: Vec<Cleanup>,
    /// Temporaries of the declaration being made that live as long as its variable.
    pub(super) extended: Vec<(ir::Value, TypeId, FunctionId)>,
    pub(super) targets: Vec<Target>,
    pub(super) labels: FxHashMap<LabelId, LabelPlace>,
    pub(super) scopes: Vec<(StatementId, usize)>,
    pub(super) label_scopes: FxHashMap<LabelId, ScopePath>,
    /// The block before the outermost conditional operand that is being made: flags of conditional temporaries are reset there.
    pub(super) conditional: Option<ir::BlockId>,
    pub(super) return_block: ir::BlockId,
    /// Where the result goes.
    pub(super) return_place: Option<Place>,
    pub(super) result: Passing,
    pub(super) result_type: TypeId,
    pub(super) span: Span,
    pub(super) depth: u32,
    /// What a debugger is told of the function, if it is told anything.
    pub(super) debug: Option<Box<FunctionDebug>>,
}

/// Expressions inside of expressions.
pub(super) const GREATEST_DEPTH: u32 = 1 << 15;

impl<'p> Generator<'p> {
    /// Makes the body of a function.
    pub(super) fn define(&mut self, id: FunctionId, variant: SymbolVariant) {
        let program = self.program;
        let function = program.function(id);
        let Some(&target) = self.functions.get(&(id, variant)) else {
            return;
        };
        let signature = self.signature_in(id, variant);
        // As a base of another object it is told the tables that hold meanwhile.
        let gets_points = self.gets_points(id, variant);
        let last = signature.parameters.len().saturating_sub(1);
        let symbol = self.context.symbol(&self.module.symbols.functions[target].name);
        let mut body = self.module.new_body(target);
        let entry = body.append_block();
        let first = body.append_block();
        let return_block = body.create_block();
        body.set_block_name(entry, "entry");
        let result_type = program
            .types
            .as_function(function.ty)
            .map_or(crate::hir::Types::VOID, |ty| ty.result.id);
        let mut generator = FunctionGenerator {
            generator: self,
            program,
            body,
            block: first,
            entry,
            location: None,
            located: None,
            symbol,
            locals: FxHashMap::default(),
            bindings: FxHashMap::default(),
            array_indices: Vec::new(),
            aggregates: Vec::new(),
            this: None,
            table_points: gets_points.then_some(ir::Value::Argument(last as u32)),
            under_construction: None,
            variable_arguments: None,
            cleanups: Vec::new(),
            extended: Vec::new(),
            targets: Vec::new(),
            labels: FxHashMap::default(),
            scopes: Vec::new(),
            label_scopes: FxHashMap::default(),
            conditional: None,
            return_block,
            return_place: None,
            result: signature.result,
            result_type,
            span: function.span,
            depth: 0,
            debug: None,
        };
        generator.set_span(function.span);
        generator.body.set_declared_at(generator.location);
        generator.begin_debug(id);
        generator.parameters(id);
        match (variant, &function.body) {
            _ if function.traps_on_device => generator.trap(),
            (SymbolVariant::Deleting, _) => generator.deleting_destructor(id),
            (_, Some(body)) => generator.function_body(id, variant, body),
            (_, None) => generator.implicit_destructor(id),
        }
        let body = generator.finish(first);
        self.module.set_body(body);
    }
}

impl<'p> FunctionGenerator<'_, 'p> {
    /// A builder at the end of the current block.
    pub(super) fn build(&mut self) -> ir::Builder<'_> {
        let options = self.generator.options;
        let mut builder = ir::Builder::at_end(&mut self.body, self.block);
        builder.location = self.location;
        if options.arithmetic.fast_math {
            builder.fast_math = builder.fast_math | ir::Flags::CONTRACT;
        } else if options.arithmetic.contract {
            builder.fast_math = ir::Flags::CONTRACT;
        }
        builder
    }

    /// Takes note of the place in the source.
    pub(super) fn set_span(&mut self, span: Span) {
        if span == Span::NONE {
            return;
        }
        self.span = span;
        self.generator.place = span;
        if !self.generator.options.line_info {
            return;
        }
        if self.located.is_none_or(|(origin, _)| origin != span.first) {
            // What our own headers do in place of a built-in function is the caller's.
            let Some(location) = self.location_of(span.first) else {
                return;
            };
            self.located = Some((span.first, location));
        }
        self.location = self.located.map(|(_, location)| location);
    }

    /// The place of a token as instructions have it; `None` in our own headers.
    pub(super) fn location_of(&self, origin: Origin) -> Option<ir::LocationId> {
        let place = self.generator.map?.place(origin)?;
        if source::is_built_in(&place.file) {
            return None;
        }
        let context = &self.generator.context;
        Some(context.location(ir::Location {
            file: context.symbol(&place.file),
            line: place.line,
            column: place.column,
            function: self.symbol,
            inlined_at: None,
        }))
    }

    /// Reports what device code cannot have, here.
    pub(super) fn refuse(&mut self, what: impl Into<String>) {
        let span = self.span;
        self.generator.refuse(span, what);
    }

    /// Refuses what a mistake in host code that is only warned of left without a meaning, if device code needs it after all.
    pub(super) fn refuse_unknown(&mut self) {
        self.refuse("device code cannot have this: what it names could not be elaborated");
    }

    pub(super) fn new_block(&mut self, name: &str) -> ir::BlockId {
        let block = self.body.create_block();
        self.body.set_block_name(block, name);
        block
    }

    /// Goes on in a block, which is placed after all others.
    pub(super) fn enter(&mut self, block: ir::BlockId) {
        self.body.place_block_last(block);
        self.block = block;
    }

    pub(super) fn is_terminated(&self) -> bool {
        self.body.terminator(self.block).is_some()
    }

    /// Goes to a block, unless control does not get here.
    pub(super) fn branch(&mut self, target: ir::BlockId) {
        if !self.is_terminated() {
            self.build().branch(target);
        }
    }

    /// Stops the kernel with a fault.
    pub(super) fn trap(&mut self) {
        self.build().intrinsic(ir::Intrinsic::Trap, &[], &[]);
        self.end_unreachable();
    }

    /// Ends the block with `unreachable`, and goes on in one that nothing reaches.
    pub(super) fn end_unreachable(&mut self) {
        if !self.is_terminated() {
            self.build().unreachable();
        }
        self.start_dead();
    }

    /// After a jump: what follows is not reached but by labels.
    pub(super) fn start_dead(&mut self) {
        let dead = self.new_block("dead");
        self.enter(dead);
    }

    /// Stack memory for an object of a type.
    pub(super) fn allocate(&mut self, ty: TypeId, name: &str) -> Place {
        let memory = self.generator.memory_type(ty);
        let alignment = self.program.align_of(ty) as u32;
        let pointer = self.allocate_memory(memory, alignment, name);
        Place::new(pointer, alignment)
    }

    /// Stack memory of an IR type.
    pub(super) fn allocate_memory(&mut self, memory: ir::Type, alignment: u32, name: &str) -> ir::Value {
        let entry = self.entry;
        let mut builder = ir::Builder::at_end(&mut self.body, entry);
        let one = builder.i32(1);
        let pointer = builder.alloca_with(memory, one, alignment.max(1), ir::AddressSpace::GENERIC);
        if !name.is_empty() {
            builder.function.set_name(pointer, name);
        }
        pointer
    }

    fn parameters(&mut self, id: FunctionId) {
        let program = self.program;
        let function = program.function(id);
        let mut next = 0;
        let mut argument = || {
            next += 1;
            ir::Value::Argument(next - 1)
        };
        let result_type = self.result_type;
        if self.result == Passing::Address {
            let pointer = argument();
            self.return_place = Some(Place::new(pointer, program.align_of(result_type) as u32));
        }
        if function.has_this {
            let this = argument();
            self.body.set_name(this, "this");
            self.this = Some(this);
            self.debug_this(id, this);
        }
        for &parameter in &function.parameters {
            let value = argument();
            let variable = program.variable(parameter);
            let ty = variable.ty.id;
            let name = variable.name.as_deref().unwrap_or_default();
            if !name.is_empty() {
                self.body.set_name(value, name);
            }
            let alignment = program.align_of(ty) as u32;
            let kernel = function.space.global;
            let place = match self.generator.passing(ty) {
                Passing::Void => continue,
                Passing::Value(_) if program.types.is_reference(ty) => {
                    let to = program.types.strip_reference(variable.ty);
                    Place::new(value, program.align_of(to.id) as u32).volatile(to.is_volatile())
                }
                Passing::Value(passed) => {
                    let memory = self.generator.memory_type(ty);
                    let pointer = self.allocate_memory(memory, alignment, &format!("{name}.addr"));
                    let mut build = self.build();
                    if memory == passed {
                        build.store_with(value, pointer, ir::Access::aligned(alignment));
                    } else {
                        build.store_with(value, pointer, ir::Access::aligned(alignment.min(8)));
                    }
                    Place::new(pointer, alignment).volatile(variable.ty.is_volatile())
                }
                // Kernels must not write their parameters, so that they get a copy of their own.
                Passing::Object(_) | Passing::Address if kernel && !variable.grid_constant => {
                    let place = self.allocate(ty, &format!("{name}.addr"));
                    self.copy_memory(place, Place::new(value, alignment), program.size_of(ty), false);
                    place
                }
                Passing::Object(_) | Passing::Address => Place::new(value, alignment),
            };
            match place.pointer {
                ir::Value::Argument(_) => self.debug_reference(parameter, place.pointer, true),
                pointer => self.debug_local(parameter, pointer, true),
            }
            self.locals.insert(parameter, place);
        }
        if program.types.as_function(function.ty).is_some_and(|ty| ty.variadic) {
            self.variable_arguments = Some(argument());
        }
        if let (Passing::Value(_) | Passing::Object(_), None) = (self.result, self.return_place) {
            let place = if program.types.is_reference(result_type) {
                Place::new(self.allocate_memory(ir::Type::POINTER, 8, "result"), 8)
            } else {
                self.allocate(result_type, "result")
            };
            self.return_place = Some(place);
        }
    }

    fn function_body(&mut self, id: FunctionId, variant: SymbolVariant, body: &'p FunctionBody) {
        let program = self.program;
        let function = program.function(id);
        let class = match function.scope {
            Scope::Class(class) => Some(class),
            Scope::Namespace(_) | Scope::Function(_) => None,
        };
        self.find_labels(body.statement);
        if let (FunctionName::Constructor, Some(class)) = (&function.name, class) {
            self.construct_members(class, body);
        }
        if let (FunctionName::Destructor, Some(class)) = (&function.name, class) {
            self.set_virtual_pointers(class);
            // Returns lead to the destruction of members.
            let after = self.new_block("members");
            let outer = std::mem::replace(&mut self.return_block, after);
            self.statement(body.statement);
            self.branch(after);
            self.enter(after);
            self.return_block = outer;
            self.destroy_members(class);
            return;
        }
        let _ = variant;
        self.statement(body.statement);
        let falls_off = !self.is_terminated();
        // What a function does at its end is at its closing brace.
        let end = program.statement(body.statement).span.last;
        if self.result == Passing::Void && self.generator.options.line_info {
            self.location = self.location_of(end).or(self.location);
        }
        let wants_value = self.result != Passing::Void && !matches!(function.name, FunctionName::Constructor);
        if falls_off && wants_value && self.result != Passing::Address {
            // Leaving a function without its value is undefined ([stmt.return]/2); the value then is whatever the place holds.
            let block = self.return_block;
            self.branch(block);
        }
    }

    /// A destructor that does nothing but destroy the members and bases.
    fn implicit_destructor(&mut self, id: FunctionId) {
        if let Scope::Class(class) = self.program.function(id).scope {
            self.set_virtual_pointers(class);
            self.destroy_members(class);
        }
    }

    /// Members and bases of an object, before the constructor's body; virtual pointers after the bases.
    fn construct_members(&mut self, class: ClassId, body: &'p FunctionBody) {
        let program = self.program;
        let Some(this) = self.this else { return };
        let data = program.class(class);
        let object = Place::new(this, data.layout.alignment as u32);
        let delegates = body
            .initialisers
            .iter()
            .any(|initialiser| initialiser.target == MemberTarget::Whole);
        let mut pointers_set = delegates || !data.layout.dynamic;
        for initialiser in &body.initialisers {
            match initialiser.target {
                MemberTarget::Whole => self.full_initialise(initialiser.value, object),
                // The complete object makes them.
                MemberTarget::Base(base) if self.table_points.is_some() && self.is_virtual_base(class, base) => {}
                MemberTarget::Base(base) => {
                    let offset = program.base_path_offset(class, &[base]);
                    let place = self.offset(object, offset);
                    self.under_construction = self.points_for(class, base).map(|points| (place.pointer, points));
                    self.full_initialise(initialiser.value, place);
                    self.under_construction = None;
                }
                MemberTarget::Field(_) | MemberTarget::Path(..) => {
                    if !pointers_set {
                        self.set_virtual_pointers(class);
                        pointers_set = true;
                    }
                    let place = match initialiser.target {
                        MemberTarget::Field(field) => self.field_place(object, class, field),
                        MemberTarget::Path(outer, inner) => {
                            let place = self.field_place(object, class, outer);
                            match program.types.as_class(data.fields[outer.index()].ty.id) {
                                Some(inner_class) => self.field_place(place, inner_class, inner),
                                None => place,
                            }
                        }
                        MemberTarget::Whole | MemberTarget::Base(_) => object,
                    };
                    self.full_initialise(initialiser.value, place);
                }
            }
        }
        if !pointers_set {
            self.set_virtual_pointers(class);
        }
    }

    /// After a destructor's body: fields in reverse order, then bases.
    fn destroy_members(&mut self, class: ClassId) {
        let program = self.program;
        let Some(this) = self.this else { return };
        let data = program.class(class);
        let object = Place::new(this, data.layout.alignment as u32);
        if data.kind != crate::hir::ClassKind::Union {
            for (place, field) in data.fields.iter().enumerate().rev() {
                if let Some(destructor) = self.destructor_of(field.ty.id) {
                    let at = self.offset(object, data.layout.field_offsets[place]);
                    self.destroy(at.pointer, field.ty.id, destructor);
                }
            }
        }
        let direct = data.bases.iter().zip(&data.layout.base_offsets);
        let mut bases: Vec<(ClassId, u64)> = direct
            .filter(|(base, _)| !base.is_virtual)
            .map(|(base, offset)| (base.class, *offset))
            .collect();
        // Virtual bases are destroyed last, by the complete object.
        if self.table_points.is_none() {
            let own = program.virtual_bases(class).into_iter();
            bases.splice(0..0, own.map(|base| (base, program.base_path_offset(class, &[base]))));
        }
        for (base, offset) in bases.into_iter().rev() {
            if let Destructor::Function(destructor) = program.class(base).destructor {
                let at = self.offset(object, offset);
                let points = self.points_for(class, base);
                self.call_base_destructor(at.pointer, destructor, points);
            }
        }
    }

    /// The destructor of objects, or elements, of a type.
    pub(super) fn destructor_of(&self, id: TypeId) -> Option<FunctionId> {
        match self.program.types.get(id) {
            crate::hir::Type::Class(class) => match self.program.class(*class).destructor {
                Destructor::Function(function) => Some(function),
                Destructor::Trivial | Destructor::Deleted => None,
            },
            crate::hir::Type::Array(element, _) => self.destructor_of(element.id),
            _ => None,
        }
    }

    /// `D0`: destroys, then frees.
    fn deleting_destructor(&mut self, id: FunctionId) {
        let Some(this) = self.this else { return };
        self.call_destructor(this, id, SymbolVariant::Complete);
        self.free(this);
    }

    /// Ends the function: the return block, and blocks that have no end.
    fn finish(mut self, first: ir::BlockId) -> ir::Function {
        let return_block = self.return_block;
        self.branch(return_block);
        self.enter(return_block);
        let value = match (self.result, self.return_place) {
            (Passing::Value(ty), Some(place)) => {
                let access = ir::Access::aligned(place.alignment.min(16));
                Some(self.build().load_with(ty, place.pointer, access))
            }
            (Passing::Object(ty), Some(place)) => Some(self.load_aggregate(place, ty)),
            _ => None,
        };
        self.build().ret(value);
        self.finish_debug();
        ir::Builder::at_end(&mut self.body, self.entry).branch(first);
        self.remove_dead_blocks();
        self.body
    }

    fn remove_dead_blocks(&mut self) {
        let mut reached = vec![false; self.body.block_limit()];
        let mut work = vec![self.entry];
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut reached[ir::Entity::index(block)], true) {
                work.extend(self.body.successors(block));
            }
        }
        let dead: Vec<ir::BlockId> = self
            .body
            .blocks()
            .filter(|&block| !reached[ir::Entity::index(block)])
            .collect();
        for &block in &dead {
            for successor in self.body.successors(block) {
                self.body.remove_phi_entries(successor, block);
            }
        }
        for &block in &dead {
            self.body.remove_block(block);
        }
        let live: Vec<ir::BlockId> = self.body.blocks().collect();
        for block in live {
            if self.body.terminator(block).is_none() {
                ir::Builder::at_end(&mut self.body, block).unreachable();
            }
        }
    }
}
