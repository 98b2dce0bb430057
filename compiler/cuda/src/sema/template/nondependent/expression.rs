//! Expressions of templates.

use crate::sema::lookup::Wanted;
use crate::sema::{Entity, Sema};
use crate::source::Symbol;
use crate::syntax::ast::{self, CaptureKind, ExpressionKind, Initializer};

/// Whether an expression may depend on parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dependence {
    /// It does, or that is not known; its parts have been checked.
    Dependent,
    /// It does not; nothing of it has been checked.
    Independent,
}

impl<'a> Sema<'a> {
    /// Checks what an expression has that depends on nothing.
    pub(super) fn check_expression(&mut self, id: ast::Id<ast::Expression>) {
        if self.dependence(id) == Dependence::Independent {
            self.check_independent(id);
        }
    }
    pub(super) fn check_expressions(&mut self, list: &[ast::Id<ast::Expression>]) {
        for &id in list {
            self.check_expression(id);
        }
    }
    pub(super) fn check_initializer(&mut self, initializer: &Initializer) {
        match initializer {
            Initializer::Equal(value) | Initializer::Braced(value) => self.check_expression(*value),
            Initializer::Parenthesized(values) => self.check_expressions(values),
        }
    }
    fn check_independent(&mut self, id: ast::Id<ast::Expression>) {
        match &self.ast[id].kind {
            ExpressionKind::Literal(_) => {}
            // Braces say what they are only together with what they initialise.
            ExpressionKind::InitializerList(clauses) => {
                for clause in clauses {
                    self.check_independent(clause.value);
                }
            }
            _ => self.elaborate_apart(|sema| {
                sema.operand(id);
            }),
        }
    }
    /// The parts of an expression that is dependent for itself or for one of them: those that are not are checked, else nothing is.
    fn parts(&mut self, dependent: bool, list: &[ast::Id<ast::Expression>]) -> Dependence {
        let found: Vec<Dependence> = list.iter().map(|&id| self.dependence(id)).collect();
        if !dependent && found.iter().all(|&part| part == Dependence::Independent) {
            return Dependence::Independent;
        }
        for (&id, part) in list.iter().zip(found) {
            if part == Dependence::Independent {
                self.check_independent(id);
            }
        }
        Dependence::Dependent
    }
    fn type_depends(&mut self, id: ast::Id<ast::TypeId>) -> bool {
        self.mentions_parameters(|walk| walk.type_id(id))
    }
    fn initializer_parts(&mut self, dependent: bool, initializer: &Initializer) -> Dependence {
        match initializer {
            Initializer::Equal(value) | Initializer::Braced(value) => self.parts(dependent, &[*value]),
            Initializer::Parenthesized(values) => self.parts(dependent, values),
        }
    }
    fn dependence(&mut self, id: ast::Id<ast::Expression>) -> Dependence {
        let ast = self.ast;
        match &ast[id].kind {
            ExpressionKind::Literal(_) => Dependence::Independent,
            ExpressionKind::Name(name) => self.name_dependence(*name),
            ExpressionKind::This
            | ExpressionKind::FunctionName { .. }
            | ExpressionKind::LabelAddress(_)
            | ExpressionKind::SizeofPack(_)
            | ExpressionKind::Requires(_)
            | ExpressionKind::Error => Dependence::Dependent,
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Unary { operand: inner, .. }
            | ExpressionKind::SizeofExpression(inner)
            | ExpressionKind::AlignofExpression(inner)
            | ExpressionKind::Noexcept(inner) => self.parts(false, &[*inner]),
            ExpressionKind::TypeidExpression(inner) | ExpressionKind::Delete { operand: inner, .. } => {
                self.parts(true, &[*inner])
            }
            ExpressionKind::Throw(operand) => self.parts(true, operand.as_slice()),
            ExpressionKind::PackExpansion(inner) => self.parts(true, &[*inner]),
            ExpressionKind::Binary { left, right, .. } => self.parts(false, &[*left, *right]),
            ExpressionKind::Assign { target, value, .. } => self.parts(false, &[*target, *value]),
            ExpressionKind::Conditional {
                condition,
                then,
                otherwise,
            } => {
                let mut list = vec![*condition, *otherwise];
                list.extend(then);
                self.parts(false, &list)
            }
            ExpressionKind::Call { callee, arguments } => self.call_dependence(*callee, arguments),
            ExpressionKind::KernelLaunch {
                callee,
                configuration,
                arguments,
            } => {
                self.parts(true, &[*callee]);
                self.parts(true, configuration);
                self.parts(true, arguments)
            }
            ExpressionKind::Subscript { base, indices } => {
                let mut list = vec![*base];
                list.extend(indices.iter().copied());
                self.parts(false, &list)
            }
            ExpressionKind::Member { object, name, .. } => {
                let arguments = self.mentions_parameters(|walk| walk.name(*name));
                self.parts(arguments, &[*object])
            }
            ExpressionKind::FunctionalCast { type_id, initializer } => {
                let dependent = self.type_depends(*type_id);
                self.initializer_parts(dependent, initializer)
            }
            ExpressionKind::Cast { type_id, operand, .. } => {
                let dependent = self.type_depends(*type_id);
                self.parts(dependent, &[*operand])
            }
            ExpressionKind::BitCast { operand, .. } => self.parts(true, &[*operand]),
            ExpressionKind::CompoundLiteral { initializer, .. } => self.parts(true, &[*initializer]),
            ExpressionKind::SizeofType(of) | ExpressionKind::AlignofType(of) => match self.type_depends(*of) {
                true => Dependence::Dependent,
                false => Dependence::Independent,
            },
            ExpressionKind::TypeidType(_) | ExpressionKind::TypeTrait { .. } | ExpressionKind::OffsetOf { .. } => {
                Dependence::Dependent
            }
            ExpressionKind::New(new) => {
                self.parts(true, &new.placement);
                if let Some(initializer) = &new.initializer {
                    self.initializer_parts(true, initializer);
                }
                Dependence::Dependent
            }
            ExpressionKind::Fold { left, right, .. } => {
                let list: Vec<_> = left.iter().chain(right).copied().collect();
                self.parts(true, &list)
            }
            ExpressionKind::Lambda(lambda) => {
                self.check_lambda(*lambda);
                Dependence::Dependent
            }
            ExpressionKind::InitializerList(clauses) => {
                let list: Vec<_> = clauses.iter().map(|clause| clause.value).collect();
                self.parts(false, &list)
            }
            ExpressionKind::StatementExpression(body) => {
                self.check_statement_parts(*body);
                Dependence::Dependent
            }
            ExpressionKind::VaArg { list, .. } => self.parts(true, &[*list]),
        }
    }
    fn name_dependence(&mut self, id: ast::Id<ast::QualifiedName>) -> Dependence {
        let ast = self.ast;
        let dependent = self.mentions_parameters(|walk| walk.name(id));
        // Operators, conversions and literals are found with their operands.
        let plain = matches!(
            ast[id].last,
            ast::UnqualifiedName::Identifier(_) | ast::UnqualifiedName::Template { .. }
        );
        match dependent || !plain || self.is_unknown_to_built_ins(id) {
            true => Dependence::Dependent,
            false => Dependence::Independent,
        }
    }
    /// Whether a name is one that the built-in headers may leave out.
    fn is_unknown_to_built_ins(&mut self, id: ast::Id<ast::QualifiedName>) -> bool {
        let Some(name) = self.ast[id].as_identifier() else {
            return false;
        };
        let text = self.context.text(name).to_string();
        self.may_be_left_out_of_runtime(&text)
    }
    /// A call. An unqualified name is looked up again with the arguments' classes, if one of these depends ([temp.dep.candidate]).
    fn call_dependence(
        &mut self,
        callee: ast::Id<ast::Expression>,
        arguments: &[ast::Id<ast::Expression>],
    ) -> Dependence {
        let ast = self.ast;
        let mut of_callee = false;
        if let ExpressionKind::Name(name) = ast[callee].kind {
            let written = ast[name].as_identifier();
            of_callee = written.is_some_and(|name| self.is_built_in(name));
            let unqualified = ast[name].is_unqualified();
            let found: Vec<_> = arguments.iter().map(|&id| self.dependence(id)).collect();
            if of_callee || unqualified && found.contains(&Dependence::Dependent) {
                for (&id, found) in arguments.iter().zip(found) {
                    if found == Dependence::Independent {
                        self.check_independent(id);
                    }
                }
                return Dependence::Dependent;
            }
        }
        let mut list = vec![callee];
        list.extend(arguments.iter().copied());
        self.parts(of_callee, &list)
    }
    /// Whether a name is one of the compiler's own functions, or stands for kernels, which are used when they are named.
    fn is_built_in(&mut self, name: Symbol) -> bool {
        let hits = self.search_outwards(name, Wanted::Anything);
        let kernel = hits.list.iter().any(|declared| match declared.entity {
            Entity::Function(function) => self.program.function(function).space.global,
            _ => false,
        });
        kernel || self.context.text(name).starts_with("__builtin_") || self.context.text(name).starts_with("__nvvm_")
    }
    fn check_lambda(&mut self, id: ast::Id<ast::Lambda>) {
        let ast = self.ast;
        let lambda = &ast[id];
        self.in_dependent_scope(|sema| {
            for capture in &lambda.captures {
                if let CaptureKind::CopyInit(name, initializer) | CaptureKind::ReferenceInit(name, initializer) =
                    &capture.kind
                {
                    sema.check_initializer(initializer);
                    sema.declare_dependent(*name, lambda.function.span);
                }
            }
            if let Some(parameters) = &lambda.template_parameters {
                sema.declare_parameters_of_template(parameters);
            }
            sema.check_signature(&lambda.function);
            sema.check_statement_parts(lambda.body);
        });
    }
    pub(super) fn declare_parameters_of_template(&mut self, parameters: &[ast::Id<ast::TemplateParameter>]) {
        for &parameter in parameters {
            let node = &self.ast[parameter];
            if let Some(name) = node.name {
                self.declare_dependent(name, node.span);
            }
        }
    }
}
