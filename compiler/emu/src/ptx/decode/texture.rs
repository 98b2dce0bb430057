//! Instructions on textures, samplers and surfaces.

use smallvec::SmallVec;
use warpsmith_ptx::{
    instruction::Variant,
    module::{Address, AddressBase, Operand, VariableId},
    table::{Type, TypeKind},
};

use super::{Decoded, Decoder, Location, M, O, Unsupported, first_type, is_signed};
use crate::ptx::{
    code::{Access, Op, SINK_PREDICATE, Slot, Source, Space},
    texture::{self, Channels, Fetch, Level, Operation, Spot, Texture},
};
use crate::texture::{Boundary, Geometry, Query, Reduction, SamplerQuery};

/// What ptxas takes: a register in place of the coordinates. The others are then those of registers that nobody wrote (observed, ptxas 13.0.88).
const FEW_COORDINATES: &str = "one register stands for several coordinates: the others are undefined";
/// What ptxas takes: several registers and a mnemonic without `.v2` or `.v4`. It moves one element (observed, ptxas 13.0.88).
const LONG_VECTOR: &str = "a vector for an access without .v2 or .v4: all but its first element are undefined";

fn geometry(variant: &Variant) -> Result<Geometry, Unsupported> {
    let found = variant.modifiers.iter().flatten().find_map(|modifier| match modifier {
        // ptxas takes .4d and .5d as lines of linear memory and layers of lines (observed, ptxas 13.0.88).
        M::N1d | M::N4d => Some(Geometry::Line),
        M::A1d | M::N5d => Some(Geometry::Lines),
        M::N2d => Some(Geometry::Plane),
        M::N3d => Some(Geometry::Volume),
        M::A2d => Some(Geometry::Planes),
        M::Cube => Some(Geometry::Cube),
        M::Acube => Some(Geometry::Cubes),
        M::N2dms => Some(Geometry::Samples),
        M::A2dms => Some(Geometry::SampleLayers),
        _ => None,
    });
    found.ok_or(Unsupported)
}

fn boundary(variant: &Variant) -> Result<Boundary, Unsupported> {
    match variant.slot("mode") {
        Some(M::Trap) => Ok(Boundary::Trap),
        Some(M::Clamp) => Ok(Boundary::Clamp),
        Some(M::Zero) => Ok(Boundary::Zero),
        _ => Err(Unsupported),
    }
}

/// Coordinates as an instruction has them.
struct Coordinates {
    layer: Option<Source>,
    sample: Option<Source>,
    at: [Source; 3],
    /// Some are missing.
    few: bool,
}

