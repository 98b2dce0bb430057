//! NVRTC's functions, called as a program calls them.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use warpsmith_capi::nvrtc::*;

const SAXPY: &str = "extern \"C\" __global__ void saxpy(int n, float a, const float *x, float *y) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = a * x[i] + y[i];\n}\n";

fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).collect()
}

fn closed(texts: &[&str]) -> Vec<CString> {
    texts.iter().map(|text| CString::new(*text).unwrap()).collect()
}

/// A program of a source and headers: name and text of each.
fn with_headers(source: &str, headers: &[(&str, &str)]) -> nvrtcProgram {
    let source = CString::new(source).unwrap();
    let names = closed(&headers.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let texts = closed(&headers.iter().map(|(_, text)| *text).collect::<Vec<_>>());
    let (names, texts) = (pointers(&names), pointers(&texts));
    let mut program = 0;
    let count = headers.len() as c_int;
    assert_eq!(
        nvrtcCreateProgram(
            &mut program,
            source.as_ptr(),
            ptr::null(),
            count,
            texts.as_ptr(),
            names.as_ptr()
        ),
        0
    );
    program
}

fn program(source: &str) -> nvrtcProgram {
    with_headers(source, &[])
}

fn compile(program: nvrtcProgram, options: &[&str]) -> c_int {
    let options = closed(options);
    let options = pointers(&options);
    nvrtcCompileProgram(program, options.len() as c_int, options.as_ptr())
}

fn end(mut program: nvrtcProgram) {
    assert_eq!(nvrtcDestroyProgram(&mut program), 0);
    assert_eq!(program, 0);
}

type Size = extern "C" fn(nvrtcProgram, *mut usize) -> c_int;
type Bytes = extern "C" fn(nvrtcProgram, *mut c_char) -> c_int;

fn bytes(program: nvrtcProgram, size: Size, bytes: Bytes) -> Vec<u8> {
    let mut length = usize::MAX;
    assert_eq!(size(program, &mut length), 0);
    let mut into = vec![b'#'; length + 1];
    assert_eq!(bytes(program, into.as_mut_ptr().cast()), 0);
    assert_eq!(into.pop(), Some(b'#'), "nothing is written behind the size");
    into
}

fn text(program: nvrtcProgram, size: Size, read: Bytes) -> String {
    let mut text = bytes(program, size, read);
    assert_eq!(text.pop(), Some(0), "a zero closes it");
    String::from_utf8(text).unwrap()
}

fn ptx(program: nvrtcProgram) -> String {
    text(program, nvrtcGetPTXSize, nvrtcGetPTX)
}

fn log(program: nvrtcProgram) -> String {
    text(program, nvrtcGetProgramLogSize, nvrtcGetProgramLog)
}

fn cubin(program: nvrtcProgram) -> Vec<u8> {
    bytes(program, nvrtcGetCUBINSize, nvrtcGetCUBIN)
}

/// The code and the log of a source with options.
fn said(source: &str, options: &[&str]) -> (c_int, String) {
    let program = program(source);
    let code = compile(program, options);
    let log = log(program);
    end(program);
    (code, log)
}

/// What a program has once it is compiled: PTX for all targets, a cubin for real ones.
#[test]
fn a_source_becomes_ptx_and_a_cubin() {
    let program = program(SAXPY);
    assert_eq!(
        (log(program), ptx(program), cubin(program)),
        (String::new(), String::new(), vec![])
    );
    assert_eq!(compile(program, &[]), 0);
    assert!(ptx(program).contains(".target sm_75\n"), "the default is compute_75");
    assert_eq!(cubin(program), b"");
    assert_eq!(compile(program, &["--gpu-architecture", "sm_90"]), 0, "once more");
    assert!(ptx(program).contains(".visible .entry saxpy("));
    assert!(cubin(program).starts_with(b"\x7fELF"));
    assert_eq!(log(program), "");
    for nothing in [
        bytes(program, nvrtcGetLTOIRSize, nvrtcGetLTOIR),
        bytes(program, nvrtcGetOptiXIRSize, nvrtcGetOptiXIR),
    ] {
        assert_eq!(nothing, b"");
    }
    end(program);
}

/// A header is found by the name that it was given with, before any folder.
#[test]
fn headers_from_memory_and_from_folders() {
    let folder = std::env::temp_dir().join(format!("warpsmith-nvrtc-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("disk.h"), "#define DISK 5\n").unwrap();
    std::fs::write(folder.join("both.h"), "#error not this one\n").unwrap();
    let source = "#include <deep/a.h>\n#include \"both.h\"\n#include <disk.h>\n#if __has_include(<none.h>)\n#error it is not there\n#endif\n__global__ void k(int *p) { *p = A + BOTH + DISK; }\n";
    let headers = [
        ("deep/a.h", "#include \"b.h\"\n#define A (B * 100)\n"),
        ("b.h", "#define B 7\n"),
        ("both.h", "#define BOTH 10\n"),
    ];
    let program = with_headers(source, &headers);
    let include = format!("-I{}", folder.display());
    assert_eq!(compile(program, &[&include, "-arch=compute_90"]), 0, "{}", log(program));
    assert!(ptx(program).contains("715"), "{}", ptx(program));
    end(program);
    std::fs::remove_dir_all(folder).unwrap();
}

/// Observed, NVRTC 13.0: clients look for headers that are missing, and for names, by this form.
#[test]
fn the_log_has_the_form_of_nvrtc() {
    assert_eq!(
        said("__global__ void k(int *p) {\n\t*p = first;\n    *p = second;\n}\n", &[]),
        (
            6,
            "default_program(2): error: identifier \"first\" is undefined\n      *p = first;\n           ^\n\n\
             default_program(3): error: identifier \"second\" is undefined\n      *p = second;\n           ^\n\n\
             2 errors detected in the compilation of \"default_program\".\n"
                .to_owned()
        )
    );
    assert_eq!(
        said("#include \"gone.h\"\n", &[]),
        (
            6,
            "default_program(1): catastrophic error: cannot open source file \"gone.h\"\n  #include \"gone.h\"\n           ^\n\n\
             1 catastrophic error detected in the compilation of \"default_program\".\nCompilation terminated.\n"
                .to_owned()
        )
    );
    let (code, log) = said("#include <gone.h>\n", &[]);
    assert_eq!(code, 6);
    assert!(
        log.starts_with(
            "default_program(1): catastrophic error: could not open source file \"gone.h\" (no directories in search list)\n"
        ),
        "{log}"
    );
}

#[test]
fn warnings_have_numbers_and_can_be_switched_off() {
    let source = "__global__ void k() {\n    int unused;\n}\n";
    let (code, log) = said(source, &[]);
    assert_eq!(code, 0);
    let words = "default_program(2): warning #177-D: variable \"unused\" was declared but never referenced\n";
    assert!(log.starts_with(words), "{log}");
    assert!(
        log.ends_with("\n\nRemark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n"),
        "{log}"
    );
    assert!(
        said(source, &["-no-err-no"])
            .1
            .starts_with("default_program(2): warning: ")
    );
    assert_eq!(said(source, &["-w"]), (0, String::new()));
    assert_eq!(said(source, &["--diag-suppress=177"]), (0, String::new()));
    assert_eq!(said(source, &["-diag-error", "177"]).0, 6);
}

/// Code and log of options alone. Observed, NVRTC 13.0, but for what Warpsmith refuses.
#[test]
fn options_have_the_codes_and_the_log_of_nvrtc() {
    #[rustfmt::skip]
    let table: &[(&[&str], c_int, &str)] = &[
        (&["-arch=sm_90a"], 0, ""),
        (&["-arch", "compute_90"], 0, ""),
        (&["-arch=sm_999"], 5, "nvrtc: error: invalid value for --gpu-architecture (-arch)\n"),
        (&["-arch=90"], 5, "nvrtc: error: invalid value for --gpu-architecture (-arch)\n"),
        (&["-arch"], 5, "nvrtc: error: invalid value for --gpu-architecture (-arch)\n"),
        (&["--arch=sm_90"], 5, "nvrtc: error: unrecognized option --arch=sm_90 found\n"),
        (&["-gpu-architecture=sm_90"], 5, "nvrtc: error: unrecognized option -gpu-architecture=sm_90 found\n"),
        (&["-arch=sm_90", "-arch=sm_80"], 0, "nvrtc: warning: \"--gpu-architecture(-arch)=90\" followed by \"--gpu-architecture(-arch)=80\"\n"),
        (&["-bogus"], 5, "nvrtc: error: unrecognized option -bogus found\n"),
        (&["bogus"], 5, "nvrtc: error: unrecognized option bogus found\n"),
        (&[""], 5, "nvrtc: error: unrecognized option  found\n"),
        (&["-O3"], 5, "nvrtc: error: unrecognized option -O3 found\n"),
        (&["--std=c++03"], 0, ""),
        (&["-std=c++20"], 0, ""),
        (&["--std=c++98"], 5, "nvrtc: error: invalid value for --std(-std)\n"),
        (&["-std", "c++17"], 5, "nvrtc: error: unrecognized option -std found\n"),
        (&["-std=c++17", "-std=c++20"], 0, "nvrtc: warning: \"--std (-std)=c++17\" followed by \"--std (-std)=c++20\"\n"),
        (&["-I/x", "-DA", "-UA", "-D", "B=1", "-I", "/y", "--define-macro=C", "--include-path", "/z"], 0, ""),
        (&["-ftz", "true", "--fmad=false", "-prec-div=false", "-prec-sqrt=true"], 0, ""),
        (&["-ftz=yes"], 5, "nvrtc: error: --ftz (-ftz) expects true or false\n"),
        (&["-ftz"], 5, "nvrtc: error: --ftz (-ftz) expects true or false\n"),
        (&["-ftz=true", "-ftz=false"], 0, "nvrtc: warning: \"--ftz(-ftz)=true\" followed by \"--ftz(-ftz)=false\"\n"),
        (&["-use_fast_math=true"], 5, "nvrtc: error: --use_fast_math (-use_fast_math) does not accept any argument\n"),
        (&["-default-device=true"], 5, "nvrtc: error: --device-as-default-execution-space (-default-device) does not accept any argument\n"),
        (&["-maxrregcount=abc"], 5, "nvrtc: error: --maxrregcount (-maxrregcount) expects an integer value\n"),
        (&["-maxrregcount", ""], 0, ""),
        (&["-dopt=off"], 5, "nvrtc: error: invalid argument for option --dopt (-dopt): off\n"),
        (&["-Ofc=x"], 5, "nvrtc: error: invalid argument for option --Ofast-compile (-Ofc): x\n"),
        (&["-jtd=200"], 5, "nvrtc: error: Argument for --jump-table-density must be between [0-101]\n"),
        (&["-diag-suppress=abc"], 5, "nvrtc: error: --diag-suppress expects a non-zero positive integer value\n"),
        (&["-G"], 0, ""),
        (&["-lineinfo", "-dc", "--restrict", "--minimal", "-no-cache", "--split-compile=2"], 0, ""),
        (&["-Xptxas=-bogus", "-arch=sm_90"], 6, "ptxas fatal   : Unknown option 'bogus'\n"),
        (&["--time=/nonexistent/x"], 12, "nvrtc: error: failed to open file /nonexistent/x for writing!\n"),
        (&["-dlto"], 0, ""),
        (&["--gen-opt-lto"], 5, "nvrtc: error: Warpsmith does not support --gen-opt-lto\n"),
        (&["--optix-ir"], 5, "nvrtc: error: Warpsmith does not support --optix-ir\n"),
        (&["--enable-tile"], 5, "nvrtc: error: Warpsmith does not support --enable-tile\n"),
        (&["-G", "--dopt=on"], 5, "nvrtc: error: Warpsmith does not support --dopt (-dopt) with --device-debug (-G)\n"),
    ];
    for (options, code, log) in table {
        assert_eq!(said(SAXPY, options), (*code, (*log).to_owned()), "{options:?}");
    }
}

#[test]
fn ptxas_options_tell_in_the_log() {
    let (code, log) = said(SAXPY, &["-arch=sm_90", "-Xptxas", "-v"]);
    assert_eq!(code, 0);
    assert!(
        log.starts_with("ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function 'saxpy' for 'sm_90'\n"),
        "{log}"
    );
}

#[test]
fn functions_without_a_word_are_the_devices_if_asked() {
    let source = "int h(int a) { return a + 1; }\nint x;\n__global__ void k(int *p) { *p = h(x); }\n";
    assert_eq!(said(source, &["-default-device"]), (0, String::new()));
    assert_eq!(said(source, &[]).0, 6);
}

/// The symbol of an expression, or the code.
fn lowered(program: nvrtcProgram, name: &str) -> Result<String, c_int> {
    let name = CString::new(name).unwrap();
    let mut pointer = ptr::null();
    match nvrtcGetLoweredName(program, name.as_ptr(), &mut pointer) {
        0 => {
            assert_eq!(nvrtcAddNameExpression(program, name.as_ptr()), 8, "it is too late");
            Ok(copied(pointer))
        }
        code => Err(code),
    }
}

/// A text of the library.
#[allow(unsafe_code)]
fn copied(text: *const c_char) -> String {
    // SAFETY: the library's promise: a text that ends with a zero, and lives.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned()
}

fn with_names(source: &str, names: &[&str]) -> nvrtcProgram {
    let program = program(source);
    for name in names {
        let name = CString::new(*name).unwrap();
        assert_eq!(nvrtcAddNameExpression(program, name.as_ptr()), 0);
    }
    program
}

const NAMED: &str = "template<typename T> __global__ void k(T *p) { *p += 1; }
__global__ void plain(int *p) { *p = 1; }
namespace N { __constant__ int c; __device__ float d[4]; template<int I> __global__ void t() {} }
static __global__ void hidden() {}
template<class T> __device__ T table = T(3);
typedef float F;
extern \"C\" __global__ void named() {}
__device__ int f(int a) { return a; }
";

/// Observed, NVRTC 13.0.
#[test]
fn expressions_are_instantiated_and_have_symbols() {
    let table = [
        ("k<int>", "_Z1kIiEvPT_"),
        ("k<F>", "_Z1kIfEvPT_"),
        ("&k<double>", "_Z1kIdEvPT_"),
        (" k<char> ", "_Z1kIcEvPT_"),
        ("(k<short>)", "_Z1kIsEvPT_"),
        ("plain", "_Z5plainPi"),
        ("&plain", "_Z5plainPi"),
        ("&N::c", "_ZN1N1cE"),
        ("N::d", "_ZN1N1dE"),
        ("N::t<1+2>", "_ZN1N1tILi3EEEvv"),
        ("hidden", "_Z6hiddenv"),
        ("&table<float>", "_Z5tableIfE"),
        ("named", "named"),
    ];
    let names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
    let program = with_names(NAMED, &names);
    assert_eq!(lowered(program, "plain"), Err(9), "before a compile");
    assert_eq!(compile(program, &["-arch=compute_90"]), 0, "{}", log(program));
    assert_eq!(log(program), "");
    let ptx = ptx(program);
    for (name, symbol) in table {
        let found = lowered(program, name).unwrap();
        assert_eq!(found, symbol, "{name}");
        assert!(ptx.contains(&found), "{found} is in the PTX:\n{ptx}");
    }
    assert!(!ptx.contains("warpsmith_name"), "{ptx}");
    assert_eq!(lowered(program, "k<long>"), Err(10), "it was never added");
    end(program);
    let program = with_names(NAMED, &["k<int>", "&table<int>"]);
    assert_eq!(
        compile(program, &["-arch=compute_90", "-default-device"]),
        0,
        "{}",
        log(program)
    );
    assert_eq!(lowered(program, "k<int>"), Ok("_Z1kIiEvPT_".to_owned()));
    end(program);
}

#[test]
fn what_is_no_name_of_a_kernel_is_an_error_at_the_expression() {
    for (name, line) in [
        ("nope", "__nv_name_map(2): error: identifier \"nope\" is undefined\n"),
        (
            "f",
            "__nv_name_map(1): error: a name expression names a kernel, or the address of a variable of the device; `f` does not\n",
        ),
    ] {
        let program = with_names(NAMED, &[name, "plain"]);
        assert_eq!(compile(program, &[]), 6, "{name}");
        assert!(log(program).starts_with(line), "{}", log(program));
        assert_eq!(ptx(program), "");
        assert_eq!(lowered(program, "plain"), Err(9), "nothing was made");
        end(program);
    }
    for name in ["", "k", "k<int", "int", "F", "1+2", "N::c", "plain()", "k<int>; int x"] {
        let program = with_names(NAMED, &[name]);
        assert_eq!(compile(program, &[]), 6, "{name}");
        assert!(log(program).contains("__nv_name_map("), "{}", log(program));
        end(program);
    }
}

/// Observed, NVRTC 13.0, but for what ends the process there.
#[test]
fn wrong_calls_have_the_codes_of_the_vendor() {
    let (mut size, mut program_, mut lowered) = (0, 0, ptr::null());
    let mut buffer = [0 as c_char; 64];
    let null = ptr::null();
    let source = c"".as_ptr();
    assert_eq!(
        nvrtcCreateProgram(&mut program_, null, null, 0, ptr::null(), ptr::null()),
        3
    );
    assert_eq!(
        nvrtcCreateProgram(&mut program_, source, null, -1, ptr::null(), ptr::null()),
        3
    );
    assert_eq!(
        nvrtcCreateProgram(&mut program_, source, null, 1, ptr::null(), ptr::null()),
        3
    );
    assert_eq!(
        nvrtcCreateProgram(ptr::null_mut(), source, null, 0, ptr::null(), ptr::null()),
        3
    );
    assert_eq!(nvrtcVersion(ptr::null_mut(), ptr::null_mut()), 3);
    assert_eq!(nvrtcGetNumSupportedArchs(ptr::null_mut()), 3);
    assert_eq!(nvrtcGetSupportedArchs(ptr::null_mut()), 3);
    assert_eq!(nvrtcGetPCHHeapSize(ptr::null_mut()), 3);
    assert_eq!(nvrtcDestroyProgram(ptr::null_mut()), 4);
    let freed = program(SAXPY);
    end(freed);
    for mut wrong in [0, 1, 0xdead_beef, freed] {
        assert_eq!(compile(wrong, &[]), 4);
        let sizes: [Size; 7] = [
            nvrtcGetTileIRSize,
            nvrtcGetPTXSize,
            nvrtcGetCUBINSize,
            nvrtcGetLTOIRSize,
            nvrtcGetOptiXIRSize,
            nvrtcGetProgramLogSize,
            nvrtcGetPCHHeapSizeRequired,
        ];
        let texts: [Bytes; 6] = [
            nvrtcGetTileIR,
            nvrtcGetPTX,
            nvrtcGetCUBIN,
            nvrtcGetLTOIR,
            nvrtcGetOptiXIR,
            nvrtcGetProgramLog,
        ];
        assert!(sizes.iter().all(|call| call(wrong, &mut size) == 4));
        assert!(texts.iter().all(|call| call(wrong, buffer.as_mut_ptr()) == 4));
        assert_eq!(nvrtcAddNameExpression(wrong, c"k".as_ptr()), 4);
        assert_eq!(nvrtcGetLoweredName(wrong, c"k".as_ptr(), &mut lowered), 4);
        assert_eq!(nvrtcGetPCHCreateStatus(wrong), 4);
        assert_eq!(nvrtcSetFlowCallback(wrong, None, ptr::null_mut()), 4);
        assert_eq!(nvrtcDestroyProgram(&mut wrong), 4);
    }
    let program = program(SAXPY);
    assert_eq!(nvrtcCompileProgram(program, -1, ptr::null()), 3);
    assert_eq!(nvrtcCompileProgram(program, 1, ptr::null()), 5);
    assert_eq!(nvrtcGetPTXSize(program, ptr::null_mut()), 3);
    assert_eq!(nvrtcGetPTX(program, ptr::null_mut()), 3);
    assert_eq!(nvrtcGetCUBIN(program, ptr::null_mut()), 3);
    assert_eq!(nvrtcGetProgramLog(program, ptr::null_mut()), 3);
    assert_eq!(nvrtcAddNameExpression(program, null), 3);
    assert_eq!(nvrtcGetLoweredName(program, null, &mut lowered), 3);
    assert_eq!(nvrtcSetFlowCallback(program, None, ptr::null_mut()), 3);
    assert_eq!(nvrtcGetPCHCreateStatus(program), 13);
    end(program);
}

#[test]
fn what_the_library_is() {
    let (mut major, mut minor, mut count) = (0, 0, 0);
    assert_eq!(nvrtcVersion(&mut major, &mut minor), 0);
    assert_eq!((major, minor), (13, 0));
    assert_eq!(nvrtcGetNumSupportedArchs(&mut count), 0);
    let mut numbers = vec![0; count as usize];
    assert_eq!(nvrtcGetSupportedArchs(numbers.as_mut_ptr()), 0);
    assert!(numbers.starts_with(&[75, 80, 86, 87, 88, 89, 90, 100, 103]) && numbers.is_sorted());
    assert_eq!(copied(nvrtcGetErrorString(6)), "NVRTC_ERROR_COMPILATION");
    assert_eq!(
        copied(nvrtcGetErrorString(17)),
        "NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED"
    );
    for unknown in [-1, 99] {
        assert_eq!(copied(nvrtcGetErrorString(unknown)), "NVRTC_ERROR unknown");
    }
    let mut size = 0;
    assert_eq!(nvrtcGetPCHHeapSize(&mut size), 0);
    assert_eq!(size, 268_435_456);
    assert_eq!(nvrtcSetPCHHeapSize(1 << 20), 0);
    assert_eq!(nvrtcGetPCHHeapSize(&mut size), 0);
    assert_eq!(size, 1 << 20);
}

/// How often the callback was asked, and when it says yes.
static ASKED: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(1)];

extern "C" fn ask(payload: *mut c_void, reserved: *mut c_void) -> c_int {
    assert!(ptr::eq(payload, (&raw const ASKED).cast()) && reserved.is_null());
    let asked = 1 + ASKED[0].fetch_add(1, Ordering::Relaxed);
    c_int::from(asked >= ASKED[1].load(Ordering::Relaxed))
}

#[test]
fn the_flow_callback_ends_a_compile() {
    let program = program(SAXPY);
    let payload = (&raw const ASKED).cast_mut().cast();
    assert_eq!(nvrtcSetFlowCallback(program, Some(ask), payload), 0);
    assert_eq!(compile(program, &[]), 16);
    assert_eq!((log(program), ptx(program)), (String::new(), String::new()));
    ASKED[1].store(u32::MAX, Ordering::Relaxed);
    assert_eq!(compile(program, &[]), 0);
    end(program);
}

#[test]
fn threads_share_one_program_and_have_their_own() {
    let shared = program(SAXPY);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..10 {
                    assert_eq!(compile(shared, &["-arch=sm_90"]), 0);
                    let own = program(SAXPY);
                    assert_eq!(compile(own, &["-arch=sm_80"]), 0);
                    assert!(ptx(own).contains(".target sm_80\n"));
                    end(own);
                }
            });
        }
    });
    end(shared);
}

