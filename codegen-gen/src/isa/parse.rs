//! Table text to model. One line is one fact; indentation says whose.
//!
//! The grammar is described for people in `isa-tables/README.md`.

use super::access::{NamedWidths, access, width};
use super::model::{
    Access, Alias, AliasTest, Bits, Class, ControlRule, Decoration, EFFECTS, FLOWS, Field, FloatFormat, Form,
    Instruction, IsaSet, Kind, MEMORY, Member, MemoryAccess, Modifier, Piece, SPACES, Tables, ValueSet,
};
use super::template;
use crate::TableError;
use std::collections::BTreeMap;

/// Parses table files, given as (name, text), into one model.
///
/// # Errors
/// The first line that does not parse, or a name that is used and not declared.
pub fn parse(files: &[(String, String)]) -> Result<Tables, TableError> {
    let mut reader = Reader {
        modifiers: Vec::new(),
        sets: BTreeMap::new(),
        instructions: Vec::new(),
    };
    // Value sets are used by every other file: read the files that declare them first.
    for (file, text) in files {
        reader.modifiers(file, text)?;
    }
    for (file, text) in files {
        reader.instructions(file, text)?;
    }
    reader.instructions.sort_by(|a, b| a.mnemonic.cmp(&b.mnemonic));
    for pair in reader.instructions.windows(2) {
        if pair[0].mnemonic == pair[1].mnemonic {
            return Err(TableError::new(
                &pair[1].file,
                pair[1].line,
                format!("{} is declared twice", pair[1].mnemonic),
            ));
        }
    }
    Ok(Tables {
        modifiers: reader.modifiers,
        instructions: reader.instructions,
    })
}

struct Reader {
    modifiers: Vec<Modifier>,
    sets: BTreeMap<String, ValueSet>,
    instructions: Vec<Instruction>,
}

/// A line without comment, its indentation and number.
struct Line<'a> {
    indent: usize,
    text: &'a str,
    number: usize,
}

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.lines().enumerate().filter_map(|(i, raw)| {
        let body = raw.split_once("  #").map_or(raw, |(code, _)| code).trim_end();
        let text = body.trim_start();
        (!text.is_empty() && !text.starts_with('#')).then_some(Line {
            indent: body.len() - text.len(),
            text,
            number: i + 1,
        })
    })
}

/// Splits `name "quoted text" rest`.
fn quoted(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.split_once('"')?;
    let (body, rest) = rest.split_once('"')?;
    Some((name.trim(), body, rest.trim()))
}

impl Reader {
    fn modifiers(&mut self, file: &str, text: &str) -> Result<(), TableError> {
        let mut set: Option<String> = None;
        let mut inside = false;
        for line in lines(text) {
            let fail = |m: String| TableError::new(file, line.number, m);
            if let Some(rest) = line.text.strip_prefix("modifier ").filter(|_| line.indent == 0) {
                let (name, doc, rest) = quoted(rest).ok_or_else(|| fail("modifier needs a \"description\"".into()))?;
                let default = rest.strip_prefix("default=").map(str::to_string);
                if self.modifiers.iter().any(|m| m.name == name) {
                    return Err(fail(format!("modifier {name} is declared twice")));
                }
                self.modifiers.push(Modifier {
                    name: name.to_string(),
                    doc: doc.to_string(),
                    default,
                });
                (inside, set) = (true, None);
            } else if line.indent == 0 {
                inside = false;
            } else if inside && line.text.starts_with("set ") {
                let name = line.text[4..].trim().to_string();
                if self.sets.insert(name.clone(), ValueSet::default()).is_some() {
                    return Err(fail(format!("set {name} is declared twice")));
                }
                set = Some(name);
            } else if let Some(values) = set.as_ref().filter(|_| inside).and_then(|name| self.sets.get_mut(name)) {
                for token in line.text.split_whitespace() {
                    if !value_token(values, token) {
                        return Err(fail(format!(
                            "`{token}` is no value of a set (value=text, invalid=, unknown=, blank=, refused=)"
                        )));
                    }
                }
            }
        }
        Ok(())
    }

