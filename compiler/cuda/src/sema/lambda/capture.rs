//! Captures ([expr.prim.lambda.capture]).

use crate::hir::{
    self, Constant, ExpressionId, ExpressionKind, FieldIndex, QualifiedType, Qualifiers, StorageDuration, Type, Types,
    VariableId, VariableInitialiser,
};
use crate::sema::Access;
use crate::sema::entity::{Callable, FieldInfo, Found};
use crate::sema::template::pack::Pattern;
use crate::sema::template::walk::Walk;
use crate::sema::{Entity, Sema};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast::{self, CaptureDefault, CaptureKind};

/// What a field of a closure holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Captured {
    /// A variable's value.
    Copy(VariableId),
    /// A variable by reference.
    Reference(VariableId),
    /// What an init-capture was initialised with: known inside by this variable, which exists nowhere else.
    Init(VariableId, ExpressionId),
    /// `this`.
    This,
    /// A copy of `*this`.
    StarThis,
}

/// A capture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capture {
    /// What.
    pub(crate) what: Captured,
    /// Where in the closure.
    pub(crate) field: FieldIndex,
    /// Where it was written, or needed first.
    pub(crate) span: Span,
}

impl<'a> Sema<'a> {
    /// The captures that are written. False after a message.
    pub(super) fn written_captures(&mut self, index: u32) -> bool {
        let syntax = self.expressions.lambdas.all[index as usize].syntax;
        for capture in &syntax.captures {
            let span = capture.span;
            let done = match &capture.kind {
                CaptureKind::This => self.capture_this(index, Captured::This, span),
                CaptureKind::StarThis => self.capture_this(index, Captured::StarThis, span),
                &CaptureKind::Copy(name) => self.capture_name(index, name, capture.pack, false, span),
                &CaptureKind::Reference(name) => self.capture_name(index, name, capture.pack, true, span),
                CaptureKind::CopyInit(name, initializer) => {
                    self.capture_init(index, *name, initializer, capture.pack, false, span)
                }
                CaptureKind::ReferenceInit(name, initializer) => {
                    self.capture_init(index, *name, initializer, capture.pack, true, span)
                }
            };
            if !done {
                return false;
            }
        }
        true
    }

    fn capture_this(&mut self, index: u32, what: Captured, span: Span) -> bool {
        let Some(this) = self.function.this else {
            self.context.error(
                span,
                "`this` can only be captured in a member function that is not static",
            );
            return false;
        };
        let ty = match what {
            Captured::StarThis => this,
            _ => self.program.types.pointer(this).into(),
        };
        self.add_capture(index, what, ty, span);
        true
    }

    /// `x`, `&x`, `xs...`.
    fn capture_name(&mut self, index: u32, name: Symbol, pack: bool, by_reference: bool, span: Span) -> bool {
        let names = [name];
        let found = if pack {
            match self.expand(Pattern::Names(&names), span, |sema| sema.lookup_unqualified(name).found) {
                Some(found) => found,
                None => return false,
            }
        } else {
            vec![self.lookup_unqualified(name).found]
        };
        for found in found {
            match found {
                Found::Variable(variable) if self.is_local(variable) => {
                    self.capture_variable(index, variable, by_reference, span);
                }
                Found::Alias(_) => {}
                Found::Error => return false,
                Found::Nothing => {
                    let mut report = Report::error(span, format!("`{}` is not declared", self.context.text(name)));
                    if let Some(similar) = self.similar_name(name) {
                        report = report.note(format!("did you mean `{}`?", self.context.text(similar)));
                    }
                    self.context.diagnostics.emit(report);
                    return false;
                }
                _ => {
                    let message = format!(
                        "`{}` cannot be captured: it is no local variable",
                        self.context.text(name)
                    );
                    self.context.error(span, message);
                    return false;
                }
            }
        }
        true
    }

    /// Whether a variable lives in a call of a function, so that a lambda has to capture it.
    fn is_local(&self, variable: VariableId) -> bool {
        matches!(
            self.program.variable(variable).storage,
            StorageDuration::Automatic | StorageDuration::Parameter
        )
    }

