//! A plan on a GPU: memory, variables and launches by the CUDA driver.

use std::cell::RefCell;
use std::collections::BTreeMap;

use warpsmith_emu::{Failure, Fault, FaultKind, Launch, Report, Swizzle, TensorBox, TensorElement, TensorMap};
use warpsmith_gpu::{self as gpu, Buffer, Context, Driver, Error, Extents, Global, Image, Module};

use super::plan::Plan;

/// A module on a GPU, and the memory that belongs to it.
pub(crate) struct Gpu {
    module: Module,
    buffers: Vec<Buffer>,
    /// Variables that were asked for, by their address.
    variables: RefCell<BTreeMap<u64, Global>>,
    driver: Driver,
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
        let driver = Driver::load().map_err(words)?;
        let context = Context::new(driver, 0).map_err(words)?;
        let image = Image::new(image).map_err(words)?;
        Ok(Gpu {
            module: Module::load(&context, &image).map_err(words)?,
            buffers: Vec::new(),
            variables: RefCell::default(),
            driver,
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

    /// The bytes of a tensor map, as the driver makes them, and the address of a copy in memory.
    pub(crate) fn tensor_map(&mut self, map: &TensorMap) -> Result<(Vec<u8>, u64), String> {
        let bytes = self.driver.tensor_map(&for_driver(map)?).map_err(words)?;
        let address = self.allocate(bytes.len())?;
        self.write(address, &bytes)?;
        Ok((bytes.to_vec(), address))
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
    if let Some(what) = plan.tensor_maps.iter().find_map(|named| for_driver(&named.map).err()) {
        return Some(what);
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

/// A tensor map in the driver's terms.
fn for_driver(map: &TensorMap) -> Result<gpu::TensorMap, &'static str> {
    let rank = map.rank as usize;
    // `CUtensorMapDataType` and `CUtensorMapSwizzle` of the driver's header.
    let element = match map.element {
        TensorElement::U8 => 0,
        TensorElement::U16 => 1,
        TensorElement::U32 => 2,
        TensorElement::S32 => 3,
        TensorElement::U64 => 4,
        TensorElement::S64 => 5,
        TensorElement::F16 => 6,
        TensorElement::F32 => 7,
        TensorElement::F64 => 8,
        TensorElement::Bf16 => 9,
        TensorElement::F32Ftz => 10,
        TensorElement::Tf32 => 11,
        TensorElement::Tf32Ftz => 12,
        TensorElement::B4x16 => 13,
        TensorElement::B4x16P64 => 14,
        TensorElement::B6x16P32 => 15,
    };
    let swizzle = match map.swizzle {
        Swizzle::None => 0,
        Swizzle::B32 => 1,
        Swizzle::B64 => 2,
        Swizzle::B128 => 3,
        Swizzle::B128Atom32 => 4,
        Swizzle::B128Atom32Flip8 => 5,
        Swizzle::B128Atom64 => 6,
        Swizzle::B96 => return Err("tensor maps with a swizzle of 96 bytes are not supported"),
    };
    let shape = match map.shape {
        TensorBox::Tile(sizes) => gpu::TensorShape::Tile(sizes[..rank].to_vec()),
        TensorBox::Im2col {
            lower,
            upper,
            channels,
            pixels,
        } => gpu::TensorShape::Im2col {
            lower: lower[..rank - 2].to_vec(),
            upper: upper[..rank - 2].to_vec(),
            channels,
            pixels,
        },
        TensorBox::Im2colWide { .. } => {
            return Err("tensor maps for im2col along W alone are not supported");
        }
    };
    Ok(gpu::TensorMap {
        element,
        address: map.address,
        sizes: map.sizes[..rank].to_vec(),
        strides: map.strides[..rank - 1].to_vec(),
        element_strides: map.element_strides[..rank].to_vec(),
        shape,
        interleave: map.interleave,
        swizzle,
        promotion: 0,
        fill: u32::from(map.fill_nan),
    })
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
