//! `warpsmith compile`: from CUDA C++, SSA IR or PTX to machine code, or as far on the way as is wanted.

use std::path::{Path, PathBuf};

use warpsmith::{Emit, Language, Options, Ptx, Resources, Session, Sm, Source};
use warpsmith_base::Diagnostic;
use warpsmith_listing::ListingOptions;

use crate::code_options::CodeOptions;
use crate::kind::FileKind;
use crate::translate::{self, Dump, Steps, Translated};
use crate::{Console, files, listing, phases};

/// Compile CUDA C++, SSA IR or PTX to a cubin
///
/// All problems of the text are shown with their lines. What there is no code for is an error that names it, and nothing is written. The options have the
/// names that the library gives them; `warpsmith FILE OPTIONS` takes those of nvcc and ptxas.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The source: .cu, .ll, .bc, .ptx; `-` is standard input
    #[arg(
        required_unless_present = "list_phases",
        default_value = "-",
        hide_default_value = true
    )]
    pub file: PathBuf,
    /// What the source is written in [default: what its name ends in, or its first lines look like]
    #[arg(short = 'x', long, value_name = "LANGUAGE", value_enum)]
    language: Option<LanguageName>,
    /// What to make [default: what the output's name ends in, .ll, .bc, .ptx or .sass, and else a cubin]
    #[arg(long, value_name = "WHAT", value_enum)]
    emit: Option<EmitName>,
    /// The file to write; `-` is standard output; without it the input's name with another end
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print what each kernel takes
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    code: CodeOptions,
    #[command(flatten)]
    look: Look,
}

/// What is shown of a compile.
#[derive(clap::Args)]
#[command(next_help_heading = "Looking inside")]
struct Look {
    /// Print the options that a compile would have, and make nothing
    #[arg(long)]
    print_config: bool,
    /// Print the SSA IR instead of writing: `front` as it enters the optimiser, `opt` as it leaves it, `all` or a pass after each change
    #[arg(long, value_name = "PASS")]
    dump_ssa: Option<String>,
    /// Print the machine IR after a phase instead of writing a cubin; `lower` is before the first, `all` is every one
    #[arg(long, value_name = "PHASE")]
    dump_ir: Option<String>,
    /// Write a page that shows each function after every phase that changed it, side by side
    #[arg(long, value_name = "FILE")]
    dump_html: Option<PathBuf>,
    /// Print how long each phase took
    #[arg(long)]
    time_phases: bool,
    /// Print the phases, in order, with what each does
    #[arg(long)]
    list_phases: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum LanguageName {
    /// CUDA C++
    Cuda,
    /// LLVM's or NVVM's IR, as text or bitcode
    Ir,
    /// PTX
    Ptx,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum EmitName {
    /// Nothing: the source is checked
    Check,
    /// SSA IR after optimisation
    Ir,
    /// SSA IR after optimisation as LLVM's bitcode
    Bc,
    /// PTX
    Ptx,
    /// Machine code
    Cubin,
    /// A listing of machine code
    Listing,
}

impl EmitName {
    /// The end of the output's name.
    const fn suffix(self) -> &'static str {
        match self {
            EmitName::Check | EmitName::Ir => "ll",
            EmitName::Bc => "bc",
            EmitName::Ptx => "ptx",
            EmitName::Cubin => "cubin",
            EmitName::Listing => "sass",
        }
    }

    const fn emit(self) -> Emit {
        match self {
            EmitName::Check => Emit::Check,
            EmitName::Ir => Emit::Ir,
            EmitName::Bc => Emit::Bitcode,
            EmitName::Ptx => Emit::Ptx,
            EmitName::Cubin | EmitName::Listing => Emit::Cubin,
        }
    }
}

impl Arguments {
    /// What is made: what is asked for, or what the output's name says.
    fn made(&self) -> EmitName {
        let named = || {
            let extension = self.output.as_deref()?.extension()?.to_str()?;
            let all = [EmitName::Ir, EmitName::Bc, EmitName::Ptx, EmitName::Listing];
            all.into_iter().find(|emit| emit.suffix() == extension)
        };
        self.emit.or_else(named).unwrap_or(EmitName::Cubin)
    }

