//! Random programs and words.

mod cuda;
mod ptx;
mod words;

use crate::common;

/// Make random programs, and compare what becomes of them in the interpreter and as machine code
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Ptx(ptx::Arguments),
    Cuda(cuda::Arguments),
    Words(words::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    match &arguments.command {
        Command::Ptx(arguments) => ptx::run(arguments),
        Command::Cuda(arguments) => cuda::run(arguments),
        Command::Words(arguments) => words::run(arguments),
    }
}
