//! The text template of a form: `FFMA{round}{sat} {Rd}, {Ra}, {C=c[{bank}] [{offset}]}`.
//!
//! `{name}` prints a field; punctuation before or after the name (`{, Pp}`, `{Pu, }`, `{+offset}`) is printed only together with
//! it; `{Rb{half}}` prints `half` inside the operand's closing bar; `{C=…}` prints a group operand; `{URe+1}` prints the
//! register after the one encoded. A `+` right after `[` is dropped when printing, and `[]` prints `[RZ]` or `[URZ]`.

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Literal text.
    Text(String),
    /// A field with its glue.
    Field {
        /// Field name.
        name: String,
        /// Text before it, printed only with it.
        prefix: String,
        /// Text after it, printed only with it.
        suffix: String,
        /// Added to the register number.
        plus: u8,
        /// Parts inside the operand's decoration; for a group the whole operand.
        inner: Vec<Part>,
        /// Whether the field is a group.
        group: bool,
    },
}

/// Parses a template.
///
/// # Errors
/// A message that names what is wrong: unbalanced braces, a field without a name.
pub fn parse(text: &str) -> Result<Vec<Part>, String> {
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    let parts = sequence(&chars, &mut at)?;
    if at != chars.len() {
        return Err(format!("unbalanced `}}` in template {text:?}"));
    }
    Ok(parts)
}

fn sequence(chars: &[char], at: &mut usize) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut text = String::new();
    while *at < chars.len() && chars[*at] != '}' {
        if chars[*at] == '{' {
            if !text.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut text)));
            }
            *at += 1;
            parts.push(field(chars, at)?);
        } else {
            text.push(chars[*at]);
            *at += 1;
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    Ok(parts)
}

fn field(chars: &[char], at: &mut usize) -> Result<Part, String> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let take = |at: &mut usize, test: &dyn Fn(char) -> bool| {
        let start = *at;
        while *at < chars.len() && test(chars[*at]) {
            *at += 1;
        }
        chars[start..*at].iter().collect::<String>()
    };
    let prefix = take(at, &|c| !word(c) && c != '{' && c != '}');
    let name = take(at, &word);
    if name.is_empty() {
        return Err("a field without a name in the template".to_string());
    }
    let mut plus = 0;
    if chars.get(*at) == Some(&'+') && chars.get(*at + 1).is_some_and(char::is_ascii_digit) {
        plus = chars[*at + 1].to_digit(10).unwrap_or(0) as u8;
        *at += 2;
    }
    let group = chars.get(*at) == Some(&'=');
    let (mut suffix, mut inner) = (String::new(), Vec::new());
    if group {
        *at += 1;
        inner = sequence(chars, at)?;
    } else {
        suffix = take(at, &|c| c != '{' && c != '}');
        if chars.get(*at) == Some(&'{') {
            inner = sequence(chars, at)?;
        }
    }
    if chars.get(*at) != Some(&'}') {
        return Err(format!("field `{name}` of the template is not closed"));
    }
    *at += 1;
    Ok(Part::Field {
        name,
        prefix,
        suffix,
        plus,
        inner,
        group,
    })
}

/// The names of all fields that `parts` print, in order.
pub fn field_names(parts: &[Part], names: &mut Vec<String>) {
    for part in parts {
        match part {
            Part::Text(_) => {}
            Part::Field { name, inner, .. } => {
                if !names.contains(name) {
                    names.push(name.clone());
                }
                field_names(inner, names);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glue_belongs_to_the_field() {
        let parts = parse("BRA {Pp, }{target}").unwrap();
        assert_eq!(parts.len(), 3);
        assert!(matches!(&parts[1], Part::Field { name, suffix, .. } if name == "Pp" && suffix == ", "));
    }

    #[test]
    fn a_group_holds_its_fields() {
        let mut names = Vec::new();
        field_names(&parse("MOV {Rd}, {C=c[{bank}] [{offset}]}").unwrap(), &mut names);
        assert_eq!(names, ["Rd", "C", "bank", "offset"]);
    }

    #[test]
    fn an_open_brace_is_an_error() {
        assert_eq!(
            parse("MOV {Rd").unwrap_err(),
            "field `Rd` of the template is not closed"
        );
    }
}
