//! Constants: the table of a block, and each as text where it is used.

use std::fmt::Write;

use warpsmith_ir::escaped;

use crate::attributes::{decimal, signed};
use crate::codes::{
    BINARY, BINARY_OF_FLOATS, CASTS, FIRST_INTEGER_RELATION, FLOAT_RELATIONS, INTEGER_RELATIONS, address_promises,
    promises, word, words_of_bits,
};
use crate::draft::{Draft, Gap};
use crate::fault::{Fault, Result};
use crate::module::{Reader, Value, ValueKind};
use crate::stream::{Block, Item, Record};
use crate::types::{Format, Type, TypeId, bytes};

/// How deep constants may be nested.
const DEEPEST: u32 = 200;

/// A constant. Others are named by their numbers.
#[derive(Clone, Debug)]
pub(crate) enum Constant {
    /// One that is a word.
    Word(&'static str),
    Null,
    Integer(i64),
    Wide(Vec<u64>),
    /// The bits of a float, in words.
    Float(Vec<u64>),
    Aggregate(Vec<u32>),
    /// Integers or floats one after the other.
    Data(Vec<u64>),
    Bytes(Vec<u8>),
    Unary(u32),
    Binary {
        op: u64,
        left: u32,
        right: u32,
        flags: u64,
    },
    Cast {
        op: u64,
        from: TypeId,
        operand: u32,
        flags: u64,
    },
    Address {
        flags: u64,
        /// The type that is stepped over, where it is said.
        source: Option<TypeId>,
        /// The range that is promised.
        range: Option<(String, String)>,
        operands: Vec<(TypeId, u32)>,
    },
    /// An operation by its name, and its operands.
    Operation(String, Vec<(TypeId, u32)>),
    Assembly {
        flags: u64,
        template: Vec<u8>,
        constraints: Vec<u8>,
    },
    Block {
        function: u32,
        block: u32,
    },
    /// The address of something in other words.
    Marked(&'static str, u32),
}

/// The numbers of a record, one after the other.
struct Numbers<'n> {
    list: &'n [u64],
    next: usize,
    record: &'n Record,
}

impl<'n> Numbers<'n> {
    fn short(&self) -> Box<Fault> {
        let reason = format!("block CONSTANTS, record {}: too short", self.record.code);
        Fault::new(self.record.bit, reason)
    }

    fn next(&mut self) -> Result<u64> {
        let number = self.list.get(self.next).copied().ok_or_else(|| self.short())?;
        self.next += 1;
        Ok(number)
    }

    fn id(&mut self) -> Result<u32> {
        let number = self.next()?;
        u32::try_from(number).map_err(|_| Fault::new(self.record.bit, "values have numbers of 32 bits"))
    }

    fn rest(&self) -> &'n [u64] {
        self.list.get(self.next..).unwrap_or_default()
    }

    fn pair(&mut self) -> Result<(TypeId, u32)> {
        Ok((self.id()?, self.id()?))
    }

    /// A length and so many characters.
    fn text(&mut self) -> Result<Vec<u8>> {
        let length = usize::try_from(self.next()?).map_err(|_| self.short())?;
        let text = self.rest().get(..length).ok_or_else(|| self.short())?;
        self.next += length;
        Ok(bytes(text))
    }
}

