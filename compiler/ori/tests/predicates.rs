//! Predicates where more are live than there are: a kernel tests for each row whether it is inside, loads two rows under each predicate, and stores their sum under
//! the same, as programs over tiles do.

mod support;

use std::fmt::Write as _;

use support::{START, after_with, agree_body, words};
use warpsmith_sass::{Instruction, Opcode};

/// Rows, each with its predicate.
const ROWS: usize = 12;

/// The text of a kernel's body: what is done between the loads and the stores, and how the address of each pair of rows is given.
fn rows(between: &str, load: impl Fn(usize) -> String) -> String {
    let [mut tests, mut first, mut second, mut sums] = [const { String::new() }; 4];
    for i in 0..ROWS {
        let _ = writeln!(tests, "add.u32 %r10, %r4, {}; setp.lt.u32 %q{i}, %r10, %r1;", 3 * i);
        let _ = writeln!(first, "mov.u32 %x{i}, 0; @%q{i} ld.global.u32 %x{i}, {};", load(i));
        let _ = writeln!(
            second,
            "mov.u32 %y{i}, 0; @%q{i} ld.global.u32 %y{i}, {};",
            load(ROWS + i)
        );
        let _ = writeln!(
            sums,
            "add.u32 %r12, %x{i}, %y{i}; @%q{i} st.global.u32 [%d5+{}], %r12;",
            4 * (i % 4)
        );
    }
    format!(
        ".reg .pred %q<{ROWS}>; .reg .b32 %x<{ROWS}>; .reg .b32 %y<{ROWS}>; mov.u32 %r13, 0; {tests} {first} {second} {between} {sums} st.global.u32 [%d5+12], %r4;"
    )
}

/// How many words have an operation.
fn count(words: &[Instruction], opcode: Opcode) -> usize {
    words.iter().filter(|word| word.opcode() == opcode).count()
}

fn compiled(target: &str, body: &str) -> Vec<Instruction> {
    words(target, 3, &format!("{START}\n{body}\nret;"))
}

/// Twelve predicates are tested twice, before the loads and before the stores, and none is kept as a bit (two instructions for each, and one where it is needed).
#[test]
fn what_was_tested_is_tested_again() {
    let body = rows("bar.sync 0;", |i| format!("[%d2+{}]", 8 * i));
    for target in ["sm_80", "sm_90a", "sm_100a", "sm_120a"] {
        let words = compiled(target, &body);
        let tests = count(&words, Opcode::Isetp);
        assert!((ROWS..=2 * ROWS).contains(&tests), "{target}: {tests} tests");
        assert_eq!(count(&words, Opcode::Sel), 0, "{target}");
    }
    agree_body(&body);
}

/// What is tested again may read what other tests give, which stand elsewhere now themselves. (The copy could read the register of a test that was nowhere
/// done any more: CUTLASS 47, the product that splits its sums, was wrong with 216 registers, and so was `tests/found/tests_of_a_moved_test.ptx`. This shape was not.)
#[test]
fn tests_of_tests_read_them_where_they_are() {
    let [mut first, mut second, mut loads, mut sums, mut ends] = [const { String::new() }; 5];
    for i in 0..ROWS {
        let _ = writeln!(first, "add.u32 %r10, %r4, {}; setp.lt.u32 %q{i}, %r10, %r1;", 3 * i);
        let _ = writeln!(second, "setp.ne.and.u32 %z{i}, %r4, {}, %q{i};", 5 * i);
        let _ = writeln!(loads, "mov.u32 %x{i}, 0; @%z{i} ld.global.u32 %x{i}, [%d2+{}];", 8 * i);
        let _ = writeln!(sums, "@%z{i} st.global.u32 [%d5+{}], %x{i};", 4 * (i % 4));
        let _ = writeln!(ends, "@%q{i} st.global.u32 [%d5+{}], %x{i};", 512 + 4 * (i % 4));
    }
    let body = format!(
        ".reg .pred %q<{ROWS}>; .reg .pred %z<{ROWS}>; .reg .b32 %x<{ROWS}>; {first} {second} {loads} bar.sync 0; {sums} bar.sync 0; {ends}"
    );
    agree_body(&body);
}

/// Where one of what is tested has changed meanwhile, it is not tested again.
#[test]
fn what_has_changed_is_not_tested_again() {
    let between = "bar.sync 0; ld.global.u32 %r4, [%d6]; and.b32 %r4, %r4, 15;";
    agree_body(&rows(between, |i| format!("[%d2+{}]", 8 * i)));
    let between = "bar.sync 0; ld.global.u32 %r1, [%d6];";
    agree_body(&rows(between, |i| format!("[%d2+{}]", 8 * i)));
}

