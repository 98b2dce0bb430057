//! `-M` and `-MM`: what an output would be made of, and nothing made.

use crate::support::Folder;

/// A kernel with a header of its own and one of a folder of the system.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("k.cu", "#include \"own.h\"\n#include <system.h>\n#ifdef __CUDA_ARCH__\n#include \"device.h\"\n#endif\n__global__ void k() {}\n");
    folder.write("include/own.h", "");
    folder.write("include/device.h", "");
    folder.write("system/system.h", "");
    folder
}

#[test]
fn the_files_of_a_source_are_printed() {
    let folder = folder("dependencies-print");
    let options = "-MM k.cu -Iinclude -isystem system";
    assert_eq!(
        folder.run(&format!("--face nvcc {options}")).success(),
        "k.o : \\\n    k.cu \\\n    include/own.h \\\n    include/device.h\n"
    );
    assert_eq!(
        folder
            .run(&format!("--face nvcc {options} -MT all -MP -odir out"))
            .success(),
        "all : \\\n    k.cu \\\n    include/own.h \\\n    include/device.h\n\ninclude/own.h :\n\ninclude/device.h :\n"
    );
    let all = folder
        .run("--face nvcc -M k.cu -Iinclude -isystem system -odir out")
        .success();
    assert!(all.starts_with("out/k.o : \\\n    k.cu \\\n"), "{all}");
    assert!(all.contains("\\\n    system/system.h"), "{all}");
    assert!(all.contains("/cuda_runtime.h \\\n"), "{all}");
    assert_eq!(folder.names(), ["include", "k.cu", "system"]);
}

#[test]
fn the_files_of_a_source_are_written() {
    let folder = folder("dependencies-write");
    for option in ["-MF", "-o"] {
        let line = format!("--face nvcc -MM k.cu -Iinclude -isystem system {option} k.d");
        assert_eq!(folder.run(&line).success(), "");
        let text = String::from_utf8(folder.read("k.d")).expect("text");
        assert_eq!(
            text,
            "k.o : \\\n    k.cu \\\n    include/own.h \\\n    include/device.h\n"
        );
    }
    let missing = folder.run("--face nvcc -M k.cu -isystem system");
    assert_eq!(missing.status, 1);
    assert!(missing.errors.contains("own.h"), "{}", missing.errors);
}

#[test]
fn options_from_the_environment_stand_around_the_others() {
    let folder = folder("dependencies-environment");
    let run = folder.run_with(
        &[
            ("NVCC_PREPEND_FLAGS", "-MM -MT \"a b\""),
            ("NVCC_APPEND_FLAGS", "-Iinclude -isystem system"),
        ],
        "--face nvcc k.cu",
    );
    assert_eq!(
        run.success(),
        "a\\ b : \\\n    k.cu \\\n    include/own.h \\\n    include/device.h\n"
    );
}
