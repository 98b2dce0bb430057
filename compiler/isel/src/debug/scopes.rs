//! Which instructions belong to the scopes of a function, and the labels around them.

use rustc_hash::FxHashMap;
use warpsmith_ir::{
    BlockId, Context, DebugFunction, DebugPlace, DebugScope, DebugScopeId, Function, InstructionId, LocationId,
};

/// Where the scopes of a function begin and end. A scope reaches from its first to its last instruction in the order of the text: code that is not optimised
/// stands in the order of the source.
#[derive(Debug, Default)]
pub(crate) struct ScopeLabels {
    /// Before which instructions the label of a scope stands, and behind which.
    begins: FxHashMap<InstructionId, Vec<DebugScopeId>>,
    ends: FxHashMap<InstructionId, Vec<DebugScopeId>>,
    /// By scope: whether it has code.
    present: Vec<bool>,
}

impl ScopeLabels {
    /// The labels of a function whose blocks are written in an order.
    pub(crate) fn of(context: &Context, body: &Function, function: &DebugFunction, layout: &[BlockId]) -> ScopeLabels {
        let mut stretch: Vec<Option<(InstructionId, InstructionId)>> = vec![None; function.scopes.len()];
        for id in layout.iter().flat_map(|&block| body.instructions(block)) {
            let Some(location) = body.location(id) else { continue };
            for (scope, _) in function
                .scopes
                .iter()
                .filter(|(_, scope)| holds(context, scope, location))
            {
                let first = stretch[scope.index()].map_or(id, |(first, _)| first);
                stretch[scope.index()] = Some((first, id));
            }
        }
        let mut labels = ScopeLabels::default();
        for (scope, found) in function.scopes.keys().zip(&stretch) {
            labels.present.push(found.is_some());
            if let Some((first, last)) = found {
                labels.begins.entry(*first).or_default().push(scope);
                labels.ends.entry(*last).or_default().push(scope);
            }
        }
        labels
    }

    /// Whether a scope has code, and so labels.
    pub(crate) fn is_present(&self, scope: DebugScopeId) -> bool {
        self.present.get(scope.index()).copied().unwrap_or(false)
    }

    /// The scopes that begin at an instruction.
    pub(crate) fn begins(&self, id: InstructionId) -> &[DebugScopeId] {
        self.begins.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The scopes that end behind an instruction.
    pub(crate) fn ends(&self, id: InstructionId) -> &[DebugScopeId] {
        self.ends.get(&id).map_or(&[], Vec::as_slice)
    }
}

/// Whether code is in a scope: at its own place, or at that of a call whose function's body it is of.
fn holds(context: &Context, scope: &DebugScope, location: LocationId) -> bool {
    let at = |place: DebugPlace| (place.line, place.column);
    let mut next = Some(location);
    while let Some(location) = next {
        let data = context.location_data(location);
        if data.inlined_at == scope.inlined_at {
            let place = (data.line, data.column);
            return scope.first.file == data.file && at(scope.first) <= place && place <= at(scope.last);
        }
        next = data.inlined_at;
    }
    false
}
