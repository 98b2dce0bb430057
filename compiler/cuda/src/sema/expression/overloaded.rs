//! Overloaded operators ([over.match.oper]): members, functions found by look-up, and the built-in operators that a class's conversions reach ([over.built]).

use crate::hir::{ExpressionId, FunctionId, QualifiedType, Type, TypeId, Types};
use crate::sema::Sema;
use crate::sema::conversion::arithmetic::{is_arithmetic_or_unscoped, promoted};
use crate::sema::conversion::implicit::Permit;
use crate::sema::entity::{Callable, Candidate, Found, SpecialMember};
use crate::sema::overload::{Call, Callee, Resolution, Viable};
use crate::source::{Report, Span};
use crate::syntax::ast::OperatorName;

use super::Operand;

/// What became of an operator with a class or enumeration among its operands.
pub(super) enum Overloaded {
    /// A call, or a message.
    Done(ExpressionId),
    /// The built-in operator, with operands of class type converted.
    BuiltIn(Vec<ExpressionId>),
}

/// Which candidates an operator has beside functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fallback {
    /// The built-in operator for other types.
    BuiltIn,
    /// `=`, `&`, `,` mean something for every class; `->`, `()` and `[]` of classes nothing else.
    None,
}

impl<'a> Sema<'a> {
    /// Whether an operand makes an operator look for overloads: of class or enumeration type.
    pub(super) fn may_overload(&self, operand: &Operand<'a>) -> bool {
        match operand {
            &Operand::Expression(expression) => {
                let ty = self.type_of(expression).id;
                matches!(self.program.types.get(ty), Type::Class(_) | Type::Enum(_))
            }
            Operand::Overloads(_) | Operand::List(_) => false,
        }
    }

