//! Counts the forms of the instruction tables that the interpreter implements, by family: those that the manual defines, and what only ptxas takes.
//! With an argument, also names those that it lacks.

use std::collections::BTreeMap;

use warpsmith_emu::ptx::{Device, load};
use warpsmith_ptx::{
    examples::{Example, legal, module},
    instruction::Gates,
    module::{Target, TargetSuffix, Version},
    table::{FORMS, FormId},
};

/// The targets that a form is tried for, one after the other.
const TARGETS: [(u16, TargetSuffix); 4] = [
    (75, TargetSuffix::None),
    (90, TargetSuffix::Architecture),
    (100, TargetSuffix::Architecture),
    (120, TargetSuffix::Architecture),
];

/// Forms that run, forms in all, and the patterns of the others with why the manual has them not.
#[derive(Default)]
struct Count {
    done: u32,
    all: u32,
    lacking: Vec<String>,
}

/// Whether examples run; `None`: there are none for any target.
fn runs(form: FormId, is_asked: impl Fn(&Example) -> bool) -> Option<(bool, Option<&'static str>)> {
    let (text, reason) = TARGETS.iter().find_map(|(number, suffix)| {
        let gates = Gates {
            version: Version { major: 9, minor: 0 },
            target: Target {
                number: *number,
                suffix: *suffix,
            },
            independent_textures: true,
        };
        let examples: Vec<Example> = legal(form, gates).into_iter().filter(&is_asked).collect();
        let texts: Vec<&str> = examples.iter().map(|example| example.text.as_str()).collect();
        let reason = examples.first()?.beyond;
        Some((module(&texts, gates), reason))
    })?;
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    let loaded = load(&mut Device::new(), &parsed.module).ok()?;
    Some((loaded.unsupported().is_empty(), reason))
}

fn main() {
    let lists = std::env::args().len() > 1;
    let mut families: BTreeMap<&str, [Count; 2]> = BTreeMap::new();
    for (number, form) in FORMS.iter().enumerate() {
        let form_id = FormId(number as u16);
        let defined = runs(form_id, |example| example.beyond.is_none());
        let beyond = runs(form_id, |example| example.beyond.is_some());
        let counts = families.entry(form.opcode.family()).or_default();
        for (count, found) in counts.iter_mut().zip([defined, beyond]) {
            let Some((done, reason)) = found else { continue };
            count.all += 1;
            count.done += u32::from(done);
            if !done {
                let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
                count.lacking.push(format!("{}{reason}", form.pattern));
            }
        }
    }
    for (index, title) in ["defined by the manual", "taken by ptxas alone"]
        .into_iter()
        .enumerate()
    {
        let (mut done, mut all) = (0, 0);
        for (family, counts) in &families {
            let count = &counts[index];
            (done, all) = (done + count.done, all + count.all);
            if count.all > 0 {
                println!("{:4} / {:4}  {family}", count.done, count.all);
            }
            for pattern in count.lacking.iter().filter(|_| lists) {
                println!("               {pattern}");
            }
        }
        println!("{done:4} / {all:4}  {title}\n");
    }
}
