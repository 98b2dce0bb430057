//! Expressions.

use super::super::{
    BinaryOperator, ExpressionId, ExpressionKind, StatementId, StorageDuration, Type, TypeId, UnaryOperator, VariableId,
};
use super::arithmetic::{self, Scalar, scalar};
use super::memory::{Base, Pointer, Step};
use super::statement::Flow;
use super::value::Value;
use super::{Evaluator, Local, Outcome};

impl Evaluator<'_> {
    /// The value of a prvalue. Those of class and array types are made in an object of their own.
    pub(super) fn value(&mut self, id: ExpressionId) -> Outcome<Value> {
        self.nested(|evaluator| evaluator.value_here(id))
    }

    fn value_here(&mut self, id: ExpressionId) -> Outcome<Value> {
        let program = self.program;
        let expression = program.expression(id);
        let ty = expression.ty.id;
        self.step(expression.span)?;
        match &expression.kind {
            ExpressionKind::Constant(constant) => Ok(self.value_of_constant(constant, ty)),
            ExpressionKind::This => match self.frame().this.clone() {
                Some(this) => Ok(Value::Pointer(this)),
                None => self.stop("'this' is not known"),
            },
            ExpressionKind::InitialisedObject(class) => {
                match self.aggregates.iter().rev().find(|(known, _)| known == class) {
                    Some((_, object)) => Ok(Value::Pointer(object.clone())),
                    None => self.stop("'this' is not known"),
                }
            }
            ExpressionKind::AddressOf(place) => Ok(Value::Pointer(self.place(*place)?)),
            ExpressionKind::MemberPointerField(class, path) => {
                Ok(Value::MemberOffset(Some(self.field_path_offset(*class, path))))
            }
            ExpressionKind::MemberPointerFunction(function) => Ok(Value::MemberFunction(Some((*function, 0)))),
            ExpressionKind::Unary(operator, operand) => {
                let operand = self.value(*operand)?;
                self.unary(*operator, ty, operand)
            }
            ExpressionKind::Binary(operator, left, right) => {
                let (left, right) = (self.value(*left)?, self.value(*right)?);
                self.span = expression.span;
                self.binary(*operator, ty, left, right)
            }
            ExpressionKind::PointerAdd {
                pointer,
                index,
                subtract,
            } => {
                let (pointer, index) = (self.value(*pointer)?, self.value(*index)?);
                self.span = expression.span;
                self.pointer_add(&pointer, &index, *subtract, ty)
            }
            ExpressionKind::PointerDifference(left, right) => {
                let pointer = program.type_of(*left).id;
                let (left, right) = (self.value(*left)?, self.value(*right)?);
                match (left, right) {
                    (Value::Pointer(left), Value::Pointer(right)) => {
                        Ok(Value::Integer(self.distance_typed(&left, &right, pointer)?))
                    }
                    _ => self.stop("values are subtracted that are no pointers"),
                }
            }
            ExpressionKind::Compare(comparison, left, right) => {
                let ty = program.type_of(*left).id;
                let (left, right) = (self.value(*left)?, self.value(*right)?);
                self.span = expression.span;
                Ok(Value::boolean(self.compare(*comparison, ty, &left, &right)?))
            }
            ExpressionKind::LogicalAnd(left, right) => Ok(Value::boolean(self.truth(*left)? && self.truth(*right)?)),
            ExpressionKind::LogicalOr(left, right) => Ok(Value::boolean(self.truth(*left)? || self.truth(*right)?)),
            ExpressionKind::Increment {
                place,
                decrement,
                prefix: false,
            } => Ok(self.increment(*place, *decrement)?.1),
            ExpressionKind::Cast(kind, operand) => self.cast(kind, *operand, ty, id),
            ExpressionKind::Call { callee, arguments } => self.call(callee, arguments, id),
            ExpressionKind::Builtin { builtin, arguments } => self.builtin(*builtin, arguments, ty),
            ExpressionKind::Comma(first, second) => {
                self.effects(*first)?;
                self.value(*second)
            }
            ExpressionKind::Conditional { condition, yes, no } => {
                let chosen = if self.truth(*condition)? { *yes } else { *no };
                match program.expression(chosen).kind {
                    ExpressionKind::Unsupported(_) => self.stop("an exception is thrown"),
                    _ => self.value(chosen),
                }
            }
            ExpressionKind::Let { binding, value, body } => {
                self.bind(*binding, *value)?;
                self.value(*body)
            }
            ExpressionKind::Bound(binding) => match self.bindings.get(binding) {
                Some(value) => Ok(value.clone()),
                None => self.stop("a value is used that is not known"),
            },
            ExpressionKind::ArrayIndex => Ok(Value::Integer(i128::from(
                self.array_index.last().copied().unwrap_or(0),
            ))),
            ExpressionKind::IsConstantEvaluated => Ok(Value::boolean(true)),
            ExpressionKind::Zero => Ok(self.zero(ty)),
            ExpressionKind::Uninitialised => Ok(self.uninitialised(ty)),
            ExpressionKind::StatementExpression { body, value } => self.statement_expression(*body, *value),
            ExpressionKind::VectorElement { vector, index } => {
                let vector = self.value(*vector)?;
                match (vector, self.value(*index)?) {
                    (Value::Array(elements, filler), Value::Integer(index)) => {
                        Ok(elements.get(index as usize).cloned().unwrap_or(*filler))
                    }
                    _ => self.stop("an element of what is no vector is used"),
                }
            }
            ExpressionKind::StringArray(_)
            | ExpressionKind::Construct { .. }
            | ExpressionKind::Aggregate { .. }
            | ExpressionKind::Array { .. }
            | ExpressionKind::ArrayLoop { .. } => {
                let object = self.new_object(ty);
                let place = Pointer::new(Base::Object(object));
                self.initialise(id, &place)?;
                Ok(std::mem::replace(&mut self.objects[object].value, Value::Undefined))
            }
            ExpressionKind::Error => self.stop(super::super::constant::IN_ERROR),
            ExpressionKind::New { .. } | ExpressionKind::Delete { .. } => self.stop("memory of the heap is used"),
            ExpressionKind::Destroy { object, .. } => {
                self.place(*object)?;
                Ok(Value::Undefined)
            }
            ExpressionKind::Launch { .. } => self.stop("a kernel is launched"),
            ExpressionKind::Unsupported(what) => self.stop(format!("{what} cannot be evaluated at compile time")),
            ExpressionKind::VariableArgument(_) => self.stop("variable arguments are read"),
            ExpressionKind::String(_)
            | ExpressionKind::Variable(_)
            | ExpressionKind::Function(_)
            | ExpressionKind::Member { .. }
            | ExpressionKind::MemberPointerAccess { .. }
            | ExpressionKind::Dereference(_)
            | ExpressionKind::Assign { .. }
            | ExpressionKind::CompoundAssign { .. }
            | ExpressionKind::Increment { .. }
            | ExpressionKind::Materialise { .. } => {
                let place = self.place(id)?;
                self.load(&place)
            }
        }
    }

    /// Evaluates for the effects alone.
    pub(super) fn effects(&mut self, id: ExpressionId) -> Outcome<()> {
        match self.program.expression(id).category.is_glvalue() {
            true => self.place(id).map(drop),
            false => self.value(id).map(drop),
        }
    }

    /// A condition.
    pub(super) fn truth(&mut self, id: ExpressionId) -> Outcome<bool> {
        match self.value(id)? {
            Value::Integer(value) => Ok(value != 0),
            _ => self.stop("a condition has no value"),
        }
    }

    pub(super) fn unary(&self, operator: UnaryOperator, ty: TypeId, operand: Value) -> Outcome<Value> {
        match (operator, operand, scalar(self.program, ty)) {
            (UnaryOperator::Not, Value::Integer(value), _) => Ok(Value::boolean(value == 0)),
            (UnaryOperator::BitNot, Value::Integer(value), Some(Scalar::Integer(kind))) => {
                Ok(Value::Integer(kind.wrap(!value)))
            }
            (UnaryOperator::Negate, Value::Integer(value), Some(Scalar::Integer(kind))) => {
                let negated = value.wrapping_neg();
                if kind.is_signed() && kind.wrap(negated) != negated && !self.folds() {
                    return self.stop(format!("the result does not fit '{}'", kind.spelling()));
                }
                Ok(Value::Integer(kind.wrap(negated)))
            }
            (UnaryOperator::Negate, Value::Float(bits), Some(Scalar::Float(kind))) => {
                Ok(Value::Float(bits ^ arithmetic::float_format(kind).sign_bit()))
            }
            _ => self.stop("arithmetic is done on values that are not numbers"),
        }
    }

    pub(super) fn pointer_add(&self, pointer: &Value, index: &Value, subtract: bool, ty: TypeId) -> Outcome<Value> {
        match (pointer, index) {
            (Value::Pointer(pointer), Value::Integer(index)) => {
                let by = if subtract { index.wrapping_neg() } else { *index };
                Ok(Value::Pointer(self.advance_typed(pointer, ty, by)?))
            }
            _ => self.stop("arithmetic is done on what is no pointer"),
        }
    }

    pub(super) fn bind(&mut self, binding: super::BindingId, value: ExpressionId) -> Outcome<()> {
        let value = match self.program.expression(value).category.is_glvalue() {
            true => Value::Pointer(self.place(value)?),
            false => self.value(value)?,
        };
        self.bindings.insert(binding, value);
        Ok(())
    }

    pub(super) fn statement_expression(&mut self, body: StatementId, value: Option<ExpressionId>) -> Outcome<Value> {
        match self.statement(body, &mut None)? {
            Flow::Next => {}
            _ => return self.stop("a statement expression is left"),
        }
        match value {
            Some(value) => self.value(value),
            None => Ok(Value::Undefined),
        }
    }

    /// What a glvalue refers to.
    pub(super) fn place(&mut self, id: ExpressionId) -> Outcome<Pointer> {
        self.nested(|evaluator| evaluator.place_here(id))
    }

    fn place_here(&mut self, id: ExpressionId) -> Outcome<Pointer> {
        let program = self.program;
        let expression = program.expression(id);
        self.step(expression.span)?;
        match &expression.kind {
            ExpressionKind::Variable(variable) => self.variable(*variable),
            ExpressionKind::String(string) => Ok(Pointer::new(Base::String(*string))),
            ExpressionKind::Function(function) => Ok(Pointer::new(Base::Function(*function))),
            ExpressionKind::Member { object, field } => {
                let object_type = program.type_of(*object).id;
                let class = program.types.as_class(object_type);
                let object = self.glvalue(*object)?;
                let pointer = self.field_of(object, class, *field)?;
                let is_reference = class.is_some_and(|class| {
                    let fields = &program.class(class).fields;
                    fields
                        .get(field.index())
                        .is_some_and(|field| program.types.is_reference(field.ty.id))
                });
                match is_reference {
                    false => Ok(pointer),
                    true => match self.load(&pointer)? {
                        Value::Pointer(pointer) => Ok(pointer),
                        _ => self.stop("a reference is not bound"),
                    },
                }
            }
            ExpressionKind::MemberPointerAccess { object, pointer } => {
                let place = self.place(*object)?;
                match self.value(*pointer)? {
                    Value::MemberOffset(Some(offset)) => {
                        let class = program.types.as_class(program.type_of(*object).id);
                        match class.and_then(|class| self.path_of_offset(class, offset, expression.ty.id)) {
                            Some(path) => Ok(path.into_iter().fold(place, |place, step| place.then(step))),
                            None => self.stop("a member pointer leads nowhere"),
                        }
                    }
                    _ => self.stop("a null member pointer is used"),
                }
            }
            ExpressionKind::Dereference(pointer) => match self.value(*pointer)? {
                Value::Pointer(pointer) if pointer.is_null() && !self.folds() => {
                    self.span = expression.span;
                    self.stop("a null pointer is dereferenced")
                }
                Value::Pointer(pointer) => Ok(pointer),
                _ => self.stop("what is dereferenced is no pointer"),
            },
            ExpressionKind::Assign { place, value } => {
                // The right operand comes first ([expr.ass]/1).
                let value = self.value(*value)?;
                let place = self.place(*place)?;
                self.store(&place, value)?;
                Ok(place)
            }
            ExpressionKind::CompoundAssign {
                operator,
                place,
                value,
                computation,
            } => self.compound_assign(*operator, *place, *value, *computation),
            ExpressionKind::Increment { place, decrement, .. } => Ok(self.increment(*place, *decrement)?.0),
            ExpressionKind::Cast(kind, operand) => self.cast_place(kind, *operand),
            ExpressionKind::Comma(first, second) => {
                self.effects(*first)?;
                self.place(*second)
            }
            ExpressionKind::Conditional { condition, yes, no } => {
                let chosen = if self.truth(*condition)? { *yes } else { *no };
                self.place(chosen)
            }
            ExpressionKind::Let { binding, value, body } => {
                self.bind(*binding, *value)?;
                self.place(*body)
            }
            ExpressionKind::Bound(binding) => match self.bindings.get(binding) {
                Some(Value::Pointer(pointer)) => Ok(pointer.clone()),
                _ => self.stop("a value is used that is not known"),
            },
            ExpressionKind::Call { callee, arguments } => match self.call(callee, arguments, id)? {
                Value::Pointer(pointer) => Ok(pointer),
                _ => self.stop("a call gives no reference"),
            },
            ExpressionKind::Materialise { value, .. } => {
                let object = self.new_object(program.type_of(*value).id);
                let place = Pointer::new(Base::Object(object));
                self.initialise(*value, &place)?;
                Ok(place)
            }
            ExpressionKind::VectorElement { vector, index } => {
                let vector = self.place(*vector)?;
                match self.value(*index)? {
                    Value::Integer(index) => Ok(vector.then(Step::Index(index as u64))),
                    _ => self.stop("an index has no value"),
                }
            }
            ExpressionKind::Error => self.stop(super::super::constant::IN_ERROR),
            _ => {
                // A prvalue where an object is wanted: it gets one.
                let object = self.new_object(expression.ty.id);
                let place = Pointer::new(Base::Object(object));
                self.initialise(id, &place)?;
                Ok(place)
            }
        }
    }

    /// A glvalue, or a prvalue in an object of its own.
    pub(super) fn glvalue(&mut self, id: ExpressionId) -> Outcome<Pointer> {
        self.place(id)
    }

    /// Why a variable cannot be read.
    pub(super) fn unknown_value(&self, id: VariableId) -> String {
        let name = self.program.variable_name(id);
        let what = match self.program.variable(id).storage {
            StorageDuration::Parameter => "the parameter ",
            StorageDuration::Automatic => "the variable ",
            StorageDuration::Static => "",
        };
        format!("the value of {what}'{name}' is not known at compile time")
    }

    pub(super) fn variable(&mut self, id: VariableId) -> Outcome<Pointer> {
        if let Some(local) = self.frame().variables.get(&id) {
            return Ok(match local {
                Local::Object(object) => Pointer::new(Base::Object(*object)),
                Local::Reference(pointer) => pointer.clone(),
            });
        }
        let variable = self.program.variable(id);
        let reference = self.program.types.is_reference(variable.ty.id);
        match variable.storage {
            StorageDuration::Static if reference => self.static_reference(id),
            StorageDuration::Static => Ok(Pointer::new(Base::Static(id))),
            // A local of a function that is not being evaluated: it may be named, and calls of its members that read nothing of it are constant.
            StorageDuration::Automatic | StorageDuration::Parameter if !reference => Ok(Pointer::new(Base::Static(id))),
            StorageDuration::Automatic
                if matches!(variable.initialiser, super::super::VariableInitialiser::Constant(_)) =>
            {
                self.static_reference(id)
            }
            StorageDuration::Automatic | StorageDuration::Parameter => self.stop(self.unknown_value(id)),
        }
    }

    /// Adds or takes one: the place and the value before.
    pub(super) fn increment(&mut self, place: ExpressionId, decrement: bool) -> Outcome<(Pointer, Value)> {
        let ty = self.program.type_of(place).id;
        let pointer = self.place(place)?;
        let old = self.load(&pointer)?;
        let new = match (&old, scalar(self.program, ty)) {
            (Value::Pointer(target), _) => Value::Pointer(self.advance(target, if decrement { -1 } else { 1 })?),
            (Value::Integer(_), Some(Scalar::Bool)) => Value::boolean(!decrement),
            (Value::Integer(value), Some(Scalar::Integer(kind))) => {
                let next = if decrement {
                    value.wrapping_sub(1)
                } else {
                    value.wrapping_add(1)
                };
                // Narrow types are computed in 'int' and converted back.
                if kind.is_signed() && kind.rank() >= 3 && kind.wrap(next) != next {
                    return self.stop(format!("the result does not fit '{}'", kind.spelling()));
                }
                Value::Integer(kind.wrap(next))
            }
            (Value::Float(_), Some(Scalar::Float(kind))) => {
                let one = Value::Float(arithmetic::integer_to_float(1, Scalar::Bool, kind));
                let operator = if decrement {
                    BinaryOperator::Subtract
                } else {
                    BinaryOperator::Add
                };
                self.binary(operator, ty, old.clone(), one)?
            }
            _ => return self.stop("what is incremented is no number"),
        };
        self.store(&pointer, new)?;
        Ok((pointer, old))
    }

    pub(super) fn compound_assign(
        &mut self,
        operator: BinaryOperator,
        place: ExpressionId,
        value: ExpressionId,
        computation: TypeId,
    ) -> Outcome<Pointer> {
        let ty = self.program.type_of(place).id;
        let right = self.value(value)?;
        let pointer = self.place(place)?;
        let left = self.load(&pointer)?;
        let result = if let Value::Pointer(_) = left {
            self.pointer_add(&left, &right, operator == BinaryOperator::Subtract, ty)?
        } else {
            let left = self.convert(left, ty, computation)?;
            let result = self.binary(operator, computation, left, right)?;
            self.convert(result, computation, ty)?
        };
        self.store(&pointer, result)?;
        Ok(pointer)
    }

    /// Initialises an object with a prvalue.
    pub(super) fn initialise(&mut self, id: ExpressionId, place: &Pointer) -> Outcome<()> {
        self.nested(|evaluator| evaluator.initialise_here(id, place))
    }

    fn initialise_here(&mut self, id: ExpressionId, place: &Pointer) -> Outcome<()> {
        let program = self.program;
        let expression = program.expression(id);
        self.step(expression.span)?;
        match &expression.kind {
            ExpressionKind::Construct {
                constructor,
                arguments,
                zero_first,
            } => {
                if *zero_first {
                    let zero = self.zero(expression.ty.id);
                    self.store(place, zero)?;
                }
                let mut values = vec![Value::Pointer(place.clone())];
                self.arguments(*constructor, arguments, &mut values)?;
                self.invoke(*constructor, values, id)?;
                Ok(())
            }
            ExpressionKind::Aggregate { bases, fields } => {
                let whole = self.uninitialised(expression.ty.id);
                self.store(place, whole)?;
                let depth = self.aggregates.len();
                self.aggregates.extend(
                    program
                        .types
                        .as_class(expression.ty.id)
                        .map(|class| (class, place.clone())),
                );
                let result = self.initialise_parts(bases, fields, place);
                self.aggregates.truncate(depth);
                result
            }
            ExpressionKind::Array { elements, filler } => {
                self.initialise_array(expression.ty.id, elements, *filler, place)
            }
            ExpressionKind::ArrayLoop { element } => {
                let count = self.count_of(expression.ty.id)?;
                for index in 0..count {
                    self.array_index.push(index);
                    let result = self.initialise(*element, &place.then(Step::Index(index)));
                    self.array_index.pop();
                    result?;
                }
                Ok(())
            }
            ExpressionKind::StringArray(string) => {
                let literal = self.load(&Pointer::new(Base::String(*string)))?;
                let count = self.count_of(expression.ty.id)? as usize;
                let value = match literal {
                    Value::Array(mut elements, filler) => {
                        elements.truncate(count);
                        Value::Array(elements, filler)
                    }
                    other => other,
                };
                self.store(place, value)
            }
            ExpressionKind::Conditional { condition, yes, no } => {
                let chosen = if self.truth(*condition)? { *yes } else { *no };
                self.initialise(chosen, place)
            }
            ExpressionKind::Comma(first, second) => {
                self.effects(*first)?;
                self.initialise(*second, place)
            }
            ExpressionKind::Let { binding, value, body } => {
                self.bind(*binding, *value)?;
                self.initialise(*body, place)
            }
            _ => {
                let value = self.value(id)?;
                self.store(place, value)
            }
        }
    }

    pub(super) fn initialise_parts(
        &mut self,
        bases: &[(usize, ExpressionId)],
        fields: &[(super::super::FieldIndex, ExpressionId)],
        place: &Pointer,
    ) -> Outcome<()> {
        for (base, value) in bases {
            self.initialise(*value, &place.then(Step::Base(*base)))?;
        }
        for (field, value) in fields {
            self.initialise_member(*value, &place.then(Step::Field(*field)))?;
        }
        Ok(())
    }

    /// Initialises a member: with a prvalue, or as a reference to a glvalue.
    pub(super) fn initialise_member(&mut self, id: ExpressionId, place: &Pointer) -> Outcome<()> {
        if self.program.expression(id).category.is_glvalue() {
            let target = self.place(id)?;
            return self.store(place, Value::Pointer(target));
        }
        self.initialise(id, place)
    }

    pub(super) fn count_of(&self, ty: TypeId) -> Outcome<u64> {
        match *self.program.types.get(ty) {
            Type::Array(_, Some(count)) => Ok(count),
            Type::Vector(_, count) => Ok(u64::from(count)),
            _ => self.stop("the size of an array is not known"),
        }
    }

    pub(super) fn initialise_array(
        &mut self,
        ty: TypeId,
        elements: &[ExpressionId],
        filler: Option<ExpressionId>,
        place: &Pointer,
    ) -> Outcome<()> {
        let count = self.count_of(ty)?;
        let whole = self.uninitialised(ty);
        self.store(place, whole)?;
        for (index, element) in elements.iter().enumerate() {
            self.initialise(*element, &place.then(Step::Index(index as u64)))?;
        }
        let Some(filler) = filler.filter(|_| (elements.len() as u64) < count) else {
            return Ok(());
        };
        if matches!(
            self.program.expression(filler).kind,
            ExpressionKind::Zero | ExpressionKind::Constant(_)
        ) {
            let rest = self.value(filler)?;
            let Value::Array(values, _) = self.load(place)? else {
                return Ok(());
            };
            return self.store(place, Value::Array(values, Box::new(rest)));
        }
        for index in elements.len() as u64..count {
            self.initialise(filler, &place.then(Step::Index(index)))?;
        }
        Ok(())
    }
}
