//! Tensor maps.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_int, c_uint};

use warpsmith_emu::{Swizzle, TENSOR_MAP_BYTES, TensorBox, TensorElement, TensorMap};

use super::call;
use crate::exports::exports;
use crate::interface::{list, put};
use crate::result::{Code, Failed};

/// The numbers of `cuTensorMapEncode…` that both kinds of maps have.
fn tensor_map(
    element: c_uint,
    rank: u32,
    address: u64,
    (sizes, strides, steps): (*const u64, *const u64, *const u32),
    (interleave, swizzle, fill): (c_uint, c_uint, c_uint),
) -> Result<TensorMap, Failed> {
    let wrong = |what: &str| Failed::new(Code::InvalidValue, format!("a tensor map whose {what} there is not"));
    #[rustfmt::skip]
    const ELEMENTS: [TensorElement; 16] = [
        TensorElement::U8, TensorElement::U16, TensorElement::U32, TensorElement::S32, TensorElement::U64, TensorElement::S64, TensorElement::F16,
        TensorElement::F32, TensorElement::F64, TensorElement::Bf16, TensorElement::F32Ftz, TensorElement::Tf32, TensorElement::Tf32Ftz,
        TensorElement::B4x16, TensorElement::B4x16P64, TensorElement::B6x16P32,
    ];
    #[rustfmt::skip]
    const SWIZZLES: [Swizzle; 7] = [
        Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128, Swizzle::B128Atom32, Swizzle::B128Atom32Flip8, Swizzle::B128Atom64,
    ];
    if !(1..=5).contains(&rank) {
        return Err(wrong("rank"));
    }
    let element = *ELEMENTS.get(element as usize).ok_or_else(|| wrong("element type"))?;
    let count = rank as usize;
    let mut map = TensorMap::tiled(address, element, &list(sizes, count)?, &[1; 5][..count]);
    map.strides[..count - 1].copy_from_slice(&list(strides, count - 1)?);
    map.element_strides[..count].copy_from_slice(&list(steps, count)?);
    map.interleave = interleave;
    map.swizzle = *SWIZZLES.get(swizzle as usize).ok_or_else(|| wrong("swizzle"))?;
    map.fill_nan = fill == 1;
    Ok(map)
}

/// The bytes of a tensor map.
fn encode(map: &TensorMap) -> Result<[u8; TENSOR_MAP_BYTES], Failed> {
    map.encode().map_err(|fault| Failed::new(Code::InvalidValue, fault))
}

exports! { call, address;
    [Anywhere] fn cuTensorMapEncodeTiled(
        map: *mut [u8; TENSOR_MAP_BYTES],
        element: c_uint,
        rank: u32,
        address: u64,
        sizes: *const u64,
        strides: *const u64,
        boxes: *const u32,
        steps: *const u32,
        interleave: c_uint,
        swizzle: c_uint,
        _promotion: c_uint,
        fill: c_uint,
    ) {
        let mut made = tensor_map(element, rank, address, (sizes, strides, steps), (interleave, swizzle, fill))?;
        let mut tile = [1; 5];
        tile[..rank as usize].copy_from_slice(&list(boxes, rank as usize)?);
        made.shape = TensorBox::Tile(tile);
        put(map, encode(&made)?)
    }
    [Anywhere] fn cuTensorMapEncodeIm2col(
        map: *mut [u8; TENSOR_MAP_BYTES],
        element: c_uint,
        rank: u32,
        address: u64,
        sizes: *const u64,
        strides: *const u64,
        lower: *const c_int,
        upper: *const c_int,
        channels: u32,
        pixels: u32,
        steps: *const u32,
        interleave: c_uint,
        swizzle: c_uint,
        _promotion: c_uint,
        fill: c_uint,
    ) {
        let mut made = tensor_map(element, rank, address, (sizes, strides, steps), (interleave, swizzle, fill))?;
        let corner = |from: *const c_int| {
            let given = list(from, (rank as usize).saturating_sub(2))?;
            Ok(std::array::from_fn(|index| given.get(index).copied().unwrap_or(0)))
        };
        made.shape = TensorBox::Im2col { lower: corner(lower)?, upper: corner(upper)?, channels, pixels };
        put(map, encode(&made)?)
    }
}
