//! Special registers of PTX: registers of the machine, constants of the launch, or numbers of the generation.
//!
//! Source: observed, from what ptxas 13.0.88 writes for each.

use warpsmith_ptx::special::SpecialRegister;
use warpsmith_sass::{FieldName as F, Opcode as O};
use warpsmith_target::Isa;

use super::{
    Lowered, Lowering, Stop,
    steps::{RIGHT, number, plus, product, shift},
};
use crate::{
    abi,
    ir::Register,
    select::{Request, Source, Value, negated},
};

/// Byte offsets in constant bank 0.
#[derive(Clone, Copy, Debug)]
struct Places {
    /// The number of the grid, 8 bytes.
    grid_number: u32,
    /// The number of multiprocessors.
    multiprocessors: u32,
    /// Bytes of dynamic shared memory.
    dynamic_shared: u32,
    /// Bytes of shared memory that belong to the system.
    reserved_shared: Option<u32>,
}

fn places(isa: Isa) -> Places {
    match isa {
        Isa::Sm75 | Isa::Sm80 | Isa::Sm86 | Isa::Sm89 | Isa::Sm90 => Places {
            grid_number: 0x30,
            multiprocessors: 0x10c,
            dynamic_shared: 0x2c,
            reserved_shared: (isa != Isa::Sm75).then_some(0x114),
        },
        Isa::Sm100 | Isa::Sm103 | Isa::Sm110 | Isa::Sm120 => Places {
            grid_number: 0x140,
            multiprocessors: 0x2d0,
            dynamic_shared: 0x2ac,
            reserved_shared: Some(0x16c),
        },
    }
}

/// The most warps of a multiprocessor, where code has the number; later generations read it.
fn warps(isa: Isa) -> Option<u32> {
    match isa {
        Isa::Sm75 => Some(32),
        Isa::Sm80 => Some(64),
        Isa::Sm86 | Isa::Sm89 => Some(48),
        Isa::Sm90 | Isa::Sm100 | Isa::Sm103 | Isa::Sm110 | Isa::Sm120 => None,
    }
}

/// A register of the machine that is read as it is.
fn machine_register(name: &str, axis: u8) -> Option<&'static str> {
    Some(match (name, axis) {
        ("%tid", 0) => "SR_TID.X",
        ("%tid", 1) => "SR_TID.Y",
        ("%tid", 2) => "SR_TID.Z",
        ("%ctaid", 0) => "SR_CTAID.X",
        ("%ctaid", 1) => "SR_CTAID.Y",
        ("%ctaid", 2) => "SR_CTAID.Z",
        ("%laneid", _) => "SR_LANEID",
        ("%lanemask_eq", _) => "SR_EQMASK",
        ("%lanemask_lt", _) => "SR_LTMASK",
        ("%lanemask_le", _) => "SR_LEMASK",
        ("%lanemask_gt", _) => "SR_GTMASK",
        ("%lanemask_ge", _) => "SR_GEMASK",
        ("%smid", _) => "SR_VIRTUALSMID",
        _ => return None,
    })
}

/// A register of the machine that is read at a fixed latency, and whether all 64 bits of it are.
fn timer(name: &str) -> Option<(&'static str, bool)> {
    Some(match name {
        "%clock" => ("SR_CLOCKLO", false),
        "%clock_hi" => ("SR_CLOCKHI", false),
        "%clock64" => ("SR_CLOCKLO", true),
        "%globaltimer" => ("SR_GLOBALTIMERLO", true),
        "%globaltimer_lo" => ("SR_GLOBALTIMERLO", false),
        "%globaltimer_hi" => ("SR_GLOBALTIMERHI", false),
        _ => return None,
    })
}

fn status(name: &'static str) -> Request {
    Request::new(O::S2r).form("R_S").text(F::SpecialRegister, name)
}

