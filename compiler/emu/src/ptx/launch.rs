//! Loading a module and launching its kernels.

use warpsmith_ptx::module::Module;

use super::{Device, Fault, FaultKind, Report};

/// Which kernel to run, how wide and on what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Name of the kernel.
    pub kernel: String,
    /// CTAs in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a CTA in x, y and z.
    pub block: [u32; 3],
    /// CTAs of a cluster in x, y and z; ones: what the kernel itself requires, or no clusters.
    pub cluster: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// The bytes of each parameter, in order.
    pub arguments: Vec<Vec<u8>>,
}

impl Launch {
    /// One thread of this kernel, without arguments.
    pub fn of(kernel: &str) -> Launch {
        Launch {
            kernel: kernel.to_string(),
            grid: [1; 3],
            block: [1; 3],
            cluster: [1; 3],
            dynamic_shared: 0,
            arguments: Vec::new(),
        }
    }
}

/// How to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Chooses the interleaving of warps and CTAs.
    pub seed: u64,
    /// Warp instructions after which a run is stopped.
    pub step_budget: u64,
    /// Faults on two accesses to the same shared memory word by different warps with no barrier between them.
    pub check_races: bool,
    /// Faults on reading memory that was never written.
    pub check_uninitialised: bool,
    /// Host threads.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: 0,
            step_budget: 10_000_000_000,
            check_races: false,
            check_uninitialised: false,
            threads: 1,
        }
    }
}

/// A module made ready to run on one device.
#[derive(Debug)]
pub struct Loaded {}

impl Loaded {
    /// The kernels, in order of the text.
    pub fn kernels(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Size and alignment in bytes of each parameter of a kernel.
    pub fn parameters(&self, _kernel: &str) -> Option<Vec<(u64, u64)>> {
        None
    }

    /// The address and size of a `.global` or `.const` variable, for [`Device::read`] and [`Device::write`].
    pub fn variable(&self, _name: &str) -> Option<(u64, u64)> {
        None
    }
}

/// Places the variables of a module on the device and makes its functions ready.
///
/// # Errors
/// A variable or function that is declared but not defined.
pub fn load(_device: &mut Device, _module: &Module) -> Result<Loaded, Fault> {
    Err(Fault::new(FaultKind::Load, "not yet"))
}

/// Runs a kernel to its end.
///
/// # Errors
/// The first fault.
pub fn run(_device: &mut Device, _loaded: &Loaded, _launch: &Launch, _options: &Options) -> Result<Report, Fault> {
    Err(Fault::new(FaultKind::Load, "not yet"))
}
