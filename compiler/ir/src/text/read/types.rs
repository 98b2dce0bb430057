//! Reading types, opaque pointers and typed ones.

use super::lexer::{Kind, name};
use super::{Reader, Result};
use crate::types::{AddressSpace, Type};

/// The most fields of a structure. Names make it easy to write more than can be walked over.
const MOST_FIELDS: u64 = 1 << 16;

/// The most lanes of a vector and the most bits of an integer: code for one operation is as long as they are.
const MOST_LANES: u64 = 1 << 10;
const WIDEST: u32 = 1 << 12;

/// The most scalars of a value that is no memory.
const MOST_PARTS: u64 = 1 << 16;

/// A type and what the text says of it beyond.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parsed {
    pub(super) ty: Type,
    /// Of a typed pointer, what it points to, if that is known.
    pub(super) pointee: Option<Type>,
    /// It contains a structure that is just being read.
    incomplete: bool,
    /// It contains a structure of which nothing is known (`opaque`), so that values of it have no size.
    opaque: bool,
}

/// A structure that has a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Named {
    /// Its definition is at this token.
    At(usize),
    /// It is being read.
    Open,
    /// It has been read; whether it is or contains an opaque one.
    Known(Type, bool),
}

const WITHOUT_COUNTERPART: &[&str] = &["x86_fp80", "fp128", "ppc_fp128", "x86_mmx", "x86_amx", "target", "exn"];

