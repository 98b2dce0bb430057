//! Statements: what one line says, before names have values.

use super::cursor::{Cursor, Fault, SymbolReference, parse_number};
use super::expression::Expression;

/// `key=value` pairs and single words after a directive.
pub(super) struct Attributes {
    entries: Vec<(String, usize, Value)>,
}

/// The value of an attribute.
enum Value {
    None,
    Expression(Expression),
    Bytes(Vec<u8>),
}

impl Attributes {
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Attributes, Fault> {
        let mut entries = Vec::new();
        while !cursor.is_done() {
            let at = cursor.at;
            let key = cursor.word();
            if key.is_empty() {
                return Err(Fault::new(at, "an attribute `name=value` is expected"));
            }
            let value = if !cursor.take('=') {
                Value::None
            } else if let Some(digits) = hexadecimal(cursor.rest()) {
                cursor.word();
                Value::Bytes(digits)
            } else {
                Value::Expression(cursor.expression()?)
            };
            entries.push((key.to_owned(), at, value));
        }
        Ok(Attributes { entries })
    }

    /// Takes an attribute that is a number or an expression.
    pub(super) fn expression(&mut self, key: &str) -> Result<Option<Expression>, Fault> {
        match self.remove(key) {
            None => Ok(None),
            Some((_, Value::Expression(expression))) => Ok(Some(expression)),
            Some((at, _)) => Err(Fault::new(at, format!("{key} needs a number"))),
        }
    }

    /// Takes an attribute that is a number of at most so many bits; 0 where it is missing.
    pub(super) fn number(&mut self, key: &str, bits: u32) -> Result<u64, Fault> {
        Ok(self.optional_number(key, bits)?.unwrap_or(0))
    }

    /// Takes an attribute that is a number, if it is there.
    pub(super) fn optional_number(&mut self, key: &str, bits: u32) -> Result<Option<u64>, Fault> {
        let names = super::expression::Names::default();
        self.expression(key)?.map(|expression| expression.value_in(&names, None, bits)).transpose()
    }

    /// Takes an attribute that is a run of bytes.
    pub(super) fn bytes(&mut self, key: &str) -> Result<Option<Vec<u8>>, Fault> {
        match self.remove(key) {
            None => Ok(None),
            Some((_, Value::Bytes(bytes))) => Ok(Some(bytes)),
            Some((at, _)) => Err(Fault::new(at, format!("{key} needs bytes: x and hexadecimal digits"))),
        }
    }

    /// Takes an attribute without a value.
    pub(super) fn flag(&mut self, key: &str) -> bool {
        self.remove(key).is_some()
    }

    fn remove(&mut self, key: &str) -> Option<(usize, Value)> {
        let found = self.entries.iter().position(|entry| entry.0 == key)?;
        let (_, at, value) = self.entries.remove(found);
        Some((at, value))
    }

    /// Complains about attributes that nobody took.
    pub(super) fn finish(self) -> Result<(), Fault> {
        match self.entries.first() {
            None => Ok(()),
            Some((key, at, _)) => Err(Fault::new(*at, format!("`{key}` is no attribute here"))),
        }
    }
}

/// The bytes of `x0123…`.
fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let word = &text[..text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len())];
    let digits = word.strip_prefix('x').filter(|digits| digits.len() % 2 == 0)?;
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// Something that stands in a section.
pub(super) enum Item {
    Bytes(Vec<u8>),
    /// A little-endian value of so many bytes.
    Value(u32, Expression),
    Instruction(InstructionText),
    Null(u64),
    NoBits(u64),
    SharedWith(u32),
    Symbol(SymbolText),
    Relocation(RelocationText),
    /// An empty relocation table, with or without addends.
    NoRelocations(bool),
}

/// An instruction, not yet parsed.
pub(super) struct InstructionText {
    /// The text up to the semicolon.
    pub text: String,
    /// Where it starts in its line.
    pub at: usize,
    pub control: Option<ControlText>,
    /// Bits to turn over in the word.
    pub difference: u128,
}

