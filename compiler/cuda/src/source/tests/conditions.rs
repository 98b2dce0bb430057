//! Conditional inclusion.

use super::expand;

/// Whether an expression of `#if` is true.
fn holds(expression: &str) -> bool {
    match expand(&format!("#if {expression}\nyes\n#else\nno\n#endif\n")).as_str() {
        "yes" => true,
        "no" => false,
        other => panic!("{expression}: {other}"),
    }
}

#[test]
fn conditions() {
    for expression in [
        "1",
        "2 + 3 * 4 == 14 && !0",
        "-1 < 0",
        "-1 > 0u",
        "(2 || 1/0) && (0 ? 1/0 : 1)",
        "0xffffffffffffffff == -1",
        "-7 / 2 == -3 && -7 % 2 == -1",
        "1 << 63 < 0 && (1u << 63) > 0 && -8 >> 1 == -4",
        "'a' == 97 && '\\377' < 0 && 'ab' == 0x6162",
        "true and not false or false",
        "undefined_name == 0",
        "defined __CUDACC__ && defined(__CUDA_ARCH__) && !defined nothing",
        "__CUDA_ARCH__ == 900 && __cplusplus == 201703L",
        "~0 == -1 && +1 == 1 && (1 ^ 3) == 2 && (6 & 3) == 2 && (4 | 1) == 5",
        "1 ? 2 ? 0 : 1 : 1 ? 0 : 0 || 1",
        "__has_builtin(__nvvm_bar0) && !__has_builtin(__builtin_nothing)",
        "__has_cpp_attribute(nodiscard) >= 201603L && __has_attribute(__aligned__)",
        "1'000 == 1000 && 0b11 == 3 && 010 == 8",
        "(9223372036854775807 + 1) < 0",
    ] {
        assert_eq!(holds(expression), !expression.starts_with("1 ? 2 ?"), "{expression}");
    }
}

#[test]
fn wrong_conditions() {
    let cases = [
        ("", "t.cu:1:2: an expression is expected after this"),
        ("1 +", "t.cu:1:8: a value is expected before the end of the line"),
        ("(1", "t.cu:1:7: `)` is expected here"),
        ("1)", "t.cu:1:6: there is no `(` for this"),
        ("1 2", "t.cu:1:7: an operator or the end of the line is expected here"),
        ("1/0", "t.cu:1:6: division by zero"),
        ("1.0", "t.cu:1:5: only integers are values in a condition"),
        ("\"a\"", "t.cu:1:5: a string is no value in a condition"),
        ("defined(", "t.cu:1:13: the name of a macro is expected here"),
        ("defined(a", "t.cu:1:14: `)` is expected here"),
        ("1 ? 2", "t.cu:1:10: `:` is expected here"),
        ("99999999999999999999", "t.cu:1:5: this number has more than 64 bits"),
        (
            "__has_include(a)",
            "t.cu:1:5: `<name>` or `\"name\"` is expected in the parentheses after this",
        ),
    ];
    for (expression, message) in cases {
        let text = expand(&format!("#if {expression}\nno\n#else\nyes\n#endif"));
        assert_eq!(text, format!("yes\nerror {message}"), "{expression}");
    }
}

#[test]
fn groups() {
    let text = "\
#if 0
a ' \"
#if 1
b
#else
c
#endif
/*
#endif
*/
#elif 1
d
#elif 1/0
e
#else
f
#endif
#ifdef nothing
g
#elifndef nothing
h
#endif
#ifndef nothing
i
#endif
";
    assert_eq!(expand(text), "d\nh\ni");
}

#[test]
fn wrong_groups() {
    let text = "\
#else
#endif
#elif 1
#if 1
#else
#else
#elif 1
#endif
#ifdef
#endif x
#if 0
#bogus
#endif
#bogus
#elseif
#if 1
";
    assert_eq!(
        expand(text),
        "\
error t.cu:1:2: `#else` without `#if`
error t.cu:2:2: `#endif` without `#if`
error t.cu:3:2: `#elif` without `#if`
error t.cu:6:2: `#else` after `#else`
error t.cu:7:2: `#elif` after `#else`
error t.cu:9:7: `#ifdef` without the name of a macro
warning t.cu:10:8: what follows `#endif` here is passed over
error t.cu:14:2: there is no directive `#bogus`
error t.cu:15:2: there is no directive `#elseif`
error t.cu:16:2: this conditional has no `#endif`"
    );
}
