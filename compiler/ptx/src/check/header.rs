//! `.version` and `.target`.

use warpsmith_target::Sm;

use super::Checker;
use crate::{
    Problem,
    module::{Target, TargetSuffix, Version},
};

/// Targets that no code is made for any more: number, and the oldest version that may name it. The others are in the target tables.
/// (Observed; the manual agrees but for sm_82, which it does not name.)
const OLD_TARGETS: [(u16, u8, u8); 19] = [
    (10, 1, 0),
    (11, 1, 0),
    (12, 1, 2),
    (13, 1, 2),
    (20, 2, 0),
    (21, 2, 0),
    (30, 3, 0),
    (32, 4, 0),
    (35, 3, 1),
    (37, 4, 1),
    (50, 4, 0),
    (52, 4, 1),
    (53, 4, 2),
    (60, 5, 0),
    (61, 5, 0),
    (62, 5, 0),
    (70, 5, 1),
    (72, 6, 1),
    (82, 6, 2),
];

/// The former name of sm_110, which keeps its minima.
const RENAMED: (u16, u8, u8) = (101, 8, 6);
/// The oldest version that knows targets with `f`.
const FAMILIES_SINCE: Version = Version { major: 8, minor: 8 };

/// The oldest version that may name a target; `None`: there is no such target.
fn oldest_version(target: Target) -> Option<Version> {
    if let Ok(sm) = target.to_string().parse::<Sm>() {
        let since = sm.info().min_ptx;
        return Some(Version {
            major: since.major,
            minor: since.minor,
        });
    }
    let (number, major, minor) = RENAMED;
    if target.number == number {
        let plain = Version { major, minor };
        return Some(if target.suffix == TargetSuffix::Family {
            FAMILIES_SINCE
        } else {
            plain
        });
    }
    let row = OLD_TARGETS
        .iter()
        .find(|(number, ..)| *number == target.number && target.suffix == TargetSuffix::None)?;
    Some(Version {
        major: row.1,
        minor: row.2,
    })
}

impl Checker<'_, '_> {
    pub(super) fn header(&mut self) {
        let (version, target) = (self.module.version, self.module.target);
        if target.number == 0 {
            return;
        }
        // The parser reports versions and targets that there are not.
        match oldest_version(target) {
            Some(since) if version < since => {
                let problem = Problem::error(
                    self.module.target_span,
                    format!("{target} needs .version {since} or later"),
                )
                .vendor(format!("PTX .version {version} does not support .target {target}"));
                self.report(problem.note(format!("this module says .version {version}")));
            }
            Some(_) | None => {}
        }
        self.target_options();
        self.address_size();
    }

    /// No target runs 32-bit code any more.
    fn address_size(&mut self) {
        if self.module.address_size == 64 {
            return;
        }
        let old = self.module.target.number < 90;
        let vendor = if old {
            "32-Bit compilation is no longer supported"
        } else {
            "32-Bit ABI (--machine 32 or 32-Bit addressing) is not supported on sm_90 or higher architectures."
        };
        let message = "there is no code for 32-bit addresses any more; .address_size is 64";
        self.report(
            Problem::error(self.module.target_span, message)
                .vendor(vendor)
                .without_line(),
        );
    }

    fn target_options(&mut self) {
        let mut mode: Option<&str> = None;
        let module = self.module;
        for &name in &module.target_options {
            let option = self.text(name);
            match option {
                "texmode_unified" | "texmode_independent" => {
                    if mode.is_some_and(|mode| mode != option) {
                        let problem = Problem::error(module.target_span, "a module has one texture mode")
                            .vendor(format!("Conflicting .target option '{option}'"));
                        self.report(problem);
                    }
                    mode = Some(option);
                }
                "map_f64_to_f32" if module.target.number >= 13 => {
                    let message = "map_f64_to_f32 is for targets without double precision, below sm_13";
                    let vendor = "Directive map_f64_to_f32 is not supported with SM 1.3 or higher";
                    self.report(Problem::error(module.target_span, message).vendor(vendor));
                }
                "debug" if module.sections.is_empty() => {
                    let message = "`.target debug` promises debug information, and there is no .section";
                    let vendor = "Debug information not found in presence of .target debug";
                    self.report(
                        Problem::error(module.target_span, message)
                            .vendor(vendor)
                            .without_line(),
                    );
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn since(number: u16, suffix: TargetSuffix) -> Option<String> {
        oldest_version(Target { number, suffix }).map(|version| version.to_string())
    }

    #[test]
    fn targets_and_their_versions() {
        assert_eq!(since(90, TargetSuffix::Architecture).as_deref(), Some("8.0"));
        assert_eq!(since(52, TargetSuffix::None).as_deref(), Some("4.1"));
        assert_eq!(since(101, TargetSuffix::Family).as_deref(), Some("8.8"));
        assert_eq!(since(110, TargetSuffix::None).as_deref(), Some("9.0"));
        assert_eq!(
            (since(91, TargetSuffix::None), since(80, TargetSuffix::Architecture)),
            (None, None)
        );
    }
}
