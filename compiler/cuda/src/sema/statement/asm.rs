//! Inline assembly.

use crate::hir::{AsmOperand, AsmStatement, StatementId, StatementKind, Types};
use crate::sema::Sema;
use crate::source::Span;
use crate::syntax::ast;

impl<'a> Sema<'a> {
    pub(super) fn asm_statement(&mut self, id: ast::Id<ast::AsmStatement>, span: Span) -> StatementId {
        let ast = self.ast;
        let node = &ast[id];
        if !self.is_assembly_of_device() {
            // The host's assembly is another language.
            for operand in node.outputs.iter().chain(&node.inputs) {
                self.expression(operand.expression);
            }
            return self.add_statement(StatementKind::Unsupported("the host's assembly".into()), span);
        }
        let outputs: Vec<AsmOperand> = node
            .outputs
            .iter()
            .map(|operand| self.asm_operand(operand, true))
            .collect();
        let inputs: Vec<AsmOperand> = node
            .inputs
            .iter()
            .map(|operand| self.asm_operand(operand, false))
            .collect();
        let volatile = node.is_volatile || outputs.is_empty();
        // Without a colon, `%` is an ordinary character.
        let template = match node.is_extended {
            true => node.template.clone(),
            false => node.template.replace('%', "%%").into(),
        };
        let statement = AsmStatement {
            template,
            template_at: node.template_at,
            outputs,
            inputs,
            clobbers: node.clobbers.to_vec(),
            volatile,
        };
        self.add_statement(StatementKind::Asm(Box::new(statement)), span)
    }
    /// Whether assembly is the device's: in all that may run there, be its body elaborated because host code uses it first.
    fn is_assembly_of_device(&self) -> bool {
        let space = self.function.space;
        space.device || space.global || self.function.is_constexpr
    }

    fn asm_operand(&mut self, operand: &'a ast::AsmOperand, output: bool) -> AsmOperand {
        let value = self.expression(operand.expression);
        let value = match output {
            true => {
                let expression = self.program.expression(value);
                let ty = expression.ty;
                if !expression.category.is_glvalue() && ty.id != Types::ERROR {
                    self.error(
                        operand.span,
                        "the operand of an output has to be a variable or other lvalue",
                    );
                } else if ty.is_const() {
                    self.error(operand.span, "the operand of an output cannot be `const`");
                }
                value
            }
            false => {
                let value = self.decay(value);
                self.load(value)
            }
        };
        if output != operand.constraint.starts_with(['=', '+']) {
            let message = match output {
                true => format!(
                    "the constraint `{}` of an output has to start with `=` or `+`",
                    operand.constraint
                ),
                false => format!(
                    "the constraint `{}` of an input cannot start with `=` or `+`",
                    operand.constraint
                ),
            };
            self.error(operand.span, message);
        }
        AsmOperand {
            constraint: operand.constraint.clone(),
            name: operand.name.map(|name| self.shared(name)),
            value,
        }
    }
}
