//! Model to Rust: the opcode, field and modifier types, and the static tables that the decoder, encoder, printer and parser of
//! `warpsmith-sass` interpret. Data with a small interpreter compiles in seconds where straight-line code would take minutes.

use super::model::{
    AliasTest, Class, Decoration, Factor, Field, Form, ISAS, Instruction, IsaSet, Kind, Modifier, Tables, ValueSet,
    WidthRule,
};
use super::seen::Seen;
use super::template::Part;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The Rust source for `tables`, with the modifier values that a compiler was seen to write.
pub fn emit(tables: &Tables, seen: &Seen) -> String {
    let mut out = String::from("// Generated from isa-tables; do not edit.\n");
    let mut e = Emitter::new(tables, seen);
    e.opcodes(&mut out);
    e.field_names(&mut out);
    e.modifiers(&mut out);
    e.forms(&mut out);
    e.form_names(&mut out);
    out
}

/// `snake_case`, `.DOTTED.TEXT` or `Rd` to a Rust type or variant name.
fn camel(text: &str) -> String {
    let mut out = String::new();
    for word in text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty())
    {
        let mut chars = word.chars();
        let Some(first) = chars.next() else { continue };
        out.push(first.to_ascii_uppercase());
        let rest = chars.as_str();
        let shouted = !word.chars().any(|c| c.is_ascii_lowercase());
        out.push_str(&if shouted {
            rest.to_ascii_lowercase()
        } else {
            rest.to_string()
        });
    }
    if out.starts_with(|c: char| c.is_ascii_digit()) {
        format!("N{out}")
    } else {
        out
    }
}

/// The variant name of a field: register operands keep their spelling.
fn field_variant(name: &str) -> String {
    if name.starts_with(|c: char| c.is_ascii_uppercase()) {
        name.to_string()
    } else {
        camel(name)
    }
}

struct Emitter<'a> {
    tables: &'a Tables,
    seen: &'a Seen,
    /// Texts of each modifier kind, in the order of the enum's variants; index 0 is the text of the default if there is one.
    members: BTreeMap<&'a str, Vec<&'a str>>,
    pieces: Vec<String>,
    sets: Vec<String>,
    set_index: BTreeMap<String, usize>,
    widths: Vec<String>,
    width_index: BTreeMap<String, usize>,
    /// Declarations of the constants that forms share, and the name of each value: most fields and pieces recur in many forms, and
    /// the compiler reads each only once.
    constants: Vec<String>,
    constant_names: BTreeMap<String, String>,
}

