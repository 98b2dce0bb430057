//! The documents say what is true: the commands that they show are run, and the rules that they keep are checked.
//!
//! A block fenced as `console` has lines that begin with `$ ` and are given to a shell, each followed by what it must print, on either
//! stream. A line `…` stands for any lines, `…` within a line for any text. A block fenced as `LANGUAGE file=NAME` is a file that later
//! commands of the page find. The blocks of a page run in order, in one new folder that has the samples at their places in the repository.
//!
//! Words behind `console` in the fence: `status=N` is the exit status of the block's last command; `needs=WHAT` names something outside
//! of this repository: such blocks are counted in [`OUTSIDE`], and run only where [`is_there`] finds it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use libtest_mimic::{Arguments, Failed, Trial};

/// The blocks that need what a test machine may not have: the page, what is needed, how many.
const OUTSIDE: &[(&str, &str, usize)] = &[
    ("README.md", "g++", 1),
    ("README.md", "triton", 1),
    ("docs/commands.md", "toolkit", 1),
    ("docs/commands.md", "gpu", 1),
    ("docs/tutorials/builds.md", "cmake", 1),
    ("docs/tutorials/builds.md", "toolkit", 1),
    ("docs/tutorials/c-libraries.md", "cc", 2),
    ("docs/tutorials/no-gpu.md", "nvcc", 1),
    ("docs/tutorials/python.md", "install", 1),
    ("docs/tutorials/python.md", "python", 5),
    ("docs/tutorials/triton.md", "triton", 1),
];

/// What pages find in their folder, at the same place as in the repository.
const SAMPLES: &[&str] = &["tests/kernels/reduce_sum", "tests/kernels/wgmma_f16", "tests/cubins"];

/// The commands that build: the program that they end with is run in their place, or, where there is none, nothing is.
const BUILDS: &[(&str, Option<&str>)] = &[
    ("cargo run --release -- ", Some("warpsmith ")),
    ("cargo test ", None),
    ("cargo nextest ", None),
    ("cargo install ", None),
    ("cargo build ", None),
];

/// The pages that are not in `docs`.
const BESIDE_DOCS: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "python/README.md",
    "tests/cubins/README.md",
    "tests/found/README.md",
    "tests/golden/README.md",
    "tests/kernels/README.md",
];

/// The most bytes of a page.
const MOST_BYTES: &[(&str, usize)] = &[("README.md", 6_000), ("ARCHITECTURE.md", 12_000)];

/// The most columns of a line of prose, and the most words of a paragraph.
const MOST_COLUMNS: usize = 100;
const MOST_WORDS: usize = 90;

/// What a page of figures has at its head: the command that makes it, tool versions, the date.
const HEAD_OF_FIGURES: &str = "| made by | tools | figures taken |";

/// The pages that explain a part of the compiler, each with an example.
const EXPLAIN: &[&str] = &[
    "docs/allocation.md",
    "docs/back-end.md",
    "docs/cuda-front-end.md",
    "docs/emulator.md",
    "docs/files.md",
    "docs/optimiser.md",
    "docs/scheduling.md",
    "docs/tables.md",
    "docs/uniformity.md",
    "docs/values.md",
    "docs/warpgroup-and-tensor-memory.md",
];

/// The fewest terms of the glossary.
const FEWEST_TERMS: usize = 60;

