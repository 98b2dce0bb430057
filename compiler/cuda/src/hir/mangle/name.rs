//! Names of entities: nested, local, unscoped.

use super::super::pattern::ArgumentPattern;
use super::super::{
    CallOperator, ClassId, EnumId, FunctionId, FunctionName, LanguageLinkage, Linkage, Namespace, NamespaceId,
    Qualifiers, RefQualifier, Scope, TemplateArgument, Type, VariableId,
};
use super::{Mangler, SymbolVariant, operator_code, unit};

/// The arguments behind a name.
#[derive(Clone, Copy)]
pub(super) enum Arguments<'p> {
    /// It is no specialisation.
    None,
    /// Those of a specialisation.
    Known(&'p [TemplateArgument]),
    /// With template parameters in them.
    Pattern(&'p [ArgumentPattern]),
}

/// What the host's compilers call unnamed namespaces.
const HOST_UNNAMED: &str = "_GLOBAL__N_1";

impl<'a> Mangler<'a> {
    /// A function's name and type.
    pub(super) fn encoding(&mut self, id: FunctionId, variant: SymbolVariant) {
        let program = self.program;
        let function = program.function(id);
        if function.language == LanguageLinkage::C
            && !matches!(function.scope, Scope::Class(_))
            && let FunctionName::Identifier(name) = &function.name
        {
            return self.source_name(name);
        }
        let Some(ty) = program.types.as_function(function.ty) else {
            return;
        };
        let (qualifiers, reference) = match function.has_this {
            true => (ty.qualifiers, ty.reference),
            false => (Qualifiers::NONE, RefQualifier::None),
        };
        let arguments = function
            .template_arguments
            .as_deref()
            .map_or(Arguments::None, Arguments::Known);
        self.name(
            function.scope,
            qualifiers,
            reference,
            arguments,
            &|mangler: &mut Mangler<'a>| {
                mangler.function_unqualified(id, variant);
            },
        );
        let special = matches!(
            function.name,
            FunctionName::Constructor | FunctionName::Destructor | FunctionName::Conversion(_)
        );
        match (&function.template_arguments, &function.template_signature) {
            (Some(_), Some(signature)) => {
                let level = self.templates_around(function.scope) + 1;
                let around = std::mem::replace(&mut self.level, level);
                if !special {
                    self.pattern(&signature.result);
                }
                if signature.parameters.is_empty() && !signature.variadic {
                    self.out.push('v');
                }
                for parameter in &signature.parameters {
                    self.pattern(parameter);
                }
                if signature.variadic {
                    self.out.push('z');
                }
                self.level = around;
            }
            (arguments, _) => {
                if arguments.is_some() && !special {
                    self.qualified(ty.result);
                }
                self.parameters(ty);
            }
        }
    }

    fn function_unqualified(&mut self, id: FunctionId, variant: SymbolVariant) {
        let program = self.program;
        let function = program.function(id);
        match &function.name {
            FunctionName::Identifier(name) => {
                if self.for_host && function.linkage == Linkage::Internal && self.is_in_named_namespace(function.scope)
                {
                    self.out.push('L');
                }
                self.source_name(name);
            }
            FunctionName::Operator(operator) => {
                let parameters = program
                    .types
                    .as_function(function.ty)
                    .map_or(0, |ty| ty.parameters.len());
                self.out
                    .push_str(operator_code(*operator, parameters + usize::from(function.has_this)));
            }
            FunctionName::Conversion(ty) => {
                self.out.push_str("cv");
                match &function.template_signature {
                    Some(signature) => self.pattern(&signature.result),
                    None => self.qualified(*ty),
                }
            }
            FunctionName::Literal(suffix) => {
                self.out.push_str("li");
                self.source_name(suffix);
            }
            FunctionName::Constructor => self.out.push_str(match variant {
                SymbolVariant::Complete | SymbolVariant::Deleting => "C1",
                SymbolVariant::Base => "C2",
            }),
            FunctionName::Destructor => self.out.push_str(match variant {
                SymbolVariant::Complete => "D1",
                SymbolVariant::Base => "D2",
                SymbolVariant::Deleting => "D0",
            }),
        }
    }

    /// A variable's name, without `_Z`.
    pub(super) fn variable_name(&mut self, id: VariableId) {
        let variable = self.program.variable(id);
        let name = variable.name.as_deref().unwrap_or_default();
        let arguments = variable
            .template_arguments
            .as_deref()
            .map_or(Arguments::None, Arguments::Known);
        self.name(
            variable.scope,
            Qualifiers::NONE,
            RefQualifier::None,
            arguments,
            &|mangler: &mut Mangler<'a>| {
                mangler.source_name(name);
            },
        );
        if matches!(variable.scope, Scope::Function(_)) {
            self.discriminator(variable.discriminator);
        }
    }

    /// Of the second and later local entities of a name.
    fn discriminator(&mut self, number: u32) {
        match number.checked_sub(1) {
            None => {}
            Some(number @ 0..10) => self.out.push_str(&format!("_{number}")),
            Some(number) => self.out.push_str(&format!("__{number}_")),
        }
    }

    /// A class's name where a type is wanted.
    pub(super) fn class_full_name(&mut self, id: ClassId) {
        let class = self.program.class(id);
        if let Some(code) = self.standard_class(id) {
            self.out.push_str(code);
            return;
        }
        let arguments = class
            .template_arguments
            .as_deref()
            .map_or(Arguments::None, Arguments::Known);
        self.name(
            class.scope,
            Qualifiers::NONE,
            RefQualifier::None,
            arguments,
            &|mangler: &mut Mangler<'a>| mangler.class_unqualified(id),
        );
        if matches!(class.scope, Scope::Function(_)) && (class.name.is_some() || class.typedef_name.is_some()) {
            self.discriminator(class.discriminator);
        }
    }

    /// `std::string` and the streams have codes of their own (5.1.10).
    fn standard_class(&self, id: ClassId) -> Option<&'static str> {
        let class = self.program.class(id);
        if !self.is_std(class.scope) {
            return None;
        }
        let arguments = class.template_arguments.as_deref()?;
        let first_is_char = matches!(arguments.first(), Some(TemplateArgument::Type(ty)) if ty.id == super::super::Types::CHAR && ty.qualifiers.is_empty());
        let is_standard = |argument: Option<&TemplateArgument>, name: &str| match argument {
            Some(TemplateArgument::Type(ty)) => match self.program.types.get(ty.id) {
                Type::Class(class) => {
                    let class = self.program.class(*class);
                    self.is_std(class.scope)
                        && class.name.as_deref() == Some(name)
                        && matches!(class.template_arguments.as_deref(), Some([TemplateArgument::Type(ty)]) if ty.id == super::super::Types::CHAR)
                }
                _ => false,
            },
            _ => false,
        };
        if !first_is_char || !is_standard(arguments.get(1), "char_traits") {
            return None;
        }
        match (class.name.as_deref()?, arguments.len()) {
            ("basic_string", 3) if is_standard(arguments.get(2), "allocator") => Some("Ss"),
            ("basic_istream", 2) => Some("Si"),
            ("basic_ostream", 2) => Some("So"),
            ("basic_iostream", 2) => Some("Sd"),
            _ => None,
        }
    }

    pub(super) fn enum_full_name(&mut self, id: EnumId) {
        let enumeration = self.program.enumeration(id);
        self.name(
            enumeration.scope,
            Qualifiers::NONE,
            RefQualifier::None,
            Arguments::None,
            &|mangler: &mut Mangler<'a>| match enumeration.name.as_ref().or(enumeration.typedef_name.as_ref()) {
                Some(name) => mangler.source_name(name),
                None => {
                    mangler.out.push_str("Ut");
                    mangler.decimal_sequence(enumeration.discriminator);
                }
            },
        );
        if matches!(enumeration.scope, Scope::Function(_)) && enumeration.name.is_some() {
            self.discriminator(enumeration.discriminator);
        }
    }

    pub(super) fn class_unqualified(&mut self, id: ClassId) {
        let program = self.program;
        let class = program.class(id);
        if let Some(name) = class.name.as_ref().or(class.typedef_name.as_ref()) {
            return match complex_code(name) {
                Some(code) => self.out.push_str(code),
                None => self.source_name(name),
            };
        }
        match &class.lambda {
            Some(operator) => {
                self.out.push_str("Ul");
                let level = self.templates_around(class.scope) + 1;
                let around = std::mem::replace(&mut self.level, level);
                self.closure_parameters(operator);
                self.level = around;
                self.out.push('E');
            }
            None => self.out.push_str("Ut"),
        }
        self.decimal_sequence(class.discriminator);
    }

    pub(super) fn closure_parameters(&mut self, operator: &CallOperator) {
        let program = self.program;
        match operator {
            CallOperator::Plain(function) => {
                if let Some(ty) = program.types.as_function(program.function(*function).ty) {
                    self.parameters(ty);
                }
            }
            CallOperator::Generic(parameters) => parameters.iter().for_each(|parameter| self.pattern(parameter)),
        }
    }

    /// How many specialisations of templates are around a scope.
    fn templates_around(&self, scope: Scope) -> u32 {
        match scope {
            Scope::Namespace(_) => 0,
            Scope::Class(id) => {
                let class = self.program.class(id);
                u32::from(class.template_arguments.is_some()) + self.templates_around(class.scope)
            }
            Scope::Function(id) => {
                let function = self.program.function(id);
                u32::from(function.template_arguments.is_some()) + self.templates_around(function.scope)
            }
        }
    }

    /// Whether a scope is the namespace `std`.
    fn is_std(&self, scope: Scope) -> bool {
        match scope {
            Scope::Namespace(id) => self.is_std_namespace(id),
            Scope::Class(_) | Scope::Function(_) => false,
        }
    }

    fn is_std_namespace(&self, id: NamespaceId) -> bool {
        let namespace = self.program.namespace(id);
        namespace.name.as_deref() == Some("std") && namespace.parent == Some(super::Program::GLOBAL)
    }

    /// The function in whose body an entity of a scope is.
    fn enclosing_function(&self, scope: Scope) -> Option<FunctionId> {
        let mut scope = scope;
        loop {
            match scope {
                Scope::Namespace(_) => return None,
                Scope::Function(function) => return Some(function),
                Scope::Class(class) => scope = self.program.class(class).scope,
            }
        }
    }

    /// A full name: local, nested or unscoped.
    pub(super) fn name(
        &mut self,
        scope: Scope,
        qualifiers: Qualifiers,
        reference: RefQualifier,
        arguments: Arguments<'_>,
        last: &dyn Fn(&mut Mangler<'a>),
    ) {
        if let Some(function) = self.enclosing_function(scope) {
            self.out.push('Z');
            self.encoding(function, SymbolVariant::Complete);
            self.out.push('E');
        }
        let nested = match scope {
            Scope::Function(_) => false,
            Scope::Class(_) => true,
            Scope::Namespace(namespace) => namespace != super::Program::GLOBAL && !self.is_std_namespace(namespace),
        };
        if !nested {
            return self.template_prefix(scope, arguments, last);
        }
        self.out.push('N');
        self.qualifiers(qualifiers);
        self.reference_qualifier(reference);
        self.template_prefix(scope, arguments, last);
        self.out.push('E');
    }

    /// Scopes and the last name; if there are arguments, what stands before them is a component.
    pub(super) fn template_prefix(&mut self, scope: Scope, arguments: Arguments<'_>, last: &dyn Fn(&mut Mangler<'a>)) {
        let write = |mangler: &mut Mangler<'a>| {
            mangler.prefix(scope);
            last(mangler);
        };
        match arguments {
            Arguments::None => write(self),
            Arguments::Known(arguments) => {
                self.template_component(scope, last);
                self.template_arguments(arguments);
            }
            Arguments::Pattern(arguments) => {
                self.template_component(scope, last);
                self.argument_patterns(arguments);
            }
        }
    }

    fn template_component(&mut self, scope: Scope, last: &dyn Fn(&mut Mangler<'a>)) {
        let text = self.key(|mangler| last(mangler));
        if self.is_std(scope) && !self.plain {
            match text.as_str() {
                "9allocator" => return self.out.push_str("Sa"),
                "12basic_string" => return self.out.push_str("Sb"),
                _ => {}
            }
        }
        self.component(|mangler| {
            mangler.prefix(scope);
            last(mangler);
        });
    }

    /// The name of a template without arguments.
    pub(super) fn template_name(&mut self, scope: Scope, name: &str) {
        let nested = match scope {
            Scope::Function(_) => false,
            Scope::Class(_) => true,
            Scope::Namespace(namespace) => namespace != super::Program::GLOBAL && !self.is_std_namespace(namespace),
        };
        let write = |mangler: &mut Mangler<'a>| {
            mangler.prefix(scope);
            mangler.source_name(name);
        };
        let key = self.key(write);
        if !self.plain && self.substitute(&key) {
            return;
        }
        if nested {
            self.out.push('N');
        }
        write(self);
        if nested {
            self.out.push('E');
        }
        if !self.plain {
            self.substitutions.push(key);
        }
    }

    /// Whether a scope is a namespace, and neither it nor one around it is unnamed.
    fn is_in_named_namespace(&self, scope: Scope) -> bool {
        let Scope::Namespace(mut id) = scope else { return false };
        loop {
            let namespace = self.program.namespace(id);
            match (namespace.parent, &namespace.name) {
                (None, _) => return true,
                (Some(_), None) => return false,
                (Some(parent), Some(_)) => id = parent,
            }
        }
    }

    pub(super) fn namespace_name(&mut self, namespace: &Namespace) {
        if self.for_host && namespace.name.is_none() {
            return self.source_name(HOST_UNNAMED);
        }
        let unnamed = self.program.unnamed_namespace.as_deref().unwrap_or(unit::UNNAMED);
        self.source_name(namespace.name.as_deref().unwrap_or(unnamed));
    }

    /// The scopes before a name. A function's body begins anew: what is around it has been said.
    pub(super) fn prefix(&mut self, scope: Scope) {
        match scope {
            Scope::Function(function) => {
                if self.plain {
                    self.out.push_str(&format!("{{f{}}}", function.index()));
                }
            }
            Scope::Namespace(id) => {
                let namespace = self.program.namespace(id);
                let Some(parent) = namespace.parent else {
                    return;
                };
                if self.is_std_namespace(id) {
                    return self.out.push_str("St");
                }
                self.component_with_key(format!("{{n{}}}", id.index()), |mangler| {
                    mangler.prefix(Scope::Namespace(parent));
                    mangler.namespace_name(namespace);
                });
            }
            Scope::Class(id) => {
                let class = self.program.class(id);
                if let Some(code) = self.standard_class(id).filter(|_| !self.plain) {
                    return self.out.push_str(code);
                }
                let arguments = class.template_arguments.as_deref();
                self.component_with_key(format!("{{c{}}}", id.index()), |mangler| {
                    let arguments = arguments.map_or(Arguments::None, Arguments::Known);
                    mangler.template_prefix(class.scope, arguments, &|mangler: &mut Mangler<'a>| {
                        mangler.class_unqualified(id)
                    });
                });
            }
        }
    }
}

/// The code of a complex number of C, which is a class by a name that no other can have.
fn complex_code(name: &str) -> Option<&'static str> {
    match name.strip_prefix("_Complex ")? {
        "float" => Some("Cf"),
        "double" => Some("Cd"),
        "long double" => Some("Ce"),
        _ => None,
    }
}
