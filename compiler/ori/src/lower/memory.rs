//! Loads, stores, fences, and conversions of addresses.

use warpsmith_ptx::{
    instruction::Variant,
    module::{Address, AddressBase, Operand, OperandRange},
    table::{Opcode, Type, TypeKind},
};
use warpsmith_sass::{FieldName as F, Opcode as O};
use warpsmith_target::{Feature, Isa};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    operand::is_signed,
    variables::{immediate, unsupported},
    words,
};
use crate::{
    ir::Register,
    select::{Request, Source, Value, Word},
};

/// The space that an instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    Generic,
    Global,
    Shared,
    /// Of any CTA of the cluster.
    Cluster,
    Local,
    Constant,
    Parameter,
}

/// Which threads see the effects of an access or fence in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Cta,
    Gpu,
    System,
}

/// How strong an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strength {
    Weak,
    /// Of memory that nobody writes.
    Constant,
    Strong(Scope),
    /// Of devices behind memory addresses: each access happens once, as it is.
    Device,
}

/// Whether a modifier is there, by its name without dot.
pub(super) fn says(variant: &Variant, name: &str) -> bool {
    variant
        .modifiers
        .iter()
        .flatten()
        .any(|modifier| modifier.name() == name)
}

/// The scope that an instruction names. That of a cluster is widened to the GPU, as ptxas does.
pub(super) fn scope_of(variant: &Variant) -> Option<Scope> {
    if says(variant, "cta") {
        Some(Scope::Cta)
    } else if says(variant, "gpu") || says(variant, "gl") || says(variant, "cluster") {
        Some(Scope::Gpu)
    } else if says(variant, "sys") {
        Some(Scope::System)
    } else {
        None
    }
}

