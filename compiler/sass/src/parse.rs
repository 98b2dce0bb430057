//! The text of one instruction back to its word: the forms' text pieces, matched with backtracking.
//!
//! Blanks are free. A text that several encodings print is taken as the one that ptxas was seen to write, then the most specific.

use crate::builder::{default_value, default_word};
use crate::instruction::Instruction;
use crate::model::{Decoration, Field, FieldKind, Form, GuardKind, Piece, Register, ValueSet};
use crate::number::{read_float, read_integer};
use crate::print::{class_names, zero_number};
use crate::tables::{FORMS, FieldName, Opcode};
use std::fmt;
use warpsmith_target::Isa;

/// What the surroundings know: the instruction's address, and the value of names and expressions in operands.
pub trait ParseContext {
    /// The address of the instruction, for branch targets.
    fn address(&self) -> u64 {
        0
    }

    /// The value of an operand expression that is no number (a label, a relocation), for the field called `field`. For a
    /// relative target this is the absolute address.
    fn resolve(&self, expression: &str, field: FieldName) -> Option<i64> {
        let _ = (expression, field);
        None
    }
}

impl ParseContext for crate::PlainText {
    fn address(&self) -> u64 {
        self.address
    }
}

/// Why a text is no instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// Byte offset in the text where no form could go on.
    pub offset: usize,
    /// The reason.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseError {}

/// Parses one instruction: guard, mnemonic, modifiers, operands, an optional `;`. The control word is [`crate::Control::NONE`] but
/// for the reuse flags that the text names.
///
/// # Errors
/// The mnemonic is unknown on `isa`, or no form of it matches; the offset is the furthest any form got.
pub fn parse(isa: Isa, text: &str, context: &dyn ParseContext) -> Result<Instruction, ParseError> {
    let body = text.trim_end().trim_end_matches(';').trim_end();
    let (guard, start) = guard(body)?;
    let length = body[start..]
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(body.len() - start);
    let mnemonic = &body[start..start + length];
    let unknown = |message: String| ParseError { offset: start, message };
    let opcode = Opcode::from_mnemonic(mnemonic).ok_or_else(|| unknown(format!("unknown instruction `{mnemonic}`")))?;
    let mut furthest = start;
    let mut misfit = None;
    let mut tried = false;
    for form in ordered_forms(isa, opcode) {
        tried = true;
        let guard_bits = match (guard, form.guard) {
            (None, _) => 7 << 12,
            (Some((_, bits)), GuardKind::None) => bits,
            (Some((uniform, bits)), kind) if uniform == (kind == GuardKind::UniformPredicate) => bits,
            (Some(_), _) => continue,
        };
        let mut matcher = Matcher {
            isa,
            form,
            text: body,
            context,
            furthest,
            misfit: misfit.take(),
        };
        let word = default_word(form, isa) & !(0xf << 12) | guard_bits;
        let found = matcher.pieces(form.pieces, start, word);
        furthest = matcher.furthest;
        misfit = matcher.misfit;
        if let Some(instruction) = found {
            return Ok(instruction);
        }
    }
    if !tried {
        return Err(unknown(format!("sm_{} has no instruction {mnemonic}", isa.name())));
    }
    if let Some((offset, message)) = misfit.filter(|(offset, _)| *offset >= furthest) {
        let message = format!("{mnemonic}: {message}");
        return Err(ParseError { offset, message });
    }
    let rest = body[furthest..].trim_start();
    let message = if rest.is_empty() {
        format!("{mnemonic}: the text ends where an operand or modifier was expected")
    } else {
        format!("{mnemonic}: no form of sm_{} goes on with `{rest}`", isa.name())
    };
    Err(ParseError {
        offset: furthest,
        message,
    })
}

/// The guard as (is uniform, guard bits), and where the mnemonic starts.
type GuardText = (Option<(bool, u128)>, usize);

