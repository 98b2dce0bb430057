//! A session: options, files, and the steps of a compile.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use warpsmith_base::{Cancel, Cause, Diagnostic, Severity, SourceText};
use warpsmith_cubin::detect::{Container, container};
use warpsmith_cuda::source::{self, Disk, FileSystem};
use warpsmith_ir::{Dialect, Linkage, Module, Wanted};
use warpsmith_opt::{Observer, Report};
use warpsmith_ori::{Output, phase};
use warpsmith_ptx::parse;
use warpsmith_target::Sm;

use crate::source::Files;
use crate::{Artifact, Emit, Failure, Language, Message, Options, Ptx, Source, Unit, library, lines};

/// How to compile, and where files come from. A session keeps nothing of what it has compiled: the same source gives the same bytes, whatever came
/// before and whatever other threads do with it.
///
/// [`Session::compile`] is all of a compile. The steps that it is made of are there by themselves, for who wants to look between them or to time
/// them: [`front`](Session::front), [`link_library`](Session::link_library), [`optimise`](Session::optimise), [`select`](Session::select),
/// [`read_ptx`](Session::read_ptx), [`assemble`](Session::assemble).
#[derive(Clone, Debug)]
pub struct Session {
    options: Options,
    files: Files,
    cancel: Cancel,
    keeps_memory: bool,
}

impl Session {
    /// A session that finds files on the disk.
    pub fn new(options: Options) -> Session {
        Session {
            options,
            files: Files::new(Disk),
            cancel: Cancel::never(),
            keeps_memory: false,
        }
    }

    /// Takes files from elsewhere: [`Memory`](crate::Memory), a [`Callback`](crate::Callback), or what else is a [`FileSystem`]. Nothing is then read
    /// from the disk.
    pub fn with_files(mut self, files: impl FileSystem + Send + Sync + 'static) -> Session {
        self.files = Files::new(files);
        self
    }

    /// Memory of the CUDA front end is not given back when a compile is done: for a program that ends then. With large headers that saves an eighth of the time.
    pub fn keeping_memory(mut self) -> Session {
        self.keeps_memory = true;
        self
    }

    /// Ends compiles when a flag is set: they look at it between passes and functions.
    pub fn with_cancel(mut self, cancel: Cancel) -> Session {
        self.cancel = cancel;
        self
    }

    /// How it compiles.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Compiles a source as far as [`Options::emit`] says.
    ///
    /// # Errors
    /// Why nothing was made. A panic of the compiler, which would be a mistake of it, is [`Failure::Internal`], too.
    pub fn compile(&self, source: &Source) -> Result<Artifact, Failure> {
        let done = catch_unwind(AssertUnwindSafe(|| self.compiled(source)));
        done.unwrap_or_else(|payload| {
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            let text = text.unwrap_or_else(|| "a panic without words".to_owned());
            Err(Failure::internal([text], Some(source.name())))
        })
    }

    fn compiled(&self, source: &Source) -> Result<Artifact, Failure> {
        let emit = self.options.emit;
        let mut artifact = Artifact::default();
        let ptx = match source.language() {
            Language::Ptx => {
                let mut ptx = self.read_ptx(source)?;
                artifact.diagnostics = std::mem::take(&mut ptx.messages);
                fits(&ptx, self.options.target).map_err(|failure| failure.after(artifact.diagnostics.clone()))?;
                ptx
            }
            Language::Cuda | Language::Ir => {
                let mut unit = self.front(source)?;
                artifact.diagnostics = std::mem::take(&mut unit.messages);
                artifact.dependencies = std::mem::take(&mut unit.dependencies);
                artifact.names = std::mem::take(&mut unit.names);
                let made = self.lowered(&mut unit, &mut artifact);
                match made.map_err(|failure| failure.after(artifact.diagnostics.clone()))? {
                    Some(ptx) => ptx,
                    None => return Ok(artifact),
                }
            }
        };
        if emit == Emit::Cubin {
            let output = self.assemble(&ptx);
            let output = output.map_err(|failure| failure.after(artifact.diagnostics.clone()))?;
            artifact.remarks = remarks(&ptx, &output);
            artifact.cubin = Some(output.cubin.write());
            artifact.resources = output.functions;
        }
        if emit >= Emit::Ptx {
            artifact.ptx = Some(ptx.text);
        }
        Ok(artifact)
    }

