//! What a program asks of textures, samplers and surfaces: `txq`, `suq`, `istypep`; and where it finds those that the module names.
//!
//! The machine tells the extents of a level. The rest is in tables that the driver keeps: their addresses are in constant bank 0, and symbols of the
//! system give the bytes of a row. (Observed, ptxas 13.0.88.)

use warpsmith_ptx::{
    instruction::Variant,
    module::{Module, Operand, VariableId},
    table::{Modifier as M, Opcode, Type},
};
use warpsmith_sass::{
    FieldName as F, Opcode as O, RegisterClass,
    tables::{Cmp, Combine},
};
use warpsmith_target::{Feature, Isa};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    memory::Strength,
    operand::first_type,
    steps::{RIGHT, logic, number, product, shift},
    texture::Handle,
    variables::{is_image, unsupported},
};
use crate::{
    ir::{Origin, Reference},
    select::{Request, Source, Test, Value},
};

/// A table of the driver.
#[derive(Clone, Copy)]
struct Table {
    /// The symbol that gives the bytes of a row.
    row: &'static str,
    /// Which of the addresses in bank 0 is its own.
    number: u32,
    /// The bits of a word from which a row is counted, up to sm_89; later it is the whole word.
    mask: u32,
    /// The byte of a row that each query is at.
    columns: &'static [(M, u32)],
}

/// Textures, where each has a sampler.
const TEXTURES: Table = Table {
    row: ".nv.unified.texrefDescSize",
    number: 0,
    mask: 0xf_ffff,
    columns: &[
        (M::AddrMode0, 0x0c),
        (M::AddrMode1, 0x10),
        (M::AddrMode2, 0x14),
        (M::FilterMode, 0x18),
        (M::NormalizedCoords, 0x1c),
        (M::ChannelDataType, 0x20),
        (M::ChannelOrder, 0x24),
        (M::ArraySize, 0x28),
        (M::NumMipmapLevels, 0x2c),
        (M::NumSamples, 0x30),
    ],
};

/// Textures, where samplers are of their own.
const TEXTURES_ALONE: Table = Table {
    row: ".nv.independent.texrefDescSize",
    number: 0,
    mask: 0xf_ffff,
    columns: &[
        (M::NormalizedCoords, 0x0c),
        (M::ChannelDataType, 0x10),
        (M::ChannelOrder, 0x14),
        (M::ArraySize, 0x18),
        (M::NumMipmapLevels, 0x1c),
        (M::NumSamples, 0x20),
    ],
};

/// Samplers.
const SAMPLERS: Table = Table {
    row: ".nv.independent.samplerrefDescSize",
    number: 1,
    mask: 0xfff,
    columns: &[
        (M::AddrMode0, 0x00),
        (M::AddrMode1, 0x04),
        (M::AddrMode2, 0x08),
        (M::FilterMode, 0x0c),
        (M::ForceUnnormalizedCoords, 0x10),
    ],
};

/// Surfaces.
const SURFACES: Table = Table {
    row: ".nv.surfrefDescSize",
    number: 2,
    mask: 0xf_ffff,
    columns: &[
        (M::ChannelDataType, 0x0c),
        (M::ChannelOrder, 0x10),
        (M::MemoryLayout, 0x14),
        (M::ArraySize, 0x1c),
    ],
};

/// The symbols that give the bytes of rows.
pub(crate) const ROWS: [&str; 4] = [TEXTURES.row, TEXTURES_ALONE.row, SAMPLERS.row, SURFACES.row];

/// What the machine tells, as the bit of its mask.
const EXTENTS: [(M, u64); 3] = [(M::Width, 1), (M::Height, 2), (M::Depth, 4)];

/// The bit that handles of a type have in their high word. (Observed, ptxas 13.0.88: what `istypep` looks at.)
pub(super) fn mark(of: Type) -> Lowered<u32> {
    Ok(match of {
        Type::Texref => 1 << 29,
        Type::Samplerref => 1 << 30,
        Type::Surfref => 1 << 31,
        _ => return Err(UNSUPPORTED),
    })
}

/// Whether textures of a module have samplers of their own.
pub(crate) fn is_independent(module: &Module) -> bool {
    let mut options = module.target_options.iter();
    options.any(|option| module.names.get(*option) == "texmode_independent")
}

