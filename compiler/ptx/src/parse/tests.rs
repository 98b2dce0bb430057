//! Small texts and what comes of them.

use super::{Parsed, parse, parse_alone};
use crate::{
    Severity,
    module::{
        Address, AddressBase, AddressTarget, Body, FunctionDirective, Initializer, InlinedAt, Item, LabelKind, Linkage,
        Location, Operand, OperandRange, Register, SectionLine, SectionValue, Space, Statement, VariableId,
    },
    table::Type,
};

const HEADER: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n";

/// Reads what follows a header; lines are counted from the first one after it.
fn read(text: &str) -> Parsed {
    parse_alone(format!("{HEADER}{text}").as_bytes())
}

/// `LINE; SEVERITY: VENDOR'S TEXT` of every problem; lines are counted from the first after the header.
fn problems(text: &str) -> Vec<String> {
    let whole = format!("{HEADER}{text}");
    let describe = |problem: &crate::Problem| {
        let line = whole[..problem.span.start as usize].matches('\n').count() as i64 - 2;
        let severity = match problem.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
            Severity::Fatal => "fatal",
        };
        format!("{line}; {severity}: {}", problem.vendor_text())
    };
    parse_alone(whole.as_bytes()).problems.iter().map(describe).collect()
}

/// Problems of a kernel with some registers; its first line is 1.
fn in_kernel(body: &str) -> Vec<String> {
    let registers = ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .pred %p<9>;";
    problems(&format!(".entry k(.param .u64 P) {{ {registers} {body}\nret; }}"))
}

/// The body of the only function, which has no problems.
fn body(text: &str) -> Body {
    let mut parsed = read(text);
    assert_eq!(parsed.problems, []);
    parsed.module.functions.remove(0).body.expect("the function has a body")
}

/// A syntax error near some text.
fn near(line: u32, text: &str) -> Vec<String> {
    vec![format!("{line}; fatal: Parsing error near '{text}': syntax error")]
}

#[test]
fn the_header_gives_version_target_and_address_size() {
    let parsed = parse_alone(b".version 8.6 .target sm_100a, debug\n.target texmode_independent .address_size 32");
    assert_eq!(parsed.problems, []);
    let module = parsed.module;
    assert_eq!(
        (module.version.to_string(), module.target.to_string()),
        ("8.6".to_owned(), "sm_100a".to_owned())
    );
    assert_eq!(module.address_size, 32);
    let options: Vec<&str> = module
        .target_options
        .iter()
        .map(|name| module.names.get(*name))
        .collect();
    assert_eq!(options, ["debug", "texmode_independent"]);
}

#[test]
fn a_file_begins_with_its_header() {
    let first = |text: &str| parse_alone(text.as_bytes()).problems[0].vendor_text().to_owned();
    assert_eq!(first(""), "Missing .version directive at start of file");
    assert_eq!(
        first(".version 9.0\n.entry k(){ret;}"),
        "Missing .target directive at start of file"
    );
    assert_eq!(
        first(".version 7.9\n.target sm_90"),
        "Unsupported .version 7.9; current version is '9.5'"
    );
    assert_eq!(first(".version 9.0\n.target sm_91"), "Unsupported .target 'sm_91'");
    assert_eq!(
        first(".version 9.0\n.target debug"),
        "Target architecture not defined at start of file"
    );
    assert_eq!(problems(".version 9.0\n"), near(1, ".version 9.0"));
}

#[test]
fn a_version_to_come_is_read_as_the_newest() {
    let text = ".version 9.6\n.target sm_90\n.address_size 64\n.visible .entry k() { elect.sync _|%p, 1; ret; }";
    let parsed = parse(text.as_bytes());
    let found: Vec<_> = parsed
        .problems
        .iter()
        .map(|problem| (problem.severity, problem.vendor_text()))
        .collect();
    assert_eq!(
        found,
        [
            (
                Severity::Warning,
                "PTX version 9.6 is not known; it is read as 9.5, the newest that is"
            ),
            (Severity::Error, "Unknown symbol '%p'"),
        ]
    );
}

