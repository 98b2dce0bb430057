//! Text to model. A line that does not parse is reported and left out; reading goes on.

use super::model::{
    AWAITING, Cell, Class, Declaration, EVIDENCE, FILES, Group, KEYS, LATENCIES, Matrix, ORDERS, PLACES, Property, Row,
    Rule, RuleValue, TELLS, Test, Timing, Value,
};
use crate::TableError;
use crate::isa::model::{ISAS, IsaSet};

/// Reads the table `text` of the file called `name`.
///
/// # Errors
/// Every line that does not parse, with its reason.
pub fn read(name: &str, text: &str) -> Result<Timing, Vec<TableError>> {
    let mut timing = Timing::default();
    let mut errors = Vec::new();
    let mut open = Open::Nothing;
    for (index, raw) in text.lines().enumerate() {
        let line = index + 1;
        let content = strip_comment(raw).trim_end();
        if content.is_empty() {
            continue;
        }
        let result = if content.starts_with(char::is_whitespace) {
            inner(&mut timing, open, content.trim_start(), line)
        } else {
            // A statement that failed to open a block swallows the lines below it without further errors.
            open = Open::Skip;
            statement(&mut timing, content, line).map(|opened| open = opened)
        };
        if let Err(message) = result {
            errors.push(TableError::new(name, line, message));
        }
    }
    if errors.is_empty() { Ok(timing) } else { Err(errors) }
}

/// What an indented line belongs to: the last element of one of the model's lists.
#[derive(Clone, Copy)]
enum Open {
    Nothing,
    Skip,
    Row,
    Class,
}

fn strip_comment(line: &str) -> &str {
    let mut quoted = false;
    for (at, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '#' if !quoted => return &line[..at],
            _ => {}
        }
    }
    line
}

fn statement(timing: &mut Timing, content: &str, line: usize) -> Result<Open, String> {
    let (key, rest) = content.split_once(' ').unwrap_or((content, ""));
    match key {
        "pipe" | "queue" => {
            let (words, text, after) = quoted(rest)?;
            let [name] = words[..] else {
                return Err(format!("expected `{key} NAME \"TEXT\"`"));
            };
            nothing_after(after)?;
            let list = match key {
                "pipe" => &mut timing.pipes,
                _ => &mut timing.queues,
            };
            list.push(declaration(name, text, line));
            Ok(Open::Nothing)
        }
        "group" => group(timing, rest, line),
        "rule" => rule(timing, rest, line),
        "raw" | "waw" | "interval" => row(timing, key, rest, line),
        "class" => class(timing, rest, line),
        _ => Err(format!(
            "unknown statement `{key}` (pipe, queue, group, rule, raw, waw, interval, class)"
        )),
    }
}

fn group(timing: &mut Timing, rest: &str, line: usize) -> Result<Open, String> {
    let (words, text, after) = quoted(rest)?;
    let [name] = words[..] else {
        return Err("expected `group NAME \"TEXT\" [reads GROUP] [wide-addend GROUP]`".to_string());
    };
    let (mut reads, mut wide_addend) = (None, None);
    let options: Vec<&str> = after.split_whitespace().collect();
    for pair in options.chunks(2) {
        match pair {
            ["reads", other] => reads = Some((*other).to_string()),
            ["wide-addend", other] => wide_addend = Some((*other).to_string()),
            _ => return Err(format!("unknown option `{}` of a group", pair.join(" "))),
        }
    }
    timing.groups.push(Group {
        declaration: declaration(name, text, line),
        reads,
        wide_addend,
    });
    Ok(Open::Nothing)
}

fn rule(timing: &mut Timing, rest: &str, line: usize) -> Result<Open, String> {
    let (words, text, after) = quoted(rest)?;
    nothing_after(after)?;
    let (name, value, isas) = match words[..] {
        [name, value] => (name, value, IsaSet::ALL),
        [name, value, "on", sms] => (name, value, generations(sms)?),
        _ => return Err("expected `rule NAME VALUE [on SMS] \"TEXT\"`".to_string()),
    };
    timing.rules.push(Rule {
        declaration: declaration(name, text, line),
        value: rule_value(value)?,
        isas,
    });
    Ok(Open::Nothing)
}

fn rule_value(text: &str) -> Result<RuleValue, String> {
    if let Ok(number) = text.parse() {
        return Ok(RuleValue::Number(number));
    }
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(RuleValue::Words(text.split(',').map(str::to_string).collect()));
    }
    let ranges: Result<Vec<_>, _> = text.split(',').map(range).collect();
    ranges.map(RuleValue::Ranges)
}

