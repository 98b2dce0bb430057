//! Bodies of functions.

use rustc_hash::FxHashMap;
use warpsmith_ir::{
    Access, Atomic, BlockId, Call, Callee, Constant, ConstantId, Convention, Flags, FloatPredicate, Function,
    Instruction, InstructionId, IntPredicate, Ordering, Scope, TailCall, Type, Value,
};

use super::stream::Node;
use super::values::{address_flags, binary, cast, position, rotated};
use super::{Writer, characters};
use crate::codes::{ATOMIC, FIRST_INTEGER_RELATION, FLOAT_RELATIONS, INTEGER_RELATIONS, ORDERINGS, block};

/// A body that is being written.
struct Body<'b> {
    function: &'b Function,
    blocks: FxHashMap<BlockId, u64>,
    /// The numbers of results.
    results: FxHashMap<InstructionId, u64>,
    /// The number of the first argument.
    first: u64,
    /// The number of the next value: others are counted back from it.
    next: u64,
    nodes: Vec<Node>,
}

/// The mask of a shuffle as a constant.
pub(super) fn mask(function: &Function, lanes: &[i32]) -> ConstantId {
    let context = function.context();
    let elements: Vec<ConstantId> = lanes
        .iter()
        .map(|&lane| match lane {
            0.. => context.int(32, i128::from(lane)),
            _ => context.poison(Type::I32),
        })
        .collect();
    context.aggregate(context.vector(Type::I32, lanes.len() as u64), &elements)
}

