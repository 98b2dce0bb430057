//! What modules and functions share: interned types, constants, names and locations.

use crate::arena::{Entity, Interner, entity};
use crate::constant::{Constant, ConstantExpression, ConstantId};
use crate::integer::Integer;
use crate::location::{Location, LocationId};
use crate::module::{AliasId, FunctionId, GlobalId};
use crate::types::{
    AddressSpace, ArrayType, FunctionData, FunctionType, SequenceData, StructData, StructType, Type, VectorType,
};

entity!(
    /// A text of a [`Context`].
    Symbol, "symbol");

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum TypeData {
    Sequence(SequenceData),
    Struct(StructData),
    Function(FunctionData),
}

/// The types, constants, texts and locations of a module, shared by its functions behind an `Arc`. All methods take `&self`: functions
/// that are optimised in parallel add to it at the same time. Nothing is ever removed, and numbers from it mean nothing in another context.
#[derive(Debug, Default)]
pub struct Context {
    types: Interner<TypeData>,
    constants: Interner<Constant>,
    texts: Interner<Box<str>>,
    locations: Interner<Location>,
}

/// What stands for a composite type of a number that no type of this context has. Numbers come from the context itself, so this is never seen.
const FOREIGN: SequenceData = SequenceData {
    element: Type::Void,
    length: 0,
};

impl Context {
    /// An empty context.
    pub fn new() -> Context {
        Context::default()
    }

    // Types.

    /// The vector type of `length` elements.
    pub fn vector(&self, element: Type, length: u64) -> Type {
        Type::Vector(VectorType::from_index(
            self.types.intern(TypeData::Sequence(SequenceData { element, length })) as usize,
        ))
    }

    /// The array type of `length` elements.
    pub fn array(&self, element: Type, length: u64) -> Type {
        Type::Array(ArrayType::from_index(
            self.types.intern(TypeData::Sequence(SequenceData { element, length })) as usize,
        ))
    }

    /// The structure type of the fields.
    pub fn structure(&self, fields: &[Type], packed: bool) -> Type {
        let (size, alignment) = self.layout(fields, packed);
        let data = StructData {
            fields: fields.into(),
            packed,
            size,
            alignment,
        };
        Type::Struct(StructType::from_index(
            self.types.intern(TypeData::Struct(data)) as usize
        ))
    }

    /// The type of a function.
    pub fn function_type(&self, result: Type, parameters: &[Type], variadic: bool) -> FunctionType {
        let data = FunctionData {
            result,
            parameters: parameters.into(),
            variadic,
        };
        FunctionType::from_index(self.types.intern(TypeData::Function(data)) as usize)
    }

    fn sequence(&self, number: usize) -> SequenceData {
        match self.types.get(number as u32) {
            Some(TypeData::Sequence(data)) => *data,
            _ => FOREIGN,
        }
    }

    /// The element and length of a vector type.
    pub fn vector_parts(&self, ty: VectorType) -> SequenceData {
        self.sequence(ty.index())
    }

    /// The element and length of an array type.
    pub fn array_parts(&self, ty: ArrayType) -> SequenceData {
        self.sequence(ty.index())
    }

    /// The fields of a structure type.
    pub fn struct_data(&self, ty: StructType) -> &StructData {
        match self.types.get(ty.index() as u32) {
            Some(TypeData::Struct(data)) => data,
            _ => unreachable!("a structure type of another context"),
        }
    }

    /// The parts of a function type.
    pub fn function_data(&self, ty: FunctionType) -> &FunctionData {
        match self.types.get(ty.index() as u32) {
            Some(TypeData::Function(data)) => data,
            _ => unreachable!("a function type of another context"),
        }
    }

    /// The element type of a vector, the type itself of all others.
    #[inline]
    pub fn scalar(&self, ty: Type) -> Type {
        match ty {
            Type::Vector(vector) => self.vector_parts(vector).element,
            other => other,
        }
    }

    /// How many lanes a vector has; `None` for scalars.
    pub fn lanes(&self, ty: Type) -> Option<u64> {
        match ty {
            Type::Vector(vector) => Some(self.vector_parts(vector).length),
            _ => None,
        }
    }

    /// `scalar`, or the vector of it that has as many lanes as `shape`.
    pub fn like(&self, shape: Type, scalar: Type) -> Type {
        match self.lanes(shape) {
            Some(lanes) => self.vector(scalar, lanes),
            None => scalar,
        }
    }