fn row(timing: &mut Timing, key: &str, rest: &str, line: usize) -> Result<Open, String> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let (matrix, file, group, word) = match (key, &words[..]) {
        ("raw", [file, "from", group]) => (Matrix::Raw, one_of(file, &FILES)?, *group, 0),
        ("raw", [file, "from", group, "word", word]) => (Matrix::Raw, one_of(file, &FILES)?, *group, number(word)?),
        ("waw", [file, "from", group]) => (Matrix::Waw, one_of(file, &FILES)?, *group, 0),
        ("interval", ["from", group]) => (Matrix::Interval, "", *group, 0),
        _ => {
            return Err(
                "expected `raw FILE from GROUP [word N]`, `waw FILE from GROUP` or `interval from GROUP`".to_string(),
            );
        }
    };
    timing.rows.push(Row {
        matrix,
        file: file.to_string(),
        group: group.to_string(),
        word,
        line,
        cells: Vec::new(),
    });
    Ok(Open::Row)
}

fn class(timing: &mut Timing, rest: &str, line: usize) -> Result<Open, String> {
    let (rest, on) = match rest.split_once(" on ") {
        Some((before, sms)) => (before, Some(generations(sms.trim())?)),
        None => (rest, None),
    };
    let (names, condition) = match rest.split_once(" when ") {
        Some((before, condition)) => (before, Some(condition)),
        None => (rest, None),
    };
    let mnemonics: Vec<String> = names.split_whitespace().map(str::to_string).collect();
    if mnemonics.is_empty() {
        return Err("expected `class MNEMONIC … [when CONDITION] [on SMS]`".to_string());
    }
    let when = match condition {
        Some(text) => alternatives(text)?,
        None => Vec::new(),
    };
    timing.classes.push(Class {
        mnemonics,
        when,
        on,
        properties: Vec::new(),
        line,
    });
    Ok(Open::Class)
}

fn alternatives(text: &str) -> Result<Vec<Vec<Test>>, String> {
    let test = |word: &str| {
        let (absent, modifier) = match word.trim().strip_prefix('!') {
            Some(modifier) => (true, modifier),
            None => (false, word.trim()),
        };
        if !modifier.starts_with('.') || modifier.len() < 2 || modifier[1..].contains(['.', ' ']) {
            return Err(format!("`{modifier}` is not a modifier (`.NAME`)"));
        }
        Ok(Test {
            absent,
            modifier: modifier.to_string(),
        })
    };
    let alternative = |part: &str| part.split('&').map(test).collect();
    text.split('|').map(alternative).collect()
}

fn inner(timing: &mut Timing, open: Open, content: &str, line: usize) -> Result<(), String> {
    match open {
        Open::Skip => Ok(()),
        Open::Nothing => Err("an indented line that belongs to no row or class".to_string()),
        Open::Row => match timing.rows.last_mut() {
            Some(row) => cells(row, content, line),
            None => Ok(()),
        },
        Open::Class => match timing.classes.last_mut() {
            Some(class) => {
                for statement in content.split(';') {
                    class.properties.push(property(statement.trim(), line)?);
                }
                Ok(())
            }
            None => Ok(()),
        },
    }
}

/// `SMS DIST [weak]: SLOT(N) …`
fn cells(row: &mut Row, content: &str, line: usize) -> Result<(), String> {
    let shape = "expected `SMS DIST [weak]: SLOT(N) …`";
    let (head, slots) = content.split_once(':').ok_or(shape)?;
    let (sms, cycles, weak) = match head.split_whitespace().collect::<Vec<_>>()[..] {
        [sms, cycles] => (sms, cycles, false),
        [sms, cycles, "weak"] => (sms, cycles, true),
        _ => return Err(shape.to_string()),
    };
    let (isas, cycles) = (generations(sms)?, number(cycles)?);
    if slots.trim().is_empty() {
        return Err("no consumer".to_string());
    }
    for slot in slots.split_whitespace() {
        let (name, count) = slot
            .strip_suffix(')')
            .and_then(|s| s.split_once('('))
            .ok_or_else(|| format!("`{slot}` is not `SLOT(N)`"))?;
        let (group, place) = place(row.matrix, name);
        row.cells.push(Cell {
            group: group.to_string(),
            place,
            isas,
            cycles,
            weak,
            observations: number(count)?,
            line,
        });
    }
    Ok(())
}

/// Group and place of a slot. Groups may have dots themselves, so only a known last word is a place.
fn place(matrix: Matrix, name: &str) -> (&str, &'static str) {
    if matrix == Matrix::Raw {
        if name == "guard" {
            return ("", "guard");
        }
        if let Some((group, last)) = name.rsplit_once('.')
            && let Some(place) = PLACES[1..].iter().find(|p| **p == last)
        {
            return (group, place);
        }
    }
    (name, PLACES[0])
}

fn property(statement: &str, line: usize) -> Result<Property, String> {
    let mut words: Vec<&str> = statement.split_whitespace().collect();
    let mut observations = 0;
    if let Some(count) = words.last().and_then(|w| w.strip_prefix("n=")) {
        observations = number(count)?;
        words.pop();
    }
    let (key, mut words) = match words.split_first() {
        Some((key, rest)) => (*key, rest),
        None => return Err("an empty statement".to_string()),
    };
    let key = KEYS
        .into_iter()
        .find(|k| *k == key)
        .ok_or_else(|| format!("unknown property `{key}` ({})", KEYS.join(", ")))?;
    let mut isas = None;
    if let [first, rest @ ..] = words
        && !rest.is_empty()
        && first.starts_with(|c: char| c.is_ascii_digit())
    {
        isas = Some(generations(first)?);
        words = rest;
    }
    Ok(Property {
        key,
        isas,
        value: value(key, words)?,
        observations,
        line,
    })
}

