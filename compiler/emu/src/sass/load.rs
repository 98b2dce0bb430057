//! Loading a cubin and launching its kernels.

use std::sync::atomic::AtomicU64;

use rustc_hash::FxHashMap;
use warpsmith_cubin::{
    Content, Cubin, FileType, InfoValue, Relocation, Section, SectionIndex, SectionKind, Symbol, SymbolSection,
    SymbolType,
    eiattr::KernelParameter,
    relocation::{RelocationKind, ValuePart},
};
use warpsmith_sass::Instruction;
use warpsmith_target::Sm;

use super::{
    abi,
    code::{CODE_BASE, Function, Kernel, Program, step_at},
    decode::{Constants, decode},
    grid::Plan,
    images::{self, Images},
    lines::Lines,
    system,
};
use crate::{Device, Failure, Fault, FaultKind, Launch, Options, Report, children, launch::check_extents};

/// A cubin made ready to run on one device.
#[derive(Debug)]
pub struct Loaded {
    pub(super) program: Program,
    variables: FxHashMap<String, (u64, u64)>,
    /// Bank, address and size of the constant banks with variables, which the host may change.
    constants: Vec<(u8, u64, u64)>,
    images: Images,
}

/// What a kernel itself says about how wide it is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchBounds {
    /// Threads of a CTA at most.
    pub threads: u32,
    /// CTAs of a cluster.
    pub cluster: Option<[u32; 3]>,
}

impl Default for LaunchBounds {
    fn default() -> LaunchBounds {
        LaunchBounds {
            threads: 1024,
            cluster: None,
        }
    }
}

/// Gives so many bytes of memory of the host, zeroed, for variables of a module: address and words.
pub type Place<'p> = &'p mut dyn FnMut(u64) -> Option<(u64, &'static [AtomicU64])>;

impl Loaded {
    /// How wide a kernel may be launched.
    pub fn launch_bounds(&self, kernel: &str) -> Option<LaunchBounds> {
        let bounds = &self.kernel(kernel)?.bounds;
        let given = bounds.required_threads.or(bounds.maximum_threads);
        let threads = given.map(|extents| extents.iter().fold(1, |all: u32, extent| all.saturating_mul(*extent)));
        Some(LaunchBounds {
            threads: threads.unwrap_or(u32::MAX).min(LaunchBounds::default().threads),
            cluster: bounds.required_cluster,
        })
    }

    /// Bytes of shared memory of a kernel, without the system's.
    pub fn static_shared(&self, kernel: &str) -> Option<u64> {
        let bytes = self.kernel(kernel)?.shared_bytes;
        Some(bytes - bytes.min(abi::reserved_shared(self.program.sm).into()))
    }

    /// Bytes of local memory that a thread of a kernel has.
    pub fn stack_bytes(&self, kernel: &str) -> Option<u64> {
        Some(self.kernel(kernel)?.stack_bytes)
    }

    /// The kernels, in order of the file.
    pub fn kernels(&self) -> Vec<&str> {
        self.program.kernels.iter().map(|kernel| kernel.name.as_str()).collect()
    }

    /// Size in bytes of each parameter of a kernel; alignment is not recorded in cubins.
    pub fn parameters(&self, kernel: &str) -> Option<Vec<u64>> {
        let kernel = self.kernel(kernel)?;
        Some(kernel.parameters.iter().map(|(_, size)| *size).collect())
    }

    /// Offset in bytes from the first parameter, and size, of each parameter of a kernel.
    pub fn parameter_places(&self, kernel: &str) -> Option<Vec<(u64, u64)>> {
        Some(self.kernel(kernel)?.parameters.clone())
    }

    /// The address and size of a variable in global memory, for [`Device::read`] and [`Device::write`].
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        self.variables.get(name).copied()
    }

    /// Function, byte offset in it and text of each word that the emulator does not implement, or that is no instruction; executing one is a
    /// fault.
    pub fn unsupported(&self) -> Vec<(&str, u64, String)> {
        let program = &self.program;
        let mut found = Vec::new();
        for function in &program.functions {
            for pc in function.start..function.end {
                let step = program.steps.get(pc as usize);
                if !step.is_some_and(|step| matches!(step.op, super::code::Op::Unsupported)) {
                    continue;
                }
                let text = match program.instructions.get(pc as usize) {
                    Some(Some(instruction)) => format!("{instruction} ({})", instruction.form().name),
                    Some(None) | None => "no instruction".to_string(),
                };
                found.push((function.name.as_str(), u64::from(pc - function.start) * 16, text));
            }
        }
        found
    }

    fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.program.kernels.iter().find(|kernel| kernel.name == name)
    }
}

