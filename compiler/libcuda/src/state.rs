//! The one device, its modules, and the memory that kernels share with the host.

use std::{collections::BTreeMap, fmt};

use warpsmith_cubin::{Cubin, Eiattr};
use warpsmith_emu::{Device, Launch, Options, TensorMap, sass};
use warpsmith_target::Sm;

/// `CUresult`, of those that are given here (CUDA driver API, "Data types used by CUDA driver").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Code {
    Success = 0,
    InvalidValue = 1,
    OutOfMemory = 2,
    InvalidSymbol = 13,
    InvalidDeviceFunction = 98,
    InvalidDevice = 101,
    InvalidImage = 200,
    NoBinary = 209,
    InvalidPtx = 218,
    InvalidHandle = 400,
    NotFound = 500,
    LaunchFailed = 719,
    Unknown = 999,
}

impl Code {
    /// All of them, with the names and words that programs ask for. Each text ends with a zero byte.
    #[rustfmt::skip]
    pub(crate) const ALL: [(Code, &'static str, &'static str); 13] = [
        (Code::Success,       "CUDA_SUCCESS\0",                 "no error\0"),
        (Code::InvalidValue,  "CUDA_ERROR_INVALID_VALUE\0",     "invalid argument\0"),
        (Code::OutOfMemory,   "CUDA_ERROR_OUT_OF_MEMORY\0",     "out of memory\0"),
        (Code::InvalidSymbol, "cudaErrorInvalidSymbol\0",       "invalid device symbol\0"),
        (Code::InvalidDeviceFunction, "cudaErrorInvalidDeviceFunction\0", "invalid device function\0"),
        (Code::InvalidDevice, "CUDA_ERROR_INVALID_DEVICE\0",    "invalid device ordinal\0"),
        (Code::InvalidImage,  "CUDA_ERROR_INVALID_IMAGE\0",     "device kernel image is invalid\0"),
        (Code::NoBinary,      "CUDA_ERROR_NO_BINARY_FOR_GPU\0", "no kernel image is available for execution on the device\0"),
        (Code::InvalidPtx,    "CUDA_ERROR_INVALID_PTX\0",       "a PTX JIT compilation failed\0"),
        (Code::InvalidHandle, "CUDA_ERROR_INVALID_HANDLE\0",    "invalid resource handle\0"),
        (Code::NotFound,      "CUDA_ERROR_NOT_FOUND\0",         "named symbol not found\0"),
        (Code::LaunchFailed,  "CUDA_ERROR_LAUNCH_FAILED\0",     "unspecified launch failure\0"),
        (Code::Unknown,       "CUDA_ERROR_UNKNOWN\0",           "unknown error\0"),
    ];
}

/// Why a call fails, with words for standard error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failed {
    pub(crate) code: Code,
    pub(crate) reason: String,
}

impl Failed {
    pub(crate) fn new(code: Code, reason: impl fmt::Display) -> Failed {
        Failed {
            code,
            reason: reason.to_string(),
        }
    }
}

/// What the variables of the environment say.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) sm: Sm,
    pub(crate) multiprocessors: u32,
    options: Options,
    trace: bool,
}

impl Settings {
    /// Reads them; `variable` gives one of them.
    ///
    /// # Errors
    /// A value that none has, in words.
    pub(crate) fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Settings, String> {
        let number = |name: &str, default: u64| match variable(name) {
            None => Ok(default),
            Some(text) => text
                .parse()
                .map_err(|_| format!("{name} is '{text}', which is no number")),
        };
        let mut options = Options {
            seed: number("WARPSMITH_GPU_SEED", 0)?,
            threads: number("WARPSMITH_GPU_THREADS", 0)? as usize,
            step_budget: number("WARPSMITH_GPU_STEPS", Options::default().step_budget)?,
            ..Options::default()
        };
        let checks = variable("WARPSMITH_GPU_CHECK").unwrap_or_default();
        for check in checks.split(',').filter(|check| !check.is_empty()) {
            match check {
                "hazards" => options.check_hazards = true,
                "registers" => options.check_registers = true,
                "uninitialised" => options.check_uninitialised = true,
                other => return Err(format!("WARPSMITH_GPU_CHECK has no '{other}'")),
            }
        }
        let target = variable("WARPSMITH_GPU").unwrap_or_else(|| "sm_90a".to_string());
        Ok(Settings {
            sm: target.parse().map_err(|error| format!("WARPSMITH_GPU: {error}"))?,
            multiprocessors: number("WARPSMITH_GPU_SMS", 8)?.clamp(1, 1 << 16) as u32,
            options,
            trace: variable("WARPSMITH_GPU_TRACE").is_some_and(|text| text == "1"),
        })
    }
}

