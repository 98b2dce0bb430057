//! The targets that `.target` may name.

use warpsmith_target::{Sm, Suffix};

use crate::{
    module::{Target, TargetSuffix, Version},
    table::{NEW_TARGETS, OLD_TARGETS, RENAMED_TARGETS, RenamedTarget},
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
    if let Some((_, _, since)) = new(target.number) {
        return Some(*since);
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
    for (number, ..) in NEW_TARGETS {
        let suffixes = [TargetSuffix::None, TargetSuffix::Family, TargetSuffix::Architecture];
        targets.extend(suffixes.map(|suffix| Target {
            number: *number,
            suffix,
        }));
    }
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
    let named = sm(plain).and_then(|sm| sm.info().family);
    named
        .or_else(|| new(number).map(|(_, family, _)| *family))
        .unwrap_or(number)
}

/// Whether PTX that names a target compiles for an SM. What is written for targets that there is no code for any more runs on all that there is code for.
pub fn compiles_for(target: Target, on: Sm) -> bool {
    match (sm(target), new(target.number)) {
        (Some(target), _) => on.accepts_ptx_target(target),
        (None, Some((number, ..))) => target.suffix == TargetSuffix::None && *number <= on.info().number,
        (None, None) => true,
    }
}

/// A target that no code is made for yet.
fn new(number: u16) -> Option<&'static (u16, u16, Version)> {
    NEW_TARGETS.iter().find(|(row, ..)| *row == number)
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
        assert_eq!(since(107, TargetSuffix::Family).as_deref(), Some("9.4"));
    }

    #[test]
    fn families() {
        assert_eq!(
            [100, 103, 107, 101, 110, 120, 121, 90].map(family),
            [100, 100, 100, 110, 110, 120, 120, 90]
        );
    }

    #[test]
    fn a_target_without_code_compiles_for_later_ones() {
        let target = |suffix| Target { number: 107, suffix };
        let on = |suffix| {
            ["sm_103a", "sm_110", "sm_120a"].map(|sm| compiles_for(target(suffix), sm.parse().expect("a target")))
        };
        assert_eq!(on(TargetSuffix::None), [false, true, true]);
        assert_eq!(on(TargetSuffix::Family), [false; 3]);
        assert_eq!(on(TargetSuffix::Architecture), [false; 3]);
    }
}