impl Lowering<'_> {
    /// Loads, stores, and address conversions.
    pub(super) fn memory(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        Some(match variant.opcode {
            Opcode::Ld | Opcode::Ldu => self.load(variant, operands),
            Opcode::St | Opcode::MultimemSt => self.store(variant, operands),
            Opcode::Cvta | Opcode::CvtaTo => self.convert_address(variant, operands),
            Opcode::Membar | Opcode::Fence => self.memory_fence(variant),
            // Hints: results are the same without them. (`discard` leaves any value behind, the old one too.)
            Opcode::Prefetch | Opcode::Prefetchu | Opcode::Applypriority | Opcode::Discard => Ok(()),
            _ => return None,
        })
    }

    fn convert_address(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let to = self.destination(operands.first())?;
        if self.function.info(to).words != 2 {
            return unsupported("a generic address of 32 bits");
        }
        let space = space_of(variant)?;
        let low = self.word(operands.get(1), Type::U64, 0)?;
        let high = self.word(operands.get(1), Type::U64, 1)?;
        let converted = self.change_space(space, variant.opcode == Opcode::Cvta, [low, high])?;
        self.move_words(to, 2, |word| converted.word(word).into())
    }

    fn move_words(&mut self, to: Register, count: u8, from: impl Fn(u8) -> Source) -> Lowered {
        for word in 0..count {
            self.emit(Request::new(O::Mov).to(to.word(word)).from(from(word)))?;
        }
        Ok(())
    }

    /// `membar` and `fence`
    fn memory_fence(&mut self, variant: &Variant) -> Lowered {
        // A fence for both sides is at least as strong as one for one side, or for shared memory alone.
        let known = [
            "sc",
            "acq_rel",
            "acquire",
            "release",
            "cta",
            "cluster",
            "gpu",
            "gl",
            "sys",
            "mbarrier_init",
            "sync_restrict::shared::cta",
            "sync_restrict::shared::cluster",
            "sync_restrict::read",
            "alias",
        ];
        let all_known = variant.modifiers.iter().flatten().all(|m| known.contains(&m.name()));
        let scope = scope_of(variant).filter(|_| all_known).ok_or(UNSUPPORTED)?;
        let sequential = variant.opcode == Opcode::Membar || says(variant, "sc");
        self.fence(if sequential { "SC" } else { "ALL" }, scope)?;
        self.invalidate(scope)
    }

    /// What was written before is seen before what is written after.
    pub(super) fn fence(&mut self, ordering: &'static str, scope: Scope) -> Lowered {
        // Loads before it have their values: at the end of a block everything is waited for.
        self.new_block();
        let text = match scope {
            Scope::Cta => "CTA",
            Scope::Gpu => "GPU",
            Scope::System => "SYS",
        };
        self.emit(
            Request::new(O::Membar)
                .form("none")
                .text(F::Ordering, ordering)
                .text(F::Scope, text),
        )?;
        if scope != Scope::Cta {
            self.error_barriers()?;
        }
        Ok(())
    }

    /// Waits for the errors of what came before to show.
    pub(super) fn error_barriers(&mut self) -> Lowered {
        self.emit(Request::new(O::Errbar).form("none"))?;
        match self.selector.has(O::Cgaerrbar) {
            true => self.emit(Request::new(O::Cgaerrbar).form("none")),
            false => Ok(()),
        }
    }

    /// What is loaded after is not older than what was loaded before.
    pub(super) fn invalidate(&mut self, scope: Scope) -> Lowered {
        self.new_block();
        if scope != Scope::Cta {
            self.emit(Request::new(O::Cctl).form("none").text(F::Operation, "IVALL"))?;
        }
        Ok(())
    }

    fn load(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = variant.types().last().ok_or(UNSUPPORTED)?;
        let Some(Operand::Address(address)) = operands.get(1) else {
            return unsupported("this address");
        };
        let targets = self.elements(operands.first())?;
        let mut space = space_of(variant)?;
        if space == Space::Parameter && self.is_local_parameter(variant, address) {
            if let Some((_, from)) = self.in_words(address) {
                return self.load_words(&from, &targets, of, address.offset);
            }
            space = Space::Local;
        }
        if matches!(space, Space::Parameter | Space::Constant) {
            return self.load_constant(space, &targets, of, address);
        }
        let strength = strength_of(variant)?;
        let element = of.bits().div_ceil(8).max(1);
        if self.is_huge(space, strength, element * targets.len() as u32) {
            return self.load_huge(address, &targets, of, strength);
        }
        // Other accesses of 256 bits are done in halves: a vector is no single access anyway.
        let per_access = (16 / element).max(1) as usize;
        let mut parts = Vec::new();
        for (index, targets) in targets.chunks(per_access).enumerate() {
            let data = self.gathered(targets, of);
            let part = Address {
                offset: address.offset.wrapping_add(16 * index as i64),
                ..*address
            };
            let request = hinted(self.access(space, &part, true, strength)?, variant, space, strength);
            let size = size_text(element * targets.len() as u32, of)?;
            self.emit(request.to(data).text(F::Size, size))?;
            parts.push((targets, data));
        }
        if says(variant, "acquire") {
            self.invalidate(scope_of(variant).ok_or(UNSUPPORTED)?)?;
        }
        parts
            .into_iter()
            .try_for_each(|(targets, data)| self.scatter(targets, of, data))
    }

    fn store(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = variant.types().last().ok_or(UNSUPPORTED)?;
        let Some(Operand::Address(address)) = operands.first() else {
            return unsupported("this address");
        };
        let mut space = space_of(variant)?;
        let strength = strength_of(variant)?;
        let values: Vec<Operand> = match operands.get(1) {
            Some(Operand::Vector(range)) => self.list(*range).to_vec(),
            Some(operand) => vec![*operand],
            None => return Err(UNSUPPORTED),
        };
        if space == Space::Parameter && self.is_local_parameter(variant, address) {
            if let Some((_, to)) = self.in_words(address) {
                return self.store_words(&to, &values, of, address.offset);
            }
            space = Space::Local;
        }
        if matches!(space, Space::Parameter | Space::Constant) {
            return unsupported("a store to this space");
        }
        if says(variant, "release") {
            self.fence("ALL", scope_of(variant).ok_or(UNSUPPORTED)?)?;
        }
        let element = of.bits().div_ceil(8).max(1);
        if !says(variant, "release") && self.is_huge(space, strength, element * values.len() as u32) {
            return self.store_huge(address, &values, of);
        }
        let per_access = (16 / element).max(1) as usize;
        for (index, values) in values.chunks(per_access).enumerate() {
            let data = self.packed(values, of)?;
            let part = Address {
                offset: address.offset.wrapping_add(16 * index as i64),
                ..*address
            };
            let request = hinted(self.access(space, &part, false, strength)?, variant, space, strength);
            let size = size_text(element * values.len() as u32, unsigned(of))?;
            let field = self.stored_field(space, strength);
            self.emit(request.at(field, data).text(F::Size, size))?;
        }
        Ok(())
    }

    /// Whether an access is one of 32 bytes.
    fn is_huge(&self, space: Space, strength: Strength, bytes: u32) -> bool {
        let weak = matches!(strength, Strength::Weak | Strength::Constant);
        bytes == 32 && space == Space::Global && weak && self.function.sm.has(Feature::Access256bit)
    }

    /// A load or store of 32 bytes without its data: offsets count in these.
    fn huge_access(&mut self, address: &Address, load: bool, strength: Strength) -> Lowered<Request> {
        let (mut base, mut offset) = self.locate(Space::Global, address)?;
        if offset % HUGE != 0 {
            let high = Word {
                word: base.word + 1,
                ..base
            };
            let sum = self.temporary(2);
            self.add_wide(sum, base.into(), high.into(), offset)?;
            (base, offset) = (sum.word(0), 0);
        }
        let (opcode, form, descriptor) = match load {
            true => (O::Ldg, "E.256.R_R_D", F::URb),
            false => (O::Stg, "E.256.D_R_R", F::URc),
        };
        let request = Request::new(opcode)
            .form(form)
            .at(F::Ra, base)
            .number(F::Offset, (offset / HUGE) as u64)
            .number(F::Mask, 0xff)
            .text(F::L2Eviction, "ENL2");
        let request = match self.descriptor()? {
            Some(found) => request.at(descriptor, found),
            None => return Err(UNSUPPORTED),
        };
        Ok(ordered(request, self.function.isa(), strength).weak(true))
    }

    fn load_huge(&mut self, address: &Address, targets: &[Register], of: Type, strength: Strength) -> Lowered {
        let request = self.huge_access(address, true, strength)?;
        let halves = [self.temporary(4), self.temporary(4)];
        // The register of the upper half is named first. (Observed, ptxas 13.0.88.)
        self.emit(request.at(F::Rd, halves[0]).at(F::Rc, halves[1]))?;
        let parts = targets.chunks(targets.len().div_ceil(2));
        parts
            .zip(halves)
            .try_for_each(|(targets, data)| self.scatter(targets, of, data))
    }

    fn store_huge(&mut self, address: &Address, values: &[Operand], of: Type) -> Lowered {
        let (low, high) = values.split_at(values.len() / 2);
        let halves = [self.packed(low, of)?, self.packed(high, of)?];
        let request = self.huge_access(address, false, Strength::Weak)?;
        self.emit(request.at(F::Rb, halves[0]).at(F::Rd, halves[1]))
    }

    /// The field that a store has its data in: generic stores without a descriptor have another one.
    pub(super) fn stored_field(&self, space: Space, strength: Strength) -> F {
        let plain = self.function.isa() == Isa::Sm75 || strength == Strength::Device;
        if space == Space::Generic && plain { F::Rc } else { F::Rb }
    }

    /// The values of a store in one register.
    pub(super) fn packed(&mut self, values: &[Operand], of: Type) -> Lowered<Register> {
        if let [value] = values {
            return self.in_register(Some(value), of);
        }
        let bits = of.bits();
        let count = values.len() as u8;
        if bits >= 32 {
            let data = self.temporary(words(of) * count);
            for (index, value) in (0_u8..).zip(values) {
                for word in 0..words(of) {
                    let source = self.word(Some(value), of, word)?;
                    let to = data.word(index * words(of) + word);
                    self.emit_bare(Request::new(O::Mov).to(to).from(source))?;
                }
            }
            return Ok(data);
        }
        let per_word = (32 / bits.max(8)) as usize;
        let data = self.temporary(count.div_ceil(per_word as u8).max(1));
        for (word, values) in (0_u8..).zip(values.chunks(per_word)) {
            let sources: Vec<Register> = values
                .iter()
                .map(|value| self.in_register(Some(value), of))
                .collect::<Lowered<_>>()?;
            let to = data.word(word);
            // Selectors of PRMT: digits 0 to 3 are bytes of the first operand, 4 to 7 of the second.
            match (bits, &sources[..]) {
                (16, [a, b]) => self.interleave(to, *a, 0x5410, *b)?,
                (8, [a, b]) => self.interleave(to, *a, 0x7740, *b)?,
                (8, [a, b, c, d]) => {
                    let (low, high) = (self.temporary(1), self.temporary(1));
                    self.interleave(low.into(), *a, 0x7740, *b)?;
                    self.interleave(high.into(), *c, 0x7740, *d)?;
                    self.interleave(to, low, 0x5410, high)?;
                }
                _ => return unsupported("a vector of this length"),
            }
        }
        Ok(data)
    }

    fn interleave(&mut self, to: Word, a: Register, selector: u32, b: Register) -> Lowered {
        self.emit_bare(
            Request::new(O::Prmt)
                .to(to)
                .from(a)
                .from(Value::Immediate(selector))
                .from(b),
        )
    }

    /// The registers of a destination that may be a vector.
    pub(super) fn elements(&mut self, operand: Option<&Operand>) -> Lowered<Vec<Register>> {
        match operand {
            Some(Operand::Vector(range)) => {
                let list = self.list(*range).to_vec();
                list.iter().map(|element| self.destination(Some(element))).collect()
            }
            operand => Ok(vec![self.destination(operand)?]),
        }
    }

    /// The operands of a vector.
    pub(super) fn list(&self, range: OperandRange) -> &[Operand] {
        let first = range.first as usize;
        let operands = self.body.operands.get(first..first + usize::from(range.count));
        operands.unwrap_or(&[])
    }

    /// The register that a load writes: the destination itself, or one that holds the whole vector.
    fn gathered(&mut self, targets: &[Register], of: Type) -> Register {
        let wanted = (of.bits().max(8) * targets.len() as u32).div_ceil(32).max(1) as u8;
        match targets {
            [target] if self.function.info(*target).words == wanted => *target,
            _ => self.temporary(wanted),
        }
    }

    /// Takes a loaded vector apart; elements are extended to the width of their registers.
    pub(super) fn scatter(&mut self, targets: &[Register], of: Type, data: Register) -> Lowered {
        if targets == [data] {
            return Ok(());
        }
        let signed = is_signed(of);
        let element = (of.bits().max(8) / 8) as usize;
        for (index, target) in targets.iter().enumerate() {
            let place = index * element;
            let first = (place / 4) as u8;
            let width = self.function.info(*target).words;
            if element < 4 && targets.len() > 1 {
                let selector = extract(place as u32 % 4, element as u32, signed);
                self.emit(
                    Request::new(O::Prmt)
                        .to(target.word(0))
                        .from(data.word(first))
                        .from(Value::Immediate(selector))
                        .from(Value::Zero),
                )?;
            } else {
                self.move_words(*target, words(of).min(width), |word| data.word(first + word).into())?;
            }
            let low = target.word(words(of).min(width) - 1);
            for word in words(of)..width {
                let request = if signed {
                    Request::new(O::Shf)
                        .from(Value::Zero)
                        .from(Value::Immediate(31))
                        .from(low)
                        .text(F::Direction, "R")
                        .text(F::Type, "S32")
                        .flag(F::High, true)
                } else {
                    Request::new(O::Mov).from(Value::Zero)
                };
                self.emit(request.to(target.word(word)))?;
            }
        }
        Ok(())
    }

    /// A load from a constant bank: parameters are in bank 0, constant variables in bank 3.
    fn load_constant(&mut self, space: Space, targets: &[Register], of: Type, address: &Address) -> Lowered {
        let bank = if space == Space::Parameter { 0 } else { 3 };
        let (base, start) = match address.base {
            AddressBase::Register(register) => (Some(self.home(register)), address.offset),
            AddressBase::Variable(variable) => {
                use warpsmith_ptx::module::Space as S;
                let fits = match self.module.variables[variable.0 as usize].space {
                    S::Constant => space == Space::Constant,
                    S::Parameter => space == Space::Parameter,
                    S::Global | S::Local | S::Shared | S::Texture | S::Register => false,
                };
                if !fits {
                    return unsupported("a variable of another space");
                }
                let (base, place) = self.place_of(variable)?;
                (base, place.wrapping_add(address.offset))
            }
            AddressBase::Absolute => (None, address.offset),
        };
        let bytes = of.bits().div_ceil(8).max(1);
        let (base, start) = match base {
            Some(base) if !(-0x8000..0x7f00).contains(&start) => {
                let sum = self.temporary(1);
                let offset = immediate(start as u32);
                let request = Request::new(O::Iadd3).to(sum).from(base.word(0)).from(offset);
                self.emit_bare(request.from(Value::Zero))?;
                (Some(sum), 0)
            }
            base => (base, start),
        };
        let in_bank = match base {
            Some(_) => (-0x8000..0x8000).contains(&start),
            None => (0..if bytes < 4 { 0x8000 } else { 0xff00 }).contains(&start),
        };
        let aligned = base.is_some() || start % i64::from(of.bits().div_ceil(8).clamp(1, 4)) == 0;
        if address.unified || !in_bank || !aligned {
            return unsupported("this address");
        }
        let count = if bytes < 4 { 1 } else { words(of) };
        // All are read before the first is written: the address may be among the destinations.
        let mut parts = Vec::new();
        for (index, target) in targets.iter().enumerate() {
            let own = targets.len() == 1 && base.is_none() && self.function.info(*target).words == count;
            let data = if own { *target } else { self.temporary(count) };
            let offset = start + i64::from(bytes) * index as i64;
            for word in 0..count {
                let offset = offset + 4 * i64::from(word);
                let request = match base {
                    None if bytes >= 4 => Request::new(O::Mov).from(Value::Constant(bank, offset as u32)),
                    None => {
                        // Not every generation was seen to load a part of a constant at a fixed place.
                        let zero = self.temporary(1);
                        self.emit_bare(Request::new(O::Mov).to(zero).from(Value::Zero))?;
                        Request::new(O::Ldc)
                            .form("R_CR")
                            .at(F::Ra, zero)
                            .number(F::Bank, u64::from(bank))
                            .number(F::Offset, offset as u64)
                            .text(F::Size, size_text(bytes, of)?)
                    }
                    Some(base) => Request::new(O::Ldc)
                        .form("R_CR")
                        .at(F::Ra, base.word(0))
                        .number(F::Bank, u64::from(bank))
                        .number(F::Offset, offset as u64 & 0xffff)
                        .text(F::Size, size_text(bytes.min(4), of)?),
                };
                self.emit(request.to(data.word(word)))?;
            }
            parts.push((*target, data));
        }
        parts
            .into_iter()
            .try_for_each(|(target, data)| self.scatter(&[target], of, data))
    }

    /// The register an address counts from and an offset that fits the instruction.
    pub(super) fn locate(&mut self, space: Space, address: &Address) -> Lowered<(Word, i64)> {
        if address.unified {
            return unsupported("a unified address");
        }
        let wide = matches!(space, Space::Global | Space::Generic);
        let (base, offset) = match address.base {
            AddressBase::Register(register) => (Some(self.home(register)), address.offset),
            AddressBase::Variable(variable) => {
                use warpsmith_ptx::module::Space as S;
                let fits = match self.module.variables[variable.0 as usize].space {
                    S::Global => matches!(space, Space::Global | Space::Generic),
                    S::Shared => matches!(space, Space::Shared | Space::Cluster),
                    S::Local | S::Parameter => space == Space::Local,
                    S::Constant | S::Texture | S::Register => false,
                };
                if !fits {
                    return unsupported("a variable of another space");
                }
                let (base, place) = self.place_of(variable)?;
                (base, place.wrapping_add(address.offset))
            }
            AddressBase::Absolute => (None, address.offset),
        };
        if wide && base.is_some_and(|base| self.function.info(base).words != 2) {
            return unsupported("an address of 32 bits");
        }
        let fits = (-(1 << 23)..1 << 23).contains(&offset);
        let sum = match base {
            Some(base) if fits => return Ok((base.word(0), offset)),
            Some(base) => {
                let sum = self.temporary(2);
                let high = if wide { base.word(1).into() } else { Value::Zero };
                self.add_wide(sum, base.word(0).into(), high.into(), offset)?;
                sum
            }
            None => {
                let sum = self.temporary(2);
                let parts = [offset as u32, (offset >> 32) as u32];
                self.copy_pair(sum, parts.map(|part| immediate(part).into()))?;
                sum
            }
        };
        Ok((sum.word(0), 0))
    }

    /// A load or store without its data.
    pub(super) fn access(
        &mut self,
        space: Space,
        address: &Address,
        load: bool,
        strength: Strength,
    ) -> Lowered<Request> {
        if space == Space::Cluster {
            let place = self.cluster_place(address)?;
            return self.access_at(Space::Generic, place, load, strength);
        }
        let place = self.locate(space, address)?;
        self.access_at(space, place, load, strength)
    }

    /// [`Lowering::access`] by a register and an offset.
    pub(super) fn access_at(
        &mut self,
        space: Space,
        (base, offset): (Word, i64),
        load: bool,
        strength: Strength,
    ) -> Lowered<Request> {
        let offset = offset as u64;
        let isa = self.function.isa();
        let weak = matches!(strength, Strength::Weak | Strength::Constant);
        match space {
            Space::Global | Space::Generic => {
                let opcode = match (space, load) {
                    (Space::Global, true) => O::Ldg,
                    (Space::Global, false) => O::Stg,
                    (_, true) => O::Ld,
                    (_, false) => O::St,
                };
                let descriptor = match strength {
                    Strength::Device => None,
                    Strength::Weak | Strength::Constant | Strength::Strong(_) => self.descriptor()?,
                };
                let form = match (descriptor, load) {
                    (Some(_), true) => "R_D",
                    (Some(_), false) => "D_R",
                    (None, true) => "R_A",
                    (None, false) => "A_R",
                };
                let request = Request::new(opcode)
                    .form(form)
                    .at(F::Ra, base)
                    .number(F::Offset, offset)
                    .text(F::Address64, "E");
                let request = match descriptor {
                    Some(descriptor) => request.at(if load { F::URb } else { F::URc }, descriptor),
                    None => request,
                };
                // Generic loads have no such path.
                let strength = match strength {
                    Strength::Constant if opcode != O::Ldg => Strength::Weak,
                    strength => strength,
                };
                Ok(ordered(request, isa, strength).weak(weak))
            }
            Space::Shared | Space::Local => {
                let opcode = match (space, load) {
                    (Space::Shared, true) => O::Lds,
                    (Space::Shared, false) => O::Sts,
                    (_, true) => O::Ldl,
                    (_, false) => O::Stl,
                };
                let request = Request::new(opcode)
                    .form(if load { "R_A" } else { "A_R" })
                    .at(F::Ra, base)
                    .number(F::Offset, offset);
                // ptxas never writes LDS without .U on sm_75.
                Ok(request
                    .flag(F::Unsigned, opcode == O::Lds && isa == Isa::Sm75)
                    .weak(weak))
            }
            Space::Cluster => unsupported("shared memory of another CTA"),
            Space::Parameter | Space::Constant => Err(UNSUPPORTED),
        }
    }
}

