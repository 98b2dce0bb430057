//! General registers in uniform registers: what all threads of a warp have alike the warp keeps once, where it has uniform registers left. That takes one
//! instruction each way, and no memory. (ptxas 13.0.88 computes such values in uniform registers in the first place: the state of tile schedulers, of which
//! warps that have given their registers back keep more than those hold.)
//!
//! A uniform register is written only where all threads of the warp are that have not ended: whichever of them read it then, wherever they are, read what all
//! of them wrote.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldName, Flow, Opcode, RegisterClass};

use super::{Origin, Spilled, plan::Plan};
use crate::{
    flow::{contended::Places, shape::Shape, uniform::may_move},
    ir::{Block, Function, Instruction, Register, RegisterInfo},
    select::{Request, Selector},
};

/// The general registers that all threads of a warp have alike, and which they write together.
#[derive(Debug)]
pub(crate) struct Alike {
    registers: Vec<bool>,
    /// For each block, whether all threads of the warp are together before its first instruction.
    from_start: Vec<bool>,
}

impl Alike {
    /// Analyses a function; `None` on generations where ptxas keeps nothing of this kind in uniform registers, and for functions that are called.
    pub(crate) fn of(function: &Function, selector: &Selector) -> Option<Alike> {
        if !may_move(function) {
            return None;
        }
        let mut copy = function.clone();
        let shape = Shape::take(&mut copy, selector)?;
        let flow = shape.flow();
        if flow.irreducible {
            return None;
        }
        let places = Places::of(&copy, &shape, &flow);
        let mut reached = vec![false; shape.nodes.len()];
        flow.order.iter().for_each(|node| reached[*node] = true);
        // The first node of a block has the block's number.
        let together: Vec<bool> = (0..function.blocks.len())
            .map(|block| reached[block] && places.together[block])
            .collect();
        let alike = |(index, info): (u32, &RegisterInfo)| {
            info.class == RegisterClass::Gpr && !places.varying.differs(Register(index), 0, info.words)
        };
        let mut registers: Vec<bool> = (0..).zip(&function.registers).map(alike).collect();
        for (block, together) in function.blocks.iter().zip(&together) {
            let mut together = *together;
            for instruction in &block.code {
                // Behind a branch another node begins.
                together &= !matches!(instruction.base.flow(), Flow::Branch | Flow::Indirect);
                for touch in instruction.touches().filter(|touch| touch.access != Access::Read) {
                    registers[touch.register.0 as usize] &= together;
                }
            }
        }
        // What stands before the wait of a convergence barrier comes before the others are there.
        let waits = |block: &Block| {
            block
                .code
                .first()
                .is_some_and(|first| first.base.flow() == Flow::Converge)
        };
        let blocks = together.into_iter().zip(&function.blocks);
        Some(Alike {
            registers,
            from_start: blocks.map(|(together, block)| together && !waits(block)).collect(),
        })
    }

    /// Forgets registers.
    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(u32) -> bool) {
        for (register, alike) in (0..).zip(&mut self.registers) {
            *alike = *alike && is_kept(register);
        }
    }

    /// Whether a register may be kept in uniform ones if it is stored where it is written.
    pub(super) fn has(&self, register: u32) -> bool {
        self.registers.get(register as usize).copied().unwrap_or(false)
    }

    /// Whether a register may be kept in uniform ones with the stores of a plan.
    fn allows(&self, plan: &Plan, register: u32) -> bool {
        let late = |block: &usize| plan.late.at_start(*block).iter().any(|store| store.0 == register);
        self.registers[register as usize]
            && (0..self.from_start.len())
                .filter(late)
                .all(|block| self.from_start[block])
    }
}

/// What may be kept in uniform registers, and how many of these are left.
pub(crate) struct Room<'a> {
    pub(crate) alike: &'a Alike,
    /// Takes uniform registers for all words of a register, wherever that is live; says whether there are any.
    pub(crate) take: &'a mut dyn FnMut(u32) -> bool,
}

/// The uniform registers of general ones, by word.
#[derive(Debug, Default)]
pub(super) struct Homes(FxHashMap<u32, SmallVec<[Register; 2]>>);

impl Homes {
    /// Finds uniform registers for what a plan spills. `has_room` takes a place for a register if there is one.
    pub(super) fn find(function: &mut Function, plan: &Plan, room: Room<'_>, is_wanted: impl Fn(u32) -> bool) -> Homes {
        let mut homes = Homes::default();
        for register in plan.spilled.iter().copied().filter(|register| is_wanted(*register)) {
            if room.alike.allows(plan, register) && (room.take)(register) {
                let words = 0..function.info(Register(register)).words;
                let own = words.map(|_| function.register(RegisterClass::UniformGpr, 1));
                homes.0.insert(register, own.collect());
            }
        }
        homes
    }

    pub(super) fn has(&self, register: Register) -> bool {
        self.0.contains_key(&register.0)
    }

    /// Copies words of a register to where they are kept.
    pub(super) fn store(
        &self,
        function: &mut Function,
        selector: &Selector,
        register: Register,
        words: std::ops::Range<u8>,
        code: &mut Vec<(Instruction, Origin)>,
    ) -> Spilled {
        for word in words {
            let request = Request::new(Opcode::R2ur).form("UR_R");
            let request = request.to(self.0[&register.0][usize::from(word)]);
            add(function, selector, request.at(FieldName::Ra, register.word(word)), code)?;
        }
        Ok(())
    }

    /// Copies those words back that are needed.
    pub(super) fn load(
        &self,
        function: &mut Function,
        selector: &Selector,
        register: Register,
        needed: &dyn Fn(u8) -> bool,
        code: &mut Vec<(Instruction, Origin)>,
    ) -> Spilled {
        for word in (0..function.info(register).words).filter(|word| needed(*word)) {
            let home = self.0[&register.0][usize::from(word)];
            let request = Request::new(Opcode::Mov).to(register.word(word)).from(home);
            add(function, selector, request, code)?;
        }
        Ok(())
    }
}

fn add(
    function: &mut Function,
    selector: &Selector,
    request: Request,
    code: &mut Vec<(Instruction, Origin)>,
) -> Spilled {
    let mut made = Vec::new();
    selector.emit(function, &mut made, request)?;
    for mut instruction in made {
        // No other thread runs anything else where these stand.
        instruction.marks.together = true;
        code.push((instruction, Origin::Added));
    }
    Ok(())
}
