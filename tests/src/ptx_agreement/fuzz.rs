//! Random damage to PTX text: bytes, tokens, spliced lines, deep nesting, long tokens. A finding is a panic, a stack overflow (rounds run on a small
//! stack), a problem placed outside the text, or a text that takes far longer than its length allows. Seed and round repeat an input.

use super::seeds::SEEDS;
use crate::Random;
use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    time::{Duration, Instant},
};
use warpsmith_ptx::{Severity, format::format, print::print};

/// Stack of the thread that parses: recursion that depends on the input ends here.
const STACK: usize = 1 << 20;

/// What one text may cost at most, whatever is in it, on a busy machine and without optimisation.
const TIME_PER_TEXT: Duration = Duration::from_secs(60);

/// A module with every directive, before its kernel's instructions.
const DIRECTIVES: &str = r#".version 9.0
.target sm_100a, debug
.address_size 64
.pragma "nounroll";
.file 1 "first.cu", 1700000000, 4096
.global .align 16 .b32 table[4] = {1, 2, 0xff, -(3 + 4) * 2};
.global .attribute(.managed) .u64 pointer = generic(table) + 8;
.global .v4 .f32 quad = {1.0, 0f3f800000, -2.5e3, 0d3ff0000000000000};
.const .align 4 .u8 text[8] = {0x41, 0xff(table), 0};
.weak .shared .align 8 .b8 buffer[1024];
.extern .shared .align 16 .b8 dynamic[];
.common .global .u32 shared_count;
.global .texref image;
.extern .func helper (.param .align 8 .b8 record[16], .param .b32 n) .noreturn ;
.visible .func (.param .b32 result) twice (.param .b32 value) { .reg .b32 %r<4>; ld.param.b32 %r1, [value]; st.param.b32 [result], %r1; ret; }
.visible .func (.param .b32 result) other (.param .b32 value);
.alias other, twice;
.visible .entry kernel(.param .u64 .ptr .global .align 16 P, .param .u32 Q, .param .align 8 .b8 R[24])
.reqntid 128, 1, 1 .minnctapersm 2 .reqnctapercluster 2
{
.reg .b32 %r<64>; .reg .b64 %rd<64>; .reg .f32 %f<64>; .reg .f64 %fd<16>; .reg .b16 %h<16>; .reg .pred %p<8>; .reg .b128 %q128_<4>;
.local .align 16 .b8 lm[128];
.loc 1 2 3
mov.b32 %r0, 0;
.loc 1 3 7, function_name start, inlined_at 1 2 3
"#;

/// A module's end: calls, jump tables and debug data.
const ENDING: &str = r#"
{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call.uni (r), twice, (a); ld.param.b32 %r2, [r]; }
targets: .branchtargets one, two;
prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
one: two: @%p1 bra.uni L;
brx.idx %r1, targets;
L: ret;
}
.section .debug_str { start: .b8 1, 2, 3
.b32 start + 4
.b64 .debug_str }
"#;

/// Tokens to put anywhere.
const TOKENS: &[&str] = &[
    ".version",
    ".target",
    ".entry",
    ".func",
    ".visible",
    ".extern",
    ".weak",
    ".global",
    ".shared",
    ".param",
    ".reg",
    ".b32",
    ".u64",
    ".f16x2",
    ".pred",
    ".align",
    ".v4",
    ".section",
    ".loc",
    ".file",
    ".pragma",
    ".alias",
    ".branchtargets",
    ".callprototype",
    ".maxntid",
    ".ptr",
    ".attribute",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    ":",
    "=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "!",
    "~",
    "?",
    "@",
    "|",
    "&&",
    "<<",
    ">>",
    "==",
    "_",
    "%r1",
    "%p1",
    "%tid.x",
    "%r<1000000000>",
    "0",
    "1",
    "0x",
    "0xffffffffffffffffff",
    "18446744073709551616",
    "-9223372036854775808",
    "1/0",
    "0f3f80000",
    "0d7ff8000000000000",
    "1e999",
    "08",
    "\"",
    "//",
    "/*",
    "*/",
    "generic",
    "mask",
    "add.s32",
    "ld.global.v2.u32",
    "tcgen05.mma",
    "call",
    "bra",
    "ret",
    "\0",
    "\u{e9}",
    "# 1 \"x\"",
    "\r",
    "\t",
];

