//! Where variables are, and the addresses that point to them.
//!
//! Shared and local variables are placed for each kernel, which pays only for what it names. Addresses in shared memory hold the number of the CTA in
//! its cluster from sm_90 on; those in local memory count from the stack pointer, which the kernel loads at entry and lowers by its frame. Addresses of
//! global variables are known to the loader alone: the code reads them from constant bank 4. Constant variables lie in bank 3.

use rustc_hash::FxHashMap;
use warpsmith_ptx::{
    module::{Item, Linkage, Module, Space, Variable, VariableId},
    table::TypeKind,
};
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    Lowered, Lowering, Stop, UNSUPPORTED,
    operand::{alignment, size},
    plan,
};
use crate::{
    ir::{Origin, Reference, Register},
    select::{Request, Source, Test, Value, Word, negated},
};

/// Bytes of a constant bank.
const BANK_BYTES: u64 = 0x1_0000;

/// Bits of an address in shared memory below the number of the CTA in its cluster.
pub(super) const RANK_SHIFT: u32 = 24;

/// A named reason.
pub(crate) fn unsupported<T>(what: &str) -> Lowered<T> {
    Err(Stop::Unsupported(Some(what.to_string())))
}

/// Whether a variable is a texture, sampler or surface: a name that something is bound to, and no memory.
pub(crate) fn is_image(variable: &Variable) -> bool {
    variable.element.kind() == TypeKind::Opaque
}

/// The module's variables in the order in which ptxas makes them: those that other modules see, then the others. (Observed, ptxas 13.0.88.)
pub(crate) fn in_order(module: &Module) -> Vec<VariableId> {
    let mut ids: Vec<VariableId> = (0..module.variables.len() as u32).map(VariableId).collect();
    ids.retain(|id| {
        let variable = &module.variables[id.0 as usize];
        matches!(variable.space, Space::Global | Space::Constant) && !is_image(variable)
    });
    ids.sort_by_key(|id| module.variables[id.0 as usize].linkage == Linkage::Internal);
    ids
}

/// The global variables whose addresses bank 4 holds, 8 bytes each.
pub(crate) fn addressed(module: &Module) -> impl Iterator<Item = VariableId> + '_ {
    let is_global = |id: &VariableId| module.variables[id.0 as usize].space == Space::Global;
    in_order(module).into_iter().filter(is_global)
}

/// The constant variables with their offsets in bank 3.
pub(crate) fn constants(module: &Module) -> Vec<(VariableId, u64)> {
    let mut next = 0_u64;
    let is_constant = |id: &VariableId| module.variables[id.0 as usize].space == Space::Constant;
    let ids = in_order(module).into_iter().filter(is_constant);
    ids.map(|id| {
        let variable = &module.variables[id.0 as usize];
        let offset = next.next_multiple_of(alignment(variable).max(1));
        next = offset.saturating_add(size(variable)).min(u64::from(u32::MAX));
        (id, offset)
    })
    .collect()
}

/// For each variable of a module, whether it is declared outside of functions.
#[derive(Debug, Default)]
pub(crate) struct Scopes(Vec<bool>);

impl Scopes {
    pub(crate) fn of(module: &Module) -> Scopes {
        let mut of_module = vec![false; module.variables.len()];
        for item in &module.items {
            if let Item::Variable(id) | Item::VariableDeclaration(id) = item {
                of_module[id.0 as usize] = true;
            }
        }
        Scopes(of_module)
    }

    pub(crate) fn is_of_module(&self, id: VariableId) -> bool {
        self.0[id.0 as usize]
    }

    /// The name of a variable's symbol in a relocatable file. Those of a function's own have a name that no other file can have.
    pub(crate) fn symbol_name(&self, module: &Module, id: VariableId) -> String {
        let variable = &module.variables[id.0 as usize];
        let name = variable.name.map_or("", |name| module.names.get(name));
        match self.is_of_module(id) {
            true => name.to_string(),
            false => format!("$__{name}__{}", id.0),
        }
    }
}

/// Where the code finds the variables of a module in a file that runs: global ones by their slots in bank 4, constant ones by their offsets in bank 3.
#[derive(Debug, Default)]
pub(crate) struct Banks {
    places: FxHashMap<VariableId, u64>,
    /// The first byte behind the constant variables.
    constant_end: u64,
}