/// What is tested may be a word of a pair, which is not computed again. (Refused in random PTX: "word 1 of a narrower register".)
#[test]
fn what_is_tested_may_be_part_of_a_pair() {
    let mut body = rows("bar.sync 0;", |i| format!("[%d2+{}]", 8 * i));
    for i in 0..ROWS {
        let single = format!("add.u32 %r10, %r4, {}; setp.lt.u32 %q{i}, %r10, %r1;", 3 * i);
        assert!(body.contains(&single));
        let pair = format!(
            "xor.b64 %e{i}, %d10, {}; st.global.u64 [%d5+8], %e{i}; mov.b64 {{%r14, %r10}}, %e{i}; setp.lt.u32 %q{i}, %r10, %r1;",
            0x1_0000_0001_u64 * (i as u64 + 1)
        );
        body = body.replace(&single, &pair);
    }
    agree_body(&format!(
        ".reg .b64 %e<{ROWS}>; ld.global.u64 %d10, [%d6]; {body} st.global.u64 [%d5], %d10;"
    ));
}

/// The two loads under a predicate follow each other before the scheduler sees them, with what makes their addresses.
#[test]
fn loads_under_one_predicate_come_together() {
    let body = rows("bar.sync 0;", |i| format!("[%d2+{}]", 8 * i));
    let options = warpsmith_ori::Options::default();
    let text = after_with("OriDoRemat", "sm_90a", &format!("{START}\n{body}\nret;"), &options);
    let loads = text.lines().filter(|line| line.contains("LDG"));
    let guards: Vec<&str> = loads.filter_map(|line| line.trim().split(' ').next()).collect();
    let pairs = guards.chunks(2).filter(|pair| pair[0] == pair[1]).count();
    assert_eq!((guards.len(), pairs), (2 * ROWS, ROWS), "{guards:?}");
}

/// No load passes a store, and none what its address is made of.
#[test]
fn loads_stay_behind_what_they_need() {
    let store = |i: usize| format!("st.global.u32 [%d5+{}], {i};", 4 * (i % 4));
    let mut body = rows("bar.sync 0;", |i| format!("[%d6+{}]", 4 * (i % 4)));
    // Between the first and the second rows.
    body = body.replace("mov.u32 %y0, 0;", &format!("{} {} mov.u32 %y0, 0;", store(5), store(6)));
    agree_body(
        &body
            .replace("[%d5", "[%d7")
            .replace("mov.u32 %r13, 0;", "mov.b64 %d7, %d5;"),
    );
    let inside = rows("bar.sync 0;", |i| format!("[%d{}]", 10 + i));
    let mut made = inside;
    for i in 0..2 * ROWS {
        let (register, place) = (
            10 + i,
            format!(
                "ld.global.u32 %{}{}, [%d{}]",
                if i < ROWS { 'x' } else { 'y' },
                i % ROWS,
                10 + i
            ),
        );
        let guarded = format!("@%q{} {place}", i % ROWS);
        let address = format!(
            "and.b32 %r14, %r5, {}; mul.wide.u32 %d{register}, %r14, 8; add.u64 %d{register}, %d{register}, %d2;",
            i + 1
        );
        made = made.replace(&guarded, &format!("{address} {guarded}"));
    }
    agree_body(&made);
}

/// Choices by one predicate follow each other, whatever their order in the program.
#[test]
fn choices_by_one_predicate_come_together() {
    let (mut tests, mut values, mut choices) = (String::new(), String::new(), String::new());
    for i in 0..9 {
        let _ = writeln!(tests, "add.u32 %r10, %r4, {}; setp.lt.u32 %q{i}, %r10, %r1;", 5 * i);
    }
    for i in 0..36 {
        let _ = writeln!(values, "ld.global.u32 %x{i}, [%d2+{}];", 8 * i);
        let _ = writeln!(choices, "selp.b32 %x{i}, %x{i}, 0, %q{};", i % 9);
    }
    let sums: String = (0..36).fold(String::new(), |text, i| {
        text + &format!("mad.lo.u32 %r12, %r12, 3, %x{i};")
    });
    let body = format!(
        ".reg .pred %q<9>; .reg .b32 %x<36>; mov.u32 %r12, 0; {tests} {values} bar.sync 0; {choices} {sums} st.global.u32 [%d5], %r12; st.global.u32 [%d5+4], %r4;"
    );
    let options = warpsmith_ori::Options::default();
    let text = after_with("OriDoRemat", "sm_90a", &format!("{START}\n{body}\nret;"), &options);
    let choices = text.lines().filter(|line| line.contains(" SEL "));
    let by: Vec<&str> = choices.filter_map(|line| line.split("Pp=").nth(1)).collect();
    let changes = by.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert_eq!((by.len(), changes), (36, 8), "{by:?}");
    agree_body(&body);
}
