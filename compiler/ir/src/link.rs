//! Linking: what one module defines is brought into another, and names that are the same become one thing.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use warpsmith_base::Diagnostic;

use crate::attributes::ParameterAttributes;
use crate::constant::{Constant, ConstantExpression, ConstantId};
use crate::context::{Context, Symbol};
use crate::function::Translate;
use crate::instruction::{Attachments, Call, Callee, Instruction, Value};
use crate::location::{Location, LocationId};
use crate::module::{Alias, AliasId, Declaration, FunctionId, Global, GlobalId, Linkage, Module, SymbolId};
use crate::types::{FunctionType, Type};

/// How much of a module is brought in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// All of it.
    All,
    /// What is declared in the module that it is brought into, and what that needs: for libraries.
    Needed,
}

impl Module {
    /// Brings definitions of another module into this one.
    ///
    /// Of two definitions of one name that may be replaced (`weak`, `linkonce` …) the one here stays; a definition that may not be replaced wins over one that may.
    /// Local symbols get other names where theirs are taken. Arrays of `appending` linkage are joined.
    ///
    /// # Errors
    /// Names that are defined in both modules, or are different things in them. The module is not changed then.
    pub fn link(&mut self, other: &Module, wanted: Wanted) -> Result<(), Vec<Diagnostic>> {
        let mut linker = Linker {
            from: other,
            context: self.context().clone(),
            needed: Needed::default(),
            types: FxHashMap::default(),
            constants: FxHashMap::default(),
            globals: FxHashMap::default(),
            functions: FxHashMap::default(),
            aliases: FxHashMap::default(),
            locations: FxHashMap::default(),
            first_scope: self.first_free_scope(),
            fresh_functions: FxHashSet::default(),
            fresh_globals: FxHashSet::default(),
        };
        linker.find_needed(self, wanted);
        let problems = linker.conflicts(self);
        if !problems.is_empty() {
            return Err(problems);
        }
        linker.enter_symbols(self);
        linker.bring(self);
        for line in &other.symbols.properties.assembly {
            if wanted == Wanted::All {
                self.symbols.properties.assembly.push(line.clone());
            }
        }
        Ok(())
    }

    fn first_free_scope(&self) -> u32 {
        let bodies = self.bodies.as_slice().iter().flatten();
        let attached = bodies.flat_map(|body| body.all_instructions().filter_map(|id| body.attachments(id)));
        let scopes =
            attached.flat_map(|attachments| attachments.alias_scopes.iter().chain(&attachments.noalias_scopes));
        scopes.max().map_or(0, |&scope| scope.saturating_add(1))
    }
}

/// What of the other module is brought in.
#[derive(Default)]
struct Needed {
    globals: FxHashSet<GlobalId>,
    functions: FxHashSet<FunctionId>,
    aliases: FxHashSet<AliasId>,
    /// Symbols whose own needs have not been looked at.
    open: Vec<SymbolId>,
}

impl Needed {
    fn add(&mut self, symbol: SymbolId) {
        let new = match symbol {
            SymbolId::Global(id) => self.globals.insert(id),
            SymbolId::Function(id) => self.functions.insert(id),
            SymbolId::Alias(id) => self.aliases.insert(id),
        };
        if new {
            self.open.push(symbol);
        }
    }
}

struct Linker<'f> {
    from: &'f Module,
    context: Arc<Context>,
    needed: Needed,
    types: FxHashMap<Type, Type>,
    constants: FxHashMap<ConstantId, ConstantId>,
    globals: FxHashMap<GlobalId, GlobalId>,
    functions: FxHashMap<FunctionId, FunctionId>,
    aliases: FxHashMap<AliasId, AliasId>,
    locations: FxHashMap<LocationId, LocationId>,
    first_scope: u32,
    /// Functions and variables that were entered by this link and have nothing but a name yet.
    fresh_functions: FxHashSet<FunctionId>,
    fresh_globals: FxHashSet<GlobalId>,
}

/// What becomes of a symbol that both modules have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// The one here stays.
    Keep,
    /// The other's takes its place.
    Replace,
    /// Both are definitions that may not be replaced.
    Conflict,
}

