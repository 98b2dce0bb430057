//! nvJitLink's functions, called as a program calls them: with PTX, and with the LTO-IR of NVRTC and libNVVM. What is linked runs in the emulator.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

use warpsmith::emulator::Emulator;
use warpsmith_capi::nvjitlink::*;
use warpsmith_capi::nvrtc::*;
use warpsmith_capi::nvvm::*;

/// Kinds of inputs.
const CUBIN: c_int = 1;
const PTX: c_int = 2;
const LTO_IR: c_int = 3;
const ANY: c_int = 10;

/// `*p = triple(*p)`, and the function.
const KERNEL_PTX: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func (.param .b32 r) triple(.param .b32 a);\n\
    .visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<3>;\n.reg .b64 %d<2>;\nld.param.u64 %d1, [p];\nld.global.u32 %r1, [%d1];\n\
    {\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r1;\ncall.uni (y), triple, (x);\nld.param.b32 %r2, [y];\n}\nst.global.u32 [%d1], %r2;\nret;\n}\n";
const TRIPLE_PTX: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .func (.param .b32 r) triple(.param .b32 a)\n{\n\
    .reg .b32 %r<3>;\nld.param.b32 %r1, [a];\nmul.lo.s32 %r2, %r1, 3;\nst.param.b32 [r], %r2;\nret;\n}\n";
/// The same in CUDA C++.
const KERNEL: &str =
    "extern \"C\" __device__ int triple(int);\nextern \"C\" __global__ void k(int *p) { *p = triple(*p); }\n";
const TRIPLE: &str = "extern \"C\" __device__ int triple(int x) { return 3 * x; }\n";

fn create(options: &[&str]) -> (nvJitLinkHandle, c_int) {
    let texts: Vec<CString> = options.iter().map(|option| CString::new(*option).unwrap()).collect();
    let pointers: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
    let mut linker = 0;
    let code = nvJitLinkCreate(&mut linker, pointers.len() as u32, pointers.as_ptr());
    assert_ne!(linker, 0, "there is a handle, for the log");
    (linker, code)
}

/// A linker whose options are right.
fn linker(options: &[&str]) -> nvJitLinkHandle {
    let (linker, code) = create(options);
    assert_eq!((code, errors(linker)), (0, String::new()));
    linker
}

fn add(linker: nvJitLinkHandle, kind: c_int, bytes: &[u8], name: &CStr) -> c_int {
    nvJitLinkAddData(linker, kind, bytes.as_ptr().cast(), bytes.len(), name.as_ptr())
}

type Size = extern "C" fn(nvJitLinkHandle, *mut usize) -> c_int;
type Text = extern "C" fn(nvJitLinkHandle, *mut c_char) -> c_int;

/// A text; the code that there is none with.
fn text(linker: nvJitLinkHandle, size: Size, read: Text) -> Result<String, c_int> {
    let mut length = 0;
    match size(linker, &mut length) {
        0 if length == 0 => return Ok(String::new()),
        0 => {}
        code => return Err(code),
    }
    let mut bytes = vec![b'#'; length + 1];
    assert_eq!(read(linker, bytes.as_mut_ptr().cast()), 0);
    assert_eq!(bytes.pop(), Some(b'#'), "nothing is written behind the size");
    assert_eq!(bytes.pop(), Some(0), "a zero closes it");
    Ok(String::from_utf8(bytes).unwrap())
}

fn errors(linker: nvJitLinkHandle) -> String {
    text(linker, nvJitLinkGetErrorLogSize, nvJitLinkGetErrorLog).unwrap()
}

fn info(linker: nvJitLinkHandle) -> String {
    text(linker, nvJitLinkGetInfoLogSize, nvJitLinkGetInfoLog).unwrap()
}

fn linked_ptx(linker: nvJitLinkHandle) -> Result<String, c_int> {
    text(linker, nvJitLinkGetLinkedPtxSize, nvJitLinkGetLinkedPtx)
}

