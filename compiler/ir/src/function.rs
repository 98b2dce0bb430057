//! Bodies of functions: blocks, instructions, and who uses what.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::arena::{Arena, entity};
use crate::constant::ConstantId;
use crate::context::{Context, Symbol};
use crate::instruction::{Attachments, Call, Instruction, Value};
use crate::location::LocationId;
use crate::module::FunctionId;
use crate::types::{FunctionType, Type};

entity!(
    /// A block of a function.
    ordered BlockId, "block");
entity!(
    /// An instruction of a function, and its result.
    ordered InstructionId, "%");

#[derive(Clone, Debug, Default)]
struct BlockData {
    first: Option<InstructionId>,
    last: Option<InstructionId>,
    previous: Option<BlockId>,
    next: Option<BlockId>,
    placed: bool,
    name: Option<Symbol>,
}

#[derive(Clone, Debug)]
struct InstructionData {
    instruction: Instruction,
    ty: Type,
    block: Option<BlockId>,
    previous: Option<InstructionId>,
    next: Option<InstructionId>,
    location: Option<LocationId>,
    name: Option<Symbol>,
    users: Users,
}

/// Who uses a value. `count` is exact; `list` has every user at least once, and possibly instructions that used it before.
#[derive(Clone, Debug, Default)]
struct Users {
    count: u32,
    /// How often one was added.
    added: u32,
    list: Vec<InstructionId>,
}

/// The body of a function.
///
/// Blocks and instructions are in arenas, their order in linked lists: inserting and removing costs the same anywhere. Users of arguments and
/// results are kept up to date by the methods that change operands; there is no other way to change them. Constants have no user lists.
/// What has been removed keeps its number and is in no list.
#[derive(Clone, Debug)]
pub struct Function {
    context: Arc<Context>,
    id: FunctionId,
    ty: FunctionType,
    blocks: Arena<BlockId, BlockData>,
    first: Option<BlockId>,
    last: Option<BlockId>,
    instructions: Arena<InstructionId, InstructionData>,
    arguments: Vec<(Users, Option<Symbol>)>,
    attachments: FxHashMap<InstructionId, Attachments>,
    declared_at: Option<LocationId>,
}

impl Function {
    /// A body without blocks.
    pub fn new(context: Arc<Context>, id: FunctionId, ty: FunctionType) -> Function {
        let arguments = vec![(Users::default(), None); context.function_data(ty).parameters.len()];
        Function {
            context,
            id,
            ty,
            blocks: Arena::new(),
            first: None,
            last: None,
            instructions: Arena::new(),
            arguments,
            attachments: FxHashMap::default(),
            declared_at: None,
        }
    }

    /// Types and constants.
    #[inline]
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Which function of the module it is the body of.
    pub fn id(&self) -> FunctionId {
        self.id
    }

    /// The type of the function.
    pub fn ty(&self) -> FunctionType {
        self.ty
    }

    /// Where the source declares it: the place of what is done before its first statement. Not part of the text of a module.
    pub fn declared_at(&self) -> Option<LocationId> {
        self.declared_at
    }

    /// Says where the source declares it.
    pub fn set_declared_at(&mut self, location: Option<LocationId>) {
        self.declared_at = location;
    }

    /// Gives the body another type. `kept` are the parameters of before that the new ones are, in their order; nothing may use the others any more.
    pub fn change_type(&mut self, ty: FunctionType, kept: &[u32]) {
        let kept: Vec<Option<u32>> = kept.iter().copied().map(Some).collect();
        self.change_parameters(ty, &kept);
    }

