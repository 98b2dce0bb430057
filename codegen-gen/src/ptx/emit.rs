//! Model to Rust: enumerations of opcodes, modifiers and types, and static data of the types in `compiler/ptx/src/table.rs`.

use super::model::{
    Alternative, Atom, Effect, Form, Header, Kind, Number, Operand, Range, Requirement, Role, Shape, Slot, Spaces,
    Tables, Test, Type,
};
use super::parse::operand_names;
use std::fmt::Write as _;

/// The whole generated file.
pub(super) fn emit(tables: &Tables) -> Result<String, String> {
    let mut out = String::from("// Generated from ir-defs/ptx; not to be edited.\n\n");
    enumeration(
        &mut out,
        "Opcode",
        "An instruction, by its dotted name.",
        "u16",
        tables.opcodes.iter().map(|row| row.name.as_str()),
    )?;
    enumeration(
        &mut out,
        "Type",
        "A PTX type.",
        "u8",
        tables.types.iter().map(|row| row.name.as_str()),
    )?;
    enumeration(
        &mut out,
        "Class",
        "What a modifier is about.",
        "u8",
        tables.classes.iter().map(|(name, _)| name.as_str()).chain(["type"]),
    )?;
    let modifiers = modifiers(tables);
    enumeration(
        &mut out,
        "Modifier",
        "A modifier of instructions.",
        "u16",
        modifiers.iter().map(|(name, _)| name.as_str()),
    )?;
    opcodes(&mut out, tables);
    types(&mut out, tables);
    modifier_rows(&mut out, tables, &modifiers);
    let families: Vec<String> = tables.families.iter().map(|name| format!("{name:?}")).collect();
    let _ = writeln!(
        out,
        "/// Families of instructions, as the manual's chapters.\npub static FAMILIES: &[&str] = &[{}];\n",
        families.join(", ")
    );
    out.push_str("/// Every form, by opcode as the tables have them.\npub static FORMS: &[Form] = &[\n");
    for form in &tables.forms {
        let row = row(tables, form).map_err(|message| format!("{}:{}: {message}", form.place.0, form.place.1))?;
        let _ = writeln!(out, "    {row},");
    }
    out.push_str("];\n");
    specials(&mut out, tables);
    header(&mut out, &tables.header);
    let repeatable: Vec<String> = tables
        .repeatable
        .iter()
        .map(|name| format!("Modifier::{}", camel(name)))
        .collect();
    let _ = writeln!(
        out,
        "\n/// Modifiers that may be written more than once.\npub static REPEATABLE: &[Modifier] = &[{}];",
        repeatable.join(", ")
    );
    let mut ordered = Vec::new();
    for class in &tables.ordered {
        if class != "type" && !tables.classes.iter().any(|(name, _)| name == class) {
            return Err(format!("ordered: there is no class {class}"));
        }
        ordered.push(format!("Class::{}", camel(class)));
    }
    let _ = writeln!(
        out,
        "\n/// Classes whose modifiers keep the order of the pattern.\npub static ORDERED: &[Class] = &[{}];",
        ordered.join(", ")
    );
    Ok(out)
}

/// The Rust name of a table name: `L2::cache_hint` is `L2CacheHint`, `1d` is `N1d`, `_ldsm` is `InternalLdsm`.
fn camel(name: &str) -> String {
    let mut out = String::new();
    if name.starts_with('_') {
        out.push_str("Internal");
    } else if name.starts_with(|c: char| c.is_ascii_digit()) {
        out.push('N');
    }
    for part in name.split(['.', '_', ':', '%']).filter(|part| !part.is_empty()) {
        let mut letters = part.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.extend(letters);
    }
    out
}

