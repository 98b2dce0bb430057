//! Comparisons: what ours makes, says or runs beside what NVIDIA's tools do.

mod emulator;
mod kernels;
mod listing;
mod nvcc;
mod ptx;
mod ptxas;
mod sass;
mod shape;

use crate::common;

/// Compare what ours makes, says or runs with NVIDIA's tools
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Ptxas(ptxas::Arguments),
    Nvcc(nvcc::Arguments),
    Ptx(ptx::Arguments),
    Kernels(kernels::Arguments),
    Emulator(emulator::Arguments),
    Shape(shape::Arguments),
    Listing(listing::Arguments),
    Sass(sass::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    match &arguments.command {
        Command::Ptxas(arguments) => ptxas::run(arguments),
        Command::Nvcc(arguments) => nvcc::run(arguments),
        Command::Ptx(arguments) => ptx::run(arguments),
        Command::Kernels(arguments) => kernels::run(arguments),
        Command::Emulator(arguments) => emulator::run(arguments),
        Command::Shape(arguments) => shape::run(arguments),
        Command::Listing(arguments) => listing::run(arguments),
        Command::Sass(arguments) => sass::run(arguments),
    }
}
