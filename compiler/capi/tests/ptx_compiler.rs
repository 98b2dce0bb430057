//! nvPTXCompiler's functions, called as a program calls them.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use warpsmith_capi::ptx_compiler::*;

const GOOD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n    .reg .b64 %r;\n    ld.param.u64 %r, [p];\n    st.global.u32 [%r], 1;\n    ret;\n}\n";

/// A compiler for a text.
fn compiler(text: &str) -> nvPTXCompilerHandle {
    let mut handle = 0;
    assert_eq!(nvPTXCompilerCreate(&mut handle, text.len(), text.as_ptr().cast()), 0);
    handle
}

fn compile(handle: nvPTXCompilerHandle, options: &[&str]) -> c_int {
    let texts: Vec<CString> = options.iter().map(|option| CString::new(*option).unwrap()).collect();
    let pointers: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
    nvPTXCompilerCompile(handle, pointers.len() as c_int, pointers.as_ptr())
}

type Size = extern "C" fn(nvPTXCompilerHandle, *mut usize) -> c_int;
type Text = extern "C" fn(nvPTXCompilerHandle, *mut c_char) -> c_int;

fn text(handle: nvPTXCompilerHandle, size: Size, text: Text) -> String {
    let mut length = usize::MAX;
    assert_eq!(size(handle, &mut length), 0);
    let mut bytes = vec![b'#'; length.max(1)];
    assert_eq!(text(handle, bytes.as_mut_ptr().cast()), 0);
    assert_eq!(bytes.pop(), Some(0), "a zero closes it");
    String::from_utf8(bytes).unwrap()
}

fn errors(handle: nvPTXCompilerHandle) -> String {
    text(handle, nvPTXCompilerGetErrorLogSize, nvPTXCompilerGetErrorLog)
}

fn information(handle: nvPTXCompilerHandle) -> String {
    text(handle, nvPTXCompilerGetInfoLogSize, nvPTXCompilerGetInfoLog)
}

fn program(handle: nvPTXCompilerHandle) -> Vec<u8> {
    let mut length = 0;
    assert_eq!(nvPTXCompilerGetCompiledProgramSize(handle, &mut length), 0);
    let mut bytes = vec![0; length];
    assert_eq!(nvPTXCompilerGetCompiledProgram(handle, bytes.as_mut_ptr().cast()), 0);
    bytes
}

#[test]
fn a_text_becomes_a_cubin() {
    let mut handle = compiler(GOOD);
    assert_eq!(compile(handle, &["--gpu-name=sm_90"]), 0);
    let first = program(handle);
    assert!(first.starts_with(b"\x7fELF"));
    assert_eq!((errors(handle), information(handle)), (String::new(), String::new()));
    assert_eq!(compile(handle, &["-arch", "sm_90"]), 0, "once more");
    assert_eq!(program(handle).len(), first.len());
    assert_eq!(nvPTXCompilerDestroy(&mut handle), 0);
    assert_eq!(handle, 0);
}

#[test]
fn v_tells_in_the_information() {
    let mut handle = compiler(GOOD);
    assert_eq!(compile(handle, &["-arch=sm_90", "-v"]), 0);
    let told = information(handle);
    assert!(
        told.starts_with("ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function 'k' for 'sm_90'\n"),
        "{told}"
    );
    assert_eq!(nvPTXCompilerDestroy(&mut handle), 0);
}

/// Observed, nvPTXCompiler 13.0 and 13.5.
#[test]
fn what_is_wrong_with_options_and_texts() {
    #[rustfmt::skip]
    let table: [(&str, &[&str], c_int, &str); 9] = [
        (GOOD, &["-bogus"], 3, "ptxas fatal   : Unknown option 'bogus'\n"),
        (GOOD, &["-arch=sm_999"], 3, "ptxas fatal   : Value 'sm_999' is not defined for option 'gpu-name'\n"),
        (GOOD, &["-arch sm_90"], 3, "ptxas fatal   : Unknown option 'arch sm_90'\n"),
        (GOOD, &[], 3, "ptxas fatal   : SM version specified by .target is higher than default SM version assumed\n"),
        (GOOD, &["-arch=sm_90", "-e", "zz"], 3, "ptxas fatal   : Unknown function zz\n"),
        (GOOD, &["-arch=compute_90"], 10, ""),
        ("hello", &["-arch=sm_90"], 3, "ptxas application ptx input, line 1; fatal   : Missing .version directive at start of file 'application ptx input'\nptxas fatal   : Ptx assembly aborted due to errors\n"),
        (".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { foo; ret; }\n", &["-arch=sm_90"], 3, "ptxas application ptx input, line 4; error   : Not a name of any known instruction: 'foo'\nptxas fatal   : Ptx assembly aborted due to errors\n"),
        (GOOD, &["-h"], 3, "ptxas fatal   : The option '-h' is for a command line alone\n"),
    ];
    for (ptx, options, code, log) in table {
        let mut handle = compiler(ptx);
        assert_eq!(compile(handle, options), code, "{options:?}");
        assert_eq!(errors(handle), log);
        let mut size = 0;
        assert_eq!(nvPTXCompilerGetCompiledProgramSize(handle, &mut size), 6);
        assert_eq!(nvPTXCompilerDestroy(&mut handle), 0);
    }
}

