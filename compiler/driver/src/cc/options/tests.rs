//! The table of nvcc's options is the whole of them, and `docs/status/nvcc-options.md` says what comes of each.

use std::fmt::Write as _;
use std::path::Path;

use super::{OPTIONS, REFUSED};

/// The options of nvcc 13.0, by long name, in the order of its help.
const OF_NVCC: &str = include_str!("nvcc-13.0.txt");

/// What comes of an option.
fn state(long: &str) -> Option<(&'static str, &'static str)> {
    let row = OPTIONS.iter().find(|row| row.long == long)?;
    let is_refused = REFUSED.iter().any(|(short, _)| *short == row.short);
    Some(match row.help.split_once(": ") {
        Some(("No effect", reason)) => ("no effect", reason),
        Some((refused, reason)) if is_refused || refused.starts_with("Refused") => {
            assert!(refused.starts_with("Refused"), "-{}: {}", row.short, row.help);
            ("refused", reason)
        }
        _ => {
            assert!(!is_refused, "-{}: {}", row.short, row.help);
            ("done", row.help)
        }
    })
}

#[test]
fn the_page_says_what_comes_of_each_option() {
    let mut rows = String::new();
    let mut counts = [("done", 0), ("no effect", 0), ("refused", 0)];
    for long in OF_NVCC.lines() {
        let (state, what) = state(long).unwrap_or_else(|| panic!("there is no option --{long}"));
        counts
            .iter_mut()
            .filter(|(name, _)| *name == state)
            .for_each(|(_, count)| *count += 1);
        let _ = writeln!(rows, "| `--{long}` | {state} | {what} |");
    }
    let [(_, done), (_, nothing), (_, refused)] = counts;
    let page = format!(
        "# The options of nvcc\n\nWhat `warpsmith --face nvcc` makes of the {} options of nvcc 13.0: {done} are done, {nothing} are taken\n\
         and have no effect, and {refused} are refused by name. What is done of host code is done by the\nhost's compiler.\n\n\
         | made by | tools | figures taken |\n|---|---|---|\n\
         | `cargo test --release -p warpsmith-driver`, with `WARPSMITH_BLESS=1` in the environment | nvcc 13.0 | 29 November 2026 |\n\n\
         | option | state | what it does, or why not |\n|---|---|---|\n{rows}",
        OF_NVCC.lines().count()
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/status/nvcc-options.md");
    if std::env::var_os("WARPSMITH_BLESS").is_some() {
        std::fs::write(&path, &page).expect("the folder is there");
    }
    let written = std::fs::read_to_string(&path).expect("the page is there");
    assert_eq!(written, page, "WARPSMITH_BLESS writes it anew");
}
