//! What the command line says about preprocessing.

/// The edition of C++.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standard {
    /// 2011.
    Cpp11,
    /// 2014.
    Cpp14,
    /// 2017, the default.
    Cpp17,
    /// 2020: its keywords and `<=>` are recognised.
    Cpp20,
}

impl Standard {
    /// The value of `__cplusplus`.
    pub const fn number(self) -> &'static str {
        match self {
            Standard::Cpp11 => "201103L",
            Standard::Cpp14 => "201402L",
            Standard::Cpp17 => "201703L",
            Standard::Cpp20 => "202002L",
        }
    }
}

/// Which world the unit is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Device code alone, with the built-in headers (`__CUDACC_RTC__` is defined).
    DeviceOnly,
    /// With the headers of a host compiler and a toolkit (gcc's macros are defined).
    HostHeaders,
}

/// `-D` or `-U`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// `-D`: `NAME`, `NAME=VALUE` or `NAME(A,B)=VALUE`.
    Define(String),
    /// `-U`.
    Undefine(String),
}

/// All of them.
#[derive(Clone, Debug)]
pub struct Options {
    /// The edition of C++.
    pub standard: Standard,
    /// Which world the unit is written for.
    pub mode: Mode,
    /// The value of `__CUDA_ARCH__`, such as 900; 0 for a pass without it.
    pub arch: u32,
    /// The suffix of the target: `sm_90a` has all features of its architecture.
    pub arch_features: ArchFeatures,
    /// Definitions in their order.
    pub definitions: Vec<Definition>,
    /// `-iquote`: folders for `#include "…"` only.
    pub quote_folders: Vec<String>,
    /// `-I`.
    pub folders: Vec<String>,
    /// `-isystem`: searched after `-I`; warnings in them are not shown.
    pub system_folders: Vec<String>,
    /// `-include`, in their order.
    pub includes: Vec<String>,
    /// How much of the built-in declarations of CUDA is included first, as NVRTC does.
    pub prelude: Prelude,
    /// Whether built-in headers are found at all.
    pub built_in_headers: bool,
    /// What becomes of warnings.
    pub warnings: super::WarningOptions,
}

/// How much of the built-in declarations a unit gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prelude {
    /// Nothing: headers declare what there is.
    None,
    /// Types and variables, and those headers of functions that declare a name of the unit.
    AsNeeded,
    /// Everything: names that are only nearly right are found among all.
    Whole,
}

/// What the target's suffix allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArchFeatures {
    /// None: `sm_90`.
    Base,
    /// `sm_100f`: those of the family.
    Family,
    /// `sm_90a`: those of the one architecture.
    Specific,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            standard: Standard::Cpp17,
            mode: Mode::DeviceOnly,
            arch: 900,
            arch_features: ArchFeatures::Base,
            definitions: Vec::new(),
            quote_folders: Vec::new(),
            folders: Vec::new(),
            system_folders: Vec::new(),
            includes: Vec::new(),
            prelude: Prelude::AsNeeded,
            built_in_headers: true,
            warnings: super::WarningOptions::default(),
        }
    }
}

impl Options {
    /// What is usual, for a target by its name: `sm_`, a number, and `a`, `f` or nothing.
    ///
    /// ```
    /// use warpsmith_cuda::source::{ArchFeatures, Options};
    ///
    /// let options = Options::for_target("sm_90a");
    /// assert_eq!((options.arch, options.arch_features), (900, ArchFeatures::Specific));
    /// ```
    pub fn for_target(name: &str) -> Options {
        let number = name.trim_start_matches("sm_").trim_end_matches(['a', 'f']);
        Options {
            arch: number.parse::<u32>().map_or(0, |number| 10 * number),
            arch_features: match name.bytes().last() {
                Some(b'a') => ArchFeatures::Specific,
                Some(b'f') => ArchFeatures::Family,
                _ => ArchFeatures::Base,
            },
            ..Options::default()
        }
    }
}
