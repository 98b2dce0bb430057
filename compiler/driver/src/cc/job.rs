//! One call: its settings, and what is done for each file and target.

use std::path::{Path, PathBuf};

use warpsmith_base::{Diagnostic, SourceText};
use warpsmith_cuda::source::{self, Definition, Standard};
use warpsmith_ori::{Options as BackEnd, compile_with_options};
use warpsmith_target::Sm;

use crate::compile::{complain, report};
use crate::translate::{Dump, Language, Settings, Steps, Translated, to_ptx};
use crate::vendor::Parsed;
use crate::{Console, files, listing};

/// What is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Ptx,
    Cubin,
    Listing,
}

impl Kind {
    /// The end of the output's name.
    const fn suffix(self) -> &'static str {
        match self {
            Kind::Ptx => "ptx",
            Kind::Cubin => "cubin",
            Kind::Listing => "sass",
        }
    }
}

/// Options of nvcc that ask for what there is not, and what that is.
const REFUSED: [(&str, &str); 3] = [
    ("c", "host code is not compiled; -cubin, -ptx and -S are there"),
    (
        "dc",
        "relocatable device code is not made; -cubin, -ptx and -S are there",
    ),
    (
        "fatbin",
        "a file of several images is not made; one -cubin for each target is",
    ),
];

fn error(text: impl Into<String>) -> Vec<Diagnostic> {
    vec![Diagnostic::error(text)]
}

/// Does what a command line asks for.
pub(super) fn run(parsed: &Parsed, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    if let Some((option, what)) = REFUSED.iter().find(|(option, _)| parsed.has(option)) {
        return Err(error(format!("-{option} is not supported yet: {what}")));
    }
    let kind = kind(parsed)?;
    let targets = targets(parsed)?;
    if (parsed.files.len() > 1 || targets.len() > 1) && parsed.has("o") {
        return Err(error("one output is named, and several are to be made: leave -o away"));
    }
    for file in &parsed.files {
        let path = Path::new(file);
        let language = Language::of(path).ok_or_else(|| {
            let name = files::shown(path);
            vec![Diagnostic::error("the end of its name says no language: .cu, .ii or .ll is wanted").in_file(name)]
        })?;
        for sm in &targets {
            let settings = settings(parsed, *sm)?;
            if parsed.has("E") {
                preprocess(path, &settings, parsed, console)?;
                continue;
            }
            let output = output_name(parsed, path, kind, (targets.len() > 1).then_some(*sm));
            one(parsed, path, language, &settings, kind, &output, console)?;
        }
    }
    Ok(())
}

fn kind(parsed: &Parsed) -> Result<Kind, Vec<Diagnostic>> {
    let wanted = [("ptx", Kind::Ptx), ("cubin", Kind::Cubin), ("S", Kind::Listing)];
    let given: Vec<_> = wanted.iter().filter(|(option, _)| parsed.has(option)).collect();
    match given[..] {
        [] => Ok(Kind::Cubin),
        [(_, kind)] => Ok(*kind),
        _ => Err(error("one of -ptx, -cubin and -S can be had, not several")),
    }
}

/// The targets of `-arch` and `-gencode`; sm_75 without them, as nvcc's.
fn targets(parsed: &Parsed) -> Result<Vec<Sm>, Vec<Diagnostic>> {
    let mut names: Vec<&str> = parsed.texts("arch").iter().map(String::as_str).collect();
    for word in parsed.texts("gencode") {
        let word = word.trim_matches(['[', ']', '"', '\'']);
        match word.split_once('=') {
            Some(("arch", _)) => {}
            Some(("code", code)) => names.push(code.trim_start_matches('[')),
            Some(_) => return Err(error(format!("-gencode has no part `{word}`"))),
            None => names.push(word),
        }
    }
    if names.is_empty() {
        names.push("sm_75");
    }
    let mut targets: Vec<Sm> = Vec::new();
    for name in names {
        let number = name.strip_prefix("compute_").or(name.strip_prefix("lto_"));
        let spelled = number.map_or(name.to_string(), |number| format!("sm_{number}"));
        let sm = spelled
            .parse()
            .map_err(|_| error(format!("there is no target `{name}`; `warpsmith targets` lists them")))?;
        if !targets.contains(&sm) {
            targets.push(sm);
        }
    }
    Ok(targets)
}

