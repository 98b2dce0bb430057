//! Texts made worse, and what is done with a module that they still are.

use warpsmith_base::Random;
use warpsmith_base::SourceText;
use warpsmith_ir::interpret::{Datum, Machine};
use warpsmith_ir::{Dialect, Module};

/// Reads a text and does with the module what can be done; whether it could be read and verified.
pub(crate) fn exercise(name: &str, text: String) -> (bool, bool) {
    let Ok(module) = Module::from_text(&SourceText::new(name, text)) else {
        return (false, false);
    };
    let _ = module.to_text(Dialect::Modern);
    let _ = module.to_text(Dialect::Llvm7);
    if module.verify().is_err() {
        return (true, false);
    }
    execute(&module);
    (true, true)
}

/// Runs the functions for a moment, on zeros.
fn execute(module: &Module) {
    let context = module.context();
    for (id, declaration) in module.functions() {
        if module.body(id).is_none() {
            continue;
        }
        let mut machine = Machine::new(module);
        machine.steps_left = 1000;
        let data = context.function_data(declaration.ty);
        let arguments: Vec<Datum> = data.parameters.iter().map(|&ty| Datum::zero(context, ty)).collect();
        let _ = machine.call(id, &arguments);
    }
}

/// A copy with some words changed for others of the same or another file, left out or doubled, and bytes changed.
pub(crate) fn damaged(bytes: &[u8], files: &[(String, Vec<u8>)], random: &mut Random) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut words: Vec<&str> = pieces(&text);
    let other = random.below(files.len());
    let other = files
        .get(other)
        .map(|(_, bytes)| String::from_utf8_lossy(bytes))
        .unwrap_or_default();
    let others = pieces(&other);
    for _ in 0..=random.below(4) {
        let (place, from) = (random.below(words.len()), random.below(words.len()));
        match random.below(6) {
            0 if !words.is_empty() => drop(words.remove(place)),
            1 if !words.is_empty() => words.insert(place, words[place]),
            2 if !words.is_empty() => words.swap(place, from),
            3 if !words.is_empty() => words[place] = words[from],
            4 if !words.is_empty() && !others.is_empty() => words[place] = others[random.below(others.len())],
            _ => words.truncate(words.len().saturating_sub(random.below(50))),
        }
    }
    let mut text = words.concat().into_bytes();
    if random.below(4) == 0 && !text.is_empty() {
        let place = random.below(text.len());
        text[place] = random.below(256) as u8;
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// Words and what is between them.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut inside = false;
    for (place, character) in text.char_indices() {
        let word = character.is_ascii_alphanumeric() || "._%@!#\"".contains(character);
        if word != inside || !word {
            pieces.push(&text[start..place]);
            start = place;
            inside = word;
        }
    }
    pieces.push(&text[start..]);
    pieces
}
