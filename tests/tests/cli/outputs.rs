//! Output files as the tools write them: what a face is told to write to, it writes to, and what it may not write it leaves.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::process::Command;

use crate::support::{Folder, binary};

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write(
        "k.ptx",
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n",
    );
    folder.run("--face ptxas -arch=sm_90 k.ptx -o good").success();
    folder
}

/// Runs a line of the shell in the folder, `P` being the assembler; gives the exit status and what it complains.
fn shell(folder: &Folder, line: &str) -> (i32, String) {
    let script = format!("P() {{ \"$0\" --face ptxas -arch=sm_90 \"$@\"; }}; {line}");
    let run = Command::new("sh")
        .args(["-c", &script])
        .arg(binary())
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    (run.status.code().unwrap(), String::from_utf8(run.stderr).unwrap())
}

#[test]
fn outputs_of_every_kind() {
    let folder = folder("outputs-kinds");
    let good = folder.read("good");
    let long = "a".repeat(250);
    for (line, name) in [
        (format!("P k.ptx -o {long}"), long.as_str()),
        ("P k.ptx -o /dev/stdout >redirected".to_owned(), "redirected"),
        ("P k.ptx -o /proc/self/fd/3 3>third".to_owned(), "third"),
        ("P k.ptx -o /dev/fd/3 3<>fourth".to_owned(), "fourth"),
        ("ln -s made link && P k.ptx -o link".to_owned(), "made"),
        (
            "mkfifo pipe && (cat pipe >through & P k.ptx -o pipe; wait)".to_owned(),
            "through",
        ),
        ("P k.ptx -o /dev/stdout | cat >piped".to_owned(), "piped"),
        ("cp k.ptx both && P both -o both".to_owned(), "both"),
    ] {
        assert_eq!(shell(&folder, &line), (0, String::new()), "{line}");
        assert_eq!(folder.read(name).len(), good.len(), "{line}");
        assert!(folder.read(name).starts_with(b"\x7fELF"), "{line}");
    }
    assert_eq!(shell(&folder, "P k.ptx -o /dev/null"), (0, String::new()));
    assert!(
        !folder.names().iter().any(|name| name.starts_with('.')),
        "{:?}",
        folder.names()
    );
}

#[test]
fn rights_and_names_stay() {
    let folder = folder("outputs-rights");
    folder.write("out", "old");
    fs::set_permissions(folder.path("out"), Permissions::from_mode(0o640)).unwrap();
    fs::hard_link(folder.path("out"), folder.path("other")).unwrap();
    assert_eq!(shell(&folder, "P k.ptx -o out"), (0, String::new()));
    assert_eq!(folder.read("other"), folder.read("out"), "both names are of one file");
    fs::remove_file(folder.path("other")).unwrap();
    assert_eq!(shell(&folder, "P k.ptx -o out"), (0, String::new()));
    assert_eq!(fs::metadata(folder.path("out")).unwrap().mode() & 0o777, 0o640);
    assert_eq!(folder.names(), ["good", "k.ptx", "out"]);
}

#[test]
fn what_may_not_be_written_stays_as_it_is() {
    let folder = folder("outputs-refused");
    fs::create_dir(folder.path("closed")).unwrap();
    folder.write("closed/open", "old");
    fs::set_permissions(folder.path("closed/open"), Permissions::from_mode(0o666)).unwrap();
    folder.write("locked", "old");
    fs::set_permissions(folder.path("locked"), Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(folder.path("closed"), Permissions::from_mode(0o555)).unwrap();
    let (status, errors) = shell(&folder, "P k.ptx -o closed");
    assert_eq!(
        (status, errors.as_str()),
        (
            255,
            "ptxas fatal   : Output file 'closed' could not be written: Is a directory (os error 21)\n"
        )
    );
    let (status, _) = shell(&folder, "P k.ptx -o absent/out");
    assert_eq!(status, 255);
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    // The superuser may write everything.
    if is_root {
        eprintln!("skipped: the superuser is refused nothing");
    } else {
        assert_eq!(shell(&folder, "P k.ptx -o locked").0, 255);
        assert_eq!(folder.read("locked"), b"old");
        assert_eq!(shell(&folder, "P k.ptx -o closed/new").0, 255);
        assert_eq!(shell(&folder, "P k.ptx -o closed/open"), (0, String::new()));
        assert!(folder.read("closed/open").starts_with(b"\x7fELF"));
    }
    fs::set_permissions(folder.path("closed"), Permissions::from_mode(0o755)).unwrap();
    assert!(
        !folder.names().iter().any(|name| name.starts_with('.')),
        "{:?}",
        folder.names()
    );
}

#[test]
fn a_disk_that_is_full_leaves_nothing() {
    let folder = folder("outputs-full");
    let (status, errors) = shell(&folder, "P k.ptx -o /dev/full");
    assert_eq!(
        (status, errors.as_str()),
        (
            255,
            "ptxas fatal   : Output file '/dev/full' could not be written: No space left on device (os error 28)\n"
        )
    );
    // A file may not grow past 512 bytes.
    let (status, _) = shell(&folder, "trap '' XFSZ; ulimit -f 1; P k.ptx -o out");
    assert_eq!(status, 255);
    assert_eq!(folder.names(), ["good", "k.ptx"]);
}
