//! Casts ([expr.static.cast], [expr.reinterpret.cast], [expr.const.cast], [expr.cast], [expr.type.conv]).

use crate::hir::{
    CastKind, ClassId, ExpressionId, ExpressionKind, Lifetime, QualifiedType, Type, TypeId, Types, ValueCategory,
};
use crate::sema::Sema;
use crate::sema::conversion::arithmetic::integer_kind;
use crate::sema::conversion::implicit::Permit;
use crate::sema::conversion::standard::{BasePath, base_path, is_similar, significant};
use crate::sema::initialise::NarrowingPolicy;
use crate::source::Span;
use crate::syntax::ast;

use super::Operand;

/// How a cast treats qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Casting {
    /// A named cast: qualifiers may not be taken away.
    Named,
    /// `(T)x`: they may.
    CStyle,
}

impl<'a> Sema<'a> {
    /// `(T)x` and the named casts.
    pub(super) fn cast_expression(
        &mut self,
        kind: ast::CastKind,
        type_id: ast::Id<ast::TypeId>,
        operand: ast::Id<ast::Expression>,
        span: Span,
    ) -> ExpressionId {
        let to = self.type_of_type_id(type_id);
        let operand = self.operand(operand);
        self.cast_operand(kind, &operand, to, span)
    }

    /// The same for an operand that is elaborated.
    pub(crate) fn cast_operand(
        &mut self,
        kind: ast::CastKind,
        operand: &Operand<'a>,
        to: QualifiedType,
        span: Span,
    ) -> ExpressionId {
        if to.id == Types::ERROR || self.operand_is_poisoned(operand) {
            return self.poison(span);
        }
        if let Operand::List(list) = operand {
            let list = list.clone();
            return self.with_narrowing(self.narrowing_of_cast(to), |sema| {
                sema.initialise_by_list(to, &list, Permit::DIRECT, "the result of a cast")
            });
        }
        let cast = match kind {
            ast::CastKind::Dynamic if self.in_device_code() => {
                return self.fail(span, "`dynamic_cast` is not supported in device code");
            }
            ast::CastKind::Dynamic => {
                let expression = self.settle(operand);
                return self.dynamic_cast(expression, to, span);
            }
            ast::CastKind::Static => self.static_cast(operand, to, Casting::Named, span),
            ast::CastKind::Const => {
                let expression = self.settle(operand);
                self.const_cast(expression, to, span)
            }
            ast::CastKind::Reinterpret => {
                let expression = self.settle_for(operand, to);
                self.reinterpret_cast(expression, to, Casting::Named, span)
            }
            ast::CastKind::CStyle => {
                let from_static = self.static_cast(operand, to, Casting::CStyle, span);
                match from_static {
                    Some(expression) => Some(expression),
                    None => {
                        let expression = self.settle_for(operand, to);
                        self.reinterpret_cast(expression, to, Casting::CStyle, span)
                    }
                }
            }
        };
        match cast {
            Some(expression) => {
                if !self.is_poisoned(expression) {
                    return self.respan(expression, span);
                }
                expression
            }
            None => {
                let name = match kind {
                    ast::CastKind::Static => "`static_cast`",
                    ast::CastKind::Const => "`const_cast`",
                    ast::CastKind::Reinterpret => "`reinterpret_cast`",
                    ast::CastKind::CStyle | ast::CastKind::Dynamic => "a cast",
                };
                let message = format!(
                    "{name} cannot convert {} to {}",
                    self.describe_operand(operand),
                    self.quote(to)
                );
                self.fail(span, message)
            }
        }
    }

    /// An operand with a type; of an overloaded name, the function that fits.
    fn settle_for(&mut self, operand: &Operand<'a>, to: QualifiedType) -> ExpressionId {
        if let Operand::Overloads(_) = operand
            && self.implicit_sequence(operand, to, Permit::STANDARD).is_some()
        {
            return self.convert(operand, to, "the result of a cast");
        }
        self.settle(operand)
    }

