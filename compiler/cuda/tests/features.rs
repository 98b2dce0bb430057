//! Feature-test macros and attributes in every edition: what libraries lay out and declare depends on them, so they must be those of the host's compiler.

use std::process::Command;

use warpsmith_cuda::source::{Memory, Mode, Standard};
use warpsmith_cuda::{Options, compile};

const EDITIONS: [(Standard, &str); 4] = [
    (Standard::Cpp11, "11"),
    (Standard::Cpp14, "14"),
    (Standard::Cpp17, "17"),
    (Standard::Cpp20, "20"),
];
const ATTRIBUTES: [&str; 8] = [
    "noreturn",
    "deprecated",
    "fallthrough",
    "nodiscard",
    "maybe_unused",
    "likely",
    "unlikely",
    "no_unique_address",
];

/// What is said about a unit of conditions, each an error if it does not hold.
fn wrong(standard: Standard, conditions: &str) -> String {
    let files = Memory::new().with("test.cu", conditions.to_string());
    let mut options = Options::default();
    options.source.standard = standard;
    options.source.mode = Mode::HostHeaders;
    options.source.prelude = warpsmith_cuda::source::Prelude::None;
    compile(&files, "test.cu", &options).context.render()
}

fn holds(condition: &str) -> String {
    format!("#if !({condition})\n#error {condition}\n#endif\n")
}

#[test]
fn editions_have_the_features_of_the_hosts_compiler() {
    let recorded = [
        (
            Standard::Cpp11,
            "__cpp_constexpr == 200704 && !defined __cpp_deduction_guides && !defined __cpp_variable_templates",
        ),
        (
            Standard::Cpp14,
            "__cpp_constexpr == 201304 && !defined __cpp_deduction_guides && __cpp_generic_lambdas == 201304",
        ),
        (
            Standard::Cpp17,
            "__cpp_constexpr == 201603 && __cpp_deduction_guides == 201703 && !defined __cpp_concepts",
        ),
        (
            Standard::Cpp20,
            "__cpp_constexpr == 202002 && __cpp_deduction_guides == 201907 && __cpp_concepts == 202002",
        ),
    ];
    for (standard, condition) in recorded {
        let attribute = "__has_cpp_attribute(no_unique_address) == 201803 && __has_cpp_attribute(nodiscard) == 201907";
        assert_eq!(wrong(standard, &(holds(condition) + &holds(attribute))), "");
    }
}

#[test]
fn an_empty_member_without_an_address_takes_no_room_in_any_edition() {
    let text = "struct E {}; struct A { [[no_unique_address]] E e; int x; }; struct B { [[no_unique_address]] E e; [[no_unique_address]] E f; char c; };
        static_assert(sizeof(A) == 4, \"\"); static_assert(sizeof(B) == 2, \"\");\n";
    for (standard, _) in EDITIONS {
        assert_eq!(wrong(standard, text), "");
    }
}

/// All of them, compared with the macros of g++ 12 where it is installed.
#[test]
fn all_features_are_those_of_an_installed_gcc() {
    for (standard, edition) in EDITIONS {
        let run = |source: &str, flags: &[&str]| {
            let mut child = Command::new("g++")
                .args([&format!("-std=c++{edition}"), "-E", "-x", "c++"])
                .args(flags)
                .arg("-")
                .stdin(std::process::Stdio::piped())
                .stdout(std::process::Stdio::piped())
                .spawn()
                .ok()?;
            std::io::Write::write_all(&mut child.stdin.take()?, source.as_bytes()).ok()?;
            String::from_utf8(child.wait_with_output().ok()?.stdout).ok()
        };
        let macros = run("", &["-dM"]).unwrap_or_default();
        if !macros.contains("#define __GNUC__ 12\n") {
            eprintln!("skipped: g++ 12 is not installed");
            return;
        }
        let mut conditions = String::new();
        for line in macros.lines() {
            if let Some((name, value)) = line.strip_prefix("#define ").and_then(|line| line.split_once(' '))
                && name.starts_with("__cpp_")
            {
                conditions += &holds(&format!("{name} == {value}"));
            }
        }
        for attribute in ATTRIBUTES {
            let test = format!("__has_cpp_attribute({attribute})");
            let date = run(&test, &["-P"]).unwrap_or_default();
            conditions += &holds(&format!("{test} == {}", date.trim()));
        }
        assert!(conditions.contains("__cpp_lambdas"), "{conditions}");
        assert_eq!(wrong(standard, &conditions), "");
    }
}
