//! Matrices of 8 by 8 16-bit elements between shared memory and the registers of a warp: `LDSM`, `STSM`, `MOVM`.
//!
//! Each lane holds two neighbouring elements of a row: lane 4r + c those of row r in columns 2c and 2c + 1 (the PTX manual, `ldmatrix`).

use super::{
    code::{LANES, Lanes, Row},
    machine::{Context, Flow, Trouble},
    memory::{Address, Space, count, locate, read, write},
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
        }
        Ok(Flow::Next)
    }
}
