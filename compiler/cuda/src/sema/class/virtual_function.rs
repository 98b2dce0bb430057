//! Virtual functions: overriding, `override`, `final`, abstract classes ([class.virtual], [class.abstract]).

use crate::hir::{self, ClassId, FunctionId};
use crate::sema::Sema;
use crate::source::{Report, Span};
use crate::syntax::ast;

impl<'a> Sema<'a> {
    /// Notes a member function for the virtual table.
    pub(super) fn note_method(&mut self, class: ClassId, function: FunctionId, declarator: ast::Id<ast::Declarator>) {
        if self.functions[function.index()].class != Some(class) {
            return;
        }
        let methods = &mut self.program.class_mut(class).methods;
        if !methods.contains(&function) {
            methods.push(function);
        }
        if let Some(chunk) = self.ast[declarator].function() {
            let info = &mut self.functions[function.index()];
            info.is_override = chunk.is_override;
            info.is_final = chunk.is_final;
        }
    }
    /// Once the layout is known: what overrides what.
    pub(super) fn check_virtual_functions(&mut self, class: ClassId) {
        for function in self.program.class(class).methods.clone() {
            let overridden = self.overridden_by(class, function);
            let info = &self.functions[function.index()];
            let node = self.program.function(function);
            let (span, is_override, is_final, is_virtual) =
                (node.span, info.is_override, info.is_final, node.is_virtual);
            if overridden.is_empty() {
                if is_override {
                    self.report_no_override(class, function, span);
                } else if is_final && !is_virtual {
                    self.error(span, "only virtual functions are `final`");
                }
                continue;
            }
            for base in overridden {
                self.check_override(function, base, span);
            }
        }
        self.classes[class.index()].abstract_because = self.pure_virtual(class);
    }
    fn report_no_override(&mut self, class: ClassId, function: FunctionId, span: Span) {
        let message = format!(
            "`{}` is marked `override` but overrides nothing",
            self.show_function(function)
        );
        let mut report = Report::error(span, message);
        let name = self.functions[function.index()].name;
        for base in self.program.class(class).bases.clone() {
            for method in self.program.class(base.class).methods.clone() {
                if self.functions[method.index()].name == name && self.program.function(method).is_virtual {
                    let declared = self.program.function(method).span;
                    report = report.note_at(
                        declared,
                        format!("`{}` is virtual, but has another type", self.show_function(method)),
                    );
                }
            }
        }
        self.emit(report);
    }
    fn overridden_by(&self, class: ClassId, function: FunctionId) -> Vec<FunctionId> {
        let mut found = Vec::new();
        for base in &self.program.class(class).bases {
            self.collect_overridden(base.class, function, &mut found, 0);
        }
        found
    }
    fn collect_overridden(&self, class: ClassId, function: FunctionId, found: &mut Vec<FunctionId>, depth: usize) {
        if depth > super::BASE_DEPTH {
            return;
        }
        for &method in &self.program.class(class).methods {
            if self.program.overrides(function, method) && !found.contains(&method) {
                found.push(method);
            }
        }
        for base in &self.program.class(class).bases {
            self.collect_overridden(base.class, function, found, depth + 1);
        }
    }
    fn check_override(&mut self, function: FunctionId, base: FunctionId, span: Span) {
        let declared = self.program.function(base).span;
        if self.functions[base.index()].is_final {
            let message = format!("`{}` is `final` and cannot be overridden", self.show_function(base));
            self.emit(Report::error(span, message).note_at(declared, "declared here"));
        }
        let result = |sema: &Self, function: FunctionId| {
            sema.program
                .types
                .as_function(sema.program.function(function).ty)
                .map(|ty| ty.result)
        };
        let (Some(own), Some(other)) = (result(self, function), result(self, base)) else {
            return;
        };
        if own == other || matches!(self.program.function(function).name, hir::FunctionName::Destructor) {
            return;
        }
        // Covariant results ([class.virtual]/8).
        let target = |sema: &Self, ty: hir::QualifiedType| match *sema.program.types.get(ty.id) {
            hir::Type::Pointer(to) | hir::Type::LValueReference(to) | hir::Type::RValueReference(to) => {
                sema.program.types.as_class(to.id)
            }
            _ => None,
        };
        if let (Some(own), Some(other)) = (target(self, own), target(self, other))
            && (own == other || self.is_derived_from(own, other))
        {
            return;
        }
        if own.id == hir::Types::ERROR || other.id == hir::Types::ERROR {
            return;
        }
        let message = format!(
            "this returns `{}`, but the function that it overrides returns `{}`",
            self.show(own),
            self.show(other)
        );
        self.emit(Report::error(span, message).note_at(declared, "overridden function"));
    }
    /// A pure virtual function that no class down to this one overrides.
    fn pure_virtual(&self, class: ClassId) -> Option<FunctionId> {
        let mut pure = Vec::new();
        let mut overriders = Vec::new();
        self.collect_virtual(class, &mut pure, &mut overriders, 0);
        pure.into_iter().find(|&function| {
            !overriders.iter().any(|&overrider| {
                overrider != function
                    && !self.program.function(overrider).is_pure
                    && self.program.overrides(overrider, function)
            })
        })
    }
    fn collect_virtual(&self, class: ClassId, pure: &mut Vec<FunctionId>, all: &mut Vec<FunctionId>, depth: usize) {
        if depth > super::BASE_DEPTH || !self.classes[class.index()].polymorphic {
            return;
        }
        for &method in &self.program.class(class).methods {
            let function = self.program.function(method);
            if function.is_virtual {
                all.push(method);
                if function.is_pure {
                    pure.push(method);
                }
            }
        }
        for base in &self.program.class(class).bases {
            self.collect_virtual(base.class, pure, all, depth + 1);
        }
    }
    /// Reports an object of an abstract class: true if the class is not.
    pub fn check_not_abstract(&mut self, class: ClassId, span: Span, what: &str) -> bool {
        let Some(function) = self.classes[class.index()].abstract_because else {
            return true;
        };
        let declared = self.program.function(function).span;
        let message = format!("{what} cannot be of the abstract class `{}`", self.class_name(class));
        let note = format!("`{}` is pure virtual", self.show_function(function));
        self.emit(Report::error(span, message).note_at(declared, note));
        false
    }
}