/// Texts that nest when repeated, with what closes them.
const NESTS: &[(&str, &str)] = &[
    ("{", "}"),
    ("(", ")"),
    ("[", "]"),
    ("{{", "}}"),
    ("-", ""),
    ("!", ""),
    ("~", ""),
    ("-(", ")"),
    ("1+(", ")"),
    ("1?(", "):0"),
    ("1?2:", ""),
    ("1+", ""),
    ("1<<", ""),
    ("generic(", ")"),
    ("(.s64)", ""),
    ("{ .reg .b32 t; ", "}"),
    ("{1,", "}"),
    ("[%rd1+", "]"),
    ("@%p1 ", ""),
    ("a:", ""),
    ("/*", "*/"),
    (".align 8 ", ""),
    ("x, ", ""),
    ("%r1|", ""),
    (".v2", ""),
    ("%r1.x", ""),
];

/// What was run.
#[derive(Debug, Default, Clone, Copy)]
pub struct Done {
    /// Texts parsed.
    pub texts: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The deepest nesting tried.
    pub deepest: usize,
    /// The longest token tried, in bytes.
    pub longest: usize,
    /// The longest time that one text took.
    pub slowest: Duration,
}

/// Runs rounds from `first` until `time` is over.
///
/// # Panics
/// On a finding; the text is in the folder for temporary files.
pub fn run(seed: u64, first: u64, time: Duration) -> Done {
    let thread = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || rounds(seed, first, time));
    let result = thread.expect("a thread starts").join();
    result.unwrap_or_else(|finding| resume_unwind(finding))
}

fn rounds(seed: u64, first: u64, time: Duration) -> Done {
    let start = Instant::now();
    let mut done = Done::default();
    let mut report = 30;
    // A stack overflow ends the process: then the text is still there.
    let current = std::env::temp_dir().join(format!("fuzz-ptx-current-{}.ptx", std::process::id()));
    while start.elapsed() < time {
        let round = first + done.texts;
        let mut random = Random::new(seed ^ round.wrapping_mul(0x9e37_79b9));
        let (text, risky) = text(&mut random, &mut done);
        if risky {
            std::fs::write(&current, &text).expect("the text can be written");
        }
        let began = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| check(&text)));
        let took = began.elapsed();
        done.slowest = done.slowest.max(took);
        if result.is_err() || took > TIME_PER_TEXT {
            let path = std::env::temp_dir().join(format!("fuzz-ptx-{seed}-{round}.ptx"));
            std::fs::write(&path, &text).expect("the text can be written");
            panic!(
                "seed {seed}, round {round}, {took:?}, {} bytes: see {}",
                text.len(),
                path.display()
            );
        }
        done.texts += 1;
        done.bytes += text.len() as u64;
        if start.elapsed().as_secs() >= report {
            eprintln!("round {round}: {done:?}");
            report += 30;
        }
    }
    drop(std::fs::remove_file(current));
    done
}

/// Parses `text` and looks at all that came of it. What has no error is printed, read again and printed again; what can be formatted is formatted twice.
fn check(text: &[u8]) {
    let parsed = warpsmith_ptx::parse(text);
    for problem in &parsed.problems {
        assert!(problem.span.start <= problem.span.end, "{problem:?}");
        assert!(problem.span.end as usize <= text.len(), "{problem:?}");
        assert!(!problem.vendor_text().is_empty(), "{problem:?}");
    }
    if parsed.problems.iter().all(|p| p.severity == Severity::Warning) {
        let printed = print(&parsed.module);
        let again = warpsmith_ptx::parse(printed.as_bytes());
        let errors: Vec<_> = again
            .problems
            .iter()
            .filter(|p| p.severity != Severity::Warning)
            .collect();
        assert!(errors.is_empty(), "the printed module has errors: {errors:?}");
        assert_eq!(print(&again.module), printed, "the module printed, read and printed");
    }
    if let Ok(formatted) = format(&String::from_utf8_lossy(text)) {
        assert_eq!(format(&formatted).as_ref(), Ok(&formatted), "formatted twice");
    }
}

/// A text of the kind that this round is about, and whether it is deep or long; those are rare.
fn text(random: &mut Random, done: &mut Done) -> (Vec<u8>, bool) {
    let mut module = module(random);
    let kind = random.below(200);
    match kind {
        0 => nest(&mut module, random, done),
        1 => lengthen(&mut module, random, done),
        2..80 => bytes(&mut module, random),
        80..160 => tokens(&mut module, random),
        _ => splice(&mut module, random),
    }
    (module, kind < 2)
}

