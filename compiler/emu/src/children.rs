//! Kernels that kernels launch.
//!
//! A thread that launches fills a block of memory, and gives its address ([`CALL`]). The grid runs to its end; what its threads have launched runs
//! then, in the order of its CTAs, each with what it launches itself, and at last what was to come after the grid (`cudaStreamTailLaunch`). That is one
//! of the orders that a device may take, in which all streams keep theirs.

use crate::{Device, Failure, Fault, FaultKind, Launch, Report};

/// The function that device code calls with the address of such a block.
pub(crate) const CALL: &str = "__warpsmith_launch";

/// Bytes of a block before its parameters: the kernel's address; grid, block and dynamic shared memory, in words; the stream.
const HEAD: u64 = 64;
/// In place of a kernel's address: bytes are copied (to, from, how many), or set (to, value, how many).
const COPY: u64 = 0;
const FILL: u64 = 1;
/// `cudaStreamTailLaunch`.
const TAIL: u64 = 3;

/// A launch as its block says it.
struct Block {
    /// Where it lies.
    address: u64,
    kernel: u64,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: u64,
}

fn word(device: &Device, address: u64) -> Result<u64, Fault> {
    let bytes = device.read(address, 8)?;
    Ok(bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)))
}

impl Block {
    fn read(device: &Device, address: u64) -> Result<Block, Fault> {
        let half = |offset: u64| -> Result<u32, Fault> {
            let pair = word(device, address + (offset & !7))?;
            Ok((pair >> (8 * (offset & 4))) as u32)
        };
        Ok(Block {
            address,
            kernel: word(device, address)?,
            grid: [half(8)?, half(12)?, half(16)?],
            block: [half(20)?, half(24)?, half(28)?],
            shared: half(32)?,
            stream: word(device, address + 40)?,
        })
    }

    /// The bytes of parameters at these offsets and of these sizes.
    fn arguments(&self, device: &Device, places: &[(u64, u64)]) -> Result<Vec<Vec<u8>>, Fault> {
        let places = places.iter();
        places
            .map(|(offset, bytes)| device.read(self.address + HEAD + offset, *bytes))
            .collect()
    }

    /// Copies or sets bytes; whether that is what was asked for.
    fn moves(&self, device: &mut Device) -> Result<bool, Fault> {
        let at = |number: u64| self.address + HEAD + 8 * number;
        let (to, second, count) = match self.kernel {
            COPY | FILL => (word(device, at(0))?, word(device, at(1))?, word(device, at(2))?),
            _ => return Ok(false),
        };
        let bytes = match self.kernel {
            COPY => device.read(second, count)?,
            _ => {
                // So much is there to be set, or the memory is not the program's.
                device.read(to, count)?;
                vec![second as u8; usize::try_from(count).unwrap_or(0)]
            }
        };
        device.write(to, &bytes)?;
        Ok(true)
    }
}

/// A module, for what its kernels launch.
pub(crate) trait Module {
    /// The kernel at an address that device code has, and the offsets and sizes of its parameters.
    fn kernel_at(&self, address: u64) -> Option<(String, Vec<(u64, u64)>)>;

    /// Runs one grid; gives the blocks of what its threads have launched.
    fn run(&self, device: &mut Device, launch: &Launch, budget: u64) -> Result<(Report, Vec<u64>), Failure>;
}

/// Runs a grid and all that comes of it.
pub(crate) fn run(module: &impl Module, device: &mut Device, launch: &Launch, budget: u64) -> Result<Report, Failure> {
    let (mut report, launched) = module.run(device, launch, budget)?;
    let mut waiting = Vec::new();
    let outcome = in_order(device, launched, &mut waiting).map_err(Failure::from);
    let outcome = outcome.and_then(|()| {
        while let Some(block) = waiting.pop() {
            let left = budget.saturating_sub(report.instructions);
            let (done, launched) = child(module, device, &block, &launch.kernel, left)?;
            report.add(done);
            in_order(device, launched, &mut waiting)?;
        }
        Ok(())
    });
    match outcome {
        Ok(()) => Ok(report),
        Err(mut failure) => {
            report.add(std::mem::take(&mut failure.report));
            failure.report = report;
            Err(failure)
        }
    }
}

/// Puts launches on top of those that wait, the first of them on top.
fn in_order(device: &Device, launched: Vec<u64>, waiting: &mut Vec<Block>) -> Result<(), Fault> {
    let blocks = launched.into_iter().map(|address| Block::read(device, address));
    let blocks: Vec<Block> = blocks.collect::<Result<_, _>>()?;
    let (tail, others): (Vec<Block>, Vec<Block>) = blocks.into_iter().partition(|block| block.stream == TAIL);
    waiting.extend(tail.into_iter().rev());
    waiting.extend(others.into_iter().rev());
    Ok(())
}

/// Runs what a thread has launched, and frees its block.
fn child(
    module: &impl Module,
    device: &mut Device,
    block: &Block,
    parent: &str,
    budget: u64,
) -> Result<(Report, Vec<u64>), Failure> {
    if block.moves(device)? {
        device.free(block.address)?;
        return Ok(Default::default());
    }
    let found = module.kernel_at(block.kernel).ok_or_else(|| {
        let message = format!(
            "{:#x}, which {parent} or its children launch, is no kernel",
            block.kernel
        );
        Fault::new(FaultKind::Trap, message)
    })?;
    let (kernel, places) = found;
    let launch = Launch {
        grid: block.grid,
        block: block.block,
        dynamic_shared: block.shared,
        arguments: block.arguments(device, &places)?,
        ..Launch::of(&kernel)
    };
    device.free(block.address)?;
    module.run(device, &launch, budget).map_err(|mut failure| {
        // It is too late for an error of the call: what the thread did wrong is a fault of its grid.
        if failure.fault.kind == FaultKind::Launch {
            failure.fault.kind = FaultKind::Trap;
        }
        failure
    })
}
