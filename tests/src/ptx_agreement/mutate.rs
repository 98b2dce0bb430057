//! Faulty (and sometimes still legal) lines out of good ones.

use super::{
    Line,
    frame::{Frame, TARGETS},
    statement::{Statement, split_operands, statements},
};
use crate::Random;
use std::collections::{BTreeMap, BTreeSet};

/// Types, which any type may be replaced by.
const TYPES: &str =
    "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 tf32 pred u16x2 s16x2 f32x2";

/// Modifiers of one meaning, each of which may stand for another.
const CLASSES: &[&str] = &[
    TYPES,
    "rn rz rm rp rna rs rni rzi rmi rpi",
    "global shared shared::cta shared::cluster local const param param::entry param::func",
    "cta cluster gpu sys",
    "weak relaxed acquire release acq_rel volatile mmio sc",
    "ca cg cs lu cv wb wt",
    "v2 v4 v8",
    "x1 x2 x4 x8 x16 x32 x64 x128",
    "add min max and or xor inc dec exch cas",
    "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan",
    "1d 2d 3d a1d a2d cube acube 2dms a2dms 4d 5d",
    "row col",
    "sat satfinite relu ftz noftz",
    "up down bfly idx",
    "all any uni ballot",
    "lo hi wide",
    "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::evict_normal L2::evict_first L2::evict_last L2::64B L2::128B L2::256B L2::cache_hint",
    "m8n8k4 m8n8k16 m8n8k32 m8n8k128 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m16n8k64 m16n8k128 m16n8k256 m16n16k16 m32n8k16 m8n32k16 m16n16k8",
    "trap zero clamp wrap",
    "e4m3 e5m2 e2m1 e3m2 e2m3 e4m3x2 e5m2x2 e2m1x2 ue8m0 ue8m0x2 ue4m3",
    "cta_group::1 cta_group::2",
    "kind::f16 kind::tf32 kind::f8f6f4 kind::i8 kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4",
];

/// Operands of every kind; `#` becomes a digit from 1 to 3.
const OPERANDS: &[&str] = &[
    "%r#",
    "%r#",
    "%rd#",
    "%h#",
    "%f#",
    "%fd#",
    "%p#",
    "%s#",
    "%uu#",
    "%sl#",
    "%ul#",
    "%ss#",
    "%us#",
    "%b#",
    "%hf1",
    "%hx1",
    "%v2_1",
    "%v4_1",
    "%q128_1",
    "0",
    "1",
    "7",
    "-1",
    "32",
    "255",
    "256",
    "65536",
    "0x12345678",
    "4294967296",
    "0xffffffffffffffff",
    "1.0",
    "-2.5",
    "0f3f800000",
    "0d3ff0000000000000",
    "gv",
    "sm",
    "cm",
    "lm",
    "P",
    "Q",
    "tex",
    "smp",
    "surf",
    "fn",
    "L",
    "_",
    "%tid.x",
    "%tid",
    "%clock64",
    "%laneid",
    "WARP_SZ",
    "[%rd1]",
    "[gv]",
    "[%rd1+4]",
    "{%r1,%r2}",
    "{%f1,%f2,%f3,%f4}",
    "{%r1}",
    "!%p1",
    "-%r1",
    "%p1|%p2",
    "%r1.b0",
    "%r1.x",
    "%v4_1.x",
    "gv+4",
    "%undeclared",
    "(%r1)",
    "1+2*3",
    "(1<<5)|3",
    "1U",
    "08",
    "0b101",
    "0x",
    "1?2:3",
    "!0",
    "~0",
    "-(3)",
    "sm+1000",
    "generic(gv)",
];

/// Addresses; `@` becomes an offset.
const ADDRESSES: &[&str] = &[
    "[%rd1+@]",
    "[%rd1+-@]",
    "[%r1]",
    "[%r1+@]",
    "[gv]",
    "[gv+@]",
    "[sm]",
    "[sm+@]",
    "[cm]",
    "[lm]",
    "[P]",
    "[Q]",
    "[@]",
    "[%f1]",
    "[%h1]",
    "[fn]",
    "[L]",
    "[tex]",
    "[%rd1-@]",
    "[gv][0]",
    "gv[1]",
    "[%rd1+%rd2]",
    "[1.0]",
    "[%p1]",
    "[_]",
    "[%tid]",
    "[-@]",
    "[gv+%r1]",
    "[generic(gv)]",
    "[sm+4+4]",
    "[%sl1]",
    "[%ul1]",
    "[%s1]",
];

