//! The address of an overloaded function ([over.over]).

use crate::hir::{ClassId, ExpressionId, ExpressionKind, FunctionId, TypeId};
use crate::sema::Sema;
use crate::sema::conversion::standard::drops_noexcept;
use crate::sema::entity::Callable;
use crate::sema::expression::Overloads;

impl<'a> Sema<'a> {
    /// The function of an overloaded name that has the wanted function type; of `class`, if a member pointer is wanted. `None` if there is none, or several.
    pub(crate) fn overload_for_type(
        &mut self,
        overloads: &Overloads<'a>,
        wanted: TypeId,
        class: Option<ClassId>,
    ) -> Option<FunctionId> {
        let mut plain = Vec::new();
        let mut templates = Vec::new();
        for candidate in &overloads.candidates {
            match candidate.callable {
                Callable::Function(function) if overloads.arguments.is_none() => {
                    if self.fits_target(function, wanted, class) && !plain.contains(&function) {
                        plain.push(function);
                    }
                }
                Callable::Function(_) => {}
                Callable::Template(template) => {
                    let explicit = overloads.arguments.as_ref();
                    if let Ok(function) = self.deduce_for_target(template, explicit, wanted, overloads.span)
                        && self.fits_target(function, wanted, class)
                    {
                        templates.push((function, template));
                    }
                }
            }
        }
        match (&plain[..], &templates[..]) {
            (&[function], _) => Some(function),
            ([], &[(function, _)]) => Some(function),
            ([], [_, _, ..]) => {
                let best = templates.iter().find(|&&(_, template)| {
                    let beats = |&(_, other): &(FunctionId, _)| {
                        template == other || self.more_specialised(template, other, 0) == std::cmp::Ordering::Less
                    };
                    templates.clone().iter().all(beats)
                });
                best.map(|&(function, _)| function)
            }
            _ => None,
        }
    }

    /// Whether a function has the wanted type, `noexcept` aside, and is a member of the class wanted, or none.
    fn fits_target(&mut self, function: FunctionId, wanted: TypeId, class: Option<ClassId>) -> bool {
        if self.has_placeholder_result(function) {
            self.deduce_result(function);
        }
        self.settle_exceptions(function);
        let node = self.program.function(function);
        let same = node.ty == wanted || drops_noexcept(&self.program.types, node.ty, wanted);
        let member = match class {
            Some(class) => {
                let own = self.function_class(function);
                node.has_this
                    && own.is_some_and(|own| {
                        own == class || crate::sema::conversion::standard::is_derived_from(&self.program, class, own)
                    })
            }
            None => !node.has_this,
        };
        same && member
    }

    fn has_placeholder_result(&self, function: FunctionId) -> bool {
        let result = self
            .program
            .types
            .as_function(self.program.function(function).ty)
            .map(|ty| ty.result);
        result.is_some_and(|result| self.contains_placeholder(result))
    }

    /// The one function that a name stands for without a type to choose by: not overloaded, or a template all of whose arguments are given; no member that needs
    /// an object.
    pub(crate) fn single_function(&mut self, overloads: &Overloads<'a>) -> Option<FunctionId> {
        self.only_function(overloads)
            .filter(|&function| !self.program.function(function).has_this)
    }

    /// What an overloaded name is by itself if just one function is meant: the function's lvalue, its address, or a pointer to a member. Nothing is used by this.
    pub(crate) fn overloads_expression(&mut self, overloads: &Overloads<'a>) -> Option<ExpressionId> {
        let function = self.only_function(overloads)?;
        self.deduce_result(function);
        self.settle_exceptions(function);
        let node = self.program.function(function);
        let (ty, has_this, span) = (node.ty, node.has_this, overloads.span);
        if has_this {
            let class = self
                .function_class(function)
                .filter(|_| overloads.address && overloads.qualified)?;
            let pointer = self.program.types.member_pointer(class, ty);
            return Some(self.value(ExpressionKind::MemberPointerFunction(function), pointer, span));
        }
        let lvalue = self.lvalue(ExpressionKind::Function(function), ty, span);
        Some(match overloads.address {
            true => self.address_of(lvalue, span),
            false => lvalue,
        })
    }

    /// The same, members that need an object included.
    pub(crate) fn only_function(&mut self, overloads: &Overloads<'a>) -> Option<FunctionId> {
        if let Some(arguments) = &overloads.arguments {
            let mut found = None;
            for candidate in &overloads.candidates {
                let Callable::Template(template) = candidate.callable else {
                    continue;
                };
                if let Ok(function) = self.instantiate_explicit(template, arguments, overloads.span)
                    && found.replace(function).is_some()
                {
                    return None;
                }
            }
            return found;
        }
        match &overloads.candidates[..] {
            [candidate] => match candidate.callable {
                Callable::Function(function) => Some(function),
                Callable::Template(_) => None,
            },
            _ => None,
        }
    }
}
