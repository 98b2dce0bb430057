//! Linking: the texts of several units become one, in which each name means one thing.
//!
//! Names that a unit keeps to itself are made different where another unit has the same; of `.weak` and `.common` definitions one stays; `.extern`
//! declarations are taken out, or made declarations of what another unit defines. `.file` directives are numbered anew. Debug sections are left out but for
//! `.debug_str`, by which lines name the functions that they were inlined from: the others would need offsets that PTX cannot say.

use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::module::Version;
use crate::tree::{SyntaxKind, SyntaxNode, SyntaxToken, parse};

/// A unit: what messages call it, and its text.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// The name.
    pub name: &'a str,
    /// The PTX.
    pub text: &'a str,
}

/// Why units cannot be linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// The text of a unit is not PTX.
    Syntax {
        /// The unit.
        unit: String,
        /// What is wrong with it first.
        message: String,
    },
    /// Two units define a name that others see.
    Multiple {
        /// The name.
        symbol: String,
        /// The unit that defines it again.
        unit: String,
        /// The unit that did so first.
        first: String,
    },
    /// No unit defines a name.
    Undefined {
        /// The name.
        symbol: String,
        /// The first unit that declares it.
        unit: String,
    },
}

/// Links units for a target such as `sm_90`. `is_of_system`: whether a function is one that the device's run-time system has, which no unit defines.
///
/// # Errors
/// All names that are defined twice or not at all, in the order of the units.
pub fn link(units: &[Unit], target: &str, is_of_system: &dyn Fn(&str) -> bool) -> Result<String, Vec<LinkError>> {
    let mut errors = Vec::new();
    let mut read = Vec::new();
    for unit in units {
        match Read::new(unit) {
            Ok(unit) => read.push(unit),
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let names = Names::of(&read, is_of_system)?;
    let version = read.iter().map(|unit| unit.version).max();
    let version = version.unwrap_or(Version { major: 9, minor: 0 });
    let mut writer = Writer {
        names,
        files: Vec::new(),
        strings: String::new(),
        text: format!(
            ".version {}.{}\n.target {target}\n.address_size 64\n\n",
            version.major, version.minor
        ),
    };
    for (number, unit) in read.iter().enumerate() {
        writer.unit(number, unit);
    }
    if !writer.strings.is_empty() {
        let _ = writeln!(writer.text, ".section .debug_str\n{{\n{}}}", writer.strings);
    }
    Ok(writer.text)
}

/// Gives names of a text others, wherever they stand, and makes the definitions of others `.weak`.
///
/// # Errors
/// What is wrong with the text first.
pub fn rename(text: &str, names: &FxHashMap<String, String>, weak: &FxHashSet<String>) -> Result<String, String> {
    let tree = parse(text);
    if let Some(problem) = tree.problems().first() {
        return Err(problem.message.clone());
    }
    let mut out = String::with_capacity(text.len());
    for element in tree.root().children_with_tokens() {
        let Some(node) = element.as_node() else {
            out.push_str(&element.to_string());
            continue;
        };
        let is_weak = declared(node).iter().any(|name| weak.contains(name));
        for token in tokens(node) {
            match token.text() {
                ".visible" if is_weak && token.parent().as_ref() == Some(node) => out.push_str(".weak"),
                _ => out.push_str(renamed(&token, names)),
            }
        }
    }
    Ok(out)
}

/// Who sees what a statement declares, and whether it is defined there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Unit,
    Visible,
    /// `.weak` or `.common`
    Weak,
    Declared,
}

/// A statement of a module.
struct Statement {
    node: SyntaxNode,
    names: Vec<String>,
    seen: Seen,
    /// It is a function without a body.
    is_prototype: bool,
    is_function: bool,
    is_shared: bool,
}

/// A unit that was read.
struct Read<'a> {
    name: &'a str,
    version: Version,
    statements: Vec<Statement>,
}

