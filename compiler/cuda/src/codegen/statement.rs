//! Statements.

use warpsmith_ir as ir;

use super::function::{FunctionGenerator, GREATEST_DEPTH, Target};
use super::place::Place;
use super::signature::Passing;
use crate::hir::{
    ExpressionId, LabelId, LoopHints, ResultVariable, StatementId, StatementKind, StorageDuration, SwitchCase, Type,
    Unroll, VariableId, VariableInitialiser,
};

/// A range of a `case` is made of single cases up to this many values.
const LONGEST_RANGE: i128 = 64;

impl FunctionGenerator<'_, '_> {
    /// A statement.
    pub(super) fn statement(&mut self, id: StatementId) {
        self.depth += 1;
        if self.depth < GREATEST_DEPTH {
            self.set_span(self.program.statement(id).span);
            self.any_statement(id);
        } else {
            self.refuse("statements are nested too deeply");
        }
        self.depth -= 1;
    }

    fn any_statement(&mut self, id: StatementId) {
        let program = self.program;
        match &program.statement(id).kind {
            StatementKind::Null => {}
            StatementKind::Error => self.refuse_unknown(),
            StatementKind::Expression(expression) => self.full_effects(*expression),
            StatementKind::Declare(variable) => self.declare(*variable),
            StatementKind::Block(statements) => {
                let depth = self.cleanups.len();
                let outer = self.open_debug_scope(id);
                self.scopes.push((id, depth));
                statements.iter().for_each(|&statement| self.statement(statement));
                self.scopes.pop();
                self.pop_cleanups(depth);
                self.close_debug_scope(outer);
            }
            StatementKind::Group(statements) => statements.iter().for_each(|&statement| self.statement(statement)),
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => self.if_statement(*condition, *then, *otherwise),
            StatementKind::While {
                declaration,
                condition,
                body,
                hints,
            } => self.repeat(id, *declaration, Some(*condition), None, *body, *hints),
            StatementKind::For {
                initial,
                declaration,
                condition,
                step,
                body,
                hints,
            } => {
                let depth = self.cleanups.len();
                let outer = self.open_debug_scope(id);
                if let Some(initial) = initial {
                    self.statement(*initial);
                }
                self.repeat(id, *declaration, *condition, *step, *body, *hints);
                self.pop_cleanups(depth);
                self.close_debug_scope(outer);
            }
            StatementKind::DoWhile { body, condition, hints } => self.do_while(id, *body, *condition, *hints),
            StatementKind::Switch {
                value,
                cases,
                default,
                body,
            } => self.switch(id, *value, cases, *default, *body),
            StatementKind::Label(label, statement) => {
                let block = self.label(*label);
                let depth = self.cleanups.len();
                if let Some(place) = self.labels.get_mut(label) {
                    place.depth = Some(depth);
                }
                self.branch(block);
                self.enter(block);
                self.statement(*statement);
            }
            StatementKind::Goto(label) => {
                let depth = self.depth_at(*label);
                self.run_cleanups(depth);
                let block = self.label(*label);
                self.branch(block);
                self.start_dead();
            }
            StatementKind::IndirectGoto(_) => self.refuse("a computed goto is not supported in device code"),
            StatementKind::Break => {
                if let Some((target, depth)) = self.targets.last().map(|target| (target.break_to, target.depth)) {
                    self.jump(target, depth);
                }
            }
            StatementKind::Continue => {
                let target = self
                    .targets
                    .iter()
                    .rev()
                    .find_map(|target| Some((target.continue_to?, target.depth)));
                if let Some((target, depth)) = target {
                    self.jump(target, depth);
                }
            }
            StatementKind::Return(value) => self.return_statement(*value),
            StatementKind::Asm(assembly) => self.assembly(assembly),
            StatementKind::Unsupported(what) => self.refuse(format!("{what} is not supported in device code")),
        }
    }

    fn jump(&mut self, target: ir::BlockId, depth: usize) {
        self.run_cleanups(depth);
        self.branch(target);
        self.start_dead();
    }

    /// Runs a block without leaving its scope, for a statement expression's value; gives what [`Self::leave_block`] wants.
    pub(super) fn enter_block(&mut self, id: StatementId) -> usize {
        let depth = self.cleanups.len();
        let program = self.program;
        self.find_labels(id);
        match &program.statement(id).kind {
            StatementKind::Block(statements) => {
                self.scopes.push((id, depth));
                statements.iter().for_each(|&statement| self.statement(statement));
            }
            _ => {
                self.scopes.push((id, depth));
                self.statement(id);
            }
        }
        depth
    }

    pub(super) fn leave_block(&mut self, depth: usize) {
        self.scopes.pop();
        self.pop_cleanups(depth);
    }

