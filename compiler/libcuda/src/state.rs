//! The one device, its contexts and modules, and the memory that kernels share with the host.

use std::{collections::BTreeMap, sync::atomic::AtomicU64, time::Instant};

use warpsmith_cubin::{Cubin, Eiattr};
use warpsmith_emu::{Device, FaultKind, Launch, Options, sass, texture::ImageId};
use warpsmith_target::Sm;

use crate::device;
use crate::driver::link::Linker;
use crate::library::Libraries;
use crate::result::{Code, Failed};

pub(crate) mod array;
pub(crate) mod graph;
pub(crate) mod ipc;
pub(crate) mod virtual_memory;

/// What the variables of the environment say.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) sm: Sm,
    pub(crate) multiprocessors: u32,
    pub(crate) options: Options,
    /// Allocations and shared memory end where they were asked to, and not at the unit of the device.
    strict: bool,
    /// A launch gives the fault of its kernel itself.
    blocking: bool,
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
        let is_set = |name: &str| variable(name).is_some_and(|text| text == "1");
        let multiprocessors = number("WARPSMITH_GPU_SMS", 8)?.clamp(1, 1 << 16) as u32;
        let strict = is_set("WARPSMITH_GPU_STRICT");
        options.multiprocessors = multiprocessors;
        options.padded_shared = !strict;
        // No call of the driver's interface asks for them.
        options.memory_statistics = false;
        let target = variable("WARPSMITH_GPU").unwrap_or_else(|| "sm_90a".to_string());
        Ok(Settings {
            sm: target.parse().map_err(|error| format!("WARPSMITH_GPU: {error}"))?,
            multiprocessors,
            options,
            strict,
            blocking: is_set("CUDA_LAUNCH_BLOCKING"),
            trace: is_set("WARPSMITH_GPU_TRACE"),
        })
    }
}

/// A context: what a fault of a kernel ends.
#[derive(Debug, Default)]
pub(crate) struct Context {
    /// What a kernel did, which every later call gives.
    fault: Option<Code>,
    /// A call has given the fault.
    told: bool,
    /// Holders of the primary context; of others 1, until they are destroyed.
    pub(crate) held: u32,
    pub(crate) flags: u32,
}

impl Context {
    /// One that a program has made.
    pub(crate) fn new(flags: u32) -> Context {
        Context {
            held: 1,
            flags,
            ..Context::default()
        }
    }
}

/// A context by its place; the first is the primary one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContextId(pub(crate) usize);

/// The context that the runtime API works in.
pub(crate) const PRIMARY: ContextId = ContextId(0);

/// A kernel of a module, with what launches and programs want to know of it.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) module: usize,
    pub(crate) name: String,
    /// Offset and size in bytes of each parameter.
    pub(crate) parameters: Vec<(u64, u64)>,
    pub(crate) registers: u32,
    pub(crate) static_shared: u32,
    pub(crate) local: u32,
    pub(crate) constant: u32,
    /// Threads of a CTA at most.
    pub(crate) threads: u32,
    /// CTAs of a cluster, where the kernel says it.
    pub(crate) cluster: Option<[u32; 3]>,
    /// Dynamic shared memory that programs have allowed it.
    pub(crate) dynamic_limit: u32,
    pub(crate) non_portable_cluster: bool,
}

/// Extents of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extents {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cluster: [u32; 3],
    pub(crate) shared: u32,
    /// All CTAs are resident at once.
    pub(crate) cooperative: bool,
}

#[derive(Debug)]
struct Module {
    cubin: Cubin,
    loaded: sass::Loaded,
    context: ContextId,
}

/// Whose a piece of memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Device,
    /// The host's, given by the library (`cudaMallocHost`).
    Pinned,
    /// Shared by both (`cudaMallocManaged`).
    Managed,
    /// The program's own (`cudaHostRegister`).
    Registered,
    /// The device's, of another process (`cudaIpcOpenMemHandle`).
    Other,
}

/// Memory that programs have asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) start: u64,
    pub(crate) bytes: u64,
    pub(crate) owner: Owner,
    pub(crate) flags: u32,
    /// Where kernels have it from.
    mapped: u64,
    context: ContextId,
}

