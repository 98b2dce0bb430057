//! Which version and target have a directive or a type.

use super::Checker;
use crate::{
    Problem, Span,
    module::TargetSuffix,
    table::{FeatureGate, Type, TypeKind, gates},
};

impl Checker<'_, '_> {
    /// Reports a feature that the module's version or target lacks.
    pub(super) fn require(&mut self, gate: &FeatureGate, span: Span) {
        let FeatureGate {
            feature,
            version,
            target,
        } = *gate;
        if self.module.version < version {
            let message = format!(
                "{feature} needs .version {version} or later, and this is {}",
                self.module.version
            );
            let vendor = format!("Feature '{feature}' requires PTX ISA .version {version} or later");
            self.report(Problem::error(span, message).vendor(vendor));
        }
        // A target of number 0 was not readable, and is reported.
        let own = self.module.target;
        if own.number != 0 && own.number < target {
            let message = format!("{feature} needs .target sm_{target} or higher, and this is {own}");
            let vendor = format!("Feature '{feature}' requires .target sm_{target} or higher");
            self.report(Problem::error(span, message).vendor(vendor));
        }
    }

    /// Reports a type of a declaration that the module's version or target lacks.
    pub(super) fn require_type(&mut self, element: Type, span: Span) {
        match element {
            Type::B128 => self.require(&gates::B128, span),
            Type::F16x2 => self.require(&gates::F16X2, span),
            _ if element.kind() == TypeKind::Opaque => self.require(&gates::OPAQUE, span),
            _ => {}
        }
    }

    /// `sm_90` and the like, as the vendor's messages name the target.
    pub(super) fn target_name(&self) -> String {
        let suffix = match self.module.target.suffix {
            TargetSuffix::None => "",
            TargetSuffix::Family => "f",
            TargetSuffix::Architecture => "a",
        };
        format!("sm_{}{suffix}", self.module.target.number)
    }
}
