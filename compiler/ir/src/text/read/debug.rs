//! Reading what a debugger is told of variables: calls of `llvm.dbg.*` and debug records become places in memory, scopes the stretches between the first and the
//! last line that code has in them.
//!
//! A variable whose memory is an `alloca` is there. One that is known by an address gets memory for that address, and one that is known by its values
//! (`llvm.dbg.value`) gets memory that each of them is stored to: code for a debugger is not optimised, and a value has no other place that lasts.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::body::{Body, Outcome};
use super::lexer::Kind;
use super::metadata::Metadata;
use super::{Reader, Result};
use crate::constant::Constant;
use crate::debug::{
    DebugFunction, DebugInfo, DebugMemory, DebugPlace, DebugScope, DebugScopeId, DebugType, DebugTypeId, DebugVariable,
};
use crate::function::{Function, InstructionId};
use crate::instruction::{Access, Instruction, Value};
use crate::module::{FunctionId, GlobalId};
use crate::opcode::{BinaryOp, CastOp, Flags, GepFlags};
use crate::types::{AddressSpace, Type};
use crate::verify::dominance::Dominance;

/// How many scopes are in each other at most.
const DEEPEST_SCOPE: usize = 200;

/// The alignment of the memory that values get.
const SLOT_ALIGN: u32 = 16;

/// What is known so far of the module.
#[derive(Default)]
pub(super) struct Debugging {
    pub(super) info: DebugInfo,
    /// Types by the numbers of their nodes.
    pub(super) types: FxHashMap<u32, Option<DebugTypeId>>,
    /// Records whose members are still to be read, with their nodes.
    pub(super) records: Vec<(DebugTypeId, u32)>,
    /// What was attached to variables.
    globals: Vec<(GlobalId, Metadata)>,
    /// What was attached to the function whose header was read last.
    subprogram: Option<Metadata>,
}

/// Code of a scope: of the function itself, or of one that was copied to where `inlined_at` says. By the numbers of the nodes.
type Instance = (u32, Option<u32>);

/// What is known so far of the function that is being read.
pub(super) struct Told {
    subprogram: Option<Metadata>,
    variables: Vec<Placed>,
    known: FxHashMap<Instance, usize>,
    /// The first and last place of code in each scope.
    stretches: FxHashMap<Instance, (DebugPlace, DebugPlace)>,
    /// Locations that have been looked at.
    seen: FxHashSet<u32>,
    /// What was added to the code.
    added: Vec<InstructionId>,
    /// What was said last, until its location is known.
    pub(super) note: Option<Note>,
}

/// A variable that code was said to know.
struct Placed {
    instance: Instance,
    home: Home,
}

/// What is in the memory of a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    /// The variable.
    Memory(InstructionId),
    /// Its address.
    Address(InstructionId),
    /// The values that it was said to have, in so many bytes.
    Values(InstructionId, u64),
}

/// `llvm.dbg.declare` and the like, as read.
pub(super) struct Note {
    /// Whether the operand is an address for as long as the variable lives.
    declares: bool,
    /// `None` where nothing is known.
    operand: Option<Value>,
    variable: u32,
    expression: Metadata,
    place: usize,
    /// Of a record, which has no attachment.
    location: Option<Metadata>,
}

/// An expression of places, as far as it is understood.
#[derive(Default)]
struct Steps {
    add: i128,
    dereference: bool,
    /// The first bit and the number of bits.
    fragment: Option<(u64, u64)>,
}

impl Told {
    fn new(subprogram: Option<Metadata>) -> Told {
        Told {
            subprogram,
            variables: Vec::new(),
            known: FxHashMap::default(),
            stretches: FxHashMap::default(),
            seen: FxHashSet::default(),
            added: Vec::new(),
            note: None,
        }
    }
}

