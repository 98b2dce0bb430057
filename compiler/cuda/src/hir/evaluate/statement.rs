//! Statements.

use super::super::{
    ExpressionId, LabelId, Program, StatementId, StatementKind, SwitchCase, VariableId, VariableInitialiser,
};
use super::memory::{Base, Pointer};
use super::value::Value;
use super::{Evaluator, Local, Outcome};

/// How a statement ends.
pub(super) enum Flow {
    Next,
    Break,
    Continue,
    /// With the value, or a pointer for a reference.
    Return(Value),
}

impl Evaluator<'_> {
    /// Runs a statement. While a label is sought, everything before it is passed over.
    pub(super) fn statement(&mut self, id: StatementId, sought: &mut Option<LabelId>) -> Outcome<Flow> {
        self.nested(|evaluator| evaluator.statement_here(id, sought))
    }

    fn statement_here(&mut self, id: StatementId, sought: &mut Option<LabelId>) -> Outcome<Flow> {
        let program = self.program;
        let statement = program.statement(id);
        if sought.is_none() {
            self.step(statement.span)?;
        }
        let running = sought.is_none();
        match &statement.kind {
            StatementKind::Null => Ok(Flow::Next),
            StatementKind::Expression(expression) => {
                if running {
                    self.effects(*expression)?;
                }
                Ok(Flow::Next)
            }
            StatementKind::Declare(variable) => {
                if running {
                    self.declare(*variable)?;
                }
                Ok(Flow::Next)
            }
            StatementKind::Block(statements) | StatementKind::Group(statements) => {
                for &statement in statements {
                    match self.statement(statement, sought)? {
                        Flow::Next => {}
                        other => return Ok(other),
                    }
                }
                Ok(Flow::Next)
            }
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => {
                if running {
                    return match (self.truth(*condition)?, otherwise) {
                        (true, _) => self.statement(*then, sought),
                        (false, Some(otherwise)) => self.statement(*otherwise, sought),
                        (false, None) => Ok(Flow::Next),
                    };
                }
                let flow = self.statement(*then, sought)?;
                match otherwise {
                    Some(otherwise) if sought.is_some() => self.statement(*otherwise, sought),
                    _ => Ok(flow),
                }
            }
            StatementKind::While {
                declaration,
                condition,
                body,
                ..
            } => self.repeat(*declaration, Some(*condition), None, *body, false, sought),
            StatementKind::DoWhile { body, condition, .. } => {
                self.repeat(None, Some(*condition), None, *body, true, sought)
            }
            StatementKind::For {
                initial,
                declaration,
                condition,
                step,
                body,
                ..
            } => {
                if let (Some(initial), true) = (initial, running) {
                    self.statement(*initial, sought)?;
                }
                self.repeat(*declaration, *condition, *step, *body, false, sought)
            }
            StatementKind::Switch {
                value,
                cases,
                default,
                body,
            } => {
                if !running {
                    return self.statement(*body, sought);
                }
                let Value::Integer(value) = self.value(*value)? else {
                    return self.stop("a switch has no value");
                };
                let chosen = |case: &&SwitchCase| case.low <= value && value <= case.high;
                let Some(label) = cases.iter().find(chosen).map(|case| case.label).or(*default) else {
                    return Ok(Flow::Next);
                };
                let mut target = Some(label);
                match self.statement(*body, &mut target)? {
                    Flow::Break => Ok(Flow::Next),
                    other => Ok(other),
                }
            }
            StatementKind::Label(label, statement) => {
                if *sought == Some(*label) {
                    *sought = None;
                }
                self.statement(*statement, sought)
            }
            _ if !running => Ok(Flow::Next),
            StatementKind::Break => Ok(Flow::Break),
            StatementKind::Continue => Ok(Flow::Continue),
            StatementKind::Return(None) => Ok(Flow::Return(Value::Undefined)),
            StatementKind::Return(Some(value)) => {
                let value = match program.expression(*value).category.is_glvalue() {
                    true => Value::Pointer(self.place(*value)?),
                    false => self.value(*value)?,
                };
                Ok(Flow::Return(value))
            }
            StatementKind::Goto(_) | StatementKind::IndirectGoto(_) => self.stop("a goto is executed"),
            StatementKind::Asm(_) => self.stop("an asm statement is executed"),
            StatementKind::Error => self.stop(super::super::constant::IN_ERROR),
            StatementKind::Unsupported(what) => self.stop(format!("{what} cannot be evaluated at compile time")),
        }
    }

    fn repeat(
        &mut self,
        declaration: Option<StatementId>,
        condition: Option<ExpressionId>,
        step: Option<ExpressionId>,
        body: StatementId,
        body_first: bool,
        sought: &mut Option<LabelId>,
    ) -> Outcome<Flow> {
        let mut skip = body_first || sought.is_some();
        loop {
            if !skip {
                self.step(super::Span::NONE)?;
                if let Some(declaration) = declaration {
                    self.statement(declaration, &mut None)?;
                }
                if let Some(condition) = condition
                    && !self.truth(condition)?
                {
                    return Ok(Flow::Next);
                }
            }
            skip = false;
            match self.statement(body, sought)? {
                Flow::Break => return Ok(Flow::Next),
                Flow::Return(value) => return Ok(Flow::Return(value)),
                Flow::Next | Flow::Continue => {}
            }
            if sought.is_some() {
                return Ok(Flow::Next);
            }
            if let Some(step) = step {
                self.effects(step)?;
            }
        }
    }

    fn declare(&mut self, id: VariableId) -> Outcome<()> {
        let program: &Program = self.program;
        let variable = program.variable(id);
        if variable.storage == super::super::StorageDuration::Static {
            return Ok(());
        }
        let ty = variable.ty.id;
        if let (VariableInitialiser::Dynamic(value), true) = (&variable.initialiser, program.types.is_reference(ty)) {
            let target = self.place(*value)?;
            self.frame().variables.insert(id, Local::Reference(target));
            return Ok(());
        }
        let object = self.new_object(ty);
        self.frame().variables.insert(id, Local::Object(object));
        let place = Pointer::new(Base::Object(object));
        match &variable.initialiser {
            VariableInitialiser::None => Ok(()),
            VariableInitialiser::Constant(constant) => {
                let value = self.value_of_constant(constant, ty);
                match value {
                    Value::Pointer(target) if program.types.is_reference(ty) => {
                        self.frame().variables.insert(id, Local::Reference(target));
                        Ok(())
                    }
                    value => self.store(&place, value),
                }
            }
            VariableInitialiser::Dynamic(value) => self.initialise(*value, &place),
        }
    }
}
