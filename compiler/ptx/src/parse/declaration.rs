//! Variables and registers.

use smallvec::SmallVec;

use super::{Parse, Parser};
use crate::{
    Problem, Span, check,
    lexer::Token,
    module::{Attribute, Item, Linkage, Name, Register, RegisterRange, Space, Statement, Variable, VariableId},
    scope::Meaning,
    table::Type,
};

/// Registers that one function may declare in all; more is a slip, and would only cost memory later.
const REGISTER_LIMIT: u64 = 1 << 28;

/// Variables that one parameterised name may stand for.
pub(super) const FAMILY_LIMIT: u32 = 65_536;

/// What stands before the name of a variable.
#[derive(Clone, Debug)]
pub(super) struct Specifiers {
    pub(super) space: Option<Space>,
    pub(super) bank: u8,
    pub(super) alignment: Option<u32>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) vector: u8,
    pub(super) element: Type,
    pub(super) start: Span,
}

/// The state space that a directive names.
fn space(text: &str) -> Option<Space> {
    Some(match text {
        ".param" => Space::Parameter,
        ".reg" => Space::Register,
        ".global" => Space::Global,
        ".shared" => Space::Shared,
        ".local" => Space::Local,
        ".const" => Space::Constant,
        ".tex" => Space::Texture,
        _ => return None,
    })
}

/// What a word after a dot is as the type of a variable.
enum TypeWord {
    Declarable(Type),
    /// A type of instructions only.
    InstructionOnly,
    None,
}

fn type_word(text: &str) -> TypeWord {
    let name = &text[1..];
    match name {
        "b8" | "b16" | "b32" | "b64" | "b128" | "u8" | "u16" | "u32" | "u64" | "s8" | "s16" | "s32" | "s64" | "f16"
        | "f16x2" | "f32" | "f64" | "pred" | "texref" | "samplerref" | "surfref" => match Type::from_name(name) {
            Some(element) => TypeWord::Declarable(element),
            None => TypeWord::None,
        },
        "e4m3" | "e5m2" | "e2m1" | "e2m3" | "e3m2" | "ue8m0" | "e4m3x2" | "e5m2x2" | "e2m1x2" | "e2m3x2" | "e3m2x2"
        | "ue8m0x2" | "e4m3x4" | "e5m2x4" | "e2m1x4" | "e2m3x4" | "e3m2x4" | "f32x2" => TypeWord::InstructionOnly,
        _ => TypeWord::None,
    }
}

impl<'t> Parser<'t> {
    /// State space, alignment, attributes, vector and type.
    pub(super) fn specifiers(&mut self) -> Parse<Specifiers> {
        let start = self.tokens.span;
        let mut found = Specifiers {
            space: None,
            bank: 0,
            alignment: None,
            attributes: Vec::new(),
            vector: 1,
            element: Type::B32,
            start,
        };
        loop {
            if !self.at(Token::Directive) {
                return Err(self.unexpected("a type"));
            }
            let (text, span) = (self.tokens.slice(), self.tokens.span);
            if let Some(space) = space(text) {
                self.tokens.advance();
                if found.space.replace(space).is_some() {
                    let problem = Problem::error(span, "a variable has one state space");
                    self.report(problem.vendor("Multiple state spaces specified"));
                }
                if space == Space::Constant && self.at(Token::BracketOpen) && self.tokens.span.start == span.end {
                    found.bank = self.bank()?;
                }
                continue;
            }
            match text {
                ".align" => {
                    self.tokens.advance();
                    found.alignment = Some(self.unsigned_32("an alignment in bytes")?);
                }
                ".attribute" => self.attributes(&mut found.attributes)?,
                _ => break,
            }
        }
        found.vector = match self.tokens.slice() {
            ".v2" => 2,
            ".v4" => 4,
            _ => 1,
        };
        if found.vector > 1 {
            self.tokens.advance();
        }
        found.element = self.variable_type()?;
        Ok(found)
    }

    /// The number in `.const[N]`.
    fn bank(&mut self) -> Parse<u8> {
        self.tokens.advance();
        let span = self.tokens.span;
        let bank = self.unsigned("a bank number")?;
        self.expect(Token::BracketClose, "']'")?;
        match u8::try_from(bank) {
            Ok(bank) if bank < 11 => Ok(bank),
            _ => {
                let problem = Problem::error(span, format!("constant banks are numbered 0 to 10, not {bank}"));
                self.report(problem.vendor(format!("Illegal bank number: {bank}")));
                Ok(0)
            }
        }
    }

