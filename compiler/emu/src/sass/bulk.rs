//! Bulk and tensor copies, which complete at once here: `UBLKCP`, `UBLKRED`, `UTMALDG`, `UTMASTG`, `UTMAREDG`; the instructions that fill shared memory and ask
//! for work, `UMEMSETS` and `UGETNEXTWORKID`.
//!
//! They run once for the warp, with operands in uniform registers. Which register holds what: observed, ptxas 13.0.88, for the instructions of PTX.

use super::{
    asynchronous::complete_bytes,
    atomic::{Atomic, Element, Operation},
    code::{Predicate, Row},
    machine::{Context, Flow, Trouble},
    memory::{Place, SHARED_RANK_SHIFT, Space, access, locate},
    system::stack_words,
};
use crate::{
    FaultKind,
    tensor_box::{self, Mode, converts, fill, refuse_conversion, rows},
    tensor_map::{TENSOR_MAP_BYTES, TensorElement, TensorMap},
};
use warpsmith_numerics::format;
use warpsmith_target::Feature;

/// What is done to elements of the destination.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduction {
    pub(crate) operation: Operation,
    pub(crate) element: Element,
    /// Bytes of an element, or of two halves.
    pub(crate) bytes: u8,
}

impl Reduction {
    /// Changes the elements of a destination, each as one operation: others may reduce into the same ones at the same time.
    fn apply(self, context: &mut Context<'_, '_>, to: Place, new: &[u8]) -> Result<(), Trouble> {
        let atomic = Atomic::of_numbers(self.operation, self.element, self.bytes);
        let size = usize::from(self.bytes.clamp(1, 8));
        let check = context.machine.checks_uninitialised();
        access(context, to, 0, 0, new.len(), |block, at| {
            for (index, new) in new.chunks_exact(size).enumerate() {
                let at = at + (index * size) as u64;
                block.update(at, size, check, |old| atomic.number(old, number(new)))?;
            }
            Ok(())
        })
    }
}

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bulk {
    /// `UBLKCP` and `UBLKRED`
    Copy(BulkCopy),
    /// `UTMALDG`, `UTMASTG`, `UTMAREDG`
    Tensor(TensorCopy),
    /// `UMEMSETS.64`: so many times 8 bytes of zero.
    Fill { to: Row, offset: i64, count: Row },
    /// `USETMAXREG`: there are as many registers as anybody asks for.
    Registers(Predicate),
    /// `UGETNEXTWORKID`: where the response goes, and the mbarrier.
    NextWork { to: Row, everywhere: bool },
}

/// `UBLKCP` and `UBLKRED`
#[derive(Clone, Copy, Debug)]
pub(crate) struct BulkCopy {
    /// Whether source and destination are in shared memory.
    pub(crate) shared: [bool; 2],
    /// The source: a pair where it is in global memory.
    pub(crate) from: Row,
    /// The destination: a pair in global memory; in shared memory, the address and that of the mbarrier.
    pub(crate) to: Row,
    /// Units of 16 bytes in the low half, a mask of CTAs or bytes in the high half.
    pub(crate) size: Row,
    pub(crate) multicast: bool,
    /// The mask says which bytes of 16 are written.
    pub(crate) masked: bool,
    pub(crate) reduction: Option<Reduction>,
}

/// Which way a tensor copy goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Direction {
    /// To shared memory: the registers start with the destination and the mbarrier.
    Load {
        multicast: bool,
        /// `.2CTA`: the mbarrier that is signalled is in the CTA of the pair that the address names.
        pairs: bool,
    },
    /// From shared memory: the registers start with the source. `UTMAREDG` has an operation.
    Store(Option<Operation>),
}

