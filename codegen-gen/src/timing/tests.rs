//! A small table that is right, and what is said of each way to make it wrong.

use super::generate;
use crate::isa::model::Tables;

const INSTRUCTIONS: &str = r#"
modifier size "operand size"
instruction ADD "integer add"
  access Rd write 1
  access Ra read 1
  Rd               16:8          gpr
  Ra               24:8          gpr
  wide             75            flag .WIDE
  form R_R            "ADD{wide} {Rd}, {Ra}"
    sm     75..120  seen 75..120
    match  0x210
instruction LOAD "load"
  access Rd write 1
  access Ra read 1
  Rd               16:8          gpr
  Ra               24:8          gpr
  form R_A            "LOAD {Rd}, [{Ra}]"
    sm     80..120  seen 80..120
    match  0x381
"#;

const TIMING: &str = r#"# A comment.
pipe alu "integer"
pipe lsu "memory"
queue in-order "loads"
group add "adds"
group wide "wide adds" wide-addend add
group mem "loads"
rule count 6 on 80+ "scoreboards"
raw R from add
  75 6: add(10) mem.addr(3)
  80+ 4: add(20) guard(2)
waw R from add
  75+ 2 weak: add(1)
interval from add
  75+ 2: add(9)
class ADD
  pipe alu documented; group add; latency fixed observed n=12
  raw R 4..6 n=30; war 75 R 2
class ADD when .WIDE on 90+
  pipe alu inferred; group wide; latency fixed hypothesis
class LOAD
  pipe lsu documented; group mem; latency scoreboard observed; scoreboard write,read; reuse 80 ab
  late UR; queue in-order; tells 80 write ordering; orders all
"#;

fn instructions() -> Tables {
    crate::isa::parse::parse(&[("test.isa".to_string(), INSTRUCTIONS.to_string())])
        .expect("the instruction table is right")
}

