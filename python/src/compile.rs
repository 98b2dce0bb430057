//! A compile: a source and options in, a dictionary with what was made out.

use std::collections::HashMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use warpsmith::{Artifact, Language, Resources, Session, Sm, Source};

use crate::files::Files;
use crate::wait::{self, Cancel};
use crate::{failure, messages, options};

/// The target where nothing says another.
const USUAL: Sm = Sm::Sm90;

/// Compiles a text; the fields of `warpsmith.Artifact`, but for what only the package knows.
#[pyfunction]
#[pyo3(signature = (text, name, language, arch, texts, given, cancel))]
// Each is an argument of Python's function.
#[allow(clippy::too_many_arguments)]
pub(crate) fn compile<'py>(
    py: Python<'py>,
    text: Vec<u8>,
    name: String,
    language: Option<&str>,
    arch: Option<&str>,
    texts: HashMap<String, Vec<u8>>,
    given: &Bound<'py, PyDict>,
    cancel: Option<&Bound<'py, Cancel>>,
) -> PyResult<Bound<'py, PyDict>> {
    let language = match language {
        Some(word) => named(word)?,
        None => guessed(&name, &text),
    };
    let target = match arch {
        Some(name) => options::target(name)?,
        None => own_target(language, &text).unwrap_or(USUAL),
    };
    let has_headers = !texts.is_empty();
    let mut options = options::options(target, given)?;
    if has_headers {
        // Headers from memory are found by their names, whatever folder the source says that it is in.
        options.front.folders.insert(0, ".".to_owned());
    }
    let source = Source::new(language, name, text);
    let flag = wait::flag(cancel);
    let session = Session::new(options)
        .with_files(Files::new(texts))
        .with_cancel(flag.clone());
    match wait::interruptible(py, &flag, || session.compile(&source))? {
        Ok(artifact) => made(py, &artifact, target, language),
        Err(failure) => Err(failure::raised(py, &failure)),
    }
}

fn named(word: &str) -> PyResult<Language> {
    match word {
        "cuda" => Ok(Language::Cuda),
        "ptx" => Ok(Language::Ptx),
        "ir" => Ok(Language::Ir),
        _ => Err(PyValueError::new_err(format!(
            "language: it is cuda, ptx or ir, not `{word}`"
        ))),
    }
}

/// The language of a text: what its name ends in, or its first lines look like.
fn guessed(name: &str, text: &[u8]) -> Language {
    let by_name = Language::of(std::path::Path::new(name));
    by_name
        .or_else(|| Language::of_text(&String::from_utf8_lossy(text)))
        .unwrap_or(Language::Cuda)
}

/// What PTX says that it is for, if there is code for that.
fn own_target(language: Language, text: &[u8]) -> Option<Sm> {
    match language {
        Language::Ptx => warpsmith_ptx::parse(text).module.target.to_string().parse().ok(),
        Language::Cuda | Language::Ir => None,
    }
}

fn made<'py>(py: Python<'py>, artifact: &Artifact, target: Sm, language: Language) -> PyResult<Bound<'py, PyDict>> {
    let Artifact {
        ir,
        ptx,
        cubin,
        // Not asked for here: Python has the text.
        bitcode: _,
        resources: functions,
        diagnostics,
        remarks,
        dependencies,
        names,
    } = artifact;
    let out = PyDict::new(py);
    out.set_item("arch", target.name())?;
    out.set_item("ir", ir)?;
    out.set_item("ptx", ptx)?;
    out.set_item("cubin", cubin.as_ref().map(|bytes| PyBytes::new(py, bytes)))?;
    out.set_item("kernels", resources(py, functions.iter().filter(|one| one.kernel))?)?;
    out.set_item("functions", resources(py, functions.iter().filter(|one| !one.kernel))?)?;
    out.set_item("diagnostics", messages::listed(py, diagnostics)?)?;
    out.set_item("remarks", messages::listed(py, remarks)?)?;
    out.set_item("dependencies", dependencies)?;
    out.set_item("names", names)?;
    out.set_item("is_ptx", language == Language::Ptx)?;
    Ok(out)
}

fn resources<'py, 'r>(py: Python<'py>, functions: impl Iterator<Item = &'r Resources>) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for function in functions {
        let Resources {
            name,
            kernel: _,
            time: _,
            registers,
            barriers,
            stack_bytes,
            cumulative_stack_bytes,
            spill_store_bytes,
            spill_load_bytes,
            shared_bytes,
            constant_bytes,
            table_bytes,
            instructions,
            // The remarks have it with its lines.
            advice: _,
        } = function;
        let out = PyDict::new(py);
        out.set_item("name", name)?;
        for (field, figure) in [
            ("registers", registers),
            ("barriers", barriers),
            ("stack_bytes", stack_bytes),
            ("cumulative_stack_bytes", cumulative_stack_bytes),
            ("spill_store_bytes", spill_store_bytes),
            ("spill_load_bytes", spill_load_bytes),
            ("shared_bytes", shared_bytes),
            ("constant_bytes", constant_bytes),
            ("table_bytes", table_bytes),
            ("instructions", instructions),
        ] {
            out.set_item(field, figure)?;
        }
        list.append(out)?;
    }
    Ok(list)
}
