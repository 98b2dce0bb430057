//! `asm`: GNU's notation with CUDA's constraint letters to LLVM's.

use warpsmith_ir as ir;

use super::function::FunctionGenerator;
use super::place::Place;
use crate::hir::{AsmOperand, AsmStatement, Constant, ExpressionKind, TypeId, evaluate};

/// An output: its place, type, and the IR type in which it comes.
struct Output {
    place: Place,
    ty: TypeId,
    register: ir::Type,
}

/// The type of a constraint's registers.
fn register_type(letter: char) -> Option<ir::Type> {
    match letter {
        'h' => Some(ir::Type::I16),
        'r' => Some(ir::Type::I32),
        'l' => Some(ir::Type::I64),
        'q' => Some(ir::Type::I128),
        'f' => Some(ir::Type::Float),
        'd' => Some(ir::Type::Double),
        _ => None,
    }
}

/// A template in LLVM's notation.
pub(super) struct Template {
    pub(super) text: String,
    /// Offsets in it and in the template as it was written, in order: from each on both go on with the same text, but where something was changed.
    pub(super) marks: Vec<(usize, usize)>,
}

impl FunctionGenerator<'_, '_> {
    pub(super) fn assembly(&mut self, statement: &AsmStatement) {
        let depth = self.cleanups.len();
        let mut constraints = Vec::new();
        let mut outputs = Vec::new();
        let mut values = Vec::new();
        let mut tied = Vec::new();
        for (index, operand) in statement.outputs.iter().enumerate() {
            let letters = operand.constraint.trim_start_matches(['=', '+', '&', '%']);
            let Some(register) = letters.chars().next().and_then(register_type) else {
                return self.unknown_constraint(&operand.constraint);
            };
            let ty = self.program.type_of(operand.value).id;
            let place = self.place(operand.value);
            let early = if operand.constraint.contains('&') { "&" } else { "" };
            constraints.push(format!("={early}{}", &letters[..1]));
            if operand.constraint.starts_with('+') {
                let old = self.load(place, ty);
                let old = self.register_of(old, ty, register);
                tied.push((index, old));
            }
            outputs.push(Output { place, ty, register });
        }
        for operand in &statement.inputs {
            if !self.assembly_input(operand, &outputs, &mut constraints, &mut values) {
                return;
            }
        }
        for (index, value) in tied {
            constraints.push(index.to_string());
            values.push(value);
        }
        let memory = statement.clobbers.iter().any(|clobber| &**clobber == "memory");
        for clobber in &statement.clobbers {
            constraints.push(format!("~{{{clobber}}}"));
        }
        let template = self.template(statement);
        self.note_template(statement, &template);
        let template = template.text;
        let results: Vec<ir::Type> = outputs.iter().map(|output| output.register).collect();
        let context = &self.generator.context;
        let result = match results.as_slice() {
            [] => ir::Type::Void,
            [single] => *single,
            several => context.structure(several, false),
        };
        let types: Vec<ir::Type> = values.iter().map(|&value| self.body.type_of(value)).collect();
        let ty = context.function_type(result, &types, false);
        let effects = statement.volatile || memory || outputs.is_empty();
        let attributes = ir::FunctionAttributes {
            memory: if effects {
                ir::MemoryEffects::ANY
            } else {
                ir::MemoryEffects::NONE
            },
            convergent: effects,
            nounwind: true,
            ..ir::FunctionAttributes::default()
        };
        let assembly = ir::InlineAssembly {
            template,
            constraints: constraints.join(","),
            side_effects: effects,
            align_stack: false,
        };
        let value = self.build().assembly(assembly, ty, &values, attributes);
        let several = outputs.len() > 1;
        for (index, output) in outputs.into_iter().enumerate() {
            let part = if several {
                self.build().extract_value(value, &[index as u32])
            } else {
                value
            };
            let part = self.value_of_register(part, output.ty);
            self.store(output.place, part, output.ty);
        }
        self.pop_cleanups(depth);
    }

    fn unknown_constraint(&mut self, constraint: &str) {
        self.refuse(format!(
            "the asm constraint \"{constraint}\" is not one of CUDA's: h, r, l, q, f, d, n, C"
        ));
    }

    fn assembly_input(
        &mut self,
        operand: &AsmOperand,
        outputs: &[Output],
        constraints: &mut Vec<String>,
        values: &mut Vec<ir::Value>,
    ) -> bool {
        let ty = self.program.type_of(operand.value).id;
        let text = operand.constraint.trim_start_matches(['%', '&']);
        if let Ok(index) = text.parse::<usize>() {
            let Some(output) = outputs.get(index) else {
                self.refuse(format!(
                    "the asm constraint \"{text}\" names an output that is not there"
                ));
                return false;
            };
            let register = output.register;
            let value = self.value(operand.value);
            let value = self.register_of(value, ty, register);
            constraints.push(index.to_string());
            values.push(value);
            return true;
        }
        match text.chars().next() {
            Some('n' | 'i') => {
                let constant = match &self.program.expression(operand.value).kind {
                    ExpressionKind::Constant(constant) => Some(constant.clone()),
                    _ => evaluate(self.program, operand.value, &crate::hir::Limits::default()).ok(),
                };
                let Some(Constant::Integer(value)) = constant else {
                    self.refuse("an asm operand with the constraint \"n\" must be an integer constant");
                    return false;
                };
                let bits = self.generator.value_type(ty).int_bits().unwrap_or(32).max(32);
                constraints.push("n".to_owned());
                values.push(self.build().int(bits, value));
                true
            }
            Some(letter) => match register_type(letter) {
                Some(register) => {
                    let value = self.value(operand.value);
                    let value = self.register_of(value, ty, register);
                    constraints.push(letter.to_string());
                    values.push(value);
                    true
                }
                None => {
                    self.unknown_constraint(&operand.constraint);
                    false
                }
            },
            None => {
                self.unknown_constraint(&operand.constraint);
                false
            }
        }
    }

