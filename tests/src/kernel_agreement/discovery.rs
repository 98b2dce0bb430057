//! Which slots of parameters are pointers, found by running.
//!
//! The text tells of a pointer that is converted where it is loaded. Of one that is added to first, chosen, or kept in a structure it does not. So every slot
//! of eight bytes gets an address of its own where nothing is: the first access there faults, and says which slot its address came from.

use warpsmith_emu::Accessed;
use warpsmith_ptx::module::Module;

use super::recipe::{Parameter, Recipe};
use super::trial::Trial;

/// The first address at which nothing is.
const NOWHERE: u64 = 0x4000_0000_0000;
/// Bytes between the addresses of two slots, as a power of two: offsets that a kernel adds stay in them.
const SHIFT: u32 = 34;
/// Instructions of a run: pointers are mostly accessed early.
const BUDGET: u64 = 50_000;
/// Slots that are looked at.
const SLOTS: usize = 256;
/// Slots that are looked at one by one.
const ALONE: usize = 16;

/// The parameters with the pointers that recipes of each shape access.
pub(super) fn with_pointers(
    name: &str,
    module: &Module,
    parameters: &[Parameter],
    recipes: &[Recipe],
) -> Vec<Parameter> {
    let mut known = parameters.to_vec();
    for recipe in recipes {
        while let Some((parameter, offset)) = next_pointer(name, module, &known, recipe) {
            known[parameter].pointers.push(offset);
            known[parameter].pointers.sort_unstable();
        }
    }
    known
}

/// The slot through which the first access goes that is none of a known pointer: with all slots at once, or with each alone where the address is a sum of
/// several, as that of an element is of a pointer and a number.
fn next_pointer(name: &str, module: &Module, known: &[Parameter], recipe: &Recipe) -> Option<(usize, usize)> {
    let slots = slots(known);
    let all: Vec<usize> = (0..slots.len()).collect();
    let number = match accessed(name, module, known, recipe, &slots, &all) {
        Found::Slot(number) => Some(number),
        Found::Elsewhere => (0..slots.len().min(ALONE)).find(|&number| {
            let found = accessed(name, module, known, recipe, &slots, &[number]);
            matches!(found, Found::Slot(_))
        }),
        Found::Nothing => None,
    };
    number.map(|number| slots[number])
}

/// Where accesses go that are none of known pointers.
enum Found {
    /// To the address of a slot.
    Slot(usize),
    /// To an address that may be a sum of several.
    Elsewhere,
    /// There are none.
    Nothing,
}

/// Runs with addresses of their own in some slots.
fn accessed(
    name: &str,
    module: &Module,
    known: &[Parameter],
    recipe: &Recipe,
    slots: &[(usize, usize)],
    probed: &[usize],
) -> Found {
    let mut parameters = known.to_vec();
    for &number in probed {
        let (parameter, offset) = slots[number];
        let address = NOWHERE + ((number as u64) << SHIFT);
        parameters[parameter].nowhere.push((offset, address));
    }
    let probed_slot = |accessed| slot_of(accessed).filter(|number| probed.contains(number));
    let of_several = |accessed: Accessed| matches!(accessed, Accessed::Global(address) if address >= NOWHERE);
    let ran = Trial::new(name, &parameters, recipe, BUDGET).run_with_pages(module, |accessed| !of_several(accessed));
    let Some(accessed) = ran.err().and_then(|stopped| stopped.accessed) else {
        return Found::Nothing;
    };
    match probed_slot(accessed) {
        Some(number) => Found::Slot(number),
        None if of_several(accessed) => Found::Elsewhere,
        None => Found::Nothing,
    }
}

/// The slots of eight bytes that may be pointers: parameter and offset.
fn slots(parameters: &[Parameter]) -> Vec<(usize, usize)> {
    let places = parameters.iter().enumerate().flat_map(|(index, parameter)| {
        let offsets = (0..parameter.bytes / 8).map(|slot| 8 * slot);
        let free = move |offset: &usize| !parameter.float && !parameter.pointers.contains(offset);
        offsets.filter(free).map(move |offset| (index, offset))
    });
    places.take(SLOTS).collect()
}

/// The slot whose address an access was near.
fn slot_of(accessed: Accessed) -> Option<usize> {
    let Accessed::Global(address) = accessed else {
        return None;
    };
    let half = 1 << (SHIFT - 1);
    let number = address.wrapping_add(half).checked_sub(NOWHERE)? >> SHIFT;
    (number < SLOTS as u64).then_some(number as usize)
}

#[cfg(test)]
mod tests {
    use super::super::{Limits, parameters, read};
    use super::*;

    /// The first parameter is added to before it is converted, the second is a pointer behind a number in a structure, the third a number.
    #[test]
    fn pointers_are_found_where_the_text_does_not_tell() {
        let text = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .align 8 .b8 b[16], .param .u64 n)
{
    .reg .b64 %rd<9>;
    .reg .b32 %r<3>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b+8];
    ld.param.u64 %rd3, [n];
    shl.b64 %rd4, %rd3, 2;
    add.s64 %rd5, %rd1, %rd4;
    cvta.to.global.u64 %rd6, %rd5;
    ld.global.u32 %r1, [%rd6];
    st.u32 [%rd2], %r1;
    ret;
}
";
        let module = read(text).expect("it is PTX");
        let of_text = &parameters(text, &module)[0].1;
        assert!(of_text.iter().all(|parameter| parameter.pointers.is_empty()));
        let recipes = Recipe::shapes(&Recipe::all(Limits::default()));
        let found = with_pointers("k", &module, of_text, &recipes);
        let pointers: Vec<&[usize]> = found.iter().map(|parameter| parameter.pointers.as_slice()).collect();
        assert_eq!(pointers, [&[0][..], &[8], &[]]);
    }
}
