//! Tensor memory and the instructions of the fifth generation of tensor cores that work on it: `tcgen05`.
//!
//! Each CTA has 128 lanes of 512 columns of 32 bits. What is asynchronous on the device is done at once, only the arrivals of `tcgen05.commit`
//! may be delayed.

use warpsmith_numerics::matrix::{Generation, Instruction};

use super::{
    FaultKind,
    barrier::Signal,
    bulk::{Place, ranks},
    code::{Source, Space, Test},
    machine::{Machine, Site, Trouble},
    transfer::{Locus, Tracking, Transfer},
    warp::Warp,
};
use crate::matrix::{
    Cell, Element, Matrix,
    descriptor::{Descriptor, Major},
    product::{Arithmetic, Product, float},
};

const ROWS: usize = 128;
const COLUMNS: usize = 512;
/// Columns are allocated in units of this many.
const UNIT: usize = 32;

/// The tensor memory of a CTA.
#[derive(Clone, Debug, Default)]
pub(crate) struct TensorMemory {
    /// None before the first allocation.
    words: Vec<u32>,
    /// For each unit of columns, whether it is allocated.
    allocated: [bool; COLUMNS / UNIT],
    /// No more is allocated.
    relinquished: bool,
}

fn wrong(message: impl Into<String>) -> Trouble {
    Trouble::new(FaultKind::Operand, message)
}

impl TensorMemory {
    /// The index of a word, which must be allocated.
    fn index(&self, row: usize, column: usize) -> Result<usize, Trouble> {
        if row >= ROWS || column >= COLUMNS || !self.allocated[column / UNIT] {
            let message = format!("lane {row}, column {column} of tensor memory is not allocated");
            return Err(Trouble::new(FaultKind::OutOfBounds, message));
        }
        Ok(row * COLUMNS + column)
    }

    fn get(&self, row: usize, column: usize) -> Result<u32, Trouble> {
        Ok(self.words[self.index(row, column)?])
    }

    fn set(&mut self, row: usize, column: usize, value: u32) -> Result<(), Trouble> {
        let index = self.index(row, column)?;
        self.words[index] = value;
        Ok(())
    }

    /// The first free columns of so many, at a multiple of their number.
    fn allocate(&mut self, columns: usize) -> Option<usize> {
        let units = columns / UNIT;
        let starts = (0..self.allocated.len()).step_by(units.max(1));
        let start = starts
            .into_iter()
            .find(|start| self.allocated[*start..].iter().take(units).all(|unit| !unit))?;
        self.words.resize(ROWS * COLUMNS, 0);
        self.allocated[start..]
            .iter_mut()
            .take(units)
            .for_each(|unit| *unit = true);
        Some(start * UNIT)
    }
}

/// `.shape` of loads and stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `.32x32b`
    Rows32,
    /// `.16x64b`
    Rows16Bits64,
    /// `.16x128b`
    Rows16Bits128,
    /// `.16x256b`
    Rows16Bits256,
    /// `.16x32bx2`: the second half starts so many columns further.
    Halves(u32),
}

impl Shape {
    /// Registers for each repetition.
    fn registers(self) -> usize {
        match self {
            Shape::Rows32 | Shape::Rows16Bits64 | Shape::Halves(_) => 1,
            Shape::Rows16Bits128 => 2,
            Shape::Rows16Bits256 => 4,
        }
    }

    /// The row and column, from the start on, of a register of a lane (PTX manual, "Memory Layout"; where it has figures alone, the
    /// copy layouts that CUTLASS gives for these instructions).
    fn place(self, lane: usize, register: usize) -> (usize, usize) {
        let (repetition, register) = (register / self.registers(), register % self.registers());
        match self {
            Shape::Rows32 => (lane, repetition),
            Shape::Rows16Bits64 => (lane / 4 + 8 * (lane % 2), 2 * repetition + lane / 2 % 2),
            Shape::Rows16Bits128 => (lane / 4 + 8 * register, 4 * repetition + lane % 4),
            Shape::Rows16Bits256 => (
                lane / 4 + 8 * (register / 2),
                8 * repetition + 2 * (lane % 4) + register % 2,
            ),
            Shape::Halves(offset) => (lane % 16, repetition + lane / 16 * offset as usize),
        }
    }
}