    fn instructions(&mut self, file: &str, text: &str) -> Result<(), TableError> {
        let mut current: Option<Draft> = None;
        for line in lines(text) {
            let fail = |m: String| TableError::new(file, line.number, m);
            if line.indent == 0 {
                if let Some(draft) = current.take() {
                    self.instructions.push(draft.finish(file)?);
                }
                if let Some(rest) = line.text.strip_prefix("instruction ") {
                    let (mnemonic, summary, _) =
                        quoted(rest).ok_or_else(|| fail("instruction needs a \"summary\"".into()))?;
                    current = Some(Draft::new(mnemonic, summary, file, line.number));
                } else if !line.text.starts_with("modifier ") {
                    return Err(fail(format!(
                        "`{}` starts neither an instruction nor a modifier",
                        line.text
                    )));
                }
                continue;
            }
            let Some(draft) = current.as_mut() else {
                continue;
            };
            let (keyword, rest) = line.text.split_once(char::is_whitespace).unwrap_or((line.text, ""));
            let result = if line.indent == 2 {
                draft.instruction_line(self, keyword, rest.trim(), line.number)
            } else {
                draft.form_line(self, keyword, rest.trim())
            };
            result.map_err(fail)?;
        }
        if let Some(draft) = current.take() {
            self.instructions.push(draft.finish(file)?);
        }
        Ok(())
    }
}

/// An instruction while its lines are read.
struct Draft {
    instruction: Instruction,
    common: Vec<Field>,
    local: Vec<Vec<Field>>,
    control: ControlRule,
    widths: NamedWidths,
}

impl Draft {
    fn new(mnemonic: &str, summary: &str, file: &str, line: usize) -> Draft {
        let instruction = Instruction {
            mnemonic: mnemonic.to_string(),
            summary: summary.to_string(),
            aliases: Vec::new(),
            access: Vec::new(),
            flow: "none".to_string(),
            memory: Vec::new(),
            effects: Vec::new(),
            implicit: Vec::new(),
            forms: Vec::new(),
            file: file.to_string(),
            line,
        };
        Draft {
            instruction,
            common: Vec::new(),
            local: Vec::new(),
            control: ControlRule::ANY,
            widths: NamedWidths::new(),
        }
    }

    fn instruction_line(&mut self, reader: &Reader, keyword: &str, rest: &str, number: usize) -> Result<(), String> {
        match keyword {
            "form" => {
                let (name, text, _) = quoted(rest).ok_or("form needs a \"template\"")?;
                self.instruction.forms.push(Form {
                    control: self.control,
                    name: name.to_string(),
                    template: template::parse(text)?,
                    isas: IsaSet::NONE,
                    seen: IsaSet::NONE,
                    fixed: Vec::new(),
                    hidden: false,
                    guard: "P".to_string(),
                    fill: Vec::new(),
                    fields: Vec::new(),
                    line: number,
                });
                self.local.push(Vec::new());
            }
            "alias" => self.instruction.aliases.push(alias(rest)?),
            "width" => {
                let (name, text) = rest
                    .split_once(char::is_whitespace)
                    .ok_or("width needs a name and a rule")?;
                let rule = width(text.trim(), &self.widths)?;
                self.widths.insert(name.to_string(), rule);
            }
            "access" => self.instruction.access.push(access(rest, &self.widths, number)?),
            "control" => self.control = control(rest)?,
            "flow" => self.instruction.flow = one_of(rest, &FLOWS)?,
            "memory" => self.instruction.memory = memory(rest)?,
            "effects" => {
                self.instruction.effects = rest
                    .split_whitespace()
                    .map(|w| one_of(w, &EFFECTS))
                    .collect::<Result<_, _>>()?;
            }
            "implicit" => self.instruction.implicit.push(implicit(rest)?),
            _ => self.common.push(field(reader, keyword, rest)?),
        }
        Ok(())
    }

    fn form_line(&mut self, reader: &Reader, keyword: &str, rest: &str) -> Result<(), String> {
        let (Some(form), Some(local)) = (self.instruction.forms.last_mut(), self.local.last_mut()) else {
            return Err("this line belongs to a form, and no form came before it".to_string());
        };
        match keyword {
            "sm" => {
                let mut words = rest.split_whitespace();
                let set = |w: Option<&str>| {
                    w.and_then(IsaSet::parse)
                        .ok_or(format!("`{rest}`: expected `75..120 seen 75..90`"))
                };
                form.isas = set(words.next())?;
                if words.next() == Some("seen") {
                    form.seen = set(words.next())?;
                }
            }
            "match" => {
                for (i, token) in rest.split_whitespace().enumerate() {
                    let (at, value) = if i == 0 && !token.contains('=') {
                        ("0:12", token)
                    } else {
                        token.split_once('=').ok_or(format!("`{token}`: expected bits=value"))?
                    };
                    form.fixed.push((bits(at)?, number(value)?));
                }
            }
            "control" => form.control = control(rest)?,
            "hidden" => form.hidden = true,
            "guard" => form.guard = one_of(rest, &["P", "UP", "none"])?,
            "fill" => {
                for token in rest.split_whitespace() {
                    let (at, value) = token.split_once('=').ok_or(format!("`{token}`: expected bits=value"))?;
                    form.fill.push((bits(at)?, number(value)?));
                }
            }
            _ => local.push(field(reader, keyword, rest)?),
        }
        Ok(())
    }

