//! From an instruction back to the request that makes it, so that passes can ask for the same with other operands: the opposite of building.

use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldKind, FieldName, Flow, Opcode, RegisterClass, zero_number};

use super::{Request, Selector, Source, Test, Value, Word, literals_of};
use crate::ir::{Function, Instruction, Marks, Register};

impl Request {
    /// The request that makes this instruction. `None` for what is no list of values, predicates and modifiers, or has an address that only the
    /// linker knows.
    pub(crate) fn of(instruction: &Instruction) -> Option<Request> {
        let base = &instruction.base;
        let (form, isa) = (base.form(), base.isa());
        if instruction.reference.is_some() || instruction.effects.is_some() {
            return None;
        }
        let mut request = Request::new(form.opcode);
        request.literals = literals_of(form.name);
        request.guard = instruction.guard;
        request.target = instruction.target;
        request.marks = instruction.marks;
        // Memory instructions and branches are no lists of values: their forms are called by name.
        let listed = base.memory().is_empty() && base.flow() == Flow::None;
        if !listed {
            request.form = Some(form.name);
        }
        let grouped = form
            .fields
            .iter()
            .any(|f| f.exists_on(isa) && matches!(f.kind, FieldKind::Group(_)));
        for field in form.fields.iter().filter(|field| field.exists_on(isa)) {
            let raw = field.bits.read(base.word());
            let has = |bit: Option<u8>| bit.is_some_and(|bit| base.word() >> bit & 1 != 0);
            match &field.kind {
                FieldKind::Register(register) => {
                    let held = instruction.operands.iter().find(|o| o.field == field.name);
                    let number = if register.inverted { 7 - (raw & 7) } else { raw };
                    if held.is_none() && zero_number(register.class, isa) != Some(number) {
                        // A physical register.
                        return None;
                    }
                    let word = held.map(|o| o.register.word(o.word));
                    let written = register.access.is_none_or(|described| described.access != Access::Read);
                    let decoration = &register.decoration;
                    let (negated, absolute) = (has(decoration.neg), has(decoration.abs));
                    let inverted = has(decoration.inv) || has(decoration.not);
                    match register.class {
                        RegisterClass::Gpr | RegisterClass::UniformGpr => {
                            if matches!(field.name, FieldName::Rd | FieldName::URd) {
                                request.destination = word;
                            } else if listed {
                                request.sources.push(Source {
                                    value: word.map_or(Value::Zero, Value::Register),
                                    negated,
                                    absolute,
                                    inverted,
                                });
                            } else {
                                if negated || absolute || inverted {
                                    return None;
                                }
                                if let Some(word) = word {
                                    request.registers.push((field.name, word));
                                }
                            }
                        }
                        RegisterClass::Predicate | RegisterClass::UniformPredicate => {
                            if written {
                                if let Some(word) = word {
                                    request.predicates.push((field.name, word.register));
                                }
                            } else {
                                request.tests.push((
                                    field.name,
                                    Test {
                                        register: word.map(|word| word.register),
                                        negated: inverted,
                                    },
                                ));
                            }
                        }
                        RegisterClass::Barrier | RegisterClass::Scoreboard => return None,
                    }
                }
                FieldKind::Enumeration { set, .. } => {
                    let member = set.member(raw, isa)?;
                    let text = member.text.trim_start_matches('.');
                    let first = set.members.iter().find(|m| {
                        std::ptr::eq(*m, member) || m.text.trim_start_matches('.') == text && m.exists_on(isa)
                    })?;
                    if u64::from(first.value) != raw {
                        return None;
                    }
                    request.texts.push((field.name, text));
                }
                // The number format is a flag in some forms and one of several in others: a text in both.
                FieldKind::Flag { text, when } if field.name == FieldName::Type => {
                    let on = (raw != 0) == *when;
                    request
                        .texts
                        .push((field.name, if on { text.trim_start_matches('.') } else { "" }));
                }
                FieldKind::Flag { when, .. } => request.flags.push((field.name, (raw != 0) == *when)),
                FieldKind::Unsigned { scale, .. } | FieldKind::Signed { scale, .. } => {
                    let is_value = matches!(
                        field.name,
                        FieldName::Imm | FieldName::Imm2 | FieldName::Imm3 | FieldName::Imm4
                    );
                    if grouped && field.name == FieldName::Offset {
                        let bank = u8::try_from(base.field(FieldName::Bank)?).ok()?;
                        let offset = u32::try_from(raw).ok()?.checked_mul((*scale).max(1))?;
                        // The group's own place in the text is where the constant stands.
                        let place = request.sources.iter_mut().find(|s| s.value == PENDING)?;
                        place.value = Value::Constant(bank, offset);
                    } else if grouped && field.name == FieldName::Bank {
                    } else if is_value && listed {
                        let value = u32::try_from(raw).ok()?;
                        request.sources.push(number(value).into());
                    } else {
                        let value = match field.kind {
                            FieldKind::Signed { .. } => super::extended(raw, field.bits.length()),
                            _ => raw,
                        };
                        request.numbers.push((field.name, value));
                    }
                }
                FieldKind::Float(_) if listed => request.sources.push(number(u32::try_from(raw).ok()?).into()),
                FieldKind::Float(_) => return None,
                FieldKind::Group(decoration) => {
                    if !listed {
                        return None;
                    }
                    request.sources.push(Source {
                        value: PENDING,
                        negated: has(decoration.neg),
                        absolute: has(decoration.abs),
                        inverted: has(decoration.inv),
                    });
                }
                FieldKind::Relative { .. } => {}
                FieldKind::Scoreboards { .. } => return None,
            }
        }
        if request.sources.iter().any(|source| source.value == PENDING) {
            return None;
        }
        Some(request)
    }