fn guard(text: &str) -> Result<GuardText, ParseError> {
    let trimmed = text.trim_start();
    let start = text.len() - trimmed.len();
    let Some(rest) = trimmed.strip_prefix('@') else {
        return Ok((None, start));
    };
    let error = || ParseError {
        offset: start,
        message: "a guard is `@P0` to `@P6`, `@PT`, or `@UP…`, with `!` to negate".to_string(),
    };
    let end = rest.find(char::is_whitespace).ok_or_else(error)?;
    let (negated, name) = match rest[..end].strip_prefix('!') {
        Some(name) => (true, name),
        None => (false, &rest[..end]),
    };
    let (uniform, number) = match name.strip_prefix('U') {
        Some(name) => (true, name.strip_prefix('P')),
        None => (false, name.strip_prefix('P')),
    };
    let number: u128 = match number {
        Some("T") => 7,
        Some(n) if n.len() == 1 => n.parse().ok().filter(|n| *n < 7).ok_or_else(error)?,
        _ => return Err(error()),
    };
    let bits = number << 12 | u128::from(negated) << 15;
    let blanks = rest[end..].len() - rest[end..].trim_start().len();
    Ok((Some((uniform, bits)), start + 1 + end + blanks))
}

/// The forms of `opcode` on `isa`: those seen from ptxas first, then the most specific.
fn ordered_forms(isa: Isa, opcode: Opcode) -> Vec<&'static Form> {
    let first = FORMS.partition_point(|f| f.opcode < opcode);
    let mut forms: Vec<&'static Form> = FORMS[first..]
        .iter()
        .take_while(|f| f.opcode == opcode)
        .filter(|f| f.isas.contains(isa))
        .collect();
    forms.sort_by_key(|f| (!f.seen.contains(isa), std::cmp::Reverse(f.mask.count_ones())));
    forms
}

struct Matcher<'a> {
    isa: Isa,
    form: &'static Form,
    text: &'a str,
    context: &'a dyn ParseContext,
    furthest: usize,
    /// A number that is no value of the field that it stands for, the last in the text: where it is, and why.
    misfit: Option<(usize, String)>,
}