    /// Resolves the fields that each form's template names, and splits forms at the change of uniform register width.
    fn finish(mut self, file: &str) -> Result<Instruction, TableError> {
        let mut forms = Vec::new();
        for (mut form, local) in std::mem::take(&mut self.instruction.forms).into_iter().zip(self.local) {
            let fail = |m: String| TableError::new(file, form.line, m);
            let mut names = Vec::new();
            template::field_names(&form.template, &mut names);
            // A form's own field that its text does not print: bits that hold one of several values and say nothing.
            for f in &local {
                if !names.contains(&f.name) {
                    names.push(f.name.clone());
                }
            }
            for name in &names {
                let found = local.iter().chain(&self.common).find(|f| &f.name == name);
                let found = found.ok_or_else(|| {
                    fail(format!(
                        "form {} uses field {name}, which is declared nowhere",
                        form.name
                    ))
                })?;
                form.fields.push(found.clone());
            }
            if form.isas.is_empty() {
                return Err(fail(format!("form {} has no `sm` line", form.name)));
            }
            for set in [
                IsaSet::NARROW_UNIFORM,
                IsaSet(IsaSet::ALL.0 & !IsaSet::NARROW_UNIFORM.0),
            ] {
                let part = with_uniform_width(&form, set);
                if part.fields == form.fields {
                    forms.push(form.clone());
                    break;
                }
                if !part.isas.is_empty() {
                    forms.push(part);
                }
            }
        }
        self.instruction.forms = forms;
        Ok(self.instruction)
    }
}

/// `form` on the generations of `set`, its uniform register fields with their width there.
fn with_uniform_width(form: &Form, set: IsaSet) -> Form {
    let length = if set == IsaSet::NARROW_UNIFORM { 6 } else { 8 };
    let mut form = form.clone();
    form.isas = form.isas.and(set);
    form.seen = form.seen.and(set);
    for piece in form.fields.iter_mut().flat_map(|f| &mut f.bits.0) {
        if piece.length == Bits::UNIFORM {
            piece.length = length;
        }
    }
    form
}

/// `no-write-scoreboard@75..89 no-read-scoreboard no-reuse`, or `any`.
fn control(rest: &str) -> Result<ControlRule, String> {
    let mut rule = ControlRule::ANY;
    for token in rest.split_whitespace().filter(|t| *t != "any") {
        let (word, isas) = token.split_once('@').unwrap_or((token, "75..120"));
        let isas = IsaSet::parse(isas).ok_or(format!("`{isas}` is no list of SMs"))?;
        match word {
            "no-write-scoreboard" => rule.no_write_scoreboard = isas,
            "no-read-scoreboard" => rule.no_read_scoreboard = isas,
            "zero-stall" => rule.zero_stall = isas,
            "no-reuse" => rule.no_reuse = true,
            _ => return Err(format!("`{word}` is no rule of the control word")),
        }
    }
    Ok(rule)
}

fn one_of(word: &str, words: &[&str]) -> Result<String, String> {
    if words.contains(&word) {
        Ok(word.to_string())
    } else {
        Err(format!("`{word}` is none of {}", words.join(", ")))
    }
}

fn number(text: &str) -> Result<u128, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => u128::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| format!("`{text}` is no number"))
}

fn small<T: TryFrom<u128>>(text: &str) -> Result<T, String> {
    T::try_from(number(text)?).map_err(|_| format!("`{text}` is too large"))
}

