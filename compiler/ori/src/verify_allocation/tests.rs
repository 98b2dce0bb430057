//! Allocations that are wrong are refused, and the right ones beside them are not.

use warpsmith_sass::{
    FieldName, Opcode, RegisterClass,
    tables::{Cmp, Combine},
};

use super::check;
use crate::{
    allocate::Allocation,
    ir::{Block, BlockId, Function, Instruction, Register},
    select::{Request, Selector, Test, Value},
    spill::Origin,
};

/// Registers, each with its number, and instructions of them.
struct Code {
    selector: Selector,
    function: Function,
    numbers: Vec<Option<u8>>,
}

/// Instructions of the function after allocation, and where they come from.
type After = Vec<(Origin, Instruction)>;

impl Code {
    fn new() -> Code {
        let function = Function::new("k", "sm_90".parse().expect("a known target"));
        Code {
            selector: Selector::new(function.isa()),
            function,
            numbers: Vec::new(),
        }
    }

    fn register(&mut self, class: RegisterClass, number: u8) -> Register {
        self.numbers.push(Some(number));
        self.function.register(class, 1)
    }

    fn general(&mut self, number: u8) -> Register {
        self.register(RegisterClass::Gpr, number)
    }

    fn predicate(&mut self, number: u8) -> Register {
        self.register(RegisterClass::Predicate, number)
    }

    fn make(&mut self, request: Request) -> Instruction {
        let mut code = Vec::new();
        self.selector
            .emit(&mut self.function, &mut code, request)
            .expect("the target has it");
        assert_eq!(code.len(), 1);
        code.remove(0)
    }

    /// `to = from + number`
    fn add(&mut self, to: Register, from: Register, number: u32) -> Instruction {
        self.make(sum(to, from, number))
    }

    /// `to = from + number` where a test holds.
    fn add_where(&mut self, test: impl Into<Test>, to: Register, from: Register, number: u32) -> Instruction {
        self.make(sum(to, from, number).guarded(test))
    }

    fn copy(&mut self, to: Register, from: Register) -> Instruction {
        self.make(Request::new(Opcode::Mov).form("R_R").to(to).from(from))
    }

    /// `to = from < number`
    fn compare(&mut self, to: Register, from: Register, number: u32) -> Instruction {
        let compare = Request::new(Opcode::Isetp).sets(FieldName::Pu, to).from(from);
        let compare = compare.from(Value::Immediate(number)).with(Cmp::Lt).with(Combine::And);
        self.make(compare.flag(FieldName::U32, true).when(FieldName::Pp, Test::ALWAYS))
    }

    fn branch_where(&mut self, test: Register, to: u32) -> Instruction {
        self.make(Request::new(Opcode::Bra).form("L").target(BlockId(to)).guarded(test))
    }

    fn exit(&mut self) -> Instruction {
        self.make(Request::new(Opcode::Exit).form("none"))
    }

    /// What the checker says of blocks before and after.
    fn check_blocks(&self, before: &[Vec<Instruction>], after: Vec<After>) -> Result<(), String> {
        let (mut old, mut new) = (self.function.clone(), self.function.clone());
        old.blocks = before.iter().map(|code| Block { code: code.clone() }).collect();
        let mut origins = Vec::new();
        for block in after {
            let (from, code) = block.into_iter().unzip();
            origins.push(from);
            new.blocks.push(Block { code });
        }
        let allocation = Allocation {
            numbers: self.numbers.clone(),
            used: 32,
            origins,
        };
        check(&old, &new, &allocation)
    }

    fn check(&self, before: &[Instruction], after: After) -> Result<(), String> {
        self.check_blocks(&[before.to_vec()], vec![after])
    }
}

fn sum(to: Register, from: Register, number: u32) -> Request {
    let sum = Request::new(Opcode::Iadd3).to(to).from(from);
    sum.from(Value::Immediate(number)).from(Value::Zero)
}

/// Instructions as they were, but for those that are gone. The first has this number.
fn kept(code: &[Instruction], first: u32, gone: &[u32]) -> After {
    let all = (first..)
        .zip(code)
        .map(|(number, instruction)| (Origin::Of(number), instruction.clone()));
    all.filter(|(origin, _)| !gone.iter().any(|gone| *origin == Origin::Of(*gone)))
        .collect()
}

