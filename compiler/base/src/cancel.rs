//! A way to end a compile from another thread.

use std::fmt;
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
#[derive(Clone, Default)]
pub struct Cancel {
    flag: Option<Arc<AtomicBool>>,
    ask: Option<Arc<Ask>>,
}

/// Answers whether the work is to end.
type Ask = dyn Fn() -> bool + Send + Sync;

/// What a step that was cancelled says of itself.
pub const CANCELLED: &str = "cancelled";

impl Cancel {
    /// A flag that is not set yet.
    pub fn new() -> Cancel {
        Cancel::of(Arc::default())
    }

    /// No flag: nothing ends the work.
    pub const fn never() -> Cancel {
        Cancel { flag: None, ask: None }
    }

    /// The flag of somebody else, who sets it.
    pub fn of(flag: Arc<AtomicBool>) -> Cancel {
        Cancel {
            flag: Some(flag),
            ask: None,
        }
    }

    /// Asks each time that the work looks; once the answer was yes, it is not asked again. It may be asked on any thread.
    ///
    /// ```
    /// use warpsmith_base::Cancel;
    ///
    /// assert!(Cancel::asking(|| true).is_cancelled());
    /// assert!(!Cancel::asking(|| false).is_cancelled());
    /// ```
    pub fn asking(ask: impl Fn() -> bool + Send + Sync + 'static) -> Cancel {
        Cancel {
            flag: Some(Arc::default()),
            ask: Some(Arc::new(ask)),
        }
    }

    /// Ends the work as soon as it looks. Without a flag ([`Cancel::never`]) nothing happens.
    pub fn cancel(&self) {
        if let Some(flag) = &self.flag {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the work is to end.
    pub fn is_cancelled(&self) -> bool {
        let is_set = self.flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        if is_set || !self.ask.as_ref().is_some_and(|ask| ask()) {
            return is_set;
        }
        self.cancel();
        true
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancel").field(&self.flag).finish()
    }
}

/// Equal are two that look at the same flag.
impl PartialEq for Cancel {
    fn eq(&self, other: &Cancel) -> bool {
        match (&self.flag, &other.flag) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }
}

impl Eq for Cancel {}
