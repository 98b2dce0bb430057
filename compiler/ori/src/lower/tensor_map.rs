//! Tensor maps in memory: `tensormap.replace`, `tensormap.cp_fenceproxy`, and the fences and prefetches of their cache.
//!
//! A field is changed by an ordinary load and store of its word. Where each field is, and which instruction does the rest: observed, ptxas 13.0.88, sm_90a and
//! sm_100a.

use warpsmith_ptx::{
    instruction::Variant,
    module::{Address, Operand},
    table::{Modifier as M, Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    memory::{Scope, Space, Strength, scope_of, space_of},
    steps::{LEFT, RIGHT, logic, number, plus, shift},
};
use crate::select::{Request, Source, Value};

/// `(a & ~b) | (c & b)` of `LOP3`.
const INSERT: u32 = 0xb8;

/// The least scope of what concerns other proxies.
fn outer(scope: Scope) -> Scope {
    match scope {
        Scope::Cta | Scope::Gpu => Scope::Gpu,
        Scope::System => Scope::System,
    }
}

impl Lowering<'_> {
    /// Instructions on tensor maps.
    pub(super) fn tensor_maps(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        Some(match variant.opcode {
            Opcode::TensormapReplace => self.replace_field(variant, operands),
            Opcode::TensormapCpFenceproxy => self.copy_tensor_map(variant, operands),
            Opcode::Prefetch if variant.has(M::Tensormap) => self.prefetch_tensor_map(variant, operands),
            Opcode::FenceProxy if variant.has(M::TensormapGeneric) => self.tensor_map_fence(variant, operands),
            _ => return None,
        })
    }

    /// An instruction on the cache of tensor maps, with an address.
    fn cache_control(&mut self, operation: &'static str, words: super::steps::Words) -> Lowered {
        let request = Request::new(O::Utmacctl).form("AU").text(F::Operation, operation);
        self.thread_by_thread(std::iter::once((F::URa, words)).collect(), request)
    }

    fn prefetch_tensor_map(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [Operand::Address(address)] = operands else {
            return Err(UNSUPPORTED);
        };
        let space = space_of(variant)?;
        let by_register = matches!(address.base, warpsmith_ptx::module::AddressBase::Register(_));
        let words = match space {
            Space::Parameter | Space::Constant if by_register => {
                let at = self.wide_address(Space::Global, address)?;
                let at = self.change_space(space, true, [at[0], at[1]])?;
                [at.word(0), at.word(1)].into_iter().map(Source::from).collect()
            }
            _ => self.wide_address(Space::Generic, address)?,
        };
        self.cache_control("PF", words)
    }

    /// `fence.proxy.tensormap::generic`
    fn tensor_map_fence(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let scope = outer(scope_of(variant).ok_or(UNSUPPORTED)?);
        let [Operand::Address(address), ..] = operands else {
            return self.fence("ALL", scope);
        };
        let words = self.wide_address(Space::Generic, address)?;
        self.new_block();
        self.emit(Request::new(O::Depbar).form("SBS").number(F::ScoreboardSet, 0x3f))?;
        self.cache_control("IV", words)
    }

    /// `tensormap.cp_fenceproxy`: each thread copies a word, and the others see it as it comes.
    fn copy_tensor_map(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [Operand::Address(to), Operand::Address(from), ..] = operands else {
            return Err(UNSUPPORTED);
        };
        let scope = outer(scope_of(variant).ok_or(UNSUPPORTED)?);
        let lane = self.step(Request::new(O::S2r).form("R_S").text(F::SpecialRegister, "SR_LANEID"))?;
        let lane = self.step(shift(lane, number(2), Value::Zero, LEFT))?;
        let (from, offset) = self.locate(Space::Shared, from)?;
        let from = self.step(plus(from, lane))?;
        let word = self.temporary(1);
        let load = self.access_at(Space::Shared, (from.word(0), offset), true, Strength::Weak)?;
        self.emit(load.to(word))?;
        let to = self.wide_address(Space::Global, to)?;
        let place = self.temporary(2);
        self.add_pairs(place, [to[0], to[1]], [lane.into(), Value::Zero.into()])?;
        self.exchange_word((place.word(0), 0), word, scope)
    }

    /// `tensormap.replace`
    fn replace_field(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [Operand::Address(map), rest @ ..] = operands else {
            return Err(UNSUPPORTED);
        };
        let (ordinal, value) = match rest {
            [value] => (0, value),
            [Operand::Integer(ordinal, _), value] if *ordinal <= 4 => (*ordinal as u32, value),
            _ => return Err(UNSUPPORTED),
        };
        let space = space_of(variant)?;
        let has = |modifier: M| variant.has(modifier);
        if has(M::GlobalAddress) || has(M::GlobalStride) {
            let low = self.word(Some(value), Type::B64, 0)?;
            let high = self.word(Some(value), Type::B64, 1)?;
            return match has(M::GlobalAddress) {
                true => {
                    self.store_map_word(space, map, 0, low)?;
                    self.store_map_word(space, map, 1, high)
                }
                false => self.replace_stride(space, map, ordinal, [low, high]),
            };
        }
        if let Operand::Integer(value, _) = value
            && let Some((mask, bits)) = constant_field(variant, *value as u32)
        {
            return self.insert_bits(space, map, 2, mask, number(bits));
        }
        let value = self.source(Some(value), Type::B32)?;
        if has(M::Rank) {
            return self.insert_in_word(space, map, (2, 4, 3), value);
        }
        let value: Source = match value.value {
            Value::Immediate(value) => number(value.wrapping_sub(1)),
            _ => self.step(plus(value, number(u32::MAX)))?.into(),
        };
        match ordinal {
            _ if has(M::GlobalDim) => self.store_map_word(space, map, 8 + ordinal, value),
            _ if has(M::ElementStride) => self.insert_in_word(space, map, (13, 3 * ordinal, 3), value),
            0 if has(M::BoxDim) => self.insert_in_word(space, map, (13, 24, 8), value),
            _ if has(M::BoxDim) => self.insert_in_word(space, map, (14, 8 * (ordinal - 1), 8), value),
            _ => Err(UNSUPPORTED),
        }
    }

    /// Strides are in units of 16 bytes: 32 bits in a word of their own, four more in word 7. (That of a fifth dimension would be in word 7.)
    fn replace_stride(&mut self, space: Space, map: &Address, ordinal: u32, [low, high]: [Source; 2]) -> Lowered {
        let middle = super::steps::Funnel { high: false, ..RIGHT };
        let middle = super::steps::Funnel { kind: "U64", ..middle };
        let low = self.step(shift(low, number(4), high, middle))?;
        let high = self.step(shift(Value::Zero, number(4), high, RIGHT))?;
        self.store_map_word(space, map, 3 + ordinal, low.into())?;
        self.insert_in_word(space, map, (7, 4 * ordinal, 4), high.into())
    }

    fn map_word(map: &Address, word: u32) -> Address {
        Address {
            offset: map.offset.wrapping_add(4 * i64::from(word)),
            ..*map
        }
    }

    fn store_map_word(&mut self, space: Space, map: &Address, word: u32, value: Source) -> Lowered {
        let value = self.copied(value)?;
        let request = self.access(space, &Self::map_word(map, word), false, Strength::Weak)?;
        self.emit(request.at(F::Rb, value))
    }

    /// A value in some bits of a word.
    fn insert_in_word(
        &mut self,
        space: Space,
        map: &Address,
        (word, low, bits): (u32, u32, u32),
        value: Source,
    ) -> Lowered {
        let mask = (u32::MAX >> (32 - bits)) << low;
        let value = match value.value {
            Value::Immediate(value) => number(value << low & mask),
            Value::Zero => value,
            _ if low == 0 => value,
            Value::Register(_) | Value::Constant(..) => self.step(shift(value, number(low), Value::Zero, LEFT))?.into(),
        };
        self.insert_bits(space, map, word, mask, value)
    }

    /// Bits of a word that are in place.
    fn insert_bits(&mut self, space: Space, map: &Address, word: u32, mask: u32, value: Source) -> Lowered {
        let at = Self::map_word(map, word);
        let old = self.temporary(1);
        let load = self.access(space, &at, true, Strength::Weak)?;
        self.emit(load.to(old))?;
        let value = self.copied(value)?;
        let new = self.step(logic(old, number(mask), value, INSERT))?;
        let store = self.access(space, &at, false, Strength::Weak)?;
        self.emit(store.at(F::Rb, new))
    }
}

/// Fields of word 2 that only constants replace: the bits that change, and what they become.
fn constant_field(variant: &Variant, value: u32) -> Option<(u32, u32)> {
    let has = |modifier: M| variant.has(modifier);
    Some(if has(M::Elemtype) {
        // tf32 is f32 with a bit that other types leave as it is; later types close the gap.
        match value {
            11 | 12 => (0x780 | 1 << 16, (value - 4) << 7 | 1 << 16),
            13.. => (0x780, (value - 2) << 7),
            value => (0x780, value << 7),
        }
    } else if has(M::InterleaveLayout) {
        (0x1800, value << 11)
    } else if has(M::SwizzleMode) {
        (0x6000 | 1 << 22, (value & 3) << 13 | (value >> 2) << 22)
    } else if has(M::SwizzleAtomicity) {
        (0x38_0000, value << 19)
    } else if has(M::FillMode) {
        (0x8000, value << 15)
    } else {
        return None;
    })
}
