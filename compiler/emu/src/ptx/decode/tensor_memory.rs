//! `tcgen05`: allocation of tensor memory, its loads and stores, products and commits.

use warpsmith_ptx::{instruction::Variant, module::Operand, table::Type};

use super::{Decoded, Decoder, M, O, Unsupported};
use crate::{
    ptx::{
        bulk::{Asynchronous, Place},
        code::{Collective, Op, Space, Test},
        tensor_memory::{Operands, SPACE, Tcgen05},
    },
    tensor_memory::{
        copy::{ALL, Copy, Decompression, EACH, PAIRS_01_23, PAIRS_02_13, Targets},
        description::{Form, Kind},
        multiply::usual_scales,
        shape::{Reduced, Reduction, Shape},
    },
};

/// The shapes of `tcgen05.cp`: rows, units of 16 bytes, and where they go.
#[rustfmt::skip]
const COPIES: [(M, usize, usize, Targets); 6] = [
    (M::N128x256b,  128, 2, EACH),
    (M::N4x256b,      4, 2, EACH),
    (M::N128x128b,  128, 1, EACH),
    (M::Warpx20213,  64, 1, PAIRS_02_13),
    (M::Warpx20123,  64, 1, PAIRS_01_23),
    (M::Warpx4,      32, 1, ALL),
];

const KINDS: [(M, Kind); 7] = [
    (M::KindF16, Kind::F16),
    (M::KindTf32, Kind::Tf32),
    (M::KindF8f6f4, Kind::F8f6f4),
    (M::KindI8, Kind::I8),
    (M::KindMxf8f6f4, Kind::Mxf8f6f4),
    (M::KindMxf4, Kind::Mxf4),
    (M::KindMxf4nvf4, Kind::Mxf4nvf4),
];