const OFFSETS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "4",
    "8",
    "16",
    "4096",
    "8388607",
    "8388608",
    "2147483647",
    "2147483648",
    "4294967296",
];
const GUARDS: &[&str] = &[
    "@%p1 ",
    "@!%p1 ",
    "@%r1 ",
    "@%undeclared ",
    "@-%p1 ",
    "@%p1|%p2 ",
    "@!%tid.x ",
];
const REGISTERS: &[&str] = &[
    "%r", "%rd", "%h", "%f", "%fd", "%p", "%s", "%uu", "%sl", "%ul", "%ss", "%us", "%b", "%hf", "%hx", "%q128_",
];

/// A change to a statement; `false` if it does not apply.
type Change = fn(&mut Mutator, &mut Statement) -> bool;

/// Changes with their weights.
const CHANGES: &[(u64, Change)] = &[
    (6, drop_modifier),
    (2, double_modifier),
    (4, swap_modifiers),
    (19, modifier_of_the_same_class),
    (8, modifier_of_the_same_opcode),
    (8, insert_modifier_of_the_same_opcode),
    (6, insert_any_modifier),
    (9, register_of_another_type),
    (4, all_registers_of_another_type),
    (8, another_operand),
    (5, another_part_of_an_operand),
    (4, drop_operand),
    (4, add_operand),
    (3, swap_operands),
    (4, vector_length),
    (5, another_address),
    (2, prefix_operand),
    (2, guard),
    (1, another_opcode),
    (1, misspell),
];

/// Makes mutants of seed lines.
#[derive(Debug)]
pub struct Mutator {
    random: Random,
    seeds: Vec<String>,
    /// Opcodes with the seeds that have them, so that rare opcodes get their share.
    by_opcode: Vec<(String, Vec<usize>)>,
    /// Modifiers seen with each opcode.
    modifiers: BTreeMap<String, Vec<String>>,
    all_modifiers: Vec<String>,
}

impl Mutator {
    /// Mutants of `seeds`; the same seed number gives the same mutants.
    pub fn new(seeds: Vec<String>, number: u64) -> Mutator {
        let mut by_opcode: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut modifiers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (index, seed) in seeds.iter().enumerate() {
            for (_, statement) in statements(seed) {
                let (opcode, rest) = statement.parts.split_first().expect("a mnemonic has a first part");
                by_opcode.entry(opcode.clone()).or_default().push(index);
                modifiers
                    .entry(opcode.clone())
                    .or_default()
                    .extend(rest.iter().cloned());
            }
        }
        let mut all: BTreeSet<String> = modifiers.values().flatten().cloned().collect();
        all.extend(CLASSES.iter().flat_map(|class| class.split(' ')).map(str::to_owned));
        Mutator {
            random: Random::new(number),
            seeds,
            by_opcode: by_opcode.into_iter().collect(),
            modifiers: modifiers
                .into_iter()
                .map(|(opcode, set)| (opcode, set.into_iter().collect()))
                .collect(),
            all_modifiers: all.into_iter().collect(),
        }
    }

    /// `count` mutants, or none if no seed has an instruction.
    pub fn lines(&mut self, count: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        while lines.len() < count && !self.by_opcode.is_empty() {
            let seed = self.seed();
            lines.extend(self.mutant(&seed).map(|body| self.on_some_target(body)));
        }
        lines
    }

    /// `body` with one or two changes in its statements.
    pub fn mutant(&mut self, body: &str) -> Option<String> {
        if self.random.below(10) == 0 {
            return Some(body.to_owned());
        }
        let mut body = body.to_owned();
        for _ in 0..1 + u64::from(self.random.below(4) == 0) {
            let mut found = statements(&body);
            if found.is_empty() {
                break;
            }
            let (place, mut statement) = found.swap_remove(self.random.below(found.len() as u64) as usize);
            if !self.change()(self, &mut statement) {
                return None;
            }
            body.replace_range(place, &statement.text());
        }
        Some(body)
    }

    fn seed(&mut self) -> String {
        let index = if self.random.below(2) == 0 {
            self.random.below(self.seeds.len() as u64) as usize
        } else {
            let opcode = self.random.below(self.by_opcode.len() as u64) as usize;
            let seeds = &self.by_opcode[opcode].1;
            seeds[self.random.below(seeds.len() as u64) as usize]
        };
        self.seeds[index].clone()
    }

    fn change(&mut self) -> Change {
        let total: u64 = CHANGES.iter().map(|(weight, _)| weight).sum();
        let mut left = self.random.below(total);
        for &(weight, change) in CHANGES {
            if left < weight {
                return change;
            }
            left -= weight;
        }
        unreachable!("less than the sum of the weights")
    }