    fn declare(&mut self, id: VariableId) {
        let program = self.program;
        let variable = program.variable(id);
        if variable.storage == StorageDuration::Static {
            return self.debug_static(id);
        }
        let name = variable.name.as_deref().unwrap_or_default();
        if program.types.is_reference(variable.ty.id) {
            let depth = self.cleanups.len();
            let to = program.types.strip_reference(variable.ty);
            let place = match &variable.initialiser {
                VariableInitialiser::Dynamic(value) => self.place(*value),
                VariableInitialiser::Constant(constant) => {
                    let address = self.generator.memory_constant(constant, variable.ty.id);
                    Place::new(address.into(), program.align_of(to.id) as u32)
                }
                VariableInitialiser::None => return,
            };
            self.pop_cleanups(depth);
            // Every use is dominated by the declaration, so that the address itself stands for the reference.
            self.debug_reference(id, place.pointer, false);
            self.locals.insert(id, place);
            return self.extend_temporaries();
        }
        let alignment = program.align_of(variable.ty.id).max(variable.alignment.unwrap_or(1)) as u32;
        let memory = self.generator.memory_type(variable.ty.id);
        let place = match self.locals.get(&id) {
            Some(&place) => place,
            None => match self.result_object().filter(|_| self.is_result(id)) {
                Some(place) => place,
                None => {
                    let pointer = self.allocate_memory(memory, alignment, name);
                    Place::new(pointer, alignment).volatile(variable.ty.is_volatile())
                }
            },
        };
        self.debug_local(id, place.pointer, false);
        self.locals.insert(id, place);
        match &variable.initialiser {
            VariableInitialiser::None => {}
            VariableInitialiser::Constant(constant) => self.initialise_with_constant(constant, id, place),
            VariableInitialiser::Dynamic(value) => self.full_initialise(*value, place),
        }
        self.extend_temporaries();
        if let Some(destructor) = variable.destructor {
            self.push_cleanup(place.pointer, variable.ty.id, destructor);
        }
    }

    /// Temporaries that live as long as the variable just declared die with its scope.
    fn extend_temporaries(&mut self) {
        for (address, ty, destructor) in std::mem::take(&mut self.extended) {
            self.push_cleanup(address, ty, destructor);
        }
    }

    fn initialise_with_constant(&mut self, constant: &crate::hir::Constant, id: VariableId, place: Place) {
        let ty = self.program.variable(id).ty.id;
        if self.generator.is_scalar(ty) {
            let value = self.generator.value_constant(constant, ty);
            return self.store(place, value.into(), ty);
        }
        self.copy_constant(constant, ty, place);
    }

    fn if_statement(&mut self, condition: ExpressionId, then: StatementId, otherwise: Option<StatementId>) {
        let (yes, after) = (self.new_block("then"), self.new_block("endif"));
        let no = match otherwise {
            Some(_) => self.new_block("else"),
            None => after,
        };
        self.full_condition(condition, yes, no);
        self.enter(yes);
        self.scoped(then);
        self.branch(after);
        if let Some(otherwise) = otherwise {
            self.enter(no);
            self.scoped(otherwise);
            self.branch(after);
        }
        self.enter(after);
    }

    /// A statement that is a scope even if it is no block ([stmt.select]/2).
    fn scoped(&mut self, id: StatementId) {
        let depth = self.cleanups.len();
        self.statement(id);
        self.pop_cleanups(depth);
    }

    fn repeat(
        &mut self,
        id: StatementId,
        declaration: Option<StatementId>,
        condition: Option<ExpressionId>,
        step: Option<ExpressionId>,
        body: StatementId,
        hints: LoopHints,
    ) {
        let (head, start, again, after) = (
            self.new_block("loop"),
            self.new_block("body"),
            self.new_block("step"),
            self.new_block("done"),
        );
        let depth = self.cleanups.len();
        self.branch(head);
        self.enter(head);
        self.scopes.push((id, depth));
        if let Some(declaration) = declaration {
            self.statement(declaration);
        }
        let inner = self.cleanups.len();
        // A declared condition is destroyed on the way out as on the way round.
        let out = if inner > depth { self.new_block("leave") } else { after };
        match condition {
            Some(condition) => self.full_condition(condition, start, out),
            None => self.branch(start),
        }
        if inner > depth {
            self.enter(out);
            self.run_cleanups(depth);
            self.branch(after);
        }
        self.enter(start);
        self.targets.push(Target {
            break_to: after,
            continue_to: Some(again),
            depth,
        });
        self.scoped(body);
        self.targets.pop();
        self.pop_cleanups(depth);
        self.scopes.pop();
        self.branch(again);
        self.enter(again);
        if let Some(step) = step {
            self.set_span(self.program.expression(step).span);
            self.full_effects(step);
        }
        self.branch_back(head, hints);
        self.enter(after);
    }

