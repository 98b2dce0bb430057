//! Tensor maps: what the tensor copies know of a tensor in global memory.
//!
//! # The 128 bytes
//!
//! CUDA calls a tensor map opaque, but the descriptor of the first TMA units is public: TensorRT-LLM (Apache 2.0) fills it by hand in
//! `tmaDescriptor.h`. That is what is read and written here, in little-endian words of 32 bits:
//!
//! | word | bits | what |
//! |---|---|---|
//! | 0, 1 | | address |
//! | 2 | 0 | im2col |
//! | 2 | 1–3 | version: 1; 0 in maps that a kernel fills from zeros by `tensormap.replace`, which machines take, too (Triton's device descriptors) |
//! | 2 | 4–6 | rank − 1 |
//! | 2 | 7–10 | element type: 0 to 10 as in `tensormap.replace`, tf32 as f32 with bit 16, the packed types 11 to 13 |
//! | 2 | 11–12 | interleave |
//! | 2 | 13–14 | swizzle |
//! | 2 | 15 | elements outside are NaN |
//! | 2 | 16 | f32 is rounded to tf32 |
//! | 2 | 17–18 | L2 promotion |
//! | 2 | 19–21 | atomicity of the swizzle |
//! | 2 | 22 | 96-byte swizzle, with 0 in bits 13 and 14 |
//! | 2 | 23 | im2col along W alone; this bit is our own: where the driver says it is not known |
//! | 3–6 | | strides of dimensions 1 to 4 in units of 16 bytes, low 32 bits |
//! | 7 | 4 each | their high bits |
//! | 8–12 | | sizes − 1 |
//! | 13 | 3 each | element strides − 1 |
//! | 13 | 24–31 | first size of the box, or channels per pixel, − 1 |
//! | 14 | 8 each | the other sizes of the box − 1 |
//! | 14 | 0–15, 16–31 | im2col: lower and upper corner; 16, 8 or 5 bits for each of one, two or three dimensions; along W alone 16 |
//! | 15 | 0–9 | im2col: pixels per column − 1 |
//!
//! Where the fields of later units are, and how elements are numbered: observed, the code that ptxas 13.0.88 makes for `tensormap.replace`, which
//! changes the words by loads and stores. (It sets bit 16 for tf32 and does not clear it for other types.) The other words are zero.

use super::{Device, Fault, FaultKind};

/// Bytes of a tensor map.
pub const TENSOR_MAP_BYTES: usize = 128;

/// The type of the elements of a tensor, with the numbers that `tensormap.replace` gives them (PTX manual, "Tensormap new_val validity").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorElement {
    /// 8-bit integers.
    U8 = 0,
    /// 16-bit integers.
    U16 = 1,
    /// 32-bit integers.
    U32 = 2,
    /// Signed 32-bit integers.
    S32 = 3,
    /// 64-bit integers.
    U64 = 4,
    /// Signed 64-bit integers.
    S64 = 5,
    /// Half precision.
    F16 = 6,
    /// Single precision.
    F32 = 7,
    /// Single precision, subnormals flushed.
    F32Ftz = 8,
    /// Double precision.
    F64 = 9,
    /// bfloat16.
    Bf16 = 10,
    /// Single precision cut to tf32.
    Tf32 = 11,
    /// tf32, subnormals flushed.
    Tf32Ftz = 12,
    /// Groups of 16 4-bit elements in 8 bytes.
    B4x16 = 13,
    /// Groups of 16 4-bit elements, 8 bytes in global and 16 in shared memory.
    B4x16P64 = 14,
    /// Groups of 16 6-bit elements, 12 bytes in global and 16 in shared memory.
    B6x16P32 = 15,
}

const ELEMENTS: [TensorElement; 16] = [
    TensorElement::U8,
    TensorElement::U16,
    TensorElement::U32,
    TensorElement::S32,
    TensorElement::U64,
    TensorElement::S64,
    TensorElement::F16,
    TensorElement::F32,
    TensorElement::F32Ftz,
    TensorElement::F64,
    TensorElement::Bf16,
    TensorElement::Tf32,
    TensorElement::Tf32Ftz,
    TensorElement::B4x16,
    TensorElement::B4x16P64,
    TensorElement::B6x16P32,
];

