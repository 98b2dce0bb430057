//! Aggregates ([dcl.init.aggr]): the clauses of a list in the order of elements, with braces left out, designators and strings.

use crate::hir::{
    ClassId, ClassKind, Constant, ExpressionId, ExpressionKind, FieldIndex, QualifiedType, StringLiteral, Type, Types,
};
use crate::sema::Sema;
use crate::sema::conversion::implicit::Permit;
use crate::sema::expression::{ListClause, ListOperand, Operand};
use crate::sema::overload::Resolution;
use crate::source::Span;
use crate::syntax::ast;

/// Clauses that are left to be used.
struct Cursor<'s, 'a> {
    clauses: &'s [ListClause<'a>],
    next: usize,
    span: Span,
}

impl<'s, 'a> Cursor<'s, 'a> {
    fn peek(&self) -> Option<&'s ListClause<'a>> {
        self.clauses.get(self.next)
    }
}

/// An array may not be longer than this when written out by designators.
const LONGEST_ARRAY: u64 = 1 << 24;

impl<'a> Sema<'a> {
    /// An aggregate class or array (or vector) from the clauses of a list, all of which must be used.
    pub(crate) fn initialise_aggregate(
        &mut self,
        target: QualifiedType,
        list: &ListOperand<'a>,
        what: &str,
    ) -> ExpressionId {
        if list.clauses.is_empty() && self.is_zero_when_empty(target) {
            return self.value(ExpressionKind::Zero, target, list.span);
        }
        let mut cursor = Cursor {
            clauses: &list.clauses,
            next: 0,
            span: list.span,
        };
        let value = self.aggregate(target, &mut cursor, true, what);
        if let Some(clause) = cursor.peek()
            && !self.is_poisoned(value)
        {
            let message = format!(
                "too many values for {}: the list has {}",
                self.quote(target),
                list.clauses.len()
            );
            self.context.error(clause.span, message);
        }
        value
    }

    /// Whether `{}` gives all zero bytes: no constructors and no default member initialisers are at work.
    fn is_zero_when_empty(&mut self, target: QualifiedType) -> bool {
        match *self.program.types.get(target.id) {
            Type::Array(element, count) => count.is_some() && self.is_zero_when_empty(element),
            Type::Class(class) => {
                let plain = |sema: &Self| {
                    sema.program.class(class).aggregate
                        && sema
                            .class_info(class)
                            .fields
                            .iter()
                            .all(|field| field.initialiser.is_none())
                };
                if !plain(self) {
                    return false;
                }
                let bases = self
                    .program
                    .class(class)
                    .bases
                    .iter()
                    .map(|base| base.class)
                    .collect::<Vec<_>>();
                let fields = self
                    .program
                    .class(class)
                    .fields
                    .iter()
                    .map(|field| field.ty)
                    .collect::<Vec<_>>();
                let bases = bases.into_iter().all(|base| {
                    let ty = self.program.types.class(base);
                    self.is_zero_when_empty(ty.into())
                });
                bases && fields.into_iter().all(|field| self.is_zero_when_empty(field))
            }
            Type::LValueReference(_) | Type::RValueReference(_) => false,
            _ => true,
        }
    }

    fn aggregate(
        &mut self,
        target: QualifiedType,
        cursor: &mut Cursor<'_, 'a>,
        braced: bool,
        what: &str,
    ) -> ExpressionId {
        match *self.program.types.get(target.id) {
            Type::Array(element, count) => self.aggregate_array(target, element, count, cursor, braced, what),
            Type::Vector(element, count) => {
                self.aggregate_array(target, element.into(), Some(u64::from(count)), cursor, braced, what)
            }
            Type::Class(class) if self.program.class(class).kind == ClassKind::Union => {
                self.aggregate_union(class, target, cursor, braced)
            }
            Type::Class(class) => self.aggregate_class(class, target, cursor, braced),
            _ => self.poison(cursor.span),
        }
    }

