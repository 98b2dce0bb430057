//! Declarations other than classes and templates (\[dcl.dcl\]).

use crate::source::{Keyword, Literal, Punctuator, Report, Symbol, TokenKind};
use crate::syntax::ast::{
    AttributeKind, Declaration, DeclarationKind, Declarator, Id, InitDeclarator, NameKind, QualifierPart, Specifiers,
    TypeSpecifier, UnqualifiedName,
};

use super::declarator::Form;
use super::name::NameMode;
use super::scope::{Entry, ScopeKind, Wanted};
use super::specifier::Where;
use super::template::TemplateHead;
use super::{Parsed, Parser};

impl Parser<'_> {
    /// The whole unit.
    pub(super) fn translation_unit(&mut self) {
        loop {
            let declarations = self.declaration_list();
            self.ast.roots.extend(declarations);
            if self.is_end() {
                return;
            }
            // A `}` that closes nothing: reported with the brackets.
            self.advance();
        }
    }

    /// Declarations up to `}` or the end.
    fn declaration_list(&mut self) -> Vec<Id<Declaration>> {
        let mut list = Vec::new();
        let depth = self.scopes.depth();
        loop {
            self.skip_pragmas();
            if self.is(Punctuator::RightBrace) || self.is_end() {
                return list;
            }
            let start = self.position;
            let declaration = match self.declaration_in(Where::Namespace, TemplateHead::None) {
                Ok(declaration) => declaration,
                Err(_) => self.recovered_declaration(start),
            };
            list.push(declaration);
            self.scopes.truncate(depth);
            self.in_angles = false;
            if self.classes.is_empty() && self.attempts == 0 {
                self.template_lists.clear();
            }
        }
    }

    /// Goes behind the outermost bracket that was opened since a token and is still open: what went wrong in it is over there.
    pub(super) fn leave_brackets(&mut self, start: usize) {
        let mut index = start;
        while index < self.position {
            match self.brackets.partner(index) {
                Some(closer) if closer > index && closer >= self.position => {
                    self.position = closer;
                    self.advance();
                    return;
                }
                Some(closer) if closer > index => index = closer + 1,
                _ => index += 1,
            }
        }
    }

    /// Goes to the end of a declaration with an error, and makes a node of it.
    pub(super) fn recovered_declaration(&mut self, start: usize) -> Id<Declaration> {
        self.leave_brackets(start);
        while !self.is_end() {
            let started = self.position > start && self.token().line_start;
            match self.kind() {
                TokenKind::Punctuator(Punctuator::Semicolon) => {
                    self.advance();
                    break;
                }
                TokenKind::Punctuator(Punctuator::RightBrace) => break,
                TokenKind::Punctuator(Punctuator::LeftBrace) => {
                    self.position = self.closer();
                    self.advance();
                    self.eat(Punctuator::Semicolon);
                    break;
                }
                TokenKind::Punctuator(Punctuator::LeftParenthesis | Punctuator::LeftBracket) => {
                    self.position = self.closer();
                    self.advance();
                }
                TokenKind::Keyword(keyword) if started && begins_declaration(keyword) => break,
                _ => self.advance(),
            }
        }
        if self.position == start {
            self.advance();
        }
        self.add_declaration(DeclarationKind::Error, start)
    }

    pub(super) fn add_declaration(&mut self, kind: DeclarationKind, start: usize) -> Id<Declaration> {
        let span = self.span_from(start);
        self.ast.add(Declaration { kind, span })
    }

    /// A declaration.
    pub(super) fn declaration_in(&mut self, place: Where, head: TemplateHead) -> Parsed<Id<Declaration>> {
        self.skip_pragmas();
        match self.kind() {
            TokenKind::Punctuator(Punctuator::Semicolon) => {
                let start = self.position;
                self.advance();
                Ok(self.add_declaration(DeclarationKind::Empty, start))
            }
            TokenKind::Punctuator(Punctuator::LeftBracket) if self.at_attribute() => {
                self.attributed_declaration(place, head)
            }
            TokenKind::Keyword(keyword) => self.keyword_declaration(place, head, keyword),
            _ => self.simple_declaration(place, head),
        }
    }

    /// `[[…]];`, or attributes at the head of a simple declaration.
    fn attributed_declaration(&mut self, place: Where, head: TemplateHead) -> Parsed<Id<Declaration>> {
        let start = self.position;
        let attributes = self.attribute_list()?;
        if self.eat(Punctuator::Semicolon) {
            return Ok(self.add_declaration(DeclarationKind::Attributes(attributes), start));
        }
        self.position = start;
        self.simple_declaration(place, head)
    }

    fn keyword_declaration(&mut self, place: Where, head: TemplateHead, keyword: Keyword) -> Parsed<Id<Declaration>> {
        let next = self.ahead(1);
        match keyword {
            Keyword::Namespace => self.nested(|parser| parser.namespace(place)),
            Keyword::Inline if next.is_keyword(Keyword::Namespace) => self.nested(|parser| parser.namespace(place)),
            Keyword::Using => self.using(place, head),
            Keyword::StaticAssert => self.static_assert(),
            Keyword::Template => self.template_declaration(place),
            Keyword::Extern if next.is_keyword(Keyword::Template) => self.template_declaration(place),
            Keyword::Extern if self.is_string(self.position + 1) => self.nested(|parser| parser.linkage(place)),
            Keyword::Asm => {
                let start = self.position;
                let asm = self.asm_statement()?;
                Ok(self.add_declaration(DeclarationKind::Asm(asm), start))
            }
            Keyword::Extension if matches!(next.kind, TokenKind::Keyword(_)) => {
                self.advance();
                self.nested(|parser| parser.declaration_in(place, head))
            }
            Keyword::Concept => Err(self.error(
                self.here(),
                "a concept is a template: `template <…>` is missing before it",
            )),
            Keyword::Export => Err(self.error(self.here(), "`export` is not supported: there are no modules")),
            _ => self.simple_declaration(place, head),
        }
    }

    pub(super) fn is_string(&self, index: usize) -> bool {
        match self.token_at(index).kind {
            TokenKind::Literal(id) => matches!(self.source.literal(id), Literal::String(_)),
            _ => false,
        }
    }

    /// `namespace a::inline b { … }`, `namespace a = b;`.
    fn namespace(&mut self, place: Where) -> Parsed<Id<Declaration>> {
        let start = self.position;
        let mut is_inline = self.eat_keyword(Keyword::Inline);
        self.advance();
        let mut attributes = self.attribute_list()?;
        if self.identifier().is_some() && self.ahead(1).is(Punctuator::Equal) {
            return self.namespace_alias(start);
        }
        if place != Where::Namespace {
            return Err(self.error(self.previous(), "a namespace can only be defined in a namespace"));
        }
        let depth = self.scopes.depth();
        let mut names = Vec::new();
        while let Some(name) = self.identifier() {
            self.advance();
            self.enter_namespace(name, is_inline);
            names.push((is_inline, Some(name)));
            if !self.eat(Punctuator::DoubleColon) {
                break;
            }
            is_inline = self.eat_keyword(Keyword::Inline);
        }
        if names.is_empty() {
            self.enter_namespace(crate::source::names::EMPTY, true);
            names.push((is_inline, None));
        }
        let mut more = self.attribute_list()?.into_vec();
        if !more.is_empty() {
            let mut all = attributes.into_vec();
            all.append(&mut more);
            attributes = all.into_boxed_slice();
        }
        self.expect(Punctuator::LeftBrace, "to open the namespace")?;
        let mut declarations = self.declaration_list().into_boxed_slice();
        self.scopes.truncate(depth);
        self.expect(Punctuator::RightBrace, "to close the namespace")?;
        // From the inside outwards; the attributes are the innermost one's.
        while names.len() > 1 {
            let Some((is_inline, name)) = names.pop() else { break };
            let kind = DeclarationKind::Namespace {
                is_inline,
                name,
                attributes,
                declarations,
            };
            declarations = Box::new([self.add_declaration(kind, start)]);
            attributes = Box::default();
        }
        let (is_inline, name) = names.pop().unwrap_or((false, None));
        Ok(self.add_declaration(
            DeclarationKind::Namespace {
                is_inline,
                name,
                attributes,
                declarations,
            },
            start,
        ))
    }

    /// Opens a namespace, a new one or one that was there; its names are seen outside if it is inline or unnamed.
    fn enter_namespace(&mut self, name: Symbol, is_transparent: bool) {
        let current = self.scopes.current();
        let known = self.scopes.find_declared(current, name, Wanted::TypeOrNamespace);
        let known = known
            .filter(|entry| entry.kind == NameKind::Namespace)
            .and_then(|entry| entry.scope);
        let scope = match known {
            Some(scope) => scope,
            None => {
                let scope = self.scopes.create(ScopeKind::Namespace);
                self.scopes.set_parent(scope, current);
                self.scopes
                    .declare(current, name, Entry::new(NameKind::Namespace, Some(scope)));
                scope
            }
        };
        if is_transparent {
            self.scopes.add_transparent(current, scope);
        }
        self.scopes.push(scope);
    }

    fn namespace_alias(&mut self, start: usize) -> Parsed<Id<Declaration>> {
        let (name, _) = self.expect_identifier("a name")?;
        self.advance();
        let parsed = self.qualified_name(NameMode::Expression)?;
        let current = self.scopes.current();
        self.scopes
            .declare(current, name, Entry::new(NameKind::Namespace, parsed.scope));
        let target = self.add_name(parsed.name, parsed.scope);
        self.expect_semicolon("after the namespace alias")?;
        Ok(self.add_declaration(DeclarationKind::NamespaceAlias { name, target }, start))
    }

    /// Using-directives, using-declarations, aliases.
    fn using(&mut self, place: Where, head: TemplateHead) -> Parsed<Id<Declaration>> {
        let start = self.position;
        self.advance();
        if self.eat_keyword(Keyword::Namespace) {
            let parsed = self.qualified_name(NameMode::Expression)?;
            let current = self.scopes.current();
            match parsed.scope {
                Some(scope) => self.scopes.add_directive(scope),
                None => self.scopes.set_open(current),
            }
            let namespace = self.add_name(parsed.name, parsed.scope);
            self.attribute_list()?;
            self.expect_semicolon("after the using-directive")?;
            return Ok(self.add_declaration(DeclarationKind::UsingDirective { namespace }, start));
        }
        if self.eat_keyword(Keyword::Enum) {
            let parsed = self.qualified_name(NameMode::Type)?;
            if let Some(scope) = parsed.scope {
                let current = self.scopes.current();
                self.scopes.add_transparent(current, scope);
            }
            let name = self.add_name(parsed.name, parsed.scope);
            self.expect_semicolon("after `using enum`")?;
            return Ok(self.add_declaration(DeclarationKind::UsingEnum { name }, start));
        }
        let next = self.ahead(1);
        if self.identifier().is_some()
            && (next.is(Punctuator::Equal) || next.is(Punctuator::LeftBracket) || next.is_keyword(Keyword::Attribute))
        {
            return self.alias(start, head);
        }
        self.using_declaration(start, place)
    }

    /// `using X = T;`.
    fn alias(&mut self, start: usize, head: TemplateHead) -> Parsed<Id<Declaration>> {
        let (name, name_span) = self.expect_identifier("a name")?;
        let attributes = self.attribute_list()?;
        self.expect(Punctuator::Equal, "in an alias declaration")?;
        let type_id = self.type_id(Where::DefaultType)?;
        let node = &self.ast[type_id];
        let plain = self.ast[node.declarator].chunks.is_empty();
        let scope = self.specifier_scopes[node.specifiers.index()].filter(|_| plain);
        let kind = if head == TemplateHead::Parameters {
            NameKind::TypeTemplate
        } else {
            NameKind::Type
        };
        let current = self.scopes.current();
        self.scopes.declare(current, name, Entry::new(kind, scope));
        self.expect_semicolon("after the alias declaration")?;
        Ok(self.add_declaration(
            DeclarationKind::Alias {
                name,
                name_span,
                attributes,
                type_id,
            },
            start,
        ))
    }

    /// `using a::b, typename c::d...;`.
    fn using_declaration(&mut self, start: usize, _place: Where) -> Parsed<Id<Declaration>> {
        let mut names = Vec::new();
        loop {
            let typename = self.eat_keyword(Keyword::Typename);
            let parsed = self.qualified_name(NameMode::Declarator)?;
            if let UnqualifiedName::Identifier(name) = parsed.name.last {
                let kind = match parsed.name.kind {
                    NameKind::Unknown if typename => NameKind::Type,
                    kind => kind,
                };
                let current = self.scopes.current();
                // `using Base::Base` names constructors, not the class.
                let constructors = match parsed.name.qualifiers.last().map(|qualifier| &qualifier.part) {
                    Some(QualifierPart::Name(class) | QualifierPart::Template { name: class, .. }) => *class == name,
                    _ => false,
                };
                if kind != NameKind::Unknown && !constructors {
                    self.scopes.declare(current, name, Entry::new(kind, parsed.scope));
                }
            }
            let name = self.add_name(parsed.name, parsed.scope);
            let pack = self.eat(Punctuator::Ellipsis);
            names.push((typename, name, pack));
            if !self.eat(Punctuator::Comma) {
                break;
            }
        }
        self.attribute_list()?;
        self.expect_semicolon("after the using-declaration")?;
        let names = names.into_boxed_slice();
        Ok(self.add_declaration(DeclarationKind::UsingDeclaration { names }, start))
    }

    fn static_assert(&mut self) -> Parsed<Id<Declaration>> {
        let start = self.position;
        self.advance();
        let (condition, message) = self.parenthesized("after `static_assert`", |parser| {
            let condition = parser.constant_expression()?;
            let message = if parser.eat(Punctuator::Comma) {
                Some(parser.constant_expression()?)
            } else {
                None
            };
            Ok((condition, message))
        })?;
        self.expect_semicolon("after `static_assert(…)`")?;
        Ok(self.add_declaration(DeclarationKind::StaticAssert { condition, message }, start))
    }

    /// `extern "C"` (\[dcl.link\]).
    fn linkage(&mut self, place: Where) -> Parsed<Id<Declaration>> {
        let start = self.position;
        self.advance();
        let is_c = match self.kind() {
            TokenKind::Literal(id) => match self.source.literal(id) {
                Literal::String(string) if string.to_text() == "C" => true,
                Literal::String(string) if string.to_text() == "C++" => false,
                _ => {
                    return Err(self.error(
                        self.here(),
                        "the language of a linkage specification is `\"C\"` or `\"C++\"`",
                    ));
                }
            },
            _ => return Err(self.expected("a string")),
        };
        self.advance();
        let braced = self.eat(Punctuator::LeftBrace);
        let declarations = if braced {
            let declarations = self.declaration_list();
            self.expect(Punctuator::RightBrace, "to close the linkage specification")?;
            declarations
        } else {
            vec![self.declaration_in(place, TemplateHead::None)?]
        };
        let declarations = declarations.into_boxed_slice();
        Ok(self.add_declaration(
            DeclarationKind::Linkage {
                is_c,
                braced,
                declarations,
            },
            start,
        ))
    }

    /// Variables, functions, typedefs, classes, members; function definitions.
    pub(super) fn simple_declaration(&mut self, place: Where, head: TemplateHead) -> Parsed<Id<Declaration>> {
        let start = self.position;
        let depth = self.scopes.depth();
        let specifiers = self.specifiers(place, head)?;
        if self.is(Punctuator::Semicolon) {
            self.check_declares_something(specifiers);
            self.advance();
            let declarators = Box::default();
            return Ok(self.add_declaration(
                DeclarationKind::Simple {
                    specifiers,
                    declarators,
                },
                start,
            ));
        }
        if self.lacks_semicolon_after_type(specifiers) {
            self.expect_semicolon("after the definition of a type")?;
            let declarators = Box::default();
            return Ok(self.add_declaration(
                DeclarationKind::Simple {
                    specifiers,
                    declarators,
                },
                start,
            ));
        }
        if self.at_structured_binding(specifiers) {
            let binding = self.structured_binding(specifiers, start)?;
            self.expect_semicolon("after the structured binding")?;
            return Ok(binding);
        }
        if self.at_deduction_guide(specifiers) {
            return self.deduction_guide(specifiers, start);
        }
        let mut declarators = Vec::new();
        loop {
            match self.init_declarator(specifiers, place, head, start, declarators.is_empty())? {
                Declared::Function(declaration) => return Ok(declaration),
                Declared::Declarator(declarator) => declarators.push(declarator),
            }
            self.scopes.truncate(depth);
            if !self.eat(Punctuator::Comma) {
                break;
            }
        }
        self.end_of_declaration(&declarators)?;
        let declarators = declarators.into_boxed_slice();
        Ok(self.add_declaration(
            DeclarationKind::Simple {
                specifiers,
                declarators,
            },
            start,
        ))
    }

    /// `struct S { … }` without `;`: what follows begins a line and can begin a declaration, but no declarator.
    fn lacks_semicolon_after_type(&self, specifiers: Id<Specifiers>) -> bool {
        let next = self.token();
        if !next.line_start || !super::specifier::defines_type(&self.ast[specifiers].type_specifier) {
            return false;
        }
        match next.kind {
            TokenKind::Keyword(keyword) => keyword != Keyword::Attribute && keyword != Keyword::Operator,
            TokenKind::Identifier(_) => self.ahead(1).identifier().is_some(),
            TokenKind::Punctuator(Punctuator::RightBrace) | TokenKind::End => true,
            _ => false,
        }
    }

    fn end_of_declaration(&mut self, declarators: &[InitDeclarator]) -> Parsed<()> {
        let is_function = declarators
            .last()
            .is_some_and(|last| self.ast[last.declarator].function().is_some());
        if is_function && !self.is(Punctuator::Semicolon) && !self.token().line_start {
            return Err(self.expected("`;` or the body of the function"));
        }
        self.expect_semicolon("after the declaration")
    }

    fn check_declares_something(&mut self, specifiers: Id<Specifiers>) {
        if matches!(self.ast[specifiers].type_specifier, TypeSpecifier::None) {
            let span = self.ast[specifiers].span;
            self.error(span, "this declaration declares nothing");
        }
    }

    /// One declarator with what follows it, or a whole function definition.
    fn init_declarator(
        &mut self,
        specifiers: Id<Specifiers>,
        place: Where,
        head: TemplateHead,
        start: usize,
        is_first: bool,
    ) -> Parsed<Declared> {
        let own_start = self.position;
        let is_member = place == Where::Class;
        if is_member && self.is(Punctuator::Colon) {
            let declarator = self.empty_declarator();
            return self.member_rest(declarator, own_start).map(Declared::Declarator);
        }
        let read = self.declarator(Form::Named { member: is_member })?;
        self.check_has_type(specifiers, read.id, place)?;
        self.declare(specifiers, read.id, place, head);
        if is_first && self.begins_body(&read) {
            return self
                .function_definition(specifiers, read, place, start)
                .map(Declared::Function);
        }
        if is_member {
            return self.member_rest(read.id, own_start).map(Declared::Declarator);
        }
        let initializer = self.optional_initializer()?;
        let span = self.span_from(own_start);
        Ok(Declared::Declarator(InitDeclarator {
            declarator: read.id,
            bit_width: None,
            initializer,
            is_pure: false,
            span,
        }))
    }

    /// The declarator of an unnamed bit field.
    fn empty_declarator(&mut self) -> Id<Declarator> {
        let span = self.here();
        let (chunks, attributes) = (Box::default(), Box::default());
        self.ast.add(Declarator {
            name: None,
            chunks,
            pack: false,
            attributes,
            asm_label: None,
            span,
        })
    }

    /// Bit width, pure specifier, default initialiser of a member.
    fn member_rest(&mut self, declarator: Id<Declarator>, start: usize) -> Parsed<InitDeclarator> {
        let is_function = self.ast[declarator].function().is_some();
        let bit_width = if !is_function && self.eat(Punctuator::Colon) {
            Some(self.constant_expression()?)
        } else {
            None
        };
        let is_pure = is_function && self.is(Punctuator::Equal);
        let initializer = if is_pure {
            self.advance();
            self.pure_specifier()?;
            None
        } else {
            self.optional_initializer()?
        };
        // Those of a bit-field stand behind its width.
        let behind = self.attribute_list()?;
        if !behind.is_empty() {
            let before = std::mem::take(&mut self.ast[declarator].attributes);
            self.ast[declarator].attributes = before.into_iter().chain(behind).collect();
        }
        let span = self.span_from(start);
        Ok(InitDeclarator {
            declarator,
            bit_width,
            initializer,
            is_pure,
            span,
        })
    }

    fn pure_specifier(&mut self) -> Parsed<()> {
        if let TokenKind::Literal(id) = self.kind()
            && let Literal::Integer(literal) = self.source.literal(id)
            && literal.value == 0
        {
            self.advance();
            return Ok(());
        }
        Err(self.expected("`0`, `default` or `delete`"))
    }

    /// Reports a declarator without a type, except where none is to be: constructors, destructors, conversions.
    fn check_has_type(&mut self, specifiers: Id<Specifiers>, declarator: Id<Declarator>, place: Where) -> Parsed<()> {
        if !matches!(self.ast[specifiers].type_specifier, TypeSpecifier::None) {
            return Ok(());
        }
        let Some(name_id) = self.ast[declarator].name else {
            return Ok(());
        };
        let name = &self.ast[name_id];
        let special = match &name.last {
            UnqualifiedName::Conversion(_)
            | UnqualifiedName::Destructor { .. }
            | UnqualifiedName::DestructorDecltype(_) => true,
            UnqualifiedName::Identifier(last) | UnqualifiedName::Template { name: last, .. } => {
                match name.qualifiers.last().map(|qualifier| &qualifier.part) {
                    Some(QualifierPart::Name(class) | QualifierPart::Template { name: class, .. }) => class == last,
                    Some(QualifierPart::Decltype(_)) => true,
                    None => place == Where::Class && self.classes.last().is_some_and(|class| class.name == Some(*last)),
                }
            }
            UnqualifiedName::Operator { .. } | UnqualifiedName::LiteralOperator { .. } => false,
        };
        if special {
            return Ok(());
        }
        let span = name.span;
        let text = name.as_identifier().map(|name| self.context.text(name).to_string());
        let is_function = self.ast[declarator].function().is_some();
        let message = match (&text, is_function) {
            (Some(text), true) => format!("the function `{text}` has no return type"),
            (Some(text), false) => format!("the declaration of `{text}` has no type"),
            (None, true) => "this function has no return type".to_string(),
            (None, false) => "this declaration has no type".to_string(),
        };
        let later = self.ast[name_id]
            .as_identifier()
            .filter(|&name| self.words.is_later_keyword(name));
        if let Some(name) = later {
            return Err(self.later_keyword(name, span));
        }
        let mut report = Report::error(span, message);
        if let Some(keyword) = text.as_deref().and_then(super::suggestion::misspelt_keyword) {
            report = report.note(format!("did you mean `{keyword}`?"));
        }
        Err(self.report(report))
    }

    /// Enters a declared name into its scope.
    pub(super) fn declare(
        &mut self,
        specifiers: Id<Specifiers>,
        declarator: Id<Declarator>,
        place: Where,
        head: TemplateHead,
    ) {
        let Some(name) = self.ast[declarator].name else { return };
        let Some(name) = self.ast[name].as_identifier() else {
            return;
        };
        let attributes = self.ast[specifiers]
            .attributes
            .iter()
            .chain(&self.ast[declarator].attributes);
        if attributes
            .into_iter()
            .any(|attribute| matches!(attribute.kind, AttributeKind::Global))
        {
            self.kernels.insert(name);
        }
        if matches!(head, TemplateHead::Specialization | TemplateHead::Instantiation) {
            return;
        }
        let is_template = head == TemplateHead::Parameters;
        let node = &self.ast[declarator];
        let is_function = node.function().is_some();
        let plain = node.chunks.is_empty();
        let specifier = &self.ast[specifiers];
        if matches!(specifier.type_specifier, TypeSpecifier::None) {
            // A constructor: the name stays the class's.
            return;
        }
        let entry = if specifier.is_typedef {
            Entry::new(
                NameKind::Type,
                self.specifier_scopes[specifiers.index()].filter(|_| plain),
            )
        } else {
            let kind = match (is_template, is_function) {
                (true, true) => NameKind::FunctionTemplate,
                (true, false) => NameKind::VariableTemplate,
                (false, _) => NameKind::Value,
            };
            Entry::new(kind, None)
        };
        if is_template && place == Where::Class && !specifier.is_friend {
            self.member_templates.insert(name);
        }
        if entry.kind == NameKind::Value && !is_function && place == Where::Class {
            self.data_members.insert(name);
        }
        let scope = if specifier.is_friend {
            self.scopes.namespace()
        } else {
            self.scopes.current()
        };
        self.scopes.declare(scope, name, entry);
    }
}

/// What a declarator turned out to be.
enum Declared {
    Declarator(InitDeclarator),
    Function(Id<Declaration>),
}

/// Keywords at the start of a line from which on reading goes on after an error.
fn begins_declaration(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Namespace
            | Keyword::Template
            | Keyword::Using
            | Keyword::Typedef
            | Keyword::Class
            | Keyword::Struct
            | Keyword::Union
            | Keyword::Enum
            | Keyword::Static
            | Keyword::Extern
            | Keyword::Inline
            | Keyword::Constexpr
            | Keyword::StaticAssert
            | Keyword::CudaGlobal
            | Keyword::CudaDevice
            | Keyword::CudaHost
            | Keyword::CudaConstant
            | Keyword::Friend
            | Keyword::Virtual
            | Keyword::Public
            | Keyword::Private
            | Keyword::Protected
            | Keyword::Void
    )
}
