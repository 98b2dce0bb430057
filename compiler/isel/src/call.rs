//! Calls by the PTX ABI.

use std::fmt::Write as _;

use warpsmith_ir::{AddressSpace, Call, Callee, Extension, InstructionId, ParameterAttributes, Type, Value};

use crate::address::{Base, Place};
use crate::function::{Lowering, Upper, emit};
use crate::memory::Kind;
use crate::register::{Class, Operand, Parts, Register};
use crate::signature::{self, Passing, attributes_of, is_passed, passing};
use crate::wide::emit_block;

/// An argument as it is passed.
struct Argument {
    value: Value,
    passing: Passing,
    attributes: ParameterAttributes,
}

impl<'m> Lowering<'m> {
    /// A call of any kind.
    pub(crate) fn lower_call(&mut self, id: InstructionId, call: &'m Call) {
        match &call.callee {
            Callee::Intrinsic(intrinsic, types) => self.lower_intrinsic(id, call, intrinsic.name(), types),
            Callee::Assembly(assembly) => self.lower_assembly(id, call, assembly),
            Callee::Function(function) => {
                let declaration = &self.scope.module.symbols.functions[*function];
                if declaration.name.starts_with("llvm.") {
                    return self.lower_intrinsic(id, call, &declaration.name, &[]);
                }
                let name = self.scope.function_name(*function).to_owned();
                let attributes = (&declaration.parameters[..], &declaration.result_attributes);
                let target = if declaration.ty == call.ty {
                    Target::Direct(name)
                } else {
                    // As a function of another type: by its address.
                    let address = self.register(Class::B64);
                    emit!(self, "mov.u64 {address}, {name}");
                    Target::Indirect(address)
                };
                self.lower_call_sequence(id, call, target, attributes);
            }
            Callee::Indirect(address) => {
                let address = self.operand_register(*address);
                let none = ParameterAttributes::default();
                self.lower_call_sequence(id, call, Target::Indirect(address), (&[], &none));
            }
        }
    }

    fn lower_call_sequence(
        &mut self,
        id: InstructionId,
        call: &'m Call,
        target: Target,
        (parameters, result): (&[ParameterAttributes], &ParameterAttributes),
    ) {
        let context = self.context;
        let data = context.function_data(call.ty);
        let mut arguments = Vec::new();
        let mut variable = Vec::new();
        for (number, &value) in call.arguments.iter().enumerate() {
            if number >= data.parameters.len() {
                variable.push(value);
                continue;
            }
            let attributes = merged(
                attributes_of(parameters, number),
                attributes_of(&call.argument_attributes, number),
            );
            let passing = passing(context, self.type_of(value), &attributes);
            if is_passed(passing) {
                arguments.push(Argument {
                    value,
                    passing,
                    attributes,
                });
            }
        }
        let result_attributes = call.result_attributes.as_deref().unwrap_or(result).clone();
        let returned = signature::result_passing(context, data, &result_attributes);
        // Values are computed outside of the braces: what they define there would not be seen later.
        for argument in arguments.iter().filter(|argument| argument.attributes.byval.is_none()) {
            self.parts(argument.value);
        }
        let mut loaded = Parts::new();
        let result_type = data.result;
        emit_block(self, |lowering| {
            let mut names: Vec<String> = Vec::new();
            for (number, argument) in arguments.iter().enumerate() {
                let name = format!("param{number}");
                lowering.pass_argument(argument, &name);
                names.push(name);
            }
            if data.variadic {
                let name = format!("param{}", names.len());
                lowering.pass_variable_arguments(&variable, &name);
                names.push(name);
            }
            let list = names.join(", ");
            if let Some(passing) = returned {
                let mut declaration = String::new();
                signature::write_parameter(&mut declaration, passing, "retval0");
                emit!(lowering, "{declaration}");
            }
            let result = if returned.is_some() { "(retval0), " } else { "" };
            match &target {
                Target::Direct(name) => {
                    let list = if names.is_empty() {
                        String::new()
                    } else {
                        format!(", ({list})")
                    };
                    emit!(lowering, "call.uni {result}{name}{list}");
                }
                Target::Indirect(address) => {
                    let prototype = lowering.prototype(&arguments, data.variadic, returned);
                    let list = if names.is_empty() {
                        String::new()
                    } else {
                        format!(", ({list})")
                    };
                    emit!(lowering, "call {result}{address}{list}, {prototype}");
                }
            }
            if let Some(passing) = returned {
                loaded = lowering.load_result(result_type, passing);
            }
        });
        if loaded.is_empty() {
            loaded = self.zeros(result_type);
        } else if matches!(result_type, Type::Int(_)) {
            self.upper[id.index()] = Upper::Unknown;
        }
        self.define(id, loaded);
    }

