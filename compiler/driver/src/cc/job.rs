//! One call: its options, and what is done for each file and target.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rustc_hash::{FxHashMap, FxHashSet};
use warpsmith::{
    Arithmetic, Definition, Failure, HostEntity, Language, Linkage, Options, Output, Ptx, Session, Source, Standard,
    Warning, WarningOptions,
};
use warpsmith_base::Diagnostic;
use warpsmith_cubin::Cubin;
use warpsmith_cubin::fatbin::{self, Image};
use warpsmith_target::Sm;

use super::dependencies;
use super::images::{self, Wanted};
use super::options::REFUSED;
use super::ptxas_options;
use crate::compile::report;
use crate::console::Said;
use crate::translate::{self, Dump, Steps, Trace, Translated, to_ptx};
use crate::vendor::Parsed;
use crate::{Console, fatbinary, files, listing};

/// What is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Ptx,
    Cubin,
    Listing,
    Fatbin,
}

impl Kind {
    /// The end of the output's name.
    const fn suffix(self) -> &'static str {
        match self {
            Kind::Ptx => "ptx",
            Kind::Cubin => "cubin",
            Kind::Listing => "sass",
            Kind::Fatbin => "fatbin",
        }
    }
}

/// The option that asks for a trace.
const TIME_TRACE: &str = "fdevice-time-trace";

fn error(text: impl Into<String>) -> Vec<Diagnostic> {
    vec![Diagnostic::error(text)]
}

/// Refuses what there is not.
pub(super) fn refuse(parsed: &Parsed) -> Result<(), Vec<Diagnostic>> {
    if let Some((option, what)) = REFUSED.iter().find(|(option, _)| parsed.has(option)) {
        return Err(error(format!("-{option} is not supported yet: {what}")));
    }
    let is_true = |option: &str| parsed.keyword(option) == Some("true");
    if is_true("device-stack-protector") {
        return Err(error(
            "-device-stack-protector=true is not supported yet: the stack is not checked",
        ));
    }
    if let Some(level) = parsed.keyword("Ofc").filter(|&level| level != "0") {
        return Err(error(format!(
            "-Ofc {level} is not supported yet: -O0 to -O3 say how much is optimised"
        )));
    }
    if parsed.has("G") && parsed.has("dopt") {
        return Err(error(
            "-dopt=on with -G is not supported yet: code for a debugger is not optimised",
        ));
    }
    if parsed.has("Xptxas") && parsed.has("verify") {
        return Err(error(
            "-verify and -Xptxas exclude each other: say -O and -maxrregcount without it",
        ));
    }
    Ok(())
}

/// What the device's side of a source is made of, for its host's side.
pub(super) struct DeviceSide {
    /// The images of all targets.
    pub fatbin: Vec<u8>,
    /// The kernels and variables that the host registers, as the last target has them.
    pub entities: Vec<HostEntity>,
    /// The PTX of each target.
    pub ptx: Vec<(Sm, String)>,
    /// What a device link knows the unit by, if it is linked with others.
    pub module: Option<String>,
    /// The files that it was made of.
    pub dependencies: Vec<String>,
    session: Session,
}

/// Compiles the device's side of a source for all targets.
pub(super) fn device_side(path: &Path, parsed: &Parsed, console: &mut Console) -> Result<DeviceSide, Vec<Diagnostic>> {
    let mut wanted = images::wanted(parsed)?;
    let mut targets = images::targets(parsed)?;
    targets.sort_unstable();
    let is_linked = is_linked_later(parsed);
    if is_linked {
        // What is linked is PTX, each target's own.
        wanted = targets.iter().map(|&sm| Wanted { sm, ptx: true }).collect();
    }
    let mut jobs = Vec::new();
    for sm in &targets {
        let is_text = !wanted.contains(&Wanted { sm: *sm, ptx: false });
        jobs.push(Job {
            path,
            language: Language::Cuda,
            session: translate::session(host_options(parsed, *sm)?),
            kind: if is_text { Kind::Ptx } else { Kind::Cubin },
            dump: &Dump::Nothing,
            parsed,
            trace: None,
        });
    }
    let mut made = each(&jobs, console)?;
    let module = match is_linked {
        true => Some(distinguish(path, &mut made)?),
        false => None,
    };
    let mut parts: Vec<(&Job, Made)> = jobs.iter().zip(made).collect();
    let fatbin = fatbin(&parts, &wanted);
    let dependencies = parts.iter().flat_map(|(_, made)| made.dependencies.clone()).collect();
    let ptx = parts
        .iter_mut()
        .map(|(job, made)| (job.sm(), std::mem::take(&mut made.ptx)))
        .collect();
    let Some((job, made)) = parts.pop() else {
        return Err(error("no target is named"));
    };
    Ok(DeviceSide {
        fatbin,
        entities: made.host,
        ptx,
        module,
        dependencies,
        session: job.session.clone(),
    })
}