/// A kernel of a module, with what launches and programs want to know of it.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    module: usize,
    name: String,
    /// Offset and size in bytes of each parameter.
    pub(crate) parameters: Vec<(u64, u64)>,
    pub(crate) registers: u32,
    pub(crate) static_shared: u32,
    pub(crate) local: u32,
}

/// Extents of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extents {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cluster: [u32; 3],
    pub(crate) shared: u32,
}

#[derive(Debug)]
struct Module {
    cubin: Cubin,
    loaded: sass::Loaded,
}

/// Bytes that a piece of the host's memory is a multiple of for kernels.
const UNIT: u64 = 16;

/// Memory of the host, as kernels and the host pass it to each other.
pub(crate) trait HostMemory {
    /// The bytes at an address.
    fn read(&self, address: u64, length: usize) -> Vec<u8>;
    /// Replaces them.
    fn write(&self, address: u64, bytes: &[u8]);
}

/// All that the library keeps.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) settings: Settings,
    pub(crate) device: Device,
    /// Those that were unloaded are none.
    modules: Vec<Option<Module>>,
    kernels: Vec<Kernel>,
    /// Memory of the host: address and bytes.
    registered: BTreeMap<u64, u64>,
}

impl State {
    pub(crate) fn new(settings: Settings) -> State {
        State {
            settings,
            device: Device::new(),
            modules: Vec::new(),
            kernels: Vec::new(),
            registered: BTreeMap::new(),
        }
    }

    /// Loads a cubin; its number.
    pub(crate) fn load(&mut self, cubin: Cubin) -> Result<usize, Failed> {
        let loaded = sass::load(&mut self.device, &cubin).map_err(|fault| Failed::new(Code::InvalidImage, fault))?;
        self.modules.push(Some(Module { cubin, loaded }));
        Ok(self.modules.len() - 1)
    }

    pub(crate) fn unload(&mut self, module: usize) -> Result<(), Failed> {
        match self.modules.get_mut(module).and_then(Option::take) {
            Some(_) => Ok(()),
            None => Err(Failed::new(Code::InvalidHandle, "there is no such module")),
        }
    }

    fn module(&self, module: usize) -> Result<&Module, Failed> {
        let found = self.modules.get(module).and_then(Option::as_ref);
        found.ok_or_else(|| Failed::new(Code::InvalidHandle, "there is no such module"))
    }

    /// The kernel of a name; its number.
    pub(crate) fn kernel(&mut self, module: usize, name: &str) -> Result<usize, Failed> {
        let Module { cubin, loaded } = self.module(module)?;
        let Some(parameters) = loaded.parameter_places(name) else {
            return Err(Failed::new(Code::NotFound, format!("there is no kernel '{name}'")));
        };
        let size = |section: String| {
            cubin
                .section_by_name(&section)
                .map_or(0, |(_, found)| found.size() as u32)
        };
        self.kernels.push(Kernel {
            module,
            name: name.to_string(),
            parameters,
            registers: registers(cubin, name),
            static_shared: size(format!(".nv.shared.{name}")),
            local: size(format!(".nv.local.{name}")),
        });
        Ok(self.kernels.len() - 1)
    }

    /// The kernel of a number.
    pub(crate) fn known(&self, kernel: usize) -> Result<&Kernel, Failed> {
        let found = self.kernels.get(kernel);
        found.ok_or_else(|| Failed::new(Code::InvalidHandle, "there is no such function"))
    }

    /// Address and size of a variable.
    pub(crate) fn variable(&self, module: usize, name: &str) -> Result<(u64, u64), Failed> {
        let found = self.module(module)?.loaded.variable(name);
        found.ok_or_else(|| Failed::new(Code::NotFound, format!("there is no variable '{name}'")))
    }

    /// Gives kernels memory of the host, at its own address.
    pub(crate) fn register(&mut self, address: u64, bytes: u64) -> Result<(), Failed> {
        let overlaps = self
            .registered
            .range(..address.saturating_add(bytes))
            .next_back()
            .is_some_and(|(start, length)| start + length > address);
        if bytes == 0 || address == 0 || overlaps {
            let reason = format!("{bytes} bytes at {address:#x} cannot be registered");
            return Err(Failed::new(Code::InvalidValue, reason));
        }
        self.registered.insert(address, bytes);
        Ok(())
    }

