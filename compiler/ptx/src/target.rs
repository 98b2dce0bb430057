//! The targets that `.target` may name.

use warpsmith_target::{Sm, Suffix};

use crate::{
    module::{Target, TargetSuffix, Version},
    table::{OLD_TARGETS, RENAMED_TARGETS, RenamedTarget},
};

/// The oldest version that may name a target; `None`: there is no such target.
pub(crate) fn oldest_version(target: Target) -> Option<Version> {
    if let Some(sm) = sm(target) {
        let since = sm.info().min_ptx;
        return Some(Version {
            major: since.major,
            minor: since.minor,
        });
    }
    if let Some(row) = renamed(target.number) {
        return Some(match target.suffix {
            TargetSuffix::Family => row.family_since,
            TargetSuffix::None | TargetSuffix::Architecture => row.since,
        });
    }
    let old = |(number, _): &&(u16, Version)| *number == target.number && target.suffix == TargetSuffix::None;
    OLD_TARGETS.iter().find(old).map(|(_, since)| *since)
}

/// Every target that may be named, ascending.
pub(crate) fn all() -> Vec<Target> {
    let plain = |number: u16| Target {
        number,
        suffix: TargetSuffix::None,
    };
    let mut targets: Vec<Target> = OLD_TARGETS.iter().map(|(number, _)| plain(*number)).collect();
    targets.extend(Sm::ALL.iter().map(|sm| Target {
        number: sm.info().number,
        suffix: suffix(sm.info().suffix),
    }));
    for row in RENAMED_TARGETS {
        let same = targets.clone().into_iter().filter(|target| target.number == row.number);
        targets.extend(same.map(|target| Target {
            number: row.former,
            ..target
        }));
    }
    targets.sort_by_key(|target| (target.number, target.suffix));
    targets
}

/// Today's number of a target.
pub(crate) fn current_number(number: u16) -> u16 {
    renamed(number).map_or(number, |row| row.number)
}

/// The family of a target number: targets that share `f` features. A target without family is its own.
pub(crate) fn family(number: u16) -> u16 {
    let number = current_number(number);
    let plain = Target {
        number,
        suffix: TargetSuffix::None,
    };
    sm(plain).and_then(|sm| sm.info().family).unwrap_or(number)
}

fn renamed(number: u16) -> Option<&'static RenamedTarget> {
    RENAMED_TARGETS.iter().find(|row| row.former == number)
}

/// The target as code is made for it.
fn sm(target: Target) -> Option<Sm> {
    target.to_string().parse().ok()
}

fn suffix(suffix: Suffix) -> TargetSuffix {
    match suffix {
        Suffix::None => TargetSuffix::None,
        Suffix::Architecture => TargetSuffix::Architecture,
        Suffix::Family => TargetSuffix::Family,
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

    #[test]
    fn families() {
        assert_eq!(
            [100, 103, 101, 110, 120, 121, 90].map(family),
            [100, 100, 110, 110, 120, 120, 90]
        );
    }
}