/// Whether the device's code of a unit is linked with that of others later.
pub(super) fn is_linked_later(parsed: &Parsed) -> bool {
    let is_wanted = parsed.has("dc") || parsed.keyword("rdc") == Some("true");
    is_wanted && !parsed.has("dw")
}

/// Gives what a unit keeps to itself and the host knows by its name a name that no other unit has, and lets equal kernels of units be one. Returns the
/// name of the unit, which is of its own name and its code.
fn distinguish(path: &Path, made: &mut [Made]) -> Result<String, Vec<Diagnostic>> {
    use std::hash::{Hash as _, Hasher as _};
    let mut hasher = std::hash::DefaultHasher::new();
    path.hash(&mut hasher);
    for one in made.iter() {
        one.ptx.hash(&mut hasher);
    }
    let stem = path.file_name().unwrap_or_default().to_string_lossy();
    let stem: String = stem
        .chars()
        .map(|sign| if sign.is_ascii_alphanumeric() { sign } else { '_' })
        .collect();
    let module = format!("_{:016x}_{}_{stem}", hasher.finish(), stem.len());
    for one in made {
        let (mut names, mut weak) = (FxHashMap::default(), FxHashSet::default());
        for entity in &mut one.host {
            match entity.linkage {
                Linkage::Internal => {
                    let new = format!("__nv_static_{}__{module}_{}", module.len(), entity.symbol);
                    names.insert(std::mem::replace(&mut entity.symbol, new.clone()), new);
                }
                Linkage::OnceOnly | Linkage::Weak => {
                    weak.insert(entity.symbol.clone());
                }
                Linkage::External => {}
            }
        }
        if names.is_empty() && weak.is_empty() {
            continue;
        }
        one.ptx = warpsmith_ptx::link::rename(&one.ptx, &names, &weak)
            .map_err(|reason| error(format!("the PTX of the unit cannot be read: {reason}")))?;
        one.output = Some(one.ptx.clone().into_bytes());
    }
    Ok(module)
}

/// Machine code of linked PTX.
pub(super) fn linked(
    source: &Source,
    sm: Sm,
    parsed: &Parsed,
    console: &mut Console,
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let mut options = options(parsed, sm)?;
    options.relocatable = false;
    let session = translate::session(options);
    let path = Path::new(source.name());
    let ptx = session.read_ptx(source);
    let ptx = ptx.map_err(|failure| translate::refused(path, &failure, console))?;
    if parsed.has("Xptxas") {
        return ptxas_options::assemble(path, session.options(), &ptx, parsed, console);
    }
    let compiled = session.assemble(&ptx);
    let compiled = compiled.map_err(|failure| translate::refused(path, &failure, console))?;
    if parsed.has("v") || parsed.has("res-usage") {
        report(&compiled.functions, console);
    }
    Ok(compiled.cubin.write())
}

impl DeviceSide {
    /// `-MD` and `-MMD`
    pub(super) fn write_dependencies(
        &self,
        parsed: &Parsed,
        output: &Path,
        console: &mut Console,
    ) -> Result<(), Vec<Diagnostic>> {
        write_dependencies(&self.session, parsed, output, &self.dependencies, console)
    }
}