/// An instruction that has another register in a field.
fn with(instruction: &Instruction, field: FieldName, register: Register) -> Instruction {
    let mut changed = instruction.clone();
    let operand = changed.operands.iter_mut().find(|operand| operand.field == field);
    operand.expect("it has the field").register = register;
    changed
}

/// An instruction under another guard.
fn under(instruction: &Instruction, predicate: Register, negated: bool) -> Instruction {
    let mut changed = instruction.clone();
    let guard = changed.guard.as_mut().expect("it has a guard");
    (guard.register, guard.negated) = (predicate, negated);
    changed
}

fn refused(outcome: Result<(), String>, why: &str) {
    let message = outcome.expect_err("it is wrong");
    assert!(message.contains(why), "{message}");
}

#[test]
fn a_guard_is_read_by_threads_in_which_it_does_not_hold() {
    let mut code = Code::new();
    let (a, y) = (code.general(4), code.general(5));
    let (p, elsewhere) = (code.predicate(0), code.predicate(1));
    let narrower = code.compare(p, a, 3);
    let mut narrower = Instruction {
        guard: code.branch_where(p, 0).guard,
        ..narrower
    };
    let before = [
        code.add(a, a, 1),
        code.compare(p, a, 9),
        narrower.clone(),
        code.add_where(p, y, a, 2),
    ];
    assert_eq!(code.check(&before, kept(&before, 0, &[])), Ok(()));
    // Where the predicate did not hold it still does not; but the register that has the new one may hold anything.
    narrower = with(&narrower, FieldName::Pu, elsewhere);
    let mut after = kept(&before, 0, &[]);
    after[2].1 = narrower;
    after[3].1 = under(&before[3], elsewhere, false);
    refused(code.check(&before, after), "%p2.0 is read where");
}

#[test]
fn what_some_threads_write_the_same_threads_may_read() {
    let mut code = Code::new();
    let (a, x, y, elsewhere) = (code.general(4), code.general(5), code.general(6), code.general(7));
    let p = code.predicate(0);
    let write = [
        code.add(a, a, 1),
        code.compare(p, a, 9),
        code.add(x, a, 1),
        code.add_where(p, x, a, 2),
    ];
    let outcome = |code: &Code, rest: &[Instruction]| {
        let before = [&write[..], rest].concat();
        let mut after = kept(&before, 0, &[]);
        after[3].1 = with(&before[3], FieldName::Rd, elsewhere);
        let last = after.len() - 1;
        after[last].1 = with(&before[last], FieldName::Ra, elsewhere);
        code.check(&before, after)
    };
    let same = code.add_where(p, y, x, 3);
    assert_eq!(outcome(&code, std::slice::from_ref(&same)), Ok(()));
    let others = code.add_where(Test::from(p).opposite(), y, x, 3);
    refused(outcome(&code, &[others]), "is read where");
    let all = code.add(y, x, 3);
    refused(outcome(&code, &[all]), "is read where");
    // Behind another value of the predicate the threads are others.
    let again = code.compare(p, a, 4);
    refused(outcome(&code, &[again, same]), "is read where");
}

#[test]
fn what_some_threads_have_goes_through_copies_that_are_gone() {
    let mut code = Code::new();
    let (a, x, y) = (code.general(4), code.general(5), code.general(5));
    let (z, elsewhere) = (code.general(6), code.general(7));
    let p = code.predicate(0);
    let mut copy_where = code.copy(y, x);
    copy_where.guard = code.branch_where(p, 0).guard;
    let write = [
        code.add(a, a, 1),
        code.compare(p, a, 9),
        code.add(x, a, 1),
        code.add(y, a, 1),
        code.add_where(p, x, a, 2),
    ];
    for copy in [code.copy(y, x), copy_where] {
        let (same, all) = (code.add_where(p, z, y, 3), code.add(z, y, 3));
        for (read, right) in [(same, true), (all, false)] {
            let before = [&write[..], &[copy.clone(), read]].concat();
            let mut after = kept(&before, 0, &[5]);
            // The first values of both are elsewhere.
            after[2].1 = with(&before[2], FieldName::Rd, elsewhere);
            after[3].1 = with(&before[3], FieldName::Rd, elsewhere);
            match right {
                true => assert_eq!(code.check(&before, after), Ok(())),
                false => refused(code.check(&before, after), "is read where"),
            }
        }
    }
}

