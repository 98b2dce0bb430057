//! From the typed program to the SSA IR.
//!
//! **What enters**: a [`Program`] without errors. **What leaves**: an `ir::Module` with everything that [`Program::roots`] reaches, and reports of what device code
//! cannot have.
//!
//! * Local variables are `alloca`s at the beginning of the entry block, parameters are copied to such; the optimiser makes values of them.
//! * An object of class type is known by its address: an expression of class type is generated *into* a place. Members are at byte offsets.
//! * `bool` is `i1` as a value and `i8` in memory and in signatures.
//! * Functions and variables are generated when something refers to them.
//!
//! Order of reading: [`types`](self) of memory in `types.rs`, signatures in `signature.rs`, then `function.rs` and the files of expressions.

mod aggregate;
mod assembly;
mod builtin;
mod builtin_memory;
mod call;
mod cleanup;
mod constant;
mod conversion;
mod debug;
mod expression;
mod function;
mod heap;
mod launch;
mod library;
mod object;
mod place;
mod shuffle;
mod signature;
mod statement;
mod template;
mod types;
mod used;
mod virtual_base;
mod virtual_table;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use warpsmith_base::{Arithmetic, CANCELLED, Cancel};
use warpsmith_ir as ir;

use crate::deep::on_deep_stack;
use crate::hir::{
    self, ClassId, FunctionId, InlineHint, Linkage, MemorySpace, Program, Root, Span, StringId, StringLiteral,
    SymbolVariant, Type, VariableId, VariableInitialiser, mangle_function, mangle_variable,
};
use crate::source::{Report, SourceMap};

/// Bytes of the widest load and store.
const WIDEST_ACCESS: u64 = 16;

/// How code is generated.
#[derive(Clone, Copy, Debug, Default)]
pub struct CodegenOptions {
    /// What floating-point arithmetic may be.
    pub arithmetic: Arithmetic,
    /// Instructions have source lines (`-lineinfo`).
    pub line_info: bool,
    /// A debugger is told of variables and types (`-G`).
    pub debug: bool,
}

/// Generates a module from a program. One that was cancelled is not whole, and the last report says so.
pub fn generate(
    program: &Program,
    name: &str,
    map: Option<&SourceMap>,
    options: CodegenOptions,
    cancel: &Cancel,
) -> (ir::Module, Vec<Report>) {
    on_deep_stack(|| generate_here(program, name, map, options, cancel)).unwrap_or_else(|message| {
        let report = Report::error(Span::NONE, message);
        (ir::Module::new(name), vec![report])
    })
}

fn generate_here(
    program: &Program,
    name: &str,
    map: Option<&SourceMap>,
    options: CodegenOptions,
    cancel: &Cancel,
) -> (ir::Module, Vec<Report>) {
    let mut generator = Generator::new(program, name, map, options);
    for root in &program.roots {
        match *root {
            Root::Function(function) => {
                generator.function(function, SymbolVariant::Complete);
            }
            Root::Variable(variable) => {
                generator.variable(variable);
            }
        }
    }
    while let Some((function, variant)) = generator.pending.pop_front() {
        if cancel.is_cancelled() {
            generator.reports.push(Report::error(Span::NONE, CANCELLED));
            break;
        }
        generator.define(function, variant);
    }
    generator.list_used(program);
    generator.finish_debug(name);
    (generator.module, generator.reports)
}

