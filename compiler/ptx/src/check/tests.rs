//! Rules by example: a module, and what is said of it in the vendor's words.

use crate::{Severity, parse};

/// `LINE: TEXT` of every problem, warnings with a `?` before the text.
fn problems(header: &str, body: &str) -> Vec<String> {
    let text = format!("{header}\n{body}\n");
    let parsed = parse(text.as_bytes());
    let line = |start: u32| 1 + text[..start as usize].matches('\n').count();
    let mark = |severity: Severity| if severity == Severity::Warning { "?" } else { "" };
    let say = |problem: &crate::Problem| {
        format!(
            "{}: {}{}",
            line(problem.span.start),
            mark(problem.severity),
            problem.vendor_text()
        )
    };
    parsed.problems.iter().map(say).collect()
}

/// What is wrong with a text for sm_90; line 2 is its first.
#[track_caller]
fn wrong(body: &str, expected: &[&str]) {
    assert_eq!(problems(".version 9.0 .target sm_90", body), expected, "{body}");
}

#[track_caller]
fn right(body: &str) {
    wrong(body, &[]);
}

#[track_caller]
fn header(header: &str, expected: &[&str]) {
    assert_eq!(problems(header, ""), expected, "{header}");
}

#[test]
fn targets_need_their_version() {
    header(
        ".version 7.7 .target sm_90",
        &["1: PTX .version 7.7 does not support .target sm_90"],
    );
    header(".version 7.8 .target sm_90", &[]);
    header(
        ".version 4.0 .target sm_52",
        &["1: PTX .version 4.0 does not support .target sm_52"],
    );
}

#[test]
fn target_options() {
    header(
        ".version 9.0 .target sm_90, debug",
        &["1: Debug information not found in presence of .target debug"],
    );
    header(
        ".version 9.0 .target sm_90, texmode_unified, texmode_independent",
        &["1: Conflicting .target option 'texmode_independent'"],
    );
    header(
        ".version 9.0 .target sm_90, map_f64_to_f32",
        &["1: Directive map_f64_to_f32 is not supported with SM 1.3 or higher"],
    );
}

#[test]
fn features_need_version_and_target() {
    let old = ".version 6.2 .target sm_52";
    assert_eq!(
        problems(old, ".func g() { ret; }\n.func f();\n.alias f, g;"),
        ["4: Feature '.alias' requires PTX ISA .version 6.3 or later"]
    );
    assert_eq!(
        problems(old, ".entry k() { .reg .b128 a;\nret; }"),
        [
            "2: Feature 'Type .b128' requires PTX ISA .version 8.3 or later",
            "2: Feature 'Type .b128' requires .target sm_70 or higher"
        ]
    );
    assert_eq!(
        problems(
            ".version 8.0 .target sm_80",
            ".entry k() { .reg .b32 r;\nmov.u32 r, %cluster_ctarank; ret; }"
        ),
        ["3: Feature '%cluster_ctarank' requires .target sm_90 or higher"]
    );
}

#[test]
fn spaces_of_module_variables() {
    wrong(
        ".local .b32 a;",
        &["2: Module-scoped variables in .local state space are not allowed with ABI"],
    );
    wrong(
        ".param .b32 a;",
        &["2: Parameter variables may not be declared at module scope"],
    );
    wrong(
        ".common .const .b32 a;",
        &["2: .common variables must be declared in .global space"],
    );
    wrong(
        ".shared .texref t;",
        &["2: Texture and surface variables must be declared in .global space"],
    );
    right(".global .texref t; .common .global .b32 a; .extern .shared .b8 s[];");
}

