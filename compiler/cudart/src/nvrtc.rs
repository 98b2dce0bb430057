//! The library that compiles at run time, found when one of its functions is called first.

use std::ffi::{OsString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

use libloading::Library;

/// Its name in the user's cache.
const LIBRARY: &str = "libnvrtc.so.13";

/// `NVRTC_ERROR_INTERNAL_ERROR`: there is no library.
const INTERNAL_ERROR: c_int = 11;

/// The library, loaded once: what `WARPSMITH_NVRTC` names, what the compiler has left a link to, or what the system has.
fn library() -> Option<&'static Library> {
    static LOADED: OnceLock<Option<Library>> = OnceLock::new();
    LOADED
        .get_or_init(|| {
            let named = std::env::var_os("WARPSMITH_NVRTC").map(PathBuf::from);
            let own = named.or_else(|| crate::driver::in_cache(LIBRARY)).map(PathBuf::into_os_string);
            let names = own.into_iter().chain([OsString::from(LIBRARY)]);
            // SAFETY: the library is a compiler; nothing happens when it is loaded.
            let found = names.into_iter().find_map(|name| unsafe { Library::new(name) }.ok());
            if found.is_none() {
                eprintln!("warpsmith: there is no {LIBRARY}: it lies beside the compiler as libwarpsmith_capi.so, and WARPSMITH_NVRTC names another");
            }
            found
        })
        .as_ref()
}

/// The function of a name, or one that gives the reason why there is none.
pub(crate) fn find(name: &str) -> *const c_void {
    // SAFETY: only the address is taken; who calls it gives it its type.
    let symbol = library().and_then(|library| unsafe { library.get::<*const c_void>(name.as_bytes()) }.ok());
    match symbol {
        Some(symbol) => *symbol,
        None if name == "nvrtcGetErrorString" => words as *const c_void,
        None => missing as *const c_void,
    }
}

/// In the place of every function, without the library.
extern "C" fn missing() -> c_int {
    INTERNAL_ERROR
}

/// In the place of the words of errors, without the library.
extern "C" fn words(_error: c_int) -> *const c_char {
    c"NVRTC_ERROR_INTERNAL_ERROR".as_ptr()
}
