//! The small languages inside a table line: names, operand kinds, conditions, requirements.

use super::model::{Alternative, Atom, Count, Kind, Number, Range, Requirement, Role, Spaces, Test, Type};

/// Flag words of operand kinds, ranges apart; the README says what they mean.
pub(super) const FLAGS: [&str; 9] = [
    "element", "sink", "wider", "loose", "any", "unified", "negative", "not", "special",
];

/// Sets of selectors of video operands; the README says which texts they hold.
const SELECTORS: [&str; 5] = ["scalar", "half-mask", "half-select", "byte-mask", "byte-select"];

/// Kinds that are one word.
pub(super) const WORDS: [&str; 8] = [
    "label",
    "function",
    "prototype",
    "targets",
    "texref",
    "samplerref",
    "surfref",
    "special",
];

const SPACES: [&str; 15] = [
    "generic",
    "global",
    "shared",
    "shared::cta",
    "shared::cluster",
    "const",
    "local",
    "param",
    "param::entry",
    "param::func",
    "tex",
    "any",
    "tensor",
    "code",
    "none",
];

/// Whether this names a state space.
pub(super) fn is_space(name: &str) -> bool {
    SPACES.contains(&name)
}

/// Modifier names separated by blanks, with `{8..256..8}` and `{a|b}` written out.
pub(super) fn names(text: &str) -> Result<Vec<String>, String> {
    let mut out = Vec::new();
    for word in text.split_whitespace() {
        expand(word.strip_prefix('.').unwrap_or(word), &mut out)?;
    }
    Ok(out)
}

fn expand(word: &str, out: &mut Vec<String>) -> Result<(), String> {
    let Some((head, rest)) = word.split_once('{') else {
        out.push(word.to_string());
        return Ok(());
    };
    let (inside, tail) = rest
        .split_once('}')
        .ok_or_else(|| format!("`{word}`: `{{` without `}}`"))?;
    if inside.contains("..") {
        let numbers: Option<Vec<u32>> = inside.split("..").map(|n| n.parse().ok()).collect();
        let (low, high, step) = match numbers.as_deref() {
            Some(&[low, high]) => (low, high, 1),
            Some(&[low, high, step]) if step > 0 => (low, high, step),
            _ => return Err(format!("`{{{inside}}}` is no range LOW..HIGH..STEP")),
        };
        (low..=high)
            .step_by(step as usize)
            .try_for_each(|n| expand(&format!("{head}{n}{tail}"), out))
    } else {
        inside
            .split('|')
            .try_for_each(|choice| expand(&format!("{head}{choice}{tail}"), out))
    }
}

/// `NAME… KIND` of an `operand` line.
pub(super) fn named(text: &str) -> Result<(Vec<String>, Vec<Kind>), String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let starts = |word: &&str| {
        ["out", "reg", "value", "imm", "vec", "addr", "pred", "list", "variable"].contains(word) || WORDS.contains(word)
    };
    let at = words
        .iter()
        .skip(1)
        .position(starts)
        .ok_or("operand needs `NAME… KIND`")?
        + 1;
    let names = words[..at].iter().map(|name| name.to_string()).collect();
    let kinds: Result<Vec<Kind>, String> = words[at..].split(|word| *word == "|").map(one).collect();
    Ok((names, with_special(kinds?)))
}

/// `value T | special`: the special registers of type T. The flag says it on each typed alternative.
fn with_special(mut kinds: Vec<Kind>) -> Vec<Kind> {
    let is_special = |kind: &Kind| kind.role == Role::Word("special".into());
    if kinds.len() > 1 && kinds.iter().any(is_special) {
        kinds.retain(|kind| !is_special(kind));
        for kind in &mut kinds {
            kind.flags.push("special".into());
            if let Role::Vector(_, element, _) = &mut kind.role {
                element.flags.push("special".into());
            }
        }
    }
    kinds
}

fn one(words: &[&str]) -> Result<Kind, String> {
    let mut reader = Words { words, at: 0 };
    let role = reader.role()?;
    reader.finish(role)
}

struct Words<'w> {
    words: &'w [&'w str],
    at: usize,
}