/// `tcgen05.mma` of dense matrices by one CTA.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Multiplication {
    pub(crate) kind: Kind,
    /// Address in tensor memory.
    pub(crate) d: Source,
    /// Descriptor, or address in tensor memory.
    pub(crate) a: Source,
    pub(crate) a_in_tensor_memory: bool,
    pub(crate) b: Source,
    pub(crate) description: Source,
    /// Whether D is added.
    pub(crate) accumulate: Test,
    /// `.ws`, of which 128 rows alone lie as they do without it.
    pub(crate) stationary: bool,
    /// Rows that are not written, 32 each.
    pub(crate) disabled: Option<[Source; 4]>,
    pub(crate) sm: u16,
}

/// `.kind`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    F16,
    Tf32,
    F8,
    I8,
}

/// An instruction of this file.
#[derive(Clone, Debug)]
pub(crate) enum Tcgen05 {
    Allocate {
        to: Place,
        columns: Source,
    },
    Free {
        address: Source,
        columns: Source,
    },
    Relinquish,
    Load {
        shape: Shape,
        /// `.pack::16b`
        halves: bool,
        address: Place,
        list: Vec<u32>,
    },
    Store {
        shape: Shape,
        /// `.unpack::16b`
        halves: bool,
        address: Place,
        list: Vec<u32>,
    },
    /// `tcgen05.cp`: rows of so many words, each to several warps' lanes.
    Copy {
        address: Place,
        description: Source,
        rows: usize,
        words: usize,
        /// Lanes to which row 0 of each 32 rows goes; 128 rows: lane and row agree.
        targets: &'static [&'static [usize]],
    },
    Multiply(Multiplication),
    Commit {
        barrier: Place,
        ctas: Option<Source>,
    },
}

/// What the 32 bits of an instruction descriptor say (PTX manual, "Instruction descriptor format").
struct Description {
    product: Product,
    rows: usize,
    columns: usize,
    depth: usize,
    major: [Major; 2],
    negated: [bool; 2],
}

fn description(bits: u64, kind: Kind, sm: u16) -> Result<Description, Trouble> {
    let field = |low: u32, count: u32| bits >> low & ((1 << count) - 1);
    let unsupported = |what: &str| {
        let message = format!("tcgen05.mma {what} is not implemented");
        Err(Trouble::new(FaultKind::Unsupported, message))
    };
    let (rows, columns) = ((field(24, 5) * 16) as usize, (field(17, 6) * 8) as usize);
    if field(2, 1) != 0 {
        return Err(wrong("the instruction descriptor is that of a sparse product"));
    }
    let step = if kind == Kind::I8 && columns > 32 || rows == 128 {
        16
    } else {
        8
    };
    if !matches!(rows, 64 | 128) || columns == 0 || columns > 256 || !columns.is_multiple_of(step) {
        let is_24 = kind == Kind::I8 && columns == 24 && rows == 64;
        if !is_24 {
            return Err(wrong(format!(
                "there is no product of {rows} rows and {columns} columns"
            )));
        }
    }
    let element = |code: u64| {
        Ok(match (kind, code) {
            (Kind::F16, 0) => Element::F16,
            (Kind::F16, 1) => Element::Bf16,
            (Kind::Tf32, 2) => Element::Tf32,
            (Kind::F8, 0) => Element::E4m3,
            (Kind::F8, 1) => Element::E5m2,
            (Kind::F8, 3..=5) => return unsupported("of elements of six and four bits").map(|()| Element::E4m3),
            (Kind::I8, 0) => Element::U8,
            (Kind::I8, 1) => Element::S8,
            _ => return Err(wrong(format!("the kind has no element type {code}"))),
        })
    };
    let (a, b) = (element(field(7, 3))?, element(field(10, 3))?);
    let sum = match (kind, field(4, 2)) {
        (Kind::F16 | Kind::F8, 0) => Cell::F16,
        (Kind::F16 | Kind::F8 | Kind::Tf32, 1) => Cell::F32,
        (Kind::I8, 2) => Cell::S32,
        (_, code) => return Err(wrong(format!("the kind has no result type {code}"))),
    };
    let product = match kind {
        Kind::I8 => Some(Product::of(
            a,
            b,
            sum,
            Arithmetic::Whole {
                saturate: field(3, 1) != 0,
            },
        )),
        Kind::F16 | Kind::Tf32 | Kind::F8 => Generation::of_sm(sm.into())
            .and_then(|generation| float(generation, Instruction::Tcgen05, (a, b), (sum, sum))),
    };
    let major = |bit| if field(bit, 1) == 0 { Major::K } else { Major::Mn };
    Ok(Description {
        product: product.ok_or_else(|| wrong("there is no such product"))?,
        rows,
        columns,
        depth: match kind {
            Kind::Tf32 => 8,
            Kind::F16 => 16,
            Kind::F8 | Kind::I8 => 32,
        },
        major: [major(15), major(16)],
        negated: [field(13, 1) != 0, field(14, 1) != 0],
    })
}

