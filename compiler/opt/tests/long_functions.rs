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
fn many_loops_are_written_out_only_as_far_as_the_function_may_grow() {
    let text = loops_in_a_row(400, "120");
    let before = count(&after("loop-rotate,simplifycfg-plain", &text), |_| true);
    let made = count(&after("loop-rotate,simplifycfg-plain,loop-unroll", &text), |_| true);
    // Each loop alone would be written out: to 190,000 instructions in all.
    assert!(made > 8_192, "{made} instructions");
    assert!(made < 8_192 + 17 * before, "{made} instructions of {before}");
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

/// Branches in a row, each on the other side of the one before, whose ends lie one behind the other.
fn else_ifs(count: usize) -> String {
    let mut text = String::from("declare void @g(i32)\ndefine void @f(i32 %n) {\nentry:\n  br label %b0\n");
    for own in 0..count {
        write!(
            text,
            "b{own}:
  %c{own} = icmp eq i32 %n, {own}
  br i1 %c{own}, label %t{own}, label %b{}
t{own}:
  call void @g(i32 {own})
  br label %e{own}
",
            own + 1
        )
        .unwrap();
    }
    write!(text, "b{count}:\n  br label %e{}\n", count - 1).unwrap();
    for own in (1..count).rev() {
        write!(text, "e{own}:\n  br label %e{}\n", own - 1).unwrap();
    }
    text.push_str("e0:\n  ret void\n}\n");
    text
}

#[test]
fn ends_in_a_row_are_left_out() {
    let made = after("simplifycfg-plain", &else_ifs(4_000));
    let branches = |made| {
        let conditional = count(made, |it| matches!(it, Instruction::ConditionalBranch { .. }));
        (conditional, count(made, |it| matches!(it, Instruction::Branch { .. })))
    };
    // Each side goes straight to the end.
    assert_eq!(branches(&made), (4_000, 4_000));
    let function = made.bodies.iter().find_map(|(_, body)| body.as_ref()).expect("a body");
    assert_eq!(function.blocks().count(), 8_001);
}

#[test]
fn choices_in_a_row_meet_in_one_place() {
    let mut text = String::from("declare void @g(i32)\ndefine i32 @f(i32 %n) {\nentry:\n  br label %b0\n");
    for own in 0..1_000 {
        let next = own + 1;
        write!(
            text,
            "b{own}:
  %c{own} = icmp eq i32 %n, {own}
  br i1 %c{own}, label %t{own}, label %b{next}
t{own}:
  call void @g(i32 {own})
  br label %e{own}
"
        )
        .unwrap();
    }
    text.push_str("b1000:\n  br label %e1000\ne1000:\n  br label %e999\n");
    for own in (0..1_000).rev() {
        let (inner, value) = (
            own + 1,
            if own == 999 {
                "0".to_owned()
            } else {
                format!("%v{}", own + 1)
            },
        );
        write!(
            text,
            "e{own}:\n  %v{own} = phi i32 [ 5{own}, %t{own} ], [ {value}, %e{inner} ]\n"
        )
        .unwrap();
        match own {
            0 => text.push_str("  ret i32 %v0\n}\n"),
            _ => writeln!(text, "  br label %e{}", own - 1).unwrap(),
        }
    }
    let made = after("simplifycfg-plain", &text);
    let phis: Vec<usize> = {
        let function = made.bodies.iter().find_map(|(_, body)| body.as_ref()).expect("a body");
        let all = function.all_instructions();
        all.filter_map(|id| match function.instruction(id) {
            Instruction::Phi { incoming, .. } => Some(incoming.len()),
            _ => None,
        })
        .collect()
    };
    assert_eq!(phis, [1_001]);
}

#[test]
fn all_calls_of_a_block_are_replaced_in_order() {
    let mut text = String::from(
        "declare void @g(i32)
define internal i32 @h(i32 %x) alwaysinline {
  %low = icmp slt i32 %x, 0
  br i1 %low, label %yes, label %no
yes:
  ret i32 1
no:
  call void @g(i32 %x)
  ret i32 %x
}
define i32 @f(i32 %n) {
  %s0 = add i32 %n, 0
",
    );
    for own in 0..100 {
        writeln!(
            text,
            "  %r{own} = call i32 @h(i32 {own})\n  %s{} = add i32 %s{own}, %r{own}",
            own + 1
        )
        .unwrap();
    }
    text.push_str("  ret i32 %s100\n}\n");
    let made = after(
        "always-inline,simplifycfg,instcombine,sccp,simplifycfg,instcombine",
        &text,
    );
    let printed = made.to_string();
    let called: Vec<&str> = printed
        .lines()
        .filter(|line| line.contains("call void @g(i32 "))
        .collect();
    let calls = (0..100).map(|own| format!("call void @g(i32 {own})"));
    let in_order: Vec<String> = calls.collect();
    let of_f = &called[called.len() - 100..];
    assert!(
        of_f.iter()
            .zip(&in_order)
            .all(|(line, call)| line.contains(call.as_str())),
        "{printed}"
    );
    assert!(!printed.contains("call i32 @h"), "{printed}");
    assert!(
        printed.contains(&format!("add i32 %n, {}", (0..100).sum::<i32>())),
        "{printed}"
    );
}

#[test]
fn constants_of_a_long_sum_meet_before_they_have_gone_all_the_way() {
    let terms = 1_500;
    let mut text = String::from("define i32 @f(i32 %x) {\n  %s0 = add i32 %x, 0\n");
    for own in 1..=terms {
        let before = own - 1;
        writeln!(
            text,
            "  %t{own} = add i32 %x, {own}\n  %s{own} = add i32 %s{before}, %t{own}"
        )
        .unwrap();
    }
    write!(text, "  ret i32 %s{terms}\n}}\n").unwrap();
    let made = after("instcombine", &text);
    let limit = made
        .bodies
        .iter()
        .filter_map(|(_, body)| body.as_ref())
        .map(|function| function.instruction_limit());
    // One step for each constant and term would be more than a million.
    let most = limit.max().unwrap_or(0);
    assert!(most < 50 * terms, "{most} instructions were made");
}

/// A chain of comparisons of one value: behind each, where it is equal, the value is known.
#[test]
fn behind_each_of_many_comparisons_the_value_is_known() {
    let cases = 100;
    let mut text = String::from("define i32 @f(i32 %x) {\nb0:\n  br label %case0\n");
    for own in 0..cases {
        let next = own + 1;
        writeln!(
            text,
            "case{own}:\n  %is{own} = icmp eq i32 %x, {own}\n  br i1 %is{own}, label %yes{own}, label %case{next}\nyes{own}:\n  %v{own} = xor i32 %x, 1\n  ret i32 %v{own}"
        )
        .unwrap();
    }
    write!(text, "case{cases}:\n  ret i32 %x\n}}\n").unwrap();
    let made = after("gvn,instcombine", &text).to_string();
    for own in 0..cases {
        assert!(made.contains(&format!("ret i32 {}\n", own ^ 1)), "case {own}");
    }
    assert!(made.contains("ret i32 %x\n"));
}
