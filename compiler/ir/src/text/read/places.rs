//! Where in the text the parts of a module stand, and the verifier's messages with these places.

use rustc_hash::FxHashMap;

use super::Reader;
use crate::function::{BlockId, InstructionId};
use crate::module::{AliasId, FunctionId, GlobalId};
use crate::verify::{Subject, Violation};

/// The tokens at which definitions begin.
#[derive(Default)]
pub(super) struct Places {
    pub(super) globals: FxHashMap<GlobalId, usize>,
    pub(super) aliases: FxHashMap<AliasId, usize>,
    pub(super) functions: FxHashMap<FunctionId, usize>,
    pub(super) bodies: FxHashMap<FunctionId, BodyPlaces>,
}

/// The tokens at which blocks and instructions of a function begin, plus one; 0 where that is not known.
#[derive(Default)]
pub(super) struct BodyPlaces {
    blocks: Vec<u32>,
    instructions: Vec<u32>,
}

impl BodyPlaces {
    pub(super) fn note_block(&mut self, block: BlockId, token: usize) {
        note(&mut self.blocks, block.index(), token);
    }

    pub(super) fn note_instruction(&mut self, id: InstructionId, token: usize) {
        note(&mut self.instructions, id.index(), token);
    }

    pub(super) fn instruction(&self, id: InstructionId) -> Option<usize> {
        (*self.instructions.get(id.index())? as usize).checked_sub(1)
    }

    fn block(&self, block: BlockId) -> Option<usize> {
        (*self.blocks.get(block.index())? as usize).checked_sub(1)
    }
}

fn note(list: &mut Vec<u32>, index: usize, token: usize) {
    if list.len() <= index {
        list.resize(index + 1, 0);
    }
    // A text has fewer tokens than bytes, and those are numbered by 32 bits.
    list[index] = token as u32 + 1;
}

impl Reader<'_> {
    /// Checks what was read against the rules of the IR.
    pub(super) fn verify(&mut self) {
        let violations = self.module.violations();
        for Violation { subject, problem } in violations {
            let place = self.place_of(subject);
            let range = place
                .and_then(|place| self.tokens.get(place))
                .map(|token| token.range());
            self.problems.push(match range {
                Some(range) => problem.at(self.source, range),
                None => problem.in_file(self.source.name()),
            });
        }
    }

    fn place_of(&self, subject: Subject) -> Option<usize> {
        let places = &self.places;
        match subject {
            Subject::Global(global) => places.globals.get(&global).copied(),
            Subject::Alias(alias) => places.aliases.get(&alias).copied(),
            Subject::Function(function) => places.functions.get(&function).copied(),
            Subject::Block(function, block) => {
                let body = places.bodies.get(&function);
                let place = body.and_then(|body| body.block(block));
                place.or_else(|| self.place_of(Subject::Function(function)))
            }
            Subject::Instruction(function, id) => {
                let body = places.bodies.get(&function);
                let place = body.and_then(|body| body.instruction(id));
                place.or_else(|| self.place_of(Subject::Function(function)))
            }
        }
    }
}