fn enumeration<'n>(
    out: &mut String,
    name: &str,
    doc: &str,
    repr: &str,
    rows: impl Iterator<Item = &'n str>,
) -> Result<(), String> {
    let rows: Vec<&str> = rows.collect();
    let mut names: Vec<String> = rows.iter().map(|row| camel(row)).collect();
    let _ = writeln!(
        out,
        "/// {doc}\n#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]\n#[repr({repr})]\npub enum {name} {{"
    );
    for (row, variant) in rows.iter().zip(&names) {
        let _ = writeln!(out, "    /// `{row}`\n    {variant},");
    }
    let _ = writeln!(
        out,
        "}}\n\nimpl {name} {{\n    /// Every one, in order.\n    pub const ALL: &[{name}] = &["
    );
    for variant in &names {
        let _ = writeln!(out, "        {name}::{variant},");
    }
    out.push_str("    ];\n}\n\n");
    names.sort();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("two rows of {name} have the Rust name {}", pair[0])),
        None => Ok(()),
    }
}

/// All modifiers with the index of their class; types are modifiers too.
fn modifiers(tables: &Tables) -> Vec<(String, usize)> {
    let types = tables.types.iter().map(|row| (row.name.clone(), tables.classes.len()));
    let classes = tables.classes.iter().enumerate();
    types
        .chain(classes.flat_map(|(index, (_, names))| names.iter().map(move |name| (name.clone(), index))))
        .collect()
}

fn opcodes(out: &mut String, tables: &Tables) {
    out.push_str("/// Facts about each opcode, in order of [`Opcode`].\npub static OPCODES: &[OpcodeInfo] = &[\n");
    for (index, row) in tables.opcodes.iter().enumerate() {
        let forms = tables.forms.iter().enumerate().filter(|(_, form)| form.opcode == index);
        let forms: Vec<String> = forms.map(|(number, _)| number.to_string()).collect();
        let _ = writeln!(
            out,
            "    OpcodeInfo {{ name: {:?}, family: {}, title: {:?}, section: {:?}, forms: &[{}] }},",
            row.name,
            row.family,
            row.title,
            row.section,
            forms.join(", ")
        );
    }
    out.push_str("];\n\n");
    sorted(
        out,
        "OPCODES_BY_NAME",
        "Opcode",
        tables.opcodes.iter().map(|row| row.name.as_str()),
    );
}

fn sorted<'n>(out: &mut String, constant: &str, name: &str, rows: impl Iterator<Item = &'n str>) {
    let mut rows: Vec<&str> = rows.collect();
    rows.sort_unstable();
    let _ = writeln!(
        out,
        "/// Names in ascending order.\npub static {constant}: &[(&str, {name})] = &["
    );
    for row in rows {
        let _ = writeln!(out, "    ({row:?}, {name}::{}),", camel(row));
    }
    out.push_str("];\n\n");
}

fn types(out: &mut String, tables: &Tables) {
    out.push_str("/// Facts about each type, in order of [`Type`].\npub static TYPES: &[TypeInfo] = &[\n");
    for row in &tables.types {
        let _ = writeln!(
            out,
            "    TypeInfo {{ name: {:?}, bits: {}, kind: TypeKind::{}, modifier: Modifier::{} }},",
            row.name,
            row.bits,
            camel(&row.kind),
            camel(&row.name)
        );
    }
    out.push_str("];\n\n");
    sorted(
        out,
        "TYPES_BY_NAME",
        "Type",
        tables.types.iter().map(|row| row.name.as_str()),
    );
}

fn modifier_rows(out: &mut String, tables: &Tables, modifiers: &[(String, usize)]) {
    out.push_str(
        "/// Facts about each modifier, in order of [`Modifier`].\npub static MODIFIERS: &[ModifierInfo] = &[\n",
    );
    for (name, class) in modifiers {
        let (class, of) = match tables.classes.get(*class) {
            Some((class, _)) => (camel(class), "None".to_string()),
            None => ("Type".to_string(), format!("Some(Type::{})", camel(name))),
        };
        let _ = writeln!(
            out,
            "    ModifierInfo {{ name: {name:?}, class: Class::{class}, of_type: {of} }},"
        );
    }
    out.push_str("];\n\n");
    sorted(
        out,
        "MODIFIERS_BY_NAME",
        "Modifier",
        modifiers.iter().map(|(name, _)| name.as_str()),
    );
}

