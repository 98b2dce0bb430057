//! Names near a misspelt one.

/// The name nearest to `wrong` by edit distance, if it is near enough to be meant: at most a third of the length away. Of several, the one that
/// begins like it.
pub fn nearest<'n>(wrong: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = (wrong.len() / 3).max(1);
    let alike = |name: &str| wrong.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    names
        .filter(|name| *name != wrong)
        .filter_map(|name| Some((distance(wrong, name, limit)?, name)))
        .min_by_key(|(distance, name)| (*distance, usize::MAX - alike(name)))
        .map(|(_, name)| name)
}

/// Longer words, in bytes, are near no other: to compare them would take long.
const LONGEST: usize = 64;

/// Number of insertions, deletions, substitutions and swaps of neighbours from one word to another; `None` where it is over `limit`.
pub fn distance(left: &str, right: &str, limit: usize) -> Option<usize> {
    if left.len().abs_diff(right.len()) > limit || left.len() > LONGEST || right.len() > LONGEST {
        return None;
    }
    Some(strsim::osa_distance(left, right)).filter(|&found| found <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        let names = ["add", "addc", "mad", "mbarrier.arrive"];
        assert_eq!(nearest("adc", names.into_iter()), Some("add"));
        assert_eq!(nearest("mda", names.into_iter()), Some("mad"));
        assert_eq!(nearest("mbarier.arrive", names.into_iter()), Some("mbarrier.arrive"));
        assert_eq!(nearest("xyz", names.into_iter()), None);
        assert_eq!(nearest("sm_91", ["sm_11", "sm_90"].into_iter()), Some("sm_90"));
    }

    #[test]
    fn distances() {
        assert_eq!(distance("buffer", "bufer", 2), Some(1));
        assert_eq!(distance("ab", "ba", 1), Some(1));
        assert_eq!(distance("abc", "xyz", 2), None);
        assert_eq!(distance("", "ab", 2), Some(2));
    }
}
