//! Predicates: copies, negations and constants fold into guards and operands, logic of predicates into the comparisons that feed it.

use smallvec::SmallVec;
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{commute::table, rewriter::Rewriter};
use crate::{
    ir::{Guard, Instruction, Register},
    products,
    select::{Request, Source, Test, Value},
};

/// What each of the three inputs of a truth table contributes to a row: the first is bit 2.
const INPUTS: [u8; 3] = [0xf0, 0xcc, 0xaa];

/// A function of at most three predicates: row `r` of the table is the result where bit `2 - i` of `r` is input `i`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Logic {
    inputs: SmallVec<[Register; 3]>,
    table: u8,
}

impl Logic {
    /// The function of a `PLOP3`'s operands.
    fn of(tests: &[Test], table: u8) -> Logic {
        let mut inputs: SmallVec<[Register; 3]> = SmallVec::new();
        for register in tests.iter().filter_map(|test| test.register) {
            if !inputs.contains(&register) {
                inputs.push(register);
            }
        }
        let mut found = 0;
        for row in 0..8_u8 {
            let holds = |test: &Test| {
                let value = match test.register {
                    None => true,
                    Some(register) => {
                        let input = inputs.iter().position(|input| *input == register).unwrap_or(0);
                        row >> (2 - input) & 1 != 0
                    }
                };
                value != test.negated
            };
            let old = tests.iter().fold(0, |old, test| old << 1 | u8::from(holds(test)));
            found |= (table >> old & 1) << row;
        }
        Logic { inputs, table: found }.reduced()
    }

    /// Without the inputs that do not matter.
    fn reduced(mut self) -> Logic {
        let mut index = 0;
        while index < self.inputs.len() {
            let mask = INPUTS[index];
            let shift = 4 >> index;
            let (high, low) = ((self.table & mask) >> shift, self.table & !mask);
            if high != low {
                index += 1;
                continue;
            }
            // The inputs after it move up by one; the last place then matters to nothing.
            let old = self.clone();
            self.inputs.remove(index);
            self.table = 0;
            for row in 0..8_u8 {
                let mut from = 0;
                for place in 0..3 {
                    let source = if place < index { place } else { place.wrapping_sub(1) };
                    let bit = if place == index { 0 } else { row >> (2 - source) & 1 };
                    from |= bit << (2 - place);
                }
                self.table |= (old.table >> from & 1) << row;
            }
        }
        self
    }

    /// The function as one predicate, negated or not, or a constant.
    fn test(&self) -> Option<Test> {
        match (&self.inputs[..], self.table) {
            ([], 0) => Some(Test::NEVER),
            ([], _) => Some(Test::ALWAYS),
            ([one], table) => Some(Test {
                register: Some(*one),
                negated: table & 0x80 == 0,
            }),
            _ => None,
        }
    }
}

/// What a `PLOP3` gives one of its results.
fn logic(request: &Request, result: Register) -> Option<Logic> {
    if request.opcode() != O::Plop3 || request.literals() != "LUT" || request.is_guarded() {
        return None;
    }
    let index = match request
        .written_predicates()
        .iter()
        .find(|(_, register)| *register == result)?
        .0
    {
        F::Pu => 0,
        F::Pv => 1,
        _ => return None,
    };
    let tests = [request.test(F::Pp)?, request.test(F::Pq)?, request.test(F::Pr)?];
    Some(Logic::of(&tests, table(request.sources().get(index)?)?))
}

/// What holds of the inputs of a `PLOP3` where a result of it does, or does not.
pub(crate) fn implied(instruction: &Instruction, result: Register, holds: bool) -> SmallVec<[Test; 3]> {
    let mut found = SmallVec::new();
    let Some(logic) = Request::of(instruction).and_then(|request| logic(&request, result)) else {
        return found;
    };
    let table = if holds { logic.table } else { !logic.table };
    for (register, mask) in logic.inputs.iter().zip(INPUTS) {
        let test = Test::from(*register);
        if table & !mask == 0 {
            found.push(test);
        } else if table & mask == 0 {
            found.push(test.opposite());
        }
    }
    found
}