    /// Resolves an operator: `operands` as in the source; `dummy` is the `0` of postfix `++` and `--`.
    pub(super) fn overloaded_operator(
        &mut self,
        operator: OperatorName,
        operands: &[Operand<'a>],
        fallback: Fallback,
        span: Span,
    ) -> Overloaded {
        if operands.iter().any(|operand| self.operand_is_poisoned(operand)) {
            return Overloaded::Done(self.poison(span));
        }
        let Some((&Operand::Expression(first), rest)) = operands.split_first() else {
            return Overloaded::BuiltIn(Vec::new());
        };
        if operands.iter().any(|operand| self.is_complex_operand(operand)) {
            return Overloaded::Done(self.complex_arithmetic(span));
        }
        let candidates = self.operator_candidates(operator, operands);
        if candidates.is_empty() && operands.iter().all(|operand| !self.is_class_operand(operand)) {
            return Overloaded::BuiltIn(
                operands
                    .iter()
                    .filter_map(|operand| self.typed_operand(operand))
                    .collect(),
            );
        }
        let is_class = self.program.types.as_class(self.type_of(first).id).is_some();
        let object = if is_class {
            Some(self.object_for_operator(first))
        } else {
            None
        };
        let operands_of_call: &[Operand<'a>] = if is_class { rest } else { operands };
        let call = Call {
            object,
            operands: operands_of_call,
            arguments: None,
            user: true,
            skip_explicit: false,
            is_operator: true,
            span,
        };
        let changes = matches!(operator, OperatorName::Increment | OperatorName::Decrement);
        let built_in = if fallback == Fallback::BuiltIn || (changes && is_class) {
            self.built_in_candidates(operator, operands)
        } else {
            Vec::new()
        };
        let has_built_in = !built_in.is_empty();
        let what = format!("`operator{}`", operator.spelling());
        match self.resolve(&candidates, &call, built_in) {
            Resolution::Best(Viable {
                callee: Callee::BuiltIn(types),
                ..
            }) => Overloaded::BuiltIn(self.convert_for_built_in(operands, &types)),
            Resolution::Best(best) => Overloaded::Done(self.call_operator(best, first, object, operands, span)),
            Resolution::Ambiguous(functions) => {
                let whole = format!("the use of {what}");
                self.report_ambiguous_operator(span, &whole, &functions);
                Overloaded::Done(self.poison(span))
            }
            Resolution::None(rejected) => {
                let all_enumerations = operands.iter().all(|operand| !self.is_class_operand(operand));
                if fallback == Fallback::None || (all_enumerations && !has_built_in) {
                    return Overloaded::BuiltIn(
                        operands
                            .iter()
                            .filter_map(|operand| self.typed_operand(operand))
                            .collect(),
                    );
                }
                let types: Vec<String> = operands.iter().map(|operand| self.describe_operand(operand)).collect();
                let mut report = Report::error(
                    span,
                    format!("no `operator{}` takes {}", operator.spelling(), types.join(" and ")),
                );
                for candidate in rejected.iter().take(6) {
                    if let Callable::Function(function) = candidate.callable {
                        let declared = self.program.function(function).span;
                        let reason = self.reason(&candidate.why, object, operands_of_call);
                        report = report.note_at(
                            declared,
                            format!("candidate {}: {reason}", self.describe_function(function)),
                        );
                    }
                }
                Overloaded::Done(self.fail_with(report))
            }
        }
    }

    fn is_class_operand(&self, operand: &Operand<'a>) -> bool {
        self.typed_operand(operand)
            .is_some_and(|expression| self.program.types.as_class(self.type_of(expression).id).is_some())
    }

    fn typed_operand(&self, operand: &Operand<'a>) -> Option<ExpressionId> {
        match operand {
            &Operand::Expression(expression) => Some(expression),
            Operand::Overloads(_) | Operand::List(_) => None,
        }
    }

    /// A class prvalue as the object of an operator is a temporary; candidates that take it by value take the prvalue again.
    fn object_for_operator(&mut self, object: ExpressionId) -> ExpressionId {
        self.materialised(object)
    }

    fn is_complex_operand(&self, operand: &Operand<'a>) -> bool {
        match operand {
            &Operand::Expression(expression) => self.complex_class(self.type_of(expression)).is_some(),
            Operand::Overloads(_) | Operand::List(_) => false,
        }
    }

    /// Calls the function that an operator means.
    fn call_operator(
        &mut self,
        best: Viable,
        first: ExpressionId,
        object: Option<ExpressionId>,
        operands: &[Operand<'a>],
        span: Span,
    ) -> ExpressionId {
        let Callee::Function(function) = best.callee else {
            return self.poison(span);
        };
        if let Some(candidate) = &best.candidate {
            self.check_candidate_access(candidate, span);
        }
        if self.program.function(function).has_this {
            let object = object.unwrap_or(first);
            let object = self.object_for_named(object, function);
            return self.call_function(
                function,
                Some(object),
                &operands[1..],
                &best.sequences[1..],
                false,
                span,
            );
        }
        self.call_function(function, None, operands, &best.sequences, false, span)
    }

    /// Member and other candidates for an operator ([over.match.oper]/3).
    pub(super) fn operator_candidates(&mut self, operator: OperatorName, operands: &[Operand<'a>]) -> Vec<Candidate> {
        let name = self.operator_symbol(operator);
        let mut candidates = Vec::new();
        let types: Vec<QualifiedType> = operands
            .iter()
            .filter_map(|operand| self.typed_operand(operand))
            .map(|expression| self.type_of(expression))
            .collect();
        if let Some(class) = types.first().and_then(|ty| self.program.types.as_class(ty.id)) {
            let ty = self.program.types.class(class);
            self.complete_type(ty);
            if operator == OperatorName::Assign {
                self.declare_assignments(class);
            }
            if let Found::Functions(members) = self.lookup_member(class, name).found {
                candidates.extend(members);
            }
        }
        let only_members = matches!(
            operator,
            OperatorName::Assign | OperatorName::Subscript | OperatorName::Call | OperatorName::Arrow
        );
        if !only_members {
            let not_members = self.lookup_operator_functions(name);
            candidates.extend(not_members);
            candidates.extend(self.lookup_argument_dependent(name, &types));
            let any_class = types.iter().any(|ty| self.program.types.as_class(ty.id).is_some());
            if !any_class {
                candidates.retain(|candidate| self.takes_enumeration(candidate, &types));
                if candidates.is_empty() {
                    return candidates;
                }
            }
        }
        candidates
    }

    /// Makes sure that look-up finds the implicit assignment operators of a class.
    pub(super) fn declare_assignments(&mut self, class: crate::hir::ClassId) {
        self.special_member(class, SpecialMember::CopyAssignment);
        self.special_member(class, SpecialMember::MoveAssignment);
    }

    /// Unqualified look-up that passes over member functions ([over.match.oper]/3.2).
    fn lookup_operator_functions(&mut self, name: crate::source::Symbol) -> Vec<Candidate> {
        let lookup = self.lookup_unqualified(name);
        if lookup.member_of.is_none() {
            return match lookup.found {
                Found::Functions(candidates) => candidates,
                _ => Vec::new(),
            };
        }
        let outer = self.scopes.namespace_around(self.scope);
        match self.in_scope(outer, |sema| sema.lookup_unqualified(name)).found {
            Found::Functions(candidates) => candidates,
            _ => Vec::new(),
        }
    }

    /// The built-in operators for the types that operands convert to: for a class, the results of its conversion functions; for others, their own type. Candidates
    /// for types farther off are never better.
    fn built_in_candidates(&mut self, operator: OperatorName, operands: &[Operand<'a>]) -> Vec<Viable> {
        // What a built-in assignment changes is never converted ([over.match.oper]/7), and what `++` changes only to a reference.
        if is_assignment(operator) && operands.first().is_some_and(|operand| self.is_class_operand(operand)) {
            return Vec::new();
        }
        let changes = matches!(operator, OperatorName::Increment | OperatorName::Decrement);
        let mut choices: Vec<Vec<QualifiedType>> = Vec::new();
        for operand in operands {
            let Some(expression) = self.typed_operand(operand) else {
                return Vec::new();
            };
            choices.push(self.built_in_types(operator, expression, changes));
        }
        if let Some(enumeration) = self.common_enumeration(operands) {
            for choice in choices.iter_mut().filter(|choice| !choice.contains(&enumeration)) {
                choice.push(enumeration);
            }
        }
        let mut combinations: Vec<Vec<QualifiedType>> = vec![Vec::new()];
        for choice in &choices {
            combinations = combinations
                .iter()
                .flat_map(|before| {
                    choice
                        .iter()
                        .map(move |&ty| before.iter().copied().chain([ty]).collect())
                })
                .collect();
        }
        let mut viable = Vec::new();
        for types in combinations {
            let values: Vec<QualifiedType> = types.iter().map(|&ty| self.program.types.strip_reference(ty)).collect();
            if !self.built_in_exists(operator, &values) {
                continue;
            }
            let sequences: Option<Vec<_>> = operands
                .iter()
                .zip(&types)
                .map(|(operand, &ty)| self.implicit_sequence(operand, ty, self.permit_for(operator)).map(Some))
                .collect();
            if let Some(sequences) = sequences {
                viable.push(Viable {
                    callee: Callee::BuiltIn(types),
                    template: None,
                    sequences,
                    candidate: None,
                });
            }
        }
        viable
    }

    /// The enumeration that both operands of an operator have: there are comparisons of it ([over.built]/15).
    fn common_enumeration(&self, operands: &[Operand<'a>]) -> Option<QualifiedType> {
        let &[Operand::Expression(left), Operand::Expression(right)] = operands else {
            return None;
        };
        let (a, b) = (self.type_of(left).id, self.type_of(right).id);
        (a == b && self.program.types.as_enum(a).is_some()).then(|| a.into())
    }

    /// Without an operand of class type only functions that take one of the operands' enumerations are candidates ([over.match.oper]/3.2).
    fn takes_enumeration(&self, candidate: &Candidate, types: &[QualifiedType]) -> bool {
        let Callable::Function(function) = candidate.callable else {
            return true;
        };
        let Some(signature) = self.program.types.as_function(self.program.function(function).ty) else {
            return false;
        };
        signature.parameters.iter().any(|&parameter| {
            let id = self.program.types.strip_reference(parameter).id;
            self.program.types.as_enum(id).is_some() && types.iter().any(|ty| ty.id == id)
        })
    }

    /// Logical operators convert their operands contextually.
    fn permit_for(&self, operator: OperatorName) -> Permit {
        match operator {
            OperatorName::LogicalAnd | OperatorName::LogicalOr | OperatorName::Not => Permit::DIRECT,
            _ => Permit::IMPLICIT,
        }
    }

    /// The types as which a built-in operator may take an operand.
    fn built_in_types(&mut self, operator: OperatorName, operand: ExpressionId, changes: bool) -> Vec<QualifiedType> {
        if matches!(
            operator,
            OperatorName::LogicalAnd | OperatorName::LogicalOr | OperatorName::Not
        ) {
            return vec![Types::BOOL.into()];
        }
        let ty = self.type_of(operand);
        let Some(class) = self.program.types.as_class(ty.id) else {
            let id = self.decayed_type(ty);
            return vec![self.operand_type(id).into()];
        };
        let mut types: Vec<QualifiedType> = Vec::new();
        for candidate in self.conversion_functions(class) {
            let results = match candidate.callable {
                Callable::Function(function) if !self.program.function(function).is_explicit => {
                    vec![self.result_type(function, Span::NONE)]
                }
                Callable::Function(_) => Vec::new(),
                Callable::Template(_) => [
                    Types::INT,
                    Types::UNSIGNED_INT,
                    Types::LONG,
                    Types::UNSIGNED_LONG,
                    Types::FLOAT,
                    Types::DOUBLE,
                ]
                .map(Into::into)
                .to_vec(),
            };
            for result in results {
                if changes {
                    if self.is_changeable_reference(result) && !types.contains(&result) {
                        types.push(result);
                    }
                    continue;
                }
                let value = self.program.types.strip_reference(result);
                let id = self.decayed_type(value);
                if self.program.types.as_class(id).is_some() {
                    continue;
                }
                let ty: QualifiedType = self.operand_type(id).into();
                if !types.contains(&ty) {
                    types.push(ty);
                }
            }
        }
        types
    }

    /// An lvalue reference to what is not `const`.
    fn is_changeable_reference(&self, ty: QualifiedType) -> bool {
        match *self.program.types.get(ty.id) {
            Type::LValueReference(to) => !self.program.types.qualifiers_of(to).is_const(),
            _ => false,
        }
    }

    /// A type after the array and function conversions.
    fn decayed_type(&mut self, ty: QualifiedType) -> TypeId {
        match *self.program.types.get(ty.id) {
            Type::Array(element, _) => self.program.types.pointer(element),
            Type::Function(_) => self.program.types.pointer(ty),
            _ => ty.id,
        }
    }

    /// The type as which an operand takes part in a built-in operator: promoted if arithmetic.
    fn operand_type(&self, id: TypeId) -> TypeId {
        if is_arithmetic_or_unscoped(&self.program, id) {
            promoted(&self.program, id)
        } else {
            id
        }
    }

    /// Whether there is a built-in operator for these types ([over.built]); roughly, what has none of the right kind is left out.
    fn built_in_exists(&self, operator: OperatorName, types: &[QualifiedType]) -> bool {
        let program = &self.program;
        let arithmetic = |ty: &QualifiedType| is_arithmetic_or_unscoped(program, ty.id);
        let integral = |ty: &QualifiedType| program.types.is_integral(ty.id);
        let pointer = |ty: &QualifiedType| program.types.pointee(ty.id).is_some();
        match (operator, types) {
            (OperatorName::LogicalAnd | OperatorName::LogicalOr | OperatorName::Not, _) => true,
            (OperatorName::Remainder | OperatorName::BitAnd | OperatorName::BitOr | OperatorName::BitXor, [a, b]) => {
                integral(a) && integral(b)
            }
            (OperatorName::ShiftLeft | OperatorName::ShiftRight, [a, b]) => integral(a) && integral(b),
            (OperatorName::Multiply | OperatorName::Divide, [a, b]) => arithmetic(a) && arithmetic(b),
            (OperatorName::Add | OperatorName::Subscript, [a, b]) => {
                (arithmetic(a) && arithmetic(b)) || (pointer(a) && integral(b)) || (integral(a) && pointer(b))
            }
            (OperatorName::Subtract, [a, b]) => {
                (arithmetic(a) && arithmetic(b)) || (pointer(a) && (integral(b) || pointer(b)))
            }
            (_, [a, b]) => (arithmetic(a) && arithmetic(b)) || (!arithmetic(a) && !arithmetic(b)),
            (OperatorName::Multiply, [a]) => pointer(a),
            (OperatorName::Complement, [a]) => integral(a),
            (_, [a]) => arithmetic(a) || pointer(a),
            _ => false,
        }
    }

    /// Operands of class type as what the built-in operator chosen takes; others as they are.
    fn convert_for_built_in(&mut self, operands: &[Operand<'a>], types: &[QualifiedType]) -> Vec<ExpressionId> {
        let mut converted = Vec::with_capacity(operands.len());
        for (operand, &ty) in operands.iter().zip(types) {
            let expression = match operand {
                &Operand::Expression(expression)
                    if self.program.types.as_class(self.type_of(expression).id).is_none() =>
                {
                    expression
                }
                operand => self.convert_permitted(operand, ty, Permit::DIRECT, "an operand"),
            };
            converted.push(expression);
        }
        converted
    }

    /// What `operator->` of an object gives; `None` if there is none.
    pub(super) fn arrow_operator(&mut self, object: ExpressionId, span: Span) -> Option<ExpressionId> {
        let name = self.operator_symbol(OperatorName::Arrow);
        let class = self.program.types.as_class(self.type_of(object).id)?;
        let Found::Functions(candidates) = self.lookup_member(class, name).found else {
            return None;
        };
        let object = self.materialised(object);
        Some(self.call_candidates(&candidates, None, Some(object), &[], false, "`operator->`", span))
    }

    /// A class prvalue or glvalue contextually and implicitly converted to the one type of a kind that its conversion functions give ([conv]/5): for `switch`, array
    /// bounds, `delete`.
    pub(crate) fn convert_to_class_of_types(
        &mut self,
        expression: ExpressionId,
        what: &str,
        fits: impl Fn(&Self, TypeId) -> bool,
    ) -> ExpressionId {
        let span = self.span_of(expression);
        let Some(class) = self.program.types.as_class(self.type_of(expression).id) else {
            return expression;
        };
        let mut wanted: Vec<(TypeId, FunctionId)> = Vec::new();
        for candidate in self.conversion_functions(class) {
            let Callable::Function(function) = candidate.callable else {
                continue;
            };
            if self.program.function(function).is_explicit {
                continue;
            }
            let result = self.result_type(function, Span::NONE);
            let id = self.program.types.strip_reference(result).id;
            if fits(self, id) && !wanted.iter().any(|&(other, _)| other == id) {
                wanted.push((id, function));
            }
        }
        match wanted[..] {
            [(id, _)] => self.convert_expression(expression, id, what),
            [] => {
                let message = format!(
                    "{} does not convert to what {what} needs",
                    self.quote(self.type_of(expression))
                );
                self.fail(span, message)
            }
            _ => {
                let functions: Vec<FunctionId> = wanted.iter().map(|&(_, function)| function).collect();
                self.report_ambiguous(span, &format!("the conversion for {what}"), &functions);
                self.poison(span)
            }
        }
    }
}

fn is_assignment(operator: OperatorName) -> bool {
    matches!(
        operator,
        OperatorName::Assign
            | OperatorName::AddAssign
            | OperatorName::SubtractAssign
            | OperatorName::MultiplyAssign
            | OperatorName::DivideAssign
            | OperatorName::RemainderAssign
            | OperatorName::BitXorAssign
            | OperatorName::BitAndAssign
            | OperatorName::BitOrAssign
            | OperatorName::ShiftLeftAssign
            | OperatorName::ShiftRightAssign
    )
}