/// One to come is tried, and has its own code only where something in it is not known.
#[test]
fn a_version_of_ptx_that_is_not_known_has_a_code_of_its_own() {
    let text = |version: &str, body: &str| {
        format!(".version {version}\n.target sm_80\n.address_size 64\n.visible .entry k() {{ {body} ret; }}\n")
    };
    #[rustfmt::skip]
    let table = [
        (text("7.9", ""), 7, "ptxas application ptx input, line 1; fatal   : Unsupported .version 7.9; current version is '"),
        (text("99.0", "foo;"), 7, "ptxas application ptx input, line 4; error   : Not a name of any known instruction: 'foo'"),
        (text("99.0", ""), 0, ""),
    ];
    for (ptx, code, log) in table {
        let mut handle = compiler(&ptx);
        assert_eq!(compile(handle, &["-arch=sm_90"]), code, "{ptx}");
        assert!(errors(handle).starts_with(log), "{}", errors(handle));
        assert_eq!(
            information(handle).contains("warning :"),
            ptx.starts_with(".version 99")
        );
        assert_eq!(nvPTXCompilerDestroy(&mut handle), 0);
    }
}

/// Observed, nvPTXCompiler 13.0 and 13.5, but for what ends the process there: null where a handle, an option or a result goes, and freed handles.
#[test]
fn wrong_calls_have_the_codes_of_the_vendor() {
    let (mut size, mut handle, mut bytes) = (0, 0, [0_u8; 64]);
    let buffer = bytes.as_mut_ptr();
    assert_eq!(nvPTXCompilerCreate(&mut handle, 4, ptr::null()), 2);
    assert_eq!(nvPTXCompilerCreate(&mut handle, 0, c"".as_ptr()), 2);
    assert_eq!(nvPTXCompilerCreate(ptr::null_mut(), 4, c"text".as_ptr()), 2);
    let mut freed = compiler(GOOD);
    let kept = freed;
    assert_eq!(nvPTXCompilerDestroy(&mut freed), 0);
    for mut wrong in [0, 1, 0xdead_beef, kept] {
        assert_eq!(compile(wrong, &["-arch=sm_90"]), 1);
        assert_eq!(nvPTXCompilerGetCompiledProgramSize(wrong, &mut size), 1);
        assert_eq!(nvPTXCompilerGetCompiledProgram(wrong, buffer.cast()), 1);
        assert_eq!(nvPTXCompilerGetErrorLogSize(wrong, &mut size), 1);
        assert_eq!(nvPTXCompilerGetErrorLog(wrong, buffer.cast()), 1);
        assert_eq!(nvPTXCompilerGetInfoLogSize(wrong, &mut size), 1);
        assert_eq!(nvPTXCompilerGetInfoLog(wrong, buffer.cast()), 1);
        assert_eq!(nvPTXCompilerSetFlowCallback(wrong, None, ptr::null_mut()), 1);
        assert_eq!(nvPTXCompilerDestroy(&mut wrong), 1);
    }
    assert_eq!(nvPTXCompilerDestroy(ptr::null_mut()), 1);
    let mut handle = compiler(GOOD);
    assert_eq!(
        nvPTXCompilerGetCompiledProgramSize(handle, &mut size),
        6,
        "before a compile"
    );
    assert_eq!(nvPTXCompilerGetCompiledProgram(handle, buffer.cast()), 6);
    assert_eq!(errors(handle), "");
    assert_eq!(nvPTXCompilerSetFlowCallback(handle, None, ptr::null_mut()), 2);
    assert_eq!(nvPTXCompilerCompile(handle, 1, ptr::null()), 2);
    assert_eq!(nvPTXCompilerCompile(handle, 1, [ptr::null()].as_ptr()), 2);
    assert_eq!(nvPTXCompilerCompile(handle, -1, ptr::null()), 2);
    assert_eq!(compile(handle, &["-arch=sm_90"]), 0);
    assert_eq!(nvPTXCompilerGetCompiledProgramSize(handle, ptr::null_mut()), 2);
    assert_eq!(nvPTXCompilerGetCompiledProgram(handle, ptr::null_mut()), 2);
    assert_eq!(nvPTXCompilerGetErrorLogSize(handle, ptr::null_mut()), 2);
    assert_eq!(nvPTXCompilerGetErrorLog(handle, ptr::null_mut()), 2);
    assert_eq!(nvPTXCompilerGetVersion(ptr::null_mut(), ptr::null_mut()), 2);
    assert_eq!(nvPTXCompilerGetNumSupportedVersions(ptr::null_mut()), 2);
    assert_eq!(nvPTXCompilerGetSupportedVersions(ptr::null_mut()), 2);
    assert_eq!(nvPTXCompilerGetNumSupportedArchs(ptr::null_mut()), 2);
    assert_eq!(nvPTXCompilerGetSupportedArchs(ptr::null_mut()), 2);
    assert_eq!(nvPTXCompilerDestroy(&mut handle), 0);
}

