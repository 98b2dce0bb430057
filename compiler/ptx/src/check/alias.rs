//! `.alias`

use super::{Checker, redeclare::differences};
use crate::{
    Problem, Span,
    module::{FunctionId, Linkage},
    table::gates,
};

impl Checker<'_, '_> {
    /// `.alias NAME, TARGET;` — `earlier`: the aliases so far and what they stand for.
    pub(super) fn alias(
        &mut self,
        alias: FunctionId,
        target: FunctionId,
        span: Span,
        earlier: &mut Vec<(FunctionId, FunctionId)>,
    ) {
        self.require(&gates::ALIAS, span);
        if let Some((message, vendor)) = self.alias_problem(alias, target, earlier) {
            self.report(Problem::error(span, message).vendor(vendor));
        }
        earlier.push((alias, target));
    }

    fn alias_problem(
        &self,
        alias: FunctionId,
        target: FunctionId,
        earlier: &[(FunctionId, FunctionId)],
    ) -> Option<(String, String)> {
        let function = |id: FunctionId| &self.module.functions[id.0 as usize];
        let name = |id: FunctionId| self.text(function(id).name);
        let (new, old) = (name(alias), name(target));
        if let Some((_, first)) = earlier.iter().find(|(name, _)| *name == alias) {
            let message = format!("'{new}' already is an alias of '{}'", name(*first));
            return Some((
                message,
                format!(
                    "'{new}' is already aliased to '{}' and cannot be redefined",
                    name(*first)
                ),
            ));
        }
        if alias == target {
            return Some((
                format!("'{new}' cannot stand for itself"),
                "Cannot alias a function to itself".into(),
            ));
        }
        if let Some(kernel) = [alias, target].into_iter().find(|&id| function(id).kernel) {
            let kernel = name(kernel);
            return Some((
                format!("'{kernel}' is a kernel; only functions have aliases"),
                format!("Cannot define alias to entry function '{kernel}'"),
            ));
        }
        if function(alias).body.is_some() {
            let message = format!("'{new}' has a body, so it cannot stand for another function");
            return Some((message, format!("Illegal redefinition of function '{new}' as alias")));
        }
        let refused = match function(target).linkage {
            Linkage::Weak => Some(".weak"),
            Linkage::External => Some(".extern"),
            Linkage::Internal | Linkage::Visible | Linkage::Common => None,
        };
        if let Some(scope) = refused {
            let message = format!("'{old}' is {scope}, so it has no alias");
            return Some((
                message,
                format!("Function '{old}' with {scope} scope cannot be aliased"),
            ));
        }
        if earlier.iter().any(|(name, _)| *name == target) {
            return Some((
                format!("'{old}' is an alias itself"),
                "Internal error: alias to unknown symbol".into(),
            ));
        }
        let difference = differences(self.module, function(alias), function(target))
            .into_iter()
            .next()?;
        let message = format!("'{new}' and '{old}' do not agree: {difference} differ");
        let vendor = format!("Mismatch in prototype of alias '{new}' and aliasee '{old}'. {difference} differ(s)");
        Some((message, vendor))
    }
}
