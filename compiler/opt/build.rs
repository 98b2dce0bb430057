//! `src/combine/rules.tbl` as Rust: its letters numbered, its names left to functions that are evaluated when the crate is compiled.

use std::{env, fmt::Write, fs, path::Path};

#[path = "src/combine/language.rs"]
mod language;

use language::{Node, RuleText, Term};

const TABLE: &str = "src/combine/rules.tbl";

/// Letters by kind; their numbers are their places here.
const VALUES: &str = "xyzw";
const CONSTANTS: &str = "ABCD";
const FLOATS: &str = "FG";
const TYPES: &str = "RST";

fn main() {
    println!("cargo::rerun-if-changed={TABLE}");
    println!("cargo::rerun-if-changed=src/combine/language.rs");
    println!("cargo::rerun-if-changed=build.rs");
    let text = fs::read_to_string(TABLE).expect("the table is there");
    let folder = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&folder).join("rules.rs"), generate(&text)).expect("the folder can be written");
}

/// The rules, those with the same operation at their root together, each of these in the order of the table.
fn generate(table: &str) -> String {
    let mut shapes = Shapes::default();
    let mut groups: Vec<Group> = Vec::new();
    for (number, line) in language::lines(table) {
        let made = language::rule(number, line).and_then(|rule| shapes.rule(&rule));
        let made = made.unwrap_or_else(|what| panic!("{TABLE}:{number}: {what}: {line}"));
        match groups.iter_mut().find(|group| group.operation == made.operation) {
            Some(group) => {
                group.sights.push_str(&made.sights);
                group.rules.push_str(&made.rules);
            }
            None => groups.push(made),
        }
    }
    let mut text = shapes.text;
    text.push_str("/// The rules by the operation at their root.\nconst RULES: &[Group] = &[\n");
    for Group {
        operation,
        sights,
        rules,
    } in groups
    {
        writeln!(
            text,
            "Group {{ operation: operation({operation:?}), sights: &[\n{sights}], rules: &[\n{rules}] }},"
        )
        .unwrap();
    }
    text.push_str("];\n");
    text
}

/// Rules with one operation at their root: what their operands are at first sight, and they themselves.
struct Group {
    operation: String,
    sights: String,
    rules: String,
}

/// The instructions in patterns and replacements so far, each a constant.
#[derive(Default)]
struct Shapes {
    count: usize,
    text: String,
}

impl Shapes {
    /// A group of this rule alone.
    fn rule(&mut self, rule: &RuleText<'_>) -> Result<Group, String> {
        let Term::Node(root) = &rule.pattern else {
            return Err("the pattern is no instruction".into());
        };
        let mut sights: Vec<String> = root.operands.iter().map(sight).collect();
        sights.resize(3, "Sight::ANY".to_owned());
        let pattern = self.shape(root)?;
        let replacement = self.part(&rule.replacement)?;
        let mut conditions = String::new();
        for (name, arguments) in &rule.conditions {
            let arguments: Vec<String> = arguments.iter().map(|text| argument(text)).collect::<Result<_, _>>()?;
            write!(conditions, "(condition({name:?}), &[{}]), ", arguments.join(", ")).unwrap();
        }
        let sights = sights.join(", ");
        let line = rule.line;
        let rules = format!(
            "Rule {{ line: {line}, pattern: &{pattern}, replacement: {replacement}, conditions: &[{conditions}] }},\n"
        );
        Ok(Group {
            operation: root.operation.to_owned(),
            sights: format!("[{sights}],\n"),
            rules,
        })
    }

    fn part(&mut self, term: &Term<'_>) -> Result<String, String> {
        Ok(match term {
            Term::Number(number) => format!("Part::Number({number})"),
            Term::NegativeZero => "Part::NegativeZero".to_owned(),
            Term::Letter { letter, ty } => {
                let ty = type_slot(*ty)?;
                if let Some(slot) = VALUES.find(*letter) {
                    format!("Part::Value {{ slot: {slot}, ty: {ty} }}")
                } else if let Some(slot) = CONSTANTS.find(*letter) {
                    format!("Part::Constant {{ slot: {slot}, ty: {ty} }}")
                } else if let Some(slot) = FLOATS.find(*letter) {
                    format!("Part::Float {{ slot: {slot} }}")
                } else {
                    return Err(format!("unknown letter {letter}"));
                }
            }
            Term::Node(node) => format!("Part::Node(&{})", self.shape(node)?),
        })
    }

    /// The name of the constant of an instruction.
    fn shape(&mut self, node: &Node<'_>) -> Result<String, String> {
        let mut ty = type_slot(node.ty)?;
        let mut operands = Vec::new();
        for operand in &node.operands {
            // The only operand of the low mask is a type.
            if let ("low-mask", Term::Letter { letter, .. }) = (node.operation, operand) {
                ty = type_slot(Some(*letter))?;
                continue;
            }
            operands.push(self.part(operand)?);
        }
        let operation = format!("operation({:?})", node.operation);
        let predicate = match node.predicate {
            None => "None".to_owned(),
            Some((function, name)) => {
                let change = match function {
                    None => "Same",
                    Some("swap") => "Swap",
                    Some("not") => "Not",
                    Some("unsigned") => "Unsigned",
                    Some(other) => return Err(format!("unknown function of predicates {other}")),
                };
                format!("Some(predicate({operation}, Change::{change}, {name:?}))")
            }
        };
        let flags: Vec<&str> = node.flags.iter().copied().filter(|name| *name != "same").collect();
        let same_flags = flags.len() < node.flags.len();
        let one_use = node.one_use;
        let operands = operands.join(", ");
        let name = format!("SHAPE_{}", self.count);
        self.count += 1;
        writeln!(
            self.text,
            "static {name}: Shape = Shape {{ operation: {operation}, predicate: {predicate}, flags: flags(&{flags:?}), \
             same_flags: {same_flags}, one_use: {one_use}, ty: {ty}, operands: &[{operands}] }};"
        )
        .unwrap();
        Ok(name)
    }
}

/// An operand of the root at first sight.
fn sight(term: &Term<'_>) -> String {
    match term {
        Term::Letter { letter, .. } if VALUES.contains(*letter) => "Sight::ANY".to_owned(),
        Term::Letter { .. } | Term::Number(_) | Term::NegativeZero => "Sight::CONSTANT".to_owned(),
        Term::Node(node) => format!("Sight::of(operation({:?}))", node.operation),
    }
}

fn type_slot(letter: Option<char>) -> Result<String, String> {
    match letter {
        None => Ok("None".to_owned()),
        Some(letter) => match TYPES.find(letter) {
            Some(slot) => Ok(format!("Some({slot})")),
            None => Err(format!("unknown type {letter}")),
        },
    }
}

/// An argument of a condition.
fn argument(text: &str) -> Result<String, String> {
    if let Ok(number) = text.parse::<u32>() {
        return Ok(format!("Argument::Number({number})"));
    }
    let kinds = [
        (VALUES, "Value"),
        (CONSTANTS, "Constant"),
        (FLOATS, "Float"),
        (TYPES, "Type"),
    ];
    for (letters, kind) in kinds {
        if let Some(slot) = letters.find(text) {
            return Ok(format!("Argument::{kind}({slot})"));
        }
    }
    match text {
        "P" => Ok("Argument::Predicate".to_owned()),
        _ => Err(format!("unknown argument {text}")),
    }
}
