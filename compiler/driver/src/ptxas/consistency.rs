//! What there is to say of the options alone: values that they cannot have, and options that contradict each other.
//!
//! Observed, ptxas 13.0.88, option by option. It says this for virtual targets, too, and before it reads the PTX.

use warpsmith_target::Sm;

use crate::vendor::{self, Parsed};

/// What is wrong with the options: a fatal message.
pub(super) type Mistake = String;

/// The levels of `--Ofast-compile`, the `-O` that each may stand beside, and the text that names the others.
const FAST: [(&str, u64, &str); 3] = [("min", 1, "<0,2,3>"), ("mid", 1, "<0,2,3>"), ("max", 0, "<1,2,3>")];

/// The registers of a thread that an option allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Registers {
    /// The option is not there.
    Free,
    /// So many.
    Most(u32),
}

impl Registers {
    /// The number, if there is one.
    pub(super) fn number(self) -> Option<u32> {
        match self {
            Registers::Free => None,
            Registers::Most(number) => Some(number),
        }
    }
}

/// Checks the options; gives what to warn of.
///
/// # Errors
/// A value that an option cannot have, or options that exclude each other.
pub(super) fn check(parsed: &Parsed, target: &str) -> Result<Vec<String>, Mistake> {
    let mut warnings = Vec::new();
    fast_compile(parsed, &mut warnings)?;
    if parsed.has("g") && parsed.unsigned("O").is_some_and(|level| level != 0) {
        return Err("Optimized debugging not supported".to_string());
    }
    if parsed
        .unsigned("split-compile")
        .is_some_and(|threads| threads > MOST_THREADS)
    {
        let threads = parsed.unsigned("split-compile").unwrap_or(0) as i64;
        return Err(format!("Invalid value '{threads}' for option '--split-compile'"));
    }
    for (first, second, ignored) in [
        (
            "g",
            "lineinfo",
            "--device-debug and --generate-line-info specified, ignoring --generate-line-info",
        ),
        (
            "flcm",
            "dlcm",
            "force-load-cache and def-load-cache specified, ignoring def-load-cache",
        ),
        (
            "fscm",
            "dscm",
            "force-store-cache and def-store-cache specified, ignoring def-store-cache",
        ),
        (
            "maxrregcount",
            "maxntid",
            "-maxrregcount and -maxntid specified, ignoring -maxntid",
        ),
        (
            "maxrregcount",
            "minnctapersm",
            "-maxrregcount and -minnctapersm specified, ignoring -minnctapersm",
        ),
        (
            "c",
            "ewp",
            "'--compile-only' and '--extensible-whole-program' specified, ignoring '--extensible-whole-program'",
        ),
    ] {
        if parsed.has(first) && parsed.has(second) {
            warnings.push(format!("Conflicting options {ignored} option"));
        }
    }
    if parsed.has("c") && parsed.has("astoolspatch") {
        return Err("Conflicting options '--compile-only' and --compile-as-tools-patch specified".to_string());
    }
    registers(parsed, "maxrregcount", target, &mut warnings)?;
    match parsed.has("c") {
        true => drop(registers(parsed, "func-maxrregcount", target, &mut warnings)?),
        false if parsed.has("func-maxrregcount") => warnings.push(
            "Command line option 'device-function-maxrregcount' not supported for 'whole program compilation', will be ignored"
                .to_string(),
        ),
        false => {}
    }
    if let Some(level) = parsed.unsigned("regUsageLevel").filter(|level| *level > 10) {
        let level = level as i64;
        warnings.push(format!(
            "Value of RegUsageLevel ({level}) is out of valid range {{0..10}}, option will be ignored"
        ));
    }
    if parsed.integers("maxntid").len() > 3 {
        warnings.push("Too many values specified for option '-maxntid', option will be ignored".to_string());
    }
    if parsed.has("suppress-debug-info") && !parsed.has("g") && !parsed.has("lineinfo") {
        warnings.push(
            "Option suppress-debug-info requires option device-debug or lineinfo; ignoring since latter is not specified"
                .to_string(),
        );
    }
    if parsed.has("legacy-bar-warp-wide-behavior") {
        let option = "'--legacy-bar-warp-wide-behavior'";
        warnings.push(format!(
            "{option} is a deprecated option, It will be removed in future release and is not recommended"
        ));
        warnings.push(format!(
            "Command line option {option} not supported for '.target sm_70', will be ignored"
        ));
    }
    if parsed.has("preserve-relocs") && !parsed.has("c") && has_separate_files(target) {
        warnings.push(format!(
            "'--preserve-relocs' option is not fully implemented for '{target}' and may not work as expected"
        ));
    }
    if parsed.keyword("enable-func-clone-sc") == Some("true") && !parsed.has("c") {
        warnings.push(
            "Option '--enable-func-clone-sc' requires option '--compile-only'; ignoring since latter is not specified"
                .to_string(),
        );
    }
    if parsed.has("jobserver")
        && parsed.has("split-compile")
        && std::env::var_os("MAKEFLAGS").is_none_or(|flags| !names_jobserver(&flags))
    {
        warnings.push(
            "GNU Jobserver support requested, but no compatible jobserver found. Ignoring '--jobserver'".to_string(),
        );
    }
    Ok(warnings)
}

