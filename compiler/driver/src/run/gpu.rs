//! A plan on a GPU: memory, variables and launches by the CUDA driver.

use std::cell::RefCell;
use std::collections::BTreeMap;

use warpsmith_emu::{Failure, Fault, FaultKind, Launch, Report};
use warpsmith_gpu::{Buffer, Context, Driver, Error, Extents, Global, Image, Module};

use super::plan::Plan;

/// A module on a GPU, and the memory that belongs to it.
pub(crate) struct Gpu {
    module: Module,
    buffers: Vec<Buffer>,
    /// Variables that were asked for, by their address.
    variables: RefCell<BTreeMap<u64, Global>>,
    context: Context,
}

/// The driver's errors in words.
fn words(error: Error) -> String {
    error.to_string()
}

impl Gpu {
    /// Puts a module (PTX or a cubin) on the first GPU.
    pub(crate) fn start(plan: &Plan, image: &[u8]) -> Result<Gpu, String> {
        if let Some(what) = unsupported(plan) {
            return Err(format!("{what} on a GPU"));
        }
        let context = Driver::load()
            .and_then(|driver| Context::new(driver, 0))
            .map_err(words)?;
        let image = Image::new(image).map_err(words)?;
        Ok(Gpu {
            module: Module::load(&context, &image).map_err(words)?,
            buffers: Vec::new(),
            variables: RefCell::default(),
            context,
        })
    }

    /// Allocates memory; its address.
    pub(crate) fn allocate(&mut self, size: usize) -> Result<u64, String> {
        let buffer = Buffer::new(&self.context, size).map_err(words)?;
        let address = buffer.address();
        self.buffers.push(buffer);
        Ok(address)
    }

    /// Address and size of a module's variable.
    pub(crate) fn variable(&self, name: &str) -> Result<(u64, u64), String> {
        let global = self.module.global(name);
        let global = global.map_err(|error| format!("variable `{name}`: {error}"))?;
        let place = (global.address(), global.size() as u64);
        self.variables.borrow_mut().insert(place.0, global);
        Ok(place)
    }

    /// Writes to the start of a buffer or variable.
    pub(crate) fn write(&self, address: u64, bytes: &[u8]) -> Result<(), String> {
        let variables = self.variables.borrow();
        let written = match (self.buffer(address), variables.get(&address)) {
            (Some(buffer), _) => buffer.write(0, bytes),
            (None, Some(variable)) => variable.write(0, bytes),
            (None, None) => return Err(format!("nothing is at {address:#x}")),
        };
        written.map_err(words)
    }

    /// Reads from the start of a buffer or variable.
    pub(crate) fn read(&self, address: u64, size: usize) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; size];
        let variables = self.variables.borrow();
        let read = match (self.buffer(address), variables.get(&address)) {
            (Some(buffer), _) => buffer.read(0, &mut bytes),
            (None, Some(variable)) => variable.read(0, &mut bytes),
            (None, None) => return Err(format!("nothing is at {address:#x}")),
        };
        read.map(|()| bytes).map_err(words)
    }

    fn buffer(&self, address: u64) -> Option<&Buffer> {
        self.buffers.iter().find(|buffer| buffer.address() == address)
    }

    /// Runs a kernel to its end; `places` are offset and size of its parameters.
    // A failure ends the run and says much: its size costs nothing.
    #[allow(clippy::result_large_err)]
    pub(crate) fn run(&self, launch: &Launch, places: &[(u64, u64)]) -> Result<Report, Failure> {
        let extents = Extents {
            grid: launch.grid,
            block: launch.block,
            cluster: launch.cluster,
            shared: launch.dynamic_shared,
        };
        let parameters = packed(&launch.arguments, places);
        let refused = |error: Error| Failure::from(Fault::new(FaultKind::Launch, error.to_string()));
        let function = self.module.function(&launch.kernel).map_err(refused)?;
        function.launch(extents, &parameters).map_err(refused)?;
        // Which thread did something wrong and where, the driver does not tell.
        let ended = self.context.synchronise();
        ended.map_err(|error| Failure::from(Fault::new(kind(&error), error.to_string())))?;
        Ok(Report::default())
    }
}

/// The class of what a kernel did wrong, by the driver's number (CUDA driver API, `CUresult`).
fn kind(error: &Error) -> FaultKind {
    match error {
        Error::Call { code: 700, .. } => FaultKind::OutOfBounds,
        Error::Call { code: 710, .. } => FaultKind::Assert,
        // What `trap` gives too.
        Error::Call { code: 715, .. } => FaultKind::Trap,
        Error::Call { code: 716, .. } => FaultKind::Misaligned,
        Error::Call { code: 717, .. } => FaultKind::AddressSpace,
        Error::Call { code: 718, .. } => FaultKind::Call,
        _ => FaultKind::Launch,
    }
}

/// What a plan wants that is not done on a GPU, in words.
fn unsupported(plan: &Plan) -> Option<&'static str> {
    if !plan.tensor_maps.is_empty() {
        return Some("tensor maps are not supported");
    }
    if plan.textures.names().next().is_some() {
        return Some("textures, samplers and surfaces are not supported");
    }
    if plan.prints.is_some() {
        return Some("what kernels print (`prints`) cannot be compared");
    }
    if plan.fault.is_some() {
        return Some("an expected fault (`fault`) cannot be compared");
    }
    None
}

/// The bytes of all parameters.
fn packed(arguments: &[Vec<u8>], places: &[(u64, u64)]) -> Vec<u8> {
    let end = places.iter().map(|(offset, size)| offset + size).max().unwrap_or(0);
    let mut bytes = vec![0; end as usize];
    for (argument, &(offset, _)) in arguments.iter().zip(places) {
        if let Some(own) = bytes.get_mut(offset as usize..offset as usize + argument.len()) {
            own.copy_from_slice(argument);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_lie_at_their_offsets() {
        let arguments = [vec![1], vec![2, 3, 4, 5], vec![6]];
        let places = [(0, 1), (4, 4), (8, 1)];
        assert_eq!(packed(&arguments, &places), [1, 0, 0, 0, 2, 3, 4, 5, 6]);
        assert_eq!(packed(&[], &[]), [0; 0]);
    }
}
