//! Boxes of tensors: which bytes of global and of shared memory a tensor copy moves.
//!
//! The interpreter of PTX and the emulator of machine code both ask here; what they do with the bytes is their own.
//!
//! The manual shows in figures alone which pixels `.im2col::w` copies beyond those that the map says (`wHalo`), and where interleaved slices lie. What is
//! done here is what the open simulator NumSim does, which was compared with a B200: the pixels that would follow come after all others, and of the four
//! groups of `.im2col::w::128` each has its first, then each its second; interleaved copies take one slice of channels for each pixel.

use warpsmith_numerics::float::OOB_NAN;

use crate::{
    Fault, FaultKind,
    tensor_map::{Swizzle, TensorBox, TensorElement, TensorMap},
};

/// How a copy goes over the tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Tile,
    /// `.tile::gather4` and `.tile::scatter4`: four rows.
    Rows,
    /// `.im2col` and `.im2col_no_offs`
    Im2col,
    /// `.im2col::w`
    Wide,
    /// `.im2col::w::128`
    Wide128,
}

/// Elements, or slices of channels, that follow each other in the innermost dimension.
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
    let fits = match map.shape {
        TensorBox::Tile(_) => matches!(mode, Mode::Tile | Mode::Rows),
        TensorBox::Im2col { .. } => mode == Mode::Im2col,
        TensorBox::Im2colWide { .. } => matches!(mode, Mode::Wide | Mode::Wide128),
    };
    if !fits {
        let kind = match map.shape {
            TensorBox::Tile(_) => "tile",
            TensorBox::Im2col { .. } => "im2col",
            TensorBox::Im2colWide { .. } => "im2col::w",
        };
        return wrong(format!("the tensor map is for the {kind} mode"));
    }
    if mode == Mode::Wide128 && map.swizzle == Swizzle::B96 {
        return wrong("there is no copy of 128 pixels with the swizzle of 96 bytes".to_owned());
    }
    let is_narrow = map.element.bits() < 8;
    if map.interleave != 0 && (is_narrow || map.swizzle != Swizzle::None && map.interleave == 1) {
        return Err(Fault::new(
            FaultKind::Unsupported,
            "how swizzled slices of 16 bytes and those of elements below a byte lie is not known",
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
    // A stride of s takes every s-th element, ⌈size / s⌉ in all; that of the first dimension counts where it is W (CUDA driver API,
    // cuTensorMapEncodeTiled).
    let steps = map.interleave != 0 && map.element_strides[0] != 1;
    let counts: [i64; 5] = std::array::from_fn(|index| {
        let rank = map.rank as usize;
        // One slice of the channels; and those of neighbours in W stand alone where not each of them is taken.
        let is_single = index >= rank || map.interleave != 0 && index + 2 == rank;
        if is_single || index == 0 && !steps {
            1
        } else {
            i64::from(sizes[index].div_ceil(map.element_strides[index]))
        }
    });
    let total: i64 = counts.iter().product();
    let place = |number: i64| {
        let mut left = number;
        let mut row = start;
        for index in 0..5 {
            row[index] += left % counts[index] * i64::from(map.element_strides[index]);
            left /= counts[index];
        }
        Row {
            start: row,
            count: if steps { 1 } else { sizes[0].into() },
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
    let (rank, first) = (map.rank as usize, first_spatial(map));
    let spatial = rank.saturating_sub(2).min(3);
    let mut at = start;
    let mut rows = Vec::new();
    for _ in 0..pixels {
        let mut row = at;
        for index in 0..spatial {
            row[first + index] += offsets[index];
        }
        rows.push(Row {
            start: row,
            count: if map.interleave == 0 { channels.into() } else { 1 },
        });
        let mut carry = true;
        for index in 0..spatial {
            if !carry {
                break;
            }
            let last = map.sizes[first + index] as i64 - 1 + i64::from(upper[index]);
            at[first + index] += i64::from(map.element_strides[first + index]);
            carry = at[first + index] > last;
            if carry {
                at[first + index] = i64::from(lower[index]);
            }
        }
        if carry {
            at[rank - 1] += 1;
        }
    }
    rows
}

/// The dimension W.
fn first_spatial(map: &TensorMap) -> usize {
    usize::from(map.interleave == 0)
}

/// The pixels of a copy along W: from the base on to the end of the box, then on to the next N, and `wHalo` more, of each 32 where there are 128.
fn wide_pixels(map: &TensorMap, start: [i64; 5], mode: Mode, offsets: &[i64]) -> Result<Vec<Row>, Fault> {
    let wrong = |message: String| Fault::new(FaultKind::Operand, message);
    let TensorBox::Im2colWide {
        lower,
        upper,
        channels,
        pixels,
    } = map.shape
    else {
        return Ok(Vec::new());
    };
    let (halo, offset) = match offsets {
        [halo, offset] => (*halo, *offset),
        _ => (0, 0),
    };
    let most = if mode == Mode::Wide { 511 } else { 31 };
    if !(0..=most).contains(&halo) || !(0..=31).contains(&offset) {
        return Err(wrong(format!(
            "wHalo {halo} and wOffset {offset}, which are at most {most} and 31"
        )));
    }
    let (first, last) = (
        i64::from(lower) + offset,
        map.sizes[1] as i64 - 1 + i64::from(upper) + offset,
    );
    let images = map.rank as usize - 1;
    let mut at = start;
    at[1] += offset;
    if at[1] > last {
        return Err(wrong(format!(
            "the first pixel, {} in W, is to the right of the box, which ends at {last}",
            at[1]
        )));
    }
    let advance = |mut at: [i64; 5]| {
        at[1] += i64::from(map.element_strides[1]);
        if at[1] > last {
            at[1] = first;
            at[images] += 1;
        }
        at
    };
    let (groups, each) = match mode {
        Mode::Wide128 => (4, 32),
        _ => (1, pixels),
    };
    let mut rows = Vec::new();
    let mut halos = Vec::new();
    for _ in 0..groups {
        for _ in 0..each {
            rows.push(at);
            at = advance(at);
        }
        halos.push(at);
    }
    for _ in 0..halo {
        rows.extend(halos.iter().copied());
        halos = halos.into_iter().map(advance).collect();
    }
    let row = |start| Row {
        start,
        count: channels.into(),
    };
    Ok(rows.into_iter().map(row).collect())
}

/// A run of bytes of a row: how many, and where they are in global memory if they are inside the tensor.
pub(crate) fn runs(map: &TensorMap, row: Row) -> Vec<(u64, Option<u64>)> {
    let bits = u64::from(map.unit_bits());
    let bytes = |units: u64| units * bits / 8;
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
    let bits = u64::from(map.unit_bits());
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
        (Mode::Wide | Mode::Wide128, _) => {
            usable(map, coordinates.len(), mode)?;
            wide_pixels(map, start, mode, offsets)
        }
        (Mode::Tile | Mode::Rows, TensorBox::Im2col { .. } | TensorBox::Im2colWide { .. }) => {
            usable(map, map.rank as usize, mode)?;
            Ok(Vec::new())
        }
    }
}
