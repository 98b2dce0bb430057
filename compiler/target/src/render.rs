//! Target descriptions as text, for people.

use std::fmt::{Display, Write as _};

use crate::{ConstantLayout, Evidence, Sm, Suffix, TargetInfo, evidence};

/// All targets, one line each: what a reader compares first. Ends with a line break.
pub fn render_table() -> String {
    let mut out =
        String::from("target   isa  ptx  warps  ctas  shared/cta  shared/sm  cluster  UR   params  products\n");
    for sm in Sm::ALL {
        let t = sm.info();
        let _ = writeln!(
            out,
            "{:<8} {:<4} {:<4} {:>5} {:>5} {:>10}K {:>9}K {:>8}  {:<4} {:#06x}  {}",
            sm.name(),
            t.isa.name(),
            t.min_ptx,
            t.occupancy.max_warps_per_sm(),
            t.occupancy.max_ctas_per_sm,
            t.shared.max_per_cta / 1024,
            t.shared.per_sm / 1024,
            t.occupancy.max_cluster_size,
            t.registers.uniform,
            t.constants.parameters,
            t.products,
        );
    }
    out
}

/// One target in full: each fact with how it is known, then layout and features. Ends with a line break.
pub fn render_target(sm: Sm) -> String {
    let t = sm.info();
    let mut out = format!("{sm}: {}\n", t.products);
    for (key, value) in facts(t) {
        let grade = match evidence(key) {
            _ if t.unverified.contains(&key) => "unverified".to_string(),
            Some(Evidence { grade, .. }) => grade.to_string(),
            None => String::new(),
        };
        let line = format!("  {key:<32} {value:<24} {grade}");
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let _ = writeln!(out, "constant bank 0 ({}, {})", t.constants.name, grade_of("layout"));
    for (slot, offset) in slots(t.constants) {
        if let Some(offset) = offset {
            let _ = writeln!(out, "  {slot:<32} {offset:#x}");
        }
    }
    out.push_str("features\n");
    for feature in t.features.iter() {
        let _ = writeln!(out, "  {:<32} {}", feature.name(), feature.description());
    }
    out
}

fn grade_of(key: &str) -> String {
    evidence(key).map_or_else(String::new, |e| e.grade.to_string())
}

/// The facts of a target by the keys of the table.
#[rustfmt::skip]
fn facts(t: &TargetInfo) -> Vec<(&'static str, String)> {
    let (r, o, s, m, p) = (&t.registers, &t.occupancy, &t.shared, &t.memory, &t.parameters);
    vec![
        ("generation",                      t.isa.name().to_string()),
        ("suffix",                          suffix(t).to_string()),
        ("ptx",                             t.min_ptx.to_string()),
        ("cubin_runs_on",                   runs_on(t.sm)),
        ("tensor_core_generation",          t.tensor_core_generation.to_string()),
        ("registers.per_sm",                r.per_sm.to_string()),
        ("registers.max_per_thread",        r.max_per_thread.to_string()),
        ("registers.reserved_per_thread",   r.reserved_per_thread.to_string()),
        ("registers.min_per_thread",        r.min_per_thread.to_string()),
        ("registers.allocation_unit",       r.allocation_unit.to_string()),
        ("registers.uniform",               r.uniform.to_string()),
        ("registers.uniform_encodable",     r.uniform_encodable.to_string()),
        ("registers.predicates",            r.predicates.to_string()),
        ("registers.uniform_predicates",    r.uniform_predicates.to_string()),
        ("registers.convergence_barriers",  r.convergence_barriers.to_string()),
        ("registers.scoreboards",           r.scoreboards.to_string()),
        ("occupancy.warp_size",             o.warp_size.to_string()),
        ("occupancy.max_threads_per_cta",   o.max_threads_per_cta.to_string()),
        ("occupancy.max_cta_dimensions",    list(&o.max_cta_dimensions)),
        ("occupancy.max_grid_dimensions",   list(&o.max_grid_dimensions)),
        ("occupancy.max_threads_per_sm",    o.max_threads_per_sm.to_string()),
        ("occupancy.max_ctas_per_sm",       o.max_ctas_per_sm.to_string()),
        ("occupancy.sub_partitions",        o.sub_partitions.to_string()),
        ("occupancy.named_barriers",        o.named_barriers.to_string()),
        ("occupancy.portable_cluster_size", o.portable_cluster_size.to_string()),
        ("occupancy.max_cluster_size",      o.max_cluster_size.to_string()),
        ("shared.static_limit",             bytes(s.static_limit)),
        ("shared.max_per_cta",              bytes(s.max_per_cta)),
        ("shared.per_sm",                   bytes(s.per_sm)),
        ("shared.reserved_per_cta",         bytes(s.reserved_per_cta)),
        ("shared.allocation_unit",          bytes(s.allocation_unit)),
        ("shared.carveouts",                list(&s.carveouts.iter().map(|&c| bytes(c)).collect::<Vec<_>>())),
        ("memory.max_local_per_thread",     bytes(m.max_local_per_thread)),
        ("memory.constant_bank_bytes",      bytes(m.constant_bank_bytes)),
        ("memory.address_bits",             m.address_bits.to_string()),
        ("memory.tensor_columns",           m.tensor_columns.to_string()),
        ("parameters.max_bytes",            bytes(p.max_bytes)),
        ("parameters.max_bytes_large",      bytes(p.max_bytes_large)),
        ("parameters.large_since_ptx",      p.large_since_ptx.to_string()),
        ("code.instruction_bytes",          bytes(t.code.instruction_bytes)),
        ("code.function_alignment",         bytes(t.code.function_alignment)),
        ("elf.machine",                     t.elf.machine.to_string()),
        ("elf.os_abi",                      format!("{:#x}", t.elf.os_abi)),
        ("elf.abi_version",                 t.elf.abi_version.to_string()),
        ("elf.flags",                       format!("{:#010x}", t.elf_flags())),
    ]
}

/// The slots of a layout with their offsets.
#[rustfmt::skip]
fn slots(c: &ConstantLayout) -> Vec<(&'static str, Option<u16>)> {
    vec![
        ("cta_dimensions",        Some(c.cta_dimensions)),
        ("grid_dimensions",       Some(c.grid_dimensions)),
        ("grid_id",               Some(c.grid_id)),
        ("graph_exec",            Some(c.graph_exec)),
        ("shared_window",         c.shared_window),
        ("local_window",          Some(c.local_window)),
        ("constant_window",       Some(c.constant_window)),
        ("image_tables",          Some(c.image_tables)),
        ("parameter_window",      Some(c.parameter_window)),
        ("stack_pointer",         Some(c.stack_pointer)),
        ("dynamic_shared_size",   Some(c.dynamic_shared_size)),
        ("reserved_shared_size",  c.reserved_shared_size),
        ("reserved_shared_end",   c.reserved_shared_end),
        ("aggregate_shared_size", c.aggregate_shared_size),
        ("environment",           Some(c.environment)),
        ("sm_count",              Some(c.sm_count)),
        ("memory_descriptor",     c.memory_descriptor),
        ("cluster_dimensions",    c.cluster_dimensions),
        ("cluster_count",         c.cluster_count),
        ("cluster_cta_count",     c.cluster_cta_count),
        ("cluster_explicit",      c.cluster_explicit),
        ("cluster_reciprocals",   c.cluster_reciprocals),
        ("parameters",            Some(c.parameters)),
    ]
}

fn suffix(t: &TargetInfo) -> &'static str {
    match t.suffix {
        Suffix::None => "none",
        Suffix::Architecture => "architecture-accelerated",
        Suffix::Family => "family-specific",
    }
}

/// The SM numbers that run a cubin of this very target.
fn runs_on(sm: Sm) -> String {
    let plain = Sm::ALL.iter().filter(|device| device.info().suffix == Suffix::None);
    list(
        &plain
            .filter(|&&device| sm.can_run_on(device))
            .map(|d| d.info().number)
            .collect::<Vec<_>>(),
    )
}

fn list<T: Display>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

/// A size as `48K` where it is a multiple of 1024, else in bytes.
fn bytes(size: u32) -> String {
    match size {
        0 => "0".to_string(),
        size if size % 1024 == 0 => format!("{}K", size / 1024),
        size => size.to_string(),
    }
}