    /// What would have no effect on what is made is refused.
    fn refuse_without_effect(&self) -> Result<(), Vec<Diagnostic>> {
        let is_machine_code = matches!(self.made(), EmitName::Cubin | EmitName::Listing);
        let of_machine_code = [
            ("--dump-ir", self.look.dump_ir.is_some()),
            ("--dump-html", self.look.dump_html.is_some()),
            ("--time-phases", self.look.time_phases),
            ("--verbose", self.verbose),
        ];
        if let Some((option, _)) = of_machine_code.iter().find(|(_, given)| *given && !is_machine_code) {
            let error = format!("{option} is about machine code: it wants --emit cubin or listing");
            return Err(vec![Diagnostic::error(error)]);
        }
        match self.made() == EmitName::Check && self.output.is_some() {
            true => Err(vec![Diagnostic::error(
                "--emit check makes nothing that --output could name",
            )]),
            false => Ok(()),
        }
    }
}

/// The source of a compile: a file or standard input, in a language that is given or found out.
///
/// # Errors
/// That it cannot be read, or is nothing that is compiled.
pub(crate) fn source(path: &Path, language: Option<LanguageName>) -> Result<Source, Vec<Diagnostic>> {
    let named = language.map(|language| match language {
        LanguageName::Cuda => Language::Cuda,
        LanguageName::Ir => Language::Ir,
        LanguageName::Ptx => Language::Ptx,
    });
    if let Some(language) = named.or_else(|| Language::of(path)) {
        return translate::source(path, language);
    }
    let bytes = files::read_input(path)?;
    let name = files::shown(path);
    let language = match FileKind::of_bytes(&bytes) {
        FileKind::Ptx => Language::Ptx,
        FileKind::Ir | FileKind::Bitcode => Language::Ir,
        // What comes from a pipe has no name that could say it.
        FileKind::Text if path == Path::new("-") => Language::Cuda,
        // The reader of PTX says best what is not right with what may be PTX.
        _ => Language::Ptx,
    };
    Ok(Source::new(language, name, bytes))
}

/// Compiles one file.
pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    let look = &arguments.look;
    if look.list_phases {
        return files::write_output(None, phases::list().as_bytes(), console);
    }
    arguments.refuse_without_effect()?;
    let dump = match &look.dump_ssa {
        Some(name) => Dump::named(name).map_err(|reason| vec![Diagnostic::error(reason)])?,
        None => Dump::Nothing,
    };
    let source = source(&arguments.file, arguments.language)?;
    let job = Job {
        arguments,
        source,
        dump,
    };
    match job.source.language() {
        Language::Ptx => job.of_ptx(console),
        Language::Cuda | Language::Ir => job.of_source(console),
    }
}

struct Job<'a> {
    arguments: &'a Arguments,
    source: Source,
    dump: Dump,
}

