//! Damage with a sense of what it damages: numbers become those at the edges, tokens and lines change places, fields of headers claim what is not there.

use super::damage;
use crate::Random;

/// Numbers at which something ends.
const EDGES: [&str; 24] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "8",
    "16",
    "31",
    "32",
    "33",
    "63",
    "64",
    "127",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775808",
    "18446744073709551616",
];

/// Words that are at home in one of the texts or another.
const WORDS: [&str; 40] = [
    ".align",
    ".v4",
    ".b8",
    ".pred",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    "<",
    ">",
    "::",
    "...",
    "@p",
    "%r1",
    "0x",
    "1e999",
    "\"",
    "\\",
    "//",
    "/*",
    "*/",
    "template<",
    "typename",
    "operator",
    "decltype(",
    "i1",
    "i128",
    "ptr",
    "undef",
    "phi",
    "poison",
    "to",
    "= {",
    "#define",
    "##",
    "NaN",
];

/// A damaged text. `other` is another one of its kind, of which parts may come in.
pub(super) fn damaged_text(seed: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..1 + random.below(4) {
        match random.below(10) {
            0..=2 => number(&mut bytes, random),
            3 => word(&mut bytes, random),
            4 | 5 => token(&mut bytes, random),
            6 | 7 => line(&mut bytes, other, random),
            8 => nest(&mut bytes, random),
            _ => damage(&mut bytes, random),
        }
    }
    bytes
}

fn tokens(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'%' | b'$' | b'.');
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        at += 1;
        if is_word(bytes[start]) {
            while at < bytes.len() && is_word(bytes[at]) {
                at += 1;
            }
        }
        if !bytes[start].is_ascii_whitespace() {
            found.push(start..at);
        }
    }
    found
}

fn any<'a, T>(list: &'a [T], random: &mut Random) -> Option<&'a T> {
    match list.len() {
        0 => None,
        length => list.get(random.below(length as u64) as usize),
    }
}

/// A number becomes another.
fn number(bytes: &mut Vec<u8>, random: &mut Random) {
    let numbers: Vec<_> = tokens(bytes)
        .into_iter()
        .filter(|range| bytes[range.start].is_ascii_digit())
        .collect();
    if let (Some(range), Some(edge)) = (any(&numbers, random), any(&EDGES, random)) {
        bytes.splice(range.clone(), edge.bytes());
    }
}

/// A word comes in, or takes the place of another.
fn word(bytes: &mut Vec<u8>, random: &mut Random) {
    let places = tokens(bytes);
    if let (Some(range), Some(word)) = (any(&places, random), any(&WORDS, random)) {
        let end = if random.below(2) == 0 { range.start } else { range.end };
        bytes.splice(range.start..end, word.bytes());
    }
}

/// A token is doubled, dropped, or takes the place of another.
fn token(bytes: &mut Vec<u8>, random: &mut Random) {
    let places = tokens(bytes);
    let (Some(one), Some(other)) = (any(&places, random), any(&places, random)) else {
        return;
    };
    let copy = bytes[other.clone()].to_vec();
    match random.below(3) {
        0 => drop(bytes.splice(one.clone(), [])),
        1 => drop(bytes.splice(one.start..one.start, copy)),
        _ => drop(bytes.splice(one.clone(), copy)),
    }
}

/// A line is doubled, dropped, moved, or comes from another text.
fn line(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let lines: Vec<Vec<u8>> = bytes
        .split_inclusive(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let others: Vec<&[u8]> = other.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.is_empty() {
        return;
    }
    let mut lines = lines;
    let (at, to) = (
        random.below(lines.len() as u64) as usize,
        random.below(lines.len() as u64) as usize,
    );
    match random.below(4) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(to, lines[at].clone()),
        2 => lines.swap(at, to),
        _ => {
            if let Some(line) = any(&others, random) {
                lines.insert(at, line.to_vec());
            }
        }
    }
    *bytes = lines.concat();
}

/// A bracket or word again and again.
fn nest(bytes: &mut Vec<u8>, random: &mut Random) {
    let places = tokens(bytes);
    let Some(range) = any(&places, random) else { return };
    let part = bytes[range.clone()].to_vec();
    let times = [2, 16, 200, 2000][random.below(4) as usize];
    bytes.splice(range.start..range.start, part.repeat(times));
}

/// Values that fields of binary files claim.
fn claim(random: &mut Random) -> u64 {
    match random.below(6) {
        0 => 0,
        1 => u64::MAX,
        2 => 1 << random.below(64),
        3 => (1_u64 << random.below(64)).wrapping_sub(1),
        4 => random.below(256),
        _ => random.next_u64(),
    }
}

/// A damaged binary file: fields of headers, which lie on multiples of their sizes, and single bytes.
pub(super) fn damaged_binary(seed: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..1 + random.below(3) {
        if random.below(3) == 0 {
            damage(&mut bytes, random);
            continue;
        }
        let size = [1, 2, 4, 8][random.below(4) as usize];
        if bytes.len() < 2 * size {
            continue;
        }
        // Half of the fields are of the header at the start or of the tables at the end.
        let slots = bytes.len() / size;
        let near = slots.min(512 / size);
        let slot = match random.below(4) {
            0 => random.below(near.min(64) as u64) as usize,
            1 => slots - 1 - random.below(near as u64) as usize,
            _ => random.below(slots as u64) as usize,
        };
        bytes[slot * size..(slot + 1) * size].copy_from_slice(&claim(random).to_le_bytes()[..size]);
    }
    bytes
}