/// What a vote on a constant gives: what all threads say.
fn vote(request: &Request, result: Register) -> Option<Test> {
    let constant = request.test(F::Pp).filter(|test| test.register.is_none())?;
    let counts = matches!(request.says(F::Mode), "ANY" | "ALL") && !request.is_guarded();
    let whole = request.written_predicates() == [(F::UPu, result)];
    (counts && whole).then_some(constant)
}

/// The predicate or constant that a predicate is.
fn resolved(rewriter: &Rewriter<'_>, test: Test) -> Option<Test> {
    let register = test.register?;
    let definer = rewriter.definer(register.into())?;
    let found = match rewriter.instruction(definer).base.opcode() {
        O::Plop3 => logic(&*rewriter.view(definer)?, register)?.test()?,
        O::Voteu => vote(&*rewriter.view(definer)?, register)?,
        _ => return None,
    };
    if found
        .register
        .is_some_and(|from| from == register || !rewriter.is_value(from.into()))
    {
        return None;
    }
    Some(if test.negated { found.opposite() } else { found })
}

/// Guards and predicate operands become what they copy; what is never executed goes.
pub(super) fn simplify(rewriter: &mut Rewriter<'_>, number: u32) -> bool {
    guard(rewriter, number) || operands(rewriter, number) || compare(rewriter, number) || tested(rewriter, number)
}

fn guard(rewriter: &mut Rewriter<'_>, number: u32) -> bool {
    let instruction = rewriter.instruction(number);
    let Some(guard) = instruction.guard else {
        return false;
    };
    let test = Test {
        register: Some(guard.register),
        negated: guard.negated,
    };
    let Some(found) = resolved(rewriter, test) else {
        return false;
    };
    let mut changed = instruction.clone();
    match found.register {
        Some(register) => {
            changed.guard = Some(Guard {
                register,
                negated: found.negated,
            });
        }
        None if !found.negated => changed.guard = None,
        None => {
            if !rewriter.context.fuel.take() {
                return false;
            }
            rewriter.remove(number);
            return true;
        }
    }
    rewriter.put(number, changed)
}

/// Whether a product of a warpgroup adds to its sums may turn out to be certain. Sums to which nothing is added are not read, and need not be kept for it.
fn sums(rewriter: &mut Rewriter<'_>, number: u32) -> bool {
    let Some(request) = rewriter.view(number) else {
        return false;
    };
    let found = request.test(F::UPp).filter(|test| test.register.is_some());
    let found = found.and_then(|test| resolved(rewriter, test));
    let Some(certain) = found.filter(|test| test.register.is_none()) else {
        return false;
    };
    let request = Request::clone(&request).when_only(F::UPp, certain);
    let request = match certain == Test::NEVER {
        true => request.without_register(F::Rc),
        false => request,
    };
    rewriter.rewrite(number, &request)
}

fn operands(rewriter: &mut Rewriter<'_>, number: u32) -> bool {
    let instruction = rewriter.instruction(number);
    if products::is_product(&instruction.base) {
        return sums(rewriter, number);
    }
    let reads = instruction
        .operands
        .iter()
        .any(|operand| matches!(operand.field, F::Pp | F::Pq | F::Pr | F::UPp));
    if !reads {
        return false;
    }
    let Some(request) = rewriter.view(number) else {
        return false;
    };
    let mut changed: Option<Request> = None;
    for (index, (_, test)) in request.tests().iter().enumerate() {
        if let Some(found) = resolved(rewriter, *test) {
            let changed = changed.get_or_insert_with(|| Request::clone(&request));
            changed.tests_mut()[index].1 = found;
        }
    }
    changed.is_some_and(|changed| rewriter.rewrite(number, &changed))
}