impl Matcher<'_> {
    /// Matches `pieces` from offset `at`; on success the decoded instruction.
    fn pieces(&mut self, pieces: &'static [Piece], at: usize, word: u128) -> Option<Instruction> {
        self.furthest = self.furthest.max(at);
        let Some((piece, rest)) = pieces.split_first() else {
            return self.finish(at, word);
        };
        match *piece {
            Piece::Text(text) => {
                let at = self.literal(text, at)?;
                if pieces.len() == self.form.pieces.len() {
                    for alias in self.form.aliases {
                        if self.text[at..].starts_with(alias.text)
                            && let Some(found) = self.pieces(rest, at + alias.text.len(), word)
                        {
                            return Some(found);
                        }
                    }
                }
                self.pieces(rest, at, word)
            }
            Piece::EmptyAddress(text) => {
                if self.text[..at].trim_end().ends_with('[')
                    && let Some(at) = self.literal(text, at)
                {
                    return self.pieces(rest, at, word);
                }
                self.pieces(rest, at, word)
            }
            Piece::Field {
                field,
                prefix,
                suffix,
                plus,
            } => {
                let field = &self.form.fields[usize::from(field)];
                if field.exists_on(self.isa)
                    && let Some(after) = self.literal(prefix, at)
                {
                    for (end, word) in self.field(field, after, word, plus) {
                        if let Some(end) = self.literal(suffix, end)
                            && let Some(found) = self.pieces(rest, end, word)
                        {
                            return Some(found);
                        }
                    }
                }
                let word = omitted(field, word, self.isa)?;
                self.pieces(rest, at, word)
            }
            Piece::Open { field: index, prefix } => {
                let field = &self.form.fields[usize::from(index)];
                if let FieldKind::Register(Register { omit: Some(_), .. }) = field.kind {
                    // The whole operand with its inner modifiers may print nothing.
                    let close = rest
                        .iter()
                        .position(|p| matches!(p, Piece::Close { field: f } if *f == index))?;
                    let silent = omitted(field, word, self.isa).and_then(|w| self.pieces(&rest[close + 1..], at, w));
                    if silent.is_some() {
                        return silent;
                    }
                }
                let at = self.literal(prefix, at)?;
                let (at, word) = match field.decoration() {
                    Some(decoration) => {
                        let (at, word) = self.decorations(decoration, at, word);
                        match &field.kind {
                            FieldKind::Register(register) => {
                                let (at, word) = self.register(field, register, at, word, 0)?;
                                self.reuse(decoration, at, word)
                            }
                            _ => (at, word),
                        }
                    }
                    None => self.field(field, at, word, 0).into_iter().next()?,
                };
                self.pieces(rest, at, word)
            }
            Piece::Close { field } => {
                let field = &self.form.fields[usize::from(field)];
                let (mut at, mut word) = (at, word);
                if let Some(d) = field.decoration() {
                    if d.abs.is_some_and(|b| word >> b & 1 != 0) {
                        at = self.literal("|", at)?;
                    }
                    if let FieldKind::Group(_) = field.kind {
                        (at, word) = self.reuse(d, at, word);
                    }
                }
                self.pieces(rest, at, word)
            }
        }
    }

    /// The whole text is used and the word is this form's: a word that another form stands for is no match.
    fn finish(&self, at: usize, word: u128) -> Option<Instruction> {
        if !self.text[at..].trim().is_empty() {
            return None;
        }
        let instruction = Instruction::decode(self.isa, word).ok()?;
        std::ptr::eq(instruction.form(), self.form).then_some(instruction)
    }

    fn skip_blanks(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        at + (rest.len() - rest.trim_start().len())
    }

    /// Matches literal text; blanks are free, and a leading `+` is not asked for right after `[`.
    fn literal(&mut self, text: &str, at: usize) -> Option<usize> {
        let mut at = at;
        let after_bracket = self.text[..at].trim_end().ends_with('[');
        let text = if after_bracket {
            text.strip_prefix('+').unwrap_or(text)
        } else {
            text
        };
        for (i, word) in text.split(' ').enumerate() {
            if i > 0 || (!word.is_empty() && !word.starts_with('.')) {
                at = self.skip_blanks(at);
            }
            if !self.text[at..].starts_with(word) {
                return None;
            }
            at += word.len();
        }
        self.furthest = self.furthest.max(at);
        Some(at)
    }

    fn decorations(&self, d: &Decoration, at: usize, word: u128) -> (usize, u128) {
        let (mut at, mut word) = (self.skip_blanks(at), word);
        for (mark, bit) in [("!", d.not), ("~", d.inv), ("-", d.neg), ("|", d.abs)] {
            if let Some(bit) = bit
                && self.text[at..].starts_with(mark)
            {
                at += 1;
                word |= 1 << bit;
            }
        }
        (at, word)
    }

    fn reuse(&self, d: &Decoration, at: usize, word: u128) -> (usize, u128) {
        match d.reuse {
            Some(bit) if self.text[at..].starts_with(".reuse") => (at + ".reuse".len(), word | 1 << bit),
            _ => (at, word),
        }
    }

    fn register(&self, field: &Field, register: &Register, at: usize, word: u128, plus: u8) -> Option<(usize, u128)> {
        let (prefix, zero) = class_names(register.class);
        let at = self.skip_blanks(at);
        let rest = &self.text[at..];
        let zero_number = zero_number(register.class, self.isa);
        let (number, length) = if !zero.is_empty() && rest.starts_with(zero) {
            (zero_number?, zero.len())
        } else {
            let digits = rest.strip_prefix(prefix)?;
            let count = digits.bytes().take_while(u8::is_ascii_digit).count();
            let number: u64 = digits[..count].parse().ok()?;
            (number, prefix.len() + count)
        };
        let number = match zero_number {
            // The register after the one encoded: the encoded one was given by its own text already.
            _ if plus > 0 => {
                return self.after_pair(field, number, at + length, word, plus, zero_number);
            }
            Some(zero) if number > zero => return None,
            _ => number,
        };
        let raw = if register.inverted {
            7u64.checked_sub(number)?
        } else {
            number
        };
        if raw >> field.bits.length() != 0 {
            return None;
        }
        Some((at + length, field.bits.write(word, raw)))
    }

    fn after_pair(
        &self,
        field: &Field,
        number: u64,
        at: usize,
        word: u128,
        plus: u8,
        zero: Option<u64>,
    ) -> Option<(usize, u128)> {
        let encoded = field.bits.read(word);
        let expected = zero.map_or(encoded + u64::from(plus), |z| (encoded + u64::from(plus)).min(z));
        (number == expected).then_some((at, word))
    }

    /// Every way to read `field` at `at`, longest text first.
    fn field(&mut self, field: &'static Field, at: usize, word: u128, plus: u8) -> Vec<(usize, u128)> {
        let one = |found: Option<(usize, u128)>| found.into_iter().collect();
        match &field.kind {
            FieldKind::Register(register) => {
                let Some((end, word)) = self.decorated_register(field, register, at, word, plus) else {
                    return Vec::new();
                };
                // `.reuse` is the operand's flag, or that of a bit of its own which follows it in the text.
                let (after, reused) = self.reuse(&register.decoration, end, word);
                if after == end {
                    vec![(end, word)]
                } else {
                    vec![(after, reused), (end, word)]
                }
            }
            FieldKind::Enumeration { set, .. } => self.modifier(field, set, at, word),
            FieldKind::Flag { text, when } => one(self
                .literal(text, at)
                .map(|end| (end, field.bits.write(word, u64::from(*when))))),
            FieldKind::Unsigned { scale, zero, .. } | FieldKind::Signed { scale, zero, .. } => {
                let at = self.skip_blanks(at);
                if let Some(zero) = zero.filter(|z| self.text[at..].starts_with(*z)) {
                    return vec![(at + zero.len(), field.bits.write(word, 0))];
                }
                let signed = matches!(field.kind, FieldKind::Signed { .. });
                let Some((value, end)) = self.integer(field, at) else {
                    return Vec::new();
                };
                let read = scaled(field, value, *scale, signed, word);
                if read.is_none() && self.misfit.as_ref().is_none_or(|(place, _)| *place < at) {
                    self.misfit = Some((at, misfit(field, &self.text[at..end], value, *scale)));
                }
                one(read.map(|word| (end, word)))
            }
            FieldKind::Relative { scale } => {
                let end = self.context.address().wrapping_add(16) as i64;
                one(self.integer(field, at).and_then(|(value, after)| {
                    Some((after, scaled(field, value.wrapping_sub(end), *scale, true, word)?))
                }))
            }
            FieldKind::Float(format) => {
                let at = self.skip_blanks(at);
                let length = float_length(&self.text[at..]);
                let literal = &self.text[at..at + length];
                // Special values are followed by a blank, which a modifier may follow.
                let end = at + length + usize::from(self.text[at + length..].starts_with(" ."));
                let bits = read_float(literal, *format).map(|b| (end, b));
                let bits = bits.or_else(|| {
                    let (value, end) = self.expression(field, at)?;
                    Some((end, value as u64))
                });
                one(bits.map(|(end, bits)| (end, field.bits.write(word, bits))))
            }
            FieldKind::Scoreboards { .. } => one(self.scoreboards(field, at, word)),
            FieldKind::Group(_) => Vec::new(),
        }
    }

    fn decorated_register(
        &self,
        field: &Field,
        register: &Register,
        at: usize,
        word: u128,
        plus: u8,
    ) -> Option<(usize, u128)> {
        let d = &register.decoration;
        let (at, word) = self.decorations(d, at, word);
        let (at, word) = self.register(field, register, at, word, plus)?;
        if d.abs.is_none_or(|b| word >> b & 1 == 0) {
            return Some((at, word));
        }
        self.text[at..].starts_with('|').then_some((at + 1, word))
    }

    fn modifier(&self, field: &Field, set: &ValueSet, at: usize, word: u128) -> Vec<(usize, u128)> {
        let at = if set.dotted { at } else { self.skip_blanks(at) };
        let rest = &self.text[at..];
        let mut found: Vec<(usize, u128)> = set
            .members
            .iter()
            .filter(|m| m.isas.contains(self.isa) && !m.text.is_empty() && rest.starts_with(m.text))
            .map(|m| (at + m.text.len(), field.bits.write(word, u64::from(m.value))))
            .collect();
        let reserved = set
            .invalid
            .iter()
            .map(|v| ("INVALID", v))
            .chain(set.unknown.iter().map(|v| ("???", v)));
        for (name, &value) in reserved {
            let text = format!("{}{name}{value}", if set.dotted { "." } else { "" });
            if rest.starts_with(&text) {
                found.push((at + text.len(), field.bits.write(word, u64::from(value))));
            }
        }
        found.sort_by_key(|&(end, _)| std::cmp::Reverse(end));
        found
    }

    /// An integer literal or an expression that the context resolves.
    fn integer(&self, field: &Field, at: usize) -> Option<(i64, usize)> {
        let at = self.skip_blanks(at);
        let rest = &self.text[at..];
        let length = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '-')
            .unwrap_or(rest.len());
        match read_integer(&rest[..length]) {
            Some(value) => Some((value, at + length)),
            None => self.expression(field, at),
        }
    }

    /// An expression with balanced parentheses, up to `,`, `]`, `}` or a blank.
    fn expression(&self, field: &Field, at: usize) -> Option<(i64, usize)> {
        let mut depth = 0usize;
        let mut end = self.text.len();
        for (i, c) in self.text[at..].char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.checked_sub(1)?,
                ',' | ']' | '}' | ' ' | ';' if depth == 0 => {
                    end = at + i;
                    break;
                }
                _ => {}
            }
        }
        let value = self.context.resolve(&self.text[at..end], field.name)?;
        Some((value, end))
    }

    /// `{5,4}`
    fn scoreboards(&mut self, field: &Field, at: usize, word: u128) -> Option<(usize, u128)> {
        let at = self.literal("{", at)?;
        let length = self.text[at..].find('}')?;
        let mut set = 0;
        for number in self.text[at..at + length].split(',').filter(|n| !n.trim().is_empty()) {
            set |= 1 << number.trim().parse::<u32>().ok().filter(|n| *n < 6)?;
        }
        Some((at + length + 1, field.bits.write(word, set)))
    }
}

