//! Running kernels with no GPU: buffers in, a launch, buffers out.
//!
//! ```
//! use warpsmith::emulator::Emulator;
//! use warpsmith::{Options, Session, Sm, Source};
//!
//! let source = Source::cuda("saxpy.cu", "
//!     extern \"C\" __global__ void saxpy(int n, float a, const float *x, float *y) {
//!         int i = blockIdx.x * blockDim.x + threadIdx.x;
//!         if (i < n) y[i] = a * x[i] + y[i];
//!     }");
//! let cubin = Session::new(Options::new(Sm::Sm90)).compile(&source)?.cubin.unwrap();
//!
//! let mut emulator = Emulator::load(&cubin)?;
//! let x = emulator.buffer_of(&[1.0_f32, 2.0, 3.0, 4.0])?;
//! let y = emulator.buffer_of(&[10.0_f32; 4])?;
//! emulator.launch("saxpy", [2, 1, 1], [2, 1, 1], &[4_i32.into(), 2.0_f32.into(), x.into(), y.into()])?;
//! assert_eq!(emulator.read::<f32>(y)?, [12.0, 14.0, 16.0, 18.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod faults;
mod kernels;

use std::fmt;

use warpsmith_base::Diagnostic;
use warpsmith_emu::{Device, ptx, sass};

pub use faults::{ElementType, Named, Text, diagnose};
pub use kernels::kernel_of;
pub use warpsmith_emu::{Fault, FaultKind, Launch, Options, Report};

use crate::{Failure, Ptx, listing};

/// Why a run stopped: which thread did what wrong, at which instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunError(Box<Fault>);

impl RunError {
    /// The fault.
    pub fn fault(&self) -> &Fault {
        &self.0
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for RunError {}

impl From<Fault> for RunError {
    fn from(fault: Fault) -> RunError {
        RunError(Box::new(fault))
    }
}

/// A module in the memory of an emulated device.
#[derive(Debug)]
pub struct Emulator {
    device: Device,
    code: Code,
    /// How launches run: checks, the order of warps, the budget of instructions.
    pub options: Options,
}

#[derive(Debug)]
enum Code {
    Ptx(ptx::Loaded),
    Machine(sass::Loaded),
}

/// Memory of the device. It belongs to the emulator that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    address: u64,
    bytes: u64,
}

impl Buffer {
    /// Its address on the device.
    pub fn address(self) -> u64 {
        self.address
    }

    /// Its size in bytes.
    pub fn size(self) -> u64 {
        self.bytes
    }
}

/// The bytes of a kernel's parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument(Vec<u8>);

impl Argument {
    /// A parameter of any type, a structure say, by its bytes.
    pub fn of_bytes(bytes: impl Into<Vec<u8>>) -> Argument {
        Argument(bytes.into())
    }
}

/// The buffer's address.
impl From<Buffer> for Argument {
    fn from(buffer: Buffer) -> Argument {
        Argument(buffer.address.to_le_bytes().to_vec())
    }
}

/// A number that buffers hold and kernels take.
pub trait Element: Copy {
    /// Its bytes, the lowest first, at the end of `out`.
    fn put(self, out: &mut Vec<u8>);
    /// The numbers of these bytes; what does not fill one is left out.
    fn all(bytes: &[u8]) -> Vec<Self>;
}

macro_rules! elements {
    ($($number:ty),*) => {$(
        impl Element for $number {
            fn put(self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }

            fn all(bytes: &[u8]) -> Vec<$number> {
                let (numbers, _) = bytes.as_chunks();
                numbers.iter().map(|bytes| <$number>::from_le_bytes(*bytes)).collect()
            }
        }

        impl From<$number> for Argument {
            fn from(number: $number) -> Argument {
                Argument(number.to_le_bytes().to_vec())
            }
        }
    )*};
}
elements!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

/// The alignment of buffers, in bytes, as that of `cudaMalloc`.
const ALIGNMENT: u64 = 256;

impl Emulator {
    /// Loads machine code.
    ///
    /// # Errors
    /// Bytes that are no cubin, or one that cannot be loaded: a variable that nothing defines, say.
    pub fn load(cubin: &[u8]) -> Result<Emulator, Failure> {
        let cubin = listing::read(cubin)?;
        let mut device = Device::new();
        let code = sass::load(&mut device, &cubin).map(Code::Machine);
        Emulator::of(device, code)
    }

