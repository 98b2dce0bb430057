//! The tables, as the generator wrote them, and the functions that read them.

use crate::info::{
    CodeLayout, ConstantLayout, ElfHeader, Evidence, FeatureInfo, FeatureSet, Grade, Memory, Occupancy, Parameters,
    PtxVersion, Registers, SharedMemory, Suffix, TargetInfo,
};

include!(concat!(env!("OUT_DIR"), "/targets.rs"));

impl Sm {
    /// Everything known of this target.
    pub fn info(self) -> &'static TargetInfo {
        &TARGETS[self.index()]
    }

    /// The encoding generation: targets with the same one have the same instruction words.
    pub fn isa(self) -> Isa {
        self.info().isa
    }

    /// Whether this target has `feature`.
    pub fn has(self, feature: Feature) -> bool {
        self.info().features.contains(feature)
    }
}

impl Feature {
    /// What the feature is, in one sentence.
    pub fn description(self) -> &'static str {
        FEATURES[self.index()].description
    }

    /// PTX that ptxas compiles for exactly the targets that have the feature; `None` where PTX cannot show it.
    ///
    /// Registers are named as in `%rN` (32 bits), `%rdN` (64), `%fN` (f32), `%fdN` (f64), `%hN` (16), `%pN` (predicate).
    pub fn probe(self) -> Option<&'static str> {
        FEATURES[self.index()].probe
    }
}

/// All lines of evidence.
pub(crate) fn all_evidence() -> &'static [Evidence] {
    &EVIDENCE
}
