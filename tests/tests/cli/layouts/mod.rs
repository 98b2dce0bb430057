//! Sizes, alignments and offsets of types, measured by our compiler and by the host's: a class that host and device lay out differently is read wrong without a word.
//!
//! A unit of a few hundred types writes what it measures into a table; g++ compiles and runs the same text for the host.

mod generate;
mod library;

use std::path::Path;
use std::process::Command;

use crate::support::Folder;

/// Something that is measured: what a reader is told of it and the expression.
struct Fact {
    label: String,
    expression: String,
}

/// Declarations of types, and what is measured of them.
struct Unit {
    text: String,
    facts: Vec<Fact>,
}

/// What both compilers' programs start with: storage in which a bit-field is looked for, and classes that hold or derive from another.
const START: &str = "\
template<class T> struct Storage {
    alignas(T) unsigned char bytes[sizeof(T)];
    HD T &clear() { for (unsigned long long i = 0; i < sizeof(T); ++i) bytes[i] = 0; return *(T *)bytes; }
    HD unsigned long long range() const {
        unsigned long long first = 0, count = 0;
        for (unsigned long long i = 0; i < 8 * sizeof(T); ++i)
            if (bytes[i / 8] >> i % 8 & 1) { if (!count) first = i; ++count; }
        return first * 1000 + count;
    }
};
template<class T> struct Between { char before; T middle; char after; };
template<class T> struct Beside { [[no_unique_address]] T first; char after; };
template<class T> struct Below : T { char after; };
";

/// Facts in one function, so that none is of a size that no program has.
const FACTS_OF_A_FUNCTION: usize = 200;

impl Unit {
    fn size(&mut self, ty: &str) {
        self.push(format!("sizeof({ty})"), format!("sizeof({ty})"));
        self.push(format!("alignof({ty})"), format!("alignof({ty})"));
    }

    fn offset(&mut self, ty: &str, member: &str) {
        let name = format!("Offset{}", self.facts.len());
        self.text += &format!("using {name} = {ty};\n");
        self.push(
            format!("offsetof({ty}, {member})"),
            format!("__builtin_offsetof({name}, {member})"),
        );
    }

    fn push(&mut self, label: String, expression: String) {
        self.facts.push(Fact { label, expression });
    }

    /// The whole program: `measure` writes all facts.
    fn source(&self) -> String {
        let mut text = format!("{START}{}struct Probe {{\n", self.text);
        let parts = self.facts.chunks(FACTS_OF_A_FUNCTION);
        let count = parts.len();
        for (part, facts) in parts.enumerate() {
            text += &format!("static HD void part{part}(unsigned long long *out) {{\n");
            for (place, fact) in facts.iter().enumerate() {
                text += &format!("out[{place}] = {};\n", fact.expression);
            }
            text += "}\n";
        }
        text += "};\nHD void measure(unsigned long long *out) {\n";
        for part in 0..count {
            text += &format!("Probe::part{part}(out + {});\n", part * FACTS_OF_A_FUNCTION);
        }
        text + "}\n"
    }
}

/// Which headers a unit needs.
#[derive(Clone, Copy)]
struct Headers<'a> {
    edition: &'a str,
    toolkit: Option<&'a Path>,
}

/// Stands for the toolkit's first header where there is no toolkit: the words that mark functions.
const RUNTIME: &str = "\
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
";

