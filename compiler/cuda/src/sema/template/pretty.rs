//! `__PRETTY_FUNCTION__`: what is declared, with the names of template parameters, and what these stand for here. [`PrettyPrinter`] spells it.

use std::rc::Rc;

use super::{FunctionPattern, TemplateId, TemplateParameter};
use crate::hir::pattern::TypePattern;
use crate::hir::{ClassId, FunctionId, FunctionName, PrettyPrinter, Scope, TemplateArgument};
use crate::sema::{ScopeId, Sema};
use crate::syntax::ast;

/// A template that the function, or a class around it, is made from.
struct Level<'a> {
    /// The class; of the function's own template `None`.
    class: Option<ClassId>,
    /// The parameters' names, declared for patterns from this place on.
    first: u32,
    parameters: Rc<[TemplateParameter<'a>]>,
    arguments: Vec<TemplateArgument>,
    /// Of a class from a partial specialisation: the template and its number.
    partial: Option<(TemplateId, usize)>,
}

impl<'a> Sema<'a> {
    /// The text of `__PRETTY_FUNCTION__` in the function being elaborated.
    pub(crate) fn pretty_function(&mut self, function: FunctionId) -> String {
        self.settle_exceptions(function);
        let class = self.function_class(function);
        if let Some(class) = class.filter(|class| self.program.class(*class).lambda.is_some()) {
            return self.pretty_call_operator(function, class);
        }
        let (levels, names) = self.pretty_levels(function, class);
        let pattern = match levels.is_empty() {
            true => None,
            false => self.pretty_pattern(function, class, &levels),
        };
        let pattern = match pattern {
            Some(pattern) => pattern,
            None => self.known_pattern(function),
        };
        let trailing_result = self.pretty_syntax(function).is_some_and(|(_, declarator)| {
            let chunk = self.ast[declarator].function();
            chunk.is_some_and(|chunk| chunk.trailing_return.is_some())
        });
        let printer = PrettyPrinter::new(&self.program, &names);
        let node = self.program.function(function);
        let mut text = String::new();
        if class.is_some() && !node.has_this {
            text += "static ";
        }
        if node.is_constexpr && node.name != FunctionName::Constructor {
            text += "constexpr ";
        }
        let scope = self.pretty_scope(&printer, node.scope, &levels);
        let own_class = class.map_or("", |class| self.program.class(class).name.as_deref().unwrap_or(""));
        let (name, result) = match &node.name {
            FunctionName::Constructor => (own_class.to_string(), None),
            FunctionName::Destructor => (format!("~{own_class}"), None),
            FunctionName::Conversion(_) => (format!("operator {}", printer.pattern(&pattern.result, "")), None),
            FunctionName::Identifier(_) | FunctionName::Operator(_) | FunctionName::Literal(_) => {
                let name = self.context.text(self.function_info(function).name);
                (name.to_string(), Some(&pattern.result))
            }
        };
        let parameters = printer.parameters(&pattern.parameters, pattern.variadic);
        // A destructor of a template's class says nothing of exceptions.
        let trailing = match node.name {
            FunctionName::Destructor if !levels.is_empty() => String::new(),
            _ => printer.trailing(node),
        };
        let declarator = format!("{scope}{name}{parameters}{trailing}");
        text += &match result {
            None => declarator,
            Some(result) if trailing_result => format!("auto {declarator}->{}", printer.pattern(result, "")),
            Some(result) => printer.pattern(result, &declarator),
        };
        text + &bindings(&printer, &levels, &names)
    }

    /// Of a closure: `lambda [](int)->auto::operator()(int)->auto`.
    fn pretty_call_operator(&mut self, function: FunctionId, class: ClassId) -> String {
        let printer = PrettyPrinter::new(&self.program, &[]);
        let closure = printer.class(self.program.class(class));
        let signature = closure.trim_start_matches("lambda []");
        let mut entries = Vec::new();
        for (index, argument) in self
            .program
            .function(function)
            .template_arguments
            .iter()
            .flatten()
            .enumerate()
        {
            printer.binding(&format!("<auto-{}>", index + 1), argument, &mut entries);
        }
        format!("{closure}::operator(){signature}{}", with_clause(&entries))
    }

