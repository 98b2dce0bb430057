//! Parameters of functions, and what can begin one (\[dcl.fct\]).

use crate::source::{Keyword, Punctuator, TokenKind};
use crate::syntax::ast::{
    BuiltinType, Declarator, Id, List, NameKind, Parameter, Specifiers, TypeSpecifier, UnqualifiedName,
};

use super::attribute::is_attribute_keyword;
use super::declarator::Form;
use super::scope::Entry;
use super::specifier::{Where, is_type_word};
use super::template::TemplateHead;
use super::{Parsed, Parser};

impl Parser<'_> {
    /// `(parameters)`, and whether `...` ends them.
    pub(super) fn parameter_clause(&mut self) -> Parsed<(List<Id<Parameter>>, bool)> {
        self.expect(Punctuator::LeftParenthesis, "before parameters")?;
        let mut parameters = Vec::new();
        let mut is_variadic = false;
        while !self.is(Punctuator::RightParenthesis) {
            if self.eat(Punctuator::Ellipsis) {
                is_variadic = true;
                break;
            }
            let start = self.position;
            let parameter = match self.parameter(Where::Parameter) {
                Ok(parameter) => parameter,
                Err(failed) => self.recovered_parameter(start).ok_or(failed)?,
            };
            parameters.push(parameter);
            if self.eat(Punctuator::Ellipsis) {
                is_variadic = true;
                break;
            }
            if !self.eat(Punctuator::Comma) {
                break;
            }
        }
        self.expect(Punctuator::RightParenthesis, "or `,` after a parameter")?;
        if let [only] = parameters[..]
            && self.is_void(only)
        {
            parameters.clear();
        }
        Ok((parameters.into_boxed_slice(), is_variadic))
    }

    /// Goes on behind a parameter with an error, so that the function is known at least; not in an attempt.
    fn recovered_parameter(&mut self, start: usize) -> Option<Id<Parameter>> {
        if self.attempts > 0 || self.stopped {
            return None;
        }
        loop {
            match self.kind() {
                TokenKind::Punctuator(Punctuator::Comma | Punctuator::RightParenthesis) => break,
                TokenKind::Punctuator(Punctuator::LeftParenthesis | Punctuator::LeftBracket) => {
                    self.position = self.brackets.partner(self.position)?;
                }
                TokenKind::Punctuator(
                    Punctuator::Semicolon | Punctuator::LeftBrace | Punctuator::RightBrace | Punctuator::RightBracket,
                )
                | TokenKind::End => return None,
                _ => {}
            }
            self.advance();
        }
        let span = self.span_from(start);
        let specifiers = super::specifier::empty_specifiers(span);
        let specifiers = self.add_specifiers(
            Specifiers {
                type_specifier: TypeSpecifier::Error,
                ..specifiers
            },
            None,
        );
        let (chunks, attributes) = (Box::default(), Box::default());
        let declarator = Declarator {
            name: None,
            chunks,
            pack: false,
            attributes,
            asm_label: None,
            span,
        };
        let declarator = self.ast.add(declarator);
        Some(self.ast.add(Parameter {
            specifiers,
            declarator,
            default: None,
            span,
        }))
    }

    /// Whether a parameter is just `void`.
    fn is_void(&self, parameter: Id<Parameter>) -> bool {
        let parameter = &self.ast[parameter];
        let declarator = &self.ast[parameter.declarator];
        let specifiers = &self.ast[parameter.specifiers];
        matches!(specifiers.type_specifier, TypeSpecifier::Builtin(BuiltinType::Void))
            && declarator.name.is_none()
            && declarator.chunks.is_empty()
    }

    /// One parameter; its name is declared.
    pub(super) fn parameter(&mut self, place: Where) -> Parsed<Id<Parameter>> {
        self.nested(|parser| {
            let start = parser.position;
            if parser.is_keyword(Keyword::This) {
                return Err(parser.error(parser.here(), "explicit object parameters are not supported"));
            }
            let specifiers = parser.specifiers(place, TemplateHead::None)?;
            if matches!(parser.ast[specifiers].type_specifier, TypeSpecifier::None) {
                return Err(parser.expected("the type of a parameter"));
            }
            let depth = parser.scopes.depth();
            let declarator = parser.declarator(Form::Either)?.id;
            parser.scopes.truncate(depth);
            parser.declare_parameter(declarator);
            let default = if parser.eat(Punctuator::Equal) {
                Some(parser.default_argument(place)?)
            } else {
                None
            };
            let span = parser.span_from(start);
            Ok(parser.ast.add(Parameter {
                specifiers,
                declarator,
                default,
                span,
            }))
        })
    }

    fn default_argument(&mut self, place: Where) -> Parsed<Id<crate::syntax::ast::Expression>> {
        match place {
            Where::TemplateParameter => self.constant_expression(),
            _ => self.initializer_clause(),
        }
    }

    fn declare_parameter(&mut self, declarator: Id<crate::syntax::ast::Declarator>) {
        let Some(name) = self.ast[declarator].name else { return };
        if let UnqualifiedName::Identifier(name) = self.ast[name].last {
            let scope = self.scopes.innermost();
            self.scopes.declare(scope, name, Entry::new(NameKind::Value, None));
        }
    }

    /// Whether a parameter-declaration may begin here, rather than an expression.
    pub(super) fn starts_parameter(&mut self) -> bool {
        match self.kind() {
            TokenKind::Keyword(keyword) if is_type_word(keyword) => {
                // `int(5)` is an expression; `int (*)(…)` and `int (x)` are found out by reading.
                true
            }
            TokenKind::Keyword(Keyword::Register) => true,
            TokenKind::Keyword(keyword) if is_attribute_keyword(keyword) => true,
            TokenKind::Punctuator(Punctuator::LeftBracket) => self.at_attribute(),
            _ => self.starts_type(),
        }
    }

    /// Whether a type begins here, going by keywords and the kinds of names; what is not known counts if another name follows it.
    pub(super) fn starts_type(&mut self) -> bool {
        match self.kind() {
            TokenKind::Keyword(keyword) => is_type_word(keyword) || begins_type(keyword),
            TokenKind::Identifier(_) | TokenKind::Punctuator(Punctuator::DoubleColon) => self.name_starts_type(),
            _ => false,
        }
    }

    fn name_starts_type(&mut self) -> bool {
        if let Some(name) = self.identifier() {
            let undeclared = self.scopes.find(name, super::scope::Wanted::Any).is_none();
            if undeclared && self.words.builtin_type(name).is_some() {
                return true;
            }
            if undeclared && self.words.transform(name).is_some() && self.ahead(1).is(Punctuator::LeftParenthesis) {
                return true;
            }
        }
        let Some((parsed, end)) = self.peek_name() else {
            return false;
        };
        let plain = matches!(
            parsed.name.last,
            UnqualifiedName::Identifier(_) | UnqualifiedName::Template { .. }
        );
        match parsed.name.kind {
            NameKind::Type | NameKind::TypeTemplate => plain,
            NameKind::Unknown => plain && self.token_at(end).identifier().is_some(),
            NameKind::Concept => matches!(
                self.token_at(end).kind,
                TokenKind::Keyword(Keyword::Auto | Keyword::Decltype)
            ),
            NameKind::Value | NameKind::Namespace | NameKind::FunctionTemplate | NameKind::VariableTemplate => false,
        }
    }
}

/// Keywords other than the words of fundamental types that begin a type.
fn begins_type(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Const
            | Keyword::Volatile
            | Keyword::Auto
            | Keyword::Decltype
            | Keyword::Typeof
            | Keyword::Typename
            | Keyword::Class
            | Keyword::Struct
            | Keyword::Union
            | Keyword::Enum
            | Keyword::UnderlyingType
    )
}
