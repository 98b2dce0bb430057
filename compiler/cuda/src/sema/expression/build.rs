//! Making typed expressions: small steps that all forms share.

use crate::hir::{
    CastKind, Constant, ConstantBase, ExpressionId, ExpressionKind, FunctionId, Lifetime, QualifiedType, Qualifiers,
    Type, TypeId, Types, ValueCategory,
};
use crate::sema::Sema;
use crate::sema::conversion::standard::Source;
use crate::source::{Report, Span};

impl Sema<'_> {
    /// The expression that stands for one in error; a message has been given.
    pub(crate) fn poison(&mut self, span: Span) -> ExpressionId {
        self.program
            .add(ExpressionKind::Error, Types::ERROR, ValueCategory::PrValue, span)
    }

    /// Gives a message and stands for the expression in error.
    pub(crate) fn fail(&mut self, span: Span, message: impl Into<String>) -> ExpressionId {
        self.context.error(span, message);
        self.poison(span)
    }

    /// Gives a message with notes and stands for the expression in error.
    pub(crate) fn fail_with(&mut self, report: Report) -> ExpressionId {
        let span = report.span;
        self.context.diagnostics.emit(report);
        self.poison(span)
    }

    /// Whether an expression is in error, so that nothing more is to be said about it.
    pub(crate) fn is_poisoned(&self, expression: ExpressionId) -> bool {
        self.program.type_of(expression).id == Types::ERROR
    }

    /// The type of an expression.
    pub(crate) fn type_of(&self, expression: ExpressionId) -> QualifiedType {
        self.program.type_of(expression)
    }

    /// The category of an expression.
    pub(crate) fn category_of(&self, expression: ExpressionId) -> ValueCategory {
        self.program.expression(expression).category
    }

    /// Where an expression is.
    pub(crate) fn span_of(&self, expression: ExpressionId) -> Span {
        self.program.expression(expression).span
    }

    /// A type in backquotes, for messages.
    pub(crate) fn quote(&self, ty: impl Into<QualifiedType>) -> String {
        format!("`{}`", self.program.show(ty))
    }

    /// A prvalue.
    pub(crate) fn value(&mut self, kind: ExpressionKind, ty: impl Into<QualifiedType>, span: Span) -> ExpressionId {
        self.program.add_value(kind, ty, span)
    }

    /// An lvalue.
    pub(crate) fn lvalue(&mut self, kind: ExpressionKind, ty: impl Into<QualifiedType>, span: Span) -> ExpressionId {
        self.program.add(kind, ty, ValueCategory::LValue, span)
    }

    /// A constant of an integral or enumeration type, wrapped to its range.
    pub(crate) fn integer(&mut self, value: i128, ty: TypeId, span: Span) -> ExpressionId {
        let value = match crate::sema::conversion::arithmetic::integer_kind(&self.program, ty) {
            Some(kind) => kind.wrap(value),
            None => value,
        };
        self.value(ExpressionKind::Constant(Constant::Integer(value)), ty, span)
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&mut self, value: bool, span: Span) -> ExpressionId {
        self.value(ExpressionKind::Constant(Constant::boolean(value)), Types::BOOL, span)
    }

    /// A conversion to a prvalue; nothing if the operand is in error.
    pub(crate) fn cast(&mut self, kind: CastKind, operand: ExpressionId, to: impl Into<QualifiedType>) -> ExpressionId {
        if self.is_poisoned(operand) {
            return operand;
        }
        let span = self.span_of(operand);
        self.value(ExpressionKind::Cast(kind, operand), to, span)
    }

    /// A conversion of a glvalue to another glvalue.
    pub(crate) fn cast_glvalue(
        &mut self,
        kind: CastKind,
        operand: ExpressionId,
        to: QualifiedType,
        category: ValueCategory,
    ) -> ExpressionId {
        if self.is_poisoned(operand) {
            return operand;
        }
        let span = self.span_of(operand);
        self.program
            .add(ExpressionKind::Cast(kind, operand), to, category, span)
    }

    /// What conversions look at in an expression.
    pub(crate) fn source(&self, expression: ExpressionId) -> Source {
        let node = self.program.expression(expression);
        let mut source = Source::new(node.ty, node.category);
        match &node.kind {
            ExpressionKind::String(_) => source.is_string = true,
            ExpressionKind::Constant(_) => {
                source.is_null_constant =
                    node.ty.id == Types::NULL_POINTER || self.expressions.null_constants.contains(&expression);
            }
            &ExpressionKind::Member { object, field } => {
                let class = self.program.types.as_class(self.program.type_of(object).id);
                source.bit_field =
                    class.and_then(|class| self.program.class(class).fields.get(field.index())?.bit_width);
            }
            // Assignments and prefix increments are their left operand, a comma its right one.
            &ExpressionKind::Assign { place, .. }
            | &ExpressionKind::CompoundAssign { place, .. }
            | &ExpressionKind::Increment {
                place, prefix: true, ..
            } => source.bit_field = self.source(place).bit_field,
            &ExpressionKind::Comma(_, last) if node.category.is_glvalue() => {
                source.bit_field = self.source(last).bit_field;
            }
            _ => {}
        }
        source.is_null_constant |= node.ty.id == Types::NULL_POINTER;
        source
    }

    /// Whether an expression names a bit field, to which no reference can be bound ([class.bit]/3).
    pub(crate) fn is_bit_field(&self, expression: ExpressionId) -> bool {
        self.source(expression).bit_field.is_some()
    }

    /// Reads a glvalue that is not of class, array or function type; a prvalue stays ([conv.lval]).
    pub(crate) fn load(&mut self, expression: ExpressionId) -> ExpressionId {
        let node = self.program.expression(expression);
        if !node.category.is_glvalue() {
            return expression;
        }
        let ty = node.ty.unqualified();
        self.cast(CastKind::LValueToRValue, expression, ty)
    }

    /// Arrays and functions become pointers, other scalars are read: the operand of most operators ([expr.arith.conv], [conv]).
    pub(crate) fn decay(&mut self, expression: ExpressionId) -> ExpressionId {
        let ty = self.type_of(expression);
        match *self.program.types.get(ty.id) {
            Type::Array(element, _) => {
                let array = self.materialised(expression);
                let pointer = self.program.types.pointer(element);
                self.cast(CastKind::ArrayToPointer, array, pointer)
            }
            Type::Function(_) => {
                let pointer = self.program.types.pointer(ty);
                self.cast(CastKind::FunctionToPointer, expression, pointer)
            }
            Type::Class(_) => expression,
            _ => self.load(expression),
        }
    }

    /// A glvalue for an expression: a prvalue is made a temporary that lives to the end of the full expression ([conv.rval]).
    pub(crate) fn materialised(&mut self, expression: ExpressionId) -> ExpressionId {
        if self.category_of(expression).is_glvalue() || self.is_poisoned(expression) {
            return expression;
        }
        self.materialise_for(expression, Lifetime::FullExpression)
    }

    /// Makes a temporary of a prvalue, with the lifetime given.
    pub(crate) fn materialise_for(&mut self, value: ExpressionId, lifetime: Lifetime) -> ExpressionId {
        let (ty, span) = (self.type_of(value), self.span_of(value));
        let destructor = self.destructor_of(ty, span);
        let kind = ExpressionKind::Materialise {
            value,
            lifetime,
            destructor,
        };
        self.program.add(kind, ty, ValueCategory::XValue, span)
    }

    /// The glvalue that a pointer points to.
    pub(crate) fn dereference(&mut self, pointer: ExpressionId, span: Span) -> ExpressionId {
        let ty = self.type_of(pointer);
        match self.program.types.pointee(ty.id) {
            Some(to) => self.lvalue(ExpressionKind::Dereference(pointer), to, span),
            None => self.poison(span),
        }
    }

    /// The address of a glvalue.
    pub(crate) fn address_of(&mut self, glvalue: ExpressionId, span: Span) -> ExpressionId {
        if self.is_poisoned(glvalue) {
            return glvalue;
        }
        let to = self.type_of(glvalue);
        let pointer = self.program.types.pointer(to);
        self.value(ExpressionKind::AddressOf(glvalue), pointer, span)
    }

    /// A glvalue of a variable, or of what it refers to.
    pub(crate) fn variable_lvalue(&mut self, variable: crate::hir::VariableId, span: Span) -> ExpressionId {
        let ty = self.program.types.strip_reference(self.program.variable(variable).ty);
        self.lvalue(ExpressionKind::Variable(variable), ty, span)
    }

    /// The category and type of what an expression of this (maybe reference) type is: calls, casts.
    pub(crate) fn category_for(&self, ty: QualifiedType) -> (QualifiedType, ValueCategory) {
        match *self.program.types.get(ty.id) {
            Type::LValueReference(to) => (to, ValueCategory::LValue),
            Type::RValueReference(to) if self.program.types.as_function(to.id).is_some() => (to, ValueCategory::LValue),
            Type::RValueReference(to) => (to, ValueCategory::XValue),
            Type::Class(_) | Type::Array(..) => (ty, ValueCategory::PrValue),
            _ => (ty.unqualified(), ValueCategory::PrValue),
        }
    }

    /// A field of a glvalue object: type, qualifiers and category by [expr.ref]/6.
    pub(crate) fn field_access(
        &mut self,
        object: ExpressionId,
        field: crate::hir::FieldIndex,
        span: Span,
    ) -> ExpressionId {
        let node = self.program.expression(object);
        let (object_type, category) = (node.ty, node.category);
        let Some(class) = self.program.types.as_class(object_type.id) else {
            return self.poison(span);
        };
        let Some(declared) = self.program.class(class).fields.get(field.index()) else {
            return self.poison(span);
        };
        let (ty, mutable) = (declared.ty, declared.mutable);
        let kind = ExpressionKind::Member { object, field };
        if self.program.types.is_reference(ty.id) {
            let to = self.program.types.strip_reference(ty);
            return self.lvalue(kind, to, span);
        }
        let mut qualifiers = object_type.qualifiers.without(Qualifiers::RESTRICT);
        if mutable {
            qualifiers = qualifiers.without(Qualifiers::CONST);
        }
        let ty = self.program.types.qualify(ty, qualifiers);
        let category = if category == ValueCategory::LValue {
            ValueCategory::LValue
        } else {
            ValueCategory::XValue
        };
        self.program.add(kind, ty, category, span)
    }

    /// A value as an expression: of a template parameter, an enumerator, a folded operator. References are the objects at the address.
    pub(crate) fn constant(&mut self, value: Constant, ty: QualifiedType, span: Span) -> ExpressionId {
        if self.program.types.is_reference(ty.id) {
            let to = self.program.types.strip_reference(ty);
            return match value {
                Constant::Pointer(ConstantBase::Variable(variable), 0) => {
                    self.lvalue(ExpressionKind::Variable(variable), to, span)
                }
                Constant::Pointer(ConstantBase::Function(function), 0) => self.function_lvalue(function, span),
                value => {
                    let pointer = self.program.types.pointer(to);
                    let pointer = self.value(ExpressionKind::Constant(value), pointer, span);
                    self.dereference(pointer, span)
                }
            };
        }
        let ty = if self.program.types.as_class(ty.id).is_some() {
            ty
        } else {
            ty.unqualified()
        };
        self.value(ExpressionKind::Constant(value), ty, span)
    }

    /// The lvalue of a function; marks it used.
    pub(crate) fn function_lvalue(&mut self, function: FunctionId, span: Span) -> ExpressionId {
        self.use_function(function, span);
        self.settle_exceptions(function);
        let ty = self.program.function(function).ty;
        self.lvalue(ExpressionKind::Function(function), ty, span)
    }
}
