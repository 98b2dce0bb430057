//! Records of debug information: which field each number is.

use std::fmt::Write;

use crate::attributes::signed;
use crate::debug_words::{ENCODINGS, FLAGS, FUNCTION_FLAGS, OPERATIONS, TAGS, flags, word};

/// What a field is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A text by its number plus one; 0 for none.
    Text(u64),
    /// The same, and the field is written without one, too.
    NeededText(u64),
    /// Metadata by its number plus one; 0 for none.
    Reference(u64),
    /// The same, and the field is written without it, too.
    Needed(u64),
    /// What is written as it is.
    Word(String),
}

/// A record: its name and its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Description {
    pub(crate) name: &'static str,
    pub(crate) fields: Vec<(&'static str, Part)>,
}

/// How a number of a record is read.
#[derive(Clone, Copy)]
enum Kind {
    Skip,
    Text,
    NeededText,
    Reference,
    Needed,
    /// A number; not written if it is 0.
    Number,
    /// A number that is written in any case.
    NeededNumber,
    /// A truth value; not written if it is false.
    Truth,
    /// A truth value; not written if it is true.
    Untruth,
    Tag,
    Encoding,
    Flags,
    FunctionFlags,
    /// A number plus one; 0 for none.
    NumberFromOne,
    Checksum,
}

use Kind::{
    Checksum, Encoding, Flags, FunctionFlags, Needed, NeededNumber, NeededText, Number, NumberFromOne, Reference, Skip,
    Tag, Text, Truth, Untruth,
};

