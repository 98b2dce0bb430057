//! Damaged input for every reader, through the command line that a user has: what is read is a file in a folder, and a face or command is run on it in this
//! process.
//!
//! A finding is an internal error (a panic is one), a file that is left without success, more memory than ten times the input and 200 MB, or more than ten
//! seconds. What ends the process — an abort, a stack that overflows, time — is found by [`super::watch`], which runs this in another one. The seed and the round
//! repeat an execution, and its files lie in the folder until the next.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::mutate::{damaged_binary, damaged_text};
use super::seeds::Seeds;
use crate::Random;

/// What reads a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// PTX, by ptxas.
    Ptx,
    /// CUDA C++, by nvcc.
    Cuda,
    /// SSA IR as text, by nvcc.
    Ir,
    /// Cubins: disassemblers, the emulator's loader.
    Cubin,
    /// Fatbins, by cuobjdump.
    Fatbin,
    /// Listings, by the assembler.
    Listing,
    /// Launch files.
    LaunchFile,
    /// Arrays of NumPy.
    Npy,
    /// The command lines of faces.
    CommandLine,
}

impl Reader {
    /// Every reader with its name on the command line.
    pub const ALL: [(&str, Reader); 9] = [
        ("read-ptx", Reader::Ptx),
        ("read-cuda", Reader::Cuda),
        ("read-ir", Reader::Ir),
        ("read-cubin", Reader::Cubin),
        ("read-fatbin", Reader::Fatbin),
        ("read-listing", Reader::Listing),
        ("read-launch", Reader::LaunchFile),
        ("read-npy", Reader::Npy),
        ("read-options", Reader::CommandLine),
    ];

    /// The file that is damaged.
    const fn file(self) -> &'static str {
        match self {
            Reader::Ptx => "k.ptx",
            Reader::Cuda => "k.cu",
            Reader::Ir => "k.ll",
            Reader::Cubin => "k.cubin",
            Reader::Fatbin => "k.fatbin",
            Reader::Listing => "k.sass",
            Reader::LaunchFile => "k.toml",
            Reader::Npy => "k.npy",
            Reader::CommandLine => "words",
        }
    }
}

/// Bytes that an execution may take beyond ten times its input.
const FREE_MEMORY: u64 = 200 << 20;
/// How long an execution may take.
pub const MOST_TIME: Duration = Duration::from_secs(10);

/// One execution that went wrong.
#[derive(Debug)]
pub struct Finding {
    /// The seed's round.
    pub round: u64,
    /// The command line.
    pub line: String,
    /// What is wrong.
    pub what: String,
}

/// Runs executions of a reader in a folder, which is made and belongs to it. The process works in that folder from then on.
pub struct Run {
    reader: Reader,
    seeds: Seeds,
    folder: PathBuf,
    seed: u64,
}

