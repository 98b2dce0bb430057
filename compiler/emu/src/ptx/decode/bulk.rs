//! Bulk and tensor copies, asynchronous stores, multimem operations and requests to cancel clusters.

use warpsmith_numerics::float::{MinMax, Modifiers};
use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier, Type, TypeKind},
};

use super::{Decoded, Decoder, M, O, Unsupported, first_type, integer::format};
use crate::{
    ptx::{
        arithmetic::{FormatName, Function, Real},
        bulk::{AsyncStore, Asynchronous, BulkCopy, Place},
        code::{Op, SINK_SLOT, Source, Space, Test, Update},
        launch_control::CANCELLED_BIT,
        multimem::{Multimem, MultimemAction},
        tensor::{Direction, Field, ReplaceField, TensorCopy},
        transfer::{Reduction, flushed},
    },
    tensor_box::Mode,
    tensor_map::TensorElement,
};

/// The types of PTX that elements of tensors are reduced as.
const REDUCED: [(TensorElement, Type); 12] = [
    (TensorElement::U32, Type::U32),
    (TensorElement::S32, Type::S32),
    (TensorElement::U64, Type::U64),
    (TensorElement::S64, Type::S64),
    (TensorElement::F16, Type::F16),
    (TensorElement::Bf16, Type::Bf16),
    (TensorElement::F32, Type::F32),
    (TensorElement::F32Ftz, Type::F32),
    (TensorElement::F64, Type::F64),
    (TensorElement::U8, Type::U8),
    (TensorElement::U16, Type::U16),
    (TensorElement::Tf32, Type::Tf32),
];