    fn aggregate_class(
        &mut self,
        class: ClassId,
        target: QualifiedType,
        cursor: &mut Cursor<'_, 'a>,
        braced: bool,
    ) -> ExpressionId {
        let span = cursor.span;
        if !self.require_complete(target.id, span, "object of") {
            return self.poison(span);
        }
        let base_classes: Vec<ClassId> = self.program.class(class).bases.iter().map(|base| base.class).collect();
        let mut bases = Vec::new();
        for (place, base) in base_classes.into_iter().enumerate() {
            let ty = self.program.types.class(base);
            let value = self.element(ty.into(), cursor, "a base");
            bases.push((place, value));
        }
        let count = self.program.class(class).fields.len();
        let mut values: Vec<Option<ExpressionId>> = vec![None; count];
        let mut at = 0;
        loop {
            if braced
                && let Some([ast::Designator::Field(name), rest @ ..]) = cursor.peek().map(|clause| clause.designators)
            {
                let clause_span = cursor.peek().map_or(span, |clause| clause.span);
                match self.designated_field(class, *name, clause_span) {
                    Some(field) => at = field,
                    None => return self.poison(span),
                }
                if !rest.is_empty() {
                    return self.fail(clause_span, "designators of more than one level are not supported");
                }
                if let Some(slot) = values.get_mut(at) {
                    let ty = self.program.class(class).fields[at].ty;
                    let ty = self.program.types.qualify(ty, target.qualifiers);
                    let already = *slot;
                    *slot = Some(self.designated_value(ty, cursor, *name, (class, at), already));
                    at += 1;
                    continue;
                }
            }
            while self
                .program
                .class(class)
                .fields
                .get(at)
                .is_some_and(|field| field.name.is_none() && field.bit_width.is_some())
            {
                at += 1;
            }
            if at >= count
                || cursor.peek().is_none()
                || (!braced && cursor.peek().is_some_and(|clause| !clause.designators.is_empty()))
            {
                break;
            }
            let ty = self.program.class(class).fields[at].ty;
            let name = self.member_text(class, at);
            values[at] = Some(self.element(ty, cursor, &name));
            at += 1;
        }
        let mut fields = Vec::with_capacity(count);
        for (index, value) in values.into_iter().enumerate() {
            let unnamed_bits = self.program.class(class).fields[index].name.is_none()
                && self.program.class(class).fields[index].bit_width.is_some();
            if unnamed_bits {
                continue;
            }
            let field = FieldIndex(index as u32);
            let value = value.unwrap_or_else(|| self.missing_field(class, field, span));
            fields.push((field, value));
        }
        self.value(ExpressionKind::Aggregate { bases, fields }, target, span)
    }