impl<'a> Emitter<'a> {
    fn new(tables: &'a Tables, seen: &'a Seen) -> Emitter<'a> {
        let mut members: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for field in all_forms(tables).flat_map(|(_, f)| &f.fields) {
            if let Kind::Enumeration { modifier, set, .. } = &field.kind {
                members
                    .entry(modifier)
                    .or_default()
                    .extend(set.members.iter().map(|m| m.text.as_str()));
            }
        }
        let members = members.into_iter().map(|(k, v)| (k, v.into_iter().collect())).collect();
        let (sets, set_index) = (Vec::new(), BTreeMap::new());
        Emitter {
            tables,
            seen,
            members,
            pieces: Vec::new(),
            sets,
            set_index,
            widths: Vec::new(),
            width_index: BTreeMap::new(),
            constants: Vec::new(),
            constant_names: BTreeMap::new(),
        }
    }

    /// The name of a constant of type `kind` with this value.
    fn constant(&mut self, kind: &str, value: String) -> String {
        if let Some(name) = self.constant_names.get(&value) {
            return name.clone();
        }
        let name = format!("{}{}", &kind[..1], self.constants.len());
        self.constants.push(format!("const {name}: {kind} = {value};\n"));
        self.constant_names.insert(value, name.clone());
        name
    }

    fn opcodes(&self, out: &mut String) {
        out.push_str("/// An instruction: one mnemonic with all its operand forms.\n#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[repr(u16)]\npub enum Opcode {\n");
        for i in &self.tables.instructions {
            let doc = if i.summary.is_empty() { &i.mnemonic } else { &i.summary };
            let _ = writeln!(out, "    /// `{}`: {doc}.\n    {},", i.mnemonic, camel(&i.mnemonic));
        }
        out.push_str("}\n");
        let _ = writeln!(
            out,
            "pub(crate) static OPCODES: [OpcodeInfo; {}] = [",
            self.tables.instructions.len()
        );
        for i in &self.tables.instructions {
            let _ = writeln!(
                out,
                "    OpcodeInfo {{ opcode: Opcode::{}, mnemonic: {:?}, summary: {:?}, {} }},",
                camel(&i.mnemonic),
                i.mnemonic,
                i.summary,
                effects(i)
            );
        }
        out.push_str("];\n");
    }

    fn field_names(&self, out: &mut String) {
        let names: BTreeSet<&str> = all_forms(self.tables)
            .flat_map(|(_, f)| &f.fields)
            .map(|f| f.name.as_str())
            .collect();
        out.push_str("/// The name of a field of an instruction form, as in the tables.\n#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[repr(u8)]\n#[allow(missing_docs)]\npub enum FieldName {\n");
        for name in &names {
            let _ = writeln!(out, "    {},", field_variant(name));
        }
        let names: Vec<&str> = names.into_iter().collect();
        let _ = writeln!(
            out,
            "}}\npub(crate) static FIELD_NAMES: [&str; {}] = {names:?};",
            names.len()
        );
    }

    fn modifiers(&self, out: &mut String) {
        out.push_str("/// A kind of modifier.\n#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[repr(u8)]\npub enum ModifierKind {\n");
        let docs: BTreeMap<&str, &Modifier> = self.tables.modifiers.iter().map(|m| (m.name.as_str(), m)).collect();
        for name in self.members.keys() {
            let _ = writeln!(out, "    /// {}.\n    {},", docs[name].doc, camel(name));
        }
        out.push_str("}\n");
        let names: Vec<&&str> = self.members.keys().collect();
        let _ = writeln!(
            out,
            "pub(crate) static MODIFIER_KINDS: [&str; {}] = {names:?};",
            names.len()
        );
        for (name, texts) in &self.members {
            let kind = camel(name);
            let _ = writeln!(
                out,
                "/// {}.\n#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[repr(u16)]\npub enum {kind} {{",
                docs[name].doc
            );
            let mut used = BTreeSet::new();
            let mut variants = Vec::new();
            for text in texts {
                let mut variant = if text.is_empty() {
                    camel(docs[name].default.as_deref().unwrap_or("default"))
                } else {
                    camel(text)
                };
                while !used.insert(variant.clone()) {
                    variant.push('_');
                }
                let doc = if text.is_empty() {
                    "The default: prints nothing.".to_string()
                } else {
                    format!("`{text}`")
                };
                let _ = writeln!(out, "    /// {doc}\n    {variant},");
                variants.push(variant);
            }
            out.push_str("}\n");
            let all: Vec<String> = variants.iter().map(|v| format!("{kind}::{v}")).collect();
            let _ = writeln!(
                out,
                "impl Modifier for {kind} {{\n    const KIND: ModifierKind = ModifierKind::{kind};\n    const ALL: &'static [{kind}] = &[{}];\n    const TEXTS: &'static [&'static str] = &{texts:?};\n    fn index(self) -> u16 {{ self as u16 }}\n}}",
                all.join(", ")
            );
        }
    }

    fn forms(&mut self, out: &mut String) {
        let mut body = String::new();
        let mut count = 0usize;
        let tables = self.tables;
        for (instruction, form) in all_forms(tables) {
            let (mask, value) = form.fixed_mask();
            let fill = form.fill.iter().fold(0, |w, (bits, v)| w | bits.place(*v));
            let guard = match form.guard.as_str() {
                "UP" => "UniformPredicate",
                "none" => "None",
                _ => "Predicate",
            };
            let mut fields = String::new();
            for field in &form.fields {
                let text = self.field(instruction, form, field);
                let text = self.constant("Field", text);
                fields.push_str(&text);
                fields.push_str(", ");
            }
            let registers = self.registers(instruction, form);
            self.pieces.clear();
            self.template(form, &form.template);
            let pieces = std::mem::take(&mut self.pieces);
            let pieces: Vec<String> = pieces.into_iter().map(|p| self.constant("Piece", p)).collect();
            let aliases = aliases(instruction, form);
            let restricted: Vec<usize> = (0..form.fields.len())
                .filter(|&i| is_restricted(&form.fields[i]))
                .collect();
            let reuse = form.fields.iter().fold(0u8, |m, f| match &f.kind {
                Kind::Register { decoration: d, .. } | Kind::Group(d) => m | d.reuse.map_or(0, |b| 1 << (b - 122)),
                _ => m,
            });
            let _ = writeln!(
                body,
                "    Form {{ opcode: Opcode::{}, name: {:?}, isas: IsaSet({}), seen: IsaSet({}), mask: {mask:#x}, value: {value:#x}, fill: {fill:#x}, hidden: {}, guard: GuardKind::{guard}, control: ControlRule {{ no_write_scoreboard: IsaSet({}), no_read_scoreboard: IsaSet({}), zero_stall: IsaSet({}), no_reuse: {}, reuse: {reuse} }}, aliases: &[{aliases}], restricted: &{restricted:?}, fields: &[{fields}], registers: {registers}, pieces: &[{}] }},",
                camel(&instruction.mnemonic),
                form.name,
                form.isas.0,
                form.seen.0,
                form.hidden,
                form.control.no_write_scoreboard.0,
                form.control.no_read_scoreboard.0,
                form.control.zero_stall.0,
                form.control.no_reuse,
                pieces.join(", ")
            );
            count += 1;
        }
        for (i, set) in self.sets.iter().enumerate() {
            let _ = writeln!(out, "static SET_{i}: ValueSet = {set};");
        }
        out.push_str(&self.constants.concat());
        for (i, width) in self.widths.iter().enumerate() {
            let _ = writeln!(out, "static WIDTH_{i}: WidthRule = {width};");
        }
        let _ = writeln!(out, "pub(crate) static FORMS: [Form; {count}] = [\n{body}];");
        self.buckets(out);
    }

    /// The register fields of a form, in order of the text.
    fn registers(&mut self, instruction: &Instruction, form: &Form) -> String {
        let mut list = String::new();
        for (index, field) in form.fields.iter().enumerate() {
            let Kind::Register { class, .. } = &field.kind else {
                continue;
            };
            let rule = instruction.access.iter().rfind(|r| r.applies(form, &field.name));
            let access = rule.map_or("None".to_string(), |rule| format!("Some(Access::{:?})", rule.access));
            let width = match rule {
                None => "RegisterWidth::Fixed(1)".to_string(),
                Some(rule) => match (fixed_width(&rule.width, form), widths_by_value(&rule.width, form)) {
                    (Some(width), _) => format!("RegisterWidth::Fixed({width})"),
                    (None, Some((field, widths))) => {
                        format!("RegisterWidth::ByValue {{ field: {field}, widths: &{widths:?} }}")
                    }
                    (None, None) => "RegisterWidth::ByRule".to_string(),
                },
            };
            let _ = write!(
                list,
                "RegisterField {{ name: FieldName::{}, index: {index}, class: RegisterClass::{}, access: {access}, width: {width}, aligned_to_width: {}, unread: {}, isas: IsaSet({}), places: &[{}] }}, ",
                field_variant(&field.name),
                class_variant(*class),
                rule.is_some_and(|rule| rule.aligned_to_width),
                rule.map_or(0, |rule| rule.unread),
                field.isas.unwrap_or(IsaSet::ALL).0,
                places(form, &field.name)
            );
        }
        self.constant("RegisterFields", format!("&[{list}]"))
    }

    /// Per generation, the forms of each opcode value, the most specific first.
    fn buckets(&self, out: &mut String) {
        let forms: Vec<&Form> = all_forms(self.tables).map(|(_, f)| f).collect();
        let mut list: Vec<usize> = Vec::new();
        let mut starts = Vec::new();
        for isa in 0..ISAS.len() {
            let mut by_opcode: Vec<Vec<usize>> = vec![Vec::new(); 4096];
            for (i, form) in forms.iter().enumerate().filter(|(_, f)| f.isas.has(isa)) {
                by_opcode[(form.fixed_mask().1 & 0xfff) as usize].push(i);
            }
            for bucket in &mut by_opcode {
                bucket.sort_by_key(|&i| (std::cmp::Reverse(forms[i].fixed_mask().0.count_ones()), i));
                starts.push(list.len());
                list.extend(bucket.iter());
            }
        }
        starts.push(list.len());
        let _ = writeln!(
            out,
            "pub(crate) static BUCKET_START: [u16; {}] = {starts:?};",
            starts.len()
        );
        let _ = writeln!(out, "pub(crate) static BUCKETS: [u16; {}] = {list:?};", list.len());
    }

    /// One constant per form name, with the form's index on each generation.
    fn form_names(&self, out: &mut String) {
        let mut names: BTreeMap<(&str, &str), [usize; ISAS.len()]> = BTreeMap::new();
        let none = usize::from(u16::MAX);
        for (index, (instruction, form)) in all_forms(self.tables).enumerate() {
            let row = names
                .entry((&instruction.mnemonic, &form.name))
                .or_insert([none; ISAS.len()]);
            for isa in (0..ISAS.len()).filter(|&i| form.isas.has(i)) {
                row[isa] = index;
            }
        }
        let _ = writeln!(out, "pub(crate) static FORM_NAMES: [FormRow; {}] = [", names.len());
        for ((mnemonic, name), row) in &names {
            let _ = writeln!(
                out,
                "    FormRow {{ opcode: Opcode::{}, name: {name:?}, index: {row:?} }},",
                camel(mnemonic)
            );
        }
        out.push_str("];\n/// Every form name: mnemonic, literal modifiers, operand kinds.\npub mod form {\n    use super::FormName;\n");
        for (i, (mnemonic, name)) in names.keys().enumerate() {
            let constant: String = format!("{mnemonic}_{name}")
                .chars()
                .map(|c| {
                    if c.is_ascii_alphanumeric() {
                        c.to_ascii_uppercase()
                    } else {
                        '_'
                    }
                })
                .collect();
            let _ = writeln!(
                out,
                "    /// `{mnemonic} {name}`\n    pub const {constant}: FormName = FormName({i});"
            );
        }
        out.push_str("}\n");
    }

    fn field(&mut self, instruction: &Instruction, form: &Form, field: &Field) -> String {
        let kind = match &field.kind {
            Kind::Register {
                class,
                decoration,
                inverted,
                omit,
                exclude,
            } => {
                let class = class_variant(*class);
                format!(
                    "FieldKind::Register(Register {{ class: RegisterClass::{class}, decoration: {}, inverted: {inverted}, omit: {}, exclude: &{exclude:?}, access: {} }})",
                    self.decoration(decoration),
                    option(omit),
                    self.access(instruction, form, field)
                )
            }
            Kind::Enumeration { modifier, set, omit } => {
                let set = self.value_set(modifier, set);
                format!(
                    "FieldKind::Enumeration {{ kind: ModifierKind::{}, set: &SET_{set}, omit: {} }}",
                    camel(modifier),
                    option(omit)
                )
            }
            Kind::Flag { text, when } => {
                format!("FieldKind::Flag {{ text: {text:?}, when: {when} }}")
            }
            Kind::Unsigned { scale, omit, zero } => {
                format!(
                    "FieldKind::Unsigned {{ scale: {scale}, omit: {}, zero: {zero:?} }}",
                    option(omit)
                )
            }
            Kind::Signed { scale, omit, zero } => {
                format!(
                    "FieldKind::Signed {{ scale: {scale}, omit: {}, zero: {zero:?} }}",
                    option(omit)
                )
            }
            Kind::Relative { scale } => format!("FieldKind::Relative {{ scale: {scale} }}"),
            Kind::Float(format) => format!("FieldKind::Float(FloatFormat::{format:?})"),
            Kind::Scoreboards { omit } => {
                format!("FieldKind::Scoreboards {{ omit: {} }}", option(omit))
            }
            Kind::Group(decoration) => format!("FieldKind::Group({})", self.decoration(decoration)),
        };
        let bits: Vec<String> = field
            .bits
            .0
            .iter()
            .map(|p| format!("({}, {})", p.low, p.length))
            .collect();
        format!(
            "Field {{ name: FieldName::{}, bits: Bits(&[{}]), isas: IsaSet({}), seen: &{:?}, kind: {kind} }}",
            field_variant(&field.name),
            bits.join(", "),
            field.isas.unwrap_or(IsaSet::ALL).0,
            self.seen_values(instruction, form, field)
        )
    }

    /// The values of a modifier field that a compiler was seen to write.
    fn seen_values(&self, instruction: &Instruction, form: &Form, field: &Field) -> Vec<u32> {
        let key = (instruction.mnemonic.clone(), form.name.clone());
        let texts = self
            .seen
            .get(&key)
            .and_then(|f| f.iter().find(|(name, _)| *name == field.name))
            .map(|(_, t)| t);
        let has = |text: &String| texts.is_some_and(|t| t.contains(text));
        match &field.kind {
            Kind::Enumeration { set, .. } => set.members.iter().filter(|m| has(&m.text)).map(|m| m.value).collect(),
            Kind::Flag { text, when } => {
                let values = [(has(text), u32::from(*when)), (has(&String::new()), u32::from(!*when))];
                values
                    .iter()
                    .filter(|(seen, _)| *seen)
                    .map(|(_, value)| *value)
                    .collect()
            }
            Kind::Register { .. } | Kind::Unsigned { .. } | Kind::Signed { .. } | Kind::Relative { .. } => Vec::new(),
            Kind::Float(_) | Kind::Scoreboards { .. } | Kind::Group(_) => Vec::new(),
        }
    }

    fn decoration(&self, d: &Decoration) -> String {
        if *d == Decoration::default() {
            return "Decoration::NONE".to_string();
        }
        format!(
            "Decoration {{ neg: {}, abs: {}, inv: {}, not: {}, reuse: {}, neg_isas: IsaSet({}), abs_isas: IsaSet({}) }}",
            option(&d.neg),
            option(&d.abs),
            option(&d.inv),
            option(&d.not),
            option(&d.reuse),
            d.neg_isas.unwrap_or(IsaSet::ALL).0,
            d.abs_isas.unwrap_or(IsaSet::ALL).0
        )
    }

    /// The access of an operand: the last rule that names it and its form, or unknown.
    fn access(&mut self, instruction: &Instruction, form: &Form, field: &Field) -> String {
        let Some(rule) = instruction.access.iter().rfind(|r| r.applies(form, &field.name)) else {
            return "None".to_string();
        };
        let width = width(&rule.width);
        let next = self.widths.len();
        let index = *self.width_index.entry(width.clone()).or_insert(next);
        if index == next {
            self.widths.push(width);
        }
        format!(
            "Some(OperandAccess {{ access: Access::{:?}, width: &WIDTH_{index}, aligned_to_width: {} }})",
            rule.access, rule.aligned_to_width
        )
    }

    fn value_set(&mut self, modifier: &str, set: &ValueSet) -> usize {
        let texts = &self.members[modifier];
        let mut members = String::new();
        for m in &set.members {
            let index = texts.iter().position(|t| *t == m.text).unwrap_or(0);
            let _ = write!(
                members,
                "Member {{ value: {}, text: {:?}, variant: {index}, isas: IsaSet({}) }}, ",
                m.value, m.text, m.isas.0
            );
        }
        let refused: Vec<(u32, u16)> = set.refused.iter().map(|r| (r.0, r.1.0)).collect();
        let dotted = set.members.iter().all(|m| m.text.is_empty() || m.text.starts_with('.'));
        let text = format!(
            "ValueSet {{ members: &[{members}], invalid: &{:?}, unknown: &{:?}, blank: &{:?}, refused: &{:?}, dotted: {dotted} }}",
            set.invalid, set.unknown, set.blank, refused
        );
        let next = self.sets.len();
        let index = *self.set_index.entry(text.clone()).or_insert(next);
        if index == next {
            self.sets.push(text);
        }
        index
    }

    /// Flattens a template; `]` of an address is preceded by the text an empty address prints.
    fn template(&mut self, form: &Form, parts: &[Part]) {
        for (i, part) in parts.iter().enumerate() {
            match part {
                Part::Text(text) => self.text(form, parts, i, text),
                Part::Field {
                    name,
                    prefix,
                    suffix,
                    plus,
                    inner,
                    ..
                } => {
                    let index = form.fields.iter().position(|f| &f.name == name).unwrap_or(0);
                    if inner.is_empty() {
                        self.pieces.push(format!(
                            "Piece::Field {{ field: {index}, prefix: {prefix:?}, suffix: {suffix:?}, plus: {plus} }}"
                        ));
                    } else {
                        self.pieces
                            .push(format!("Piece::Open {{ field: {index}, prefix: {prefix:?} }}"));
                        self.template(form, inner);
                        self.pieces.push(format!("Piece::Close {{ field: {index} }}"));
                    }
                }
            }
        }
    }

    fn text(&mut self, form: &Form, parts: &[Part], at: usize, text: &str) {
        let mut rest = text;
        while let Some(close) = rest.find(']') {
            if close > 0 {
                self.pieces.push(format!("Piece::Text({:?})", &rest[..close]));
            }
            let registers = address_classes(form, &parts[..at]);
            let empty = if registers == (false, true) { "URZ" } else { "RZ" };
            self.pieces.push(format!("Piece::EmptyAddress({empty:?})"));
            self.pieces.push("Piece::Text(\"]\")".to_string());
            rest = &rest[close + 1..];
        }
        if !rest.is_empty() {
            self.pieces.push(format!("Piece::Text({rest:?})"));
        }
    }
}