impl Writer<'_> {
    /// The block of a body.
    pub(super) fn body(&mut self, function: &Function) -> Node {
        let first = self.values.end();
        let blocks = function
            .blocks()
            .enumerate()
            .map(|(index, block)| (block, index as u64));
        let mut body = Body {
            function,
            blocks: blocks.collect(),
            results: FxHashMap::default(),
            first,
            next: first + function.parameters().len() as u64,
            nodes: Vec::new(),
        };
        body.nodes.push(Node::Record(1, vec![body.blocks.len() as u64]));
        let mut next = body.next;
        for id in function.all_instructions() {
            if function.result_type(id) != Type::Void {
                body.results.insert(id, next);
                next += 1;
            }
        }
        let mut last_place = None;
        let mut attached = Vec::new();
        for (index, id) in function.all_instructions().enumerate() {
            let record = self.instruction(&body, id);
            body.nodes.push(record);
            body.next += u64::from(function.result_type(id) != Type::Void);
            self.place(&mut body, id, &mut last_place);
            let mut pairs = self.marks(function.instruction(id));
            if let Some(attachments) = function.attachments(id) {
                pairs.extend(self.metadata.attachments(function.context(), attachments));
            }
            if !pairs.is_empty() {
                pairs.insert(0, index as u64);
                attached.push(Node::Record(11, pairs));
            }
        }
        let names = names(&body);
        let mut nodes = body.nodes;
        if !names.is_empty() {
            nodes.push(Node::Block(block::VALUE_NAMES, names));
        }
        if !attached.is_empty() {
            nodes.push(Node::Block(block::ATTACHMENTS, attached));
        }
        Node::Block(block::FUNCTION, nodes)
    }

    fn marks(&mut self, instruction: &Instruction) -> Vec<u64> {
        let mut pairs = Vec::new();
        if let Instruction::Load { access, .. } | Instruction::Store { access, .. } = instruction {
            for (is_set, kind) in [
                (access.invariant, "invariant.load"),
                (access.nontemporal, "nontemporal"),
            ] {
                if is_set {
                    pairs.extend(self.metadata.mark(self.values.context, kind));
                }
            }
        }
        pairs
    }

    fn place(&mut self, body: &mut Body<'_>, id: InstructionId, last: &mut Option<warpsmith_ir::LocationId>) {
        let Some(place) = body.function.location(id) else {
            return;
        };
        if *last == Some(place) {
            body.nodes.push(Node::Record(33, Vec::new()));
            return;
        }
        *last = Some(place);
        let context = self.values.context;
        let location = *context.location_data(place);
        let scope = self.metadata.subprogram(context, location.file, location.function);
        let outer = location.inlined_at.map(|outer| self.metadata.location(context, outer));
        let numbers = vec![
            u64::from(location.line),
            u64::from(location.column),
            scope + 1,
            outer.map_or(0, |outer| outer + 1),
            0,
        ];
        body.nodes.push(Node::Record(35, numbers));
    }

    /// The number of a value.
    fn id(&mut self, body: &Body<'_>, value: Value) -> u64 {
        match value {
            Value::Argument(index) => body.first + u64::from(index),
            Value::Instruction(id) => body.results.get(&id).copied().unwrap_or(0),
            Value::Constant(id) => self.values.constant(id),
        }
    }

    /// A value counted back, in 32 bits.
    fn value(&mut self, body: &Body<'_>, value: Value, to: &mut Vec<u64>) {
        let id = self.id(body, value);
        to.push(u64::from((body.next as u32).wrapping_sub(id as u32)));
    }

    /// The same with its type behind it where it is defined later.
    fn pair(&mut self, body: &Body<'_>, value: Value, to: &mut Vec<u64>) {
        self.value(body, value, to);
        if self.id(body, value) >= body.next {
            to.push(self.values.ty(body.function.type_of(value)));
        }
    }

    fn ty_of(&mut self, body: &Body<'_>, value: Value) -> u64 {
        self.values.ty(body.function.type_of(value))
    }

    fn atomic(&self, atomic: Atomic, to: &mut Vec<u64>) {
        to.push(ordering(atomic.ordering));
        to.push(scope(atomic.scope));
    }

    fn instruction(&mut self, body: &Body<'_>, id: InstructionId) -> Node {
        use Instruction as I;
        let function = body.function;
        let mut n = Vec::new();
        let code = match function.instruction(id) {
            I::Binary { op, flags, left, right } => {
                self.pair(body, *left, &mut n);
                self.value(body, *right, &mut n);
                n.push(binary(&op.to_string()));
                promise(*flags, &mut n);
                2
            }
            I::FNeg { flags, operand } => {
                self.pair(body, *operand, &mut n);
                n.push(0);
                promise(*flags, &mut n);
                56
            }
            I::ICmp {
                predicate,
                flags,
                left,
                right,
            } => {
                self.pair(body, *left, &mut n);
                self.value(body, *right, &mut n);
                n.push(integer_relation(*predicate));
                promise(*flags, &mut n);
                28
            }
            I::FCmp {
                predicate,
                flags,
                left,
                right,
            } => {
                self.pair(body, *left, &mut n);
                self.value(body, *right, &mut n);
                n.push(float_relation(*predicate));
                promise(*flags, &mut n);
                28
            }
            I::Cast { op, flags, operand } => {
                self.pair(body, *operand, &mut n);
                n.push(self.values.ty(function.result_type(id)));
                n.push(cast(*op));
                promise(*flags, &mut n);
                3
            }
            I::Select {
                flags,
                condition,
                on_true,
                on_false,
            } => {
                self.pair(body, *on_true, &mut n);
                self.value(body, *on_false, &mut n);
                self.pair(body, *condition, &mut n);
                promise(*flags, &mut n);
                29
            }
            I::Freeze { operand } => {
                self.pair(body, *operand, &mut n);
                58
            }
            I::Phi { flags, incoming } => {
                n.push(self.values.ty(function.result_type(id)));
                for (from, value) in incoming {
                    let id = self.id(body, *value);
                    n.push(rotated(body.next as i64 - id as i64));
                    n.push(body.block(*from));
                }
                promise(*flags, &mut n);
                16
            }
            I::Alloca { ty, count, align } => {
                n.push(self.values.ty(*ty));
                n.push(self.ty_of(body, *count));
                n.push(self.id(body, *count));
                let exponent = exponent(*align);
                // That the type is that of the values, and an alignment in two parts.
                n.push(exponent & 31 | 1 << 6 | (exponent >> 5) << 8);
                let space = function.result_type(id).address_space().unwrap_or_default();
                if space.0 != 0 {
                    n.push(u64::from(space.0));
                }
                19
            }
            I::Load { pointer, access } => {
                self.pair(body, *pointer, &mut n);
                n.push(self.values.ty(function.result_type(id)));
                self.access(access, &mut n);
                if access.atomic.is_some() { 41 } else { 20 }
            }
            I::Store { pointer, value, access } => {
                self.pair(body, *pointer, &mut n);
                self.pair(body, *value, &mut n);
                self.access(access, &mut n);
                if access.atomic.is_some() { 45 } else { 44 }
            }
            I::Gep {
                flags,
                source,
                base,
                indices,
            } => {
                n.push(address_flags(*flags));
                n.push(self.values.ty(*source));
                for &operand in std::iter::once(base).chain(indices) {
                    self.pair(body, operand, &mut n);
                }
                43
            }
            I::ExtractElement { vector, index } => {
                self.pair(body, *vector, &mut n);
                self.pair(body, *index, &mut n);
                6
            }
            I::InsertElement { vector, element, index } => {
                self.pair(body, *vector, &mut n);
                self.value(body, *element, &mut n);
                self.pair(body, *index, &mut n);
                7
            }
            I::ShuffleVector {
                left,
                right,
                mask: lanes,
            } => {
                self.pair(body, *left, &mut n);
                self.value(body, *right, &mut n);
                self.pair(body, Value::Constant(mask(function, lanes)), &mut n);
                8
            }
            I::ExtractValue { aggregate, indices } => {
                self.pair(body, *aggregate, &mut n);
                n.extend(indices.iter().map(|&index| u64::from(index)));
                26
            }
            I::InsertValue {
                aggregate,
                element,
                indices,
            } => {
                self.pair(body, *aggregate, &mut n);
                self.pair(body, *element, &mut n);
                n.extend(indices.iter().map(|&index| u64::from(index)));
                27
            }
            I::Call(call) => {
                self.call(body, call, &mut n);
                34
            }
            I::AtomicRmw {
                op,
                pointer,
                value,
                atomic,
                align,
                volatile,
            } => {
                self.pair(body, *pointer, &mut n);
                self.pair(body, *value, &mut n);
                n.push(position(ATOMIC, &op.to_string()));
                n.push(u64::from(*volatile));
                self.atomic(*atomic, &mut n);
                n.push(exponent(*align));
                59
            }
            I::CompareExchange {
                pointer,
                expected,
                new,
                atomic,
                failure,
                weak,
                align,
                volatile,
            } => {
                self.pair(body, *pointer, &mut n);
                self.pair(body, *expected, &mut n);
                self.value(body, *new, &mut n);
                n.push(u64::from(*volatile));
                self.atomic(*atomic, &mut n);
                n.push(ordering(*failure));
                n.push(u64::from(*weak));
                n.push(exponent(*align));
                46
            }
            I::Fence(atomic) => {
                self.atomic(*atomic, &mut n);
                36
            }
            I::Branch { target } => {
                n.push(body.block(*target));
                11
            }
            I::ConditionalBranch {
                condition,
                on_true,
                on_false,
            } => {
                n.extend([body.block(*on_true), body.block(*on_false)]);
                self.value(body, *condition, &mut n);
                11
            }
            I::Switch { value, default, cases } => {
                n.push(self.ty_of(body, *value));
                self.value(body, *value, &mut n);
                n.push(body.block(*default));
                for case in cases {
                    n.push(self.values.constant(function.context().integer(case.value.clone())));
                    n.push(body.block(case.target));
                }
                12
            }
            I::IndirectBranch { address, targets } => {
                n.push(self.ty_of(body, *address));
                self.value(body, *address, &mut n);
                n.extend(targets.iter().map(|&target| body.block(target)));
                31
            }
            I::Return { value } => {
                if let Some(value) = value {
                    self.pair(body, *value, &mut n);
                }
                10
            }
            I::Unreachable => 15,
        };
        Node::Record(code, n)
    }

    fn access(&self, access: &Access, to: &mut Vec<u64>) {
        to.extend([exponent(access.align), u64::from(access.volatile)]);
        if let Some(atomic) = access.atomic {
            self.atomic(atomic, to);
        }
    }

    fn call(&mut self, body: &Body<'_>, call: &Call, n: &mut Vec<u64>) {
        let attributes = call.attributes.as_deref().map(|attributes| (attributes, None));
        let list = self.attributes.list(
            &mut self.values,
            attributes,
            call.result_attributes.as_deref(),
            &call.argument_attributes,
        );
        n.push(list);
        let tail = match call.tail {
            TailCall::None => 0,
            TailCall::Tail => 1,
            TailCall::Must => 1 | 1 << 14,
            TailCall::Never => 1 << 16,
        };
        let flags = fast(call.flags);
        // That the type of the function follows.
        n.push(tail | convention(call.convention, false) << 1 | 1 << 15 | u64::from(flags != 0) << 17);
        if flags != 0 {
            n.push(flags);
        }
        n.push(self.values.ty(Type::Function(call.ty)));
        let callee = match &call.callee {
            Callee::Function(function) => self.values.functions.get(function).copied().unwrap_or(0),
            Callee::Indirect(value) => self.id(body, *value),
            Callee::Intrinsic(intrinsic, overloads) => {
                let name = intrinsic.full_name(self.values.context, overloads);
                self.intrinsics.get(&name).map_or(0, |(number, _)| *number)
            }
            Callee::Assembly(assembly) => self.values.assembly(assembly, call.ty),
        };
        n.push(u64::from((body.next as u32).wrapping_sub(callee as u32)));
        if callee >= body.next {
            n.push(self.values.ty(Type::POINTER));
        }
        let parameters = self.values.context.function_data(call.ty).parameters.len();
        for (index, &argument) in call.arguments.iter().enumerate() {
            if let Some(node) = self.metadata_argument(argument) {
                n.push(u64::from((body.next as u32).wrapping_sub(node as u32)));
            } else if index < parameters {
                self.value(body, argument, n);
            } else {
                self.pair(body, argument, n);
            }
        }
    }

    /// The number of metadata that is an argument.
    pub(super) fn metadata_argument(&mut self, argument: Value) -> Option<u64> {
        let id = argument.as_constant()?;
        match self.values.context.constant(id) {
            Constant::Metadata(text) => {
                let quoted = text.strip_prefix("!\"").and_then(|rest| rest.strip_suffix('"'));
                Some(match quoted {
                    Some(text) => self.metadata.text(text),
                    None => self.metadata.node(&[]),
                })
            }
            _ => None,
        }
    }
}

