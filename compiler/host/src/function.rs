//! Functions: kernels become stubs, and what is for the device alone loses its body.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use warpsmith_cuda::source::Span;
use warpsmith_cuda::syntax::ast::{
    Attribute, AttributeKind, ConstexprKind, Declaration, DeclarationKind, Declarator, FunctionBody,
    FunctionDefinition, Id, Parameter, Specifiers, StorageClass, TemplateParameter, TemplateParameterKind,
    TypeSpecifier,
};

use crate::unit::{Unit, has};

/// Where a function runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    Kernel,
    Device,
    Host,
}

/// Edits all function definitions.
pub(crate) fn definitions(unit: &mut Unit) {
    let templates = templates(unit);
    for index in 0..unit.ast.nodes::<FunctionDefinition>().len() {
        let function = unit.ast.nodes::<FunctionDefinition>()[index].clone();
        let Some(body) = body(unit, &function) else { continue };
        match space(unit, &function) {
            Space::Kernel => {
                let parameters = templates.get(&index).cloned().unwrap_or_default();
                kernel(unit, &function, &body, &parameters);
            }
            Space::Device => device(unit, &function, &body),
            Space::Host => {}
        }
    }
    mark_unused(unit);
}

/// Takes out what a toolkit's headers declare anew of the C++ library's `constexpr` functions, to say that they run on the device, too: a declaration without
/// `constexpr` is none of these for the host's compiler.
pub(crate) fn redeclarations(unit: &mut Unit) {
    let (mut constant, mut declared) = (HashSet::new(), Vec::new());
    let roots = unit.ast.roots.clone();
    in_std(unit, &roots, false, &mut constant, &mut declared);
    for (name, span) in declared {
        if constant.contains(&name) {
            let range = unit.range(span);
            unit.edits.replace(range.start, range.end, "");
        }
    }
}

/// The names of `constexpr` functions that namespace `std` defines, and the declarations of functions there that CUDA's attributes stand in.
fn in_std(
    unit: &Unit,
    declarations: &[Id<Declaration>],
    is_std: bool,
    constant: &mut HashSet<String>,
    declared: &mut Vec<(String, Span)>,
) {
    let name_of = |declarator: Id<Declarator>| {
        let name = unit.ast[declarator].name?;
        Some(unit.text_of(unit.ast[name].span).to_owned())
    };
    for &id in declarations {
        // A template is declared as a whole.
        let inner = match &unit.ast[id].kind {
            DeclarationKind::Template { declaration, .. } => *declaration,
            _ => id,
        };
        match &unit.ast[inner].kind {
            DeclarationKind::Namespace { name, declarations, .. } => {
                let is_std = is_std || name.is_some_and(|name| unit.context.text(name) == "std");
                in_std(unit, declarations, is_std, constant, declared);
            }
            DeclarationKind::Linkage { declarations, .. } => in_std(unit, declarations, is_std, constant, declared),
            DeclarationKind::Function(function) if is_std => {
                let function = &unit.ast[*function];
                if unit.ast[function.specifiers].constexpr == ConstexprKind::Constexpr {
                    constant.extend(name_of(function.declarator));
                }
            }
            DeclarationKind::Simple {
                specifiers,
                declarators,
            } if is_std => {
                let of_cuda = |kind: &AttributeKind| matches!(kind, AttributeKind::Device);
                if let [one] = &**declarators
                    && unit.ast[one.declarator].function().is_some()
                    && has(&unit.ast[*specifiers].attributes, of_cuda)
                {
                    declared.extend(name_of(one.declarator).map(|name| (name, unit.ast[id].span)));
                }
            }
            _ => {}
        }
    }
}

/// The parameters of the templates that functions are, by the functions' places among their kind.
fn templates(unit: &Unit) -> HashMap<usize, Vec<Id<TemplateParameter>>> {
    let mut found = HashMap::new();
    for declaration in unit.ast.nodes::<Declaration>() {
        if let DeclarationKind::Template {
            parameters,
            declaration: inner,
            ..
        } = &declaration.kind
            && let DeclarationKind::Function(function) = unit.ast[*inner].kind
        {
            found.insert(function.index(), parameters.to_vec());
        }
    }
    found
}