impl<'a> Read<'a> {
    fn new(unit: &Unit<'a>) -> Result<Read<'a>, LinkError> {
        let tree = parse(unit.text);
        if let Some(problem) = tree.problems().first() {
            return Err(LinkError::Syntax {
                unit: unit.name.to_owned(),
                message: problem.message.clone(),
            });
        }
        let statements: Vec<Statement> = tree.root().children().map(Statement::new).collect();
        let version = statements.iter().find_map(|one| version(&one.node));
        Ok(Read {
            name: unit.name,
            version: version.unwrap_or(Version { major: 1, minor: 0 }),
            statements,
        })
    }
}

impl Statement {
    fn new(node: SyntaxNode) -> Statement {
        let words: Vec<SyntaxToken> = node.children_with_tokens().filter_map(|one| one.into_token()).collect();
        let has = |word: &str| words.iter().any(|token| token.text() == word);
        let is_function = node.kind() == SyntaxKind::Function;
        let has_body = node.children().any(|child| child.kind() == SyntaxKind::Body);
        Statement {
            names: declared(&node),
            seen: match () {
                () if has(".extern") => Seen::Declared,
                () if has(".visible") => Seen::Visible,
                () if has(".weak") || has(".common") => Seen::Weak,
                () => Seen::Unit,
            },
            is_prototype: is_function && !has_body,
            is_function,
            is_shared: has(".shared"),
            node,
        }
    }