/// Does what a command line asks for.
pub(super) fn run(parsed: &Parsed, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    refuse(parsed)?;
    if dependencies::alone(parsed) {
        return list_dependencies(parsed, console);
    }
    let kind = kind(parsed)?;
    let dump = match parsed.text("dump-ir") {
        Some(name) => Dump::named(name).map_err(error)?,
        None if parsed.has("dump-hir") => Dump::Program,
        None => Dump::Nothing,
    };
    let mut inputs = Vec::new();
    for file in &parsed.files {
        let path = Path::new(file);
        let named = parsed.keyword("x").map(|_| Language::Cuda);
        let language = named.or_else(|| translate::language_of(path)).ok_or_else(|| {
            let name = files::shown(path);
            vec![
                Diagnostic::error("the end of its name says no language: .cu, .ii, .ll or .bc is wanted").in_file(name),
            ]
        })?;
        inputs.push((path, language));
    }
    let targets = images::targets(parsed)?;
    let outputs = inputs.len() * if kind == Kind::Fatbin { 1 } else { targets.len() };
    if outputs > 1 && parsed.has("o") {
        return Err(error("one output is named, and several are to be made: leave -o away"));
    }
    dependencies::file(parsed, Path::new("")).map_err(error)?;
    if dependencies::wanted(parsed) && (parsed.has("E") || !matches!(dump, Dump::Nothing)) {
        return Err(error("-MD says what an output was made of, and none is made"));
    }
    if outputs > 1 && parsed.has("MF") {
        return Err(error(
            "one file is named for -MD, and several are to be made: leave -MF away",
        ));
    }
    let wanted = images::wanted(parsed)?;
    let text_only = |sm: Sm| kind == Kind::Fatbin && !wanted.contains(&Wanted { sm, ptx: false });
    let trace = parsed.has(TIME_TRACE).then(Trace::new);
    let mut jobs = Vec::new();
    for (path, language) in &inputs {
        for sm in &targets {
            let session = translate::session(options(parsed, *sm)?);
            let is_only = inputs.len() * targets.len() == 1;
            let session = if is_only { session.keeping_memory() } else { session };
            jobs.push(Job {
                path,
                language: *language,
                session,
                kind: if text_only(*sm) { Kind::Ptx } else { kind },
                dump: &dump,
                parsed,
                trace: trace.as_ref(),
            });
        }
    }
    if parsed.has("print-config") {
        let texts: Vec<String> = jobs.iter().map(|job| job.session.options().to_string()).collect();
        return files::write_output(None, texts.join("\n").as_bytes(), console);
    }
    if parsed.has("E") {
        return jobs.iter().try_for_each(|job| preprocess(job, console));
    }
    let made = each(&jobs, console)?;
    if let (Some(trace), Some(name)) = (&trace, parsed.text(TIME_TRACE)) {
        files::write_output(Some(Path::new(name)), trace.json().as_bytes(), console)?;
    }
    let mut results = jobs.iter().zip(made);
    if kind == Kind::Fatbin {
        for (path, _) in &inputs {
            let parts: Vec<_> = results.by_ref().take(targets.len()).collect();
            let bytes = fatbin(&parts, &wanted);
            let output = output_name(parsed, path, kind, None);
            files::write_output(Some(&output), &bytes, console)?;
            let read: Vec<String> = parts.iter().flat_map(|(_, made)| made.dependencies.clone()).collect();
            write_dependencies(&parts[0].0.session, parsed, &output, &read, console)?;
        }
        return Ok(());
    }
    for (job, made) in results {
        let output = output_name(parsed, job.path, kind, (targets.len() > 1).then_some(job.sm()));
        if (parsed.has("keep") || parsed.has("save-temps")) && kind != Kind::Ptx {
            let kept = in_folder(parsed.text("keep-dir"), output.with_extension("ptx"));
            files::write_output(Some(&kept), made.ptx.as_bytes(), console)?;
        }
        if let Some(bytes) = &made.output {
            files::write_output(Some(&output), bytes, console)?;
            write_dependencies(&job.session, parsed, &output, &made.dependencies, console)?;
        }
    }
    Ok(())
}

/// `-MD` and `-MMD`
fn write_dependencies(
    session: &Session,
    parsed: &Parsed,
    output: &Path,
    read: &[String],
    console: &mut Console,
) -> Result<(), Vec<Diagnostic>> {
    let Some(file) = dependencies::file(parsed, output).map_err(error)? else {
        return Ok(());
    };
    files::write_output(Some(&file), rule(session, parsed, output, read).as_bytes(), console)
}

/// The rule of a makefile for an output.
fn rule(session: &Session, parsed: &Parsed, output: &Path, read: &[String]) -> String {
    let system = &session.options().front.system_folders;
    let is_system = |file: &String| system.iter().any(|folder| Path::new(file).starts_with(folder));
    let told = read
        .iter()
        .filter(|file| dependencies::tells_system(parsed) || !is_system(file));
    let told: Vec<String> = told.cloned().collect();
    let output = output.to_string_lossy();
    dependencies::rule(parsed.text("MT").unwrap_or(&output), &told, parsed.has("MP"))
}

