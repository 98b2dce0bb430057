//! NVIDIA GPUs through the CUDA driver API, loaded at run time: nothing of CUDA is needed to build, and where there is no driver
//! [`Driver::load`] says so.
//!
//! **What enters**: PTX, which the driver compiles, or a cubin ([`Image`]); bytes for the device's memory; launches. **What leaves**: the bytes
//! that kernels left, or an [`Error`] with the driver's own name and text for it. What kernels print, the driver writes to standard output.
//!
//! **Invariants**
//! - `unsafe` is in the module `api` alone, which has the declarations and one safe function for each call.
//! - The library is never unloaded: its threads and handlers last as long as the process.
//! - Every handle keeps alive what it depends on: a [`Buffer`] or [`Module`] its [`Context`], a [`Function`] or [`Global`] its module.
//! - Copies are checked against the size of what they copy from or to.
//!
//! A kernel is a program of its own. On machines where the device reaches the host's memory (heterogeneous memory management), a wrong one can
//! write anything there, as a wrong child process with a debugger's rights could; launching it is trusting it.
//!
//! **Where to start**: [`Driver::load`], then [`Context`], [`Module`] and [`Function::launch`].
//!
//! ```no_run
//! use warpsmith_gpu::{Buffer, Context, Driver, Extents, Image, Module};
//!
//! # fn main() -> Result<(), warpsmith_gpu::Error> {
//! # let ptx = b"".as_slice();
//! let context = Context::new(Driver::load()?, 0)?;
//! let module = Module::load(&context, &Image::new(ptx)?)?;
//! let data = Buffer::new(&context, 1024)?;
//! data.write(0, &[1; 1024])?;
//! let block = Extents { block: [256, 1, 1], ..Extents::default() };
//! module.function("kernel")?.launch(block, &data.address().to_le_bytes())?;
//! context.synchronise()?;
//! # Ok(())
//! # }
//! ```

#[cfg(not(any(windows, all(unix, not(target_env = "musl")))))]
mod absent;
mod api;
mod error;
mod image;
mod tensor_map;

use std::rc::Rc;

use api::{Api, ContextHandle, DeviceHandle, FunctionHandle, ModuleHandle};

pub use error::Error;
pub use image::Image;
pub use tensor_map::{TensorMap, TensorShape};

/// The driver, loaded and initialised.
#[derive(Clone, Copy)]
pub struct Driver {
    api: &'static Api,
}

/// What a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Its name, such as "NVIDIA H200".
    pub name: String,
    /// Compute capability, major and minor: (9, 0) runs cubins of sm_90.
    pub capability: (u32, u32),
}

impl Driver {
    /// Loads the driver (`libcuda.so.1`, on Windows `nvcuda.dll`); once in a process.
    ///
    /// # Errors
    /// There is no driver, it is older than CUDA 11.8, or it finds no usable device.
    pub fn load() -> Result<Driver, Error> {
        let api = api::loaded()?;
        api.init()?;
        Ok(Driver { api })
    }

    /// The newest version of CUDA that the driver has, such as (13, 0).
    ///
    /// # Errors
    /// The driver's own.
    pub fn version(&self) -> Result<(u32, u32), Error> {
        let version = self.api.version()?;
        Ok((version / 1000, version % 1000 / 10))
    }

    /// How many devices there are.
    ///
    /// # Errors
    /// The driver's own.
    pub fn devices(&self) -> Result<usize, Error> {
        self.api.device_count()
    }

    /// The bytes of a tensor map, for a kernel's parameter or memory aligned to 64.
    ///
    /// # Errors
    /// Numbers that the driver refuses, lists of them whose lengths do not go together, or a driver older than CUDA 12.0.
    pub fn tensor_map(&self, map: &TensorMap) -> Result<[u8; TensorMap::BYTES], Error> {
        self.api.tensor_map(map)
    }

    /// What a device is; they are counted from 0.
    ///
    /// # Errors
    /// There is no such device.
    pub fn properties(&self, device: usize) -> Result<Properties, Error> {
        let device = self.device(device)?;
        Ok(Properties {
            name: self.api.device_name(device)?,
            capability: self.api.capability(device)?,
        })
    }

    fn device(&self, index: usize) -> Result<DeviceHandle, Error> {
        match self.devices()? {
            count if index < count => self.api.device(index),
            count => Err(Error::NoDevice { index, count }),
        }
    }
}

/// A device's primary context: where its modules and memory are. It stays on the thread that made it.
pub struct Context(Rc<Primary>);

struct Primary {
    api: &'static Api,
    device: DeviceHandle,
    context: ContextHandle,
}

impl Context {
    /// Takes a device, counted from 0.
    ///
    /// # Errors
    /// There is no such device, or the driver cannot set it up.
    pub fn new(driver: Driver, device: usize) -> Result<Context, Error> {
        let device = driver.device(device)?;
        let context = driver.api.retain(device)?;
        Ok(Context(Rc::new(Primary {
            api: driver.api,
            device,
            context,
        })))
    }

    /// Waits until all launches are done. Faults of kernels are told here; after one the context is of no further use.
    ///
    /// # Errors
    /// What a kernel did wrong, or the driver's own.
    pub fn synchronise(&self) -> Result<(), Error> {
        self.0.current()?.synchronise()
    }
}

impl Primary {
    /// Makes this the context of the calls that follow.
    fn current(&self) -> Result<&'static Api, Error> {
        self.api.set_current(self.context)?;
        Ok(self.api)
    }
}

impl Drop for Primary {
    fn drop(&mut self) {
        self.api.release(self.device);
    }
}

