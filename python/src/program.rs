//! A module in the emulator: its kernels with their parameters, and a launch.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};
use warpsmith::emulator::{self, Buffer, ElementType, Emulator, Launch, Named, Report, Text};
use warpsmith::listing::{self, Style};
use warpsmith::{Options, Ptx, Session, Sm, Source, SourceText};
use warpsmith_ptx::module::Variable;
use warpsmith_ptx::table::TypeKind;

use crate::files::Files;
use crate::wait::{self, Cancel};
use crate::{failure, messages};

/// A module that was loaded for one launch.
#[pyclass(frozen, module = "warpsmith._native")]
#[derive(Debug)]
pub(crate) struct Program {
    emulator: Mutex<Emulator>,
    /// It says the types of parameters, where there is any.
    ptx: Option<Ptx>,
    is_machine_code: bool,
    text: Text,
    name: String,
    files: Files,
}

/// A buffer as Python gives it: what messages call it, its bytes, and name and size of its elements' type.
type Given = (String, PyBackedBytes, Option<(String, u64)>);

/// An argument: the bytes of the parameter, or which of the buffers it is the address of.
#[derive(FromPyObject)]
enum GivenArgument {
    Address(usize),
    Bytes(PyBackedBytes),
}

#[pymethods]
impl Program {
    /// Loads machine code, or PTX where there is none; `is_ptx` says that the PTX is the user's own text.
    #[new]
    fn new(
        py: Python<'_>,
        name: String,
        cubin: Option<PyBackedBytes>,
        ptx: Option<String>,
        is_ptx: bool,
        texts: HashMap<String, Vec<u8>>,
    ) -> PyResult<Program> {
        let raised = |failure| failure::raised(py, &failure);
        let read = |text| Session::new(Options::new(Sm::Sm90)).read_ptx(&Source::ptx(name.clone(), text));
        let ptx = ptx.map(read).transpose().map_err(raised)?;
        let emulator = match (&cubin, &ptx) {
            (Some(cubin), _) => Emulator::load(cubin),
            (None, Some(ptx)) => Emulator::load_ptx(ptx),
            (None, None) => return Err(PyValueError::new_err("there is nothing to run")),
        };
        Ok(Program {
            emulator: Mutex::new(emulator.map_err(raised)?),
            is_machine_code: cubin.is_some(),
            text: if is_ptx { Text::Own } else { Text::Made },
            ptx,
            name,
            files: Files::new(texts),
        })
    }

    /// The name of the kernel that is meant (the only one, where nothing is given), and size and kind of each of its parameters.
    fn kernel(&self, name: Option<&str>) -> PyResult<(String, Vec<(u64, &'static str)>)> {
        let emulator = self.emulator();
        let kernel = emulator.kernel(name).map_err(PyValueError::new_err)?;
        let sizes = emulator.parameters(kernel).unwrap_or_default();
        let parameters = sizes.iter().enumerate();
        let parameters = parameters.map(|(index, size)| (*size, self.kind(kernel, index)));
        Ok((kernel.to_owned(), parameters.collect()))
    }

    /// Runs a kernel; what it did, and what the buffers hold then.
    #[pyo3(signature = (kernel, grid, block, cluster, shared, cooperative, arguments, buffers, options, cancel))]
    // Each is an argument of Python's function.
    #[allow(clippy::too_many_arguments)]
    fn launch<'py>(
        &self,
        py: Python<'py>,
        kernel: String,
        grid: [u32; 3],
        block: [u32; 3],
        cluster: [u32; 3],
        shared: u32,
        cooperative: bool,
        arguments: Vec<GivenArgument>,
        buffers: Vec<Given>,
        options: &Bound<'py, PyDict>,
        cancel: Option<&Bound<'py, Cancel>>,
    ) -> PyResult<(Bound<'py, PyDict>, Vec<Bound<'py, PyBytes>>)> {
        let flag = wait::flag(cancel);
        let mut options = self.options(options)?;
        options.cancel = flag.clone();
        let launch = |arguments| Launch {
            kernel,
            grid,
            block,
            cluster,
            dynamic_shared: shared,
            cooperative,
            arguments,
        };
        let work = || {
            let mut emulator = self.emulator();
            emulator.options = options;
            run(&mut emulator, &buffers, &arguments, launch)
        };
        let (memory, result) = wait::interruptible(py, &flag, work)?.map_err(PyRuntimeError::new_err)?;
        match result {
            Ok((report, contents)) => {
                let contents = contents.iter().map(|bytes| PyBytes::new(py, bytes));
                Ok((reported(py, &report)?, contents.collect()))
            }
            Err(_) if flag.is_cancelled() => Err(failure::raised(py, &warpsmith::Failure::Cancelled)),
            Err(error) => Err(self.fault(py, error.fault(), &memory)?),
        }
    }
}

