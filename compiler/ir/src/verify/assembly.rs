//! Constraints of inline assembly.

use crate::types::Type;

/// What a constraint is of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Output,
    Input,
    Label,
    Clobber,
}

/// One constraint of the list.
struct Constraint {
    role: Role,
    /// The operand is the address of memory.
    indirect: bool,
    /// The output whose place an input takes.
    tied: Option<usize>,
}

/// The rule that constraints break for arguments of these types and so many results.
pub(super) fn broken_rule(constraints: &str, arguments: &[Type], results: usize) -> Option<&'static str> {
    let mut list: Vec<Constraint> = Vec::new();
    let mut taken = Vec::new();
    for text in split(constraints) {
        let Some(constraint) = parse(text) else {
            return Some(
                "a constraint of assembly is `=`, `*`, `&` or `%`, then letters, a number or a name in braces",
            );
        };
        // A label may stand behind clobbers.
        if list.last().is_some_and(|last| last.role > constraint.role) && constraint.role != Role::Label {
            return Some("constraints of assembly are those of outputs, then of inputs, then clobbers");
        }
        if let Some(output) = constraint.tied {
            if list.get(output).is_none_or(|output| output.role != Role::Output) {
                return Some("an input of assembly takes the place of an output that is there");
            }
            if taken.contains(&output) {
                return Some("an output of assembly shares its place with one input");
            }
            taken.push(output);
        }
        list.push(constraint);
    }
    let outputs = list
        .iter()
        .filter(|one| one.role == Role::Output && !one.indirect)
        .count();
    if outputs != results {
        return Some("assembly has as many results as its constraints have outputs");
    }
    let operands: Vec<&Constraint> = list
        .iter()
        .filter(|one| one.role == Role::Input || one.role == Role::Output && one.indirect)
        .collect();
    if operands.len() != arguments.len() {
        return Some("assembly has as many arguments as its constraints have inputs");
    }
    let addresses = operands
        .iter()
        .zip(arguments)
        .all(|(constraint, ty)| !constraint.indirect || ty.is_pointer());
    (!addresses).then_some("an operand of assembly that is memory is an address")
}

/// The constraints between commas; none of an empty text.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let empty = text.is_empty();
    text.split(',').filter(move |_| !empty)
}

fn parse(text: &str) -> Option<Constraint> {
    let mut constraint = Constraint {
        role: Role::Input,
        indirect: false,
        tied: None,
    };
    let mut rest = text;
    if let Some(clobber) = rest.strip_prefix('~') {
        constraint.role = Role::Clobber;
        return (clobber.starts_with('{') && codes(clobber).is_some()).then_some(constraint);
    }
    if let Some(output) = rest.strip_prefix('=') {
        constraint.role = Role::Output;
        rest = output;
    } else if let Some(label) = rest.strip_prefix('!') {
        constraint.role = Role::Label;
        rest = label;
    }
    if let Some(memory) = rest.strip_prefix('*') {
        constraint.indirect = true;
        rest = memory;
    }
    // Each modifier once.
    let mut seen = [false; 2];
    while let Some((number, modifier)) = [(0, '&'), (1, '%')].into_iter().find(|(_, one)| rest.starts_with(*one)) {
        let early = number == 0 && constraint.role != Role::Output;
        if early || std::mem::replace(&mut seen[number], true) {
            return None;
        }
        rest = &rest[modifier.len_utf8()..];
    }
    constraint.tied = codes(rest)?;
    Some(constraint)
}

/// Reads what is behind the modifiers: the number of an output among the letters, if there is one.
#[allow(clippy::option_option)]
fn codes(text: &str) -> Option<Option<usize>> {
    let mut rest = text;
    let mut tied = None;
    if rest.is_empty() {
        return None;
    }
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '{' => rest.find('}')? + 1,
            '0'..='9' => {
                let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                if tied.is_some() {
                    return None;
                }
                tied = Some(rest[..digits].parse().ok()?);
                digits
            }
            // Two letters, and a number of letters that follow.
            '^' => rest.char_indices().nth(3).map_or(rest.len(), |(end, _)| end),
            '@' => {
                let count = rest[1..].chars().next()?.to_digit(10)? as usize;
                let end = rest.char_indices().nth(count + 1)?;
                end.0 + end.1.len_utf8()
            }
            '=' | '~' | '*' | '&' | '%' | '}' => return None,
            _ => first.len_utf8(),
        };
        rest = &rest[taken..];
    }
    Some(tied)
}

#[cfg(test)]
mod tests {
    use super::broken_rule;
    use crate::types::Type;

    #[test]
    fn constraints_are_read() {
        let fits = |text: &str, arguments: usize, results: usize| {
            broken_rule(text, &vec![Type::POINTER; arguments], results).is_none()
        };
        assert!(fits("", 0, 0));
        assert!(fits("=r,=&l,r,0,n,~{memory},~{cc}", 3, 2));
        assert!(fits("=*m,r", 2, 0));
        assert!(fits("={r1},{r2}", 1, 1));
        assert!(fits("=r|m,rm", 1, 1));
        for text in [
            "=", "r,", ",", "~memory", "~{memory", "&r", "=r,&1", "=r,2", "1", "=%%r",
        ] {
            assert!(!fits(text, 1, 1), "{text}");
        }
    }
}
