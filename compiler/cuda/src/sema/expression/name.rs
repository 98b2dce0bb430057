//! Names ([expr.prim.id]): variables, members through `this`, functions, enumerators, values of template parameters.

use std::rc::Rc;

use crate::hir::{
    self, CastKind, ClassId, Constant, ExpressionId, ExpressionKind, FieldIndex, MemorySpace, QualifiedType,
    StorageDuration, VariableId,
};
use crate::sema::Sema;
use crate::sema::builtins;
use crate::sema::entity::{Callable, Found, Lookup};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast;

use super::{Operand, Overloads};

impl<'a> Sema<'a> {
    /// A name where a value is wanted.
    pub(super) fn name_operand(&mut self, id: ast::Id<ast::QualifiedName>) -> Operand<'a> {
        let lookup = self.lookup(id);
        self.found_operand(id, lookup)
    }

    /// What look-up found, as an operand.
    pub(super) fn found_operand(&mut self, id: ast::Id<ast::QualifiedName>, lookup: Lookup<'a>) -> Operand<'a> {
        let ast = self.ast;
        let node = &ast[id];
        let span = node.span;
        if lookup.member_of.is_some()
            && !matches!(lookup.found, Found::Functions(_))
            && !self.check_access(&lookup, span)
        {
            return Operand::Expression(self.poison(span));
        }
        let expression = match &lookup.found {
            Found::Functions(candidates) => {
                let candidates = candidates.clone();
                let name = self.symbol_of(id);
                return self.functions_operand(name, candidates, &lookup, span);
            }
            Found::Nothing => match builtins::enumerator(self.context.text(self.symbol_text(id))) {
                Some(value) => self.integer(value, crate::hir::Types::INT, span),
                None => self.undeclared(id),
            },
            Found::Error | Found::Parameter => self.poison(span),
            Found::Namespace(_) => self.wrong_kind(id, "a namespace"),
            Found::Type(_) => self.wrong_kind(id, "a type"),
            Found::Template(_) => self.wrong_kind(id, "a template without arguments"),
            &Found::Variable(variable) => self.variable_expression(variable, span),
            Found::Field(class, path) => {
                let (class, path) = (*class, path.clone());
                self.implicit_member(class, &path, &lookup, span)
            }
            &Found::Enumerator(enumeration, place) => self.enumerator(enumeration, place, span),
            &Found::Value(value) => {
                let bound = self.bound_value(value).clone();
                match self.program.types.as_class(bound.ty.id) {
                    Some(_) => {
                        let object = self.template_object(bound.ty, bound.value);
                        self.variable_expression(object, span)
                    }
                    None => self.constant(bound.value, bound.ty, span),
                }
            }
            Found::Pack(_) => self.fail(
                span,
                format!(
                    "the pack `{}` must be expanded with `...`",
                    self.context.text(self.symbol_text(id))
                ),
            ),
            &Found::Alias(expression) => self.alias(expression, span),
        };
        Operand::Expression(expression)
    }

    /// Functions that a name stands for; of members through `this`, with the object.
    pub(super) fn functions_operand(
        &mut self,
        name: Symbol,
        candidates: Vec<crate::sema::Candidate>,
        lookup: &Lookup<'a>,
        span: Span,
    ) -> Operand<'a> {
        // Static functions need none: a lambda that calls them captures nothing.
        let needs_object = lookup.member_of.is_some() && candidates.iter().any(|it| self.may_need_object(it));
        let object = match needs_object {
            true => self.implicit_object(lookup, span),
            false => None,
        };
        Operand::Overloads(Rc::new(Overloads {
            name,
            candidates,
            arguments: lookup.arguments.clone(),
            object,
            qualified: lookup.qualified,
            adl: lookup.adl,
            address: false,
            span,
        }))
    }

    /// Whether a candidate is, or may be, a member function that is not static.
    fn may_need_object(&self, candidate: &crate::sema::Candidate) -> bool {
        match candidate.callable {
            Callable::Function(function) => self.program.function(function).has_this,
            Callable::Template(template) => !self.is_static_template(template),
        }
    }

    /// `*this` for a member named without an object, if `this` is there and of a class that has the member.
    fn implicit_object(&mut self, lookup: &Lookup<'a>, span: Span) -> Option<ExpressionId> {
        let this = self.function.this?;
        let class = self.program.types.as_class(this.id)?;
        let member_of = lookup.member_of?;
        if class != member_of && !self.is_derived_from(class, member_of) {
            return None;
        }
        self.this_object(span)
    }

    /// The symbol that a name's last part declares.
    pub(super) fn symbol_of(&mut self, id: ast::Id<ast::QualifiedName>) -> Symbol {
        let ast = self.ast;
        match ast[id].last {
            ast::UnqualifiedName::Operator { operator, .. } => self.operator_symbol(operator),
            ast::UnqualifiedName::LiteralOperator { suffix, .. } => self.literal_operator_symbol(suffix),
            _ => self.symbol_text(id),
        }
    }

    /// The identifier of a name's last part; the empty name if it has none.
    fn symbol_text(&self, id: ast::Id<ast::QualifiedName>) -> Symbol {
        match &self.ast[id].last {
            &ast::UnqualifiedName::Identifier(name)
            | &ast::UnqualifiedName::Template { name, .. }
            | &ast::UnqualifiedName::Destructor { name, .. } => name,
            _ => crate::source::names::EMPTY,
        }
    }

    /// A name as written, for messages.
    pub(super) fn written(&mut self, id: ast::Id<ast::QualifiedName>) -> String {
        let symbol = self.symbol_of(id);
        self.context.text(symbol).to_string()
    }

    /// The message that a name is not declared.
    pub(super) fn undeclared(&mut self, id: ast::Id<ast::QualifiedName>) -> ExpressionId {
        let ast = self.ast;
        let (span, name) = (ast[id].last_span, self.symbol_of(id));
        let text = self.context.text(name).to_string();
        if text.is_empty() {
            return self.fail(span, "this name is not declared");
        }
        if builtins::find(&text).is_some() {
            return self.fail(span, format!("the built-in function `{text}` can only be called"));
        }
        if builtins::is_reserved(&text) {
            return self.fail(span, format!("the built-in function `{text}` is not supported"));
        }
        let node = &ast[id];
        let around = match self.trying(|sema| sema.resolve_qualifiers(node.global, &node.qualifiers)) {
            Ok(Some(crate::sema::lookup::Qualification::Scope(scope))) => Some(scope),
            _ => None,
        };
        let (place, similar) = match around {
            Some(scope) => (
                format!(" in {}", self.scope_description(scope)),
                self.similar_in(scope, name),
            ),
            None => (String::new(), self.similar_name(name)),
        };
        if around.is_none() && self.is_left_out_of_runtime(&text, similar.is_some()) {
            return self.left_out_of_runtime(text, span);
        }
        let mut report = Report::error(span, format!("`{text}` is not declared{place}"));
        if let Some(note) = self.note_of_header(around, name) {
            report = report.note(note);
        } else if let Some(similar) = similar {
            report = report.note(format!("did you mean `{}`?", self.context.text(similar)));
        }
        self.fail_with(report)
    }

    fn wrong_kind(&mut self, id: ast::Id<ast::QualifiedName>, kind: &str) -> ExpressionId {
        let span = self.ast[id].span;
        let text = self.written(id);
        self.fail(span, format!("`{text}` is {kind}, but a value is needed here"))
    }

    /// An enumerator's value. While its enumeration is being defined it has the type of its initialiser ([dcl.enum]/5).
    pub(super) fn enumerator(&mut self, enumeration: hir::EnumId, place: u32, span: Span) -> ExpressionId {
        let node = self.program.enumeration(enumeration);
        let Some(enumerator) = node.enumerators.get(place as usize) else {
            return self.poison(span);
        };
        let (value, complete, underlying) = (enumerator.value, node.complete, node.underlying);
        let ty = if complete {
            self.program.types.enumeration(enumeration)
        } else {
            underlying
        };
        self.value(ExpressionKind::Constant(Constant::Integer(value)), ty, span)
    }

    /// A variable: itself, or what a lambda around has captured of it.
    pub(crate) fn variable_expression(&mut self, variable: VariableId, span: Span) -> ExpressionId {
        self.require_variable(variable);
        self.variables[variable.index()].references += 1;
        let node = self.program.variable(variable);
        let (ty, storage) = (node.ty, node.storage);
        if ty.id == hir::Types::ERROR {
            return self.poison(span);
        }
        if self.contains_placeholder(ty) {
            let name = self.variable_name(variable);
            return self.fail(
                span,
                format!("{name} is used in its own initializer, before its type is known"),
            );
        }
        if matches!(storage, StorageDuration::Automatic | StorageDuration::Parameter) {
            if let Some(captured) = self.captured_variable(variable, span) {
                return captured;
            }
        } else if !self.check_variable_space(variable, span) {
            return self.poison(span);
        }
        self.variable_lvalue(variable, span)
    }

    /// The object that a template parameter of class type names: one for each value, constant ([temp.param]/8).
    fn template_object(&mut self, ty: QualifiedType, value: Constant) -> VariableId {
        let key = (ty.id, value);
        if let Some(&known) = self.template_objects.get(&key) {
            return known;
        }
        let label = hir::mangle_template_object(&self.program, ty.unqualified(), &key.1);
        let scope = hir::Scope::Namespace(hir::Program::GLOBAL);
        let constant = self.program.types.qualify(ty, hir::Qualifiers::CONST);
        let mut node = hir::Variable::new(
            Some(label.as_str().into()),
            scope,
            constant,
            StorageDuration::Static,
            Span::NONE,
        );
        node.is_constexpr = true;
        node.linkage = hir::Linkage::OnceOnly;
        node.memory = MemorySpace::Device;
        node.label = Some(label.into());
        node.initialiser = hir::VariableInitialiser::Constant(key.1.clone());
        let object = self.add_variable(node, None);
        self.template_objects.insert(key, object);
        object
    }

    /// A variable's name in messages.
    pub(crate) fn variable_name(&self, variable: VariableId) -> String {
        match &self.program.variable(variable).name {
            Some(name) => format!("variable `{name}`"),
            None => "this variable".to_string(),
        }
    }

    /// Reports a variable of the host that device code names; constants may be named for their value.
    fn check_variable_space(&mut self, variable: VariableId, span: Span) -> bool {
        let node = self.program.variable(variable);
        let space = self.function.space;
        let on_device_only = (space.device || space.global) && !space.host;
        if !on_device_only
            || self.function.evaluation.unevaluated
            || node.memory != MemorySpace::Host
            || node.scope_is_function()
        {
            return true;
        }
        if node.is_constexpr
            || node.ty.is_const()
            || self.program.types.is_reference(node.ty.id)
            || self.is_device_name(variable)
        {
            return true;
        }
        let message = format!(
            "{} lives on the host: device code cannot use it",
            self.variable_name(variable)
        );
        let declared = node_span(&self.program, variable);
        self.fail_with(Report::error(span, message).note_at(
            declared,
            "declared here; `__device__` makes it a variable of the device",
        ));
        false
    }

    /// Whether a variable is one of those that every kernel has, `threadIdx` and its kin, whatever its declaration says.
    fn is_device_name(&self, variable: VariableId) -> bool {
        let name = self.program.variable(variable).name.as_deref();
        matches!(
            name,
            Some("threadIdx" | "blockIdx" | "blockDim" | "gridDim" | "warpSize")
        )
    }

    /// A structured binding or the like: its lvalue, with captures where a lambda is around.
    fn alias(&mut self, expression: ExpressionId, span: Span) -> ExpressionId {
        let node = self.program.expression(expression).clone();
        match node.kind {
            ExpressionKind::Variable(variable) => {
                let variable = self.variable_expression(variable, span);
                if self.type_of(variable) == node.ty || self.is_poisoned(variable) {
                    return variable;
                }
                expression
            }
            ExpressionKind::Member { object, field } => {
                let inner = self.alias(object, span);
                if inner == object {
                    return expression;
                }
                self.program.add(
                    ExpressionKind::Member { object: inner, field },
                    node.ty,
                    node.category,
                    span,
                )
            }
            ExpressionKind::Cast(
                kind @ (CastKind::DerivedToBase(_) | CastKind::NoOperation | CastKind::ArrayToPointer),
                inner,
            ) => {
                let changed = self.alias(inner, span);
                if changed == inner {
                    return expression;
                }
                self.program
                    .add(ExpressionKind::Cast(kind, changed), node.ty, node.category, span)
            }
            ExpressionKind::PointerAdd {
                pointer,
                index,
                subtract,
            } => {
                let pointer = self.alias(pointer, span);
                self.program.add(
                    ExpressionKind::PointerAdd {
                        pointer,
                        index,
                        subtract,
                    },
                    node.ty,
                    node.category,
                    span,
                )
            }
            ExpressionKind::Dereference(pointer) => {
                let pointer = self.alias(pointer, span);
                self.program
                    .add(ExpressionKind::Dereference(pointer), node.ty, node.category, span)
            }
            _ => expression,
        }
    }

    /// `this`.
    pub(super) fn this_pointer(&mut self, span: Span) -> ExpressionId {
        match self.this_object(span) {
            Some(object) if self.is_poisoned(object) => object,
            Some(object) => match self.program.expression(object).kind {
                ExpressionKind::Dereference(pointer) => pointer,
                _ => self.address_of(object, span),
            },
            None => self.fail(span, "`this` can only be used in a member function that is not static"),
        }
    }

    /// `*this`, also inside of a lambda that captures it; `None` where there is none.
    pub(crate) fn this_object(&mut self, span: Span) -> Option<ExpressionId> {
        let this = self.function.this?;
        let initialised = self
            .function
            .aggregate
            .filter(|&class| self.program.types.as_class(this.id) == Some(class));
        if initialised.is_none()
            && let Some(captured) = self.captured_this(this, span)
        {
            return Some(captured);
        }
        let pointer = self.program.types.pointer(this);
        let kind = initialised.map_or(ExpressionKind::This, ExpressionKind::InitialisedObject);
        let pointer = self.value(kind, pointer, span);
        Some(self.lvalue(ExpressionKind::Dereference(pointer), this, span))
    }

    /// A field named without an object ([class.mfct.non-static]/3). Without `this` only unevaluated operands may do so ([expr.prim.id]/2).
    fn implicit_member(
        &mut self,
        class: ClassId,
        path: &[FieldIndex],
        lookup: &Lookup<'a>,
        span: Span,
    ) -> ExpressionId {
        let this = self.function.this.and_then(|this| self.program.types.as_class(this.id));
        let reachable = this.is_some_and(|this| this == class || self.is_derived_from(this, class));
        let object = if reachable { self.this_object(span) } else { None };
        let object = match object {
            Some(object) => object,
            None if self.function.evaluation.unevaluated => {
                let ty = self.program.types.class(class);
                let pointer = self.program.types.pointer(ty);
                let null = self.null_of(pointer.into(), span);
                self.dereference(null, span)
            }
            None => {
                let ty = self.program.types.class(class);
                let message = format!(
                    "a member of {} needs an object: there is no `this` of that class here",
                    self.quote(ty)
                );
                return self.fail(span, message);
            }
        };
        let _ = lookup;
        let ty = QualifiedType {
            id: self.program.types.class(class),
            qualifiers: self.type_of(object).qualifiers,
        };
        let object = self.base_object_of_member(object, ty);
        self.fields(object, path, span)
    }

    /// A field through anonymous members.
    pub(crate) fn fields(&mut self, object: ExpressionId, path: &[FieldIndex], span: Span) -> ExpressionId {
        path.iter().fold(object, |object, &field| {
            if self.is_poisoned(object) {
                object
            } else {
                self.field_access(object, field, span)
            }
        })
    }
}

fn node_span(program: &hir::Program, variable: VariableId) -> Span {
    program.variable(variable).span
}

impl hir::Variable {
    /// Whether it is local to a function: a static local lives where its function runs.
    fn scope_is_function(&self) -> bool {
        matches!(self.scope, hir::Scope::Function(_))
    }
}
