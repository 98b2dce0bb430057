//! Host code: it is elaborated as device code is, since what it reaches says which instances of kernels there are; nothing is generated from it.
//!
//! Each body is elaborated with its errors held back, so that a mistake in one does not hide what the others launch. What becomes of the errors depends on where
//! they are. In the main file, in a body that launches a kernel, in functions of included files that are neither inline nor templates, and in what such bodies
//! reach outside of system headers or in functions that say where they run, they are errors. A body of another header that cannot be elaborated gives one
//! warning that names it, which `-w` does not drop: kernels that nothing else reaches would be missing.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Sema;
use super::declaration::attribute::attributes_of;
use super::entity::Definition;
use warpsmith_base::Severity;

use crate::hir::{ExpressionId, FunctionId, FunctionName, Linkage};
use crate::source::{Report, Span};
use crate::syntax::ast;

/// What is remembered of host code.
#[derive(Debug, Default)]
pub(super) struct HostCode {
    /// Host functions that explicit instantiations and specialisations ask for.
    roots: Vec<FunctionId>,
    /// Host functions that initialisers and device code reach, to be elaborated as host code.
    waiting: Vec<FunctionId>,
    /// Functions that other code than headers of the system reaches.
    strict: FxHashSet<FunctionId>,
    /// Mistakes in what is reached now are errors.
    in_strict: bool,
    /// Host code is being elaborated now, and functions for both sides that it reaches count as such.
    pub(super) active: bool,
    /// How many kernels have been used.
    kernels: u32,
    /// Bodies and initialisers with mistakes.
    faults: Vec<Fault>,
    /// What host code names of the CUDA runtime or driver that the built-in headers leave out, each where it is met first.
    left_out: Vec<(String, Span)>,
}

/// The functions that programs call in the CUDA driver and runtime: a library, a name, and what the driver stand-in does with it in each line.
const CLIENT_FUNCTIONS: &str = include_str!(concat!(env!("OUT_DIR"), "/functions.tbl"));

/// Whether the driver or the runtime has a function of this name.
fn is_client_function(name: &str) -> bool {
    let names = CLIENT_FUNCTIONS.lines().filter(|line| !line.starts_with('#'));
    names
        .filter_map(|line| line.split_whitespace().nth(1))
        .any(|function| function == name)
}

/// Whether a name is a letter away from a function of the driver or runtime.
fn is_nearly_client_function(name: &str) -> bool {
    let names = CLIENT_FUNCTIONS.lines().filter(|line| !line.starts_with('#'));
    let mut functions = names.filter_map(|line| line.split_whitespace().nth(1));
    functions.any(|function| function.len().abs_diff(name.len()) < 2 && strsim::osa_distance(function, name) < 2)
}

/// Whether a name is one of those that the CUDA driver and runtime keep to themselves: `cudaHostAllocDefault`, `cuInit`, `CU_STREAM_DEFAULT`.
fn is_client_name(name: &str) -> bool {
    let rest = name.strip_prefix("cuda").or_else(|| name.strip_prefix("cu"));
    rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase())) || name.starts_with("CU_")
}

/// Host code that could not be elaborated.
#[derive(Debug)]
struct Fault {
    /// What it is, for messages.
    what: String,
    /// Where it is.
    span: Span,
    /// Mistakes are errors.
    strict: bool,
    /// The messages.
    reports: Vec<Report>,
}

