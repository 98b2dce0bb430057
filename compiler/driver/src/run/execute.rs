//! Runs a plan in the PTX interpreter.

use std::path::Path;

use warpsmith_base::{Diagnostic, SourceText};
use warpsmith_emu::ptx::{self as emu, Device, Failure, Fault, Loaded, Options, Report};
use warpsmith_ptx::Span;
use warpsmith_ptx::module::{Function, Module, Variable};
use warpsmith_ptx::table::TypeKind;

use super::array::{Array, Element};
use super::plan::{Argument, Launch, Plan};
use crate::{Console, files, ptx};

/// No buffer is less aligned; what the vendor's allocator promises.
const ALIGNMENT: u64 = 256;

/// What a run left behind.
pub(crate) struct Outcome {
    /// The memory.
    device: Device,
    /// The module's variables.
    loaded: Loaded,
    module: Module,
    /// Address of each buffer of the plan.
    addresses: Vec<u64>,
    /// Of each launch, the failed one included.
    pub reports: Vec<Report>,
    /// The faults that ended the run early; at least one.
    pub faults: Option<(Vec<Fault>, Box<SourceText>)>,
}

/// Runs a plan. A fault of a kernel is part of the outcome; an error is what kept the kernels from running.
pub(crate) fn execute(plan: &Plan, console: &mut Console) -> Result<Outcome, Vec<Diagnostic>> {
    let bytes = files::read_input(&plan.module)?;
    let name = files::shown(&plan.module);
    if bytes.starts_with(b"\x7fELF") {
        let error = Diagnostic::error("a cubin cannot be run yet, only PTX").in_file(name);
        return Err(vec![error.note("PTX is what `nvcc -ptx` writes")]);
    }
    let module = ptx::checked(&plan.module, &bytes, console)?.module;
    let source = SourceText::new(name, ptx::readable(&bytes));
    let mut device = Device::new();
    let loaded = emu::load(&mut device, &module).map_err(|fault| {
        console.complain(&diagnostic(&fault, &source).render(&source));
        vec![Diagnostic::error("the module cannot be loaded").in_file(source.name())]
    })?;
    let mut outcome = Outcome {
        device,
        loaded,
        module,
        addresses: Vec::new(),
        reports: Vec::new(),
        faults: None,
    };
    let failed = |reason: String| vec![Diagnostic::error(reason).in_file(source.name())];
    outcome.prepare(plan).map_err(failed)?;
    let launches: Result<Vec<emu::Launch>, String> =
        plan.launches.iter().map(|launch| outcome.launch(launch)).collect();
    let options = options(plan);
    for launch in launches.map_err(failed)? {
        match emu::run(&mut outcome.device, &outcome.loaded, &launch, &options) {
            Ok(report) => outcome.reports.push(report),
            Err(Failure { fault, more, report }) => {
                let faults = std::iter::once(fault).chain(more).collect();
                outcome.faults = Some((faults, Box::new(source)));
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
            let address = self.device.allocate(buffer.array.bytes.len().max(1) as u64, ALIGNMENT);
            if buffer.initialised {
                self.write(address, &buffer.array.bytes)?;
            }
            self.addresses.push(address);
        }
        for (name, array) in &plan.variables {
            let (address, size) = self.loaded.variable(name).ok_or_else(|| self.no_variable(name))?;
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

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), String> {
        self.device.write(address, bytes).map_err(|fault| fault.to_string())
    }

    /// What a buffer or a module's variable holds.
    pub(crate) fn array(&self, plan: &Plan, name: &str) -> Result<Array, String> {
        let read = |address, size| self.device.read(address, size).map_err(|fault| fault.to_string());
        if let Some(index) = plan.buffer(name) {
            let start = &plan.buffers[index].array;
            return Ok(Array {
                bytes: read(self.addresses[index], start.bytes.len() as u64)?,
                ..start.clone()
            });
        }
        let (address, size) = self.loaded.variable(name).ok_or_else(|| self.no_variable(name))?;
        let variable = self
            .module
            .variables
            .iter()
            .find(|variable| self.is_named(variable, name));
        let element = variable
            .and_then(|variable| element(variable, false))
            .unwrap_or(Element::U8);
        Ok(Array::from_bytes(element, read(address, size)?))
    }

    fn is_named(&self, variable: &Variable, name: &str) -> bool {
        variable.name.is_some_and(|own| self.module.names.get(own) == name)
    }

    fn no_variable(&self, name: &str) -> String {
        format!("there is no buffer or module variable `{name}`")
    }

    /// The launch in the interpreter's terms.
    fn launch(&self, launch: &Launch) -> Result<emu::Launch, String> {
        let kernel = self.kernel(launch.kernel.as_deref())?;
        let name = self.module.names.get(kernel.name);
        let (wanted, given) = (kernel.parameters.len(), launch.arguments.len());
        if wanted != given {
            return Err(format!(
                "kernel `{name}` has {wanted} parameters, but {given} arguments are given"
            ));
        }
        let sizes = self.loaded.parameters(name).unwrap_or_default();
        let arguments = kernel.parameters.iter().zip(&launch.arguments).zip(&sizes).enumerate();
        let arguments = arguments.map(|(index, ((&parameter, argument), &(size, _)))| {
            let parameter = &self.module.variables[parameter.0 as usize];
            self.argument(argument, parameter, size)
                .map_err(|reason| format!("argument {} of kernel `{name}`: {reason}", index + 1))
        });
        Ok(emu::Launch {
            kernel: name.to_owned(),
            grid: launch.grid,
            block: launch.block,
            cluster: launch.cluster,
            dynamic_shared: launch.shared,
            arguments: arguments.collect::<Result<_, _>>()?,
        })
    }

    /// The kernel of a name, or the only one.
    fn kernel(&self, name: Option<&str>) -> Result<&Function, String> {
        let kernels = || {
            self.module
                .functions
                .iter()
                .filter(|function| function.kernel && function.body.is_some())
        };
        let names = || {
            let names: Vec<&str> = kernels().map(|kernel| self.module.names.get(kernel.name)).collect();
            match names.as_slice() {
                [] => "the module has none".to_owned(),
                names => format!("there are {}", names.join(", ")),
            }
        };
        match name {
            Some(name) => kernels()
                .find(|kernel| self.module.names.get(kernel.name) == name)
                .ok_or_else(|| format!("there is no kernel `{name}`; {}", names())),
            None => match kernels().collect::<Vec<_>>().as_slice() {
                [one] => Ok(one),
                [] => Err("the module has no kernel".to_owned()),
                _ => Err(format!("which kernel is meant must be said; {}", names())),
            },
        }
    }

    /// The bytes of an argument, which must fill the parameter.
    fn argument(&self, argument: &Argument, parameter: &Variable, size: u64) -> Result<Vec<u8>, String> {
        let number = |element: Element, text: &str| {
            let bits = element.parse(text)?;
            Ok::<_, String>(bits.to_le_bytes()[..element.size()].to_vec())
        };
        let bytes = match argument {
            Argument::Number(Some(element), text) => number(*element, text)?,
            Argument::Number(None, text) => {
                let fraction = Element::S64.parse(text).is_err();
                let element = element(parameter, fraction).filter(|element| element.size() as u64 == size);
                number(
                    element.ok_or("the parameter is no number; bytes:SOURCE gives a structure")?,
                    text,
                )?
            }
            Argument::Address(buffer, offset) => {
                let address = self.addresses[*buffer].wrapping_add(*offset);
                let bytes = usize::from(self.module.address_size / 8).min(8);
                address.to_le_bytes()[..bytes].to_vec()
            }
            Argument::Bytes(bytes) => bytes.clone(),
        };
        match bytes.len() as u64 == size {
            true => Ok(bytes),
            false => Err(format!("it has {} bytes, but the parameter {size}", bytes.len())),
        }
    }
}

/// The type of a variable's elements; untyped bits are read as a floating-point number where `fraction` says so.
fn element(variable: &Variable, fraction: bool) -> Option<Element> {
    let info = variable.element.info();
    let prefix = match info.kind {
        TypeKind::Bits if fraction => "f",
        TypeKind::Bits | TypeKind::Unsigned => "u",
        TypeKind::Signed => "s",
        TypeKind::Float => return Element::from_name(info.name),
        TypeKind::Packed | TypeKind::Predicate | TypeKind::Opaque => return None,
    };
    Element::from_name(&format!("{prefix}{}", info.bits))
}

/// A fault with its line of PTX.
pub(crate) fn diagnostic(fault: &Fault, source: &SourceText) -> Diagnostic {
    let error = Diagnostic::error(format!("{}: {}", fault.kind.name(), fault.message));
    let error = match fault.span {
        Some(span) => error.at(source, on_text(span, source)),
        None => error.in_file(source.name()),
    };
    let error = place(fault).into_iter().fold(error, Diagnostic::note);
    let Some(other) = &fault.other else { return error };
    let line = other
        .span
        .map(|span| source.line_column(on_text(span, source).start).line);
    let error = error.note(match (&other.instruction, line) {
        (Some(instruction), Some(line)) => {
            format!("the access before: {}, at {instruction} in line {line}", other.message)
        }
        _ => format!("the access before: {}", other.message),
    });
    place(other).into_iter().fold(error, Diagnostic::note)
}

/// Function, thread and source line of a fault, in words.
fn place(fault: &Fault) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(kernel) = &fault.kernel {
        notes.push(match &fault.function {
            Some(function) if function != kernel => format!("in kernel {kernel}, function {function}"),
            Some(_) | None => format!("in kernel {kernel}"),
        });
    }
    if let Some([x, y, z]) = fault.cta {
        notes.push(match fault.thread {
            Some([i, j, k]) => format!("CTA ({x}, {y}, {z}), thread ({i}, {j}, {k})"),
            None => format!("CTA ({x}, {y}, {z})"),
        });
    }
    if let Some(place) = &fault.place {
        let file = Path::new(&place.file).file_name().unwrap_or_default();
        notes.push(format!(
            "from {}:{}:{}",
            file.to_string_lossy(),
            place.line,
            place.column
        ));
    }
    notes
}

fn on_text(span: Span, source: &SourceText) -> std::ops::Range<usize> {
    let length = source.text().len();
    let start = span.range().start.min(length);
    start..span.range().end.clamp(start, length)
}
