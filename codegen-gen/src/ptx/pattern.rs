//! The manual's notation: `add{.sat}.type d, a, b`.

use super::model::{Operand, Shape, Slot};

/// Splits `add{.sat}.type d, a` into what follows the opcode and the operands.
pub(super) fn split<'p>(pattern: &'p str, opcode: &str) -> Result<(&'p str, &'p str), String> {
    let (mnemonic, operands) = pattern.split_once(char::is_whitespace).unwrap_or((pattern, ""));
    let rest = mnemonic
        .strip_prefix(opcode)
        .filter(|rest| rest.is_empty() || rest.starts_with(['.', '{']))
        .ok_or_else(|| format!("the pattern must start with the opcode `{opcode}`"))?;
    Ok((rest, operands.trim()))
}

/// Modifier slots of `{.sat}.type`: names, and whether each may be absent.
pub(super) fn modifiers(text: &str) -> Result<Vec<Slot>, String> {
    let mut slots = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (optional, body) = match rest.strip_prefix('{') {
            Some(inner) => {
                let end = inner.find('}').ok_or("`{` without `}` among the modifiers")?;
                rest = &inner[end + 1..];
                (true, &inner[..end])
            }
            None => {
                let end = rest[1..].find(['.', '{']).map_or(rest.len(), |at| at + 1);
                let body = &rest[..end];
                rest = &rest[end..];
                (false, body)
            }
        };
        let name = body
            .strip_prefix('.')
            .ok_or_else(|| format!("`{body}` is no modifier: it must start with a dot"))?;
        slots.push(Slot {
            name: name.to_string(),
            optional,
            values: Vec::new(),
            literal: false,
        });
    }
    Ok(slots)
}

/// Operands of `d, [a], {b, c}{, e}`; kinds are filled in later: every [`Shape::One`] is empty.
pub(super) fn operands(text: &str) -> Result<Vec<Operand>, String> {
    let mut reader = Reader {
        text: text.as_bytes(),
        at: 0,
        group: 0,
    };
    let operands = reader.list(None)?;
    match reader.at == reader.text.len() {
        true => Ok(operands),
        false => Err(format!("operands: `{}` is not understood", &text[reader.at..])),
    }
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    /// Optional groups so far.
    group: usize,
}

impl Reader<'_> {
    fn skip(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn take(&mut self, what: &str) -> bool {
        self.skip();
        let found = self.text[self.at..].starts_with(what.as_bytes());
        if found {
            self.at += what.len();
        }
        found
    }

    fn expect(&mut self, what: &str) -> Result<(), String> {
        match self.take(what) {
            true => Ok(()),
            false => Err(format!(
                "operands: `{what}` expected before `{}`",
                String::from_utf8_lossy(&self.text[self.at..])
            )),
        }
    }

    /// `a, b{, c}` up to `end` (not taken) or the end of the text.
    fn list(&mut self, end: Option<&str>) -> Result<Vec<Operand>, String> {
        let mut out = Vec::new();
        loop {
            self.skip();
            if self.at == self.text.len() || end.is_some_and(|end| self.text[self.at..].starts_with(end.as_bytes())) {
                return Ok(out);
            }
            if self.optional_group(&mut out)? {
                continue;
            }
            if !out.is_empty() && !self.leading_done(&out) {
                self.expect(",")?;
                self.skip();
                if self.optional_group(&mut out)? {
                    continue;
                }
            }
            let operand = self.operand(0)?;
            out.push(operand);
        }
    }

    /// After `{b,}` the comma is inside the group.
    fn leading_done(&self, out: &[Operand]) -> bool {
        out.last().is_some_and(|last| last.group != 0) && self.text[..self.at].trim_ascii_end().ends_with(b",}")
    }

    /// `{, c, d}` or `{b,}`.
    fn optional_group(&mut self, out: &mut Vec<Operand>) -> Result<bool, String> {
        let rest = &self.text[self.at..];
        let Some(inside) = rest.strip_prefix(b"{").map(<[u8]>::trim_ascii_start) else {
            return Ok(false);
        };
        let close = inside.iter().position(|&b| b == b'}').unwrap_or(inside.len());
        let trailing = inside[..close].trim_ascii_end().ends_with(b",");
        if !inside.starts_with(b",") && !trailing {
            return Ok(false);
        }
        self.expect("{")?;
        self.group += 1;
        let group = self.group;
        if trailing {
            let operand = self.operand(group)?;
            out.push(operand);
            self.expect(",")?;
        } else {
            while self.take(",") {
                let operand = self.operand(group)?;
                out.push(operand);
            }
        }
        self.expect("}")?;
        Ok(true)
    }

    fn operand(&mut self, group: usize) -> Result<Operand, String> {
        let one = |name: String, shape| Operand { name, group, shape };
        if self.take("{!}") || self.take("{-}") {
            return self.operand(group);
        }
        if self.take("[") {
            let inner = self.list(Some("]"))?;
            self.expect("]")?;
            let _ = self.take("{.unified}");
            return Ok(match <[Operand; 1]>::try_from(inner) {
                Ok([single]) => one(format!("[{}]", single.name), single.shape),
                Err(several) => one(String::new(), Shape::Bracket(several)),
            });
        }
        if self.take("{") {
            let inner = self.list(Some("}"))?;
            self.expect("}")?;
            return Ok(one(String::new(), Shape::Vector(inner)));
        }
        if self.take("(") {
            let inner = self.operand(0)?;
            self.expect(")")?;
            return Ok(one(String::new(), Shape::List(Box::new(inner))));
        }
        let first = one(self.name()?, Shape::One(Vec::new()));
        for selector in ["{.asel}", "{.bsel}", "{.csel}", ".dsel", ".asel", ".bsel"] {
            let _ = self.take(selector);
        }
        if self.take("{|") {
            let second = one(self.name()?, Shape::One(Vec::new()));
            self.expect("}")?;
            return Ok(one(
                String::new(),
                Shape::Pair(Box::new(Operand { group: 0, ..first }), Box::new(second), true),
            ));
        }
        if self.take("|") {
            let second = one(self.name()?, Shape::One(Vec::new()));
            return Ok(one(
                String::new(),
                Shape::Pair(Box::new(Operand { group: 0, ..first }), Box::new(second), false),
            ));
        }
        Ok(first)
    }

    fn name(&mut self) -> Result<String, String> {
        self.skip();
        let rest = &self.text[self.at..];
        let length = rest
            .iter()
            .position(|&b| !(b.is_ascii_alphanumeric() || b == b'_' || b == b'-'))
            .unwrap_or(rest.len());
        if length == 0 {
            return Err(format!(
                "operands: a name expected before `{}`",
                String::from_utf8_lossy(rest)
            ));
        }
        self.at += length;
        Ok(String::from_utf8_lossy(&rest[..length]).into_owned())
    }
}