impl Reader<'_> {
    // What is attached.

    /// `!dbg` of a variable.
    pub(super) fn debug_attached_to_variable(&mut self, global: GlobalId, node: Metadata) {
        if let Some(debug) = &mut self.debug {
            debug.globals.push((global, node));
        }
    }

    /// `!dbg` of a function.
    pub(super) fn debug_attached_to_function(&mut self, node: Metadata) {
        if let Some(debug) = &mut self.debug {
            debug.subprogram = Some(node);
        }
    }

    /// What a body that is being read will say, if somebody wants to know.
    pub(super) fn debug_begins(&mut self) -> Option<Box<Told>> {
        let debug = self.debug.as_mut()?;
        Some(Box::new(Told::new(debug.subprogram.take())))
    }

    // What the code says.

    /// A call of `llvm.dbg.*`, from its arguments on.
    pub(super) fn debug_call(&mut self, body: &mut Body, name: &str) -> Result<Outcome> {
        self.debug_note(body, name.trim_start_matches("llvm.dbg."), false)?;
        self.function_attributes()?;
        Ok(Outcome::Nothing)
    }

    /// A record of debug information.
    pub(super) fn debug_record(&mut self, body: &mut Body) -> Result<()> {
        let name = self.text();
        self.bump();
        self.debug_note(body, name.trim_start_matches("#dbg_"), true)?;
        self.debug_said(body, None)
    }

    fn debug_note(&mut self, body: &mut Body, kind: &str, is_record: bool) -> Result<()> {
        let place = self.place();
        let declares = match kind {
            "declare" => true,
            "value" | "assign" | "declare_value" => false,
            // Labels, and what old versions had besides.
            _ => {
                self.skip_brackets();
                return Ok(());
            }
        };
        self.expect(b'(')?;
        let operand = self.debug_operand(body)?;
        let mut nodes = Vec::new();
        while self.eat(b',') {
            self.eat_word("metadata");
            if self.kind() == Kind::Metadata {
                nodes.push(self.metadata()?);
            } else {
                // An offset, which is 0, and the address of `assign`.
                self.typed_value(body)?;
            }
        }
        self.expect(b')')?;
        let location = if is_record { nodes.pop() } else { None };
        let [Metadata::Node(variable), expression, ..] = &nodes[..] else {
            return Err(self.error_at(place, "debug information of this form is not supported"));
        };
        if let Some(told) = &mut body.told {
            told.note = Some(Note {
                declares,
                operand,
                variable: *variable,
                expression: expression.clone(),
                place,
                location,
            });
        }
        Ok(())
    }

    /// What a variable is said to be; `None` where that is nothing.
    fn debug_operand(&mut self, body: &mut Body) -> Result<Option<Value>> {
        self.eat_word("metadata");
        if self.kind() == Kind::Metadata {
            if self.text() == "!DIArgList" || self.text() == "!" {
                let place = self.place();
                let is_list = self.text() == "!DIArgList";
                self.bump();
                self.skip_brackets();
                let empty = self.place() <= place + 3;
                if is_list && !empty {
                    return Err(self.error_at(place, "a variable that is computed of several values is not supported"));
                }
            } else {
                self.metadata()?;
            }
            return Ok(None);
        }
        let value = self.typed_value(body)?;
        let is_nothing = match value {
            Value::Constant(id) => matches!(self.context.constant(id), Constant::Undef(_) | Constant::Poison(_)),
            Value::Argument(_) | Value::Instruction(_) => false,
        };
        Ok(Some(value).filter(|_| !is_nothing))
    }

    /// The location of what was read last is known, too.
    pub(super) fn debug_said(&mut self, body: &mut Body, location: Option<&Metadata>) -> Result<()> {
        let Some(note) = body.told.as_mut().and_then(|told| told.note.take()) else {
            return Ok(());
        };
        let location = note.location.as_ref().or(location);
        let inlined_at = location.and_then(|location| self.node_field(location, "inlinedAt"));
        if let Some(location) = location.cloned() {
            self.location(&location);
            self.debug_located(body, &location);
        }
        let instance = (note.variable, inlined_at);
        let Some(operand) = note.operand else { return Ok(()) };
        let steps = self.debug_steps(&note)?;
        let known = body.told.as_ref().and_then(|told| {
            let index = *told.known.get(&instance)?;
            Some(told.variables[index].home)
        });
        let home = match note.declares {
            true => self.debug_declared(body, &note, operand, &steps, known)?,
            false => self.debug_has_value(body, &note, operand, &steps, known)?,
        };
        if let (None, Some(told)) = (known, &mut body.told) {
            told.known.insert(instance, told.variables.len());
            told.variables.push(Placed { instance, home });
        }
        Ok(())
    }

    fn debug_refused(&self, note: &Note, what: &str) -> Box<warpsmith_base::Diagnostic> {
        let variable = Metadata::Node(note.variable);
        let name = self.text_field(&variable, "name").unwrap_or("");
        let message = format!("the place of the variable {name} cannot be told to a debugger: {what}");
        self.error_at(note.place, message)
    }

    fn debug_steps(&self, note: &Note) -> Result<Steps> {
        let mut steps = Steps::default();
        let Metadata::Record { fields, .. } = self.follow(&note.expression) else {
            return Ok(steps);
        };
        let number = |index: usize| match fields.get(index) {
            Some((_, Metadata::Number(number))) => Some(*number),
            _ => None,
        };
        let word = |index: usize| match fields.get(index) {
            Some((_, Metadata::Word(word))) => &**word,
            _ => "",
        };
        let mut at = 0;
        while at < fields.len() {
            at += match (word(at), number(at + 1)) {
                ("DW_OP_stack_value", _) => 1,
                ("DW_OP_deref", _) if !steps.dereference => {
                    steps.dereference = true;
                    1
                }
                ("DW_OP_plus_uconst", Some(number)) if !steps.dereference => {
                    steps.add += number;
                    2
                }
                ("DW_OP_constu" | "DW_OP_consts", Some(number))
                    if matches!(word(at + 2), "DW_OP_plus" | "DW_OP_minus") && !steps.dereference =>
                {
                    steps.add += if word(at + 2) == "DW_OP_plus" { number } else { -number };
                    3
                }
                // The space of the address, in the debugger's numbers, which is known here.
                ("DW_OP_constu", Some(_)) if word(at + 2) == "DW_OP_swap" && word(at + 3) == "DW_OP_xderef" => 4,
                ("DW_OP_LLVM_fragment", Some(first)) => {
                    let bits = number(at + 2).unwrap_or(0);
                    steps.fragment = u64::try_from(first).ok().zip(u64::try_from(bits).ok());
                    3
                }
                (other, _) => {
                    return Err(self.debug_refused(note, &format!("{other} in its expression is not supported")));
                }
            };
        }
        Ok(steps)
    }

    fn debug_declared(
        &mut self,
        body: &mut Body,
        note: &Note,
        address: Value,
        steps: &Steps,
        known: Option<Home>,
    ) -> Result<Home> {
        if steps.fragment.is_some() {
            return Err(self.debug_refused(note, "its parts are in several places"));
        }
        let alloca = match address {
            Value::Instruction(id) if matches!(body.function.instruction(id), Instruction::Alloca { .. }) => Some(id),
            _ => None,
        };
        let home = match (alloca, steps.dereference) {
            (Some(alloca), false) if steps.add == 0 => Home::Memory(alloca),
            (Some(alloca), true) if steps.add == 0 => Home::Address(alloca),
            (_, true) => return Err(self.debug_refused(note, "its address is loaded from an address")),
            (_, false) => return self.debug_address(body, note, address, steps.add, known),
        };
        match known.is_none_or(|known| known == home) {
            true => Ok(home),
            false => Err(self.debug_refused(note, "it has several")),
        }
    }

    /// The variable is at an address, which is kept in memory.
    fn debug_address(
        &mut self,
        body: &mut Body,
        note: &Note,
        address: Value,
        add: i128,
        known: Option<Home>,
    ) -> Result<Home> {
        let slot = match known {
            None => self.debug_slot(body, 8),
            Some(Home::Address(slot)) => slot,
            Some(Home::Memory(_) | Home::Values(..)) => return Err(self.debug_refused(note, "it has several")),
        };
        let mut address = self.debug_plus(body, note, address, add)?;
        if !matches!(body.function.type_of(address), Type::Pointer(AddressSpace::GENERIC)) {
            let cast = Instruction::Cast {
                op: CastOp::AddrSpaceCast,
                flags: Flags::default(),
                operand: address,
            };
            address = self.debug_add(body, cast, Type::POINTER);
        }
        self.debug_store(body, address, slot, 0);
        Ok(Home::Address(slot))
    }

    fn debug_has_value(
        &mut self,
        body: &mut Body,
        note: &Note,
        value: Value,
        steps: &Steps,
        known: Option<Home>,
    ) -> Result<Home> {
        if steps.dereference {
            if steps.fragment.is_some() {
                return Err(self.debug_refused(note, "its parts are in several places"));
            }
            return self.debug_address(body, note, value, steps.add, known);
        }
        let mut value = self.debug_plus(body, note, value, steps.add)?;
        if body.function.type_of(value) == Type::BOOL {
            let cast = Instruction::Cast {
                op: CastOp::ZExt,
                flags: Flags::default(),
                operand: value,
            };
            value = self.debug_add(body, cast, Type::I8);
        }
        let (first, bits) = steps.fragment.unwrap_or((0, 0));
        if first % 8 != 0 || bits % 8 != 0 {
            return Err(self.debug_refused(note, "a part of it is no whole bytes"));
        }
        let end = first / 8 + self.context.store_size(body.function.type_of(value));
        let (slot, size) = match known {
            None => {
                let ty = self.field_of(&Metadata::Node(note.variable), "type").cloned();
                let size = ty.map_or(0, |ty| self.debug_size(&ty)).max(end);
                (self.debug_slot(body, size), size)
            }
            Some(Home::Values(slot, size)) => (slot, size),
            Some(Home::Memory(_) | Home::Address(_)) => return Err(self.debug_refused(note, "it has several")),
        };
        if end > size {
            return Err(self.debug_refused(note, "a value is larger than its type"));
        }
        self.debug_store(body, value, slot, first / 8);
        Ok(Home::Values(slot, size))
    }

    /// Adds an instruction where the code is read.
    fn debug_add(&mut self, body: &mut Body, instruction: Instruction, ty: Type) -> Value {
        let id = body.function.append(body.block, instruction, ty);
        if let Some(told) = &mut body.told {
            told.added.push(id);
        }
        Value::Instruction(id)
    }

    fn debug_plus(&mut self, body: &mut Body, note: &Note, value: Value, add: i128) -> Result<Value> {
        let ty = body.function.type_of(value);
        let instruction = match ty {
            _ if add == 0 => return Ok(value),
            Type::Int(bits) => Instruction::Binary {
                op: BinaryOp::Add,
                flags: Flags::default(),
                left: value,
                right: Value::Constant(self.context.int(bits, add)),
            },
            Type::Pointer(_) => Instruction::Gep {
                flags: GepFlags::default(),
                source: Type::I8,
                base: value,
                indices: SmallVec::from_slice(&[Value::Constant(self.context.int(64, add))]),
            },
            _ => return Err(self.debug_refused(note, "a sum that is none of integers or addresses")),
        };
        Ok(self.debug_add(body, instruction, ty))
    }

    /// Memory of the function.
    fn debug_slot(&mut self, body: &mut Body, bytes: u64) -> InstructionId {
        let ty = self.context.array(Type::I8, bytes.max(1));
        let alloca = Instruction::Alloca {
            ty,
            count: Value::Constant(self.context.int(32, 1)),
            align: SLOT_ALIGN,
        };
        let entry = body.function.entry().unwrap_or(body.block);
        body.function.prepend(entry, alloca, Type::POINTER)
    }

    fn debug_store(&mut self, body: &mut Body, value: Value, slot: InstructionId, offset: u64) {
        let mut pointer = Value::Instruction(slot);
        if offset > 0 {
            let step = Instruction::Gep {
                flags: GepFlags::default(),
                source: Type::I8,
                base: pointer,
                indices: SmallVec::from_slice(&[Value::Constant(self.context.int(64, i128::from(offset)))]),
            };
            pointer = self.debug_add(body, step, Type::POINTER);
        }
        let align = match offset {
            0 => SLOT_ALIGN,
            _ => SLOT_ALIGN.min(1 << offset.trailing_zeros().min(4)),
        };
        let store = Instruction::Store {
            pointer,
            value,
            access: Access::aligned(align),
        };
        self.debug_add(body, store, Type::Void);
    }

    // Scopes.

    fn node_field(&self, node: &Metadata, key: &str) -> Option<u32> {
        match self.field_of(node, key) {
            Some(Metadata::Node(number)) => Some(*number),
            _ => None,
        }
    }

    fn record_name(&self, number: u32) -> &str {
        match self.nodes.get(&number) {
            Some(Metadata::Record { name, .. }) => name,
            _ => "",
        }
    }

    /// Code is at a place: the scopes around it reach so far.
    pub(super) fn debug_located(&mut self, body: &mut Body, location: &Metadata) {
        let Some(told) = &mut body.told else { return };
        let mut next = Some(location.clone());
        while let Some(node) = next {
            if let Metadata::Node(number) = node
                && !told.seen.insert(number)
            {
                return;
            }
            let inlined_at = self.node_field(&node, "inlinedAt");
            let number = |key| self.field_of(&node, key).and_then(|value| self.number_of(value));
            let place = number("line").unwrap_or(0).try_into().unwrap_or(0);
            let column = number("column").unwrap_or(0).try_into().unwrap_or(0);
            let mut scope = self.node_field(&node, "scope");
            let mut left = DEEPEST_SCOPE;
            while let (Some(at), true, true) = (scope, place > 0, left > 0) {
                left -= 1;
                let file = self.file(&Metadata::Node(at)).unwrap_or_default();
                let place = DebugPlace {
                    file: self.context.symbol(&file),
                    line: place,
                    column,
                };
                let stretch = told.stretches.entry((at, inlined_at)).or_insert((place, place));
                let order = |place: &DebugPlace| (place.line, place.column);
                if stretch.0.file == place.file {
                    stretch.0 = std::cmp::min_by_key(stretch.0, place, order);
                    stretch.1 = std::cmp::max_by_key(stretch.1, place, order);
                }
                scope = match self.record_name(at) {
                    "DISubprogram" => None,
                    _ => self.node_field(&Metadata::Node(at), "scope"),
                };
            }
            next = inlined_at.map(Metadata::Node);
        }
    }

    /// The scope that a node stands for, made when it is first asked for; `None` for the whole function.
    fn debug_scope(
        &mut self,
        told: &Told,
        scopes: &mut Scopes,
        function: &mut DebugFunction,
        instance: Instance,
        depth: usize,
    ) -> Option<DebugScopeId> {
        if depth == 0 {
            return None;
        }
        if let Some(known) = scopes.get(&instance) {
            return *known;
        }
        let (node, inlined_at) = instance;
        let outer = self.node_field(&Metadata::Node(node), "scope");
        let around = match (self.record_name(node), inlined_at) {
            ("DISubprogram", None) => return None,
            ("DISubprogram", Some(call)) => {
                let call = Metadata::Node(call);
                self.node_field(&call, "scope")
                    .map(|scope| (scope, self.node_field(&call, "inlinedAt")))
            }
            _ => outer.map(|scope| (scope, inlined_at)),
        };
        let parent = around.and_then(|around| self.debug_scope(told, scopes, function, around, depth - 1));
        let is_scope = self.record_name(node) != "DILexicalBlockFile";
        let made = match told.stretches.get(&instance).filter(|_| is_scope) {
            Some(&(first, last)) => {
                let inlined_at = inlined_at.and_then(|call| self.location(&Metadata::Node(call)));
                let scope = DebugScope {
                    parent,
                    first,
                    last,
                    inlined_at,
                };
                Some(function.scopes.push(scope))
            }
            // Nothing is done in it.
            None => parent,
        };
        scopes.insert(instance, made);
        made
    }

    // The end.

    /// The body has been read.
    pub(super) fn debug_ends(&mut self, id: FunctionId, body: &mut Body) -> Result<()> {
        let Some(told) = body.told.take() else { return Ok(()) };
        remove_early(&mut body.function, &told.added);
        let Some(Metadata::Node(subprogram)) = told.subprogram else {
            return Ok(());
        };
        let node = Metadata::Node(subprogram);
        if self.record_name(subprogram) != "DISubprogram" {
            return Err(self.error("debug information of this form is not supported"));
        }
        let ty = self.field_of(&node, "type").cloned();
        let types = ty.and_then(|ty| self.field_of(&ty, "types").cloned());
        let result = types.and_then(|types| self.elements(&types).first().cloned());
        let has_word = |key, word: &str| match self.field_of(&node, key) {
            Some(Metadata::Word(words)) => words.split('|').any(|each| each.trim() == word),
            _ => false,
        };
        let external = !has_word("spFlags", "DISPFlagLocalToUnit") && !has_word("isLocal", "true");
        let mut function = DebugFunction {
            name: self.debug_name(&node),
            place: self.debug_place(&node),
            result: match result {
                Some(result) => self.debug_type(&result)?,
                None => None,
            },
            external,
            scopes: crate::arena::Arena::new(),
            variables: Vec::new(),
        };
        let mut scopes = Scopes::default();
        let mut numbered = Vec::new();
        for variable in &told.variables {
            let (number, inlined_at) = variable.instance;
            let node = Metadata::Node(number);
            let name = self.text_field(&node, "name").unwrap_or("").to_owned();
            let Some(ty) = self.field_of(&node, "type").cloned() else {
                continue;
            };
            let Some(mut ty) = self.debug_type(&ty)? else { continue };
            let memory = match variable.home {
                Home::Memory(memory) | Home::Values(memory, _) => memory,
                Home::Address(memory) => {
                    ty = self.debug_add_type(DebugType::Reference(Some(ty)));
                    memory
                }
            };
            let scope = self.node_field(&node, "scope");
            let scope = scope.and_then(|scope| {
                self.debug_scope(&told, &mut scopes, &mut function, (scope, inlined_at), DEEPEST_SCOPE)
            });
            let argument = self.field_of(&node, "arg").and_then(|number| self.number_of(number));
            let argument = argument.filter(|number| *number > 0 && inlined_at.is_none());
            let made = DebugVariable {
                name,
                ty,
                place: self.debug_place(&node),
                parameter: argument.is_some(),
                scope: scope.filter(|_| argument.is_none()),
                memory: DebugMemory::Local(memory),
            };
            numbered.push((argument.unwrap_or(i64::MAX), made));
        }
        numbered.sort_by_key(|(number, _)| *number);
        function.variables = numbered.into_iter().map(|(_, variable)| variable).collect();
        if let Some(debug) = &mut self.debug {
            debug.info.functions.insert(id, function);
        }
        Ok(())
    }

    /// All bodies have been read: the variables of the module, the rest of the types.
    pub(super) fn debug_finish(&mut self) -> Result<()> {
        let Some(debug) = &mut self.debug else { return Ok(()) };
        let globals = std::mem::take(&mut debug.globals);
        for (global, node) in globals {
            let node = match self.field_of(&node, "var") {
                Some(variable) => variable.clone(),
                None => node,
            };
            let ty = self.field_of(&node, "type").cloned();
            let Some(ty) = ty.map(|ty| self.debug_type(&ty)).transpose()?.flatten() else {
                continue;
            };
            let variable = DebugVariable {
                name: self.debug_name(&node),
                ty,
                place: self.debug_place(&node),
                parameter: false,
                scope: None,
                memory: DebugMemory::Global(global),
            };
            if let Some(debug) = &mut self.debug {
                debug.info.variables.push(variable);
            }
        }
        self.debug_records()?;
        let unit = self.named.get("llvm.dbg.cu").and_then(|units| units.first()).cloned();
        let Some(file) = unit.and_then(|unit| self.field_of(&unit, "file").cloned()) else {
            // Nothing was said.
            return Ok(());
        };
        let text = |key| self.text_field(&file, key).unwrap_or("").to_owned();
        let (file, directory) = (text("filename"), text("directory"));
        if let Some(mut debug) = self.debug.take() {
            debug.info.file = file;
            debug.info.directory = directory;
            self.module.debug = Some(Box::new(debug.info));
        }
        Ok(())
    }

    pub(super) fn debug_place(&self, node: &Metadata) -> Option<DebugPlace> {
        let file = self.file(node)?;
        let line = self.number_of(self.field_of(node, "line")?)?;
        Some(DebugPlace {
            file: self.context.symbol(&file),
            line: u32::try_from(line).ok().filter(|line| *line > 0)?,
            column: 1,
        })
    }

    /// The name of a node, with the namespaces and classes around it.
    pub(super) fn debug_name(&self, node: &Metadata) -> String {
        let own = self.text_field(node, "name").unwrap_or("");
        if own.is_empty() {
            return String::new();
        }
        let mut parts = vec![own];
        let mut next = self.field_of(node, "scope");
        while let Some(scope) = next.filter(|_| parts.len() < DEEPEST_SCOPE) {
            let is_named = match self.follow(scope) {
                Metadata::Record { name, .. } => matches!(name.as_str(), "DINamespace" | "DICompositeType"),
                _ => false,
            };
            if !is_named {
                break;
            }
            parts.push(self.text_field(scope, "name").unwrap_or("(anonymous namespace)"));
            next = self.field_of(scope, "scope");
        }
        parts.reverse();
        parts.join("::")
    }
}

