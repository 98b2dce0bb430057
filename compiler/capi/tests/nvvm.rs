//! libNVVM's functions, called as a program calls them.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;

use warpsmith_capi::nvvm::*;

const LAYOUT: &str = "target datalayout = \"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64\"\ntarget triple = \"nvptx64-nvidia-cuda\"\n";
const VERSION: &str = "!nvvmir.version = !{!1}\n!1 = !{i32 2, i32 0}\n";
const KERNEL: &str = "!nvvm.annotations = !{!0}\n!0 = !{void (i32*)* @k, !\"kernel\", i32 1}\n";

/// A module with a kernel that stores 7.
fn seven() -> String {
    format!("{LAYOUT}define void @k(i32* %p) {{\n  store i32 7, i32* %p\n  ret void\n}}\n{KERNEL}{VERSION}")
}

/// A module with a kernel that stores what another gives.
fn caller(function: &str) -> String {
    format!(
        "{LAYOUT}declare i32 @{function}(i32)\ndefine void @k(i32* %p) {{\n  %v = call i32 @{function}(i32 3)\n  store i32 %v, i32* %p\n  ret void\n}}\n{KERNEL}{VERSION}"
    )
}

fn callee() -> String {
    format!(
        "{LAYOUT}define i32 @f(i32 %x) {{\n  %v = mul i32 %x, 100\n  ret i32 %v\n}}\ndefine i32 @unused(i32 %x) {{\n  ret i32 %x\n}}\n{VERSION}"
    )
}

/// A module's name, its bytes, and whether it is added lazily.
type Given<'a> = (&'a CStr, &'a [u8], bool);

