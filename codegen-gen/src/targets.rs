//! Targets: `ir-defs/targets.tbl` in, the generated part of the target crate out.
//!
//! [`generate`] is the whole of it: `read` cuts the text into blocks of `key value` lines, `check` resolves every target to
//! one complete set of facts, `emit` prints Rust. The grammar stands at the top of the table.
//!
//! Refused: unknown keywords and keys, duplicates, a key at two levels or at none, facts without evidence, references to
//! families, generations, layouts or targets that do not exist, and such blocks that nobody refers to.

mod check;
mod emit;
mod read;

use std::collections::BTreeMap;

use crate::TableError;
use read::Block;

/// Reads the table `text` (called `file` in errors) and returns Rust source for the target crate to include.
///
/// # Errors
/// The first thing in the table that breaks a rule, with its line.
pub fn generate(file: &str, text: &str) -> Result<String, TableError> {
    let blocks = read::blocks(file, text)?;
    Ok(emit::emit(&check::model(file, blocks)?))
}

type Result<T, E = TableError> = std::result::Result<T, E>;

/// An error at `line` of `file`.
fn refuse<T>(file: &str, line: usize, message: impl Into<String>) -> Result<T> {
    Err(TableError::new(file, line, message))
}

/// How the value of a key is written, and which Rust it becomes.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// One number: `u32`.
    Number,
    /// Three numbers: `[u32; 3]`.
    Triple,
    /// Any number of numbers: `&'static [u32]`.
    List,
    /// `MAJOR.MINOR`: `PtxVersion`.
    Version,
}

/// The facts that stand at one of the levels common, generation, sm: group (a struct of the target crate), field, kind.
#[rustfmt::skip]
const FACTS: &[(&str, &str, Kind)] = &[
    ("registers",  "per_sm",                Kind::Number),
    ("registers",  "max_per_thread",        Kind::Number),
    ("registers",  "reserved_per_thread",   Kind::Number),
    ("registers",  "min_per_thread",        Kind::Number),
    ("registers",  "allocation_unit",       Kind::Number),
    ("registers",  "uniform",               Kind::Number),
    ("registers",  "uniform_encodable",     Kind::Number),
    ("registers",  "predicates",            Kind::Number),
    ("registers",  "uniform_predicates",    Kind::Number),
    ("registers",  "convergence_barriers",  Kind::Number),
    ("registers",  "scoreboards",           Kind::Number),
    ("occupancy",  "warp_size",             Kind::Number),
    ("occupancy",  "max_threads_per_cta",   Kind::Number),
    ("occupancy",  "max_cta_dimensions",    Kind::Triple),
    ("occupancy",  "max_grid_dimensions",   Kind::Triple),
    ("occupancy",  "max_threads_per_sm",    Kind::Number),
    ("occupancy",  "max_ctas_per_sm",       Kind::Number),
    ("occupancy",  "sub_partitions",        Kind::Number),
    ("occupancy",  "named_barriers",        Kind::Number),
    ("occupancy",  "portable_cluster_size", Kind::Number),
    ("occupancy",  "max_cluster_size",      Kind::Number),
    ("shared",     "static_limit",          Kind::Number),
    ("shared",     "max_per_cta",           Kind::Number),
    ("shared",     "per_sm",                Kind::Number),
    ("shared",     "reserved_per_cta",      Kind::Number),
    ("shared",     "allocation_unit",       Kind::Number),
    ("shared",     "carveouts",             Kind::List),
    ("memory",     "max_local_per_thread",  Kind::Number),
    ("memory",     "constant_bank_bytes",   Kind::Number),
    ("memory",     "address_bits",          Kind::Number),
    ("memory",     "tensor_columns",        Kind::Number),
    ("parameters", "max_bytes",             Kind::Number),
    ("parameters", "max_bytes_large",       Kind::Number),
    ("parameters", "large_since_ptx",       Kind::Version),
    ("code",       "instruction_bytes",     Kind::Number),
    ("code",       "function_alignment",    Kind::Number),
    ("elf",        "machine",               Kind::Number),
    ("elf",        "os_abi",                Kind::Number),
    ("elf",        "abi_version",           Kind::Number),
    ("elf",        "flags",                 Kind::Number),
];

/// The struct of the target crate that holds each group of facts.
#[rustfmt::skip]
const GROUPS: &[(&str, &str)] = &[
    ("registers",  "Registers"),
    ("occupancy",  "Occupancy"),
    ("shared",     "SharedMemory"),
    ("memory",     "Memory"),
    ("parameters", "Parameters"),
    ("code",       "CodeLayout"),
    ("elf",        "ElfHeader"),
];

