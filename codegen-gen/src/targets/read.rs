//! The text of the table cut into blocks and entries; nothing is known yet of what they mean.

use std::collections::BTreeMap;

use super::{Result, refuse};
use crate::TableError;

/// One `key value` line.
pub(super) struct Entry<'t> {
    pub(super) key: &'t str,
    pub(super) value: &'t str,
    pub(super) line: usize,
}

/// One block: `KEYWORD NAME` and its entries.
pub(super) struct Block<'t> {
    pub(super) keyword: &'t str,
    pub(super) name: &'t str,
    pub(super) line: usize,
    pub(super) entries: Vec<Entry<'t>>,
}

impl<'t> Block<'t> {
    pub(super) fn get(&self, key: &str) -> Option<&Entry<'t>> {
        self.entries.iter().find(|e| e.key == key)
    }

    pub(super) fn need(&self, file: &str, key: &str) -> Result<&Entry<'t>> {
        self.get(key)
            .ok_or_else(|| TableError::new(file, self.line, format!("{} has no `{key}`", self.title())))
    }

    pub(super) fn title(&self) -> String {
        format!("{} {}", self.keyword, self.name).trim_end().to_string()
    }
}

/// Cuts the table into blocks; refuses unknown keywords, missing or surplus names, and duplicates.
pub(super) fn blocks<'t>(file: &str, text: &'t str) -> Result<Vec<Block<'t>>> {
    let mut out: Vec<Block<'t>> = Vec::new();
    let mut seen = BTreeMap::new();
    for (index, raw) in text.lines().enumerate() {
        let line = index + 1;
        let content = raw.split('#').next().unwrap_or("").trim_end();
        if content.is_empty() {
            continue;
        }
        let (head, rest) = match content.trim_start().split_once(char::is_whitespace) {
            Some((head, rest)) => (head, rest.trim()),
            None => (content.trim_start(), ""),
        };
        if content.starts_with(char::is_whitespace) {
            let block = out
                .last_mut()
                .ok_or_else(|| TableError::new(file, line, "a key before the first block"))?;
            if let Some(first) = block.get(head) {
                let first = first.line;
                return refuse(
                    file,
                    line,
                    format!("`{head}` a second time in {} (first in line {first})", block.title()),
                );
            }
            if rest.is_empty() {
                return refuse(file, line, format!("`{head}` has no value"));
            }
            block.entries.push(Entry {
                key: head,
                value: rest,
                line,
            });
            continue;
        }
        let named = match head {
            "evidence" | "common" => false,
            "generation" | "family" | "layout" | "sm" | "feature" => true,
            _ => {
                return refuse(file, line, format!("unknown block `{head}`"));
            }
        };
        if named == rest.is_empty() {
            let what = if named { "needs a name" } else { "takes no name" };
            return refuse(file, line, format!("block `{head}` {what}"));
        }
        if let Some(first) = seen.insert((head, rest), line) {
            let title = format!("{head} {rest}");
            let title = title.trim_end();
            return refuse(file, line, format!("{title} a second time (first in line {first})"));
        }
        out.push(Block {
            keyword: head,
            name: rest,
            line,
            entries: Vec::new(),
        });
    }
    Ok(out)
}