    /// Gives the body another type, as [`Function::change_type`]; where `kept` names none of before, the parameter is new, and nothing uses it yet.
    pub fn change_parameters(&mut self, ty: FunctionType, kept: &[Option<u32>]) {
        let mut places: Vec<Option<u32>> = vec![None; self.arguments.len()];
        let mut arguments = Vec::with_capacity(kept.len());
        for (new, old) in kept.iter().enumerate() {
            arguments.push(match *old {
                Some(old) => {
                    places[old as usize] = Some(new as u32);
                    std::mem::take(&mut self.arguments[old as usize])
                }
                None => (Users::default(), None),
            });
        }
        self.arguments = arguments;
        // Who uses an argument stays the same, and its list has gone with it.
        for data in self.instructions.as_mut_slice() {
            data.instruction.for_each_operand_mut(|operand| {
                if let Value::Argument(number) = operand
                    && let Some(&Some(new)) = places.get(*number as usize)
                {
                    *number = new;
                }
            });
        }
        self.ty = ty;
    }

    /// The types of the parameters.
    #[inline]
    pub fn parameters(&self) -> &[Type] {
        &self.context.function_data(self.ty).parameters
    }

    /// The type of the result.
    pub fn return_type(&self) -> Type {
        self.context.function_data(self.ty).result
    }

    // Blocks.

    /// The first block.
    #[inline]
    pub fn entry(&self) -> Option<BlockId> {
        self.first
    }

    /// The block after this.
    pub fn next_block(&self, block: BlockId) -> Option<BlockId> {
        self.blocks[block].next
    }

    /// The block before this.
    pub fn previous_block(&self, block: BlockId) -> Option<BlockId> {
        self.blocks[block].previous
    }

