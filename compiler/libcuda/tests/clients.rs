//! Programs in C that are linked against the library, where there is a C compiler.
#![cfg(target_os = "linux")]

use std::{env, fs, path::PathBuf, process::Command};

use warpsmith_cubin::fatbin::{self, Image};
use warpsmith_target::Sm;

/// A kernel and a variable, for images.
const PTX: &str = ".version 8.0
.target sm_80
.address_size 64
.global .u32 step = 1;
.visible .entry k(.param .u64 data)
{
    .reg .b32 by;
    .reg .b64 start;
    ld.param.u64 start, [data];
    ld.global.u32 by, [step];
    st.global.u32 [start], by;
    ret;
}
";

/// Builds the program and runs it; what it prints, and what the library says. `None`: there is no C compiler.
fn run(mode: &str, variables: &[(&str, &str)]) -> Option<(String, String)> {
    let own = env::current_exe().expect("the test's own path");
    let built = own.parent().expect("a folder").join("libwarpsmith_libcuda.so");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("clients").join(mode);
    fs::create_dir_all(&folder).expect("a folder");
    let library = folder.join("libcuda.so.1");
    let _ = fs::remove_file(&library);
    fs::copy(built, &library).expect("the library");
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/clients/driver.c");
    let compiled = Command::new("cc")
        .args(["-O1", "-o"])
        .arg(folder.join("client"))
        .arg(source)
        .arg(&library)
        .args(["-lpthread", "-Wl,-z,now"])
        .output();
    let Ok(compiled) = compiled else {
        eprintln!("skipped: there is no C compiler");
        return None;
    };
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let text = PTX.as_bytes();
    let parsed = warpsmith_ptx::parse(text);
    let cubin = warpsmith_ori::compile(&parsed.module, Sm::Sm90a).expect("it compiles");
    fs::write(folder.join("good.cubin"), cubin.write()).expect("it is written");
    let fatbin = fatbin::write(&[Image::ptx(Sm::Sm80, (8, 0), text.to_vec())]);
    fs::write(folder.join("good.fatbin"), fatbin).expect("it is written");
    let output = Command::new(folder.join("client"))
        .arg(mode)
        .current_dir(&folder)
        .env("LD_LIBRARY_PATH", &folder)
        .env("WARPSMITH_GPU", "sm_90a")
        .env("WARPSMITH_GPU_STEPS", "1000000")
        .envs(variables.iter().copied())
        .output()
        .expect("it runs");
    let (out, said) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{}\n{out}\n{said}", output.status);
    Some((out.into_owned(), said.into_owned()))
}

/// Every later call gives the code of the fault, the launch itself none.
#[test]
fn faults_are_sticky_and_have_the_codes_of_cuda() {
    let Some((out, said)) = run("faults", &[]) else { return };
    let line = |what: &str, code: u32| {
        format!(
            "{what}: launch 0 synchronize {code} {code} copies {code} {code} set {code} again {code} query {code} event {code} free {code}\n"
        )
    };
    let codes = [
        ("far", 700),
        ("null", 700),
        ("after", 700),
        ("misaligned", 716),
        ("shared", 719),
        ("trap", 719),
        ("endless", 702),
        ("atomic", 700),
        ("sound", 0),
    ];
    let expected: String = codes.iter().map(|(what, code)| line(what, *code)).collect();
    assert_eq!(out, expected, "{said}");
    assert!(said.contains("out-of-bounds access"), "{said}");
}

/// The same where launches wait for their kernels.
#[test]
fn a_launch_that_blocks_gives_the_fault_itself() {
    let Some((out, said)) = run("faults", &[("CUDA_LAUNCH_BLOCKING", "1")]) else {
        return;
    };
    assert!(
        out.starts_with("far: launch 700 synchronize 700 700 copies 700"),
        "{out}{said}"
    );
    assert!(out.contains("\nsound: launch 0 synchronize 0 0 "), "{out}");
}

#[test]
fn what_the_host_writes_beside_a_kernel_is_kept() {
    let Some((out, said)) = run("beside", &[]) else { return };
    assert_eq!(out, "register 0\nlaunch 0\ncounted 100000, lost 0\n", "{said}");
}

#[test]
fn hostile_images_are_refused() {
    let Some((out, said)) = run("images", &[]) else { return };
    let mut expected = "good 0\ngood fatbin 0\n".to_string();
    for _ in 0..3 {
        expected += "section table far away 200\na huge section 200\nfile a huge section 200\na huge fatbin 200\n";
    }
    expected += "65535 sections 200\na section at the end of memory 200\nfile half 200\nfile 60 bytes 200\nfile 3 bytes 200\nfile nothing 200\n";
    expected += "PTX with a huge variable 200\nno file 301\ngood again 0\n";
    assert_eq!(out, expected, "{said}");
    assert!(!said.contains("panicked"), "{said}");
}

/// The codes are those that `cuda.h` documents.
#[test]
fn libraries_are_found_in_every_context() {
    let Some((out, said)) = run("libraries", &[]) else {
        return;
    };
    assert_eq!(
        out,
        "load 0 null 1 1 bad 218 file 0 none 301\n\
         count 0 2 all 0 0 other 0 k\n\
         kernel 0 is one of all none 500 of 0\n\
         library the same parameter 0 at 8 of 4 none 1\n\
         threads 0 1024 device 101 shared 0 device 101 cache 0 101\n\
         launch 0 gives 5 function 0 launch 0\n\
         variable 0 of 4 none 500 managed 0 holds 7 others 500 500\n\
         module 0 its kernel 0 the same\n\
         elsewhere 0 variable 0 twice function 0 another\n\
         no context: module 201 function 201 variable 201\n\
         unload 0 again 400 kernel 400 launch 400 400 made up 400\n",
        "{said}"
    );
}

#[test]
fn the_pool_of_memory_tells_what_is_used() {
    let Some((out, said)) = run("pool", &[]) else { return };
    assert_eq!(
        out,
        "policy 0 1 set 0 0 0\n\
         threshold 0 set 0 1048576\n\
         used 3072 of 3072, at most 3072\n\
         used 1024, at most 3072 3072\n\
         set: used 1 at most 1 0, at most 1024; others 1 1 1\n\
         access 0 1 101 1 is 0 3 other 101 null 1 no pool 400\n",
        "{said}"
    );
}

#[test]
fn what_is_not_supported_says_so_once() {
    let Some((out, said)) = run("refused", &[]) else { return };
    assert_eq!(out, "801 801 801\n");
    assert!(
        said.contains("cuGetExportTable is not supported") && said.contains("-cudart shared"),
        "{said}"
    );
    assert_eq!(said.matches("cuTexRefCreate is not supported").count(), 1, "{said}");
}

#[test]
fn calls_before_the_first_one_are_refused() {
    let Some((out, said)) = run("early", &[]) else { return };
    assert_eq!(out, "3 3 0 201 101\n", "{said}");
}
