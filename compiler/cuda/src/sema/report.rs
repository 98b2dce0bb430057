//! Messages: short forms, attempts whose messages are held back, and work that is not done yet.

use super::Sema;
use super::template::TemplateId;
use crate::hir::{self, ClassId, FunctionId, QualifiedType};
use crate::source::{Instantiated, Report, Span, Symbol};

impl Sema<'_> {
    /// Gives a message.
    pub fn emit(&mut self, report: Report) {
        self.context.diagnostics.emit(report);
    }
    /// Gives an error without more to say.
    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        self.emit(Report::error(span, message));
    }
    /// Says that a construct is legal but not supported.
    pub fn not_supported(&mut self, span: Span, construct: &str) {
        self.error(span, format!("{construct} is not supported"));
    }
    /// Spells what was being instantiated where the messages arose.
    pub(super) fn spell_instantiations(&mut self) {
        let mut diagnostics = std::mem::take(&mut self.context.diagnostics);
        diagnostics.spell(|entity| match entity {
            Instantiated::Class(id) => format!("in the instantiation of `{}`", self.class_name(ClassId(id))),
            Instantiated::Function(id) => format!("in the instantiation of `{}`", self.show_function(FunctionId(id))),
            Instantiated::DefaultArgument(id) => {
                format!(
                    "in a default argument of `{}`, used here",
                    self.show_function(FunctionId(id))
                )
            }
            Instantiated::VariableTemplate(id) => {
                let name = self.text(self.template(TemplateId(id)).name);
                format!("in the instantiation of the variable template `{name}`")
            }
            Instantiated::AliasTemplate(id) => {
                let name = self.text(self.template(TemplateId(id)).name);
                format!("in the alias template `{name}`")
            }
        });
        self.context.diagnostics = diagnostics;
    }
    /// The text of a name.
    pub fn text(&self, name: Symbol) -> &str {
        self.context.text(name)
    }
    /// The text of a name as the typed program holds it.
    pub fn shared(&self, name: Symbol) -> hir::Name {
        hir::Name::from(self.context.text(name))
    }
    /// A type as users write it.
    pub fn show(&self, ty: impl Into<QualifiedType>) -> String {
        self.program.show(ty).to_string()
    }
    /// Makes an attempt whose messages are held back: its result if it made no error, else its messages. Errors inside of instantiations that it causes are not
    /// of the immediate context ([temp.deduct]/8): they are given whatever becomes of the attempt.
    pub fn trying<T>(&mut self, attempt: impl FnOnce(&mut Self) -> T) -> Result<T, Vec<Report>> {
        let trap = self.context.diagnostics.trap();
        self.traps += 1;
        self.immediate_traps += 1;
        let result = attempt(self);
        self.immediate_traps -= 1;
        self.traps -= 1;
        let failed = self.context.diagnostics.caught(&trap);
        let reports = self.context.diagnostics.release(trap);
        if self.traps == 0 {
            for report in std::mem::take(&mut self.hard_errors) {
                self.context.diagnostics.emit(report);
            }
        }
        if failed { Err(reports) } else { Ok(result) }
    }
    /// Does work outside of the immediate context of an attempt around it: its errors are errors.
    pub(super) fn beyond_traps<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        if self.traps == 0 {
            return work(self);
        }
        let trap = self.context.diagnostics.trap();
        let immediate = std::mem::take(&mut self.immediate_traps);
        let result = work(self);
        self.immediate_traps = immediate;
        let reports = self.context.diagnostics.release(trap);
        self.hard_errors.extend(reports);
        result
    }
}
