//! `sizeof`, `alignof`, `noexcept`, `offsetof` ([expr.sizeof], [expr.alignof], [expr.unary.noexcept], [support.types.layout]).

use crate::hir::{Callee, ExpressionId, ExpressionKind, QualifiedType, Type, Types};
use crate::sema::Sema;
use crate::sema::context::Evaluation;
use crate::sema::entity::Found;
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast;

impl<'a> Sema<'a> {
    /// Elaborates an operand that is not evaluated.
    pub(crate) fn unevaluated<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let unevaluated = Evaluation {
            unevaluated: true,
            ..self.function.evaluation
        };
        self.with_evaluation(unevaluated, work)
    }

    pub(super) fn sizeof_expression(&mut self, operand: ast::Id<ast::Expression>, span: Span) -> ExpressionId {
        if let Some(ty) = self.named_type(operand) {
            return self.size_of_type(ty, span);
        }
        let operand = self.unevaluated(|sema| sema.expression(operand));
        if self.is_poisoned(operand) {
            return self.poison(span);
        }
        if self.is_bit_field(operand) {
            return self.fail(span, "a bit field has no size in bytes");
        }
        let ty = self.type_of(operand);
        self.size_of_type(ty, span)
    }

    pub(super) fn sizeof_type(&mut self, type_id: ast::Id<ast::TypeId>, span: Span) -> ExpressionId {
        let ty = self.type_of_type_id(type_id);
        self.size_of_type(ty, span)
    }

    fn size_of_type(&mut self, ty: QualifiedType, span: Span) -> ExpressionId {
        let ty = self.program.types.strip_reference(ty);
        match self.measured(ty, span, "`sizeof`") {
            Some((size, _)) => self.integer(i128::from(size), Types::UNSIGNED_LONG, span),
            None => self.poison(span),
        }
    }

    /// Size and alignment of a type, with a message if it has none. `void` and functions count 1, as GNU has it, is refused.
    fn measured(&mut self, ty: QualifiedType, span: Span, what: &str) -> Option<(u64, u64)> {
        if ty.id == Types::ERROR || !self.require_complete(ty.id, span, what) {
            return None;
        }
        let measured = self.program.size_and_alignment(ty.id);
        if measured.is_none() {
            let message = format!("{what} has no meaning for {}", self.quote(ty));
            self.context.error(span, message);
        }
        measured
    }

    pub(super) fn sizeof_pack(&mut self, name: Symbol, span: Span) -> ExpressionId {
        match self.pack_length(name, span) {
            Some(length) => self.integer(length as i128, Types::UNSIGNED_LONG, span),
            None => self.poison(span),
        }
    }

    pub(super) fn alignof_type(&mut self, type_id: ast::Id<ast::TypeId>, span: Span) -> ExpressionId {
        let ty = self.type_of_type_id(type_id);
        let ty = self.program.types.strip_reference(ty);
        let ty = match *self.program.types.get(ty.id) {
            Type::Array(element, None) => element,
            _ => ty,
        };
        let of_typedef = self.typedef_alignment(self.ast[type_id].specifiers, self.ast[type_id].declarator);
        match self.measured(ty, span, "`alignof`") {
            Some(_) if of_typedef.is_some() => {
                self.integer(i128::from(of_typedef.unwrap_or(1)), Types::UNSIGNED_LONG, span)
            }
            Some((_, alignment)) => self.integer(i128::from(alignment), Types::UNSIGNED_LONG, span),
            None => self.poison(span),
        }
    }

    /// GNU's `__alignof__ expression`: of a variable or member with an alignment of its own, that.
    pub(super) fn alignof_expression(&mut self, operand: ast::Id<ast::Expression>, span: Span) -> ExpressionId {
        let operand = self.unevaluated(|sema| sema.expression(operand));
        if self.is_poisoned(operand) {
            return self.poison(span);
        }
        let own = match self.program.expression(operand).kind {
            ExpressionKind::Variable(variable) => self.program.variable(variable).alignment,
            ExpressionKind::Member { object, field } => {
                let class = self.program.types.as_class(self.type_of(object).id);
                class.and_then(|class| self.program.class(class).fields.get(field.index())?.alignment)
            }
            _ => None,
        };
        let ty = self.type_of(operand);
        match (own, self.measured(ty, span, "`alignof`")) {
            (Some(own), _) => self.integer(i128::from(own), Types::UNSIGNED_LONG, span),
            (None, Some((_, alignment))) => self.integer(i128::from(alignment), Types::UNSIGNED_LONG, span),
            (None, None) => self.poison(span),
        }
    }

    /// `noexcept(expression)`: whether nothing in it may throw.
    pub(super) fn noexcept_operator(&mut self, operand: ast::Id<ast::Expression>, span: Span) -> ExpressionId {
        let operand = self.unevaluated(|sema| {
            let operand = sema.expression(operand);
            sema.drop_value(operand)
        });
        if self.is_poisoned(operand) {
            return self.poison(span);
        }
        let throws = self.may_throw(operand);
        self.boolean(!throws, span)
    }

    /// The operands of an expression.
    pub(crate) fn operands_of(&self, expression: ExpressionId) -> Vec<ExpressionId> {
        use ExpressionKind as K;
        match &self.program.expression(expression).kind {
            K::Error
            | K::Constant(_)
            | K::String(_)
            | K::Variable(_)
            | K::Function(_)
            | K::This
            | K::InitialisedObject(_)
            | K::MemberPointerField(..)
            | K::MemberPointerFunction(_)
            | K::ArrayIndex
            | K::StringArray(_)
            | K::Zero
            | K::Uninitialised
            | K::Bound(_)
            | K::StatementExpression { .. }
            | K::Unsupported(_)
            | K::IsConstantEvaluated => Vec::new(),
            K::Launch { call, configuration } => [&[*call][..], configuration].concat(),
            &K::Member { object, .. } | &K::Destroy { object, .. } => vec![object],
            &K::Dereference(one)
            | &K::AddressOf(one)
            | &K::Unary(_, one)
            | &K::Cast(_, one)
            | &K::Materialise { value: one, .. }
            | &K::ArrayLoop { element: one }
            | &K::VariableArgument(one)
            | &K::Increment { place: one, .. }
            | &K::Delete { pointer: one, .. } => vec![one],
            &K::MemberPointerAccess { object: a, pointer: b }
            | &K::VectorElement { vector: a, index: b }
            | &K::Binary(_, a, b)
            | &K::PointerAdd {
                pointer: a, index: b, ..
            }
            | &K::PointerDifference(a, b)
            | &K::Compare(_, a, b)
            | &K::LogicalAnd(a, b)
            | &K::LogicalOr(a, b)
            | &K::Assign { place: a, value: b }
            | &K::CompoundAssign { place: a, value: b, .. }
            | &K::Comma(a, b)
            | &K::Let { value: a, body: b, .. } => vec![a, b],
            &K::Conditional { condition, yes, no } => vec![condition, yes, no],
            K::Call { arguments, callee } => {
                let mut all = arguments.clone();
                if let Callee::Indirect(pointer) | Callee::Member(pointer) = callee {
                    all.push(*pointer);
                }
                all
            }
            K::Builtin { arguments, .. } | K::Construct { arguments, .. } => arguments.clone(),
            K::Aggregate { bases, fields } => bases
                .iter()
                .map(|&(_, value)| value)
                .chain(fields.iter().map(|&(_, value)| value))
                .collect(),
            K::Array { elements, filler } => elements.iter().copied().chain(*filler).collect(),
            K::New { count, initialiser, .. } => count.iter().chain(initialiser).copied().collect(),
        }
    }

    /// `__builtin_offsetof(T, path)`: a constant, unless an index is not.
    pub(super) fn offset_of(
        &mut self,
        type_id: ast::Id<ast::TypeId>,
        path: &'a [ast::OffsetDesignator],
        span: Span,
    ) -> ExpressionId {
        let ty = self.type_of_type_id(type_id);
        if ty.id == Types::ERROR || !self.require_complete(ty.id, span, "`offsetof` into") {
            return self.poison(span);
        }
        let mut offset: u64 = 0;
        let mut at = ty;
        for step in path {
            match *step {
                ast::OffsetDesignator::Field(name) => {
                    let Some(class) = self.program.types.as_class(at.id) else {
                        let message = format!("{} is no class: it has no members", self.quote(at));
                        return self.fail(span, message);
                    };
                    let lookup = self.lookup_member(class, name);
                    let Found::Field(_, fields) = &lookup.found else {
                        let text = self.context.text(name).to_string();
                        let report = Report::error(span, format!("{} has no data member `{text}`", self.quote(at)));
                        return self.fail_with(report);
                    };
                    let fields = fields.clone();
                    offset += self.program.base_path_offset(class, &lookup.path);
                    let mut owner = lookup.path.last().copied().unwrap_or(class);
                    for field in fields {
                        let node = self.program.class(owner);
                        offset += node.layout.field_offsets.get(field.index()).copied().unwrap_or(0);
                        at = node.fields[field.index()].ty;
                        owner = self.program.types.as_class(at.id).unwrap_or(owner);
                    }
                }
                ast::OffsetDesignator::Index(index) => {
                    let Type::Array(element, _) = *self.program.types.get(at.id) else {
                        let message = format!("{} is no array", self.quote(at));
                        return self.fail(span, message);
                    };
                    let Some(index) = self
                        .constant_expression(index, Types::LONG.into())
                        .and_then(|index| index.as_integer())
                    else {
                        return self.poison(span);
                    };
                    offset = offset.wrapping_add((index as u64).wrapping_mul(self.program.size_of(element.id)));
                    at = element;
                }
            }
        }
        self.integer(i128::from(offset), Types::UNSIGNED_LONG, span)
    }
}
