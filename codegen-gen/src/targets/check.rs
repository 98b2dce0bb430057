//! The rules of the table, and the resolution of every target to its facts.

use std::collections::{BTreeMap, BTreeSet};

use super::read::{Block, Entry};
use super::{FACTS, Kind, Model, NAMED, Result, SLOTS, Target, refuse};
use crate::TableError;

/// Checks all blocks and resolves each target.
pub(super) fn model<'t>(file: &str, blocks: Vec<Block<'t>>) -> Result<Model<'t>> {
    let facts: BTreeMap<String, Kind> = FACTS
        .iter()
        .map(|&(group, field, kind)| (format!("{group}.{field}"), kind))
        .collect();
    for block in &blocks {
        check_keys(file, block, &facts)?;
        check_layout(file, block)?;
    }
    check_evidence(file, &blocks)?;
    let targets = targets(file, &blocks)?;
    let generations = references(file, &blocks)?;
    let resolved = targets
        .iter()
        .map(|target| resolve(file, &blocks, target, &facts))
        .collect::<Result<Vec<_>>>()?;
    let mut feature_bits = vec![0u128; targets.len()];
    let features: Vec<usize> = (0..blocks.len()).filter(|&i| blocks[i].keyword == "feature").collect();
    if features.len() > 128 {
        return refuse(file, 0, "more than 128 features: widen FeatureSet");
    }
    for (bit, &index) in features.iter().enumerate() {
        for member in feature_targets(file, &blocks[index], &targets)? {
            feature_bits[member] |= 1 << bit;
        }
    }
    Ok(Model {
        blocks,
        targets,
        generations,
        facts: resolved,
        feature_bits,
        features,
    })
}

/// Every key of a block is one this block may have.
fn check_keys(file: &str, block: &Block<'_>, facts: &BTreeMap<String, Kind>) -> Result<()> {
    for entry in &block.entries {
        let key = entry.key;
        let known = match block.keyword {
            "evidence" => true,
            "family" => key == "members",
            "layout" => SLOTS.iter().any(|slot| slot.0 == key),
            "feature" => ["doc", "on", "probe", "known"].contains(&key),
            "common" => facts.contains_key(key),
            "generation" => facts.contains_key(key) || ["layout", "tensor_core_generation"].contains(&key),
            _ => {
                let own = [
                    "products",
                    "generation",
                    "family",
                    "ptx",
                    "ptx.a",
                    "ptx.f",
                    "cubin_runs_on",
                    "unverified",
                ];
                facts.contains_key(key) || own.contains(&key)
            }
        };
        if !known {
            return refuse(file, entry.line, format!("`{key}` is no key of {}", block.title()));
        }
        if key == "unverified" {
            let odd = entry
                .value
                .split_whitespace()
                .find(|key| !facts.contains_key(*key) && !NAMED.contains(key));
            if let Some(odd) = odd {
                return refuse(file, entry.line, format!("`unverified` names the unknown key `{odd}`"));
            }
        }
    }
    Ok(())
}

/// A layout has every slot, each with an offset that fits a constant bank.
fn check_layout(file: &str, block: &Block<'_>) -> Result<()> {
    if block.keyword != "layout" {
        return Ok(());
    }
    for &(slot, optional) in SLOTS {
        let entry = block.need(file, slot)?;
        if optional && entry.value == "-" {
            continue;
        }
        if number(file, entry.line, entry.value)? > u32::from(u16::MAX) {
            return refuse(
                file,
                entry.line,
                format!("`{slot}` lies outside the 64 KB of a constant bank"),
            );
        }
    }
    Ok(())
}

/// Every fact is covered by one line of evidence, and every line of evidence covers a fact.
fn check_evidence(file: &str, blocks: &[Block<'_>]) -> Result<()> {
    let Some(block) = blocks.iter().find(|b| b.keyword == "evidence") else {
        return refuse(file, 0, "no `evidence` block");
    };
    let mut used = BTreeSet::new();
    let keys = FACTS.iter().map(|&(group, field, _)| format!("{group}.{field}"));
    for key in keys.chain(NAMED.iter().map(|key| key.to_string())) {
        match evidence_of(block, &key) {
            Some(entry) => used.insert(entry.key),
            None => {
                return refuse(file, block.line, format!("no evidence for `{key}`"));
            }
        };
    }
    for entry in &block.entries {
        if !used.contains(entry.key) {
            return refuse(
                file,
                entry.line,
                format!("evidence for the unknown key `{}`", entry.key),
            );
        }
        grade(file, entry)?;
    }
    Ok(())
}

fn evidence_of<'b, 't>(block: &'b Block<'t>, key: &str) -> Option<&'b Entry<'t>> {
    let group = key.split('.').next().unwrap_or(key);
    block.get(key).or_else(|| block.get(group))
}

/// Splits `observed TEXT` into the Rust grade and the text.
pub(super) fn grade<'t>(file: &str, entry: &Entry<'t>) -> Result<(&'static str, &'t str)> {
    let (word, text) = entry.value.split_once(char::is_whitespace).unwrap_or((entry.value, ""));
    let grade = match word {
        "observed" => "Grade::Observed",
        "documented" => "Grade::Documented",
        "unverified" => "Grade::Unverified",
        _ => {
            return refuse(
                file,
                entry.line,
                format!("`{word}`: evidence is observed, documented or unverified"),
            );
        }
    };
    if text.trim().is_empty() {
        return refuse(file, entry.line, format!("`{}`: {word} by what?", entry.key));
    }
    Ok((grade, text.trim()))
}