/// `[s04 k w0 r- ?02]`.
pub(super) struct ControlText {
    pub control: warpsmith_sass::Control,
    /// Reuse flags, where they are not the ones that the operands show.
    pub reuse: Option<u8>,
}

/// A symbol.
pub(super) struct SymbolText {
    pub number: u32,
    pub name: String,
    pub kind: u8,
    pub binding: u8,
    pub other: u8,
    pub section: Option<u32>,
    pub reserved: Option<u16>,
    pub value: Option<Expression>,
    pub size: Option<Expression>,
    pub name_offset: Option<u32>,
}

/// A relocation.
pub(super) struct RelocationText {
    pub with_addend: bool,
    pub offset: Expression,
    pub kind: u32,
    pub symbol: SymbolReference,
    pub symbol_at: usize,
    pub addend: Option<Expression>,
}

impl Item {
    /// Bytes that the item takes in its section.
    pub(super) fn size(&self) -> u64 {
        match self {
            Item::Bytes(bytes) => bytes.len() as u64,
            Item::Value(size, _) => u64::from(*size),
            Item::Instruction(_) => 16,
            Item::NoBits(size) => *size,
            Item::Null(_) | Item::SharedWith(_) | Item::Symbol(_) | Item::Relocation(_) | Item::NoRelocations(_) => 0,
        }
    }
}

/// Reads what follows the directive `name`; `None` for a directive that stands in no section.
pub(super) fn read_items(name: &str, cursor: &mut Cursor<'_>) -> Result<Option<Vec<Item>>, Fault> {
    let items = match name {
        ".byte" => values(1, cursor)?,
        ".short" => values(2, cursor)?,
        ".word" => values(4, cursor)?,
        ".dword" => values(8, cursor)?,
        ".word128" => vec![Item::Bytes(cursor.number()?.to_le_bytes().to_vec())],
        ".zero" => {
            let at = cursor.at;
            let count = cursor.number()?;
            let count = usize::try_from(count).ok().filter(|&count| count <= 1 << 32);
            vec![Item::Bytes(vec![0; count.ok_or_else(|| Fault::new(at, "more than 4 GiB of zeros"))?])]
        }
        ".ascii" => vec![Item::Bytes(cursor.string()?)],
        ".asciz" => {
            let mut bytes = cursor.string()?;
            bytes.push(0);
            vec![Item::Bytes(bytes)]
        }
        ".null" => vec![Item::Null(cursor.number()? as u64)],
        ".nobits" => vec![Item::NoBits(cursor.number()? as u64)],
        ".shared_with" => vec![Item::SharedWith(cursor.number()? as u32)],
        ".symbol" => vec![Item::Symbol(symbol(cursor)?)],
        ".rel" | ".rela" => vec![relocation(name == ".rela", cursor)?],
        _ => return Ok(None),
    };
    Ok(Some(items))
}

fn values(size: u32, cursor: &mut Cursor<'_>) -> Result<Vec<Item>, Fault> {
    let mut items = Vec::new();
    loop {
        cursor.skip_blanks();
        items.push(Item::Value(size, cursor.expression()?));
        cursor.skip_blanks();
        if !cursor.take(',') {
            return Ok(items);
        }
    }
}

fn symbol(cursor: &mut Cursor<'_>) -> Result<SymbolText, Fault> {
    let number = cursor.number()? as u32;
    cursor.skip_blanks();
    let at = cursor.at;
    let name = String::from_utf8(cursor.string()?).map_err(|_| Fault::new(at, "this name is no UTF-8"))?;
    let mut attributes = Attributes::read(cursor)?;
    let symbol = SymbolText {
        number,
        name,
        kind: attributes.number("type", 4)? as u8,
        binding: attributes.number("bind", 4)? as u8,
        other: attributes.number("other", 8)? as u8,
        section: attributes.optional_number("section", 32)?.map(|section| section as u32),
        reserved: attributes.optional_number("reserved", 16)?.map(|section| section as u16),
        value: attributes.expression("value")?,
        size: attributes.expression("size")?,
        name_offset: attributes.optional_number("name_at", 32)?.map(|offset| offset as u32),
    };
    attributes.finish()?;
    Ok(symbol)
}