#[test]
fn types_of_variables() {
    wrong(
        ".global .pred p;",
        &["2: Predicate variable 'p' must be in register state space"],
    );
    wrong(
        ".global .v4 .b64 v;",
        &["2: Vector type too large, exceeds 128 bit limit"],
    );
    wrong(".global .align 3 .b32 a;", &["2: Alignment must be a power of two"]);
    wrong(
        ".entry k() { .reg .align 3 .b32 a; ret; }",
        &["2: Alignment must be a power of two"],
    );
    wrong(
        ".global .b32 a[];",
        &["2: Non-external variable 'a' has incomplete type"],
    );
    wrong(
        ".global .samplerref s;",
        &["2: Instruction or declaration violates .target texmode_unified setting"],
    );
    wrong(
        ".entry k() { .param .v2 .b32 a; .param .v2 .b32 b[2]; ret; }",
        &["2: Variable 'a' cannot be allocated in .param state space"],
    );
}

#[test]
fn constants_fit_one_bank() {
    right(".const .b8 z; .const .align 8 .b8 a[65528]; .const .b8 b[7];");
    wrong(
        ".const .b8 a[40000]; .const .b8 b[40000];",
        &["2: File uses too much global constant data (0x13880 bytes, 0x10000 max)"],
    );
}

#[test]
fn shapes_of_initial_values() {
    right(".global .b8 a[2][2] = {{1}, {}}; .global .v2 .f32 v = {1.0, 2.0}; .global .b8 o[] = {1};");
    wrong(
        ".global .b8 a[2] = {1, 2, 3};",
        &["2: Greater number of elements in array initializer"],
    );
    wrong(".global .b8 a[2][2] = {{1}, 2};", &["2: Initial value type mismatch"]);
    wrong(
        ".global .v2 .b32 a = {1};",
        &["2: Incorrect number of elements in vector initializer"],
    );
    wrong(".global .b8 a[] = {};", &["2: Initial value type mismatch"]);
}

#[test]
fn types_of_initial_values() {
    right(".global .b32 a = 1.0; .global .f64 b = 0f3f800000; .global .u8 c = 300;");
    wrong(".global .f32 a = 1;", &["2: Initial value type mismatch"]);
    wrong(".global .s32 a = 1.0;", &["2: Initial value type mismatch"]);
    wrong(
        ".global .f16 a = 1.0;",
        &["2: No initial value is allowed for .f16 type"],
    );
    wrong(
        ".shared .b32 a = 1;",
        &["2: No initial value is allowed for 'a' in this state space"],
    );
    wrong(
        ".extern .global .b32 a = 1;",
        &["2: No initial value is allowed for external symbol 'a'"],
    );
}

#[test]
fn addresses_as_initial_values() {
    right(".const .b32 x; .global .u64 a[2] = {x+4, generic(x)}; .global .u8 b = 0xff00(x);");
    right(".func f() { ret; } .global .u64 a = f;");
    wrong(
        ".global .b32 x; .global .b64 a = x;",
        &["2: Initial value type mismatch"],
    );
    wrong(
        ".global .b32 x; .global .u16 a = 0xff(x);",
        &["2: Initial value type mismatch"],
    );
    wrong(
        ".shared .b32 x; .global .u64 a = x;",
        &["2: Variable used as initial value not in .global or .const state space"],
    );
    wrong(
        ".func f() { ret; } .global .u64 a = generic(f);",
        &["2: Invalid initial value expression"],
    );
}

#[test]
fn parameters_of_kernels() {
    right(".entry k(.param .u64 .ptr .global .align 16 p, .param .texref t, .param .align 8 .b8 s[24]) { ret; }");
    wrong(
        ".entry k(.param .v2 .b32 a) { ret; }",
        &["2: Variable 'a' cannot be allocated in .param state space"],
    );
    wrong(
        ".entry k(.param .b8 a[]) { ret; }",
        &["2: Parameter to entry function cannot be an incomplete array."],
    );
    wrong(
        ".entry k(.param .b8 a, .param .align 8 .b8 b[32757]) {\nret;\n}",
        &["4: Entry function 'k' uses too much parameter space (0x7ffd bytes, 0x7ffc max)."],
    );
}

