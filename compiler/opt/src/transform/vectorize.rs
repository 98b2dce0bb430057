//! Loads and stores next to each other become one of two or four elements, where the address is aligned for that.
//!
//! Bytes and halves become one integer, which shifts take apart and put together: instruction combining often finds that its users want it whole.
//! A load moves up to the first of its group, a store down to the last, past accesses that do not touch its memory.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_ir::{
    Access, BinaryOp, BlockId, CastOp, Constant, Function, GepFlags, Instruction, InstructionId, Type, Value,
};

use crate::{
    address,
    analysis::alias::{Aliases, Location},
    edit,
    pipeline::Unit,
};

/// The widest access of the machine in bytes.
const WIDEST: u64 = 16;
/// The widest access that bytes and halves become.
const WIDEST_WORD: u64 = 8;
/// Accesses of a block that are compared with those between a group.
const MOST_BETWEEN: usize = 256;

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let blocks: Vec<BlockId> = function.blocks().collect();
    let mut changed = false;
    for block in blocks {
        for is_store in [false, true] {
            changed |= Block { function, unit }.run(block, is_store);
        }
    }
    changed
}

/// A load or store of a scalar.
#[derive(Clone, Copy, Debug)]
struct Element {
    offset: i64,
    place: usize,
    id: InstructionId,
    access: Access,
}

/// What accesses that can be joined have in common.
type Key = (Value, SmallVec<[(Value, i64); 2]>, Type, Type);

struct Block<'f, 'u> {
    function: &'f mut Function,
    unit: &'f Unit<'u>,
}

impl Block<'_, '_> {
    fn run(&mut self, block: BlockId, is_store: bool) -> bool {
        let mut groups: Vec<Vec<Element>> = Vec::new();
        let mut numbers: FxHashMap<Key, usize> = FxHashMap::default();
        for (place, id) in self.function.instructions(block).enumerate() {
            let Some((key, element)) = self.element(id, place, is_store) else {
                continue;
            };
            let number = *numbers.entry(key).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[number].push(element);
        }
        let mut changed = false;
        for mut group in groups {
            if group.len() > 1 {
                group.sort_by_key(|element| (element.offset, element.place));
                changed |= self.group(&group, is_store);
            }
        }
        changed
    }

    fn element(&self, id: InstructionId, place: usize, is_store: bool) -> Option<(Key, Element)> {
        let (pointer, access, ty) = match self.function.instruction(id) {
            Instruction::Load { pointer, access } if !is_store => (*pointer, *access, self.function.result_type(id)),
            Instruction::Store { pointer, value, access } if is_store => {
                (*pointer, *access, self.function.type_of(*value))
            }
            _ => return None,
        };
        let is_element = matches!(
            ty,
            Type::Int(8 | 16 | 32 | 64) | Type::Float | Type::Double | Type::Half | Type::BFloat
        );
        if !is_element || !access.is_simple() {
            return None;
        }
        let parts = address::decompose(self.function, pointer);
        // Local memory is values, as far as it can be.
        if matches!(self.function.definition(parts.base), Some(Instruction::Alloca { .. })) {
            return None;
        }
        let key = (parts.base, parts.terms, ty, self.function.type_of(pointer));
        let element = Element {
            offset: parts.offset,
            place,
            id,
            access,
        };
        Some((key, element))
    }

    /// Joins what can be joined of accesses by offset.
    fn group(&mut self, group: &[Element], is_store: bool) -> bool {
        let ty = match self.function.instruction(group[0].id) {
            Instruction::Store { value, .. } => self.function.type_of(*value),
            _ => self.function.result_type(group[0].id),
        };
        let size = self.function.context().store_size(ty);
        let mut changed = false;
        let mut at = 0;
        while at < group.len() {
            let widest = if size < 4 { WIDEST_WORD } else { WIDEST };
            let mut run = 1;
            while at + run < group.len()
                && group[at + run].offset == group[at + run - 1].offset + size as i64
                && (run as u64) < widest / size
            {
                run += 1;
            }
            let joined = [8, 4, 2].into_iter().filter(|&lanes| lanes <= run).find(|&lanes| {
                let chosen = &group[at..at + lanes];
                self.is_aligned(chosen[0], size * lanes as u64) && self.can_join(chosen, size, is_store)
            });
            match joined {
                Some(lanes) if self.unit.fuel.take() => {
                    self.join(&group[at..at + lanes], ty, is_store);
                    changed = true;
                    at += lanes;
                }
                _ => at += 1,
            }
        }
        changed
    }

