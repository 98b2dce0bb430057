//! Calls of intrinsics: those with code of their own, then rows of the table, then lane by lane, then through single precision.

use std::fmt::Write as _;

use warpsmith_ir::{AddressSpace, BinaryOp, Call, Constant, Flags, InstructionId, IntPredicate, Type, Value};

use crate::function::{Lowering, Upper, emit};
use crate::global::symbolic;
use crate::parts::{Scalar, flatten, scalar};
use crate::register::{Class, Operand, Parts, Register};
use crate::row::{self, Piece, Row, pieces};

impl<'m> Lowering<'m> {
    /// A call of an intrinsic by its name, with or without overload suffixes, and the types of its overload slots.
    pub(crate) fn lower_intrinsic(&mut self, id: InstructionId, call: &'m Call, name: &str, types: &[Type]) {
        if self.lower_special(id, call, name) {
            return;
        }
        let mangled = types
            .iter()
            .fold(name.to_owned(), |name, ty| format!("{name}.{}", self.suffix(*ty)));
        let row = row::find(&mangled, self.scope.target)
            .or_else(|| row::find(name, self.scope.target))
            .or_else(|| row::find(&without_pointee(&mangled), self.scope.target));
        if let Some(row) = row {
            return self.lower_row(id, call, &row);
        }
        let result_type = self.body.result_type(id);
        if result_type == Type::Void || types.len() != 1 || types[0] != result_type {
            self.unsupported(format_args!("the intrinsic {mangled} on sm_{}", self.scope.target));
            let zeros = self.zeros(result_type);
            return self.define(id, zeros);
        }
        let arguments: Vec<Parts> = call.arguments.iter().map(|&argument| self.parts(argument)).collect();
        let result = self.elementwise(name, result_type, &arguments);
        self.define(id, result);
    }

    /// An intrinsic whose operands and result have one float type, lane by lane.
    pub(crate) fn elementwise(&mut self, name: &str, ty: Type, arguments: &[Parts]) -> Parts {
        let mangled = format!("{name}.{}", self.suffix(ty));
        if let Some(row) = row::find(&mangled, self.scope.target) {
            let registers: Vec<Register> = self
                .flatten(ty)
                .iter()
                .map(|part| self.registers.make(part.class))
                .collect();
            self.write_row(&row, &registers, arguments, &[]);
            return registers.into_iter().map(Operand::Register).collect();
        }
        if let Type::Vector(vector) = ty {
            let data = self.context.vector_parts(vector);
            let lanes: Vec<Vec<Parts>> = arguments.iter().map(|argument| self.elements(ty, argument)).collect();
            let results: Vec<Parts> = (0..data.length as usize)
                .map(|lane| {
                    let arguments: Vec<Parts> = lanes
                        .iter()
                        .map(|lanes| lanes[lane.min(lanes.len() - 1)].clone())
                        .collect();
                    self.elementwise(name, data.element, &arguments)
                })
                .collect();
            return self.assemble(ty, &results);
        }
        if matches!(name, "llvm.minimum" | "llvm.maximum") {
            return self.propagating_extremum(name, ty, arguments);
        }
        if name == "llvm.copysign" && matches!(ty, Type::Half | Type::BFloat) {
            return self.copy_sign_of_half(arguments);
        }
        if name == "llvm.fabs" && matches!(ty, Type::Half | Type::BFloat) {
            let result = self.register(Class::B16);
            emit!(self, "and.b16 {result}, {}, 32767", arguments[0][0]);
            return Parts::from_iter([result.into()]);
        }
        let kind = match ty {
            Type::Half => Scalar::Half,
            Type::BFloat => Scalar::BFloat,
            _ => {
                self.unsupported(format_args!("the intrinsic {mangled} on sm_{}", self.scope.target));
                return self.zeros(ty);
            }
        };
        let wide: Vec<Parts> = arguments
            .iter()
            .map(|argument| Parts::from_iter([self.promoted(kind, argument[0])]))
            .collect();
        let result = self.elementwise(name, Type::Float, &wide);
        Parts::from_iter([self.demoted(kind, result[0])])
    }

