//! Statements of PTX, and simpler ones.

/// The text with one statement on each line.
pub(crate) fn lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let mut rest = line;
        while !rest.is_empty() {
            // A label stands alone, but for the names of tables.
            let label = rest.find(':').filter(|at| {
                let name = &rest[..*at];
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_$%".contains(c))
            });
            let follows_table = |at: usize| rest[at + 1..].trim_start().starts_with('.');
            let end = match label {
                Some(at) if !follows_table(at) => at + 1,
                _ => rest.find(';').map_or(rest.len(), |at| at + 1),
            };
            lines.push(rest[..end].trim().to_owned());
            rest = rest[end..].trim_start();
        }
    }
    lines
}

/// Statements that are simpler than this one, best first. Each is shorter, or has a number or an earlier register in place of a register.
pub(crate) fn simpler(line: &str) -> Vec<String> {
    let mut all = Vec::new();
    if let Some((head, rest)) = line.split_once(" = {") {
        // Without its initialiser, or with a shorter one.
        all.push(format!("{head};"));
        let list: Vec<&str> = rest.trim_end_matches("};").split(", ").collect();
        if list.len() > 1 {
            all.push(format!("{head} = {{{}}};", list[..list.len() / 2].join(", ")));
        }
        return all;
    }
    if let Some((head, list)) = line.strip_prefix(".reg ").and_then(|rest| rest.split_once(' ')) {
        let names: Vec<&str> = list.trim_end_matches(';').split(", ").collect();
        for left_out in (0..names.len()).filter(|_| names.len() > 1) {
            let kept: Vec<&str> = (0..)
                .zip(&names)
                .filter(|(index, _)| *index != left_out)
                .map(|(_, name)| *name)
                .collect();
            all.push(format!(".reg {head} {};", kept.join(", ")));
        }
        if let Some((name, count)) = list.split_once('<') {
            let count = number(count.trim_end_matches(">;")).unwrap_or(0);
            all.extend(
                [count / 2, count.saturating_sub(1)]
                    .iter()
                    .filter(|less| **less > 0 && **less < count)
                    .map(|less| format!(".reg {head} {name}<{less}>;")),
            );
        }
        return all;
    }
    if line.starts_with('.') || line.starts_with(['{', '}', '/']) || line.ends_with(':') {
        return all;
    }
    if let Some((_, rest)) = line.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
        all.push(rest.trim().to_owned());
    }
    let start = line.find("%").map_or(line.len(), |at| {
        line[at..].find(',').map_or(line.len(), |comma| at + comma)
    });
    let target = line[..start].rsplit([' ', '{']).next().unwrap_or_default();
    let plain = target.starts_with('%') && !line.starts_with("mov") && !line.starts_with('@') && !line.contains('{');
    if plain && line.contains(", ") {
        for of in ["b32", "b64", "b16", "f32", "f64"] {
            let value = match of {
                "f32" => "0f3F800000",
                "f64" => "0d3FF0000000000000",
                _ => "1",
            };
            all.push(format!("mov.{of} {target}, {value};"));
        }
        all.push(format!("setp.ne.u32 {target}, 0, 0;"));
        all.push(format!("setp.eq.u32 {target}, 0, 0;"));
    }
    all.extend(without_modifiers(line));
    all.extend(other_operands(line, start));
    all
}

/// The line with one modifier less.
fn without_modifiers(line: &str) -> Vec<String> {
    let from = match line.starts_with('@') {
        true => line.find(' ').map_or(0, |at| at + 1),
        false => 0,
    };
    let end = line[from..].find(' ').map_or(line.len(), |at| from + at);
    let mnemonic = &line[from..end];
    let parts: Vec<&str> = mnemonic.split('.').collect();
    (1..parts.len())
        .map(|left_out| {
            let mut kept = parts.clone();
            kept.remove(left_out);
            format!("{}{}{}", &line[..from], kept.join("."), &line[end..])
        })
        .collect()
}

/// The line with another operand in place of one after the first.
fn other_operands(line: &str, start: usize) -> Vec<String> {
    let mut all = Vec::new();
    let bytes = line.as_bytes();
    let word = |c: u8| c.is_ascii_alphanumeric() || c == b'%' || c == b'_' || c == b'.';
    let mut at = start;
    while at < line.len() {
        if !word(bytes[at]) || (at > 0 && word(bytes[at - 1])) {
            at += 1;
            continue;
        }
        let end = (at..line.len()).find(|end| !word(bytes[*end])).unwrap_or(line.len());
        let operand = &line[at..end];
        let mut put = |text: &str| all.push(format!("{}{text}{}", &line[..at], &line[end..]));
        if operand.starts_with('%') {
            ["0", "1", "0f3F800000", "0d3FF0000000000000"]
                .into_iter()
                .for_each(&mut put);
            // The first register of the kind.
            let letters = operand.trim_end_matches(|c: char| c.is_ascii_digit());
            let number = operand[letters.len()..].parse::<u32>().unwrap_or(0);
            if number > 1 {
                put(&format!("{letters}1"));
                put(&format!("{letters}{}", number - 1));
            }
        } else if let Some(number) = number(operand) {
            match number {
                0 => {}
                1 => put("0"),
                2..=8 => ["0", "1"].into_iter().for_each(&mut put),
                _ => ["0", "1", "8"].into_iter().for_each(&mut put),
            }
        }
        at = end;
    }
    all
}

/// A number as statements have them.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_stand_on_lines_of_their_own() {
        assert_eq!(
            lines("L1: add.u32 a, b, c; mov.b32 {x, y}, z;\n  T: .branchtargets L1, L2; // no\n{\n}"),
            [
                "L1:",
                "add.u32 a, b, c;",
                "mov.b32 {x, y}, z;",
                "T: .branchtargets L1, L2;",
                "{",
                "}"
            ]
        );
    }
}