    /// From the front end to PTX, where that is wanted.
    fn lowered(&self, unit: &mut Unit, artifact: &mut Artifact) -> Result<Option<Ptx>, Failure> {
        if self.options.emit == Emit::Check {
            return Ok(None);
        }
        self.link_library(unit)?;
        self.optimise(unit)?;
        if self.options.emit == Emit::Ir {
            artifact.ir = Some(unit.module.to_text(Dialect::Modern));
            return Ok(None);
        }
        if self.options.emit == Emit::Bitcode {
            artifact.bitcode = Some(warpsmith_bitcode::write(&unit.module));
            return Ok(None);
        }
        self.select(unit).map(Some)
    }

    /// The module of a source in CUDA C++ or IR, as it leaves the front end.
    ///
    /// # Errors
    /// What is wrong with the source. PTX is rejected: [`Session::read_ptx`] reads it.
    pub fn front(&self, source: &Source) -> Result<Unit, Failure> {
        self.alive()?;
        match source.language() {
            Language::Cuda => self.cuda(source),
            Language::Ir => self.ir(source),
            Language::Ptx => Err(Failure::rejected(
                Diagnostic::error("this is PTX, and CUDA C++ or IR is wanted").in_file(source.name()),
            )),
        }
    }

    fn cuda(&self, source: &Source) -> Result<Unit, Failure> {
        let files = self.files.with(source);
        let mut options = self.options.cuda(&self.cancel);
        options.keeps_memory = self.keeps_memory;
        let compilation = warpsmith_cuda::compile(&files, source.name(), &options);
        self.alive()?;
        let messages = said(&compilation.context);
        let Some(mut module) = compilation.module else {
            let cause = match compilation.unsupported {
                true => Cause::Unsupported,
                false => Cause::Input,
            };
            return Err(Failure::of(cause, messages));
        };
        if let (Some(debug), Some(directory)) = (&mut module.debug, &self.options.directory) {
            debug.directory.clone_from(directory);
        }
        Ok(Unit {
            module,
            // Objects that are linked later may call what this one has.
            whole_program: !self.options.relocatable,
            messages,
            dependencies: compilation.dependencies,
            names: compilation.names,
            host: compilation.host,
            name: source.name().to_owned(),
            files,
        })
    }

    /// Brings the functions of a library in IR into a module that are declared there and not defined, and what these need. They become the module's own. Whether
    /// there were any.
    ///
    /// # Errors
    /// What is wrong with the library.
    pub fn link_ir(&self, unit: &mut Unit, library: &Source) -> Result<bool, Failure> {
        let missing: HashSet<&str> = unit
            .module
            .functions()
            .filter(|(id, _)| unit.module.body(*id).is_none())
            .map(|(_, declaration)| declaration.name.as_str())
            .collect();
        let brought = self.read_ir(library, Some(&|name| missing.contains(name)))?.module;
        let brings = brought
            .functions()
            .any(|(id, declaration)| brought.body(id).is_some() && missing.contains(declaration.name.as_str()));
        if !brings {
            return Ok(false);
        }
        let known: HashSet<_> = unit
            .module
            .functions()
            .map(|(id, _)| id)
            .filter(|id| unit.module.body(*id).is_some())
            .collect();
        unit.module.link(&brought, Wanted::Needed).map_err(|problems| {
            let problems = problems
                .into_iter()
                .map(|one| Message::plain(one.in_file(library.name())));
            Failure::Rejected(problems.collect())
        })?;
        let new: Vec<_> = unit
            .module
            .functions()
            .map(|(id, _)| id)
            .filter(|id| unit.module.body(*id).is_some() && !known.contains(id))
            .collect();
        for id in new {
            unit.module.symbols.functions[id].linkage = Linkage::Internal;
        }
        Ok(true)
    }