impl<'a> Sema<'a> {
    /// Elaborates the bodies of host functions, and all that they reach. Device functions among that are left in the queue.
    pub(super) fn host_bodies(&mut self, definitions: &[FunctionId]) {
        if self.options.check_all_bodies {
            return;
        }
        let mut work: Vec<FunctionId> = definitions
            .iter()
            .copied()
            .filter(|&function| self.is_host_root(function))
            .collect();
        for function in std::mem::take(&mut self.host.roots) {
            self.host.strict.insert(function);
            work.push(function);
        }
        work.append(&mut self.host.waiting);
        self.host.active = true;
        let mut device = std::mem::take(&mut self.queue);
        // What errors lead to comes first, so that it is known when a body is met.
        work.sort_by_key(|&function| !self.is_strict(function));
        work.reverse();
        while let Some(function) = work.pop() {
            let strict = self.is_strict(function);
            self.host.in_strict = strict;
            self.define_function(function);
            let first = work.len();
            while let Some(used) = self.queue.pop_front() {
                match self.is_for_host(used) {
                    true => work.push(used),
                    false => device.push_back(used),
                }
                if strict {
                    self.host.strict.insert(used);
                }
            }
            // Members of local classes stand in the bodies.
            for local in std::mem::take(&mut self.definitions) {
                if self.is_host_root(local) || self.is_for_host(local) && self.is_local_member(local) {
                    work.push(local);
                }
            }
            work[first..].reverse();
        }
        self.host.active = false;
        self.host.in_strict = false;
        self.queue = device;
    }
    /// Takes a function out of the queue of device code if it is the host's: its constructors use virtual functions, its mistakes are
    /// held back.
    pub(super) fn waits_for_host(&mut self, function: FunctionId) -> bool {
        let waits = !self.host.active && !self.options.check_all_bodies && self.is_host_only(function);
        if waits {
            self.host.waiting.push(function);
        }
        waits
    }
    /// Elaborates the bodies that device code and initialisers reach, and those that host code reaches, until nothing waits.
    pub(super) fn bodies(&mut self, definitions: &[FunctionId]) {
        self.work_off_queue();
        self.host_bodies(definitions);
        self.work_off_queue();
        while !self.host.waiting.is_empty() {
            self.host_bodies(&[]);
            self.work_off_queue();
        }
    }
    /// A host function that an explicit instantiation or specialisation asks for.
    pub(super) fn keep_host_function(&mut self, function: FunctionId) {
        if !self.options.check_all_bodies {
            self.host.roots.push(function);
        }
    }
    /// Whether what is elaborated now is what host code reaches.
    pub(super) fn in_host_code(&self) -> bool {
        self.host.active
    }
    /// Whether what is elaborated now is to run on the device.
    pub(super) fn in_device_code(&self) -> bool {
        let space = self.function.space;
        let by_default = self.options.device_by_default && self.function.function.is_none();
        (space.device || space.global || by_default) && !self.host.active
    }
    /// Notes that a kernel is used.
    pub(super) fn note_kernel(&mut self) {
        self.host.kernels += 1;
    }
    /// Whether a function's body is elaborated although nothing may use it: what is written for the host outside of headers of the system and of templates.
    fn is_host_root(&self, function: FunctionId) -> bool {
        let info = &self.functions[function.index()];
        let is_instance = match &info.instance {
            Some(instance) => !instance.explicit,
            None => self.is_member_of_instance(function),
        };
        self.is_for_host(function)
            && !is_instance
            && matches!(info.definition, Definition::Syntax { .. })
            && (self.leads_to_kernels(function)
                || !self.context.map.is_system(self.program.function(function).span.first))
    }
    /// Whether the text of a body that waits launches or names a kernel.
    fn leads_to_kernels(&self, function: FunctionId) -> bool {
        match self.functions[function.index()].definition {
            Definition::Syntax { definition, .. } => self.ast[definition].launches,
            Definition::None
            | Definition::Lambda { .. }
            | Definition::Implicit
            | Definition::InProgress
            | Definition::Done
            | Definition::Failed => false,
        }
    }
    /// Whether a function is a member of a class that a body declares.
    fn is_local_member(&self, function: FunctionId) -> bool {
        self.functions[function.index()]
            .class
            .is_some_and(|class| self.classes[class.index()].local_to.is_some())
    }
    /// Whether a function may run on the host.
    fn is_for_host(&self, function: FunctionId) -> bool {
        let space = self.program.function(function).space;
        !space.global && (space.host || !space.device)
    }
    /// Whether mistakes in a function are errors, and not warnings about kernels that may be missing.
    pub(super) fn is_strict(&self, function: FunctionId) -> bool {
        let span = self.program.function(function).span;
        self.leads_to_kernels(function)
            || self.is_main_file(span)
            || (self.host.strict.contains(&function) || self.is_written_once(function))
                && !self.context.map.is_system(span.first)
    }
    /// Whether a body is of one unit alone, be it in a file that this one includes: neither inline nor of a template.
    fn is_written_once(&self, function: FunctionId) -> bool {
        match self.program.function(function).linkage {
            Linkage::External | Linkage::Weak => true,
            Linkage::OnceOnly | Linkage::Internal => false,
        }
    }
    /// Whether a body that is elaborated now is to have its mistakes held back.
    pub(super) fn holds_mistakes(&self, function: FunctionId) -> bool {
        !self.options.check_all_bodies
            && (self.is_host_only(function) || self.host.active && self.is_for_host(function))
    }
    /// Elaborates a body of the host: whether it is right. One that is not has no body, and a call of it that is left in device code is refused at the end.
    pub(super) fn elaborate_host_body(
        &mut self,
        function: FunctionId,
        id: ast::Id<ast::FunctionDefinition>,
        around: super::ScopeId,
    ) -> bool {
        let strict = self.is_strict(function) || self.host.strict.contains(&function) && self.is_annotated(id);
        let what = |sema: &Self| format!("the body of `{}`", sema.show_function(function));
        let span = self.program.function(function).span;
        let right = self.host_code(what, span, strict, |sema| sema.elaborate_body(function, id, around));
        if !right {
            self.program.function_mut(function).body = None;
        }
        right
    }
    /// Whether it is written where a function runs: such code is for CUDA, so that what the user's code reaches of it may lead to kernels, in headers of the
    /// system as well. CUB's dispatch is of that kind.
    fn is_annotated(&self, id: ast::Id<ast::FunctionDefinition>) -> bool {
        let definition = &self.ast[id];
        attributes_of(&self.ast[definition.specifiers], &self.ast[definition.declarator])
            .any(|attribute| matches!(attribute.kind, ast::AttributeKind::Host | ast::AttributeKind::Device))
    }
    /// Makes a defaulted function that host code uses.
    pub(super) fn synthesise_for_host(&mut self, function: FunctionId) {
        let what = |sema: &Self| format!("`{}`", sema.show_function(function));
        let (span, strict) = (self.program.function(function).span, self.is_strict(function));
        if !self.host_code(what, span, strict, |sema| sema.synthesise(function)) {
            self.program.function_mut(function).body = None;
        }
    }
    /// Elaborates the initialiser of a variable of the host.
    pub(super) fn host_initialiser(&mut self, span: Span, what: &str, work: impl FnOnce(&mut Self)) {
        let what = |_: &Self| format!("the initialiser of the {what}");
        let strict = self.is_main_file(span) || self.host.in_strict && !self.context.map.is_system(span.first);
        let around = std::mem::replace(&mut self.host.active, true);
        let before = self.queue.len();
        self.host_code(what, span, strict, work);
        self.host.active = around;
        if strict {
            self.host
                .strict
                .extend(self.queue.range(before.min(self.queue.len())..));
        }
    }
    /// Elaborates host code with its mistakes held back: whether there are none. `what` says what it is if there are.
    pub(super) fn host_code(
        &mut self,
        what: impl FnOnce(&Self) -> String,
        span: Span,
        strict: bool,
        work: impl FnOnce(&mut Self),
    ) -> bool {
        let kernels = self.host.kernels;
        let around = std::mem::replace(&mut self.host.in_strict, strict);
        let reports = self.isolated(work);
        self.host.in_strict = around;
        let mut errors = reports.iter().filter(|report| report.severity == Severity::Error);
        let right = errors.next().is_none();
        if !right {
            let strict =
                strict || self.host.kernels > kernels || reports.iter().any(|report| self.is_main_file(report.span));
            let what = what(self);
            self.host.faults.push(Fault {
                what,
                span,
                strict,
                reports,
            });
        }
        right
    }
    /// The messages of some work, attempts around it left aside.
    pub(super) fn isolated(&mut self, work: impl FnOnce(&mut Self)) -> Vec<Report> {
        let trap = self.context.diagnostics.trap();
        let traps = std::mem::replace(&mut self.traps, 0);
        let hard = std::mem::take(&mut self.hard_errors);
        work(self);
        self.traps = traps;
        self.hard_errors = hard;
        self.context.diagnostics.release(trap)
    }
    /// Whether a name that host code uses, and nothing declares, is one that the toolkit's headers declare and the built-in ones leave out. What is spelled much
    /// like a name that is declared is a mistake, unless it is known to be a function.
    pub(super) fn is_left_out_of_runtime(&self, name: &str, has_similar: bool) -> bool {
        self.options.built_in_runtime
            && self.in_host_code_now()
            && is_client_name(name)
            && (is_client_function(name) || !has_similar && !is_nearly_client_function(name))
    }
    /// Whether a name looks like one that the built-in headers may leave out of the CUDA runtime.
    pub(super) fn may_be_left_out_of_runtime(&self, name: &str) -> bool {
        self.options.built_in_runtime && is_client_name(name)
    }
    /// Notes such a name: an expression of which nothing is known stands for it, so that the launches around it are still found.
    pub(super) fn left_out_of_runtime(&mut self, name: String, span: Span) -> ExpressionId {
        if self.host.left_out.iter().all(|(known, _)| *known != name) {
            self.host.left_out.push((name, span));
        }
        self.poison(span)
    }
    /// Whether what is elaborated now runs on the host, be it reached from host code or met in its turn.
    fn in_host_code_now(&self) -> bool {
        self.host.active
            || self
                .function
                .function
                .is_some_and(|function| self.is_host_only(function))
    }
    /// Says what host code could not be elaborated.
    pub(super) fn report_host_faults(&mut self) {
        for (name, span) in std::mem::take(&mut self.host.left_out) {
            let message = format!("the built-in headers leave out `{name}`: host code is not checked where it is used");
            let note = "the headers of a CUDA toolkit declare it (`--cuda-path`)";
            self.emit(Report::warning(span, message).note(note));
        }
        let mut given: FxHashMap<(Span, String), usize> = FxHashMap::default();
        let mut warnings: Vec<(Report, usize)> = Vec::new();
        for fault in std::mem::take(&mut self.host.faults) {
            if fault.strict {
                for report in fault.reports {
                    self.emit(report);
                }
                continue;
            }
            let Some(first) = fault
                .reports
                .into_iter()
                .find(|report| report.severity == Severity::Error)
            else {
                continue;
            };
            let at = *given
                .entry((first.span, first.message.clone()))
                .or_insert(warnings.len());
            match warnings.get_mut(at) {
                Some((_, others)) => *others += 1,
                None => {
                    let message = format!(
                        "{} could not be elaborated: kernels that only it reaches would be missing",
                        fault.what
                    );
                    let mut report = Report::warning(fault.span, message).note_at(first.span, first.message);
                    report.notes.extend(first.notes);
                    warnings.push((report, 0));
                }
            }
        }
        for (report, others) in warnings {
            let report = match others {
                0 => report,
                1 => report.note("the same stops 1 other function"),
                _ => report.note(format!("the same stops {others} other functions")),
            };
            self.context.diagnostics.insist(report);
        }
    }
    /// A constructor of the host uses the virtual functions of its class only where host code is elaborated.
    pub(super) fn queues_virtual_functions(&self, constructor: FunctionId) -> bool {
        self.program.function(constructor).name == FunctionName::Constructor
            && (self.host.active || !self.is_host_only(constructor))
    }
}
