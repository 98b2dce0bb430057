//! Runs a computation on integers, built as IR, through selection and the PTX interpreter.

use warpsmith_emu::ptx::{Device, Launch, Options as RunOptions, load, run};
use warpsmith_ir::{Access, AddressSpace, Builder, Declaration, KernelProperties, Module, Symbols, Type, Value};
use warpsmith_isel::{Options, select};

/// Each value of a test has this much memory.
const SLOT: u64 = 16;

/// Builds a kernel that loads `operands` (types and bits), computes with `build`, and stores the results; their bits as the PTX interpreter leaves
/// them. `prepare` may add other functions and variables before.
pub(crate) fn run_with<S>(
    prepare: impl FnOnce(&mut Module) -> S,
    operands: &[(Type, u128)],
    build: impl FnOnce(&mut Builder<'_>, &Symbols, &S, &[Value]) -> Vec<Value>,
) -> Vec<u128> {
    let mut module = Module::new("test.cu");
    let context = module.context().clone();
    let prepared = prepare(&mut module);
    let pointer = Type::Pointer(AddressSpace::GLOBAL);
    let ty = context.function_type(Type::Void, &[pointer, pointer], false);
    let mut kernel = Declaration::new(&context, "test", ty);
    kernel.kernel = Some(KernelProperties::default());
    let id = module.add_function(kernel);
    let mut body = module.new_body(id);
    let entry = body.append_block();
    let mut builder = Builder::at_end(&mut body, entry);
    let slot = |builder: &mut Builder<'_>, base: u32, number: usize| {
        let offset = builder.i64((number as u64 * SLOT) as i64);
        builder.byte_offset(Value::Argument(base), offset)
    };
    let values: Vec<Value> = operands
        .iter()
        .enumerate()
        .map(|(number, (ty, _))| {
            let address = slot(&mut builder, 0, number);
            builder.load_with(
                *ty,
                address,
                Access {
                    volatile: true,
                    ..Access::aligned(SLOT as u32)
                },
            )
        })
        .collect();
    let results = build(&mut builder, &module.symbols, &prepared, &values);
    let count = results.len();
    for (number, result) in results.into_iter().enumerate() {
        let address = slot(&mut builder, 1, number);
        builder.store_with(result, address, Access::aligned(SLOT as u32));
    }
    builder.ret(None);
    module.set_body(body);

    let output = match select(&module, &Options::new("sm_90".parse().unwrap())) {
        Ok(output) => output,
        Err(refusal) => panic!("{refusal}"),
    };
    let mut device = Device::new();
    let input = device.allocate(SLOT * operands.len().max(1) as u64, SLOT);
    let result = device.allocate(SLOT * count.max(1) as u64, SLOT);
    let bytes: Vec<u8> = operands.iter().flat_map(|(_, bits)| bits.to_le_bytes()).collect();
    device.write(input, &bytes).unwrap();
    device.write(result, &vec![0; SLOT as usize * count]).unwrap();
    let loaded = load(&mut device, &output.module).unwrap();
    let arguments = vec![input.to_le_bytes().to_vec(), result.to_le_bytes().to_vec()];
    let launch = Launch {
        arguments,
        ..Launch::of("test")
    };
    if let Err(failure) = run(&mut device, &loaded, &launch, &RunOptions::default()) {
        panic!("{failure:?}\n{}", output.text);
    }
    let bytes = device.read(result, SLOT * count as u64).unwrap();
    bytes
        .chunks(SLOT as usize)
        .map(|chunk| u128::from_le_bytes(chunk.try_into().unwrap()))
        .collect()
}

/// The same without other functions, for one result.
pub(crate) fn compute(operands: &[(Type, u128)], build: impl FnOnce(&mut Builder<'_>, &[Value]) -> Value) -> u128 {
    run_with(|_| (), operands, |builder, _, (), values| vec![build(builder, values)])[0]
}

/// Runs the kernel `test` of a module in LLVM's text on the memory `input` and zeroed memory of `output` bytes; the latter afterwards. The kernel takes the
/// two addresses.
pub(crate) fn run_text(source: &str, threads: u32, input: &[u8], output: u64) -> Vec<u8> {
    run_text_with(&Options::new("sm_90".parse().unwrap()), source, threads, input, output)
}

/// The same with other options.
pub(crate) fn run_text_with(options: &Options, source: &str, threads: u32, input: &[u8], output: u64) -> Vec<u8> {
    let source = warpsmith_base::SourceText::new("test.ll", source.to_owned());
    let module = Module::from_text(&source).unwrap_or_else(|diagnostics| panic!("{diagnostics:?}"));
    let selected = match select(&module, options) {
        Ok(selected) => selected,
        Err(refusal) => panic!("{refusal}"),
    };
    let mut device = Device::new();
    let from = device.allocate(input.len().max(16) as u64, 16);
    let to = device.allocate(output, 16);
    device.write(from, input).unwrap();
    device.write(to, &vec![0; output as usize]).unwrap();
    let loaded = load(&mut device, &selected.module).unwrap();
    let arguments = vec![from.to_le_bytes().to_vec(), to.to_le_bytes().to_vec()];
    let launch = Launch {
        block: [threads, 1, 1],
        arguments,
        ..Launch::of("test")
    };
    if let Err(failure) = run(&mut device, &loaded, &launch, &RunOptions::default()) {
        panic!("{failure:?}\n{}", selected.text);
    }
    device.read(to, output).unwrap()
}

/// The same on 32-bit integers.
pub(crate) fn run_words(source: &str, threads: u32, input: &[u32], output: usize) -> Vec<u32> {
    let bytes: Vec<u8> = input.iter().flat_map(|word| word.to_le_bytes()).collect();
    let result = run_text(source, threads, &bytes, output as u64 * 4);
    result
        .chunks(4)
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}
