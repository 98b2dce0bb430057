//! `warpsmith targets`.

use crate::support::{Folder, assert_lines};

#[test]
fn one_line_for_each_target() {
    let table = Folder::new("targets-table").run("targets").success();
    let names: Vec<_> = table.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(
        names.join(" "),
        "target sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103 sm_103a sm_103f \
         sm_110 sm_110a sm_110f sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f"
    );
}

#[test]
fn one_target_in_any_spelling() {
    let folder = Folder::new("targets-one");
    let text = folder.run("targets sm_90a").success();
    assert_lines(&text, &["sm_90a: Hopper: H100, H200"]);
    for spelling in ["SM90a", "90a", "compute_90a"] {
        assert_eq!(folder.run(&format!("targets {spelling}")).success(), text);
    }
}

#[test]
fn unknown_targets_are_refused() {
    let folder = Folder::new("targets-unknown");
    assert_eq!(
        folder.run("targets sm_91").refusal(),
        "error: unknown target 'sm_91'; did you mean sm_90?\n"
    );
    assert_eq!(
        folder.run("targets sm_52").refusal(),
        "error: unknown target 'sm_52'; targets are sm_75 to sm_121f\n"
    );
}

#[test]
fn what_a_version_of_ptx_brought() {
    let folder = Folder::new("targets-ptx");
    let one = folder.run("targets --ptx 9.1").success();
    assert!(
        one.starts_with("PTX 9.1\n  instruction  multimem.cp.async.bulk{.weak}"),
        "{one}"
    );
    assert!(one.contains("\n  instruction  ld.volatile{.ss}"), "{one}");
    assert!(one.contains(" with .ss = .local\n"), "{one}");
    let all = folder.run("targets --ptx").success();
    assert!(all.contains(&one), "{all}");
    assert!(
        all.contains("\nPTX 9.4\n  target       sm_107, sm_107f, sm_107a\n"),
        "{all}"
    );
    assert_eq!(
        folder.run("targets --ptx 9.9").refusal(),
        "error: there is no version 9.9 of PTX\n"
    );
}
