//! Instructions in the text.

use std::fmt::Write;

use super::attributes::convention;
use super::constants::Terms;
use super::metadata::Nodes;
use super::names::{Names, escaped, quoted_name};
use crate::attributes::ParameterAttributes;
use crate::constant::Constant;
use crate::function::{BlockId, Function, InstructionId};
use crate::instruction::{Access, Atomic, Attachments, Call, Callee, Instruction, TailCall, Value};
use crate::intrinsic::Intrinsic;
use crate::opcode::{AtomicOp, Flags, GepFlags, Scope};
use crate::text::Dialect;
use crate::types::{AddressSpace, FunctionType, Type};

/// Writes the instructions of one function.
pub(super) struct Body<'a, 'm> {
    pub(super) terms: Terms<'a>,
    pub(super) function: &'a Function,
    pub(super) names: &'a Names,
    pub(super) nodes: &'m mut Nodes,
    pub(super) out: &'m mut String,
    /// How many conversions of typed pointers have been written.
    pub(super) casts: u32,
}

impl Body<'_, '_> {
    fn typed(&self) -> bool {
        self.terms.dialect == Dialect::Llvm7
    }

    pub(super) fn value(&self, value: Value) -> String {
        match value {
            Value::Argument(index) => format!("%{}", self.names.argument(index)),
            Value::Instruction(id) => format!("%{}", self.names.instruction(id)),
            Value::Constant(id) => self.terms.constant(id),
        }
    }

    fn with_type(&self, value: Value) -> String {
        format!("{} {}", self.terms.ty(self.function.type_of(value)), self.value(value))
    }

