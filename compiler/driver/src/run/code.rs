//! What runs: PTX in the interpreter, machine code in the emulator, either on a GPU.

use std::path::Path;

use warpsmith::emulator::{Text, diagnose};
use warpsmith::{Disk, Language, Ptx, Session};
use warpsmith_base::{Diagnostic, SourceText};
use warpsmith_cubin::Cubin;
use warpsmith_emu::{Device, Failure, Launch, Options, Report, ptx as interpreter, sass};
use warpsmith_ptx::module::Module;
use warpsmith_target::Sm;

use super::{On, plan::Plan};
use crate::translate;
use crate::{Console, files, listing, ptx};

/// A module as it was loaded.
pub(crate) enum Code {
    /// PTX.
    Ptx(interpreter::Loaded),
    /// A cubin.
    Machine(sass::Loaded),
}

/// What [`load`] gives.
pub(crate) struct Program {
    /// What runs.
    pub code: Code,
    /// The PTX module, which says the types of parameters and variables; none where there is only machine code.
    pub module: Option<Module>,
    /// The text that messages refer to.
    pub source: SourceText,
    /// Whose text that is.
    pub text: Text,
    /// What is handed to a GPU's driver: PTX or a cubin.
    pub image: Vec<u8>,
}

/// Reads the plan's files and puts the module on the device.
pub(crate) fn load(plan: &Plan, device: &mut Device, console: &mut Console) -> Result<Program, Vec<Diagnostic>> {
    let session = session(plan);
    let language = translate::language_of(&plan.module);
    let (bytes, made) = match language {
        Some(language) => translated(plan, language, &session, console)?,
        None => (files::read_input(&plan.module)?, None),
    };
    let (module, machine) = match (&plan.code, machine_code(&plan.module, &bytes)?) {
        (None, Some(cubin)) => (None, Some((plan.module.as_path(), cubin))),
        (Some(_), Some(_)) => {
            let error = Diagnostic::error("--code needs a module of PTX, and this is machine code");
            return Err(vec![error.in_file(files::shown(&plan.module))]);
        }
        (None, None) => {
            let read = ptx::checked(&plan.module, &bytes, console)?.module;
            let name = files::shown(&plan.module);
            let ptx = made.unwrap_or_else(|| Ptx::new(name, warpsmith::readable(&bytes), read));
            let compiled = match plan.arch.filter(|_| plan.on != Some(On::Interpreter)) {
                Some(_) => Some((plan.module.as_path(), compile(plan, &ptx, &session, console)?)),
                None => None,
            };
            (Some(ptx.module), compiled)
        }
        (Some(path), None) => {
            let module = ptx::checked(&plan.module, &bytes, console)?.module;
            let code = machine_code(path, &files::read_input(path)?)?.ok_or_else(|| {
                vec![Diagnostic::error("a cubin or a listing (.sass) is wanted").in_file(files::shown(path))]
            })?;
            (Some(module), Some((path.as_path(), code)))
        }
    };
    check_place(plan, machine.is_some())?;
    if plan.settings.listing {
        print_listing(machine.as_ref().map(|(_, cubin)| cubin), console)?;
    }
    // Lines of PTX mean something to who wrote it.
    let text = match (language, &plan.code, &module) {
        (None, None, Some(_)) => Text::Own,
        (Some(_), _, _) | (_, Some(_), _) | (_, _, None) => Text::Made,
    };
    let (loaded, source, image) = match (&module, machine) {
        (_, Some((path, cubin))) => {
            let shown = match text {
                Text::Own => warpsmith::readable(&bytes),
                Text::Made => String::new(),
            };
            let source = SourceText::new(files::shown(path), shown);
            (sass::load(device, &cubin).map(Code::Machine), source, cubin.write())
        }
        (Some(module), None) => {
            let source = SourceText::new(files::shown(&plan.module), warpsmith::readable(&bytes));
            (interpreter::load(device, module).map(Code::Ptx), source, bytes)
        }
        (None, None) => return Err(vec![Diagnostic::error("there is nothing to run")]),
    };
    let code = loaded.map_err(|fault| {
        let (diagnostic, shown) = diagnose(&fault, text, &source, &[], &Disk);
        console.diagnose_in(&diagnostic, &shown);
        vec![Diagnostic::error("the module cannot be loaded").in_file(source.name())]
    })?;
    Ok(Program {
        code,
        module,
        source,
        text,
        image,
    })
}

/// Prints the code of each function of a cubin.
fn print_listing(cubin: Option<&Cubin>, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    let Some((cubin, sm)) = cubin.and_then(|cubin| Some((cubin, cubin.target()?))) else {
        let error = "--listing is of machine code, and this is PTX; --arch compiles it";
        return Err(vec![Diagnostic::error(error)]);
    };
    let options = warpsmith_listing::ListingOptions::default();
    for (section, name) in cubin.functions() {
        let code = cubin.section_bytes(section).unwrap_or_default();
        let text = listing::of_words(code, sm, 0, &options);
        let text = text.map_err(|error| listing::diagnostics(Path::new(name), error))?;
        let printed = console
            .print(format!("{name}:\n").as_bytes())
            .and_then(|()| console.print(&text));
        printed.map_err(|error| vec![Diagnostic::error(format!("cannot write: {error}"))])?;
    }
    Ok(())
}

