//! Tensor memory and the tensor cores of the fifth generation: `LDTM`, `STTM`, `UTCATOMSWS`, `UTCCP`, `UTCSHIFT`, `UTC?MMA`, `UTCBAR`.
//!
//! All happens at the instruction: code may not look at what is being copied or multiplied before a barrier says that it is done, nor at registers that
//! are being loaded or stored before a wait, so that what is there then is what is there at any allowed time.

use super::{
    asynchronous::{Mbarrier, replace},
    code::{LANES, Predicate, Row, Test},
    machine::{Cluster, Context, Flow, Trouble},
    memory::{Place, read},
};
use crate::tensor_memory::{
    TensorMemory, Tensors, Wrong,
    copy::Copy,
    description::{Form, Kind},
    multiply::{Left, Multiplication},
    shape::{Reduction, Shape},
    shift, split, wrong,
};

impl From<Wrong> for Trouble {
    fn from(wrong: Wrong) -> Trouble {
        Trouble::new(wrong.kind, wrong.message)
    }
}

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TensorOp {
    Load(Columns, Option<(Reduction, Row)>),
    Store(Columns),
    Units(Units),
    Copy { copy: Copy, to: Address, from: Row },
    Shift { at: Address, pair: bool },
    Multiply(Multiply),
    Arrive { barrier: Row, ctas: Option<Row> },
}

/// An address in tensor memory: a uniform register and an offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub(crate) base: Row,
    pub(crate) offset: i64,
}

impl Address {
    fn of(self, context: &Context<'_, '_>) -> u64 {
        let base = context.warp.row(&context.machine.constants, self.base)[0];
        u64::from(base.wrapping_add(self.offset as u32))
    }
}

/// Registers that a warp loads from columns, or stores to them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    pub(crate) shape: Shape,
    /// The lanes that take part.
    pub(crate) lanes: u32,
    pub(crate) registers: u8,
    /// A register holds the halves of two columns.
    pub(crate) halves: bool,
    pub(crate) first: Row,
    pub(crate) address: Address,
}

/// `UTCATOMSWS`: the mask of allocated units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Units {
    pub(crate) action: UnitAction,
    /// Of both CTAs of a pair.
    pub(crate) pair: bool,
    pub(crate) d: Row,
    pub(crate) operand: Row,
}

/// What becomes of the mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitAction {
    And,
    Or,
    /// So many units are taken, from a multiple of their number on; the predicate says whether there were as many.
    Find(Predicate),
}

/// A product. The registers are those of the instruction's fields, `URf` only if it is there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Multiply {
    pub(crate) opcode: Precision,
    pub(crate) pair: bool,
    pub(crate) stationary: bool,
    pub(crate) shifts: bool,
    pub(crate) a_in_tensor_memory: bool,
    pub(crate) scales: usize,
    pub(crate) a: Row,
    pub(crate) b: Row,
    pub(crate) d: Row,
    pub(crate) metadata: Row,
    pub(crate) more: Option<Row>,
    pub(crate) accumulate: Test,
    pub(crate) divides: u32,
    pub(crate) sm: u16,
}

/// Which of the `UTC?MMA` it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    Half,
    Byte,
    Whole,
    Nibble,
}

/// The memories of one CTA, or of a pair.
struct Members<'m, 'c, 'r> {
    context: &'m mut Context<'c, 'r>,
    pair: bool,
}

fn rank_of(rank: usize, member: usize, pair: bool) -> usize {
    if pair { rank & !1 | member } else { rank }
}

fn memory_of(cluster: &mut Cluster, rank: usize) -> Result<&mut TensorMemory, Trouble> {
    match cluster.ctas.get_mut(rank) {
        Some(cta) => Ok(&mut cta.tensor),
        None => Err(wrong("the CTA has no other to make a pair with").into()),
    }
}