    fn ir(&self, source: &Source) -> Result<Unit, Failure> {
        self.read_ir(source, None)
    }

    /// A module in IR: all of it, or of bitcode the functions that are wanted and what they need.
    fn read_ir(&self, source: &Source, wanted: Option<&dyn Fn(&str) -> bool>) -> Result<Unit, Failure> {
        let name = source.name();
        let bytes = self.bytes(source)?;
        let is_bitcode = warpsmith_bitcode::is_bitcode(&bytes);
        let texts = match is_bitcode {
            true => {
                let texts = match wanted {
                    Some(wanted) => warpsmith_bitcode::assembly_of(name, &bytes, wanted),
                    None => warpsmith_bitcode::assembly(name, &bytes),
                };
                texts.map_err(|problem| Failure::Rejected(vec![Message::plain(problem)]))?
            }
            false if container(&bytes) == Some(Container::Bitcode) => {
                let error = Diagnostic::error("NVIDIA's IR for link-time optimisation is not supported")
                    .note("its form is not public; LLVM's bitcode and text are read");
                return Err(Failure::Unsupported(vec![Message::plain(error.in_file(name))]));
            }
            false => vec![String::from_utf8_lossy(&bytes).into_owned()],
        };
        let mut whole: Option<(Module, SourceText)> = None;
        for text in texts {
            let text = SourceText::new(name, text);
            let module = self.ir_text(&text, is_bitcode)?;
            match &mut whole {
                None => whole = Some((module, text)),
                // A file of bitcode may hold several modules, which are parts of one.
                Some((whole, _)) => whole.link(&module, Wanted::All).map_err(|problems| {
                    let problems = problems.into_iter().map(|one| Message::plain(one.in_file(name)));
                    Failure::Rejected(problems.collect())
                })?,
            }
        }
        let Some((module, text)) = whole else {
            return Err(Failure::rejected(
                Diagnostic::error("there is no module in this file").in_file(name),
            ));
        };
        let mut messages = Vec::new();
        if self.options.debug && module.debug.is_none() {
            let nothing = Diagnostic::warning("there is no debug information for -G to pass on").in_file(name);
            messages.push(Message::about(nothing, &text));
        }
        Ok(Unit {
            module,
            whole_program: false,
            messages,
            dependencies: vec![name.to_owned()],
            names: Vec::new(),
            host: Vec::new(),
            name: name.to_owned(),
            files: self.files.with(source),
        })
    }

    /// A module from its text, which may be that of bitcode.
    fn ir_text(&self, text: &SourceText, is_bitcode: bool) -> Result<Module, Failure> {
        let read = match self.options.debug {
            true => Module::from_text_with_debug(text),
            false => Module::from_text(text),
        };
        read.map_err(|diagnostics| {
            let messages = diagnostics.into_iter().map(|one| {
                let one = match is_bitcode {
                    true => one.note("the line is that of the assembly that the bitcode stands for"),
                    false => one,
                };
                Message::about(one, text)
            });
            Failure::Rejected(messages.collect())
        })
    }

    /// The bytes of a source.
    fn bytes(&self, source: &Source) -> Result<Vec<u8>, Failure> {
        if let Some(bytes) = source.bytes() {
            return Ok(bytes.to_vec());
        }
        self.files.read(source.name()).map_err(|error| {
            Failure::rejected(Diagnostic::error(format!("cannot read: {error}")).in_file(source.name()))
        })
    }

    /// The preprocessed text of a source in CUDA C++, with line markers, and what was said of it.
    ///
    /// # Errors
    /// What is wrong with the source.
    pub fn preprocess(&self, source: &Source) -> Result<(String, Vec<Message>), Failure> {
        self.alive()?;
        let mut context = source::Context::new();
        let files = self.files.with(source);
        let text = source::print(&mut context, &files, &self.options.source(), source.name());
        let messages = said(&context);
        match context.diagnostics.has_errors() {
            true => Err(Failure::Rejected(messages)),
            false => Ok((text, messages)),
        }
    }