/// Kilobytes of memory that the process has.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_thousand_programs_leave_memory_flat() {
    let once = || {
        let program = with_names(NAMED, &["k<int>"]);
        assert_eq!(compile(program, &["-arch=sm_90"]), 0);
        end(program);
    };
    (0..100).for_each(|_| once());
    let before = resident();
    (0..1000).for_each(|_| once());
    let more = resident().saturating_sub(before);
    assert!(more < 2048, "{more} kB more");
}

/// Observed, NVRTC 13.0: only `assert` and `NULL` are there without a header.
#[test]
fn macros_of_the_c_library_are_there_with_its_headers_alone() {
    let headers = [
        (
            "math.h",
            &["M_PI_2", "M_SQRT1_2", "NAN", "INFINITY", "HUGE_VAL", "FP_NORMAL"][..],
        ),
        ("limits.h", &["INT_MAX", "LLONG_MIN", "CHAR_BIT"]),
        ("stdlib.h", &["EXIT_FAILURE", "RAND_MAX"]),
        ("stdio.h", &["EOF", "SEEK_SET"]),
        ("time.h", &["CLOCKS_PER_SEC"]),
    ];
    for (header, names) in headers {
        for name in names {
            for (include, is_macro) in [(String::new(), false), (format!("#include <{header}>\n"), true)] {
                let own = format!("{include}#ifdef {name}\n#error there\n#endif\n__constant__ double {name} = 1.5;\n");
                let uses = format!("__global__ void k(double *p) {{ assert(p != NULL); *p = {name}; }}\n");
                let program = program(&(own + &uses));
                let code = compile(program, &["-arch=compute_90"]);
                assert_eq!(code, if is_macro { 6 } else { 0 }, "{name}: {}", log(program));
                assert_eq!(log(program).contains("there"), is_macro, "{name}: {}", log(program));
                end(program);
            }
        }
    }
}

