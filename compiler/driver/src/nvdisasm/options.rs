//! nvdisasm's options: the table, and what a command line of them asks for.

use std::ffi::OsString;

use warpsmith_listing::{LineInfo, ListingOptions};

use crate::vendor::{Argument, OptionRow, Parsed};

/// The targets that `--binary` takes. Observed: nvdisasm 13.5 takes these, in this spelling only.
#[rustfmt::skip]
const TARGETS: &[&str] = &[
    "SM75", "SM80", "SM86", "SM87", "SM88", "SM89", "SM90", "SM90a",
    "SM100", "SM100a", "SM100f", "SM101", "SM101a", "SM101f", "SM103", "SM103a", "SM103f", "SM107", "SM107a", "SM107f",
    "SM110", "SM110a", "SM110f", "SM120", "SM120a", "SM120f", "SM121", "SM121a", "SM121f",
];

const LIFE_RANGE_MODES: &[&str] = &["count", "narrow", "wide"];

/// The options of nvdisasm 13.5, by long name.
#[rustfmt::skip]
pub(crate) const OPTIONS: &[OptionRow] = &[
    OptionRow { long: "annotate",                     short: "annotate", argument: Argument::None,                      help: "Add the compiler's annotations to the JSON. Not supported yet." },
    OptionRow { long: "base-address",                 short: "base",     argument: Argument::Unsigned64,                help: "Address of the first word, with --binary." },
    OptionRow { long: "binary",                       short: "b",        argument: Argument::Keyword(TARGETS),          help: "Take the file for bare instruction words of a target:" },
    OptionRow { long: "cuda-function-index",          short: "fun",      argument: Argument::Integers32,                help: "Of the code, show only the sections of the symbols with these indices." },
    OptionRow { long: "emit-json",                    short: "json",     argument: Argument::None,                      help: "Print JSON." },
    OptionRow { long: "help",                         short: "h",        argument: Argument::None,                      help: "Print this text." },
    OptionRow { long: "life-range-mode",              short: "lrm",      argument: Argument::Keyword(LIFE_RANGE_MODES), help: "Form of the register life ranges. Not supported yet." },
    OptionRow { long: "no-dataflow",                  short: "ndf",      argument: Argument::None,                      help: "Do not look for the targets of indirect branches." },
    OptionRow { long: "no-vliw",                      short: "novliw",   argument: Argument::None,                      help: "No effect: no target here pairs instructions." },
    OptionRow { long: "options-file",                 short: "optf",     argument: Argument::OptionsFiles,              help: "Read options from files." },
    OptionRow { long: "output-control-flow-graph",    short: "cfg",      argument: Argument::None,                      help: "Print the control-flow graph of hyperblocks in the DOT language. Not supported yet." },
    OptionRow { long: "output-control-flow-graph-with-basic-blocks", short: "bbcfg", argument: Argument::None,          help: "Print the control-flow graph of basic blocks in the DOT language." },
    OptionRow { long: "print-code",                   short: "c",        argument: Argument::None,                      help: "Show code sections only." },
    OptionRow { long: "print-instr-offsets-cfg",      short: "poff",     argument: Argument::None,                      help: "Show addresses in the control-flow graph. Not supported yet." },
    OptionRow { long: "print-instruction-encoding",   short: "hex",      argument: Argument::None,                      help: "Show the words beside the instructions." },
    OptionRow { long: "print-life-ranges",            short: "plr",      argument: Argument::None,                      help: "Show register life ranges. Not supported yet." },
    OptionRow { long: "print-line-info",              short: "g",        argument: Argument::None,                      help: "Show CUDA C++ lines, from .debug_line." },
    OptionRow { long: "print-line-info-inline",       short: "gi",       argument: Argument::None,                      help: "Show CUDA C++ lines and inlined calls, from .debug_line." },
    OptionRow { long: "print-line-info-ptx",          short: "gp",       argument: Argument::None,                      help: "Show PTX lines, from .nv_debug_line_sass." },
    OptionRow { long: "print-raw",                    short: "raw",      argument: Argument::None,                      help: "Plain columns." },
    OptionRow { long: "separate-functions",           short: "sf",       argument: Argument::None,                      help: "Set functions apart by blank lines." },
    OptionRow { long: "sort-sections",                short: "sort",     argument: Argument::None,                      help: "Show the sections in alphabetical order." },
    OptionRow { long: "version",                      short: "V",        argument: Argument::None,                      help: "Print the version." },
];

