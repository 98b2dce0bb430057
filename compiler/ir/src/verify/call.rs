//! Calls.

use super::{Checker, assembly, attributes, within};
use crate::constant::Constant;
use crate::function::InstructionId;
use crate::instruction::{Call, Callee, Instruction, TailCall, Value};
use crate::intrinsic::Intrinsic;
use crate::types::Type;

impl Checker<'_> {
    pub(super) fn call(&mut self, id: InstructionId, call: &Call, result: Type) {
        let context = self.function.context();
        let data = context.function_data(call.ty);
        let types: Vec<Type> = call.arguments.iter().map(|&argument| self.ty(argument)).collect();
        let fits = if data.variadic {
            types.starts_with(&data.parameters)
        } else {
            types[..] == data.parameters[..]
        };
        self.rule(id, fits, "a call has the arguments that the type it calls with has");
        self.rule(id, result == data.result, "a call gives a value of the result type");
        match &call.callee {
            Callee::Function(function) => {
                let declaration = self
                    .symbols
                    .functions
                    .get(*function)
                    .filter(|declaration| !declaration.removed);
                let Some(declaration) = declaration.filter(|_| within(*function, self.symbols.functions.len())) else {
                    return self.wrong(id, "a call names a function of the module");
                };
                self.rule(id, declaration.kernel.is_none(), "kernels are launched, not called");
            }
            Callee::Indirect(address) => {
                self.rule(
                    id,
                    self.ty(*address) == Type::POINTER,
                    "a call goes to a generic address",
                );
            }
            Callee::Intrinsic(intrinsic, overloads) => {
                let declared = intrinsic.function_type(context, overloads) == Some(call.ty);
                let known = intrinsic
                    .infer_overloads(context, call.ty)
                    .is_ok_and(|inferred| inferred[..] == overloads[..]);
                if declared && known {
                    self.intrinsic(id, *intrinsic, call);
                } else {
                    let name = intrinsic.name();
                    self.wrong(
                        id,
                        format!("{name} is called with the types that the table of intrinsics has"),
                    );
                }
            }
            Callee::Assembly(assembly) => {
                let results = match data.result {
                    Type::Void => Some(0),
                    Type::Struct(structure) => Some(context.struct_data(structure).fields.len()).filter(|&n| n > 1),
                    _ => Some(1),
                };
                let Some(results) = results else {
                    return self.wrong(
                        id,
                        "a structure that assembly gives has a field for each of several outputs",
                    );
                };
                if let Some(rule) = assembly::broken_rule(&assembly.constraints, &types, results) {
                    self.wrong(id, rule);
                }
            }
        }
        if call.tail == TailCall::Must {
            self.must_be_last(id, call, result);
        }
        if !call.argument_attributes.is_empty() {
            self.rule(
                id,
                call.argument_attributes.len() == call.arguments.len(),
                "attributes are of each argument or of none",
            );
        }
        if let Some(rule) = attributes::broken_rule_of_list(&call.argument_attributes, &types, data.result) {
            self.wrong(id, rule);
        }
        let intrinsic = match &call.callee {
            Callee::Intrinsic(..) => true,
            Callee::Function(function) => self
                .symbols
                .functions
                .get(*function)
                .is_some_and(|one| one.name.starts_with("llvm.")),
            Callee::Indirect(_) | Callee::Assembly(_) => false,
        };
        self.rule(
            id,
            intrinsic || call.argument_attributes.iter().all(|attributes| !attributes.immarg),
            "only arguments of intrinsics are constants (immarg)",
        );
        for (attributes, ty) in call.argument_attributes.iter().zip(types) {
            if let Some(rule) = attributes::broken_rule(attributes, ty) {
                self.wrong(id, rule);
            }
        }
        if let Some(attributes) = &call.result_attributes
            && let Some(rule) = attributes::broken_rule_of_result(attributes, data.result)
        {
            self.wrong(id, rule);
        }
    }

    /// What is asked of the arguments of an intrinsic beyond their types.
    fn intrinsic(&mut self, id: InstructionId, intrinsic: Intrinsic, call: &Call) {
        let function = self.function;
        let context = function.context();
        let constant = |number: usize| {
            let id = call.arguments.get(number)?.as_constant()?;
            match context.constant(id) {
                Constant::Int(value) => Some(value.clone()),
                _ => None,
            }
        };
        for (number, &argument) in call.arguments.iter().enumerate() {
            let number_known = match argument.as_constant().map(|id| context.constant(id)) {
                Some(Constant::Int(_) | Constant::Float { .. }) => true,
                Some(_) | None => false,
            };
            if intrinsic.is_immediate(number) && !number_known {
                let name = intrinsic.name();
                self.wrong(id, format!("argument {} of {name} is a constant number", number + 1));
            }
        }
        let small = |number: usize, most: u64| {
            constant(number).is_none_or(|value| value.to_u64().is_some_and(|value| value <= most))
        };
        let broken = match intrinsic {
            Intrinsic::Bswap
                if !context
                    .bit_size(context.scalar(self.ty(call.arguments[0])))
                    .is_multiple_of(16) =>
            {
                "llvm.bswap is of an even number of bytes"
            }
            Intrinsic::IsFpclass if !small(1, 0x3ff) => "the classes of llvm.is.fpclass are ten bits",
            Intrinsic::Prefetch if !(small(1, 1) && small(2, 3) && small(3, 1)) => {
                "llvm.prefetch is for reading (0) or writing (1), of locality 0 to 3, of instructions (0) or data (1)"
            }
            Intrinsic::VaStart if !context.function_data(function.ty()).variadic => {
                "llvm.va_start is called in a function of a variable number of parameters"
            }
            _ => return,
        };
        self.wrong(id, broken);
    }

    /// What is asked of a call that takes the place of its caller.
    fn must_be_last(&mut self, id: InstructionId, call: &Call, result: Type) {
        let function = self.function;
        if matches!(call.callee, Callee::Assembly(_)) {
            return self.wrong(id, "assembly is not called by musttail");
        }
        let returned = match function.next(id).map(|next| function.instruction(next)) {
            Some(Instruction::Return { value: None }) => result == Type::Void,
            Some(Instruction::Return { value: Some(value) }) => *value == Value::Instruction(id),
            Some(_) | None => false,
        };
        self.rule(
            id,
            returned,
            "a call by musttail is followed by the return of its result",
        );
        let context = function.context();
        let (own, other) = (context.function_data(function.ty()), context.function_data(call.ty));
        let same = own.result == other.result && own.parameters == other.parameters && own.variadic == other.variadic;
        let convention = self
            .symbols
            .functions
            .get(function.id())
            .map(|declaration| declaration.convention);
        self.rule(
            id,
            same && convention == Some(call.convention),
            "a call by musttail is of the type and the convention of its caller",
        );
    }
}
