//! Each rule by itself, on kernels of `i32 %n`, the same for all threads, and the thread's number `%t`.

use warpsmith_base::SourceText;
use warpsmith_ir::{BlockId, Function, Instruction, Module, Value};

use super::Divergence;

/// The letters of those blocks whose end leads threads apart, and, of the stores, for each the name of the stored value with `!` where it differs.
fn found(code: &str) -> (String, String) {
    of("ptx_kernel", code)
}

fn of(convention: &str, code: &str) -> (String, String) {
    let text = format!(
        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define {convention} void @k(ptr %p, i32 %n, i1 %c) {{
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %d = icmp eq i32 %t, 3
  %u = icmp eq i32 %n, 3
{code}
}}"
    );
    let module = Module::from_text(&SourceText::new("t.ll", text)).unwrap();
    assert!(module.verify().is_ok());
    let (_, function) = module.bodies.iter().find(|(_, body)| body.is_some()).unwrap();
    let function = function.as_ref().unwrap();
    let divergence = Divergence::new(&module.symbols, function);
    let blocks: Vec<BlockId> = function.blocks().collect();
    let apart = (u32::from('0')..)
        .zip(&blocks)
        .filter(|(_, block)| divergence.leads_apart(**block))
        .filter_map(|(letter, _)| char::from_u32(letter))
        .collect();
    let stores = blocks
        .iter()
        .flat_map(|&block| stored(function, block))
        .map(|(value, block)| match divergence.is_uniform(function, value, block) {
            true => '=',
            false => '!',
        });
    (apart, stores.collect())
}

fn stored(function: &Function, block: BlockId) -> Vec<(Value, BlockId)> {
    let stored = |id| match function.instruction(id) {
        Instruction::Store { value, .. } => Some((*value, block)),
        _ => None,
    };
    function.instructions(block).filter_map(stored).collect()
}

#[test]
fn by_data() {
    let code = "
  %a = add i32 %n, 1
  %b = add i32 %t, 1
  store i32 %a, ptr %p
  store i32 %b, ptr %p
  ret void";
    assert_eq!(found(code), (String::new(), "=!".into()));
    // What a function is given may differ.
    assert_eq!(of("", code), (String::new(), "!!".into()));
}

#[test]
fn joins_of_ways_that_a_branch_led_apart() {
    let diamond = |condition: &str, other: &str| {
        found(&format!(
            "
  br i1 {condition}, label %one, label %two
one:
  br label %join
two:
  br label %join
join:
  %v = phi i32 [ 1, %one ], [ {other}, %two ]
  store i32 %v, ptr %p
  %w = icmp eq i32 %v, 1
  br i1 %w, label %end, label %end2
end:
  ret void
end2:
  ret void"
        ))
    };
    assert_eq!(diamond("%u", "2"), (String::new(), "=".into()));
    assert_eq!(diamond("%d", "2"), ("03".into(), "!".into()));
    // The same value by both ways.
    assert_eq!(diamond("%d", "1"), ("0".into(), "=".into()));
}

#[test]
fn ways_that_meet_before_a_join_are_one_way() {
    // The sides of the divergent branch meet in `meet`; what joins later is the uniform branch's.
    let code = "
  br i1 %u, label %left, label %right
left:
  br i1 %d, label %one, label %two
one:
  br label %meet
two:
  br label %meet
meet:
  %m = phi i32 [ 5, %one ], [ 6, %two ]
  store i32 %m, ptr %p
  br label %join
right:
  br label %join
join:
  %v = phi i32 [ 1, %meet ], [ 2, %right ]
  store i32 %v, ptr %p
  ret void";
    assert_eq!(found(code), ("1".into(), "!=".into()));
}

#[test]
fn joins_before_the_sides_meet() {
    // 0 → one | two; one → shared | end; two → shared; shared → end: `shared` joins two of the ways, though all of them meet in `end` only.
    let code = "
  br i1 %d, label %one, label %two
one:
  br i1 %u, label %shared, label %end
two:
  br label %shared
shared:
  %s = phi i32 [ 1, %one ], [ 2, %two ]
  store i32 %s, ptr %p
  br label %end
end:
  %e = phi i32 [ 7, %shared ], [ 8, %one ]
  store i32 %e, ptr %p
  ret void";
    assert_eq!(found(code), ("0".into(), "!!".into()));
}

