//! Faults of Warpsmith itself: where it was when it panicked.
//!
//! Each thread keeps what it is doing: a phase and what it does it to. A panic is taken down with the innermost of both by a hook, on the thread where it
//! happens, whichever thread it is noticed on later; [`caught`] gives it to whoever has to tell the user.

use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, Once, OnceLock, PoisonError};

/// The variable of the environment that makes a phase panic, so that what follows can be tried: the name of a phase, or `PHASE:SUBJECT`.
pub const PANIC_AT: &str = "WARPSMITH_PANIC_AT";

/// A phase and what it is at work on; the subject is empty where that is everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doing {
    /// The phase.
    pub phase: &'static str,
    /// A function, or a file.
    pub subject: String,
}

thread_local! {
    static DOING: RefCell<Vec<Doing>> = const { RefCell::new(Vec::new()) };
}

/// The phase that some thread entered last.
static LATEST: Mutex<&str> = Mutex::new("");

/// The phase that some thread entered last, for whoever waits.
pub fn latest() -> &'static str {
    *LATEST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says what a thread is doing, until it is dropped.
#[derive(Debug)]
#[must_use = "what is being done ends where this is dropped"]
pub struct Entered(());

impl Drop for Entered {
    fn drop(&mut self) {
        DOING.with(|doing| {
            if let Ok(mut doing) = doing.try_borrow_mut() {
                doing.pop();
            }
        });
    }
}

/// What the environment asks to panic, asked once.
fn panic_at() -> Option<&'static (String, Option<String>)> {
    static AT: OnceLock<Option<(String, Option<String>)>> = OnceLock::new();
    let read = || {
        let text = std::env::var(PANIC_AT).ok()?;
        Some(match text.split_once(':') {
            Some((phase, subject)) => (phase.to_owned(), Some(subject.to_owned())),
            None => (text, None),
        })
    };
    AT.get_or_init(read).as_ref()
}

/// Notes that this thread is at a phase from here on.
///
/// # Panics
/// Where [`PANIC_AT`] asks for it.
pub fn enter(phase: &'static str, subject: &str) -> Entered {
    // Who works does not wait for who looks.
    if let Ok(mut latest) = LATEST.try_lock() {
        *latest = phase;
    }
    DOING.with(|doing| {
        if let Ok(mut doing) = doing.try_borrow_mut() {
            doing.push(Doing {
                phase,
                subject: subject.to_owned(),
            });
        }
    });
    let entered = Entered(());
    if let Some((wanted, of)) = panic_at()
        && wanted == phase
        && of.as_ref().is_none_or(|of| of == subject)
    {
        panic!("{PANIC_AT} asks for this");
    }
    entered
}

/// What this thread is doing: for a thread that it starts.
pub fn doing() -> Doing {
    DOING.with(|doing| {
        let doing = doing.try_borrow().ok();
        doing.and_then(|doing| doing.last().cloned()).unwrap_or_default()
    })
}

/// A panic that was caught.
#[derive(Debug)]
pub struct Fault {
    /// What it says.
    pub message: String,
    /// The line of Warpsmith's source.
    pub place: String,
    /// What was being done.
    pub doing: Doing,
    /// The calls that led there.
    pub backtrace: String,
}

/// How many [`caught`] are waiting for the end of their work.
static WATCHED: AtomicUsize = AtomicUsize::new(0);
/// The first panic that nobody has taken yet: those that follow are of threads that waited for the first.
static FIRST: Mutex<Option<Fault>> = Mutex::new(None);

/// The errors of Warpsmith itself that were put into words, told or not.
static INTERNAL: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// The message of an error of Warpsmith itself that is no panic. It is known by that it was made here, not by its words, which a user's text may have, too.
pub fn internal(what: impl fmt::Display) -> String {
    let message = format!("internal error: {what}");
    // Lines that follow may be indented where they are told.
    let first = message.lines().next().unwrap_or_default();
    let mut known = INTERNAL.lock().unwrap_or_else(PoisonError::into_inner);
    if !known.contains(first) {
        known.insert(first.to_owned());
    }
    message
}

/// What [`internal`] was asked to put into words, of whatever a text tells the user of it.
pub fn told(text: &str) -> Option<String> {
    let known = INTERNAL.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known.iter().find(|message| text.contains(message.as_str()))?;
    found.strip_prefix("internal error: ").map(str::to_owned)
}

fn message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without words".to_owned())
}

fn take_down(info: &PanicHookInfo<'_>) {
    let mut first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
    if first.is_none() {
        *first = Some(Fault {
            message: message(info.payload()),
            place: info.location().map_or_else(String::new, ToString::to_string),
            doing: doing(),
            backtrace: Backtrace::force_capture().to_string(),
        });
    }
}

