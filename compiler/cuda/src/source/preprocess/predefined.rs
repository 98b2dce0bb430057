//! Macros that are there from the start, and what the `__has_…` operators know.

use std::fmt::Write as _;
use std::sync::Arc;

use warpsmith_base::SourceText;

use super::super::headers::{
    PREDEFINED_FEATURES, PREDEFINED_GCC, PREDEFINED_RUN_TIME, PREDEFINED_RUN_TIME_FEATURES, PREDEFINED_TARGET,
    PREDEFINED_TARGET_MACROS,
};
use super::super::intern::names;
use super::super::map::Origin;
use super::super::options::{ArchFeatures, Definition, Mode, Options, Prelude, Standard};
use super::Preprocessor;
use super::define::{Body, BuiltIn, Macro};

/// The version of CUDA whose language and headers this compiler follows.
const CUDA_VERSION: (u32, u32, u32) = (13, 0, 88);

const BUILT_IN: [(super::Symbol, BuiltIn); 6] = [
    (names::FILE, BuiltIn::File),
    (names::FILE_NAME, BuiltIn::FileName),
    (names::BASE_FILE, BuiltIn::BaseFile),
    (names::LINE, BuiltIn::Line),
    (names::COUNTER, BuiltIn::Counter),
    (names::INCLUDE_LEVEL, BuiltIn::IncludeLevel),
];

impl Preprocessor<'_> {
    /// Defines the macros whose value changes.
    pub(super) fn predefine(&mut self) {
        for (name, built_in) in BUILT_IN {
            let number = self.add_macro(Macro {
                name,
                origin: Origin::NONE,
                parameters: None,
                body: Body::BuiltIn(built_in),
                built_in: true,
            });
            self.set_macro(name, Some(number));
        }
    }

    /// Lets all other definitions be read next.
    pub(super) fn enter_definitions(&mut self) {
        let command_line = command_line(&self.options.definitions);
        if !command_line.is_empty() {
            self.enter_text("<command line>", command_line, Origin::NONE);
        }
        self.define_later(PREDEFINED_TARGET.to_string());
        match self.options.mode {
            Mode::HostHeaders => self.define_later(PREDEFINED_GCC.to_string()),
            Mode::DeviceOnly => {
                self.define_later(PREDEFINED_RUN_TIME.to_string());
                self.define_later(PREDEFINED_TARGET_MACROS.to_string());
                self.define_later(targets(self.options));
            }
        }
        self.define_later(predefined(self.options));
    }

    /// Takes the definitions of a text in that has nothing but these, comments and empty lines. What they say is read when it is needed.
    fn define_later(&mut self, text: String) {
        let text = Arc::new(SourceText::new("<predefined>", text));
        let Some(file) = self.add_file(text.clone(), Origin::NONE, true) else {
            return;
        };
        let mut start = 0;
        for line in text.text().split_inclusive('\n') {
            if let Some((name, at)) = defined_name(line) {
                let name = self.context.interner.intern(name);
                let number = self.add_macro(Macro {
                    name,
                    origin: self.context.map.origin(file, start + at),
                    parameters: None,
                    body: Body::Later(file, start + at),
                    built_in: true,
                });
                self.set_macro(name, Some(number));
            }
            start += line.len();
        }
    }
}

/// The name that a line of a text of definitions defines, and where in the line it is.
fn defined_name(line: &str) -> Option<(&str, usize)> {
    const DEFINE: &str = "#define ";
    let rest = line.strip_prefix(DEFINE)?;
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = rest.bytes().take_while(|byte| is_word(byte)).count();
    Some((&rest[..length], DEFINE.len()))
}

/// `-D` and `-U` as directives.
fn command_line(definitions: &[Definition]) -> String {
    let mut out = String::new();
    for definition in definitions {
        let _ = match definition {
            Definition::Define(text) => match text.split_once('=') {
                Some((name, value)) => writeln!(out, "#define {name} {}", value.replace('\n', " ")),
                None => writeln!(out, "#define {} 1", text.replace('\n', " ")),
            },
            Definition::Undefine(name) => writeln!(out, "#undef {}", name.replace('\n', " ")),
        };
    }
    out
}