/// Whether general and uniform registers appear in the address that the last `[` of `parts` opened.
fn address_classes(form: &Form, parts: &[Part]) -> (bool, bool) {
    let mut found = (false, false);
    for part in parts.iter().rev() {
        match part {
            Part::Text(t) if t.contains('[') => break,
            Part::Text(_) => {}
            Part::Field { name, .. } => match form.field(name).map(|f| &f.kind) {
                Some(Kind::Register { class: Class::Gpr, .. }) => found.0 = true,
                Some(Kind::Register {
                    class: Class::UniformGpr,
                    ..
                }) => found.1 = true,
                _ => {}
            },
        }
    }
    found
}

/// Where the template prints a register field: what is added to its number, and the place.
fn places(form: &Form, name: &str) -> String {
    let mut found = Vec::new();
    Brackets::default().walk(&form.template, name, &mut found);
    let one = |(plus, place): &(u8, &str)| format!("({plus}, Place::{place})");
    found.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The brackets that a position of the text stands in.
#[derive(Default)]
struct Brackets {
    depth: i32,
    descriptor: bool,
}

impl Brackets {
    fn walk(&mut self, parts: &[Part], wanted: &str, found: &mut Vec<(u8, &'static str)>) {
        for part in parts {
            match part {
                Part::Text(text) => self.read(text),
                Part::Field {
                    name,
                    prefix,
                    suffix,
                    plus,
                    inner,
                    ..
                } => {
                    self.read(prefix);
                    if name == wanted {
                        found.push((if inner.is_empty() { *plus } else { 0 }, self.place()));
                    }
                    match inner.is_empty() {
                        true => self.read(suffix),
                        false => self.walk(inner, wanted, found),
                    }
                }
            }
        }
    }

    fn read(&mut self, text: &str) {
        for (at, c) in text.bytes().enumerate() {
            match c {
                b'[' => {
                    self.depth += 1;
                    // Further brackets of the operand hold its address.
                    let before = &text[..at];
                    self.descriptor = before.ends_with("desc") || before.ends_with("cx");
                }
                b']' => self.depth -= 1,
                _ => {}
            }
        }
    }

    fn place(&self) -> &'static str {
        match (self.depth > 0, self.descriptor) {
            (false, _) => "Operand",
            (true, true) => "Descriptor",
            (true, false) => "Address",
        }
    }
}

/// Flow, memory, other effects and implicit accesses of an instruction.
fn effects(instruction: &Instruction) -> String {
    let memory: Vec<String> = instruction
        .memory
        .iter()
        .map(|m| {
            format!(
                "MemoryAccess {{ effect: MemoryEffect::{}, space: MemorySpace::{}, asynchronous: {} }}",
                camel(&m.effect),
                camel(&m.space),
                m.asynchronous
            )
        })
        .collect();
    let has = |word: &str| instruction.effects.iter().any(|e| e == word);
    let implicit: Vec<String> = instruction
        .implicit
        .iter()
        .map(|(file, access)| {
            let class = if file == "UPR" { "UniformPredicate" } else { "Predicate" };
            format!("(RegisterClass::{class}, Access::{access:?})")
        })
        .collect();
    format!(
        "flow: Flow::{}, memory: &[{}], observable: {}, collective: {}, volatile: {}, implicit: &[{}]",
        camel(&instruction.flow),
        memory.join(", "),
        has("observable"),
        has("collective"),
        has("volatile"),
        implicit.join(", ")
    )
}

/// The variant of a register file.
fn class_variant(class: Class) -> &'static str {
    match class {
        Class::Gpr => "Gpr",
        Class::UniformGpr => "UniformGpr",
        Class::Predicate => "Predicate",
        Class::UniformPredicate => "UniformPredicate",
        Class::Barrier => "Barrier",
        Class::Scoreboard => "Scoreboard",
    }
}