    /// Loads PTX, which is then interpreted: what a kernel does does not depend on the back end.
    ///
    /// # Errors
    /// As of [`Emulator::load`].
    pub fn load_ptx(ptx: &Ptx) -> Result<Emulator, Failure> {
        let mut device = Device::new();
        let code = ptx::load(&mut device, &ptx.module).map(Code::Ptx);
        Emulator::of(device, code)
    }

    fn of(device: Device, code: Result<Code, Fault>) -> Result<Emulator, Failure> {
        let code = code.map_err(|fault| Failure::rejected(Diagnostic::error(fault.to_string())))?;
        Ok(Emulator {
            device,
            code,
            options: Options::default(),
        })
    }

    /// Memory with these bytes.
    ///
    /// # Errors
    /// Where the host has not as much.
    pub fn buffer(&mut self, bytes: &[u8]) -> Result<Buffer, RunError> {
        let size = bytes.len() as u64;
        let address = self.device.allocate(size, ALIGNMENT);
        self.device.write(address, bytes)?;
        Ok(Buffer { address, bytes: size })
    }

    /// Memory with these numbers.
    ///
    /// # Errors
    /// Where the host has not as much.
    pub fn buffer_of<T: Element>(&mut self, numbers: &[T]) -> Result<Buffer, RunError> {
        let mut bytes = Vec::with_capacity(std::mem::size_of_val(numbers));
        numbers.iter().for_each(|number| number.put(&mut bytes));
        self.buffer(&bytes)
    }

    /// The numbers that a buffer holds now; `u8`: its bytes.
    ///
    /// # Errors
    /// A buffer of another emulator.
    pub fn read<T: Element>(&self, buffer: Buffer) -> Result<Vec<T>, RunError> {
        Ok(T::all(&self.device.read(buffer.address, buffer.bytes)?))
    }

    /// The memory of a module's variable, by its name in the PTX.
    pub fn variable(&self, name: &str) -> Option<Buffer> {
        let place = match &self.code {
            Code::Ptx(loaded) => loaded.variable(name),
            Code::Machine(loaded) => loaded.variable(name),
        };
        place.map(|(address, bytes)| Buffer { address, bytes })
    }

    /// The kernels, by the names that linkers know them by, in the module's order.
    pub fn kernels(&self) -> Vec<&str> {
        match &self.code {
            Code::Ptx(loaded) => loaded.kernels(),
            Code::Machine(loaded) => loaded.kernels(),
        }
    }

    /// The bytes of each parameter of a kernel.
    pub fn parameters(&self, kernel: &str) -> Option<Vec<u64>> {
        match &self.code {
            Code::Ptx(loaded) => {
                let parameters = loaded.parameters(kernel)?;
                Some(parameters.into_iter().map(|(size, _)| size).collect())
            }
            Code::Machine(loaded) => loaded.parameters(kernel),
        }
    }

    /// The kernel that is meant, as [`kernel_of`] finds it.
    ///
    /// # Errors
    /// That there is none, or several.
    pub fn kernel(&self, name: Option<&str>) -> Result<&str, String> {
        kernel_of(&self.kernels(), name)
    }

    /// Runs a kernel to its end: so many CTAs of so many threads in x, y and z. The report says what it printed.
    ///
    /// # Errors
    /// The first fault: an access outside every buffer, threads that wait for each other for ever, arguments that do not fit, and so on. Memory is as
    /// the kernel left it.
    pub fn launch(
        &mut self,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        arguments: &[Argument],
    ) -> Result<Report, RunError> {
        self.launch_as(&Launch {
            grid,
            block,
            arguments: arguments.iter().map(|Argument(bytes)| bytes.clone()).collect(),
            ..Launch::of(kernel)
        })
    }

    /// [`Emulator::launch`] with all that a launch may say: clusters, dynamic shared memory, whether it is cooperative.
    ///
    /// # Errors
    /// As of [`Emulator::launch`].
    pub fn launch_as(&mut self, launch: &Launch) -> Result<Report, RunError> {
        let report = match &self.code {
            Code::Ptx(loaded) => ptx::run(&mut self.device, loaded, launch, &self.options),
            Code::Machine(loaded) => sass::run(&mut self.device, loaded, launch, &self.options),
        };
        report.map_err(|failure| RunError::from(failure.fault))
    }
}
