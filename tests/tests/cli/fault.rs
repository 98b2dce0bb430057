//! Faults of Warpsmith itself: a panic at any phase is an error with all that is needed to repeat it, and nothing is written.

use std::fs;

use crate::support::{Folder, Run};

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    let kernel = |name: &str| {
        format!(
            ".visible .entry {name}(.param .u64 a) {{ .reg .b64 %d<4>; .reg .b32 %r<4>;\nld.param.u64 %d1, [a]; mov.u32 %r1, %tid.x; st.global.u32 [%d1], %r1; ret; }}\n"
        )
    };
    folder.write(
        "k.ptx",
        format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n{}{}",
            kernel("k"),
            kernel("other")
        ),
    );
    folder.write("k.h", "#define VALUE 3\n");
    folder.write(
        "k.cu",
        "#include \"k.h\"\n__global__ void k(int *a, int n) { for (int i = 0; i < n; ++i) a[i] = VALUE; }\n",
    );
    fs::create_dir(folder.path("temporary")).unwrap();
    folder
}

fn run(folder: &Folder, at: &str, line: &str) -> Run {
    let temporary = folder.path("temporary");
    folder.run_with(
        &[("WARPSMITH_PANIC_AT", at), ("TMPDIR", temporary.to_str().unwrap())],
        line,
    )
}

/// The only folder that a fault left: it is removed.
fn reproducer(folder: &Folder, run: &Run) -> (String, String, Vec<String>) {
    let made: Vec<_> = fs::read_dir(folder.path("temporary"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let [made] = &made[..] else { panic!("{made:?}, {run:?}") };
    assert!(
        run.errors
            .contains(&format!("what repeats it is in {}: please report it\n", made.display())),
        "{}",
        run.errors
    );
    let read = |name: &str| fs::read_to_string(made.join(name)).unwrap();
    let mut files = Vec::new();
    let mut folders = vec![made.join("files")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.push(path.file_name().unwrap().to_str().unwrap().to_owned()),
            }
        }
    }
    files.sort();
    let found = (read("error.txt"), read("command.sh"), files);
    fs::remove_dir_all(made).unwrap();
    found
}

#[test]
fn a_panic_says_where_it_was_and_what_repeats_it() {
    let folder = folder("fault-phases");
    let ptxas = "--face ptxas -arch=sm_80 k.ptx -o k.cubin";
    let nvcc = "--face nvcc -arch=sm_80 -cubin k.cu -o k.cubin";
    let two =
        "--face nvcc -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -fatbin k.cu -o k.cubin";
    #[rustfmt::skip]
    let cases = [
        ("command line", ptxas, 255, "ptxas fatal   : ", "phase 'command line'"),
        ("parse", ptxas, 255, "ptxas fatal   : ", "phase 'parse', in 'k.ptx'"),
        ("lower:other", ptxas, 255, "ptxas fatal   : ", "phase 'lower', in 'other'"),
        ("object", ptxas, 255, "ptxas fatal   : ", "phase 'object'"),
        ("front end", nvcc, 1, "error: ", "phase 'front end'"),
        ("elaborate", nvcc, 1, "error: ", "phase 'elaborate'"),
        ("licm", nvcc, 1, "error: ", "phase 'licm', in '_Z1kPii'"),
        ("select", nvcc, 1, "error: ", "phase 'select'"),
        ("lower", nvcc, 1, "error: ", "phase 'lower', in '_Z1kPii'"),
        // On another thread.
        ("lower", two, 1, "error: ", "phase 'lower', in '_Z1kPii'"),
        ("lower", "compile k.ptx -o k.cubin", 3, "error: ", "phase 'lower', in 'k'"),
        ("run", "run k.ptx --kernel k --arg a=zeros:u32:4", 3, "error: ", "phase 'run'"),
    ];
    for (at, line, status, prefix, place) in cases {
        let run = run(&folder, at, line);
        assert_eq!((run.status, run.out.as_str()), (status, ""), "{at}: {}", run.errors);
        let version = env!("CARGO_PKG_VERSION");
        assert!(
            run.errors
                .starts_with(&format!("{prefix}internal error: WARPSMITH_PANIC_AT asks for this (")),
            "{}",
            run.errors
        );
        assert!(
            run.errors.contains(&format!("; warpsmith {version}, {place}\n")),
            "{at}: {}",
            run.errors
        );
        assert_eq!(run.errors.lines().count(), 2, "{}", run.errors);
        let (error, command, files) = reproducer(&folder, &run);
        assert!(error.starts_with(run.errors.lines().next().unwrap()), "{error}");
        assert!(
            command.ends_with(&format!(" {line}\n")) && command.starts_with("cd "),
            "{command}"
        );
        assert!(
            files.contains(&if line.contains("k.cu ") {
                "k.cu".to_owned()
            } else {
                "k.ptx".to_owned()
            }),
            "{files:?}"
        );
        assert_eq!(
            folder.names(),
            ["k.cu", "k.h", "k.ptx", "temporary"],
            "nothing is written"
        );
    }
    // A header that was read is part of it.
    let run = run(&folder, "licm", nvcc);
    assert_eq!(reproducer(&folder, &run).2, ["k.cu", "k.h"]);
}