impl Program {
    fn emulator(&self) -> MutexGuard<'_, Emulator> {
        self.emulator.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of a parameter: how its bits are read.
    fn kind(&self, kernel: &str, index: usize) -> &'static str {
        let parameter = self.ptx.as_ref().and_then(|ptx| {
            let mut functions = ptx.module.functions.iter();
            let kernel = functions.find(|own| own.kernel && ptx.module.names.get(own.name) == kernel)?;
            ptx.module.variables.get(kernel.parameters.get(index)?.0 as usize)
        });
        parameter.map_or("unknown", kind)
    }

    fn options(&self, given: &Bound<'_, PyDict>) -> PyResult<emulator::Options> {
        let mut options = emulator::Options::default();
        for (name, value) in given {
            let name: String = name.extract()?;
            match name.as_str() {
                "seed" => options.seed = value.extract()?,
                "budget" => options.step_budget = value.extract()?,
                "threads" => options.threads = value.extract()?,
                "races" => options.check_races = value.extract()?,
                "uninitialised" => options.check_uninitialised = value.extract()?,
                "copies" => options.delay_copies = value.extract()?,
                "hazards" if self.is_machine_code => options.check_hazards = value.extract()?,
                "registers" if !self.is_machine_code => options.check_registers = value.extract()?,
                "hazards" => {
                    let reason = "the check `hazards` is for machine code, and this is PTX";
                    return Err(PyValueError::new_err(reason));
                }
                "registers" => {
                    let reason = "the check `registers` is for PTX, and this is machine code";
                    return Err(PyValueError::new_err(reason));
                }
                _ => return Err(PyValueError::new_err(format!("there is no option `{name}`"))),
            }
        }
        Ok(options)
    }

    /// The exception of a fault, with its place in the source.
    fn fault(&self, py: Python<'_>, fault: &emulator::Fault, memory: &[Named]) -> PyResult<PyErr> {
        let own = self.ptx.as_ref().filter(|_| self.text == Text::Own);
        let source = SourceText::new(&self.name, own.map_or("", |ptx| ptx.text.as_str()));
        let (diagnostic, shown) = emulator::diagnose(fault, self.text, &source, memory, &self.files);
        let message = messages::of(py, &diagnostic, None, &diagnostic.render(&shown))?;
        let about = PyDict::new(py);
        about.set_item("kind", fault.kind.name())?;
        about.set_item("kernel", &fault.kernel)?;
        about.set_item("cta", fault.cta.map(|[x, y, z]| (x, y, z)))?;
        about.set_item("thread", fault.thread.map(|[x, y, z]| (x, y, z)))?;
        Ok(failure::Failure::new_err((
            "fault",
            vec![message.unbind()],
            about.unbind(),
        )))
    }
}

/// What a run came to: its report and what buffers hold, or its fault.
type Ended = Result<(Report, Vec<Vec<u8>>), emulator::RunError>;

