//! What crosses the C interface: values that programs hand over, and results.
//!
//! What holds for every call of the library: a pointer that a program hands over is null, which is refused, or what the documentation of the
//! function says it is: of so many bytes, readable or writable through the call. That is the contract of a C interface, and cannot be checked from
//! inside. What is written is no value with invariants, and is written without assuming alignment. Images are the exception: what they say of
//! their own size is believed only as far as the process has memory there.
#![allow(unsafe_code)]

use std::alloc::{self, Layout};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError, atomic::AtomicU64};
use std::{ptr, slice};

use warpsmith_cubin::Cubin;

use crate::image::{self, Kind};
use crate::result::{Code, Failed};
use crate::state::{ContextId, Settings, State};

static STATE: Mutex<Option<State>> = Mutex::new(None);

thread_local! {
    /// The contexts of this thread, the current one last.
    static CONTEXTS: RefCell<Vec<ContextId>> = const { RefCell::new(Vec::new()) };
}

/// Does something with the device, which the first call makes.
pub(crate) fn with<T>(action: impl FnOnce(&mut State) -> Result<T, Failed>) -> Result<T, Failed> {
    let mut state: MutexGuard<'_, Option<State>> = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    if state.is_none() {
        let settings = Settings::read(|name| std::env::var(name).ok());
        let settings = settings.map_err(|reason| Failed::new(Code::InvalidDevice, reason))?;
        *state = Some(State::new(settings));
    }
    match state.as_mut() {
        Some(state) => action(state),
        None => Err(Failed::new(Code::Unknown, "there is no device")),
    }
}

/// Does something with the contexts of this thread, the current one last.
pub(crate) fn contexts<T>(action: impl FnOnce(&mut Vec<ContextId>) -> T) -> T {
    CONTEXTS.with(|contexts| action(&mut contexts.borrow_mut()))
}

/// The current context of this thread.
pub(crate) fn current() -> Result<ContextId, Failed> {
    let last = contexts(|contexts| contexts.last().copied());
    last.ok_or_else(|| Failed::new(Code::InvalidContext, "no context is current in this thread"))
}

/// What a call works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The current context: a fault of a kernel of it is what the call gives.
    Context,
    /// No context, or the device as a whole.
    Anywhere,
}

/// The code of a call, with its reason on standard error.
pub(crate) fn code(scope: Scope, call: impl FnOnce() -> Result<(), Failed>) -> c_int {
    let guarded = || match scope {
        Scope::Context => with(|state| state.initialized())
            .and_then(|()| current())
            .and_then(|context| with(|state| state.healthy(context)))
            .and_then(|()| call()),
        Scope::Anywhere => call(),
    };
    match catch_unwind(AssertUnwindSafe(guarded)) {
        Ok(Ok(())) => Code::Success as c_int,
        Ok(Err(failed)) => {
            if !failed.reason.is_empty() {
                eprintln!("warpsmith: {}", failed.reason);
            }
            failed.code as c_int
        }
        // The panic has said what it is.
        Err(_) => Code::Unknown as c_int,
    }
}

/// Says once that a function is not done.
pub(crate) fn refuse(name: &'static str) -> Failed {
    static SAID: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    let advice = match name {
        "cuGetExportTable" => {
            ", which programs with a static CUDA runtime (nvcc's default) ask first: link with `nvcc -cudart shared`"
        }
        _ => "",
    };
    match said.insert(name) {
        true => Failed::new(Code::NotSupported, format!("{name} is not supported{advice}")),
        false => Failed::silent(Code::NotSupported),
    }
}

/// Prints what kernels print, in the order in which the program itself prints.
pub(crate) fn print(printed: &str) {
    #[cfg(unix)]
    {
        unsafe extern "C" {
            fn printf(format: *const c_char, ...) -> c_int;
        }
        for piece in printed.split('\0') {
            if let Ok(piece) = std::ffi::CString::new(piece) {
                // SAFETY: `%s` takes a text that ends with a zero byte.
                unsafe { printf(c"%s".as_ptr(), piece.as_ptr()) };
            }
        }
    }
    #[cfg(not(unix))]
    print!("{printed}");
}