fn main() {
    let pages = pages();
    let mut trials = Vec::new();
    for page in &pages {
        let own = page.clone();
        trials.push(Trial::test(format!("{}::rules", page.name), move || rules(&own)));
        if page.blocks().iter().any(|block| block.language == "console") {
            let own = page.clone();
            trials.push(Trial::test(format!("{}::commands", page.name), move || commands(&own)));
        }
    }
    trials.push(Trial::test("blocks that need something are listed", move || {
        blocks_of_others(&pages)
    }));
    trials.push(Trial::test("what is shown is compared", what_is_shown_is_compared));
    trials.push(Trial::test(
        "docs/status/instruction-set.md is of today",
        instruction_set,
    ));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// A page of the repository.
#[derive(Clone, Debug)]
struct Page {
    /// Its path from the repository's root.
    name: String,
    text: String,
}

/// A fenced block.
#[derive(Clone, Debug)]
struct Block {
    /// The line of the page on which it starts.
    line: usize,
    language: String,
    /// The other words of the fence.
    words: Vec<String>,
    lines: Vec<String>,
}

impl Block {
    /// What a word `KEY=…` of the fence says.
    fn word(&self, key: &str) -> Option<&str> {
        let values = self.words.iter().filter_map(|word| word.split_once('='));
        values.filter(|(own, _)| *own == key).map(|(_, value)| value).next()
    }
}

impl Page {
    fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut open: Option<Block> = None;
        for (line, text) in (1..).zip(self.text.lines()) {
            match (&mut open, text.trim_start().strip_prefix("```")) {
                (None, Some(fence)) => {
                    let mut words = fence.split_whitespace().map(str::to_owned);
                    open = Some(Block {
                        line,
                        language: words.next().unwrap_or_default(),
                        words: words.collect(),
                        lines: Vec::new(),
                    });
                }
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (Some(block), None) => block.lines.push(text.to_owned()),
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a fence is not closed", self.name);
        blocks
    }

    /// The lines outside of fenced blocks, with their numbers.
    fn prose(&self) -> Vec<(usize, &str)> {
        let mut fenced = false;
        let mut prose = Vec::new();
        for (line, text) in (1..).zip(self.text.lines()) {
            let fence = text.trim_start().starts_with("```");
            fenced ^= fence;
            // A block ends the paragraph before it.
            prose.push((line, if fence || fenced { "" } else { text }));
        }
        prose
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All pages for people: those of [`BESIDE_DOCS`] and of `docs`.
fn pages() -> Vec<Page> {
    let mut names: Vec<String> = BESIDE_DOCS.iter().map(|&name| name.to_owned()).collect();
    let mut folders = vec!["docs".to_owned()];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = fs::read_dir(root().join(&folder))
            .expect("the folder is readable")
            .map(|entry| entry.expect("the folder is readable"))
            .collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                folders.push(name);
            } else if name.ends_with(".md") {
                names.push(name);
            }
        }
    }
    let read = |name: String| Page {
        text: fs::read_to_string(root().join(&name)).unwrap_or_else(|error| panic!("{name}: {error}")),
        name,
    };
    names.into_iter().map(read).collect()
}

/// The blocks that need something are those of the list.
fn blocks_of_others(pages: &[Page]) -> Result<(), Failed> {
    let mut found: Vec<(&str, String, usize)> = Vec::new();
    let blocks: Vec<(&str, Block)> = pages
        .iter()
        .flat_map(|page| page.blocks().into_iter().map(|block| (page.name.as_str(), block)))
        .collect();
    for (name, block) in &blocks {
        let Some(need) = block.word("needs") else { continue };
        if !is_there(need) {
            println!("{name}:{}: not run, it needs {need}", block.line);
        }
        match found.iter_mut().find(|(page, own, _)| page == name && own == need) {
            Some((_, _, count)) => *count += 1,
            None => found.push((name, need.to_owned(), 1)),
        }
    }
    let wanted: Vec<(&str, String, usize)> = OUTSIDE
        .iter()
        .map(|&(page, need, count)| (page, need.to_owned(), count))
        .collect();
    if found == wanted {
        Ok(())
    } else {
        Err(format!("these blocks need something: {found:?}, but the list has {wanted:?}").into())
    }
}

/// Whether what blocks need is on this machine, so that they are run. The package that Python finds must be built from this tree: `pip install ./python`.
fn is_there(need: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = match need {
        "cmake" => ("cmake", &["--version"]),
        "g++" => ("g++", &["--version"]),
        "python" => ("python", &["-c", "import numpy, warpsmith"]),
        _ => return false,
    };
    let output = Command::new(program).args(arguments).output();
    output.is_ok_and(|output| output.status.success())
}

/// Runs the blocks of a page, in order.
fn commands(page: &Page) -> Result<(), Failed> {
    let name = page.name.replace(['/', '.'], "-");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("documents-{name}"));
    let _ = fs::remove_dir_all(&folder);
    provide_program(&folder.join("bin"))?;
    for sample in SAMPLES {
        copy(&root().join(sample), &folder.join(sample))?;
    }
    for block in page.blocks() {
        if let Some(name) = block.word("file") {
            fs::write(folder.join(name), block.lines.join("\n") + "\n")?;
        }
        if block.language == "console" && block.word("needs").is_none_or(is_there) {
            session(&block, &folder).map_err(|reason| format!("{}:{}: {reason}", page.name, block.line))?;
        }
    }
    fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Puts the program into a folder under its own name: as a link, since a copy cannot be run while another thread, which is about to run
/// a command, still has it open for writing.
fn provide_program(folder: &Path) -> std::io::Result<()> {
    let binary = Path::new(env!("CARGO_BIN_EXE_warpsmith-under-test"));
    fs::create_dir_all(folder)?;
    let program = folder.join(format!("warpsmith{}", std::env::consts::EXE_SUFFIX));
    fs::hard_link(binary, &program).or_else(|_| fs::copy(binary, &program).map(|_| ()))
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Runs the commands of a block and compares what they print.
fn session(block: &Block, folder: &Path) -> Result<(), String> {
    let mut steps: Vec<(String, Vec<&str>)> = Vec::new();
    for line in &block.lines {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push((command.to_owned(), Vec::new())),
            // A command that ends with a backslash goes on.
            (None, Some((command, shown))) if shown.is_empty() && command.ends_with('\\') => {
                command.truncate(command.len() - 1);
                command.push_str(line.trim_start());
            }
            (None, Some((_, shown))) => shown.push(line),
            (None, None) => return Err(format!("`{line}` stands before the first command")),
        }
    }
    let status = match block.word("status") {
        Some(number) => number.parse().map_err(|_| format!("`{number}` is no exit status"))?,
        None => 0,
    };
    let last = steps.len().checked_sub(1).ok_or("there is no command")?;
    for (index, (command, shown)) in steps.iter().enumerate() {
        let Some(command) = without_building(command) else {
            continue;
        };
        let (ended, said) = shell(&command, folder)?;
        let said: Vec<&str> = said.lines().map(str::trim_end).collect();
        let wanted = if index == last { status } else { 0 };
        if ended != Some(wanted) || !matches_lines(shown, &said) {
            let (shown, said) = (shown.join("\n"), said.join("\n"));
            return Err(format!(
                "$ {command}\nexpected (status {wanted}):\n{shown}\ngot (status {ended:?}):\n{said}"
            ));
        }
    }
    Ok(())
}

/// The command with the program in place of what builds it; none if it only builds.
fn without_building(command: &str) -> Option<String> {
    match BUILDS.iter().find(|(start, _)| command.starts_with(start)) {
        Some((start, program)) => program.map(|program| format!("{program}{}", &command[start.len()..])),
        None => Some(command.to_owned()),
    }
}

/// The exit status of a command line, and what it said on both streams.
fn shell(command: &str, folder: &Path) -> Result<(Option<i32>, String), String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", folder.join("bin").display()))
        .output()
        .map_err(|error| format!("sh: {error}"))?;
    Ok((
        output.status.code(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    ))
}

/// Whether lines are those that are shown, in which `…` is a gap.
fn matches_lines(shown: &[&str], said: &[&str]) -> bool {
    match (shown.split_first(), said.split_first()) {
        (None, said) => said.is_none(),
        (Some((&"…", rest)), _) => (0..=said.len()).any(|skipped| matches_lines(rest, &said[skipped..])),
        (Some(_), None) => false,
        (Some((shown, more_shown)), Some((said, more_said))) => {
            matches_text(shown.trim_end(), said) && matches_lines(more_shown, more_said)
        }
    }
}

/// Whether a text is the one that is shown, in which `…` is any text.
fn matches_text(shown: &str, said: &str) -> bool {
    match shown.split_once('…') {
        None => shown == said,
        Some((start, rest)) => said.strip_prefix(start).is_some_and(|said| {
            let ends = said.char_indices().map(|(at, _)| at).chain([said.len()]);
            ends.into_iter().any(|at| matches_text(rest, &said[at..]))
        }),
    }
}

/// The page of the instruction set has what `coverage` prints; `status` writes it anew. (The page of PTX is compared by the tests of `warpsmith ptx`.)
fn instruction_set() -> Result<(), Failed> {
    let printed = Command::new(env!("CARGO_BIN_EXE_xtask")).arg("coverage").output()?;
    let page = fs::read_to_string(root().join("docs/status/instruction-set.md"))?;
    if page.contains(std::str::from_utf8(&printed.stdout)?.trim_end()) {
        Ok(())
    } else {
        Err("`cargo xtask status instruction-set` writes it anew".into())
    }
}

/// Gaps match, and everything else must be there.
fn what_is_shown_is_compared() -> Result<(), Failed> {
    let said = ["one 1", "two 2", "three 3"];
    for (shown, wanted) in [
        (vec!["one 1", "two 2", "three 3"], true),
        (vec!["one 1", "…", "three 3"], true),
        (vec!["…", "two …", "…"], true),
        (vec!["…"], true),
        (vec!["one …", "two 2", "three 3", "…"], true),
        (vec![], false),
        (vec!["one 1", "two 2"], false),
        (vec!["one 1", "two 3", "three 3"], false),
        (vec!["one …2", "two 2", "three 3"], false),
        (vec!["…", "four 4"], false),
        (vec!["…", "one 1"], false),
    ] {
        if matches_lines(&shown, &said) != wanted {
            return Err(format!("{shown:?} and {said:?}").into());
        }
    }
    Ok(())
}

/// The rules of all pages.
fn rules(page: &Page) -> Result<(), Failed> {
    let mut problems = Vec::new();
    for &(name, most) in MOST_BYTES {
        if page.name == name && page.text.len() >= most {
            problems.push(format!("{} bytes, where less than {most} are wanted", page.text.len()));
        }
    }
    problems.extend(long_lines(page));
    problems.extend(long_paragraphs(page));
    problems.extend(dead_links(page));
    problems.extend(lost_paths(page));
    problems.extend(lost_targets(page));
    problems.extend(lost_commands(page));
    if !page.name.starts_with("docs/status/") && page.name != "CHANGELOG.md" {
        problems.extend(counts(page));
    }
    let is_figures = page.name.starts_with("docs/status/") && page.name != "docs/status/README.md";
    if is_figures && !page.text.lines().any(|line| line == HEAD_OF_FIGURES) {
        problems.push("it does not say which command made it, with what, and when".to_owned());
    }
    if EXPLAIN.contains(&page.name.as_str()) && !page.text.lines().any(|line| line == "## An example") {
        problems.push("there is no example".to_owned());
    }
    if page.name == "docs/glossary.md" {
        let terms = page.text.lines().filter(|line| line.starts_with("| **")).count();
        if terms < FEWEST_TERMS {
            problems.push(format!("{terms} terms, where {FEWEST_TERMS} are wanted"));
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(format!("{}:\n{}", page.name, problems.join("\n")).into())
    }
}

/// Lines of prose that are too long; tables, indented code and lines that are one link may be.
fn long_lines(page: &Page) -> Vec<String> {
    let long = page.prose().into_iter().filter(|(_, text)| {
        let free = text.starts_with('|')
            || text.starts_with("    ")
            || (text.trim_start().starts_with('[') && text.trim_end().ends_with(')'));
        !free && text.chars().count() > MOST_COLUMNS
    });
    long.map(|(line, _)| format!("line {line} has more than {MOST_COLUMNS} columns"))
        .collect()
}

/// Paragraphs and items of lists that have too many words.
fn long_paragraphs(page: &Page) -> Vec<String> {
    let mut long = Vec::new();
    let (mut start, mut words) = (0, 0);
    for (line, text) in page.prose().into_iter().chain([(0, "")]) {
        let text = text.trim_start();
        let item = text.starts_with("* ")
            || text.starts_with("- ")
            || text
                .split_once(". ")
                .is_some_and(|(number, _)| number.parse::<u32>().is_ok());
        let ends = text.is_empty() || text.starts_with(['|', '#', '>']) || item;
        if ends {
            if words > MOST_WORDS {
                long.push(format!(
                    "the paragraph at line {start} has {words} words, more than {MOST_WORDS}"
                ));
            }
            (start, words) = (line, 0);
        }
        if !text.starts_with(['|', '#']) {
            if words == 0 {
                start = line;
            }
            words += text.split_whitespace().count();
        }
    }
    long
}

/// Links to files that are not there, or to headings that a page has not.
fn dead_links(page: &Page) -> Vec<String> {
    let folder = root().join(&page.name);
    let folder = folder.parent().expect("a page is in a folder");
    let mut dead = Vec::new();
    for (line, text) in page.prose() {
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        for (target, _) in targets {
            if target.contains("://") {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = match path {
                "" => root().join(&page.name),
                path => folder.join(path),
            };
            let there = match anchor {
                "" => file.exists(),
                anchor => fs::read_to_string(&file).is_ok_and(|text| has_heading(&text, anchor)),
            };
            if !there {
                dead.push(format!("line {line}: the link to {target} leads nowhere"));
            }
        }
    }
    dead
}

/// Whether a page has the heading of an anchor.
fn has_heading(text: &str, anchor: &str) -> bool {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let mut anchors = headings.map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.collect::<String>().replace(' ', "-")
    });
    anchors.any(|own| own == anchor)
}

/// Paths in backticks, from the repository's root, that are not there.
fn lost_paths(page: &Page) -> Vec<String> {
    const ROOMS: &[&str] = &[
        "compiler/",
        "tests/",
        "ir-defs/",
        "isa-tables/",
        "codegen-gen/",
        "benches/",
        "docs/",
    ];
    let mut lost = Vec::new();
    for (line, text) in page.prose() {
        for quoted in text.split('`').skip(1).step_by(2) {
            let plain = !quoted.contains(['*', ' ', '{', '…', '<'])
                && !quoted
                    .chars()
                    .any(|c| c.is_ascii_uppercase() && !quoted.ends_with(".md"));
            if plain && ROOMS.iter().any(|room| quoted.starts_with(room)) && !root().join(quoted).exists() {
                lost.push(format!("line {line}: there is no {quoted}"));
            }
        }
    }
    lost
}

/// Packages, programs, tests and examples that cargo is told of and that are not there.
fn lost_targets(page: &Page) -> Vec<String> {
    let mut lost = Vec::new();
    for (line, text) in (1..).zip(page.text.lines()) {
        let words: Vec<&str> = text.split([' ', '`', ';', ',']).collect();
        for pair in words.windows(2) {
            let name = pair[1].trim_matches(|c: char| !c.is_alphanumeric());
            let places = match pair[0] {
                "-p" if name.starts_with("warpsmith") => package_places(name),
                "--bin" => vec![
                    format!("tests/src/bin/{name}.rs"),
                    format!("tests/src/bin/{name}/main.rs"),
                ],
                "--test" => rooms()
                    .flat_map(|room| {
                        [
                            format!("{room}/tests/{name}.rs"),
                            format!("{room}/tests/{name}/main.rs"),
                        ]
                    })
                    .collect(),
                "--example" => rooms()
                    .flat_map(|room| {
                        [
                            format!("{room}/examples/{name}.rs"),
                            format!("{room}/examples/{name}/main.rs"),
                        ]
                    })
                    .collect(),
                _ => continue,
            };
            if !places.iter().any(|place| root().join(place).exists()) {
                lost.push(format!("line {line}: there is no {name} for `{}`", pair[0]));
            }
        }
    }
    lost
}

/// The commands of `cargo xtask` that a page names and that there are not. Words count up to the first that stands for something.
fn lost_commands(page: &Page) -> Vec<String> {
    let mut lost = Vec::new();
    let text = page.text.replace('\n', " ");
    for named in text.split("cargo xtask ").skip(1) {
        let is_plain = |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase());
        let whole = named.split(['`', '#']).next().unwrap_or_default();
        let mut words: Vec<&str> = whole.split_whitespace().take_while(is_plain).take(3).collect();
        if words.is_empty() {
            continue;
        }
        words.push("--help");
        let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(&words).output();
        if !output.is_ok_and(|output| output.status.success()) {
            lost.push(format!(
                "there is no `cargo xtask {}`",
                words[..words.len() - 1].join(" ")
            ));
        }
    }
    lost
}