/// `UTMALDG`, `UTMASTG`, `UTMAREDG`
#[derive(Clone, Copy, Debug)]
pub(crate) struct TensorCopy {
    pub(crate) direction: Direction,
    pub(crate) mode: Mode,
    /// Coordinates, or with rows one coordinate and four rows.
    pub(crate) coordinates: u8,
    pub(crate) registers: Row,
    /// The address of the tensor map.
    pub(crate) map: Row,
    /// Offsets of im2col, or `wHalo` and `wOffset`, in the low half, a mask of CTAs in the high half.
    pub(crate) extra: Row,
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// A uniform register.
fn word(context: &Context<'_, '_>, row: Row) -> u32 {
    context.warp.row(&context.machine.constants, row)[0]
}

/// A pair of uniform registers.
fn wide(context: &Context<'_, '_>, row: Row) -> u64 {
    context.warp.pair(&context.machine.constants, row, row.after(1))[0]
}

/// The CTAs of a mask in the high half of a register.
fn ranks(mask: u32) -> impl Iterator<Item = u64> {
    (0..16).filter(move |rank| mask >> (16 + rank) & 1 != 0)
}

/// A shared address in another CTA.
fn in_cta(address: u64, rank: u64) -> u64 {
    address & ((1 << SHARED_RANK_SHIFT) - 1) | rank << SHARED_RANK_SHIFT
}

/// A copy from global memory goes to the own CTA where those to others are the system's: ptxas 13.0.88 has the instruction do no other there.
fn stays(context: &Context<'_, '_>, to: u64) -> Result<(), Trouble> {
    let rank = to >> SHARED_RANK_SHIFT;
    match context.machine.program.sm.has(Feature::SystemMulticast) && rank != context.rank as u64 {
        true => Err(Trouble::new(
            FaultKind::AddressSpace,
            format!(
                "a copy from global memory into the shared memory of CTA {rank}, which is another one: on this SM only the system does that"
            ),
        )),
        false => Ok(()),
    }
}

fn fetch(context: &mut Context<'_, '_>, place: Place, bytes: usize) -> Result<Vec<u8>, Trouble> {
    let check = context.machine.checks_uninitialised();
    access(context, place, 0, 0, bytes, |block, at| block.read(at, bytes, check))
}

fn put(context: &mut Context<'_, '_>, place: Place, bytes: &[u8]) -> Result<(), Trouble> {
    access(context, place, 0, 0, bytes.len(), |block, at| block.write(at, bytes))
}

/// The place, which must be at a multiple.
fn place(context: &mut Context<'_, '_>, space: Space, address: u64, align: u8) -> Result<Place, Trouble> {
    locate(context, space, address, align)
}

/// The tensor map at a generic address.
fn tensor_map(context: &mut Context<'_, '_>, address: u64) -> Result<TensorMap, Trouble> {
    let at = place(context, Space::Generic, address, 64)?;
    let bytes = fetch(context, at, TENSOR_MAP_BYTES)?;
    TensorMap::decode(&bytes).map_err(|fault| Trouble::new(fault.kind, format!("at {address:#x}: {}", fault.message)))
}

/// Changes bytes at a place: copies, or reduces.
fn change(
    context: &mut Context<'_, '_>,
    to: Place,
    new: &[u8],
    reduction: Option<Reduction>,
    mask: Option<u32>,
) -> Result<(), Trouble> {
    match (reduction, mask) {
        (Some(reduction), _) => reduction.apply(context, to, new),
        (None, None) => put(context, to, new),
        (None, Some(mask)) => access(context, to, 0, 0, new.len(), |block, at| {
            let mut written = (0..new.len()).filter(|index| mask >> (index % 16) & 1 != 0);
            written.try_for_each(|index| block.write(at + index as u64, &new[index..=index]))
        }),
    }
}

impl Bulk {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        context.machine.counts.polls += 1;
        match self {
            Bulk::Copy(copy) => copy.execute(context)?,
            Bulk::Tensor(copy) => copy.execute(context)?,
            Bulk::Fill { to, offset, count } => {
                let address = u64::from(word(context, to)).wrapping_add_signed(offset) & 0xffff_ffff;
                let bytes = vec![0; 8 * word(context, count).min(1 << 20) as usize];
                let to = place(context, Space::Shared, address, 8)?;
                put(context, to, &bytes)?;
            }
            Bulk::Registers(p) => {
                let active = context.active;
                context.warp.set_predicate(p, active, active);
            }
            Bulk::NextWork { to, everywhere } => next_work(context, to, everywhere)?,
        }
        Ok(Flow::Next)
    }
}