    /// A conversion's result covers the whole cast; what only passes through keeps its own place.
    fn respan(&mut self, expression: ExpressionId, span: Span) -> ExpressionId {
        let node = self.program.expression(expression);
        if node.category.is_glvalue() || self.expressions.null_constants.contains(&expression) {
            let is_prvalue_scalar = !node.category.is_glvalue();
            if is_prvalue_scalar {
                let (kind, ty, category) = (node.kind.clone(), node.ty, node.category);
                return self.program.add(kind, ty, category, span);
            }
        }
        expression
    }

    /// `static_cast<to>(operand)`; `None` if it cannot do that. C style casts may take qualifiers away and ignore access to bases.
    fn static_cast(
        &mut self,
        operand: &Operand<'a>,
        to: QualifiedType,
        casting: Casting,
        span: Span,
    ) -> Option<ExpressionId> {
        if to.id == Types::VOID {
            let expression = self.settle(operand);
            let expression = self.drop_value(expression);
            return Some(self.cast(CastKind::ToVoid, expression, Types::VOID));
        }
        if let &Operand::Expression(expression) = operand {
            if let Some(cast) = self.reference_downcast(expression, to, casting, span) {
                return Some(cast);
            }
            if let Some(cast) = self.static_scalar(expression, to, casting, span) {
                return Some(cast);
            }
        }
        if self.implicit_sequence(operand, to, Permit::DIRECT).is_some() {
            return Some(self.initialise_directly(to, operand, span));
        }
        if let (Casting::CStyle, Operand::Expression(expression)) = (casting, operand) {
            return self.cast_with_const(*expression, to, span);
        }
        if self.program.types.as_class(to.id).is_some() && !matches!(operand, Operand::Overloads(_)) {
            return Some(self.direct_initialise(to, std::slice::from_ref(operand), span, "the result of a cast"));
        }
        None
    }

    fn initialise_directly(&mut self, to: QualifiedType, operand: &Operand<'a>, span: Span) -> ExpressionId {
        // A cast says that the number is meant.
        let around = std::mem::replace(&mut self.casting, self.program.types.as_class(to.id).is_none());
        let value = self.direct_initialise(to, std::slice::from_ref(operand), span, "the result of a cast");
        self.casting = around;
        value
    }

    /// A C style cast that is a `static_cast` followed by a `const_cast`: the implicit conversion to the type with the operand's qualifiers added.
    fn cast_with_const(&mut self, expression: ExpressionId, to: QualifiedType, span: Span) -> Option<ExpressionId> {
        let from = self.type_of(expression);
        match *self.program.types.get(to.id) {
            Type::Pointer(pointee) => {
                let decayed = self.decay(expression);
                let source = self.program.types.pointee(self.type_of(decayed).id)?;
                let widened = self
                    .program
                    .types
                    .qualify(pointee, significant(&self.program.types, source));
                let target = self.program.types.pointer(widened);
                if is_similar(&self.program.types, self.type_of(decayed).id, to.id) {
                    return Some(self.cast(CastKind::Pointer, decayed, to.unqualified()));
                }
                self.implicit_sequence(&Operand::Expression(decayed), target.into(), Permit::DIRECT)?;
                let value = self.convert_expression(decayed, target, "the result of a cast");
                Some(self.cast(CastKind::Pointer, value, to.unqualified()))
            }
            Type::LValueReference(referent) | Type::RValueReference(referent) => {
                let is_lvalue_reference = matches!(self.program.types.get(to.id), Type::LValueReference(_));
                let widened = self
                    .program
                    .types
                    .qualify(referent, significant(&self.program.types, from));
                let target = if is_lvalue_reference {
                    self.program.types.lvalue_reference(widened)
                } else {
                    self.program.types.rvalue_reference(widened)
                };
                self.implicit_sequence(&Operand::Expression(expression), target.into(), Permit::DIRECT)?;
                let value = self.convert_expression(expression, target, "the result of a cast");
                let category = if is_lvalue_reference {
                    ValueCategory::LValue
                } else {
                    ValueCategory::XValue
                };
                let _ = span;
                Some(self.cast_glvalue(CastKind::NoOperation, value, referent, category))
            }
            _ => None,
        }
    }

