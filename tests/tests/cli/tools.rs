//! What makes links, completions and manual pages; versions.

use crate::support::Folder;

#[test]
#[cfg(unix)]
fn links_are_faces() {
    let folder = Folder::new("tools-links");
    folder.write(
        "k.ptx",
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n",
    );
    let made = folder.run("install-links bin").success();
    assert_eq!(made.lines().count(), 5);
    assert_eq!(made, folder.run("install-links bin").success());
    let run = folder.run_program(&folder.path("bin/ptxas"), "-arch=sm_90 k.ptx -o k.cubin");
    assert_eq!(run.success(), "");
    // What somebody else put there stays.
    std::fs::remove_file(folder.path("bin/ptxas")).unwrap();
    folder.write("bin/ptxas", "mine");
    assert_eq!(
        folder.run("install-links bin").refusal(),
        "error: bin/ptxas: there is something of this name already\n  note: --force replaces it\n"
    );
    assert_eq!(folder.read("bin/ptxas"), b"mine");
    assert_eq!(folder.run("install-links bin --force --tool ptxas").status, 0);
    assert_ne!(folder.read("bin/ptxas"), b"mine");
    assert_eq!(
        folder.run("install-links bin --tool ptxass").refusal(),
        "error: Warpsmith does not stand for 'ptxass'; it does for cuobjdump, fatbinary, nvcc, nvdisasm, ptxas\n  \
         note: a near name is 'ptxas'\n"
    );
}

#[test]
fn completions_and_manual_pages_name_all_commands() {
    let folder = Folder::new("tools-shell");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let text = folder.run(&format!("completions {shell}")).success();
        assert!(
            text.contains("install-links") && text.contains("maximum-registers"),
            "{shell}"
        );
    }
    let page = folder.run("man").success();
    assert!(
        page.contains(".TH warpsmith 1") && page.contains("warpsmith\\-install\\-links(1)"),
        "{page}"
    );
    assert!(folder.run("man run").success().contains("\\-\\-grid"));
    assert_eq!(
        folder.run("man rum").refusal(),
        "error: there is no command `rum`\n  note: a near name is `run`\n"
    );
}

#[test]
fn the_version_says_what_it_stands_for() {
    let folder = Folder::new("tools-version");
    let text = folder.run("--version").success();
    assert!(
        text.starts_with(concat!("warpsmith ", env!("CARGO_PKG_VERSION"))),
        "{text}"
    );
    for line in ["  nvcc       13.0.88", "  ptxas      13.0.88", "PTX ISA 1.0 to 9.5"] {
        assert!(text.lines().any(|found| found == line), "{text}");
    }
    let short = folder.run("-V").success();
    assert_eq!(text.lines().next(), short.lines().next());
    assert_eq!(short.lines().count(), 1);
}
