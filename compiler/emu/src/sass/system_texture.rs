//! `tex.grad` as a function of the system: `__cuda_syscall_tex_grad_…`, which code of sm_90 and later calls where `TXD` has no form.
//!
//! The name says what is fetched; parameters follow the calling convention: handle, sampler of its own, coordinates with the layer first, both gradients and
//! offsets in vectors of 16 bytes, what depths are compared with. The result is a word that tells whether the texels are resident, and four channels. (All
//! observed: what ptxas 13.0.88 compiles.)

use std::sync::Arc;

use warpsmith_numerics::round::Rounding;

use super::{
    code::Row,
    machine::{Context, Trouble},
    system::{argument, stack_words},
    texture::packed,
};
use crate::texture::{Detail, Geometry, Position, Sample};

/// A fetch by gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fetch {
    geometry: Geometry,
    halves: bool,
    /// The sampler has a handle of its own.
    independent: bool,
    offset: bool,
    compares: bool,
}

/// Registers of the coordinates and of the first gradient; the second lies on the stack, offsets behind it.
const COORDINATES: u8 = 8;
const FIRST_GRADIENT: u8 = 12;

impl Fetch {
    /// What a name says.
    pub(super) fn named(name: &str) -> Option<Fetch> {
        let name = name.strip_prefix("__cuda_syscall_tex_grad_")?;
        let name = name.strip_prefix("pred_").unwrap_or(name);
        let (geometry, rest) = name.split_once("_v4_")?;
        let all = [
            Geometry::Line,
            Geometry::Plane,
            Geometry::Volume,
            Geometry::Lines,
            Geometry::Planes,
            Geometry::Cube,
            Geometry::Cubes,
        ];
        let (channel, rest) = rest.split_once("_f32")?;
        Some(Fetch {
            geometry: all.into_iter().find(|known| known.name() == geometry)?,
            halves: channel == "f16",
            independent: rest.contains("_texmode_independent"),
            offset: rest.contains("_offset"),
            compares: rest.contains("_depth_compare"),
        })
    }

    /// The fetch of a lane.
    pub(super) fn execute(self, context: &mut Context<'_, '_>, lane: usize) -> Result<(), Trouble> {
        let handle = argument(context, lane, 4) as u32;
        let sampler = match self.independent {
            true => argument(context, lane, 6) as u32,
            false => handle,
        };
        // The number alone, as it stands in the low bits of a sampler's handle, too.
        let sampler = match sampler {
            number if number & 0xf_f000 == 0 => number << 20,
            handle => handle,
        };
        let register = |context: &Context<'_, '_>, first: u8| -> [u32; 4] {
            [0, 1, 2, 3].map(|index| context.warp.row(&[], Row::register(first + index))[lane])
        };
        let place = register(context, COORDINATES);
        let first = register(context, FIRST_GRADIENT);
        let second = stack_words(context, lane, 0)?;
        let offset = match self.offset {
            true => stack_words(context, lane, 16)?,
            false => [0; 4],
        };
        let compare = match (self.compares, self.independent) {
            (false, _) => None,
            (true, false) => Some(context.warp.row(&[], Row::register(6))[lane]),
            (true, true) => Some(stack_words(context, lane, if self.offset { 32 } else { 16 })?[0]),
        };
        let layered = matches!(self.geometry, Geometry::Lines | Geometry::Planes | Geometry::Cubes);
        let (layer, position) = match (layered, place) {
            (true, [layer, x, y, z]) => (layer, [x, y, z]),
            (false, [x, y, z, _]) => (0, [x, y, z]),
        };
        let three = |[x, y, z, _]: [u32; 4]| [x, y, z];
        let sample = Sample {
            geometry: self.geometry,
            layer: layer.min(0xffff),
            sample: 0,
            position: Position::Real(position),
            detail: Detail::Gradient([three(first), three(second)]),
            offset: three(offset).map(|part| part as i32),
            compare,
        };
        let registry = Arc::clone(&context.machine.memory.textures);
        let trouble = |fault: crate::Fault| Trouble::new(fault.kind, fault.message);
        let view = registry.texture(handle.into(), sampler.into()).map_err(trouble)?;
        let found = view.fetch(&mut context.machine.memory, &sample).map_err(trouble)?;
        let found = if self.halves {
            packed(found, Rounding::NearestEven)
        } else {
            found
        };
        context.warp.write_lane(Row::register(4), lane, 1);
        for (register, value) in (5..).zip(found) {
            context.warp.write_lane(Row::register(register), lane, value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Fetch;
    use crate::texture::Geometry;

    #[test]
    fn names() {
        let plain = Fetch {
            geometry: Geometry::Volume,
            halves: false,
            independent: false,
            offset: false,
            compares: false,
        };
        assert_eq!(Fetch::named("__cuda_syscall_tex_grad_3d_v4_f32_f32"), Some(plain));
        let all = Fetch {
            geometry: Geometry::Planes,
            halves: true,
            independent: true,
            offset: true,
            compares: true,
        };
        let name = "__cuda_syscall_tex_grad_pred_a2d_v4_f16_f32_texmode_independent_offset_depth_compare";
        assert_eq!(Fetch::named(name), Some(all));
        assert_eq!(Fetch::named("__cuda_syscall_cp_async_bulk_multicast"), None);
    }
}
