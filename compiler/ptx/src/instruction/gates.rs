//! Whether a version and a target pass a gate.

use crate::{
    module::{Target, TargetSuffix, Version},
    table::{Alternative, Requirement},
    target::{current_number, family},
};

/// What a module says it is for.
#[derive(Clone, Copy, Debug)]
pub struct Gates {
    /// `.version`
    pub version: Version,
    /// `.target`
    pub target: Target,
    /// `.target texmode_independent`
    pub independent_textures: bool,
}

impl Gates {
    /// Whether one of the alternatives holds.
    pub fn pass(&self, requirement: &Requirement) -> bool {
        requirement.0.iter().any(|alternative| self.holds(alternative))
    }

    fn holds(&self, alternative: &Alternative) -> bool {
        match alternative {
            Alternative::Version(version) => *version <= self.version,
            Alternative::VersionUpTo(version) => self.version <= *version,
            Alternative::TargetUpTo(number) => self.target.number <= *number,
            Alternative::IndependentTextures(on) => *on == self.independent_textures,
            Alternative::Target { target, since } => since.is_none_or(|since| since <= self.version) && self.is(target),
        }
    }

    /// Whether the module's target is `wanted` or has all that it has.
    fn is(&self, wanted: &Target) -> bool {
        let (own, number, suffix) = (
            current_number(self.target.number),
            current_number(wanted.number),
            self.target.suffix,
        );
        match wanted.suffix {
            TargetSuffix::None => wanted.number <= self.target.number,
            TargetSuffix::Architecture => suffix == TargetSuffix::Architecture && own == number,
            TargetSuffix::Family => suffix != TargetSuffix::None && family(own) == family(number) && number <= own,
        }
    }

    /// The requirement in the words of the vendor's tool: `requires .target sm_80 or higher`.
    pub fn vendor(&self, requirement: &Requirement) -> String {
        let versions = requirement.0.iter().find_map(|alternative| match alternative {
            Alternative::Version(version) => Some(format!(
                "requires PTX ISA .version {}.{} or later",
                version.major, version.minor
            )),
            _ => None,
        });
        let targets = requirement.0.iter().find_map(|alternative| match alternative {
            Alternative::Target {
                target:
                    Target {
                        number,
                        suffix: TargetSuffix::None,
                    },
                ..
            } => Some(format!("requires .target sm_{number} or higher")),
            _ => None,
        });
        let is_old = |alternative: &Alternative| matches!(alternative, Alternative::VersionUpTo(version) if (version.major, version.minor) == (6, 3));
        // What threads that are scheduled independently made useless: all of it has a form with `.sync`.
        let unsynchronised = requirement.0.iter().any(is_old).then(|| {
            "without '.sync' is not supported on .target sm_70 and higher from PTX ISA version 6.4".to_owned()
        });
        targets
            .or(versions)
            .or(unsynchronised)
            .unwrap_or_else(|| format!("not supported on .target '{}'", self.target))
    }

    /// The requirement for people: every way to pass.
    pub fn describe(requirement: &Requirement) -> String {
        let one = |alternative: &Alternative| match alternative {
            Alternative::Version(version) => format!(".version {version} or later"),
            Alternative::VersionUpTo(version) => format!(".version {version} or earlier"),
            Alternative::TargetUpTo(number) => format!(".target sm_{number} or lower"),
            Alternative::IndependentTextures(true) => "`.target texmode_independent`".into(),
            Alternative::IndependentTextures(false) => "`.target texmode_unified`".into(),
            Alternative::Target { target, since } => {
                let what = match target.suffix {
                    TargetSuffix::None => format!(".target {target} or higher"),
                    TargetSuffix::Architecture => format!(".target {target}"),
                    TargetSuffix::Family => format!(".target {target} or higher of its family (f or a)"),
                };
                match since {
                    Some(version) => format!("{what} with .version {version} or later"),
                    None => what,
                }
            }
        };
        requirement.0.iter().map(one).collect::<Vec<_>>().join(", or ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(number: u16, suffix: TargetSuffix, wanted: (u16, TargetSuffix)) -> bool {
        let gates = Gates {
            version: Version { major: 9, minor: 0 },
            target: Target { number, suffix },
            independent_textures: false,
        };
        gates.is(&Target {
            number: wanted.0,
            suffix: wanted.1,
        })
    }

    #[test]
    fn suffixes() {
        use TargetSuffix::{Architecture as A, Family as F, None as N};
        let cases = [
            ((90, N), (80, N), true),
            ((75, N), (80, N), false),
            ((90, A), (90, A), true),
            ((100, A), (90, A), false),
            ((90, N), (90, A), false),
            ((103, A), (100, F), true),
            ((103, F), (100, F), true),
            ((100, F), (103, F), false),
            ((120, A), (100, F), false),
            ((110, A), (101, A), true),
        ];
        for (own, wanted, result) in cases {
            assert_eq!(pass(own.0, own.1, wanted), result, "{own:?} for {wanted:?}");
        }
    }
}
