//! `cargo xtask`: what one who works on Warpsmith runs beside `cargo build` and the tests. `cargo xtask --help` lists the commands.
//!
//! **What enters**: a command line, which [`Command`] declares; each command's module has its arguments, with the text of its `--help`.
//! **What leaves**: text on standard output, and an exit status: 0 where all is as it should be, 1 where the command found something wrong,
//! 2 where it could not do its work.

mod bless;
mod common;
mod compare;
mod coverage;
mod digest;
mod expectations;
mod filetest;
mod fuzz;
mod hosts;
mod loops;
mod random;
mod release;
mod status;
mod suites;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use common::Outcome;
use warpsmith_tests::gpu;

/// What one who works on Warpsmith runs beside `cargo build` and the tests
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// A command with its arguments.
#[derive(Debug, Subcommand)]
enum Command {
    Bless(bless::Arguments),
    Filetest(filetest::Arguments),
    Fuzz(fuzz::Arguments),
    Compare(compare::Arguments),
    Loops(loops::Arguments),
    Random(random::Arguments),
    Coverage(coverage::Arguments),
    Digest(digest::Arguments),
    Suites(suites::Arguments),
    Status(status::Arguments),
    Hosts(hosts::Arguments),
    Release(release::Arguments),
}

fn main() -> ExitCode {
    // A process for the GPU, which a comparison starts for itself.
    if std::env::args().skip(1).eq([gpu::SERVER]) {
        return gpu::serve().map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    match run(&Arguments::parse().command) {
        Ok(Outcome::Good) => ExitCode::SUCCESS,
        Ok(Outcome::Wrong) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cargo xtask: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(command: &Command) -> common::Result {
    match command {
        Command::Bless(arguments) => bless::run(arguments),
        Command::Filetest(arguments) => filetest::run(arguments),
        Command::Fuzz(arguments) => fuzz::run(arguments),
        Command::Compare(arguments) => compare::run(arguments),
        Command::Loops(arguments) => loops::run(arguments),
        Command::Random(arguments) => random::run(arguments),
        Command::Coverage(arguments) => coverage::run(arguments),
        Command::Digest(arguments) => digest::run(arguments),
        Command::Suites(arguments) => suites::run(arguments),
        Command::Status(arguments) => status::run(arguments),
        Command::Hosts(arguments) => hosts::run(arguments),
        Command::Release(arguments) => release::run(arguments),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    /// Names, defaults and conflicts of every command are sound, and every command and option says what it is for.
    #[test]
    fn every_command_and_option_has_help() {
        fn look(command: &clap::Command, undocumented: &mut Vec<String>) {
            if command.get_about().is_none() {
                undocumented.push(command.get_name().to_owned());
            }
            for argument in command.get_arguments().filter(|argument| argument.get_help().is_none()) {
                undocumented.push(format!("{} {}", command.get_name(), argument.get_id()));
            }
            for below in command.get_subcommands() {
                look(below, undocumented);
            }
        }
        let command = super::Arguments::command();
        command.clone().debug_assert();
        let mut undocumented = Vec::new();
        look(&command, &mut undocumented);
        assert_eq!(undocumented, Vec::<String>::new());
    }
}