fn cubin(linker: nvJitLinkHandle) -> Result<Vec<u8>, c_int> {
    let mut length = 0;
    match nvJitLinkGetLinkedCubinSize(linker, &mut length) {
        0 => {}
        code => return Err(code),
    }
    let mut bytes = vec![0; length];
    assert_eq!(nvJitLinkGetLinkedCubin(linker, bytes.as_mut_ptr().cast::<c_void>()), 0);
    Ok(bytes)
}

fn end(mut linker: nvJitLinkHandle) {
    assert_eq!(nvJitLinkDestroy(&mut linker), 0);
    assert_eq!(linker, 0);
    assert_eq!(nvJitLinkDestroy(&mut linker), 10);
}

/// What the kernel `k` makes of 14.
fn run(cubin: &[u8]) -> i32 {
    let mut emulator = Emulator::load(cubin).unwrap();
    let memory = emulator.buffer_of(&[14]).unwrap();
    emulator.launch("k", [1, 1, 1], [1, 1, 1], &[memory.into()]).unwrap();
    emulator.read(memory).unwrap()[0]
}

/// LTO-IR of CUDA C++, by NVRTC.
fn by_nvrtc(source: &str, options: &[&str]) -> Vec<u8> {
    let source = CString::new(source).unwrap();
    let mut program = 0;
    assert_eq!(
        nvrtcCreateProgram(
            &mut program,
            source.as_ptr(),
            c"unit.cu".as_ptr(),
            0,
            ptr::null(),
            ptr::null()
        ),
        0
    );
    let options = options
        .iter()
        .chain(&["-dlto"])
        .map(|option| CString::new(*option).unwrap());
    let options: Vec<CString> = options.collect();
    let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    assert_eq!(
        nvrtcCompileProgram(program, pointers.len() as c_int, pointers.as_ptr()),
        0
    );
    // There is neither PTX nor a cubin.
    let mut length = 7;
    assert_eq!((nvrtcGetPTXSize(program, &mut length), length), (0, 1));
    assert_eq!((nvrtcGetCUBINSize(program, &mut length), length), (0, 0));
    assert_eq!(nvrtcGetLTOIRSize(program, &mut length), 0);
    let mut bytes = vec![0; length];
    assert_eq!(nvrtcGetLTOIR(program, bytes.as_mut_ptr().cast()), 0);
    assert_eq!(nvrtcDestroyProgram(&mut program), 0);
    bytes
}

/// LTO-IR of a function that gives a multiple, by libNVVM.
fn by_libnvvm(factor: i32) -> Vec<u8> {
    let module = format!(
        "target datalayout = \"e-i64:64-i128:128-v16:16-v32:32-n16:32:64\"\ntarget triple = \"nvptx64-nvidia-cuda\"\n\
         define i32 @triple(i32 %x) {{\n  %v = mul i32 %x, {factor}\n  ret i32 %v\n}}\n!nvvmir.version = !{{!0}}\n!0 = !{{i32 2, i32 0}}\n"
    );
    let mut program = 0;
    assert_eq!(nvvmCreateProgram(&mut program), 0);
    assert_eq!(
        nvvmAddModuleToProgram(program, module.as_ptr().cast(), module.len(), c"triple.ll".as_ptr()),
        0
    );
    let options = [c"-arch=compute_90".as_ptr(), c"-gen-lto".as_ptr()];
    assert_eq!(nvvmCompileProgram(program, 2, options.as_ptr()), 0);
    let mut length = 0;
    assert_eq!(nvvmGetCompiledResultSize(program, &mut length), 0);
    let mut bytes = vec![0; length];
    assert_eq!(nvvmGetCompiledResult(program, bytes.as_mut_ptr().cast()), 0);
    assert_eq!(nvvmDestroyProgram(&mut program), 0);
    bytes
}

#[test]
fn the_version_is_the_toolkits() {
    let (mut major, mut minor) = (0, 0);
    assert_eq!(nvJitLinkVersion(&mut major, &mut minor), 0);
    assert_eq!((major, minor), (13, 0));
    assert_eq!(nvJitLinkVersion(ptr::null_mut(), &mut minor), 10);
    assert_eq!(nvJitLinkVersion(&mut major, ptr::null_mut()), 10);
}

