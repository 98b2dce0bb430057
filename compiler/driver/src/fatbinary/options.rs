//! fatbinary's options.

use crate::vendor::{Argument, OptionRow};

const BOOLEAN: Argument = Argument::Keyword(&["true", "false"]);
const MODES: Argument = Argument::Keyword(&["default", "size", "speed", "balance", "none"]);

/// The options of fatbinary 13.0, by long name.
#[rustfmt::skip]
pub(super) const OPTIONS: &[OptionRow] = &[
    OptionRow { long: "32",              short: "32",            argument: Argument::None,         help: "Refused: code of 32 bits." },
    OptionRow { long: "64",              short: "64",            argument: Argument::None,         help: "Code of 64 bits; there is no other." },
    OptionRow { long: "cicc-cmdline",    short: "cicc-cmdline",  argument: Argument::Text,         help: "No effect: the options that made the PTX." },
    OptionRow { long: "cmdline",         short: "cmdline",       argument: Argument::Text,         help: "The options that ptxas is to have for the PTX." },
    OptionRow { long: "compress",        short: "compress",      argument: BOOLEAN,                help: "Compress PTX and images for debuggers; true without it." },
    OptionRow { long: "compress-all",    short: "compress-all",  argument: Argument::None,         help: "Compress all images." },
    OptionRow { long: "compress-mode",   short: "compress-mode", argument: MODES,                  help: "How to compress: speed is LZ4, none nothing, the others Zstandard; size compresses all images." },
    OptionRow { long: "create",          short: "create",        argument: Argument::Text,         help: "The fatbin to make." },
    OptionRow { long: "debug",           short: "g",             argument: Argument::None,         help: "The images are for a debugger." },
    OptionRow { long: "device-c",        short: "c",             argument: Argument::None,         help: "The images are relocatable." },
    OptionRow { long: "embedded-fatbin", short: "fatbin",        argument: Argument::Text,         help: "C source to make, which embeds the fatbin." },
    OptionRow { long: "help",            short: "h",             argument: Argument::None,         help: "Print this text." },
    OptionRow { long: "ident",           short: "ident",         argument: Argument::Text,         help: "A name for the images." },
    OptionRow { long: "image2",          short: "image2",        argument: Argument::TextList,     help: "Refused: host objects and libraries." },
    OptionRow { long: "image3",          short: "image3",        argument: Argument::TextList,     help: "An image: kind=elf|ptx,sm=NN,file=NAME; may be repeated." },
    OptionRow { long: "link",            short: "link",          argument: Argument::None,         help: "The images are linked." },
    OptionRow { long: "no-asm",          short: "no-asm",        argument: Argument::None,         help: "Embed as an array and not as assembly." },
    OptionRow { long: "options-file",    short: "optf",          argument: Argument::OptionsFiles, help: "Read options from files." },
    OptionRow { long: "version",         short: "V",             argument: Argument::None,         help: "Print the version." },
];