/// Fills buffers, launches, and reads them again.
///
/// # Errors
/// That the host has no memory for the buffers.
fn run(
    emulator: &mut Emulator,
    given: &[Given],
    arguments: &[GivenArgument],
    launch: impl FnOnce(Vec<Vec<u8>>) -> Launch,
) -> Result<(Vec<Named>, Ended), String> {
    let mut buffers = Vec::with_capacity(given.len());
    let mut memory = Vec::with_capacity(given.len());
    for (name, bytes, element) in given {
        // Something of no size has an address, too.
        let start = if bytes.is_empty() { &[0][..] } else { bytes };
        let buffer = emulator.buffer(start).map_err(|error| error.to_string())?;
        memory.push(Named {
            name: name.clone(),
            address: buffer.address(),
            bytes: bytes.len() as u64,
            element: (element.as_ref()).map(|(name, bytes)| ElementType {
                name: name.clone(),
                bytes: *bytes,
            }),
        });
        buffers.push(buffer);
    }
    let arguments = arguments.iter().map(|argument| match argument {
        GivenArgument::Address(index) => {
            let buffer: Option<&Buffer> = buffers.get(*index);
            let address = buffer.map_or(0, |buffer| buffer.address());
            address.to_le_bytes().to_vec()
        }
        GivenArgument::Bytes(bytes) => bytes.to_vec(),
    });
    let arguments = arguments.collect();
    let ended = emulator.launch_as(&launch(arguments)).and_then(|report| {
        let contents = given
            .iter()
            .zip(&buffers)
            .map(|((_, bytes, _), buffer)| match bytes.is_empty() {
                true => Ok(Vec::new()),
                false => emulator.read::<u8>(*buffer),
            });
        Ok((report, contents.collect::<Result<_, _>>()?))
    });
    Ok((memory, ended))
}

/// How the bits of a parameter are read.
fn kind(parameter: &Variable) -> &'static str {
    if !parameter.dimensions.is_empty() || parameter.vector > 1 {
        return "structure";
    }
    match parameter.element.kind() {
        TypeKind::Bits => "bits",
        TypeKind::Unsigned => "unsigned",
        TypeKind::Signed => "signed",
        TypeKind::Float => "float",
        TypeKind::Packed | TypeKind::Predicate | TypeKind::Opaque => "structure",
    }
}

/// What a run did, under the names of the fields of `warpsmith.Report`.
fn reported<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let Report {
        instructions,
        thread_instructions,
        opcodes,
        divergent_branches,
        branches,
        barriers,
        memory,
        printed,
    } = report;
    let opcodes_by_name = PyDict::new(py);
    for (name, count) in opcodes {
        opcodes_by_name.set_item(name, count)?;
    }
    let out = PyDict::new(py);
    out.set_item("printed", printed)?;
    out.set_item("opcodes", opcodes_by_name)?;
    for (field, count) in [
        ("instructions", instructions),
        ("thread_instructions", thread_instructions),
        ("divergent_branches", divergent_branches),
        ("branches", branches),
        ("barriers", barriers),
        ("global_accesses", &memory.global_accesses),
        ("global_sectors", &memory.global_sectors),
        ("global_sectors_ideal", &memory.global_sectors_ideal),
        ("shared_accesses", &memory.shared_accesses),
        ("shared_conflicts", &memory.shared_conflicts),
        ("local_accesses", &memory.local_accesses),
        ("atomics", &memory.atomics),
    ] {
        out.set_item(field, count)?;
    }
    Ok(out)
}

/// The listing of a cubin, as nvdisasm prints it, or in Warpsmith's own style.
#[pyfunction]
pub(crate) fn disassemble(py: Python<'_>, cubin: PyBackedBytes, style: &str) -> PyResult<String> {
    let style = match style {
        "nvdisasm" => Style::Nvdisasm,
        "warpsmith" => Style::Warpsmith,
        _ => {
            let reason = format!("style: it is nvdisasm or warpsmith, not `{style}`");
            return Err(PyValueError::new_err(reason));
        }
    };
    py.detach(|| listing::disassemble(&cubin, style))
        .map_err(|failure| failure::raised(py, &failure))
}
