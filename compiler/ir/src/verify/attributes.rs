//! Declarations and attributes.

use warpsmith_base::Diagnostic;

use super::is_sized;
use crate::attributes::{Extension, Inlining, ParameterAttributes};
use crate::module::{Declaration, Linkage, Symbols};
use crate::types::Type;

/// The rules of a function without its body.
pub(super) fn declaration(symbols: &Symbols, declaration: &Declaration, defined: bool, problems: &mut Vec<Diagnostic>) {
    let data = symbols.context.function_data(declaration.ty);
    let mut rule = |holds: bool, rule: &str| {
        if !holds {
            problems.push(Diagnostic::error(rule).about(format!("function @{}", declaration.name)));
        }
    };
    rule(
        declaration.parameters.len() == data.parameters.len(),
        "there are attributes for each parameter",
    );
    rule(
        declaration.align == 0 || declaration.align.is_power_of_two(),
        "an alignment is a power of two",
    );
    let declared = matches!(declaration.linkage, Linkage::External | Linkage::ExternalWeak);
    rule(defined || declared, "a function without body is of external linkage");
    rule(
        !matches!(declaration.linkage, Linkage::Appending | Linkage::Common),
        "functions are neither joined nor tentative",
    );
    if declaration.kernel.is_some() {
        rule(data.result == Type::Void, "a kernel has no result");
        rule(!data.variadic, "a kernel has a fixed number of parameters");
    }
    let attributes = &declaration.attributes;
    rule(
        !(attributes.optnone && attributes.inlining == Inlining::Always),
        "what is not to be optimised is not inlined always",
    );
    rule(
        !attributes.optnone || attributes.inlining == Inlining::Never,
        "what is not to be optimised is not inlined",
    );
    for (attributes, &ty) in declaration.parameters.iter().zip(&data.parameters) {
        if let Some(broken) = broken_rule(attributes, ty) {
            rule(false, broken);
        }
        rule(
            !attributes.grid_constant || declaration.kernel.is_some(),
            "only parameters of kernels are constant for the grid",
        );
    }
    if let Some(broken) = broken_rule(&declaration.result_attributes, data.result) {
        rule(false, broken);
    }
    rule(
        declaration.result_attributes.byval.is_none(),
        "a result is not passed by value in memory",
    );
}

/// The rule that attributes break for a parameter of a type.
pub(super) fn broken_rule(attributes: &ParameterAttributes, ty: Type) -> Option<&'static str> {
    let pointers_only = attributes.byval.is_some()
        || attributes.sret.is_some()
        || attributes.noalias
        || attributes.nonnull
        || attributes.nocapture
        || attributes.dereferenceable > 0
        || attributes.dereferenceable_or_null > 0;
    let is_pointer = match ty {
        Type::Pointer(_) => true,
        // Vectors of pointers may have these as well; their elements are not looked at.
        Type::Vector(_) => true,
        _ => false,
    };
    if pointers_only && !is_pointer {
        return Some("byval, sret, noalias, nonnull, nocapture and dereferenceable are of pointers");
    }
    if attributes.byval.is_some() && attributes.sret.is_some() {
        return Some("a parameter is not both byval and sret");
    }
    if attributes.byval.or(attributes.sret).is_some_and(|ty| !is_sized(ty)) {
        return Some("what is passed by value has a size");
    }
    if attributes.extension != Extension::None && !ty.is_int() {
        return Some("signext and zeroext are of integers");
    }
    let power = |align: u32| align == 0 || align.is_power_of_two();
    if !power(attributes.align) || !power(attributes.stack_align) {
        return Some("an alignment is a power of two");
    }
    if usize::from(attributes.readnone) + usize::from(attributes.readonly) + usize::from(attributes.writeonly) > 1 {
        return Some("a pointer is one of readnone, readonly and writeonly");
    }
    None
}
