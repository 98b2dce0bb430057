//! `kernel<<<grid, block, shared, stream>>>(arguments)`: the configuration is pushed, and the stub of the kernel, which fetches it, is called.

use std::collections::HashMap;

use warpsmith_cuda::source::Punctuator;
use warpsmith_cuda::syntax::ast::Expression;

use crate::unit::{Unit, is_launch};

/// Makes calls of launches.
pub(crate) fn launches(unit: &mut Unit) {
    // The parser may have read a launch more than once: what it took is the last.
    let mut found = HashMap::new();
    for expression in unit.ast.nodes::<Expression>() {
        if is_launch(&expression.kind) {
            let range = unit.range(expression.span);
            if let Some(open) = opening(unit, range.start, range.end) {
                found.insert(open, range.start);
            }
        }
    }
    let mut found: Vec<(usize, usize)> = found.into_iter().collect();
    found.sort_unstable();
    for (open, start) in found {
        launch(unit, open, start);
    }
}

/// The `<<<` of a launch: the first that is in no parentheses or brackets.
fn opening(unit: &Unit, start: usize, end: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for index in unit.token_at(start)..unit.token_at(end) {
        let token = unit.tokens.list[index];
        let opens = [
            Punctuator::LeftParenthesis,
            Punctuator::LeftBracket,
            Punctuator::LeftBrace,
        ];
        let closes = [
            Punctuator::RightParenthesis,
            Punctuator::RightBracket,
            Punctuator::RightBrace,
        ];
        depth += i32::from(opens.iter().any(|&open| token.is(open)));
        depth -= i32::from(closes.iter().any(|&close| token.is(close)));
        if depth == 0 && last_of_opening(unit, index).is_some() {
            return Some(index);
        }
    }
    None
}

/// The last token of the `<<<`, or of the `<< <` that formatters make of it, that a token begins.
fn last_of_opening(unit: &Unit, index: usize) -> Option<usize> {
    let is = |index: usize, punctuator| unit.tokens.list.get(index).is_some_and(|token| token.is(punctuator));
    if is(index, Punctuator::TripleLess) {
        return Some(index);
    }
    (is(index, Punctuator::DoubleLess) && is(index + 1, Punctuator::Less)).then_some(index + 1)
}

fn launch(unit: &mut Unit, open: usize, start: usize) {
    let Some(last) = last_of_opening(unit, open) else {
        return;
    };
    let Some(close) = closing(unit, last) else { return };
    let configuration = one_line(&unit.text[unit.end_of(last)..unit.starts[close]]);
    let arguments = close + 3;
    let end = unit.end_of(unit.closer(arguments));
    unit.edits.insert(
        start,
        format!("(__cudaPushCallConfiguration({configuration}) ? (void)0 : "),
    );
    unit.edits.replace(unit.starts[open], unit.end_of(close + 2), "");
    unit.edits.insert(end, ")");
}

/// The first `>` of the `>>>` that ends a configuration: the three before the parenthesis of the arguments.
fn closing(unit: &Unit, open: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (index, tokens) in unit.tokens.list.windows(4).enumerate().skip(open + 1) {
        let token = tokens[0];
        depth += i32::from(token.is(Punctuator::LeftParenthesis) || token.is(Punctuator::LeftBrace));
        depth -= i32::from(token.is(Punctuator::RightParenthesis) || token.is(Punctuator::RightBrace));
        let ends = tokens[..3].iter().all(|token| token.is(Punctuator::Greater));
        if depth == 0 && ends && tokens[3].is(Punctuator::LeftParenthesis) {
            return Some(index);
        }
    }
    None
}

/// Text without line breaks and line marks.
fn one_line(text: &str) -> String {
    let lines = text.lines().filter(|line| !crate::edit::is_mark(line));
    lines.collect::<Vec<_>>().join(" ")
}