/// All attributes of a function.
fn attributes<'u>(unit: &'u Unit, function: &FunctionDefinition) -> [&'u [Attribute]; 3] {
    let declarator = &unit.ast[function.declarator];
    let of_type: &[Attribute] = declarator.function().map_or(&[], |function| &function.attributes);
    [
        &unit.ast[function.specifiers].attributes,
        &declarator.attributes,
        of_type,
    ]
}

fn space(unit: &Unit, function: &FunctionDefinition) -> Space {
    let lists = attributes(unit, function);
    let has = |test: fn(&AttributeKind) -> bool| lists.iter().any(|list| has(list, test));
    if has(|kind| matches!(kind, AttributeKind::Global)) {
        Space::Kernel
    } else if has(|kind| matches!(kind, AttributeKind::Device)) && !has(|kind| matches!(kind, AttributeKind::Host)) {
        Space::Device
    } else {
        Space::Host
    }
}

/// The bytes of a body, from `{` to `}`.
fn body(unit: &Unit, function: &FunctionDefinition) -> Option<Range<usize>> {
    match &function.body {
        FunctionBody::Compound(body) => Some(unit.range(unit.ast[*body].span)),
        FunctionBody::Try { body, .. } => {
            let start = unit.range(unit.ast[*body].span).start;
            Some(start..unit.range(function.span).end)
        }
        FunctionBody::Default | FunctionBody::Delete | FunctionBody::Skipped => None,
    }
}

/// Whether the host has no use for the body of a function of the device: nothing is evaluated or deduced from it.
fn loses_body(unit: &Unit, function: &FunctionDefinition) -> bool {
    let specifiers = &unit.ast[function.specifiers];
    let declarator = &unit.ast[function.declarator];
    let trailing = declarator
        .function()
        .is_some_and(|function| function.trailing_return.is_some());
    let deduced = match specifiers.type_specifier {
        TypeSpecifier::Auto => !trailing,
        TypeSpecifier::DecltypeAuto => true,
        _ => false,
    };
    !deduced && matches!(specifiers.constexpr, ConstexprKind::None | ConstexprKind::Constinit)
}

fn device(unit: &mut Unit, function: &FunctionDefinition, body: &Range<usize>) {
    if !loses_body(unit, function) {
        return;
    }
    let declarator = &unit.ast[function.declarator];
    let parameters = declarator.function().map(|function| function.parameters.to_vec());
    let names = parameters.unwrap_or_default().into_iter().filter_map(|id| {
        let declarator = &unit.ast[unit.ast[id].declarator];
        // A pack may not be named without being expanded.
        declarator
            .name
            .filter(|_| !declarator.pack)
            .map(|name| unit.text_of(unit.ast[name].span))
    });
    let uses: String = names.map(|name| format!("(void){name}; ")).collect();
    unit.edits
        .replace(body.start, body.end, format!("{{ {uses}__builtin_trap(); }}"));
}

/// The stub of a kernel.
fn kernel(unit: &mut Unit, function: &FunctionDefinition, body: &Range<usize>, template: &[Id<TemplateParameter>]) {
    let declarator = unit.ast[function.declarator].clone();
    let (Some(name), Some(chunk)) = (declarator.name, declarator.function().cloned()) else {
        return;
    };
    let mut name = unit.text_of(unit.ast[name].span).to_owned();
    if !template.is_empty() {
        let arguments: Vec<String> = (template.iter().enumerate())
            .map(|(index, &parameter)| template_argument(unit, parameter, index))
            .collect();
        name = format!("{name}<{}>", arguments.join(", "));
    }
    let (mut addresses, mut types) = (String::new(), Vec::new());
    for (index, &parameter) in chunk.parameters.iter().enumerate() {
        let (name, pack) = parameter_name(unit, parameter, &format!("__warpsmith_parameter_{index}"));
        let dots = if pack { "..." } else { "" };
        addresses.push_str(&format!("__builtin_addressof({name}){dots}, "));
        types.push(format!("typename __warpsmith_type<decltype({name})>::type{dots}"));
    }
    let stub = format!(
        "{{ const volatile void *__warpsmith_arguments[] = {{ {addresses}0 }}; \
         __warpsmith_launch(reinterpret_cast<const void *>(static_cast<void (*)({})>({name})), __warpsmith_arguments); }}",
        types.join(", ")
    );
    unit.edits.replace(body.start, body.end, stub);
}