/// The slots of a constant-bank layout, in the order of the Rust struct; `true` where a layout may lack it (`-`).
#[rustfmt::skip]
const SLOTS: &[(&str, bool)] = &[
    ("cta_dimensions",        false),
    ("grid_dimensions",       false),
    ("grid_id",               false),
    ("graph_exec",            false),
    ("shared_window",         true),
    ("local_window",          false),
    ("constant_window",       false),
    ("image_tables",          false),
    ("parameter_window",      false),
    ("stack_pointer",         false),
    ("dynamic_shared_size",   false),
    ("reserved_shared_size",  true),
    ("reserved_shared_end",   true),
    ("aggregate_shared_size", true),
    ("environment",           false),
    ("sm_count",              false),
    ("memory_descriptor",     true),
    ("cluster_dimensions",    true),
    ("cluster_count",         true),
    ("cluster_cta_count",     true),
    ("cluster_explicit",      true),
    ("cluster_reciprocals",   true),
    ("cta_block_stride",      false),
    ("parameters",            false),
    ("literal_bank",          true),
];

/// Keys of `generation` and `sm` blocks beside the facts, which need evidence as well.
const NAMED: &[&str] = &["ptx", "cubin_runs_on", "products", "layout", "tensor_core_generation"];

/// One target: an SM with or without a suffix.
struct Target {
    number: u32,
    suffix: &'static str,
    ptx: String,
    block: usize,
}

impl Target {
    fn id(&self) -> String {
        format!("{}{}", self.number, self.suffix)
    }
}

/// The checked table: every value is Rust source already.
struct Model<'t> {
    blocks: Vec<Block<'t>>,
    targets: Vec<Target>,
    generations: Vec<u32>,
    /// Per target, parallel to `targets`: `group.field` to Rust value.
    facts: Vec<BTreeMap<String, String>>,
    /// Per target: bit i set where it has feature i of `features`.
    feature_bits: Vec<u128>,
    features: Vec<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = include_str!("../../ir-defs/targets.tbl");

    /// What the generator says of the table after one change to its text.
    fn refusal(old: &str, new: &str) -> String {
        assert!(TABLE.contains(old), "the table no longer has {old:?}");
        let error = generate("targets.tbl", &TABLE.replacen(old, new, 1)).unwrap_err();
        error.message
    }

    #[test]
    fn the_table_is_accepted() {
        let text = generate("targets.tbl", TABLE).unwrap();
        assert!(text.contains("Sm::Sm90a => \"sm_90a\","));
        assert!(text.contains("MmaFp8"));
    }

    #[test]
    fn errors_carry_the_line() {
        let error = generate("t.tbl", "common\n  registers.per_sm 1\n  bogus 2\n").unwrap_err();
        assert_eq!(error.to_string(), "t.tbl:3: `bogus` is no key of common");
    }

    #[test]
    fn unknown_and_missing_parts() {
        assert_eq!(refusal("common\n", "comon\n"), "unknown block `comon`");
        assert_eq!(refusal("sm 75\n", "sm\n"), "block `sm` needs a name");
        assert_eq!(
            refusal("  ptx                              6.3\n", ""),
            "sm 75 has no `ptx`"
        );
        let line = "  registers.per_sm               64K\n";
        assert_eq!(refusal(line, ""), "sm 75: no value for `registers.per_sm` at any level");
        assert_eq!(
            refusal("  code                  ", "  kode"),
            "no evidence for `code.instruction_bytes`"
        );
    }

    #[test]
    fn duplicates() {
        let message = |text: &str| generate("t.tbl", text).unwrap_err().to_string();
        assert_eq!(
            message("sm 75\n\nsm 75\n"),
            "t.tbl:3: sm 75 a second time (first in line 1)"
        );
        assert_eq!(
            message("sm 75\n  ptx 6.3\n  ptx 6.4\n"),
            "t.tbl:3: `ptx` a second time in sm 75 (first in line 2)"
        );
        let level = refusal("generation 75\n", "generation 75\n  elf.machine 190\n");
        assert!(level.starts_with("`elf.machine` stands in common already"), "{level}");
        assert_eq!(
            refusal("  on     75+\n", "  on     75+ 90a\n"),
            "`90a` names sm_90a a second time"
        );
    }

    #[test]
    fn dangling_references() {
        assert_eq!(
            refusal("  generation                       110\n", "  generation 115\n"),
            "`generation` names generation 115, which is not in the table"
        );
        assert_eq!(
            refusal("  members  120 121\n", "  members  120\n"),
            "family 120 does not list 121"
        );
        assert_eq!(
            refusal("  layout                       turing\n", "  layout ampere\n"),
            "nothing refers to layout turing"
        );
        assert_eq!(refusal("  on     90a\n", "  on     91a\n"), "`91a` names no target");
    }

    #[test]
    fn malformed_values() {
        assert_eq!(
            refusal("  parameters             0x160\n", "  parameters 0x10000\n"),
            "`parameters` lies outside the 64 KB of a constant bank"
        );
        assert_eq!(
            refusal("1024 1024 64", "1024 1024"),
            "`occupancy.max_cta_dimensions` takes 3 numbers, not 2"
        );
        assert_eq!(
            refusal("  parameters.large_since_ptx     8.1", "  parameters.large_since_ptx 8"),
            "`8` is no version such as 8.6"
        );
        assert_eq!(
            refusal("  registers.scoreboards          6", "  registers.scoreboards six"),
            "`six` is no 32-bit number"
        );
    }
}