    /// An aggregate from values in parentheses, where no constructor takes them ([dcl.init.general]/16.6.2.2 of C++20): element by element, with default member
    /// initialisers for the rest.
    pub(super) fn parenthesised_aggregate(
        &mut self,
        class: ClassId,
        target: QualifiedType,
        operands: &[Operand<'a>],
        span: Span,
    ) -> Option<ExpressionId> {
        let node = self.program.class(class);
        if !node.aggregate || node.kind == ClassKind::Union {
            return None;
        }
        let base_classes: Vec<ClassId> = node.bases.iter().map(|base| base.class).collect();
        let unnamed = |field: &crate::hir::Field| field.name.is_none() && field.bit_width.is_some();
        let fields: Vec<(usize, QualifiedType)> = (node.fields.iter().enumerate())
            .filter(|(_, field)| !unnamed(field))
            .map(|(index, field)| (index, field.ty))
            .collect();
        if operands.len() > base_classes.len() + fields.len() {
            return None;
        }
        let candidates = self.constructor_candidates(class);
        let chosen = self.resolve_constructors(&candidates, operands, Permit::DIRECT, span);
        if !matches!(chosen, Resolution::None(_)) {
            return None;
        }
        let mut given = operands.iter();
        let mut bases = Vec::new();
        for (place, base) in base_classes.into_iter().enumerate() {
            let ty = self.program.types.class(base).unqualified();
            let value = match given.next() {
                Some(operand) => self.initialise_operand(ty, operand, Permit::IMPLICIT, "a base"),
                None => self.value_initialise(ty, span, "a base"),
            };
            bases.push((place, value));
        }
        let mut values = Vec::new();
        for (index, ty) in fields {
            let field = FieldIndex(index as u32);
            let value = match given.next() {
                Some(operand) => {
                    let name = self.member_text(class, index);
                    self.initialise_operand(ty, operand, Permit::IMPLICIT, &name)
                }
                None => self.missing_field(class, field, span),
            };
            values.push((field, value));
        }
        let poisoned = |sema: &Self, &value: &ExpressionId| sema.is_poisoned(value);
        if bases.iter().any(|(_, value)| poisoned(self, value)) || values.iter().any(|(_, value)| poisoned(self, value))
        {
            return Some(self.poison(span));
        }
        Some(self.value(ExpressionKind::Aggregate { bases, fields: values }, target, span))
    }

    /// The value after a designator; of an anonymous member's member, the anonymous member with what it has `already` and with what no designator names.
    fn designated_value(
        &mut self,
        ty: QualifiedType,
        cursor: &mut Cursor<'_, 'a>,
        name: ast::Name,
        (class, at): (ClassId, usize),
        already: Option<ExpressionId>,
    ) -> ExpressionId {
        let anonymous = self.program.class(class).fields[at].name.is_none();
        let inner = self.program.types.as_class(ty.id);
        let (true, Some(inner)) = (anonymous, inner) else {
            let text = self.member_text(class, at);
            return self.element(ty, cursor, &text);
        };
        let span = cursor.peek().map_or(cursor.span, |clause| clause.span);
        let Some(field) = self.designated_field(inner, name, span) else {
            return self.poison(span);
        };
        let mut fields = match already.map(|already| &self.program.expression(already).kind) {
            Some(ExpressionKind::Aggregate { fields, .. }) => fields.clone(),
            _ => Vec::new(),
        };
        let index = FieldIndex(field as u32);
        let before = fields
            .iter()
            .find(|&&(known, _)| known == index)
            .map(|&(_, value)| value);
        let field_type = self.program.class(inner).fields[field].ty;
        let value = self.designated_value(field_type, cursor, name, (inner, field), before);
        if self.program.class(inner).kind == ClassKind::Union {
            fields = vec![(index, value)];
        } else {
            fields.retain(|&(known, _)| known != index);
            fields.push((index, value));
            for other in 0..self.program.class(inner).fields.len() {
                let other = FieldIndex(other as u32);
                if !fields.iter().any(|&(known, _)| known == other) {
                    let missing = self.missing_field(inner, other, span);
                    fields.push((other, missing));
                }
            }
            fields.sort_by_key(|&(field, _)| field);
        }
        self.value(
            ExpressionKind::Aggregate {
                bases: Vec::new(),
                fields,
            },
            ty,
            span,
        )
    }

    fn member_text(&self, class: ClassId, at: usize) -> String {
        match &self.program.class(class).fields[at].name {
            Some(name) => format!("member `{name}`"),
            None => "a member".to_string(),
        }
    }

    /// The place of a field by name, through anonymous members.
    fn designated_field(&mut self, class: ClassId, name: ast::Name, span: Span) -> Option<usize> {
        let found = self.find_field(class, name);
        if found.is_none() {
            let ty = self.program.types.class(class);
            let mut report = crate::source::Report::error(
                span,
                format!("{} has no member `{}`", self.quote(ty), self.context.text(name)),
            );
            if let Some(similar) = self.similar_member(class, name) {
                report = report.note(format!("did you mean `{}`?", self.context.text(similar)));
            }
            self.context.diagnostics.emit(report);
        }
        found
    }

    fn find_field(&self, class: ClassId, name: ast::Name) -> Option<usize> {
        let text = self.context.text(name);
        let fields = &self.program.class(class).fields;
        let direct = fields.iter().position(|field| field.name.as_deref() == Some(text));
        direct.or_else(|| {
            fields.iter().position(|field| {
                let inner = self
                    .program
                    .types
                    .as_class(field.ty.id)
                    .filter(|_| field.name.is_none());
                inner.is_some_and(|inner| self.find_field(inner, name).is_some())
            })
        })
    }

    /// What a field without a clause starts with: its default member initialiser, or an empty list ([dcl.init.aggr]/8).
    fn missing_field(&mut self, class: ClassId, field: FieldIndex, span: Span) -> ExpressionId {
        let has_initialiser = self
            .class_info(class)
            .fields
            .get(field.index())
            .is_some_and(|info| info.initialiser.is_some());
        if has_initialiser {
            let saved = self.function.aggregate.replace(class);
            let value = self.default_member_initialiser(class, field);
            self.function.aggregate = saved;
            if let Some(value) = value {
                return value;
            }
        }
        let ty = self.program.class(class).fields[field.index()].ty;
        let text = self.member_text(class, field.index());
        self.missing(ty, span, &text)
    }

    fn missing(&mut self, ty: QualifiedType, span: Span, what: &str) -> ExpressionId {
        if self.program.types.is_reference(ty.id) {
            let message = format!("{what} is a reference and must be initialized");
            return self.fail(span, message);
        }
        let empty = ListOperand {
            clauses: Vec::new(),
            span,
        };
        self.initialise_by_list(ty, &empty, Permit::IMPLICIT, what)
    }

    fn aggregate_union(
        &mut self,
        class: ClassId,
        target: QualifiedType,
        cursor: &mut Cursor<'_, 'a>,
        braced: bool,
    ) -> ExpressionId {
        let span = cursor.span;
        let mut at = 0;
        let mut name = None;
        if let Some([ast::Designator::Field(field), ..]) = cursor.peek().map(|clause| clause.designators)
            && braced
        {
            match self.designated_field(class, *field, span) {
                Some(found) => at = found,
                None => return self.poison(span),
            }
            name = Some(*field);
        }
        let Some(field) = self.program.class(class).fields.get(at) else {
            return self.value(
                ExpressionKind::Aggregate {
                    bases: Vec::new(),
                    fields: Vec::new(),
                },
                target,
                span,
            );
        };
        let ty = field.ty;
        let value = match (cursor.peek(), name) {
            (Some(_), Some(name)) => self.designated_value(ty, cursor, name, (class, at), None),
            (Some(_), None) => {
                let text = self.member_text(class, at);
                self.element(ty, cursor, &text)
            }
            (None, _) => {
                let with_default = self
                    .class_info(class)
                    .fields
                    .iter()
                    .position(|info| info.initialiser.is_some());
                at = with_default.unwrap_or(0);
                self.missing_field(class, FieldIndex(at as u32), span)
            }
        };
        let fields = vec![(FieldIndex(at as u32), value)];
        self.value(
            ExpressionKind::Aggregate {
                bases: Vec::new(),
                fields,
            },
            target,
            span,
        )
    }

    fn aggregate_array(
        &mut self,
        target: QualifiedType,
        element: QualifiedType,
        count: Option<u64>,
        cursor: &mut Cursor<'_, 'a>,
        braced: bool,
        what: &str,
    ) -> ExpressionId {
        let span = cursor.span;
        let mut values: Vec<Option<ExpressionId>> = Vec::new();
        let mut at: u64 = 0;
        while let Some(clause) = cursor.peek() {
            let mut times = 1;
            match clause.designators {
                [] => {}
                _ if !braced => break,
                [ast::Designator::Index(index)] => match self.designated_index(*index) {
                    Some(index) => at = index,
                    None => return self.poison(span),
                },
                [ast::Designator::Range(low, high)] => {
                    match (self.designated_index(*low), self.designated_index(*high)) {
                        (Some(low), Some(high)) if low <= high => {
                            at = low;
                            times = high - low + 1;
                        }
                        _ => return self.fail(clause.span, "this range of elements is empty or not constant"),
                    }
                }
                _ => return self.fail(clause.span, "these designators do not fit an array"),
            }
            if count.is_some_and(|count| at >= count) {
                if !clause.designators.is_empty() {
                    return self.fail(clause.span, format!("the array has no element {at}"));
                }
                break;
            }
            if at.saturating_add(times) > LONGEST_ARRAY {
                return self.fail(clause.span, format!("{what} is too long for an initializer list"));
            }
            let value = self.element(element, cursor, "an element");
            for _ in 0..times {
                if values.len() <= at as usize {
                    values.resize(at as usize + 1, None);
                }
                values[at as usize] = Some(value);
                at += 1;
            }
        }
        let length = count.unwrap_or(values.len() as u64);
        let mut elements = Vec::with_capacity(values.len());
        for value in &values {
            elements.push(match value {
                Some(value) => *value,
                None => self.missing(element, span, "an element"),
            });
        }
        let filler = if (elements.len() as u64) < length {
            Some(self.missing(element, span, "an element"))
        } else {
            None
        };
        let is_vector = matches!(self.program.types.get(target.id), Type::Vector(..));
        let ty = if is_vector {
            target
        } else {
            self.program.types.array(element, Some(length)).into()
        };
        self.value(ExpressionKind::Array { elements, filler }, ty, span)
    }

    fn designated_index(&mut self, index: ast::Id<ast::Expression>) -> Option<u64> {
        let span = self.ast[index].span;
        let value = self
            .constant_expression(index, Types::UNSIGNED_LONG.into())?
            .as_integer()?;
        match u64::try_from(value) {
            Ok(value) => Some(value),
            Err(_) => {
                self.context.error(span, "the index of an element cannot be negative");
                None
            }
        }
    }

    /// One element of an aggregate from the next clause, or from as many as it takes where its braces are left out ([dcl.init.aggr]/15). At the end of the
    /// clauses, from an empty list.
    fn element(&mut self, ty: QualifiedType, cursor: &mut Cursor<'_, 'a>, what: &str) -> ExpressionId {
        let Some(clause) = cursor.peek() else {
            return self.missing(ty, cursor.span, what);
        };
        match &clause.value {
            Operand::List(list) => {
                cursor.next += 1;
                let list = list.clone();
                self.initialise_by_list(ty, &list, Permit::IMPLICIT, what)
            }
            &Operand::Expression(expression) => {
                if let Some(string) = self.string_for_array(ty, expression, what) {
                    cursor.next += 1;
                    return string;
                }
                if self.takes_elided_braces(ty, &clause.value) {
                    return match clause.designators {
                        [] => self.aggregate(ty, cursor, false, what),
                        _ => self.designated_without_braces(ty, cursor, what),
                    };
                }
                cursor.next += 1;
                let value = self.convert(&clause.value, ty, what);
                if !self.is_poisoned(value) {
                    self.check_narrowing(expression, ty.id);
                }
                value
            }
            operand @ Operand::Overloads(_) => {
                cursor.next += 1;
                self.convert(operand, ty, what)
            }
        }
    }

    /// An aggregate whose designator is followed by the value of its first element, as C has it.
    fn designated_without_braces(
        &mut self,
        ty: QualifiedType,
        cursor: &mut Cursor<'_, 'a>,
        what: &str,
    ) -> ExpressionId {
        let mut clauses = cursor.clauses[cursor.next..].to_vec();
        clauses[0].designators = &[];
        let mut rest = Cursor {
            clauses: &clauses,
            next: 0,
            span: cursor.span,
        };
        let value = self.aggregate(ty, &mut rest, false, what);
        let taken = rest.next;
        if taken == 0 {
            let span = clauses[0].span;
            cursor.next += 1;
            return self.fail(span, format!("{what} has no element that this could initialize"));
        }
        cursor.next += taken;
        value
    }

    /// Whether an element is an aggregate itself that the clause does not convert to.
    fn takes_elided_braces(&mut self, ty: QualifiedType, operand: &Operand<'a>) -> bool {
        match *self.program.types.get(ty.id) {
            Type::Array(..) => true,
            Type::Class(class) => {
                self.complete_type(ty.id);
                self.program.class(class).aggregate && self.implicit_sequence(operand, ty, Permit::IMPLICIT).is_none()
            }
            _ => false,
        }
    }

    /// An array of characters from a string literal ([dcl.init.string]); `None` if one of both is not such.
    pub(crate) fn string_for_array(
        &mut self,
        target: QualifiedType,
        expression: ExpressionId,
        what: &str,
    ) -> Option<ExpressionId> {
        let &Type::Array(element, count) = self.program.types.get(target.id) else {
            return None;
        };
        let ExpressionKind::String(string) = self.program.expression(expression).kind else {
            return None;
        };
        let literal: &StringLiteral = self.program.string(string);
        let narrow = |id| matches!(id, Types::CHAR | Types::SIGNED_CHAR | Types::UNSIGNED_CHAR);
        let fits = literal.element == element.id || (literal.element == Types::CHAR && narrow(element.id));
        if !fits {
            return None;
        }
        let length = literal.elements.len() as u64;
        let span = self.span_of(expression);
        if let Some(count) = count
            && length > count
        {
            let message = format!("{what} has {count} elements, but the string has {length} with its terminating zero");
            return Some(self.fail(span, message));
        }
        let ty = self.program.types.array(element, Some(count.unwrap_or(length)));
        Some(self.value(ExpressionKind::StringArray(string), ty, span))
    }

    /// The null pointer of a type.
    pub(crate) fn null_of(&mut self, ty: QualifiedType, span: Span) -> ExpressionId {
        self.value(ExpressionKind::Constant(Constant::NULL), ty, span)
    }
}