    /// The templates from the function's own outwards, and the names of their parameters in this order.
    fn pretty_levels(&mut self, function: FunctionId, class: Option<ClassId>) -> (Vec<Level<'a>>, Vec<String>) {
        let (mut levels, mut names) = (Vec::new(), Vec::new());
        if let Some(instance) = self.function_info(function).instance.clone() {
            let parameters: Rc<[_]> = self.template(instance.template).parameters.clone();
            self.add_level(
                &mut levels,
                &mut names,
                (None, None),
                parameters,
                instance.arguments.to_vec(),
            );
        }
        let mut around = class;
        while let Some(class) = around {
            let info = &self.classes[class.index()];
            if let Some(instance) = info.instance.clone().filter(|instance| !instance.explicit) {
                let chosen = match info.partial {
                    None => None,
                    Some(index) => self
                        .match_partial(instance.template, index, &instance.arguments)
                        .map(|arguments| (index, arguments)),
                };
                let template = self.template(instance.template);
                let (partial, parameters, arguments) = match chosen {
                    Some((index, arguments)) => {
                        let parameters = template.partials[index].parameters.clone();
                        (Some((instance.template, index)), parameters, arguments)
                    }
                    None => (None, template.parameters.clone(), instance.arguments.to_vec()),
                };
                self.add_level(&mut levels, &mut names, (Some(class), partial), parameters, arguments);
            }
            around = match self.program.class(class).scope {
                Scope::Class(outer) => Some(outer),
                Scope::Namespace(_) | Scope::Function(_) => None,
            };
        }
        (levels, names)
    }