impl Tensors for Members<'_, '_, '_> {
    type Error = Trouble;

    fn unit(&mut self, member: usize, address: u64) -> Result<[u8; 16], Trouble> {
        let rank = rank_of(self.context.rank, member, self.pair);
        let at = Place::Shared(rank, address);
        let mut unit = [0; 16];
        for (index, half) in unit.chunks_exact_mut(8).enumerate() {
            half.copy_from_slice(&read(self.context, at, 0, 8 * index as u64, 8)?.to_le_bytes());
        }
        Ok(unit)
    }

    fn memory(&mut self, member: usize) -> Result<&mut TensorMemory, Trouble> {
        let rank = rank_of(self.context.rank, member, self.pair);
        memory_of(self.context.cluster, rank)
    }
}

impl TensorOp {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        match self {
            TensorOp::Load(columns, reduction) => columns.load(context, reduction)?,
            TensorOp::Store(columns) => columns.store(context)?,
            TensorOp::Units(units) => units.execute(context)?,
            TensorOp::Copy { copy, to, from } => {
                let address = to.of(context);
                let description = context.warp.pair(&context.machine.constants, from, from.after(1))[0];
                let pair = copy.pair;
                copy.execute(&mut Members { context, pair }, address, description)?;
            }
            TensorOp::Shift { at, pair } => {
                let address = at.of(context);
                shift::execute(&mut Members { context, pair }, address, pair)?;
            }
            TensorOp::Multiply(multiply) => multiply.execute(context)?,
            TensorOp::Arrive { barrier, ctas } => arrive(context, barrier, ctas)?,
        }
        Ok(Flow::Next)
    }
}

impl Columns {
    fn start(&self, context: &Context<'_, '_>) -> Result<(usize, usize), Trouble> {
        if context.mask != u32::MAX {
            let message = format!(
                "lanes {:#x} access tensor memory, of which a whole warp has its part",
                context.mask
            );
            return Err(wrong(message).into());
        }
        let (row, column) = split(self.address.of(context));
        Ok((self.shape.start(context.warp.index, row)?, column))
    }

    fn load(&self, context: &mut Context<'_, '_>, reduction: Option<(Reduction, Row)>) -> Result<(), Trouble> {
        let start = self.start(context)?;
        let mut loaded = Vec::with_capacity(self.registers.into());
        for register in 0..usize::from(self.registers) {
            let mut out = [0; LANES];
            let memory = &context.cluster.ctas[context.rank].tensor;
            for (lane, out) in out
                .iter_mut()
                .enumerate()
                .filter(|(lane, _)| self.lanes >> lane & 1 != 0)
            {
                *out = self.shape.load(memory, start, (lane, register), self.halves)?;
            }
            context.warp.write(self.first.after(register as u32), self.lanes, &out);
            loaded.push(out);
        }
        if let Some((reduction, row)) = reduction {
            let of = |lane: usize| reduction.of(loaded.iter().map(|register| register[lane]));
            let results = std::array::from_fn(of);
            context.warp.write(row, self.lanes, &results);
        }
        Ok(())
    }

    fn store(&self, context: &mut Context<'_, '_>) -> Result<(), Trouble> {
        let start = self.start(context)?;
        for register in 0..usize::from(self.registers) {
            let row = self.first.after(register as u32);
            let values = *context.warp.row(&context.machine.constants, row);
            let memory = &mut context.cluster.ctas[context.rank].tensor;
            for (lane, value) in values
                .iter()
                .enumerate()
                .filter(|(lane, _)| self.lanes >> lane & 1 != 0)
            {
                self.shape.store(memory, start, (lane, register), self.halves, *value)?;
            }
        }
        Ok(())
    }
}

impl Units {
    fn execute(self, context: &mut Context<'_, '_>) -> Result<(), Trouble> {
        let operand = context.warp.row(&context.machine.constants, self.operand)[0];
        let rank = context.rank;
        let ranks = if self.pair {
            vec![rank & !1, rank | 1]
        } else {
            vec![rank]
        };
        let mut old = 0;
        for rank in &ranks {
            old |= memory_of(context.cluster, *rank)?.allocated;
        }
        let change = match self.action {
            UnitAction::And => Some((operand, 0)),
            UnitAction::Or => Some((u32::MAX, operand)),
            UnitAction::Find(found) => {
                let start = TensorMemory::find(old, operand as usize);
                let holds = if start.is_some() { u32::MAX } else { 0 };
                context.warp.set_predicate(found, u32::MAX, holds);
                let taken = start.map(|start| ((1_u32 << operand.min(16)) - 1) << start);
                old = start.unwrap_or(0) as u32;
                taken.map(|taken| (u32::MAX, taken))
            }
        };
        if let Some((keep, add)) = change {
            for rank in ranks {
                let memory = memory_of(context.cluster, rank)?;
                memory.allocated = memory.allocated & keep | add;
            }
        }
        context.warp.write(self.d, u32::MAX, &[old; LANES]);
        Ok(())
    }
}

