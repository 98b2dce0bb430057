//! The CUDA runtime API on the driver API alone, as an archive that programs of the host are linked with (`libwarpsmith_cudart.a`, in the place of
//! `libcudart_static.a`).
//!
//! **What enters**: calls of programs, and what the compiler's code registers: fat binaries, kernels, variables. **What leaves**: calls of the driver.
//!
//! The driver is `libcuda.so.1`. Where the variable `WARPSMITH_GPU` is set, and where there is no driver, its stand-in is taken instead (`warpsmith-libcuda`),
//! so that the same program runs with a GPU and without one. The stand-in is looked for at `WARPSMITH_DRIVER`, or where the compiler has put a link to it:
//! `warpsmith/lib/libcuda.so.1` in the user's cache.
//!
//! Programs that call the driver themselves find its functions in the archive, too (`-lcuda`): each goes on to the function of the same driver. So do those that
//! compile at run time (`-lnvrtc`): theirs go on to the compiler's own library, at `WARPSMITH_NVRTC` or in the user's cache.
//!
//! Errors of the driver are those of the runtime, which have the same numbers. Every function of the runtime is there; those that are not done say their name
//! once and give 801, `cudaErrorNotSupported`.
//!
//! **Invariants**: nothing is done before the first call that needs it, so that a program that forks first is well; the primary context of a device is the one
//! that all calls of a thread work on, unless the driver API has made another one current.
//!
//! **Where to start**: `driver`, the functions that are called; `registry`, what is registered.
#![allow(unsafe_code, non_snake_case)]

mod array;
mod device;
mod driver;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod entries;
mod graph;
mod launch;
mod library;
mod memory;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod nvrtc;
mod refused;
mod registry;
mod stream;

use std::cell::Cell;
use std::ffi::{CString, c_char, c_int};
use std::sync::OnceLock;

/// A code that is no success.
pub(crate) type Outcome = Result<(), c_int>;

/// Codes that the runtime itself gives.
pub(crate) mod code {
    use std::ffi::c_int;

    pub(crate) const INVALID_VALUE: c_int = 1;
    pub(crate) const MEMORY_ALLOCATION: c_int = 2;
    pub(crate) const INVALID_CONFIGURATION: c_int = 9;
    pub(crate) const INVALID_SYMBOL: c_int = 13;
    pub(crate) const INVALID_CHANNELS: c_int = 20;
    pub(crate) const INVALID_COPY: c_int = 21;
    pub(crate) const INSUFFICIENT_DRIVER: c_int = 35;
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    pub(crate) const NEWER_DRIVER: c_int = 36;
    pub(crate) const INVALID_FUNCTION: c_int = 98;
    pub(crate) const INVALID_DEVICE: c_int = 101;
    pub(crate) const NOT_FOUND: c_int = 500;
    pub(crate) const NOT_READY: c_int = 600;
    pub(crate) const NOT_SUPPORTED: c_int = 801;
}

thread_local! {
    /// The last error of this thread that was not asked for.
    static LAST: Cell<c_int> = const { Cell::new(0) };
    /// The device of this thread.
    pub(crate) static DEVICE: Cell<c_int> = const { Cell::new(0) };
}

/// The code of a call, kept for `cudaGetLastError`.
pub(crate) fn finish(outcome: Outcome) -> c_int {
    let code = outcome.err().unwrap_or(0);
    // Something that is not done yet is no error.
    if code != 0 && code != code::NOT_READY {
        LAST.set(code);
    }
    code
}

/// Declares exported functions that give a code. `[context]` makes the context of the thread's device current first, `[driver]` only needs the driver,
/// `[plain]` nothing. Names behind it stand for the same function; what has a stream takes that of the thread where it is called by one that ends in `_ptsz`.
macro_rules! exports {
    ($([$scope:ident $($alias:ident)*] fn $name:ident ($($parameter:ident: $type:ty),* $(,)?) $body:block)*) => {
        $($crate::export!($scope $name ($($parameter: $type),*) $body $($alias)*);)*
    };
}

/// Declares one.
#[macro_export]
#[doc(hidden)]
macro_rules! export {
    ($scope:ident $name:ident $parameters:tt $body:block $alias:ident $($more:ident)*) => {
        $crate::export!($scope $name $parameters $body);
        $crate::export!($scope $alias $parameters $body $($more)*);
    };
    ($scope:ident $name:ident ($($parameter:ident: $type:ty),*) $body:block) => {
        // SAFETY of the name: it is that of the library in whose place this one is linked.
        #[unsafe(no_mangle)]
        #[allow(unused_mut, clippy::missing_safety_doc)]
        pub(crate) unsafe extern "C" fn $name($($parameter: $type),*) -> ::std::ffi::c_int {
            $(let mut $parameter = $parameter.by_name(stringify!($name));)*
            let work = move || -> $crate::Outcome { $body };
            $crate::finish($crate::device::$scope().and_then(|()| work()))
        }
    };
}
pub(crate) use exports;

