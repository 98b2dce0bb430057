//! What the options of a run ask of the back end.

use warpsmith::{Arithmetic, Options};
use warpsmith_ptx::{
    module::{FunctionDirective, Module, Statement},
    table::{Modifier, Opcode},
};
use warpsmith_target::{Isa, Sm};

use super::consistency::{Mistake, Registers, level, registers};
use crate::vendor::Parsed;

/// Options that ask for something that is not done: refused, since the result would not be what was asked for.
const REFUSED: [&str; 4] = ["ewp", "astoolspatch", "sanitize", "apply-controls"];

/// The options that `.note.nv.tkinfo` tells, in ptxas' order.
const TOLD: [&str; 26] = [
    "no-bb-merge",
    "ret-end",
    "g",
    "sp-bounds-check",
    "e",
    "v",
    "warn-spills",
    "warn-lmem-usage",
    "warn-double-usage",
    "maxrregcount",
    "minnctapersm",
    "maxntid",
    "regUsageLevel",
    "lineinfo",
    "O",
    "arch",
    "dlcm",
    "dscm",
    "flcm",
    "fscm",
    "m",
    "w",
    "c",
    "fmad",
    "ewp",
    "Werror",
];

/// How the text is compiled.
///
/// # Errors
/// An option that is not supported.
pub(super) fn options(parsed: &Parsed, sm: Sm, target: &str, module: &Module) -> Result<Options, Mistake> {
    refused(parsed, sm, module)?;
    let arguments: String = TOLD
        .iter()
        .filter_map(|short| Some(format!("-{short} {} ", parsed.shown(short)?)))
        .collect();
    let debug = parsed.has("g");
    let shown = !parsed.has("suppress-debug-info");
    // Observed: places in the PTX are enough, without an option.
    let lines = shown && (debug || parsed.has("lineinfo") || has_locations(module));
    // Observed: a debugger wants them, too.
    let errors_at_exit = debug || parsed.has("make-errors-visible-at-exit");
    let mut off = Vec::new();
    if parsed.keyword("allow-expensive-optimizations") == Some("false") {
        off.extend(EXPENSIVE.map(str::to_string));
    }
    // Low levels forgo what takes registers for speed.
    if parsed.unsigned("regUsageLevel").is_some_and(|level| level <= SPARING) {
        off.extend(GENEROUS.map(str::to_string));
    }
    // What was said of these numbers was said before.
    let registers = |option| registers(parsed, option, target, &mut Vec::new()).map(Registers::number);
    Ok(Options {
        level: level(parsed),
        maximum_registers: registers("maxrregcount")?,
        maximum_function_registers: match parsed.has("c") {
            true => registers("func-maxrregcount")?,
            false => None,
        },
        override_directives: parsed.has("override-directive-values"),
        arithmetic: Arithmetic {
            contract: parsed.keyword("fmad") != Some("false"),
            ..Arithmetic::default()
        },
        // Observed: at -O0 and for a debugger it is always done.
        check_stack: parsed.has("sp-bounds-check") || level(parsed) == 0,
        errors_at_exit,
        phases_off: off,
        threads: parsed.unsigned("split-compile").map_or(0, |threads| threads as usize),
        arguments,
        line_info: lines,
        debug: shown && debug,
        relocatable: parsed.has("c"),
        annotations: parsed.has("annotate"),
        ..Options::new(sm)
    })
}

/// Phases that take more time than the size of the function says.
const EXPENSIVE: [&str; 3] = ["OriLoopUnrolling", "LateOriCommoning", "OriSplitHighPressureLiveRanges"];

/// The highest `--register-usage-level` that asks to save registers. (The usual one is 5.)
const SPARING: u64 = 2;
/// Phases after which more values are live at once.
const GENEROUS: [&str; 2] = ["OriLoopUnrolling", "OriHoistInvariantsLate"];

/// Refuses what is not done.
fn refused(parsed: &Parsed, sm: Sm, module: &Module) -> Result<(), Mistake> {
    let not_yet = |what: &str| Err(format!("Warpsmith does not support the option {what} yet"));
    for option in REFUSED {
        // Observed: -c makes ptxas ignore -ewp.
        if parsed.has(option) && !(option == "ewp" && parsed.has("c")) {
            return not_yet(&format!("'-{option}'"));
        }
    }
    // From sm_90 on ptxas says that it may not work, and does nothing; neither does it in relocatable files, which have their relocations.
    if parsed.has("preserve-relocs") && !parsed.has("c") && sm.isa() < Isa::Sm90 {
        return not_yet(&format!("'-preserve-relocs' for {sm}"));
    }
    if parsed.keyword("device-stack-protector") == Some("true") {
        return not_yet("'-device-stack-protector'");
    }
    if parsed.keyword("pic") == Some("true") && parsed.has("c") {
        return not_yet("'-pic' with '-c'");
    }
    if parsed.has("g-tmem-access-check") && !parsed.has("gno-tmem-access-check") && uses_tensor_memory(module) {
        return not_yet("'-g-tmem-access-check'");
    }
    Ok(())
}

/// Whether functions tell of places in their source.
fn has_locations(module: &Module) -> bool {
    let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
    let mut statements = bodies.flat_map(|body| &body.statements);
    statements.any(|statement| matches!(statement, Statement::Location(_)))
}

/// Whether there are instructions of the fifth generation of tensor cores.
fn uses_tensor_memory(module: &Module) -> bool {
    module
        .variants
        .iter()
        .any(|variant| variant.opcode.name().starts_with("tcgen05."))
}

