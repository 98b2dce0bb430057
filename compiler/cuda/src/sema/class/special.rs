//! Special member functions: which are there, trivial, deleted ([special], [class.copy], [class.dtor]).

use crate::hir::{
    self, ClassId, ClassKind, ExecutionSpace, FunctionId, FunctionName, FunctionType, InlineHint, Linkage,
    OperatorName, QualifiedType, Type, Types,
};
use crate::sema::entity::{Callable, Candidate, DefaultArgument, Definition, SpecialMember};
use crate::sema::scope::{Access, Declared};
use crate::sema::{Entity, ExceptionSource, Sema};

/// What is known of one special member of a class.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpecialInfo {
    /// It is there: declared, or declared implicitly.
    pub exists: bool,
    /// The function: declared by the user, or made for an implicit one when first needed.
    pub function: Option<FunctionId>,
    /// The user declared it.
    pub user_declared: bool,
    /// It does nothing that copying bytes, or nothing at all, would not do.
    pub trivial: bool,
    /// It is deleted.
    pub deleted: bool,
}

const ALL: [SpecialMember; 6] = [
    SpecialMember::DefaultConstructor,
    SpecialMember::CopyConstructor,
    SpecialMember::MoveConstructor,
    SpecialMember::CopyAssignment,
    SpecialMember::MoveAssignment,
    SpecialMember::Destructor,
];