/// Places the variables of a cubin on the device and decodes its code.
///
/// # Errors
/// A file for an unknown SM, an undefined symbol or a relocation that cannot be resolved.
pub fn load(device: &mut Device, cubin: &Cubin) -> Result<Loaded, Fault> {
    load_placed(device, cubin, None)
}

/// The same with the variables in memory of the host, where `place` gives some.
///
/// # Errors
/// A file for an unknown SM, an undefined symbol, a relocation that cannot be resolved, or more variables than there is memory.
pub fn load_placed(device: &mut Device, cubin: &Cubin, place: Option<Place<'_>>) -> Result<Loaded, Fault> {
    if cubin.header.file_type == FileType::Relocatable {
        let message =
            "the file is a relocatable object, which must be linked (`nvcc -dlink`, `nvlink`) before it can run";
        return Err(Fault::new(FaultKind::Load, message));
    }
    let sm = cubin
        .target()
        .ok_or_else(|| Fault::new(FaultKind::Load, "the cubin is for an SM that is not known"))?;
    // Who places the variables knows how many there may be.
    if place.is_none() {
        let variables = cubin.sections.iter().filter(|section| {
            let kind = section.kind();
            matches!(kind, SectionKind::Global | SectionKind::GlobalInit)
                || matches!(kind, SectionKind::Constant { function: None, .. })
        });
        device.check_variables(variables.fold(0, |bytes, section| section.size().saturating_add(bytes)))?;
    }
    let mut image = Image::place(device, cubin, place)?;
    image.images = Images::of(device, cubin)?;
    let is_import =
        |symbol: &&Symbol| matches!(symbol.section, SymbolSection::Undefined) && symbol.symbol_type == SymbolType::FUNC;
    image.imports = cubin
        .symbols()
        .iter()
        .filter(is_import)
        .map(|symbol| symbol.name.clone())
        .collect();
    image.relocate(cubin)?;
    image.initialise(device)?;
    Ok(image.loaded(cubin, sm))
}

/// The sections of a cubin as they are placed.
struct Image {
    /// Content of each section, relocated.
    bytes: Vec<Vec<u8>>,
    /// Address of each section: of device memory, of code, or the offset in its bank or in shared memory.
    base: Vec<u64>,
    functions: Vec<Function>,
    global: Vec<SectionIndex>,
    /// Names of functions that are only declared.
    imports: Vec<String>,
    constants: Vec<(u8, u64, u64)>,
    images: Images,
}

/// Memory for a section. Where it begins as zero it has no bytes in the file, and takes none of the host's until it is written.
fn allocate(device: &mut Device, section: &Section, place: &mut Option<Place<'_>>) -> Result<u64, Fault> {
    let bytes = section.size();
    let refused = || load_error(format!("{} has {bytes} bytes, more than there are", section.name));
    if bytes > 0
        && let Some(place) = place
    {
        let (address, words) = place(bytes).ok_or_else(refused)?;
        device.map_host(address, words)?;
        return Ok(address);
    }
    let address = device
        .allocate_padded(bytes, section.alignment.max(256), bytes)
        .ok_or_else(refused)?;
    if section.bytes().is_none_or(<[u8]>::is_empty) {
        device.mark_written(address);
    }
    Ok(address)
}

