//! How to compile: one struct, under the names that the command line and the crates underneath use.

use warpsmith_base::{Arithmetic, Cancel};
use warpsmith_cuda::codegen::CodegenOptions;
use warpsmith_cuda::source::{self, Definition, Mode, Prelude, Standard, WarningOptions};
use warpsmith_ori::ObjectOptions;
use warpsmith_target::{PtxVersion, Sm};

/// How far a compile goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Emit {
    /// The source is checked, and nothing is made.
    Check,
    /// SSA IR after optimisation. (Of PTX there is none: it is checked.)
    Ir,
    /// The same as LLVM's bitcode, in the form of LLVM 20.
    Bitcode,
    /// PTX.
    Ptx,
    /// PTX and machine code.
    #[default]
    Cubin,
}

/// What the front end of CUDA C++ is told.
#[derive(Clone, Debug)]
pub struct FrontEnd {
    /// The edition of C++.
    pub standard: Standard,
    /// Device code alone with built-in headers (as NVRTC), or the headers of a host compiler and a toolkit (as nvcc).
    pub mode: Mode,
    /// Functions and variables of which nothing is said are the device's.
    pub device_by_default: bool,
    /// How much of CUDA's declarations a source has without any `#include`.
    pub prelude: Prelude,
    /// Whether built-in headers (`cuda_fp16.h`, `cooperative_groups.h` …) are found.
    pub built_in_headers: bool,
    /// Macros defined and undefined, in their order.
    pub definitions: Vec<Definition>,
    /// Folders for `#include "…"` alone.
    pub quote_folders: Vec<String>,
    /// Include folders.
    pub folders: Vec<String>,
    /// Include folders that are searched after the others; warnings in their files are not shown.
    pub system_folders: Vec<String>,
    /// Files included before the source.
    pub includes: Vec<String>,
    /// Expressions that name kernels, and addresses of the device's variables: [`Artifact::names`](crate::Artifact::names) says what they are called, and
    /// templates are instantiated for them.
    pub names: Vec<String>,
    /// What becomes of warnings.
    pub warnings: WarningOptions,
}

impl Default for FrontEnd {
    fn default() -> FrontEnd {
        let source::Options {
            standard,
            mode,
            arch: _,
            arch_features: _,
            definitions,
            quote_folders,
            folders,
            system_folders,
            includes,
            prelude,
            built_in_headers,
            warnings,
        } = source::Options::default();
        FrontEnd {
            standard,
            mode,
            device_by_default: false,
            names: Vec::new(),
            prelude,
            built_in_headers,
            definitions,
            quote_folders,
            folders,
            system_folders,
            includes,
            warnings,
        }
    }
}

