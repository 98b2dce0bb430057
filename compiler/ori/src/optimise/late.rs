//! What the machine does in one instruction and the rules before could not see: pairs of zeros, and waiting twice for the same threads.

use warpsmith_sass::{FieldName as F, Flow, Opcode as O, RegisterClass};
use warpsmith_target::Isa;

use crate::{
    ir::{Function, Instruction},
    phase::Context,
    select::{Request, Value, Word},
};

/// How far apart the two words of a zero may be made.
const REACH: usize = 8;

/// Combines within blocks.
pub(crate) fn combine_late(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    for block in 0..function.blocks.len() {
        let mut code = std::mem::take(&mut function.blocks[block].code);
        let mut removed = vec![false; code.len()];
        zeros(function, context, &mut code, &mut removed);
        constants(function, context, &mut code, &mut removed);
        waits(context, &code, &mut removed);
        let mut index = 0;
        code.retain(|_| {
            index += 1;
            !removed[index - 1]
        });
        function.blocks[block].code = code;
    }
    Ok(())
}

/// The word that a `MOV` makes zero.
fn zeroed(instruction: &Instruction) -> Option<Word> {
    let made_zero = instruction.base.opcode() == O::Mov && super::operands::copied(instruction) == Some(Value::Zero);
    let operand = instruction.operands.first().filter(|_| made_zero)?;
    Some(operand.register.word(operand.word))
}

/// Both words of an aligned pair made zero: `CS2R`.
fn zeros(function: &Function, context: &Context<'_>, code: &mut [Instruction], removed: &mut [bool]) {
    for at in 0..code.len() {
        let Some(first) = zeroed(&code[at]).filter(|_| !removed[at]) else {
            continue;
        };
        let info = function.info(first.register);
        if info.class != RegisterClass::Gpr || !info.words.is_multiple_of(2) {
            continue;
        }
        let low = first.register.word(first.word & !1);
        let other = first.register.word(first.word ^ 1);
        let Some(second) = (at + 1..code.len().min(at + REACH)).find(|next| zeroed(&code[*next]) == Some(other)) else {
            continue;
        };
        let between = code[at + 1..second].iter().all(|instruction| {
            instruction.base.flow() == Flow::None
                && instruction.touches().all(|touch| {
                    touch.register != other.register || !(touch.word..touch.word + touch.words).contains(&other.word)
                })
        });
        let request = Request::new(O::Cs2r)
            .form("R_S")
            .to(low)
            .text(F::SpecialRegister, "SRZ");
        let Some(pair) = context
            .selector
            .replacement(function, &code[at], &request)
            .filter(|_| between)
        else {
            continue;
        };
        if !context.fuel.take() {
            return;
        }
        code[at] = pair;
        removed[second] = true;
    }
}

/// The word that takes a constant of a bank, and which.
fn loaded(instruction: &Instruction) -> Option<(Word, u8, u32)> {
    let Value::Constant(bank, offset) = super::operands::copied(instruction)? else {
        return None;
    };
    let operand = instruction.operands.first()?;
    Some((operand.register.word(operand.word), bank, offset))
}

/// Both words of an aligned pair loaded from neighbours in a constant bank: `LDC.64`.
fn constants(function: &Function, context: &Context<'_>, code: &mut [Instruction], removed: &mut [bool]) {
    if function.isa().index() < Isa::Sm90.index() {
        return;
    }
    for at in 0..code.len() {
        let Some((first, bank, offset)) = loaded(&code[at]).filter(|_| !removed[at]) else {
            continue;
        };
        let info = function.info(first.register);
        let aligned = offset % 8 == 4 * u32::from(first.word % 2);
        if info.class != RegisterClass::Gpr || !info.words.is_multiple_of(2) || !aligned {
            continue;
        }
        let low = first.register.word(first.word & !1);
        let other = first.register.word(first.word ^ 1);
        let wanted = Some((other, bank, offset ^ 4));
        let Some(second) = (at + 1..code.len().min(at + REACH)).find(|next| loaded(&code[*next]) == wanted) else {
            continue;
        };
        let between = code[at + 1..second].iter().all(|instruction| {
            instruction.base.flow() == Flow::None
                && instruction.touches().all(|touch| {
                    touch.register != other.register || !(touch.word..touch.word + touch.words).contains(&other.word)
                })
        });
        let request = Request::new(O::Ldc)
            .form("R_C")
            .to(low)
            .number(F::Bank, u64::from(bank))
            .number(F::Offset, u64::from(offset & !4))
            .text(F::Size, "64");
        let Some(pair) = context
            .selector
            .replacement(function, &code[at], &request)
            .filter(|_| between)
        else {
            continue;
        };
        if !context.fuel.take() {
            return;
        }
        code[at] = pair;
        removed[second] = true;
    }
}

/// `WARPSYNC` of the threads that the last one in the block waited for: nothing has parted them since.
fn waits(context: &Context<'_>, code: &[Instruction], removed: &mut [bool]) {
    let mut last: Option<usize> = None;
    for (at, instruction) in code.iter().enumerate() {
        if instruction.base.opcode() == O::Warpsync && instruction.guard.is_none() {
            let same = last.is_some_and(|last| {
                code[last].base.word() == instruction.base.word() && code[last].operands == instruction.operands
            });
            if same && context.fuel.take() {
                removed[at] = true;
            } else {
                last = Some(at);
            }
            continue;
        }
        let parts = instruction.base.flow() != Flow::None || instruction.effects.is_some();
        let rewrites = last.is_some_and(|last| {
            instruction.touches().any(|touch| {
                touch.access != warpsmith_sass::Access::Read
                    && code[last]
                        .operands
                        .iter()
                        .any(|operand| operand.register == touch.register)
            })
        });
        if parts || rewrites {
            last = None;
        }
    }
}
