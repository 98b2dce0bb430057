//! How far the interpreter of PTX and the emulator of machine code agree on what ptxas compiles, and what its machine code is like.

use std::{error::Error, path::PathBuf};

use warpsmith_target::Sm;
use warpsmith_tests::emulator_agreement::{
    corpus, distances, encodings, habits, hazards, kernels, ptxas::Ptxas, snippets,
};

use crate::common::{self, Outcome};

/// Compare the interpreter of PTX with the emulator of machine code on what ptxas compiles
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// The compiler whose machine code runs.
#[derive(Debug, clap::Args)]
struct Compiler {
    /// The ptxas
    #[arg(long, value_name = "PATH")]
    ptxas: PathBuf,
    /// Keep cubins, so that another run needs no ptxas for what has not changed
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
}

impl Compiler {
    fn tool(&self) -> Result<Ptxas, Box<dyn Error>> {
        Ok(Ptxas::new(&self.ptxas, self.keep.as_deref())?)
    }
}

/// Cubins.
#[derive(Debug, clap::Args)]
struct Cubins {
    /// Cubins, or folders of them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Run the kernel suite: passed and total by target and level, and why others fail
    Kernels {
        #[command(flatten)]
        compiler: Compiler,
        /// Targets; without it, one of each kind
        #[arg(long = "sm", value_name = "LIST", value_delimiter = ',', value_parser = common::sm)]
        sms: Vec<Sm>,
        /// Levels
        #[arg(short = 'O', value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(..4), default_values_t = [0, 3])]
        levels: Vec<u8>,
        /// Only these kernels
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
    /// Write tests/kernels/NAME/sm_NN.sass, each kernel for one target
    Listings {
        #[command(flatten)]
        compiler: Compiler,
        /// Only these kernels
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
    /// Run every instruction of the tables with many operand values
    Snippets(Snippets),
    /// Count instructions in cubins that the emulator does not implement
    Corpus {
        /// Take every Nth file
        #[arg(long, value_name = "N", default_value_t = 1)]
        step: usize,
        #[command(flatten)]
        cubins: Cubins,
    },
    /// List distances between dependent instructions in cubins that are never so small as the table of timings allows
    Distances(Cubins),
    /// List bits of words in cubins that their text does not tell, and that the assembler sets otherwise
    Encodings(Cubins),
    /// List registers that straight-line code of cubins touches too early
    Hazards {
        /// Take every Nth file
        #[arg(long, value_name = "N", default_value_t = 1)]
        step: usize,
        #[command(flatten)]
        cubins: Cubins,
    },
    /// Tell what code of a folder of cubins does, and that of a second one never: distances, waits, orders
    Habits {
        /// Only what the second folder, or the one, has or should have N times
        #[arg(long, value_name = "N", default_value_t = 0)]
        often: usize,
        /// Tell instructions apart by all their modifiers, and by operands
        #[arg(long)]
        fine: bool,
        /// The folders; of one alone all that is seen is told
        #[arg(value_name = "FOLDER", required = true, num_args = 1..=2)]
        folders: Vec<PathBuf>,
    },
}

#[derive(Debug, clap::Args)]
struct Snippets {
    #[command(flatten)]
    compiler: Compiler,
    /// Targets
    #[arg(long = "sm", value_name = "LIST", value_delimiter = ',', value_parser = common::sm,
          default_value = "75,80,86,89,90a,100a,120a")]
    sms: Vec<Sm>,
    /// The level
    #[arg(short = 'O', value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(..4), default_value_t = 3)]
    level: u8,
    /// Take more lines `accepted targets TAB message TAB body`
    #[arg(long, value_name = "FILE")]
    more: Option<PathBuf>,
    /// Write each instruction that is not equal
    #[arg(long, value_name = "FILE")]
    details: Option<PathBuf>,
    /// The number of the set of values
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Look for registers that are touched too early
    #[arg(long)]
    hazards: bool,
    /// Run the machine code on the first GPU, not in the emulator
    #[arg(long)]
    gpu: bool,
    /// Compare the Ith (from 0) of N parts
    #[arg(long, value_name = "I/N", value_parser = share, default_value = "0/1")]
    share: (usize, usize),
    /// Only instructions that contain one of these parts
    #[arg(value_name = "PART")]
    only: Vec<String>,
}

fn share(text: &str) -> Result<(usize, usize), String> {
    let (own, all) = text.split_once('/').ok_or("I/N is wanted, such as 0/4")?;
    let number = |text: &str| text.parse::<usize>().map_err(|error| format!("{text}: {error}"));
    let (own, all) = (number(own)?, number(all)?);
    match own < all {
        true => Ok((own, all)),
        false => Err(format!("there is no part {own} of {all}: the first is 0")),
    }
}

fn names(sms: &[Sm]) -> Vec<String> {
    sms.iter().map(Sm::to_string).collect()
}

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    match &arguments.command {
        Command::Kernels {
            compiler,
            sms,
            levels,
            names: only,
        } => {
            let levels: Vec<String> = levels.iter().map(|level| format!("-O{level}")).collect();
            let targets = match sms.is_empty() {
                true => kernels::LISTED.map(str::to_owned).to_vec(),
                false => names(sms),
            };
            let report = kernels::compare(&compiler.tool()?, &targets, &levels, &kernels::suite(only)?)?;
            print!("{report}");
        }
        Command::Listings { compiler, names } => {
            for left_out in kernels::write_listings(&compiler.tool()?, &kernels::suite(names)?)? {
                println!("none for {left_out}");
            }
        }
        Command::Snippets(arguments) => {
            let inputs = snippets::Inputs {
                only: arguments.only.clone(),
                more: arguments.more.as_deref().map_or(Ok(Vec::new()), snippets::read)?,
                seed: arguments.seed,
                hazards: arguments.hazards,
                gpu: arguments.gpu,
                share: arguments.share,
                details: arguments.details.clone(),
                level: format!("-O{}", arguments.level),
            };
            let report = snippets::compare(&arguments.compiler.tool()?, &names(&arguments.sms), &inputs)?;
            print!("{report}");
        }
        Command::Corpus { step, cubins } => print!("{}", corpus::count(&cubins.paths, *step)?),
        Command::Distances(cubins) => print!("{}", distances::count(&cubins.paths)?),
        Command::Encodings(cubins) => print!("{}", encodings::count(&cubins.paths)?),
        Command::Hazards { step, cubins } => print!("{}", hazards::count(&cubins.paths, *step)?),
        Command::Habits { often, fine, folders } => print!("{}", habits::compare(folders, *fine, *often)?),
    }
    Ok(Outcome::Good)
}