/// `16:8+34:48`, `72`, `32:ur`, or `-` for no bits.
fn bits(text: &str) -> Result<Bits, String> {
    if text == "-" {
        return Ok(Bits(Vec::new()));
    }
    let mut pieces = Vec::new();
    for part in text.split('+') {
        let (low, length) = part.split_once(':').unwrap_or((part, "1"));
        let length = if length == "ur" { Bits::UNIFORM } else { small(length)? };
        pieces.push(Piece {
            low: small(low)?,
            length,
        });
    }
    Ok(Bits(pieces))
}

/// `3,5-7` as a list.
fn ranges(text: &str) -> Result<Vec<u32>, String> {
    let mut values = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        values.extend(small::<u32>(first)?..=small::<u32>(last)?);
    }
    Ok(values)
}

/// Adds one token to a value set; false if it is not of that form.
fn value_token(set: &mut ValueSet, token: &str) -> bool {
    let Some((key, value)) = token.split_once('=') else {
        return false;
    };
    if let Ok(number) = key.parse() {
        let (text, isas) = match value.rsplit_once('@') {
            Some((text, isas)) => match IsaSet::parse(isas) {
                Some(isas) => (text, isas),
                None => return false,
            },
            None => (value, IsaSet::ALL),
        };
        let text = if text == "_" { String::new() } else { text.to_string() };
        set.members.push(Member {
            value: number,
            text,
            isas,
        });
        return true;
    }
    let (key, isas) = match key.split_once('@') {
        Some((key, isas)) => (key, IsaSet::parse(isas)),
        None => (key, Some(IsaSet::ALL)),
    };
    let (Some(isas), Ok(values)) = (isas, ranges(value)) else {
        return false;
    };
    match key {
        "invalid" => set.invalid.extend(values),
        "unknown" => set.unknown.extend(values),
        "blank" => set.blank.extend(values),
        "refused" => set.refused.extend(values.into_iter().map(|v| (v, isas))),
        _ => return false,
    }
    true
}

/// Attributes of a field line, `key=value` or a bare word.
#[derive(Default)]
struct Attributes {
    decoration: Decoration,
    inverted: bool,
    scale: Option<u32>,
    omit: Option<u32>,
    zero: Option<String>,
    exclude: Vec<u32>,
    isas: Option<IsaSet>,
}

impl Attributes {
    fn read(tokens: &[&str]) -> Result<Attributes, String> {
        let mut a = Attributes::default();
        for token in tokens {
            let (key, value) = token.split_once('=').unwrap_or((token, ""));
            let bit = |value: &str| -> Result<(Option<u8>, Option<IsaSet>), String> {
                let (bit, isas) = value.split_once('@').unwrap_or((value, ""));
                Ok((Some(small(bit)?), IsaSet::parse(isas)))
            };
            match key {
                "neg" => (a.decoration.neg, a.decoration.neg_isas) = bit(value)?,
                "abs" => (a.decoration.abs, a.decoration.abs_isas) = bit(value)?,
                "inv" => a.decoration.inv = bit(value)?.0,
                "not" => a.decoration.not = bit(value)?.0,
                "reuse" => a.decoration.reuse = bit(value)?.0,
                "inverted" => a.inverted = true,
                "scale" => a.scale = Some(small(value)?),
                "omit" => a.omit = Some(small(value)?),
                "zero" => a.zero = Some(value.to_string()),
                "exclude" => a.exclude = ranges(value)?,
                "sm" => a.isas = Some(IsaSet::parse(value).ok_or(format!("`{value}` is no list of SMs"))?),
                _ => return Err(format!("`{token}` is no attribute of a field")),
            }
        }
        Ok(a)
    }
}

