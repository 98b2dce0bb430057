//! What the driver makes tensor maps of.

/// A tensor in the device's memory and how it is copied: the arguments of `cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col` (CUDA driver
/// API, "Tensor Map Object Management"), whose enumerations the numbers are of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// `CUtensorMapDataType`: 0 is u8, 6 is f16, 7 is f32.
    pub element: u32,
    /// Where the tensor starts.
    pub address: u64,
    /// Elements in each dimension, the innermost first.
    pub sizes: Vec<u64>,
    /// Bytes from an element to the next, of all dimensions but the innermost.
    pub strides: Vec<u64>,
    /// Every how-manieth element is taken, in each dimension.
    pub element_strides: Vec<u32>,
    /// What is copied.
    pub shape: TensorShape,
    /// `CUtensorMapInterleave`: none, 16 or 32 bytes.
    pub interleave: u32,
    /// `CUtensorMapSwizzle`: none, 32, 64 or 128 bytes, and 128 bytes with atoms of 32, of 32 whose halves flip, and of 64 bytes.
    pub swizzle: u32,
    /// `CUtensorMapL2promotion`: none, 64, 128 or 256 bytes.
    pub promotion: u32,
    /// `CUtensorMapFloatOOBfill`: 1 where elements outside are NaN.
    pub fill: u32,
}

/// What a copy takes of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TensorShape {
    /// A box of so many elements in each dimension.
    Tile(Vec<u32>),
    /// The pixels under an element of a convolution filter; the corners have a number for each dimension but channels and images.
    Im2col {
        /// Lower corner of the box of pixels.
        lower: Vec<i32>,
        /// Upper corner, from the last pixel.
        upper: Vec<i32>,
        /// Channels of a pixel.
        channels: u32,
        /// Pixels of a copy.
        pixels: u32,
    },
}

impl TensorMap {
    /// Bytes of a tensor map.
    pub const BYTES: usize = 128;
}
