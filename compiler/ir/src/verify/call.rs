//! Calls.

use super::{Checker, attributes, within};
use crate::function::InstructionId;
use crate::instruction::{Call, Callee};
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
                self.rule(
                    id,
                    declared && known,
                    &format!(
                        "{} is called with the types that the table of intrinsics has",
                        intrinsic.name()
                    ),
                );
            }
            Callee::Assembly(assembly) => {
                let outputs = assembly
                    .constraints
                    .split(',')
                    .filter(|constraint| constraint.starts_with('='))
                    .count();
                let results = match data.result {
                    Type::Void => 0,
                    Type::Struct(structure) => context.struct_data(structure).fields.len(),
                    _ => 1,
                };
                // Outputs in memory (`=*m`) have no result.
                let indirect = assembly
                    .constraints
                    .split(',')
                    .filter(|constraint| constraint.starts_with("=*"))
                    .count();
                self.rule(
                    id,
                    outputs - indirect == results,
                    "assembly has as many results as its constraints have outputs",
                );
            }
        }
        if !call.argument_attributes.is_empty() {
            self.rule(
                id,
                call.argument_attributes.len() == call.arguments.len(),
                "attributes are of each argument or of none",
            );
        }
        for (attributes, ty) in call.argument_attributes.iter().zip(types) {
            if let Some(rule) = attributes::broken_rule(attributes, ty) {
                self.wrong(id, rule);
            }
        }
    }
}
