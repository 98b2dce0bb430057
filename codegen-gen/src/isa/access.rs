//! `access` lines: which register operands an instruction reads and writes, and how many registers each covers.
//!
//! `access Rd,Rc write size{.64:2 .128:4 *:1} in R_A* E.256.R_R_D@100..120`: operands, access, width, forms. A later line
//! overrides an earlier one for the forms it names. The width is a sum of products over `number`, `field{text:width ...}`,
//! `popcount(field,low,length)`, `columns(field)` and the names that `width` lines declare, and may end in `/ 2` or `/ 2 up`. `from=2` behind it: the
//! first two registers are part of the operand, but are not read.

use super::model::{Access, AccessRule, Factor, FormPattern, IsaSet, WidthRule};
use std::collections::BTreeMap;

/// Widths that an instruction's `width` lines name.
pub type NamedWidths = BTreeMap<String, WidthRule>;

/// Reads what follows `access`.
///
/// # Errors
/// What does not parse, without its place.
pub fn access(rest: &str, named: &NamedWidths, line: usize) -> Result<AccessRule, String> {
    let (rest, forms) = rest.split_once(" in ").unwrap_or((rest, ""));
    let (rest, aligned_to_width) = match rest.trim().strip_suffix(" align=width") {
        Some(rest) => (rest, true),
        None => (rest.trim(), false),
    };
    let (rest, unread) = match rest.rsplit_once(" from=") {
        Some((rest, first)) => (
            rest,
            first.parse().map_err(|_| format!("`from={first}` is no register"))?,
        ),
        None => (rest, 0),
    };
    let mut words = rest.splitn(3, char::is_whitespace);
    let (Some(operands), Some(access), Some(text)) = (words.next(), words.next(), words.next()) else {
        return Err("access needs operands, read|write|readwrite and width".to_string());
    };
    let access = match access {
        "read" => Access::Read,
        "write" => Access::Write,
        "readwrite" => Access::ReadWrite,
        _ => return Err(format!("`{access}` is none of read, write, readwrite")),
    };
    let forms = forms.split_whitespace().map(form_pattern).collect::<Result<_, _>>()?;
    let operands = operands.split(',').map(str::to_string).collect();
    Ok(AccessRule {
        operands,
        access,
        width: width(text, named)?,
        aligned_to_width,
        unread,
        forms,
        line,
    })
}

/// Reads `R_A*@100..120`.
fn form_pattern(text: &str) -> Result<FormPattern, String> {
    let (name, isas) = text.split_once('@').unwrap_or((text, "75..120"));
    let isas = IsaSet::parse(isas).ok_or(format!("`{isas}` is no list of SMs"))?;
    Ok(FormPattern {
        name: name.to_string(),
        isas,
    })
}

/// Reads a width: `lod{.LB:1 *:0} + 2 * count{.x2:2 *:1} / 2 up`.
///
/// # Errors
/// What does not parse.
pub fn width(text: &str, named: &NamedWidths) -> Result<WidthRule, String> {
    let (text, divisor, round_up) = match text.rsplit_once(" / ") {
        None => (text, 1, false),
        Some((text, divisor)) => {
            let (digits, up) = divisor.strip_suffix(" up").map_or((divisor, false), |d| (d, true));
            (text, small(digits)?, up)
        }
    };
    if divisor == 0 {
        return Err("a width is not divided by 0".to_string());
    }
    let mut terms = Vec::new();
    for term in text.split(" + ").map(str::trim) {
        match named.get(term) {
            Some(rule) if rule.divisor == 1 => terms.extend(rule.terms.iter().cloned()),
            Some(_) => {
                return Err(format!("the width {term} has a divisor and cannot be a term"));
            }
            None => terms.push(term.split(" * ").map(|f| factor(f.trim())).collect::<Result<_, _>>()?),
        }
    }
    Ok(WidthRule {
        terms,
        divisor,
        round_up,
    })
}

fn factor(text: &str) -> Result<Factor, String> {
    if let Some((fields, cases)) = text.split_once('{') {
        let cases = cases
            .strip_suffix('}')
            .ok_or(format!("`{text}`: the width rule is not closed"))?;
        let fields: Vec<String> = fields.split('+').map(str::to_string).collect();
        let mut list = Vec::new();
        for case in cases.split_whitespace() {
            let (texts, width) = case.rsplit_once(':').ok_or(format!("`{case}`: expected text:width"))?;
            let texts: Vec<String> = match texts {
                "*" => vec!["*".to_string(); fields.len()],
                _ => texts
                    .split('/')
                    .map(|t| if t == "_" { String::new() } else { t.to_string() })
                    .collect(),
            };
            if texts.len() != fields.len() {
                return Err(format!(
                    "`{case}` has {} texts for {} fields",
                    texts.len(),
                    fields.len()
                ));
            }
            list.push((texts, small(width)?));
        }
        return Ok(Factor::Cases { fields, cases: list });
    }
    if let Some(arguments) = text.strip_prefix("popcount(").and_then(|t| t.strip_suffix(')')) {
        let arguments: Vec<&str> = arguments.split(',').collect();
        let [field, low, length] = arguments.as_slice() else {
            return Err(format!("`{text}`: popcount needs field, lowest bit, number of bits"));
        };
        return Ok(Factor::PopulationCount {
            field: field.to_string(),
            low: small(low)?,
            length: small(length)?,
        });
    }
    if let Some(field) = text.strip_prefix("columns(").and_then(|t| t.strip_suffix(')')) {
        return Ok(Factor::Columns {
            field: field.to_string(),
        });
    }
    small(text)
        .map(Factor::Number)
        .map_err(|_| format!("`{text}` is neither a number, a rule nor a width declared before"))
}

fn small(text: &str) -> Result<u8, String> {
    text.parse().map_err(|_| format!("`{text}` is no number from 0 to 255"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_operands_access_width_and_forms() {
        let rule = access("Rd,Rc write size{.64:2 _:1} in R_A*@75..90", &NamedWidths::new(), 7).unwrap();
        assert_eq!(rule.operands, ["Rd", "Rc"]);
        assert_eq!(rule.access, Access::Write);
        let cases = vec![(vec![".64".to_string()], 2), (vec![String::new()], 1)];
        assert_eq!(
            rule.width.terms,
            [[Factor::Cases {
                fields: vec!["size".to_string()],
                cases
            }]]
        );
        assert_eq!(rule.forms[0].name, "R_A*");
    }

    #[test]
    fn a_named_width_is_a_term() {
        let mut named = NamedWidths::new();
        named.insert("coordinates".to_string(), width("2 + lod{.LC:1 *:0}", &named).unwrap());
        let rule = width("coordinates + 1 / 2 up", &named).unwrap();
        assert_eq!((rule.terms.len(), rule.divisor, rule.round_up), (3, 2, true));
        assert_eq!(
            width("arguments", &named).unwrap_err(),
            "`arguments` is neither a number, a rule nor a width declared before"
        );
    }

    #[test]
    fn a_pattern_matches_with_stars() {
        for (pattern, name, matches) in [
            ("R_*", "R_R", true),
            ("*_CX*", "R_CX_R", true),
            ("E.*_D", "E.256.R_R_D", true),
            ("R_R", "R_R_R", false),
        ] {
            assert_eq!(
                form_pattern(pattern).unwrap().matches_name(name),
                matches,
                "{pattern} {name}"
            );
        }
    }
}
