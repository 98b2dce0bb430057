//! What a debugger is told (`-G`): the types and variables of the source, as `ir::DebugInfo`.
//!
//! Every variable keeps memory of its own, since nothing is optimised; references, `this` and parameters that calls pass by address get a pointer in memory
//! for the debugger alone.

use rustc_hash::FxHashMap;
use warpsmith_ir as ir;

use super::Generator;
use super::function::FunctionGenerator;
use crate::hir::{
    ClassId, ClassKind, EnumId, FunctionId, IntegerKind, Linkage, QualifiedType, Qualifiers, Scope, Span, StatementId,
    Type, TypeId, VariableId,
};
use crate::source::Origin;

/// What is known so far of the module.
#[derive(Default)]
pub(super) struct Debug {
    info: ir::DebugInfo,
    known: FxHashMap<QualifiedType, Option<ir::DebugTypeId>>,
}

/// What is known so far of the function being generated.
pub(super) struct FunctionDebug {
    function: ir::DebugFunction,
    scope: Option<ir::DebugScopeId>,
    /// Static variables, and the scopes that they are in.
    statics: Vec<(VariableId, Option<ir::DebugScopeId>)>,
}

impl Generator<'_> {
    /// Where a token is.
    fn debug_place(&self, origin: Origin) -> Option<ir::DebugPlace> {
        let place = self.map?.place(origin)?;
        Some(ir::DebugPlace {
            file: self.context.symbol(&place.file),
            line: place.line,
            column: place.column,
        })
    }

    fn add_type(&mut self, ty: ir::DebugType) -> Option<ir::DebugTypeId> {
        Some(self.debug.as_mut()?.info.types.push(ty))
    }

    /// A type; `None` for `void`.
    fn debug_type(&mut self, ty: QualifiedType) -> Option<ir::DebugTypeId> {
        if let Some(known) = self.debug.as_ref()?.known.get(&ty) {
            return *known;
        }
        let plain = ty.unqualified();
        let made = if ty.is_const() {
            let inner = self.debug_type(without(ty, Qualifiers::CONST));
            self.add_type(ir::DebugType::Const(inner))
        } else if ty.is_volatile() {
            let inner = self.debug_type(without(ty, Qualifiers::VOLATILE));
            self.add_type(ir::DebugType::Volatile(inner))
        } else if ty == plain {
            self.plain_type(ty.id)
        } else {
            self.debug_type(plain)
        };
        // A class may have led back here, and been first.
        *self.debug.as_mut()?.known.entry(ty).or_insert(made)
    }

    fn plain_type(&mut self, id: TypeId) -> Option<ir::DebugTypeId> {
        use ir::DebugEncoding as E;
        let program = self.program;
        let basic = |encoding| ir::DebugType::Basic {
            name: program.show(id).to_string(),
            encoding,
            size: program.size_of(id),
        };
        let ty = match program.types.get(id) {
            Type::Void | Type::Error | Type::Auto | Type::DecltypeAuto => return None,
            Type::Bool => basic(E::Boolean),
            Type::Integer(kind) => basic(match kind {
                IntegerKind::Char | IntegerKind::SignedChar => E::SignedCharacter,
                IntegerKind::UnsignedChar | IntegerKind::Char8 => E::UnsignedCharacter,
                kind if kind.is_signed() => E::Signed,
                _ => E::Unsigned,
            }),
            Type::Float(_) => basic(E::Float),
            Type::NullPointer => ir::DebugType::Pointer(None),
            Type::Pointer(to) => ir::DebugType::Pointer(self.debug_type(*to)),
            Type::LValueReference(to) | Type::RValueReference(to) => ir::DebugType::Reference(self.debug_type(*to)),
            Type::Array(element, count) => ir::DebugType::Array(self.debug_type(*element), *count),
            Type::Vector(element, count) => {
                ir::DebugType::Array(self.debug_type((*element).into()), Some(u64::from(*count)))
            }
            Type::Function(function) => {
                let result = self.debug_type(function.result);
                let parameters = function.parameters.iter().filter_map(|&ty| self.debug_type(ty));
                ir::DebugType::Function(result, parameters.collect())
            }
            // A number, or the structure that the ABI makes of a function and an offset.
            Type::MemberPointer { .. } if program.size_of(id) == 8 => basic(E::Signed),
            Type::MemberPointer { .. } => ir::DebugType::Record {
                kind: ir::DebugRecordKind::Structure,
                name: program.show(id).to_string(),
                place: None,
                size: Some(program.size_of(id)),
                bases: Vec::new(),
                members: Vec::new(),
            },
            Type::Class(class) => return self.record(id, *class),
            Type::Enum(enumeration) => self.debug_enumeration(*enumeration),
        };
        self.add_type(ty)
    }

    fn debug_enumeration(&self, id: EnumId) -> ir::DebugType {
        let data = self.program.enumeration(id);
        let name = data.name.as_ref().or(data.typedef_name.as_ref());
        ir::DebugType::Enumeration {
            name: name.map_or_else(String::new, |name| {
                format!("{}{name}", self.program.scope_prefix(data.scope))
            }),
            place: self.debug_place(data.span.first),
            size: self.program.size_of(data.underlying),
            values: (data.enumerators.iter())
                .map(|enumerator| (enumerator.name.to_string(), enumerator.value as i64))
                .collect(),
        }
    }

    /// A class. Its members may lead back to it, so that it is known before they are.
    fn record(&mut self, ty: TypeId, id: ClassId) -> Option<ir::DebugTypeId> {
        let program = self.program;
        let class = program.class(id);
        let named = class.name.is_some() || class.typedef_name.is_some();
        let record = |size, bases, members, place| ir::DebugType::Record {
            kind: match class.kind {
                ClassKind::Struct => ir::DebugRecordKind::Structure,
                ClassKind::Class => ir::DebugRecordKind::Class,
                ClassKind::Union => ir::DebugRecordKind::Union,
            },
            name: if named { program.class_name(id) } else { String::new() },
            place,
            size,
            bases,
            members,
        };
        let place = self.debug_place(class.span.first);
        let made = self.add_type(record(None, Vec::new(), Vec::new(), place))?;
        self.debug.as_mut()?.known.insert(ty.into(), Some(made));
        if !class.complete {
            return Some(made);
        }
        let mut bases = Vec::new();
        for (base, &offset) in class.bases.iter().zip(&class.layout.base_offsets) {
            let base = program.types.known_class(base.class);
            bases.extend(base.and_then(|base| Some((self.debug_type(base.into())?, offset))));
        }
        let mut members = Vec::new();
        for (field, &offset) in class.fields.iter().zip(&class.layout.field_offsets) {
            let Some(ty) = self.debug_type(field.ty) else { continue };
            let unit = program.size_of(field.ty.id).max(1);
            let (offset, bits) = match field.bit_width {
                None => (offset, None),
                Some(width) => {
                    let start = offset / 8 / unit * unit;
                    (start, Some((offset - start * 8, width, unit)))
                }
            };
            members.push(ir::DebugMember {
                name: field.name.as_ref().map_or_else(String::new, |name| name.to_string()),
                ty,
                place: self.debug_place(field.span.first),
                offset,
                bits,
            });
        }
        let whole = record(Some(class.layout.size), bases, members, place);
        self.debug.as_mut()?.info.types[made] = whole;
        Some(made)
    }

    /// A variable as the debugger knows it, without its scope.
    fn debug_variable(&mut self, id: VariableId, memory: ir::DebugMemory) -> Option<ir::DebugVariable> {
        let program = self.program;
        let variable = program.variable(id);
        let name = variable.name.as_ref()?.to_string();
        Some(ir::DebugVariable {
            name,
            ty: self.debug_type(variable.ty)?,
            place: self.debug_place(variable.span.first),
            parameter: false,
            scope: None,
            memory,
        })
    }

    /// Hands what is known to the module, with the variables outside of functions.
    pub(super) fn finish_debug(&mut self, file: &str) {
        if self.debug.is_none() {
            return;
        }
        let program = self.program;
        let mut outer: Vec<(ir::GlobalId, VariableId)> = (self.variables.iter())
            .filter(|(id, _)| !matches!(program.variable(**id).scope, Scope::Function(_)))
            .map(|(&id, &global)| (global, id))
            .collect();
        outer.sort_unstable_by_key(|(global, _)| *global);
        for (global, id) in outer {
            let variable = self.debug_variable(id, ir::DebugMemory::Global(global));
            if let (Some(mut variable), Some(debug)) = (variable, &mut self.debug) {
                variable.name = program.variable_name(id);
                debug.info.variables.push(variable);
            }
        }
        if let Some(mut debug) = self.debug.take() {
            debug.info.file = file.to_owned();
            self.module.debug = Some(Box::new(debug.info));
        }
    }
}

