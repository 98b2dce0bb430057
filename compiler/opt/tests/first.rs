//! The vertical path: code as a naive generator writes it becomes straight code.

use warpsmith_ir::{
    AddressSpace, Builder, Declaration, FunctionId, Inlining, IntPredicate, Intrinsic, KernelProperties, Linkage,
    Module, Type, Value,
};
use warpsmith_opt::{Options, optimize};

fn device(
    module: &mut Module,
    name: &str,
    result: Type,
    parameters: &[Type],
    fill: impl Fn(&mut Builder<'_>),
) -> FunctionId {
    let context = module.context().clone();
    let mut declaration = Declaration::new(&context, name, context.function_type(result, parameters, false));
    declaration.linkage = Linkage::Internal;
    declaration.attributes.inlining = Inlining::Hint;
    declaration.attributes.willreturn = true;
    let id = module.add_function(declaration);
    let mut body = module.new_body(id);
    let entry = body.append_block();
    fill(&mut Builder::at_end(&mut body, entry));
    module.set_body(body);
    id
}

/// `__global__ void add(float *out, const float *in, int n) { int i = tid.x; if (i < n) out[i] = maximum(in[i], 0); }` with `maximum` by reference.
#[test]
fn kernel_with_references() {
    let mut module = Module::new("test.cu");
    let context = module.context().clone();
    let pointer = Type::POINTER;
    let maximum = device(&mut module, "maximum", pointer, &[pointer, pointer], |build| {
        let result = build.alloca(Type::POINTER);
        let (a, b) = (Value::Argument(0), Value::Argument(1));
        let (x, y) = (build.load(Type::Float, a), build.load(Type::Float, b));
        let less = build.fcmp(warpsmith_ir::FloatPredicate::Olt, x, y);
        let (then, other, join) = (
            build.append_block("then"),
            build.append_block("else"),
            build.append_block("join"),
        );
        build.conditional_branch(less, then, other);
        build.move_to_end(then);
        build.store(b, result);
        build.branch(join);
        build.move_to_end(other);
        build.store(a, result);
        build.branch(join);
        build.move_to_end(join);
        let value = build.load(Type::POINTER, result);
        build.ret(Some(value));
    });
    let global = Type::Pointer(AddressSpace::GLOBAL);
    let ty = context.function_type(Type::Void, &[global, global, Type::I32], false);
    let mut kernel = Declaration::new(&context, "kernel", ty);
    kernel.kernel = Some(KernelProperties::default());
    let id = module.add_function(kernel);
    let mut body = module.new_body(id);
    let entry = body.append_block();
    let mut build = Builder::at_end(&mut body, entry);
    let index = build.alloca(Type::I32);
    let (left, right) = (build.alloca(Type::Float), build.alloca(Type::Float));
    let thread = build.intrinsic(Intrinsic::NvvmReadPtxSregTidX, &[], &[]);
    build.store(thread, index);
    let i = build.load(Type::I32, index);
    let inside = build.icmp(IntPredicate::Slt, i, Value::Argument(2));
    let (then, end) = (build.append_block("then"), build.append_block("end"));
    build.conditional_branch(inside, then, end);
    build.move_to_end(then);
    let i = build.load(Type::I32, index);
    let wide = build.resize_int(i, Type::I64, true);
    let address = build.element_address(Type::Float, Value::Argument(1), wide);
    let value = build.load(Type::Float, address);
    build.store(value, left);
    let zero = build.zero(Type::Float);
    build.store(zero, right);
    let chosen = build.call(&module.symbols, maximum, &[left, right]);
    let value = build.load(Type::Float, chosen);
    let i = build.load(Type::I32, index);
    let wide = build.resize_int(i, Type::I64, true);
    let address = build.element_address(Type::Float, Value::Argument(0), wide);
    build.store(value, address);
    build.branch(end);
    build.move_to_end(end);
    build.ret(None);
    module.set_body(body);
    optimize(&mut module, &Options::default()).unwrap();
    let text = module.body(id).unwrap().display(Some(&module.symbols)).to_string();
    assert!(!text.contains("alloca") && !text.contains("call ptr"), "{text}");
    assert_eq!(text.matches("load").count(), 1, "{text}");
    assert_eq!(text.matches("select").count(), 1, "{text}");
}
