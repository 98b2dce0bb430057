//! Rows about module headers: `versions`, `old-target`, `new-target`, `renamed-target`, `gate`.

use super::kind::version_number;
use super::model::{Header, Renamed};

/// Words that begin such a row.
pub(super) const WORDS: [&str; 5] = ["versions", "old-target", "new-target", "renamed-target", "gate"];

/// Reads the row that begins with `word`.
pub(super) fn row(header: &mut Header, word: &str, rest: &str) -> Result<(), String> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    match (word, &words[..]) {
        ("versions", ranges) => ranges.iter().try_for_each(|range| versions(header, range))?,
        ("old-target", [number, version]) => header.old_targets.push((target(number)?, version_number(version)?)),
        ("new-target", [number, family, version]) => {
            let row = (target(number)?, target(family)?, version_number(version)?);
            header.new_targets.push(row);
        }
        ("renamed-target", [former, now, since, family]) => header.renamed.push(Renamed {
            former: target(former)?,
            number: target(now)?,
            since: version_number(since)?,
            family_since: version_number(family)?,
        }),
        ("gate", [name, version, number, feature @ ..]) if !feature.is_empty() => header.gates.push((
            name.to_string(),
            version_number(version)?,
            target(number)?,
            feature.join(" "),
        )),
        _ => return Err(format!("`{word} {rest}` is not understood")),
    }
    Ok(())
}

/// `7.0..7.8`
fn versions(header: &mut Header, range: &str) -> Result<(), String> {
    let wrong = || format!("`{range}` is no range of versions such as 7.0..7.8");
    let (first, last) = range.split_once("..").ok_or_else(wrong)?;
    let ((major, from), (same, to)) = (version_number(first)?, version_number(last)?);
    if major != same || from > to {
        return Err(wrong());
    }
    header.versions.extend((from..=to).map(|minor| (major, minor)));
    Ok(())
}

fn target(number: &str) -> Result<u16, String> {
    number
        .parse()
        .map_err(|_| format!("`{number}` is no number of a target"))
}