    /// References: base to derived ([expr.static.cast]/2), lvalue to xvalue (/3). Other references are bound as in initialisation.
    fn reference_downcast(
        &mut self,
        expression: ExpressionId,
        to: QualifiedType,
        casting: Casting,
        span: Span,
    ) -> Option<ExpressionId> {
        let (referent, category) = match *self.program.types.get(to.id) {
            Type::LValueReference(referent) => (referent, ValueCategory::LValue),
            Type::RValueReference(referent) => (referent, ValueCategory::XValue),
            _ => return None,
        };
        let from = self.type_of(expression);
        if category == ValueCategory::LValue && !self.is_lvalue(expression) {
            return None;
        }
        self.complete_type(from.id);
        self.complete_type(referent.id);
        let keeps = significant(&self.program.types, referent).contains(significant(&self.program.types, from));
        if !keeps && casting == Casting::Named {
            return None;
        }
        let same = from.id == referent.id
            || crate::sema::conversion::standard::reference_related(&self.program, from, referent).is_some();
        if same && category == ValueCategory::XValue && self.category_of(expression).is_glvalue() {
            if self.is_bit_field(expression) {
                return None;
            }
            let object = self.upcast_to(
                expression,
                QualifiedType {
                    id: referent.id,
                    qualifiers: from.qualifiers,
                },
            );
            let is_function = self.program.types.as_function(referent.id).is_some();
            let category = if is_function { ValueCategory::LValue } else { category };
            return Some(self.cast_glvalue(CastKind::NoOperation, object, referent, category));
        }
        let (base, derived) = (
            self.program.types.as_class(from.id)?,
            self.program.types.as_class(referent.id)?,
        );
        if base == derived {
            return None;
        }
        let path = self.downcast_path(derived, base, span)?;
        let object = self.materialised(expression);
        Some(self.cast_glvalue(CastKind::BaseToDerived(path), object, referent, category))
    }

    /// `dynamic_cast`: checked as far as its types go, and refused when code is generated from it.
    fn dynamic_cast(&mut self, expression: ExpressionId, to: QualifiedType, span: Span) -> ExpressionId {
        let target = match self.program.types.pointee(to.id) {
            Some(target) => target,
            None if self.program.types.is_reference(to.id) => self.program.types.strip_reference(to),
            None => {
                let message = format!(
                    "`dynamic_cast` gives a pointer or a reference to a class, not {}",
                    self.quote(to)
                );
                return self.fail(span, message);
            }
        };
        if target.id != Types::VOID && self.program.types.as_class(target.id).is_none() {
            let message = format!(
                "`dynamic_cast` gives a pointer or a reference to a class, not {}",
                self.quote(to)
            );
            return self.fail(span, message);
        }
        if self.is_poisoned(expression) || !self.require_complete(target.id, span, "`dynamic_cast` to") {
            return self.poison(span);
        }
        let (ty, category) = self.category_for(to);
        self.program
            .add(ExpressionKind::Unsupported("`dynamic_cast`".into()), ty, category, span)
    }

    /// The way from a derived class to a base for a downcast, which may not lead over a virtual base.
    fn downcast_path(&mut self, derived: ClassId, base: ClassId, span: Span) -> Option<Vec<ClassId>> {
        let BasePath::Unique(path) = base_path(&self.program, derived, base) else {
            return None;
        };
        let mut class = derived;
        for &step in &path {
            let direct = self
                .program
                .class(class)
                .bases
                .iter()
                .find(|direct| direct.class == step);
            if direct.is_some_and(|direct| direct.is_virtual) {
                self.context.error(
                    span,
                    "a cast from a virtual base to a derived class needs `dynamic_cast`, which is not supported",
                );
                return Some(path);
            }
            class = step;
        }
        Some(path)
    }

