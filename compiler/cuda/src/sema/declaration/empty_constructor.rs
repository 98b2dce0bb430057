//! What variables of the device may start with: they have no dynamic initialisation, but a constructor that does nothing is as good as none (the programming guide's
//! *empty constructors*: no arguments, no initialisers, an empty body, and the same for bases and members).

use crate::hir::{ExpressionId, ExpressionKind, QualifiedType, StatementKind};
use crate::sema::Sema;
use crate::source::{Report, Span, Warning};

/// Deepest nesting of members and bases.
const DEPTH: usize = 256;

impl Sema<'_> {
    /// `__shared__` variables start without a value. nvcc drops a constant value in silence and warns of a constructor that would have to run, which outside of
    /// functions is an error.
    pub(super) fn check_shared_start(&mut self, ty: QualifiedType, span: Span) {
        let Some(class) = self.program.types.as_class(self.element_of_arrays(ty).id) else {
            return;
        };
        if self.has_trivial_default_constructor(class) {
            return;
        }
        let value = self.initialise(ty, None, span, "a `__shared__` variable");
        if self.is_poisoned(value) || self.starts_empty(value) || self.try_evaluate(value).is_some() {
            return;
        }
        let shown = self.show(ty);
        if self.function.function.is_some() {
            let message = format!("the default constructor of `{shown}` does not run for a `__shared__` variable");
            self.warn_at(Warning::SharedStart, span, message);
            return;
        }
        let message =
            format!("a `__shared__` variable cannot be of type `{shown}`: its default constructor does something");
        self.emit(Report::error(span, message));
    }

    /// Whether a value by default-initialisation leaves its object as it is.
    pub(super) fn starts_empty(&mut self, value: ExpressionId) -> bool {
        self.leaves_alone(value, 0)
    }

    fn leaves_alone(&mut self, value: ExpressionId, depth: usize) -> bool {
        if depth > DEPTH {
            return false;
        }
        let constructor = match &self.program.expression(value).kind {
            ExpressionKind::Uninitialised => return true,
            ExpressionKind::Construct {
                constructor,
                arguments,
                zero_first: false,
            } if arguments.is_empty() => *constructor,
            ExpressionKind::Array { elements, filler } => {
                let all: Vec<ExpressionId> = elements.iter().copied().chain(*filler).collect();
                return all.into_iter().all(|element| self.leaves_alone(element, depth + 1));
            }
            _ => return false,
        };
        let sets_table = self.functions[constructor.index()]
            .class
            .is_none_or(|class| self.classes[class.index()].polymorphic);
        if sets_table || !self.define_now(constructor) {
            return false;
        }
        let Some(body) = &self.program.function(constructor).body else {
            return false;
        };
        let nothing =
            matches!(&self.program.statement(body.statement).kind, StatementKind::Block(list) if list.is_empty());
        let parts: Vec<ExpressionId> = body.initialisers.iter().map(|part| part.value).collect();
        nothing && parts.into_iter().all(|part| self.leaves_alone(part, depth + 1))
    }
}
