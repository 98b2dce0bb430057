//! Specifiers: storage, qualifiers, CUDA's, and the type itself (\[dcl.spec\]).

use crate::source::{Keyword, Punctuator, Report, Span, TokenKind};
use crate::syntax::ast::{
    Attribute, BuiltinType, ClassKey, ConstexprKind, ExplicitSpecifier, Id, NameKind, Qualifiers, Specifiers,
    StorageClass, TypeSpecifier, UnqualifiedName,
};

use super::attribute::is_attribute_keyword;
use super::name::{NameMode, ParsedName};
use super::scope::ScopeId;
use super::template::TemplateHead;
use super::{Parsed, Parser};

/// What a sequence of specifiers, or a type-id, is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    /// A declaration at namespace scope.
    Namespace,
    /// A member declaration.
    Class,
    /// A declaration in a block, a condition or the head of a `for`.
    Block,
    /// A parameter of a function.
    Parameter,
    /// A non-type template parameter.
    TemplateParameter,
    /// A type-id where an expression could stand too.
    Argument,
    /// A type-id where nothing else can stand.
    DefaultType,
    /// The type of a functional cast: no qualifiers, no declarator.
    Simple,
}

impl Where {
    fn is_declaration(self) -> bool {
        matches!(self, Where::Namespace | Where::Class | Where::Block)
    }
}

/// Specifiers that say nothing yet.
pub(super) fn empty_specifiers(span: Span) -> Specifiers {
    Specifiers {
        storage: StorageClass::None,
        thread_local: false,
        is_typedef: false,
        is_friend: false,
        is_inline: false,
        is_virtual: false,
        explicit: ExplicitSpecifier::None,
        constexpr: ConstexprKind::None,
        qualifiers: Qualifiers::NONE,
        type_specifier: TypeSpecifier::None,
        constraint: None,
        attributes: Box::default(),
        span,
        type_span: span,
    }
}

/// The words of a fundamental type so far.
#[derive(Clone, Copy, Debug, Default)]
struct TypeWords {
    base: Option<BuiltinType>,
    longs: u8,
    short: bool,
    signed: bool,
    unsigned: bool,
    complex: bool,
}

impl TypeWords {
    fn is_empty(&self) -> bool {
        self.base.is_none() && self.longs == 0 && !self.short && !self.signed && !self.unsigned && !self.complex
    }

    /// Takes a word; false if it is none or does not go with those before it.
    fn take(&mut self, keyword: Keyword) -> bool {
        let base = match keyword {
            Keyword::Short => return !std::mem::replace(&mut self.short, true),
            Keyword::Signed => return !std::mem::replace(&mut self.signed, true),
            Keyword::Unsigned => return !std::mem::replace(&mut self.unsigned, true),
            Keyword::Complex => return !std::mem::replace(&mut self.complex, true),
            Keyword::Long => {
                self.longs += 1;
                return self.longs <= 2;
            }
            Keyword::Void => BuiltinType::Void,
            Keyword::Bool => BuiltinType::Bool,
            Keyword::Char => BuiltinType::Char,
            Keyword::WcharT => BuiltinType::WideChar,
            Keyword::Char8 => BuiltinType::Char8,
            Keyword::Char16 => BuiltinType::Char16,
            Keyword::Char32 => BuiltinType::Char32,
            Keyword::Int => BuiltinType::Int,
            Keyword::Int128 => BuiltinType::Int128,
            Keyword::Float => BuiltinType::Float,
            Keyword::Double => BuiltinType::Double,
            Keyword::Float128 => BuiltinType::Float128,
            _ => return false,
        };
        self.base.replace(base).is_none()
    }

    /// The type of the parts of a complex number: `double` where none is said.
    fn complex_part(mut self) -> Option<BuiltinType> {
        self.complex = false;
        match self.is_empty() {
            true => Some(BuiltinType::Double),
            false => self.combined(),
        }
    }

