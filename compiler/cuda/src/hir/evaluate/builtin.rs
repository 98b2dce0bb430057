//! Compiler builtins in constant expressions.

use super::super::{BuiltinId, ExpressionId, TypeId};
use super::value::Value;
use super::{Evaluator, Outcome};

impl Evaluator<'_> {
    /// The value of a builtin.
    pub(super) fn builtin(&mut self, _builtin: BuiltinId, arguments: &[ExpressionId], _ty: TypeId) -> Outcome<Value> {
        for &argument in arguments {
            self.effects(argument)?;
        }
        self.stop("a builtin is called that has no value at compile time")
    }
}