impl TensorElement {
    /// The type of a number below 16.
    pub(crate) fn of(number: u32) -> TensorElement {
        ELEMENTS[number as usize % ELEMENTS.len()]
    }

    /// The number in a tensor map, and whether f32 is rounded to tf32.
    pub(crate) fn code(self) -> (u32, bool) {
        match self {
            TensorElement::Tf32 => (TensorElement::F32 as u32, true),
            TensorElement::Tf32Ftz => (TensorElement::F32Ftz as u32, true),
            TensorElement::B4x16 => (11, false),
            TensorElement::B4x16P64 => (12, false),
            TensorElement::B6x16P32 => (13, false),
            other => (other as u32, false),
        }
    }

    /// The type with a number in a tensor map.
    fn with_code(code: u32, rounds: bool) -> Option<TensorElement> {
        ELEMENTS.into_iter().find(|element| match element.code() {
            // Only f32 is rounded: the bit stays where the type was changed.
            (known, true) => rounds && known == code,
            (known, false) => {
                let is_single = matches!(element, TensorElement::F32 | TensorElement::F32Ftz);
                known == code && !(rounds && is_single)
            }
        })
    }

    /// Bits of an element in global memory.
    pub fn bits(self) -> u32 {
        match self {
            TensorElement::B4x16 | TensorElement::B4x16P64 => 4,
            TensorElement::B6x16P32 => 6,
            TensorElement::U8 => 8,
            TensorElement::U16 | TensorElement::F16 | TensorElement::Bf16 => 16,
            TensorElement::U32
            | TensorElement::S32
            | TensorElement::F32
            | TensorElement::F32Ftz
            | TensorElement::Tf32
            | TensorElement::Tf32Ftz => 32,
            TensorElement::U64 | TensorElement::S64 | TensorElement::F64 => 64,
        }
    }

    /// The type that a launch file names.
    pub fn named(name: &str) -> Option<TensorElement> {
        const NAMES: [&str; 16] = [
            "u8",
            "u16",
            "u32",
            "s32",
            "u64",
            "s64",
            "f16",
            "f32",
            "f32.ftz",
            "f64",
            "bf16",
            "tf32",
            "tf32.ftz",
            "b4x16",
            "b4x16_p64",
            "b6x16_p32",
        ];
        let index = NAMES.iter().position(|known| *known == name)?;
        Some(ELEMENTS[index])
    }
}

/// How chunks of 16 bytes and more are permuted in shared memory (PTX manual, "Swizzling Modes").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Swizzle {
    /// Not at all.
    #[default]
    None,
    /// 32 bytes.
    B32,
    /// 64 bytes.
    B64,
    /// 128 bytes, 16 bytes kept together.
    B128,
    /// 96 bytes.
    B96,
    /// 128 bytes, 32 bytes kept together.
    B128Atom32,
    /// 128 bytes, 32 bytes kept together, halves of 16 bytes exchanged in every other line.
    B128Atom32Flip8,
    /// 128 bytes, 64 bytes kept together.
    B128Atom64,
}

impl Swizzle {
    /// Mode and atomicity, as `tensormap.replace` numbers them.
    fn codes(self) -> (u32, u32) {
        match self {
            Swizzle::None => (0, 0),
            Swizzle::B32 => (1, 0),
            Swizzle::B64 => (2, 0),
            Swizzle::B128 => (3, 0),
            Swizzle::B96 => (4, 0),
            Swizzle::B128Atom32 => (3, 1),
            Swizzle::B128Atom32Flip8 => (3, 2),
            Swizzle::B128Atom64 => (3, 3),
        }
    }

