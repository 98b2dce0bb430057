//! What is attached to instructions: `!range`, `!prof` and their like, with the rules that each has.

use super::metadata::Metadata;
use super::{Reader, Result};
use crate::constant::Constant;
use crate::instruction::{Attachments, Callee, Instruction};
use crate::integer::Integer;
use crate::opcode::CastOp;
use crate::types::Type;

/// A half-open range of integers, which may go round.
type Range = (Integer, Integer);

impl Reader<'_> {
    /// Adds an attachment other than `!dbg` to what is said of an instruction. `place` is where the kind stands.
    pub(super) fn attach(
        &self,
        kind: &str,
        node: &Metadata,
        place: usize,
        (instruction, ty): (&Instruction, Type),
        to: &mut Attachments,
    ) -> Result<()> {
        let elements = self.elements(node);
        let rule = |holds: bool, rule: &str| match holds {
            true => Ok(()),
            false => Err(self.error_at(place, format!("!{kind}: {rule}"))),
        };
        let number = || match elements {
            [Metadata::Constant(id)] => match self.context.constant(*id) {
                Constant::Int(value) if value.bits() == 64 => value.to_u64(),
                _ => None,
            },
            _ => None,
        };
        let (is_load, is_call) = (
            matches!(instruction, Instruction::Load { .. }),
            matches!(instruction, Instruction::Call(_)),
        );
        match kind {
            "range" => {
                rule(is_load || is_call, "only loads and calls have it")?;
                to.range = self.ranges(elements, place, self.context.scalar(ty))?;
            }
            "nonnull" => {
                rule(ty.is_pointer(), "it is of addresses")?;
                rule(is_load, "only loads have it")?;
                to.nonnull = true;
            }
            "noundef" => {
                rule(is_load || is_call, "only loads have it")?;
                to.noundef = true;
            }
            "unpredictable" => to.unpredictable = true,
            "align" => {
                rule(ty.is_pointer(), "it is of addresses")?;
                rule(is_load, "only loads have it")?;
                let align = number().filter(|align| align.is_power_of_two() && *align <= 1 << 32);
                rule(
                    align.is_some(),
                    "it has one number of 64 bits, a power of two up to 2^32",
                )?;
                to.align = align.unwrap_or(0);
            }
            "dereferenceable" | "dereferenceable_or_null" => {
                rule(ty.is_pointer(), "it is of addresses")?;
                let conversion = matches!(
                    instruction,
                    Instruction::Cast {
                        op: CastOp::IntToPtr,
                        ..
                    }
                );
                rule(is_load || conversion, "only loads and inttoptr have it")?;
                let bytes = number();
                rule(bytes.is_some(), "it has one number of 64 bits")?;
                if kind == "dereferenceable" {
                    to.dereferenceable = bytes.unwrap_or(0);
                }
            }
            "prof" => self.profile(elements, place, instruction, to)?,
            "fpmath" => {
                let scalar = match ty {
                    Type::Array(array) => self.context.array_parts(array).element,
                    Type::Struct(structure) => self
                        .context
                        .struct_data(structure)
                        .fields
                        .first()
                        .copied()
                        .unwrap_or(ty),
                    other => other,
                };
                rule(self.context.scalar(scalar).is_float(), "it is of floats")?;
                let bits = match elements {
                    [Metadata::Constant(id)] => match self.context.constant(*id) {
                        Constant::Float { ty: Type::Float, bits } => Some(*bits as u32),
                        _ => None,
                    },
                    _ => None,
                };
                let error = bits
                    .map(f32::from_bits)
                    .filter(|error| *error > 0.0 && error.is_finite());
                rule(error.is_some(), "it has one positive number of type float")?;
                to.precision = bits;
            }
            "llvm.loop" => to.loop_hints = Some(self.loop_hints(elements)),
            "alias.scope" | "noalias" => {
                let mut scopes = Vec::new();
                for element in elements {
                    let Metadata::Node(scope) = element else {
                        return rule(false, "it is a list of scopes");
                    };
                    rule(
                        matches!(self.elements(element).len(), 2 | 3),
                        "a scope has itself, its domain and perhaps a name",
                    )?;
                    scopes.push(*scope);
                }
                if kind == "noalias" {
                    to.noalias_scopes = scopes;
                } else {
                    to.alias_scopes = scopes;
                }
            }
            // All others only sharpen an analysis of LLVM's.
            _ => {}
        }
        Ok(())
    }

    fn ranges(&self, elements: &[Metadata], place: usize, ty: Type) -> Result<Vec<Range>> {
        let rule = |holds: bool, rule: &str| match holds {
            true => Ok(()),
            false => Err(self.error_at(place, format!("!range: {rule}"))),
        };
        let numbers: Option<Vec<Integer>> = elements.iter().map(|element| self.integer_of(element)).collect();
        let numbers = numbers.filter(|numbers| !numbers.is_empty() && numbers.len().is_multiple_of(2));
        let Some(numbers) = numbers else {
            return Err(self.error_at(place, "!range: it has pairs of integers, at least one"));
        };
        let fits = numbers.iter().all(|number| Type::Int(number.bits()) == ty);
        rule(fits, "its integers have the type of the value")?;
        let ranges: Vec<Range> = numbers
            .chunks_exact(2)
            .map(|pair| (pair[0].clone(), pair[1].clone()))
            .collect();
        rule(
            ranges.iter().all(|(low, high)| low != high),
            "both ends of a range differ",
        )?;
        let apart = |one: &Range, other: &Range| {
            !contains(one, &other.0) && !contains(other, &one.0) && one.1 != other.0 && one.0 != other.1
        };
        for pair in ranges.windows(2) {
            rule(apart(&pair[0], &pair[1]), "ranges neither overlap nor touch")?;
            rule(pair[0].0.compare_signed(&pair[1].0).is_lt(), "ranges are in order")?;
        }
        if let [first, _, .., last] = &ranges[..] {
            rule(apart(first, last), "ranges neither overlap nor touch")?;
        }
        Ok(ranges)
    }

    fn integer_of(&self, node: &Metadata) -> Option<Integer> {
        match node {
            Metadata::Constant(id) => match self.context.constant(*id) {
                Constant::Int(value) => Some(value.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    fn profile(
        &self,
        elements: &[Metadata],
        place: usize,
        instruction: &Instruction,
        to: &mut Attachments,
    ) -> Result<()> {
        let wrong = |rule: &str| Err(self.error_at(place, format!("!prof: {rule}")));
        let Some(Metadata::Text(kind)) = elements.first().map(|kind| self.follow(kind)) else {
            return wrong("it begins with a text that says its kind");
        };
        if kind != "branch_weights" {
            return Ok(());
        }
        let mut weights = &elements[1..];
        if let Some(Metadata::Text(origin)) = weights.first().map(|first| self.follow(first)) {
            if origin != "expected" {
                return wrong("only \"expected\" stands before the weights");
            }
            weights = &weights[1..];
        }
        let ways = match instruction {
            Instruction::ConditionalBranch { .. } | Instruction::Select { .. } => 2,
            Instruction::Switch { cases, .. } => cases.len() + 1,
            Instruction::IndirectBranch { targets, .. } => targets.len(),
            Instruction::Call(call) if !matches!(call.callee, Callee::Intrinsic(..)) => 1,
            _ => return Ok(()),
        };
        if weights.len() != ways {
            return wrong("there is one weight for each way");
        }
        let numbers: Option<Vec<u32>> = weights
            .iter()
            .map(|weight| Some(self.integer_of(weight)?.low_u64() as u32))
            .collect();
        match numbers {
            Some(numbers) => to.weights = numbers,
            None => return wrong("weights are integers"),
        }
        Ok(())
    }
}

/// Whether a range has a number. Its ends differ.
fn contains((low, high): &Range, number: &Integer) -> bool {
    let (from, to) = (
        low.compare_unsigned(number).is_le(),
        number.compare_unsigned(high).is_lt(),
    );
    if low.compare_unsigned(high).is_lt() {
        from && to
    } else {
        from || to
    }
}
