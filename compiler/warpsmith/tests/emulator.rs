//! Runs with no GPU: how they end early, and what is said of it.

use warpsmith::emulator::{ElementType, Emulator, FaultKind, Named, Text, diagnose};
use warpsmith::{Cancel, Emit, Memory, Options, Session, Sm, Source, SourceText};

/// Sets an element too far.
const BEYOND: &str = "extern \"C\" __global__ void beyond(float *x) {\n    x[4] = 1;\n}\n";

/// The source's PTX in the emulator, with lines.
fn loaded(text: &str) -> Emulator {
    let options = Options {
        emit: Emit::Ptx,
        line_info: true,
        ..Options::new(Sm::Sm90)
    };
    let session = Session::new(options);
    let ptx = session.compile(&Source::cuda("k.cu", text)).unwrap().ptx.unwrap();
    Emulator::load_ptx(&session.read_ptx(&Source::ptx("k.ptx", ptx)).unwrap()).unwrap()
}

#[test]
fn a_fault_is_told_with_the_line_of_the_source_and_the_name_of_the_memory() {
    let mut emulator = loaded(BEYOND);
    let x = emulator.buffer_of(&[0.0_f32; 4]).unwrap();
    let error = emulator.launch("beyond", [1; 3], [1; 3], &[x.into()]).unwrap_err();
    let memory = [Named {
        name: "x".into(),
        address: x.address(),
        bytes: x.size(),
        element: Some(ElementType {
            name: "f32".into(),
            bytes: 4,
        }),
    }];
    let files = Memory::new().with("k.cu", BEYOND);
    let run = SourceText::new("k.ptx", "");
    let (message, source) = diagnose(error.fault(), Text::Made, &run, &memory, &files);
    let text = message.render(&source);
    assert!(text.contains(" --> k.cu:2:"), "{text}");
    assert!(text.contains("2 |     x[4] = 1;"), "{text}");
    assert!(
        text.contains("this is right behind the end of `x`: `x[4]`, and `x` has 4 elements of f32"),
        "{text}"
    );
}

#[test]
fn a_run_is_cancelled() {
    let mut emulator = loaded("extern \"C\" __global__ void forever(volatile int *x) { while (*x == 0) {} }\n");
    let x = emulator.buffer_of(&[0_i32]).unwrap();
    let cancel = Cancel::new();
    emulator.options.cancel = cancel.clone();
    let error = std::thread::scope(|scope| {
        let run = scope.spawn(move || emulator.launch("forever", [1; 3], [1; 3], &[x.into()]));
        cancel.cancel();
        run.join().unwrap().unwrap_err()
    });
    assert_eq!(error.fault().kind, FaultKind::Budget);
    assert_eq!(error.fault().message, "the run was cancelled");
}

#[test]
fn kernels_say_how_many_bytes_each_parameter_has() {
    let emulator = loaded("__global__ void one(float *x, short n) { *x = n; }\n");
    assert_eq!(emulator.kernels(), ["_Z3onePfs"]);
    assert_eq!(emulator.kernel(Some("one")), Ok("_Z3onePfs"));
    assert_eq!(emulator.parameters("_Z3onePfs"), Some(vec![8, 2]));
    assert_eq!(
        emulator.kernel(Some("two")),
        Err("there is no kernel `two`; there are one(float*, short)".to_owned())
    );
}
