//! Reading bodies of functions: blocks, names of values, and what comes before and after an instruction.

use rustc_hash::FxHashMap;

use super::debug::Told;
use super::lexer::{Kind, name};
use super::places::BodyPlaces;
use super::{Reader, Result};
use crate::function::{BlockId, Function, InstructionId};
use crate::instruction::{Attachments, Instruction, Value};
use crate::integer::Integer;
use crate::module::FunctionId;
use crate::types::{FunctionType, Type};

/// A body that is being read.
pub(super) struct Body {
    pub(super) function: Function,
    /// The values that have been named so far, and those used before their definition.
    values: FxHashMap<String, Value>,
    /// Values that were used and not yet defined: what stands for them, and where they were used first.
    undefined: FxHashMap<String, (InstructionId, usize)>,
    /// What stood for a value that turned out to be another.
    forwarded: FxHashMap<InstructionId, Value>,
    blocks: FxHashMap<String, BlockId>,
    /// Where blocks that are not yet defined were named first.
    undefined_blocks: FxHashMap<BlockId, (String, usize)>,
    next_number: u32,
    /// Where blocks and instructions stand.
    pub(super) places: BodyPlaces,
    pub(super) block: BlockId,
    /// The range that a call's result was said to be in.
    pub(super) range: Option<(Integer, Integer)>,
    /// What a debugger is to be told, if that is wanted.
    pub(super) told: Option<Box<Told>>,
}

/// What an instruction gives.
pub(super) enum Outcome {
    /// An instruction, and the type of its result.
    New(Instruction, Type),
    /// A value that is there already: a conversion between what are now equal types.
    Same(Value),
    /// Nothing: it was dropped.
    Nothing,
}

impl Body {
    /// A value that may have been replaced since it was named.
    fn current(&self, mut value: Value) -> Value {
        while let Value::Instruction(id) = value
            && let Some(&next) = self.forwarded.get(&id)
        {
            value = next;
        }
        value
    }

    fn take_number(&mut self) -> String {
        self.next_number = self.next_number.saturating_add(1);
        (self.next_number - 1).to_string()
    }

    /// Takes the number that a name may be; false where it should have been a greater one. New texts skip some.
    fn note_number(&mut self, key: &str) -> bool {
        if !key.bytes().all(|byte| byte.is_ascii_digit()) {
            return true;
        }
        match key.parse::<u32>() {
            Ok(number) if number >= self.next_number && number < u32::MAX => {
                self.next_number = number + 1;
                true
            }
            Ok(_) | Err(_) => false,
        }
    }
}