/// Adds the ordering of an access of global or generic memory. (Which modifiers: observed, ptxas 13.0.88.)
pub(super) fn ordered(request: Request, isa: Isa, strength: Strength) -> Request {
    let (ordering, level, scope) = match strength {
        Strength::Weak => ("", "SYS", ""),
        Strength::Constant => ("CONSTANT", "SYS", "CONSTANT"),
        Strength::Strong(Scope::Cta) => ("STRONG", "CTA", "STRONG.SM"),
        Strength::Strong(Scope::Gpu) => ("STRONG", "GPU", "STRONG.GPU"),
        Strength::Strong(Scope::System) => ("STRONG", "SYS", "STRONG.SYS"),
        Strength::Device => ("MMIO", "SYS", "MMIO.SYS"),
    };
    if isa == Isa::Sm75 {
        request.text(F::Ordering, ordering).text(F::ScopeLevel, level)
    } else {
        request.text(F::Scope, scope)
    }
}

/// Bytes of the largest access.
const HUGE: i64 = 32;

/// What a modifier says of how long caches keep a line, for loads and for stores; empty where there is no form that says it.
const EVICTIONS: [(&str, &str, &str); 6] = [
    ("cs", "EF", "EF"),
    ("lu", "LU", ""),
    ("L1::evict_first", "EF", "EF"),
    ("L1::evict_last", "EL", "EL"),
    ("L1::evict_unchanged", "EU", ""),
    ("L1::no_allocate", "NA", "NA"),
];

