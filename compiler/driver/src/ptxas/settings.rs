//! What the options of a run ask of the back end.

use std::sync::Arc;

use warpsmith_ori::{ObjectOptions, Options};
use warpsmith_ptx::{
    module::{FunctionDirective, Module},
    table::{Modifier, Opcode},
};
use warpsmith_target::{Isa, Sm};

use crate::{Console, vendor::Parsed};

/// Options that ask for something that is not done yet: refused, since the result would not be what was asked for.
const REFUSED: [&str; 7] = [
    "ewp",
    "astoolspatch",
    "sanitize",
    "sp-bounds-check",
    "preserve-relocs",
    "make-errors-visible-at-exit",
    "func-maxrregcount",
];

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

/// What is wrong with the options: a fatal message.
pub(super) type Mistake = String;

/// The options of the back end.
///
/// # Errors
/// An option that is not supported or has a value that it cannot have, in ptxas' words where it has some.
pub(super) fn options(
    parsed: &Parsed,
    sm: Sm,
    target: &str,
    text: &[u8],
    console: &mut Console,
) -> Result<Options, Mistake> {
    for option in REFUSED {
        if parsed.has(option) {
            return Err(format!("Warpsmith does not support the option '-{option}' yet"));
        }
    }
    if parsed.has("c") && sm.isa() >= Isa::Sm100 {
        return Err(format!(
            "Warpsmith does not support the option '-c' for {sm} yet: linkers want the Mercury twin of its code"
        ));
    }
    if parsed.keyword("device-stack-protector") == Some("true") {
        return Err("Warpsmith does not support the option '-device-stack-protector' yet".to_string());
    }
    let level = level(parsed)?;
    let arguments: String = TOLD
        .iter()
        .filter_map(|short| Some(format!("-{short} {} ", parsed.shown(short)?)))
        .collect();
    let debug = parsed.has("g");
    if debug && parsed.has("lineinfo") && !parsed.has("w") {
        console.complain(
            "ptxas warning : Conflicting options --device-debug and --generate-line-info specified, ignoring \
             --generate-line-info option\n",
        );
    }
    let shown = !parsed.has("suppress-debug-info");
    let lines = shown && (debug || parsed.has("lineinfo"));
    Ok(Options {
        level,
        maximum_registers: maximum_registers(parsed, sm, target, console)?,
        override_directives: parsed.has("override-directive-values"),
        contract: parsed.keyword("fmad") != Some("false"),
        threads: parsed.unsigned("split-compile").map_or(0, |threads| threads as usize),
        object: ObjectOptions {
            arguments,
            lines: lines.then(|| Arc::from(String::from_utf8_lossy(text).as_ref())),
            debug: shown && debug,
            relocatable: parsed.has("c"),
        },
        ..Options::default()
    })
}

/// `-O`: every number from 3 on is 3; `-g` is at 0 alone.
fn level(parsed: &Parsed) -> Result<u8, Mistake> {
    let debug = parsed.has("g");
    let Some(text) = parsed.text("O") else {
        return Ok(if debug { 0 } else { 3 });
    };
    match text.trim_start_matches('+').parse::<u64>() {
        Ok(number) if debug && number > 0 => Err("Optimized debugging not supported".to_string()),
        Ok(number) => Ok(number.min(3) as u8),
        Err(_) => Err(format!("'{text}': expected a number")),
    }
}

/// `-maxrregcount`, within what the machine has.
fn maximum_registers(parsed: &Parsed, sm: Sm, target: &str, console: &mut Console) -> Result<Option<u32>, Mistake> {
    let Some(text) = parsed.text("maxrregcount") else {
        return Ok(None);
    };
    let registers = sm.info().registers;
    let mut warn = |text: String| {
        if !parsed.has("w") {
            console.complain(&format!("ptxas warning : {text}\n"));
        }
    };
    let number = match text {
        "archmax" => return Ok(Some(registers.max_per_thread)),
        // Observed: ptxas 13.0.88 takes 32.
        "archmin" => return Ok(Some(32)),
        text => text
            .parse::<i64>()
            .map_err(|_| format!("Invalid value '{text}' for option 'maxrregcount'"))?,
    };
    match u32::try_from(number) {
        Ok(number) if number < registers.min_per_thread => {
            let least = registers.min_per_thread;
            warn(format!(
                "For profile {target} adjusting per thread register count of {number} to lower bound of {least}"
            ));
            Ok(Some(least))
        }
        Ok(number) if number <= registers.max_per_thread => Ok(Some(number)),
        _ => {
            warn(format!(
                "Too big maxrregcount value specified {number}, will be ignored"
            ));
            Ok(Some(registers.max_per_thread))
        }
    }
}

/// Puts into a module what options say in place of its directives: kernels to compile, launch bounds, cache operations.
///
/// # Errors
/// A kernel that is not there, or a cache operation that is none.
pub(super) fn apply(parsed: &Parsed, module: &mut Module) -> Result<(), Mistake> {
    entries(parsed.texts("e"), module)?;
    let overrides = parsed.has("override-directive-values");
    // Observed: -maxrregcount makes ptxas ignore both.
    if !parsed.has("maxrregcount") {
        let threads: Vec<u64> = parsed.integers("maxntid").iter().map(|n| u64::from(*n)).collect();
        if !threads.is_empty() {
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
        if let Some(count) = parsed.unsigned("minnctapersm") {
            let is_bound = |d: &FunctionDirective| matches!(d, FunctionDirective::MinCtasPerSm(_));
            bound(module, overrides, is_bound, &FunctionDirective::MinCtasPerSm(count));
        }
    }
    for (option, opcode, operations, what) in [
        ("dlcm", Opcode::Ld, &LOADS[..], "load"),
        ("dscm", Opcode::St, &STORES[..], "store"),
    ] {
        if let Some(text) = parsed.text(option) {
            let known = operations.iter().find(|(name, _)| *name == text);
            let (_, operation) =
                known.ok_or_else(|| format!("Invalid default cache modifier on {what} specified: {text}"))?;
            default_operation(module, opcode, *operation);
        }
    }
    for option in ["flcm", "fscm"] {
        if parsed.has(option) {
            return Err(format!("Warpsmith does not support the option '-{option}' yet"));
        }
    }
    Ok(())
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

/// Gives weak accesses to global memory without a cache operation this one.
fn default_operation(module: &mut Module, opcode: Opcode, operation: Modifier) {
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
        if in_global && !has_other && variant.modifiers[cache].is_none() {
            variant.modifiers[cache] = Some(operation);
        }
    }
}
