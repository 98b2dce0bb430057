//! Table text to model. The grammar is described for people in `ir-defs/ptx/README.md`.

use super::kind;
use super::lines::{Line, lines};
use super::model::{Count, Effect, Form, Kind, OpcodeRow, Operand, Role, Rule, Shape, Slot, Tables, Type, TypeRow};
use super::{header, pattern, special};
use crate::TableError;
use std::collections::BTreeMap;

/// Parses table files, given as (name, text).
///
/// # Errors
/// Every line that does not parse and every name that is used and not declared.
pub fn parse(files: &[(String, String)]) -> Result<Tables, Vec<TableError>> {
    let mut reader = Reader::default();
    let lines: Vec<(&str, Vec<Line>)> = files.iter().map(|(name, text)| (name.as_str(), lines(text))).collect();
    // Declarations hold for every file, whatever their order.
    for (file, lines) in &lines {
        for line in lines.iter().filter(|line| line.indent == 0) {
            if let Err(message) = reader.declaration(&line.text) {
                reader.errors.push(TableError::new(file, line.number, message));
            }
        }
    }
    for (file, lines) in &lines {
        reader.file(file, lines);
    }
    match reader.errors.is_empty() {
        true => Ok(reader.tables),
        false => Err(reader.errors),
    }
}

#[derive(Default)]
struct Reader {
    tables: Tables,
    sets: BTreeMap<String, Vec<String>>,
    operands: BTreeMap<String, Vec<Kind>>,
    errors: Vec<TableError>,
}

/// What the lines above the first form say, and then each form.
#[derive(Default, Clone)]
struct Block {
    slots: Vec<(String, Vec<String>)>,
    operands: Vec<(Vec<String>, Vec<Kind>)>,
    rules: Vec<Rule>,
    counts: Vec<Count>,
    notes: Vec<String>,
    uncompiled: bool,
}

struct Instruction {
    opcode: usize,
    family: usize,
    section: String,
    common: Block,
    /// Pattern, line, and own lines of each form.
    forms: Vec<(String, usize, Block)>,
    /// Indentation of the last `form` line: deeper lines are its own.
    indent: usize,
}

