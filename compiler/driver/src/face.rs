//! The tools that Warpsmith can stand for, by the name it is called by.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use warpsmith_base::{Diagnostic, fault};

use crate::{Console, cc, cuobjdump, exit, fatbinary, nvdisasm, ptxas};

/// How far a face has come.
enum Support {
    /// It runs, with the arguments after the name.
    Runs {
        /// Does what a command line asks for.
        run: fn(&[OsString], &mut Console) -> u8,
        /// The release of the tool whose options and texts these are.
        release: &'static str,
    },
    /// It is recognised and refused.
    Planned,
}

/// A tool that Warpsmith can be called as.
struct Face {
    /// File name of the tool, without a suffix.
    name: &'static str,
    /// What the tool does.
    role: &'static str,
    support: Support,
}

#[rustfmt::skip]
const FACES: &[Face] = &[
    Face { name: "cicc",       role: "compiles CUDA C++ or NVVM IR to PTX",        support: Support::Planned },
    Face { name: "cudafe++",   role: "splits CUDA C++ into host and device parts", support: Support::Planned },
    Face { name: "cuobjdump",  role: "shows what host files embed",                support: Support::Runs { run: cuobjdump::run, release: "13.0.88" } },
    Face { name: "fatbinary",  role: "packs cubins and PTX into a fatbin",         support: Support::Runs { run: fatbinary::run, release: "13.0.88" } },
    Face { name: "nvcc",       role: "compiles CUDA C++",                          support: Support::Runs { run: cc::run_as_nvcc, release: "13.0.88" } },
    Face { name: "nvdisasm",   role: "disassembles cubins",                        support: Support::Runs { run: nvdisasm::run, release: "13.5" } },
    Face { name: "nvlink",     role: "links relocatable cubins",                   support: Support::Planned },
    Face { name: "nvprune",    role: "removes targets from host files",            support: Support::Planned },
    Face { name: "ptxas",      role: "assembles PTX to a cubin", support: Support::Runs { run: ptxas::run, release: "13.0.88" } },
];

/// What a command line asks for.
pub(crate) enum Request<'a> {
    /// Warpsmith's own commands.
    Own,
    /// Another tool's place, with the arguments for it.
    Face { name: String, rest: &'a [OsString] },
    /// `--face` without a name.
    Nameless,
}

/// Decides between Warpsmith's own commands and a face.
pub(crate) fn requested(arguments: &[OsString]) -> Request<'_> {
    let Some((program, rest)) = arguments.split_first() else {
        return Request::Own;
    };
    let called = tool_name(program);
    if find(&called).is_some() {
        return Request::Face { name: called, rest };
    }
    let Some((first, rest)) = rest.split_first() else {
        return Request::Own;
    };
    if first == "--face" {
        return match rest.split_first() {
            Some((name, rest)) => Request::Face {
                name: name.to_string_lossy().into_owned(),
                rest,
            },
            None => Request::Nameless,
        };
    }
    match first.to_string_lossy().strip_prefix("--face=") {
        Some("") => Request::Nameless,
        Some(name) => Request::Face {
            name: name.to_owned(),
            rest,
        },
        None => Request::Own,
    }
}

/// Runs a face, or refuses it by name.
pub(crate) fn run(name: &str, arguments: &[OsString], console: &mut Console) -> u8 {
    let refusal = match find(name) {
        Some(Face {
            name,
            support: Support::Runs { run, .. },
            ..
        }) => {
            let _at = fault::enter(name, "");
            return run(arguments, console);
        }
        Some(face) => Diagnostic::error(format!(
            "the face '{name}' ({}) is not supported yet; supported: {}",
            face.role,
            supported_names()
        )),
        None => Diagnostic::error(format!("there is no face '{name}'; there are {}", names())),
    };
    console.diagnose(&refusal);
    exit::WARPSMITH.input
}

/// The faces for the help text, one line each.
pub(crate) fn help() -> String {
    let lines = FACES.iter().map(|face| {
        let state = match face.support {
            Support::Runs { .. } => "",
            Support::Planned => " (not supported yet)",
        };
        format!("  {:<10} {}{state}\n", face.name, face.role)
    });
    lines.collect()
}

/// The tools that Warpsmith can stand for, each with its release.
pub(crate) fn releases() -> impl Iterator<Item = (&'static str, &'static str)> {
    FACES.iter().filter_map(|face| match face.support {
        Support::Runs { release, .. } => Some((face.name, release)),
        Support::Planned => None,
    })
}

/// Whether the program was called through a link with a tool's name.
pub(crate) fn is_link(arguments: &[OsString]) -> bool {
    arguments
        .first()
        .is_some_and(|program| find(&tool_name(program)).is_some())
}

/// The names of all faces.
pub(crate) fn names() -> String {
    let names: Vec<_> = FACES.iter().map(|face| face.name).collect();
    names.join(", ")
}

fn supported_names() -> String {
    let supported = FACES.iter().filter(|face| matches!(face.support, Support::Runs { .. }));
    let names: Vec<_> = supported.map(|face| face.name).collect();
    names.join(", ")
}

fn find(name: &str) -> Option<&'static Face> {
    FACES.iter().find(|face| face.name == name)
}

/// The file name of a program, without the suffix that some systems need.
fn tool_name(program: &OsStr) -> String {
    let name = Path::new(program).file_name().unwrap_or(program);
    let name = name.to_string_lossy();
    name.strip_suffix(".exe").unwrap_or(&name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name of the face and count of the arguments for it.
    fn face(line: &str) -> Option<(String, usize)> {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        match requested(&arguments) {
            Request::Face { name, rest } => Some((name, rest.len())),
            Request::Own | Request::Nameless => None,
        }
    }

    #[test]
    fn the_name_of_the_link_decides() {
        assert_eq!(face("/usr/bin/nvdisasm -c k.cubin"), Some(("nvdisasm".into(), 2)));
        assert_eq!(face("ptxas.exe"), Some(("ptxas".into(), 0)));
        assert_eq!(face("warpsmith disasm k.cubin"), None);
        // A link's own arguments are the tool's, whatever they are.
        assert_eq!(face("nvdisasm --face ptxas"), Some(("nvdisasm".into(), 2)));
    }

    #[test]
    fn the_option_decides_where_the_name_does_not() {
        assert_eq!(face("warpsmith --face nvdisasm -c"), Some(("nvdisasm".into(), 1)));
        assert_eq!(face("ws --face=nvlink"), Some(("nvlink".into(), 0)));
        assert_eq!(face("warpsmith --face"), None);
        assert_eq!(face("warpsmith disasm --face nvdisasm"), None);
    }

    #[test]
    fn faces_are_in_alphabetical_order() {
        assert!(FACES.is_sorted_by_key(|face| face.name));
    }
}