/// The lane of a row of D and of A: 64 rows take 16 lanes of each warp.
fn lane_of(row: usize, rows: usize) -> usize {
    if rows == 64 { row / 16 * 32 + row % 16 } else { row }
}

/// Row and column of an address.
fn split(address: u64) -> (usize, usize) {
    ((address >> 16 & 0xffff) as usize, (address & 0xffff) as usize)
}

impl Machine<'_> {
    /// An instruction of a whole warp; false: it has to be tried again.
    pub(crate) fn tensor_of_warp(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        instruction: &Tcgen05,
        active: u32,
    ) -> Result<bool, Trouble> {
        let lane = active.trailing_zeros() as usize % 32;
        match instruction {
            Tcgen05::Allocate { to, columns } => {
                let columns = warp.read(site.code, *columns)[lane] as usize;
                if !(UNIT..=COLUMNS).contains(&columns) || !columns.is_power_of_two() {
                    let message =
                        format!("{columns} columns of tensor memory: a power of two from 32 to 512 is wanted");
                    return Err(wrong(message));
                }
                let to = self.place_of(site, warp, *to, lane)?;
                let memory = &mut site.cta().tensor;
                if memory.relinquished {
                    return Err(wrong("the CTA has given up the right to allocate tensor memory"));
                }
                let Some(start) = memory.allocate(columns) else {
                    return Ok(false);
                };
                self.put(site.cluster, to, &(start as u32).to_le_bytes())?;
            }
            Tcgen05::Free { address, columns } => {
                let (row, start) = split(warp.read(site.code, *address)[lane]);
                let units = warp.read(site.code, *columns)[lane] as usize / UNIT;
                let memory = &mut site.cta().tensor;
                let end = start / UNIT + units;
                let range = memory.allocated.get_mut(start / UNIT..end);
                match range {
                    Some(range) if row == 0 && start.is_multiple_of(UNIT) && range.iter().all(|unit| *unit) => {
                        range.fill(false);
                    }
                    _ => {
                        return Err(wrong(format!(
                            "columns {start} and up of tensor memory are not allocated"
                        )));
                    }
                }
            }
            Tcgen05::Relinquish => site.cta().tensor.relinquished = true,
            Tcgen05::Load {
                shape,
                halves,
                address,
                list,
            } => {
                let start = self.accessible(site, warp, *address, *shape, lane)?;
                for (index, slot) in list.iter().enumerate() {
                    let mut out = [0; 32];
                    for (lane, out) in out.iter_mut().enumerate() {
                        let memory = &site.cluster.ctas[site.rank].tensor;
                        *out = load(memory, start, shape.place(lane, index), *halves)?.into();
                    }
                    warp.write(*slot, active, &out);
                }
            }
            Tcgen05::Store {
                shape,
                halves,
                address,
                list,
            } => {
                let start = self.accessible(site, warp, *address, *shape, lane)?;
                for (index, value) in list.iter().enumerate() {
                    let values = *warp.read(site.code, Source(*value));
                    for (lane, value) in values.iter().enumerate() {
                        let memory = &mut site.cluster.ctas[site.rank].tensor;
                        store(memory, start, shape.place(lane, index), *halves, *value as u32)?;
                    }
                }
            }
            Tcgen05::Copy { .. } | Tcgen05::Multiply(_) | Tcgen05::Commit { .. } => {}
        }
        Ok(true)
    }

    /// The start of a load or store, which must be in the lanes of the warp.
    fn accessible(
        &self,
        site: &Site<'_>,
        warp: &Warp,
        address: Place,
        shape: Shape,
        lane: usize,
    ) -> Result<(usize, usize), Trouble> {
        let (row, column) = split(self.address_of(site, warp, address, lane));
        let first = warp.index as usize % 4 * 32;
        let fits = match shape {
            Shape::Rows32 => row == first,
            Shape::Rows16Bits64 | Shape::Rows16Bits128 | Shape::Rows16Bits256 | Shape::Halves(_) => {
                row == first || row == first + 16
            }
        };
        if fits {
            return Ok((row, column));
        }
        let message = format!(
            "warp {} has lanes {first} to {} of tensor memory, and this starts at lane {row}",
            warp.index,
            first + 31
        );
        Err(wrong(message))
    }

    /// An instruction of one thread.
    pub(crate) fn tensor_of_thread(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        instruction: &Tcgen05,
        lane: usize,
    ) -> Result<(), Trouble> {
        match instruction {
            Tcgen05::Copy {
                address,
                description,
                rows,
                words,
                targets,
            } => {
                let (row, column) = split(self.address_of(site, warp, *address, lane));
                let described = Descriptor::tcgen05(warp.read(site.code, *description)[lane])?;
                for source in 0..*rows {
                    for unit in 0..words / 4 {
                        let bytes = self.unit(site, described.unit(Major::K, source, unit)?)?;
                        for (word, bytes) in bytes.chunks_exact(4).enumerate() {
                            let value = bytes
                                .iter()
                                .rev()
                                .fold(0_u32, |word, byte| word << 8 | u32::from(*byte));
                            for lane in targets.get(source / 32).copied().unwrap_or_default() {
                                let lane = row + lane + source % 32;
                                site.cta().tensor.set(lane, column + 4 * unit + word, value)?;
                            }
                        }
                    }
                }
                Ok(())
            }
            Tcgen05::Multiply(multiplication) => self.multiply_tensor(site, warp, multiplication, lane),
            Tcgen05::Commit { barrier, ctas } => {
                let barrier = self.barrier_of(site, warp, *barrier, lane)?;
                let mut transfer = Transfer::new((site.rank, warp.index, lane), Tracking::Barrier, Vec::new());
                match (ctas, barrier) {
                    (Some(ctas), Locus::Shared(_, offset)) => {
                        for rank in ranks(warp.read(site.code, *ctas)[lane]) {
                            transfer.signals.push((Locus::Shared(rank, offset), Signal::Arrival));
                        }
                    }
                    _ => transfer.signals.push((barrier, Signal::Arrival)),
                }
                self.issue(site.cluster, transfer)
            }
            Tcgen05::Allocate { .. }
            | Tcgen05::Free { .. }
            | Tcgen05::Relinquish
            | Tcgen05::Load { .. }
            | Tcgen05::Store { .. } => Ok(()),
        }
    }

    /// 16 bytes of the CTA's shared memory.
    fn unit(&mut self, site: &mut Site<'_>, address: u64) -> Result<[u8; 16], Trouble> {
        let bytes = self.fetch(site.cluster, Locus::Shared(site.rank, address), 16)?;
        let mut unit = [0; 16];
        unit.copy_from_slice(&bytes);
        Ok(unit)
    }

    fn multiply_tensor(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        multiplication: &Multiplication,
        lane: usize,
    ) -> Result<(), Trouble> {
        let read = |source: Source| warp.read(site.code, source)[lane];
        let described = description(read(multiplication.description), multiplication.kind, multiplication.sm)?;
        let (rows, columns, depth) = (described.rows, described.columns, described.depth);
        if multiplication.stationary && rows != 128 {
            let message = format!("tcgen05.mma.ws of {rows} rows is not implemented");
            return Err(Trouble::new(FaultKind::Unsupported, message));
        }
        let Product {
            a: of_a,
            b: of_b,
            d: sum,
            ..
        } = described.product;
        let ((row, column), b) = (split(read(multiplication.d)), read(multiplication.b));
        let a = read(multiplication.a);
        if row != 0 && !(rows == 64 && row == 16) {
            return Err(wrong(format!(
                "a product of {rows} rows at lane {row} of tensor memory"
            )));
        }
        let accumulates = warp.test(multiplication.accumulate) >> lane & 1 != 0;
        let disabled = multiplication.disabled.map(|masks| masks.map(read));
        let mut left = if multiplication.a_in_tensor_memory {
            let per_word = 32 / of_a.bits() as usize;
            let (start, first) = split(a);
            let mut left = Matrix::new(rows, depth);
            for index in 0..rows {
                for k in 0..depth {
                    let word = site
                        .cta()
                        .tensor
                        .get(start + lane_of(index, rows), first + k / per_word)?;
                    let bits = u64::from(word) >> (of_a.bits() as usize * (k % per_word));
                    left.set(index, k, of_a.decode(bits));
                }
            }
            left
        } else {
            let descriptor = Descriptor::tcgen05(a)?;
            descriptor.read(described.major[0], of_a, (0, rows), depth, |at| self.unit(site, at))?
        };
        let descriptor = Descriptor::tcgen05(b)?;
        let mut right: Matrix =
            descriptor.read(described.major[1], of_b, (0, columns), depth, |at| self.unit(site, at))?;
        let negate = |matrix: Matrix, of: Element| match of.format() {
            Some(format) => matrix.map(|bits| bits ^ format.sign_bit()),
            None => matrix,
        };
        if described.negated[0] {
            left = negate(left, of_a);
        }
        if described.negated[1] {
            right = negate(right, of_b);
        }
        let memory = &mut site.cta().tensor;
        let mut start = Matrix::new(rows, columns);
        for index in 0..rows {
            for n in 0..columns {
                let word = memory.get(row + lane_of(index, rows), column + n)?;
                let bits = if sum == Cell::F16 { word & 0xffff } else { word };
                start.set(index, n, if accumulates { bits.into() } else { 0 });
            }
        }
        let result = described.product.compute(&left, &right, &start, None, None);
        for index in 0..rows {
            let lane = lane_of(index, rows);
            let is_disabled = disabled.is_some_and(|masks| masks[lane / 32] >> (lane % 32) & 1 != 0);
            for n in (0..columns).filter(|_| !is_disabled) {
                memory.set(row + lane, column + n, result.get(index, n) as u32)?;
            }
        }
        Ok(())
    }
}

/// A register of a load: a word, or the lower halves of two columns.
fn load(
    memory: &TensorMemory,
    (row, column): (usize, usize),
    (down, right): (usize, usize),
    halves: bool,
) -> Result<u32, Trouble> {
    if !halves {
        return memory.get(row + down, column + right);
    }
    let low = memory.get(row + down, column + 2 * right)?;
    let high = memory.get(row + down, column + 2 * right + 1)?;
    Ok(low & 0xffff | high << 16)
}

/// The reverse of [`load`].
fn store(
    memory: &mut TensorMemory,
    (row, column): (usize, usize),
    (down, right): (usize, usize),
    halves: bool,
    value: u32,
) -> Result<(), Trouble> {
    if !halves {
        return memory.set(row + down, column + right, value);
    }
    memory.set(row + down, column + 2 * right, value & 0xffff)?;
    memory.set(row + down, column + 2 * right + 1, value >> 16)
}

/// The space of addresses of tensor memory, for [`Place`]: it is not looked at.
pub(crate) const SPACE: Space = Space::Shared;