#[test]
fn parameters_of_functions() {
    right(".func (.param .b32 r) f(.reg .v2 .b32 a, .param .b16 b, .param .b8 c[]) { ret; }");
    wrong(
        ".func f(.param .b64 .ptr a) { ret; }",
        &["2: Illegal placement of kernel parameter attribute"],
    );
    wrong(
        ".func f(.param .b8 a[], .param .b8 b) { ret; }",
        &["2: Only the last input parameter can be an incomplete array."],
    );
    wrong(
        ".func (.param .b32 r, .param .b32 s) f() { ret; }",
        &["2: Multiple return parameters require .register state space"],
    );
    wrong(
        ".func f(.param .u8 a) { ret; }",
        &["2: In ABI compilation, passing predicate, 8-bit and 16-bit parameters to device functions is not supported"],
    );
}

#[test]
fn directives_of_kernels() {
    right(".entry k() .maxntid 32 .minnctapersm 2 .maxnreg 64 .reqnctapercluster 2 { ret; }");
    wrong(
        ".entry k()\n.maxntid 32\n.reqntid 32\n{\nret;\n}",
        &["7: Conflicting directives: .maxntid and .reqntid cannot both be specified"],
    );
    wrong(
        ".entry k()\n.reqnctapercluster 2\n.maxclusterrank 4\n{ ret; }",
        &["4: Conflicting directives: .reqnctapercluster and .maxclusterrank cannot both be specified"],
    );
    wrong(
        ".entry k() .blocksareclusters .reqntid 1 { ret; }",
        &["2: .reqntid and .reqnctapercluster directive(s) required for directive '.blocksareclusters'"],
    );
    wrong(
        ".entry k() .minnctapersm 2 { ret; }",
        &["2: ?.minnctapersm is ignored when neither .maxntid nor .reqntid is specified."],
    );
    wrong(
        ".entry k()\n.maxntid 4, 0\n{ ret; }",
        &["4: Positive non-zero value expected for maxntid"],
    );
    wrong(
        ".entry k()\n.maxnreg 0\n{ ret; }",
        &["3: Positive non-zero value expected for maxnreg"],
    );
}

#[test]
fn directives_of_functions() {
    wrong(
        ".func (.param .b32 r) f() .noreturn\n{ ret; }",
        &["3: Invalid directive '.noreturn' for function 'f'"],
    );
    wrong(
        ".func f() .abi_preserve 256 { ret; }",
        &["2: .abi_preserve 256 is invalid for sm_90"],
    );
    wrong(
        ".func f() .abi_preserve_control 12 { ret; }",
        &["2: .abi_preserve_control 12 is invalid for sm_90"],
    );
}

#[test]
fn several_results_switch_the_abi_off() {
    let pair = ".func (.reg .b32 r, .reg .b32 s) pair(.reg .b32 a) { mov.b32 r, a; mov.b32 s, a; ret; } ";
    let off = "2: ?Function 'pair' with multiple return values found, disabling ABI";
    let beside = |rest: &str, expected: &[&str]| {
        let expected: Vec<&str> = [off].iter().chain(expected).copied().collect();
        wrong(&format!("{pair}{rest}"), &expected);
    };
    beside("", &[]);
    // Said once, and what calls without the ABI can pass is more.
    beside(".func (.reg .b32 r, .reg .b32 s) two(.reg .b32 a) { ret; }", &[]);
    beside(
        ".func (.reg .pred r) not(.reg .pred a, .reg .u16 b) { not.pred r, a; ret; }",
        &[],
    );
    beside(
        ".entry k() { .reg .b32 r; mov.b32 r, 1; call (r, _), pair, (r); ret; }",
        &[],
    );
    beside(
        ".func r(.reg .b32 a) { call r, (a); ret; } .entry k() { call r, (1); ret; }",
        &["2: Function 'r' is recursive"],
    );
    beside(".func r(.reg .b32 a) { call r, (a); ret; }", &[]);
    let address = ".func f() { ret; } .entry k() { .reg .b64 x; mov.b64 x, f; ";
    beside(
        &format!("{address} ret; }}"),
        &["2: Indirect function call requires ABI"],
    );
    let elsewhere = "2: 'Indirect Functions or Extern Functions' requires ABI";
    beside(
        &format!("{address} P: .callprototype _ (); call x, P; ret; }}"),
        &[elsewhere],
    );
    beside(".extern .func f(); .func g() { call f; ret; }", &[elsewhere]);
    beside(".extern .func f();", &[]);
    beside(".func f();", &["2: Unresolved extern function 'f'"]);
    beside(
        ".func f() { ret; } .global .u64 table[1] = {f};",
        &["2: Indirect function call requires ABI"],
    );
    let called = ".entry k() { .reg .b64 x; .reg .b32 r; P: .callprototype (.reg .b32 r, .reg .b32 s) _ ();\n call (r, r), x, P; ret; }";
    wrong(
        called,
        &[
            "3: ?Function call with multiple return values found, disabling ABI",
            "3: 'Indirect Functions or Extern Functions' requires ABI",
        ],
    );
    // Only a text that is right otherwise.
    wrong(
        &format!("{pair}.func (.reg .pred r) f() {{ .reg .u16 x; mov.u16 y, x; ret; }}"),
        &["2: Unknown symbol 'y'"],
    );
}

