//! `tcgen05`: allocation of tensor memory, its loads and stores, products and commits.

use warpsmith_ptx::{instruction::Variant, module::Operand, table::Type};

use super::{Decoded, Decoder, M, O, Unsupported};
use crate::ptx::{
    bulk::{Asynchronous, Place},
    code::{Collective, Op, Space, Test},
    tensor_memory::{Kind, Multiplication, SPACE, Shape, Tcgen05},
};

/// Where the rows of the shapes of `tcgen05.cp` go, 32 by 32.
const EACH: &[&[usize]] = &[&[0], &[32], &[64], &[96]];
const PAIRS_02_13: &[&[usize]] = &[&[0, 64], &[32, 96]];
const PAIRS_01_23: &[&[usize]] = &[&[0, 32], &[64, 96]];
const ALL: &[&[usize]] = &[&[0, 32, 64, 96]];

impl Decoder<'_> {
    /// Instructions of the fifth generation of tensor cores.
    pub(super) fn tensor_memory(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Decoded> {
        Some(match variant.opcode {
            O::Tcgen05Alloc => self.tensor_allocate(variant, operands),
            O::Tcgen05Dealloc => self.tensor_free(operands),
            O::Tcgen05RelinquishAllocPermit => self.of_warp(Tcgen05::Relinquish),
            O::Tcgen05Ld | O::Tcgen05St => self.tensor_move(variant, operands),
            // Everything is done as soon as it is issued.
            O::Tcgen05WaitLd | O::Tcgen05WaitSt | O::Tcgen05FenceBeforeThreadSync | O::Tcgen05FenceAfterThreadSync => {
                self.nothing()
            }
            O::Tcgen05Cp => self.tensor_fill(variant, operands),
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
        self.of_warp(Tcgen05::Allocate { to, columns })
    }

    fn tensor_free(&mut self, operands: &[Operand]) -> Decoded {
        let [address, columns] = operands else {
            return Err(Unsupported);
        };
        let (address, columns) = (self.value(address, Type::U32)?, self.value(columns, Type::U32)?);
        self.of_warp(Tcgen05::Free { address, columns })
    }

    fn tensor_move(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let load = variant.opcode == O::Tcgen05Ld;
        let (address, registers, split) = match (load, operands) {
            (true, [registers, address]) | (false, [address, registers]) => (address, registers, None),
            (true, [registers, address, Operand::Integer(split, _)])
            | (false, [address, Operand::Integer(split, _), registers]) => (address, registers, Some(*split as u32)),
            _ => return Err(Unsupported),
        };
        let shape = match (variant.slot("shape"), split) {
            (_, Some(split)) => Shape::Halves(split),
            (Some(M::N32x32b), None) => Shape::Rows32,
            (Some(M::N16x64b), None) => Shape::Rows16Bits64,
            (Some(M::N16x128b), None) => Shape::Rows16Bits128,
            (Some(M::N16x256b), None) => Shape::Rows16Bits256,
            _ => return Err(Unsupported),
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
        self.of_warp(if load {
            Tcgen05::Load {
                shape,
                halves,
                address,
                list,
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

    fn tensor_fill(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [address, description] = operands else {
            return Err(Unsupported);
        };
        let has_format = variant.slot("src_fmt").is_some();
        if has_format || variant.has(M::CtaGroup2) {
            return Err(Unsupported);
        }
        let (rows, words, targets) = if variant.has(M::N128x256b) {
            (128, 8, EACH)
        } else if variant.has(M::N128x128b) {
            (128, 4, EACH)
        } else if variant.has(M::Warpx20213) {
            (64, 4, PAIRS_02_13)
        } else if variant.has(M::Warpx20123) {
            (64, 4, PAIRS_01_23)
        } else if variant.has(M::Warpx4) {
            (32, 4, ALL)
        } else {
            return Err(Unsupported);
        };
        let address = self.tensor_address(address)?;
        let description = self.value(description, Type::U64)?;
        self.of_thread(Tcgen05::Copy {
            address,
            description,
            rows,
            words,
            targets,
        })
    }

    /// Dense products without block scales, by one CTA.
    fn tensor_multiply(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let kind = match variant.slot("kind") {
            Some(M::KindF16) => Kind::F16,
            Some(M::KindTf32) => Kind::Tf32,
            Some(M::KindF8f6f4) => Kind::F8,
            Some(M::KindI8) => Kind::I8,
            _ => return Err(Unsupported),
        };
        let sparse = variant.has(M::Sp);
        if sparse || variant.has(M::CtaGroup2) || variant.has(M::BlockScale) || variant.has(M::Ashift) {
            return Err(Unsupported);
        }
        let [d, a, b, description, rest @ ..] = operands else {
            return Err(Unsupported);
        };
        // With `.ws` a last operand masks columns, else it scales D.
        let stationary = variant.opcode == O::Tcgen05MmaWs;
        if stationary && rest.len() != 1 {
            return Err(Unsupported);
        }
        let (lanes, accumulate) = match rest {
            [lanes @ Operand::Vector(_), accumulate] => (Some(lanes), accumulate),
            [lanes @ Operand::Vector(_), accumulate, Operand::Integer(0, _)] => (Some(lanes), accumulate),
            [accumulate] | [accumulate, Operand::Integer(0, _)] => (None, accumulate),
            _ => return Err(Unsupported),
        };
        let a_in_tensor_memory = matches!(a, Operand::Address(_) | Operand::Bracket(_));
        let d = self.tensor_value(d)?;
        let a = if a_in_tensor_memory {
            self.tensor_value(a)?
        } else {
            self.value(a, Type::U64)?
        };
        let mut disabled = None;
        if let Some(lanes) = lanes {
            let mut masks = [self.constant(0); 4];
            for (mask, element) in masks.iter_mut().zip(self.elements(lanes)) {
                *mask = self.value(&element, Type::B32)?;
            }
            disabled = Some(masks);
        }
        let accumulate: Test = self.test(accumulate)?;
        let (b, description) = (self.value(b, Type::U64)?, self.value(description, Type::U32)?);
        self.of_thread(Tcgen05::Multiply(Multiplication {
            kind,
            d,
            a,
            a_in_tensor_memory,
            b,
            description,
            accumulate,
            stationary,
            disabled,
            sm: self.module.target.number,
        }))
    }

    /// An address of tensor memory without an offset.
    fn tensor_value(&mut self, operand: &Operand) -> Result<super::super::code::Source, Unsupported> {
        match self.address(operand)? {
            (base, 0, _) => Ok(base),
            _ => Err(Unsupported),
        }
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
