//! ptxas' options.

use crate::vendor::{Argument, OptionRow};

/// What `-arch` takes. Observed: ptxas 13.0.88 takes `sm_`, `compute_` and `lto_` with each of these.
#[rustfmt::skip]
pub(crate) const ARCHITECTURES: &[&str] = &[
    "75", "80", "86", "87", "88", "89", "90", "90a", "100", "100a", "100f", "103", "103a", "103f",
    "110", "110a", "110f", "120", "120a", "120f", "121", "121a", "121f",
];

const BOOLEAN: Argument = Argument::Keyword(&["true", "false"]);
const CACHE: Argument = Argument::Text;

/// The options of ptxas 13.0.88, by long name, with the undocumented ones that clients pass.
#[rustfmt::skip]
pub(crate) const OPTIONS: &[OptionRow] = &[
    OptionRow { long: "Ofast-compile",                  short: "Ofc",                            argument: Argument::Keyword(&["0", "min", "mid", "max"]), help: "Compile faster, to slower code." },
    OptionRow { long: "allow-expensive-optimizations",  short: "allow-expensive-optimizations",  argument: BOOLEAN,                help: "Take all the time and memory that optimisation can use." },
    OptionRow { long: "compile-as-tools-patch",         short: "astoolspatch",                   argument: Argument::None,         help: "Compile patch code for tools." },
    OptionRow { long: "compile-only",                   short: "c",                              argument: Argument::None,         help: "Generate a relocatable object." },
    OptionRow { long: "compiler-annotations",           short: "annotate",                       argument: Argument::None,         help: "Add annotations to the output." },
    OptionRow { long: "def-load-cache",                 short: "dlcm",                           argument: CACHE,                  help: "Default cache operation of generic and global loads." },
    OptionRow { long: "def-store-cache",                short: "dscm",                           argument: CACHE,                  help: "Default cache operation of generic and global stores." },
    OptionRow { long: "device-debug",                   short: "g",                              argument: Argument::None,         help: "Generate debug information." },
    OptionRow { long: "device-function-maxrregcount",   short: "func-maxrregcount",              argument: Argument::Text,         help: "Most registers of device functions, with -c." },
    OptionRow { long: "device-stack-protector",         short: "device-stack-protector",         argument: BOOLEAN,                help: "Stack canaries." },
    OptionRow { long: "disable-optimizer-constants",    short: "disable-optimizer-consts",       argument: Argument::None,         help: "No constant bank for the optimiser's own." },
    OptionRow { long: "disable-warnings",               short: "w",                              argument: Argument::None,         help: "No warnings." },
    OptionRow { long: "dont-merge-basicblocks",         short: "no-bb-merge",                    argument: Argument::None,         help: "Keep basic blocks apart." },
    OptionRow { long: "entry",                          short: "e",                              argument: Argument::TextList,     help: "Kernels to compile." },
    OptionRow { long: "extensible-whole-program",       short: "ewp",                            argument: Argument::None,         help: "Extensible whole program mode." },
    OptionRow { long: "fmad",                           short: "fmad",                           argument: BOOLEAN,                help: "Contract multiplies and adds." },
    OptionRow { long: "force-load-cache",               short: "flcm",                           argument: CACHE,                  help: "Cache operation of all generic and global loads." },
    OptionRow { long: "force-store-cache",              short: "fscm",                           argument: CACHE,                  help: "Cache operation of all generic and global stores." },
    OptionRow { long: "g-tensor-memory-access-check",   short: "g-tmem-access-check",            argument: Argument::None,         help: "Check accesses to tensor memory." },
    OptionRow { long: "generate-line-info",             short: "lineinfo",                       argument: Argument::None,         help: "Generate line information." },
    OptionRow { long: "gno-tensor-memory-access-check", short: "gno-tmem-access-check",          argument: Argument::None,         help: "Do not check accesses to tensor memory." },
    OptionRow { long: "gpu-name",                       short: "arch",                           argument: Argument::Architecture(ARCHITECTURES), help: "Target: sm_NN; compute_NN to check only. sm_75 without it." },
    OptionRow { long: "help",                           short: "h",                              argument: Argument::None,         help: "Print this text." },
    OptionRow { long: "input-as-string",                short: "ias",                            argument: Argument::Text,         help: "PTX text in place of a file." },
    OptionRow { long: "legacy-bar-warp-wide-behavior",  short: "legacy-bar-warp-wide-behavior",  argument: Argument::None,         help: "No effect on the targets there are." },
    OptionRow { long: "list-version",                   short: "version-ls",                     argument: Argument::None,         help: "Print the versions of PTX that are read." },
    OptionRow { long: "machine",                        short: "m",                              argument: Argument::Keyword(&["64"]), help: "Width of the host's addresses." },
    OptionRow { long: "make-errors-visible-at-exit",    short: "make-errors-visible-at-exit",    argument: Argument::None,         help: "Let memory faults show at exit." },
    OptionRow { long: "maxntid",                        short: "maxntid",                        argument: Argument::Integers32,   help: "Threads of a CTA, where the PTX does not say." },
    OptionRow { long: "maxrregcount",                   short: "maxrregcount",                   argument: Argument::Text,         help: "Most registers of a thread: a number, archmax or archmin." },
    OptionRow { long: "minnctapersm",                   short: "minnctapersm",                   argument: Argument::Unsigned64,   help: "Least CTAs on a multiprocessor, where the PTX does not say." },
    OptionRow { long: "opt-level",                      short: "O",                              argument: Argument::Text,         help: "Optimisation level, 0 to 3." },
    OptionRow { long: "optimize-float-atomics",         short: "opt-fp-atomics",                 argument: Argument::None,         help: "Optimise floating atomics, which may change results." },
    OptionRow { long: "options-file",                   short: "optf",                           argument: Argument::OptionsFiles, help: "Read options from files." },
    OptionRow { long: "output-file",                    short: "o",                              argument: Argument::Text,         help: "Output file; elf.o without it." },
    OptionRow { long: "override-directive-values",      short: "override-directive-values",      argument: Argument::None,         help: "-minnctapersm, -maxntid and -maxrregcount win over the PTX." },
    OptionRow { long: "position-independent-code",      short: "pic",                            argument: BOOLEAN,                help: "Generate position-independent code." },
    OptionRow { long: "preserve-relocs",                short: "preserve-relocs",                argument: Argument::None,         help: "Keep relocations." },
    OptionRow { long: "regAllocOptLevel",               short: "regAllocOptLevel",               argument: Argument::Text,         help: "Effort of register allocation." },
    OptionRow { long: "register-usage-level",           short: "regUsageLevel",                  argument: Argument::Text,         help: "How freely optimisation uses registers, 0 to 10." },
    OptionRow { long: "return-at-end",                  short: "ret-end",                        argument: Argument::None,         help: "Keep the return at the end." },
    OptionRow { long: "sanitize",                       short: "sanitize",                       argument: Argument::Keyword(&["memcheck", "threadsteer"]), help: "Instrument for a sanitizer." },
    OptionRow { long: "sp-bounds-check",                short: "sp-bounds-check",                argument: Argument::None,         help: "Check the stack pointer." },
    OptionRow { long: "split-compile",                  short: "split-compile",                  argument: Argument::Unsigned64,   help: "Most threads." },
    OptionRow { long: "suppress-async-bulk-multicast-advisory-warning", short: "suppress-async-bulk-multicast-advisory-warning", argument: Argument::None, help: "No advice on .multicast::cluster." },
    OptionRow { long: "suppress-debug-info",            short: "suppress-debug-info",            argument: Argument::None,         help: "No debug sections." },
    OptionRow { long: "suppress-double-demote-warning", short: "suppress-double-demote-warning", argument: Argument::None,         help: "No effect on the targets there are." },
    OptionRow { long: "suppress-sparse-mma-advisory-info", short: "suppress-sparse-mma-advisory-info", argument: Argument::None,   help: "No advice on mma.sp." },
    OptionRow { long: "suppress-stack-size-warning",    short: "suppress-stack-size-warning",    argument: Argument::None,         help: "No warning where the stack size is unknown." },
    OptionRow { long: "verbose",                        short: "v",                              argument: Argument::None,         help: "Print statistics." },
    OptionRow { long: "version",                        short: "V",                              argument: Argument::None,         help: "Print the version." },
    OptionRow { long: "warn-on-double-precision-use",   short: "warn-double-usage",              argument: Argument::None,         help: "Warn of doubles." },
    OptionRow { long: "warn-on-local-memory-usage",     short: "warn-lmem-usage",                argument: Argument::None,         help: "Warn of local memory." },
    OptionRow { long: "warn-on-spills",                 short: "warn-spills",                    argument: Argument::None,         help: "Warn of spills." },
    OptionRow { long: "warning-as-error",               short: "Werror",                         argument: Argument::None,         help: "Warnings are errors." },
];