#[test]
fn a_counter_that_all_threads_count_alike() {
    let code = "
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  store i32 %i, ptr %p
  br i1 %d, label %side, label %latch
side:
  br label %latch
latch:
  %x = phi i32 [ %i, %loop ], [ 9, %side ]
  store i32 %x, ptr %p
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  store i32 %next, ptr %p
  ret void";
    assert_eq!(found(code), ("1".into(), "=!=".into()));
}

#[test]
fn loops_that_threads_leave_in_different_rounds() {
    let code = |condition: &str| {
        found(&format!(
            "
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %same = mul i32 %n, 7
  store i32 %next, ptr %p
  %by = icmp slt i32 %next, {condition}
  br i1 %by, label %loop, label %end
end:
  store i32 %next, ptr %p
  store i32 %same, ptr %p
  %v = add i32 %next, 1
  store i32 %v, ptr %p
  ret void"
        ))
    };
    // By when they leave: the counter is the same for those that are still in the loop, and not behind it. What is the same in all rounds stays so.
    assert_eq!(code("%t"), ("1".into(), "=!=!".into()));
    assert_eq!(code("%n"), (String::new(), "====".into()));
}

#[test]
fn the_exits_of_a_loop_that_a_branch_led_some_threads_out_of() {
    // `%d` leads some threads out to `found`; the others leave by `%more`, all in one round, to `none`: `end` joins both.
    let code = "
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  br i1 %d, label %found, label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %none
found:
  br label %end
none:
  br label %end
end:
  %v = phi i32 [ 1, %found ], [ 2, %none ]
  store i32 %v, ptr %p
  ret void";
    assert_eq!(found(code), ("1".into(), "!".into()));
}

#[test]
fn an_inner_loop_left_apart_does_not_part_the_rounds_of_the_outer_one() {
    let code = "
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %after ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  %j1 = add i32 %j, 1
  %again = icmp slt i32 %j1, %t
  br i1 %again, label %inner, label %after
after:
  store i32 %i, ptr %p
  store i32 %j1, ptr %p
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %outer, label %end
end:
  store i32 %i1, ptr %p
  ret void";
    assert_eq!(found(code), ("2".into(), "=!=".into()));
}

#[test]
fn ways_that_end_in_nothing_meet_nobody() {
    let code = "
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  br i1 %d, label %trap, label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
trap:
  store i32 %i, ptr %p
  unreachable
end:
  store i32 %next, ptr %p
  ret void";
    assert_eq!(found(code), ("1".into(), "!=".into()));
}

#[test]
fn cycles_with_two_entries_are_taken_to_differ() {
    let code = "
  br i1 %u, label %one, label %two
one:
  %a = phi i32 [ 0, %entry ], [ %b, %two ]
  br label %two
two:
  %b = phi i32 [ 1, %entry ], [ %a, %one ]
  store i32 %b, ptr %p
  br i1 %c, label %one, label %end
end:
  ret void";
    assert_eq!(found(code), (String::new(), "!".into()));
}

#[test]
fn many_branches_out_of_a_loop_cost_what_they_may() {
    let count = 400;
    let mut code = String::from("\n  br label %b0\n");
    for block in 0..count {
        let phi = if block == 0 {
            "  %i = phi i32 [ 0, %entry ], [ %i1, %last ]\n"
        } else {
            ""
        };
        let next = if block + 1 == count {
            "last".to_string()
        } else {
            format!("b{}", block + 1)
        };
        code += &format!(
            "b{block}:\n{phi}  %c{block} = icmp eq i32 %t, {block}\n  br i1 %c{block}, label %end, label %{next}\n"
        );
    }
    code += "last:\n  %i1 = add i32 %i, 1\n  store i32 %n, ptr %p\n  br label %b0\nend:\n  store i32 %i, ptr %p\n  ret void";
    assert_eq!(found(&code).1, "=!");
}
