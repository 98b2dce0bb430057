//! Matrix instructions: products, fragments and their moves.

use warpsmith_numerics::matrix::Instruction;
use warpsmith_ptx::{instruction::Variant, module::Operand, table::Type};

use super::{Decoded, Decoder, M, O, Unsupported, first_type};
use crate::{
    matrix::{
        bytes::Format,
        descriptor::Major,
        wmma::{Part, Shape},
    },
    ptx::{
        code::{Access, Collective, Op, Source},
        matrix::{
            Extras, Kind, Left, List, Matrix, MoveBytes, Place, ScaleOperand, Warpgroup, WmmaMove, cell, containers,
            element, product, shape,
        },
    },
};

/// A constant operand.
fn immediate(operand: &Operand) -> Result<u64, Unsupported> {
    match *operand {
        Operand::Integer(value, _) => Ok(value),
        _ => Err(Unsupported),
    }
}

impl Decoder<'_> {
    /// Instructions that a warp executes on matrices.
    pub(super) fn matrices(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Decoded> {
        Some(match variant.opcode {
            O::Ldmatrix | O::Stmatrix => self.matrix_move(variant, operands),
            O::Movmatrix => self.transpose_matrix(operands),
            O::Mma => self.multiply_matrix(variant, operands),
            O::WmmaMma => self.multiply_fragments(variant, operands),
            O::WmmaLoadA | O::WmmaLoadB | O::WmmaLoadC | O::WmmaStoreD => self.move_fragment(variant, operands),
            O::WgmmaMmaAsync => self.multiply_warpgroup(variant, operands),
            // Products of warp groups are computed when their warps have come to them.
            O::WgmmaFence => self.nothing(),
            O::WgmmaCommitGroup => self.products(Op::ProductsCommit),
            O::WgmmaWaitGroup => self.products_wait(operands),
            _ => return None,
        })
    }

    /// An operation that all lanes of the warp take part in.
    pub(super) fn whole_warp(&mut self, collective: Collective) -> Decoded {
        let members = self.constant(0xffff_ffff);
        self.push(Op::Collective { collective, members });
        Ok(())
    }

    fn products(&mut self, op: Op) -> Decoded {
        self.push(op);
        Ok(())
    }

    fn products_wait(&mut self, operands: &[Operand]) -> Decoded {
        let [pending] = operands else { return Err(Unsupported) };
        let pending = u32::try_from(immediate(pending)?).map_err(|_| Unsupported)?;
        self.products(Op::ProductsWait { pending })
    }

    fn push_matrix(&mut self, matrix: Matrix) -> Decoded {
        let index = self.code.matrices.len() as u32;
        self.code.matrices.push(matrix);
        self.whole_warp(Collective::Matrix { matrix: index })
    }

    /// The list of the values or, with `written`, the slots of a vector.
    fn list(&mut self, operand: &Operand, wide: bool, written: bool) -> Result<List, Unsupported> {
        let mut found = Vec::new();
        for element in self.elements(operand) {
            found.push(if written {
                self.destination(&element)?
            } else {
                self.value(&element, if wide { Type::B64 } else { Type::B32 })?.0
            });
        }
        let start = self.code.lists.len() as u32;
        let count = found.len() as u32;
        self.code.lists.extend(found);
        Ok(List { start, count, wide })
    }

    fn matrix_move(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let load = variant.opcode == O::Ldmatrix;
        let (registers, address) = match operands {
            [d, address] if load => (d, address),
            [address, values] => (values, address),
            _ => return Err(Unsupported),
        };
        let access = self.access(variant, address, Type::B16)?;
        let list = self.list(registers, false, load)?;
        let number = match variant.slot("num").map(M::name) {
            Some("x1") => 1,
            Some("x2") => 2,
            Some("x4") => 4,
            _ => return Err(Unsupported),
        };
        let square = variant.has(M::M16n16);
        if list.count != if square { 2 * number } else { number } {
            return Err(Unsupported);
        }
        if !variant.has(M::M8n8) {
            return self.byte_matrix_move(variant, list, access);
        }
        let transpose = variant.has(M::Trans);
        let (count, list) = (list.count as u8, list.start);
        let (address, offset, space) = (access.address, access.offset, access.space);
        self.whole_warp(if load {
            Collective::LoadMatrix {
                list,
                count,
                transpose,
                address,
                offset,
                space,
            }
        } else {
            Collective::StoreMatrix {
                list,
                count,
                transpose,
                address,
                offset,
                space,
            }
        })
    }

    fn byte_matrix_move(&mut self, variant: &Variant, list: List, access: Access) -> Decoded {
        let format = if variant.has(M::B6x16P32) {
            Format::B6
        } else if variant.has(M::B4x16P64) {
            Format::B4
        } else {
            Format::B8
        };
        let moved = MoveBytes {
            list,
            square: variant.has(M::M16n16),
            format,
            address: access.address,
            offset: access.offset,
            space: access.space,
        };
        self.push_matrix(if variant.opcode == O::Ldmatrix {
            Matrix::LoadBytes(moved)
        } else {
            Matrix::StoreBytes(moved)
        })
    }

    fn transpose_matrix(&mut self, operands: &[Operand]) -> Decoded {
        let [d, a] = operands else { return Err(Unsupported) };
        let (d, a) = (self.destination(d)?, self.value(a, Type::B32)?);
        self.whole_warp(Collective::TransposeMatrix { d, a })
    }

    fn push_product(&mut self, kind: Kind, operands: [&Operand; 4], extras: Extras) -> Decoded {
        let wide = kind.is_wide();
        let [d, a, b, c] = operands;
        let lists = [
            self.list(d, wide, true)?,
            self.list(a, wide, false)?,
            self.list(b, wide, false)?,
            self.list(c, wide, false)?,
        ];
        self.push_matrix(Matrix::Multiply { kind, lists, extras })
    }

    fn multiply_matrix(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let kind = Kind::mma(variant, self.module.target.number).ok_or(Unsupported)?;
        let [d, a, b, c, rest @ ..] = operands else {
            return Err(Unsupported);
        };
        let sparse = matches!(&kind, Kind::Mma { mma, .. } if mma.sparse);
        let (metadata, rest) = match rest {
            [metadata, selector, rest @ ..] if sparse => (Some(self.metadata(metadata, selector)?), rest),
            _ => (None, rest),
        };
        let scales = match rest {
            [] => None,
            [a, of_a, b, of_b] => Some((self.scale(a, of_a)?, self.scale(b, of_b)?)),
            _ => return Err(Unsupported),
        };
        self.push_product(kind, [d, a, b, c], Extras { metadata, scales })
    }

    fn metadata(&mut self, metadata: &Operand, selector: &Operand) -> Result<(Source, u32), Unsupported> {
        let [metadata] = self.elements(metadata)[..] else {
            return Err(Unsupported);
        };
        Ok((self.value(&metadata, Type::B32)?, immediate(selector)? as u32))
    }

    fn scale(&mut self, data: &Operand, selectors: &Operand) -> Result<ScaleOperand, Unsupported> {
        let ([data], [byte, thread]) = (&self.elements(data)[..], &self.elements(selectors)[..]) else {
            return Err(Unsupported);
        };
        Ok(ScaleOperand {
            data: self.value(data, Type::B32)?,
            byte: self.value(byte, Type::U16)?,
            thread: self.value(thread, Type::U16)?,
        })
    }

    fn multiply_fragments(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let kind = Kind::wmma(variant, self.module.target.number).ok_or(Unsupported)?;
        let [d, a, b, c] = operands else {
            return Err(Unsupported);
        };
        self.push_product(kind, [d, a, b, c], Extras::default())
    }

    fn move_fragment(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let store = variant.opcode == O::WmmaStoreD;
        let (fragment, address, stride) = match operands {
            [address, fragment, stride @ ..] if store => (fragment, address, stride),
            [fragment, address, stride @ ..] => (fragment, address, stride),
            _ => return Err(Unsupported),
        };
        let of = first_type(variant)?;
        let (part, depth_unit) = match variant.opcode {
            O::WmmaLoadA => element(of, variant).map(|element| (Part::A(element), element)),
            O::WmmaLoadB => element(of, variant).map(|element| (Part::B(element), element)),
            _ => cell(of).map(|cell| (Part::Sum(cell), crate::matrix::Element::F16)),
        }
        .ok_or(Unsupported)?;
        let integers = of == Type::S32 || depth_unit.integer().is_some();
        let [rows, columns, depth] = shape(variant).ok_or(Unsupported)?;
        let depth = containers(depth_unit, depth);
        let access = self.access(variant, address, of)?;
        let stride = match stride {
            [] => None,
            [stride] => Some(self.value(stride, Type::U32)?),
            _ => return Err(Unsupported),
        };
        let moved = WmmaMove {
            part,
            shape: Shape::new(rows, columns, depth, integers, self.module.target.number),
            place: Place {
                space: access.space,
                address: access.address,
                offset: access.offset,
                narrow: access.narrow,
                stride,
                by_rows: variant.has(M::Row),
            },
            list: self.list(fragment, of == Type::F64, !store)?,
        };
        self.push_matrix(if store {
            Matrix::WmmaStore(moved)
        } else {
            Matrix::WmmaLoad(moved)
        })
    }

    fn multiply_warpgroup(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let types: Vec<Type> = variant.types().collect();
        let [d_type, a_type, b_type] = types[..] else {
            return Err(Unsupported);
        };
        let sides = element(a_type, variant)
            .zip(element(b_type, variant))
            .ok_or(Unsupported)?;
        let sum = cell(d_type).ok_or(Unsupported)?;
        let target = self.module.target.number;
        let product = product(variant, target, Instruction::Wgmma, sides, (sum, sum)).ok_or(Unsupported)?;
        let [_, columns, depth] = shape(variant).ok_or(Unsupported)?;
        let [d, a, b, rest @ ..] = operands else {
            return Err(Unsupported);
        };
        let (metadata, rest) = match rest {
            [metadata, selector, rest @ ..] if variant.has(M::Sp) => (Some(self.metadata(metadata, selector)?), rest),
            _ => (None, rest),
        };
        let [accumulate, rest @ ..] = rest else {
            return Err(Unsupported);
        };
        let in_registers = matches!(a, Operand::Vector(_));
        let (signs, transposed) = rest.split_at(rest.len().min(2));
        let mut negate = [false; 2];
        for (negate, sign) in negate.iter_mut().zip(signs) {
            *negate = immediate(sign)? as u32 == u32::MAX;
        }
        let mut majors = [Major::K; 2];
        let first = usize::from(in_registers);
        for (major, transpose) in majors.iter_mut().skip(first).zip(transposed) {
            if immediate(transpose)? != 0 {
                *major = Major::Mn;
            }
        }
        let warpgroup = Warpgroup {
            product,
            columns,
            depth: containers(sides.0, depth),
            d: self.list(d, false, true)?,
            a: if in_registers {
                Left::Registers(self.list(a, false, false)?)
            } else {
                Left::Descriptor(self.value(a, Type::U64)?)
            },
            b: self.value(b, Type::U64)?,
            metadata,
            accumulate: self.test(accumulate)?,
            negate,
            majors,
        };
        self.push(Op::ProductJoin);
        self.push_matrix(Matrix::Warpgroup(warpgroup))
    }
}
