//! The index of the library's functions.

use std::collections::BTreeSet;

use warpsmith_mathlib::{FILES, file_of, functions, unit_for};

#[test]
fn every_function_has_one_definition() {
    let mut seen = BTreeSet::new();
    for name in functions() {
        assert!(name.starts_with("__nv_") || name.starts_with("cudaCG"), "{name}");
        assert!(seen.insert(name), "{name} is defined twice");
        assert!(file_of(name).is_some());
    }
    assert!(seen.len() > 300, "{}", seen.len());
}

#[test]
fn includes_name_files_of_the_library() {
    for file in &FILES {
        for line in file.text.lines().filter(|line| line.starts_with("#include \"")) {
            assert!(
                FILES.iter().any(|other| line == format!("#include \"{}\"", other.name)),
                "{}: {line}",
                file.name
            );
        }
    }
}

#[test]
fn a_unit_includes_each_file_once() {
    let unit = unit_for(["__nv_sinf", "__nv_cosf", "__nv_expf", "printf"].into_iter()).unwrap();
    assert_eq!(unit, "#include \"exponential.cuh\"\n#include \"trigonometry.cuh\"\n");
    assert_eq!(unit_for(["printf"].into_iter()), None);
}
