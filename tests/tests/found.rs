//! Programs that once were compiled to wrong code, each for every target that it fits and at every level: `tests/found/*.ptx`. A line
//! `// options: registers=16` has options as `cargo xtask random ptx` takes them.

use std::{fs, path::Path};

use warpsmith_target::Sm;
use warpsmith_tests::differential::{Judged, Maker, Place, Program, Settings, Verdict, campaign::TARGETS};

#[test]
fn programs_that_found_mistakes_are_compiled_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("found");
    let entries = fs::read_dir(&folder).expect("the folder exists");
    let paths = entries.map(|entry| entry.expect("the folder is readable").path());
    let mut paths: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .collect();
    paths.sort();
    let mut wrong = Vec::new();
    for path in &paths {
        let text = fs::read_to_string(path).expect("the file is readable");
        let options = text
            .lines()
            .find_map(|line| line.strip_prefix("// options: "))
            .unwrap_or_default();
        let program = Program::read(&text).unwrap_or_else(|message| panic!("{}: {message}", path.display()));
        let judged = Judged::new(program).unwrap_or_else(|message| panic!("{}: {message}", path.display()));
        let own: Sm = judged.module.target.to_string().parse().expect("a target");
        let targets = TARGETS.iter().map(|name| name.parse::<Sm>().expect("a target"));
        for sm in targets.filter(|sm| sm.accepts_ptx_target(own)) {
            for level in 0..4 {
                let mut settings = Settings::of(sm);
                settings.options.level = level;
                assert!(options.split_whitespace().all(|word| settings.take(word)), "{options}");
                let verdict = judged.check(&Maker::Ours, &settings, Place::Emulator);
                if verdict != Verdict::Equal {
                    wrong.push(format!("{} {sm} -O{level}: {verdict}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
