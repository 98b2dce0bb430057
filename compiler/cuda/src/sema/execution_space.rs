//! Execution spaces: which functions code of the device and of the host may call.
//!
//! A function's space is what its declaration says (`__host__`, `__device__`, `__global__`), but for special members that are implicit
//! or defaulted where they are declared: theirs is where they are called from. A class with a `std::string` member has an implicit
//! constructor that only the host can run, and that is no fault until device code makes such an object. So what such a function calls is
//! kept, and judged when it is known who reaches it ([CUDA C++ programming guide], implicitly-declared and explicitly-defaulted functions).

use crate::hir::{ExecutionSpace, FunctionId};
use crate::sema::Sema;
use crate::source::{Report, Span, Warning};

/// From where a function whose space is derived is called, in the order of what that forbids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// From host code alone: it may call host functions.
    #[default]
    Host,
    /// From functions of both sides: host functions are warned of.
    Both,
    /// From device code: host functions are errors.
    Device,
}

impl Reach {
    fn from_space(space: ExecutionSpace) -> Reach {
        match (space.device || space.global, space.host) {
            (false, _) => Reach::Host,
            (true, true) => Reach::Both,
            (true, false) => Reach::Device,
        }
    }
}

/// What is known of a function whose execution space is where it is called from.
#[derive(Clone, Debug, Default)]
pub struct DerivedSpace {
    reach: Reach,
    /// What its body calls that may not run on the device: host functions, and functions whose space is derived, too.
    calls: Vec<(FunctionId, Span)>,
}

impl Sema<'_> {
    /// Device code calls device functions, and constexpr ones ([CUDA C++ programming guide], execution space specifiers).
    pub(crate) fn check_space(&mut self, callee: FunctionId, span: Span) -> bool {
        let Some(caller) = self.function.function else {
            return true;
        };
        if self.function.evaluation.constant {
            return true;
        }
        let from = Reach::from_space(self.function.space);
        match (self.derives_space(caller), self.derives_space(callee)) {
            (true, _) => {
                if self.derives_space(callee) || self.is_for_host_only(callee) {
                    self.functions[caller.index()].derived_space.calls.push((callee, span));
                    let reach = self.functions[caller.index()].derived_space.reach;
                    self.reach_call(reach, caller, callee, span);
                }
                true
            }
            (false, true) => {
                self.reach_derived(callee, from);
                true
            }
            (false, false) if from == Reach::Host => self.check_called_by_host(caller, callee, span),
            (false, false) => !self.is_for_host_only(callee) || self.report_host_function(from, caller, callee, span),
        }
    }
    /// Whether a function's execution space is where it is called from.
    fn derives_space(&self, function: FunctionId) -> bool {
        self.program.function(function).is_defaulted && !self.functions[function.index()].user_provided_after()
    }
    /// Whether device code may not call a function.
    fn is_for_host_only(&self, function: FunctionId) -> bool {
        let node = self.program.function(function);
        // What is defaulted after its declaration is provided by the user, though its body is the compiler's.
        let anywhere =
            (node.is_constexpr || node.is_trivial) && !self.functions[function.index()].user_provided_after();
        !node.space.device && !node.space.global && !anywhere && !self.is_compiler_function(function)
    }
    /// A function whose space is derived is called from somewhere: so is what it calls.
    fn reach_derived(&mut self, function: FunctionId, reach: Reach) {
        let mut reached = vec![function];
        while let Some(function) = reached.pop() {
            let derived = &mut self.functions[function.index()].derived_space;
            if derived.reach >= reach {
                continue;
            }
            derived.reach = reach;
            for (callee, span) in derived.calls.clone() {
                match self.derives_space(callee) {
                    true => reached.push(callee),
                    false => {
                        self.report_host_function(reach, function, callee, span);
                    }
                }
            }
        }
    }
    /// What a call means in a function whose space is derived, by who reaches that function.
    fn reach_call(&mut self, reach: Reach, caller: FunctionId, callee: FunctionId, span: Span) {
        match self.derives_space(callee) {
            true => self.reach_derived(callee, reach),
            false => {
                self.report_host_function(reach, caller, callee, span);
            }
        }
    }
    /// Tells of a host function that code which also runs on the device calls. True if it may stand.
    fn report_host_function(&mut self, reach: Reach, caller: FunctionId, callee: FunctionId, span: Span) -> bool {
        let declared = self.program.function(callee).span;
        if reach == Reach::Both {
            self.program.function_mut(callee).traps_on_device = true;
        }
        let (callee, name) = (self.show_function(callee), self.show_function(caller));
        match reach {
            Reach::Host => true,
            // What host and device share may call host functions where it runs on the host.
            Reach::Both => {
                let message = format!(
                    "`{callee}` is a `__host__` function: the `__host__ __device__` function `{name}` cannot call it on the device"
                );
                let report = Report::warning(span, message).note_at(declared, "declared here, without `__device__`");
                self.warn(Warning::HostFromBoth, report);
                true
            }
            Reach::Device => {
                let word = match self.program.function(caller).space.global {
                    true => "__global__",
                    false => "__device__",
                };
                let message = format!(
                    "`{callee}` is a `__host__` function and cannot be called from the `{word}` function `{name}`"
                );
                self.emit(Report::error(span, message).note_at(declared, "declared here, without `__device__`"));
                false
            }
        }
    }
    /// Host code calls no function that is the device's alone. That is told of the unit's own code, and only where none of it names `__CUDA_ARCH__`: what
    /// chooses by that where functions run (`#ifdef __CUDA_ARCH__`, `#define BOTH __device__`) is another choice for the host's compiler, and nvcc tells of
    /// such calls in the host's pass alone.
    fn check_called_by_host(&mut self, caller: FunctionId, callee: FunctionId, span: Span) -> bool {
        let to = self.program.function(callee);
        let only_device = to.space.device && !to.space.host && !to.space.global;
        if !only_device
            || self.function.is_constexpr
            || to.is_constexpr
            || to.is_defaulted
            || !self.is_strict(caller)
            || self.context.map.is_system(to.span.first)
            || self.context.map.is_named_outside_of_system("__CUDA_ARCH__")
        {
            return true;
        }
        let declared = to.span;
        let message = format!(
            "`{}` is a `__device__` function and cannot be called from the `__host__` function `{}`",
            self.show_function(callee),
            self.show_function(caller)
        );
        self.emit(Report::error(span, message).note_at(declared, "declared here, without `__host__`"));
        false
    }
    /// Functions that the compiler knows are on both sides.
    fn is_compiler_function(&self, function: FunctionId) -> bool {
        let text = self.text(self.functions[function.index()].name);
        text.starts_with("__builtin_")
            || text.starts_with("__nv")
            || text.starts_with("operator new")
            || text.starts_with("operator delete")
    }
}
