//! What a launch is, and whether it fits its kernel.

use warpsmith_base::Cancel;

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
    /// All CTAs are resident at once, and may wait for each other (`grid.sync()`).
    pub cooperative: bool,
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
            cooperative: false,
            arguments: Vec::new(),
        }
    }
}

/// How to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Chooses the interleaving of warps and CTAs.
    pub seed: u64,
    /// Warp instructions after which a run is stopped.
    pub step_budget: u64,
    /// Faults on two accesses to the same bytes by different warps that nothing orders, at least one writing; runs on one host thread.
    pub check_races: bool,
    /// Faults on reading memory that was never written.
    pub check_uninitialised: bool,
    /// Asynchronous copies complete at a random later time, at the latest when they are waited for, so that a missing wait shows.
    pub delay_copies: bool,
    /// Faults on using a register or predicate that was never written; moving it from one to another is no use, and leaves that one unwritten.
    pub check_registers: bool,
    /// PTX: faults on an integer division by zero, whose result compilers may assume anything of. Machine code has no such instruction.
    pub check_division: bool,
    /// Machine words: faults on a register that is read or written before the instructions in flight allow it.
    pub check_hazards: bool,
    /// Memory faults of different instructions that a run reports: up to the last of them it skips the accesses and goes on. 0 counts as 1.
    pub faults: usize,
    /// Shared memory may be read up to the unit in which a device gives it to CTAs, as on a GPU; otherwise its end is exact.
    pub padded_shared: bool,
    /// Bytes of a thread's stack where calls have no bound that is known; more than the emulator's own measure counts.
    pub stack_bytes: u32,
    /// Multiprocessors that kernels are told of.
    pub multiprocessors: u32,
    /// Whether the report counts sectors of global memory and conflicts in banks of shared memory ([`MemoryStatistics`](crate::MemoryStatistics)). Without them
    /// machine words whose lanes read and write here and there run a sixth faster.
    pub memory_statistics: bool,
    /// Host threads that run the CTAs of the grid; 0: as many as the host has cores. Clusters stay whole on one thread.
    ///
    /// With 1, equal launches give equal results and reports. With more, what depends on the order of CTAs may differ from run to run, as on a
    /// GPU: the order of atomic operations, so also sums of floating-point numbers made by them and what kernels with races leave; the counts of
    /// instructions of threads that wait for others; the clocks. Everything else is equal, the order of what is printed included.
    pub threads: usize,
    /// Ends the run from another thread, as a spent budget does: with a fault of [`FaultKind::Budget`](crate::FaultKind::Budget).
    pub cancel: Cancel,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: 0,
            step_budget: 10_000_000_000,
            check_races: false,
            check_uninitialised: false,
            check_division: false,
            check_registers: false,
            check_hazards: false,
            faults: 1,
            delay_copies: false,
            padded_shared: false,
            stack_bytes: 0,
            multiprocessors: 132,
            memory_statistics: true,
            threads: 1,
            cancel: Cancel::never(),
        }
    }
}

impl Options {
    /// How many host threads are to be used.
    pub(crate) fn host_threads(&self) -> usize {
        match self.threads {
            // What was last touched is followed in one order of all accesses.
            _ if self.check_races => 1,
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            given => given.min(MOST_HOST_THREADS),
        }
    }
}

/// More host threads help nobody.
const MOST_HOST_THREADS: usize = 256;

/// What a kernel itself says about how it is launched.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bounds {
    pub(crate) required_threads: Option<[u32; 3]>,
    pub(crate) maximum_threads: Option<[u32; 3]>,
    pub(crate) required_cluster: Option<[u32; 3]>,
}

/// The most shared memory of a CTA on any device.
pub(crate) const SHARED_LIMIT: u64 = 1 << 18;
/// The most threads of a CTA.
const THREAD_LIMIT: u64 = 1024;

/// Checks grid, block and cluster; gives the cluster.
pub(crate) fn check_extents(bounds: &Bounds, launch: &Launch) -> Result<[u32; 3], String> {
    let product = |values: [u32; 3]| values.iter().map(|value| u64::from(*value)).product::<u64>();
    let list = |[x, y, z]: [u32; 3]| format!("({x}, {y}, {z})");
    if product(launch.grid) == 0 || product(launch.block) == 0 || product(launch.cluster) == 0 {
        return Err("grid, block and cluster must not be empty".to_string());
    }
    if launch.grid[1] > 65_535 || launch.grid[2] > 65_535 || launch.grid[0] > i32::MAX as u32 {
        return Err(format!(
            "the grid {} is larger than (2147483647, 65535, 65535)",
            list(launch.grid)
        ));
    }
    if product(launch.block) > THREAD_LIMIT || launch.block[2] > 64 {
        return Err(format!(
            "a CTA of {} threads; the most are {THREAD_LIMIT}, 64 in z",
            list(launch.block)
        ));
    }
    if let Some(required) = bounds.required_threads.filter(|required| *required != launch.block) {
        let (given, required) = (list(launch.block), list(required));
        return Err(format!("a CTA of {given} threads, but the kernel requires {required}"));
    }
    if let Some(most) = bounds
        .maximum_threads
        .filter(|most| product(*most) < product(launch.block))
    {
        let (given, most) = (list(launch.block), list(most));
        return Err(format!("a CTA of {given} threads, but the kernel takes {most} at most"));
    }
    let cluster = match bounds.required_cluster {
        Some(required) if launch.cluster != [1; 3] && launch.cluster != required => {
            let (given, required) = (list(launch.cluster), list(required));
            return Err(format!("a cluster of {given} CTAs, but the kernel requires {required}"));
        }
        Some(required) => required,
        None => launch.cluster,
    };
    if product(cluster) > 16 || product(cluster) == 0 {
        return Err(format!("a cluster of {} CTAs; the most are 16", list(cluster)));
    }
    if (0..3).any(|axis| !launch.grid[axis].is_multiple_of(cluster[axis])) {
        let (grid, cluster) = (list(launch.grid), list(cluster));
        return Err(format!("the grid {grid} is not made of whole clusters of {cluster}"));
    }
    Ok(cluster)
}
