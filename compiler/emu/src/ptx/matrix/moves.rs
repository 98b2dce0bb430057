//! `ldmatrix` and `stmatrix` of elements of a byte (PTX ISA 9.7.14.5.15 and 9.7.14.5.16).

use super::{List, read, write};
use crate::ptx::{
    FaultKind,
    code::{LANES, Source, Space},
    machine::{Machine, Site, Trouble},
    warp::Warp,
};

/// How 16 elements lie in the 16 bytes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    B8,
    /// `.b6x16_p32`: six bits each, then 32 bits that are skipped.
    B6,
    /// `.b4x16_p64`: four bits each, then 64 bits that are skipped.
    B4,
}

impl Format {
    /// The elements, each in the lowest bits of a byte.
    fn unpacked(self, row: [u8; 16]) -> [u8; 16] {
        let bits = match self {
            Format::B8 => 8,
            Format::B6 => 6,
            Format::B4 => 4,
        };
        let all = u128::from_le_bytes(row);
        std::array::from_fn(|index| (all >> (bits * index) & ((1 << bits) - 1)) as u8)
    }
}

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
    /// Lane `4 g + t` gets four bytes from column `4 t` on: of row `g` of 8×16; of rows `g` and `g + 8` of the transposed 16×16.
    pub(super) fn load_bytes(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        moved: &MoveBytes,
        active: u32,
    ) -> Result<(), Trouble> {
        let (height, parts) = if moved.square { (16, 2) } else { (8, 1) };
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
            for part in 0..parts {
                registers.push(std::array::from_fn(|lane| {
                    let (group, place) = (lane / 4 + 8 * part, lane % 4 * 4);
                    u32::from_le_bytes(std::array::from_fn(|byte| {
                        let (row, column) = if moved.square {
                            (place + byte, group)
                        } else {
                            (group, place + byte)
                        };
                        rows.get(row).map_or(0, |bytes| bytes[column % 16])
                    }))
                }));
            }
        }
        write(site.code, warp, moved.list, active, &registers);
        Ok(())
    }

    /// 16×8, by columns: lane `4 g + t` gives columns `2 t` and `2 t + 1` of row `g` and then of row `g + 8`.
    pub(super) fn store_bytes(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        moved: &MoveBytes,
    ) -> Result<(), Trouble> {
        for (matrix, register) in read(site.code, warp, moved.list).iter().enumerate() {
            for column in 0..8 {
                let bytes: [u8; 16] = std::array::from_fn(|row| {
                    let lane = row % 8 * 4 + column / 2;
                    register[lane].to_le_bytes()[column % 2 + 2 * (row / 8)]
                });
                let lane = matrix * 8 + column;
                let start = moved.row(site, warp, lane)?;
                self.write_bytes(site, warp, lane % LANES, moved.space, start, &bytes)?;
            }
        }
        Ok(())
    }
}
