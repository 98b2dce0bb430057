//! Range-based `for`, written out ([stmt.ranged]).

use crate::hir::{
    self, Constant, ExpressionId, ExpressionKind, QualifiedType, StatementId, StatementKind, StorageDuration, Type,
    Types, ValueCategory, VariableId, VariableInitialiser,
};
use crate::sema::Sema;
use crate::sema::template::DeductionOperand;
use crate::source::{Span, names};
use crate::syntax::ast::{self, DeclarationKind};

impl<'a> Sema<'a> {
    pub(super) fn range_for(
        &mut self,
        init: Option<ast::Id<ast::Statement>>,
        declaration: ast::Id<ast::Declaration>,
        range: ast::Id<ast::Expression>,
        body: ast::Id<ast::Statement>,
        unroll: Option<ast::Unroll>,
        span: Span,
    ) -> StatementId {
        self.in_statement_block(|sema| {
            let mut statements: Vec<StatementId> = init.map(|init| sema.statement(init)).into_iter().collect();
            let place = sema.ast[range].span;
            let hints = sema.loop_hints(unroll);
            let Some((range_variable, bounds)) = sema.range_bounds(range, place, &mut statements) else {
                return sema.broken_loop(declaration, body, span);
            };
            let _ = range_variable;
            let (begin, end) = bounds;
            let begin = sema.hidden_variable(begin, place, &mut statements);
            let end = sema.hidden_variable(end, place, &mut statements);
            let (Some(begin), Some(end)) = (begin, end) else {
                return sema.broken_loop(declaration, body, span);
            };
            let left = sema.variable_lvalue(begin, place);
            let right = sema.variable_lvalue(end, place);
            let condition = sema.operator_binary(ast::BinaryOperator::NotEqual, left, right, place);
            let condition = sema.convert_condition(condition);
            let stepped = sema.variable_lvalue(begin, place);
            let step = sema.operator_unary(ast::UnaryOperator::PreIncrement, stepped, place);
            let read = sema.variable_lvalue(begin, place);
            let element = sema.operator_unary(ast::UnaryOperator::Dereference, read, place);
            let body = sema.in_statement_block(|sema| {
                let declared = sema.loop_variable(declaration, element, place);
                let inner = sema.loop_body(body);
                sema.add_statement(StatementKind::Block(vec![declared, inner]), span)
            });
            let kind = StatementKind::For {
                initial: None,
                declaration: None,
                condition: Some(condition),
                step: Some(step),
                body,
                hints,
            };
            statements.push(sema.add_statement(kind, span));
            sema.add_statement(StatementKind::Block(statements), span)
        })
    }
    /// After an error in the range: the body is still looked at.
    fn broken_loop(
        &mut self,
        declaration: ast::Id<ast::Declaration>,
        body: ast::Id<ast::Statement>,
        span: Span,
    ) -> StatementId {
        self.in_statement_block(|sema| {
            let error = sema.program.add_value(ExpressionKind::Error, Types::ERROR, span);
            sema.loop_variable(declaration, error, span);
            sema.loop_body(body);
        });
        self.add_statement(StatementKind::Error, span)
    }
    /// What is iterated over; of a braced list, the `std::initializer_list` that it makes ([stmt.ranged]/1).
    fn range_value(&mut self, range: ast::Id<ast::Expression>, place: Span) -> Option<ExpressionId> {
        if !matches!(self.ast[range].kind, ast::ExpressionKind::InitializerList(_)) {
            return Some(self.expression(range));
        }
        let operand = self.operand(range);
        let ty = self.auto_from_operand(Types::AUTO.unqualified(), &operand, place)?;
        Some(self.convert(&operand, ty, "the range"))
    }
    /// `auto &&__range = range;`, and what begins and ends it.
    fn range_bounds(
        &mut self,
        range: ast::Id<ast::Expression>,
        place: Span,
        statements: &mut Vec<StatementId>,
    ) -> Option<(VariableId, (ExpressionId, ExpressionId))> {
        let pattern = self.program.types.rvalue_reference(Types::AUTO).unqualified();
        let value = self.range_value(range, place)?;
        let node = self.program.expression(value);
        let (ty, category) = (node.ty, node.category);
        if ty.id == Types::ERROR {
            return None;
        }
        let reference = self.deduce_auto(pattern, &DeductionOperand::Typed(ty, category))?;
        let bound = self.initialise_from(reference, value, place, "range");
        let variable = hir::Variable::new(
            None,
            self.hir_scope(self.scope),
            reference,
            StorageDuration::Automatic,
            place,
        );
        let variable = self.add_variable(variable, None);
        // A temporary range lives as long as the loop.
        if let ExpressionKind::Materialise { lifetime, .. } = &mut self.program.expression_mut(bound).kind {
            *lifetime = hir::Lifetime::Variable(variable);
        }
        self.program.variable_mut(variable).initialiser = VariableInitialiser::Dynamic(bound);
        statements.push(self.add_statement(StatementKind::Declare(variable), place));
        let range = |sema: &mut Self| sema.variable_lvalue(variable, place);
        let bounds = match *self.program.types.get(ty.id) {
            Type::Array(_, Some(count)) => {
                let (first, last) = (range(self), range(self));
                (self.decay(first), self.array_end(last, count, place))
            }
            Type::Class(class) => {
                self.complete_class(class);
                let member = |sema: &mut Self, name| !sema.lookup_member(class, name).is_nothing();
                let members = member(self, names::BEGIN) && member(self, names::END);
                let (first, last) = (range(self), range(self));
                match members {
                    true => (
                        self.call_member(first, names::BEGIN, &[], place),
                        self.call_member(last, names::END, &[], place),
                    ),
                    false => (
                        self.call_dependent(names::BEGIN, &[first], place),
                        self.call_dependent(names::END, &[last], place),
                    ),
                }
            }
            _ => {
                let message = format!("a range-based `for` cannot go over `{}`", self.show(ty));
                self.error(place, message);
                return None;
            }
        };
        Some((variable, bounds))
    }
    fn array_end(&mut self, array: ExpressionId, count: u64, span: Span) -> ExpressionId {
        let pointer = self.decay(array);
        let ty = self.program.type_of(pointer);
        let number = ExpressionKind::Constant(Constant::Integer(i128::from(count)));
        let index = self.program.add_value(number, Types::UNSIGNED_LONG, span);
        let kind = ExpressionKind::PointerAdd {
            pointer,
            index,
            subtract: false,
        };
        self.program.add_value(kind, ty, span)
    }
    /// `auto x = value;` without a name.
    fn hidden_variable(
        &mut self,
        value: ExpressionId,
        span: Span,
        statements: &mut Vec<StatementId>,
    ) -> Option<VariableId> {
        let node = self.program.expression(value);
        let (ty, category) = (node.ty, node.category);
        if ty.id == Types::ERROR {
            return None;
        }
        let ty = self.deduce_auto(Types::AUTO.unqualified(), &DeductionOperand::Typed(ty, category))?;
        let value = self.initialise_from(ty, value, span, "iterator");
        let mut variable = hir::Variable::new(None, self.hir_scope(self.scope), ty, StorageDuration::Automatic, span);
        variable.destructor = self.destructor_of(ty, span);
        variable.initialiser = VariableInitialiser::Dynamic(value);
        let variable = self.add_variable(variable, None);
        statements.push(self.add_statement(StatementKind::Declare(variable), span));
        Some(variable)
    }
    /// The variable that each element is bound to.
    fn loop_variable(
        &mut self,
        declaration: ast::Id<ast::Declaration>,
        element: ExpressionId,
        span: Span,
    ) -> StatementId {
        let ast = self.ast;
        match &ast[declaration].kind {
            DeclarationKind::Simple {
                specifiers,
                declarators,
            } if declarators.len() == 1 => {
                let written = &ast[declarators[0].declarator];
                let base = self.specifiers_type(*specifiers, false);
                let ty = self.declarator_type(base, declarators[0].declarator).ty;
                let Some(name) = written.name.and_then(|name| ast[name].as_identifier()) else {
                    self.error(written.span, "the variable of a loop needs a name");
                    return self.add_statement(StatementKind::Error, span);
                };
                let ty = self.element_type(ty, element, span);
                let shared = self.shared(name);
                let variable = hir::Variable::new(
                    Some(shared),
                    self.hir_scope(self.scope),
                    ty,
                    StorageDuration::Automatic,
                    written.span,
                );
                let variable = self.add_variable(variable, Some(name));
                self.declare(name, crate::sema::Entity::Variable(variable), written.span);
                if ty.id == Types::ERROR {
                    return self.add_statement(StatementKind::Error, span);
                }
                let what = format!("variable `{}`", self.text(name));
                let value = self.initialise_from(ty, element, span, &what);
                if !self.program.types.is_reference(ty.id) {
                    let destructor = self.destructor_of(ty, span);
                    self.program.variable_mut(variable).destructor = destructor;
                }
                self.program.variable_mut(variable).initialiser = VariableInitialiser::Dynamic(value);
                self.add_statement(StatementKind::Declare(variable), span)
            }
            DeclarationKind::StructuredBinding {
                specifiers,
                reference,
                names,
                ..
            } => {
                let pattern = self.binding_pattern(*specifiers, *reference);
                let ty = self.element_type(pattern, element, span);
                if ty.id == Types::ERROR {
                    self.bind_errors(names);
                    return self.add_statement(StatementKind::Error, span);
                }
                let variable = self.binding_variable(ty, span);
                let value = self.initialise_from(ty, element, span, "structured binding");
                let saved = std::mem::take(&mut self.function.pending);
                self.finish_binding(variable, value, names, span);
                let statements = std::mem::replace(&mut self.function.pending, saved);
                self.add_statement(StatementKind::Group(statements), span)
            }
            _ => {
                self.error(span, "a range-based `for` declares one variable");
                self.add_statement(StatementKind::Error, span)
            }
        }
    }
    fn element_type(&mut self, declared: QualifiedType, element: ExpressionId, span: Span) -> QualifiedType {
        let node = self.program.expression(element);
        let (ty, category): (QualifiedType, ValueCategory) = (node.ty, node.category);
        if ty.id == Types::ERROR {
            return Types::ERROR.unqualified();
        }
        if !self.contains_placeholder(declared) {
            return declared;
        }
        match self.deduce_auto(declared, &DeductionOperand::Typed(ty, category)) {
            Some(ty) => ty,
            None => {
                let message = format!(
                    "`{}` cannot be deduced from elements of type `{}`",
                    self.show(declared),
                    self.show(ty)
                );
                self.error(span, message);
                Types::ERROR.unqualified()
            }
        }
    }
}