impl BulkCopy {
    fn execute(self, context: &mut Context<'_, '_>) -> Result<(), Trouble> {
        let size = word(context, self.size);
        let bytes = usize::from(size as u16) * 16;
        let [from_shared, to_shared] = self.shared;
        let (space, from) = match from_shared {
            true => (Space::Shared, u64::from(word(context, self.from))),
            false => (Space::Global, wide(context, self.from)),
        };
        let from = place(context, space, from, 16)?;
        let data = fetch(context, from, bytes)?;
        if !to_shared {
            let address = wide(context, self.to);
            let to = place(context, Space::Global, address, 16)?;
            let mask = self.masked.then_some(size >> 16);
            return change(context, to, &data, self.reduction, mask);
        }
        let to = u64::from(word(context, self.to));
        let barrier = u64::from(word(context, self.to.after(1)));
        if !from_shared && !self.multicast {
            stays(context, to)?;
        }
        let targets: Vec<(u64, u64)> = match self.multicast {
            false => vec![(to, barrier)],
            true => ranks(size)
                .map(|rank| (in_cta(to, rank), in_cta(barrier, rank)))
                .collect(),
        };
        for (to, barrier) in targets {
            let to = place(context, Space::Cluster, to, 16)?;
            change(context, to, &data, self.reduction, None)?;
            complete_bytes(context, barrier, bytes as u32)?;
        }
        Ok(())
    }
}

/// A copy as a function of the system, `__cuda_syscall_cp_async_bulk_…multicast` or `…unicast`, which code of sm_120 calls for several CTAs and for another one.
/// Parameters follow the calling convention: destination, source or tensor map, size or coordinates, of a multicast the mask of CTAs, mbarrier, offsets of im2col,
/// cache policy (observed, ptxas 13.0.88).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SystemCopy {
    /// Dimensions and mode of a tensor.
    tensor: Option<(u8, Mode)>,
    multicast: bool,
}

impl SystemCopy {
    /// What a name says.
    pub(super) fn named(name: &str) -> Option<SystemCopy> {
        let rest = name.strip_prefix("__cuda_syscall_cp_async_bulk_")?;
        let (rest, multicast) = match rest.strip_suffix("multicast") {
            Some(rest) => (rest, true),
            None => (rest.strip_suffix("unicast")?, false),
        };
        if rest.is_empty() {
            return Some(SystemCopy {
                tensor: None,
                multicast,
            });
        }
        let (dimensions, mode) = rest.strip_prefix("tensor_")?.strip_suffix('_')?.split_once("d_")?;
        let mode = match mode {
            "tile" => Mode::Tile,
            "im2col" => Mode::Im2col,
            _ => return None,
        };
        Some(SystemCopy {
            tensor: Some((dimensions.parse().ok()?, mode)),
            multicast,
        })
    }

    /// That of a lane.
    pub(super) fn execute(self, context: &mut Context<'_, '_>, lane: usize) -> Result<(), Trouble> {
        let register = |context: &Context<'_, '_>, number: u8| context.warp.row(&[], Row::register(number))[lane];
        let wide = |context: &Context<'_, '_>| u64::from(register(context, 6)) | u64::from(register(context, 7)) << 32;
        let (to, second) = (u64::from(register(context, 4)), wide(context));
        let multicast = self.multicast;
        let targets = |mask: u32, barrier: u64| -> Vec<(u64, u64)> {
            if !multicast {
                return vec![(to, barrier)];
            }
            let ranks = ranks(mask << 16);
            ranks.map(|rank| (in_cta(to, rank), in_cta(barrier, rank))).collect()
        };
        let Some((dimensions, mode)) = self.tensor else {
            let (bytes, mask) = (register(context, 8) as usize, register(context, 9));
            let barrier = u64::from(register(context, 10));
            let from = place(context, Space::Global, second, 16)?;
            let data = fetch(context, from, bytes)?;
            for (to, barrier) in targets(mask, barrier) {
                let to = place(context, Space::Cluster, to, 16)?;
                put(context, to, &data)?;
                complete_bytes(context, barrier, bytes as u32)?;
            }
            return Ok(());
        };
        let map = tensor_map(context, second)?;
        let coordinates: Vec<i64> = (0..dimensions)
            .map(|index| i64::from(register(context, 8 + index) as i32))
            .collect();
        let (mask, barrier) = (register(context, 13), u64::from(register(context, 14)));
        let moved = match mode {
            Mode::Im2col => {
                let [low, high, ..] = stack_words(context, lane, 0)?;
                let halves = [low & 0xffff, low >> 16, high & 0xffff];
                halves.map(i64::from)[..usize::from(dimensions.saturating_sub(2)).min(3)].to_vec()
            }
            _ => Vec::new(),
        };
        let rows = rows(&map, mode, &coordinates, &moved)?;
        for (to, barrier) in targets(mask, barrier) {
            load(context, &map, &rows, to)?;
            complete_bytes(context, barrier, tensor_box::bytes(&map, &rows) as u32)?;
        }
        Ok(())
    }
}

