//! One function: state of its lowering, the order of its blocks, its head and its text.
//!
//! Blocks are lowered in reverse post-order, so that a value's registers are known before its uses, and written in the order of the IR. Registers
//! are numbered in the order in which they are made, which depends on the IR alone.

use std::fmt::{self, Write as _};

use rustc_hash::FxHashMap;
use warpsmith_base::Diagnostic;
use warpsmith_ir::{
    BlockId, ConstantId, Context, DebugScopeId, Declaration, Function, FunctionId, Instruction, InstructionId,
    LocationId, Predecessors, Type, Value,
};

use crate::debug::{self, ScopeLabels, Selected};
use crate::files::WrittenCalls;
use crate::frame::Frame;
use crate::helper::Helper;
use crate::mode::Mode;
use crate::module::{Scope, functions_named};
use crate::needed::Needed;
use crate::parts::{PartList, Scalar, flatten, scalar};
use crate::places::{Row, moved};
use crate::register::{Class, Operand, Parts, Register, RegisterCounts};
use crate::{global, signature};

/// Writes one instruction: mnemonic and operands without the semicolon.
macro_rules! emit {
    ($lowering:expr, $($argument:tt)*) => { $lowering.line(format_args!($($argument)*)) };
}
pub(crate) use emit;

/// A function as text, and what else the module needs for it.
pub(crate) struct Written {
    /// Linkage, head and body.
    pub(crate) text: String,
    /// Where it comes from.
    pub(crate) rows: Vec<Row>,
    /// What PTX cannot say.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Functions of our own that it calls.
    pub(crate) helpers: Vec<Helper>,
    /// Functions of the module that it names.
    pub(crate) functions: Vec<FunctionId>,
    /// What a debugger needs to know of it, if it is told anything.
    pub(crate) selected: Option<Selected>,
}

/// What is known of the bits of a register above those of the integer it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Upper {
    /// Nothing.
    #[default]
    Unknown,
    /// Zeros.
    Zeros,
    /// Copies of the sign bit.
    Signs,
}

/// How a parameter is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In registers: see `arguments`.
    Registers,
    /// Its memory is the parameter itself, of this name: only read.
    Parameter(String),
    /// Its memory is in the frame at this offset.
    Frame(u64),
}

/// The lowering of one function.
pub(crate) struct Lowering<'m> {
    pub(crate) scope: &'m Scope<'m>,
    pub(crate) context: &'m Context,
    pub(crate) body: &'m Function,
    pub(crate) declaration: &'m Declaration,
    /// The name of the function in PTX.
    pub(crate) name: &'m str,
    pub(crate) mode: Mode,
    pub(crate) needed: Needed,
    pub(crate) registers: RegisterCounts,
    /// By instruction; empty before it is lowered.
    pub(crate) values: Vec<Parts>,
    /// By instruction.
    pub(crate) upper: Vec<Upper>,
    pub(crate) arguments: Vec<Parts>,
    pub(crate) places: Vec<Place>,
    pub(crate) frame: Frame,
    /// Addresses of symbols that the current block already has in a register.
    pub(crate) symbols_in_registers: FxHashMap<ConstantId, Register>,
    /// Indices times element sizes that the current block already has in a register.
    pub(crate) scaled_indices: FxHashMap<(Value, u64), Register>,
    /// The same of the low 32 bits of addresses in shared memory.
    pub(crate) narrow_symbols: FxHashMap<ConstantId, Register>,
    pub(crate) narrow_scaled: FxHashMap<(Value, u64), Register>,
    /// The text of the current block.
    pub(crate) text: String,
    /// Where it comes from.
    pub(crate) rows: Vec<Row>,
    pub(crate) labels: u32,
    pub(crate) calls: u32,
    pub(crate) helpers: Vec<Helper>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The instruction being lowered, for diagnostics.
    pub(crate) current: Option<InstructionId>,
    /// The block that is written after the current one.
    pub(crate) next_block: Option<BlockId>,
    /// By block: whether its lowering has begun.
    pub(crate) lowered: Vec<bool>,
    /// The predecessors of blocks, once they have been asked for.
    pub(crate) predecessors: Option<Predecessors>,
    /// Where scopes begin and end, if a debugger is told.
    scopes: Option<ScopeLabels>,
}