/// Gives a program a value.
pub(crate) fn put<T>(to: *mut T, value: T) -> Result<(), Failed> {
    if to.is_null() {
        return Err(Failed::new(Code::InvalidValue, "a result has nowhere to go"));
    }
    // SAFETY: not null, so of a `T` that the program owns (the contract above).
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Gives a program a value that it may not want.
pub(crate) fn put_wanted<T>(to: *mut T, value: T) -> Result<(), Failed> {
    if to.is_null() { Ok(()) } else { put(to, value) }
}

/// Gives a program bytes.
pub(crate) fn put_bytes(to: *mut u8, bytes: &[u8]) -> Result<(), Failed> {
    if to.is_null() && !bytes.is_empty() {
        return Err(Failed::new(Code::InvalidValue, "bytes have nowhere to go"));
    }
    // SAFETY: not null where anything is written, so of as many bytes (the contract above), apart from the library's own.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    Ok(())
}

/// A number of items that a program hands over.
pub(crate) fn list<T: Copy>(from: *const T, count: usize) -> Result<Vec<T>, Failed> {
    if from.is_null() && count > 0 {
        return Err(Failed::new(Code::InvalidValue, "an argument is null"));
    }
    // SAFETY: not null where anything is read, so of `count` items (the contract above); read without assuming alignment.
    Ok((0..count)
        .map(|index| unsafe { from.add(index).read_unaligned() })
        .collect())
}

/// A value that a program hands over.
pub(crate) fn get<T>(from: *const T) -> Result<T, Failed> {
    if from.is_null() {
        return Err(Failed::new(Code::InvalidValue, "an argument is null"));
    }
    // SAFETY: not null, so a `T` of the program (the contract above): those read here are plain numbers and pointers.
    Ok(unsafe { from.read_unaligned() })
}

/// A text of a program.
pub(crate) fn text(from: *const c_char) -> Result<String, Failed> {
    if from.is_null() {
        return Err(Failed::new(Code::InvalidValue, "a name is null"));
    }
    // SAFETY: not null, so a text that ends with a zero byte (the contract above).
    Ok(unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned())
}

/// Bytes of the program's memory.
pub(crate) fn host_read(address: u64, length: usize) -> Result<Vec<u8>, Failed> {
    let from: *const u8 = ptr::with_exposed_provenance(address as usize);
    if from.is_null() && length > 0 {
        return Err(Failed::new(Code::InvalidValue, "memory at address 0 is to be copied"));
    }
    if length == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: not null, so of as many bytes (the contract above).
    Ok(unsafe { slice::from_raw_parts(from, length) }.to_vec())
}

/// Replaces bytes of the program's memory.
pub(crate) fn host_write(address: u64, bytes: &[u8]) -> Result<(), Failed> {
    put_bytes(ptr::with_exposed_provenance_mut(address as usize), bytes)
}

/// What a handle stands for. Its bits are above those of the number, so that a handle of one kind is none of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum HandleKind {
    Context = 1,
    Module,
    Function,
    Stream,
    Event,
    Fatbin,
    Pool,
    Array,
    MipmappedArray,
    Graph,
    GraphNode,
    GraphExecutable,
    Linker,
    Library,
    Kernel,
    Physical,
    UserObject,
}

const HANDLE_SHIFT: u32 = 40;

/// The handle of a number.
pub(crate) fn handle(kind: HandleKind, number: usize) -> *mut c_void {
    ptr::without_provenance_mut((kind as usize) << HANDLE_SHIFT | (number + 1) << 4)
}

/// The number of a handle of a kind.
pub(crate) fn number(kind: HandleKind, handle: *mut c_void) -> Result<usize, Failed> {
    let low = handle.addr() & ((1 << HANDLE_SHIFT) - 1);
    let is_one = handle.addr() >> HANDLE_SHIFT == kind as usize && low & 15 == 0;
    let number = (low >> 4).checked_sub(1).filter(|_| is_one);
    number.ok_or_else(|| {
        Failed::new(
            Code::InvalidHandle,
            format!("{handle:p} is no handle of this kind: {kind:?}"),
        )
    })
}

/// Memory of the program whose bytes kernels share, as the words that hold them; from the multiple of 8 bytes at or below the address on.
pub(crate) fn shared_words(address: u64, bytes: u64) -> Result<(u64, &'static [AtomicU64]), Failed> {
    let wrong = || {
        Failed::new(
            Code::InvalidValue,
            format!("{bytes} bytes at {address:#x} are not the program's"),
        )
    };
    let end = address
        .checked_add(bytes)
        .and_then(|end| end.checked_next_multiple_of(8))
        .ok_or_else(wrong)?;
    let start = address & !7;
    if bytes == 0 || address == 0 || !image::is_mapped(start, end) {
        return Err(wrong());
    }
    let from: *const AtomicU64 = ptr::with_exposed_provenance(start as usize);
    let count = usize::try_from((end - start) / 8).map_err(|_| wrong())?;
    // SAFETY: aligned, and memory that the program has registered stays its own, and whole, until it is unregistered (`cuMemHostRegister`), when the
    // words are forgotten. What lies beside it in the first and last word is in the same page, and is changed by single exchanges of whole words.
    Ok((start, unsafe { slice::from_raw_parts(from, count) }))
}

/// Pages: what is given to programs begins at a multiple.
const PAGE: usize = 4096;

fn page_layout(bytes: u64) -> Option<Layout> {
    let bytes = usize::try_from(bytes).ok()?.max(1).checked_next_multiple_of(PAGE)?;
    Layout::from_size_align(bytes, PAGE).ok()
}