    /// The blocks in order.
    pub fn blocks(&self) -> impl Iterator<Item = BlockId> + '_ {
        std::iter::successors(self.first, |&block| self.blocks[block].next)
    }

    /// How many block numbers there are, those of removed blocks included: the length for tables by block.
    #[inline]
    pub fn block_limit(&self) -> usize {
        self.blocks.len()
    }

    /// Whether the block is in the function (was placed and not removed).
    #[inline]
    pub fn is_placed(&self, block: BlockId) -> bool {
        self.blocks.get(block).is_some_and(|data| data.placed)
    }

    /// Makes a block that is not yet in the order; place it with one of the other methods. Branches to it may be made meanwhile.
    pub fn create_block(&mut self) -> BlockId {
        self.blocks.push(BlockData::default())
    }

    /// Makes a block at the end.
    pub fn append_block(&mut self) -> BlockId {
        let block = self.create_block();
        self.place_block(block, self.last);
        block
    }

    /// Puts a block that is not in the order at its end.
    pub fn place_block_last(&mut self, block: BlockId) {
        self.place_block(block, self.last);
    }

    /// Makes a block after another.
    pub fn insert_block_after(&mut self, other: BlockId) -> BlockId {
        let block = self.create_block();
        self.place_block(block, Some(other));
        block
    }

    /// Puts a block after another, or first. It is taken out of its place before.
    pub fn place_block(&mut self, block: BlockId, after: Option<BlockId>) {
        if after == Some(block) {
            return;
        }
        self.unlink_block(block);
        let next = match after {
            Some(previous) => self.blocks[previous].next.replace(block),
            None => self.first.replace(block),
        };
        match next {
            Some(next) => self.blocks[next].previous = Some(block),
            None => self.last = Some(block),
        }
        let data = &mut self.blocks[block];
        data.previous = after;
        data.next = next;
        data.placed = true;
    }

    fn unlink_block(&mut self, block: BlockId) {
        if !self.blocks[block].placed {
            return;
        }
        let (previous, next) = (self.blocks[block].previous, self.blocks[block].next);
        match previous {
            Some(previous) => self.blocks[previous].next = next,
            None => self.first = next,
        }
        match next {
            Some(next) => self.blocks[next].previous = previous,
            None => self.last = previous,
        }
        let data = &mut self.blocks[block];
        data.previous = None;
        data.next = None;
        data.placed = false;
    }

    /// Removes a block with all its instructions. Entries of phis elsewhere that name it, and uses of its results, are for the caller to care for.
    pub fn remove_block(&mut self, block: BlockId) {
        while let Some(last) = self.blocks[block].last {
            self.remove_instruction(last);
        }
        self.unlink_block(block);
    }

    /// The name of a block in the text.
    pub fn block_name(&self, block: BlockId) -> Option<&str> {
        self.blocks[block].name.map(|name| self.context.text(name))
    }

    /// Names a block in the text. Names need not differ; the writer makes them so.
    pub fn set_block_name(&mut self, block: BlockId, name: &str) {
        self.blocks[block].name = Some(self.context.symbol(name));
    }

    // Instructions.

    /// How many instruction numbers there are, those of removed ones included: the length for tables by instruction.
    #[inline]
    pub fn instruction_limit(&self) -> usize {
        self.instructions.len()
    }

    /// An instruction.
    #[inline]
    pub fn instruction(&self, id: InstructionId) -> &Instruction {
        &self.instructions[id].instruction
    }

    /// The instruction whose result a value is.
    pub fn definition(&self, value: Value) -> Option<&Instruction> {
        Some(self.instruction(value.as_instruction()?))
    }

    /// The type of an instruction's result, `Void` if it has none.
    #[inline]
    pub fn result_type(&self, id: InstructionId) -> Type {
        self.instructions[id].ty
    }

    /// The type of a value.
    #[inline]
    pub fn type_of(&self, value: Value) -> Type {
        match value {
            Value::Argument(number) => self.parameters().get(number as usize).copied().unwrap_or(Type::Void),
            Value::Instruction(id) => self.instructions[id].ty,
            Value::Constant(id) => self.context.constant_type(id),
        }
    }

    /// The block that an instruction is in; `None` if it has been removed.
    #[inline]
    pub fn block_of(&self, id: InstructionId) -> Option<BlockId> {
        self.instructions[id].block
    }

    /// The first instruction of a block.
    #[inline]
    pub fn first(&self, block: BlockId) -> Option<InstructionId> {
        self.blocks[block].first
    }

    /// The last instruction of a block, its terminator once it is complete.
    #[inline]
    pub fn last(&self, block: BlockId) -> Option<InstructionId> {
        self.blocks[block].last
    }

    /// The instruction after this in its block.
    pub fn next(&self, id: InstructionId) -> Option<InstructionId> {
        self.instructions[id].next
    }

    /// The instruction before this in its block.
    pub fn previous(&self, id: InstructionId) -> Option<InstructionId> {
        self.instructions[id].previous
    }

    /// The instructions of a block in order.
    pub fn instructions(&self, block: BlockId) -> impl Iterator<Item = InstructionId> + '_ {
        std::iter::successors(self.blocks[block].first, |&id| self.instructions[id].next)
    }

    /// The instructions of a block from its last to its first.
    pub fn instructions_backwards(&self, block: BlockId) -> impl Iterator<Item = InstructionId> + '_ {
        std::iter::successors(self.blocks[block].last, |&id| self.instructions[id].previous)
    }

    /// All instructions, block by block.
    pub fn all_instructions(&self) -> impl Iterator<Item = InstructionId> + '_ {
        self.blocks().flat_map(|block| self.instructions(block))
    }

    /// The phis of a block.
    pub fn phis(&self, block: BlockId) -> impl Iterator<Item = InstructionId> + '_ {
        self.instructions(block).take_while(|&id| self.instruction(id).is_phi())
    }

    /// The first instruction of a block that is no phi.
    pub fn first_after_phis(&self, block: BlockId) -> Option<InstructionId> {
        self.instructions(block).find(|&id| !self.instruction(id).is_phi())
    }

    /// The terminator of a block, if it has one.
    #[inline]
    pub fn terminator(&self, block: BlockId) -> Option<InstructionId> {
        self.last(block).filter(|&id| self.instruction(id).is_terminator())
    }

    /// The blocks that a block's terminator goes to, once for each edge.
    pub fn successors(&self, block: BlockId) -> SmallVec<[BlockId; 2]> {
        self.terminator(block)
            .map(|id| self.instruction(id).successors())
            .unwrap_or_default()
    }

    /// Adds an instruction of a result type at the end of a block.
    pub fn append(&mut self, block: BlockId, instruction: Instruction, ty: Type) -> InstructionId {
        let id = self.create(instruction, ty);
        self.link(id, block, self.blocks[block].last);
        id
    }

    /// Adds an instruction at the beginning of a block.
    pub fn prepend(&mut self, block: BlockId, instruction: Instruction, ty: Type) -> InstructionId {
        let id = self.create(instruction, ty);
        self.link(id, block, None);
        id
    }

    /// Adds an instruction before another, which is in a block.
    pub fn insert_before(&mut self, other: InstructionId, instruction: Instruction, ty: Type) -> InstructionId {
        let id = self.create(instruction, ty);
        self.move_before(id, other);
        id
    }

    /// Moves an instruction before another, which is in a block.
    pub fn move_before(&mut self, id: InstructionId, other: InstructionId) {
        if id == other {
            return;
        }
        self.unlink(id);
        if let Some(block) = self.block_of(other) {
            self.link(id, block, self.previous(other));
        }
    }

    /// Moves an instruction to the end of a block.
    pub fn move_to_end(&mut self, id: InstructionId, block: BlockId) {
        self.unlink(id);
        self.link(id, block, self.blocks[block].last);
    }

    fn create(&mut self, instruction: Instruction, ty: Type) -> InstructionId {
        let data = InstructionData {
            instruction,
            ty,
            block: None,
            previous: None,
            next: None,
            location: None,
            name: None,
            users: Users::default(),
        };
        let id = self.instructions.push(data);
        self.add_uses(id);
        id
    }

    /// An instruction in no block, to be replaced by what defines it.
    pub(crate) fn create_detached(&mut self, ty: Type) -> InstructionId {
        self.create(Instruction::Unreachable, ty)
    }

    fn link(&mut self, id: InstructionId, block: BlockId, after: Option<InstructionId>) {
        let next = match after {
            Some(previous) => self.instructions[previous].next.replace(id),
            None => self.blocks[block].first.replace(id),
        };
        match next {
            Some(next) => self.instructions[next].previous = Some(id),
            None => self.blocks[block].last = Some(id),
        }
        let data = &mut self.instructions[id];
        data.block = Some(block);
        data.previous = after;
        data.next = next;
    }

    fn unlink(&mut self, id: InstructionId) {
        let data = &mut self.instructions[id];
        let Some(block) = data.block.take() else { return };
        let (previous, next) = (data.previous.take(), data.next.take());
        match previous {
            Some(previous) => self.instructions[previous].next = next,
            None => self.blocks[block].first = next,
        }
        match next {
            Some(next) => self.instructions[next].previous = previous,
            None => self.blocks[block].last = previous,
        }
    }

    /// Removes an instruction. Uses of its result, if any are left, are for the caller to replace.
    pub fn remove_instruction(&mut self, id: InstructionId) {
        self.unlink(id);
        self.drop_uses(id);
        self.instructions[id].instruction = Instruction::Unreachable;
        self.attachments.remove(&id);
    }

    /// Replaces an instruction in its place; its result keeps its number and users and gets the type `ty`.
    pub fn replace_instruction(&mut self, id: InstructionId, instruction: Instruction, ty: Type) {
        self.drop_uses(id);
        let data = &mut self.instructions[id];
        data.instruction = instruction;
        data.ty = ty;
        self.add_uses(id);
    }

    /// Changes an instruction in its place, operands included.
    pub fn update<R>(&mut self, id: InstructionId, change: impl FnOnce(&mut Instruction) -> R) -> R {
        self.drop_uses(id);
        let result = change(&mut self.instructions[id].instruction);
        self.add_uses(id);
        result
    }

    /// Changes the type of an instruction's result. Its users are not looked at.
    pub fn set_result_type(&mut self, id: InstructionId, ty: Type) {
        self.instructions[id].ty = ty;
    }

    /// Where an instruction comes from.
    pub fn location(&self, id: InstructionId) -> Option<LocationId> {
        self.instructions[id].location
    }

    /// Says where an instruction comes from.
    pub fn set_location(&mut self, id: InstructionId, location: Option<LocationId>) {
        self.instructions[id].location = location;
    }

    /// The name of a value in the text.
    pub fn name(&self, value: Value) -> Option<&str> {
        let symbol = match value {
            Value::Argument(number) => self.arguments.get(number as usize)?.1,
            Value::Instruction(id) => self.instructions[id].name,
            Value::Constant(_) => None,
        };
        symbol.map(|symbol| self.context.text(symbol))
    }

    /// Names an argument or a result in the text. Names need not differ; the writer makes them so.
    pub fn set_name(&mut self, value: Value, name: &str) {
        let symbol = Some(self.context.symbol(name));
        match value {
            Value::Argument(number) => {
                if let Some((_, slot)) = self.arguments.get_mut(number as usize) {
                    *slot = symbol;
                }
            }
            Value::Instruction(id) => self.instructions[id].name = symbol,
            Value::Constant(_) => {}
        }
    }

    /// What is said of an instruction beyond its fields.
    pub fn attachments(&self, id: InstructionId) -> Option<&Attachments> {
        self.attachments.get(&id)
    }

    /// Changes what is said of an instruction beyond its fields.
    pub fn update_attachments(&mut self, id: InstructionId, change: impl FnOnce(&mut Attachments)) {
        let attachments = self.attachments.entry(id).or_default();
        change(attachments);
        if attachments.is_empty() {
            self.attachments.remove(&id);
        }
    }

    /// The body in another module: `translate` brings types, constants, functions and texts there. Numbers of blocks and instructions stay.
    pub(crate) fn translated(&self, id: FunctionId, ty: FunctionType, translate: &mut dyn Translate) -> Function {
        let mut function = self.clone();
        function.context = translate.context();
        function.id = id;
        function.ty = ty;
        function.declared_at = self.declared_at.map(|location| translate.location(location));
        for data in function.instructions.as_mut_slice() {
            data.ty = translate.ty(data.ty);
            data.location = data.location.map(|location| translate.location(location));
            data.name = data.name.map(|name| translate.symbol(name));
            // Uses of constants are not counted, so that operands may change here.
            data.instruction.for_each_operand_mut(|operand| {
                if let Value::Constant(constant) = operand {
                    *operand = Value::Constant(translate.constant(*constant));
                }
            });
            match &mut data.instruction {
                Instruction::Alloca { ty, .. } | Instruction::Gep { source: ty, .. } => *ty = translate.ty(*ty),
                Instruction::Call(call) => translate.call(call),
                _ => {}
            }
        }
        for block in function.blocks.as_mut_slice() {
            block.name = block.name.map(|name| translate.symbol(name));
        }
        for (_, name) in &mut function.arguments {
            *name = name.map(|name| translate.symbol(name));
        }
        for attachments in function.attachments.values_mut() {
            translate.attachments(attachments);
        }
        function
    }

    // Users.

    #[inline]
    fn users_of(&self, value: Value) -> Option<&Users> {
        match value {
            Value::Argument(number) => self.arguments.get(number as usize).map(|(users, _)| users),
            Value::Instruction(id) => self.instructions.get(id).map(|data| &data.users),
            Value::Constant(_) => None,
        }
    }

    fn users_of_mut(&mut self, value: Value) -> Option<&mut Users> {
        match value {
            Value::Argument(number) => self.arguments.get_mut(number as usize).map(|(users, _)| users),
            Value::Instruction(id) => Some(&mut self.instructions[id].users),
            Value::Constant(_) => None,
        }
    }

    fn add_uses(&mut self, id: InstructionId) {
        for operand in self.instructions[id].instruction.operands() {
            self.add_use(id, operand);
        }
    }

    fn add_use(&mut self, id: InstructionId, operand: Value) {
        let Some(users) = self.users_of_mut(operand) else {
            return;
        };
        users.count += 1;
        users.added = users.added.wrapping_add(1);
        if users.list.last() != Some(&id) {
            users.list.push(id);
        }
        // More than half of a long list is out of date.
        if users.list.len() > 16 && users.list.len() > 2 * users.count as usize {
            let current = self.users(operand);
            if let Some(users) = self.users_of_mut(operand) {
                users.list = current;
            }
        }
    }

    fn drop_uses(&mut self, id: InstructionId) {
        for operand in self.instructions[id].instruction.operands() {
            self.drop_use(operand);
        }
    }

    fn drop_use(&mut self, operand: Value) {
        if let Some(users) = self.users_of_mut(operand) {
            users.count -= 1;
            if users.count == 0 {
                users.list.clear();
            }
        }
    }

    /// How many operands are this value (an instruction that uses it twice counts twice). 0 for constants, whose uses are not counted.
    #[inline]
    pub fn use_count(&self, value: Value) -> usize {
        self.users_of(value).map_or(0, |users| users.count as usize)
    }

    /// Whether nothing uses this argument or result.
    #[inline]
    pub fn is_unused(&self, value: Value) -> bool {
        self.use_count(value) == 0
    }

    /// The instructions that use this argument or result, each once, in the order of their numbers. Empty for constants.
    pub fn users(&self, value: Value) -> Vec<InstructionId> {
        let Some(users) = self.users_of(value) else {
            return Vec::new();
        };
        let mut list = users.list.clone();
        list.sort_unstable();
        list.dedup();
        list.retain(|&user| {
            let mut uses = false;
            self.instructions[user]
                .instruction
                .for_each_operand(|operand| uses |= operand == value);
            uses
        });
        list
    }

    /// Another number whenever an instruction has come to use this argument or result. While it stays, there are no users but those that there were.
    pub fn users_version(&self, value: Value) -> u32 {
        self.users_of(value).map_or(0, |users| users.added)
    }

    /// The only instruction that uses this argument or result, if it has one use.
    pub fn single_user(&self, value: Value) -> Option<InstructionId> {
        (self.use_count(value) == 1).then(|| self.users(value).first().copied())?
    }

    /// Puts `new` in the place of an argument or result in all instructions.
    pub fn replace_all_uses(&mut self, old: Value, new: Value) {
        if old == new {
            return;
        }
        for user in self.users(old) {
            self.replace_uses_in(user, old, new);
        }
    }

    /// Puts `new` in the place of `old` in one instruction.
    pub fn replace_uses_in(&mut self, user: InstructionId, old: Value, new: Value) {
        self.update(user, |instruction| {
            instruction.for_each_operand_mut(|operand| {
                if *operand == old {
                    *operand = new;
                }
            });
        });
    }

    /// Replaces all uses of an instruction's result by another value and removes the instruction.
    pub fn replace_and_remove(&mut self, id: InstructionId, new: Value) {
        self.replace_all_uses(Value::Instruction(id), new);
        self.remove_instruction(id);
    }

    // Control flow.

    /// For every block the blocks whose terminators go to it, each once, in the order of the text.
    pub fn predecessors(&self) -> Predecessors {
        let mut lists = vec![SmallVec::new(); self.block_limit()];
        for block in self.blocks() {
            for successor in self.successors(block) {
                let list: &mut SmallVec<[BlockId; 2]> = &mut lists[successor.index()];
                if list.last() != Some(&block) {
                    list.push(block);
                }
            }
        }
        Predecessors { lists }
    }

    /// Makes the terminator of `block` go to `new` where it went to `old`. Phis of either are for the caller to care for.
    pub fn replace_successor(&mut self, block: BlockId, old: BlockId, new: BlockId) {
        let Some(terminator) = self.terminator(block) else {
            return;
        };
        self.instructions[terminator]
            .instruction
            .for_each_successor_mut(|successor| {
                if *successor == old {
                    *successor = new;
                }
            });
    }

    /// Makes the phis of `block` name `new` where they named the preceding block `old`.
    pub fn replace_phi_block(&mut self, block: BlockId, old: BlockId, new: BlockId) {
        let mut next = self.first(block);
        while let Some(id) = next {
            next = self.next(id);
            let Instruction::Phi { incoming, .. } = &mut self.instructions[id].instruction else {
                return;
            };
            incoming
                .iter_mut()
                .filter(|(from, _)| *from == old)
                .for_each(|(from, _)| *from = new);
        }
    }

    /// Removes the entries of the phis of `block` for the preceding block `from`.
    pub fn remove_phi_entries(&mut self, block: BlockId, from: BlockId) {
        let phis: Vec<InstructionId> = self.phis(block).collect();
        for id in phis {
            self.replace_phi_entries(id, from, &[]);
        }
    }

    /// Puts other entries, at the end, in the place of those that a phi has for the preceding block `from`. Of a phi of many values the others cost nothing.
    pub fn replace_phi_entries(&mut self, phi: InstructionId, from: BlockId, entries: &[(BlockId, Value)]) {
        let mut gone: SmallVec<[Value; 2]> = SmallVec::new();
        if let Instruction::Phi { incoming, .. } = &mut self.instructions[phi].instruction {
            incoming.retain(|(block, value)| {
                if *block == from {
                    gone.push(*value);
                }
                *block != from
            });
            incoming.extend(entries.iter().copied());
        }
        for value in gone {
            self.drop_use(value);
        }
        for &(_, value) in entries {
            self.add_use(phi, value);
        }
    }

    /// Moves an instruction and all after it to a new block behind its own. The old block is left without a terminator; phis of the successors
    /// name the new block.
    pub fn split_before(&mut self, id: InstructionId) -> Option<BlockId> {
        let block = self.block_of(id)?;
        let new = self.insert_block_after(block);
        let last = self.blocks[block].last;
        let previous = self.instructions[id].previous.take();
        self.blocks[block].last = previous;
        match previous {
            Some(previous) => self.instructions[previous].next = None,
            None => self.blocks[block].first = None,
        }
        self.blocks[new].first = Some(id);
        self.blocks[new].last = last;
        let mut next = Some(id);
        while let Some(moved) = next {
            self.instructions[moved].block = Some(new);
            next = self.instructions[moved].next;
        }
        for successor in self.successors(new) {
            self.replace_phi_block(successor, block, new);
        }
        Some(new)
    }
}

/// Brings what a body refers to from one module to another.
pub(crate) trait Translate {
    fn context(&self) -> Arc<Context>;
    fn ty(&mut self, ty: Type) -> Type;
    fn constant(&mut self, constant: ConstantId) -> ConstantId;
    fn call(&mut self, call: &mut Call);
    fn location(&mut self, location: LocationId) -> LocationId;
    fn symbol(&mut self, symbol: Symbol) -> Symbol;
    fn attachments(&mut self, attachments: &mut Attachments);
}

/// The blocks that precede each block.
#[derive(Clone, Debug)]
pub struct Predecessors {
    lists: Vec<SmallVec<[BlockId; 2]>>,
}

impl Predecessors {
    /// The blocks whose terminators go to `block`, each once.
    pub fn of(&self, block: BlockId) -> &[BlockId] {
        self.lists.get(block.index()).map_or(&[], |list| list)
    }
}