/// How to compile. [`Options::new`] is what nvcc does without options; change what is to be different.
///
/// ```
/// use warpsmith::{Emit, Options, Sm};
///
/// let mut options = Options::new(Sm::Sm90a);
/// options.emit = Emit::Ptx;
/// options.arithmetic.contract = false;
/// options.front.folders.push("include".into());
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The GPU, `sm_90a` say.
    pub target: Sm,
    /// How far to go.
    pub emit: Emit,
    /// `-O`: 0 to 3. [`Options::debug`] makes it 0.
    pub level: u8,
    /// What floating-point arithmetic may be.
    pub arithmetic: Arithmetic,
    /// PTX and cubin tell the lines of the source.
    pub line_info: bool,
    /// PTX and cubin tell a debugger of variables and types, and nothing is optimised.
    pub debug: bool,
    /// Instructions know their places even where PTX is not to tell them, so that later steps can name lines of the source.
    pub places: bool,
    /// The folder that debug information says relative names are relative to.
    pub directory: Option<String>,
    /// The front end of CUDA C++.
    pub front: FrontEnd,
    /// The pointers that kernels get are all `__restrict__`.
    pub restrict_kernel_pointers: bool,
    /// The `.version` of the PTX that is made; `None`: 9.0, which every driver of CUDA 13 reads, or the oldest that knows the target.
    pub ptx_version: Option<PtxVersion>,
    /// The most registers of a thread; what a kernel says of itself comes before it.
    pub maximum_registers: Option<u32>,
    /// The most registers of device functions of a relocatable file, in place of [`Options::maximum_registers`].
    pub maximum_function_registers: Option<u32>,
    /// [`Options::maximum_registers`] comes before what a kernel says of itself.
    pub override_directives: bool,
    /// The cubin is to be linked with others.
    pub relocatable: bool,
    /// Functions check that there is as much stack as they take, and trap where there is not.
    pub check_stack: bool,
    /// Threads wait at their end for errors of their memory accesses to show.
    pub errors_at_exit: bool,
    /// The cubin notes figures of the code for each function.
    pub annotations: bool,
    /// The command line that the cubin says it was made by.
    pub arguments: String,
    /// Threads that the back end works with; 0: as many as the machine has. With 1 no thread outlives a compile, so that a process may fork after it.
    /// The output does not depend on it.
    pub threads: usize,
    /// The form of every intermediate result is checked.
    pub verify: bool,
    /// Passes of the SSA optimiser that do not run ([`warpsmith_opt::PASSES`] has the names).
    pub passes_off: Vec<String>,
    /// Phases of the back end that do not run ([`warpsmith_ori::phase::PHASES`] has the names).
    pub phases_off: Vec<String>,
    /// How many rewrites the passes may make that correct code does not need: a wrong one is found by halving.
    pub pass_fuel: Option<u64>,
    /// The same of the phases.
    pub phase_fuel: Option<u64>,
}

impl Options {
    /// What nvcc does without options.
    pub fn new(target: Sm) -> Options {
        Options {
            target,
            emit: Emit::default(),
            level: 3,
            arithmetic: Arithmetic::default(),
            line_info: false,
            debug: false,
            places: true,
            directory: None,
            front: FrontEnd::default(),
            restrict_kernel_pointers: false,
            ptx_version: None,
            maximum_registers: None,
            maximum_function_registers: None,
            override_directives: false,
            relocatable: false,
            check_stack: false,
            errors_at_exit: false,
            annotations: false,
            arguments: String::new(),
            threads: 0,
            verify: cfg!(debug_assertions),
            passes_off: Vec::new(),
            phases_off: Vec::new(),
            pass_fuel: None,
            phase_fuel: None,
        }
    }

    /// The level that the code is optimised at.
    fn optimisation(&self) -> u8 {
        if self.debug { 0 } else { self.level }
    }

    /// Macros that tell device code compiled alone how it is compiled. Observed, NVRTC 13.0.
    fn run_time_definitions(&self) -> Vec<Definition> {
        let arithmetic = self.arithmetic;
        let values = [
            ("__CUDA_FTZ", arithmetic.flush_denormals),
            ("__CUDA_PREC_DIV", arithmetic.precise_division),
            ("__CUDA_PREC_SQRT", arithmetic.precise_square_root),
            ("__USE_FAST_MATH__", arithmetic.fast_math),
        ];
        let flags = [("__CUDACC_DEBUG__", self.debug), ("__CUDACC_RDC__", self.relocatable)];
        let values = values.map(|(name, value)| format!("{name}={}", u8::from(value)));
        let flags = flags
            .into_iter()
            .filter(|(_, is_set)| *is_set)
            .map(|(name, _)| format!("{name}=1"));
        // As if the header of the device's runtime had been read, which then needs none of a toolkit's others.
        let runtime = self.relocatable.then(|| "__CUDA_DEVICE_RUNTIME_API_H__=".to_owned());
        values
            .into_iter()
            .chain(flags)
            .chain(runtime)
            .map(Definition::Define)
            .collect()
    }

