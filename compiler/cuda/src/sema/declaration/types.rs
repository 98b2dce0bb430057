//! Specifiers and declarators to types ([dcl.type], [dcl.meaning]).

use crate::hir::{
    self, FunctionType, QualifiedType, Qualifiers, RefQualifier, StorageDuration, Type, Types, VariableId,
};
use crate::sema::lookup::Wanted;
use crate::sema::scope::{ScopeId, ScopeKind};
use crate::sema::template::pack::Pattern;
use crate::sema::{Entity, Evaluation, Found, Sema, TemplateKind};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast::{self, BuiltinType, DeclaratorChunk, TypeSpecifier};

/// How many elements an array of variable length, which only code of the host may have (GNU), is taken to have.
const VARIABLE_BOUND: u64 = 4096;

/// Deepest nesting of types and declarators.
const TYPE_DEPTH: usize = 10_000;

/// A parameter as declared.
#[derive(Clone, Debug)]
pub(crate) struct ParameterParts {
    /// Its name.
    pub(crate) name: Option<Symbol>,
    /// The variable.
    pub(crate) variable: VariableId,
    /// The default argument.
    pub(crate) default: Option<ast::Id<ast::Expression>>,
    /// The scope in which the default argument is read.
    pub(crate) scope: ScopeId,
}

/// The function part of a declarator that declares a function.
#[derive(Clone, Debug)]
pub(crate) struct FunctionParts<'a> {
    /// The scope of the parameters, which is that of the body, too.
    pub(crate) scope: ScopeId,
    /// The parameters, packs expanded.
    pub(crate) parameters: Vec<ParameterParts>,
    /// The syntax.
    pub(crate) chunk: &'a ast::FunctionDeclarator,
}

/// A declarator's type.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredType<'a> {
    /// The type.
    pub(crate) ty: QualifiedType,
    /// If the declarator itself is of a function.
    pub(crate) function: Option<FunctionParts<'a>>,
}

