//! A module as text: header, declarations, variables, functions in an order in which every name is declared before it is used.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;
use warpsmith_base::Diagnostic;
use warpsmith_ir::{
    AliasId, Callee, Constant, ConstantExpression, Context, FunctionId, GlobalId, Instruction, Linkage, Module,
};
use warpsmith_target::{Feature, Suffix};

use crate::debug;
use crate::files::Files;
use crate::function;
use crate::global;
use crate::helper::Helper;
use crate::names::Namer;
use crate::options::Options;
use crate::places::{Places, Row, moved};
use crate::signature;

/// A module and what has been worked out for all of its functions.
pub(crate) struct Scope<'m> {
    /// The module.
    pub(crate) module: &'m Module,
    /// What was asked for.
    pub(crate) options: &'m Options,
    /// The number of the target, 90 for `sm_90a`.
    pub(crate) target: u16,
    /// The files of source locations.
    pub(crate) files: Files,
    globals: Vec<String>,
    functions: Vec<String>,
    aliases: Vec<String>,
}

impl<'m> Scope<'m> {
    fn new(module: &'m Module, options: &'m Options) -> Scope<'m> {
        let symbols = &module.symbols;
        let mut namer = Namer::default();
        let mut globals = vec![String::new(); symbols.globals.len()];
        let mut functions = vec![String::new(); symbols.functions.len()];
        let mut aliases = vec![String::new(); symbols.aliases.len()];
        // Names that others see come first: they must not change.
        for local in [false, true] {
            for (id, function) in module
                .functions()
                .filter(|(_, function)| function.linkage.is_local() == local)
            {
                functions[id.index()] = namer.name(&function.name);
            }
            for (id, global) in module
                .globals()
                .filter(|(_, global)| global.linkage.is_local() == local)
            {
                globals[id.index()] = namer.name(&global.name);
            }
            for (id, alias) in symbols
                .aliases
                .iter()
                .filter(|(_, alias)| alias.linkage.is_local() == local)
            {
                aliases[id.index()] = namer.name(&alias.name);
            }
        }
        let files = if options.line_info || options.debug {
            Files::of(module)
        } else {
            Files::default()
        };
        let target = options.target.info().number;
        Scope {
            module,
            options,
            target,
            files,
            globals,
            functions,
            aliases,
        }
    }

    /// Whether the target has a feature of the table of targets.
    pub(crate) fn has(&self, feature: Feature) -> bool {
        self.options.target.has(feature)
    }

    /// Types and constants.
    pub(crate) fn context(&self) -> &'m Context {
        self.module.context()
    }

    /// The name of a variable in PTX.
    pub(crate) fn global_name(&self, id: GlobalId) -> &str {
        &self.globals[id.index()]
    }

    /// The name of a function in PTX.
    pub(crate) fn function_name(&self, id: FunctionId) -> &str {
        &self.functions[id.index()]
    }

    /// The name of an alias in PTX.
    pub(crate) fn alias_name(&self, id: AliasId) -> &str {
        &self.aliases[id.index()]
    }
}

/// Writes a module as PTX text, or says what in it PTX cannot express.
pub(crate) fn write(module: &Module, options: &Options) -> Result<(String, Places), Vec<Diagnostic>> {
    let scope = Scope::new(module, options);
    let mut diagnostics = Vec::new();
    let mut bodies = String::new();
    let mut rows = Vec::new();
    let mut helpers: Vec<Helper> = Vec::new();
    let mut forward = Vec::new();
    let mut selected = FxHashMap::default();
    for (id, declaration) in module.functions() {
        let Some(body) = module
            .body(id)
            .filter(|_| declaration.linkage != Linkage::AvailableExternally)
        else {
            continue;
        };
        let written = function::write(&scope, body, declaration);
        diagnostics.extend(written.diagnostics);
        helpers.extend(written.helpers);
        let defined_before = |callee: FunctionId| callee < id && module.body(callee).is_some();
        forward.extend(written.functions.into_iter().filter(|&callee| !defined_before(callee)));
        rows.extend(moved(written.rows, bodies.len()));
        bodies.push_str(&written.text);
        bodies.push('\n');
        selected.extend(written.selected.map(|function| (id, function)));
    }
    forward.extend(functions_in_initializers(&scope));
    forward.extend(alias_targets(&scope));
    forward.sort_unstable();
    forward.dedup();

    let mut text = header(&scope);
    scope.files.write(&mut text);
    for line in module
        .symbols
        .properties
        .assembly
        .iter()
        .filter(|line| !line.is_empty())
    {
        let _ = writeln!(text, "{line}");
    }
    for id in forward {
        declare(&mut text, &scope, id, &mut diagnostics);
    }
    for id in global::order(&scope) {
        if let Err(what) = global::write(&mut text, &scope, id) {
            let name = &module.symbols.globals[id].name;
            diagnostics.push(Diagnostic::error(format!("{what} is not supported")).about(format!("variable {name}")));
        }
    }
    text.push('\n');
    write_aliases(&mut text, &scope);
    helpers.sort_unstable();
    helpers.dedup();
    for helper in helpers {
        text.push_str(helper.text());
        text.push('\n');
    }
    let mut places: Vec<Row> = vec![Row {
        offset: 0,
        location: None,
        verbatim: false,
    }];
    places.extend(moved(rows, text.len()));
    text.push_str(&bodies);
    places.push(Row {
        offset: text.len(),
        location: None,
        verbatim: false,
    });
    scope.files.write_functions(&mut text);
    if let Some(debug) = module.debug.as_ref().filter(|_| options.debug) {
        match debug::write(&scope, debug, &selected) {
            Ok(sections) => text.push_str(&sections),
            Err(message) => diagnostics.push(Diagnostic::error(message)),
        }
    }
    if diagnostics.is_empty() {
        Ok((text, Places::new(module.context().clone(), places)))
    } else {
        Err(diagnostics)
    }
}