    /// Minimum or maximum that gives NaN if an operand is NaN.
    fn propagating_extremum(&mut self, name: &str, ty: Type, arguments: &[Parts]) -> Parts {
        let plain = if name == "llvm.minimum" {
            "llvm.minnum"
        } else {
            "llvm.maxnum"
        };
        if matches!(ty, Type::Half | Type::BFloat) {
            let kind = if ty == Type::Half { Scalar::Half } else { Scalar::BFloat };
            let wide: Vec<Parts> = arguments
                .iter()
                .map(|argument| Parts::from_iter([self.promoted(kind, argument[0])]))
                .collect();
            let result = self.propagating_extremum(name, Type::Float, &wide);
            return Parts::from_iter([self.demoted(kind, result[0])]);
        }
        let number = self.elementwise(plain, ty, arguments);
        let (kind, nan) = match ty {
            Type::Double => ("f64", Operand::Double(0x7FF8_0000_0000_0000)),
            _ => ("f32", Operand::Single(0x7FFF_FFFF)),
        };
        let unordered = self.register(Class::Predicate);
        emit!(
            self,
            "setp.nan.{kind} {unordered}, {}, {}",
            arguments[0][0],
            arguments[1][0]
        );
        Parts::from_iter([self.select_part(unordered.into(), nan, number[0])])
    }

    fn copy_sign_of_half(&mut self, arguments: &[Parts]) -> Parts {
        let bits: [Register; 3] = std::array::from_fn(|_| self.register(Class::B16));
        let [magnitude, sign, result] = bits;
        emit!(self, "and.b16 {magnitude}, {}, 32767", arguments[0][0]);
        emit!(self, "and.b16 {sign}, {}, -32768", arguments[1][0]);
        emit!(self, "or.b16 {result}, {magnitude}, {sign}");
        Parts::from_iter([result.into()])
    }

    /// The overload suffix of a type in the names of intrinsics.
    fn suffix(&self, ty: Type) -> String {
        match ty {
            Type::Int(bits) => format!("i{bits}"),
            Type::Half => "f16".to_owned(),
            Type::BFloat => "bf16".to_owned(),
            Type::Float => "f32".to_owned(),
            Type::Double => "f64".to_owned(),
            Type::Pointer(space) => format!("p{}", space.0),
            Type::Vector(vector) => {
                let data = self.context.vector_parts(vector);
                format!("v{}{}", data.length, self.suffix(data.element))
            }
            _ => "x".to_owned(),
        }
    }

    /// A row of the table.
    fn lower_row(&mut self, id: InstructionId, call: &Call, row: &Row) {
        let arguments: Vec<Parts> = call
            .arguments
            .iter()
            .map(|&argument| {
                if row.instructions.is_empty() {
                    Parts::new()
                } else {
                    self.row_argument(argument)
                }
            })
            .collect();
        let registers = self.define_new(id);
        self.write_row(row, &registers, &arguments, &call.arguments);
    }

    /// The parts of an argument: constants of halves and truth values go to registers, as instructions take none.
    fn row_argument(&mut self, argument: Value) -> Parts {
        let ty = self.type_of(argument);
        let kinds = flatten(self.context, ty).unwrap_or_default();
        let parts = self.parts(argument);
        let immediate = |part: &Operand| part.integer().is_some();
        parts
            .iter()
            .zip(&kinds)
            .map(|(part, kind)| match kind.scalar {
                Scalar::Half | Scalar::BFloat | Scalar::HalfPair | Scalar::BFloatPair if immediate(part) => {
                    self.in_register(*part).into()
                }
                _ => *part,
            })
            .collect()
    }

