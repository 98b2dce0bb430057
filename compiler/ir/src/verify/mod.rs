//! The verifier: the rules of the IR, checked on modules and functions. It shares no analysis with passes.
//!
//! A message names the function, the instruction and the rule that is broken. Rules are those of the LLVM language reference and of the NVVM IR
//! specification (address spaces, kernels), with the differences said at [`Instruction`](crate::Instruction).

mod aliases;
mod assembly;
mod attributes;
mod call;
pub(crate) mod dominance;
mod globals;
mod memory;
pub(crate) mod operation;
mod structure;

use warpsmith_base::Diagnostic;

use self::dominance::Dominance;
use crate::arena::Entity;
use crate::constant::{Constant, ConstantExpression, ConstantId};
use crate::context::Context;
use crate::function::{BlockId, Function, InstructionId};
use crate::instruction::Value;
use crate::module::{AliasId, FunctionId, GlobalId, Module, Symbols};
use crate::opcode::CastOp;
use crate::types::Type;

/// The most messages about one function; more help nobody.
const MOST: usize = 50;

/// What a broken rule is about, so that readers of text can say where that stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Subject {
    /// A variable.
    Global(GlobalId),
    /// An alias.
    Alias(AliasId),
    /// A function as a whole.
    Function(FunctionId),
    /// A block of a function.
    Block(FunctionId, BlockId),
    /// An instruction of a function.
    Instruction(FunctionId, InstructionId),
}

/// A broken rule.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Violation {
    /// What breaks it.
    pub(crate) subject: Subject,
    /// The rule, and what breaks it in words.
    pub(crate) problem: Diagnostic,
}

/// Checks one function and gathers messages.
struct Checker<'a> {
    symbols: &'a Symbols,
    function: &'a Function,
    problems: Vec<Violation>,
}

impl Checker<'_> {
    fn name(&self) -> &str {
        self.symbols
            .functions
            .get(self.function.id())
            .map_or("?", |declaration| &declaration.name)
    }

    /// A broken rule of the function as a whole or of a block.
    fn broken(&mut self, block: Option<BlockId>, construct: &str, rule: impl Into<String>) {
        let function = self.function.id();
        let subject = block.map_or(Subject::Function(function), |block| Subject::Block(function, block));
        self.add(subject, construct, rule);
    }

    fn add(&mut self, subject: Subject, construct: &str, rule: impl Into<String>) {
        if self.problems.len() < MOST {
            let problem = Diagnostic::error(rule).about(format!("function @{}, {construct}", self.name()));
            self.problems.push(Violation { subject, problem });
        }
    }

    /// A broken rule of an instruction.
    fn wrong(&mut self, id: InstructionId, rule: impl Into<String>) {
        if self.problems.len() >= MOST {
            return;
        }
        let text = self.function.display_instruction(id, Some(self.symbols));
        let construct = format!("`{}`", text.lines().next_back().unwrap_or("").trim());
        self.add(Subject::Instruction(self.function.id(), id), &construct, rule);
    }

    /// Reports the rule if it does not hold.
    fn rule(&mut self, id: InstructionId, holds: bool, rule: &str) {
        if !holds {
            self.wrong(id, rule);
        }
    }

    fn ty(&self, value: Value) -> Type {
        self.function.type_of(value)
    }

    /// The scalar of a value's type.
    fn scalar(&self, value: Value) -> Type {
        self.function.context().scalar(self.ty(value))
    }
}

impl Function {
    /// Checks the body against the rules of the IR.
    ///
    /// # Errors
    /// The rules that are broken, each with the instruction.
    pub fn verify(&self, symbols: &Symbols) -> Result<(), Vec<Diagnostic>> {
        outcome(self.violations(symbols))
    }

    fn violations(&self, symbols: &Symbols) -> Vec<Violation> {
        let mut checker = Checker {
            symbols,
            function: self,
            problems: Vec::new(),
        };
        checker.structure();
        // Dominance means something only where blocks end in terminators.
        if checker.problems.is_empty() {
            let dominance = Dominance::new(self);
            checker.uses(&dominance);
        }
        if checker.problems.is_empty() {
            for id in self.all_instructions() {
                checker.operation(id);
            }
        }
        checker.problems
    }
}

impl Module {
    /// Checks the module and all bodies against the rules of the IR.
    ///
    /// # Errors
    /// The rules that are broken, each with the place.
    pub fn verify(&self) -> Result<(), Vec<Diagnostic>> {
        outcome(self.violations())
    }

