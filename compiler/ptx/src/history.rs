//! What each version of PTX brought, as the tables say.

use std::fmt::Write as _;

use crate::{
    module::Version,
    reference,
    table::{Alternative, Effect, FORMS, Form, Requirement, Rule, SPECIALS, gates},
    target, versions,
};

/// The targets, directives, special registers and instructions that a version brought; nothing where the tables know of none.
///
/// ```
/// let version = warpsmith_ptx::module::Version { major: 7, minor: 8 };
/// let text = warpsmith_ptx::history::version(version);
/// assert!(text.starts_with("PTX 7.8\n  target       sm_89, sm_90\n"));
/// ```
pub fn version(version: Version) -> String {
    let mut lines = Vec::new();
    let targets = target::all();
    let new = targets
        .iter()
        .filter(|target| target::oldest_version(**target) == Some(version));
    let targets: Vec<String> = new.map(ToString::to_string).collect();
    if !targets.is_empty() {
        lines.push(format!("target       {}", targets.join(", ")));
    }
    let directives = gates::ALL.iter().filter(|gate| gate.version == version);
    lines.extend(directives.map(|gate| format!("feature      {}", gate.feature)));
    let special = SPECIALS
        .iter()
        .filter(|row| row.needs.iter().any(|requirement| alone(requirement) == Some(version)));
    lines.extend(special.map(|row| format!("register     {}", row.name)));
    for form in FORMS {
        lines.extend(
            brought(form, version)
                .into_iter()
                .map(|text| format!("instruction  {text}")),
        );
    }
    if lines.is_empty() {
        return String::new();
    }
    let mut out = format!("PTX {version}\n");
    for line in lines {
        let _ = writeln!(out, "  {line}");
    }
    out
}

/// The same of all versions, the oldest first.
pub fn all() -> String {
    versions()
        .map(version)
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The version whose manual the sections of the tables are of.
pub(crate) const MANUAL: Version = Version { major: 9, minor: 0 };

/// The version that a form is newer than the manual by.
pub(crate) fn newer(form: &Form) -> Option<Version> {
    since(form).filter(|version| *version > MANUAL)
}

/// The version that a form needs whatever its modifiers.
fn since(form: &Form) -> Option<Version> {
    let always = form.rules.iter().filter(|rule| rule.when.is_empty());
    always.filter_map(asked).max()
}

/// The version that a rule asks for, if for one alone.
fn asked(rule: &Rule) -> Option<Version> {
    let requirements = match rule.effect {
        Effect::Needs(list) => list,
        Effect::Refuse(_) | Effect::Warn(_) | Effect::Beyond(_) => return None,
    };
    requirements.iter().find_map(alone)
}

/// The version of a requirement without alternatives.
fn alone(requirement: &Requirement) -> Option<Version> {
    match requirement.0 {
        [Alternative::Version(since)] => Some(*since),
        _ => None,
    }
}

/// The form, or the cases of it, that need this version and no later one.
fn brought(form: &Form, version: Version) -> Vec<String> {
    let since = since(form);
    if since == Some(version) {
        return vec![form.pattern.to_owned()];
    }
    let rules = form.rules.iter().filter(|rule| !rule.when.is_empty());
    let cases = rules.filter(|rule| asked(rule) == Some(version) && since < Some(version));
    cases
        .map(|rule| format!("{} with {}", form.pattern, reference::conditions(rule, form)))
        .collect()
}
