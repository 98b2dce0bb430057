//! `warpsmith reduce`.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;

use crate::support::{Folder, binary};

const PROGRAM: &str = "\
// A comment.
__device__ int helper(int x) { return x * 3; }
__global__ void other(int *p) { *p = helper(*p); }
__global__ void k(float *p, int n) {
    for (int i = 0; i < n; i++) { p[i] = __sinf(p[i]) + helper(i); }
}
";

/// A folder with the program and a test that passes where what is made of a text has a word.
fn folder(name: &str, emit: &str, word: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("k.cu", PROGRAM);
    let program = binary();
    let test = format!(
        "#!/bin/sh\n'{}' compile \"$1\" --emit {emit} -o - 2> /dev/null | grep '{word}' > /dev/null\n",
        program.display()
    );
    folder.write("test.sh", test);
    std::fs::set_permissions(folder.path("test.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

#[test]
fn what_the_fault_needs_is_left() {
    let folder = folder("reduce-cuda", "ptx", "sin.approx");
    let said = folder.run("reduce k.cu -- ./test.sh").success();
    assert!(
        said.starts_with("k.reduced.cu: ") && said.ends_with(" tries\n"),
        "{said}"
    );
    let small = String::from_utf8(folder.read("k.reduced.cu")).unwrap();
    assert!(
        small.contains("__sinf") && !small.contains("helper") && !small.contains("other"),
        "{small}"
    );
    // The input is as it was, and what was tried is gone.
    assert_eq!(folder.read("k.cu"), PROGRAM.as_bytes());
    assert_eq!(folder.names(), ["k.cu", "k.reduced.cu", "test.sh"]);
}

#[test]
fn ptx() {
    let folder = folder("reduce-ptx", "listing", "MUFU.SIN");
    folder.run("compile k.cu --emit ptx").success();
    folder.run("reduce k.ptx -o small.ptx -- ./test.sh {}").success();
    let small = String::from_utf8(folder.read("small.ptx")).unwrap();
    assert!(small.contains("sin.approx") && !small.contains("bra"), "{small}");
}

#[test]
fn tests_that_tell_nothing() {
    let folder = folder("reduce-useless", "ptx", "nosuch");
    assert_eq!(
        folder.run("reduce k.cu -- ./test.sh").refusal(),
        "error: k.cu: the test fails with the whole program: it has to end with 0 where the fault shows\n"
    );
    assert_eq!(
        folder.run("reduce k.cu -- ./nosuch").refusal(),
        "error: ./nosuch: cannot be run: No such file or directory (os error 2)\n"
    );
    assert_eq!(folder.names(), ["k.cu", "test.sh"]);
}