/// A module being made.
struct Generator<'p> {
    program: &'p Program,
    map: Option<&'p SourceMap>,
    options: CodegenOptions,
    module: ir::Module,
    context: Arc<ir::Context>,
    functions: FxHashMap<(FunctionId, SymbolVariant), ir::FunctionId>,
    /// Functions of the module that have or get a body.
    defined: rustc_hash::FxHashSet<ir::FunctionId>,
    /// Functions that are referred to and have bodies to be made.
    pending: std::collections::VecDeque<(FunctionId, SymbolVariant)>,
    variables: FxHashMap<VariableId, ir::GlobalId>,
    strings: FxHashMap<StringLiteral, ir::GlobalId>,
    tables: FxHashMap<(ClassId, virtual_base::VirtualOffsets), ir::GlobalId>,
    tables_of_tables: FxHashMap<ClassId, ir::GlobalId>,
    class_types: FxHashMap<ClassId, ir::Type>,
    library: FxHashMap<String, ir::FunctionId>,
    constant_objects: FxHashMap<(ir::ConstantId, hir::TypeId), ir::GlobalId>,
    thunks: FxHashMap<(FunctionId, SymbolVariant, i64, i64), ir::FunctionId>,
    /// What is being made now: the expression or statement of a function, the variable that gets its initial value.
    place: Span,
    /// That variable is a constant of the host that is copied to the device.
    copying: bool,
    reports: Vec<Report>,
    debug: Option<debug::Debug>,
}

