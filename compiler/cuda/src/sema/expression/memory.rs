//! `new` and `delete` ([expr.new], [expr.delete]).

use crate::hir::expression::Allocation;
use crate::hir::{
    self, CastKind, ExpressionId, ExpressionKind, FunctionId, FunctionName, FunctionType, QualifiedType, Type, Types,
};
use crate::sema::Sema;
use crate::sema::conversion::implicit::Permit;
use crate::sema::entity::{Candidate, Entity, Found};
use crate::sema::overload::{Call, Callee, Resolution};
use crate::source::Span;
use crate::syntax::ast::{self, OperatorName};

use super::Operand;

impl<'a> Sema<'a> {
    /// `new T`, `new T[n]`, `new (place) T`.
    pub(super) fn new_expression(&mut self, new: &'a ast::NewExpression, span: Span) -> ExpressionId {
        let ast = self.ast;
        let Some(placement) = self.operands(&new.placement) else {
            return self.poison(span);
        };
        let count_syntax = match ast[ast[new.type_id].declarator].chunks.first() {
            Some(&ast::DeclaratorChunk::Array { size, .. }) => Some(size),
            _ => None,
        };
        let (ty, count) = match count_syntax {
            Some(Some(size)) => self.new_array_type(new.type_id, size, span),
            Some(None) => {
                let ty = self.type_of_type_id(new.type_id);
                let list = new
                    .initializer
                    .as_ref()
                    .map_or(0, |initializer| self.clause_count(initializer));
                let count = self.integer(list as i128, Types::UNSIGNED_LONG, span);
                (self.program.types.element(ty.id).unwrap_or(ty), Some(count))
            }
            None => {
                let mut ty = self.type_of_type_id(new.type_id);
                if self.contains_placeholder(ty) {
                    let deduced = new
                        .initializer
                        .as_ref()
                        .and_then(|initializer| self.auto_from_initialiser(ty, initializer, span));
                    ty = deduced.unwrap_or(Types::ERROR.into());
                }
                match *self.program.types.get(ty.id) {
                    Type::Array(element, Some(length)) => {
                        let count = self.integer(i128::from(length), Types::UNSIGNED_LONG, span);
                        (element, Some(count))
                    }
                    _ => (ty, None),
                }
            }
        };
        if ty.id == Types::ERROR
            || count.is_some_and(|count| self.is_poisoned(count))
            || !self.require_complete(ty.id, span, "`new` of")
        {
            return self.poison(span);
        }
        let initialiser = self.new_initialiser(ty, count, new.initializer.as_ref(), span);
        if initialiser.is_some_and(|value| self.is_poisoned(value)) {
            return self.poison(span);
        }
        let Some(allocation) = self.allocation(ty, count.is_some(), new.global, placement, span) else {
            return self.poison(span);
        };
        let element_destructor = if count.is_some() && !matches!(allocation, Allocation::Place(_)) {
            self.destructor_of(ty, span)
        } else {
            None
        };
        let pointer = self.program.types.pointer(ty);
        let kind = ExpressionKind::New {
            allocated: ty,
            count,
            allocation,
            initialiser,
            element_destructor,
        };
        self.value(kind, pointer, span)
    }

    /// The element type and the count of `new T[n]`, where `n` need not be constant.
    fn new_array_type(
        &mut self,
        type_id: ast::Id<ast::TypeId>,
        size: ast::Id<ast::Expression>,
        span: Span,
    ) -> (QualifiedType, Option<ExpressionId>) {
        let operand = self.expression(size);
        let count = if self.program.types.as_class(self.type_of(operand).id).is_some() {
            self.convert_to_class_of_types(operand, "the length of an array", |sema, ty| {
                sema.program.types.is_integral(ty)
            })
        } else {
            operand
        };
        let count = self.decay(count);
        let is_integral =
            crate::sema::conversion::arithmetic::is_integral_or_unscoped(&self.program, self.type_of(count).id);
        if !is_integral && !self.is_poisoned(count) {
            let message = format!(
                "the length of an array must be an integer, but it is {}",
                self.quote(self.type_of(count))
            );
            return (Types::ERROR.into(), Some(self.fail(span, message)));
        }
        let count = self.convert_arithmetic(count, Types::UNSIGNED_LONG);
        let ty = self.element_type_of_new(type_id);
        (ty, Some(count))
    }

    /// The element type of an array's type-id whose first bound need not be constant.
    fn element_type_of_new(&mut self, type_id: ast::Id<ast::TypeId>) -> QualifiedType {
        let node = &self.ast[type_id];
        let base = self.specifiers_type(node.specifiers, false);
        self.declarator_type_but(base, node.declarator, 1).ty
    }

    /// The clauses of a list that says how long an array is.
    fn clause_count(&self, initializer: &ast::Initializer) -> usize {
        match *initializer {
            ast::Initializer::Braced(list) | ast::Initializer::Equal(list) => match &self.ast[list].kind {
                ast::ExpressionKind::InitializerList(clauses) => clauses.len(),
                _ => 1,
            },
            ast::Initializer::Parenthesized(ref list) => list.len(),
        }
    }