/// The largest number of threads that is no negative one.
const MOST_THREADS: u64 = i32::MAX as u64;

fn names_jobserver(flags: &std::ffi::OsStr) -> bool {
    flags.to_string_lossy().contains("--jobserver")
}

/// Whether a target's files are made in two steps: from sm_90 on.
fn has_separate_files(target: &str) -> bool {
    sm(target).is_some_and(|sm| sm.isa() >= warpsmith_target::Isa::Sm90)
}

/// The SM of `sm_90` or `compute_90`.
fn sm(target: &str) -> Option<Sm> {
    target.split_once('_')?.1.parse().ok()
}

/// `--Ofast-compile`: its value, and what it may stand beside.
fn fast_compile(parsed: &Parsed, warnings: &mut Vec<String>) -> Result<(), Mistake> {
    let Some(text) = parsed.text("Ofc").filter(|text| *text != "0") else {
        return Ok(());
    };
    let Some((_, level, others)) = FAST.iter().find(|(name, ..)| *name == text) else {
        return Err(format!(
            "Invalid value for --Ofast-compile/-Ofc ({text}), is not 'max', 'mid', 'min', or '0'"
        ));
    };
    if parsed.unsigned("O").is_some_and(|given| given != *level) {
        return Err(format!(
            "Conflicting options -opt-level={others} and --Ofast-compile={text} specified"
        ));
    }
    if parsed.has("g") {
        let option = "'--Ofast-compile=<min,mid,max>'";
        warnings.push(format!(
            "Conflicting options '--device-debug' and {option} specified, ignoring {option} option"
        ));
    }
    Ok(())
}

/// The level of optimisation. Every number from 3 on is 3; `-g` is at 0 alone; of the fast compilations, `max` is level 0 and the others are level 1,
/// as the levels say that they may stand beside.
pub(super) fn level(parsed: &Parsed) -> u8 {
    let fast = parsed
        .text("Ofc")
        .and_then(|text| FAST.iter().find(|(name, ..)| *name == text));
    match (parsed.has("g"), parsed.unsigned("O"), fast) {
        (true, ..) => 0,
        (_, Some(level), _) => level.min(3) as u8,
        (_, None, Some((_, level, _))) => *level as u8,
        (_, None, None) => 3,
    }
}

/// A limit of registers, within what the machine has.
///
/// # Errors
/// A text that is no number, and no name of a limit.
pub(super) fn registers(
    parsed: &Parsed,
    option: &str,
    target: &str,
    warnings: &mut Vec<String>,
) -> Result<Registers, Mistake> {
    let (Some(text), Some(sm)) = (parsed.text(option), sm(target)) else {
        return Ok(Registers::Free);
    };
    let registers = sm.info().registers;
    let number = match text {
        "archmax" => return Ok(Registers::Most(registers.max_per_thread)),
        // Observed: ptxas 13.0.88 takes 32.
        "archmin" => return Ok(Registers::Most(32)),
        text => vendor::wrapping32(text).ok_or_else(|| {
            let long = match option {
                "func-maxrregcount" => "device-function-maxrregcount",
                option => option,
            };
            format!("Invalid value '{text}' for option '{long}'")
        })?,
    };
    Ok(Registers::Most(match u32::try_from(number) {
        Ok(number) if number < registers.min_per_thread => {
            let least = registers.min_per_thread;
            warnings.push(format!(
                "For profile {target} adjusting per thread register count of {number} to lower bound of {least}"
            ));
            least
        }
        Ok(number) if number <= registers.max_per_thread => number,
        _ => {
            warnings.push(format!(
                "Too big maxrregcount value specified {number}, will be ignored"
            ));
            registers.max_per_thread
        }
    }))
}
