//! `wmma`: fragments are those of `mma`, loads and stores are of single words, and a product is several of `mma`.
//!
//! A fragment is a sequence of blocks of eight rows. Lane `l` has row `l / 4` of each and the `l % 4`-th word of it; of sums the `l % 4`-th pair of
//! columns. (The layout of fragments: observed, ptxas 13.0.88. The emulator of PTX has the same.)

use smallvec::SmallVec;
use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O};
use warpsmith_target::Isa;

use super::{
    Lowered, Lowering, UNSUPPORTED,
    matrix::{Product, shape},
    matrix_memory::transposition,
    memory::{Space, Strength, says, space_of},
    narrow::pack,
    steps::{A, B, LEFT, RIGHT, logic, number, permute, shift},
    variables::unsupported,
};
use crate::{
    ir::Register,
    select::{Request, Source, Value},
};

/// What a fragment is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    A,
    B,
    Sum,
}

/// A fragment as the machine sees it: of A by rows, of B by columns, of the sum by rows, or of its transpose.
#[derive(Clone, Copy, Debug)]
struct Fragment {
    of: Type,
    is_sum: bool,
    /// Rows, and columns or depth.
    rows: u32,
    columns: u32,
    /// Blocks of 8 rows come in pairs.
    tall: bool,
    /// A row is consecutive in memory.
    straight: bool,
}

/// One access of a lane: elements from a row or column on, the first byte in it, and where the data belong.
#[derive(Clone, Copy, Debug)]
struct Access {
    outer: u32,
    inner: u32,
    bytes: u32,
    word: u8,
    /// Byte of the word.
    byte: u32,
}

/// How a fragment is moved: how much each group and place of four lanes adds to the row or column and to the byte in it.
#[derive(Clone, Debug)]
struct Plan {
    outer: [u32; 2],
    inner: [u32; 2],
    accesses: Vec<Access>,
    /// Each word is the transpose of what is in memory.
    transposes: bool,
    words: u8,
}

impl Fragment {
    fn bits(&self) -> u32 {
        self.of.bits()
    }

    /// Elements in a word, 1 of wide ones.
    fn held(&self) -> u32 {
        (32 / self.bits().min(32)).max(1)
    }

    /// Words of a factor's row that one lane has.
    fn runs(&self) -> u32 {
        self.columns.div_ceil(4 * self.held())
    }

    /// The place of a block of a factor.
    fn factor_index(&self, block: u32, run: u32) -> u32 {
        if self.tall {
            block / 2 * 2 * self.runs() + run * 2 + block % 2
        } else {
            block * self.runs() + run
        }
    }

    /// The place of a block of a sum.
    fn sum_index(&self, block: u32, column: u32) -> u32 {
        if self.rows >= 16 {
            block / 2 * 2 * (self.columns / 8) + column * 2 + block % 2
        } else {
            block * (self.columns / 8) + column
        }
    }

    fn plan(&self) -> Plan {
        let size = (self.bits() / 8).max(1);
        let each = (self.bits() / 32).max(1) as u8;
        let mut accesses = Vec::new();
        let (rows, halves) = (self.rows / 8, self.bits() == 16);
        let transposes = halves && !self.straight;
        let word_of =
            |index: u32, odd: u32| (index as u8 * if self.is_sum && !halves { 2 } else { 1 } + odd as u8) * each;
        let columns = if self.is_sum { self.columns / 8 } else { self.runs() };
        for (block, column) in (0..rows).flat_map(|block| (0..columns).map(move |column| (block, column))) {
            let index = if self.is_sum {
                self.sum_index(block, column)
            } else {
                self.factor_index(block, column)
            };
            // What one block covers of the columns: 8 of a sum, 4 words of a factor.
            let width = if self.is_sum { 8 } else { 4 * self.held() };
            let access = Access {
                outer: 8 * block,
                inner: column * width * self.bits() / 8,
                bytes: 4 * u32::from(each),
                word: word_of(index, 0),
                byte: 0,
            };
            let across = Access {
                outer: column * width,
                inner: 8 * block * size,
                ..access
            };
            match (self.straight, self.is_sum) {
                (true, true) if self.bits() == 32 => accesses.push(Access { bytes: 8, ..access }),
                (true, true) if self.bits() == 64 => accesses.extend((0..2).map(|odd| Access {
                    inner: access.inner + 8 * odd,
                    word: word_of(index, odd),
                    ..access
                })),
                (true, _) => accesses.push(access),
                (false, _) if halves => accesses.push(across),
                (false, true) => accesses.extend((0..2).map(|odd| Access {
                    outer: across.outer + odd,
                    word: word_of(index, odd),
                    ..across
                })),
                (false, false) if self.bits() == 8 => accesses.extend((0..4).map(|byte| Access {
                    outer: across.outer + byte,
                    bytes: 1,
                    byte,
                    ..across
                })),
                (false, false) => accesses.push(across),
            }
        }
        let lanes = if self.is_sum { 2 } else { 1 };
        let (outer, inner) = match self.straight {
            true if self.is_sum => ([1, 0], [0, 2 * size]),
            true => ([1, 0], [0, 4 * u32::from(each)]),
            false if halves => ([1, 0], [0, 4]),
            false if self.bits() == 8 => ([0, 4], [1, 0]),
            false => ([0, lanes], [size, 0]),
        };
        Plan {
            outer,
            inner,
            transposes,
            words: accesses
                .iter()
                .map(|access| access.word + (access.bytes.div_ceil(4)) as u8)
                .max()
                .unwrap_or(0),
            accesses,
        }
    }
}

