//! Which version and target have a directive or a type.

use super::Checker;
use crate::{
    Problem, Span,
    module::{TargetSuffix, Version},
    table::{Type, TypeKind},
};

/// A feature with the oldest version and target that have it. (Observed, by trying all of them.)
pub(super) struct Gate {
    /// As the vendor's tool calls it.
    feature: &'static str,
    version: (u8, u8),
    /// The number of the target; 0: every one.
    target: u16,
}

const fn gate(feature: &'static str, version: (u8, u8), target: u16) -> Gate {
    Gate {
        feature,
        version,
        target,
    }
}

pub(super) const EXPLICIT_CLUSTER: Gate = gate(".explicitcluster", (7, 8), 90);
pub(super) const REQUIRED_CLUSTER: Gate = gate(".reqnctapercluster", (7, 8), 90);
pub(super) const CLUSTER_RANK: Gate = gate(".maxclusterrank", (7, 8), 90);
pub(super) const BLOCKS_ARE_CLUSTERS: Gate = gate(".blocksareclusters", (9, 0), 90);
pub(super) const MAX_THREADS: Gate = gate(".maxntid", (1, 3), 0);
pub(super) const REQUIRED_THREADS: Gate = gate(".reqntid directive", (2, 1), 0);
pub(super) const MAX_REGISTERS: Gate = gate(".maxnreg", (1, 3), 0);
pub(super) const MIN_CTAS: Gate = gate(".minnctapersm directive", (2, 0), 0);
pub(super) const LOCAL_MAX_REGISTERS: Gate = gate(".local_maxnreg", (8, 8), 0);
pub(super) const NO_RETURN: Gate = gate(".noreturn", (6, 4), 30);
pub(super) const ABI_PRESERVE: Gate = gate(".abi_preserve", (9, 0), 80);
pub(super) const ABI_PRESERVE_CONTROL: Gate = gate(".abi_preserve_control", (9, 0), 80);
pub(super) const ALIAS: Gate = gate(".alias", (6, 3), 30);
pub(super) const MANAGED: Gate = gate(".managed", (4, 0), 30);
pub(super) const UNIFIED: Gate = gate(".unified", (8, 0), 90);
pub(super) const WEAK: Gate = gate(".weak directive", (3, 1), 0);
pub(super) const COMMON: Gate = gate(".common directive", (5, 0), 0);
pub(super) const POINTER: Gate = gate("kernel parameter pointer attribute", (2, 2), 0);
pub(super) const KERNEL_PARAMETERS: Gate = gate("kernel parameter list", (1, 4), 0);
pub(super) const LARGE_PARAMETERS: Gate = gate("Kernel parameter size larger than 4352 bytes", (8, 1), 70);
pub(super) const UNSIZED_PARAMETER: Gate = gate("Unsized Array Parameter", (5, 1), 30);
pub(super) const PRAGMA: Gate = gate(".pragma directive", (2, 0), 0);
pub(super) const PRAGMA_BYTES: Gate = gate("used_bytes_mask", (8, 3), 0);
pub(super) const PRAGMA_FREQUENCY: Gate = gate("frequency", (9, 0), 0);
pub(super) const SECTION: Gate = gate(".section directive", (2, 0), 0);
pub(super) const FILE_STAMP: Gate = gate("timestamp and filesize in .file directive", (3, 2), 0);
pub(super) const GENERIC_VALUE: Gate = gate("generic() operator", (3, 1), 0);
pub(super) const MASK_VALUE: Gate = gate("mask operator in initializer", (7, 1), 0);
pub(super) const FUNCTION_VALUE: Gate = gate("functions as initial values", (2, 1), 20);
pub(super) const OFFSET_VALUE: Gate = gate("addresses as initial values", (2, 1), 0);
pub(super) const BRANCH_TARGETS: Gate = gate(".branchtargets directive", (5, 1), 30);
pub(super) const CALL_TARGETS: Gate = gate(".calltargets directive", (2, 1), 20);
pub(super) const PROTOTYPE: Gate = gate(".callprototype directive", (2, 1), 20);
const OPAQUE: Gate = gate("opaque type", (1, 5), 0);
const B128: Gate = gate("Type .b128", (8, 3), 70);
const F16X2: Gate = gate(".f16x2 packed data-type", (4, 2), 53);

impl Checker<'_, '_> {
    /// Reports a feature that the module's version or target lacks.
    pub(super) fn require(&mut self, gate: &Gate, span: Span) {
        let (version, target) = (
            Version {
                major: gate.version.0,
                minor: gate.version.1,
            },
            gate.target,
        );
        let feature = gate.feature;
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
            Type::B128 => self.require(&B128, span),
            Type::F16x2 => self.require(&F16X2, span),
            _ if element.kind() == TypeKind::Opaque => self.require(&OPAQUE, span),
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
