//! The functions that the run-time system of a device provides: printing, the heap and assertions.

use super::{
    FaultKind,
    arithmetic::truncated,
    code::{Call, LANES, Lanes, Passed, Source, Space, System},
    machine::{Machine, Site, Trouble},
    warp::{Warp, lanes_of},
};
use crate::print;

impl Machine<'_> {
    /// A call of the run-time system, lane after lane.
    pub(crate) fn system(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        system: System,
        call: &Call,
        active: u32,
    ) -> Result<(), Trouble> {
        let mut arguments = Vec::new();
        for argument in &call.arguments {
            arguments.push(self.scalar(site, warp, *argument, active)?);
        }
        let argument = |index: usize, lane: usize| arguments.get(index).map_or(0, |values: &Lanes| values[lane]);
        let mut results = [0; LANES];
        for lane in lanes_of(active) {
            results[lane] = match system {
                System::Printf => self.print(site, warp, lane, argument(0, lane), argument(1, lane))?,
                System::Malloc => self.memory.allocate(argument(0, lane).min(1 << 32)),
                System::Free => {
                    self.free(argument(0, lane)).map_err(|trouble| trouble.at(lane))?;
                    0
                }
                System::Launch => {
                    let number = site.cta().number;
                    self.launched.entry(number).or_default().push(argument(0, lane));
                    0
                }
                System::AssertFail => {
                    let text = |machine: &mut Self, site: &mut Site<'_>, warp: &mut Warp, index| {
                        machine.text(site, warp, lane, argument(index, lane))
                    };
                    let what = text(self, site, warp, 0)?;
                    let file = text(self, site, warp, 1)?;
                    let function = text(self, site, warp, 3)?;
                    let line = argument(2, lane) as u32;
                    let message = format!("{file}:{line}: {function}: Assertion `{what}` failed");
                    return Err(Trouble::new(FaultKind::Assert, message).at(lane));
                }
            };
        }
        match call.results.first() {
            Some(Passed::Frame { offset, bytes }) => {
                let frame = *warp.read(site.code, Source::slot(super::code::FRAME_SLOT));
                for lane in lanes_of(active) {
                    let at = frame[lane] + u64::from(*offset);
                    self.write_one(
                        site,
                        warp,
                        lane,
                        Space::Local,
                        at,
                        (*bytes).min(8) as usize,
                        results[lane],
                    )?;
                }
            }
            Some(Passed::Value { source, bytes }) => {
                if let Ok(slot) = source.place() {
                    let values = results.map(|value| truncated(value, 8 * bytes));
                    warp.write(slot as u32, active, &values);
                }
            }
            Some(Passed::Predicate(_) | Passed::Nothing) | None => {}
        }
        Ok(())
    }

    /// An argument as a number.
    fn scalar(&mut self, site: &mut Site<'_>, warp: &mut Warp, passed: Passed, active: u32) -> Result<Lanes, Trouble> {
        match passed {
            Passed::Frame { offset, bytes } => {
                let frame = *warp.read(site.code, Source::slot(super::code::FRAME_SLOT));
                let mut values = [0; LANES];
                for lane in lanes_of(active) {
                    let at = frame[lane] + u64::from(offset);
                    values[lane] = self.read_one(site, warp, lane, Space::Local, at, bytes.min(8) as usize)?;
                }
                Ok(values)
            }
            Passed::Value { source, .. } => Ok(*warp.read(site.code, source)),
            Passed::Predicate(_) | Passed::Nothing => Ok([0; LANES]),
        }
    }

    fn free(&mut self, address: u64) -> Result<(), Trouble> {
        if address == 0 {
            return Ok(());
        }
        if self.memory.free(address) {
            return Ok(());
        }
        let message = format!("free of {address:#x}, which malloc did not give or which is free already");
        Err(Trouble::new(FaultKind::OutOfBounds, message))
    }

    /// A text that ends with a zero byte.
    fn text(&mut self, site: &mut Site<'_>, warp: &mut Warp, lane: usize, address: u64) -> Result<String, Trouble> {
        print::text(
            &mut |address, bytes| self.read_one(site, warp, lane, Space::Generic, address, bytes),
            address,
        )
    }

    /// `vprintf(format, arguments)`: the number of arguments, as the device's does.
    fn print(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        lane: usize,
        format: u64,
        arguments: u64,
    ) -> Result<u64, Trouble> {
        let mut text = String::new();
        let mut fetch = |address, bytes| self.read_one(site, warp, lane, Space::Generic, address, bytes);
        let count = print::format(&mut text, &mut fetch, format, arguments)?;
        self.printed.entry(site.cta().number).or_default().push_str(&text);
        Ok(count)
    }
}