    /// The inverses of standard conversions ([expr.static.cast]/7 to 13).
    fn static_scalar(
        &mut self,
        expression: ExpressionId,
        to: QualifiedType,
        casting: Casting,
        span: Span,
    ) -> Option<ExpressionId> {
        let from = self.type_of(expression);
        let (source, target) = (
            self.program.types.get(from.id).clone(),
            self.program.types.get(to.id).clone(),
        );
        match (&source, &target) {
            (Type::Enum(_), Type::Integer(_) | Type::Float(_) | Type::Bool | Type::Enum(_))
            | (Type::Integer(_) | Type::Float(_) | Type::Bool, Type::Enum(_)) => {
                let value = self.load(expression);
                let value = match (&source, &target) {
                    (Type::Float(_), Type::Enum(_)) => {
                        let underlying = self.underlying(to.id);
                        self.convert_arithmetic(value, underlying)
                    }
                    (_, Type::Enum(_)) if self.underlying(to.id) == Types::BOOL => {
                        self.convert_arithmetic(value, Types::BOOL)
                    }
                    _ => value,
                };
                Some(self.convert_arithmetic(value, to.id))
            }
            (Type::Pointer(a), &Type::Pointer(b)) => self.static_pointer(expression, *a, b, to, casting, span),
            (Type::Vector(element, _), &Type::Vector(other, _)) if element == &other => None,
            (Type::MemberPointer { class: derived, .. }, &Type::MemberPointer { class: base, pointee })
                if *derived != base =>
            {
                let BasePath::Unique(path) = base_path(&self.program, *derived, base) else {
                    return None;
                };
                let value = self.load(expression);
                let _ = pointee;
                Some(self.cast(CastKind::MemberPointerToBase(path), value, to.unqualified()))
            }
            _ => None,
        }
    }

    fn underlying(&self, id: TypeId) -> TypeId {
        self.program
            .types
            .as_enum(id)
            .map_or(id, |enumeration| self.program.enumeration(enumeration).underlying)
    }

    /// `void *` to object pointer, base pointer to derived.
    fn static_pointer(
        &mut self,
        expression: ExpressionId,
        from: QualifiedType,
        pointee: QualifiedType,
        to: QualifiedType,
        casting: Casting,
        span: Span,
    ) -> Option<ExpressionId> {
        let keeps = significant(&self.program.types, pointee).contains(significant(&self.program.types, from));
        if !keeps && casting == Casting::Named {
            return None;
        }
        let is_function = self.program.types.as_function(pointee.id).is_some();
        if from.id == Types::VOID && !is_function {
            let value = self.load(expression);
            return Some(self.cast(CastKind::Pointer, value, to.unqualified()));
        }
        self.complete_type(from.id);
        self.complete_type(pointee.id);
        let (base, derived) = (
            self.program.types.as_class(from.id)?,
            self.program.types.as_class(pointee.id)?,
        );
        if base == derived || base_path(&self.program, derived, base) == BasePath::None {
            return None;
        }
        let path = self.downcast_path(derived, base, span)?;
        let value = self.load(expression);
        Some(self.cast(CastKind::BaseToDerived(path), value, to.unqualified()))
    }

    /// `const_cast<to>(expression)` ([expr.const.cast]).
    fn const_cast(&mut self, expression: ExpressionId, to: QualifiedType, span: Span) -> Option<ExpressionId> {
        let _ = span;
        let from = self.type_of(expression);
        match *self.program.types.get(to.id) {
            Type::Pointer(_) | Type::MemberPointer { .. } => {
                let value = self.decay(expression);
                let similar = is_similar(&self.program.types, self.type_of(value).id, to.id);
                similar.then(|| self.cast(CastKind::Pointer, value, to.unqualified()))
            }
            Type::LValueReference(referent) => {
                let fits = self.is_lvalue(expression) && is_similar(&self.program.types, from.id, referent.id);
                fits.then(|| self.cast_glvalue(CastKind::NoOperation, expression, referent, ValueCategory::LValue))
            }
            Type::RValueReference(referent) => {
                if !is_similar(&self.program.types, from.id, referent.id) {
                    return None;
                }
                let object = self.materialised(expression);
                Some(self.cast_glvalue(CastKind::NoOperation, object, referent, ValueCategory::XValue))
            }
            _ => None,
        }
    }

