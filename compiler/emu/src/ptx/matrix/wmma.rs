//! `wmma.load` and `wmma.store`.

use super::{List, read, write};
use crate::{
    matrix::{
        Cell, Element, Matrix,
        wmma::{Part, Shape},
    },
    ptx::{
        FaultKind,
        code::{Source, Space},
        machine::{Machine, Site, Trouble},
        warp::Warp,
    },
};

/// Where a matrix lies. All lanes must give the same; those of the first one count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) space: Space,
    pub(crate) address: Source,
    pub(crate) offset: i64,
    pub(crate) narrow: bool,
    /// Elements from one row (column, of `.col`) to the next; none: they follow each other.
    pub(crate) stride: Option<Source>,
    /// `.row`
    pub(crate) by_rows: bool,
}

/// A fragment loaded or stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WmmaMove {
    pub(crate) part: Part,
    pub(crate) shape: Shape,
    pub(crate) place: Place,
    pub(crate) list: List,
}

impl WmmaMove {
    /// Bits of what is moved at once.
    fn bits(&self) -> u64 {
        u64::from(match self.part {
            Part::A(element) | Part::B(element) => element.bits(),
            Part::Sum(cell) => cell.bits(),
        })
    }

    /// Bits of an element as strides count them.
    fn element_bits(&self) -> u64 {
        match self.part {
            Part::A(Element::Bits) | Part::B(Element::Bits) => 1,
            Part::A(_) | Part::B(_) | Part::Sum(Cell::F16 | Cell::F32 | Cell::S32 | Cell::F64) => self.bits(),
        }
    }

    /// Whether consecutive elements in memory have consecutive columns of the [`Matrix`], in which B stands by columns.
    fn is_straight(&self) -> bool {
        match self.part {
            Part::A(_) | Part::Sum(_) => self.place.by_rows,
            Part::B(_) => !self.place.by_rows,
        }
    }

    /// The first address and the stride in bits.
    fn start(&self, site: &Site<'_>, warp: &Warp) -> Result<(u64, u64), Trouble> {
        let base = warp.read(site.code, self.place.address)[0].wrapping_add_signed(self.place.offset);
        let base = if self.place.narrow { base & 0xffff_ffff } else { base };
        // ptxas loads four bytes at once, or a double.
        if !base.is_multiple_of((self.bits() / 8).max(4)) {
            let message = format!("a matrix at address {base:#x}, which is not aligned for it");
            return Err(Trouble::new(FaultKind::Misaligned, message).at(0));
        }
        let (rows, columns) = self.shape.extent(self.part);
        let packed = if self.is_straight() { columns } else { rows } as u64 * self.bits();
        let stride = self
            .place
            .stride
            .map(|stride| warp.read(site.code, stride)[0] & 0xffff_ffff);
        Ok((base, stride.map_or(packed, |stride| stride * self.element_bits())))
    }

    /// The bit offset of an element.
    fn offset(&self, row: usize, column: usize, stride: u64) -> u64 {
        let (outer, inner) = if self.is_straight() {
            (row, column)
        } else {
            (column, row)
        };
        (outer as u64)
            .wrapping_mul(stride)
            .wrapping_add(inner as u64 * self.bits())
    }
}

impl Machine<'_> {
    pub(super) fn wmma_load(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        moved: &WmmaMove,
        active: u32,
    ) -> Result<(), Trouble> {
        let (base, stride) = moved.start(site, warp)?;
        let (rows, columns) = moved.shape.extent(moved.part);
        let bytes = (moved.bits() / 8).max(1) as usize;
        let mut matrix = Matrix::new(rows, columns);
        for row in 0..rows {
            for column in 0..columns {
                let offset = moved.offset(row, column, stride);
                let address = base.wrapping_add(offset / 8);
                let value = self.read_one(site, warp, 0, moved.place.space, address, bytes)? >> (offset % 8);
                matrix.set(row, column, value & (u64::MAX >> (64 - moved.bits())));
            }
        }
        let registers = moved.shape.fragment(moved.part, &matrix);
        write(site.code, warp, moved.list, active, &registers);
        Ok(())
    }

    pub(super) fn wmma_store(&mut self, site: &mut Site<'_>, warp: &mut Warp, moved: &WmmaMove) -> Result<(), Trouble> {
        let (base, stride) = moved.start(site, warp)?;
        let registers = read(site.code, warp, moved.list);
        let matrix = moved.shape.matrix(moved.part, &registers);
        let bytes = (moved.bits() / 8).max(1) as usize;
        for row in 0..matrix.rows() {
            for column in 0..matrix.columns() {
                let address = base.wrapping_add(moved.offset(row, column, stride) / 8);
                let value = matrix.get(row, column);
                self.write_one(site, warp, 0, moved.place.space, address, bytes, value)?;
            }
        }
        Ok(())
    }
}
