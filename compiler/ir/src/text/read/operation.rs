//! Reading instructions.

use smallvec::SmallVec;

use super::body::{Body, Outcome};
use super::lexer::Kind;
use super::{Reader, Result};
use crate::constant::Constant;
use crate::instruction::{Access, Atomic, Case, Flags, Instruction, Value};
use crate::integer::Integer;
use crate::opcode::{AtomicOp, BinaryOp, CastOp, FloatPredicate, IntPredicate, Ordering, Scope};
use crate::types::{AddressSpace, Type};

/// Instructions of exceptions, for which devices have no counterpart.
const EXCEPTIONS: &[&str] = &[
    "invoke",
    "landingpad",
    "resume",
    "catchpad",
    "catchret",
    "catchswitch",
    "cleanuppad",
    "cleanupret",
    "callbr",
    "va_arg",
];

impl Reader<'_> {
    /// An operation with its operands, to before its metadata.
    pub(super) fn operation(&mut self, body: &mut Body) -> Result<Outcome> {
        let word = self.text();
        if self.kind() != Kind::Word {
            return Err(self.unexpected("an instruction"));
        }
        if let Some(op) = BinaryOp::from_text(word) {
            self.bump();
            return self.binary(body, op);
        }
        if let Some(op) = CastOp::from_text(word) {
            self.bump();
            return self.cast(body, op);
        }
        if matches!(word, "call" | "tail" | "musttail" | "notail") {
            return self.call(body);
        }
        if EXCEPTIONS.contains(&word) {
            return Err(self.unsupported(
                "instruction",
                word,
                "devices have neither exceptions nor variable arguments in this form",
            ));
        }
        let place = self.place();
        self.bump();
        match word {
            "fneg" => {
                let flags = self.flags();
                let operand = self.typed_value(body)?;
                let ty = body.function.type_of(operand);
                Ok(Outcome::New(Instruction::FNeg { flags, operand }, ty))
            }
            "icmp" | "fcmp" => self.compare(body, word),
            "select" => self.select(body),
            "freeze" => {
                let operand = self.typed_value(body)?;
                let ty = body.function.type_of(operand);
                Ok(Outcome::New(Instruction::Freeze { operand }, ty))
            }
            "phi" => self.phi(body),
            "alloca" => self.alloca(body),
            "load" => self.load(body),
            "store" => self.store(body),
            "getelementptr" => self.gep(body),
            "extractelement" | "insertelement" | "shufflevector" => self.vector(body, word),
            "extractvalue" | "insertvalue" => self.aggregate(body, word),
            "atomicrmw" => self.atomic_rmw(body),
            "cmpxchg" => self.compare_exchange(body),
            "fence" => {
                let atomic = self.atomic()?;
                Ok(Outcome::New(Instruction::Fence(atomic), Type::Void))
            }
            _ => {
                self.go_to(place);
                self.terminator(body, word)
            }
        }
    }

    fn binary(&mut self, body: &mut Body, op: BinaryOp) -> Result<Outcome> {
        let flags = self.flags();
        let place = self.place();
        let left = self.typed_value(body)?;
        let ty = body.function.type_of(left);
        let scalar = self.context.scalar(ty);
        if (op.is_float() && !scalar.is_float()) || (!op.is_float() && !scalar.is_int()) {
            return Err(self.error_at(
                place,
                format!("{op} does not take operands of type {}", self.context.display_type(ty)),
            ));
        }
        self.expect(b',')?;
        let right = self.value(body, ty)?;
        Ok(Outcome::New(Instruction::Binary { op, flags, left, right }, ty))
    }

    fn cast(&mut self, body: &mut Body, op: CastOp) -> Result<Outcome> {
        let flags = self.flags();
        let operand = self.typed_value(body)?;
        self.keyword("to")?;
        let ty = self.ty()?;
        // Between types of pointers that are one type here.
        if body.function.type_of(operand) == ty && op == CastOp::BitCast {
            return Ok(Outcome::Same(operand));
        }
        Ok(Outcome::New(Instruction::Cast { op, flags, operand }, ty))
    }

    fn compare(&mut self, body: &mut Body, word: &str) -> Result<Outcome> {
        let flags = self.flags();
        let (place, predicate) = (self.place(), self.text());
        self.bump();
        let operand_place = self.place();
        let left = self.typed_value(body)?;
        let operand = body.function.type_of(left);
        self.expect(b',')?;
        let right = self.value(body, operand)?;
        let ty = self.context.like(operand, Type::BOOL);
        let unknown = || self.error_at(place, format!("\"{predicate}\" is no relation of {word}"));
        let scalar = self.context.scalar(operand);
        let fits = if word == "icmp" {
            scalar.is_int() || scalar.is_pointer()
        } else {
            scalar.is_float()
        };
        if !fits {
            return Err(self.error_at(
                operand_place,
                format!(
                    "{word} does not compare values of type {}",
                    self.context.display_type(operand)
                ),
            ));
        }
        let instruction = if word == "icmp" {
            let predicate = IntPredicate::from_text(predicate).ok_or_else(unknown)?;
            Instruction::ICmp {
                predicate,
                flags,
                left,
                right,
            }
        } else {
            let predicate = FloatPredicate::from_text(predicate).ok_or_else(unknown)?;
            Instruction::FCmp {
                predicate,
                flags,
                left,
                right,
            }
        };
        Ok(Outcome::New(instruction, ty))
    }

    fn select(&mut self, body: &mut Body) -> Result<Outcome> {
        let flags = self.flags();
        let condition = self.typed_value(body)?;
        self.expect(b',')?;
        let on_true = self.typed_value(body)?;
        self.expect(b',')?;
        let on_false = self.typed_value(body)?;
        let ty = body.function.type_of(on_true);
        Ok(Outcome::New(
            Instruction::Select {
                flags,
                condition,
                on_true,
                on_false,
            },
            ty,
        ))
    }

    fn phi(&mut self, body: &mut Body) -> Result<Outcome> {
        let flags = self.flags();
        let ty = self.ty()?;
        let mut incoming = SmallVec::new();
        loop {
            self.expect(b'[')?;
            let value = self.value(body, ty)?;
            self.expect(b',')?;
            let block = self.block_name(body)?;
            self.expect(b']')?;
            incoming.push((block, value));
            if !self.is(b',') || self.peek_kind(1) != Kind::Mark(b'[') {
                break;
            }
            self.bump();
        }
        Ok(Outcome::New(Instruction::Phi { flags, incoming }, ty))
    }

    /// Whether a comma and this word come next; both are taken then.
    fn comma_word(&mut self, word: &str) -> bool {
        let found = self.is(b',') && self.peek_kind(1) == Kind::Word && self.peek_text(1) == word;
        if found {
            self.bump();
            self.bump();
        }
        found
    }

    fn alloca(&mut self, body: &mut Body) -> Result<Outcome> {
        if self.is_word("inalloca") || self.is_word("swifterror") {
            return Err(self.unsupported(
                "attribute",
                self.text(),
                "devices do not have the calling conventions that need it",
            ));
        }
        let ty = self.sized_type()?;
        let mut count = Value::Constant(self.context.int(32, 1));
        let mut align = 0;
        let mut space = AddressSpace::GENERIC;
        // In this order: a count, an alignment, an address space.
        let is_value = self.is(b',') && !matches!(self.peek_kind(1), Kind::Metadata);
        if is_value && !matches!(self.peek_text(1), "align" | "addrspace") {
            self.bump();
            count = self.typed_value(body)?;
        }
        if self.comma_word("align") {
            align = self.alignment()?;
        }
        if self.is(b',') && self.peek_text(1) == "addrspace" {
            self.bump();
            space = self.address_space()?;
        }
        if align == 0 {
            align = self.context.alignment(ty);
        }
        Ok(Outcome::New(
            Instruction::Alloca { ty, count, align },
            Type::Pointer(space),
        ))
    }

    /// `syncscope("…") ordering`.
    fn atomic(&mut self) -> Result<Atomic> {
        let mut scope = Scope::System;
        if self.eat_word("singlethread") {
            scope = Scope::Thread;
        } else if self.eat_word("syncscope") {
            self.expect(b'(')?;
            let name = self.text().trim_matches('"');
            scope = match name {
                // Other texts' names for the scopes of the NVVM IR specification.
                "gpu" => Scope::Device,
                "cta" => Scope::Block,
                "sys" => Scope::System,
                _ => match Scope::from_text(name) {
                    Some(scope) => scope,
                    None => {
                        return Err(self.unsupported(
                            "scope",
                            name,
                            "the scopes are device, cluster, block and singlethread; without one it is the system",
                        ));
                    }
                },
            };
            self.bump();
            self.expect(b')')?;
        }
        Ok(Atomic {
            ordering: self.ordering()?,
            scope,
        })
    }

    fn ordering(&mut self) -> Result<Ordering> {
        let ordering = Ordering::from_text(self.text()).ok_or_else(|| self.unexpected("an ordering"))?;
        self.bump();
        Ok(ordering)
    }

    /// `atomic` and `volatile` before the operands.
    fn access_words(&mut self) -> (bool, bool) {
        let atomic = self.eat_word("atomic");
        let volatile = self.eat_word("volatile");
        (atomic || self.eat_word("atomic"), volatile)
    }

    /// What follows the operands of a load or store.
    fn access(&mut self, ty: Type, atomic: bool, volatile: bool) -> Result<Access> {
        let atomic = if atomic { Some(self.atomic()?) } else { None };
        let align = if self.comma_word("align") { self.alignment()? } else { 0 };
        if atomic.is_some() && align == 0 {
            return Err(self.error("an atomic access says its alignment"));
        }
        let align = if align == 0 { self.context.alignment(ty) } else { align };
        Ok(Access {
            volatile,
            atomic,
            ..Access::aligned(align)
        })
    }

    pub(super) fn accessible(&self, place: usize, ty: Type) -> Result<()> {
        if matches!(
            ty,
            Type::Void | Type::Function(_) | Type::Label | Type::Metadata | Type::Token
        ) {
            return Err(self.error_at(
                place,
                format!("memory cannot hold values of type {}", self.context.display_type(ty)),
            ));
        }
        Ok(())
    }

    fn load(&mut self, body: &mut Body) -> Result<Outcome> {
        let (atomic, volatile) = self.access_words();
        let place = self.place();
        let first = self.parsed_type()?;
        let (ty, pointer) = if self.eat(b',') {
            self.sized(place, &first)?;
            (first.ty, self.typed_value(body)?)
        } else {
            // The form before LLVM 3.7.
            let pointer = self.value(body, first.ty)?;
            (
                first
                    .pointee
                    .ok_or_else(|| self.error_at(place, "it is not known what this points to"))?,
                pointer,
            )
        };
        self.accessible(place, ty)?;
        let access = self.access(ty, atomic, volatile)?;
        Ok(Outcome::New(Instruction::Load { pointer, access }, ty))
    }

    fn store(&mut self, body: &mut Body) -> Result<Outcome> {
        let (atomic, volatile) = self.access_words();
        let place = self.place();
        let value = self.typed_value(body)?;
        let ty = body.function.type_of(value);
        self.accessible(place, ty)?;
        self.expect(b',')?;
        let pointer = self.typed_value(body)?;
        let access = self.access(ty, atomic, volatile)?;
        Ok(Outcome::New(Instruction::Store { pointer, value, access }, Type::Void))
    }

    fn gep(&mut self, body: &mut Body) -> Result<Outcome> {
        let flags = self.gep_flags();
        let place = self.place();
        let first = self.parsed_type()?;
        let (source, base) = if self.eat(b',') {
            self.sized(place, &first)?;
            (first.ty, self.typed_value(body)?)
        } else {
            let base = self.value(body, first.ty)?;
            (
                first
                    .pointee
                    .ok_or_else(|| self.error_at(place, "it is not known what this points to"))?,
                base,
            )
        };
        self.accessible(place, source)?;
        let mut indices = SmallVec::new();
        while self.is(b',') && self.peek_kind(1) != Kind::Metadata {
            self.bump();
            indices.push(self.typed_value(body)?);
        }
        let pointer = body.function.type_of(base);
        let lanes = indices
            .iter()
            .find_map(|&index| self.context.lanes(body.function.type_of(index)));
        let ty = match lanes {
            Some(lanes) if pointer.is_pointer() => self.context.vector(pointer, lanes),
            _ => pointer,
        };
        if indices.is_empty() {
            return Ok(Outcome::Same(base));
        }
        Ok(Outcome::New(
            Instruction::Gep {
                flags,
                source,
                base,
                indices,
            },
            ty,
        ))
    }

    fn vector(&mut self, body: &mut Body, word: &str) -> Result<Outcome> {
        let place = self.place();
        let vector = self.typed_value(body)?;
        let ty = body.function.type_of(vector);
        if !ty.is_vector() {
            return Err(self.error_at(
                place,
                format!("{word} takes a vector, not {}", self.context.display_type(ty)),
            ));
        }
        let scalar = self.context.scalar(ty);
        self.expect(b',')?;
        match word {
            "extractelement" => {
                let index = self.typed_value(body)?;
                Ok(Outcome::New(Instruction::ExtractElement { vector, index }, scalar))
            }
            "insertelement" => {
                let element = self.typed_value(body)?;
                self.expect(b',')?;
                let index = self.typed_value(body)?;
                Ok(Outcome::New(Instruction::InsertElement { vector, element, index }, ty))
            }
            _ => {
                let right = self.typed_value(body)?;
                self.expect(b',')?;
                let mask_place = self.place();
                let mask = self.typed_constant()?;
                let mask_type = self.context.constant_type(mask);
                if self.context.scalar(mask_type) != Type::I32 {
                    return Err(self.error_at(mask_place, "a mask is a vector of constants of 32 bits"));
                }
                let lanes = self.context.lanes(mask_type).unwrap_or(0);
                let mask: Option<Box<[i32]>> = (0..lanes)
                    .map(
                        |lane| match self.context.constant(self.context.constant_element(mask, lane)?) {
                            Constant::Int(value) => i32::try_from(value.to_i64()?).ok(),
                            Constant::Undef(_) | Constant::Poison(_) => Some(-1),
                            _ => None,
                        },
                    )
                    .collect();
                let mask = mask
                    .filter(|mask| !mask.is_empty())
                    .ok_or_else(|| self.error_at(mask_place, "a mask is a vector of constants"))?;
                let ty = self.context.vector(scalar, lanes);
                Ok(Outcome::New(
                    Instruction::ShuffleVector {
                        left: vector,
                        right,
                        mask,
                    },
                    ty,
                ))
            }
        }
    }

    fn aggregate(&mut self, body: &mut Body, word: &str) -> Result<Outcome> {
        let aggregate = self.typed_value(body)?;
        let ty = body.function.type_of(aggregate);
        let mut element = None;
        if word == "insertvalue" {
            self.expect(b',')?;
            element = Some(self.typed_value(body)?);
        }
        let mut indices: SmallVec<[u32; 4]> = SmallVec::new();
        let mut reached = ty;
        let place = self.place();
        while self.is(b',') && self.peek_kind(1) != Kind::Metadata {
            self.bump();
            let index = self.unsigned()?;
            let inner = if reached.is_aggregate() {
                self.context.element(reached, index)
            } else {
                None
            };
            reached = inner.ok_or_else(|| {
                self.error_at(
                    place,
                    format!("{} has no element {index}", self.context.display_type(reached)),
                )
            })?;
            indices.push(index as u32);
        }
        if indices.is_empty() {
            return Err(self.unexpected("an index"));
        }
        Ok(match element {
            Some(element) => Outcome::New(
                Instruction::InsertValue {
                    aggregate,
                    element,
                    indices,
                },
                ty,
            ),
            None => Outcome::New(Instruction::ExtractValue { aggregate, indices }, reached),
        })
    }

    fn atomic_rmw(&mut self, body: &mut Body) -> Result<Outcome> {
        let volatile = self.eat_word("volatile");
        if self.is_word("elementwise") {
            return Err(self.unsupported(
                "attribute",
                "elementwise",
                "the atomic operations of this IR are on one value",
            ));
        }
        let op = AtomicOp::from_text(self.text()).ok_or_else(|| self.unexpected("an atomic operation"))?;
        self.bump();
        let pointer = self.typed_value(body)?;
        self.expect(b',')?;
        let value = self.typed_value(body)?;
        let ty = body.function.type_of(value);
        let atomic = self.atomic()?;
        let align = if self.comma_word("align") {
            self.alignment()?
        } else {
            self.context.alignment(ty)
        };
        Ok(Outcome::New(
            Instruction::AtomicRmw {
                op,
                pointer,
                value,
                atomic,
                align,
                volatile,
            },
            ty,
        ))
    }

    fn compare_exchange(&mut self, body: &mut Body) -> Result<Outcome> {
        let weak = self.eat_word("weak");
        let volatile = self.eat_word("volatile");
        let pointer = self.typed_value(body)?;
        self.expect(b',')?;
        let expected = self.typed_value(body)?;
        self.expect(b',')?;
        let new = self.typed_value(body)?;
        let atomic = self.atomic()?;
        let failure = self.ordering()?;
        let ty = body.function.type_of(new);
        let align = if self.comma_word("align") {
            self.alignment()?
        } else {
            self.context.alignment(ty)
        };
        let result = self.context.structure(&[ty, Type::BOOL], false);
        Ok(Outcome::New(
            Instruction::CompareExchange {
                pointer,
                expected,
                new,
                atomic,
                failure,
                weak,
                align,
                volatile,
            },
            result,
        ))
    }

    fn terminator(&mut self, body: &mut Body, word: &str) -> Result<Outcome> {
        if !matches!(word, "br" | "switch" | "indirectbr" | "ret" | "unreachable") {
            return Err(self.error(format!("there is no instruction \"{word}\"")));
        }
        self.bump();
        let instruction = match word {
            "br" if self.is_word("label") => Instruction::Branch {
                target: self.label(body)?,
            },
            "br" => {
                self.keyword("i1")?;
                let condition = self.value(body, Type::BOOL)?;
                self.expect(b',')?;
                let on_true = self.label(body)?;
                self.expect(b',')?;
                Instruction::ConditionalBranch {
                    condition,
                    on_true,
                    on_false: self.label(body)?,
                }
            }
            "switch" => self.switch(body)?,
            "indirectbr" => {
                let address = self.typed_value(body)?;
                self.expect(b',')?;
                self.expect(b'[')?;
                let mut targets = Vec::new();
                while !self.is(b']') {
                    targets.push(self.label(body)?);
                    if !self.another()? {
                        break;
                    }
                }
                self.expect(b']')?;
                Instruction::IndirectBranch { address, targets }
            }
            // `void (…)*` is a type of values.
            "ret" if self.is_word("void") && self.peek_kind(1) != Kind::Mark(b'(') => {
                self.bump();
                Instruction::Return { value: None }
            }
            "ret" => Instruction::Return {
                value: Some(self.typed_value(body)?),
            },
            _ => Instruction::Unreachable,
        };
        Ok(Outcome::New(instruction, Type::Void))
    }

    fn switch(&mut self, body: &mut Body) -> Result<Instruction> {
        let place = self.place();
        let value = self.typed_value(body)?;
        let ty = body.function.type_of(value);
        if !ty.is_int() {
            return Err(self.error_at(place, "a switch is on an integer"));
        }
        self.expect(b',')?;
        let default = self.label(body)?;
        self.expect(b'[')?;
        let mut cases = Vec::new();
        while !self.is(b']') {
            let place = self.place();
            let constant = self.typed_constant()?;
            let value: Integer = match self.context.constant(constant) {
                Constant::Int(value) if Type::Int(value.bits()) == ty => value.clone(),
                _ => return Err(self.error_at(place, "a case is an integer of the type that is switched on")),
            };
            self.expect(b',')?;
            cases.push(Case {
                value,
                target: self.label(body)?,
            });
        }
        self.expect(b']')?;
        Ok(Instruction::Switch { value, default, cases })
    }
}

/// Fast-math flags of a call or phi are those that floats can have.
pub(super) fn fast_math(flags: Flags) -> Flags {
    flags.intersection(Flags::FAST_MATH)
}