#[test]
fn another_phase_or_function_goes_on() {
    let folder = folder("fault-other");
    for at in ["no such phase", "lower:absent"] {
        let run = run(&folder, at, "--face ptxas -arch=sm_80 k.ptx -o k.cubin");
        assert_eq!((run.status, run.errors.as_str()), (0, ""));
    }
    assert_eq!(fs::read_dir(folder.path("temporary")).unwrap().count(), 0);
}

#[test]
fn without_a_place_for_what_repeats_it_the_fault_is_told() {
    let folder = folder("fault-nowhere");
    let run = folder.run_with(
        &[("WARPSMITH_PANIC_AT", "lower"), ("TMPDIR", "/nonexistent")],
        "--face ptxas -arch=sm_80 k.ptx -o k.cubin",
    );
    assert_eq!(run.status, 255);
    assert!(
        run.errors.contains("internal error: ") && run.errors.contains("what repeats it could not be saved: "),
        "{}",
        run.errors
    );
}

/// What a user's text calls an internal error is none: the status is that of a mistake, and nothing is saved.
#[test]
fn the_words_of_a_user_are_no_fault() {
    let folder = folder("fault-words");
    let words = "internal error: of the user";
    folder.write("directive.cu", format!("#error {words}\n"));
    folder.write(
        "assertion.cu",
        format!("static_assert(sizeof(int) == 2, \"{words}\");\n__global__ void k() {{}}\n"),
    );
    folder.write("line.cu", format!("__global__ void k() {{ nothing(\"{words}\"); }}\n"));
    folder.write(
        "wrong.ptx",
        format!(".version 8.0\n.target sm_80\n.entry k() {{ add.u32 x; // {words}\n ret; }}\n"),
    );
    let temporary = folder.path("temporary");
    for (line, status) in [
        ("--face nvcc -cubin -arch=sm_80 directive.cu -o k.cubin", 1),
        ("--face nvcc -cubin -arch=sm_80 assertion.cu -o k.cubin", 1),
        ("directive.cu -arch=sm_80 -o k.cubin", 1),
        ("line.cu -arch=sm_80 -o k.cubin", 1),
        ("compile wrong.ptx --arch sm_80 -o k.cubin", 1),
        ("ptx check wrong.ptx", 1),
    ] {
        let run = folder.run_with(&[("TMPDIR", temporary.to_str().unwrap())], line);
        assert_eq!(run.status, status, "{line}: {}", run.errors);
        assert!(run.errors.contains(words), "{line}: {}", run.errors);
        assert!(!run.errors.contains("what repeats it"), "{line}: {}", run.errors);
    }
    assert_eq!(fs::read_dir(temporary).unwrap().count(), 0);
}
