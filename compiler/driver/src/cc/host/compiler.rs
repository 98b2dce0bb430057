//! The host's C++ compiler: which one, and with what words it is called.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use warpsmith_base::Diagnostic;
use warpsmith_host::Standard;

use super::error;
use crate::cc::toolkit::Toolkit;
use crate::cc::{images, job};
use crate::vendor::{self, Parsed};
use crate::{Console, files};

/// The compiler that is called where `-ccbin` names none.
const USUAL: &str = "g++";

/// nvcc's macros for both sides.
const MACROS: [&str; 9] = [
    "-D__CUDACC__",
    "-D__NVCC__",
    "-D__CUDACC_VER_MAJOR__=13",
    "-D__CUDACC_VER_MINOR__=0",
    "-D__CUDACC_VER_BUILD__=88",
    "-D__CUDA_API_VER_MAJOR__=13",
    "-D__CUDA_API_VER_MINOR__=0",
    "-D__NVCC_DIAG_PRAGMA_SUPPORT__=1",
    "-D__CUDACC_DEVICE_ATOMIC_BUILTINS__=1",
];

/// The host's compiler, and the command line that it serves.
pub(super) struct HostCompiler<'a> {
    program: OsString,
    parsed: &'a Parsed,
    /// Where CUDA's headers and libraries are.
    pub(super) toolkit: Toolkit,
    /// The value of `__CUDA_ARCH_LIST__`.
    architectures: String,
}

