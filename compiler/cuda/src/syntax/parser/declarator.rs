//! Declarators and type-ids (\[dcl.decl\], \[dcl.name\]).

use crate::source::{Keyword, Literal, Punctuator, TokenKind};
use crate::syntax::ast::{
    Attribute, Declarator, DeclaratorChunk, ExceptionSpecification, FunctionDeclarator, Id, List, QualifiedName,
    Qualifiers, ReferenceQualifier, TypeId,
};

use super::name::{NameMode, ParsedName};
use super::scope::{ScopeId, ScopeKind};
use super::specifier::Where;
use super::template::TemplateHead;
use super::{Parsed, Parser};

/// Which declarators may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// With a name: `member` says that parentheses after it can only be parameters.
    Named { member: bool },
    /// Without one.
    Abstract,
    /// With or without: a parameter.
    Either,
}

/// A declarator that was read, with what the parser needs besides the node.
#[derive(Debug)]
pub(super) struct ReadDeclarator {
    pub(super) id: Id<Declarator>,
    /// The scope of the parameters of its outermost function.
    pub(super) parameters: Option<ScopeId>,
}

/// The parts of a declarator under way.
#[derive(Default)]
struct Parts {
    name: Option<Id<QualifiedName>>,
    chunks: Vec<DeclaratorChunk>,
    pack: bool,
    attributes: Vec<Attribute>,
    parameters: Option<ScopeId>,
}