impl Body<'_> {
    fn block(&self, block: BlockId) -> u64 {
        self.blocks.get(&block).copied().unwrap_or(0)
    }
}

/// The names of values and blocks.
fn names(body: &Body<'_>) -> Vec<Node> {
    let function = body.function;
    let mut used = rustc_hash::FxHashSet::default();
    let mut names = Vec::new();
    let mut add = |code: u32, number: u64, name: Option<&str>| {
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            return;
        };
        // Names need not differ in the IR.
        let mut candidate = name.to_owned();
        let mut suffix = 0;
        while !used.insert(candidate.clone()) {
            suffix += 1;
            candidate = format!("{name}.{suffix}");
        }
        let mut numbers = vec![number];
        numbers.extend(characters(&candidate));
        names.push(Node::Record(code, numbers));
    };
    for index in 0..function.parameters().len() as u32 {
        add(1, body.first + u64::from(index), function.name(Value::Argument(index)));
    }
    for block in function.blocks() {
        add(2, body.block(block), function.block_name(block));
        for id in function.instructions(block) {
            if let Some(&number) = body.results.get(&id) {
                add(1, number, function.name(Value::Instruction(id)));
            }
        }
    }
    names
}

/// Adds what an operation promises, where it does.
fn promise(flags: Flags, to: &mut Vec<u64>) {
    let bit = |flag, bit: u64| if flags.contains(flag) { 1 << bit } else { 0 };
    let number = fast(flags)
        | bit(Flags::NO_UNSIGNED_WRAP, 0)
        | bit(Flags::NO_SIGNED_WRAP, 1)
        | bit(Flags::EXACT, 0)
        | bit(Flags::DISJOINT, 0)
        | bit(Flags::NON_NEGATIVE, 0)
        | bit(Flags::SAME_SIGN, 0);
    if number != 0 {
        to.push(number);
    }
}

