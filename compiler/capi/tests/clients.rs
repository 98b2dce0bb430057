//! Programs in C that are compiled against the headers and linked with the libraries, where there is a C compiler.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

/// A folder of the package.
fn own(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

/// The archive that all libraries are linked from: it is built beside this test.
fn archive() -> PathBuf {
    let test = env::current_exe().expect("the test's own path");
    test.parent().expect("a folder").join("libwarpsmith_capi.a")
}

fn is_compiler_there() -> bool {
    let found = Command::new("cc").arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: there is no C compiler");
    }
    found
}

fn succeeded(output: Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{said}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn run(command: &mut Command) -> String {
    succeeded(command.output().expect("it starts"))
}

/// A folder with a library.
fn linked(library: &str, test: &str) -> PathBuf {
    folder_with(&[library], test)
}

/// A folder with libraries; without a name it is all of them.
fn folder_with(libraries: &[&str], test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&folder).expect("a folder");
    let mut command = Command::new("sh");
    command.arg(own("link.sh")).arg(archive()).arg(&folder).args(libraries);
    run(&mut command);
    folder
}

/// Compiles a client and links it with what comes after.
fn client(name: &str, folder: &Path, libraries: &[&str]) -> PathBuf {
    let program = folder.join("client");
    let mut command = Command::new("cc");
    command
        .args(["-Wall", "-Wextra", "-Werror", "-O1", "-I"])
        .arg(own("include"));
    command.arg("-o").arg(&program).arg(own("tests/clients").join(name));
    run(command.args(libraries));
    program
}

const SAID: &str = "version 13.0\nparent: 0 cubin\nchild: 0 cubin\n";

/// A library in place of the vendor's: by its soname, on the loader's path alone.
#[test]
fn a_program_in_c_finds_nvptxcompiler_and_forks() {
    if !is_compiler_there() {
        return;
    }
    let folder = linked("libnvptxcompiler.so.13", "ptx_compiler");
    let library = folder.join("libnvptxcompiler.so");
    let program = client("ptx_compiler.c", &folder, &[library.to_str().expect("a text")]);
    assert_eq!(run(Command::new(program).env("LD_LIBRARY_PATH", &folder)), SAID);
}

#[test]
fn a_program_in_c_is_linked_with_the_archive() {
    if !is_compiler_there() {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("ptx_compiler_static");
    fs::create_dir_all(&folder).expect("a folder");
    let archive = archive();
    let libraries = [archive.to_str().expect("a text"), "-lpthread", "-lm", "-ldl"];
    let program = client("ptx_compiler.c", &folder, &libraries);
    assert_eq!(run(&mut Command::new(program)), SAID);
}

/// With the version that programs which were linked with the vendor's library ask for.
#[test]
fn a_program_in_c_finds_nvrtc_by_its_version_and_forks() {
    if !is_compiler_there() {
        return;
    }
    let folder = linked("libnvrtc.so.13", "nvrtc");
    let library = folder.join("libnvrtc.so");
    let program = client("nvrtc.c", &folder, &[library.to_str().expect("a text")]);
    assert_eq!(
        run(Command::new(program).env("LD_LIBRARY_PATH", &folder)),
        "version 13.0 of libnvrtc.so.13\n\
         parent: NVRTC_SUCCESS _Z5scaleIfEvPT_ in PTX cubin\n\
         child: NVRTC_SUCCESS _Z5scaleIfEvPT_ in PTX cubin\n"
    );
}

#[test]
fn a_program_in_c_finds_libnvvm() {
    if !is_compiler_there() {
        return;
    }
    let folder = linked("libnvvm.so.4", "nvvm");
    let library = folder.join("libnvvm.so");
    let program = client("nvvm.c", &folder, &[library.to_str().expect("a text")]);
    let said = run(Command::new(program).env("LD_LIBRARY_PATH", &folder));
    assert_eq!(said, "NVVM_SUCCESS: kernel\n");
}

/// Two libraries; the names of functions are those of programs that were compiled with the vendor's header, too.
#[test]
fn a_program_in_c_finds_nvjitlink_and_links_what_nvrtc_made() {
    if !is_compiler_there() {
        return;
    }
    let folder = linked("libnvJitLink.so.13", "nvjitlink");
    linked("libnvrtc.so.13", "nvjitlink");
    let libraries = ["libnvJitLink.so", "libnvrtc.so"].map(|name| folder.join(name));
    let libraries = libraries.each_ref().map(|path| path.to_str().expect("a text"));
    let program = client("nvjitlink.c", &folder, &libraries);
    assert_eq!(
        run(Command::new(program).env("LD_LIBRARY_PATH", &folder)),
        "version 13.0\n\
         wrong: 17 ERROR NVJITLINK_ERROR_UNSUPPORTED_ARCH: unsupported architecture (compute_20)\n\
         create: 0\nearly: 6\nadd: 0\nadd: 0\ncomplete: 0\nsize: 0\ncubin: 0 ELF\ndestroy: 0 null\n"
    );
}

/// What pkg-config says of a name in `warpsmith.pc`.
fn flags(folder: &Path, name: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.join("warpsmith.pc")).expect("the file is there");
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let folder = folder.to_str().expect("a text");
    let line = line.expect("the line is there");
    let line = line.replace("${includedir}", &format!("{folder}/include"));
    line.replace("${libdir}", folder)
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_program_in_c_finds_all_libraries_by_one_header_and_pkg_config() {
    if !is_compiler_there() {
        return;
    }
    let folder = folder_with(&[], "all");
    assert!(
        fs::read_to_string(folder.join("warpsmith.pc"))
            .unwrap()
            .contains(concat!("\nVersion: ", env!("CARGO_PKG_VERSION"), "\n"))
    );
    let program = folder.join("client");
    let mut command = Command::new("cc");
    command.args(["-Wall", "-Wextra", "-Werror", "-O1"]);
    command.args(flags(&folder, "Cflags")).arg("-o").arg(&program);
    command.arg(own("tests/clients/all.c"));
    run(command.args(flags(&folder, "Libs")));
    assert_eq!(
        run(Command::new(program).env("LD_LIBRARY_PATH", &folder)),
        "NVRTC: NVRTC_SUCCESS\nnvJitLink: 0\nNVRTC: NVRTC_SUCCESS\nnvPTXCompiler: 0\n"
    );
}