/// A type less a qualifier.
fn without(ty: QualifiedType, qualifier: Qualifiers) -> QualifiedType {
    QualifiedType {
        id: ty.id,
        qualifiers: ty.qualifiers.without(qualifier),
    }
}

impl FunctionGenerator<'_, '_> {
    /// Begins to take note of a function.
    pub(super) fn begin_debug(&mut self, id: FunctionId) {
        if self.generator.debug.is_none() {
            return;
        }
        let function = self.program.function(id);
        let result = self.program.types.as_function(function.ty).map(|ty| ty.result);
        self.debug = Some(Box::new(FunctionDebug {
            function: ir::DebugFunction {
                name: self.program.function_name(id),
                place: self.generator.debug_place(function.span.first),
                result: result.and_then(|result| self.generator.debug_type(result)),
                external: function.linkage != Linkage::Internal,
                scopes: ir::Arena::new(),
                variables: Vec::new(),
            },
            scope: None,
            statics: Vec::new(),
        }));
    }

    /// Opens the scope of a statement; gives the one before, for [`Self::close_debug_scope`].
    pub(super) fn open_debug_scope(&mut self, id: StatementId) -> Option<ir::DebugScopeId> {
        let outer = self.debug.as_ref()?.scope;
        let span: Span = self.program.statement(id).span;
        let places = (
            self.generator.debug_place(span.first),
            self.generator.debug_place(span.last),
        );
        if let ((Some(first), Some(last)), Some(debug)) = (places, &mut self.debug) {
            debug.scope = Some(debug.function.scopes.push(ir::DebugScope {
                parent: outer,
                first,
                last,
                inlined_at: None,
            }));
        }
        outer
    }

