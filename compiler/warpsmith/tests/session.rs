//! What a session promises beyond what the documentation shows.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use warpsmith::{Callback, Cancel, Emit, Failure, Memory, Options, Ptx, Session, Sm, Source};

const SAXPY: &str = "extern \"C\" __global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
";

fn options(emit: Emit) -> Options {
    Options {
        emit,
        ..Options::new(Sm::Sm90)
    }
}

/// The kind of a failure, and its messages in a line each.
fn refused(session: &Session, source: &Source) -> (&'static str, String) {
    let failure = session.compile(source).expect_err("it is refused");
    let kind = match &failure {
        Failure::Rejected(_) => "rejected",
        Failure::Unsupported(_) => "unsupported",
        Failure::Internal(_) => "internal",
        Failure::Cancelled => "cancelled",
    };
    let lines: Vec<String> = failure.messages().iter().map(ToString::to_string).collect();
    (kind, lines.join("\n"))
}

#[test]
fn failures_say_whose_fault_they_are() {
    let session = Session::new(options(Emit::Cubin)).with_files(Memory::new());
    for (source, kind, text) in [
        (
            Source::cuda("a.cu", "__global__ void k() { f(); }"),
            "rejected",
            "error: a.cu:1:23: `f` is not declared",
        ),
        (
            Source::cuda("asm.cu", "__global__ void k() { asm(\"frobnicate;\"); }"),
            "rejected",
            "error: asm.cu:1:28: there is no instruction `frobnicate`",
        ),
        (
            Source::cuda(
                "s.cu",
                "__global__ void k(int *x) { __shared__ int s[65536]; s[*x] = 1; *x = s[1]; }",
            ),
            "rejected",
            "uses too much shared data",
        ),
        (
            Source::ir("a.ll", "define void @f() {\n  frobnicate\n}\n"),
            "rejected",
            "error: a.ll:2:3: ",
        ),
        (
            Source::new(warpsmith::Language::Ir, "a.bc", &b"BC\xc0\xde\x35\x14"[..]),
            "rejected",
            "error: a.bc: offset 0x0: there is no module in this file",
        ),
        (
            Source::new(warpsmith::Language::Ir, "a.lto", &b"\xed\x43\x4e\x7f"[..]),
            "unsupported",
            "error: a.lto: NVIDIA's IR for link-time optimisation is not supported",
        ),
        (
            Source::ptx("a.ptx", ".version 8.0\n.target sm_90\n.entry k() { frobnicate; }\n"),
            "rejected",
            "error: a.ptx:3:14: ",
        ),
        (
            Source::ptx("b.ptx", ".version 8.6\n.target sm_100\n.entry k() { ret; }\n"),
            "rejected",
            "error: b.ptx: PTX for sm_100 does not run on sm_90",
        ),
        (
            Source::file(warpsmith::Language::Ptx, "missing.ptx"),
            "rejected",
            "error: missing.ptx: cannot read: entity not found",
        ),
    ] {
        let (found, said) = refused(&session, &source);
        assert_eq!(found, kind, "{said}");
        assert!(said.contains(text), "{said}");
    }
}

#[test]
fn with_files_from_memory_nothing_is_read_from_the_disk() {
    let own = format!("#include \"{}/src/lib.rs\"\n", env!("CARGO_MANIFEST_DIR"));
    let session = Session::new(options(Emit::Check)).with_files(Memory::new());
    let (kind, said) = refused(&session, &Source::cuda("a.cu", own));
    assert_eq!(kind, "rejected");
    assert!(said.contains("there is no file"), "{said}");
}

#[test]
fn warnings_come_with_what_was_made_and_with_what_was_not() {
    let session = Session::new(options(Emit::Ptx));
    let unused = "__global__ void k() { int unused; }\n";
    let artifact = session.compile(&Source::cuda("a.cu", unused)).expect("it compiles");
    let [warning] = &artifact.diagnostics[..] else {
        panic!("{:?}", artifact.diagnostics);
    };
    assert_eq!(warning.number, Some(177));
    assert!(artifact.ptx.is_some() && artifact.cubin.is_none() && artifact.ir.is_none());
    let asm = "__global__ void k() { int unused; asm(\"frobnicate;\"); }\n";
    let failure = session.compile(&Source::cuda("a.cu", asm)).expect_err("it is refused");
    assert_eq!(failure.messages()[0].number, Some(177));
    assert_eq!(failure.messages().len(), 2);
}

#[test]
fn a_compile_goes_as_far_as_it_is_asked_to() {
    let source = Source::cuda("saxpy.cu", SAXPY);
    let made = |emit| {
        let artifact = Session::new(options(emit)).compile(&source).expect("it compiles");
        [artifact.ir.is_some(), artifact.ptx.is_some(), artifact.cubin.is_some()]
    };
    assert_eq!(made(Emit::Check), [false, false, false]);
    assert_eq!(made(Emit::Ir), [true, false, false]);
    assert_eq!(made(Emit::Ptx), [false, true, false]);
    assert_eq!(made(Emit::Cubin), [false, true, true]);
}

#[test]
fn many_threads_may_use_a_session() {
    let session = Session::new(options(Emit::Cubin)).with_files(Memory::new());
    let source = Source::cuda("saxpy.cu", SAXPY);
    let compiled = || session.compile(&source).expect("it compiles").cubin;
    let all: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(compiled)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("it ends"))
            .collect()
    });
    assert!(all.iter().all(|cubin| *cubin == all[0] && cubin.is_some()));
}

#[test]
fn a_compile_that_is_cancelled_at_an_include_ends_in_the_front_end() {
    let cancel = Cancel::new();
    let flag = cancel.clone();
    let files = Callback(move |path: &str| match path {
        "late.h" => {
            flag.cancel();
            Ok(b"int x = \"no number\";\n".to_vec())
        }
        _ => Err(io::ErrorKind::NotFound.into()),
    });
    let session = Session::new(options(Emit::Cubin)).with_files(files).with_cancel(cancel);
    let source = Source::cuda("a.cu", format!("#include \"late.h\"\n{SAXPY}"));
    assert_eq!(session.compile(&source).unwrap_err(), Failure::Cancelled);
}

#[test]
fn passes_and_phases_stop_when_they_are_cancelled() {
    let source = Source::cuda("saxpy.cu", SAXPY);
    let cancel = Cancel::new();
    let session = Session::new(options(Emit::Cubin)).with_cancel(cancel.clone());
    let mut unit = session.front(&source).expect("it is right");
    let passes = AtomicUsize::new(0);
    let optimised = session.optimise_observed(&mut unit, &|_: &_| {
        passes.fetch_add(1, Ordering::Relaxed);
        cancel.cancel();
    });
    assert_eq!(optimised.unwrap_err(), Failure::Cancelled);
    assert_eq!(passes.into_inner(), 1);

    let ptx: Ptx = {
        let session = Session::new(options(Emit::Ptx));
        let unit = session.front(&source).expect("it is right");
        session.select(&unit).expect("it is PTX")
    };
    let cancel = Cancel::new();
    let session = Session::new(options(Emit::Cubin)).with_cancel(cancel.clone());
    let mut phases = 0;
    let assembled = session.assemble_observed(&ptx, &mut |_| {
        phases += 1;
        cancel.cancel();
    });
    assert_eq!(assembled.unwrap_err(), Failure::Cancelled);
    // The function as it was lowered is told of, and no phase after it.
    assert_eq!(phases, 1);
}
