//! The options of `warpsmith FILE.cu …` and of the nvcc face: nvcc's, with our own beside them.

use crate::vendor::{Argument, OptionRow};

const BOOLEAN: Argument = Argument::Keyword(&["true", "false"]);

/// The options, by long name. Those of nvcc 13.0 that concern the device side, and ours (`dump-…`, `time-…`, `phase`, `fuel`, `verify`).
#[rustfmt::skip]
pub(crate) const OPTIONS: &[OptionRow] = &[
    OptionRow { long: "compile",                  short: "c",              argument: Argument::None,         help: "Refused: an object of the host." },
    OptionRow { long: "cubin",               short: "cubin",         argument: Argument::None,         help: "Compile to machine code; the default." },
    OptionRow { long: "cuda-path",           short: "cuda-path",     argument: Argument::Text,         help: "Use the headers of this CUDA toolkit and of the host's C++ library in place of the built-in ones." },
    OptionRow { long: "define-macro",        short: "D",             argument: Argument::TextList,     help: "Define a macro: NAME or NAME=TEXT." },
    OptionRow { long: "device-c",                 short: "dc",             argument: Argument::None,         help: "Refused: relocatable device code." },
    OptionRow { long: "diag-error",          short: "diag-error",    argument: Argument::TextList,     help: "Warnings that are errors, by number." },
    OptionRow { long: "diag-suppress",       short: "diag-suppress", argument: Argument::TextList,     help: "Warnings that are not given, by number." },
    OptionRow { long: "diag-warn",           short: "diag-warn",     argument: Argument::TextList,     help: "Warnings that are given, by number: no effect, all are." },
    OptionRow { long: "disable-warnings",    short: "w",             argument: Argument::None,         help: "No warnings." },
    OptionRow { long: "Werror",              short: "Werror",        argument: Argument::TextList,     help: "Warnings that are errors: all-warnings, cross-execution-space-call, deprecated-declarations." },
    OptionRow { long: "device-debug",        short: "G",             argument: Argument::None,         help: "No optimisation, and places for a debugger." },

    OptionRow { long: "dump-hir",            short: "dump-hir",      argument: Argument::None,         help: "Print the typed program." },
    OptionRow { long: "dump-ir",             short: "dump-ir",       argument: Argument::Text,         help: "Print the SSA IR: `front` as the front end makes it, `opt` after optimisation, or after a pass by its name." },
    OptionRow { long: "expt-extended-lambda", short: "expt-extended-lambda", argument: Argument::None, help: "As -extended-lambda." },
    OptionRow { long: "expt-relaxed-constexpr", short: "expt-relaxed-constexpr", argument: Argument::None, help: "No effect: constexpr functions are always callable from device code." },
    OptionRow { long: "extended-lambda",     short: "extended-lambda", argument: Argument::None,       help: "No effect: lambdas in device code need no option." },
    OptionRow { long: "fatbin",                   short: "fatbin",         argument: Argument::None,         help: "Compile to one file with an image for each target, machine code or PTX." },
    OptionRow { long: "fdevice-time-trace",  short: "fdevice-time-trace", argument: Argument::Text,    help: "Write how long each step, pass and phase took, for chrome://tracing." },
    OptionRow { long: "fmad",                short: "fmad",          argument: BOOLEAN,                help: "Contract multiplies and adds; true without it." },
    OptionRow { long: "ftz",                 short: "ftz",           argument: BOOLEAN,                help: "Flush single-precision denormals to zero." },
    OptionRow { long: "generate-code",       short: "gencode",       argument: Argument::TextList,     help: "A target: arch=compute_90,code=sm_90; may be repeated." },
    OptionRow { long: "generate-line-info",  short: "lineinfo",      argument: Argument::None,         help: "Record the source line of each instruction." },
    OptionRow { long: "gpu-architecture",    short: "arch",          argument: Argument::TextList,     help: "Targets: sm_NN, with commas between; sm_75 without it." },
    OptionRow { long: "gpu-code",            short: "code",          argument: Argument::TextList,     help: "With -arch: the images of a fatbin, sm_NN or compute_NN." },
    OptionRow { long: "help",                short: "h",             argument: Argument::None,         help: "Print this text." },
    OptionRow { long: "include-path",        short: "I",             argument: Argument::TextList,     help: "A folder to look for headers in." },
    OptionRow { long: "keep",                short: "keep",          argument: Argument::None,         help: "Keep the PTX beside the cubin." },
    OptionRow { long: "machine",             short: "m",             argument: Argument::Keyword(&["64"]), help: "Width of the host's addresses." },
    OptionRow { long: "maxrregcount",        short: "maxrregcount",  argument: Argument::Unsigned64,   help: "The most registers that a thread may have." },
    OptionRow { long: "optimize",            short: "O",             argument: Argument::Unsigned64,   help: "Optimisation level, 0 to 3." },
    OptionRow { long: "output-file",         short: "o",             argument: Argument::Text,         help: "The output; without it the input's name with another suffix." },
    OptionRow { long: "pass",                short: "pass",          argument: Argument::TextList,     help: "Switch a pass of the SSA optimiser off: NAME:off." },
    OptionRow { long: "prec-div",            short: "prec-div",      argument: BOOLEAN,                help: "IEEE single-precision division and reciprocal; true without it." },
    OptionRow { long: "prec-sqrt",           short: "prec-sqrt",     argument: BOOLEAN,                help: "IEEE single-precision square root; true without it." },
    OptionRow { long: "pre-include",         short: "include",       argument: Argument::TextList,     help: "Include a file before the input." },
    OptionRow { long: "preprocess",          short: "E",             argument: Argument::None,         help: "Preprocess only." },
    OptionRow { long: "print-config",        short: "print-config",  argument: Argument::None,         help: "Print the options that each compile would have, and make nothing." },
    OptionRow { long: "ptx",                 short: "ptx",           argument: Argument::None,         help: "Compile to PTX." },
    OptionRow { long: "resource-usage",      short: "res-usage",     argument: Argument::None,         help: "Print what each kernel takes." },
    OptionRow { long: "sass",                short: "S",             argument: Argument::None,         help: "Compile to a listing of the machine code." },
    OptionRow { long: "std",                 short: "std",           argument: Argument::Keyword(&["c++11", "c++14", "c++17", "c++20"]), help: "The language; c++17 without it." },
    OptionRow { long: "system-include",      short: "isystem",       argument: Argument::TextList,     help: "A folder to look for headers in, after the others." },
    OptionRow { long: "time-phases",         short: "time-phases",   argument: Argument::None,         help: "Print how long each step took." },
    OptionRow { long: "undefine-macro",      short: "U",             argument: Argument::TextList,     help: "Remove the definition of a macro." },
    OptionRow { long: "use_fast_math",       short: "use_fast_math", argument: Argument::None,         help: "-ftz=true -prec-div=false -prec-sqrt=false, and approximations in place of the functions." },
    OptionRow { long: "verbose",             short: "v",             argument: Argument::None,         help: "Print what each kernel takes." },
    OptionRow { long: "verify",              short: "verify",        argument: Argument::None,         help: "Check every IR after every pass." },
    OptionRow { long: "version",             short: "V",             argument: Argument::None,         help: "Print the version." },
];
