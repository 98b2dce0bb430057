//! Where CUDA's memory specifiers may not stand: on members, and on inline variables that other units have, too.

use super::attribute::attributes_of;
use crate::hir::{Linkage, MemorySpace};
use crate::sema::Sema;
use crate::source::{Report, Span, Warning};
use crate::syntax::ast;

/// The specifier that puts a variable into a memory.
const fn word(memory: MemorySpace) -> Option<&'static str> {
    match memory {
        MemorySpace::Host => None,
        MemorySpace::Device => Some("__device__"),
        MemorySpace::Constant => Some("__constant__"),
        MemorySpace::Shared => Some("__shared__"),
        MemorySpace::Managed => Some("__managed__"),
    }
}

impl<'a> Sema<'a> {
    /// A static data member, where it is declared or defined: it can be in the host's memory only.
    pub(crate) fn check_memory_of_member(&mut self, memory: MemorySpace, span: Span) {
        // Where nothing is written, the host's is meant in a class.
        if let (Some(word), true) = (word(memory), span != Span::NONE) {
            let report = Report::error(span, format!("a data member cannot be `{word}`"));
            self.emit(report.note("device memory is for variables of namespaces and functions"));
        }
    }
    /// A member of each object is where the object is: the specifier says nothing.
    pub(crate) fn check_memory_of_field(&mut self, memory: MemorySpace, span: Span) {
        if let Some(word) = word(memory) {
            let message = format!("`{word}` says nothing about a member, which is where its object is");
            self.warn_at(Warning::AttributeDoesNotApply, span, message);
        }
    }
    /// An inline variable of several units is one: without a linker of device code it cannot be.
    pub(crate) fn check_memory_of_inline(&mut self, memory: MemorySpace, linkage: Linkage, span: Span) {
        match memory {
            MemorySpace::Device | MemorySpace::Constant | MemorySpace::Managed => {}
            MemorySpace::Host | MemorySpace::Shared => return,
        }
        if let (Some(word), Linkage::External | Linkage::Weak | Linkage::OnceOnly) = (word(memory), linkage) {
            let message = format!("an inline `{word}` variable must have internal linkage in whole program mode");
            self.emit(Report::error(span, message).note("`static` or an unnamed namespace gives it"));
        }
    }
    /// A member of a class template, or a variable template, whether it is ever used or not.
    pub(in crate::sema) fn check_memory_in_template(
        &mut self,
        specifiers: ast::Id<ast::Specifiers>,
        declarator: ast::Id<ast::Declarator>,
        of_class: bool,
    ) {
        let ast = self.ast;
        let (node, written) = (&ast[specifiers], &ast[declarator]);
        let (memory, span) = self.memory_space(attributes_of(node, written));
        if memory == MemorySpace::Host || written.function().is_some() {
            return;
        }
        if of_class {
            self.check_memory_of_member(memory, span);
        } else if node.is_inline {
            let internal = node.storage == ast::StorageClass::Static || self.in_unnamed_namespace(self.scope);
            let linkage = if internal { Linkage::Internal } else { Linkage::OnceOnly };
            self.check_memory_of_inline(memory, linkage, span);
        }
    }
}
