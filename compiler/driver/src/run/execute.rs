//! Runs a plan in the PTX interpreter, in the emulator of machine code, or on a GPU.

use warpsmith::Disk;
use warpsmith::emulator::{ElementType, Named, diagnose, kernel_of};
use warpsmith_base::{Diagnostic, SourceText};
use warpsmith_emu::{self as emu, Device, Failure, Fault, Options, Report, TensorMap, demangled};
use warpsmith_ptx::module::{Module, Variable};
use warpsmith_ptx::table::TypeKind;

use super::On;
use super::array::{Array, Element};
use super::code::{self, Code, Program};
use super::gpu::Gpu;
use super::plan::{Argument, Launch, Plan};
use super::textures::Handles;
use crate::Console;

/// No buffer is less aligned; what the vendor's allocator promises.
const ALIGNMENT: u64 = 256;

/// What a run left behind.
pub(crate) struct Outcome {
    /// The memory; on a GPU that of variables, which only lays them out.
    device: Device,
    /// The GPU, where it runs the kernels.
    gpu: Option<Gpu>,
    /// What runs.
    code: Code,
    /// The PTX module, which says the types of parameters and variables; none where there is only machine code.
    module: Option<Module>,
    /// Address of each buffer of the plan.
    addresses: Vec<u64>,
    /// Textures, samplers and surfaces of the plan.
    handles: Handles,
    /// Bytes and address of each tensor map of the plan.
    tensor_maps: Vec<(Vec<u8>, u64)>,
    /// Of each launch, the failed one included.
    pub reports: Vec<Report>,
    /// The faults that ended the run early; at least one.
    pub faults: Option<Vec<(Diagnostic, SourceText)>>,
}

/// Runs a plan. A fault of a kernel is part of the outcome; an error is what kept the kernels from running.
pub(crate) fn execute(plan: &Plan, console: &mut Console) -> Result<Outcome, Vec<Diagnostic>> {
    let mut device = Device::new();
    device.limit_variables(plan.memory);
    let Program {
        code,
        module,
        source,
        text,
        image,
    } = code::load(plan, &mut device, console)?;
    let mut outcome = Outcome {
        device,
        gpu: None,
        code,
        module,
        addresses: Vec::new(),
        handles: Handles::default(),
        tensor_maps: Vec::new(),
        reports: Vec::new(),
        faults: None,
    };
    let failed = |reason: String| vec![Diagnostic::error(reason).in_file(source.name())];
    if plan.on == Some(On::Gpu) {
        outcome.gpu = Some(Gpu::start(plan, &image).map_err(failed)?);
    }
    outcome.prepare(plan).map_err(failed)?;
    let launches: Result<Vec<emu::Launch>, String> =
        plan.launches.iter().map(|launch| outcome.launch(launch)).collect();
    let options = options(plan);
    for launch in launches.map_err(failed)? {
        let result = match &outcome.gpu {
            Some(gpu) => {
                let places = outcome.code.parameter_places(&launch.kernel).unwrap_or_default();
                gpu.run(&launch, &places)
            }
            None => outcome.code.run(&mut outcome.device, &launch, &options),
        };
        match result {
            Ok(report) => outcome.reports.push(report),
            Err(Failure { fault, more, report }) => {
                let memory = outcome.memory(plan);
                let faults = std::iter::once(fault).chain(more);
                let shown = faults.map(|fault| diagnose(&fault, text, &source, &memory, &Disk));
                outcome.faults = Some(shown.collect());
                outcome.reports.push(report);
                break;
            }
        }
    }
    Ok(outcome)
}

fn options(plan: &Plan) -> Options {
    let default = Options::default();
    Options {
        seed: plan.settings.seed.unwrap_or(default.seed),
        step_budget: plan.settings.budget.unwrap_or(default.step_budget),
        check_races: plan.settings.races,
        check_uninitialised: plan.settings.uninitialised,
        delay_copies: plan.settings.copies,
        check_hazards: plan.settings.hazards,
        check_registers: plan.settings.registers,
        faults: plan.settings.faults.unwrap_or(default.faults),
        threads: plan.settings.threads.unwrap_or(default.threads),
        ..default
    }
}