#[test]
fn ptx_is_linked() {
    for kind in [PTX, ANY] {
        let linker = linker(&["-arch=sm_90", "-verbose", "-time"]);
        assert_eq!(cubin(linker), Err(6), "there is nothing yet");
        // Without its closing zero, and with it.
        assert_eq!(add(linker, kind, KERNEL_PTX.as_bytes(), c"k.ptx"), 0);
        assert_eq!(
            add(linker, kind, format!("{TRIPLE_PTX}\0").as_bytes(), c"triple.ptx"),
            0
        );
        assert_eq!(nvJitLinkComplete(linker), 0, "{}", errors(linker));
        assert_eq!(run(&cubin(linker).unwrap()), 42);
        assert_eq!(linked_ptx(linker), Err(3), "nobody asks for it");
        let said = info(linker);
        assert!(said.contains("Compiling entry function 'k' for 'sm_90'"), "{said}");
        assert!(said.contains("nvJitLinkComplete time to finish: "), "{said}");
        // The link is at its end: what was made stays.
        assert_eq!(add(linker, PTX, TRIPLE_PTX.as_bytes(), c"late.ptx"), 6);
        assert_eq!(errors(linker), "error   : late.ptx comes after the link\n");
        assert_eq!(nvJitLinkComplete(linker), 6);
        assert_eq!(run(&cubin(linker).unwrap()), 42);
        end(linker);
    }
}

/// Observed, nvJitLink 13.0, but for what is said of a missing `-arch`, and of `-O1` and `-O2`, which are levels here.
#[test]
#[rustfmt::skip]
fn what_is_wrong_with_options_is_told() {
    let table: &[(&[&str], c_int, &str)] = &[
        (&[], 2, "-arch=<value> is missing\n"),
        (&["-arch=sm_90", "-foo"], 1, "unrecognized option: -foo\n"),
        (&["-arch sm_90"], 1, "unrecognized option: -arch sm_90\n"),
        (&["--arch=sm_90"], 1, "unrecognized option: --arch=sm_90\n"),
        (&["-arch=foo"], 1, "ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value (-arch=foo)\n"),
        (&["-arch=sm_XX"], 1, "ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value (-arch=sm_XX)\n"),
        (&["-arch=sm_999"], 16, "ERROR NVJITLINK_ERROR_UNRECOGNIZED_ARCH: unrecognized architecture (compute_999)\n"),
        (&["-arch=sm_20"], 17, "ERROR NVJITLINK_ERROR_UNSUPPORTED_ARCH: unsupported architecture (compute_20)\n"),
        (&["-arch=sm_90", "-ptx"], 11, "ERROR: -ptx requires -lto\n"),
        (&["-arch=compute_90"], 11, "ERROR: virtual arch requires -ptx\n"),
        (&["-arch=sm_90", "-O4"], 1, "unsupported value of -O: 4. Only 0 to 3 are supported.\n"),
        (&["-arch=sm_90", "-O=3"], 1, "unrecognized option: -O=3\n"),
        (&["-arch=sm_90", "-variables-used"], 1, "unrecognized option: -variables-used\n"),
        (&["-arch=sm_90", "-device-stack-protector=true"], 1, "unrecognized option: -device-stack-protector=true\n"),
        (&["-arch=sm_90", "-maxrregcount=x"], 1, "unrecognized option: -maxrregcount=x\n"),
        (&["-arch=sm_90", "-ftz=2"], 1, "unrecognized option: -ftz=2\n"),
        (&["-arch=lto_90", "-lto", "-ptx"], 0, ""),
        (&["-arch=sm_100f", "-dlto", "-O3", "-g", "-lineinfo", "-ftz=1", "-prec-div=0", "-prec-sqrt=0", "-fma=0", "-maxrregcount=32"], 0, ""),
        (&["-arch=sm_90", "-Xptxas=-O1", "-kernels-used=k", "-variables-used=v", "-optimize-unused-variables", "-no-cache", "-split-compile=2", "-split-compile-extended=2", "-jump-table-density=50", "-Ofc=max"], 0, ""),
    ];
    for (options, code, said) in table {
        let (linker, result) = create(options);
        assert_eq!((result, errors(linker).as_str()), (*code, *said), "{options:?}");
        if *code != 0 {
            // A linker with wrong options is for its log alone.
            assert_eq!(add(linker, PTX, TRIPLE_PTX.as_bytes(), c"triple.ptx"), 6);
            assert_eq!(nvJitLinkComplete(linker), 6);
        }
        end(linker);
    }
}

