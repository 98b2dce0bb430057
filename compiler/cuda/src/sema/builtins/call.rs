//! Calls of built-in functions.

use crate::hir::{BuiltinId, ClassKind, Constant, ExpressionId, ExpressionKind, QualifiedType, Type, Types};
use crate::sema::Sema;
use crate::sema::conversion::arithmetic::{integer_kind, is_arithmetic_or_unscoped, usual_arithmetic};
use crate::sema::expression::Operand;
use crate::source::Span;
use crate::syntax::ast;

use super::{Lowering, Operation, row};

impl<'a> Sema<'a> {
    /// `__builtin_…(arguments)`.
    pub(crate) fn call_builtin(
        &mut self,
        builtin: BuiltinId,
        arguments: &'a [ast::Id<ast::Expression>],
        span: Span,
    ) -> ExpressionId {
        let Some(operands) = self.operands(arguments) else {
            return self.poison(span);
        };
        if operands.iter().any(|operand| self.operand_is_poisoned(operand)) {
            return self.poison(span);
        }
        let Some(signature) = self.builtin_signature(builtin) else {
            return match row(builtin).lowering {
                Lowering::Ordered(ordered) => self.call_ordered(builtin, ordered, &operands, span),
                Lowering::Refused(why) => self.fail(span, format!("`{}` is not supported: {why}", row(builtin).name)),
                _ => self.call_generic(builtin, &operands, span),
            };
        };
        if signature.parameters.len() != operands.len() {
            return self.wrong_count(builtin, signature.parameters.len(), operands.len(), span);
        }
        if let Lowering::Operation(operation) = row(builtin).lowering
            && let Some(expression) = self.source_location(operation, span)
        {
            return expression;
        }
        let arguments = self.convert_arguments(&signature.parameters, &operands, &[]);
        if arguments.iter().any(|&argument| self.is_poisoned(argument)) {
            return self.poison(span);
        }
        if let Lowering::Ordered(ordered) = row(builtin).lowering {
            return self.finish_ordered(builtin, ordered, arguments, signature.result, span);
        }
        self.value(ExpressionKind::Builtin { builtin, arguments }, signature.result, span)
    }

    pub(super) fn wrong_count(&mut self, builtin: BuiltinId, wanted: usize, given: usize, span: Span) -> ExpressionId {
        let plural = if wanted == 1 { "" } else { "s" };
        let are = if given == 1 { "is" } else { "are" };
        self.fail(
            span,
            format!(
                "`{}` takes {wanted} argument{plural}, but {given} {are} given",
                row(builtin).name
            ),
        )
    }

    /// Functions that are known by the place of their call.
    fn source_location(&mut self, operation: Operation, span: Span) -> Option<ExpressionId> {
        let place = self.context.map.place(span.first);
        Some(match operation {
            Operation::SourceLine => self.integer(place.map_or(0, |place| i128::from(place.line)), Types::INT, span),
            Operation::SourceColumn => {
                self.integer(place.map_or(0, |place| i128::from(place.column)), Types::INT, span)
            }
            Operation::SourceFile => {
                let text = place.map_or_else(String::new, |place| place.file.to_string());
                self.located_string(&text, span)
            }
            Operation::SourceFunction => {
                let text = self.function.function.map_or(String::new(), |function| {
                    self.context.text(self.function_info(function).name).to_string()
                });
                self.located_string(&text, span)
            }
            Operation::IsConstantEvaluated => self.value(ExpressionKind::IsConstantEvaluated, Types::BOOL, span),
            _ => return None,
        })
    }

    fn located_string(&mut self, text: &str, span: Span) -> ExpressionId {
        let string = self.made_string(text, span);
        self.decay(string)
    }