    /// `reinterpret_cast<to>(expression)` ([expr.reinterpret.cast]).
    fn reinterpret_cast(
        &mut self,
        expression: ExpressionId,
        to: QualifiedType,
        casting: Casting,
        span: Span,
    ) -> Option<ExpressionId> {
        if self.is_poisoned(expression) {
            return Some(expression);
        }
        match *self.program.types.get(to.id) {
            Type::LValueReference(referent) => {
                return self.reinterpret_reference(expression, referent, ValueCategory::LValue, casting);
            }
            Type::RValueReference(referent) => {
                return self.reinterpret_reference(expression, referent, ValueCategory::XValue, casting);
            }
            _ => {}
        }
        let value = self.decay(expression);
        let from = self.type_of(value);
        let (source, target) = (
            self.program.types.get(from.id).clone(),
            self.program.types.get(to.id).clone(),
        );
        let to = to.unqualified();
        match (&source, &target) {
            _ if from.id == to.id => Some(value),
            (Type::Pointer(a), Type::Pointer(b)) => {
                let drops = !significant(&self.program.types, *b).contains(significant(&self.program.types, *a));
                if drops && casting == Casting::Named {
                    return None;
                }
                Some(self.cast(CastKind::Pointer, value, to))
            }
            (Type::Pointer(_), Type::Integer(_)) => {
                let size = self.program.size_of(to.id);
                if size < 8 && casting == Casting::Named {
                    let message = format!("a pointer does not fit {}, which has {size} bytes", self.quote(to));
                    self.context.error(span, message);
                    return Some(self.poison(span));
                }
                let wide = self.cast(CastKind::PointerToIntegral, value, Types::UNSIGNED_LONG);
                Some(self.convert_arithmetic(wide, to.id))
            }
            (Type::NullPointer, Type::Integer(_)) => Some(self.integer(0, to.id, span)),
            (_, Type::Pointer(_))
                if integer_kind(&self.program, from.id).is_some() || self.program.types.is_integral(from.id) =>
            {
                let signed = integer_kind(&self.program, from.id).is_some_and(|kind| kind.is_signed());
                let wide = self.convert_arithmetic(value, if signed { Types::LONG } else { Types::UNSIGNED_LONG });
                Some(self.cast(CastKind::IntegralToPointer, wide, to))
            }
            (Type::MemberPointer { .. }, Type::MemberPointer { .. }) => {
                Some(self.cast(CastKind::MemberPointer, value, to))
            }
            (Type::Vector(..), Type::Vector(..)) if self.program.size_of(from.id) == self.program.size_of(to.id) => {
                Some(self.cast(CastKind::Bit, value, to))
            }
            _ => None,
        }
    }

    /// `reinterpret_cast<T &>(lvalue)`: `*reinterpret_cast<T *>(&lvalue)`.
    fn reinterpret_reference(
        &mut self,
        expression: ExpressionId,
        referent: QualifiedType,
        category: ValueCategory,
        casting: Casting,
    ) -> Option<ExpressionId> {
        if !self.category_of(expression).is_glvalue() || self.is_bit_field(expression) {
            return None;
        }
        let from = self.type_of(expression);
        let keeps = significant(&self.program.types, referent).contains(significant(&self.program.types, from));
        if !keeps && casting == Casting::Named {
            return None;
        }
        Some(self.cast_glvalue(CastKind::Reinterpret, expression, referent, category))
    }

    /// `T(arguments)`, `T{…}` ([expr.type.conv]).
    pub(super) fn functional_cast(
        &mut self,
        type_id: ast::Id<ast::TypeId>,
        initializer: &'a ast::Initializer,
        span: Span,
    ) -> ExpressionId {
        let ty = self.type_of_type_id(type_id);
        if let Some(&template) = self.placeholders.get(&ty.id) {
            return match initializer {
                ast::Initializer::Parenthesized(arguments) => {
                    let Some(operands) = self.operands(arguments) else {
                        return self.poison(span);
                    };
                    self.construct_deduced(template, &operands, span)
                }
                &ast::Initializer::Braced(list) | &ast::Initializer::Equal(list) => {
                    let operand = self.operand(list);
                    self.construct_deduced_list(template, &operand, span)
                }
            };
        }
        match initializer {
            ast::Initializer::Parenthesized(arguments) => {
                let Some(operands) = self.operands(arguments) else {
                    return self.poison(span);
                };
                self.construct_type(ty, &operands, span)
            }
            &ast::Initializer::Braced(list) | &ast::Initializer::Equal(list) => {
                let operand = self.operand(list);
                let value = self.with_narrowing(self.narrowing_of_cast(ty), |sema| {
                    sema.convert_permitted(&operand, ty, Permit::DIRECT, "this value")
                });
                self.spanned(value, span)
            }
        }
    }