/// The width that a rule gives where each field prints what `printed` says; `None` where that is no text that is known. `None` if the rule counts bits or
/// columns.
fn evaluated(rule: &WidthRule, printed: &dyn Fn(&str) -> Option<String>) -> Option<u8> {
    let factor = |factor: &Factor| match factor {
        Factor::Number(n) => Some(u32::from(*n)),
        Factor::Cases { fields, cases } => {
            let holds = |(text, name): (&String, &String)| text == "*" || printed(name).as_ref() == Some(text);
            let found = cases.iter().find(|(texts, _)| texts.iter().zip(fields).all(holds));
            Some(found.map_or(1, |(_, width)| u32::from(*width)))
        }
        Factor::PopulationCount { .. } | Factor::Columns { .. } => None,
    };
    let mut sum = 0;
    for term in &rule.terms {
        sum += term.iter().map(factor).product::<Option<u32>>()?;
    }
    let divisor = u32::from(rule.divisor);
    let width = match rule.round_up {
        true => sum.div_ceil(divisor),
        false => sum / divisor,
    };
    Some(u8::try_from(width).unwrap_or(u8::MAX))
}

/// The width that a rule gives whatever the fields of the form hold; `None` if it depends on them.
fn fixed_width(rule: &WidthRule, form: &Form) -> Option<u8> {
    let lacks = |name: &String| form.fields.iter().all(|field| field.name != *name);
    // A field that the form lacks prints nothing.
    rule.fields()
        .all(lacks)
        .then(|| evaluated(rule, &|_| Some(String::new())))?
}