    fn of(mode: u32, atomicity: u32) -> Option<Swizzle> {
        Some(match (mode, atomicity) {
            (0, _) => Swizzle::None,
            (1, 0) => Swizzle::B32,
            (2, 0) => Swizzle::B64,
            (3, 0) => Swizzle::B128,
            (4, 0) => Swizzle::B96,
            (3, 1) => Swizzle::B128Atom32,
            (3, 2) => Swizzle::B128Atom32Flip8,
            (3, 3) => Swizzle::B128Atom64,
            _ => return None,
        })
    }

    /// Bytes of the inner dimension of a box, at most; none: any number.
    pub fn span(self) -> Option<u64> {
        match self {
            Swizzle::None => None,
            Swizzle::B32 => Some(32),
            Swizzle::B64 => Some(64),
            Swizzle::B96 => Some(96),
            Swizzle::B128 | Swizzle::B128Atom32 | Swizzle::B128Atom32Flip8 | Swizzle::B128Atom64 => Some(128),
        }
    }

    /// Bytes that stay together.
    pub(crate) fn chunk(self) -> u64 {
        match self {
            Swizzle::B128Atom32Flip8 => 8,
            Swizzle::None
            | Swizzle::B32
            | Swizzle::B64
            | Swizzle::B96
            | Swizzle::B128
            | Swizzle::B128Atom32
            | Swizzle::B128Atom64 => 16,
        }
    }

    /// Where the byte that would be at a shared address is. The patterns repeat every 256, 512 or 1024 bytes of the address.
    pub fn permute(self, address: u64) -> u64 {
        let line = address >> 7;
        address
            ^ match self {
                Swizzle::None => 0,
                Swizzle::B32 | Swizzle::B96 => (line & 1) << 4,
                Swizzle::B64 => (line & 3) << 4,
                Swizzle::B128 => (line & 7) << 4,
                Swizzle::B128Atom32 => (line & 3) << 5,
                Swizzle::B128Atom32Flip8 => (line & 3) << 5 | (line & 1) << 3,
                Swizzle::B128Atom64 => (line & 1) << 6,
            }
    }
}

/// What a tensor copy takes of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorBox {
    /// A box of so many elements in each dimension, the innermost first: 1 to 256.
    Tile([u32; 5]),
    /// The pixels under an element of a convolution filter.
    Im2col {
        /// Lower corner of the box in the dimensions W, H and D, the innermost first, as far as they exist.
        lower: [i32; 3],
        /// How far the upper corner is from the last element.
        upper: [i32; 3],
        /// Channels of a pixel: 1 to 256.
        channels: u32,
        /// Pixels of a copy: 1 to 1024.
        pixels: u32,
    },
    /// The same along the dimension W alone, for `.im2col::w` and `.im2col::w::128`.
    Im2colWide {
        /// Where the box starts in W.
        lower: i32,
        /// How far its end is from the last element.
        upper: i32,
        /// Channels of a pixel: 1 to 256.
        channels: u32,
        /// Pixels of a copy by `.im2col::w`: 1 to 1024.
        pixels: u32,
    },
}

/// A tensor in global memory and how it is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// Where the tensor starts: a multiple of 16.
    pub address: u64,
    /// Dimensions: 1 to 5, at least 3 for im2col.
    pub rank: u32,
    /// The type of the elements.
    pub element: TensorElement,
    /// Elements in each dimension, the innermost first: 1 to 2³².
    pub sizes: [u64; 5],
    /// Bytes from an element to the next in dimensions 1 to 4: multiples of 16 below 2⁴⁰.
    pub strides: [u64; 4],
    /// Every how-manieth element is taken in each dimension: 1 to 8. The first counts for nothing.
    pub element_strides: [u32; 5],
    /// What is copied.
    pub shape: TensorBox,
    /// `16B` (1) or `32B` (2) interleaving of channels; 0: none. Where there is some, channels are in slices of so many bytes, and the first dimension
    /// is W: it counts slices; the last but one says which slice of the channels it is.
    pub interleave: u32,
    /// The order in shared memory.
    pub swizzle: Swizzle,
    /// Elements outside of the tensor are NaN, not zero.
    pub fill_nan: bool,
}