/// What a parameter is to a function that is called by a name.
pub(crate) trait ByName: Sized {
    /// Itself, but a stream: none is that of the thread for functions of per-thread streams.
    fn by_name(self, _name: &str) -> Self {
        self
    }
}

/// A stream.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Stream(pub(crate) *mut std::ffi::c_void);

/// `CU_STREAM_PER_THREAD`.
const PER_THREAD: usize = 2;

impl ByName for Stream {
    fn by_name(self, name: &str) -> Stream {
        match self.0.is_null() && name.ends_with("_ptsz") {
            true => Stream(std::ptr::without_provenance_mut(PER_THREAD)),
            false => self,
        }
    }
}

impl<T> ByName for *mut T {}
impl<T> ByName for *const T {}
impl ByName for c_int {}
impl ByName for std::ffi::c_uint {}
impl ByName for usize {}
impl ByName for u64 {}
impl ByName for launch::Dimensions {}
impl ByName for memory::Pitched {}
impl ByName for memory::Extent {}
impl ByName for memory::Location {}
impl ByName for memory::ProcessHandle {}
impl ByName for Option<stream::Callback> {}
impl ByName for Option<stream::HostFunction> {}

/// Writes a result where a caller wants it.
pub(crate) fn put<T>(to: *mut T, value: T) -> Outcome {
    if to.is_null() {
        return Err(code::INVALID_VALUE);
    }
    // SAFETY: the caller of the runtime gives a place for a value of this type.
    unsafe { to.write(value) };
    Ok(())
}

/// The last error, which is forgotten.
#[unsafe(no_mangle)]
extern "C" fn cudaGetLastError() -> c_int {
    LAST.replace(0)
}

/// The last error.
#[unsafe(no_mangle)]
extern "C" fn cudaPeekAtLastError() -> c_int {
    LAST.get()
}

/// A row of the table of errors: the number, the runtime's name, the words.
struct Row {
    number: c_int,
    name: CString,
    words: CString,
}

const ERRORS: &str = include_str!(concat!(env!("OUT_DIR"), "/errors.tbl"));

/// The errors.
fn rows() -> &'static [Row] {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let rows = ERRORS.lines().filter(|row| !row.starts_with('#'));
        let row = |row: &str| {
            let mut words = row.split_whitespace();
            let number = words.next()?.parse().ok()?;
            let (driver, runtime) = (words.next()?, words.next()?);
            let name = if runtime == "-" { driver } else { runtime };
            let words: Vec<&str> = words.collect();
            Some(Row {
                number,
                name: CString::new(name).ok()?,
                words: CString::new(words.join(" ")).ok()?,
            })
        };
        rows.filter_map(row).collect()
    })
}

fn row(error: c_int) -> Option<&'static Row> {
    rows().iter().find(|row| row.number == error)
}

/// The words of an error.
#[unsafe(no_mangle)]
extern "C" fn cudaGetErrorString(error: c_int) -> *const c_char {
    row(error).map_or(c"unrecognized error code".as_ptr(), |row| row.words.as_ptr())
}

/// The name of an error.
#[unsafe(no_mangle)]
extern "C" fn cudaGetErrorName(error: c_int) -> *const c_char {
    row(error).map_or(c"unrecognized error code".as_ptr(), |row| row.name.as_ptr())
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn errors_have_the_names_and_words_of_the_table() {
        // SAFETY: both give texts that end.
        let text = |pointer| unsafe { CStr::from_ptr(pointer) }.to_str().expect("text");
        assert_eq!(text(cudaGetErrorName(700)), "cudaErrorIllegalAddress");
        assert_eq!(text(cudaGetErrorString(0)), "no error");
        assert_eq!(text(cudaGetErrorString(12345)), "unrecognized error code");
    }

    #[test]
    fn an_error_is_kept_until_it_is_asked_for() {
        assert_eq!(finish(Err(code::INVALID_VALUE)), 1);
        assert_eq!(finish(Ok(())), 0);
        assert_eq!(
            (cudaPeekAtLastError(), cudaGetLastError(), cudaGetLastError()),
            (1, 1, 0)
        );
        assert_eq!((finish(Err(code::NOT_READY)), cudaGetLastError()), (600, 0));
    }

    #[test]
    fn a_stream_of_none_is_the_threads_for_functions_of_its_own() {
        let none = Stream(std::ptr::null_mut());
        assert_eq!(none.by_name("cudaStreamSynchronize").0.addr(), 0);
        assert_eq!(none.by_name("cudaStreamSynchronize_ptsz").0.addr(), PER_THREAD);
    }
}
