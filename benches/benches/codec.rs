//! Decoding, printing, parsing and building SASS instructions: time per thousand instructions of the golden words of sm_90.
//!
//! `cargo bench -p warpsmith-benches --bench codec`

use divan::{Bencher, counter::ItemsCount};
use warpsmith_sass::{Builder, FieldName, Instruction, PlainText, form, parse, tables::Round};
use warpsmith_target::Isa;

fn main() {
    divan::main();
}

/// A thousand golden words of sm_90, spread over all forms.
fn words() -> Vec<u128> {
    let all: Vec<u128> = warpsmith_tests::golden(Isa::Sm90)
        .into_iter()
        .filter(|(_, t)| t != "!illegal")
        .map(|(w, _)| w)
        .collect();
    all.iter().copied().step_by(all.len() / 1000).take(1000).collect()
}

fn instructions() -> Vec<Instruction> {
    words()
        .into_iter()
        .filter_map(|w| Instruction::decode(Isa::Sm90, w).ok())
        .collect()
}

#[divan::bench]
fn decode(bencher: Bencher<'_, '_>) {
    let words = words();
    bencher.counter(ItemsCount::new(words.len())).bench(|| {
        words
            .iter()
            .filter(|&&w| Instruction::decode(Isa::Sm90, divan::black_box(w)).is_ok())
            .count()
    });
}

#[divan::bench]
fn print(bencher: Bencher<'_, '_>) {
    let instructions = instructions();
    let mut out = String::new();
    bencher.counter(ItemsCount::new(instructions.len())).bench_local(|| {
        out.clear();
        for i in &instructions {
            i.write_text(&mut out, &PlainText::default());
        }
        out.len()
    });
}

#[divan::bench]
fn parse_text(bencher: Bencher<'_, '_>) {
    let texts: Vec<String> = instructions().iter().map(Instruction::to_string).collect();
    bencher.counter(ItemsCount::new(texts.len())).bench(|| {
        texts
            .iter()
            .filter(|t| parse(Isa::Sm90, divan::black_box(t), &PlainText::default()).is_ok())
            .count()
    });
}

/// Encoding: a word from a form and its operands.
#[divan::bench]
fn build(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(1000u32)).bench(|| {
        (0..1000u32)
            .filter(|&n| {
                let register = divan::black_box(n as u8 % 250);
                Builder::new(Isa::Sm90, form::FFMA_R_R_R_R)
                    .register(FieldName::Rd, register)
                    .register(FieldName::Ra, register)
                    .register(FieldName::Rb, 6)
                    .register(FieldName::Rc, 4)
                    .modifier(Round::Rz)
                    .finish()
                    .is_ok()
            })
            .count()
    });
}
