//! Fuzzes readers for longer than the tests do.

use std::path::PathBuf;
use std::time::Duration;

use warpsmith_tests::{
    fuzz::{Target, readers::Reader, run as rounds_of, watch},
    ptx_agreement::fuzz as ptx,
};

use crate::common::{self, Outcome};

/// Fuzz what reads files and texts, for longer than the tests do
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// For how long, and from where.
#[derive(Debug, clap::Args)]
struct Limits {
    /// Seconds
    #[arg(default_value_t = 60)]
    seconds: u64,
    /// The seed, which repeats a run
    #[arg(default_value_t = 1)]
    seed: u64,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Decode random instruction words on every generation; a round is 1,000 words
    Words(Limits),
    /// Assemble the text of random instructions, damaged
    Text(Limits),
    /// Read, list in both styles and write the sample cubins, damaged
    Cubins(Limits),
    /// Assemble the listings of the sample cubins, damaged
    Listings(Limits),
    /// Run kernels of random instructions, and the sample cubins damaged, in the emulator
    Kernels(Limits),
    /// Read damaged PTX
    Ptx {
        #[command(flatten)]
        limits: Limits,
        /// The round to begin with
        #[arg(default_value_t = 0)]
        first_round: u64,
    },
    /// Give damaged files and command lines to every reader as a user does
    ///
    /// What is found lies in the folder, by reader and round.
    Readers {
        /// Executions of each reader, in processes of their own
        rounds: u64,
        /// The seed
        #[arg(default_value_t = 1)]
        seed: u64,
        /// Where findings are kept; without it, a folder `warpsmith-fuzz` among temporary files
        folder: Option<PathBuf>,
        /// Only these readers
        #[arg(value_name = "READER", value_parser = reader)]
        readers: Vec<Named>,
    },
    /// Repeat rounds of a reader in this process
    Child {
        /// The reader
        #[arg(value_parser = reader)]
        reader: Named,
        /// The seed
        seed: u64,
        /// The first round
        first: u64,
        /// The round after the last
        end: u64,
        /// Where findings are kept
        folder: PathBuf,
    },
}

/// A reader and its name.
type Named = (&'static str, Reader);

fn reader(name: &str) -> Result<Named, String> {
    let found = Reader::ALL.into_iter().find(|(own, _)| *own == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = Reader::ALL.iter().map(|(name, _)| *name).collect();
        format!("the readers are {}", names.join(", "))
    })
}

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    match &arguments.command {
        Command::Words(limits) => library("words", Target::Words, limits),
        Command::Text(limits) => library("text", Target::Text, limits),
        Command::Cubins(limits) => library("cubins", Target::Cubins, limits),
        Command::Listings(limits) => library("listings", Target::Listings, limits),
        Command::Kernels(limits) => library("kernels", Target::Kernels, limits),
        Command::Ptx { limits, first_round } => {
            let Limits { seconds, seed } = *limits;
            let done = ptx::run(seed, *first_round, Duration::from_secs(seconds));
            println!(
                "ptx: {} texts, {} bytes, in {seconds} s from seed {seed}, nothing found; deepest nesting {}, longest token {} bytes, slowest text {:?}",
                done.texts, done.bytes, done.deepest, done.longest, done.slowest
            );
        }
        Command::Readers {
            rounds,
            seed,
            folder,
            readers,
        } => {
            let folder = folder
                .clone()
                .unwrap_or_else(|| std::env::temp_dir().join("warpsmith-fuzz"));
            return watched(*rounds, *seed, &folder, readers);
        }
        Command::Child {
            reader,
            seed,
            first,
            end,
            folder,
        } => watch::child(reader.1, *seed, *first..*end, folder),
    }
    Ok(Outcome::Good)
}

fn library(name: &str, target: Target, limits: &Limits) {
    let Limits { seconds, seed } = *limits;
    let rounds = rounds_of(target, seed, u64::MAX, Duration::from_secs(seconds));
    println!("{name}: {rounds} rounds in {seconds} s from seed {seed}, nothing found");
}

fn watched(rounds: u64, seed: u64, folder: &std::path::Path, chosen: &[Named]) -> common::Result {
    let program = std::env::current_exe()?;
    let mut found = 0;
    for (name, _) in Reader::ALL {
        if !chosen.is_empty() && !chosen.iter().any(|(own, _)| *own == name) {
            continue;
        }
        let outcome = watch::watched(&program, name, seed, 0..rounds, folder);
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
    Ok(Outcome::good_if(found == 0))
}