fn field(reader: &Reader, name: &str, rest: &str) -> Result<Field, String> {
    let tokens: Vec<&str> = rest.split_whitespace().collect();
    let [at, kind, tokens @ ..] = tokens.as_slice() else {
        return Err(format!("field {name}: expected bits and kind"));
    };
    let register = |class, a: Attributes| Kind::Register {
        class,
        decoration: a.decoration,
        inverted: a.inverted,
        omit: a.omit,
        exclude: a.exclude,
    };
    let (kind, isas) = match *kind {
        "enum" => return enumeration(reader, name, bits(at)?, tokens),
        "flag" | "unless" => {
            let [text, tokens @ ..] = tokens else {
                return Err(format!("flag {name} needs its text"));
            };
            (
                Kind::Flag {
                    text: text.to_string(),
                    when: *kind == "flag",
                },
                Attributes::read(tokens)?.isas,
            )
        }
        other => {
            let a = Attributes::read(tokens)?;
            let (isas, scale) = (a.isas, a.scale.unwrap_or(1));
            let kind = match other {
                "gpr" => register(Class::Gpr, a),
                "ugpr" => register(Class::UniformGpr, a),
                "pred" => register(Class::Predicate, a),
                "upred" => register(Class::UniformPredicate, a),
                "barrier" => register(Class::Barrier, a),
                "scoreboard" => register(Class::Scoreboard, a),
                "scoreboards" => Kind::Scoreboards { omit: a.omit },
                "uint" => Kind::Unsigned {
                    scale,
                    omit: a.omit,
                    zero: a.zero,
                },
                "sint" => Kind::Signed {
                    scale,
                    omit: a.omit,
                    zero: a.zero,
                },
                "pcrel" => Kind::Relative { scale },
                "f16" => Kind::Float(FloatFormat::F16),
                "bf16" => Kind::Float(FloatFormat::Bf16),
                "f32" => Kind::Float(FloatFormat::F32),
                "f64hi" => Kind::Float(FloatFormat::F64High),
                "constant" => Kind::Group(a.decoration),
                _ => return Err(format!("`{other}` is no kind of field")),
            };
            (kind, isas)
        }
    };
    Ok(Field {
        name: name.to_string(),
        bits: bits(at)?,
        kind,
        isas,
    })
}

fn enumeration(reader: &Reader, name: &str, bits: Bits, tokens: &[&str]) -> Result<Field, String> {
    let [modifier, tokens @ ..] = tokens else {
        return Err(format!("enum {name} needs its modifier kind"));
    };
    if !reader.modifiers.iter().any(|m| m.name == *modifier) {
        return Err(format!("modifier kind {modifier} is declared nowhere"));
    }
    let mut set = ValueSet::default();
    let mut rest = Vec::new();
    for token in tokens {
        if let Some(shared) = token.strip_prefix('$') {
            set = reader
                .sets
                .get(shared)
                .cloned()
                .ok_or(format!("value set {shared} is declared nowhere"))?;
        } else if !value_token(&mut set, token) {
            rest.push(*token);
        }
    }
    let a = Attributes::read(&rest)?;
    let kind = Kind::Enumeration {
        modifier: modifier.to_string(),
        set,
        omit: a.omit,
    };
    Ok(Field {
        name: name.to_string(),
        bits,
        kind,
        isas: a.isas,
    })
}

/// `.MOV when Ra=255 & imm=pow2 in R_R_I_R`
fn alias(rest: &str) -> Result<Alias, String> {
    let (rest, forms) = rest.split_once(" in ").ok_or("alias needs `in` and its forms")?;
    let forms = forms.split_whitespace().map(str::to_string).collect();
    let (text, conditions) = rest.split_once(" when ").ok_or("alias needs `when`")?;
    let mut tests = Vec::new();
    for condition in conditions.split('&') {
        let (field, value) = condition
            .trim()
            .split_once('=')
            .ok_or("alias condition needs field=value")?;
        let test = if value == "pow2" {
            AliasTest::PowerOfTwo
        } else {
            AliasTest::Equals(small(value)?)
        };
        tests.push((field.to_string(), test));
    }
    let text = if text.trim() == "_" { "" } else { text.trim() };
    Ok(Alias {
        text: text.to_string(),
        conditions: tests,
        forms,
    })
}

/// `read global async, write shared`
fn memory(rest: &str) -> Result<Vec<MemoryAccess>, String> {
    rest.split(',')
        .map(|access| {
            let mut words = access.split_whitespace();
            let effect = one_of(words.next().unwrap_or_default(), &MEMORY)?;
            let space = one_of(words.next().unwrap_or_default(), &SPACES)?;
            let asynchronous = words.next().map(|word| one_of(word, &["async"])).transpose()?.is_some();
            Ok(MemoryAccess {
                effect,
                space,
                asynchronous,
            })
        })
        .collect()
}

/// `PR write`
fn implicit(rest: &str) -> Result<(String, Access), String> {
    let (file, access) = rest
        .split_once(char::is_whitespace)
        .ok_or("implicit needs PR or UPR, and read or write")?;
    let access = if one_of(access.trim(), &["read", "write"])? == "read" {
        Access::Read
    } else {
        Access::Write
    };
    Ok((one_of(file, &["PR", "UPR"])?, access))
}