    /// The type of all words together (\[dcl.type.simple\], table 10).
    #[rustfmt::skip]
    fn combined(self) -> Option<BuiltinType> {
        // `_Complex` goes with any of the others, and makes a type of another kind.
        if self.complex || self.signed && self.unsigned || self.short && self.longs > 0 {
            return None;
        }
        let signs = self.signed || self.unsigned;
        let sized = self.short || self.longs > 0;
        let pick = |signed, unsigned| Some(if self.unsigned { unsigned } else { signed });
        match self.base {
            None | Some(BuiltinType::Int) => match (self.short, self.longs) {
                (true, _) => pick(BuiltinType::Short, BuiltinType::UnsignedShort),
                (_, 0) => pick(BuiltinType::Int, BuiltinType::UnsignedInt),
                (_, 1) => pick(BuiltinType::Long, BuiltinType::UnsignedLong),
                _ => pick(BuiltinType::LongLong, BuiltinType::UnsignedLongLong),
            },
            Some(BuiltinType::Char) if !sized => match (self.signed, self.unsigned) {
                (true, _) => Some(BuiltinType::SignedChar),
                (_, true) => Some(BuiltinType::UnsignedChar),
                _ => Some(BuiltinType::Char),
            },
            Some(BuiltinType::Int128) if !sized => pick(BuiltinType::Int128, BuiltinType::UnsignedInt128),
            Some(BuiltinType::Double) if !signs && !self.short && self.longs <= 1 => {
                Some(if self.longs == 1 { BuiltinType::LongDouble } else { BuiltinType::Double })
            }
            Some(base) if !signs && !sized => Some(base),
            Some(_) => None,
        }
    }
}

/// Specifiers under way.
struct Builder {
    specifiers: Specifiers,
    attributes: Vec<Attribute>,
    words: TypeWords,
    words_start: usize,
    scope: Option<ScopeId>,
    has_type: bool,
}

impl Builder {
    fn has_any_type(&self) -> bool {
        self.has_type || !self.words.is_empty()
    }
}

