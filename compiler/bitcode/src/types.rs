//! The table of types.

use std::fmt::Write;

use rustc_hash::FxHashMap;
use warpsmith_ir::quoted_name;

use crate::fault::{Fault, Result};
use crate::stream::{Block, Item, Record, Stream};

/// How deep types may be nested, and how long the text of one without a name may be.
const DEEPEST: u32 = 200;
const LONGEST: usize = 1 << 16;

/// A type, by its number in [`Types`].
pub(crate) type TypeId = u32;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    /// One that is a word.
    Word(&'static str),
    Float(Format),
    Integer(u64),
    Pointer {
        /// What it points to, in the dialect that says it.
        pointee: Option<TypeId>,
        space: u64,
    },
    Function {
        result: TypeId,
        parameters: Vec<TypeId>,
        variadic: bool,
    },
    Array {
        length: u64,
        element: TypeId,
    },
    Vector {
        length: u64,
        element: TypeId,
        scalable: bool,
    },
    Structure {
        fields: Vec<TypeId>,
        packed: bool,
    },
    /// A structure with a name.
    Named {
        name: String,
        /// Nothing for one of which nothing is known.
        body: Option<(Vec<TypeId>, bool)>,
    },
    Target {
        name: String,
        types: Vec<TypeId>,
        numbers: Vec<u64>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Format {
    Half,
    Brain,
    Single,
    Double,
    Extended,
    Quad,
    TwoDoubles,
}

pub(crate) const VOID: Type = Type::Word("void");
pub(crate) const LABEL: Type = Type::Word("label");
pub(crate) const METADATA: Type = Type::Word("metadata");
pub(crate) const TOKEN: Type = Type::Word("token");

/// All types of a module: those of its table, and those that follow from them.
#[derive(Debug, Default)]
pub(crate) struct Types {
    list: Vec<Type>,
    texts: Vec<Option<String>>,
    known: FxHashMap<Type, TypeId>,
    /// Whether pointers say what they point to.
    pub(crate) has_pointees: bool,
}

impl Types {
    pub(crate) fn get(&self, id: TypeId) -> &Type {
        self.list.get(id as usize).unwrap_or(&VOID)
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The number of a type.
    pub(crate) fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        let id = self.list.len() as TypeId;
        self.known.insert(ty.clone(), id);
        self.list.push(ty);
        self.texts.push(None);
        id
    }

    /// The type of addresses of values of a type.
    pub(crate) fn pointer_to(&mut self, ty: TypeId, space: u64) -> TypeId {
        let pointee = self.has_pointees.then_some(ty);
        self.intern(Type::Pointer { pointee, space })
    }

    pub(crate) fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match self.get(id) {
            Type::Pointer { pointee, .. } => *pointee,
            _ => None,
        }
    }

    pub(crate) fn space(&self, id: TypeId) -> Option<u64> {
        match self.get(id) {
            Type::Pointer { space, .. } => Some(*space),
            Type::Vector { element, .. } => self.space(*element),
            _ => None,
        }
    }

    /// The type of an element, or of a field by its number.
    pub(crate) fn element(&self, id: TypeId, index: Option<u64>) -> Option<TypeId> {
        match self.get(id) {
            Type::Array { element, .. } | Type::Vector { element, .. } => Some(*element),
            Type::Structure { fields, .. }
            | Type::Named {
                body: Some((fields, _)),
                ..
            } => fields.get(usize::try_from(index?).ok()?).copied(),
            _ => None,
        }
    }

    /// The type of lanes of a vector, of all others the type itself.
    pub(crate) fn scalar(&self, id: TypeId) -> TypeId {
        match self.get(id) {
            Type::Vector { element, .. } => *element,
            _ => id,
        }
    }

    pub(crate) fn is_float(&self, id: TypeId) -> bool {
        matches!(self.get(self.scalar(id)), Type::Float(_))
    }

    /// A scalar, or a vector of it with as many lanes as another type.
    pub(crate) fn like(&mut self, shape: TypeId, scalar: TypeId) -> TypeId {
        match *self.get(shape) {
            Type::Vector { length, scalable, .. } => self.intern(Type::Vector {
                length,
                element: scalar,
                scalable,
            }),
            _ => scalar,
        }
    }

    /// The text of a type.
    pub(crate) fn text(&mut self, id: TypeId, bit: u64) -> Result<&str> {
        self.make_text(id, bit, 0)?;
        Ok(self.texts.get(id as usize).and_then(Option::as_deref).unwrap_or("void"))
    }

    fn make_text(&mut self, id: TypeId, bit: u64, depth: u32) -> Result<()> {
        if self.texts.get(id as usize).is_none_or(Option::is_some) {
            return Ok(());
        }
        if depth > DEEPEST {
            return Err(Fault::new(bit, format!("a type is nested deeper than {DEEPEST}")));
        }
        let text = match self.get(id).clone() {
            Type::Word(word) => word.to_owned(),
            Type::Float(format) => format.word().to_owned(),
            Type::Integer(bits) => format!("i{bits}"),
            Type::Pointer { pointee: None, space } => match space {
                0 => "ptr".to_owned(),
                space => format!("ptr addrspace({space})"),
            },
            Type::Pointer {
                pointee: Some(pointee),
                space,
            } => {
                let pointee = self.part(pointee, bit, depth)?;
                match space {
                    0 => format!("{pointee}*"),
                    space => format!("{pointee} addrspace({space})*"),
                }
            }
            Type::Function {
                result,
                parameters,
                variadic,
            } => {
                let mut text = self.part(result, bit, depth)? + " (";
                text += &self.list(&parameters, bit, depth)?;
                if variadic {
                    text += if parameters.is_empty() { "..." } else { ", ..." };
                }
                text + ")"
            }
            Type::Array { length, element } => format!("[{length} x {}]", self.part(element, bit, depth)?),
            Type::Vector {
                length,
                element,
                scalable,
            } => {
                let scale = if scalable { "vscale x " } else { "" };
                format!("<{scale}{length} x {}>", self.part(element, bit, depth)?)
            }
            Type::Structure { fields, packed } => self.structure(&fields, packed, bit, depth)?,
            Type::Named { name, .. } => format!("%{name}"),
            Type::Target { name, types, numbers } => {
                let mut text = format!("target(\"{name}\"");
                for ty in types {
                    let _ = write!(text, ", {}", self.part(ty, bit, depth)?);
                }
                for number in numbers {
                    let _ = write!(text, ", {number}");
                }
                text + ")"
            }
        };
        if text.len() > LONGEST {
            return Err(Fault::new(
                bit,
                format!("the text of a type has more than {LONGEST} characters"),
            ));
        }
        if let Some(slot) = self.texts.get_mut(id as usize) {
            *slot = Some(text);
        }
        Ok(())
    }

    fn part(&mut self, id: TypeId, bit: u64, depth: u32) -> Result<String> {
        self.make_text(id, bit, depth + 1)?;
        let text = self.texts.get(id as usize).and_then(Option::as_ref);
        Ok(text.cloned().unwrap_or_default())
    }

    fn list(&mut self, ids: &[TypeId], bit: u64, depth: u32) -> Result<String> {
        let mut text = String::new();
        for (index, &id) in ids.iter().enumerate() {
            text += if index == 0 { "" } else { ", " };
            text += &self.part(id, bit, depth)?;
            if text.len() > LONGEST {
                break;
            }
        }
        Ok(text)
    }

    fn structure(&mut self, fields: &[TypeId], packed: bool, bit: u64, depth: u32) -> Result<String> {
        let list = self.list(fields, bit, depth)?;
        Ok(match packed {
            true => format!("<{{ {list} }}>"),
            false => format!("{{ {list} }}"),
        })
    }

    /// The definitions of structures with names, a line each.
    pub(crate) fn definitions(&mut self, bit: u64) -> Result<String> {
        let mut out = String::new();
        for id in 0..self.list.len() {
            let Type::Named { name, body } = self.list[id].clone() else {
                continue;
            };
            let text = match body {
                None => "opaque".to_owned(),
                Some((fields, packed)) => self.structure(&fields, packed, bit, 0)?,
            };
            let _ = writeln!(out, "%{name} = type {text}");
        }
        Ok(out)
    }

    /// Reads the table.
    pub(crate) fn read(&mut self, stream: &Stream<'_>, block: &Block) -> Result<()> {
        let mut name: Option<Vec<u8>> = None;
        for item in &block.items {
            let Item::Record(record) = item else { continue };
            let numbers = stream.numbers(record);
            match record.code {
                // How many there are: they are counted here.
                1 => continue,
                19 => name = Some(bytes(numbers)),
                _ => {
                    let ty = self.entry(record, numbers, &mut name)?;
                    self.has_pointees |= matches!(ty, Type::Pointer { pointee: Some(_), .. });
                    let id = self.list.len() as TypeId;
                    self.known.entry(ty.clone()).or_insert(id);
                    self.list.push(ty);
                    self.texts.push(None);
                }
            }
        }
        let last = self.list.len() as TypeId;
        let known = |id: &TypeId| *id < last;
        for ty in &self.list {
            let whole = match ty {
                Type::Pointer { pointee, .. } => pointee.iter().all(known),
                Type::Function { result, parameters, .. } => known(result) && parameters.iter().all(known),
                Type::Array { element, .. } | Type::Vector { element, .. } => known(element),
                Type::Structure { fields, .. }
                | Type::Named {
                    body: Some((fields, _)),
                    ..
                } => fields.iter().all(known),
                Type::Target { types, .. } => types.iter().all(known),
                Type::Word(_) | Type::Float(_) | Type::Integer(_) | Type::Named { body: None, .. } => true,
            };
            if !whole {
                return Err(Fault::new(
                    block.bit,
                    "the table of types names a type that is not in it",
                ));
            }
        }
        Ok(())
    }

    fn entry(&self, record: &Record, numbers: &[u64], name: &mut Option<Vec<u8>>) -> Result<Type> {
        let short = || Fault::new(record.bit, format!("block TYPE, record {}: too short", record.code));
        let number = |index: usize| numbers.get(index).copied().ok_or_else(short);
        let id =
            |number: u64| TypeId::try_from(number).map_err(|_| Fault::new(record.bit, "types have 32-bit numbers"));
        let ids = |from: usize| -> Result<Vec<TypeId>> {
            numbers
                .get(from..)
                .ok_or_else(short)?
                .iter()
                .map(|&number| id(number))
                .collect()
        };
        // A name of the structure's own; numbers for those without.
        let mut named = || match name.take() {
            Some(name) => quoted_name(&name),
            None => format!("\"type {}\"", self.list.len()),
        };
        Ok(match record.code {
            2 => VOID,
            3 => Type::Float(Format::Single),
            4 => Type::Float(Format::Double),
            5 => LABEL,
            6 => Type::Named {
                name: named(),
                body: None,
            },
            7 => Type::Integer(number(0)?),
            8 => Type::Pointer {
                pointee: Some(id(number(0)?)?),
                space: numbers.get(1).copied().unwrap_or(0),
            },
            9 => Type::Function {
                variadic: number(0)? != 0,
                result: id(number(2)?)?,
                parameters: ids(3)?,
            },
            10 => Type::Float(Format::Half),
            11 => Type::Array {
                length: number(0)?,
                element: id(number(1)?)?,
            },
            12 => Type::Vector {
                length: number(0)?,
                element: id(number(1)?)?,
                scalable: numbers.get(2).is_some_and(|&flag| flag != 0),
            },
            13 => Type::Float(Format::Extended),
            14 => Type::Float(Format::Quad),
            15 => Type::Float(Format::TwoDoubles),
            16 => METADATA,
            17 => Type::Word("x86_mmx"),
            18 => Type::Structure {
                packed: number(0)? != 0,
                fields: ids(1)?,
            },
            20 => Type::Named {
                name: named(),
                body: Some((ids(1)?, number(0)? != 0)),
            },
            21 => Type::Function {
                variadic: number(0)? != 0,
                result: id(number(1)?)?,
                parameters: ids(2)?,
            },
            22 => TOKEN,
            23 => Type::Float(Format::Brain),
            24 => Type::Word("x86_amx"),
            25 => Type::Pointer {
                pointee: None,
                space: number(0)?,
            },
            26 => {
                let count = usize::try_from(number(0)?).map_err(|_| short())?;
                let types = numbers.get(1..).and_then(|rest| rest.get(..count)).ok_or_else(short)?;
                Type::Target {
                    name: warpsmith_ir::escaped(&name.take().unwrap_or_default()),
                    types: types.iter().map(|&number| id(number)).collect::<Result<_>>()?,
                    numbers: numbers[count + 1..].to_vec(),
                }
            }
            code => {
                return Err(Fault::new(
                    record.bit,
                    format!("block TYPE: a record of code {code} is not known"),
                ));
            }
        })
    }
}

impl Format {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Format::Half => "half",
            Format::Brain => "bfloat",
            Format::Single => "float",
            Format::Double => "double",
            Format::Extended => "x86_fp80",
            Format::Quad => "fp128",
            Format::TwoDoubles => "ppc_fp128",
        }
    }
}

/// The characters that numbers are.
pub(crate) fn bytes(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().map(|&number| number as u8).collect()
}