    /// Whether the address of an element is a multiple of so many bytes.
    fn is_aligned(&self, element: Element, bytes: u64) -> bool {
        if u64::from(element.access.align) >= bytes {
            return true;
        }
        let pointer = pointer_of(self.function, element.id);
        let parts = pointer.map(|pointer| address::decompose(self.function, pointer));
        let Some(parts) = parts else { return false };
        let base = u64::from(self.base_align(parts.base));
        let multiple = |number: i64| (number as u64).is_multiple_of(bytes);
        base >= bytes && multiple(parts.offset) && parts.terms.iter().all(|(_, scale)| multiple(*scale))
    }

    fn base_align(&self, base: Value) -> u32 {
        match base {
            Value::Argument(number) => {
                let parameters = &self.unit.symbols.functions[self.function.id()].parameters;
                parameters.get(number as usize).map_or(1, |attributes| {
                    let of_copy = attributes.byval.map_or(1, |ty| self.function.context().alignment(ty));
                    attributes.align.max(of_copy).max(1)
                })
            }
            Value::Constant(id) => match self.function.context().constant(id) {
                Constant::Global { global, .. } => {
                    let global = &self.unit.symbols.globals[*global];
                    global.align.max(self.function.context().alignment(global.ty))
                }
                _ => 1,
            },
            Value::Instruction(_) => 1,
        }
    }

    /// Whether nothing between the accesses minds that they happen at once: loads at the first, stores at the last.
    fn can_join(&self, chosen: &[Element], size: u64, is_store: bool) -> bool {
        let first = chosen.iter().min_by_key(|element| element.place);
        let last = chosen.iter().max_by_key(|element| element.place);
        let (Some(first), Some(last)) = (first, last) else {
            return false;
        };
        // Two of one place would be an access twice.
        let aliases = Aliases::new(self.unit.symbols);
        let mut passed: SmallVec<[Element; 4]> = SmallVec::new();
        let mut between = Vec::new();
        let mut next = Some(first.id);
        for _ in 0..MOST_BETWEEN {
            let Some(id) = next else { return false };
            if let Some(element) = chosen.iter().find(|element| element.id == id) {
                passed.push(*element);
            } else {
                between.push((id, passed.clone()));
            }
            if id == last.id {
                break;
            }
            next = self.function.next(id);
        }
        if passed.len() != chosen.len() {
            return false;
        }
        between.iter().all(|(id, before)| {
            chosen.iter().all(|element| {
                let moves_past = before.iter().any(|passed| passed.id == element.id) == is_store;
                let Some(pointer) = pointer_of(self.function, element.id) else {
                    return false;
                };
                let location = Location {
                    pointer,
                    size: Some(size),
                    access: Some(element.id),
                };
                let touches = || aliases.touches(self.function, *id, &location);
                !moves_past || !(touches().writes || is_store && touches().reads)
            })
        })
    }