/// Where memory is (`CUmemLocation`): the kind, 0 where nothing was said, and the number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) kind: u32,
    pub(crate) id: i32,
}

/// What programs have advised of managed memory. It is all in one place here, so that nothing follows from it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Advice {
    pub(crate) read_mostly: bool,
    pub(crate) preferred: Location,
    pub(crate) accessed_by: Vec<Location>,
    pub(crate) prefetched: Location,
}

/// A stream, in which everything is done when its call returns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream {
    pub(crate) flags: u32,
    pub(crate) priority: i32,
    context: ContextId,
}

/// An event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) flags: u32,
    pub(crate) recorded: Option<Instant>,
    context: ContextId,
}

/// Limits of the device (`CUlimit`) that programs set.
pub(crate) const LIMITS: usize = 7;
const STACK_LIMIT: usize = 0;
/// What they are at first: stack, `printf` buffer, heap, depth, launches waiting, L2 granularity, persisting L2.
const FIRST_LIMITS: [usize; LIMITS] = [1024, 1 << 20, 8 << 20, 2, 2048, 64, 0];

/// Bytes of which allocations are multiples on a GPU.
const ALLOCATION_UNIT: u64 = 512;

/// What programs set and ask of the pool of memory, which all memory of the device is from.
#[derive(Debug)]
pub(crate) struct Pool {
    /// When memory that was freed is used again, by three attributes; all are true at first, and without effect, since calls are done when they return.
    pub(crate) policies: [u32; 3],
    /// How many bytes stay with the pool.
    pub(crate) threshold: u64,
    /// Bytes that were allocated at most.
    pub(crate) most: u64,
}

impl Default for Pool {
    fn default() -> Pool {
        Pool {
            policies: [1; 3],
            threshold: 0,
            most: 0,
        }
    }
}

/// All that the library keeps.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) settings: Settings,
    device: Device,
    pub(crate) is_initialized: bool,
    pub(crate) contexts: Vec<Context>,
    /// Those that were unloaded are none.
    modules: Vec<Option<Module>>,
    kernels: Vec<Kernel>,
    pub(crate) libraries: Libraries,
    memory: BTreeMap<u64, Piece>,
    /// By the start of the memory.
    pub(crate) advice: BTreeMap<u64, Advice>,
    /// Those that were destroyed are none.
    arrays: Vec<Option<array::Array>>,
    /// Textures and surfaces by their handles, and whose they are.
    objects: BTreeMap<u64, ContextId>,
    /// The images of textures of linear memory, which are theirs alone.
    linear_images: BTreeMap<u64, ImageId>,
    pub(crate) graphs: graph::Graphs,
    linkers: Vec<Option<Linker>>,
    pub(crate) streams: Vec<Option<Stream>>,
    /// By handle and number, as programs set them.
    pub(crate) stream_attributes: BTreeMap<(usize, u32), [u64; 8]>,
    pub(crate) events: Vec<Option<Event>>,
    pub(crate) limits: [usize; LIMITS],
    pub(crate) pool: Pool,
    pub(crate) virtual_memory: virtual_memory::VirtualMemory,
    shares: ipc::Shares,
    /// How often the primary context was reset: what belonged to it before is gone.
    pub(crate) resets: u64,
}

impl State {
    pub(crate) fn new(settings: Settings) -> State {
        State {
            settings,
            device: Device::new(),
            is_initialized: false,
            contexts: vec![Context::default()],
            modules: Vec::new(),
            kernels: Vec::new(),
            libraries: Libraries::default(),
            memory: BTreeMap::new(),
            advice: BTreeMap::new(),
            arrays: Vec::new(),
            objects: BTreeMap::new(),
            linear_images: BTreeMap::new(),
            graphs: graph::Graphs::default(),
            linkers: Vec::new(),
            streams: Vec::new(),
            stream_attributes: BTreeMap::new(),
            events: Vec::new(),
            limits: FIRST_LIMITS,
            pool: Pool::default(),
            virtual_memory: virtual_memory::VirtualMemory::default(),
            shares: ipc::Shares::default(),
            resets: 0,
        }
    }