/// Elements from a row to the next, and what one is in bytes.
#[derive(Clone, Copy, Debug)]
struct Stride {
    step: Source,
    unit: u32,
}

impl Lowering<'_> {
    /// The fragment that an instruction moves or multiplies.
    fn fragment(&self, variant: &Variant, part: Part, of: Type, by_rows: bool) -> Lowered<Fragment> {
        let [m, n, k] = shape(variant).ok_or(UNSUPPORTED)?;
        let integers = matches!(of, Type::S8 | Type::U8 | Type::S4 | Type::U4 | Type::B1 | Type::S32);
        let old = self.function.isa() == Isa::Sm75;
        // Wide products are those of the transposed matrices.
        let exchanged = n > m && !(integers && old);
        let (rows, columns, tall) = match part {
            Part::A => (m, k, !exchanged && m > 8),
            Part::B => (n, k, exchanged),
            Part::Sum if exchanged => (n, m, false),
            Part::Sum => (m, n, false),
        };
        let straight = match part {
            Part::A => by_rows,
            Part::B => !by_rows,
            Part::Sum => by_rows != exchanged,
        };
        Ok(Fragment {
            of,
            is_sum: part == Part::Sum,
            rows,
            columns,
            tall,
            straight,
        })
    }

    /// `wmma.load`, `wmma.store`
    pub(super) fn move_fragment(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let stores = variant.opcode == Opcode::WmmaStoreD;
        let (Some(Operand::Address(address)), Some(list)) =
            (operands.get(usize::from(!stores)), operands.get(usize::from(stores)))
        else {
            return Err(UNSUPPORTED);
        };
        let part = match variant.opcode {
            Opcode::WmmaLoadA => Part::A,
            Opcode::WmmaLoadB => Part::B,
            _ => Part::Sum,
        };
        let of = variant.types().last().ok_or(UNSUPPORTED)?;
        let fragment = self.fragment(variant, part, of, says(variant, "row"))?;
        if fragment.bits() < 8 && !fragment.straight {
            return unsupported("this layout");
        }
        let plan = fragment.plan();
        let space = match space_of(variant)? {
            Space::Generic => Space::Generic,
            space @ (Space::Global | Space::Shared) => space,
            _ => return unsupported("this space"),
        };
        let (base, offset) = self.locate(space, address)?;
        let wide = space != Space::Shared;
        let start = self.temporary(if wide { 2 } else { 1 });
        for word in 0..if wide { 2 } else { 1 } {
            let source = base.register.word(base.word + word);
            self.emit_bare(Request::new(O::Mov).to(start.word(word)).from(source))?;
        }
        let stride = self.stride(&fragment, operands.get(2))?;
        let lane = self.step(Request::new(O::S2r).form("R_S").text(F::SpecialRegister, "SR_LANEID"))?;
        let group = self.step(shift(Value::Zero, number(2), lane, RIGHT))?;
        let place = self.step(logic(lane, number(3), Value::Zero, A & B))?;
        let start = self.lane_start(&plan, stride, start, [group, place])?;
        let data = if stores {
            self.fragment_to_store(&plan, list)?
        } else {
            self.temporary(plan.words)
        };
        self.accesses(&plan, stride, (space, start, offset), stores, data)?;
        if stores {
            return Ok(());
        }
        let whole = self.loaded_fragment(&plan, data)?;
        // Fragments of f16 factors have eight registers always: where fewer are needed, they are repeated.
        let repeated = of == Type::F16 && part != Part::Sum && plan.words < 8;
        let whole = if repeated {
            let eight = self.temporary(8);
            for word in 0..8 {
                let source = whole.word(word % plan.words.max(1));
                self.emit_bare(Request::new(O::Mov).to(eight.word(word)).from(source))?;
            }
            eight
        } else {
            whole
        };
        let wide = if of.bits() == 64 { Type::B64 } else { Type::B32 };
        self.deliver_list(Some(list), wide, whole)
    }

    fn stride(&mut self, fragment: &Fragment, operand: Option<&Operand>) -> Lowered<Stride> {
        let unit = (fragment.bits() / 8).max(1);
        let elements = if fragment.straight {
            fragment.columns
        } else {
            fragment.rows
        };
        // Elements of 4 bits and bits: the step in bytes.
        let shrink = match fragment.bits() {
            1 => 3,
            4 => 1,
            _ => 0,
        };
        let step = match operand {
            None => number(elements >> shrink),
            Some(Operand::Integer(value, _)) => number(*value as u32 >> shrink),
            operand => {
                let source = self.source(operand, Type::U32)?;
                if shrink == 0 {
                    self.held(source)?
                } else {
                    self.step(shift(Value::Zero, number(shrink), source, RIGHT))?.into()
                }
            }
        };
        // Far steps do not fit offsets: they are registers.
        let step = match step.value {
            Value::Immediate(value) if value > 0x4000 => self.held(step)?,
            _ => step,
        };
        Ok(Stride { step, unit })
    }

    /// `base + step * factor`, of 64 bits or 32.
    fn advanced(&mut self, base: Register, step: Source, factor: Source) -> Lowered<Register> {
        if self.function.info(base).words == 1 {
            return self.step(super::steps::product(factor, step, base));
        }
        let request = Request::new(O::Imad)
            .literal("WIDE")
            .from(factor)
            .from(step)
            .from(base)
            .flag(F::U32, true);
        self.wide_step(request)
    }

    /// The first address of each lane.
    fn lane_start(&mut self, plan: &Plan, stride: Stride, base: Register, lanes: [Register; 2]) -> Lowered<Register> {
        let mut start = base;
        for (lane, outer) in lanes.iter().zip(plan.outer) {
            if outer > 0 {
                let factor = self.scaled(*lane, outer * stride.unit)?;
                let step = self.held(stride.step)?;
                start = self.advanced(start, step, factor.into())?;
            }
        }
        for (lane, inner) in lanes.iter().zip(plan.inner) {
            if inner > 0 {
                let one = self.held(number(inner))?;
                start = self.advanced(start, one, (*lane).into())?;
            }
        }
        Ok(start)
    }

    /// A small power of two times a register.
    fn scaled(&mut self, register: Register, factor: u32) -> Lowered<Register> {
        match factor {
            1 => Ok(register),
            _ => self.step(shift(register, number(factor.trailing_zeros()), Value::Zero, LEFT)),
        }
    }

    /// Every load or store of a plan.
    fn accesses(
        &mut self,
        plan: &Plan,
        stride: Stride,
        (space, start, offset): (Space, Register, i64),
        stores: bool,
        data: Register,
    ) -> Lowered {
        let mut bases: SmallVec<[(u32, Register); 8]> = SmallVec::new();
        for access in &plan.accesses {
            let (base, more) = match stride.step.value {
                Value::Immediate(step) => (start, access.outer * step * stride.unit),
                Value::Zero => (start, 0),
                _ if access.outer == 0 => (start, 0),
                _ => {
                    let known = bases.iter().find(|(outer, _)| *outer == access.outer);
                    let base = match known {
                        Some((_, base)) => *base,
                        None => {
                            let factor = self.held(number(access.outer * stride.unit))?;
                            let base = self.advanced(start, stride.step, factor)?;
                            bases.push((access.outer, base));
                            base
                        }
                    };
                    (base, 0)
                }
            };
            let offset = offset + i64::from(more) + i64::from(access.inner);
            let size = match access.bytes {
                1 => "U8",
                8 => "64",
                _ => "",
            };
            let request = self.access_at(space, (base.word(0), offset), !stores, Strength::Weak)?;
            let request = request.text(F::Size, size);
            let words = access.bytes.div_ceil(4) as u8;
            if stores {
                let value = self.words_of(data, access.word, words)?;
                let field = self.stored_field(space, Strength::Weak);
                self.emit(request.at(field, value))?;
            } else if access.bytes == 1 {
                let value = self.temporary(1);
                self.emit(request.to(value))?;
                self.insert_byte(data.word(access.word), value, access.byte)?;
            } else {
                let value = self.temporary(words);
                self.emit(request.to(value))?;
                for word in 0..words {
                    let to = data.word(access.word + word);
                    self.emit_bare(Request::new(O::Mov).to(to).from(value.word(word)))?;
                }
            }
        }
        Ok(())
    }

    /// One byte of a word, which has those before it already.
    fn insert_byte(&mut self, to: crate::select::Word, value: Register, byte: u32) -> Lowered {
        let selector = match byte {
            0 => 0x7770,
            1 => 0x7740,
            2 => 0x7410,
            _ => 0x4210,
        };
        let request = if byte == 0 {
            Request::new(O::Mov).from(value)
        } else {
            permute(to, selector, value)
        };
        self.emit_bare(request.to(to))
    }

    /// The words of a loaded fragment.
    fn loaded_fragment(&mut self, plan: &Plan, data: Register) -> Lowered<Register> {
        if !plan.transposes {
            return Ok(data);
        }
        let turned = self.temporary(plan.words);
        for word in 0..plan.words {
            let one = self.words_of(data, word, 1)?;
            let to = self.temporary(1);
            self.emit(transposition().to(to).at(F::Ra, one))?;
            self.emit_bare(Request::new(O::Mov).to(turned.word(word)).from(to))?;
        }
        Ok(turned)
    }

    fn fragment_to_store(&mut self, plan: &Plan, list: &Operand) -> Lowered<Register> {
        let of = match list {
            Operand::Vector(range) => {
                let count = self.parts(*range).len();
                if usize::from(plan.words) == 2 * count {
                    Type::B64
                } else {
                    Type::B32
                }
            }
            _ => Type::B32,
        };
        let data = self.listed(Some(list), of)?;
        self.loaded_fragment(plan, data)
    }

    /// `wmma.mma`
    pub(super) fn multiply_fragments(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let types: Vec<Type> = variant.types().collect();
        let (d, a, b, c) = match types[..] {
            [d, c] => (d, Type::F16, Type::F16, c),
            [d, a, b, c] => (d, a, b, c),
            _ => return Err(UNSUPPORTED),
        };
        let [to, from_a, from_b, from_c] = operands else {
            return Err(UNSUPPORTED);
        };
        // ptxas takes other shapes of doubles and makes nothing of them.
        if a == Type::F64 && shape(variant) != Some([8, 8, 4]) {
            return unsupported("this shape");
        }
        let factors = [
            self.fragment(variant, Part::A, a, true)?,
            self.fragment(variant, Part::B, b, false)?,
        ];
        // Sums of singles are made in f32, whatever comes of them.
        let kept = if c == Type::F32 { c } else { d };
        let sum = self.fragment(variant, Part::Sum, kept, true)?;
        let wide = |of: Type| if of.bits() == 64 { Type::B64 } else { Type::B32 };
        let registers = [self.listed(Some(from_a), wide(a))?, self.listed(Some(from_b), wide(b))?];
        let c_register = self.listed(Some(from_c), wide(c))?;
        let sums = self.sums_as(c_register, c, kept)?;
        let [m, n, k] = shape(variant).ok_or(UNSUPPORTED)?;
        let product = Product {
            shape: [m, n, k],
            a,
            b,
            c: kept,
            d: kept,
            sparse: None,
            ordered: true,
            saturates: says(variant, "satfinite"),
            rounding: ["rm", "rp", "rz"]
                .iter()
                .zip(["RM", "RP", "RZ"])
                .find(|(name, _)| says(variant, name))
                .map_or("", |(_, text)| text),
            conjunction: says(variant, "and"),
        };
        if c != d && product.saturates {
            return unsupported("accumulators of two types");
        }
        let result = if m == 8 && n == 8 {
            self.matrix_product(&product, registers[0], registers[1], sums)?
        } else {
            // The factor with the tall fragments is the first.
            let (first, second) = if factors[1].tall { (1, 0) } else { (0, 1) };
            let product = Product {
                a: if first == 0 { a } else { b },
                b: if first == 0 { b } else { a },
                ..product
            };
            let first = (factors[first], registers[first]);
            let second = (factors[1 - usize::from(second == 0)], registers[second]);
            self.tiles(&product, first, second, (sum, sums))?
        };
        let result = self.sums_as(result, kept, d)?;
        self.deliver_list(Some(to), wide(d), result)
    }

    /// Tiles of 8 or 16 rows and 8 columns.
    fn tiles(
        &mut self,
        product: &Product,
        (first, a): (Fragment, Register),
        (second, b): (Fragment, Register),
        (sum, c): (Fragment, Register),
    ) -> Lowered<Register> {
        let old = self.function.isa() == Isa::Sm75;
        let bytes = matches!(product.a, Type::S8 | Type::U8);
        let height = if old && bytes { 1 } else { 2 };
        let runs = first.runs();
        // sm_75 multiplies halves of eight of depth at once.
        let runs_at_once = if old { 1 } else { runs };
        let per_block: u8 = if sum.bits() == 16 { 1 } else { 2 };
        let whole = self.temporary(self.function.info(c).words);
        let (row_tiles, column_tiles) = (first.rows / 8 / height, second.rows / 8);
        for (row, column) in (0..row_tiles).flat_map(|row| (0..column_tiles).map(move |column| (row, column))) {
            let blocks: SmallVec<[u8; 2]> = (0..height)
                .map(|half| per_block * sum.sum_index(row * height + half, column) as u8)
                .collect();
            let mut words: Vec<u8> = Vec::new();
            for block in &blocks {
                words.extend((0..per_block).map(|word| block + word));
            }
            let mut part = self.chosen(c, &words)?;
            for start in (0..runs).step_by(runs_at_once as usize) {
                let mut of_a = Vec::new();
                let mut of_b = Vec::new();
                for run in start..start + runs_at_once {
                    of_a.extend((0..height).map(|half| first.factor_index(row * height + half, run) as u8));
                    of_b.push(second.factor_index(column, run) as u8);
                }
                let (tile_a, tile_b) = (self.chosen(a, &of_a)?, self.chosen(b, &of_b)?);
                let tile = Product {
                    shape: [8 * height, 8, 4 * first.held() * runs_at_once],
                    ..*product
                };
                part = self.matrix_product(&tile, tile_a, tile_b, part)?;
            }
            for (index, word) in (0_u8..).zip(&words) {
                let request = Request::new(O::Mov).to(whole.word(*word)).from(part.word(index));
                self.emit_bare(request)?;
            }
        }
        Ok(whole)
    }

    /// Some words of a register in a new one, in this order.
    fn chosen(&mut self, from: Register, words: &[u8]) -> Lowered<Register> {
        let to = self.temporary(words.len() as u8);
        for (index, word) in (0_u8..).zip(words) {
            self.emit_bare(Request::new(O::Mov).to(to.word(index)).from(from.word(*word)))?;
        }
        Ok(to)
    }

    /// Two singles as halves of one word.
    fn pair_of_singles(&mut self, low: Register, high: Register) -> Lowered<Register> {
        if self.function.isa() == Isa::Sm75 {
            let half = |of: Register| Request::new(O::F2f).literal("F16.F32").from(of);
            let (low, high) = (self.step(half(low))?, self.step(half(high))?);
            return self.step(permute(low, 0x5410, high));
        }
        let value = self.temporary(1);
        self.emit_packed(pack(high.into(), low.into(), "", false, false), Type::F16x2, value)?;
        Ok(value)
    }

    /// A fragment of sums in another type.
    fn sums_as(&mut self, from: Register, of: Type, to: Type) -> Lowered<Register> {
        if of == to {
            return Ok(from);
        }
        match (of, to) {
            (Type::F16, Type::F32) => {
                let count = self.function.info(from).words;
                let wide = self.temporary(2 * count);
                for word in 0..2 * count {
                    let pair = self.words_of(from, word / 2, 1)?;
                    let value = self.single_of_half(pair, word % 2 == 1)?;
                    self.emit_bare(Request::new(O::Mov).to(wide.word(word)).from(value))?;
                }
                Ok(wide)
            }
            (Type::F32, Type::F16) => {
                let count = self.function.info(from).words / 2;
                let narrow = self.temporary(count);
                for word in 0..count {
                    let (low, high) = (self.words_of(from, 2 * word, 1)?, self.words_of(from, 2 * word + 1, 1)?);
                    let value = self.pair_of_singles(low, high)?;
                    self.emit_bare(Request::new(O::Mov).to(narrow.word(word)).from(value))?;
                }
                Ok(narrow)
            }
            _ => Err(UNSUPPORTED),
        }
    }
}