#[test]
fn registers_are_numbered_over_all_declarations() {
    let body = body(".entry k() {\n.reg .b32 %r<3>, x;\n{ .reg .v2 .f32 %r<2>; }\n}");
    let ranges: Vec<_> = body
        .registers
        .iter()
        .map(|range| (range.first.0, range.count, range.element, range.vector))
        .collect();
    assert_eq!(
        ranges,
        [
            (0, Some(3), Type::B32, 1),
            (3, None, Type::B32, 1),
            (4, Some(2), Type::F32, 2)
        ]
    );
    assert!(matches!(
        body.statements[..],
        [
            Statement::Registers(0),
            Statement::Registers(1),
            Statement::ScopeStart,
            Statement::Registers(2),
            Statement::ScopeEnd
        ]
    ));
}

#[test]
fn operands_of_an_instruction_lie_together() {
    let body = body(".entry k() { .reg .b32 %r<4>; .reg .b64 %rd<2>;\nld.global.v2.b32 {%r1, _}, [%rd1+4*2];\n}");
    assert_eq!(
        body.operands,
        [
            Operand::Vector(OperandRange { first: 2, count: 2 }),
            Operand::Address(Address {
                base: AddressBase::Register(Register(5)),
                offset: 8,
                unified: false
            }),
            Operand::Register(Register(1)),
            Operand::Sink,
        ]
    );
    let Statement::Instruction(instruction) = &body.statements[2] else {
        panic!("an instruction")
    };
    assert_eq!((instruction.first_operand, instruction.operand_count), (0, 2));
}

#[test]
fn blanks_may_stand_before_the_dots_of_a_mnemonic() {
    assert_eq!(in_kernel("add .u32 %r1, %r2, %r3;"), [""; 0]);
    assert_eq!(in_kernel("add. u32 %r1, %r2, %r3;"), near(1, "."));
}

#[test]
fn a_call_has_lists() {
    let text = ".func (.reg .b32 r) f(.reg .b32 a) { mov.b32 r, a; ret; }\n.entry k() { .reg .b32 %r<2>; call (%r0), f, (%r1); }";
    let parsed = read(text);
    assert_eq!(parsed.problems, []);
    let body = parsed.module.functions[1].body.as_ref().expect("a body");
    assert_eq!(
        body.operands[..3],
        [
            Operand::List(OperandRange { first: 3, count: 1 }),
            Operand::Function(crate::module::FunctionId(0)),
            Operand::List(OperandRange { first: 4, count: 1 }),
        ]
    );
    // Register parameters are the first registers of the body.
    let callee = parsed.module.functions[0].body.as_ref().expect("a body");
    assert_eq!(
        callee.operands,
        [Operand::Register(Register(0)), Operand::Register(Register(1))]
    );
    assert_eq!(in_kernel("call k();"), near(1, "("));
}

#[test]
fn signs_stand_before_single_operands_only() {
    assert_eq!(in_kernel("and.pred %p1, !%p2, %p3;"), [""; 0]);
    assert_eq!(in_kernel("mov.b64 %rd1, {%r1, -%r2};"), near(1, "%r2"));
    assert_eq!(in_kernel("setp.eq.u32 %p1|!%p2, %r1, %r2;"), near(1, "!"));
    assert_eq!(in_kernel("ld.global.b32 %r1, [%rd1-4];"), near(1, "-"));
}