    pub(crate) fn initialized(&self) -> Result<(), Failed> {
        match self.is_initialized {
            true => Ok(()),
            false => Err(Failed::new(Code::NotInitialized, "cuInit has not been called")),
        }
    }

    pub(crate) fn context(&mut self, id: ContextId) -> Result<&mut Context, Failed> {
        let found = self.contexts.get_mut(id.0).filter(|context| context.held > 0);
        found.ok_or_else(|| Failed::new(Code::InvalidContext, "the context has been destroyed"))
    }

    /// Gives the fault of a context, if a kernel of it made one.
    pub(crate) fn healthy(&mut self, id: ContextId) -> Result<(), Failed> {
        let context = self.context(id)?;
        match context.fault {
            Some(code) => {
                context.told = true;
                Err(Failed::silent(code))
            }
            None => Ok(()),
        }
    }

    /// The fault that a call has given already.
    pub(crate) fn told(&self, id: ContextId) -> Option<Code> {
        let context = self.contexts.get(id.0)?;
        context.fault.filter(|_| context.told)
    }

    /// Ends a context: all that is of it goes. Gives memory of the host that is to be given back.
    pub(crate) fn end(&mut self, id: ContextId) -> Vec<Piece> {
        let is_own = |piece: &Piece| piece.context == id;
        let pieces: Vec<Piece> = self.memory.values().copied().filter(is_own).collect();
        for piece in &pieces {
            self.memory.remove(&piece.start);
            self.advice.remove(&piece.start);
            self.end_export(piece.start);
            // What is in the list is on the device.
            let _ = self.device.free(piece.mapped);
        }
        self.end_arrays(id);
        self.graphs.end_context(id);
        for module in &mut self.modules {
            module.take_if(|module| module.context == id);
        }
        for stream in &mut self.streams {
            stream.take_if(|stream| stream.context == id);
        }
        for event in &mut self.events {
            event.take_if(|event| event.context == id);
        }
        if let Some(context) = self.contexts.get_mut(id.0) {
            *context = Context {
                held: if id == PRIMARY { context.held } else { 0 },
                ..Context::default()
            };
        }
        if id == PRIMARY {
            self.resets += 1;
        }
        pieces
            .into_iter()
            .filter(|piece| matches!(piece.owner, Owner::Pinned | Owner::Managed))
            .collect()
    }

    /// Loads a cubin; its number. `place` gives memory of the host for its variables, where the program reads them itself.
    pub(crate) fn load(
        &mut self,
        cubin: Cubin,
        context: ContextId,
        place: Option<sass::Place<'_>>,
    ) -> Result<usize, Failed> {
        let loaded = sass::load_placed(&mut self.device, &cubin, place);
        let loaded = loaded.map_err(|fault| Failed::new(Code::InvalidImage, fault))?;
        self.modules.push(Some(Module { cubin, loaded, context }));
        Ok(self.modules.len() - 1)
    }

    pub(crate) fn unload(&mut self, module: usize) -> Result<(), Failed> {
        match self.modules.get_mut(module).and_then(Option::take) {
            Some(_) => Ok(()),
            None => Err(Failed::new(Code::InvalidHandle, "there is no such module")),
        }
    }

    /// Whether a module is loaded in a context.
    pub(crate) fn is_loaded(&self, module: usize, context: ContextId) -> bool {
        self.module(module).is_ok_and(|module| module.context == context)
    }

    fn module(&self, module: usize) -> Result<&Module, Failed> {
        let found = self.modules.get(module).and_then(Option::as_ref);
        found.ok_or_else(|| Failed::new(Code::InvalidHandle, "there is no such module"))
    }

    /// The names of the kernels of a module.
    pub(crate) fn kernel_names(&self, module: usize) -> Result<Vec<String>, Failed> {
        let names = self.module(module)?.loaded.kernels();
        Ok(names.into_iter().map(str::to_string).collect())
    }