#[test]
fn declarations_agree() {
    right(".visible .func f(.param .b32 a); .func f(.param .b32 x) { ret; }");
    wrong(
        ".func f(.param .b32 a);\n.func f(.param .align 8 .b32 a) { ret; }",
        &[
            "2: Unresolved extern function 'f'",
            "3: Inconsistent prototypes of 'f', parameter alignment differ",
        ],
    );
    wrong(
        ".func f() .noreturn;\n.func f() { ret; }",
        &[
            "2: Unresolved extern function 'f'",
            "3: Inconsistent redefinition of variable 'f'",
        ],
    );
    wrong(".func f();", &["2: Unresolved extern function 'f'"]);
    wrong(
        ".extern .func f() {\nret;\n}",
        &["4: Function definition conflicts with '.extern' declaration for function 'f'"],
    );
}

#[test]
fn aliases() {
    right(".func g() { ret; } .func f(); .alias f, g;");
    wrong(".func f();\n.alias f, f;", &["3: Cannot alias a function to itself"]);
    wrong(
        ".func g(.param .b32 a) { ret; } .func f();\n.alias f, g;",
        &["3: Mismatch in prototype of alias 'f' and aliasee 'g'. number of parameters differ(s)"],
    );
    wrong(
        ".weak .func g() { ret; } .func f();\n.alias f, g;",
        &["3: Function 'g' with .weak scope cannot be aliased"],
    );
    wrong(
        ".func g() { ret; } .func f() { ret; }\n.alias f, g;",
        &["3: Illegal redefinition of function 'f' as alias"],
    );
}

/// A kernel that calls `f`, with registers and arguments.
#[track_caller]
fn call(head: &str, call: &str, expected: &[&str]) {
    let registers = ".reg .b32 r; .reg .f32 g; .reg .b64 d; .param .b32 x; .param .align 8 .b8 a[8]; .param .b8 b[8];";
    let text =
        format!(".extern .func {head};\n.global .b32 v; .entry k(.param .b32 q) {{ {registers}\n{call}\nret; }}");
    wrong(&text, expected);
}

#[test]
fn numbers_of_arguments() {
    let wrong_number = &["4: Call has wrong number of parameters"];
    let head = "(.param .b32 o) f(.param .b32 i)";
    call(head, "call (x), f, (x);", &[]);
    call(head, "call f, (x);", wrong_number);
    call(head, "call (x), f;", wrong_number);
    call("f(.param .b32 i, .param .b8 rest[])", "call f, (x);", &[]);
}