fn load_error(message: String) -> Fault {
    Fault::new(FaultKind::Load, message)
}

impl Image {
    fn place(device: &mut Device, cubin: &Cubin, mut place: Option<Place<'_>>) -> Result<Image, Fault> {
        let mut image = Image {
            bytes: Vec::new(),
            base: Vec::new(),
            functions: Vec::new(),
            global: Vec::new(),
            imports: Vec::new(),
            constants: Vec::new(),
            images: Images::default(),
        };
        let mut next_step = 0;
        for (index, section) in cubin.sections.iter().enumerate() {
            let bytes = section.bytes().map(<[u8]>::to_vec).unwrap_or_default();
            let base = match section.kind() {
                SectionKind::Text(name) => {
                    let start = next_step;
                    next_step += (bytes.len() / 16) as u32;
                    image.functions.push(Function {
                        name: name.to_string(),
                        start,
                        end: next_step,
                    });
                    CODE_BASE + u64::from(start) * 16
                }
                SectionKind::Global | SectionKind::GlobalInit => {
                    image.global.push(index as SectionIndex);
                    allocate(device, section, &mut place)?
                }
                SectionKind::Constant { bank, function: None } if bank != 0 => {
                    let address = allocate(device, section, &mut None)?;
                    image.global.push(index as SectionIndex);
                    image.constants.push((bank, address, section.size()));
                    address
                }
                _ => 0,
            };
            image.bytes.push(bytes);
            image.base.push(base);
        }
        Ok(image)
    }

    /// The value of a symbol.
    fn value(&self, symbol: &Symbol) -> Option<u64> {
        match symbol.section {
            SymbolSection::Undefined => (system::address_of(&symbol.name).or_else(|| images::row_bytes(&symbol.name)))
                .or_else(|| {
                    let number = self.imports.iter().position(|name| *name == symbol.name)?;
                    Some(system::address_of_import(number))
                }),
            SymbolSection::Section(section) => Some(self.base.get(section as usize)?.wrapping_add(symbol.value)),
            SymbolSection::Reserved(_) => Some(symbol.value),
        }
    }

    fn relocate(&mut self, cubin: &Cubin) -> Result<(), Fault> {
        // A section may have relocations of both kinds.
        for section in &cubin.sections {
            let Content::Relocations { entries, with_addend } = &section.content else {
                continue;
            };
            let index = section.info as usize;
            let Some(target) = cubin.sections.get(index).filter(|target| matters(target)) else {
                continue;
            };
            for relocation in entries {
                self.apply(cubin, index, target, relocation, *with_addend)?;
            }
        }
        Ok(())
    }

    fn apply(
        &mut self,
        cubin: &Cubin,
        index: usize,
        section: &Section,
        relocation: &Relocation,
        with_addend: bool,
    ) -> Result<(), Fault> {
        let name = cubin.symbol_name(relocation.symbol).unwrap_or("?");
        let row = relocation.relocation_type.row();
        let what = || {
            let kind = row.map_or("an unknown relocation", |row| row.name);
            format!("{kind} of '{name}' at {:#x} of {}", relocation.offset, section.name)
        };
        let symbol = cubin
            .symbol(relocation.symbol)
            .ok_or_else(|| load_error(format!("{} has no symbol", what())))?;
        let Some(row) = row.filter(|row| !row.field.is_empty() || row.kind == RelocationKind::Resource) else {
            return Err(load_error(format!("{} is not supported", what())));
        };
        let value = match row.kind {
            RelocationKind::Absolute | RelocationKind::GlobalAddress => self.value(symbol),
            RelocationKind::ConstantOffset => Some(symbol.value),
            RelocationKind::FunctionDescriptor | RelocationKind::Unified => self.value(symbol),
            RelocationKind::PcRelative => self
                .value(symbol)
                .map(|value| value.wrapping_sub(self.base[index].wrapping_add(relocation.offset).wrapping_add(16))),
            RelocationKind::Resource => {
                self.images.relocation(section.kind(), relocation);
                return Ok(());
            }
            RelocationKind::Bindless | RelocationKind::Rewrite => {
                return Err(load_error(format!("{} is not supported", what())));
            }
        };
        let value = value.ok_or_else(|| load_error(format!("'{name}' is not defined")))?;
        let bytes = self.bytes.get_mut(index).ok_or_else(|| load_error(what()))?;
        let start = usize::try_from(relocation.offset).unwrap_or(usize::MAX);
        let mut word = read_word(bytes, start).ok_or_else(|| load_error(format!("{} lies outside", what())))?;
        let addend = match with_addend {
            true => relocation.addend as u64,
            false => read_field(word, row.field),
        };
        let value = value.wrapping_add(addend);
        let value = match row.part {
            ValuePart::Whole => value,
            ValuePart::Low32 => value & 0xffff_ffff,
            ValuePart::High32 => value >> 32,
            ValuePart::Byte(number) => value >> (8 * u32::from(number)).min(63) & 0xff,
        };
        word = write_field(word, row.field, value >> row.shift);
        write_word(bytes, start, word);
        Ok(())
    }