/// Observed, NVRTC 13.0, each by `#ifdef` and as a text.
#[test]
fn macros_say_how_a_program_is_compiled_as_those_of_nvrtc() {
    type Row = (&'static [&'static str], &'static [(&'static str, Option<&'static str>)]);
    #[rustfmt::skip]
    const ROWS: [Row; 14] = [
        (&[], &[
            ("__CUDACC_RTC__", Some("1")), ("__CUDA_FTZ", Some("0")), ("__CUDA_PREC_DIV", Some("1")), ("__CUDA_PREC_SQRT", Some("1")),
            ("__USE_FAST_MATH__", Some("0")), ("__EDG__", Some("1")), ("__EDG_VERSION__", Some("606")), ("__EXCEPTIONS", Some("1")),
            ("__STDC_HOSTED__", Some("1")), ("__SIGNED_CHARS__", Some("1")), ("__LP64__", Some("1")), ("NULL", Some("0")),
            ("__CUDART_API_VERSION", Some("((13 * 1000) + (0 * 10))")), ("CUDART_VERSION", Some("13000")),
            ("__CUDA_ARCH_LIST__", Some("900")), ("__NV_BUILTIN_INITIALIZER_LIST", Some("1")),
            ("__NV_BUILTIN_MOVE_FORWARD", Some("1")),
            ("__cpp_unicode_characters", Some("200704L")), ("__STDCPP_DEFAULT_NEW_ALIGNMENT__", Some("16ul")),
            ("__linux__", None), ("__linux", None), ("__unix__", None), ("__x86_64__", None), ("_LP64", None), ("__ELF__", None),
            ("__GNUC__", None), ("__NVCC__", None), ("__CUDACC_EXTENDED_LAMBDA__", None), ("__CUDACC_RELAXED_CONSTEXPR__", None),
            ("__CUDACC_RTC_INT128__", None), ("__CUDACC_DEBUG__", None), ("__CUDACC_RDC__", None), ("__CUDA_DEVICE_RUNTIME_API_H__", None), ("__CUDACC_RTC_MINIMAL__", None),
            ("__cpp_digit_separators", None), ("__cpp_runtime_arrays", None),
        ]),
        (&["-ftz=true"], &[("__CUDA_FTZ", Some("1")), ("__USE_FAST_MATH__", Some("0"))]),
        (&["-prec-div=false"], &[("__CUDA_PREC_DIV", Some("0"))]),
        (&["-prec-sqrt=false"], &[("__CUDA_PREC_SQRT", Some("0"))]),
        (&["-use_fast_math"], &[
            ("__CUDA_FTZ", Some("1")), ("__CUDA_PREC_DIV", Some("0")), ("__CUDA_PREC_SQRT", Some("0")), ("__USE_FAST_MATH__", Some("1")),
        ]),
        (&["-G"], &[("__CUDACC_DEBUG__", Some("1"))]),
        (&["-dc"], &[("__CUDACC_RDC__", Some("1")), ("__CUDA_DEVICE_RUNTIME_API_H__", Some(""))]),
        (&["-minimal"], &[("__CUDACC_RTC_MINIMAL__", Some("1"))]),
        (&["-device-int128"], &[("__CUDACC_RTC_INT128__", Some("1"))]),
        (&["-builtin-initializer-list=false"], &[("__NV_BUILTIN_INITIALIZER_LIST", None)]),
        (&["-builtin-move-forward=false"], &[("__NV_BUILTIN_MOVE_FORWARD", None)]),
        (&["-std=c++11"], &[("__cpp_binary_literals", None), ("__cpp_static_assert", Some("201411L"))]),
        (&["-std=c++14"], &[("__cpp_template_template_args", Some("201611L")), ("__cpp_hex_float", None)]),
        (&["-std=c++20"], &[("__cpp_constexpr", Some("201907L")), ("__cpp_impl_coroutine", None)]),
    ];
    for (options, macros) in ROWS {
        let mut source = String::from(
            "constexpr bool same(const char *a, const char *b) { return *a == *b && (*a == 0 || same(a + 1, b + 1)); }\n",
        );
        source += "#define TEXT_(...) #__VA_ARGS__\n#define TEXT(x) TEXT_(x)\n";
        for (name, value) in macros {
            source += &match value {
                Some(value) => format!("static_assert(same(TEXT({name}), \"{value}\"), \"{name}\");\n"),
                None => format!("#ifdef {name}\n#error {name} is defined\n#endif\n"),
            };
        }
        let options: Vec<&str> = ["-arch=compute_90"]
            .into_iter()
            .chain(options.iter().copied())
            .collect();
        assert_eq!(said(&source, &options), (0, String::new()), "{options:?}");
    }
}