impl Job<'_> {
    fn options(&self, target: Sm) -> Result<Options, Vec<Diagnostic>> {
        let mut options = self.arguments.code.options(target)?;
        options.emit = self.arguments.made().emit();
        Ok(options)
    }

    fn of_ptx(&self, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
        let path = &self.arguments.file;
        let session = Session::new(self.options(self.arguments.code.arch.unwrap_or(Sm::Sm75))?);
        let ptx = session.read_ptx(&self.source);
        let ptx = ptx.map_err(|failure| translate::not_read(path, &failure, console))?;
        translate::show(&ptx.messages, console);
        let sm = target(self.arguments.code.arch, &ptx)?;
        let options = self.options(sm)?;
        if self.arguments.look.print_config {
            return files::write_output(None, options.to_string().as_bytes(), console);
        }
        if self.dump.is_some() {
            let error = Diagnostic::error("PTX has no SSA IR: it is compiled as it stands");
            return Err(vec![error.in_file(files::shown(path))]);
        }
        let session = Session::new(options);
        self.finish(&session, &ptx, &mut Steps::default(), console)
    }

    fn of_source(&self, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
        let options = self.options(self.arguments.code.arch.unwrap_or(Sm::Sm75))?;
        if self.arguments.look.print_config {
            return files::write_output(None, options.to_string().as_bytes(), console);
        }
        let session = translate::session(options).keeping_memory();
        let path = &self.arguments.file;
        let is_early = matches!(self.arguments.made(), EmitName::Check | EmitName::Ir | EmitName::Bc);
        if is_early && !self.dump.is_some() {
            let made = session.compile(&self.source);
            let made = made.map_err(|failure| translate::refused(path, &failure, console))?;
            translate::show(&made.diagnostics, console);
            return match made.ir.map(String::into_bytes).or(made.bitcode) {
                Some(ir) => self.write(&ir, console),
                None => Ok(()),
            };
        }
        let mut steps = Steps::default();
        let translated = translate::to_ptx(path, &self.source, &session, &self.dump, &mut steps, console)?;
        match translated {
            Translated::Ptx(ptx, _, _) => self.finish(&session, &ptx, &mut steps, console),
            Translated::Shown => Ok(()),
        }
    }

    /// What is made of the PTX.
    fn finish(
        &self,
        session: &Session,
        ptx: &Ptx,
        steps: &mut Steps<'_>,
        console: &mut Console,
    ) -> Result<(), Vec<Diagnostic>> {
        let Arguments { look, file, .. } = self.arguments;
        let emit = self.arguments.made();
        match emit {
            EmitName::Check => return Ok(()),
            EmitName::Ptx => return self.write(ptx.text.as_bytes(), console),
            EmitName::Ir | EmitName::Bc | EmitName::Cubin | EmitName::Listing => {}
        }
        let mut record = phases::Record::new(look.dump_ir.as_deref(), look.dump_html.is_some())?;
        let is_watched = look.dump_ir.is_some() || look.dump_html.is_some() || look.time_phases;
        let output = match is_watched {
            true => session.assemble_observed(ptx, &mut |event| record.note(&event)),
            false => session.assemble(ptx),
        };
        // What was looked at is shown even where a later phase fails: that is when it is wanted.
        if look.dump_ir.is_some() {
            files::write_output(None, record.text().as_bytes(), console)?;
        }
        if let Some(path) = &look.dump_html {
            files::write_output(Some(path), record.page(&files::shown(file)).as_bytes(), console)?;
        }
        if look.time_phases {
            console.complain(&steps.text());
            console.complain(&record.times());
        }
        let output = output.map_err(|failure| translate::refused(file, &failure, console))?;
        if look.dump_ir.is_some() {
            return Ok(());
        }
        translate::show(&warpsmith::remarks(ptx, &output), console);
        if self.arguments.verbose {
            report(&output.functions, console);
        }
        match emit {
            EmitName::Listing => {
                let text = listing::of_cubin(&output.cubin, &ListingOptions::default());
                self.write(&text.map_err(|error| listing::diagnostics(file, error))?, console)
            }
            EmitName::Check | EmitName::Ir | EmitName::Bc | EmitName::Ptx | EmitName::Cubin => {
                self.write(&output.cubin.write(), console)
            }
        }
    }

    fn write(&self, bytes: &[u8], console: &mut Console) -> Result<(), Vec<Diagnostic>> {
        let path = match &self.arguments.output {
            Some(path) => path.clone(),
            None => default_output(&self.arguments.file, self.arguments.made()),
        };
        if path == self.arguments.file && path != Path::new("-") {
            let error = Diagnostic::error("the output would replace the input: name another with -o");
            return Err(vec![error.in_file(files::shown(&path))]);
        }
        files::write_output(Some(&path), bytes, console)
    }
}

/// The target that is asked for, or that the text names.
///
/// # Errors
/// That the text does not run on it, or names one that there is no code for.
pub(crate) fn target(asked: Option<Sm>, ptx: &Ptx) -> Result<Sm, Vec<Diagnostic>> {
    match (asked, ptx.module.target.to_string().parse::<Sm>()) {
        (Some(sm), _) => match warpsmith::fits(ptx, sm) {
            Ok(()) => Ok(sm),
            Err(failure) => Err(translate::diagnostics(failure)),
        },
        (None, Ok(own)) => Ok(own),
        (None, Err(_)) => {
            let message = format!("there is no code for {}; give a target with --arch", ptx.module.target);
            Err(vec![Diagnostic::error(message).in_file(&ptx.name)])
        }
    }
}

/// What each function takes, a line each.
pub(crate) fn report(functions: &[Resources], console: &mut Console) {
    for function in functions {
        console.complain(&format!(
            "{}: {} registers, {} barriers, {} bytes of stack, {} bytes of shared memory, {} instructions\n",
            function.name,
            function.registers,
            function.barriers,
            function.stack_bytes,
            function.shared_bytes,
            function.instructions
        ));
    }
}

/// The input's name with the end of what is made; standard output for standard input.
fn default_output(input: &Path, emit: EmitName) -> PathBuf {
    match input == Path::new("-") {
        true => input.to_path_buf(),
        false => input.with_extension(emit.suffix()),
    }
}
