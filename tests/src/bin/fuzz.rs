//! Fuzzes readers for longer than the tests do.
//!
//! `fuzz words|text|cubins|listings|kernels|ptx [SECONDS [SEED [FIRST_ROUND]]]`: one of the libraries; a round of `words` is 1,000 words. Only `ptx` takes the
//! round to begin with.
//!
//! `fuzz readers ROUNDS [SEED [FOLDER [READER…]]]`: every reader, or those named, as a user calls it, so many executions each, in processes of their own.
//! What is found lies in the folder, by reader and round. `fuzz child READER SEED FIRST END FOLDER` repeats rounds in this process.

use std::path::PathBuf;
use std::time::Duration;
use warpsmith_tests::{
    fuzz::{Target, readers::Reader, run, watch},
    ptx_agreement::fuzz as ptx,
};

fn usage() -> ! {
    let readers: Vec<&str> = Reader::ALL.iter().map(|(name, _)| *name).collect();
    eprintln!("usage: fuzz words|text|cubins|listings|kernels|ptx [SECONDS [SEED [FIRST_ROUND]]]");
    eprintln!("       fuzz readers ROUNDS [SEED [FOLDER [{}…]]]", readers.join("|"));
    std::process::exit(2);
}

fn readers(mut args: impl Iterator<Item = String>) {
    let rounds: u64 = args
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| usage());
    let seed: u64 = args.next().map_or(1, |text| text.parse().unwrap_or_else(|_| usage()));
    let folder = args
        .next()
        .map_or_else(|| std::env::temp_dir().join("warpsmith-fuzz"), PathBuf::from);
    let chosen: Vec<String> = args.collect();
    let program = std::env::current_exe().expect("this program has a file");
    let mut found = 0;
    for (name, _) in Reader::ALL {
        if !chosen.is_empty() && !chosen.iter().any(|one| one == name) {
            continue;
        }
        let outcome = watch::watched(&program, name, seed, 0..rounds, &folder);
        println!(
            "{name}: {} executions from seed {seed}, {} findings",
            outcome.executions,
            outcome.findings.len()
        );
        for finding in &outcome.findings {
            println!("    {finding}");
        }
        found += outcome.findings.len();
    }
    std::process::exit(i32::from(found > 0));
}

fn child(mut args: impl Iterator<Item = String>) -> Option<()> {
    let name = args.next()?;
    let (_, reader) = Reader::ALL.into_iter().find(|(own, _)| *own == name)?;
    let mut number = || args.next()?.parse::<u64>().ok();
    let (seed, first, end) = (number()?, number()?, number()?);
    watch::child(reader, seed, first..end, &PathBuf::from(args.next()?));
    Some(())
}

fn main() {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_default();
    match name.as_str() {
        "readers" => return readers(args),
        "child" => return child(args).unwrap_or_else(|| usage()),
        _ => {}
    }
    let target = Target::ALL.into_iter().find(|(n, _)| *n == name);
    if target.is_none() && name != "ptx" {
        usage();
    }
    let mut number = |default| args.next().map_or(default, |a| a.parse().expect("a number"));
    let (seconds, seed, first) = (number(60), number(1), number(0));
    let time = Duration::from_secs(seconds);
    let Some((_, target)) = target else {
        let done = ptx::run(seed, first, time);
        println!(
            "ptx: {} texts, {} bytes, in {seconds} s from seed {seed}, nothing found; deepest nesting {}, longest token {} bytes, slowest text {:?}",
            done.texts, done.bytes, done.deepest, done.longest, done.slowest
        );
        return;
    };
    let rounds = run(target, seed, u64::MAX, time);
    println!("{name}: {rounds} rounds in {seconds} s from seed {seed}, nothing found");
}
