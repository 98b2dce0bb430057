//! `warpsmith disasm`: from a cubin to a listing.

use std::path::{Path, PathBuf};

use warpsmith_base::Diagnostic;
use warpsmith_cubin::{Cubin, SectionKind, Symbol, SymbolSection};
use warpsmith_listing::{LineInfo, ListingOptions, Style};

use crate::{Console, files, listing, targets};

/// Disassemble a cubin
///
/// The default listing has every fact of the file, and `warpsmith asm` turns it back into the same bytes.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The cubin; `-` is standard input
    pub file: PathBuf,
    /// The form of the listing [default: warpsmith; with --json or --function: nvdisasm]
    #[arg(long, value_enum)]
    style: Option<StyleName>,
    /// Show code sections only
    #[arg(short, long)]
    code: bool,
    /// Show the words beside the instructions
    #[arg(long)]
    hex: bool,
    /// Show source lines above the instructions [default without a value: lines]
    #[arg(long, value_enum, value_name = "KIND", num_args = 0..=1, require_equals = true, default_missing_value = "lines")]
    line_info: Option<LineInfoName>,
    /// Print JSON, as nvdisasm does
    #[arg(long, conflicts_with_all = ["cfg", "line_info"])]
    json: bool,
    /// Print the control-flow graph in the DOT language
    #[arg(long, conflicts_with_all = ["style", "code", "line_info"])]
    cfg: bool,
    /// Only this function; may be repeated
    #[arg(long = "function", value_name = "NAME")]
    functions: Vec<String>,
    /// Take the file for bare instruction words of this target
    #[arg(long, value_name = "SM", conflicts_with_all = ["functions", "cfg", "line_info", "json", "code"])]
    binary: Option<String>,
    /// Address of the first word, decimal or 0x…, with --binary
    #[arg(long, value_name = "ADDRESS", requires = "binary", value_parser = address, default_value = "0")]
    base: u64,
    /// Write to this file; `-` is standard output, as without it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Arguments {
    /// Whether the file is taken for bare words.
    pub(crate) const fn is_raw(&self) -> bool {
        self.binary.is_some()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum StyleName {
    /// Warpsmith's own, for `warpsmith asm`
    Warpsmith,
    /// The text that nvdisasm 13.5 prints
    Nvdisasm,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum LineInfoName {
    /// CUDA C++ lines
    Lines,
    /// CUDA C++ lines and the calls that were inlined
    Inlined,
    /// PTX lines
    Ptx,
}

fn address(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|error| error.to_string())
}

/// Lists one file.
pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    let text = match &arguments.binary {
        Some(sm) => list_words(arguments, sm)?,
        None => list_cubin(arguments)?,
    };
    files::write_output(arguments.output.as_deref(), &text, console)
}

fn list_words(arguments: &Arguments, sm: &str) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let path = &arguments.file;
    let sm = targets::target(sm)?;
    let options = listing_options(arguments)?;
    let code = files::read_input(path)?;
    if !code.len().is_multiple_of(listing::WORD) {
        let message = format!(
            "{} bytes are no whole number of instruction words of {} bytes",
            code.len(),
            listing::WORD
        );
        return Err(vec![Diagnostic::error(message).in_file(files::shown(path))]);
    }
    listing::of_words(&code, sm, arguments.base, &options).map_err(|error| listing::diagnostics(path, error))
}

fn list_cubin(arguments: &Arguments) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let path = &arguments.file;
    let mut options = listing_options(arguments)?;
    let cubin = files::read_cubin(path, &files::read_input(path)?)?;
    options.functions = function_symbols(&cubin, path, &arguments.functions)?;
    let result = if arguments.cfg {
        listing::graph(&cubin, &options)
    } else {
        listing::of_cubin(&cubin, &options)
    };
    result.map_err(|error| listing::diagnostics(path, error))
}

/// The options, without the functions, which only the file can tell.
fn listing_options(arguments: &Arguments) -> Result<ListingOptions, Vec<Diagnostic>> {
    // What has no form in Warpsmith's own style.
    let vendor_only = if arguments.json {
        Some("--json")
    } else if !arguments.functions.is_empty() && !arguments.cfg {
        Some("--function")
    } else {
        None
    };
    let style = match (arguments.style, vendor_only) {
        (Some(StyleName::Warpsmith), Some(option)) => {
            let message = format!("{option} is not supported in the style 'warpsmith'");
            let problem = Diagnostic::error(message).note("use --style nvdisasm");
            return Err(vec![problem]);
        }
        (Some(StyleName::Nvdisasm), _) | (None, Some(_)) => Style::Nvdisasm,
        (Some(StyleName::Warpsmith) | None, None) => Style::Warpsmith,
    };
    Ok(ListingOptions {
        style,
        code_only: arguments.code,
        encodings: arguments.hex,
        line_info: match arguments.line_info {
            None => LineInfo::None,
            Some(LineInfoName::Lines) => LineInfo::Lines,
            Some(LineInfoName::Inlined) => LineInfo::Inlined,
            Some(LineInfoName::Ptx) => LineInfo::Ptx,
        },
        json: arguments.json,
        ..ListingOptions::default()
    })
}

/// How many of a file's functions an error names.
const MOST_NAMED: usize = 10;

/// The symbols of named functions, or a complaint for each name that is none.
fn function_symbols(cubin: &Cubin, path: &Path, names: &[String]) -> Result<Vec<u32>, Vec<Diagnostic>> {
    let mut symbols = Vec::new();
    let mut problems = Vec::new();
    for name in names {
        match cubin.symbol_by_name(name) {
            Some((index, symbol)) if is_function(cubin, symbol) => symbols.push(index),
            _ => {
                let problem = Diagnostic::error(format!("there is no function '{name}'"));
                let problem = problem.in_file(files::shown(path));
                problems.push(problem.note(known_functions(cubin)));
            }
        }
    }
    match problems.is_empty() {
        true => Ok(symbols),
        false => Err(problems),
    }
}

fn is_function(cubin: &Cubin, symbol: &Symbol) -> bool {
    let section = match symbol.section {
        SymbolSection::Section(section) => cubin.section(section),
        SymbolSection::Undefined | SymbolSection::Reserved(_) => None,
    };
    section.is_some_and(|section| matches!(section.kind(), SectionKind::Text(_)))
}

/// A sentence about the functions that there are.
fn known_functions(cubin: &Cubin) -> String {
    let known: Vec<_> = cubin.functions().map(|(_, name)| name).collect();
    let named = &known[..known.len().min(MOST_NAMED)];
    match known.len() - named.len() {
        _ if known.is_empty() => "there are no functions at all".to_owned(),
        0 => format!("there are {}", named.join(", ")),
        more => format!("there are {} and {more} more", named.join(", ")),
    }
}
