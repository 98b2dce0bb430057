//! Names of functions as their authors wrote them.

use std::fmt::{self, Write};

use cpp_demangle::{DemangleOptions, ParseOptions, Symbol};

/// Bytes of names, mangled and not, above which they stay as they are: a short mangled name may stand for one of any length.
const LONGEST: usize = 4096;

/// The name of a function in C++, with its parameters, from the one that linkers know it by; other names as they are.
///
/// ```
/// assert_eq!(warpsmith_emu::demangled("_Z5scalePfi"), "scale(float*, int)");
/// assert_eq!(warpsmith_emu::demangled("_ZN2ns3addIfEEvPT_"), "ns::add<float>(float*)");
/// assert_eq!(warpsmith_emu::demangled("main_kernel"), "main_kernel");
/// ```
pub fn demangled(name: &str) -> String {
    if !name.starts_with("_Z") || name.len() > LONGEST {
        return name.to_owned();
    }
    let mut text = Limited(String::new());
    let parse = ParseOptions::default().recursion_limit(256);
    let options = DemangleOptions::new().no_return_type().recursion_limit(256);
    let written = Symbol::new_with_options(name, &parse)
        .ok()
        .and_then(|symbol| symbol.structured_demangle(&mut text, &options).ok());
    match written {
        Some(()) => text.0,
        None => name.to_owned(),
    }
}

/// Text that takes no more than a name may have.
struct Limited(String);

impl Write for Limited {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.0.len() + part.len() > LONGEST {
            return Err(fmt::Error);
        }
        self.0.push_str(part);
        Ok(())
    }
}