/// What a command line asks for.
#[derive(Debug)]
pub(crate) enum Task {
    /// The help text.
    Help,
    /// The version.
    Version,
    /// The listing or graph of a file.
    List(Job),
}

/// A file and what to print of it.
#[derive(Debug)]
pub(crate) struct Job {
    /// The file.
    pub file: OsString,
    /// What to print.
    pub output: Output,
    /// The target's name, where the file has bare words.
    pub binary: Option<&'static str>,
    /// The address of the first of these words.
    pub base: u64,
}

/// What to print of a file.
#[derive(Debug)]
pub(crate) enum Output {
    /// A listing.
    Listing(ListingOptions),
    /// A control-flow graph of basic blocks.
    Graph(ListingOptions),
}

/// Two options that exclude each other, and the complaint.
struct Conflict {
    /// Their short names.
    pair: [&'static str; 2],
    message: &'static str,
}

/// Observed: nvdisasm 13.5 complains of the first of these that holds.
#[rustfmt::skip]
const CONFLICTS: &[Conflict] = &[
    Conflict { pair: ["cfg",   "plr"],   message: "Specify either -cfg or -plr option" },
    Conflict { pair: ["bbcfg", "plr"],   message: "Specify either -cfg or -plr option" },
    Conflict { pair: ["cfg",   "lrm"],   message: "Specify either -cfg or -plr option" },
    Conflict { pair: ["bbcfg", "lrm"],   message: "Specify either -cfg or -plr option" },
    Conflict { pair: ["cfg",   "bbcfg"], message: "Specify either -cfg or -bbcfg option" },
    Conflict { pair: ["cfg",   "json"],  message: "Specify either -cfg or -json option" },
    Conflict { pair: ["bbcfg", "json"],  message: "Specify either -bbcfg or -json option" },
    Conflict { pair: ["plr",   "json"],  message: "Specify either -plr or -json option" },
    Conflict { pair: ["lrm",   "json"],  message: "Specify either -lrm or -json option" },
];

/// The options that Warpsmith does not have yet, by their short names.
const UNSUPPORTED: &[&str] = &["annotate", "cfg", "lrm", "plr"];

/// Options that Warpsmith does not have together yet, by their short names.
const UNSUPPORTED_TOGETHER: &[[&str; 2]] = &[
    ["gp", "g"],
    ["gp", "gi"],
    ["b", "bbcfg"],
    ["b", "json"],
    ["bbcfg", "poff"],
];

/// What the options ask for together, or why they do not go together.
pub(crate) fn task(parsed: &Parsed) -> Result<Task, String> {
    if parsed.has("h") {
        return Ok(Task::Help);
    }
    if parsed.has("V") {
        return Ok(Task::Version);
    }
    // Observed: neither none nor several files are a mistake.
    let [file] = parsed.files.as_slice() else {
        return Ok(Task::Help);
    };
    refuse(parsed)?;
    Ok(Task::List(Job {
        file: file.clone(),
        output: output(parsed),
        binary: parsed.keyword("b"),
        base: parsed.unsigned("base").unwrap_or(0),
    }))
}

/// The first reason not to go on.
fn refuse(parsed: &Parsed) -> Result<(), String> {
    let conflict = CONFLICTS
        .iter()
        .find(|conflict| conflict.pair.iter().all(|name| parsed.has(name)));
    if let Some(conflict) = conflict {
        return Err(conflict.message.to_owned());
    }
    if parsed.has("annotate") && !parsed.has("json") {
        return Err("Specify -annotate with -json option".to_owned());
    }
    if let Some(name) = UNSUPPORTED.iter().find(|name| parsed.has(name)) {
        return Err(format!("Warpsmith does not support option {} yet", both_names(name)));
    }
    let together = UNSUPPORTED_TOGETHER
        .iter()
        .find(|names| names.iter().all(|name| parsed.has(name)));
    if let Some([one, other]) = together {
        return Err(format!(
            "Warpsmith does not support option {} together with {} yet",
            both_names(one),
            both_names(other)
        ));
    }
    Ok(())
}

/// Both spellings of an option.
fn both_names(short: &str) -> String {
    let row = OPTIONS.iter().find(|row| row.short == short);
    let long = row.map_or("", |row| row.long);
    format!("'--{long}' (-{short})")
}

fn output(parsed: &Parsed) -> Output {
    let line_info = match (parsed.has("gi"), parsed.has("g"), parsed.has("gp")) {
        (true, _, _) => LineInfo::Inlined,
        (false, true, _) => LineInfo::Lines,
        (false, false, true) => LineInfo::Ptx,
        (false, false, false) => LineInfo::None,
    };
    let options = ListingOptions {
        code_only: parsed.has("c"),
        encodings: parsed.has("hex"),
        line_info,
        json: parsed.has("json"),
        dataflow: !parsed.has("ndf"),
        separate_functions: parsed.has("sf"),
        sort_sections: parsed.has("sort"),
        functions: parsed.integers("fun").to_vec(),
        raw: parsed.has("raw"),
        ..ListingOptions::nvdisasm()
    };
    match parsed.has("bbcfg") {
        true => Output::Graph(options),
        false => Output::Listing(options),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vendor;

    fn refusal(line: &str) -> Option<String> {
        let words: Vec<_> = line.split(' ').map(OsString::from).collect();
        let parsed = vendor::parse(OPTIONS, &words);
        assert_eq!(parsed.mistake, None, "{line}");
        task(&parsed).err()
    }

    /// Each line observed with nvdisasm 13.5.
    #[test]
    fn conflicts_in_order() {
        for (line, message) in [
            ("-cfg -bbcfg f", "Specify either -cfg or -bbcfg option"),
            ("-cfg -bbcfg -json f", "Specify either -cfg or -bbcfg option"),
            ("-cfg -bbcfg -json -plr f", "Specify either -cfg or -plr option"),
            ("-bbcfg -plr f", "Specify either -cfg or -plr option"),
            ("-lrm wide -cfg f", "Specify either -cfg or -plr option"),
            ("-bbcfg -json f", "Specify either -bbcfg or -json option"),
            ("-json -plr -annotate f", "Specify either -plr or -json option"),
            ("-lrm wide -json f", "Specify either -lrm or -json option"),
            ("-plr -annotate f", "Specify -annotate with -json option"),
        ] {
            assert_eq!(refusal(line).as_deref(), Some(message), "{line}");
        }
        // Help comes first, also for none or two files.
        for line in ["-cfg -json -h f", "-cfg -json -V f", "-cfg -json", "-cfg -json f f"] {
            assert_eq!(refusal(line), None, "{line}");
        }
    }

    #[test]
    fn unsupported_by_name() {
        for (line, message) in [
            (
                "-plr f",
                "Warpsmith does not support option '--print-life-ranges' (-plr) yet",
            ),
            (
                "--life-range-mode=count f",
                "Warpsmith does not support option '--life-range-mode' (-lrm) yet",
            ),
            (
                "-annotate -json f",
                "Warpsmith does not support option '--annotate' (-annotate) yet",
            ),
            (
                "-gi -gp f",
                "Warpsmith does not support option '--print-line-info-ptx' (-gp) together with '--print-line-info-inline' (-gi) yet",
            ),
            (
                "-b SM75 -json f",
                "Warpsmith does not support option '--binary' (-b) together with '--emit-json' (-json) yet",
            ),
            (
                "-cfg f",
                "Warpsmith does not support option '--output-control-flow-graph' (-cfg) yet",
            ),
        ] {
            assert_eq!(refusal(line).as_deref(), Some(message), "{line}");
        }
    }

    #[test]
    fn names_are_unique_and_sorted() {
        assert!(OPTIONS.is_sorted_by_key(|row| row.long));
        let mut short: Vec<_> = OPTIONS.iter().map(|row| row.short).collect();
        short.sort_unstable();
        short.dedup();
        assert_eq!(short.len(), OPTIONS.len());
        for name in UNSUPPORTED
            .iter()
            .chain(UNSUPPORTED_TOGETHER.as_flattened())
            .chain(CONFLICTS.iter().flat_map(|conflict| &conflict.pair))
        {
            assert!(short.contains(name), "{name}");
        }
    }
}
