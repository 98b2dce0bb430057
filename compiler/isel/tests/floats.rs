//! Floating point: half and bfloat16 on targets with and without their instructions, modes, conversions.

#[allow(dead_code)]
mod support;

use support::run_text_with;
use warpsmith_base::Arithmetic;
use warpsmith_base::SourceText;
use warpsmith_ir::Module;
use warpsmith_isel::{Options, select};

fn options(target: &str) -> Options {
    Options::new(target.parse().unwrap())
}

/// The instructions of a function `f` of the given signature and body, without loads of parameters, stores of the result, and `ret`.
fn instructions(options: &Options, signature: &str, body: &str) -> Vec<String> {
    let source = SourceText::new("test.ll", format!("define {signature} {{\n{body}\n}}"));
    let module = Module::from_text(&source).unwrap_or_else(|diagnostics| panic!("{diagnostics:?}"));
    let text = select(&module, options)
        .unwrap_or_else(|diagnostics| panic!("{diagnostics:?}"))
        .text;
    let lines = text.lines().skip_while(|line| *line != "{").map(str::trim);
    lines
        .filter(|line| line.ends_with(';'))
        .filter(|line| !line.starts_with('.') && !line.contains(".param") && *line != "ret;")
        .map(|line| line.trim_end_matches(';').to_owned())
        .collect()
}

#[test]
fn a_product_and_a_sum_are_fused_where_that_is_allowed() {
    let body = "%m = fmul float %a, %b\n%r = fadd float %m, %c\nret float %r";
    let signature = "float @f(float %a, float %b, float %c)";
    assert_eq!(
        instructions(&options("sm_90"), signature, body),
        ["fma.rn.f32 %f4, %f1, %f2, %f3"]
    );
    let apart = Options {
        arithmetic: Arithmetic {
            contract: false,
            ..Arithmetic::default()
        },
        ..options("sm_90")
    };
    assert_eq!(
        instructions(&apart, signature, body),
        ["mul.rn.f32 %f4, %f1, %f2", "add.rn.f32 %f5, %f4, %f3"]
    );
    let flushed = Options {
        arithmetic: Arithmetic {
            flush_denormals: true,
            ..Arithmetic::default()
        },
        ..options("sm_90")
    };
    assert_eq!(
        instructions(&flushed, signature, body),
        ["fma.rn.ftz.f32 %f4, %f1, %f2, %f3"]
    );
}

#[test]
fn quotients_and_roots_follow_the_modes() {
    let signature = "float @f(float %a, float %b)";
    let body = "%r = fdiv float %a, %b\nret float %r";
    for (precise_division, fast_math, expected) in [
        (true, false, "div.rn.f32 %f3, %f1, %f2"),
        (true, true, "div.rn.f32 %f3, %f1, %f2"),
        (false, false, "div.full.f32 %f3, %f1, %f2"),
        (false, true, "div.approx.f32 %f3, %f1, %f2"),
    ] {
        assert_eq!(
            instructions(
                &Options {
                    arithmetic: Arithmetic {
                        precise_division,
                        fast_math,
                        ..Arithmetic::default()
                    },
                    ..options("sm_90")
                },
                signature,
                body
            ),
            [expected]
        );
    }
    let body = "%r = fdiv float 1.0, %a\nret float %r";
    assert_eq!(
        instructions(&options("sm_90"), signature, body),
        ["rcp.rn.f32 %f2, %f1"]
    );
    let body = "%r = call float @llvm.sqrt.f32(float %a)\nret float %r\n}\ndeclare float @llvm.sqrt.f32(float)\ndefine void @g() {\nret void";
    assert_eq!(
        instructions(&options("sm_90"), signature, body),
        ["sqrt.rn.f32 %f2, %f1"]
    );
    let approximate = Options {
        arithmetic: Arithmetic {
            precise_square_root: false,
            flush_denormals: true,
            ..Arithmetic::default()
        },
        ..options("sm_90")
    };
    assert_eq!(
        instructions(&approximate, signature, body),
        ["sqrt.approx.ftz.f32 %f2, %f1"]
    );
}

#[test]
fn pairs_of_halves_have_their_own_instructions() {
    let signature = "<2 x half> @f(<2 x half> %a, <2 x half> %b)";
    let body = "%r = fadd <2 x half> %a, %b\nret <2 x half> %r";
    assert_eq!(
        instructions(&options("sm_90"), signature, body),
        ["add.f16x2 %r3, %r1, %r2"]
    );
    let signature = "<2 x bfloat> @f(<2 x bfloat> %a, <2 x bfloat> %b)";
    let body = "%r = fmul <2 x bfloat> %a, %b\nret <2 x bfloat> %r";
    assert_eq!(
        instructions(&options("sm_90"), signature, body),
        ["mul.bf16x2 %r3, %r1, %r2"]
    );
    assert_eq!(
        instructions(&options("sm_80"), signature, body),
        ["mov.b32 %r3, -2147450880", "fma.rn.bf16x2 %r4, %r1, %r2, %r3"]
    );
}

/// Bits of a bfloat16 or half result of an operation on two, on each target.
fn on_targets(kind: &str, operation: &str, a: u16, b: u16) -> Vec<u16> {
    let source = format!(
        "
define ptx_kernel void @test(ptr addrspace(1) %in, ptr addrspace(1) %out) {{
  %a = load {kind}, ptr addrspace(1) %in
  %p = getelementptr {kind}, ptr addrspace(1) %in, i32 1
  %b = load {kind}, ptr addrspace(1) %p
  %r = {operation} {kind} %a, %b
  store {kind} %r, ptr addrspace(1) %out
  ret void
}}"
    );
    let input = [a.to_le_bytes(), b.to_le_bytes()].concat();
    ["sm_75", "sm_80", "sm_90"]
        .map(|target| {
            let output = run_text_with(&options(target), &source, 1, &input, 2);
            u16::from_le_bytes([output[0], output[1]])
        })
        .to_vec()
}

