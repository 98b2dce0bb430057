//! Fetches that the lanes of a quad do for each other: `tex.grad` up to sm_89, where `TXD` has no form for it.
//!
//! The machine takes slopes from the differences between the lanes of a quad. So for each lane in turn, all four are given its place: as it is, moved along
//! the first gradient, along the second, along both. They fetch, and the texels of the first go to the lane that asked. All four must run for that, wherever
//! in the program they are, or whether they have ended: `BMOV.PQUAD` makes them. (The sequence: observed, ptxas 13.0.88, sm_75 to sm_89.)
//!
//! What helpers write while they run is lost to the threads whose registers these are. That nothing is lost, holds by construction:
//!
//! * Until registers are allocated and code is ordered, all of it is one instruction ([`is_request`]): the fetch, with the gradients beside it. Nothing can be
//!   put between its parts, and no guard or branch stands there.
//! * What is written on the way are registers that nothing else uses in any function whose threads may be helpers ([`reserve`], and [`expand`] checks it).
//! * Helpers know nothing of the fetch: they read what a lane that asks has, never their own. In place of a lane that does not ask another one of its quad is
//!   served twice.

use warpsmith_base::{Cause, fault};
use warpsmith_ptx::{Span, module::Statement};
use warpsmith_sass::{FieldName as F, Flow, Opcode as O, RegisterClass, tables::Dimension};

use crate::{
    allocate::{Allocation, budget::general},
    frame::{pinned, pinned_tuple},
    ir::{Advice, Effects, Function, Instruction, Origin, Register},
    lower::steps::{A, B, LEFT, RIGHT, logic, number, shift},
    phase::Context,
    pipeline::CompileError,
    select::{Request, Source, Test, Value, Word, absolute},
};

/// The registers that helpers write: from here to [`END`]. They hold no argument, return address or stack pointer.
const FIRST: u8 = 24;
/// Operands of the fetch, then its results.
const OPERANDS: [u8; 2] = [FIRST, FIRST + 4];
/// What the lane that asked gets.
const TEXELS: u8 = FIRST + 8;
/// Which lane of the quad is served.
const SERVED: u8 = FIRST + 12;
/// Two times the lanes of the quad that ask, as bits.
const ASKING: u8 = FIRST + 13;
/// For what is used at once.
const SPARE: u8 = FIRST + 14;
/// After the last register that helpers write.
const END: u8 = FIRST + 16;
/// The barrier that keeps the lanes that ask.
const LANES: u8 = 15;

/// `SHFL` within quads.
const WITHIN_QUAD: u32 = 0x1c03;
/// Signs with which the gradients are added to the place, in the lanes of a quad: the first is added in the second and fourth lane, the second in the third
/// and fourth.
const ALONG: [&str; 2] = ["ZPPPZPPP", "ZPZPPPPP"];

/// Whether an instruction stands for all of such a fetch.
fn is_request(instruction: &Instruction) -> bool {
    instruction.base.opcode() == O::Tex && instruction.effects.is_some()
}

fn code(function: &Function) -> impl Iterator<Item = &Instruction> {
    function.blocks.iter().flat_map(|block| &block.code)
}