/// Observed, nvJitLink 13.0, where bytes are not of their kind.
#[test]
fn inputs_that_are_none_are_told_of() {
    let machine = |number: u8| {
        let mut elf = b"\x7fELF\x02\x01\x01\0".to_vec();
        elf.resize(18, 0);
        elf.extend([number, 0]);
        elf
    };
    let (of_gpu, of_host) = (machine(190), machine(62));
    let not_of = |kind: &str| format!("ERROR 1: bad input: does not match type NVJITLINK_INPUT_{kind}x\n");
    let not_linked =
        |what: &str| format!("error   : x is {what}, which Warpsmith's nvJitLink does not link: PTX and LTO-IR are\n");
    let of_nvidia = "error   : x is NVIDIA's LTO-IR, whose form is not public: compile with Warpsmith's NVRTC or libNVVM, or link PTX\n";
    let bad = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { foo; }\n";
    let later = ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k() { ret; }\n";
    let table: Vec<(c_int, &[u8], c_int, String)> = vec![
        (PTX, b"hello", 12, not_of("PTX")),
        (PTX, b"", 12, not_of("PTX")),
        (LTO_IR, TRIPLE_PTX.as_bytes(), 12, not_of("LTOIR")),
        (CUBIN, TRIPLE_PTX.as_bytes(), 12, not_of("CUBIN")),
        (CUBIN, &of_host, 12, not_of("CUBIN")),
        (4, b"hello", 12, not_of("FATBIN")),
        (5, &of_gpu, 12, not_of("OBJECT")),
        (6, b"hello", 12, not_of("LIBRARY")),
        (7, b"hello", 12, not_of("INDEX")),
        (0, TRIPLE_PTX.as_bytes(), 12, "unsupported input type: x\n".to_owned()),
        (99, TRIPLE_PTX.as_bytes(), 12, "unsupported input type: x\n".to_owned()),
        (ANY, b"hello", 8, "unrecognized input type: x\n".to_owned()),
        (CUBIN, &of_gpu, 8, not_linked("a cubin")),
        (ANY, &of_gpu, 8, not_linked("a cubin")),
        (4, b"\x50\xed\x55\xba\x01\0", 8, not_linked("a fat binary")),
        (5, &of_host, 8, not_linked("an object of the host")),
        (LTO_IR, b"\xED\x43\x4E\x7F\0\0", 12, of_nvidia.to_owned()),
        (LTO_IR, b"Warpsmith LTO-IR 1 sm_1\n", 12, "error   : x is no LTO-IR\n".to_owned()),
        (PTX, bad.as_bytes(), 4, "ptxas application ptx input, line 4; error   : Not a name of any known instruction: 'foo'\nptxas fatal   : Ptx assembly aborted due to errors\nERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (x)\n".to_owned()),
        (PTX, later.as_bytes(), 4, "ptxas fatal   : PTX with .target 'sm_90a' cannot be compiled for architecture 'sm_90'\nERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (x)\n".to_owned()),
    ];
    for (kind, bytes, code, said) in table {
        let linker = linker(&["-arch=sm_90", "-lto"]);
        assert_eq!(add(linker, kind, bytes, c"x"), code, "{said}");
        assert_eq!(errors(linker), said);
        end(linker);
    }
}

/// Programs give the device runtime's library for functions of which Warpsmith has its own, or for none.
#[test]
fn of_libraries_nothing_is_linked() {
    const LIBRARY: c_int = 6;
    let linked = |inputs: &[&str]| {
        let linker = linker(&["-arch=sm_90"]);
        for text in inputs {
            assert_eq!(add(linker, PTX, text.as_bytes(), c"0"), 0);
        }
        assert_eq!(add(linker, LIBRARY, b"!<arch>\n", c"libcudadevrt.a"), 0);
        let code = nvJitLinkComplete(linker);
        let said = errors(linker);
        end(linker);
        (code, said)
    };
    assert_eq!(linked(&[KERNEL_PTX, TRIPLE_PTX]), (0, String::new()));
    let said = "error   : Undefined reference to 'triple' in '0'\nERROR 1: finish\n\
        info    : libcudadevrt.a is a library, of which Warpsmith's nvJitLink links nothing: what it defines is missing\n";
    assert_eq!(linked(&[KERNEL_PTX]), (6, said.to_owned()));
}

