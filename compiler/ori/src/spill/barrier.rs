//! Convergence barriers in general registers.
//!
//! `BMOV` names the barrier by a number that is no register field, so one barrier is set aside: it is armed and saved at once, and brought back right before
//! it is waited for. Each thread saves the barrier for itself, and it is cleared by that, as ptxas does around calls.

use warpsmith_sass::{FieldName, Opcode, RegisterClass};

use super::{Origin, Spilled, replace, written};
use crate::{
    ir::{Function, Instruction, Register},
    select::{Request, Selector, Value},
};

/// The barrier that is set aside, and its name: the last one that the function may use.
fn shuttle(function: &Function) -> (u8, &'static str) {
    match function.reserved.contains(RegisterClass::Barrier, 15) {
        true => (14, "B14"),
        false => (15, "B15"),
    }
}

/// Spills these barriers, everywhere.
pub(super) fn spill(
    function: &mut Function,
    origins: &mut [Vec<Origin>],
    selector: &Selector,
    spilled: &[u32],
) -> Spilled {
    let (number, name) = shuttle(function);
    let mut homes: Vec<Option<Register>> = vec![None; function.registers.len()];
    for register in spilled {
        homes[*register as usize] = Some(function.register(RegisterClass::Gpr, 1));
    }
    let is_spilled: Vec<bool> = homes.iter().map(Option::is_some).collect();
    for (block, origins) in origins.iter_mut().enumerate() {
        let code = std::mem::take(&mut function.blocks[block].code);
        let old = std::mem::take(origins);
        let mut made: Vec<(Instruction, Origin)> = Vec::with_capacity(code.len());
        for (mut instruction, origin) in code.into_iter().zip(old) {
            let touched = instruction.touches().find_map(|touch| {
                let home = homes.get(touch.register.0 as usize).copied().flatten();
                home.map(|home| (touch.register, home))
            });
            let Some((register, home)) = touched else {
                made.push((instruction, origin));
                continue;
            };
            let writes = !written(&instruction, &is_spilled).is_empty();
            let place = instruction.place;
            let start = made.len();
            if !writes {
                let request = Request::new(Opcode::Bmov)
                    .form("32.S_R")
                    .at(FieldName::Rb, home)
                    .text(FieldName::ThreadState, name);
                emit(function, selector, request, &mut made)?;
            }
            let shuttle = function.register(RegisterClass::Barrier, 1);
            function.registers[shuttle.0 as usize].fixed = Some(number);
            replace(&mut instruction, register, shuttle);
            made.push((instruction, origin));
            if writes {
                let request = Request::new(Opcode::Bmov)
                    .form("32.R_S")
                    .to(home)
                    .text(FieldName::ThreadState, name)
                    .flag(FieldName::Clear, true);
                emit(function, selector, request, &mut made)?;
            }
            for (added, _) in &mut made[start..] {
                added.place = place;
            }
        }
        (function.blocks[block].code, *origins) = made.into_iter().unzip();
    }
    clear(function, origins, selector, &homes)
}

/// A barrier that some way here has not armed holds nobody.
fn clear(
    function: &mut Function,
    origins: &mut [Vec<Origin>],
    selector: &Selector,
    homes: &[Option<Register>],
) -> Spilled {
    let mut code = Vec::new();
    for home in homes.iter().flatten() {
        emit(
            function,
            selector,
            Request::new(Opcode::Mov).to(*home).from(Value::Immediate(0)),
            &mut code,
        )?;
    }
    let (code, added): (Vec<Instruction>, Vec<Origin>) = code.into_iter().unzip();
    if let (Some(entry), Some(first)) = (function.blocks.first_mut(), origins.first_mut()) {
        entry.code.splice(0..0, code);
        first.splice(0..0, added);
    }
    Ok(())
}

fn emit(
    function: &mut Function,
    selector: &Selector,
    request: Request,
    code: &mut Vec<(Instruction, Origin)>,
) -> Spilled {
    let mut made = Vec::new();
    selector.emit(function, &mut made, request)?;
    code.extend(made.into_iter().map(|instruction| (instruction, Origin::Added)));
    Ok(())
}
