//! From PTX text to a typed module, in one pass.
//!
//! Names are resolved as they are met: registers, variables and functions are declared before use; labels may come later and are settled at the
//! end of their scope. A syntax error ends its statement; reading goes on with the next one, so that one run finds all problems.

mod body;
mod debug;
mod declaration;
mod expression;
mod function;
mod header;
mod initializer;
mod labels;
mod operand;
mod redeclare;
mod suggest;
#[cfg(test)]
mod tests;

use crate::{
    Problem, Severity, Span, check,
    instruction::{Gates, InstructionSet},
    lexer::{LineMarker, Token, Tokens},
    module::{Body, Item, Module, Name, Operand, Target, TargetSuffix, Version},
    scope::{Meaning, Scopes},
};

use labels::Labels;

/// How many problems are kept; reading stops there.
const PROBLEM_LIMIT: usize = 10_000;

/// What came of a text.
#[derive(Debug)]
pub struct Parsed {
    /// The module. Where there are errors it lacks the statements at fault.
    pub module: Module,
    /// Everything found wrong, in the order of the text.
    pub problems: Vec<Problem>,
    /// `# LINE "FILE"` markers, in the order of the text.
    pub markers: Vec<LineMarker>,
}

/// Reads a PTX file and checks it as a whole.
///
/// Texts of 4 GiB and more are refused. Bytes that are not ASCII are an error, as in the vendor's tool, also in comments; the rest is read all the same.
pub fn parse(text: &[u8]) -> Parsed {
    let mut parsed = parse_alone(text);
    // Without version and target there is nothing to check against.
    if parsed.module.version.major != 0 && parsed.module.target.number != 0 {
        check::check(&parsed.module, &mut parsed.problems);
    }
    parsed
}

/// Reads a PTX file: syntax, names and instructions, not yet the rules for the module as a whole.
pub(crate) fn parse_alone(text: &[u8]) -> Parsed {
    if u32::try_from(text.len()).is_err() {
        let problem = Problem::fatal(Span::default(), "the file is larger than 4 GiB");
        return Parsed {
            module: empty_module(),
            problems: vec![problem],
            markers: Vec::new(),
        };
    }
    match std::str::from_utf8(text) {
        Ok(text) if text.is_ascii() && !text.as_bytes().contains(&0) => Parser::new(text).run(),
        _ => parse_dirty(text),
    }
}

/// Reads a text with bytes that PTX does not allow: they count as blanks, and the first is reported.
fn parse_dirty(text: &[u8]) -> Parsed {
    let foreign = |byte: &u8| !byte.is_ascii() || *byte == 0;
    let at = text.iter().position(foreign).unwrap_or(0);
    let line = 1 + text[..at].iter().filter(|&&byte| byte == b'\n').count();
    let clean: String = text
        .iter()
        .map(|byte| if foreign(byte) { ' ' } else { char::from(*byte) })
        .collect();
    let span = Span::new(at as u32, at as u32 + 1);
    let problem = if text[at] == 0 {
        Problem::fatal(span, "PTX text cannot contain a NUL byte")
            .vendor(format!("Unexpected EOF encountered on line {line}"))
    } else {
        Problem::fatal(
            span,
            format!(
                "byte 0x{:02x} is not ASCII; PTX text is ASCII, in comments too",
                text[at]
            ),
        )
        .vendor(format!("Unexpected non-ASCII character encountered on line {line}"))
    };
    let binary = text.starts_with(b"\x7fELF") || text.starts_with(&[0x50, 0xed, 0x55, 0xba]);
    if binary {
        let problem = problem.note("this is a binary file (ELF or fatbin), not PTX text");
        return Parsed {
            module: empty_module(),
            problems: vec![problem],
            markers: Vec::new(),
        };
    }
    let mut parsed = Parser::new(&clean).run();
    parsed.problems.push(problem);
    parsed.problems.sort_by_key(|problem| problem.span.start);
    parsed
}

fn empty_module() -> Module {
    Module {
        version: Version { major: 9, minor: 0 },
        version_span: Span::default(),
        target: Target {
            number: 0,
            suffix: TargetSuffix::None,
        },
        target_span: Span::default(),
        target_options: Vec::new(),
        address_size: 64,
        names: Default::default(),
        items: Vec::new(),
        variables: Vec::new(),
        functions: Vec::new(),
        variants: Vec::new(),
        files: Vec::new(),
        sections: Vec::new(),
    }
}

/// A syntax error that has been reported: the statement ends here.
#[derive(Clone, Copy, Debug)]
struct Stop;

/// What a parsing function gives.
type Parse<T> = Result<T, Stop>;

