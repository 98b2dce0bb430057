//! Template declarations, parameters and arguments (\[temp\]).

use crate::source::{Keyword, Punctuator, Span, Symbol, TokenKind};
use crate::syntax::ast::{
    Declaration, DeclarationKind, Declarator, Expression, ExpressionKind, Id, List, NameKind, QualifiedName,
    Specifiers, TemplateArgument, TemplateArgumentKind, TemplateParameter, TemplateParameterKind, TypeId,
};

use super::name::NameMode;
use super::scope::{Entry, ScopeKind};
use super::specifier::{Where, empty_specifiers};
use super::{Failed, Parsed, Parser};

/// What kind of template declaration a declaration stands in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TemplateHead {
    /// None.
    #[default]
    None,
    /// `template <parameters>`.
    Parameters,
    /// `template <>`.
    Specialization,
    /// `template` alone.
    Instantiation,
}

impl Parser<'_> {
    /// A declaration that begins with `template`, or `extern template`.
    pub(super) fn template_declaration(&mut self, place: Where) -> Parsed<Id<Declaration>> {
        let start = self.position;
        let is_extern = self.eat_keyword(Keyword::Extern);
        self.advance();
        if !self.is(Punctuator::Less) {
            let declaration = self.nested(|parser| parser.declaration_in(place, TemplateHead::Instantiation))?;
            let kind = DeclarationKind::ExplicitInstantiation { is_extern, declaration };
            return Ok(self.add_declaration(kind, start));
        }
        if self.ahead(1).is(Punctuator::Greater) {
            self.advance();
            self.advance();
            let declaration = self.nested(|parser| parser.templated(place, TemplateHead::Specialization))?;
            return Ok(self.add_declaration(DeclarationKind::ExplicitSpecialization { declaration }, start));
        }
        let depth = self.scopes.depth();
        self.scopes.enter(ScopeKind::TemplateParameters);
        let result = self.nested(|parser| {
            let parameters = parser.template_parameters()?;
            let requires = parser.optional_requires_clause()?;
            let declaration = parser.templated(place, TemplateHead::Parameters)?;
            Ok(DeclarationKind::Template {
                parameters,
                requires,
                declaration,
            })
        });
        self.scopes.truncate(depth);
        let kind = result?;
        Ok(self.add_declaration(kind, start))
    }

    /// What a template head applies to.
    fn templated(&mut self, place: Where, head: TemplateHead) -> Parsed<Id<Declaration>> {
        match self.kind() {
            TokenKind::Keyword(Keyword::Template) => self.template_declaration(place),
            TokenKind::Keyword(Keyword::Concept) if head == TemplateHead::Parameters => self.concept(),
            TokenKind::Identifier(name) if self.words.is_later_keyword(name) => {
                Err(self.later_keyword(name, self.here()))
            }
            _ => self.declaration_in(place, head),
        }
    }

    /// `<parameters>`.
    pub(super) fn template_parameters(&mut self) -> Parsed<List<Id<TemplateParameter>>> {
        self.expect(Punctuator::Less, "after `template`")?;
        let saved = std::mem::replace(&mut self.in_angles, true);
        let parameters = self.template_parameter_list();
        self.in_angles = saved;
        parameters
    }

    fn template_parameter_list(&mut self) -> Parsed<List<Id<TemplateParameter>>> {
        let mut parameters = Vec::new();
        while !self.is(Punctuator::Greater) {
            parameters.push(self.nested(|parser| parser.template_parameter())?);
            if !self.eat(Punctuator::Comma) {
                break;
            }
        }
        self.expect(Punctuator::Greater, "after the template parameters")?;
        Ok(parameters.into_boxed_slice())
    }

    /// One parameter (\[temp.param\]); its name is declared.
    fn template_parameter(&mut self) -> Parsed<Id<TemplateParameter>> {
        let start = self.position;
        if let Some(constraint) = self.parameter_constraint() {
            let (kind, name, pack) = self.named_type_parameter()?;
            let span = self.span_from(start);
            return Ok(self.ast.add(TemplateParameter {
                kind,
                name,
                constraint: Some(constraint),
                pack,
                span,
            }));
        }
        let (kind, name, pack) = match self.kind() {
            TokenKind::Keyword(Keyword::Template) => self.template_template_parameter()?,
            TokenKind::Keyword(Keyword::Class | Keyword::Typename) if self.is_type_parameter() => {
                self.type_parameter()?
            }
            _ => {
                let parameter = self.parameter(Where::TemplateParameter)?;
                let declarator = &self.ast[self.ast[parameter].declarator];
                let pack = declarator.pack;
                let name = declarator.name.and_then(|name| self.ast[name].as_identifier());
                (TemplateParameterKind::NonType { parameter }, name, pack)
            }
        };
        let span = self.span_from(start);
        Ok(self.ast.add(TemplateParameter {
            kind,
            name,
            constraint: None,
            pack,
            span,
        }))
    }

    /// `class` or `typename` begins a type parameter if a name, `...`, `=`, `,` or `>` follows; else it belongs to the type of a non-type parameter.
    fn is_type_parameter(&self) -> bool {
        let ends = |token: crate::source::Token| {
            matches!(
                token.kind,
                TokenKind::Punctuator(
                    Punctuator::Comma | Punctuator::Greater | Punctuator::Equal | Punctuator::Ellipsis
                )
            )
        };
        let next = self.ahead(1);
        ends(next)
            || (next.identifier().is_some() && (ends(self.ahead(2)) || self.ahead(2).is(Punctuator::GreaterEqual)))
    }

    fn type_parameter(&mut self) -> Parsed<(TemplateParameterKind, Option<Symbol>, bool)> {
        self.advance();
        self.named_type_parameter()
    }

    /// What follows `typename` or a concept.
    fn named_type_parameter(&mut self) -> Parsed<(TemplateParameterKind, Option<Symbol>, bool)> {
        let pack = self.eat(Punctuator::Ellipsis);
        let name = self.identifier();
        if let Some(name) = name {
            self.advance();
            let scope = self.scopes.innermost();
            self.scopes.declare(scope, name, Entry::new(NameKind::Type, None));
        }
        let default = if self.eat(Punctuator::Equal) {
            Some(self.type_id(Where::DefaultType)?)
        } else {
            None
        };
        Ok((TemplateParameterKind::Type { default }, name, pack))
    }

    fn template_template_parameter(&mut self) -> Parsed<(TemplateParameterKind, Option<Symbol>, bool)> {
        self.advance();
        let depth = self.scopes.depth();
        self.scopes.enter(ScopeKind::TemplateParameters);
        let parameters = self.template_parameters();
        self.scopes.truncate(depth);
        let parameters = parameters?;
        self.optional_requires_clause()?;
        if !self.eat_keyword(Keyword::Class) && !self.eat_keyword(Keyword::Typename) {
            return Err(self.expected("`class` or `typename`"));
        }
        let pack = self.eat(Punctuator::Ellipsis);
        let name = self.identifier();
        if let Some(name) = name {
            self.advance();
            let scope = self.scopes.innermost();
            self.scopes
                .declare(scope, name, Entry::new(NameKind::TypeTemplate, None));
        }
        let default = if self.eat(Punctuator::Equal) {
            let parsed = self.qualified_name(NameMode::Expression)?;
            Some(self.add_name(parsed.name, parsed.scope))
        } else {
            None
        };
        Ok((TemplateParameterKind::Template { parameters, default }, name, pack))
    }

    /// `<arguments>`. What was read at this place before is not read again.
    pub(super) fn template_arguments(&mut self) -> Parsed<List<TemplateArgument>> {
        let start = self.position;
        match self.template_lists.get(&start) {
            Some(Some((arguments, end))) => {
                self.position = *end;
                return Ok(arguments.clone());
            }
            Some(None) if self.attempts > 0 => {
                self.suppressed += 1;
                return Err(Failed);
            }
            Some(None) | None => {}
        }
        let suppressed = self.suppressed;
        let saved = std::mem::replace(&mut self.in_angles, true);
        let result = self.nested(|parser| parser.template_argument_list());
        self.in_angles = saved;
        match result {
            Ok(arguments) if self.suppressed == suppressed => {
                self.template_lists
                    .insert(start, Some((arguments.clone(), self.position)));
                Ok(arguments)
            }
            Ok(arguments) => Ok(arguments),
            Err(failed) => {
                self.template_lists.insert(start, None);
                Err(failed)
            }
        }
    }

    fn template_argument_list(&mut self) -> Parsed<List<TemplateArgument>> {
        self.expect(Punctuator::Less, "before template arguments")?;
        let mut arguments = Vec::new();
        while !self.is(Punctuator::Greater) {
            arguments.push(self.template_argument()?);
            if !self.eat(Punctuator::Comma) {
                break;
            }
        }
        self.expect(Punctuator::Greater, "or `,` after a template argument")?;
        Ok(arguments.into_boxed_slice())
    }

    fn template_argument(&mut self) -> Parsed<TemplateArgument> {
        let start = self.position;
        let kind = self.template_argument_kind()?;
        let pack_expansion = self.eat(Punctuator::Ellipsis);
        let span = self.span_from(start);
        Ok(TemplateArgument {
            kind,
            pack_expansion,
            span,
        })
    }

    fn ends_template_argument(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Punctuator(Punctuator::Comma | Punctuator::Greater | Punctuator::Ellipsis)
        )
    }

    /// A type-id if it can be one (\[temp.arg\]/2), an expression otherwise.
    fn template_argument_kind(&mut self) -> Parsed<TemplateArgumentKind> {
        if let Some(kind) = self.bare_name_argument() {
            return Ok(kind);
        }
        let start = self.position;
        let read = self.attempt(|parser| {
            let type_id = parser.type_id(Where::Argument)?;
            Ok((type_id, parser.ends_template_argument()))
        });
        match read {
            Some((type_id, true)) => return Ok(TemplateArgumentKind::Type(type_id)),
            Some((type_id, false)) => {
                let declarator = &self.ast[self.ast[type_id].declarator];
                if declarator.chunks.is_empty() && !self.may_go_on_as_expression() {
                    return Err(self.expected("`>` or `,` after a template argument"));
                }
                self.position = start;
            }
            None => {}
        }
        Ok(TemplateArgumentKind::Expression(self.constant_expression()?))
    }

    /// Whether what stands behind a type can make an expression of it.
    fn may_go_on_as_expression(&self) -> bool {
        matches!(self.kind(), TokenKind::Punctuator(punctuator) if punctuator != Punctuator::Semicolon)
    }

    /// A name alone whose kind is not known: both readings.
    fn bare_name_argument(&mut self) -> Option<TemplateArgumentKind> {
        // `decltype(x)::name`: the members of what it names are not known here.
        let by_decltype = matches!(self.kind(), TokenKind::Keyword(Keyword::Decltype));
        if self.identifier().is_none() && !self.is(Punctuator::DoubleColon) && !by_decltype {
            return None;
        }
        if self
            .identifier()
            .is_some_and(|name| self.words.builtin_type(name).is_some())
        {
            return None;
        }
        let start = self.position;
        let parsed = self.attempt(|parser| {
            let parsed = parser.qualified_name(NameMode::Expression)?;
            let bare = parser.ends_template_argument() && parsed.name.kind == NameKind::Unknown;
            bare.then_some(parsed).ok_or(Failed)
        })?;
        let span = self.span_from(start);
        let name = self.add_name(parsed.name, parsed.scope);
        let type_id = self.type_id_of_name(name, false, span);
        let expression = self.ast.add(Expression {
            kind: ExpressionKind::Name(name),
            span,
        });
        Some(TemplateArgumentKind::Ambiguous { type_id, expression })
    }

    /// The type-id that is a name and nothing else.
    pub(super) fn type_id_of_name(&mut self, name: Id<QualifiedName>, typename: bool, span: Span) -> Id<TypeId> {
        let type_specifier = crate::syntax::ast::TypeSpecifier::Name { name, typename };
        let scope = self.name_scopes[name.index()];
        let specifiers = Specifiers {
            type_specifier,
            type_span: span,
            ..empty_specifiers(span)
        };
        let specifiers = self.add_specifiers(specifiers, scope);
        let declarator = self.ast.add(Declarator {
            name: None,
            chunks: Box::default(),
            pack: false,
            attributes: Box::default(),
            asm_label: None,
            span,
        });
        self.ast.add(TypeId {
            specifiers,
            declarator,
            span,
        })
    }
}