/// Handles of the runtime are types without a header, observed in NVRTC 13.0: kernels take graphs that they launch.
#[test]
fn handles_of_the_runtime_are_types() {
    let handles = [
        "cudaStream_t",
        "cudaEvent_t",
        "cudaGraph_t",
        "cudaGraphNode_t",
        "cudaGraphExec_t",
        "cudaGraphConditionalHandle",
        "cudaArray_const_t",
        "cudaKernel_t",
        "cudaMemPool_t",
        "cudaPitchedPtr",
        "cudaExtent",
    ];
    let parameters: Vec<String> = handles
        .iter()
        .enumerate()
        .map(|(index, handle)| format!("{handle} p{index}"))
        .collect();
    let source = format!("__global__ void k({}) {{}}", parameters.join(", "));
    assert_eq!(said(&source, &[]), (0, String::new()));
}

/// `std::move` and `std::forward` are there without a header, and leave the names of `<type_traits>` to the program; the usual allocation functions can be
/// called. Observed, NVRTC 13.0.
#[test]
fn what_is_declared_without_a_header() {
    let source = "namespace std { template <class T> struct remove_reference { static constexpr int own = 4; }; }\n\
                  __device__ int f(int &&) { return 1; }\n__device__ int f(int &) { return 2; }\n\
                  template <class T> __device__ int g(T &&x) { return f(std::forward<T>(x)); }\n\
                  __global__ void k(int **p) {\n\
                      int a = std::remove_reference<int>::own;\n\
                      p[0] = (int *)::operator new(4);\n\
                      *p[0] = f(std::move(a)) + g(a) + g(3);\n\
                      ::operator delete(p[1]);\n}\n";
    assert_eq!(said(source, &["-arch=compute_90"]), (0, String::new()));
}