    /// `.attribute(.managed, .unified(N, M))`
    pub(super) fn attributes(&mut self, found: &mut Vec<Attribute>) -> Parse<()> {
        self.tokens.advance();
        self.expect(Token::ParenthesisOpen, "'('")?;
        loop {
            if self.at_directive(".managed") {
                self.tokens.advance();
                found.push(Attribute::Managed);
            } else if self.at_directive(".unified") {
                self.tokens.advance();
                self.expect(Token::ParenthesisOpen, "'('")?;
                let high = self.unsigned("a 64-bit number")?;
                self.expect(Token::Comma, "','")?;
                let low = self.unsigned("a 64-bit number")?;
                self.expect(Token::ParenthesisClose, "')'")?;
                found.push(Attribute::Unified(high, low));
            } else {
                return Err(self.unexpected(".managed or .unified"));
            }
            if !self.eat(Token::Comma) {
                return self.expect(Token::ParenthesisClose, "')'");
            }
        }
    }

    fn variable_type(&mut self) -> Parse<Type> {
        let (text, span) = (self.tokens.slice(), self.tokens.span);
        if !self.at(Token::Directive) {
            return Err(self.unexpected("a type"));
        }
        match type_word(text) {
            TypeWord::Declarable(element) => {
                self.tokens.advance();
                Ok(element)
            }
            TypeWord::InstructionOnly => {
                self.tokens.advance();
                let problem = Problem::error(span, format!("{text} is a type of instructions, not of variables"))
                    .vendor(format!("Type {text} may only be used as an instruction type"));
                self.report(problem);
                Ok(Type::B32)
            }
            TypeWord::None => Err(self.unexpected("a type such as .b32")),
        }
    }

    /// A declaration of variables (or registers), up to its semicolon. `.visible` and the like are read already.
    pub(super) fn variables(&mut self, linkage: Linkage) -> Parse<()> {
        if !self.begins_declaration() {
            return Err(self.unexpected("a directive"));
        }
        let specifiers = self.specifiers()?;
        let Some(space) = specifiers.space else {
            let span = specifiers.start;
            let problem = Problem::fatal(span, "a variable needs a state space such as .global");
            self.report(problem.vendor("No variable storage specified"));
            return Err(super::Stop);
        };
        if self.eat(Token::Semicolon) {
            // A declaration of nothing is legal.
            return Ok(());
        }
        loop {
            if space == Space::Register && self.scopes.depth() > 0 {
                self.registers(&specifiers)?;
            } else {
                self.variable(&specifiers, space, linkage)?;
            }
            if !self.eat(Token::Comma) {
                return self.expect(Token::Semicolon, "';'");
            }
        }
    }

    /// Whether the directive here can begin a declaration.
    pub(super) fn begins_declaration(&self) -> bool {
        let text = self.tokens.slice();
        let declares = matches!(text, ".align" | ".attribute") || space(text).is_some();
        declares || matches!(type_word(text), TypeWord::Declarable(_))
    }

    /// `NAME` or `NAME<COUNT>` of a `.reg` declaration.
    fn registers(&mut self, specifiers: &Specifiers) -> Parse<()> {
        let (text, span) = self.identifier("a register name")?;
        if let Some(problem) = check::bad_alignment(specifiers.alignment, span) {
            self.report(problem);
        }
        let count = self.family()?;
        let name = self.intern(text);
        self.not_for_registers(text, span, specifiers.element)?;
        let declared = match count {
            Some(count) => {
                let first = self.register_count;
                let declared = self.scopes.declare_range(&self.module.names, name, first, count);
                declared
                    .map_err(|clash| self.duplicate("variable", &clash, span))
                    .is_ok()
            }
            None => self.declare(name, Meaning::Register(self.register_count), span),
        };
        if declared {
            self.add_registers(name, count, specifiers.element, specifiers.vector, span);
            let index = self.body.registers.len() as u32 - 1;
            self.body.statements.push(Statement::Registers(index));
        }
        Ok(())
    }

