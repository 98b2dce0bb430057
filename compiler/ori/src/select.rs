//! Choosing the form of an instruction: by opcode, literal modifiers and the kinds of its operands, from the tables.
//!
//! Whoever lowers says what is computed, in the order of the instruction's text: `IADD3` of a register, an immediate, a constant. Which encoding of
//! the generation takes that, and whether any does, is looked up here: operands that no form takes in their place go to registers first.

mod read;
mod request;

pub(crate) use read::{printed, widths};
pub use request::{Request, SelectError, Source, Test, Value, Word, absolute, inverted, negated};

use std::sync::OnceLock;

use smallvec::SmallVec;
use warpsmith_sass::{BuildError, Builder, FieldKind, FieldName, Form, FormName, Opcode, RegisterClass};
use warpsmith_target::Isa;

use crate::ir::{Function, Instruction, Operand, Register};

/// The kind of a value operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Register,
    Uniform,
    Number,
    Constant,
}

impl Kind {
    /// Whether an operand of this kind can hold the value.
    fn takes(self, function: &Function, value: Value) -> bool {
        match (self, value) {
            (Kind::Register | Kind::Uniform | Kind::Number, Value::Zero) => true,
            (Kind::Register, Value::Register(word)) => function.info(word.register).class == RegisterClass::Gpr,
            (Kind::Uniform, Value::Register(word)) => function.info(word.register).class == RegisterClass::UniformGpr,
            (Kind::Number, Value::Immediate(_)) | (Kind::Constant, Value::Constant(..)) => true,
            (Kind::Constant, Value::Zero | Value::Register(_) | Value::Immediate(_)) => false,
            (Kind::Register | Kind::Uniform, Value::Immediate(_) | Value::Constant(..)) => false,
            (Kind::Number, Value::Register(_) | Value::Constant(..)) => false,
        }
    }
}

/// A form as a list of value operands in the order of its text.
#[derive(Debug)]
struct Shape {
    form: &'static Form,
    name: FormName,
    /// The instruction with nothing said about it, made when the form is first tried.
    start: OnceLock<Builder>,
    literals: &'static str,
    /// The [`mark`]s of the form's name and of its literals.
    marks: (u64, u64),
    values: SmallVec<[(FieldName, Kind); 4]>,
    has_destination: bool,
}

/// The forms of a generation, by opcode.
#[derive(Debug)]
pub struct Selector {
    isa: Isa,
    /// For each opcode, its forms, worked out when they are first asked for.
    shapes: Vec<OnceLock<Vec<Shape>>>,
}

