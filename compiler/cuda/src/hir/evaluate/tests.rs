//! Programs built by hand, evaluated.

use super::{Limits, evaluate};
use crate::hir::constant::EvaluationFailure;
use crate::hir::{
    BinaryOperator, Callee, CastKind, Comparison, Constant, ExpressionId, ExpressionKind, Function, FunctionBody,
    FunctionId, FunctionName, FunctionType, LoopHints, Program, Scope, Span, StatementKind, StorageDuration, TypeId,
    Types, ValueCategory, Variable, VariableId, VariableInitialiser,
};

const GLOBAL: Scope = Scope::Namespace(Program::GLOBAL);

struct Build {
    program: Program,
}

impl Build {
    fn new() -> Build {
        Build {
            program: Program::new(),
        }
    }
    fn value(&mut self, kind: ExpressionKind, ty: TypeId) -> ExpressionId {
        self.program.add_value(kind, ty, Span::NONE)
    }
    fn int(&mut self, value: i128) -> ExpressionId {
        self.value(ExpressionKind::Constant(Constant::Integer(value)), Types::INT)
    }
    fn local(&mut self, ty: TypeId, storage: StorageDuration, initialiser: Option<ExpressionId>) -> VariableId {
        let mut variable = Variable::new(Some("x".into()), GLOBAL, ty.into(), storage, Span::NONE);
        if let Some(value) = initialiser {
            variable.initialiser = VariableInitialiser::Dynamic(value);
        }
        self.program.add_variable(variable)
    }
    fn place(&mut self, variable: VariableId) -> ExpressionId {
        let ty = self.program.variable(variable).ty;
        self.program.add(
            ExpressionKind::Variable(variable),
            ty,
            ValueCategory::LValue,
            Span::NONE,
        )
    }
    fn read(&mut self, variable: VariableId) -> ExpressionId {
        let place = self.place(variable);
        self.load(place)
    }
    fn load(&mut self, place: ExpressionId) -> ExpressionId {
        let ty = self.program.type_of(place).id;
        self.value(ExpressionKind::Cast(CastKind::LValueToRValue, place), ty)
    }
    fn binary(&mut self, operator: BinaryOperator, left: ExpressionId, right: ExpressionId) -> ExpressionId {
        let ty = self.program.type_of(left).id;
        self.value(ExpressionKind::Binary(operator, left, right), ty)
    }
    fn compare(&mut self, comparison: Comparison, left: ExpressionId, right: ExpressionId) -> ExpressionId {
        self.value(ExpressionKind::Compare(comparison, left, right), Types::BOOL)
    }
    fn statement(&mut self, kind: StatementKind) -> crate::hir::StatementId {
        self.program.add_statement(kind, Span::NONE)
    }
    fn function(&mut self, parameters: &[VariableId]) -> FunctionId {
        let types = parameters
            .iter()
            .map(|&parameter| self.program.variable(parameter).ty)
            .collect();
        let ty = self.program.types.function(FunctionType::new(Types::INT.into(), types));
        let mut function = Function::new(FunctionName::Identifier("f".into()), GLOBAL, ty, Span::NONE);
        function.parameters = parameters.to_vec();
        function.is_constexpr = true;
        self.program.add_function(function)
    }
    fn set_body(&mut self, function: FunctionId, statements: Vec<StatementKind>) {
        let statements = statements.into_iter().map(|kind| self.statement(kind)).collect();
        let statement = self.statement(StatementKind::Block(statements));
        self.program.function_mut(function).body = Some(FunctionBody {
            initialisers: Vec::new(),
            statement,
        });
    }
    fn call(&mut self, function: FunctionId, arguments: Vec<ExpressionId>) -> ExpressionId {
        let callee = Callee::Direct(function);
        self.value(ExpressionKind::Call { callee, arguments }, Types::INT)
    }
    fn result(&self, id: ExpressionId) -> Result<Constant, String> {
        evaluate(&self.program, id, &Limits::default()).map_err(|failure| match failure {
            EvaluationFailure::NeedsBody(_) => "needs a body".into(),
            EvaluationFailure::NonConstant(reason) => reason.reason,
        })
    }
}

#[test]
fn arithmetic_and_its_limits() {
    let mut build = Build::new();
    let (six, seven, zero) = (build.int(6), build.int(7), build.int(0));
    let product = build.binary(BinaryOperator::Multiply, six, seven);
    assert_eq!(build.result(product), Ok(Constant::Integer(42)));
    let quotient = build.binary(BinaryOperator::Divide, six, zero);
    assert_eq!(build.result(quotient), Err("an integer is divided by zero".into()));
    let greatest = build.int(i128::from(i32::MAX));
    let sum = build.binary(BinaryOperator::Add, greatest, six);
    // Outside of functions constants are folded as the host's compilers do it.
    assert_eq!(build.result(sum), Ok(Constant::Integer(i128::from(i32::MIN) + 5)));
    let shifted = build.int(40);
    let shift = build.binary(BinaryOperator::ShiftLeft, six, shifted);
    assert_eq!(build.result(shift), Ok(Constant::Integer(0)));
    let negative = build.int(-1);
    let shift = build.binary(BinaryOperator::ShiftLeft, six, negative);
    assert_eq!(build.result(shift), Err("a value of 32 bits is shifted by -1".into()));
}

