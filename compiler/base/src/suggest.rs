//! Names near a misspelt one.

/// The name nearest to `wrong` by edit distance, if it is near enough to be meant: at most a third of the length away. Of several, the one that
/// begins like it.
pub fn nearest<'n>(wrong: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = (wrong.len() / 3).max(1);
    let alike = |name: &str| wrong.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    names
        .filter(|name| *name != wrong)
        .filter_map(|name| Some((distance(wrong.as_bytes(), name.as_bytes(), limit)?, name)))
        .min_by_key(|(distance, name)| (*distance, usize::MAX - alike(name)))
        .map(|(_, name)| name)
}

/// Number of insertions, deletions, substitutions and swaps of neighbours from one word to another; `None` where it is over `limit`.
pub fn distance(left: &[u8], right: &[u8], limit: usize) -> Option<usize> {
    if left.len().abs_diff(right.len()) > limit || left.len() > 64 || right.len() > 64 {
        return None;
    }
    let mut rows = [[0usize; 65]; 3];
    for (index, cell) in rows[1].iter_mut().enumerate().take(right.len() + 1) {
        *cell = index;
    }
    for i in 1..=left.len() {
        let [before, last, row] = &mut rows;
        row[0] = i;
        for j in 1..=right.len() {
            let same = left[i - 1] == right[j - 1];
            let mut best = (last[j - 1] + usize::from(!same)).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row[j] = best;
        }
        rows.rotate_left(1);
    }
    Some(rows[1][right.len()]).filter(|&found| found <= limit)
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
        assert_eq!(distance(b"buffer", b"bufer", 2), Some(1));
        assert_eq!(distance(b"ab", b"ba", 1), Some(1));
        assert_eq!(distance(b"abc", b"xyz", 2), None);
        assert_eq!(distance(b"", b"ab", 2), Some(2));
    }
}