    pub(crate) fn unregister(&mut self, address: u64) -> Result<(), Failed> {
        match self.registered.remove(&address) {
            Some(_) => Ok(()),
            None => Err(Failed::new(
                Code::InvalidValue,
                format!("{address:#x} is not registered"),
            )),
        }
    }

    /// Whether so many bytes at an address are registered memory of the host, of one piece.
    pub(crate) fn is_registered(&self, address: u64, bytes: usize) -> bool {
        let before = self.registered.range(..=address).next_back();
        before.is_some_and(|(start, length)| {
            let left = length.saturating_sub(address - start);
            left > 0 && bytes as u64 <= left
        })
    }

    /// Runs a kernel to its end.
    pub(crate) fn launch(
        &mut self,
        kernel: usize,
        extents: Extents,
        arguments: Vec<Vec<u8>>,
        host: &impl HostMemory,
    ) -> Result<(), Failed> {
        let kernel = self.known(kernel)?.clone();
        let launch = Launch {
            kernel: kernel.name.clone(),
            grid: extents.grid,
            block: extents.block,
            cluster: extents.cluster,
            dynamic_shared: extents.shared,
            arguments,
        };
        self.module(kernel.module)?;
        let outcome = self.share(host).and_then(|()| {
            let Some(Some(module)) = self.modules.get(kernel.module) else {
                return Err(Failed::new(Code::InvalidHandle, "there is no such module"));
            };
            let run = sass::run(&mut self.device, &module.loaded, &launch, &self.settings.options);
            run.map_err(|failure| Failed::new(Code::LaunchFailed, failure))
        });
        self.take_back(host);
        if self.settings.trace || outcome.is_err() {
            let Launch {
                grid, block, cluster, ..
            } = &launch;
            let how = if outcome.is_ok() { "done" } else { "failed" };
            eprintln!(
                "warpsmith: {} grid {grid:?} block {block:?} cluster {cluster:?}: {how}",
                kernel.name
            );
        }
        outcome.map(|_| ())
    }

    /// Copies registered memory of the host to the device, where each piece ends with a unit of [`UNIT`] bytes: atomic operations on 16 bits work
    /// on the word around. What is behind the piece is not the program's to be read or written.
    fn share(&mut self, host: &impl HostMemory) -> Result<(), Failed> {
        for (&address, &bytes) in &self.registered {
            let failed = |fault| Failed::new(Code::InvalidValue, fault);
            let next = self
                .registered
                .range(address + 1..)
                .next()
                .map_or(u64::MAX, |(start, _)| *start);
            let end = (address + bytes).next_multiple_of(UNIT).min(next);
            self.device.allocate_at(address, end - address).map_err(failed)?;
            let held = host.read(address, bytes as usize);
            self.device.write(address, &held).map_err(failed)?;
        }
        Ok(())
    }

    /// Copies what kernels have changed of it back.
    fn take_back(&mut self, host: &impl HostMemory) {
        for (&address, &bytes) in &self.registered {
            if let Ok(held) = self.device.read(address, bytes)
                && held != host.read(address, bytes as usize)
            {
                host.write(address, &held);
            }
            // What was not allocated, after a failure, is not to be freed either.
            let _ = self.device.free(address);
        }
    }
}

/// Registers of a thread of a kernel.
fn registers(cubin: &Cubin, name: &str) -> u32 {
    let own = cubin
        .section_by_name(&format!(".text.{name}"))
        .map_or(0, |(_, section)| section.register_count());
    let of_symbol = |symbol: u32| {
        cubin
            .symbols()
            .get(symbol as usize)
            .is_some_and(|known| known.name == name)
    };
    let records = cubin
        .section_by_name(".nv.info")
        .and_then(|(index, _)| cubin.info_records(index).ok());
    let noted = records
        .iter()
        .flatten()
        .filter(|record| record.attribute == Eiattr::REGCOUNT);
    let found = noted.into_iter().find_map(|record| match record.value.words()?[..] {
        [symbol, count] if of_symbol(symbol) => Some(count),
        _ => None,
    });
    found.unwrap_or(own)
}