impl Decoder<'_> {
    /// Instructions of the asynchronous proxy.
    pub(super) fn asynchronous(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Decoded> {
        Some(match variant.opcode {
            O::CpAsyncBulk | O::CpReduceAsyncBulk => self.bulk_copy(variant, operands),
            O::CpAsyncBulkTensor | O::CpReduceAsyncBulkTensor => self.tensor_copy(variant, operands),
            O::CpAsyncCommitGroup => self.push_asynchronous(Asynchronous::Commit { bulk: false }),
            O::CpAsyncBulkCommitGroup => self.push_asynchronous(Asynchronous::Commit { bulk: true }),
            O::CpAsyncWaitGroup | O::CpAsyncBulkWaitGroup => self.wait_group(variant, operands),
            O::CpAsyncWaitAll => self
                .push_asynchronous(Asynchronous::Commit { bulk: false })
                .and_then(|()| {
                    self.push_asynchronous(Asynchronous::Wait {
                        bulk: false,
                        left: 0,
                        read: false,
                    })
                }),
            O::CpAsyncMbarrierArrive => self.arrive_after_copies(variant, operands),
            O::StAsync if operands.len() == 2 && !variant.has(M::MbarrierCompleteTxBytes) && is_global(variant) => {
                return self.memory_store(variant, operands);
            }
            O::RedAsync if operands.len() == 2 && !variant.has(M::MbarrierCompleteTxBytes) => {
                return self.memory_reduction(variant, operands);
            }
            O::StAsync | O::RedAsync => self.async_store(variant, operands),
            O::TensormapReplace => self.replace_field(variant, operands),
            O::TensormapCpFenceproxy => self.copy_tensor_map(operands),
            O::MultimemLdReduce | O::MultimemSt | O::MultimemRed => self.multimem(variant, operands),
            O::ClusterlaunchcontrolTryCancelAsync => self.try_cancel(variant, operands),
            O::ClusterlaunchcontrolQueryCancel => self.query_cancel(variant, operands),
            _ => return None,
        })
    }

    fn push_asynchronous(&mut self, instruction: Asynchronous) -> Decoded {
        let index = self.code.asynchronous.len() as u32;
        self.code.asynchronous.push(instruction);
        self.push(Op::Asynchronous { index });
        Ok(())
    }

    /// An address operand of a state space.
    fn place(&mut self, operand: &Operand, space: Space) -> Result<Place, Unsupported> {
        let (base, offset, narrow) = self.address(operand)?;
        Ok(Place {
            space,
            base,
            offset,
            narrow,
        })
    }

    fn bulk_copy(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [to, from, size, rest @ ..] = operands else {
            return Err(Unsupported);
        };
        let mut rest = rest.iter();
        let to_global = variant.has(M::BulkGroup);
        let from_global = variant.has(M::Global) && !to_global;
        let space = |global| if global { Space::Global } else { Space::Shared };
        let to = self.place(to, space(to_global))?;
        let from = self.place(from, space(from_global))?;
        let size = self.value(size, Type::U32)?;
        let mut barrier = None;
        let mut ctas = None;
        if !to_global {
            barrier = Some(self.place(rest.next().ok_or(Unsupported)?, Space::Shared)?);
        }
        if variant.has(M::MulticastCluster) {
            ctas = Some(self.value(rest.next().ok_or(Unsupported)?, Type::U16)?);
        }
        if variant.has(M::L2CacheHint) {
            rest.next();
        }
        let mut byte_mask = None;
        if variant.has(M::CpMask) {
            byte_mask = Some(self.value(rest.next().ok_or(Unsupported)?, Type::U16)?);
        }
        let mut reduction = None;
        if variant.opcode == O::CpReduceAsyncBulk {
            let of = first_type(variant)?;
            let update = Self::update(variant, of)?;
            reduction = Some(Reduction {
                update: if to_global { flushed(update) } else { update },
                bytes: (of.bits() / 8) as u8,
            });
        }
        self.push_asynchronous(Asynchronous::Copy(BulkCopy {
            to,
            from,
            size,
            barrier,
            ctas,
            byte_mask,
            reduction,
        }))
    }

    fn wait_group(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [Operand::Integer(left, _)] = operands else {
            return Err(Unsupported);
        };
        self.push_asynchronous(Asynchronous::Wait {
            bulk: variant.opcode == O::CpAsyncBulkWaitGroup,
            left: *left,
            read: variant.has(M::Read),
        })
    }

    fn arrive_after_copies(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [barrier] = operands else { return Err(Unsupported) };
        let space = match variant.slot("ss") {
            Some(_) => Space::Shared,
            None => Space::Generic,
        };
        let barrier = self.place(barrier, space)?;
        self.push_asynchronous(Asynchronous::ArriveAfterCopies {
            barrier,
            noinc: variant.has(M::Noinc),
        })
    }

    /// `[tensorMap, coordinates]`
    fn tensor(&mut self, operand: &Operand) -> Result<(Place, Vec<Source>), Unsupported> {
        let Operand::Bracket(range) = *operand else {
            return Err(Unsupported);
        };
        let inner = self.nested(range);
        let [map, coordinates] = inner.as_slice() else {
            return Err(Unsupported);
        };
        let map = self.place(map, Space::Generic)?;
        Ok((map, self.sources(coordinates, Type::S32)?))
    }

    /// The elements of a vector.
    fn sources(&mut self, operand: &Operand, of: Type) -> Result<Vec<Source>, Unsupported> {
        let elements = self.elements(operand);
        elements.iter().map(|element| self.value(element, of)).collect()
    }

    fn tensor_copy(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let mode = if variant.has(M::TileGather4) || variant.has(M::TileScatter4) {
            Mode::Rows
        } else if variant.has(M::Im2col) || variant.has(M::Im2colNoOffs) {
            Mode::Im2col
        } else if variant.has(M::Im2colW) {
            Mode::Wide
        } else if variant.has(M::Im2colW128) {
            Mode::Wide128
        } else {
            Mode::Tile
        };
        let mut offsets = Vec::new();
        let (direction, map, coordinates) = if variant.has(M::BulkGroup) {
            let [tensor, from, ..] = operands else {
                return Err(Unsupported);
            };
            let (map, coordinates) = self.tensor(tensor)?;
            let from = self.place(from, Space::Shared)?;
            (Direction::Store { from }, map, coordinates)
        } else {
            let [to, tensor, barrier, rest @ ..] = operands else {
                return Err(Unsupported);
            };
            let mut rest = rest.iter();
            let (map, coordinates) = self.tensor(tensor)?;
            let to = self.place(to, Space::Shared)?;
            let barrier = self.place(barrier, Space::Shared)?;
            if matches!(mode, Mode::Im2col | Mode::Wide | Mode::Wide128) {
                offsets = self.sources(rest.next().ok_or(Unsupported)?, Type::U16)?;
            }
            let mut ctas = None;
            if variant.has(M::MulticastCluster) {
                ctas = Some(self.value(rest.next().ok_or(Unsupported)?, Type::U16)?);
            }
            let pairs = variant.has(M::CtaGroup2);
            let direction = Direction::Load {
                to,
                barrier,
                ctas,
                pairs,
            };
            (direction, map, coordinates)
        };
        let mut reductions = Vec::new();
        if variant.opcode == O::CpReduceAsyncBulkTensor {
            for (element, of) in REDUCED {
                reductions.extend(Self::tensor_reduction(variant, element, of).map(|reduction| (element, reduction)));
            }
        }
        self.push_asynchronous(Asynchronous::Tensor(Box::new(TensorCopy {
            map,
            coordinates,
            offsets,
            mode,
            direction,
            reductions,
        })))
    }

    /// How elements of a type are reduced, if they are (PTX manual, `cp.reduce.async.bulk`).
    fn tensor_reduction(variant: &Variant, element: TensorElement, of: Type) -> Option<Reduction> {
        let is_float = matches!(of.kind(), TypeKind::Float);
        let takes = match variant.slot("op")? {
            M::Add => of.bits() >= 32 || is_float,
            M::Min | M::Max => (of.bits() >= 32 && !is_float) || matches!(of, Type::F16 | Type::Bf16),
            M::Inc | M::Dec => of == Type::U32,
            M::And | M::Or | M::Xor => of.bits() >= 32 && !is_float,
            _ => false,
        };
        if !takes || of == Type::Tf32 {
            return None;
        }
        let update = Self::update(variant, of).ok()?;
        Some(Reduction {
            update: match element {
                TensorElement::F32Ftz => flushed(update),
                _ => update,
            },
            bytes: (of.bits() / 8) as u8,
        })
    }

    fn async_store(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [to, value, barrier] = operands else {
            return Err(Unsupported);
        };
        let of = first_type(variant)?;
        let space = match variant.slot("ss") {
            Some(_) => Space::Shared,
            None if variant.has(M::SharedCluster) => Space::Shared,
            None => Space::Generic,
        };
        let to = self.place(to, space)?;
        let barrier = self.place(barrier, space)?;
        let values = self.sources(value, of)?;
        if of.bits() < 32 || of.bits() > 64 || values.len() * of.bits() as usize > 256 {
            return Err(Unsupported);
        }
        let update = match variant.opcode {
            O::RedAsync => Some(Self::update(variant, of)?),
            _ => None,
        };
        self.push_asynchronous(Asynchronous::Store(AsyncStore {
            to,
            barrier,
            values,
            bytes: (of.bits() / 8) as u8,
            update,
        }))
    }

    fn replace_field(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let (map, rest) = operands.split_first().ok_or(Unsupported)?;
        let (ordinal, value) = match rest {
            [value] => (0, value),
            [Operand::Integer(ordinal, _), value] => (*ordinal as u8, value),
            _ => return Err(Unsupported),
        };
        let named = |modifier: Modifier| variant.has(modifier);
        let field = match () {
            () if named(M::GlobalAddress) => Field::Address,
            () if named(M::Rank) => Field::Rank,
            () if named(M::GlobalDim) => Field::Size(ordinal),
            () if named(M::GlobalStride) => Field::Stride(ordinal),
            () if named(M::ElementStride) => Field::ElementStride(ordinal),
            () if named(M::BoxDim) => Field::BoxSize(ordinal),
            () if named(M::Elemtype) => Field::Element,
            () if named(M::InterleaveLayout) => Field::Interleave,
            () if named(M::SwizzleMode) => Field::SwizzleMode,
            () if named(M::SwizzleAtomicity) => Field::SwizzleAtomicity,
            () if named(M::FillMode) => Field::Fill,
            () => return Err(Unsupported),
        };
        let space = match variant.slot("ss") {
            Some(M::Global) => Space::Global,
            Some(_) => Space::Shared,
            None => Space::Generic,
        };
        let map = self.place(map, space)?;
        let value = self.value(value, if named(M::B64) { Type::B64 } else { Type::B32 })?;
        self.push_asynchronous(Asynchronous::ReplaceField(ReplaceField { map, field, value }))
    }

    fn copy_tensor_map(&mut self, operands: &[Operand]) -> Decoded {
        let [to, from, ..] = operands else {
            return Err(Unsupported);
        };
        let to = self.place(to, Space::Global)?;
        let from = self.place(from, Space::Shared)?;
        self.push_asynchronous(Asynchronous::CopyTensorMap { to, from })
    }

    fn try_cancel(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [to, barrier] = operands else {
            return Err(Unsupported);
        };
        let space = if variant.has(M::SharedCta) {
            Space::Shared
        } else {
            Space::Generic
        };
        let (to, barrier) = (self.place(to, space)?, self.place(barrier, space)?);
        self.push_asynchronous(Asynchronous::TryCancel {
            to,
            barrier,
            all: variant.has(M::MulticastClusterAll),
        })
    }

    /// The response is a 128-bit register: two slots, of which the upper has z and whether a cluster was cancelled.
    fn query_cancel(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [d, response] = operands else {
            return Err(Unsupported);
        };
        let low = self.value(response, Type::B128)?;
        let high = match low.place() {
            Ok(slot) => Source::slot(slot as u32 + 1),
            Err(_) => self.constant(0),
        };
        if variant.has(M::IsCanceled) {
            let p = self.predicate(d)?;
            let bit = self.temporary();
            self.push(Op::Extract {
                d: bit,
                a: high,
                shift: CANCELLED_BIT,
                bits: 1,
            });
            self.push(Op::NonZero {
                p,
                a: Source::slot(bit),
                combine: super::super::code::Combine::And,
                q: Test::ALWAYS,
            });
            return Ok(());
        }
        let targets = match variant.slot("dimension") {
            Some(M::GetFirstCtaidX) => vec![(*d, 0)],
            Some(M::GetFirstCtaidY) => vec![(*d, 1)],
            Some(M::GetFirstCtaidZ) => vec![(*d, 2)],
            _ => self.elements(d).into_iter().zip(0..).collect(),
        };
        for (target, axis) in targets {
            let d = self.destination(&target)?;
            // The fourth element is not said to be anything.
            let (a, shift, bits) = match axis {
                0 => (low, 0, 32),
                1 => (low, 32, 16),
                2 => (low, 48, 16),
                _ => (high, 32, 0),
            };
            if d != SINK_SLOT {
                self.push(Op::Extract { d, a, shift, bits });
            }
        }
        Ok(())
    }

    fn multimem(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let of = first_type(variant)?;
        let load = variant.opcode == O::MultimemLdReduce;
        let (address, registers) = match operands {
            [d, address] if load => (address, d),
            [address, b] => (address, b),
            _ => return Err(Unsupported),
        };
        let space = match variant.slot("ss") {
            Some(_) => Space::Global,
            None => Space::Generic,
        };
        let place = self.place(address, space)?;
        let mut list = Vec::new();
        let elements = self.elements(registers);
        for element in &elements {
            list.push(if load {
                self.destination(element)?
            } else {
                self.value(element, of)?.0
            });
        }
        let is_float = matches!(of.kind(), TypeKind::Float | TypeKind::Packed);
        let element_bits = if is_float {
            format(of)?.format().width()
        } else {
            of.bits()
        };
        let (mut widen, mut eight) = (None, None);
        let action = match variant.opcode {
            O::MultimemLdReduce => {
                let update = self.multimem_update(variant, of)?;
                if variant.has(M::AccF32) {
                    widen = Some((format(of)?, FormatName::F32));
                } else if variant.has(M::AccF16) {
                    widen = Some((format(of)?, FormatName::F16));
                }
                if element_bits == 8 && variant.has(M::Add) {
                    eight = Some(format(of)?);
                }
                MultimemAction::Load(match widen {
                    Some((_, wide)) => Update::Function(Function::Real {
                        operation: Real::Add,
                        format: wide,
                        modifiers: Modifiers::default(),
                    }),
                    None => update,
                })
            }
            O::MultimemSt => MultimemAction::Store,
            _ => MultimemAction::Reduce(flushed(self.multimem_update(variant, of)?)),
        };
        self.push_asynchronous(Asynchronous::Multimem(Multimem {
            action,
            place,
            list,
            register_bytes: (of.bits() / 8).max(1) as u8,
            element_bytes: (element_bits / 8).max(1) as u8,
            widen,
            eight,
        }))
    }

    /// The function of one element.
    fn multimem_update(&mut self, variant: &Variant, of: Type) -> Result<Update, Unsupported> {
        if !matches!(of.kind(), TypeKind::Float | TypeKind::Packed) {
            return Self::update(variant, of);
        }
        let format = format(of)?;
        Ok(Update::Function(if variant.has(M::Add) {
            Function::Real {
                operation: Real::Add,
                format,
                modifiers: Modifiers::default(),
            }
        } else {
            Function::Extreme {
                maximum: variant.has(M::Max),
                format,
                modifiers: MinMax::default(),
                operands: 2,
            }
        }))
    }
}

/// Whether an asynchronous store is one to global memory: it names the space, or a scope that only such stores have.
fn is_global(variant: &Variant) -> bool {
    variant.has(M::Global) || variant.has(M::Gpu) || variant.has(M::Sys)
}