    fn pass_argument(&mut self, argument: &Argument, name: &str) {
        let mut declaration = String::new();
        signature::write_parameter(&mut declaration, argument.passing, name);
        emit!(self, "{declaration}");
        let place = Place {
            base: Base::Symbol(name.to_owned()),
            offset: 0,
            space: AddressSpace::PARAMETER,
        };
        match (argument.attributes.byval, argument.passing) {
            (Some(_), Passing::Bytes { size, align }) => {
                let from = self.place(argument.value);
                self.copy_unrolled(
                    &place,
                    align,
                    &from,
                    argument.attributes.align.max(1),
                    size,
                    &Kind::parameter(),
                );
            }
            _ => self.store_passed(argument.value, argument.passing, argument.attributes.extension, &place),
        }
    }

    /// Arguments beyond the parameters: one array of bytes, each at its own alignment.
    fn pass_variable_arguments(&mut self, values: &[Value], name: &str) {
        let mut offset = 0u64;
        let mut offsets = Vec::new();
        for &value in values {
            let ty = self.type_of(value);
            let align = u64::from(self.context.alignment(ty));
            offset = offset.next_multiple_of(align);
            offsets.push(offset);
            offset += self.context.size(ty);
        }
        emit!(self, ".param .align 8 .b8 {name}[{}]", offset.max(1));
        for (&value, offset) in values.iter().zip(offsets) {
            let base = Base::Symbol(name.to_owned());
            let place = Place {
                base,
                offset: offset as i64,
                space: AddressSpace::PARAMETER,
            };
            let ty = self.type_of(value);
            let parts = self.flatten(ty);
            let operands = self.parts(value);
            let align = self.context.alignment(ty);
            self.store_parts(&parts, &operands, &place, align, &Kind::parameter());
        }
    }

    /// Writes the prototype of an indirect call; its label.
    fn prototype(&mut self, arguments: &[Argument], variadic: bool, returned: Option<Passing>) -> String {
        self.calls += 1;
        let label = format!("prototype_{}", self.calls - 1);
        let mut text = format!("{label} : .callprototype ");
        if let Some(passing) = returned {
            text.push('(');
            signature::write_parameter(&mut text, passing, "_");
            text.push_str(") ");
        }
        text.push_str("_ (");
        let mut separator = "";
        for argument in arguments {
            text.push_str(separator);
            signature::write_parameter(&mut text, argument.passing, "_");
            separator = ", ";
        }
        if variadic {
            let _ = write!(text, "{separator}.param .align 8 .b8 _[]");
        }
        text.push(')');
        emit!(self, "{text}");
        label
    }

    /// Reads the result of a call.
    fn load_result(&mut self, ty: Type, passing: Passing) -> Parts {
        let place = Place {
            base: Base::Symbol("retval0".to_owned()),
            offset: 0,
            space: AddressSpace::PARAMETER,
        };
        match (passing, ty) {
            (Passing::Scalar { bits }, Type::Int(width)) => {
                let register = self.register(Class::of_integer(bits));
                emit!(self, "ld.param.b{bits} {register}, [{place}]");
                let operand = self.narrow(Operand::Register(register), width);
                Parts::from_iter([operand])
            }
            _ => {
                let align = match passing {
                    Passing::Bytes { align, .. } => align,
                    Passing::Scalar { bits } => bits / 8,
                };
                let parts = self.flatten(ty);
                self.load_parts(&parts, &place, align, &Kind::parameter())
            }
        }
    }
}

/// What is called.
enum Target {
    Direct(String),
    Indirect(Register),
}

/// What declaration and call say of an argument, as far as it changes how it is passed.
fn merged(declared: &ParameterAttributes, stated: &ParameterAttributes) -> ParameterAttributes {
    let mut merged = declared.clone();
    merged.byval = declared.byval.or(stated.byval);
    merged.align = if declared.align == 0 {
        stated.align
    } else {
        declared.align
    };
    merged.stack_align = declared.stack_align.max(stated.stack_align);
    if merged.extension == Extension::None {
        merged.extension = stated.extension;
    }
    merged
}
