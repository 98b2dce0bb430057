//! Boxes of tensors: which bytes of global and of shared memory a tensor copy moves.
//!
//! The interpreter of PTX and the emulator of machine code both ask here; what they do with the bytes is their own.

use warpsmith_numerics::float::OOB_NAN;

use crate::{
    Fault, FaultKind,
    tensor_map::{TensorBox, TensorElement, TensorMap},
};

/// How a copy goes over the tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Tile,
    /// `.tile::gather4` and `.tile::scatter4`: four rows.
    Rows,
    /// `.im2col` and `.im2col_no_offs`
    Im2col,
}

/// Elements that follow each other in the innermost dimension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Coordinates of the first.
    start: [i64; 5],
    /// How many.
    count: u64,
}

/// A tensor map, checked for what a copy needs.
fn usable(map: &TensorMap, rank: usize, mode: Mode) -> Result<(), Fault> {
    let wrong = |message: String| Err(Fault::new(FaultKind::Operand, message));
    if map.rank as usize != rank {
        return wrong(format!("a copy of {rank} dimensions by a tensor map of {}", map.rank));
    }
    let is_im2col = matches!(map.shape, TensorBox::Im2col { .. });
    if is_im2col != (mode == Mode::Im2col) {
        let kind = if is_im2col { "im2col" } else { "tile" };
        return wrong(format!("the tensor map is for the {kind} mode"));
    }
    if map.interleave != 0 {
        return Err(Fault::new(
            FaultKind::Unsupported,
            "interleaved tensors are not implemented",
        ));
    }
    if matches!(map.element, TensorElement::B4x16P64 | TensorElement::B6x16P32) {
        let message = "tensors of padded groups of 4-bit and 6-bit elements are not implemented";
        return Err(Fault::new(FaultKind::Unsupported, message));
    }
    map.encode().map(|_| ())
}

/// The rows of a box in the order in which they lie in shared memory.
fn box_rows(map: &TensorMap, sizes: [u32; 5], start: [i64; 5]) -> Vec<Row> {
    // A stride of s takes every s-th element, ⌈size / s⌉ in all (CUDA driver API, cuTensorMapEncodeTiled).
    let counts: [i64; 5] = std::array::from_fn(|index| {
        if index == 0 || index >= map.rank as usize {
            1
        } else {
            i64::from(sizes[index].div_ceil(map.element_strides[index]))
        }
    });
    let total: i64 = counts.iter().product();
    let place = |number: i64| {
        let mut left = number;
        let mut row = start;
        for index in 1..5 {
            row[index] += left % counts[index] * i64::from(map.element_strides[index]);
            left /= counts[index];
        }
        Row {
            start: row,
            count: sizes[0].into(),
        }
    };
    (0..total).map(place).collect()
}

/// The pixels of an im2col copy: from the base on through the box in W, H and D, then on to the next N.
fn pixels(map: &TensorMap, start: [i64; 5], offsets: [i64; 3]) -> Vec<Row> {
    let TensorBox::Im2col {
        lower,
        upper,
        channels,
        pixels,
    } = map.shape
    else {
        return Vec::new();
    };
    let spatial = (map.rank as usize).saturating_sub(2).min(3);
    let mut at = start;
    let mut rows = Vec::new();
    for _ in 0..pixels {
        let mut row = at;
        for index in 0..spatial {
            row[index + 1] += offsets[index];
        }
        rows.push(Row {
            start: row,
            count: channels.into(),
        });
        let mut carry = true;
        for index in 0..spatial {
            if !carry {
                break;
            }
            let last = map.sizes[index + 1] as i64 - 1 + i64::from(upper[index]);
            at[index + 1] += i64::from(map.element_strides[index + 1]);
            carry = at[index + 1] > last;
            if carry {
                at[index + 1] = i64::from(lower[index]);
            }
        }
        if carry {
            at[spatial + 1] += 1;
        }
    }
    rows
}

/// A run of bytes of a row: how many, and where they are in global memory if they are inside the tensor.
pub(crate) fn runs(map: &TensorMap, row: Row) -> Vec<(u64, Option<u64>)> {
    let bits = u64::from(map.element.bits());
    let bytes = |elements: u64| elements * bits / 8;
    let outside = vec![(bytes(row.count), None)];
    let rank = map.rank as usize;
    let is_inside = |index: usize| u64::try_from(row.start[index]).is_ok_and(|at| at < map.sizes[index]);
    if !(1..rank).all(is_inside) {
        return outside;
    }
    let (first, count) = (row.start[0], row.count as i64);
    let low = (-first).clamp(0, count);
    let high = (map.sizes[0] as i64 - first).clamp(low, count);
    if low == high {
        return outside;
    }
    let mut address = map.address.wrapping_add(bytes((first + low) as u64));
    for index in 1..rank {
        address = address.wrapping_add((row.start[index] as u64).wrapping_mul(map.strides[index - 1]));
    }
    let parts = [
        (bytes(low as u64), None),
        (bytes((high - low) as u64), Some(address)),
        (bytes((count - high) as u64), None),
    ];
    parts.into_iter().filter(|(bytes, _)| *bytes > 0).collect()
}