    fn on_some_target(&mut self, body: String) -> Line {
        let (target, versions) = *self.pick(TARGETS);
        let version = if self.random.below(5) < 3 {
            "9.0"
        } else {
            *self.pick(versions)
        };
        Line {
            frame: Frame::Lines,
            body,
            target: target.to_owned(),
            version: version.to_owned(),
        }
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.random.below(from.len() as u64) as usize]
    }

    /// A place in a list of `length` elements, from `first`.
    fn place(&mut self, first: usize, length: usize) -> Option<usize> {
        (length > first).then(|| first + self.random.below((length - first) as u64) as usize)
    }

    fn word(&mut self, words: &'static str) -> &'static str {
        let words: Vec<&str> = words.split(' ').collect();
        words[self.random.below(words.len() as u64) as usize]
    }

    fn operand(&mut self) -> String {
        let digit = char::from(b'1' + self.random.below(3) as u8).to_string();
        self.pick(OPERANDS).replace('#', &digit)
    }

    fn modifier_with(&mut self, opcode: &str) -> String {
        let own = self
            .modifiers
            .get(opcode)
            .filter(|own| !own.is_empty())
            .unwrap_or(&self.all_modifiers)
            .clone();
        self.pick(&own).clone()
    }
}

fn drop_modifier(m: &mut Mutator, s: &mut Statement) -> bool {
    m.place(1, s.parts.len()).map(|at| s.parts.remove(at)).is_some()
}

fn double_modifier(m: &mut Mutator, s: &mut Statement) -> bool {
    let Some(at) = m.place(1, s.parts.len()) else {
        return false;
    };
    let copy = s.parts[at].clone();
    let to = m.place(1, s.parts.len() + 1).expect("there is a modifier");
    s.parts.insert(to, copy);
    true
}

fn swap_modifiers(m: &mut Mutator, s: &mut Statement) -> bool {
    let (Some(a), Some(b)) = (m.place(1, s.parts.len()), m.place(1, s.parts.len())) else {
        return false;
    };
    s.parts.swap(a, b);
    a != b
}

fn modifier_of_the_same_class(m: &mut Mutator, s: &mut Statement) -> bool {
    let choices: Vec<(usize, &'static str)> = (1..s.parts.len())
        .flat_map(|at| CLASSES.iter().map(move |class| (at, *class)))
        .filter(|(at, class)| class.split(' ').any(|word| word == s.parts[*at]))
        .collect();
    let Some(choice) = m.place(0, choices.len()) else {
        return false;
    };
    let (at, class) = choices[choice];
    let word = m.word(class);
    let changed = s.parts[at] != word;
    s.parts[at] = word.to_owned();
    changed
}

fn modifier_of_the_same_opcode(m: &mut Mutator, s: &mut Statement) -> bool {
    let Some(at) = m.place(1, s.parts.len()) else {
        return false;
    };
    s.parts[at] = m.modifier_with(&s.parts[0]);
    true
}

fn insert_modifier_of_the_same_opcode(m: &mut Mutator, s: &mut Statement) -> bool {
    let at = m.place(1, s.parts.len() + 1).expect("a place after the opcode");
    let modifier = m.modifier_with(&s.parts[0]);
    s.parts.insert(at, modifier);
    true
}

fn insert_any_modifier(m: &mut Mutator, s: &mut Statement) -> bool {
    let at = m.place(1, s.parts.len() + 1).expect("a place after the opcode");
    let all = m.all_modifiers.clone();
    s.parts.insert(at, m.pick(&all).clone());
    true
}

/// The registers in an operand list: the place of each name and how long its letters are.
fn registers(text: &str) -> Vec<(usize, usize, usize)> {
    let mut found = Vec::new();
    for (start, _) in text.match_indices('%') {
        let rest = &text[start + 1..];
        let letters = 1 + rest.bytes().take_while(u8::is_ascii_lowercase).count();
        let digits = text[start + letters..].bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            found.push((start, letters, letters + digits));
        }
    }
    found
}

fn register_of_another_type(m: &mut Mutator, s: &mut Statement) -> bool {
    let mut text = s.operands.join(", ");
    let found = registers(&text);
    let Some(which) = m.place(0, found.len()) else {
        return false;
    };
    let (start, _, length) = found[which];
    let name = format!("{}{}", m.pick(REGISTERS), 1 + m.random.below(3));
    text.replace_range(start..start + length, &name);
    s.operands = split_operands(&text);
    true
}

fn all_registers_of_another_type(m: &mut Mutator, s: &mut Statement) -> bool {
    let mut text = s.operands.join(", ");
    let found = registers(&text);
    let Some(which) = m.place(0, found.len()) else {
        return false;
    };
    let letters = text[found[which].0..][..found[which].1].to_owned();
    let new = *m.pick(&REGISTERS[..6]);
    for &(start, length, _) in found.iter().rev() {
        if text[start..start + length] == letters {
            text.replace_range(start..start + length, new);
        }
    }
    s.operands = split_operands(&text);
    letters != new
}