impl<'a> HostCompiler<'a> {
    /// The compiler that `-ccbin`, or the variable `NVCC_CCBIN`, names; g++ otherwise.
    pub(super) fn find(parsed: &'a Parsed) -> Result<HostCompiler<'a>, Vec<Diagnostic>> {
        let named = parsed
            .text("ccbin")
            .map(OsString::from)
            .or_else(|| std::env::var_os("NVCC_CCBIN"));
        let program = match named {
            Some(name) if Path::new(&name).is_dir() => Path::new(&name).join(USUAL).into_os_string(),
            Some(name) => name,
            None => OsString::from(USUAL),
        };
        let numbers: Vec<String> = (images::targets(parsed)?.iter())
            .map(|sm| format!("{}0", sm.name().trim_start_matches("sm_").trim_end_matches(['a', 'f'])))
            .collect();
        let mut numbers: Vec<u32> = numbers.iter().filter_map(|number| number.parse().ok()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
        Ok(HostCompiler {
            program,
            parsed,
            toolkit: Toolkit::of(parsed)?,
            architectures: numbers.join(","),
        })
    }

    /// The edition of C++ that the host's side is read in.
    pub(super) fn standard(&self) -> Standard {
        match self.parsed.keyword("std") {
            Some("c++11") => Standard::Cpp11,
            Some("c++14") => Standard::Cpp14,
            Some("c++20") => Standard::Cpp20,
            _ => Standard::Cpp17,
        }
    }

    /// The words of all calls: the edition, optimisation, and what `-Xcompiler` says.
    fn common(&self) -> Vec<String> {
        let parsed = self.parsed;
        let mut words: Vec<String> = Vec::new();
        words.extend(parsed.keyword("std").map(|standard| format!("-std={standard}")));
        words.extend(parsed.unsigned("O").map(|level| format!("-O{level}")));
        for (option, word) in [("g", "-g"), ("pg", "-pg"), ("w", "-w"), ("noeh", "-fno-exceptions")] {
            words.extend(parsed.has(option).then(|| word.to_owned()));
        }
        words.push("-m64".to_owned());
        words.extend(words_of(parsed.texts("Xcompiler")));
        words.extend(parsed.forwarded.iter().cloned());
        words
    }

    /// The words of a call that preprocesses.
    fn preprocessing(&self, is_cuda: bool) -> Vec<String> {
        let parsed = self.parsed;
        let mut words = vec![format!("-D__CUDA_ARCH_LIST__={}", self.architectures)];
        let macros = if is_cuda { &MACROS[..] } else { &MACROS[1..] };
        words.extend(macros.iter().map(|&word| word.to_owned()));
        for (option, name) in [
            ("G", "__CUDACC_DEBUG__"),
            ("extended-lambda", "__CUDACC_EXTENDED_LAMBDA__"),
            ("expt-relaxed-constexpr", "__CUDACC_RELAXED_CONSTEXPR__"),
        ] {
            words.extend((is_cuda && parsed.has(option)).then(|| format!("-D{name}")));
        }
        words.extend((is_cuda && job::is_linked_later(parsed)).then(|| "-D__CUDACC_RDC__".to_owned()));
        if parsed.keyword("default-stream") == Some("per-thread") {
            words.push("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1".to_owned());
        }
        words.extend(parsed.texts("D").iter().map(|text| format!("-D{text}")));
        words.extend(parsed.texts("U").iter().map(|text| format!("-U{text}")));
        words.extend(parsed.texts("I").iter().map(|text| format!("-I{text}")));
        for folder in parsed.texts("isystem") {
            words.extend(["-isystem".to_owned(), folder.clone()]);
        }
        words.extend(self.toolkit.include_words());
        if is_cuda {
            words.extend(["-include".to_owned(), "cuda_runtime.h".to_owned()]);
        }
        for file in parsed.texts("include") {
            words.extend(["-include".to_owned(), file.clone()]);
        }
        words
    }

    /// The words that preprocess a CUDA source to standard output.
    pub(super) fn preprocess_words(&self, path: &Path) -> Vec<String> {
        let mut words = vec!["-E".to_owned(), "-x".to_owned(), "c++".to_owned()];
        words.extend(self.common());
        words.extend(self.preprocessing(true));
        words.push(path.to_string_lossy().into_owned());
        words
    }

    /// The host's side of a CUDA source, preprocessed.
    pub(super) fn preprocess(&self, path: &Path, console: &mut Console) -> Result<String, Vec<Diagnostic>> {
        let words = self.preprocess_words(path);
        let output = self.call(&words, None, console)?;
        // The host's compiler is to have the bytes of the source; others than those of UTF-8 would not come through.
        String::from_utf8(output.stdout).map_err(|reason| {
            let before = &reason.as_bytes()[..reason.utf8_error().valid_up_to()];
            let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count() + 1;
            let text = format!(
                "a byte in what `{}` becomes is not of UTF-8: host code is split as UTF-8",
                files::shown(path)
            );
            let place = format!("it is byte {column} of the preprocessed line; an escape such as \\xe9 stands for it");
            vec![Diagnostic::error(text).note(place)]
        })
    }

    /// The words that compile preprocessed text from standard input.
    pub(super) fn text_words(&self, output: &Path) -> Vec<String> {
        let mut words = vec!["-c".to_owned(), "-x".to_owned(), "c++-cpp-output".to_owned()];
        words.extend(self.common());
        words.push("-Wno-psabi".to_owned());
        words.extend(["-".to_owned(), "-o".to_owned(), output.to_string_lossy().into_owned()]);
        words
    }

    /// Compiles preprocessed text.
    pub(super) fn compile_text(&self, text: &str, output: &Path, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
        self.call(&self.text_words(output), Some(text), console).map(|_| ())
    }

    /// Compiles a source of the host, or only preprocesses it.
    pub(super) fn compile_file(
        &self,
        path: &Path,
        output: &Path,
        only_preprocess: bool,
        console: &mut Console,
    ) -> Result<(), Vec<Diagnostic>> {
        let language = match (self.parsed.keyword("x"), path.extension().and_then(|end| end.to_str())) {
            (Some("c"), _) | (None, Some("c")) => "c",
            _ => "c++",
        };
        let mut words = vec![
            if only_preprocess { "-E" } else { "-c" }.to_owned(),
            "-x".to_owned(),
            language.to_owned(),
        ];
        let common = self.common().into_iter();
        words.extend(common.filter(|word| language != "c" || !word.starts_with("-std=")));
        words.extend(self.preprocessing(false));
        if !only_preprocess && (self.parsed.has("MD") || self.parsed.has("MMD")) {
            words.push(if self.parsed.has("MD") { "-MD" } else { "-MMD" }.to_owned());
            for option in ["MF", "MT"] {
                words.extend(
                    self.parsed
                        .text(option)
                        .into_iter()
                        .flat_map(|text| [format!("-{option}"), text.to_owned()]),
                );
            }
            words.extend(self.parsed.has("MP").then(|| "-MP".to_owned()));
        }
        words.push(path.to_string_lossy().into_owned());
        words.extend(["-o".to_owned(), output.to_string_lossy().into_owned()]);
        self.call(&words, None, console).map(|_| ())
    }

    /// The words that link.
    pub(super) fn link_words(&self, files: &[PathBuf], output: &Path, shared: bool) -> Vec<String> {
        let parsed = self.parsed;
        let mut words = self.common();
        words.push("-Wl,--start-group".to_owned());
        words.extend(files.iter().map(|file| file.to_string_lossy().into_owned()));
        words.extend(shared.then(|| "-shared".to_owned()));
        for text in words_of(parsed.texts("Xlinker")) {
            words.extend(["-Xlinker".to_owned(), text]);
        }
        words.extend(parsed.texts("L").iter().map(|folder| format!("-L{folder}")));
        words.extend(parsed.texts("l").iter().map(|name| library_word(name)));
        words.extend(self.toolkit.library_words(parsed.keyword("cudart").unwrap_or("static")));
        words.push("-Wl,--end-group".to_owned());
        words.extend(["-o".to_owned(), output.to_string_lossy().into_owned()]);
        words
    }

    /// Links.
    pub(super) fn link(
        &self,
        files: &[PathBuf],
        output: &Path,
        shared: bool,
        console: &mut Console,
    ) -> Result<(), Vec<Diagnostic>> {
        let linked = self.call(&self.link_words(files, output, shared), None, console);
        linked.map(|_| ()).map_err(|mut errors| {
            let runtime = self.parsed.keyword("cudart").unwrap_or("static");
            errors.extend(self.toolkit.missing_runtime(runtime));
            errors
        })
    }

    /// Makes an archive.
    pub(super) fn archive(
        &self,
        files: &[PathBuf],
        output: &Path,
        console: &mut Console,
    ) -> Result<(), Vec<Diagnostic>> {
        let program = self.parsed.text("arbin").unwrap_or("ar");
        let mut words = vec!["cr".to_owned(), output.to_string_lossy().into_owned()];
        words.extend(words_of(self.parsed.texts("Xarchive")));
        words.extend(files.iter().map(|file| file.to_string_lossy().into_owned()));
        self.call_program(&OsString::from(program), &words, None, console)
            .map(|_| ())
    }

    /// Runs what was linked: its exit status.
    pub(super) fn run(&self, output: &Path) -> Result<u8, Vec<Diagnostic>> {
        let program = if output.is_absolute() {
            output.to_path_buf()
        } else {
            Path::new(".").join(output)
        };
        let status = Command::new(&program).args(self.parsed.texts("run-args")).status();
        let status = status.map_err(|reason| error(format!("cannot run `{}`: {reason}", program.display())))?;
        Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
    }

    fn call(&self, words: &[String], input: Option<&str>, console: &mut Console) -> Result<Output, Vec<Diagnostic>> {
        self.call_program(&self.program, words, input, console)
    }

    /// Calls a program. What it says on standard error is passed on.
    fn call_program(
        &self,
        program: &OsString,
        words: &[String],
        input: Option<&str>,
        console: &mut Console,
    ) -> Result<Output, Vec<Diagnostic>> {
        if self.parsed.has("v") || self.parsed.has("dryrun") {
            console.complain(&format!("#$ {}\n", super::shown::line(program, words)));
        }
        let empty = || Output {
            status: std::process::ExitStatus::default(),
            stdout: Vec::new(),
            stderr: Vec::new(),
        };
        if self.parsed.has("dryrun") {
            return Ok(empty());
        }
        let output = run_with(program, words, input).map_err(|reason| missing(program, &reason))?;
        if !output.stderr.is_empty() {
            console.complain(&String::from_utf8_lossy(&output.stderr));
        }
        if !output.status.success() {
            let name = Path::new(program).display().to_string();
            return Err(error(format!("`{name}` failed ({})", output.status)));
        }
        Ok(output)
    }

    /// Whether it is clang, by what it says of itself.
    pub(super) fn is_clang(&self) -> bool {
        let said = Command::new(&self.program)
            .arg("--version")
            .stderr(Stdio::null())
            .output();
        said.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).contains("clang"))
    }