fn literals_of(name: &'static str) -> &'static str {
    name.rsplit_once('.').map_or("", |(literals, _)| literals)
}

/// A number that differs for most texts that differ: texts of the tables lie far apart in memory, and most comparisons are of such that differ.
fn mark(text: &str) -> u64 {
    text.bytes()
        .fold(0, |mark: u64, byte| mark.rotate_left(7) ^ u64::from(byte))
}

impl Shape {
    fn of(name: FormName, form: &'static Form, isa: Isa) -> Shape {
        let grouped = form.fields.iter().any(|f| matches!(f.kind, FieldKind::Group(_)));
        let mut values = SmallVec::new();
        let mut has_destination = false;
        for field in form.fields.iter().filter(|field| field.exists_on(isa)) {
            if matches!(field.name, FieldName::Rd | FieldName::URd) {
                has_destination = true;
                continue;
            }
            if grouped && matches!(field.name, FieldName::Bank | FieldName::Offset) {
                continue;
            }
            let kind = match &field.kind {
                FieldKind::Register(register) => match register.class {
                    RegisterClass::Gpr => Kind::Register,
                    RegisterClass::UniformGpr => Kind::Uniform,
                    RegisterClass::Predicate | RegisterClass::UniformPredicate => continue,
                    RegisterClass::Barrier | RegisterClass::Scoreboard => continue,
                },
                FieldKind::Group(_) => Kind::Constant,
                FieldKind::Float(_) => Kind::Number,
                FieldKind::Unsigned { .. } | FieldKind::Signed { .. } => match field.name {
                    FieldName::Imm | FieldName::Imm2 | FieldName::Imm3 | FieldName::Imm4 => Kind::Number,
                    _ => continue,
                },
                FieldKind::Enumeration { .. } | FieldKind::Flag { .. } => continue,
                FieldKind::Relative { .. } | FieldKind::Scoreboards { .. } => continue,
            };
            values.push((field.name, kind));
        }
        Shape {
            form,
            name,
            start: OnceLock::new(),
            literals: literals_of(form.name),
            marks: (mark(form.name), mark(literals_of(form.name))),
            values,
            has_destination,
        }
    }
}

impl Selector {
    /// The forms of a generation.
    pub fn new(isa: Isa) -> Selector {
        let shapes = Opcode::all().map(|_| OnceLock::new()).collect();
        Selector { isa, shapes }
    }

    /// The forms of an opcode, those first that are tried first.
    fn shapes(&self, opcode: Opcode) -> &[Shape] {
        let list = self.shapes.get(opcode as usize);
        list.map_or(&[], |list| list.get_or_init(|| shapes(self.isa, opcode)))
    }

    /// The generation.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Whether the generation has the instruction at all.
    pub fn has(&self, opcode: Opcode) -> bool {
        !self.shapes(opcode).is_empty()
    }

    /// Makes the instruction, appending to `code` first what brings operands to registers where no form takes them in place.
    ///
    /// # Errors
    /// No form of the generation takes the operands, modifiers and literals, even in registers.
    pub fn emit(
        &self,
        function: &mut Function,
        code: &mut Vec<Instruction>,
        request: Request,
    ) -> Result<(), SelectError> {
        let mut request = request;
        loop {
            if let Some(instruction) = self.find(function, &request) {
                code.push(instruction);
                return Ok(());
            }
            // The last operand that is neither a register nor zero goes to one; forms take the earlier ones more rarely, but the last is most
            // often the selector of a table, which stays.
            let movable = |source: &Source| matches!(source.value, Value::Immediate(_) | Value::Constant(..));
            let Some(index) = request
                .sources
                .iter()
                .position(|s| matches!(s.value, Value::Constant(..)))
                .or_else(|| {
                    (request.form.is_none())
                        .then(|| request.sources.iter().position(movable))
                        .flatten()
                })
            else {
                return Err(self.refused(&request));
            };
            let source = request.sources[index];
            let register = function.register(RegisterClass::Gpr, 1);
            self.move_to(function, code, register, source.value)?;
            request.sources[index].value = register.into();
        }
    }

    fn move_to(
        &self,
        function: &mut Function,
        code: &mut Vec<Instruction>,
        register: Register,
        value: Value,
    ) -> Result<(), SelectError> {
        let direct = Request::new(Opcode::Mov).to(register).from(value);
        if let Some(instruction) = self.find(function, &direct) {
            code.push(instruction);
            return Ok(());
        }
        let Value::Constant(bank, offset) = value else {
            return Err(self.refused(&direct));
        };
        let load = Request::new(Opcode::Ldc)
            .form("R_C")
            .to(register)
            .number(FieldName::Bank, u64::from(bank))
            .number(FieldName::Offset, u64::from(offset));
        match self.find(function, &load) {
            Some(instruction) => {
                code.push(instruction);
                Ok(())
            }
            None => Err(self.refused(&load)),
        }
    }

    fn find(&self, function: &Function, request: &Request) -> Option<Instruction> {
        let exchanged;
        let request = match negates_both(request) {
            false => request,
            true => {
                exchanged = turned(request)?;
                &exchanged
            }
        };
        let wanted = match request.form {
            Some(form) => (true, mark(form)),
            None => (false, mark(request.literals)),
        };
        let mut shapes = self.shapes(request.opcode).iter().filter(|shape| match wanted {
            (true, name) => shape.marks.0 == name,
            (false, literals) => shape.marks.1 == literals,
        });
        shapes.find_map(|shape| self.fit(function, shape, request))
    }

    fn refused(&self, request: &Request) -> SelectError {
        let kinds: Vec<String> = request
            .sources
            .iter()
            .map(|source| {
                match source.value {
                    Value::Zero => "0",
                    Value::Register(_) => "R",
                    Value::Immediate(_) => "I",
                    Value::Constant(..) => "C",
                }
                .to_string()
            })
            .collect();
        let mut more: Vec<&str> = request.modifiers.iter().map(|m| m.2).collect();
        more.extend(request.texts.iter().map(|t| t.1));
        SelectError {
            message: format!(
                "sm_{} has no {} {} {}({}) {}",
                self.isa.name(),
                request.opcode.mnemonic(),
                request.literals,
                request.form.unwrap_or(""),
                kinds.join(", "),
                more.join(" ")
            ),
        }
    }

    /// The instruction in this form, if it fits.
    fn fit(&self, function: &Function, shape: &Shape, request: &Request) -> Option<Instruction> {
        match request.form {
            Some(form) if shape.form.name != form => return None,
            None if shape.literals != request.literals || shape.values.len() != request.sources.len() => return None,
            Some(_) | None => {}
        }
        if request.destination.is_some() && !shape.has_destination {
            return None;
        }
        if request.sources.len() > shape.values.len() {
            return None;
        }
        let mut pairs = request.sources.iter().zip(&shape.values);
        if !pairs.all(|(source, (_, kind))| kind.takes(function, source.value)) {
            return None;
        }
        let mut filler = Filler {
            function,
            form: shape.form,
            isa: self.isa,
            builder: Some(shape.start.get_or_init(|| Builder::new(self.isa, shape.name)).clone()),
            operands: SmallVec::new(),
        };
        for (source, (field, kind)) in request.sources.iter().zip(&shape.values) {
            filler.value(*field, *kind, source)?;
        }
        if let Some(destination) = request.destination {
            let class = function.info(destination.register).class;
            let field = match class {
                RegisterClass::UniformGpr => FieldName::URd,
                _ => FieldName::Rd,
            };
            filler.register(field, destination)?;
        }
        filler.rest(request)?;
        if request.form.is_none() && leaves_open(shape.form, self.isa, request) {
            return None;
        }
        filler.finish(request)
    }
}

/// Whether the first two sources of a sum are negated or inverted. There is no such instruction, though words and text exist: on an H100 it is an illegal
/// one. (Observed, ptxas 13.0.88: of two that are negated one is the last.)
fn negates_both(request: &Request) -> bool {
    let changed = |source: &Source| source.negated || source.inverted;
    matches!(request.opcode, Opcode::Iadd3 | Opcode::Uiadd3)
        && matches!(request.sources.as_slice(), [first, second, _] if changed(first) && changed(second))
}

/// The same sum with its first and last source exchanged; none where all three are negated.
fn turned(request: &Request) -> Option<Request> {
    let mut turned = request.clone();
    turned.sources.swap(0, 2);
    (!negates_both(&turned)).then_some(turned)
}

/// The forms that ptxas was seen to write of an opcode, those first that are tried first.
fn shapes(isa: Isa, opcode: Opcode) -> Vec<Shape> {
    let mut list: Vec<Shape> = FormName::of(opcode)
        .filter_map(|name| {
            // What ptxas was never seen to write on this generation is known from the disassembler alone, and not used.
            let form = name.on(isa).filter(|form| form.seen.contains(isa))?;
            Some(Shape::of(name, form, isa))
        })
        .collect();
    // Zero is the zero register rather than an immediate or a uniform one, where a form has it.
    list.sort_by_key(|shape| {
        let count = |wanted: Kind| shape.values.iter().filter(|(_, kind)| *kind == wanted).count();
        (count(Kind::Number), count(Kind::Uniform))
    });
    list
}

/// Whether the form has a modifier that must say something (`.U64` or `.S64`), and the request does not say what.
fn leaves_open(form: &Form, isa: Isa, request: &Request) -> bool {
    form.fields
        .iter()
        .filter(|field| field.exists_on(isa))
        .any(|field| match &field.kind {
            FieldKind::Enumeration { kind, set, omit } => {
                let silent = omit.is_some() || set.members.iter().any(|m| m.text.is_empty() && m.exists_on(isa));
                let said = request.modifiers.iter().any(|m| m.0 == *kind)
                    || request.texts.iter().any(|t| t.0 == field.name)
                    || request.numbers.iter().any(|n| n.0 == field.name);
                !silent && !said
            }
            FieldKind::Register(_) | FieldKind::Flag { .. } | FieldKind::Unsigned { .. } | FieldKind::Signed { .. } => {
                false
            }
            FieldKind::Relative { .. } | FieldKind::Float(_) | FieldKind::Scoreboards { .. } | FieldKind::Group(_) => {
                false
            }
        })
}

/// A form being filled in.
struct Filler<'f> {
    function: &'f Function,
    form: &'static Form,
    isa: Isa,
    builder: Option<Builder>,
    operands: SmallVec<[Operand; 5]>,
}

