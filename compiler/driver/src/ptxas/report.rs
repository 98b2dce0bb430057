//! What `-v` and the warnings tell of compiled functions, in ptxas' words.

use warpsmith_ori::{Output, Resources, registers_by_launch};
use warpsmith_ptx::{
    module::{Function, FunctionDirective, Linkage, Module, Space, Statement},
    table::Type,
};
use warpsmith_target::{Isa, Sm};

use crate::vendor::Parsed;

/// What `-v` prints first: memory of the module's variables. From sm_90 on constant banks are not told.
pub(super) fn memory(output: &Output, sm: Sm) -> String {
    let mut text = format!("ptxas info    : {} bytes gmem", output.global_bytes);
    if sm.isa() < Isa::Sm90 {
        for (bank, bytes) in [(3, output.constant_bytes), (4, output.address_bytes)] {
            if bytes > 0 {
                text.push_str(&format!(", {bytes} bytes cmem[{bank}]"));
            }
        }
    }
    text.push('\n');
    text
}

/// What `-v` prints of a function.
pub(super) fn statistics(function: &Resources, sm: Sm, target: &str) -> String {
    let name = &function.name;
    let properties = format!(
        "ptxas info    : Function properties for {name}\n    \
         {} bytes stack frame, {} bytes spill stores, {} bytes spill loads\n",
        function.stack_bytes, function.spill_store_bytes, function.spill_load_bytes
    );
    if !function.kernel {
        return properties;
    }
    let mut used = format!(
        "Used {} registers, used {} barriers",
        function.registers, function.barriers
    );
    if function.cumulative_stack_bytes > 0 {
        used.push_str(&format!(
            ", {} bytes cumulative stack size",
            function.cumulative_stack_bytes
        ));
    }
    if function.shared_bytes > 0 {
        used.push_str(&format!(", {} bytes smem", function.shared_bytes));
    }
    if sm.isa() < Isa::Sm90 {
        used.push_str(&format!(", {} bytes cmem[0]", function.constant_bytes));
        if function.table_bytes > 0 {
            used.push_str(&format!(", {} bytes cmem[2]", function.table_bytes));
        }
    }
    let milliseconds = function.time.as_secs_f64() * 1e3;
    format!(
        "ptxas info    : Compiling entry function '{name}' for '{target}'\n{properties}\
         ptxas info    : {used}\nptxas info    : Compile time = {milliseconds:.3} ms\n"
    )
}

/// What a kernel says of its launches, as far as it bounds registers.
#[derive(Clone, Copy, Debug, Default)]
struct LaunchBounds {
    /// `.maxnreg`
    registers: Option<u64>,
    /// Threads of the largest CTA: `.reqntid` or `.maxntid`.
    threads: Option<u64>,
    /// `.minnctapersm`
    ctas: Option<u64>,
}

impl LaunchBounds {
    fn of(kernel: &Function) -> LaunchBounds {
        let mut bounds = LaunchBounds::default();
        for directive in &kernel.directives {
            match directive {
                FunctionDirective::RequiredThreads(extents) | FunctionDirective::MaxThreads(extents) => {
                    bounds.threads = Some(extents.iter().fold(1, |all: u64, extent| all.saturating_mul(*extent)));
                }
                FunctionDirective::MinCtasPerSm(count) => bounds.ctas = Some(*count),
                FunctionDirective::MaxRegisters(count) => bounds.registers = Some(*count),
                _ => {}
            }
        }
        bounds
    }

    /// The registers with which the CTAs that an SM is to have fit onto it, if it can have them.
    fn by_launch(&self, sm: Sm) -> Option<u32> {
        let occupancy = &sm.info().occupancy;
        let (threads, ctas) = (u32::try_from(self.threads?).ok()?, u32::try_from(self.ctas?).ok()?);
        let fits = ctas <= occupancy.max_ctas_per_sm && threads.checked_mul(ctas)? <= occupancy.max_threads_per_sm;
        fits.then(|| registers_by_launch(sm, threads, ctas))
    }
}

/// What `-v` says of kernels whose registers an option limits. (Observed, ptxas 13.0.88: a kernel that says how many threads it has, and no more, ignores
/// the option without a word.)
pub(super) fn limits(module: &Module, sm: Sm, option: u32, overrides: bool) -> String {
    let mut text = String::new();
    let kernels = module.functions.iter().filter(|f| f.kernel && f.body.is_some());
    for kernel in kernels.rev() {
        let name = module.names.get(kernel.name);
        let bounds = LaunchBounds::of(kernel);
        let mut say = |line: String| text.push_str(&format!("ptxas info    : {line}\n"));
        let option_wins = |own: u64| {
            format!("Overriding maximum register limit {own} for '{name}' with  {option} of maxrregcount option")
        };
        let kernel_wins = |own: u64, how: &str| {
            format!("Overriding global maxrregcount {option} with entry-specific value {own} {how}")
        };
        match (bounds.registers, bounds.by_launch(sm)) {
            (Some(own), _) if overrides => say(option_wins(own)),
            (Some(own), _) if own != u64::from(option) => say(kernel_wins(own, "of .maxnreg")),
            (Some(_), _) => {}
            (None, own) => {
                if let Some(own) = own.filter(|own| *own != option) {
                    say(kernel_wins(own.into(), "computed using thread count"));
                }
                if overrides || bounds.threads.is_none() {
                    say(option_wins(256));
                }
            }
        }
    }
    text
}

/// A warning, and the byte of the text that it is about, if it is about one.
pub(super) type Warning = (Option<usize>, String);

