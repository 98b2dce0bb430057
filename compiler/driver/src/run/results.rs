//! What is done with what kernels left: printed, saved, compared.

use std::fmt::Write as _;

use warpsmith_base::{Diagnostic, SourceText};
use warpsmith_emu::ptx::Report;

use super::array::Array;
use super::compare::compare;
use super::execute::Outcome;
use super::plan::{Expectation, Output, Plan, file_bytes};
use crate::{Console, files};

/// So many elements of an array are printed.
const MOST_PRINTED: usize = 16;

/// Mnemonics beyond these are only counted.
const MOST_OPCODES: usize = 40;

/// Shows the outcome; an error if it is not what was expected.
pub(crate) fn finish(
    plan: &Plan,
    outcome: Result<Outcome, Vec<Diagnostic>>,
    console: &mut Console,
) -> Result<(), Vec<Diagnostic>> {
    let outcome = outcome?;
    let mut problems = Vec::new();
    let failed = |reason: String| Diagnostic::error(reason).in_file(files::shown(&plan.module));
    let printed: String = outcome.reports.iter().map(|report| report.printed.as_str()).collect();
    let mut text = String::new();
    match &plan.prints {
        Some(wanted) if *wanted == printed => text.push_str("printed text: as expected\n"),
        Some(wanted) => problems.push(failed(format!("the kernel printed {printed:?}, expected {wanted:?}"))),
        None => text.push_str(&printed),
    }
    match (&outcome.faults, &plan.fault) {
        (None, None) => {}
        (None, Some(wanted)) => problems.push(failed(format!("no fault happened, expected: {wanted}"))),
        (Some(faults), wanted) => {
            let is_wanted = |(fault, _): &(Diagnostic, SourceText)| {
                let said = fault.to_string();
                wanted.as_ref().is_some_and(|wanted| said.contains(wanted))
            };
            if faults.iter().any(is_wanted) {
                text.push_str("fault: as expected\n");
            } else {
                // What the kernels did until then is shown all the same.
                add_statistics(plan, &outcome, &mut text);
                files::write_output(None, text.as_bytes(), console)?;
                for (fault, source) in faults {
                    console.diagnose_in(fault, source);
                }
                problems.push(failed(match faults.len() {
                    0 | 1 => "the run ended with a fault".to_owned(),
                    count => format!("the run ended with {count} faults"),
                }));
                return Err(problems);
            }
        }
    }
    // What was compared is said last: a run of a test ends with its verdict.
    let (compared, shown): (Vec<&Output>, Vec<&Output>) = plan
        .outputs
        .iter()
        .partition(|output| matches!(output, Output::Expect(..)));
    for output in shown.into_iter().chain(compared) {
        if let Err(found) = deliver(output, plan, &outcome, &mut text) {
            problems.extend(found.into_iter().map(failed));
        }
    }
    add_statistics(plan, &outcome, &mut text);
    if !text.is_empty() {
        files::write_output(None, text.as_bytes(), console)?;
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Does what an output says; what is printed is added to `text`.
fn deliver(output: &Output, plan: &Plan, outcome: &Outcome, text: &mut String) -> Result<(), Vec<String>> {
    let array = |name: &str| outcome.array(plan, name).map_err(|reason| vec![reason]);
    match output {
        Output::Print(name) => {
            let _ = writeln!(text, "{name}: {}", array(name)?.show(MOST_PRINTED));
            Ok(())
        }
        Output::Save(name, path) => {
            let bytes = file_bytes(&array(name)?, path);
            warpsmith_base::write_atomically(path, &bytes)
                .map_err(|error| vec![format!("{}: cannot write: {}", files::shown(path), error.reason)])
        }
        Output::Expect(name, expectation) => {
            let array = array(name)?;
            compare(&array, expectation).map_err(|lines| {
                lines
                    .into_iter()
                    .map(|line| format!("{name}: {line}"))
                    .collect::<Vec<_>>()
            })?;
            let _ = writeln!(text, "{name}: {}", agreement(&array, expectation));
            Ok(())
        }
    }
}

/// That an array is what was expected, with its type and length, and how exactly it was compared.
fn agreement(array: &Array, expectation: &Expectation) -> String {
    let what = format!("{}[{}] as expected", array.element, array.len());
    if expectation.tolerance > 0.0 {
        format!("{what}, within {:e}", expectation.tolerance)
    } else {
        what
    }
}

fn add_statistics(plan: &Plan, outcome: &Outcome, text: &mut String) {
    if plan.settings.statistics {
        text.push_str(&statistics(&outcome.reports));
    }
}

/// The figures of all launches together.
fn statistics(reports: &[Report]) -> String {
    let sum = |figure: fn(&Report) -> u64| reports.iter().map(figure).sum::<u64>();
    let warps = sum(|report| report.instructions);
    let threads = sum(|report| report.thread_instructions);
    let mut lines = vec![
        ("launches", reports.len().to_string()),
        ("instructions of warps", warps.to_string()),
        ("instructions of threads", threads.to_string()),
    ];
    if warps > 0 {
        lines.push((
            "active threads of a warp",
            format!("{:.1} of 32", threads as f64 / warps as f64),
        ));
    }
    let divergent = sum(|report| report.divergent_branches);
    lines.push((
        "branches",
        format!("{}, {divergent} divergent", sum(|report| report.branches)),
    ));
    lines.push(("arrivals at barriers", sum(|report| report.barriers).to_string()));
    let sectors = sum(|report| report.memory.global_sectors);
    let ideal = sum(|report| report.memory.global_sectors_ideal);
    let accesses = sum(|report| report.memory.global_accesses);
    let coalesced = match sectors {
        0 => String::new(),
        sectors => format!(", {:.0} % coalesced", 100.0 * ideal as f64 / sectors as f64),
    };
    lines.push(("global accesses", format!("{accesses}, {sectors} sectors{coalesced}")));
    let conflicts = sum(|report| report.memory.shared_conflicts);
    let shared = sum(|report| report.memory.shared_accesses);
    lines.push(("shared accesses", format!("{shared}, {conflicts} bank conflicts")));
    lines.push(("local accesses", sum(|report| report.memory.local_accesses).to_string()));
    lines.push(("atomic operations", sum(|report| report.memory.atomics).to_string()));
    let mut out = String::new();
    for (name, figure) in lines {
        let _ = writeln!(out, "{name:<26}{figure}");
    }
    out + &opcodes(reports)
}

/// How often each mnemonic was executed, the most frequent first.
fn opcodes(reports: &[Report]) -> String {
    let mut counts = std::collections::BTreeMap::new();
    for (name, count) in reports.iter().flat_map(|report| &report.opcodes) {
        *counts.entry(name.as_str()).or_insert(0u64) += count;
    }
    let mut counts: Vec<(&str, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let mut out = String::new();
    for (name, count) in counts.iter().take(MOST_OPCODES) {
        let _ = writeln!(out, "  {count:>12}  {name}");
    }
    if counts.len() > MOST_OPCODES {
        let rest: u64 = counts[MOST_OPCODES..].iter().map(|&(_, count)| count).sum();
        let _ = writeln!(out, "  {rest:>12}  of {} others", counts.len() - MOST_OPCODES);
    }
    out
}
