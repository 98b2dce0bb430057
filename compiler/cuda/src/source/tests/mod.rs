//! Tests of preprocessing as a whole.

mod conditions;
mod macros;

use super::{Context, Definition, Memory, Options, Prelude, TokenKind, Tokens, preprocess, print, tokenize};

fn options() -> Options {
    Options {
        prelude: Prelude::None,
        ..Options::default()
    }
}

/// The preprocessed text without line markers, empty lines and indentation, and what was said, one line each.
fn expand_files(files: &Memory, options: &Options) -> String {
    let mut context = Context::new();
    let printed = print(&mut context, files, options, "t.cu");
    let mut lines: Vec<String> = printed
        .lines()
        .map(|line| line.trim().to_string())
        .filter(|line| !line.is_empty() && !line.starts_with("# "))
        .collect();
    for report in context.diagnostics.reports() {
        let place = context.map.place(report.span.first);
        let place = place.map_or(String::new(), |place| format!(" {place}"));
        lines.push(format!("{}{place}: {}", report.severity.word(), report.message));
    }
    lines.join("\n")
}

fn expand(text: &str) -> String {
    expand_files(&Memory::new().with("t.cu", text), &options())
}

#[test]
fn headers() {
    let files = Memory::new()
        .with(
            "t.cu",
            "#include \"a.h\"\n#include <b.h>\n#define C <c.h>\n#include C\n#include \"none.h\"\nend\n",
        )
        .with("a.h", "a1\n#include \"sub/a.h\"\na2\n")
        .with("sub/a.h", "sub_a\n#include \"next.h\"\n")
        .with("sub/next.h", "next\n")
        .with("i/b.h", "b1\n#include_next <b.h>\nb2\n")
        .with("s/b.h", "b_system\n#define X 1\n#define X 2\n")
        .with("s/c.h", "__FILE__ __LINE__ __INCLUDE_LEVEL__\n");
    let options = Options {
        folders: vec!["i".into()],
        system_folders: vec!["s".into()],
        ..options()
    };
    assert_eq!(
        expand_files(&files, &options),
        "\
a1
sub_a
next
a2
b1
b_system
b2
\"s/c.h\" 1 1
end
error t.cu:5:10: there is no file `none.h` in the folders searched"
    );
}

#[test]
fn include_guards_and_once() {
    let files = Memory::new()
        .with("t.cu", "#include \"g.h\"\n#include \"g.h\"\n#include \"o.h\"\n#include \"o.h\"\n#include \"d.h\"\n#include \"d.h\"\n#undef G\n#include \"g.h\"\n")
        .with("g.h", "// guarded\n#ifndef G\n#define G\ng\n#endif // G\n")
        .with("d.h", "#if !defined(D)\n#define D\nd\n#endif\n")
        .with("o.h", "#pragma once\no\n");
    assert_eq!(expand_files(&files, &options()), "g\no\nd\ng");
}

#[test]
fn has_include() {
    let files = Memory::new()
        .with(
            "t.cu",
            "#define H <h.h>\n#if __has_include(\"h.h\") && __has_include(<h.h>) && __has_include(H) && !__has_include(<n.h>)\nyes\n#endif\n#ifdef __has_include\nyes\n#endif\n",
        )
        .with("h.h", "");
    let options = Options {
        folders: vec![".".into()],
        ..options()
    };
    assert_eq!(expand_files(&files, &options), "yes\nyes");
}

#[test]
fn inclusion_without_end() {
    let files = Memory::new().with("t.cu", "#include \"t.cu\"\n");
    assert_eq!(
        expand_files(&files, &options()),
        "error t.cu:1:10: files are included in one another deeper than 200"
    );
}

#[test]
fn options_define_and_include() {
    let files = Memory::new()
        .with("t.cu", "A B F(2) C i\n")
        .with("i.h", "#define i included\n");
    let options = Options {
        definitions: vec![
            Definition::Define("A".into()),
            Definition::Define("B=b b".into()),
            Definition::Define("F(x)=x+x".into()),
            Definition::Define("C=1".into()),
            Definition::Undefine("C".into()),
        ],
        includes: vec!["i.h".into()],
        ..options()
    };
    assert_eq!(expand_files(&files, &options), "1 b b 2+2 C included");
}

