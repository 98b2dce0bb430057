//! What has to be done when a scope is left: destructors.

use warpsmith_ir as ir;

use super::function::{FunctionGenerator, LabelPlace};
use crate::hir::{FunctionId, LabelId, StatementId, StatementKind, SymbolVariant, Type, TypeId};

/// The blocks around a label, outermost first.
pub(super) type ScopePath = Vec<StatementId>;

/// A destructor to be run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cleanup {
    address: ir::Value,
    ty: TypeId,
    destructor: FunctionId,
    /// Where it is noted at run time whether the object was made, if that depends on a condition.
    flag: Option<ir::Value>,
}

impl FunctionGenerator<'_, '_> {
    /// From now on the object has to be destroyed.
    pub(super) fn push_cleanup(&mut self, address: ir::Value, ty: TypeId, destructor: FunctionId) {
        let flag = self.conditional.map(|before| {
            let flag = self.allocate_memory(ir::Type::I8, 1, "made");
            if let Some(terminator) = self.body.terminator(before) {
                let mut builder = ir::Builder::before(&mut self.body, terminator);
                let zero = builder.int(8, 0);
                builder.store(zero, flag);
            }
            let mut build = self.build();
            let one = build.int(8, 1);
            build.store(one, flag);
            flag
        });
        self.cleanups.push(Cleanup {
            address,
            ty,
            destructor,
            flag,
        });
    }

    /// Runs the clean-ups above a depth on this way out; they stay for other ways.
    pub(super) fn run_cleanups(&mut self, depth: usize) {
        self.run_cleanups_but(depth, None);
    }

    /// The same, but for the object at an address, which lives on.
    pub(super) fn run_cleanups_but(&mut self, depth: usize, kept: Option<ir::Value>) {
        if self.is_terminated() {
            return;
        }
        for place in (depth..self.cleanups.len()).rev() {
            let cleanup = self.cleanups[place];
            if kept == Some(cleanup.address) {
                continue;
            }
            let Some(flag) = cleanup.flag else {
                self.destroy(cleanup.address, cleanup.ty, cleanup.destructor);
                continue;
            };
            let (yes, after) = (self.new_block("destroy"), self.new_block("destroyed"));
            let mut build = self.build();
            let made = build.load(ir::Type::I8, flag);
            let zero = build.int(8, 0);
            let made = build.icmp(ir::IntPredicate::Ne, made, zero);
            build.conditional_branch(made, yes, after);
            self.enter(yes);
            self.destroy(cleanup.address, cleanup.ty, cleanup.destructor);
            self.branch(after);
            self.enter(after);
        }
    }

    /// Leaves a scope: runs its clean-ups and forgets them.
    pub(super) fn pop_cleanups(&mut self, depth: usize) {
        self.run_cleanups(depth);
        self.cleanups.truncate(depth);
    }

    /// Destroys an object, or the elements of an array from the last to the first.
    pub(super) fn destroy(&mut self, address: ir::Value, ty: TypeId, destructor: FunctionId) {
        let Type::Array(element, Some(count)) = *self.program.types.get(ty) else {
            return self.call_destructor(address, destructor, SymbolVariant::Complete);
        };
        if count > 0 {
            let count = self.build().i64(count as i64);
            self.destroy_elements(address, element.id, count, destructor);
        }
    }

    /// Destroys `count` (not zero) elements, the last first.
    pub(super) fn destroy_elements(
        &mut self,
        address: ir::Value,
        element: TypeId,
        count: ir::Value,
        destructor: FunctionId,
    ) {
        let size = self.program.size_of(element) as i64;
        let (body, after) = (self.new_block("destroy.element"), self.new_block("destroy.done"));
        let before = self.block;
        self.build().branch(body);
        self.enter(body);
        let mut build = self.build();
        let left = build.phi(ir::Type::I64, &[(before, count)]);
        let one = build.i64(1);
        let index = build.sub(left, one);
        let bytes = build.i64(size);
        let distance = build.mul(index, bytes);
        let at = build.byte_offset(address, distance);
        self.destroy(at, element, destructor);
        let end = self.block;
        let mut build = self.build();
        build.add_incoming(left, end, index);
        let zero = build.i64(0);
        let done = build.icmp(ir::IntPredicate::Eq, index, zero);
        build.conditional_branch(done, after, body);
        self.enter(after);
    }

    /// Notes for each label of a body which blocks are around it.
    pub(super) fn find_labels(&mut self, body: StatementId) {
        let mut path = Vec::new();
        self.find_labels_in(body, &mut path);
    }

    fn find_labels_in(&mut self, id: StatementId, path: &mut ScopePath) {
        let program = self.program;
        match &program.statement(id).kind {
            StatementKind::Block(statements) => {
                path.push(id);
                statements
                    .iter()
                    .for_each(|&statement| self.find_labels_in(statement, path));
                path.pop();
            }
            StatementKind::Group(statements) => statements
                .iter()
                .for_each(|&statement| self.find_labels_in(statement, path)),
            StatementKind::If { then, otherwise, .. } => {
                self.find_labels_in(*then, path);
                if let Some(otherwise) = otherwise {
                    self.find_labels_in(*otherwise, path);
                }
            }
            StatementKind::While { body, .. }
            | StatementKind::DoWhile { body, .. }
            | StatementKind::For { body, .. }
            | StatementKind::Switch { body, .. } => {
                path.push(id);
                self.find_labels_in(*body, path);
                path.pop();
            }
            StatementKind::Label(label, statement) => {
                self.label_scopes.insert(*label, path.clone());
                self.find_labels_in(*statement, path);
            }
            StatementKind::Null
            | StatementKind::Expression(_)
            | StatementKind::Declare(_)
            | StatementKind::Goto(_)
            | StatementKind::IndirectGoto(_)
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Return(_)
            | StatementKind::Asm(_)
            | StatementKind::Error
            | StatementKind::Unsupported(_) => {}
        }
    }

    /// The block of a label.
    pub(super) fn label(&mut self, id: LabelId) -> ir::BlockId {
        if let Some(place) = self.labels.get(&id) {
            return place.block;
        }
        let name = self.program.label(id).name.clone();
        let block = self.new_block(name.as_deref().unwrap_or("case"));
        self.labels.insert(id, LabelPlace { block, depth: None });
        block
    }

    /// How many clean-ups stay on a jump to a label.
    pub(super) fn depth_at(&self, id: LabelId) -> usize {
        if let Some(depth) = self.labels.get(&id).and_then(|place| place.depth) {
            return depth.min(self.cleanups.len());
        }
        let Some(path) = self.label_scopes.get(&id) else {
            return self.cleanups.len();
        };
        let common = self
            .scopes
            .iter()
            .zip(path)
            .take_while(|((scope, _), other)| scope == *other)
            .count();
        // What the first scope that is left found when it was entered.
        self.scopes.get(common).map_or(self.cleanups.len(), |&(_, depth)| depth)
    }
}
