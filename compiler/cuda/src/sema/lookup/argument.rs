//! Argument-dependent look-up ([basic.lookup.argdep]).

use smallvec::SmallVec;

use crate::hir::{ClassId, QualifiedType, TemplateArgument, Type};
use crate::sema::entity::{Callable, Candidate};
use crate::sema::scope::{ScopeId, ScopeKind};
use crate::sema::template::TemplateKind;
use crate::sema::{Entity, Sema};
use crate::source::Symbol;

/// The classes and namespaces that types bring in.
#[derive(Default)]
struct Associated {
    classes: SmallVec<[ClassId; 8]>,
    namespaces: SmallVec<[ScopeId; 8]>,
}

impl<'a> Sema<'a> {
    /// The functions that argument-dependent look-up adds ([basic.lookup.argdep]), hidden friends among them.
    pub fn lookup_argument_dependent(&mut self, name: Symbol, arguments: &[QualifiedType]) -> Vec<Candidate> {
        let mut associated = Associated::default();
        for &argument in arguments {
            self.associate_type(argument, &mut associated, 0);
        }
        let mut found: Vec<Candidate> = Vec::new();
        let mut seen: rustc_hash::FxHashSet<Callable> = Default::default();
        let mut add = |callable: Callable| {
            if seen.insert(callable) {
                found.push(Candidate::new(callable));
            }
        };
        for &namespace in &associated.namespaces {
            for declared in self.scopes.get(namespace).get(name) {
                match declared.entity {
                    _ if declared.hidden => {}
                    Entity::Function(function) => add(Callable::Function(function)),
                    Entity::Template(template) if self.template(template).kind == TemplateKind::Function => {
                        add(Callable::Template(template))
                    }
                    _ => {}
                }
            }
        }
        for &class in &associated.classes {
            for &(friend, callable) in &self.classes[class.index()].hidden_friends {
                if friend == name {
                    add(callable);
                }
            }
        }
        found
    }
    fn associate_type(&mut self, ty: QualifiedType, associated: &mut Associated, depth: usize) {
        if depth > 32 {
            return;
        }
        match self.program.types.get(ty.id).clone() {
            Type::Pointer(to) | Type::LValueReference(to) | Type::RValueReference(to) | Type::Array(to, _) => {
                self.associate_type(to, associated, depth + 1);
            }
            Type::Function(function) => {
                self.associate_type(function.result, associated, depth + 1);
                for parameter in function.parameters {
                    self.associate_type(parameter, associated, depth + 1);
                }
            }
            Type::MemberPointer { class, pointee } => {
                self.associate_class(class, associated, depth + 1);
                self.associate_type(pointee, associated, depth + 1);
            }
            Type::Class(class) => {
                self.complete_class(class);
                self.associate_class(class, associated, depth + 1);
                if let Some(arguments) = self.program.class(class).template_arguments.clone() {
                    self.associate_arguments(&arguments, associated, depth + 1);
                }
            }
            Type::Enum(enumeration) => {
                let scope = self.enum_scopes[enumeration.index()];
                self.associate_around(scope, associated);
            }
            Type::Error
            | Type::Auto
            | Type::DecltypeAuto
            | Type::Void
            | Type::NullPointer
            | Type::Bool
            | Type::Integer(_)
            | Type::Float(_)
            | Type::Vector(..) => {}
        }
    }
    fn associate_arguments(&mut self, arguments: &[TemplateArgument], associated: &mut Associated, depth: usize) {
        for argument in arguments {
            match argument {
                TemplateArgument::Type(ty) => self.associate_type(*ty, associated, depth + 1),
                TemplateArgument::Value(..) => {}
                TemplateArgument::Template(name) => {
                    if let Some(&template) = self.template_names.get(name) {
                        self.associate_around(self.template(template).scope, associated);
                    }
                }
                TemplateArgument::Pack(list) => self.associate_arguments(list, associated, depth + 1),
            }
        }
    }
    fn associate_class(&mut self, class: ClassId, associated: &mut Associated, depth: usize) {
        if associated.classes.contains(&class) || depth > 64 {
            return;
        }
        associated.classes.push(class);
        let scope = self.classes[class.index()].scope;
        self.associate_around(scope, associated);
        for index in 0..self.classes[class.index()].bases.len() {
            let base = self.classes[class.index()].bases[index].class;
            self.associate_class(base, associated, depth + 1);
        }
    }
    /// The innermost class (of a member class) and namespace around a scope; of an inline namespace those around it and all their inline namespaces.
    fn associate_around(&mut self, scope: ScopeId, associated: &mut Associated) {
        if let Some(parent) = self.scopes.get(scope).parent
            && let Some(outer) = self.scopes.class_around(parent)
            && !associated.classes.contains(&outer)
        {
            associated.classes.push(outer);
        }
        let mut namespace = self.scopes.namespace_around(scope);
        while let ScopeKind::Namespace { inline: true, .. } = self.scopes.kind(namespace)
            && let Some(parent) = self.scopes.get(namespace).parent
        {
            namespace = parent;
        }
        let mut work: SmallVec<[ScopeId; 4]> = SmallVec::new();
        work.push(namespace);
        while let Some(namespace) = work.pop() {
            if !associated.namespaces.contains(&namespace) {
                associated.namespaces.push(namespace);
                work.extend(self.scopes.get(namespace).inline_children.iter().copied());
            }
        }
    }
}