/// Include guards of a toolkit's headers whose declarations are there without them: read once more they would clash with these. Observed, NVRTC 13.0: it has
/// these guards, too.
const KNOWN_HEADERS: [&str; 26] = [
    "__COMMON_FUNCTIONS_H__",
    "__CUDA_RUNTIME_API_H__",
    "__CUDA_RUNTIME_H__",
    "__DEVICE_ATOMIC_FUNCTIONS_H__",
    "__DEVICE_DOUBLE_FUNCTIONS_H__",
    "__DEVICE_FUNCTIONS_H__",
    "__DEVICE_LAUNCH_PARAMETERS_H__",
    "__DEVICE_TYPES_H__",
    "__DRIVER_TYPES_H__",
    "__HOST_CONFIG_H__",
    "__HOST_DEFINES_H__",
    "__LIBRARY_TYPES_H__",
    "__MATH_FUNCTIONS_H__",
    "__SM_100_RT_H__",
    "__SM_30_INTRINSICS_H__",
    "__SM_32_INTRINSICS_H__",
    "__SM_35_ATOMIC_FUNCTIONS_H__",
    "__SM_35_INTRINSICS_H__",
    "__SM_80_RT_H__",
    "__SM_90_RT_H__",
    "__SURFACE_INDIRECT_FUNCTIONS_H__",
    "__SURFACE_TYPES_H__",
    "__TEXTURE_INDIRECT_FUNCTIONS_H__",
    "__TEXTURE_TYPES_H__",
    "__VECTOR_FUNCTIONS_H__",
    "__VECTOR_TYPES_H__",
];

/// The targets that `<nv/target>` names, and whether the unit's is that, or as good.
fn targets(options: &Options) -> String {
    const ARCHITECTURES: [u32; 23] = [
        35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 103, 107, 110, 120, 121,
    ];
    let own = options.arch / 10;
    let is_specific = options.arch_features == ArchFeatures::Specific;
    let is_of_family = options.arch_features != ArchFeatures::Base;
    let mut out = String::new();
    let mut target = |name: &str, holds: bool| {
        let _ = writeln!(out, "#define NV_{name} __NV_{name}");
        let _ = writeln!(out, "#define __WARPSMITH_TARGET_IS__NV_{name} {}", u8::from(holds));
    };
    target("IS_DEVICE", true);
    target("IS_HOST", false);
    target("ANY_TARGET", true);
    target("NO_TARGET", false);
    for architecture in ARCHITECTURES {
        target(&format!("PROVIDES_SM_{architecture}"), own >= architecture);
        target(&format!("IS_EXACTLY_SM_{architecture}"), own == architecture);
        if architecture >= 90 {
            let name = format!("HAS_FEATURE_SM_{architecture}a");
            target(&name, is_specific && own == architecture);
        }
        if architecture >= 100 {
            let name = format!("HAS_FEATURE_SM_{architecture}f");
            target(
                &name,
                is_of_family && own >= architecture && own / 10 == architecture / 10,
            );
        }
    }
    let _ = writeln!(out, "#define NV_TARGET_MINIMUM_SM_INTEGER {own}");
    let _ = writeln!(out, "#define __CUDA_MINIMUM_ARCH__ {}", options.arch);
    out
}

