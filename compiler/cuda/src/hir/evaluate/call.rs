//! Calls of functions.

use super::super::{Callee, ExpressionId, ExpressionKind, FunctionId, MemberTarget, Type};
use super::memory::{Base, Pointer, Step};
use super::statement::Flow;
use super::value::Value;
use super::{Evaluator, Frame, Local, Outcome, Stop};

impl Evaluator<'_> {
    pub(super) fn call(&mut self, callee: &Callee, arguments: &[ExpressionId], whole: ExpressionId) -> Outcome<Value> {
        let (function, mut values) = match callee {
            Callee::Direct(function) => (*function, Vec::new()),
            Callee::Virtual(function) => {
                let name = self.program.function_name(*function);
                return self.stop(format!("the virtual function '{name}' is called"));
            }
            Callee::Indirect(pointer) => match self.value(*pointer)? {
                Value::Pointer(Pointer {
                    base: Base::Function(function),
                    ..
                }) => (function, Vec::new()),
                _ => return self.stop("what is called is not known at compile time"),
            },
            Callee::Member(pointer) => match self.value(*pointer)? {
                Value::MemberFunction(Some((function, 0))) => (function, Vec::new()),
                _ => return self.stop("what is called is not known at compile time"),
            },
        };
        self.arguments(function, arguments, &mut values)?;
        self.invoke(function, values, whole)
    }

    /// Evaluates arguments: prvalues to values, glvalues to pointers.
    pub(super) fn arguments(
        &mut self,
        _function: FunctionId,
        arguments: &[ExpressionId],
        values: &mut Vec<Value>,
    ) -> Outcome<()> {
        for &argument in arguments {
            let value = match self.program.expression(argument).category.is_glvalue() {
                true => Value::Pointer(self.place(argument)?),
                false => self.value(argument)?,
            };
            values.push(value);
        }
        Ok(())
    }

    /// Runs a function on the values of `this` and its arguments.
    pub(super) fn invoke(&mut self, id: FunctionId, values: Vec<Value>, whole: ExpressionId) -> Outcome<Value> {
        let program = self.program;
        let function = program.function(id);
        let span = program.expression(whole).span;
        if !function.is_constexpr {
            self.span = span;
            return self.stop(format!(
                "'{}', which is not constexpr, is called",
                program.function_signature(id)
            ));
        }
        let Some(body) = &function.body else {
            return Err(Stop::NeedsBody(id));
        };
        if self.depth >= self.greatest_depth {
            return Err(Stop::TooDeep(super::TOO_MANY_CALLS));
        }
        let mut frame = Frame {
            function: Some(id),
            call: Some(span),
            ..Frame::default()
        };
        let mut values = values.into_iter();
        if function.has_this {
            match values.next() {
                Some(Value::Pointer(this)) if !this.is_null() => frame.this = Some(this),
                _ => return self.stop("a member function is called on a null pointer"),
            }
        }
        let first_object = self.objects.len();
        for (&parameter, value) in function.parameters.iter().zip(values) {
            let ty = program.variable(parameter).ty.id;
            let local = match (program.types.is_reference(ty), value) {
                (true, Value::Pointer(pointer)) => Local::Reference(pointer),
                (_, value) => {
                    self.objects.push(super::memory::Object { value, ty, alive: true });
                    Local::Object(self.objects.len() - 1)
                }
            };
            frame.variables.insert(parameter, local);
        }
        self.frames.push(frame);
        self.depth += 1;
        let result = self.run_body(body, whole);
        self.depth -= 1;
        self.frames.pop();
        self.end_objects(first_object, &result);
        result
    }

    pub(super) fn run_body(&mut self, body: &super::super::FunctionBody, whole: ExpressionId) -> Outcome<Value> {
        for initialiser in &body.initialisers {
            let Some(this) = self.frame().this.clone() else {
                return self.stop("a constructor has no object");
            };
            match initialiser.target {
                MemberTarget::Whole => self.initialise(initialiser.value, &this)?,
                MemberTarget::Field(field) => {
                    self.initialise_member(initialiser.value, &this.then(Step::Field(field)))?
                }
                MemberTarget::Path(outer, inner) => self.initialise_member(
                    initialiser.value,
                    &this.then(Step::Field(outer)).then(Step::Field(inner)),
                )?,
                MemberTarget::Base(base) => {
                    let class = self
                        .frame()
                        .function
                        .map(|function| self.program.function(function).scope);
                    let place = match class {
                        Some(super::super::Scope::Class(class)) => self
                            .program
                            .class(class)
                            .bases
                            .iter()
                            .position(|other| other.class == base),
                        _ => None,
                    };
                    match place {
                        Some(place) => self.initialise(initialiser.value, &this.then(Step::Base(place)))?,
                        None => return self.stop("a virtual base is initialised"),
                    }
                }
            }
        }
        match self.statement(body.statement, &mut None)? {
            Flow::Return(value) => Ok(value),
            Flow::Next => {
                let expression = self.program.expression(whole);
                let is_void = matches!(self.program.types.get(expression.ty.id), Type::Void);
                let constructs = matches!(expression.kind, ExpressionKind::Construct { .. });
                match is_void || constructs {
                    true => Ok(Value::Undefined),
                    false => self.stop("the end of a function is reached without a return"),
                }
            }
            Flow::Break | Flow::Continue => self.stop("control leaves a function in a way that cannot be evaluated"),
        }
    }
}