impl Reader<'_> {
    /// The body in braces.
    pub(super) fn body(&mut self, id: FunctionId, ty: FunctionType, names: Vec<Option<String>>) -> Result<()> {
        self.expect(b'{')?;
        let mut function = Function::new(self.context.clone(), id, ty);
        let mut blocks = FxHashMap::default();
        let mut undefined_blocks = FxHashMap::default();
        for (key, place) in self.addressed_blocks.get(&id).cloned().unwrap_or_default() {
            let block = function.create_block();
            undefined_blocks.insert(block, (key.clone(), place));
            blocks.insert(key, block);
        }
        let block = function.create_block();
        let mut body = Body {
            function,
            values: FxHashMap::default(),
            undefined: FxHashMap::default(),
            forwarded: FxHashMap::default(),
            blocks,
            undefined_blocks,
            next_number: 0,
            places: BodyPlaces::default(),
            block,
            range: None,
            told: self.debug_begins(),
        };
        self.arguments(&mut body, names)?;
        // The entry block's name takes the block that was made for it, unless its address is known.
        let mut fresh = Some(block);
        loop {
            let given = self.block_label(&mut body)?;
            self.begin_block(&mut body, given, fresh.take())?;
            self.block_instructions(&mut body)?;
            if self.eat(b'}') {
                break;
            }
            if self.is_word("uselistorder") || self.is_word("uselistorder_bb") {
                while !self.is(b'}') && self.kind() != Kind::End {
                    if self.is(b'{') {
                        self.skip_brackets()
                    } else {
                        self.bump()
                    }
                }
                self.expect(b'}')?;
                break;
            }
        }
        if let Some((_, (key, place))) = body.undefined_blocks.iter().min_by_key(|(_, (_, place))| *place) {
            return Err(self.error_at(*place, format!("there is no block %{key}")));
        }
        if let Some((key, (_, place))) = body.undefined.iter().min_by_key(|(_, (_, place))| *place) {
            return Err(self.error_at(*place, format!("there is no value %{key}")));
        }
        self.edges(&mut body)?;
        self.debug_ends(id, &mut body)?;
        self.places.bodies.insert(id, body.places);
        self.module.set_body(body.function);
        Ok(())
    }

    fn arguments(&mut self, body: &mut Body, names: Vec<Option<String>>) -> Result<()> {
        for (index, given) in names.into_iter().enumerate() {
            let value = Value::Argument(index as u32);
            let key = match given {
                Some(key) => {
                    self.in_order(body, &key, self.next)?;
                    if !key.bytes().all(|byte| byte.is_ascii_digit()) {
                        body.function.set_name(value, &key);
                    }
                    key
                }
                None => body.take_number(),
            };
            if body.values.insert(key.clone(), value).is_some() {
                return Err(self.error(format!("there is more than one parameter %{key}")));
            }
        }
        Ok(())
    }

    fn block_label(&mut self, body: &mut Body) -> Result<String> {
        if self.kind() != Kind::Label {
            return Ok(body.take_number());
        }
        let key = name(self.text());
        self.in_order(body, &key, self.next)?;
        self.bump();
        Ok(key)
    }

    /// Counts a name that is a number.
    fn in_order(&self, body: &mut Body, key: &str, place: usize) -> Result<()> {
        let next = body.next_number;
        if body.note_number(key) {
            return Ok(());
        }
        Err(self.error_at(
            place,
            format!("the number %{key} should be {next} or greater: values and blocks are counted"),
        ))
    }

    fn begin_block(&mut self, body: &mut Body, key: String, fresh: Option<BlockId>) -> Result<()> {
        if body.values.contains_key(&key) {
            return Err(self.error(format!("%{key} is a value, and cannot be a block")));
        }
        let block = match body.blocks.get(&key) {
            // The address of a block is known before anything goes there.
            Some(_) if fresh.is_some() => {
                return Err(self.error(format!("%{key} is the entry block, whose address cannot be taken")));
            }
            Some(&block) => block,
            None => fresh.unwrap_or_else(|| body.function.create_block()),
        };
        if body.function.is_placed(block) {
            return Err(self.error(format!("there is more than one block %{key}")));
        }
        if !key.bytes().all(|byte| byte.is_ascii_digit()) {
            body.function.set_block_name(block, &key);
        }
        body.undefined_blocks.remove(&block);
        body.blocks.insert(key, block);
        body.function.place_block_last(block);
        body.places.note_block(block, self.next.saturating_sub(1));
        body.block = block;
        Ok(())
    }

    /// To the end of the terminator.
    fn block_instructions(&mut self, body: &mut Body) -> Result<()> {
        loop {
            if self.kind() == Kind::Record {
                if body.told.is_some() {
                    self.debug_record(body)?;
                } else {
                    self.bump();
                    self.skip_brackets();
                }
                continue;
            }
            if self.is(b'}') || self.kind() == Kind::Label {
                return Err(self.error("this block does not end with a terminator"));
            }
            if self.instruction(body)? {
                return Ok(());
            }
        }
    }

    /// One instruction; whether it ends the block.
    fn instruction(&mut self, body: &mut Body) -> Result<bool> {
        let place = self.place();
        let mut key = None;
        if self.kind() == Kind::Local {
            key = Some(name(self.text()));
            self.bump();
            self.expect(b'=')?;
        }
        let outcome = self.operation(body)?;
        let mut attachments = Attachments {
            range: body.range.take().into_iter().collect(),
            ..Attachments::default()
        };
        let mut location = None;
        let mut place_of_note = None;
        let mut invariant = false;
        let mut nontemporal = false;
        while self.is(b',') && self.peek_kind(1) == Kind::Metadata {
            self.bump();
            let (kind, place) = (name(self.text()), self.place());
            self.bump();
            let node = self.metadata()?;
            match kind.as_str() {
                "dbg" => {
                    location = self.location(&node);
                    if body.told.is_some() {
                        self.debug_located(body, &node);
                        place_of_note = Some(node);
                    }
                }
                "invariant.load" => invariant = true,
                "nontemporal" => nontemporal = true,
                _ => {
                    if let Outcome::New(instruction, ty) = &outcome {
                        self.attach(&kind, &node, place, (instruction, *ty), &mut attachments)?;
                    }
                }
            }
        }
        let (mut instruction, ty) = match outcome {
            Outcome::New(instruction, ty) => (instruction, ty),
            Outcome::Same(value) => {
                let key = match key {
                    Some(key) => {
                        self.in_order(body, &key, place)?;
                        key
                    }
                    None => body.take_number(),
                };
                self.define_same(body, key, value, place)?;
                return Ok(false);
            }
            Outcome::Nothing => {
                self.debug_said(body, place_of_note.as_ref())?;
                return Ok(false);
            }
        };
        if let Instruction::Load { access, .. } | Instruction::Store { access, .. } = &mut instruction {
            access.invariant = invariant;
            access.nontemporal = nontemporal;
        }
        let ends = instruction.is_terminator();
        let id = self.define(body, key, instruction, ty, place)?;
        body.function.set_location(id, location);
        if !attachments.is_empty() {
            body.function.update_attachments(id, |slot| *slot = attachments);
        }
        Ok(ends)
    }

    /// Adds an instruction to the block and names its result.
    fn define(
        &mut self,
        body: &mut Body,
        key: Option<String>,
        instruction: Instruction,
        ty: Type,
        place: usize,
    ) -> Result<InstructionId> {
        if ty == Type::Void {
            if key.is_some() {
                return Err(self.error_at(place, "this has no result that could have a name"));
            }
            let id = body.function.append(body.block, instruction, ty);
            body.places.note_instruction(id, place);
            return Ok(id);
        }
        self.fits_a_value(place, ty)?;
        let given = key.is_some();
        let key = key.unwrap_or_else(|| body.take_number());
        if given {
            self.in_order(body, &key, place)?;
        }
        let id = match body.undefined.remove(&key) {
            Some((id, used)) => {
                let expected = body.function.result_type(id);
                if expected != ty {
                    let (expected, ty) = (self.context.display_type(expected), self.context.display_type(ty));
                    return Err(self.error_at(used, format!("%{key} is used as {expected} and defined as {ty}")));
                }
                body.function.replace_instruction(id, instruction, ty);
                body.function.move_to_end(id, body.block);
                id
            }
            None => {
                let id = body.function.append(body.block, instruction, ty);
                self.name(body, &key, Value::Instruction(id), place)?;
                id
            }
        };
        body.places.note_instruction(id, place);
        if !key.bytes().all(|byte| byte.is_ascii_digit()) {
            body.function.set_name(Value::Instruction(id), &key);
        }
        Ok(id)
    }

    fn name(&mut self, body: &mut Body, key: &str, value: Value, place: usize) -> Result<()> {
        if body.blocks.contains_key(key) {
            return Err(self.error_at(place, format!("%{key} is a block, and cannot be a value")));
        }
        match body.values.insert(key.to_owned(), value) {
            Some(_) => Err(self.error_at(place, format!("%{key} is defined more than once"))),
            None => Ok(()),
        }
    }

    /// Makes a name stand for a value that is there already.
    fn define_same(&mut self, body: &mut Body, key: String, value: Value, place: usize) -> Result<()> {
        let value = body.current(value);
        let Some((stand_in, used)) = body.undefined.remove(&key) else {
            return self.name(body, &key, value, place);
        };
        if value == Value::Instruction(stand_in) {
            return Err(self.error_at(place, format!("%{key} is defined by itself")));
        }
        if body.function.result_type(stand_in) != body.function.type_of(value) {
            return Err(self.error_at(used, format!("%{key} is used as another type than it is defined as")));
        }
        body.function.replace_and_remove(stand_in, value);
        body.forwarded.insert(stand_in, value);
        body.values.insert(key, value);
        Ok(())
    }

    /// A value of a type: a constant, or something of this function.
    pub(super) fn value(&mut self, body: &mut Body, ty: Type) -> Result<Value> {
        self.fits_a_value(self.next, ty)?;
        if self.kind() != Kind::Local {
            return Ok(Value::Constant(self.constant(ty)?));
        }
        let place = self.place();
        let key = name(self.text());
        self.bump();
        if matches!(ty, Type::Void | Type::Function(_) | Type::Label | Type::Metadata) {
            return Err(self.error_at(place, format!("no value has type {}", self.context.display_type(ty))));
        }
        let Some(&value) = body.values.get(&key) else {
            if body.blocks.contains_key(&key) {
                return Err(self.error_at(place, format!("%{key} is a block, not a value")));
            }
            // Detached for now; its definition takes its place.
            let id = body.function.create_detached(ty);
            body.undefined.insert(key.clone(), (id, place));
            body.values.insert(key, Value::Instruction(id));
            return Ok(Value::Instruction(id));
        };
        let value = body.current(value);
        let found = body.function.type_of(value);
        if found != ty {
            let (found, ty) = (self.context.display_type(found), self.context.display_type(ty));
            return Err(self.error_at(place, format!("%{key} has type {found}, not {ty}")));
        }
        Ok(value)
    }

    /// A type and a value of it.
    pub(super) fn typed_value(&mut self, body: &mut Body) -> Result<Value> {
        let ty = self.ty()?;
        self.value(body, ty)
    }

    /// `label %name`.
    pub(super) fn label(&mut self, body: &mut Body) -> Result<BlockId> {
        self.keyword("label")?;
        self.block_name(body)
    }

    /// `%name` of a block.
    pub(super) fn block_name(&mut self, body: &mut Body) -> Result<BlockId> {
        if self.kind() != Kind::Local {
            return Err(self.unexpected("the name of a block"));
        }
        let place = self.place();
        let key = name(self.text());
        self.bump();
        if let Some(&block) = body.blocks.get(&key) {
            return Ok(block);
        }
        if body.values.contains_key(&key) {
            return Err(self.error_at(place, format!("%{key} is a value, not a block")));
        }
        let block = body.function.create_block();
        body.undefined_blocks.insert(block, (key.clone(), place));
        body.blocks.insert(key, block);
        Ok(block)
    }
}