/// The macros of `<nv/target>` are there without that header, which may be included all the same. Observed, NVRTC 13.0.
#[test]
fn macros_choose_code_by_the_target() {
    let text = "#define TEXT_(...) #__VA_ARGS__\n#define TEXT(...) TEXT_(__VA_ARGS__)\n\
                constexpr bool same(const char *a, const char *b) { return *a == *b && (*a == 0 || same(a + 1, b + 1)); }\n";
    const ROWS: [(&str, &str, &str); 11] = [
        ("sm_90", "NV_IF_TARGET(NV_PROVIDES_SM_80, a; b;)", "{a; b;}"),
        (
            "sm_90",
            "NV_IF_TARGET(NV_PROVIDES_SM_80, (a<b, c>(d);))",
            "{a<b, c>(d);}",
        ),
        ("sm_75", "NV_IF_TARGET(NV_PROVIDES_SM_80, a)", "{}"),
        ("sm_75", "NV_IF_TARGET(NV_PROVIDES_SM_80, a, b)", "{b}"),
        ("sm_90", "NV_IF_ELSE_TARGET(NV_IS_HOST, (a), (b))", "{b}"),
        (
            "sm_90",
            "NV_DISPATCH_TARGET(NV_PROVIDES_SM_100, a, NV_PROVIDES_SM_70, b)",
            "{b}",
        ),
        (
            "sm_75",
            "NV_DISPATCH_TARGET(NV_PROVIDES_SM_90, a, NV_PROVIDES_SM_80, (b))",
            "{}",
        ),
        ("sm_90", "NV_IF_TARGET(NV_HAS_FEATURE_SM_90a, a, b)", "{b}"),
        ("sm_90a", "NV_IF_TARGET(NV_HAS_FEATURE_SM_90a, a, b)", "{a}"),
        ("sm_103f", "NV_IF_TARGET(NV_HAS_FEATURE_SM_100f, a, b)", "{a}"),
        (
            "sm_90",
            "NV_IF_TARGET(NV_IS_EXACTLY_SM_90, NV_IF_TARGET(NV_PROVIDES_SM_80, a))",
            "{{a}}",
        ),
    ];
    for (target, code, chosen) in ROWS {
        let source = format!("{text}static_assert(same(TEXT({code}), \"{chosen}\"), TEXT({code}));\n");
        assert_eq!(
            said(&source, &[&format!("-arch={target}")]),
            (0, String::new()),
            "{code}"
        );
    }
    // A header of the same macros.
    let again = "#define NV_PROVIDES_SM_80 other\n#define NV_IF_TARGET(condition, ...) condition\n__device__ int other;\n\
                 __device__ int *f() { return &NV_IF_TARGET(NV_PROVIDES_SM_80, x); }\n";
    assert_eq!(said(again, &["-arch=sm_90"]), (0, String::new()));
}