    fn branch_back(&mut self, head: ir::BlockId, hints: LoopHints) {
        if self.is_terminated() {
            return;
        }
        let mut build = self.build();
        let branch = build.branch(head);
        let said = match hints.unroll {
            Unroll::Unspecified => ir::LoopHints::default(),
            Unroll::Full => ir::LoopHints {
                unroll_enable: true,
                ..ir::LoopHints::default()
            },
            Unroll::Count(count) => ir::LoopHints {
                unroll_count: Some(count),
                ..ir::LoopHints::default()
            },
            Unroll::Never => ir::LoopHints {
                unroll_disable: true,
                ..ir::LoopHints::default()
            },
        };
        build.set_loop_hints(
            branch,
            ir::LoopHints {
                must_progress: true,
                ..said
            },
        );
    }

    fn do_while(&mut self, id: StatementId, body: StatementId, condition: ExpressionId, hints: LoopHints) {
        let (start, test, back, after) = (
            self.new_block("body"),
            self.new_block("test"),
            self.new_block("again"),
            self.new_block("done"),
        );
        let depth = self.cleanups.len();
        self.branch(start);
        self.enter(start);
        self.scopes.push((id, depth));
        self.targets.push(Target {
            break_to: after,
            continue_to: Some(test),
            depth,
        });
        self.scoped(body);
        self.targets.pop();
        self.scopes.pop();
        self.branch(test);
        self.enter(test);
        self.full_condition(condition, back, after);
        self.enter(back);
        self.branch_back(start, hints);
        self.enter(after);
    }

    fn switch(
        &mut self,
        id: StatementId,
        value: ExpressionId,
        cases: &[SwitchCase],
        default: Option<LabelId>,
        body: StatementId,
    ) {
        let ty = self.program.type_of(value).id;
        let signed = self.generator.is_signed(ty);
        let value = self.full_value(value);
        let after = self.new_block("endswitch");
        let default = match default {
            Some(label) => self.label(label),
            None => after,
        };
        let mut singles = Vec::new();
        let mut ranges = Vec::new();
        let bits = self.body.type_of(value).int_bits().unwrap_or(32);
        for case in cases {
            let target = self.label(case.label);
            if case.high.saturating_sub(case.low) >= LONGEST_RANGE {
                ranges.push((case.low, case.high, target));
                continue;
            }
            let mut number = case.low;
            while number <= case.high {
                singles.push(ir::Case {
                    value: ir::Integer::signed(bits, number),
                    target,
                });
                number += 1;
            }
        }
        for (low, high, target) in ranges {
            let next = self.new_block("range");
            let mut build = self.build();
            let (low, high) = (build.int(bits, low), build.int(bits, high));
            let (at_least, at_most) = match signed {
                true => (ir::IntPredicate::Sge, ir::IntPredicate::Sle),
                false => (ir::IntPredicate::Uge, ir::IntPredicate::Ule),
            };
            let above = build.icmp(at_least, value, low);
            let below = build.icmp(at_most, value, high);
            let inside = build.and(above, below);
            build.conditional_branch(inside, target, next);
            self.enter(next);
        }
        if !self.is_terminated() {
            self.build().switch(value, default, singles);
        }
        let depth = self.cleanups.len();
        self.start_dead();
        self.scopes.push((id, depth));
        self.targets.push(Target {
            break_to: after,
            continue_to: None,
            depth,
        });
        self.scoped(body);
        self.targets.pop();
        self.scopes.pop();
        self.branch(after);
        self.enter(after);
    }

    /// The object that the caller has made room for, if the result goes there.
    fn result_object(&self) -> Option<Place> {
        self.return_place.filter(|_| self.result == Passing::Address)
    }

    /// Whether a local variable is made in the place of the result.
    fn is_result(&self, variable: VariableId) -> bool {
        let variable = self.program.variable(variable);
        variable.result == ResultVariable::Always && variable.ty.id == self.result_type
    }

    fn return_statement(&mut self, value: Option<ExpressionId>) {
        let program = self.program;
        let mut kept = None;
        let named = value.and_then(|value| program.named_results.get(&value).copied());
        if let (Some(place), Some(_)) = (self.result_object(), named.filter(|&named| self.is_result(named))) {
            kept = Some(place.pointer);
        } else if let Some(value) = value {
            let depth = self.cleanups.len();
            let is_void = matches!(program.types.get(self.result_type), Type::Void);
            match self.return_place {
                Some(place) if !is_void => self.initialise_or_bind(value, place),
                _ => self.effects(value),
            }
            self.pop_cleanups(depth);
        }
        self.run_cleanups_but(0, kept);
        let block = self.return_block;
        self.branch(block);
        self.start_dead();
    }
}