    /// Dimensions and values, which registers do not have.
    fn not_for_registers(&mut self, text: &str, span: Span, element: Type) -> Parse<()> {
        if self.at(Token::BracketOpen) {
            self.dimensions()?;
            let problem = Problem::error(span, format!("'{text}' is a register, and registers are no arrays"));
            self.report(problem.vendor(format!("Variable '{text}' cannot be allocated into a register")));
        }
        if self.eat(Token::Equal) {
            self.initializer(element)?;
            let problem = Problem::error(span, format!("'{text}' is a register, which has no initial value"));
            self.report(problem.vendor(format!("No initial value is allowed for '{text}' in this state space")));
        }
        Ok(())
    }

    /// Gives registers their numbers.
    pub(super) fn add_registers(&mut self, name: Name, count: Option<u32>, element: Type, vector: u8, span: Span) {
        let range = RegisterRange {
            name,
            first: Register(self.register_count),
            count,
            element,
            vector,
            span,
        };
        let after = u64::from(self.register_count) + u64::from(count.unwrap_or(1));
        if after > REGISTER_LIMIT {
            let problem = Problem::fatal(
                span,
                format!("a function may declare {REGISTER_LIMIT} registers at most"),
            );
            self.report(problem.vendor("Memory allocation failure"));
        }
        self.register_count = after.min(REGISTER_LIMIT) as u32;
        self.body.registers.push(range);
    }

    /// `<COUNT>`
    pub(super) fn family(&mut self) -> Parse<Option<u32>> {
        if !self.eat(Token::Less) {
            return Ok(None);
        }
        let count = self.unsigned_32("the number of names")?;
        self.expect(Token::Greater, "'>'")?;
        Ok(Some(count))
    }

    /// `NAME`, `NAME<COUNT>`, dimensions and value of a variable.
    fn variable(&mut self, specifiers: &Specifiers, space: Space, linkage: Linkage) -> Parse<()> {
        let (text, span) = self.identifier("a variable name")?;
        let count = self.family()?;
        let dimensions = if count.is_none() {
            self.dimensions()?
        } else {
            SmallVec::new()
        };
        let initializer = if self.eat(Token::Equal) {
            Some(self.initializer(specifiers.element)?)
        } else {
            None
        };
        let variable = Variable {
            name: None,
            space,
            bank: specifiers.bank,
            element: specifiers.element,
            vector: specifiers.vector,
            alignment: specifiers.alignment,
            dimensions,
            initializer,
            linkage,
            pointer: None,
            attributes: specifiers.attributes.clone(),
            span,
        };
        let Some(count) = count else {
            let name = self.intern(text);
            self.add_variable(Variable {
                name: Some(name),
                ..variable
            });
            return Ok(());
        };
        if count > FAMILY_LIMIT {
            let problem = Problem::fatal(
                span,
                format!("a parameterised name may stand for {FAMILY_LIMIT} variables at most"),
            );
            self.report(problem.vendor("Memory allocation failure"));
            return Ok(());
        }
        for number in 0..count {
            let name = self.intern(&format!("{text}{number}"));
            self.add_variable(Variable {
                name: Some(name),
                ..variable.clone()
            });
        }
        Ok(())
    }

    /// Declares a variable in the innermost scope and lists it there.
    fn add_variable(&mut self, variable: Variable) {
        let Some(name) = variable.name else { return };
        let span = variable.span;
        let id = VariableId(self.module.variables.len() as u32);
        if self.redeclared(name, &variable) {
            return;
        }
        self.declare(name, Meaning::Variable(id), span);
        self.module.variables.push(variable);
        if self.scopes.depth() == 0 {
            self.module.items.push(Item::Variable(id));
        } else {
            self.body.statements.push(Statement::Variable(id));
        }
    }

    /// `[4][2]`; only the outermost dimension may be open.
    pub(super) fn dimensions(&mut self) -> Parse<SmallVec<[Option<u64>; 1]>> {
        let mut dimensions = SmallVec::new();
        while self.eat(Token::BracketOpen) {
            if dimensions.is_empty() && self.at(Token::BracketClose) {
                dimensions.push(None);
            } else if self.at(Token::Identifier) && self.tokens.slice() == "WARP_SZ" {
                self.tokens.advance();
                dimensions.push(Some(32));
            } else {
                dimensions.push(Some(self.unsigned("the number of elements")?));
            }
            self.expect(Token::BracketClose, "']'")?;
        }
        Ok(dimensions)
    }
}