    fn join(&mut self, chosen: &[Element], ty: Type, is_store: bool) {
        let context = self.function.context().clone();
        let vector = context.vector(ty, chosen.len() as u64);
        let at = match is_store {
            true => chosen.iter().max_by_key(|element| element.place),
            false => chosen.iter().min_by_key(|element| element.place),
        };
        let Some(at) = at.copied() else { return };
        let Some(near) = pointer_of(self.function, at.id) else {
            return;
        };
        let pointer = self.address(at.id, near, chosen[0].offset - at.offset);
        let access = Access {
            align: (context.store_size(vector) as u32).max(chosen[0].access.align),
            invariant: chosen.iter().all(|element| element.access.invariant),
            nontemporal: chosen.iter().all(|element| element.access.nontemporal),
            ..chosen[0].access
        };
        if context.store_size(ty) < 4 {
            return self.join_narrow(chosen, ty, is_store, (at.id, pointer, access));
        }
        let lane = |index: usize| Value::Constant(context.int(32, index as i128));
        if is_store {
            let mut whole = Value::Constant(context.poison(vector));
            for (index, element) in chosen.iter().enumerate() {
                let Instruction::Store { value, .. } = *self.function.instruction(element.id) else {
                    return;
                };
                let insert = Instruction::InsertElement {
                    vector: whole,
                    element: value,
                    index: lane(index),
                };
                whole = edit::insert(self.function, at.id, insert, vector);
            }
            let store = Instruction::Store {
                pointer,
                value: whole,
                access,
            };
            edit::insert(self.function, at.id, store, Type::Void);
            for element in chosen {
                self.function.remove_instruction(element.id);
            }
            return;
        }
        let whole = edit::insert(self.function, at.id, Instruction::Load { pointer, access }, vector);
        for (index, element) in chosen.iter().enumerate() {
            let extract = Instruction::ExtractElement {
                vector: whole,
                index: lane(index),
            };
            let value = edit::insert(self.function, at.id, extract, ty);
            self.function.replace_all_uses(Value::Instruction(element.id), value);
        }
        for element in chosen {
            self.function.remove_instruction(element.id);
        }
    }

    /// Joins bytes or halves to one integer.
    fn join_narrow(
        &mut self,
        chosen: &[Element],
        ty: Type,
        is_store: bool,
        (at, pointer, access): (InstructionId, Value, Access),
    ) {
        let context = self.function.context().clone();
        let bits = context.store_size(ty) as u32 * 8;
        let (part, word) = (Type::Int(bits), Type::Int(bits * chosen.len() as u32));
        let distance = |index: usize| i128::from(bits) * index as i128;
        if is_store {
            let mut whole: Option<Value> = None;
            for (index, element) in chosen.iter().enumerate() {
                let Instruction::Store { value, .. } = *self.function.instruction(element.id) else {
                    return;
                };
                let value = edit::coerce(self.function, at, value, part);
                let value = edit::cast(self.function, at, CastOp::ZExt, value, word);
                let value = edit::binary_int(self.function, at, BinaryOp::Shl, value, distance(index));
                whole = Some(match whole {
                    None => value,
                    Some(below) => edit::binary(self.function, at, BinaryOp::Or, below, value),
                });
            }
            let Some(value) = whole else { return };
            let store = Instruction::Store { pointer, value, access };
            edit::insert(self.function, at, store, Type::Void);
        } else {
            let whole = edit::insert(self.function, at, Instruction::Load { pointer, access }, word);
            for (index, element) in chosen.iter().enumerate() {
                let value = edit::binary_int(self.function, at, BinaryOp::LShr, whole, distance(index));
                let value = edit::cast(self.function, at, CastOp::Trunc, value, part);
                let value = edit::coerce(self.function, at, value, ty);
                self.function.replace_all_uses(Value::Instruction(element.id), value);
            }
        }
        for element in chosen {
            self.function.remove_instruction(element.id);
        }
    }

    /// An address some bytes from another, without a promise about what is between.
    fn address(&mut self, at: InstructionId, near: Value, bytes: i64) -> Value {
        if bytes == 0 {
            return near;
        }
        // The address computation that the other is made by may start where this one wants to be.
        if let Some(Instruction::Gep { base, .. }) = self.function.definition(near)
            && let Some(id) = near.as_instruction()
            && address::constant_offset(self.function, id) == Some(-bytes)
        {
            return *base;
        }
        let context = self.function.context().clone();
        if let Value::Constant(constant) = near {
            return Value::Constant(context.offset_address_with(GepFlags::NONE, constant, bytes));
        }
        let ty = self.function.type_of(near);
        let gep = Instruction::Gep {
            flags: GepFlags::NONE,
            source: Type::I8,
            base: near,
            indices: [Value::Constant(context.int(64, i128::from(bytes)))]
                .into_iter()
                .collect(),
        };
        edit::insert(self.function, at, gep, ty)
    }
}

fn pointer_of(function: &Function, id: InstructionId) -> Option<Value> {
    match function.instruction(id) {
        Instruction::Load { pointer, .. } | Instruction::Store { pointer, .. } => Some(*pointer),
        _ => None,
    }
}
