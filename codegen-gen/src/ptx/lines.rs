//! Table text as lines with indentation.

/// A line without comment, its indentation and number.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// Columns before the text.
    pub(super) indent: usize,
    /// The text, trimmed, continuation lines joined.
    pub(super) text: String,
    /// From 1.
    pub(super) number: usize,
}

/// The lines that say something. `#` starts a comment at the start of a line or after a blank; `\` at the end joins the next line.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::new();
    let mut joined = false;
    for (index, raw) in text.lines().enumerate() {
        let raw = match raw.find('#').filter(|&at| at == 0 || raw[..at].ends_with([' ', '\t'])) {
            Some(at) => &raw[..at],
            None => raw,
        };
        let body = raw.trim_end();
        let (body, continues) = match body.strip_suffix('\\') {
            Some(rest) => (rest.trim_end(), true),
            None => (body, false),
        };
        let text = body.trim_start();
        match out.last_mut().filter(|_| joined) {
            Some(last) => {
                last.text.push(' ');
                last.text.push_str(text);
            }
            None if text.is_empty() => {}
            None => {
                let indent = body.len() - text.len();
                out.push(Line {
                    indent,
                    text: text.to_string(),
                    number: index + 1,
                });
            }
        }
        joined = continues;
    }
    out
}