/// The widths that a rule gives by the value of the one field of the form that it depends on, and the field's index.
fn widths_by_value(rule: &WidthRule, form: &Form) -> Option<(usize, Vec<u8>)> {
    const LONGEST: u32 = 6;
    let named: BTreeSet<usize> = rule
        .fields()
        .filter_map(|name| form.fields.iter().position(|field| field.name == *name))
        .collect();
    let [index] = named.into_iter().collect::<Vec<_>>()[..] else {
        return None;
    };
    let field = &form.fields[index];
    let covers = |isas: IsaSet| isas.and(form.isas) == form.isas;
    if field.bits.length() > LONGEST || !covers(field.isas.unwrap_or(IsaSet::ALL)) {
        return None;
    }
    let text = |raw: u32| -> Option<Option<String>> {
        match &field.kind {
            Kind::Enumeration { set, omit, .. } => {
                if *omit == Some(raw) || set.blank.contains(&raw) {
                    return Some(Some(String::new()));
                }
                let mut found = set.members.iter().filter(|member| member.value == raw);
                match (found.next(), found.next()) {
                    (None, _) => Some(None),
                    (Some(member), None) if covers(member.isas) => Some(Some(member.text.clone())),
                    (Some(_), _) => None,
                }
            }
            Kind::Flag { text, when } => Some(Some(if (raw != 0) == *when {
                text.clone()
            } else {
                String::new()
            })),
            Kind::Register { .. } | Kind::Unsigned { .. } | Kind::Signed { .. } | Kind::Relative { .. } => None,
            Kind::Float(_) | Kind::Scoreboards { .. } | Kind::Group(_) => None,
        }
    };
    let widths = (0..1_u32 << field.bits.length()).map(|raw| {
        let own = text(raw)?;
        evaluated(rule, &|name| match name == field.name {
            true => own.clone(),
            false => Some(String::new()),
        })
    });
    Some((index, widths.collect::<Option<_>>()?))
}

