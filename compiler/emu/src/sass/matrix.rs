//! Matrices between shared memory and the registers of a warp: `LDSM`, `STSM`, `MOVM`.
//!
//! Of 8 by 8 16-bit elements, each lane holds two neighbouring ones of a row: lane 4r + c those of row r in columns 2c and 2c + 1 (the PTX manual, `ldmatrix`).

use super::{
    code::{LANES, Lanes, Row},
    machine::{Context, Flow, Trouble},
    memory::{Address, Space, count, locate, read, write},
};
use crate::matrix::{
    Element,
    bytes::{self, Format},
    fragment::{factor, factor_fragment},
};

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MatrixMove {
    /// `LDSM`: the lanes 8m to 8m + 7 say where the rows of matrix m are.
    Load {
        d: Row,
        address: Address,
        count: u8,
        transpose: bool,
    },
    /// `STSM`
    Store {
        data: Row,
        address: Address,
        count: u8,
        transpose: bool,
    },
    /// `MOVM`
    Transpose { d: Row, a: Row },
    /// `LDSM` of elements that become bytes: of 8 by 16, or (`square`) of 16 by 16 and transposed.
    LoadBytes {
        d: Row,
        address: Address,
        count: u8,
        format: Format,
        square: bool,
    },
    /// `STSM` of 16 by 8 bytes by columns.
    StoreBytes { data: Row, address: Address, count: u8 },
    /// `MOVM.U4TO8.M832`: 8 rows of 32 four-bit elements become bytes, from the fragment that `mma` has of the ones to that of the others. ptxas
    /// 13.0.88 writes it only for both factors of products of bits, where another order within rows would give the same sums.
    Widen { d: Row, a: Row },
}

/// The lane and the bit that an element starts at.
fn place(row: usize, column: usize, transpose: bool) -> (usize, u32) {
    let (row, column) = if transpose { (column, row) } else { (row, column) };
    (row * 4 + column / 2, 16 * (column as u32 % 2))
}

impl MatrixMove {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        match self {
            MatrixMove::Load {
                d,
                address,
                count: matrices,
                transpose,
            } => {
                let addresses = address.lanes(context);
                count(context, Space::Shared, &addresses, 16);
                for matrix in 0..usize::from(matrices) {
                    let mut out: Lanes = [0; LANES];
                    for row in 0..8 {
                        let lane = (matrix * 8 + row) % LANES;
                        let at = locate(context, Space::Shared, addresses[lane], 16).map_err(|t| t.at(lane))?;
                        for column in 0..8 {
                            let value = read(context, at, lane, 2 * column as u64, 2).map_err(|t| t.at(lane))?;
                            let (to, bit) = place(row, column, transpose);
                            out[to] |= (value as u32) << bit;
                        }
                    }
                    context.put(d.after(matrix as u32), &out);
                }
            }
            MatrixMove::Store {
                data,
                address,
                count: matrices,
                transpose,
            } => {
                let addresses = address.lanes(context);
                count(context, Space::Shared, &addresses, 16);
                for matrix in 0..usize::from(matrices) {
                    let values = *context.warp.row(&context.machine.constants, data.after(matrix as u32));
                    for row in 0..8 {
                        let lane = (matrix * 8 + row) % LANES;
                        let at = locate(context, Space::Shared, addresses[lane], 16).map_err(|t| t.at(lane))?;
                        for column in 0..8 {
                            let (from, bit) = place(row, column, transpose);
                            let value = u64::from(values[from] >> bit & 0xffff);
                            write(context, at, lane, 2 * column as u64, 2, value).map_err(|t| t.at(lane))?;
                        }
                    }
                }
            }
            MatrixMove::Transpose { d, a } => {
                let values = *context.warp.row(&context.machine.constants, a);
                let mut out: Lanes = [0; LANES];
                for row in 0..8 {
                    for column in 0..8 {
                        let ((from, low), (to, bit)) = (place(row, column, false), place(row, column, true));
                        out[to] |= (values[from] >> low & 0xffff) << bit;
                    }
                }
                context.put(d, &out);
            }
            MatrixMove::LoadBytes {
                d,
                address,
                count,
                format,
                square,
            } => load_bytes(context, d, address, (count, format, square))?,
            MatrixMove::StoreBytes { data, address, count } => store_bytes(context, data, address, count)?,
            MatrixMove::Widen { d, a } => {
                let values = *context.warp.row(&context.machine.constants, a);
                let matrix = factor(&[values], Element::U4, 8, 8, 32);
                for (word, register) in (0..).zip(factor_fragment(&matrix, Element::U8, 8)) {
                    context.put(d.after(word), &register);
                }
            }
        }
        Ok(Flow::Next)
    }
}

/// `LDSM` of elements that become bytes. Each lane says where a row is.
fn load_bytes(
    context: &mut Context<'_, '_>,
    d: Row,
    address: Address,
    (matrices, format, square): (u8, Format, bool),
) -> Result<(), Trouble> {
    let addresses = address.lanes(context);
    count(context, Space::Shared, &addresses, 16);
    let (height, parts) = bytes::size(square);
    for matrix in 0..usize::from(matrices) {
        let mut rows = Vec::new();
        for row in 0..height {
            let lane = (matrix * height + row) % LANES;
            let at = locate(context, Space::Shared, addresses[lane], 16).map_err(|t| t.at(lane))?;
            let mut unit = [0; 16];
            for (index, half) in unit.chunks_exact_mut(8).enumerate() {
                let value = read(context, at, lane, 8 * index as u64, 8).map_err(|t| t.at(lane))?;
                half.copy_from_slice(&value.to_le_bytes());
            }
            rows.push(format.unpacked(unit));
        }
        for part in 0..parts {
            let register = bytes::loaded(&rows, square, part);
            context.put(d.after((matrix * parts + part) as u32), &register);
        }
    }
    Ok(())
}

/// `STSM` of bytes.
fn store_bytes(context: &mut Context<'_, '_>, data: Row, address: Address, matrices: u8) -> Result<(), Trouble> {
    let addresses = address.lanes(context);
    count(context, Space::Shared, &addresses, 16);
    for matrix in 0..usize::from(matrices) {
        let values = *context.warp.row(&context.machine.constants, data.after(matrix as u32));
        for (column, unit) in bytes::stored(&values).iter().enumerate() {
            let lane = (matrix * 8 + column) % LANES;
            let at = locate(context, Space::Shared, addresses[lane], 16).map_err(|t| t.at(lane))?;
            for (index, byte) in (0..).zip(unit) {
                write(context, at, lane, index, 1, u64::from(*byte)).map_err(|t| t.at(lane))?;
            }
        }
    }
    Ok(())
}