    fn block(&self, block: BlockId) -> String {
        format!("label %{}", self.names.block(block))
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "  {text}");
    }

    /// A pointer as an operand that points to a type: its type and its name. In the old dialect a conversion is written before.
    fn pointer_parts(&mut self, value: Value, pointee: &str) -> (String, String) {
        let ty = self.function.type_of(value);
        let space = match ty.address_space() {
            Some(space) if self.typed() && pointee != "i8" => space,
            _ => return (self.terms.ty(ty), self.value(value)),
        };
        let pointer = self.terms.pointer_to(pointee, space);
        if value.as_constant().is_some() {
            let conversion = format!("bitcast ({} to {pointer})", self.with_type(value));
            return (pointer, conversion);
        }
        self.casts += 1;
        let name = format!("%typed.{}", self.casts);
        let line = format!("{name} = bitcast {} to {pointer}", self.with_type(value));
        self.line(&line);
        (pointer, name)
    }

    fn pointer(&mut self, value: Value, pointee: &str) -> String {
        let (ty, name) = self.pointer_parts(value, pointee);
        format!("{ty} {name}")
    }

    /// Writes an instruction whose result is a pointer to a type, and in the old dialect the conversion to what all pointers are.
    fn pointer_result(&mut self, id: InstructionId, text: &str, pointee: &str, tail: &str) {
        let name = self.names.instruction(id).to_owned();
        let space = self.function.result_type(id).address_space();
        match space {
            Some(space) if self.typed() && pointee != "i8" => {
                self.casts += 1;
                let temporary = format!("%typed.{}", self.casts);
                self.line(&format!("{temporary} = {text}{tail}"));
                let (from, to) = (self.terms.pointer_to(pointee, space), self.terms.pointer_type(space));
                self.line(&format!("%{name} = bitcast {from} {temporary} to {to}"));
            }
            _ => self.line(&format!("%{name} = {text}{tail}")),
        }
    }

    fn atomic(&self, atomic: Atomic) -> String {
        match atomic.scope {
            Scope::System => format!(" {}", atomic.ordering),
            scope => format!(" syncscope(\"{scope}\") {}", atomic.ordering),
        }
    }

    fn access(&self, access: &Access) -> (&'static str, String) {
        let words = match (access.atomic.is_some(), access.volatile) {
            (true, true) => "atomic volatile ",
            (true, false) => "atomic ",
            (false, true) => "volatile ",
            (false, false) => "",
        };
        let ordering = access.atomic.map(|atomic| self.atomic(atomic)).unwrap_or_default();
        (words, format!("{ordering}, align {}", access.align))
    }

    fn flags(&self, flags: Flags) -> String {
        if flags.contains(Flags::FAST) {
            return format!(" fast{}", flags.without(Flags::FAST));
        }
        let old = Flags::FAST | Flags::NO_UNSIGNED_WRAP | Flags::NO_SIGNED_WRAP | Flags::EXACT;
        if self.typed() {
            flags.intersection(old).to_string()
        } else {
            flags.to_string()
        }
    }

    fn path(indices: &[u32]) -> String {
        indices
            .iter()
            .fold(String::new(), |text, index| format!("{text}, {index}"))
    }

    /// Writes an instruction as one line, or more where the old dialect needs conversions.
    pub(super) fn instruction(&mut self, id: InstructionId) {
        let tail = self.tail(id);
        let function = self.function;
        let instruction = function.instruction(id);
        let text = match instruction {
            Instruction::Alloca { ty, count, align } => {
                let pointee = self.terms.ty(*ty);
                let mut text = format!("alloca {pointee}");
                let one = |id| matches!(function.context().constant(id), Constant::Int(value) if value.is_one() && value.bits() == 32);
                if !count.as_constant().is_some_and(one) {
                    let _ = write!(text, ", {}", self.with_type(*count));
                }
                let _ = write!(text, ", align {align}");
                if let Some(AddressSpace(space @ 1..)) = function.result_type(id).address_space() {
                    let _ = write!(text, ", addrspace({space})");
                }
                return self.pointer_result(id, &text, &pointee, &tail);
            }
            Instruction::Gep {
                flags,
                source,
                base,
                indices,
            } => return self.gep(id, *flags, *source, *base, indices, &tail),
            Instruction::Load { pointer, access } => {
                let ty = self.terms.ty(function.result_type(id));
                let (words, rest) = self.access(access);
                let pointer = self.pointer(*pointer, &ty);
                format!("load {words}{ty}, {pointer}{rest}")
            }
            Instruction::Store { pointer, value, access } => {
                let (words, rest) = self.access(access);
                let ty = self.terms.ty(function.type_of(*value));
                let pointer = self.pointer(*pointer, &ty);
                format!("store {words}{}, {pointer}{rest}", self.with_type(*value))
            }
            Instruction::AtomicRmw {
                op: AtomicOp::FAdd,
                pointer,
                value,
                ..
            } if self.typed() && matches!(function.type_of(*value), Type::Float | Type::Double) => {
                self.atomic_add_call(*pointer, *value)
            }
            Instruction::AtomicRmw {
                op,
                pointer,
                value,
                atomic,
                align,
                volatile,
            } => {
                let ty = self.terms.ty(function.type_of(*value));
                let pointer = self.pointer(*pointer, &ty);
                let volatile = if *volatile { "volatile " } else { "" };
                let align = if self.typed() {
                    String::new()
                } else {
                    format!(", align {align}")
                };
                format!(
                    "atomicrmw {volatile}{op} {pointer}, {}{}{align}",
                    self.with_type(*value),
                    self.atomic(*atomic)
                )
            }
            Instruction::CompareExchange {
                pointer,
                expected,
                new,
                atomic,
                failure,
                weak,
                align,
                volatile,
            } => {
                let ty = self.terms.ty(function.type_of(*new));
                let pointer = self.pointer(*pointer, &ty);
                let words = format!(
                    "{}{}",
                    if *weak { "weak " } else { "" },
                    if *volatile { "volatile " } else { "" }
                );
                let align = if self.typed() {
                    String::new()
                } else {
                    format!(", align {align}")
                };
                let (expected, new, atomic) = (self.with_type(*expected), self.with_type(*new), self.atomic(*atomic));
                format!("cmpxchg {words}{pointer}, {expected}, {new}{atomic} {failure}{align}")
            }
            Instruction::Call(call) => self.call(call),
            _ => self.plain(id, instruction),
        };
        if function.result_type(id) == Type::Void {
            self.line(&format!("{text}{tail}"));
        } else {
            let name = self.names.instruction(id).to_owned();
            self.line(&format!("%{name} = {text}{tail}"));
        }
    }

    /// Metadata after an instruction.
    fn tail(&mut self, id: InstructionId) -> String {
        let mut tail = String::new();
        let access = match self.function.instruction(id) {
            Instruction::Load { access, .. } | Instruction::Store { access, .. } => Some(*access),
            _ => None,
        };
        if access.is_some_and(|access| access.invariant) {
            tail.push_str(&self.nodes.attachments_empty("invariant.load"));
        }
        if access.is_some_and(|access| access.nontemporal) {
            tail.push_str(&self.nodes.attachments_one("nontemporal"));
        }
        let none = Attachments::default();
        let attachments = self.function.attachments(id).unwrap_or(&none);
        tail.push_str(&self.nodes.attachments(self.terms, attachments));
        if let Some(location) = self.function.location(id) {
            let number = self.nodes.location(self.terms, location);
            let _ = write!(tail, ", !dbg !{number}");
        }
        tail
    }

    fn gep(&mut self, id: InstructionId, flags: GepFlags, source: Type, base: Value, indices: &[Value], tail: &str) {
        let source_text = self.terms.ty(source);
        let pointer = self.pointer(base, &source_text);
        let list = indices.iter().fold(String::new(), |text, &index| {
            format!("{text}, {}", self.with_type(index))
        });
        let text = format!(
            "getelementptr{} {source_text}, {pointer}{list}",
            self.terms.gep_flags(flags)
        );
        let element = indices.iter().skip(1).fold(source, |ty, &index| self.step(ty, index));
        let pointee = self.terms.ty(element);
        self.pointer_result(id, &text, &pointee, tail);
    }

    fn step(&self, ty: Type, index: Value) -> Type {
        let context = self.function.context();
        match ty {
            Type::Array(array) => context.array_parts(array).element,
            Type::Vector(vector) => context.vector_parts(vector).element,
            _ => {
                let number = match index.as_constant().map(|id| context.constant(id)) {
                    Some(Constant::Int(value)) => value.to_u64().unwrap_or(0),
                    _ => 0,
                };
                context.element(ty, number).unwrap_or(Type::I8)
            }
        }
    }

    /// Instructions without pointees: their text without result and metadata.
    fn plain(&self, id: InstructionId, instruction: &Instruction) -> String {
        let ty = self.function.result_type(id);
        match instruction {
            Instruction::Binary { op, flags, left, right } => {
                format!(
                    "{op}{} {}, {}",
                    self.flags(*flags),
                    self.with_type(*left),
                    self.value(*right)
                )
            }
            Instruction::FNeg { flags, operand } if self.typed() => {
                let ty = self.function.type_of(*operand);
                let zero = negative_zero(self.terms, ty);
                format!(
                    "fsub{} {} {zero}, {}",
                    self.flags(*flags),
                    self.terms.ty(ty),
                    self.value(*operand)
                )
            }
            Instruction::FNeg { flags, operand } => format!("fneg{} {}", self.flags(*flags), self.with_type(*operand)),
            Instruction::ICmp {
                predicate,
                flags,
                left,
                right,
            } => {
                format!(
                    "icmp{} {predicate} {}, {}",
                    self.flags(*flags),
                    self.with_type(*left),
                    self.value(*right)
                )
            }
            Instruction::FCmp {
                predicate,
                flags,
                left,
                right,
            } => {
                format!(
                    "fcmp{} {predicate} {}, {}",
                    self.flags(*flags),
                    self.with_type(*left),
                    self.value(*right)
                )
            }
            Instruction::Cast { op, flags, operand } => {
                format!(
                    "{op}{} {} to {}",
                    self.flags(*flags),
                    self.with_type(*operand),
                    self.terms.ty(ty)
                )
            }
            Instruction::Select {
                flags,
                condition,
                on_true,
                on_false,
            } => {
                let flags = if self.typed() {
                    String::new()
                } else {
                    self.flags(*flags)
                };
                let (condition, on_true, on_false) = (
                    self.with_type(*condition),
                    self.with_type(*on_true),
                    self.with_type(*on_false),
                );
                format!("select{flags} {condition}, {on_true}, {on_false}")
            }
            // LLVM 7 has no freeze; there undef is not yet undefined behaviour in a branch.
            Instruction::Freeze { operand } if self.typed() => {
                format!(
                    "select i1 true, {}, {}",
                    self.with_type(*operand),
                    self.with_type(*operand)
                )
            }
            Instruction::Freeze { operand } => format!("freeze {}", self.with_type(*operand)),
            Instruction::Phi { flags, incoming } => self.phi(id, *flags, incoming),
            Instruction::ExtractElement { vector, index } => {
                format!("extractelement {}, {}", self.with_type(*vector), self.with_type(*index))
            }
            Instruction::InsertElement { vector, element, index } => {
                format!(
                    "insertelement {}, {}, {}",
                    self.with_type(*vector),
                    self.with_type(*element),
                    self.with_type(*index)
                )
            }
            Instruction::ShuffleVector { left, right, mask } => {
                let unknown = if self.typed() { "undef" } else { "poison" };
                let lanes: Vec<String> = mask
                    .iter()
                    .map(|&lane| {
                        if lane < 0 {
                            format!("i32 {unknown}")
                        } else {
                            format!("i32 {lane}")
                        }
                    })
                    .collect();
                let (left, right) = (self.with_type(*left), self.with_type(*right));
                format!(
                    "shufflevector {left}, {right}, <{} x i32> <{}>",
                    mask.len(),
                    lanes.join(", ")
                )
            }
            Instruction::ExtractValue { aggregate, indices } => {
                format!("extractvalue {}{}", self.with_type(*aggregate), Self::path(indices))
            }
            Instruction::InsertValue {
                aggregate,
                element,
                indices,
            } => {
                format!(
                    "insertvalue {}, {}{}",
                    self.with_type(*aggregate),
                    self.with_type(*element),
                    Self::path(indices)
                )
            }
            Instruction::Fence(atomic) => format!("fence{}", self.atomic(*atomic)),
            Instruction::Branch { target } => format!("br {}", self.block(*target)),
            Instruction::ConditionalBranch {
                condition,
                on_true,
                on_false,
            } => {
                format!(
                    "br {}, {}, {}",
                    self.with_type(*condition),
                    self.block(*on_true),
                    self.block(*on_false)
                )
            }
            Instruction::Switch { value, default, cases } => {
                let ty = self.terms.ty(self.function.type_of(*value));
                let cases = cases.iter().fold(String::new(), |mut text, case| {
                    let _ = writeln!(
                        text,
                        "    {ty} {}, {}",
                        case_value(&case.value),
                        self.block(case.target)
                    );
                    text
                });
                format!(
                    "switch {}, {} [\n{cases}  ]",
                    self.with_type(*value),
                    self.block(*default)
                )
            }
            Instruction::IndirectBranch { address, targets } => {
                let targets: Vec<String> = targets.iter().map(|&target| self.block(target)).collect();
                format!("indirectbr {}, [{}]", self.with_type(*address), targets.join(", "))
            }
            Instruction::Return { value: Some(value) } => format!("ret {}", self.with_type(*value)),
            Instruction::Return { value: None } => "ret void".to_owned(),
            Instruction::Unreachable => "unreachable".to_owned(),
            // Written by `instruction`.
            Instruction::Alloca { .. }
            | Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::Gep { .. }
            | Instruction::Call(_)
            | Instruction::AtomicRmw { .. }
            | Instruction::CompareExchange { .. } => String::new(),
        }
    }

    /// LLVM's phis have an entry for each edge, ours one for each block.
    fn phi(&self, id: InstructionId, flags: Flags, incoming: &[(BlockId, Value)]) -> String {
        let block = self.function.block_of(id);
        let entries: Vec<String> = incoming
            .iter()
            .flat_map(|&(from, value)| {
                let edges = self
                    .function
                    .successors(from)
                    .iter()
                    .filter(|&&to| Some(to) == block)
                    .count()
                    .max(1);
                let entry = format!("[ {}, %{} ]", self.value(value), self.names.block(from));
                std::iter::repeat_n(entry, edges)
            })
            .collect();
        let flags = if self.typed() { String::new() } else { self.flags(flags) };
        format!(
            "phi{flags} {} {}",
            self.terms.ty(self.function.result_type(id)),
            entries.join(", ")
        )
    }

    /// The type that an indirect call calls with: in the old dialect with the types of what is passed by value.
    fn called_type(&self, call: &Call) -> String {
        let data = self.function.context().function_data(call.ty);
        let none = ParameterAttributes::default();
        let attributes = call.argument_attributes.iter().chain(std::iter::repeat(&none));
        let parameters = data.parameters.iter().zip(attributes);
        let mut parameters: Vec<String> = parameters
            .map(|(&ty, attributes)| self.terms.parameter_type(ty, attributes))
            .collect();
        if data.variadic {
            parameters.push("...".to_owned());
        }
        format!("{} ({})", self.terms.ty(data.result), parameters.join(", "))
    }

    /// LLVM 7 adds floats atomically by an intrinsic.
    fn atomic_add_call(&mut self, pointer: Value, value: Value) -> String {
        let ty = self.function.type_of(value);
        let (text, suffix) = if ty == Type::Double {
            ("double", "f64")
        } else {
            ("float", "f32")
        };
        let space = self.function.type_of(pointer).address_space().unwrap_or_default();
        let name = format!("@llvm.nvvm.atomic.load.add.{suffix}.p{}{suffix}", space.0);
        let parameter = self.terms.pointer_to(text, space);
        self.nodes.declare(format!(
            "declare {text} {name}({parameter}, {text}) nounwind argmemonly"
        ));
        let pointer = self.pointer(pointer, text);
        format!("call {text} {name}({pointer}, {})", self.with_type(value))
    }

    fn call(&mut self, call: &Call) -> String {
        let data = self.function.context().function_data(call.ty);
        let tail = match call.tail {
            TailCall::None => "",
            TailCall::Tail => "tail ",
            TailCall::Must => "musttail ",
            TailCall::Never => "notail ",
        };
        let result = call
            .result_attributes
            .as_ref()
            .map(|attributes| self.terms.parameter_attributes(attributes))
            .unwrap_or_default();
        let returned = if data.variadic {
            self.terms.ty(Type::Function(call.ty))
        } else {
            self.terms.ty(data.result)
        };
        let none = ParameterAttributes::default();
        let mut arguments = Vec::new();
        for (index, &argument) in call.arguments.iter().enumerate() {
            let attributes = call.argument_attributes.get(index).unwrap_or(&none);
            let pointee = argument_pointee(self.terms, call, index, attributes, data.result);
            let (ty, name) = self.pointer_parts(argument, &pointee);
            arguments.push(format!("{ty}{} {name}", self.terms.parameter_attributes(attributes)));
        }
        let callee = match &call.callee {
            Callee::Function(id) => match self.terms.symbols.and_then(|symbols| symbols.functions.get(*id)) {
                Some(declaration) => format!("@{}", quoted_name(&declaration.name)),
                None => format!("@{id}"),
            },
            Callee::Intrinsic(intrinsic, overloads) => {
                format!("@{}", intrinsic_name(self.terms, *intrinsic, overloads, call.ty))
            }
            Callee::Indirect(address) => {
                let pointee = self.called_type(call);
                self.pointer_parts(*address, &pointee).1
            }
            Callee::Assembly(assembly) => {
                let effects = if assembly.side_effects { " sideeffect" } else { "" };
                let stack = if assembly.align_stack { " alignstack" } else { "" };
                let (template, constraints) = (
                    escaped(assembly.template.as_bytes()),
                    escaped(assembly.constraints.as_bytes()),
                );
                format!("asm{effects}{stack} \"{template}\", \"{constraints}\"")
            }
        };
        let attributes = call
            .attributes
            .as_ref()
            .map(|attributes| self.terms.function_attributes(attributes, None))
            .unwrap_or_default();
        let flags = if self.typed() && !call.flags.is_empty() {
            self.flags(call.flags.intersection(Flags::FAST))
        } else {
            self.flags(call.flags)
        };
        let convention = convention(call.convention, false, self.terms.dialect);
        let convention = if convention.is_empty() {
            String::new()
        } else {
            format!(" {}", convention.trim_end())
        };
        format!(
            "{tail}call{flags}{convention}{result} {returned} {callee}({}){attributes}",
            arguments.join(", ")
        )
    }
}