fn specials(out: &mut String, tables: &Tables) {
    let mut rows: Vec<_> = tables.specials.iter().collect();
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    out.push_str(
        "\n/// Special registers in ascending order of their names.\npub static SPECIALS: &[SpecialInfo] = &[\n",
    );
    for row in rows {
        let types: Vec<String> = row.types.iter().map(|name| format!("Type::{}", camel(name))).collect();
        let _ = writeln!(
            out,
            "    SpecialInfo {{ name: {:?}, vector: {}, types: &[{}], needs: {}, section: {:?}, title: {:?} }},",
            row.name,
            row.vector,
            types.join(", "),
            requirements(&row.needs),
            row.section,
            row.title
        );
    }
    let _ = writeln!(
        out,
        "];\n\n/// Predefined constants.\npub static CONSTANTS: &[(&str, i64)] = &{:?};",
        tables.constants
    );
}

fn header(out: &mut String, header: &Header) {
    let version = |(major, minor): (u8, u8)| format!("Version {{ major: {major}, minor: {minor} }}");
    let list = |rows: Vec<String>| rows.join(", ");
    let versions = list(header.versions.iter().map(|v| version(*v)).collect());
    let _ = writeln!(
        out,
        "\n/// Every version, ascending.\npub static VERSIONS: &[Version] = &[{versions}];"
    );
    let old = header
        .old_targets
        .iter()
        .map(|(number, since)| format!("({number}, {})", version(*since)));
    let _ = writeln!(
        out,
        "\n/// Targets that no code is made for: number, and the oldest version that knows it.\npub static OLD_TARGETS: &[(u16, Version)] = &[{}];",
        list(old.collect())
    );
    let new = header
        .new_targets
        .iter()
        .map(|(number, family, since)| format!("({number}, {family}, {})", version(*since)));
    let _ = writeln!(
        out,
        "\n/// Targets that no code is made for yet, also with `a` and `f`: number, family, and the oldest version that knows it.\npub static NEW_TARGETS: &[(u16, u16, Version)] = &[{}];",
        list(new.collect())
    );
    let renamed = header.renamed.iter().map(|row| {
        format!(
            "RenamedTarget {{ former: {}, number: {}, since: {}, family_since: {} }}",
            row.former,
            row.number,
            version(row.since),
            version(row.family_since)
        )
    });
    let _ = writeln!(
        out,
        "\n/// Targets with a former name.\npub static RENAMED_TARGETS: &[RenamedTarget] = &[{}];",
        list(renamed.collect())
    );
    out.push_str("\n/// What directives, types of declarations and operators of initialisers need.\npub mod gates {\n    use super::{FeatureGate, Version};\n");
    for (name, since, target, feature) in &header.gates {
        let _ = writeln!(
            out,
            "    /// {feature}\n    pub const {}: FeatureGate = FeatureGate {{ feature: {feature:?}, version: {}, target: {target} }};",
            name.to_uppercase(),
            version(*since)
        );
    }
    let names = header
        .gates
        .iter()
        .map(|(name, ..)| format!("&{}", name.to_uppercase()));
    let _ = writeln!(
        out,
        "    /// All of them.\n    pub static ALL: &[&FeatureGate] = &[{}];\n}}",
        list(names.collect())
    );
}

/// Names of one form, to number what refers to them.
struct Scope<'f> {
    form: &'f Form,
    operands: Vec<String>,
    tables: &'f Tables,
}

