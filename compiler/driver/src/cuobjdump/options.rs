//! cuobjdump's options.

use crate::vendor::{Argument, OptionRow};

/// The options of cuobjdump 13.0, by long name.
#[rustfmt::skip]
pub(super) const OPTIONS: &[OptionRow] = &[
    OptionRow { long: "all-fatbin",          short: "all",       argument: Argument::None,         help: "Relocatable fatbins, too." },
    OptionRow { long: "dump-elf",            short: "elf",       argument: Argument::None,         help: "Refused: a dump of ELF sections (`warpsmith disasm` has them)." },
    OptionRow { long: "dump-elf-symbols",    short: "symbols",   argument: Argument::None,         help: "Refused: the symbols (`warpsmith disasm` has them)." },
    OptionRow { long: "dump-ptx",            short: "ptx",       argument: Argument::None,         help: "Print the PTX." },
    OptionRow { long: "dump-resource-usage", short: "res-usage", argument: Argument::None,         help: "Print what each function takes." },
    OptionRow { long: "dump-sass",           short: "sass",      argument: Argument::None,         help: "Print the machine code." },
    OptionRow { long: "extract-elf",         short: "xelf",      argument: Argument::TextList,     help: "Write cubins whose name contains a text, or `all`, to files." },
    OptionRow { long: "extract-ptx",         short: "xptx",      argument: Argument::TextList,     help: "Write PTX whose name contains a text, or `all`, to files." },
    OptionRow { long: "extract-text",        short: "xtext",     argument: Argument::TextList,     help: "Refused: bare words of functions." },
    OptionRow { long: "function",            short: "fun",       argument: Argument::TextList,     help: "Only these functions, with -sass." },
    OptionRow { long: "function-index",      short: "findex",    argument: Argument::TextList,     help: "Refused: functions by index." },
    OptionRow { long: "gpu-architecture",    short: "arch",      argument: Argument::Architecture, help: "Only images for this target." },
    OptionRow { long: "help",                short: "h",         argument: Argument::None,         help: "Print this text." },
    OptionRow { long: "list-elf",            short: "lelf",      argument: Argument::None,         help: "List the cubins." },
    OptionRow { long: "list-ptx",            short: "lptx",      argument: Argument::None,         help: "List the PTX." },
    OptionRow { long: "list-text",           short: "ltext",     argument: Argument::Text,         help: "Refused: bare words of functions." },
    OptionRow { long: "options-file",        short: "optf",      argument: Argument::OptionsFiles, help: "Read options from files." },
    OptionRow { long: "sort-functions",      short: "sort",      argument: Argument::None,         help: "Refused: functions by name." },
    OptionRow { long: "version",             short: "V",         argument: Argument::None,         help: "Print the version." },
];

/// The options that are refused.
pub(super) const REFUSED: &[&str] = &["elf", "symbols", "xtext", "findex", "ltext", "sort"];