    /// A value as the register of a constraint holds it.
    fn register_of(&mut self, value: ir::Value, ty: TypeId, register: ir::Type) -> ir::Value {
        let signed = self.generator.is_signed(ty);
        let mut build = self.build();
        let source = build.type_of(value);
        match (source, register) {
            (source, register) if source == register => value,
            (ir::Type::Pointer(_), ir::Type::Int(_)) => {
                let address = build.cast(ir::CastOp::PtrToInt, value, ir::Type::I64);
                build.resize_int(address, register, false)
            }
            (ir::Type::Int(_), ir::Type::Int(_)) => build.resize_int(value, register, signed),
            (source, ir::Type::Int(_)) if source.is_float() => {
                let bits = ir::Type::Int(build.context().bit_size(source) as u32);
                let raw = build.bitcast(value, bits);
                build.resize_int(raw, register, false)
            }
            (source, register) if source.is_float() && register.is_float() => {
                let wider = build.context().bit_size(register) > build.context().bit_size(source);
                build.cast(
                    if wider { ir::CastOp::FPExt } else { ir::CastOp::FPTrunc },
                    value,
                    register,
                )
            }
            _ => {
                self.refuse("the type of an asm operand does not fit its constraint");
                self.build().undef(register)
            }
        }
    }

    /// The value of a type from the register of a constraint.
    fn value_of_register(&mut self, value: ir::Value, ty: TypeId) -> ir::Value {
        let target = self.generator.value_type(ty);
        let mut build = self.build();
        let register = build.type_of(value);
        match (register, target) {
            (register, target) if register == target => value,
            (ir::Type::Int(_), ir::Type::Pointer(_)) => {
                let address = build.resize_int(value, ir::Type::I64, false);
                build.cast(ir::CastOp::IntToPtr, address, target)
            }
            (ir::Type::Int(_), ir::Type::BOOL) => {
                let zero = build.zero(register);
                build.icmp(ir::IntPredicate::Ne, value, zero)
            }
            (ir::Type::Int(_), ir::Type::Int(_)) => build.resize_int(value, target, false),
            (ir::Type::Int(_), target) if target.is_float() => {
                let bits = ir::Type::Int(build.context().bit_size(target) as u32);
                let raw = build.resize_int(value, bits, false);
                build.bitcast(raw, target)
            }
            (register, target) if register.is_float() && target.is_float() => {
                let wider = build.context().bit_size(target) > build.context().bit_size(register);
                build.cast(
                    if wider { ir::CastOp::FPExt } else { ir::CastOp::FPTrunc },
                    value,
                    target,
                )
            }
            _ => {
                self.refuse("the type of an asm operand does not fit its constraint");
                self.build().undef(target)
            }
        }
    }

    /// The text in LLVM's notation: `%0` and `%[name]` are `$0`, `%%` is `%`, `$` is `$$`.
    fn template(&mut self, statement: &AsmStatement) -> Template {
        let mut text = String::with_capacity(statement.template.len());
        let mut marks = vec![(0, 0)];
        let mut rest = statement.template.chars().peekable();
        // Bytes of the statement's own template before the next character.
        let mut own = 0;
        while let Some(character) = rest.next() {
            let before = (text.len(), own);
            own += character.len_utf8();
            match character {
                '$' => text.push_str("$$"),
                '%' => match rest.peek().copied() {
                    Some('%') => {
                        rest.next();
                        own += 1;
                        text.push('%');
                    }
                    Some('=') => {
                        rest.next();
                        own += 1;
                        text.push_str("${:uid}");
                    }
                    Some('[') => {
                        rest.next();
                        let name: String = rest.by_ref().take_while(|&letter| letter != ']').collect();
                        own += name.len() + 2;
                        let operands = statement.outputs.iter().chain(&statement.inputs);
                        match operands
                            .into_iter()
                            .position(|operand| operand.name.as_deref() == Some(&name))
                        {
                            Some(index) => text.push_str(&format!("${index}")),
                            None => self.refuse(format!("the asm operand '{name}' is not there")),
                        }
                    }
                    Some(digit) if digit.is_ascii_digit() => {
                        let mut number = String::new();
                        while let Some(digit) = rest.peek().copied().filter(char::is_ascii_digit) {
                            number.push(digit);
                            rest.next();
                            own += 1;
                        }
                        // Braces keep a digit that follows apart.
                        text.push_str(&format!("${{{number}}}"));
                    }
                    _ => text.push('%'),
                },
                other => text.push(other),
            }
            // What was changed is one mark, and what goes on behind it another.
            if text.len() - before.0 != own - before.1 || character == '%' {
                marks.extend([before, (text.len(), own)]);
            }
        }
        Template { text, marks }
    }
}
