use super::print;
use crate::{
    Severity, examples,
    instruction::Gates,
    module::{Target, TargetSuffix, Version},
    parse::parse_alone,
};

/// Prints what `text` says, and checks that printing what the result says gives it again.
fn printed(text: &str) -> String {
    let read = |text: &str| {
        let parsed = parse_alone(text.as_bytes());
        let errors: Vec<_> = parsed
            .problems
            .iter()
            .filter(|problem| problem.severity > Severity::Warning)
            .collect();
        assert!(errors.is_empty(), "{errors:?} in {text}");
        print(&parsed.module)
    };
    let output = read(text);
    assert_eq!(read(&output), output);
    output
}

/// As [`printed`], for what follows the head of a module.
fn items(text: &str) -> String {
    const HEAD: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n\n";
    let output = printed(&format!("{HEAD}{text}"));
    output.strip_prefix(HEAD).expect("the head stays as it is").to_owned()
}

/// As [`items`], for the body of a kernel.
fn body(text: &str) -> String {
    let output = items(&format!(".entry k()\n{{\n{text}\n}}\n"));
    let body = output
        .strip_prefix(".entry k()\n{\n")
        .and_then(|output| output.strip_suffix("}\n"));
    body.expect("the kernel stays as it is").to_owned()
}

#[test]
fn heads() {
    let text = ".version 6.3\n.target sm_75, texmode_independent\n.address_size 64\n\n";
    assert_eq!(printed(text), text);
}

#[test]
fn variables() {
    let text = "\
.visible .global .attribute(.managed) .align 8 .v2 .f32 a[2][3];
.extern .shared .align 16 .b8 b[];
.common .global .b32 c;
.weak .const .align 4 .b32 d = 5;
.global .texref e;
";
    assert_eq!(items(text), text);
}

#[test]
fn initialisers() {
    let text = "\
.global .b32 a[2][2] = {{1, 2}, {-3}};
.global .f64 b = 1.5;
.global .f32 c = 0f3FC00000;
.global .u64 d[2] = {a+4, generic(a)+-4};
.global .u8 e[2] = {0xFF(a), 0xFF00(generic(a))};
.func f();
.global .u64 g = f;
";
    let text = items(text);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], ".global .b32 a[2][2] = {{1, 2}, {-3}};");
    assert_eq!(lines[1], ".global .f64 b = 0d3FF8000000000000;");
    assert_eq!(lines[3], ".global .u64 d[2] = {a+4, generic(a)+-4};");
    assert_eq!(lines[4], ".global .u8 e[2] = {0xFF(a), 0xFF00(generic(a))};");
    assert_eq!(lines[6], ".global .u64 g = f;");
}

#[test]
fn functions_and_kernels() {
    let text = "\
.extern .func f(
	.param .align 8 .b8 a[16]
)
.noreturn;
.visible .func (.param .b32 r) g(
	.reg .b32 a
)
{
	ret;
}
.weak .entry k(
	.param .u64 .ptr .global .align 16 p,
	.param .b32 n
)
.maxntid 128, 2, 1
.minnctapersm 2
.pragma \"nounroll\";
{
	ret;
}
";
    assert_eq!(items(text), text);
}

#[test]
fn declarations_apart_from_definitions() {
    let text = ".func f();\n.entry k()\n.maxntid 1\n{\n\tcall \tf;\n\tret;\n}\n.func f()\n{\n\tret;\n}\n";
    assert_eq!(items(text), text);
}

#[test]
fn sections_files_and_places() {
    let text = "\
.file 1 \"a.cu\", 3, 4
.entry k()
{
	.loc 1 2 3
	.loc 1 3 4, function_name $L__info_string0+1, inlined_at 1 2 3
	ret;
}
.section .debug_str
{
$L__info_string0:
	.b8 65, 0, 0
	.b32 $L__info_string0+4
	.b64 .debug_abbrev
}
.section .debug_abbrev
{
	.b8 1
}
";
    assert_eq!(items(text), text);
}

#[test]
fn statements() {
    let text = "\
\t.reg .b32 	%r<4>;
	.reg .v4 .f32 	x;
	.reg .pred 	p;
	.local .align 4 .b8 depot[16];
	.pragma \"nounroll\";
L:
	{
		.param .b32 q;
		@!p bra 	L;
	}
T: .branchtargets L, L;
	@p brx.idx 	%r1, T;
";
    assert_eq!(body(text), text);
}

#[test]
fn calls_through_prototypes() {
    let text = "\
\t.reg .b64 	%rd<2>;
	.param .b32 q;
P: .callprototype (.param .b32 _) _(.param .align 8 .b8 _[8]) .noreturn;
";
    assert_eq!(body(text), text);
}

#[test]
fn operands() {
    let text = "\
\t.reg .b32 	%r<4>;
	.reg .b64 	%rd<4>;
	.reg .f32 	%f<4>;
	.reg .v2 .b32 	v;
	.reg .pred 	p, q;
	.shared .align 8 .b8 s[64];
	mov.b32 	%r1, v.y;
	mov.b32 	%r1, %tid.x;
	mov.b64 	{%r1, _}, %rd1;
	mov.b64 	%rd1, s+4;
	ld.shared.b32 	%r1, [s+-4];
	ld.global.v2.b32 	{%r1, %r2}, [%rd1+8];
	setp.eq.and.s32 	p|q, %r1, %r2, !p;
	add.rn.f32 	%f1, %f2, 0f3F800000;
	prefetch.global.L2 	[%rd1];
	vmad.s32.s32.s32 	%r1, -%r2.b1, %r3.h0, %r1;
	vadd4.s32.s32.s32 	%r1, %r2.b3210, %r3.b7654, %r1;
";
    let expected = text.replace("p, q;\n", "p;\n\t.reg .pred \tq;\n");
    assert_eq!(body(text), expected);
}

#[test]
fn integers_keep_their_signs() {
    let text = "\
\t.reg .b64 	a;
	mov.b64 	a, -5;
	mov.b64 	a, 5U;
	mov.b64 	a, 18446744073709551615;
	mov.b64 	a, (.s64)9223372036854775808;
";
    assert_eq!(body(text), text);
}

#[test]
fn printed_text_is_formatted() {
    let text =
        items(".visible .entry k(.param .u64 a) .maxntid 32 { .reg .b32 %r<4>; L: { add.s32 %r1, %r2, 4; } bra L; }");
    let formatted = crate::format::format(&text).expect("printed text is PTX");
    // The printer has one parameter on a line, however short.
    assert_eq!(formatted, text.replace("(\n\t.param .u64 a\n)", "(.param .u64 a)"));
}

#[test]
fn every_form_of_the_tables_comes_back() {
    let version = Version { major: 9, minor: 5 };
    let mut forms: Vec<_> = examples::forms().collect();
    let mut lines = 0;
    for (number, suffix, independent_textures) in [
        (100, TargetSuffix::Architecture, false),
        (90, TargetSuffix::Architecture, false),
        (75, TargetSuffix::None, true),
    ] {
        let target = Target { number, suffix };
        let gates = Gates {
            version,
            target,
            independent_textures,
        };
        // Each form for the first target that has it.
        let mut legal = Vec::new();
        forms.retain(|form| {
            let examples = examples::legal(*form, gates);
            let none = examples.is_empty();
            legal.extend(examples);
            none
        });
        lines += legal.len();
        for part in legal.chunks(2000) {
            let bodies: Vec<&str> = part.iter().map(|example| example.text.as_str()).collect();
            printed(&examples::module(&bodies, gates));
        }
    }
    assert!(lines > 5_000, "{lines} examples");
}
