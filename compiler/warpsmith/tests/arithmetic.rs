//! What options of floating-point arithmetic make of functions. Observed, nvcc 13.0 and NVRTC 13.0: these instructions.

use warpsmith::{Arithmetic, Emit, Memory, Options, Session, Sm, Source};

/// The floating-point instructions of a kernel that computes an expression of `a`, `b` and `c`.
fn made(expression: &str, arithmetic: Arithmetic) -> String {
    let options = Options {
        emit: Emit::Ptx,
        arithmetic,
        ..Options::new(Sm::Sm90)
    };
    let text =
        format!("extern \"C\" __global__ void k(float a, float b, float c, float *out) {{ *out = {expression}; }}\n");
    let session = Session::new(options).with_files(Memory::new());
    let artifact = session.compile(&Source::cuda("k.cu", &text)).expect("it compiles");
    let ptx = artifact.ptx.expect("PTX was asked for");
    let words = ptx.lines().filter_map(|line| line.split_whitespace().next());
    let is_float = |word: &&str| word.contains(".f32") && !word.starts_with("ld.") && !word.starts_with("st.");
    words.filter(is_float).collect::<Vec<_>>().join(" ")
}

fn usual() -> Arithmetic {
    Options::new(Sm::Sm90).arithmetic
}

#[test]
fn denormals_are_flushed_by_functions_with_a_rounding_mode_and_approximations() {
    let flushing = Arithmetic {
        flush_denormals: true,
        ..usual()
    };
    for (expression, plain, flushed) in [
        ("__fadd_rn(a, b)", "add.rn.f32", "add.rn.ftz.f32"),
        ("__fmul_ru(a, b)", "mul.rp.f32", "mul.rp.ftz.f32"),
        ("__fmaf_rz(a, b, c)", "fma.rz.f32", "fma.rz.ftz.f32"),
        ("__fmaf_ieee_rz(a, b, c)", "fma.rz.f32", "fma.rz.f32"),
        ("__fdiv_rn(a, b)", "div.rn.f32", "div.rn.ftz.f32"),
        ("__frcp_rd(a)", "rcp.rm.f32", "rcp.rm.ftz.f32"),
        ("__fsqrt_rn(a)", "sqrt.rn.f32", "sqrt.rn.ftz.f32"),
        ("__saturatef(a)", "cvt.sat.f32.f32", "cvt.sat.ftz.f32.f32"),
        ("rsqrtf(a)", "rsqrt.approx.f32", "rsqrt.approx.ftz.f32"),
        ("__sinf(a)", "sin.approx.f32", "sin.approx.ftz.f32"),
        ("__log2f(a)", "lg2.approx.f32", "lg2.approx.ftz.f32"),
        ("__expf(a)", "mul.f32 ex2.approx.f32", "mul.ftz.f32 ex2.approx.ftz.f32"),
        ("__fdividef(a, b)", "div.approx.f32", "div.approx.ftz.f32"),
        (
            "__float2int_rn(a)",
            "cvt.rni.s32.f32 cvt.rn.f32.s32",
            "cvt.rni.ftz.s32.f32 cvt.rn.f32.s32",
        ),
    ] {
        assert_eq!(made(expression, usual()), plain, "{expression}");
        assert_eq!(made(expression, flushing), flushed, "{expression}");
    }
}

#[test]
fn fast_math_takes_approximations_in_place_of_functions() {
    let fast = Arithmetic {
        flush_denormals: true,
        precise_division: false,
        precise_square_root: false,
        fast_math: true,
        ..usual()
    };
    for (expression, approximation) in [
        ("sinf(a)", "sin.approx.ftz.f32"),
        ("cosf(a)", "cos.approx.ftz.f32"),
        ("tanf(a)", "sin.approx.ftz.f32 cos.approx.ftz.f32 div.approx.ftz.f32"),
        ("logf(a)", "lg2.approx.ftz.f32 mul.ftz.f32"),
        ("log2f(a)", "lg2.approx.ftz.f32"),
        ("log10f(a)", "lg2.approx.ftz.f32 mul.ftz.f32"),
        ("expf(a)", "mul.ftz.f32 ex2.approx.ftz.f32"),
        ("exp10f(a)", "mul.ftz.f32 ex2.approx.ftz.f32"),
        ("powf(a, b)", "lg2.approx.ftz.f32 mul.ftz.f32 ex2.approx.ftz.f32"),
        ("fdividef(a, b)", "div.approx.ftz.f32"),
        ("tanhf(a)", "tanh.approx.f32"),
    ] {
        assert_eq!(made(expression, fast), approximation, "{expression}");
        assert_ne!(made(expression, usual()), approximation, "{expression}");
    }
}