/// A legal module with a few instructions, half of the time short.
fn module(random: &mut Random) -> Vec<u8> {
    let mut text = String::new();
    let whole = random.below(2) == 0;
    text.push_str(if whole { DIRECTIVES } else { ".version 9.0\n.target sm_100a\n.entry k(){.reg .b32 %r<8>;.reg .b64 %rd<8>;.reg .f32 %f<8>;.reg .pred %p<4>;.reg .b16 %h<8>;\n" });
    for _ in 0..1 + random.below(4) {
        text.push_str(SEEDS[random.below(SEEDS.len() as u64) as usize]);
        text.push('\n');
    }
    text.push_str(if whole { ENDING } else { "L: ret;}\n" });
    text.into_bytes()
}

fn place(text: &[u8], random: &mut Random) -> usize {
    random.below(text.len() as u64 + 1) as usize
}

/// Changes, removes, doubles or cuts a few bytes.
fn bytes(text: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(6) {
        if text.is_empty() {
            return;
        }
        let at = random.below(text.len() as u64) as usize;
        match random.below(8) {
            0 => text[at] = random.next_u64() as u8,
            1 => text[at] ^= 1 << random.below(8),
            2 => {
                text[at] = *b"\0\xff;{}()[]<>.,:%@\"/*\n 09"[..]
                    .get(random.below(24) as usize)
                    .unwrap_or(&b'x')
            }
            3 => drop(text.remove(at)),
            4 => text.insert(at, random.next_u64() as u8),
            5 if random.below(8) == 0 => text.truncate(at),
            6 => {
                let end = (at + random.below(64) as usize).min(text.len());
                let copy = text[at..end].to_vec();
                text.splice(at..at, copy);
            }
            _ => text[at] = text[at].wrapping_add(1),
        }
    }
}

/// The ends of words and signs in `text`.
fn boundary(text: &[u8], random: &mut Random) -> usize {
    let mut at = place(text, random);
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'%';
    while at < text.len() && at > 0 && word(text[at]) && word(text[at - 1]) {
        at += 1;
    }
    at
}

/// Inserts, removes, moves or replaces a few tokens.
fn tokens(text: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        let from = boundary(text, random);
        let to = boundary(text, random)
            .clamp(from, from.saturating_add(24))
            .min(text.len())
            .max(from);
        match random.below(4) {
            0 => drop(text.drain(from..to)),
            1 => {
                let moved: Vec<u8> = text.drain(from..to).collect();
                let at = boundary(text, random);
                text.splice(at..at, moved);
            }
            kind => {
                let token = TOKENS[random.below(TOKENS.len() as u64) as usize];
                let spaced = format!(" {token} ");
                text.splice(from..if kind == 2 { from } else { to }, spaced.into_bytes());
            }
        }
    }
}

/// Puts a run of lines of another module somewhere, or the second half of it.
fn splice(text: &mut Vec<u8>, random: &mut Random) {
    let other = module(random);
    let line = |text: &[u8], random: &mut Random| {
        let at = place(text, random);
        text[..at].iter().rposition(|&b| b == b'\n').map_or(0, |n| n + 1)
    };
    let (from, at) = (line(&other, random), line(text, random));
    match random.below(3) {
        0 => {
            text.truncate(at);
            text.extend_from_slice(&other[from..]);
        }
        _ => {
            let to = line(&other, random).max(from);
            text.splice(at..at, other[from..to].iter().copied());
        }
    }
}

/// Nests something deeply, most often closed again, at the end of a token.
fn nest(text: &mut Vec<u8>, random: &mut Random, done: &mut Done) {
    let (open, close) = NESTS[random.below(NESTS.len() as u64) as usize];
    let depth = 1 << random.below(18);
    let (opened, closed) = (
        depth,
        if random.below(4) == 0 {
            random.below(depth as u64) as usize
        } else {
            depth
        },
    );
    let nested = open.repeat(opened) + ["1", "%r1", "", ";"][random.below(4) as usize] + &close.repeat(closed);
    let at = boundary(text, random);
    text.splice(at..at, nested.into_bytes());
    done.deepest = done.deepest.max(depth);
}

/// Puts a long token, or a long row of short ones, at the end of a token.
fn lengthen(text: &mut Vec<u8>, random: &mut Random, done: &mut Done) {
    let length = 1 << random.below(22);
    let unit = [
        "a", "%r", "9", "0x1", "0f0", ".s32", ".x::y", "::", "\"", "\"a\n", "/* ", "// ", "$", "1.", " ", "\n", "\t",
        ".", "%", "{1}", "a;", "%r1,", "\\",
    ][random.below(23) as usize];
    let at = boundary(text, random);
    text.splice(at..at, unit.repeat(length / unit.len() + 1).into_bytes());
    done.longest = done.longest.max(length);
}