/// Length of the float literal that `text` begins with: `-1.5e-07`, `+INF`, `-QNAN`.
fn float_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut at = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    let word = bytes[at..].iter().take_while(|b| b.is_ascii_alphabetic()).count();
    if word > 0 {
        return at + word;
    }
    at += digits(at);
    if bytes.get(at) == Some(&b'.') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
        at += 1 + digits(at + 1);
    }
    if bytes.get(at) == Some(&b'e') {
        let sign = at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'-' | b'+')));
        if bytes.get(sign).is_some_and(u8::is_ascii_digit) {
            at = sign + digits(sign);
        }
    }
    at
}

/// The word with the field at the value that prints nothing; `None` if every value prints.
fn omitted(field: &Field, word: u128, isa: Isa) -> Option<u128> {
    if !field.exists_on(isa) {
        return Some(field.bits.write(word, default_value(field, isa)));
    }
    let value = match &field.kind {
        FieldKind::Register(r) => {
            let omit = u64::from(r.omit?);
            if r.inverted { 7 - omit } else { omit }
        }
        FieldKind::Enumeration { set, omit, .. } => match omit {
            Some(value) => u64::from(*value),
            None => {
                let silent = set.members.iter().find(|m| m.isas.contains(isa) && m.text.is_empty());
                silent
                    .map(|m| u64::from(m.value))
                    .or(set.blank.first().map(|&v| u64::from(v)))?
            }
        },
        FieldKind::Flag { when, .. } => u64::from(!*when),
        FieldKind::Unsigned { omit, .. } | FieldKind::Signed { omit, .. } | FieldKind::Scoreboards { omit } => {
            u64::from((*omit)?)
        }
        FieldKind::Relative { .. } | FieldKind::Float(_) | FieldKind::Group(_) => return None,
    };
    Some(field.bits.write(word, value))
}

/// Why a number is no value of a field.
fn misfit(field: &Field, text: &str, value: i64, scale: u32) -> String {
    match value % i64::from(scale) {
        0 => format!("{text} does not fit in {} bits", field.bits.length() + scale.ilog2()),
        _ => format!("{text} is not a multiple of {scale}"),
    }
}

/// The word with `value / scale` in the field; `None` if it does not divide or fit. A field of `n` bits takes -2^(n-1) to 2^n - 1.
fn scaled(field: &Field, value: i64, scale: u32, signed: bool, word: u128) -> Option<u128> {
    let scale = i64::from(scale);
    if value % scale != 0 {
        return None;
    }
    let (value, length) = (value / scale, field.bits.length());
    if length < 64 {
        let (low, high) = (-(1i64 << (length - 1)), (1i64 << length) - 1);
        let high = if signed && scale != 1 {
            (1i64 << (length - 1)) - 1
        } else {
            high
        };
        if value < low || value > high {
            return None;
        }
    }
    Some(field.bits.write(word, value as u64))
}