/// Does something, and gives the panic that ends it, on whichever thread: nothing of it is printed.
///
/// # Errors
/// The panic.
pub fn caught<R>(work: impl FnOnce() -> R) -> Result<R, Box<Fault>> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| match WATCHED.load(Ordering::Relaxed) {
            0 => usual(info),
            _ => take_down(info),
        }));
    });
    WATCHED.fetch_add(1, Ordering::Relaxed);
    let depth = DOING.with(|doing| doing.try_borrow().map_or(0, |doing| doing.len()));
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    WATCHED.fetch_sub(1, Ordering::Relaxed);
    let payload = match result {
        Ok(value) => return Ok(value),
        Err(payload) => payload,
    };
    DOING.with(|doing| {
        if let Ok(mut doing) = doing.try_borrow_mut() {
            doing.truncate(depth);
        }
    });
    let first = FIRST.lock().unwrap_or_else(PoisonError::into_inner).take();
    Err(Box::new(first.unwrap_or_else(|| Fault {
        message: message(&*payload),
        place: String::new(),
        doing: doing(),
        backtrace: String::new(),
    })))
}

/// Files without repetition. A unit of CUDA C++ may read thousands, so that a list alone would not do to tell whether one is known.
#[derive(Debug, Default)]
struct Read {
    in_order: Vec<PathBuf>,
    known: HashSet<PathBuf>,
}

/// The files that were read, in order: what a fault is repeated with.
static READ: LazyLock<Mutex<Read>> = LazyLock::new(Mutex::default);

/// Notes that a file is read.
pub fn note_file(path: &Path) {
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if !read.known.contains(path) {
        read.known.insert(path.to_path_buf());
        read.in_order.push(path.to_path_buf());
    }
}

/// The files that were read.
pub fn files() -> Vec<PathBuf> {
    READ.lock().unwrap_or_else(PoisonError::into_inner).in_order.clone()
}

/// What was read from standard input, which cannot be read again.
static STANDARD_INPUT: Mutex<Option<Vec<u8>>> = Mutex::new(None);

/// Keeps what was read from standard input.
pub fn note_standard_input(bytes: &[u8]) {
    *STANDARD_INPUT.lock().unwrap_or_else(PoisonError::into_inner) = Some(bytes.to_vec());
}

/// What was read from standard input.
pub fn standard_input() -> Option<Vec<u8>> {
    STANDARD_INPUT.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_knows_what_was_being_done_and_where() {
        let fault = caught(|| {
            let _outer = enter("outer", "module");
            {
                let _inner = enter("over", "f");
            }
            let _inner = enter("inner", "g");
            std::panic::panic_any("a number")
        });
        let fault = fault.unwrap_err();
        assert_eq!((fault.doing.phase, fault.doing.subject.as_str()), ("inner", "g"));
        assert_eq!(fault.message, "a number");
        assert!(fault.place.contains("fault.rs:"), "{}", fault.place);
        assert!(!fault.backtrace.is_empty());
        assert_eq!(doing(), Doing::default(), "what was entered is left");
        assert_eq!(caught(|| 7).unwrap(), 7);
    }

    #[test]
    fn an_internal_error_is_known_by_who_made_it() {
        assert_eq!(told("error: internal error: of the user\n"), None);
        let message = internal(format_args!("of {}\nand more", 7));
        assert_eq!(message, "internal error: of 7\nand more");
        let shown = format!(
            "error: in function 'k': {}\n --> k.ptx:3:2\n",
            message.replace('\n', "\n    ")
        );
        assert_eq!(told(&shown).as_deref(), Some("of 7"));
        assert_eq!(told("error: internal error: of the user\n"), None);
    }

    #[test]
    fn a_panic_of_another_thread_is_told_as_it_was_there() {
        let fault = caught(|| {
            let _outer = enter("outer", "module");
            std::thread::scope(|scope| {
                let started = std::thread::Builder::new().spawn_scoped(scope, || {
                    let _inner = enter("inner", "f");
                    let of: &[u32] = &[];
                    of[doing().subject.len()]
                });
                started
                    .unwrap()
                    .join()
                    .unwrap_or_else(|panic| panic::resume_unwind(panic))
            })
        });
        let fault = fault.unwrap_err();
        assert_eq!(
            fault.doing,
            Doing {
                phase: "inner",
                subject: "f".to_owned()
            }
        );
        assert_eq!(fault.message, "index out of bounds: the len is 0 but the index is 1");
    }
}
