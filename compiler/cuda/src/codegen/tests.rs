//! Small functions built by hand, and the IR that comes of them.

use super::{CodegenOptions, generate};
use crate::hir::{
    BinaryOperator, CastKind, ExecutionSpace, ExpressionId, ExpressionKind, Function, FunctionBody, FunctionName,
    FunctionType, Program, Root, Scope, Span, StatementKind, StorageDuration, Types, ValueCategory, Variable,
};

const GLOBAL: Scope = Scope::Namespace(Program::GLOBAL);

fn load(program: &mut Program, place: ExpressionId) -> ExpressionId {
    let ty = program.type_of(place).id;
    program.add_value(ExpressionKind::Cast(CastKind::LValueToRValue, place), ty, Span::NONE)
}

#[test]
fn a_kernel_adds_to_what_a_pointer_points_to() {
    // __global__ void add(float *p, float x) { *p += x; }
    let mut program = Program::new();
    let pointer = program.types.pointer(Types::FLOAT);
    let ty = program.types.function(FunctionType::new(
        Types::VOID.into(),
        vec![pointer.into(), Types::FLOAT.into()],
    ));
    let mut function = Function::new(FunctionName::Identifier("add".into()), GLOBAL, ty, Span::NONE);
    for (name, ty) in [("p", pointer), ("x", Types::FLOAT)] {
        let parameter = Variable::new(
            Some(name.into()),
            GLOBAL,
            ty.into(),
            StorageDuration::Parameter,
            Span::NONE,
        );
        function.parameters.push(program.add_variable(parameter));
    }
    let [p, x] = [function.parameters[0], function.parameters[1]];
    let p = program.add(ExpressionKind::Variable(p), pointer, ValueCategory::LValue, Span::NONE);
    let p = load(&mut program, p);
    let place = program.add(
        ExpressionKind::Dereference(p),
        Types::FLOAT,
        ValueCategory::LValue,
        Span::NONE,
    );
    let x = program.add(
        ExpressionKind::Variable(x),
        Types::FLOAT,
        ValueCategory::LValue,
        Span::NONE,
    );
    let value = load(&mut program, x);
    let add = ExpressionKind::CompoundAssign {
        operator: BinaryOperator::Add,
        place,
        value,
        computation: Types::FLOAT,
    };
    let add = program.add(add, Types::FLOAT, ValueCategory::LValue, Span::NONE);
    let statement = program.add_statement(StatementKind::Expression(add), Span::NONE);
    function.space = ExecutionSpace {
        global: true,
        ..ExecutionSpace::default()
    };
    function.body = Some(FunctionBody {
        initialisers: Vec::new(),
        statement,
    });
    let id = program.add_function(function);
    program.roots.push(Root::Function(id));
    let (module, reports) = generate(
        &program,
        "add.cu",
        None,
        CodegenOptions::default(),
        &warpsmith_base::Cancel::never(),
    );
    assert_eq!(reports, []);
    let text = module.to_text(warpsmith_ir::Dialect::Modern);
    assert!(text.contains("_Z3addPff"), "{text}");
    assert!(text.contains("fadd contract float"), "{text}");
}