/// What `UTMAREDG` does to elements of a type (PTX manual, `cp.reduce.async.bulk`).
fn tensor_reduction(operation: Operation, of: TensorElement) -> Result<Reduction, Trouble> {
    let float = |format, flush, bytes| (Element::Float { format, flush }, bytes, true);
    let known = match of {
        TensorElement::U32 => Some((Element::Unsigned, 4, false)),
        TensorElement::S32 => Some((Element::Signed, 4, false)),
        TensorElement::U64 => Some((Element::Unsigned, 8, false)),
        TensorElement::S64 => Some((Element::Signed, 8, false)),
        TensorElement::F16 => Some(float(format::F16, false, 4)),
        TensorElement::Bf16 => Some(float(format::BF16, false, 4)),
        TensorElement::F32 => Some(float(format::F32, false, 4)),
        TensorElement::F32Ftz => Some(float(format::F32, true, 4)),
        TensorElement::F64 => Some(float(format::F64, false, 8)),
        TensorElement::U8 | TensorElement::U16 | TensorElement::Tf32 | TensorElement::Tf32Ftz => None,
        TensorElement::B4x16 | TensorElement::B4x16P64 | TensorElement::B6x16P32 => None,
    };
    let takes = |bytes: u8, float: bool| match operation {
        Operation::Add => true,
        Operation::Minimum | Operation::Maximum => !float || matches!(of, TensorElement::F16 | TensorElement::Bf16),
        Operation::Increment | Operation::Decrement => of == TensorElement::U32,
        Operation::And | Operation::Or | Operation::Xor => bytes >= 4 && !float,
        _ => false,
    };
    match known {
        Some((element, bytes, float)) if takes(bytes, float) => Ok(Reduction {
            operation,
            element,
            bytes,
        }),
        _ => Err(Trouble::new(
            FaultKind::Operand,
            format!("the reduction does not take tensors of {of:?}"),
        )),
    }
}

/// The offsets of im2col: 16, 8 or 5 bits each for one, two or three dimensions.
fn offsets(packed: u32, dimensions: u8) -> Vec<i64> {
    let (bits, count) = match dimensions {
        0..=3 => (16, 1),
        4 => (8, 2),
        _ => (5, 3),
    };
    let one = |index: u32| i64::from(packed >> (bits * index) & ((1 << bits) - 1));
    (0..count).map(one).collect()
}

impl TensorCopy {
    fn execute(self, context: &mut Context<'_, '_>) -> Result<(), Trouble> {
        let address = wide(context, self.map);
        let map = tensor_map(context, address)?;
        let first = match self.direction {
            Direction::Load { .. } => 2,
            Direction::Store(_) => 1,
        };
        let coordinate = |index: u8| i64::from(word(context, self.registers.after(first + u32::from(index))) as i32);
        let coordinates: Vec<i64> = (0..self.coordinates).map(coordinate).collect();
        let extra = word(context, self.extra);
        let moved = match (self.mode, self.direction) {
            (Mode::Im2col, Direction::Load { .. }) => offsets(extra & 0xffff, self.coordinates),
            // wHalo and wOffset.
            (Mode::Wide | Mode::Wide128, Direction::Load { .. }) => {
                vec![i64::from(extra & 0x7ff), i64::from(extra >> 11 & 31)]
            }
            _ => Vec::new(),
        };
        let rows = rows(&map, self.mode, &coordinates, &moved)?;
        let shared = u64::from(word(context, self.registers));
        match self.direction {
            Direction::Load { multicast, pairs } => {
                let barrier = u64::from(word(context, self.registers.after(1)));
                if !multicast {
                    stays(context, shared)?;
                }
                let targets: Vec<(u64, u64)> = match multicast {
                    false => vec![(shared, barrier)],
                    true => ranks(extra)
                        .map(|rank| {
                            let own = barrier >> SHARED_RANK_SHIFT & 1;
                            let signalled = if pairs { rank & !1 | own } else { rank };
                            (in_cta(shared, rank), in_cta(barrier, signalled))
                        })
                        .collect(),
                };
                for (to, barrier) in targets {
                    load(context, &map, &rows, to)?;
                    complete_bytes(context, barrier, tensor_box::bytes(&map, &rows) as u32)?;
                }
                Ok(())
            }
            Direction::Store(operation) => {
                let reduction = match operation {
                    Some(operation) => Some(tensor_reduction(operation, map.element)?),
                    None => None,
                };
                store(context, &map, &rows, shared, reduction)
            }
        }
    }
}

