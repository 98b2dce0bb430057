//! What constructors do before their bodies ([class.base.init]), and inherited constructors.

use crate::hir::{
    ClassId, ClassKind, ExpressionId, ExpressionKind, FieldIndex, FunctionId, MemberInitialiser, MemberTarget,
    QualifiedType,
};
use crate::sema::entity::{Callable, Candidate, Definition, SpecialMember};
use crate::sema::lookup::Wanted;
use crate::sema::template::pack::Pattern;
use crate::sema::{Entity, ExceptionSource, Found, Sema};
use crate::source::{Report, Span};
use crate::syntax::ast;

/// A member initialiser that was written.
struct Written {
    target: MemberTarget,
    value: ExpressionId,
    span: Span,
}

impl<'a> Sema<'a> {
    /// All that a constructor initialises, in order; in the scope of its parameters.
    pub(crate) fn constructor_initialisers(
        &mut self,
        function: FunctionId,
        list: &'a [ast::ConstructorInitializer],
    ) -> Vec<MemberInitialiser> {
        let Some(class) = self.functions[function.index()].class else {
            return Vec::new();
        };
        let mut written: Vec<Written> = Vec::new();
        for initializer in list {
            if initializer.pack_expansion {
                let pattern = Pattern::ConstructorInitializer(initializer);
                let all = self.expand(pattern, initializer.span, |sema| {
                    sema.written_initialiser(class, initializer)
                });
                written.extend(all.into_iter().flatten().flatten());
            } else {
                written.extend(self.written_initialiser(class, initializer));
            }
        }
        self.check_doublets(&written);
        if let Some(whole) = written.iter().find(|written| written.target == MemberTarget::Whole) {
            if written.len() > 1 {
                self.error(whole.span, "a delegating constructor initialises nothing else");
            }
            return vec![MemberInitialiser {
                target: MemberTarget::Whole,
                value: whole.value,
            }];
        }
        self.initialise_parts(function, class, written)
    }
    fn check_doublets(&mut self, written: &[Written]) {
        for (index, one) in written.iter().enumerate() {
            if let Some(before) = written[..index].iter().find(|before| before.target == one.target) {
                let report = Report::error(one.span, "this is initialised twice");
                let before = before.span;
                self.emit(report.note_at(before, "first here"));
            }
        }
    }
    fn written_initialiser(&mut self, class: ClassId, initializer: &'a ast::ConstructorInitializer) -> Option<Written> {
        let ast = self.ast;
        let name = &ast[initializer.name];
        if let Some(symbol) = name.as_identifier() {
            let scope = self.classes[class.index()].scope;
            let field = self
                .scopes
                .get(scope)
                .get(symbol)
                .iter()
                .find_map(|declared| match declared.entity {
                    Entity::Field(_, field) => Some(vec![field]),
                    Entity::IndirectField(id) => Some(self.indirect_fields[id.0 as usize].path.clone()),
                    _ => None,
                });
            if let Some(path) = field {
                return self.written_field(class, &path, initializer);
            }
        }
        let lookup = self.lookup_wanted(initializer.name, Wanted::Type);
        let ty = match lookup.found {
            Found::Type(ty) => ty,
            Found::Error => return None,
            Found::Template(_) => {
                // A base template's injected name is found in the base; this one is another.
                self.error(name.span, "this is no base: it has no template arguments");
                return None;
            }
            _ => {
                let text = self.name_text(initializer.name);
                let message = format!(
                    "`{}` has no member or base `{text}` to initialise",
                    self.class_name(class)
                );
                let mut report = Report::error(name.span, message);
                if let Some(symbol) = name.as_identifier()
                    && let Some(similar) = self.similar_member(class, symbol)
                {
                    report = report.note(format!("did you mean `{}`?", self.text(similar)));
                }
                self.emit(report);
                return None;
            }
        };
        let target_class = self.program.types.as_class(ty.id);
        let target = match target_class {
            Some(target) if target == class => MemberTarget::Whole,
            Some(target) if self.is_initialisable_base(class, target) => MemberTarget::Base(target),
            _ => {
                let message = format!("`{}` is no direct base of `{}`", self.show(ty), self.class_name(class));
                self.error(name.span, message);
                return None;
            }
        };
        let what = format!("base `{}`", self.show(ty));
        let value = self.initialise(ty, Some(&initializer.initializer), initializer.span, &what);
        Some(Written {
            target,
            value,
            span: initializer.span,
        })
    }
    fn is_initialisable_base(&self, class: ClassId, base: ClassId) -> bool {
        self.classes[class.index()].bases.iter().any(|info| info.class == base)
            || self.program.virtual_bases(class).contains(&base)
    }
    fn written_field(
        &mut self,
        class: ClassId,
        path: &[FieldIndex],
        initializer: &'a ast::ConstructorInitializer,
    ) -> Option<Written> {
        let mut holder = class;
        for &step in &path[..path.len() - 1] {
            let ty = self.program.class(holder).fields[step.index()].ty;
            holder = self.program.types.as_class(ty.id)?;
        }
        let last = *path.last()?;
        let field = &self.program.class(holder).fields[last.index()];
        let ty = field.ty;
        let what = format!("member `{}`", field.name.as_deref().unwrap_or_default());
        let value = self.initialise(ty, Some(&initializer.initializer), initializer.span, &what);
        let target = match path {
            [only] => MemberTarget::Field(*only),
            [outer, inner] => MemberTarget::Path(*outer, *inner),
            _ => {
                self.not_supported(
                    initializer.span,
                    "the initialisation of a member of an anonymous union in an anonymous union",
                );
                return None;
            }
        };
        Some(Written {
            target,
            value,
            span: initializer.span,
        })
    }
    /// Bases and fields in order: as written, by their own initialisers, or by default.
    fn initialise_parts(
        &mut self,
        function: FunctionId,
        class: ClassId,
        mut written: Vec<Written>,
    ) -> Vec<MemberInitialiser> {
        let span = self.program.function(function).span;
        let mut result = Vec::new();
        let mut bases = self.program.virtual_bases(class);
        bases.extend(
            self.program
                .class(class)
                .bases
                .iter()
                .filter(|base| !base.is_virtual)
                .map(|base| base.class),
        );
        let mut take = |target: MemberTarget| {
            let place = written.iter().position(|written| written.target == target)?;
            Some(written.swap_remove(place).value)
        };
        for base in bases {
            let target = MemberTarget::Base(base);
            let value = match take(target) {
                Some(value) => Some(value),
                None => {
                    let ty = self.class_type(base).unqualified();
                    let what = format!("base `{}`", self.show(ty));
                    Some(self.initialise(ty, None, span, &what))
                }
            };
            result.extend(
                value
                    .filter(|&value| !self.does_nothing(value))
                    .map(|value| MemberInitialiser { target, value }),
            );
        }
        let is_union = self.program.class(class).kind == ClassKind::Union;
        let mut union_done = false;
        for index in 0..self.program.class(class).fields.len() {
            let field = FieldIndex(index as u32);
            let target = MemberTarget::Field(field);
            if let Some(value) = take(target) {
                union_done = true;
                if !self.does_nothing(value) {
                    result.push(MemberInitialiser { target, value });
                }
                continue;
            }
            let inner_count = result.len();
            self.take_inner(class, field, &mut take, &mut result);
            if result.len() > inner_count || is_union && union_done {
                continue;
            }
            let value = match self.default_member_initialiser(class, field) {
                Some(value) => {
                    union_done = true;
                    Some(value)
                }
                None if is_union => None,
                None => self.default_field(class, field, span),
            };
            result.extend(
                value
                    .filter(|&value| !self.does_nothing(value))
                    .map(|value| MemberInitialiser { target, value }),
            );
        }
        result
    }
    /// Initialisers of members of an anonymous union or struct.
    fn take_inner(
        &mut self,
        class: ClassId,
        field: FieldIndex,
        take: &mut impl FnMut(MemberTarget) -> Option<ExpressionId>,
        result: &mut Vec<MemberInitialiser>,
    ) {
        let node = &self.program.class(class).fields[field.index()];
        if node.name.is_some() {
            return;
        }
        let Some(inner) = self.program.types.as_class(node.ty.id) else {
            return;
        };
        let is_union = self.program.class(inner).kind == ClassKind::Union;
        let mut any = false;
        for index in 0..self.program.class(inner).fields.len() {
            let place = FieldIndex(index as u32);
            let target = MemberTarget::Path(field, place);
            let value = match take(target) {
                Some(value) => Some(value),
                None if is_union && any => None,
                None => self.default_member_initialiser(inner, place),
            };
            if let Some(value) = value {
                any = true;
                result.push(MemberInitialiser { target, value });
            }
        }
    }
    fn default_field(&mut self, class: ClassId, field: FieldIndex, span: Span) -> Option<ExpressionId> {
        let node = &self.program.class(class).fields[field.index()];
        // Of an anonymous union nothing is initialised by default ([class.base.init]/9).
        if node.name.is_none()
            && let Some(inner) = self.program.types.as_class(node.ty.id)
            && self.program.class(inner).kind == ClassKind::Union
        {
            return None;
        }
        let (ty, name, declared, width) = (node.ty, node.name.clone(), node.span, node.bit_width);
        let text = name.as_deref().unwrap_or_default().to_string();
        if width.is_some() && name.is_none() {
            return None;
        }
        if self.program.types.is_reference(ty.id) {
            let report = Report::error(
                span,
                format!("this constructor does not initialise the reference `{text}`"),
            );
            self.emit(report.note_at(declared, "declared here"));
            return None;
        }
        let element = self.element_of_arrays(ty);
        if self.program.types.as_class(element.id).is_none() {
            if element.is_const() {
                let report = Report::error(
                    span,
                    format!("this constructor does not initialise the `const` member `{text}`"),
                );
                self.emit(report.note_at(declared, "declared here"));
            }
            return None;
        }
        if matches!(self.program.types.get(ty.id), crate::hir::Type::Array(_, None)) {
            return None;
        }
        let what = format!("member `{text}`");
        Some(self.initialise(ty, None, span, &what))
    }
    /// Whether an initialisation leaves its object alone.
    fn does_nothing(&self, value: ExpressionId) -> bool {
        matches!(self.program.expression(value).kind, ExpressionKind::Uninitialised)
    }
    /// `using B::B;`: a constructor for each of the base's but copy and move ([class.inhctor.init]). The default one serves where the class has none of its own.
    pub(crate) fn inherit_constructors(&mut self, class: ClassId, base: ClassId, span: Span) {
        if !self.classes[class.index()].bases.iter().any(|info| info.class == base) {
            let message = format!(
                "`{}` is no direct base: its constructors cannot be inherited",
                self.class_name(base)
            );
            self.error(span, message);
            return;
        }
        for candidate in self.constructors(base) {
            match candidate.callable {
                Callable::Function(function) => {
                    let special = self.functions[function.index()].special;
                    let copies = matches!(
                        special,
                        Some(SpecialMember::CopyConstructor | SpecialMember::MoveConstructor)
                    );
                    if !copies {
                        self.inherit_constructor(class, base, function, candidate);
                    }
                }
                Callable::Template(template) => {
                    let inherited = self.inherit_constructor_template(class, template);
                    self.classes[class.index()].inherited_constructors.push(Candidate {
                        callable: Callable::Template(inherited),
                        access: candidate.access,
                        naming: Some(class),
                        through_using: None,
                    });
                }
            }
        }
    }
    fn inherit_constructor(&mut self, class: ClassId, base: ClassId, function: FunctionId, candidate: Candidate) {
        let _ = base;
        let id = self.inheriting_function(class, function);
        self.classes[class.index()].inherited_constructors.push(Candidate {
            callable: Callable::Function(id),
            access: candidate.access,
            naming: Some(class),
            through_using: None,
        });
    }
    /// A constructor of a class that hands its arguments to a base's.
    pub(crate) fn inheriting_function(&mut self, class: ClassId, function: FunctionId) -> FunctionId {
        let mut copy = self.program.function(function).clone();
        copy.scope = crate::hir::Scope::Class(class);
        copy.body = None;
        copy.parameters = Vec::new();
        copy.linkage = crate::hir::Linkage::OnceOnly;
        copy.is_defaulted = false;
        copy.is_trivial = false;
        let scope = self.classes[class.index()].scope;
        let symbol = self.classes[class.index()].name.unwrap_or(crate::source::names::EMPTY);
        let id = self.in_scope(scope, |sema| sema.add_function(copy, symbol));
        let (defaults, names, access) = {
            let info = &self.functions[function.index()];
            (info.defaults.clone(), info.parameter_names.clone(), info.access)
        };
        let info = &mut self.functions[id.index()];
        info.class = Some(class);
        info.access = access;
        info.defaults = defaults;
        info.parameter_names = names;
        info.inherits = Some(function);
        info.exceptions = ExceptionSource::Parts;
        info.definition = Definition::Implicit;
        id
    }
    /// What an inheriting constructor does: the base's constructor with its own parameters, all else by default.
    pub(super) fn inherited_initialisers(
        &mut self,
        function: FunctionId,
        inherited: FunctionId,
        parameters: &[ExpressionId],
    ) -> Vec<MemberInitialiser> {
        let (Some(class), Some(base)) = (
            self.functions[function.index()].class,
            self.functions[inherited.index()].class,
        ) else {
            return Vec::new();
        };
        let span = self.program.function(function).span;
        self.use_function(inherited, span);
        let ty: QualifiedType = self.class_type(base).unqualified();
        let construct = ExpressionKind::Construct {
            constructor: inherited,
            arguments: parameters.to_vec(),
            zero_first: false,
        };
        let value = self.program.add_value(construct, ty, span);
        let direct = self.classes[class.index()].bases.iter().any(|info| info.class == base);
        let mut written = Vec::new();
        if direct {
            written.push(Written {
                target: MemberTarget::Base(base),
                value,
                span,
            });
        }
        self.initialise_parts(function, class, written)
    }
}
