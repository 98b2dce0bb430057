//! Parses files and prints what is wrong, sizes and times.
//!
//! `syntax [--tree] [--brief] FILE…`: a `.cu` is preprocessed with the built-in headers, all others are taken as preprocessed text. `--tree` prints the tree,
//! `--brief` one line for each message.

use std::time::Instant;

use warpsmith_cuda::source::{Context, Disk, Options, preprocess, tokenize};
use warpsmith_cuda::syntax::ast::{Declaration, Expression, Statement};
use warpsmith_cuda::syntax::{parse, print};

fn main() {
    let (mut shows_tree, mut is_brief) = (false, false);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--tree" => shows_tree = true,
            "--brief" => is_brief = true,
            path => file(path, shows_tree, is_brief),
        }
    }
}

fn file(path: &str, shows_tree: bool, is_brief: bool) {
    let mut context = Context::new();
    let start = Instant::now();
    let tokens = if path.ends_with(".cu") && !shows_tree {
        preprocess(&mut context, &Disk, &Options::default(), path).tokens
    } else {
        let bytes = std::fs::read(path).unwrap_or_default();
        tokenize(&mut context, path, &String::from_utf8_lossy(&bytes))
    };
    let lexed = start.elapsed();
    let start = Instant::now();
    let tree = parse(&mut context, &tokens);
    let parsed = start.elapsed();
    if shows_tree {
        print!("{}", print(&tree, &context.interner));
    }
    if is_brief {
        for report in context.diagnostics.reports() {
            let place = context.map.place(report.span.first);
            println!(
                "{}: {}",
                place.map_or(String::new(), |place| place.to_string()),
                report.message
            );
        }
    } else {
        print!("{}", context.render());
    }
    println!(
        "{path}: {} errors; {} tokens in {lexed:?}; {} declarations, {} statements, {} expressions in {parsed:?}",
        context.diagnostics.error_count(),
        tokens.list.len(),
        tree.count::<Declaration>(),
        tree.count::<Statement>(),
        tree.count::<Expression>(),
    );
}