/// `.version`, `.target`, `.address_size`.
fn header(scope: &Scope<'_>) -> String {
    let options = scope.options;
    let version = match options.version {
        Some(version) => version.to_string(),
        None => warpsmith_ptx::written_version(options.target).to_string(),
    };
    let info = options.target.info();
    let suffix = match info.suffix {
        Suffix::None => "",
        Suffix::Architecture => "a",
        Suffix::Family => "f",
    };
    let debug = match scope.module.debug.is_some() && options.debug {
        true => ", debug",
        false => "",
    };
    format!(
        ".version {version}\n.target sm_{}{suffix}{debug}\n.address_size 64\n\n",
        info.number
    )
}

/// Declares a function that is used before its definition, or defined elsewhere.
fn declare(text: &mut String, scope: &Scope<'_>, id: FunctionId, diagnostics: &mut Vec<Diagnostic>) {
    let declaration = &scope.module.symbols.functions[id];
    let name = scope.function_name(id);
    if declaration.name.starts_with("llvm.") {
        let message = format!("the intrinsic {} is not supported", declaration.name);
        diagnostics.push(Diagnostic::error(message));
        return;
    }
    text.push_str(global::linkage(declaration.linkage, scope.module.body(id).is_none()));
    if declaration.is_kernel() {
        signature::write_kernel(text, scope.context(), declaration, name);
    } else {
        signature::write_function(text, scope.context(), declaration, name);
    }
    text.push_str(";\n");
}

fn functions_in_initializers(scope: &Scope<'_>) -> Vec<FunctionId> {
    let mut found = Vec::new();
    let mut open: Vec<_> = scope
        .module
        .globals()
        .filter(|(_, global)| !global.name.starts_with("llvm."))
        .filter_map(|(_, global)| global.initializer)
        .collect();
    while let Some(constant) = open.pop() {
        match scope.context().constant(constant) {
            Constant::Function(function) => found.push(*function),
            Constant::Aggregate { elements, .. } => open.extend(elements.iter()),
            Constant::Expression(expression) => match expression {
                ConstantExpression::Gep { base, .. } => open.push(*base),
                ConstantExpression::Cast { operand, .. } => open.push(*operand),
                ConstantExpression::Binary { left, right, .. } => open.extend([*left, *right]),
            },
            _ => {}
        }
    }
    found
}

fn alias_targets(scope: &Scope<'_>) -> Vec<FunctionId> {
    let aliases = scope.module.symbols.aliases.iter();
    aliases
        .filter_map(|(_, alias)| match scope.context().constant(alias.target) {
            Constant::Function(function) => Some(*function),
            _ => None,
        })
        .collect()
}

/// Declares the aliases of functions and says what they stand for.
fn write_aliases(text: &mut String, scope: &Scope<'_>) {
    for (id, alias) in scope.module.symbols.aliases.iter() {
        let Constant::Function(function) = scope.context().constant(alias.target) else {
            continue;
        };
        let declaration = &scope.module.symbols.functions[*function];
        let name = scope.alias_name(id);
        text.push_str(global::linkage(alias.linkage, false));
        signature::write_function(text, scope.context(), declaration, name);
        let _ = writeln!(text, ";\n.alias {name}, {};", scope.function_name(*function));
    }
}

/// The functions that an instruction names.
pub(crate) fn functions_named(context: &Context, instruction: &Instruction, found: &mut Vec<FunctionId>) {
    if let Some(call) = instruction.as_call()
        && let Callee::Function(function) = call.callee
    {
        found.push(function);
    }
    instruction.for_each_operand(|operand| {
        let mut open: Vec<_> = operand.as_constant().into_iter().collect();
        while let Some(constant) = open.pop() {
            match context.constant(constant) {
                Constant::Function(function) => found.push(*function),
                Constant::Aggregate { elements, .. } => open.extend(elements.iter()),
                Constant::Expression(expression) => match expression {
                    ConstantExpression::Gep { base, .. } => open.push(*base),
                    ConstantExpression::Cast { operand, .. } => open.push(*operand),
                    ConstantExpression::Binary { left, right, .. } => open.extend([*left, *right]),
                },
                _ => {}
            }
        }
    });
}
