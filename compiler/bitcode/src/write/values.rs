//! Types and constants, by their numbers in the file.

use rustc_hash::FxHashMap;
use warpsmith_ir::{
    AliasId, CastOp, Constant, ConstantExpression, ConstantId, Context, FunctionId, FunctionType, GepFlags, GlobalId,
    InlineAssembly, Type,
};

use super::stream::Node;
use crate::codes::{BINARY, BINARY_OF_FLOATS, CASTS, block};

/// The types and constants of a module.
pub(super) struct Values<'m> {
    pub(super) context: &'m Context,
    types: Vec<Node>,
    type_ids: FxHashMap<Type, u64>,
    /// Constants: the number of the type, then the record.
    constants: Vec<(u64, Node)>,
    ids: FxHashMap<ConstantId, u64>,
    assemblies: FxHashMap<(InlineAssembly, FunctionType), u64>,
    /// The number of the first constant: behind the symbols.
    first: u64,
    pub(super) globals: FxHashMap<GlobalId, u64>,
    pub(super) functions: FxHashMap<FunctionId, u64>,
    pub(super) aliases: FxHashMap<AliasId, u64>,
    /// The types of functions by their numbers as values.
    pub(super) function_types: FxHashMap<FunctionId, FunctionType>,
    /// The blocks of functions, by their places in the order.
    pub(super) blocks: FxHashMap<(FunctionId, warpsmith_ir::BlockId), u64>,
}

