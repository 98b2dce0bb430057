//! Device memory.

use super::{Fault, FaultKind};

/// A device: its global memory.
#[derive(Debug, Default)]
pub struct Device {
    pub(crate) next: u64,
}

impl Device {
    /// A device with no memory allocated.
    pub fn new() -> Device {
        Device::default()
    }

    /// Allocates memory, which is not initialised but reads as zero. No allocation follows another without a gap.
    pub fn allocate(&mut self, bytes: u64, align: u64) -> u64 {
        let _ = (bytes, align);
        self.next
    }

    /// Frees an allocation.
    ///
    /// # Errors
    /// The address is not the start of an allocation.
    pub fn free(&mut self, address: u64) -> Result<(), Fault> {
        Err(Fault::new(FaultKind::OutOfBounds, format!("{address:#x} is not the start of an allocation")))
    }

    /// Copies bytes to the device.
    ///
    /// # Errors
    /// Some of the memory is not allocated.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        let _ = (address, bytes);
        Ok(())
    }

    /// Copies bytes from the device.
    ///
    /// # Errors
    /// Some of the memory is not allocated.
    pub fn read(&self, address: u64, length: u64) -> Result<Vec<u8>, Fault> {
        let _ = (address, length);
        Ok(Vec::new())
    }
}