    fn add_level(
        &self,
        levels: &mut Vec<Level<'a>>,
        names: &mut Vec<String>,
        (class, partial): (Option<ClassId>, Option<(TemplateId, usize)>),
        parameters: Rc<[TemplateParameter<'a>]>,
        arguments: Vec<TemplateArgument>,
    ) {
        let first = names.len() as u32;
        names.extend(parameters.iter().map(|parameter| match parameter.name {
            Some(name) => self.context.text(name).to_string(),
            None => "<unnamed>".to_string(),
        }));
        levels.push(Level {
            class,
            first,
            parameters,
            arguments,
            partial,
        });
    }

    /// Where a function's declaration is written.
    fn pretty_syntax(&self, function: FunctionId) -> Option<(ast::Id<ast::Specifiers>, ast::Id<ast::Declarator>)> {
        if let Some(instance) = &self.function_info(function).instance {
            let syntax = self.function_syntax(self.template(instance.template).declaration)?;
            return Some((syntax.0, syntax.1));
        }
        let definition = self
            .function
            .definition
            .filter(|_| self.function.function == Some(function))?;
        Some((self.ast[definition].specifiers, self.ast[definition].declarator))
    }

    /// The function's types with the parameters of all its templates in them; `None` if its declaration is not at hand.
    fn pretty_pattern(
        &mut self,
        function: FunctionId,
        class: Option<ClassId>,
        levels: &[Level<'a>],
    ) -> Option<FunctionPattern> {
        let (specifiers, declarator) = self.pretty_syntax(function)?;
        let ast = self.ast;
        let chunk = ast[declarator].function()?;
        let around: ScopeId = match (class, &self.function_info(function).instance) {
            (Some(class), _) => self.classes[class.index()].scope,
            (None, Some(instance)) => self.template(instance.template).scope,
            (None, None) => return None,
        };
        let mut pattern = None;
        // What cannot be read so, as a name that only the specialised class has, is shown with its types.
        let reports = self.isolated(|sema| {
            sema.outside_of_functions(|sema| {
                let mut scope = around;
                for level in levels.iter().rev() {
                    scope = sema.unbound_scope(&level.parameters, scope, level.first);
                }
                pattern = Some(sema.in_scope(scope, |sema| sema.declared_signature(specifiers, declarator, chunk)));
            });
        });
        let pattern = pattern.filter(|_| reports.is_empty())?;
        Some(self.with_own_class(pattern, class, levels))
    }

    /// A class's own name in its members means the class as its template writes it: `W &operator=(const W &)` of `W<T>`.
    fn with_own_class(
        &mut self,
        pattern: FunctionPattern,
        class: Option<ClassId>,
        levels: &[Level<'a>],
    ) -> FunctionPattern {
        let Some(level) = levels
            .iter()
            .find(|level| level.class.is_some() && level.class == class)
        else {
            return pattern;
        };
        let Some(class) = class else { return pattern };
        let ty = self.class_type(class);
        let own = self.own_pattern(class, level);
        let replace = |pattern: TypePattern| replace_class(self, pattern, ty, &own);
        FunctionPattern {
            parameters: pattern.parameters.into_iter().map(replace).collect(),
            result: replace_class(self, pattern.result, ty, &own),
            ..pattern
        }
    }

    /// `W<T>`.
    fn own_pattern(&self, class: ClassId, level: &Level<'a>) -> TypePattern {
        let node = self.program.class(class);
        let arguments = match level.partial {
            Some((template, index)) => self.template(template).partials[index].pattern.to_vec(),
            None => level
                .parameters
                .iter()
                .enumerate()
                .map(|(index, parameter)| own_argument(parameter, level.first + index as u32))
                .collect(),
        };
        TypePattern::Specialisation {
            scope: node.scope,
            name: node.name.clone().unwrap_or_else(|| "".into()),
            arguments,
            pack: None,
        }
    }

    /// The types of a function without templates.
    fn known_pattern(&self, function: FunctionId) -> FunctionPattern {
        let node = self.program.function(function);
        let ty = self.program.types.as_function(node.ty);
        let result = match node.name {
            FunctionName::Conversion(to) => Some(to),
            _ => self.function_info(function).declared_result.or(ty.map(|ty| ty.result)),
        };
        FunctionPattern {
            parameters: ty.map_or(Vec::new(), |ty| {
                ty.parameters.iter().map(|&it| TypePattern::Type(it)).collect()
            }),
            defaults: Vec::new(),
            result: TypePattern::Type(result.unwrap_or(crate::hir::Types::VOID.unqualified())),
            variadic: ty.is_some_and(|ty| ty.variadic),
        }
    }

    /// `n::W<T>::In::`.
    fn pretty_scope(&self, printer: &PrettyPrinter<'_>, scope: Scope, levels: &[Level<'a>]) -> String {
        let Scope::Class(class) = scope else {
            return printer.scope(scope);
        };
        let node = self.program.class(class);
        let outer = self.pretty_scope(printer, node.scope, levels);
        let Some(level) = levels.iter().find(|level| level.class == Some(class)) else {
            return format!("{outer}{}::", printer.class(node));
        };
        let name = node.name.as_deref().unwrap_or("");
        let TypePattern::Specialisation { arguments, .. } = self.own_pattern(class, level) else {
            return format!("{outer}{name}::");
        };
        // Patterns of partial specialisations count parameters from 0.
        match level.partial {
            Some(_) => {
                let names: Vec<String> = self.level_names(level);
                let partial = PrettyPrinter::new(&self.program, &names);
                format!("{outer}{name}{}::", partial.arguments(&arguments))
            }
            None => format!("{outer}{name}{}::", printer.arguments(&arguments)),
        }
    }

    fn level_names(&self, level: &Level<'a>) -> Vec<String> {
        let name =
            |parameter: &TemplateParameter<'a>| parameter.name.map_or("<unnamed>", |name| self.context.text(name));
        level
            .parameters
            .iter()
            .map(|parameter| name(parameter).to_string())
            .collect()
    }
}

/// A template's parameter as an argument of the template itself.
fn own_argument(parameter: &TemplateParameter<'_>, index: u32) -> crate::hir::pattern::ArgumentPattern {
    use crate::hir::pattern::ArgumentPattern;
    let ty = TypePattern::Parameter { depth: 0, index };
    match parameter.pack {
        true => ArgumentPattern::Type(TypePattern::Expansion(Box::new(ty))),
        false => ArgumentPattern::Type(ty),
    }
}

/// A pattern in which a class is spelled as its template writes it.
fn replace_class(sema: &Sema<'_>, pattern: TypePattern, class: crate::hir::TypeId, own: &TypePattern) -> TypePattern {
    use crate::hir::Type;
    let inside = |pattern: TypePattern| Box::new(replace_class(sema, pattern, class, own));
    let within = |to: crate::hir::QualifiedType| inside(TypePattern::Type(to));
    match pattern {
        TypePattern::Pointer(to) => TypePattern::Pointer(inside(*to)),
        TypePattern::LValueReference(to) => TypePattern::LValueReference(inside(*to)),
        TypePattern::RValueReference(to) => TypePattern::RValueReference(inside(*to)),
        TypePattern::Type(ty) if ty.id == class => match ty.qualifiers.is_empty() {
            true => own.clone(),
            false => TypePattern::Qualified(ty.qualifiers, Box::new(own.clone())),
        },
        TypePattern::Type(ty) => match *sema.program.types.get(ty.id) {
            Type::Pointer(to) if ty.qualifiers.is_empty() => TypePattern::Pointer(within(to)),
            Type::LValueReference(to) => TypePattern::LValueReference(within(to)),
            Type::RValueReference(to) => TypePattern::RValueReference(within(to)),
            _ => TypePattern::Type(ty),
        },
        other => other,
    }
}

/// ` [with T = int; N = 3]`.
fn bindings(printer: &PrettyPrinter<'_>, levels: &[Level<'_>], names: &[String]) -> String {
    let mut entries = Vec::new();
    for level in levels {
        for (index, argument) in level.arguments.iter().enumerate() {
            if let Some(name) = names.get(level.first as usize + index) {
                printer.binding(name, argument, &mut entries);
            }
        }
    }
    with_clause(&entries)
}

fn with_clause(entries: &[String]) -> String {
    match entries.is_empty() {
        true => String::new(),
        false => format!(" [with {}]", entries.join("; ")),
    }
}
