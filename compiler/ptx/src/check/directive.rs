//! Directives between the parameters and the body of a function.

use super::{Checker, last_byte};
use crate::{
    Problem, Span,
    module::{Attribute, Function, FunctionDirective, Linkage, Prototype},
    table::gates,
};

/// `.abi_preserve` from this number on is refused. (Observed, on every target.)
const PRESERVED_REGISTERS: u64 = 256;
/// `.abi_preserve_control` likewise.
const PRESERVED_PREDICATES: u64 = 12;
/// Beyond this many preserved registers none is left for the return address. (Observed.)
const MOST_PRESERVED: u64 = 239;

/// The vendor's name of the function in the message on prototypes, spelt as its tool does.
const PROTOTYPE_NAME: &str = "protoype with return parameters";

impl Checker<'_, '_> {
    /// Linkage and directives of a function or kernel.
    pub(super) fn function_head(&mut self, function: &Function) {
        let name = self.text(function.name);
        if function.linkage == Linkage::Weak {
            self.require(&gates::WEAK, function.head_end);
        }
        if let (Linkage::External, Some(body)) = (function.linkage, &function.body) {
            let problem = Problem::error(
                body.end,
                format!("'{name}' is .extern, so its body stands in another module"),
            )
            .vendor(format!(
                "Function definition conflicts with '.extern' declaration for function '{name}'"
            ));
            self.report(problem.note("write .visible for a function that other modules use"));
        }
        for (index, directive) in function.directives.iter().enumerate() {
            let span = function
                .directive_spans
                .get(index)
                .copied()
                .unwrap_or(function.head_end);
            // Lists of numbers are judged at the token after them.
            let next = function
                .directive_spans
                .get(index + 1)
                .copied()
                .unwrap_or(function.head_end);
            self.function_directive(
                directive,
                name,
                !function.returns.is_empty(),
                span,
                next,
                function.head_end,
            );
        }
        self.repeated(&function.directives, function.head_end);
        if function.kernel && function.body.is_some() {
            self.conflicts(function);
        }
    }

    /// Directives of a `.callprototype`.
    pub(super) fn prototype_directives(&mut self, prototype: &Prototype, span: Span) {
        for directive in &prototype.directives {
            let returns = !prototype.returns.is_empty();
            self.function_directive(directive, PROTOTYPE_NAME, returns, span, span, span);
        }
        self.repeated(&prototype.directives, span);
    }

    fn function_directive(
        &mut self,
        directive: &FunctionDirective,
        name: &str,
        returns: bool,
        span: Span,
        next: Span,
        head_end: Span,
    ) {
        match directive {
            FunctionDirective::MaxRegisters(number) => {
                self.require(&gates::MAX_REGISTERS, span);
                self.positive("maxnreg", &[*number], last_byte(span));
            }
            FunctionDirective::MaxThreads(numbers) => {
                self.require(&gates::MAX_THREADS, span);
                self.positive("maxntid", numbers, next);
            }
            FunctionDirective::RequiredThreads(numbers) => {
                self.require(&gates::REQUIRED_THREADS, span);
                self.positive("reqntid", numbers, next);
            }
            FunctionDirective::MinCtasPerSm(number) => {
                self.require(&gates::MIN_CTAS, span);
                self.positive("minnctapersm", &[*number], last_byte(span));
            }
            FunctionDirective::MaxCtasPerSm(_) => {
                let vendor = "Deprecated feature: '.maxnctapersm directive' not supported as of PTX version 2.1";
                let problem = Problem::error(last_byte(span), ".maxnctapersm was dropped in PTX 2.1").vendor(vendor);
                self.report(problem.note("write .minnctapersm"));
            }
            FunctionDirective::RequiredCtasPerCluster(_) => self.require(&gates::REQUIRED_CLUSTER, span),
            FunctionDirective::ExplicitCluster => self.require(&gates::EXPLICIT_CLUSTER, span),
            FunctionDirective::MaxClusterRank(_) => self.require(&gates::CLUSTER_RANK, span),
            FunctionDirective::BlocksAreClusters => self.require(&gates::BLOCKS_ARE_CLUSTERS, span),
            FunctionDirective::NoReturn => {
                self.require(&gates::NO_RETURN, span);
                if returns {
                    let problem = Problem::error(head_end, ".noreturn is for functions that return nothing");
                    self.report(problem.vendor(format!("Invalid directive '.noreturn' for function '{name}'")));
                }
            }
            FunctionDirective::Pragma(names) => self.head_pragma(names, span),
            FunctionDirective::AbiPreserve(number) => {
                self.require(&gates::ABI_PRESERVE, span);
                self.preserved(".abi_preserve", *number, PRESERVED_REGISTERS, last_byte(span));
            }
            FunctionDirective::AbiPreserveControl(number) => {
                self.require(&gates::ABI_PRESERVE_CONTROL, span);
                self.preserved(".abi_preserve_control", *number, PRESERVED_PREDICATES, last_byte(span));
            }
            FunctionDirective::Attribute(Attribute::Unified(..)) => self.require(&gates::UNIFIED, span),
            FunctionDirective::Attribute(Attribute::Managed) => {
                let problem = Problem::fatal(span, ".managed is for variables, not functions");
                self.report(problem.vendor("Parsing error near '.managed': syntax error"));
            }
            FunctionDirective::Other(word, numbers) => {
                if self.text(*word) == ".local_maxnreg" {
                    self.require(&gates::LOCAL_MAX_REGISTERS, span);
                    self.positive("local_maxnreg", numbers, last_byte(span));
                }
            }
        }
    }

