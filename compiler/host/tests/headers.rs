//! Our headers of the driver and the runtime: C and C++ compilers accept them alone, and they say what those of a toolkit say, where one is installed. Each test
//! is skipped, and says so, where what it needs is missing.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, process::Command};

use warpsmith_host::host_headers;

/// The headers whose facts are compared.
const COMPARED: [&str; 9] = [
    "warpsmith/driver_api_types.h",
    "warpsmith/driver_graph_types.h",
    "warpsmith/driver_system_types.h",
    "warpsmith/runtime_graph_types.h",
    "warpsmith/runtime_system_types.h",
    "cuda.h",
    "driver_types.h",
    "cuda_runtime_api.h",
    "nvtx3/nvToolsExt.h",
];

/// Those that need the headers of OpenGL.
const OF_OPENGL: [&str; 2] = ["cudaGL.h", "cuda_gl_interop.h"];

/// The lines that include them where OpenGL is.
const INCLUDE_OPENGL: &str =
    "#if __has_include(<GL/gl.h>)\n#include <cudaGL.h>\n#include <cuda_gl_interop.h>\n#endif\n";

/// Whether the host's compiler finds the headers of OpenGL.
fn has_opengl() -> bool {
    let found = Path::new("/usr/include/GL/gl.h").is_file();
    if !found {
        eprintln!("skipped: there is no OpenGL");
    }
    found
}

/// Our headers in a folder of the test.
fn headers(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("headers-{test}"));
    let _ = fs::remove_dir_all(&folder);
    for (name, text) in host_headers() {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("it is written");
    }
    folder
}

/// What a compiler says of a source. `None`: there is no such compiler.
fn complaints(compiler: &str, words: &[&str], folder: &Path, source: &Path) -> Option<String> {
    let include = format!("-I{}", folder.display());
    let run = Command::new(compiler).args(words).arg(include).arg(source).output();
    let Ok(run) = run else {
        eprintln!("skipped: there is no {compiler}");
        return None;
    };
    Some(String::from_utf8_lossy(&run.stderr).into_owned())
}

#[test]
fn the_driver_api_is_c_and_cpp() {
    let folder = headers("languages");
    let opengl = if has_opengl() { INCLUDE_OPENGL } else { "" };
    let text = "#include <cuda.h>\n#include <cudaProfiler.h>\n#include <cuda_runtime_api.h>\n#include <nvrtc.h>\n#include <nvtx3/nvToolsExt.h>\n"
        .to_owned()
        + opengl
        + "int main(void) { CUdeviceptr p; CUuuid u; return cuInit(0) + cuMemAlloc(&p, 4) + cuDeviceGetUuid(&u, 0) + cudaFree(0) + nvtxRangePush(\"range\") + nvtxRangePop(); }\n";
    for (compiler, end, words) in [
        (
            "cc",
            "c",
            &["-std=c99", "-Wall", "-Wextra", "-pedantic", "-fsyntax-only"][..],
        ),
        ("g++", "cpp", &["-std=c++11", "-Wall", "-Wextra", "-fsyntax-only"]),
        (
            "g++",
            "cpp",
            &[
                "-std=c++20",
                "-Wall",
                "-Wextra",
                "-fsyntax-only",
                "-DCUDA_API_PER_THREAD_DEFAULT_STREAM",
            ],
        ),
    ] {
        let source = folder.join(format!("source.{end}"));
        fs::write(&source, &text).expect("it is written");
        let Some(said) = complaints(compiler, words, &folder, &source) else {
            continue;
        };
        assert_eq!(said, "", "{compiler} {words:?}");
    }
}

#[test]
fn plain_names_mean_what_programs_of_this_version_mean() {
    let headers = host_headers();
    let (_, text) = headers.iter().find(|(name, _)| *name == "cuda.h").expect("the header");
    let (per_thread, usual) = text.split_once("#else\n").expect("both");
    assert!(usual.contains("#define cuMemAlloc cuMemAlloc_v2\n"), "{usual}");
    assert!(usual.contains("#define cuCtxCreate cuCtxCreate_v4\n"));
    assert!(!usual.contains("#define cuLaunchKernel "));
    assert!(per_thread.contains("#define cuMemcpyHtoD cuMemcpyHtoD_v2_ptds\n"));
    assert!(per_thread.contains("#define cuLaunchKernel cuLaunchKernel_ptsz\n"));
    assert!(per_thread.contains("#define cuMemAlloc cuMemAlloc_v2\n"));
}