/// Definitions that follow from the options.
fn predefined(options: &Options) -> String {
    let mut out = String::new();
    let mut define = |name: &str, value: &str| {
        let _ = writeln!(out, "#define {name} {value}");
    };
    define("__cplusplus", options.standard.number());
    // Builds are to give the same bytes at any time.
    define("__DATE__", "\"Jan  1 1970\"");
    define("__TIME__", "\"00:00:00\"");
    define("__TIMESTAMP__", "\"Thu Jan  1 00:00:00 1970\"");
    define("__WARPSMITH__", "1");
    let (major, minor, build) = CUDA_VERSION;
    define("__CUDACC__", "1");
    define("__CUDACC_VER_MAJOR__", &major.to_string());
    define("__CUDACC_VER_MINOR__", &minor.to_string());
    define("__CUDACC_VER_BUILD__", &build.to_string());
    define("__CUDA_API_VER_MAJOR__", &major.to_string());
    define("__CUDA_API_VER_MINOR__", &minor.to_string());
    define("__NVCC_DIAG_PRAGMA_SUPPORT__", "1");
    // NVRTC's `std::move` and `std::forward` are in the prelude.
    if options.mode == Mode::DeviceOnly && options.prelude != Prelude::None {
        define("__NV_BUILTIN_MOVE_FORWARD", "1");
    }
    if options.arch != 0 {
        let arch = options.arch.to_string();
        define("__CUDA_ARCH__", &arch);
        define("__CUDA_ARCH_LIST__", &arch);
        let short = options.arch / 10;
        match options.arch_features {
            ArchFeatures::Base => {}
            ArchFeatures::Family => define("__CUDA_ARCH_FAMILY_SPECIFIC__", &arch),
            ArchFeatures::Specific => {
                define(&format!("__CUDA_ARCH_FEAT_SM{short}_ALL"), "1");
                define("__CUDA_ARCH_SPECIFIC__", &arch);
                define("__CUDA_ARCH_FAMILY_SPECIFIC__", &arch);
            }
        }
    }
    match options.mode {
        Mode::DeviceOnly => {
            // Headers compare it with the compiler's version. Observed, NVRTC 13.0: it is there without any header.
            define("CUDART_VERSION", &(1000 * major + 10 * minor).to_string());
            define("__CUDART_API_VERSION", &format!("(({major} * 1000) + ({minor} * 10))"));
            for guard in KNOWN_HEADERS {
                define(guard, "");
            }
        }
        Mode::HostHeaders => {
            define("__NVCC__", "1");
            define("__CUDACC_RELAXED_CONSTEXPR__", "1");
            define("__CUDACC_EXTENDED_LAMBDA__", "1");
            define("CUDA_DOUBLE_MATH_FUNCTIONS", "1");
            define("__CUDACC_DEVICE_ATOMIC_BUILTINS__", "1");
        }
    }
    let column = match options.standard {
        Standard::Cpp11 => 0,
        Standard::Cpp14 => 1,
        Standard::Cpp17 => 2,
        Standard::Cpp20 => 3,
    };
    let features = match options.mode {
        Mode::DeviceOnly => PREDEFINED_RUN_TIME_FEATURES,
        Mode::HostHeaders => PREDEFINED_FEATURES,
    };
    for line in features.lines() {
        let mut words = line.split_whitespace();
        if let (Some(name), Some(value)) = (words.next(), words.nth(column))
            && name.starts_with("__")
            && value != "-"
        {
            define(name, value);
        }
    }
    out
}

/// Words of the language that are macros of a toolkit's headers: code asks whether there are these before it says what to do without. Sorted.
const WORDS: [&str; 22] = [
    "__align__",
    "__annotate__",
    "__block_size__",
    "__builtin_align__",
    "__cluster_dims__",
    "__constant__",
    "__device__",
    "__device_builtin_surface_type__",
    "__device_builtin_texture_type__",
    "__forceinline__",
    "__global__",
    "__grid_constant__",
    "__host__",
    "__inline_hint__",
    "__launch_bounds__",
    "__local_maxnreg__",
    "__location__",
    "__managed__",
    "__maxnreg__",
    "__noinline__",
    "__nv_pure__",
    "__shared__",
];

/// Whether a word of the language counts as defined.
pub(super) fn is_defined_word(name: &str, mode: Mode) -> bool {
    mode == Mode::DeviceOnly && WORDS.binary_search(&name).is_ok()
}