    /// The type of an element or field of an array, structure or vector.
    pub fn element(&self, ty: Type, index: u64) -> Option<Type> {
        match ty {
            Type::Vector(vector) => {
                let parts = self.vector_parts(vector);
                (index < parts.length).then_some(parts.element)
            }
            Type::Array(array) => {
                let parts = self.array_parts(array);
                (index < parts.length).then_some(parts.element)
            }
            Type::Struct(structure) => self
                .struct_data(structure)
                .fields
                .get(usize::try_from(index).ok()?)
                .copied(),
            _ => None,
        }
    }

    /// How many elements or fields an array, structure or vector has.
    pub fn element_count(&self, ty: Type) -> Option<u64> {
        match ty {
            Type::Vector(vector) => Some(self.vector_parts(vector).length),
            Type::Array(array) => Some(self.array_parts(array).length),
            Type::Struct(structure) => Some(self.struct_data(structure).fields.len() as u64),
            _ => None,
        }
    }

    // Constants.

    fn intern(&self, constant: Constant) -> ConstantId {
        ConstantId::from_index(self.constants.intern(constant) as usize)
    }

    /// What a constant is.
    #[inline]
    pub fn constant(&self, id: ConstantId) -> &Constant {
        match self.constants.get(id.index() as u32) {
            Some(constant) => constant,
            None => unreachable!("a constant of another context"),
        }
    }

    /// An integer.
    pub fn integer(&self, value: Integer) -> ConstantId {
        self.intern(Constant::Int(value))
    }

    /// An integer of `bits` from the low bits of `value`, sign-extended.
    pub fn int(&self, bits: u32, value: i128) -> ConstantId {
        self.integer(Integer::signed(bits, value))
    }

    /// A truth value.
    pub fn bool(&self, value: bool) -> ConstantId {
        self.int(1, i128::from(value))
    }

    /// A float of a float type, by its bits.
    pub fn float(&self, ty: Type, bits: u64) -> ConstantId {
        self.intern(Constant::Float { ty, bits })
    }

    /// The null pointer of an address space.
    pub fn null(&self, space: AddressSpace) -> ConstantId {
        self.intern(Constant::Null(space))
    }

    /// The value of all zero bits of any type that has values.
    pub fn zero(&self, ty: Type) -> ConstantId {
        match ty {
            Type::Int(bits) => self.integer(Integer::zero(bits)),
            Type::Half | Type::BFloat | Type::Float | Type::Double => self.float(ty, 0),
            Type::Pointer(space) => self.null(space),
            Type::Token => self.intern(Constant::NoToken),
            _ => self.intern(Constant::Zero(ty)),
        }
    }

    /// The undefined value of a type.
    pub fn undef(&self, ty: Type) -> ConstantId {
        self.intern(Constant::Undef(ty))
    }

    /// The poison value of a type.
    pub fn poison(&self, ty: Type) -> ConstantId {
        self.intern(Constant::Poison(ty))
    }

    /// Whether it is a zero, a null pointer or a composite of them.
    pub fn is_zero(&self, id: ConstantId) -> bool {
        match self.constant(id) {
            Constant::Int(value) => value.is_zero(),
            Constant::Float { bits, .. } => *bits == 0,
            Constant::Null(_) | Constant::Zero(_) => true,
            _ => false,
        }
    }

    /// An array, structure or vector by its elements, in its one form.
    pub fn aggregate(&self, ty: Type, elements: &[ConstantId]) -> ConstantId {
        if elements.iter().all(|&element| self.is_zero(element)) {
            return self.zero(ty);
        }
        if elements
            .iter()
            .all(|&element| matches!(self.constant(element), Constant::Poison(_)))
        {
            return self.poison(ty);
        }
        if elements
            .iter()
            .all(|&element| matches!(self.constant(element), Constant::Undef(_)))
        {
            return self.undef(ty);
        }
        if let Type::Array(array) = ty
            && self.array_parts(array).element == Type::I8
        {
            let bytes: Option<Box<[u8]>> = elements
                .iter()
                .map(|&element| match self.constant(element) {
                    Constant::Int(value) => Some(value.low_u64() as u8),
                    _ => None,
                })
                .collect();
            if let Some(bytes) = bytes {
                return self.intern(Constant::Bytes { ty, bytes });
            }
        }
        self.intern(Constant::Aggregate {
            ty,
            elements: elements.into(),
        })
    }