/// A width rule as a Rust value.
fn width(rule: &WidthRule) -> String {
    let variant = |name: &String| format!("FieldName::{}", field_variant(name));
    let factor = |factor: &Factor| match factor {
        Factor::Number(n) => format!("Factor::Number({n})"),
        Factor::Cases { fields, cases } => {
            let fields: Vec<String> = fields.iter().map(variant).collect();
            let cases: Vec<String> = cases
                .iter()
                .map(|(texts, width)| format!("(&{texts:?}, {width})"))
                .collect();
            format!(
                "Factor::Cases {{ fields: &[{}], cases: &[{}] }}",
                fields.join(", "),
                cases.join(", ")
            )
        }
        Factor::PopulationCount { field, low, length } => {
            format!(
                "Factor::PopulationCount {{ field: {}, low: {low}, length: {length} }}",
                variant(field)
            )
        }
        Factor::Columns { field } => format!("Factor::Columns {{ field: {} }}", variant(field)),
    };
    let terms: Vec<String> = rule
        .terms
        .iter()
        .map(|term| format!("&[{}]", term.iter().map(factor).collect::<Vec<_>>().join(", ")))
        .collect();
    format!(
        "WidthRule {{ terms: &[{}], divisor: {}, round_up: {} }}",
        terms.join(", "),
        rule.divisor,
        rule.round_up
    )
}