impl Reader<'_> {
    /// A type.
    pub(super) fn ty(&mut self) -> Result<Type> {
        Ok(self.parsed_type()?.ty)
    }

    /// A type that values in memory can have.
    pub(super) fn sized_type(&mut self) -> Result<Type> {
        let place = self.place();
        let parsed = self.parsed_type()?;
        self.sized(place, &parsed)?;
        Ok(parsed.ty)
    }

    /// Refuses a type whose values have no size.
    pub(super) fn sized(&self, place: usize, parsed: &Parsed) -> Result<()> {
        if parsed.opaque {
            return Err(self.error_at(place, "values of an opaque type have no size"));
        }
        self.accessible(place, parsed.ty)
    }

    /// A type with its pointee.
    pub(super) fn parsed_type(&mut self) -> Result<Parsed> {
        self.nested(Reader::type_inner)
    }

    /// Whether a type begins here.
    pub(super) fn at_type(&self) -> bool {
        match self.kind() {
            Kind::Word => {
                word_type(self.text()).is_some() || WITHOUT_COUNTERPART.contains(&self.text()) || self.text() == "ptr"
            }
            Kind::Mark(mark) => b"<[{".contains(&mark),
            Kind::Local => true,
            _ => false,
        }
    }

    fn type_inner(&mut self) -> Result<Parsed> {
        let mut parsed = self.base_type()?;
        loop {
            if self.eat(b'*') {
                parsed = pointer(AddressSpace::GENERIC, parsed);
            } else if self.is_word("addrspace") && parsed.ty != Type::Void {
                let space = self.address_space()?;
                self.expect(b'*')?;
                parsed = pointer(space, parsed);
            } else if self.is(b'(') {
                parsed = self.function_type(parsed)?;
            } else {
                return Ok(parsed);
            }
        }
    }

    fn function_type(&mut self, result: Parsed) -> Result<Parsed> {
        self.expect(b'(')?;
        let mut parameters = Vec::new();
        let mut variadic = false;
        let mut incomplete = result.incomplete;
        while !self.is(b')') {
            if self.kind() == Kind::Ellipsis {
                self.bump();
                variadic = true;
                break;
            }
            let parameter = self.parsed_type()?;
            incomplete |= parameter.incomplete;
            parameters.push(parameter.ty);
            if !self.another()? {
                break;
            }
        }
        self.expect(b')')?;
        let ty = Type::Function(self.context.function_type(result.ty, &parameters, variadic));
        Ok(Parsed {
            ty,
            pointee: None,
            incomplete,
            opaque: false,
        })
    }

    fn base_type(&mut self) -> Result<Parsed> {
        let complete = |ty| Parsed {
            ty,
            pointee: None,
            incomplete: false,
            opaque: false,
        };
        match self.kind() {
            Kind::Word => {
                let word = self.text();
                if word == "ptr" {
                    self.bump();
                    let space = if self.is_word("addrspace") {
                        self.address_space()?
                    } else {
                        AddressSpace::GENERIC
                    };
                    return Ok(complete(Type::Pointer(space)));
                }
                if WITHOUT_COUNTERPART.contains(&word) {
                    return Err(self.unsupported("type", word, "devices have no such type"));
                }
                let Some(ty) = word_type(word) else {
                    return Err(self.unexpected("a type"));
                };
                if let Type::Int(bits) = ty
                    && !(1..=WIDEST).contains(&bits)
                {
                    return Err(self.error(format!("integers have 1 to {WIDEST} bits here")));
                }
                self.bump();
                Ok(complete(ty))
            }
            Kind::Local => self.named_type(),
            Kind::Mark(b'[') => {
                self.bump();
                let length = self.unsigned()?;
                self.keyword("x")?;
                let element = self.parsed_type()?;
                self.element_type(element.ty)?;
                self.expect(b']')?;
                Ok(Parsed {
                    ty: self.context.array(element.ty, length),
                    ..element
                })
            }
            Kind::Mark(b'{') => self.structure(false),
            Kind::Mark(b'<') => {
                self.bump();
                if self.is(b'{') {
                    let parsed = self.structure(true)?;
                    self.expect(b'>')?;
                    return Ok(parsed);
                }
                if self.is_word("vscale") {
                    return Err(self.unsupported(
                        "type",
                        "scalable vector",
                        "devices have vectors of fixed length only",
                    ));
                }
                let length = self.unsigned()?;
                self.keyword("x")?;
                let place = self.place();
                let element = self.parsed_type()?;
                let scalar = element.ty.is_int() || element.ty.is_float() || element.ty.is_pointer();
                if !scalar || !(1..=MOST_LANES).contains(&length) {
                    let rule = format!("a vector has 1 to {MOST_LANES} integers, floats or pointers here");
                    return Err(self.error_at(place, rule));
                }
                self.expect(b'>')?;
                Ok(complete(self.context.vector(element.ty, length)))
            }
            _ => Err(self.unexpected("a type")),
        }
    }

    fn element_type(&self, ty: Type) -> Result<()> {
        if matches!(
            ty,
            Type::Void | Type::Function(_) | Type::Label | Type::Metadata | Type::Token
        ) {
            return Err(self.error("nothing can hold values of this type"));
        }
        Ok(())
    }

    fn structure(&mut self, packed: bool) -> Result<Parsed> {
        self.expect(b'{')?;
        let mut fields = Vec::new();
        let (mut incomplete, mut opaque) = (false, false);
        while !self.is(b'}') {
            let field = self.parsed_type()?;
            self.element_type(field.ty)?;
            incomplete |= field.incomplete;
            opaque |= field.opaque;
            fields.push(field.ty);
            if !self.another()? {
                break;
            }
        }
        self.expect(b'}')?;
        let ty = self.context.structure(&fields, packed);
        let weight = fields
            .iter()
            .fold(1u64, |sum, &field| sum.saturating_add(self.weight(field)));
        if weight > MOST_FIELDS {
            return Err(self.error(format!(
                "a structure has at most {MOST_FIELDS} fields, those of its fields counted"
            )));
        }
        self.weights.insert(ty, weight);
        Ok(Parsed {
            ty,
            pointee: None,
            incomplete,
            opaque,
        })
    }

    /// Refuses a type whose values would be taken apart into too many scalars. Memory may be as large as it likes.
    pub(super) fn fits_a_value(&mut self, place: usize, ty: Type) -> Result<()> {
        if ty.is_aggregate() && self.parts(ty) > MOST_PARTS {
            let rule = format!("a value has at most {MOST_PARTS} scalars here; larger ones are memory");
            return Err(self.error_at(place, rule));
        }
        Ok(())
    }

    /// How many scalars a value of a type has.
    fn parts(&mut self, ty: Type) -> u64 {
        match ty {
            Type::Array(array) => {
                let parts = self.context.array_parts(array);
                self.parts(parts.element).saturating_mul(parts.length)
            }
            Type::Struct(structure) => {
                if let Some(&known) = self.part_counts.get(&ty) {
                    return known;
                }
                let context = self.context.clone();
                let fields = &context.struct_data(structure).fields;
                let sum = fields
                    .iter()
                    .fold(0u64, |sum, &field| sum.saturating_add(self.parts(field)));
                self.part_counts.insert(ty, sum);
                sum
            }
            Type::Vector(vector) => self.context.vector_parts(vector).length,
            _ => 1,
        }
    }

    /// How many fields a type has, those of elements counted once: what a walk over it costs.
    fn weight(&self, ty: Type) -> u64 {
        let mut ty = ty;
        while let Type::Array(array) = ty {
            ty = self.context.array_parts(array).element;
        }
        self.weights.get(&ty).copied().unwrap_or(1)
    }

    fn named_type(&mut self) -> Result<Parsed> {
        let key = name(self.text());
        let place = self.place();
        self.bump();
        let unknown = self.context.structure(&[], false);
        let named = |ty, incomplete, opaque| Parsed {
            ty,
            pointee: None,
            incomplete,
            opaque,
        };
        match self.types.get(&key).copied() {
            Some(Named::Known(ty, opaque)) => Ok(named(ty, false, opaque)),
            Some(Named::Open) => Ok(named(unknown, true, false)),
            Some(Named::At(token)) => {
                let back = self.place();
                self.types.insert(key.clone(), Named::Open);
                self.go_to(token);
                let parsed = if self.is_word("opaque") {
                    Ok(named(unknown, false, true))
                } else {
                    self.parsed_type()
                };
                self.go_to(back);
                let parsed = match parsed {
                    Ok(parsed) => parsed,
                    Err(error) => {
                        self.types.insert(key, Named::Known(unknown, false));
                        return Err(error);
                    }
                };
                let state = if parsed.incomplete {
                    Named::At(token)
                } else {
                    Named::Known(parsed.ty, parsed.opaque)
                };
                self.types.insert(key, state);
                Ok(parsed)
            }
            // Of a pointer it does not matter what it points to.
            None if self.is(b'*') || self.is_word("addrspace") => Ok(named(unknown, false, true)),
            None => Err(self.error_at(place, format!("there is no type %{key}"))),
        }
    }

    /// `addrspace(N)`; names of spaces as LLVM 22 writes them are not numbers and mean nothing here.
    pub(super) fn address_space(&mut self) -> Result<AddressSpace> {
        self.keyword("addrspace")?;
        self.expect(b'(')?;
        let number = self.unsigned()?;
        self.expect(b')')?;
        match u32::try_from(number) {
            Ok(number) if number < 1 << 24 => Ok(AddressSpace(number)),
            _ => Err(self.error("address spaces are numbers below 2^24")),
        }
    }
}

fn pointer(space: AddressSpace, pointee: Parsed) -> Parsed {
    Parsed {
        ty: Type::Pointer(space),
        pointee: (!pointee.incomplete && !pointee.opaque).then_some(pointee.ty),
        incomplete: false,
        opaque: false,
    }
}

fn word_type(word: &str) -> Option<Type> {
    Some(match word {
        "void" => Type::Void,
        "half" => Type::Half,
        "bfloat" => Type::BFloat,
        "float" => Type::Float,
        "double" => Type::Double,
        "label" => Type::Label,
        "metadata" => Type::Metadata,
        "token" => Type::Token,
        _ => {
            let digits = word.strip_prefix('i')?;
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            Type::Int(digits.parse().unwrap_or(u32::MAX))
        }
    })
}