    /// The array of `i8` of these bytes (no zero is added).
    pub fn bytes(&self, bytes: &[u8]) -> ConstantId {
        let ty = self.array(Type::I8, bytes.len() as u64);
        if bytes.iter().all(|&byte| byte == 0) {
            return self.zero(ty);
        }
        self.intern(Constant::Bytes {
            ty,
            bytes: bytes.into(),
        })
    }

    /// The vector of the same constant in all lanes.
    pub fn splat(&self, lanes: u64, element: ConstantId) -> ConstantId {
        let ty = self.vector(self.constant_type(element), lanes);
        self.aggregate(ty, &vec![element; usize::try_from(lanes).unwrap_or(0)])
    }

    /// The address of a variable. [`Symbols::global_address`](crate::Symbols::global_address) knows the space.
    pub fn global_address(&self, global: GlobalId, space: AddressSpace) -> ConstantId {
        self.intern(Constant::Global { global, space })
    }

    /// The address of a function.
    pub fn function_address(&self, function: FunctionId) -> ConstantId {
        self.intern(Constant::Function(function))
    }

    /// The address of what an alias stands for.
    pub fn alias_address(&self, alias: AliasId, space: AddressSpace) -> ConstantId {
        self.intern(Constant::Alias { alias, space })
    }

    /// Metadata by its text.
    pub fn metadata(&self, text: &str) -> ConstantId {
        self.intern(Constant::Metadata(text.into()))
    }

    /// The address of a block.
    pub fn block_address(&self, function: FunctionId, block: crate::BlockId) -> ConstantId {
        self.intern(Constant::Block { function, block })
    }

    /// A constant expression, as it stands.
    pub fn expression(&self, expression: ConstantExpression) -> ConstantId {
        self.intern(Constant::Expression(expression))
    }

    /// The type of a constant.
    pub fn constant_type(&self, id: ConstantId) -> Type {
        match self.constant(id) {
            Constant::Int(value) => Type::Int(value.bits()),
            Constant::Float { ty, .. } | Constant::Zero(ty) | Constant::Undef(ty) | Constant::Poison(ty) => *ty,
            Constant::Aggregate { ty, .. } | Constant::Bytes { ty, .. } => *ty,
            Constant::Null(space) | Constant::Global { space, .. } | Constant::Alias { space, .. } => {
                Type::Pointer(*space)
            }
            Constant::Function(_) | Constant::Block { .. } => Type::POINTER,
            Constant::Expression(expression) => match expression {
                ConstantExpression::Gep { base, .. } => self.constant_type(*base),
                ConstantExpression::Cast { ty, .. } => *ty,
                ConstantExpression::Binary { left, .. } => self.constant_type(*left),
            },
            Constant::Metadata(_) => Type::Metadata,
            Constant::NoToken => Type::Token,
        }
    }

    /// The element of a composite constant.
    pub fn constant_element(&self, id: ConstantId, index: u64) -> Option<ConstantId> {
        match self.constant(id) {
            Constant::Zero(ty) => Some(self.zero(self.element(*ty, index)?)),
            Constant::Undef(ty) => Some(self.undef(self.element(*ty, index)?)),
            Constant::Poison(ty) => Some(self.poison(self.element(*ty, index)?)),
            Constant::Aggregate { elements, .. } => elements.get(usize::try_from(index).ok()?).copied(),
            Constant::Bytes { bytes, .. } => bytes
                .get(usize::try_from(index).ok()?)
                .map(|&byte| self.int(8, i128::from(byte))),
            _ => None,
        }
    }

    // Texts and locations.

    /// The symbol of a text.
    pub fn symbol(&self, text: &str) -> Symbol {
        Symbol::from_index(self.texts.intern(text.into()) as usize)
    }

    /// The text of a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        self.texts.get(symbol.index() as u32).map_or("", |text| text)
    }

    /// The number of a location.
    pub fn location(&self, location: Location) -> LocationId {
        LocationId::from_index(self.locations.intern(location) as usize)
    }

    /// The location of a number.
    pub fn location_data(&self, id: LocationId) -> &Location {
        match self.locations.get(id.index() as u32) {
            Some(location) => location,
            None => unreachable!("a location of another context"),
        }
    }
}
