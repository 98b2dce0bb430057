//! What the tests of passes share.

#![allow(dead_code)]

use warpsmith_base::SourceText;
use warpsmith_ir::Module;
use warpsmith_opt::{Options, optimize};

/// The module of a text.
#[track_caller]
pub(crate) fn read(text: &str) -> Module {
    let source = SourceText::new("t.ll", text);
    Module::from_text(&source).unwrap_or_else(|errors| panic!("{}", errors[0].render(&source)))
}

/// The module after passes, by names with commas; all else is as the options say.
#[track_caller]
pub(crate) fn after(passes: &str, text: &str, options: Options) -> Module {
    let mut module = read(text);
    let options = Options {
        passes: Some(passes.split(',').map(str::to_owned).collect()),
        verify: true,
        ..options
    };
    optimize(&mut module, &options).unwrap();
    module
}

/// The passes make one text of another.
#[track_caller]
pub(crate) fn becomes(passes: &str, before: &str, wanted: &str, options: Options) {
    let module = after(passes, before, options);
    // What is read again has the names that a text gives.
    let wanted = read(wanted).to_string();
    let found = read(&module.to_string()).to_string();
    assert_eq!(found, wanted, "found\n{found}\nin place of\n{wanted}");
}
