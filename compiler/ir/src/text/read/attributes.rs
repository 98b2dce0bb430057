//! Reading attributes. Those that mean nothing for devices or for this IR are read and dropped; they are listed here.

use super::lexer::{Kind, bytes};
use super::{Reader, Result};
use crate::attributes::{Extension, FunctionAttributes, Inlining, MemoryEffects, ParameterAttributes};
use crate::constant::Constant;
use crate::integer::Integer;
use crate::types::Type;

/// Attributes of parameters of conventions that devices do not have: they would be passed in another way.
const OTHER_CONVENTIONS: &[&str] = &["swiftself", "swifterror", "swiftasync", "inalloca", "preallocated"];

/// Attributes of parameters that are dropped: of languages and checkers that devices do not have, or that only sharpen an analysis.
const DROPPED_OF_PARAMETERS: &[&str] = &[
    "nest",
    "allocptr",
    "allocalign",
    "noext",
    "dead_on_unwind",
    "dead_on_return",
    "writable",
    "nofpclass",
    "initializes",
    "nocreateundeforpoison",
    "inexact",
];

/// Attributes of functions that are dropped, for the same reasons.
const DROPPED_OF_FUNCTIONS: &[&str] = &[
    "allockind",
    "builtin",
    "nobuiltin",
    "disable_sanitizer_instrumentation",
    "fn_ret_thunk_extern",
    "hot",
    "hybrid_patchable",
    "jumptable",
    "naked",
    "nocallback",
    "nocf_check",
    "nodivergencesource",
    "noimplicitfloat",
    "nonlazybind",
    "noprofile",
    "noredzone",
    "nosanitize_bounds",
    "nosanitize_coverage",
    "null_pointer_is_valid",
    "optdebug",
    "optforfuzzing",
    "presplitcoroutine",
    "returns_twice",
    "safestack",
    "sanitize_address",
    "sanitize_hwaddress",
    "sanitize_memory",
    "sanitize_memtag",
    "sanitize_thread",
    "sanitize_numerical_stability",
    "sanitize_realtime",
    "sanitize_realtime_blocking",
    "sanitize_alloc_token",
    "sanitize_type",
    "shadowcallstack",
    "skipprofile",
    "speculative_load_hardening",
    "ssp",
    "sspreq",
    "sspstrong",
    "strictfp",
    "uwtable",
    "vscale_range",
    "alignstack",
    "coro_only_destroy_when_complete",
    "coro_elide_safe",
    "nocreateundeforpoison",
    "denormal_fpenv",
    "flatten",
    "noipa",
    "nooutline",
];

