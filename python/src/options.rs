//! The options of a compile, by the names of the library's.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use warpsmith::{Definition, Emit, Options, PtxVersion, Sm, Standard};

/// A target by its name.
///
/// # Errors
/// That there is none, with near ones.
pub(crate) fn target(name: &str) -> PyResult<Sm> {
    name.parse()
        .map_err(|error: warpsmith_target::ParseSmError| PyValueError::new_err(error.to_string()))
}

/// The options that Python gives; what is `None` stays as it usually is.
///
/// # Errors
/// A value that an option cannot have.
pub(crate) fn options(target: Sm, given: &Bound<'_, PyDict>) -> PyResult<Options> {
    let mut options = Options::new(target);
    if let Some(fast) = value::<bool>(given, "fast_math")? {
        options.arithmetic.fast_math = fast;
        options.arithmetic.flush_denormals = fast;
        options.arithmetic.precise_division = !fast;
        options.arithmetic.precise_square_root = !fast;
    }
    for (name, value) in given {
        let name: String = name.extract()?;
        if !value.is_none() {
            set(&mut options, &name, &value).map_err(|error| {
                let reason = error.value(given.py()).to_string();
                PyValueError::new_err(format!("{name}: {reason}"))
            })?;
        }
    }
    Ok(options)
}

fn value<'py, T: for<'a> FromPyObject<'a, 'py, Error = PyErr>>(
    given: &Bound<'py, PyDict>,
    name: &str,
) -> PyResult<Option<T>> {
    let value = given.get_item(name)?.filter(|value| !value.is_none());
    value.map(|value| value.extract()).transpose()
}

fn set(options: &mut Options, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let arithmetic = &mut options.arithmetic;
    let front = &mut options.front;
    match name {
        "emit" => options.emit = emit(&value.extract::<String>()?)?,
        "level" => options.level = level(value.extract()?)?,
        "line_info" => options.line_info = value.extract()?,
        "debug" => options.debug = value.extract()?,
        "restrict_kernel_pointers" => options.restrict_kernel_pointers = value.extract()?,
        "ptx_version" => options.ptx_version = Some(ptx_version(&value.extract::<String>()?)?),
        "maximum_registers" => options.maximum_registers = Some(value.extract()?),
        "override_directives" => options.override_directives = value.extract()?,
        "relocatable" => options.relocatable = value.extract()?,
        "check_stack" => options.check_stack = value.extract()?,
        "threads" => options.threads = value.extract()?,
        // It has set the others before.
        "fast_math" => {}
        "flush_denormals" => arithmetic.flush_denormals = value.extract()?,
        "contract" => arithmetic.contract = value.extract()?,
        "precise_division" => arithmetic.precise_division = value.extract()?,
        "precise_square_root" => arithmetic.precise_square_root = value.extract()?,
        "standard" => front.standard = standard(&value.extract::<String>()?)?,
        "device_by_default" => front.device_by_default = value.extract()?,
        "definitions" => front.definitions = definitions(value.extract()?),
        "folders" => front.folders = value.extract()?,
        "system_folders" => front.system_folders = value.extract()?,
        "includes" => front.includes = value.extract()?,
        "names" => front.names = value.extract()?,
        "no_warnings" => front.warnings.off = value.extract()?,
        _ => return Err(PyValueError::new_err("there is no such option")),
    }
    Ok(())
}

fn emit(word: &str) -> PyResult<Emit> {
    match word {
        "check" => Ok(Emit::Check),
        "ir" => Ok(Emit::Ir),
        "ptx" => Ok(Emit::Ptx),
        "cubin" => Ok(Emit::Cubin),
        _ => Err(PyValueError::new_err(format!(
            "it is check, ir, ptx or cubin, not `{word}`"
        ))),
    }
}

fn level(number: u8) -> PyResult<u8> {
    match number {
        0..=3 => Ok(number),
        _ => Err(PyValueError::new_err(format!("it is 0, 1, 2 or 3, not {number}"))),
    }
}

fn standard(word: &str) -> PyResult<Standard> {
    match word {
        "c++11" => Ok(Standard::Cpp11),
        "c++14" => Ok(Standard::Cpp14),
        "c++17" => Ok(Standard::Cpp17),
        "c++20" => Ok(Standard::Cpp20),
        _ => Err(PyValueError::new_err(format!(
            "it is c++11, c++14, c++17 or c++20, not `{word}`"
        ))),
    }
}

fn ptx_version(text: &str) -> PyResult<PtxVersion> {
    let known = warpsmith_ptx::versions().any(|version| version.to_string() == text);
    let parts = text.split_once('.').filter(|_| known);
    let version = parts.and_then(|(major, minor)| {
        Some(PtxVersion {
            major: major.parse().ok()?,
            minor: minor.parse().ok()?,
        })
    });
    version.ok_or_else(|| PyValueError::new_err(format!("there is no version {text} of PTX")))
}

/// Names with what they are defined as; `None`: they are not defined.
fn definitions(given: Vec<(String, Option<String>)>) -> Vec<Definition> {
    let definitions = given.into_iter().map(|(name, text)| match text {
        Some(text) => Definition::Define(format!("{name}={text}")),
        None => Definition::Undefine(name),
    });
    definitions.collect()
}
