//! What every command takes anywhere on its line: forms of messages, colours, files of words.

use serde_json::Value;

use crate::support::Folder;

const WRONG: &str =
    ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {\n  .reg .b32 r;\n  add.u31 r, r, 1;\n}\n";

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn messages_as_json() {
    let folder = Folder::new("global-json");
    folder.write("k.ptx", WRONG);
    folder.write("k.cu", "__global__ void k() { int unused; }\n");
    let said = lines(&folder.run("--message-format json ptx check k.ptx").refusal());
    assert_eq!(said[0]["severity"], "error");
    assert_eq!(said[0]["message"], "`add`: there is no modifier `.u31`");
    assert_eq!((&said[0]["line"], &said[0]["column"]), (&6.into(), &3.into()));
    assert_eq!(said[1]["message"], "refused");
    // The tools that file names and --face stand for, too.
    let run = folder.run("k.cu -ptx -o out.ptx --message-format=json");
    assert_eq!(run.status, 0);
    assert_eq!(lines(&run.errors)[0]["code"], "177");
    let run = folder.run("--face ptxas -arch=sm_90 k.ptx -o k.cubin --message-format=json");
    let said = lines(&run.errors);
    assert_eq!((&said[0]["file"], &said[0]["line"]), (&"k.ptx".into(), &6.into()));
    assert_eq!(said[0]["message"], "Unknown modifier '.u31'");
    // What is no diagnostic is a text.
    let run = folder.run("k.cu -cubin -v --message-format=json");
    let said = lines(&run.errors);
    assert_eq!(said[1]["kind"], "text");
    // A link has the tool's options alone.
    let run = folder.run_with(
        &[("WARPSMITH_MESSAGE_FORMAT", "json")],
        "--face ptxas -arch=sm_90 k.ptx -o k.cubin",
    );
    assert_eq!(lines(&run.errors)[0]["line"], 6);
}

#[test]
fn messages_as_sarif() {
    let folder = Folder::new("global-sarif");
    folder.write("k.cu", "__global__ void k() { int unused; }\n");
    // Two targets are compiled side by side; the document is one.
    let run = folder.run("k.cu -ptx -arch=sm_80,sm_90 --message-format=sarif");
    assert_eq!(run.status, 0);
    let document: Value = serde_json::from_str(&run.errors).unwrap();
    let results = document["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0]["ruleId"], "177");
    let location = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "k.cu");
    assert_eq!(
        location["region"],
        serde_json::json!({ "startLine": 1, "startColumn": 27 })
    );
}

#[test]
fn colours_are_for_terminals() {
    let folder = Folder::new("global-colours");
    let plain = "error: nosuch.ptx: cannot read: No such file or directory (os error 2)\n";
    assert_eq!(folder.run("compile nosuch.ptx").refusal(), plain);
    let painted = "\u{1b}[1;31merror\u{1b}[0m\u{1b}[1m: nosuch.ptx: cannot read: No such file or directory (os error 2)\u{1b}[0m\n";
    assert_eq!(folder.run("compile nosuch.ptx --color=always").refusal(), painted);
    assert_eq!(folder.run("compile nosuch.ptx --color auto").refusal(), plain);
}

#[test]
fn words_of_a_file() {
    let folder = Folder::new("global-words");
    folder.write("k.cu", "__global__ void k() {}\n");
    folder.write("options", "-arch=sm_90 @more\n");
    folder.write("more", "-ptx -o \"a b.ptx\"");
    folder.write("self", "@self");
    assert_eq!(folder.run("k.cu @options").success(), "");
    assert_eq!(folder.names(), ["a b.ptx", "k.cu", "more", "options", "self"]);
    for (line, message) in [
        (
            "compile @nosuch",
            "error: @nosuch: cannot read: No such file or directory (os error 2)\n",
        ),
        (
            "compile @self",
            "error: @self: files of words name each other more than 15 deep\n",
        ),
    ] {
        let run = folder.run(line);
        assert_eq!((run.status, run.errors.as_str()), (2, message));
    }
}

#[test]
fn near_options_and_values() {
    let folder = Folder::new("global-near");
    let run = folder.run("--face ptxas --verbos k.ptx");
    assert_eq!(
        (run.status, run.errors.as_str()),
        (
            255,
            "ptxas fatal   : Unknown option '-verbos'\nptxas info    : a near option is '--verbose'\n"
        )
    );
    let run = folder.run("--face nvdisasm -b SM91 k.cubin");
    assert_eq!(
        (run.status, run.errors.as_str()),
        (
            1,
            "nvdisasm fatal   : Value 'SM91' is not defined for option 'binary'\nnvdisasm info    : a near value is 'SM90'\n"
        )
    );
    let run = folder.run("--face nvcc -ptxx k.cu");
    assert_eq!(
        (run.status, run.errors.as_str()),
        (1, "error: Unknown option 'ptxx'\n  note: a near option is '--ptx'\n")
    );
}
