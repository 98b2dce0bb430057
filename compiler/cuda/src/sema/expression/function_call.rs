//! Calls of functions that are chosen: use, execution space, arguments, virtual calls, and calls that are something else in truth.

use crate::hir::{Callee, CastKind, ExpressionId, ExpressionKind, FunctionId, FunctionName, QualifiedType, Types};
use crate::sema::Sema;
use crate::sema::builtins;
use crate::sema::conversion::implicit::Sequence;
use crate::sema::entity::{Definition, SpecialMember};
use crate::source::{Report, Span};

use super::Operand;

impl<'a> Sema<'a> {
    /// Calls a function on an object that is a glvalue of its class already.
    pub(crate) fn call_function(
        &mut self,
        function: FunctionId,
        object: Option<ExpressionId>,
        operands: &[Operand<'a>],
        sequences: &[Option<Sequence>],
        qualified: bool,
        span: Span,
    ) -> ExpressionId {
        if object.is_some_and(|object| self.is_poisoned(object)) {
            return self.poison(span);
        }
        if self.program.function(function).has_this && object.is_none() && !self.is_constructor(function) {
            let message = format!(
                "{} is a member function and needs an object",
                self.describe_function(function)
            );
            return self.fail(span, message);
        }
        if let Some(builtin) = self.builtin_for(function) {
            let arguments = self.call_arguments(function, operands, sequences, span);
            return self.finish_builtin(builtin, arguments, span);
        }
        if !self.check_kernel(function, span) || !self.use_function(function, span) {
            return self.poison(span);
        }
        let arguments = self.call_arguments(function, operands, sequences, span);
        self.check_format(function, operands, &arguments, span);
        if let Some(assignment) = self.trivial_assignment(function, object, &arguments, span) {
            return assignment;
        }
        let result = self.result_type(function, span);
        let mut all = Vec::with_capacity(arguments.len() + 1);
        if let Some(object) = object {
            all.push(self.address_of(object, span));
        }
        all.extend(arguments);
        let is_virtual = self.program.function(function).is_virtual && !qualified && object.is_some();
        let callee = if is_virtual {
            Callee::Virtual(function)
        } else {
            Callee::Direct(function)
        };
        let call = self.finish_call(callee, all, result, span);
        if self.function_info(function).is_consteval && !self.function.evaluation.unevaluated {
            return self.immediate(call, span);
        }
        call
    }

    fn is_constructor(&self, function: FunctionId) -> bool {
        self.program.function(function).name == FunctionName::Constructor
    }

    /// A call of a `consteval` function, replaced by its value ([expr.const]/13).
    fn immediate(&mut self, call: ExpressionId, span: Span) -> ExpressionId {
        let ty = self.type_of(call);
        if self.is_poisoned(call) || self.category_of(call).is_glvalue() {
            return call;
        }
        match self.evaluate(call, span) {
            Some(value) => self.constant(value, ty, span),
            None => self.poison(span),
        }
    }

    /// A trivial copy or move assignment is an assignment of the object's bytes.
    fn trivial_assignment(
        &mut self,
        function: FunctionId,
        object: Option<ExpressionId>,
        arguments: &[ExpressionId],
        span: Span,
    ) -> Option<ExpressionId> {
        let special = self.function_info(function).special;
        let is_assignment = matches!(
            special,
            Some(SpecialMember::CopyAssignment | SpecialMember::MoveAssignment)
        );
        if !is_assignment || !self.program.function(function).is_trivial {
            return None;
        }
        let (place, &[source]) = (object?, arguments) else {
            return None;
        };
        let ty = self.type_of(place);
        if self.is_poisoned(source) {
            return Some(source);
        }
        let value = if self.category_of(source).is_glvalue() {
            self.cast(CastKind::LValueToRValue, source, ty.unqualified())
        } else {
            source
        };
        let place = self.as_lvalue(place);
        Some(self.lvalue(ExpressionKind::Assign { place, value }, ty, span))
    }

    /// An xvalue as an lvalue: `this` of a member function called on it.
    fn as_lvalue(&mut self, object: ExpressionId) -> ExpressionId {
        if self.is_lvalue(object) {
            return object;
        }
        let ty = self.type_of(object);
        self.cast_glvalue(CastKind::NoOperation, object, ty, crate::hir::ValueCategory::LValue)
    }

    /// The built-in function that a declaration without a body means: the C library's memory functions, and what the toolkit's headers declare.
    fn builtin_for(&mut self, function: FunctionId) -> Option<crate::hir::BuiltinId> {
        let node = self.program.function(function);
        let FunctionName::Identifier(name) = &node.name else {
            return None;
        };
        if node.has_this || node.body.is_some() || !matches!(self.function_info(function).definition, Definition::None)
        {
            return None;
        }
        if node.template_arguments.is_some() || !matches!(node.scope, crate::hir::Scope::Namespace(_)) {
            return None;
        }
        builtins::find(name).filter(|&builtin| builtins::row(builtin).signature != "generic")
    }

    /// Reports a kernel that is called like a function.
    fn check_kernel(&mut self, function: FunctionId, span: Span) -> bool {
        let callee = self.program.function(function);
        if !callee.space.global || self.function.evaluation.unevaluated || self.launching == Some(span) {
            return true;
        }
        let declared = callee.span;
        let message = format!(
            "the kernel {} is called like a function: it must be launched",
            self.describe_function(function)
        );
        self.fail_with(Report::error(span, message).note_at(declared, "declared `__global__` here"));
        false
    }

    /// The call of a built-in function with converted arguments.
    pub(crate) fn finish_builtin(
        &mut self,
        builtin: crate::hir::BuiltinId,
        arguments: Vec<ExpressionId>,
        span: Span,
    ) -> ExpressionId {
        if arguments.iter().any(|&argument| self.is_poisoned(argument)) {
            return self.poison(span);
        }
        let Some(signature) = self.builtin_signature(builtin) else {
            return self.fail(span, "this built-in function cannot be called like this");
        };
        let operands: Vec<Operand<'a>> = arguments.into_iter().map(Operand::Expression).collect();
        let arguments = self.convert_arguments(&signature.parameters, &operands, &[]);
        let result: QualifiedType = signature.result;
        if arguments.iter().any(|&argument| self.is_poisoned(argument)) || result.id == Types::ERROR {
            return self.poison(span);
        }
        self.value(ExpressionKind::Builtin { builtin, arguments }, result, span)
    }
}