impl Parser<'_> {
    /// A declarator. The scopes of a qualified name stay open: the caller closes them.
    pub(super) fn declarator(&mut self, form: Form) -> Parsed<ReadDeclarator> {
        let start = self.position;
        let mut parts = self.nested(|parser| parser.declarator_parts(form))?;
        let asm_label = self.asm_label()?;
        self.attributes_after_declarator(&mut parts.attributes)?;
        let span = self.span_from(start);
        let id = self.ast.add(Declarator {
            name: parts.name,
            chunks: parts.chunks.into_boxed_slice(),
            pack: parts.pack,
            attributes: parts.attributes.into_boxed_slice(),
            asm_label,
            span,
        });
        Ok(ReadDeclarator {
            id,
            parameters: parts.parameters,
        })
    }

    /// GNU's attributes and CUDA's specifiers behind a declarator.
    fn attributes_after_declarator(&mut self, list: &mut Vec<Attribute>) -> Parsed<()> {
        while let TokenKind::Keyword(keyword) = self.kind()
            && super::attribute::is_attribute_keyword(keyword)
        {
            self.attributes(list)?;
        }
        Ok(())
    }

    /// `asm("label")` behind a declarator.
    fn asm_label(&mut self) -> Parsed<Option<Box<str>>> {
        if !self.is_keyword(Keyword::Asm) {
            return Ok(None);
        }
        self.advance();
        self.parenthesized("after `asm`", |parser| {
            let TokenKind::Literal(id) = parser.kind() else {
                return Err(parser.expected("a string"));
            };
            let Literal::String(string) = parser.source.literal(id) else {
                return Err(parser.expected("a string"));
            };
            let text = string.to_text().into_boxed_str();
            parser.advance();
            Ok(Some(text))
        })
    }

    fn declarator_parts(&mut self, form: Form) -> Parsed<Parts> {
        let mut pointers = Vec::new();
        let mut attributes = Vec::new();
        while let Some(chunk) = self.pointer_operator(&mut attributes)? {
            pointers.push(chunk);
        }
        let mut parts = self.direct_declarator(form)?;
        parts.chunks.extend(pointers.into_iter().rev());
        parts.attributes.extend(attributes);
        Ok(parts)
    }

    /// `*`, `&`, `&&`, `C::*` with their qualifiers.
    pub(super) fn pointer_operator(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<Option<DeclaratorChunk>> {
        let chunk = match self.kind() {
            TokenKind::Punctuator(Punctuator::Star) => {
                self.advance();
                let qualifiers = self.qualifiers(attributes)?;
                DeclaratorChunk::Pointer { qualifiers }
            }
            TokenKind::Punctuator(Punctuator::Ampersand) => {
                self.advance();
                let is_restrict = self.qualifiers(attributes)?.is_restrict;
                DeclaratorChunk::LvalueReference { is_restrict }
            }
            TokenKind::Punctuator(Punctuator::DoubleAmpersand) => {
                self.advance();
                let is_restrict = self.qualifiers(attributes)?.is_restrict;
                DeclaratorChunk::RvalueReference { is_restrict }
            }
            TokenKind::Identifier(_) | TokenKind::Punctuator(Punctuator::DoubleColon) => {
                return self.member_pointer(attributes);
            }
            _ => return Ok(None),
        };
        Ok(Some(chunk))
    }

    /// `C::*`, if that is what stands here.
    fn member_pointer(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<Option<DeclaratorChunk>> {
        let next = self.ahead(1);
        if self.identifier().is_some() && !next.is(Punctuator::DoubleColon) && !next.is(Punctuator::Less) {
            return Ok(None);
        }
        let prefix = self.attempt(|parser| {
            let prefix = parser.nested_name(NameMode::Type)?;
            let found = parser.is(Punctuator::Star) && !prefix.qualifiers.is_empty();
            found.then_some(prefix).ok_or(super::Failed)
        });
        let Some(prefix) = prefix else { return Ok(None) };
        self.advance();
        let qualifiers = self.qualifiers(attributes)?;
        let class = prefix.qualifiers.into_boxed_slice();
        Ok(Some(DeclaratorChunk::MemberPointer {
            global: prefix.global,
            class,
            qualifiers,
        }))
    }

    /// `const`, `volatile`, `__restrict__` behind `*` or parameters; attributes among them.
    fn qualifiers(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<Qualifiers> {
        let mut qualifiers = Qualifiers::NONE;
        loop {
            match self.kind() {
                TokenKind::Keyword(Keyword::Const) => qualifiers.is_const = true,
                TokenKind::Keyword(Keyword::Volatile) => qualifiers.is_volatile = true,
                TokenKind::Keyword(Keyword::Restrict) => qualifiers.is_restrict = true,
                TokenKind::Keyword(keyword) if super::attribute::is_attribute_keyword(keyword) => {
                    self.attributes(attributes)?;
                    continue;
                }
                TokenKind::Punctuator(Punctuator::LeftBracket) if self.at_attribute() => {
                    self.attributes(attributes)?;
                    continue;
                }
                _ => return Ok(qualifiers),
            }
            self.advance();
        }
    }

    fn direct_declarator(&mut self, form: Form) -> Parsed<Parts> {
        let mut parts = Parts::default();
        if form != Form::Abstract || !self.ends_pack_here() {
            parts.pack = self.is(Punctuator::Ellipsis) && !self.ahead(1).is(Punctuator::RightParenthesis)
                || self.pack_without_name(form);
            if parts.pack {
                self.advance();
            }
        }
        let mut member = false;
        if self.opens_nested_declarator(form) {
            parts = self.nested_declarator(form)?;
        } else if form != Form::Abstract && self.may_name_declarator(form) {
            member = self.declared_name(&mut parts)?;
        } else if matches!(form, Form::Named { .. }) {
            return Err(self.expected("a name to declare"));
        }
        self.attributes_behind_name(&mut parts)?;
        self.declarator_suffixes(&mut parts, form, member)?;
        Ok(parts)
    }

    /// In an abstract declarator `...` belongs to what is around it, a template argument say.
    fn ends_pack_here(&self) -> bool {
        self.is(Punctuator::Ellipsis)
    }

    /// `T...)` or `T...,` in parameters: a pack without a name. `T, ...)` has its comma before.
    fn pack_without_name(&self, form: Form) -> bool {
        form == Form::Either && self.is(Punctuator::Ellipsis)
    }

    fn may_name_declarator(&self, form: Form) -> bool {
        match self.kind() {
            TokenKind::Identifier(_)
            | TokenKind::Keyword(Keyword::Operator)
            | TokenKind::Punctuator(Punctuator::DoubleColon) => true,
            TokenKind::Punctuator(Punctuator::Tilde) => form != Form::Either,
            TokenKind::Keyword(Keyword::Decltype) => form != Form::Either,
            _ => false,
        }
    }

    /// The name of the declarator; the scopes that qualify it are opened. Gives whether only a function can have such a name.
    fn declared_name(&mut self, parts: &mut Parts) -> Parsed<bool> {
        use crate::syntax::ast::UnqualifiedName as Last;
        let ParsedName {
            name,
            scope,
            prefix_scopes,
        } = self.qualified_name(NameMode::Declarator)?;
        let is_function = !matches!(name.last, Last::Identifier(_) | Last::Template { .. });
        let is_constructor = match (&name.last, name.qualifiers.last().map(|qualifier| &qualifier.part)) {
            (
                Last::Identifier(last),
                Some(
                    crate::syntax::ast::QualifierPart::Name(class)
                    | crate::syntax::ast::QualifierPart::Template { name: class, .. },
                ),
            ) => last == class,
            _ => false,
        };
        for scope in prefix_scopes {
            self.scopes.push(scope);
        }
        parts.name = Some(self.add_name(name, scope));
        Ok(is_function || is_constructor)
    }

    fn attributes_behind_name(&mut self, parts: &mut Parts) -> Parsed<()> {
        // `int [[attribute]]` without a name: what a type-id says of its type.
        if self.is(Punctuator::LeftBracket) && self.at_attribute() {
            self.attributes(&mut parts.attributes)?;
        }
        Ok(())
    }

    /// Whether `(` opens a declarator in parentheses and not parameters (\[dcl.ambig.res\]).
    fn opens_nested_declarator(&mut self, form: Form) -> bool {
        if !self.is(Punctuator::LeftParenthesis) {
            return false;
        }
        if matches!(form, Form::Named { .. }) {
            return true;
        }
        let saved = self.position;
        // `((…` is nested as far as its inner one is.
        while self.is(Punctuator::LeftParenthesis) {
            self.advance();
        }
        let mut attributes = Vec::new();
        let _ = self.attempt(|parser| parser.attributes_after_declarator(&mut attributes));
        let nested = match self.kind() {
            TokenKind::Punctuator(
                Punctuator::Star | Punctuator::Ampersand | Punctuator::DoubleAmpersand | Punctuator::LeftBracket,
            ) => true,
            TokenKind::Identifier(_) | TokenKind::Punctuator(Punctuator::DoubleColon) => {
                let mut attributes = Vec::new();
                let pointer = self
                    .attempt(|parser| parser.member_pointer(&mut attributes))
                    .flatten()
                    .is_some();
                pointer || (form == Form::Either && self.is_declared_name_in_parentheses())
            }
            _ => false,
        };
        self.position = saved;
        nested
    }

    /// `(x)` of a parameter `int (x)`: nested only if `x` is no type.
    fn is_declared_name_in_parentheses(&mut self) -> bool {
        let Some(name) = self.identifier() else { return false };
        let entry = self.scopes.find(name, super::scope::Wanted::TypeOrNamespace);
        let next = self.ahead(1);
        entry.is_none()
            && (next.is(Punctuator::RightParenthesis)
                || next.is(Punctuator::LeftBracket)
                || next.is(Punctuator::LeftParenthesis))
    }

    fn nested_declarator(&mut self, form: Form) -> Parsed<Parts> {
        self.advance();
        let mut attributes = Vec::new();
        self.attributes_after_declarator(&mut attributes)?;
        let mut parts = self.nested(|parser| parser.declarator_parts(form))?;
        parts.attributes.extend(attributes);
        self.expect(Punctuator::RightParenthesis, "after the declarator")?;
        Ok(parts)
    }

    /// `[…]` and `(…)` behind the name.
    fn declarator_suffixes(&mut self, parts: &mut Parts, form: Form, member: bool) -> Parsed<()> {
        loop {
            if self.is(Punctuator::LeftBracket) && !self.ahead(1).is(Punctuator::LeftBracket) {
                let chunk = self.array_suffix()?;
                parts.chunks.push(chunk);
            } else if self.is(Punctuator::LeftParenthesis) && self.opens_function(parts, form, member) {
                let is_first = parts.chunks.is_empty();
                let (function, scope) = self.nested(|parser| parser.function_suffix())?;
                if is_first {
                    parts.parameters = Some(scope);
                }
                parts.chunks.push(DeclaratorChunk::Function(Box::new(function)));
            } else {
                return Ok(());
            }
        }
    }

    fn array_suffix(&mut self) -> Parsed<DeclaratorChunk> {
        let start = self.position;
        self.advance();
        // C99's `static` and qualifiers in parameters say nothing here.
        while matches!(
            self.kind(),
            TokenKind::Keyword(Keyword::Static | Keyword::Const | Keyword::Volatile | Keyword::Restrict)
        ) {
            self.advance();
        }
        let size = if self.is(Punctuator::RightBracket) {
            None
        } else {
            Some(self.outside_angles(|parser| parser.constant_expression())?)
        };
        self.expect(Punctuator::RightBracket, "after the size of an array")?;
        let span = self.span_from(start);
        Ok(DeclaratorChunk::Array { size, span })
    }

    /// Whether `(` opens parameters; for a variable it may open its initialiser (\[dcl.ambig.res\]/1).
    fn opens_function(&mut self, parts: &Parts, form: Form, member: bool) -> bool {
        let only_parameters = match form {
            Form::Abstract | Form::Either => return form == Form::Either || self.parameters_begin_ahead(false),
            Form::Named { member } => member,
        };
        // An array of functions does not exist: what stands here initialises the array.
        if matches!(parts.chunks.last(), Some(DeclaratorChunk::Array { .. })) {
            return false;
        }
        only_parameters
            || member
            || (!parts.chunks.is_empty() && parts.parameters.is_none())
            || self.parameters_begin_ahead(true)
    }

    /// Whether the parenthesis here opens a list of parameters.
    fn parameters_begin_ahead(&mut self, reads_first: bool) -> bool {
        let next = self.ahead(1);
        if next.is(Punctuator::RightParenthesis) || next.is(Punctuator::Ellipsis) {
            return true;
        }
        let saved = self.position;
        self.advance();
        // What is not declared is reported when the parameters are read for good.
        self.tolerates_unknown = true;
        let begins = self.starts_parameter();
        let result = begins && (!reads_first || self.reads_as_parameters());
        self.tolerates_unknown = false;
        self.position = saved;
        result
    }

    /// Whether what follows can be read as parameters: up to the first default argument, or the end.
    fn reads_as_parameters(&mut self) -> bool {
        let read = self.look(|parser| {
            parser.outside_angles(|parser| {
                loop {
                    let depth = parser.scopes.depth();
                    parser.specifiers(Where::Parameter, TemplateHead::None)?;
                    let declarator = parser.declarator(Form::Either)?.id;
                    let is_named = parser.ast[declarator].name.is_some();
                    parser.scopes.truncate(depth);
                    if is_named && parser.token_at(parser.position - 1).identifier().is_some() {
                        // A type with a name behind it is no expression, whatever follows.
                        return Ok(());
                    }
                    match parser.kind() {
                        TokenKind::Punctuator(Punctuator::Comma) => parser.advance(),
                        TokenKind::Punctuator(
                            Punctuator::RightParenthesis | Punctuator::Equal | Punctuator::Ellipsis,
                        ) => {
                            return Ok(());
                        }
                        _ => return Err(super::Failed),
                    }
                    if parser.is(Punctuator::Ellipsis) {
                        return Ok(());
                    }
                    if !parser.starts_parameter() {
                        return Err(super::Failed);
                    }
                }
            })
        });
        read.is_some()
    }

    /// `(parameters) const & noexcept -> T override`.
    fn function_suffix(&mut self) -> Parsed<(FunctionDeclarator, ScopeId)> {
        let start = self.position;
        let depth = self.scopes.depth();
        let scope = self.scopes.enter(ScopeKind::Parameters);
        let result = self.outside_angles(|parser| {
            let (parameters, is_variadic) = parser.parameter_clause()?;
            parser.function_rest(parameters, is_variadic, start)
        });
        self.scopes.truncate(depth);
        Ok((result?, scope))
    }

    /// What follows the parameters of a function or lambda.
    pub(super) fn function_rest(
        &mut self,
        parameters: List<Id<crate::syntax::ast::Parameter>>,
        is_variadic: bool,
        start: usize,
    ) -> Parsed<FunctionDeclarator> {
        let mut attributes = Vec::new();
        let qualifiers = self.qualifiers(&mut attributes)?;
        let reference = if self.eat(Punctuator::Ampersand) {
            ReferenceQualifier::Lvalue
        } else if self.eat(Punctuator::DoubleAmpersand) {
            ReferenceQualifier::Rvalue
        } else {
            ReferenceQualifier::None
        };
        let exception = self.exception_specification()?;
        self.attributes(&mut attributes)?;
        let trailing_return = if self.eat(Punctuator::Arrow) {
            Some(self.type_id(Where::DefaultType)?)
        } else {
            None
        };
        let (mut is_override, mut is_final) = (false, false);
        while let Some(name) = self.identifier() {
            match name {
                crate::source::names::OVERRIDE => is_override = true,
                crate::source::names::FINAL => is_final = true,
                _ => break,
            }
            self.advance();
        }
        self.attributes_after_declarator(&mut attributes)?;
        let requires = self.optional_requires_clause()?;
        let span = self.span_from(start);
        let attributes = attributes.into_boxed_slice();
        Ok(FunctionDeclarator {
            parameters,
            is_variadic,
            qualifiers,
            reference,
            exception,
            trailing_return,
            requires,
            is_override,
            is_final,
            attributes,
            span,
        })
    }

    /// `noexcept`, `noexcept(condition)`, `throw()` (\[except.spec\]).
    fn exception_specification(&mut self) -> Parsed<ExceptionSpecification> {
        if self.eat_keyword(Keyword::Noexcept) {
            if !self.is(Punctuator::LeftParenthesis) {
                return Ok(ExceptionSpecification::Noexcept);
            }
            let condition = self.parenthesized("after `noexcept`", |parser| parser.constant_expression())?;
            return Ok(ExceptionSpecification::NoexceptIf(condition));
        }
        if self.eat_keyword(Keyword::Throw) {
            let closer = if self.is(Punctuator::LeftParenthesis) {
                self.closer()
            } else {
                return Err(self.expected("`(`"));
            };
            let is_empty = closer == self.position + 1;
            self.position = closer;
            self.expect(Punctuator::RightParenthesis, "here")?;
            return Ok(if is_empty {
                ExceptionSpecification::Noexcept
            } else {
                ExceptionSpecification::Dynamic
            });
        }
        Ok(ExceptionSpecification::None)
    }

    /// A type-id.
    pub(super) fn type_id(&mut self, place: Where) -> Parsed<Id<TypeId>> {
        self.nested(|parser| {
            let start = parser.position;
            let specifiers = parser.specifiers(place, TemplateHead::None)?;
            if matches!(
                parser.ast[specifiers].type_specifier,
                crate::syntax::ast::TypeSpecifier::None
            ) {
                return Err(parser.expected("a type"));
            }
            let declarator = parser.declarator(Form::Abstract)?.id;
            let span = parser.span_from(start);
            Ok(parser.ast.add(TypeId {
                specifiers,
                declarator,
                span,
            }))
        })
    }

    /// A type-id with pointer operators only, and arrays if wanted: of conversion functions and `new`.
    pub(super) fn restricted_type_id(&mut self, place: Where, arrays: bool) -> Parsed<Id<TypeId>> {
        let start = self.position;
        let specifiers = self.specifiers(place, TemplateHead::None)?;
        if matches!(
            self.ast[specifiers].type_specifier,
            crate::syntax::ast::TypeSpecifier::None
        ) {
            return Err(self.expected("a type"));
        }
        let declarator_start = self.position;
        let (mut pointers, mut attributes) = (Vec::new(), Vec::new());
        while let Some(chunk) = self.pointer_operator(&mut attributes)? {
            pointers.push(chunk);
        }
        let mut chunks = Vec::new();
        while arrays && self.is(Punctuator::LeftBracket) {
            // The first bound of `new` need not be constant.
            let bracket = self.position;
            self.advance();
            let size = if self.is(Punctuator::RightBracket) {
                None
            } else {
                Some(self.outside_angles(|parser| parser.expression())?)
            };
            self.expect(Punctuator::RightBracket, "after the size of an array")?;
            let span = self.span_from(bracket);
            chunks.push(DeclaratorChunk::Array { size, span });
        }
        chunks.extend(pointers.into_iter().rev());
        let span = self.span_from(declarator_start);
        let declarator = self.ast.add(Declarator {
            name: None,
            chunks: chunks.into_boxed_slice(),
            pack: false,
            attributes: attributes.into_boxed_slice(),
            asm_label: None,
            span,
        });
        let span = self.span_from(start);
        Ok(self.ast.add(TypeId {
            specifiers,
            declarator,
            span,
        }))
    }

    /// The type of a conversion function.
    pub(super) fn conversion_type_id(&mut self) -> Parsed<Id<TypeId>> {
        self.nested(|parser| parser.restricted_type_id(Where::DefaultType, false))
    }
}