impl Reader<'_> {
    /// `"key"` or `"key"="value"`.
    fn text_attribute(&mut self) -> Result<(String, String)> {
        let text = |token: &str| String::from_utf8_lossy(&bytes(token)).into_owned();
        let key = text(self.text());
        self.bump();
        if !self.eat(b'=') {
            return Ok((key, String::new()));
        }
        if self.kind() != Kind::Text {
            return Err(self.unexpected("a text"));
        }
        let value = text(self.text());
        self.bump();
        Ok((key, value))
    }

    /// `(N)`.
    fn number_in_brackets(&mut self) -> Result<u64> {
        self.expect(b'(')?;
        let number = self.unsigned()?;
        self.expect(b')')?;
        Ok(number)
    }

    /// `N` or `(N)`, a power of two that memory can be aligned to.
    pub(super) fn alignment(&mut self) -> Result<u32> {
        let brackets = self.eat(b'(');
        let place = self.place();
        let number = self.unsigned()?;
        if brackets {
            self.expect(b')')?;
        }
        if !number.is_power_of_two() || number > 1 << 31 {
            // LLVM's files have `align 0` for none.
            if number == 0 {
                return Ok(0);
            }
            return Err(self.error_at(place, "an alignment is a power of two up to 2^31"));
        }
        Ok(number as u32)
    }

    /// Attributes of a parameter, argument or result. `pointee` is what `byval` and `sret` without a type mean.
    pub(super) fn parameter_attributes(&mut self, pointee: Option<Type>) -> Result<ParameterAttributes> {
        let mut attributes = ParameterAttributes::default();
        loop {
            match self.kind() {
                Kind::Text => {
                    let (key, _) = self.text_attribute()?;
                    attributes.grid_constant |= key == "nvvm.grid_constant";
                }
                Kind::Word => {
                    let word = self.text();
                    if !self.parameter_attribute(word, pointee, &mut attributes)? {
                        return Ok(attributes);
                    }
                }
                _ => return Ok(attributes),
            }
        }
    }

    /// Reads the attribute of a keyword; false where it is none.
    fn parameter_attribute(
        &mut self,
        word: &str,
        pointee: Option<Type>,
        attributes: &mut ParameterAttributes,
    ) -> Result<bool> {
        let flag = match word {
            "noalias" => &mut attributes.noalias,
            "readonly" => &mut attributes.readonly,
            "writeonly" => &mut attributes.writeonly,
            "readnone" => &mut attributes.readnone,
            "nocapture" => &mut attributes.nocapture,
            "nofree" => &mut attributes.nofree,
            "nonnull" => &mut attributes.nonnull,
            "noundef" => &mut attributes.noundef,
            "inreg" => &mut attributes.inreg,
            "returned" => &mut attributes.returned,
            "immarg" => &mut attributes.immarg,
            "signext" | "zeroext" => {
                let extension = if word == "signext" {
                    Extension::Sign
                } else {
                    Extension::Zero
                };
                if attributes.extension != Extension::None && attributes.extension != extension {
                    return Err(self.error("an integer is extended by its sign or by zeros, not both"));
                }
                attributes.extension = extension;
                self.bump();
                return Ok(true);
            }
            _ => return self.parameter_attribute_with_value(word, pointee, attributes),
        };
        *flag = true;
        self.bump();
        Ok(true)
    }

    fn parameter_attribute_with_value(
        &mut self,
        word: &str,
        pointee: Option<Type>,
        attributes: &mut ParameterAttributes,
    ) -> Result<bool> {
        let place = self.place();
        match word {
            "byval" | "sret" => {
                self.bump();
                let ty = if self.eat(b'(') {
                    let ty = self.sized_type()?;
                    self.expect(b')')?;
                    ty
                } else {
                    pointee.ok_or_else(|| self.error_at(place, format!("{word} needs the type that is pointed to")))?
                };
                *(if word == "byval" {
                    &mut attributes.byval
                } else {
                    &mut attributes.sret
                }) = Some(ty);
            }
            "align" => {
                self.bump();
                attributes.align = self.alignment()?;
            }
            "alignstack" => {
                self.bump();
                attributes.stack_align = self.alignment()?;
            }
            "dereferenceable" | "dereferenceable_or_null" => {
                self.bump();
                let bytes = self.number_in_brackets()?;
                if bytes == 0 {
                    return Err(self.error_at(place, format!("{word} is of at least one byte")));
                }
                if word == "dereferenceable" {
                    attributes.dereferenceable = bytes;
                } else {
                    attributes.dereferenceable_or_null = bytes;
                }
            }
            // The type that is pointed to: what byref says of the argument changes nothing, and elementtype is for intrinsics and assembly.
            "elementtype" | "byref" => {
                self.bump();
                self.expect(b'(')?;
                self.sized_type()?;
                self.expect(b')')?;
                self.points_to_stated = true;
            }
            _ if OTHER_CONVENTIONS.contains(&word) => {
                return Err(self.unsupported(
                    "attribute",
                    word,
                    "devices do not have the calling conventions that need it",
                ));
            }
            "captures" => {
                self.bump();
                self.expect(b'(')?;
                attributes.nocapture = self.is_word("none");
                while !self.is(b')') && self.kind() != Kind::End {
                    self.bump();
                }
                self.expect(b')')?;
            }
            "range" => {
                self.bump();
                self.range = Some(self.range_attribute()?);
            }
            _ if DROPPED_OF_PARAMETERS.contains(&word) => {
                self.bump();
                if self.is(b'(') {
                    self.skip_brackets();
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `(iN low, high)`. It is kept for results of calls; of parameters and declarations nothing is concluded from it.
    fn range_attribute(&mut self) -> Result<(Integer, Integer)> {
        self.expect(b'(')?;
        let ty = self.ty()?;
        let bound = |reader: &mut Reader<'_>| {
            let id = reader.constant(ty)?;
            match reader.context.constant(id) {
                Constant::Int(value) => Ok(value.clone()),
                _ => Err(reader.error("a range is of integers")),
            }
        };
        let low = bound(self)?;
        self.expect(b',')?;
        let high = bound(self)?;
        self.expect(b')')?;
        Ok((low, high))
    }

    /// Attributes of a function or call, to the first token that is none.
    pub(super) fn function_attributes(&mut self) -> Result<FunctionAttributes> {
        let mut attributes = FunctionAttributes::default();
        self.add_function_attributes(&mut attributes)?;
        Ok(attributes)
    }

    /// As [`Reader::function_attributes`], added to others.
    pub(super) fn add_function_attributes(&mut self, attributes: &mut FunctionAttributes) -> Result<()> {
        loop {
            match self.kind() {
                Kind::Text => {
                    let (key, value) = self.text_attribute()?;
                    attributes.strings.insert(key, value);
                }
                Kind::Group => {
                    let number = self.text()[1..].parse().unwrap_or(u32::MAX);
                    // A group that is not defined says nothing; LLVM's tests have such.
                    if let Some(group) = self.groups.get(&number) {
                        merge(attributes, group);
                        self.allocation
                            .extend_from_slice(self.group_allocation.get(&number).map_or(&[], |list| list));
                    }
                    self.bump();
                }
                Kind::Word => {
                    if !self.function_attribute(attributes)? {
                        return Ok(());
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    fn function_attribute(&mut self, attributes: &mut FunctionAttributes) -> Result<bool> {
        let word = self.text();
        let old = |memory: MemoryEffects, allowed| memory.intersection(allowed);
        match word {
            "alwaysinline" | "noinline" => {
                let inlining = if word == "noinline" {
                    Inlining::Never
                } else {
                    Inlining::Always
                };
                if !matches!(attributes.inlining, Inlining::Default | Inlining::Hint) && attributes.inlining != inlining
                {
                    return Err(self.error("a function is alwaysinline or noinline, not both"));
                }
                attributes.inlining = inlining;
            }
            "inlinehint" => {
                if attributes.inlining == Inlining::Default {
                    attributes.inlining = Inlining::Hint;
                }
            }
            "convergent" => attributes.convergent = true,
            "nounwind" => attributes.nounwind = true,
            "noreturn" => attributes.noreturn = true,
            "willreturn" => attributes.willreturn = true,
            "norecurse" => attributes.norecurse = true,
            "nosync" => attributes.nosync = true,
            "nofree" => attributes.nofree = true,
            "speculatable" => attributes.speculatable = true,
            "mustprogress" => attributes.mustprogress = true,
            "optnone" => attributes.optnone = true,
            "optsize" => attributes.optsize = true,
            "minsize" => attributes.minsize = true,
            "cold" => attributes.cold = true,
            // What is to be copied or joined by nobody stays in its place as what all threads take part in does.
            "nomerge" | "noduplicate" => attributes.convergent = true,
            "allocsize" => {
                self.bump();
                self.alloc_size()?;
                return Ok(true);
            }
            "readnone" => attributes.memory = MemoryEffects::NONE,
            "readonly" => attributes.memory = old(attributes.memory, MemoryEffects::READ),
            "writeonly" => attributes.memory = old(attributes.memory, MemoryEffects::WRITE),
            "argmemonly" => attributes.memory = old(attributes.memory, MemoryEffects::ARGUMENTS),
            "inaccessiblememonly" => attributes.memory = old(attributes.memory, MemoryEffects::INACCESSIBLE),
            "inaccessiblemem_or_argmemonly" => {
                attributes.memory = old(
                    attributes.memory,
                    MemoryEffects::INACCESSIBLE.union(MemoryEffects::ARGUMENTS),
                );
            }
            "memory" => {
                self.bump();
                attributes.memory = self.memory_effects()?;
                return Ok(true);
            }
            _ if DROPPED_OF_FUNCTIONS.contains(&word) => {
                self.bump();
                if self.is(b'(') {
                    self.skip_brackets();
                } else if self.eat(b'=') {
                    self.bump();
                }
                return Ok(true);
            }
            _ => return Ok(false),
        }
        self.bump();
        Ok(true)
    }

    /// `(N)` or `(N, M)`: the parameters whose product is the size of what is allocated.
    fn alloc_size(&mut self) -> Result<()> {
        let place = self.place();
        self.expect(b'(')?;
        let first = self.unsigned()?;
        self.allocation.push((place, first));
        if self.eat(b',') {
            let second = self.unsigned()?;
            self.allocation.push((place, second));
        }
        self.expect(b')')
    }

    /// `(read, argmem: readwrite, …)`.
    fn memory_effects(&mut self) -> Result<MemoryEffects> {
        self.expect(b'(')?;
        let mut parts: [Option<u8>; 3] = [None; 3];
        let mut default = 0;
        while !self.is(b')') {
            let place = if self.kind() == Kind::Label {
                let label = self.text().trim_end_matches(':');
                let place = match label {
                    "argmem" => Some(0),
                    "inaccessiblemem" => Some(1),
                    // Kinds of memory that newer versions tell apart (`errnomem`, `target_mem0` …) belong to what is not accessible.
                    _ => None,
                };
                self.bump();
                Some(place)
            } else {
                None
            };
            let access = match self.text() {
                "none" => 0,
                "read" => 1,
                "write" => 2,
                "readwrite" => 3,
                _ => return Err(self.unexpected("none, read, write or readwrite")),
            };
            self.bump();
            match place {
                None => default = access,
                Some(Some(place)) => parts[place] = Some(access),
                Some(None) => parts[1] = Some(parts[1].unwrap_or(0) | access),
            }
            if !self.another()? {
                break;
            }
        }
        self.expect(b')')?;
        Ok(MemoryEffects::from_parts(
            parts[0].unwrap_or(default),
            parts[1].unwrap_or(default),
            default,
        ))
    }
}

fn merge(into: &mut FunctionAttributes, group: &FunctionAttributes) {
    into.memory = into.memory.intersection(group.memory);
    if group.inlining != Inlining::Default {
        into.inlining = group.inlining;
    }
    let flags = [
        (&mut into.convergent, group.convergent),
        (&mut into.nounwind, group.nounwind),
        (&mut into.noreturn, group.noreturn),
        (&mut into.willreturn, group.willreturn),
        (&mut into.norecurse, group.norecurse),
        (&mut into.nosync, group.nosync),
        (&mut into.nofree, group.nofree),
        (&mut into.speculatable, group.speculatable),
        (&mut into.mustprogress, group.mustprogress),
        (&mut into.optnone, group.optnone),
        (&mut into.optsize, group.optsize),
        (&mut into.minsize, group.minsize),
        (&mut into.cold, group.cold),
    ];
    flags.into_iter().for_each(|(flag, set)| *flag |= set);
    into.strings
        .extend(group.strings.iter().map(|(key, value)| (key.clone(), value.clone())));
}