impl Outcome {
    /// Fills buffers and variables.
    fn prepare(&mut self, plan: &Plan) -> Result<(), String> {
        for buffer in &plan.buffers {
            // Something of no size has an address too.
            let size = buffer.array.bytes.len().max(1);
            let address = match &mut self.gpu {
                Some(gpu) => gpu.allocate(size)?,
                None => self.device.allocate(size as u64, ALIGNMENT),
            };
            if buffer.initialised {
                self.write(address, &buffer.array.bytes)?;
            }
            self.addresses.push(address);
        }
        for named in &plan.tensor_maps {
            let mut map = named.map;
            map.address = map
                .address
                .wrapping_add(self.addresses.get(named.buffer).copied().unwrap_or(0));
            let wrong = |reason: String| format!("tensor map `{}`: {reason}", named.name);
            let made = match &mut self.gpu {
                Some(gpu) => gpu.tensor_map(&map),
                None => emulated(&mut self.device, &map),
            };
            self.tensor_maps.push(made.map_err(wrong)?);
        }
        self.bind(plan)?;
        for (name, array) in &plan.variables {
            let (address, size) = self.variable(name)?;
            let given = array.bytes.len() as u64;
            if given > size {
                return Err(format!(
                    "{given} bytes are given for variable `{name}`, which has {size}"
                ));
            }
            self.write(address, &array.bytes)?;
        }
        Ok(())
    }

    /// Makes textures, samplers and surfaces; those with the name of a module's variable of such a type become its value.
    fn bind(&mut self, plan: &Plan) -> Result<(), String> {
        self.handles = plan.textures.create(&mut self.device)?;
        for (name, handle) in plan.textures.names().zip(self.handles.handles.clone()) {
            let named = |(module, variable): (&Module, &Variable)| {
                variable.element.kind() == TypeKind::Opaque
                    && variable.name.is_some_and(|own| module.names.get(own) == name)
            };
            let mut variables = self
                .module
                .iter()
                .flat_map(|module| module.variables.iter().map(move |one| (module, one)));
            if let (true, Some((address, _))) = (variables.any(named), self.code.variable(name)) {
                self.write(address, &handle.to_le_bytes())?;
            }
        }
        Ok(())
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), String> {
        match &mut self.gpu {
            Some(gpu) => gpu.write(address, bytes),
            None => self.device.write(address, bytes).map_err(|fault| fault.to_string()),
        }
    }

    fn read(&self, address: u64, size: u64) -> Result<Vec<u8>, String> {
        match &self.gpu {
            Some(gpu) => gpu.read(address, size as usize),
            None => self.device.read(address, size).map_err(|fault| fault.to_string()),
        }
    }

    /// Address and size of a module's variable.
    fn variable(&self, name: &str) -> Result<(u64, u64), String> {
        let known = self.code.variable(name);
        match (&self.gpu, known) {
            (Some(gpu), Some(_)) => gpu.variable(name),
            (_, known) => known.ok_or_else(|| self.no_variable(name)),
        }
    }

    /// The buffers, and the variables of the module.
    fn memory(&self, plan: &Plan) -> Vec<Named> {
        let buffers = plan.buffers.iter().zip(&self.addresses).map(|(buffer, address)| Named {
            name: buffer.name.clone(),
            address: *address,
            bytes: buffer.array.bytes.len() as u64,
            element: Some(element_type(buffer.array.element)),
        });
        let variables = self.module.iter().flat_map(|module| {
            module.variables.iter().filter_map(|variable| {
                let name = module.names.get(variable.name?);
                let (address, bytes) = self.code.variable(name)?;
                Some(Named {
                    name: demangled(name),
                    address,
                    bytes,
                    // Bytes may stand for anything.
                    element: (element(variable, false).filter(|element| element.size() > 1)).map(element_type),
                })
            })
        });
        buffers.chain(variables).collect()
    }

    /// What a buffer or a module's variable holds.
    pub(crate) fn array(&self, plan: &Plan, name: &str) -> Result<Array, String> {
        if let Some(index) = plan.buffer(name) {
            let start = &plan.buffers[index].array;
            return Ok(Array {
                bytes: self.read(self.addresses[index], start.bytes.len() as u64)?,
                ..start.clone()
            });
        }
        if let Some(array) = plan.textures.array(&self.handles, &self.device, name) {
            return array;
        }
        let (address, size) = self.variable(name)?;
        let variables = self
            .module
            .iter()
            .flat_map(|module| module.variables.iter().map(move |one| (module, one)));
        let mut named =
            variables.filter(|(module, variable)| variable.name.is_some_and(|own| module.names.get(own) == name));
        let element = named
            .next()
            .and_then(|(_, variable)| element(variable, false))
            .unwrap_or(Element::U8);
        Ok(Array::from_bytes(element, self.read(address, size)?))
    }

    fn no_variable(&self, name: &str) -> String {
        format!("there is no buffer or module variable `{name}`")
    }