fn choose(here_defined: bool, here: Linkage, other_defined: bool, other: Linkage) -> Choice {
    let replaceable =
        |linkage: Linkage| linkage.is_discardable() || linkage.is_interposable() || matches!(linkage, Linkage::WeakOdr);
    match (here_defined, other_defined) {
        (_, false) => Choice::Keep,
        (false, true) => Choice::Replace,
        (true, true) if here == Linkage::AvailableExternally => Choice::Replace,
        (true, true) if replaceable(other) => Choice::Keep,
        (true, true) if replaceable(here) => Choice::Replace,
        (true, true) => Choice::Conflict,
    }
}

impl Linker<'_> {
    fn find_needed(&mut self, into: &Module, wanted: Wanted) {
        let from = self.from;
        let undefined = |name: &str| match into.symbols.lookup(name) {
            Some(SymbolId::Function(id)) => into.body(id).is_none(),
            Some(SymbolId::Global(id)) => into.symbols.globals[id].initializer.is_none(),
            Some(SymbolId::Alias(_)) | None => false,
        };
        let take = |name: &str, linkage: Linkage| wanted == Wanted::All || (!linkage.is_local() && undefined(name));
        for (id, function) in from.functions() {
            if take(&function.name, function.linkage) && (wanted == Wanted::All || from.body(id).is_some()) {
                self.needed.add(SymbolId::Function(id));
            }
        }
        for (id, global) in from.globals() {
            if take(&global.name, global.linkage) {
                self.needed.add(SymbolId::Global(id));
            }
        }
        for (id, alias) in from.symbols.aliases.iter() {
            if take(&alias.name, alias.linkage) {
                self.needed.add(SymbolId::Alias(id));
            }
        }
        while let Some(symbol) = self.needed.open.pop() {
            match symbol {
                SymbolId::Global(id) => {
                    if let Some(initializer) = from.symbols.globals[id].initializer {
                        self.need_constant(initializer);
                    }
                }
                SymbolId::Alias(id) => self.need_constant(from.symbols.aliases[id].target),
                SymbolId::Function(id) => self.need_body(id),
            }
        }
    }

    fn need_body(&mut self, id: FunctionId) {
        let Some(body) = self.from.body(id) else { return };
        for instruction in body.all_instructions() {
            let instruction = body.instruction(instruction);
            for operand in instruction.operands() {
                if let Value::Constant(constant) = operand {
                    self.need_constant(constant);
                }
            }
            if let Instruction::Call(call) = instruction
                && let Callee::Function(callee) = call.callee
            {
                self.needed.add(SymbolId::Function(callee));
            }
        }
    }

    fn need_constant(&mut self, constant: ConstantId) {
        let mut open = vec![constant];
        let mut seen = FxHashSet::default();
        while let Some(constant) = open.pop() {
            if !seen.insert(constant) {
                continue;
            }
            match self.from.context().constant(constant) {
                Constant::Global { global, .. } => self.needed.add(SymbolId::Global(*global)),
                Constant::Function(function) | Constant::Block { function, .. } => {
                    self.needed.add(SymbolId::Function(*function))
                }
                Constant::Alias { alias, .. } => self.needed.add(SymbolId::Alias(*alias)),
                Constant::Aggregate { elements, .. } => open.extend(elements.iter()),
                Constant::Expression(ConstantExpression::Gep { base, indices, .. }) => {
                    open.push(*base);
                    open.extend(indices.iter());
                }
                Constant::Expression(ConstantExpression::Cast { operand, .. }) => open.push(*operand),
                Constant::Expression(ConstantExpression::Binary { left, right, .. }) => open.extend([left, right]),
                _ => {}
            }
        }
    }

    /// Names that cannot be brought together.
    fn conflicts(&mut self, into: &Module) -> Vec<Diagnostic> {
        let from = self.from;
        let mut problems = Vec::new();
        let mut conflict =
            |name: &str, message: &str| problems.push(Diagnostic::error(message).about(format!("symbol @{name}")));
        for (id, function) in from.functions().filter(|(id, _)| self.needed.functions.contains(id)) {
            match visible(into, &function.name, function.linkage) {
                Some(SymbolId::Function(here)) => {
                    let known = &into.symbols.functions[here];
                    let (defined, other) = (into.body(here).is_some(), from.body(id).is_some());
                    if choose(defined, known.linkage, other, function.linkage) == Choice::Conflict {
                        conflict(&function.name, "two modules define this function");
                    }
                }
                Some(_) => conflict(
                    &function.name,
                    "this is a function in one module and a variable in another",
                ),
                None => {}
            }
        }
        for (_, global) in from.globals().filter(|(id, _)| self.needed.globals.contains(id)) {
            match visible(into, &global.name, global.linkage) {
                Some(SymbolId::Global(here)) => {
                    let known = &into.symbols.globals[here];
                    let both = (known.initializer.is_some(), global.initializer.is_some());
                    let joined = known.linkage == Linkage::Appending && global.linkage == Linkage::Appending;
                    if !joined && choose(both.0, known.linkage, both.1, global.linkage) == Choice::Conflict {
                        conflict(&global.name, "two modules define this variable");
                    }
                    if known.space != global.space {
                        conflict(
                            &global.name,
                            "this variable is in different address spaces in two modules",
                        );
                    }
                }
                Some(_) => conflict(
                    &global.name,
                    "this is a variable in one module and a function in another",
                ),
                None => {}
            }
        }
        for (_, alias) in from
            .symbols
            .aliases
            .iter()
            .filter(|(id, _)| self.needed.aliases.contains(id))
        {
            if visible(into, &alias.name, alias.linkage).is_some() {
                conflict(&alias.name, "this alias has the name of a symbol of another module");
            }
        }
        problems
    }

    /// Gives each symbol that is brought in its number here.
    fn enter_symbols(&mut self, into: &mut Module) {
        let from = self.from;
        for (id, function) in from.functions().filter(|(id, _)| self.needed.functions.contains(id)) {
            let here = match visible(into, &function.name, function.linkage) {
                Some(SymbolId::Function(here)) => here,
                _ => {
                    make_room(into, &function.name, function.linkage);
                    let ty = self.context.function_type(Type::Void, &[], false);
                    let new = into.add_function(Declaration::new(&self.context, function.name.clone(), ty));
                    self.fresh_functions.insert(new);
                    new
                }
            };
            self.functions.insert(id, here);
        }
        for (id, global) in from.globals().filter(|(id, _)| self.needed.globals.contains(id)) {
            let here = match visible(into, &global.name, global.linkage) {
                Some(SymbolId::Global(here)) => here,
                _ => {
                    make_room(into, &global.name, global.linkage);
                    let new = into
                        .symbols
                        .add_global(Global::new(global.name.clone(), Type::I8, global.space));
                    self.fresh_globals.insert(new);
                    new
                }
            };
            self.globals.insert(id, here);
        }
        for (id, alias) in from
            .symbols
            .aliases
            .iter()
            .filter(|(id, _)| self.needed.aliases.contains(id))
        {
            make_room(into, &alias.name, alias.linkage);
            let target = self.context.null(alias.space);
            let new = Alias {
                name: alias.name.clone(),
                ty: Type::I8,
                space: alias.space,
                linkage: alias.linkage,
                target,
            };
            self.aliases.insert(id, into.symbols.add_alias(new));
        }
    }

    /// Fills the symbols that were entered.
    fn bring(&mut self, into: &mut Module) {
        let from = self.from;
        for (id, function) in from.functions() {
            let Some(&here) = self.functions.get(&id) else { continue };
            let known = &into.symbols.functions[here];
            let fresh = self.fresh_functions.contains(&here);
            let choice = choose(
                into.body(here).is_some(),
                known.linkage,
                from.body(id).is_some(),
                function.linkage,
            );
            if !fresh && choice == Choice::Keep {
                continue;
            }
            let name = known.name.clone();
            let mut declaration = function.clone();
            declaration.name = name;
            let Type::Function(ty) = self.ty(Type::Function(function.ty)) else {
                continue;
            };
            declaration.ty = ty;
            declaration
                .parameters
                .iter_mut()
                .for_each(|attributes| self.parameter(attributes));
            self.parameter(&mut declaration.result_attributes);
            into.symbols.functions[here] = declaration;
            if let Some(body) = from.body(id) {
                let body = body.translated(here, ty, self);
                into.set_body(body);
            }
        }
        for (id, global) in from.globals() {
            let Some(&here) = self.globals.get(&id) else { continue };
            self.bring_variable(into, global, here);
        }
        for (id, alias) in from.symbols.aliases.iter() {
            let Some(&here) = self.aliases.get(&id) else { continue };
            let (ty, target) = (self.ty(alias.ty), self.constant(alias.target));
            let slot = &mut into.symbols.aliases[here];
            (slot.ty, slot.target) = (ty, target);
        }
    }

    fn bring_variable(&mut self, into: &mut Module, global: &Global, here: GlobalId) {
        let known = &into.symbols.globals[here];
        let initializer = global.initializer.map(|initializer| self.constant(initializer));
        let ty = self.ty(global.ty);
        if known.linkage == Linkage::Appending && global.linkage == Linkage::Appending {
            let joined = self.joined(known.initializer, initializer);
            let slot = &mut into.symbols.globals[here];
            if let Some(joined) = joined {
                slot.ty = self.context.constant_type(joined);
                slot.initializer = Some(joined);
            }
            return;
        }
        let choice = choose(
            known.initializer.is_some(),
            known.linkage,
            initializer.is_some(),
            global.linkage,
        );
        if choice == Choice::Keep && !self.fresh_globals.contains(&here) {
            return;
        }
        let name = known.name.clone();
        into.symbols.globals[here] = Global {
            name,
            ty,
            initializer,
            ..global.clone()
        };
    }

    fn joined(&self, here: Option<ConstantId>, other: Option<ConstantId>) -> Option<ConstantId> {
        let mut elements = Vec::new();
        let mut element_type = None;
        for part in [here?, other?] {
            let Type::Array(array) = self.context.constant_type(part) else {
                return None;
            };
            let parts = self.context.array_parts(array);
            element_type = Some(parts.element);
            elements.extend((0..parts.length).filter_map(|index| self.context.constant_element(part, index)));
        }
        let ty = self.context.array(element_type?, elements.len() as u64);
        Some(self.context.aggregate(ty, &elements))
    }

    fn parameter(&mut self, attributes: &mut ParameterAttributes) {
        attributes.byval = attributes.byval.map(|ty| self.ty(ty));
        attributes.sret = attributes.sret.map(|ty| self.ty(ty));
    }

    fn function_type(&mut self, ty: FunctionType) -> FunctionType {
        match self.ty(Type::Function(ty)) {
            Type::Function(ty) => ty,
            _ => ty,
        }
    }

    fn new_constant(&mut self, constant: ConstantId) -> ConstantId {
        let context = self.context.clone();
        match self.from.context().constant(constant) {
            Constant::Int(value) => context.integer(value.clone()),
            Constant::Float { ty, bits } => context.float(*ty, *bits),
            Constant::Null(space) => context.null(*space),
            Constant::Zero(ty) => context.zero(self.ty(*ty)),
            Constant::Undef(ty) => context.undef(self.ty(*ty)),
            Constant::Poison(ty) => context.poison(self.ty(*ty)),
            Constant::Aggregate { ty, elements } => {
                let elements: Vec<ConstantId> = elements.iter().map(|&element| self.constant(element)).collect();
                context.aggregate(self.ty(*ty), &elements)
            }
            Constant::Bytes { bytes, .. } => context.bytes(bytes),
            // What a needed constant names is needed, and so has been entered.
            Constant::Global { global, space } => {
                context.global_address(self.globals.get(global).copied().unwrap_or(*global), *space)
            }
            Constant::Function(function) => {
                context.function_address(self.functions.get(function).copied().unwrap_or(*function))
            }
            Constant::Alias { alias, space } => {
                context.alias_address(self.aliases.get(alias).copied().unwrap_or(*alias), *space)
            }
            Constant::Block { function, block } => {
                context.block_address(self.functions.get(function).copied().unwrap_or(*function), *block)
            }
            Constant::Expression(expression) => {
                let expression = match expression {
                    ConstantExpression::Gep {
                        flags,
                        source,
                        base,
                        indices,
                    } => ConstantExpression::Gep {
                        flags: *flags,
                        source: self.ty(*source),
                        base: self.constant(*base),
                        indices: indices.iter().map(|&index| self.constant(index)).collect(),
                    },
                    ConstantExpression::Cast { op, operand, ty } => ConstantExpression::Cast {
                        op: *op,
                        operand: self.constant(*operand),
                        ty: self.ty(*ty),
                    },
                    ConstantExpression::Binary { op, left, right } => ConstantExpression::Binary {
                        op: *op,
                        left: self.constant(*left),
                        right: self.constant(*right),
                    },
                };
                context.expression(expression)
            }
            Constant::Metadata(text) => context.metadata(text),
            Constant::NoToken => context.zero(Type::Token),
        }
    }
}

