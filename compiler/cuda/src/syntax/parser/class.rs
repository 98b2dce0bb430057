//! Classes and enumerations (\[class\], \[dcl.enum\]), and the bodies that wait for the end of a class.

use crate::source::{Keyword, Punctuator, Symbol, TokenKind, names};
use crate::syntax::ast::{
    Access, Attribute, BaseSpecifier, Class, ClassKey, ConstructorInitializer, Declaration, Declarator, Enum,
    Enumerator, FunctionBody, FunctionDefinition, Id, List, Member, NameKind, QualifiedName, TypeId, TypeSpecifier,
    UnqualifiedName,
};

use super::name::{NameMode, ParsedName};
use super::scope::{Entry, ScopeId, ScopeKind, Wanted};
use super::specifier::Where;
use super::template::TemplateHead;
use super::{Parsed, Parser};

/// A class whose members are being read.
#[derive(Debug)]
pub(super) struct OpenClass {
    pub(super) name: Option<Symbol>,
}

/// A body to be read when the outermost class is complete (\[class.mem\]/6).
#[derive(Debug)]
pub(super) struct Delayed {
    function: Id<FunctionDefinition>,
    position: usize,
    scopes: Vec<ScopeId>,
}

impl Parser<'_> {
    /// A class specifier or an elaborated type specifier, from its key.
    pub(super) fn class(
        &mut self,
        key: ClassKey,
        place: Where,
        head: TemplateHead,
        is_friend: bool,
    ) -> Parsed<(TypeSpecifier, Option<ScopeId>)> {
        let start = self.position;
        self.advance();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let parsed = self.class_name()?;
        let is_final = self.identifier() == Some(names::FINAL);
        let body_at = self.ahead(usize::from(is_final));
        let defines = body_at.is(Punctuator::LeftBrace) || body_at.is(Punctuator::Colon);
        if !defines || matches!(place, Where::Argument | Where::DefaultType) && !body_at.is(Punctuator::LeftBrace) {
            return self.elaborated_class(key, parsed, attributes, head, is_friend);
        }
        if is_final {
            self.advance();
        }
        let depth = self.scopes.depth();
        let result = self.nested(|parser| parser.class_definition(key, parsed, attributes, is_final, head, start));
        self.scopes.truncate(depth);
        let (class, scope) = result?;
        if self.classes.is_empty() {
            self.read_delayed();
        }
        Ok((TypeSpecifier::Class(class), Some(scope)))
    }

    fn class_name(&mut self) -> Parsed<Option<ParsedName>> {
        let at_name = self.identifier().is_some() || self.is(Punctuator::DoubleColon);
        if !at_name {
            return Ok(None);
        }
        self.qualified_name(NameMode::Type).map(Some)
    }

    /// `struct X` that defines nothing (\[dcl.type.elab\]).
    fn elaborated_class(
        &mut self,
        key: ClassKey,
        parsed: Option<ParsedName>,
        attributes: Vec<Attribute>,
        head: TemplateHead,
        is_friend: bool,
    ) -> Parsed<(TypeSpecifier, Option<ScopeId>)> {
        let Some(parsed) = parsed else {
            return Err(self.expected("the name or the body of a class"));
        };
        let mut scope = parsed.scope;
        if let Some(name) = parsed.name.as_identifier() {
            scope = self.declare_elaborated(name, head, is_friend).or(scope);
        }
        let name = self.add_name(parsed.name, scope);
        let attributes = attributes.into_boxed_slice();
        Ok((TypeSpecifier::ElaboratedClass { key, name, attributes }, scope))
    }

    /// Declares the class that an elaborated type specifier names, if it does so.
    fn declare_elaborated(&mut self, name: Symbol, head: TemplateHead, is_friend: bool) -> Option<ScopeId> {
        let is_declaration = self.is(Punctuator::Semicolon) && !is_friend;
        let target = if is_declaration {
            self.scopes.current()
        } else {
            self.scopes.namespace()
        };
        let known = if is_declaration {
            self.scopes.find_direct(target, name, Wanted::TypeOrNamespace)
        } else {
            self.scopes.find(name, Wanted::TypeOrNamespace)
        };
        if let Some(known) = known
            && known.kind != NameKind::Namespace
        {
            return known.scope;
        }
        let kind = if head == TemplateHead::Parameters {
            NameKind::TypeTemplate
        } else {
            NameKind::Type
        };
        let scope = self.scopes.create(ScopeKind::Class);
        self.scopes.declare(target, name, Entry::new(kind, Some(scope)));
        Some(scope)
    }

    fn class_definition(
        &mut self,
        key: ClassKey,
        parsed: Option<ParsedName>,
        attributes: Vec<Attribute>,
        is_final: bool,
        head: TemplateHead,
        start: usize,
    ) -> Parsed<(Id<Class>, ScopeId)> {
        let current = self.scopes.current();
        let simple_name = parsed.as_ref().and_then(|parsed| match parsed.name.last {
            UnqualifiedName::Identifier(name) | UnqualifiedName::Template { name, .. } => Some(name),
            _ => None,
        });
        let (scope, injected) = self.defined_class_scope(parsed.as_ref(), head);
        let name = parsed.map(|parsed| {
            for &scope in &parsed.prefix_scopes {
                self.scopes.push(scope);
            }
            self.add_name(parsed.name, Some(scope))
        });
        let bases = if self.eat(Punctuator::Colon) {
            self.bases(scope)?
        } else {
            Box::default()
        };
        self.scopes.push(scope);
        if let Some(name) = simple_name {
            self.scopes.declare(scope, name, Entry::new(injected, Some(scope)));
        }
        self.classes.push(OpenClass { name: simple_name });
        let members = self.class_body(key);
        self.classes.pop();
        let members = members?;
        if name.is_none() && self.is(Punctuator::Semicolon) {
            // The members of an anonymous union are found around it (\[class.union.anon\]).
            self.scopes.add_transparent(current, scope);
        }
        let class = self.finish_class(key, name, attributes, is_final, bases, members, start)?;
        Ok((class, scope))
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one node")]
    fn finish_class(
        &mut self,
        key: ClassKey,
        name: Option<Id<QualifiedName>>,
        mut attributes: Vec<Attribute>,
        is_final: bool,
        bases: List<BaseSpecifier>,
        members: List<Member>,
        start: usize,
    ) -> Parsed<Id<Class>> {
        let span = self.span_from(start);
        if self.is_keyword(Keyword::Attribute) {
            // Behind the brace they belong to the class.
            self.attributes(&mut attributes)?;
        }
        let attributes = attributes.into_boxed_slice();
        let packing = self.packing.current;
        Ok(self.ast.add(Class {
            key,
            name,
            attributes,
            is_final,
            packing,
            bases,
            members,
            span,
        }))
    }

    /// The scope of a class to be defined, and the kind of its injected name; its name is declared.
    fn defined_class_scope(&mut self, parsed: Option<&ParsedName>, head: TemplateHead) -> (ScopeId, NameKind) {
        let Some(parsed) = parsed else {
            return (self.scopes.create(ScopeKind::Class), NameKind::Type);
        };
        let is_template = head == TemplateHead::Parameters;
        let kind = if is_template {
            NameKind::TypeTemplate
        } else {
            NameKind::Type
        };
        if let UnqualifiedName::Template { .. } = parsed.name.last {
            let scope = self.scopes.create(ScopeKind::Class);
            if let Some(primary) = parsed.scope {
                self.scopes.add_transparent(primary, scope);
            }
            return (scope, NameKind::TypeTemplate);
        }
        let Some(name) = parsed.name.as_identifier() else {
            // Qualified: declared before.
            let scope = parsed.scope.unwrap_or_else(|| self.scopes.create(ScopeKind::Class));
            return (scope, kind);
        };
        let current = self.scopes.current();
        let known = self.scopes.find_direct(current, name, Wanted::TypeOrNamespace);
        let scope = known
            .and_then(|entry| entry.scope)
            .unwrap_or_else(|| self.scopes.create(ScopeKind::Class));
        self.scopes.declare(current, name, Entry::new(kind, Some(scope)));
        (scope, kind)
    }

    /// The list of bases (\[class.derived\]).
    fn bases(&mut self, class: ScopeId) -> Parsed<List<BaseSpecifier>> {
        let mut bases = Vec::new();
        loop {
            let start = self.position;
            self.attribute_list()?;
            let (mut is_virtual, mut access) = (false, None);
            loop {
                match self.kind() {
                    TokenKind::Keyword(Keyword::Virtual) => is_virtual = true,
                    TokenKind::Keyword(Keyword::Public) => access = Some(Access::Public),
                    TokenKind::Keyword(Keyword::Protected) => access = Some(Access::Protected),
                    TokenKind::Keyword(Keyword::Private) => access = Some(Access::Private),
                    _ => break,
                }
                self.advance();
            }
            let type_id = self.bare_type_id()?;
            match self.specifier_scopes[self.ast[type_id].specifiers.index()] {
                Some(base) => self.scopes.add_transparent(class, base),
                None => self.scopes.set_open(class),
            }
            let pack_expansion = self.eat(Punctuator::Ellipsis);
            let span = self.span_from(start);
            bases.push(BaseSpecifier {
                is_virtual,
                access,
                type_id,
                pack_expansion,
                span,
            });
            if !self.eat(Punctuator::Comma) {
                return Ok(bases.into_boxed_slice());
            }
        }
    }

    /// A type-id without a declarator: a base, the type under an enumeration.
    fn bare_type_id(&mut self) -> Parsed<Id<TypeId>> {
        let start = self.position;
        let specifiers = self.specifiers(Where::DefaultType, TemplateHead::None)?;
        if matches!(self.ast[specifiers].type_specifier, TypeSpecifier::None) {
            return Err(self.expected("a type"));
        }
        let span = self.span_from(start);
        let (chunks, attributes) = (Box::default(), Box::default());
        let declarator = self.ast.add(Declarator {
            name: None,
            chunks,
            pack: false,
            attributes,
            asm_label: None,
            span,
        });
        Ok(self.ast.add(TypeId {
            specifiers,
            declarator,
            span,
        }))
    }

    /// `{ members }`.
    fn class_body(&mut self, key: ClassKey) -> Parsed<List<Member>> {
        self.expect(Punctuator::LeftBrace, "to open the class")?;
        let in_angles = std::mem::replace(&mut self.in_angles, false);
        let mut access = if key == ClassKey::Class {
            Access::Private
        } else {
            Access::Public
        };
        let mut members = Vec::new();
        let depth = self.scopes.depth();
        loop {
            self.skip_pragmas();
            if self.is(Punctuator::RightBrace) || self.is_end() {
                break;
            }
            if let Some(new) = self.access_specifier() {
                access = new;
                continue;
            }
            let declaration = self.member_declaration();
            self.scopes.truncate(depth);
            members.push(Member { access, declaration });
        }
        self.in_angles = in_angles;
        if !self.eat(Punctuator::RightBrace) {
            return Err(self.expected("`}` to close the class"));
        }
        Ok(members.into_boxed_slice())
    }

    fn member_declaration(&mut self) -> Id<Declaration> {
        let start = self.position;
        match self.nested(|parser| parser.declaration_in(Where::Class, TemplateHead::None)) {
            Ok(declaration) => declaration,
            Err(_) => self.recovered_declaration(start),
        }
    }

    /// `public:` and so on.
    fn access_specifier(&mut self) -> Option<Access> {
        let access = match self.kind() {
            TokenKind::Keyword(Keyword::Public) => Access::Public,
            TokenKind::Keyword(Keyword::Protected) => Access::Protected,
            TokenKind::Keyword(Keyword::Private) => Access::Private,
            _ => return None,
        };
        self.advance();
        if !self.eat(Punctuator::Colon) {
            self.expected("`:` after an access specifier");
        }
        Some(access)
    }

    // Function bodies.

    /// Passes over the body of a member function and remembers it.
    pub(super) fn delay_body(&mut self, function: Id<FunctionDefinition>) -> Parsed<()> {
        let position = self.position;
        let scopes = self.scopes.snapshot();
        self.skip_body()?;
        self.delayed.push(Delayed {
            function,
            position,
            scopes,
        });
        Ok(())
    }

    /// From `{`, `:` or `try` to behind the body.
    fn skip_body(&mut self) -> Parsed<()> {
        let is_try = self.eat_keyword(Keyword::Try);
        if self.eat(Punctuator::Colon) {
            self.skip_constructor_initializers()?;
        }
        self.skip_block()?;
        while is_try && self.eat_keyword(Keyword::Catch) {
            self.position = self.closer();
            self.advance();
            self.skip_block()?;
        }
        Ok(())
    }

    fn skip_block(&mut self) -> Parsed<()> {
        if !self.is(Punctuator::LeftBrace) {
            return Err(self.expected("`{` to open the body of the function"));
        }
        self.position = self.closer();
        self.advance();
        Ok(())
    }

    /// Up to the `{` of the body: after each name there is one pair of brackets.
    fn skip_constructor_initializers(&mut self) -> Parsed<()> {
        loop {
            let mut angles = 0usize;
            loop {
                match self.kind() {
                    TokenKind::Punctuator(Punctuator::Less) => angles += 1,
                    TokenKind::Punctuator(Punctuator::Greater) => angles = angles.saturating_sub(1),
                    TokenKind::Punctuator(Punctuator::LeftParenthesis | Punctuator::LeftBracket) if angles > 0 => {
                        self.position = self.closer();
                    }
                    TokenKind::Keyword(Keyword::Decltype) => {
                        self.advance();
                        self.position = self.closer();
                    }
                    TokenKind::Punctuator(Punctuator::LeftParenthesis | Punctuator::LeftBrace) => break,
                    TokenKind::Punctuator(Punctuator::Semicolon | Punctuator::RightBrace) | TokenKind::End => {
                        return Err(self.expected("`(` or `{` after the name of a member or base"));
                    }
                    _ => {}
                }
                self.advance();
            }
            self.position = self.closer();
            self.advance();
            self.eat(Punctuator::Ellipsis);
            if !self.eat(Punctuator::Comma) {
                return Ok(());
            }
        }
    }

    /// Reads the bodies that waited for the class to be complete.
    fn read_delayed(&mut self) {
        let resume = self.position;
        let saved_angles = std::mem::replace(&mut self.in_angles, false);
        let saved_error = self.last_error;
        for delayed in std::mem::take(&mut self.delayed) {
            self.position = delayed.position;
            let stack = self.scopes.replace(delayed.scopes);
            // An error leaves the body skipped; it has been reported.
            let _ = self.function_body(delayed.function);
            self.scopes.replace(stack);
            if self.stopped {
                return;
            }
        }
        self.last_error = saved_error;
        self.in_angles = saved_angles;
        self.position = resume;
    }

    /// The body of a function: initialisers of members, a block, handlers. Its parameters' scope is open.
    pub(super) fn function_body(&mut self, function: Id<FunctionDefinition>) -> Parsed<()> {
        let launches = self.launches;
        let result = self.function_body_itself(function);
        self.ast[function].launches = self.launches > launches;
        result
    }

    fn function_body_itself(&mut self, function: Id<FunctionDefinition>) -> Parsed<()> {
        self.skip_pragmas();
        let is_try = self.eat_keyword(Keyword::Try);
        if self.eat(Punctuator::Colon) {
            let initializers = self.constructor_initializers()?;
            self.ast[function].initializers = initializers;
        }
        if !self.is(Punctuator::LeftBrace) {
            return Err(self.expected("`{` to open the body of the function"));
        }
        let body = self.outside_angles(|parser| parser.compound_statement())?;
        self.ast[function].body = if is_try {
            let handlers = self.handlers()?;
            FunctionBody::Try { body, handlers }
        } else {
            FunctionBody::Compound(body)
        };
        Ok(())
    }

    /// `member(…), Base{…}` (\[class.base.init\]).
    fn constructor_initializers(&mut self) -> Parsed<List<ConstructorInitializer>> {
        let mut initializers = Vec::new();
        loop {
            let start = self.position;
            self.eat_keyword(Keyword::Typename);
            let parsed = self.qualified_name_of_initializer()?;
            let name = self.add_name(parsed.name, parsed.scope);
            let initializer = self.direct_initializer()?;
            let pack_expansion = self.eat(Punctuator::Ellipsis);
            let span = self.span_from(start);
            initializers.push(ConstructorInitializer {
                name,
                initializer,
                pack_expansion,
                span,
            });
            if !self.eat(Punctuator::Comma) {
                return Ok(initializers.into_boxed_slice());
            }
        }
    }

    /// A member's or base's name: `Base<T>` is a template-id even where the parser does not know `Base`.
    fn qualified_name_of_initializer(&mut self) -> Parsed<ParsedName> {
        self.qualified_name(NameMode::Type)
    }

    // Enumerations.

    /// An enumeration or a mention of one, from `enum`.
    pub(super) fn enum_specifier(&mut self, place: Where) -> Parsed<(TypeSpecifier, Option<ScopeId>)> {
        let start = self.position;
        self.advance();
        let is_scoped = self.eat_keyword(Keyword::Class) || self.eat_keyword(Keyword::Struct);
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let parsed = self.class_name()?;
        let may_define = !matches!(place, Where::Argument | Where::Simple);
        let underlying = if may_define && self.eat(Punctuator::Colon) {
            Some(self.bare_type_id()?)
        } else {
            None
        };
        let is_definition = self.is(Punctuator::LeftBrace);
        let is_opaque = self.is(Punctuator::Semicolon) && (is_scoped || underlying.is_some());
        if !is_definition && !is_opaque {
            let Some(parsed) = parsed else {
                return Err(self.expected("the name or the body of an enumeration"));
            };
            let scope = parsed.scope;
            let name = self.add_name(parsed.name, scope);
            return Ok((TypeSpecifier::ElaboratedEnum { name }, scope));
        }
        let scope = self.declare_enum(parsed.as_ref());
        let name = parsed.map(|parsed| self.add_name(parsed.name, Some(scope)));
        let enumerators = if is_definition {
            Some(self.enumerators(scope, is_scoped)?)
        } else {
            None
        };
        self.attributes(&mut attributes)?;
        let attributes = attributes.into_boxed_slice();
        let span = self.span_from(start);
        let node = self.ast.add(Enum {
            is_scoped,
            name,
            attributes,
            underlying,
            enumerators,
            span,
        });
        Ok((TypeSpecifier::Enum(node), Some(scope)))
    }

    fn declare_enum(&mut self, parsed: Option<&ParsedName>) -> ScopeId {
        let Some(parsed) = parsed else {
            return self.scopes.create(ScopeKind::Enum);
        };
        let Some(name) = parsed.name.as_identifier() else {
            return parsed.scope.unwrap_or_else(|| self.scopes.create(ScopeKind::Enum));
        };
        let current = self.scopes.current();
        let known = self.scopes.find_direct(current, name, Wanted::TypeOrNamespace);
        let scope = known
            .and_then(|entry| entry.scope)
            .unwrap_or_else(|| self.scopes.create(ScopeKind::Enum));
        self.scopes
            .declare(current, name, Entry::new(NameKind::Type, Some(scope)));
        scope
    }

    fn enumerators(&mut self, scope: ScopeId, is_scoped: bool) -> Parsed<List<Enumerator>> {
        self.advance();
        let depth = self.scopes.depth();
        let current = self.scopes.current();
        self.scopes.push(scope);
        let in_angles = std::mem::replace(&mut self.in_angles, false);
        let result = self.enumerator_list(scope, (!is_scoped).then_some(current));
        self.in_angles = in_angles;
        self.scopes.truncate(depth);
        result
    }

    fn enumerator_list(&mut self, scope: ScopeId, around: Option<ScopeId>) -> Parsed<List<Enumerator>> {
        let mut list = Vec::new();
        loop {
            self.skip_pragmas();
            if self.is(Punctuator::RightBrace) {
                break;
            }
            let start = self.position;
            let (name, _) = self.expect_identifier("the name of an enumerator")?;
            let attributes = self.attribute_list()?;
            let value = if self.eat(Punctuator::Equal) {
                Some(self.constant_expression()?)
            } else {
                None
            };
            let entry = Entry::new(NameKind::Value, None);
            self.scopes.declare(scope, name, entry);
            if let Some(around) = around {
                self.scopes.declare(around, name, entry);
            }
            let span = self.span_from(start);
            list.push(Enumerator {
                name,
                value,
                attributes,
                span,
            });
            if !self.eat(Punctuator::Comma) {
                break;
            }
        }
        self.expect(Punctuator::RightBrace, "or `,` after an enumerator")?;
        Ok(list.into_boxed_slice())
    }
}