/// Puts into a module what options say in place of its directives: kernels to compile, launch bounds, cache operations.
///
/// # Errors
/// A kernel that is not there, or a cache operation that is none.
pub(super) fn apply(parsed: &Parsed, module: &mut Module) -> Result<(), Mistake> {
    entries(parsed.texts("e"), module)?;
    for (opcode, operation, forced) in operations(parsed)? {
        set_operation(module, opcode, operation, forced);
    }
    let overrides = parsed.has("override-directive-values");
    // Observed: -maxrregcount makes ptxas ignore both.
    if !parsed.has("maxrregcount") {
        let threads: Vec<u64> = parsed.integers("maxntid").iter().map(|n| u64::from(*n)).collect();
        // Observed: too many are ignored, and so are those of which one is 0.
        if (1..=3).contains(&threads.len()) && !threads.contains(&0) {
            let is_bound = |d: &FunctionDirective| {
                matches!(
                    d,
                    FunctionDirective::MaxThreads(_) | FunctionDirective::RequiredThreads(_)
                )
            };
            bound(
                module,
                overrides,
                is_bound,
                &FunctionDirective::MaxThreads(threads.into()),
            );
        }
        if let Some(count) = parsed.unsigned("minnctapersm").filter(|count| *count != 0) {
            let is_bound = |d: &FunctionDirective| matches!(d, FunctionDirective::MinCtasPerSm(_));
            bound(module, overrides, is_bound, &FunctionDirective::MinCtasPerSm(count));
        }
    }
    Ok(())
}

/// `-dlcm`, `-dscm`, and `-flcm`, `-fscm`, which win over them: instructions, what they get, and whether all of them do.
///
/// # Errors
/// A cache operation that is none.
pub(super) fn operations(parsed: &Parsed) -> Result<Vec<(Opcode, Modifier, bool)>, Mistake> {
    let mut operations = Vec::new();
    for (default, force, opcode, known, what) in [
        ("dlcm", "flcm", Opcode::Ld, &LOADS[..], "load"),
        ("dscm", "fscm", Opcode::St, &STORES[..], "store"),
    ] {
        let forced = parsed.has(force);
        let Some(text) = parsed.text(if forced { force } else { default }) else {
            continue;
        };
        let named = known.iter().find(|(name, _)| *name == text);
        let (_, operation) =
            named.ok_or_else(|| format!("Invalid default cache modifier on {what} specified: {text}"))?;
        operations.push((opcode, *operation, forced));
    }
    Ok(operations)
}

const LOADS: [(&str, Modifier); 5] = [
    ("ca", Modifier::Ca),
    ("cg", Modifier::Cg),
    ("cs", Modifier::Cs),
    ("lu", Modifier::Lu),
    ("cv", Modifier::Cv),
];
const STORES: [(&str, Modifier); 4] = [
    ("wb", Modifier::Wb),
    ("cg", Modifier::Cg),
    ("cs", Modifier::Cs),
    ("wt", Modifier::Wt),
];

/// Leaves only these kernels, if any are named.
fn entries(wanted: &[String], module: &mut Module) -> Result<(), Mistake> {
    if wanted.is_empty() {
        return Ok(());
    }
    for name in wanted {
        let is_there = module
            .functions
            .iter()
            .any(|function| function.kernel && function.body.is_some() && module.names.get(function.name) == name);
        if !is_there {
            return Err(format!("Unknown function {name}"));
        }
    }
    for function in module.functions.iter_mut().filter(|function| function.kernel) {
        if !wanted.iter().any(|name| name == module.names.get(function.name)) {
            function.body = None;
        }
    }
    Ok(())
}

/// Gives every kernel a directive, unless it has one of its kind that counts more.
fn bound(module: &mut Module, overrides: bool, is_bound: impl Fn(&FunctionDirective) -> bool, new: &FunctionDirective) {
    for function in module.functions.iter_mut().filter(|function| function.kernel) {
        if function.directives.iter().any(&is_bound) {
            if !overrides {
                continue;
            }
            let keep: Vec<bool> = function.directives.iter().map(|d| !is_bound(d)).collect();
            let mut kept = keep.iter();
            function.directives.retain(|_| kept.next().is_none_or(|keep| *keep));
            let mut kept = keep.iter();
            function
                .directive_spans
                .retain(|_| kept.next().is_none_or(|keep| *keep));
        }
        function.directives.push(new.clone());
        function.directive_spans.push(function.span);
    }
}

/// Gives weak accesses to generic and global memory this cache operation: those without one, or all.
///
/// Observed, ptxas 13.0.88: priorities of eviction stay, and so do accesses with an order; loads through the non-coherent path lose a
/// cache operation where they cannot have the forced one.
fn set_operation(module: &mut Module, opcode: Opcode, operation: Modifier, all: bool) {
    for variant in module.variants.iter_mut().filter(|variant| variant.opcode == opcode) {
        let slots = &variant.form().slots;
        let at = |name| slots.iter().position(|slot| slot.name == name);
        let (Some(cache), space) = (at("cop"), at("ss")) else {
            continue;
        };
        let in_global = space
            .and_then(|space| variant.modifiers[space])
            .is_none_or(|s| s == Modifier::Global);
        let has_other = at("l1_eviction").and_then(|slot| variant.modifiers[slot]).is_some();
        let taken = slots[cache].values.contains(&operation).then_some(operation);
        if in_global && !has_other && (all || variant.modifiers[cache].is_none()) {
            variant.modifiers[cache] = taken;
        }
    }
}