    /// `x = value`, `&x = value`: declares `x` for the body.
    fn capture_init(
        &mut self,
        index: u32,
        name: Symbol,
        initializer: &'a ast::Initializer,
        pack: bool,
        by_reference: bool,
        span: Span,
    ) -> bool {
        let scope = self.expressions.lambdas.all[index as usize].scope;
        if pack {
            let pattern = Pattern::Initializer(initializer);
            let Some(variables) = self.expand(pattern, span, |sema| {
                sema.init_capture_variable(index, name, initializer, by_reference, span)
            }) else {
                return false;
            };
            let Some(variables) = variables
                .into_iter()
                .map(|variable| variable.map(Entity::Variable))
                .collect::<Option<Vec<_>>>()
            else {
                return false;
            };
            let pack = self.add_pack(variables);
            self.in_scope(scope, |sema| sema.declare(name, Entity::Pack(pack), span));
            return true;
        }
        let Some(variable) = self.init_capture_variable(index, name, initializer, by_reference, span) else {
            return false;
        };
        self.in_scope(scope, |sema| sema.declare(name, Entity::Variable(variable), span));
        true
    }

    fn init_capture_variable(
        &mut self,
        index: u32,
        name: Symbol,
        initializer: &'a ast::Initializer,
        by_reference: bool,
        span: Span,
    ) -> Option<VariableId> {
        let pattern = if by_reference {
            self.program.types.lvalue_reference(Types::AUTO)
        } else {
            Types::AUTO
        };
        let ty = self.auto_from_initialiser(pattern.into(), initializer, span)?;
        let what = format!("capture `{}`", self.context.text(name));
        let value = self.initialise(ty, Some(initializer), span, &what);
        if self.is_poisoned(value) {
            return None;
        }
        let shared = self.shared(name);
        let scope = self.hir_scope(self.scope);
        let node = hir::Variable::new(Some(shared), scope, ty, StorageDuration::Automatic, span);
        let variable = self.add_variable(node, Some(name));
        self.variables[variable.index()].function = None;
        self.add_capture(index, Captured::Init(variable, value), ty, span);
        Some(variable)
    }

    fn capture_variable(&mut self, index: u32, variable: VariableId, by_reference: bool, span: Span) -> FieldIndex {
        let ty = self.program.types.strip_reference(self.program.variable(variable).ty);
        if by_reference {
            let ty = self.program.types.lvalue_reference(ty);
            return self.add_capture(index, Captured::Reference(variable), ty.into(), span);
        }
        self.add_capture(index, Captured::Copy(variable), ty, span)
    }

    /// Adds a field for a capture.
    fn add_capture(&mut self, index: u32, what: Captured, ty: QualifiedType, span: Span) -> FieldIndex {
        let class = self.expressions.lambdas.all[index as usize].class;
        let field = FieldIndex(self.program.class(class).fields.len() as u32);
        let name = match what {
            Captured::Copy(variable) | Captured::Reference(variable) | Captured::Init(variable, _) => {
                self.program.variable(variable).name.clone()
            }
            Captured::This | Captured::StarThis => Some("this".into()),
        };
        self.program.class_mut(class).fields.push(hir::Field {
            name: name.or_else(|| Some("capture".into())),
            ty,
            bit_width: None,
            alignment: None,
            mutable: false,
            packed: false,
            no_unique_address: false,
            span,
        });
        self.classes[class.index()].fields.push(FieldInfo {
            name: None,
            access: Access::Private,
            initialiser: None,
        });
        self.expressions.lambdas.all[index as usize]
            .captures
            .push(Capture { what, field, span });
        field
    }

    /// Captures for a generic lambda with a default: the local variables that its body names, and `this` if it names that or a member that has an object
    /// ([expr.prim.lambda.capture]/7).
    pub(super) fn mentioned_captures(&mut self, index: u32) {
        let (syntax, scope) = {
            let lambda = &self.expressions.lambdas.all[index as usize];
            (lambda.syntax, lambda.scope)
        };
        let by_reference = match syntax.default {
            CaptureDefault::None => return,
            CaptureDefault::Copy => false,
            CaptureDefault::Reference => true,
        };
        let mut names: Vec<Symbol> = Vec::new();
        let mut walk = Walk {
            ast: self.ast,
            through_expansions: true,
            mentions_this: false,
            visit: |name| {
                if !names.contains(&name) {
                    names.push(name);
                }
            },
        };
        walk.statement(syntax.body);
        let mut needs_this = walk.mentions_this;
        for name in names {
            let found = self.in_scope(scope, |sema| sema.trying(|sema| sema.lookup_unqualified(name).found));
            needs_this |= found.as_ref().is_ok_and(|found| self.has_object(found));
            let variables = match found {
                Ok(Found::Variable(variable)) => vec![variable],
                Ok(Found::Pack(pack)) => {
                    let entities = self.pack(pack).to_vec();
                    entities
                        .into_iter()
                        .filter_map(|entity| {
                            if let Entity::Variable(variable) = entity {
                                Some(variable)
                            } else {
                                None
                            }
                        })
                        .collect()
                }
                Ok(Found::Alias(expression)) => self.variable_under(expression).into_iter().collect(),
                _ => Vec::new(),
            };
            for variable in variables {
                let known = self.find_capture(index, variable).is_some();
                if !known && self.is_local(variable) && self.constant_value_of(variable).is_none() {
                    self.capture_variable(index, variable, by_reference, syntax.span);
                }
            }
        }
        let has_this = self.expressions.lambdas.all[index as usize]
            .captures
            .iter()
            .any(|capture| matches!(capture.what, Captured::This | Captured::StarThis));
        if self.function.this.is_some() && needs_this && !has_this {
            self.capture_this(index, Captured::This, syntax.span);
        }
    }

