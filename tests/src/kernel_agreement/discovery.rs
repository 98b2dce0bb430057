//! Which slots of parameters are pointers, found by running.
//!
//! The text tells of a pointer that is converted where it is loaded. Of one that is added to first, chosen, or kept in a structure it does not. So every slot
//! of eight bytes gets an address of its own where nothing is: the first access there faults, and says which slot its address came from.

use warpsmith_emu::Accessed;
use warpsmith_ptx::module::Module;

use super::recipe::{Parameter, Recipe};
use super::{Code, Run, run};

/// The first address at which nothing is.
const NOWHERE: u64 = 0x4000_0000_0000;
/// Bytes between the addresses of two slots, as a power of two: offsets that a kernel adds stay in them.
const SHIFT: u32 = 34;
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
    let accessed = |probed: &[usize]| {
        let mut parameters = known.to_vec();
        for &number in probed {
            let (parameter, offset) = slots[number];
            let address = NOWHERE + ((number as u64) << SHIFT);
            parameters[parameter].nowhere.push((offset, address));
        }
        let stopped = run(name, &Code::Ptx(module), &parameters, recipe, Run::Usual).err()?;
        slot_of(stopped.accessed?).filter(|number| probed.contains(number))
    };
    let all: Vec<usize> = (0..slots.len()).collect();
    let number = accessed(&all).or_else(|| (0..slots.len().min(ALONE)).find(|&number| accessed(&[number]).is_some()));
    number.map(|number| slots[number])
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
