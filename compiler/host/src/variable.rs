//! Variables of the device: their shadows on the host.

use std::collections::HashSet;

use warpsmith_cuda::syntax::ast::{
    AttributeKind, ConstexprKind, Declaration, DeclarationKind, Id, InitDeclarator, Specifiers, StorageClass,
};

use crate::unit::{Sharing, Unit, has};

/// What the shadow of a managed variable is called, with the variable's name behind it.
pub(crate) const SHADOW: &str = "__warpsmith_shadow_";

/// The same of the place where the host keeps its address.
pub(crate) const PLACE: &str = "__warpsmith_place_";

/// A declaration of variables at namespace scope.
struct Found {
    declaration: Id<Declaration>,
    specifiers: Id<Specifiers>,
    /// Not declared as the one of `extern "C"`, and no template.
    may_be_static: bool,
}

/// Edits the variables of namespaces.
pub(crate) fn declarations(unit: &mut Unit, sharing: Sharing) {
    let mut found = Vec::new();
    let roots = unit.ast.roots.clone();
    collect(unit, &roots, true, &mut found);
    // What is declared `extern` first cannot become static.
    let mut external = HashSet::new();
    for one in &found {
        let DeclarationKind::Simple { declarators, .. } = &unit.ast[one.declaration].kind else {
            continue;
        };
        if unit.ast[one.specifiers].storage == StorageClass::Extern || !one.may_be_static {
            external.extend(
                declarators
                    .iter()
                    .filter_map(|declarator| name(unit, declarator))
                    .map(str::to_owned),
            );
        }
    }
    for one in &found {
        variables(unit, one, &external, sharing);
    }
}

/// The declarations of device variables among those of a namespace, and of those in it.
fn collect(unit: &Unit, declarations: &[Id<Declaration>], may_be_static: bool, found: &mut Vec<Found>) {
    for &id in declarations {
        match &unit.ast[id].kind {
            DeclarationKind::Namespace { declarations, .. } => collect(unit, declarations, true, found),
            DeclarationKind::Linkage {
                declarations, braced, ..
            } => {
                collect(unit, declarations, may_be_static && *braced, found);
            }
            DeclarationKind::Template { declaration, .. } => collect(unit, &[*declaration], false, found),
            DeclarationKind::Simple {
                specifiers,
                declarators,
            } => {
                let of_device = |kind: &AttributeKind| {
                    matches!(
                        kind,
                        AttributeKind::Device | AttributeKind::Constant | AttributeKind::Managed
                    )
                };
                let is_function = declarators
                    .iter()
                    .any(|one| unit.ast[one.declarator].function().is_some());
                if !is_function && !declarators.is_empty() && has(&unit.ast[*specifiers].attributes, of_device) {
                    found.push(Found {
                        declaration: id,
                        specifiers: *specifiers,
                        may_be_static,
                    });
                }
            }
            _ => {}
        }
    }
}

/// The name that a declarator declares, unless it is a qualified one.
fn name<'a>(unit: &Unit<'a>, declarator: &InitDeclarator) -> Option<&'a str> {
    let name = unit.ast[declarator.declarator].name?;
    unit.ast[name]
        .as_identifier()
        .map(|_| unit.text_of(unit.ast[name].span))
}

fn variables(unit: &mut Unit, found: &Found, external: &HashSet<String>, sharing: Sharing) {
    let DeclarationKind::Simple { declarators, .. } = unit.ast[found.declaration].kind.clone() else {
        return;
    };
    let specifiers = unit.ast[found.specifiers].clone();
    let range = unit.range(unit.ast[found.declaration].span);
    let names: Vec<&str> = declarators
        .iter()
        .filter_map(|declarator| name(unit, declarator))
        .collect();
    let is_plain = specifiers.storage == StorageClass::None
        && !specifiers.is_inline
        && !specifiers.is_typedef
        && specifiers.constexpr == ConstexprKind::None;
    let becomes_static = sharing == Sharing::None
        && found.may_be_static
        && is_plain
        && names.len() == declarators.len()
        && names.iter().all(|name| !external.contains(*name));
    if becomes_static {
        unit.edits.insert(range.start, "static ");
    }
    if !has(&specifiers.attributes, |kind| matches!(kind, AttributeKind::Managed)) {
        return;
    }
    let is_shared = !becomes_static && specifiers.storage != StorageClass::Static;
    if is_shared && sharing == Sharing::None {
        let span = unit.ast[found.declaration].span;
        unit.error(
            span,
            "a managed variable that other units may know needs -rdc=true; one that is `static` does not",
        );
        return;
    }
    let mut behind = String::new();
    for declarator in &declarators {
        let Some(id) = unit.ast[declarator.declarator].name else {
            continue;
        };
        let name = unit.ast[id].span;
        let (text, at) = (unit.text_of(name), unit.range(name));
        unit.edits.replace(at.start, at.end, format!("{SHADOW}{text}"));
        if specifiers.storage == StorageClass::Extern {
            behind.push_str(&format!(" extern decltype({SHADOW}{text}) &{text};"));
            continue;
        }
        let linkage = if is_shared { "" } else { "static " };
        behind.push_str(&format!(
            " static void *{PLACE}{text}; {linkage}decltype({SHADOW}{text}) &{text} = \
             *static_cast<decltype({SHADOW}{text}) *>(__warpsmith_managed(&{PLACE}{text}));"
        ));
    }
    unit.edits.insert(range.end, behind);
}
