//! Edits of a text at recorded places, and lines that stay where they were.

/// A stretch of the text, and what stands there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// First byte.
    pub start: usize,
    /// One past the last byte; `start` for an insertion.
    pub end: usize,
    /// What stands there. The line breaks of what goes are added to it.
    pub text: String,
}

/// The edits of a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edits(Vec<Edit>);

impl Edits {
    /// Puts text before a byte.
    pub(crate) fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at, at, text);
    }

    /// Puts text in the place of a stretch.
    pub(crate) fn replace(&mut self, start: usize, end: usize, text: impl Into<String>) {
        let text = text.into();
        self.0.push(Edit { start, end, text });
    }

    /// The text with all edits. Of edits of one place insertions come first; what lies in a stretch that goes, goes with it.
    pub(crate) fn apply(mut self, text: &str) -> String {
        // What reaches farther comes first; insertions before what is replaced there.
        self.0
            .sort_by_key(|edit| (edit.start, edit.end != edit.start, std::cmp::Reverse(edit.end)));
        self.0.dedup();
        let mut out = String::with_capacity(text.len() + 64 * self.0.len());
        let mut at = 0;
        for edit in self.0 {
            if edit.start < at {
                continue;
            }
            out.push_str(&text[at..edit.start]);
            out.push_str(&edit.text);
            out.push_str(&lines_of(&text[edit.start..edit.end]));
            at = edit.end;
        }
        out.push_str(&text[at..]);
        out
    }
}

/// The line breaks of a stretch that goes, with the last line mark in it: what follows keeps its line.
fn lines_of(gone: &str) -> String {
    let Some(mark) = gone
        .match_indices("\n# ")
        .map(|(at, _)| at)
        .filter(|&at| is_mark(&gone[at + 1..]))
        .last()
    else {
        return "\n".repeat(gone.matches('\n').count());
    };
    let line = gone[mark + 1..].lines().next().unwrap_or_default();
    // Flags 1 and 2 say that a file is entered or left, which is not so any more.
    let flags = line.rfind('"').map_or(line.len(), |quote| quote + 1);
    let system = line[flags..].split_whitespace().any(|flag| flag == "3");
    let system = if system { " 3" } else { "" };
    let rest = gone[mark + 1..].matches('\n').count();
    format!("\n{}{system}{}", &line[..flags], "\n".repeat(rest))
}

/// Whether a line is a mark: `# 12 "file"`.
pub(crate) fn is_mark(line: &str) -> bool {
    line.strip_prefix("# ")
        .is_some_and(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_where_they_were() {
        let text = "a {\n b;\n} c {\n# 7 \"k.cu\" 2 3\n d;\n} e\n";
        let mut edits = Edits::default();
        edits.replace(2, 9, "{ }");
        edits.replace(12, text.len() - 3, "{}");
        edits.insert(2, "x ");
        edits.replace(4, 5, "within what goes");
        assert_eq!(edits.apply(text), "a x { }\n\n c {}\n# 7 \"k.cu\" 3\n\n e\n");
    }
}