    /// The program.
    pub(super) fn program(&self) -> &OsString {
        &self.program
    }
}

/// The words of texts that are passed on: blanks separate them but within quotation marks, as a shell would have it that nvcc calls.
fn words_of(texts: &[String]) -> Vec<String> {
    let words = texts.iter().flat_map(|text| match vendor::split(text) {
        Ok(words) => words
            .into_iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect(),
        Err(_) => vec![text.clone()],
    });
    words.collect()
}

/// `-lNAME`, but a file by its name.
fn library_word(name: &str) -> String {
    match Path::new(name).extension() {
        Some(end) if (end == "a" || end == "so" || end == "o") && name.contains('/') => name.to_owned(),
        _ => format!("-l{name}"),
    }
}

fn run_with(program: &OsString, words: &[String], input: Option<&str>) -> std::io::Result<Output> {
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    let mut command = Command::new(program);
    command
        .args(words)
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let pipe = child.stdin.take();
    std::thread::scope(|scope| {
        if let (Some(mut pipe), Some(input)) = (pipe, input) {
            // A compiler that stops early has said why.
            scope.spawn(move || {
                let _ = pipe.write_all(input.as_bytes());
            });
        }
        child.wait_with_output()
    })
}

/// What to do where there is no compiler.
fn missing(program: &OsString, reason: &std::io::Error) -> Vec<Diagnostic> {
    let name = files::shown(Path::new(program));
    let text = format!("cannot call the host's compiler `{name}`: {reason}");
    let package = match name.as_str() {
        "ar" => "binutils has it",
        _ => "Debian and Ubuntu have g++ in the package `g++`, Fedora in `gcc-c++`; -ccbin names another compiler",
    };
    vec![Diagnostic::error(text).note(package)]
}
