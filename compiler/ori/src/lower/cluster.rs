//! Clusters of CTAs, their shared memory, and grids that depend on each other. (Which instructions: observed, ptxas 13.0.88.)
//!
//! An address in the shared memory of a CTA has the rank of the CTA in bits 24 to 31 of its low word; as a generic one it has the window above that.

use warpsmith_ptx::{
    instruction::Variant,
    module::{Address, Operand},
    table::{Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    Lowered, Lowering, Stop, UNSUPPORTED,
    memory::{Scope, Space, says, space_of},
    steps::{RIGHT, number, permute, plus, product, shift},
    variables::RANK_SHIFT,
};
use crate::{
    ir::Register,
    select::{Request, Source, Value, Word, negated},
};

/// The rank of the CTA in whose shared memory an address lies.
pub(super) fn rank_in(address: Source) -> Request {
    shift(Value::Zero, number(RANK_SHIFT), address, RIGHT)
}

impl Lowering<'_> {
    /// Addresses of other CTAs, dependences of grids, fences of the asynchronous proxy.
    pub(super) fn clusters(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        Some(match variant.opcode {
            Opcode::Mapa => self.map_address(variant, operands),
            Opcode::Getctarank => self.rank_of_address(operands),
            Opcode::Griddepcontrol if says(variant, "wait") => self.emit(Request::new(O::Acqbulk).form("none")),
            Opcode::Griddepcontrol => self.emit(Request::new(O::Preexit).form("none")),
            Opcode::FenceProxy | Opcode::MembarProxy => self.proxy_fence(variant),
            _ => return None,
        })
    }

    /// `mapa d, a, b`: the same place in the shared memory of CTA `b`.
    fn map_address(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let to = self.destination(operands.first())?;
        let of = if self.function.info(to).words == 2 {
            Type::U64
        } else {
            Type::U32
        };
        let low = self.word(operands.get(1), of, 0)?;
        let high = match (of, space_of(variant)?) {
            (Type::U32, _) => None,
            (_, Space::Generic) => Some(self.word(operands.get(1), of, 1)?),
            _ => Some(Value::Zero.into()),
        };
        let high = match high {
            Some(high) => Some(self.copied(high)?),
            None => None,
        };
        let (low, rank) = (self.held(low)?, self.source(operands.get(2), Type::U32)?);
        let rank = self.held(rank)?;
        // The lowest byte of the rank above three bytes of the address.
        self.emit(permute(rank, 0x0654, low).to(to.word(0)))?;
        match high {
            Some(high) => self.emit(Request::new(O::Mov).to(to.word(1)).from(high)),
            None => Ok(()),
        }
    }

    fn rank_of_address(&mut self, operands: &[Operand]) -> Lowered {
        let to = self.destination(operands.first())?;
        let low = self.word(operands.get(1), Type::U32, 0)?;
        let low = self.held(low)?;
        self.emit(rank_in(low).to(to.word(0)))
    }

    /// What the generic proxy wrote is seen by the asynchronous one, and the other way round.
    fn proxy_fence(&mut self, variant: &Variant) -> Lowered {
        // One side of the next. (Observed, ptxas 13.5.)
        if says(variant, "alias") && says(variant, "acquire") {
            return self.invalidate(Scope::System);
        }
        if says(variant, "alias") && says(variant, "release") {
            return self.fence("ALL", Scope::System);
        }
        if says(variant, "alias") {
            // ptxas asks whether the scope of the GPU would do.
            self.fence("SC", Scope::System)?;
            return self.invalidate(Scope::System);
        }
        if says(variant, "async::generic") {
            // What is acquired comes with the barrier that was waited for; what is released lies in the shared memory of the CTA.
            if says(variant, "acquire") {
                return Ok(());
            }
            self.fence("ALL", Scope::Cta)?;
            return self.emit(Request::new(O::Fence).form("VIEW.ASYNC.S.none"));
        }
        if says(variant, "sync_restrict::shared::cta") || says(variant, "sync_restrict::shared::cluster") {
            // Without a direction: as for all that is shared. (Observed, ptxas 13.0.88.)
            self.fence("ALL", Scope::Gpu)?;
            return self.emit(Request::new(O::Fence).form("VIEW.ASYNC.S.none"));
        }
        let known = ["async", "global", "shared::cta", "shared::cluster"];
        if !says(variant, "async") || variant.modifiers.iter().flatten().any(|m| !known.contains(&m.name())) {
            return Err(UNSUPPORTED);
        }
        let shared = says(variant, "shared::cta") || says(variant, "shared::cluster");
        let scope = if says(variant, "shared::cta") {
            Scope::Cta
        } else {
            Scope::Gpu
        };
        self.fence("ALL", scope)?;
        if shared || !says(variant, "global") {
            self.emit(Request::new(O::Fence).form("VIEW.ASYNC.S.none"))?;
        }
        if !shared {
            self.emit(Request::new(O::Fence).form("VIEW.ASYNC.G.none"))?;
        }
        Ok(())
    }

    /// A place in the shared memory of the cluster, as a generic address.
    pub(super) fn cluster_place(&mut self, address: &Address) -> Lowered<(Word, i64)> {
        let (base, offset) = self.locate(Space::Cluster, address)?;
        let pair = self.temporary(2);
        self.emit_bare(Request::new(O::Mov).to(pair.word(0)).from(base))?;
        self.emit_bare(
            Request::new(O::S2r)
                .to(pair.word(1))
                .text(F::SpecialRegister, "SR_SWINHI"),
        )?;
        Ok((pair.word(0), offset))
    }

    /// A special register about clusters; targets without them have clusters of one CTA.
    pub(super) fn cluster_register(&mut self, name: &'static str, axis: u8) -> Lowered<Source> {
        let places = self.function.constants();
        let unknown = || Stop::Unsupported(Some(name.to_string()));
        let along = |start: Option<u16>| start.map(|start| start + 4 * u16::from(axis)).ok_or_else(unknown);
        if axis > 2 {
            return Ok(Value::Zero.into());
        }
        match name {
            "%cluster_ctarank" => {
                let rank = Request::new(O::S2r).form("R_S").text(F::SpecialRegister, "SR_CgaCtaId");
                Ok(self.step(rank)?.into())
            }
            "%cluster_nctarank" => self.cluster_constant(places.cluster_cta_count.ok_or_else(unknown)?),
            "%cluster_nctaid" => self.cluster_constant(along(places.cluster_dimensions)?),
            "%nclusterid" => self.cluster_constant(along(places.cluster_count)?),
            "%clusterid" => Ok(self.cluster_index(axis)?.1.into()),
            "%cluster_ctaid" => {
                let (cta, cluster) = self.cluster_index(axis)?;
                let extent = self.cluster_constant(along(places.cluster_dimensions)?)?;
                let first = self.step(product(cluster, extent, Value::Zero))?;
                Ok(self.step(plus(cta, negated(first)))?.into())
            }
            _ => Err(unknown()),
        }
    }

    /// The index of the CTA in the grid, and that of its cluster: the quotient by the extent of clusters.
    fn cluster_index(&mut self, axis: u8) -> Lowered<(Register, Register)> {
        let names = ["SR_CTAID.X", "SR_CTAID.Y", "SR_CTAID.Z"];
        let name = names.get(usize::from(axis)).copied().ok_or(UNSUPPORTED)?;
        let cta = self.step(Request::new(O::S2r).form("R_S").text(F::SpecialRegister, name))?;
        let start = self.function.constants().cluster_dimensions.ok_or(UNSUPPORTED)?;
        let extent = self.cluster_constant(start + 4 * u16::from(axis))?;
        let extent = self.held(extent)?;
        let quotient = self.quotient_of_words(cta.into(), extent)?;
        let quotient = self.held(quotient)?;
        match quotient.value {
            Value::Register(word) => Ok((cta, word.register)),
            _ => Err(UNSUPPORTED),
        }
    }
}