    /// The files that a source in CUDA C++ is made of, the source first, and what was said of it. Nothing but preprocessing is done.
    ///
    /// # Errors
    /// What is wrong with the source.
    pub fn dependencies(&self, source: &Source) -> Result<(Vec<String>, Vec<Message>), Failure> {
        self.alive()?;
        let mut context = source::Context::new();
        let files = self.files.with(source);
        let unit = source::preprocess(&mut context, &files, &self.options.source(), source.name());
        let messages = said(&context);
        match context.diagnostics.has_errors() {
            true => Err(Failure::Rejected(messages)),
            false => Ok((unit.dependencies, messages)),
        }
    }

    /// The typed program of a source in CUDA C++, in words: for looking at what the front end understood.
    ///
    /// # Errors
    /// What is wrong with the source.
    pub fn typed_program(&self, source: &Source) -> Result<(String, Vec<Message>), Failure> {
        self.alive()?;
        let mut compilation = warpsmith_cuda::Compilation::default();
        let files = self.files.with(source);
        let options = self.options.cuda(&self.cancel);
        let program = warpsmith_cuda::analyse(&mut compilation, &files, source.name(), &options);
        self.alive()?;
        let messages = said(&compilation.context);
        match program.filter(|_| !compilation.has_errors()) {
            Some(program) => Ok((warpsmith_cuda::hir::dump(&program), messages)),
            None => Err(Failure::Rejected(messages)),
        }
    }

    /// Gives a module the functions of the maths library that it calls.
    ///
    /// # Errors
    /// A mistake of Warpsmith's: what this asks for compiles.
    pub fn link_library(&self, unit: &mut Unit) -> Result<(), Failure> {
        self.alive()?;
        library::link(&mut unit.module, &self.options, &self.cancel)?;
        self.checked(&unit.module, "the front end")
    }

    /// Optimises a module, at the level of the options.
    ///
    /// # Errors
    /// A mistake of Warpsmith's, found by the checks after each pass that [`Options::verify`] asks for.
    pub fn optimise(&self, unit: &mut Unit) -> Result<Report, Failure> {
        self.optimise_seen(unit, None)
    }

    /// [`Session::optimise`], and somebody is told of each pass. Functions are then worked on one after the other.
    ///
    /// # Errors
    /// As [`Session::optimise`].
    pub fn optimise_observed(&self, unit: &mut Unit, observer: Observer<'_>) -> Result<Report, Failure> {
        self.optimise_seen(unit, Some(observer))
    }

    fn optimise_seen(&self, unit: &mut Unit, observer: Option<Observer<'_>>) -> Result<Report, Failure> {
        self.alive()?;
        let options = self.options.optimiser(unit.whole_program, &self.cancel);
        let done = warpsmith_opt::optimize_observed(&mut unit.module, &options, observer);
        self.alive()?;
        let report = done.map_err(|failure| Failure::internal([failure.to_string()], Some(&unit.name)))?;
        self.checked(&unit.module, "optimisation")?;
        Ok(report)
    }

    /// The form of the IR, where it is to be checked.
    fn checked(&self, module: &Module, after: &str) -> Result<(), Failure> {
        if !self.options.verify {
            return Ok(());
        }
        module.verify().map_err(|problems| {
            let texts = problems.iter().map(|problem| format!("after {after}: {problem}"));
            Failure::internal(texts, None)
        })
    }

    /// Makes PTX of a module.
    ///
    /// # Errors
    /// What PTX, or the target, cannot express.
    pub fn select(&self, unit: &Unit) -> Result<Ptx, Failure> {
        self.alive()?;
        let output = warpsmith_isel::select(&unit.module, &self.options.selection()).map_err(|refusal| {
            let messages = refusal.diagnostics.into_iter();
            let messages = messages.map(|one| lines::with_line(one, &unit.files));
            Failure::of(refusal.cause, messages.collect())
        })?;
        Ok(Ptx {
            name: unit.name.clone(),
            text: output.text,
            module: output.module,
            messages: Vec::new(),
            made: Some(crate::ptx::Made {
                places: output.places,
                files: unit.files.clone(),
            }),
        })
    }

