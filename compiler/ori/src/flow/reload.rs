//! Uniform registers of functions that are called, and of kernels that call: each block loads the constants that it reads.
//!
//! The threads of a warp may call a function at different times, so that others of them may be anywhere: at another place of the function, in another function,
//! each with its own use of the uniform registers that no function has to keep. The machine goes over from some threads to others where blocks end and where
//! instructions wait for threads, not between others: ptxas writes uniform registers everywhere for readers in the same block, and in functions never for
//! others (observed, ptxas 13.0.88, sm_75 to sm_120). So what was loaded once, here the descriptor of global memory, is loaded again in each block. In a kernel
//! threads that are in a function write the registers that others of the warp may wait with outside of it.

use rustc_hash::FxHashMap;
use warpsmith_sass::{Access, Flow, Opcode, RegisterClass};

use crate::{
    ir::{Function, Instruction, Register},
    phase::Context,
};

/// Loads constants again where a block reads them from a uniform register that another block has written.
pub(crate) fn reload_uniform_constants(function: &mut Function, _: &Context<'_>) -> Result<(), String> {
    let clobbers = |instruction: &Instruction| {
        let effects = instruction.effects.as_deref();
        effects.is_some_and(|effects| effects.clobbers.uniform != [0; 4])
    };
    let mut code = function.blocks.iter().flat_map(|block| &block.code);
    if function.kernel && !code.any(clobbers) {
        return Ok(());
    }
    let loads = loads(function);
    if loads.is_empty() {
        return Ok(());
    }
    for block in 0..function.blocks.len() {
        let code = std::mem::take(&mut function.blocks[block].code);
        let mut made: Vec<Instruction> = Vec::with_capacity(code.len());
        // What this block has loaded, by the register that it stands for.
        let mut here: FxHashMap<Register, Register> = FxHashMap::default();
        for mut instruction in code {
            if let Some(own) = written(function, &instruction).filter(|register| loads.contains_key(register)) {
                // Loaded anew before its first reader, if there is one.
                here.remove(&own);
                continue;
            }
            for index in 0..instruction.operands.len() {
                let read = instruction.operands[index].register;
                let Some(load) = loads.get(&read) else { continue };
                let own = *here.entry(read).or_insert_with(|| {
                    let info = function.info(read);
                    let own = function.register(info.class, info.words);
                    let mut again = load.clone();
                    again.place = instruction.place;
                    again.operands.iter_mut().for_each(|operand| operand.register = own);
                    made.push(again);
                    own
                });
                instruction.operands[index].register = own;
            }
            let goes_over = matches!(
                instruction.base.opcode(),
                Opcode::Yield | Opcode::Nanosleep | Opcode::Warpsync
            ) || instruction.base.flow() == Flow::Call;
            made.push(instruction);
            if goes_over {
                here.clear();
            }
        }
        function.blocks[block].code = made;
    }
    Ok(())
}

/// The only uniform register that an instruction writes.
fn written(function: &Function, instruction: &Instruction) -> Option<Register> {
    let touches = instruction.touches().filter(|touch| touch.access != Access::Read);
    let mut uniform = touches.filter(|touch| function.info(touch.register).class == RegisterClass::UniformGpr);
    uniform.next().map(|touch| touch.register)
}

/// The registers that one instruction writes, a load of a constant, with that.
fn loads(function: &Function) -> FxHashMap<Register, Instruction> {
    let mut found: FxHashMap<Register, Option<Instruction>> = FxHashMap::default();
    for instruction in function.blocks.iter().flat_map(|block| &block.code) {
        let Some(register) = written(function, instruction) else {
            continue;
        };
        let is_load = matches!(instruction.base.opcode(), Opcode::Uldc | Opcode::Ldcu)
            && instruction.base.form().name == "UR_C"
            && instruction.guard.is_none()
            && instruction.operands.len() == 1;
        let load = is_load.then(|| instruction.clone());
        found.entry(register).and_modify(|known| *known = None).or_insert(load);
    }
    let loads = found.into_iter().filter_map(|(register, load)| Some((register, load?)));
    loads.collect()
}
