//! Reading constants.

use warpsmith_numerics::convert::{Modifiers, float_to_float};
use warpsmith_numerics::format::{BF16, F16, F32, F64};

use super::lexer::{Kind, bytes, name};
use super::{Known, Reader, Result};
use crate::arena::Entity;
use crate::constant::{Constant, ConstantExpression, ConstantId};
use crate::function::BlockId;
use crate::instruction::{Flags, GepFlags};
use crate::integer::Integer;
use crate::opcode::{BinaryOp, CastOp};
use crate::types::Type;
use crate::verify::indices_fit;
use crate::verify::operation::cast_fits;

impl Reader<'_> {
    /// A type and a constant of it.
    pub(super) fn typed_constant(&mut self) -> Result<ConstantId> {
        let ty = self.ty()?;
        self.constant(ty)
    }

    /// A constant of a type.
    pub(super) fn constant(&mut self, ty: Type) -> Result<ConstantId> {
        self.nested(|reader| reader.constant_inner(ty))
    }

    fn constant_inner(&mut self, ty: Type) -> Result<ConstantId> {
        let place = self.place();
        let id = match self.kind() {
            Kind::Integer => self.integer_constant(ty)?,
            Kind::Hexadecimal | Kind::Decimal => self.float_constant(ty)?,
            Kind::Global => {
                let name = name(self.text());
                self.bump();
                self.symbol_constant(&name, place, ty)?
            }
            Kind::Bytes => {
                let bytes = bytes(self.text());
                self.bump();
                self.context.bytes(&bytes)
            }
            Kind::Mark(b'[' | b'{' | b'<') => self.aggregate_constant(ty)?,
            Kind::Metadata if ty == Type::Metadata => self.metadata_constant()?,
            Kind::Word => self.word_constant(ty)?,
            _ => return Err(self.unexpected("a constant")),
        };
        if self.context.constant_type(id) != ty {
            let (found, wanted) = (
                self.context.display_type(self.context.constant_type(id)),
                self.context.display_type(ty),
            );
            return Err(self.error_at(place, format!("this constant has type {found}, not {wanted}")));
        }
        Ok(id)
    }

    fn integer_constant(&mut self, ty: Type) -> Result<ConstantId> {
        let Type::Int(bits) = ty else {
            return Err(self.error(format!(
                "an integer is no constant of type {}",
                self.context.display_type(ty)
            )));
        };
        let value = Integer::from_decimal(bits, self.text())
            .ok_or_else(|| self.error(format!("this number does not fit in {bits} bits")))?;
        self.bump();
        Ok(self.context.integer(value))
    }

    fn float_constant(&mut self, ty: Type) -> Result<ConstantId> {
        let text = self.text();
        let width = match ty {
            Type::Half | Type::BFloat => 16,
            Type::Float | Type::Double => 64,
            _ => {
                return Err(self.error(format!(
                    "a float is no constant of type {}",
                    self.context.display_type(ty)
                )));
            }
        };
        let bits = match text.strip_prefix("0x") {
            Some(digits) => {
                let digits = match (digits.as_bytes().first(), ty) {
                    (Some(b'H'), Type::Half) | (Some(b'R'), Type::BFloat) => Some(&digits[1..]),
                    (Some(b'H' | b'R' | b'K' | b'L' | b'M'), _) => None,
                    _ => Some(digits),
                };
                let number = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
                let number = number.ok_or_else(|| {
                    self.error(format!("this is no constant of type {}", self.context.display_type(ty)))
                })?;
                if width == 16 && number >> 16 == 0 && text.as_bytes().get(2).is_some_and(u8::is_ascii_uppercase) {
                    self.bump();
                    return Ok(self.context.float(ty, number));
                }
                number
            }
            // A host's reading of decimal digits is correctly rounded, as IEEE 754 demands.
            None => text
                .parse::<f64>()
                .map_err(|_| self.error("this is no number"))?
                .to_bits(),
        };
        let narrow = narrowed(ty, bits)
            .ok_or_else(|| self.error(format!("this value is not exact in {}", self.context.display_type(ty))))?;
        self.bump();
        Ok(self.context.float(ty, narrow))
    }

    /// The address of what a name names.
    pub(super) fn symbol_constant(&mut self, name: &str, place: usize, ty: Type) -> Result<ConstantId> {
        match self.known(name) {
            Some(Known::Global(id)) => Ok(self.module.symbols.global_address(id)),
            Some(Known::Function(id)) => Ok(self.context.function_address(id)),
            Some(Known::Alias(id)) => {
                let space = ty.address_space().unwrap_or_default();
                Ok(self.context.alias_address(id, space))
            }
            Some(Known::Intrinsic) if !self.in_metadata => Err(self.error_at(
                place,
                format!("@{name} is an intrinsic: it has no address, and is only called"),
            )),
            Some(Known::Intrinsic) => {
                let function = self.intrinsic_function(name, None)?;
                Ok(self.context.function_address(function))
            }
            None => Err(self.error_at(place, format!("there is no @{name}"))),
        }
    }

    fn aggregate_constant(&mut self, ty: Type) -> Result<ConstantId> {
        let place = self.place();
        let open = self.mark();
        self.bump();
        let packed = open == b'<' && self.eat(b'{');
        let close = match open {
            b'[' => b']',
            b'{' => b'}',
            _ if packed => b'}',
            _ => b'>',
        };
        let mut elements = Vec::new();
        while !self.is(close) {
            elements.push(self.typed_constant()?);
            if !self.another()? {
                break;
            }
        }
        self.expect(close)?;
        if packed {
            self.expect(b'>')?;
        }
        let fits = match ty {
            Type::Array(_) => open == b'[',
            Type::Vector(_) => open == b'<' && !packed,
            Type::Struct(structure) => self.context.struct_data(structure).packed == packed && (packed || open == b'{'),
            _ => false,
        };
        let count = self.context.element_count(ty) == Some(elements.len() as u64);
        let types = elements.iter().enumerate().all(|(index, &element)| {
            self.context.element(ty, index as u64) == Some(self.context.constant_type(element))
        });
        if !fits || !count || !types {
            return Err(self.error_at(
                place,
                format!("these elements are not those of {}", self.context.display_type(ty)),
            ));
        }
        Ok(self.context.aggregate(ty, &elements))
    }

    fn word_constant(&mut self, ty: Type) -> Result<ConstantId> {
        let word = self.text();
        let scalar_only = |reader: &Reader<'_>, fits: bool, id: ConstantId| {
            if fits {
                Ok(id)
            } else {
                Err(reader.error(format!(
                    "{word} is no constant of type {}",
                    reader.context.display_type(ty)
                )))
            }
        };
        let id = match word {
            "true" | "false" => scalar_only(self, ty == Type::BOOL, self.context.bool(word == "true"))?,
            "null" => scalar_only(self, ty.is_pointer(), self.context.zero(ty))?,
            "none" => scalar_only(self, ty == Type::Token, self.context.zero(ty))?,
            "zeroinitializer" | "undef" | "poison" => {
                let fits = !matches!(ty, Type::Void | Type::Function(_) | Type::Label | Type::Metadata);
                let id = match word {
                    "undef" => self.context.undef(ty),
                    "poison" => self.context.poison(ty),
                    _ => self.context.zero(ty),
                };
                scalar_only(self, fits, id)?
            }
            _ if word.starts_with("u0x") || word.starts_with("s0x") => self.hexadecimal_integer(ty)?,
            _ => return self.expression(ty),
        };
        self.bump();
        Ok(id)
    }

    fn hexadecimal_integer(&mut self, ty: Type) -> Result<ConstantId> {
        let (Type::Int(bits), text) = (ty, self.text()) else {
            return Err(self.unexpected("a constant"));
        };
        let digits: Option<Vec<u64>> = text[3..]
            .bytes()
            .rev()
            .map(|byte| char::from(byte).to_digit(16).map(u64::from))
            .collect();
        let Some(digits) = digits.filter(|digits| !digits.is_empty()) else {
            return Err(self.unexpected("hexadecimal digits"));
        };
        let words: Vec<u64> = digits
            .chunks(16)
            .map(|chunk| chunk.iter().rev().fold(0, |word, digit| word << 4 | digit))
            .collect();
        let written = Integer::from_words(digits.len() as u32 * 4, &words);
        let value = if text.starts_with('s') {
            written.sign_extend(bits)
        } else {
            written.zero_extend(bits)
        };
        Ok(self.context.integer(value))
    }

    fn expression(&mut self, ty: Type) -> Result<ConstantId> {
        let word = self.text();
        if let Some(op) = CastOp::from_text(word) {
            self.bump();
            let _ = self.flags();
            self.expect(b'(')?;
            let place = self.place();
            let operand = self.typed_constant()?;
            self.keyword("to")?;
            let to = self.ty()?;
            self.expect(b')')?;
            let from = self.context.constant_type(operand);
            // Between types of pointers that are one type here there is nothing to convert.
            let same = op == CastOp::BitCast && from == to;
            if !same && !cast_fits(&self.context, op, from, to) {
                let (from, to) = (self.context.display_type(from), self.context.display_type(to));
                return Err(self.error_at(place, format!("{op} does not convert {from} to {to}")));
            }
            return Ok(self.context.cast_expression(op, operand, to));
        }
        if let Some(op) = BinaryOp::from_text(word) {
            self.bump();
            let _ = self.flags();
            self.expect(b'(')?;
            let place = self.place();
            let left = self.typed_constant()?;
            self.expect(b',')?;
            let right = self.typed_constant()?;
            self.expect(b')')?;
            let (one, other) = (self.context.constant_type(left), self.context.constant_type(right));
            let scalar = self.context.scalar(one);
            if one != other
                || if op.is_float() {
                    !scalar.is_float()
                } else {
                    !scalar.is_int()
                }
            {
                let (one, other) = (self.context.display_type(one), self.context.display_type(other));
                return Err(self.error_at(place, format!("{op} does not take operands of type {one} and {other}")));
            }
            return Ok(self.context.expression(ConstantExpression::Binary { op, left, right }));
        }
        match word {
            "getelementptr" => self.gep_expression(),
            "blockaddress" => self.block_address(),
            "splat" => {
                self.bump();
                self.expect(b'(')?;
                let element = self.typed_constant()?;
                self.expect(b')')?;
                let lanes = self
                    .context
                    .lanes(ty)
                    .ok_or_else(|| self.error("only a vector is a splat"))?;
                Ok(self.context.splat(lanes, element))
            }
            _ => Err(self.unsupported("constant", word, "neither a constant nor an expression of addresses")),
        }
    }

    fn gep_expression(&mut self) -> Result<ConstantId> {
        self.bump();
        let flags = self.gep_flags();
        if self.is_word("inrange") {
            self.bump();
            if self.is(b'(') {
                self.skip_brackets();
            }
        }
        self.expect(b'(')?;
        let place = self.place();
        let first = self.parsed_type()?;
        let (source, base) = if self.eat(b',') {
            self.sized(place, &first)?;
            (first.ty, self.typed_constant()?)
        } else {
            let base = self.constant(first.ty)?;
            (
                first
                    .pointee
                    .ok_or_else(|| self.error_at(place, "it is not known what this points to"))?,
                base,
            )
        };
        let mut indices = Vec::new();
        while self.eat(b',') {
            if self.is_word("inrange") {
                self.bump();
            }
            indices.push(self.typed_constant()?);
        }
        self.expect(b')')?;
        self.accessible(place, source)?;
        if !self.context.scalar(self.context.constant_type(base)).is_pointer() {
            return Err(self.error_at(place, "an address is computed from an address"));
        }
        if !indices_fit(&self.context, source, &indices) {
            let rule = "an index leads into an array or vector, or is the constant number of a field";
            return Err(self.error_at(place, rule));
        }
        Ok(self.context.gep_expression(flags, source, base, &indices))
    }

    fn block_address(&mut self) -> Result<ConstantId> {
        self.bump();
        self.expect(b'(')?;
        let (place, function) = (self.place(), name(self.text()));
        self.bump();
        self.expect(b',')?;
        let block = name(self.text());
        if self.kind() != Kind::Local {
            return Err(self.unexpected("the name of a block"));
        }
        self.bump();
        self.expect(b')')?;
        let Some(Known::Function(id)) = self.known(&function) else {
            return Err(self.error_at(place, format!("there is no function @{function}")));
        };
        if !self.defined.contains(&id) {
            let rule = format!("@{function} is declared only, and has no blocks whose addresses could be taken");
            return Err(self.error_at(place, rule));
        }
        // The numbers of these blocks come first in the body.
        let blocks = self.addressed_blocks.get(&id).map_or(&[][..], Vec::as_slice);
        let Some(index) = blocks.iter().position(|(known, _)| *known == block) else {
            return Err(self.error_at(place, format!("there is no block %{block}")));
        };
        Ok(self.context.block_address(id, BlockId::from_index(index)))
    }

    /// `nuw`, `nsw`, fast-math flags and all others, as far as they stand here.
    pub(super) fn flags(&mut self) -> Flags {
        let mut flags = Flags::NONE;
        while self.kind() == Kind::Word
            && let Some((_, flag)) = Flags::KEYWORDS.iter().find(|(text, _)| *text == self.text())
        {
            flags = flags | *flag;
            self.bump();
        }
        flags
    }

    pub(super) fn gep_flags(&mut self) -> GepFlags {
        let mut flags = GepFlags::NONE;
        while self.kind() == Kind::Word
            && let Some((_, flag)) = GepFlags::KEYWORDS.iter().find(|(text, _)| *text == self.text())
        {
            flags = flags | *flag;
            self.bump();
        }
        flags
    }

    /// The small number that a constant is.
    pub(super) fn small(&self, id: ConstantId) -> Option<i64> {
        match self.context.constant(id) {
            Constant::Int(value) => value.to_i64(),
            _ => None,
        }
    }
}

/// The bits of a double as those of another format, if that holds the value.
fn narrowed(ty: Type, bits: u64) -> Option<u64> {
    let (format, exponent, mantissa) = match ty {
        Type::Half => (F16, 5, 10),
        Type::BFloat => (BF16, 8, 7),
        Type::Float => (F32, 8, 23),
        _ => return Some(bits),
    };
    if bits >> 52 & 0x7ff == 0x7ff {
        // Infinity and NaN: the upper bits of the payload.
        let payload = bits & ((1 << 52) - 1);
        let exact = payload.trailing_zeros() >= 52 - mantissa || payload == 0;
        return exact.then_some(
            bits >> 63 << (exponent + mantissa) | ((1 << exponent) - 1) << mantissa | payload >> (52 - mantissa),
        );
    }
    let narrow = float_to_float(F64, format, Modifiers::default(), bits);
    (float_to_float(format, F64, Modifiers::default(), narrow) == bits).then_some(narrow)
}
