//! Reads damaged copies of files of LLVM's assembly: whatever the damage, there are errors or a module, and what can be done with a module can be done.
//!
//! `ll-fuzz ROUNDS SEED FILE…`. With `SHOW` in the environment each text is printed before it is read, so that the last one is that of a panic.

#[path = "../tests/damage/mod.rs"]
mod damage;

use damage::{damaged, exercise};
use warpsmith_base::Random;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().and_then(|text| text.parse::<u64>().ok()).unwrap_or(1);
    let (rounds, seed) = (number(), number());
    let files: Vec<(String, Vec<u8>)> = arguments
        .filter_map(|path| Some((path.clone(), std::fs::read(&path).ok()?)))
        .collect();
    let (mut read, mut verified) = (0, 0);
    for round in 0..rounds {
        for (path, bytes) in &files {
            let mut random = Random::new(seed ^ round.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ bytes.len() as u64);
            let text = damaged(bytes, &files, &mut random);
            if std::env::var_os("SHOW").is_some() {
                println!("{path} round {round}\n{text}");
            }
            let outcome = exercise(path, text);
            read += u64::from(outcome.0);
            verified += u64::from(outcome.1);
        }
    }
    let total = rounds * files.len() as u64;
    println!("{total} texts, {read} read, {verified} verified");
}
