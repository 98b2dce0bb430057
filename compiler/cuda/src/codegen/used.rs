//! What stays in the module although nothing in it refers to it: the host reads constants of the device by name.

use super::{Generator, ir};
use crate::hir::{Program, Root};

impl Generator<'_> {
    /// Lists the variables that are roots of the program and would go as local constants without a use.
    pub(super) fn list_used(&mut self, program: &Program) {
        let mut used = Vec::new();
        for root in &program.roots {
            let Root::Variable(variable) = *root else { continue };
            let Some(&made) = self.variables.get(&variable) else {
                continue;
            };
            let global = &self.module.symbols.globals[made];
            if global.linkage.is_discardable() && !global.externally_initialized {
                used.push(self.generic_address(made));
            }
        }
        if used.is_empty() {
            return;
        }
        let ty = self.context.array(ir::Type::POINTER, used.len() as u64);
        let mut list = ir::Global::new("llvm.used", ty, ir::AddressSpace::GENERIC);
        list.linkage = ir::Linkage::Appending;
        list.section = Some("llvm.metadata".into());
        list.initializer = Some(self.context.aggregate(ty, &used));
        self.module.symbols.add_global(list);
    }
}