    /// What a list that narrows is in `T{…}`.
    fn narrowing_of_cast(&self, ty: QualifiedType) -> NarrowingPolicy {
        match self.program.types.is_scalar(ty.id) {
            true => NarrowingPolicy::WarnUnlessConstant,
            false => NarrowingPolicy::Reject,
        }
    }

    /// `T(operands)` for a type that is known: one operand is a cast, none or several direct-initialisation.
    pub(crate) fn construct_type(&mut self, ty: QualifiedType, operands: &[Operand<'a>], span: Span) -> ExpressionId {
        if ty.id == Types::ERROR || operands.iter().any(|operand| self.operand_is_poisoned(operand)) {
            return self.poison(span);
        }
        if self.contains_placeholder(ty) {
            let [operand] = operands else {
                return self.fail(span, "`auto(…)` takes one value");
            };
            let Some(deduced) = self.auto_from_operand(ty, operand, span) else {
                return self.poison(span);
            };
            return self.direct_initialise(deduced, operands, span, "this value");
        }
        match operands {
            [operand] if self.program.types.as_class(ty.id).is_none() && !matches!(operand, Operand::List(_)) => {
                self.cast_operand(ast::CastKind::CStyle, operand, ty, span)
            }
            _ => {
                let value = self.direct_initialise(ty, operands, span, "this value");
                self.spanned(value, span)
            }
        }
    }

    fn spanned(&mut self, value: ExpressionId, span: Span) -> ExpressionId {
        if matches!(
            self.program.expression(value).kind,
            ExpressionKind::Construct { .. } | ExpressionKind::Aggregate { .. } | ExpressionKind::Zero
        ) {
            self.program.expression_mut(value).span = span;
        }
        value
    }

    /// `(T){…}`: in C++ a prvalue, which GNU makes an object that lives to the end of the full expression.
    pub(super) fn compound_literal(
        &mut self,
        type_id: ast::Id<ast::TypeId>,
        initializer: ast::Id<ast::Expression>,
        span: Span,
    ) -> ExpressionId {
        let ty = self.type_of_type_id(type_id);
        let operand = self.operand(initializer);
        if ty.id == Types::ERROR {
            return self.poison(span);
        }
        let value = self.convert_permitted(&operand, ty, Permit::DIRECT, "this value");
        if self.is_poisoned(value) {
            return value;
        }
        let object = self.materialise_for(value, Lifetime::FullExpression);
        self.program.expression_mut(object).category = ValueCategory::LValue;
        object
    }

    /// `__builtin_bit_cast(T, x)` ([bit.cast]).
    pub(super) fn bit_cast(
        &mut self,
        type_id: ast::Id<ast::TypeId>,
        operand: ast::Id<ast::Expression>,
        span: Span,
    ) -> ExpressionId {
        let to = self.type_of_type_id(type_id);
        let operand = self.expression(operand);
        if to.id == Types::ERROR || self.is_poisoned(operand) {
            return self.poison(span);
        }
        if !self.require_complete(to.id, span, "bit cast to") {
            return self.poison(span);
        }
        let from = self.type_of(operand);
        let (a, b) = (self.program.size_of(from.id), self.program.size_of(to.id));
        if a != b {
            let message = format!(
                "a bit cast keeps the size, but {} has {a} bytes and {} has {b}",
                self.quote(from),
                self.quote(to)
            );
            return self.fail(span, message);
        }
        if !self.is_trivially_copyable(from.id) || !self.is_trivially_copyable(to.id) {
            return self.fail(span, "both types of a bit cast must be trivially copyable");
        }
        let value = if self.program.types.is_scalar(from.id) {
            self.load(operand)
        } else if self.category_of(operand).is_glvalue() {
            self.cast(CastKind::LValueToRValue, operand, from.unqualified())
        } else {
            operand
        };
        self.cast(CastKind::Bit, value, to.unqualified())
    }
}