    /// Its opcode.
    pub(crate) fn opcode(&self) -> Opcode {
        self.opcode
    }

    /// Its literal modifiers.
    pub(crate) fn literals(&self) -> &'static str {
        self.literals
    }

    /// The values that it reads, in the order of the text.
    pub(crate) fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The values that it reads, to be changed.
    pub(crate) fn sources_mut(&mut self) -> &mut [Source] {
        &mut self.sources
    }

    /// What it writes to.
    pub(crate) fn destination(&self) -> Option<Word> {
        self.destination
    }

    /// The predicates that it writes.
    pub(crate) fn written_predicates(&self) -> &[(FieldName, Register)] {
        &self.predicates
    }

    /// The predicates that it reads.
    pub(crate) fn tests(&self) -> &[(FieldName, Test)] {
        &self.tests
    }

    /// The predicates that it reads, to be changed.
    pub(crate) fn tests_mut(&mut self) -> &mut [(FieldName, Test)] {
        &mut self.tests
    }

    /// A predicate that it reads.
    pub(crate) fn test(&self, field: FieldName) -> Option<Test> {
        self.tests
            .iter()
            .find(|(name, _)| *name == field)
            .map(|(_, test)| *test)
    }

    /// The text of a modifier field; empty where it prints nothing or is not there.
    pub(crate) fn says(&self, field: FieldName) -> &'static str {
        self.texts
            .iter()
            .find(|(name, _)| *name == field)
            .map_or("", |(_, text)| text)
    }

    /// With another text for a field.
    #[must_use]
    pub(crate) fn saying(mut self, field: FieldName, text: &'static str) -> Request {
        self.texts.retain(|(name, _)| *name != field);
        self.text(field, text)
    }

    /// With a flag set, whatever it was.
    #[must_use]
    pub(crate) fn setting(mut self, field: FieldName) -> Request {
        self.flags.retain(|(name, _)| *name != field);
        self.flag(field, true)
    }

    /// Whether a flag is set.
    pub(crate) fn has_flag(&self, field: FieldName) -> bool {
        self.flags.iter().any(|(name, on)| *name == field && *on)
    }

    /// The modifier texts and flags that are not silent.
    pub(crate) fn loud(&self) -> impl Iterator<Item = FieldName> + '_ {
        let texts = self
            .texts
            .iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(name, _)| *name);
        texts.chain(self.flags.iter().filter(|(_, on)| *on).map(|(name, _)| *name))
    }

    /// Whether it stands under a guard.
    pub(crate) fn is_guarded(&self) -> bool {
        self.guard.is_some()
    }

    /// Under the guard of another.
    #[must_use]
    pub(crate) fn guard_like(mut self, other: &Request) -> Request {
        self.guard = other.guard;
        self
    }

    /// What PTX leaves free about it.
    pub(crate) fn marks(&self) -> Marks {
        self.marks
    }

    /// A shift whose amount is taken modulo the width.
    #[must_use]
    pub(crate) fn wrapping(mut self) -> Request {
        self.flags.retain(|(name, _)| *name != FieldName::Wrap);
        self.flag(FieldName::Wrap, true)
    }

    /// Without a destination.
    #[must_use]
    pub(crate) fn nowhere(mut self) -> Request {
        self.destination = None;
        self
    }

    /// Without the number of a field, and without what a register field holds.
    #[must_use]
    pub(crate) fn without_register(mut self, field: FieldName) -> Request {
        self.registers.retain(|(name, _)| *name != field);
        self.numbers.retain(|(name, _)| *name != FieldName::Offset);
        self
    }

    /// With a register in one field in place of what another holds.
    #[must_use]
    pub(crate) fn moved(mut self, from: FieldName, to: FieldName, register: impl Into<Word>) -> Request {
        self.registers.retain(|(name, _)| *name != from);
        self.at(to, register)
    }

    /// With one predicate written and no other.
    #[must_use]
    pub(crate) fn sets_only(mut self, field: FieldName, register: Register) -> Request {
        self.predicates.clear();
        self.sets(field, register)
    }

    /// Without the register that it writes.
    #[must_use]
    pub(crate) fn without_destination(mut self) -> Request {
        self.destination = None;
        self
    }

    /// Without a predicate that it writes.
    #[must_use]
    pub(crate) fn sets_none(mut self) -> Request {
        self.predicates.clear();
        self
    }

    /// With the predicate that a field reads replaced.
    #[must_use]
    pub(crate) fn when_only(mut self, field: FieldName, test: Test) -> Request {
        self.tests.retain(|(name, _)| *name != field);
        self.when(field, test)
    }

    /// The same by the uniform datapath, whose instruction has this opcode. Predicates that a form reads without need are left to their defaults.
    #[must_use]
    pub(crate) fn uniform(mut self, opcode: Opcode) -> Request {
        self.opcode = opcode;
        self.tests.clear();
        self
    }

    /// With the values replaced.
    #[must_use]
    pub(crate) fn with_sources(mut self, sources: &[Source]) -> Request {
        self.sources = SmallVec::from_slice(sources);
        self
    }
}