impl Banks {
    pub(crate) fn of(module: &Module) -> Banks {
        let constants = constants(module);
        let end = |(id, offset): &(VariableId, u64)| offset.saturating_add(size(&module.variables[id.0 as usize]));
        Banks {
            constant_end: constants.iter().map(end).max().unwrap_or(0),
            places: addressed(module).zip(0..).chain(constants).collect(),
        }
    }

    fn place(&self, variable: VariableId) -> Option<u64> {
        self.places.get(&variable).copied()
    }

    pub(super) fn constant_end(&self) -> u64 {
        self.constant_end
    }
}

impl Lowering<'_> {
    /// Gives each shared and local variable that the function names its place.
    pub(super) fn place_variables(&mut self) {
        let (module, plan) = (self.module, self.plan);
        let kernel = self.function.kernel;
        let calls = plan::calls(self.body);
        let mut shared = if calls || !kernel {
            plan.common_end
        } else {
            self.function.shared_base()
        };
        let mut local = self.function.frame_bytes;
        let mut open = Vec::new();
        for id in plan::named_variables(self.body) {
            let variable = &module.variables[id.0 as usize];
            match variable.space {
                // The linker places them.
                Space::Shared if plan.relocatable => {}
                Space::Shared if size(variable) == 0 => open.push(id),
                Space::Shared => {
                    let common = plan.common.get(&id).copied().filter(|_| calls || !kernel);
                    let offset = common.unwrap_or_else(|| plan::place(module, id, &mut shared));
                    self.shared.insert(id, offset);
                }
                Space::Local => {
                    let align = alignment(variable).clamp(1, 1 << 16) as u32;
                    self.function.frame_alignment = self.function.frame_alignment.max(align);
                    self.local.insert(id, plan::place(module, id, &mut local));
                }
                Space::Constant | Space::Global | Space::Parameter | Space::Texture | Space::Register => {}
            }
        }
        // Dynamic shared memory starts after the static part, for every variable that names it.
        for id in &open {
            let align = alignment(&module.variables[id.0 as usize]).clamp(16, 1 << 16) as u32;
            shared = shared.next_multiple_of(align);
        }
        if let Some(dynamic) = plan.dynamic.filter(|_| calls || !kernel) {
            shared = dynamic;
        }
        for id in open {
            self.shared.insert(id, shared);
        }
        self.function.shared_bytes = shared;
        self.function.frame_bytes = local;
    }

    /// Puts code at the start of the entry block.
    pub(super) fn at_entry(&mut self, requests: Vec<Request>) -> Lowered {
        let mut code = Vec::new();
        for request in requests {
            self.selector.emit(&mut self.function, &mut code, request)?;
        }
        self.function.blocks[0].code.splice(0..0, code);
        Ok(())
    }

    /// What addresses of shared variables count from: nothing, or the place of the CTA in the shared memory of the cluster.
    pub(crate) fn shared_window(&mut self) -> Lowered<Option<Register>> {
        if !self.function.has_clusters() || self.shared_window.is_some() {
            return Ok(self.shared_window);
        }
        let (rank, window) = (self.temporary(1), self.temporary(1));
        self.at_entry(vec![
            Request::new(O::S2r).to(rank).text(F::SpecialRegister, "SR_CgaCtaId"),
            Request::new(O::Shf)
                .to(window)
                .from(rank)
                .from(Value::Immediate(RANK_SHIFT))
                .from(Value::Zero)
                .text(F::Direction, "L")
                .text(F::Type, "U32"),
        ])?;
        self.shared_window = Some(window);
        Ok(self.shared_window)
    }

    /// A variable's address as a register, if it has one, and an offset; in its own space.
    pub(crate) fn place_of(&mut self, variable: VariableId) -> Lowered<(Option<Register>, i64)> {
        let described = &self.module.variables[variable.0 as usize];
        match described.space {
            Space::Shared if self.plan.relocatable => {
                let place = self.symbol_address(variable, 1)?;
                let Some(window) = self.shared_window()? else {
                    return Ok((Some(place), 0));
                };
                let sum = self.temporary(1);
                let request = Request::new(O::Iadd3).to(sum).from(window).from(place);
                self.emit_bare(request.from(Value::Zero))?;
                Ok((Some(sum), 0))
            }
            Space::Shared => {
                let offset = *self.shared.get(&variable).ok_or(UNSUPPORTED)?;
                Ok((self.shared_window()?, i64::from(offset)))
            }
            Space::Local => {
                let offset = *self.local.get(&variable).ok_or(UNSUPPORTED)?;
                Ok((Some(self.function.frame_base()), i64::from(offset)))
            }
            Space::Global if self.plan.relocatable => Ok((Some(self.symbol_address(variable, 2)?), 0)),
            Space::Global => Ok((Some(self.global_address(variable)?), 0)),
            Space::Constant if described.bank != 0 => unsupported("a constant bank other than 0"),
            Space::Constant if self.plan.relocatable => Ok((Some(self.symbol_address(variable, 1)?), 0)),
            Space::Constant => match self.plan.banks.place(variable) {
                Some(offset) if offset + size(described) <= BANK_BYTES => Ok((None, offset as i64)),
                Some(_) => unsupported("more constant variables than bank 3 holds"),
                None => unsupported("an external constant variable"),
            },
            Space::Parameter => match self.parameter(variable) {
                Some(offset) => Ok((None, i64::from(offset))),
                None => self.passed_place(variable),
            },
            Space::Texture | Space::Register => Err(UNSUPPORTED),
        }
    }

    /// The address of a global variable, from bank 4.
    fn global_address(&mut self, variable: VariableId) -> Lowered<Register> {
        let slot = self.plan.banks.place(variable).ok_or(UNSUPPORTED)?;
        if 8 * slot + 8 > BANK_BYTES {
            return unsupported("more global variables than bank 4 holds");
        }
        self.function.needs_addresses = true;
        let register = self.temporary(2);
        for word in 0..2 {
            let source = Value::Constant(4, 8 * slot as u32 + 4 * u32::from(word));
            self.emit_bare(Request::new(O::Mov).to(register.word(word)).from(source))?;
        }
        Ok(register)
    }

    /// The address of a variable that the linker places, in its own space, as so many words.
    fn symbol_address(&mut self, variable: VariableId, words: u8) -> Lowered<Register> {
        let register = self.temporary(words);
        for word in 0..words {
            let reference = Reference {
                origin: Origin::Symbol,
                symbol: self.plan.scopes.symbol_name(self.module, variable),
                addend: 0,
                high: word == 1,
            };
            let request = Request::new(O::Mov).to(register.word(word)).from(Value::Immediate(0));
            self.emit_bare(request.address(reference))?;
        }
        Ok(register)
    }

    /// Bytes from one element of a variable to the next.
    pub(crate) fn element_bytes(&self, variable: VariableId) -> i64 {
        let variable = &self.module.variables[variable.0 as usize];
        i64::from(variable.element.bits() / 8) * i64::from(variable.vector.max(1))
    }

    /// The address of a variable plus an offset as a value of 64 bits, in its own space.
    pub(crate) fn variable_address(&mut self, variable: VariableId, offset: i64) -> Lowered<Register> {
        if is_image(&self.module.variables[variable.0 as usize]) && self.parameter(variable).is_none() {
            let [low, high] = self.image_handle(variable)?;
            return self.pair(low, high);
        }
        let (base, place) = self.place_of(variable)?;
        let offset = place.wrapping_add(offset);
        let to = self.temporary(2);
        match base {
            Some(base) if self.function.info(base).words == 2 => {
                self.add_wide(to, base.word(0).into(), base.word(1).into(), offset)?;
            }
            base => {
                let base = base.map_or(Value::Zero, Value::from);
                self.emit_bare(
                    Request::new(O::Iadd3)
                        .to(to.word(0))
                        .from(base)
                        .from(immediate(offset as u32))
                        .from(Value::Zero),
                )?;
                self.emit_bare(Request::new(O::Mov).to(to.word(1)).from(Value::Zero))?;
            }
        }
        Ok(to)
    }

    /// `to = (low, high) + offset`; `to` is none of the sources.
    pub(crate) fn add_wide(&mut self, to: Register, low: Source, high: Source, offset: i64) -> Lowered {
        let parts = [immediate(offset as u32), immediate((offset >> 32) as u32)];
        self.add_pairs(to, [low, high], parts.map(Source::from))
    }

    /// `to = a + b` of 64 bits; `to` is none of the sources.
    pub(crate) fn add_pairs(&mut self, to: Register, a: [Source; 2], b: [Source; 2]) -> Lowered {
        let carry = self.predicate();
        self.emit_bare(
            Request::new(O::Iadd3)
                .to(to.word(0))
                .sets(F::Pu, carry)
                .from(a[0])
                .from(b[0])
                .from(Value::Zero),
        )?;
        self.emit_bare(
            Request::new(O::Iadd3)
                .literal("X")
                .to(to.word(1))
                .from(a[1])
                .from(b[1])
                .from(Value::Zero)
                .when(F::Pp, carry)
                .when(F::Pq, Test::NEVER),
        )
    }

    /// From an address in a space to a generic one (`to_generic`) or back.
    pub(super) fn change_space(
        &mut self,
        space: super::memory::Space,
        to_generic: bool,
        a: [Source; 2],
    ) -> Lowered<Register> {
        use super::memory::Space as S;
        let places = self.function.constants();
        let to = self.temporary(2);
        let base = match space {
            S::Global | S::Generic => {
                self.copy_pair(to, a)?;
                return Ok(to);
            }
            S::Shared | S::Cluster => match places.shared_window {
                Some(base) => base,
                None => {
                    self.emit_bare(Request::new(O::Mov).to(to.word(0)).from(a[0]))?;
                    let high = Request::new(O::S2r).text(F::SpecialRegister, "SR_SWINHI");
                    let high = if to_generic {
                        high
                    } else {
                        Request::new(O::Mov).from(Value::Zero)
                    };
                    self.emit_bare(high.to(to.word(1)))?;
                    return Ok(to);
                }
            },
            S::Local => places.local_window,
            S::Constant => places.constant_window,
            S::Parameter if !self.function.kernel => places.local_window,
            S::Parameter => return self.change_parameter(to_generic, a),
        };
        let base = [0, 4].map(|word| Value::Constant(0, u32::from(base) + word));
        if to_generic {
            let wide = self.temporary(2);
            self.copy_pair(wide, base.map(Source::from))?;
            self.add_pairs(to, a, [wide.word(0).into(), wide.word(1).into()])?;
            return Ok(to);
        }
        // The address in the space has 32 bits.
        let low = self.temporary(1);
        self.emit_bare(Request::new(O::Mov).to(low).from(base[0]))?;
        self.emit_bare(
            Request::new(O::Iadd3)
                .to(to.word(0))
                .from(a[0])
                .from(negated(Word::from(low)))
                .from(Value::Zero),
        )?;
        self.emit_bare(Request::new(O::Mov).to(to.word(1)).from(Value::Zero))?;
        Ok(to)
    }

    /// From the address of a kernel's parameter, which is its offset in bank 0, to a generic one or back.
    fn change_parameter(&mut self, to_generic: bool, a: [Source; 2]) -> Lowered<Register> {
        let places = self.function.constants();
        let window = u32::from(places.parameter_window);
        // The window starts at the first parameter, or at the bank.
        let start = match places.shared_window {
            Some(_) => 0,
            None => i64::from(places.parameters),
        };
        let wide = self.temporary(2);
        self.copy_pair(wide, [0, 4].map(|word| Value::Constant(0, window + word).into()))?;
        let (from, to) = (self.temporary(2), self.temporary(2));
        if to_generic {
            self.add_wide(from, a[0], a[1], start.wrapping_neg())?;
            self.add_pairs(
                to,
                [wide.word(0).into(), wide.word(1).into()],
                [from.word(0).into(), from.word(1).into()],
            )?;
            return Ok(to);
        }
        self.emit_bare(
            Request::new(O::Iadd3)
                .to(to.word(0))
                .from(a[0])
                .from(negated(Word::from(wide)))
                .from(immediate(start as u32)),
        )?;
        self.emit_bare(Request::new(O::Mov).to(to.word(1)).from(Value::Zero))?;
        Ok(to)
    }

    /// Two words to a register that is neither.
    pub(crate) fn copy_pair(&mut self, to: Register, from: [Source; 2]) -> Lowered {
        for (word, source) in (0..2).zip(from) {
            self.emit_bare(Request::new(O::Mov).to(to.word(word)).from(source))?;
        }
        Ok(())
    }
}

/// An immediate, or zero.
pub(crate) fn immediate(value: u32) -> Value {
    if value == 0 {
        Value::Zero
    } else {
        Value::Immediate(value)
    }
}
