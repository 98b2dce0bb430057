//! A kernel from the builder: its exact PTX, and what it computes.

use warpsmith_emu::ptx::{Device, Launch, Options as RunOptions, load, run};
use warpsmith_ir::{
    AddressSpace, Builder, Declaration, IntPredicate, Intrinsic, KernelProperties, Module, ParameterAttributes, Type,
    Value,
};
use warpsmith_isel::{Options, select};

/// `if (i < n) a[i] += b[i]` with `i` the thread's number.
fn add_kernel() -> Module {
    let mut module = Module::new("add.cu");
    let context = module.context().clone();
    let pointer = Type::Pointer(AddressSpace::GLOBAL);
    let ty = context.function_type(Type::Void, &[pointer, pointer, Type::I32], false);
    let mut kernel = Declaration::new(&context, "add", ty);
    kernel.kernel = Some(KernelProperties {
        maximum_threads: Some([256, 1, 1]),
        ..KernelProperties::default()
    });
    kernel.parameters[1] = ParameterAttributes {
        noalias: true,
        readonly: true,
        ..ParameterAttributes::default()
    };
    let id = module.add_function(kernel);
    let mut body = module.new_body(id);
    let entry = body.append_block();
    let mut build = Builder::at_end(&mut body, entry);
    let inside = build.append_block("inside");
    let done = build.append_block("done");
    let block = build.intrinsic(Intrinsic::NvvmReadPtxSregCtaidX, &[], &[]);
    let size = build.intrinsic(Intrinsic::NvvmReadPtxSregNtidX, &[], &[]);
    let thread = build.intrinsic(Intrinsic::NvvmReadPtxSregTidX, &[], &[]);
    let first = build.mul(block, size);
    let index = build.add(first, thread);
    let condition = build.icmp(IntPredicate::Slt, index, Value::Argument(2));
    build.conditional_branch(condition, inside, done);
    build.move_to_end(inside);
    let to = build.element_address(Type::Float, Value::Argument(0), index);
    let from = build.element_address(Type::Float, Value::Argument(1), index);
    let (a, b) = (build.load(Type::Float, to), build.load(Type::Float, from));
    let sum = build.fadd(a, b);
    build.store(sum, to);
    build.branch(done);
    build.move_to_end(done);
    build.ret(None);
    module.set_body(body);
    module
}

#[test]
fn the_text_of_a_kernel() {
    let output = select(&add_kernel(), &Options::new("sm_90".parse().unwrap())).unwrap();
    let expected = "\
.version 9.0
.target sm_90
.address_size 64


.visible .entry add(
	.param .u64 .ptr .global .align 1 add_param_0,
	.param .u64 .ptr .global .align 1 add_param_1,
	.param .u32 add_param_2
)
.maxntid 256, 1, 1
{
	.reg .pred \t%p<2>;
	.reg .b32 \t%r<6>;
	.reg .f32 \t%f<4>;
	.reg .b64 \t%rd<6>;

	ld.param.u64 %rd1, [add_param_0];
	ld.param.u64 %rd2, [add_param_1];
	ld.param.u32 %r1, [add_param_2];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	setp.lt.s32 %p1, %r5, %r1;
	@!%p1 bra $L__BB0_2;
$L__BB0_1:
	mul.wide.s32 %rd3, %r5, 4;
	add.s64 %rd4, %rd1, %rd3;
	add.s64 %rd5, %rd2, %rd3;
	ld.global.f32 %f1, [%rd4];
	ld.global.nc.f32 %f2, [%rd5];
	add.f32 %f3, %f1, %f2;
	st.global.f32 [%rd4], %f3;
$L__BB0_2:
	ret;
}

";
    assert_eq!(output.text, expected);
}

#[test]
fn what_a_kernel_computes() {
    let output = select(&add_kernel(), &Options::new("sm_90".parse().unwrap())).unwrap();
    let mut device = Device::new();
    let [a, b] = [0; 2].map(|_| device.allocate(16, 4));
    let bytes = |values: [f32; 4]| values.map(f32::to_le_bytes).concat();
    device.write(a, &bytes([1.0, 2.0, 3.0, 4.0])).unwrap();
    device.write(b, &bytes([0.5, 0.5, 0.5, 0.5])).unwrap();
    let loaded = load(&mut device, &output.module).unwrap();
    let launch = Launch {
        block: [4, 1, 1],
        arguments: vec![
            a.to_le_bytes().to_vec(),
            b.to_le_bytes().to_vec(),
            3i32.to_le_bytes().to_vec(),
        ],
        ..Launch::of("add")
    };
    run(&mut device, &loaded, &launch, &RunOptions::default()).unwrap();
    assert_eq!(device.read(a, 16).unwrap(), bytes([1.5, 2.5, 3.5, 4.0]));
}
