//! How a texture is read.

/// What a coordinate outside of the image means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum AddressMode {
    /// The image is repeated. With coordinates that are not normalised: as `ClampToEdge`.
    Wrap,
    /// The image is repeated, every other time reversed. With coordinates that are not normalised: as `ClampToEdge`.
    Mirror,
    /// The texel at the edge.
    #[default]
    ClampToEdge,
    /// The sampler's border colour.
    ClampToBorder,
}

impl AddressMode {
    /// Its number in queries and initialisers of PTX. 2 stands for `clamp_ogl`, which no sampler of this crate has.
    pub(super) fn number(self) -> u32 {
        match self {
            AddressMode::Wrap => 0,
            AddressMode::Mirror => 1,
            AddressMode::ClampToEdge => 3,
            AddressMode::ClampToBorder => 4,
        }
    }

    /// The texel of a row of `size` that an index means; none: the border.
    pub(super) fn address(self, index: i64, size: u32, normalised: bool) -> Option<u32> {
        let size = i64::from(size.max(1));
        let address = match self {
            AddressMode::Wrap if normalised => index.rem_euclid(size),
            AddressMode::Mirror if normalised => {
                let place = index.rem_euclid(2 * size);
                place.min(2 * size - 1 - place)
            }
            AddressMode::ClampToBorder if !(0..size).contains(&index) => return None,
            _ => index.clamp(0, size - 1),
        };
        Some(address as u32)
    }
}

/// Whether neighbours are blended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Filter {
    /// The nearest.
    #[default]
    Point,
    /// The weighted mean of the neighbours.
    Linear,
}

/// When a depth comparison of the reference with a texel holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Comparison {
    /// Never.
    Never,
    /// reference < texel
    Less,
    /// reference = texel
    Equal,
    /// reference <= texel
    #[default]
    LessOrEqual,
    /// reference > texel
    Greater,
    /// reference != texel
    NotEqual,
    /// reference >= texel
    GreaterOrEqual,
    /// Always.
    Always,
}

/// How a texture is read. The default is that of `cudaTextureDesc`, but that coordinates are clamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampler {
    /// Coordinates are parts of the size, 0 to 1, instead of texels.
    pub normalised: bool,
    /// For x, y and z.
    pub address: [AddressMode; 3],
    /// Within a level.
    pub filter: Filter,
    /// Between levels.
    pub mip_filter: Filter,
    /// 8-bit normalised channels other than the fourth hold sRGB numbers.
    pub srgb: bool,
    /// R, G, B, A: bits of `f32`, or of the integers that the texture has.
    pub border: [u32; 4],
    /// Added to levels of detail; bits of an `f32`.
    pub bias: u32,
    /// The least and greatest level of detail, the bias added; bits of `f32`.
    pub levels: [u32; 2],
    /// The depth comparison.
    pub comparison: Comparison,
}

impl Default for Sampler {
    fn default() -> Sampler {
        Sampler {
            normalised: false,
            address: [AddressMode::default(); 3],
            filter: Filter::Point,
            mip_filter: Filter::Point,
            srgb: false,
            border: [0; 4],
            bias: 0,
            // 0 and 1000, more levels than any texture has.
            levels: [0, 0x447a_0000],
            comparison: Comparison::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AddressMode;

    #[test]
    fn rows_of_three() {
        let row = |mode: AddressMode, normalised| -> Vec<Option<u32>> {
            (-4..5).map(|index| mode.address(index, 3, normalised)).collect()
        };
        let of = |texels: [u32; 9]| texels.map(|texel| (texel < 9).then_some(texel)).to_vec();
        assert_eq!(row(AddressMode::Wrap, true), of([2, 0, 1, 2, 0, 1, 2, 0, 1]));
        assert_eq!(row(AddressMode::Mirror, true), of([2, 2, 1, 0, 0, 1, 2, 2, 1]));
        assert_eq!(row(AddressMode::ClampToEdge, true), of([0, 0, 0, 0, 0, 1, 2, 2, 2]));
        assert_eq!(row(AddressMode::ClampToBorder, true), of([9, 9, 9, 9, 0, 1, 2, 9, 9]));
        assert_eq!(row(AddressMode::Wrap, false), of([0, 0, 0, 0, 0, 1, 2, 2, 2]));
    }
}
