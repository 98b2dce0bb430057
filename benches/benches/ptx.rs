//! Reading, printing and formatting PTX: MB/s of text on one core.
//!
//! `cargo bench -p warpsmith-benches --bench ptx` measures a module made here, of the kind that compilers write. Files to measure as well are
//! named in `WARPSMITH_PTX_FILES`, separated as in PATH.

use divan::{Bencher, counter::BytesCount};
use std::fmt::{self, Write};
use warpsmith_tests::Random;

/// Size of the module that is made.
const SIZE: usize = 8 << 20;

fn main() {
    divan::main();
}

/// A text to measure.
struct Input {
    name: String,
    text: Vec<u8>,
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:.1} MB)", self.name, self.text.len() as f64 / 1e6)
    }
}

fn inputs() -> Vec<Input> {
    let files = std::env::var_os("WARPSMITH_PTX_FILES").unwrap_or_default();
    let read = |path: std::path::PathBuf| Input {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        text: std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())),
    };
    let text = made_module(SIZE).into_bytes();
    assert_eq!(
        warpsmith_ptx::parse(&text).problems,
        [],
        "the module made here is legal"
    );
    let made = Input {
        name: "made".to_owned(),
        text,
    };
    std::iter::once(made)
        .chain(
            std::env::split_paths(&files)
                .filter(|p| !p.as_os_str().is_empty())
                .map(read),
        )
        .collect()
}

/// From text to the checked module.
#[divan::bench(args = inputs(), sample_count = 10)]
fn parse(bencher: Bencher<'_, '_>, input: &Input) {
    bencher
        .counter(BytesCount::new(input.text.len()))
        .bench(|| warpsmith_ptx::parse(divan::black_box(&input.text)));
}

/// From the module to text.
#[divan::bench(args = inputs(), sample_count = 10)]
fn print(bencher: Bencher<'_, '_>, input: &Input) {
    let parsed = warpsmith_ptx::parse(&input.text);
    bencher
        .counter(BytesCount::new(input.text.len()))
        .bench(|| warpsmith_ptx::print::print(divan::black_box(&parsed.module)));
}

/// From text to formatted text, over the lossless tree.
#[divan::bench(args = inputs(), sample_count = 3)]
fn format(bencher: Bencher<'_, '_>, input: &Input) {
    let text = String::from_utf8_lossy(&input.text).into_owned();
    bencher
        .counter(BytesCount::new(text.len()))
        .bench(|| warpsmith_ptx::format::format(divan::black_box(&text)));
}

/// A module of at least `size` bytes of kernels; the same each time.
fn made_module(size: usize) -> String {
    let mut text = String::from(
        ".version 9.0\n.target sm_90a\n.address_size 64\n\n.file 1 \"made.cu\"\n.global .align 4 .f32 table[1024];\n",
    );
    text += ".func (.param .b32 result) helper(.param .b32 value)\n{\n\tret;\n}\n";
    let mut random = Random::new(1);
    let mut number = 0;
    while text.len() < size {
        kernel(&mut text, number, &mut random);
        number += 1;
    }
    text
}

const REGISTERS: u64 = 600;

fn kernel(text: &mut String, number: usize, random: &mut Random) {
    let name = format!("_Z{}kernel_{number}PfPKfS1_iIfLi128EE", 12 + number % 10);
    let mut line = |arguments: fmt::Arguments<'_>| {
        text.write_fmt(arguments).expect("a string takes everything");
        text.push('\n');
    };
    line(format_args!("\n\t// .globl\t{name}\n.visible .entry {name}("));
    line(format_args!(
        "\t.param .u64 .ptr .align 16 {name}_param_0,\n\t.param .u64 {name}_param_1,\n\t.param .u32 {name}_param_2\n)"
    ));
    line(format_args!(".maxntid 256, 1, 1\n{{"));
    line(format_args!(
        "\t.reg .pred \t%p<{REGISTERS}>;\n\t.reg .b16 \t%rs<{REGISTERS}>;\n\t.reg .b32 \t%r<{REGISTERS}>;"
    ));
    line(format_args!(
        "\t.reg .b32 \t%f<{REGISTERS}>;\n\t.reg .b64 \t%rd<{REGISTERS}>;\n\t.shared .align 16 .b8 tile_{number}[4096];\n"
    ));
    line(format_args!(
        "\tld.param.u64 \t%rd1, [{name}_param_0];\n\tcvta.to.global.u64 \t%rd2, %rd1;\n\tmov.u32 \t%r1, %tid.x;"
    ));
    for block in 0..20 {
        line(format_args!("$L__BB{number}_{block}:"));
        for n in 0..40 {
            let mut register = || random.below(REGISTERS);
            let (a, b, c, d) = (register(), register(), register(), register());
            match (a + b + n) % 20 {
                0..=2 => line(format_args!("\tadd.s32 \t%r{a}, %r{b}, {};", c % 128)),
                3..=5 => line(format_args!("\tfma.rn.f32 \t%f{a}, %f{b}, %f{c}, %f{d};")),
                6 => line(format_args!("\tmul.wide.s32 \t%rd{a}, %r{b}, 4;")),
                7 => line(format_args!("\tadd.s64 \t%rd{a}, %rd{b}, %rd{c};")),
                8 => line(format_args!("\tld.global.nc.f32 \t%f{a}, [%rd{b}+{}];", c * 4)),
                9 => line(format_args!(
                    "\tst.shared.v4.f32 \t[tile_{number}+{}], {{%f{a}, %f{b}, %f{c}, %f{d}}};",
                    c % 200 * 16
                )),
                10 => line(format_args!("\tld.global.v2.b64 \t{{%rd{a}, %rd{b}}}, [%rd{c}];")),
                11 => line(format_args!("\tsetp.lt.s32 \t%p{a}, %r{b}, %r{c};")),
                12 => line(format_args!("\t@%p{a} bra \t$L__BB{number}_{};", b % 20)),
                13 => line(format_args!("\tselp.b32 \t%r{a}, %r{b}, %r{c}, %p{d};")),
                14 => line(format_args!("\tmov.f32 \t%f{a}, 0f{:08X};", b * 0x10001)),
                15 => line(format_args!("\tcvt.rn.f16.f32 \t%rs{a}, %f{b};")),
                16 => line(format_args!("\tshl.b32 \t%r{a}, %r{b}, {};", c % 32)),
                17 => line(format_args!("\t.loc\t1 {} {}", 1 + b, c % 80)),
                18 => line(format_args!(
                    "\tmma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 \n\t\t{{%f{a}, %f{b}, %f{c}, %f{d}}}, {{%r{a}, %r{b}, %r{c}, %r{d}}}, {{%r{b}, %r{c}}}, {{%f{a}, %f{b}, %f{c}, %f{d}}};"
                )),
                _ => line(format_args!(
                    "\t{{ // callseq {n}\n\t.param .b32 param0;\n\tst.param.b32 \t[param0], %r{a};\n\t.param .b32 retval0;\n\tcall.uni (retval0), helper, (param0);\n\tld.param.b32 \t%r{b}, [retval0];\n\t}} // callseq {n}"
                )),
            }
        }
    }
    line(format_args!("\tret;\n\n}}"));
}
