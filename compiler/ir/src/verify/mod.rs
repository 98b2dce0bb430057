//! The verifier: the rules of the IR, checked on modules and functions. It shares no analysis with passes.
//!
//! A message names the function, the instruction and the rule that is broken. Rules are those of the LLVM language reference and of the NVVM IR
//! specification (address spaces, kernels), with the differences said at [`Instruction`](crate::Instruction).

mod attributes;
mod call;
pub(crate) mod dominance;
mod memory;
mod operation;
mod structure;

use warpsmith_base::Diagnostic;

use self::dominance::Dominance;
use crate::arena::Entity;
use crate::constant::{Constant, ConstantExpression, ConstantId};
use crate::function::{Function, InstructionId};
use crate::instruction::Value;
use crate::module::{Global, Linkage, Module, Symbols};
use crate::opcode::CastOp;
use crate::types::{AddressSpace, Type};

/// The most messages about one function; more help nobody.
const MOST: usize = 50;

/// Checks one function and gathers messages.
struct Checker<'a> {
    symbols: &'a Symbols,
    function: &'a Function,
    problems: Vec<Diagnostic>,
}

impl Checker<'_> {
    fn name(&self) -> &str {
        self.symbols
            .functions
            .get(self.function.id())
            .map_or("?", |declaration| &declaration.name)
    }

    /// A broken rule of the function as a whole or of a block.
    fn broken(&mut self, construct: &str, rule: impl Into<String>) {
        if self.problems.len() < MOST {
            self.problems
                .push(Diagnostic::error(rule).about(format!("function @{}, {construct}", self.name())));
        }
    }

    /// A broken rule of an instruction.
    fn wrong(&mut self, id: InstructionId, rule: impl Into<String>) {
        let text = if self.problems.len() < MOST {
            self.function.display_instruction(id, Some(self.symbols))
        } else {
            String::new()
        };
        self.broken(&format!("`{}`", text.lines().next_back().unwrap_or("").trim()), rule);
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
        if checker.problems.is_empty() {
            Ok(())
        } else {
            Err(checker.problems)
        }
    }
}

impl Module {
    /// Checks the module and all bodies against the rules of the IR.
    ///
    /// # Errors
    /// The rules that are broken, each with the place.
    pub fn verify(&self) -> Result<(), Vec<Diagnostic>> {
        let mut problems = Vec::new();
        for (_, global) in self.globals() {
            variable(&self.symbols, global, &mut problems);
        }
        for (_, alias) in self.symbols.aliases.iter() {
            if self.context().constant_type(alias.target) != Type::Pointer(alias.space) {
                let rule = "an alias stands for an address in its address space";
                problems.push(Diagnostic::error(rule).about(format!("alias @{}", alias.name)));
            }
        }
        for (id, declaration) in self.functions() {
            let body = self.body(id);
            attributes::declaration(&self.symbols, declaration, body.is_some(), &mut problems);
            if let Some(body) = body {
                if body.id() != id || body.ty() != declaration.ty {
                    let rule = "a body has the number and the type of its declaration";
                    problems.push(Diagnostic::error(rule).about(format!("function @{}", declaration.name)));
                }
                if let Err(found) = body.verify(&self.symbols) {
                    problems.extend(found);
                }
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }
}

fn variable(symbols: &Symbols, global: &Global, problems: &mut Vec<Diagnostic>) {
    let context = &symbols.context;
    let mut rule = |holds: bool, rule: &str| {
        if !holds {
            problems.push(Diagnostic::error(rule).about(format!("variable @{}", global.name)));
        }
    };
    rule(is_sized(global.ty), "the value of a variable has a size");
    rule(
        global.align == 0 || global.align.is_power_of_two(),
        "an alignment is a power of two",
    );
    let spaces = [
        AddressSpace::GENERIC,
        AddressSpace::GLOBAL,
        AddressSpace::SHARED,
        AddressSpace::CONSTANT,
    ];
    rule(
        spaces.contains(&global.space),
        "variables are in the generic, global, shared or constant address space",
    );
    match global.initializer {
        Some(initializer) => {
            rule(
                context.constant_type(initializer) == global.ty,
                "an initializer has the type of its variable",
            );
            let empty = matches!(context.constant(initializer), Constant::Undef(_) | Constant::Poison(_))
                || context.is_zero(initializer);
            let rule_of_shared = "variables in shared memory have no initial value: their initializer is undef or zero";
            rule(global.space != AddressSpace::SHARED || empty, rule_of_shared);
            rule(
                constant_fits(symbols, initializer, 0),
                "a constant names only what the module has, and converts between types that can be converted",
            );
        }
        None => {
            let declared = matches!(global.linkage, Linkage::External | Linkage::ExternalWeak);
            rule(
                declared,
                "a variable without initializer is a declaration, of external linkage",
            );
        }
    }
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

/// Whether an index is in an arena of a length.
fn within<I: Entity>(index: I, length: usize) -> bool {
    index.index() < length
}