/// `-M` and `-MM`: the rules of all sources, to standard output or to a file.
fn list_dependencies(parsed: &Parsed, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    let mut sm = images::targets(parsed)?;
    sm.sort_unstable();
    let Some(sm) = sm.last().copied() else {
        return Err(error("no target is named"));
    };
    let mut text = String::new();
    for file in &parsed.files {
        let path = Path::new(file);
        let mut options = host_options(parsed, sm)?;
        let is_cuda = parsed.keyword("x") == Some("cu") || path.extension().is_some_and(|end| end == "cu");
        if !is_cuda {
            options.front.includes.retain(|name| name != "cuda_runtime.h");
        }
        let session = translate::session(options);
        let source = translate::source(path, Language::Cuda)?;
        let (read, messages) = session.dependencies(&source).map_err(|failure| {
            translate::show(failure.messages(), console);
            vec![Diagnostic::error("not preprocessed").in_file(files::shown(path))]
        })?;
        translate::show(&messages, console);
        let folder = parsed.text("odir").unwrap_or_default();
        let object = in_folder(Some(folder), path.with_extension("o"));
        text.push_str(&rule(&session, parsed, &object, &read));
    }
    let output = parsed.text("MF").or(parsed.text("o"));
    files::write_output(output.map(Path::new), text.as_bytes(), console)
}

/// The fatbin of one source: the images that are wanted, from what was made for each target.
fn fatbin(parts: &[(&Job, Made)], wanted: &[Wanted]) -> Vec<u8> {
    let mut images = Vec::new();
    for image in wanted {
        let Some((_, made)) = parts.iter().find(|(job, _)| job.sm() == image.sm) else {
            continue;
        };
        images.push(if image.ptx {
            let text = made.ptx.clone().into_bytes();
            let version = fatbinary::ptx_version(&text).unwrap_or((9, 0));
            Image::ptx(image.sm, version, text)
        } else {
            Image::elf(image.sm, made.output.clone().unwrap_or_default())
        });
    }
    fatbin::write(&images)
}

/// What is to be done for one file and one target.
struct Job<'a> {
    path: &'a Path,
    language: Language,
    session: Session,
    kind: Kind,
    dump: &'a Dump,
    parsed: &'a Parsed,
    trace: Option<&'a Trace>,
}

impl Job<'_> {
    /// The target.
    fn sm(&self) -> Sm {
        self.session.options().target
    }
}

/// What came of it.
struct Made {
    ptx: String,
    /// What the host registers.
    host: Vec<HostEntity>,
    /// The bytes of the output; none where a dump was all that was wanted.
    output: Option<Vec<u8>>,
    /// The files that it was made of.
    dependencies: Vec<String>,
}