    /// Writes the instructions of a row.
    fn write_row(&mut self, row: &Row, results: &[Register], arguments: &[Parts], values: &[Value]) {
        let mut temporaries: Vec<((Class, usize), Register)> = Vec::new();
        for instruction in row
            .instructions
            .split(';')
            .map(str::trim)
            .filter(|text| !text.is_empty())
        {
            let mut text = String::new();
            self.fill_row(
                &mut text,
                instruction,
                row,
                results,
                arguments,
                values,
                &mut temporaries,
            );
            emit!(self, "{text}");
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn fill_row(
        &mut self,
        text: &mut String,
        instruction: &str,
        row: &Row,
        results: &[Register],
        arguments: &[Parts],
        values: &[Value],
        temporaries: &mut Vec<((Class, usize), Register)>,
    ) {
        let list = |text: &mut String, parts: &mut dyn Iterator<Item = String>| {
            let parts: Vec<String> = parts.collect();
            text.push_str(&parts.join(", "));
        };
        for piece in pieces(instruction) {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Capture(number) => text.push_str(row.captures.get(number).copied().unwrap_or_default()),
                Piece::Ftz => text.push_str(self.mode.ftz()),
                Piece::Sqrt => text.push_str(if self.mode.precise_square_root { "rn" } else { "approx" }),
                Piece::Result(number) => match results.get(number) {
                    Some(register) => {
                        let _ = write!(text, "{register}");
                    }
                    None => self.unsupported("a row of the intrinsics' table with more results than the intrinsic"),
                },
                Piece::Results => list(text, &mut results.iter().map(|register| register.to_string())),
                Piece::Argument(number) => {
                    let parts = arguments.get(number).cloned().unwrap_or_default();
                    let parts: Parts = parts.into_iter().map(|part| self.row_operand(part)).collect();
                    list(text, &mut parts.iter().map(|part| part.to_string()));
                }
                Piece::Arguments(first, last) => {
                    let range = arguments
                        .get(first..(last + 1).min(arguments.len()))
                        .unwrap_or_default();
                    let registers: Vec<Register> = range.iter().flatten().map(|part| self.in_register(*part)).collect();
                    list(text, &mut registers.iter().map(|register| register.to_string()));
                }
                Piece::ArgumentsFrom(first) => {
                    let range = arguments.get(first..).unwrap_or_default();
                    let registers: Vec<Register> = range.iter().flatten().map(|part| self.in_register(*part)).collect();
                    list(text, &mut registers.iter().map(|register| register.to_string()));
                }
                Piece::Constant(number) => match arguments.get(number).and_then(|parts| parts.first()?.integer()) {
                    Some(value) => {
                        let _ = write!(text, "{value}");
                    }
                    None => self.unsupported(format_args!(
                        "argument {} of this intrinsic that is no constant",
                        number + 1
                    )),
                },
                Piece::Address(number) => {
                    let address = self.row_address(values.get(number).copied(), arguments.get(number));
                    text.push_str(&address);
                }
                Piece::If(number, wanted, inner) => {
                    let value = arguments.get(number).and_then(|parts| parts.first()?.integer());
                    if value.is_some_and(|value| (value != 0) == wanted) {
                        self.fill_row(text, inner, row, results, arguments, values, temporaries);
                    } else if value.is_none() {
                        self.unsupported(format_args!(
                            "argument {} of this intrinsic that is no constant",
                            number + 1
                        ));
                    }
                }
                // Older declarations lack the argument.
                Piece::Choice(number, _) if number >= arguments.len() => {}
                Piece::Choice(number, texts) => {
                    let value = arguments[number].first().and_then(|part| part.integer());
                    let index = value.and_then(|value| usize::try_from(value).ok());
                    match index.and_then(|index| texts.split('|').nth(index)) {
                        Some(chosen) => text.push_str(chosen),
                        None => self.unsupported(format_args!(
                            "argument {} of this intrinsic that is none of the constants it takes",
                            number + 1
                        )),
                    }
                }
                Piece::Temporary(class, number) => {
                    let known = temporaries
                        .iter()
                        .find(|(key, _)| *key == (class, number))
                        .map(|(_, register)| *register);
                    let register = known.unwrap_or_else(|| {
                        let register = self.registers.make(class);
                        temporaries.push(((class, number), register));
                        register
                    });
                    let _ = write!(text, "{register}");
                }
            }
        }
    }

    /// An operand of a row: constant truth values in registers.
    fn row_operand(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Integer(Class::Predicate, _) => self.in_register(operand).into(),
            other => other,
        }
    }

    /// What stands between brackets for a pointer: the instruction names the state space of the pointer's type.
    fn row_address(&mut self, value: Option<Value>, parts: Option<&Parts>) -> String {
        if let Some(constant) = value.and_then(Value::as_constant)
            && let Some(symbol) = symbolic(self.scope, constant)
            && !symbol.generic
            && symbol.space != AddressSpace::GENERIC
        {
            let offset = if symbol.offset == 0 {
                String::new()
            } else {
                format!("+{}", symbol.offset)
            };
            return format!("{}{offset}", symbol.name);
        }
        parts
            .and_then(|parts| parts.first())
            .map(|part| part.to_string())
            .unwrap_or_default()
    }