#[test]
fn narrow_floats_give_the_same_on_every_target() {
    // 1.5 + 0.0078125 in bfloat16 ties to even; in half all is exact.
    for (kind, operation, a, b, expected) in [
        ("bfloat", "fadd", 0x3FC0, 0x3C00, 0x3FC1),
        ("bfloat", "fadd", 0x3F80, 0x3B80, 0x3F80),
        ("bfloat", "fsub", 0x3F80, 0x4000, 0xBF80),
        ("bfloat", "fmul", 0x4040, 0x4040, 0x4110),
        ("bfloat", "fdiv", 0x3F80, 0x4040, 0x3EAB),
        ("bfloat", "fadd", 0x7F80, 0xFF80, 0x7FFF),
        ("half", "fadd", 0x3C00, 0x3C00, 0x4000),
        ("half", "fdiv", 0x3C00, 0x4200, 0x3555),
        ("half", "frem", 0x4700, 0x4200, 0x3C00),
    ] {
        let results = on_targets(kind, operation, a, b);
        let is_nan = kind == "bfloat" && expected == 0x7FFF;
        let same = |result: &u16| *result == expected || is_nan && result & 0x7FFF > 0x7F80;
        assert!(
            results.iter().all(same),
            "{operation} {kind} {a:#x}, {b:#x}: {results:x?}"
        );
    }
}

#[test]
fn conversions_between_formats_and_integers() {
    let source = "
define ptx_kernel void @test(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %d = load double, ptr addrspace(1) %in
  %b = fptrunc double %d to bfloat
  store bfloat %b, ptr addrspace(1) %out
  %h = fptrunc double %d to half
  %o1 = getelementptr i16, ptr addrspace(1) %out, i32 1
  store half %h, ptr addrspace(1) %o1
  %i = fptosi double %d to i8
  %o2 = getelementptr i16, ptr addrspace(1) %out, i32 2
  store i8 %i, ptr addrspace(1) %o2
  %f = uitofp i8 %i to float
  %x = fpext bfloat %b to float
  %s = fadd float %f, %x
  %u = fptoui float %s to i16
  %o3 = getelementptr i16, ptr addrspace(1) %out, i32 3
  store i16 %u, ptr addrspace(1) %o3
  %bits = bitcast float %s to <2 x i16>
  %e = extractelement <2 x i16> %bits, i32 1
  %o4 = getelementptr i16, ptr addrspace(1) %out, i32 4
  store i16 %e, ptr addrspace(1) %o4
  %v = bitcast double %d to <8 x i8>
  %top = extractelement <8 x i8> %v, i32 7
  %o5 = getelementptr i16, ptr addrspace(1) %out, i32 5
  store i8 %top, ptr addrspace(1) %o5
  ret void
}";
    // Just above the middle between two bfloat16: rounding to single first would tie to even and lose it.
    let value = 1.0 + 2f64.powi(-8) + 2f64.powi(-40);
    for target in ["sm_75", "sm_80", "sm_90"] {
        let output = run_text_with(&options(target), source, 1, &value.to_le_bytes(), 12);
        let words: Vec<u16> = output
            .chunks(2)
            .map(|word| u16::from_le_bytes([word[0], word[1]]))
            .collect();
        assert_eq!(words, [0x3F81, 0x3C04, 1, 2, 0x4000, 0x3F], "{target}");
    }
}

#[test]
fn minimum_and_rounding_of_halves_through_singles() {
    let source = "
declare half @llvm.minimum.f16(half, half)
declare half @llvm.maxnum.f16(half, half)
declare half @llvm.round.f16(half)
declare bfloat @llvm.floor.bf16(bfloat)
define ptx_kernel void @test(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %a = load half, ptr addrspace(1) %in
  %p = getelementptr half, ptr addrspace(1) %in, i32 1
  %b = load half, ptr addrspace(1) %p
  %m = call half @llvm.minimum.f16(half %a, half %b)
  store half %m, ptr addrspace(1) %out
  %x = call half @llvm.maxnum.f16(half %a, half %b)
  %o1 = getelementptr half, ptr addrspace(1) %out, i32 1
  store half %x, ptr addrspace(1) %o1
  %r = call half @llvm.round.f16(half %a)
  %o2 = getelementptr half, ptr addrspace(1) %out, i32 2
  store half %r, ptr addrspace(1) %o2
  %w = fpext half %a to float
  %c = fptrunc float %w to bfloat
  %f = call bfloat @llvm.floor.bf16(bfloat %c)
  %o3 = getelementptr half, ptr addrspace(1) %out, i32 3
  store bfloat %f, ptr addrspace(1) %o3
  ret void
}";
    // 2.5 and -1.0.
    let input = [0x4100u16.to_le_bytes(), 0xBC00u16.to_le_bytes()].concat();
    for target in ["sm_75", "sm_80", "sm_90"] {
        let output = run_text_with(&options(target), source, 1, &input, 8);
        let words: Vec<u16> = output
            .chunks(2)
            .map(|word| u16::from_le_bytes([word[0], word[1]]))
            .collect();
        assert_eq!(words, [0xBC00, 0x4100, 0x4200, 0x4000], "{target}");
    }
}