impl<'w> Words<'w> {
    fn next(&mut self) -> Result<&'w str, String> {
        let word = self.words.get(self.at).ok_or("the operand kind ends too early")?;
        self.at += 1;
        Ok(word)
    }

    fn peek(&self) -> &'w str {
        self.words.get(self.at).copied().unwrap_or("")
    }

    fn role(&mut self) -> Result<Role, String> {
        let word = self.next()?;
        match (word, self.peek()) {
            ("out" | "reg" | "value" | "imm", "vec") => {
                self.at += 1;
                let number = number(self.next()?)?;
                let element = self.typed(word)?;
                Ok(Role::Vector(number, Box::new(self.with_flags(element)?), None))
            }
            ("vec", _) => {
                let number = number(self.next()?)?;
                let first = self.element()?;
                if self.peek() == "then" {
                    self.at += 1;
                    let rest = self.element()?;
                    let rest = self.with_flags(rest)?;
                    let first = Kind {
                        role: first,
                        range: Range::default(),
                        flags: Vec::new(),
                    };
                    return Ok(Role::Vector(number, Box::new(first), Some(Box::new(rest))));
                }
                Ok(Role::Vector(number, Box::new(self.with_flags(first)?), None))
            }
            ("out", "pred") => {
                self.at += 1;
                Ok(Role::Predicate { out: true })
            }
            ("pred", _) => Ok(Role::Predicate { out: false }),
            ("out" | "reg" | "value" | "imm", _) => self.typed(word),
            ("addr", _) => match self.spaces()? {
                Spaces::Names(names) if names.is_empty() => Err("addr needs state spaces or a slot".into()),
                spaces => Ok(Role::Address(spaces)),
            },
            ("variable", _) => Ok(Role::Variable(match self.spaces()? {
                Spaces::Names(names) if names.is_empty() => Spaces::Names(vec!["any".into()]),
                spaces => spaces,
            })),
            ("list", _) => {
                let role = self.role()?;
                Ok(Role::List(Box::new(self.with_flags(role)?)))
            }
            (word, _) if WORDS.contains(&word) => Ok(Role::Word(word.to_string())),
            (word, _) => Err(format!("`{word}` is no operand kind")),
        }
    }

    fn element(&mut self) -> Result<Role, String> {
        match ["out", "reg", "value", "imm", "pred", "vec"].contains(&self.peek()) {
            true => self.role(),
            false => Ok(Role::Value(self.type_name()?)),
        }
    }

    /// A slot, or names of state spaces.
    fn spaces(&mut self) -> Result<Spaces, String> {
        if let Some(slot) = self.peek().strip_prefix('.') {
            self.at += 1;
            return Ok(Spaces::Slot(slot.to_string()));
        }
        let mut spaces = Vec::new();
        while SPACES.contains(&self.peek()) && (spaces.is_empty() || self.peek() != "any") {
            spaces.push(self.next()?.to_string());
        }
        Ok(Spaces::Names(spaces))
    }

    /// Ranges and flags after the element kind of a vector or list belong to the element and to the whole.
    fn with_flags(&mut self, role: Role) -> Result<Kind, String> {
        let at = self.at;
        let kind = self.finish(role);
        self.at = at;
        kind
    }

    /// The ranges and flags after a role.
    fn finish(&mut self, role: Role) -> Result<Kind, String> {
        let mut kind = Kind {
            role,
            range: Range::default(),
            flags: Vec::new(),
        };
        let integer = |word: &str| word.parse::<i64>().map_err(|_| format!("`{word}` is no integer"));
        while self.at < self.words.len() {
            let word = self.next()?;
            match (word, word.split_once("..")) {
                (_, Some((low, high))) => {
                    kind.range.low = (!low.is_empty()).then(|| integer(low)).transpose()?;
                    kind.range.high = (!high.is_empty()).then(|| integer(high)).transpose()?;
                }
                ("multiple", None) => {
                    let multiple = integer(self.next()?)?;
                    kind.range.multiple = Some(multiple).filter(|n| *n > 0);
                }
                ("selector", None) => {
                    let set = self.next()?;
                    match SELECTORS.contains(&set) {
                        true => kind.flags.push(format!("selector_{}", set.replace('-', "_"))),
                        false => return Err(format!("`{set}` is no set of selectors")),
                    }
                }
                ("power", None) => kind.range.power = true,
                ("nonzero", None) => kind.range.nonzero = true,
                ("in", None) => {
                    while let Ok(value) = self.peek().parse() {
                        kind.range.among.push(value);
                        self.at += 1;
                    }
                }
                (flag, None) if FLAGS.contains(&flag) => kind.flags.push(flag.to_string()),
                (flag, None) => return Err(format!("`{flag}` is no flag of an operand kind")),
            }
        }
        Ok(kind)
    }

    fn typed(&mut self, word: &str) -> Result<Role, String> {
        let t = self.type_name()?;
        Ok(match word {
            "out" => Role::Out(t),
            "reg" => Role::Register(t),
            "value" => Role::Value(t),
            _ => Role::Immediate(t),
        })
    }

    fn type_name(&mut self) -> Result<Type, String> {
        let word = self.next()?;
        Ok(match word {
            "wide" => Type::Wide(Box::new(self.type_name()?)),
            "half" => Type::Half(Box::new(self.type_name()?)),
            _ => match word.strip_prefix('.') {
                Some(slot) => Type::Slot(slot.to_string()),
                None => Type::Fixed(word.to_string()),
            },
        })
    }
}