impl<'a> Sema<'a> {
    /// The type that a type-id names; the error type after a message. May contain `auto`.
    pub fn type_of_type_id(&mut self, id: ast::Id<ast::TypeId>) -> QualifiedType {
        let ast = self.ast;
        let base = self.specifiers_type(ast[id].specifiers, false);
        let declared = self.declarator_type(base, ast[id].declarator);
        match declared.function.map(|parts| (parts.chunk.exception, parts.scope)) {
            // No function is declared that could wait.
            Some((ast::ExceptionSpecification::NoexceptIf(condition), scope)) => {
                let nothing = self.in_scope(scope, |sema| sema.constant_bool(condition));
                let Some(mut ty) = self.program.types.as_function(declared.ty.id).cloned() else {
                    return declared.ty;
                };
                ty.noexcept = nothing.unwrap_or(false);
                self.program.types.function(ty).unqualified()
            }
            _ => declared.ty,
        }
    }
    /// Qualifiers as the typed program has them.
    pub(crate) fn qualifiers(&mut self, qualifiers: ast::Qualifiers, span: Span) -> Qualifiers {
        if qualifiers.is_atomic {
            self.not_supported(span, "`_Atomic`");
        }
        let mut result = Qualifiers::NONE;
        for (there, one) in [
            (qualifiers.is_const, Qualifiers::CONST),
            (qualifiers.is_volatile, Qualifiers::VOLATILE),
            (qualifiers.is_restrict, Qualifiers::RESTRICT),
        ] {
            if there {
                result = result.with(one);
            }
        }
        result
    }
    /// The type that specifiers name. `alone`: there is no declarator, so that `struct X;` declares.
    pub(crate) fn specifiers_type(&mut self, id: ast::Id<ast::Specifiers>, alone: bool) -> QualifiedType {
        let ast = self.ast;
        let specifiers = &ast[id];
        let qualifiers = self.qualifiers(specifiers.qualifiers, specifiers.span);
        let ty = self.type_specifier(specifiers, alone);
        if qualifiers.is_restrict() && !self.may_be_restrict(ty) {
            // nvcc drops it in silence where the type is a name: `const __restrict__ uint8_t data[32]`, which was meant for the pointer.
            if !matches!(specifiers.type_specifier, TypeSpecifier::Name { .. }) {
                self.error(specifiers.span, "`__restrict__` only qualifies pointers and references");
            }
            return self.program.types.qualify(ty, qualifiers.without(Qualifiers::RESTRICT));
        }
        let ty = self.vector_attribute(ty, &specifiers.attributes);
        self.program.types.qualify(ty, qualifiers)
    }
    fn may_be_restrict(&self, ty: QualifiedType) -> bool {
        matches!(
            self.program.types.get(ty.id),
            Type::Pointer(_) | Type::LValueReference(_) | Type::RValueReference(_) | Type::Error
        )
    }
    /// `__attribute__((vector_size(n)))`.
    pub(crate) fn vector_attribute(&mut self, ty: QualifiedType, attributes: &'a [ast::Attribute]) -> QualifiedType {
        for attribute in attributes {
            if let ast::AttributeKind::VectorSize(bytes) = attribute.kind {
                let Some(bytes) = self.constant_size(bytes) else {
                    return Types::ERROR.unqualified();
                };
                let element = self.program.size_of(ty.id);
                if !self.program.types.is_arithmetic(ty.id) || element == 0 || bytes % element != 0 || bytes == 0 {
                    self.error(
                        attribute.span,
                        "a vector's size is a multiple of the size of its arithmetic elements",
                    );
                    return Types::ERROR.unqualified();
                }
                let vector = self.program.types.intern(Type::Vector(ty.id, (bytes / element) as u32));
                return vector.unqualified().with(ty.qualifiers);
            }
        }
        ty
    }
    fn type_specifier(&mut self, specifiers: &'a ast::Specifiers, alone: bool) -> QualifiedType {
        let span = specifiers.type_span;
        match &specifiers.type_specifier {
            TypeSpecifier::None => Types::VOID.unqualified(),
            TypeSpecifier::Builtin(builtin) => self.builtin_type(*builtin),
            TypeSpecifier::Name { name, .. } => self.type_of_name(*name),
            TypeSpecifier::ElaboratedClass { key, name, attributes } => {
                self.elaborated_class(*key, *name, attributes, alone, specifiers.is_friend)
            }
            TypeSpecifier::ElaboratedEnum { name } => self.elaborated_enum(*name),
            TypeSpecifier::Class(class) => match self.define_class(*class, specifiers) {
                Some(class) => self.class_type(class).unqualified(),
                None => Types::ERROR.unqualified(),
            },
            TypeSpecifier::Enum(enumeration) => self.define_enum(*enumeration),
            TypeSpecifier::Auto => Types::AUTO.unqualified(),
            TypeSpecifier::DecltypeAuto => Types::DECLTYPE_AUTO.unqualified(),
            TypeSpecifier::Decltype(expression) => self.decltype(*expression),
            TypeSpecifier::TypeofExpression(expression) => {
                let ty = self.decltype_plain(*expression);
                self.program.types.strip_reference(ty)
            }
            TypeSpecifier::TypeofType(type_id) => self.type_of_type_id(*type_id),
            TypeSpecifier::Transform { transform, operand } => {
                let operand = self.type_of_type_id(*operand);
                self.transform_type(*transform, operand, span)
            }
            TypeSpecifier::Complex(part) => self.complex_type(*part, span),
            TypeSpecifier::Error => Types::ERROR.unqualified(),
        }
    }
    /// The type of `decltype(expression)`.
    pub(crate) fn decltype(&mut self, expression: ast::Id<ast::Expression>) -> QualifiedType {
        let evaluation = Evaluation {
            unevaluated: true,
            ..self.function.evaluation
        };
        self.with_evaluation(evaluation, |sema| sema.type_of_expression_for_decltype(expression))
    }
    fn decltype_plain(&mut self, expression: ast::Id<ast::Expression>) -> QualifiedType {
        let evaluation = Evaluation {
            unevaluated: true,
            ..self.function.evaluation
        };
        let id = self.with_evaluation(evaluation, |sema| sema.expression(expression));
        self.program.type_of(id)
    }
    #[rustfmt::skip]
    pub(super) fn builtin_type(&mut self, builtin: BuiltinType) -> QualifiedType {
        match builtin {
            BuiltinType::Void => Types::VOID, BuiltinType::Bool => Types::BOOL,
            BuiltinType::Char => Types::CHAR, BuiltinType::SignedChar => Types::SIGNED_CHAR, BuiltinType::UnsignedChar => Types::UNSIGNED_CHAR,
            BuiltinType::WideChar => Types::WIDE_CHAR, BuiltinType::Char8 => Types::CHAR8, BuiltinType::Char16 => Types::CHAR16, BuiltinType::Char32 => Types::CHAR32,
            BuiltinType::Short => Types::SHORT, BuiltinType::UnsignedShort => Types::UNSIGNED_SHORT,
            BuiltinType::Int => Types::INT, BuiltinType::UnsignedInt => Types::UNSIGNED_INT,
            BuiltinType::Long => Types::LONG, BuiltinType::UnsignedLong => Types::UNSIGNED_LONG,
            BuiltinType::LongLong => Types::LONG_LONG, BuiltinType::UnsignedLongLong => Types::UNSIGNED_LONG_LONG,
            BuiltinType::Int128 => Types::INT128, BuiltinType::UnsignedInt128 => Types::UNSIGNED_INT128,
            BuiltinType::Float16 => Types::HALF, BuiltinType::BFloat16 => Types::BFLOAT16,
            BuiltinType::Float => Types::FLOAT, BuiltinType::Double => Types::DOUBLE, BuiltinType::LongDouble => Types::LONG_DOUBLE,
            BuiltinType::VaList => self.program.types.pointer(Types::CHAR),
            BuiltinType::Float128 => Types::FLOAT128,
        }.unqualified()
    }
    /// The type that a name denotes, with a message if it denotes none.
    pub(crate) fn type_of_name(&mut self, name: ast::Id<ast::QualifiedName>) -> QualifiedType {
        let ast = self.ast;
        let lookup = self.lookup_wanted(name, Wanted::Type);
        if !self.check_access(&lookup, ast[name].span) {
            return Types::ERROR.unqualified();
        }
        match lookup.found {
            Found::Type(ty) => ty,
            Found::Template(template) if self.template(template).kind == TemplateKind::Class => {
                self.placeholder_of(template).unqualified()
            }
            Found::Template(template) => {
                let message = format!(
                    "`{}` is a template: it takes arguments",
                    self.text(self.template(template).name)
                );
                let declared = self.template(template).span;
                self.emit(Report::error(ast[name].span, message).note_at(declared, "declared here"));
                Types::ERROR.unqualified()
            }
            Found::Nothing => {
                self.report_no_type(name);
                Types::ERROR.unqualified()
            }
            Found::Error => Types::ERROR.unqualified(),
            Found::Parameter => {
                self.error(
                    ast[name].span,
                    "this type depends on a template parameter that is not known here",
                );
                Types::ERROR.unqualified()
            }
            Found::Pack(_) => {
                self.error(ast[name].span, "this parameter pack is not expanded: `...` is missing");
                Types::ERROR.unqualified()
            }
            Found::Namespace(_)
            | Found::Functions(_)
            | Found::Variable(_)
            | Found::Field(..)
            | Found::Enumerator(..)
            | Found::Value(_)
            | Found::Alias(_) => {
                self.report_no_type(name);
                Types::ERROR.unqualified()
            }
        }
    }
    fn report_no_type(&mut self, name: ast::Id<ast::QualifiedName>) {
        let ast = self.ast;
        let other = self.trying(|sema| sema.lookup(name));
        match other {
            Ok(lookup) if !matches!(lookup.found, Found::Nothing | Found::Error) => {
                let text = self.name_text(name);
                let report = Report::error(ast[name].span, format!("`{text}` is no type"));
                self.emit(report.note_at(lookup.declared, "declared here"));
            }
            Ok(_) | Err(_) => self.report_undeclared(name, "type"),
        }
    }
    /// The last part of a name for messages.
    pub(crate) fn name_text(&mut self, name: ast::Id<ast::QualifiedName>) -> String {
        let ast = self.ast;
        match self.name_parts(&ast[name].last) {
            Some((symbol, _)) => self.text(symbol).to_string(),
            None => "destructor".to_string(),
        }
    }
    /// `enum E`.
    fn elaborated_enum(&mut self, name: ast::Id<ast::QualifiedName>) -> QualifiedType {
        let lookup = self.lookup_wanted(name, Wanted::Type);
        match lookup.found {
            Found::Type(ty) if self.program.types.as_enum(ty.id).is_some() => ty,
            Found::Error => Types::ERROR.unqualified(),
            Found::Nothing => {
                self.report_undeclared(name, "enumeration");
                Types::ERROR.unqualified()
            }
            _ => {
                let text = self.name_text(name);
                let span = self.ast[name].span;
                self.emit(
                    Report::error(span, format!("`{text}` is no enumeration"))
                        .note_at(lookup.declared, "declared here"),
                );
                Types::ERROR.unqualified()
            }
        }
    }
    /// A constant expression as a number of elements or bytes.
    pub(crate) fn constant_size(&mut self, expression: ast::Id<ast::Expression>) -> Option<u64> {
        let evaluation = Evaluation {
            constant: true,
            ..self.function.evaluation
        };
        let value = self.with_evaluation(evaluation, |sema| {
            sema.constant_expression(expression, Types::UNSIGNED_LONG.unqualified())
        })?;
        value.as_integer().and_then(|value| u64::try_from(value).ok())
    }
    /// The number of an array's elements; `None` after a message.
    fn array_bound(&mut self, size: ast::Id<ast::Expression>) -> Option<u64> {
        let reports = match self.trying(|sema| sema.constant_size(size)) {
            Ok(count) => return count,
            Err(reports) => reports,
        };
        let signed = self.trying(|sema| sema.constant_expression(size, Types::LONG.unqualified()));
        match signed.ok().flatten().and_then(|value| value.as_integer()) {
            Some(value) if value < 0 => {
                let span = self.ast[size].span;
                self.error(span, format!("an array cannot have {value} elements"));
            }
            _ if self.is_host_body() && self.trying(|sema| sema.expression(size)).is_ok() => {
                return Some(VARIABLE_BOUND);
            }
            _ => reports.into_iter().for_each(|report| self.emit(report)),
        }
        None
    }
    /// Whether the body of a function that runs on the host alone is being read.
    fn is_host_body(&self) -> bool {
        self.function
            .function
            .is_some_and(|function| self.is_host_only(function))
    }
    /// A constant expression as an `int`.
    pub(crate) fn constant_int(&mut self, expression: ast::Id<ast::Expression>) -> Option<i128> {
        let value = self.constant_expression(expression, Types::INT.unqualified())?;
        value.as_integer()
    }
    /// The type that a declarator makes of its base type.
    pub(crate) fn declarator_type(&mut self, base: QualifiedType, id: ast::Id<ast::Declarator>) -> DeclaredType<'a> {
        self.declarator_type_but(base, id, 0)
    }
    /// The same without so many of the chunks nearest to the name: the element type of `new T[n]`, where `n` need not be constant.
    pub(crate) fn declarator_type_but(
        &mut self,
        base: QualifiedType,
        id: ast::Id<ast::Declarator>,
        skipped: usize,
    ) -> DeclaredType<'a> {
        let ast = self.ast;
        let declarator = &ast[id];
        let mut current = DeclaredType {
            ty: base,
            function: None,
        };
        if self.type_depth > TYPE_DEPTH {
            self.error(declarator.span, "types are nested too deeply");
            current.ty = Types::ERROR.unqualified();
            return current;
        }
        self.type_depth += 1;
        for (index, chunk) in declarator.chunks.iter().enumerate().skip(skipped).rev() {
            current = self.apply_chunk(current.ty, chunk, declarator, index == 0);
        }
        self.type_depth -= 1;
        current.ty = self.vector_attribute(current.ty, &declarator.attributes);
        current
    }
    fn apply_chunk(
        &mut self,
        to: QualifiedType,
        chunk: &'a DeclaratorChunk,
        declarator: &'a ast::Declarator,
        first: bool,
    ) -> DeclaredType<'a> {
        let span = declarator.span;
        let plain = |ty: QualifiedType| DeclaredType { ty, function: None };
        if to.id == Types::ERROR && !matches!(chunk, DeclaratorChunk::Function(_)) {
            return plain(to);
        }
        match chunk {
            DeclaratorChunk::Pointer { qualifiers } => {
                let qualifiers = self.qualifiers(*qualifiers, span);
                if self.program.types.is_reference(to.id) {
                    let message = format!("there are no pointers to references: `{}`", self.show(to));
                    self.error(span, message);
                    return plain(Types::ERROR.unqualified());
                }
                plain(self.program.types.pointer(to).unqualified().with(qualifiers))
            }
            DeclaratorChunk::LvalueReference { is_restrict } | DeclaratorChunk::RvalueReference { is_restrict } => {
                if to.id == Types::VOID {
                    self.error(span, "there are no references to `void`");
                    return plain(Types::ERROR.unqualified());
                }
                let ty = match chunk {
                    DeclaratorChunk::LvalueReference { .. } => self.program.types.lvalue_reference(to),
                    _ => self.program.types.rvalue_reference(to),
                };
                let restrict = if *is_restrict {
                    Qualifiers::RESTRICT
                } else {
                    Qualifiers::NONE
                };
                plain(ty.unqualified().with(restrict))
            }
            DeclaratorChunk::MemberPointer {
                global,
                class,
                qualifiers,
            } => {
                let qualifiers = self.qualifiers(*qualifiers, span);
                plain(self.member_pointer_type(to, *global, class, qualifiers, span))
            }
            DeclaratorChunk::Array { size, span } => plain(self.array_type(to, *size, *span)),
            DeclaratorChunk::Function(function) => self.function_type(to, function, declarator, first),
        }
    }
    /// The class of a pointer to member may be incomplete.
    fn resolve_class_of_member_pointer(
        &mut self,
        global: bool,
        class: &'a [ast::Qualifier],
    ) -> Option<crate::sema::lookup::Qualification> {
        let saved = std::mem::replace(&mut self.incomplete_qualifiers, true);
        let found = self.resolve_qualifiers(global, class);
        self.incomplete_qualifiers = saved;
        found
    }
    fn member_pointer_type(
        &mut self,
        to: QualifiedType,
        global: bool,
        class: &'a [ast::Qualifier],
        qualifiers: Qualifiers,
        span: Span,
    ) -> QualifiedType {
        use crate::sema::lookup::Qualification;
        let target = match self.resolve_class_of_member_pointer(global, class) {
            Some(Qualification::Scope(scope)) => match self.scopes.kind(scope) {
                ScopeKind::Class(class) => Some(class),
                _ => None,
            },
            Some(Qualification::None | Qualification::Dependent) => None,
            None => return Types::ERROR.unqualified(),
        };
        match target {
            Some(class) if !self.program.types.is_reference(to.id) && to.id != Types::VOID => self
                .program
                .types
                .member_pointer(class, to)
                .unqualified()
                .with(qualifiers),
            _ => {
                self.error(
                    span,
                    "a pointer to member is of a class, and points to no reference or `void`",
                );
                Types::ERROR.unqualified()
            }
        }
    }
    fn array_type(
        &mut self,
        element: QualifiedType,
        size: Option<ast::Id<ast::Expression>>,
        span: Span,
    ) -> QualifiedType {
        let wrong = match self.program.types.get(element.id) {
            Type::Error => return Types::ERROR.unqualified(),
            Type::Void => Some("`void`"),
            Type::LValueReference(_) | Type::RValueReference(_) => Some("references"),
            Type::Function(_) => Some("functions"),
            Type::Array(_, None) => Some("arrays of unknown size"),
            Type::Auto | Type::DecltypeAuto if self.traps > 0 => Some("`auto`"),
            _ => None,
        };
        if let Some(what) = wrong {
            self.error(span, format!("there are no arrays of {what}"));
            return Types::ERROR.unqualified();
        }
        // Of an incomplete class there may be types of arrays, but no objects ([basic.types]/5).
        self.complete_type(element.id);
        let count = match size {
            None => None,
            Some(size) => {
                let Some(count) = self.array_bound(size) else {
                    return Types::ERROR.unqualified();
                };
                if count == 0 && self.traps > 0 {
                    self.error(span, "an array has at least one element");
                    return Types::ERROR.unqualified();
                }
                let bytes = self.program.size_of(element.id);
                if count.checked_mul(bytes.max(1)).is_none_or(|total| total > 1 << 47) {
                    self.error(span, "this array is too large");
                    return Types::ERROR.unqualified();
                }
                Some(count)
            }
        };
        self.program.types.array(element, count).unqualified()
    }
    /// The type of a function, and its parameters as declared.
    fn function_type(
        &mut self,
        result: QualifiedType,
        chunk: &'a ast::FunctionDeclarator,
        declarator: &'a ast::Declarator,
        first: bool,
    ) -> DeclaredType<'a> {
        let scope = self.scopes.add(ScopeKind::Function(None), Some(self.scope));
        let saved = std::mem::replace(&mut self.scope, scope);
        let parameters = self.declare_parameters(chunk);
        let qualifiers = self.qualifiers(chunk.qualifiers, chunk.span);
        let result = match chunk.trailing_return {
            None => result,
            Some(trailing) => {
                let saved_this = self.function.this;
                if first && let Some(class) = self.declarator_class {
                    self.function.this = Some(self.class_type(class).unqualified().with(qualifiers));
                }
                let ty = self.type_of_type_id(trailing);
                self.function.this = saved_this;
                ty
            }
        };
        // The declared function itself waits until its class is complete.
        let condition = match chunk.exception {
            ast::ExceptionSpecification::NoexceptIf(condition) if !first => self.constant_bool(condition),
            _ => None,
        };
        self.scope = saved;
        let result = match self.program.types.get(result.id) {
            Type::Array(..) | Type::Function(_) => {
                let message = format!("a function cannot return `{}`", self.show(result));
                self.error(declarator.span, message);
                Types::ERROR.unqualified()
            }
            _ => result,
        };
        let adjusted = parameters
            .iter()
            // Qualifiers of a parameter itself, also `__restrict__` of a reference, are not the function's.
            .map(|parameter| self.program.variable(parameter.variable).ty.unqualified())
            .collect();
        let mut function = FunctionType::new(result, adjusted);
        function.variadic = chunk.is_variadic;
        function.qualifiers = qualifiers;
        function.reference = match chunk.reference {
            ast::ReferenceQualifier::None => RefQualifier::None,
            ast::ReferenceQualifier::Lvalue => RefQualifier::LValue,
            ast::ReferenceQualifier::Rvalue => RefQualifier::RValue,
        };
        function.noexcept =
            matches!(chunk.exception, ast::ExceptionSpecification::Noexcept) || condition.unwrap_or(false);
        let ty = self.program.types.function(function).unqualified();
        let parts = FunctionParts {
            scope,
            parameters,
            chunk,
        };
        DeclaredType {
            ty,
            function: first.then_some(parts),
        }
    }
    /// Declares the parameters in the current scope.
    pub(crate) fn declare_parameters(&mut self, chunk: &'a ast::FunctionDeclarator) -> Vec<ParameterParts> {
        self.declare_parameter_list(&chunk.parameters)
    }
    /// The same for a list of them.
    pub(crate) fn declare_parameter_list(&mut self, parameters: &'a [ast::Id<ast::Parameter>]) -> Vec<ParameterParts> {
        let ast = self.ast;
        let mut all = Vec::new();
        for &id in parameters {
            let parameter = &ast[id];
            let declarator = &ast[parameter.declarator];
            let name = declarator.name.and_then(|name| ast[name].as_identifier());
            let invented = self.invented_parameter(id);
            if declarator.pack {
                let pattern = match &invented {
                    Some(symbol) => Pattern::Names(std::slice::from_ref(symbol)),
                    None => Pattern::Parameter(id),
                };
                let expanded = self.expand_parameter(pattern, id, name);
                let variables = expanded
                    .iter()
                    .map(|part: &ParameterParts| Entity::Variable(part.variable))
                    .collect();
                all.extend(expanded);
                if let Some(name) = name {
                    let pack = self.add_pack(variables);
                    self.declare(name, Entity::Pack(pack), parameter.span);
                }
                continue;
            }
            let part = self.parameter_part(id, name);
            if let Some(name) = name {
                self.declare_parameter_name(name, part.variable, declarator.span);
            }
            all.push(part);
        }
        all
    }
    fn expand_parameter(
        &mut self,
        pattern: Pattern<'_>,
        id: ast::Id<ast::Parameter>,
        name: Option<Symbol>,
    ) -> Vec<ParameterParts> {
        let span = self.ast[id].span;
        let pattern = match pattern {
            Pattern::Names(&[symbol]) => {
                // The pack of types that stands for `auto...`: its elements are bound one after another.
                let Some(Entity::Pack(pack)) = self
                    .search_outwards(symbol, Wanted::Anything)
                    .list
                    .first()
                    .map(|declared| declared.entity)
                else {
                    return Vec::new();
                };
                let mut parts = Vec::new();
                for entity in self.pack(pack).to_vec() {
                    let scope = self.scopes.add(ScopeKind::PackExpansion, Some(self.scope));
                    parts.push(self.in_scope(scope, |sema| {
                        sema.declare(symbol, entity, span);
                        sema.parameter_part(id, name)
                    }));
                }
                return parts;
            }
            _ => Pattern::Parameter(id),
        };
        self.expand(pattern, span, |sema| sema.parameter_part(id, name))
            .unwrap_or_default()
    }
    fn declare_parameter_name(&mut self, name: Symbol, variable: VariableId, span: Span) {
        let declared = self
            .scopes
            .get(self.scope)
            .get(name)
            .first()
            .map(|declared| declared.span);
        if let Some(before) = declared {
            let message = format!("there is a parameter `{}` already", self.text(name));
            self.emit(Report::error(span, message).note_at(before, "declared here"));
            return;
        }
        self.declare(name, Entity::Variable(variable), span);
    }
    fn parameter_part(&mut self, id: ast::Id<ast::Parameter>, name: Option<Symbol>) -> ParameterParts {
        let ast = self.ast;
        let parameter = &ast[id];
        let specifiers = &ast[parameter.specifiers];
        let mut base = self.specifiers_type(parameter.specifiers, false);
        if matches!(specifiers.type_specifier, TypeSpecifier::Auto)
            && let Some(symbol) = self.invented_parameter(id)
            && let Some(Entity::Typedef(bound)) = self
                .search_outwards(symbol, Wanted::Anything)
                .list
                .first()
                .map(|declared| declared.entity)
        {
            base = self.program.types.qualify(bound, base.qualifiers);
        }
        let declared = self.declarator_type(base, parameter.declarator).ty;
        let ty = self.adjust_parameter(declared, parameter.span);
        let shared = name.map(|name| self.shared(name));
        let scope = self.hir_scope(self.scope);
        let mut variable = hir::Variable::new(shared, scope, ty, StorageDuration::Parameter, parameter.span);
        variable.grid_constant = specifiers
            .attributes
            .iter()
            .any(|attribute| matches!(attribute.kind, ast::AttributeKind::GridConstant));
        let variable = self.add_variable(variable, name);
        ParameterParts {
            name,
            variable,
            default: parameter.default,
            scope: self.scope,
        }
    }
    /// Arrays and functions become pointers ([dcl.fct]/5).
    pub(crate) fn adjust_parameter(&mut self, ty: QualifiedType, span: Span) -> QualifiedType {
        match *self.program.types.get(ty.id) {
            Type::Array(element, _) => self.program.types.pointer(element).unqualified(),
            Type::Function(_) => self.program.types.pointer(ty).unqualified(),
            Type::Void => {
                self.error(span, "a parameter cannot be `void`");
                Types::ERROR.unqualified()
            }
            _ => ty,
        }
    }
    /// The name under which the type of a parameter declared with `auto` is bound, if it is: `auto` parameters make a template ([dcl.fct]/18 of C++20, lambdas).
    pub(crate) fn invented_parameter(&mut self, id: ast::Id<ast::Parameter>) -> Option<Symbol> {
        let ast = self.ast;
        matches!(ast[ast[id].specifiers].type_specifier, TypeSpecifier::Auto)
            .then(|| self.context.interner.intern(&format!("auto parameter {}", id.index())))
    }
    /// `__remove_cv(T)` and the like.
    fn transform_type(&mut self, transform: ast::TypeTransform, of: QualifiedType, span: Span) -> QualifiedType {
        use ast::TypeTransform as T;
        let cv = Qualifiers::CONST.with(Qualifiers::VOLATILE);
        let unqualify = |sema: &mut Self, ty: QualifiedType, less: Qualifiers| sema.without_qualifiers(ty, less);
        if of.id == Types::ERROR {
            return of;
        }
        match transform {
            T::UnderlyingType => match *self.program.types.get(of.id) {
                Type::Enum(enumeration) => self.program.enumeration(enumeration).underlying.unqualified(),
                _ => {
                    let message = format!("`{}` is no enumeration", self.show(of));
                    self.error(span, message);
                    Types::ERROR.unqualified()
                }
            },
            T::AddLvalueReference | T::AddRvalueReference => match self.program.types.get(of.id) {
                Type::Void => of,
                Type::Function(function)
                    if !function.qualifiers.is_empty() || function.reference != RefQualifier::None =>
                {
                    of
                }
                _ if transform == T::AddLvalueReference => self.program.types.lvalue_reference(of).unqualified(),
                _ => self.program.types.rvalue_reference(of).unqualified(),
            },
            T::AddPointer => {
                let to = self.program.types.strip_reference(of);
                self.program.types.pointer(to).unqualified()
            }
            T::Decay => {
                let of = self.program.types.strip_reference(of);
                match *self.program.types.get(of.id) {
                    Type::Array(element, _) => self.program.types.pointer(element).unqualified(),
                    Type::Function(_) => self.program.types.pointer(of).unqualified(),
                    _ => unqualify(self, of, cv),
                }
            }
            T::MakeSigned | T::MakeUnsigned => {
                let base = match *self.program.types.get(of.id) {
                    Type::Enum(enumeration) => self.program.enumeration(enumeration).underlying,
                    _ => of.id,
                };
                match *self.program.types.get(base) {
                    Type::Integer(kind) => {
                        let kind = match transform {
                            T::MakeSigned => kind.to_signed(),
                            _ => kind.to_unsigned(),
                        };
                        self.program.types.integer(kind).unqualified().with(of.qualifiers)
                    }
                    _ => {
                        let message = format!("`{}` is no integer type", self.show(of));
                        self.error(span, message);
                        Types::ERROR.unqualified()
                    }
                }
            }
            T::RemoveAllExtents => {
                let mut of = of;
                while let Type::Array(element, _) = *self.program.types.get(of.id) {
                    of = element;
                }
                of
            }
            T::RemoveExtent => self.program.types.element(of.id).unwrap_or(of),
            T::RemoveConst => unqualify(self, of, Qualifiers::CONST),
            T::RemoveVolatile => unqualify(self, of, Qualifiers::VOLATILE),
            T::RemoveRestrict => unqualify(self, of, Qualifiers::RESTRICT),
            T::RemoveCv => unqualify(self, of, cv),
            T::RemoveCvref => {
                let of = self.program.types.strip_reference(of);
                unqualify(self, of, cv)
            }
            T::RemovePointer => self.program.types.pointee(of.id).unwrap_or(of),
            T::RemoveReference | T::RemoveReferenceT => self.program.types.strip_reference(of),
            T::DirectBases | T::Bases => {
                self.not_supported(span, "a list of bases as a type");
                Types::ERROR.unqualified()
            }
        }
    }
    /// A type with fewer qualifiers: of an array, its elements'.
    pub(crate) fn without_qualifiers(&mut self, ty: QualifiedType, less: Qualifiers) -> QualifiedType {
        match *self.program.types.get(ty.id) {
            Type::Array(element, count) => {
                let element = self.without_qualifiers(element, less);
                self.program.types.array(element, count).unqualified()
            }
            _ => QualifiedType {
                id: ty.id,
                qualifiers: ty.qualifiers.without(less),
            },
        }
    }
    /// Whether a type contains `auto` or `decltype(auto)`.
    pub fn contains_placeholder(&self, ty: QualifiedType) -> bool {
        match *self.program.types.get(ty.id) {
            Type::Auto | Type::DecltypeAuto => true,
            Type::Pointer(to) | Type::LValueReference(to) | Type::RValueReference(to) | Type::Array(to, _) => {
                self.contains_placeholder(to)
            }
            Type::Function(ref function) => self.contains_placeholder(function.result),
            Type::MemberPointer { pointee, .. } => self.contains_placeholder(pointee),
            _ => self.placeholders.contains_key(&ty.id),
        }
    }
}