/// The targets that the `sm` blocks make, in order: plain, `a`, `f` of each.
fn targets(file: &str, blocks: &[Block<'_>]) -> Result<Vec<Target>> {
    let mut out: Vec<Target> = Vec::new();
    for (index, block) in blocks.iter().enumerate().filter(|(_, b)| b.keyword == "sm") {
        let number = number(file, block.line, block.name)?;
        if out.last().is_some_and(|last| last.number >= number) {
            return refuse(file, block.line, format!("sm {number} out of order: SMs go up"));
        }
        for (key, suffix) in [("ptx", ""), ("ptx.a", "a"), ("ptx.f", "f")] {
            let entry = match block.get(key) {
                Some(entry) => entry,
                None if suffix.is_empty() => block.need(file, key)?,
                None => continue,
            };
            let ptx = version(file, entry.line, entry.value)?;
            out.push(Target {
                number,
                suffix,
                ptx,
                block: index,
            });
        }
        if block.get("ptx.f").is_some() != block.get("family").is_some() {
            return refuse(
                file,
                block.line,
                format!("sm {number}: `ptx.f` and `family` go together"),
            );
        }
    }
    if out.is_empty() {
        return refuse(file, 0, "no `sm` block");
    }
    Ok(out)
}

/// Checks that generations, families, layouts and SM numbers that are referred to exist, and that nothing is left over.
/// Returns the generations in order.
fn references(file: &str, blocks: &[Block<'_>]) -> Result<Vec<u32>> {
    let find = |keyword: &str, name: &str| blocks.iter().find(|b| b.keyword == keyword && b.name == name);
    let mut used = BTreeSet::new();
    let mut need = |entry: &Entry<'_>, keyword: &'static str, name: &str| {
        if find(keyword, name).is_none() {
            return refuse(
                file,
                entry.line,
                format!("`{}` names {keyword} {name}, which is not in the table", entry.key),
            );
        }
        used.insert((keyword, name.to_string()));
        Ok(())
    };
    for block in blocks {
        match block.keyword {
            "sm" => {
                let generation = block.need(file, "generation")?;
                need(generation, "generation", generation.value)?;
                for member in block.need(file, "cubin_runs_on")?.value.split_whitespace() {
                    need(block.need(file, "cubin_runs_on")?, "sm", member)?;
                }
                if let Some(family) = block.get("family") {
                    need(family, "family", family.value)?;
                    let members = find("family", family.value).and_then(|f| f.get("members"));
                    if !members.is_some_and(|m| m.value.split_whitespace().any(|n| n == block.name)) {
                        return refuse(
                            file,
                            family.line,
                            format!("family {} does not list {}", family.value, block.name),
                        );
                    }
                }
            }
            "family" => {
                let members = block.need(file, "members")?;
                for member in members.value.split_whitespace() {
                    need(members, "sm", member)?;
                    let back = find("sm", member).and_then(|sm| sm.get("family"));
                    if back.map(|entry| entry.value) != Some(block.name) {
                        return refuse(
                            file,
                            members.line,
                            format!("sm {member} is not of family {}", block.name),
                        );
                    }
                }
            }
            "generation" => {
                let layout = block.need(file, "layout")?;
                need(layout, "layout", layout.value)?;
                let tensor_cores = block.need(file, "tensor_core_generation")?;
                number(file, tensor_cores.line, tensor_cores.value)?;
            }
            _ => {}
        }
    }
    for block in blocks
        .iter()
        .filter(|b| ["generation", "family", "layout"].contains(&b.keyword))
    {
        let referred = used.iter().any(|(k, n)| *k == block.keyword && n == block.name);
        if !referred {
            return refuse(file, block.line, format!("nothing refers to {}", block.title()));
        }
    }
    blocks
        .iter()
        .filter(|b| b.keyword == "generation")
        .map(|b| number(file, b.line, b.name))
        .collect()
}

/// The facts of one target: each from exactly one level.
fn resolve(
    file: &str,
    blocks: &[Block<'_>],
    target: &Target,
    facts: &BTreeMap<String, Kind>,
) -> Result<BTreeMap<String, String>> {
    let sm = &blocks[target.block];
    let generation = sm.need(file, "generation")?.value;
    let levels: Vec<&Block<'_>> = blocks
        .iter()
        .filter(|b| b.keyword == "common" || (b.keyword == "generation" && b.name == generation))
        .chain([sm])
        .collect();
    let mut out = BTreeMap::new();
    for (key, &kind) in facts {
        let mut found = levels.iter().filter_map(|level| level.get(key).map(|e| (level, e)));
        let Some((level, entry)) = found.next() else {
            return refuse(
                file,
                sm.line,
                format!("sm {}: no value for `{key}` at any level", sm.name),
            );
        };
        if let Some((_, second)) = found.next() {
            return refuse(
                file,
                second.line,
                format!("`{key}` stands in {} already (line {})", level.title(), entry.line),
            );
        }
        out.insert(key.clone(), value(file, entry, kind)?);
    }
    Ok(out)
}

/// The value of an entry as Rust source.
fn value(file: &str, entry: &Entry<'_>, kind: Kind) -> Result<String> {
    let numbers = || {
        let parts = entry.value.split_whitespace();
        parts
            .map(|part| number(file, entry.line, part))
            .collect::<Result<Vec<u32>>>()
    };
    let exactly = |count: usize, found: Vec<u32>| match found.len() == count {
        true => Ok(found),
        false => Err(TableError::new(
            file,
            entry.line,
            format!("`{}` takes {count} numbers, not {}", entry.key, found.len()),
        )),
    };
    Ok(match kind {
        Kind::Number => exactly(1, numbers()?)?[0].to_string(),
        Kind::Triple => format!("{:?}", exactly(3, numbers()?)?),
        Kind::List => format!("&{:?}", numbers()?),
        Kind::Version => version(file, entry.line, entry.value)?,
    })
}

/// `123`, `0x7b` or `4K`.
fn number(file: &str, line: usize, text: &str) -> Result<u32> {
    let parsed = if let Some(hex) = text.strip_prefix("0x") {
        u32::from_str_radix(hex, 16).ok()
    } else if let Some(kilo) = text.strip_suffix('K') {
        kilo.parse::<u32>().ok().and_then(|n| n.checked_mul(1024))
    } else {
        text.parse().ok()
    };
    parsed.ok_or_else(|| TableError::new(file, line, format!("`{text}` is no 32-bit number")))
}

/// `8.6` as the Rust constructor.
fn version(file: &str, line: usize, text: &str) -> Result<String> {
    let parts = text
        .split_once('.')
        .and_then(|(major, minor)| Some((major.parse::<u8>().ok()?, minor.parse::<u8>().ok()?)));
    match parts {
        Some((major, minor)) => Ok(format!("PtxVersion {{ major: {major}, minor: {minor} }}")),
        None => Err(TableError::new(
            file,
            line,
            format!("`{text}` is no version such as 8.6"),
        )),
    }
}

/// Indices of the targets that an `on` line names: `90+`, `90`, `90a`, `100af`.
fn feature_targets(file: &str, block: &Block<'_>, targets: &[Target]) -> Result<Vec<usize>> {
    block.need(file, "doc")?;
    if block.get("probe").is_some() == block.get("known").is_some() {
        return refuse(
            file,
            block.line,
            format!("{} needs one of `probe` and `known`", block.title()),
        );
    }
    if let Some(known) = block.get("known") {
        grade(file, known)?;
    }
    let on = block.need(file, "on")?;
    let mut out = BTreeSet::new();
    for item in on.value.split_whitespace() {
        let digits = item.trim_end_matches(|c: char| !c.is_ascii_digit());
        let low = number(file, on.line, digits)?;
        let wanted: Vec<usize> = match &item[digits.len()..] {
            "+" => (0..targets.len()).filter(|&i| targets[i].number >= low).collect(),
            "af" => (0..targets.len())
                .filter(|&i| targets[i].number == low && !targets[i].suffix.is_empty())
                .collect(),
            _ => (0..targets.len()).filter(|&i| targets[i].id() == item).collect(),
        };
        if wanted.is_empty() {
            return refuse(file, on.line, format!("`{item}` names no target"));
        }
        for index in wanted {
            if !out.insert(index) {
                return refuse(
                    file,
                    on.line,
                    format!("`{item}` names sm_{} a second time", targets[index].id()),
                );
            }
        }
    }
    Ok(out.into_iter().collect())
}
