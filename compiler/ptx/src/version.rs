//! The versions of PTX.

use crate::{module::Version, table::VERSIONS};

/// Every version that is read, in ascending order.
pub fn versions() -> impl Iterator<Item = Version> {
    VERSIONS.iter().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_is_9_0() {
        assert_eq!(versions().count(), 44);
        assert_eq!(versions().last().unwrap().to_string(), "9.0");
    }
}