/// A number as the bits of a field, if they can hold it.
fn fitted(field: &warpsmith_sass::Field, value: u64) -> Option<u64> {
    let length = field.bits.length();
    match field.kind {
        FieldKind::Signed { .. } if length < 64 => {
            let raw = value & ((1 << length) - 1);
            // The bits themselves may be given, too.
            (value == extended(raw, length) || value == raw).then_some(raw)
        }
        _ => Some(value),
    }
}

/// The low bits of a word with the highest of them as their sign.
fn extended(raw: u64, length: u32) -> u64 {
    let unused = 64 - length.clamp(1, 64);
    ((raw << unused) as i64 >> unused) as u64
}

impl Filler<'_> {
    fn field(&self, name: FieldName) -> Option<&'static warpsmith_sass::Field> {
        self.form.field(name).filter(|field| field.exists_on(self.isa))
    }

    fn set(&mut self, step: impl FnOnce(Builder) -> Builder) {
        if let Some(builder) = self.builder.take() {
            self.builder = Some(step(builder));
        }
    }

    fn register(&mut self, name: FieldName, word: Word) -> Option<()> {
        let FieldKind::Register(register) = &self.field(name)?.kind else {
            return None;
        };
        if register.class != self.function.info(word.register).class {
            return None;
        }
        self.set(|b| b.register(name, 0));
        self.operands.push(Operand {
            field: name,
            register: word.register,
            word: word.word,
        });
        Some(())
    }

    fn value(&mut self, name: FieldName, kind: Kind, source: &Source) -> Option<()> {
        let field = self.field(name)?;
        match (kind, source.value) {
            (Kind::Register | Kind::Uniform, Value::Zero) => {
                // The builder's default is the zero register, unless the form reads that as something else.
            }
            (Kind::Register | Kind::Uniform, Value::Register(word)) => self.register(name, word)?,
            (Kind::Number, Value::Immediate(value)) => {
                let length = field.bits.length();
                let bits = immediate_bits(source, &field.kind, value)?;
                if length < 32 && bits >> length != 0 {
                    return None;
                }
                self.set(|b| b.number(name, u64::from(bits)));
                return Some(());
            }
            (Kind::Number, Value::Zero) => {
                // The sum with -0 carries out, the sum with the immediate 0 does not: -RZ is taken instead.
                if source.negated && !matches!(field.kind, FieldKind::Float(_)) {
                    return None;
                }
                let bits = immediate_bits(source, &field.kind, 0)?;
                self.set(|b| b.number(name, u64::from(bits)));
                return Some(());
            }
            (Kind::Constant, Value::Constant(bank, offset)) => {
                let place = self.field(FieldName::Offset)?;
                self.field(FieldName::Bank)?;
                let scale = match place.kind {
                    FieldKind::Unsigned { scale, .. } | FieldKind::Signed { scale, .. } => scale.max(1),
                    _ => return None,
                };
                if offset % scale != 0 {
                    return None;
                }
                self.set(|b| {
                    b.number(FieldName::Bank, u64::from(bank))
                        .number(FieldName::Offset, u64::from(offset / scale))
                });
            }
            _ => return None,
        }
        let decoration = field.decoration()?;
        let wanted = [
            (source.negated, decoration.neg),
            (source.absolute, decoration.abs),
            (source.inverted, decoration.inv),
        ];
        if wanted.iter().any(|(wanted, bit)| *wanted && bit.is_none()) {
            return None;
        }
        if source.negated {
            self.set(|b| b.negate(name));
        }
        if source.absolute {
            self.set(|b| b.absolute(name));
        }
        if source.inverted {
            self.set(|b| b.invert(name));
        }
        Some(())
    }

    /// Everything that is not a value in the order of the text.
    fn rest(&mut self, request: &Request) -> Option<()> {
        for (name, word) in &request.registers {
            self.register(*name, *word)?;
        }
        for (name, register) in &request.predicates {
            self.register(*name, (*register).into())?;
        }
        for (name, test) in &request.tests {
            match test.register {
                Some(register) => self.register(*name, register.into())?,
                None => {
                    self.field(*name)?;
                    self.set(|b| b.register(*name, 7));
                }
            }
            let negated = self.field(*name)?.decoration()?.not.is_some();
            if test.negated {
                if !negated {
                    return None;
                }
                self.set(|b| b.invert(*name));
            }
        }
        for (name, value) in &request.numbers {
            let raw = fitted(self.field(*name)?, *value)?;
            self.set(|b| b.number(*name, raw));
        }
        for (kind, variant, _) in &request.modifiers {
            self.modifier(*kind, *variant)?;
        }
        for (name, text) in &request.texts {
            self.text(*name, text)?;
        }
        for (name, on) in &request.flags {
            match self.field(*name) {
                Some(_) => self.set(|b| b.flag(*name, *on)),
                None if *on => return None,
                None => {}
            }
        }
        Some(())
    }

    fn modifier(&mut self, wanted: warpsmith_sass::ModifierKind, variant: u16) -> Option<()> {
        let fields = self.form.fields.iter().filter(|field| field.exists_on(self.isa));
        let raw = fields.filter_map(|field| match &field.kind {
            FieldKind::Enumeration { kind, set, .. } if *kind == wanted => Some((field.name, *set)),
            _ => None,
        });
        let (name, set) = { raw }.next()?;
        let member = set
            .members
            .iter()
            .find(|m| m.is_variant(variant) && m.exists_on(self.isa))?;
        self.set(|b| b.number(name, u64::from(member.value)));
        Some(())
    }

    fn text(&mut self, name: FieldName, text: &str) -> Option<()> {
        let Some(field) = self.field(name) else {
            // What a form lacks is what prints nothing.
            return text.is_empty().then_some(());
        };
        match &field.kind {
            FieldKind::Enumeration { set, .. } => {
                let member = set
                    .members
                    .iter()
                    .find(|m| m.text.trim_start_matches('.') == text && m.exists_on(self.isa))?;
                self.set(|b| b.number(name, u64::from(member.value)));
            }
            FieldKind::Flag { text: flag, .. } => {
                let on = flag.trim_start_matches('.') == text;
                if !on && !text.is_empty() {
                    return None;
                }
                self.set(|b| b.flag(name, on));
            }
            _ => return None,
        }
        Some(())
    }

    fn finish(self, request: &Request) -> Option<Instruction> {
        let base = match self.builder?.finish() {
            Ok(base) => base,
            Err(BuildError::NoForm { .. } | BuildError::NoField { .. }) => return None,
            Err(BuildError::Value { .. } | BuildError::Shadowed { .. }) => return None,
        };
        Some(Instruction {
            base,
            operands: self.operands,
            guard: request.guard,
            target: request.target,
            table: None,
            reference: request.reference.clone().map(Box::new),
            effects: request.effects.clone(),
            marks: request.marks,
            place: 0,
            control: warpsmith_sass::Control::NONE,
        })
    }
}

/// An immediate with what is done to it done.
fn immediate_bits(source: &Source, kind: &FieldKind, value: u32) -> Option<u32> {
    let float = matches!(kind, FieldKind::Float(_));
    if source.inverted {
        return (!float && !source.negated).then_some(!value);
    }
    let value = if source.absolute && float {
        value & !(1 << 31)
    } else {
        value
    };
    Some(match (source.negated, float) {
        (false, _) => value,
        (true, true) => value ^ 1 << 31,
        (true, false) => value.wrapping_neg(),
    })
}