fn row(tables: &Tables, form: &Form) -> Result<String, String> {
    let mut operands = Vec::new();
    form.operands
        .iter()
        .for_each(|operand| operand_names(operand, &mut operands));
    let scope = Scope { form, operands, tables };
    let slots: Vec<String> = form.slots.iter().map(slot).collect();
    let mut number = 0;
    let parts: Result<Vec<String>, String> = form.operands.iter().map(|o| scope.operand(o, &mut number)).collect();
    let rules: Result<Vec<Option<String>>, String> = form
        .rules
        .iter()
        .map(|rule| scope.rule(&rule.when, &rule.effect))
        .collect();
    let counts: Result<Vec<Option<String>>, String> = form
        .counts
        .iter()
        .map(|count| {
            let when = scope.atoms(&count.when)?;
            let Some(when) = when else { return Ok(None) };
            Ok(Some(format!(
                "Count {{ name: {:?}, when: {when}, number: {} }}",
                count.name,
                scope.number(&count.number)?
            )))
        })
        .collect();
    Ok(format!(
        "Form {{ opcode: Opcode::{}, family: {}, pattern: {:?}, section: {:?}, slots: &[{}], operands: &[{}], rules: &[{}], counts: &[{}], notes: &{:?}, uncompiled: {} }}",
        camel(&tables.opcodes[form.opcode].name),
        form.family,
        form.pattern,
        form.section,
        slots.join(", "),
        parts?.join(", "),
        rules?.into_iter().flatten().collect::<Vec<_>>().join(", "),
        counts?.into_iter().flatten().collect::<Vec<_>>().join(", "),
        form.notes,
        form.uncompiled,
    ))
}

fn slot(slot: &Slot) -> String {
    let values: Vec<String> = slot
        .values
        .iter()
        .map(|value| format!("Modifier::{}", camel(value)))
        .collect();
    format!(
        "Slot {{ name: {:?}, optional: {}, literal: {}, values: &[{}] }}",
        slot.name,
        slot.optional,
        slot.literal,
        values.join(", ")
    )
}

fn requirements(list: &[Requirement]) -> String {
    let one = |requirement: &Requirement| {
        let alternatives: Vec<String> = requirement.0.iter().map(alternative).collect();
        format!("Requirement(&[{}])", alternatives.join(", "))
    };
    format!("&[{}]", list.iter().map(one).collect::<Vec<_>>().join(", "))
}

fn alternative(alternative: &Alternative) -> String {
    let version = |(major, minor): (u8, u8)| format!("Version {{ major: {major}, minor: {minor} }}");
    match *alternative {
        Alternative::Version(major, minor) => format!("Alternative::Version({})", version((major, minor))),
        Alternative::VersionUpTo(major, minor) => format!("Alternative::VersionUpTo({})", version((major, minor))),
        Alternative::TargetUpTo(number) => format!("Alternative::TargetUpTo({number})"),
        Alternative::IndependentTextures(on) => format!("Alternative::IndependentTextures({on})"),
        Alternative::Target { number, suffix, since } => {
            let suffix = match suffix {
                None => "None",
                Some('a') => "Architecture",
                Some(_) => "Family",
            };
            let since = since.map_or("None".to_string(), |since| format!("Some({})", version(since)));
            format!(
                "Alternative::Target {{ target: Target {{ number: {number}, suffix: TargetSuffix::{suffix} }}, since: {since} }}"
            )
        }
    }
}

