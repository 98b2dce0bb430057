//! Bulk and tensor copies.

use warpsmith_numerics::format;
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    super::{
        atomic::Element,
        bulk::{Bulk, BulkCopy, Direction, Reduction, TensorCopy},
        code::Op,
    },
    Decoder,
    memory::arithmetic,
};
use crate::tensor_box::Mode;

/// `UBLKCP`, `UBLKRED`, `UTMALDG`, `UTMASTG`, `UTMAREDG`, `UMEMSETS`, `UGETNEXTWORKID`.
pub(super) fn decode(decoder: &mut Decoder<'_>) -> Option<Op> {
    let bulk = match decoder.instruction.opcode() {
        O::Ublkcp => Bulk::Copy(copy(decoder, decoder.text(F::DestinationSpace), None)?),
        O::Ublkred => {
            let space = decoder.text(F::Type);
            let reduction = reduction(decoder, space == "G")?;
            Bulk::Copy(copy(decoder, space, Some(reduction))?)
        }
        O::Utmaldg => {
            let direction = Direction::Load {
                multicast: decoder.flag(F::Multicast),
                pairs: decoder.flag(F::TwoCta),
            };
            Bulk::Tensor(tensor(decoder, direction)?)
        }
        O::Utmastg => Bulk::Tensor(tensor(decoder, Direction::Store(None))?),
        O::Utmaredg => {
            let operation = arithmetic(decoder)?;
            Bulk::Tensor(tensor(decoder, Direction::Store(Some(operation)))?)
        }
        O::Usetmaxreg => Bulk::Registers(decoder.predicate(&[F::UPu])),
        O::Umemsets => Bulk::Fill {
            to: decoder.register(F::URa),
            offset: decoder.number(F::Offset).unwrap_or(0),
            count: decoder.register(F::URc),
        },
        O::Ugetnextworkid => Bulk::NextWork {
            to: decoder.register(F::URa),
            everywhere: decoder.text(F::Delivery) == "BROADCAST",
        },
        _ => return None,
    };
    Some(Op::Bulk(bulk))
}

/// `UBLKRED`: sums of f32 in global memory flush subnormals, though the word does not say so (PTX manual, `cp.reduce.async.bulk`).
fn reduction(decoder: &Decoder<'_>, global: bool) -> Option<Reduction> {
    let float = |format, flush, bytes| (Element::Float { format, flush }, bytes);
    let (element, bytes) = match decoder.text(F::SourceType) {
        "" => (Element::Unsigned, 4),
        "S32" => (Element::Signed, 4),
        "U64" => (Element::Unsigned, 8),
        "S64" => (Element::Signed, 8),
        "F16.RN" => float(format::F16, false, 4),
        "BF16.RN" => float(format::BF16, false, 4),
        "F32.RN" => float(format::F32, global, 4),
        "F32.FTZ.RN" => float(format::F32, true, 4),
        "F64.RN" => float(format::F64, false, 8),
        _ => return None,
    };
    Some(Reduction {
        operation: arithmetic(decoder)?,
        element,
        bytes,
    })
}

fn copy(decoder: &Decoder<'_>, to: &str, reduction: Option<Reduction>) -> Option<BulkCopy> {
    let is_shared = |name: &str| match name {
        "S" => Some(true),
        "G" => Some(false),
        _ => None,
    };
    if decoder.flag(F::Counted) || decoder.flag(F::Sequenced) {
        return None;
    }
    Some(BulkCopy {
        shared: [is_shared(decoder.text(F::SourceSpace))?, is_shared(to)?],
        from: decoder.register(F::URa),
        to: decoder.register(F::URb),
        size: decoder.register(F::URc),
        multicast: decoder.flag(F::Multicast),
        masked: decoder.flag(F::DstGByteMask),
        reduction,
    })
}

fn tensor(decoder: &Decoder<'_>, direction: Direction) -> Option<TensorCopy> {
    let mode = match decoder.text(F::Mode) {
        "" => Mode::Tile,
        "IM2COL" => Mode::Im2col,
        "W" => Mode::Wide,
        "W128" => Mode::Wide128,
        "GATHER4" | "SCATTER4" => Mode::Rows,
        _ => return None,
    };
    let dimensions = match decoder.text(F::Dimension) {
        "1D" => 1,
        "2D" => 2,
        "3D" => 3,
        "4D" => 4,
        "5D" => 5,
        _ => return None,
    };
    Some(TensorCopy {
        direction,
        mode,
        coordinates: if mode == Mode::Rows { 5 } else { dimensions },
        registers: decoder.register(F::URb),
        map: decoder.register(F::URa),
        extra: decoder.register(F::URc),
    })
}
