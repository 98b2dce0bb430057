//! Deduction of placeholder types ([dcl.type.auto.deduct]).

use crate::hir::{QualifiedType, Type, Types, ValueCategory};
use crate::sema::Sema;
use crate::sema::template::DeductionOperand;

impl<'a> Sema<'a> {
    /// Deduces the `auto` in a type from an operand, as a template's parameter `T` in its place would be; `None` if it cannot be.
    ///
    /// ```text
    /// auto, const int → int     const auto &, int → const int &     auto &&, lvalue int → int &     auto *, int [3] → int *
    /// ```
    pub fn deduce_auto(&mut self, pattern: QualifiedType, operand: &DeductionOperand<'a>) -> Option<QualifiedType> {
        let (ty, category) = match operand {
            &DeductionOperand::Typed(ty, category) => (ty, category),
            DeductionOperand::Error => return Some(Types::ERROR.into()),
            DeductionOperand::List(elements) => return self.deduce_auto_list(pattern, elements),
            DeductionOperand::Overloads(..) => return None,
        };
        if ty.id == Types::VOID && self.program.types.is_reference(pattern.id) {
            return None;
        }
        match *self.program.types.get(pattern.id) {
            Type::RValueReference(to) if to == Types::AUTO.unqualified() => {
                let types = &mut self.program.types;
                let id = if category == ValueCategory::LValue {
                    types.lvalue_reference(ty)
                } else {
                    types.rvalue_reference(ty)
                };
                Some(id.into())
            }
            Type::LValueReference(to) => {
                let deduced = self.match_placeholder(to, ty)?;
                let to = self.replace_placeholder(to, deduced);
                Some(QualifiedType {
                    id: self.program.types.lvalue_reference(to),
                    qualifiers: pattern.qualifiers,
                })
            }
            Type::RValueReference(to) => {
                let deduced = self.match_placeholder(to, ty)?;
                let to = self.replace_placeholder(to, deduced);
                Some(QualifiedType {
                    id: self.program.types.rvalue_reference(to),
                    qualifiers: pattern.qualifiers,
                })
            }
            _ => {
                let value = self.decayed_value_type(ty).unqualified();
                let deduced = self.match_placeholder(pattern.unqualified(), value)?;
                let replaced = self.replace_placeholder(pattern, deduced);
                Some(replaced)
            }
        }
    }

    /// `auto x = {…}`: an `std::initializer_list` of what the elements agree on. There must be such a template.
    fn deduce_auto_list(&mut self, pattern: QualifiedType, elements: &[DeductionOperand<'a>]) -> Option<QualifiedType> {
        let mut found: Option<QualifiedType> = None;
        for element in elements {
            let ty = self.deduce_auto(Types::AUTO.into(), element)?;
            if found.is_some_and(|found| found != ty) {
                return None;
            }
            found = Some(ty);
        }
        let list = self.initializer_list_of(found?)?;
        let deduced = self.match_placeholder(pattern.unqualified(), list)?;
        Some(self.replace_placeholder(pattern, deduced))
    }

    /// What `auto` is in a pattern that fits a type.
    fn match_placeholder(&mut self, pattern: QualifiedType, ty: QualifiedType) -> Option<QualifiedType> {
        if pattern.id == Types::AUTO {
            let qualifiers = self.program.types.qualifiers_of(pattern);
            if qualifiers.is_empty() {
                return Some(ty);
            }
            return Some(self.without_qualifiers(ty, qualifiers));
        }
        match (
            self.program.types.get(pattern.id).clone(),
            self.program.types.get(ty.id).clone(),
        ) {
            (Type::Pointer(pattern), Type::Pointer(to)) => self.match_placeholder(pattern, to),
            (Type::Array(pattern, m), Type::Array(element, n)) if m.is_none() || m == n => {
                self.match_placeholder(pattern, element)
            }
            (Type::MemberPointer { pointee: pattern, .. }, Type::MemberPointer { pointee, .. }) => {
                self.match_placeholder(pattern, pointee)
            }
            (Type::LValueReference(pattern), Type::LValueReference(to))
            | (Type::RValueReference(pattern), Type::RValueReference(to)) => self.match_placeholder(pattern, to),
            (Type::Function(pattern), Type::Function(function)) => {
                self.match_placeholder(pattern.result, function.result)
            }
            _ if !self.contains_placeholder(pattern) => Some(ty),
            _ => None,
        }
    }

    /// A pattern with `auto` replaced.
    fn replace_placeholder(&mut self, pattern: QualifiedType, auto: QualifiedType) -> QualifiedType {
        let id = match self.program.types.get(pattern.id).clone() {
            Type::Auto => return self.program.types.qualify(auto, pattern.qualifiers),
            Type::Pointer(to) => {
                let to = self.replace_placeholder(to, auto);
                self.program.types.pointer(to)
            }
            Type::LValueReference(to) => {
                let to = self.replace_placeholder(to, auto);
                self.program.types.lvalue_reference(to)
            }
            Type::RValueReference(to) => {
                let to = self.replace_placeholder(to, auto);
                self.program.types.rvalue_reference(to)
            }
            Type::Array(element, count) => {
                let element = self.replace_placeholder(element, auto);
                self.program.types.array(element, count)
            }
            Type::MemberPointer { class, pointee } => {
                let pointee = self.replace_placeholder(pointee, auto);
                self.program.types.member_pointer(class, pointee)
            }
            Type::Function(mut function) => {
                function.result = self.replace_placeholder(function.result, auto);
                self.program.types.function(function)
            }
            _ => pattern.id,
        };
        QualifiedType {
            id,
            qualifiers: pattern.qualifiers,
        }
    }
}