impl Translate for Linker<'_> {
    fn context(&self) -> Arc<Context> {
        self.context.clone()
    }

    fn ty(&mut self, ty: Type) -> Type {
        if let Some(&known) = self.types.get(&ty) {
            return known;
        }
        let from = self.from.context();
        let new = match ty {
            Type::Vector(vector) => {
                let parts = from.vector_parts(vector);
                let element = self.ty(parts.element);
                self.context.vector(element, parts.length)
            }
            Type::Array(array) => {
                let parts = from.array_parts(array);
                let element = self.ty(parts.element);
                self.context.array(element, parts.length)
            }
            Type::Struct(structure) => {
                let data = from.struct_data(structure);
                let fields: Vec<Type> = data.fields.iter().map(|&field| self.ty(field)).collect();
                self.context.structure(&fields, data.packed)
            }
            Type::Function(function) => {
                let data = from.function_data(function);
                let parameters: Vec<Type> = data.parameters.iter().map(|&parameter| self.ty(parameter)).collect();
                let result = self.ty(data.result);
                Type::Function(self.context.function_type(result, &parameters, data.variadic))
            }
            simple => simple,
        };
        self.types.insert(ty, new);
        new
    }

    fn constant(&mut self, constant: ConstantId) -> ConstantId {
        if let Some(&known) = self.constants.get(&constant) {
            return known;
        }
        let new = self.new_constant(constant);
        self.constants.insert(constant, new);
        new
    }

    fn call(&mut self, call: &mut Call) {
        call.ty = self.function_type(call.ty);
        match &mut call.callee {
            Callee::Function(function) => *function = self.functions.get(function).copied().unwrap_or(*function),
            Callee::Intrinsic(_, overloads) => overloads.iter_mut().for_each(|ty| *ty = self.ty(*ty)),
            Callee::Indirect(_) | Callee::Assembly(_) => {}
        }
        call.argument_attributes
            .iter_mut()
            .for_each(|attributes| self.parameter(attributes));
        if let Some(attributes) = &mut call.result_attributes {
            self.parameter(attributes);
        }
    }

    fn location(&mut self, location: LocationId) -> LocationId {
        // From the outermost call inwards, so that nothing recurses.
        let from = self.from.context();
        let mut chain = vec![location];
        while let Some(outer) = chain.last().and_then(|&last| from.location_data(last).inlined_at) {
            if self.locations.contains_key(&outer) {
                break;
            }
            chain.push(outer);
        }
        let mut new = location;
        for id in chain.into_iter().rev() {
            let data = *from.location_data(id);
            let (file, function) = (self.symbol(data.file), self.symbol(data.function));
            let inlined_at = data.inlined_at.and_then(|outer| self.locations.get(&outer).copied());
            new = self.context.location(Location {
                file,
                function,
                inlined_at,
                ..data
            });
            self.locations.insert(id, new);
        }
        new
    }

    fn symbol(&mut self, symbol: Symbol) -> Symbol {
        self.context.symbol(self.from.context().text(symbol))
    }

    fn attachments(&mut self, attachments: &mut Attachments) {
        let first = self.first_scope;
        let scopes = attachments
            .alias_scopes
            .iter_mut()
            .chain(&mut attachments.noalias_scopes);
        scopes.for_each(|scope| *scope = scope.saturating_add(first));
    }
}

/// The symbol of a name that another module's symbol of that name and linkage is.
fn visible(into: &Module, name: &str, linkage: Linkage) -> Option<SymbolId> {
    if linkage.is_local() {
        return None;
    }
    let symbol = into.symbols.lookup(name)?;
    (!linkage_of(into, symbol).is_local()).then_some(symbol)
}

fn linkage_of(module: &Module, symbol: SymbolId) -> Linkage {
    match symbol {
        SymbolId::Global(id) => module.symbols.globals[id].linkage,
        SymbolId::Function(id) => module.symbols.functions[id].linkage,
        SymbolId::Alias(id) => module.symbols.aliases[id].linkage,
    }
}

/// Takes its name from a local symbol, for one that others see.
fn make_room(into: &mut Module, name: &str, linkage: Linkage) {
    if linkage.is_local() {
        return;
    }
    if let Some(symbol) = into.symbols.lookup(name) {
        let new = format!("{name}.local");
        into.symbols.rename(symbol, &new);
    }
}
