//! Operations on multimem addresses: on all replicas of a piece of memory.

use super::{
    FaultKind,
    arithmetic::FormatName,
    bulk::Place,
    code::{LANES, Source, Update},
    machine::{Machine, Site, Trouble},
    transfer::{Locus, updated},
    warp::{Warp, lanes_of},
};
use warpsmith_numerics::{convert, format::Format};

/// What is done.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MultimemAction {
    /// `multimem.ld_reduce`
    Load(Update),
    Store,
    /// `multimem.red`
    Reduce(Update),
}

/// A multimem operation.
#[derive(Clone, Debug)]
pub(crate) struct Multimem {
    pub(crate) action: MultimemAction,
    pub(crate) place: Place,
    /// Slots written or values read.
    pub(crate) list: Vec<u32>,
    /// Bytes of each of them.
    pub(crate) register_bytes: u8,
    /// Bytes of the numbers that they hold.
    pub(crate) element_bytes: u8,
    /// The format of the numbers, and the one in which they are added.
    pub(crate) widen: Option<(FormatName, FormatName)>,
    /// The format of numbers of eight bits, where they are added.
    pub(crate) eight: Option<FormatName>,
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// Applies an update to each number of a row of bytes.
fn combine(update: Update, size: usize, old: &[u8], new: &[u8]) -> Vec<u8> {
    let each = old.chunks(size).zip(new.chunks(size));
    each.flat_map(|(old, new)| {
        updated(update, number(old), number(new))
            .to_le_bytes()
            .into_iter()
            .take(size)
    })
    .collect()
}

impl Multimem {
    fn bytes(&self) -> usize {
        self.list.len() * usize::from(self.register_bytes)
    }

    fn converted(&self, bytes: &[u8], from: FormatName, to: FormatName) -> Vec<u8> {
        let size = (from.format().width() / 8) as usize;
        let wide = (to.format().width() / 8) as usize;
        let convert = |bits| convert::float_to_float(from.format(), to.format(), convert::Modifiers::default(), bits);
        bytes
            .chunks(size)
            .flat_map(|element| convert(number(element)).to_le_bytes().into_iter().take(wide))
            .collect()
    }

    /// The reduction of what the replicas hold.
    fn reduced(&self, update: Update, replicas: &[Vec<u8>]) -> Result<Vec<u8>, Trouble> {
        let total = match self.widen {
            None => {
                let size = usize::from(self.element_bytes);
                let total = replicas.iter().cloned().reduce(|a, b| combine(update, size, &a, &b));
                total.unwrap_or_default()
            }
            Some((narrow, wide)) => {
                let size = (wide.format().width() / 8) as usize;
                let total = replicas
                    .iter()
                    .map(|replica| self.converted(replica, narrow, wide))
                    .reduce(|a, b| combine(update, size, &a, &b));
                self.converted(&total.unwrap_or_default(), wide, narrow)
            }
        };
        if let Some(format) = self.eight {
            self.within(format.format(), replicas, &total)?;
        }
        Ok(total)
    }

    /// Refuses sums of eight-bit numbers that leave the numbers of their format: what is there then is not documented.
    fn within(&self, format: Format, replicas: &[Vec<u8>], total: &[u8]) -> Result<(), Trouble> {
        let is_finite = |byte: u8| !format.is_nan(byte.into()) && !format.is_infinite(byte.into());
        for (index, byte) in total.iter().enumerate() {
            let all = replicas
                .iter()
                .all(|replica| replica.get(index).copied().is_some_and(is_finite));
            if all && !is_finite(*byte) {
                let message = format!(
                    "what a sum beyond the largest number of {} is, is not known",
                    format.name
                );
                return Err(Trouble::new(FaultKind::Unsupported, message));
            }
        }
        Ok(())
    }
}

impl Machine<'_> {
    pub(crate) fn multimem(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        multimem: &Multimem,
        active: u32,
    ) -> Result<(), Trouble> {
        let bytes = multimem.bytes();
        let size = usize::from(multimem.register_bytes);
        let mut out = vec![[0; LANES]; multimem.list.len()];
        for lane in lanes_of(active) {
            let address = self.address_of(site, warp, multimem.place, lane);
            if !address.is_multiple_of(bytes.next_power_of_two() as u64) {
                let message = format!("access of {bytes} bytes at address {address:#x}");
                return Err(Trouble::new(FaultKind::Misaligned, message).at(lane));
            }
            let Some(replicas) = self.memory.replicas(address) else {
                let message = format!("{address:#x} is no multimem address");
                return Err(Trouble::new(FaultKind::AddressSpace, message).at(lane));
            };
            let mut given = Vec::new();
            if !matches!(multimem.action, MultimemAction::Load(_)) {
                for value in &multimem.list {
                    let value = warp.read(site.code, Source(*value))[lane];
                    given.extend(value.to_le_bytes().into_iter().take(size));
                }
            }
            let mut loaded = Vec::new();
            for replica in replicas {
                let place = Locus::Global(replica);
                let old = self
                    .fetch_replica(site, place, bytes, &multimem.action)
                    .map_err(|t| t.at(lane))?;
                match multimem.action {
                    MultimemAction::Load(_) => loaded.push(old),
                    MultimemAction::Store => self.put(site.cluster, place, &given).map_err(|t| t.at(lane))?,
                    MultimemAction::Reduce(update) => {
                        let new = combine(update, multimem.element_bytes.into(), &old, &given);
                        self.put(site.cluster, place, &new).map_err(|t| t.at(lane))?;
                    }
                }
            }
            if let MultimemAction::Load(update) = multimem.action {
                let total = multimem.reduced(update, &loaded).map_err(|t| t.at(lane))?;
                for (register, bytes) in out.iter_mut().zip(total.chunks(size)) {
                    register[lane] = number(bytes);
                }
            }
        }
        if let MultimemAction::Load(_) = multimem.action {
            for (slot, values) in multimem.list.iter().zip(&out) {
                warp.write(*slot, active, values);
            }
        }
        Ok(())
    }

    fn fetch_replica(
        &mut self,
        site: &mut Site<'_>,
        place: Locus,
        bytes: usize,
        action: &MultimemAction,
    ) -> Result<Vec<u8>, Trouble> {
        match action {
            MultimemAction::Store => Ok(Vec::new()),
            MultimemAction::Load(_) | MultimemAction::Reduce(_) => self.fetch(site.cluster, place, bytes),
        }
    }
}