/// What an element outside of the tensor is.
pub(crate) fn fill(map: &TensorMap) -> Result<[u8; 2], Fault> {
    match map.element {
        _ if !map.fill_nan => Ok([0; 2]),
        TensorElement::F16 | TensorElement::Bf16 => Ok((OOB_NAN as u16).to_le_bytes()),
        element => Err(Fault::new(
            FaultKind::Unsupported,
            format!("the NaN that fills tensors of {element:?} is not known"),
        )),
    }
}

/// Bytes that are together in shared memory, and in global memory if they are inside the tensor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Offset in shared memory.
    pub(crate) shared: u64,
    /// Address in global memory; `None`: outside of the tensor.
    pub(crate) global: Option<u64>,
    /// How many.
    pub(crate) bytes: u64,
}

/// The pieces of rows that lie one after the other from an offset in shared memory on.
pub(crate) fn pieces(map: &TensorMap, rows: &[Row], start: u64) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut offset = start;
    for row in rows {
        for (bytes, global) in runs(map, *row) {
            let mut done = 0;
            while done < bytes {
                let chunk = match map.swizzle.span() {
                    None => bytes,
                    Some(_) => {
                        let chunk = map.swizzle.chunk();
                        (chunk - (offset + done) % chunk).min(bytes - done)
                    }
                };
                pieces.push(Piece {
                    shared: map.swizzle.permute(offset + done),
                    global: global.map(|address| address.wrapping_add(done)),
                    bytes: chunk,
                });
                done += chunk;
            }
            offset += bytes;
        }
    }
    pieces
}

/// Bytes of rows in shared memory.
pub(crate) fn bytes(map: &TensorMap, rows: &[Row]) -> u64 {
    let bits = u64::from(map.element.bits());
    rows.iter().map(|row| row.count * bits / 8).sum()
}

/// Copies to shared memory round f32 to tf32 and flush subnormals where the element type says so, how is not documented: numbers that this would
/// change are refused.
pub(crate) fn refuse_conversion(map: &TensorMap, bytes: &[u8]) -> Result<(), Fault> {
    let (rounds, flushes) = match map.element {
        TensorElement::Tf32 => (true, false),
        TensorElement::Tf32Ftz => (true, true),
        TensorElement::F32Ftz => (false, true),
        _ => return Ok(()),
    };
    for element in bytes.chunks_exact(4) {
        let bits = element
            .iter()
            .rev()
            .fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        let is_subnormal = bits & 0x7f80_0000 == 0 && bits & 0x7f_ffff != 0;
        if rounds && bits & 0x1fff != 0 || flushes && is_subnormal {
            let message = format!("how a copy converts {bits:#010x} to {:?} is not known", map.element);
            return Err(Fault::new(FaultKind::Unsupported, message));
        }
    }
    Ok(())
}

/// Whether copies to shared memory change elements.
pub(crate) fn converts(map: &TensorMap) -> bool {
    matches!(
        map.element,
        TensorElement::Tf32 | TensorElement::Tf32Ftz | TensorElement::F32Ftz
    )
}

/// What a copy takes, row by row.
pub(crate) fn rows(map: &TensorMap, mode: Mode, coordinates: &[i64], offsets: &[i64]) -> Result<Vec<Row>, Fault> {
    let mut start = [0; 5];
    for (own, given) in start.iter_mut().zip(coordinates) {
        *own = *given;
    }
    match (mode, map.shape) {
        (Mode::Tile, TensorBox::Tile(sizes)) => {
            usable(map, coordinates.len(), mode)?;
            Ok(box_rows(map, sizes, start))
        }
        (Mode::Rows, TensorBox::Tile(sizes)) => {
            usable(map, 2, mode)?;
            if sizes[1] != 1 {
                let message = format!("a copy of four rows by a box of {} rows, not one", sizes[1]);
                return Err(Fault::new(FaultKind::Operand, message));
            }
            let row = |y: &i64| Row {
                start: [start[0], *y, 0, 0, 0],
                count: sizes[0].into(),
            };
            Ok(coordinates.iter().skip(1).map(row).collect())
        }
        (Mode::Im2col, _) => {
            usable(map, coordinates.len(), mode)?;
            let mut moved = [0; 3];
            for (own, given) in moved.iter_mut().zip(offsets) {
                *own = *given;
            }
            Ok(pixels(map, start, moved))
        }
        (Mode::Tile | Mode::Rows, TensorBox::Im2col { .. }) => {
            usable(map, map.rank as usize, mode)?;
            Ok(Vec::new())
        }
    }
}
