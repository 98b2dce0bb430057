//! What passes ask about code. Each analysis is a value computed from a function when a pass needs it.

pub mod alias;
pub mod bits;
pub mod callgraph;
pub mod divergence;
pub mod dominators;
pub mod effects;
pub(crate) mod evolution;
pub mod flow;
pub mod graph;
pub mod known;
pub mod loops;
pub mod memory_ssa;
pub mod uniform;