impl Reader {
    fn declaration(&mut self, text: &str) -> Result<(), String> {
        let Some((word, rest)) = text.split_once(char::is_whitespace) else {
            return Ok(());
        };
        let rest = rest.trim();
        match word {
            "type" => self.type_row(rest),
            "ordered" => {
                self.tables.ordered.extend(rest.split_whitespace().map(str::to_string));
                Ok(())
            }
            "repeatable" => {
                self.tables.repeatable.extend(kind::names(rest)?);
                Ok(())
            }
            "class" => {
                let (name, values) = rest.split_once(':').ok_or("class needs `NAME: MODIFIER…`")?;
                let values = kind::names(values)?;
                let other = |value: &&String| {
                    self.tables
                        .classes
                        .iter()
                        .find(|(class, known)| class != name.trim() && known.contains(value))
                };
                if let Some((value, (class, _))) = values
                    .iter()
                    .find_map(|value| other(&value).map(|found| (value, found)))
                {
                    return Err(format!("modifier .{value} is in class {class} already"));
                }
                match self.tables.classes.iter_mut().find(|(class, _)| class == name.trim()) {
                    Some((_, known)) => {
                        known.extend(values.into_iter().filter(|v| !known.contains(v)).collect::<Vec<_>>())
                    }
                    None => self.tables.classes.push((name.trim().to_string(), values)),
                }
                Ok(())
            }
            "set" => {
                let (name, values) = rest.split_once(char::is_whitespace).ok_or("set needs `.NAME VALUE…`")?;
                let name = name.strip_prefix('.').ok_or("a set's name starts with a dot")?;
                let values = kind::names(values)?;
                match self.sets.insert(name.to_string(), values.clone()) {
                    Some(before) if before != values => Err(format!("set .{name} is declared twice, differently")),
                    _ => Ok(()),
                }
            }
            "operand" => {
                let (names, kinds) = kind::named(rest)?;
                self.operands
                    .extend(names.into_iter().map(|name| (name, kinds.clone())));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn type_row(&mut self, rest: &str) -> Result<(), String> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let [name, bits, kind] = words[..] else {
            return Err("type needs `NAME BITS KIND`".into());
        };
        let bits = bits.parse().map_err(|_| format!("`{bits}` is no number of bits"))?;
        if !["bits", "unsigned", "signed", "float", "packed", "predicate", "opaque"].contains(&kind) {
            return Err(format!("`{kind}` is no kind of type"));
        }
        if self.tables.types.iter().any(|row| row.name == name) {
            return Err(format!("type {name} is declared twice"));
        }
        self.tables.types.push(TypeRow {
            name: name.into(),
            bits,
            kind: kind.into(),
        });
        Ok(())
    }

    fn file(&mut self, file: &str, lines: &[Line]) {
        let mut family = None;
        let mut current: Option<Instruction> = None;
        for line in lines {
            let (word, rest) = line.text.split_once(char::is_whitespace).unwrap_or((&line.text, ""));
            let result = match (word, line.indent) {
                ("type" | "class" | "set" | "operand" | "repeatable" | "ordered", 0) => Ok(()),
                ("family", 0) => {
                    self.finish(file, &mut current);
                    family = Some(self.family(rest.trim()));
                    Ok(())
                }
                (word, 0) if header::WORDS.contains(&word) => header::row(&mut self.tables.header, word, rest),
                ("constant", 0) => special::constant(rest).map(|row| self.tables.constants.push(row)),
                (name, 0) if name.starts_with('%') => {
                    special::rows(&line.text).map(|rows| self.tables.specials.extend(rows))
                }
                ("instruction", 0) => {
                    self.finish(file, &mut current);
                    match family {
                        Some(family) => {
                            current = Some(self.instruction(rest.trim(), family));
                            Ok(())
                        }
                        None => Err("an instruction needs a `family` line before it".into()),
                    }
                }
                _ => match current.as_mut() {
                    Some(instruction) => self.inside(instruction, line, word, rest.trim()),
                    None => Err(format!("`{word}` is not understood here")),
                },
            };
            if let Err(message) = result {
                self.errors.push(TableError::new(file, line.number, message));
            }
        }
        self.finish(file, &mut current);
    }

    /// The number of a family; several files may hold parts of one.
    fn family(&mut self, name: &str) -> usize {
        let families = &mut self.tables.families;
        families.iter().position(|family| family == name).unwrap_or_else(|| {
            families.push(name.to_string());
            families.len() - 1
        })
    }

    fn instruction(&mut self, name: &str, family: usize) -> Instruction {
        let known = self.tables.opcodes.iter().position(|row| row.name == name);
        let opcode = known.unwrap_or_else(|| {
            self.tables.opcodes.push(OpcodeRow {
                name: name.into(),
                family,
                title: String::new(),
                section: String::new(),
            });
            self.tables.opcodes.len() - 1
        });
        Instruction {
            opcode,
            family,
            section: String::new(),
            common: Block::default(),
            forms: Vec::new(),
            indent: 0,
        }
    }

    fn inside(&mut self, instruction: &mut Instruction, line: &Line, word: &str, rest: &str) -> Result<(), String> {
        match word {
            "title" => {
                let row = &mut self.tables.opcodes[instruction.opcode];
                if row.title.is_empty() {
                    row.title = rest.to_string();
                }
                return Ok(());
            }
            "section" => {
                instruction.section = rest.to_string();
                let row = &mut self.tables.opcodes[instruction.opcode];
                if row.section.is_empty() {
                    row.section = rest.to_string();
                }
                return Ok(());
            }
            "form" => {
                instruction
                    .forms
                    .push((rest.to_string(), line.number, Block::default()));
                instruction.indent = line.indent;
                return Ok(());
            }
            _ => {}
        }
        let block = match instruction.forms.last_mut() {
            Some((_, _, block)) if line.indent > instruction.indent => block,
            _ => &mut instruction.common,
        };
        match word {
            _ if word.starts_with('.') => block.slots.push((word[1..].to_string(), kind::names(rest)?)),
            "operand" => block.operands.push(kind::named(rest)?),
            "count" => block.counts.extend(kind::counts(rest)?),
            "needs" => {
                let (when, rest) = kind::when(rest)?;
                block.rules.push(Rule {
                    when,
                    effect: Effect::Needs(kind::requirements(rest)?),
                });
            }
            "refuse" | "warn" | "beyond" => {
                let (when, reason) = kind::when(rest)?;
                let reason = reason.to_string();
                let effect = match word {
                    "warn" => Effect::Warn(reason),
                    "beyond" => Effect::Beyond(reason),
                    _ => Effect::Refuse(reason),
                };
                block.rules.push(Rule { when, effect });
            }
            "note" => block.notes.push(rest.to_string()),
            "uncompiled" if rest.is_empty() => block.uncompiled = true,
            _ => return Err(format!("`{word}` is not understood in an instruction")),
        }
        Ok(())
    }

    fn finish(&mut self, file: &str, current: &mut Option<Instruction>) {
        let Some(mut instruction) = current.take() else {
            return;
        };
        for (pattern, line, block) in std::mem::take(&mut instruction.forms) {
            match self.form(&instruction, &pattern, block) {
                Ok(form) => self.tables.forms.push(Form {
                    place: (file.to_string(), line),
                    ..form
                }),
                Err(message) => self.errors.push(TableError::new(file, line, message)),
            }
        }
    }

    fn form(&self, instruction: &Instruction, text: &str, own: Block) -> Result<Form, String> {
        let opcode = &self.tables.opcodes[instruction.opcode].name;
        let (modifiers, operands) = pattern::split(text, opcode)?;
        let common = instruction.common.clone();
        let mut slots = pattern::modifiers(modifiers)?;
        for slot in &mut slots {
            let declared = own
                .slots
                .iter()
                .chain(&common.slots)
                .find(|(name, _)| *name == slot.name)
                .map(|(_, values)| values);
            match declared.or_else(|| self.sets.get(&slot.name)) {
                Some(values) => slot.values = values.clone(),
                None => (slot.values, slot.literal) = (vec![slot.name.clone()], true),
            }
            self.known_modifiers(&slot.values)?;
        }
        for (name, _) in &own.slots {
            if !slots.iter().any(|slot| slot.name == *name) {
                return Err(format!("the pattern has no slot .{name}"));
            }
        }
        let mut operands = pattern::operands(operands)?;
        let declared: Vec<&(Vec<String>, Vec<Kind>)> = own.operands.iter().chain(&common.operands).collect();
        for operand in &mut operands {
            self.kinds(operand, &declared, &slots)?;
        }
        let form = Form {
            opcode: instruction.opcode,
            family: instruction.family,
            pattern: text.to_string(),
            section: instruction.section.clone(),
            slots,
            operands,
            rules: common.rules.into_iter().chain(own.rules).collect(),
            counts: own.counts.into_iter().chain(common.counts).collect(),
            notes: common.notes.into_iter().chain(own.notes).collect(),
            uncompiled: common.uncompiled || own.uncompiled,
            place: Default::default(),
        };
        Ok(form)
    }

    fn known_modifiers(&self, values: &[String]) -> Result<(), String> {
        let known = |value: &String| {
            self.tables.types.iter().any(|row| row.name == *value)
                || self.tables.classes.iter().any(|(_, values)| values.contains(value))
        };
        match values.iter().find(|value| !known(value)) {
            None => Ok(()),
            Some(value) => Err(format!("modifier .{value} is in no class")),
        }
    }

    /// Fills in the kinds of an operand and its parts.
    fn kinds(
        &self,
        operand: &mut Operand,
        declared: &[&(Vec<String>, Vec<Kind>)],
        slots: &[Slot],
    ) -> Result<(), String> {
        match &mut operand.shape {
            Shape::One(kinds) => {
                let name = operand.name.as_str();
                let bare = name.trim_matches(['[', ']']);
                let found = declared
                    .iter()
                    .find(|(names, _)| names.iter().any(|n| n == name || n == bare));
                *kinds = match found {
                    Some((_, kinds)) => kinds.clone(),
                    None => match self.operands.get(name).or_else(|| self.operands.get(bare)) {
                        Some(kinds) => kinds.clone(),
                        None => vec![self.usual(name, slots)?],
                    },
                };
                // An address has brackets of its own; other things, such as textures, keep those of the pattern.
                let bracketed =
                    name.starts_with('[') && !kinds.iter().any(|kind| matches!(kind.role, Role::Address(_)));
                operand.name = bare.to_string();
                if bracketed {
                    let inner = Operand {
                        group: 0,
                        ..operand.clone()
                    };
                    operand.name.clear();
                    operand.shape = Shape::Bracket(vec![inner]);
                }
                Ok(())
            }
            Shape::Bracket(parts) | Shape::Vector(parts) => {
                parts.iter_mut().try_for_each(|part| self.kinds(part, declared, slots))
            }
            Shape::Pair(first, second, _) => {
                self.kinds(first, declared, slots)?;
                self.kinds(second, declared, slots)
            }
            Shape::List(inner) => {
                self.kinds(inner, declared, slots)?;
                // `(param)` with `list K` and `(param)` with `K` mean the same.
                if let Shape::One(kinds) = &mut inner.shape {
                    for kind in kinds {
                        if let Role::List(element) = &kind.role {
                            *kind = (**element).clone();
                        }
                    }
                }
                Ok(())
            }
        }
    }

    /// What an operand is by its name.
    fn usual(&self, name: &str, slots: &[Slot]) -> Result<Kind, String> {
        let plain = |role| Kind {
            role,
            range: Default::default(),
            flags: Vec::new(),
        };
        if name.starts_with('[') {
            let slot = slots
                .iter()
                .find(|slot| ["ss", "space", "state"].contains(&slot.name.as_str()));
            let literal = slots.iter().find(|slot| slot.literal && kind::is_space(&slot.name));
            return Ok(plain(Role::Address(match (slot, literal) {
                (Some(slot), _) => super::model::Spaces::Slot(slot.name.clone()),
                (None, Some(literal)) => super::model::Spaces::Names(vec![literal.name.clone()]),
                (None, None) => super::model::Spaces::Names(vec!["generic".into()]),
            })));
        }
        match name {
            "d" => Ok(plain(Role::Out(self.usual_type(name, slots)?))),
            "a" | "b" | "c" | "e" | "f" => Ok(plain(Role::Value(self.usual_type(name, slots)?))),
            "p" | "q" => Ok(plain(Role::Predicate { out: true })),
            _ => Err(format!("operand `{name}` needs an `operand` line")),
        }
    }

    fn usual_type(&self, name: &str, slots: &[Slot]) -> Result<Type, String> {
        let own = format!("{name}type");
        if let Some(slot) = slots
            .iter()
            .find(|slot| slot.name == own)
            .or_else(|| slots.iter().find(|slot| slot.name == "type"))
        {
            return Ok(Type::Slot(slot.name.clone()));
        }
        let is_type = |slot: &&Slot| slot.literal && self.tables.types.iter().any(|row| row.name == slot.name);
        let mut types = slots.iter().filter(is_type);
        match (types.next(), types.next()) {
            (Some(slot), None) => Ok(Type::Fixed(slot.name.clone())),
            (Some(_), Some(_)) => Err(format!(
                "operand `{name}`: the pattern has several types; say which by an `operand` line"
            )),
            (None, _) => Err(format!(
                "operand `{name}`: the pattern has no type; say it by an `operand` line"
            )),
        }
    }
}

/// Names of all single operands of a shape, in order.
pub(super) fn operand_names(operand: &Operand, out: &mut Vec<String>) {
    match &operand.shape {
        Shape::One(_) => out.push(operand.name.clone()),
        Shape::Bracket(parts) | Shape::Vector(parts) => parts.iter().for_each(|part| operand_names(part, out)),
        Shape::Pair(first, second, _) => {
            operand_names(first, out);
            operand_names(second, out);
        }
        Shape::List(inner) => operand_names(inner, out),
    }
}
