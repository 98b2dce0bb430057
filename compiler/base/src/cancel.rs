//! A way to end a compile from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that ends the work that looks at it. Clones share the flag, so one is kept and the other goes into the work.
///
/// Work looks at it between passes and between functions. What comes of work that was cancelled is never taken for a result: each step that stops early
/// says so by an error.
///
/// ```
/// use warpsmith_base::Cancel;
///
/// let cancel = Cancel::new();
/// let seen_by_the_work = cancel.clone();
/// cancel.cancel();
/// assert!(seen_by_the_work.is_cancelled());
/// assert!(!Cancel::never().is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Option<Arc<AtomicBool>>);

/// What a step that was cancelled says of itself.
pub const CANCELLED: &str = "cancelled";

impl Cancel {
    /// A flag that is not set yet.
    pub fn new() -> Cancel {
        Cancel(Some(Arc::default()))
    }

    /// No flag: nothing ends the work.
    pub const fn never() -> Cancel {
        Cancel(None)
    }

    /// The flag of somebody else, who sets it.
    pub fn of(flag: Arc<AtomicBool>) -> Cancel {
        Cancel(Some(flag))
    }

    /// Ends the work as soon as it looks. Without a flag ([`Cancel::never`]) nothing happens.
    pub fn cancel(&self) {
        if let Some(flag) = &self.0 {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the work is to end.
    pub fn is_cancelled(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

/// Equal are two that look at the same flag.
impl PartialEq for Cancel {
    fn eq(&self, other: &Cancel) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }
}

impl Eq for Cancel {}