/// Memory of the device, freed when this is dropped.
pub struct Buffer {
    context: Rc<Primary>,
    address: u64,
    size: usize,
}

impl Buffer {
    /// Allocates so many bytes, at least 1, aligned to 256 or more. What they hold is not said.
    ///
    /// # Errors
    /// The device has not so much memory.
    pub fn new(context: &Context, size: usize) -> Result<Buffer, Error> {
        let size = size.max(1);
        let address = context.0.current()?.allocate(size)?;
        Ok(Buffer {
            context: Rc::clone(&context.0),
            address,
            size,
        })
    }

    /// Where it is on the device.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Its size in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Copies bytes to the device, from `offset` on.
    ///
    /// # Errors
    /// They do not fit, or an earlier launch failed.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), Error> {
        let address = within(self.address, self.size, offset, bytes.len())?;
        self.context.current()?.copy_to_device(address, bytes)
    }

    /// Copies bytes from the device, from `offset` on.
    ///
    /// # Errors
    /// There are not so many, or an earlier launch failed.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), Error> {
        let address = within(self.address, self.size, offset, bytes.len())?;
        self.context.current()?.copy_from_device(bytes, address)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Ok(api) = self.context.current() {
            api.free(self.address);
        }
    }
}

/// The address of bytes of something; an error where they are not all in it.
fn within(address: u64, size: usize, offset: usize, length: usize) -> Result<u64, Error> {
    match offset.checked_add(length) {
        Some(end) if end <= size => Ok(address + offset as u64),
        Some(_) | None => Err(Error::OutOfBounds { offset, length, size }),
    }
}

/// A module on the device.
pub struct Module(Rc<Code>);

struct Code {
    context: Rc<Primary>,
    module: ModuleHandle,
}

impl Module {
    /// Puts a module on the device; PTX is compiled first.
    ///
    /// # Errors
    /// The image is for another architecture, or PTX that the driver refuses, with the messages of its compiler.
    pub fn load(context: &Context, image: &Image) -> Result<Module, Error> {
        let module = context.0.current()?.load_module(image)?;
        Ok(Module(Rc::new(Code {
            context: Rc::clone(&context.0),
            module,
        })))
    }

    /// A kernel.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn function(&self, name: &str) -> Result<Function, Error> {
        let api = self.0.context.current()?;
        Ok(Function {
            function: api.function(self.0.module, name)?,
            module: Rc::clone(&self.0),
        })
    }

    /// A variable in global or constant memory.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn global(&self, name: &str) -> Result<Global, Error> {
        let (address, size) = self.0.context.current()?.global(self.0.module, name)?;
        Ok(Global {
            module: Rc::clone(&self.0),
            address,
            size,
        })
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Ok(api) = self.context.current() {
            api.unload(self.module);
        }
    }
}

/// A variable of a module.
pub struct Global {
    module: Rc<Code>,
    address: u64,
    size: usize,
}

impl Global {
    /// Where it is on the device.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Its size in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Copies bytes to it, from `offset` on.
    ///
    /// # Errors
    /// They do not fit, or an earlier launch failed.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), Error> {
        let address = within(self.address, self.size, offset, bytes.len())?;
        self.module.context.current()?.copy_to_device(address, bytes)
    }

    /// Copies bytes from it, from `offset` on.
    ///
    /// # Errors
    /// There are not so many, or an earlier launch failed.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), Error> {
        let address = within(self.address, self.size, offset, bytes.len())?;
        self.module.context.current()?.copy_from_device(bytes, address)
    }
}

/// How wide a launch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extents {
    /// CTAs in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a CTA in x, y and z.
    pub block: [u32; 3],
    /// CTAs of a cluster in x, y and z; ones: what the kernel itself requires, or no clusters.
    pub cluster: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
}

impl Default for Extents {
    fn default() -> Extents {
        Extents {
            grid: [1; 3],
            block: [1; 3],
            cluster: [1; 3],
            shared: 0,
        }
    }
}

/// A kernel of a module.
pub struct Function {
    module: Rc<Code>,
    function: FunctionHandle,
}

/// Clusters of more CTAs need the kernel's consent (CUDA driver API, `CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED`).
const PORTABLE_CLUSTER: u64 = 8;

impl Function {
    /// Starts the kernel, and does not wait for it: see [`Context::synchronise`]. `parameters` are the bytes of all parameters, each at its
    /// offset.
    ///
    /// # Errors
    /// A launch that the device cannot do, or an earlier one that failed.
    pub fn launch(&self, extents: Extents, parameters: &[u8]) -> Result<(), Error> {
        let api = self.module.context.current()?;
        if extents.shared > 0 {
            // More than 48 KiB are given to kernels that ask for it only.
            api.allow_shared(self.function, extents.shared)?;
        }
        let ctas: u64 = extents
            .cluster
            .iter()
            .map(|&size| u64::from(size))
            .fold(1, u64::saturating_mul);
        if ctas > PORTABLE_CLUSTER {
            api.allow_large_clusters(self.function)?;
        }
        api.launch(self.function, extents, parameters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_stay_inside() {
        assert_eq!(within(0x1000, 8, 4, 4), Ok(0x1004));
        for (offset, length) in [(8, 1), (0, 9), (usize::MAX, 1)] {
            let wanted = Error::OutOfBounds {
                offset,
                length,
                size: 8,
            };
            assert_eq!(within(0x1000, 8, offset, length), Err(wanted));
        }
    }

    /// Passes with and without a driver: either way the answer is a value or words.
    #[test]
    fn a_missing_driver_is_an_error() {
        match Driver::load() {
            Ok(driver) => assert!(driver.version().is_ok_and(|version| version >= (11, 8))),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}