impl TensorMap {
    /// A map of a tensor of rows that follow each other, taken as boxes, neither swizzled nor filled with NaN.
    pub fn tiled(address: u64, element: TensorElement, sizes: &[u64], box_sizes: &[u32]) -> TensorMap {
        let rank = sizes.len().min(5);
        let mut map = TensorMap {
            address,
            rank: rank as u32,
            element,
            sizes: [1; 5],
            strides: [0; 4],
            element_strides: [1; 5],
            shape: TensorBox::Tile([1; 5]),
            interleave: 0,
            swizzle: Swizzle::None,
            fill_nan: false,
        };
        let mut tile = [1; 5];
        for (own, given) in map.sizes.iter_mut().zip(sizes) {
            *own = *given;
        }
        for (own, given) in tile.iter_mut().zip(box_sizes) {
            *own = *given;
        }
        map.shape = TensorBox::Tile(tile);
        map.pack();
        map
    }

    /// Makes the strides those of rows that follow each other.
    pub fn pack(&mut self) {
        let mut bytes = self.sizes[0].saturating_mul(u64::from(self.unit_bits())) / 8;
        for dimension in 1..(self.rank as usize).min(5) {
            self.strides[dimension - 1] = bytes;
            bytes = bytes.saturating_mul(self.sizes[dimension]);
        }
    }

    /// Bits of what the first dimension counts: elements, or slices of channels.
    pub(crate) fn unit_bits(&self) -> u32 {
        match self.interleave {
            0 => self.element.bits(),
            slices => 128 * slices,
        }
    }

    /// The bytes, if the numbers are in their ranges.
    ///
    /// # Errors
    /// What the driver would refuse, in words.
    pub fn encode(&self) -> Result<[u8; TENSOR_MAP_BYTES], Fault> {
        self.check()
            .map_err(|message| Fault::new(FaultKind::Operand, message))?;
        let mut words = [0_u32; 32];
        words[0] = self.address as u32;
        words[1] = (self.address >> 32) as u32;
        let (mode, atomicity) = self.swizzle.codes();
        let (element, rounds) = self.element.code();
        let wide = matches!(self.shape, TensorBox::Im2colWide { .. });
        words[2] = u32::from(!matches!(self.shape, TensorBox::Tile(_)))
            | u32::from(wide) << 23
            | 1 << 1
            | (self.rank - 1) << 4
            | element << 7
            | u32::from(rounds) << 16
            | self.interleave << 11
            | (mode & 3) << 13
            | u32::from(self.fill_nan) << 15
            | atomicity << 19
            | (mode >> 2) << 22;
        for (index, stride) in self.strides.iter().enumerate().take(self.rank as usize - 1) {
            words[3 + index] = (stride >> 4) as u32;
            words[7] |= ((stride >> 36) as u32 & 15) << (4 * index);
        }
        for index in 0..self.rank as usize {
            words[8 + index] = (self.sizes[index] - 1) as u32;
            words[13] |= ((self.element_strides[index] - 1) & 7) << (3 * index);
        }
        match self.shape {
            TensorBox::Tile(sizes) => {
                words[13] |= (sizes[0] - 1) << 24;
                for (index, size) in sizes.iter().enumerate().skip(1) {
                    words[14] |= (size - 1) << (8 * (index - 1));
                }
            }
            TensorBox::Im2col {
                lower,
                upper,
                channels,
                pixels,
            } => {
                words[13] |= (channels - 1) << 24;
                words[14] = corner(lower, self.rank) | corner(upper, self.rank) << 16;
                words[15] = pixels - 1;
            }
            TensorBox::Im2colWide {
                lower,
                upper,
                channels,
                pixels,
            } => {
                words[13] |= (channels - 1) << 24;
                words[14] = lower as u32 & 0xffff | (upper as u32) << 16;
                words[15] = pixels - 1;
            }
        }
        let mut bytes = [0; TENSOR_MAP_BYTES];
        for (bytes, word) in bytes.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Ok(bytes)
    }