impl Run {
    /// A run with the files of `seeds`.
    ///
    /// # Panics
    /// If the folder cannot be used.
    pub fn new(reader: Reader, seed: u64, folder: &Path) -> Run {
        let seeds = Seeds::of(reader);
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).expect("the folder can be made");
        std::env::set_current_dir(folder).expect("the folder is there");
        let folder = std::env::current_dir().expect("there is a folder");
        Run {
            reader,
            seeds,
            folder,
            seed,
        }
    }

    /// One execution: what it found.
    ///
    /// # Panics
    /// If the folder cannot be used.
    pub fn execute(&self, round: u64) -> Option<Finding> {
        let mut random = Random::new(self.seed ^ round.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (bytes, words) = self.input(&mut random);
        let line = words.join(" ");
        for (name, content) in self.seeds.beside() {
            fs::write(name, content).expect("the folder can be written");
        }
        fs::write(self.reader.file(), &bytes).expect("the folder can be written");
        fs::write("line", format!("{round}\n{line}\n")).expect("the folder can be written");
        let before = self.names();
        let finding = |what: String| {
            Some(Finding {
                round,
                line: line.clone(),
                what,
            })
        };
        let memory = Memory::now();
        let start = Clock::now();
        let arguments: Vec<OsString> = std::iter::once("warpsmith".into())
            .chain(words.iter().map(OsString::from))
            .collect();
        let (mut out, mut errors) = (Vec::new(), Vec::new());
        let status = warpsmith_driver::run(&arguments, &mut out, &mut errors);
        let (time, taken) = (start.elapsed(), memory.map_or(0, Memory::taken));
        let errors = String::from_utf8_lossy(&errors);
        let left: Vec<String> = self.names().into_iter().filter(|name| !before.contains(name)).collect();
        for name in &left {
            let path = self.folder.join(name);
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        }
        if let Some(line) = errors.lines().find(|line| line.contains("internal error: ")) {
            return finding(line.to_owned());
        }
        if status != 0 && !left.is_empty() {
            return finding(format!("status {status}, and files are left: {left:?}"));
        }
        if status != 0 && errors.is_empty() && out.is_empty() {
            return finding(format!("status {status} without a word"));
        }
        if taken > FREE_MEMORY + 10 * bytes.len() as u64 {
            return finding(format!("{} MB of memory for {} bytes", taken >> 20, bytes.len()));
        }
        if time > MOST_TIME {
            return finding(format!("{:.1} s", time.as_secs_f64()));
        }
        None
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten();
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.collect()
    }

    /// The damaged file, and the command line that reads it.
    fn input(&self, random: &mut Random) -> (Vec<u8>, Vec<String>) {
        let mut pick = |words: &[&'static str]| words[random.below(words.len() as u64) as usize];
        let line = match self.reader {
            Reader::Ptx => format!(
                "--face ptxas -arch={} -O{} k.ptx -o out",
                pick(&["sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120"]),
                pick(&["0", "1", "3", "3 -g", "3 -c"])
            ),
            Reader::Cuda => format!(
                "--face nvcc -arch={} {} k.cu -o out",
                pick(&["sm_75", "sm_90"]),
                pick(&["-ptx", "-ptx -std=c++20", "-ptx -G", "-cubin", "-E"])
            ),
            Reader::Ir => format!(
                "--face nvcc -arch={} {} k.ll -o out",
                pick(&["sm_75", "sm_90"]),
                pick(&["-ptx", "-ptx -O0", "-cubin"])
            ),
            Reader::Cubin => pick(&[
                "disasm k.cubin -o out",
                "--face nvdisasm k.cubin",
                "--face nvdisasm -g -hex k.cubin",
                "--face nvdisasm -c -plr k.cubin",
                "--face nvdisasm -json k.cubin",
                "disasm --cfg k.cubin -o out",
                "--face cuobjdump -sass -res-usage k.cubin",
                "--face fatbinary --create=out --image3=kind=elf,sm=90,file=k.cubin",
                "run k.cubin --budget 1000 --arg a=zeros:f32:8 --arg 1 --arg 1",
            ])
            .to_owned(),
            Reader::Fatbin => format!(
                "--face cuobjdump {} k.fatbin",
                pick(&["-lelf -lptx", "-sass", "-ptx -sass", "-res-usage", "-xptx all"])
            ),
            Reader::Listing => "asm k.sass -o out".to_owned(),
            Reader::LaunchFile => "run k.toml --budget 20000".to_owned(),
            Reader::Npy => format!(
                "run k.ptx --budget 1000 {} --arg 1",
                pick(&["--arg a=npy:k.npy", "--arg a=zeros:u8:4 --expect a=k.npy"])
            ),
            Reader::CommandLine => self.options(random),
        };
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let seed = self.seeds.any(random);
        let bytes = match self.reader {
            Reader::Cubin | Reader::Fatbin | Reader::Npy => damaged_binary(seed, random),
            Reader::CommandLine => line.into_bytes(),
            Reader::Ptx | Reader::Cuda | Reader::Ir | Reader::Listing | Reader::LaunchFile => {
                damaged_text(seed, self.seeds.any(random), random)
            }
        };
        (bytes, words)
    }

    /// A command line of words that faces know, and others. No path leads out of the folder.
    fn options(&self, random: &mut Random) -> String {
        let faces = ["ptxas", "nvdisasm", "cuobjdump", "fatbinary", "nvcc", ""];
        let face = faces[random.below(faces.len() as u64) as usize];
        let mut words = match face {
            "" => Vec::new(),
            face => vec!["--face".to_owned(), face.to_owned()],
        };
        for _ in 0..random.below(7) {
            let word = String::from_utf8_lossy(self.seeds.any(random)).into_owned();
            let word = match random.below(6) {
                0 => String::from_utf8_lossy(&damaged_text(word.as_bytes(), word.as_bytes(), random)).into_owned(),
                _ => word,
            };
            // No blank and no way to another folder.
            words.push(word.replace(['/', '\\'], "").replace(char::is_whitespace, ""));
        }
        words.retain(|word| !word.is_empty() && !word.contains(".."));
        words.join(" ")
    }
}

/// The processor time of this process: the machine may have more to do.
struct Clock(Duration);

impl Clock {
    fn now() -> Clock {
        Clock(super::watch::time_of(std::process::id()).unwrap_or_default())
    }

    fn elapsed(&self) -> Duration {
        Clock::now().0.saturating_sub(self.0)
    }
}

/// The memory of this process.
struct Memory {
    before: u64,
}

impl Memory {
    /// Starts to watch; none where the system does not tell.
    fn now() -> Option<Memory> {
        // The most that was taken so far is forgotten.
        fs::write("/proc/self/clear_refs", "5").ok()?;
        Some(Memory {
            before: field("VmRSS:")?,
        })
    }

    /// Bytes taken at most since then.
    fn taken(self) -> u64 {
        field("VmHWM:").unwrap_or(0).saturating_sub(self.before)
    }
}

/// A size that the system tells of this process, in bytes.
fn field(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes << 10)
}