    fn initialise(&self, device: &mut Device) -> Result<(), Fault> {
        for section in &self.global {
            let (Some(bytes), Some(base)) = (self.bytes.get(*section as usize), self.base.get(*section as usize))
            else {
                continue;
            };
            if !bytes.is_empty() {
                device.write(*base, bytes)?;
            }
        }
        Ok(())
    }

    fn loaded(self, cubin: &Cubin, sm: Sm) -> Loaded {
        let isa = sm.isa();
        let mut constants = Constants::default();
        let (mut steps, mut instructions) = (Vec::new(), Vec::new());
        for (section, bytes) in cubin.sections.iter().zip(&self.bytes) {
            if !matches!(section.kind(), SectionKind::Text(_)) {
                continue;
            }
            for word in bytes.chunks_exact(16) {
                let word = word
                    .iter()
                    .rev()
                    .fold(0, |word: u128, byte| word << 8 | u128::from(*byte));
                let instruction = Instruction::decode(isa, word).ok();
                let pc = steps.len() as u32;
                steps.push(match instruction {
                    Some(instruction) => decode(instruction, pc, &mut constants),
                    None => super::code::Step::no_instruction(),
                });
                instructions.push(instruction);
            }
        }
        let variables = self.variables(cubin);
        let kernels = self.kernels(cubin, sm);
        let lines = Lines::read(cubin, |symbol| self.value(symbol));
        Loaded {
            program: Program {
                sm,
                steps,
                instructions,
                constants: constants.list,
                functions: self.functions,
                kernels,
                imports: self.imports,
                lines,
            },
            variables,
            constants: self.constants,
            images: self.images,
        }
    }

    fn variables(&self, cubin: &Cubin) -> FxHashMap<String, (u64, u64)> {
        let in_memory = |symbol: &&Symbol| match symbol.section {
            SymbolSection::Section(section) => self.global.contains(&section),
            SymbolSection::Undefined | SymbolSection::Reserved(_) => false,
        };
        let symbols = cubin.symbols().iter().filter(in_memory);
        symbols
            .filter_map(|symbol| Some((symbol.name.clone(), (self.value(symbol)?, symbol.size))))
            .chain(self.images.variables())
            .collect()
    }

    fn kernels(&self, cubin: &Cubin, sm: Sm) -> Vec<Kernel> {
        let entries = cubin.symbols().iter().filter(|symbol| symbol.is_entry());
        entries.filter_map(|symbol| self.kernel(cubin, sm, symbol)).collect()
    }

