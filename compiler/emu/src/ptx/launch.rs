//! Loading a module and launching its kernels.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use warpsmith_ptx::{
    instruction::Variant,
    locations::DebugStrings,
    module::{Function, FunctionDirective, Module},
};

use super::{
    Device, Failure, Fault, FaultKind, Launch, Options, Report,
    code::{Code, FUNCTION_BASE, Op, Program},
    decode::decode,
    grid::Plan,
    layout::Layout,
};
use crate::{
    children,
    launch::{SHARED_LIMIT, check_extents},
};

/// A module made ready to run on one device.
#[derive(Debug)]
pub struct Loaded {
    program: Program,
    variables: FxHashMap<String, (u64, u64)>,
}

impl Loaded {
    /// The kernels, in order of the text.
    pub fn kernels(&self) -> Vec<&str> {
        let functions = self.program.functions.iter();
        functions
            .filter(|code| code.kernel)
            .map(|code| code.name.as_str())
            .collect()
    }

    /// Size and alignment in bytes of each parameter of a kernel.
    pub fn parameters(&self, kernel: &str) -> Option<Vec<(u64, u64)>> {
        let (_, code) = self.kernel(kernel)?;
        Some(
            code.kernel_parameters
                .iter()
                .map(|(_, size, align)| (*size, *align))
                .collect(),
        )
    }

    /// The address and size of a `.global` or `.const` variable, for [`Device::read`] and [`Device::write`].
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        self.variables.get(name).copied()
    }

    /// Function and mnemonic of each instruction that the interpreter does not implement, in order of the text; executing one is a fault.
    pub fn unsupported(&self) -> Vec<(&str, &str)> {
        let mut found = Vec::new();
        for code in &self.program.functions {
            for (step, origin) in code.steps.iter().zip(&code.origins) {
                if matches!(step.op, Op::Unsupported) {
                    found.push((
                        code.name.as_str(),
                        self.program.mnemonics[origin.variant.0 as usize].as_str(),
                    ));
                }
            }
        }
        found
    }

    fn kernel(&self, name: &str) -> Option<(u32, &Code)> {
        let mut functions = self.program.functions.iter().enumerate();
        let (index, code) = functions.find(|(_, code)| code.kernel && code.name == name)?;
        Some((index as u32, code))
    }
}

/// Places the variables of a module on the device and makes its functions ready.
///
/// # Errors
/// A variable that is declared but not defined, or a module of 32-bit addresses for a device whose memory lies higher.
pub fn load(device: &mut Device, module: &Module) -> Result<Loaded, Fault> {
    if module.address_size == 32 && !device.make_narrow() {
        return Err(Fault::new(
            FaultKind::Load,
            "the module has 32-bit addresses: use a device with narrow addresses",
        ));
    }
    let layout = Layout::of(device, module)?;
    let names = DebugStrings::of(module);
    let functions = module.functions.iter().map(|function| {
        let mut code = match &function.body {
            Some(body) => decode(module, &layout, &names, function, body),
            None => Code {
                name: module.names.get(function.name).to_string(),
                ..Code::default()
            },
        };
        launch_bounds(function, &mut code);
        Arc::new(code)
    });
    let program = Program {
        functions: functions.collect(),
        mnemonics: module.variants.iter().map(Variant::mnemonic).collect(),
        files: module
            .files
            .iter()
            .map(|file| (file.index, module.names.get(file.name).to_string()))
            .collect(),
        shared_bytes: layout.shared_bytes,
        constant_ranges: layout.constant_ranges.clone(),
        handles: layout.handles.clone(),
    };
    Ok(Loaded {
        program,
        variables: layout.named,
    })
}

/// What the kernel itself says about how it is launched.
fn launch_bounds(function: &Function, code: &mut Code) {
    let extents = |values: &[u64]| std::array::from_fn(|axis| values.get(axis).map_or(1, |value| *value as u32));
    for directive in &function.directives {
        match directive {
            FunctionDirective::RequiredThreads(values) => code.bounds.required_threads = Some(extents(values)),
            FunctionDirective::MaxThreads(values) => code.bounds.maximum_threads = Some(extents(values)),
            FunctionDirective::RequiredCtasPerCluster(values) => code.bounds.required_cluster = Some(extents(values)),
            _ => {}
        }
    }
}

/// The function at an address that device code has.
fn function_at(program: &Program, address: u64) -> Option<&Code> {
    let offset = address.checked_sub(FUNCTION_BASE)?;
    let index = usize::try_from(offset / 16)
        .ok()
        .filter(|_| offset.is_multiple_of(16))?;
    program.functions.get(index).map(Arc::as_ref)
}

/// A module and how it is run.
struct Run<'r> {
    loaded: &'r Loaded,
    options: &'r Options,
}

impl children::Module for Run<'_> {
    fn kernel_at(&self, address: u64) -> Option<(String, Vec<(u64, u64)>)> {
        let code = function_at(&self.loaded.program, address).filter(|code| code.kernel)?;
        let places = code.kernel_parameters.iter().map(|(offset, size, _)| (*offset, *size));
        Some((code.name.clone(), places.collect()))
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
    let Some((function, code)) = loaded.kernel(&launch.kernel) else {
        let known = loaded.kernels().join(", ");
        let known = if known.is_empty() {
            "no kernel at all".to_string()
        } else {
            known
        };
        return Err(refused(format!(
            "the module has no kernel '{}'; it has {known}",
            launch.kernel
        )));
    };
    let cluster = check_extents(&code.bounds, launch).map_err(refused)?;
    let parameters = check_arguments(code, launch).map_err(refused)?;
    let shared = loaded
        .program
        .shared_bytes(function)
        .saturating_add(u64::from(launch.dynamic_shared));
    if shared > SHARED_LIMIT {
        return Err(refused(format!(
            "{shared} bytes of shared memory, more than the {SHARED_LIMIT} that a CTA can have"
        )));
    }
    let plan = Plan {
        program: &loaded.program,
        function,
        launch,
        cluster,
        parameters,
    };
    crate::grid::run(&plan, device, options)
}

/// Checks number and sizes of arguments; gives the parameter block.
fn check_arguments(code: &Code, launch: &Launch) -> Result<Vec<u8>, String> {
    let (given, wanted) = (launch.arguments.len(), code.kernel_parameters.len());
    if given != wanted {
        return Err(format!("{given} arguments, but the kernel takes {wanted}"));
    }
    let mut block = vec![0; code.parameter_bytes as usize];
    for (index, (argument, (offset, size, _))) in launch.arguments.iter().zip(&code.kernel_parameters).enumerate() {
        if argument.len() as u64 != *size {
            return Err(format!(
                "argument {index} has {} bytes, but the parameter has {size}",
                argument.len()
            ));
        }
        block[*offset as usize..(*offset + *size) as usize].copy_from_slice(argument);
    }
    Ok(block)
}