fn settings(parsed: &Parsed, sm: Sm) -> Result<Settings, Vec<Diagnostic>> {
    let mut settings = Settings::new(sm);
    let fast = parsed.has("use_fast_math");
    let choice = |option: &str, usual: bool| parsed.keyword(option).map_or(usual, |word| word == "true");
    settings.fast_math = fast;
    settings.flush_denormals = choice("ftz", fast);
    settings.precise_division = choice("prec-div", !fast);
    settings.precise_square_root = choice("prec-sqrt", !fast);
    settings.contract = choice("fmad", true);
    settings.line_info = parsed.has("lineinfo");
    settings.debug = parsed.has("G");
    settings.verify |= parsed.has("verify");
    settings.level = level(parsed)?;
    for text in parsed.texts("pass") {
        let name = text
            .strip_suffix(":off")
            .filter(|name| warpsmith_opt::PASSES.iter().any(|pass| pass.name == *name))
            .ok_or_else(|| error(format!("`{text}` switches no pass off: NAME:off is wanted")))?;
        settings.passes_off.push(name.to_string());
    }
    let owned = |option: &str| parsed.texts(option).to_vec();
    settings.source = source::Options {
        standard: match parsed.keyword("std") {
            Some("c++11") => Standard::Cpp11,
            Some("c++14") => Standard::Cpp14,
            Some("c++20") => Standard::Cpp20,
            _ => Standard::Cpp17,
        },
        definitions: (owned("D").into_iter().map(Definition::Define))
            .chain(owned("U").into_iter().map(Definition::Undefine))
            .collect(),
        folders: owned("I"),
        system_folders: owned("isystem"),
        includes: owned("include"),
        ..settings.source
    };
    Ok(settings)
}

fn level(parsed: &Parsed) -> Result<u8, Vec<Diagnostic>> {
    match parsed.unsigned("O") {
        None => Ok(3),
        Some(level @ 0..=3) => Ok(level as u8),
        Some(level) => Err(error(format!("there is no optimisation level {level}: 0 to 3"))),
    }
}

fn output_name(parsed: &Parsed, input: &Path, kind: Kind, sm: Option<Sm>) -> PathBuf {
    match (parsed.text("o"), sm) {
        (Some(name), _) => PathBuf::from(name),
        (None, Some(sm)) => input.with_extension(format!("{sm}.{}", kind.suffix())),
        (None, None) => input.with_extension(kind.suffix()),
    }
}

/// `-E`
fn preprocess(path: &Path, settings: &Settings, parsed: &Parsed, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    let mut context = source::Context::new();
    let text = source::print(&mut context, &source::Disk, &settings.source, &path.to_string_lossy());
    console.complain(&context.render());
    if context.diagnostics.has_errors() {
        return Err(vec![Diagnostic::error("not preprocessed").in_file(files::shown(path))]);
    }
    files::write_output(parsed.text("o").map(Path::new), text.as_bytes(), console)
}

/// One file for one target.
fn one(
    parsed: &Parsed,
    path: &Path,
    language: Language,
    settings: &Settings,
    kind: Kind,
    output: &Path,
    console: &mut Console,
) -> Result<(), Vec<Diagnostic>> {
    let dump = match parsed.text("dump-ir") {
        Some(name) => Dump::named(name).map_err(error)?,
        None if parsed.has("dump-hir") => Dump::Program,
        None => Dump::Nothing,
    };
    let mut steps = Steps::default();
    let translated = to_ptx(path, language, settings, &dump, &mut steps, console);
    let ptx = match translated {
        Ok(Translated::Ptx(ptx)) => ptx,
        Ok(Translated::Shown) => return Ok(()),
        Err(diagnostics) => return Err(diagnostics),
    };
    if kind == Kind::Ptx {
        files::write_output(Some(output), ptx.text.as_bytes(), console)?;
    } else {
        if parsed.has("keep") {
            files::write_output(Some(&output.with_extension("ptx")), ptx.text.as_bytes(), console)?;
        }
        let options = BackEnd {
            level: if settings.debug { 0 } else { settings.level },
            maximum_registers: parsed.unsigned("maxrregcount").map(|count| count.min(255) as u32),
            contract: settings.contract,
            verify: settings.verify,
            ..BackEnd::default()
        };
        let compiled = steps.time("back end", || compile_with_options(&ptx.module, settings.sm, &options));
        let compiled = compiled.map_err(|errors| {
            let source = SourceText::new(format!("{} (its PTX)", files::shown(path)), ptx.text.clone());
            complain(&errors, &source, console);
            vec![Diagnostic::error("not compiled").in_file(files::shown(path))]
        })?;
        if parsed.has("v") || parsed.has("res-usage") {
            report(&compiled.functions, console);
        }
        let bytes = match kind {
            Kind::Listing => listing::of_cubin(&compiled.cubin, &warpsmith_listing::ListingOptions::default())
                .map_err(|error| listing::diagnostics(path, error))?,
            Kind::Cubin | Kind::Ptx => compiled.cubin.write(),
        };
        files::write_output(Some(output), &bytes, console)?;
    }
    if parsed.has("time-phases") {
        console.complain(&steps.text());
    }
    Ok(())
}