/// How the plan's files are compiled. What goes wrong is to be shown at the lines of the source; the code is the same.
fn session(plan: &Plan) -> Session {
    translate::session(warpsmith::Options {
        line_info: true,
        ..warpsmith::Options::new(plan.arch.unwrap_or(Sm::Sm90))
    })
}

/// The PTX of a file in another language.
fn translated(
    plan: &Plan,
    language: Language,
    session: &Session,
    console: &mut Console,
) -> Result<(Vec<u8>, Option<Ptx>), Vec<Diagnostic>> {
    let mut steps = translate::Steps::default();
    let dump = translate::Dump::Nothing;
    match translate::to_ptx(
        &plan.module,
        &translate::source(&plan.module, language)?,
        session,
        &dump,
        &mut steps,
        console,
    )? {
        translate::Translated::Ptx(ptx, _, _) => Ok((ptx.text.clone().into_bytes(), Some(*ptx))),
        translate::Translated::Shown => Ok((Vec::new(), None)),
    }
}

/// The cubin that the PTX becomes.
fn compile(plan: &Plan, ptx: &Ptx, session: &Session, console: &mut Console) -> Result<Cubin, Vec<Diagnostic>> {
    let output = session.assemble(ptx);
    let output = output.map_err(|failure| translate::refused(&plan.module, &failure, console))?;
    if plan.settings.statistics {
        crate::compile::report(&output.functions, console);
    }
    Ok(output.cubin)
}

/// Whether what is asked to run the code, and to check it, can.
fn check_place(plan: &Plan, machine: bool) -> Result<(), Vec<Diagnostic>> {
    let reason = match (plan.on, machine) {
        (Some(On::Interpreter), true) => "the interpreter runs PTX, and this is machine code",
        (Some(On::Emulator), false) => {
            "the emulator runs machine code: --arch compiles PTX to it, --code gives it beside PTX"
        }
        (Some(On::Gpu), _) => return Ok(()),
        (_, true) if plan.settings.registers => "the check `registers` is for PTX, and this is machine code",
        (_, false) if plan.settings.hazards => "the check `hazards` is for machine code, and this is PTX",
        _ => return Ok(()),
    };
    let path = plan.code.as_ref().unwrap_or(&plan.module);
    Err(vec![Diagnostic::error(reason).in_file(files::shown(path))])
}

/// The cubin that a file holds, or that its listing (by its name, `.sass`) assembles to; `None` for other files.
fn machine_code(path: &Path, bytes: &[u8]) -> Result<Option<Cubin>, Vec<Diagnostic>> {
    if bytes.starts_with(b"\x7fELF") {
        return files::read_cubin(path, bytes).map(Some);
    }
    if path.extension().is_none_or(|extension| extension != "sass") {
        return Ok(None);
    }
    let name = files::shown(path);
    let assembled = warpsmith_listing::assemble_to_run(&String::from_utf8_lossy(bytes), &name, false)?;
    files::read_cubin(path, &assembled.cubin).map(Some)
}

impl Code {
    /// Address and size of a module variable.
    pub(crate) fn variable(&self, name: &str) -> Option<(u64, u64)> {
        match self {
            Code::Ptx(loaded) => loaded.variable(name),
            Code::Machine(loaded) => loaded.variable(name),
        }
    }

    /// Bytes of each parameter of a kernel.
    pub(crate) fn parameters(&self, kernel: &str) -> Option<Vec<u64>> {
        match self {
            Code::Ptx(loaded) => {
                let parameters = loaded.parameters(kernel)?;
                Some(parameters.into_iter().map(|(size, _)| size).collect())
            }
            Code::Machine(loaded) => loaded.parameters(kernel),
        }
    }

    /// Offset and size of each parameter of a kernel, in bytes.
    pub(crate) fn parameter_places(&self, kernel: &str) -> Option<Vec<(u64, u64)>> {
        match self {
            // One after the other, each at the next multiple of its alignment (PTX ISA, "Kernel Function Parameters").
            Code::Ptx(loaded) => {
                let mut end = 0_u64;
                let places = loaded.parameters(kernel)?.into_iter().map(|(size, alignment)| {
                    let offset = end.next_multiple_of(alignment.max(1));
                    end = offset + size;
                    (offset, size)
                });
                Some(places.collect())
            }
            Code::Machine(loaded) => loaded.parameter_places(kernel),
        }
    }

    /// Runs a kernel.
    // A failure ends the run and says much: its size costs nothing.
    #[allow(clippy::result_large_err)]
    pub(crate) fn run(&self, device: &mut Device, launch: &Launch, options: &Options) -> Result<Report, Failure> {
        match self {
            Code::Ptx(loaded) => interpreter::run(device, loaded, launch, options),
            Code::Machine(loaded) => sass::run(device, loaded, launch, options),
        }
    }
}