impl Scope<'_> {
    fn slot(&self, name: &str) -> Result<usize, String> {
        let found = self.form.slots.iter().position(|slot| slot.name == name);
        found.ok_or_else(|| format!("the pattern has no slot .{name}"))
    }

    fn operand(&self, operand: &Operand, number: &mut usize) -> Result<String, String> {
        let mut parts = |list: &[Operand]| {
            let list: Result<Vec<String>, String> = list.iter().map(|part| self.operand(part, number)).collect();
            Ok::<_, String>(list?.join(", "))
        };
        let shape = match &operand.shape {
            Shape::One(kinds) => {
                let kinds: Result<Vec<String>, String> = kinds.iter().map(|kind| self.kind(kind)).collect();
                let index = *number;
                *number += 1;
                format!("Shape::One({index}, &[{}])", kinds?.join(", "))
            }
            Shape::Bracket(list) => format!("Shape::Bracket(&[{}])", parts(list)?),
            Shape::Vector(list) => format!("Shape::Vector(&[{}])", parts(list)?),
            Shape::Pair(first, second, optional) => {
                format!(
                    "Shape::Pair(&[{}], {optional})",
                    parts(&[(**first).clone(), (**second).clone()])?
                )
            }
            Shape::List(inner) => format!("Shape::List(&[{}])", parts(&[(**inner).clone()])?),
        };
        Ok(format!(
            "OperandSpec {{ name: {:?}, group: {}, shape: {shape} }}",
            operand.name, operand.group
        ))
    }

    fn kind(&self, kind: &Kind) -> Result<String, String> {
        let role = match &kind.role {
            Role::Out(t) => format!("Role::Out({})", self.type_of(t)?),
            Role::Register(t) => format!("Role::Register({})", self.type_of(t)?),
            Role::Value(t) => format!("Role::Value({})", self.type_of(t)?),
            Role::Immediate(t) => format!("Role::Immediate({})", self.type_of(t)?),
            Role::Vector(n, element, rest) => {
                let rest = match rest {
                    Some(rest) => format!("Some(&{})", self.kind(rest)?),
                    None => "None".into(),
                };
                format!("Role::Vector({}, &{}, {rest})", self.number(n)?, self.kind(element)?)
            }
            Role::Address(spaces) => format!("Role::Address({})", self.spaces(spaces)?),
            Role::Variable(spaces) => format!("Role::Variable({})", self.spaces(spaces)?),
            Role::Predicate { out } => format!("Role::Predicate {{ out: {out} }}"),
            Role::List(element) => format!("Role::List(&{})", self.kind(element)?),
            Role::Word(word) => format!("Role::{}", camel(word)),
        };
        let flags: Vec<String> = kind
            .flags
            .iter()
            .map(|flag| format!("Flags::{}", flag.to_uppercase()))
            .collect();
        let flags = if flags.is_empty() {
            "0".to_string()
        } else {
            flags.join(" | ")
        };
        Ok(format!(
            "Kind {{ role: {role}, range: {}, flags: Flags({flags}) }}",
            range_text(&kind.range)
        ))
    }

    fn spaces(&self, spaces: &Spaces) -> Result<String, String> {
        Ok(match spaces {
            Spaces::Slot(name) => format!("Spaces::Slot({})", self.slot(name)?),
            Spaces::Names(names) => format!("Spaces::Names(&{names:?})"),
        })
    }

    fn type_of(&self, t: &Type) -> Result<String, String> {
        Ok(match t {
            Type::Fixed(name) if self.tables.types.iter().any(|row| row.name == *name) => {
                format!("TypeSpec::Fixed(Type::{})", camel(name))
            }
            Type::Fixed(name) => return Err(format!("`{name}` is no type")),
            Type::Slot(name) => format!("TypeSpec::Slot({})", self.slot(name)?),
            Type::Wide(inner) => format!("TypeSpec::Wide(&{})", self.type_of(inner)?),
            Type::Half(inner) => format!("TypeSpec::Half(&{})", self.type_of(inner)?),
        })
    }

    fn number(&self, number: &Number) -> Result<String, String> {
        Ok(match number {
            Number::Fixed(n) => format!("Number::Fixed({n})"),
            Number::Slot {
                slot,
                letter,
                multiply,
                divide,
            } => {
                format!(
                    "Number::Slot {{ slot: {}, letter: {letter:?}, multiply: {multiply}, divide: {divide} }}",
                    self.slot(slot)?
                )
            }
            Number::Count(name) if self.form.counts.iter().any(|count| count.name == *name) => {
                format!("Number::Count({name:?})")
            }
            Number::OneOf(list) => {
                let list: Result<Vec<String>, String> = list.iter().map(|number| self.number(number)).collect();
                format!("Number::OneOf(&[{}])", list?.join(", "))
            }
            Number::Count(name) => return Err(format!("there is no `count {name}`")),
        })
    }

    /// A rule whose condition names what this form does not have never applies to it.
    fn rule(&self, when: &[Atom], effect: &Effect) -> Result<Option<String>, String> {
        let Some(when) = self.atoms(when)? else {
            return Ok(None);
        };
        let effect = match effect {
            Effect::Needs(list) => format!("Effect::Needs({})", requirements(list)),
            Effect::Refuse(reason) => format!("Effect::Refuse({reason:?})"),
            Effect::Warn(reason) => format!("Effect::Warn({reason:?})"),
            Effect::Beyond(reason) => format!("Effect::Beyond({reason:?})"),
        };
        Ok(Some(format!("Rule {{ when: {when}, effect: {effect} }}")))
    }

    fn atoms(&self, atoms: &[Atom]) -> Result<Option<String>, String> {
        let mut out = Vec::new();
        for atom in atoms {
            match self.test(&atom.test)? {
                Some(test) => out.push(format!("Atom {{ negated: {}, test: {test} }}", atom.negated)),
                // What the form does not have is absent.
                None if atom.negated => {}
                None => return Ok(None),
            }
        }
        Ok(Some(format!("&[{}]", out.join(", "))))
    }

    fn test(&self, test: &Test) -> Result<Option<String>, String> {
        let own_slot = |name: &str| self.form.slots.iter().position(|slot| slot.name == name);
        Ok(match test {
            Test::Modifier(name) => match own_slot(name) {
                Some(index) if !self.form.slots[index].literal => Some(format!("Test::Filled({index})")),
                _ if self.form.slots.iter().any(|slot| slot.values.contains(name)) => {
                    Some(format!("Test::Has(Modifier::{})", camel(name)))
                }
                _ => None,
            },
            Test::Filled(name) => own_slot(name).map(|index| format!("Test::Filled({index})")),
            Test::SlotIs(name, values) => {
                let Some(index) = own_slot(name) else { return Ok(None) };
                let all = &self.form.slots[index].values;
                let values: Vec<String> = values
                    .iter()
                    .filter(|v| all.contains(v))
                    .map(|v| format!("Modifier::{}", camel(v)))
                    .collect();
                Some(format!("Test::SlotIs({index}, &[{}])", values.join(", ")))
            }
            Test::Greater(greater, less) => {
                let find = |name: &str| self.operands.iter().position(|operand| operand == name);
                match (find(greater), find(less)) {
                    (Some(greater), Some(less)) => Some(format!("Test::Greater({greater}, {less})")),
                    _ => None,
                }
            }
            Test::Operand(name, class) => {
                let Some(index) = self.operands.iter().position(|operand| operand == name) else {
                    return Ok(None);
                };
                let class = match class.as_deref() {
                    None => "Present",
                    Some("imm") => "Immediate",
                    Some("reg") => "Register",
                    Some("vec") => "Vector",
                    Some("sink") => "Sink",
                    Some("pred") => "Predicate",
                    Some("sel") => "Selected",
                    Some("neg") => "Negated",
                    Some("holes") => "Holes",
                    Some(other) => {
                        return Err(format!(
                            "`{other}` is no class of operands (imm, reg, vec, sink, pred, sel, neg, holes)"
                        ));
                    }
                };
                Some(format!("Test::Operand({index}, OperandClass::{class})"))
            }
        })
    }
}

fn range_text(range: &Range) -> String {
    if *range == Range::default() {
        return "Range::ANY".into();
    }
    let Range {
        low,
        high,
        multiple,
        power,
        nonzero,
        among,
    } = range;
    format!(
        "Range {{ low: {low:?}, high: {high:?}, multiple: {multiple:?}, power: {power}, nonzero: {nonzero}, among: &{among:?} }}"
    )
}