/// What a load fetches into the L2 cache with its line.
const PREFETCHES: [(&str, &str); 3] = [("L2::64B", "LTC64B"), ("L2::128B", "LTC128B"), ("L2::256B", "LTC256B")];

/// Adds what an access of global memory says of caches: hints that change no result. (Which modifiers: observed, ptxas 13.0.88.)
fn hinted(request: Request, variant: &Variant, space: Space, strength: Strength) -> Request {
    if space != Space::Global || !matches!(strength, Strength::Weak | Strength::Constant) {
        return request;
    }
    let load = variant.opcode == Opcode::Ld;
    if !load && variant.opcode != Opcode::St {
        return request;
    }
    let eviction = EVICTIONS.iter().find(|(name, ..)| says(variant, name));
    let request = match eviction.map(|(_, of_load, of_store)| if load { *of_load } else { *of_store }) {
        Some(text) if !text.is_empty() => request.text(F::Eviction, text),
        _ => request,
    };
    match PREFETCHES.iter().find(|(name, _)| load && says(variant, name)) {
        Some((_, text)) => request.text(F::L2Prefetch, text),
        None => request,
    }
}

/// How strong a load or store is.
fn strength_of(variant: &Variant) -> Lowered<Strength> {
    if says(variant, "mmio") {
        return Ok(Strength::Device);
    }
    if says(variant, "volatile") {
        return Ok(Strength::Strong(Scope::System));
    }
    if ["relaxed", "acquire", "release"].iter().any(|name| says(variant, name)) {
        return scope_of(variant).map(Strength::Strong).ok_or(UNSUPPORTED);
    }
    if says(variant, "nc") {
        return Ok(Strength::Constant);
    }
    // Caches that are passed over: nearer ones are not coherent, so that these see what other multiprocessors or the system wrote. (Observed, ptxas 13.0.88.)
    let global = matches!(space_of(variant)?, Space::Global | Space::Generic);
    Ok(
        match (says(variant, "cg"), says(variant, "cv") || says(variant, "wt")) {
            (true, _) if global => Strength::Strong(Scope::Gpu),
            (_, true) if global => Strength::Strong(Scope::System),
            _ => Strength::Weak,
        },
    )
}