fn case_value(value: &crate::integer::Integer) -> String {
    match value.bits() {
        1 => if value.is_zero() { "false" } else { "true" }.to_owned(),
        _ => value.to_string(),
    }
}

fn negative_zero(terms: Terms<'_>, ty: Type) -> String {
    let scalar = terms.context.scalar(ty);
    let bits = terms.context.bit_size(scalar);
    let zero = terms.context.float(scalar, 1 << (bits - 1).min(63));
    terms.constant(match terms.context.lanes(ty) {
        Some(lanes) => terms.context.splat(lanes, zero),
        None => zero,
    })
}

/// What an argument points to in the old dialect.
fn argument_pointee(
    terms: Terms<'_>,
    call: &Call,
    index: usize,
    attributes: &ParameterAttributes,
    result: Type,
) -> String {
    // What the callee's declaration says is what its type in the text has.
    let declared = match (&call.callee, terms.symbols) {
        (Callee::Function(function), Some(symbols)) => symbols
            .functions
            .get(*function)
            .and_then(|declaration| declaration.parameters.get(index)),
        _ => Some(attributes),
    };
    let by_value = declared.and_then(|attributes| attributes.byval.or(attributes.sret));
    let pointee = by_value.or_else(|| match call.intrinsic() {
        Some(intrinsic) if index == 0 => typed_pointee(intrinsic, result),
        _ => None,
    });
    terms.ty(pointee.unwrap_or(Type::I8))
}

