//! The maths library against references of higher precision: each function in a kernel, compiled from CUDA C++ to PTX and run in the interpreter.
//!
//! `tests/mathlib/references.txt` holds operands and correctly rounded results; a result may be as many units in the last place from it as the CUDA C++
//! programming guide says for the function.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use warpsmith_emu::{Device, Launch, Options, ptx};

/// The references of one function.
struct Function {
    bound: u64,
    double: bool,
    /// Operands, and the result; `None` for NaN.
    cases: Vec<(Vec<u64>, Option<u64>)>,
}

fn references() -> BTreeMap<String, Function> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("mathlib/references.txt");
    let text = std::fs::read_to_string(path).expect("the references are readable");
    let mut functions = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, bound, operands @ .., result] = &words[..] else {
            panic!("`{line}` is no reference");
        };
        let bits = |word: &str| u64::from_str_radix(word, 16).expect("hexadecimal digits");
        let function = functions.entry((*name).to_string()).or_insert(Function {
            bound: bound.parse().expect("a number"),
            double: operands[0].len() == 16,
            cases: Vec::new(),
        });
        let result = (*result != "nan").then(|| bits(result));
        function
            .cases
            .push((operands.iter().map(|word| bits(word)).collect(), result));
    }
    functions
}

/// One kernel a function: thread `i` computes case `i`.
fn source(functions: &BTreeMap<String, Function>) -> String {
    let mut text = String::new();
    for (name, function) in functions {
        let real = if function.double { "double" } else { "float" };
        let count = function.cases[0].0.len();
        let parameters = vec![real; count].join(", ");
        let arguments: Vec<String> = (0..count)
            .map(|operand| format!("x[{count} * i + {operand}]"))
            .collect();
        let arguments = arguments.join(", ");
        let _ = writeln!(
            text,
            "extern \"C\" __device__ {real} {name}({parameters});\n\
             extern \"C\" __global__ void test{name}(const {real} *x, {real} *y) {{ int i = threadIdx.x; y[i] = {name}({arguments}); }}"
        );
    }
    text
}

/// The PTX of a source.
fn translated(source: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (input, output) = (folder.join("mathlib.cu"), folder.join("mathlib.ptx"));
    std::fs::write(&input, source).expect("the folder is writable");
    let line = [
        "warpsmith".into(),
        input.into(),
        "-ptx".into(),
        "-arch=sm_80".into(),
        "-o".into(),
        output.clone().into(),
    ];
    let arguments: Vec<OsString> = line.to_vec();
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let status = warpsmith_driver::run(&arguments, &mut out, &mut errors);
    assert_eq!(status, 0, "{}", String::from_utf8_lossy(&errors));
    std::fs::read(output).expect("the output is there")
}

/// Where a number stands among all of its format, in units in the last place.
fn rank(bits: u64, double: bool) -> i64 {
    match double {
        true if bits >> 63 != 0 => -((bits & !(1 << 63)) as i64),
        true => bits as i64,
        false if bits >> 31 != 0 => -((bits & 0x7fff_ffff) as i64),
        false => bits as i64,
    }
}

fn is_nan(bits: u64, double: bool) -> bool {
    match double {
        true => f64::from_bits(bits).is_nan(),
        false => f32::from_bits(bits as u32).is_nan(),
    }
}

#[test]
fn results_are_within_the_bounds_of_the_programming_guide() {
    let functions = references();
    let ptx_text = translated(&source(&functions));
    let parsed = warpsmith_ptx::parse(&ptx_text);
    let mut wrong = Vec::new();
    for (name, function) in &functions {
        let size = if function.double { 8 } else { 4 };
        let mut device = Device::default();
        let loaded = ptx::load(&mut device, &parsed.module).expect("the module loads");
        let operands: Vec<u8> = (function.cases.iter().flat_map(|(operands, _)| operands))
            .flat_map(|bits| bits.to_le_bytes()[..size].to_vec())
            .collect();
        let x = device.allocate(operands.len() as u64, 8);
        let y = device.allocate((size * function.cases.len()) as u64, 8);
        device.write(x, &operands).expect("the operands fit");
        let launch = Launch {
            block: [function.cases.len() as u32, 1, 1],
            arguments: vec![x.to_le_bytes().to_vec(), y.to_le_bytes().to_vec()],
            ..Launch::of(&format!("test{name}"))
        };
        if let Err(failure) = ptx::run(&mut device, &loaded, &launch, &Options::default()) {
            wrong.push(format!("{name}: {failure}"));
            continue;
        }
        let results = device
            .read(y, (size * function.cases.len()) as u64)
            .expect("the results are there");
        for ((operands, expected), bytes) in function.cases.iter().zip(results.chunks(size)) {
            let mut bits = [0; 8];
            bits[..size].copy_from_slice(bytes);
            let found = u64::from_le_bytes(bits);
            let good = match expected {
                None => is_nan(found, function.double),
                // A zero has its sign; the rest counts in units.
                Some(zero) if rank(*zero, function.double) == 0 => found == *zero,
                Some(expected) => {
                    let distance = rank(found, function.double).abs_diff(rank(*expected, function.double));
                    !is_nan(found, function.double) && distance <= function.bound
                }
            };
            if !good {
                wrong.push(format!("{name}{operands:x?}: {found:x}, expected {expected:x?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