#[test]
fn labels_may_come_later_and_belong_to_their_scope() {
    let body = body(".entry k() {\nbra A;\n{ bra A; }\nA: bra A;\n}");
    let places: Vec<bool> = body
        .labels
        .iter()
        .map(|label| matches!(label.kind, LabelKind::Place(4)))
        .collect();
    assert_eq!(places, [true, true]);
    assert_eq!(in_kernel("bra A; { A: ret; }"), ["1; error: Unknown symbol 'A'"]);
    assert_eq!(in_kernel("{ A: ret; } A: bra A;"), [""; 0]);
    assert_eq!(
        in_kernel("A: ret;\nA: ret;"),
        ["2; error: Duplicate definition of label 'A'"]
    );
    assert_eq!(
        in_kernel("bra T;\nT: .branchtargets A; A: ret;"),
        ["1; fatal: Label expected for forward reference of 'T'"]
    );
}

#[test]
fn an_unknown_name_is_reported_once_with_a_near_one() {
    let parsed = read(".entry k() { .reg .b32 total;\nadd.u32 total, totl, 1;\nadd.u32 total, totl, 2; }");
    let [problem] = &parsed.problems[..] else {
        panic!("one problem: {:?}", parsed.problems)
    };
    assert_eq!(problem.vendor_text(), "Unknown symbol 'totl'");
    assert_eq!(problem.notes, ["did you mean 'total'?"]);
}

#[test]
fn a_name_is_declared_once_in_a_scope() {
    assert_eq!(
        in_kernel(".reg .b32 P;"),
        ["1; error: Duplicate definition of variable 'P'"]
    );
    assert_eq!(
        in_kernel(".reg .b32 a<4>;\n.reg .b32 a3;"),
        ["2; error: Duplicate definition of variable 'a3'"]
    );
    assert_eq!(
        in_kernel(".reg .b32 %r<4>;"),
        ["1; error: Duplicate definition of variable '%r<'"]
    );
    assert_eq!(in_kernel("{ .reg .b64 %r1; mov.b64 %r1, 0; }"), [""; 0]);
}

#[test]
fn reading_goes_on_after_a_syntax_error() {
    let body = "add.u32 %r1 %r2, %r3;\nmov.b64 {%r1, %r2 %r3}, %rd1;\nsub.u32 %r1, , %r2;\nbra nowhere;";
    assert_eq!(
        in_kernel(body),
        [
            "1; fatal: Parsing error near '%r2': syntax error",
            "2; fatal: Parsing error near '%r3': syntax error",
            "3; fatal: Parsing error near ',': syntax error",
            "4; error: Unknown symbol 'nowhere'",
        ]
    );
    assert_eq!(
        problems(".global .b32 x y;\n.foo\n.entry k() { ret }\n.global .b32 z[;"),
        [
            "1; fatal: Parsing error near 'y': syntax error",
            "2; fatal: Parsing error near '.foo': syntax error",
            "3; fatal: Parsing error near '}': syntax error",
            "4; fatal: Parsing error near ';': syntax error",
        ]
    );
}

#[test]
fn the_end_of_the_file_has_no_text() {
    assert_eq!(problems(".entry k() { ret;\n"), near(2, ""));
    assert_eq!(
        problems("/* \n\n"),
        ["1; fatal: Parsing error near '': unexpected EOF while scanning"]
    );
    assert_eq!(problems(".pragma \"a"), near(1, "\""));
}

#[test]
fn variables_with_everything() {
    let parsed = read(".visible .global .align 16 .attribute(.managed) .v2 .u32 x[2][3] = {{{1, 2}}, {}}, y;");
    assert_eq!(parsed.problems, []);
    let [x, y] = &parsed.module.variables[..] else {
        panic!("two variables")
    };
    assert_eq!(
        (x.space, x.linkage, x.element, x.vector, x.alignment),
        (Space::Global, Linkage::Visible, Type::U32, 2, Some(16))
    );
    assert_eq!(x.dimensions[..], [Some(2), Some(3)]);
    assert!(matches!(&x.initializer, Some(Initializer::List(rows, _)) if rows.len() == 2));
    assert_eq!((y.dimensions.len(), y.initializer.is_none()), (0, true));
}