    /// The kernel of a name; its number.
    pub(crate) fn kernel(&mut self, module: usize, name: &str) -> Result<usize, Failed> {
        let known = |kernel: &Kernel| kernel.module == module && kernel.name == name;
        if let Some(found) = self.kernels.iter().position(known) {
            self.module(module)?;
            return Ok(found);
        }
        let sm = self.settings.sm;
        let Module { cubin, loaded, .. } = self.module(module)?;
        let Some(parameters) = loaded.parameter_places(name) else {
            return Err(Failed::new(Code::NotFound, format!("there is no kernel '{name}'")));
        };
        let sections = cubin.sections.iter();
        let constant = sections
            .filter(|section| section.name.starts_with(".nv.constant3"))
            .map(|section| section.size() as u32)
            .sum();
        let registers = registers(cubin, name);
        let bounds = loaded.launch_bounds(name).unwrap_or_default();
        let static_shared = loaded.static_shared(name).unwrap_or(0) as u32;
        self.kernels.push(Kernel {
            module,
            name: name.to_string(),
            parameters,
            registers,
            static_shared,
            local: loaded.stack_bytes(name).unwrap_or(0) as u32,
            constant,
            threads: bounds.threads.min(device::threads_by_registers(sm, registers)),
            cluster: bounds.cluster,
            dynamic_limit: sm.info().shared.static_limit.saturating_sub(static_shared),
            non_portable_cluster: false,
        });
        Ok(self.kernels.len() - 1)
    }

    /// The kernel of a number.
    pub(crate) fn known(&self, kernel: usize) -> Result<&Kernel, Failed> {
        let found = self.kernels.get(kernel);
        let found = found.ok_or_else(|| Failed::new(Code::InvalidHandle, "there is no such function"))?;
        self.module(found.module).map(|_| found)
    }

    pub(crate) fn known_mut(&mut self, kernel: usize) -> Result<&mut Kernel, Failed> {
        self.known(kernel)?;
        let found = self.kernels.get_mut(kernel);
        found.ok_or_else(|| Failed::new(Code::InvalidHandle, "there is no such function"))
    }

    /// Address and size of a variable.
    pub(crate) fn variable(&self, module: usize, name: &str) -> Result<(u64, u64), Failed> {
        let found = self.module(module)?.loaded.variable(name);
        found.ok_or_else(|| Failed::new(Code::NotFound, format!("there is no variable '{name}'")))
    }

    /// Bytes that programs have allocated on the device.
    pub(crate) fn allocated(&self) -> u64 {
        self.memory
            .values()
            .filter(|piece| piece.owner == Owner::Device)
            .map(|piece| piece.bytes)
            .sum()
    }

    /// Allocates memory of the device.
    pub(crate) fn allocate(&mut self, bytes: u64, context: ContextId) -> Result<u64, Failed> {
        let refused = || Failed::new(Code::OutOfMemory, format!("{bytes} bytes cannot be allocated"));
        if self.allocated().saturating_add(bytes) > device::TOTAL_MEMORY {
            return Err(refused());
        }
        let readable = match self.settings.strict {
            true => bytes,
            false => bytes.next_multiple_of(ALLOCATION_UNIT),
        };
        let found = self.device.allocate_padded(bytes, ALLOCATION_UNIT, readable);
        let start = found.ok_or_else(refused)?;
        let piece = Piece {
            start,
            bytes,
            owner: Owner::Device,
            flags: 0,
            mapped: start,
            context,
        };
        self.memory.insert(start, piece);
        self.pool.most = self.pool.most.max(self.allocated());
        Ok(start)
    }