/// Stands for a constant whose bank and offset are still to be read.
const PENDING: Value = Value::Constant(u8::MAX, u32::MAX);

/// An immediate; zero for 0.
fn number(value: u32) -> Value {
    if value == 0 {
        Value::Zero
    } else {
        Value::Immediate(value)
    }
}

impl Selector {
    /// The instruction that a request asks for, if a form of the generation takes its operands in place.
    pub(crate) fn build(&self, function: &Function, request: &Request) -> Option<Instruction> {
        let found = self.find(function, request)?;
        // Where a form cannot name the zero register, its field holds register 0.
        let sound = found.base.register_fields().all(|described| {
            let is_held = found.operands.iter().any(|operand| operand.field == described.name);
            is_held || found.base.register_number(described).is_none()
        });
        sound.then_some(found)
    }

    /// The instruction that a request asks for in place of another, at its place in the source.
    pub(crate) fn replacement(
        &self,
        function: &Function,
        instruction: &Instruction,
        request: &Request,
    ) -> Option<Instruction> {
        let mut found = self.build(function, request)?;
        found.place = instruction.place;
        Some(found)
    }
}

/// The text that a modifier field prints, without the dot; empty for one that prints nothing or is not there.
pub(crate) fn printed(base: &warpsmith_sass::Instruction, name: FieldName) -> &'static str {
    let (Some(field), Some(raw)) = (base.form().field(name), base.field(name)) else {
        return "";
    };
    match &field.kind {
        FieldKind::Enumeration { set, .. } => set
            .member(raw, base.isa())
            .map_or("", |member| member.text.trim_start_matches('.')),
        FieldKind::Flag { text, when } if (raw != 0) == *when => text.trim_start_matches('.'),
        _ => "",
    }
}

/// For each value that an instruction reads, in the order of the text, the words that it has: 0 for what is no register. Empty for instructions that are no
/// lists of values.
pub(crate) fn widths(instruction: &Instruction) -> SmallVec<[u8; 4]> {
    let base = &instruction.base;
    let isa = base.isa();
    let mut found = SmallVec::new();
    if !base.memory().is_empty() || base.flow() != Flow::None {
        return found;
    }
    for field in base.form().fields.iter().filter(|field| field.exists_on(isa)) {
        match &field.kind {
            FieldKind::Register(register) => {
                let is_value = matches!(register.class, RegisterClass::Gpr | RegisterClass::UniformGpr);
                if is_value && !matches!(field.name, FieldName::Rd | FieldName::URd) {
                    let described = base.register_fields().find(|r| r.name == field.name);
                    found.push(described.map_or(0, |described| base.register_width(described)));
                }
            }
            FieldKind::Group(_) | FieldKind::Float(_) => found.push(0),
            FieldKind::Unsigned { .. } | FieldKind::Signed { .. } => {
                if matches!(
                    field.name,
                    FieldName::Imm | FieldName::Imm2 | FieldName::Imm3 | FieldName::Imm4
                ) {
                    found.push(0);
                }
            }
            FieldKind::Enumeration { .. } | FieldKind::Flag { .. } => {}
            FieldKind::Relative { .. } | FieldKind::Scoreboards { .. } => {}
        }
    }
    found
}