impl Lowering<'_> {
    /// The value of a special register in a new register of this many words.
    pub(crate) fn special(&mut self, special: SpecialRegister, component: Option<u8>, words: u8) -> Lowered<Register> {
        let (name, axis) = (special.name(), component.unwrap_or(0));
        let to = self.temporary(words.max(1));
        if let Some((name, wide)) = timer(name) {
            if wide != (words == 2) {
                return Err(Stop::Unsupported(Some(format!("{} of this width", special.name()))));
            }
            let read = Request::new(O::Cs2r).form("R_S").text(F::SpecialRegister, name);
            self.emit_bare(read.to(to).text(F::Narrow, if wide { "" } else { "32" }))?;
            return Ok(to);
        }
        let low = self.special_word(name, axis)?;
        self.emit_bare(Request::new(O::Mov).to(to.word(0)).from(low))?;
        for word in 1..words {
            let high: Source = match name {
                "%gridid" => Value::Constant(0, places(self.function.isa()).grid_number + 4).into(),
                _ => Value::Zero.into(),
            };
            self.emit_bare(Request::new(O::Mov).to(to.word(word)).from(high))?;
        }
        Ok(to)
    }

    /// The low word of a special register.
    fn special_word(&mut self, name: &'static str, axis: u8) -> Lowered<Source> {
        let isa = self.function.isa();
        if let Some(register) = machine_register(name, axis) {
            return Ok(self.step(status(register))?.into());
        }
        let (block, grid) = abi::extents(isa);
        let places = places(isa);
        let constant = |offset: u32| Source::from(Value::Constant(0, offset));
        Ok(match (name, axis) {
            ("%ntid", 0..3) => constant(block + 4 * u32::from(axis)),
            ("%nctaid", 0..3) => constant(grid + 4 * u32::from(axis)),
            ("%ntid" | "%nctaid" | "%tid" | "%ctaid", _) => Value::Zero.into(),
            ("%warpid", _) => self.packed_field("SR_VIRTID", 7)?.into(),
            ("%nwarpid", _) => match warps(isa) {
                Some(count) => number(count),
                None => self.packed_field("SR_VIRTCFG", 8)?.into(),
            },
            ("%nsmid", _) => constant(places.multiprocessors),
            ("%gridid", _) => constant(places.grid_number),
            ("%total_smem_size", _) => {
                let size = self.step(status("SR_SMEMSZ"))?;
                match places.reserved_shared {
                    Some(offset) => {
                        let reserved = self.copied(constant(offset))?;
                        self.step(plus(size, negated(reserved)))?.into()
                    }
                    None => size.into(),
                }
            }
            ("%dynamic_smem_size", _) => self.cluster_constant(places.dynamic_shared)?,
            _ => return Err(Stop::Unsupported(Some(name.to_string()))),
        })
    }

    /// A field from bit 8 of a register of the machine.
    fn packed_field(&mut self, register: &'static str, bits: u32) -> Lowered<Register> {
        let whole = self.step(status(register))?;
        let field = self.step(shift(Value::Zero, number(8), whole, RIGHT))?;
        self.step(Request::new(O::Sgxt).from(field).from(number(bits)).flag(F::U32, true))
    }

    /// A constant that, from sm_100 on, lies at a distance that depends on the size of the cluster.
    fn cluster_constant(&mut self, offset: u32) -> Lowered<Source> {
        let isa = self.function.isa();
        if isa < Isa::Sm100 {
            return Ok(Value::Constant(0, offset).into());
        }
        let size = Request::new(O::Cs2r)
            .form("R_S")
            .text(F::SpecialRegister, "SR_CgaSize")
            .text(F::Narrow, "32");
        let size = self.step(size)?;
        let distance = self.step(product(size, number(160_u32.wrapping_neg()), Value::Zero))?;
        let load = Request::new(O::Ldc)
            .form("R_CR")
            .at(F::Ra, distance)
            .number(F::Bank, 0)
            .number(F::Offset, u64::from(offset));
        Ok(self.step(load)?.into())
    }
}