    fn kernel(&self, cubin: &Cubin, sm: Sm, symbol: &Symbol) -> Option<Kernel> {
        let name = symbol.name.as_str();
        let entry = self.value(symbol)?.checked_sub(CODE_BASE)? / 16;
        let mut kernel = Kernel {
            name: name.to_string(),
            entry: u32::try_from(entry).ok()?,
            parameter_base: sm.info().constants.parameters.into(),
            ..Kernel::default()
        };
        for (index, section) in cubin.sections.iter().enumerate() {
            match section.kind() {
                SectionKind::Text(text) if text == name => kernel.registers = section.register_count(),
                SectionKind::Shared(Some(function)) if function == name => kernel.shared_bytes = section.size(),
                SectionKind::ReservedShared => kernel.shared_bytes = kernel.shared_bytes.max(section.size()),
                SectionKind::Constant { bank, function } if function.is_none_or(|f| f == name) && bank != 0 => {
                    kernel.banks.push((bank, self.bytes.get(index)?.clone()));
                }
                SectionKind::Info(Some(function)) if function == name => {
                    kernel_info(cubin, index as SectionIndex, &mut kernel)
                }
                _ => {}
            }
        }
        kernel.shared_bytes = kernel.shared_bytes.max(abi::reserved_shared(sm).into());
        kernel.stack_bytes = stack_bytes(cubin, name);
        kernel.parameters.sort_unstable();
        Some(kernel)
    }
}

/// Whether a section's content is looked at in a run.
fn matters(section: &Section) -> bool {
    matches!(
        section.kind(),
        SectionKind::Text(_) | SectionKind::Constant { .. } | SectionKind::Global | SectionKind::GlobalInit
    )
}

/// Whether the relocations of a section have their addend beside them, and not in the place that they change.
pub(super) fn section_addends(cubin: &Cubin, target: usize) -> bool {
    let applies =
        |section: &&Section| section.info as usize == target && matches!(section.content, Content::Relocations { .. });
    cubin
        .sections
        .iter()
        .find(applies)
        .is_some_and(|section| section.section_type == warpsmith_cubin::SectionType::RELA)
}

fn read_word(bytes: &[u8], start: usize) -> Option<u128> {
    let end = bytes.len().min(start.checked_add(16)?);
    let bytes = bytes.get(start..end)?;
    (!bytes.is_empty()).then(|| {
        bytes
            .iter()
            .rev()
            .fold(0, |word: u128, byte| word << 8 | u128::from(*byte))
    })
}

fn write_word(bytes: &mut [u8], start: usize, word: u128) {
    for (place, byte) in bytes.iter_mut().skip(start).zip(word.to_le_bytes()) {
        *place = byte;
    }
}

fn read_field(word: u128, field: &[(u8, u8)]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    for &(low, length) in field {
        let mask = u64::MAX >> (64 - u32::from(length.clamp(1, 64)));
        value |= ((word >> low) as u64 & mask) << shift;
        shift += u32::from(length);
    }
    value
}

fn write_field(mut word: u128, field: &[(u8, u8)], mut value: u64) -> u128 {
    for &(low, length) in field {
        let mask = u64::MAX >> (64 - u32::from(length.clamp(1, 64)));
        word = word & !(u128::from(mask) << low) | u128::from(value & mask) << low;
        value = value.checked_shr(u32::from(length)).unwrap_or(0);
    }
    word
}

/// What a kernel's attributes say.
fn kernel_info(cubin: &Cubin, section: SectionIndex, kernel: &mut Kernel) {
    let Ok(records) = cubin.info_records(section) else {
        return;
    };
    let extents = |words: &[u32]| std::array::from_fn(|axis| words.get(axis).copied().unwrap_or(1));
    for record in records {
        let words = record.value.words().unwrap_or_default();
        match (record.attribute.name(), &record.value) {
            (Some("EIATTR_KPARAM_INFO" | "EIATTR_KPARAM_INFO_V2"), InfoValue::Sized(bytes)) => {
                if let Some(parameter) = KernelParameter::from_record(record.attribute, bytes) {
                    kernel
                        .parameters
                        .push((u64::from(parameter.offset), u64::from(parameter.size)));
                }
            }
            (Some("EIATTR_PARAM_CBANK"), _) => {
                if let Some(word) = words.get(1) {
                    kernel.parameter_base = word & 0xffff;
                    kernel.parameter_bytes = word >> 16;
                }
            }
            (Some("EIATTR_AT_ENTRY_FRAGMENTS"), _) => kernel.allocates_tensor_memory = true,
            (Some("EIATTR_REQNTID"), _) => kernel.bounds.required_threads = Some(extents(&words)),
            (Some("EIATTR_MAX_THREADS"), _) => kernel.bounds.maximum_threads = Some(extents(&words)),
            (Some("EIATTR_CTA_PER_CLUSTER"), _) => kernel.bounds.required_cluster = Some(extents(&words)),
            _ => {}
        }
    }
}

