//! What constants are at run time.

use super::value::{Datum, lanes};
use super::{Machine, Stop, arithmetic};
use crate::arena::Entity;
use crate::constant::{Constant, ConstantExpression, ConstantId};
use crate::function::BlockId;
use crate::instruction::Flags;
use crate::integer::Integer;
use crate::module::FunctionId;
use crate::opcode::CastOp;
use crate::types::{AddressSpace, Type};

/// The address of function N is this plus 16 N.
const FUNCTIONS: u64 = 0x4_0000_0000;
/// The address of block B of function N is this plus 2^20 N plus B.
const BLOCKS: u64 = 0x40_0000_0000_0000;

impl Machine<'_> {
    pub(super) fn constant(&self, id: ConstantId) -> Result<Datum, Stop> {
        let context = self.module.context();
        Ok(match context.constant(id) {
            Constant::Int(value) => Datum::Bits(value.clone()),
            Constant::Float { ty, bits } => Datum::int(context.bit_size(*ty) as u32, *bits),
            Constant::Null(space) => Datum::zero(context, Type::Pointer(*space)),
            Constant::Zero(ty) => Datum::zero(context, *ty),
            Constant::Undef(ty) | Constant::Poison(ty) => Datum::poison(context, *ty),
            Constant::Aggregate { elements, .. } => {
                let elements: Result<Vec<Datum>, Stop> =
                    elements.iter().map(|&element| self.constant(element)).collect();
                Datum::Composite(elements?)
            }
            Constant::Bytes { bytes, .. } => {
                Datum::Composite(bytes.iter().map(|&byte| Datum::int(8, u64::from(byte))).collect())
            }
            Constant::Global { global, .. } => match self.addresses.get(global) {
                Some(&address) => Datum::int(64, address),
                None => return Err(Stop::unsupported("a variable that has been removed")),
            },
            Constant::Function(function) => Datum::int(64, FUNCTIONS + 16 * function.index() as u64),
            Constant::Alias { alias, .. } => self.constant(self.module.symbols.aliases[*alias].target)?,
            Constant::Block { function, block } => {
                Datum::int(64, BLOCKS + ((function.index() as u64) << 20) + block.index() as u64)
            }
            Constant::Expression(expression) => self.expression(expression)?,
            Constant::Metadata(_) | Constant::NoToken => Datum::void(),
        })
    }

    fn expression(&self, expression: &ConstantExpression) -> Result<Datum, Stop> {
        let context = self.module.context();
        match expression {
            ConstantExpression::Gep {
                source, base, indices, ..
            } => {
                let values: Result<Vec<Datum>, Stop> = indices.iter().map(|&index| self.constant(index)).collect();
                self.offset(*source, &self.constant(*base)?, &values?, context.constant_type(*base))
            }
            ConstantExpression::Cast { op, operand, ty } => {
                let value = self.constant(*operand)?;
                self.cast(*op, Flags::NONE, context.constant_type(*operand), *ty, &value)
            }
            ConstantExpression::Binary { op, left, right } => {
                let ty = context.scalar(context.constant_type(*left));
                arithmetic::binary(*op, Flags::NONE, ty, &self.constant(*left)?, &self.constant(*right)?)
            }
        }
    }

    /// The address that `getelementptr` computes.
    pub(super) fn offset(&self, source: Type, base: &Datum, indices: &[Datum], pointer: Type) -> Result<Datum, Stop> {
        let context = self.module.context();
        let width = context.bit_size(context.scalar(pointer)) as u32;
        let operands: Vec<&Datum> = std::iter::once(base).chain(indices).collect();
        lanes(&operands, &mut |scalars| {
            let bits: Option<Vec<&Integer>> = scalars.iter().map(|scalar| scalar.bits()).collect();
            let Some(bits) = bits else { return Ok(Datum::Poison) };
            let mut ty = source;
            let mut address = bits[0].low_u64();
            for (number, index) in bits[1..].iter().enumerate() {
                // Indices are signed, and brought to the width of addresses.
                let index = index.sign_extend(64.max(index.bits())).low_u64();
                let size = match ty {
                    _ if number == 0 => context.size(ty),
                    Type::Struct(_) => {
                        address = address.wrapping_add(context.offset_of(ty, index));
                        ty = context.element(ty, index).unwrap_or(Type::I8);
                        continue;
                    }
                    _ => {
                        let size = context.offset_of(ty, 1);
                        ty = match ty {
                            Type::Array(array) => context.array_parts(array).element,
                            other => context.scalar(other),
                        };
                        size
                    }
                };
                address = address.wrapping_add(size.wrapping_mul(index));
            }
            Ok(Datum::Bits(Integer::new(width, u128::from(address))))
        })
    }

    /// A conversion of a value of any shape.
    pub(super) fn cast(&self, op: CastOp, flags: Flags, from: Type, to: Type, value: &Datum) -> Result<Datum, Stop> {
        let context = self.module.context();
        if op == CastOp::BitCast {
            return Ok(self.bit_cast(from, to, value));
        }
        let (source, target) = (context.scalar(from), context.scalar(to));
        lanes(&[value], &mut |operands| {
            let Some(bits) = operands[0].bits() else {
                return Ok(Datum::Poison);
            };
            Ok(match op {
                CastOp::AddrSpaceCast => Datum::int(
                    context.bit_size(target) as u32,
                    change_space(source, target, bits.low_u64()),
                ),
                CastOp::IntToPtr => Datum::Bits(bits.zero_extend(context.bit_size(target) as u32)),
                _ => arithmetic::cast(op, flags, source, target, bits),
            })
        })
    }

    /// By way of memory: lanes and their poison stay where they are.
    fn bit_cast(&self, from: Type, to: Type, value: &Datum) -> Datum {
        let context = self.module.context();
        if let (Datum::Bits(_) | Datum::Poison, false) = (value, to.is_vector()) {
            return value.clone();
        }
        let mut bytes = vec![None; context.store_size(from) as usize];
        super::memory::encode(context, from, value, &mut bytes);
        super::memory::decode(context, to, &bytes)
    }

    /// The function at an address.
    pub(super) fn function_at(&self, address: u64) -> Option<FunctionId> {
        let number = address.checked_sub(FUNCTIONS)?;
        let id = FunctionId::from_index(usize::try_from(number / 16).ok()?);
        (number % 16 == 0 && id.index() < self.module.symbols.functions.len()).then_some(id)
    }

    /// The block of a function at an address.
    pub(super) fn block_at(&self, function: FunctionId, address: u64) -> Option<BlockId> {
        let number = address.checked_sub(BLOCKS + ((function.index() as u64) << 20))?;
        (number < 1 << 20).then(|| BlockId::from_index(number as usize))
    }
}

/// An address of one space in another.
fn change_space(from: Type, to: Type, address: u64) -> u64 {
    let window = |ty: Type| match ty.address_space() {
        Some(AddressSpace::SHARED | AddressSpace::SHARED_CLUSTER) => super::SHARED_WINDOW,
        Some(AddressSpace::LOCAL) => super::LOCAL_WINDOW,
        _ => 0,
    };
    address.wrapping_add(window(from)).wrapping_sub(window(to))
}