    /// Functions whose arguments may have several types.
    fn call_generic(&mut self, builtin: BuiltinId, operands: &[Operand<'a>], span: Span) -> ExpressionId {
        let Lowering::Operation(operation) = row(builtin).lowering else {
            return self.poison(span);
        };
        let arguments: Vec<ExpressionId> = operands.iter().map(|operand| self.settle(operand)).collect();
        if arguments.iter().any(|&argument| self.is_poisoned(argument)) {
            return self.poison(span);
        }
        match (operation, &arguments[..]) {
            (Operation::AddressOf, &[object]) => {
                if !self.category_of(object).is_glvalue() {
                    return self.fail(span, "`__builtin_addressof` needs an lvalue");
                }
                self.address_of(object, span)
            }
            (Operation::Launder, &[pointer]) => {
                let pointer = self.decay(pointer);
                self.generic(builtin, vec![pointer], self.type_of(pointer), span)
            }
            (Operation::ConstantP, &[value]) => {
                let value = self.decay(value);
                let is_constant = matches!(
                    self.try_evaluate(value),
                    Some(Constant::Integer(_) | Constant::Float(_))
                );
                self.integer(i128::from(is_constant), Types::INT, span)
            }
            (Operation::ClassifyType, &[value]) => self.classify_type(value, span),
            (Operation::Shuffle, &[_, _] | &[_, _, _]) => self.shuffle(builtin, &arguments, span),
            (Operation::ShuffleConstant, &[_, _, _, ..]) => self.shuffle_constant(builtin, &arguments, span),
            (Operation::AssumeAligned, &[pointer, alignment] | &[pointer, alignment, _]) => {
                self.assume_aligned(builtin, pointer, alignment, &arguments[2..], span)
            }
            (Operation::Prefetch, &[pointer, ..]) => {
                let pointer = self.decay(pointer);
                self.generic(builtin, vec![pointer], Types::VOID.into(), span)
            }
            (Operation::AddOverflow | Operation::SubtractOverflow | Operation::MultiplyOverflow, &[a, b, result]) => {
                self.overflow(builtin, a, b, result, span)
            }
            (
                Operation::IsNan
                | Operation::IsInfinite
                | Operation::IsInfiniteSign
                | Operation::IsFinite
                | Operation::IsNormal
                | Operation::SignBit,
                &[value],
            ) => match self.floating_operands(&[value], span) {
                Some(values) => self.generic(builtin, values, Types::INT.into(), span),
                None => self.poison(span),
            },
            (
                Operation::IsGreater
                | Operation::IsGreaterEqual
                | Operation::IsLess
                | Operation::IsLessEqual
                | Operation::IsLessGreater
                | Operation::IsUnordered,
                &[_, _],
            ) => match self.floating_operands(&arguments, span) {
                Some(values) => self.generic(builtin, values, Types::INT.into(), span),
                None => self.poison(span),
            },
            (Operation::Classify, &[nan, infinite, normal, subnormal, zero, value]) => {
                let mut all = Vec::new();
                for answer in [nan, infinite, normal, subnormal, zero] {
                    all.push(self.convert_expression(answer, Types::INT, "an answer of `__builtin_fpclassify`"));
                }
                let Some(values) = self.floating_operands(&[value], span) else {
                    return self.poison(span);
                };
                all.extend(values);
                self.generic(builtin, all, Types::INT.into(), span)
            }
            (Operation::VariableStart | Operation::VariableEnd, &[list] | &[list, _])
            | (Operation::VariableCopy, &[list, _]) => {
                let lists = match operation {
                    Operation::VariableCopy => arguments.clone(),
                    _ => vec![list],
                };
                if lists.iter().any(|&list| !self.category_of(list).is_glvalue()) {
                    return self.fail(
                        span,
                        format!("`{}` needs a variable of type `va_list`", row(builtin).name),
                    );
                }
                self.generic(builtin, lists, Types::VOID.into(), span)
            }
            (Operation::OperatorNew | Operation::OperatorDelete, _) => {
                let message = format!(
                    "`{}` is not supported: write `operator new` or `new`",
                    row(builtin).name
                );
                self.fail(span, message)
            }
            _ => self.fail(
                span,
                format!(
                    "`{}` cannot be called with {} arguments",
                    row(builtin).name,
                    arguments.len()
                ),
            ),
        }
    }

    fn generic(
        &mut self,
        builtin: BuiltinId,
        arguments: Vec<ExpressionId>,
        ty: QualifiedType,
        span: Span,
    ) -> ExpressionId {
        if arguments.iter().any(|&argument| self.is_poisoned(argument)) {
            return self.poison(span);
        }
        self.value(ExpressionKind::Builtin { builtin, arguments }, ty, span)
    }

    /// The number that GCC's `typeclass.h` gives to a kind of type.
    fn classify_type(&mut self, value: ExpressionId, span: Span) -> ExpressionId {
        let is_class = matches!(self.program.types.get(self.type_of(value).id), Type::Class(_));
        let value = if is_class { value } else { self.decay(value) };
        let number = match self.program.types.get(self.type_of(value).id) {
            Type::Void => 0,
            Type::Integer(_) => 1,
            Type::Enum(_) => 3,
            Type::Bool => 4,
            Type::Pointer(_) | Type::NullPointer => 5,
            Type::LValueReference(_) | Type::RValueReference(_) => 6,
            Type::MemberPointer { .. } => 7,
            Type::Float(_) => 8,
            Type::Function(_) => 10,
            Type::Class(class) => match self.program.class(*class).kind {
                ClassKind::Struct | ClassKind::Class => 12,
                ClassKind::Union => 13,
            },
            Type::Array(..) => 14,
            Type::Vector(..) => 19,
            Type::Error | Type::Auto | Type::DecltypeAuto => -1,
        };
        self.integer(number, Types::INT, span)
    }

    /// `__builtin_shuffle(v, mask)` and `(v, w, mask)`: a lane of the mask says which lane, modulo their number.
    fn shuffle(&mut self, builtin: BuiltinId, arguments: &[ExpressionId], span: Span) -> ExpressionId {
        let values: Vec<ExpressionId> = arguments.iter().map(|&argument| self.decay(argument)).collect();
        let types: Vec<Type> = (values.iter())
            .map(|&value| self.program.types.get(self.type_of(value).id).clone())
            .collect();
        let lanes = |ty: &Type| match ty {
            Type::Vector(_, count) => Some(*count),
            _ => None,
        };
        let (mask, vectors) = (&types[types.len() - 1], &types[..types.len() - 1]);
        let is_mask = matches!(mask, Type::Vector(element, _) if integer_kind(&self.program, *element).is_some());
        let fits = lanes(mask).is_some_and(|count| count.is_power_of_two())
            && vectors.iter().all(|ty| ty == &vectors[0] && lanes(ty) == lanes(mask));
        if !is_mask || !fits {
            let message = "`__builtin_shuffle` takes one or two vectors of one type, and as many integers in a vector";
            return self.fail(span, message);
        }
        let ty = self.type_of(values[0]).unqualified();
        self.generic(builtin, values, ty, span)
    }

    /// `__builtin_shufflevector(v, w, index…)`: lanes of both, -1 for any.
    fn shuffle_constant(&mut self, builtin: BuiltinId, arguments: &[ExpressionId], span: Span) -> ExpressionId {
        let mut values: Vec<ExpressionId> = arguments.iter().map(|&argument| self.decay(argument)).collect();
        let vector = |sema: &Self, value| match *sema.program.types.get(sema.type_of(value).id) {
            Type::Vector(element, count) => Some((element, count)),
            _ => None,
        };
        let (Some((element, first)), Some((other, second))) = (vector(self, values[0]), vector(self, values[1])) else {
            return self.fail(span, "`__builtin_shufflevector` takes two vectors first");
        };
        if element != other {
            return self.fail(
                span,
                "the vectors of `__builtin_shufflevector` have elements of different types",
            );
        }
        let most = i128::from(first) + i128::from(second);
        for value in &mut values[2..] {
            match self.try_evaluate(*value) {
                Some(Constant::Integer(index)) if (-1..most).contains(&index) => {
                    *value = self.integer(index, Types::INT, span);
                }
                _ => {
                    let message = format!(
                        "an index of `__builtin_shufflevector` must be a constant from -1 to {}",
                        most - 1
                    );
                    return self.fail(span, message);
                }
            }
        }
        let count = values.len() as u32 - 2;
        let ty = self.program.types.intern(Type::Vector(element, count));
        self.generic(builtin, values, ty.into(), span)
    }

    /// The pointer comes back as `void *`, as GCC has it.
    fn assume_aligned(
        &mut self,
        builtin: BuiltinId,
        pointer: ExpressionId,
        alignment: ExpressionId,
        rest: &[ExpressionId],
        span: Span,
    ) -> ExpressionId {
        let void = self.program.types.pointer(Types::VOID.constant());
        let pointer = self.convert_expression(pointer, void, "argument 1");
        let mut arguments = vec![
            pointer,
            self.convert_expression(alignment, Types::UNSIGNED_LONG, "argument 2"),
        ];
        for &offset in rest {
            arguments.push(self.convert_expression(offset, Types::UNSIGNED_LONG, "argument 3"));
        }
        let result = self.program.types.pointer(Types::VOID);
        self.generic(builtin, arguments, result.into(), span)
    }

    /// `__builtin_add_overflow(a, b, &result)`: integers of any types, computed exactly.
    fn overflow(
        &mut self,
        builtin: BuiltinId,
        a: ExpressionId,
        b: ExpressionId,
        result: ExpressionId,
        span: Span,
    ) -> ExpressionId {
        let (a, b, result) = (self.decay(a), self.decay(b), self.decay(result));
        let integral = |sema: &Self, id| integer_kind(&sema.program, id).is_some();
        let target = self.program.types.pointee(self.type_of(result).id);
        let fits = integral(self, self.type_of(a).id) && integral(self, self.type_of(b).id);
        if !fits || !target.is_some_and(|to| integral(self, to.id) && !to.is_const()) {
            return self.fail(
                span,
                format!("`{}` takes two integers and a pointer to an integer", row(builtin).name),
            );
        }
        self.generic(builtin, vec![a, b, result], Types::BOOL.into(), span)
    }

    /// Arguments of a classification as one floating type: integers count as `double`.
    fn floating_operands(&mut self, arguments: &[ExpressionId], span: Span) -> Option<Vec<ExpressionId>> {
        let values: Vec<ExpressionId> = arguments.iter().map(|&argument| self.decay(argument)).collect();
        let mut common = self.type_of(*values.first()?).id;
        for &value in &values {
            let ty = self.type_of(value).id;
            if !is_arithmetic_or_unscoped(&self.program, ty) {
                let message = format!("a floating-point number is needed here, not {}", self.quote(ty));
                self.context.error(span, message);
                return None;
            }
            common = usual_arithmetic(&self.program, common, ty).unwrap_or(common);
        }
        if !matches!(self.program.types.get(common), Type::Float(_)) {
            common = Types::DOUBLE;
        }
        Some(
            values
                .into_iter()
                .map(|value| self.convert_arithmetic(value, common))
                .collect(),
        )
    }
}