impl Parser<'_> {
    /// A sequence of specifiers.
    pub(super) fn specifiers(&mut self, place: Where, head: TemplateHead) -> Parsed<Id<Specifiers>> {
        let start = self.position;
        let mut builder = Builder {
            specifiers: empty_specifiers(self.here()),
            attributes: Vec::new(),
            words: TypeWords::default(),
            words_start: start,
            scope: None,
            has_type: false,
        };
        while self.specifier(&mut builder, place, head)? {}
        if !builder.words.is_empty() {
            self.finish_words(&mut builder)?;
        }
        let mut specifiers = builder.specifiers;
        specifiers.attributes = builder.attributes.into_boxed_slice();
        specifiers.span = self.span_from(start);
        Ok(self.add_specifiers(specifiers, builder.scope))
    }

    fn finish_words(&mut self, builder: &mut Builder) -> Parsed<()> {
        let span = builder.specifiers.type_span;
        builder.specifiers.type_specifier = match builder.words.combined() {
            Some(builtin) => TypeSpecifier::Builtin(builtin),
            None if builder.words.complex => match builder.words.complex_part() {
                Some(part) => TypeSpecifier::Complex(part),
                None => return Err(self.error(span, "these words do not make a type")),
            },
            None => return Err(self.error(span, "these words do not make a type")),
        };
        Ok(())
    }

    /// One specifier, if one stands here.
    fn specifier(&mut self, builder: &mut Builder, place: Where, head: TemplateHead) -> Parsed<bool> {
        match self.kind() {
            TokenKind::Keyword(keyword) => self.keyword_specifier(builder, place, head, keyword),
            TokenKind::Identifier(_) | TokenKind::Punctuator(Punctuator::DoubleColon) if !builder.has_any_type() => {
                self.name_specifier(builder, place)
            }
            TokenKind::Punctuator(Punctuator::LeftBracket)
                if self.at_attribute() && place != Where::Simple && place != Where::Argument =>
            {
                self.attributes(&mut builder.attributes)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn keyword_specifier(
        &mut self,
        builder: &mut Builder,
        place: Where,
        head: TemplateHead,
        keyword: Keyword,
    ) -> Parsed<bool> {
        if is_attribute_keyword(keyword) {
            if place == Where::Simple {
                return Ok(false);
            }
            self.attributes(&mut builder.attributes)?;
            return Ok(true);
        }
        if self.type_keyword(builder, place, head, keyword)? {
            return Ok(true);
        }
        if place == Where::Simple || !self.other_keyword(builder, keyword)? {
            return Ok(false);
        }
        Ok(true)
    }

    /// Qualifiers, storage classes and function specifiers.
    fn other_keyword(&mut self, builder: &mut Builder, keyword: Keyword) -> Parsed<bool> {
        let specifiers = &mut builder.specifiers;
        match keyword {
            Keyword::Const => specifiers.qualifiers.is_const = true,
            Keyword::Volatile => specifiers.qualifiers.is_volatile = true,
            Keyword::Restrict => specifiers.qualifiers.is_restrict = true,
            Keyword::Extension => {}
            Keyword::Static => return self.storage(builder, StorageClass::Static),
            Keyword::Extern => return self.storage(builder, StorageClass::Extern),
            Keyword::Mutable => return self.storage(builder, StorageClass::Mutable),
            Keyword::Register => return self.storage(builder, StorageClass::Register),
            Keyword::ThreadLocal => specifiers.thread_local = true,
            Keyword::Typedef => specifiers.is_typedef = true,
            Keyword::Friend => specifiers.is_friend = true,
            Keyword::Inline => specifiers.is_inline = true,
            Keyword::Virtual => specifiers.is_virtual = true,
            Keyword::Constexpr => specifiers.constexpr = ConstexprKind::Constexpr,
            Keyword::Consteval => specifiers.constexpr = ConstexprKind::Consteval,
            Keyword::Constinit => specifiers.constexpr = ConstexprKind::Constinit,
            Keyword::Explicit => return self.explicit_specifier(builder),
            _ => return Ok(false),
        }
        self.advance();
        Ok(true)
    }

    fn storage(&mut self, builder: &mut Builder, storage: StorageClass) -> Parsed<bool> {
        let before = builder.specifiers.storage;
        if before != StorageClass::None && before != storage {
            self.error(self.here(), "a declaration has only one storage class");
        }
        builder.specifiers.storage = storage;
        self.advance();
        Ok(true)
    }

    /// `explicit`, `explicit(condition)`.
    fn explicit_specifier(&mut self, builder: &mut Builder) -> Parsed<bool> {
        self.advance();
        builder.specifiers.explicit = if self.is(Punctuator::LeftParenthesis) {
            ExplicitSpecifier::If(self.parenthesized("after `explicit`", |parser| parser.constant_expression())?)
        } else {
            ExplicitSpecifier::Always
        };
        Ok(true)
    }

    /// Keywords that begin a type.
    fn type_keyword(
        &mut self,
        builder: &mut Builder,
        place: Where,
        head: TemplateHead,
        keyword: Keyword,
    ) -> Parsed<bool> {
        let start = self.position;
        if is_type_word(keyword) {
            if builder.has_type && self.token().line_start && defines_type(&builder.specifiers.type_specifier) {
                // The `;` behind a class is missing: whoever reads the declaration says so.
                return Ok(false);
            }
            if builder.has_type {
                return Err(self.error(self.here(), format!("`{}` after a complete type", keyword.text())));
            }
            let first = builder.words.is_empty();
            let taken = builder.words.take(keyword);
            if !taken {
                return Err(self.error(
                    self.here(),
                    format!("`{}` does not go with the words before it", keyword.text()),
                ));
            }
            self.advance();
            if first {
                builder.words_start = start;
            }
            builder.specifiers.type_span = self.span_from(builder.words_start);
            return Ok(true);
        }
        if builder.has_any_type() {
            return Ok(false);
        }
        let specifier = match keyword {
            Keyword::Auto => {
                self.advance();
                TypeSpecifier::Auto
            }
            Keyword::Decltype => {
                // `decltype(x)::type` is a name.
                let closer = self.brackets.partner(start + 1);
                if closer.is_some_and(|closer| self.token_at(closer + 1).is(Punctuator::DoubleColon)) {
                    return self.name_specifier(builder, place);
                }
                self.decltype()?
            }
            Keyword::Typeof => self.typeof_specifier()?,
            Keyword::UnderlyingType => {
                self.advance();
                let operand =
                    self.parenthesized("after `__underlying_type`", |parser| parser.type_id(Where::DefaultType))?;
                TypeSpecifier::Transform {
                    transform: crate::syntax::ast::TypeTransform::UnderlyingType,
                    operand,
                }
            }
            Keyword::Typename => {
                self.advance();
                let parsed = self.qualified_name(NameMode::Type)?;
                builder.scope = parsed.scope;
                let name = self.add_name(parsed.name, parsed.scope);
                TypeSpecifier::Name { name, typename: true }
            }
            Keyword::Class => self.class_specifier(ClassKey::Class, place, head, builder)?,
            Keyword::Struct => self.class_specifier(ClassKey::Struct, place, head, builder)?,
            Keyword::Union => self.class_specifier(ClassKey::Union, place, head, builder)?,
            Keyword::Enum => {
                let (specifier, scope) = self.enum_specifier(place)?;
                builder.scope = scope;
                specifier
            }
            _ => return Ok(false),
        };
        builder.specifiers.type_specifier = specifier;
        builder.specifiers.type_span = self.span_from(start);
        builder.has_type = true;
        Ok(true)
    }

    fn class_specifier(
        &mut self,
        key: ClassKey,
        place: Where,
        head: TemplateHead,
        builder: &mut Builder,
    ) -> Parsed<TypeSpecifier> {
        let (specifier, scope) = self.class(key, place, head, builder.specifiers.is_friend)?;
        builder.scope = scope;
        Ok(specifier)
    }

    /// `decltype(expression)`, `decltype(auto)`.
    fn decltype(&mut self) -> Parsed<TypeSpecifier> {
        self.advance();
        self.parenthesized("after `decltype`", |parser| {
            if parser.is_keyword(Keyword::Auto) && parser.ahead(1).is(Punctuator::RightParenthesis) {
                parser.advance();
                return Ok(TypeSpecifier::DecltypeAuto);
            }
            Ok(TypeSpecifier::Decltype(parser.expression()?))
        })
    }

    fn typeof_specifier(&mut self) -> Parsed<TypeSpecifier> {
        self.advance();
        self.parenthesized("after `__typeof__`", |parser| {
            let type_id = parser.attempt(|parser| {
                let type_id = parser.type_id(Where::Argument)?;
                parser
                    .is(Punctuator::RightParenthesis)
                    .then_some(type_id)
                    .ok_or(super::Failed)
            });
            match type_id {
                Some(type_id) => Ok(TypeSpecifier::TypeofType(type_id)),
                None => Ok(TypeSpecifier::TypeofExpression(parser.expression()?)),
            }
        })
    }

    /// A name as the type.
    fn name_specifier(&mut self, builder: &mut Builder, place: Where) -> Parsed<bool> {
        let start = self.position;
        if self.builtin_name_specifier(builder)? {
            return Ok(true);
        }
        // In a type-only place the name may be read as one at once.
        let mode = if place == Where::DefaultType {
            NameMode::Type
        } else {
            NameMode::Expression
        };
        let peeked = self.look(|parser| {
            let name = parser.qualified_name(mode)?;
            Ok((name, parser.position))
        });
        let Some((parsed, end)) = peeked else {
            return self.unreadable_name(place);
        };
        let is_plain = matches!(
            parsed.name.last,
            UnqualifiedName::Identifier(_) | UnqualifiedName::Template { .. }
        );
        if !is_plain || (place.is_declaration() && self.is_constructor(&parsed, end, place)) {
            return Ok(false);
        }
        let accepted = match parsed.name.kind {
            NameKind::Type | NameKind::TypeTemplate => true,
            NameKind::Unknown => self.accepts_unknown(place, &parsed, end),
            NameKind::Concept => return self.constrained_placeholder(builder, parsed, end),
            NameKind::Value | NameKind::FunctionTemplate | NameKind::VariableTemplate | NameKind::Namespace => false,
        };
        if !accepted {
            return Ok(false);
        }
        self.position = end;
        builder.has_type = true;
        builder.specifiers.type_span = self.span_from(start);
        if parsed.name.kind == NameKind::Unknown
            && let Some(name) = parsed.name.as_identifier()
            && !self.scopes.may_miss_names()
        {
            self.unknown_type(name, parsed.name.span, start);
            builder.specifiers.type_specifier = TypeSpecifier::Error;
            return Ok(true);
        }
        builder.scope = parsed.scope;
        let name = self.add_name(parsed.name, parsed.scope);
        builder.specifiers.type_specifier = TypeSpecifier::Name { name, typename: false };
        Ok(true)
    }

    /// `Concept auto`, `Concept decltype(auto)`.
    fn constrained_placeholder(&mut self, builder: &mut Builder, parsed: ParsedName, end: usize) -> Parsed<bool> {
        let start = self.position;
        let specifier = match self.token_at(end).kind {
            TokenKind::Keyword(Keyword::Auto) => {
                self.position = end + 1;
                TypeSpecifier::Auto
            }
            TokenKind::Keyword(Keyword::Decltype) => {
                self.position = end;
                self.decltype()?
            }
            _ => return Ok(false),
        };
        builder.specifiers.constraint = Some(self.add_name(parsed.name, parsed.scope));
        builder.specifiers.type_specifier = specifier;
        builder.specifiers.type_span = self.span_from(start);
        builder.has_type = true;
        Ok(true)
    }

    /// `_Float16`, `__remove_cv(T)`: words that are types unless declared otherwise.
    fn builtin_name_specifier(&mut self, builder: &mut Builder) -> Parsed<bool> {
        let Some(name) = self.identifier() else {
            return Ok(false);
        };
        let start = self.position;
        let specifier = if let Some(builtin) = self.words.builtin_type(name)
            && self.scopes.find(name, super::scope::Wanted::Any).is_none()
        {
            self.advance();
            TypeSpecifier::Builtin(builtin)
        } else if let Some(transform) = self.words.transform(name)
            && self.ahead(1).is(Punctuator::LeftParenthesis)
            && self.scopes.find(name, super::scope::Wanted::Any).is_none()
        {
            self.advance();
            let operand = self.parenthesized("here", |parser| parser.type_id(Where::DefaultType))?;
            TypeSpecifier::Transform { transform, operand }
        } else {
            return Ok(false);
        };
        builder.has_type = true;
        builder.specifiers.type_specifier = specifier;
        builder.specifiers.type_span = self.span_from(start);
        Ok(true)
    }

    /// No name can be read here: a pointer to member in an abstract declarator, or an error that reading it again reports.
    fn unreadable_name(&mut self, place: Where) -> Parsed<bool> {
        match place {
            Where::Argument | Where::Simple => Ok(false),
            _ => {
                self.qualified_name(NameMode::Expression)?;
                Ok(false)
            }
        }
    }

    /// `A(` in class `A`, or `A::A(`: a constructor, and no type (\[class.ctor\]).
    fn is_constructor(&mut self, parsed: &ParsedName, end: usize, place: Where) -> bool {
        if !self.token_at(end).is(Punctuator::LeftParenthesis) {
            return false;
        }
        let name = match &parsed.name.last {
            UnqualifiedName::Identifier(name) | UnqualifiedName::Template { name, .. } => *name,
            _ => return false,
        };
        let qualifier = parsed.name.qualifiers.last().map(|qualifier| &qualifier.part);
        let is_class = match qualifier {
            None => place == Where::Class && self.classes.last().is_some_and(|class| class.name == Some(name)),
            Some(
                crate::syntax::ast::QualifierPart::Name(class)
                | crate::syntax::ast::QualifierPart::Template { name: class, .. },
            ) => *class == name,
            Some(crate::syntax::ast::QualifierPart::Decltype(_)) => false,
        };
        is_class && self.opens_parameters(end) || self.is_deduction_guide_at(parsed, end)
    }

    /// `Template(…) ->`.
    fn is_deduction_guide_at(&self, parsed: &ParsedName, end: usize) -> bool {
        let arrow = self
            .brackets
            .partner(end)
            .is_some_and(|closer| self.token_at(closer + 1).is(Punctuator::Arrow));
        arrow && parsed.name.kind == NameKind::TypeTemplate && parsed.name.as_identifier().is_some()
    }

    /// Whether the parenthesis after a class's own name opens the parameters of a constructor rather than a declarator.
    fn opens_parameters(&mut self, parenthesis: usize) -> bool {
        let saved = std::mem::replace(&mut self.position, parenthesis + 1);
        let result = match self.kind() {
            TokenKind::Punctuator(Punctuator::Star | Punctuator::Ampersand | Punctuator::DoubleAmpersand) => false,
            TokenKind::Identifier(_) => match self.peek_name() {
                Some((name, end)) => {
                    name.name.kind != NameKind::Value || !self.token_at(end).is(Punctuator::RightParenthesis)
                }
                // `(C::*` opens a declarator.
                None => false,
            },
            _ => true,
        };
        self.position = saved;
        result
    }

    /// Whether a name that is not known is taken for a type, by what follows it.
    fn accepts_unknown(&self, place: Where, parsed: &ParsedName, end: usize) -> bool {
        let next = self.token_at(end);
        let is_name = next.identifier().is_some();
        let pointer = matches!(
            next.kind,
            TokenKind::Punctuator(Punctuator::Star | Punctuator::Ampersand | Punctuator::DoubleAmpersand)
        ) || matches!(
            next.kind,
            TokenKind::Keyword(Keyword::Const | Keyword::Volatile | Keyword::Restrict)
        );
        let qualified = !parsed.name.is_unqualified() || matches!(parsed.name.last, UnqualifiedName::Template { .. });
        match place {
            Where::DefaultType => true,
            Where::Simple => false,
            Where::Argument => pointer,
            Where::Namespace | Where::Class => {
                is_name || pointer || (qualified && matches!(next.kind, TokenKind::Keyword(Keyword::Operator)))
            }
            Where::Block => is_name || pointer,
            Where::Parameter | Where::TemplateParameter => {
                is_name
                    || pointer
                    || matches!(
                        next.kind,
                        TokenKind::Punctuator(
                            Punctuator::Comma
                                | Punctuator::RightParenthesis
                                | Punctuator::Greater
                                | Punctuator::Equal
                                | Punctuator::Ellipsis
                        )
                    )
            }
        }
    }

    fn unknown_type(&mut self, name: crate::source::Symbol, span: Span, start: usize) {
        if self.tolerates_unknown {
            return;
        }
        if self.attempts > 0 {
            self.suppressed += 1;
            return;
        }
        if self.words.is_later_keyword(name) {
            self.later_keyword(name, span);
            return;
        }
        let mut report = Report::error(span, format!("unknown type name `{}`", self.context.text(name)));
        if let Some(note) = self.note_of_header(start) {
            self.missing_names.insert(start);
            report = report.note(note);
        } else if let Some(near) = self.nearest_type(name) {
            report = report.note(format!("did you mean `{near}`?"));
        }
        self.report(report);
    }

    /// An error for a keyword of a later edition of the language, which is a name in this one.
    pub(super) fn later_keyword(&mut self, name: crate::source::Symbol, span: Span) -> super::Failed {
        let message = format!(
            "`{}` is a keyword of C++20: `-std=c++20` turns it on",
            self.context.text(name)
        );
        self.error(span, message)
    }
}

/// Whether a class or enumeration is defined.
pub(super) fn defines_type(specifier: &TypeSpecifier) -> bool {
    matches!(specifier, TypeSpecifier::Class(_) | TypeSpecifier::Enum(_))
}

/// A word of a fundamental type.
pub(super) fn is_type_word(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Void
            | Keyword::Bool
            | Keyword::Char
            | Keyword::WcharT
            | Keyword::Char8
            | Keyword::Char16
            | Keyword::Char32
            | Keyword::Short
            | Keyword::Int
            | Keyword::Long
            | Keyword::Int128
            | Keyword::Signed
            | Keyword::Unsigned
            | Keyword::Float
            | Keyword::Double
            | Keyword::Float128
            | Keyword::Complex
    )
}
