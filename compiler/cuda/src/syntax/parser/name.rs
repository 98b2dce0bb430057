//! Names: qualification, template arguments, operators, conversions, destructors (\[expr.prim.id\], \[temp.names\]).

use std::ops::Range;

use crate::source::{Keyword, Literal, Punctuator, Report, Symbol, TokenKind};
use crate::syntax::ast::{
    List, NameKind, OperatorName, QualifiedName, Qualifier, QualifierPart, TemplateArgument, UnqualifiedName,
};

use super::scope::{Entry, GLOBAL, ScopeId, Wanted};
use super::{Failed, Parsed, Parser};

/// Where a name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameMode {
    /// In an expression.
    Expression,
    /// Where only a type can stand: after `typename`, in a list of bases.
    Type,
    /// The name that a declarator declares.
    Declarator,
    /// After `.` or `->`.
    Member,
}

/// Where the next part of a name is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// From here outwards.
    Unqualified,
    /// In a scope.
    In(ScopeId),
    /// In a class that the parser does not know: a dependent one, mostly.
    Unknown,
    /// In the class of an object.
    Object,
}

/// A nested-name-specifier.
#[derive(Clone, Debug)]
pub(super) struct Prefix {
    pub(super) global: bool,
    pub(super) qualifiers: Vec<Qualifier>,
    /// The scopes that the parts denote, as far as known.
    pub(super) scopes: Vec<ScopeId>,
    pub(super) place: Place,
    /// Whether `template` was read before what follows.
    template_keyword: bool,
}

impl Prefix {
    pub(super) fn is_empty(&self) -> bool {
        !self.global && self.qualifiers.is_empty()
    }
}

/// A name that was read but has no node yet.
#[derive(Clone, Debug)]
pub(super) struct ParsedName {
    pub(super) name: QualifiedName,
    /// The scope of the class, enumeration or namespace that it denotes.
    pub(super) scope: Option<ScopeId>,
    /// The scopes that its qualifiers denote.
    pub(super) prefix_scopes: Vec<ScopeId>,
}

/// Whether `<` opens template arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opens {
    Yes,
    No,
    /// If they can be read and what follows fits.
    Maybe,
}

