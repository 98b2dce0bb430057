//! `-res-usage`: what the functions of a cubin take.

use std::fmt::Write as _;

use warpsmith_cubin::{Cubin, Eiattr, SectionKind, SymbolType};

/// The text for one cubin.
pub(super) fn text(cubin: &Cubin) -> String {
    let mut common = String::new();
    let mut global = 0;
    for section in &cubin.sections {
        match section.kind() {
            SectionKind::Global | SectionKind::GlobalInit => global += section.size(),
            SectionKind::Constant { bank, function: None } => {
                let _ = write!(common, " CONSTANT[{bank}]:{}", section.size());
            }
            _ => {}
        }
    }
    let mut text = format!("\nResource usage:\n Common:\n  GLOBAL:{global}{common}\n");
    for symbol in cubin
        .symbols()
        .iter()
        .filter(|symbol| symbol.symbol_type == SymbolType::FUNC)
    {
        if cubin.section_by_name(&format!(".text.{}", symbol.name)).is_some() {
            function(cubin, &symbol.name, &mut text);
        }
    }
    text
}

fn function(cubin: &Cubin, name: &str, text: &mut String) {
    let size = |section: String| cubin.section_by_name(&section).map_or(0, |(_, section)| section.size());
    let own = cubin
        .section_by_name(&format!(".text.{name}"))
        .map_or(0, |(_, section)| section.register_count());
    let registers = attribute(cubin, name, Eiattr::REGCOUNT).unwrap_or(own);
    let stack = Eiattr::from_name("EIATTR_FRAME_SIZE").and_then(|code| attribute(cubin, name, code));
    let _ = write!(
        text,
        " Function {name}:\n  REG:{registers} STACK:{} SHARED:{} LOCAL:{}",
        stack.unwrap_or(0),
        size(format!(".nv.shared.{name}")),
        size(format!(".nv.local.{name}"))
    );
    for section in &cubin.sections {
        if let SectionKind::Constant {
            bank,
            function: Some(of),
        } = section.kind()
            && of == name
        {
            let _ = write!(text, " CONSTANT[{bank}]:{}", section.size());
        }
    }
    text.push_str(" TEXTURE:0 SURFACE:0 SAMPLER:0\n");
}

/// The word that the module's records give for a function.
fn attribute(cubin: &Cubin, name: &str, attribute: Eiattr) -> Option<u32> {
    let (index, _) = cubin.section_by_name(".nv.info")?;
    let records = cubin.info_records(index).ok()?;
    records
        .iter()
        .filter(|record| record.attribute == attribute)
        .find_map(|record| match record.value.words()?[..] {
            [symbol, word]
                if cubin
                    .symbols()
                    .get(symbol as usize)
                    .is_some_and(|symbol| symbol.name == name) =>
            {
                Some(word)
            }
            _ => None,
        })
}
