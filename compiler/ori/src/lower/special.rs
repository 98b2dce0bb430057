//! Special registers of PTX: registers of the machine, constants of the launch, or numbers of the generation.
//!
//! Source: observed, from what ptxas 13.0.88 writes for each.

use warpsmith_ptx::special::SpecialRegister;
use warpsmith_sass::{
    FieldName as F, Opcode as O,
    tables::{Cmp, Combine},
};
use warpsmith_target::Isa;

use super::{
    Lowered, Lowering, Stop,
    steps::{RIGHT, number, plus, product, select, shift},
};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, negated},
};

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

/// A performance counter of the machine, and whether all 64 bits of it are read.
fn counter(name: &str) -> Option<(&'static str, bool)> {
    const COUNTERS: [&str; 8] = [
        "SR_PM0", "SR_PM1", "SR_PM2", "SR_PM3", "SR_PM4", "SR_PM5", "SR_PM6", "SR_PM7",
    ];
    let number = name.strip_prefix("%pm")?;
    let (number, wide) = match number.strip_suffix("_64") {
        Some(number) => (number, true),
        None => (number, false),
    };
    Some((COUNTERS.get(number.parse::<usize>().ok()?)?, wide))
}

fn status(name: &'static str) -> Request {
    Request::new(O::S2r).form("R_S").text(F::SpecialRegister, name)
}

impl Lowering<'_> {
    /// The value of a special register in a new register of this many words.
    pub(crate) fn special(&mut self, special: SpecialRegister, component: Option<u8>, words: u8) -> Lowered<Register> {
        let (name, axis) = (special.name(), component.unwrap_or(0));
        let to = self.temporary(words.max(1));
        if let Some((name, wide)) = timer(name).or_else(|| counter(name)) {
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
                "%gridid" => Value::Constant(0, u32::from(self.function.constants().grid_id) + 4).into(),
                "%current_graph_exec" => Value::Constant(0, u32::from(self.function.constants().graph_exec) + 4).into(),
                _ => Value::Zero.into(),
            };
            self.emit_bare(Request::new(O::Mov).to(to.word(word)).from(high))?;
        }
        Ok(to)
    }

    /// The low word of a special register.
    fn special_word(&mut self, name: &'static str, axis: u8) -> Lowered<Source> {
        if let Some(register) = machine_register(name, axis) {
            return Ok(self.step(status(register))?.into());
        }
        let places = self.function.constants();
        let constant = |offset: u16| Source::from(Value::Constant(0, offset.into()));
        Ok(match (name, axis) {
            ("%ntid", 0..3) => constant(places.cta_dimensions + 4 * u16::from(axis)),
            ("%nctaid", 0..3) => constant(places.grid_dimensions + 4 * u16::from(axis)),
            ("%ntid" | "%nctaid" | "%tid" | "%ctaid", _) => Value::Zero.into(),
            ("%warpid", _) => self.packed_field("SR_VIRTID", 7)?.into(),
            // Code for SMs without clusters has the number; later code reads it.
            ("%nwarpid", _) if !self.function.has_clusters() => {
                number(self.function.sm.info().occupancy.max_warps_per_sm())
            }
            ("%nwarpid", _) => self.packed_field("SR_VIRTCFG", 8)?.into(),
            ("%nsmid", _) => constant(places.sm_count),
            ("%gridid", _) => constant(places.grid_id),
            ("%current_graph_exec", _) => constant(places.graph_exec),
            ("%aggr_smem_size", _) => {
                let offset = places.aggregate_shared_size;
                let offset = offset.ok_or_else(|| Stop::Unsupported(Some(name.to_string())))?;
                let size = self.step(status("SR_SMEMSZ"))?;
                let most = self.cluster_constant(offset)?;
                let most = self.held(most)?;
                let beyond = self.compare_words(Cmp::Gt, true, size, most.value, Combine::And, Test::ALWAYS)?;
                self.step(select(beyond, most, size))?.into()
            }
            ("%total_smem_size", _) => {
                let size = self.step(status("SR_SMEMSZ"))?;
                match places.reserved_shared_size {
                    Some(offset) => {
                        let reserved = self.copied(constant(offset))?;
                        self.step(plus(size, negated(reserved)))?.into()
                    }
                    None => size.into(),
                }
            }
            ("%dynamic_smem_size", _) => self.cluster_constant(places.dynamic_shared_size)?,
            (name, _) if name.starts_with("%reserved_smem_offset") => self.reserved_shared(name)?,
            (name, _) if name.contains("cluster") => self.cluster_register(name, axis)?,
            (name, _) if name.starts_with("%envreg") => match name["%envreg".len()..].parse::<u16>() {
                Ok(index) if index < 32 => self.cluster_constant(places.environment + 4 * index)?,
                Ok(_) | Err(_) => return Err(Stop::Unsupported(Some(name.to_string()))),
            },
            _ => return Err(Stop::Unsupported(Some(name.to_string()))),
        })
    }

    /// Where what the system keeps of shared memory begins and ends: from sm_90 on the first KiB, before at the end.
    fn reserved_shared(&mut self, name: &str) -> Lowered<Source> {
        let places = self.function.constants();
        let unknown = || Stop::Unsupported(Some(name.to_string()));
        let end = places.reserved_shared_end.ok_or_else(unknown)?;
        let size = places.reserved_shared_size.ok_or_else(unknown)?;
        let first = self.function.has_clusters();
        Ok(match &name["%reserved_smem_offset_".len()..] {
            "begin" | "0" if !first => {
                let all = self.step(status("SR_SMEMSZ"))?;
                let reserved = self.copied(Value::Constant(0, size.into()))?;
                self.step(plus(all, negated(reserved)))?.into()
            }
            "begin" => Value::Zero.into(),
            "0" if self.function.isa() == Isa::Sm90 => Value::Zero.into(),
            "0" => number(0x40),
            "cap" if first => number(0x400),
            "cap" => self.step(status("SR_SMEMSZ"))?.into(),
            "end" => self.cluster_constant(end)?,
            "1" => self.cluster_constant(end + 4)?,
            _ => return Err(unknown()),
        })
    }

    /// A field from bit 8 of a register of the machine.
    fn packed_field(&mut self, register: &'static str, bits: u32) -> Lowered<Register> {
        let whole = self.step(status(register))?;
        let field = self.step(shift(Value::Zero, number(8), whole, RIGHT))?;
        self.step(Request::new(O::Sgxt).from(field).from(number(bits)).flag(F::U32, true))
    }

    /// A constant that, from sm_100 on, lies at a distance that depends on the size of the cluster.
    pub(super) fn cluster_constant(&mut self, offset: u16) -> Lowered<Source> {
        let stride = u32::from(self.function.constants().cta_block_stride);
        if stride == 0 {
            return Ok(Value::Constant(0, offset.into()).into());
        }
        let size = Request::new(O::Cs2r)
            .form("R_S")
            .text(F::SpecialRegister, "SR_CgaSize")
            .text(F::Narrow, "32");
        let size = self.step(size)?;
        let distance = self.step(product(size, number(stride.wrapping_neg()), Value::Zero))?;
        let load = Request::new(O::Ldc)
            .form("R_CR")
            .at(F::Ra, distance)
            .number(F::Bank, 0)
            .number(F::Offset, u64::from(offset));
        Ok(self.step(load)?.into())
    }
}