/// Type traits and operators that `__has_builtin` is true of, beside the table of functions.
const BUILTINS: &[&str] = &[
    "__builtin_bit_cast",
    "__builtin_offsetof",
    "__builtin_va_arg",
    "__builtin_va_copy",
    "__builtin_va_end",
    "__builtin_va_start",
    "__has_nothrow_assign",
    "__has_nothrow_constructor",
    "__has_nothrow_copy",
    "__has_trivial_assign",
    "__has_trivial_constructor",
    "__has_trivial_copy",
    "__has_trivial_destructor",
    "__has_unique_object_representations",
    "__has_virtual_destructor",
    "__is_abstract",
    "__is_aggregate",
    "__is_assignable",
    "__is_base_of",
    "__is_class",
    "__is_constructible",
    "__is_convertible",
    "__is_convertible_to",
    "__is_empty",
    "__is_enum",
    "__is_final",
    "__is_literal_type",
    "__is_nothrow_assignable",
    "__is_nothrow_constructible",
    "__is_pod",
    "__is_polymorphic",
    "__is_same",
    "__is_same_as",
    "__is_standard_layout",
    "__is_trivial",
    "__is_trivially_assignable",
    "__is_trivially_constructible",
    "__is_trivially_copyable",
    "__is_trivially_destructible",
    "__is_union",
    "__underlying_type",
];

/// Whether the compiler has a built-in function or type trait.
pub(super) fn has_builtin(name: &str) -> bool {
    BUILTINS.binary_search(&name).is_ok() || crate::sema::builtins::find(name).is_some()
}

/// Whether an attribute of `__attribute__` has a meaning here.
pub(super) fn has_attribute(name: &str) -> bool {
    const ATTRIBUTES: [&str; 18] = [
        "aligned",
        "always_inline",
        "const",
        "constant",
        "device",
        "global",
        "host",
        "launch_bounds",
        "managed",
        "may_alias",
        "noinline",
        "noreturn",
        "packed",
        "pure",
        "shared",
        "unused",
        "used",
        "weak",
    ];
    let name = name.trim_start_matches("__").trim_end_matches("__");
    ATTRIBUTES.contains(&name)
}

/// The date of an attribute in brackets [cpp.cond], or 0: what the host's compiler says, in every edition the same.
pub(super) fn cpp_attribute(name: &str) -> u64 {
    match name {
        "noreturn" => 200_809,
        "deprecated" => 201_309,
        "fallthrough" | "maybe_unused" => 201_603,
        "nodiscard" => 201_907,
        "likely" | "unlikely" | "no_unique_address" => 201_803,
        _ => 0,
    }
}

/// Clang's features that code asks for.
pub(super) fn has_feature(name: &str) -> bool {
    const FEATURES: [&str; 12] = [
        "cxx_alias_templates",
        "cxx_constexpr",
        "cxx_decltype",
        "cxx_defaulted_functions",
        "cxx_deleted_functions",
        "cxx_lambdas",
        "cxx_noexcept",
        "cxx_nullptr",
        "cxx_relaxed_constexpr",
        "cxx_rvalue_references",
        "cxx_static_assert",
        "cxx_variadic_templates",
    ];
    FEATURES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_definitions_have_nothing_else() {
        for text in [
            PREDEFINED_TARGET,
            PREDEFINED_GCC,
            PREDEFINED_RUN_TIME,
            PREDEFINED_TARGET_MACROS,
            &targets(&Options::default()),
            &predefined(&Options::default()),
        ] {
            for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with("//")) {
                assert!(defined_name(line).is_some_and(|(name, _)| !name.is_empty()), "{line}");
                assert!(!line.ends_with('\\'), "{line}");
            }
        }
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(BUILTINS.is_sorted() && WORDS.is_sorted());
        assert!(has_builtin("__is_same") && has_builtin("__nvvm_bar0") && !has_builtin("__builtin_none"));
    }
}
