//! Names and types.

use crate::syntax::ast::{
    AlignArgument, Attribute, AttributeKind, ConstexprKind, Declarator, DeclaratorChunk, ExceptionSpecification,
    ExplicitSpecifier, FunctionDeclarator, Id, Parameter, QualifiedName, Qualifier, QualifierPart, Qualifiers,
    ReferenceQualifier, Specifiers, StorageClass, TemplateArgument, TemplateArgumentKind, TypeId, TypeSpecifier,
    UnqualifiedName,
};

use super::Printer;

impl Printer<'_> {
    pub(super) fn name(&mut self, id: Id<QualifiedName>) {
        let ast = self.ast;
        let name = &ast[id];
        self.qualifiers(name.global, &name.qualifiers);
        if name.template_keyword {
            self.word("template");
        }
        match &name.last {
            UnqualifiedName::Identifier(name) => self.symbol(*name),
            UnqualifiedName::Template { name, arguments } => {
                self.symbol(*name);
                self.template_arguments(arguments);
            }
            UnqualifiedName::Operator { operator, arguments } => {
                self.text("operator");
                if operator.spelling().starts_with(char::is_alphabetic) {
                    self.space();
                }
                self.text(operator.spelling());
                self.optional_arguments(arguments.as_deref());
            }
            UnqualifiedName::Conversion(type_id) => {
                self.word("operator");
                self.type_id(*type_id);
            }
            UnqualifiedName::LiteralOperator { suffix, arguments } => {
                self.text("operator\"\"");
                self.symbol(*suffix);
                self.optional_arguments(arguments.as_deref());
            }
            UnqualifiedName::Destructor { name, arguments } => {
                self.text("~");
                self.symbol(*name);
                self.optional_arguments(arguments.as_deref());
            }
            UnqualifiedName::DestructorDecltype(expression) => {
                self.text("~decltype(");
                self.expression(*expression);
                self.text(")");
            }
        }
    }

    fn optional_arguments(&mut self, arguments: Option<&[TemplateArgument]>) {
        if let Some(arguments) = arguments {
            self.template_arguments(arguments);
        }
    }

    fn qualifiers(&mut self, global: bool, qualifiers: &[Qualifier]) {
        if global {
            self.text("::");
        }
        for qualifier in qualifiers {
            if qualifier.template_keyword {
                self.word("template");
            }
            match &qualifier.part {
                QualifierPart::Name(name) => self.symbol(*name),
                QualifierPart::Template { name, arguments } => {
                    self.symbol(*name);
                    self.template_arguments(arguments);
                }
                QualifierPart::Decltype(expression) => {
                    self.text("decltype(");
                    self.expression(*expression);
                    self.text(")");
                }
            }
            self.text("::");
        }
    }

    pub(super) fn template_arguments(&mut self, arguments: &[TemplateArgument]) {
        self.text("<");
        self.commas(arguments, |printer, argument| {
            match &argument.kind {
                TemplateArgumentKind::Type(type_id) => printer.type_id(*type_id),
                TemplateArgumentKind::Expression(expression) => printer.expression(*expression),
                TemplateArgumentKind::Ambiguous { expression, .. } => {
                    printer.text("?");
                    printer.expression(*expression);
                }
            }
            if argument.pack_expansion {
                printer.text("...");
            }
        });
        self.text(">");
    }

    pub(super) fn type_id(&mut self, id: Id<TypeId>) {
        self.deeper(|printer| {
            let type_id = &printer.ast[id];
            printer.chunks(&printer.ast[type_id.declarator]);
            printer.specifiers(type_id.specifiers);
        });
    }

    /// The type constructors of a declarator, from the name outwards.
    pub(super) fn chunks(&mut self, declarator: &Declarator) {
        for chunk in &declarator.chunks {
            match chunk {
                DeclaratorChunk::Pointer { qualifiers } => {
                    self.text("*");
                    self.qualifier_words(*qualifiers);
                    self.space();
                }
                DeclaratorChunk::LvalueReference { is_restrict } => {
                    self.word(if *is_restrict { "&restrict" } else { "&" })
                }
                DeclaratorChunk::RvalueReference { is_restrict } => {
                    self.word(if *is_restrict { "&&restrict" } else { "&&" })
                }
                DeclaratorChunk::MemberPointer {
                    global,
                    class,
                    qualifiers,
                } => {
                    self.qualifiers(*global, class);
                    self.text("*");
                    self.qualifier_words(*qualifiers);
                    self.space();
                }
                DeclaratorChunk::Array { size, .. } => {
                    self.text("[");
                    if let Some(size) = size {
                        self.expression(*size);
                    }
                    self.text("] ");
                }
                DeclaratorChunk::Function(function) => {
                    self.text("fn");
                    self.function(function);
                    self.space();
                }
            }
        }
    }

    fn qualifier_words(&mut self, qualifiers: Qualifiers) {
        let words = [
            (qualifiers.is_const, "const"),
            (qualifiers.is_volatile, "volatile"),
            (qualifiers.is_restrict, "restrict"),
            (qualifiers.is_atomic, "atomic"),
        ];
        let present: Vec<&str> = words
            .iter()
            .filter(|(present, _)| *present)
            .map(|(_, word)| *word)
            .collect();
        self.text(&present.join(" "));
    }

    /// Parameters and what follows them.
    pub(super) fn function(&mut self, function: &FunctionDeclarator) {
        self.text("(");
        self.commas(&function.parameters, |printer, parameter| printer.parameter(*parameter));
        if function.is_variadic {
            self.text(if function.parameters.is_empty() { "..." } else { ", ..." });
        }
        self.text(")");
        if function.qualifiers != Qualifiers::NONE {
            self.space();
            self.qualifier_words(function.qualifiers);
        }
        self.text(match function.reference {
            ReferenceQualifier::None => "",
            ReferenceQualifier::Lvalue => " &",
            ReferenceQualifier::Rvalue => " &&",
        });
        match function.exception {
            ExceptionSpecification::None => {}
            ExceptionSpecification::Noexcept => self.text(" noexcept"),
            ExceptionSpecification::NoexceptIf(condition) => {
                self.text(" noexcept(");
                self.expression(condition);
                self.text(")");
            }
            ExceptionSpecification::Dynamic => self.text(" throw"),
        }
        self.attributes_before(&function.attributes);
        if let Some(result) = function.trailing_return {
            self.text(" -> ");
            self.type_id(result);
        }
        self.requires_clause(function.requires);
        if function.is_override {
            self.text(" override");
        }
        if function.is_final {
            self.text(" final");
        }
    }

    pub(super) fn parameter(&mut self, id: Id<Parameter>) {
        let ast = self.ast;
        let parameter = &ast[id];
        self.declared(parameter.declarator);
        self.specifiers(parameter.specifiers);
        if let Some(default) = parameter.default {
            self.text(" = ");
            self.expression(default);
        }
    }

    /// `name: constructors of the type`; the base type is to follow.
    pub(super) fn declared(&mut self, id: Id<Declarator>) {
        let ast = self.ast;
        let declarator = &ast[id];
        if declarator.pack {
            self.text("...");
        }
        if let Some(name) = declarator.name {
            self.name(name);
            self.text(": ");
        }
        self.chunks(declarator);
    }

    pub(super) fn attributes_before(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            self.space();
            self.attribute(attribute);
        }
    }

    pub(super) fn attribute(&mut self, attribute: &Attribute) {
        let word = match &attribute.kind {
            AttributeKind::Global => "__global__",
            AttributeKind::Device => "__device__",
            AttributeKind::Host => "__host__",
            AttributeKind::Shared => "__shared__",
            AttributeKind::Constant => "__constant__",
            AttributeKind::Managed => "__managed__",
            AttributeKind::GridConstant => "__grid_constant__",
            AttributeKind::LaunchBounds(arguments) => return self.attribute_with("__launch_bounds__", arguments),
            AttributeKind::ClusterDims(arguments) => return self.attribute_with("__cluster_dims__", arguments),
            AttributeKind::BlockSize(arguments) => return self.attribute_with("__block_size__", arguments),
            AttributeKind::MaxRegisters(argument) => return self.attribute_with("__maxnreg__", &[*argument]),
            AttributeKind::VectorSize(argument) => return self.attribute_with("vector_size", &[*argument]),
            AttributeKind::Align(argument) => return self.align(argument),
            AttributeKind::Mode(name) | AttributeKind::DeviceBuiltin(name) | AttributeKind::Other(name) => {
                self.text("@");
                return self.symbol(*name);
            }
            AttributeKind::Pure => "@pure",
            AttributeKind::ForceInline => "__forceinline__",
            AttributeKind::AlwaysInline => "__attribute__((always_inline))",
            AttributeKind::NoInline => "__noinline__",
            AttributeKind::Packed => "@packed",
            AttributeKind::NoReturn => "@noreturn",
            AttributeKind::NoDiscard => "@nodiscard",
            AttributeKind::MaybeUnused => "@maybe_unused",
            AttributeKind::Deprecated => "@deprecated",
            AttributeKind::Fallthrough => "@fallthrough",
            AttributeKind::Likely => "@likely",
            AttributeKind::Unlikely => "@unlikely",
            AttributeKind::NoUniqueAddress => "@no_unique_address",
            AttributeKind::Weak => "@weak",
            AttributeKind::Used => "@used",
            AttributeKind::ConstFunction => "@const",
            AttributeKind::TransparentUnion => "@transparent_union",
        };
        self.text(word);
    }

    fn attribute_with(&mut self, word: &str, arguments: &[Id<crate::syntax::ast::Expression>]) {
        self.text(word);
        self.text("(");
        self.commas(arguments, |printer, argument| printer.expression(*argument));
        self.text(")");
    }

    fn align(&mut self, argument: &AlignArgument) {
        self.text("alignas(");
        match argument {
            AlignArgument::Default => {}
            AlignArgument::Expression(expression) => self.expression(*expression),
            AlignArgument::Type(type_id) => self.type_id(*type_id),
            AlignArgument::ExpressionPack(expression) => {
                self.expression(*expression);
                self.text("...");
            }
            AlignArgument::TypePack(type_id) => {
                self.type_id(*type_id);
                self.text("...");
            }
        }
        self.text(")");
    }

    /// Storage, function specifiers and attributes, each with a space behind it.
    pub(super) fn specifier_words(&mut self, specifiers: &Specifiers) {
        for attribute in &specifiers.attributes {
            self.attribute(attribute);
            self.space();
        }
        let storage = match specifiers.storage {
            StorageClass::None => "",
            StorageClass::Static => "static ",
            StorageClass::Extern => "extern ",
            StorageClass::Mutable => "mutable ",
            StorageClass::Register => "register ",
        };
        self.text(storage);
        let flags = [
            (specifiers.thread_local, "thread_local "),
            (specifiers.is_typedef, "typedef "),
            (specifiers.is_friend, "friend "),
            (specifiers.is_inline, "inline "),
            (specifiers.is_virtual, "virtual "),
        ];
        for (present, word) in flags {
            if present {
                self.text(word);
            }
        }
        self.text(match specifiers.constexpr {
            ConstexprKind::None => "",
            ConstexprKind::Constexpr => "constexpr ",
            ConstexprKind::Consteval => "consteval ",
            ConstexprKind::Constinit => "constinit ",
        });
        match specifiers.explicit {
            ExplicitSpecifier::None => {}
            ExplicitSpecifier::Always => self.text("explicit "),
            ExplicitSpecifier::If(condition) => {
                self.text("explicit(");
                self.expression(condition);
                self.text(") ");
            }
        }
    }

    /// Everything: words, qualifiers and the type.
    pub(super) fn specifiers(&mut self, id: Id<Specifiers>) {
        let ast = self.ast;
        self.specifier_words(&ast[id]);
        self.base_type(id);
    }

    /// Qualifiers and the type.
    pub(super) fn base_type(&mut self, id: Id<Specifiers>) {
        let ast = self.ast;
        let specifiers = &ast[id];
        if specifiers.qualifiers != Qualifiers::NONE {
            self.qualifier_words(specifiers.qualifiers);
            self.space();
        }
        match &specifiers.type_specifier {
            TypeSpecifier::None => self.text("-"),
            TypeSpecifier::Builtin(builtin) => self.text(builtin.spelling()),
            TypeSpecifier::Name { name, typename } => {
                if *typename {
                    self.word("typename");
                }
                self.name(*name);
            }
            TypeSpecifier::ElaboratedClass { key, name, .. } => {
                self.class_key(*key);
                self.space();
                self.name(*name);
            }
            TypeSpecifier::ElaboratedEnum { name } => {
                self.word("enum");
                self.name(*name);
            }
            TypeSpecifier::Class(class) => self.class(*class),
            TypeSpecifier::Enum(node) => self.enumeration(*node),
            TypeSpecifier::Auto => {
                if let Some(constraint) = specifiers.constraint {
                    self.name(constraint);
                    self.space();
                }
                self.text("auto");
            }
            TypeSpecifier::DecltypeAuto => self.text("decltype(auto)"),
            TypeSpecifier::Decltype(expression) => self.around("decltype", |printer| printer.expression(*expression)),
            TypeSpecifier::TypeofExpression(expression) => {
                self.around("typeof", |printer| printer.expression(*expression))
            }
            TypeSpecifier::TypeofType(type_id) => self.around("typeof", |printer| printer.type_id(*type_id)),
            TypeSpecifier::Transform { transform, operand } => {
                self.around(transform.spelling(), |printer| printer.type_id(*operand));
            }
            TypeSpecifier::Complex(part) => {
                self.text("_Complex ");
                self.text(part.spelling());
            }
            TypeSpecifier::Error => self.text("<error>"),
        }
    }

    fn around(&mut self, word: &str, print: impl FnOnce(&mut Self)) {
        self.text(word);
        self.text("(");
        print(self);
        self.text(")");
    }
}
