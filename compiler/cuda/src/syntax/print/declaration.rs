//! Declarations, classes, templates.

use crate::syntax::ast::{
    Access, BaseSpecifier, Class, ClassKey, ConstructorInitializer, Declaration, DeclarationKind, Enum,
    ExplicitSpecifier, FunctionBody, FunctionDefinition, Id, InitDeclarator, ReferenceQualifier, Specifiers,
    TemplateParameter, TemplateParameterKind, TypeSpecifier,
};

use super::Printer;

impl Printer<'_> {
    pub(super) fn declaration(&mut self, id: Id<Declaration>) {
        self.deeper(|printer| printer.declaration_kind(id));
    }

    fn declaration_kind(&mut self, id: Id<Declaration>) {
        let ast = self.ast;
        match &ast[id].kind {
            DeclarationKind::Empty => self.text("(empty)"),
            DeclarationKind::Simple {
                specifiers,
                declarators,
            } => self.simple(*specifiers, declarators),
            DeclarationKind::Function(function) => self.function_definition(*function),
            DeclarationKind::StructuredBinding {
                specifiers,
                reference,
                names,
                initializer,
            } => {
                self.text("(bind ");
                self.text(match reference {
                    ReferenceQualifier::None => "",
                    ReferenceQualifier::Lvalue => "& ",
                    ReferenceQualifier::Rvalue => "&& ",
                });
                self.specifiers(*specifiers);
                self.text(" [");
                self.commas(names, |printer, (name, _)| printer.symbol(*name));
                self.text("]");
                if let Some(initializer) = initializer {
                    self.initializer(initializer);
                }
                self.text(")");
            }
            DeclarationKind::Namespace {
                is_inline,
                name,
                attributes,
                declarations,
            } => {
                self.text(if *is_inline {
                    "(inline-namespace "
                } else {
                    "(namespace "
                });
                match name {
                    Some(name) => self.symbol(*name),
                    None => self.text("-"),
                }
                self.attributes_before(attributes);
                self.each(declarations, |printer, declaration| printer.declaration(*declaration));
                self.text(")");
            }
            DeclarationKind::NamespaceAlias { name, target } => {
                self.text("(namespace-alias ");
                self.symbol(*name);
                self.space();
                self.name(*target);
                self.text(")");
            }
            DeclarationKind::UsingDirective { namespace } => {
                self.text("(using-namespace ");
                self.name(*namespace);
                self.text(")");
            }
            DeclarationKind::UsingDeclaration { names } => {
                self.text("(using");
                self.each(names, |printer, (typename, name, pack)| {
                    printer.text(if *typename { "typename " } else { "" });
                    printer.name(*name);
                    printer.text(if *pack { "..." } else { "" });
                });
                self.text(")");
            }
            DeclarationKind::UsingEnum { name } => {
                self.text("(using-enum ");
                self.name(*name);
                self.text(")");
            }
            DeclarationKind::Alias {
                name,
                attributes,
                type_id,
                ..
            } => {
                self.text("(alias ");
                self.symbol(*name);
                self.attributes_before(attributes);
                self.space();
                self.type_id(*type_id);
                self.text(")");
            }
            DeclarationKind::Linkage { is_c, declarations, .. } => {
                self.text(if *is_c { "(extern-c" } else { "(extern-c++" });
                self.each(declarations, |printer, declaration| printer.declaration(*declaration));
                self.text(")");
            }
            DeclarationKind::StaticAssert { condition, message } => {
                self.text("(static_assert ");
                self.expression(*condition);
                if let Some(message) = message {
                    self.space();
                    self.expression(*message);
                }
                self.text(")");
            }
            DeclarationKind::Concept { name, condition, .. } => {
                self.text("(concept ");
                self.symbol(*name);
                self.space();
                self.expression(*condition);
                self.text(")");
            }
            DeclarationKind::Template {
                parameters,
                requires,
                declaration,
            } => {
                self.text("(template");
                self.template_parameters(parameters);
                self.requires_clause(*requires);
                self.space();
                self.declaration(*declaration);
                self.text(")");
            }
            DeclarationKind::ExplicitSpecialization { declaration } => self.wrapped("specialize", *declaration),
            DeclarationKind::ExplicitInstantiation { is_extern, declaration } => {
                self.wrapped(
                    if *is_extern {
                        "extern-instantiate"
                    } else {
                        "instantiate"
                    },
                    *declaration,
                );
            }
            DeclarationKind::DeductionGuide {
                explicit,
                name,
                parameters,
                result,
                attributes,
                ..
            } => {
                self.text("(guide ");
                self.text(if matches!(explicit, ExplicitSpecifier::None) {
                    ""
                } else {
                    "explicit "
                });
                self.symbol(*name);
                self.text("(");
                self.commas(parameters, |printer, parameter| printer.parameter(*parameter));
                self.text(")");
                self.attributes_before(attributes);
                self.text(" -> ");
                self.type_id(*result);
                self.text(")");
            }
            DeclarationKind::Asm(asm) => self.asm(*asm),
            DeclarationKind::Attributes(attributes) => {
                self.text("(attributes");
                self.attributes_before(attributes);
                self.text(")");
            }
            DeclarationKind::Error => self.text("<error>"),
        }
    }

    fn wrapped(&mut self, word: &str, declaration: Id<Declaration>) {
        self.text("(");
        self.word(word);
        self.declaration(declaration);
        self.text(")");
    }

    fn simple(&mut self, specifiers: Id<Specifiers>, declarators: &[InitDeclarator]) {
        let ast = self.ast;
        self.text("(decl ");
        self.specifier_words(&ast[specifiers]);
        if declarators.is_empty() {
            self.base_type(specifiers);
        }
        for (index, declarator) in declarators.iter().enumerate() {
            if index > 0 {
                self.text(", ");
            }
            self.init_declarator(declarator, specifiers, index == 0);
        }
        self.text(")");
    }

    /// A class or enumeration is printed with the first declarator only.
    fn init_declarator(&mut self, declarator: &InitDeclarator, specifiers: Id<Specifiers>, is_first: bool) {
        let ast = self.ast;
        self.declared(declarator.declarator);
        let defines = matches!(
            ast[specifiers].type_specifier,
            TypeSpecifier::Class(_) | TypeSpecifier::Enum(_)
        );
        if defines && !is_first {
            self.text("^");
        } else {
            self.base_type(specifiers);
        }
        let node = &ast[declarator.declarator];
        self.attributes_before(&node.attributes);
        if let Some(label) = &node.asm_label {
            self.text(&format!(" asm {label:?}"));
        }
        if let Some(width) = declarator.bit_width {
            self.text(" : ");
            self.expression(width);
        }
        if let Some(initializer) = &declarator.initializer {
            self.initializer(initializer);
        }
        if declarator.is_pure {
            self.text(" pure");
        }
    }

    fn function_definition(&mut self, id: Id<FunctionDefinition>) {
        let ast = self.ast;
        let function = &ast[id];
        self.text("(function ");
        self.specifier_words(&ast[function.specifiers]);
        self.declared(function.declarator);
        self.base_type(function.specifiers);
        self.attributes_before(&ast[function.declarator].attributes);
        for ConstructorInitializer {
            name,
            initializer,
            pack_expansion,
            ..
        } in &function.initializers
        {
            self.text(" (init ");
            self.name(*name);
            self.initializer(initializer);
            self.text(if *pack_expansion { "...)" } else { ")" });
        }
        self.space();
        match &function.body {
            FunctionBody::Compound(body) => self.statement(*body),
            FunctionBody::Try { body, handlers } => {
                self.text("(try ");
                self.statement(*body);
                self.handlers(handlers);
                self.text(")");
            }
            FunctionBody::Default => self.text("default"),
            FunctionBody::Delete => self.text("delete"),
            FunctionBody::Skipped => self.text("skipped"),
        }
        self.text(")");
    }

    pub(super) fn requires_clause(&mut self, condition: Option<Id<crate::syntax::ast::Expression>>) {
        if let Some(condition) = condition {
            self.text(" requires ");
            self.expression(condition);
        }
    }

    pub(super) fn template_parameters(&mut self, parameters: &[Id<TemplateParameter>]) {
        self.text("<");
        self.commas(parameters, |printer, parameter| printer.template_parameter(*parameter));
        self.text(">");
    }

    fn template_parameter(&mut self, id: Id<TemplateParameter>) {
        let ast = self.ast;
        let parameter = &ast[id];
        if let TemplateParameterKind::NonType { parameter } = &parameter.kind {
            return self.parameter(*parameter);
        }
        if let TemplateParameterKind::Template { parameters, .. } = &parameter.kind {
            self.text("template");
            self.template_parameters(parameters);
            self.space();
        }
        match parameter.constraint {
            Some(constraint) => {
                self.name(constraint);
                self.text(if parameter.pack { "..." } else { "" });
            }
            None => self.text(if parameter.pack { "typename..." } else { "typename" }),
        }
        if let Some(name) = parameter.name {
            self.space();
            self.symbol(name);
        }
        match &parameter.kind {
            TemplateParameterKind::Type { default: Some(default) } => {
                self.text(" = ");
                self.type_id(*default);
            }
            TemplateParameterKind::Template {
                default: Some(default), ..
            } => {
                self.text(" = ");
                self.name(*default);
            }
            _ => {}
        }
    }

    pub(super) fn class_key(&mut self, key: ClassKey) {
        self.text(match key {
            ClassKey::Class => "class",
            ClassKey::Struct => "struct",
            ClassKey::Union => "union",
        });
    }

    pub(super) fn class(&mut self, id: Id<Class>) {
        let ast = self.ast;
        let class = &ast[id];
        self.text("(");
        self.class_key(class.key);
        self.space();
        match class.name {
            Some(name) => self.name(name),
            None => self.text("-"),
        }
        self.attributes_before(&class.attributes);
        if class.is_final {
            self.text(" final");
        }
        if let Some(packing) = class.packing {
            self.text(&format!(" pack({packing})"));
        }
        for BaseSpecifier {
            is_virtual,
            access,
            type_id,
            pack_expansion,
            ..
        } in &class.bases
        {
            self.text(" (base ");
            self.text(if *is_virtual { "virtual " } else { "" });
            self.text(access.map_or("", access_word));
            self.type_id(*type_id);
            self.text(if *pack_expansion { "...)" } else { ")" });
        }
        let mut access = if class.key == ClassKey::Class {
            Access::Private
        } else {
            Access::Public
        };
        for member in &class.members {
            self.space();
            if member.access != access {
                access = member.access;
                self.text(access_word(access));
            }
            self.declaration(member.declaration);
        }
        self.text(")");
    }

    pub(super) fn enumeration(&mut self, id: Id<Enum>) {
        let ast = self.ast;
        let node = &ast[id];
        self.text(if node.is_scoped { "(enum-class " } else { "(enum " });
        match node.name {
            Some(name) => self.name(name),
            None => self.text("-"),
        }
        self.attributes_before(&node.attributes);
        if let Some(underlying) = node.underlying {
            self.text(" : ");
            self.type_id(underlying);
        }
        match &node.enumerators {
            None => self.text(" opaque"),
            Some(enumerators) => self.each(enumerators, |printer, enumerator| {
                printer.symbol(enumerator.name);
                if let Some(value) = enumerator.value {
                    printer.text("=");
                    printer.expression(value);
                }
            }),
        }
        self.text(")");
    }
}

fn access_word(access: Access) -> &'static str {
    match access {
        Access::Public => "public: ",
        Access::Protected => "protected: ",
        Access::Private => "private: ",
    }
}
