//! From the text of a mnemonic and its operands to the form of the instruction tables that they fit.
//!
//! A mnemonic such as `ld.global.v2.f32` is worked out once for each distinct text of a module (`resolve`): the forms that its modifiers fit, what
//! these then expect of operands (`expect`), and whether version and target have them (`gates`). Each instruction after that costs a
//! look-up and a walk over its operands (`operands`). What is wrong is put into words only when something is (`explain`).

mod draft;
mod expect;
mod explain;
mod gates;
mod operands;
mod resolve;

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::hash::Hasher;

pub use draft::{Draft, Piece};
pub use gates::Gates;
use operands::{Matcher, Misfit};
use resolve::{Candidate, Meaning};

use crate::{
    Problem, Span,
    context::Context,
    module::Operand,
    table::{Class, Form, FormId, Modifier, Opcode, Test, Type},
};

/// A distinct meaning of a mnemonic: an index into [`crate::module::Module::variants`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariantId(pub u32);

/// A distinct mnemonic text of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MnemonicId(pub u32);

/// The form an instruction has, with its modifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The instruction.
    pub opcode: Opcode,
    /// Its form.
    pub form: FormId,
    /// The modifier in each slot of the form; `None`: absent.
    pub modifiers: SmallVec<[Option<Modifier>; 12]>,
}

impl Variant {
    /// The form of the tables.
    pub fn form(&self) -> &'static Form {
        self.form.form()
    }

    /// Whether the modifier is there.
    pub fn has(&self, modifier: Modifier) -> bool {
        self.modifiers.contains(&Some(modifier))
    }

    /// The modifier in the first slot of this name, without dot: `slot("type")`.
    pub fn slot(&self, name: &str) -> Option<Modifier> {
        let index = self.form().slots.iter().position(|slot| slot.name == name)?;
        self.modifiers[index]
    }

    /// The first modifier of a class, such as [`Class::Rounding`].
    pub fn of_class(&self, class: Class) -> Option<Modifier> {
        self.modifiers
            .iter()
            .flatten()
            .copied()
            .find(|modifier| modifier.class() == class)
    }

    /// The types among the modifiers, in order of the form.
    pub fn types(&self) -> impl Iterator<Item = Type> + '_ {
        self.modifiers
            .iter()
            .flatten()
            .filter_map(|modifier| modifier.of_type())
    }

    /// The mnemonic with its modifiers in order of the form.
    pub fn mnemonic(&self) -> String {
        let mut text = self.opcode.name().to_string();
        for modifier in self.modifiers.iter().flatten() {
            text.push('.');
            text.push_str(modifier.name());
        }
        text
    }
}

/// The instruction set as one module sees it: with a version and a target, and the mnemonics met so far.
#[derive(Debug)]
pub struct InstructionSet {
    gates: Gates,
    table: HashTable<u32>,
    mnemonics: Vec<Mnemonic>,
    variants: Vec<Variant>,
}

#[derive(Debug)]
struct Mnemonic {
    text: Box<[u8]>,
    meaning: Meaning,
    takes_labels: bool,
}

/// No form has more single operands than this.
const MOST_OPERANDS: usize = 24;

fn hash(text: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    hasher.finish()
}

impl InstructionSet {
    /// For a module with this version and target.
    pub fn new(gates: Gates) -> InstructionSet {
        InstructionSet {
            gates,
            table: HashTable::new(),
            mnemonics: Vec::new(),
            variants: Vec::new(),
        }
    }

    /// What a mnemonic such as `ld.global.v2.f32` means. Each distinct text is worked out once; what is wrong with it is kept and reported by
    /// [`InstructionSet::check`].
    pub fn mnemonic(&mut self, text: &[u8]) -> MnemonicId {
        let hash_value = hash(text);
        if let Some(&known) = self
            .table
            .find(hash_value, |&id| *self.mnemonics[id as usize].text == *text)
        {
            return MnemonicId(known);
        }
        let meaning = match std::str::from_utf8(text) {
            Ok(text) => resolve::resolve(text, &self.gates),
            Err(_) => Meaning::Wrong(explain::unknown_opcode(&String::from_utf8_lossy(text))),
        };
        let id = self.mnemonics.len() as u32;
        self.mnemonics.push(Mnemonic {
            text: text.into(),
            takes_labels: takes_labels(&meaning),
            meaning,
        });
        let mnemonics = &self.mnemonics;
        self.table
            .insert_unique(hash_value, id, |&id| hash(&mnemonics[id as usize].text));
        MnemonicId(id)
    }