    /// The rules that are broken, each with what breaks it.
    pub(crate) fn violations(&self) -> Vec<Violation> {
        let mut problems = Vec::new();
        for (id, global) in self.globals() {
            globals::variable(&self.symbols, id, global, &mut problems);
        }
        aliases::aliases(self, &mut problems);
        for (id, declaration) in self.functions() {
            let body = self.body(id);
            attributes::declaration(&self.symbols, id, declaration, body.is_some(), &mut problems);
            if let Some(body) = body {
                if body.id() != id || body.ty() != declaration.ty {
                    let rule = "a body has the number and the type of its declaration";
                    let problem = Diagnostic::error(rule).about(format!("function @{}", declaration.name));
                    let subject = Subject::Function(id);
                    problems.push(Violation { subject, problem });
                }
                problems.extend(body.violations(&self.symbols));
            }
        }
        problems
    }
}

fn outcome(violations: Vec<Violation>) -> Result<(), Vec<Diagnostic>> {
    if violations.is_empty() {
        return Ok(());
    }
    Err(violations.into_iter().map(|violation| violation.problem).collect())
}

/// Whether values of a type take memory.
fn is_sized(ty: Type) -> bool {
    !matches!(
        ty,
        Type::Void | Type::Function(_) | Type::Label | Type::Metadata | Type::Token
    )
}

/// Whether what a constant names exists, and its expressions are of fitting types.
fn constant_fits(symbols: &Symbols, id: ConstantId, depth: u32) -> bool {
    let context = &symbols.context;
    if depth > 300 {
        return false;
    }
    let inner = |id| constant_fits(symbols, id, depth + 1);
    match context.constant(id) {
        Constant::Global { global, space } => symbols
            .globals
            .get(*global)
            .is_some_and(|global| !global.removed && global.space == *space),
        Constant::Function(function) => symbols
            .functions
            .get(*function)
            .is_some_and(|function| !function.removed),
        Constant::Alias { alias, .. } => alias.index() < symbols.aliases.len(),
        Constant::Aggregate { ty, elements } => {
            let count = context.element_count(*ty) == Some(elements.len() as u64);
            let fits = |(index, &element): (usize, &ConstantId)| {
                context.element(*ty, index as u64) == Some(context.constant_type(element)) && inner(element)
            };
            count && elements.iter().enumerate().all(fits)
        }
        Constant::Expression(ConstantExpression::Gep {
            source, base, indices, ..
        }) => {
            is_sized(*source)
                && context.scalar(context.constant_type(*base)).is_pointer()
                && inner(*base)
                && indices.iter().all(|&index| inner(index))
                && indices_fit(context, *source, indices)
        }
        Constant::Expression(ConstantExpression::Cast { op, operand, ty }) => {
            inner(*operand)
                && operation::cast_fits(context, *op, context.constant_type(*operand), *ty)
                && *op != CastOp::FPTrunc
        }
        Constant::Expression(ConstantExpression::Binary { left, right, .. }) => {
            inner(*left) && inner(*right) && context.constant_type(*left) == context.constant_type(*right)
        }
        Constant::Int(_)
        | Constant::Float { .. }
        | Constant::Null(_)
        | Constant::Zero(_)
        | Constant::Undef(_)
        | Constant::Poison(_)
        | Constant::Bytes { .. }
        | Constant::Block { .. }
        | Constant::Metadata(_)
        | Constant::NoToken => true,
    }
}

/// Whether constant indices behind the first lead to elements of a type.
pub(crate) fn indices_fit(context: &Context, source: Type, indices: &[ConstantId]) -> bool {
    let number = |id: ConstantId| match context.constant(id) {
        Constant::Int(value) => Some(value.clone()),
        _ if context.constant_type(id).is_vector() => match context.constant(context.constant_element(id, 0)?) {
            Constant::Int(value) => Some(value.clone()),
            _ => None,
        },
        _ => None,
    };
    let integers = indices
        .iter()
        .all(|&index| context.scalar(context.constant_type(index)).is_int());
    let reached = indices.iter().skip(1).try_fold(source, |ty, &index| match ty {
        Type::Array(array) => Some(context.array_parts(array).element),
        Type::Vector(vector) => Some(context.vector_parts(vector).element),
        // Fields are numbered by integers of 32 bits.
        Type::Struct(_) => number(index)
            .filter(|number| number.bits() == 32)
            .and_then(|number| context.element(ty, number.to_u64()?)),
        _ => None,
    });
    integers && reached.is_some()
}

/// Whether an index is in an arena of a length.
fn within<I: Entity>(index: I, length: usize) -> bool {
    index.index() < length
}