    /// Whether it defines what it names.
    fn defines(&self) -> bool {
        self.seen != Seen::Declared && !self.is_prototype
    }
}

/// The names that a statement of a module declares.
fn declared(node: &SyntaxNode) -> Vec<String> {
    let word = |node: &SyntaxNode| {
        let mut tokens = node.children_with_tokens().filter_map(|one| one.into_token());
        tokens
            .find(|token| token.kind() == SyntaxKind::Word)
            .map(|token| token.text().to_owned())
    };
    match node.kind() {
        // An alias is a definition of its first name.
        SyntaxKind::Function | SyntaxKind::Alias => word(node).into_iter().collect(),
        SyntaxKind::Declaration => node
            .children()
            .filter(|child| child.kind() == SyntaxKind::Declarator)
            .filter_map(|child| word(&child))
            .collect(),
        // Labels of sections.
        SyntaxKind::Section => node
            .descendants()
            .filter(|child| child.kind() == SyntaxKind::Label)
            .filter_map(|child| word(&child))
            .collect(),
        _ => Vec::new(),
    }
}

/// The version that a directive says.
fn version(node: &SyntaxNode) -> Option<Version> {
    let text = node.text().to_string();
    let (major, minor) = text.strip_prefix(".version")?.trim().split_once('.')?;
    Some(Version {
        major: major.parse().ok()?,
        minor: minor.parse().ok()?,
    })
}

/// All tokens of a node.
fn tokens(node: &SyntaxNode) -> impl Iterator<Item = SyntaxToken> {
    node.descendants_with_tokens().filter_map(|one| one.into_token())
}

/// The text of a token, with the new name of what it names. Opcodes name nothing.
fn renamed<'t>(token: &'t SyntaxToken, names: &'t FxHashMap<String, String>) -> &'t str {
    let is_opcode = || token.parent().is_some_and(|node| node.kind() == SyntaxKind::Mnemonic);
    match names.get(token.text()) {
        Some(name) if token.kind() == SyntaxKind::Word && !is_opcode() => name,
        _ => token.text(),
    }
}

/// What the names of all units mean.
struct Names {
    /// The unit whose definition stays, and who sees it.
    defined: FxHashMap<String, (usize, Seen)>,
    /// New names of what units keep to themselves, one table for each unit.
    renamed: Vec<FxHashMap<String, String>>,
    /// What was written of names that several units have: declared, or defined.
    written: FxHashSet<String>,
}

impl Names {
    fn of(units: &[Read], is_of_system: &dyn Fn(&str) -> bool) -> Result<Names, Vec<LinkError>> {
        let mut errors = Vec::new();
        let mut defined: FxHashMap<String, (usize, Seen)> = FxHashMap::default();
        for (number, unit) in units.iter().enumerate() {
            let statements = unit
                .statements
                .iter()
                .filter(|one| one.defines() && one.seen != Seen::Unit);
            for (name, seen) in statements.flat_map(|one| one.names.iter().map(|name| (name, one.seen))) {
                match defined.get(name) {
                    None | Some((_, Seen::Weak)) if seen == Seen::Visible => {
                        defined.insert(name.clone(), (number, seen));
                    }
                    None => {
                        defined.insert(name.clone(), (number, seen));
                    }
                    Some(&(first, Seen::Visible)) if seen == Seen::Visible => errors.push(LinkError::Multiple {
                        symbol: name.clone(),
                        unit: unit.name.to_owned(),
                        first: units[first].name.to_owned(),
                    }),
                    Some(_) => {}
                }
            }
        }
        let mut missing = FxHashSet::default();
        for unit in units {
            for one in unit
                .statements
                .iter()
                .filter(|one| one.seen == Seen::Declared && !one.is_shared)
            {
                for name in &one.names {
                    let is_there = defined.contains_key(name) || one.is_function && is_of_system(name);
                    if !is_there && missing.insert(name.clone()) {
                        errors.push(LinkError::Undefined {
                            symbol: name.clone(),
                            unit: unit.name.to_owned(),
                        });
                    }
                }
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Names {
            renamed: distinct(units),
            defined,
            written: FxHashSet::default(),
        })
    }
}

/// New names for what units keep to themselves and other units have, too.
fn distinct(units: &[Read]) -> Vec<FxHashMap<String, String>> {
    let mut count: FxHashMap<&str, usize> = FxHashMap::default();
    for unit in units {
        let names: FxHashSet<&str> = unit
            .statements
            .iter()
            .flat_map(|one| &one.names)
            .map(String::as_str)
            .collect();
        for name in names {
            *count.entry(name).or_default() += 1;
        }
    }
    let mut taken: FxHashSet<String> = count.keys().map(|&name| name.to_owned()).collect();
    let mut tables = Vec::new();
    for (number, unit) in units.iter().enumerate() {
        let mut table = FxHashMap::default();
        let own = unit.statements.iter().filter(|one| one.seen == Seen::Unit);
        for name in own.flat_map(|one| &one.names) {
            if count[name.as_str()] < 2 || table.contains_key(name) {
                continue;
            }
            let mut new = format!("{name}$unit{number}");
            while !taken.insert(new.clone()) {
                new.push('_');
            }
            table.insert(name.clone(), new);
        }
        tables.push(table);
    }
    tables
}

/// The text as it is written.
struct Writer {
    names: Names,
    /// The names of `.file` directives, by their numbers but one.
    files: Vec<String>,
    /// The lines of `.debug_str`.
    strings: String,
    text: String,
}

impl Writer {
    fn unit(&mut self, number: usize, unit: &Read) {
        let mut files = FxHashMap::default();
        for one in &unit.statements {
            match one.node.kind() {
                SyntaxKind::Directive => self.file(&one.node, &mut files),
                SyntaxKind::Section => self.section(number, &one.node),
                SyntaxKind::Function | SyntaxKind::Declaration => self.declaration(number, one, &files),
                _ => self.write(number, &one.node, None, &files),
            }
        }
    }

    /// `.file N "NAME"`: the number that the name has here. Other directives are those of the head.
    fn file(&mut self, node: &SyntaxNode, files: &mut FxHashMap<String, usize>) {
        let words: Vec<SyntaxToken> = tokens(node).filter(|token| !token.kind().is_trivia()).collect();
        let [directive, index, name, ..] = &words[..] else {
            return;
        };
        if directive.text() != ".file" {
            return;
        }
        let known = self.files.iter().position(|file| file == name.text());
        let place = known.unwrap_or_else(|| {
            self.files.push(name.text().to_owned());
            let _ = writeln!(self.text, ".file {} {}", self.files.len(), name.text());
            self.files.len() - 1
        });
        files.insert(index.text().to_owned(), place + 1);
    }