    fn new_initialiser(
        &mut self,
        ty: QualifiedType,
        count: Option<ExpressionId>,
        initializer: Option<&'a ast::Initializer>,
        span: Span,
    ) -> Option<ExpressionId> {
        let what = "the new object";
        let value = match initializer {
            None => self.default_initialise(ty.unqualified(), span, what),
            Some(ast::Initializer::Parenthesized(arguments)) => {
                let operands = self.operands(arguments)?;
                self.direct_initialise(ty, &operands, span, what)
            }
            Some(&ast::Initializer::Braced(list) | &ast::Initializer::Equal(list)) => {
                let operand = self.operand(list);
                match (count, &operand) {
                    (Some(_), Operand::List(clauses)) if clauses.clauses.is_empty() => {
                        self.value_initialise(ty, span, what)
                    }
                    (Some(count), Operand::List(_)) => {
                        let length = self
                            .try_evaluate(count)
                            .and_then(|length| length.as_integer())
                            .and_then(|length| u64::try_from(length).ok());
                        let Some(length) = length else {
                            return Some(self.fail(
                                span,
                                "an array of a length that is not constant cannot be initialized by a list",
                            ));
                        };
                        let array = self.program.types.array(ty, Some(length));
                        self.convert_permitted(&operand, array.into(), Permit::DIRECT, what)
                    }
                    _ => self.convert_permitted(&operand, ty, Permit::DIRECT, what),
                }
            }
        };
        if matches!(self.program.expression(value).kind, ExpressionKind::Uninitialised) {
            None
        } else {
            Some(value)
        }
    }

    /// Where the memory is from: a class's or the program's own allocation function, the placement form, or the heap.
    fn allocation(
        &mut self,
        ty: QualifiedType,
        is_array: bool,
        global: bool,
        placement: Vec<Operand<'a>>,
        span: Span,
    ) -> Option<Allocation> {
        let operator = if is_array {
            OperatorName::NewArray
        } else {
            OperatorName::New
        };
        let candidates = self.allocation_candidates(ty, operator, global);
        let is_plain_placement = match &placement[..] {
            &[Operand::Expression(place)] => self.is_pointer_to_object(place),
            _ => false,
        };
        let own_class = candidates.iter().any(|candidate| candidate.naming.is_some());
        if placement.is_empty() && !own_class {
            return Some(match self.replacement(&candidates, span) {
                Some(function) => Allocation::Function(function, Vec::new()),
                None => Allocation::Heap,
            });
        }
        if is_plain_placement && !own_class {
            let Some(&Operand::Expression(place)) = placement.first() else {
                return None;
            };
            let void = self.program.types.pointer(Types::VOID);
            let place = self.convert_expression(place, void, "the place of `new`");
            return (!self.is_poisoned(place)).then_some(Allocation::Place(place));
        }
        let size = self.program.size_of(ty.id);
        let size = self.integer(i128::from(size), Types::UNSIGNED_LONG, span);
        let mut operands = vec![Operand::Expression(size)];
        operands.extend(placement);
        let call = Call {
            object: None,
            operands: &operands,
            arguments: None,
            user: true,
            skip_explicit: false,
            is_operator: false,
            span,
        };
        match self.resolve(&candidates, &call, Vec::new()) {
            Resolution::Best(best) => {
                let Callee::Function(function) = best.callee else {
                    return None;
                };
                if !self.use_function(function, span) {
                    return None;
                }
                let mut arguments = self.call_arguments(function, &operands, &best.sequences, span);
                arguments.remove(0);
                Some(Allocation::Function(function, arguments))
            }
            Resolution::Ambiguous(functions) => {
                self.report_ambiguous(span, "the allocation function of `new`", &functions);
                None
            }
            Resolution::None(rejected) => {
                let what = format!("`operator {}`", operator.spelling());
                self.report_no_match(span, &what, &operands, &rejected);
                None
            }
        }
    }

    /// The program's own function in place of a usual allocation or deallocation function [replacement.functions], for the device. Where it turns out to have no
    /// body, it is the heap's.
    fn replacement(&mut self, candidates: &[Candidate], span: Span) -> Option<FunctionId> {
        let usual = candidates.iter().filter_map(|candidate| {
            let crate::sema::Callable::Function(id) = candidate.callable else {
                return None;
            };
            let function = self.program.function(id);
            let parameters = &self.program.types.as_function(function.ty)?.parameters;
            let first = parameters.first()?.id;
            let is_usual = match function.name {
                FunctionName::Operator(hir::OperatorName::New | hir::OperatorName::NewArray) => {
                    first == Types::UNSIGNED_LONG && parameters.len() == 1
                }
                // One that wants the size comes before one that does not [expr.delete].
                FunctionName::Operator(hir::OperatorName::Delete | hir::OperatorName::DeleteArray) => {
                    parameters[1..].iter().all(|size| size.id == Types::UNSIGNED_LONG) && parameters.len() <= 2
                }
                _ => false,
            };
            (is_usual && function.space.device).then_some((parameters.len(), id))
        });
        let (_, own) = usual.max_by_key(|(parameters, _)| *parameters)?;
        self.use_function(own, span).then_some(own)
    }

