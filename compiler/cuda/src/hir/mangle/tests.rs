//! Names as g++ gives them.

use super::{SymbolVariant, mangle_function, mangle_type, mangle_variable, mangle_virtual_table};
use crate::hir::pattern::{ArgumentPattern, TemplateSignature, TypePattern};
use crate::hir::{
    CallOperator, Class, ClassId, ClassKind, Constant, Function, FunctionId, FunctionName, FunctionType,
    LanguageLinkage, Linkage, Namespace, NamespaceId, OperatorName, Program, QualifiedType, Qualifiers, Scope, Span,
    StorageDuration, TemplateArgument, Types, Variable,
};

const GLOBAL: Scope = Scope::Namespace(Program::GLOBAL);

fn function(program: &mut Program, name: &str, scope: Scope, parameters: &[QualifiedType]) -> FunctionId {
    named(program, FunctionName::Identifier(name.into()), scope, parameters)
}
fn named(program: &mut Program, name: FunctionName, scope: Scope, parameters: &[QualifiedType]) -> FunctionId {
    let ty = program
        .types
        .function(FunctionType::new(Types::VOID.into(), parameters.to_vec()));
    let mut function = Function::new(name, scope, ty, Span::NONE);
    function.has_this = matches!(scope, Scope::Class(_));
    program.add_function(function)
}
fn namespace(program: &mut Program, name: &str) -> NamespaceId {
    program.add_namespace(Namespace {
        name: Some(name.into()),
        parent: Some(Program::GLOBAL),
        inline: false,
    })
}
fn class(program: &mut Program, name: &str, scope: Scope, arguments: Option<Vec<TemplateArgument>>) -> ClassId {
    let mut class = Class::new(Some(name.into()), scope, ClassKind::Struct, Span::NONE);
    class.template_arguments = arguments;
    program.add_class(class)
}
fn symbol(program: &Program, id: FunctionId) -> String {
    mangle_function(program, id, SymbolVariant::Complete)
}

#[test]
fn parameters_and_substitutions() {
    let mut program = Program::new();
    let pointer = program.types.pointer(Types::FLOAT).unqualified();
    let constant = program.types.pointer(Types::FLOAT.constant()).unqualified();
    let id = function(&mut program, "add", GLOBAL, &[pointer, constant, Types::INT.into()]);
    assert_eq!(symbol(&program, id), "_Z3addPfPKfi");
    let id = function(&mut program, "twice", GLOBAL, &[pointer, pointer, constant, constant]);
    assert_eq!(symbol(&program, id), "_Z5twicePfS_PKfS1_");
    let id = function(&mut program, "none", GLOBAL, &[]);
    assert_eq!(symbol(&program, id), "_Z4nonev");
    program.function_mut(id).language = LanguageLinkage::C;
    assert_eq!(symbol(&program, id), "none");
}

#[test]
fn nested_names_classes_and_operators() {
    let mut program = Program::new();
    let space = namespace(&mut program, "n");
    let point = class(&mut program, "Point", Scope::Namespace(space), None);
    let ty = program.types.class(point);
    let reference = program.types.lvalue_reference(ty.constant()).unqualified();
    let operator = named(
        &mut program,
        FunctionName::Operator(OperatorName::Plus),
        Scope::Namespace(space),
        &[reference, reference],
    );
    assert_eq!(symbol(&program, operator), "_ZN1nplERKNS_5PointES2_");
    let constructor = named(
        &mut program,
        FunctionName::Constructor,
        Scope::Class(point),
        &[Types::INT.into()],
    );
    assert_eq!(symbol(&program, constructor), "_ZN1n5PointC1Ei");
    assert_eq!(
        mangle_function(&program, constructor, SymbolVariant::Base),
        "_ZN1n5PointC2Ei"
    );
    let method = function(&mut program, "get", Scope::Class(point), &[ty.into()]);
    let mut function_type = FunctionType::new(Types::INT.into(), vec![ty.into()]);
    function_type.qualifiers = Qualifiers::CONST;
    let function_type = program.types.function(function_type);
    program.function_mut(method).ty = function_type;
    assert_eq!(symbol(&program, method), "_ZNK1n5Point3getES0_");
    assert_eq!(mangle_virtual_table(&program, point), "_ZTVN1n5PointE");
}

