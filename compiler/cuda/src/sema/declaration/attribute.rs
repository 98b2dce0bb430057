//! Attributes and CUDA's specifiers as entities have them.

use crate::hir::{self, ExecutionSpace, InlineHint, KernelAttributes, MemorySpace};
use crate::sema::Sema;
use crate::sema::lookup::{Qualification, Wanted};
use crate::source::{Report, Span};
use crate::syntax::ast::{self, AttributeKind};

/// All attributes of a declared entity: of its specifiers, its declarator, and its function type.
pub(crate) fn attributes_of<'a>(
    specifiers: &'a ast::Specifiers,
    declarator: &'a ast::Declarator,
) -> impl Iterator<Item = &'a ast::Attribute> + Clone {
    let function = declarator
        .function()
        .map_or(&[][..], |function| &function.attributes[..]);
    specifiers
        .attributes
        .iter()
        .chain(&declarator.attributes)
        .chain(function)
}

impl<'a> Sema<'a> {
    /// Where a function runs, as written; nothing written is the host.
    pub(crate) fn execution_space(&mut self, attributes: impl Iterator<Item = &'a ast::Attribute>) -> ExecutionSpace {
        let mut space = ExecutionSpace::default();
        let mut global = None;
        for attribute in attributes {
            match attribute.kind {
                AttributeKind::Global => {
                    space.global = true;
                    global = Some(attribute.span);
                }
                AttributeKind::Device => space.device = true,
                AttributeKind::Host => space.host = true,
                _ => {}
            }
        }
        if let Some(span) = global
            && (space.device || space.host)
        {
            self.error(span, "`__global__` cannot be combined with `__device__` or `__host__`");
            space.device = false;
            space.host = false;
        }
        if !space.global && !space.device {
            match self.options.device_by_default && !space.host {
                true => space.device = true,
                false => space.host = true,
            }
        }
        space
    }
    /// The memory that a variable is in, as written, and the place of the specifier.
    pub(crate) fn memory_space(&mut self, attributes: impl Iterator<Item = &'a ast::Attribute>) -> (MemorySpace, Span) {
        let mut space = MemorySpace::Host;
        let mut place = Span::NONE;
        for attribute in attributes {
            let next = match attribute.kind {
                AttributeKind::Device => MemorySpace::Device,
                AttributeKind::Constant => MemorySpace::Constant,
                AttributeKind::Shared => MemorySpace::Shared,
                AttributeKind::Managed => MemorySpace::Managed,
                _ => continue,
            };
            match (space, next) {
                (MemorySpace::Host | MemorySpace::Device, _) => {
                    space = next;
                    place = attribute.span;
                }
                (_, MemorySpace::Device) => {}
                (one, other) if one == other => {}
                (MemorySpace::Constant | MemorySpace::Shared | MemorySpace::Managed, _) => {
                    let report = Report::error(attribute.span, "a variable is in one memory only");
                    self.emit(report.note_at(place, "it is said to be in another here"));
                }
            }
        }
        (space, place)
    }
    /// `inline`, `__forceinline__`, `__noinline__`.
    pub(crate) fn inline_hint(
        &self,
        specifiers: &ast::Specifiers,
        attributes: impl Iterator<Item = &'a ast::Attribute>,
    ) -> InlineHint {
        let mut hint = if specifiers.is_inline {
            InlineHint::Inline
        } else {
            InlineHint::None
        };
        for attribute in attributes {
            match attribute.kind {
                AttributeKind::ForceInline | AttributeKind::AlwaysInline => hint = InlineHint::Always,
                AttributeKind::NoInline => hint = InlineHint::Never,
                _ => {}
            }
        }
        hint
    }
    /// `__launch_bounds__` and its kin.
    pub(crate) fn kernel_attributes(
        &mut self,
        attributes: impl Iterator<Item = &'a ast::Attribute>,
        is_kernel: bool,
    ) -> KernelAttributes {
        let mut kernel = KernelAttributes::default();
        for attribute in attributes {
            match &attribute.kind {
                AttributeKind::LaunchBounds(values) => {
                    if !is_kernel {
                        self.error(attribute.span, "`__launch_bounds__` is for `__global__` functions");
                        continue;
                    }
                    let mut numbers = values.iter().map(|&value| self.bound(value));
                    kernel.max_threads = numbers.next().flatten();
                    // No blocks asked for is nothing said.
                    kernel.min_blocks = numbers.next().flatten().filter(|&blocks| blocks != 0);
                    kernel.max_cluster_rank = numbers.next().flatten();
                }
                AttributeKind::MaxRegisters(value) => {
                    kernel.max_registers = self.bound(*value);
                    if !is_kernel {
                        self.error(attribute.span, "`__maxnreg__` is for `__global__` functions");
                    }
                }
                AttributeKind::ClusterDims(values) => kernel.cluster = Some(self.dimensions(values, 0)),
                AttributeKind::BlockSize(values) => {
                    kernel.required_threads = Some(self.dimensions(&values[..values.len().min(3)], 1))
                }
                _ => {}
            }
        }
        if kernel.max_registers.is_some() && kernel.min_blocks.is_some() {
            // The two say the same thing in different ways; the number of registers is exact and wins.
            kernel.min_blocks = None;
        }
        kernel
    }
    fn dimensions(&mut self, values: &[ast::Id<ast::Expression>], rest: u32) -> [u32; 3] {
        let empty = if values.is_empty() { 0 } else { rest.max(1) };
        let mut result = [empty; 3];
        for (slot, &value) in result.iter_mut().zip(values) {
            *slot = self.bound(value).unwrap_or(1);
        }
        result
    }
    fn bound(&mut self, value: ast::Id<ast::Expression>) -> Option<u32> {
        let span = self.ast[value].span;
        let number = self.constant_int(value)?;
        match u32::try_from(number) {
            Ok(number) => Some(number),
            Err(_) => {
                self.error(span, "this number cannot be negative");
                None
            }
        }
    }
    /// The alignment that attributes ask for, in bytes.
    /// The alignment that a typedef gives to what is declared by its name.
    pub(crate) fn note_typedef_alignment(
        &mut self,
        specifiers: ast::Id<ast::Specifiers>,
        declarator: ast::Id<ast::Declarator>,
        span: Span,
        ty: hir::QualifiedType,
    ) {
        let ast = self.ast;
        if let Some(alignment) = self.alignment(super::attributes_of(&ast[specifiers], &ast[declarator])) {
            self.aligned_typedefs.insert((span, ty), alignment);
        }
    }
    /// What the typedef that specifiers name says of the alignment of an object, or of the elements of an array, that a declarator makes of it.
    pub(crate) fn typedef_alignment(
        &mut self,
        specifiers: ast::Id<ast::Specifiers>,
        declarator: ast::Id<ast::Declarator>,
    ) -> Option<u64> {
        let ast = self.ast;
        if self.aligned_typedefs.is_empty() {
            return None;
        }
        let ast::TypeSpecifier::Name { name, .. } = ast[specifiers].type_specifier else {
            return None;
        };
        let mut chunks = ast[declarator].chunks.iter();
        if !chunks.all(|chunk| matches!(chunk, ast::DeclaratorChunk::Array { .. })) {
            return None;
        }
        let node = &ast[name];
        let (symbol, _) = self.name_parts(&node.last)?;
        let hits = match self.trying(|sema| sema.resolve_qualifiers(node.global, &node.qualifiers)) {
            Ok(Some(Qualification::None)) => self.search_outwards(symbol, Wanted::Type),
            Ok(Some(Qualification::Scope(scope))) => self.search_qualified(scope, symbol, Wanted::Type),
            _ => return None,
        };
        let declared = hits.list.first()?;
        match declared.entity {
            crate::sema::Entity::Typedef(ty) => self.aligned_typedefs.get(&(declared.span, ty)).copied(),
            _ => None,
        }
    }
    pub(crate) fn alignment(&mut self, attributes: impl Iterator<Item = &'a ast::Attribute>) -> Option<u64> {
        let mut greatest: Option<u64> = None;
        for attribute in attributes {
            let AttributeKind::Align(argument) = attribute.kind else {
                continue;
            };
            let value = match argument {
                ast::AlignArgument::Default => Some(16),
                ast::AlignArgument::Expression(expression) => self.constant_size(expression),
                ast::AlignArgument::Type(type_id) => {
                    let ty = self.type_of_type_id(type_id);
                    self.complete_type(ty.id);
                    Some(self.program.align_of(ty.id))
                }
                ast::AlignArgument::ExpressionPack(expression) => {
                    let pattern = crate::sema::template::pack::Pattern::Expression(expression);
                    let all = self.expand(pattern, attribute.span, |sema| sema.constant_size(expression));
                    all.and_then(|all| all.into_iter().flatten().max())
                }
                ast::AlignArgument::TypePack(type_id) => {
                    let pattern = crate::sema::template::pack::Pattern::Type(type_id);
                    let all = self.expand(pattern, attribute.span, |sema| {
                        let ty = sema.type_of_type_id(type_id);
                        sema.complete_type(ty.id);
                        sema.program.align_of(ty.id)
                    });
                    all.and_then(|all| all.into_iter().max())
                }
            };
            match value {
                // `alignas(0)` says nothing ([dcl.align]/2).
                None | Some(0) => {}
                Some(value) if !value.is_power_of_two() => self.error(attribute.span, "an alignment is a power of two"),
                Some(value) => greatest = Some(greatest.map_or(value, |known| known.max(value))),
            }
        }
        greatest
    }
}