/// The CTA and the offset of a tensor's box in shared memory.
fn box_place(context: &mut Context<'_, '_>, space: Space, address: u64) -> Result<(usize, u64), Trouble> {
    match place(context, space, address, 128)? {
        Place::Shared(rank, offset) => Ok((rank, offset)),
        Place::Global(_) | Place::Local(_) => Err(Trouble::new(
            FaultKind::AddressSpace,
            "a box of a tensor that is not in shared memory",
        )),
    }
}

fn load(context: &mut Context<'_, '_>, map: &TensorMap, rows: &[tensor_box::Row], to: u64) -> Result<(), Trouble> {
    let (rank, start) = box_place(context, Space::Cluster, to)?;
    let pattern = fill(map)?;
    for piece in tensor_box::pieces(map, rows, start) {
        let bytes = match piece.global {
            Some(address) => {
                let from = place(context, Space::Global, address, 1)?;
                fetch(context, from, piece.bytes as usize)?
            }
            None => pattern.into_iter().cycle().take(piece.bytes as usize).collect(),
        };
        if converts(map) {
            refuse_conversion(map, &bytes)?;
        }
        put(context, Place::Shared(rank, piece.shared), &bytes)?;
    }
    Ok(())
}

fn store(
    context: &mut Context<'_, '_>,
    map: &TensorMap,
    rows: &[tensor_box::Row],
    from: u64,
    reduction: Option<Reduction>,
) -> Result<(), Trouble> {
    let (rank, start) = box_place(context, Space::Shared, from)?;
    for piece in tensor_box::pieces(map, rows, start) {
        let Some(address) = piece.global else { continue };
        let bytes = fetch(context, Place::Shared(rank, piece.shared), piece.bytes as usize)?;
        let to = place(context, Space::Global, address, 1)?;
        change(context, to, &bytes, reduction, None)?;
    }
    Ok(())
}

/// The first CTA of the cluster that would start next, which then does not start: x in the first word, y and z in the halves of the second, and whether
/// there is one in the lowest bit of the third (observed, ptxas 13.0.88: what `clusterlaunchcontrol.query_cancel` looks at).
fn next_work(context: &mut Context<'_, '_>, to: Row, everywhere: bool) -> Result<(), Trouble> {
    let mut response = [0_u32; 4];
    if let Some(mut left) = context.machine.queue.take() {
        let mut first = [0; 3];
        for (axis, index) in first.iter_mut().enumerate() {
            let ctas = context.machine.cluster[axis].max(1);
            let count = u64::from((context.machine.launch.grid[axis] / ctas).max(1));
            *index = (left % count) as u32 * ctas;
            left /= count;
        }
        response = [first[0], first[1] & 0xffff | first[2] << 16, 1, 0];
    }
    let bytes: Vec<u8> = response.iter().flat_map(|word| word.to_le_bytes()).collect();
    let (address, barrier) = (u64::from(word(context, to)), u64::from(word(context, to.after(1))));
    let own = context.rank as u64;
    let ranks = match everywhere {
        true => 0..context.cluster.ctas.len() as u64,
        false => own..own + 1,
    };
    for rank in ranks {
        let place = place(context, Space::Cluster, in_cta(address, rank), 16)?;
        put(context, place, &bytes)?;
        complete_bytes(context, in_cta(barrier, rank), 16)?;
    }
    Ok(())
}
