//! Units and what they are together.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{LinkError, Unit, link, rename};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

fn linked(texts: &[&str]) -> Result<String, Vec<LinkError>> {
    let texts: Vec<String> = texts.iter().map(|text| format!("{HEAD}{text}")).collect();
    let names = ["a.o", "b.o", "c.o"];
    let units: Vec<Unit> = names
        .iter()
        .zip(&texts)
        .map(|(name, text)| Unit { name, text })
        .collect();
    let text = link(&units, "sm_90", &|name| name == "vprintf")?;
    let parsed = crate::parse(text.as_bytes());
    assert!(parsed.problems.is_empty(), "{text}\n{:?}", parsed.problems);
    Ok(text)
}

#[test]
fn declarations_become_those_of_what_another_unit_defines() {
    let text = linked(&[
        ".extern .func f(.param .b32 f_0);\n.extern .global .align 4 .u32 g;\n.visible .entry k() { ret; }",
        ".visible .global .align 4 .u32 g = 5;\n.visible .func f(.param .b32 f_0) { ret; }",
        ".extern .func f(.param .b32 f_0);\n.extern .global .align 4 .u32 g;",
    ]);
    assert_eq!(
        text.as_deref(),
        Ok(".version 8.0\n.target sm_90\n.address_size 64\n\n\
            .visible .func f(.param .b32 f_0);\n.extern .global .align 4 .u32 g;\n.visible .entry k() { ret; }\n\
            .visible .global .align 4 .u32 g = 5;\n.visible .func f(.param .b32 f_0) { ret; }\n")
    );
}

#[test]
fn names_of_one_unit_are_told_from_those_of_another() {
    let text = linked(&[
        ".global .u32 add = 1;\n.func s() { .reg .u32 %r<2>; ld.global.u32 %r1, [add]; add.u32 %r1, %r1, 1; ret; }",
        ".global .u32 add = 2;\n.visible .func s() { ret; }\n.global .u32 own;",
    ]);
    assert_eq!(
        text.as_deref(),
        Ok(".version 8.0\n.target sm_90\n.address_size 64\n\n\
            .global .u32 add$unit0 = 1;\n\
            .func s$unit0() { .reg .u32 %r<2>; ld.global.u32 %r1, [add$unit0]; add.u32 %r1, %r1, 1; ret; }\n\
            .global .u32 add$unit1 = 2;\n.visible .func s() { ret; }\n.global .u32 own;\n")
    );
}

#[test]
fn one_weak_definition_stays_and_gives_way_to_another() {
    let text = linked(&[
        ".weak .func w() { ret; }\n.weak .global .u32 v = 1;\n.weak .func s() { ret; }",
        ".weak .func w() { trap; }\n.weak .global .u32 v = 1;\n.visible .func s() { trap; }",
    ]);
    assert_eq!(
        text.as_deref(),
        Ok(".version 8.0\n.target sm_90\n.address_size 64\n\n\
            .weak .func w() { ret; }\n.weak .global .u32 v = 1;\n.visible .func s() ;\n.visible .func s() { trap; }\n")
    );
}

#[test]
fn what_is_missing_or_there_twice_is_told_with_its_units() {
    let errors = linked(&[
        ".visible .func f() { ret; }\n.extern .func vprintf();\n.extern .shared .b8 dynamic[];",
        ".visible .func f() { ret; }\n.extern .func g();\n.extern .global .u32 v;",
    ]);
    let (symbol, unit) = (|name: &str| name.to_owned(), "b.o".to_owned());
    assert_eq!(
        errors,
        Err(vec![
            LinkError::Multiple {
                symbol: symbol("f"),
                unit: unit.clone(),
                first: "a.o".to_owned()
            },
            LinkError::Undefined {
                symbol: symbol("g"),
                unit: unit.clone()
            },
            LinkError::Undefined {
                symbol: symbol("v"),
                unit
            },
        ])
    );
    let units = [Unit {
        name: "a.o",
        text: ".func (",
    }];
    assert!(matches!(
        &link(&units, "sm_90", &|_| false).unwrap_err()[..],
        [LinkError::Syntax { .. }]
    ));
}

#[test]
fn files_are_numbered_anew_and_strings_kept() {
    let unit = |file: &str| {
        format!(
            ".file 1 \"{file}.cu\"\n.visible .entry k{file}()\n{{\n.loc 1 7 0\n.loc 1 2 3, function_name $s, inlined_at 1 7 0\nret;\n}}\n\
             .section .debug_str\n{{\n$s:\n.b8 65, 0\n}}\n.section .debug_info {{ .b8 1 }}"
        )
    };
    let text = linked(&[&unit("a"), &unit("b")]).expect("they fit");
    assert!(
        text.contains(
            ".file 2 \"b.cu\"\n.visible .entry kb()\n{\n.loc 2 7 0\n.loc 2 2 3, function_name $s$unit1, inlined_at 2 7 0\n"
        ),
        "{text}"
    );
    assert!(
        text.ends_with(".section .debug_str\n{\n\n$s$unit0:\n.b8 65, 0\n\n\n$s$unit1:\n.b8 65, 0\n\n}\n"),
        "{text}"
    );
}

#[test]
fn names_are_changed_wherever_they_stand() {
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 k_0)\n{{ ret; }}\n.global .u64 t = k; // k\n.visible .entry w() {{ ret; }}\n"
    );
    let names = FxHashMap::from_iter([("k".to_owned(), "own".to_owned())]);
    let weak = FxHashSet::from_iter(["w".to_owned()]);
    assert_eq!(
        rename(&text, &names, &weak).as_deref(),
        Ok(&*format!(
            "{HEAD}.visible .entry own(.param .u64 k_0)\n{{ ret; }}\n.global .u64 t = own; // k\n.weak .entry w() {{ ret; }}\n"
        ))
    );
}