    /// The preprocessor's.
    pub(crate) fn source(&self) -> source::Options {
        let FrontEnd {
            standard,
            mode,
            device_by_default: _,
            prelude,
            built_in_headers,
            definitions: given,
            quote_folders,
            folders,
            system_folders,
            includes,
            names: _,
            warnings,
        } = self.front.clone();
        let mut definitions = match mode {
            Mode::DeviceOnly => self.run_time_definitions(),
            Mode::HostHeaders => Vec::new(),
        };
        definitions.extend(given);
        let source::Options {
            arch, arch_features, ..
        } = source::Options::for_target(self.target.name());
        source::Options {
            standard,
            mode,
            arch,
            arch_features,
            definitions,
            quote_folders,
            folders,
            system_folders,
            includes,
            prelude,
            built_in_headers,
            warnings,
        }
    }

    /// The front end's.
    pub(crate) fn cuda(&self, cancel: &Cancel) -> warpsmith_cuda::Options {
        let mut options = warpsmith_cuda::Options {
            source: self.source(),
            codegen: CodegenOptions {
                arithmetic: self.arithmetic,
                line_info: self.places || self.line_info || self.debug,
                debug: self.debug,
            },
            names: self.front.names.clone(),
            cancel: cancel.clone(),
            ..warpsmith_cuda::Options::default()
        };
        options.sema.warnings = true;
        options.sema.device_by_default = self.front.device_by_default;
        options
    }

    /// The front end's for the sources of the maths library, which mean every rounding that they write.
    pub(crate) fn library(&self, cancel: &Cancel) -> warpsmith_cuda::Options {
        let usual = FrontEnd::default();
        warpsmith_cuda::Options {
            source: source::Options {
                prelude: Prelude::None,
                standard: self.front.standard,
                mode: usual.mode,
                warnings: self.front.warnings.clone(),
                ..source::Options::for_target(self.target.name())
            },
            codegen: CodegenOptions {
                arithmetic: Arithmetic {
                    contract: false,
                    flush_denormals: self.arithmetic.flush_denormals,
                    ..Arithmetic::default()
                },
                ..CodegenOptions::default()
            },
            cancel: cancel.clone(),
            ..warpsmith_cuda::Options::default()
        }
    }

    /// The optimiser's. `whole_program`: the module is all that there is of its program.
    pub(crate) fn optimiser(&self, whole_program: bool, cancel: &Cancel) -> warpsmith_opt::Options {
        let arch = source::Options::for_target(self.target.name()).arch;
        warpsmith_opt::Options {
            level: self.optimisation(),
            passes: None,
            off: self.passes_off.clone(),
            fuel: self.pass_fuel,
            verify: self.verify,
            arithmetic: self.arithmetic,
            reflect: vec![("__CUDA_ARCH".to_owned(), arch as i32)],
            whole_program,
            restrict_kernel_pointers: self.restrict_kernel_pointers,
            threads: self.threads,
            cancel: cancel.clone(),
        }
    }

    /// Instruction selection's.
    pub(crate) fn selection(&self) -> warpsmith_isel::Options {
        warpsmith_isel::Options {
            target: self.target,
            version: self.ptx_version,
            arithmetic: self.arithmetic,
            line_info: self.line_info,
            debug: self.debug,
            maximum_registers: None,
        }
    }

    /// The back end's, for a text of PTX.
    pub(crate) fn back_end(&self, text: &str, cancel: &Cancel) -> warpsmith_ori::Options {
        warpsmith_ori::Options {
            level: self.optimisation(),
            maximum_registers: self.maximum_registers,
            maximum_function_registers: self.maximum_function_registers,
            override_directives: self.override_directives,
            arithmetic: self.arithmetic,
            check_stack: self.check_stack,
            errors_at_exit: self.errors_at_exit,
            off: self.phases_off.clone(),
            fuel: self.phase_fuel,
            verify: self.verify,
            threads: self.threads,
            object: ObjectOptions {
                arguments: self.arguments.clone(),
                lines: (self.line_info || self.debug).then(|| text.into()),
                debug: self.debug,
                relocatable: self.relocatable,
                annotations: self.annotations,
                errors_at_exit: self.errors_at_exit,
            },
            cancel: cancel.clone(),
        }
    }
}