#[test]
fn variables_in_scopes() {
    let mut program = Program::new();
    let f = function(&mut program, "f", GLOBAL, &[Types::INT.into()]);
    let mut variable = Variable::new(
        Some("x".into()),
        Scope::Function(f),
        Types::INT.into(),
        StorageDuration::Static,
        Span::NONE,
    );
    variable.linkage = Linkage::Internal;
    let local = program.add_variable(variable.clone());
    assert_eq!(mangle_variable(&program, local), "_ZZ1fiE1x");
    variable.discriminator = 1;
    let second = program.add_variable(variable.clone());
    assert_eq!(mangle_variable(&program, second), "_ZZ1fiE1x_0");
    variable.discriminator = 0;
    variable.scope = GLOBAL;
    let file = program.add_variable(variable.clone());
    assert_eq!(mangle_variable(&program, file), "x");
    variable.linkage = Linkage::External;
    let global = program.add_variable(variable);
    assert_eq!(mangle_variable(&program, global), "x");
}

#[test]
fn templates_spell_their_signatures() {
    let mut program = Program::new();
    let parameter = || TypePattern::Parameter { depth: 0, index: 0 };
    let pointer = program.types.pointer(Types::FLOAT).unqualified();
    let id = function(&mut program, "k", GLOBAL, &[pointer, pointer]);
    let specialised = program.function_mut(id);
    specialised.template_arguments = Some(vec![
        TemplateArgument::Type(Types::FLOAT.into()),
        TemplateArgument::Value(Types::INT.into(), Constant::Integer(-4)),
    ]);
    specialised.template_signature = Some(Box::new(TemplateSignature {
        result: TypePattern::Type(Types::VOID.into()),
        parameters: vec![
            TypePattern::Pointer(Box::new(parameter())),
            TypePattern::Pointer(Box::new(TypePattern::Qualified(
                Qualifiers::CONST,
                Box::new(parameter()),
            ))),
        ],
        variadic: false,
    }));
    assert_eq!(symbol(&program, id), "_Z1kIfLin4EEvPT_PKS0_");
}

#[test]
fn specialised_classes_of_std() {
    let mut program = Program::new();
    let std = Scope::Namespace(namespace(&mut program, "std"));
    let inner = class(
        &mut program,
        "pair",
        std,
        Some(vec![
            TemplateArgument::Type(Types::INT.into()),
            TemplateArgument::Type(Types::FLOAT.into()),
        ]),
    );
    let inner_type = program.types.class(inner);
    let outer = class(
        &mut program,
        "pair",
        std,
        Some(vec![
            TemplateArgument::Type(inner_type.into()),
            TemplateArgument::Type(inner_type.into()),
        ]),
    );
    let outer_type = program.types.class(outer).unqualified();
    assert_eq!(mangle_type(&program, outer_type), "St4pairIS_IifES0_E");
    let f = function(&mut program, "f", GLOBAL, &[outer_type, inner_type.into()]);
    assert_eq!(symbol(&program, f), "_Z1fSt4pairIS_IifES0_ES0_");
}

#[test]
fn enable_if_as_a_result() {
    let mut program = Program::new();
    let std = Scope::Namespace(namespace(&mut program, "std"));
    let f = function(&mut program, "f", GLOBAL, &[Types::INT.into()]);
    let specialised = program.function_mut(f);
    specialised.template_arguments = Some(vec![TemplateArgument::Type(Types::INT.into())]);
    let parameter = || TypePattern::Parameter { depth: 0, index: 0 };
    specialised.template_signature = Some(Box::new(TemplateSignature {
        result: TypePattern::Member {
            of: Box::new(TypePattern::Specialisation {
                scope: std,
                name: "remove_const".into(),
                arguments: vec![ArgumentPattern::Type(parameter())],
                pack: None,
            }),
            name: "type".into(),
            arguments: None,
        },
        parameters: vec![parameter()],
        variadic: false,
    }));
    assert_eq!(symbol(&program, f), "_Z1fIiENSt12remove_constIT_E4typeES1_");
}

#[test]
fn closures_are_numbered_in_their_function() {
    let mut program = Program::new();
    let f = function(&mut program, "f", GLOBAL, &[]);
    let closure = program.add_class(Class::new(None, Scope::Function(f), ClassKind::Class, Span::NONE));
    let call = named(
        &mut program,
        FunctionName::Operator(OperatorName::Call),
        Scope::Class(closure),
        &[Types::INT.into()],
    );
    let mut ty = FunctionType::new(Types::VOID.into(), vec![Types::INT.into()]);
    ty.qualifiers = Qualifiers::CONST;
    let ty = program.types.function(ty);
    program.function_mut(call).ty = ty;
    program.class_mut(closure).lambda = Some(CallOperator::Plain(call));
    assert_eq!(symbol(&program, call), "_ZZ1fvENKUliE_clEi");
    program.class_mut(closure).discriminator = 1;
    assert_eq!(symbol(&program, call), "_ZZ1fvENKUliE0_clEi");
}