/// Lowers a function.
pub(crate) fn write<'m>(scope: &'m Scope<'m>, body: &'m Function, declaration: &'m Declaration) -> Written {
    let context = scope.context();
    let mut lowering = Lowering {
        scope,
        context,
        body,
        declaration,
        name: scope.function_name(body.id()),
        mode: Mode::of(scope, declaration),
        needed: Needed::of(scope, body, declaration),
        registers: RegisterCounts::default(),
        values: vec![Parts::new(); body.instruction_limit()],
        upper: vec![Upper::Unknown; body.instruction_limit()],
        arguments: vec![Parts::new(); body.parameters().len()],
        places: vec![Place::Registers; body.parameters().len()],
        frame: Frame::default(),
        symbols_in_registers: FxHashMap::default(),
        scaled_indices: FxHashMap::default(),
        narrow_symbols: FxHashMap::default(),
        narrow_scaled: FxHashMap::default(),
        text: String::new(),
        rows: Vec::new(),
        labels: 0,
        calls: 0,
        helpers: Vec::new(),
        diagnostics: Vec::new(),
        current: None,
        next_block: None,
        lowered: vec![false; body.block_limit()],
        predecessors: None,
        scopes: None,
    };
    let code = lowering.lower();
    lowering.finish(&code)
}

impl<'m> Lowering<'m> {
    /// Lowers parameters and blocks; the text of the body.
    fn lower(&mut self) -> String {
        let scope = self.scope;
        let order = reverse_post_order(self.body);
        self.lower_parameters();
        let mut code = std::mem::take(&mut self.text);
        for &block in &order {
            for phi in self.body.phis(block) {
                if self.needed.contains(phi) {
                    self.define_new(phi);
                }
            }
        }
        let mut texts: Vec<Option<(String, Vec<Row>)>> = vec![None; self.body.block_limit()];
        let mut rows = std::mem::take(&mut self.rows);
        let reachable: Vec<bool> = {
            let mut reachable = vec![false; self.body.block_limit()];
            order.iter().for_each(|block| reachable[block.index()] = true);
            reachable
        };
        let layout: Vec<BlockId> = self.body.blocks().filter(|block| reachable[block.index()]).collect();
        let debug = scope.module.debug.as_ref().filter(|_| scope.options.debug);
        if let Some(function) = debug.and_then(|debug| debug.functions.get(&self.body.id())) {
            self.scopes = Some(ScopeLabels::of(self.context, self.body, function, &layout));
        }
        let mut following = vec![None; self.body.block_limit()];
        for pair in layout.windows(2) {
            following[pair[0].index()] = Some(pair[1]);
        }
        for &block in &order {
            self.next_block = following[block.index()];
            self.lower_block(block);
            texts[block.index()] = Some((std::mem::take(&mut self.text), std::mem::take(&mut self.rows)));
        }
        let kept = loops_to_keep(self.body, &order);
        for (number, block) in layout.iter().enumerate() {
            if number > 0 {
                let _ = writeln!(code, "{}:", self.label(*block));
            }
            if kept.contains(block) {
                code.push_str("\t.pragma \"nounroll\";\n");
            }
            if let Some((text, own)) = texts[block.index()].take() {
                rows.extend(moved(own, code.len()));
                code.push_str(&text);
            }
        }
        self.rows = rows;
        code
    }

    /// Whether a block comes before the current one in the order of lowering, or is that one.
    pub(crate) fn is_lowered(&self, block: BlockId) -> bool {
        self.lowered[block.index()]
    }

    fn lower_block(&mut self, block: BlockId) {
        self.lowered[block.index()] = true;
        self.symbols_in_registers.clear();
        self.scaled_indices.clear();
        self.narrow_symbols.clear();
        self.narrow_scaled.clear();
        let mut location = None;
        self.note_place(self.body.declared_at(), false);
        let mut written = WrittenCalls::default();
        for id in self.body.instructions(block) {
            self.scope_labels(id, true);
            if !self.body.instruction(id).is_phi() && self.needed.contains(id) {
                self.current = Some(id);
                if let Some(place) = self.body.location(id).filter(|_| location != self.body.location(id)) {
                    location = Some(place);
                    self.note_place(location, false);
                    self.scope
                        .files
                        .locate(&mut self.text, self.context, place, &mut written);
                }
                self.lower_instruction(block, id);
            }
            self.scope_labels(id, false);
        }
        self.current = None;
    }