impl<'p> Generator<'p> {
    fn new(program: &'p Program, name: &str, map: Option<&'p SourceMap>, options: CodegenOptions) -> Generator<'p> {
        let mut module = ir::Module::new(name);
        if options.arithmetic.flush_denormals {
            module.symbols.properties.flags.push((4, "nvvm-reflect-ftz".into(), 1));
        }
        let context = module.context().clone();
        Generator {
            program,
            map,
            options,
            module,
            context,
            functions: FxHashMap::default(),
            defined: rustc_hash::FxHashSet::default(),
            pending: std::collections::VecDeque::new(),
            variables: FxHashMap::default(),
            strings: FxHashMap::default(),
            tables: FxHashMap::default(),
            tables_of_tables: FxHashMap::default(),
            class_types: FxHashMap::default(),
            library: FxHashMap::default(),
            constant_objects: FxHashMap::default(),
            thunks: FxHashMap::default(),
            place: Span::NONE,
            copying: false,
            reports: Vec::new(),
            debug: options.debug.then(debug::Debug::default),
        }
    }

    /// Reports what device code cannot have, once for each place and reason.
    fn refuse(&mut self, span: Span, what: impl Into<String>) {
        let what = what.into();
        if !self
            .reports
            .iter()
            .any(|report| report.span == span && report.message == what)
        {
            self.reports.push(Report::error(span, what));
        }
    }

    /// Constructors and destructors of classes without virtual bases have one symbol for both purposes.
    fn canonical_variant(&self, id: FunctionId, variant: SymbolVariant) -> SymbolVariant {
        let base_of_simple = variant == SymbolVariant::Base
            && match self.program.function(id).scope {
                hir::Scope::Class(class) => !self.program.has_virtual_bases(class),
                hir::Scope::Namespace(_) | hir::Scope::Function(_) => true,
            };
        if base_of_simple {
            SymbolVariant::Complete
        } else {
            variant
        }
    }

    /// Whether a function is defined in the unit. Implicit destructors need no statements to be.
    fn has_body(&self, id: FunctionId) -> bool {
        let function = self.program.function(id);
        let implicit =
            function.is_defaulted && !function.is_deleted && matches!(function.name, hir::FunctionName::Destructor);
        function.body.is_some() || implicit || function.traps_on_device
    }

    /// The function of the module, declared if it is the first reference to it.
    fn function(&mut self, id: FunctionId, variant: SymbolVariant) -> ir::FunctionId {
        let variant = self.canonical_variant(id, variant);
        if let Some(&known) = self.functions.get(&(id, variant)) {
            return known;
        }
        let program = self.program;
        let function = program.function(id);
        let name = mangle_function(program, id, variant);
        let defined = self.has_body(id) || variant == SymbolVariant::Deleting;
        let is_library = !defined && self.map.is_some_and(|map| map.is_system(function.span.first));
        let name = match is_library {
            true => {
                let name = library::library_name(&name).unwrap_or(name);
                library::called(&name, self.options.arithmetic.fast_math).to_owned()
            }
            false => name,
        };
        let mut declaration = self.declaration(id, variant, name);
        if defined {
            declaration.linkage = match function.linkage {
                _ if function.space.global => ir::Linkage::External,
                _ if function.traps_on_device => ir::Linkage::Internal,
                Linkage::External => ir::Linkage::External,
                Linkage::Weak => ir::Linkage::WeakOdr,
                Linkage::OnceOnly | Linkage::Internal => ir::Linkage::Internal,
            };
        }
        // A function may have been declared already under the same symbol: by the runtime's name, or in another scope.
        let made = match self.module.symbols.function_named(&declaration.name) {
            Some(existing) if defined && !self.defined.contains(&existing) => {
                self.module.symbols.functions[existing] = declaration;
                existing
            }
            Some(existing) if !defined => existing,
            _ => self.module.add_function(declaration),
        };
        if defined {
            self.defined.insert(made);
            self.pending.push_back((id, variant));
        }
        self.functions.insert((id, variant), made);
        made
    }

    fn declaration(&mut self, id: FunctionId, variant: SymbolVariant, name: String) -> ir::Declaration {
        let program = self.program;
        let function = program.function(id);
        let signature = self.signature_in(id, variant);
        let mut declaration = ir::Declaration::new(&self.context, name, signature.ty);
        declaration.parameters = signature.parameters;
        declaration.result_attributes = signature.result_attributes;
        let attributes = &mut declaration.attributes;
        attributes.nounwind = true;
        attributes.convergent = true;
        attributes.mustprogress = true;
        attributes.noreturn = function.no_return;
        attributes.inlining = match function.inline {
            InlineHint::None => ir::Inlining::Default,
            InlineHint::Inline => ir::Inlining::Hint,
            InlineHint::Always => ir::Inlining::Always,
            InlineHint::Never => ir::Inlining::Never,
        };
        if self.options.arithmetic.flush_denormals {
            attributes
                .strings
                .insert("denormal-fp-math-f32".into(), "preserve-sign,preserve-sign".into());
        }
        if function.space.global {
            let kernel = function.kernel;
            declaration.kernel = Some(ir::KernelProperties {
                maximum_threads: kernel.max_threads.map(|threads| [threads, 1, 1]),
                required_threads: kernel.required_threads,
                minimum_blocks: kernel.min_blocks,
                maximum_registers: kernel.max_registers,
                cluster: kernel.cluster,
                maximum_cluster_blocks: kernel.max_cluster_rank,
            });
        }
        declaration
    }

    /// A function of the device library or the runtime, by its C name.
    fn library_function(&mut self, name: &str, result: ir::Type, parameters: &[ir::Type]) -> ir::FunctionId {
        if let Some(&known) = self.library.get(name) {
            return known;
        }
        let made = match self.module.symbols.function_named(name) {
            Some(known) => known,
            None => {
                let ty = self.context.function_type(result, parameters, false);
                let mut declaration = ir::Declaration::new(&self.context, name, ty);
                declaration.attributes.nounwind = true;
                declaration.attributes.noreturn = name == "__assertfail";
                self.module.add_function(declaration)
            }
        };
        self.library.insert(name.to_owned(), made);
        made
    }

    /// The address of a function as a constant.
    fn function_address(&mut self, id: FunctionId) -> ir::ConstantId {
        let function = self.function(id, SymbolVariant::Complete);
        self.module.symbols.function_address(function)
    }

    /// The variable of the module, made if it is the first reference to it.
    fn variable(&mut self, id: VariableId) -> ir::GlobalId {
        let of_host = self.is_of_host_alone(id);
        if of_host {
            self.refuse_host_variable(id);
        }
        if let Some(&known) = self.variables.get(&id) {
            return known;
        }
        let program = self.program;
        let variable = program.variable(id);
        let space = match variable.memory {
            MemorySpace::Host | MemorySpace::Device | MemorySpace::Managed => ir::AddressSpace::GLOBAL,
            MemorySpace::Constant => ir::AddressSpace::CONSTANT,
            MemorySpace::Shared => ir::AddressSpace::SHARED,
        };
        let memory = match program.types.get(variable.ty.id) {
            Type::Array(element, None) => {
                let element = self.memory_type(element.id);
                self.context.array(element, 0)
            }
            _ => self.memory_type(variable.ty.id),
        };
        let mut global = ir::Global::new(mangle_variable(program, id), memory, space);
        let alignment = program.align_of(variable.ty.id).max(variable.alignment.unwrap_or(1));
        // Programs read arrays in shared memory in words of sixteen bytes, and rely on their places: the type says less than they assume. The array whose size the
        // launch says (`extern __shared__ float s[];`) lies behind the others, at its alignment.
        let unbounded = matches!(program.types.get(variable.ty.id), Type::Array(_, None));
        let is_wide =
            space == ir::AddressSpace::SHARED && (unbounded || program.size_of(variable.ty.id) >= WIDEST_ACCESS);
        let alignment = if is_wide {
            alignment.max(WIDEST_ACCESS)
        } else {
            alignment
        };
        global.align = u32::try_from(alignment).unwrap_or(1);
        global.linkage = match variable.linkage {
            Linkage::External => ir::Linkage::External,
            Linkage::OnceOnly | Linkage::Weak => ir::Linkage::WeakOdr,
            Linkage::Internal => ir::Linkage::Internal,
        };
        let local = matches!(variable.scope, hir::Scope::Function(_)) && !variable.is_extern;
        if local || variable.memory == MemorySpace::Host {
            global.linkage = ir::Linkage::Internal;
        }
        if variable.memory == MemorySpace::Managed {
            global.role = ir::GlobalRole::Managed;
        }
        let is_const = program.types.qualifiers_of(variable.ty).is_const() || variable.is_constexpr;
        global.constant =
            is_const && variable.memory != MemorySpace::Shared || variable.memory == MemorySpace::Constant;
        let existing = self.module.symbols.global_named(&global.name);
        if variable.is_extern || of_host {
            global.linkage = ir::Linkage::External;
            let made = match existing {
                Some(existing) => existing,
                None => self.module.symbols.add_global(global),
            };
            self.variables.insert(id, made);
            return made;
        }
        // The host may write variables that it can name, whatever their linkage: `cudaMemcpyToSymbol` takes them by name.
        let on_device = matches!(
            variable.memory,
            MemorySpace::Device | MemorySpace::Constant | MemorySpace::Managed
        );
        global.externally_initialized = on_device && !local && !is_const;
        let made = match existing {
            // Declared in another scope before.
            Some(existing) if self.module.symbols.globals[existing].initializer.is_none() => {
                self.module.symbols.globals[existing] = global;
                existing
            }
            _ => self.module.symbols.add_global(global),
        };
        self.variables.insert(id, made);
        let copied = variable.memory == MemorySpace::Host;
        let around = std::mem::replace(&mut self.place, variable.span);
        let copying = std::mem::replace(&mut self.copying, copied);
        let initial = self.initial_value(id, memory);
        (self.place, self.copying) = (around, copying);
        if self.values_end(initial) > constant::END_OF_VALUES {
            let name = program.variable_name(id);
            let message = format!(
                "an initial value with a gibibyte or more before its last byte that is not zero, that of `{name}`, is not supported"
            );
            self.refuse(variable.span, message);
        }
        let ty = self.context.constant_type(initial);
        let global = &mut self.module.symbols.globals[made];
        global.initializer = Some(initial);
        global.ty = ty;
        made
    }

    /// Whether a variable lives on the host alone, so that device code cannot have its address. Constants are copied to the device, and a reference is as good as
    /// what it refers to.
    fn is_of_host_alone(&self, id: VariableId) -> bool {
        let variable = self.program.variable(id);
        let is_const = self.program.types.qualifiers_of(variable.ty).is_const() || variable.is_constexpr;
        let copied = (is_const || self.program.types.is_reference(variable.ty.id)) && !variable.is_extern;
        let of_device_function = match variable.scope {
            hir::Scope::Function(function) => {
                let space = self.program.function(function).space;
                space.device || space.global
            }
            hir::Scope::Namespace(_) | hir::Scope::Class(_) => false,
        };
        variable.memory == MemorySpace::Host && !copied && !of_device_function
    }

    /// Refuses a variable of the host alone whose address code has come by, as through a constant or a function of both sides. In a constant that is copied, such as
    /// a table of addresses of which device code may use another element, it is a symbol that nothing defines.
    fn refuse_host_variable(&mut self, id: VariableId) {
        if !self.copying {
            let name = self.program.variable_name(id);
            let message = format!("the variable `{name}` lives on the host: device code cannot have its address");
            self.refuse(self.place, message);
        }
    }

    fn initial_value(&mut self, id: VariableId, memory: ir::Type) -> ir::ConstantId {
        let program = self.program;
        let variable = program.variable(id);
        let shared = variable.memory == MemorySpace::Shared;
        let constant = match &variable.initialiser {
            VariableInitialiser::None if shared => return self.context.undef(memory),
            VariableInitialiser::None => return self.context.zero(memory),
            VariableInitialiser::Constant(constant) => constant.clone(),
            VariableInitialiser::Dynamic(value) => {
                match hir::evaluate(program, *value, &hir::Limits::default()) {
                    Ok(constant) => constant,
                    Err(failure) => {
                        let why = match failure {
                            hir::EvaluationFailure::NonConstant(reason) => reason.reason,
                            hir::EvaluationFailure::NeedsBody(function) => {
                                format!("'{}' has no body", program.function_name(function))
                            }
                        };
                        let name = program.variable_name(id);
                        self.reports.push(
                        Report::error(variable.span, format!("device variable '{name}' needs code to be initialised, which device memory cannot have"))
                            .note(format!("its initialiser is no constant: {why}")),
                    );
                        return self.context.zero(memory);
                    }
                }
            }
        };
        if shared {
            let trivial =
                matches!(&constant, hir::Constant::Undefined) || program.types.as_class(variable.ty.id).is_some();
            if !trivial {
                let name = program.variable_name(id);
                self.refuse(
                    variable.span,
                    format!("shared variable '{name}' cannot have an initialiser"),
                );
            }
            return self.context.undef(memory);
        }
        self.memory_constant(&constant, variable.ty.id)
    }

    /// The global with the characters of a string literal.
    fn string(&mut self, id: StringId) -> ir::GlobalId {
        let literal = self.program.string(id);
        if let Some(&known) = self.strings.get(literal) {
            return known;
        }
        let size = self.program.size_of(literal.element).max(1) as u32;
        let initial = if size == 1 {
            let bytes: Vec<u8> = literal.elements.iter().map(|&element| element as u8).collect();
            self.context.bytes(&bytes)
        } else {
            let element = ir::Type::Int(size * 8);
            let values: Vec<_> = literal
                .elements
                .iter()
                .map(|&value| self.context.int(size * 8, i128::from(value)))
                .collect();
            self.context
                .aggregate(self.context.array(element, values.len() as u64), &values)
        };
        let ty = self.context.constant_type(initial);
        let name = match self.strings.len() {
            0 => "$str".to_owned(),
            number => format!("$str${number}"),
        };
        let mut global = ir::Global::new(name, ty, ir::AddressSpace::GLOBAL);
        global.linkage = ir::Linkage::Private;
        global.initializer = Some(initial);
        global.constant = true;
        global.unnamed_address = true;
        global.align = size;
        let made = self.module.symbols.add_global(global);
        self.strings.insert(literal.clone(), made);
        made
    }

    /// A conversion of a constant.
    fn cast_constant(&self, op: ir::CastOp, operand: ir::ConstantId, ty: ir::Type) -> ir::ConstantId {
        self.context
            .expression(ir::ConstantExpression::Cast { op, operand, ty })
    }

    /// The generic address of a global.
    fn generic_address(&self, global: ir::GlobalId) -> ir::ConstantId {
        let address = self.module.symbols.global_address(global);
        if self.module.symbols.globals[global].space == ir::AddressSpace::GENERIC {
            return address;
        }
        self.cast_constant(ir::CastOp::AddrSpaceCast, address, ir::Type::POINTER)
    }
}

#[cfg(test)]
mod tests;
