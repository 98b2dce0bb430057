//! Registers of warpgroup products in flight.
//!
//! `HGMMA` and its kin read their left matrix, and add to their sums, long after they have issued. Those that set `gsb0` end a group, to which all since the
//! last such belong; `WARPGROUP.DEPBAR.LE gsb0, N` waits until at most the N groups issued last are in flight. Until a product's group has been waited for,
//! its sums may be touched only by products that add to the same sums, which go one after the other, and its left matrix may be read only. No group is open
//! at a `WARPGROUP.ARRIVE`. (PTX ISA 9.0, 9.7.15.7; the machine's form of it observed in what ptxas 13.0.88 writes.)

use super::{Footprint, Hazard, hazard};
use crate::{Instruction, Opcode, RegisterClass, Use, tables::FieldName};

/// General registers that a word can name.
const REGISTERS: usize = 255;
/// Groups are counted up to here: no wait leaves so many in flight.
const MANY: u8 = 9;

/// A register that a product in flight uses.
#[derive(Clone, Copy, Debug)]
struct Flight {
    /// Groups ended since it was issued, its own included; 0: its group is open.
    age: u8,
    /// It is among the sums, and not only of the left matrix.
    sums: bool,
    /// First register of the tuple.
    first: u8,
    /// The product.
    by: Instruction,
}

impl Flight {
    fn key(&self) -> (u8, u128, bool, u8) {
        (self.age, self.by.word(), self.sums, self.first)
    }
}

impl PartialEq for Flight {
    fn eq(&self, other: &Flight) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Flight {}

/// The products in flight at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Products {
    /// By register number; empty: none is in flight.
    of: Vec<Option<Flight>>,
}

/// Whether an instruction is a product of a warpgroup.
pub(super) fn is_product(instruction: &Instruction) -> bool {
    matches!(
        instruction.opcode(),
        Opcode::Hgmma | Opcode::Qgmma | Opcode::Igmma | Opcode::Bgmma
    )
}

impl Products {
    /// Whether none is in flight.
    pub(super) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// Adds what another way leaves in flight; whether that changed anything.
    pub(super) fn join(&mut self, other: &Products) -> bool {
        if other.is_empty() {
            return false;
        }
        if self.is_empty() {
            *self = other.clone();
            return true;
        }
        let mut changed = false;
        for (own, other) in self.of.iter_mut().zip(&other.of) {
            let joined = match (*own, *other) {
                (Some(a), Some(b)) => {
                    let least = if b.key() < a.key() { b } else { a };
                    Some(Flight {
                        sums: a.sums || b.sums,
                        ..least
                    })
                }
                (a, b) => a.or(b),
            };
            changed |= joined != *own;
            *own = joined;
        }
        changed
    }

    /// An instruction issues. Gives what it touches too early.
    pub(super) fn issue(&mut self, instruction: &Instruction, footprint: &Footprint) -> Option<Hazard> {
        if is_product(instruction) {
            return self.product(instruction, footprint);
        }
        if self.is_empty() {
            return None;
        }
        if instruction.opcode() == Opcode::Warpgroup {
            match instruction.field(FieldName::Count) {
                Some(left) if instruction.field(FieldName::GroupScoreboard) == Some(0) => self.wait(left),
                Some(_) => {}
                None => return self.arrive(),
            }
            return None;
        }
        let early =
            |touched: &&super::Touched, writes: bool| self.at(touched).is_some_and(|flight| flight.sums || writes);
        let read = footprint.reads().find(|touched| early(touched, false));
        let written = footprint.writes().find(|touched| early(touched, true));
        let (touched, what) = match (read, written) {
            (Some(touched), _) => (touched, "read"),
            (None, Some(touched)) => (touched, "written"),
            (None, None) => return None,
        };
        let flight = self.at(touched)?;
        Some(hazard(format!(
            "R{} is {what} while `{}` may be in flight: no WARPGROUP.DEPBAR has waited for it",
            touched.number(),
            flight.by
        )))
    }

    fn at(&self, touched: &super::Touched) -> Option<Flight> {
        let is_general = touched.class() == RegisterClass::Gpr;
        self.of
            .get(usize::from(touched.number()))
            .copied()
            .flatten()
            .filter(|_| is_general)
    }

    /// At most so many groups are in flight afterwards. An open group is not counted.
    fn wait(&mut self, left: u64) {
        for flight in &mut self.of {
            *flight = flight.filter(|flight| flight.age == 0 || u64::from(flight.age) <= left);
        }
        if self.of.iter().all(Option::is_none) {
            self.of.clear();
        }
    }

    /// An arrival: ptxas ends the group before it, where PTX has both within one, too.
    fn arrive(&self) -> Option<Hazard> {
        let open = self.of.iter().flatten().find(|flight| flight.age == 0)?;
        Some(hazard(format!(
            "`{}` is in a group that is open at an arrival",
            open.by
        )))
    }

    fn product(&mut self, instruction: &Instruction, footprint: &Footprint) -> Option<Hazard> {
        let sums = footprint.writes().map(|touched| touched.number()).min();
        let is_sum = |touched: &super::Touched| matches!(touched.place(), Use::Operand { name, .. } if matches!(name, FieldName::Rd | FieldName::Rc));
        let mut found = None;
        for touched in footprint.reads().chain(footprint.writes()) {
            let Some(flight) = self.at(touched) else { continue };
            let in_order = is_sum(touched) && flight.sums && Some(flight.first) == sums;
            let both_read = !is_sum(touched) && !flight.sums;
            if !in_order && !both_read {
                found.get_or_insert_with(|| {
                    hazard(format!(
                        "R{} is used by a product while `{}`, which uses it in another way, may be in flight",
                        touched.number(),
                        flight.by
                    ))
                });
            }
        }
        self.of.resize(REGISTERS, None);
        let matrix = footprint.reads().filter(|touched| !is_sum(touched));
        for (touched, is_sum) in matrix
            .map(|touched| (touched, false))
            .chain(footprint.writes().map(|touched| (touched, true)))
        {
            let general = touched.class() == RegisterClass::Gpr;
            if let Some(flight) = self.of.get_mut(usize::from(touched.number())).filter(|_| general) {
                *flight = Some(Flight {
                    age: 0,
                    sums: is_sum,
                    first: sums.unwrap_or(u8::MAX),
                    by: *instruction,
                });
            }
        }
        if instruction.field(FieldName::GroupScoreboard) == Some(0) {
            for flight in self.of.iter_mut().flatten() {
                flight.age = (flight.age + 1).min(MANY);
            }
        }
        if self.of.iter().all(Option::is_none) {
            self.of.clear();
        }
        found
    }
}
