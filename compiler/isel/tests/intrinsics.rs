//! Every intrinsic of the IR's table whose types are fixed becomes PTX that our front end takes, on some target.

use warpsmith_ir::{AddressSpace, Builder, Context, Declaration, Intrinsic, KernelProperties, Module, Type, Value};
use warpsmith_isel::{Options, select};

/// A kernel that calls the intrinsic with loaded values, or with constants where `constant` says so.
fn call(intrinsic: Intrinsic, constant: bool) -> Option<Module> {
    let mut module = Module::new("test.cu");
    let context = module.context().clone();
    let ty = intrinsic.function_type(&context, &[])?;
    let pointer = Type::Pointer(AddressSpace::GLOBAL);
    let mut kernel = Declaration::new(&context, "test", context.function_type(Type::Void, &[pointer], false));
    kernel.kernel = Some(KernelProperties::default());
    let id = module.add_function(kernel);
    let mut body = module.new_body(id);
    let entry = body.append_block();
    let mut build = Builder::at_end(&mut body, entry);
    let data = context.function_data(ty);
    let arguments: Vec<Value> = data
        .parameters
        .iter()
        .map(|&ty| match ty {
            Type::Int(bits) if constant => build.int(bits, if bits == 1 { 1 } else { 128 }),
            _ => build.load(ty, Value::Argument(0)),
        })
        .collect();
    let result = build.intrinsic(intrinsic, &[], &arguments);
    if data.result != Type::Void {
        store(&mut build, &context, result, data.result);
    }
    if !build.is_terminated() {
        build.ret(None);
    }
    module.set_body(body);
    Some(module)
}

fn store(build: &mut Builder<'_>, context: &Context, value: Value, ty: Type) {
    match ty {
        Type::Struct(structure) => {
            for (number, &field) in context.struct_data(structure).fields.iter().enumerate() {
                let member = build.extract_value(value, &[number as u32]);
                store(build, context, member, field);
            }
        }
        _ => {
            build.store(value, Value::Argument(0));
        }
    }
}

#[test]
fn all_of_the_table_are_selected() {
    let mut refused = Vec::new();
    for &intrinsic in Intrinsic::ALL {
        if intrinsic.overload_count() != 0 {
            continue;
        }
        let taken = ["sm_90a", "sm_100a", "sm_103a"].iter().any(|target| {
            [true, false].iter().any(|&constant| {
                let Some(module) = call(intrinsic, constant) else {
                    return false;
                };
                select(&module, &Options::new(target.parse().unwrap())).is_ok()
            })
        });
        if !taken {
            refused.push(intrinsic.name());
        }
    }
    // PTX has no approximations in double precision for these.
    let expected = ["llvm.nvvm.lg2.approx.d", "llvm.nvvm.ex2.approx.d"];
    assert_eq!(refused, expected);
}