#[test]
fn loops_change_locals() {
    // int f(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i; return s; }
    let mut build = Build::new();
    let n = build.local(Types::INT, StorageDuration::Parameter, None);
    let function = build.function(&[n]);
    let (zero, other_zero) = (build.int(0), build.int(0));
    let s = build.local(Types::INT, StorageDuration::Automatic, Some(zero));
    let i = build.local(Types::INT, StorageDuration::Automatic, Some(other_zero));
    let (left, right) = (build.read(i), build.read(n));
    let condition = build.compare(Comparison::Less, left, right);
    let place = build.place(i);
    let step = build.value(
        ExpressionKind::Increment {
            place,
            decrement: false,
            prefix: true,
        },
        Types::INT,
    );
    let (place, value) = (build.place(s), build.read(i));
    let add = ExpressionKind::CompoundAssign {
        operator: BinaryOperator::Add,
        place,
        value,
        computation: Types::INT,
    };
    let add = build.value(add, Types::INT);
    let body = build.statement(StatementKind::Expression(add));
    let initial = build.statement(StatementKind::Declare(i));
    let result = build.read(s);
    let statements = vec![
        StatementKind::Declare(s),
        StatementKind::For {
            initial: Some(initial),
            declaration: None,
            condition: Some(condition),
            step: Some(step),
            body,
            hints: LoopHints::default(),
        },
        StatementKind::Return(Some(result)),
    ];
    let ten = build.int(10);
    let call = build.call(function, vec![ten]);
    assert_eq!(build.result(call), Err("needs a body".into()));
    build.set_body(function, statements);
    assert_eq!(build.result(call), Ok(Constant::Integer(45)));
}

#[test]
fn recursion_goes_deep_but_not_for_ever() {
    // int f(int n) { return n == 0 ? 0 : 1 + f(n - 1); }
    let mut build = Build::new();
    let n = build.local(Types::INT, StorageDuration::Parameter, None);
    let function = build.function(&[n]);
    let (read, zero) = (build.read(n), build.int(0));
    let condition = build.compare(Comparison::Equal, read, zero);
    let (read, one) = (build.read(n), build.int(1));
    let less = build.binary(BinaryOperator::Subtract, read, one);
    let again = build.call(function, vec![less]);
    let no = build.binary(BinaryOperator::Add, one, again);
    let result = build.value(
        ExpressionKind::Conditional {
            condition,
            yes: zero,
            no,
        },
        Types::INT,
    );
    build.set_body(function, vec![StatementKind::Return(Some(result))]);
    let count = build.int(400);
    let call = build.call(function, vec![count]);
    assert_eq!(build.result(call), Ok(Constant::Integer(400)));
    let count = build.int(100_000);
    let call = build.call(function, vec![count]);
    assert_eq!(
        build.result(call),
        Err("constant evaluation exceeds the maximum depth of calls".into())
    );
}

#[test]
fn arrays_have_bounds() {
    let mut build = Build::new();
    let array = build.program.types.array(Types::INT, Some(3));
    let elements = vec![build.int(5), build.int(6)];
    let filler = Some(build.value(ExpressionKind::Zero, Types::INT));
    let value = build.value(ExpressionKind::Array { elements, filler }, array);
    assert_eq!(
        build.result(value),
        Ok(Constant::Array(
            vec![Constant::Integer(5), Constant::Integer(6)],
            Some(Box::new(Constant::Integer(0)))
        ))
    );
    let temporary = ExpressionKind::Materialise {
        value,
        lifetime: crate::hir::Lifetime::FullExpression,
        destructor: None,
    };
    let place = build.program.add(temporary, array, ValueCategory::XValue, Span::NONE);
    let pointer_type = build.program.types.pointer(Types::INT);
    let pointer = build.value(ExpressionKind::Cast(CastKind::ArrayToPointer, place), pointer_type);
    for (index, expected) in [
        (1, Ok(Constant::Integer(6))),
        (2, Ok(Constant::Integer(0))),
        (3, Err("element 3 of an array of 3 is used".to_string())),
        (4, Err("a pointer is moved to element 4 of an array of 3".to_string())),
    ] {
        let index = build.int(index);
        let element = build.value(
            ExpressionKind::PointerAdd {
                pointer,
                index,
                subtract: false,
            },
            pointer_type,
        );
        let place = build.program.add(
            ExpressionKind::Dereference(element),
            Types::INT,
            ValueCategory::LValue,
            Span::NONE,
        );
        let read = build.load(place);
        assert_eq!(build.result(read), expected);
    }
}

#[test]
fn variables_must_be_constant() {
    let mut build = Build::new();
    let variable = build.local(Types::INT, StorageDuration::Static, None);
    build.program.variable_mut(variable).initialiser = VariableInitialiser::Constant(Constant::Integer(3));
    let read = build.read(variable);
    assert_eq!(
        build.result(read),
        Err("the value of 'x', which is not constant, is read".into())
    );
    build.program.variable_mut(variable).is_constexpr = true;
    assert_eq!(build.result(read), Ok(Constant::Integer(3)));
    let parameter = build.local(Types::INT, StorageDuration::Parameter, None);
    let read = build.read(parameter);
    assert_eq!(
        build.result(read),
        Err("the value of the parameter 'x' is not known at compile time".into())
    );
}