#[test]
fn lines_and_markers() {
    let text = "\
__LINE__ __COUNTER__ __COUNTER__
#line 100
__LINE__ __FILE__
#define L 200 \"a\\\\b.h\"
#line L
__LINE__ __FILE__ __BASE_FILE__
# 7 \"c.h\" 2
__LINE__ __FILE__
#line x
#line 0x10
";
    assert_eq!(
        expand(text),
        "\
1 0 1
100 \"t.cu\"
200 \"a\\\\b.h\" \"t.cu\"
7 \"c.h\"
error c.h:8:7: `#line` must be followed by a number from 0 to 2147483647 and may have a file name after it
error c.h:9:7: `#line` must be followed by a number from 0 to 2147483647 and may have a file name after it"
    );
}

#[test]
fn messages() {
    assert_eq!(
        expand("#error  no \"good\n#warning careful\n#error\n"),
        "error t.cu:1:2: #error: no \"good\nwarning t.cu:2:2: #warning: careful\nerror t.cu:3:2: #error"
    );
}

#[test]
fn pragmas() {
    let text = "\
#define N 4
#pragma unroll N
for
#pragma unroll
for
_Pragma(\"unroll (N + 1)\") for
#define U(n) _Pragma(#n)
U(nounroll) for
#pragma nv_diag_suppress 177
#pragma push_macro(\"N\")
#undef N
#define N 5
N
#pragma pop_macro(\"N\")
N
#pragma GCC poison bad
bad
_Pragma(1)
";
    assert_eq!(
        expand(text),
        "\
#pragma unroll 4
for
#pragma unroll
for
#pragma unroll (4 + 1)
for
#pragma nounroll
for
#pragma nv_diag_suppress 177
5
4
bad
error t.cu:17:1: `bad` has been poisoned
error t.cu:18:1: `_Pragma` must be followed by a string in parentheses"
    );
}

#[test]
fn printed_text_keeps_tokens_apart() {
    let text = "\
#define p +
#define e
#define d .
+p -e- p+ 1e e2 d 5 d.. <e:: x
";
    assert_eq!(expand(text), "+ + - - + + 1e e2 . 5 . . . < :: x");
}

/// The tokens of a text as the parser has them, one line.
fn parsed(text: &str) -> String {
    let mut context = Context::new();
    let tokens = tokenize(&mut context, "t.cu", text);
    let mut out: Vec<String> = Vec::new();
    for token in &tokens.list {
        let joined = if token.joined { "~" } else { "" };
        out.push(show(&context, &tokens, token.kind) + joined);
    }
    for report in context.diagnostics.reports() {
        out.push(format!("!{}", report.message));
    }
    out.join(" ")
}

fn show(context: &Context, tokens: &Tokens, kind: TokenKind) -> String {
    match kind {
        TokenKind::Identifier(name) => context.text(name).to_string(),
        TokenKind::Keyword(keyword) => format!("{keyword:?}"),
        TokenKind::Punctuator(punctuator) => punctuator.text().to_string(),
        TokenKind::Literal(id) => match tokens.literal(id) {
            super::Literal::Integer(literal) => literal.value.to_string(),
            super::Literal::Float(literal) => f64::from_bits(literal.double).to_string(),
            super::Literal::Character(literal) => format!("'{}'", literal.value),
            super::Literal::String(literal) => format!("{:?}\"{}\"", literal.encoding, literal.to_text()),
        },
        TokenKind::Pragma(id) => {
            let pragma = tokens.pragma(id);
            let content: Vec<_> = pragma
                .tokens
                .iter()
                .map(|token| show(context, tokens, token.kind))
                .collect();
            format!("{:?}[{}]", pragma.kind, content.join(" "))
        }
        TokenKind::Unknown(character) => format!("?{character}"),
        TokenKind::End => "End".to_string(),
    }
}

#[test]
fn tokens_of_the_parser() {
    assert_eq!(parsed("a<b<c>>d"), "a < b < c >~ > d End");
    assert_eq!(parsed("k<<<1,2>>>() x>>=1"), "k <<< 1 , 2 >~ >~ > ( ) x >~ >= 1 End");
    assert_eq!(parsed("int and not concept <% %>"), "Int && ! concept { } End");
    assert_eq!(parsed("\"a\" L\"b\"\n\"c\" 'x' 1.5f"), "Wide\"abc\" '120' 1.5 End");
    assert_eq!(parsed("__global__ __inline__ @"), "CudaGlobal Inline ?@ End");
    assert_eq!(
        parsed("#define N 2\n#pragma unroll N*2\nfor"),
        "Unroll[2 * 2 End] For End"
    );
    assert_eq!(
        parsed("08 u8\"a\" u\"b\""),
        "0 Ordinary\"\" End !`8` is no digit of a number to the base 8 !strings with different prefixes stand together"
    );
}

#[test]
fn an_error_in_a_macro_shows_its_body() {
    let mut context = Context::new();
    tokenize(&mut context, "t.cu", "#define BAD(x) x + 09\nint y =\n  BAD(1);\n");
    assert_eq!(
        context.render(),
        "\
error: `9` is no digit of a number to the base 8
 --> t.cu:3:3
  |
3 |   BAD(1);
  |   ^^^^^^
  |
note: expanded from this macro
 --> t.cu:1:20
  |
1 | #define BAD(x) x + 09
  |                    ^^
"
    );
}

#[test]
fn line_markers_of_the_printer() {
    let files = Memory::new()
        .with("t.cu", "a\n#include \"h.h\"\nb\n\n\n\n\n\n\n\n\n\n\n\nc d\ne\n")
        .with("h.h", "\nh\n");
    let mut context = Context::new();
    let printed = print(&mut context, &files, &options(), "t.cu");
    assert_eq!(
        printed,
        "\
# 1 \"t.cu\"
a
# 2 \"h.h\" 1
h
# 3 \"t.cu\" 2
b
# 15 \"t.cu\"
c d
e
"
    );
}

#[test]
fn expansion_has_limits() {
    let mut text = String::from("#define a0 x x x x x x x x\n");
    for level in 1..12 {
        let before = level - 1;
        text += &format!(
            "#define a{level} a{before} a{before} a{before} a{before} a{before} a{before} a{before} a{before}\n"
        );
    }
    text += "#define f(x) x\n#define g(x) f(f(f(f(f(f(f(f(f(f(x))))))))))\n";
    let deep = format!("{}1{}\n", "f(".repeat(2000), ")".repeat(2000));
    let mut context = Context::new();
    tokenize(&mut context, "t.cu", &format!("{text}{deep}"));
    assert_eq!(
        context.diagnostics.reports()[0].message,
        "calls of macros are nested deeper than 300"
    );
}

#[test]
fn any_bytes_are_read() {
    const PIECES: &[&str] = &[
        "#",
        "##",
        "define ",
        "f(x,...)",
        "f(",
        ")",
        "(",
        ",",
        "__VA_ARGS__",
        "__VA_OPT__",
        "if ",
        "#if ",
        "#endif\n",
        "#else\n",
        "#elif ",
        "\n#define f(x) #x x##x\n",
        "\n#define g f(g)\n",
        "\n",
        " ",
        "\\\n",
        "\\",
        "\"",
        "'",
        "R\"(",
        ")\"",
        "/*",
        "*/",
        "//",
        "0x1p",
        "1e+",
        "08",
        "defined ",
        "__has_include(",
        "<a>",
        "include ",
        "_Pragma(\"unroll 3\")",
        "_Pragma(",
        "line 3 ",
        "é",
        "\u{0}",
        "x",
        "g",
        "u8",
        "<<<",
        ">>>=",
        "?",
        ":",
        "!",
        "-",
        "__LINE__",
        "__COUNTER__",
        "pragma once\n",
        "%:",
        "\u{feff}",
        "1",
        "\n#include \"t.cu\"\n",
    ];
    let start = std::time::Instant::now();
    let mut random = warpsmith_base::Random::new(0x9e37_79b9_7f4a_7c15);
    let mut rounds = 0;
    while start.elapsed().as_millis() < 700 && rounds < 20_000 {
        rounds += 1;
        let mut text = String::new();
        for _ in 0..random.below(40) {
            match random.below(20) {
                0 => text.push(random.below(256) as u8 as char),
                _ => text.push_str(PIECES[random.below(PIECES.len())]),
            }
        }
        let mut context = Context::new();
        context.diagnostics.set_limit(5);
        let files = Memory::new().with("t.cu", text.as_str());
        let unit = preprocess(&mut context, &files, &options(), "t.cu");
        assert_eq!(
            unit.tokens.list.last().map(|token| token.kind),
            Some(TokenKind::End),
            "{text:?}"
        );
        context.render();
        let mut context = Context::new();
        print(&mut context, &files, &options(), "t.cu");
    }
}

#[test]
fn the_prelude_is_read_without_fault() {
    for arch in [750, 900] {
        let files = Memory::new().with("t.cu", "");
        let options = Options {
            arch,
            prelude: Prelude::Whole,
            ..Options::default()
        };
        let mut context = Context::new();
        let unit = preprocess(&mut context, &files, &options, "t.cu");
        assert_eq!(context.render(), "");
        assert!(
            unit.tokens
                .list
                .iter()
                .all(|token| !matches!(token.kind, TokenKind::Unknown(_)))
        );
    }
}

#[test]
fn every_built_in_header_is_read_without_fault() {
    for header in super::headers::names() {
        let files = Memory::new().with("t.cu", format!("#include <{header}>\n"));
        let mut context = Context::new();
        preprocess(&mut context, &files, &options(), "t.cu");
        assert_eq!(context.render(), "", "{header}");
    }
}

/// The preprocessed text of all built-in headers, with these definitions on the command line.
fn every_built_in_header(definitions: Vec<Definition>) -> String {
    let includes = super::headers::names().map(|header| format!("#include <{header}>\n"));
    let options = Options {
        definitions,
        prelude: Prelude::Whole,
        ..Options::default()
    };
    expand_files(&Memory::new().with("t.cu", includes.collect::<String>()), &options)
}

#[test]
fn built_in_headers_do_not_see_the_programs_macros() {
    // Every name that a line of a built-in header has, unless it is reserved or a directive has it, too.
    let mut names = std::collections::BTreeSet::new();
    let mut in_directives = std::collections::BTreeSet::new();
    for header in super::headers::names() {
        let text = super::headers::find(header).expect("it is in the table");
        for line in text.replace("\\\n", " ").lines() {
            let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let words = words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
            match line.trim_start().starts_with('#') {
                true => in_directives.extend(words.map(str::to_string)),
                false => names.extend(words.map(str::to_string)),
            }
        }
    }
    // Operators, which cannot be macros.
    in_directives.extend(["and", "not", "or", "xor"].map(str::to_string));
    let definitions = names.difference(&in_directives);
    let definitions: Vec<_> = definitions
        .map(|name| Definition::Define(format!("{name}=?")))
        .collect();
    assert!(definitions.len() > 1000);
    let (with, without) = (every_built_in_header(definitions), every_built_in_header(Vec::new()));
    for (with, without) in with.lines().zip(without.lines()) {
        assert_eq!(with, without);
    }
    let more: Vec<&str> = with.lines().skip(without.lines().count()).collect();
    assert_eq!(more, [""; 0]);
}

#[test]
fn conditions_of_built_in_headers_see_the_programs_macros() {
    let text = "#include <cassert>\nassert(T)\n";
    let expand = |definitions: &[&str]| {
        let definitions = definitions.iter().map(|text| Definition::Define(text.to_string()));
        let options = Options {
            definitions: definitions.collect(),
            ..options()
        };
        let text = expand_files(&Memory::new().with("t.cu", text), &options);
        text.lines().last().unwrap_or_default().to_string()
    };
    assert_eq!(
        expand(&["T=float"]),
        "((float) ? (void)0 : __assertfail(\"T\", \"t.cu\", 2, __PRETTY_FUNCTION__, sizeof(char)))"
    );
    assert_eq!(expand(&["T=float", "NDEBUG"]), "((void)0)");
}

#[test]
fn headers_of_a_toolkit_whose_declarations_are_there_are_empty() {
    let header = "#if !defined(__VECTOR_TYPES_H__)\n#define __VECTOR_TYPES_H__\nstruct int2 { int x, y; };\n#endif\n";
    let files = Memory::new()
        .with("t.cu", "#include <vector_types.h>\nend\n")
        .with("toolkit/vector_types.h", header);
    let options = Options {
        folders: vec!["toolkit".into()],
        ..options()
    };
    assert_eq!(expand_files(&files, &options), "end");
}