#[test]
fn initial_addresses() {
    let parsed = read(".global .u64 a;\n.global .u64 b[] = {a, generic(a)+8, 0xFF00(a+4), 0xFF00(0x1234)};");
    assert_eq!(parsed.problems, []);
    let Some(Initializer::List(values, _)) = &parsed.module.variables[1].initializer else {
        panic!("a list")
    };
    let found: Vec<_> = values
        .iter()
        .map(|value| match value {
            Initializer::Address {
                target: AddressTarget::Variable(VariableId(0)),
                offset,
                generic,
                mask,
                ..
            } => (*offset, *generic, *mask),
            Initializer::Integer(bits, _) => (*bits as i64, false, None),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        found,
        [
            (0, false, None),
            (8, true, None),
            (4, false, Some(0xFF00)),
            (0x12, false, None)
        ]
    );
    assert_eq!(
        problems(".global .u64 a = b;"),
        ["1; fatal: Invalid initial value symbol 'b'"]
    );
    assert_eq!(problems(".global .u64 a;\n.global .u64 b = a-4;"), near(2, "-"));
    assert_eq!(
        problems(".global .u8 a = 0xF(1);"),
        ["1; error: Invalid mask value '0xf' used in initializer"]
    );
}

#[test]
fn constants_that_have_no_value() {
    assert_eq!(
        problems(".global .b64 a = 1/0;"),
        ["1; fatal: Constant expression has division by zero"]
    );
    assert_eq!(
        problems(".global .b64 a = 1+1.0;"),
        ["1; error: Constant expression type mismatch"]
    );
    assert_eq!(
        problems(".global .b64 a = ~1.0;"),
        ["1; error: Integer constant expression expected"]
    );
    assert_eq!(
        problems(".global .b64 a = (.s32)1;"),
        ["1; error: Unsupported cast operation"]
    );
    assert_eq!(problems(".global .b64 a = -0f3f800000;"), near(1, "0f3f800000"));
    assert_eq!(problems(".global .b64 a = 7%3;"), near(1, "%3"));
}

#[test]
fn kernels_with_directives() {
    let text = ".visible .entry k(.param .u64 .ptr .global .align 16 p)\n.maxntid 128, 2\n.minnctapersm 1\n.pragma \"x\";\n{ ret; }";
    let parsed = read(text);
    assert_eq!(parsed.problems, []);
    let function = &parsed.module.functions[0];
    assert!(matches!(
        &function.directives[..],
        [FunctionDirective::MaxThreads(threads), FunctionDirective::MinCtasPerSm(1), FunctionDirective::Pragma(_)] if threads[..] == [128, 2]
    ));
    let pointer = parsed.module.variables[0].pointer.expect("a pointer");
    assert_eq!((pointer.space, pointer.alignment), (Some(Space::Global), Some(16)));
    assert_eq!(problems(".entry k() .noreturn { ret; }"), near(1, ".noreturn"));
    assert_eq!(problems(".func f() .maxnreg 8 { ret; }"), near(1, ".maxnreg"));
}

#[test]
fn a_definition_completes_its_declaration() {
    let parsed = read(".visible .func f(.param .b32 a);\n.func f(.param .b32 b) { ret; }");
    assert_eq!(parsed.problems, []);
    assert_eq!(
        (parsed.module.functions.len(), parsed.module.functions[0].linkage),
        (1, Linkage::Visible)
    );
    assert!(matches!(
        parsed.module.items[..],
        [
            Item::Function { defined: false, .. },
            Item::Function { defined: true, .. }
        ]
    ));
    let twice = problems(".entry k() { ret; }\n.entry k(\n)\n{ ret; }");
    assert_eq!(twice, ["3; error: Duplicate definition of function 'k'"]);
    let differs = problems(".func f(.param .b32 a);\n.func f(\n)\n{ ret; }");
    assert_eq!(
        differs,
        ["4; error: Inconsistent prototypes of 'f', number of parameters differ"]
    );
    let static_one = problems(".extern .global .b32 a;\n.global .b32 a;");
    assert_eq!(
        static_one,
        ["2; error: '.extern' variable 'a' cannot be resolved by a '.static'"]
    );
}

#[test]
fn places_of_inlined_functions() {
    let text = ".file 1 \"a.c\"\n.entry k() {\n.loc 1 5 0, function_name L+4, inlined_at 1 2 3\nret; }";
    let parsed = read(text);
    assert_eq!(parsed.problems, []);
    let body = parsed.module.functions[0].body.as_ref().expect("a body");
    let Statement::Location(location) = &body.statements[0] else {
        panic!("a place")
    };
    let function = parsed.module.names.find("L").expect("the label's name");
    let inlined = Some(InlinedAt {
        function,
        offset: 4,
        file: 1,
        line: 2,
        column: 3,
    });
    assert_eq!(
        **location,
        Location {
            file: 1,
            line: 5,
            column: 0,
            inlined,
            span: location.span,
        }
    );
}

#[test]
fn sections_hold_numbers_and_labels() {
    let parsed = read(".section .debug_info {\n.b8 1, -1\nL:\n.b32 L-L\n.b64 .debug_str+4\n}");
    assert_eq!(parsed.problems, []);
    let [
        SectionLine::Data(8, bytes),
        SectionLine::Label(_),
        SectionLine::Data(32, words),
        SectionLine::Data(64, longs),
    ] = &parsed.module.sections[0].lines[..]
    else {
        panic!("{:?}", parsed.module.sections)
    };
    assert!(matches!(
        bytes[..],
        [SectionValue::Integer(1), SectionValue::Integer(u64::MAX)]
    ));
    assert!(matches!(words[..], [SectionValue::Difference(a, b)] if a == b));
    assert!(matches!(longs[..], [SectionValue::Label(_, 4)]));
    assert_eq!(
        problems(".section .debug_info { .b8 300 }"),
        ["1; error: Value out of range for type .b8 300"]
    );
    assert_eq!(problems(".section .debug_info { .b8 1; }"), near(1, ";"));
}

#[test]
fn bytes_that_are_no_text() {
    let first = |text: &[u8]| parse_alone(text).problems[0].vendor_text().to_owned();
    assert_eq!(
        first(b".version 9.0\n.target sm_90\n// \xe9\n"),
        "Unexpected non-ASCII character encountered on line 3"
    );
    assert_eq!(
        first(b".version 9.0\n.target sm_90\n\0"),
        "Unexpected EOF encountered on line 3"
    );
    assert_eq!(parse_alone(b"\x7fELF\x02\x01\x01\0").problems.len(), 1);
}

#[test]
fn depth_and_size_have_limits() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
    assert_eq!(
        problems(&format!(".global .b32 x = {};", deep("(", ")"))),
        ["1; fatal: Parsing error: memory exhausted"]
    );
    assert_eq!(
        problems(&format!(".global .b32 x = {};", deep("-", ""))),
        ["1; fatal: Parsing error: memory exhausted"]
    );
    assert_eq!(problems(&format!(".global .b32 x = {};", deep("{", "}"))).len(), 1);
    assert_eq!(
        in_kernel(&"{".repeat(100_000)),
        [
            "1; fatal: Parsing error near '{': memory exhausted",
            "2; fatal: Parsing error near '': syntax error"
        ]
    );
    assert_eq!(
        in_kernel(".reg .b32 a<4294967295>;"),
        ["1; fatal: Memory allocation failure"]
    );
    assert_eq!(in_kernel(".reg .b32 a<4294967296>;"), ["1; error: Constant overflow"]);
    let many = format!("mov.b32 {{%r1{}}}, %r2;", ", %r1".repeat(100_000));
    assert_eq!(in_kernel(&many).len(), 1);
    assert_eq!(problems(&"}\n".repeat(100_000)).len(), 10_001);
}