    fn positive(&mut self, word: &str, numbers: &[u64], span: Span) {
        if numbers.contains(&0) {
            let problem = Problem::error(span, format!("the numbers of .{word} must not be 0"));
            self.report(problem.vendor(format!("Positive non-zero value expected for {word}")));
        }
    }

    fn preserved(&mut self, word: &str, number: u64, limit: u64, span: Span) {
        let target = self.target_name();
        if number >= limit {
            let problem = Problem::error(span, format!("{word} takes a number below {limit}, not {number}"));
            self.report(problem.vendor(format!("{word} {number} is invalid for {target}")));
        } else if limit == PRESERVED_REGISTERS && number > MOST_PRESERVED {
            let message =
                format!("{word} {number} leaves no registers for the return address; {MOST_PRESERVED} is the most");
            let vendor = format!("retaddr_reg {} is invalid for {target}", number + 14);
            self.report(Problem::error(span, message).vendor(vendor).without_line());
        }
    }

    /// `.abi_preserve` and `.abi_preserve_control` stand once.
    fn repeated(&mut self, directives: &[FunctionDirective], span: Span) {
        let count =
            |wanted: fn(&FunctionDirective) -> bool| directives.iter().filter(|directive| wanted(directive)).count();
        let counts = [
            (
                ".abi_preserve",
                count(|directive| matches!(directive, FunctionDirective::AbiPreserve(_))),
            ),
            (
                ".abi_preserve_control",
                count(|directive| matches!(directive, FunctionDirective::AbiPreserveControl(_))),
            ),
        ];
        for (word, _) in counts.into_iter().filter(|(_, count)| *count > 1) {
            let problem = Problem::error(span, format!("{word} stands twice"));
            self.report(problem.vendor(format!("Attribute '{word}' specified multiple times in function")));
        }
    }

    /// Directives of a kernel that need or exclude each other.
    fn conflicts(&mut self, function: &Function) {
        let Some(body) = &function.body else { return };
        let find = |wanted: fn(&FunctionDirective) -> bool| function.directives.iter().position(wanted);
        let most_threads = find(|directive| matches!(directive, FunctionDirective::MaxThreads(_)));
        let threads = find(|directive| matches!(directive, FunctionDirective::RequiredThreads(_)));
        let cluster = find(|directive| matches!(directive, FunctionDirective::RequiredCtasPerCluster(_)));
        let rank = find(|directive| matches!(directive, FunctionDirective::MaxClusterRank(_)));
        let blocks = find(|directive| matches!(directive, FunctionDirective::BlocksAreClusters));
        let residents = find(|directive| {
            matches!(
                directive,
                FunctionDirective::MinCtasPerSm(_) | FunctionDirective::MaxCtasPerSm(_)
            )
        });
        let place = |index: usize| function.directive_spans.get(index).copied().unwrap_or(function.span);
        if let (Some(first), Some(second)) = (most_threads, threads) {
            let problem = conflict(".maxntid", ".reqntid", body.end);
            self.report(problem.caused_by(place(first.max(second))));
        }
        if let (Some(cluster), Some(rank)) = (cluster, rank) {
            let later = function
                .directive_spans
                .get(cluster.max(rank))
                .copied()
                .unwrap_or(function.head_end);
            self.report(conflict(".reqnctapercluster", ".maxclusterrank", last_byte(later)));
        }
        if let Some(blocks) = blocks
            && (threads.is_none() || cluster.is_none())
        {
            let vendor = ".reqntid and .reqnctapercluster directive(s) required for directive '.blocksareclusters'";
            let message = ".blocksareclusters needs .reqntid and .reqnctapercluster beside it";
            self.report(
                Problem::error(body.end, message)
                    .vendor(vendor)
                    .caused_by(place(blocks)),
            );
        }
        if let (Some(residents), None, None) = (residents, most_threads, threads) {
            let message = ".minnctapersm means nothing without .maxntid or .reqntid";
            let vendor = ".minnctapersm is ignored when neither .maxntid nor .reqntid is specified.";
            self.report(
                Problem::warning(body.end, message)
                    .vendor(vendor)
                    .caused_by(place(residents)),
            );
        }
    }
}

fn conflict(first: &str, second: &str, span: Span) -> Problem {
    let vendor = format!("Conflicting directives: {first} and {second} cannot both be specified");
    Problem::error(span, format!("{first} and {second} exclude each other")).vendor(vendor)
}