    /// Gives kernels memory of the host, at its own address. `mapped` and `words` are the words that hold it.
    pub(crate) fn share(
        &mut self,
        (start, bytes): (u64, u64),
        (mapped, words): (u64, &'static [AtomicU64]),
        (owner, flags): (Owner, u32),
        context: ContextId,
    ) -> Result<(), Failed> {
        if self.overlaps(start, bytes) {
            let reason = format!("some of {bytes} bytes at {start:#x} is registered already");
            return Err(Failed::new(Code::HostMemoryAlreadyRegistered, reason));
        }
        let shared = self.device.map_host(mapped, words);
        shared.map_err(|fault| Failed::new(Code::InvalidValue, fault))?;
        let piece = Piece {
            start,
            bytes,
            owner,
            flags,
            mapped,
            context,
        };
        self.memory.insert(start, piece);
        Ok(())
    }

    fn overlaps(&self, start: u64, bytes: u64) -> bool {
        let before = self.memory.range(..start.saturating_add(bytes)).next_back();
        before.is_some_and(|(_, piece)| piece.start + piece.bytes > start)
    }

    /// Takes memory from kernels that starts here and is of one of these owners.
    pub(crate) fn release(&mut self, start: u64, owners: &[Owner]) -> Result<Piece, Failed> {
        let found = self
            .memory
            .get(&start)
            .copied()
            .filter(|piece| owners.contains(&piece.owner));
        let piece = found.ok_or_else(|| {
            let reason = format!("{start:#x} is not the start of such an allocation");
            Failed::new(Code::InvalidValue, reason)
        })?;
        self.memory.remove(&start);
        self.advice.remove(&start);
        self.end_export(start);
        // What is in the list is on the device.
        let _ = self.device.free(piece.mapped);
        Ok(piece)
    }

    /// The piece that an address is in.
    pub(crate) fn piece(&self, address: u64) -> Option<Piece> {
        let (_, piece) = self.memory.range(..=address).next_back()?;
        (address - piece.start < piece.bytes).then_some(*piece)
    }

    /// Reads memory of the device.
    pub(crate) fn read(&self, address: u64, length: usize) -> Result<Vec<u8>, Failed> {
        let held = self.device.read(address, length as u64);
        held.map_err(|fault| Failed::new(Code::InvalidValue, fault))
    }

    /// Writes memory of the device.
    pub(crate) fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Failed> {
        let written = self.device.write(address, bytes);
        written.map_err(|fault| Failed::new(Code::InvalidValue, fault))
    }

    /// Whether the device has memory at an address.
    pub(crate) fn is_on_device(&self, address: u64) -> bool {
        self.device.read(address, 1).is_ok()
    }

    /// CTAs of a kernel that a multiprocessor holds at once.
    pub(crate) fn occupancy(&self, kernel: usize, threads: u32, dynamic: u64) -> Result<u32, Failed> {
        let kernel = self.known(kernel)?;
        let shared = u64::from(kernel.static_shared) + dynamic;
        if threads > kernel.threads {
            return Ok(0);
        }
        Ok(device::occupancy(self.settings.sm, threads, kernel.registers, shared))
    }

    /// Whether a launch is one that a device does.
    fn check_extents(&self, number: usize, kernel: &Kernel, extents: &Extents) -> Result<(), Failed> {
        let info = self.settings.sm.info();
        let product = |of: [u32; 3]| of.into_iter().map(u64::from).product::<u64>();
        let exceeds = |of: [u32; 3], most: [u32; 3]| (0..3).any(|axis| of[axis] > most[axis]);
        let Extents {
            grid, block, cluster, ..
        } = *extents;
        let threads = product(block);
        let wrong = |code, reason: String| Err(Failed::new(code, format!("{}: {reason}", kernel.name)));
        if product(grid) == 0
            || threads == 0
            || threads > u64::from(info.occupancy.max_threads_per_cta)
            || exceeds(block, info.occupancy.max_cta_dimensions)
            || exceeds(grid, info.occupancy.max_grid_dimensions)
        {
            let reason = format!("a grid of {grid:?} CTAs of {block:?} threads is none that a device has");
            return wrong(Code::InvalidConfiguration, reason);
        }
        if threads > u64::from(kernel.threads) {
            let reason = format!(
                "a CTA of {threads} threads, but the kernel takes {} at most",
                kernel.threads
            );
            // What the kernel's registers do not allow is another error than what its launch bounds do not: numba-cuda's tests, on a GPU, expect this one there.
            let by_registers = device::threads_by_registers(self.settings.sm, kernel.registers);
            let is_of_registers = threads > u64::from(by_registers);
            let code = if is_of_registers {
                Code::LaunchOutOfResources
            } else {
                Code::InvalidValue
            };
            return wrong(code, reason);
        }
        if extents.shared > kernel.dynamic_limit {
            let reason = format!(
                "{} bytes of dynamic shared memory, but {} are allowed: more have to be asked for                  (cudaFuncAttributeMaxDynamicSharedMemorySize)",
                extents.shared, kernel.dynamic_limit
            );
            return wrong(Code::InvalidValue, reason);
        }
        if product(cluster) > 1 && info.occupancy.max_cluster_size <= 1 {
            return wrong(Code::InvalidValue, format!("{} has no clusters", self.settings.sm));
        }
        if extents.cooperative {
            let at_once = self.occupancy(number, threads as u32, extents.shared.into())?;
            let most = u64::from(at_once) * u64::from(self.settings.multiprocessors);
            if product(grid) > most {
                let reason = format!(
                    "{} CTAs of a cooperative launch, of which {most} fit the device",
                    product(grid)
                );
                return wrong(Code::CooperativeLaunchTooLarge, reason);
            }
        }
        Ok(())
    }

    /// Runs a kernel to its end. What it does wrong is kept, and given by every later call of the context.
    pub(crate) fn launch(
        &mut self,
        number: usize,
        extents: Extents,
        arguments: Vec<Vec<u8>>,
        context: ContextId,
        print: impl Fn(&str),
    ) -> Result<(), Failed> {
        let kernel = self.known(number)?.clone();
        self.check_extents(number, &kernel, &extents)?;
        let launch = Launch {
            kernel: kernel.name.clone(),
            grid: extents.grid,
            block: extents.block,
            cluster: extents.cluster,
            dynamic_shared: extents.shared,
            cooperative: extents.cooperative,
            arguments,
        };
        let options = Options {
            stack_bytes: u32::try_from(self.limits[STACK_LIMIT]).unwrap_or(u32::MAX),
            ..self.settings.options.clone()
        };
        let Some(Some(module)) = self.modules.get(kernel.module) else {
            return Err(Failed::new(Code::InvalidHandle, "there is no such module"));
        };
        let outcome = sass::run(&mut self.device, &module.loaded, &launch, &options);
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
        let failure = match outcome {
            Ok(report) => {
                print(&report.printed);
                return Ok(());
            }
            Err(failure) => failure,
        };
        print(&failure.report.printed);
        let code = Code::of_fault(&failure.fault);
        if matches!(failure.fault.kind, FaultKind::Launch | FaultKind::Load) {
            return Err(Failed::new(code, failure));
        }
        eprintln!("warpsmith: {failure}");
        let blocking = self.settings.blocking;
        let context = self.context(context)?;
        context.fault = Some(code);
        context.told = blocking;
        if blocking { Err(Failed::silent(code)) } else { Ok(()) }
    }

    pub(crate) fn add_linker(&mut self, linker: Linker) -> usize {
        self.linkers.push(Some(linker));
        self.linkers.len() - 1
    }

    pub(crate) fn linker(&mut self, linker: usize) -> Result<&mut Linker, Failed> {
        let found = self.linkers.get_mut(linker).and_then(Option::as_mut);
        found.ok_or_else(|| Failed::new(Code::InvalidHandle, "there is no such linker"))
    }

    pub(crate) fn remove_linker(&mut self, linker: usize) -> Result<(), Failed> {
        self.linker(linker)?;
        self.linkers[linker] = None;
        Ok(())
    }

    pub(crate) fn stream(&self, stream: usize) -> Result<&Stream, Failed> {
        let found = self.streams.get(stream).and_then(Option::as_ref);
        found.ok_or_else(|| Failed::new(Code::InvalidHandle, "there is no such stream"))
    }

    pub(crate) fn add_stream(&mut self, flags: u32, priority: i32, context: ContextId) -> usize {
        self.streams.push(Some(Stream {
            flags,
            priority,
            context,
        }));
        self.streams.len() - 1
    }

    pub(crate) fn event(&mut self, event: usize) -> Result<&mut Event, Failed> {
        let found = self.events.get_mut(event).and_then(Option::as_mut);
        found.ok_or_else(|| Failed::new(Code::InvalidHandle, "there is no such event"))
    }

    /// Records an event now.
    pub(crate) fn note(&mut self, event: usize) -> Result<(), Failed> {
        self.event(event)?.recorded = Some(Instant::now());
        Ok(())
    }

    pub(crate) fn add_event(&mut self, flags: u32, context: ContextId) -> usize {
        self.events.push(Some(Event {
            flags,
            recorded: None,
            context,
        }));
        self.events.len() - 1
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

#[cfg(test)]
mod tests;
