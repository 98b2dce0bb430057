//! Disjoint sets of numbers, which are joined and never parted.

/// A disjoint-set forest.
#[derive(Debug, Default)]
pub(crate) struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// No sets, with room for so many members.
    pub(crate) fn with_capacity(members: usize) -> DisjointSets {
        DisjointSets {
            parent: Vec::with_capacity(members),
        }
    }

    /// How many members there are.
    pub(crate) fn len(&self) -> u32 {
        self.parent.len() as u32
    }

    /// Adds a set of one member: the next number.
    pub(crate) fn add(&mut self) -> u32 {
        self.parent.push(self.len());
        self.len() - 1
    }

    /// The member that stands for the set of a member.
    pub(crate) fn find(&mut self, member: u32) -> u32 {
        let mut at = member;
        while self.parent[at as usize] != at {
            let up = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = up;
            at = up;
        }
        at
    }

    /// Makes one set of those of two members. The smallest number stands for it, whatever the order of the calls.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_member_stands_for_a_set() {
        let mut sets = DisjointSets::with_capacity(5);
        (0..5).for_each(|member| assert_eq!(sets.add(), member));
        sets.join(4, 3);
        sets.join(1, 4);
        let found: Vec<u32> = (0..sets.len()).map(|member| sets.find(member)).collect();
        assert_eq!(found, [0, 1, 2, 1, 1]);
    }
}
