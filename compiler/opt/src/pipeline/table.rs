//! The passes, and the order in which the levels run them.

use warpsmith_ir::{Function, Module};

use super::{Run, Unit};
use crate::{
    combine,
    transform::{
        arguments, attributes, byval, common, dead, division, flags, globals, gvn, inline, invariant, loops,
        memory_spaces, merge, offsets, promote, reflect, sccp, signatures, simplify_cfg, sink, sroa, stores, strength,
        symbols, tail_recursion, thread, vectorize,
    },
};

/// What a pass works on.
#[derive(Clone, Copy)]
pub enum Work {
    /// One function at a time.
    Function(fn(&mut Function, &Unit<'_>) -> bool),
    /// The whole module.
    Module(fn(&mut Module, &Run<'_>) -> bool),
}

/// A row of [`PASSES`].
pub struct Pass {
    /// Its name, which is LLVM's where LLVM has the pass.
    pub name: &'static str,
    /// What does the work; whether anything changed.
    pub work: Work,
    /// Passes that must have run on the function since it last changed.
    pub needs: &'static [&'static str],
    /// Whether code is wrong without it.
    pub required: bool,
    /// What it does.
    pub text: &'static str,
}

impl std::fmt::Debug for Pass {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

impl Pass {
    /// The pass of a name.
    pub fn named(name: &str) -> Option<&'static Pass> {
        PASSES.iter().find(|pass| pass.name == name)
    }
}

const fn function(
    name: &'static str,
    work: fn(&mut Function, &Unit<'_>) -> bool,
    needs: &'static [&'static str],
    text: &'static str,
) -> Pass {
    Pass {
        name,
        work: Work::Function(work),
        needs,
        required: false,
        text,
    }
}

const fn module(name: &'static str, work: fn(&mut Module, &Run<'_>) -> bool, text: &'static str) -> Pass {
    Pass {
        name,
        work: Work::Module(work),
        needs: &[],
        required: false,
        text,
    }
}

/// All passes.
#[rustfmt::skip]
pub static PASSES: &[Pass] = &[
    module("internalize", globals::internalize, "device functions are seen by the kernels of this program alone, if it is a whole one"),
    module("always-inline", inline::run_always, "functions that ask for it are copied into their callers"),
    module("inline", inline::run, "functions are copied into their callers, bottom-up, and simplified on the way"),
    module("function-attrs", attributes::run, "what functions do to memory, whether they return and run together is found from their bodies"),
    module("argpromotion", arguments::run, "structures that functions get by value are passed member by member"),
    module("deadargelim", signatures::run, "arguments that are not used or constant, and results that are not used, are not passed; pointers are of the space that all calls give"),
    module("globaldce", globals::run, "functions and variables that nothing leads to go"),
    Pass { required: true, ..function("nvvm-reflect", reflect::run, &[], "__nvvm_reflect is answered") },
    function("lower-args", byval::run, &[], "arguments by value that are written get their copy"),
    function("infer-address-spaces", memory_spaces::run, &[], "accesses through generic addresses become those of a space"),
    function("mem2reg", promote::run, &[], "variables whose address is not taken become values"),
    function("sroa", sroa::run, &[], "variables are cut into the pieces that are accessed, and these become values"),
    function("simplifycfg", simplify_cfg::run, &[], "branches, blocks, small sides of branches"),
    function("simplifycfg-plain", simplify_cfg::run_plain, &[], "branches and blocks, without running code in vain"),
    function("instcombine", combine::run, &[], "instructions become simpler ones that compute the same"),
    function("bool-phis", flags::run, &[], "truth values that are kept as bytes become truth values again"),
    function("sccp", sccp::run, &[], "values are constant where every way that control can take makes them so"),
    function("tailcallelim", tail_recursion::run, &[], "a function that ends in a call of itself goes back to its start"),
    function("gvn", gvn::run, &[], "what was computed or loaded before is taken from there"),
    function("loop-simplify", loops::shape::run, &[], "loops get one block before them, one branch back, and exits of their own"),
    function("loop-rotate", loops::rotate::run, &["loop-simplify"], "loops test at their end"),
    function("licm", loops::hoist::run, &["loop-simplify"], "what a loop does not change is computed before it"),
    function("simple-loop-unswitch", loops::unswitch::run, &["loop-simplify"], "branches that all threads of a block decide alike, and in all rounds, are decided before the loop"),
    function("indvars", loops::narrow::run, &["loop-simplify"], "counters of 64 bits that fit into 32 become narrow"),
    function("loop-unroll", loops::unroll::run, &["loop-simplify"], "loops of few rounds are written out, others as asked"),
    function("dse", stores::run, &[], "stores that nobody reads go"),
    function("jump-threading", thread::run, &[], "who knows where a branch leads goes there"),
    function("slsr", strength::run, &[], "addresses a constant further than others, and products whose factor is one more, are taken from those"),
    function("separate-const-offset-from-gep", offsets::run, &[], "constants in indices go to the end of address computations"),
    function("invariant-loads", invariant::run, &[], "loads through restricted pointers that are only read use the read-only cache"),
    function("gvn-hoist", common::run, &[], "what several blocks compute is computed once, above them"),
    function("load-store-vectorizer", vectorize::run, &[], "loads and stores next to each other become one"),
    function("bypass-slow-division", division::run, &[], "divisions of 64 bits have a way of 32 for small operands"),
    function("sink", sink::run, &[], "what only one way out of a block needs is computed on that way"),
    function("tail-merge", merge::run, &[], "what both ways into a block end with is done once, in the block"),
    function("consthoist", symbols::run, &["loop-simplify"], "addresses of variables that loops access are in registers before the loops"),
    function("dce", dead::run, &[], "code that no effect needs goes"),
];

/// A row of [`PIPELINE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The pass.
    pub pass: &'static str,
    /// The levels that run it: from, to.
    pub levels: (u8, u8),
}

const fn from(level: u8, pass: &'static str) -> Step {
    Step {
        pass,
        levels: (level, 3),
    }
}

/// What the inliner runs on each function before its callers look at it.
pub static SIMPLIFICATION: &[&str] = &[
    "simplifycfg-plain",
    "sroa",
    "instcombine",
    "simplifycfg",
    "gvn",
    "instcombine",
    "simplifycfg",
];

/// The pipelines of all levels.
#[rustfmt::skip]
pub static PIPELINE: &[Step] = &[
    // What code means before anything else is looked at; the rest of -O0.
    from(0, "nvvm-reflect"),
    from(1, "internalize"),
    from(0, "always-inline"),
    from(0, "globaldce"),
    // Calls away, each function simplified on the way.
    from(1, "inline"),
    from(1, "globaldce"),
    from(2, "argpromotion"),
    from(2, "deadargelim"),
    from(1, "function-attrs"),
    from(2, "tailcallelim"),
    from(1, "lower-args"),
    from(1, "sroa"),
    from(1, "instcombine"),
    from(2, "bool-phis"),
    from(2, "sccp"),
    from(1, "simplifycfg"),
    from(1, "jump-threading"),
    from(1, "simplifycfg"),
    from(1, "instcombine"),
    from(1, "infer-address-spaces"),
    // Loops.
    from(1, "loop-rotate"),
    from(1, "licm"),
    from(1, "instcombine"),
    from(1, "simplifycfg-plain"),
    from(3, "simple-loop-unswitch"),
    from(3, "simplifycfg-plain"),
    from(2, "indvars"),
    from(2, "instcombine"),
    from(1, "loop-unroll"),
    from(1, "simplifycfg-plain"),
    from(1, "instcombine"),
    // What unrolling has opened.
    from(1, "sroa"),
    from(1, "gvn"),
    from(1, "instcombine"),
    from(1, "infer-address-spaces"),
    from(1, "dse"),
    from(1, "licm"),
    from(1, "jump-threading"),
    from(1, "simplifycfg"),
    // Towards the machine.
    from(1, "instcombine"),
    from(2, "slsr"),
    from(1, "separate-const-offset-from-gep"),
    from(1, "gvn"),
    from(1, "instcombine"),
    from(1, "licm"),
    from(2, "dse"),
    from(2, "bypass-slow-division"),
    from(2, "gvn-hoist"),
    from(1, "invariant-loads"),
    from(2, "load-store-vectorizer"),
    from(2, "tail-merge"),
    from(2, "instcombine"),
    from(1, "simplifycfg"),
    from(2, "sink"),
    from(2, "consthoist"),
    from(2, "simplifycfg-plain"),
    from(1, "dce"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_needs_name_passes() {
        let needs = PASSES.iter().flat_map(|pass| pass.needs);
        let steps = PIPELINE.iter().map(|step| &step.pass);
        for name in needs.chain(steps).chain(SIMPLIFICATION) {
            assert!(Pass::named(name).is_some(), "{name}");
        }
    }

    #[test]
    fn names_differ() {
        for (index, pass) in PASSES.iter().enumerate() {
            assert!(
                PASSES[index + 1..].iter().all(|other| other.name != pass.name),
                "{}",
                pass.name
            );
        }
    }
}