fn numbers(bytes: &[u8]) -> Vec<u64> {
    let (words, _) = bytes.as_chunks();
    words.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

fn ours(folder: &Folder, headers: Headers<'_>, unit: &Unit) -> Vec<u64> {
    let count = unit.facts.len();
    let kernel = "extern \"C\" __global__ void facts(unsigned long long *out) { measure(out); }\n";
    let start = "#define HD __host__ __device__\n";
    folder.write("ours.cu", format!("{start}#include \"facts.h\"\n{kernel}"));
    let toolkit = match headers.toolkit {
        Some(toolkit) => toolkit.to_string_lossy().into_owned(),
        None => {
            std::fs::create_dir_all(folder.path("toolkit/include")).unwrap();
            folder.write("toolkit/include/cuda_runtime.h", RUNTIME);
            "toolkit".to_string()
        }
    };
    let edition = headers.edition;
    let options = format!("-std=c++{edition} -arch=sm_90 -cuda-path {toolkit} -w -ptx -o ours.ptx");
    folder.run(&format!("ours.cu {options}")).success();
    let run = format!("run ours.ptx --budget 100000000 --arg out=zeros:u64:{count} --save out=ours.bin");
    folder.run(&run).success();
    numbers(&folder.read("ours.bin"))
}

/// `None` where there is no g++ of version 12.
fn hosts(folder: &Folder, headers: Headers<'_>, unit: &Unit) -> Option<Vec<u64>> {
    let version = Command::new("g++").arg("-dumpversion").output().ok()?;
    if !version.stdout.starts_with(b"12") {
        return None;
    }
    let count = unit.facts.len();
    let main = format!(
        "int main() {{ static unsigned long long out[{count}]; measure(out); std::fwrite(out, 8, {count}, stdout); }}\n"
    );
    let start = "#include <cstdio>\n#define HD\n#define __host__\n#define __device__\n";
    folder.write("host.cpp", format!("{start}#include \"facts.h\"\n{main}"));
    let mut command = Command::new("g++");
    command
        .current_dir(folder.path(""))
        .args(["-w", "-O0", "-o", "host", "host.cpp"]);
    command.arg(format!("-std=c++{}", headers.edition));
    if let Some(toolkit) = headers.toolkit {
        for name in ["include/cccl", "include"] {
            command.arg("-I").arg(toolkit.join(name));
        }
    }
    let made = command.output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Some(numbers(&Command::new(folder.path("host")).output().unwrap().stdout))
}

/// Measures a unit with both compilers and tells what differs, one line each.
fn differences(test: &str, headers: Headers<'_>, unit: &Unit) -> String {
    let folder = Folder::new(test);
    folder.write("facts.h", unit.source());
    let Some(host) = hosts(&folder, headers, unit) else {
        eprintln!("skipped: g++ 12 is not installed");
        return String::new();
    };
    let ours = ours(&folder, headers, unit);
    assert_eq!((ours.len(), host.len()), (unit.facts.len(), unit.facts.len()));
    let wrong = unit
        .facts
        .iter()
        .zip(ours.iter().zip(&host))
        .filter(|(_, (ours, host))| ours != host);
    let lines: Vec<String> = wrong
        .map(|(fact, (ours, host))| format!("{test}: {}: {ours}, {host} for g++\n", fact.label))
        .collect();
    eprintln!("{} facts, {} differ", unit.facts.len(), lines.len());
    lines.concat()
}

#[test]
fn generated_classes_are_laid_out_as_the_hosts_compiler_does() {
    let mut all = String::new();
    for seed in 1..=3 {
        let unit = generate::unit(seed, 150);
        let headers = Headers {
            edition: "20",
            toolkit: None,
        };
        all += &differences(&format!("layouts-generated-{seed}"), headers, &unit);
    }
    assert!(all.is_empty(), "{all}");
}

#[test]
fn the_hosts_library_is_laid_out_as_the_hosts_compiler_does() {
    let mut all = String::new();
    for edition in ["17", "20"] {
        let unit = library::host_library(edition);
        let headers = Headers { edition, toolkit: None };
        all += &differences(&format!("layouts-library-{edition}"), headers, &unit);
    }
    assert!(all.is_empty(), "{all}");
}

/// Where the toolkit is, is said by `CUDA_PATH`.
#[test]
fn the_toolkits_library_is_laid_out_as_the_hosts_compiler_does() {
    let Some(toolkit) = std::env::var_os("CUDA_PATH").map(std::path::PathBuf::from) else {
        eprintln!("skipped: CUDA_PATH names no toolkit");
        return;
    };
    if !toolkit.join("include/cccl/cuda/std/tuple").is_file() {
        eprintln!("skipped: there is no libcu++ in {}", toolkit.display());
        return;
    }
    let mut all = String::new();
    for edition in ["17", "20"] {
        let unit = library::toolkits_library();
        let headers = Headers {
            edition,
            toolkit: Some(&toolkit),
        };
        all += &differences(&format!("layouts-toolkit-{edition}"), headers, &unit);
    }
    assert!(all.is_empty(), "{all}");
}