    /// What is written next comes from a place.
    pub(crate) fn note_place(&mut self, location: Option<LocationId>, verbatim: bool) {
        self.rows.push(Row {
            offset: self.text.len(),
            location,
            verbatim,
        });
    }

    /// The labels of scopes that begin at an instruction, or end behind it.
    fn scope_labels(&mut self, id: InstructionId, begin: bool) {
        let Some(scopes) = &self.scopes else { return };
        let (found, label): (_, fn(FunctionId, DebugScopeId) -> String) = match begin {
            true => (scopes.begins(id), debug::scope_begin),
            false => (scopes.ends(id), debug::scope_end),
        };
        for &scope in found {
            let _ = writeln!(self.text, "{}:", label(self.body.id(), scope));
        }
    }

    fn lower_instruction(&mut self, block: BlockId, id: InstructionId) {
        let body = self.body;
        match body.instruction(id) {
            Instruction::Binary { op, flags, left, right } => self.lower_binary(id, *op, *flags, *left, *right),
            Instruction::FNeg { operand, .. } => self.lower_negation(id, *operand),
            Instruction::ICmp {
                predicate, left, right, ..
            } => self.lower_icmp(id, *predicate, *left, *right),
            Instruction::FCmp {
                predicate, left, right, ..
            } => self.lower_fcmp(id, *predicate, *left, *right),
            Instruction::Cast { op, operand, .. } => self.lower_cast(id, *op, *operand),
            Instruction::Select {
                condition,
                on_true,
                on_false,
                ..
            } => {
                self.lower_select(id, *condition, *on_true, *on_false);
            }
            Instruction::Freeze { operand } => {
                let parts = self.parts(*operand);
                self.define(id, parts);
            }
            Instruction::Phi { .. } => {}
            Instruction::Alloca { ty, count, align } => self.lower_alloca(id, *ty, *count, *align),
            Instruction::Load { pointer, access } => self.lower_load(id, *pointer, *access),
            Instruction::Store { pointer, value, access } => self.lower_store(*pointer, *value, *access),
            Instruction::Gep {
                source, base, indices, ..
            } => self.lower_gep(id, *source, *base, indices),
            Instruction::ExtractElement { vector, index } => self.lower_extract_element(id, *vector, *index),
            Instruction::InsertElement { vector, element, index } => {
                self.lower_insert_element(id, *vector, *element, *index);
            }
            Instruction::ShuffleVector { left, right, mask } => self.lower_shuffle(id, *left, *right, mask),
            Instruction::ExtractValue { aggregate, indices } => self.lower_extract_value(id, *aggregate, indices),
            Instruction::InsertValue {
                aggregate,
                element,
                indices,
            } => {
                self.lower_insert_value(id, *aggregate, *element, indices);
            }
            Instruction::Call(call) => self.lower_call(id, call),
            Instruction::AtomicRmw {
                op,
                pointer,
                value,
                atomic,
                align,
                ..
            } => {
                self.lower_atomic_rmw(id, *op, *pointer, *value, *atomic, *align);
            }
            Instruction::CompareExchange {
                pointer,
                expected,
                new,
                atomic,
                failure,
                ..
            } => {
                self.lower_compare_exchange(id, *pointer, *expected, *new, *atomic, *failure);
            }
            Instruction::Fence(atomic) => self.lower_fence(*atomic),
            Instruction::Branch { target } => self.lower_branch(block, *target),
            Instruction::ConditionalBranch {
                condition,
                on_true,
                on_false,
            } => {
                self.lower_conditional_branch(block, *condition, *on_true, *on_false);
            }
            Instruction::Switch { value, default, cases } => self.lower_switch(block, *value, *default, cases),
            Instruction::IndirectBranch { .. } => self.unsupported("a branch to the address of a block"),
            Instruction::Return { value } => self.lower_return(*value),
            Instruction::Unreachable => self.lower_unreachable(id),
        }
    }