/// Whether some value of the field makes a word no instruction of the form.
fn is_restricted(field: &Field) -> bool {
    match &field.kind {
        Kind::Register { exclude, .. } => !exclude.is_empty(),
        Kind::Enumeration { set, .. } => !set.refused.is_empty(),
        Kind::Flag { .. } | Kind::Unsigned { .. } | Kind::Signed { .. } | Kind::Relative { .. } => false,
        Kind::Float(_) | Kind::Scoreboards { .. } | Kind::Group(_) => false,
    }
}

/// The aliases of one form.
fn aliases(instruction: &Instruction, form: &Form) -> String {
    let mut out = String::new();
    for alias in instruction.aliases.iter().filter(|a| a.forms.contains(&form.name)) {
        let mut tests = String::new();
        for (field, test) in &alias.conditions {
            let test = match test {
                AliasTest::Equals(v) => format!("AliasTest::Equals({v})"),
                AliasTest::PowerOfTwo => "AliasTest::PowerOfTwo".to_string(),
            };
            let _ = write!(tests, "(FieldName::{}, {test}), ", field_variant(field));
        }
        let _ = write!(out, "Alias {{ text: {:?}, tests: &[{tests}] }}, ", alias.text);
    }
    out
}

fn all_forms(tables: &Tables) -> impl Iterator<Item = (&Instruction, &Form)> {
    tables
        .instructions
        .iter()
        .flat_map(|i| i.forms.iter().map(move |f| (i, f)))
}

fn option<T: std::fmt::Display>(value: &Option<T>) -> String {
    value.as_ref().map_or("None".to_string(), |v| format!("Some({v})"))
}
