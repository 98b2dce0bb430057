//! A number of rewrites that may happen, so that a wrong one can be found by halving.

use std::sync::atomic::{AtomicU64, Ordering};

/// Rewrites that may still happen. Passes ask before each change that correct code does not need.
#[derive(Debug)]
pub struct Fuel {
    left: AtomicU64,
}

impl Fuel {
    /// So many, or no limit.
    pub fn new(limit: Option<u64>) -> Fuel {
        Fuel {
            left: AtomicU64::new(limit.unwrap_or(u64::MAX)),
        }
    }

    /// Whether one more rewrite may happen.
    pub fn take(&self) -> bool {
        // Without a limit threads share the number but never write it.
        if self.left.load(Ordering::Relaxed) == u64::MAX {
            return true;
        }
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
            .is_ok()
    }

    /// How many are left.
    pub fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::Fuel;

    #[test]
    fn runs_out() {
        let fuel = Fuel::new(Some(2));
        assert_eq!([fuel.take(), fuel.take(), fuel.take()], [true, true, false]);
        assert!(Fuel::new(None).take());
    }
}
