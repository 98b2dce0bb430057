//! The checked table as Rust source.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::check::grade;
use super::read::Block;
use super::{FACTS, GROUPS, Model, SLOTS};

/// Prints the model as Rust source. Relies on the checks of [`model`].
pub(super) fn emit(model: &Model<'_>) -> String {
    let mut out = String::new();
    emit_sm(&mut out, model);
    emit_isa(&mut out, model);
    emit_features(&mut out, model);
    emit_layouts(&mut out, model);
    emit_infos(&mut out, model);
    emit_evidence(&mut out, model);
    out
}

/// Appends formatted text; writing to a `String` cannot fail.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => {{ let _ = writeln!($out, $($arg)*); }};
}

/// Emits an enum without data, all its values and a `name` for each.
fn emit_enum(out: &mut String, name: &str, doc: &str, values: &[(String, String, String)]) {
    put!(out, "{doc}");
    put!(
        out,
        "#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]"
    );
    put!(out, "pub enum {name} {{");
    for (variant, _, doc) in values {
        put!(out, "    /// {doc}\n    {variant},");
    }
    put!(out, "}}\nimpl {name} {{");
    put!(out, "    /// All of them, in the order of the table.");
    put!(out, "    pub const ALL: &'static [{name}] = &[");
    for (variant, _, _) in values {
        put!(out, "        {name}::{variant},");
    }
    put!(out, "    ];\n    /// Position in [`{name}::ALL`].");
    put!(out, "    pub const fn index(self) -> usize {{ self as usize }}");
    put!(out, "    /// The name as text.");
    put!(
        out,
        "    pub const fn name(self) -> &'static str {{\n        match self {{"
    );
    for (variant, text, _) in values {
        put!(out, "            {name}::{variant} => {text:?},");
    }
    put!(out, "        }}\n    }}\n}}");
}

fn emit_sm(out: &mut String, model: &Model<'_>) {
    let values: Vec<_> = model
        .targets
        .iter()
        .map(|target| {
            let products = model.blocks[target.block].get("products").map_or("", |e| e.value);
            let what = match target.suffix {
                "a" => " architecture-accelerated: runs on exactly this SM.",
                "f" => " family-specific: runs on this SM and later ones of its family.",
                _ => "",
            };
            let id = target.id();
            (
                format!("Sm{id}"),
                format!("sm_{id}"),
                format!("`sm_{id}`,{what} {products}."),
            )
        })
        .collect();
    let doc = "/// A target: one SM number, plain, architecture-accelerated (`a`) or family-specific (`f`).";
    emit_enum(out, "Sm", doc, &values);
}

fn emit_isa(out: &mut String, model: &Model<'_>) {
    let values: Vec<_> = model
        .generations
        .iter()
        .map(|n| {
            (
                format!("Sm{n}"),
                n.to_string(),
                format!("The encodings that came with `sm_{n}`."),
            )
        })
        .collect();
    let doc = "/// An encoding generation: the targets that share one set of SASS instruction encodings.";
    emit_enum(out, "Isa", doc, &values);
}

fn emit_features(out: &mut String, model: &Model<'_>) {
    let blocks: Vec<_> = model.features.iter().map(|&i| &model.blocks[i]).collect();
    let text = |block: &Block<'_>, key: &str| block.get(key).map_or("", |e| e.value).to_string();
    let values: Vec<_> = blocks
        .iter()
        .map(|block| (camel(block.name), block.name.to_string(), text(block, "doc")))
        .collect();
    emit_enum(
        out,
        "Feature",
        "/// A capability that some targets have and others lack.",
        &values,
    );
    put!(out, "static FEATURES: [FeatureInfo; {}] = [", blocks.len());
    for block in blocks {
        let probe = match block.get("probe") {
            Some(probe) => format!("Some({:?})", probe.value),
            None => "None".to_string(),
        };
        let doc = text(block, "doc");
        put!(out, "    FeatureInfo {{ description: {doc:?}, probe: {probe} }},");
    }
    put!(out, "];");
}