#[test]
fn files_are_read() {
    let file = std::env::temp_dir().join(format!("warpsmith-nvjitlink-{}.ptx", std::process::id()));
    std::fs::write(&file, TRIPLE_PTX).unwrap();
    let name = CString::new(file.to_str().unwrap()).unwrap();
    let linker = linker(&["-arch=sm_90"]);
    assert_eq!(nvJitLinkAddFile(linker, PTX, name.as_ptr()), 0);
    assert_eq!(nvJitLinkAddFile(linker, PTX, c"/nowhere.ptx".as_ptr()), 3);
    assert_eq!(errors(linker), "no such file: /nowhere.ptx\n");
    assert_eq!(add(linker, PTX, KERNEL_PTX.as_bytes(), c"k.ptx"), 0);
    assert_eq!(nvJitLinkComplete(linker), 0);
    assert_eq!(run(&cubin(linker).unwrap()), 42);
    end(linker);
    std::fs::remove_file(file).unwrap();
}

#[test]
fn symbols_are_there_once() {
    let table = [
        (
            &[KERNEL_PTX][..],
            "error   : Undefined reference to 'triple' in '0'\nERROR 1: finish\n",
        ),
        (
            &[TRIPLE_PTX, TRIPLE_PTX],
            "error   : Multiple definition of 'triple' in '1', first defined in '0'\nERROR 1: finish\n",
        ),
    ];
    for (inputs, said) in table {
        let linker = linker(&["-arch=sm_90"]);
        for (input, name) in inputs.iter().zip([c"0", c"1"]) {
            assert_eq!(add(linker, PTX, input.as_bytes(), name), 0);
        }
        assert_eq!((nvJitLinkComplete(linker), errors(linker).as_str()), (6, said));
        assert_eq!(cubin(linker), Err(6));
        end(linker);
    }
}

/// Observed, nvJitLink 13.0, but that `-lto` goes with PTX alone.
#[test]
fn nothing_and_ptx_alone() {
    let nothing = linker(&["-arch=sm_90"]);
    assert_eq!(nvJitLinkComplete(nothing), 0);
    assert!(cubin(nothing).unwrap().starts_with(b"\x7fELF"));
    end(nothing);
    let nothing = linker(&["-arch=sm_90", "-lto"]);
    assert_eq!(nvJitLinkComplete(nothing), 5);
    assert_eq!(
        errors(nothing),
        "ERROR in nvvmCompileProgram: NVVM_ERROR_NO_MODULE_IN_PROGRAM\n"
    );
    end(nothing);
    let alone = linker(&["-arch=sm_90", "-lto"]);
    assert_eq!(add(alone, PTX, TRIPLE_PTX.as_bytes(), c"triple.ptx"), 0);
    assert_eq!(nvJitLinkComplete(alone), 0, "{}", errors(alone));
    end(alone);
    let for_ptx = linker(&["-arch=sm_90", "-lto", "-ptx"]);
    assert_eq!(add(for_ptx, PTX, TRIPLE_PTX.as_bytes(), c"triple.ptx"), 0);
    assert_eq!(nvJitLinkComplete(for_ptx), 12);
    assert_eq!(errors(for_ptx), "ERROR: -ptx requires that all inputs have LTOIR\n");
    end(for_ptx);
}

