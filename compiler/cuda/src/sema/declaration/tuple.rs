//! Structured bindings of classes with `std::tuple_size` ([dcl.struct.bind]/3).

use crate::hir::{
    self, Constant, ExpressionId, ExpressionKind, QualifiedType, StatementKind, TemplateArgument, Type, Types,
    ValueCategory, VariableId,
};
use crate::sema::entity::{Callable, Candidate};
use crate::sema::expression::Operand;
use crate::sema::lookup::Wanted;
use crate::sema::template::{GivenArgument, GivenArguments};
use crate::sema::{Entity, Found, ScopeId, Sema, TemplateId};
use crate::source::{Span, Symbol, names};

impl<'a> Sema<'a> {
    /// Binds names to the elements of a tuple-like class. False if the class is none.
    pub(super) fn bind_tuple(
        &mut self,
        variable: VariableId,
        base: ExpressionId,
        object: QualifiedType,
        names: &[(Symbol, Span)],
        span: Span,
    ) -> bool {
        let Some(size) = self.tuple_size(object, span) else {
            return false;
        };
        if size != names.len() as i128 {
            self.error(
                span,
                format!(
                    "`{}` has {size} parts, but there are {} names",
                    self.show(object),
                    names.len()
                ),
            );
            self.bind_errors(names);
            return true;
        }
        let is_lvalue = matches!(
            self.program.types.get(self.program.variable(variable).ty.id),
            Type::LValueReference(_)
        );
        for (index, &(name, name_span)) in names.iter().enumerate() {
            let part = self.tuple_part(base, object, index, is_lvalue, name_span);
            match part {
                Some(part) => self.declare_member(name, Entity::Alias(part), name_span),
                None => self.declare_member(name, Entity::Error, name_span),
            }
        }
        true
    }
    fn std_template(&mut self, name: Symbol) -> Option<TemplateId> {
        let std = self.scopes.get(ScopeId::GLOBAL).get(names::STD).first()?.entity;
        let Entity::Namespace(scope) = std else { return None };
        self.search_qualified(scope, name, Wanted::Type)
            .list
            .iter()
            .find_map(|declared| match declared.entity {
                Entity::Template(template) => Some(template),
                _ => None,
            })
    }
    fn tuple_size(&mut self, object: QualifiedType, span: Span) -> Option<i128> {
        let template = self.std_template(names::TUPLE_SIZE)?;
        let arguments = vec![TemplateArgument::Type(object.unqualified())];
        let class = self.class_instance(template, arguments.into());
        let ty = self.class_type(class);
        if !self.complete_type(ty) {
            return None;
        }
        let lookup = self.lookup_member_at(class, names::VALUE, span);
        match lookup.found {
            Found::Variable(value) => {
                self.require_variable(value);
                match &self.program.variable(value).initialiser {
                    hir::VariableInitialiser::Constant(value) => value.as_integer(),
                    _ => None,
                }
            }
            Found::Enumerator(enumeration, index) => {
                Some(self.program.enumeration(enumeration).enumerators[index as usize].value)
            }
            _ => None,
        }
    }
    /// The reference variable that an element is bound to.
    fn tuple_part(
        &mut self,
        base: ExpressionId,
        object: QualifiedType,
        index: usize,
        is_lvalue: bool,
        span: Span,
    ) -> Option<ExpressionId> {
        let index_value = TemplateArgument::Value(Types::UNSIGNED_LONG.unqualified(), Constant::Integer(index as i128));
        let template = self.std_template(names::TUPLE_ELEMENT)?;
        let arguments = vec![index_value.clone(), TemplateArgument::Type(object)];
        let class = self.class_instance(template, arguments.into());
        self.complete_class(class);
        let Found::Type(element) = self.lookup_member_at(class, names::TYPE, span).found else {
            let message = format!(
                "`std::tuple_element` has no `type` for part {index} of `{}`",
                self.show(object)
            );
            self.error(span, message);
            return None;
        };
        let given = GivenArguments {
            list: vec![GivenArgument::Known(index_value)].into(),
            span,
        };
        let operand = match is_lvalue {
            true => base,
            false => {
                let kind = ExpressionKind::Cast(hir::CastKind::NoOperation, base);
                self.program.add(kind, object, ValueCategory::XValue, span)
            }
        };
        let value = self.tuple_get(operand, object, &given, span);
        let category = self.program.expression(value).category;
        if self.program.type_of(value).id == Types::ERROR {
            return None;
        }
        let reference = match category {
            ValueCategory::LValue => self.program.types.lvalue_reference(element),
            ValueCategory::XValue | ValueCategory::PrValue => self.program.types.rvalue_reference(element),
        };
        let value = self.initialise_from(reference.unqualified(), value, span, "structured binding");
        let variable = self.binding_variable(reference.unqualified(), span);
        self.program.variable_mut(variable).initialiser = hir::VariableInitialiser::Dynamic(value);
        self.extend_temporaries(value, variable);
        if self.function.function.is_some() {
            let statement = self.program.add_statement(StatementKind::Declare(variable), span);
            self.function.pending.push(statement);
        }
        let part = self.program.types.strip_reference(element);
        let part = self
            .program
            .add(ExpressionKind::Variable(variable), part, ValueCategory::LValue, span);
        self.binding_types.insert(variable, element);
        Some(part)
    }
    fn tuple_get(
        &mut self,
        operand: ExpressionId,
        object: QualifiedType,
        given: &GivenArguments<'a>,
        span: Span,
    ) -> ExpressionId {
        if let Some(class) = self.program.types.as_class(object.id) {
            let lookup = self.lookup_member_at(class, names::GET, span);
            if let Found::Functions(candidates) = lookup.found {
                let templates: Vec<Candidate> = candidates
                    .into_iter()
                    .filter(|candidate| matches!(candidate.callable, Callable::Template(_)))
                    .collect();
                if !templates.is_empty() {
                    return self.call_candidates(&templates, Some(given), Some(operand), &[], false, "get", span);
                }
            }
        }
        let candidates = self.lookup_argument_dependent(names::GET, &[object]);
        if candidates.is_empty() {
            let message = format!("there is no `get` for `{}`", self.show(object));
            return self.fail(span, message);
        }
        self.call_candidates(
            &candidates,
            Some(given),
            None,
            &[Operand::Expression(operand)],
            true,
            "get",
            span,
        )
    }
}
