//! Functions of many loops and branches: passes do as much to the last of them as to the first.

mod support;

use std::fmt::Write as _;

use warpsmith_ir::{Instruction, Module};
use warpsmith_opt::Options;

/// The module after passes, by names with commas.
fn after(passes: &str, text: &str) -> Module {
    support::after(passes, text, Options::default())
}

/// How many instructions are such.
fn count(module: &Module, is_such: impl Fn(&Instruction) -> bool) -> usize {
    let functions = module.bodies.iter().filter_map(|(_, body)| body.as_ref());
    functions
        .flat_map(|function| {
            let all = function.all_instructions();
            all.map(|id| function.instruction(id)).collect::<Vec<_>>()
        })
        .filter(|instruction| is_such(instruction))
        .count()
}

/// Loops in a row, each of which goes on with the sum of the one before; `bound` is how often they go round.
fn loops_in_a_row(loops: usize, bound: &str) -> String {
    let mut text = String::from("define i32 @f(i32 %n) {\nb0:\n  br label %head1\n");
    for own in 1..=loops {
        let before = own - 1;
        let sum = if own == 1 {
            "0".to_owned()
        } else {
            format!("%sum{before}")
        };
        write!(
            text,
            "head{own}:
  %i{own} = phi i32 [ 0, %b{before} ], [ %next{own}, %body{own} ]
  %sum{own} = phi i32 [ {sum}, %b{before} ], [ %more{own}, %body{own} ]
  %on{own} = icmp slt i32 %i{own}, {bound}
  br i1 %on{own}, label %body{own}, label %b{own}
body{own}:
  %more{own} = add i32 %sum{own}, {own}
  %next{own} = add i32 %i{own}, 1
  br label %head{own}
b{own}:
  br label %{}\n",
            if own == loops {
                "end".to_owned()
            } else {
                format!("head{}", own + 1)
            }
        )
        .unwrap();
    }
    write!(text, "end:\n  ret i32 %sum{loops}\n}}\n").unwrap();
    text
}

#[test]
fn all_loops_are_written_out() {
    let made = after(
        "loop-rotate,simplifycfg-plain,loop-unroll,sccp,simplifycfg,instcombine",
        &loops_in_a_row(300, "3"),
    );
    let sum: i32 = (1..=300).map(|own| 3 * own).sum();
    assert!(made.to_string().contains(&format!("ret i32 {sum}")));
}

#[test]
fn all_loops_do_four_rounds_at_a_time() {
    let made = after("loop-rotate,simplifycfg-plain,loop-unroll", &loops_in_a_row(300, "%n"));
    let additions = count(
        &made,
        |instruction| matches!(instruction, Instruction::Binary { op, .. } if *op == warpsmith_ir::BinaryOp::Add),
    );
    // Two in each of four rounds and in the loop that is left for the rest.
    assert_eq!(additions, 300 * 2 * 5);
}

#[test]
fn all_branches_that_are_known_are_gone_around() {
    let mut text = String::from("declare void @g(i32)\ndefine void @f(i32 %n) {\nentry:\n  br label %b0\n");
    for own in 0..100 {
        write!(
            text,
            "b{own}:
  %c{own} = icmp ugt i32 %n, {own}
  br i1 %c{own}, label %t{own}, label %u{own}
t{own}:
  call void @g(i32 {own})
  br label %m{own}
u{own}:
  call void @g(i32 1{own})
  br label %m{own}
m{own}:
  %flag{own} = phi i1 [ true, %t{own} ], [ false, %u{own} ]
  br i1 %flag{own}, label %v{own}, label %w{own}
v{own}:
  call void @g(i32 2{own})
  br label %w{own}
w{own}:
  br label %b{}\n",
            own + 1
        )
        .unwrap();
    }
    text.push_str("b100:\n  ret void\n}\n");
    let made = after("jump-threading,simplifycfg", &text);
    let branches = count(&made, |instruction| {
        matches!(instruction, Instruction::ConditionalBranch { .. })
    });
    assert_eq!(branches, 100);
}