/// Keeps the registers that helpers write free in all functions of a program in which their threads may be.
///
/// # Errors
/// Where that cannot be known: code that is not in the module runs, too.
pub(crate) fn reserve(
    functions: &mut [crate::inline::Lowered<'_>],
    relocatable: bool,
) -> Result<(), Vec<CompileError>> {
    let asks = |function: &Function| code(function).any(is_request);
    if !functions.iter().any(|(_, function)| asks(function)) {
        return Ok(());
    }
    let names: Vec<String> = functions.iter().map(|(_, function)| function.name.clone()).collect();
    let calls = |function: &Function| code(function).any(|instruction| instruction.base.flow() == Flow::Call);
    let leaves = |function: &Function| {
        let mut calls = code(function).filter(|instruction| instruction.base.flow() == Flow::Call);
        calls.any(|call| {
            let symbol = call
                .reference
                .as_deref()
                .filter(|reference| reference.origin == Origin::Symbol);
            symbol.is_some_and(|reference| !names.contains(&reference.symbol))
        })
    };
    let alone = |function: &Function| function.kernel && !calls(function);
    let errors: Vec<CompileError> = functions
        .iter()
        .filter(|(_, function)| asks(function) && !alone(function))
        .filter(|_| relocatable || functions.iter().any(|(_, function)| leaves(function)))
        .map(|(source, function)| CompileError {
            function: function.name.clone(),
            cause: Cause::Unsupported,
            message: "not supported: gradients in three dimensions, of a cube or with a comparison, in a program with \
                      functions that are not in the file: lanes fetch for each other here, and write registers that \
                      such a function may be using"
                .to_string(),
            span: place(source, function),
        })
        .collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let everywhere = functions.iter().any(|(_, function)| asks(function) && !alone(function));
    for (_, function) in functions
        .iter_mut()
        .filter(|(_, function)| everywhere || asks(function))
    {
        function.reserved.add_general(FIRST..END);
        function.reserved.barriers |= 1 << LANES;
        raise_limit(function);
    }
    Ok(())
}

/// A limit that leaves no room for what helpers write is raised, and that is said: as ptxas does where a limit is below what its conventions take. Of so many
/// registers, a CTA of any size still fits onto an SM.
fn raise_limit(function: &mut Function) {
    let (most, own) = (general(function), needed(function));
    if own <= most {
        return;
    }
    function.register_limit = Some(own);
    let message = format!(
        "For entry {} adjusting per thread register count of {most} to lower bound of {own}: gradients in three dimensions, of a cube or with a comparison \
         take as many on this target",
        function.name
    );
    function.advice.push(Advice { place: 0, message });
}

/// General registers, as they are counted, of a function whose lanes help each other.
fn needed(function: &Function) -> u32 {
    u32::from(END) + function.sm.info().registers.reserved_per_thread
}

/// Where the first such fetch stands in the text.
fn place(source: &warpsmith_ptx::module::Function, function: &Function) -> Span {
    let first = code(function).find(|instruction| is_request(instruction));
    let start = first.and_then(|first| function.places.get(first.place as usize));
    let statements = source.body.iter().flat_map(|body| &body.statements);
    let spans = statements.filter_map(|statement| match statement {
        Statement::Instruction(instruction) => Some(instruction.span),
        _ => None,
    });
    let mut here = spans.filter(|span| start.is_some_and(|place| place.ptx == span.start));
    here.next().unwrap_or(source.span)
}

/// Writes the sequences out, when nothing comes any more that would take them apart.
///
/// # Errors
/// A mistake of the compiler: an instruction that the generation does not have, or a register that is not free.
pub(crate) fn expand(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    if !code(function).any(is_request) {
        return Ok(());
    }
    let (most, own) = (general(function), needed(function));
    if own > most {
        return Err(fault::internal(format_args!(
            "gradients in three dimensions, of a cube or with a comparison take {own} registers on this target, and the kernel may have {most}"
        )));
    }
    let mut allocation = function.allocation.take().ok_or("registers are not allocated")?;
    let outcome = expand_all(function, &mut allocation, context);
    function.allocation = Some(allocation);
    outcome
}

fn expand_all(function: &mut Function, allocation: &mut Allocation, context: &Context<'_>) -> Result<(), String> {
    for instruction in code(function) {
        for touch in instruction.touches() {
            let first = allocation.numbers[touch.register.0 as usize].unwrap_or(0);
            let taken = match function.info(touch.register).class {
                RegisterClass::Gpr => first < END && first + touch.word + touch.words > FIRST,
                RegisterClass::Barrier => first == LANES,
                _ => false,
            };
            if taken {
                let text = crate::text::instruction(function, instruction);
                return Err(fault::internal(format_args!(
                    "registers of helping lanes are used: {text}"
                )));
            }
        }
    }
    let mut general = |number, words| pinned_tuple(function, allocation, RegisterClass::Gpr, words, number);
    let (operands, texels) = (OPERANDS.map(|number| general(number, 4)), general(TEXELS, 4));
    let (served, asking, spare) = (general(SERVED, 1), general(ASKING, 1), general(SPARE, 2));
    let mut quads = Helpers {
        operands,
        texels,
        served,
        asking,
        spare,
        lanes: pinned(function, allocation, RegisterClass::Barrier, LANES),
        function,
        context,
        code: Vec::new(),
    };
    for index in 0..quads.function.blocks.len() {
        let code = std::mem::take(&mut quads.function.blocks[index].code);
        for instruction in code {
            match is_request(&instruction) {
                true => quads.fetch(&instruction)?,
                false => quads.code.push(instruction),
            }
        }
        quads.function.blocks[index].code = std::mem::take(&mut quads.code);
    }
    allocation.used = allocation.used.max(END.into());
    Ok(())
}

/// Which lane of a quad is served in place of each, for the 16 sets of lanes that may ask, two bits each: the lane itself, or the first that asks.
fn served_instead(lane: u32) -> u32 {
    (0..16_u32).fold(0, |table, asking| {
        let served = match asking >> lane & 1 {
            1 => lane,
            _ => asking.trailing_zeros() % 4,
        };
        table | served << (2 * asking)
    })
}

struct Helpers<'f, 'c> {
    function: &'f mut Function,
    context: &'f Context<'c>,
    code: Vec<Instruction>,
    operands: [Register; 2],
    texels: Register,
    served: Register,
    asking: Register,
    spare: Register,
    lanes: Register,
}

/// What is asked for.
struct Asked {
    /// The operands of the fetch in order, and where each goes.
    operands: Vec<(Source, Word)>,
    /// Where the coordinates are among them.
    coordinates: std::ops::Range<usize>,
    /// Along each gradient, the slopes of the coordinates.
    slopes: [Register; 2],
    /// Where the texels go.
    results: Vec<Word>,
    is_cube: bool,
}

impl Helpers<'_, '_> {
    fn emit(&mut self, request: Request) -> Result<(), String> {
        let before = self.function.registers.len();
        let selector = self.context.selector;
        selector
            .emit(self.function, &mut self.code, request)
            .map_err(fault::internal)?;
        if self.function.registers.len() != before {
            return Err(fault::internal("a fetch by quads needs a register"));
        }
        Ok(())
    }

    /// From here on, the lanes of the quads run too.
    fn help(&mut self) -> Result<(), String> {
        let (lanes, state) = (self.lanes, "MACTIVE");
        let save = Request::new(O::Bmov).form("32.B_S").at(F::Bd, lanes);
        self.emit(save.text(F::ThreadState, state))?;
        let run = Request::new(O::Bmov).form("32.S_B").at(F::Bd, lanes);
        self.emit(run.text(F::ThreadState, state).flag(F::Pquad, true))
    }

    /// From here on, the lanes that ask run alone; `results` are there by then.
    fn alone(&mut self, results: Option<(Register, u8)>) -> Result<(), String> {
        let mut request = Request::new(O::Bmov).form("32.S_B").at(F::Bd, self.lanes);
        if let Some(results) = results {
            request = request.affecting(Effects {
                reads: [results].into_iter().collect(),
                ..Effects::default()
            });
        }
        self.emit(request.text(F::ThreadState, "MACTIVE").flag(F::Pquad, false))
    }

    /// `SHFL` within the quads.
    fn shuffle(&mut self, mode: &'static str, to: Word, from: impl Into<Source>, lane: Source) -> Result<(), String> {
        let request = Request::new(O::Shfl).to(to).from(from).from(lane);
        self.emit(request.from(number(WITHIN_QUAD)).text(F::Mode, mode))
    }

    /// Notes in each lane of a quad which of its lanes ask.
    fn who_asks(&mut self) -> Result<(), String> {
        let (asking, spare) = (self.asking, self.spare);
        let identity = Request::new(O::S2r).form("R_S").to(spare.word(0));
        self.emit(identity.text(F::SpecialRegister, "SR_LANEID"))?;
        self.help()?;
        self.emit(Request::new(O::Mov).form("R_I").to(asking).number(F::Imm, 0))?;
        self.alone(None)?;
        self.emit(logic(spare.word(0), number(3), Value::Zero, A & B).to(spare.word(0)))?;
        // Two times the lane's bit: the tables have two bits for each set of lanes.
        self.emit(Request::new(O::Mov).form("R_I").to(asking).number(F::Imm, 2))?;
        self.emit(shift(asking, spare.word(0), Value::Zero, LEFT).to(asking))?;
        self.help()?;
        for other in [1, 2] {
            self.shuffle("BFLY", spare.word(0), asking, number(other))?;
            self.emit(logic(asking, spare.word(0), Value::Zero, A | B).to(asking))?;
        }
        Ok(())
    }

    /// What an instruction asks for.
    fn asked(&self, request: &Instruction) -> Option<Asked> {
        let touch = |field| request.touches().find(|touch| touch.field == Some(field));
        let mut operands: Vec<(Source, Word)> = Vec::new();
        for (field, to) in [F::Ra, F::Rb].into_iter().zip(self.operands) {
            let touch = touch(field)?;
            for word in 0..touch.words {
                operands.push((touch.register.word(touch.word + word).into(), to.word(word)));
            }
        }
        let mut results = Vec::new();
        for field in [F::Rd, F::Rc] {
            let touch = touch(field)?;
            results.extend((0..touch.words).map(|word| touch.register.word(touch.word + word)));
        }
        let effects = request.effects.as_deref()?;
        let [(x, count), (y, _)] = effects.reads[..] else {
            return None;
        };
        let dimension: Dimension = request.base.modifier()?;
        let layered = matches!(
            dimension,
            Dimension::Array1d | Dimension::Array2d | Dimension::ArrayCube
        );
        let first = usize::from(layered);
        Some(Asked {
            operands,
            coordinates: first..first + usize::from(count),
            slopes: [x, y],
            results,
            is_cube: matches!(dimension, Dimension::Cube | Dimension::ArrayCube),
        })
    }

    /// All of a fetch.
    fn fetch(&mut self, request: &Instruction) -> Result<(), String> {
        let start = self.code.len();
        let asked = self
            .asked(request)
            .ok_or_else(|| fault::internal("a fetch by quads without its parts"))?;
        self.who_asks()?;
        for lane in 0..4 {
            if lane > 0 {
                self.help()?;
            }
            self.place(&asked, lane)?;
            self.fetch_there(request, &asked);
            self.hand_over(lane, asked.results.len() as u8)?;
        }
        for (word, to) in (0..).zip(&asked.results) {
            self.emit(
                Request::new(O::Mov)
                    .form("R_R")
                    .to(*to)
                    .at(F::Rb, self.texels.word(word)),
            )?;
        }
        for instruction in &mut self.code[start..] {
            instruction.place = request.place;
        }
        Ok(())
    }

    /// Gives the lanes of each quad the place that its lane `lane` asks for, each moved its way.
    fn place(&mut self, asked: &Asked, lane: u32) -> Result<(), String> {
        let (served, spare) = (self.served, self.spare);
        let table = u64::from(served_instead(lane));
        self.emit(Request::new(O::Mov).form("R_I").to(served).number(F::Imm, table))?;
        self.emit(shift(Value::Zero, self.asking, served, RIGHT).to(served))?;
        for (from, to) in &asked.operands {
            self.shuffle("IDX", *to, *from, served.into())?;
        }
        for (axis, (_, to)) in (0..).zip(&asked.operands[asked.coordinates.clone()]) {
            for (word, along) in (0..).zip(asked.slopes) {
                self.shuffle("IDX", spare.word(word), along.word(axis), served.into())?;
            }
            for (word, pattern) in (0..).zip(ALONG) {
                let sum = Request::new(O::Fswzadd).form("R_R_R_S").to(*to);
                let sum = sum.at(F::Ra, spare.word(word)).at(F::Rc, *to);
                self.emit(sum.text(F::Pattern, pattern).flag(F::Derivative, true))?;
            }
        }
        if asked.is_cube {
            self.onto_cube(asked)?;
        }
        Ok(())
    }

    /// Divides a direction by its greatest coordinate.
    fn onto_cube(&mut self, asked: &Asked) -> Result<(), String> {
        let [(_, x), (_, y), (_, z)] = asked.operands[asked.coordinates.clone()] else {
            return Err(fault::internal("a direction without three coordinates"));
        };
        let spare = self.spare.word(0);
        let greatest = |a: Word, b: Word| {
            let request = Request::new(O::Fmnmx).to(spare).from(absolute(a)).from(absolute(b));
            request.when(F::Pp, Test::NEVER)
        };
        self.emit(greatest(x, y))?;
        self.emit(greatest(z, spare))?;
        self.emit(Request::new(O::Mufu).to(spare).from(spare).text(F::Function, "RCP"))?;
        for part in [x, y, z] {
            self.emit(Request::new(O::Fmul).to(part).from(part).from(spare))?;
        }
        Ok(())
    }

    /// The fetch itself: texels come where its operands were, as many words in the second destination as in the first.
    fn fetch_there(&mut self, request: &Instruction, asked: &Asked) {
        let [first, second] = self.operands;
        let mut fetch = request.clone();
        fetch.effects = None;
        for operand in &mut fetch.operands {
            (operand.register, operand.word) = match operand.field {
                F::Rb => (second, 0),
                F::Rc => (first, asked.results.len() as u8 / 2),
                _ => (first, 0),
            };
        }
        self.code.push(fetch);
    }

    /// Gives what the first lane of each quad has fetched to the lane that asked, and lets the others go.
    fn hand_over(&mut self, lane: u32, words: u8) -> Result<(), String> {
        let [found, _] = self.operands;
        for word in 0..words {
            self.shuffle("IDX", found.word(word), found.word(word), Value::Zero.into())?;
        }
        self.alone(Some((found, words)))?;
        for word in 0..words {
            let take = Request::new(O::Mov).form("R_R").to(self.texels.word(word));
            let take = take.at(F::Rb, found.word(word));
            self.emit(take.number(F::LaneMask, 1 << lane))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::served_instead;

    #[test]
    fn lanes_that_do_not_ask_stand_back() {
        for lane in 0..4 {
            for asking in 1..16_u32 {
                let served = served_instead(lane) >> (2 * asking) & 3;
                assert_eq!(asking >> served & 1, 1, "{asking:04b}: a lane that asks");
                assert!(
                    asking >> lane & 1 == 0 || served == lane,
                    "{asking:04b}: lane {lane} itself"
                );
            }
        }
    }
}
