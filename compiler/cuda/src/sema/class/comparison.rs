//! Defaulted comparisons ([class.compare]): bodies made member by member, and the `==` that a defaulted `<=>` declares.

use crate::hir::{
    self, ExpressionId, ExpressionKind, FieldIndex, FunctionBody, FunctionId, FunctionName, OperatorName,
    QualifiedType, StatementId, StatementKind, StorageDuration, Types, VariableInitialiser,
};
use crate::sema::Sema;
use crate::sema::entity::Definition;
use crate::sema::expression::Operand;
use crate::sema::scope::ScopeKind;
use crate::sema::{ClassId, Declared, Entity};
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOperator};

/// Most elements of an array that are compared one by one.
const ELEMENT_LIMIT: u64 = 1024;

impl<'a> Sema<'a> {
    /// A class with a defaulted `<=>` and no `==` has a defaulted `==` ([class.compare.default]/4).
    pub(super) fn declare_implicit_equality(&mut self, class: ClassId) {
        let scope = self.classes[class.index()].scope;
        let three_way = self.operator_symbol(ast::OperatorName::ThreeWay);
        let equality = self.operator_symbol(ast::OperatorName::Equal);
        let befriended: Vec<FunctionId> = self.classes[class.index()]
            .hidden_friends
            .iter()
            .filter(|(name, _)| *name == three_way || *name == equality)
            .filter_map(|(_, callable)| match callable {
                crate::sema::Callable::Function(function) => Some(*function),
                crate::sema::Callable::Template(_) => None,
            })
            .collect();
        let is_equality = |sema: &Self, function: FunctionId| {
            sema.program.function(function).name == FunctionName::Operator(OperatorName::EqualEqual)
        };
        if !self.scopes.get(scope).get(equality).is_empty()
            || befriended.iter().any(|&function| is_equality(self, function))
        {
            return;
        }
        let defaulted: Vec<FunctionId> = self
            .scopes
            .get(scope)
            .get(three_way)
            .iter()
            .filter_map(|declared| match declared.entity {
                Entity::Function(function) if self.program.function(function).is_defaulted => Some(function),
                _ => None,
            })
            .collect();
        for function in defaulted {
            let mut node = self.program.function(function).clone();
            let Some(mut ty) = self.program.types.as_function(node.ty).cloned() else {
                continue;
            };
            ty.result = Types::BOOL.unqualified();
            node.ty = self.program.types.function(ty);
            node.name = FunctionName::Operator(OperatorName::EqualEqual);
            node.parameters = Vec::new();
            let (access, span) = (self.functions[function.index()].access, node.span);
            let id = self.in_scope(scope, |sema| sema.add_function(node, equality));
            let info = &mut self.functions[id.index()];
            info.class = Some(class);
            info.access = access;
            info.definition = Definition::Implicit;
            let declared = Declared {
                entity: Entity::Function(id),
                order: 0,
                span,
                access,
                hidden: false,
                from_using: false,
            };
            self.scopes.declare(scope, equality, declared);
        }
    }
    /// Makes the body of a defaulted comparison. False if the function is none that is known.
    pub(super) fn synthesise_comparison(&mut self, function: FunctionId) -> bool {
        let node = self.program.function(function);
        let FunctionName::Operator(operator) = node.name else {
            return false;
        };
        let (span, has_this) = (node.span, node.has_this);
        let operator = match operator {
            OperatorName::EqualEqual => BinaryOperator::Equal,
            OperatorName::ExclaimEqual => BinaryOperator::NotEqual,
            OperatorName::Less => BinaryOperator::Less,
            OperatorName::Greater => BinaryOperator::Greater,
            OperatorName::LessEqual => BinaryOperator::LessEqual,
            OperatorName::GreaterEqual => BinaryOperator::GreaterEqual,
            OperatorName::Spaceship => BinaryOperator::ThreeWay,
            _ => return false,
        };
        let context = self.context_for(function);
        let saved = std::mem::replace(&mut self.function, context);
        let around = self.functions[function.index()].scope;
        let scope = self.scopes.add(ScopeKind::Function(Some(function)), Some(around));
        let saved_scope = std::mem::replace(&mut self.scope, scope);
        let parameters = self.implicit_parameters(function, span);
        let mut operands: Vec<ExpressionId> = parameters
            .iter()
            .map(|&parameter| self.variable_lvalue(parameter, span))
            .collect();
        if has_this && let Some(class) = self.functions[function.index()].class {
            let mut object = self.implicit_this(class, span);
            if let Some(this) = self.function.this {
                let pointer_type = self.program.types.pointer(this);
                let pointer = self.program.add_value(ExpressionKind::This, pointer_type, span);
                object = self.dereference(pointer, span);
            }
            operands.insert(0, object);
        }
        let mut statements = Vec::new();
        if let [left, right] = operands[..] {
            self.comparison_body(function, operator, left, right, span, &mut statements);
        }
        self.scope = saved_scope;
        self.function = saved;
        let statement = self.program.add_statement(StatementKind::Block(statements), span);
        self.program.function_mut(function).body = Some(FunctionBody {
            initialisers: Vec::new(),
            statement,
        });
        true
    }
    fn comparison_body(
        &mut self,
        function: FunctionId,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
        span: Span,
        statements: &mut Vec<StatementId>,
    ) {
        match operator {
            BinaryOperator::Equal => {
                for (left, right) in self.compared_parts(left, right, span) {
                    let equal = self.operator_binary(BinaryOperator::Equal, left, right, span);
                    let equal = self.convert_condition(equal);
                    let differ = self.value(ExpressionKind::Unary(hir::UnaryOperator::Not, equal), Types::BOOL, span);
                    let no = self.boolean(false, span);
                    self.return_if(differ, no, span, statements);
                }
                let yes = self.boolean(true, span);
                statements.push(self.add_statement(StatementKind::Return(Some(yes)), span));
            }
            BinaryOperator::ThreeWay => self.three_way_body(function, left, right, span, statements),
            operator => {
                let result = self
                    .rewritten_comparison(operator, left, right, span)
                    .unwrap_or_else(|| self.fail(span, "the class has no `==` or `<=>` to default this with"));
                let result = self.convert_condition(result);
                statements.push(self.add_statement(StatementKind::Return(Some(result)), span));
            }
        }
    }
    fn three_way_body(
        &mut self,
        function: FunctionId,
        left: ExpressionId,
        right: ExpressionId,
        span: Span,
        statements: &mut Vec<StatementId>,
    ) {
        let parts = self.compared_parts(left, right, span);
        let results: Vec<ExpressionId> = parts
            .into_iter()
            .map(|(left, right)| self.operator_binary(BinaryOperator::ThreeWay, left, right, span))
            .collect();
        let declared = self
            .program
            .types
            .as_function(self.program.function(function).ty)
            .map(|ty| ty.result);
        let ty = match declared {
            Some(ty) if !self.contains_placeholder(ty) => ty,
            _ => {
                let Some(ty) = self.common_category(&results, span) else {
                    return;
                };
                self.set_result(function, ty);
                ty
            }
        };
        for result in results {
            if self.is_poisoned(result) {
                continue;
            }
            let own = self.type_of(result).unqualified();
            let scope = hir::Scope::Function(function);
            let mut variable = hir::Variable::new(None, scope, own, StorageDuration::Automatic, span);
            variable.initialiser = VariableInitialiser::Dynamic(result);
            let variable = self.add_variable(variable, None);
            self.variables[variable.index()].function = Some(function);
            statements.push(self.add_statement(StatementKind::Declare(variable), span));
            let lvalue = self.variable_lvalue(variable, span);
            let zero = self.integer(0, Types::INT, span);
            self.expressions.null_constants.insert(zero);
            let differ = self.binary_operands(
                BinaryOperator::NotEqual,
                &Operand::Expression(lvalue),
                &Operand::Expression(zero),
                span,
                span,
            );
            let differ = self.convert_condition(differ);
            let lvalue = self.variable_lvalue(variable, span);
            let result = self.initialise_from(ty, lvalue, span, "return value");
            self.return_if(differ, result, span, statements);
        }
        let zero = self.integer(0, Types::INT, span);
        let equal = match self.built_in_three_way(zero, zero, span) {
            Some(equal) => self.initialise_from(ty, equal, span, "return value"),
            None => self.poison(span),
        };
        statements.push(self.add_statement(StatementKind::Return(Some(equal)), span));
    }
    /// The comparison category that all results convert to ([class.spaceship]/4).
    fn common_category(&mut self, results: &[ExpressionId], span: Span) -> Option<QualifiedType> {
        let mut category = "strong_ordering";
        for &result in results {
            let ty = self.type_of(result);
            let name = self
                .program
                .types
                .as_class(ty.id)
                .and_then(|class| self.program.class(class).name.clone());
            match name.as_deref() {
                Some("partial_ordering") => category = "partial_ordering",
                Some("weak_ordering") if category == "strong_ordering" => category = "weak_ordering",
                _ => {}
            }
        }
        self.ordering_type(category, span)
    }
    fn return_if(
        &mut self,
        condition: ExpressionId,
        value: ExpressionId,
        span: Span,
        statements: &mut Vec<StatementId>,
    ) {
        let then = self.add_statement(StatementKind::Return(Some(value)), span);
        let kind = StatementKind::If {
            condition,
            then,
            otherwise: None,
        };
        statements.push(self.add_statement(kind, span));
    }
    /// The bases, members and elements of members, in order.
    fn compared_parts(
        &mut self,
        left: ExpressionId,
        right: ExpressionId,
        span: Span,
    ) -> Vec<(ExpressionId, ExpressionId)> {
        let Some(class) = self.program.types.as_class(self.type_of(left).id) else {
            return Vec::new();
        };
        let mut parts = Vec::new();
        let bases: Vec<ClassId> = self.program.class(class).bases.iter().map(|base| base.class).collect();
        for base in bases {
            let pair = (self.base_of(left, base, span), self.base_of(right, base, span));
            parts.push(pair);
        }
        for index in 0..self.program.class(class).fields.len() {
            let field = &self.program.class(class).fields[index];
            if field.name.is_none() && field.bit_width.is_some() {
                continue;
            }
            let field = FieldIndex(index as u32);
            let pair = (
                self.field_access(left, field, span),
                self.field_access(right, field, span),
            );
            self.add_compared_elements(pair, span, &mut parts);
        }
        parts
    }
    fn add_compared_elements(
        &mut self,
        (left, right): (ExpressionId, ExpressionId),
        span: Span,
        parts: &mut Vec<(ExpressionId, ExpressionId)>,
    ) {
        let &hir::Type::Array(_, count) = self.program.types.get(self.type_of(left).id) else {
            parts.push((left, right));
            return;
        };
        let count = count.unwrap_or(0);
        if count > ELEMENT_LIMIT || parts.len() as u64 + count > ELEMENT_LIMIT {
            self.not_supported(span, "the defaulted comparison of so large an array");
            return;
        }
        for index in 0..count {
            let place = self.integer(i128::from(index), Types::UNSIGNED_LONG, span);
            let pair = (self.element_at(left, place, span), self.element_at(right, place, span));
            self.add_compared_elements(pair, span, parts);
        }
    }
}