/// The bytes of a tensor map.
pub(crate) fn encode(map: &TensorMap) -> Result<[u8; warpsmith_emu::TENSOR_MAP_BYTES], Failed> {
    map.encode().map_err(|fault| Failed::new(Code::InvalidValue, fault))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::image;

    /// Each thread doubles its word.
    const PTX: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry double(.param .u64 data)
{
    .reg .b32 index, value;
    .reg .b64 at, start;
    ld.param.u64 start, [data];
    mov.u32 index, %tid.x;
    mad.wide.u32 at, index, 4, start;
    ld.u32 value, [at];
    add.u32 value, value, value;
    st.u32 [at], value;
    ret;
}
";

    struct Words(RefCell<Vec<u8>>);

    impl HostMemory for Words {
        fn read(&self, _: u64, length: usize) -> Vec<u8> {
            self.0.borrow()[..length].to_vec()
        }

        fn write(&self, _: u64, bytes: &[u8]) {
            self.0.borrow_mut()[..bytes.len()].copy_from_slice(bytes);
        }
    }

    fn settings(pairs: &[(&str, &str)]) -> Result<Settings, String> {
        Settings::read(|name| {
            let found = pairs.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_string())
        })
    }

    #[test]
    fn a_launch_ends_after_the_instructions_that_are_set() {
        let given = settings(&[("WARPSMITH_GPU_STEPS", "1000")]).expect("a number");
        assert_eq!(given.options.step_budget, 1000);
        assert!(settings(&[("WARPSMITH_GPU_STEPS", "few")]).is_err());
    }

    #[test]
    fn settings_are_read_or_refused() {
        let plain = settings(&[]).expect("the usual");
        assert_eq!((plain.sm, plain.multiprocessors), (Sm::Sm90a, 8));
        let given = settings(&[
            ("WARPSMITH_GPU", "120a"),
            ("WARPSMITH_GPU_SMS", "132"),
            ("WARPSMITH_GPU_CHECK", "hazards,registers"),
        ]);
        let given = given.expect("they are right");
        assert_eq!((given.sm, given.multiprocessors), (Sm::Sm120a, 132));
        assert!(given.options.check_hazards && given.options.check_registers && !given.options.check_uninitialised);
        let refused = |name, value| settings(&[(name, value)]).expect_err("it is wrong");
        assert_eq!(
            refused("WARPSMITH_GPU_SMS", "many"),
            "WARPSMITH_GPU_SMS is 'many', which is no number"
        );
        assert_eq!(
            refused("WARPSMITH_GPU_CHECK", "races"),
            "WARPSMITH_GPU_CHECK has no 'races'"
        );
        assert!(refused("WARPSMITH_GPU", "sm_12").starts_with("WARPSMITH_GPU: unknown target 'sm_12'"));
    }

    #[test]
    fn kernels_work_on_registered_memory() {
        let mut state = State::new(settings(&[]).expect("the usual"));
        let cubin = image::compiled(PTX.as_bytes(), Sm::Sm90a).expect("it compiles");
        let module = state.load(cubin).expect("it loads");
        let kernel = state.kernel(module, "double").expect("it is there");
        let address: u64 = 0x5555_0000_1000;
        let words = Words(RefCell::new(vec![1, 0, 0, 0, 2, 0, 0, 0]));
        let extents = Extents {
            grid: [1; 3],
            block: [2, 1, 1],
            cluster: [1; 3],
            shared: 0,
        };
        let arguments = vec![address.to_le_bytes().to_vec()];
        state.register(address, 8).expect("it is free");
        assert!(state.register(address + 4, 8).is_err(), "it overlaps");
        assert!(state.is_registered(address + 7, 1) && !state.is_registered(address + 8, 1));
        state
            .launch(kernel, extents, arguments.clone(), &words)
            .expect("it runs");
        assert_eq!(*words.0.borrow(), [2, 0, 0, 0, 4, 0, 0, 0]);
        // Of the second word only two bytes are the host's.
        state.unregister(address).expect("it is registered");
        state.register(address, 6).expect("it is free");
        let short = Words(RefCell::new(vec![3, 0, 0, 0, 4, 0]));
        state
            .launch(kernel, extents, arguments.clone(), &short)
            .expect("it runs");
        assert_eq!(*short.0.borrow(), [6, 0, 0, 0, 8, 0]);
        state.unregister(address).expect("it is registered");
        let failed = state
            .launch(kernel, extents, arguments, &words)
            .expect_err("nothing is there");
        assert_eq!(failed.code, Code::LaunchFailed);
    }
}
