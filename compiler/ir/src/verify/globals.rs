//! Variables.

use warpsmith_base::Diagnostic;

use super::{Subject, Violation, constant_fits, is_sized};
use crate::constant::Constant;
use crate::module::{Global, GlobalId, Linkage, Symbols};
use crate::types::{AddressSpace, Type};

/// Names of arrays that say something to the compiler: what is used, and what runs before and after the program.
const LISTS_OF_USED: &[&str] = &["llvm.used", "llvm.compiler.used"];
const LISTS_OF_FUNCTIONS: &[&str] = &["llvm.global_ctors", "llvm.global_dtors"];

/// The rules of a variable.
pub(super) fn variable(symbols: &Symbols, id: GlobalId, global: &Global, problems: &mut Vec<Violation>) {
    let context = &symbols.context;
    let mut rule = |holds: bool, rule: &str| {
        if !holds {
            let problem = Diagnostic::error(rule).about(format!("variable @{}", global.name));
            let subject = Subject::Global(id);
            problems.push(Violation { subject, problem });
        }
    };
    rule(is_sized(global.ty), "the value of a variable has a size");
    rule(
        global.align == 0 || global.align.is_power_of_two(),
        "an alignment is a power of two",
    );
    let spaces = [
        AddressSpace::GENERIC,
        AddressSpace::GLOBAL,
        AddressSpace::SHARED,
        AddressSpace::CONSTANT,
    ];
    rule(
        spaces.contains(&global.space),
        "variables are in the generic, global, shared or constant address space",
    );
    rule(
        global.linkage != Linkage::Appending || matches!(global.ty, Type::Array(_)),
        "only arrays are joined by linking (appending)",
    );
    special(symbols, global, &mut rule);
    match global.initializer {
        Some(initializer) => {
            rule(
                context.constant_type(initializer) == global.ty,
                "an initializer has the type of its variable",
            );
            rule(
                global.linkage != Linkage::ExternalWeak,
                "a variable of linkage extern_weak has no initializer",
            );
            rule(
                global.linkage != Linkage::Common || context.is_zero(initializer),
                "the initializer of a common variable is zero",
            );
            rule(
                global.linkage != Linkage::Common || !global.constant,
                "a common variable is not constant",
            );
            let empty = matches!(context.constant(initializer), Constant::Undef(_) | Constant::Poison(_))
                || context.is_zero(initializer);
            let rule_of_shared = "variables in shared memory have no initial value: their initializer is undef or zero";
            rule(global.space != AddressSpace::SHARED || empty, rule_of_shared);
            rule(
                constant_fits(symbols, initializer, 0),
                "a constant names only what the module has, and converts between types that can be converted",
            );
        }
        None => {
            let declared = matches!(global.linkage, Linkage::External | Linkage::ExternalWeak);
            rule(
                declared,
                "a variable without initializer is a declaration, of external linkage",
            );
            rule(global.comdat.is_none(), "a declaration is in no comdat group");
        }
    }
}

/// The rules of the arrays that LLVM names.
fn special(symbols: &Symbols, global: &Global, rule: &mut impl FnMut(bool, &str)) {
    let (used, functions) = (
        LISTS_OF_USED.contains(&global.name.as_str()),
        LISTS_OF_FUNCTIONS.contains(&global.name.as_str()),
    );
    if !used && !functions {
        return;
    }
    let context = &symbols.context;
    rule(
        global.initializer.is_none() || global.linkage == Linkage::Appending,
        "this array is joined by linking: its linkage is appending",
    );
    let element = match global.ty {
        Type::Array(array) => context.array_parts(array).element,
        _ => Type::Void,
    };
    if used {
        rule(element.is_pointer(), "this is an array of addresses");
        let named = |id| {
            matches!(
                context.constant(base(symbols, id)),
                Constant::Global { .. } | Constant::Function(_) | Constant::Alias { .. }
            )
        };
        let members = match global.initializer.map(|id| context.constant(id)) {
            Some(Constant::Aggregate { elements, .. }) => elements.iter().all(|&id| named(id)),
            Some(Constant::Zero(_)) => context.element_count(global.ty) == Some(0),
            Some(_) => false,
            None => true,
        };
        rule(
            members || !element.is_pointer(),
            "the members are addresses of variables and functions",
        );
        return;
    }
    let fields = match element {
        Type::Struct(structure) => &context.struct_data(structure).fields[..],
        _ => &[],
    };
    let fits = matches!(
        fields,
        [Type::Int(32), Type::Pointer(_)] | [Type::Int(32), Type::Pointer(_), Type::Pointer(_)]
    );
    rule(
        fits,
        "the elements are a priority of 32 bits, a function and an address",
    );
}

/// What an address is computed from.
pub(super) fn base(symbols: &Symbols, id: crate::constant::ConstantId) -> crate::constant::ConstantId {
    use crate::constant::ConstantExpression as E;
    let mut id = id;
    while let Constant::Expression(E::Gep { base, .. } | E::Cast { operand: base, .. }) = symbols.context.constant(id) {
        id = *base;
    }
    id
}
