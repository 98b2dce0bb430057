//! Writing modules as text.

mod attributes;
mod constants;
mod instructions;
mod metadata;
mod names;

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use self::attributes::convention;
use self::constants::Terms;
use self::instructions::{Body, intrinsic_declaration};
use self::metadata::Nodes;
use self::names::Names;
pub use self::names::{escaped, quoted_name};
use super::Dialect;
use crate::constant::ConstantId;
use crate::context::Context;
use crate::function::{Function, InstructionId};
use crate::instruction::{Callee, Instruction};
use crate::module::{Alias, Declaration, FunctionId, Global, Linkage, Module, Symbols};
use crate::types::{AddressSpace, Type};

/// A module as text.
pub(crate) fn module(module: &Module, dialect: Dialect) -> String {
    let symbols = &module.symbols;
    let terms = Terms {
        context: &symbols.context,
        symbols: Some(symbols),
        dialect,
    };
    let mut out = String::new();
    header(symbols, dialect, &mut out);
    comdats(symbols, &mut out);
    module
        .globals()
        .for_each(|(_, variable)| global(terms, variable, &mut out));
    symbols.aliases.iter().for_each(|(_, one)| alias(terms, one, &mut out));
    let mut nodes = Nodes::default();
    for (id, declaration) in module.functions() {
        out.push('\n');
        function(terms, declaration, id, module.body(id), &mut nodes, &mut out);
    }
    intrinsics(terms, module, &mut out);
    nodes.finish(terms, module, &mut out);
    out
}

fn header(symbols: &Symbols, dialect: Dialect, out: &mut String) {
    let properties = &symbols.properties;
    let quoted = |text: &str| escaped(text.as_bytes());
    if !properties.source.is_empty() {
        let _ = writeln!(out, "source_filename = \"{}\"", quoted(&properties.source));
    }
    let layout = match dialect {
        // The line of the NVVM IR specification for 64-bit devices.
        Dialect::Llvm7 => {
            "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
        }
        Dialect::Modern => &properties.layout,
    };
    if !layout.is_empty() {
        let _ = writeln!(out, "target datalayout = \"{}\"", quoted(layout));
    }
    if !properties.triple.is_empty() {
        let _ = writeln!(out, "target triple = \"{}\"", quoted(&properties.triple));
    }
    for line in &properties.assembly {
        let _ = writeln!(out, "module asm \"{}\"", quoted(line));
    }
}

fn comdats(symbols: &Symbols, out: &mut String) {
    let globals = symbols.globals.iter().filter_map(|(_, global)| global.comdat.as_ref());
    let functions = symbols
        .functions
        .iter()
        .filter_map(|(_, function)| function.comdat.as_ref());
    let mut names: Vec<&String> = globals.chain(functions).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let _ = writeln!(out, "${} = comdat any", quoted_name(name));
    }
}

fn placement(section: Option<&String>, comdat: Option<&String>, out: &mut String) {
    if let Some(section) = section {
        let _ = write!(out, ", section \"{}\"", escaped(section.as_bytes()));
    }
    if let Some(comdat) = comdat {
        let _ = write!(out, ", comdat(${})", quoted_name(comdat));
    }
}

fn global(terms: Terms<'_>, global: &Global, out: &mut String) {
    let _ = write!(out, "@{} = ", quoted_name(&global.name));
    if global.linkage != Linkage::External || global.initializer.is_none() {
        let _ = write!(out, "{} ", global.linkage);
    }
    if global.unnamed_address {
        out.push_str("unnamed_addr ");
    }
    if global.space != AddressSpace::GENERIC {
        let _ = write!(out, "addrspace({}) ", global.space.0);
    }
    if global.externally_initialized {
        out.push_str("externally_initialized ");
    }
    let _ = write!(
        out,
        "{} {}",
        if global.constant { "constant" } else { "global" },
        terms.ty(global.ty)
    );
    if let Some(initializer) = global.initializer {
        let _ = write!(out, " {}", terms.constant(initializer));
    }
    placement(global.section.as_ref(), global.comdat.as_ref(), out);
    if global.align != 0 {
        let _ = write!(out, ", align {}", global.align);
    }
    out.push('\n');
}

fn alias(terms: Terms<'_>, alias: &Alias, out: &mut String) {
    let ty = terms.ty(alias.ty);
    let target = match terms.dialect {
        Dialect::Modern => terms.typed(alias.target),
        Dialect::Llvm7 => {
            let pointer = terms.pointer_to(&ty, alias.space);
            format!("{pointer} bitcast ({} to {pointer})", terms.typed(alias.target))
        }
    };
    let linkage = if alias.linkage == Linkage::External {
        String::new()
    } else {
        format!("{} ", alias.linkage)
    };
    let _ = writeln!(out, "@{} = {linkage}alias {ty}, {target}", quoted_name(&alias.name));
}