#[test]
fn a_copy_of_nothing_under_a_guard_leaves_what_others_have() {
    let mut code = Code::new();
    let (a, x, y, nothing) = (code.general(4), code.general(5), code.general(6), code.general(7));
    let p = code.predicate(0);
    let mut copy = code.copy(x, nothing);
    copy.guard = code.branch_where(p, 0).guard;
    let before = [
        code.add(a, a, 1),
        code.compare(p, a, 9),
        code.add(x, a, 1),
        copy,
        code.add(y, x, 2),
        code.add(nothing, a, 5),
    ];
    let mut after = kept(&before, 0, &[3]);
    assert_eq!(code.check(&before, after.clone()), Ok(()));
    after[3].1 = with(&before[4], FieldName::Ra, nothing);
    refused(code.check(&before, after), "is read where");
}

#[test]
fn a_copy_of_nothing_changes_what_is_computed_again() {
    let mut code = Code::new();
    let (a, x, y) = (code.general(4), code.general(5), code.general(6));
    let (z, nothing, elsewhere) = (code.general(8), code.general(7), code.general(9));
    let before = [
        code.add(a, a, 1),
        code.add(x, a, 1),
        code.add(y, x, 2),
        code.copy(x, nothing),
        code.add(z, y, 3),
        code.add(z, y, 4),
        code.add(nothing, a, 5),
    ];
    let again = (Origin::Again(2), with(&before[2], FieldName::Rd, elsewhere));
    let mut sooner = kept(&before, 0, &[3]);
    sooner.insert(3, again.clone());
    sooner[4].1 = with(&before[4], FieldName::Ra, elsewhere);
    assert_eq!(code.check(&before, sooner), Ok(()));
    let mut later = kept(&before, 0, &[3]);
    later.insert(4, again);
    later[5].1 = with(&before[5], FieldName::Ra, elsewhere);
    refused(code.check(&before, later), "it may give something else");
}

#[test]
fn what_is_gone_is_nowhere_until_it_is_computed_again() {
    let mut code = Code::new();
    let (a, x, y, z) = (code.general(4), code.general(5), code.general(6), code.general(7));
    let mut before = vec![
        code.add(a, a, 1),
        code.add(y, a, 1),
        code.add(y, a, 2),
        code.add(x, a, 3),
        code.add(z, y, 3),
    ];
    // An older value is in the register.
    let mut after = kept(&before, 0, &[2]);
    refused(code.check(&before, after.clone()), "is read where []");
    let again = (Origin::Again(2), before[2].clone());
    after.insert(3, again.clone());
    assert_eq!(code.check(&before, after), Ok(()));
    // What it reads has changed.
    before[3] = code.add(a, a, 3);
    let mut after = kept(&before, 0, &[2]);
    after.insert(3, again);
    refused(code.check(&before, after), "it may give something else");
}

/// What is gone has changed no register, so it may stand anywhere between what stays: before what computes it again, if that is there first.
#[test]
fn what_is_gone_comes_before_what_computes_it_again() {
    let mut code = Code::new();
    let (a, b, r, c) = (code.general(4), code.general(5), code.general(6), code.general(7));
    let first = code.add(a, b, 1);
    let again = code.add(r, a, 5);
    let other = code.add(a, b, 2);
    let last = code.add(c, r, 7);
    let made_again = (Origin::Again(1), again.clone());
    let before = [first.clone(), again.clone(), last.clone()];
    let mut after = kept(&before, 0, &[1]);
    after.insert(1, made_again.clone());
    assert_eq!(code.check(&before, after), Ok(()));
    // Not if what it reads is another value there.
    let before = [first, again, other, last];
    let mut after = kept(&before, 0, &[1]);
    after.insert(2, made_again);
    refused(code.check(&before, after), "it may give something else");
}