/// The state of reading one file.
struct Parser<'t> {
    tokens: Tokens<'t>,
    module: Module,
    problems: Vec<Problem>,
    /// Apart, because they do not count towards the limit of problems; they have one of their own.
    warnings: Vec<Problem>,
    /// Whether there were too many problems to go on.
    stopped: bool,
    set: InstructionSet,
    /// Whether instructions are checked; not where version or target are unknown.
    checking: bool,
    scopes: Scopes,
    /// Whether the function being read is a kernel.
    kernel: bool,
    /// The body being read.
    body: Body,
    /// Registers declared in it so far.
    register_count: u32,
    labels: Labels,
    scratch: operand::Scratch,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Parser<'t> {
        let module = empty_module();
        Parser {
            tokens: Tokens::new(text),
            set: InstructionSet::new(Gates {
                version: module.version,
                target: module.target,
                independent_textures: false,
            }),
            module,
            problems: Vec::new(),
            warnings: Vec::new(),
            stopped: false,
            checking: true,
            scopes: Scopes::default(),
            kernel: false,
            body: Body::default(),
            register_count: 0,
            labels: Labels::default(),
            scratch: operand::Scratch::default(),
        }
    }

    fn run(mut self) -> Parsed {
        self.header();
        while self.tokens.kind != Token::End {
            let before = self.tokens.span;
            if self.item().is_err() {
                self.skip_item(before);
            }
        }
        self.settle_declarations();
        self.module.variants = self.set.into_variants();
        let mut problems = self.problems;
        problems.append(&mut self.warnings);
        problems.sort_by_key(|problem| problem.span.start);
        // What stands in place of a missing header was reported as such.
        if let [first, second, ..] = &problems[..]
            && !self.checking
            && first.severity == Severity::Fatal
            && first.span == second.span
        {
            problems.remove(1);
        }
        Parsed {
            module: self.module,
            problems,
            markers: self.tokens.take_markers(),
        }
    }

    /// A top-level statement.
    fn item(&mut self) -> Parse<()> {
        if self.tokens.kind != Token::Directive {
            return Err(self.unexpected("a directive"));
        }
        match self.tokens.slice() {
            ".visible" | ".extern" | ".weak" | ".common" | ".entry" | ".func" => self.linked_item(),
            ".pragma" => {
                let start = self.tokens.span;
                let names = self.pragma()?;
                self.module.items.push(Item::Pragma(names, self.since(start)));
                Ok(())
            }
            ".alias" => self.alias(),
            ".file" => self.file(),
            ".section" => self.section(),
            _ => self.variables(crate::module::Linkage::Internal),
        }
    }

    /// Goes on after a syntax error at the top level: after the `;` or the `{…}` that ends the item, or at what can only begin one.
    fn skip_item(&mut self, start: Span) {
        let mut depth = self.open_braces(start);
        loop {
            let here = self.tokens.span;
            match self.tokens.kind {
                Token::End => return,
                Token::Semicolon if depth == 0 => return self.tokens.advance(),
                Token::BraceOpen => depth += 1,
                Token::BraceClose if depth <= 1 => {
                    self.tokens.advance();
                    // The list of a variable's values ends with a semicolon too.
                    if depth == 1 {
                        self.eat(Token::Semicolon);
                    }
                    return;
                }
                Token::BraceClose => depth -= 1,
                Token::Directive if depth == 0 && here != start => {
                    if matches!(
                        self.tokens.slice(),
                        ".visible" | ".extern" | ".weak" | ".common" | ".entry" | ".func" | ".version"
                    ) {
                        return self.step_over_version();
                    }
                }
                _ => {}
            }
            self.tokens.advance();
        }
    }

    /// Braces opened and not closed from `start` up to the current token.
    fn open_braces(&self, start: Span) -> usize {
        let read = &self.tokens.text().as_bytes()[start.start as usize..self.tokens.span.start as usize];
        read.iter().fold(0, |depth: usize, byte| match byte {
            b'{' => depth + 1,
            b'}' => depth.saturating_sub(1),
            _ => depth,
        })
    }

    /// Leaves a `.version` where it is only if nothing else could be meant; here it was reported, so it goes.
    fn step_over_version(&mut self) {
        if self.tokens.slice() == ".version" {
            self.tokens.advance();
        }
    }

    // Small steps that everything uses.

    /// From the start of `start` to the end of the last token read.
    fn since(&self, start: Span) -> Span {
        Span::new(start.start, self.tokens.previous_end)
    }

    fn at(&self, kind: Token) -> bool {
        self.tokens.kind == kind
    }

    /// Whether the current token is this directive.
    fn at_directive(&self, text: &str) -> bool {
        self.tokens.kind == Token::Directive && self.tokens.slice() == text
    }

    /// Steps over a token of this kind if it is the current one.
    fn eat(&mut self, kind: Token) -> bool {
        let found = self.tokens.kind == kind;
        if found {
            self.tokens.advance();
        }
        found
    }

    /// Steps over a token that must be here.
    fn expect(&mut self, kind: Token, name: &str) -> Parse<()> {
        if self.eat(kind) {
            Ok(())
        } else {
            Err(self.unexpected(name))
        }
    }

    /// The text of an identifier that must be here.
    fn identifier(&mut self, what: &str) -> Parse<(&'t str, Span)> {
        let text = self.tokens.slice();
        let span = self.tokens.span;
        match self.tokens.kind {
            Token::Identifier if text != "WARP_SZ" => {
                self.tokens.advance();
                Ok((text, span))
            }
            // The dotted part is what the vendor's tool stumbles over.
            Token::Dotted => {
                let dot = text.find('.').unwrap_or(0);
                let start = span.start + dot as u32;
                let end = text[dot + 1..]
                    .find('.')
                    .map_or(span.end, |next| start + 1 + next as u32);
                Err(self.unexpected_at(Span::new(start, end), what))
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn intern(&mut self, text: &str) -> Name {
        self.module.names.intern(text)
    }

    /// Keeps a problem, up to a limit.
    fn report(&mut self, problem: Problem) {
        if self.stopped {
            return;
        }
        self.problems.push(problem);
        if self.problems.len() >= PROBLEM_LIMIT {
            let message = "too many problems; the rest of the file is not read";
            self.problems.push(Problem::fatal(self.tokens.span, message));
            self.stopped = true;
            self.tokens.stop();
        }
    }

    /// Reports the current token as out of place.
    fn unexpected(&mut self, expected: &str) -> Stop {
        self.unexpected_at(self.tokens.span, expected)
    }

    fn unexpected_at(&mut self, span: Span, expected: &str) -> Stop {
        if self.stopped {
            return Stop;
        }
        let mut span = span;
        if self.tokens.kind == Token::Directive && self.tokens.slice_of(span) == ".version" {
            span = header::version_span(self.tokens.text(), span);
        }
        let text = self.tokens.slice_of(span);
        let problem = match self.tokens.kind {
            Token::End => Problem::fatal(span, format!("expected {expected}, but the file ends here"))
                .vendor("Parsing error near '': syntax error"),
            Token::UnfinishedComment => Problem::fatal(span, "the comment that begins here has no end")
                .vendor("Parsing error near '': unexpected EOF while scanning"),
            Token::Invalid if text == "\"" => Problem::fatal(span, "the string that begins here has no end")
                .vendor("Parsing error near '\"': syntax error"),
            _ => Problem::fatal(span, format!("expected {expected}, found '{}'", shorten(text))).vendor(format!(
                "Parsing error near '{}': syntax error",
                shorten(without_modifiers(text))
            )),
        };
        self.report(problem);
        Stop
    }

    /// Reports that a name is declared twice in a scope.
    fn duplicate(&mut self, kind: &str, name: &str, span: Span) {
        let problem = Problem::error(span, format!("{kind} '{name}' is already declared in this scope"))
            .vendor(format!("Duplicate definition of {kind} '{name}'"));
        self.report(problem);
    }

    /// Declares a name in the innermost scope and reports it if it is taken.
    fn declare(&mut self, name: Name, meaning: Meaning, span: Span) -> bool {
        self.refuse_early_uses(name);
        let declared = self.scopes.declare(&mut self.module.names, name, meaning).is_ok();
        if !declared {
            let kind = match meaning {
                Meaning::Label(_) => "label",
                Meaning::Function(_) => "function",
                Meaning::Register(_) | Meaning::Range(..) | Meaning::Variable(_) => "variable",
            };
            let text = self.module.names.get(name).to_owned();
            self.duplicate(kind, &text, span);
        }
        declared
    }

    /// Appends operands to the body and gives the index of the first.
    fn place_operands(&mut self) -> (u32, u16) {
        let first = self.body.operands.len() as u32;
        let (top, nested) = (&mut self.scratch.top, &mut self.scratch.nested);
        let count = top.len() as u16;
        if !nested.is_empty() {
            let base = first + u32::from(count);
            for operand in top.iter_mut().chain(nested.iter_mut()) {
                match operand {
                    Operand::Bracket(range) | Operand::Vector(range) | Operand::Pair(range) | Operand::List(range) => {
                        range.first += base;
                    }
                    _ => {}
                }
            }
        }
        self.body.operands.extend_from_slice(top);
        self.body.operands.extend_from_slice(nested);
        (first, count)
    }
}

/// Keeps messages readable where a token is a megabyte long.
fn shorten(text: &str) -> &str {
    text.get(..200).unwrap_or(text)
}

/// The instruction's name that a text begins with, or all of it.
fn without_modifiers(text: &str) -> &str {
    let dots = text.rmatch_indices('.').map(|(at, _)| &text[..at]);
    let is_name = |name: &&str| crate::table::OPCODES.iter().any(|row| row.name == *name);
    std::iter::once(text).chain(dots).find(is_name).unwrap_or(text)
}