/// Zeroed memory that programs and kernels share: its address and words. `None`: there is not as much.
pub(crate) fn allocate_words(bytes: u64) -> Option<(u64, &'static [AtomicU64])> {
    let layout = page_layout(bytes)?;
    // SAFETY: the layout is not empty.
    let start = unsafe { alloc::alloc_zeroed(layout) };
    if start.is_null() {
        return None;
    }
    let count = usize::try_from(bytes.div_ceil(8)).ok()?;
    // SAFETY: so many zeroed and aligned words were allocated, which stay until `free_words`.
    let words = unsafe { slice::from_raw_parts(start.cast::<AtomicU64>(), count) };
    Some((start.expose_provenance() as u64, words))
}

/// The words of a file, of so many bytes, which other processes may have, too. They stay for good.
#[cfg(unix)]
pub(crate) fn map_file(file: &std::fs::File, bytes: u64) -> Option<&'static [AtomicU64]> {
    use std::os::fd::AsRawFd as _;
    unsafe extern "C" {
        fn mmap(at: *mut c_void, bytes: usize, access: c_int, flags: c_int, file: c_int, offset: i64) -> *mut c_void;
    }
    // PROT_READ | PROT_WRITE and MAP_SHARED.
    const ACCESS: c_int = 3;
    const SHARED: c_int = 1;
    let bytes = usize::try_from(bytes).ok()?;
    if bytes == 0 || file.metadata().ok()?.len() < bytes as u64 {
        return None;
    }
    // SAFETY: the file is open and so long; the system chooses the place.
    let start = unsafe { mmap(ptr::null_mut(), bytes, ACCESS, SHARED, file.as_raw_fd(), 0) };
    if start.addr() == usize::MAX {
        return None;
    }
    // SAFETY: so many bytes were mapped at a page, and nothing unmaps them. All that have them know them as words that change at any time.
    Some(unsafe { slice::from_raw_parts(start.cast::<AtomicU64>(), bytes / 8) })
}

/// Gives back what [`allocate_words`] gave, which nothing uses any more.
pub(crate) fn free_words(address: u64, bytes: u64) {
    if let Some(layout) = page_layout(bytes) {
        // SAFETY: of this layout, allocated by `allocate_words` and not yet given back: the list of such memory had it.
        unsafe { alloc::dealloc(ptr::with_exposed_provenance_mut(address as usize), layout) };
    }
}

/// Calls a function of the program with its data.
pub(crate) fn call_back(function: Option<extern "system" fn(*mut c_void)>, data: *mut c_void) -> Result<(), Failed> {
    match function {
        Some(function) => {
            function(data);
            Ok(())
        }
        None => Err(Failed::new(Code::InvalidValue, "a function is null")),
    }
}

/// The same of a function at an address that was exposed.
pub(crate) fn call_back_at(function: usize, data: usize) -> Result<(), Failed> {
    let function: *const c_void = ptr::with_exposed_provenance(function);
    if function.is_null() {
        return Err(Failed::new(Code::InvalidValue, "a function is null"));
    }
    // SAFETY: not null, so the function of the program that it gave with its data (the contract above).
    let function: extern "system" fn(*mut c_void) = unsafe { std::mem::transmute(function) };
    function(ptr::with_exposed_provenance_mut(data));
    Ok(())
}

/// The cubin of an image, which tells its length itself, or what its PTX becomes.
pub(crate) fn cubin(from: *const c_void) -> Result<Cubin, Failed> {
    let from: *const u8 = from.cast();
    let sm = with(|state| Ok(state.settings.sm))?;
    let start: [u8; 4] = array(from)?;
    let kind = Kind::of(start);
    if kind == Kind::Ptx {
        return image::compiled(text(from.cast())?.as_bytes(), sm);
    }
    // What an image says of its size is true only where the process has memory.
    let room = image::mapped_from(from.addr() as u64);
    let broken = || Failed::new(Code::InvalidImage, "the image is no cubin or fatbin, or is cut off");
    let within = |end: u64| usize::try_from(end).ok().filter(|_| end <= room).ok_or_else(broken);
    match kind {
        Kind::Cubin => {
            within(image::FILE_HEADER as u64)?;
            let tables = within(image::end_of_tables(&array(from)?).ok_or_else(broken)?)?;
            let end = image::end(&list(from, tables)?).ok_or_else(broken)?;
            image::cubin(&list(from, within(end)?)?)
        }
        Kind::Fatbin | Kind::Ptx => {
            within(16)?;
            let size = within(image::size_of_fatbin(&array(from)?))?;
            image::chosen(&list(from, size)?, sm)
        }
    }
}

/// The first bytes of an image.
fn array<const SIZE: usize>(from: *const u8) -> Result<[u8; SIZE], Failed> {
    let bytes = list(from, SIZE)?;
    bytes
        .try_into()
        .map_err(|_| Failed::new(Code::Unknown, "an image without bytes"))
}
