//! What `.nv.info` says of a function, as comments above its code.

use std::collections::HashMap;
use std::fmt::Write;

use warpsmith_cubin::eiattr::KernelParameter;
use warpsmith_cubin::{Cubin, InfoRecord, InfoValue, SectionType, SymbolSection};

/// The facts about one function.
#[derive(Default)]
pub(super) struct Summary {
    facts: Vec<String>,
    parameters: Vec<KernelParameter>,
}

/// The facts about each code section that has some.
pub(super) fn summaries(cubin: &Cubin) -> HashMap<u32, Summary> {
    let mut found: HashMap<u32, Summary> = HashMap::new();
    for (index, section) in cubin.sections.iter().enumerate() {
        if section.section_type != SectionType::CUDA_INFO {
            continue;
        }
        let Ok(records) = cubin.info_records(index as u32) else {
            continue;
        };
        for record in &records {
            let words = record.value.words().unwrap_or_default();
            let code = match about_function(record) {
                true => words
                    .first()
                    .and_then(|&symbol| cubin.symbol(symbol))
                    .map(|symbol| symbol.section),
                false => Some(SymbolSection::Section(section.info)),
            };
            if let Some(SymbolSection::Section(code)) = code
                && code != 0
            {
                found.entry(code).or_default().add(record, &words);
            }
        }
    }
    found
}

/// Whether the record names its function itself, in `.nv.info` of the module.
fn about_function(record: &InfoRecord) -> bool {
    matches!(
        record.attribute.name(),
        Some("EIATTR_REGCOUNT" | "EIATTR_FRAME_SIZE" | "EIATTR_MIN_STACK_SIZE")
    )
}

impl Summary {
    fn add(&mut self, record: &InfoRecord, words: &[u32]) {
        let Some(name) = record.attribute.name() else { return };
        let fact = match (name, words, &record.value) {
            ("EIATTR_REGCOUNT", [_, count], _) => format!("{count} registers"),
            ("EIATTR_FRAME_SIZE", [_, size], _) => format!("frame of {size} bytes"),
            ("EIATTR_MIN_STACK_SIZE", [_, size], _) => format!("stack of {size} bytes with callees"),
            ("EIATTR_NUM_BARRIERS", _, InfoValue::Byte(count, _)) => format!("{count} barriers"),
            ("EIATTR_CBANK_PARAM_SIZE", _, InfoValue::Half(size)) => format!("{size} bytes of parameters"),
            ("EIATTR_PARAM_CBANK", [_, place], _) => format!("parameters from c[0x0][{:#x}]", place & 0xffff),
            ("EIATTR_REQNTID", [x, y, z], _) => format!("blocks of {x}x{y}x{z} threads"),
            ("EIATTR_MAX_THREADS", [x, y, z], _) => format!("blocks of up to {x}x{y}x{z} threads"),
            ("EIATTR_KPARAM_INFO" | "EIATTR_KPARAM_INFO_V2", ..) => {
                if let InfoValue::Sized(payload) = &record.value {
                    self.parameters
                        .extend(KernelParameter::from_record(record.attribute, payload));
                }
                return;
            }
            _ => return,
        };
        self.facts.push(fact);
    }

    /// Appends the facts as comments; `shared` is the function's static shared memory in bytes.
    pub(super) fn write(&mut self, shared: Option<u64>, out: &mut String) {
        self.facts
            .extend(shared.map(|size| format!("{size} bytes of shared memory")));
        if !self.facts.is_empty() {
            let _ = writeln!(out, "    // {}", self.facts.join(", "));
        }
        self.parameters.sort_by_key(|parameter| parameter.ordinal);
        for parameter in &self.parameters {
            let KernelParameter {
                ordinal, offset, size, ..
            } = parameter;
            let _ = writeln!(out, "    // parameter {ordinal}: {size} bytes at {offset:#x}");
        }
    }
}
