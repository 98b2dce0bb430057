//! `warpsmith reduce`: a program becomes smaller while a test still fails.

use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use warpsmith_base::Diagnostic;
use warpsmith_reduce::{Language, reduce};

use crate::{Console, bisect, files};

/// Make a program smaller while it still shows a fault
///
/// The test is a command that ends with 0 while the text still shows what is looked for. It is run again and again, with the path of the text in the place
/// of `{}`, or behind its words. It has to refuse what is no program: a text that the compiler rejects for another reason, say.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The program: PTX (.ptx) or CUDA C++ (any other name); it is not changed
    pub file: PathBuf,
    /// Where the small program is written [default: the input's name with `.reduced` before its end]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Stop after so many seconds
    #[arg(long, value_name = "COUNT", default_value_t = 600)]
    seconds: u64,
    /// The test and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "TEST")]
    test: Vec<OsString>,
}

/// Reduces a program.
pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    let path = &arguments.file;
    let name = files::shown(path);
    if path == Path::new("-") {
        let error =
            Diagnostic::error("standard input cannot be reduced: the test is given files that lie beside the program");
        return Err(vec![error]);
    }
    let text = String::from_utf8(files::read_input(path)?).map_err(|error| {
        let offset = error.utf8_error().valid_up_to() as u64;
        let diagnostic = Diagnostic::error("is no text: a byte here is not UTF-8");
        vec![diagnostic.in_file(&name).at_offset(offset)]
    })?;
    let language = match path.extension().is_some_and(|end| end == "ptx") {
        true => Language::Ptx,
        false => Language::Cuda,
    };
    // Beside the input, where it finds the same headers.
    let candidate = beside(path, &format!("reducing-{}", std::process::id()));
    let console_of_tests = RefCell::new(console);
    let problem: Cell<Option<Vec<Diagnostic>>> = Cell::new(None);
    let test = |text: &String| {
        let written = files::write_output(Some(&candidate), text.as_bytes(), &mut console_of_tests.borrow_mut());
        match written.and_then(|()| bisect::passes(&arguments.test, &candidate)) {
            Ok(passes) => passes,
            Err(found) => {
                problem.set(Some(found));
                false
            }
        }
    };
    let shows = test(&text);
    let (small, tries) = match shows {
        true => reduce(language, &text, Duration::from_secs(arguments.seconds), &test),
        false => (text.clone(), 1),
    };
    let _ = std::fs::remove_file(&candidate);
    let console = console_of_tests.into_inner();
    if let Some(problem) = problem.take() {
        return Err(problem);
    }
    if !shows {
        let error =
            Diagnostic::error("the test fails with the whole program: it has to end with 0 where the fault shows");
        return Err(vec![error.in_file(name)]);
    }
    let output = arguments.output.clone().unwrap_or_else(|| beside(path, "reduced"));
    files::write_output(Some(&output), small.as_bytes(), console)?;
    let count = |text: &str| text.lines().count();
    let summary = format!(
        "{}: {} lines of {} are left after {tries} tries\n",
        files::shown(&output),
        count(&small),
        count(&text)
    );
    files::write_output(None, summary.as_bytes(), console)
}

/// A path beside another one: `k.cu` to `k.WORD.cu`.
fn beside(path: &Path, word: &str) -> PathBuf {
    match path.extension().and_then(|end| end.to_str()) {
        Some(end) => path.with_extension(format!("{word}.{end}")),
        None => path.with_extension(word),
    }
}