/// The promises about floats.
fn fast(flags: Flags) -> u64 {
    let bit = |flag, bit: u64| if flags.contains(flag) { 1 << bit } else { 0 };
    bit(Flags::NO_NAN, 1)
        | bit(Flags::NO_INFINITY, 2)
        | bit(Flags::NO_SIGNED_ZERO, 3)
        | bit(Flags::RECIPROCAL, 4)
        | bit(Flags::CONTRACT, 5)
        | bit(Flags::APPROXIMATE, 6)
        | bit(Flags::REASSOCIATE, 7)
}

/// The exponent of an alignment plus one; 0 for none.
pub(super) fn exponent(align: u32) -> u64 {
    match align {
        0 => 0,
        align => u64::from(align.trailing_zeros()) + 1,
    }
}

pub(super) fn convention(convention: Convention, is_kernel: bool) -> u64 {
    match convention {
        _ if is_kernel => 71,
        Convention::C => 0,
        Convention::Fast => 8,
        Convention::Cold => 9,
        Convention::Numbered(number) => u64::from(number),
    }
}

fn ordering(ordering: Ordering) -> u64 {
    position(ORDERINGS, &ordering.to_string())
}

/// The numbers of scopes, in the order of the table of their names.
fn scope(scope: Scope) -> u64 {
    position(&super::SCOPES, &scope.to_string())
}

fn integer_relation(predicate: IntPredicate) -> u64 {
    FIRST_INTEGER_RELATION + position(INTEGER_RELATIONS, &predicate.to_string())
}

fn float_relation(predicate: FloatPredicate) -> u64 {
    position(FLOAT_RELATIONS, &predicate.to_string())
}
