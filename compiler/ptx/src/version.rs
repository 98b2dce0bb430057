//! The versions of PTX.

use warpsmith_target::Sm;

use crate::{module::Version, table::VERSIONS};

/// Every version that is known, in ascending order.
pub fn versions() -> impl Iterator<Item = Version> {
    VERSIONS.iter().copied()
}

/// The newest version that is known. A module of a newer one is read as this one, with a warning.
pub fn newest_version() -> Version {
    VERSIONS.last().copied().unwrap_or(WRITTEN)
}

/// The version of PTX that is written where nobody asks for another: that of CUDA 13.0, which every driver of CUDA 13 reads, or the
/// oldest that knows the target.
pub fn written_version(sm: Sm) -> Version {
    let oldest = sm.info().min_ptx;
    WRITTEN.max(Version {
        major: oldest.major,
        minor: oldest.minor,
    })
}

const WRITTEN: Version = Version { major: 9, minor: 0 };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_is_9_5() {
        assert_eq!(versions().count(), 49);
        assert_eq!(newest_version().to_string(), "9.5");
    }

    #[test]
    fn what_is_written_is_read_by_every_driver_of_cuda_13() {
        let sm = "sm_90a".parse().expect("a target");
        assert_eq!(written_version(sm).to_string(), "9.0");
    }
}
