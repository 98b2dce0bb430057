//! The suites of tests whose inputs or expectations are files.

use std::error::Error;

use crate::common::{self, Outcome};

/// The variable of the environment that makes a test write what it expects in place of comparing it.
const BLESS: &str = "WARPSMITH_BLESS";

/// A suite: tests of one target of a package.
#[derive(Debug)]
pub(crate) struct Suite {
    /// Its name on the command line.
    name: &'static str,
    package: &'static str,
    /// The target, as cargo's options name it.
    target: &'static [&'static str],
    /// The part of the target's tests; empty for all of them.
    tests: &'static str,
    /// Where the files are.
    files: &'static str,
    pub(crate) blessing: Blessing,
}

/// Whether tests of a suite write their expectations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blessing {
    /// They do not: what is expected was found by an independent program.
    Never,
    /// Each test writes its own.
    Each,
    /// All write one list, so that all must run.
    Together,
}

/// Every suite.
pub(crate) const SUITES: &[Suite] = &[
    suite(
        "ptx-errors",
        "warpsmith-tests",
        &["--test", "ptx_errors"],
        "tests/ptx/errors",
        Blessing::Each,
    ),
    suite(
        "kernels",
        "warpsmith-tests",
        &["--test", "kernels"],
        "tests/kernels/refused.txt",
        Blessing::Together,
    ),
    suite(
        "cuda-kernels",
        "warpsmith-tests",
        &["--test", "cuda_kernels"],
        "tests/kernels/cuda-refused.txt",
        Blessing::Together,
    ),
    suite(
        "golden",
        "warpsmith-tests",
        &["--test", "golden"],
        "tests/golden/known.txt",
        Blessing::Together,
    ),
    suite(
        "found",
        "warpsmith-tests",
        &["--test", "found"],
        "tests/found",
        Blessing::Never,
    ),
    suite(
        "documents",
        "warpsmith-tests",
        &["--test", "documents"],
        "docs",
        Blessing::Never,
    ),
    suite(
        "listings",
        "warpsmith-listing",
        &["--test", "listings"],
        "compiler/listing/tests/expected",
        Blessing::Each,
    ),
    suite(
        "ir-rules",
        "warpsmith-ir",
        &["--test", "rules"],
        "compiler/ir/tests/rules",
        Blessing::Each,
    ),
    suite(
        "cuda-rules",
        "warpsmith-cuda",
        &["--test", "rules"],
        "compiler/cuda/tests/rules",
        Blessing::Each,
    ),
    Suite {
        tests: "the_table_is_what_the_headers_",
        ..suite(
            "headers",
            "warpsmith-cuda",
            &["--lib"],
            "compiler/cuda/headers/warpsmith",
            Blessing::Each,
        )
    },
];

const fn suite(
    name: &'static str,
    package: &'static str,
    target: &'static [&'static str],
    files: &'static str,
    blessing: Blessing,
) -> Suite {
    Suite {
        name,
        package,
        target,
        tests: "",
        files,
        blessing,
    }
}

impl Suite {
    fn fits(&self, filter: &str) -> bool {
        self.name.contains(filter) || self.files.contains(filter)
    }

    /// Runs its tests, those whose names contain the filter; whether they pass.
    fn passes(&self, filter: Option<&str>, blessing: bool) -> Result<bool, Box<dyn Error>> {
        let mut command = common::cargo();
        command.args(["test", "--quiet", "-p", self.package]).args(self.target);
        if !cfg!(debug_assertions) {
            command.arg("--release");
        }
        command
            .arg("--")
            .args(filter.or(Some(self.tests).filter(|tests| !tests.is_empty())));
        match blessing {
            true => command.env(BLESS, "1"),
            false => command.env_remove(BLESS),
        };
        Ok(command.status()?.success())
    }
}

/// What is run of the suites.
#[derive(Debug, clap::Args)]
pub(crate) struct Choice {
    /// Say which suites there are, and where their files lie
    #[arg(long)]
    list: bool,
    /// Only tests whose names have this part
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Only suites whose name or path has this part
    filter: Option<String>,
}

/// Runs what is chosen of some suites, or lists it.
pub(crate) fn run(suites: &[&'static Suite], choice: &Choice, blessing: bool) -> common::Result {
    let fits = |suite: &&&Suite| choice.filter.as_ref().is_none_or(|filter| suite.fits(filter));
    let chosen: Vec<&Suite> = suites.iter().filter(fits).copied().collect();
    if choice.list {
        for suite in chosen {
            println!("{:<14} {}", suite.name, suite.files);
        }
        return Ok(Outcome::Good);
    }
    if let (true, Some(filter)) = (chosen.is_empty(), &choice.filter) {
        let names: Vec<&str> = suites.iter().map(|suite| suite.name).collect();
        return Err(format!(
            "there is no `{filter}` in names and paths of suites: {}",
            names.join(", ")
        )
        .into());
    }
    let mut failed = Vec::new();
    for suite in chosen {
        if blessing && choice.only.is_some() && suite.blessing == Blessing::Together {
            // It would lose what those say that do not run.
            eprintln!("{}: left as it is: all its tests write one list", suite.name);
            continue;
        }
        eprintln!("{}: {}", suite.name, suite.files);
        if !suite.passes(choice.only.as_deref(), blessing)? {
            failed.push(suite.name);
        }
    }
    if !failed.is_empty() {
        eprintln!("failed: {}", failed.join(", "));
    }
    Ok(Outcome::good_if(failed.is_empty()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn suites_have_files_and_names_of_their_own() {
        let mut names = Vec::new();
        for suite in SUITES {
            // A list of what is refused is not there while nothing is.
            let place = common::root().join(suite.files);
            let is_list = suite.blessing == Blessing::Together && place.parent().is_some_and(Path::exists);
            assert!(place.exists() || is_list, "{}", suite.files);
            assert!(!names.contains(&suite.name), "{}", suite.name);
            names.push(suite.name);
        }
    }
}
