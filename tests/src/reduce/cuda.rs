//! Lines of CUDA C++, and simpler ones.

/// The lines that hold something.
pub(super) fn lines(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(str::to_owned).collect()
}

/// Lines that are simpler than this one, best first.
pub(super) fn simpler(line: &str) -> Vec<String> {
    let mut all = Vec::new();
    if line.starts_with("//") {
        return all;
    }
    for (from, to) in groups(line) {
        let put = |text: &str| format!("{}{text}{}", &line[..from], &line[to + 1..]);
        let inner = &line[from + 1..to];
        for text in ["(0)", "(1)", ""] {
            all.push(put(text));
        }
        for operand in operands(inner) {
            all.push(put(&format!("({operand})")));
        }
        // The name of what is called goes with its arguments.
        let name = line[..from].trim_end_matches(|c: char| c.is_ascii_alphanumeric() || "_<>".contains(c));
        if name.len() < from {
            all.push(format!("{name}0{}", &line[to + 1..]));
            all.extend(operands(inner).map(|operand| format!("{name}({operand}){}", &line[to + 1..])));
        }
    }
    all.extend(words(line));
    all.retain(|other| other.len() < line.len() || other.len() == line.len() && other.as_str() < line);
    all.dedup();
    all
}

/// The parentheses of a line and what is in them, the outermost first.
fn groups(line: &str) -> Vec<(usize, usize)> {
    let (mut open, mut all) = (Vec::new(), Vec::new());
    for (at, c) in line.char_indices() {
        match c {
            '(' => open.push(at),
            ')' => all.extend(open.pop().map(|from| (from, at))),
            _ => {}
        }
    }
    all.sort_by_key(|(from, to)| from.wrapping_sub(*to));
    all
}

/// What stands between the operators and commas of a text that no parentheses hold.
fn operands(text: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut start) = (0_i32, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' | '?' | ':' | ',' | '<' | '>' | '=' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    let whole = parts.len() == 1;
    parts
        .into_iter()
        .map(str::trim)
        .filter(move |part| !whole && !part.is_empty())
}

/// The line with a number in place of a name or of another number.
fn words(line: &str) -> Vec<String> {
    let mut all = Vec::new();
    let bytes = line.as_bytes();
    let word = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c == b'.';
    let mut at = line.find(['=', '(']).unwrap_or(0);
    while at < line.len() {
        if !word(bytes[at]) || at > 0 && word(bytes[at - 1]) {
            at += 1;
            continue;
        }
        let end = (at..line.len()).find(|end| !word(bytes[*end])).unwrap_or(line.len());
        let text = &line[at..end];
        if text.len() > 1 || text.as_bytes()[0].is_ascii_alphabetic() || text > "1" {
            for number in ["0", "1"] {
                all.push(format!("{}{number}{}", &line[..at], &line[end..]));
            }
        }
        at = end;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_simpler() {
        let all = simpler("x = (u32)(a + b[2]);");
        for text in ["x = (u32)(0);", "x = (u32)(a);", "x = (u32)(b[2]);", "x = (a + b[2]);"] {
            assert!(all.iter().any(|other| other == text), "{text}: {all:?}");
        }
        assert!(simpler("call(f(1), 2);").contains(&"call(0, 2);".to_owned()));
    }
}
