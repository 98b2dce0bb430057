//! nvPTXCompiler: PTX to a cubin, with ptxas' options.
//!
//! Observed, nvPTXCompiler 13.0 and 13.5: what each function answers to what calls. On purpose otherwise: the logs and the result are those of the last
//! compile alone, where the vendor's gather; null pointers and freed handles are answered, where the vendor's library ends the process.

mod exports;

use std::ffi::{OsString, c_int};
use std::sync::LazyLock;

pub use exports::*;
use warpsmith_base::fault;
use warpsmith_driver::ptxas::{self, Assembled, Outcome};
use warpsmith_target::Sm;

use crate::border::{self, Callback, Null};
use crate::handles::Handles;

/// What a function answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
enum Code {
    Success = 0,
    InvalidHandle = 1,
    InvalidInput = 2,
    CompilationFailure = 3,
    Internal = 4,
    InvocationIncomplete = 6,
    UnsupportedVersion = 7,
    Cancelled = 9,
    ParseOnlySuccess = 10,
}

impl From<Null> for Code {
    fn from(_: Null) -> Code {
        Code::InvalidInput
    }
}

/// The toolkit whose library this is.
const VERSION: (u32, u32) = (13, 0);

/// The compilers that programs hold.
static COMPILERS: Handles<Compiler> = Handles::new();

/// The number of each SM, in ascending order.
fn architectures() -> &'static [c_int] {
    static NUMBERS: LazyLock<Vec<c_int>> = LazyLock::new(|| {
        let names = Sm::ALL.iter().map(|sm| sm.name().trim_start_matches("sm_"));
        let mut numbers: Vec<c_int> = names.filter_map(|name| name.parse().ok()).collect();
        numbers.sort_unstable();
        numbers
    });
    &NUMBERS
}

/// What a handle stands for: a text, and what came of it.
#[derive(Default)]
struct Compiler {
    ptx: Vec<u8>,
    callback: Option<Callback>,
    cubin: Option<Vec<u8>>,
    errors: String,
    info: String,
}

impl Compiler {
    fn new(mut ptx: Vec<u8>) -> Compiler {
        // Programs count the closing zero, or do not.
        if let Some(end) = ptx.iter().position(|byte| *byte == 0) {
            ptx.truncate(end);
        }
        Compiler {
            ptx,
            ..Compiler::default()
        }
    }

    fn compile(&mut self, options: &[Vec<u8>]) -> Result<(), Code> {
        (self.cubin, self.errors, self.info) = (None, String::new(), String::new());
        let options: Vec<OsString> = options
            .iter()
            .map(|option| String::from_utf8_lossy(option).into_owned().into())
            .collect();
        let cancel = border::cancel(self.callback);
        let Assembled { outcome, said } = match fault::caught(|| ptxas::assemble(&options, &self.ptx, &cancel)) {
            Ok(assembled) => assembled,
            Err(fault) => {
                self.errors = format!("ptxas fatal   : Internal error: {}\n", fault.message);
                return Err(Code::Internal);
            }
        };
        let result = match outcome {
            Outcome::Cubin(bytes) => {
                self.cubin = Some(bytes);
                Ok(())
            }
            Outcome::Checked => Err(Code::ParseOnlySuccess),
            Outcome::Refused if self.is_of_unknown_version() => Err(Code::UnsupportedVersion),
            Outcome::Refused => Err(Code::CompilationFailure),
            Outcome::Internal => Err(Code::Internal),
            Outcome::Cancelled => Err(Code::Cancelled),
        };
        match result {
            Ok(()) | Err(Code::ParseOnlySuccess) => self.info = said,
            Err(_) => (self.info, self.errors) = apart(&said),
        }
        result
    }

    /// Whether the text is of a version of PTX that is not known: such a text is refused only where something in it is new, too.
    fn is_of_unknown_version(&self) -> bool {
        let version = warpsmith_ptx::parse(&self.ptx).module.version;
        version.major > 0 && !warpsmith_ptx::versions().any(|known| known == version)
    }

    /// The cubin.
    fn program(&self) -> Result<&[u8], Code> {
        self.cubin.as_deref().ok_or(Code::InvocationIncomplete)
    }
}

/// What was said, parted into information with warnings, and errors.
fn apart(said: &str) -> (String, String) {
    let is_error = |line: &&str| line.contains("error   :") || line.contains("fatal   :");
    let (errors, info): (Vec<&str>, Vec<&str>) = said.split_inclusive('\n').partition(is_error);
    (info.concat(), errors.concat())
}

/// The size of a log with its closing zero; 0 where there is nothing in it.
fn size_of_log(log: &str) -> usize {
    match log.is_empty() {
        true => 0,
        false => border::closed(log).len(),
    }
}