fn function(
    terms: Terms<'_>,
    declaration: &Declaration,
    id: FunctionId,
    body: Option<&Function>,
    nodes: &mut Nodes,
    out: &mut String,
) {
    let names = body.map(|body| Names::new(body, terms.dialect));
    out.push_str(if body.is_some() { "define " } else { "declare " });
    if declaration.linkage != Linkage::External {
        let _ = write!(out, "{} ", declaration.linkage);
    }
    out.push_str(&convention(
        declaration.convention,
        declaration.is_kernel(),
        terms.dialect,
    ));
    let result_attributes = terms.parameter_attributes(&declaration.result_attributes);
    if !result_attributes.is_empty() {
        let _ = write!(out, "{} ", result_attributes.trim_start());
    }
    let data = terms.context.function_data(declaration.ty);
    let _ = write!(out, "{} @{}(", terms.ty(data.result), quoted_name(&declaration.name));
    let mut conversions = Vec::new();
    for (index, (&ty, attributes)) in data.parameters.iter().zip(&declaration.parameters).enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        let text = terms.parameter_type(ty, attributes);
        let _ = write!(out, "{text}{}", terms.parameter_attributes(attributes));
        let Some(names) = &names else { continue };
        let name = names.argument(index as u32);
        if text == terms.ty(ty) {
            let _ = write!(out, " %{name}");
        } else {
            let _ = write!(out, " %object.{index}");
            conversions.push(format!(
                "  %{name} = bitcast {text} %object.{index} to {}",
                terms.ty(ty)
            ));
        }
    }
    if data.variadic {
        out.push_str(if data.parameters.is_empty() { "..." } else { ", ..." });
    }
    out.push(')');
    if declaration.unnamed_address {
        out.push_str(" unnamed_addr");
    }
    out.push_str(&terms.function_attributes(&declaration.attributes, declaration.kernel.as_ref()));
    let mut place = String::new();
    placement(declaration.section.as_ref(), declaration.comdat.as_ref(), &mut place);
    out.push_str(&place.replace(", ", " "));
    if declaration.align != 0 {
        let _ = write!(out, " align {}", declaration.align);
    }
    match (body, &names) {
        (Some(body), Some(names)) => {
            debug_assert_eq!(body.id(), id);
            out.push_str(" {\n");
            write_blocks(terms, body, names, &conversions, nodes, out);
            out.push_str("}\n");
        }
        _ => out.push('\n'),
    }
}

fn write_blocks(
    terms: Terms<'_>,
    body: &Function,
    names: &Names,
    conversions: &[String],
    nodes: &mut Nodes,
    out: &mut String,
) {
    let mut writer = Body {
        terms,
        function: body,
        names,
        nodes,
        out,
        casts: 0,
    };
    for block in body.blocks() {
        let name = names.block(block);
        let numbered = name.bytes().all(|byte| byte.is_ascii_digit());
        let entry = Some(block) == body.entry();
        if !entry {
            writer.out.push('\n');
        }
        if !(entry && numbered) {
            let old = numbered && terms.dialect == Dialect::Llvm7;
            let _ = if old {
                writeln!(writer.out, "; <label>:{name}:")
            } else {
                writeln!(writer.out, "{name}:")
            };
        }
        if entry {
            conversions.iter().for_each(|line| {
                let _ = writeln!(writer.out, "{line}");
            });
        }
        body.instructions(block).for_each(|id| writer.instruction(id));
    }
}

/// Declarations of the intrinsics that are called.
fn intrinsics(terms: Terms<'_>, module: &Module, out: &mut String) {
    let mut declarations = BTreeMap::new();
    for (_, body) in module.bodies.iter().filter_map(|(id, body)| Some((id, body.as_ref()?))) {
        for id in body.all_instructions() {
            let Instruction::Call(call) = body.instruction(id) else {
                continue;
            };
            if let Callee::Intrinsic(intrinsic, overloads) = &call.callee {
                let name = instructions::intrinsic_name(terms, *intrinsic, overloads, call.ty);
                declarations
                    .entry(name)
                    .or_insert_with(|| intrinsic_declaration(terms, *intrinsic, overloads, call.ty));
            }
        }
    }
    for declaration in declarations.values() {
        let _ = writeln!(out, "\n{declaration}");
    }
}

/// A body as text for people: names of other functions and variables are their numbers where no symbols are given.
pub(crate) fn body(function: &Function, symbols: Option<&Symbols>) -> String {
    let terms = Terms {
        context: function.context(),
        symbols,
        dialect: Dialect::Modern,
    };
    let names = Names::new(function, Dialect::Modern);
    let mut out = String::new();
    write_blocks(terms, function, &names, &[], &mut Nodes::default(), &mut out);
    out
}

/// One instruction as text for people, without metadata.
pub(crate) fn instruction(function: &Function, id: InstructionId, symbols: Option<&Symbols>) -> String {
    let terms = Terms {
        context: function.context(),
        symbols,
        dialect: Dialect::Modern,
    };
    let names = Names::new(function, Dialect::Modern);
    let mut out = String::new();
    let mut nodes = Nodes::default();
    Body {
        terms,
        function,
        names: &names,
        nodes: &mut nodes,
        out: &mut out,
        casts: 0,
    }
    .instruction(id);
    out.trim().to_owned()
}

impl Context {
    /// A type as text.
    pub fn display_type(&self, ty: Type) -> String {
        Terms {
            context: self,
            symbols: None,
            dialect: Dialect::Modern,
        }
        .ty(ty)
    }

    /// A constant with its type as text.
    pub fn display_constant(&self, id: ConstantId, symbols: Option<&Symbols>) -> String {
        Terms {
            context: self,
            symbols,
            dialect: Dialect::Modern,
        }
        .typed(id)
    }
}

impl Function {
    /// The body as text for dumps.
    pub fn display(&self, symbols: Option<&Symbols>) -> String {
        body(self, symbols)
    }

    /// One instruction as text for messages. It costs a walk over the function, for the names.
    pub fn display_instruction(&self, id: InstructionId, symbols: Option<&Symbols>) -> String {
        instruction(self, id, symbols)
    }
}

/// The text in the modern dialect.
impl fmt::Display for Module {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&module(self, Dialect::Modern))
    }
}

impl Module {
    /// The text of the module.
    pub fn to_text(&self, dialect: Dialect) -> String {
        module(self, dialect)
    }
}