    /// Intrinsics with code of their own. Whether this is one.
    fn lower_special(&mut self, id: InstructionId, call: &'m Call, name: &str) -> bool {
        let Some(short) = name.strip_prefix("llvm.") else {
            return false;
        };
        let argument = |number: usize| call.arguments.get(number).copied();
        // Names without a declaration's suffixes; `memcpy.inline` is a name of its own.
        match short {
            "memcpy" | "memcpy.inline" => self.lower_copy(call, false),
            "memmove" => self.lower_copy(call, true),
            "memset" | "memset.inline" => self.lower_fill(call),
            "expect"
            | "expect.with.probability"
            | "ssa.copy"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "annotation"
            | "ptr.annotation"
            | "arithmetic.fence"
            | "nvvm.move.i16"
            | "nvvm.move.i32"
            | "nvvm.move.i64"
            | "nvvm.move.float"
            | "nvvm.move.double"
            | "nvvm.move.ptr"
            | "nvvm.internal.addrspace.wrap" => {
                let parts = argument(0).map(|value| self.parts(value)).unwrap_or_default();
                self.define(id, parts);
            }
            "allow.runtime.check" => self.define_one(id, Operand::Integer(Class::Predicate, -1)),
            // To nearest, ties to even.
            "get.rounding" => self.define_one(id, Operand::Integer(Class::B32, 1)),
            // Not known; null is what LLVM gives then.
            "returnaddress" | "frameaddress" => {
                let zeros = self.zeros(self.body.result_type(id));
                self.define(id, zeros);
            }
            "threadlocal.address" => {
                let parts = argument(0).map(|value| self.parts(value)).unwrap_or_default();
                self.define(id, parts);
            }
            "canonicalize" => self.lower_canonicalize(id, call),
            "scmp" | "ucmp" => self.lower_three_way(id, call, short == "scmp"),
            "is.constant" => self.define_one(id, Operand::Integer(Class::Predicate, 0)),
            "objectsize" => {
                let least = argument(1)
                    .and_then(|value| self.parts(value).first()?.integer())
                    .is_some_and(|bit| bit != 0);
                let class = scalar(self.body.result_type(id)).map_or(Class::B64, Scalar::class);
                self.define_one(id, Operand::Integer(class, if least { 0 } else { -1 }));
            }
            "invariant.start" => {
                let zeros = self.zeros(self.body.result_type(id));
                self.define(id, zeros);
            }
            "fmuladd" => self.lower_multiply_add(id, call),
            "ptrmask" => {
                let (Some(pointer), Some(mask)) = (argument(0), argument(1)) else {
                    return false;
                };
                let (pointer, bits) = (
                    self.operand(pointer),
                    self.scalar_of(mask).map_or(64, |scalar| scalar.bits()),
                );
                let mask = self.operand(mask);
                let mask = self.widen(mask, bits, false, Upper::Unknown, Class::B64);
                let result = self.define_register(id);
                emit!(self, "and.b64 {result}, {pointer}, {mask}");
            }
            "stacksave" => {
                let result = self.define_register(id);
                let local = self.register(Class::B64);
                emit!(self, "stacksave.u64 {local}");
                emit!(self, "cvta.local.u64 {result}, {local}");
            }
            "stackrestore" => {
                let Some(pointer) = argument(0) else { return false };
                let pointer = self.operand_register(pointer);
                let local = self.register(Class::B64);
                emit!(self, "cvta.to.local.u64 {local}, {pointer}");
                emit!(self, "stackrestore.u64 {local}");
            }
            "va_start" => self.lower_va_start(call),
            "va_copy" => self.lower_va_copy(call),
            "nvvm.reflect" => {
                let value = argument(0).and_then(|value| self.reflected(value)).unwrap_or(0);
                self.define_one(id, Operand::Integer(Class::B32, value));
            }
            "nvvm.texsurf.handle" | "nvvm.texsurf.handle.internal" => {
                let handle = call
                    .arguments
                    .iter()
                    .rev()
                    .find_map(|value| symbolic(self.scope, value.as_constant()?));
                let Some(symbol) = handle else {
                    self.unsupported("a texture or surface reference that is no variable");
                    let zeros = self.zeros(Type::I64);
                    self.define(id, zeros);
                    return true;
                };
                let result = self.define_register(id);
                emit!(self, "mov.u64 {result}, {}", symbol.name);
            }
            _ if short.starts_with("vector.reduce.") => {
                self.lower_reduction(id, call, &short["vector.reduce.".len()..])
            }
            _ => return self.lower_bit_intrinsic(id, call, short),
        }
        true
    }