/// Where the manifest of a package is.
fn package_places(package: &str) -> Vec<String> {
    let room = package.strip_prefix("warpsmith-").unwrap_or(package);
    vec![format!("compiler/{room}/Cargo.toml"), format!("{room}/Cargo.toml")]
}

/// The folders of all packages.
fn rooms() -> impl Iterator<Item = String> {
    let entries = fs::read_dir(root().join("compiler")).expect("the folder is readable");
    let names = entries.map(|entry| entry.expect("the folder is readable").file_name());
    let compiler = names.map(|name| format!("compiler/{}", name.to_string_lossy()));
    compiler.chain(["tests", "benches", "codegen-gen"].map(str::to_owned))
}

/// Counts of what grows, which belong into `docs/status`: a number of three digits or more before such a word.
fn counts(page: &Page) -> Vec<String> {
    const GROWING: &[&str] = &[
        "tests",
        "kernels",
        "files",
        "forms",
        "programs",
        "functions",
        "modules",
        "listings",
        "commits",
        "crates",
        "lines",
        "rows",
        "diagnostics",
        "rules",
    ];
    let mut found = Vec::new();
    for (line, text) in page.prose() {
        let words: Vec<&str> = text
            .split(|c: char| c.is_whitespace() || c == '(' || c == ')')
            .collect();
        for pair in words.windows(2) {
            let digits = pair[0].replace(',', "");
            let counted = digits.len() > 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
            if counted && GROWING.contains(&pair[1].trim_end_matches(['.', ',', ';', ':'])) {
                found.push(format!(
                    "line {line}: `{} {}` belongs into docs/status",
                    pair[0], pair[1]
                ));
            }
        }
    }
    found
}