/// Does all jobs, side by side on the cores that there are. What they say appears in their order, up to the first that fails.
fn each(jobs: &[Job], console: &mut Console) -> Result<Vec<Made>, Vec<Diagnostic>> {
    if let [job] = jobs {
        return Ok(vec![one(job, console)?]);
    }
    let next = AtomicUsize::new(0);
    let format = console.format;
    let done: Vec<OnceLock<_>> = jobs.iter().map(|_| OnceLock::new()).collect();
    let work = || {
        while let Some((job, done)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            jobs.get(index).zip(done.get(index))
        } {
            let (mut out, mut errors) = (Vec::new(), Vec::new());
            let mut own = Console::new(&mut out, &mut errors, format);
            let result = one(job, &mut own);
            let results = own.take_results();
            let _ = done.set((result, Said { out, errors, results }));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    thread::scope(|scope| {
        for _ in 1..threads {
            // Where no more threads can be had, those that there are do the work.
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let mut all = Vec::with_capacity(jobs.len());
    for (result, said) in done.into_iter().filter_map(OnceLock::into_inner) {
        console.pass_on(said);
        all.push(result?);
    }
    Ok(all)
}

/// Whether an output that no option says the kind of has a name of anything but machine code.
pub(super) fn is_program(output: &str) -> bool {
    let written = Path::new(output);
    written.extension().is_none_or(|extension| extension != "cubin") && output != "-" && !output.starts_with("/dev/")
}

fn kind(parsed: &Parsed) -> Result<Kind, Vec<Diagnostic>> {
    let wanted = [
        ("ptx", Kind::Ptx),
        ("cubin", Kind::Cubin),
        ("S", Kind::Listing),
        ("fatbin", Kind::Fatbin),
    ];
    let given: Vec<_> = wanted.iter().filter(|(option, _)| parsed.has(option)).collect();
    match given[..] {
        [] => Ok(Kind::Cubin),
        [(_, kind)] => Ok(*kind),
        _ => Err(error("one of -ptx, -cubin, -fatbin and -S can be had, not several")),
    }
}

fn options(parsed: &Parsed, sm: Sm) -> Result<Options, Vec<Diagnostic>> {
    let mut options = Options::new(sm);
    let fast = parsed.has("use_fast_math");
    let choice = |option: &str, usual: bool| parsed.keyword(option).map_or(usual, |word| word == "true");
    options.arithmetic = Arithmetic {
        flush_denormals: choice("ftz", fast),
        contract: choice("fmad", true),
        precise_division: choice("prec-div", !fast),
        precise_square_root: choice("prec-sqrt", !fast),
        fast_math: fast,
    };
    options.line_info = parsed.has("lineinfo");
    options.debug = parsed.has("G");
    options.verify |= parsed.has("verify");
    options.relocatable = is_linked_later(parsed);
    options.level = level(parsed)?;
    options.maximum_registers = parsed.unsigned("maxrregcount").map(|count| count.min(255) as u32);
    // What is dumped says lines only where they are asked for.
    options.places = !parsed.has("dump-ir") && !parsed.has("dump-hir");
    for text in parsed.texts("pass") {
        let name = text
            .strip_suffix(":off")
            .filter(|name| warpsmith_opt::PASSES.iter().any(|pass| pass.name == *name))
            .ok_or_else(|| error(format!("`{text}` switches no pass off: NAME:off is wanted")))?;
        options.passes_off.push(name.to_string());
    }
    let owned = |option: &str| parsed.texts(option).to_vec();
    let front = &mut options.front;
    front.standard = match parsed.keyword("std") {
        Some("c++11") => Standard::Cpp11,
        Some("c++14") => Standard::Cpp14,
        Some("c++20") => Standard::Cpp20,
        _ => Standard::Cpp17,
    };
    front.definitions = (owned("D").into_iter().map(Definition::Define))
        .chain(owned("U").into_iter().map(Definition::Undefine))
        .collect();
    if is_linked_later(parsed) {
        front.definitions.push(Definition::Define("__CUDACC_RDC__".to_owned()));
    }
    front.folders = owned("I");
    front.system_folders = owned("isystem");
    front.includes = owned("include");
    if parsed.keyword("default-stream") == Some("per-thread") {
        front
            .definitions
            .push(Definition::Define("CUDA_API_PER_THREAD_DEFAULT_STREAM=1".to_owned()));
    }
    front.warnings = warnings(parsed)?;
    if let Some(path) = parsed.text("cuda-path") {
        super::toolkit::use_headers(front, path)?;
    }
    Ok(options)
}

/// The same where the host's side is compiled, too: both sides are read with the host's headers.
fn host_options(parsed: &Parsed, sm: Sm) -> Result<Options, Vec<Diagnostic>> {
    let mut options = options(parsed, sm)?;
    if !parsed.has("cuda-path") {
        super::toolkit::use_own_headers(&mut options.front)?;
    }
    Ok(options)
}

/// What is said about warnings.
fn warnings(parsed: &Parsed) -> Result<WarningOptions, Vec<Diagnostic>> {
    let numbers = |option: &str| {
        let words = parsed.texts(option).iter().flat_map(|text| text.split(','));
        words
            .map(|word| {
                let number = word.trim().trim_end_matches("-D").parse();
                number.map_err(|_| error(format!("`{word}` is no number of a warning")))
            })
            .collect::<Result<Vec<u32>, _>>()
    };
    let mut options = WarningOptions {
        off: parsed.has("w"),
        suppressed: numbers("diag-suppress")?,
        errors: numbers("diag-error")?,
        ..WarningOptions::default()
    };
    if parsed.has("Wno-deprecated-declarations") {
        options.suppressed.push(Warning::Deprecated.number());
    }
    for kind in parsed.texts("Werror").iter().flat_map(|text| text.split(',')) {
        match kind {
            "all-warnings" => options.all_errors = true,
            "cross-execution-space-call" => options.errors.push(Warning::HostFromBoth.number()),
            "deprecated-declarations" => options.errors.push(Warning::Deprecated.number()),
            "reorder" | "default-stream-launch" | "missing-launch-bounds" | "ext-lambda-captures-this" => {}
            _ => return Err(error(format!("`{kind}` is no kind of warning"))),
        }
    }
    Ok(options)
}

fn level(parsed: &Parsed) -> Result<u8, Vec<Diagnostic>> {
    match parsed.unsigned("O") {
        None => Ok(3),
        Some(level @ 0..=3) => Ok(level as u8),
        Some(level) => Err(error(format!("there is no optimisation level {level}: 0 to 3"))),
    }
}

/// A file under its own name in another folder, if one is given.
pub(super) fn in_folder(folder: Option<&str>, file: PathBuf) -> PathBuf {
    match (folder, file.file_name()) {
        (Some(folder), Some(name)) => Path::new(folder).join(name),
        _ => file,
    }
}

fn output_name(parsed: &Parsed, input: &Path, kind: Kind, sm: Option<Sm>) -> PathBuf {
    let name = match (parsed.text("o"), sm) {
        (Some(name), _) => return PathBuf::from(name),
        (None, Some(sm)) => input.with_extension(format!("{sm}.{}", kind.suffix())),
        (None, None) => input.with_extension(kind.suffix()),
    };
    // Not beside the input, as nvcc.
    in_folder(Some(parsed.text("odir").unwrap_or_default()), name)
}

/// `-E`
fn preprocess(job: &Job, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    let Job { path, parsed, .. } = job;
    // Whatever the file's language, it has lines and directives.
    let source = translate::source(path, Language::Cuda)?;
    match job.session.preprocess(&source) {
        Ok((text, messages)) => {
            translate::show(&messages, console);
            files::write_output(parsed.text("o").map(Path::new), text.as_bytes(), console)
        }
        Err(failure) => {
            translate::show(failure.messages(), console);
            Err(vec![Diagnostic::error("not preprocessed").in_file(files::shown(path))])
        }
    }
}

/// The back end; a trace is told of each phase, which then run one after the other.
fn back_end(session: &Session, ptx: &Ptx, trace: Option<&Trace>) -> Result<Output, Failure> {
    let Some(trace) = trace else {
        return session.assemble(ptx);
    };
    session.assemble_observed(ptx, &mut |event| {
        if let Some(phase) = event.phase {
            trace.note(phase.name, &event.function.name, event.time);
        }
    })
}

/// The listing of what a file has become.
fn listed(path: &Path, cubin: &Cubin) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let options = warpsmith_listing::ListingOptions::default();
    listing::of_cubin(cubin, &options).map_err(|error| listing::diagnostics(path, error))
}

/// One file for one target.
fn one(job: &Job, console: &mut Console) -> Result<Made, Vec<Diagnostic>> {
    let Job {
        path, session, parsed, ..
    } = job;
    let mut steps = Steps::traced(job.trace, format!("{} for {}", files::shown(path), job.sm()));
    let (ptx, dependencies, host) = match to_ptx(
        path,
        &translate::source(path, job.language)?,
        session,
        job.dump,
        &mut steps,
        console,
    )? {
        Translated::Ptx(ptx, dependencies, host) => (ptx, dependencies, host),
        Translated::Shown => {
            return Ok(Made {
                ptx: String::new(),
                host: Vec::new(),
                output: None,
                dependencies: Vec::new(),
            });
        }
    };
    let output = match job.kind {
        Kind::Ptx => ptx.text.clone().into_bytes(),
        Kind::Cubin | Kind::Listing | Kind::Fatbin if parsed.has("Xptxas") => {
            let assemble = || ptxas_options::assemble(path, session.options(), &ptx, parsed, console);
            let bytes = steps.time("back end", assemble)?;
            match job.kind {
                Kind::Listing => listed(path, &files::read_cubin(path, &bytes)?)?,
                Kind::Ptx | Kind::Cubin | Kind::Fatbin => bytes,
            }
        }
        Kind::Cubin | Kind::Listing | Kind::Fatbin => {
            let trace = steps.trace();
            let compiled = steps.time("back end", || back_end(session, &ptx, trace));
            let compiled = compiled.map_err(|failure| translate::refused(path, &failure, console))?;
            translate::show(&warpsmith::remarks(&ptx, &compiled), console);
            if parsed.has("v") || parsed.has("res-usage") {
                report(&compiled.functions, console);
            }
            match job.kind {
                Kind::Listing => listed(path, &compiled.cubin)?,
                Kind::Ptx | Kind::Cubin | Kind::Fatbin => compiled.cubin.write(),
            }
        }
    };
    if parsed.has("time-phases") {
        console.complain(&steps.text());
    }
    Ok(Made {
        ptx: ptx.text,
        host,
        output: Some(output),
        dependencies,
    })
}
