//! Parses a file of preprocessed CUDA C++ and prints what is wrong, and the sizes and times.

use std::time::Instant;

use warpsmith_cuda::source::{Context, tokenize};
use warpsmith_cuda::syntax::ast::{Declaration, Expression, Statement};
use warpsmith_cuda::syntax::parse;

fn main() {
    for path in std::env::args().skip(1) {
        let Ok(bytes) = std::fs::read(&path) else {
            eprintln!("{path}: cannot be read");
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        let mut context = Context::new();
        let start = Instant::now();
        let tokens = tokenize(&mut context, &path, &text);
        let lexed = start.elapsed();
        let start = Instant::now();
        let tree = parse(&mut context, &tokens);
        let parsed = start.elapsed();
        print!("{}", context.render());
        println!(
            "{path}: {} errors; {} tokens in {lexed:?}; {} declarations, {} statements, {} expressions in {parsed:?}",
            context.diagnostics.error_count(),
            tokens.list.len(),
            tree.count::<Declaration>(),
            tree.count::<Statement>(),
            tree.count::<Expression>(),
        );
    }
}