/// Headers of the library are included without a folder: there are none to be installed, and why is said.
#[test]
fn no_headers_are_installed() {
    let mut why = ptr::null();
    let mut info = nvrtcBundledHeadersInfo {
        available: 1,
        compressedSize: 1,
        uncompressedSize: 1,
        cudaVersionMajor: 0,
        cudaVersionMinor: 1,
        numFiles: 1,
    };
    assert_eq!(nvrtcGetBundledHeadersInfo(&mut info, &mut why), 0);
    assert_eq!((info.available, info.cudaVersionMajor, info.numFiles), (0, 13, 0));
    assert_eq!(nvrtcGetBundledHeadersInfo(ptr::null_mut(), &mut why), 3);
    assert_eq!(nvrtcInstallBundledHeaders(ptr::null(), 0, ptr::null_mut()), 3);
    assert_eq!(nvrtcRemoveBundledHeaders(c"folder".as_ptr(), ptr::null_mut()), 7);
    assert_eq!(nvrtcInstallBundledHeaders(c"folder".as_ptr(), 0, &mut why), 7);
    let why = copied(why);
    assert_eq!(
        why,
        "nvrtc: error: Warpsmith bundles no headers: those that it has are included without a folder"
    );
}

/// Programs that are for other compilers, too, give words of the language a meaning where there are none; and take functions of `stdarg.h` for granted.
#[test]
fn words_of_the_language_count_as_defined() {
    let source = "#if !defined(__device__) || !defined(__launch_bounds__)\n#define __device__ static\n#endif\n\
        #if __CUDA_ARCH_HAS_FEATURE__(SM90_ALL)\n#error not of this target\n#endif\n\
        __device__ int sum(int n, ...) { va_list list; va_start(list, n); int all = va_arg(list, int) + va_arg(list, int); va_end(list); return all; }\n\
        __global__ void k(int *p) { *p = sum(2, 3, 4) + __isGridConstant(p) + __isClusterShared(p); }\n";
    assert_eq!(said(source, &["-arch=compute_90"]), (0, String::new()));
}
