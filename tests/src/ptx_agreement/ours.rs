//! Asks our own checker.

use super::{
    Line, Verdict,
    frame::{Frame, TARGETS},
};
use warpsmith_ptx::{
    Problem, Severity, examples,
    instruction::Gates,
    module::{Target, TargetSuffix, Version},
};

/// What our checker says of a whole file.
pub fn file(text: &[u8]) -> Verdict {
    first_error(text, &warpsmith_ptx::parse(text).problems)
}

/// What our checker says of a line; the place is the line of the module around it.
pub fn line(line: &Line) -> Verdict {
    let bodies = std::iter::once(line.body.as_str());
    file(line.frame.module(bodies, &line.target, &line.version).as_bytes())
}

/// The lines that the instruction tables themselves give, every `step`th of them: every form with each of its modifiers, legal and with one fault, for
/// each target and version.
pub fn table_lines(step: usize) -> Vec<Line> {
    let modules = TARGETS.iter().flat_map(|&(target, versions)| {
        versions
            .iter()
            .flat_map(move |&version| [false, true].map(move |textures| (target, version, textures)))
    });
    let lines = modules.flat_map(|(target, version, independent_textures)| {
        let gates = gates(target, version, independent_textures);
        let both = move |form| [examples::legal(form, gates), examples::faulty(form, gates)].concat();
        examples::forms().flat_map(both).map(move |example| Line {
            frame: Frame::Examples { independent_textures },
            body: example.text,
            target: target.to_owned(),
            version: version.to_owned(),
        })
    });
    lines.step_by(step.max(1)).collect()
}

/// A target and version, and targets and versions that have more or less.
type Ladder = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static [&'static str])],
);

/// Where a line is legal, and where else it is tried: versions of one target, and targets of the newest version.
const LADDERS: &[Ladder] = &[
    (
        "sm_20",
        "9.0",
        &[(
            "sm_20",
            &[
                "2.0", "2.1", "2.2", "2.3", "3.0", "3.1", "3.2", "4.0", "4.1", "4.2", "4.3", "5.0", "5.1", "6.0", "6.2",
            ],
        )],
    ),
    (
        "sm_75",
        "9.0",
        &[
            ("sm_20", &["9.0"]),
            ("sm_30", &["9.0"]),
            ("sm_32", &["9.0"]),
            ("sm_35", &["9.0"]),
            ("sm_50", &["9.0"]),
            ("sm_53", &["9.0", "4.2", "5.0"]),
            ("sm_60", &["9.0", "5.0", "6.0"]),
            ("sm_61", &["9.0"]),
            ("sm_62", &["9.0"]),
            ("sm_70", &["9.0", "6.0", "6.1", "6.2"]),
            ("sm_72", &["9.0"]),
            (
                "sm_75",
                &[
                    "6.3", "6.4", "6.5", "7.0", "7.1", "7.2", "7.3", "7.4", "7.5", "7.6", "7.7", "7.8", "8.0", "8.1",
                    "8.3", "8.4",
                ],
            ),
        ],
    ),
    (
        "sm_90a",
        "9.0",
        &[
            ("sm_75", &["9.0"]),
            ("sm_80", &["9.0", "7.0", "7.1", "7.4", "7.6", "7.8", "8.0"]),
            ("sm_86", &["9.0"]),
            ("sm_89", &["9.0", "8.1", "8.4"]),
            ("sm_90", &["9.0", "7.8", "8.0"]),
            ("sm_90a", &["8.0", "8.1", "8.3", "8.4", "8.5", "8.6", "8.7", "8.8"]),
            ("sm_100a", &["9.0"]),
        ],
    ),
    (
        "sm_100a",
        "9.0",
        &[
            ("sm_90a", &["9.0"]),
            ("sm_100", &["9.0"]),
            ("sm_100f", &["9.0", "8.8"]),
            ("sm_100a", &["8.6", "8.7", "8.8"]),
            ("sm_103", &["9.0"]),
            ("sm_103f", &["9.0"]),
            ("sm_103a", &["9.0", "8.8"]),
            ("sm_110f", &["9.0"]),
            ("sm_110a", &["9.0"]),
            ("sm_120a", &["9.0"]),
        ],
    ),
    (
        "sm_120a",
        "9.0",
        &[
            ("sm_89", &["9.0"]),
            ("sm_100a", &["9.0"]),
            ("sm_120", &["9.0"]),
            ("sm_120f", &["9.0", "8.8"]),
            ("sm_120a", &["8.7", "8.8"]),
            ("sm_121a", &["9.0", "8.8"]),
        ],
    ),
];

/// Every `step`th line that the instruction tables give as legal somewhere, for targets and versions that lack some of it.
pub fn gate_lines(step: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for (target, version, others) in LADDERS {
        let legal: Vec<String> = examples::forms()
            .flat_map(|form| examples::legal(form, gates(target, version, false)))
            .map(|example| example.text)
            .collect();
        for (target, versions) in *others {
            for version in *versions {
                lines.extend(legal.iter().map(|body| Line {
                    frame: Frame::Examples {
                        independent_textures: false,
                    },
                    body: body.clone(),
                    target: (*target).to_owned(),
                    version: (*version).to_owned(),
                }));
            }
        }
    }
    lines.into_iter().step_by(step.max(1)).collect()
}

/// What a module for that target and version may use.
pub fn gates(target_name: &str, version_name: &str, independent_textures: bool) -> Gates {
    Gates {
        version: version(version_name),
        target: target(target_name),
        independent_textures,
    }
}

/// `9.0`; 0.0 for anything else.
pub fn version(text: &str) -> Version {
    let (major, minor) = text.split_once('.').unwrap_or_default();
    let number = |text: &str| text.parse().unwrap_or_default();
    Version {
        major: number(major),
        minor: number(minor),
    }
}

/// `sm_90a`; `sm_0` for anything else.
fn target(text: &str) -> Target {
    let text = text.trim_start_matches("sm_");
    let suffix = match text.bytes().last() {
        Some(b'a') => TargetSuffix::Architecture,
        Some(b'f') => TargetSuffix::Family,
        _ => TargetSuffix::None,
    };
    Target {
        number: text.trim_end_matches(['a', 'f']).parse().unwrap_or_default(),
        suffix,
    }
}

fn first_error(text: &[u8], problems: &[Problem]) -> Verdict {
    let errors = problems.iter().filter(|p| p.severity != Severity::Warning);
    let Some(first) = errors.min_by_key(|p| p.span.start) else {
        return Verdict::Accepted;
    };
    let before = &text[..(first.span.start as usize).min(text.len())];
    let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
    Verdict::Refused {
        line: Some(line as u32),
        message: first.vendor_text().to_owned(),
    }
}
