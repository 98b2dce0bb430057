//! Convergence barriers: threads that part at a branch meet again where all their ways do.
//!
//! For each branch that threads may take differently, the barrier is armed (`BSSY`) before the branch and waited for (`BSYNC`) on the way into the immediate
//! postdominator. Where the branch leaves loops, the barrier is armed before the outermost of them is entered: armed within, it would lose the threads that
//! left in earlier rounds. The waits stand on the edges into the meeting place, in blocks of their own, so that threads which come from elsewhere do not
//! wait.

use warpsmith_sass::{FieldName, Opcode, RegisterClass};

use crate::{
    graph::ControlFlow,
    ir::{Block, BlockId, Function, Instruction, Register},
    phase::Context,
    select::{Request, SelectError, Selector},
};

/// Where threads part and where they meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Region {
    /// The block at whose end the barrier is armed.
    from: usize,
    /// The block before which threads wait.
    to: usize,
}

/// Inserts the barriers.
pub(crate) fn converge(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    insert_barriers(function, context.selector).map_err(|error| error.to_string())
}

fn insert_barriers(function: &mut Function, selector: &Selector) -> Result<(), SelectError> {
    let flow = ControlFlow::of(function);
    let mut regions: Vec<Region> = Vec::new();
    for block in 0..function.blocks.len() {
        if flow.reached[block]
            && flow.successors[block].len() > 1
            && let Some(region) = region(&flow, block)
            && !regions.contains(&region)
        {
            regions.push(region);
        }
    }
    // The innermost first: waits of inner regions come before those of outer ones on an edge that ends both.
    regions.sort_by_key(|region| std::cmp::Reverse(depth(&flow, region.from)));
    // For each edge, the barriers waited for on it.
    let mut waits: Vec<((usize, usize), Vec<Register>)> = Vec::new();
    for region in &regions {
        let edges = edges_into(&flow, region);
        if edges.is_empty() {
            continue;
        }
        let barrier = function.register(RegisterClass::Barrier, 1);
        arm(function, selector, region, barrier)?;
        for edge in edges {
            match waits.iter_mut().find(|(known, _)| *known == edge) {
                Some((_, list)) => list.push(barrier),
                None => waits.push((edge, vec![barrier])),
            }
        }
    }
    place_waits(function, selector, &waits)
}

fn depth(flow: &ControlFlow, block: usize) -> usize {
    std::iter::successors(flow.dominator[block], |up| flow.dominator[*up]).count()
}

/// The region of a branch; none where the threads only end.
fn region(flow: &ControlFlow, branch: usize) -> Option<Region> {
    let mut from = branch;
    let mut to = flow.postdominator[from]?;
    loop {
        // A loop that the region leaves is entered as a whole.
        let left = flow
            .headers(from)
            .into_iter()
            .rfind(|header| !flow.loop_blocks(*header).contains(&to));
        let Some(header) = left else {
            return Some(Region { from, to });
        };
        from = flow.dominator[header]?;
        if flow.successors[from].len() == 1 && flow.postdominator[from] == Some(header) {
            // Through the header, whose own way on is what counts.
            to = flow.postdominator[header]?;
            if !flow
                .headers(from)
                .iter()
                .any(|outer| !flow.loop_blocks(*outer).contains(&to))
            {
                return Some(Region { from, to });
            }
        } else {
            to = flow.postdominator[from]?;
        }
    }
}

