//! Counts the forms of the instruction tables that the interpreter implements, by family; with an argument, also names those that it lacks.

use std::collections::BTreeMap;

use warpsmith_emu::ptx::{Device, load};
use warpsmith_ptx::{
    examples::{legal, module},
    instruction::Gates,
    module::{Target, TargetSuffix, Version},
    table::{FORMS, FormId},
};

fn main() {
    let lists = std::env::args().len() > 1;
    let targets = [
        (75, TargetSuffix::None),
        (90, TargetSuffix::Architecture),
        (100, TargetSuffix::Architecture),
        (120, TargetSuffix::Architecture),
    ];
    let mut families: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut lacking: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (number, form) in FORMS.iter().enumerate() {
        let found = targets.iter().find_map(|(target, suffix)| {
            let gates = Gates {
                version: Version { major: 9, minor: 0 },
                target: Target {
                    number: *target,
                    suffix: *suffix,
                },
                independent_textures: true,
            };
            let examples = legal(FormId(number as u16), gates);
            let texts: Vec<&str> = examples.iter().map(|example| example.text.as_str()).collect();
            (!texts.is_empty()).then(|| module(&texts, gates))
        });
        let Some(text) = found else { continue };
        let parsed = warpsmith_ptx::parse(text.as_bytes());
        let Ok(loaded) = load(&mut Device::new(), &parsed.module) else {
            continue;
        };
        let family = families.entry(form.opcode.family()).or_default();
        family.1 += 1;
        if loaded.unsupported().is_empty() {
            family.0 += 1;
        } else {
            lacking.entry(form.opcode.family()).or_default().push(form.pattern);
        }
    }
    let (mut all, mut done) = (0, 0);
    for (family, (yes, total)) in &families {
        println!("{yes:4} / {total:4}  {family}");
        (all, done) = (all + total, done + yes);
        for pattern in lacking.get(family).filter(|_| lists).into_iter().flatten() {
            println!("               {pattern}");
        }
    }
    println!("{done:4} / {all:4}  in all");
}