fn relocation(with_addend: bool, cursor: &mut Cursor<'_>) -> Result<Item, Fault> {
    if cursor.is_done() {
        return Ok(Item::NoRelocations(with_addend));
    }
    let offset = cursor.expression()?;
    cursor.skip_blanks();
    let at = cursor.at;
    let kind = cursor.word();
    let kind = match parse_number(kind) {
        Some(number) => u32::try_from(number).ok(),
        None => warpsmith_cubin::RelocationType::from_name(kind).map(|kind| kind.0),
    };
    let kind = kind.ok_or_else(|| Fault::new(at, "this is no relocation type"))?;
    cursor.skip_blanks();
    let symbol_at = cursor.at;
    let symbol = cursor.symbol()?;
    let addend = if cursor.is_done() { None } else { Some(cursor.expression()?) };
    if addend.is_some() && !with_addend {
        return Err(Fault::new(symbol_at, ".rel has no addend: it lies in the relocated field"));
    }
    Ok(Item::Relocation(RelocationText { with_addend, offset, kind, symbol, symbol_at, addend }))
}

/// Reads an instruction: control information, text, semicolon, difference.
pub(super) fn instruction(cursor: &mut Cursor<'_>) -> Result<Item, Fault> {
    let control = if cursor.take('[') { Some(control(cursor)?) } else { None };
    cursor.skip_blanks();
    let at = cursor.at;
    let length = semicolon(cursor.rest()).unwrap_or(cursor.rest().len());
    let text = cursor.rest()[..length].trim_end().to_owned();
    if text.is_empty() {
        return Err(Fault::new(at, "an instruction is expected"));
    }
    cursor.at += length;
    cursor.take(';');
    cursor.skip_blanks();
    let difference = if cursor.take('^') { cursor.number()? } else { 0 };
    Ok(Item::Instruction(InstructionText { text, at, control, difference }))
}

/// Where the semicolon stands that ends an instruction.
fn semicolon(text: &str) -> Option<usize> {
    let mut quoted = false;
    text.char_indices().find_map(|(position, c)| {
        quoted ^= c == '"';
        (c == ';' && !quoted).then_some(position)
    })
}

fn control(cursor: &mut Cursor<'_>) -> Result<ControlText, Fault> {
    let start = cursor.at;
    let Some(length) = cursor.rest().find(']') else {
        return Err(Fault::new(start, "control information ends with `]`"));
    };
    let mut control = warpsmith_sass::Control { stall: 0, keep_issuing: false, ..warpsmith_sass::Control::NONE };
    let mut reuse = None;
    for token in cursor.rest()[..length].split_whitespace() {
        let at = token.as_ptr() as usize - cursor.text.as_ptr() as usize;
        let unknown = || Fault::new(at, format!("`{token}` is no control information (sN, k, wN, rN, ?digits, uN)"));
        let (kind, value) = token.split_at(1);
        let number = |limit: u128| parse_number(value).filter(|&number| number <= limit).ok_or_else(unknown);
        match kind {
            "-" => {}
            "k" if value.is_empty() => control.keep_issuing = true,
            "s" => control.stall = value.trim_start_matches('0').parse().or(if value.bytes().all(|b| b == b'0') && !value.is_empty() { Ok(0) } else { Err(()) }).ok().filter(|&stall: &u8| stall <= 15).ok_or_else(unknown)?,
            "w" => control.write_scoreboard = Some(number(6)? as u8),
            "r" => control.read_scoreboard = Some(number(6)? as u8),
            "u" => reuse = Some(number(15)? as u8),
            "?" => {
                for digit in value.bytes().filter(|&byte| byte != b'-') {
                    if !(b'0'..=b'5').contains(&digit) {
                        return Err(unknown());
                    }
                    control.wait_mask |= 1 << (digit - b'0');
                }
            }
            _ => return Err(unknown()),
        }
    }
    cursor.at = start + length + 1;
    Ok(ControlText { control, reuse })
}