impl Reader<'_> {
    /// Adds the constants of a block to the values.
    pub(crate) fn read_constants(&mut self, block: &Block) -> Result<()> {
        let mut ty: Option<TypeId> = None;
        for item in &block.items {
            let Item::Record(record) = item else { continue };
            let list = self.stream.numbers(record);
            let mut numbers = Numbers { list, next: 0, record };
            if record.code == 1 {
                let id = numbers.id()?;
                if id as usize >= self.types.len() {
                    return Err(Fault::new(record.bit, "block CONSTANTS: there is no such type"));
                }
                ty = Some(id);
                continue;
            }
            // Before a type is said it is that of 32-bit integers.
            let mut own = match ty {
                Some(ty) => ty,
                None => self.types.intern(Type::Integer(32)),
            };
            let constant = self.constant(&mut numbers, &mut own)?;
            self.values.push(Value {
                ty: own,
                kind: ValueKind::Constant(constant),
            });
        }
        Ok(())
    }

    fn constant(&mut self, numbers: &mut Numbers<'_>, ty: &mut TypeId) -> Result<Constant> {
        let record = numbers.record;
        Ok(match record.code {
            2 => Constant::Null,
            3 => Constant::Word("undef"),
            4 => Constant::Integer(signed(numbers.next()?)),
            5 => Constant::Wide(numbers.rest().iter().map(|&word| signed(word) as u64).collect()),
            6 => Constant::Float(numbers.rest().to_vec()),
            7 => {
                let ids = numbers.rest().iter().map(|&id| id.min(u64::from(u32::MAX)) as u32);
                Constant::Aggregate(ids.collect())
            }
            8 => Constant::Bytes(bytes(numbers.rest())),
            9 => {
                let mut text = bytes(numbers.rest());
                text.push(0);
                Constant::Bytes(text)
            }
            10 => Constant::Binary {
                op: numbers.next()?,
                left: numbers.id()?,
                right: numbers.id()?,
                flags: numbers.next().unwrap_or(0),
            },
            11 => Constant::Cast {
                op: numbers.next()?,
                from: numbers.id()?,
                operand: numbers.id()?,
                flags: numbers.next().unwrap_or(0),
            },
            12 | 20 | 24 | 31 | 32 => self.address_constant(numbers)?,
            13 => {
                let (condition, yes, no) = (numbers.id()?, numbers.id()?, numbers.id()?);
                let truth = self.types.intern(Type::Integer(1));
                let truth = self.known_type(condition).unwrap_or(truth);
                Constant::Operation("select".to_owned(), vec![(truth, condition), (*ty, yes), (*ty, no)])
            }
            14 => {
                let vector = numbers.pair()?;
                let index = self.index_operand(numbers, 2)?;
                Constant::Operation("extractelement".to_owned(), vec![vector, index])
            }
            15 => {
                let (vector, element) = (numbers.id()?, numbers.id()?);
                let scalar = self.types.scalar(*ty);
                let index = self.index_operand(numbers, 2)?;
                Constant::Operation(
                    "insertelement".to_owned(),
                    vec![(*ty, vector), (scalar, element), index],
                )
            }
            16 | 19 => {
                let from = if record.code == 19 { numbers.id()? } else { *ty };
                let (one, other, mask) = (numbers.id()?, numbers.id()?, numbers.id()?);
                let number = self.types.intern(Type::Integer(32));
                let shape = self.types.like(*ty, number);
                Constant::Operation(
                    "shufflevector".to_owned(),
                    vec![(from, one), (from, other), (shape, mask)],
                )
            }
            17 => {
                let (from, left, right, relation) = (numbers.id()?, numbers.id()?, numbers.id()?, numbers.next()?);
                let (name, word) = relation_words(relation)
                    .ok_or_else(|| Fault::new(record.bit, "block CONSTANTS: there is no such relation"))?;
                Constant::Operation(format!("{name} {word}"), vec![(from, left), (from, right)])
            }
            18 | 23 | 28 | 30 => {
                if record.code == 30 {
                    *ty = numbers.id()?;
                }
                let flags = numbers.next()?;
                Constant::Assembly {
                    flags,
                    template: numbers.text()?,
                    constraints: numbers.text()?,
                }
            }
            21 => {
                let _ty = numbers.id()?;
                Constant::Block {
                    function: numbers.id()?,
                    block: numbers.id()?,
                }
            }
            22 => Constant::Data(numbers.rest().to_vec()),
            25 => {
                numbers.next()?;
                Constant::Unary(numbers.id()?)
            }
            26 => Constant::Word("poison"),
            27 | 29 => {
                let _ty = numbers.id()?;
                let word = if record.code == 27 {
                    "dso_local_equivalent"
                } else {
                    "no_cfi"
                };
                Constant::Marked(word, numbers.id()?)
            }
            33 | 34 => Constant::Word("ptrauth"),
            code => {
                let reason = format!("block CONSTANTS: a record of code {code} is not known");
                return Err(Fault::new(record.bit, reason));
            }
        })
    }

    /// An index of a vector, which says its type in newer files.
    fn index_operand(&mut self, numbers: &mut Numbers<'_>, before: usize) -> Result<(TypeId, u32)> {
        if numbers.list.len() > before + 1 {
            return numbers.pair();
        }
        let number = self.types.intern(Type::Integer(32));
        Ok((number, numbers.id()?))
    }

    fn address_constant(&mut self, numbers: &mut Numbers<'_>) -> Result<Constant> {
        let code = numbers.record.code;
        let says_source = matches!(code, 24 | 31 | 32) || numbers.list.len() % 2 == 1;
        let source = if says_source { Some(numbers.id()?) } else { None };
        let mut range = None;
        let flags = match code {
            20 => 1,
            // The index that a range was promised for: LLVM itself drops it now.
            24 => numbers.next()? & 1,
            31 => {
                let flags = numbers.next()?;
                let bits = numbers.next()?;
                if bits > 64 {
                    return Err(Fault::new(
                        numbers.record.bit,
                        "a range of addresses has at most 64 bits here",
                    ));
                }
                range = Some((signed(numbers.next()?).to_string(), signed(numbers.next()?).to_string()));
                flags
            }
            32 => numbers.next()?,
            _ => 0,
        };
        let mut operands = Vec::new();
        while !numbers.rest().is_empty() {
            operands.push(numbers.pair()?);
        }
        if operands.is_empty() {
            return Err(numbers.short());
        }
        Ok(Constant::Address {
            flags,
            source,
            range,
            operands,
        })
    }

    /// The type of a value that has been read.
    pub(crate) fn known_type(&self, id: u32) -> Option<TypeId> {
        self.values.get(id as usize).map(|value| value.ty)
    }

    /// A value that is no local one, with its type.
    pub(crate) fn write_typed(&mut self, ty: TypeId, id: u32, bit: u64, depth: u32, out: &mut Draft) -> Result<()> {
        let text = self.types.text(ty, bit)?;
        out.push(text);
        out.push(" ");
        self.write_value(id, bit, depth, out)
    }

    /// A value: the name of a symbol, a constant, or a gap for the name of a local one.
    pub(crate) fn write_value(&mut self, id: u32, bit: u64, depth: u32, out: &mut Draft) -> Result<()> {
        if depth > DEEPEST {
            return Err(Fault::new(bit, format!("a constant is nested deeper than {DEEPEST}")));
        }
        if out.text.len() + self.out.text.len() > self.limit {
            let reason = format!("the text of the module has more than {} characters", self.limit);
            return Err(Fault::new(bit, reason));
        }
        let Some(value) = self.values.get(id as usize) else {
            out.gap(Gap::Value(id));
            return Ok(());
        };
        let ty = value.ty;
        match &value.kind {
            ValueKind::Local => out.gap(Gap::Value(id)),
            ValueKind::Symbol(index) => {
                let index = *index;
                self.note_named(index);
                let name = self.symbols.get(index).map_or("", |symbol| symbol.text.as_str());
                out.push(name);
            }
            ValueKind::Constant(constant) => {
                let constant = constant.clone();
                self.write_constant(&constant, ty, bit, depth, out)?;
            }
        }
        Ok(())
    }

    fn write_constant(&mut self, constant: &Constant, ty: TypeId, bit: u64, depth: u32, out: &mut Draft) -> Result<()> {
        match constant {
            Constant::Word(word) => out.push(word),
            Constant::Null => out.push(self.null(ty)),
            Constant::Integer(number) => match (self.types.get(ty), number) {
                (Type::Integer(1), 0) => out.push("false"),
                (Type::Integer(1), _) => out.push("true"),
                (Type::Integer(_), number) => out.push(&number.to_string()),
                _ => return Err(Fault::new(bit, "an integer has the type of something else")),
            },
            Constant::Wide(words) => match *self.types.get(ty) {
                Type::Integer(bits) => out.push(&decimal(words, bits)),
                _ => return Err(Fault::new(bit, "an integer has the type of something else")),
            },
            Constant::Float(words) => self.write_scalar(ty, words, bit, out)?,
            Constant::Aggregate(ids) => self.write_aggregate(ids, ty, bit, depth, out)?,
            Constant::Data(words) => self.write_data(words, ty, bit, out)?,
            Constant::Bytes(bytes) => {
                out.push("c\"");
                out.push(&escaped(bytes));
                out.push("\"");
            }
            Constant::Unary(operand) => {
                out.push("fneg (");
                self.write_typed(ty, *operand, bit, depth + 1, out)?;
                out.push(")");
            }
            &Constant::Binary { op, left, right, flags } => {
                let words = if self.types.is_float(ty) {
                    BINARY_OF_FLOATS
                } else {
                    BINARY
                };
                let op = word(words, op).ok_or_else(|| Fault::new(bit, "there is no such operation"))?;
                out.push(op);
                out.push(" ");
                out.push(&promises(op, flags));
                self.write_operands(&[(ty, left), (ty, right)], bit, depth, out)?;
            }
            &Constant::Cast {
                op,
                from,
                operand,
                flags,
            } => {
                let op = word(CASTS, op).ok_or_else(|| Fault::new(bit, "there is no such conversion"))?;
                let flags = promises(op, flags);
                out.push(op);
                out.push(" ");
                out.push(&flags);
                out.push("(");
                self.write_typed(from, operand, bit, depth + 1, out)?;
                out.push(" to ");
                out.push(self.types.text(ty, bit)?);
                out.push(")");
            }
            Constant::Address {
                flags,
                source,
                range,
                operands,
            } => {
                out.push("getelementptr ");
                out.push(&address_promises(*flags));
                if let Some((low, high)) = range {
                    let _ = write!(out, "inrange({low}, {high}) ");
                }
                let stepped = source.or_else(|| self.types.pointee(operands[0].0));
                let stepped = stepped.ok_or_else(|| Fault::new(bit, "it is not known what an address points to"))?;
                out.push("(");
                out.push(self.types.text(stepped, bit)?);
                for &(ty, id) in operands {
                    out.push(", ");
                    self.write_typed(ty, id, bit, depth + 1, out)?;
                }
                out.push(")");
            }
            Constant::Operation(name, operands) => {
                out.push(name);
                out.push(" ");
                self.write_operands(operands, bit, depth, out)?;
            }
            Constant::Assembly {
                flags,
                template,
                constraints,
            } => {
                const WORDS: &[&str] = &["sideeffect", "alignstack", "inteldialect", "unwind"];
                out.push("asm ");
                out.push(&words_of_bits(WORDS, *flags));
                let _ = write!(out, "\"{}\", \"{}\"", escaped(template), escaped(constraints));
            }
            &Constant::Block { function, block } => {
                out.push("blockaddress(");
                self.write_value(function, bit, depth + 1, out)?;
                out.push(", ");
                out.gap(Gap::BlockOf { function, block });
                out.push(")");
            }
            Constant::Marked(word, id) => {
                out.push(word);
                out.push(" ");
                self.write_value(*id, bit, depth + 1, out)?;
            }
        }
        Ok(())
    }

    fn write_operands(&mut self, operands: &[(TypeId, u32)], bit: u64, depth: u32, out: &mut Draft) -> Result<()> {
        for (index, &(ty, id)) in operands.iter().enumerate() {
            out.push(if index == 0 { "(" } else { ", " });
            self.write_typed(ty, id, bit, depth + 1, out)?;
        }
        out.push(")");
        Ok(())
    }

    /// The word for all bits zero.
    fn null(&self, ty: TypeId) -> &'static str {
        match self.types.get(ty) {
            Type::Integer(1) => "false",
            Type::Integer(_) => "0",
            Type::Float(Format::Half) => "0xH0000",
            Type::Float(Format::Brain) => "0xR0000",
            Type::Float(Format::Single | Format::Double) => "0.0",
            Type::Pointer { .. } => "null",
            Type::Word("token") => "none",
            _ => "zeroinitializer",
        }
    }

    fn write_aggregate(&mut self, ids: &[u32], ty: TypeId, bit: u64, depth: u32, out: &mut Draft) -> Result<()> {
        let (open, close) = match self.types.get(ty) {
            Type::Array { .. } => ("[", "]"),
            Type::Vector { .. } => ("<", ">"),
            Type::Structure { packed: true, .. }
            | Type::Named {
                body: Some((_, true)), ..
            } => ("<{ ", " }>"),
            Type::Structure { .. } | Type::Named { body: Some(_), .. } => ("{ ", " }"),
            _ => return Err(Fault::new(bit, "a list of constants has the type of something else")),
        };
        out.push(open);
        for (index, &id) in ids.iter().enumerate() {
            out.push(if index == 0 { "" } else { ", " });
            let element = self.types.element(ty, Some(index as u64));
            let element = element.ok_or_else(|| Fault::new(bit, "a constant has more elements than its type"))?;
            self.write_typed(element, id, bit, depth + 1, out)?;
        }
        out.push(close);
        Ok(())
    }

    fn write_data(&mut self, words: &[u64], ty: TypeId, bit: u64, out: &mut Draft) -> Result<()> {
        let Some(element) = self.types.element(ty, None) else {
            return Err(Fault::new(bit, "a list of numbers has the type of something else"));
        };
        let is_array = matches!(self.types.get(ty), Type::Array { .. });
        if is_array && *self.types.get(element) == Type::Integer(8) {
            out.push("c\"");
            out.push(&escaped(&bytes(words)));
            out.push("\"");
            return Ok(());
        }
        let name = self.types.text(element, bit)?.to_owned();
        out.push(if is_array { "[" } else { "<" });
        for (index, &number) in words.iter().enumerate() {
            out.push(if index == 0 { "" } else { ", " });
            out.push(&name);
            out.push(" ");
            self.write_scalar(element, &[number], bit, out)?;
        }
        out.push(if is_array { "]" } else { ">" });
        Ok(())
    }

    /// An integer or float by its bits.
    fn write_scalar(&self, ty: TypeId, words: &[u64], bit: u64, out: &mut Draft) -> Result<()> {
        let low = words.first().copied().unwrap_or(0);
        let high = words.get(1).copied().unwrap_or(0);
        let _ = match *self.types.get(ty) {
            Type::Integer(1) => {
                out.push(if low & 1 == 1 { "true" } else { "false" });
                Ok(())
            }
            Type::Integer(bits) => {
                out.push(&decimal(words, bits));
                Ok(())
            }
            Type::Float(Format::Half) => write!(out, "0xH{:04X}", low as u16),
            Type::Float(Format::Brain) => write!(out, "0xR{:04X}", low as u16),
            Type::Float(Format::Single) => write!(out, "0x{:016X}", widened(low as u32)),
            Type::Float(Format::Double) => write!(out, "0x{low:016X}"),
            Type::Float(Format::Extended) => write!(out, "0xK{:04X}{:016X}", low >> 48, low << 16 | high & 0xffff),
            Type::Float(Format::Quad) => write!(out, "0xL{low:016X}{high:016X}"),
            Type::Float(Format::TwoDoubles) => write!(out, "0xM{low:016X}{high:016X}"),
            _ => return Err(Fault::new(bit, "a float has the type of something else")),
        };
        Ok(())
    }
}

/// The double that a float is, as the text has it; of NaN with its payload.
fn widened(bits: u32) -> u64 {
    let number = f32::from_bits(bits);
    if number.is_nan() {
        return u64::from(bits >> 31) << 63 | 0x7ff << 52 | u64::from(bits & 0x7f_ffff) << 29;
    }
    f64::from(number).to_bits()
}

/// The operation and the word for a relation.
pub(crate) fn relation_words(number: u64) -> Option<(&'static str, &'static str)> {
    match number.checked_sub(FIRST_INTEGER_RELATION) {
        Some(index) => Some(("icmp", word(INTEGER_RELATIONS, index)?)),
        None => Some(("fcmp", word(FLOAT_RELATIONS, number)?)),
    }
}