    /// Whether what a name stands for may be a member that is called on an object, or part of one.
    fn has_object(&self, found: &Found) -> bool {
        match found {
            Found::Field(..) => true,
            Found::Functions(candidates) => candidates.iter().any(|candidate| match candidate.callable {
                Callable::Function(function) => self.program.function(function).has_this,
                Callable::Template(template) => {
                    matches!(
                        self.scopes.kind(self.template(template).scope),
                        crate::sema::ScopeKind::Class(_)
                    )
                }
            }),
            Found::Nothing
            | Found::Error
            | Found::Namespace(_)
            | Found::Type(_)
            | Found::Template(_)
            | Found::Variable(_)
            | Found::Enumerator(..)
            | Found::Value(_)
            | Found::Pack(_)
            | Found::Alias(_)
            | Found::Parameter => false,
        }
    }

    /// The variable that a structured binding's lvalue is made of.
    fn variable_under(&self, expression: ExpressionId) -> Option<VariableId> {
        match self.program.expression(expression).kind {
            ExpressionKind::Variable(variable) => Some(variable),
            _ => self
                .operands_of(expression)
                .first()
                .and_then(|&operand| self.variable_under(operand)),
        }
    }

    /// What each capture is initialised with, in the context around the lambda.
    pub(super) fn capture_values(&mut self, index: u32) -> Vec<(FieldIndex, ExpressionId)> {
        let captures = self.expressions.lambdas.all[index as usize].captures.clone();
        let mut values = Vec::with_capacity(captures.len());
        for capture in captures {
            let span = capture.span;
            let value = match capture.what {
                Captured::Init(_, value) => value,
                Captured::Reference(variable) => self.variable_expression(variable, span),
                Captured::Copy(variable) => {
                    let source = self.variable_expression(variable, span);
                    let ty = self.program.types.strip_reference(self.program.variable(variable).ty);
                    self.copy_object(source, ty, span)
                }
                Captured::This => match self.this_object(span) {
                    Some(object) => self.address_of(object, span),
                    None => self.poison(span),
                },
                Captured::StarThis => match self.this_object(span) {
                    Some(object) => {
                        let ty = self.type_of(object);
                        self.copy_object(object, ty, span)
                    }
                    None => self.poison(span),
                },
            };
            values.push((capture.field, value));
        }
        values
    }

    /// A prvalue that copies an object, also an array element by element.
    pub(crate) fn copy_object(&mut self, source: ExpressionId, ty: QualifiedType, span: Span) -> ExpressionId {
        if self.is_poisoned(source) {
            return source;
        }
        let Type::Array(element, _) = *self.program.types.get(ty.id) else {
            return self.initialise_from(ty, source, span, "the copy of a captured variable");
        };
        let pointer = self.decay(source);
        let index = self.value(ExpressionKind::ArrayIndex, Types::UNSIGNED_LONG, span);
        let pointer_type = self.type_of(pointer);
        let place = self.value(
            ExpressionKind::PointerAdd {
                pointer,
                index,
                subtract: false,
            },
            pointer_type,
            span,
        );
        let object = self.dereference(place, span);
        let element = self.copy_object(object, element, span);
        self.value(ExpressionKind::ArrayLoop { element }, ty, span)
    }

