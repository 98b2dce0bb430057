//! Whether a statement is a declaration or an expression (\[stmt.ambig\]).

use crate::source::{Keyword, Punctuator, TokenKind};
use crate::syntax::ast::{Id, NameKind, Statement, StatementKind, UnqualifiedName};

use super::specifier::{Where, is_type_word};
use super::template::TemplateHead;
use super::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn expression_or_declaration(&mut self) -> Parsed<Id<Statement>> {
        let start = self.position;
        if self.is_declaration() {
            let declaration = self.declaration_in(Where::Block, TemplateHead::None)?;
            return Ok(self.add_statement(StatementKind::Declaration(declaration), start));
        }
        let expression = self.expression()?;
        self.expect_semicolon("after the expression")?;
        Ok(self.add_statement(StatementKind::Expression(expression), start))
    }

    /// Whether a declaration stands here: what can be one is one (\[stmt.ambig\]).
    pub(super) fn is_declaration(&mut self) -> bool {
        match self.kind() {
            TokenKind::Keyword(keyword) if is_type_word(keyword) => {
                let mut words = 1;
                while matches!(self.ahead(words).kind, TokenKind::Keyword(keyword) if is_type_word(keyword)) {
                    words += 1;
                }
                self.declares_after_type(self.position + words)
            }
            TokenKind::Keyword(Keyword::Typename | Keyword::Decltype | Keyword::Typeof | Keyword::UnderlyingType) => {
                self.complex_type_declares()
            }
            TokenKind::Keyword(Keyword::Extension) => {
                let saved = self.position;
                self.advance();
                let result = self.is_declaration();
                self.position = saved;
                result
            }
            TokenKind::Keyword(keyword) => begins_only_declaration(keyword),
            TokenKind::Punctuator(Punctuator::LeftBracket) if self.at_attribute() => {
                let saved = self.position;
                let read = self.attempt(|parser| parser.attribute_list()).is_some();
                let result = read && self.is_declaration();
                self.position = saved;
                result
            }
            TokenKind::Identifier(_) | TokenKind::Punctuator(Punctuator::DoubleColon) => self.name_declares(),
            _ => false,
        }
    }

    /// `typename T::x …`, `decltype(…) …`: read the type and look what follows.
    fn complex_type_declares(&mut self) -> bool {
        let end = self.look(|parser| {
            let specifiers = parser.specifiers(Where::Simple, TemplateHead::None)?;
            let none = matches!(
                parser.ast[specifiers].type_specifier,
                crate::syntax::ast::TypeSpecifier::None
            );
            if none { Err(super::Failed) } else { Ok(parser.position) }
        });
        end.is_some_and(|end| self.declares_after_type(end))
    }

    fn name_declares(&mut self) -> bool {
        if let Some(name) = self.identifier()
            && (self.words.builtin_type(name).is_some()
                || self.words.transform(name).is_some() && self.ahead(1).is(Punctuator::LeftParenthesis))
            && self.scopes.find(name, super::scope::Wanted::Any).is_none()
        {
            return self.complex_type_declares();
        }
        let Some((parsed, end)) = self.peek_name() else {
            return false;
        };
        if !matches!(
            parsed.name.last,
            UnqualifiedName::Identifier(_) | UnqualifiedName::Template { .. }
        ) {
            return false;
        }
        match parsed.name.kind {
            NameKind::Type | NameKind::TypeTemplate => self.declares_after_type(end),
            NameKind::Unknown => self.declares_after_unknown(&parsed.name, end),
            NameKind::Concept => matches!(
                self.token_at(end).kind,
                TokenKind::Keyword(Keyword::Auto | Keyword::Decltype)
            ),
            NameKind::FunctionTemplate | NameKind::VariableTemplate | NameKind::Namespace | NameKind::Value => false,
        }
    }

    /// Whether what follows a type makes a declaration of it.
    fn declares_after_type(&mut self, end: usize) -> bool {
        match self.token_at(end).kind {
            TokenKind::Punctuator(Punctuator::LeftBrace | Punctuator::Dot | Punctuator::Arrow | Punctuator::Comma) => {
                false
            }
            TokenKind::Punctuator(Punctuator::DoubleColon) => {
                // `T ::x` cannot be; `T C::*p` begins with a name.
                false
            }
            TokenKind::Punctuator(Punctuator::LeftParenthesis) => {
                // `T(x);` declares if what is in the parentheses is a declarator.
                let after = self.declarator_in_parentheses(end);
                after.is_some_and(|after| self.follows_declarator(after))
            }
            _ => true,
        }
    }

    /// Whether a name that is not known is the type of a declaration: another name follows, or pointer operators and a name that is initialised.
    fn declares_after_unknown(&self, name: &crate::syntax::ast::QualifiedName, end: usize) -> bool {
        let next = self.token_at(end);
        if next.identifier().is_some() || matches!(next.kind, TokenKind::Keyword(Keyword::Const | Keyword::Volatile)) {
            return true;
        }
        let qualified = !name.is_unqualified() || matches!(name.last, UnqualifiedName::Template { .. });
        let mut index = end;
        while matches!(
            self.token_at(index).kind,
            TokenKind::Punctuator(Punctuator::Star | Punctuator::Ampersand | Punctuator::DoubleAmpersand)
                | TokenKind::Keyword(Keyword::Const | Keyword::Restrict)
        ) {
            index += 1;
        }
        qualified
            && index > end
            && self.token_at(index).identifier().is_some()
            && matches!(
                self.token_at(index + 1).kind,
                TokenKind::Punctuator(Punctuator::Equal | Punctuator::Semicolon)
            )
    }

    /// The position behind `( declarator )` at `open`, if that is what stands there.
    fn declarator_in_parentheses(&self, open: usize) -> Option<usize> {
        let close = self.brackets.partner(open)?;
        let mut index = open + 1;
        let mut depth = 0usize;
        // `((*x))` and the like: openers and pointer operators first.
        loop {
            match self.token_at(index).kind {
                TokenKind::Punctuator(Punctuator::Star | Punctuator::Ampersand | Punctuator::DoubleAmpersand)
                | TokenKind::Keyword(Keyword::Const | Keyword::Volatile | Keyword::Restrict) => index += 1,
                TokenKind::Punctuator(Punctuator::LeftParenthesis) => {
                    depth += 1;
                    index += 1;
                }
                // `*[[attribute]] x`.
                TokenKind::Punctuator(Punctuator::LeftBracket)
                    if index > open + 1 && self.token_at(index + 1).is(Punctuator::LeftBracket) =>
                {
                    index = self.brackets.partner(index)? + 1;
                }
                TokenKind::Identifier(_) if self.token_at(index + 1).is(Punctuator::DoubleColon) => {
                    // `C::*x`; `C::x` can be no declarator in a block.
                    if !self.token_at(index + 2).is(Punctuator::Star) {
                        return None;
                    }
                    index += 2;
                }
                _ => break,
            }
        }
        self.token_at(index).identifier()?;
        index += 1;
        loop {
            match self.token_at(index).kind {
                TokenKind::Punctuator(Punctuator::LeftParenthesis | Punctuator::LeftBracket) => {
                    index = self.brackets.partner(index)? + 1;
                }
                TokenKind::Punctuator(Punctuator::RightParenthesis) if depth > 0 => {
                    depth -= 1;
                    index += 1;
                }
                _ => break,
            }
        }
        (index == close).then_some(close + 1)
    }

    /// Whether a declarator in parentheses may end before this token; a `(` goes on with parameters or an initialiser.
    fn follows_declarator(&self, index: usize) -> bool {
        matches!(
            self.token_at(index).kind,
            TokenKind::Punctuator(
                Punctuator::Semicolon
                    | Punctuator::Equal
                    | Punctuator::Comma
                    | Punctuator::LeftBrace
                    | Punctuator::LeftBracket
                    | Punctuator::LeftParenthesis
                    | Punctuator::Colon,
            ) | TokenKind::Keyword(Keyword::Attribute | Keyword::Asm)
        )
    }
}

/// Keywords that begin nothing but a declaration.
pub(super) fn begins_only_declaration(keyword: Keyword) -> bool {
    super::attribute::is_attribute_keyword(keyword)
        || matches!(
            keyword,
            Keyword::Auto
                | Keyword::Class
                | Keyword::Const
                | Keyword::Consteval
                | Keyword::Constexpr
                | Keyword::Constinit
                | Keyword::Enum
                | Keyword::Explicit
                | Keyword::Extern
                | Keyword::Friend
                | Keyword::Inline
                | Keyword::Mutable
                | Keyword::Namespace
                | Keyword::Register
                | Keyword::Static
                | Keyword::StaticAssert
                | Keyword::Struct
                | Keyword::Template
                | Keyword::ThreadLocal
                | Keyword::Typedef
                | Keyword::Union
                | Keyword::Using
                | Keyword::Virtual
                | Keyword::Volatile
        )
}