/// The scopes that have been made.
type Scopes = FxHashMap<Instance, Option<DebugScopeId>>;

/// Takes out what was added before what it needs: a variable may be said to have a value that is only computed later.
fn remove_early(function: &mut Function, added: &[InstructionId]) {
    if added.is_empty() {
        return;
    }
    let dominance = Dominance::new(function);
    let mut places = vec![usize::MAX; function.instruction_limit()];
    for block in function.blocks() {
        for (place, id) in function.instructions(block).enumerate() {
            places[id.index()] = place;
        }
    }
    // What needs another one that was taken out comes after it.
    let mut removed = Vec::new();
    for &id in added {
        let Some(block) = function.block_of(id) else { continue };
        let is_early = function
            .instruction(id)
            .operands()
            .into_iter()
            .any(|operand| match operand {
                Value::Instruction(of) => match function.block_of(of) {
                    Some(defined) if defined == block => places[of.index()] > places[id.index()],
                    Some(defined) => !dominance.dominates(defined, block),
                    None => true,
                },
                Value::Argument(_) | Value::Constant(_) => false,
            });
        let needs_removed = (function.instruction(id).operands().into_iter())
            .any(|operand| matches!(operand, Value::Instruction(of) if removed.contains(&of)));
        if is_early || needs_removed {
            removed.push(id);
        }
    }
    for &id in removed.iter().rev() {
        function.remove_instruction(id);
    }
}
