//! Loops of the control flow graph, as far as allocation needs them: how deep blocks lie, and which edges leave loops.

use crate::ir::{BlockId, Function};

/// No loop.
const NONE: u32 = u32::MAX;
/// Instructions of a loop of one block that is gone through once or a few times, at most: one that waits, or does something for one thread after the other.
const SHORT: usize = 16;

/// The loops of a function.
#[derive(Debug)]
pub(crate) struct Loops {
    pub(crate) successors: Vec<Vec<u32>>,
    pub(crate) predecessors: Vec<Vec<u32>>,
    /// Blocks so that each comes after those that lead to it, except along back edges. Blocks that are not reached are not there.
    pub(crate) order: Vec<u32>,
    /// For each block, the innermost loop.
    innermost: Vec<u32>,
    /// For each loop, the one around it.
    parent: Vec<u32>,
    /// For each loop, its header and its blocks.
    pub(crate) list: Vec<(u32, Vec<u32>)>,
    /// For each block, the loop that it is the header of.
    heads: Vec<u32>,
    /// For each loop, whether it is one short block.
    short: Vec<bool>,
}

impl Loops {
    pub(crate) fn of(function: &Function) -> Loops {
        let count = function.blocks.len();
        let mut predecessors = vec![Vec::new(); count];
        let successors: Vec<Vec<u32>> = (0..count)
            .map(|block| {
                let list = function.successors(BlockId(block as u32));
                list.iter().map(|to| to.0).collect()
            })
            .collect();
        for (from, list) in successors.iter().enumerate() {
            for &to in list {
                predecessors[to as usize].push(from as u32);
            }
        }
        let mut loops = Loops {
            successors,
            predecessors,
            order: Vec::with_capacity(count),
            innermost: vec![NONE; count],
            parent: Vec::new(),
            list: Vec::new(),
            heads: vec![NONE; count],
            short: Vec::new(),
        };
        let back = loops.walk();
        loops.find(&back);
        let is_short =
            |(header, body): &(u32, Vec<u32>)| body.len() == 1 && function.blocks[*header as usize].code.len() <= SHORT;
        loops.short = loops.list.iter().map(is_short).collect();
        loops
    }

    /// The order of the blocks, and the edges that lead back.
    fn walk(&mut self) -> Vec<(u32, u32)> {
        #[derive(Clone, Copy, PartialEq, Eq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut states = vec![State::New; self.successors.len()];
        let mut back = Vec::new();
        let Some(first) = states.first_mut() else { return back };
        *first = State::Open;
        let mut stack = vec![(0_u32, 0)];
        while let Some((block, next)) = stack.pop() {
            match self.successors[block as usize].get(next) {
                Some(&to) => {
                    stack.push((block, next + 1));
                    match states[to as usize] {
                        State::New => {
                            states[to as usize] = State::Open;
                            stack.push((to, 0));
                        }
                        State::Open => back.push((block, to)),
                        State::Done => {}
                    }
                }
                None => {
                    states[block as usize] = State::Done;
                    self.order.push(block);
                }
            }
        }
        self.order.reverse();
        back
    }

    fn find(&mut self, back: &[(u32, u32)]) {
        let mut headers: Vec<u32> = back.iter().map(|(_, header)| *header).collect();
        headers.sort_unstable();
        headers.dedup();
        let mut stamp = vec![NONE; self.successors.len()];
        for header in headers {
            let mut body = vec![header];
            stamp[header as usize] = header;
            let latches = back.iter().filter(|(_, to)| *to == header).map(|(from, _)| *from);
            let mut work: Vec<u32> = latches.collect();
            while let Some(block) = work.pop() {
                if stamp[block as usize] != header {
                    stamp[block as usize] = header;
                    body.push(block);
                    work.extend(&self.predecessors[block as usize]);
                }
            }
            self.list.push((header, body));
        }
        // The larger first, so that the smaller overwrite them.
        self.list
            .sort_by_key(|(header, body)| (std::cmp::Reverse(body.len()), *header));
        for (index, (header, body)) in self.list.iter().enumerate() {
            self.parent.push(self.innermost[*header as usize]);
            self.heads[*header as usize] = index as u32;
            for block in body {
                self.innermost[*block as usize] = index as u32;
            }
        }
    }

    fn around(&self, block: u32) -> impl Iterator<Item = u32> + '_ {
        let first = Some(self.innermost[block as usize]).filter(|at| *at != NONE);
        // Loops that overlap without one being in the other end the walk.
        std::iter::successors(first, |at| {
            Some(self.parent[*at as usize]).filter(|up| *up != NONE && *up < *at)
        })
    }

    /// How many loops a block is in.
    pub(crate) fn depth(&self, block: u32) -> u32 {
        self.around(block).count() as u32
    }

    /// For each block, whether it is in a loop that has no other in it but such as only wait, of one block.
    pub(crate) fn busy(&self) -> Vec<bool> {
        let mut outer = vec![false; self.list.len()];
        for (index, (_, body)) in self.list.iter().enumerate() {
            let parent = self.parent[index];
            if parent != NONE && body.len() > 1 {
                outer[parent as usize] = true;
            }
        }
        let each = self.innermost.iter();
        each.map(|innermost| *innermost != NONE && !outer[*innermost as usize])
            .collect()
    }

    /// Whether an edge leaves a loop, other than a short one of one block: what lies behind that is not far away.
    pub(crate) fn leaves(&self, from: u32, to: u32) -> bool {
        let inner = self.around(from).find(|at| !self.short[*at as usize]);
        inner.is_some_and(|inner| !self.around(to).any(|at| at == inner))
    }

    /// Whether a loop is one short block.
    pub(crate) fn is_short(&self, index: usize) -> bool {
        self.short[index]
    }

    /// The loop that a block is the header of.
    pub(crate) fn headed_by(&self, block: u32) -> Option<usize> {
        Some(self.heads[block as usize])
            .filter(|at| *at != NONE)
            .map(|at| at as usize)
    }
}