/// The stack of a thread whose calls have no bound that is known.
const DEEP: u64 = 16 * 1024;
/// The most local memory of a thread.
const LOCAL_LIMIT: u64 = 512 * 1024;

/// The stack of a thread: what the file says is enough, or much where calls may be deeper.
fn stack_bytes(cubin: &Cubin, kernel: &str) -> u64 {
    let Some((section, _)) = cubin.section_by_name(".nv.info") else {
        return DEEP;
    };
    let Some((symbol, _)) = cubin.symbol_by_name(kernel) else {
        return DEEP;
    };
    let records = cubin.info_records(section).unwrap_or_default();
    let mut bytes = 0;
    let mut unknown = false;
    for record in records {
        let words = record.value.words().unwrap_or_default();
        let (Some("EIATTR_MIN_STACK_SIZE" | "EIATTR_FRAME_SIZE"), [function, size]) =
            (record.attribute.name(), &words[..])
        else {
            continue;
        };
        match (*function == symbol, *size) {
            // Observed, ptxas 13.0.88: what recursion may need is given as the largest number.
            (true, u32::MAX) => unknown = true,
            (true, size) => bytes = bytes.max(u64::from(size)),
            (false, _) => {}
        }
    }
    // What a chain of calls needs is not always known: recursion has no bound.
    let is_code = |symbol: &&Symbol| {
        symbol.symbol_type == SymbolType::FUNC && matches!(symbol.section, SymbolSection::Section(_))
    };
    let calls = cubin
        .symbols()
        .iter()
        .filter(is_code)
        .filter(|symbol| !symbol.is_entry())
        .count()
        > 0;
    // Frames are of 16 bytes, and the limit is that of a thread's local memory.
    let bytes = bytes.next_multiple_of(16).min(LOCAL_LIMIT);
    match unknown || calls {
        true => DEEP.max(bytes),
        false => bytes,
    }
}

/// A cubin and how it is run.
struct Run<'r> {
    loaded: &'r Loaded,
    options: &'r Options,
}

impl children::Module for Run<'_> {
    fn kernel_at(&self, address: u64) -> Option<(String, Vec<(u64, u64)>)> {
        let step = step_at(address)?;
        let kernel = self.loaded.program.kernels.iter().find(|kernel| kernel.entry == step)?;
        Some((kernel.name.clone(), kernel.parameters.clone()))
    }

    fn run(&self, device: &mut Device, launch: &Launch, budget: u64) -> Result<(Report, Vec<u64>), Failure> {
        let options = Options {
            step_budget: budget,
            ..self.options.clone()
        };
        run_grid(device, self.loaded, launch, &options)
    }
}

/// Runs a kernel to its end, and the kernels that it launches.
///
/// # Errors
/// A launch that does not fit the kernel, or faults of threads.
pub fn run(device: &mut Device, loaded: &Loaded, launch: &Launch, options: &Options) -> Result<Report, Failure> {
    children::run(&Run { loaded, options }, device, launch, options.step_budget)
}