    /// The launch in the emulator's terms.
    fn launch(&self, launch: &Launch) -> Result<emu::Launch, String> {
        let name = kernel_of(&self.kernels(), launch.kernel.as_deref())?.to_owned();
        let sizes = self.code.parameters(&name).unwrap_or_default();
        let (wanted, given) = (sizes.len(), launch.arguments.len());
        if wanted != given {
            return Err(format!(
                "kernel `{name}` has {wanted} parameters, but {given} arguments are given"
            ));
        }
        let arguments = launch.arguments.iter().zip(sizes).enumerate();
        let arguments = arguments.map(|(index, (argument, size))| {
            self.argument(argument, self.parameter(&name, index), size)
                .map_err(|reason| format!("argument {} of kernel `{name}`: {reason}", index + 1))
        });
        Ok(emu::Launch {
            arguments: arguments.collect::<Result<_, _>>()?,
            kernel: name,
            grid: launch.grid,
            block: launch.block,
            cluster: launch.cluster,
            dynamic_shared: launch.shared,
            cooperative: false,
        })
    }

    fn kernels(&self) -> Vec<&str> {
        match (&self.code, &self.module) {
            (Code::Machine(loaded), _) => loaded.kernels(),
            (Code::Ptx(_), module) => module.iter().flat_map(kernels_of).collect(),
        }
    }

    /// A kernel's parameter, where the module says it.
    fn parameter(&self, kernel: &str, index: usize) -> Option<&Variable> {
        let module = self.module.as_ref()?;
        let mut functions = module.functions.iter();
        let kernel = functions.find(|function| function.kernel && module.names.get(function.name) == kernel)?;
        module.variables.get(kernel.parameters.get(index)?.0 as usize)
    }

    /// The bytes of an argument, which must fill the parameter.
    fn argument(&self, argument: &Argument, parameter: Option<&Variable>, size: u64) -> Result<Vec<u8>, String> {
        let number = |element: Element, text: &str| {
            let bits = element.parse(text)?;
            Ok::<_, String>(bits.to_le_bytes()[..element.size()].to_vec())
        };
        let bytes = match argument {
            Argument::Number(Some(element), text) => number(*element, text)?,
            Argument::Number(None, text) => {
                let fraction = Element::S64.parse(text).is_err();
                let element = match parameter {
                    Some(parameter) => element(parameter, fraction),
                    None => bits(8 * size, fraction),
                };
                number(
                    element
                        .filter(|element| element.size() as u64 == size)
                        .ok_or("the parameter is no number; bytes:SOURCE gives a structure")?,
                    text,
                )?
            }
            Argument::Address(buffer, offset) => {
                let address = self.addresses[*buffer].wrapping_add(*offset);
                let bits = self.module.as_ref().map_or(64, |module| module.address_size);
                address.to_le_bytes()[..usize::from(bits / 8).min(8)].to_vec()
            }
            Argument::TensorMap(index) => match &self.tensor_maps[*index] {
                (_, address) if size == 8 => address.to_le_bytes().to_vec(),
                (bytes, _) => bytes.clone(),
            },
            Argument::Handle(index) => self.handles.handles[*index].to_le_bytes().to_vec(),
            Argument::Bytes(bytes) => bytes.clone(),
        };
        match bytes.len() as u64 == size {
            true => Ok(bytes),
            false => Err(format!("it has {} bytes, but the parameter {size}", bytes.len())),
        }
    }
}

/// The bytes of a tensor map, and the address of a copy in memory.
fn emulated(device: &mut Device, map: &TensorMap) -> Result<(Vec<u8>, u64), String> {
    let reason = |fault: Fault| fault.message;
    let bytes = map.encode().map_err(reason)?.to_vec();
    Ok((bytes, device.create_tensor_map(map).map_err(reason)?))
}

/// The type of elements, for messages.
fn element_type(element: Element) -> ElementType {
    ElementType {
        name: element.name().to_owned(),
        bytes: element.size() as u64,
    }
}

fn kernels_of(module: &Module) -> impl Iterator<Item = &str> {
    let kernels = module.functions.iter().filter(|function| function.kernel);
    kernels.map(|kernel| module.names.get(kernel.name))
}

/// What so many untyped bits are read as.
fn bits(size: u64, fraction: bool) -> Option<Element> {
    Element::from_name(&format!("{}{size}", if fraction { "f" } else { "u" }))
}

/// The type of a variable's elements; untyped bits are read as a floating-point number where `fraction` says so.
fn element(variable: &Variable, fraction: bool) -> Option<Element> {
    let info = variable.element.info();
    match info.kind {
        TypeKind::Bits => bits(u64::from(info.bits), fraction),
        TypeKind::Unsigned => bits(u64::from(info.bits), false),
        TypeKind::Signed => Element::from_name(&format!("s{}", info.bits)),
        TypeKind::Float => Element::from_name(info.name),
        TypeKind::Packed | TypeKind::Predicate | TypeKind::Opaque => None,
    }
}
