//! Special register rows: `%tid u32|u16 4 1.0 - 10.1 Thread within the CTA`, and predefined constants.

use super::kind;
use super::model::Special;

/// Reads a row; `{0..7}` in the name makes several.
pub(super) fn rows(text: &str) -> Result<Vec<Special>, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [name, types, vector, version, target, section, title @ ..] = &words[..] else {
        return Err("a special register needs `%NAME TYPES WIDTH PTX TARGET SECTION TITLE`".into());
    };
    let mut needs = Vec::new();
    if *version != "-" {
        needs.extend(kind::requirements(&format!("ptx {version}"))?);
    }
    if *target != "-" {
        needs.extend(kind::requirements(target)?);
    }
    let vector = vector
        .parse()
        .ok()
        .filter(|n| [1, 4].contains(n))
        .ok_or_else(|| format!("`{vector}` is no width (1 or 4)"))?;
    let row = Special {
        name: String::new(),
        vector,
        types: types.split('|').map(str::to_string).collect(),
        needs,
        section: section.to_string(),
        title: title.join(" "),
    };
    Ok(kind::names(name)?
        .into_iter()
        .map(|name| Special { name, ..row.clone() })
        .collect())
}

/// Reads what follows `constant`.
pub(super) fn constant(text: &str) -> Result<(String, i64), String> {
    let wrong = || "constant needs `NAME VALUE`".to_string();
    let (name, value) = text.split_once(char::is_whitespace).ok_or_else(wrong)?;
    Ok((name.to_string(), value.trim().parse().map_err(|_| wrong())?))
}
