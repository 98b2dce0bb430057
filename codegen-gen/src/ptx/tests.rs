//! The grammar by examples.

use super::{kind, parse::parse, pattern};

const DECLARATIONS: &str =
    "type s32 32 signed\ntype u32 32 unsigned\nclass saturation: sat\nfamily Integer arithmetic\n";

fn form(text: &str) -> super::model::Form {
    let file = format!("{DECLARATIONS}{text}");
    let mut tables = parse(&[("t.tbl".into(), file)]).unwrap_or_else(|errors| panic!("{}", errors[0]));
    tables.forms.pop().expect("one form")
}

fn error(text: &str) -> String {
    let errors = parse(&[("t.tbl".into(), format!("{DECLARATIONS}{text}"))]).expect_err("must be refused");
    errors[0].to_string()
}

#[test]
fn a_form() {
    let form = form("instruction add\n  form add{.sat}.type d, a, b\n    .type s32 u32\n");
    assert_eq!(form.slots.len(), 2);
    assert!(form.slots[0].optional && form.slots[0].literal);
    assert_eq!(form.slots[1].values, ["s32", "u32"]);
    assert_eq!(form.operands.len(), 3);
}

#[test]
fn optional_operands_and_brackets() {
    let operands = pattern::operands("d{|p}, [a, {b,} c], {e, f}{, g}{, h}").unwrap();
    let groups: Vec<usize> = operands.iter().map(|operand| operand.group).collect();
    assert_eq!(groups, [0, 0, 0, 2, 3]);
}

#[test]
fn names_with_ranges() {
    assert_eq!(
        kind::names("m64n{8..24..8}k16 a::{x|y}").unwrap(),
        ["m64n8k16", "m64n16k16", "m64n24k16", "a::x", "a::y"]
    );
}

#[test]
fn what_is_refused() {
    let cases = [
        (
            "instruction add\n  form add.type d\n",
            "t.tbl:6: modifier .type is in no class",
        ),
        (
            "instruction add\n  form add.s32 x\n",
            "t.tbl:6: operand `x` needs an `operand` line",
        ),
        (
            "instruction add\n  form sub.s32 d\n",
            "t.tbl:6: the pattern must start with the opcode `add`",
        ),
        (
            "instruction add\n  form add.s32 d\n    operand d twice s32\n",
            "t.tbl:7: operand needs `NAME… KIND`",
        ),
        (
            "instruction add\n  fork add.s32 d\n",
            "t.tbl:6: `fork` is not understood in an instruction",
        ),
        (
            "instruction add\n  form add.s32 d\n    needs sm80\n",
            "t.tbl:7: `sm80` is no requirement (ptx 7.8, sm_80, sm_90a, sm_100f@8.8)",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(error(text), message);
    }
}

#[test]
fn module_headers() {
    let text = "versions 7.0..7.1 8.0..8.0\nold-target 52 4.1\nnew-target 107 100 9.4\nrenamed-target 101 110 8.6 8.8\ngate alias 6.3 30 .alias\n";
    let header = parse(&[("t.tbl".into(), text.into())]).expect("rows").header;
    assert_eq!(header.versions, [(7, 0), (7, 1), (8, 0)]);
    assert_eq!(header.old_targets, [(52, (4, 1))]);
    assert_eq!(header.new_targets, [(107, 100, (9, 4))]);
    assert_eq!((header.renamed[0].former, header.renamed[0].number), (101, 110));
    assert_eq!(header.gates, [("alias".to_string(), (6, 3), 30, ".alias".to_string())]);
    let errors = parse(&[("t.tbl".into(), "versions 7.8..7.0\n".into())]).expect_err("must be refused");
    assert_eq!(
        errors[0].to_string(),
        "t.tbl:1: `7.8..7.0` is no range of versions such as 7.0..7.8"
    );
}
