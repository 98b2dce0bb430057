//! The conversion of a closure without captures to a pointer to function ([expr.prim.lambda.closure]/7): to a function of its own that calls the call operator
//! on a closure.

use crate::hir::{
    self, CallOperator, Callee, CastKind, ClassId, ExpressionKind, FunctionBody, FunctionId, FunctionName,
    FunctionType, InlineHint, Linkage, Qualifiers, RefQualifier, Scope, StatementKind, StorageDuration, Types,
};
use crate::sema::Callable;
use crate::sema::Sema;
use crate::sema::entity::{Candidate, Definition};

impl<'a> Sema<'a> {
    /// Adds the conversion function to a complete closure class.
    pub(super) fn add_pointer_conversion(&mut self, class: ClassId) {
        let Some(CallOperator::Plain(operator)) = self.program.class(class).lambda else {
            return;
        };
        let node = self.program.function(operator);
        let (ty, span, space) = (node.ty, node.span, node.space);
        let Some(mut signature) = self.program.types.as_function(ty).cloned() else {
            return;
        };
        if self.contains_placeholder(signature.result) || signature.variadic || signature.result.id == Types::ERROR {
            return;
        }
        signature.qualifiers = Qualifiers::NONE;
        signature.reference = RefQualifier::None;
        let plain = self.program.types.function(signature);
        let invoker = self.make_invoker(class, operator, plain);
        let pointer = self.program.types.pointer(plain);
        let mut conversion_type = FunctionType::new(pointer.into(), Vec::new());
        conversion_type.qualifiers = Qualifiers::CONST;
        conversion_type.noexcept = true;
        let conversion_type = self.program.types.function(conversion_type);
        let mut conversion = hir::Function::new(
            FunctionName::Conversion(pointer.into()),
            Scope::Class(class),
            conversion_type,
            span,
        );
        conversion.has_this = true;
        conversion.space = space;
        conversion.inline = InlineHint::Inline;
        conversion.linkage = Linkage::Internal;
        conversion.is_constexpr = true;
        let name = self.context.interner.intern("operator function pointer");
        let conversion = self.add_function(conversion, name);
        let lvalue = self.lvalue(ExpressionKind::Function(invoker), plain, span);
        let value = self.cast(CastKind::FunctionToPointer, lvalue, pointer);
        let statement = self.program.add_statement(StatementKind::Return(Some(value)), span);
        self.finish_made(conversion, class, statement);
        self.classes[class.index()]
            .conversions
            .push(Candidate::new(Callable::Function(conversion)));
    }

    /// The function that the pointer points to.
    fn make_invoker(&mut self, class: ClassId, operator: FunctionId, plain: hir::TypeId) -> FunctionId {
        let node = self.program.function(operator);
        let (span, space, parameters) = (node.span, node.space, node.parameters.clone());
        let mut invoker = hir::Function::new(
            FunctionName::Identifier("__invoke".into()),
            Scope::Class(class),
            plain,
            span,
        );
        invoker.space = space;
        invoker.inline = InlineHint::Inline;
        invoker.linkage = Linkage::Internal;
        invoker.is_constexpr = true;
        let name = self.context.interner.intern("__invoke");
        let invoker = self.add_function(invoker, name);
        let mut variables = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            let (ty, name) = (
                self.program.variable(parameter).ty,
                self.program.variable(parameter).name.clone(),
            );
            let variable = hir::Variable::new(name, Scope::Function(invoker), ty, StorageDuration::Parameter, span);
            let symbol = self.variables[parameter.index()].name;
            let variable = self.add_variable(variable, symbol);
            self.variables[variable.index()].function = Some(invoker);
            variables.push(variable);
        }
        let closure = self.program.types.class(class);
        let object = self.value(
            ExpressionKind::Aggregate {
                bases: Vec::new(),
                fields: Vec::new(),
            },
            closure,
            span,
        );
        let object = self.materialised(object);
        let this = self.address_of(object, span);
        let mut arguments = vec![this];
        arguments.extend(self.forwarded(&variables, span));
        self.program.function_mut(invoker).parameters = variables;
        let result = self
            .program
            .types
            .as_function(plain)
            .map_or(Types::ERROR.into(), |ty| ty.result);
        let call = self.finish_call(Callee::Direct(operator), arguments, result, span);
        let mut statements = Vec::new();
        if result.id == Types::VOID {
            statements.push(self.program.add_statement(StatementKind::Expression(call), span));
        } else {
            statements.push(self.program.add_statement(StatementKind::Return(Some(call)), span));
        }
        let statement = self.program.add_statement(StatementKind::Block(statements), span);
        self.finish_made(invoker, class, statement);
        invoker
    }

    fn finish_made(&mut self, function: FunctionId, class: ClassId, statement: hir::StatementId) {
        self.program.function_mut(function).body = Some(FunctionBody {
            initialisers: Vec::new(),
            statement,
        });
        let info = &mut self.functions[function.index()];
        info.class = Some(class);
        info.definition = Definition::Done;
    }
}
