//! A whole unit: its declarations, then the bodies that code is generated for.

use super::entity::Definition;
use super::{ScopeId, ScopeKind, Sema};
use crate::hir::{FunctionId, Linkage, Root};

impl<'a> Sema<'a> {
    /// Elaborates all declarations, then bodies.
    pub(super) fn unit(&mut self) {
        let ast = self.ast;
        self.declare_usual_allocation();
        self.declare_all(&ast.roots);
        self.named();
        let mut roots: Vec<FunctionId> = Vec::new();
        let definitions = std::mem::take(&mut self.definitions);
        for &function in &definitions {
            if !matches!(self.functions[function.index()].definition, Definition::Syntax { .. }) {
                continue;
            }
            let of_template =
                self.functions[function.index()].instance.is_some() || self.is_member_of_instance(function);
            if of_template {
                continue;
            }
            if self.program.first_external.is_none() && self.program.function(function).linkage == Linkage::External {
                self.program.first_external = Some(function);
            }
            if !self.is_wanted(function) {
                continue;
            }
            self.queue_function(function);
            if self.is_root(function) {
                roots.push(function);
            }
        }
        self.bodies(&definitions);
        self.check_templates();
        self.report_host_faults();
        self.check_internal();
        roots.append(&mut self.root_functions);
        for function in roots {
            if self.program.function(function).body.is_some() && !self.program.roots.contains(&Root::Function(function))
            {
                self.program.roots.push(Root::Function(function));
            }
        }
        for variable in std::mem::take(&mut self.root_variables) {
            if self.is_of_names(variable) {
                continue;
            }
            self.program.roots.push(Root::Variable(variable));
        }
    }
    /// Whether a function is a member of a template's instance, or a friend that is defined in one: its body is instantiated when it is used ([temp.inst]/3).
    pub(super) fn is_member_of_instance(&self, function: FunctionId) -> bool {
        let info = &self.functions[function.index()];
        match (info.class, &info.definition) {
            (Some(class), _) => self.is_within_instance(class),
            (None, &Definition::Syntax { scope, .. }) => self.is_scope_of_instance(scope),
            (None, _) => false,
        }
    }
    /// Whether a class is an instance of a template, or a member of one.
    pub(crate) fn is_within_instance(&self, class: crate::hir::ClassId) -> bool {
        self.is_scope_of_instance(self.classes[class.index()].scope)
    }
    fn is_scope_of_instance(&self, scope: ScopeId) -> bool {
        let mut around = self.scopes.outwards(scope);
        around.any(|scope| matches!(self.scopes.kind(scope), ScopeKind::Template(_)))
    }
    /// Whether a function's body is elaborated even if nothing uses it: device code of the user's own files, for its errors, and kernels.
    fn is_wanted(&self, function: FunctionId) -> bool {
        let node = self.program.function(function);
        if node.space.global || self.options.check_all_bodies {
            return true;
        }
        node.space.device
            && (self.is_main_file(node.span)
                || matches!(node.linkage, Linkage::External | Linkage::Weak)
                    && !self.context.map.is_system(node.span.first))
    }
    /// Whether a place is in the user's main file, as line markers say; inline functions of headers are elaborated when used.
    pub(super) fn is_main_file(&self, span: crate::source::Span) -> bool {
        self.context
            .map
            .place(span.first)
            .is_some_and(|place| place.file.ends_with(".cu") || place.file.ends_with(".ii"))
    }
    /// Whether code is generated for a function even if nothing uses it.
    fn is_root(&self, function: FunctionId) -> bool {
        let node = self.program.function(function);
        if node.space.global {
            return true;
        }
        node.space.device
            && matches!(node.linkage, Linkage::External | Linkage::Weak)
            && !self.context.map.is_system(node.span.first)
    }
    /// Whether a function runs on the host alone.
    pub(super) fn is_host_only(&self, function: FunctionId) -> bool {
        let node = self.program.function(function);
        !node.space.device && !node.space.global && !node.is_constexpr
    }
}