    /// Puts head, declarations and code together.
    fn finish(mut self, code: &str) -> Written {
        let mut text = String::new();
        text.push_str(global::linkage(self.declaration.linkage, false));
        if self.declaration.is_kernel() {
            signature::write_kernel(&mut text, self.context, self.declaration, self.name);
            if let Some(limit) = self.scope.options.maximum_registers
                && self
                    .declaration
                    .kernel
                    .as_ref()
                    .is_some_and(|kernel| kernel.maximum_registers.is_none())
            {
                let _ = write!(text, "\n.maxnreg {limit}");
            }
        } else {
            signature::write_function(&mut text, self.context, self.declaration, self.name);
        }
        text.push_str("\n{\n");
        let prologue = self.frame_prologue();
        self.registers.declare(&mut text);
        text.push('\n');
        let id = self.body.id();
        let label = |text: &mut String, label: fn(FunctionId) -> String| {
            if self.scopes.is_some() {
                let _ = writeln!(text, "{}:", label(id));
            }
        };
        label(&mut text, debug::function_begin);
        if let Some(place) = self.body.declared_at() {
            let files = &self.scope.files;
            files.locate(&mut text, self.context, place, &mut WrittenCalls::default());
        }
        text.push_str(&prologue);
        let mut rows = vec![Row {
            offset: 0,
            location: self.body.declared_at(),
            verbatim: false,
        }];
        rows.extend(moved(std::mem::take(&mut self.rows), text.len()));
        text.push_str(code);
        label(&mut text, debug::function_end);
        text.push_str("}\n");
        let frame = self.frame_name();
        let selected = self.scopes.map(|scopes| Selected {
            places: self.frame.into_places(),
            frame,
            scopes,
        });
        let mut functions = Vec::new();
        for id in self.body.all_instructions().filter(|&id| self.needed.contains(id)) {
            functions_named(self.context, self.body.instruction(id), &mut functions);
        }
        functions.retain(|&function| !self.scope.module.symbols.functions[function].name.starts_with("llvm."));
        Written {
            text,
            rows,
            diagnostics: self.diagnostics,
            helpers: self.helpers,
            functions,
            selected,
        }
    }

    // Writing.

    /// Writes one instruction.
    pub(crate) fn line(&mut self, instruction: fmt::Arguments<'_>) {
        self.text.push('\t');
        let _ = self.text.write_fmt(instruction);
        self.text.push_str(";\n");
    }

    /// The label of a block.
    pub(crate) fn label(&self, block: BlockId) -> String {
        format!("$L__BB{}_{}", self.body.id().index(), block.index())
    }

    /// A label that no block has.
    pub(crate) fn new_label(&mut self) -> String {
        self.labels += 1;
        format!("$L__X{}_{}", self.body.id().index(), self.labels)
    }

    /// Writes a label.
    pub(crate) fn place_label(&mut self, label: &str) {
        let _ = writeln!(self.text, "{label}:");
    }

    /// Makes a register.
    pub(crate) fn register(&mut self, class: Class) -> Register {
        self.registers.make(class)
    }

    /// Says that something is not supported, at the current instruction.
    pub(crate) fn unsupported(&mut self, what: impl fmt::Display) {
        let mut diagnostic =
            Diagnostic::error(format!("{what} is not supported")).about(format!("function {}", self.declaration.name));
        let current = self.current.and_then(|id| self.body.location(id));
        if let Some(location) = current.or(self.body.declared_at()) {
            let data = self.context.location_data(location);
            diagnostic = diagnostic
                .in_file(self.context.text(data.file))
                .at_line(data.line as usize, data.column as usize);
        }
        self.diagnostics.push(diagnostic);
    }

    // Values.

    /// The parts of a type; too many are reported, and none are given.
    pub(crate) fn flatten(&mut self, ty: Type) -> PartList {
        flatten(self.context, ty).unwrap_or_else(|| {
            self.unsupported("a value of more than 4096 parts");
            PartList::new()
        })
    }

    /// The type of a value.
    pub(crate) fn type_of(&self, value: Value) -> Type {
        self.body.type_of(value)
    }

    /// The scalar that a value is, if it is one of at most 64 bits.
    pub(crate) fn scalar_of(&self, value: Value) -> Option<Scalar> {
        scalar(self.type_of(value))
    }

    /// The registers and constants of a value.
    pub(crate) fn parts(&mut self, value: Value) -> Parts {
        match value {
            Value::Argument(number) => self.argument(number),
            Value::Instruction(id) => {
                let parts = self.values[id.index()].clone();
                if parts.is_empty() && !self.flatten(self.body.result_type(id)).is_empty() {
                    self.unsupported(format_args!(
                        "internal: the result of {} before it is computed",
                        self.body.instruction(id).mnemonic()
                    ));
                    return self.zeros(self.body.result_type(id));
                }
                parts
            }
            Value::Constant(id) => self.constant(id),
        }
    }

