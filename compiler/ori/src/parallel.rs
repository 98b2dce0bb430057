//! Work on several items at once, with the results in order: what comes out does not depend on the number of threads.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Bytes of stack of a thread.
const STACK: usize = 16 << 20;

/// How many threads `wanted` are: 0 is as many as the machine has.
fn threads(wanted: usize, items: usize) -> usize {
    // To ask how many the machine has means to read files of the system.
    let most = match wanted {
        0 if items > 1 => thread::available_parallelism().map_or(1, usize::from),
        0 => 1,
        wanted => wanted,
    };
    most.min(items)
}

/// `work` on every item, by at most so many threads (0: as many as the machine has).
pub(crate) fn map<T: Sync, R: Send>(items: &[T], wanted: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = threads(wanted, items.len());
    if threads < 2 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    let run = || {
        while let Some((index, item)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            items.get(index).map(|item| (index, item))
        } {
            let result = work(item);
            done.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((index, result));
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // Where no thread can be had, those that there are do the work.
            let builder = thread::Builder::new().stack_size(STACK);
            let _ = builder.spawn_scoped(scope, run);
        }
        run();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// As [`map`], of items that the work takes.
pub(crate) fn map_owned<T: Send, R: Send>(items: Vec<T>, wanted: usize, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let slots: Vec<Mutex<Option<T>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    let results = map(&slots, wanted, |slot| {
        let item = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
        item.map(&work)
    });
    // Each slot is visited once.
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::{map, map_owned};

    #[test]
    fn results_stand_in_order_for_any_number_of_threads() {
        let items: Vec<u32> = (0..1000).collect();
        let wanted: Vec<u32> = items.iter().map(|item| item * 3).collect();
        for threads in [0, 1, 2, 3, 8] {
            assert_eq!(map(&items, threads, |item| item * 3), wanted, "{threads}");
        }
        assert!(map(&[] as &[u32], 4, |item| *item).is_empty());
        assert_eq!(map_owned(items, 3, |item| item * 3), wanted);
    }
}