    /// A float times one: quiet, and flushed where denormals are.
    fn lower_canonicalize(&mut self, id: InstructionId, call: &Call) {
        let Some(&argument) = call.arguments.first() else {
            return;
        };
        let ty = self.type_of(argument);
        let parts = self.parts(argument);
        let one = match self.context.scalar(ty) {
            Type::Half => 0x3C00,
            Type::BFloat => 0x3F80,
            Type::Float => 0x3F80_0000,
            _ => 0x3FF0_0000_0000_0000,
        };
        let element = self.context.float(self.context.scalar(ty), one);
        let ones = match self.context.lanes(ty) {
            Some(lanes) => self.context.splat(lanes, element),
            None => element,
        };
        let ones = self.constant(ones);
        let result = self.float_binary(BinaryOp::FMul, Flags::NONE, ty, &parts, &ones, None);
        self.define(id, result);
    }

    /// -1, 0 or 1 for less, equal or greater.
    fn lower_three_way(&mut self, id: InstructionId, call: &Call, signed: bool) {
        let (Some(&left), Some(&right)) = (call.arguments.first(), call.arguments.get(1)) else {
            return;
        };
        let Type::Int(bits @ 2..=64) = self.type_of(left) else {
            return self.unsupported("a three-way comparison of this type");
        };
        let (less, greater) = if signed {
            (IntPredicate::Slt, IntPredicate::Sgt)
        } else {
            (IntPredicate::Ult, IntPredicate::Ugt)
        };
        let uppers = (self.upper_of(left), self.upper_of(right));
        let (a, b) = (self.operand(left), self.operand(right));
        let below = self.compare_integers(less, bits, (a, uppers.0), (b, uppers.1));
        let above = self.compare_integers(greater, bits, (a, uppers.0), (b, uppers.1));
        let class = scalar(self.body.result_type(id)).map_or(Class::B32, Scalar::class);
        let constant = |value: i64| Operand::Integer(class, value);
        let upper = self.select_part(above, constant(1), constant(0));
        let result = self.select_part(below, constant(-1), upper);
        self.define_one(id, result);
    }

    /// `a * b + c`, fused where that is allowed.
    fn lower_multiply_add(&mut self, id: InstructionId, call: &Call) {
        let ty = self.body.result_type(id);
        let parts: Vec<Parts> = call.arguments.iter().map(|&argument| self.parts(argument)).collect();
        let [a, b, c] = &parts[..] else {
            return self.unsupported("llvm.fmuladd with other than three arguments");
        };
        let result = if self.mode.contract || call.flags.contains(Flags::CONTRACT) {
            self.fma_parts(ty, a, b, c)
        } else {
            let product = self.float_binary(BinaryOp::FMul, Flags::NONE, ty, a, b, None);
            self.float_binary(BinaryOp::FAdd, Flags::NONE, ty, &product, c, None)
        };
        self.define(id, result);
    }

    /// All lanes of a vector as one value.
    fn lower_reduction(&mut self, id: InstructionId, call: &Call, operation: &str) {
        let Some(&vector) = call.arguments.last() else { return };
        let ty = self.type_of(vector);
        let parts = self.parts(vector);
        let lanes = self.elements(ty, &parts);
        let element = self.context.scalar(ty);
        let starts = operation.starts_with("fadd") || operation.starts_with("fmul");
        let mut result = if starts {
            self.parts(call.arguments[0])
        } else {
            lanes[0].clone()
        };
        for lane in lanes.iter().skip(usize::from(!starts)) {
            result = self.reduce_step(operation, element, &result, lane);
        }
        self.define(id, result);
    }

