//! The handles that programs hold.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// How far handles are apart: as aligned as the addresses that programs take them for.
const STEP: usize = 16;

/// What a handle is, of any library: the next number. Starting high, no small number of a program is a handle.
static NEXT: AtomicUsize = AtomicUsize::new(0x1_0000);

/// The values that live, by their handles.
pub(crate) struct Handles<T>(LazyLock<Mutex<HashMap<usize, Arc<Mutex<T>>>>>);

impl<T> Handles<T> {
    /// None yet.
    pub(crate) const fn new() -> Handles<T> {
        Handles(LazyLock::new(Mutex::default))
    }

    fn table(&self) -> MutexGuard<'_, HashMap<usize, Arc<Mutex<T>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A handle for a value.
    pub(crate) fn add(&self, value: T) -> usize {
        let handle = NEXT.fetch_add(STEP, Ordering::Relaxed);
        self.table().insert(handle, Arc::new(Mutex::new(value)));
        handle
    }

    /// Ends a handle; whether there was one. A call that is at work on it goes on.
    pub(crate) fn remove(&self, handle: usize) -> bool {
        self.table().remove(&handle).is_some()
    }

    /// Does something with the value of a handle, after other calls on it have ended; `None`: there is no such handle.
    pub(crate) fn with<R>(&self, handle: usize, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        let value = self.table().get(&handle).cloned()?;
        let mut value = value.lock().unwrap_or_else(PoisonError::into_inner);
        Some(work(&mut value))
    }
}

#[cfg(test)]
mod tests {
    use super::Handles;

    #[test]
    fn a_handle_lives_until_it_is_removed_and_never_again() {
        let handles = Handles::new();
        let (one, two) = (handles.add("one"), handles.add("two"));
        assert_eq!(handles.with(one, |value| *value), Some("one"));
        assert!(handles.remove(one));
        assert!(!handles.remove(one));
        assert_eq!(handles.with(one, |value| *value), None);
        assert_ne!(handles.add("three"), one);
        assert_eq!(handles.with(two, |value| *value), Some("two"));
        assert_eq!(handles.with(0, |value| *value), None);
    }
}
