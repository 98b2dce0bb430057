//! The versions of PTX.

use crate::module::Version;

/// Every version, as (major, last minor). (Observed: `ptxas --list-version` 13.0.88.)
const MAJORS: &[(u8, u8)] = &[(1, 5), (2, 3), (3, 2), (4, 3), (5, 1), (6, 5), (7, 8), (8, 8), (9, 0)];

/// Every version that is read, in ascending order.
pub fn versions() -> impl Iterator<Item = Version> {
    MAJORS
        .iter()
        .flat_map(|&(major, last)| (0..=last).map(move |minor| Version { major, minor }))
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