/// `mma_fp8` to `MmaFp8`.
fn camel(name: &str) -> String {
    name.split('_')
        .map(|word| {
            let mut chars = word.chars();
            chars
                .next()
                .map(|c| c.to_ascii_uppercase())
                .into_iter()
                .chain(chars)
                .collect::<String>()
        })
        .collect()
}

fn emit_layouts(out: &mut String, model: &Model<'_>) {
    for block in model.blocks.iter().filter(|b| b.keyword == "layout") {
        put!(
            out,
            "static LAYOUT_{}: ConstantLayout = ConstantLayout {{",
            block.name.to_uppercase()
        );
        put!(out, "    name: {:?},", block.name);
        for (slot, optional) in SLOTS {
            let value = block.get(slot).map_or("-", |e| e.value);
            match (optional, value) {
                (true, "-") => put!(out, "    {slot}: None,"),
                (true, value) => put!(out, "    {slot}: Some({value}),"),
                (false, value) => put!(out, "    {slot}: {value},"),
            }
        }
        put!(out, "}};");
    }
}

fn emit_infos(out: &mut String, model: &Model<'_>) {
    put!(out, "static TARGETS: [TargetInfo; {}] = [", model.targets.len());
    for (index, target) in model.targets.iter().enumerate() {
        let sm = &model.blocks[target.block];
        let text = |key: &str| sm.get(key).map_or("", |e| e.value);
        let generation = model
            .blocks
            .iter()
            .find(|b| b.keyword == "generation" && b.name == text("generation"));
        let of_generation = |key: &str| {
            generation
                .and_then(|b| b.get(key))
                .map_or(String::new(), |e| e.value.to_string())
        };
        let list = |key: &str| text(key).split_whitespace().collect::<Vec<_>>();
        put!(out, "    TargetInfo {{");
        put!(out, "        sm: Sm::Sm{},", target.id());
        put!(out, "        number: {},", target.number);
        let suffix = match target.suffix {
            "a" => "Architecture",
            "f" => "Family",
            _ => "None",
        };
        put!(out, "        suffix: Suffix::{suffix},");
        put!(out, "        isa: Isa::Sm{},", text("generation"));
        let family = match sm.get("family") {
            Some(family) => format!("Some({})", family.value),
            None => "None".to_string(),
        };
        put!(out, "        family: {family},");
        put!(out, "        products: {:?},", text("products"));
        put!(out, "        min_ptx: {},", target.ptx);
        put!(out, "        cubin_runs_on: &[{}],", list("cubin_runs_on").join(", "));
        put!(
            out,
            "        tensor_core_generation: {},",
            of_generation("tensor_core_generation")
        );
        emit_groups(out, &model.facts[index]);
        put!(
            out,
            "        constants: &LAYOUT_{},",
            of_generation("layout").to_uppercase()
        );
        put!(out, "        features: FeatureSet({:#x}),", model.feature_bits[index]);
        put!(out, "        unverified: &{:?},", list("unverified"));
        put!(out, "    }},");
    }
    put!(out, "];");
}

/// The nested structs of facts: `registers: Registers { .. }` and so on.
fn emit_groups(out: &mut String, facts: &BTreeMap<String, String>) {
    let mut open = "";
    for &(group, field, _) in FACTS {
        if group != open {
            if !open.is_empty() {
                put!(out, "        }},");
            }
            let name = GROUPS
                .iter()
                .find(|entry| entry.0 == group)
                .map_or(group, |entry| entry.1);
            put!(out, "        {group}: {name} {{");
            open = group;
        }
        let value = facts.get(&format!("{group}.{field}")).map_or("", |v| v.as_str());
        put!(out, "            {field}: {value},");
    }
    put!(out, "        }},");
}

fn emit_evidence(out: &mut String, model: &Model<'_>) {
    let block = model.blocks.iter().find(|b| b.keyword == "evidence");
    let entries = block.map_or(&[][..], |b| &b.entries[..]);
    put!(out, "static EVIDENCE: [Evidence; {}] = [", entries.len());
    for entry in entries {
        if let Ok((grade, text)) = grade("", entry) {
            put!(
                out,
                "    Evidence {{ key: {:?}, grade: {grade}, source: {text:?} }},",
                entry.key
            );
        }
    }
    put!(out, "];");
}