    /// What is wrong with the numbers (CUDA driver API, `cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col`).
    fn check(&self) -> Result<(), String> {
        let within = |what: &str, value: u64, low: u64, high: u64| {
            if (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(format!("{what} of a tensor map is {value}, not from {low} to {high}"))
            }
        };
        within("the interleaving", self.interleave.into(), 0, 2)?;
        let is_tile = matches!(self.shape, TensorBox::Tile(_));
        let least = if is_tile && self.interleave == 0 { 1 } else { 3 };
        within("the rank", self.rank.into(), least, 5)?;
        let align = if self.interleave == 2 { 32 } else { 16 };
        if !self.address.is_multiple_of(align) {
            return Err(format!(
                "the tensor starts at {:#x}, not at a multiple of {align}",
                self.address
            ));
        }
        for index in 0..self.rank as usize {
            within("a size", self.sizes[index], 1, 1 << 32)?;
            within("an element stride", self.element_strides[index].into(), 1, 8)?;
        }
        for stride in self.strides.iter().take(self.rank as usize - 1) {
            within("a stride", *stride, 0, (1 << 40) - 1)?;
            if !stride.is_multiple_of(align) {
                return Err(format!(
                    "a stride of a tensor map is {stride}, not a multiple of {align}"
                ));
            }
        }
        if self.interleave == 2 && self.swizzle != Swizzle::B32 {
            return Err("slices of 32 bytes go with the swizzle of 32 bytes alone".to_owned());
        }
        let inner = match self.shape {
            TensorBox::Tile(sizes) => {
                for size in sizes {
                    within("a box size", size.into(), 1, 256)?;
                }
                sizes[0]
            }
            TensorBox::Im2col { channels, pixels, .. } | TensorBox::Im2colWide { channels, pixels, .. } => {
                within("the channels per pixel", channels.into(), 1, 256)?;
                within("the pixels per column", pixels.into(), 1, 1024)?;
                channels
            }
        };
        if let TensorBox::Im2colWide { lower, upper, .. } = self.shape {
            let has_corner = |corner: i32| i16::try_from(corner).is_ok();
            if self.interleave != 0 || matches!(self.swizzle, Swizzle::None | Swizzle::B128Atom32Flip8) {
                return Err("im2col along W needs a swizzle, without halves that flip, and no interleaving".to_owned());
            }
            if !has_corner(lower) || !has_corner(upper) {
                return Err(format!(
                    "the corners {lower} and {upper} of a box in W have more than 16 bits"
                ));
            }
        }
        if self.interleave != 0 {
            return Ok(());
        }
        let bytes = u64::from(inner) * u64::from(self.element.bits()) / 8;
        match self.swizzle.span() {
            Some(span) if bytes > span => Err(format!("a box of rows of {bytes} bytes with a swizzle of {span}")),
            _ if bytes % 16 != 0 => Err(format!("a box of rows of {bytes} bytes, not a multiple of 16")),
            _ => Ok(()),
        }
    }