#[test]
fn what_the_library_is() {
    let (mut major, mut minor) = (0, 0);
    assert_eq!(nvPTXCompilerGetVersion(&mut major, &mut minor), 0);
    assert_eq!((major, minor), (13, 0));
    let mut count = 0;
    assert_eq!(nvPTXCompilerGetNumSupportedVersions(&mut count), 0);
    let mut versions = vec![[0; 2]; count as usize];
    assert_eq!(nvPTXCompilerGetSupportedVersions(versions.as_mut_ptr()), 0);
    assert_eq!(versions[0], [1, 0]);
    assert!(versions.contains(&[9, 0]) && versions.is_sorted());
    assert_eq!(nvPTXCompilerGetNumSupportedArchs(&mut count), 0);
    let mut numbers = vec![0; count as usize];
    assert_eq!(nvPTXCompilerGetSupportedArchs(numbers.as_mut_ptr()), 0);
    assert!(numbers.starts_with(&[75, 80, 86, 87, 88, 89, 90, 100, 103]) && numbers.is_sorted());
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
    let mut handle = compiler(GOOD);
    let payload = (&raw const ASKED).cast_mut().cast();
    assert_eq!(nvPTXCompilerSetFlowCallback(handle, Some(ask), payload), 0);
    assert_eq!(compile(handle, &["-arch=sm_90"]), 9);
    assert_eq!(ASKED[0].load(Ordering::Relaxed), 1);
    assert_eq!(errors(handle), "");
    ASKED[1].store(u32::MAX, Ordering::Relaxed);
    assert_eq!(compile(handle, &["-arch=sm_90"]), 0);
    assert!(ASKED[0].load(Ordering::Relaxed) > 1);
    assert_eq!(nvPTXCompilerDestroy(&mut handle), 0);
}

#[test]
fn threads_share_one_compiler_and_have_their_own() {
    let shared = compiler(GOOD);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(compile(shared, &["-arch=sm_90"]), 0);
                    let mut own = compiler(GOOD);
                    assert_eq!(compile(own, &["-arch=sm_80"]), 0);
                    assert!(!program(own).is_empty());
                    assert_eq!(nvPTXCompilerDestroy(&mut own), 0);
                }
            });
        }
    });
    let mut shared = shared;
    assert_eq!(nvPTXCompilerDestroy(&mut shared), 0);
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
fn a_thousand_compilers_leave_memory_flat() {
    let once = || {
        let mut handle = compiler(GOOD);
        assert_eq!(compile(handle, &["-arch=sm_90"]), 0);
        assert_eq!(nvPTXCompilerDestroy(&mut handle), 0);
    };
    (0..200).for_each(|_| once());
    let before = resident();
    (0..1000).for_each(|_| once());
    let more = resident().saturating_sub(before);
    assert!(more < 1024, "{more} kB more");
}