pub(super) fn space_of(variant: &Variant) -> Lowered<Space> {
    let mut found = Space::Generic;
    for modifier in variant.modifiers.iter().flatten() {
        found = match modifier.name() {
            "global" => Space::Global,
            "shared" | "shared::cta" => Space::Shared,
            "shared::cluster" => Space::Cluster,
            "local" => Space::Local,
            "param" | "param::entry" | "param::func" => Space::Parameter,
            "const" => Space::Constant,
            _ => found,
        };
    }
    Ok(found)
}

/// The type of the same width without sign.
pub(super) fn unsigned(of: Type) -> Type {
    match of.bits() {
        8 => Type::B8,
        16 => Type::B16,
        32 => Type::B32,
        64 => Type::B64,
        _ => of,
    }
}

/// The selector of PRMT that takes the element of 1 or 2 bytes at byte `place`, extended by zeros (byte 4, of the zero register) or its sign.
pub(super) fn extract(place: u32, bytes: u32, signed: bool) -> u32 {
    let last = place + bytes - 1;
    let fill = if signed { 8 | last } else { 4 };
    (0..4).fold(0, |selector, digit| {
        let byte = if digit < bytes { place + digit } else { fill };
        selector | byte << (4 * digit)
    })
}

/// The size modifier of an access of this many bytes in all.
pub(super) fn size_text(bytes: u32, of: Type) -> Lowered<&'static str> {
    let signed = of.kind() == TypeKind::Signed && of.bits() == 8 * bytes;
    Ok(match (bytes, signed) {
        (1, false) => "U8",
        (1, true) => "S8",
        (2, false) => "U16",
        (2, true) => "S16",
        (4, _) => "",
        (8, _) => "64",
        (16, _) => "128",
        _ => return Err(UNSUPPORTED),
    })
}