    /// The first and only part of a value.
    pub(crate) fn operand(&mut self, value: Value) -> Operand {
        let parts = self.parts(value);
        parts.first().copied().unwrap_or(Operand::Integer(Class::B32, 0))
    }

    /// The first and only part of a value, in a register.
    pub(crate) fn operand_register(&mut self, value: Value) -> Register {
        let operand = self.operand(value);
        self.in_register(operand)
    }

    /// An operand in a register.
    pub(crate) fn in_register(&mut self, operand: Operand) -> Register {
        match operand {
            Operand::Register(register) => register,
            constant => {
                let register = self.register(constant.class());
                self.copy(register, constant);
                register
            }
        }
    }

    /// Copies an operand to a register of its class.
    pub(crate) fn copy(&mut self, destination: Register, source: Operand) {
        let ty = destination.class.move_type();
        match source {
            // The only truth values that `mov.pred` knows are 0 and not 0.
            Operand::Integer(Class::Predicate, value) => emit!(self, "mov.pred {destination}, {}", value & 1),
            _ => emit!(self, "mov.{ty} {destination}, {source}"),
        }
    }

    /// Says what an instruction's result is.
    pub(crate) fn define(&mut self, id: InstructionId, parts: Parts) {
        self.values[id.index()] = parts;
    }

    /// Says what an instruction's result of one part is.
    pub(crate) fn define_one(&mut self, id: InstructionId, operand: impl Into<Operand>) {
        self.values[id.index()] = Parts::from_iter([operand.into()]);
    }

    /// Makes the registers of an instruction's result.
    pub(crate) fn define_new(&mut self, id: InstructionId) -> Vec<Register> {
        let parts = self.flatten(self.body.result_type(id));
        let registers: Vec<Register> = parts.iter().map(|part| self.registers.make(part.class)).collect();
        self.values[id.index()] = registers.iter().copied().map(Operand::Register).collect();
        registers
    }

    /// Makes the register of an instruction's result of one part.
    pub(crate) fn define_register(&mut self, id: InstructionId) -> Register {
        let registers = self.define_new(id);
        registers.first().copied().unwrap_or(Register {
            class: Class::B32,
            number: 0,
        })
    }

    /// Zeros for every part of a type.
    pub(crate) fn zeros(&mut self, ty: Type) -> Parts {
        self.flatten(ty).iter().map(|part| zero(part.class)).collect()
    }
}

/// The zero of a class.
pub(crate) fn zero(class: Class) -> Operand {
    match class {
        Class::F32 => Operand::Single(0),
        Class::F64 => Operand::Double(0),
        _ => Operand::Integer(class, 0),
    }
}

/// The blocks that can be reached, each after all that dominate it.
fn reverse_post_order(body: &Function) -> Vec<BlockId> {
    let mut visited = vec![false; body.block_limit()];
    let mut order = Vec::new();
    let Some(entry) = body.entry() else { return order };
    visited[entry.index()] = true;
    let mut stack = vec![(entry, body.successors(entry))];
    while let Some((block, successors)) = stack.last_mut() {
        match successors.pop() {
            Some(next) if !visited[next.index()] => {
                visited[next.index()] = true;
                stack.push((next, body.successors(next)));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The heads of loops that are not to be unrolled: where the branches with that hint go back to.
fn loops_to_keep(body: &Function, order: &[BlockId]) -> Vec<BlockId> {
    let mut position = vec![usize::MAX; body.block_limit()];
    for (number, block) in order.iter().enumerate() {
        position[block.index()] = number;
    }
    let mut heads = Vec::new();
    for &block in order {
        let Some(terminator) = body.terminator(block) else {
            continue;
        };
        let hints = body
            .attachments(terminator)
            .and_then(|attachments| attachments.loop_hints.as_ref());
        if hints.is_some_and(|hints| hints.unroll_disable || hints.unroll_count == Some(1)) {
            let back = |head: &BlockId| position[head.index()] <= position[block.index()];
            heads.extend(body.successors(block).into_iter().filter(back));
        }
    }
    heads
}
