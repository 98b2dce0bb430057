//! Which code runs where: the rules of the suffixes.

use crate::{Sm, Suffix};

impl Sm {
    /// Whether a cubin made for this target runs on a device whose SM is `device`; a suffix of `device` does not count.
    ///
    /// Plain: the same major number, this minor or later, and not between desktop and Tegra parts. `a`: exactly this SM.
    /// `f`: this SM and later ones of its family. (CUDA programming guide, binary compatibility.)
    ///
    /// ```
    /// use warpsmith_target::Sm;
    /// assert!(Sm::Sm80.can_run_on(Sm::Sm89));
    /// assert!(!Sm::Sm86.can_run_on(Sm::Sm80));
    /// assert!(!Sm::Sm80.can_run_on(Sm::Sm87)); // Tegra
    /// assert!(Sm::Sm100f.can_run_on(Sm::Sm103));
    /// assert!(!Sm::Sm100a.can_run_on(Sm::Sm103));
    /// ```
    pub fn can_run_on(self, device: Sm) -> bool {
        let (code, device) = (self.info(), device.info());
        match code.suffix {
            Suffix::None => code.cubin_runs_on.contains(&device.number),
            Suffix::Architecture => code.number == device.number,
            Suffix::Family => code.family == device.family && code.number <= device.number,
        }
    }

    /// Whether PTX with `.target ptx` compiles for this target.
    ///
    /// Plain PTX compiles for every target of the same or a greater number, `a` only for the very same target, `f` for every
    /// target of the family with the same or a greater number, whatever its suffix. (Observed: ptxas 13.0.88, all pairs.)
    ///
    /// ```
    /// use warpsmith_target::Sm;
    /// assert!(Sm::Sm120a.accepts_ptx_target(Sm::Sm90));
    /// assert!(!Sm::Sm100a.accepts_ptx_target(Sm::Sm90a));
    /// assert!(Sm::Sm103a.accepts_ptx_target(Sm::Sm100f));
    /// assert!(!Sm::Sm110f.accepts_ptx_target(Sm::Sm100f));
    /// ```
    pub fn accepts_ptx_target(self, ptx: Sm) -> bool {
        let (own, other) = (self.info(), ptx.info());
        match other.suffix {
            Suffix::None => other.number <= own.number,
            Suffix::Architecture => self == ptx,
            Suffix::Family => other.family == own.family && other.number <= own.number,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of the targets that satisfy `rule`.
    fn names(rule: impl Fn(Sm) -> bool) -> Vec<&'static str> {
        Sm::ALL.iter().copied().filter(|&sm| rule(sm)).map(Sm::name).collect()
    }

    /// Plain targets only: the devices.
    fn devices(code: Sm) -> Vec<u16> {
        let plain = Sm::ALL.iter().filter(|sm| sm.info().suffix == Suffix::None);
        plain
            .filter(|&&sm| code.can_run_on(sm))
            .map(|sm| sm.info().number)
            .collect()
    }

    #[test]
    fn plain_cubins_run_on_later_minors() {
        assert_eq!(devices(Sm::Sm75), [75]);
        assert_eq!(devices(Sm::Sm80), [80, 86, 89]);
        assert_eq!(devices(Sm::Sm87), [87]);
        assert_eq!(devices(Sm::Sm90), [90]);
        assert_eq!(devices(Sm::Sm100), [100, 103]);
        assert_eq!(devices(Sm::Sm120), [120, 121]);
    }

    #[test]
    fn suffixes_narrow_where_a_cubin_runs() {
        assert_eq!(devices(Sm::Sm90a), [90]);
        assert_eq!(devices(Sm::Sm100a), [100]);
        assert_eq!(devices(Sm::Sm100f), [100, 103]);
        assert_eq!(devices(Sm::Sm103f), [103]);
        assert_eq!(devices(Sm::Sm120f), [120, 121]);
    }

    #[test]
    fn ptx_targets_as_ptxas_takes_them() {
        let compiles_for = |ptx: Sm| names(|sm| sm.accepts_ptx_target(ptx));
        assert_eq!(compiles_for(Sm::Sm75).len(), Sm::ALL.len());
        assert_eq!(compiles_for(Sm::Sm90a), ["sm_90a"]);
        assert_eq!(
            compiles_for(Sm::Sm100f),
            ["sm_100", "sm_100a", "sm_100f", "sm_103", "sm_103a", "sm_103f"]
        );
        assert_eq!(compiles_for(Sm::Sm103f), ["sm_103", "sm_103a", "sm_103f"]);
        assert_eq!(
            compiles_for(Sm::Sm120),
            ["sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a", "sm_121f"]
        );
    }
}
