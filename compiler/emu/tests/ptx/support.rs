//! Running the body of a kernel on an array of words.

use warpsmith_emu::ptx::{Device, Fault, Launch, Loaded, Options, Report, load, run};

/// A module for sm_100a around this text.
pub(crate) fn module(text: &str) -> String {
    format!(".version 8.8\n.target sm_100a\n.address_size 64\n{text}\n")
}

/// A kernel `k(.u64 out)` with registers `%r`, `%s`, `%d`, `%f`, `%g`, `%h`, `%p`; `%d0` holds `out`.
pub(crate) fn kernel(body: &str) -> String {
    format!(
        ".visible .entry k(.param .u64 out) {{
            .reg .b32 %r<40>; .reg .b64 %d<40>; .reg .b16 %h<40>; .reg .f32 %f<20>; .reg .f64 %g<20>; .reg .pred %p<20>;
            .reg .b128 %q<4>; .reg .b8 %c<4>;
            ld.param.u64 %d0, [out];
            {body}
        }}"
    )
}

/// Loads a module, which must have no errors.
pub(crate) fn loaded(device: &mut Device, text: &str) -> Loaded {
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    let errors = parsed
        .problems
        .iter()
        .filter(|p| p.severity != warpsmith_ptx::Severity::Warning);
    let errors: Vec<&str> = errors.map(|problem| problem.message.as_str()).collect();
    assert!(errors.is_empty(), "{errors:#?} in {text}");
    load(device, &parsed.module).unwrap_or_else(|fault| panic!("{fault}"))
}

/// Runs `k` of a module on words; the words it leaves and the report.
pub(crate) fn attempt(
    text: &str,
    words: &[u32],
    shape: (u32, u32),
    options: &Options,
) -> Result<(Vec<u32>, Report), Box<Fault>> {
    let mut device = Device::new();
    let loaded = loaded(&mut device, text);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let out = device.allocate(bytes.len() as u64, 256);
    device.write(out, &bytes)?;
    let launch = Launch {
        grid: [shape.0, 1, 1],
        block: [shape.1, 1, 1],
        arguments: vec![out.to_le_bytes().to_vec()],
        ..Launch::of("k")
    };
    let report =
        run(&mut device, &loaded, &launch, options).map_err(|failure| Box::new(failure.fault.in_text(text)))?;
    let bytes = device.read(out, bytes.len() as u64)?;
    let words = bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    Ok((words.collect(), report))
}

/// The words that a module's `k` leaves of zeros.
pub(crate) fn words(text: &str, count: usize, shape: (u32, u32)) -> Vec<u32> {
    let options = Options {
        step_budget: 50_000_000,
        ..Options::default()
    };
    match attempt(&module(text), &vec![0; count], shape, &options) {
        Ok((words, _)) => words,
        Err(fault) => panic!("{fault}"),
    }
}

/// The first words that one thread writes with `st.global` at `[%d0…]`.
pub(crate) fn one(body: &str, count: usize) -> Vec<u32> {
    words(&kernel(&format!("{body} ret;")), count, (1, 1))
}

/// What each of these threads of one CTA writes: `body` leaves its result in `%r1`, and `%r0` is the thread.
pub(crate) fn each(body: &str, threads: u32) -> Vec<u32> {
    let text = format!(
        "mov.u32 %r0, %tid.x; {body}
         mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d0, %d1; st.global.u32 [%d1], %r1; ret;"
    );
    words(&kernel(&text), threads as usize, (1, threads))
}

/// The fault of a module's `k`.
pub(crate) fn fault(text: &str, shape: (u32, u32), options: &Options) -> Fault {
    match attempt(&module(text), &[0; 8], shape, options) {
        Ok((words, _)) => panic!("no fault, but {words:x?}"),
        Err(fault) => *fault,
    }
}