/// What there is to warn of before code is made.
pub(super) fn before(module: &Module, sm: Sm, doubles: bool, debug: bool, relocatable: bool) -> Vec<Warning> {
    let mut warnings = launch_bounds(module, sm);
    for wanted in [".debug_abbrev", ".debug_info"] {
        if debug
            && !module
                .sections
                .iter()
                .any(|section| module.names.get(section.name) == wanted)
        {
            warnings.push((None, format!(" {wanted} section not found")));
        }
    }
    if doubles {
        for function in &module.functions {
            let statements = function.body.iter().flat_map(|body| &body.statements);
            for statement in statements {
                if let Statement::Instruction(instruction) = statement
                    && module.variants[instruction.variant.0 as usize]
                        .types()
                        .any(|t| t == Type::F64)
                {
                    let place = instruction.span.start as usize;
                    warnings.push((
                        Some(place),
                        "Program is doing double precision computations.".to_string(),
                    ));
                }
            }
        }
    }
    let open = module.variables.iter().filter(|variable| {
        !relocatable
            && variable.linkage == Linkage::External
            && match variable.space {
                Space::Global | Space::Constant => true,
                // Without a size it is what the launch gives.
                Space::Shared => variable.dimensions.iter().all(Option::is_some),
                _ => false,
            }
    });
    for variable in open {
        let name = variable.name.map_or("", |name| module.names.get(name));
        warnings.push((
            None,
            format!("Unresolved extern variable '{name}' in whole program compilation, ignoring extern qualifier"),
        ));
    }
    warnings
}

/// What kernels ask for that the machine does not have, and that is ignored. (Observed, ptxas 13.0.88.)
fn launch_bounds(module: &Module, sm: Sm) -> Vec<Warning> {
    let (registers, occupancy) = (&sm.info().registers, &sm.info().occupancy);
    let mut warnings = Vec::new();
    for kernel in module.functions.iter().filter(|f| f.kernel && f.body.is_some()) {
        let name = module.names.get(kernel.name);
        let LaunchBounds {
            threads,
            ctas,
            registers: limit,
        } = LaunchBounds::of(kernel);
        match limit {
            Some(count) if count > registers.max_per_thread.into() => {
                warnings.push(format!("Too many maxnreg specified for entry {name}, will be ignored"));
            }
            Some(count) if count < registers.min_per_thread.into() => {
                let least = registers.min_per_thread;
                warnings.push(format!(
                    "For entry {name} adjusting per thread register count of {count} to lower bound of {least}"
                ));
            }
            Some(_) | None => {}
        }
        let most = u64::from(occupancy.max_threads_per_sm);
        let wrong = match (threads, ctas) {
            (Some(threads), _) if threads > most => Some("threads per SM {}. .minnctapersm and .maxntid"),
            (Some(_), Some(ctas)) if ctas > occupancy.max_ctas_per_sm.into() => Some("minnctapersm {}. minnctapersm"),
            (Some(threads), Some(ctas)) if threads.saturating_mul(ctas) > most => {
                Some("threads per SM {}. .minnctapersm")
            }
            _ => None,
        };
        if let Some(wrong) = wrong {
            let wrong = wrong.replace("{}", &format!("for entry {name} is out of range"));
            warnings.push(format!("Value of {wrong} will be ignored"));
        }
    }
    warnings.into_iter().map(|text| (None, text)).collect()
}

/// What is said of checks of tensor memory where the PTX can have none.
pub(super) fn tensor_memory_checks(parsed: &Parsed, module: &Module) -> Option<String> {
    let asked = parsed.has("g-tmem-access-check") || parsed.has("gno-tmem-access-check");
    let target = &module.target;
    (asked && target.number < 100).then(|| {
        format!(
            "ptxas info    : Command line option '--g-tensor-memory-access-check / --gno-tensor-memory-access-check' not \
             supported for '.target {target}', will be ignored\n"
        )
    })
}

/// What is said of checks of fabric operations where the target has none. (Observed, ptxas 13.5.)
pub(super) fn fabric_checks(parsed: &Parsed, module: &Module) -> Option<String> {
    let target = &module.target;
    (parsed.has("gno-fabric-access-check") && target.number < 100).then(|| {
        format!(
            "ptxas info    : Command line option '--gno-fabric-access-check' not supported for '.target {target}', will be \
             ignored\n"
        )
    })
}

/// The names of the functions with code, as `--verbose2` lists them: the last one first, kernels after the others. (Observed, ptxas 13.5.)
pub(super) fn names(module: &Module) -> String {
    let with_code = || module.functions.iter().rev().filter(|function| function.body.is_some());
    let others = with_code().filter(|function| !function.kernel);
    let kernels = with_code().filter(|function| function.kernel);
    others
        .chain(kernels)
        .map(|function| format!("ptxas info    : Processing {}\n", module.names.get(function.name)))
        .collect()
}

/// What there is to warn of in compiled functions.
pub(super) fn after(output: &Output, spills: bool, local: bool) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for function in output.functions.iter().rev() {
        let (name, stores, loads) = (&function.name, function.spill_store_bytes, function.spill_load_bytes);
        if spills && (stores > 0 || loads > 0) {
            warnings.push((
                None,
                format!(
                    "Registers are spilled to local memory in function '{name}', {stores} bytes spill stores, \
                     {loads} bytes spill loads"
                ),
            ));
        }
        if local && function.stack_bytes > 0 {
            let bytes = function.stack_bytes;
            warnings.push((
                None,
                format!("Local memory used for function '{name}', size of stack frame: {bytes} bytes"),
            ));
        }
    }
    warnings
}
