//! Products of matrices by warpgroups (`wgmma`): their accumulators stay in one tuple each, and nothing touches a tuple whose product is in flight.
//!
//! A product issues and goes on by itself. Those since the last [`commit`] are a group; [`wait`] waits until so many groups at most are in flight; before
//! products that use registers which something else has written, an [`arrive`]. Lowering writes each product as if it were done at once, with its accumulators
//! copied to a tuple and back. Two passes make a pipeline of it:
//!
//! * [`propagate`] joins the tuples with what is copied to and from them, so that a chain of products, over rounds of a loop too, has one tuple and no
//!   copies;
//! * [`settle`] follows what is in flight over all ways through the function. Where an instruction touches it, it is waited for first; where that is no
//!   place to wait, right after the product. Waits then say which registers they give back, so that no later pass moves a use before them, and the
//!   allocator gives nobody else the registers that a product still reads. What a group's products need is computed before the first ([`gather`]).
//!
//! How groups are marked on products, and a group without products: observed, ptxas 13.0.88.

mod flight;
mod gather;
mod settle;

use warpsmith_sass::{Access, FieldName as F, Opcode as O};

pub(crate) use self::settle::{close_up, held, settle};
use crate::{
    allocate::join::join,
    ir::{Function, Instruction, Operand, Register},
    phase::Context,
    select::{Request, Test},
};

/// The group of a product that ends none.
pub(crate) const OPEN: u64 = 7;
/// The group of a product that ends one.
const ENDS: u64 = 0;
/// The most groups that a wait can leave in flight.
const MOST_LEFT: u64 = 7;

/// Orders what was done to registers before the products that follow.
pub(crate) fn arrive() -> Request {
    Request::new(O::Warpgroup).form("ARRIVE.none")
}

/// Ends a group: a product that computes nothing, as long as no other is found that can end it.
pub(crate) fn commit() -> Request {
    Request::new(O::Hgmma)
        .form("R_G_R")
        .text(F::Shape, "64x8x16")
        .text(F::Accumulator, "F16")
        .text(F::Type, "")
        .when(F::UPp, Test::NEVER)
        .number(F::GroupScoreboard, ENDS)
}

/// Waits until at most so many groups are in flight.
pub(crate) fn wait(left: u64) -> Request {
    Request::new(O::Warpgroup)
        .form("DEPBAR.S_I")
        .text(F::LessEqual, "LE")
        .number(F::GroupScoreboard, ENDS)
        .number(F::Count, left.min(MOST_LEFT))
}

/// What an instruction is to the pipeline of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// A product.
    Product,
    /// The end of a group.
    Commit,
    /// A wait that leaves so many groups in flight.
    Wait(u64),
    /// [`arrive`]
    Arrive,
    /// None of these.
    Other,
}

fn role(instruction: &Instruction) -> Role {
    match instruction.base.opcode() {
        O::Hgmma | O::Qgmma | O::Igmma | O::Bgmma => match instruction.operands.iter().any(|o| o.field == F::Rd) {
            true => Role::Product,
            false => Role::Commit,
        },
        O::Warpgroup => match instruction.base.field(F::Count) {
            Some(left) => Role::Wait(left),
            None => Role::Arrive,
        },
        _ => Role::Other,
    }
}

/// Whether an instruction is a product, or the end of a group.
pub(crate) fn is_product(word: &warpsmith_sass::Instruction) -> bool {
    matches!(word.opcode(), O::Hgmma | O::Qgmma | O::Igmma | O::Bgmma)
}

/// Whether what an instruction writes beside its operands are registers that it gives back with what is in them.
pub(crate) fn gives_back(word: &warpsmith_sass::Instruction) -> bool {
    word.opcode() == O::Warpgroup
}

/// Whether a function has products.
pub(crate) fn has_products(function: &Function) -> bool {
    let mut code = function.blocks.iter().flat_map(|block| &block.code);
    code.any(|instruction| role(instruction) != Role::Other)
}

/// Makes one tuple of the accumulators of chains of products, and takes out the copies between.
pub(crate) fn propagate(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    if !has_products(function) {
        return Ok(());
    }
    let tuples = |function: &Function| {
        let mut tuples = vec![false; function.registers.len()];
        let code = function.blocks.iter().flat_map(|block| &block.code);
        for product in code.filter(|instruction| role(instruction) == Role::Product) {
            let sums = product.operands.iter().filter(|operand| operand.field == F::Rd);
            sums.for_each(|operand| tuples[operand.register.0 as usize] = true);
        }
        tuples
    };
    fold_conditions(function, context);
    if join(function, &tuples) && context.options.level >= 2 {
        crate::optimise::combine_late(function, context)?;
    }
    Ok(())
}

/// Whether a product adds its accumulators may hang on a vote on what turned out to be a constant.
fn fold_conditions(function: &mut Function, context: &Context<'_>) {
    let mut writers = vec![0_u32; function.registers.len()];
    let mut votes: Vec<Option<Test>> = vec![None; function.registers.len()];
    for instruction in function.blocks.iter().flat_map(|block| &block.code) {
        for operand in instruction.operands.iter().filter(|operand| operand.field == F::UPu) {
            writers[operand.register.0 as usize] += 1;
            let vote = Request::of(instruction).filter(|vote| vote.opcode() == O::Voteu && !vote.is_guarded());
            votes[operand.register.0 as usize] = vote.and_then(|vote| vote.test(F::Pp));
        }
    }
    for at in 0..function.blocks.len() {
        let mut code = std::mem::take(&mut function.blocks[at].code);
        for product in code.iter_mut().filter(|instruction| role(instruction) == Role::Product) {
            let Some(request) = Request::of(product) else { continue };
            let Some((test, register)) = request.test(F::UPp).and_then(|test| Some((test, test.register?))) else {
                continue;
            };
            let of_vote = votes[register.0 as usize].filter(|_| writers[register.0 as usize] == 1);
            let Some(voted) = of_vote.filter(|vote| vote.register.is_none()) else {
                continue;
            };
            let request = match voted.negated == test.negated {
                true => request.when_only(F::UPp, Test::ALWAYS),
                false => request.when_only(F::UPp, Test::NEVER).without_register(F::Rc),
            };
            if let Some(folded) = context.selector.replacement(function, product, &request) {
                *product = folded;
            }
        }
        function.blocks[at].code = code;
    }
    remove_votes(function, &votes);
}

/// Removes votes on constants that nothing reads any more.
fn remove_votes(function: &mut Function, votes: &[Option<Test>]) {
    let of_constant = |register: Register| votes[register.0 as usize].is_some_and(|test| test.register.is_none());
    let mut read = vec![false; function.registers.len()];
    for instruction in function.blocks.iter().flat_map(|block| &block.code) {
        for touch in instruction.touches().filter(|touch| touch.access != Access::Write) {
            read[touch.register.0 as usize] = true;
        }
    }
    for block in &mut function.blocks {
        block.code.retain(|instruction| {
            let result = instruction.operands.iter().find(|operand| operand.field == F::UPu);
            let is_unread = |result: &Operand| of_constant(result.register) && !read[result.register.0 as usize];
            instruction.base.opcode() != O::Voteu || !result.is_some_and(is_unread)
        });
    }
}