impl Decoder<'_> {
    /// `tex`, `tld4`, `txq`, `suld`, `sust`, `sured`, `suq` and `istypep`.
    pub(super) fn textures(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Decoded> {
        Some(match variant.opcode {
            O::Tex | O::TexBase | O::TexLevel | O::TexGrad | O::Tld4 => self.fetch(variant, operands),
            O::Txq | O::TxqLevel | O::Suq => self.query(variant, operands),
            O::SuldB => self.surface_load(variant, operands),
            O::SustB | O::SustP => self.surface_store(variant, operands),
            O::SuredB | O::SuredP => self.surface_reduction(variant, operands),
            O::Istypep => self.is_type(variant, operands),
            _ => return None,
        })
    }

    fn push_texture(&mut self, texture: Texture) -> Decoded {
        let number = self.code.textures.len() as u32;
        self.code.textures.push(texture);
        self.push(Op::Texture { number });
        Ok(())
    }

    /// The handle that a parameter of an opaque type holds: such a variable has no address that could stand for it.
    pub(super) fn opaque_parameter(&mut self, operand: &Operand) -> Result<Option<Source>, Unsupported> {
        let id: VariableId = match *operand {
            Operand::Variable(id, 0)
            | Operand::Address(Address {
                base: AddressBase::Variable(id),
                offset: 0,
                ..
            }) => id,
            _ => return Ok(None),
        };
        let is_opaque = self.module.variables[id.0 as usize].element.kind() == TypeKind::Opaque;
        let space = match self.layout.location(id) {
            _ if !is_opaque => return Ok(None),
            Some(Location::Parameter(_)) if self.function.kernel => Space::Parameter,
            Some(Location::Parameter(_)) | None => Space::Local,
            Some(Location::Global(_) | Location::Constant(_) | Location::Shared(_)) => return Ok(None),
        };
        let address = self.address_of(id, 0);
        let d = self.temporary();
        let list = self.code.lists.len() as u32;
        self.code.lists.push(d);
        let access = Access {
            space,
            bytes: 8,
            count: 1,
            signed: false,
            width: 0,
            strong: false,
            address,
            offset: 0,
            narrow: false,
        };
        self.push(Op::Load { access, list });
        Ok(Some(Source::slot(d)))
    }

    /// A texture, sampler or surface operand.
    fn handle(&mut self, operand: &Operand) -> Result<Source, Unsupported> {
        if let Operand::Bracket(range) = *operand
            && let [inner] = self.nested(range)[..]
        {
            return self.handle(&inner);
        }
        if let Some(held) = self.opaque_parameter(operand)? {
            return Ok(held);
        }
        match self.address(operand)? {
            (source, 0, _) => Ok(source),
            _ => Err(Unsupported),
        }
    }

    /// Values of a type, up to three; what is missing is zero.
    fn three(&mut self, operands: &[Operand], of: Type) -> Result<[Source; 3], Unsupported> {
        let mut sources = [self.constant(0); 3];
        for (source, operand) in sources.iter_mut().zip(operands) {
            *source = self.value(operand, of)?;
        }
        Ok(sources)
    }

    fn coordinates(&mut self, geometry: Geometry, operand: &Operand, of: Type) -> Result<Coordinates, Unsupported> {
        let elements = self.elements(operand);
        // The sample comes first, then the layer (observed, ptxas 13.0.88; the prose of the manual agrees, its example does not).
        let (sampled, layered) = match geometry {
            Geometry::Line | Geometry::Plane | Geometry::Volume | Geometry::Cube => (false, false),
            Geometry::Lines | Geometry::Planes | Geometry::Cubes => (false, true),
            Geometry::Samples => (true, false),
            Geometry::SampleLayers => (true, true),
        };
        let mut rest = elements.as_slice();
        let mut take = |decoder: &mut Self, wanted: bool| match (wanted, rest) {
            (true, [first, more @ ..]) => {
                rest = more;
                decoder.value(first, Type::U32).map(Some)
            }
            _ => Ok(None),
        };
        let sample = take(self, sampled)?;
        let layer = take(self, layered)?;
        let wanted = match geometry {
            Geometry::Cube | Geometry::Cubes => 3,
            other => other.dimensions(),
        };
        let few = rest.len() < wanted;
        let given = &rest[..wanted.min(rest.len())];
        Ok(Coordinates {
            layer,
            sample,
            at: self.three(given, of)?,
            few,
        })
    }

    /// The destinations of a vector, and the predicate behind it.
    fn destinations(&mut self, operand: &Operand) -> Result<(SmallVec<[Slot; 4]>, u32), Unsupported> {
        let (d, p) = self.pair(operand);
        let slots = self
            .elements(&d)
            .iter()
            .map(|element| self.destination(element))
            .collect::<Result<_, _>>()?;
        let predicate = match p {
            Operand::Sink => SINK_PREDICATE,
            other => self.predicate(&other)?,
        };
        Ok((slots, predicate))
    }

    /// `tex d{|p}, [a{, b}, c]{, lod | x, y}{, e}{, f}` and `tld4`.
    fn fetch(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [d, Operand::Bracket(range), rest @ ..] = operands else {
            return Err(Unsupported);
        };
        let geometry = geometry(variant)?;
        let inner = self.nested(*range);
        let (a, b, c) = match inner.as_slice() {
            [a, c] => (a, None, c),
            [a, b, c] => (a, Some(b), c),
            _ => return Err(Unsupported),
        };
        let mut types = variant.types();
        let (Some(of), Some(coordinate)) = (types.next(), types.next()) else {
            return Err(Unsupported);
        };
        let whole = coordinate == Type::S32;
        let (level, rest) = self.level(variant, whole, rest)?;
        let coordinates = self.coordinates(geometry, c, coordinate)?;
        let (offset, compare) = self.offset_and_reference(rest, whole)?;
        let (destinations, resident) = self.destinations(d)?;
        let handle = self.handle(a)?;
        let sampler = b.map(|b| self.handle(b)).transpose()?;
        let fetch = Fetch {
            geometry,
            layer: coordinates.layer,
            sample: coordinates.sample,
            position: coordinates.at,
            // The gradients' instruction of the hardware reads the bits of integers as `f32` (observed, ptxas 13.0.88: TXD without a conversion).
            whole: whole && !matches!(level, Level::Gradient(_)),
            level,
            offset,
            compare,
            channels: match of {
                Type::F16 => Channels::Halves,
                Type::F16x2 => Channels::PackedHalves,
                _ => Channels::Words,
            },
            gather: match variant.slot("comp") {
                Some(M::R) => Some(0),
                Some(M::G) => Some(1),
                Some(M::B) => Some(2),
                Some(M::A) => Some(3),
                _ => None,
            },
            resident,
        };
        let operation = match coordinates.few {
            true => Operation::Undefined(FEW_COORDINATES),
            false => Operation::Fetch(Box::new(fetch)),
        };
        self.push_texture(Texture {
            operation,
            handle,
            sampler,
            destinations,
            values: SmallVec::new(),
        })
    }

    /// The level, and the operands behind it.
    fn level<'o>(
        &mut self,
        variant: &Variant,
        whole: bool,
        operands: &'o [Operand],
    ) -> Result<(Level, &'o [Operand]), Unsupported> {
        Ok(match (variant.opcode, operands) {
            (O::TexLevel, [lod, rest @ ..]) if whole => (Level::Whole(self.value(lod, Type::S32)?), rest),
            (O::TexLevel, [lod, rest @ ..]) => (Level::Real(self.value(lod, Type::F32)?), rest),
            (O::TexGrad, [x, y, rest @ ..]) => {
                let (x, y) = (self.elements(x), self.elements(y));
                let gradients = [self.three(&x, Type::F32)?, self.three(&y, Type::F32)?];
                (Level::Gradient(gradients), rest)
            }
            (O::TexLevel | O::TexGrad, _) => return Err(Unsupported),
            (_, rest) => (Level::Base, rest),
        })
    }

    /// `{, e}{, f}`: a vector is an offset; the last scalar is the reference of a depth comparison. A scalar before it, or with whole
    /// coordinates, has no effect (observed, ptxas 13.0.88).
    fn offset_and_reference(
        &mut self,
        operands: &[Operand],
        whole: bool,
    ) -> Result<([Source; 3], Option<Source>), Unsupported> {
        let mut offset = [self.constant(0); 3];
        let rest = match operands {
            [e @ Operand::Vector(_), rest @ ..] => {
                let parts = self.elements(e);
                offset = self.three(&parts[..parts.len().min(3)], Type::U32)?;
                rest
            }
            rest => rest,
        };
        let compare = match rest {
            [] => None,
            [.., f] if !whole => Some(self.value(f, Type::F32)?),
            _ => None,
        };
        Ok((offset, compare))
    }

    fn query(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [d, a, rest @ ..] = operands else {
            return Err(Unsupported);
        };
        let query = |query| Operation::Query { query, level: None };
        let mut operation = match variant.slot("query") {
            Some(M::Width) => query(Query::Width),
            Some(M::Height) => query(Query::Height),
            Some(M::Depth) => query(Query::Depth),
            Some(M::ChannelDataType) => query(Query::ChannelDataType),
            Some(M::ChannelOrder) => query(Query::ChannelOrder),
            Some(M::ArraySize) => query(Query::ArraySize),
            Some(M::NumMipmapLevels) => query(Query::MipLevels),
            Some(M::NumSamples) => query(Query::Samples),
            Some(M::MemoryLayout) => query(Query::MemoryLayout),
            Some(M::NormalizedCoords) => Operation::SamplerQuery(SamplerQuery::NormalisedCoordinates),
            Some(M::ForceUnnormalizedCoords) => Operation::SamplerQuery(SamplerQuery::ForceUnnormalised),
            Some(M::FilterMode) => Operation::SamplerQuery(SamplerQuery::FilterMode),
            Some(M::AddrMode0) => Operation::SamplerQuery(SamplerQuery::AddressMode(0)),
            Some(M::AddrMode1) => Operation::SamplerQuery(SamplerQuery::AddressMode(1)),
            Some(M::AddrMode2) => Operation::SamplerQuery(SamplerQuery::AddressMode(2)),
            _ => return Err(Unsupported),
        };
        if let (Operation::Query { level, .. }, [lod]) = (&mut operation, rest) {
            *level = Some(self.value(lod, Type::U32)?);
        }
        let handle = self.handle(a)?;
        let (destinations, _) = self.destinations(d)?;
        self.push_texture(Texture {
            operation,
            handle,
            sampler: None,
            destinations,
            values: SmallVec::new(),
        })
    }

    /// `[a, c]` of a surface instruction: the handle, the place, and whether coordinates are missing.
    fn spot(
        &mut self,
        variant: &Variant,
        operand: &Operand,
        by_texel: bool,
    ) -> Result<(Source, Spot, bool), Unsupported> {
        let Operand::Bracket(range) = *operand else {
            return Err(Unsupported);
        };
        let inner = self.nested(range);
        let [a, c] = inner.as_slice() else {
            return Err(Unsupported);
        };
        let geometry = geometry(variant)?;
        let coordinates = self.coordinates(geometry, c, Type::U32)?;
        let spot = Spot {
            geometry,
            layer: coordinates.layer,
            at: coordinates.at,
            by_texel,
            boundary: boundary(variant)?,
        };
        Ok((self.handle(a)?, spot, coordinates.few))
    }

    /// The operation, or why it has no meaning.
    fn meaning(variant: &Variant, elements: usize, few: bool, operation: Operation) -> Operation {
        let vector = match variant.slot("vec") {
            Some(M::V2) => 2,
            Some(M::V4) => 4,
            _ => 1,
        };
        match (few, elements == vector) {
            (true, _) => Operation::Undefined(FEW_COORDINATES),
            (false, false) => Operation::Undefined(LONG_VECTOR),
            (false, true) => operation,
        }
    }

    fn surface_load(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [d, place] = operands else {
            return Err(Unsupported);
        };
        let bytes = (first_type(variant)?.bits() / 8) as u8;
        let (handle, spot, few) = self.spot(variant, place, false)?;
        let (destinations, _) = self.destinations(d)?;
        let operation = Self::meaning(variant, destinations.len(), few, Operation::Load { spot, bytes });
        self.push_texture(Texture {
            operation,
            handle,
            sampler: None,
            destinations,
            values: SmallVec::new(),
        })
    }

    fn surface_store(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [place, b] = operands else {
            return Err(Unsupported);
        };
        let of = first_type(variant)?;
        let formatted = variant.opcode == O::SustP;
        let (handle, spot, few) = self.spot(variant, place, formatted)?;
        let mut values = SmallVec::new();
        for element in self.elements(b) {
            values.push(self.value(&element, of)?);
        }
        let operation = match formatted {
            true => Operation::StoreFormatted { spot },
            false => Operation::Store {
                spot,
                bytes: (of.bits() / 8) as u8,
            },
        };
        let operation = Self::meaning(variant, values.len(), few, operation);
        self.push_texture(Texture {
            operation,
            handle,
            sampler: None,
            destinations: SmallVec::new(),
            values,
        })
    }

    fn surface_reduction(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [place, b] = operands else {
            return Err(Unsupported);
        };
        let of = first_type(variant)?;
        let formatted = variant.opcode == O::SuredP;
        let (handle, spot, few) = self.spot(variant, place, formatted)?;
        let found = variant.modifiers.iter().flatten().find_map(|modifier| match modifier {
            M::Add => Some(Reduction::Add),
            M::Min => Some(Reduction::Minimum),
            M::Max => Some(Reduction::Maximum),
            M::And => Some(Reduction::And),
            M::Or => Some(Reduction::Or),
            _ => None,
        });
        // `.add` of `sured.b` is part of the opcode's name in its form.
        let reduction = found.unwrap_or(Reduction::Add);
        let operation = Operation::Reduce {
            spot,
            bytes: (of.bits() / 8) as u8,
            reduction,
            signed: (!formatted).then(|| is_signed(of)),
        };
        let value = self.value(b, of)?;
        self.push_texture(Texture {
            operation: if few {
                Operation::Undefined(FEW_COORDINATES)
            } else {
                operation
            },
            handle,
            sampler: None,
            destinations: SmallVec::new(),
            values: SmallVec::from_slice(&[value]),
        })
    }

    fn is_type(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [p, a] = operands else { return Err(Unsupported) };
        let kind = texture::kind(first_type(variant)?).ok_or(Unsupported)?;
        let handle = match self.opaque_parameter(a)? {
            Some(held) => held,
            None => self.value(a, Type::U64)?,
        };
        let p = self.predicate(p)?;
        self.push_texture(Texture {
            operation: Operation::IsKind { kind, p },
            handle,
            sampler: None,
            destinations: SmallVec::new(),
            values: SmallVec::new(),
        })
    }
}