    /// The map in these bytes.
    ///
    /// # Errors
    /// They are no tensor map.
    pub fn decode(bytes: &[u8]) -> Result<TensorMap, Fault> {
        let wrong = |what: &str| Fault::new(FaultKind::Operand, format!("the bytes are no tensor map: {what}"));
        if bytes.len() != TENSOR_MAP_BYTES {
            return Err(wrong("there are not 128"));
        }
        let mut words = [0_u32; 32];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        }
        let field = |word: usize, low: u32, bits: u32| words[word] >> low & (u32::MAX >> (32 - bits));
        if field(2, 1, 3) > 1 {
            return Err(wrong("the version is neither 0 nor 1"));
        }
        if words.iter().all(|word| *word == 0) {
            return Err(wrong("they are all zero"));
        }
        let rank = field(2, 4, 3) + 1;
        if rank > 5 || words[2] & 1 != 0 && rank < 3 {
            return Err(wrong("the rank does not fit"));
        }
        let swizzle = Swizzle::of(field(2, 13, 2) | field(2, 22, 1) << 2, field(2, 19, 3));
        let element = TensorElement::with_code(field(2, 7, 4), field(2, 16, 1) != 0);
        let shape = if words[2] & 1 == 0 {
            TensorBox::Tile(std::array::from_fn(|index| match index {
                0 => field(13, 24, 8) + 1,
                index => field(14, 8 * (index as u32 - 1), 8) + 1,
            }))
        } else if field(2, 23, 1) != 0 {
            TensorBox::Im2colWide {
                lower: i32::from(field(14, 0, 16) as i16),
                upper: i32::from(field(14, 16, 16) as i16),
                channels: field(13, 24, 8) + 1,
                pixels: field(15, 0, 10) + 1,
            }
        } else {
            TensorBox::Im2col {
                lower: corners(field(14, 0, 16), rank),
                upper: corners(field(14, 16, 16), rank),
                channels: field(13, 24, 8) + 1,
                pixels: field(15, 0, 10) + 1,
            }
        };
        Ok(TensorMap {
            address: u64::from(words[0]) | u64::from(words[1]) << 32,
            rank,
            element: element.ok_or_else(|| wrong("there is no such element type"))?,
            sizes: std::array::from_fn(|index| u64::from(words[8 + index]) + 1),
            strides: std::array::from_fn(|index| {
                (u64::from(words[3 + index]) | u64::from(field(7, 4 * index as u32, 4)) << 32) << 4
            }),
            element_strides: std::array::from_fn(|index| field(13, 3 * index as u32, 3) + 1),
            shape,
            interleave: field(2, 11, 2),
            swizzle: swizzle.ok_or_else(|| wrong("there is no such swizzle"))?,
            fill_nan: field(2, 15, 1) != 0,
        })
    }
}

/// Bits of a coordinate of a corner.
fn corner_bits(rank: u32) -> u32 {
    match rank {
        ..=3 => 16,
        4 => 8,
        _ => 5,
    }
}

fn corner(values: [i32; 3], rank: u32) -> u32 {
    let bits = corner_bits(rank);
    (0..rank.saturating_sub(2)).fold(0, |all, index| {
        all | (values[index as usize % 3] as u32 & (u32::MAX >> (32 - bits))) << (bits * index)
    })
}

fn corners(field: u32, rank: u32) -> [i32; 3] {
    let bits = corner_bits(rank);
    std::array::from_fn(|index| {
        if index as u32 + 2 >= rank {
            return 0;
        }
        ((field >> (bits * index as u32)) as i32) << (32 - bits) >> (32 - bits)
    })
}

impl Device {
    /// Writes a tensor map to global memory; its address, a multiple of 64.
    ///
    /// # Errors
    /// Numbers that the driver would refuse.
    pub fn create_tensor_map(&mut self, map: &TensorMap) -> Result<u64, Fault> {
        let bytes = map.encode()?;
        let address = self.allocate(TENSOR_MAP_BYTES as u64, 64);
        self.write(address, &bytes)?;
        Ok(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Triton's kernels fill zeroed memory by `tensormap.replace`, which writes no version, and copy with it.
    #[test]
    fn maps_without_a_version_are_taken() {
        let map = TensorMap::tiled(0x1000, TensorElement::F16, &[64, 32], &[64, 8]);
        let mut bytes = map.encode().expect("it is right");
        assert_eq!(TensorMap::decode(&bytes), Ok(map));
        bytes[8] &= !0b1110;
        assert_eq!(TensorMap::decode(&bytes), Ok(map));
        bytes[8] |= 0b0100;
        let refused = TensorMap::decode(&bytes).expect_err("the version is 2");
        assert_eq!(
            refused.message,
            "the bytes are no tensor map: the version is neither 0 nor 1"
        );
    }
}