impl<'a> Sema<'a> {
    /// What is known of a special member of a complete class.
    pub fn special_info(&mut self, class: ClassId, which: SpecialMember) -> SpecialInfo {
        self.complete_class(class);
        self.classes[class.index()].specials[which as usize]
    }
    /// The special member as declared or implicit; `None` if there is none.
    pub fn special_member(&mut self, class: ClassId, which: SpecialMember) -> Option<FunctionId> {
        let info = self.special_info(class, which);
        if !info.exists {
            return None;
        }
        Some(match info.function {
            Some(function) => function,
            None => self.make_implicit(class, which, info),
        })
    }
    /// Whether default-initialisation does nothing.
    pub fn has_trivial_default_constructor(&mut self, class: ClassId) -> bool {
        let info = self.special_info(class, SpecialMember::DefaultConstructor);
        info.exists && info.trivial && !info.deleted
    }
    /// At the end of a class: which special members it has, and what its typed program must know of them.
    pub(super) fn compute_special_members(&mut self, class: ClassId) {
        let mut specials = [SpecialInfo::default(); 6];
        self.find_declared(class, &mut specials);
        let declared = |which: SpecialMember| specials[which as usize].user_declared;
        let moves = declared(SpecialMember::MoveConstructor) || declared(SpecialMember::MoveAssignment);
        let copies = declared(SpecialMember::CopyConstructor) || declared(SpecialMember::CopyAssignment);
        let destructor = declared(SpecialMember::Destructor);
        let any_constructor = self.classes[class.index()].has_declared_constructor;
        let closure = self.program.class(class).lambda.is_some();
        for which in ALL {
            let implicit = match which {
                SpecialMember::DefaultConstructor => !any_constructor && !closure,
                SpecialMember::CopyConstructor | SpecialMember::CopyAssignment | SpecialMember::Destructor => true,
                SpecialMember::MoveConstructor | SpecialMember::MoveAssignment => !moves && !copies && !destructor,
            };
            let (trivial, deleted) = self.implicit_properties(class, which);
            let info = &mut specials[which as usize];
            if let Some(function) = info.function {
                let node = self.program.function(function);
                let defaulted = node.is_defaulted && !self.functions[function.index()].user_provided_after();
                info.exists = true;
                info.deleted = node.is_deleted || node.is_defaulted && deleted;
                info.trivial = defaulted && trivial;
                let (is_deleted, is_trivial) = (info.deleted, info.trivial);
                let node = self.program.function_mut(function);
                node.is_deleted = is_deleted;
                node.is_trivial = is_trivial;
                if defaulted {
                    self.functions[function.index()].user_provided = false;
                }
            } else if implicit {
                info.exists = true;
                info.trivial = trivial;
                info.deleted =
                    deleted || moves && matches!(which, SpecialMember::CopyConstructor | SpecialMember::CopyAssignment);
                info.deleted |= closure && which == SpecialMember::CopyAssignment;
                // An implicit move that would be deleted is not there: copies serve ([class.copy.ctor]/10).
                if info.deleted && matches!(which, SpecialMember::MoveConstructor | SpecialMember::MoveAssignment) {
                    info.exists = false;
                }
            }
        }
        self.classes[class.index()].specials = specials;
        self.set_class_properties(class);
    }
    /// Special members that the user declared.
    fn find_declared(&mut self, class: ClassId, specials: &mut [SpecialInfo; 6]) {
        let mut functions: Vec<FunctionId> = Vec::new();
        for candidate in &self.classes[class.index()].constructors {
            if let Callable::Function(function) = candidate.callable {
                functions.push(function);
            }
        }
        let scope = self.classes[class.index()].scope;
        let assignment = self.operator_symbol(crate::syntax::ast::OperatorName::Assign);
        for declared in self.scopes.get(scope).get(assignment) {
            if let Entity::Function(function) = declared.entity
                && !declared.from_using
            {
                functions.push(function);
            }
        }
        functions.extend(self.classes[class.index()].destructor);
        for function in functions {
            let Some(which) = self.special_of_declared(class, function) else {
                continue;
            };
            let info = &mut specials[which as usize];
            info.user_declared = true;
            // Of several copy operations the one that takes a constant counts.
            let constant = self
                .program
                .types
                .as_function(self.program.function(function).ty)
                .and_then(|ty| ty.parameters.first().copied())
                .is_some_and(|parameter| self.program.types.strip_reference(parameter).is_const());
            if info.function.is_none() || constant {
                info.function = Some(function);
            }
        }
    }
    /// Which special member a declared function is, with default arguments in mind.
    fn special_of_declared(&self, class: ClassId, function: FunctionId) -> Option<SpecialMember> {
        let node = self.program.function(function);
        let info = &self.functions[function.index()];
        if node.name != FunctionName::Constructor {
            return info.special;
        }
        let ty = self.program.types.as_function(node.ty)?;
        let default_from = |from: usize| {
            info.defaults[from.min(info.defaults.len())..]
                .iter()
                .all(|default| !matches!(default, DefaultArgument::None))
        };
        if default_from(0) {
            return Some(SpecialMember::DefaultConstructor);
        }
        let class_type = self.class_type(class);
        match *self.program.types.get(ty.parameters.first()?.id) {
            Type::LValueReference(to) if to.id == class_type && default_from(1) => Some(SpecialMember::CopyConstructor),
            Type::RValueReference(to) if to.id == class_type && default_from(1) => Some(SpecialMember::MoveConstructor),
            _ => None,
        }
    }
    /// Whether the implicit version of a special member would be trivial, and whether it would be deleted.
    fn implicit_properties(&mut self, class: ClassId, which: SpecialMember) -> (bool, bool) {
        let node = self.program.class(class);
        let is_union = node.kind == ClassKind::Union;
        let sets_table = self.classes[class.index()].polymorphic && which != SpecialMember::Destructor;
        let mut trivial = !sets_table && !self.program.has_virtual_bases(class);
        let mut deleted = false;
        let bases: Vec<ClassId> = node.bases.iter().map(|base| base.class).collect();
        let fields: Vec<(QualifiedType, bool)> = node
            .fields
            .iter()
            .map(|field| field.ty)
            .zip(
                self.classes[class.index()]
                    .fields
                    .iter()
                    .map(|info| info.initialiser.is_some()),
            )
            .collect();
        if which == SpecialMember::Destructor
            && let Some(declared) = self.virtual_destructor(&bases)
        {
            trivial &= !declared;
        }
        let variant_initialised = is_union && fields.iter().any(|&(_, initialised)| initialised);
        for base in bases {
            self.add_subobject(class, base, which, &mut trivial, &mut deleted, false);
        }
        for (ty, initialised) in fields {
            let element = self.element_of_arrays(ty);
            let is_reference = self.program.types.is_reference(ty.id);
            match which {
                SpecialMember::DefaultConstructor => {
                    if initialised {
                        trivial = false;
                        continue;
                    }
                    deleted |= is_reference && !is_union;
                    deleted |= element.is_const() && !is_union && !self.const_default_ok(element);
                }
                SpecialMember::CopyAssignment | SpecialMember::MoveAssignment => {
                    let constant = element.is_const()
                        && match self.program.types.as_class(element.id) {
                            Some(class) => !self.assigns_to_constants(class),
                            None => true,
                        };
                    deleted |= is_reference || constant;
                }
                SpecialMember::CopyConstructor => {
                    deleted |= matches!(self.program.types.get(ty.id), Type::RValueReference(_))
                }
                SpecialMember::MoveConstructor | SpecialMember::Destructor => {}
            }
            if let Some(member) = self.program.types.as_class(element.id) {
                let ignore = is_union && which == SpecialMember::DefaultConstructor && variant_initialised;
                if !ignore {
                    self.add_subobject(class, member, which, &mut trivial, &mut deleted, is_union);
                }
            }
        }
        (trivial, deleted)
    }
    /// Whether an `operator=` of a class can be called on a constant object.
    fn assigns_to_constants(&mut self, class: ClassId) -> bool {
        let symbol = self.operator_symbol(crate::syntax::ast::OperatorName::Assign);
        let scope = self.classes[class.index()].scope;
        self.scopes
            .get(scope)
            .get(symbol)
            .iter()
            .any(|declared| match declared.entity {
                Entity::Function(function) => {
                    let ty = self.program.types.as_function(self.program.function(function).ty);
                    ty.is_some_and(|ty| ty.qualifiers.contains(hir::Qualifiers::CONST))
                }
                _ => true,
            })
    }
    fn virtual_destructor(&mut self, bases: &[ClassId]) -> Option<bool> {
        let mut found = None;
        for &base in bases {
            let info = self.special_info(base, SpecialMember::Destructor);
            if let Some(function) = info.function
                && self.program.function(function).is_virtual
            {
                found = Some(true);
            }
        }
        found
    }
    fn const_default_ok(&mut self, ty: QualifiedType) -> bool {
        let Some(class) = self.program.types.as_class(ty.id) else {
            return false;
        };
        let info = self.special_info(class, SpecialMember::DefaultConstructor);
        match info.function {
            Some(function) => {
                self.functions[function.index()].user_provided || self.program.class(class).fields.is_empty()
            }
            None => {
                self.program.class(class).fields.is_empty()
                    || self.classes[class.index()]
                        .fields
                        .iter()
                        .all(|field| field.initialiser.is_some())
            }
        }
    }
    fn add_subobject(
        &mut self,
        class: ClassId,
        part: ClassId,
        which: SpecialMember,
        trivial: &mut bool,
        deleted: &mut bool,
        variant: bool,
    ) {
        let mut info = self.special_info(part, which);
        if !info.exists {
            match which {
                SpecialMember::MoveConstructor => info = self.special_info(part, SpecialMember::CopyConstructor),
                SpecialMember::MoveAssignment => info = self.special_info(part, SpecialMember::CopyAssignment),
                SpecialMember::DefaultConstructor => {
                    // Perhaps a template serves, or a constructor that the class inherits.
                    let candidates = self.classes[part.index()].constructors.iter();
                    let mut templates = candidates.filter(|it| matches!(it.callable, Callable::Template(_)));
                    let inherited = self.classes[part.index()].inherited_constructors.iter();
                    let mut defaults = inherited.filter(|it| match it.callable {
                        Callable::Function(function) => self.is_default_constructor(function),
                        Callable::Template(_) => true,
                    });
                    let other = templates.next().is_some() || defaults.next().is_some();
                    *trivial = false;
                    *deleted |= !other;
                    return;
                }
                SpecialMember::CopyConstructor | SpecialMember::CopyAssignment | SpecialMember::Destructor => {}
            }
        }
        *trivial &= info.trivial && !info.deleted;
        *deleted |= info.deleted || variant && !info.trivial;
        if let Some(function) = info.function
            && self.functions[function.index()].access == Access::Private
            && !self.is_friend_class(part, class)
        {
            *deleted = true;
        }
        // Objects are destroyed if a constructor fails, so the destructor has to be there as well.
        if matches!(
            which,
            SpecialMember::DefaultConstructor | SpecialMember::CopyConstructor | SpecialMember::MoveConstructor
        ) {
            *deleted |= self.special_info(part, SpecialMember::Destructor).deleted;
        }
    }
    /// Whether members of a class, or of a class that it is nested in, may name private members of another.
    fn is_friend_class(&self, of: ClassId, class: ClassId) -> bool {
        let mut around = Some(class);
        while let Some(class) = around {
            let instance = self.classes[class.index()].instance.as_ref();
            let is_friend = self.classes[of.index()].friends.iter().any(|friend| match *friend {
                crate::sema::Friend::Class(friend) => friend == class,
                crate::sema::Friend::Template(friend) => instance.is_some_and(|instance| instance.template == friend),
                crate::sema::Friend::Function(_) | crate::sema::Friend::Member { .. } => false,
            });
            if of == class || is_friend {
                return true;
            }
            let scope = self.classes[class.index()].scope;
            around = self
                .scopes
                .get(scope)
                .parent
                .and_then(|parent| self.scopes.class_around(parent));
        }
        false
    }
    /// What the typed program knows of a class's special members.
    fn set_class_properties(&mut self, class: ClassId) {
        let specials = self.classes[class.index()].specials;
        let of = |which: SpecialMember| specials[which as usize];
        let usable = |which: SpecialMember| of(which).exists && !of(which).deleted;
        let operations = [
            SpecialMember::CopyConstructor,
            SpecialMember::MoveConstructor,
            SpecialMember::CopyAssignment,
            SpecialMember::MoveAssignment,
        ];
        let destructor = of(SpecialMember::Destructor);
        let all_trivial = operations.iter().all(|&which| !usable(which) || of(which).trivial);
        let trivially_copyable =
            all_trivial && operations.iter().any(|&which| usable(which)) && destructor.trivial && !destructor.deleted;
        let constructors = [SpecialMember::CopyConstructor, SpecialMember::MoveConstructor];
        let all_deleted = constructors.iter().all(|&which| !usable(which));
        let non_trivial =
            constructors.iter().any(|&which| usable(which) && !of(which).trivial) || !destructor.trivial || all_deleted;
        let aggregate = self.is_aggregate(class);
        let pod_for_layout = self.is_pod_for_layout(class, &specials);
        let entry = self.program.class_mut(class);
        entry.pod_for_layout = pod_for_layout;
        entry.trivially_copyable = trivially_copyable;
        entry.non_trivial_for_calls = non_trivial;
        entry.aggregate = aggregate;
        entry.destructor = if destructor.deleted {
            hir::Destructor::Deleted
        } else {
            hir::Destructor::Trivial
        };
        if !destructor.trivial
            && !destructor.deleted
            && let Some(function) = self.special_member(class, SpecialMember::Destructor)
        {
            self.program.class_mut(class).destructor = hir::Destructor::Function(function);
        }
    }
    /// Whether a class has a constructor that makes it no aggregate: in C++17 one that the user provides or that is explicit, in C++20 any that the user declares.
    fn has_constructor_of_users(&self, class: ClassId) -> bool {
        let constructors = &self.classes[class.index()].constructors;
        constructors.iter().any(|candidate| match candidate.callable {
            Callable::Function(function) => {
                let node = self.program.function(function);
                self.options.cpp20 || !(node.is_defaulted || node.is_deleted) || node.is_explicit
            }
            Callable::Template(_) => true,
        })
    }
    /// Whether all members are public; bit fields without a name do not count.
    fn fields_are_public(&self, class: ClassId) -> bool {
        let fields = &self.program.class(class).fields;
        fields
            .iter()
            .zip(&self.classes[class.index()].fields)
            .all(|(field, info)| info.access == Access::Public || field.name.is_none() && field.bit_width.is_some())
    }
    /// What the members say of whether a class is a POD in the sense of C++03, whose tail padding nothing shares (Itanium C++ ABI 1.1, "POD for the purpose of
    /// layout"; which members count is what nvcc and GCC show). Bases, virtual functions and the types of fields are for the layout to judge.
    fn is_pod_for_layout(&self, class: ClassId, specials: &[SpecialInfo; 6]) -> bool {
        let operations = [
            SpecialMember::CopyAssignment,
            SpecialMember::MoveAssignment,
            SpecialMember::Destructor,
        ];
        let provided = operations.iter().any(|&which| {
            let info = &specials[which as usize];
            info.user_declared
                && info.function.is_some_and(|function| {
                    let node = self.program.function(function);
                    !(node.is_defaulted || node.is_deleted)
                })
        });
        let info = &self.classes[class.index()];
        !provided
            && !self.has_constructor_of_users(class)
            && self.fields_are_public(class)
            && info.fields.iter().all(|field| field.initialiser.is_none())
            && self.program.class(class).lambda.is_none()
    }
    /// [dcl.init.aggr]/1.
    fn is_aggregate(&self, class: ClassId) -> bool {
        let info = &self.classes[class.index()];
        !self.has_constructor_of_users(class)
            && info.inherited_constructors.is_empty()
            && !info.polymorphic
            && info
                .bases
                .iter()
                .all(|base| base.access == Access::Public && !base.is_virtual)
            && self.fields_are_public(class)
            && self.program.class(class).lambda.is_none()
    }
    /// Declares all implicit members as functions: overload resolution asks for them.
    pub(crate) fn declare_implicit_members(&mut self, class: ClassId) {
        let info = &self.classes[class.index()];
        if info.implicit_declared
            || !matches!(
                info.state,
                crate::sema::ClassState::Complete | crate::sema::ClassState::Failed
            )
        {
            return;
        }
        self.classes[class.index()].implicit_declared = true;
        for which in ALL {
            if which != SpecialMember::Destructor {
                self.special_member(class, which);
            }
        }
    }
    /// Makes the function of an implicit special member.
    fn make_implicit(&mut self, class: ClassId, which: SpecialMember, info: SpecialInfo) -> FunctionId {
        let class_type = self.class_type(class);
        let object = class_type.unqualified();
        let constant = self.program.types.lvalue_reference(class_type.constant()).unqualified();
        let moved = self.program.types.rvalue_reference(object).unqualified();
        let reference = self.program.types.lvalue_reference(object).unqualified();
        let void = Types::VOID.unqualified();
        let constant = match self.copies_take_constant(class, which) {
            true => constant,
            false => reference,
        };
        let (name, result, parameters) = match which {
            SpecialMember::DefaultConstructor => (FunctionName::Constructor, void, vec![]),
            SpecialMember::CopyConstructor => (FunctionName::Constructor, void, vec![constant]),
            SpecialMember::MoveConstructor => (FunctionName::Constructor, void, vec![moved]),
            SpecialMember::CopyAssignment => (FunctionName::Operator(OperatorName::Equal), reference, vec![constant]),
            SpecialMember::MoveAssignment => (FunctionName::Operator(OperatorName::Equal), reference, vec![moved]),
            SpecialMember::Destructor => (FunctionName::Destructor, void, vec![]),
        };
        let ty = self.program.types.function(FunctionType::new(result, parameters));
        let span = self.program.class(class).span;
        let mut function = hir::Function::new(name, hir::Scope::Class(class), ty, span);
        function.has_this = true;
        function.space = ExecutionSpace {
            host: true,
            device: true,
            global: false,
        };
        function.linkage = Linkage::OnceOnly;
        function.inline = InlineHint::Inline;
        function.is_constexpr = true;
        function.is_defaulted = true;
        function.is_deleted = info.deleted;
        function.is_trivial = info.trivial;
        if which == SpecialMember::Destructor {
            let bases: Vec<ClassId> = self.program.class(class).bases.iter().map(|base| base.class).collect();
            function.is_virtual = self.virtual_destructor(&bases) == Some(true);
        }
        let scope = self.classes[class.index()].scope;
        let symbol = match which {
            SpecialMember::CopyAssignment | SpecialMember::MoveAssignment => {
                self.operator_symbol(crate::syntax::ast::OperatorName::Assign)
            }
            _ => self.classes[class.index()].name.unwrap_or(crate::source::names::EMPTY),
        };
        let is_virtual = function.is_virtual;
        let id = self.in_scope(scope, |sema| sema.add_function(function, symbol));
        let entry = &mut self.functions[id.index()];
        entry.class = Some(class);
        entry.special = Some(which);
        entry.user_provided = false;
        entry.exceptions = ExceptionSource::Parts;
        entry.definition = Definition::Implicit;
        self.classes[class.index()].specials[which as usize].function = Some(id);
        match which {
            SpecialMember::Destructor => {
                self.classes[class.index()].destructor = Some(id);
                if is_virtual {
                    self.program.class_mut(class).methods.push(id);
                }
            }
            SpecialMember::CopyAssignment | SpecialMember::MoveAssignment => {
                if is_virtual {
                    self.program.class_mut(class).methods.push(id);
                }
                let declared = Declared {
                    entity: Entity::Function(id),
                    order: 0,
                    span,
                    access: Access::Public,
                    hidden: false,
                    from_using: false,
                };
                self.scopes.declare(scope, symbol, declared);
            }
            SpecialMember::DefaultConstructor | SpecialMember::CopyConstructor | SpecialMember::MoveConstructor => {
                let candidate = Candidate {
                    callable: Callable::Function(id),
                    access: Access::Public,
                    naming: Some(class),
                    through_using: None,
                };
                self.classes[class.index()].constructors.push(candidate);
            }
        }
        id
    }
    /// Whether an implicit copy takes `const X &`: all parts' copies do ([class.copy.ctor]/7).
    fn copies_take_constant(&mut self, class: ClassId, which: SpecialMember) -> bool {
        if !matches!(which, SpecialMember::CopyConstructor | SpecialMember::CopyAssignment) {
            return true;
        }
        let mut parts: Vec<ClassId> = self.program.class(class).bases.iter().map(|base| base.class).collect();
        for field in self
            .program
            .class(class)
            .fields
            .iter()
            .map(|field| field.ty)
            .collect::<Vec<_>>()
        {
            parts.extend(self.program.types.as_class(self.element_of_arrays(field).id));
        }
        parts.into_iter().all(|part| {
            let info = self.special_info(part, which);
            let parameter = info.function.and_then(|function| {
                let ty = self.program.types.as_function(self.program.function(function).ty)?;
                ty.parameters.first().copied()
            });
            parameter.is_none_or(|parameter| {
                !self.program.types.is_reference(parameter.id)
                    || self.program.types.strip_reference(parameter).is_const()
            })
        })
    }
    /// Why a function is deleted, if it is because of what its class is made of.
    pub(crate) fn why_deleted(&mut self, function: FunctionId) -> Option<String> {
        let info = &self.functions[function.index()];
        let (class, which) = (info.class?, info.special?);
        if !self.program.function(function).is_defaulted {
            return None;
        }
        for base in self.program.class(class).bases.clone() {
            if self.special_info(base.class, which).deleted {
                return Some(format!(
                    "the one of its base `{}` is deleted",
                    self.class_name(base.class)
                ));
            }
        }
        for field in self.program.class(class).fields.clone() {
            let name = field.name.as_deref().unwrap_or("(unnamed)").to_string();
            let element = self.element_of_arrays(field.ty);
            if self.program.types.is_reference(field.ty.id) && which != SpecialMember::CopyConstructor {
                return Some(format!("its member `{name}` is a reference"));
            }
            if element.is_const()
                && matches!(
                    which,
                    SpecialMember::CopyAssignment | SpecialMember::MoveAssignment | SpecialMember::DefaultConstructor
                )
            {
                return Some(format!("its member `{name}` is `const`"));
            }
            if let Some(part) = self.program.types.as_class(element.id) {
                let special = self.special_info(part, which);
                if special.deleted || !special.exists {
                    return Some(format!(
                        "its member `{name}` of type `{}` has none that could be called",
                        self.show(element)
                    ));
                }
            }
        }
        let moves = [SpecialMember::MoveConstructor, SpecialMember::MoveAssignment];
        moves
            .iter()
            .any(|&which| self.classes[class.index()].specials[which as usize].user_declared)
            .then(|| "the class declares a move operation".to_string())
    }
}