    fn reduce_step(&mut self, operation: &str, ty: Type, left: &Parts, right: &Parts) -> Parts {
        let op = match operation.split('.').next().unwrap_or_default() {
            "add" => BinaryOp::Add,
            "mul" => BinaryOp::Mul,
            "and" => BinaryOp::And,
            "or" => BinaryOp::Or,
            "xor" => BinaryOp::Xor,
            "fadd" => BinaryOp::FAdd,
            "fmul" => BinaryOp::FMul,
            "fmin" => return self.elementwise("llvm.minnum", ty, &[left.clone(), right.clone()]),
            "fmax" => return self.elementwise("llvm.maxnum", ty, &[left.clone(), right.clone()]),
            "fminimum" => return self.elementwise("llvm.minimum", ty, &[left.clone(), right.clone()]),
            "fmaximum" => return self.elementwise("llvm.maximum", ty, &[left.clone(), right.clone()]),
            order => {
                let predicate = match order {
                    "smin" => IntPredicate::Slt,
                    "smax" => IntPredicate::Sgt,
                    "umin" => IntPredicate::Ult,
                    _ => IntPredicate::Ugt,
                };
                let bits = ty.int_bits().unwrap_or(32).min(64);
                let keep =
                    self.compare_integers(predicate, bits, (left[0], Upper::Unknown), (right[0], Upper::Unknown));
                return Parts::from_iter([self.select_part(keep, left[0], right[0])]);
            }
        };
        self.binary_parts(op, ty, left, right)
    }

    /// The address of the arguments beyond the parameters, stored into the list.
    fn lower_va_start(&mut self, call: &Call) {
        let Some(&list) = call.arguments.first() else { return };
        let place = self.place(list);
        let address = self.register(Class::B64);
        let name = self.name;
        emit!(self, "mov.u64 {address}, {name}_vararg");
        emit!(
            self,
            "st{}.u64 [{place}], {address}",
            crate::value::space_suffix(place.space)
        );
    }

    fn lower_va_copy(&mut self, call: &Call) {
        let (Some(&to), Some(&from)) = (call.arguments.first(), call.arguments.get(1)) else {
            return;
        };
        let (to, from) = (self.place(to), self.place(from));
        let address = self.register(Class::B64);
        emit!(
            self,
            "ld{}.u64 {address}, [{from}]",
            crate::value::space_suffix(from.space)
        );
        emit!(self, "st{}.u64 [{to}], {address}", crate::value::space_suffix(to.space));
    }

    /// What the compiler says of itself.
    fn reflected(&self, value: Value) -> Option<i64> {
        let mut constant = value.as_constant()?;
        while let Constant::Expression(expression) = self.context.constant(constant) {
            constant = match expression {
                warpsmith_ir::ConstantExpression::Gep { base, .. } => *base,
                warpsmith_ir::ConstantExpression::Cast { operand, .. } => *operand,
                warpsmith_ir::ConstantExpression::Binary { .. } => return None,
            };
        }
        let Constant::Global { global, .. } = self.context.constant(constant) else {
            return None;
        };
        let Constant::Bytes { bytes, .. } = self
            .context
            .constant(self.scope.module.symbols.globals[*global].initializer?)
        else {
            return None;
        };
        match bytes.split(|&byte| byte == 0).next()? {
            b"__CUDA_FTZ" => Some(i64::from(self.mode.flush_denormals)),
            b"__CUDA_ARCH" => Some(i64::from(self.scope.target) * 10),
            b"__CUDA_PREC_DIV" => Some(i64::from(self.mode.division == crate::Division::Rounded)),
            b"__CUDA_PREC_SQRT" => Some(i64::from(self.mode.precise_square_root)),
            _ => Some(0),
        }
    }
}

/// The name of an intrinsic whose last suffix is a pointer's, without what it points to: names from before pointers were opaque say it.
fn without_pointee(name: &str) -> String {
    let Some((start, suffix)) = name.rsplit_once(".p") else {
        return name.to_owned();
    };
    let digits: String = suffix.chars().take_while(char::is_ascii_digit).collect();
    format!("{start}.p{digits}")
}