/// The include folder of a toolkit, if one is installed.
fn toolkit() -> Option<PathBuf> {
    let named = ["CUDA_PATH", "CUDA_HOME"]
        .into_iter()
        .filter_map(env::var_os)
        .map(PathBuf::from);
    let found = named
        .chain([PathBuf::from("/usr/local/cuda")])
        .map(|root| root.join("include"));
    found.into_iter().find(|include| include.join("cuda.h").is_file())
}

/// Names that a text declares: enumerators, macros that are numbers, structures with their members, functions.
#[derive(Default)]
struct Names {
    numbers: BTreeSet<String>,
    structures: BTreeSet<(String, Vec<String>)>,
    functions: BTreeSet<String>,
}

/// The words of a text, of letters, digits and underscores, and its other signs one by one.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_within = false;
    for sign in text.chars() {
        let is_word = sign.is_alphanumeric() || sign == '_';
        match words.last_mut().filter(|_| is_word && is_within) {
            Some(word) => word.push(sign),
            None if sign.is_whitespace() => {}
            None => words.push(sign.to_string()),
        }
        is_within = is_word;
    }
    words
}

/// The text without comments and directives.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("/*") {
        code.push_str(before);
        rest = behind.split_once("*/").map_or("", |(_, rest)| rest);
    }
    code.push_str(rest);
    let lines = code.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| format!("{line}\n")).collect()
}

impl Names {
    fn read(&mut self, text: &str) {
        for line in text.lines() {
            let mut columns = line.split_whitespace();
            let (Some("#define"), Some(name), Some(value)) = (columns.next(), columns.next(), columns.next()) else {
                continue;
            };
            let is_own = [
                "CU_",
                "CUDA_ARRAY",
                "CUDA_IPC",
                "CUDART_VERSION",
                "CUDA_VERSION",
                "cuda",
            ]
            .iter()
            .any(|start| name.starts_with(start));
            if is_own && value.starts_with(|sign: char| sign.is_ascii_digit()) {
                self.numbers.insert(name.to_owned());
            }
        }
        let words = words(&code(text));
        // Braces around a word, but for those of `extern "C"`.
        let mut depth = 0_usize;
        for (at, word) in words.iter().enumerate() {
            let next = words.get(at + 1).map_or("", String::as_str);
            let before = at.checked_sub(1).map_or("", |at| words[at].as_str());
            match word.as_str() {
                "{" if before != "\"" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                "enum" => self.enumerators(&words[at + 1..]),
                "struct" | "union"
                    if depth == 0 && words.get(at + 2).is_some_and(|sign| sign == "{") && next != "cudaDeviceProp" =>
                {
                    self.structures
                        .insert((format!("{word} {next}"), members(&words[at + 3..])));
                }
                name if next == "(" && name.starts_with("cu") && ["CUresult", "cudaError_t"].contains(&before) => {
                    self.functions.insert(name.to_owned());
                }
                _ => {}
            }
        }
    }

    fn enumerators(&mut self, words: &[String]) {
        let Some(start) = words.iter().position(|word| word == "{").filter(|&at| at < 2) else {
            return;
        };
        let body = words[start + 1..].iter().take_while(|word| *word != "}");
        let body: Vec<&String> = body.collect();
        for entry in body.split(|word| *word == ",") {
            if let Some(name) = entry.first() {
                self.numbers.insert(name.to_string());
            }
        }
    }

    /// A program that prints the facts behind the names.
    fn program(&self) -> String {
        let mut text = "#include <cuda.h>\n#include <cuda_runtime_api.h>\n#include <cuda_profiler_api.h>\n#include <nvrtc.h>\n#include <nvtx3/nvToolsExt.h>\n@opengl@#include <cstddef>\n#include <cstdio>\n#include <typeinfo>\nint main() {\n".replace("@opengl@", INCLUDE_OPENGL);
        for name in &self.numbers {
            let _ = writeln!(text, "std::printf(\"{name} = %lld\\n\", (long long)({name}));");
        }
        for (name, members) in &self.structures {
            let _ = writeln!(text, "std::printf(\"{name}: %zu bytes\\n\", sizeof({name}));");
            for member in members {
                let _ = writeln!(
                    text,
                    "std::printf(\"{name}.{member}: %zu\\n\", offsetof({name}, {member}));"
                );
            }
        }
        for name in &self.functions {
            let _ = writeln!(
                text,
                "{{ auto *f = static_cast<decltype(&{name})>(nullptr); std::printf(\"{name}: %s\\n\", typeid(f).name()); }}"
            );
        }
        text + "}\n"
    }
}

