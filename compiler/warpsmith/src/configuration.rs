//! Options as text: all of them, under their names, as TOML.

use std::fmt::{self, Debug, Formatter};

use warpsmith_base::Arithmetic;
use warpsmith_cuda::source::{Definition, Mode, Prelude, Standard, WarningOptions};

use crate::{Emit, FrontEnd, Options};

/// All options, one on a line, as TOML: `warpsmith compile --print-config` shows it. What is not set stands in a comment.
///
/// ```
/// use warpsmith::{Options, Sm};
///
/// let text = Options::new(Sm::Sm90).to_string();
/// assert!(text.starts_with("target = \"sm_90\"\nemit = \"cubin\"\nlevel = 3\n"));
/// assert!(text.contains("\n# maximum_registers is not set\n"));
/// ```
impl fmt::Display for Options {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // Taken apart, so that no option is forgotten.
        let Options {
            target,
            emit,
            level,
            arithmetic,
            line_info,
            debug,
            places,
            directory,
            front,
            restrict_kernel_pointers,
            ptx_version,
            maximum_registers,
            maximum_function_registers,
            override_directives,
            relocatable,
            check_stack,
            errors_at_exit,
            annotations,
            arguments,
            threads,
            verify,
            passes_off,
            phases_off,
            pass_fuel,
            phase_fuel,
        } = self;
        line(f, "target", &target.name())?;
        line(f, "emit", &word_of_emit(*emit))?;
        line(f, "level", level)?;
        line(f, "line_info", line_info)?;
        line(f, "debug", debug)?;
        line(f, "places", places)?;
        optional(f, "directory", directory.as_ref())?;
        line(f, "restrict_kernel_pointers", restrict_kernel_pointers)?;
        optional(
            f,
            "ptx_version",
            ptx_version.map(|version| version.to_string()).as_ref(),
        )?;
        optional(f, "maximum_registers", maximum_registers.as_ref())?;
        optional(f, "maximum_function_registers", maximum_function_registers.as_ref())?;
        line(f, "override_directives", override_directives)?;
        line(f, "relocatable", relocatable)?;
        line(f, "check_stack", check_stack)?;
        line(f, "errors_at_exit", errors_at_exit)?;
        line(f, "annotations", annotations)?;
        line(f, "arguments", arguments)?;
        line(f, "threads", threads)?;
        line(f, "verify", verify)?;
        line(f, "passes_off", passes_off)?;
        line(f, "phases_off", phases_off)?;
        optional(f, "pass_fuel", pass_fuel.as_ref())?;
        optional(f, "phase_fuel", phase_fuel.as_ref())?;
        of_arithmetic(f, arithmetic)?;
        of_front(f, front)
    }
}

fn of_arithmetic(f: &mut Formatter<'_>, arithmetic: &Arithmetic) -> fmt::Result {
    let Arithmetic {
        flush_denormals,
        contract,
        precise_division,
        precise_square_root,
        fast_math,
    } = arithmetic;
    f.write_str("\n[arithmetic]\n")?;
    line(f, "flush_denormals", flush_denormals)?;
    line(f, "contract", contract)?;
    line(f, "precise_division", precise_division)?;
    line(f, "precise_square_root", precise_square_root)?;
    line(f, "fast_math", fast_math)
}

fn of_front(f: &mut Formatter<'_>, front: &FrontEnd) -> fmt::Result {
    let FrontEnd {
        standard,
        mode,
        device_by_default,
        prelude,
        built_in_headers,
        definitions,
        quote_folders,
        folders,
        system_folders,
        includes,
        names,
        warnings,
    } = front;
    let (defined, undefined): (Vec<_>, Vec<_>) =
        (definitions.iter()).partition(|definition| matches!(definition, Definition::Define(_)));
    let text = |definition: &&Definition| match definition {
        Definition::Define(text) | Definition::Undefine(text) => text.clone(),
    };
    f.write_str("\n[front]\n")?;
    line(
        f,
        "standard",
        &match standard {
            Standard::Cpp11 => "c++11",
            Standard::Cpp14 => "c++14",
            Standard::Cpp17 => "c++17",
            Standard::Cpp20 => "c++20",
        },
    )?;
    line(
        f,
        "mode",
        &match mode {
            Mode::DeviceOnly => "device-only",
            Mode::HostHeaders => "host-headers",
        },
    )?;
    line(f, "device_by_default", device_by_default)?;
    line(
        f,
        "prelude",
        &match prelude {
            Prelude::None => "none",
            Prelude::AsNeeded => "as-needed",
            Prelude::Whole => "whole",
        },
    )?;
    line(f, "built_in_headers", built_in_headers)?;
    line(f, "defined", &defined.iter().map(text).collect::<Vec<_>>())?;
    line(f, "undefined", &undefined.iter().map(text).collect::<Vec<_>>())?;
    line(f, "quote_folders", quote_folders)?;
    line(f, "folders", folders)?;
    line(f, "system_folders", system_folders)?;
    line(f, "includes", includes)?;
    line(f, "names", names)?;
    let WarningOptions {
        off,
        all_errors,
        suppressed,
        errors,
    } = warnings;
    f.write_str("\n[front.warnings]\n")?;
    line(f, "off", off)?;
    line(f, "all_errors", all_errors)?;
    line(f, "suppressed", suppressed)?;
    line(f, "errors", errors)
}

const fn word_of_emit(emit: Emit) -> &'static str {
    match emit {
        Emit::Check => "check",
        Emit::Ir => "ir",
        Emit::Bitcode => "bc",
        Emit::Ptx => "ptx",
        Emit::Cubin => "cubin",
    }
}

/// Rust writes numbers, truth values, strings and lists of them as TOML does, but for signs that stand in hardly any name.
fn line(f: &mut Formatter<'_>, name: &str, value: &dyn Debug) -> fmt::Result {
    writeln!(f, "{name} = {value:?}")
}

fn optional(f: &mut Formatter<'_>, name: &str, value: Option<&impl Debug>) -> fmt::Result {
    match value {
        Some(value) => line(f, name, value),
        None => writeln!(f, "# {name} is not set"),
    }
}
