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
pub(crate) fn file(text: &[u8]) -> Verdict {
    first_error(text, &warpsmith_ptx::parse(text).problems)
}

/// What our checker says of a line; the place is the line of the module around it.
pub(crate) fn line(line: &Line) -> Verdict {
    let bodies = std::iter::once(line.body.as_str());
    file(line.frame.module(bodies, &line.target, &line.version).as_bytes())
}

/// The lines that the instruction tables themselves give, every `step`th of them: every form with each of its modifiers, legal and with one fault, for
/// each target and version.
pub(crate) fn table_lines(step: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut number = 0;
    for &(target_name, versions) in TARGETS {
        for &version_name in versions {
            let gates = Gates {
                version: version(version_name),
                target: target(target_name),
                independent_textures: false,
            };
            for example in examples::forms()
                .flat_map(|form| [examples::legal(form, gates), examples::faulty(form, gates)].concat())
            {
                if number % step == 0 {
                    lines.push(Line {
                        frame: Frame::Examples,
                        body: example.text,
                        target: target_name.to_owned(),
                        version: version_name.to_owned(),
                    });
                }
                number += 1;
            }
        }
    }
    lines
}

/// `9.0`; 0.0 for anything else.
pub(crate) fn version(text: &str) -> Version {
    let (major, minor) = text.split_once('.').unwrap_or_default();
    let number = |text: &str| text.parse().unwrap_or_default();
    Version {
        major: number(major),
        minor: number(minor),
    }
}

/// `sm_90a`; `sm_0` for anything else.
pub(crate) fn target(text: &str) -> Target {
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