    /// Declares the allocation and deallocation functions that are there in every unit [basic.stc.dynamic].
    pub(crate) fn declare_usual_allocation(&mut self) {
        use OperatorName::{Delete, DeleteArray, New, NewArray};
        let void: QualifiedType = self.program.types.pointer(Types::VOID).into();
        let size: QualifiedType = Types::UNSIGNED_LONG.into();
        for (operator, known) in [(New, hir::OperatorName::New), (NewArray, hir::OperatorName::NewArray)] {
            self.declare_usual(operator, known, FunctionType::new(void, vec![size]));
        }
        for (operator, known) in [
            (Delete, hir::OperatorName::Delete),
            (DeleteArray, hir::OperatorName::DeleteArray),
        ] {
            for parameters in [vec![void], vec![void, size]] {
                let mut ty = FunctionType::new(Types::VOID.into(), parameters);
                ty.noexcept = true;
                self.declare_usual(operator, known, ty);
            }
        }
    }

    fn declare_usual(&mut self, operator: OperatorName, known: hir::OperatorName, ty: FunctionType) {
        let ty = self.program.types.function(ty);
        let scope = hir::Scope::Namespace(hir::Program::GLOBAL);
        let function = hir::Function::new(FunctionName::Operator(known), scope, ty, Span::NONE);
        let name = self.operator_symbol(operator);
        let id = self.add_function(function, name);
        self.declare(name, Entity::Function(id), Span::NONE);
    }

    fn is_pointer_to_object(&self, place: ExpressionId) -> bool {
        let ty = self.type_of(place);
        match *self.program.types.get(ty.id) {
            Type::Pointer(to) => self.program.types.as_function(to.id).is_none(),
            Type::Array(..) => true,
            _ => false,
        }
    }

    /// A class's allocation or deallocation functions, else those of the global namespace.
    fn allocation_candidates(&mut self, ty: QualifiedType, operator: OperatorName, global: bool) -> Vec<Candidate> {
        let name = self.operator_symbol(operator);
        if let (Some(class), false) = (self.program.types.as_class(ty.id), global)
            && let Found::Functions(mut candidates) = self.lookup_member(class, name).found
        {
            for candidate in &mut candidates {
                candidate.naming.get_or_insert(class);
            }
            return candidates;
        }
        match self.lookup_qualified(crate::sema::ScopeId::GLOBAL, name).found {
            Found::Functions(mut candidates) => {
                for candidate in &mut candidates {
                    candidate.naming = None;
                }
                candidates
            }
            _ => Vec::new(),
        }
    }

    /// `delete p`, `delete[] p`.
    pub(super) fn delete_expression(
        &mut self,
        global: bool,
        array: bool,
        operand: ast::Id<ast::Expression>,
        span: Span,
    ) -> ExpressionId {
        let operand = self.expression(operand);
        let operand = if self.program.types.as_class(self.type_of(operand).id).is_some() {
            self.convert_to_class_of_types(operand, "`delete`", |sema, ty| sema.program.types.pointee(ty).is_some())
        } else {
            operand
        };
        let pointer = self.decay(operand);
        if self.is_poisoned(pointer) {
            return pointer;
        }
        let Some(to) = self.program.types.pointee(self.type_of(pointer).id) else {
            let message = format!(
                "`delete` needs a pointer, but this is {}",
                self.quote(self.type_of(pointer))
            );
            return self.fail(span, message);
        };
        if to.id == Types::VOID || self.program.types.as_function(to.id).is_some() {
            let message = format!(
                "`delete` needs a pointer to an object, but this points to {}",
                self.quote(to)
            );
            return self.fail(span, message);
        }
        self.complete_type(to.id);
        let destructor = self.destructor_of(to, span);
        let virtual_destructor =
            !array && destructor.is_some_and(|function| self.program.function(function).is_virtual);
        let deallocation = self.deallocation(to, array, global, span);
        let pointer = if to.qualifiers.is_empty() {
            pointer
        } else {
            let plain = self.program.types.pointer(to.unqualified());
            self.cast(CastKind::Pointer, pointer, plain)
        };
        self.value(
            ExpressionKind::Delete {
                pointer,
                array,
                destructor,
                virtual_destructor,
                deallocation,
            },
            Types::VOID,
            span,
        )
    }

    /// A class's or the program's own deallocation function.
    fn deallocation(&mut self, ty: QualifiedType, array: bool, global: bool, span: Span) -> Option<FunctionId> {
        let operator = if array {
            OperatorName::DeleteArray
        } else {
            OperatorName::Delete
        };
        let candidates = self.allocation_candidates(ty, operator, global);
        let Some(own) = candidates.iter().find(|candidate| candidate.naming.is_some()) else {
            return self.replacement(&candidates, span);
        };
        let crate::sema::Callable::Function(function) = own.callable else {
            return None;
        };
        self.use_function(function, span);
        Some(function)
    }
}
