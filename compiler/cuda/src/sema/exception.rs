//! Exception specifications ([except.spec]): which functions say that they throw nothing. A condition, and what a defaulted function's parts say, is worked out
//! when first asked for, as classes have to be complete for it.

use super::Sema;
use super::entity::{Callable, SpecialMember};
use super::scope::ScopeId;
use crate::hir::expression::Allocation;
use crate::hir::{Callee, ClassId, ExpressionId, ExpressionKind, FieldIndex, FunctionId, QualifiedType, Type, TypeId};
use crate::syntax::ast;

/// Where a function's exception specification is to be had from.
#[derive(Clone, Copy, Debug, Default)]
pub enum ExceptionSource {
    /// The function's type says it.
    #[default]
    Type,
    /// `noexcept(…)`, which is read in this scope.
    Condition(ast::Id<ast::Expression>, ScopeId),
    /// What the function calls implicitly: it is defaulted, or a destructor, and nothing is written ([except.spec]/8, 11).
    Parts,
    /// It is being worked out.
    InProgress,
}

/// What of an expression may throw by itself.
enum Throws {
    No,
    Yes,
    Function(FunctionId),
    Called(TypeId),
}

impl<'a> Sema<'a> {
    /// Makes a function's type say whether it throws.
    pub(crate) fn settle_exceptions(&mut self, function: FunctionId) {
        let source = &mut self.functions[function.index()].exceptions;
        let nothing = match std::mem::replace(source, ExceptionSource::InProgress) {
            ExceptionSource::Type => {
                self.functions[function.index()].exceptions = ExceptionSource::Type;
                return;
            }
            ExceptionSource::InProgress => return,
            ExceptionSource::Condition(condition, scope) => self.beyond_traps(|sema| {
                sema.outside_of_functions(|sema| {
                    sema.function = sema.context_for(function);
                    sema.in_scope(scope, |sema| sema.constant_bool(condition))
                })
                .unwrap_or(false)
            }),
            ExceptionSource::Parts => {
                self.beyond_traps(|sema| sema.outside_of_functions(|sema| !sema.parts_may_throw(function)))
            }
        };
        self.functions[function.index()].exceptions = ExceptionSource::Type;
        let Some(mut ty) = self
            .program
            .types
            .as_function(self.program.function(function).ty)
            .cloned()
        else {
            return;
        };
        ty.noexcept = nothing;
        let ty = self.program.types.function(ty);
        self.program.function_mut(function).ty = ty;
    }
    /// Whether a function may throw.
    pub(crate) fn function_may_throw(&mut self, function: FunctionId) -> bool {
        self.settle_exceptions(function);
        !self.is_noexcept_type(self.program.function(function).ty)
    }
    fn is_noexcept_type(&self, ty: TypeId) -> bool {
        self.program.types.as_function(ty).is_some_and(|ty| ty.noexcept)
    }
    /// Whether what a defaulted function calls for the parts of its class may throw.
    fn parts_may_throw(&mut self, function: FunctionId) -> bool {
        let info = &self.functions[function.index()];
        let Some(class) = info.class else {
            return !self.is_noexcept_type(self.program.function(function).ty);
        };
        match (info.inherits, info.special) {
            (Some(inherited), _) => {
                let from = self.functions[inherited.index()].class;
                self.function_may_throw(inherited)
                    || self.any_part_throws(class, SpecialMember::DefaultConstructor, from)
            }
            (None, Some(which)) => self.any_part_throws(class, which, None),
            // A defaulted comparison: what it calls is known by its body alone.
            (None, None) => true,
        }
    }
    /// The same for the bases, one perhaps left out, and members of a class.
    fn any_part_throws(&mut self, class: ClassId, which: SpecialMember, except: Option<ClassId>) -> bool {
        self.complete_class(class);
        let mut bases = self.program.virtual_bases(class);
        bases.extend(self.program.class(class).bases.iter().map(|base| base.class));
        if bases
            .into_iter()
            .any(|base| Some(base) != except && self.part_throws(base, which))
        {
            return true;
        }
        (0..self.program.class(class).fields.len()).any(|index| {
            let field = FieldIndex(index as u32);
            if which == SpecialMember::DefaultConstructor
                && let Some(value) = self.default_member_initialiser(class, field)
            {
                return self.may_throw(value);
            }
            let ty: QualifiedType = self.program.class(class).fields[index].ty;
            if self.program.types.is_reference(ty.id) {
                return false;
            }
            let element = self.element_of_arrays(ty);
            let part = self.program.types.as_class(element.id);
            part.is_some_and(|part| self.part_throws(part, which))
        })
    }
    /// Whether a special member that is called for a part may throw.
    fn part_throws(&mut self, part: ClassId, which: SpecialMember) -> bool {
        let mut which = which;
        if !self.special_info(part, which).exists {
            which = match which {
                SpecialMember::MoveConstructor => SpecialMember::CopyConstructor,
                SpecialMember::MoveAssignment => SpecialMember::CopyAssignment,
                _ => which,
            };
        }
        let info = self.special_info(part, which);
        if info.exists && info.trivial && !info.deleted {
            return false;
        }
        if let Some(function) = self.special_member(part, which) {
            return self.function_may_throw(function);
        }
        // A default constructor that is inherited, or made from a template.
        let inherited = self.constructors(part).into_iter().find_map(|it| match it.callable {
            Callable::Function(function) if self.is_default_constructor(function) => Some(function),
            Callable::Function(_) | Callable::Template(_) => None,
        });
        inherited.is_none_or(|function| self.function_may_throw(function))
    }
    /// Whether evaluating an expression may throw: calls of functions that are not `noexcept`, `throw`, `new` ([except.spec]/6).
    pub(crate) fn may_throw(&mut self, expression: ExpressionId) -> bool {
        let own = match &self.program.expression(expression).kind {
            ExpressionKind::Call { callee, .. } => match callee {
                &Callee::Direct(callee) | &Callee::Virtual(callee) => Throws::Function(callee),
                &Callee::Indirect(pointer) => {
                    match self.program.types.pointee(self.program.expression(pointer).ty.id) {
                        Some(pointee) => Throws::Called(pointee.id),
                        None => Throws::Yes,
                    }
                }
                &Callee::Member(pointer) => match *self.program.types.get(self.program.expression(pointer).ty.id) {
                    Type::MemberPointer { pointee, .. } => Throws::Called(pointee.id),
                    _ => Throws::Yes,
                },
            },
            &ExpressionKind::Construct { constructor, .. } => Throws::Function(constructor),
            &ExpressionKind::Materialise { destructor, .. } | &ExpressionKind::Destroy { destructor, .. } => {
                destructor.map_or(Throws::No, Throws::Function)
            }
            ExpressionKind::New { allocation, .. } => match allocation {
                Allocation::Function(allocator, _) => Throws::Function(*allocator),
                Allocation::Heap => Throws::Yes,
                Allocation::Place(_) => Throws::No,
            },
            ExpressionKind::Launch { .. } | ExpressionKind::Unsupported(_) => Throws::Yes,
            _ => Throws::No,
        };
        let own = match own {
            Throws::No => false,
            Throws::Yes => true,
            Throws::Function(function) => self.function_may_throw(function),
            Throws::Called(ty) => !self.is_noexcept_type(ty),
        };
        own || self
            .operands_of(expression)
            .into_iter()
            .any(|operand| self.may_throw(operand))
    }
}