/// A kernel in one unit calls a function in another: of NVRTC, of libNVVM, of PTX.
#[test]
fn lto_ir_is_linked() {
    let kernel = by_nvrtc(KERNEL, &["-arch=compute_90"]);
    let others = [
        (LTO_IR, by_nvrtc(TRIPLE, &["-arch=compute_80"]), 42),
        (ANY, by_libnvvm(5), 70),
        (PTX, TRIPLE_PTX.as_bytes().to_vec(), 42),
    ];
    for (kind, other, result) in others {
        // In either order.
        for kernel_is_first in [true, false] {
            let linker = linker(&["-arch=sm_90", "-lto"]);
            let mut inputs = [(LTO_IR, &kernel, c"k"), (kind, &other, c"triple")];
            if !kernel_is_first {
                inputs.reverse();
            }
            for (kind, bytes, name) in inputs {
                assert_eq!(add(linker, kind, bytes, name), 0, "{}", errors(linker));
            }
            assert_eq!(nvJitLinkComplete(linker), 0, "{}", errors(linker));
            assert_eq!(run(&cubin(linker).unwrap()), result);
            end(linker);
        }
    }
}

/// The function is inlined: the units are optimised together.
#[test]
fn lto_ir_becomes_ptx() {
    let linker = linker(&["-arch=sm_90", "-lto", "-ptx"]);
    assert_eq!(linked_ptx(linker), Err(6), "there is none yet");
    assert_eq!(add(linker, LTO_IR, &by_nvrtc(KERNEL, &["-arch=compute_90"]), c"k"), 0);
    assert_eq!(
        add(linker, LTO_IR, &by_nvrtc(TRIPLE, &["-arch=compute_90"]), c"triple"),
        0
    );
    assert_eq!(nvJitLinkComplete(linker), 0, "{}", errors(linker));
    let ptx = linked_ptx(linker).unwrap();
    assert!(
        ptx.contains(".visible .entry k(") && ptx.contains("mul.lo.s32") && !ptx.contains("call"),
        "{ptx}"
    );
    assert_eq!(cubin(linker), Err(6));
    assert_eq!(nvJitLinkGetLinkedCubin(linker, [0_u8; 8].as_mut_ptr().cast()), 6);
    end(linker);
}

/// Observed, nvJitLink 13.0: the options of arithmetic of a unit count, and so do those of the link.
#[test]
fn the_arithmetic_of_units_is_kept() {
    let source = "extern \"C\" __global__ void k(float *p) { *p = p[1] / p[2] + p[3]; }\n";
    let made = |unit: &[&str], link: &[&str]| {
        let unit: Vec<&str> = ["-arch=compute_90"].iter().chain(unit).copied().collect();
        let link: Vec<&str> = ["-arch=sm_90", "-lto", "-ptx"].iter().chain(link).copied().collect();
        let linker = linker(&link);
        assert_eq!(add(linker, LTO_IR, &by_nvrtc(source, &unit), c"k"), 0);
        assert_eq!(nvJitLinkComplete(linker), 0, "{}", errors(linker));
        let ptx = linked_ptx(linker).unwrap();
        end(linker);
        ["div.rn.f32", "div.rn.ftz.f32", "div.approx.ftz.f32"].map(|one| ptx.contains(one))
    };
    assert_eq!(made(&[], &[]), [true, false, false]);
    assert_eq!(made(&["-ftz=true"], &[]), [false, true, false]);
    assert_eq!(made(&[], &["-ftz=1"]), [false, true, false]);
    assert_eq!(made(&["-use_fast_math"], &["-ftz=0"]), [false, false, true]);
}

/// Bytes and names.
type Inputs<'a> = &'a [(&'a [u8], &'a CStr)];