#[test]
fn what_does_more_than_give_a_value_cannot_be_gone() {
    let mut code = Code::new();
    let (a, y, p) = (code.general(4), code.general(5), code.predicate(0));
    let fence = Request::new(Opcode::Membar).form("none");
    let fence = fence.text(FieldName::Ordering, "SC").text(FieldName::Scope, "GPU");
    let mut before = vec![code.add(a, a, 1), code.compare(p, a, 9), code.add_where(p, y, a, 1)];
    refused(code.check(&before, kept(&before, 0, &[2])), "instruction 2 is gone");
    before[2] = code.make(fence);
    refused(code.check(&before, kept(&before, 0, &[2])), "instruction 2 is gone");
    before[2] = code.branch_where(p, 0);
    refused(code.check(&before, kept(&before, 0, &[2])), "instruction 2 is gone");
}

#[test]
fn what_writes_what_it_reads_gives_something_else_again() {
    let mut code = Code::new();
    let (a, x, y, elsewhere) = (code.general(4), code.general(5), code.general(6), code.general(7));
    let before = [code.add(x, a, 1), code.add(x, x, 1), code.add(y, x, 2)];
    let mut after = kept(&before, 0, &[]);
    after.insert(2, (Origin::Again(1), with(&before[1], FieldName::Rd, elsewhere)));
    after[3].1 = with(&before[2], FieldName::Ra, elsewhere);
    refused(code.check(&before, after), "it may give something else");
}

#[test]
fn what_is_computed_again_reads_all_that_it_read() {
    let mut code = Code::new();
    let (a, b, x, y) = (code.general(4), code.general(5), code.general(6), code.general(7));
    let sum = Request::new(Opcode::Iadd3).to(x).from(a).from(b).from(Value::Zero);
    let before = [code.add(a, a, 1), code.add(b, a, 1), code.make(sum), code.add(y, x, 2)];
    let mut again = before[2].clone();
    let mut after = kept(&before, 0, &[]);
    after.insert(3, (Origin::Again(2), again.clone()));
    assert_eq!(code.check(&before, after.clone()), Ok(()));
    again.operands.retain(|operand| operand.field != FieldName::Rb);
    after[3].1 = again;
    refused(code.check(&before, after), "it cannot be computed again");
}

/// Three ways: one gives `x` and reads it, one gives both results of a sum, `x` and a carry, and one reads them.
fn two_results(x_is_defined: bool) -> Result<(), String> {
    let mut code = Code::new();
    let (a, x, y, elsewhere) = (code.general(4), code.general(5), code.general(6), code.general(7));
    let (p, carry) = (code.predicate(0), code.predicate(1));
    let sum = sum(x, a, 4).sets(FieldName::Pu, carry);
    let other = if x_is_defined { x } else { y };
    let before = [
        vec![code.add(other, a, 1), code.compare(p, a, 9), code.branch_where(p, 2)],
        vec![code.add(y, x, 1), code.exit()],
        vec![code.make(sum), code.branch_where(p, 3)],
        vec![code.add_where(carry, y, x, 1), code.exit()],
    ];
    let mut first = 0;
    let mut after = Vec::new();
    for block in &before {
        after.push(kept(block, first, &[]));
        first += block.len() as u32;
    }
    // The sum is computed on the way on which it never was.
    after[1].insert(0, (Origin::Again(5), with(&before[2][0], FieldName::Rd, elsewhere)));
    after[1][1].1 = with(&before[1][0], FieldName::Ra, elsewhere);
    code.check_blocks(&before, after)
}

#[test]
fn one_result_that_is_undefined_does_not_make_the_others_so() {
    refused(two_results(true), "it may give something else");
    assert_eq!(two_results(false), Ok(()));
}

#[test]
fn a_guard_stays_as_it_was() {
    let mut code = Code::new();
    let (a, y, p) = (code.general(4), code.general(5), code.predicate(0));
    let before = [code.compare(p, a, 9), code.add_where(p, y, a, 1)];
    let mut after = kept(&before, 0, &[]);
    after[1].1 = under(&before[1], p, true);
    refused(code.check(&before, after), "the instruction has changed");
}

