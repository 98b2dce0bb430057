//! The library as programs meet it: found under the driver's name and called through its API, here by `warpsmith-gpu`.
#![cfg(target_os = "linux")]

use std::{env, fs, path::PathBuf, process::Command};

use warpsmith_gpu::{Buffer, Context, Driver, Extents, Image, Module, TensorMap, TensorShape};

/// Each thread adds one to its word.
const PTX: &str = ".version 8.0
.target sm_80
.address_size 64
.global .u32 step = 1;
.visible .entry add(.param .u64 data)
{
    .reg .b32 index, value, by;
    .reg .b64 at, start;
    ld.param.u64 start, [data];
    cvta.to.global.u64 start, start;
    mov.u32 index, %tid.x;
    mad.wide.u32 at, index, 4, start;
    ld.global.u32 value, [at];
    ld.global.u32 by, [step];
    add.u32 value, value, by;
    st.global.u32 [at], value;
    ret;
}
";

/// Runs a test of this file again, in a process that finds the library as the driver.
fn again(test: &str) -> (bool, String) {
    let own = env::current_exe().expect("the test's own path");
    let built = own.parent().expect("a folder").join("libwarpsmith_libcuda.so");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&folder).expect("a folder for the link");
    let link = folder.join("libcuda.so.1");
    let _ = fs::remove_file(&link);
    fs::copy(built, &link).expect("the library");
    let output = Command::new(own)
        .args(["--exact", test, "--nocapture"])
        .env("LD_LIBRARY_PATH", &folder)
        .env("INSIDE", "1")
        .env("WARPSMITH_GPU", "sm_90a")
        .output()
        .expect("the test runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success(), said)
}

fn is_inside() -> bool {
    env::var_os("INSIDE").is_some()
}

fn context() -> Context {
    let driver = Driver::load().expect("the library is a driver");
    Context::new(driver, 0).expect("there is one device")
}

fn one_block(threads: u32) -> Extents {
    Extents {
        grid: [1; 3],
        block: [threads, 1, 1],
        cluster: [1; 3],
        shared: 0,
    }
}

#[test]
fn a_kernel_runs() {
    if !is_inside() {
        let (passed, said) = again("a_kernel_runs");
        assert!(passed, "{said}");
        return;
    }
    let driver = Driver::load().expect("the library is a driver");
    assert_eq!(driver.properties(0).expect("a device").capability, (9, 0));
    assert_eq!(driver.version(), Ok((13, 0)));
    let context = context();
    let image = Image::new(PTX.as_bytes()).expect("PTX");
    let module = Module::load(&context, &image).expect("it is compiled and loaded");
    let data = Buffer::new(&context, 16).expect("16 bytes");
    data.write(0, &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0])
        .expect("it is there");
    module
        .global("step")
        .expect("a variable")
        .write(0, &[5, 0, 0, 0])
        .expect("it is there");
    let add = module.function("add").expect("a kernel");
    add.launch(one_block(4), &data.address().to_le_bytes())
        .expect("it runs");
    let mut bytes = [0; 16];
    data.read(0, &mut bytes).expect("it is there");
    assert_eq!(bytes, [6, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0]);
}

#[test]
fn what_is_wrong_is_told() {
    if !is_inside() {
        let (passed, said) = again("what_is_wrong_is_told");
        assert!(passed, "{said}");
        assert!(said.contains("there is no kernel 'subtract'"), "{said}");
        assert!(said.contains("out-of-bounds access"), "{said}");
        return;
    }
    let context = context();
    assert!(Module::load(&context, &Image::new(b".version 8.0 nonsense").expect("text")).is_err());
    let module = Module::load(&context, &Image::new(PTX.as_bytes()).expect("PTX")).expect("it is loaded");
    assert!(module.function("subtract").is_err());
    let add = module.function("add").expect("a kernel");
    let data = Buffer::new(&context, 16).expect("16 bytes");
    // As on a GPU the launch says nothing, and everything behind it does.
    add.launch(one_block(5), &data.address().to_le_bytes())
        .expect("a thread too many");
    let fault = context.synchronise().expect_err("it has met the fault");
    assert!(fault.to_string().contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{fault}");
    let mut bytes = [0; 16];
    assert!(data.read(0, &mut bytes).is_err());
    assert!(add.launch(one_block(4), &data.address().to_le_bytes()).is_err());
}

#[test]
fn tensor_maps_are_made() {
    if !is_inside() {
        let (passed, said) = again("tensor_maps_are_made");
        assert!(passed, "{said}");
        return;
    }
    let driver = Driver::load().expect("the library is a driver");
    let map = TensorMap {
        element: 6,
        address: 0x1000,
        sizes: vec![64, 32],
        strides: vec![128],
        element_strides: vec![1, 1],
        shape: TensorShape::Tile(vec![64, 8]),
        interleave: 0,
        swizzle: 3,
        promotion: 0,
        fill: 0,
    };
    let bytes = driver.tensor_map(&map).expect("a map");
    assert_eq!(bytes[..8], 0x1000_u64.to_le_bytes());
    let wrong = TensorMap { address: 0x1001, ..map };
    assert!(driver.tensor_map(&wrong).is_err());
}