/// Intrinsics whose pointer has the pointee of the result in the old dialect.
fn typed_pointee(intrinsic: Intrinsic, result: Type) -> Option<Type> {
    let name = intrinsic.name();
    let families = ["llvm.nvvm.ldg.", "llvm.nvvm.ldu.", "llvm.nvvm.atomic."];
    families.iter().any(|family| name.starts_with(family)).then_some(result)
}

/// The name of an intrinsic with its suffixes.
pub(super) fn intrinsic_name(terms: Terms<'_>, intrinsic: Intrinsic, overloads: &[Type], ty: FunctionType) -> String {
    let name = intrinsic.full_name(terms.context, overloads);
    if terms.dialect == Dialect::Modern {
        return name;
    }
    let mut pointee = "i8".to_owned();
    if let Some(ty) = typed_pointee(intrinsic, terms.context.function_data(ty).result) {
        pointee.clear();
        crate::intrinsic::mangle(terms.context, ty, &mut pointee);
    }
    let base = intrinsic.name().len();
    let (base, suffixes) = name.split_at(base);
    suffixes.split('.').skip(1).fold(base.to_owned(), |name, suffix| {
        let pointer = suffix
            .strip_prefix('p')
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
        if pointer {
            format!("{name}.{suffix}{pointee}")
        } else {
            format!("{name}.{suffix}")
        }
    })
}

/// The declaration of an intrinsic.
pub(super) fn intrinsic_declaration(
    terms: Terms<'_>,
    intrinsic: Intrinsic,
    overloads: &[Type],
    ty: FunctionType,
) -> String {
    let data = terms.context.function_data(ty);
    let parameters: Vec<String> = data
        .parameters
        .iter()
        .enumerate()
        .map(
            |(index, &parameter)| match (parameter.address_space(), typed_pointee(intrinsic, data.result)) {
                (Some(space), Some(pointee)) if index == 0 && terms.dialect == Dialect::Llvm7 => {
                    terms.pointer_to(&terms.ty(pointee), space)
                }
                _ => terms.ty(parameter),
            },
        )
        .collect();
    let name = intrinsic_name(terms, intrinsic, overloads, ty);
    let attributes = terms.function_attributes(&intrinsic.attributes(), None);
    format!(
        "declare {} @{name}({}){attributes}",
        terms.ty(data.result),
        parameters.join(", ")
    )
}
