//! Units whose device code is linked: `-rdc=true`, `-dc`, `-dlink`, archives, and CMake's separable compilation. Each test that makes objects is skipped, and
//! says so, where there is no g++.

use crate::host::{has, with_cmake};
use crate::support::Folder;

/// What units share, and what each has for itself under the same name.
const SHARED: &str = include_str!("../../host/linked/shared.cu");

/// The program around it.
const PROGRAM: &str = include_str!("../../host/linked/program.cu");

/// What the program prints.
const SAID: &str =
    "called 12 229\nfrom a template 62, own 119\nhidden 4 and 6\nfrom the other unit 112 1119, managed 112\n";

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("shared.cu", SHARED);
    folder.write("program.cu", PROGRAM);
    folder
}

#[test]
fn units_call_and_read_what_others_define() {
    for compiler in ["g++", "clang++"] {
        if !has(compiler) {
            continue;
        }
        let folder = folder(&format!("linked-{compiler}"));
        folder
            .run(&format!(
                "-rdc=true shared.cu program.cu -arch=sm_80 -ccbin {compiler} -o program"
            ))
            .success();
        assert_eq!(folder.run_program(&folder.path("program"), "").success(), SAID);
        assert_eq!(folder.names(), ["program", "program.cu", "shared.cu"]);
    }
}

#[test]
fn objects_and_archives_are_linked_for_the_targets_that_they_have() {
    if !has("g++") {
        return;
    }
    let folder = folder("linked-objects");
    folder.run("--face nvcc -dc shared.cu program.cu -arch=sm_80").success();
    folder.run("--face nvcc program.o shared.o -o program").success();
    assert_eq!(folder.run_program(&folder.path("program"), "").success(), SAID);
    folder.run("--face nvcc -lib shared.o -o libshared.a").success();
    folder.run("--face nvcc program.o -L. -lshared -o program").success();
    assert_eq!(folder.run_program(&folder.path("program"), "").success(), SAID);
    folder
        .run("--face nvcc -dlink program.o libshared.a -cubin -arch=sm_90 -o linked.cubin")
        .refusal();
    folder
        .run("--face nvcc -dlink program.o libshared.a -cubin -arch=compute_90 -code=sm_90 -o linked.cubin")
        .success();
    let listing = folder.run("disasm linked.cubin").success();
    assert!(listing.contains("_Z7runs_itPi"), "{listing}");
    assert_eq!(
        folder
            .run("--face nvcc -arch=sm_75 program.o shared.o -o old")
            .refusal(),
        "error: program.o: there is no device code for sm_75 in it: it has that of sm_80\n"
    );
}

#[test]
fn functions_of_headers_are_in_every_unit() {
    if !has("g++") {
        return;
    }
    let folder = Folder::new("linked-groups");
    folder.write("groups.cu", include_str!("../../host/linked/groups.cu"));
    folder.write("other.cu", include_str!("../../host/linked/other.cu"));
    folder
        .run("--face nvcc -rdc=true groups.cu other.cu -arch=sm_80 -o groups")
        .success();
    let said = "2016 6112 10208 14304\n2017 6113 10209 14305\n2018 6114 10210 14306\n1601 4801 8010 11210\n";
    assert_eq!(folder.run_program(&folder.path("groups"), "").success(), said);
}

#[test]
fn the_hosts_linker_takes_the_object_of_a_device_link() {
    if !has("g++") {
        return;
    }
    let folder = folder("linked-by-hand");
    folder.run("--face nvcc -dc shared.cu program.cu -arch=sm_80").success();
    folder
        .run("--face nvcc -dlink shared.o program.o -arch=sm_80 -o linked.o -lcudadevrt")
        .success();
    folder
        .run("--face nvcc -nodlink shared.o program.o linked.o -o program")
        .success();
    assert_eq!(folder.run_program(&folder.path("program"), "").success(), SAID);
}

#[test]
fn what_no_unit_defines_is_told_with_its_file() {
    if !has("g++") {
        return;
    }
    let folder = folder("linked-missing");
    folder.run("--face nvcc -dc program.cu -arch=sm_80").success();
    assert_eq!(
        folder.run("--face nvcc program.o -o program").refusal(),
        "error: Undefined reference to '_Z6sevenfi' in 'program.o'\n\
         error: Undefined reference to 'counter' in 'program.o'\n"
    );
    folder.write(
        "twice.cu",
        "__device__ int counter;\n__device__ int sevenf(int x) { return x; }\n",
    );
    folder.run("--face nvcc -dc shared.cu twice.cu -arch=sm_80").success();
    assert_eq!(
        folder
            .run("--face nvcc program.o shared.o twice.o -o program")
            .refusal(),
        "error: Multiple definition of 'counter' in 'twice.o', first defined in 'shared.o'\n\
         error: Multiple definition of '_Z6sevenfi' in 'twice.o', first defined in 'shared.o'\n"
    );
    assert!(!folder.names().contains(&"program".to_owned()));
}

#[test]
fn cmake_links_device_code_of_separable_compilation() {
    if !has("g++") || !has("cmake") || !has("ctest") || !has("make") {
        return;
    }
    let folder = folder("linked-cmake");
    folder.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)
project(linked LANGUAGES CXX CUDA)
enable_testing()
set(CMAKE_CUDA_SEPARABLE_COMPILATION ON)
add_library(shared STATIC shared.cu)
add_executable(program program.cu)
target_link_libraries(program PRIVATE shared)
add_test(NAME program COMMAND program)
set_tests_properties(program PROPERTIES PASS_REGULAR_EXPRESSION \"from the other unit 112 1119, managed 112\")
",
    );
    with_cmake(&folder);
}