impl Parser<'_> {
    /// A possibly qualified name.
    pub(super) fn qualified_name(&mut self, mode: NameMode) -> Parsed<ParsedName> {
        let start = self.position;
        let prefix = self.nested_name(mode)?;
        self.unqualified_name(prefix, mode, start)
    }

    /// What stands before the last `::`; empty if there is none.
    pub(super) fn nested_name(&mut self, mode: NameMode) -> Parsed<Prefix> {
        let place = if mode == NameMode::Member {
            Place::Object
        } else {
            Place::Unqualified
        };
        let mut prefix = Prefix {
            global: false,
            qualifiers: Vec::new(),
            scopes: Vec::new(),
            place,
            template_keyword: false,
        };
        if self.eat(Punctuator::DoubleColon) {
            prefix.global = true;
            prefix.place = Place::In(GLOBAL);
        }
        if prefix.is_empty() && self.is_keyword(Keyword::Decltype) {
            self.decltype_qualifier(&mut prefix)?;
        }
        loop {
            let after = self.ahead(1);
            prefix.template_keyword = self.is_keyword(Keyword::Template)
                && (after.identifier().is_some() || after.is_keyword(Keyword::Operator));
            if prefix.template_keyword {
                self.advance();
            }
            if !self.qualifier(&mut prefix, mode)? {
                return Ok(prefix);
            }
        }
    }

    /// `decltype(expression)::`, if `::` follows.
    fn decltype_qualifier(&mut self, prefix: &mut Prefix) -> Parsed<()> {
        let start = self.position;
        let closer = self.brackets.partner(start + 1);
        if !closer.is_some_and(|closer| self.token_at(closer + 1).is(Punctuator::DoubleColon)) {
            return Ok(());
        }
        self.advance();
        let expression = self.parenthesized("after `decltype`", |parser| parser.expression())?;
        let span = self.span_from(start);
        prefix.qualifiers.push(Qualifier {
            part: QualifierPart::Decltype(expression),
            template_keyword: false,
            span,
        });
        prefix.place = Place::Unknown;
        self.expect(Punctuator::DoubleColon, "here")
    }

    /// One more part with its `::`, if there is one.
    fn qualifier(&mut self, prefix: &mut Prefix, mode: NameMode) -> Parsed<bool> {
        let Some(name) = self.identifier() else {
            return Ok(false);
        };
        let start = self.position;
        let next = self.ahead(1);
        if next.is(Punctuator::DoubleColon) {
            let entry = self.find_qualifier(prefix.place, name);
            if entry.is_none()
                && prefix.place == Place::Unqualified
                && !self.tolerates_unknown
                && !self.scopes.may_miss_names()
            {
                return Err(self.unknown_qualifier(name));
            }
            self.advance();
            let span = self.previous();
            self.advance();
            self.push_qualifier(prefix, QualifierPart::Name(name), span, entry);
            return Ok(true);
        }
        if !next.is(Punctuator::Less) || self.opens_arguments(prefix, name, mode) == Opens::No {
            return Ok(false);
        }
        let entry = self.find_qualifier(prefix.place, name);
        self.advance();
        // A list that cannot be read, or one that is not followed by `::`, is read again as part of the last name, which reports the error.
        let arguments = self.attempt(|parser| {
            let arguments = parser.template_arguments()?;
            let follows = parser.is(Punctuator::DoubleColon);
            follows.then_some(arguments).ok_or(Failed)
        });
        let Some(arguments) = arguments else {
            self.position = start;
            return Ok(false);
        };
        let span = self.span_from(start);
        self.advance();
        self.push_qualifier(prefix, QualifierPart::Template { name, arguments }, span, entry);
        Ok(true)
    }

    fn push_qualifier(
        &mut self,
        prefix: &mut Prefix,
        part: QualifierPart,
        span: crate::source::Span,
        entry: Option<Entry>,
    ) {
        prefix.qualifiers.push(Qualifier {
            part,
            template_keyword: prefix.template_keyword,
            span,
        });
        prefix.template_keyword = false;
        prefix.place = match entry.and_then(|entry| entry.scope) {
            Some(scope) => {
                prefix.scopes.push(scope);
                Place::In(scope)
            }
            None => Place::Unknown,
        };
    }

    /// `name::` where no class or namespace of that name can be seen.
    fn unknown_qualifier(&mut self, name: Symbol) -> Failed {
        if self.attempts > 0 {
            self.suppressed += 1;
            return Failed;
        }
        let is_value = self.scopes.find(name, Wanted::Any).is_some();
        let text = self.context.text(name);
        let message = if is_value {
            format!("`{text}` is neither a class nor a namespace")
        } else {
            format!("`{text}` is not declared")
        };
        let mut report = Report::error(self.here(), message);
        if let Some(note) = self.note_of_header(self.position).filter(|_| !is_value) {
            self.missing_names.insert(self.position);
            report = report.note(note);
        } else if let Some(near) = self.nearest_scope(name).filter(|_| !is_value) {
            report = report.note(format!("did you mean `{near}`?"));
        }
        self.report(report)
    }

    fn find_qualifier(&self, place: Place, name: Symbol) -> Option<Entry> {
        self.find_at(place, name, Wanted::TypeOrNamespace)
    }

    pub(super) fn find_at(&self, place: Place, name: Symbol, wanted: Wanted) -> Option<Entry> {
        match place {
            Place::Unqualified => self.scopes.find(name, wanted),
            Place::In(scope) => self.scopes.find_in(scope, name, wanted),
            Place::Object => self
                .scopes
                .find(name, Wanted::TypeOrNamespace)
                .filter(|_| wanted == Wanted::TypeOrNamespace),
            Place::Unknown => None,
        }
    }

    /// Whether the `<` after `name` opens template arguments (\[temp.names\]/3).
    fn opens_arguments(&self, prefix: &Prefix, name: Symbol, mode: NameMode) -> Opens {
        if prefix.template_keyword {
            return Opens::Yes;
        }
        let entry = match prefix.place {
            Place::Object if self.member_templates.contains(&name) => return Opens::Maybe,
            // `object.Class<…>::member`.
            Place::Object => match self.scopes.find(name, Wanted::TypeOrNamespace) {
                Some(entry) if entry.kind == NameKind::TypeTemplate => return Opens::Maybe,
                _ => return Opens::No,
            },
            Place::Unqualified | Place::In(_) | Place::Unknown => self.find_at(prefix.place, name, Wanted::Any),
        };
        match entry.map(|entry| entry.kind) {
            Some(
                NameKind::TypeTemplate | NameKind::FunctionTemplate | NameKind::VariableTemplate | NameKind::Concept,
            ) => Opens::Yes,
            Some(NameKind::Type | NameKind::Namespace) => Opens::No,
            Some(NameKind::Value) => match self.find_at(prefix.place, name, Wanted::TypeOrNamespace) {
                Some(entry) if entry.kind == NameKind::TypeTemplate => Opens::Maybe,
                _ => Opens::No,
            },
            Some(NameKind::Unknown) | None if mode == NameMode::Type => Opens::Yes,
            // In a dependent scope it takes the word `template`.
            Some(NameKind::Unknown) | None if prefix.place == Place::Unknown => Opens::No,
            Some(NameKind::Unknown) | None => Opens::Maybe,
        }
    }

    /// The last part of a name.
    pub(super) fn unqualified_name(&mut self, prefix: Prefix, mode: NameMode, start: usize) -> Parsed<ParsedName> {
        let first = self.position;
        match self.kind() {
            TokenKind::Identifier(name) => self.identifier_name(prefix, mode, start, name),
            TokenKind::Keyword(Keyword::Operator) => {
                let last = self.operator_name()?;
                Ok(self.finish_name(prefix, last, NameKind::Value, None, (start, first)))
            }
            TokenKind::Punctuator(Punctuator::Tilde) if mode != NameMode::Expression || !prefix.is_empty() => {
                let last = self.destructor_name(&prefix)?;
                Ok(self.finish_name(prefix, last, NameKind::Value, None, (start, first)))
            }
            _ => Err(self.expected("a name")),
        }
    }

    fn identifier_name(&mut self, prefix: Prefix, mode: NameMode, start: usize, name: Symbol) -> Parsed<ParsedName> {
        let first = self.position;
        let opens = if self.ahead(1).is(Punctuator::Less) {
            self.opens_arguments(&prefix, name, mode)
        } else {
            Opens::No
        };
        let wanted = if mode == NameMode::Type {
            Wanted::TypeOrNamespace
        } else {
            Wanted::Any
        };
        let entry = self.find_at(prefix.place, name, wanted);
        self.advance();
        let arguments = match opens {
            Opens::No => None,
            Opens::Yes => Some(self.template_arguments()?),
            Opens::Maybe => {
                let qualified = !prefix.is_empty();
                let may_compare = prefix.place == Place::Object && self.data_members.contains(&name);
                self.attempt(|parser| {
                    let first = parser.position + 1;
                    let arguments = parser.template_arguments()?;
                    let is_template = parser.follows_template_id(qualified)
                        && !(may_compare && parser.compares_members(first..parser.position));
                    is_template.then_some(arguments).ok_or(Failed)
                })
            }
        };
        let kind = entry.map_or(NameKind::Unknown, |entry| entry.kind);
        let scope = entry.and_then(|entry| entry.scope);
        let last_end = first;
        let (last, kind) = match arguments {
            None => (UnqualifiedName::Identifier(name), kind),
            Some(arguments) => {
                let kind = match kind {
                    NameKind::TypeTemplate => NameKind::Type,
                    NameKind::VariableTemplate => NameKind::Value,
                    other => other,
                };
                (UnqualifiedName::Template { name, arguments }, kind)
            }
        };
        let mut parsed = self.finish_name(prefix, last, kind, scope, (start, first));
        parsed.name.last_span = self.token_at(last_end).span();
        Ok(parsed)
    }

    /// Whether the token after `name<…>` allows that this was a template-id and no two comparisons.
    fn follows_template_id(&self, qualified: bool) -> bool {
        let TokenKind::Punctuator(punctuator) = self.kind() else {
            return self.is_end();
        };
        match punctuator {
            Punctuator::LeftParenthesis | Punctuator::DoubleColon | Punctuator::LeftBrace => true,
            Punctuator::RightParenthesis
            | Punctuator::RightBracket
            | Punctuator::RightBrace
            | Punctuator::Comma
            | Punctuator::Semicolon
            | Punctuator::Greater
            | Punctuator::Ellipsis
            | Punctuator::DoubleAmpersand
            | Punctuator::DoublePipe
            | Punctuator::DoubleEqual
            | Punctuator::ExclamationEqual
            | Punctuator::Question
            | Punctuator::Colon
            | Punctuator::TripleLess => qualified,
            _ => false,
        }
    }

    /// Whether these tokens and the brackets after them are rather `a.first < b || c.second > (d)` than arguments of a member template and of its call, where data
    /// members have the name, too. The class of the object is not known here; but hardly anyone writes `||` in template arguments without brackets, and a cast
    /// (`> (char *)p`) is no list of arguments.
    fn compares_members(&mut self, arguments: Range<usize>) -> bool {
        let mut index = arguments.start;
        while index < arguments.end {
            let token = self.token_at(index);
            // `first<T &&>`, `first<T &&, U>`, `first<T &&...>`: a reference.
            let ends_type = matches!(
                self.token_at(index + 1).kind,
                TokenKind::Punctuator(Punctuator::Greater | Punctuator::Comma | Punctuator::Ellipsis)
            );
            if token.is(Punctuator::DoublePipe) || token.is(Punctuator::DoubleAmpersand) && !ends_type {
                return true;
            }
            index = self
                .brackets
                .partner(index)
                .filter(|&closer| closer > index)
                .unwrap_or(index)
                + 1;
        }
        self.is(Punctuator::LeftParenthesis) && self.look(|parser| parser.arguments()).is_none()
    }

    fn finish_name(
        &self,
        prefix: Prefix,
        last: UnqualifiedName,
        kind: NameKind,
        scope: Option<ScopeId>,
        (start, first): (usize, usize),
    ) -> ParsedName {
        let name = QualifiedName {
            global: prefix.global,
            qualifiers: prefix.qualifiers.into_boxed_slice(),
            template_keyword: prefix.template_keyword,
            last,
            kind,
            span: self.span_from(start),
            last_span: self.span_from(first),
        };
        ParsedName {
            name,
            scope,
            prefix_scopes: prefix.scopes,
        }
    }

    /// `~X`, `~X<…>`, `~decltype(…)`.
    fn destructor_name(&mut self, prefix: &Prefix) -> Parsed<UnqualifiedName> {
        self.advance();
        if self.eat_keyword(Keyword::Decltype) {
            let expression = self.parenthesized("after `decltype`", |parser| parser.expression())?;
            return Ok(UnqualifiedName::DestructorDecltype(expression));
        }
        let (name, _) = self.expect_identifier("the name of a class after `~`")?;
        let is_list = self.is(Punctuator::Less) && {
            let known = self.scopes.find(name, Wanted::TypeOrNamespace).map(|entry| entry.kind);
            known == Some(NameKind::TypeTemplate) || prefix.place == Place::Unknown
        };
        let arguments = if is_list {
            Some(self.template_arguments()?)
        } else {
            None
        };
        Ok(UnqualifiedName::Destructor { name, arguments })
    }

    /// `operator` and what follows (\[over.oper\], \[class.conv.fct\], \[over.literal\]).
    fn operator_name(&mut self) -> Parsed<UnqualifiedName> {
        self.advance();
        if let TokenKind::Literal(id) = self.kind() {
            return self.literal_operator_name(id);
        }
        let Some(operator) = self.operator_symbol()? else {
            let type_id = self.conversion_type_id()?;
            return Ok(UnqualifiedName::Conversion(type_id));
        };
        let arguments = self.optional_arguments();
        Ok(UnqualifiedName::Operator { operator, arguments })
    }

    fn optional_arguments(&mut self) -> Option<List<TemplateArgument>> {
        if !self.is(Punctuator::Less) {
            return None;
        }
        self.attempt(|parser| {
            let arguments = parser.template_arguments()?;
            parser.follows_template_id(true).then_some(arguments).ok_or(Failed)
        })
    }

    /// `operator""_x`, also with a space before the suffix.
    fn literal_operator_name(&mut self, id: crate::source::LiteralId) -> Parsed<UnqualifiedName> {
        let suffix = match self.source.literal(id) {
            Literal::String(string) if string.units.is_empty() => string.user_suffix,
            _ => return Err(self.expected("`\"\"` and a suffix")),
        };
        self.advance();
        let suffix = match suffix {
            Some(suffix) => suffix,
            None => self.expect_identifier("the suffix of a literal operator")?.0,
        };
        let arguments = self.optional_arguments();
        Ok(UnqualifiedName::LiteralOperator { suffix, arguments })
    }

    /// The operator after `operator`; `None` if a type follows.
    fn operator_symbol(&mut self) -> Parsed<Option<OperatorName>> {
        let operator = match self.kind() {
            TokenKind::Keyword(Keyword::New) => self.allocation_operator(OperatorName::New, OperatorName::NewArray),
            TokenKind::Keyword(Keyword::Delete) => {
                self.allocation_operator(OperatorName::Delete, OperatorName::DeleteArray)
            }
            TokenKind::Punctuator(Punctuator::LeftParenthesis) => {
                self.advance();
                self.expect(Punctuator::RightParenthesis, "after `operator(`")?;
                OperatorName::Call
            }
            TokenKind::Punctuator(Punctuator::LeftBracket) => {
                self.advance();
                self.expect(Punctuator::RightBracket, "after `operator[`")?;
                OperatorName::Subscript
            }
            TokenKind::Punctuator(Punctuator::Greater) => self.greater_operator(),
            TokenKind::Punctuator(punctuator) => {
                // `operator ::type` converts to a type.
                let Some(operator) = simple_operator(punctuator) else {
                    return Ok(None);
                };
                self.advance();
                operator
            }
            _ => return Ok(None),
        };
        Ok(Some(operator))
    }

    fn allocation_operator(&mut self, single: OperatorName, array: OperatorName) -> OperatorName {
        self.advance();
        if self.is(Punctuator::LeftBracket) && self.ahead(1).is(Punctuator::RightBracket) {
            self.advance();
            self.advance();
            return array;
        }
        single
    }

    /// `>`, `>>`, `>>=`: the lexer gives each `>` singly.
    fn greater_operator(&mut self) -> OperatorName {
        let joined = self.token().joined;
        self.advance();
        match (joined, self.kind()) {
            (true, TokenKind::Punctuator(Punctuator::Greater)) => {
                self.advance();
                OperatorName::ShiftRight
            }
            (true, TokenKind::Punctuator(Punctuator::GreaterEqual)) => {
                self.advance();
                OperatorName::ShiftRightAssign
            }
            _ => OperatorName::Greater,
        }
    }

    /// The name here without moving, if one can be read.
    pub(super) fn peek_name(&mut self) -> Option<(ParsedName, usize)> {
        self.look(|parser| {
            let name = parser.qualified_name(NameMode::Expression)?;
            Ok((name, parser.position))
        })
    }
}