impl Multiply {
    fn execute(self, context: &mut Context<'_, '_>) -> Result<(), Trouble> {
        let word = |row: Row| context.warp.row(&context.machine.constants, row)[0];
        let wide = |row: Row| u64::from(word(row)) | u64::from(word(row.after(1))) << 32;
        let description = word(self.metadata.after(1));
        let kind = match self.opcode {
            Precision::Half if description >> 7 & 7 == 2 => Kind::Tf32,
            Precision::Half => Kind::F16,
            Precision::Whole => Kind::I8,
            Precision::Byte if self.scales == 0 => Kind::F8f6f4,
            Precision::Byte => Kind::Mxf8f6f4,
            Precision::Nibble => Kind::Mxf4nvf4,
        };
        let masks = match self.more {
            Some(_) if self.stationary || self.scales != 0 => 0,
            Some(_) if self.pair => 8,
            Some(_) => 4,
            None => 0,
        };
        let more = self.more.unwrap_or(Row::UNIFORM_ZERO);
        let multiplication = Multiplication {
            form: Form {
                kind,
                pair: self.pair,
                stationary: self.stationary,
                // The machine instruction does not say: the descriptor does.
                sparse: description >> 2 & 1 != 0,
                scales: self.scales,
                sm: self.sm,
            },
            d: word(self.d).into(),
            a: match self.a_in_tensor_memory {
                true => Left::Tensor(word(self.a).into()),
                false => Left::Shared(wide(self.a)),
            },
            b: wide(self.b),
            description,
            scales: [word(more).into(), word(more.after(1)).into()],
            metadata: word(self.metadata).into(),
            accumulate: context.warp.test(self.accumulate) & 1 != 0,
            divides: self.divides,
            shifts: self.shifts,
            disabled: (0..masks).map(|index| word(more.after(index))).collect(),
            columns: if self.stationary { wide(more) } else { 0 },
        };
        let pair = self.pair;
        multiplication.execute(&mut Members { context, pair })
    }
}

/// Arrives at a barrier object, or at those at the same place of several CTAs.
fn arrive(context: &mut Context<'_, '_>, barrier: Row, ctas: Option<Row>) -> Result<(), Trouble> {
    const OFFSET: u64 = (1 << 24) - 1;
    let word = |row: Row| u64::from(context.warp.row(&context.machine.constants, row)[0]);
    let address = word(barrier);
    let addresses: Vec<u64> = match ctas {
        None => vec![address],
        Some(ctas) => {
            let mask = word(ctas);
            (0..16)
                .filter(|rank| mask >> rank & 1 != 0)
                .map(|rank| rank << 24 | address & OFFSET)
                .collect()
        }
    };
    let lane = context.mask.trailing_zeros() as usize % LANES;
    for address in addresses {
        replace(context, lane, address, |state| {
            Ok(Mbarrier::of(state).after(1, 0, false)?.bits())
        })?;
    }
    Ok(())
}

/// What the system puts into its part of shared memory before a CTA starts whose kernel allocates tensor memory (`EIATTR_AT_ENTRY_FRAGMENTS`): nothing is
/// allocated, and of a pair the even CTA need not wait for the odd one the first time. That the barrier objects expect one arrival, and the parities, follows from the
/// code that ptxas 13.0.88 makes; what the driver really writes is not known.
pub(super) fn partition(rank: usize) -> Vec<u8> {
    let mut bytes = vec![0; 0x20];
    let barrier = Mbarrier::expecting(1).bits();
    bytes[0x08..0x10].copy_from_slice(&barrier.to_le_bytes());
    bytes[0x10] = u8::from(rank.is_multiple_of(2));
    bytes
}

/// Where that is.
pub(super) const PARTITION: u64 = 0x40;
