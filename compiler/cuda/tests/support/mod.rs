//! Programs through the front end and instruction selection, and in the PTX interpreter. They are not optimised: it is the front end that is judged.

use warpsmith::emulator::Emulator;
use warpsmith::{FrontEnd, Memory, Options, Ptx, Session, Sm, Source};

/// What a program is as PTX.
///
/// # Errors
/// What is wrong with it, or with its module.
pub(crate) fn ptx(front: FrontEnd, text: &str) -> Result<Ptx, String> {
    let session = Session::new(Options {
        front,
        verify: true,
        ..Options::new(Sm::Sm90)
    });
    let session = session.with_files(Memory::new());
    let made = session.front(&Source::cuda("test.cu", text)).and_then(|mut unit| {
        session.link_library(&mut unit)?;
        session.select(&unit)
    });
    made.map_err(|failure| failure.to_string())
}

/// The integers that a kernel leaves at the pointer that it gets, run by a CTA of so many threads, and what it printed.
///
/// # Errors
/// What is wrong with the program, or stops it.
pub(crate) fn run(
    front: FrontEnd,
    text: &str,
    kernel: &str,
    threads: u32,
    results: usize,
) -> Result<(Vec<i32>, String), String> {
    let ptx = ptx(front, text)?;
    let mut emulator = Emulator::load_ptx(&ptx).map_err(|failure| failure.to_string())?;
    let buffer = emulator
        .buffer_of(&vec![0_i32; results])
        .map_err(|error| error.to_string())?;
    let report = emulator.launch(kernel, [1; 3], [threads, 1, 1], &[buffer.into()]);
    let report = report.map_err(|error| format!("{error}\n{}", ptx.text))?;
    let left = emulator.read(buffer).map_err(|error| error.to_string())?;
    Ok((left, report.printed))
}