    /// Goes back to the scope around.
    pub(super) fn close_debug_scope(&mut self, outer: Option<ir::DebugScopeId>) {
        if let Some(debug) = &mut self.debug {
            debug.scope = outer;
        }
    }

    fn note(&mut self, variable: Option<ir::DebugVariable>, parameter: bool) {
        if let (Some(variable), Some(debug)) = (variable, &mut self.debug) {
            debug.function.variables.push(ir::DebugVariable {
                parameter,
                scope: debug.scope,
                ..variable
            });
        }
    }

    /// A variable has its own memory.
    pub(super) fn debug_local(&mut self, id: VariableId, memory: ir::Value, parameter: bool) {
        if let (Some(_), ir::Value::Instruction(memory)) = (&self.debug, memory) {
            let variable = self.generator.debug_variable(id, ir::DebugMemory::Local(memory));
            self.note(variable, parameter);
        }
    }

    /// A variable is known by an address alone, which is kept in memory for the debugger.
    pub(super) fn debug_reference(&mut self, id: VariableId, address: ir::Value, parameter: bool) {
        let Some(memory) = self.debug_slot(address) else { return };
        let mut variable = self.generator.debug_variable(id, memory);
        if let Some(variable) = &mut variable
            && !self.program.types.is_reference(self.program.variable(id).ty.id)
            && let Some(reference) = self.generator.add_type(ir::DebugType::Reference(Some(variable.ty)))
        {
            variable.ty = reference;
        }
        self.note(variable, parameter);
    }

    /// The object that a member function is called on.
    pub(super) fn debug_this(&mut self, id: FunctionId, address: ir::Value) {
        let function = self.program.function(id);
        let Scope::Class(class) = function.scope else { return };
        let (Some(class), Some(ty)) = (
            self.program.types.known_class(class),
            self.program.types.as_function(function.ty),
        ) else {
            return;
        };
        let Some(memory) = self.debug_slot(address) else { return };
        let object = self.generator.debug_type(QualifiedType {
            id: class,
            qualifiers: ty.qualifiers,
        });
        let Some(ty) = self.generator.add_type(ir::DebugType::Pointer(object)) else {
            return;
        };
        let variable = ir::DebugVariable {
            name: "this".into(),
            ty,
            place: None,
            parameter: true,
            scope: None,
            memory,
        };
        self.note(Some(variable), true);
    }

    /// An address in memory of its own.
    fn debug_slot(&mut self, address: ir::Value) -> Option<ir::DebugMemory> {
        self.debug.as_ref()?;
        let slot = self.allocate_memory(ir::Type::POINTER, 8, "debug");
        self.build().store_with(address, slot, ir::Access::aligned(8));
        match slot {
            ir::Value::Instruction(slot) => Some(ir::DebugMemory::Local(slot)),
            ir::Value::Argument(_) | ir::Value::Constant(_) => None,
        }
    }

    /// A static variable: where it is, is known once something refers to it.
    pub(super) fn debug_static(&mut self, id: VariableId) {
        if let Some(debug) = &mut self.debug {
            debug.statics.push((id, debug.scope));
        }
    }

    /// Hands what is known of the function on.
    pub(super) fn finish_debug(&mut self) {
        let Some(debug) = self.debug.take() else { return };
        let FunctionDebug {
            mut function, statics, ..
        } = *debug;
        for (id, scope) in statics {
            let Some(&global) = self.generator.variables.get(&id) else {
                continue;
            };
            let variable = self.generator.debug_variable(id, ir::DebugMemory::Global(global));
            function
                .variables
                .extend(variable.map(|variable| ir::DebugVariable { scope, ..variable }));
        }
        let id = self.body.id();
        if let Some(debug) = &mut self.generator.debug {
            debug.info.functions.insert(id, function);
        }
    }
}