/// The edges by which control comes into the meeting place from within the region. None where control may come back to the start without having met, as in
/// a loop with several entries: a barrier there would be armed again under threads that wait for it, and threads go on apart instead.
fn edges_into(flow: &ControlFlow, region: &Region) -> Vec<(usize, usize)> {
    let mut inside = vec![false; flow.successors.len()];
    let mut work: Vec<usize> = flow.successors[region.from].to_vec();
    while let Some(block) = work.pop() {
        if block != region.to && !inside[block] {
            inside[block] = true;
            work.extend(&flow.successors[block]);
        }
    }
    if inside[region.from] {
        return Vec::new();
    }
    let mut edges: Vec<(usize, usize)> = flow.predecessors[region.to]
        .iter()
        .filter(|from| inside[**from] || **from == region.from)
        .map(|from| (*from, region.to))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Arms a barrier before the branches that end a block.
fn arm(function: &mut Function, selector: &Selector, region: &Region, barrier: Register) -> Result<(), SelectError> {
    let request = Request::new(Opcode::Bssy)
        .form("B_L")
        .at(FieldName::Bd, barrier)
        .target(BlockId(region.to as u32));
    let mut code = Vec::new();
    selector.emit(function, &mut code, request)?;
    let block = &mut function.blocks[region.from].code;
    let branches = block.iter().rev().take_while(|i| is_branch(i)).count();
    let place = block.len() - branches;
    block.splice(place..place, code);
    Ok(())
}

fn is_branch(instruction: &Instruction) -> bool {
    use warpsmith_sass::Flow;
    matches!(
        instruction.base.flow(),
        Flow::Branch | Flow::Indirect | Flow::Exit | Flow::Return
    )
}

/// Puts a block with waits on each edge.
fn place_waits(
    function: &mut Function,
    selector: &Selector,
    waits: &[((usize, usize), Vec<Register>)],
) -> Result<(), SelectError> {
    // New blocks stand behind the block that the edge comes from; the others keep their order.
    let count = function.blocks.len();
    let shared = shared_waits(function, waits);
    let mut moved = vec![0_u32; count];
    let mut blocks: Vec<Block> = Vec::with_capacity(count + waits.len());
    let mut fallthrough: Vec<Option<Vec<Register>>> = vec![None; count];
    let mut taken: Vec<((usize, usize), Vec<Register>)> = Vec::new();
    for ((from, to), barriers) in waits.iter().filter(|((_, to), _)| shared[*to].is_none()) {
        let branches_there = function.blocks[*from]
            .code
            .iter()
            .any(|i| is_branch(i) && i.target == Some(BlockId(*to as u32)));
        let falls = *to == *from + 1
            && function.blocks[*from]
                .code
                .last()
                .is_none_or(Instruction::falls_through);
        if falls {
            fallthrough[*from] = Some(barriers.clone());
        }
        if branches_there {
            taken.push(((*from, *to), barriers.clone()));
        }
    }
    // Where threads go that branch to a block with such a block before it; barriers name the block itself.
    let mut entrances: Vec<Option<u32>> = vec![None; count];
    for (index, block) in std::mem::take(&mut function.blocks).into_iter().enumerate() {
        if let Some(barriers) = &shared[index] {
            entrances[index] = Some(blocks.len() as u32);
            blocks.push(waiting(function, selector, barriers)?);
        }
        moved[index] = blocks.len() as u32;
        blocks.push(block);
        if let Some(barriers) = &fallthrough[index] {
            blocks.push(waiting(function, selector, barriers)?);
        }
    }
    for instruction in blocks.iter_mut().flat_map(|block| &mut block.code) {
        let branches = is_branch(instruction);
        if let Some(target) = &mut instruction.target {
            let index = target.0 as usize;
            target.0 = entrances[index].filter(|_| branches).unwrap_or(moved[index]);
        }
    }
    for ((from, to), barriers) in taken {
        let mut block = waiting(function, selector, &barriers)?;
        let back = Request::new(Opcode::Bra).form("L").target(BlockId(moved[to]));
        selector.emit(function, &mut block.code, back)?;
        let new = BlockId(blocks.len() as u32);
        for instruction in &mut blocks[moved[from] as usize].code {
            if is_branch(instruction) && instruction.target == Some(BlockId(moved[to])) {
                instruction.target = Some(new);
            }
        }
        blocks.push(block);
    }
    function.blocks = blocks;
    Ok(())
}

/// For each block, the barriers that all ways into it wait for: one wait in front of it serves them, and the threads go on from there together.
fn shared_waits(function: &Function, waits: &[((usize, usize), Vec<Register>)]) -> Vec<Option<Vec<Register>>> {
    let into = |to: usize, from: BlockId| waits.iter().find(|(edge, _)| *edge == (from.0 as usize, to));
    let predecessors = function.predecessors();
    let shared = predecessors.iter().enumerate().map(|(to, from)| {
        let mut lists = from.iter().map(|from| into(to, *from).map(|(_, barriers)| barriers));
        let first = lists.next()??;
        lists.all(|list| list == Some(first)).then(|| first.clone())
    });
    shared.collect()
}

fn waiting(function: &mut Function, selector: &Selector, barriers: &[Register]) -> Result<Block, SelectError> {
    let mut block = Block::default();
    for barrier in barriers {
        let request = Request::new(Opcode::Bsync).form("B").at(FieldName::Bd, *barrier);
        selector.emit(function, &mut block.code, request)?;
    }
    Ok(block)
}