impl Lowering<'_> {
    /// The handle of what is bound to a name: the word behind the parameters, and the mark of its type. The number of a sampler stands in the upper bits of
    /// its word up to sm_89.
    pub(super) fn image_handle(&mut self, id: VariableId) -> Lowered<[Source; 2]> {
        let variable = &self.module.variables[id.0 as usize];
        if !is_image(variable) {
            return unsupported("a texture or surface in a variable of another type");
        }
        let word: Source = match self.plan.images.get(&id) {
            Some(slot) => Value::Constant(0, *slot).into(),
            None => self.linked_image(id)?,
        };
        let high = number(mark(variable.element)?);
        if variable.element == Type::Samplerref && !self.function.sm.has(Feature::ImagePairs) {
            let above = self.held(word)?;
            return Ok([self.step(shift(Value::Zero, number(20), above, RIGHT))?.into(), high]);
        }
        Ok([word, high])
    }

    /// The word of what is bound to a name in a relocatable file: the linker gives it a place in constant bank 0.
    fn linked_image(&mut self, id: VariableId) -> Lowered<Source> {
        let reference = Reference {
            origin: Origin::Symbol,
            symbol: self.plan.scopes.symbol_name(self.module, id),
            addend: 0,
            high: false,
        };
        let early = self.selector.has(O::Uldc);
        let uniform = self.function.register(RegisterClass::UniformGpr, 1);
        let load = Request::new(if early { O::Uldc } else { O::Ldcu }).form("UR_C");
        let load = load.to(uniform).text(F::Size, "").number(F::Bank, 0);
        self.emit_bare(load.number(F::Offset, 0).address(reference))?;
        let word = self.temporary(1);
        self.emit_bare(Request::new(O::Mov).form("R_UR").to(word).at(F::URb, uniform))?;
        Ok(word.into())
    }

    /// `txq`, `suq`
    pub(super) fn query(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [to, image, rest @ ..] = operands else {
            return Err(UNSUPPORTED);
        };
        let query = variant.slot("query").ok_or(UNSUPPORTED)?;
        if let Some((_, mask)) = EXTENTS.iter().find(|(extent, _)| *extent == query) {
            let handle = self.handle(image)?;
            let level = match rest {
                [] => Value::Zero.into(),
                [level] => self.source(Some(level), Type::U32)?,
                _ => return Err(UNSUPPORTED),
            };
            return self.extent(to, handle, level, *mask);
        }
        let independent = is_independent(self.module);
        let textures = if independent { TEXTURES_ALONE } else { TEXTURES };
        let known: &[Table] = match variant.opcode {
            Opcode::Suq => &[SURFACES],
            _ => &[textures, SAMPLERS],
        };
        let found = known.iter().find_map(|table| {
            let column = table.columns.iter().find(|(own, _)| *own == query)?;
            Some((*table, column.1))
        });
        let Some((table, column)) = found else {
            return unsupported("this query");
        };
        let handle = self.handle(image)?;
        self.column(to, handle, table, column)
    }

    /// A word of a table.
    fn column(&mut self, to: &Operand, handle: Handle, table: Table, column: u32) -> Lowered {
        let word = self.held(handle.low())?;
        let row = match self.function.sm.has(Feature::ImagePairs) {
            true => self.copied(word)?,
            false => self.step(logic(word, number(table.mask), Value::Zero, 0xc0))?,
        };
        let bytes = self.temporary(1);
        let reference = Reference {
            origin: Origin::Symbol,
            symbol: table.row.to_string(),
            addend: 0,
            high: false,
        };
        let request = Request::new(O::Mov).to(bytes).from(Value::Immediate(0));
        self.emit_bare(request.address(reference))?;
        let offset = self.step(product(row, bytes, number(column)))?;
        let base = u32::from(self.function.constants().image_tables) + 8 * table.number;
        let (start, place) = (self.temporary(2), self.temporary(2));
        self.copy_pair(start, [0, 4].map(|word| Value::Constant(0, base + word).into()))?;
        self.add_pairs(
            place,
            [start.word(0).into(), start.word(1).into()],
            [offset.into(), Value::Zero.into()],
        )?;
        let data = self.temporary(1);
        let request = self.access_at(
            super::memory::Space::Global,
            (place.into(), 0),
            true,
            Strength::Constant,
        )?;
        self.emit(request.to(data))?;
        self.deliver_list(Some(to), Type::B32, data)
    }

    /// An extent of a level.
    fn extent(&mut self, to: &Operand, handle: Handle, level: Source, mask: u64) -> Lowered {
        let isa = self.function.isa();
        let data = self.temporary(1);
        let request = Request::new(O::Txq)
            .text(F::Query, "TEX_HEADER_DIMENSION")
            .at(F::Rd, data);
        if !self.function.sm.has(Feature::ImagePairs) {
            let a = self.row_of(&[handle.low(), level])?;
            let request = request.at(F::Ra, a).number(F::Imm, mask);
            self.emit(if isa == Isa::Sm75 {
                request.form("B.R_R_R_S_I")
            } else {
                request.form("R_R_R_S_I").text(F::Bindless, "B")
            })?;
        } else {
            let a = self.row_of(&[level])?;
            let request = request.at(F::Ra, a);
            self.with_uniform_handle(handle, |this, pair| {
                let request = request.at(F::URe, pair);
                this.emit(if isa == Isa::Sm90 {
                    request.form("R_R_R_S_UR_I_I").number(F::Imm, 0).number(F::Imm2, mask)
                } else {
                    request.form("R_R_R_S_UR_0x0_I").number(F::Imm, mask)
                })
            })?;
        }
        self.deliver_list(Some(to), Type::B32, data)
    }

    /// `istypep.type p, handle`
    pub(super) fn is_type(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [to, image] = operands else {
            return Err(UNSUPPORTED);
        };
        let wanted = mark(first_type(variant)?)?;
        let high = match image {
            Operand::Variable(id, 0) => number(mark(self.module.variables[id.0 as usize].element)?),
            image => self.word(Some(image), Type::U64, 1)?,
        };
        let high = self.held(high)?;
        let own = self.step(logic(high, number(wanted), Value::Zero, 0xc0))?;
        let holds = self.compare_words(Cmp::Ne, true, own, Value::Zero, Combine::And, Test::ALWAYS)?;
        let to = self.predicate_destination(Some(to))?;
        let request = self.predicate_logic(holds.into(), Test::ALWAYS, super::steps::A);
        self.emit(request.sets(F::Pu, to))
    }
}