/// A table of records: the code, the name, and the fields from the second number on.
type Row = (u32, &'static str, &'static [(&'static str, Kind)]);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    (7, "DILocation", &[("line", Number), ("column", Number)]),
    (15, "DIBasicType", &[("tag", Tag), ("name", Text), ("size", Number), ("align", Number), ("encoding", Encoding), ("flags", Flags)]),
    (16, "DIFile", &[("filename", NeededText), ("directory", NeededText), ("checksumkind", Checksum), ("checksum", Text), ("source", Text)]),
    (17, "DIDerivedType", &[
        ("tag", Tag), ("name", Text), ("file", Reference), ("line", Number), ("scope", Reference), ("baseType", Needed), ("size", Number), ("align", Number),
        ("offset", Number), ("flags", Flags), ("extraData", Reference), ("dwarfAddressSpace", NumberFromOne), ("annotations", Reference)]),
    (18, "DICompositeType", &[
        ("tag", Tag), ("name", Text), ("file", Reference), ("line", Number), ("scope", Reference), ("baseType", Reference), ("size", Number), ("align", Number),
        ("offset", Number), ("flags", Flags), ("elements", Reference), ("runtimeLang", Number), ("vtableHolder", Reference), ("templateParams", Reference),
        ("identifier", Text), ("discriminator", Reference), ("dataLocation", Reference), ("associated", Reference), ("allocated", Reference),
        ("rank", Reference), ("annotations", Reference)]),
    (19, "DISubroutineType", &[("flags", Flags), ("types", Needed), ("cc", Number)]),
    (20, "DICompileUnit", &[
        ("language", NeededNumber), ("file", Needed), ("producer", Text), ("isOptimized", Truth), ("flags", Text), ("runtimeVersion", Number),
        ("splitDebugFilename", Text), ("emissionKind", Number), ("enums", Reference), ("retainedTypes", Reference), ("", Skip), ("globals", Reference),
        ("imports", Reference), ("dwoId", Number), ("splitDebugInlining", Untruth), ("macros", Reference)]),
    (22, "DILexicalBlock", &[("scope", Needed), ("file", Reference), ("line", Number), ("column", Number)]),
    (23, "DILexicalBlockFile", &[("scope", Needed), ("file", Reference), ("discriminator", NeededNumber)]),
    (25, "DITemplateTypeParameter", &[("name", Text), ("type", Needed), ("defaulted", Truth)]),
    (27, "DIGlobalVariable", &[
        ("scope", Reference), ("name", Text), ("linkageName", Text), ("file", Reference), ("line", Number), ("type", Reference), ("isLocal", Truth),
        ("isDefinition", Untruth), ("declaration", Reference), ("templateParams", Reference), ("align", Number), ("annotations", Reference)]),
    (28, "DILocalVariable", &[
        ("scope", Needed), ("name", Text), ("file", Reference), ("line", Number), ("type", Reference), ("arg", Number), ("flags", Flags), ("align", Number),
        ("annotations", Reference)]),
    (31, "DIImportedEntity", &[("tag", Tag), ("scope", Needed), ("entity", Reference), ("line", Number), ("name", Text), ("file", Reference)]),
    (32, "DIModule", &[("scope", Reference), ("name", NeededText), ("configMacros", Text), ("includePath", Text), ("apinotes", Text), ("line", Number)]),
    (37, "DIGlobalVariableExpression", &[("var", Needed), ("expr", Reference)]),
    (40, "DILabel", &[("scope", Needed), ("name", NeededText), ("file", Reference), ("line", Number)]),
    (47, "DIAssignID", &[]),
];

/// The fields of a record; `None` for records that are not known here.
pub(crate) fn describe(code: u32, numbers: &[u64]) -> Option<Description> {
    let first = numbers.first().copied().unwrap_or(0);
    let rest = numbers.get(1..).unwrap_or_default();
    if let Some(special) = special(code, first, rest) {
        return Some(special);
    }
    let (_, name, row) = ROWS.iter().find(|(known, ..)| *known == code)?;
    let mut fields = Vec::new();
    for (&(field, kind), &number) in row.iter().zip(rest) {
        fields.extend(part(kind, number).map(|part| (field, part)));
    }
    match code {
        // A scope of a location is never missing, and its number is not that plus one.
        7 => {
            let scope = rest.get(2).map_or(0, |scope| scope.saturating_add(1));
            fields.push(("scope", Part::Needed(scope)));
            fields.extend(rest.get(3).map(|&outer| ("inlinedAt", Part::Reference(outer))));
        }
        // Expressions that variables had before they had nodes for both.
        27 if first >> 1 == 0 && rest.len() > 9 => {
            fields.retain(|(field, _)| !matches!(*field, "declaration" | "templateParams" | "align"))
        }
        _ => {}
    }
    Some(Description { name, fields })
}

fn part(kind: Kind, number: u64) -> Option<Part> {
    let written = |number: u64| Some(Part::Word(number.to_string()));
    match kind {
        Skip => None,
        Text => Some(Part::Text(number)),
        NeededText => Some(Part::NeededText(number)),
        Reference => Some(Part::Reference(number)),
        Needed => Some(Part::Needed(number)),
        Number if number == 0 => None,
        Number | NeededNumber => written(number),
        Truth => (number != 0).then(|| Part::Word("true".to_owned())),
        Untruth => (number == 0).then(|| Part::Word("false".to_owned())),
        Tag => Some(Part::Word(word(TAGS, "DW_TAG_", number))),
        Encoding if number == 0 => None,
        Encoding => Some(Part::Word(word(ENCODINGS, "DW_ATE_", number))),
        Flags if number == 0 => None,
        Flags => Some(Part::Word(flags(FLAGS, "DIFlag", number))),
        FunctionFlags => Some(Part::Word(flags(FUNCTION_FLAGS, "DISPFlag", number))),
        NumberFromOne => written(number.checked_sub(1)?),
        Checksum => {
            let name = ["CSK_MD5", "CSK_SHA1", "CSK_SHA256"].get(usize::try_from(number.checked_sub(1)?).ok()?)?;
            Some(Part::Word((*name).to_owned()))
        }
    }
}

/// Records whose numbers mean different things in different versions.
fn special(code: u32, first: u64, rest: &[u64]) -> Option<Description> {
    let at = |index: usize| rest.get(index).copied().unwrap_or(0);
    let signed_word = |index: usize| Part::Word(signed(at(index)).to_string());
    let described = |name, fields| Some(Description { name, fields });
    match code {
        12 => {
            let fields = vec![("tag", part(Tag, at(0))?), ("header", Part::Text(at(2)))];
            described("GenericDINode", fields)
        }
        13 => {
            let fields = match first >> 1 {
                0 => vec![("count", signed_word(0)), ("lowerBound", signed_word(1))],
                1 => vec![("count", Part::Reference(at(0))), ("lowerBound", signed_word(1))],
                _ => vec![
                    ("count", Part::Reference(at(0))),
                    ("lowerBound", Part::Reference(at(1))),
                    ("upperBound", Part::Reference(at(2))),
                    ("stride", Part::Reference(at(3))),
                ],
            };
            described("DISubrange", fields)
        }
        14 => {
            let is_wide = first & 4 != 0;
            let (name, value) = match is_wide {
                true => (at(1), rest.get(2).map_or(0, |&word| signed(word))),
                false => (at(1), signed(at(0))),
            };
            let is_unsigned = first & 2 != 0;
            let value = match is_unsigned {
                true => (value as u64).to_string(),
                false => value.to_string(),
            };
            let mut fields = vec![("name", Part::NeededText(name)), ("value", Part::Word(value))];
            if is_unsigned {
                fields.push(("isUnsigned", Part::Word("true".to_owned())));
            }
            described("DIEnumerator", fields)
        }
        21 => Some(function(first, rest)),
        24 => {
            // A file and a line were between the scope and the name.
            let name = if rest.len() > 2 { at(2) } else { at(1) };
            let mut fields = vec![("scope", Part::Needed(at(0))), ("name", Part::Text(name))];
            if first & 2 != 0 {
                fields.push(("exportSymbols", Part::Word("true".to_owned())));
            }
            described("DINamespace", fields)
        }
        26 => {
            let value = if rest.len() > 4 { at(4) } else { at(3) };
            let fields = vec![
                ("tag", part(Tag, at(0))?),
                ("name", Part::Text(at(1))),
                ("type", Part::Reference(at(2))),
                ("value", Part::Needed(value)),
            ];
            described("DITemplateValueParameter", fields)
        }
        28 if first & 2 == 0 => {
            // A tag, or a number that was always zero, came first.
            let old: Vec<u64> = match rest.len() {
                8.. => rest[1..8].to_vec(),
                _ => rest.to_vec(),
            };
            describe(28, &[&[first | 2][..], &old].concat())
        }
        _ => None,
    }
}

fn function(first: u64, rest: &[u64]) -> Description {
    let at = |index: usize| rest.get(index).copied().unwrap_or(0);
    let is_new = first & 4 != 0;
    let mut fields = vec![
        ("scope", Part::Reference(at(0))),
        ("name", Part::Text(at(1))),
        ("linkageName", Part::Text(at(2))),
        ("file", Part::Reference(at(3))),
    ];
    fields.extend(part(Number, at(4)).map(|part| ("line", part)));
    fields.push(("type", Part::Reference(at(5))));
    let mut add = |field, kind, number| fields.extend(part(kind, number).map(|part| (field, part)));
    if is_new {
        add("scopeLine", Number, at(6));
        add("containingType", Reference, at(7));
        add("spFlags", FunctionFlags, at(8));
        add("virtualIndex", Number, at(9));
        add("flags", Flags, at(10));
        add("unit", Reference, at(11));
        add("templateParams", Reference, at(12));
        add("declaration", Reference, at(13));
        add("retainedNodes", Reference, at(14));
        add("thisAdjustment", Number, at(15));
        add("thrownTypes", Reference, at(16));
    } else {
        add("isLocal", Truth, at(6));
        add("isDefinition", Untruth, at(7));
        add("scopeLine", Number, at(8));
        add("containingType", Reference, at(9));
        add("virtualIndex", Number, at(11));
        add("flags", Flags, at(12));
        add("isOptimized", Truth, at(13));
        // The function itself stood where the unit stands now, in some versions.
        let has_unit = first & 2 != 0 || rest.len() <= 18;
        if has_unit {
            add("unit", Reference, at(14));
        }
        add("templateParams", Reference, at(15));
        add("declaration", Reference, at(16));
        add("retainedNodes", Reference, at(17));
    }
    Description {
        name: "DISubprogram",
        fields,
    }
}

/// The numbers of an expression, brought to the form of the newest version.
pub(crate) fn expression(numbers: &[u64]) -> Vec<u64> {
    const DEREFERENCE: u64 = 0x06;
    const BIT_PIECE: u64 = 0x9d;
    const FRAGMENT: u64 = 0x1000;
    let [first, rest @ ..] = numbers else {
        return Vec::new();
    };
    let version = first >> 1;
    let mut list = rest.to_vec();
    // A piece of the variable stands last, with two numbers.
    let piece = list.len().checked_sub(3);
    if version == 0
        && let Some(last) = piece.and_then(|at| list.get_mut(at))
        && *last == BIT_PIECE
    {
        *last = FRAGMENT;
    }
    if version <= 1 && list.first() == Some(&DEREFERENCE) {
        let end = piece.filter(|&at| list[at] == FRAGMENT).unwrap_or(list.len());
        list[..end].rotate_left(1);
    }
    match version {
        0..=2 => with_operands(&list),
        _ => list,
    }
}

/// Sums and differences had their number behind them.
fn with_operands(list: &[u64]) -> Vec<u64> {
    const CONSTANT: u64 = 0x10;
    const MINUS: u64 = 0x1c;
    const PLUS: u64 = 0x22;
    const PLUS_CONSTANT: u64 = 0x23;
    const FRAGMENT: u64 = 0x1000;
    let mut made = Vec::with_capacity(list.len());
    let mut rest = list;
    while let Some(&operation) = rest.first() {
        let length = match operation {
            CONSTANT | MINUS | PLUS => 2,
            FRAGMENT => 3,
            _ => 1,
        };
        let (step, tail) = rest.split_at(rest.len().min(length));
        match step {
            [PLUS, number] => made.extend([PLUS_CONSTANT, *number]),
            [MINUS, number] => made.extend([CONSTANT, *number, MINUS]),
            other => made.extend_from_slice(other),
        }
        rest = tail;
    }
    made
}

/// An expression as text.
pub(crate) fn expression_text(list: &[u64]) -> String {
    let mut text = String::from("!DIExpression(");
    let mut numbers = 0;
    for (index, &number) in list.iter().enumerate() {
        text += if index == 0 { "" } else { ", " };
        let operation = OPERATIONS.iter().find(|(known, ..)| *known == number);
        match operation {
            Some((_, name, count)) if numbers == 0 => {
                numbers = *count;
                let _ = write!(text, "DW_OP_{name}");
            }
            _ => {
                numbers = numbers.saturating_sub(1);
                let _ = write!(text, "{number}");
            }
        }
    }
    text + ")"
}