/// The errors of the table with `from` replaced by `to`.
fn errors(from: &str, to: &str) -> Vec<String> {
    assert!(TIMING.contains(from), "{from}");
    match generate("t.tbl", &TIMING.replacen(from, to, 1), &instructions()) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn a_right_table_becomes_enums_rules_and_rows() {
    let text = generate("t.tbl", TIMING, &instructions()).expect("the table is right");
    assert!(
        text.contains("pub enum Pipe {\n    /// `alu`: integer.\n    Alu,\n"),
        "{text}"
    );
    assert!(
        text.contains(
            "pub const COUNT: Rule = Rule { name: \"count\", value: RuleValue::Number(6), isas: isas(510) };"
        )
    );
    // Three distances to one group and one to a guard; the class with a condition stands before the plain one.
    assert!(text.contains("static RAW_CELLS: [Cell; 4]") && text.contains("static CLASS_START: [u16; 3] = [0, 2, 3];"));
    assert!(
        text.contains("Class { conditional: true, timing: [65535, 65535, 65535, 65535, 0, 0, 0, 0, 0] }"),
        "{text}"
    );
}

#[test]
fn a_line_that_does_not_parse_is_named() {
    let cases = [
        (
            "pipe alu",
            "pip alu",
            "t.tbl:2: unknown statement `pip` (pipe, queue, group, rule, raw, waw, interval, class)",
        ),
        ("\"memory\"", "memory", "t.tbl:3: no description in quotes"),
        (
            "80+ 4: add(20)",
            "87+ 4: add(20)",
            "t.tbl:11: `87+` is no generation or range of generations ([75, 80, 86, 89, 90, 100, 103, 110, 120])",
        ),
        (
            "80+ 4: add(20)",
            "90..80 4: add(20)",
            "t.tbl:11: `90..80` is no generation or range of generations ([75, 80, 86, 89, 90, 100, 103, 110, 120])",
        ),
        (
            "80+ 4: add(20)",
            "80,80 4: add(20)",
            "t.tbl:11: `80,80` names a generation twice, or none",
        ),
        (
            "80+ 4: add(20)",
            "80+ 400: add(20)",
            "t.tbl:11: `400` is not a number that fits",
        ),
        ("add(20)", "add", "t.tbl:11: `add` is not `SLOT(N)`"),
        ("raw R 4..6", "raw R 6..4", "t.tbl:18: `6..4` is an empty range"),
        ("raw R 4..6", "raw X 4..6", "t.tbl:18: `X` is none of R, UR, P, UP"),
        (
            "when .WIDE",
            "when WIDE",
            "t.tbl:19: `WIDE` is not a modifier (`.NAME`)",
        ),
        (
            "alu inferred",
            "alu observed",
            "t.tbl:20: a pipe is documented, inferred or hypothesis",
        ),
        (
            "reuse 80 ab",
            "reuse 80 ax",
            "t.tbl:22: `x` is no reuse flag (a, b, c, d)",
        ),
        ("late UR", "late R", "t.tbl:23: `R` is not a value of `late`"),
        (
            "write ordering",
            "write all",
            "t.tbl:23: `all` is none of next, ordering",
        ),
        (
            "scoreboard write,read",
            "scoreboards write",
            "t.tbl:22: unknown property `scoreboards` (pipe, group, latency, raw, scoreboard, war, issue, interval, reuse, late, queue, tells, orders)",
        ),
    ];
    for (from, to, error) in cases {
        assert_eq!(errors(from, to), [error]);
    }
}

#[test]
fn a_name_that_does_not_exist_is_refused() {
    let cases = [
        ("class LOAD\n", "class LOAD LAOD\n", "t.tbl:21: no instruction `LAOD`"),
        (
            "pipe lsu documented",
            "pipe lus documented",
            "t.tbl:22: pipe `lus` is not declared",
        ),
        (
            "queue in-order;",
            "queue first;",
            "t.tbl:23: queue `first` is not declared",
        ),
        (
            "raw R from add",
            "raw R from sub",
            "t.tbl:9: group `sub` is not declared",
        ),
        ("mem.addr(3)", "mem.adr(3)", "t.tbl:10: group `mem.adr` is not declared"),
        (
            "when .WIDE",
            "when .WIDER",
            "t.tbl:19: no form of `ADD` prints `.WIDER`",
        ),
        (
            "rule count",
            "group idle \"nothing\"\nrule count",
            "t.tbl:8: group `idle` has no member",
        ),
        (
            "group mem \"loads\"",
            "group mem \"loads\" reads add",
            "t.tbl:10: consumers of group `mem` stand in the column of `add`",
        ),
    ];
    for (from, to, error) in cases {
        assert_eq!(errors(from, to), [error]);
    }
}

#[test]
fn nothing_is_said_twice() {
    let cases = [
        (
            "pipe lsu",
            "pipe alu \"again\"\npipe lsu",
            "t.tbl:3: pipe `alu` a second time (first in line 2)",
        ),
        (
            "80+ 4: add(20)",
            "75..80 4: add(20)",
            "t.tbl:11: a second distance to `add` (operand) on sm_75",
        ),
        (
            "waw R from add",
            "raw R from add",
            "t.tbl:12: this row a second time (first in line 9)",
        ),
        (
            "class LOAD\n",
            "class LOAD ADD on 80+\n",
            "t.tbl:21: a second class of `ADD` with the same condition",
        ),
        (
            "group add; latency",
            "group add; group 75 mem; latency",
            "t.tbl:17: a second `group` on sm_75",
        ),
    ];
    for (from, to, error) in cases {
        let errors = errors(from, to);
        assert!(errors.contains(&error.to_string()), "{errors:?}");
    }
}

#[test]
fn every_instruction_has_properties_wherever_it_exists() {
    let cases = [
        (
            "class LOAD\n",
            "class LOAD on 90+\n",
            "t.tbl:21: `LOAD` exists on sm_80,86,89 too, and has no class there",
        ),
        (
            "class LOAD\n",
            "class LOAD on 75+\n",
            "t.tbl:21: `LOAD` does not exist on sm_75",
        ),
        (
            "class ADD\n",
            "class ADD when .WIDE on 80\n",
            "test.isa:3: `ADD` has no class in t.tbl",
        ),
        (
            "latency scoreboard",
            "latency 80..90 scoreboard",
            "t.tbl:21: no `latency` on sm_100,103,110,120",
        ),
        (
            "pipe alu inferred",
            "pipe 80+ alu inferred",
            "t.tbl:20: `pipe` on sm_80,86,89, where the class does not hold",
        ),
    ];
    for (from, to, error) in cases {
        let errors = errors(from, to);
        assert!(errors.contains(&error.to_string()), "{errors:?}");
    }
}
