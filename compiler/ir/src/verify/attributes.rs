//! Declarations and attributes.

use warpsmith_base::Diagnostic;

use super::{Subject, Violation, is_sized};
use crate::attributes::{Extension, Inlining, ParameterAttributes};
use crate::module::{Declaration, FunctionId, Linkage, Symbols};
use crate::types::Type;

/// The rules of a function without its body.
pub(super) fn declaration(
    symbols: &Symbols,
    id: FunctionId,
    declaration: &Declaration,
    defined: bool,
    problems: &mut Vec<Violation>,
) {
    let data = symbols.context.function_data(declaration.ty);
    let mut rule = |holds: bool, rule: &str| {
        if !holds {
            let problem = Diagnostic::error(rule).about(format!("function @{}", declaration.name));
            let subject = Subject::Function(id);
            problems.push(Violation { subject, problem });
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
    rule(
        !(defined && declaration.linkage == Linkage::ExternalWeak),
        "a function of linkage extern_weak has no body",
    );
    rule(
        defined || declaration.comdat.is_none(),
        "a declaration is in no comdat group",
    );
    rule(
        !(defined && declaration.name.starts_with("llvm.")),
        "intrinsics have no body",
    );
    rule(
        data.result != Type::Token || declaration.name.starts_with("llvm."),
        "only intrinsics give tokens",
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
    rule(
        !(attributes.optnone && (attributes.optsize || attributes.minsize)),
        "what is not to be optimised is not made small",
    );
    let intrinsic = declaration.name.starts_with("llvm.");
    rule(
        intrinsic || declaration.parameters.iter().all(|attributes| !attributes.immarg),
        "only parameters of intrinsics are constants (immarg)",
    );
    if let Some(broken) = broken_rule_of_list(&declaration.parameters, &data.parameters, data.result) {
        rule(false, broken);
    }
    for (attributes, &ty) in declaration.parameters.iter().zip(&data.parameters) {
        if let Some(broken) = broken_rule(attributes, ty) {
            rule(false, broken);
        }
        rule(
            !attributes.grid_constant || declaration.kernel.is_some(),
            "only parameters of kernels are constant for the grid",
        );
    }
    if let Some(broken) = broken_rule_of_result(&declaration.result_attributes, data.result) {
        rule(false, broken);
    }
}

/// The rule that attributes of a result break.
pub(super) fn broken_rule_of_result(attributes: &ParameterAttributes, ty: Type) -> Option<&'static str> {
    if attributes.byval.is_some() {
        return Some("a result is not passed by value in memory");
    }
    let of_parameters = attributes.sret.is_some()
        || attributes.nocapture
        || attributes.nofree
        || attributes.returned
        || attributes.immarg
        || attributes.readnone
        || attributes.readonly
        || attributes.writeonly;
    if of_parameters {
        return Some("sret, nocapture, nofree, returned, immarg, readnone, readonly and writeonly are of parameters");
    }
    broken_rule(attributes, ty)
}

/// The rule that the attributes of all parameters together break.
pub(super) fn broken_rule_of_list(list: &[ParameterAttributes], types: &[Type], result: Type) -> Option<&'static str> {
    let (mut results, mut returned) = (0, 0);
    for (number, (attributes, &ty)) in list.iter().zip(types).enumerate() {
        if attributes.sret.is_some() {
            results += 1;
            if number > 1 {
                return Some("sret is of the first or second parameter");
            }
        }
        if attributes.returned {
            returned += 1;
            if ty != result {
                return Some("a parameter that is returned has the type of the result");
            }
        }
    }
    if results > 1 {
        return Some("only one parameter is sret");
    }
    (returned > 1).then_some("only one parameter is returned")
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
    if pointers_only && !ty.is_pointer() {
        return Some("byval, sret, noalias, nonnull, nocapture and dereferenceable are of pointers");
    }
    if (attributes.readnone || attributes.readonly || attributes.writeonly) && !ty.is_pointer() {
        return Some("readnone, readonly and writeonly are of pointers");
    }
    // Vectors of pointers may have an alignment; their elements are not looked at.
    if attributes.align > 0 && !ty.is_pointer() && !ty.is_vector() {
        return Some("align is of pointers");
    }
    if usize::from(attributes.byval.is_some())
        + usize::from(attributes.sret.is_some())
        + usize::from(attributes.inreg && attributes.byval.is_some())
        > 1
    {
        return Some("a parameter is only one of byval, sret and inreg");
    }
    if attributes.sret.is_some() && attributes.returned {
        return Some("a parameter is not both sret and returned");
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