/// A program of modules.
fn program(modules: &[Given<'_>]) -> nvvmProgram {
    let mut program = 0;
    assert_eq!(nvvmCreateProgram(&mut program), 0);
    for (name, bytes, lazy) in modules {
        let add = if *lazy {
            nvvmLazyAddModuleToProgram
        } else {
            nvvmAddModuleToProgram
        };
        assert_eq!(add(program, bytes.as_ptr().cast(), bytes.len(), name.as_ptr()), 0);
    }
    program
}

type Call = extern "C" fn(nvvmProgram, c_int, *const *const c_char) -> c_int;

fn call(call: Call, program: nvvmProgram, options: &[&str]) -> c_int {
    let texts: Vec<CString> = options.iter().map(|option| CString::new(*option).unwrap()).collect();
    let pointers: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
    call(program, pointers.len() as c_int, pointers.as_ptr())
}

type Size = extern "C" fn(nvvmProgram, *mut usize) -> c_int;
type Text = extern "C" fn(nvvmProgram, *mut c_char) -> c_int;

fn text(program: nvvmProgram, size: Size, read: Text) -> String {
    let mut length = 0;
    assert_eq!(size(program, &mut length), 0);
    let mut bytes = vec![b'#'; length];
    assert_eq!(read(program, bytes.as_mut_ptr().cast()), 0);
    assert_eq!(bytes.pop(), Some(0), "a zero closes it");
    String::from_utf8(bytes).unwrap()
}

fn log(program: nvvmProgram) -> String {
    text(program, nvvmGetProgramLogSize, nvvmGetProgramLog)
}

fn ptx(program: nvvmProgram) -> String {
    text(program, nvvmGetCompiledResultSize, nvvmGetCompiledResult)
}

fn end(mut program: nvvmProgram) {
    assert_eq!(nvvmDestroyProgram(&mut program), 0);
    assert_eq!(program, 0);
    assert_eq!(nvvmDestroyProgram(&mut program), 5);
}

/// Observed, libNVVM 13.5. Numba looks for these words.
#[test]
fn a_kernel_that_is_not_to_be_inlined_is_warned_of() {
    let text = seven().replace("%p) {", "%p) noinline {");
    let program = program(&[(c"a.ll", text.as_bytes(), false)]);
    assert_eq!(call(nvvmCompileProgram, program, &[]), 0);
    let warning = "(): Warning: Function k is a kernel, so overriding noinline attribute. The function may be inlined when called.\n";
    assert_eq!(log(program), warning);
}

#[test]
fn a_module_becomes_ptx() {
    let module = seven();
    let program = program(&[(c"a.ll", module.as_bytes(), false)]);
    assert_eq!((log(program), ptx(program)), (String::new(), String::new()));
    assert_eq!(call(nvvmVerifyProgram, program, &["-arch=compute_90"]), 0);
    assert_eq!(call(nvvmCompileProgram, program, &["-arch=compute_90", "-opt=3"]), 0);
    assert_eq!(log(program), "");
    let text = ptx(program);
    assert!(
        text.contains(".target sm_90\n") && text.contains(".visible .entry k("),
        "{text}"
    );
    assert_eq!(call(nvvmCompileProgram, program, &[]), 0);
    assert!(ptx(program).contains(".target sm_75\n"), "the default");
    end(program);
}

/// Observed, libNVVM 13.0, whatever `-fma` says.
#[test]
fn products_and_sums_stay_apart_without_optimisation() {
    let module = format!(
        "{LAYOUT}define double @f(double %a, double %b) {{\n  %m = fmul double %a, %b\n  %s = fadd double %m, %a\n  ret double %s\n}}\n{VERSION}"
    );
    for (level, is_one) in [("-opt=3", true), ("-opt=0", false)] {
        let program = program(&[(c"a.ll", module.as_bytes(), false)]);
        assert_eq!(
            call(nvvmCompileProgram, program, &["-arch=compute_90", "-fma=1", level]),
            0
        );
        assert_eq!(ptx(program).contains("fma.rn.f64"), is_one, "{level}");
        end(program);
    }
}

/// Of a module that is added lazily, only what others need is there.
#[test]
fn modules_are_linked() {
    let (one, two) = (caller("f"), callee());
    for lazy in [false, true] {
        // In either order.
        let a: Given<'_> = (c"a.ll", one.as_bytes(), false);
        let b: Given<'_> = (c"b.ll", two.as_bytes(), lazy);
        for modules in [[a, b], [b, a]] {
            let program = program(&modules);
            assert_eq!(call(nvvmCompileProgram, program, &[]), 0, "{}", log(program));
            let text = ptx(program);
            assert!(text.contains("300"), "{text}");
            assert_eq!(text.contains("unused"), !lazy, "{text}");
            end(program);
        }
    }
}

/// Observed, libNVVM 13.0, but for the words about what is wrong with a module.
#[test]
fn what_is_wrong_with_modules_and_options() {
    let good = seven();
    #[rustfmt::skip]
    let options: [(&[&str], c_int, &str); 8] = [
        (&["-bogus"], 7, "libnvvm : error: -bogus is an unsupported option"),
        (&["-arch=sm_90"], 7, "libnvvm : error: -arch=sm_90 is an unsupported option"),
        (&["-arch=compute_99"], 7, "libnvvm : error: -arch=compute_99 is an unsupported option"),
        (&["-ftz=2"], 7, "libnvvm : error: -ftz=2 is an unsupported option"),
        (&["foo"], 7, "libnvvm : error: foo is an unsupported option"),
        (&["-gen-lto=1"], 7, "libnvvm : error: -gen-lto=1 is an unsupported option"),
        (&["-ftz=1", "-prec-sqrt=0", "-prec-div=0", "-fma=0", "-jump-table-density=50"], 0, ""),
        (&["-opt=0", "-arch=compute_121a"], 0, ""),
    ];
    for (options, code, said) in options {
        let program = program(&[(c"a.ll", good.as_bytes(), false)]);
        for function in [nvvmVerifyProgram as Call, nvvmCompileProgram as Call] {
            assert_eq!(call(function, program, options), code, "{options:?}");
            assert_eq!(log(program), said);
        }
        assert_eq!(ptx(program).is_empty(), code != 0);
        end(program);
    }
    let old = good.replace("i32 2, i32 0", "i32 9, i32 0");
    let unversioned = good.replace("!nvvmir.version = !{!1}\n", "");
    #[rustfmt::skip]
    let modules: [(&str, c_int, c_int, &str); 6] = [
        ("hello world", 6, 9, "a.ll (1, 0): parse expected top-level entity"),
        (&good.replace("ret void", "frob"), 6, 9, "a.ll (5, 2): parse expected instruction opcode"),
        (&good.replace("i32 7", "i32 %y"), 6, 9, "a.ll (4, 12): parse use of undefined value '%y'"),
        (&good.replace("i32* %p\n", "i32* %q\n"), 6, 9, "a.ll (4, 20): parse "),
        (&old, 3, 3, "IR version 9.0 incompatible with current version 2.0\n"),
        (&unversioned, 3, 3, "IR version 1.0 incompatible with current version 2.0\n"),
    ];
    for (module, verified, compiled, said) in modules {
        let program = program(&[(c"a.ll", module.as_bytes(), false)]);
        assert_eq!(call(nvvmVerifyProgram, program, &[]), verified, "{}", log(program));
        assert!(log(program).starts_with(said), "{}", log(program));
        assert_eq!(call(nvvmCompileProgram, program, &[]), compiled);
        assert!(log(program).starts_with(said), "{}", log(program));
        end(program);
    }
    let (one, two) = (callee(), callee());
    let program_ = program(&[(c"a.ll", one.as_bytes(), false), (c"b.ll", two.as_bytes(), false)]);
    assert_eq!(call(nvvmCompileProgram, program_, &[]), 9);
    assert!(
        log(program_).starts_with("b.ll: link error: error: "),
        "{}",
        log(program_)
    );
    end(program_);
    let nothing = program(&[]);
    assert_eq!(call(nvvmVerifyProgram, nothing, &[]), 8);
    assert_eq!(call(nvvmCompileProgram, nothing, &[]), 8);
    end(nothing);
    let lazy = program(&[(c"a.ll", good.as_bytes(), true)]);
    assert_eq!(call(nvvmCompileProgram, lazy, &[]), 8);
    end(lazy);
}

/// A library as bitcode of LLVM 14: `elsewhere`, which calls `helper`, and `unused`.
const LIBRARY: &[u8] = include_bytes!("../../bitcode/tests/samples/library.14.bc");

/// Observed, libNVVM 13.5: what a lazy module defines becomes the program's own.
#[test]
fn bitcode_is_read_and_lazy_modules_give_what_is_needed() {
    let kernel = caller("elsewhere");
    let all = program(&[(c"k.ll", kernel.as_bytes(), false), (c"lib.bc", LIBRARY, false)]);
    assert_eq!(call(nvvmVerifyProgram, all, &[]), 0, "{}", log(all));
    assert_eq!(call(nvvmCompileProgram, all, &[]), 0, "{}", log(all));
    let made = ptx(all);
    end(all);
    assert!(made.contains(".visible .func") && made.contains("unused"), "{made}");
    let lazy = program(&[(c"k.ll", kernel.as_bytes(), false), (c"lib.bc", LIBRARY, true)]);
    assert_eq!(call(nvvmCompileProgram, lazy, &[]), 0, "{}", log(lazy));
    let made = ptx(lazy);
    end(lazy);
    assert!(made.contains("elsewhere") && !made.contains(".visible .func"), "{made}");
    assert!(!made.contains("unused"), "{made}");
    // What a library of Warpsmith's own defines, too, is taken from the module that was given.
    let known = program(&[
        (c"k.ll", caller("__nv_popc").as_bytes(), false),
        (c"lib.bc", LIBRARY, true),
    ]);
    assert_eq!(call(nvvmCompileProgram, known, &[]), 0, "{}", log(known));
    end(known);
}

#[test]
fn damaged_bitcode_says_where() {
    let damaged = program(&[(c"lib.bc", &LIBRARY[..100], false)]);
    assert_eq!(call(nvvmVerifyProgram, damaged, &[]), 6);
    assert_eq!(call(nvvmCompileProgram, damaged, &[]), 9);
    assert!(
        log(damaged).starts_with("lib.bc: error: block 8 has "),
        "{}",
        log(damaged)
    );
    end(damaged);
}

/// Observed, libNVVM 13.5.
#[test]
fn the_llvm_of_an_architecture() {
    let version = |arch: &CStr| {
        let mut major = 0;
        (nvvmLLVMVersion(arch.as_ptr(), &mut major), major)
    };
    assert_eq!(version(c"compute_75"), (0, 7));
    assert_eq!(version(c"compute_90a"), (0, 7));
    assert_eq!(version(c"compute_100a"), (0, 22));
    for wrong in [c"compute_70", c"compute_75a", c"sm_90", c""] {
        assert_eq!(version(wrong), (4, 0), "{wrong:?}");
    }
    assert_eq!(nvvmLLVMVersion(ptr::null(), ptr::null_mut()), 4);
    assert_eq!(nvvmLLVMVersion(c"compute_90".as_ptr(), ptr::null_mut()), 0);
}

/// Observed, libNVVM 13.5: there is no option for them.
#[test]
fn lines_are_those_of_the_module() {
    let debug = "!llvm.dbg.cu = !{!2}\n!llvm.module.flags = !{!3}\n!2 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !4, emissionKind: DebugDirectivesOnly)\n\
                 !3 = !{i32 2, !\"Debug Info Version\", i32 3}\n!4 = !DIFile(filename: \"k.py\", directory: \"/src\")\n\
                 !5 = distinct !DISubprogram(name: \"k\", file: !4, line: 4, unit: !2, isDefinition: true)\n!6 = !DILocation(line: 7, column: 1, scope: !5)\n";
    let with = seven()
        .replace("@k(i32* %p) {", "@k(i32* %p) !dbg !5 {")
        .replace("i32* %p\n", "i32* %p, !dbg !6\n");
    let with = format!("{with}{debug}");
    for (module, has_lines) in [(with, true), (seven(), false)] {
        let program = program(&[(c"m", module.as_bytes(), false)]);
        assert_eq!(
            call(nvvmCompileProgram, program, &["-arch=compute_90"]),
            0,
            "{}",
            log(program)
        );
        let ptx = ptx(program);
        assert_eq!(ptx.contains(".loc 1 7 1\n"), has_lines, "{ptx}");
        end(program);
    }
}

/// Observed, libNVVM 13.5.
#[test]
fn other_triples_are_compiled_and_not_verified() {
    let module = seven().replace("nvptx64-nvidia-cuda", "x86_64-pc-linux");
    let program = program(&[(c"k.ll", module.as_bytes(), false)]);
    assert_eq!(call(nvvmCompileProgram, program, &[]), 0, "{}", log(program));
    assert_eq!(call(nvvmVerifyProgram, program, &[]), 6);
    assert_eq!(
        log(program),
        "error: Error: Invalid target triple (x86_64-pc-linux), must be one of:\nError: 32-bit: nvptx-*-cuda\n\
         Error: 64-bit: nvptx64-*-cuda\nError: nvgpu-*-cuda\n\n"
    );
    end(program);
}

/// Observed, libNVVM 13.5.
#[test]
fn a_module_says_its_triple_and_its_layout() {
    let (layout, triple) = LAYOUT.split_once('\n').unwrap();
    for (head, said) in [
        (
            layout,
            "k.ll: error: Module does not contain a triple, should be 'nvptx64-'",
        ),
        (triple, "DataLayoutError: Data Layout string is empty"),
    ] {
        let module = format!("{head}\ndefine void @f() {{\n  ret void\n}}\n{VERSION}");
        let program = program(&[(c"k.ll", module.as_bytes(), false)]);
        assert_eq!(call(nvvmVerifyProgram, program, &[]), 6);
        assert_eq!(call(nvvmCompileProgram, program, &[]), 9);
        assert_eq!(log(program), said);
        end(program);
    }
}

/// Observed, libNVVM 13.0, but for what ends the process there.
#[test]
fn wrong_calls_have_the_codes_of_the_vendor() {
    let (mut size, mut buffer) = (0, [0 as c_char; 16]);
    let module = c"x".as_ptr();
    let freed = program(&[]);
    end(freed);
    assert_eq!(nvvmCreateProgram(ptr::null_mut()), 5);
    assert_eq!(nvvmDestroyProgram(ptr::null_mut()), 5);
    for mut wrong in [0, 1, 0xdead_beef, freed] {
        assert_eq!(nvvmAddModuleToProgram(wrong, module, 1, ptr::null()), 5);
        assert_eq!(nvvmLazyAddModuleToProgram(wrong, module, 1, ptr::null()), 5);
        assert_eq!(call(nvvmVerifyProgram, wrong, &[]), 5);
        assert_eq!(call(nvvmCompileProgram, wrong, &[]), 5);
        assert_eq!(nvvmGetCompiledResultSize(wrong, &mut size), 5);
        assert_eq!(nvvmGetCompiledResult(wrong, buffer.as_mut_ptr()), 5);
        assert_eq!(nvvmGetProgramLogSize(wrong, &mut size), 5);
        assert_eq!(nvvmGetProgramLog(wrong, buffer.as_mut_ptr()), 5);
        assert_eq!(nvvmDestroyProgram(&mut wrong), 5);
    }
    let program = program(&[]);
    assert_eq!(nvvmAddModuleToProgram(program, ptr::null(), 4, ptr::null()), 4);
    assert_eq!(nvvmCompileProgram(program, 1, ptr::null()), 4);
    assert_eq!(nvvmCompileProgram(program, -1, ptr::null()), 4);
    assert_eq!(nvvmGetCompiledResultSize(program, ptr::null_mut()), 4);
    assert_eq!(nvvmGetProgramLog(program, ptr::null_mut()), 4);
    assert_eq!(nvvmVersion(ptr::null_mut(), ptr::null_mut()), 4);
    end(program);
}

/// A text of the library.
#[allow(unsafe_code)]
fn copied(text: *const c_char) -> String {
    // SAFETY: the library's promise: a text that ends with a zero, and lives.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned()
}

#[test]
fn what_the_library_is() {
    let mut numbers = [0; 4];
    let [a, b, c, d] = &mut numbers;
    assert_eq!(nvvmIRVersion(a, b, c, d), 0);
    assert_eq!(numbers, [2, 0, 3, 2]);
    let (mut major, mut minor) = (0, 0);
    assert_eq!(nvvmVersion(&mut major, &mut minor), 0);
    assert_eq!((major, minor), (2, 0));
    assert_eq!(copied(nvvmGetErrorString(3)), "NVVM_ERROR_IR_VERSION_MISMATCH");
    assert_eq!(copied(nvvmGetErrorString(10)), "NVVM_ERROR not found");
}

#[test]
fn threads_share_one_program() {
    let module = seven();
    let shared = program(&[(c"a.ll", module.as_bytes(), false)]);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(call(nvvmCompileProgram, shared, &["-arch=compute_90"]), 0);
                    assert!(ptx(shared).contains(".entry k("));
                }
            });
        }
    });
    end(shared);
}
