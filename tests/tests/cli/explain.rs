//! `warpsmith explain`, and that what its table says is so: each example gives the diagnostic that it stands for.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::support::Folder;

const TABLE: &str = "ir-defs/explanations.toml";

/// A row: its code, and its example with the options that run it, where it is a fault of a run.
struct Row {
    code: String,
    example: Option<String>,
    run: Option<String>,
}

fn rows() -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(TABLE);
    let text = std::fs::read_to_string(path).unwrap();
    let table = DeTable::parse(&text).unwrap();
    let rows = table.get_ref()["kind"].get_ref().as_array().unwrap().clone();
    let rows = rows.iter().map(|row| match row.get_ref() {
        DeValue::Table(row) => row.clone(),
        other => panic!("{other:?}"),
    });
    rows.map(|row| {
        let text = |key: &str| Some(row.get(key)?.get_ref().as_str()?.to_owned());
        Row {
            code: text("code").unwrap(),
            example: text("example"),
            run: text("run"),
        }
    })
    .collect()
}

#[test]
fn each_warning_and_each_fault_is_explained() {
    let codes: Vec<String> = rows().into_iter().map(|row| row.code).collect();
    let folder = Folder::new("explain-all");
    for code in &codes {
        let page = folder.run(&format!("explain {code}")).success();
        assert!(page.starts_with(&format!("{code}: ")), "{page}");
    }
    for warning in warpsmith::Warning::ALL {
        assert!(codes.contains(&warning.number().to_string()), "{warning:?}");
    }
    for kind in warpsmith_emu::FaultKind::ALL {
        assert!(codes.iter().any(|code| code == kind.name()), "{kind:?}");
    }
    assert_eq!(
        codes.len(),
        warpsmith::Warning::ALL.len() + warpsmith_emu::FaultKind::ALL.len()
    );
}

#[test]
fn examples_show_what_they_explain() {
    let folder = Folder::new("explain-examples");
    for Row { code, example, run } in rows() {
        let Some(example) = example else { continue };
        folder.write("example.cu", example);
        let line = match run {
            Some(options) => format!("run example.cu {options} --message-format=json"),
            None => "example.cu -ptx --message-format=json".to_owned(),
        };
        let said = folder.run(&line).errors;
        assert!(
            said.contains(&format!("\"code\":\"{code}\"")),
            "{code}: `{line}` says\n{said}"
        );
    }
}

#[test]
fn a_page_by_any_of_its_names() {
    let folder = Folder::new("explain-names");
    let page = folder.run("explain 186").success();
    assert_eq!(
        page,
        "\
186: an unsigned number is compared with zero in a way that has one outcome

`n < 0` is never true and `n >= 0` always is. A loop that counts down with `n >= 0` does not end:
count with a signed type, or down to one.

An example (`warpsmith example.cu -ptx`):

    __device__ int negative(unsigned n) { return n < 0; }

Switch it off with `-diag-suppress 186`, or in the source with `#pragma nv_diag_suppress unsigned_compare_with_zero`;
make it an error with `-diag-error 186`.
"
    );
    for name in ["#186-D", "[#186-D]", "unsigned_compare_with_zero"] {
        assert_eq!(folder.run(&format!("explain {name}")).success(), page, "{name}");
    }
    let fault = folder.run("explain data race").success();
    assert_eq!(folder.run("explain Data-Race").success(), fault);
    let list = folder.run("explain").success();
    assert!(
        list.contains("\n940                       the end of a function with a result can be reached\n"),
        "{list}"
    );
}

#[test]
fn what_is_not_known() {
    let folder = Folder::new("explain-unknown");
    assert_eq!(
        folder.run("explain data rice").refusal(),
        "error: nothing is known of `data rice`\n  note: a near name is `data_race`\n  note: `warpsmith explain` lists all\n"
    );
    assert_eq!(
        folder.run("explain 1").refusal(),
        "error: nothing is known of `1`\n  note: `warpsmith explain` lists all\n"
    );
}
