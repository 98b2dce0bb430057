//! Signatures: the calling convention of CUDA's device code.
//!
//! Objects of classes are passed as `byval` pointers and returned as values; those that are not trivial for calls are passed by the address of a temporary and
//! returned through a first parameter. `bool` is passed as `i8`. Variable arguments are packed into a buffer, each aligned as its type wants, the address of which
//! is a last parameter.

use warpsmith_ir as ir;

use super::Generator;
use crate::hir::{FunctionId, FunctionType, IntegerKind, QualifiedType, SymbolVariant, Type, TypeId};

/// How a value is passed or returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    /// Nothing is.
    Void,
    /// As a value of this type (`i8` for `bool`).
    Value(ir::Type),
    /// An object: as a pointer to a copy for the callee; returned as a value.
    Object(ir::Type),
    /// By address.
    Address,
}

/// The IR's side of a function type.
pub(super) struct Signature {
    pub(super) ty: ir::FunctionType,
    pub(super) parameters: Vec<ir::ParameterAttributes>,
    pub(super) result_attributes: ir::ParameterAttributes,
    pub(super) result: Passing,
}

impl Generator<'_> {
    /// How values of a type are passed.
    pub(super) fn passing(&mut self, id: TypeId) -> Passing {
        let program = self.program;
        match program.types.get(id) {
            Type::Void => Passing::Void,
            Type::Bool => Passing::Value(ir::Type::I8),
            Type::Class(class) => match program.class(*class).non_trivial_for_calls {
                true => Passing::Address,
                false => Passing::Object(self.memory_type(id)),
            },
            Type::Array(..) => Passing::Address,
            _ => Passing::Value(self.value_type(id)),
        }
    }

    /// Whether a constructor or destructor gets the points of tables: as one of a base that has virtual bases.
    pub(super) fn gets_points(&self, id: FunctionId, variant: SymbolVariant) -> bool {
        let function = self.program.function(id);
        let special = matches!(
            function.name,
            crate::hir::FunctionName::Constructor | crate::hir::FunctionName::Destructor
        );
        match function.scope {
            crate::hir::Scope::Class(class) if special && variant == SymbolVariant::Base => {
                self.program.has_virtual_bases(class)
            }
            _ => false,
        }
    }

    /// The signature of a variant of a function: one that gets the points of tables does so behind all else.
    pub(super) fn signature_in(&mut self, id: FunctionId, variant: SymbolVariant) -> Signature {
        let mut signature = self.signature_of(id);
        if self.gets_points(id, variant) {
            let data = self.context.function_data(signature.ty).clone();
            let parameters: Vec<ir::Type> = data.parameters.iter().copied().chain([ir::Type::POINTER]).collect();
            signature.ty = self.context.function_type(data.result, &parameters, false);
            signature.parameters.push(ir::ParameterAttributes::default());
        }
        signature
    }

    /// The signature of a function with its `this`.
    pub(super) fn signature_of(&mut self, id: FunctionId) -> Signature {
        let program = self.program;
        let function = program.function(id);
        let mut signature = match program.types.as_function(function.ty) {
            Some(ty) => {
                let special = matches!(
                    function.name,
                    crate::hir::FunctionName::Constructor | crate::hir::FunctionName::Destructor
                );
                let mut ty = ty.clone();
                if special {
                    ty.result = crate::hir::Types::VOID.unqualified();
                }
                self.signature_for(&ty, function.has_this, function.space.global)
            }
            None => self.signature(
                &FunctionType::new(crate::hir::Types::VOID.unqualified(), Vec::new()),
                function.has_this,
            ),
        };
        let first = usize::from(signature.result == Passing::Address) + usize::from(function.has_this);
        for (place, &parameter) in function.parameters.iter().enumerate() {
            let variable = program.variable(parameter);
            let Some(attributes) = signature.parameters.get_mut(first + place) else {
                break;
            };
            // `__restrict__` stands on the parameter, not in the function's type.
            attributes.noalias |= variable.ty.qualifiers.is_restrict();
            attributes.grid_constant |= variable.grid_constant;
        }
        signature
    }

    /// The signature of a function type.
    pub(super) fn signature(&mut self, function: &FunctionType, has_this: bool) -> Signature {
        self.signature_for(function, has_this, false)
    }

    /// Kernels get copies of all objects, whatever their copy constructors say.
    fn signature_for(&mut self, function: &FunctionType, has_this: bool, kernel: bool) -> Signature {
        let mut types = Vec::new();
        let mut parameters = Vec::new();
        let mut result_attributes = ir::ParameterAttributes::default();
        let result = self.passing(function.result.id);
        let result_type = match result {
            Passing::Void => ir::Type::Void,
            Passing::Value(ty) => {
                result_attributes.extension = self.extension(function.result.id);
                ty
            }
            Passing::Object(ty) => ty,
            Passing::Address => {
                let memory = self.memory_type(function.result.id);
                types.push(ir::Type::POINTER);
                parameters.push(ir::ParameterAttributes {
                    sret: Some(memory),
                    align: self.program.align_of(function.result.id) as u32,
                    noalias: true,
                    ..ir::ParameterAttributes::default()
                });
                ir::Type::Void
            }
        };
        if has_this {
            types.push(ir::Type::POINTER);
            parameters.push(ir::ParameterAttributes {
                nonnull: true,
                ..ir::ParameterAttributes::default()
            });
        }
        for &parameter in &function.parameters {
            let (ty, attributes) = self.parameter(parameter, kernel);
            types.push(ty);
            parameters.push(attributes);
        }
        // The variable arguments are in a buffer of the caller.
        if function.variadic {
            types.push(ir::Type::POINTER);
            parameters.push(ir::ParameterAttributes::default());
        }
        Signature {
            ty: self.context.function_type(result_type, &types, false),
            parameters,
            result_attributes,
            result,
        }
    }

    fn parameter(&mut self, parameter: QualifiedType, kernel: bool) -> (ir::Type, ir::ParameterAttributes) {
        let mut attributes = ir::ParameterAttributes {
            noalias: parameter.qualifiers.is_restrict(),
            ..ir::ParameterAttributes::default()
        };
        let passing = match self.passing(parameter.id) {
            Passing::Address if kernel => Passing::Object(self.memory_type(parameter.id)),
            other => other,
        };
        match passing {
            Passing::Void => (ir::Type::I8, attributes),
            Passing::Value(ty) => {
                attributes.extension = self.extension(parameter.id);
                (ty, attributes)
            }
            Passing::Object(ty) => {
                attributes.byval = Some(ty);
                attributes.align = self.program.align_of(parameter.id) as u32;
                (ir::Type::POINTER, attributes)
            }
            Passing::Address => (ir::Type::POINTER, attributes),
        }
    }

    fn extension(&self, id: TypeId) -> ir::Extension {
        match self.program.types.get(id) {
            Type::Bool => ir::Extension::Zero,
            Type::Integer(kind) if kind.bits() < 32 => match kind.is_signed() {
                true => ir::Extension::Sign,
                false => ir::Extension::Zero,
            },
            Type::Enum(enumeration) => self.extension(self.program.enumeration(*enumeration).underlying),
            _ => ir::Extension::None,
        }
    }

    /// Whether an integer type is signed; `bool`, pointers and all others are not.
    pub(super) fn is_signed(&self, id: TypeId) -> bool {
        match self.program.types.get(id) {
            Type::Integer(kind) => IntegerKind::is_signed(*kind),
            Type::Enum(enumeration) => self.is_signed(self.program.enumeration(*enumeration).underlying),
            _ => false,
        }
    }
}
