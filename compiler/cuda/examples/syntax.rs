//! Parses files of preprocessed CUDA C++ and prints what is wrong, sizes and times; with `--tree` first the tree.

use std::time::Instant;

use warpsmith_cuda::source::{Context, tokenize};
use warpsmith_cuda::syntax::ast::{Declaration, Expression, Statement};
use warpsmith_cuda::syntax::{parse, print};

fn main() {
    let mut shows_tree = false;
    let mut brief = false;
    for path in std::env::args().skip(1) {
        if path == "--brief" {
            brief = true;
            continue;
        }
        if path == "--tree" {
            shows_tree = true;
            continue;
        }
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
        if shows_tree {
            print!("{}", print(&tree, &context.interner));
        }
        for report in context.diagnostics.reports().iter().filter(|_| brief) {
            let place = context.map.place(report.span.first);
            let place = place.map_or(String::new(), |place| format!("{}:{}: ", place.line, place.column));
            let label = if report.text.is_empty() {
                String::new()
            } else {
                format!(" [{}]", report.text)
            };
            let notes: String = report.notes.iter().map(|note| format!("; {}", note.message)).collect();
            println!("{place}{}{label}{notes}", report.message);
        }
        if !brief {
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
}
