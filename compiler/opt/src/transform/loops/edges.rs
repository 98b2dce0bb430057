//! The blocks before each block, kept while one loop after the other is changed: to find them anew for each loop of many would go over all blocks as often.

use smallvec::SmallVec;
use warpsmith_ir::{BlockId, Entity, Function};

/// Edges by block, in both directions.
pub(super) struct Edges {
    before: Vec<SmallVec<[BlockId; 2]>>,
    after: Vec<SmallVec<[BlockId; 2]>>,
}

impl Edges {
    pub(super) fn of(function: &Function) -> Edges {
        let mut edges = Edges {
            before: Vec::new(),
            after: Vec::new(),
        };
        edges.update(function, std::iter::empty());
        edges
    }

    /// The blocks that lead to a block, each once, in no order.
    pub(super) fn before(&self, block: BlockId) -> &[BlockId] {
        self.before.get(block.index()).map_or(&[], |list| list)
    }

    /// Looks again where these blocks lead to, and those that are new.
    pub(super) fn update(&mut self, function: &Function, changed: impl Iterator<Item = BlockId>) {
        let known = self.after.len();
        let limit = function.block_limit();
        self.before.resize_with(limit, SmallVec::new);
        self.after.resize_with(limit, SmallVec::new);
        for block in changed.chain((known..limit).map(BlockId::from_index)) {
            for to in std::mem::take(&mut self.after[block.index()]) {
                self.before[to.index()].retain(|from| *from != block);
            }
            if !function.is_placed(block) {
                continue;
            }
            for to in function.successors(block) {
                let list = &mut self.before[to.index()];
                if !list.contains(&block) {
                    list.push(block);
                    self.after[block.index()].push(to);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use warpsmith_base::SourceText;
    use warpsmith_ir::Module;

    use super::*;

    #[test]
    fn edges_are_those_of_the_function_after_its_blocks_have_changed() {
        let text =
            "define void @f(i1 %c) {\na:\n  br i1 %c, label %b, label %d\nb:\n  br label %d\nd:\n  ret void\n}\n";
        let mut module = Module::from_text(&SourceText::new("t.ll", text)).expect("a module");
        let mut bodies = module.bodies.iter_mut().filter_map(|(_, body)| body.as_mut());
        let function = bodies.next().expect("a body");
        let [a, b, d] = function.blocks().collect::<Vec<_>>()[..] else {
            panic!("three blocks");
        };
        let mut edges = Edges::of(function);
        assert_eq!(edges.before(d), [a, b]);
        function.replace_successor(a, d, b);
        let new = function.insert_block_after(b);
        function.replace_successor(b, d, new);
        edges.update(function, [a, b].into_iter());
        assert_eq!(edges.before(b), [a]);
        assert_eq!(edges.before(new), [b]);
        assert_eq!(edges.before(d), []);
    }
}
