//! `ldmatrix` and `stmatrix` of elements of a byte (PTX ISA 9.7.14.5.15 and 9.7.14.5.16).

use super::{List, read, write};
use crate::{
    matrix::bytes::{self, Format},
    ptx::{
        FaultKind,
        code::{LANES, Source, Space},
        machine::{Machine, Site, Trouble},
        warp::Warp,
    },
};

/// An instruction of these.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveBytes {
    pub(crate) list: List,
    /// Matrices of 16×16, transposed, in two registers each; else 8×16, in one.
    pub(crate) square: bool,
    pub(crate) format: Format,
    pub(crate) address: Source,
    pub(crate) offset: i64,
    pub(crate) space: Space,
}

impl MoveBytes {
    /// The address of a row that a lane gives.
    fn row(&self, site: &Site<'_>, warp: &Warp, lane: usize) -> Result<u64, Trouble> {
        let start = warp.read(site.code, self.address)[lane % LANES].wrapping_add_signed(self.offset);
        if start.is_multiple_of(16) {
            return Ok(start);
        }
        let message = format!("a matrix row at address {start:#x}, which is not a multiple of 16");
        Err(Trouble::new(FaultKind::Misaligned, message).at(lane))
    }
}

impl Machine<'_> {
    /// `ldmatrix`
    pub(super) fn load_bytes(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        moved: &MoveBytes,
        active: u32,
    ) -> Result<(), Trouble> {
        let (height, parts) = bytes::size(moved.square);
        let mut registers = Vec::new();
        for matrix in 0..moved.list.count as usize / parts {
            let mut rows = Vec::new();
            for row in 0..height {
                let lane = matrix * height + row;
                let start = moved.row(site, warp, lane)?;
                let bytes = self.read_bytes(site, warp, lane, moved.space, start, 16)?;
                let bytes = std::array::from_fn(|index| bytes.get(index).copied().unwrap_or(0));
                rows.push(moved.format.unpacked(bytes));
            }
            registers.extend((0..parts).map(|part| bytes::loaded(&rows, moved.square, part)));
        }
        write(site.code, warp, moved.list, active, &registers);
        Ok(())
    }

    /// `stmatrix`
    pub(super) fn store_bytes(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        moved: &MoveBytes,
    ) -> Result<(), Trouble> {
        for (matrix, register) in read(site.code, warp, moved.list).iter().enumerate() {
            for (column, bytes) in bytes::stored(register).iter().enumerate() {
                let lane = matrix * 8 + column;
                let start = moved.row(site, warp, lane)?;
                self.write_bytes(site, warp, lane % LANES, moved.space, start, bytes)?;
            }
        }
        Ok(())
    }
}
