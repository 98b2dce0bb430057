//! Runs the binary in a folder of its own.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a run said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// The exit status.
    pub(crate) status: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) errors: String,
}

impl Run {
    fn new(output: Output) -> Run {
        Run {
            status: output.status.code().expect("the program ends by itself"),
            out: String::from_utf8(output.stdout).expect("text"),
            errors: String::from_utf8(output.stderr).expect("text"),
        }
    }

    /// The output of a run without any complaint.
    #[track_caller]
    pub(crate) fn success(self) -> String {
        assert_eq!((self.status, self.errors.as_str()), (0, ""));
        self.out
    }

    /// The complaint of a run that fails with status 1 and prints nothing else.
    #[track_caller]
    pub(crate) fn refusal(self) -> String {
        assert_eq!((self.status, self.out.as_str()), (1, ""), "{}", self.errors);
        self.errors
    }
}

/// A new empty folder, removed at the end of the test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Makes one; each test has a name of its own.
    pub(crate) fn new(test: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{test}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// A folder with one of the sample cubins in it, as `k.cubin`.
    pub(crate) fn with(test: &str, cubin: &str) -> Folder {
        let folder = Folder::new(test);
        folder.write("k.cubin", sample(cubin));
        folder
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Reads a file.
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap()
    }

    /// The path of a file.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names in the folder.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Runs `warpsmith` here, with arguments that blanks separate.
    pub(crate) fn run(&self, arguments: &str) -> Run {
        self.run_program(&binary(), arguments)
    }

    /// Runs a program here.
    pub(crate) fn run_program(&self, program: &Path, arguments: &str) -> Run {
        let mut command = Command::new(program);
        command.args(arguments.split_whitespace());
        Run::new(command.current_dir(&self.0).output().unwrap())
    }

    /// Runs `warpsmith` here with at most so many kilobytes of addresses, and no more than 20 seconds of time on a core.
    #[cfg(unix)]
    pub(crate) fn run_within(&self, kilobytes: u32, arguments: &str) -> Run {
        let line = format!("ulimit -v {kilobytes} && ulimit -t 20 && exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command
            .args(["-c", &line])
            .arg(binary())
            .args(arguments.split_whitespace());
        Run::new(command.current_dir(&self.0).output().unwrap())
    }

    /// Runs `warpsmith` here with variables in its environment.
    pub(crate) fn run_with(&self, variables: &[(&str, &str)], arguments: &str) -> Run {
        let mut command = Command::new(binary());
        command
            .args(arguments.split_whitespace())
            .envs(variables.iter().copied());
        Run::new(command.current_dir(&self.0).output().unwrap())
    }

    /// Runs `warpsmith` here with something on standard input.
    pub(crate) fn run_with_input(&self, arguments: &str, input: &[u8]) -> Run {
        let mut child = Command::new(binary())
            .args(arguments.split_whitespace())
            .current_dir(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        Run::new(child.wait_with_output().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The program under test.
pub(crate) fn binary() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_warpsmith-under-test"))
}

/// The bytes of a sample cubin.
pub(crate) fn sample(name: &str) -> Vec<u8> {
    fs::read(samples().join(name)).unwrap()
}

/// The folder of the sample cubins.
pub(crate) fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cubins")
}

/// The names of all sample cubins.
pub(crate) fn sample_names() -> Vec<String> {
    let entries = fs::read_dir(samples()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| name.ends_with(".cubin")).collect();
    names.sort();
    names
}

/// Asserts that a text has these lines, in this order, with others between.
#[track_caller]
pub(crate) fn assert_lines(text: &str, wanted: &[&str]) {
    let mut lines = text.lines();
    for line in wanted {
        assert!(
            lines.any(|found| found == *line),
            "no line {line:?}, or not in this place, in:\n{text}"
        );
    }
}