#[rustfmt::skip]
fn simple_operator(punctuator: Punctuator) -> Option<OperatorName> {
    Some(match punctuator {
        Punctuator::Plus => OperatorName::Add, Punctuator::Minus => OperatorName::Subtract,
        Punctuator::Star => OperatorName::Multiply, Punctuator::Slash => OperatorName::Divide, Punctuator::Percent => OperatorName::Remainder,
        Punctuator::Caret => OperatorName::BitXor, Punctuator::Ampersand => OperatorName::BitAnd, Punctuator::Pipe => OperatorName::BitOr,
        Punctuator::Tilde => OperatorName::Complement, Punctuator::Exclamation => OperatorName::Not,
        Punctuator::Equal => OperatorName::Assign, Punctuator::Less => OperatorName::Less,
        Punctuator::PlusEqual => OperatorName::AddAssign, Punctuator::MinusEqual => OperatorName::SubtractAssign,
        Punctuator::StarEqual => OperatorName::MultiplyAssign, Punctuator::SlashEqual => OperatorName::DivideAssign,
        Punctuator::PercentEqual => OperatorName::RemainderAssign, Punctuator::CaretEqual => OperatorName::BitXorAssign,
        Punctuator::AmpersandEqual => OperatorName::BitAndAssign, Punctuator::PipeEqual => OperatorName::BitOrAssign,
        Punctuator::DoubleLess => OperatorName::ShiftLeft, Punctuator::DoubleLessEqual => OperatorName::ShiftLeftAssign,
        Punctuator::DoubleEqual => OperatorName::Equal, Punctuator::ExclamationEqual => OperatorName::NotEqual,
        Punctuator::LessEqual => OperatorName::LessEqual, Punctuator::GreaterEqual => OperatorName::GreaterEqual,
        Punctuator::Spaceship => OperatorName::ThreeWay,
        Punctuator::DoubleAmpersand => OperatorName::LogicalAnd, Punctuator::DoublePipe => OperatorName::LogicalOr,
        Punctuator::PlusPlus => OperatorName::Increment, Punctuator::MinusMinus => OperatorName::Decrement,
        Punctuator::Comma => OperatorName::Comma, Punctuator::ArrowStar => OperatorName::ArrowStar, Punctuator::Arrow => OperatorName::Arrow,
        _ => return None,
    })
}
