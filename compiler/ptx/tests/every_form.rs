//! Every form of the instruction tables, with every modifier that its slots take, is read back as itself.

use std::{collections::BTreeSet, sync::LazyLock};

use warpsmith_ptx::{
    examples,
    instruction::Gates,
    module::{Statement, Target, TargetSuffix, Version},
    parse, print,
    table::{FORMS, FormId, Modifier},
};

/// Targets and versions that together have everything.
const SETTINGS: &[(u16, TargetSuffix, u8, u8, bool)] = &[
    (50, TargetSuffix::None, 6, 0, false),
    (60, TargetSuffix::None, 6, 2, false),
    (75, TargetSuffix::None, 6, 3, false),
    (80, TargetSuffix::None, 7, 8, false),
    (90, TargetSuffix::Architecture, 9, 5, false),
    (100, TargetSuffix::Architecture, 9, 5, false),
    (103, TargetSuffix::Architecture, 9, 5, false),
    (110, TargetSuffix::Architecture, 9, 5, false),
    (120, TargetSuffix::Architecture, 9, 5, false),
    (80, TargetSuffix::None, 9, 5, true),
];

fn gates((number, suffix, major, minor, independent_textures): (u16, TargetSuffix, u8, u8, bool)) -> Gates {
    Gates {
        version: Version { major, minor },
        target: Target { number, suffix },
        independent_textures,
    }
}

/// Legal examples for each setting.
static LEGAL: LazyLock<Vec<(Gates, Vec<examples::Example>)>> = LazyLock::new(|| {
    let lines = |gates| {
        examples::forms()
            .flat_map(|form| examples::legal(form, gates))
            .collect()
    };
    SETTINGS
        .iter()
        .map(|setting| (gates(*setting), lines(gates(*setting))))
        .collect()
});

#[test]
fn legal_examples_are_accepted_and_print_as_themselves() {
    let mut wrong = Vec::new();
    for (gates, lines) in LEGAL.iter() {
        let bodies: Vec<&str> = lines.iter().map(|example| example.text.as_str()).collect();
        let text = examples::module(&bodies, *gates);
        let parsed = parse(text.as_bytes());
        for problem in parsed.problems.iter().take(5) {
            let line = text[problem.span.range()].to_string();
            wrong.push(format!(
                "{} {}: {line}: {}",
                gates.target, gates.version, problem.message
            ));
        }
        let printed = print::print(&parsed.module);
        let again = parse(printed.as_bytes());
        assert!(
            again.problems.len() <= parsed.problems.len(),
            "{:?}",
            again.problems.first()
        );
        assert_eq!(print::print(&again.module), printed);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn examples_reach_every_form_and_modifier() {
    let mut forms: BTreeSet<FormId> = BTreeSet::new();
    let mut modifiers: BTreeSet<(FormId, Modifier)> = BTreeSet::new();
    for (gates, lines) in LEGAL.iter() {
        forms.extend(lines.iter().map(|example| example.form));
        let bodies: Vec<&str> = lines.iter().map(|example| example.text.as_str()).collect();
        let parsed = parse(examples::module(&bodies, *gates).as_bytes());
        let kernels = parsed.module.functions.iter().filter(|function| function.kernel);
        for (example, kernel) in lines.iter().zip(kernels) {
            for statement in kernel.body.iter().flat_map(|body| &body.statements) {
                if let Statement::Instruction(instruction) = statement {
                    let variant = &parsed.module.variants[instruction.variant.0 as usize];
                    modifiers.extend(
                        variant
                            .modifiers
                            .iter()
                            .flatten()
                            .map(|modifier| (example.form, *modifier)),
                    );
                }
            }
        }
    }
    let missing: Vec<&str> = examples::forms()
        .filter(|form| !forms.contains(form))
        .map(|form| form.form().pattern)
        .collect();
    assert!(
        missing.is_empty(),
        "{} of {} forms have no example: {}",
        missing.len(),
        FORMS.len(),
        missing.join("\n")
    );
    let all = examples::forms().flat_map(|form| {
        form.form()
            .slots
            .iter()
            .flat_map(move |slot| slot.values.iter().map(move |value| (form, *value)))
    });
    let unreached: Vec<String> = all
        .filter(|pair| !modifiers.contains(pair))
        .map(|(form, modifier)| format!("{} {modifier}", form.form().pattern))
        .collect();
    assert!(
        unreached.is_empty(),
        "{} not reached: {}",
        unreached.len(),
        unreached.join("\n")
    );
}

/// Faults that the tables see. A few faulty lines are legal by another form; that is what the judge of the vendor's tool is asked for, not this test.
#[test]
fn most_single_faults_are_refused() {
    let gates = gates((100, TargetSuffix::Architecture, 9, 5, false));
    let lines: Vec<examples::Example> = examples::forms()
        .flat_map(|form| examples::faulty(form, gates))
        .collect();
    // A module's problems are listed up to a bound: several modules. One kernel stands on one line: lines with a problem are refused examples.
    let refused: usize = lines.chunks(2000).map(|lines| lines_with_problems(lines, gates)).sum();
    let (refused, all) = (refused, lines.len());
    assert!(all > 10_000 && refused * 100 > all * 90, "{refused} of {all}");
}

fn lines_with_problems(lines: &[examples::Example], gates: Gates) -> usize {
    let bodies: Vec<&str> = lines.iter().map(|example| example.text.as_str()).collect();
    let text = examples::module(&bodies, gates);
    let starts: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let line = |at: u32| starts.partition_point(|start| *start < at as usize);
    let problems = parse(text.as_bytes()).problems;
    let lines: BTreeSet<usize> = problems.iter().map(|problem| line(problem.span.start)).collect();
    lines.len()
}