/// The members of a structure by their paths, from behind its brace on.
fn members(words: &[String]) -> Vec<String> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let (mut depth, mut square) = (0_usize, false);
    for (at, word) in words.iter().enumerate() {
        match word.as_str() {
            "{" => depth += 1,
            "}" if depth == 0 => break,
            "}" => {
                depth -= 1;
                // The name behind the brace is that of the group whose members came before.
                let name = words.get(at + 1).map_or("", String::as_str);
                let is_named = name.starts_with(|sign: char| sign.is_alphabetic());
                for (_, member) in found.iter_mut().filter(|(of, _)| is_named && *of > depth) {
                    *member = format!("{name}.{member}");
                }
                for (of, _) in found.iter_mut().filter(|(of, _)| *of > depth) {
                    *of = depth;
                }
            }
            "[" => square = true,
            "]" => square = false,
            _ => {
                let next = words.get(at + 1).map_or("", String::as_str);
                let before = at.checked_sub(1).map_or("", |at| words[at].as_str());
                let is_name = word.starts_with(|sign: char| sign.is_alphabetic()) && [";", ",", "["].contains(&next);
                if is_name && !square && before != "}" {
                    found.push((depth, word.clone()));
                }
            }
        }
    }
    let mut members: Vec<String> = found.into_iter().map(|(_, member)| member).collect();
    // A function that a member points to is no member itself.
    members.dedup();
    members
}

/// What the program prints with the headers of a folder.
fn facts(program: &Path, include: &Path, name: &str) -> Option<String> {
    let output = program.with_file_name(name);
    let words = ["-std=c++17", "-w", "-fpermissive", "-o", output.to_str()?];
    let said = complaints("g++", &words, include, program)?;
    assert!(output.is_file(), "{said}");
    let run = Command::new(&output).output().expect("it runs");
    Some(String::from_utf8_lossy(&run.stdout).into_owned())
}

#[test]
fn numbers_layouts_and_signatures_are_those_of_a_toolkit() {
    let Some(toolkit) = toolkit() else {
        eprintln!("skipped: there is no CUDA toolkit");
        return;
    };
    let folder = headers("toolkit");
    let mut names = Names::default();
    for name in COMPARED {
        names.read(&fs::read_to_string(folder.join(name)).expect("the header"));
    }
    for name in OF_OPENGL.into_iter().filter(|_| has_opengl()) {
        names.read(&fs::read_to_string(folder.join(name)).expect("the header"));
    }
    let program = folder.join("facts.cpp");
    fs::write(&program, names.program()).expect("it is written");
    let Some(theirs) = facts(&program, &toolkit, "theirs") else {
        return;
    };
    let ours = facts(&program, &folder, "ours").expect("there is a compiler");
    let different = ours.lines().zip(theirs.lines()).filter(|(ours, theirs)| ours != theirs);
    let different: Vec<String> = different
        .map(|(ours, theirs)| format!("{ours}\n    {theirs}"))
        .collect();
    assert_eq!(different.join("\n"), "");
    assert!(ours.lines().count() > 1500, "{}", ours.lines().count());
}

/// What a program may name it finds: every function, number and structure of a toolkit's headers is in ours.
#[test]
fn nothing_of_a_toolkit_is_missing() {
    let Some(toolkit) = toolkit() else {
        eprintln!("skipped: there is no CUDA toolkit");
        return;
    };
    let folder = headers("complete");
    let preprocessed = |include: &Path| {
        let source = folder.join("all.c");
        fs::write(&source, "#include <cuda.h>\n#include <cuda_runtime_api.h>\n").expect("it is written");
        let include = format!("-I{}", include.display());
        let run = Command::new("cc")
            .args(["-E", "-P", &include])
            .arg(source)
            .output()
            .ok()?;
        let mut names = Names::default();
        names.read(&String::from_utf8_lossy(&run.stdout));
        Some(names)
    };
    let (Some(theirs), Some(ours)) = (preprocessed(&toolkit), preprocessed(&folder)) else {
        eprintln!("skipped: there is no C compiler");
        return;
    };
    let is_of_cuda = |name: &&String| name.to_lowercase().starts_with("cu");
    let numbers = theirs.numbers.difference(&ours.numbers).filter(is_of_cuda);
    let functions = theirs.functions.difference(&ours.functions);
    let names = |all: &Names| -> BTreeSet<String> { all.structures.iter().map(|(name, _)| name.clone()).collect() };
    let structures = &names(&theirs) - &names(&ours);
    // Vectors that are aligned otherwise are C++'s alone, in the header of vectors.
    let structures = structures
        .iter()
        .filter(|name| name.contains("cu") || name.contains("CU"));
    let missing: Vec<&String> = numbers.chain(functions).chain(structures).collect();
    assert_eq!(missing, [""; 0]);
}