fn another_operand(m: &mut Mutator, s: &mut Statement) -> bool {
    let Some(at) = m.place(0, s.operands.len()) else {
        return false;
    };
    s.operands[at] = m.operand();
    true
}

fn another_part_of_an_operand(m: &mut Mutator, s: &mut Statement) -> bool {
    let mut text = s.operands.join(", ");
    let found = registers(&text);
    let Some(which) = m.place(0, found.len()) else {
        return false;
    };
    let (start, _, length) = found[which];
    text.replace_range(start..start + length, &m.operand());
    s.operands = split_operands(&text);
    true
}

fn drop_operand(m: &mut Mutator, s: &mut Statement) -> bool {
    m.place(0, s.operands.len()).map(|at| s.operands.remove(at)).is_some()
}

fn add_operand(m: &mut Mutator, s: &mut Statement) -> bool {
    let anywhere = m.place(0, s.operands.len() + 1).expect("a place at the end");
    let at = if m.random.below(4) == 0 {
        anywhere
    } else {
        s.operands.len()
    };
    s.operands.insert(at, m.operand());
    true
}

fn swap_operands(m: &mut Mutator, s: &mut Statement) -> bool {
    let (Some(a), Some(b)) = (m.place(0, s.operands.len()), m.place(0, s.operands.len())) else {
        return false;
    };
    s.operands.swap(a, b);
    a != b
}

/// A vector with an element more, fewer, twice or half as many, or one of another kind.
fn vector_length(m: &mut Mutator, s: &mut Statement) -> bool {
    let vectors: Vec<usize> = (0..s.operands.len())
        .filter(|&at| s.operands[at].contains('{'))
        .collect();
    let Some(at) = m.place(0, vectors.len()).map(|n| vectors[n]) else {
        return false;
    };
    let operand = &s.operands[at];
    let (Some(open), Some(close)) = (operand.find('{'), operand.find('}')) else {
        return false;
    };
    if close < open {
        return false;
    }
    let mut elements: Vec<String> = operand[open + 1..close]
        .split(',')
        .map(|e| e.trim().to_owned())
        .collect();
    let which = m.place(0, elements.len()).expect("split gives one element at least");
    match m.random.below(6) {
        0 => elements.push(elements[which].clone()),
        1 => drop(elements.pop()),
        2 => elements.extend_from_within(..),
        3 => elements.truncate(elements.len().div_ceil(2)),
        4 => elements[which] = m.operand(),
        _ => elements[which] = "_".to_owned(),
    }
    s.operands[at] = format!(
        "{}{{{}}}{}",
        &operand[..open],
        elements.join(","),
        &operand[close + 1..]
    );
    true
}

fn another_address(m: &mut Mutator, s: &mut Statement) -> bool {
    let addresses: Vec<usize> = (0..s.operands.len())
        .filter(|&at| s.operands[at].starts_with('['))
        .collect();
    let Some(at) = m.place(0, addresses.len()).map(|n| addresses[n]) else {
        return false;
    };
    let offset = *m.pick(OFFSETS);
    let new = m.pick(ADDRESSES).replace('@', offset);
    let keep_brackets = m.random.below(8) != 0;
    let old = &s.operands[at];
    s.operands[at] = match old.split_once(',') {
        _ if !keep_brackets => old.trim_matches(['[', ']']).to_owned(),
        Some((_, rest)) if m.random.below(2) == 0 => format!("{},{rest}", new.trim_end_matches(']')),
        Some((first, _)) => format!("{first}]"),
        None => new,
    };
    true
}

fn prefix_operand(m: &mut Mutator, s: &mut Statement) -> bool {
    let mut text = s.operands.join(", ");
    let found = registers(&text);
    let Some(which) = m.place(0, found.len()) else {
        return false;
    };
    text.insert(found[which].0, *m.pick(&['!', '-', '~', '+']));
    s.operands = split_operands(&text);
    true
}

fn guard(m: &mut Mutator, s: &mut Statement) -> bool {
    s.guard = (*m.pick(GUARDS)).to_owned();
    true
}

fn another_opcode(m: &mut Mutator, s: &mut Statement) -> bool {
    let Some(which) = m.place(0, m.by_opcode.len()) else {
        return false;
    };
    s.parts[0] = m.by_opcode[which].0.clone();
    true
}

fn misspell(m: &mut Mutator, s: &mut Statement) -> bool {
    let part = m.place(0, s.parts.len()).expect("a mnemonic has a first part");
    let Some(at) = m.place(0, s.parts[part].len()) else {
        return false;
    };
    let letter = s.parts[part].remove(at);
    match m.random.below(3) {
        0 => {}
        1 => s.parts[part].insert(at, letter.to_ascii_uppercase()),
        _ => s.parts[part].insert_str(at, &format!("{letter}{letter}")),
    }
    true
}