#[test]
fn the_warp_does_not_get_what_only_some_threads_have() {
    let mut code = Code::new();
    let (a, y, moved) = (code.general(4), code.general(5), code.general(6));
    let mut uniform = |number| code.register(RegisterClass::UniformGpr, number);
    let (u, there, back) = (uniform(4), uniform(5), uniform(6));
    let p = code.predicate(0);
    let bring = |to, from| Request::new(Opcode::R2ur).form("UR_R").to(to).at(FieldName::Ra, from);
    let use_of = |u: Register| Request::new(Opcode::Iadd3).to(y).from(a).from(u).from(Value::Zero);
    let before = [
        code.add(a, a, 1),
        code.compare(p, a, 9),
        code.make(bring(u, a)),
        code.make(bring(u, a).guarded(p)),
        code.make(use_of(u).guarded(p)),
    ];
    let mut after = kept(&before, 0, &[]);
    after[3].1 = with(&before[3], FieldName::URd, there);
    let mut right = after.clone();
    right[4].1 = code.make(use_of(there).guarded(p));
    assert_eq!(code.check(&before, right), Ok(()));
    // By way of a general register.
    after[4].1 = code.make(use_of(back).guarded(p));
    let take = code.make(Request::new(Opcode::Mov).form("R_UR").to(moved).from(there));
    after.insert(4, (Origin::Added, take));
    after.insert(5, (Origin::Added, code.make(bring(back, moved))));
    refused(code.check(&before, after), "is read where");
}

/// Predicates that are bits of a word: each comes back from its own bit, from where the word has gone.
#[test]
fn predicates_are_bits() {
    let mut code = Code::new();
    let (from, word, moved, bit) = (code.general(2), code.general(3), code.general(4), code.general(5));
    let (first, second) = (code.predicate(0), code.predicate(1));
    let (sum, result) = (code.general(6), code.general(7));
    let before = [
        code.compare(first, from, 1),
        code.compare(second, from, 2),
        code.add_where(first, sum, from, 1),
        code.add_where(second, result, from, 2),
        code.exit(),
    ];
    let mut store = |predicate: Register, mask: u32, room: u32| {
        let select = Request::new(Opcode::Sel)
            .to(bit)
            .from(Value::Zero)
            .from(Value::Immediate(mask));
        let merge = Request::new(Opcode::Lop3).literal("LUT").to(word).from(word);
        let merge = merge
            .from(Value::Immediate(room))
            .from(bit)
            .from(Value::Immediate(0xba));
        let select = select.when(FieldName::Pp, Test::from(predicate).opposite());
        [code.make(select), code.make(merge)].map(|instruction| (Origin::Added, instruction))
    };
    let (store_first, store_second) = (store(first, 1, 1), store(second, 2, 2));
    // The second bit takes the place of the first, which is lost.
    let store_over = store(second, 2, 1);
    let copy = code.copy(moved, word);
    let mut load = |predicate: Register, mask: u32| {
        let test = Request::new(Opcode::Lop3)
            .literal("LUT")
            .sets(FieldName::Pu, predicate)
            .from(moved);
        let test = test
            .from(Value::Immediate(mask))
            .from(Value::Zero)
            .from(Value::Immediate(0xc0));
        (Origin::Added, code.make(test.when(FieldName::Pp, Test::NEVER)))
    };
    // Both predicates are lost, and come back in each other's register.
    let mut after = |second_store: &[(Origin, Instruction); 2], bits: [u32; 2]| -> After {
        let mut after = vec![(Origin::Of(0), before[0].clone())];
        after.extend(store_first.clone());
        after.push((Origin::Of(1), before[1].clone()));
        after.extend(second_store.clone());
        after.extend([
            (Origin::Added, copy.clone()),
            load(first, bits[0]),
            load(second, bits[1]),
        ]);
        after.extend((2..5).map(|index| (Origin::Of(index as u32), before[index].clone())));
        after
    };
    let (right, wrong) = (after(&store_second, [1, 2]), after(&store_second, [2, 1]));
    let lost = after(&store_over, [1, 2]);
    assert_eq!(code.check(&before, right), Ok(()));
    assert!(code.check(&before, wrong).is_err());
    assert!(code.check(&before, lost).is_err());
}