fn value(key: &str, words: &[&str]) -> Result<Value, String> {
    match (key, words) {
        ("pipe", [name, evidence]) => {
            let evidence = one_of(evidence, &EVIDENCE)?;
            if matches!(evidence, "observed" | "first-pass") {
                return Err("a pipe is documented, inferred or hypothesis".to_string());
            }
            Ok(Value::Pipe((*name).to_string(), evidence))
        }
        ("group", [name]) => Ok(Value::Group((*name).to_string())),
        ("latency", [kind, evidence]) => {
            let (kind, evidence) = (one_of(kind, &LATENCIES)?, one_of(evidence, &EVIDENCE)?);
            if evidence == "documented" {
                return Err("a latency is observed, first-pass, inferred or hypothesis".to_string());
            }
            Ok(Value::Latency(kind, evidence))
        }
        ("raw", [file, bounds, guard @ ..]) => {
            let (low, high) = range(bounds)?;
            let guard = match guard {
                [] => None,
                ["guard", cycles] => Some(number(cycles)?),
                _ => return Err("expected `raw [SMS] FILE MIN..MAX [guard N]`".to_string()),
            };
            Ok(Value::Raw(one_of(file, &FILES)?, low, high, guard))
        }
        ("scoreboard", ["write"]) => Ok(Value::Scoreboards(true, false)),
        ("scoreboard", ["read"]) => Ok(Value::Scoreboards(false, true)),
        ("scoreboard", ["write,read"]) => Ok(Value::Scoreboards(true, true)),
        ("war", [file, cycles]) => Ok(Value::War(one_of(file, &FILES)?, number(cycles)?)),
        ("issue", [stall]) => Ok(Value::Issue(number(stall)?)),
        ("interval", [stall]) => Ok(Value::Interval(number(stall)?)),
        ("reuse", [slots]) => slots
            .chars()
            .try_fold(0, |mask, c| match "abcd".find(c) {
                Some(bit) => Ok(mask | 1 << bit),
                None => Err(format!("`{c}` is no reuse flag (a, b, c, d)")),
            })
            .map(Value::Reuse),
        ("late", ["UR"]) => Ok(Value::LateUniform),
        ("queue", [name]) => Ok(Value::Queue((*name).to_string())),
        ("tells", [scoreboard, who]) => Ok(Value::Tells(one_of(scoreboard, &TELLS)?, one_of(who, &AWAITING)?)),
        ("orders", [what]) => Ok(Value::Orders(one_of(what, &ORDERS)?)),
        _ => Err(format!("`{}` is not a value of `{key}`", words.join(" "))),
    }
}

/// Words before, inside and after the quotes.
fn quoted(rest: &str) -> Result<(Vec<&str>, &str, &str), String> {
    let mut parts = rest.splitn(3, '"');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(before), Some(text), Some(after)) if !text.is_empty() => {
            Ok((before.split_whitespace().collect(), text, after.trim()))
        }
        _ => Err("no description in quotes".to_string()),
    }
}

fn nothing_after(text: &str) -> Result<(), String> {
    match text {
        "" => Ok(()),
        _ => Err(format!("surplus `{text}`")),
    }
}

fn declaration(name: &str, text: &str, line: usize) -> Declaration {
    Declaration {
        name: name.to_string(),
        text: text.to_string(),
        line,
    }
}

fn one_of<const N: usize>(word: &str, words: &[&'static str; N]) -> Result<&'static str, String> {
    words
        .iter()
        .find(|w| **w == word)
        .copied()
        .ok_or_else(|| format!("`{word}` is none of {}", words.join(", ")))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number that fits"))
}

fn range(text: &str) -> Result<(u8, u8), String> {
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    match (number(low)?, number(high)?) {
        (low, high) if low <= high => Ok((low, high)),
        _ => Err(format!("`{text}` is an empty range")),
    }
}

/// `75..89,100+`.
fn generations(text: &str) -> Result<IsaSet, String> {
    let mut set = 0;
    for part in text.split(',') {
        let last = ISAS[ISAS.len() - 1];
        let part_set = match part.strip_suffix('+') {
            Some(first) => IsaSet::parse(&format!("{first}..{last}")),
            None => IsaSet::parse(part),
        };
        match part_set {
            Some(s) if !s.is_empty() && set & s.0 == 0 => set |= s.0,
            Some(_) => return Err(format!("`{text}` names a generation twice, or none")),
            None => {
                return Err(format!("`{part}` is no generation or range of generations ({ISAS:?})"));
            }
        }
    }
    Ok(IsaSet(set))
}