/// The name of a parameter, which it is given if it has none, and whether it is a pack.
fn parameter_name(unit: &mut Unit, id: Id<Parameter>, otherwise: &str) -> (String, bool) {
    let parameter = unit.ast[id].clone();
    let declarator = unit.ast[parameter.declarator].clone();
    if let Some(name) = declarator.name {
        return (unit.text_of(unit.ast[name].span).to_owned(), declarator.pack);
    }
    let specifiers = unit.range(unit.ast[parameter.specifiers].span);
    let at = place_of_name(unit, &declarator, specifiers.end);
    unit.edits.insert(at, format!(" {otherwise}"));
    (otherwise.to_owned(), declarator.pack)
}

/// Where a name would stand in a declarator that has none, behind specifiers that end at a byte.
fn place_of_name(unit: &Unit, declarator: &Declarator, specifiers_end: usize) -> usize {
    let range = unit.range(declarator.span);
    // An empty declarator stands before the next token.
    if declarator.chunks.is_empty() && !declarator.pack || range.start < specifiers_end {
        return specifiers_end;
    }
    let text = &unit.text[range.clone()];
    let inner = if text.starts_with('(') {
        text.find(')')
    } else {
        text.find('[')
    };
    inner.map_or(range.end, |offset| range.start + offset)
}

/// What a parameter of a template is as an argument of it; it is given a name if it has none.
fn template_argument(unit: &mut Unit, id: Id<TemplateParameter>, index: usize) -> String {
    let parameter = unit.ast[id].clone();
    let otherwise = format!("__warpsmith_argument_{index}");
    let dots = if parameter.pack { "..." } else { "" };
    if let Some(name) = parameter.name {
        return format!("{}{dots}", unit.context.text(name));
    }
    let text = match parameter.kind {
        TemplateParameterKind::NonType { parameter } => parameter_name(unit, parameter, &otherwise).0,
        TemplateParameterKind::Type { .. } | TemplateParameterKind::Template { .. } => {
            let range = unit.range(parameter.span);
            let inner = &unit.text[range.clone()];
            let end = top_level_equal(inner).unwrap_or(inner.len());
            unit.edits
                .insert(range.start + inner[..end].trim_end().len(), format!(" {otherwise}"));
            otherwise
        }
    };
    format!("{text}{dots}")
}

/// Where the default argument of a parameter begins: the first `=` in no angle brackets or parentheses.
fn top_level_equal(text: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, sign) in text.char_indices() {
        match sign {
            '<' | '(' => depth += 1,
            '>' | ')' => depth -= 1,
            '=' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// Notes where attributes of functions of the device stand, which the host need not use, and those of kernels that are static.
fn mark_unused(unit: &mut Unit) {
    let is_static = |specifiers: Id<Specifiers>| unit.ast[specifiers].storage == StorageClass::Static;
    let definitions = unit
        .ast
        .nodes::<FunctionDefinition>()
        .iter()
        .map(|function| function.specifiers);
    let declarations = unit
        .ast
        .nodes::<Declaration>()
        .iter()
        .filter_map(|declaration| match declaration.kind {
            DeclarationKind::Simple { specifiers, .. } => Some(specifiers),
            _ => None,
        });
    let of_static = definitions
        .chain(declarations)
        .filter(|&specifiers| is_static(specifiers));
    let attributes = of_static.flat_map(|specifiers| unit.ast[specifiers].attributes.iter());
    let kernels = attributes.filter(|one| matches!(one.kind, AttributeKind::Global));
    let kernels: Vec<usize> = kernels.map(|one| unit.range(one.span).start).collect();
    unit.unused.extend(kernels);
    let mut starts = Vec::new();
    let mut note = |unit: &Unit, attributes: &[Attribute]| {
        let spans = attributes.iter().filter(|one| {
            matches!(
                one.kind,
                AttributeKind::Device | AttributeKind::Constant | AttributeKind::Managed
            )
        });
        let spans: Vec<Span> = spans.map(|one| one.span).collect();
        starts.extend(spans.into_iter().map(|span| unit.range(span).start));
    };
    for function in unit.ast.nodes::<FunctionDefinition>() {
        if space(unit, function) == Space::Device {
            note(unit, &unit.ast[function.specifiers].attributes);
        }
    }
    for declaration in unit.ast.nodes::<Declaration>() {
        if let DeclarationKind::Simple {
            specifiers,
            declarators,
        } = &declaration.kind
            && !declarators.is_empty()
        {
            note(unit, &unit.ast[*specifiers].attributes);
        }
    }
    unit.unused.extend(starts);
}
