//! Which kernel of a module is meant.

use warpsmith_emu::demangled;

/// The kernel of this name, or the only one where no name is given. A kernel of C++ may be named as the source has it, in place of the name that
/// linkers know it by.
///
/// ```
/// use warpsmith::emulator::kernel_of;
///
/// assert_eq!(kernel_of(&["_Z5scalePfi", "main_kernel"], Some("scale")), Ok("_Z5scalePfi"));
/// assert_eq!(kernel_of(&["main_kernel"], None), Ok("main_kernel"));
/// assert!(kernel_of(&["main_kernel"], Some("scale")).is_err());
/// ```
///
/// # Errors
/// That there is none, or several; in words that list those that there are.
pub fn kernel_of<'k>(kernels: &[&'k str], name: Option<&str>) -> Result<&'k str, String> {
    let names = || match kernels {
        [] => "the module has none".to_owned(),
        names => {
            let names: Vec<String> = names.iter().map(|name| demangled(name)).collect();
            format!("there are {}", names.join(", "))
        }
    };
    let Some(name) = name else {
        return match kernels {
            [one] => Ok(one),
            [] => Err("the module has no kernel".to_owned()),
            _ => Err(format!("which kernel is meant must be said; {}", names())),
        };
    };
    if let Some(kernel) = kernels.iter().find(|kernel| **kernel == name) {
        return Ok(kernel);
    }
    let mut meant = kernels.iter().filter(|kernel| has_plain_name(kernel, name));
    match (meant.next(), meant.next()) {
        (Some(kernel), None) => Ok(kernel),
        (Some(_), Some(_)) => Err(format!("several kernels are called `{name}`; {}", names())),
        (None, _) => Err(format!("there is no kernel `{name}`; {}", names())),
    }
}

/// Whether a mangled name is that of the function: in no namespace as `_Z`, the length, the name (Itanium C++ ABI, 5.1.2), else as the source has it, with
/// or without its parameters and template arguments.
fn has_plain_name(kernel: &str, name: &str) -> bool {
    let rest = kernel.strip_prefix(&format!("_Z{}{name}", name.len()));
    if rest.is_some_and(|rest| !rest.is_empty()) {
        return true;
    }
    let whole = demangled(kernel);
    let rest = whole.strip_prefix(name).filter(|_| whole != kernel);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['(', '<']))
}