/// Runs one grid; gives what its threads have launched, too.
fn run_grid(
    device: &mut Device,
    loaded: &Loaded,
    launch: &Launch,
    options: &Options,
) -> Result<(Report, Vec<u64>), Failure> {
    let refused = |message: String| {
        Failure::from(Fault {
            kernel: Some(launch.kernel.clone()),
            ..Fault::new(FaultKind::Launch, message)
        })
    };
    if options.check_races {
        let message = "races are looked for in PTX only: this is machine code";
        return Err(Fault::new(FaultKind::Unsupported, message).into());
    }
    let Some(kernel) = loaded.kernel(&launch.kernel) else {
        let known = match loaded.kernels()[..] {
            [] => "no kernel at all".to_string(),
            ref names => names.join(", "),
        };
        return Err(refused(format!(
            "the cubin has no kernel '{}'; it has {known}",
            launch.kernel
        )));
    };
    let cluster = check_extents(&kernel.bounds, launch).map_err(refused)?;
    let parameters = check_arguments(kernel, launch).map_err(refused)?;
    let shared = kernel.shared_bytes + u64::from(launch.dynamic_shared);
    let sm = loaded.program.sm;
    // The sizes of cubins hold what the system takes, from sm_90 on.
    let limit = u64::from(sm.info().shared.max_per_cta + sm.info().shared.reserved_per_cta);
    if shared > limit {
        return Err(refused(format!(
            "{shared} bytes of shared memory with what the system takes, more than the {limit} that a CTA can have on {sm}"
        )));
    }
    let mut kernel = kernel.clone();
    if kernel.stack_bytes >= DEEP {
        let wanted = u64::from(options.stack_bytes).next_multiple_of(16).min(LOCAL_LIMIT);
        kernel.stack_bytes = kernel.stack_bytes.max(wanted);
    }
    for (bank, address, size) in &loaded.constants {
        kernel.banks.push((*bank, device.read(*address, *size)?));
        if *bank == CONSTANT_BANK {
            kernel.constant_address = *address;
        }
    }
    // A copy that generic addresses lead to, aligned as in the bank.
    let base = u64::from(kernel.parameter_base);
    let window = device.allocate(base + parameters.len() as u64, 4096);
    let parameter_address = window + base;
    if !parameters.is_empty() {
        device.write(parameter_address, &parameters)?;
    }
    let workspace = match launch.cooperative {
        true => {
            let workspace = device.allocate(WORKSPACE, WORKSPACE);
            device.write(workspace, &(WORKSPACE as u32).to_le_bytes())?;
            device.mark_written(workspace);
            workspace
        }
        false => 0,
    };
    let bound = loaded.images.bind(device, &kernel.name)?;
    let plan = Plan {
        bound: &bound,
        program: &loaded.program,
        kernel: &kernel,
        launch,
        cluster,
        parameters,
        parameter_address,
        workspace,
    };
    let outcome = crate::grid::run(&plan, device, options);
    device.free(window)?;
    if workspace != 0 {
        device.free(workspace)?;
    }
    bound.release(device)?;
    outcome
}

/// Bytes of the memory where CTAs of a cooperative launch meet: its size, and a barrier's word (cooperative_groups of CUDA 13.0).
const WORKSPACE: u64 = 256;

/// The bank of `.const` variables.
const CONSTANT_BANK: u8 = 3;

/// Checks number and sizes of arguments; gives the parameter block.
fn check_arguments(kernel: &Kernel, launch: &Launch) -> Result<Vec<u8>, String> {
    let (given, wanted) = (launch.arguments.len(), kernel.parameters.len());
    if given != wanted {
        return Err(format!("{given} arguments, but the kernel takes {wanted}"));
    }
    let mut block = vec![0; kernel.parameter_bytes as usize];
    for (index, (argument, (offset, size))) in launch.arguments.iter().zip(&kernel.parameters).enumerate() {
        if argument.len() as u64 != *size {
            return Err(format!(
                "argument {index} has {} bytes, but the parameter has {size}",
                argument.len()
            ));
        }
        let (start, end) = (*offset as usize, (*offset + *size) as usize);
        block.resize(block.len().max(end), 0);
        block[start..end].copy_from_slice(argument);
    }
    Ok(block)
}