#[test]
fn types_of_arguments() {
    let mismatch = &["4: Type of argument does not match formal parameter 'i'"];
    call("f(.param .u32 i)", "call f, (r);", &[]);
    call("f(.param .u32 i)", "call f, (5);", &[]);
    call("f(.param .u32 i)", "call f, (g);", mismatch);
    call("f(.param .b32 i)", "call f, (d);", mismatch);
    call("f(.param .f32 i)", "call f, (5);", mismatch);
    call("f(.param .b8 i[4])", "call f, (b);", mismatch);
    call("f(.param .align 8 .b8 i[8])", "call f, (a);", &[]);
    call(
        "f(.param .align 8 .b8 i[8])",
        "call f, (b);",
        &["4: Alignment of argument does not match formal parameter 'i'"],
    );
    call(
        "f(.param .b8 i[4])",
        "call f, (r);",
        &["4: Inconsistent state space for parameter 'r'"],
    );
}

#[test]
fn what_may_be_an_argument() {
    call(
        "f(.param .b32 i)",
        "call f, (v);",
        &["4: Call argument 'v' has illegal state space"],
    );
    call(
        "f(.param .b32 i)",
        "call f, (q);",
        &["4: Formal parameter 'q' declared in .param space cannot be used as argument to call"],
    );
    wrong(
        ".entry e() { ret; } .entry k() {\ncall e;\nret; }",
        &["3: Illegal call target, device function expected"],
    );
}

#[test]
fn indirect_calls() {
    let head = "f(.param .b32 i)";
    call(head, "p: .callprototype _ (.param .b32 _); call d, (x), p;", &[]);
    call(
        head,
        "p: .callprototype _ (); call d, (x), p;",
        &["4: Call has wrong number of parameters"],
    );
    call(head, "t: .calltargets f; call d, (r), t;", &[]);
}

#[test]
fn access_to_parameters() {
    let text = ".func (.param .b32 o) f(.param .b32 i) { .reg .b32 r; .param .b32 x;\n";
    let inside = |line: &str| format!("{text}{line}\nret; }}");
    right(&inside(
        "ld.param.b32 r, [i]; st.param.b32 [o], r; st.param.b32 [x], r; ld.param.b32 r, [x];",
    ));
    wrong(
        &inside("ld.param.b32 r, [o];"),
        &["3: Illegal to read function return parameter 'o'"],
    );
    wrong(
        &inside("st.param.b32 [i], r;"),
        &["3: Illegal to write to function input parameter 'i'"],
    );
    wrong(
        &inside("mov.b32 r, x;"),
        &["3: Illegal to take address of parameter 'x'"],
    );
}

#[test]
fn pragmas() {
    right(".pragma \"nounroll\"; .entry k() .pragma \"noinline\"; { .pragma \"used_bytes_mask 0xff\"; ret; }");
    wrong(".pragma \"foo\";", &["2: Pragma 'foo' not supported"]);
    wrong(
        ".entry k() {\n.pragma \"foo\"; ret; }",
        &["3: ?Pragma 'foo' unsupported"],
    );
    wrong(
        ".pragma \"frequency 5\";",
        &["2: Pragma 'frequency 5' is allowed only within function scope"],
    );
    wrong(
        ".entry k() { .pragma \"frequency\"; ret; }",
        &["2: Argument(s) to pragma 'frequency' cannot be empty"],
    );
}

#[test]
fn debug_information() {
    wrong(
        ".file 1 \"a\", 1, 2\n.file 1 \"b\", 1, 2",
        &["3: Duplicate file index #1"],
    );
    let place = |line: u32| {
        format!(
            ".section .debug_str {{ n: .b8 0 }}\n.entry k() {{ .loc 1 2 3\n.loc 1 5 6, function_name n, inlined_at 1 {line} 3\nret; }}"
        )
    };
    right(&place(2));
    let vendor = "Source location 1 9 3 used in inlined_at directive must be used in a preceding .loc directive";
    wrong(&place(9), &[&format!("4: {vendor}")]);
}
