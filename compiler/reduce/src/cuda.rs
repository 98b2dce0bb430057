//! Lines of CUDA C++, and simpler ones.

/// The text with one statement on each line: what opens or ends a block stands alone, comments and directives of the preprocessor have lines of their own.
pub(crate) fn lines(text: &str) -> Vec<String> {
    let mut splitter = Splitter {
        rest: text,
        line: String::new(),
        lines: Vec::new(),
        open: Vec::new(),
    };
    while splitter.step() {}
    splitter.finish();
    splitter.lines
}

/// A text on its way into lines.
struct Splitter<'t> {
    rest: &'t str,
    line: String,
    lines: Vec<String>,
    /// The brackets that are open within a statement, braces of lists among them.
    open: Vec<char>,
}

impl Splitter<'_> {
    /// Ends a line.
    fn finish(&mut self) {
        let line = self.line.split_whitespace().collect::<Vec<_>>().join(" ");
        // Blanks within literals mean something.
        let line = match self.line.contains(['"', '\'']) {
            true => self.line.trim().to_owned(),
            false => line,
        };
        if !line.is_empty() {
            self.lines.push(line);
        }
        self.line.clear();
    }

    /// Takes so many bytes into the line.
    fn take(&mut self, count: usize) {
        let (taken, rest) = self.rest.split_at(count);
        self.line.push_str(taken);
        self.rest = rest;
    }

    /// Takes the next piece; false at the end.
    fn step(&mut self) -> bool {
        let Some(next) = self.rest.chars().next() else {
            return false;
        };
        let is_start = self.line.trim().is_empty();
        match next {
            '#' if is_start => self.directive(),
            '/' if self.rest.starts_with("//") => {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                match is_start {
                    true => {
                        self.take(end);
                        self.finish();
                    }
                    // What stands behind code explains it.
                    false => self.rest = &self.rest[end..],
                }
            }
            '/' if self.rest.starts_with("/*") => {
                let end = self.rest.find("*/").map_or(self.rest.len(), |at| at + 2);
                self.rest = &self.rest[end..];
                self.line.push(' ');
            }
            '"' | '\'' => self.literal(next),
            '(' | '[' => {
                self.open.push(next);
                self.take(1);
            }
            ')' | ']' => {
                self.open.pop();
                self.take(1);
            }
            '{' if !self.open.is_empty() || self.is_list() => {
                self.open.push('{');
                self.take(1);
            }
            '{' => {
                self.finish();
                self.take(1);
                self.finish();
            }
            '}' if !self.open.is_empty() => {
                self.open.pop();
                self.take(1);
            }
            '}' => {
                self.finish();
                self.take(1);
                // `};` of a class is one.
                if self.rest.starts_with(';') {
                    self.take(1);
                }
                self.finish();
            }
            ';' => {
                self.take(1);
                if self.open.is_empty() {
                    self.finish();
                }
            }
            next => self.take(next.len_utf8()),
        }
        true
    }

    /// Whether a brace here begins a list of values, and no block: after a sign that wants a value, or a name that no keyword of a block goes before.
    fn is_list(&self) -> bool {
        let line = self.line.trim_end();
        let last = line.chars().next_back();
        let is_name = last.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == '>');
        let has = |keyword: &str| {
            line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .any(|word| word == keyword)
        };
        let heads = [
            "struct",
            "class",
            "union",
            "enum",
            "namespace",
            "do",
            "else",
            "try",
            "extern",
            "const",
            "noexcept",
            "override",
            "final",
            "requires",
        ];
        // `-> type {` ends a declarator.
        let is_body = heads.iter().any(|head| has(head)) || line.contains("->") || line.contains(')');
        last.is_some_and(|c| "=,(?:".contains(c)) && !line.ends_with("::") || is_name && !is_body || has("return")
    }

    /// A directive, with the lines that a backslash adds.
    fn directive(&mut self) {
        let mut end = 0;
        loop {
            let line = self.rest[end..].find('\n').map_or(self.rest.len(), |at| end + at);
            let goes_on = self.rest[end..line].trim_end().ends_with('\\') && line < self.rest.len();
            end = line;
            if !goes_on {
                break;
            }
            end += 1;
        }
        let (taken, rest) = self.rest.split_at(end);
        self.lines.push(taken.trim().to_owned());
        self.rest = rest;
        self.line.clear();
    }

    /// A literal between signs, or a raw string.
    fn literal(&mut self, sign: char) {
        if sign == '"' && self.line.ends_with('R') {
            let end = self.rest.find('(').and_then(|open| {
                let close = format!("){}\"", &self.rest[1..open]);
                self.rest.find(&close).map(|at| at + close.len())
            });
            return self.take(end.unwrap_or(self.rest.len()));
        }
        // A sign between digits separates them.
        if sign == '\'' && self.line.ends_with(|c: char| c.is_ascii_digit()) {
            return self.take(1);
        }
        let mut is_escaped = false;
        let end = self.rest.char_indices().skip(1).find(|(_, c)| {
            let ends = (*c == sign && !is_escaped) || *c == '\n';
            is_escaped = *c == '\\' && !is_escaped;
            ends
        });
        let count = end.map_or(self.rest.len(), |(at, c)| at + c.len_utf8());
        self.take(count);
    }
}

/// Lines that are simpler than this one, best first.
pub(crate) fn simpler(line: &str) -> Vec<String> {
    let mut all = Vec::new();
    if line.starts_with(['/', '#']) {
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
    fn statements_stand_on_lines_of_their_own() {
        assert_eq!(
            lines(
                "#define TWO \\\n  2\n// kept\nint a[2] = {1, 2}; /* gone */ struct S { int x; };\n\
                 __global__ void k(int n) { for (int i = 0; i < n; i++) { f(\"; }\", '{'); } auto g = [](int x) { return x; }; int y{1'000}; }\n\
                 auto h() -> int { return R\"x(}\")x\"; }"
            ),
            [
                "#define TWO \\\n  2",
                "// kept",
                "int a[2] = {1, 2};",
                "struct S",
                "{",
                "int x;",
                "};",
                "__global__ void k(int n)",
                "{",
                "for (int i = 0; i < n; i++)",
                "{",
                "f(\"; }\", '{');",
                "}",
                "auto g = [](int x)",
                "{",
                "return x;",
                "};",
                "int y{1'000};",
                "}",
                "auto h() -> int",
                "{",
                "return R\"x(}\")x\";",
                "}",
            ]
        );
    }

    #[test]
    fn lines_become_simpler() {
        let all = simpler("x = (u32)(a + b[2]);");
        for text in ["x = (u32)(0);", "x = (u32)(a);", "x = (u32)(b[2]);", "x = (a + b[2]);"] {
            assert!(all.iter().any(|other| other == text), "{text}: {all:?}");
        }
        assert!(simpler("call(f(1), 2);").contains(&"call(0, 2);".to_owned()));
    }
}