    /// Whether the mnemonic takes a label (`bra`) or call operands, so that unknown names may be labels defined later.
    pub fn takes_labels(&self, mnemonic: MnemonicId) -> bool {
        self.mnemonics[mnemonic.0 as usize].takes_labels
    }

    /// The opcode, if the mnemonic has one.
    pub fn opcode(&self, mnemonic: MnemonicId) -> Option<Opcode> {
        match self.mnemonics[mnemonic.0 as usize].meaning {
            Meaning::Forms(opcode, _) => Some(opcode),
            Meaning::Wrong(_) => None,
        }
    }

    /// The form that these operands fit. `operands` are the top-level ones, `all` the array that nested ranges index; `mnemonic_span` and
    /// `operand_spans` (one for each top-level operand) place the problems. Warnings go to `warnings`.
    ///
    /// # Errors
    /// What is wrong with the instruction: one problem.
    #[allow(clippy::too_many_arguments)]
    pub fn check(
        &mut self,
        mnemonic: MnemonicId,
        operands: &[Operand],
        all: &[Operand],
        context: &Context<'_>,
        mnemonic_span: Span,
        operand_spans: &[Span],
        warnings: &mut Vec<Problem>,
    ) -> Result<VariantId, Problem> {
        let entry = &mut self.mnemonics[mnemonic.0 as usize];
        let (opcode, candidates) = match &mut entry.meaning {
            Meaning::Forms(opcode, candidates) => (*opcode, candidates),
            Meaning::Wrong(problem) => {
                return Err(Problem {
                    span: mnemonic_span,
                    ..problem.clone()
                });
            }
        };
        let mut matcher = Matcher {
            all,
            context,
            bound: SmallVec::new(),
        };
        let mut refused: Option<Problem> = None;
        let mut misfits: SmallVec<[(usize, Misfit); 4]> = SmallVec::new();
        for (index, candidate) in candidates.iter_mut().enumerate() {
            matcher.bound.clear();
            if !candidate.later.is_empty() {
                matcher.bound.resize(MOST_OPERANDS, None);
            }
            if let Err(misfit) = matcher.list(&candidate.operands, operands) {
                misfits.push((index, misfit));
                continue;
            }
            match refusal(candidate, &matcher, &self.gates, mnemonic_span, warnings) {
                Some(problem) => refused = refused.or(Some(problem)),
                None => {
                    let variants = &mut self.variants;
                    let id = candidate.variant.get_or_insert_with(|| {
                        variants.push(Variant {
                            opcode,
                            form: candidate.form,
                            modifiers: candidate.filled.clone(),
                        });
                        VariantId(variants.len() as u32 - 1)
                    });
                    return Ok(*id);
                }
            }
        }
        Err(refused.unwrap_or_else(|| {
            explain::misfit(
                opcode,
                candidates,
                &misfits,
                context,
                operands,
                mnemonic_span,
                operand_spans,
            )
        }))
    }

    /// The variants met, in order of [`VariantId`].
    pub fn into_variants(self) -> Vec<Variant> {
        self.variants
    }

    /// Version and target.
    pub fn gates(&self) -> Gates {
        self.gates
    }
}

/// Why a candidate whose operands fit is illegal all the same.
fn refusal(
    candidate: &Candidate,
    matcher: &Matcher<'_, '_>,
    gates: &Gates,
    span: Span,
    warnings: &mut Vec<Problem>,
) -> Option<Problem> {
    if let Some(refused) = &candidate.refused {
        return Some(resolve::problem(refused, span));
    }
    for rule in &candidate.later {
        let holds = rule.when.iter().all(|atom| match atom.test {
            Test::Operand(number, class) => matcher.is(number, class) != atom.negated,
            Test::Greater(first, second) => matcher.greater(first, second) != atom.negated,
            Test::Has(_) | Test::SlotIs(..) | Test::Filled(_) => resolve::holds(atom, &candidate.filled),
        });
        if holds {
            if let Some(refused) = resolve::refusal(rule, candidate.form.form(), &candidate.filled, gates) {
                return Some(resolve::problem(&refused, span));
            }
            if let crate::table::Effect::Warn(reason) = rule.effect {
                warnings.push(Problem::warning(span, reason));
            }
        }
    }
    warnings.extend(candidate.warnings.iter().map(|reason| Problem::warning(span, *reason)));
    None
}

fn takes_labels(meaning: &Meaning) -> bool {
    match meaning {
        Meaning::Forms(_, candidates) => candidates
            .iter()
            .any(|candidate| candidate.operands.iter().any(expect::takes_label)),
        Meaning::Wrong(_) => false,
    }
}
