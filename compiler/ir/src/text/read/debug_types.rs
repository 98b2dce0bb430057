//! Reading the types that a debugger is told of.

use super::metadata::Metadata;
use super::{Reader, Result};
use crate::debug::{DebugEncoding, DebugMember, DebugRecordKind, DebugType, DebugTypeId};

/// How many qualifiers and names are between a type and what it is.
const LONGEST: usize = 100;

impl Reader<'_> {
    fn word_field<'n>(&'n self, node: &'n Metadata, key: &str) -> &'n str {
        match self.field_of(node, key) {
            Some(Metadata::Word(word)) => word,
            _ => "",
        }
    }

    fn has_flag(&self, node: &Metadata, flag: &str) -> bool {
        self.word_field(node, "flags")
            .split('|')
            .any(|each| each.trim() == flag)
    }

    fn unsigned_field(&self, node: &Metadata, key: &str) -> u64 {
        let number = self.field_of(node, key).and_then(|value| self.number_of(value));
        number.and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
    }

    /// The size of a type in bytes; 0 if it is not known.
    pub(super) fn debug_size(&self, node: &Metadata) -> u64 {
        let mut node = node;
        for _ in 0..LONGEST {
            match self.unsigned_field(node, "size") {
                0 => {}
                bits => return bits.div_ceil(8),
            }
            match self.field_of(node, "baseType") {
                Some(base) => node = base,
                None => break,
            }
        }
        0
    }

    pub(super) fn debug_add_type(&mut self, ty: DebugType) -> DebugTypeId {
        let debug = self.debug.get_or_insert_default();
        debug.info.types.push(ty)
    }

    /// The type of a node; `None` for `void`.
    pub(super) fn debug_type(&mut self, node: &Metadata) -> Result<Option<DebugTypeId>> {
        let number = match node {
            Metadata::Node(number) => Some(*number),
            _ => None,
        };
        if let (Some(number), Some(debug)) = (number, &self.debug)
            && let Some(known) = debug.types.get(&number)
        {
            return Ok(*known);
        }
        let made = self.nested(|reader| reader.debug_type_inner(node))?;
        if let (Some(number), Some(debug)) = (number, &mut self.debug) {
            // A class may have led back here, and been first.
            return Ok(*debug.types.entry(number).or_insert(made));
        }
        Ok(made)
    }

    fn debug_type_inner(&mut self, node: &Metadata) -> Result<Option<DebugTypeId>> {
        let Metadata::Record { name, .. } = self.follow(node) else {
            return Ok(None);
        };
        match name.as_str() {
            "DIBasicType" => self.debug_basic(node),
            "DIDerivedType" => self.debug_derived(node),
            "DICompositeType" => self.debug_composite(node),
            "DISubroutineType" => {
                let types = self.field_of(node, "types").map(|types| self.elements(types).to_vec());
                let types = types.unwrap_or_default();
                let mut made = Vec::with_capacity(types.len());
                for ty in &types {
                    made.push(self.debug_type(ty)?);
                }
                let mut made = made.into_iter();
                let result = made.next().flatten();
                Ok(Some(
                    self.debug_add_type(DebugType::Function(result, made.flatten().collect())),
                ))
            }
            other => {
                let other = other.to_owned();
                Err(self.unsupported(
                    "debug type",
                    &other,
                    "there is no such type in the debug information of devices",
                ))
            }
        }
    }

    fn debug_basic(&mut self, node: &Metadata) -> Result<Option<DebugTypeId>> {
        use DebugEncoding as E;
        let name = self.text_field(node, "name").unwrap_or("").to_owned();
        if self.word_field(node, "tag") == "DW_TAG_unspecified_type" {
            // The type of `nullptr`.
            return Ok(Some(self.debug_add_type(DebugType::Pointer(None))));
        }
        let encoding = match self.word_field(node, "encoding") {
            "DW_ATE_boolean" => E::Boolean,
            "DW_ATE_float" => E::Float,
            "DW_ATE_signed" => E::Signed,
            "DW_ATE_signed_char" => E::SignedCharacter,
            "DW_ATE_unsigned" | "DW_ATE_address" => E::Unsigned,
            "DW_ATE_unsigned_char" | "DW_ATE_UTF" | "DW_ATE_ASCII" => E::UnsignedCharacter,
            other => {
                let other = other.to_owned();
                return Err(self.unsupported(
                    "debug encoding",
                    &other,
                    "there is no such type in the debug information of devices",
                ));
            }
        };
        let size = self.debug_size(node);
        Ok(Some(self.debug_add_type(DebugType::Basic { name, encoding, size })))
    }

    fn debug_derived(&mut self, node: &Metadata) -> Result<Option<DebugTypeId>> {
        let tag = self.word_field(node, "tag").to_owned();
        let base = self.field_of(node, "baseType").cloned().unwrap_or(Metadata::Null);
        let make: fn(Option<DebugTypeId>) -> DebugType = match tag.as_str() {
            "DW_TAG_typedef"
            | "DW_TAG_restrict_type"
            | "DW_TAG_atomic_type"
            | "DW_TAG_immutable_type"
            | "DW_TAG_template_alias" => {
                return self.debug_type(&base);
            }
            "DW_TAG_pointer_type" => DebugType::Pointer,
            "DW_TAG_reference_type" | "DW_TAG_rvalue_reference_type" => DebugType::Reference,
            "DW_TAG_const_type" => DebugType::Const,
            "DW_TAG_volatile_type" => DebugType::Volatile,
            "DW_TAG_ptr_to_member_type" => {
                let ty = DebugType::Basic {
                    name: "pointer to member".to_owned(),
                    encoding: DebugEncoding::Signed,
                    size: self.debug_size(node).max(8),
                };
                return Ok(Some(self.debug_add_type(ty)));
            }
            _ => {
                return Err(self.unsupported(
                    "debug type",
                    &tag,
                    "there is no such type in the debug information of devices",
                ));
            }
        };
        let base = self.debug_type(&base)?;
        Ok(Some(self.debug_add_type(make(base))))
    }

    fn debug_composite(&mut self, node: &Metadata) -> Result<Option<DebugTypeId>> {
        let kind = match self.word_field(node, "tag") {
            "DW_TAG_structure_type" => DebugRecordKind::Structure,
            "DW_TAG_class_type" => DebugRecordKind::Class,
            "DW_TAG_union_type" => DebugRecordKind::Union,
            "DW_TAG_array_type" => return self.debug_array(node),
            "DW_TAG_enumeration_type" => return Ok(Some(self.debug_enumeration(node))),
            other => {
                let other = other.to_owned();
                return Err(self.unsupported(
                    "debug type",
                    &other,
                    "there is no such type in the debug information of devices",
                ));
            }
        };
        let is_complete = !self.has_flag(node, "DIFlagFwdDecl");
        let ty = DebugType::Record {
            kind,
            name: self.debug_name(node),
            place: self.debug_place(node),
            size: is_complete.then(|| self.debug_size(node)),
            bases: Vec::new(),
            members: Vec::new(),
        };
        let made = self.debug_add_type(ty);
        // Its members are read when all else is done: they may lead back to it, and far.
        if let (Metadata::Node(number), Some(debug), true) = (node, &mut self.debug, is_complete) {
            debug.types.insert(*number, Some(made));
            debug.records.push((made, *number));
        }
        Ok(Some(made))
    }

    fn debug_array(&mut self, node: &Metadata) -> Result<Option<DebugTypeId>> {
        let element = self.field_of(node, "baseType").cloned().unwrap_or(Metadata::Null);
        let mut ty = self.debug_type(&element)?;
        let ranges = self
            .field_of(node, "elements")
            .map(|ranges| self.elements(ranges).to_vec());
        for range in ranges.unwrap_or_default().iter().rev() {
            let number = |key| self.field_of(range, key).and_then(|value| self.number_of(value));
            let count = number("count").or_else(|| Some(number("upperBound")? - number("lowerBound").unwrap_or(0) + 1));
            let count = count.and_then(|count| u64::try_from(count).ok());
            ty = Some(self.debug_add_type(DebugType::Array(ty, count)));
        }
        Ok(ty)
    }

    fn debug_enumeration(&mut self, node: &Metadata) -> DebugTypeId {
        let elements = self
            .field_of(node, "elements")
            .map(|elements| self.elements(elements).to_vec());
        let values = elements.unwrap_or_default().into_iter().map(|element| {
            let value = match self.field_of(&element, "value") {
                Some(Metadata::Number(number)) => *number as i64,
                _ => 0,
            };
            (self.text_field(&element, "name").unwrap_or("").to_owned(), value)
        });
        let ty = DebugType::Enumeration {
            values: values.collect(),
            name: self.debug_name(node),
            place: self.debug_place(node),
            size: self.debug_size(node),
        };
        self.debug_add_type(ty)
    }

    /// The members of all records that have been named.
    pub(super) fn debug_records(&mut self) -> Result<()> {
        while let Some((id, number)) = self.debug.as_mut().and_then(|debug| debug.records.pop()) {
            let node = Metadata::Node(number);
            let elements = self
                .field_of(&node, "elements")
                .map(|elements| self.elements(elements).to_vec());
            let (mut found_bases, mut found_members) = (Vec::new(), Vec::new());
            for element in elements.unwrap_or_default() {
                let base = self.field_of(&element, "baseType").cloned().unwrap_or(Metadata::Null);
                let offset = self.unsigned_field(&element, "offset");
                match self.word_field(&element, "tag") {
                    "DW_TAG_inheritance" if !self.has_flag(&element, "DIFlagVirtual") => {
                        found_bases.extend(self.debug_type(&base)?.map(|ty| (ty, offset / 8)));
                    }
                    "DW_TAG_member" if !self.has_flag(&element, "DIFlagStaticMember") => {
                        let Some(ty) = self.debug_type(&base)? else { continue };
                        found_members.push(self.debug_member(&element, &base, ty, offset));
                    }
                    // Functions, static members, virtual bases (whose places are in tables), parts of variants.
                    _ => {}
                }
            }
            let record = self.debug.as_mut().map(|debug| &mut debug.info.types[id]);
            if let Some(DebugType::Record { bases, members, .. }) = record {
                (*bases, *members) = (found_bases, found_members);
            }
        }
        Ok(())
    }

    fn debug_member(&self, element: &Metadata, base: &Metadata, ty: DebugTypeId, offset: u64) -> DebugMember {
        let (offset, bits) = if self.has_flag(element, "DIFlagBitField") {
            let unit = self.debug_size(base).max(1);
            let start = offset / 8 / unit * unit;
            let width = u32::try_from(self.unsigned_field(element, "size")).unwrap_or(0);
            (start, Some((offset - start * 8, width, unit)))
        } else {
            (offset / 8, None)
        };
        DebugMember {
            name: self.text_field(element, "name").unwrap_or("").to_owned(),
            ty,
            place: self.debug_place(element),
            offset,
            bits,
        }
    }
}
