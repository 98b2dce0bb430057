//! Names near a misspelt one.

/// The name nearest to `wrong` by edit distance, if it is near enough to be meant: at most a third of the length away.
pub(crate) fn nearest<'n>(wrong: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // Longer names are machine-made; comparing them would cost more than it tells.
    const LONGEST: usize = 64;
    if wrong.len() > LONGEST {
        return None;
    }
    let most = (wrong.len() / 3).max(1);
    let near = names.filter(|name| name.len().abs_diff(wrong.len()) <= most && *name != wrong);
    near.map(|name| (distance(wrong.as_bytes(), name.as_bytes()), name))
        .filter(|(d, _)| *d <= most)
        .min_by_key(|(d, _)| *d)
        .map(|(_, name)| name)
}

/// Edit distance with exchanges of neighbours (optimal string alignment).
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1; b.len() + 1];
        for (j, y) in b.iter().enumerate() {
            row[j + 1] = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
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
    }
}
