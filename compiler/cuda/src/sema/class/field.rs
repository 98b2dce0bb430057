//! Non-static data members, bit fields, anonymous unions ([class.mem], [class.bit], [class.union]).

use crate::hir::{self, ClassId, FieldIndex, QualifiedType, Type, Types};
use crate::sema::entity::{FieldInfo, IndirectField};
use crate::sema::scope::ScopeKind;
use crate::sema::{Entity, IndirectFieldId, Sema};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast;

impl<'a> Sema<'a> {
    pub(super) fn declare_field(
        &mut self,
        class: ClassId,
        specifiers: ast::Id<ast::Specifiers>,
        base: QualifiedType,
        declarator: &'a ast::InitDeclarator,
    ) {
        let ast = self.ast;
        let node = &ast[specifiers];
        let written = &ast[declarator.declarator];
        let name = match written.name {
            None => None,
            Some(id) => match ast[id].as_identifier() {
                Some(name) => Some(name),
                None => {
                    self.error(ast[id].span, "a member is declared by a plain name");
                    return;
                }
            },
        };
        if name.is_none() && declarator.bit_width.is_none() {
            if base.id != Types::ERROR {
                self.error(declarator.span, "this declaration declares nothing");
            }
            return;
        }
        let span = written.name.map_or(declarator.span, |name| ast[name].span);
        let ty = self.declarator_type(base, declarator.declarator).ty;
        let Some(ty) = self.check_field_type(class, ty, name, span) else {
            if let Some(name) = name {
                self.declare_member(name, Entity::Error, span);
            }
            return;
        };
        let attributes = node.attributes.iter().chain(&written.attributes);
        let (memory, memory_span) = self.memory_space(attributes.clone());
        self.check_memory_of_field(memory, memory_span);
        let bit_width = declarator.bit_width.and_then(|width| self.bit_width(width, ty, name));
        let own_alignment = self.alignment(attributes.clone());
        let of_typedef = self.typedef_alignment(specifiers, declarator.declarator);
        let alignment = own_alignment.max(of_typedef);
        let packed = attributes
            .clone()
            .any(|attribute| matches!(attribute.kind, ast::AttributeKind::Packed));
        let field = hir::Field {
            name: name.map(|name| self.shared(name)),
            ty,
            bit_width,
            alignment,
            mutable: node.storage == ast::StorageClass::Mutable,
            // A typedef's alignment stands in place of the type's, also where it is less.
            packed: packed || of_typedef.is_some(),
            no_unique_address: attributes
                .clone()
                .any(|attribute| matches!(attribute.kind, ast::AttributeKind::NoUniqueAddress)),
            span,
        };
        if field.mutable && (ty.is_const() || self.program.types.is_reference(ty.id)) {
            self.error(span, "a `mutable` member is neither `const` nor a reference");
        }
        let index = self.add_field(class, field, name, declarator.initializer.as_ref());
        if let Some(name) = name {
            self.declare_field_name(name, Entity::Field(class, index), span);
        }
    }
    pub(crate) fn add_field(
        &mut self,
        class: ClassId,
        field: hir::Field,
        name: Option<Symbol>,
        initialiser: Option<&'a ast::Initializer>,
    ) -> FieldIndex {
        let access = self.access;
        let index = FieldIndex(self.program.class(class).fields.len() as u32);
        self.program.class_mut(class).fields.push(field);
        self.classes[class.index()].fields.push(FieldInfo {
            name,
            access,
            initialiser,
        });
        index
    }
    fn declare_field_name(&mut self, name: Symbol, entity: Entity, span: Span) {
        let clash = self
            .scopes
            .get(self.scope)
            .get(name)
            .iter()
            .find(|declared| !declared.entity.is_tag() && !declared.from_using)
            .copied();
        if let Some(declared) = clash {
            let message = format!("there is a member `{}` already", self.text(name));
            self.emit(Report::error(span, message).note_at(declared.span, "declared here"));
            return;
        }
        if let ScopeKind::Class(class) = self.scopes.kind(self.scope)
            && self.classes[class.index()].name == Some(name)
            && self.classes[class.index()].has_declared_constructor
        {
            let message = format!(
                "a member cannot have the name of its class, `{}`, as that has constructors",
                self.text(name)
            );
            self.error(span, message);
            return;
        }
        self.declare_member(name, entity, span);
    }
    /// What a member can be.
    fn check_field_type(
        &mut self,
        class: ClassId,
        ty: QualifiedType,
        name: Option<Symbol>,
        span: Span,
    ) -> Option<QualifiedType> {
        let what = format!("member `{}`", name.map_or("", |name| self.text(name)));
        if ty.id == Types::ERROR {
            return None;
        }
        if self.contains_placeholder(ty) {
            self.error(span, format!("the type of {what} cannot be deduced"));
            return None;
        }
        match self.program.types.get(ty.id) {
            Type::Void | Type::Function(_) => {
                let message = format!("{what} cannot be of type `{}`", self.show(ty));
                self.error(span, message);
                return None;
            }
            Type::Array(element, None) => {
                let element = *element;
                if !self.complete_type(element.id) {
                    self.report_incomplete(element, span, &what);
                    return None;
                }
                return Some(ty);
            }
            _ => {}
        }
        if !self.complete_type(ty.id) {
            self.report_incomplete(ty, span, &what);
            return None;
        }
        if let Some(member_class) = self.program.types.as_class(self.element_of_arrays(ty).id)
            && !self.check_not_abstract(member_class, span, &what)
        {
            return None;
        }
        let _ = class;
        Some(ty)
    }
    fn bit_width(&mut self, width: ast::Id<ast::Expression>, ty: QualifiedType, name: Option<Symbol>) -> Option<u32> {
        let span = self.ast[width].span;
        if !self.program.types.is_integral(ty.id) && self.program.types.as_enum(ty.id).is_none() {
            let message = format!("a bit field is of integer or enumeration type, not `{}`", self.show(ty));
            self.error(span, message);
            return None;
        }
        let value = self.constant_int(width)?;
        let bits = self.program.size_of(ty.id) as i128 * 8;
        if value < 0 || value == 0 && name.is_some() {
            self.error(span, "the width of a bit field is greater than zero");
            return None;
        }
        if value > bits {
            let message = format!("this width is greater than the {bits} bits of `{}`", self.show(ty));
            self.emit(Report::warning(span, message));
            return Some(bits as u32);
        }
        Some(value as u32)
    }
    /// `union { … };` or (as an extension) `struct { … };`: its members are named as members of the class around.
    pub(super) fn anonymous_member(&mut self, class: ClassId, ty: QualifiedType, span: Span) {
        let Some(inner) = self.program.types.as_class(ty.id) else {
            return;
        };
        self.classes[inner.index()].anonymous = true;
        let field = hir::Field {
            name: None,
            ty,
            bit_width: None,
            alignment: None,
            mutable: false,
            packed: false,
            no_unique_address: false,
            span,
        };
        let index = self.add_field(class, field, None, None);
        self.declare_indirect(class, inner, &[index]);
    }
    fn declare_indirect(&mut self, class: ClassId, inner: ClassId, path: &[FieldIndex]) {
        for place in 0..self.program.class(inner).fields.len() {
            let field = &self.program.class(inner).fields[place];
            let (ty, span, width) = (field.ty, field.span, field.bit_width);
            let mut path = path.to_vec();
            path.push(FieldIndex(place as u32));
            match self.classes[inner.index()].fields[place].name {
                Some(name) => {
                    let id = IndirectFieldId(self.indirect_fields.len() as u32);
                    self.indirect_fields.push(IndirectField { class, path });
                    self.declare_field_name(name, Entity::IndirectField(id), span);
                }
                None => {
                    if let Some(nested) = self.program.types.as_class(ty.id).filter(|_| width.is_none()) {
                        self.declare_indirect(class, nested, &path);
                    }
                }
            }
        }
    }
    /// A typedef names an unnamed class or enumeration for linkage ([dcl.typedef]/9).
    pub(crate) fn name_unnamed(&mut self, ty: QualifiedType, name: Symbol) {
        let shared = self.shared(name);
        match *self.program.types.get(ty.id) {
            Type::Class(class) => {
                let class = self.program.class_mut(class);
                if class.name.is_none() && class.typedef_name.is_none() && class.lambda.is_none() {
                    class.typedef_name = Some(shared);
                }
            }
            Type::Enum(enumeration) => {
                let enumeration = self.program.enumeration_mut(enumeration);
                if enumeration.name.is_none() && enumeration.typedef_name.is_none() {
                    enumeration.typedef_name = Some(shared);
                }
            }
            _ => {}
        }
    }
}