impl<'m> Values<'m> {
    pub(super) fn new(context: &'m Context) -> Values<'m> {
        Values {
            context,
            types: Vec::new(),
            type_ids: FxHashMap::default(),
            constants: Vec::new(),
            ids: FxHashMap::default(),
            assemblies: FxHashMap::default(),
            first: 0,
            globals: FxHashMap::default(),
            functions: FxHashMap::default(),
            aliases: FxHashMap::default(),
            function_types: FxHashMap::default(),
            blocks: FxHashMap::default(),
        }
    }

    /// Says how many symbols there are: constants are numbered behind them.
    pub(super) fn set_first(&mut self, first: u64) {
        self.first = first;
    }

    /// The number of the first value of a function.
    pub(super) fn end(&self) -> u64 {
        self.first + self.constants.len() as u64
    }

    /// The number of a type.
    pub(super) fn ty(&mut self, ty: Type) -> u64 {
        if let Some(&known) = self.type_ids.get(&ty) {
            return known;
        }
        let record = match ty {
            Type::Void => Node::Record(2, Vec::new()),
            Type::Float => Node::Record(3, Vec::new()),
            Type::Double => Node::Record(4, Vec::new()),
            Type::Label => Node::Record(5, Vec::new()),
            Type::Int(bits) => Node::Record(7, vec![u64::from(bits)]),
            Type::Half => Node::Record(10, Vec::new()),
            Type::Metadata => Node::Record(16, Vec::new()),
            Type::Token => Node::Record(22, Vec::new()),
            Type::BFloat => Node::Record(23, Vec::new()),
            Type::Pointer(space) => Node::Record(25, vec![u64::from(space.0)]),
            Type::Array(array) => {
                let parts = self.context.array_parts(array);
                Node::Record(11, vec![parts.length, self.ty(parts.element)])
            }
            Type::Vector(vector) => {
                let parts = self.context.vector_parts(vector);
                Node::Record(12, vec![parts.length, self.ty(parts.element)])
            }
            Type::Struct(structure) => {
                let data = self.context.struct_data(structure);
                let mut numbers = vec![u64::from(data.packed)];
                numbers.extend(data.fields.iter().map(|&field| self.ty(field)));
                Node::Record(18, numbers)
            }
            Type::Function(function) => {
                let data = self.context.function_data(function);
                let mut numbers = vec![u64::from(data.variadic), self.ty(data.result)];
                numbers.extend(data.parameters.iter().map(|&parameter| self.ty(parameter)));
                Node::Record(21, numbers)
            }
        };
        let id = self.types.len() as u64;
        self.types.push(record);
        self.type_ids.insert(ty, id);
        id
    }

    /// The number of a constant as a value.
    pub(super) fn constant(&mut self, id: ConstantId) -> u64 {
        if let Some(&known) = self.ids.get(&id) {
            return known;
        }
        let symbol = match self.context.constant(id) {
            Constant::Global { global, .. } => self.globals.get(global),
            Constant::Function(function) => self.functions.get(function),
            Constant::Alias { alias, .. } => self.aliases.get(alias),
            _ => None,
        };
        if let Some(&symbol) = symbol {
            return symbol;
        }
        let record = self.constant_record(id);
        let ty = self.ty(self.context.constant_type(id));
        self.add(id, ty, record)
    }

    fn add(&mut self, id: ConstantId, ty: u64, record: Node) -> u64 {
        let number = self.end();
        self.constants.push((ty, record));
        self.ids.insert(id, number);
        number
    }

    fn constant_record(&mut self, id: ConstantId) -> Node {
        let context = self.context;
        if context.is_zero(id) {
            return Node::Record(2, Vec::new());
        }
        match context.constant(id) {
            Constant::Int(value) if value.bits() <= 64 => {
                Node::Record(4, vec![rotated(value.to_i64().unwrap_or_default())])
            }
            Constant::Int(value) => {
                let words = value.words().iter().map(|&word| rotated(word as i64));
                Node::Record(5, words.collect())
            }
            Constant::Float { bits, .. } => Node::Record(6, vec![*bits]),
            Constant::Undef(_) => Node::Record(3, Vec::new()),
            Constant::Poison(_) => Node::Record(26, Vec::new()),
            Constant::Aggregate { elements, .. } => {
                let ids = elements.iter().map(|&element| self.constant(element)).collect();
                Node::Record(7, ids)
            }
            Constant::Bytes { bytes, .. } => Node::Record(22, bytes.iter().map(|&byte| u64::from(byte)).collect()),
            Constant::Block { function, block } => {
                let ty = self.function_types.get(function).copied();
                let ty = ty.map_or(0, |ty| self.ty(Type::Function(ty)));
                let block = self.blocks.get(&(*function, *block)).copied().unwrap_or(0);
                let function = self.functions.get(function).copied().unwrap_or(0);
                Node::Record(21, vec![ty, function, block])
            }
            Constant::Expression(expression) => self.expression(expression),
            // Symbols have numbers already, and what is left is all zero or no value.
            Constant::Null(_)
            | Constant::Zero(_)
            | Constant::NoToken
            | Constant::Metadata(_)
            | Constant::Global { .. }
            | Constant::Function(_)
            | Constant::Alias { .. } => Node::Record(2, Vec::new()),
        }
    }

    fn expression(&mut self, expression: &ConstantExpression) -> Node {
        match expression {
            ConstantExpression::Gep {
                flags,
                source,
                base,
                indices,
            } => {
                let mut numbers = vec![self.ty(*source)];
                // The forms that all versions read, where they say enough.
                let code = match *flags {
                    GepFlags::NONE => 12,
                    GepFlags::INBOUNDS => 20,
                    other => {
                        numbers.push(address_flags(other));
                        32
                    }
                };
                for &operand in std::iter::once(base).chain(indices) {
                    numbers.push(self.ty(self.context.constant_type(operand)));
                    numbers.push(self.constant(operand));
                }
                Node::Record(code, numbers)
            }
            ConstantExpression::Cast { op, operand, .. } => {
                let from = self.ty(self.context.constant_type(*operand));
                Node::Record(11, vec![cast(*op), from, self.constant(*operand)])
            }
            ConstantExpression::Binary { op, left, right } => {
                let (left, right) = (self.constant(*left), self.constant(*right));
                Node::Record(10, vec![binary(&op.to_string()), left, right])
            }
        }
    }

    /// The number of inline assembly as a value.
    pub(super) fn assembly(&mut self, assembly: &InlineAssembly, ty: FunctionType) -> u64 {
        let key = (assembly.clone(), ty);
        if let Some(&known) = self.assemblies.get(&key) {
            return known;
        }
        let flags = u64::from(assembly.side_effects) | u64::from(assembly.align_stack) << 1;
        let mut numbers = vec![self.ty(Type::Function(ty)), flags];
        for text in [&assembly.template, &assembly.constraints] {
            numbers.push(text.len() as u64);
            numbers.extend(text.bytes().map(u64::from));
        }
        let pointer = self.ty(Type::POINTER);
        let number = self.end();
        self.constants.push((pointer, Node::Record(30, numbers)));
        self.assemblies.insert(key, number);
        number
    }

    /// The table of types.
    pub(super) fn type_block(&self) -> Node {
        let mut nodes = vec![Node::Record(1, vec![self.types.len() as u64])];
        nodes.extend_from_slice(&self.types);
        Node::Block(block::TYPES, nodes)
    }

    /// The constants; nothing where there are none.
    pub(super) fn constant_block(&self) -> Option<Node> {
        let mut nodes = Vec::new();
        let mut current = None;
        for (ty, record) in &self.constants {
            if current != Some(*ty) {
                nodes.push(Node::Record(1, vec![*ty]));
                current = Some(*ty);
            }
            nodes.push(record.clone());
        }
        (!nodes.is_empty()).then_some(Node::Block(block::CONSTANTS, nodes))
    }
}

/// A number with its sign as the lowest bit.
pub(super) fn rotated(number: i64) -> u64 {
    match number {
        i64::MIN => 1,
        0.. => (number as u64) << 1,
        _ => number.unsigned_abs() << 1 | 1,
    }
}

pub(super) fn cast(op: CastOp) -> u64 {
    position(CASTS, &op.to_string())
}

/// The number of an operation of integers or floats.
pub(super) fn binary(word: &str) -> u64 {
    match BINARY.iter().position(|known| *known == word) {
        Some(index) => index as u64,
        None => position(BINARY_OF_FLOATS, word),
    }
}

/// The number of a word of a table that has all of them.
pub(super) fn position(words: &[&str], word: &str) -> u64 {
    words.iter().position(|known| *known == word).unwrap_or(0) as u64
}

pub(super) fn address_flags(flags: GepFlags) -> u64 {
    let bit = |flag, bit: u64| if flags.contains(flag) { 1 << bit } else { 0 };
    bit(GepFlags::INBOUNDS, 0) | bit(GepFlags::NO_UNSIGNED_SIGNED_WRAP, 1) | bit(GepFlags::NO_UNSIGNED_WRAP, 2)
}
