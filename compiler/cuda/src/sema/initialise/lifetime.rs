//! Lifetime extension of temporaries ([class.temporary]/6).

use crate::hir::{CastKind, ExpressionId, ExpressionKind, Lifetime, VariableId};
use crate::sema::Sema;

impl Sema<'_> {
    /// Lets the temporaries that a variable's initialiser binds references to live as long as the variable: those that the initialiser itself denotes (also as a
    /// member or base of it), and those bound to references in aggregates and lists.
    pub fn extend_temporaries(&mut self, initialiser: ExpressionId, variable: VariableId) {
        let next: Vec<ExpressionId> = match &mut self.program.expression_mut(initialiser).kind {
            ExpressionKind::Materialise { value, lifetime, .. } => {
                *lifetime = Lifetime::Variable(variable);
                vec![*value]
            }
            &mut ExpressionKind::Member { object, .. } => vec![object],
            ExpressionKind::Cast(
                CastKind::DerivedToBase(_) | CastKind::NoOperation | CastKind::ArrayToPointer | CastKind::Pointer,
                operand,
            ) => {
                vec![*operand]
            }
            &mut ExpressionKind::VectorElement { vector, .. } => vec![vector],
            &mut ExpressionKind::Dereference(pointer) => vec![pointer],
            &mut ExpressionKind::PointerAdd { pointer, .. } => vec![pointer],
            &mut ExpressionKind::Comma(_, right) => vec![right],
            &mut ExpressionKind::Conditional { yes, no, .. } => vec![yes, no],
            ExpressionKind::Aggregate { bases, fields } => bases
                .iter()
                .map(|&(_, value)| value)
                .chain(fields.iter().map(|&(_, value)| value))
                .collect(),
            ExpressionKind::Array { elements, .. } => elements.clone(),
            _ => return,
        };
        let is_reach = |sema: &Self, id: ExpressionId| sema.binds_temporaries(id);
        for id in next {
            if is_reach(self, id) {
                self.extend_temporaries(id, variable);
            }
        }
    }

    /// Whether an operand may denote or hold a temporary that is to be extended: pointers only by the way of arrays that decay.
    fn binds_temporaries(&self, id: ExpressionId) -> bool {
        !matches!(
            self.program.expression(id).kind,
            ExpressionKind::Call { .. } | ExpressionKind::Construct { .. }
        )
    }
}