    /// Reads and checks PTX.
    ///
    /// # Errors
    /// All that is wrong with it, with places.
    pub fn read_ptx(&self, source: &Source) -> Result<Ptx, Failure> {
        self.alive()?;
        let bytes = self.bytes(source)?;
        let parsed = parse(&bytes);
        let mut ptx = Ptx::new(source.name(), lines::readable(&bytes), parsed.module);
        if parsed.problems.is_empty() {
            return Ok(ptx);
        }
        let text = SourceText::new(source.name(), ptx.text.clone());
        let messages = parsed.problems.iter();
        let messages = messages.map(|problem| Message::about(lines::of_problem(problem, &text), &text));
        ptx.messages = messages.collect();
        match ptx.messages.iter().any(|message| message.severity() == Severity::Error) {
            true => Err(Failure::Rejected(ptx.messages)),
            false => Ok(ptx),
        }
    }

    /// Makes machine code of PTX, for the target of the options.
    ///
    /// # Errors
    /// What does not fit the machine or is not supported; of each function the first such thing.
    pub fn assemble(&self, ptx: &Ptx) -> Result<Output, Failure> {
        self.alive()?;
        let options = self.options.back_end(&ptx.text, &self.cancel);
        self.assembled(
            ptx,
            warpsmith_ori::compile_with_options(&ptx.module, self.options.target, &options),
        )
    }

    /// [`Session::assemble`], and somebody is told of each phase of each function. Functions are then compiled one after the other.
    ///
    /// # Errors
    /// As [`Session::assemble`].
    pub fn assemble_observed(&self, ptx: &Ptx, observe: &mut dyn FnMut(phase::Event<'_>)) -> Result<Output, Failure> {
        self.alive()?;
        let options = self.options.back_end(&ptx.text, &self.cancel);
        self.assembled(
            ptx,
            warpsmith_ori::compile_observed(&ptx.module, self.options.target, &options, observe),
        )
    }

    fn assembled(
        &self,
        ptx: &Ptx,
        output: Result<Output, Vec<warpsmith_ori::CompileError>>,
    ) -> Result<Output, Failure> {
        self.alive()?;
        output.map_err(|errors| {
            let cause = errors.iter().map(|error| error.cause).max().unwrap_or(Cause::Internal);
            let spans = errors
                .iter()
                .map(|error| (Diagnostic::error(error.to_string()), Some(error.span.range())));
            Failure::of(cause, ptx.messages_at(spans))
        })
    }

    /// Whether work is to go on.
    fn alive(&self) -> Result<(), Failure> {
        match self.cancel.is_cancelled() {
            true => Err(Failure::Cancelled),
            false => Ok(()),
        }
    }
}

/// All that the front end has said.
fn said(context: &source::Context) -> Vec<Message> {
    let diagnostics = &context.diagnostics;
    let reports = diagnostics.reports().iter().map(|report| Message {
        diagnostic: report.to_diagnostic(&context.map),
        number: report.number,
        rendered: report.render(&context.map),
    });
    let more = diagnostics.more().map(|text| Message::plain(Diagnostic::error(text)));
    reports.chain(more).collect()
}

/// Refuses PTX that does not run on a target.
///
/// # Errors
/// That it does not.
pub fn fits(ptx: &Ptx, target: Sm) -> Result<(), Failure> {
    let own = ptx.module.target;
    if warpsmith_ptx::compiles_for(own, target) {
        return Ok(());
    }
    let message = format!("PTX for {own} does not run on {target}");
    Err(Failure::rejected(Diagnostic::error(message).in_file(&ptx.name)))
}

/// What the authors of functions should know.
pub fn remarks(ptx: &Ptx, output: &Output) -> Vec<Message> {
    let advice = output.functions.iter().flat_map(|function| &function.advice);
    ptx.messages_at(advice.map(|(place, text)| {
        let place = place.map(|place| place as usize..place as usize);
        (Diagnostic::new(Severity::Note, text), place)
    }))
}