/// The comparison that holds where another does not.
pub(super) fn inverse(opcode: O, cmp: &'static str) -> Option<&'static str> {
    let float = matches!(opcode, O::Fsetp | O::Dsetp);
    if !float && !matches!(opcode, O::Isetp) {
        return None;
    }
    Some(match (cmp, float) {
        ("EQ", false) => "NE",
        ("NE", false) => "EQ",
        ("LT", false) => "GE",
        ("LE", false) => "GT",
        ("GT", false) => "LE",
        ("GE", false) => "LT",
        ("EQ", true) => "NEU",
        ("NE", true) => "EQU",
        ("LT", true) => "GEU",
        ("LE", true) => "GTU",
        ("GT", true) => "LEU",
        ("GE", true) => "LTU",
        ("EQU", true) => "NE",
        ("NEU", true) => "EQ",
        ("LTU", true) => "GE",
        ("LEU", true) => "GT",
        ("GTU", true) => "LE",
        ("GEU", true) => "LT",
        ("NUM", true) => "NAN",
        ("NAN", true) => "NUM",
        _ => return None,
    })
}

/// `PLOP3` of a comparison that nothing else reads and another predicate: the comparison combines them itself.
fn compare(rewriter: &mut Rewriter<'_>, number: u32) -> bool {
    if rewriter.instruction(number).base.opcode() != O::Plop3 {
        return false;
    }
    let Some(request) = rewriter.view(number) else {
        return false;
    };
    let [(F::Pu, result)] = *request.written_predicates() else {
        return false;
    };
    if request.is_guarded() {
        return false;
    }
    let Some(found) = logic(&request, result) else {
        return false;
    };
    let [a, b] = found.inputs[..] else {
        return false;
    };
    for (index, (own, other)) in [(a, b), (b, a)].into_iter().enumerate() {
        if !rewriter.is_single(own.into()) {
            continue;
        }
        // Rows where the comparison holds, and where not, by the other predicate.
        let row = |own: u8, other: u8| {
            let row = if index == 0 {
                own << 2 | other << 1
            } else {
                other << 2 | own << 1
            };
            found.table >> row & 1 != 0
        };
        let rows = [row(0, 0), row(0, 1), row(1, 0), row(1, 1)];
        let (invert, combine, negated) = match rows {
            [false, false, false, true] => (false, "AND", false),
            [false, false, true, false] => (false, "AND", true),
            [false, true, false, false] => (true, "AND", false),
            [true, false, false, false] => (true, "AND", true),
            [false, true, true, true] => (false, "OR", false),
            [true, false, true, true] => (false, "OR", true),
            [true, true, false, true] => (true, "OR", false),
            [true, true, true, false] => (true, "OR", true),
            [false, true, true, false] => (false, "XOR", false),
            [true, false, false, true] => (false, "XOR", true),
            _ => continue,
        };
        let Some(definer) = rewriter.definer(own.into()) else {
            continue;
        };
        if !matches!(
            rewriter.instruction(definer).base.opcode(),
            O::Isetp | O::Fsetp | O::Dsetp
        ) {
            continue;
        }
        let Some(comparison) = rewriter.view(definer) else {
            continue;
        };
        let alone = comparison.written_predicates().len() == 1
            && comparison.written_predicates()[0].0 == F::Pu
            && comparison.test(F::Pp) == Some(Test::ALWAYS)
            && comparison.says(F::Combine) == "AND"
            && !comparison.has_flag(F::Extended)
            && comparison.literals().is_empty()
            && comparison.tests().len() == 1
            && !comparison.is_guarded();
        let steady = comparison.sources().iter().all(|source| steady(rewriter, source));
        let cmp = comparison.says(F::Cmp);
        let known = inverse(comparison.opcode(), cmp).is_some();
        let cmp = if invert {
            inverse(comparison.opcode(), cmp)
        } else {
            Some(cmp)
        };
        let Some(cmp) = cmp.filter(|_| alone && steady && known) else {
            continue;
        };
        let with = Test {
            register: Some(other),
            negated,
        };
        let new = Request::clone(&comparison)
            .sets_only(F::Pu, result)
            .text(F::Cmp, cmp)
            .text(F::Combine, combine)
            .when_only(F::Pp, with);
        if rewriter.rewrite(number, &new) {
            return true;
        }
    }
    false
}

/// Whether a source of one or two words stays what it is.
fn steady(rewriter: &Rewriter<'_>, source: &Source) -> bool {
    match source.value {
        Value::Register(word) => {
            let words = rewriter.function.info(word.register).words;
            (word.word..words.min(word.word + 2)).all(|part| rewriter.is_value(word.register.word(part)))
        }
        Value::Zero | Value::Immediate(_) | Value::Constant(..) => true,
    }
}

/// A comparison of the result of `LOP3` with 0: `LOP3` says itself whether it is 0.
fn tested(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    if rewriter.instruction(at).base.opcode() != O::Isetp {
        return false;
    }
    let Some(request) = rewriter.view(at) else {
        return false;
    };
    let ([a, b], [(F::Pu, result)]) = (request.sources(), request.written_predicates()) else {
        return false;
    };
    let (a, result) = (*a, *result);
    let simple = request.literals().is_empty()
        && !request.has_flag(F::Extended)
        && !request.is_guarded()
        && request.tests().len() == 1
        && request.test(F::Pp) == Some(Test::ALWAYS)
        && request.says(F::Combine) == "AND"
        && request.says(F::Type).is_empty()
        && super::algebra::known(b) == Some(0)
        && super::algebra::plain(&a)
        && rewriter.is_value(result.into());
    let equal = match request.says(F::Cmp) {
        "NE" => false,
        "EQ" => true,
        _ => return false,
    };
    let Some((definer, logic)) = rewriter.made_by(&a, O::Lop3, "LUT").filter(|_| simple) else {
        return false;
    };
    if !logic.written_predicates().is_empty() || logic.loud().next().is_some() {
        return false;
    }
    let changes = if equal {
        negated_uses(rewriter, result)
    } else {
        Some(Vec::new())
    };
    let Some(changes) = changes else {
        return false;
    };
    let Value::Register(word) = a.value else {
        return false;
    };
    let new = Request::clone(&logic)
        .sets_only(F::Pu, result)
        .when_only(F::Pp, Test::NEVER);
    let new = if rewriter.is_single(word) { new.nowhere() } else { new };
    if !rewriter.rewrite(definer, &new) {
        return false;
    }
    rewriter.remove(at);
    for (number, changed) in changes {
        rewriter.replace(number, changed);
    }
    true
}

/// All readers of a predicate, reading its opposite; `None` if one cannot.
fn negated_uses(rewriter: &Rewriter<'_>, predicate: Register) -> Option<Vec<(u32, crate::ir::Instruction)>> {
    let word = rewriter.values.word(predicate, 0);
    let mut found = Vec::new();
    let mut reads = 0;
    let mut last = None;
    for &number in rewriter.values.uses(word) {
        if last == Some(number) || rewriter.is_removed(number) {
            continue;
        }
        last = Some(number);
        let instruction = rewriter.instruction(number);
        let count = instruction
            .touches()
            .filter(|touch| touch.register == predicate && touch.access != warpsmith_sass::Access::Write)
            .count();
        if count == 0 {
            continue;
        }
        reads += count as u32;
        let mut changed = instruction.clone();
        if instruction.operands.iter().any(|operand| operand.register == predicate) {
            let mut request = Request::clone(&*rewriter.view(number)?);
            for (_, test) in request.tests_mut() {
                if test.register == Some(predicate) {
                    test.negated = !test.negated;
                }
            }
            changed = rewriter.built(number, &request)?;
        }
        if let Some(guard) = &mut changed.guard
            && guard.register == predicate
        {
            guard.negated = !guard.negated;
        }
        found.push((number, changed));
    }
    (reads == rewriter.uses(predicate.into())).then_some(found)
}