impl Decoder<'_> {
    /// Instructions of the fifth generation of tensor cores.
    pub(super) fn tensor_memory(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Decoded> {
        Some(match variant.opcode {
            O::Tcgen05Alloc => self.tensor_allocate(variant, operands),
            O::Tcgen05Dealloc => self.tensor_free(operands),
            O::Tcgen05RelinquishAllocPermit => self.of_warp(Tcgen05::Relinquish),
            O::Tcgen05Ld | O::Tcgen05LdRed | O::Tcgen05St => self.tensor_move(variant, operands),
            // Everything is done as soon as it is issued.
            O::Tcgen05WaitLd | O::Tcgen05WaitSt | O::Tcgen05FenceBeforeThreadSync | O::Tcgen05FenceAfterThreadSync => {
                self.nothing()
            }
            O::Tcgen05Cp => self.tensor_fill(variant, operands),
            O::Tcgen05Shift => self.tensor_shift(variant, operands),
            O::Tcgen05Mma | O::Tcgen05MmaWs => self.tensor_multiply(variant, operands),
            O::Tcgen05Commit => self.tensor_commit(variant, operands),
            _ => return None,
        })
    }

    fn tensor_index(&mut self, instruction: Tcgen05) -> u32 {
        let index = self.code.asynchronous.len() as u32;
        self.code.asynchronous.push(Asynchronous::Tcgen05(instruction));
        index
    }

    fn of_warp(&mut self, instruction: Tcgen05) -> Decoded {
        let index = self.tensor_index(instruction);
        self.whole_warp(Collective::TensorMemory { index })
    }

    fn of_thread(&mut self, instruction: Tcgen05) -> Decoded {
        let index = self.tensor_index(instruction);
        self.push(Op::Asynchronous { index });
        Ok(())
    }

    fn tensor_address(&mut self, operand: &Operand) -> Result<Place, Unsupported> {
        let (base, offset, narrow) = self.address(operand)?;
        Ok(Place {
            space: SPACE,
            base,
            offset,
            narrow,
        })
    }

    fn tensor_allocate(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [to, columns] = operands else {
            return Err(Unsupported);
        };
        let space = match variant.slot("ss") {
            Some(_) => Space::Shared,
            None => Space::Generic,
        };
        let (base, offset, narrow) = self.address(to)?;
        let to = Place {
            space,
            base,
            offset,
            narrow,
        };
        let columns = self.value(columns, Type::U32)?;
        let pair = variant.has(M::CtaGroup2);
        self.of_warp(Tcgen05::Allocate { to, columns, pair })
    }

    fn tensor_free(&mut self, operands: &[Operand]) -> Decoded {
        let [address, columns] = operands else {
            return Err(Unsupported);
        };
        let (address, columns) = (self.value(address, Type::U32)?, self.value(columns, Type::U32)?);
        self.of_warp(Tcgen05::Free { address, columns })
    }

    fn tensor_move(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let load = variant.opcode != O::Tcgen05St;
        let reduces = variant.opcode == O::Tcgen05LdRed;
        let (result, operands) = match operands {
            [list, result, rest @ ..] if reduces => (Some(*result), [&[*list], rest].concat()),
            operands => (None, operands.to_vec()),
        };
        let (address, registers, split) = match (load, operands.as_slice()) {
            (true, [registers, address]) | (false, [address, registers]) => (address, registers, None),
            (true, [registers, address, Operand::Integer(split, _)])
            | (false, [address, Operand::Integer(split, _), registers]) => (address, registers, Some(*split as i32)),
            _ => return Err(Unsupported),
        };
        let shape = match split {
            Some(split) => Shape::Halves(split),
            None if variant.has(M::N32x32b) => Shape::Rows32,
            None if variant.has(M::N16x64b) => Shape::Rows16Bits64,
            None if variant.has(M::N16x128b) => Shape::Rows16Bits128,
            None if variant.has(M::N16x256b) => Shape::Rows16Bits256,
            None => return Err(Unsupported),
        };
        let address = self.tensor_address(address)?;
        let mut list = Vec::new();
        for element in self.elements(registers) {
            list.push(if load {
                self.destination(&element)?
            } else {
                self.value(&element, Type::B32)?.0
            });
        }
        let halves = variant.has(M::Pack16b) || variant.has(M::Unpack16b);
        let reduction = match result {
            Some(result) => Some(self.reduction_of_columns(variant, &result)?),
            None => None,
        };
        self.of_warp(if load {
            Tcgen05::Load {
                shape,
                halves,
                address,
                list,
                reduction,
            }
        } else {
            Tcgen05::Store {
                shape,
                halves,
                address,
                list,
            }
        })
    }

    /// `.red`
    fn reduction_of_columns(&mut self, variant: &Variant, result: &Operand) -> Result<(Reduction, u32), Unsupported> {
        let slot = match self.elements(result)[..] {
            [element] => self.destination(&element)?,
            _ => return Err(Unsupported),
        };
        let of = match variant.types().next() {
            Some(Type::U32) => Reduced::U32,
            Some(Type::S32) => Reduced::S32,
            Some(Type::F32) => Reduced::F32 {
                nan: variant.has(M::NaN),
            },
            _ => return Err(Unsupported),
        };
        let reduction = Reduction {
            least: variant.has(M::Min),
            absolute: variant.has(M::Abs),
            of,
        };
        Ok((reduction, slot))
    }

    fn tensor_fill(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [address, description] = operands else {
            return Err(Unsupported);
        };
        let found = COPIES.iter().find(|copy| variant.has(copy.0)).ok_or(Unsupported)?;
        let copy = Copy {
            rows: found.1,
            units: found.2,
            targets: found.3,
            decompression: match variant.slot("src_fmt") {
                Some(M::B4x16P64) => Decompression::FourBits,
                Some(M::B6x16P32) => Decompression::SixBits,
                _ => Decompression::Nothing,
            },
            pair: variant.has(M::CtaGroup2),
        };
        let address = self.tensor_address(address)?;
        let description = self.value(description, Type::U64)?;
        self.of_thread(Tcgen05::Copy {
            address,
            description,
            copy,
        })
    }

    fn tensor_shift(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [address] = operands else {
            return Err(Unsupported);
        };
        let address = self.tensor_address(address)?;
        let pair = variant.has(M::CtaGroup2);
        self.of_thread(Tcgen05::Shift { address, pair })
    }

    fn tensor_form(&self, variant: &Variant) -> Result<Form, Unsupported> {
        let (_, kind) = KINDS.iter().find(|kind| variant.has(kind.0)).ok_or(Unsupported)?;
        let said = |two: M, four: M| variant.has(two) || variant.has(four);
        let scales = match kind {
            Kind::Mxf4nvf4 if said(M::Block32, M::ScaleVec2X) => 2,
            kind => usual_scales(*kind),
        };
        Ok(Form {
            kind: *kind,
            pair: variant.has(M::CtaGroup2),
            stationary: variant.opcode == O::Tcgen05MmaWs,
            sparse: variant.has(M::Sp),
            scales,
            sm: self.module.target.number,
        })
    }

    fn tensor_multiply(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let form = self.tensor_form(variant)?;
        let [d, a, b, rest @ ..] = operands else {
            return Err(Unsupported);
        };
        let (metadata, rest) = match rest {
            [metadata, rest @ ..] if form.sparse => (Some(self.tensor_address(metadata)?), rest),
            rest => (None, rest),
        };
        let (description, rest) = rest.split_first().ok_or(Unsupported)?;
        let (scales, rest) = match rest {
            [a, b, rest @ ..] if form.scales != 0 => (Some([self.tensor_address(a)?, self.tensor_address(b)?]), rest),
            rest => (None, rest),
        };
        let (lanes, rest) = match rest {
            [lanes @ Operand::Vector(_), rest @ ..] => (Some(lanes), rest),
            rest => (None, rest),
        };
        let (accumulate, rest) = rest.split_first().ok_or(Unsupported)?;
        let (mut divides, mut columns) = (0, None);
        match rest {
            [] => {}
            [mask] if form.stationary => columns = Some(self.value(mask, Type::U64)?),
            [Operand::Integer(amount, _)] => divides = *amount as u32,
            _ => return Err(Unsupported),
        }
        let a_in_tensor_memory = matches!(a, Operand::Address(_) | Operand::Bracket(_));
        let d = self.tensor_address(d)?;
        let a = if a_in_tensor_memory {
            self.tensor_address(a)?
        } else {
            Place {
                space: SPACE,
                base: self.value(a, Type::U64)?,
                offset: 0,
                narrow: false,
            }
        };
        let mut disabled = Vec::new();
        if let Some(lanes) = lanes {
            for element in self.elements(lanes) {
                disabled.push(self.value(&element, Type::B32)?);
            }
        }
        let accumulate: Test = self.test(accumulate)?;
        let (b, description) = (self.value(b, Type::U64)?, self.value(description, Type::U32)?);
        self.of_thread(Tcgen05::Multiply(Box::new(Operands {
            form,
            d,
            a,
            a_in_tensor_memory,
            b,
            description,
            metadata,
            scales,
            accumulate,
            divides,
            shifts: variant.has(M::Ashift),
            disabled,
            columns,
        })))
    }

    fn tensor_commit(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let (barrier, rest) = operands.split_first().ok_or(Unsupported)?;
        let space = match variant.slot("ss") {
            Some(_) => Space::Shared,
            None => Space::Generic,
        };
        let (base, offset, narrow) = self.address(barrier)?;
        // A generic address of 32 bits is one of the shared window all the same.
        let barrier = Place {
            space,
            base,
            offset,
            narrow,
        };
        let ctas = match rest {
            [ctas] => Some(self.value(ctas, Type::U16)?),
            _ => None,
        };
        self.of_thread(Tcgen05::Commit { barrier, ctas })
    }
}
