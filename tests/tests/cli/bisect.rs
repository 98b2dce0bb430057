//! `warpsmith bisect`. The tests take a rewrite that is right for a wrong one: they fail where the listing shows that it was made.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;

use crate::support::{Folder, binary};

const LOOP: &str = "\
extern \"C\" __global__ void dot(const float *a, float *out, int n) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32) sum += a[i];
    out[threadIdx.x] = sum;
}
";

/// A folder with the source and a test that passes where the number of lines of a listing that have a word is as `wanted` says.
fn folder(name: &str, word: &str, wanted: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("dot.cu", LOOP);
    let program = binary();
    let test = format!(
        "#!/bin/sh\n[ $('{}' disasm --style nvdisasm -c \"$1\" | grep -c '{word}') {wanted} ]\n",
        program.display()
    );
    folder.write("test.sh", test);
    std::fs::set_permissions(folder.path("test.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

#[test]
fn a_rewrite_of_the_optimiser() {
    // One load, and after unrolling several.
    let folder = folder("bisect-pass", "LDG", "-le 1");
    let text = folder.run("bisect dot.cu --arch sm_90 -- ./test.sh").success();
    assert!(text.contains("--phase-fuel 0)\npass loop-unroll of dot:\n"), "{text}");
    assert!(text.contains("\n- ") && text.contains("\n+ "), "{text}");
    // The cubins of the tries are gone.
    assert_eq!(folder.names(), ["dot.cu", "test.sh"]);
}

#[test]
fn a_rewrite_of_the_back_end() {
    // Sums that become part of addresses.
    let folder = folder("bisect-phase", "IADD", "-ge 4");
    folder.run("compile dot.cu --emit ptx -O1 --arch sm_90").success();
    let text = folder.run("bisect dot.ptx -o k.cubin -- ./test.sh {}").success();
    assert!(text.contains("is not)\nphase "), "{text}");
    // The cubin of the last try is where it was wanted.
    assert_eq!(folder.names(), ["dot.cu", "dot.ptx", "k.cubin", "test.sh"]);
    let folder = self::folder("bisect-right", "NOSUCH", "-le 0");
    assert_eq!(
        folder.run("bisect dot.cu -- ./test.sh").refusal(),
        "error: the test passes with all rewrites: nothing is wrong with this program, or the test does not show it\n"
    );
}

#[test]
fn tests_that_tell_nothing() {
    let folder = folder("bisect-useless", "x", "-le 0");
    assert_eq!(
        folder.run("bisect dot.cu -- false").refusal(),
        "error: the test fails without a single rewrite, too\n  note: the program itself may be wrong, or the test, or a step that every \
         compile takes: compare with `warpsmith run`\n"
    );
    assert_eq!(
        folder.run("bisect dot.cu -- ./nosuch").refusal(),
        "error: ./nosuch: cannot be run: No such file or directory (os error 2)\n"
    );
    let run = folder.run("bisect dot.cu");
    assert_eq!(run.status, 2);
}
