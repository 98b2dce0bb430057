//! Variables ([dcl.init], [basic.stc]) and CUDA's memory spaces.

use super::attribute::attributes_of;
use crate::hir::{
    self, ClassId, LanguageLinkage, Linkage, MemorySpace, QualifiedType, StatementKind, StorageDuration, Type, Types,
    VariableId, VariableInitialiser,
};
use crate::sema::entity::{Instance, PendingVariable};
use crate::sema::lookup::Qualification;
use crate::sema::scope::{ScopeId, ScopeKind};
use crate::sema::{Entity, Evaluation, Sema};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast;

/// A variable declaration to be elaborated.
#[derive(Clone, Debug)]
pub(crate) struct VariableDeclaration<'a> {
    /// The specifiers.
    pub(crate) specifiers: ast::Id<ast::Specifiers>,
    /// The type that they name.
    pub(crate) base: QualifiedType,
    /// The declarator with its initialiser.
    pub(crate) declarator: &'a ast::InitDeclarator,
    /// The instance of a variable template that is being made.
    pub(crate) instance: Option<Instance>,
}

/// What surrounds a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Namespace,
    Class(ClassId),
    Block,
}

impl<'a> Sema<'a> {
    /// Elaborates the declaration of a variable: in a namespace or block, or of a static member.
    pub(crate) fn declare_variable(&mut self, declaration: VariableDeclaration<'a>) -> Option<VariableId> {
        let ast = self.ast;
        let written = &ast[declaration.declarator.declarator];
        let Some(name_id) = written.name else {
            self.error(written.span, "a declaration needs a name");
            return None;
        };
        let node = &ast[name_id];
        match self.resolve_declared(node)? {
            Qualification::None => {}
            Qualification::Scope(scope) => {
                return self.in_scope(scope, |sema| sema.define_member_variable(declaration, scope));
            }
            Qualification::Dependent => return None,
        }
        let name = match (&node.last, node.as_identifier()) {
            (_, Some(name)) => name,
            (ast::UnqualifiedName::Template { name, .. }, _) if declaration.instance.is_some() => *name,
            _ => {
                self.error(node.span, "this is no name of a variable");
                return None;
            }
        };
        self.new_variable(declaration, name, node.span)
    }
    /// The same for a specialisation of a variable template: no name is declared.
    pub(crate) fn declare_variable_instance(&mut self, declaration: VariableDeclaration<'a>) -> Option<VariableId> {
        let node = &self.ast[self.ast[declaration.declarator.declarator].name?];
        let (name, _) = self.name_parts(&node.last)?;
        self.new_variable(declaration, name, node.span)
    }
    fn place_of_variable(&self) -> Place {
        for scope in self.scopes.outwards(self.scope) {
            match self.scopes.kind(scope) {
                ScopeKind::Namespace { .. } => return Place::Namespace,
                ScopeKind::Class(class) => return Place::Class(class),
                ScopeKind::Block | ScopeKind::Function(_) => return Place::Block,
                ScopeKind::Enum(_) | ScopeKind::Template(_) | ScopeKind::PackExpansion => {}
            }
        }
        Place::Namespace
    }
    fn new_variable(&mut self, declaration: VariableDeclaration<'a>, name: Symbol, span: Span) -> Option<VariableId> {
        let ast = self.ast;
        let specifiers = &ast[declaration.specifiers];
        let written = &ast[declaration.declarator.declarator];
        let place = self.place_of_variable();
        let mut ty = self
            .declarator_type(declaration.base, declaration.declarator.declarator)
            .ty;
        if specifiers.constexpr == ast::ConstexprKind::Constexpr {
            ty = self.program.types.qualify(ty, hir::Qualifiers::CONST);
        }
        if ty.id == Types::VOID {
            let message = format!("the variable `{}` cannot be of type `void`", self.text(name));
            self.error(span, message);
            ty = Types::ERROR.unqualified();
        }
        let attributes = attributes_of(specifiers, written);
        let (memory, memory_span) = self.memory_space(attributes.clone());
        let mut variable = hir::Variable::new(
            Some(self.shared(name)),
            self.hir_scope(self.scope),
            ty,
            StorageDuration::Static,
            span,
        );
        let of_typedef = self.typedef_alignment(declaration.specifiers, declaration.declarator.declarator);
        variable.alignment = self.alignment(attributes.clone()).max(of_typedef);
        variable.label = written.asm_label.as_deref().map(hir::Name::from);
        variable.memory = memory;
        variable.is_constexpr = specifiers.constexpr == ast::ConstexprKind::Constexpr;
        let in_block = place == Place::Block && declaration.instance.is_none();
        let is_extern = specifiers.storage == ast::StorageClass::Extern || self.linkage_extern;
        if in_block
            && specifiers.storage != ast::StorageClass::Static
            && memory != MemorySpace::Shared
            && !is_extern
            && !specifiers.thread_local
        {
            variable.storage = StorageDuration::Automatic;
        }
        if self.options.device_by_default
            && memory == MemorySpace::Host
            && variable.storage == StorageDuration::Static
            && !specifiers.thread_local
            && !variable.is_constexpr
        {
            variable.memory = MemorySpace::Device;
        }
        variable.linkage =
            self.variable_linkage(specifiers, &variable, place, is_extern, declaration.instance.is_some());
        variable.language = match self.linkage_c && place == Place::Namespace {
            true => LanguageLinkage::C,
            false => LanguageLinkage::Cxx,
        };
        variable.is_extern = is_extern && declaration.declarator.initializer.is_none();
        if in_block && variable.storage == StorageDuration::Static && !is_extern {
            let count = self.function.static_locals.entry(name).or_default();
            variable.discriminator = *count;
            *count += 1;
        }
        if let Some(instance) = &declaration.instance {
            variable.template_arguments = Some(instance.arguments.to_vec());
        }
        let shape = VariableShape {
            name,
            span,
            place,
            memory_span,
            in_block,
            instance: declaration.instance.is_some(),
        };
        self.check_variable(&variable, declaration.declarator, specifiers, &shape);
        self.enter_variable(variable, declaration, shape)
    }
    fn variable_linkage(
        &self,
        specifiers: &ast::Specifiers,
        variable: &hir::Variable,
        place: Place,
        is_extern: bool,
        instance: bool,
    ) -> Linkage {
        let constant = self.program.types.qualifiers_of(variable.ty).is_const()
            && !self.program.types.qualifiers_of(variable.ty).is_volatile();
        match place {
            _ if instance => Linkage::OnceOnly,
            Place::Block if is_extern => Linkage::External,
            Place::Block => Linkage::Internal,
            _ if self.in_unnamed_namespace(self.scope) => Linkage::Internal,
            Place::Class(_) if specifiers.is_inline || variable.is_constexpr => Linkage::OnceOnly,
            Place::Class(_) => Linkage::External,
            Place::Namespace if specifiers.storage == ast::StorageClass::Static => Linkage::Internal,
            Place::Namespace if specifiers.is_inline => Linkage::OnceOnly,
            Place::Namespace if constant && !is_extern && variable.memory != MemorySpace::Managed => Linkage::Internal,
            Place::Namespace => Linkage::External,
        }
    }
    /// The rules for where a variable may be and what it may start with.
    fn check_variable(
        &mut self,
        variable: &hir::Variable,
        declarator: &'a ast::InitDeclarator,
        specifiers: &ast::Specifiers,
        shape: &VariableShape,
    ) {
        let has_initialiser = declarator.initializer.is_some();
        let is_extern = specifiers.storage == ast::StorageClass::Extern;
        if matches!(shape.place, Place::Class(_)) && !self.in_template_instance() {
            self.check_memory_of_member(variable.memory, shape.memory_span);
        }
        if specifiers.is_inline && shape.place == Place::Namespace && shape.memory_span != Span::NONE && !shape.instance
        {
            self.check_memory_of_inline(variable.memory, variable.linkage, shape.memory_span);
        }
        match variable.memory {
            MemorySpace::Shared if has_initialiser => {
                self.error(shape.span, "a `__shared__` variable cannot have an initialiser");
            }
            MemorySpace::Shared if shape.place == Place::Block && !is_extern => {
                if matches!(self.program.types.get(variable.ty.id), Type::Array(_, None)) {
                    let report = Report::error(shape.span, "a `__shared__` array without a size has to be `extern`");
                    self.emit(report.note("its size is then given when the kernel is launched"));
                }
            }
            MemorySpace::Constant | MemorySpace::Managed
                if shape.place == Place::Block
                    && (specifiers.storage != ast::StorageClass::Static || variable.memory == MemorySpace::Managed) =>
            {
                let word = if variable.memory == MemorySpace::Constant {
                    "__constant__"
                } else {
                    "__managed__"
                };
                self.error(
                    shape.memory_span,
                    format!("a `{word}` variable cannot be local to a function"),
                );
            }
            MemorySpace::Device
                if shape.place == Place::Block && specifiers.storage != ast::StorageClass::Static && !is_extern =>
            {
                self.error(shape.memory_span, "a local variable cannot be `__device__`");
            }
            _ => {}
        }
        if specifiers.thread_local
            && (self.function.space.device || self.function.space.global || variable.memory != MemorySpace::Host)
        {
            self.error(
                specifiers.span,
                "`thread_local` variables are not allowed in device code",
            );
        }
        if variable.is_constexpr
            && !has_initialiser
            && shape.place != Place::Block
            && !matches!(shape.place, Place::Class(_))
            && !self.is_class_type(variable.ty)
        {
            let message = format!(
                "the constexpr variable `{}` needs an initialiser",
                self.text(shape.name)
            );
            self.error(shape.span, message);
        }
    }
    fn is_class_type(&self, ty: QualifiedType) -> bool {
        self.program.types.as_class(ty.id).is_some()
    }
    /// Enters a variable: as a redeclaration, or new; then its initialiser.
    fn enter_variable(
        &mut self,
        variable: hir::Variable,
        declaration: VariableDeclaration<'a>,
        shape: VariableShape,
    ) -> Option<VariableId> {
        let deduced = self.contains_placeholder(variable.ty);
        if declaration.instance.is_none() {
            match self.redeclared_variable(&variable, &declaration, &shape) {
                Ok(None) => {}
                Ok(Some(known)) => return Some(known),
                Err(()) => return None,
            }
        }
        let is_member = match shape.place {
            Place::Class(class) if declaration.instance.is_none() => Some(class),
            _ => None,
        };
        let declared_type = variable.ty;
        let memory = variable.memory;
        let storage = variable.storage;
        let is_extern = variable.is_extern;
        let id = self.add_variable(variable, Some(shape.name));
        let written = &self.ast[declaration.declarator.declarator];
        self.variables[id.index()].maybe_unused = attributes_of(&self.ast[declaration.specifiers], written)
            .any(|attribute| matches!(attribute.kind, ast::AttributeKind::MaybeUnused));
        self.variables[id.index()].class = is_member;
        if !shape.in_block {
            self.variables[id.index()].function = None;
        }
        // A name is declared after its declarator, so that its initialiser sees it ([basic.scope.pdecl]/1); with a placeholder type it is of no use there.
        if declaration.instance.is_none() && !deduced {
            self.declare_member(shape.name, Entity::Variable(id), shape.span);
        }
        let initializer = declaration.declarator.initializer.as_ref();
        let pending = PendingVariable {
            specifiers: declaration.specifiers,
            declarator: declaration.declarator,
        };
        let of_instance = is_member.is_some_and(|class| self.classes[class.index()].instance.is_some());
        let postponed = of_instance && !deduced && initializer.is_some();
        if let Place::Class(_) = shape.place {
            self.variables[id.index()].defined = initializer.is_some();
        }
        if postponed {
            self.variables[id.index()].pending = Some((pending, self.scope));
        } else {
            self.initialise_variable(id, declared_type, pending);
        }
        if declaration.instance.is_none() && deduced {
            self.declare_member(shape.name, Entity::Variable(id), shape.span);
        }
        let _ = (memory, is_extern);
        if shape.in_block {
            self.add_declaration_statement(id, storage, initializer.is_some(), &shape);
        } else {
            self.note_root_variable(id);
        }
        if shape.place == Place::Namespace && !shape.instance {
            let attributes = attributes_of(&self.ast[declaration.specifiers], written);
            self.note_internal_variable(id, attributes, initializer, shape.name);
        }
        Some(id)
    }
    fn add_declaration_statement(
        &mut self,
        id: VariableId,
        storage: StorageDuration,
        has_initialiser: bool,
        shape: &VariableShape,
    ) {
        let statement = self.program.add_statement(StatementKind::Declare(id), shape.span);
        self.function.pending.push(statement);
        self.function.locals.push(id);
        self.function.live.push(id);
        let variable = self.program.variable(id);
        let plain = matches!(variable.initialiser, VariableInitialiser::None)
            && variable.destructor.is_none()
            && !has_initialiser;
        if storage == StorageDuration::Automatic && !plain {
            let number = self.function.initialised_spans.len() as u32;
            self.function.initialised.push(number);
            self.function.initialised_spans.push((shape.span, Some(shape.name)));
        }
    }
    /// Device variables of a namespace are in the module even if nothing uses them.
    pub(crate) fn note_root_variable(&mut self, id: VariableId) {
        let variable = self.program.variable(id);
        let defined = !variable.is_extern && self.variables[id.index()].defined;
        let device = matches!(
            variable.memory,
            MemorySpace::Device | MemorySpace::Constant | MemorySpace::Managed
        );
        // The host may read and write what it can name: static variables of this unit, too, and constants, if someone wrote that they are the device's.
        let constant = self.program.types.qualifiers_of(variable.ty).is_const() || variable.is_constexpr;
        let kept = match variable.linkage {
            Linkage::External | Linkage::Weak => true,
            Linkage::Internal => !constant || !self.options.device_by_default,
            Linkage::OnceOnly => !constant,
        };
        if defined
            && device
            && kept
            && self.variables[id.index()].pending.is_none()
            && !self.root_variables.contains(&id)
        {
            self.root_variables.push(id);
        }
    }
    /// Finds the variable declared again, and merges ([basic.link], [basic.def]).
    fn redeclared_variable(
        &mut self,
        variable: &hir::Variable,
        declaration: &VariableDeclaration<'a>,
        shape: &VariableShape,
    ) -> Result<Option<VariableId>, ()> {
        let existing = self.scopes.get(self.scope).get(shape.name).to_vec();
        for declared in existing {
            match declared.entity {
                Entity::Error => return Err(()),
                entity if entity.is_tag() => continue,
                Entity::Variable(known) if shape.place == Place::Namespace || variable.is_extern && shape.in_block => {
                    return self.merge_variable(known, variable, declaration, shape).map(Some);
                }
                _ => {
                    let message = format!("`{}` is declared already", self.text(shape.name));
                    self.emit(Report::error(shape.span, message).note_at(declared.span, "declared here"));
                    return Err(());
                }
            }
        }
        // The outermost block of a function has the parameters' scope around it.
        if shape.in_block
            && let Some(parent) = self.scopes.get(self.scope).parent
            && matches!(self.scopes.kind(parent), ScopeKind::Function(_))
            && self.function.body_block == Some(self.scope)
            && let Some(declared) = self.scopes.get(parent).get(shape.name).first().copied()
        {
            let message = format!("`{}` is a parameter already", self.text(shape.name));
            self.emit(Report::error(shape.span, message).note_at(declared.span, "declared here"));
            return Err(());
        }
        Ok(None)
    }
    fn merge_variable(
        &mut self,
        known: VariableId,
        variable: &hir::Variable,
        declaration: &VariableDeclaration<'a>,
        shape: &VariableShape,
    ) -> Result<VariableId, ()> {
        let earlier = self.program.variable(known).clone();
        if !self.same_variable_type(earlier.ty, variable.ty) {
            let message = format!(
                "`{}` is declared as `{}` here and as `{}` before",
                self.text(shape.name),
                self.show(variable.ty),
                self.show(earlier.ty)
            );
            self.emit(Report::error(shape.span, message).note_at(earlier.span, "declared here"));
            return Err(());
        }
        let defines = !variable.is_extern;
        if defines && !earlier.is_extern {
            let message = format!("`{}` is defined already", self.text(shape.name));
            self.emit(Report::error(shape.span, message).note_at(earlier.span, "defined here"));
            return Err(());
        }
        let merged = self.program.variable_mut(known);
        if merged.memory == MemorySpace::Host {
            merged.memory = variable.memory;
        }
        merged.alignment = merged.alignment.max(variable.alignment);
        if matches!(merged.ty, ty if ty != variable.ty) && defines {
            merged.ty = variable.ty;
        }
        if defines {
            merged.is_extern = false;
            let pending = PendingVariable {
                specifiers: declaration.specifiers,
                declarator: declaration.declarator,
            };
            self.initialise_variable(known, variable.ty, pending);
            self.note_root_variable(known);
        }
        Ok(known)
    }
    /// Whether two declarations have the same type; an array's bound may be missing from one.
    fn same_variable_type(&self, one: QualifiedType, other: QualifiedType) -> bool {
        if one == other || one.id == Types::ERROR || other.id == Types::ERROR {
            return true;
        }
        match (self.program.types.get(one.id), self.program.types.get(other.id)) {
            (Type::Array(one, first), Type::Array(other, second)) => {
                one == other && (first.is_none() || second.is_none())
            }
            _ => false,
        }
    }
    /// The definition of a static member outside of its class, or of a namespace's variable by its qualified name.
    fn define_member_variable(&mut self, declaration: VariableDeclaration<'a>, scope: ScopeId) -> Option<VariableId> {
        let ast = self.ast;
        let written = &ast[declaration.declarator.declarator];
        let node = &ast[written.name?];
        let ast::UnqualifiedName::Identifier(name) = node.last else {
            self.error(node.span, "this is no name of a variable");
            return None;
        };
        let known = self
            .scopes
            .get(scope)
            .get(name)
            .iter()
            .find_map(|declared| match declared.entity {
                Entity::Variable(variable) => Some(variable),
                _ => None,
            });
        let Some(known) = known else {
            let message = format!(
                "{} has no static member `{}`",
                self.scope_description(scope),
                self.text(name)
            );
            self.error(node.last_span, message);
            return None;
        };
        let ty = self
            .declarator_type(declaration.base, declaration.declarator.declarator)
            .ty;
        let ty = match self.ast[declaration.specifiers].constexpr {
            ast::ConstexprKind::Constexpr => self.program.types.qualify(ty, hir::Qualifiers::CONST),
            _ => ty,
        };
        let earlier = self.program.variable(known).clone();
        let deduced = self.contains_placeholder(ty);
        if !deduced && !self.same_variable_type(earlier.ty, ty) {
            let message = format!(
                "`{}` is declared as `{}`, not as `{}`",
                self.text(name),
                self.show(earlier.ty),
                self.show(ty)
            );
            self.emit(Report::error(node.last_span, message).note_at(earlier.span, "declared here"));
            return None;
        }
        let attributes = attributes_of(&ast[declaration.specifiers], written);
        let (memory, memory_span) = self.memory_space(attributes);
        if memory != MemorySpace::Host {
            if self.variables[known.index()].class.is_some() {
                self.check_memory_of_member(memory, memory_span);
            }
            self.program.variable_mut(known).memory = memory;
        }
        self.variables[known.index()].defined = true;
        self.program.variable_mut(known).is_extern = false;
        if !matches!(earlier.initialiser, VariableInitialiser::None) && declaration.declarator.initializer.is_none() {
            return Some(known);
        }
        let pending = PendingVariable {
            specifiers: declaration.specifiers,
            declarator: declaration.declarator,
        };
        let ty = if deduced { earlier.ty } else { ty };
        self.initialise_variable(known, ty, pending);
        self.note_root_variable(known);
        Some(known)
    }
    /// Elaborates an initialiser that waits: of a static member of a template's instance, or of a variable template's.
    pub fn require_variable(&mut self, id: VariableId) {
        if self.variables[id.index()].pending.is_none()
            && !self.variables[id.index()].defined
            && self.variables[id.index()].class.is_some()
        {
            let outside = self.outside_variable(id);
            if outside.is_some() {
                self.variables[id.index()].defined = true;
                self.program.variable_mut(id).is_extern = false;
            }
            self.variables[id.index()].pending = outside;
        }
        let Some((pending, scope)) = self.variables[id.index()].pending.take() else {
            return;
        };
        let saved = std::mem::take(&mut self.function);
        let ty = self.program.variable(id).ty;
        self.beyond_traps(|sema| sema.in_scope(scope, |sema| sema.initialise_variable(id, ty, pending)));
        self.function = saved;
        self.note_root_variable(id);
    }
    /// Elaborates the initialiser of a variable, with what it says about the type.
    pub(crate) fn initialise_variable(
        &mut self,
        id: VariableId,
        declared: QualifiedType,
        pending: PendingVariable<'a>,
    ) {
        let initializer = pending.declarator.initializer.as_ref();
        let name = self.variables[id.index()].name;
        let variable = self.program.variable(id);
        let (span, memory, storage, is_constexpr, is_extern) = (
            variable.span,
            variable.memory,
            variable.storage,
            variable.is_constexpr,
            variable.is_extern,
        );
        let what = format!("variable `{}`", name.map_or("", |name| self.text(name)));
        let mut ty = declared;
        if self.contains_placeholder(ty) {
            ty = match initializer {
                Some(initializer) => self
                    .auto_from_initialiser(ty, initializer, span)
                    .unwrap_or(Types::ERROR.unqualified()),
                None if self.placeholders.contains_key(&ty.id) => {
                    // A class template without arguments, default-initialised.
                    let template = self.placeholders.get(&ty.id).copied();
                    template
                        .and_then(|template| self.deduce_class_by_default(template, span))
                        .unwrap_or(Types::ERROR.unqualified())
                }
                None => {
                    let message = format!("the type of {what} cannot be deduced without an initialiser");
                    self.error(span, message);
                    Types::ERROR.unqualified()
                }
            };
            if let Some(constraint) = self.ast[pending.specifiers].constraint
                && ty.id != Types::ERROR
            {
                let value = self.program.types.strip_reference(ty).unqualified();
                self.require_constraint(constraint, value, span);
            }
            if is_constexpr {
                ty = self.program.types.qualify(ty, hir::Qualifiers::CONST);
            }
            self.program.variable_mut(id).ty = ty;
        }
        if ty.id == Types::ERROR {
            self.program.variable_mut(id).ty = ty;
            return;
        }
        let unknown_bound = matches!(self.program.types.get(ty.id), Type::Array(_, None));
        let complete = self.complete_type(self.element_of_arrays(ty).id);
        if !complete && !is_extern {
            let in_class_declaration = self.variables[id.index()].class.is_some() && initializer.is_none();
            if !in_class_declaration {
                self.report_incomplete(ty, span, &what);
                self.program.variable_mut(id).ty = Types::ERROR.unqualified();
            }
            return;
        }
        if let Some(class) = self.program.types.as_class(self.element_of_arrays(ty).id)
            && !is_extern
            && !self.check_not_abstract(class, span, &what)
        {
            return;
        }
        if is_extern || memory == MemorySpace::Shared {
            if memory == MemorySpace::Shared && !is_extern {
                self.check_shared_start(ty, span);
            }
            return;
        }
        let member_declaration = self.variables[id.index()].class.is_some() && !self.is_outside_definition(id);
        if member_declaration && initializer.is_none() {
            return;
        }
        let constant =
            self.program.types.qualifiers_of(ty).is_const() || is_constexpr || self.program.types.is_reference(ty.id);
        let is_static = storage == StorageDuration::Static;
        let of_host = memory == MemorySpace::Host && is_static && !constant && !unknown_bound;
        if of_host && self.function.function.is_none() && !self.options.check_all_bodies {
            let specifiers = pending.specifiers;
            self.host_initialiser(span, &what, |sema| {
                sema.elaborate_initialiser(id, ty, initializer, span, &what, specifiers)
            });
            return;
        }
        self.elaborate_initialiser(id, ty, initializer, span, &what, pending.specifiers);
    }
    fn is_outside_definition(&self, id: VariableId) -> bool {
        self.variables[id.index()].defined
    }
    fn elaborate_initialiser(
        &mut self,
        id: VariableId,
        ty: QualifiedType,
        initializer: Option<&'a ast::Initializer>,
        span: Span,
        what: &str,
        specifiers: ast::Id<ast::Specifiers>,
    ) {
        let variable = self.program.variable(id);
        let (memory, storage, is_constexpr) = (variable.memory, variable.storage, variable.is_constexpr);
        let is_static = storage == StorageDuration::Static;
        let value = match (is_static, self.function.function) {
            (true, None) => {
                let evaluation = Evaluation {
                    constant: is_constexpr,
                    ..self.function.evaluation
                };
                self.with_evaluation(evaluation, |sema| sema.initialise(ty, initializer, span, what))
            }
            _ => self.initialise(ty, initializer, span, what),
        };
        self.extend_temporaries(value, id);
        let value_type = self.program.type_of(value);
        if value_type.id == Types::ERROR {
            if is_constexpr || matches!(self.program.types.get(ty.id), Type::Array(_, None)) {
                self.program.variable_mut(id).ty = Types::ERROR.unqualified();
            }
            return;
        }
        if matches!(self.program.types.get(ty.id), Type::Array(_, None)) {
            let qualifiers = self.program.types.qualifiers_of(ty);
            let bounded = self.program.types.qualify(value_type, qualifiers);
            self.program.variable_mut(id).ty = bounded;
        }
        let ty = self.program.variable(id).ty;
        let trivial_nothing = matches!(self.program.expression(value).kind, hir::ExpressionKind::Uninitialised);
        self.set_destructor(id, ty, span);
        if !is_static {
            self.extend_temporaries(value, id);
        }
        if trivial_nothing {
            // A class without members has its one value.
            let empty = self
                .program
                .types
                .as_class(ty.id)
                .is_some_and(|class| self.program.class(class).layout.empty);
            if empty {
                let zero = self
                    .program
                    .add_value(hir::ExpressionKind::Zero, ty.unqualified(), span);
                if let Some(constant) = self.try_evaluate(zero) {
                    self.variables[id.index()].usable_in_constants = is_constexpr;
                    self.program.variable_mut(id).initialiser = VariableInitialiser::Constant(constant);
                }
            } else if is_constexpr {
                let message = format!("the constexpr {what} needs an initialiser");
                self.error(span, message);
            }
            return;
        }
        let is_const =
            self.program.types.qualifiers_of(ty).is_const() && !self.program.types.qualifiers_of(ty).is_volatile();
        let is_reference = self.program.types.is_reference(ty.id);
        let integral = self.program.types.is_integral(ty.id) || self.program.types.as_enum(ty.id).is_some();
        let wants_constant = is_constexpr || is_static || is_const && integral;
        let constant = match (is_constexpr, wants_constant) {
            (true, _) => self.evaluate(value, span),
            (false, true) => self.try_evaluate(value),
            (false, false) => None,
        };
        let device = matches!(
            memory,
            MemorySpace::Device | MemorySpace::Constant | MemorySpace::Managed
        ) || is_static && (self.function.space.device || self.function.space.global);
        match constant {
            Some(constant) => {
                self.variables[id.index()].usable_in_constants =
                    is_constexpr || is_const && integral || is_reference && is_static;
                self.program.variable_mut(id).initialiser = VariableInitialiser::Constant(constant);
            }
            None if is_static && device && initializer.is_none() && self.starts_empty(value) => {}
            None if is_static && device && !is_constexpr => {
                let message = format!(
                    "the initialiser of {what} is not constant: variables in device memory have no dynamic initialisation"
                );
                let report = Report::error(span, message);
                let report = self.with_reason(report, value);
                self.emit(report);
            }
            None if self.ast[specifiers].constexpr == ast::ConstexprKind::Constinit && is_static => {
                self.error(span, format!("the initialiser of the constinit {what} is not constant"));
            }
            None if is_constexpr => self.program.variable_mut(id).ty = Types::ERROR.unqualified(),
            None => self.program.variable_mut(id).initialiser = VariableInitialiser::Dynamic(value),
        }
    }
    fn set_destructor(&mut self, id: VariableId, ty: QualifiedType, span: Span) {
        if self.program.types.is_reference(ty.id) {
            return;
        }
        let destructor = self.destructor_of(ty, span);
        self.program.variable_mut(id).destructor = destructor;
    }
    /// The innermost element of arrays; any other type itself.
    pub fn element_of_arrays(&self, ty: QualifiedType) -> QualifiedType {
        let mut ty = ty;
        while let Type::Array(element, _) = *self.program.types.get(ty.id) {
            ty = element;
        }
        ty
    }
}

/// What is known of a declaration besides the variable.
#[derive(Clone, Copy, Debug)]
struct VariableShape {
    name: Symbol,
    span: Span,
    place: Place,
    memory_span: Span,
    in_block: bool,
    instance: bool,
}
