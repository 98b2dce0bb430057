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