    fn section(&mut self, number: usize, node: &SyntaxNode) {
        let is_strings = tokens(node).any(|token| token.text() == ".debug_str");
        let body = node.children().find(|child| child.kind() == SyntaxKind::SectionBody);
        if let Some(body) = body.filter(|_| is_strings) {
            for token in tokens(&body) {
                if !matches!(token.kind(), SyntaxKind::LeftBrace | SyntaxKind::RightBrace) {
                    self.strings.push_str(renamed(&token, &self.names.renamed[number]));
                }
            }
            self.strings.push('\n');
        }
    }

    /// A function or variables: as they are, as declarations of what another unit defines, or not at all.
    fn declaration(&mut self, number: usize, one: &Statement, files: &FxHashMap<String, usize>) {
        if one.seen == Seen::Unit {
            return self.write(number, &one.node, None, files);
        }
        let known = one.names.first().and_then(|name| self.names.defined.get(name).copied());
        let is_first = one.names.iter().any(|name| !self.names.written.contains(name));
        let linkage = match known {
            // What the system has, or `extern __shared__`.
            None if is_first => None,
            // The definition that stays.
            Some((unit, _)) if one.defines() && unit == number => None,
            // A declaration before the definition.
            Some((_, seen)) if is_first && one.is_function && !one.defines() => {
                Some(if seen == Seen::Weak { ".weak" } else { ".visible" })
            }
            Some(_) if is_first && !one.defines() => None,
            // A weak function that another unit has: what follows may call it before that.
            Some((_, seen)) if is_first && one.is_function => {
                Some(if seen == Seen::Weak { ".weak" } else { ".visible" })
            }
            _ => return,
        };
        let is_dropped = one.defines() && known.is_some_and(|(unit, _)| unit != number);
        self.names.written.extend(one.names.iter().cloned());
        if !is_dropped {
            return self.write(number, &one.node, linkage, files);
        }
        // The head of the function alone.
        for child in one.node.children_with_tokens() {
            match child {
                rowan::NodeOrToken::Node(node) if node.kind() == SyntaxKind::Body => self.text.push(';'),
                rowan::NodeOrToken::Node(node) => self.tokens(number, &node, None, files),
                rowan::NodeOrToken::Token(token) => {
                    let is_linkage = matches!(token.text(), ".weak" | ".visible");
                    let text = linkage.filter(|_| is_linkage).unwrap_or(token.text());
                    self.text.push_str(text);
                }
            }
        }
        self.text.push('\n');
    }

    /// A statement as it is, but for its names, its linkage and the numbers of files.
    fn write(&mut self, number: usize, node: &SyntaxNode, linkage: Option<&str>, files: &FxHashMap<String, usize>) {
        self.tokens(number, node, linkage, files);
        self.text.push('\n');
    }

    fn tokens(&mut self, number: usize, node: &SyntaxNode, linkage: Option<&str>, files: &FxHashMap<String, usize>) {
        // Whether the next number is that of a file.
        let mut names_file = false;
        for token in tokens(node) {
            let text = token.text();
            let new = match token.kind() {
                SyntaxKind::DotWord if text == ".loc" => {
                    names_file = true;
                    None
                }
                SyntaxKind::DotWord if token.parent().as_ref() == Some(node) && text == ".extern" => {
                    linkage.map(str::to_owned)
                }
                SyntaxKind::Word if text == "inlined_at" => {
                    names_file = true;
                    None
                }
                SyntaxKind::Number if std::mem::take(&mut names_file) => files.get(text).map(usize::to_string),
                _ => None,
            };
            match new {
                Some(new) => self.text.push_str(&new),
                None => self.text.push_str(renamed(&token, &self.names.renamed[number])),
            }
        }
    }
}

#[cfg(test)]
mod tests;
