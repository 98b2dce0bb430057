//! What the machine does in one instruction and the rules before could not see: pairs of zeros and of constants, sums of pairs, and waiting twice for the
//! same threads; and copies of variables, which the rules needed.

use warpsmith_sass::{FieldName as F, Flow, Opcode as O, RegisterClass};
use warpsmith_target::Isa;

use crate::{
    flow::together::order,
    ir::{Function, Instruction},
    phase::Context,
    select::{Request, Value, Word},
};

/// How far apart the two words of a pair may be given.
const REACH: usize = 8;

/// Combines within blocks.
pub(crate) fn combine_late(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    super::uncopy::read_variables(function, context);
    for block in 0..function.blocks.len() {
        let mut code = std::mem::take(&mut function.blocks[block].code);
        let mut removed = vec![false; code.len()];
        pairs(function, context, &mut code, &mut removed);
        waits(context, &code, &mut removed);
        let waits = code.iter_mut().zip(&mut removed);
        for (wait, removed) in waits.filter(|(one, removed)| **removed && one.base.opcode() == O::Warpsync) {
            *removed = !order(function, wait, context);
        }
        let mut index = 0;
        code.retain(|_| {
            index += 1;
            !removed[index - 1]
        });
        function.blocks[block].code = code;
    }
    super::sums::add_pairs(function, context)
}

/// What a word of a register is given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    Zero,
    /// A word of a constant bank.
    Constant {
        bank: u8,
        offset: u32,
    },
}

impl Given {
    /// What the other word of the pair is to be given so that one instruction gives both; `None` where none would.
    fn partner(self, word: u8) -> Option<Given> {
        match self {
            Given::Zero => Some(Given::Zero),
            Given::Constant { bank, offset } => (offset % 8 == 4 * u32::from(word % 2)).then_some(Given::Constant {
                bank,
                offset: offset ^ 4,
            }),
        }
    }

    /// The instruction that gives both words of the pair that starts at `low`: `CS2R`, `LDC.64`.
    fn both(self, low: Word) -> Request {
        match self {
            Given::Zero => Request::new(O::Cs2r)
                .form("R_S")
                .to(low)
                .text(F::SpecialRegister, "SRZ"),
            Given::Constant { bank, offset } => Request::new(O::Ldc)
                .form("R_C")
                .to(low)
                .number(F::Bank, u64::from(bank))
                .number(F::Offset, u64::from(offset & !4))
                .text(F::Size, "64"),
        }
    }
}

/// The word that a copy gives a zero or a constant.
fn given(instruction: &Instruction, constants: bool) -> Option<(Word, Given)> {
    let given = match super::operands::copied(instruction)? {
        Value::Zero if instruction.base.opcode() == O::Mov => Given::Zero,
        Value::Constant(bank, offset) if constants => Given::Constant { bank, offset },
        _ => return None,
    };
    let operand = instruction.operands.first()?;
    Some((operand.register.word(operand.word), given))
}

/// Both words of an aligned pair by one instruction.
fn pairs(function: &Function, context: &Context<'_>, code: &mut [Instruction], removed: &mut [bool]) {
    // Before sm_90, moves from constant banks are as cheap as the load that would replace two of them.
    let constants = function.isa() >= Isa::Sm90;
    for at in 0..code.len() {
        let Some((first, value)) = given(&code[at], constants).filter(|_| !removed[at]) else {
            continue;
        };
        let info = function.info(first.register);
        if info.class != RegisterClass::Gpr || !info.words.is_multiple_of(2) {
            continue;
        }
        let Some(partner) = value.partner(first.word) else {
            continue;
        };
        let other = first.register.word(first.word ^ 1);
        let reach = at + 1..code.len().min(at + REACH);
        let is_partner = |next: &usize| given(&code[*next], constants) == Some((other, partner));
        let Some(second) = reach.into_iter().find(is_partner) else {
            continue;
        };
        let request = value.both(first.register.word(first.word & !1));
        let replacement = context.selector.replacement(function, &code[at], &request);
        let Some(pair) = replacement.filter(|_| undisturbed(&code[at + 1..second], other)) else {
            continue;
        };
        if !context.fuel.take() {
            return;
        }
        code[at] = pair;
        removed[second] = true;
    }
}

/// Whether straight code neither reads nor writes a word.
fn undisturbed(code: &[Instruction], word: Word) -> bool {
    code.iter().all(|instruction| {
        let disjoint = instruction.touches().all(|touch| {
            touch.register != word.register || !(touch.word..touch.word + touch.words).contains(&word.word)
        });
        instruction.base.flow() == Flow::None && disjoint
    })
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