fn number(word: &str) -> Result<Number, String> {
    if word.contains('|') {
        return word.split('|').map(number).collect::<Result<_, _>>().map(Number::OneOf);
    }
    if let Ok(number) = word.parse() {
        return Ok(Number::Fixed(number));
    }
    let Some(text) = word.strip_prefix('.') else {
        return Ok(Number::Count(word.to_string()));
    };
    let (text, multiply, divide) = match (text.split_once('*'), text.split_once('/')) {
        (Some((text, by)), _) => (text, by, "1"),
        (None, Some((text, by))) => (text, "1", by),
        (None, None) => (text, "1", "1"),
    };
    let parse = |n: &str| {
        n.parse::<u32>()
            .ok()
            .filter(|&n| n > 0)
            .ok_or_else(|| format!("`{n}` is no number"))
    };
    // A letter follows a single colon: modifier names themselves hold double ones.
    let (slot, letter) = match text.rsplit_once(':') {
        Some((slot, letter)) if letter.len() == 1 && !slot.ends_with(':') => (slot, letter.chars().next()),
        _ => (text, None),
    };
    Ok(Number::Slot {
        slot: slot.to_string(),
        letter,
        multiply: parse(multiply)?,
        divide: parse(divide)?,
    })
}

/// `NAME COND: N; COND: N; N` of a `count` line.
pub(super) fn counts(text: &str) -> Result<Vec<Count>, String> {
    let (name, rest) = text
        .split_once(char::is_whitespace)
        .ok_or("count needs `NAME COND: N; …`")?;
    let part = |part: &str| {
        let part = part.trim();
        let (when, value) = match part.split_once(": ") {
            Some((when, value)) => (atoms(when)?, value.trim()),
            None => (Vec::new(), part),
        };
        Ok(Count {
            name: name.to_string(),
            when,
            number: number(value)?,
        })
    };
    rest.split(';')
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(part)
        .collect()
}

/// Splits `when COND: REST` or `REST`.
pub(super) fn when(text: &str) -> Result<(Vec<Atom>, &str), String> {
    let Some(rest) = text.strip_prefix("when ") else {
        return Ok((Vec::new(), text));
    };
    match rest.split_once(": ") {
        Some((condition, rest)) => Ok((atoms(condition)?, rest.trim())),
        None => match rest.strip_suffix(':') {
            Some(condition) => Ok((atoms(condition)?, "")),
            None => Err("`when` needs `COND: `".into()),
        },
    }
}

fn atoms(text: &str) -> Result<Vec<Atom>, String> {
    text.split_whitespace()
        .map(|word| {
            let (negated, word) = match word.strip_prefix('!') {
                Some(rest) => (true, rest),
                None => (false, word),
            };
            let test = match (word.strip_prefix('.'), word.split_once('=')) {
                (Some(_), Some((slot, values))) => Test::SlotIs(
                    slot[1..].to_string(),
                    values.split('|').try_fold(Vec::new(), |mut all, value| {
                        all.extend(names(value)?);
                        Ok::<_, String>(all)
                    })?,
                ),
                (Some(name), None) => Test::Modifier(name.to_string()),
                (None, None) if word.contains('>') => match word.split_once('>') {
                    Some((greater, less)) => Test::Greater(greater.to_string(), less.to_string()),
                    None => return Err(format!("`{word}` is no condition")),
                },
                (None, Some((operand, class))) => Test::Operand(operand.to_string(), Some(class.to_string())),
                (None, None) => Test::Operand(word.to_string(), None),
            };
            Ok(Atom { negated, test })
        })
        .collect()
}

/// `ptx 8.0, sm_90a|sm_100f@8.8`
pub(super) fn requirements(text: &str) -> Result<Vec<Requirement>, String> {
    text.split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(requirement)
        .collect()
}

fn requirement(text: &str) -> Result<Requirement, String> {
    text.split('|')
        .map(|text| alternative(text.trim()))
        .collect::<Result<_, _>>()
        .map(Requirement)
}

fn alternative(text: &str) -> Result<Alternative, String> {
    let wrong = || format!("`{text}` is no requirement (ptx 7.8, sm_80, sm_90a, sm_100f@8.8)");
    match text {
        "texmode_unified" => return Ok(Alternative::IndependentTextures(false)),
        "texmode_independent" => return Ok(Alternative::IndependentTextures(true)),
        _ => {}
    }
    if let Some(version) = text.strip_prefix("ptx ") {
        return Ok(match version.trim().strip_prefix("..") {
            Some(version) => version_number(version).map(|(major, minor)| Alternative::VersionUpTo(major, minor))?,
            None => version_number(version.trim()).map(|(major, minor)| Alternative::Version(major, minor))?,
        });
    }
    let name = text.strip_prefix("sm_").ok_or_else(wrong)?;
    if let Some(number) = name.strip_prefix("..") {
        return number.parse().map(Alternative::TargetUpTo).map_err(|_| wrong());
    }
    let (name, since) = match name.split_once('@') {
        Some((name, version)) => (name, Some(version_number(version)?)),
        None => (name, None),
    };
    let digits = name.trim_end_matches(['a', 'f']);
    let suffix = name[digits.len()..].chars().next();
    Ok(Alternative::Target {
        number: digits.parse().map_err(|_| wrong())?,
        suffix,
        since,
    })
}

/// `7.8`
pub(super) fn version_number(text: &str) -> Result<(u8, u8), String> {
    let parse = |(major, minor): (&str, &str)| Some((major.parse().ok()?, minor.parse().ok()?));
    text.split_once('.')
        .and_then(parse)
        .ok_or_else(|| format!("`{text}` is no version"))
}