    fn find_capture(&self, index: u32, variable: VariableId) -> Option<FieldIndex> {
        let captures = &self.expressions.lambdas.all[index as usize].captures;
        captures.iter().find_map(|capture| match capture.what {
            Captured::Copy(other) | Captured::Reference(other) | Captured::Init(other, _) if other == variable => {
                Some(capture.field)
            }
            _ => None,
        })
    }

    /// The value of a variable that need not be captured to be read: a constant scalar ([basic.def.odr]/4).
    fn constant_value_of(&self, variable: VariableId) -> Option<Constant> {
        let node = self.program.variable(variable);
        let usable = self.variable_info(variable).usable_in_constants || node.is_constexpr;
        if !usable || !self.program.types.is_scalar(node.ty.id) {
            return None;
        }
        match &node.initialiser {
            VariableInitialiser::Constant(value) => Some(value.clone()),
            VariableInitialiser::None | VariableInitialiser::Dynamic(_) => None,
        }
    }

    /// What the innermost lambda around has captured of a variable of a function around it; `None` if there is no lambda, or the variable is its own.
    pub(crate) fn captured_variable(&mut self, variable: VariableId, span: Span) -> Option<ExpressionId> {
        let index = *self.function.lambdas.last()?;
        if let Some(field) = self.find_capture(index, variable) {
            return Some(self.captured_field(index, field, span));
        }
        let owner = self.variable_info(variable).function;
        if owner.is_some() && owner == self.function.function {
            return None;
        }
        if let Some(value) = self.constant_value_of(variable) {
            let ty = self.program.variable(variable).ty;
            return Some(self.constant(value, ty, span));
        }
        if self.function.evaluation.unevaluated {
            return None;
        }
        let lambda = &self.expressions.lambdas.all[index as usize];
        let by_reference = match lambda.syntax.default {
            CaptureDefault::Copy => false,
            CaptureDefault::Reference => true,
            CaptureDefault::None => return Some(self.not_captured(variable, index, span)),
        };
        if lambda.closed {
            return Some(self.not_captured(variable, index, span));
        }
        let field = self.capture_variable(index, variable, by_reference, span);
        Some(self.captured_field(index, field, span))
    }

    fn not_captured(&mut self, variable: VariableId, index: u32, span: Span) -> ExpressionId {
        let name = self.variable_name(variable);
        let declared = self.program.variable(variable).span;
        let lambda = self.expressions.lambdas.all[index as usize].syntax.span;
        let report = Report::error(span, format!("{name} is not captured by the lambda"))
            .note_at(declared, "declared here")
            .note_at(
                Span::of(lambda.first),
                "the lambda begins here; name the variable in its `[…]`, or write `[=]` or `[&]`",
            );
        self.fail_with(report)
    }

    /// What it has captured of `*this`.
    pub(crate) fn captured_this(&mut self, this: QualifiedType, span: Span) -> Option<ExpressionId> {
        let index = *self.function.lambdas.last()?;
        let lambda = &self.expressions.lambdas.all[index as usize];
        let known = lambda
            .captures
            .iter()
            .find(|capture| matches!(capture.what, Captured::This | Captured::StarThis))
            .copied();
        let capture = match known {
            Some(capture) => capture,
            None if lambda.syntax.default != CaptureDefault::None && !lambda.closed => {
                let ty = self.program.types.pointer(this);
                let field = self.add_capture(index, Captured::This, ty.into(), span);
                Capture {
                    what: Captured::This,
                    field,
                    span,
                }
            }
            None if self.function.evaluation.unevaluated => return None,
            None => return Some(self.fail(span, "`this` is not captured by the lambda: write `[this]`")),
        };
        let field = self.captured_field(index, capture.field, span);
        if capture.what == Captured::StarThis {
            return Some(field);
        }
        let pointer = self.load(field);
        Some(self.dereference(pointer, span))
    }

    /// A field of the closure that the call operator is called on.
    fn captured_field(&mut self, index: u32, field: FieldIndex, span: Span) -> ExpressionId {
        let lambda = &self.expressions.lambdas.all[index as usize];
        let qualifiers = if lambda.syntax.is_mutable {
            Qualifiers::NONE
        } else {
            Qualifiers::CONST
        };
        let class = QualifiedType {
            id: self.program.types.class(lambda.class),
            qualifiers,
        };
        let pointer = self.program.types.pointer(class);
        let this = self.value(ExpressionKind::This, pointer, span);
        let closure = self.lvalue(ExpressionKind::Dereference(this), class, span);
        self.field_access(closure, field, span)
    }
}