#[test]
fn what_is_wrong_with_lto_ir_is_told() {
    let (kernel, triple) = (
        by_nvrtc(KERNEL, &["-arch=compute_90"]),
        by_nvrtc(TRIPLE, &["-arch=compute_90"]),
    );
    let other = by_nvrtc(TRIPLE, &["-arch=compute_90", "-ftz=true"]);
    // At once.
    let half = &kernel[..kernel.len() / 2];
    let damaged = linker(&["-arch=sm_90", "-lto"]);
    assert_eq!(add(damaged, LTO_IR, half, c"half"), 12);
    assert!(errors(damaged).starts_with("error   : half: "), "{}", errors(damaged));
    end(damaged);
    let plain = linker(&["-arch=sm_90"]);
    assert_eq!(add(plain, ANY, &kernel, c"k"), 18);
    assert_eq!(
        errors(plain),
        "ERROR 1: LTO-IR input cannot be used without LTO enabled (-lto)\n"
    );
    end(plain);
    let older = linker(&["-arch=sm_80", "-lto"]);
    assert_eq!(add(older, LTO_IR, &kernel, c"k"), 13);
    assert_eq!(
        errors(older),
        "ERROR k is LTO-IR for sm_90, which does not run on sm_80\n"
    );
    end(older);
    // By the link.
    let arithmetic = "error   : k and b were compiled with different options of arithmetic (-ftz, -prec-div, -prec-sqrt, -fmad, -use_fast_math), \
                      which Warpsmith's nvJitLink does not link\n";
    let table: [(Inputs<'_>, c_int, &str); 3] = [
        (
            &[(&kernel, c"k")],
            4,
            "ptxas application ptx input, line 6; error   : Unresolved extern function 'triple', which 'k' names: no file is linked to this one (-c makes one that is linked later)\n\
             ptxas fatal   : Ptx assembly aborted due to errors\nERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (ltoPtx)\n",
        ),
        (
            &[(&triple, c"a"), (&triple, c"b")],
            5,
            "error   : b: symbol @triple: two modules define this function\n",
        ),
        (&[(&kernel, c"k"), (&other, c"b")], 5, arithmetic),
    ];
    for (inputs, code, said) in table {
        let linker = linker(&["-arch=sm_90", "-lto"]);
        for (bytes, name) in inputs {
            assert_eq!(add(linker, LTO_IR, bytes, name), 0);
        }
        assert_eq!((nvJitLinkComplete(linker), errors(linker).as_str()), (code, said));
        end(linker);
    }
}

/// The code of a handle that is none, or a pointer that is null: 10.
#[test]
fn handles_and_pointers_that_are_none() {
    let mut size = 0;
    for none in [0, 64, 12345] {
        let to = ptr::from_mut(&mut size).cast::<c_char>();
        let codes = [
            add(none, PTX, TRIPLE_PTX.as_bytes(), c"x"),
            nvJitLinkAddFile(none, PTX, c"x".as_ptr()),
            nvJitLinkComplete(none),
            nvJitLinkGetLinkedCubinSize(none, &mut 0),
            nvJitLinkGetLinkedCubin(none, to.cast()),
            nvJitLinkGetLinkedPtxSize(none, &mut 0),
            nvJitLinkGetLinkedPtx(none, to),
            nvJitLinkGetErrorLogSize(none, &mut 0),
            nvJitLinkGetErrorLog(none, to),
            nvJitLinkGetInfoLogSize(none, &mut 0),
            nvJitLinkGetInfoLog(none, to),
        ];
        assert_eq!(codes, [10; 11]);
    }
    assert_eq!(nvJitLinkDestroy(ptr::null_mut()), 10);
    assert_eq!(nvJitLinkCreate(ptr::null_mut(), 0, ptr::null()), 10);
    let mut linker = 0;
    assert_eq!(nvJitLinkCreate(&mut linker, 1, ptr::null()), 10);
    let linker = self::linker(&["-arch=sm_90"]);
    assert_eq!(nvJitLinkAddData(linker, PTX, ptr::null(), 4, c"x".as_ptr()), 10);
    assert_eq!(nvJitLinkAddFile(linker, PTX, ptr::null()), 10);
    // A name may be null.
    assert_eq!(
        nvJitLinkAddData(linker, PTX, TRIPLE_PTX.as_ptr().cast(), TRIPLE_PTX.len(), ptr::null()),
        0
    );
    assert_eq!(nvJitLinkComplete(linker), 0);
    assert_eq!(nvJitLinkGetLinkedCubinSize(linker, ptr::null_mut()), 10);
    assert_eq!(nvJitLinkGetLinkedCubin(linker, ptr::null_mut()), 10);
    assert_eq!(nvJitLinkGetErrorLogSize(linker, ptr::null_mut()), 10);
    assert_eq!(nvJitLinkGetErrorLog(linker, ptr::null_mut()), 10);
    end(linker);
}
